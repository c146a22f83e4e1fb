/*
 * test_pairs.c - every closed form of the table, on drawn shapes: proven by planes and witness points,
 * searched for something better, and compared with the general way.
 */
#include "check_near.h"
#include "pair_fixture.h"

#include "collision/pair_table.h"

#include <criterion/criterion.h>

/* What is promised, as a part of size and distance of the shapes. */
#define EXACT 1e-15

typedef struct Cell {
    RgShapeType a, b;
    RgPairDistance *closed;
    const char *name;
} Cell;

static const Cell cells[] = {
#define CELL(x, y) {RG_SHAPE_##x, RG_SHAPE_##y, rg_pair_##x##_##y, #x " " #y},
    RG_PAIR_LIST(CELL)
#undef CELL
#define CELL(x) {RG_SHAPE_##x, RG_SHAPE_halfspace, rg_pair_any_halfspace, #x " halfspace"},
        CELL(sphere) CELL(box) CELL(capsule) CELL(cylinder) CELL(ellipsoid) CELL(polytope)
#undef CELL
};
#define CELL_COUNT ((int)(sizeof cells / sizeof cells[0]))

/* A tetrahedron for the polytopes. */
static RgPolytope tetrahedron;
static RgArena tetrahedron_arena;

static void make_tetrahedron(void)
{
    static const RgVec3 corner[4] = {{0.3, 0.1, -0.2}, {-0.4, 0.2, -0.1}, {0.1, -0.5, 0.0}, {0.05, 0.1, 0.6}};
    RgMeshReport report;
    rg_arena_init(&tetrahedron_arena, NULL);
    cr_assert_eq(rg_convex_hull(&tetrahedron_arena, corner, 4, &tetrahedron, &report, NULL), RG_OK);
}

static void end_tetrahedron(void)
{
    rg_arena_free(&tetrahedron_arena);
}

TestSuite(pairs, .init = make_tetrahedron, .fini = end_tetrahedron);

static void draw_shape(Draw *d, RgShapeType type, PairShape *s)
{
    pair_shape_draw(d, type, s);
    if (type == RG_SHAPE_polytope)
        s->shape.core = &tetrahedron;
}

/* Poses of all sorts: any, axes along each other, centres upon or near each other, on a grid that the sizes
   of 1/2 fit. */
static RgPose draw_meeting(Draw *d)
{
    double reach = draw_between(d, 0.0, 1.5), small = pow(10.0, draw_between(d, -17.0, -3.0));
    RgPose X = draw_exact_pose(d, reach);
    int kind = draw_below(d, 10), place = draw_below(d, 125);
    if (kind <= 2)
        X.R = m3_identity();
    if (kind == 1 || kind == 3)
        X.p = v3_scale(0.25, v3(place % 5 - 2, place / 5 % 5 - 2, place / 25 - 2));
    if (kind == 4)
        X.p.x = X.p.y = 0.0;
    if (kind == 5)
        X.p = v3_scale(1e-9, X.p);
    if (kind == 6) /* turned by next to nothing */
        X.R = q_matrix(q_exp(v3_scale(small, draw_direction(d))));
    return X;
}

/* The distance, checked for all that can be proven of it. Returns the size of the pair, the unit of errors.
   */
static double check_proof(const Cell *cell, const RgConvexPair *pair, RgDistance *out)
{
    RgStatus status = cell->closed(pair, NULL, out);
    double size = rg_pair_size(pair) + v3_norm(pair->X_AB.p);
    RgVec3 b = m3_apply_t(pair->X_AB.R, v3_sub(out->point_b, pair->X_AB.p));
    RgVec3 link = v3_sub(v3_axpy(out->distance, out->normal, out->point_a), out->point_b);
    long double n[3] = {out->normal.x, out->normal.y, out->normal.z};
    double gap = (double)(pair_gap(pair, n) - (long double)out->distance);
    cr_expect(status == RG_OK && fabs(v3_norm(out->normal) - 1.0) <= EXACT, "%s: normal", cell->name);
    cr_expect(fabs(gap) <= EXACT * size, "%s: plane off by %g of %g", cell->name, gap, size);
    cr_expect(fabs(gap) <= out->error && out->error <= 1e-14 * size, "%s: error", cell->name);
    cr_expect(v3_norm(link) <= EXACT * size, "%s: witness points %g apart", cell->name, v3_norm(link));
    double out_a = shape_outside(pair->a, out->point_a), out_b = shape_outside(pair->b, b);
    cr_expect(out_a <= EXACT * size, "%s: point_a %g outside", cell->name, out_a);
    cr_expect(out_b <= 2.0 * EXACT * size, "%s: point_b %g outside", cell->name, out_b); /* it is turned back */
    return size;
}

/* Apart: the plane proves that the distance is no less, the points that it is no more. Overlapping: the plane
   proves that the depth is no more. */
Test(pairs, planes_and_points_prove_the_distance)
{
    for (int c = 0; c < CELL_COUNT; c++) {
        Draw d = draw_seed((uint64_t)c + 1);
        for (int k = 0; k < 20000; k++) {
            PairShape a, b;
            RgDistance out;
            draw_shape(&d, cells[c].a, &a);
            draw_shape(&d, cells[c].b, &b);
            RgConvexPair pair = {&a.shape, &b.shape, draw_meeting(&d)};
            check_proof(&cells[c], &pair, &out);
        }
    }
}

/* Overlapping: no direction gives a smaller depth. */
Test(pairs, no_way_out_is_shorter)
{
    for (int c = 0; c < CELL_COUNT; c++) {
        Draw d = draw_seed((uint64_t)c + 100);
        int deep = 0;
        for (int k = 0; k < 1000 && cells[c].b != RG_SHAPE_halfspace; k++) {
            PairShape a, b;
            RgDistance out;
            draw_shape(&d, cells[c].a, &a);
            draw_shape(&d, cells[c].b, &b);
            RgConvexPair pair = {&a.shape, &b.shape, draw_meeting(&d)};
            pair.X_AB.p = v3_scale(0.5, pair.X_AB.p);
            double size = check_proof(&cells[c], &pair, &out);
            if (out.distance > 0.0)
                continue;
            deep++;
            double best = pair_search(&pair, &d, out.normal, 5);
            cr_expect(best <= out.distance + EXACT * size, "%s: %g, found %g", cells[c].name, out.distance, best);
        }
        cr_expect(deep > 200 || cells[c].b == RG_SHAPE_halfspace, "%s: %d deep", cells[c].name, deep);
    }
}

/* Gaps from 1 down to 1e-10 on both sides: B is put where its gap to A is known by its support, and the
   closed form may not find less (apart: nor more, by the proof above). */
Test(pairs, gaps_down_to_1e_10)
{
    for (int c = 0; c < CELL_COUNT; c++) {
        Draw d = draw_seed((uint64_t)c + 200);
        for (int k = 0; k < 5000; k++) {
            PairShape a, b;
            RgDistance out;
            draw_shape(&d, cells[c].a, &a);
            draw_shape(&d, cells[c].b, &b);
            RgConvexPair pair = {&a.shape, &b.shape, draw_meeting(&d)};
            RgVec3 n = cells[c].b == RG_SHAPE_halfspace ? v3_neg(m3_column(pair.X_AB.R, 2)) : draw_direction(&d);
            long double at[3] = {n.x, n.y, n.z};
            double gap = pow(10.0, draw_between(&d, -10.0, 0.0));
            gap = draw_chance(&d, 0.5) ? gap : -gap;
            double moved = gap - (double)pair_gap(&pair, at);
            pair.X_AB.p = v3_axpy(moved, n, pair.X_AB.p);
            double size = check_proof(&cells[c], &pair, &out) + fabs(moved);
            cr_expect(out.distance >= gap - 2.0 * EXACT * size, "%s: %g, at least %g", cells[c].name, out.distance,
                      gap);
        }
    }
}

/* The general way gives the same within the errors that both state, and states what it promises: 1e-12 of the
   size apart, 1e-9 overlapping. */
Test(pairs, general_way_agrees)
{
    for (int c = 0; c < CELL_COUNT; c++) {
        Draw d = draw_seed((uint64_t)c + 300);
        for (int k = 0; k < 300 && cells[c].b != RG_SHAPE_halfspace; k++) {
            PairShape a, b;
            RgDistance out, other;
            draw_shape(&d, cells[c].a, &a);
            draw_shape(&d, cells[c].b, &b);
            RgConvexPair pair = {&a.shape, &b.shape, draw_meeting(&d)};
            double size = check_proof(&cells[c], &pair, &out);
            RgStatus status = rg_convex_distance_gjk(&pair, NULL, &other);
            double promised = (out.distance > 0.0 ? 1e-12 : 1e-9) * size;
            cr_expect(status == RG_OK && other.error <= promised, "%s: stated error %g", cells[c].name, other.error);
            cr_expect(fabs(out.distance - other.distance) <= out.error + other.error,
                      "%s: %.17g, general way %.17g, stated errors %g and %g", cells[c].name, out.distance,
                      other.distance, out.error, other.error);
        }
    }
}

/* The same pair, everything larger or smaller: the answer is larger or smaller, and no square overflows or
   vanishes. */
Test(pairs, lengths_of_any_size)
{
    static const double scale[] = {1e-70, 1e-40, 1e-20, 1e20, 1e70};
    for (int c = 0; c < CELL_COUNT; c++) {
        Draw d = draw_seed((uint64_t)c + 400);
        for (int k = 0; k < 500 && cells[c].a != RG_SHAPE_polytope; k++) {
            PairShape a, b;
            RgDistance out, other;
            draw_shape(&d, cells[c].a, &a);
            draw_shape(&d, cells[c].b, &b);
            RgConvexPair pair = {&a.shape, &b.shape, draw_meeting(&d)};
            double size = check_proof(&cells[c], &pair, &out), s = scale[k % 5];
            for (int i = 0; i < 3; i++) {
                a.shape.size[i] *= s;
                b.shape.size[i] *= s;
            }
            pair_shape_core(&a);
            pair_shape_core(&b);
            pair.X_AB.p = v3_scale(s, pair.X_AB.p);
            cells[c].closed(&pair, NULL, &other);
            cr_expect(fabs(other.distance / s - out.distance) <= 2.0 * EXACT * size, "%s: %.17g, %.17g times %g",
                      cells[c].name, other.distance, out.distance, s);
            cr_expect(fabs(v3_norm(other.normal) - 1.0) <= EXACT, "%s: normal", cells[c].name);
        }
    }
}

/* 0, 1, or anything. */
static double draw_wild(Draw *d)
{
    int kind = draw_below(d, 6);
    double any = pow(10.0, draw_between(d, -320.0, 70.0));
    return kind == 0 ? 0.0 : kind == 1 ? 1.0 : any;
}

/* Whatever the lengths, the answer is a number and its normal a direction. */
Test(pairs, no_lengths_give_nonsense)
{
    for (int c = 0; c < CELL_COUNT; c++) {
        Draw d = draw_seed((uint64_t)c + 600);
        for (int k = 0; k < 20000 && cells[c].a != RG_SHAPE_polytope; k++) {
            double x[9];
            for (int i = 0; i < 9; i++)
                x[i] = draw_wild(&d);
            PairShape a, b;
            RgDistance out;
            pair_shape_make(&a, cells[c].a, x[0], x[1], x[2]);
            pair_shape_make(&b, cells[c].b, x[3], x[4], x[5]);
            RgConvexPair pair = {&a.shape, &b.shape, draw_meeting(&d)};
            RgVec3 sign = draw_vec(&d, 1.0);
            pair.X_AB.p = v3(copysign(x[6], sign.x), copysign(x[7], sign.y), copysign(x[8], sign.z));
            cells[c].closed(&pair, NULL, &out);
            cr_expect(isfinite(out.distance) && v3_finite(out.point_a) && v3_finite(out.point_b), "%s", cells[c].name);
            cr_expect(fabs(v3_norm(out.normal) - 1.0) <= EXACT, "%s: normal", cells[c].name);
        }
    }
}

/* Same bits whatever was in the memory of the answer; parts are left alone. */
Test(pairs, answer_is_written_whole)
{
    for (int c = 0; c < CELL_COUNT; c++) {
        Draw d = draw_seed((uint64_t)c + 500);
        PairShape a, b;
        draw_shape(&d, cells[c].a, &a);
        draw_shape(&d, cells[c].b, &b);
        RgConvexPair pair = {&a.shape, &b.shape, draw_meeting(&d)};
        RgDistance one = {.part_a = 5, .part_b = 6}, two = one;
        two.distance = two.error = two.point_a.x = two.point_b.y = two.normal.z = (double)NAN;
        two.feature_a = two.feature_b = (RgFeature){RG_FEATURE_NONE, 77};
        two.iterations = 77;
        cells[c].closed(&pair, NULL, &one);
        cells[c].closed(&pair, NULL, &two);
        cr_expect(one.distance == two.distance && one.error == two.error && one.normal.z == two.normal.z &&
                      one.point_a.x == two.point_a.x && one.point_b.y == two.point_b.y,
                  "%s", cells[c].name);
        cr_expect(one.feature_a.kind == two.feature_a.kind && one.feature_b.kind == two.feature_b.kind &&
                      one.feature_a.index == two.feature_a.index && one.feature_b.index == two.feature_b.index &&
                      one.iterations == two.iterations,
                  "%s", cells[c].name);
        cr_expect(one.part_a == 5 && one.part_b == 6, "%s", cells[c].name);
    }
}
