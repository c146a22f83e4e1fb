/*
 * test_hull_proof.c - the proof finds what is wrong with a hull: points outside (against all planes one by
 * one), faces with dents, hulls without thickness.
 */
#include "check_near.h"
#include "geom/hull_steps.h"
#include "point_sets.h"

#define TOLERANCE 1e-12
#define THICKNESS 1e-11

static RgHullMarks prove(RgArena *arena, const RgPolytope *p, const RgVec3 *x, int32_t count)
{
    RgHullMarks marks;
    RgHullPoints points = {x, count, TOLERANCE, THICKNESS};
    cr_assert_eq(rg_hull_prove(arena, p, &points, &marks), RG_OK);
    return marks;
}

/* The hull of some of the points: exactly those that are above some face are marked. */
Test(hull_proof, points_outside_are_the_ones_above_some_face)
{
    static PointSet s;
    Draw d = draw_seed(1);
    for (int round = 0; round < 60; round++) {
        s.count = 0;
        if (round % 3 == 0)
            points_on_cube(&s, &d, 400, round % 2 ? 0.0 : 1e-11);
        else if (round % 3 == 1)
            points_on_sphere(&s, &d, 400);
        else
            points_in_ball(&s, &d, 5 + 20 * round);
        points_shuffle(&s, &d);
        points_move(&s, draw_pose(&d, 1.0), v3(1.0, 1.0, round % 4 ? 1.0 : 1e-3));
        RgArena arena;
        rg_arena_init(&arena, NULL);
        RgPolytope p;
        RgMeshReport report;
        int32_t some = round % 5 == 0 ? s.count : 5 + draw_below(&d, s.count - 5);
        cr_assert_eq(rg_convex_hull(&arena, s.x, some, &p, &report, NULL), RG_OK);
        RgHullMarks marks = prove(&arena, &p, s.x, s.count);
        int outer = 0, wrong = 0;
        for (int32_t i = 0; i < s.count; i++) {
            bool above = false;
            for (int32_t f = 0; f < p.nf; f++)
                above |= v3_dot(p.normal[f], s.x[i]) > p.offset[f] + TOLERANCE;
            outer += above;
            wrong += marks.point[i] != above;
        }
        cr_expect_eq(wrong, 0, "round %d: %d of %d points", round, wrong, s.count);
        cr_expect_eq(marks.fault, outer > 0 ? RG_HULL_TOO_SMALL : RG_HULL_GOOD, "round %d", round);
        cr_expect(round % 5 != 0 || outer == 0);
        rg_arena_free(&arena);
    }
}

/* A box whose lid has a fifth corner, which is pushed in or out. */
static RgHullFault judge_lid(double push, double lift)
{
    const RgVec3 x[9] = {
        {0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {0.5, -push, 1 + lift}};
    static const int32_t face_start[7] = {0, 4, 9, 14, 18, 22, 26};
    static const int32_t corner[26] = {0, 3, 2, 1, 4, 8, 5, 6, 7, 0, 1, 5, 8, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7};
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgPolytope p = {.nv = 9, .nf = 6, .vertex = x, .face_start = face_start, .face_vertex = corner};
    cr_assert_eq(rg_polytope_link(&arena, &p), RG_OK);
    RgHullMarks marks = prove(&arena, &p, x, 9);
    if (marks.fault == RG_HULL_CONCAVE_FACE)
        for (int v = 0; v < 9; v++)
            cr_expect_eq(marks.vertex[v], v == 8, "vertex %d", v);
    rg_arena_free(&arena);
    return marks.fault;
}

Test(hull_proof, dents_and_bends)
{
    cr_expect_eq(judge_lid(0.0, 0.0), RG_HULL_GOOD);
    cr_expect_eq(judge_lid(1e-13, 0.0), RG_HULL_GOOD, "within the tolerance");
    cr_expect_eq(judge_lid(-1e-3, 0.0), RG_HULL_CONCAVE_FACE, "the lid turns right");
    cr_expect_eq(judge_lid(-1e-11, 0.0), RG_HULL_CONCAVE_FACE);
    cr_expect_eq(judge_lid(1e-3, 0.0), RG_HULL_NOT_CONVEX, "the front is not in a plane");
    cr_expect_eq(judge_lid(0.0, 1e-3), RG_HULL_NOT_CONVEX, "the lid is not in a plane");
}

Test(hull_proof, hulls_without_thickness)
{
    RgVec3 x[8];
    for (int k = 0; k < 2; k++) {
        double z = k ? 1e-10 : 1e-12, offset[6] = {1.0, 1.0, 1.0, 1.0, z, z};
        for (int i = 0; i < 8; i++)
            x[i] = v3(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? z : -z);
        RgPolytope p = rg_polytope_box(x, offset);
        RgArena arena;
        rg_arena_init(&arena, NULL);
        cr_expect_eq(prove(&arena, &p, x, 8).fault, k ? RG_HULL_GOOD : RG_HULL_FLAT);
        rg_arena_free(&arena);
    }
}

/* Two boxes taken for one hull: Euler's number is 4. */
Test(hull_proof, two_pieces_are_torn)
{
    RgVec3 x[16];
    int32_t face_start[13], corner[48];
    double offset[6] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    for (int i = 0; i < 16; i++)
        x[i] = v3((i & 1 ? 1.0 : -1.0) + (i & 8), i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0);
    RgPolytope box = rg_polytope_box(x, offset);
    for (int k = 0; k < 48; k++)
        corner[k] = box.face_vertex[k % 24] + (k < 24 ? 0 : 8);
    for (int f = 0; f <= 12; f++)
        face_start[f] = 4 * f;
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgPolytope p = {.nv = 16, .nf = 12, .vertex = x, .face_start = face_start, .face_vertex = corner};
    cr_assert_eq(rg_polytope_link(&arena, &p), RG_OK);
    cr_expect_eq(prove(&arena, &p, x, 16).fault, RG_HULL_TORN);
    rg_arena_free(&arena);
}

/* An outline that runs back along a straight side turns by no more than round-off to the right, yet it is not
   convex; a needle is. */
Test(hull_proof, outlines_that_run_back)
{
    static const int32_t corner[6] = {0, 1, 2, 3, 4, 5};
    const RgVec3 z = {0.0, 0.0, 1.0};
    const RgVec3 back[6] = {{0, 0, 0}, {0.8, 0, 0}, {0.5, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const RgVec3 straight[6] = {{0, 0, 0}, {0.5, 0, 0}, {0.8, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const RgVec3 needle[4] = {{0, 0, 0}, {0.5, 0, 0}, {1, 1e-13, 0}, {0.5, 2e-13, 0}};
    for (int i = 0; i < 6; i++) {
        cr_expect_eq(rg_polygon_turns_left(&(RgPolygon){back, corner, 6, z}, i, TOLERANCE), i != 1 && i != 2);
        cr_expect(rg_polygon_turns_left(&(RgPolygon){straight, corner, 6, z}, i, TOLERANCE));
    }
    for (int i = 0; i < 4; i++)
        cr_expect(rg_polygon_turns_left(&(RgPolygon){needle, corner, 4, z}, i, TOLERANCE));
}
