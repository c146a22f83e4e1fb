/*
 * test_plane.c - one shape seen from another, planes and pieces: rates against differences, bounds against dense
 * samples, roots against bisection.
 */
#include "path_fixture.h"

#include "path/plane.h"

/* Two drawn shapes on drawn paths of length h, about a metre apart. */
typedef struct Drawn {
    RgGeometry *g[2];
    RgBodyPath path[2];
    RgPathShape side[2];
    RgPairMotion motion;
} Drawn;

static void drawn_begin(Draw *d, const ShapeChoice choice[2], double spin, double h, Drawn *out)
{
    RgVec3 apart = v3_scale(1.4, draw_direction(d));
    for (int i = 0; i < 2; i++) {
        out->g[i] = geometry_draw(d, choice[i]);
        RgPose X = draw_pose(d, 0.0);
        RgVec3 v = draw_vec(d, 1.0), w = draw_vec(d, spin);
        X.p = i == 0 ? v3_zero() : apart;
        out->path[i] = path_draw(d, X, v, w, h, 0.3);
        out->side[i] = (RgPathShape){out->g[i], draw_pose(d, 0.1), &out->path[i]};
    }
    out->motion.a = rg_mover(&out->side[0], out->g[0]->parts);
    out->motion.b = rg_mover(&out->side[1], out->g[1]->parts);
    rg_pair_motion(&out->motion, h);
}

static void drawn_end(Drawn *d)
{
    rg_geometry_destroy(d->g[0]);
    rg_geometry_destroy(d->g[1]);
}

/* Where a point of B is for A. */
static RgVec3 seen(const RgPairMotion *m, RgVec3 x, double s)
{
    RgPairAt at = rg_pair_at(m, s);
    return v3_add(at.d, m3_apply(at.Q, x));
}

Test(plane, relative_motion)
{
    Draw d = draw_seed(11);
    for (int n = 0; n < 100; n++) {
        Drawn p;
        drawn_begin(&d, (ShapeChoice[2]){CHOICE_BOX, CHOICE_HULL_20}, 1.0, 1.0, &p);
        const RgPairMotion *m = &p.motion;
        RgVec3 x = m->b.shape->core->vertex[draw_below(&d, m->b.shape->core->nv)];
        double s = draw_between(&d, 0.1, 0.9), e = 1e-5;
        RgPairAt at = rg_pair_at(m, s), back = rg_pair_at_swap(&at);

        /* Rates, the pose, and the other way round. */
        RgVec3 rate = v3_add(at.rate, v3_cross(at.w, m3_apply(at.Q, x)));
        RgVec3 by_difference = v3_scale(0.5 / e, v3_sub(seen(m, x, s + e), seen(m, x, s - e)));
        CHECK_NEAR_ALL(&rate.x, &by_difference.x, 3, 1e-8, "m/s");
        RgPose X_AB = pose_relative(shape_at(&p.side[0], s).X_WG, shape_at(&p.side[1], s).X_WG);
        CHECK_NEAR_ALL(&at.d.x, &X_AB.p.x, 3, 1e-14, "m");
        CHECK_NEAR_ALL(&at.Q.m[0][0], &X_AB.R.m[0][0], 9, 1e-14, "");
        RgPairMotion turned = {.a = m->b, .b = m->a};
        rg_pair_motion(&turned, 1.0);
        RgPairAt direct = rg_pair_at(&turned, s);
        CHECK_NEAR_ALL(&back.d.x, &direct.d.x, 3, 1e-14, "m");
        CHECK_NEAR_ALL(&back.rate.x, &direct.rate.x, 3, 1e-13, "m/s");
        CHECK_NEAR_ALL(&back.w.x, &direct.w.x, 3, 1e-13, "rad/s");

        /* The fourth derivative by differences, its bound. */
        double step = 0.02;
        RgVec3 fourth = v3_zero();
        for (int i = 0; i < 5; i++)
            fourth = v3_axpy((double[]){1.0, -4.0, 6.0, -4.0, 1.0}[i], seen(m, x, s + (i - 2) * step), fourth);
        double bound = rg_pair_derivative(m, &m->a, &m->b, m->b.reach, 4);
        cr_expect_leq(v3_norm(fourth) / (step * step * step * step), bound + 1e-6);
        drawn_end(&p);
    }
}

static double cubic(const double e[4], double x)
{
    double y = 1.0 - x;
    return y * y * y * e[0] + 3.0 * x * y * y * e[1] + 3.0 * x * x * y * e[2] + x * x * x * e[3];
}

/* Wherever the four numbers say so, shapes are apart by the floor; over a fixed plane they are lower bounds, too. */
static void check_piece(const Drawn *p, RgPlane *plane, double s0, double s1, const char *what)
{
    const RgPairMotion *m = &p->motion;
    RgPairAt at[2] = {rg_pair_at(m, s0), rg_pair_at(m, s1)};
    double floor = 0.99 * rg_plane_clearance(m, plane, &at[0], 0.0).above; /* nearly touching */
    if (!(floor > 0.0))
        return;
    RgPiece piece = rg_plane_piece(m, plane, at, floor);
    double root = rg_bernstein_root(piece.e);
    for (int i = 0; i <= 20; i++) {
        double x = i / 20.0, s = s0 + x * (s1 - s0);
        RgPairAt now = rg_pair_at(m, s);
        RgClearance clear = rg_plane_clearance(m, plane, &now, floor);
        if (plane->kind == RG_PLANE_FIXED)
            cr_expect_leq(cubic(piece.e, x), clear.above + 1e-12, "%s: %g proven, %g there", what, cubic(piece.e, x),
                          clear.above);
        if (x > root || root == 0.0)
            continue;
        cr_expect_geq(clear.above, -1e-12, "%s: below the floor by %g at %g of %g", what, -clear.above, s, s1);
        double distance = distance_at(&p->side[0], &p->side[1], s);
        cr_expect_geq(distance, floor - 1e-12, "%s: %g m at %g s", what, distance, s);
    }
}

/* How fast a height falls, over planes that no edge lies along. */
static void check_fall(const Drawn *p, RgPlane plane, double s)
{
    const double e = 1e-7;
    RgPairAt at = rg_pair_at(&p->motion, s), next = rg_pair_at(&p->motion, s + e);
    RgClearance first = rg_plane_clearance(&p->motion, &plane, &at, 0.0);
    RgClearance second = rg_plane_clearance(&p->motion, &plane, &next, 0.0);
    CHECK_NEAR((first.above - second.above) / e, first.fall, 1e-5, "m/s");
}

Test(plane, pieces_hold)
{
    int edges = 0, round = 0;
    for (int n = 0; n < 400; n++) {
        Draw d = draw_seed((uint64_t)(7000 + n));
        Drawn p;
        ShapeChoice choice[2];
        for (int i = 0; i < 2; i++)
            choice[i] = (ShapeChoice)draw_below(&d, n % 3 == 0 ? CHOICE_HULL_1000 : CHOICE_HALFSPACE);
        drawn_begin(&d, choice, n % 2 == 0 ? 1.0 : 5.0, 0.2, &p);
        const RgPairMotion *m = &p.motion;
        RgPairAt at = rg_pair_at(m, 0.05);
        RgDistance near;
        RgPlaced side[2] = {shape_at(&p.side[0], 0.05), shape_at(&p.side[1], 0.05)};
        RgStatus status = rg_distance(&side[0], &side[1], NULL, &near);
        cr_assert(status == RG_OK || status == RG_ERR_NOT_CONVERGED);
        RgVec3 normal = m3_apply_t(side[0].X_WG.R, near.normal);
        RgPlane plane = rg_plane_fixed(m, false, normal);
        check_piece(&p, &plane, 0.05, 0.1, "fixed in A");
        plane = rg_plane_fixed(m, true, v3_neg(m3_apply_t(at.Q, normal)));
        check_piece(&p, &plane, 0.05, 0.1, "fixed in B");
        check_fall(&p, rg_plane_fixed(m, n % 2 == 0, draw_direction(&d)), 0.05);
        bool crossed = near.feature_a.kind == RG_FEATURE_EDGE && near.feature_b.kind == RG_FEATURE_EDGE;
        if (crossed && rg_plane_edges(m, &at, near.feature_a.index, near.feature_b.index, &plane)) {
            check_piece(&p, &plane, 0.05, 0.1, "edges");
            edges++;
        }
        if (near.feature_b.kind == RG_FEATURE_VERTEX &&
            rg_plane_round(m, false, near.feature_a, near.feature_b.index, &plane)) {
            check_piece(&p, &plane, 0.05, 0.1, "round");
            round++;
        }
        drawn_end(&p);
    }
    cr_expect(edges > 20 && round > 20, "%d edges, %d round", edges, round);
}

Test(plane, roots_are_never_late)
{
    Draw d = draw_seed(12);
    int tight = 0, with_root = 0;
    for (int n = 0; n < 20000; n++) {
        double e[4];
        for (int i = 0; i < 4; i++) {
            e[i] = draw_between(&d, -1.0, 1.0);
            e[i] *= pow(10.0, draw_between(&d, -6.0, 0.0));
        }
        e[0] = fabs(e[0]);
        double x = rg_bernstein_root(e), first = 1.0;
        for (int i = 1; i <= 2000; i++)
            if (cubic(e, i / 2000.0) < 0.0) {
                first = i / 2000.0;
                break;
            }
        cr_expect(x >= 0.0 && x <= 1.0);
        cr_expect_leq(x, first + 1e-12, "%g %g %g %g: %g, first below 0 at %g", e[0], e[1], e[2], e[3], x, first);
        with_root += first < 1.0;
        tight += first < 1.0 && x > first - 2e-3;
    }
    cr_expect_gt(tight, with_root * 9 / 10, "%d of %d roots found to 2e-3", tight, with_root);
    double bad[4] = {1.0, (double)NAN, 1.0, 1.0};
    cr_expect(!(rg_bernstein_root(bad) >= 0.5), "a number that is none proves nothing");
}
