/*
 * test_pair_fast.c - what must not be missed: bullets through sheets, plates through gates, arms past posts; corners,
 * parts, surfaces; bad input.
 */
#include "path_fixture.h"

#define GAP 1e-7
#define LEVEL (0.5 * GAP)

static const RgPathRule rule = {GAP, LEVEL};

static RgPathProof prove(const RgPathShape *a, const RgPathShape *b, double h)
{
    RgPathProof proof;
    cr_assert_eq(rg_pair_path_prove(a, b, h, &rule, NULL, &proof), RG_OK);
    return proof;
}

/* At constant velocities. */
static RgBodyPath steady(RgPose X, RgVec3 v, RgVec3 w, double h)
{
    RgBodyEnd begin = end_at(X, v3_zero(), v, w), end = begin;
    end.centre = v3_axpy(h, v, begin.centre);
    end.X_WB = (RgPose){m3_mul(q_matrix(q_exp(v3_scale(h, w))), X.R), end.centre};
    RgBodyPath path;
    cr_assert(rg_body_path_between(&begin, &end, h, &path));
    return path;
}

/* A bullet flies at a sheet of 1 mm, its front half a length before its middle: the time is known, whatever the
   step. */
static void check_bullet(const RgGeometry *sheet, const RgGeometry *bullet, double half, double speed, double h)
{
    RgMat3 R = q_matrix(q_exp(v3(0.0, 1.5707963267948966, 0.0)));
    RgBodyPath path = steady((RgPose){R, v3(-0.3, 0.02, 0.03)}, v3(speed, 0.0, 0.0), v3_zero(), h);
    RgPathShape a = {sheet, pose_identity(), NULL}, b = {bullet, pose_identity(), &path};
    double hit = (0.3 - half - 0.0005 - LEVEL) / speed;
    RgPathProof proof = prove(&a, &b, h);
    if (hit > h) {
        cr_expect_eq(proof.time, h);
        return;
    }
    cr_expect_leq(proof.time, hit * (1.0 + 1e-12));
    CHECK_NEAR(speed * proof.time, speed * hit, 0.25 * LEVEL, "m");
}

Test(pair_fast, bullets)
{
    RgGeometry *sheet = make_shape(RG_SHAPE_box, 0.001, 2.0, 2.0);
    RgGeometry *bullets[3] = {make_shape(RG_SHAPE_sphere, 0.005, 0.0, 0.0),
                              make_shape(RG_SHAPE_capsule, 0.004, 0.01, 0.0),
                              make_shape(RG_SHAPE_box, 0.01, 0.01, 0.01)};
    static const double half[3] = {0.005, 0.009, 0.005}, speeds[4] = {10.0, 100.0, 1e3, 1e4};
    static const double steps[4] = {1e-4, 1e-3, 0.01, 0.1};
    for (int k = 0; k < 3 * 16; k++)
        check_bullet(sheet, bullets[k / 16], half[k / 16], speeds[k / 4 % 4], steps[k % 4]);
    for (int k = 0; k < 3; k++)
        rg_geometry_destroy(bullets[k]);
    rg_geometry_destroy(sheet);
}

/* A plate that spins through a gate: misses it or hits it as distances at many times say. */
Test(pair_fast, plates_and_posts)
{
    RgGeometry *plate = make_shape(RG_SHAPE_box, 0.8, 0.6, 0.004);
    RgGeometry *post = make_shape(RG_SHAPE_box, 0.02, 0.02, 2.0);
    int hits = 0, passes = 0;
    for (int n = 0; n < 200; n++) {
        Draw d = draw_seed((uint64_t)(500 + n));
        double h = 0.02, side = draw_between(&d, -0.6, 0.6);
        RgPose X = draw_pose(&d, 0.0);
        X.p = v3(-1.0, side, draw_between(&d, -0.3, 0.3));
        double spin = draw_between(&d, 0.5, 2.0) / h, speed = draw_between(&d, 0.5, 2.0) / h;
        RgVec3 w = v3_scale(spin, draw_direction(&d));
        RgBodyPath path = path_draw(&d, X, v3(speed, 0.0, 0.0), w, h, 0.1);
        RgPathShape a = {post, pose_identity(), NULL}, b = {plate, pose_identity(), &path};
        RgPathProof proof = prove(&a, &b, h);
        double least = least_by_asking(&a, &b, proof.time, 2000);
        cr_expect_geq(least, proof.least - 1e-12, "%d: least %g, proven %g", n, least, proof.least);
        if (proof.time < h) {
            hits++;
            cr_expect_leq(distance_at(&a, &b, proof.time), 1.5 * LEVEL, "%d: %g s, %g m, %d planes", n, proof.time,
                          distance_at(&a, &b, proof.time), proof.pieces);
        } else {
            passes++;
        }
    }
    cr_expect(hits > 30 && passes > 30, "%d hits, %d passes", hits, passes);
    rg_geometry_destroy(plate);
    rg_geometry_destroy(post);
}

/* Corner just past corner, edge along edge: never later than the truth, and never stuck long before it. */
Test(pair_fast, corners_that_graze)
{
    RgGeometry *cube = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    for (int n = 0; n < 200; n++) {
        Draw d = draw_seed((uint64_t)(900 + n));
        double h = 0.01, miss = draw_between(&d, -2e-6, 2e-6);
        RgVec3 w = n % 2 == 0 ? v3_zero() : draw_vec(&d, 5.0);
        RgBodyPath path =
            steady(pose_at(v3(-1.05, n % 3 == 0 ? 0.3 : 1.0 + miss, 1.0 + miss)), v3(20.0, 0.0, 0.0), w, h);
        RgPathShape a = {cube, pose_identity(), NULL}, b = {cube, pose_identity(), &path};
        RgPathProof proof = prove(&a, &b, h);
        double least = least_by_asking(&a, &b, proof.time, 2000);
        cr_expect_geq(least, proof.least - 1e-12, "%d: least %g, proven %g", n, least, proof.least);
        double at = distance_at(&a, &b, proof.time);
        if (proof.time < h)
            cr_expect_leq(at, 1.5 * LEVEL, "%d: stopped at %g s, %g m apart, %d planes", n, proof.time, at,
                          proof.pieces);
    }
    rg_geometry_destroy(cube);
}

/* A cube falls through a ring of four bars, or is caught by it: parts one by one. */
static RgGeometry *ring(RgMeshUse use)
{
    /* Four bars as four closed boxes of triangles. */
    static const double bars[4][6] = {{-1.0, -1.0, -0.1, 1.0, -0.6, 0.1},
                                      {-1.0, 0.6, -0.1, 1.0, 1.0, 0.1},
                                      {-1.0, -0.6, -0.1, -0.6, 0.6, 0.1},
                                      {0.6, -0.6, -0.1, 1.0, 0.6, 0.1}};
    static const int32_t box_faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                          2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    double vertices[4 * 8 * 3];
    int32_t faces[4 * 36];
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 8; i++)
            for (int c = 0; c < 3; c++)
                vertices[3 * (8 * k + i) + c] = bars[k][c + (i >> c & 1 ? 3 : 0)];
        for (int i = 0; i < 36; i++)
            faces[36 * k + i] = 8 * k + box_faces[i];
    }
    RgShapeDef def = rg_shape_def_default();
    def.type = RG_SHAPE_mesh;
    def.mesh.vertices = vertices;
    def.mesh.nvertices = 32;
    def.mesh.faces = faces;
    def.mesh.nfaces = 48;
    static const int32_t part_start[5] = {0, 12, 24, 36, 48};
    def.mesh.part_start = part_start;
    def.mesh.nparts = 4;
    def.mesh_use = use;
    return make_geometry(&def);
}

Test(pair_fast, parts_and_triangles)
{
    RgGeometry *rings[2] = {ring(RG_MESH_PARTS), ring(RG_MESH_SURFACE)};
    RgGeometry *cube = make_shape(RG_SHAPE_box, 0.5, 0.5, 0.5);
    int caught = 0, through = 0;
    for (int n = 0; n < 60; n++) {
        Draw d = draw_seed((uint64_t)(1700 + n));
        double h = 0.05;
        RgPose X = draw_pose(&d, 0.0);
        X.p = v3_add(draw_vec(&d, 0.4), v3(0.0, 0.0, 1.2));
        RgBodyPath path = path_draw(&d, X, v3(0.0, 0.0, -40.0), draw_vec(&d, 10.0), h, 0.1);
        RgBodyPath path_ring = steady(pose_identity(), v3(0.0, 0.0, 3.0), v3(1.0, 2.0, 0.0), h);
        RgPathShape b = {cube, pose_identity(), &path};
        RgPathProof proofs[2];
        for (int k = 0; k < 2; k++) {
            RgPathShape a = {rings[k], pose_identity(), n % 2 == 0 ? NULL : &path_ring};
            proofs[k] = prove(&a, &b, h);
            double least = least_by_asking(&a, &b, proofs[k].time, 300);
            cr_expect_geq(least, proofs[k].least - 1e-12, "%d, %d: %g, proven %g", n, k, least, proofs[k].least);
            if (proofs[k].time < h)
                cr_expect_leq(distance_at(&a, &b, proofs[k].time), 1.5 * LEVEL);
        }
        CHECK_NEAR(proofs[0].time, proofs[1].time, 1e-8, "s");
        caught += proofs[0].time < h;
        through += proofs[0].time >= h;
    }
    cr_expect(caught > 10 && through > 10, "%d caught, %d through", caught, through);
    for (int k = 0; k < 2; k++)
        rg_geometry_destroy(rings[k]);
    rg_geometry_destroy(cube);
}

/* Half-spaces: a surface and parts that fall on one, and one that turns towards a ball. */
Test(pair_fast, half_spaces)
{
    RgGeometry *plane = make_shape(RG_SHAPE_halfspace, 0.0, 0.0, 0.0),
               *ball = make_shape(RG_SHAPE_sphere, 0.2, 0.0, 0.0);
    RgPathShape still = {plane, pose_identity(), NULL};
    for (int k = 0; k < 2; k++) {
        RgGeometry *falls = ring(k == 0 ? RG_MESH_PARTS : RG_MESH_SURFACE);
        RgBodyPath path = steady(pose_at(v3(0.0, 0.0, 0.3)), v3(1.0, 0.0, -20.0), v3_zero(), 0.05);
        RgPathShape b = {falls, pose_identity(), &path};
        double hit = (0.2 - LEVEL) / 20.0;
        RgPathProof proof = prove(&still, &b, 0.05);
        cr_expect_leq(proof.time, hit * (1.0 + 1e-12));
        CHECK_NEAR(20.0 * proof.time, 20.0 * hit, 0.5 * LEVEL, "m");
        rg_geometry_destroy(falls);
    }
    RgBodyPath turns = steady(pose_identity(), v3_zero(), v3(0.0, 10.0, 0.0), 0.1);
    RgPathShape a = {plane, pose_identity(), &turns}, b = {ball, pose_at(v3(-1.0, 0.3, 0.5)), NULL};
    RgPathProof proof = prove(&a, &b, 0.1);
    double at = distance_at(&a, &b, proof.time);
    cr_expect(proof.time < 0.1 && at >= LEVEL - 1e-13 && at <= 1.5 * LEVEL, "%g m at %g s", at, proof.time);
    rg_geometry_destroy(plane);
    rg_geometry_destroy(ball);
}

/* A box that slides over a floor of many triangles at half the gap. */
Test(pair_fast, slides_over_triangles)
{
    double heights[21 * 21];
    for (int i = 0; i < 21 * 21; i++)
        heights[i] = 0.25;
    RgShapeDef def = rg_shape_def_default();
    def.type = RG_SHAPE_heightfield;
    def.size[0] = def.size[1] = 2.0;
    def.size[2] = 1.0;
    def.heights = heights;
    def.rows = def.columns = 21;
    RgGeometry *floor = make_geometry(&def), *box = make_shape(RG_SHAPE_box, 0.3, 0.2, 0.1);
    RgPathShape a = {floor, pose_identity(), NULL};
    for (int n = 0; n < 20; n++) {
        Draw d = draw_seed((uint64_t)(2000 + n));
        RgPose X = pose_at(draw_vec(&d, 0.5));
        X.R = q_matrix(q_exp(v3(0.0, 0.0, draw_between(&d, -3.0, 3.0))));
        X.p.z = 0.25 + 0.05 + LEVEL;
        RgBodyPath path = steady(X, v3(1.0, -0.5, 0.0), v3(0.0, 0.0, 3.0), 5e-3);
        RgPathShape b = {box, pose_identity(), &path};
        RgPathProof proof = prove(&a, &b, 5e-3);
        cr_expect_eq(proof.time, 5e-3, "%d: %g s", n, proof.time);
        cr_expect_geq(proof.least, 0.49 * LEVEL);
        X.p.z = 0.1;
        path = steady(X, v3_zero(), v3_zero(), 5e-3);
        cr_expect_eq(prove(&a, &b, 5e-3).time, 0.0, "under the floor");
    }
    rg_geometry_destroy(floor);
    rg_geometry_destroy(box);
}

Test(pair_fast, bad_input)
{
    RgGeometry *plane = make_shape(RG_SHAPE_halfspace, 0.0, 0.0, 0.0);
    RgGeometry *cube = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    RgPathShape a = {plane, pose_identity(), NULL}, b = {cube, pose_at(v3(0.0, 0.0, 0.4)), NULL};
    RgPathProof proof;
    cr_expect_eq(rg_pair_path_prove(&a, &a, 0.1, &rule, NULL, &proof), RG_ERR_UNSUPPORTED);
    cr_expect_eq(rg_pair_path_prove(&a, &b, 0.0, &rule, NULL, &proof), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_pair_path_prove(&a, &b, (double)NAN, &rule, NULL, &proof), RG_ERR_ARGUMENT);
    RgPathRule none = {0.0, 0.0};
    cr_expect_eq(rg_pair_path_prove(&a, &b, 0.1, &none, NULL, &proof), RG_ERR_ARGUMENT);

    /* They overlap from the start. */
    cr_expect_eq(rg_pair_path_prove(&a, &b, 0.1, &rule, NULL, &proof), RG_OK);
    cr_expect_eq(proof.time, 0.0);
    CHECK_NEAR(proof.start, -0.1, 1e-12, "m");
    CHECK_NEAR(proof.least, -0.1, 1e-12, "m");

    /* Coincident, and nothing moves. */
    b.X_BS.p.z = 0.5;
    cr_expect_eq(rg_pair_path_prove(&a, &b, 0.1, &rule, NULL, &proof), RG_OK);
    cr_expect_eq(proof.time, 0.0);
    b.X_BS.p.z = 0.5 + 1e-9;
    cr_expect_eq(rg_pair_path_prove(&a, &b, 0.1, &rule, NULL, &proof), RG_OK);
    cr_expect_eq(proof.time, 0.1);
    cr_expect(!rg_path_supports(NULL) && rg_path_supports(cube));
    b.X_BS.p.z = (double)NAN;
    cr_expect_neq(rg_pair_path_prove(&a, &b, 0.1, &rule, NULL, &proof), RG_OK);
    rg_geometry_destroy(plane);
    rg_geometry_destroy(cube);
}
