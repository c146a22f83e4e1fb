/*
 * test_surface_distance.c - signed distances from surfaces: inside or outside wherever the nearest feature
 * is, depths that no inner edge makes shorter, bounded work.
 */
#include "collision/surface_distance.h"

#include "stl_file.h"
#include "surface_fixture.h"

static RgDistance ask(const RgGeometry *shape, RgPose X, const RgGeometry *surface)
{
    RgPlaced a = placed(shape, X), b = placed_at(surface, 0, 0, 0);
    RgDistance d, swapped;
    RgStatus status = rg_distance(&a, &b, NULL, &d);
    cr_assert(status == RG_OK, "status %d", status);
    cr_assert_eq(rg_distance(&b, &a, NULL, &swapped), status);
    cr_assert(d.distance == swapped.distance && d.error == swapped.error &&
                  vec_norm(vec_add(d.normal, swapped.normal)) == 0.0,
              "the same either way round");
    RgVec3 off = vec_sub(vec_sub(d.point_b, d.point_a), vec_scale(d.distance, d.normal));
    CHECK_NEAR(vec_norm(off), 0.0, 1e-13 * (1.0 + fabs(d.distance)), "m");
    return d;
}

/* ------------------------------------------------------------------ inside or outside */

/* A prism between z = 0 and 1 over squares of a 3 x 3 board, those marked x. */
static RgGeometry *make_board(const char *cells)
{
    Soup *s = soup_new();
    for (int k = 0; k < 9; k++) {
        double x = k % 3, y = k / 3;
        if (cells[k] != 'x')
            continue;
        soup_grid(s, vec(x, y, 1), vec(1, 0, 0), vec(0, 1, 0), 1, 1);
        soup_grid(s, vec(x, y, 0), vec(0, 1, 0), vec(1, 0, 0), 1, 1);
        if (k % 3 == 2 || cells[k + 1] != 'x')
            soup_grid(s, vec(x + 1, y, 0), vec(0, 1, 0), vec(0, 0, 1), 1, 1);
        if (k % 3 == 0 || cells[k - 1] != 'x')
            soup_grid(s, vec(x, y, 0), vec(0, 0, 1), vec(0, 1, 0), 1, 1);
        if (k / 3 == 2 || cells[k + 3] != 'x')
            soup_grid(s, vec(x, y + 1, 0), vec(0, 0, 1), vec(1, 0, 0), 1, 1);
        if (k / 3 == 0 || cells[k - 3] != 'x')
            soup_grid(s, vec(x, y, 0), vec(1, 0, 0), vec(0, 0, 1), 1, 1);
    }
    RgGeometry *g = soup_geometry(s);
    cr_assert(rg_geometry_info(g).mesh.closed);
    free(s);
    return g;
}

/* Points about L, U and O shapes: reflex edges and corners are the nearest features of many inner ones. */
Test(surface_distance, sign_at_reflex_edges)
{
    static const char *const boards[3] = {"xxxx..x..", "xxxx.xx.x", "xxxx.xxxx"};
    Draw d = draw_seed(1);
    RgGeometry *dot = make_shape(RG_SHAPE_sphere, 0, 0, 0), *ball = make_shape(RG_SHAPE_sphere, 0.04, 0, 0);
    for (int b = 0; b < 3; b++) {
        RgGeometry *board = make_board(boards[b]);
        int edges = 0;
        for (int k = 0; k < 4000; k++) {
            RgVec3 x = vec(draw_between(&d, -0.3, 3.3), draw_between(&d, -0.3, 3.3), draw_between(&d, -0.3, 1.3));
            if (k % 4 == 0)
                x.y = x.x; /* on the diagonals the edges are nearest */
            RgPose X = {mat_identity(), x};
            bool over = x.x > 0 && x.x < 3 && x.y > 0 && x.y < 3 && x.z > 0 && x.z < 1;
            bool inside = over && boards[b][3 * (int)x.y + (int)x.x] == 'x';
            RgDistance at = ask(dot, X, board);
            cr_assert_eq(at.distance < 0.0, inside, "board %d at %g %g %g: %g", b, x.x, x.y, x.z, at.distance);
            edges += inside && at.feature_b.kind != RG_FEATURE_FACE;
            double round = ask(ball, X, board).distance;
            cr_assert(inside ? round < 0.0 : round < at.distance, "the ball: %g", round);
        }
        cr_expect_gt(edges, 30, "board %d: %d", b, edges);
        rg_geometry_destroy(board);
    }
    rg_geometry_destroy(dot);
    rg_geometry_destroy(ball);
}

/* A rough height field, its valleys seen from below too. */
Test(surface_distance, sign_under_a_height_field)
{
    enum { N = 8 };
    Draw d = draw_seed(2);
    double heights[(N + 1) * (N + 1)];
    for (int i = 0; i < (N + 1) * (N + 1); i++)
        heights[i] = draw_between(&d, 0.0, 0.5);
    RgGeometry *field = make_field(heights, N + 1, N + 1, 4.0, 4.0);
    RgGeometry *dot = make_shape(RG_SHAPE_sphere, 0, 0, 0), *box = make_shape(RG_SHAPE_box, 0.1, 0.2, 0.1);
    int edges = 0;
    for (int k = 0; k < 6000; k++) {
        RgPose X = draw_pose(&d, 1.9);
        X.p.z = draw_between(&d, -1.0, 1.0);
        bool below = rg_surface_inside(field->surface, X.p); /* against a ray: test_surface_inside.c */
        RgDistance at = ask(dot, X, field);
        cr_assert_eq(at.distance < 0.0, below);
        edges += below && at.feature_b.kind != RG_FEATURE_FACE;
        at = ask(box, X, field);
        cr_assert(below ? at.distance < 0.0 : at.distance < 0.3 || X.p.z > 0.3, "%g", at.distance);
    }
    cr_expect_gt(edges, 100, "%d", edges);

    /* Beside the field, and under its bottom: outside. */
    cr_expect_gt(ask(dot, place_at(2.1, 0.0, -1.0), field).distance, 0.0);
    cr_expect_gt(ask(dot, place_at(0.0, 0.0, -5.0), field).distance, 0.0);
    cr_expect_lt(ask(dot, place_at(0.0, 0.0, -3.0), field).distance, -3.0);
    rg_geometry_destroy(field);
    rg_geometry_destroy(dot);
    rg_geometry_destroy(box);
}

/* Collision meshes of a robot: closed shells that overlap. Inside by solid angles. */
Test(surface_distance, sign_in_shells_that_overlap)
{
#ifndef RIGOR_SHARED_MODELS
    cr_skip_test("no models beside the project");
#else
    static const char *const names[] = {"base", "shoulder", "upperarm", "wrist1", "wrist2", "wrist3"};
    Draw d = draw_seed(3);
    RgGeometry *dot = make_shape(RG_SHAPE_sphere, 1e-4, 0, 0);
    for (int m = 0; m < 6; m++) {
        Soup *s = stl_read(names[m]);
        if (s == NULL)
            cr_skip_test("no meshes beside the project");
        RgGeometry *mesh = soup_geometry(s);
        RgGeometryInfo info = rg_geometry_info(mesh);
        int inside = 0;
        for (int k = 0; k < 600; k++) {
            RgVec3 x = vec(draw_between(&d, info.low.x, info.high.x), draw_between(&d, info.low.y, info.high.y),
                           draw_between(&d, info.low.z, info.high.z));
            bool in = soup_winding(s, x) > 0.5;
            RgDistance at = ask(dot, (RgPose){mat_identity(), x}, mesh);
            if (fabs(at.distance) < 3e-4) /* the ball may cut the surface */
                continue;
            cr_assert_eq(at.distance < 0.0, in, "%s at %g %g %g: %g", names[m], x.x, x.y, x.z, at.distance);
            inside += in;
        }
        cr_expect_gt(inside, 100, "%s: %d", names[m], inside);
        rg_geometry_destroy(mesh);
        free(s);
    }
    rg_geometry_destroy(dot);
#endif
}

/* Open surfaces have no inside: behind them is as far as before them. Overlapping, the front is the way out.
   */
Test(surface_distance, open_surfaces_have_no_inside)
{
    RgGeometry *floor = make_floor(1.0, 3), *ball = make_shape(RG_SHAPE_sphere, 0.1, 0, 0);
    for (int k = 0; k <= 40; k++) {
        double z = 0.05 * k - 1.0 + 0.003;
        double expected = z < -0.1 ? -z - 0.1 : z - 0.1;
        CHECK_NEAR(ask(ball, place_at(0.1, 0.2, z), floor).distance, expected, 1e-14, "m");
    }
    rg_geometry_destroy(floor);
    rg_geometry_destroy(ball);
}

/* ------------------------------------------------------------------ depths */

/* Balls, boxes and rods anywhere over a flat floor, any way sunk in: as deep as in the plane, along its
   normal, and that is said to be proven. */
Test(surface_distance, inner_edges_are_no_way_out)
{
    static double zeros[13 * 13];
    Draw d = draw_seed(4);
    RgGeometry *shape[4] = {make_shape(RG_SHAPE_sphere, 0.5, 0, 0), make_shape(RG_SHAPE_box, 0.5, 0.4, 0.3),
                            make_shape(RG_SHAPE_capsule, 0.1, 0.5, 0), make_shape(RG_SHAPE_cylinder, 0.3, 0.4, 0)};
    RgGeometry *plane = make_shape(RG_SHAPE_halfspace, 0, 0, 0);
    for (int kind = 0; kind < 3; kind++) {
        RgGeometry *floor = kind == 0   ? make_field(zeros, 2, 2, 8.0, 8.0)
                            : kind == 1 ? make_field(zeros, 13, 13, 8.0, 8.0)
                                        : make_floor(4.0, 9);
        for (int k = 0; k < 400; k++) {
            RgPose X = draw_pose(&d, 1.5);
            if (k % 3 == 0)
                X.p.y = X.p.x + draw_between(&d, -0.05, 0.05); /* along the diagonal */
            RgPlaced a = placed(shape[k % 4], X), b = placed_at(plane, 0, 0, 0);
            RgDistance truth;
            rg_distance(&a, &b, NULL, &truth);
            a.X_WG.p.z -= truth.distance + draw_between(&d, 1e-6, 0.19); /* in, never through */
            rg_distance(&a, &b, NULL, &truth);
            RgDistance at = ask(a.geometry, a.X_WG, floor);
            CHECK_NEAR(at.distance, truth.distance, 1e-13, "m");
            CHECK_NEAR(vec_distance(at.normal, vec(0, 0, -1)), 0.0, 1e-14, "");
            cr_expect(fabs(at.distance - truth.distance) <= at.error && at.error <= 1e-12, "error %g", at.error);
        }
        rg_geometry_destroy(floor);
    }
    for (int k = 0; k < 4; k++)
        rg_geometry_destroy(shape[k]);
    rg_geometry_destroy(plane);
}

/* The examples that were wrong: near the diagonal of a field of one cell, in by a fifth, by a half, by more.
   */
Test(surface_distance, ball_near_a_diagonal)
{
    static const double flat[4] = {0.0, 0.0, 0.0, 0.0};
    RgGeometry *field = make_field(flat, 2, 2, 2.0, 2.0), *ball = make_shape(RG_SHAPE_sphere, 0.5, 0, 0);
    for (int k = 0; k < 6; k++) {
        double z = (double[]){0.4, 0.1, 0.001, -0.001, -0.3, -0.7}[k];
        RgDistance at = ask(ball, place_at(0.05, 0.0, z), field);
        CHECK_NEAR(at.distance, z - 0.5, 1e-14, "m");
        CHECK_NEAR(at.normal.z, -1.0, 1e-14, "");
    }
    rg_geometry_destroy(field);
    rg_geometry_destroy(ball);
}

/* A cube of fine triangles is the cube: the depth of a convex solid, also far beyond a row of triangles. */
Test(surface_distance, fine_cube_is_the_cube)
{
    Draw d = draw_seed(5);
    Soup *s = soup_new();
    soup_box(s, vec(1, 1, 1), 10);
    RgGeometry *mesh = soup_geometry(s), *cube = make_shape(RG_SHAPE_box, 1, 1, 1);
    RgGeometry *shape[4] = {make_shape(RG_SHAPE_box, 0.7, 0.5, 0.4), make_shape(RG_SHAPE_sphere, 0.3, 0, 0),
                            make_shape(RG_SHAPE_capsule, 0.2, 0.5, 0), make_prism(5, 0.3, 0.4)};
    int same = 0, all = 0;
    for (int k = 0; k < 600; k++) {
        RgPlaced a = placed(shape[k % 4], draw_pose(&d, 0.8)), b = placed_at(cube, 0, 0, 0);
        RgDistance truth;
        rg_distance(&a, &b, NULL, &truth);
        double gap = draw_between(&d, -0.12, 0.05);
        a.X_WG.p = vec_add(a.X_WG.p, vec_scale(truth.distance - gap, truth.normal));
        rg_distance(&a, &b, NULL, &truth);
        RgDistance at = ask(a.geometry, a.X_WG, mesh);
        if (truth.distance > 0.0)
            CHECK_NEAR(at.distance, truth.distance, 1e-12, "m");
        cr_assert(at.distance <= truth.distance + 1e-9, "%g is no way out: %g", at.distance, truth.distance);
        same += fabs(at.distance - truth.distance) < 1e-9;
        all++;
    }
    cr_expect_geq(same, all * 95 / 100, "%d of %d", same, all);
    for (int k = 0; k < 4; k++)
        rg_geometry_destroy(shape[k]);
    rg_geometry_destroy(mesh);
    rg_geometry_destroy(cube);
    free(s);
}

/* Two parts, one above the field, one deep under it, far from all triangles: the deep one answers. */
Test(surface_distance, every_part_is_asked)
{
    static const double flat[4] = {0.0, 0.0, 0.0, 0.0};
    RgGeometry *field = make_field(flat, 2, 2, 4.0, 4.0);
    for (int order = 0; order < 2; order++) {
        Soup *s = soup_new();
        for (int part = 0; part < 2; part++) {
            int32_t first = s->nvertices;
            soup_box(s, vec(0.2, 0.2, 0.2), 1);
            for (int32_t i = first; i < s->nvertices; i++)
                s->xyz[3 * i + 2] += part == order ? -1.0 : 0.5;
        }
        RgShapeDef def = soup_def(s, RG_MESH_PARTS);
        int32_t start[3] = {0, s->nfaces / 2, s->nfaces};
        def.mesh.part_start = start;
        def.mesh.nparts = 2;
        RgGeometry *pair = make_geometry(&def);
        RgDistance at = ask(pair, place_at(0.1, 0.2, 0.0), field);
        CHECK_NEAR(at.distance, -1.1, 1e-14, "m");
        cr_expect_eq(at.part_a, order);
        rg_geometry_destroy(pair);
        free(s);
    }
    rg_geometry_destroy(field);
}

/* ------------------------------------------------------------------ bounds */

/* A needle of a triangle with its corner at the centre of a ball; a huge cylinder in a small field: finite
   answers, the same either way round, after a bounded number of steps. */
Test(surface_distance, extreme_sizes)
{
    static const double needle[9] = {1.9226074218750009e-06,
                                     -230468.75,
                                     -12.20703125,
                                     5.7678222656250017e-06,
                                     87890.624999999942,
                                     0.0,
                                     0.0,
                                     0.0,
                                     0.0};
    static const int32_t faces[6] = {0, 2, 1, 0, 1, 2};
    RgShapeDef def = shape_sized(RG_SHAPE_mesh, 1.0, 1.0, 1.0);
    def.mesh = (RgMeshData){.vertices = needle, .faces = faces, .nvertices = 3, .nfaces = 2};
    def.mesh_use = RG_MESH_SURFACE;
    double heights[9] = {0.0, 0.2, 0.1, 0.3, 0.0, 0.2, 0.1, 0.4, 0.2};
    RgGeometry *surface[2] = {make_geometry(&def), make_field(heights, 3, 3, 2.0, 2.0)};
    RgGeometry *shape[2] = {make_shape(RG_SHAPE_sphere, 4.8046875, 0, 0), make_shape(RG_SHAPE_cylinder, 9e5, 8e8, 0)};
    for (int k = 0; k < 4; k++) {
        RgPlaced a = placed_at(shape[k / 2], 0, 0, 0), b = placed_at(surface[k % 2], 0, 0, 0);
        RgDistance d, e;
        RgStatus status = rg_distance(&a, &b, NULL, &d);
        cr_expect(status == RG_OK || status == RG_ERR_NOT_CONVERGED);
        cr_expect(isfinite(d.distance) && isfinite(d.error) && v3_finite(d.point_a) && v3_finite(d.point_b) &&
                      fabs(vec_norm(d.normal) - 1.0) < 1e-9,
                  "case %d: %g, error %g", k, d.distance, d.error);
        cr_expect(d.distance < 0.0 && d.iterations < 12000, "case %d: %g, %d steps", k, d.distance, d.iterations);
        rg_distance(&b, &a, NULL, &e);
        cr_expect(d.distance == e.distance && vec_distance(d.point_a, e.point_b) == 0.0);
    }
    for (int k = 0; k < 2; k++) {
        rg_geometry_destroy(surface[k]);
        rg_geometry_destroy(shape[k]);
    }
}
