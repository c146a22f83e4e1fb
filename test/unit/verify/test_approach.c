/* test_approach.c - the speed at which pieces meet: closed forms, and differences of the distance. */
#include "check_near.h"
#include "draw.h"

#include <criterion/criterion.h>
#include <math/quat.h>
#include <verify/approach.h>

static const RgPose here = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};

/* A motion of a placed piece: about the origin of its frame. */
typedef struct Motion {
    RgVec3 v, w;
} Motion;

static RgPlacedPiece moved(RgPlacedPiece p, Motion m, double t)
{
    p.R = m3_mul(q_matrix(q_exp(v3_scale(t, m.w))), p.R);
    p.p = v3_axpy(t, m.v, p.p);
    return p;
}

static RgTwistField between(const RgPlacedPiece *a, Motion ma, const RgPlacedPiece *b, Motion mb)
{
    return rg_twist_field_between(rg_twist_field(a->p, ma.v, ma.w), rg_twist_field(b->p, mb.v, mb.w));
}

/* Rate of the distance by a central difference. */
static double rate(RgPlacedPiece a, Motion ma, RgPlacedPiece b, Motion mb)
{
    double s = 1e-8, d[2];
    for (int k = 0; k < 2; k++) {
        double t = k == 0 ? -s : s;
        RgPlacedPiece at = moved(a, ma, t), bt = moved(b, mb, t);
        d[k] = rg_separation(&at, &bt).distance;
    }
    return (d[1] - d[0]) / (2.0 * s);
}

static RgPlacedPiece turned(const RgPiece *piece, Draw *d, RgVec3 p)
{
    return (RgPlacedPiece){piece, q_matrix(q_exp(draw_vec(d, 3.0))), p};
}

/* Two pieces pushed together along the line of their middles until they are a small distance apart. */
static void bring_together(const RgPlacedPiece *a, RgPlacedPiece *b, double distance)
{
    for (int i = 0; i < 60; i++) {
        RgSeparation s = rg_separation(a, b);
        b->p = v3_axpy(distance - s.distance, s.normal, b->p);
    }
}

/* In general position one pair of points is nearest: the speed is minus the rate of the distance. */
Test(approach, speed_is_the_rate_of_the_distance)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgPiece piece[6];
    double size[3] = {0.2, 0.3, 0.4}, half[3] = {0.1, 0.15, 0.2};
    cr_assert(rg_piece_sphere(&arena, &here, 0.2, &piece[0]) && rg_piece_capsule(&arena, &here, 0.1, 0.3, &piece[1]) &&
              rg_piece_box(&arena, &here, size, &piece[2]) && rg_piece_cylinder(&arena, &here, 0.1, 0.3, &piece[3]) &&
              rg_piece_ellipsoid(&arena, &here, half, &piece[4]) && rg_piece_halfspace(&arena, &here, &piece[5]));
    Draw d = draw_seed(11);
    double worst = 0.0;
    for (int round = 0; round < 3000; round++) {
        int i = draw_below(&d, 6), k = draw_below(&d, 5);
        RgPlacedPiece a = turned(&piece[i], &d, v3_zero()), b = turned(&piece[k], &d, draw_vec(&d, 1.0));
        if (i != 5 && v3_norm(b.p) < 0.1)
            continue;
        bring_together(&a, &b, 1e-5);
        RgSeparation s = rg_separation(&a, &b);
        if (!(fabs(s.distance - 1e-5) < 1e-9))
            continue;
        Motion ma = {draw_vec(&d, 1.0), draw_vec(&d, 2.0)}, mb = {draw_vec(&d, 1.0), draw_vec(&d, 2.0)};
        RgTwistField field = between(&a, ma, &b, mb);
        RgApproach found = rg_approach(&a, &b, s.distance, &field);
        worst = fmax(worst, fabs(found.closing + rate(a, ma, b, mb)));
    }
    /* Differences are good to about that: 4e-5 is what is left at s = 1e-8, ten times as much at 1e-7. */
    CHECK_NEAR(worst, 0.0, 1e-4, "m/s");
    rg_arena_free(&arena);
}

/* A box lies on a box, shifted by half a length each way, and tips about y and x: the fastest point is the corner of
   the common part that is farthest along the tipping. */
Test(approach, faces_meet_at_a_corner_of_what_they_share)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgPiece box;
    double size[3] = {2.0, 2.0, 2.0};
    cr_assert(rg_piece_box(&arena, &here, size, &box));
    RgPlacedPiece a = {&box, m3_identity(), v3_zero()}, b = {&box, m3_identity(), v3(1.0, 1.0, 2.0 + 1e-9)};
    static const double wx[] = {0.0, 0.0, 0.7, -0.7, 0.2}, wy[] = {0.5, -0.5, 0.0, 0.0, 0.3};
    for (int i = 0; i < 5; i++) {
        Motion none = {v3_zero(), v3_zero()}, tips = {v3(0.0, 0.0, -0.1), v3(wx[i], wy[i], 3.0)};
        RgTwistField field = between(&a, none, &b, tips);
        RgApproach found = rg_approach(&a, &b, 1e-7, &field);
        /* The common part is [0, 1] x [0, 1]; the middle of B is at (1, 1). */
        double best = -1.0;
        for (int corner = 0; corner < 4; corner++) {
            double x = corner & 1, y = corner >> 1;
            best = fmax(best, 0.1 - (wx[i] * (y - 1.0) - wy[i] * (x - 1.0)));
        }
        CHECK_NEAR(found.closing, best, 1e-6, "m/s");
        CHECK_NEAR(v3_norm(v3_sub(found.normal, v3(0.0, 0.0, 1.0))), 0.0, 1e-12, "");
        RgApproach back = rg_approach(&b, &a, 1e-7, &(RgTwistField){v3_neg(field.v), v3_neg(field.w)});
        CHECK_NEAR(back.closing, best, 1e-6, "m/s");
    }
    RgTwistField any = {v3(0.0, 0.0, -1.0), v3_zero()};
    b.p.z += 1e-3;
    cr_expect(rg_approach(&a, &b, 1e-7, &any).closing == -(double)INFINITY, "nothing is near");
    rg_arena_free(&arena);
}

/* Two edges that cross meet where they do. */
Test(approach, edges_meet_where_they_cross)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgPiece along;
    double size[3] = {2.0, 0.1, 0.1};
    cr_assert(rg_piece_box(&arena, &here, size, &along));
    RgMat3 edge_up = q_matrix(q_exp(v3(0.25 * RG_PI, 0.0, 0.0)));
    RgMat3 across = m3_mul(q_matrix(q_exp(v3(0.0, 0.0, 0.5 * RG_PI))), edge_up);
    double top = 0.1 * sqrt(0.5);
    RgPlacedPiece a = {&along, edge_up, v3_zero()}, b = {&along, across, v3(0.3, 0.4, 2.0 * top + 1e-9)};
    /* B tips about y and x through its middle (0.3, 0.4): the crossing is at (0.3, 0). */
    Motion none = {v3_zero(), v3_zero()}, tips = {v3_zero(), v3(2.0, 5.0, 0.0)};
    RgTwistField field = between(&a, none, &b, tips);
    RgApproach found = rg_approach(&a, &b, 1e-8, &field);
    CHECK_NEAR(found.closing, 2.0 * 0.4, 1e-6, "m/s");
    CHECK_NEAR(found.point.x, 0.3, 1e-6, "m");
    CHECK_NEAR(found.point.y, 0.0, 1e-6, "m");
    rg_arena_free(&arena);
}

/* B stands on the edge x = 0 of its lower face, which rises by `rise` until A ends at x = 1, and by as much again until
   it ends itself; it tips so that the far end comes down. What they share is [0, 1] x [-0.7, 1]: at x = 1 an edge of
   each cross, and a corner of A is under the face. Both count if they are within the gap; the far corners never are. */
Test(approach, faces_that_are_tilted_by_about_the_gap)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgPiece box;
    double size[3] = {2.0, 2.0, 2.0}, low = 4e-8, w = 0.5;
    cr_assert(rg_piece_box(&arena, &here, size, &box));
    for (int near = 0; near < 2; near++) {
        double rise = near ? 5e-8 : 7e-8;
        RgPlacedPiece a = {&box, m3_identity(), v3_zero()};
        RgPlacedPiece b = {&box, q_matrix(q_exp(v3(0.0, -rise, 0.0))), v3(1.0, 0.3, 2.0 + low + rise)};
        for (int side = -1; side <= 1; side++) {
            Motion none = {v3_zero(), v3_zero()}, tips = {v3(0.0, 0.0, -1.0), v3(0.1 * side, w, 0.0)};
            RgTwistField field = between(&a, none, &b, tips);
            RgApproach found = rg_approach(&a, &b, 1e-7, &field);
            RgApproach back = rg_approach(&b, &a, 1e-7, &(RgTwistField){v3_neg(field.v), v3_neg(field.w)});
            double x = near ? 1.0 : 0.0, y = side > 0 ? -0.7 : 1.0;
            double best = 1.0 + w * (x - 1.0) - 0.1 * side * (y - 0.3);
            CHECK_NEAR(found.closing, best, 1e-6, "m/s");
            CHECK_NEAR(back.closing, best, 1e-6, "m/s");
        }
    }
    rg_arena_free(&arena);
}
