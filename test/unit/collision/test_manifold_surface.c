/* test_manifold_surface.c - shapes on surfaces of triangles: inner edges leave no trace, real ones
   are felt. */
#include "surface_fixture.h"

/* ------------------------------------------------------------------ flat floors */

/* Flat floors of two kinds. */
static RgGeometry *flat_floor(int kind, int cells)
{
    static double zeros[64 * 64];
    if (kind == 0)
        return make_floor(3.0, cells);
    return make_field(zeros, cells + 1, cells + 1, 6.0, 6.0);
}

/* A place on the floor: anywhere, or with a corner of the box exactly on a line or a vertex of the grid. */
static RgPose draw_floor_place(Draw *d, int cells, double half)
{
    double cell = 6.0 / cells;
    RgPose X = {turn_about(2, draw_between(d, -PI, PI)), {draw_between(d, -1.5, 1.5), draw_between(d, -1.5, 1.5), 0}};
    if (draw_chance(d, 0.5))
        X.R = turn_about(2, 0.25 * PI * draw_below(d, 8));
    if (draw_chance(d, 0.5)) {
        RgVec3 corner = mat_apply(X.R, vec(half, half, 0.0));
        X.p.x = fmax(-2.0, fmin(2.0, cell * draw_below(d, cells + 1) - 3.0 - corner.x));
        if (draw_chance(d, 0.5))
            X.p.y = fmax(-2.0, fmin(2.0, cell * draw_below(d, cells + 1) - 3.0 - corner.y));
    }
    return X;
}

/* A box anywhere on a floor of any cells, sunk in or not: one manifold, straight up, its four corners. */
Test(manifold_surface, box_on_a_flat_floor)
{
    Draw d = draw_seed(1);
    Contacts *c = malloc(sizeof *c);
    static const int cells[] = {1, 6, 20, 60};
    static const double gaps[] = {1e-4, 0.0, -1e-8, -1e-4, -1e-3, -1e-2};
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 0.4);
    for (int k = 0; k < 8; k++) {
        RgGeometry *floor = flat_floor(k % 2, cells[k / 2]);
        for (int t = 0; t < 120; t++) {
            double gap = gaps[t % 6];
            RgPose X = draw_floor_place(&d, cells[k / 2], 0.5);
            X.p.z = 0.2 + gap;
            RgPlaced a = placed(box, X), b = placed_at(floor, 0, 0, 0);
            collide(&a, &b, c);
            cr_assert_eq(c->buffer.nmanifolds, 1, "floor %d, gap %g: %d manifolds", k, gap, c->buffer.nmanifolds);
            CHECK_NEAR(vec_distance(c->manifold[0].normal, vec(0.0, 0.0, -1.0)), 0.0, 1e-15, "");
            cr_expect_eq(c->manifold[0].touch, RG_TOUCH_face_face);
            cr_assert_eq(c->buffer.npoints, 4);
            CHECK_NEAR(manifold_area(c, &c->manifold[0]), 1.0, 1e-12, "m2");
            for (int i = 0; i < 4; i++)
                CHECK_NEAR(c->point[i].gap, gap, 1e-15, "m");
        }
        rg_geometry_destroy(floor);
    }
    rg_geometry_destroy(box);
    free(c);
}

/* Slides a shape over a floor: never another normal, never another number of points, never another id. */
static void slide(const RgGeometry *shape, const RgGeometry *floor, RgMat3 R, int points, Contacts c[2])
{
    for (int step = 0; step < 400; step++) {
        double way = -1.5 + 0.0075 * step;
        Contacts *now = &c[step % 2];
        RgPlaced a = placed(shape, (RgPose){R, {way, 0.7 * way, 0.2 - 1e-3 * (step % 4)}});
        RgPlaced b = placed_at(floor, 0, 0, 0);
        collide(&a, &b, now);
        cr_assert_eq(now->buffer.nmanifolds, 1);
        CHECK_NEAR(vec_distance(now->manifold[0].normal, vec(0.0, 0.0, -1.0)), 0.0, 1e-15, "");
        cr_assert_eq(now->buffer.npoints, points, "step %d: %d points", step, now->buffer.npoints);
        for (int i = 0; i < points && step > 0; i++)
            cr_expect_eq(c[0].point[i].id, c[1].point[i].id, "step %d", step);
    }
}

Test(manifold_surface, sliding_is_smooth)
{
    RgGeometry *shape[5] = {make_shape(RG_SHAPE_box, 0.6, 0.5, 0.4), make_shape(RG_SHAPE_cylinder, 0.3, 0.4, 0),
                            make_shape(RG_SHAPE_capsule, 0.2, 0.6, 0), make_shape(RG_SHAPE_sphere, 0.2, 0, 0),
                            make_prism(7, 0.3, 0.4)};
    static const int points[5] = {4, 3, 2, 1, 7};
    const RgMat3 turned = turn_about(2, 0.3), lying = mat_mul(turned, turn_about(0, 0.5 * PI));
    Contacts *c = malloc(2 * sizeof *c);
    for (int kind = 0; kind < 2; kind++) {
        RgGeometry *floor = flat_floor(kind, 40);
        for (int k = 0; k < 5; k++)
            slide(shape[k], floor, k == 2 ? lying : turned, points[k], c);
        rg_geometry_destroy(floor);
    }
    for (int k = 0; k < 5; k++)
        rg_geometry_destroy(shape[k]);
    free(c);
}

/* A tilted box meets the floor with an edge or a corner, as it would a plane. */
Test(manifold_surface, floor_is_a_plane)
{
    Draw d = draw_seed(2);
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 0.7, 0.4), *floor = make_floor(3.0, 17);
    RgGeometry *ground = make_shape(RG_SHAPE_halfspace, 0, 0, 0);
    Contacts *c = malloc(2 * sizeof *c);
    for (int k = 0; k < 500; k++) {
        RgPose X = draw_pose(&d, 1.5);
        if (k % 2 == 0)
            X.R =
                mat_mul(turn_about(2, draw_between(&d, -PI, PI)), turn_about(k % 4 / 2, draw_between(&d, -0.05, 0.05)));
        RgPlaced a = placed(box, X), b = placed_at(floor, 0, 0, 0), p = placed_at(ground, 0, 0, 0);
        RgDistance at;
        rg_distance(&a, &p, NULL, &at);
        a.X_WG.p.z -= at.distance - draw_between(&d, -1e-3, 1e-3);
        collide(&a, &b, &c[0]);
        collide(&a, &p, &c[1]);
        cr_assert_eq(c[0].buffer.nmanifolds, 1);
        cr_assert_eq(c[0].buffer.npoints, c[1].buffer.npoints);
        cr_expect_eq(c[0].manifold[0].touch, c[1].manifold[0].touch);
        for (int32_t i = 0; i < c[1].buffer.npoints; i++) {
            int32_t j = point_near(&c[0], c[1].point[i].point_a, 1e-12);
            cr_assert_geq(j, 0);
            CHECK_NEAR(c[0].point[j].gap, c[1].point[i].gap, 1e-14, "m");
        }
    }
    rg_geometry_destroy(box);
    rg_geometry_destroy(floor);
    rg_geometry_destroy(ground);
    free(c);
}

/* Over the border of the floor: what lies on it. */
Test(manifold_surface, border_of_a_floor)
{
    Draw d = draw_seed(3);
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 0.4), *floor = make_floor(1.0, 5);
    Contacts *c = malloc(sizeof *c);
    const Flat table[4] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int k = 0; k < 300; k++) {
        RgPose X = {turn_about(2, draw_between(&d, -PI, PI)),
                    {draw_between(&d, -1.2, 1.2), draw_between(&d, -1.2, 1.2), 0.2 + draw_between(&d, -1e-3, 1e-3)}};
        Flat foot[4];
        for (int i = 0; i < 4; i++) {
            RgVec3 x = place_point(X, vec((i == 1 || i == 2) - 0.5, (i >= 2) - 0.5, 0.0));
            foot[i] = (Flat){x.x, x.y};
        }
        double area = overlap_area(table, 4, foot, 4);
        if (area < 0.1)
            continue;
        RgPlaced a = placed(box, X), b = placed_at(floor, 0, 0, 0);
        collide(&a, &b, c);
        const RgManifold *m = only_manifold(c);
        CHECK_NEAR(vec_distance(m->normal, vec(0.0, 0.0, -1.0)), 0.0, 1e-15, "");
        CHECK_NEAR(manifold_area(c, m), area, 1e-9, "m2");
        cr_expect_leq(m->count, 8);
    }
    rg_geometry_destroy(box);
    rg_geometry_destroy(floor);
    free(c);
}

/* ------------------------------------------------------------------ edges */

/* A roof: two slopes that meet in a ridge along y at z = 0, each of several triangles. */
static RgGeometry *make_roof(double slope)
{
    Soup *s = soup_new();
    soup_grid(s, vec(-2, -2, -2 * slope), vec(2, 0, 2 * slope), vec(0, 4, 0), 3, 5);
    soup_grid(s, vec(0, -2, 0), vec(2, 0, -2 * slope), vec(0, 4, 0), 3, 5);
    RgGeometry *g = soup_geometry(s);
    free(s);
    return g;
}

/* A flat box across the ridge: straight up, at the two ends of the part of the ridge that it covers. */
Test(manifold_surface, box_across_a_ridge)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 0.4), *rod = make_shape(RG_SHAPE_capsule, 0.1, 1.0, 0);
    Contacts *c = malloc(sizeof *c);
    for (int k = 0; k < 3; k++) {
        RgGeometry *roof = make_roof((double[]){0.1, 0.5, 2.0}[k]);
        RgPlaced b = placed_at(roof, 0, 0, 0);
        for (int t = 0; t < 60; t++) {
            double y = -0.9 + 0.03 * t, gap = (t % 3 - 2) * 2e-4;
            RgPlaced a = placed_at(box, 0.1, y, 0.2 + gap);
            collide(&a, &b, c);
            const RgManifold *m = only_manifold(c);
            CHECK_NEAR(vec_distance(m->normal, vec(0.0, 0.0, -1.0)), 0.0, 1e-9, "");
            cr_assert_eq(m->count, 2, "roof %d, y %g: %d points", k, y, m->count);
            cr_expect(point_near(c, vec(0.0, y + 0.5, gap), 1e-9) >= 0 &&
                      point_near(c, vec(0.0, y - 0.5, gap), 1e-9) >= 0);
            cr_expect_eq(m->touch, RG_TOUCH_edge_face);

            RgPlaced r = placed(rod, (RgPose){turn_about(1, 0.5 * PI), {0.1, y, 0.1 + gap}}); /* across: one point */
            collide(&r, &b, c);
            cr_expect_eq(only_manifold(c)->count, 1);
            cr_expect_geq(point_near(c, vec(0.0, y, gap), 1e-9), 0);
        }
        rg_geometry_destroy(roof);
    }
    rg_geometry_destroy(box);
    rg_geometry_destroy(rod);
    free(c);
}

/* A corner of a room: the floor and both walls, a manifold each, none else. */
Test(manifold_surface, corner_of_a_room)
{
    Soup *s = soup_new();
    soup_grid(s, vec(0, 0, 0), vec(2, 0, 0), vec(0, 2, 0), 4, 4);
    soup_grid(s, vec(0, 0, 0), vec(0, 2, 0), vec(0, 0, 2), 4, 4);
    soup_grid(s, vec(0, 0, 0), vec(0, 0, 2), vec(2, 0, 0), 4, 4);
    RgGeometry *room = soup_geometry(s), *box = make_shape(RG_SHAPE_box, 1, 1, 1);
    Contacts *c = malloc(sizeof *c);
    for (int k = 0; k < 27; k++) {
        double gap[3];
        for (int i = 0; i < 3; i++)
            gap[i] = (double[]){5e-4, 0.0, -3e-3}[k / (i == 0 ? 1 : i == 1 ? 3 : 9) % 3];
        RgPlaced a = placed_at(box, 0.5 + gap[0], 0.5 + gap[1], 0.5 + gap[2]), b = placed_at(room, 0, 0, 0);
        collide(&a, &b, c);
        cr_assert_eq(c->buffer.nmanifolds, 3);
        for (int m = 0; m < 3; m++) {
            RgVec3 n = c->manifold[m].normal;
            int axis = n.x == -1.0 ? 0 : n.y == -1.0 ? 1 : 2;
            cr_expect_eq(v3_at(n, axis), -1.0);
            cr_expect_eq(c->manifold[m].count, 4);
            CHECK_NEAR(c->manifold[m].distance, gap[axis], 1e-15, "m");
        }
        for (int32_t i = 0; i < 12; i++)
            for (int32_t j = 0; j < i; j++)
                cr_expect_neq(c->point[i].id, c->point[j].id, "ids differ between the walls too");
    }
    rg_geometry_destroy(room);
    rg_geometry_destroy(box);
    free(s);
    free(c);
}

static double least_gap(const Contacts *c)
{
    double least = INFINITY;
    for (int32_t i = 0; i < c->buffer.npoints; i++)
        least = fmin(least, c->point[i].gap);
    return least;
}

/* ------------------------------------------------------------------ others */

/* A thin sheet of triangles with no agreed front: touched from above and from below. */
Test(manifold_surface, shells_are_touched_from_both_sides)
{
    Soup *s = soup_new();
    soup_grid(s, vec(-1, -1, 0), vec(2, 0, 0), vec(0, 2, 0), 4, 4);
    for (int32_t i = 0; i < s->nfaces; i += 2) { /* every other one turned over */
        int32_t b = s->faces[3 * i + 1];
        s->faces[3 * i + 1] = s->faces[3 * i + 2];
        s->faces[3 * i + 2] = b;
    }
    RgGeometry *sheet = soup_geometry(s), *box = make_shape(RG_SHAPE_box, 0.6, 0.6, 0.4);
    Contacts *c = malloc(sizeof *c);
    for (int k = 0; k < 40; k++) {
        double up = k % 2 == 0 ? 1.0 : -1.0, gap = (k % 4 - 2) * 4e-4;
        RgPlaced a = placed_at(box, -0.5 + 0.02 * k, 0.1, up * (0.2 + gap)), b = placed_at(sheet, 0, 0, 0);
        collide(&a, &b, c);
        const RgManifold *m = only_manifold(c);
        cr_expect_eq(vec_distance(m->normal, vec(0.0, 0.0, -up)), 0.0);
        cr_expect_eq(m->count, 4);
        CHECK_NEAR(m->distance, gap, 1e-15, "m");
    }
    rg_geometry_destroy(sheet);
    rg_geometry_destroy(box);
    free(s);
    free(c);
}

/* A surface on a half-space: the corners of its hull that touch. */
Test(manifold_surface, surface_on_a_half_space)
{
    Soup *s = soup_new();
    soup_box(s, vec(1, 2, 0.5), 12);
    RgGeometry *mesh = soup_geometry(s), *ground = make_shape(RG_SHAPE_halfspace, 0, 0, 0);
    Contacts *c = malloc(sizeof *c);
    RgPlaced a = placed_at(mesh, 0.3, 0.1, 0.25 - 1e-4), b = placed_at(ground, 0, 0, 0);
    collide(&a, &b, c);
    const RgManifold *m = only_manifold(c);
    cr_expect_eq(m->count, 4);
    CHECK_NEAR(manifold_area(c, m), 2.0, 1e-12, "m2");
    CHECK_NEAR(m->distance, -1e-4, 1e-15, "m");
    CHECK_NEAR(vec_distance(m->normal, vec(0.0, 0.0, -1.0)), 0.0, 1e-15, "");
    cr_expect_eq(m->touch, RG_TOUCH_face_face);
    rg_geometry_destroy(mesh);
    rg_geometry_destroy(ground);
    free(s);
    free(c);
}

/* Height of a field of n x n cells over a square of side `side`; diagonal from the first to the
   last corner. */
static double field_height(const double *h, int n, double side, double x, double y)
{
    double u = (x / side + 0.5) * n, v = (y / side + 0.5) * n;
    int i = (int)fmin(n - 1, fmax(0.0, floor(u))), j = (int)fmin(n - 1, fmax(0.0, floor(v)));
    double p = u - i, q = v - j, a = h[j * (n + 1) + i], b = h[j * (n + 1) + i + 1], e = h[(j + 1) * (n + 1) + i],
           f = h[(j + 1) * (n + 1) + i + 1];
    return p >= q ? a + p * (b - a) + q * (f - b) : a + q * (e - a) + p * (f - e);
}

/* Shapes on a rough field: points on both, normals up, no depth beyond what there is, and something where
   they overlap. */
Test(manifold_surface, rough_field)
{
    enum { N = 20 };
    Draw d = draw_seed(6);
    double heights[(N + 1) * (N + 1)];
    for (int i = 0; i < (N + 1) * (N + 1); i++)
        heights[i] = draw_between(&d, 0.0, 0.08);
    RgGeometry *field = make_field(heights, N + 1, N + 1, 4.0, 4.0), *dot = make_shape(RG_SHAPE_sphere, 0, 0, 0);
    RgGeometry *shape[3] = {make_shape(RG_SHAPE_box, 0.7, 0.5, 0.4), make_shape(RG_SHAPE_cylinder, 0.2, 0.5, 0),
                            make_shape(RG_SHAPE_sphere, 0.15, 0, 0)};
    Contacts *c = malloc(sizeof *c);
    for (int k = 0; k < 600; k++) {
        RgPose X = draw_pose(&d, 1.0);
        X.p.z = 1.0;
        RgPlaced a = placed(shape[k % 3], X), b = placed_at(field, 0, 0, 0);
        RgDistance at;
        double sunk = draw_between(&d, 0.0, 4e-3);
        at.distance = 1.0;
        for (int t = 0; t < 60 && at.distance > 1e-9; t++) { /* down to the field, then into it */
            rg_distance(&a, &b, NULL, &at);
            a.X_WG.p.z -= fmax(0.0, at.distance);
        }
        a.X_WG.p.z -= sunk;
        collide(&a, &b, c);
        cr_assert_gt(c->buffer.npoints, 0, "case %d, sunk by %g", k, sunk);
        for (int32_t i = 0; i < c->buffer.npoints; i++) {
            const RgContactPoint *p = &c->point[i];
            CHECK_NEAR(field_height(heights, N, 4.0, p->point_b.x, p->point_b.y), p->point_b.z, 1e-8, "m");
            cr_expect_lt(p->normal.z, 0.0);
            cr_expect_geq(p->gap, -sunk - 1e-6);
            RgPlaced here = placed(dot, (RgPose){mat_identity(), p->point_a});
            rg_distance(&here, &a, NULL, &at);
            CHECK_NEAR(at.distance, 0.0, 1e-8, "m");
        }
        cr_expect_leq(least_gap(c), -0.2 * sunk + 1e-6, "case %d: %g for %g", k, least_gap(c), sunk);
    }
    for (int k = 0; k < 3; k++)
        rg_geometry_destroy(shape[k]);
    rg_geometry_destroy(field);
    rg_geometry_destroy(dot);
    free(c);
}

/* Swapped arguments; too many triangles; far below: nothing. */
Test(manifold_surface, order_bounds_and_depths)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 1, 1, 0.4), *fine = make_floor(1.0, 80), *floor = make_floor(3.0, 30);
    Contacts *c = malloc(2 * sizeof *c);
    RgPlaced a = placed(box, (RgPose){turn_about(2, 0.4), {2.6, 0.2, 0.199}}), b = placed_at(floor, 0, 0, 0);
    collide(&a, &b, &c[0]);
    collide(&b, &a, &c[1]);
    cr_assert_eq(c[0].buffer.npoints, c[1].buffer.npoints);
    for (int32_t i = 0; i < c[0].buffer.npoints; i++) {
        cr_expect_eq(c[0].point[i].id, c[1].point[i].id);
        cr_expect_eq(vec_distance(c[0].point[i].point_a, c[1].point[i].point_b), 0.0);
        cr_expect_eq(vec_norm(vec_add(c[0].point[i].normal, c[1].point[i].normal)), 0.0);
    }
    for (double z = 0.1; z > -1.0; z -= 0.05) {
        a.X_WG = place_at(0.1, 0.2, z);
        collide(&a, &b, c);
        cr_expect_eq(c->buffer.npoints > 0, z > -0.2 - 1e-9, "z %g", z); /* an open floor has no inside */
    }
    b = placed_at(fine, 0, 0, 0); /* 12800 triangles, 3200 under the box */
    a.X_WG = place_at(0, 0, 0.2);
    collide(&a, &b, c);
    cr_expect(!c->buffer.overflow && !c->buffer.reduced && c->buffer.npoints == 4);
    RgGeometry *wide = make_shape(RG_SHAPE_box, 2, 2, 0.4);
    a.geometry = wide;
    collide(&a, &b, c);
    cr_expect(c->buffer.reduced && !c->buffer.overflow);
    rg_geometry_destroy(box);
    rg_geometry_destroy(wide);
    rg_geometry_destroy(fine);
    rg_geometry_destroy(floor);
    free(c);
}
