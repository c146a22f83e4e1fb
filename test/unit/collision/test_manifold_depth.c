/*
 * test_manifold_depth.c - contact wherever the distance is within the margin, as deep as that; ids unique in
 * a call and lasting from step to step; the stack that a query needs.
 */
#define _XOPEN_SOURCE 700 /* threads on a stack that is given */

#include "stl_file.h"

#include <pthread.h>
#include <string.h>

/* ------------------------------------------------------------------ all kinds */

#define MOVERS 7

static RgGeometry *make_mover(int kind)
{
    static const double cross[2][3] = {{0.5, 0.1, 0.1}, {0.1, 0.5, 0.1}};
    Soup *s;
    switch (kind) {
    case 0:
        return make_shape(RG_SHAPE_sphere, 0.2, 0, 0);
    case 1:
        return make_shape(RG_SHAPE_capsule, 0.1, 0.4, 0);
    case 2:
        return make_shape(RG_SHAPE_cylinder, 0.15, 0.4, 0);
    case 3:
        return make_shape(RG_SHAPE_ellipsoid, 0.1, 0.2, 0.25);
    case 4:
        return make_shape(RG_SHAPE_box, 0.4, 0.3, 0.2);
    case 5:
        return make_prism(5, 0.2, 0.3);
    default:
        s = soup_new();
        for (int i = 0; i < 2; i++)
            soup_box(s, vec(cross[i][0], cross[i][1], cross[i][2]), 1);
        RgShapeDef def = soup_def(s, RG_MESH_PARTS);
        int32_t start[3] = {0, s->nfaces / 2, s->nfaces};
        def.mesh.part_start = start;
        def.mesh.nparts = 2;
        RgGeometry *g = make_geometry(&def);
        free(s);
        return g;
    }
}

#define GROUNDS 5

/* Half-space, closed mesh with a reflex edge, open mesh, shell without an agreed front, height field. */
static RgGeometry *make_ground(int kind, Draw *d)
{
    enum { N = 7 };
    double heights[N * N];
    if (kind == 0)
        return make_shape(RG_SHAPE_halfspace, 0, 0, 0);
    if (kind == 4) {
        for (int i = 0; i < N * N; i++)
            heights[i] = draw_between(d, -0.2, 0.2);
        return make_field(heights, N, N, 1.6, 1.6);
    }
    Soup *s = soup_new();
    if (kind == 1) { /* two boxes that overlap */
        soup_box(s, vec(1, 0.6, 0.6), 3);
        soup_box(s, vec(0.5, 0.5, 1.3), 2);
    } else {
        soup_grid(s, vec(-0.7, -0.7, 0), vec(1.4, 0, 0), vec(0, 1.4, 0), 4, 4);
        soup_grid(s, vec(-0.7, -0.7, 0.4), vec(0, 0, -0.4), vec(0, 1.4, 0), 1, 4);
        for (int32_t i = 0; kind == 3 && i < s->nfaces; i += 2) {
            int32_t b = s->faces[3 * i + 1];
            s->faces[3 * i + 1] = s->faces[3 * i + 2];
            s->faces[3 * i + 2] = b;
        }
    }
    RgGeometry *g = soup_geometry(s);
    free(s);
    return g;
}

/* What must hold of any pair: a point exactly where the distance is within the margin, one of them as deep as
   the distance, no id twice. */
static bool check_pair(const RgPlaced *a, const RgPlaced *b, Contacts *c, const char *what)
{
    RgManifoldOptions options = rg_manifold_options_default();
    RgDistance at;
    RgStatus status = rg_distance(a, b, NULL, &at);
    cr_assert(status == RG_OK || status == RG_ERR_NOT_CONVERGED);
    collide_with(a, b, &options, c);
    cr_assert(c->status == RG_OK || c->status == RG_ERR_NOT_CONVERGED);
    cr_assert(!c->buffer.overflow);
    if (fabs(at.distance - options.margin) > at.error + 1e-12)
        cr_assert_eq(c->buffer.npoints > 0, at.distance <= options.margin, "%s: %d points at %g", what,
                     c->buffer.npoints, at.distance);
    double off = INFINITY, slack = options.slope * options.slope; /* a face may stand for a normal so near its own */
    for (int32_t i = 0; i < c->buffer.npoints; i++) {
        off = fmin(off, fabs(c->point[i].gap - at.distance));
        for (int32_t j = 0; j < i; j++)
            cr_assert_neq(c->point[i].id, c->point[j].id, "%s: points %d and %d", what, i, j);
    }
    if (c->buffer.npoints > 0 && at.distance <= options.margin)
        cr_assert(off <= 1e-6 + slack * (fabs(at.distance) + options.margin) + at.error,
                  "%s: distance %g, no point nearer than %g to it", what, at.distance, off);
    return c->buffer.npoints > 0;
}

Test(manifold_depth, contact_wherever_the_distance_is_within_the_margin)
{
    Draw d = draw_seed(1);
    Contacts *c = malloc(sizeof *c);
    for (int k = 0; k < MOVERS * GROUNDS; k++) {
        RgGeometry *mover = make_mover(k % MOVERS), *ground = make_ground(k / MOVERS, &d);
        char what[64];
        int touched = 0, trials = 150;
        for (int t = 0; t < trials; t++) {
            RgPlaced a = placed(mover, draw_pose(&d, 0.8)), b = placed_at(ground, 0, 0, 0);
            if (t % 3 == 0) /* upright, on a grid */
                a.X_WG = place_at(0.1 * (draw_below(&d, 17) - 8), 0.1 * (draw_below(&d, 17) - 8),
                                  0.05 * (draw_below(&d, 21) - 10));
            snprintf(what, sizeof what, "mover %d, ground %d, trial %d", k % MOVERS, k / MOVERS, t);
            touched += check_pair(&a, &b, c, what);
        }
        cr_expect(touched > trials / 10, "%s: %d touched", what, touched);
        rg_geometry_destroy(mover);
        rg_geometry_destroy(ground);
    }
    free(c);
}

/* The same on collision meshes of a robot, at all depths. */
Test(manifold_depth, contact_with_robot_links)
{
#ifndef RIGOR_SHARED_MODELS
    cr_skip_test("no models beside the project");
#else
    static const char *const names[] = {"base", "shoulder", "upperarm", "forearm", "wrist1", "wrist2", "wrist3"};
    Draw d = draw_seed(2);
    Contacts *c = malloc(sizeof *c);
    RgGeometry *shape[3] = {make_shape(RG_SHAPE_box, 0.05, 0.05, 0.05), make_shape(RG_SHAPE_cylinder, 0.02, 0.1, 0),
                            make_shape(RG_SHAPE_sphere, 0.03, 0, 0)};
    for (int m = 0; m < 7; m++) {
        Soup *s = stl_read(names[m]);
        if (s == NULL)
            cr_skip_test("no meshes beside the project");
        RgGeometry *mesh = soup_geometry(s);
        RgGeometryInfo info = rg_geometry_info(mesh);
        RgVec3 half = vec_scale(0.55, vec_sub(info.high, info.low)), middle = vec_add(info.low, info.high);
        int touched = 0;
        for (int k = 0; k < 300; k++) {
            RgPlaced a = placed(shape[k % 3], draw_pose(&d, 1.0)), b = placed_at(mesh, 0, 0, 0);
            RgVec3 x = a.X_WG.p;
            a.X_WG.p = vec_add(vec_scale(0.5, middle), vec(half.x * x.x, half.y * x.y, half.z * x.z));
            touched += check_pair(&a, &b, c, names[m]);
        }
        cr_expect_gt(touched, 50, "%s: %d", names[m], touched);
        rg_geometry_destroy(mesh);
        free(s);
    }
    for (int k = 0; k < 3; k++)
        rg_geometry_destroy(shape[k]);
    free(c);
#endif
}

/* ------------------------------------------------------------------ deep */

/* A box that sinks into a flat field, and into a cube of triangles, all the way: always its four lower
   corners, always the same ids, the gap that of the plane. */
Test(manifold_depth, sinking_box_keeps_its_points)
{
    static const double flat[25] = {0};
    Soup *s = soup_new();
    soup_box(s, vec(4, 4, 4), 3);
    RgGeometry *ground[2] = {make_field(flat, 5, 5, 4.0, 4.0), soup_geometry(s)};
    RgGeometry *box = make_shape(RG_SHAPE_box, 0.4, 0.4, 0.4);
    Contacts *c = malloc(2 * sizeof *c);
    for (int g = 0; g < 2; g++)
        for (int k = 0; k <= 50; k++) {
            double z = 0.2 - 0.02 * k - 1e-4;
            RgPlaced a = placed(box, (RgPose){turn_about(2, 0.3), {0.11, 0.07, z}});
            RgPlaced b = placed_at(ground[g], 0, 0, g == 0 ? 0.0 : -2.0);
            collide(&a, &b, &c[k % 2]);
            const RgManifold *m = only_manifold(&c[k % 2]);
            cr_assert_eq(m->count, 4, "ground %d, z %g: %d points", g, z, m->count);
            CHECK_NEAR(m->distance, z - 0.2, 1e-14, "m");
            CHECK_NEAR(vec_distance(m->normal, vec(0, 0, -1)), 0.0, 1e-14, "");
            for (int i = 0; i < 4 && k > 0; i++)
                cr_expect_eq(c[0].point[i].id, c[1].point[i].id, "ground %d, z %g", g, z);
        }
    for (int g = 0; g < 2; g++)
        rg_geometry_destroy(ground[g]);
    rg_geometry_destroy(box);
    free(s);
    free(c);
}

/* ------------------------------------------------------------------ ids */

/* A ball in a valley between two slopes: two contacts, two ids, that stay while it rolls along. */
Test(manifold_depth, two_slopes_have_two_ids)
{
    enum { N = 9 };
    double heights[N * N];
    for (int i = 0; i < N * N; i++)
        heights[i] = 0.5 * fabs(i % N - 4.0);
    RgGeometry *valley = make_field(heights, N, N, 8.0, 8.0), *ball = make_shape(RG_SHAPE_sphere, 0.5, 0, 0);
    Contacts *c = malloc(sizeof *c);
    uint64_t first[2] = {0, 0};
    for (int k = 0; k < 60; k++) {
        RgPlaced a = placed_at(ball, 0.0, 0.1 * k - 3.0, 0.5 * sqrt(1.25) - 1e-4), b = placed_at(valley, 0, 0, 0);
        collide(&a, &b, c);
        cr_assert_eq(c->buffer.npoints, 2);
        int left = c->point[0].point_b.x < 0.0 ? 0 : 1;
        uint64_t id[2] = {c->point[left].id, c->point[1 - left].id};
        cr_expect_neq(id[0], id[1]);
        if (k == 0)
            memcpy(first, id, sizeof first);
        cr_expect(id[0] == first[0] && id[1] == first[1], "step %d", k);
    }
    rg_geometry_destroy(valley);
    rg_geometry_destroy(ball);
    free(c);
}

/* Of the points of c, those at a place of e have its id. */
static int changed_ids(const Contacts *c, const Contacts *e)
{
    int changed = 0;
    for (int32_t i = 0; i < c->buffer.npoints; i++) {
        int32_t j = point_near(e, c->point[i].point_a, 1e-6);
        changed += j < 0 || e->point[j].id != c->point[i].id;
    }
    return changed;
}

/* Two equal boxes, the upper one upside down, shifted by a nanometre either way: which of them the query
   takes first changes, and which corner lies in the other's face; the ids do not. */
Test(manifold_depth, a_nanometre_leaves_the_ids)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 1, 1, 1);
    Contacts *c = malloc(2 * sizeof *c);
    for (int k = 0; k < 24; k++) {
        double turn = (double[]){0.0, 0.25 * PI, 0.3, 1.2}[k % 4], gap = (double[]){0.0, 1e-4, -1e-4}[k / 4 % 3];
        RgMat3 R = mat_mul(turn_about(2, turn), k < 12 ? turn_about(0, PI) : mat_identity());
        for (int s = 0; s < 2; s++) {
            double shift = s == 0 ? -1e-9 : 1e-9;
            RgPlaced a = placed_at(box, 0, 0, 0), b = placed(box, (RgPose){R, {shift, 0.5 * shift, 1.0 + gap}});
            collide(&a, &b, &c[s]);
        }
        cr_assert_eq(c[0].buffer.npoints, c[1].buffer.npoints);
        cr_expect_eq(changed_ids(&c[0], &c[1]), 0, "case %d: %d of %d", k, changed_ids(&c[0], &c[1]),
                     c[0].buffer.npoints);
    }
    rg_geometry_destroy(box);
    free(c);
}

/* Two crosses of the same geometry: part i on part j and part j on part i. */
Test(manifold_depth, ids_of_parts_are_unique)
{
    Draw d = draw_seed(3);
    RgGeometry *cross = make_mover(MOVERS - 1);
    Contacts *c = malloc(sizeof *c);
    int points = 0;
    for (int k = 0; k < 600; k++) {
        RgMat3 R = mat_mul(turn_about(2, 0.5 * PI * draw_below(&d, 4)), turn_about(0, PI * draw_below(&d, 2)));
        RgPlaced a = placed_at(cross, 0, 0, 0);
        RgPlaced b = placed(
            cross,
            (RgPose){R, {draw_between(&d, -0.4, 0.4), draw_between(&d, -0.4, 0.4), 0.1 * (draw_below(&d, 3) - 1)}});
        check_pair(&a, &b, c, "crosses");
        points += c->buffer.npoints;
    }
    cr_expect_gt(points, 2000, "%d", points);
    rg_geometry_destroy(cross);
    free(c);
}

/* ------------------------------------------------------------------ limits */

/* What a query leaves out for its own limits is not what memory is short of. */
Test(manifold_depth, limits_are_told_from_memory)
{
    RgGeometry *floor = make_floor(1.0, 60), *plate = make_shape(RG_SHAPE_box, 2, 2, 0.1);
    Contacts *c = malloc(sizeof *c);
    RgPlaced a = placed_at(plate, 0, 0, 0.05), b = placed_at(floor, 0, 0, 0);
    collide(&a, &b, c); /* 7200 triangles */
    cr_expect(c->buffer.reduced && !c->buffer.overflow);
    a.X_WG.p.z = 1.0;
    collide(&a, &b, c);
    cr_expect(!c->buffer.reduced && !c->buffer.overflow);
    rg_geometry_destroy(floor);
    rg_geometry_destroy(plate);
    free(c);
}

/* kB of stack that a thread of the query may need: what manifold.c says. Larger without optimisation and
   under sanitizers, where it is not asked. */
#define STACK_STATED 300
#define STACK_ROOM 2048

typedef struct Painted {
    RgPlaced a, b;
    Contacts *c;
} Painted;

static void *painted_query(void *context)
{
    Painted *p = context;
    collide_with(&p->a, &p->b, NULL, p->c);
    return NULL;
}

/* Stack used by a query, kB: what of it no longer has its colour. */
static size_t stack_used(unsigned char *stack, Painted *p)
{
    const size_t room = 1024 * STACK_ROOM;
    memset(stack, 0x5a, room);
    pthread_attr_t how;
    pthread_t thread;
    cr_assert(pthread_attr_init(&how) == 0 && pthread_attr_setstack(&how, stack, room) == 0);
    cr_assert(pthread_create(&thread, &how, painted_query, p) == 0 && pthread_join(thread, NULL) == 0);
    pthread_attr_destroy(&how);
    size_t clean = 0;
    while (clean < room && stack[clean] == 0x5a)
        clean++;
    return (room - clean) / 1024;
}

Test(manifold_depth, stack_is_what_is_stated)
{
    Draw d = draw_seed(4);
    unsigned char *stack = aligned_alloc(4096, 1024 * STACK_ROOM);
    Painted p = {.c = malloc(sizeof(Contacts))};
    size_t most = 0;
    for (int k = 0; k < MOVERS * GROUNDS; k++) {
        RgGeometry *mover = make_mover(k % MOVERS), *ground = make_ground(k / MOVERS, &d);
        for (int t = 0; t < 12; t++) {
            p.a = placed(mover, draw_pose(&d, 0.3));
            p.b = placed_at(ground, 0, 0, 0);
            size_t used = stack_used(stack, &p);
            most = used > most ? used : most;
        }
        rg_geometry_destroy(mover);
        rg_geometry_destroy(ground);
    }
    cr_log_info("%zu kB of stack", most);
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
    cr_expect_leq(most, STACK_STATED, "%zu kB", most);
#endif
    free(stack);
    free(p.c);
}
