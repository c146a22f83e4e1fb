/*
 * test_convex_hull.c - hulls of points: against all triples in whole numbers, against closed forms, and every
 * promise (inside, convex, two faces an edge, Euler) judged one by one for points that are round, square,
 * flat, thin, tiny, huge, far off or almost the same.
 */
#include "check_near.h"
#include "counting.h"
#include "point_sets.h"

#include <criterion/redirect.h>
#include <string.h>

typedef struct Hull {
    RgArena arena;
    RgPolytope p;
    RgMeshReport report;
    const char *what;
    RgStatus status;
} Hull;

static Hull hull_of(const RgVec3 *x, int32_t count)
{
    Hull h = {.status = RG_OK};
    rg_arena_init(&h.arena, NULL);
    h.status = rg_convex_hull(&h.arena, x, count, &h.p, &h.report, &h.what);
    return h;
}

static void hull_free(Hull *h)
{
    rg_arena_free(&h->arena);
}

/* Every promise, to 1e-12 of the size and 2e-15 of the largest coordinate. */
static void expect_promises(const Hull *h, const PointSet *s, const char *name)
{
    cr_assert_eq(h->status, RG_OK, "%s: %s", name, h->what);
    double tolerance = 1e-12 * points_size(s->x, s->count) + 2e-15 * points_reach(s->x, s->count);
    const char *fault = polytope_links_fault(&h->p);
    cr_expect_null(fault, "%s: %s", name, fault);
    double plane = polytope_plane_error(&h->p), dent = polytope_dent(&h->p);
    double outside = polytope_outside(&h->p, s->x, s->count);
    cr_expect_leq(plane, tolerance, "%s: planes %g m, may be %g m", name, plane, tolerance);
    cr_expect_leq(dent, tolerance, "%s: dents %g m, may be %g m", name, dent, tolerance);
    cr_expect_leq(outside, tolerance, "%s: outside %g m, may be %g m", name, outside, tolerance);
    double back = polytope_run_back(&h->p); /* a sum over the corners */
    cr_expect_leq(back, 10.0 * tolerance, "%s: an outline runs back %g m", name, back);
    for (int32_t f = 0; f < h->p.nf; f++)
        cr_expect_leq(fabs(v3_norm(h->p.normal[f]) - 1.0), 4e-16, "%s: a normal", name);
}

/* ------------------------------------------------------------------ promises */

#define FAMILIES 14

static const char *make_family(PointSet *s, Draw *d, int kind, int round)
{
    static const double noise[5] = {0.0, 1e-15, 1e-13, 1e-12, 1e-9};
    s->count = 0;
    switch (kind) {
    case 0:
        points_in_ball(s, d, 300);
        return "ball";
    case 1:
        points_on_sphere(s, d, 300);
        return "sphere";
    case 2:
        points_fibonacci(s, round == 0 ? 1000 : 200 + round);
        return "fibonacci";
    case 3:
        points_grid(s, 4 + round % 4);
        return "grid";
    case 4:
        points_prism(s, 3 + 37 * round);
        return "prism";
    case 5:
        points_almost_flat(s, d, 300, 1e-9);
        return "dome 1e-9";
    case 6:
        points_almost_flat(s, d, 300, 1e-12);
        return "dome 1e-12";
    case 7:
        points_almost_flat(s, d, 300, 1e-14);
        return "dome 1e-14";
    case 8: /* heaps of points that are almost one */
        points_on_sphere(s, d, 60);
        for (int i = 0; i < 240; i++)
            point_add(s, v3_axpy(pow(10.0, -17 + i % 8), draw_direction(d), s->x[i % 60]));
        return "heaps";
    default:
        points_on_cube(s, d, 200, noise[kind - 9]);
        return "cube";
    }
}

#define PLACES 7

static const char *place_points(PointSet *s, Draw *d, int place)
{
    static const struct {
        const char *name;
        double scale, thin, reach;
    } places[PLACES] = {{"as it is", 1.0, 1.0, 0.0}, {"turned", 1.0, 1.0, 1.0}, {"tiny", 1e-6, 1.0, 1e-6},
                        {"huge", 1e4, 1.0, 1e4},     {"thin", 1.0, 1e-3, 1.0},  {"leaf", 1.0, 1e-6, 0.0},
                        {"far off", 0.1, 1.0, 10.0}};
    RgPose X = place == 0 ? (RgPose){mat_identity(), v3_zero()} : draw_pose(d, places[place].reach);
    double k = places[place].scale;
    points_move(s, X, v3(k, k, places[place].thin * k));
    return places[place].name;
}

Test(convex_hull, keeps_its_promises)
{
    static PointSet s;
    Draw d = draw_seed(21);
    for (int round = 0; round < 4; round++) {
        for (int kind = 0; kind < FAMILIES; kind++) {
            for (int place = 0; place < PLACES; place++) {
                char name[64];
                const char *family = make_family(&s, &d, kind, round);
                snprintf(name, sizeof name, "%s, %s", family, place_points(&s, &d, place));
                Hull h = hull_of(s.x, s.count);
                expect_promises(&h, &s, name);
                hull_free(&h);
            }
        }
    }
}

/* Points that lead a hull by round-off astray: heaps at the corners of a cube, a grid that is shaken, domes
   and faces that are almost flat, needles along three edges. */
static void make_misleading(PointSet *s, Draw *d)
{
    double h = pow(10.0, draw_between(d, -15.0, -7.0));
    int n = 50 + draw_below(d, 200), kind = draw_below(d, 5);
    s->count = 0;
    if (kind == 0)
        points_almost_flat(s, d, n, h);
    else if (kind == 1)
        points_on_cube(s, d, n, h);
    else if (kind == 2)
        points_grid(s, 3 + draw_below(d, 4));
    for (int i = 0; kind > 2 && i < n; i++) {
        RgVec3 u = draw_direction(d);
        double t = draw_between(d, 0.0, 1.0);
        point_add(s, kind == 3 ? v3(copysign(1.0, u.x), copysign(1.0, u.y), copysign(1.0, u.z))
                               : v3(i % 3 == 0 ? t : 0.0, i % 3 == 1 ? t : 0.0, i % 3 == 2 ? t : 0.0));
    }
    for (int i = 0; kind > 1 && i < s->count; i++)
        s->x[i] = v3_axpy(h, draw_direction(d), s->x[i]);
    double thin = draw_chance(d, 0.5) ? 1.0 : 1e-4;
    points_move(s, draw_pose(d, draw_chance(d, 0.5) ? 0.0 : 10.0), v3(1.0, 1.0, thin));
}

Test(convex_hull, keeps_its_promises_for_misleading_points)
{
    static PointSet s;
    for (uint64_t seed = 0; seed < 800; seed++) {
        char name[32];
        Draw d = draw_seed(seed);
        make_misleading(&s, &d);
        snprintf(name, sizeof name, "seed %d", (int)seed);
        Hull h = hull_of(s.x, s.count);
        expect_promises(&h, &s, name);
        hull_free(&h);
    }
}

/* ------------------------------------------------------------------ the twin in whole numbers */

typedef struct Whole {
    int64_t x, y, z;
} Whole;

static Whole whole_of(RgVec3 a)
{
    return (Whole){(int64_t)a.x, (int64_t)a.y, (int64_t)a.z};
}

static Whole whole_normal(Whole a, Whole b, Whole c)
{
    Whole u = {b.x - a.x, b.y - a.y, b.z - a.z}, v = {c.x - a.x, c.y - a.y, c.z - a.z};
    return (Whole){u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
}

static int64_t whole_dot(Whole a, Whole b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Different planes through three of the points that have all points on one side, outward normals without
   common divisor. */
static int supporting_planes(const PointSet *s, Whole *normal, int64_t *offset)
{
    int count = 0;
    for (int i = 0; i < s->count * s->count * s->count; i++) {
        int a = i % s->count, b = i / s->count % s->count, c = i / s->count / s->count;
        Whole n = whole_normal(whole_of(s->x[a]), whole_of(s->x[b]), whole_of(s->x[c]));
        int64_t g = common_divisor(common_divisor(n.x, n.y), n.z);
        if (g == 0)
            continue;
        n = (Whole){n.x / g, n.y / g, n.z / g};
        int64_t o = whole_dot(n, whole_of(s->x[a]));
        bool outer = true;
        for (int j = 0; j < s->count && outer; j++)
            outer = whole_dot(n, whole_of(s->x[j])) <= o;
        for (int j = 0; j < count && outer; j++)
            outer = normal[j].x != n.x || normal[j].y != n.y || normal[j].z != n.z;
        if (!outer)
            continue;
        normal[count] = n;
        offset[count++] = o;
    }
    return count;
}

/* A point is a corner if planes through it have normals that span space. */
static bool is_corner(Whole x, const Whole *normal, const int64_t *offset, int planes)
{
    Whole through[256], zero = {0, 0, 0};
    int n = 0;
    for (int k = 0; k < planes; k++)
        if (whole_dot(normal[k], x) == offset[k])
            through[n++] = normal[k];
    for (int i = 0; i < n * n * n; i++) {
        Whole across = whole_normal(zero, through[i % n], through[i / n % n]);
        if (whole_dot(through[i / n / n], across) != 0)
            return true;
    }
    return false;
}

static RgVec3 draw_node(Draw *d, int side)
{
    int x = draw_below(d, side), y = draw_below(d, side), z = draw_below(d, side);
    return v3(x, y, z);
}

/* Points of a small grid: many are in one plane, on one line, or the same. */
Test(convex_hull, small_grids_match_all_triples)
{
    static PointSet s;
    Draw d = draw_seed(5);
    for (int round = 0; round < 150; round++) {
        int side = 3 + round % 4;
        s.count = 0;
        for (int n = 8 + draw_below(&d, 16); n > 0; n--)
            point_add(&s, draw_node(&d, side));
        Whole normal[256];
        int64_t offset[256];
        int planes = supporting_planes(&s, normal, offset);
        Hull h = hull_of(s.x, s.count);
        cr_assert_eq(h.status, RG_OK, "%s", h.what);
        cr_expect_eq(h.p.nf, planes, "round %d: %d faces, should be %d", round, h.p.nf, planes);

        /* The same planes. */
        for (int k = 0; k < planes; k++) {
            double length = sqrt((double)whole_dot(normal[k], normal[k])), nearest = INFINITY;
            RgVec3 n = v3_scale(1.0 / length, v3((double)normal[k].x, (double)normal[k].y, (double)normal[k].z));
            for (int32_t f = 0; f < h.p.nf; f++)
                nearest =
                    fmin(nearest, v3_norm(v3_sub(h.p.normal[f], n)) + fabs(h.p.offset[f] - (double)offset[k] / length));
            CHECK_NEAR(nearest, 0.0, 4e-15, "-, m");
        }

        /* The same corners, numbered by their first place in the input. */
        int32_t corners = 0;
        for (int i = 0; i < s.count; i++) {
            bool seen = false;
            for (int j = 0; j < i; j++)
                seen |= memcmp(&s.x[i], &s.x[j], sizeof s.x[i]) == 0;
            if (seen || !is_corner(whole_of(s.x[i]), normal, offset, planes))
                continue;
            cr_expect(corners < h.p.nv && v3_norm(v3_sub(h.p.vertex[corners], s.x[i])) == 0.0,
                      "round %d: vertex %d is not point %d", round, corners, i);
            corners++;
        }
        cr_expect_eq(h.p.nv, corners);
        hull_free(&h);
    }
}

/* ------------------------------------------------------------------ known hulls */

static double hull_volume(const RgPolytope *p)
{
    double sum = 0.0;
    for (int32_t f = 0; f < p->nf; f++) {
        const int32_t *c = p->face_vertex + p->face_start[f];
        for (int32_t k = 2; k < p->face_start[f + 1] - p->face_start[f]; k++)
            sum += v3_dot(p->vertex[c[0]], v3_cross(p->vertex[c[k - 1]], p->vertex[c[k]])) / 6.0;
    }
    return sum;
}

/* A cube's faces stay six, however many points lie on them, however it is turned. */
Test(convex_hull, points_on_a_cube_leave_a_cube)
{
    static PointSet s;
    Draw d = draw_seed(8);
    for (int round = 0; round < 30; round++) {
        s.count = 0;
        points_on_cube(&s, &d, 100, 0.0);
        for (int i = 0; i < 12; i++) /* and on the edges */
            point_add(&s, v3(draw_between(&d, -1.0, 1.0), i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0));
        points_shuffle(&s, &d);
        points_move(&s, draw_pose(&d, 1.0), v3(1.0, 1.0, 1.0));
        Hull h = hull_of(s.x, s.count);
        expect_promises(&h, &s, "cube");
        cr_expect(h.p.nv == 8 && h.p.ne == 12 && h.p.nf == 6, "%d vertices, %d edges, %d faces", h.p.nv, h.p.ne,
                  h.p.nf);
        cr_expect(h.report.inner_points == 112 && h.report.merged_vertices == 0);
        CHECK_NEAR(hull_volume(&h.p), 8.0, 1e-13, "m^3");
        hull_free(&h);
    }
}

/* An n-gon prism has two faces of n corners and n of four; volume n/2 sin(2 pi/n) 1.4. */
Test(convex_hull, prisms)
{
    static PointSet s;
    Draw d = draw_seed(9);
    for (int n = 3; n <= 1200; n += n < 20 ? 1 : 190) {
        s.count = 0;
        points_prism(&s, n);
        if (n % 2)
            points_move(&s, draw_pose(&d, 1.0), v3(1.0, 1.0, 1.0));
        Hull h = hull_of(s.x, s.count);
        expect_promises(&h, &s, "prism");
        cr_expect(h.p.nv == 2 * n && h.p.ne == 3 * n && h.p.nf == n + 2, "%d: %d faces", n, h.p.nf);
        int caps = 0;
        for (int32_t f = 0; f < h.p.nf; f++)
            caps += h.p.face_start[f + 1] - h.p.face_start[f] == n;
        cr_expect_eq(caps, n == 4 ? 6 : 2);
        CHECK_REL(hull_volume(&h.p), 0.7 * n * sin(2.0 * 3.14159265358979323846 / n), 1e-12, "m^3");
        hull_free(&h);
    }
}

Test(convex_hull, thousand_on_a_sphere)
{
    static PointSet s;
    points_fibonacci(&s, 1000);
    Hull h = hull_of(s.x, s.count);
    expect_promises(&h, &s, "sphere");
    cr_expect(h.p.nv == 1000 && h.p.ne == 2994 && h.p.nf == 1996);

    /* Less than the ball, by a layer as thick as the faces lie deep: about 4/n. */
    double ball = 4.0 / 3.0 * 3.14159265358979323846;
    cr_expect(hull_volume(&h.p) < ball && hull_volume(&h.p) > ball * (1.0 - 10.0 / 1000));
    hull_free(&h);
}

/* ------------------------------------------------------------------ order */

static bool same_face(const RgPolytope *p, int32_t f, const RgPolytope *q, int32_t g)
{
    int32_t n = p->face_start[f + 1] - p->face_start[f];
    const int32_t *a = p->face_vertex + p->face_start[f], *b = q->face_vertex + q->face_start[g];
    if (q->face_start[g + 1] - q->face_start[g] != n)
        return false;
    for (int32_t shift = 0; shift < n; shift++) {
        int32_t k = 0;
        while (k < n && memcmp(&p->vertex[a[k]], &q->vertex[b[(k + shift) % n]], sizeof(RgVec3)) == 0)
            k++;
        if (k == n)
            return true;
    }
    return false;
}

static bool same_faces(const RgPolytope *p, const RgPolytope *q)
{
    if (p->nv != q->nv || p->ne != q->ne || p->nf != q->nf)
        return false;
    for (int32_t f = 0; f < p->nf; f++) {
        int32_t g = 0;
        while (g < q->nf && !same_face(p, f, q, g))
            g++;
        if (g == q->nf)
            return false;
    }
    return true;
}

/* Vertices come in the order of the points. */
static void expect_order(const RgPolytope *p, const PointSet *s, const char *family)
{
    int32_t i = 0;
    for (int32_t v = 0; v < p->nv; v++) {
        while (i < s->count && memcmp(&s->x[i], &p->vertex[v], sizeof(RgVec3)) != 0)
            i++;
        cr_assert_lt(i, s->count, "%s: vertex %d is out of order", family, v);
    }
}

/* A set has no order: the faces are the same. */
Test(convex_hull, order_of_points_is_of_no_matter)
{
    static PointSet s;
    Draw d = draw_seed(13);
    for (int kind = 0; kind < FAMILIES; kind++) {
        const char *family = make_family(&s, &d, kind, 1);
        place_points(&s, &d, 1);
        Hull h = hull_of(s.x, s.count);
        for (int round = 0; round < 3; round++) {
            points_shuffle(&s, &d);
            Hull g = hull_of(s.x, s.count);
            cr_expect(same_faces(&h.p, &g.p), "%s", family);

            expect_order(&g.p, &s, family);
            hull_free(&g);
        }
        hull_free(&h);
    }
}

Test(convex_hull, same_points_same_bits)
{
    static PointSet s;
    Draw d = draw_seed(14);
    for (int kind = 0; kind < FAMILIES; kind++) {
        make_family(&s, &d, kind, 0);
        place_points(&s, &d, 6);
        Hull h = hull_of(s.x, s.count), g = hull_of(s.x, s.count);
        cr_assert(h.p.nv == g.p.nv && h.p.ne == g.p.ne && h.p.nf == g.p.nf);
        cr_expect_arr_eq(h.p.vertex, g.p.vertex, (size_t)h.p.nv * sizeof(RgVec3));
        cr_expect_arr_eq(h.p.normal, g.p.normal, (size_t)h.p.nf * sizeof(RgVec3));
        cr_expect_arr_eq(h.p.offset, g.p.offset, (size_t)h.p.nf * sizeof(double));
        cr_expect_arr_eq(h.p.face_vertex, g.p.face_vertex, 2 * (size_t)h.p.ne * sizeof(int32_t));
        hull_free(&h);
        hull_free(&g);
    }
}

Test(convex_hull, points_at_one_place_are_joined)
{
    const RgVec3 x[9] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {-0.0, 0.0, 0.0}, {0.1, 0.1, 0.1}, {0.0, 1.0, 0.0},
                         {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0},  {0.2, 0.1, 0.1}};
    Hull h = hull_of(x, 9);
    cr_assert_eq(h.status, RG_OK, "%s", h.what);
    cr_expect(h.p.nv == 4 && h.p.nf == 4 && h.report.merged_vertices == 3 && h.report.inner_points == 2);
    const int order[4] = {0, 1, 4, 6};
    for (int v = 0; v < 4; v++)
        CHECK_NEAR(v3_norm(v3_sub(h.p.vertex[v], x[order[v]])), 0.0, 0.0, "m");
    hull_free(&h);
}

/* ------------------------------------------------------------------ what has no hull */

static void expect_none(const RgVec3 *x, int32_t count, RgStatus status, const char *part)
{
    Hull h = hull_of(x, count);
    cr_expect_eq(h.status, status, "status %d, should be %d (%s)", (int)h.status, (int)status, part);
    cr_expect(h.what != NULL && strstr(h.what, part) != NULL, "wanted \"%s\", got \"%s\"", part,
              h.what != NULL ? h.what : "nothing");
    hull_free(&h);
}

/* Quietly: Qhull has much to say about such points. */
Test(convex_hull, points_without_a_hull, .init = cr_redirect_stderr)
{
    static PointSet s;
    Draw d = draw_seed(31);
    RgVec3 x[4] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    expect_none(x, 3, RG_ERR_ARGUMENT, "four points");
    expect_none(x, 0, RG_ERR_ARGUMENT, "four points");
    x[3].y = (double)NAN;
    expect_none(x, 4, RG_ERR_NOT_FINITE, "not finite");
    x[3].y = (double)-INFINITY;
    expect_none(x, 4, RG_ERR_NOT_FINITE, "not finite");
    for (int round = 0; round < 20; round++) {
        RgPose X = round == 0 ? (RgPose){mat_identity(), v3_zero()} : draw_pose(&d, 1.0);
        for (int kind = 0; kind < 4; kind++) { /* one place, a line, a plane, a sheet of round-off */
            s.count = 0;
            for (int i = 0; i < 100; i++) {
                RgVec3 p = draw_vec(&d, 1.0);
                point_add(&s, v3(kind > 0 ? p.x : 0.5, kind > 1 ? p.y : 0.5, kind > 2 ? 1e-13 * p.z : 0.0));
            }
            points_move(&s, X, v3(1.0, 1.0, 1.0));
            expect_none(s.x, s.count, RG_ERR_MODEL, "in a plane");
        }
    }
    fflush(stderr);
    cr_expect_stderr_eq_str("");
}

/* Ten times the least thickness still is a solid. */
Test(convex_hull, the_thinnest_sheet)
{
    static PointSet s;
    Draw d = draw_seed(32);
    for (int round = 0; round < 20; round++) {
        s.count = 0;
        points_on_cube(&s, &d, 50, 0.0);
        points_move(&s, draw_pose(&d, 0.0), v3(1.0, 1.0, 1e-10));
        Hull h = hull_of(s.x, s.count);
        expect_promises(&h, &s, "sheet");
        hull_free(&h);
        s.count = 0;
        points_on_cube(&s, &d, 50, 0.0);
        points_move(&s, draw_pose(&d, 0.0), v3(1.0, 1.0, 1e-12));
        expect_none(s.x, s.count, RG_ERR_MODEL, "in a plane");
    }
}

Test(convex_hull, memory_that_runs_out)
{
    static PointSet s;
    points_fibonacci(&s, 300);
    Counting counting = {0};
    RgAllocator allocator = counting_allocator(&counting);
    RgStatus status = RG_ERR_MEMORY;
    long k = 0;
    while (status != RG_OK && k < 1000) {
        counting = (Counting){.fail_at = ++k};
        RgArena arena;
        rg_arena_init(&arena, &allocator);
        RgPolytope p;
        RgMeshReport report;
        const char *what;
        status = rg_convex_hull(&arena, s.x, s.count, &p, &report, &what);
        cr_expect(status == RG_OK || status == RG_ERR_MEMORY, "allocation %ld: %s", k, what);
        rg_arena_free(&arena);
        cr_expect_eq(counting.blocks, 0, "allocation %ld: %ld blocks leaked", k, counting.blocks);
    }
    cr_expect(status == RG_OK && k > 5, "%ld allocations", k);
}
