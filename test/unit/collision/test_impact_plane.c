/*
 * test_impact_plane.c - gaps across turning planes, and steps that must not pass their roots. The twin: all
 * vertices one by one, at many times, in long double.
 */
#include "collision/impact_plane.h"

#include "check_near.h"
#include "pair_maker.h"

typedef struct Pair {
    MadeShape made[2];
    RgSweep sweep[2];
    RgSweptShape moving[2];
    double size;
} Pair;

static void pair_draw(Draw *d, Pair *p)
{
    const RgShapeType types[4] = {RG_SHAPE_box, RG_SHAPE_polytope, RG_SHAPE_capsule, RG_SHAPE_sphere};
    p->size = 0.0;
    for (int i = 0; i < 2; i++) {
        p->made[i] = made_shape_draw(d, types[draw_below(d, 4)]);
        made_shape_prepare(&p->made[i]);
        p->size = fmax(p->size, p->made[i].geometry->radius);
    }
    for (int i = 0; i < 2; i++) {
        RgSweep *s = &p->sweep[i];
        *s = (RgSweep){.geometry = p->made[i].geometry, .X_WG = draw_pose(d, 3.0 * p->size)};
        s->centre = vec_add(s->X_WG.p, draw_vec(d, p->size));
        s->V = (RgMotion){draw_vec(d, draw_chance(d, 0.2) ? 0.0 : 4.0), draw_vec(d, 3.0 * p->size)};
    }
    for (int i = 0; i < 2; i++)
        p->moving[i] = rg_swept_shape(&p->sweep[i], &p->made[i].geometry->parts[0]);
}

static void pair_end(Pair *p)
{
    made_shape_release(&p->made[0]);
    made_shape_release(&p->made[1]);
}

/* A plane of any kind that the search uses, and others. */
static RgTurningPlane plane_draw(Draw *d, const Pair *p)
{
    RgTurningPlane plane = {draw_direction(d), {0.0, 0.0, 0.0}};
    switch (draw_below(d, 5)) {
    case 0:
        break;
    case 1:
        plane.w = p->sweep[0].V.w;
        break;
    case 2:
        plane.w = p->sweep[1].V.w;
        break;
    case 3:
        plane.w = vec_cross(plane.n, draw_vec(d, 3.0));
        break;
    default:
        plane.w = draw_vec(d, 5.0);
    }
    return plane;
}

/* R(w, t) x in long double. */
static void turn_long(RgVec3 w, long double t, const long double x[3], long double out[3])
{
    long double u[3] = {w.x, w.y, w.z}, rate = sqrtl(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    long double c = cosl(rate * t), s = rate > 0.0L ? sinl(rate * t) / rate : t;
    long double k = rate > 0.0L ? (1.0L - c) / (rate * rate) : 0.0L;
    long double along = u[0] * x[0] + u[1] * x[1] + u[2] * x[2];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        out[i] = c * x[i] + s * (u[j] * x[l] - u[l] * x[j]) + k * along * u[i];
    }
}

/* Least (sign 1) or greatest (-1) n . x over the vertices of a core at time t, from the centre of A at t =
   0. */
static long double extreme_long(const Pair *p, int side, const long double n[3], long double t, int sign)
{
    const RgSweep *s = &p->sweep[side];
    const RgPolytope *core = p->made[side].geometry->parts[0].core;
    long double best = (long double)INFINITY;
    for (int32_t i = 0; i < core->nv; i++) {
        RgVec3 x = core->vertex[i];
        long double rho[3], at[3], sum = 0.0L;
        const double *v = &s->V.v.x, *centre = &s->centre.x, *from = &p->sweep[0].centre.x, *place = &s->X_WG.p.x;
        for (int k = 0; k < 3; k++) {
            const double *row = s->X_WG.R.m[k];
            rho[k] = (long double)row[0] * x.x + (long double)row[1] * x.y + (long double)row[2] * x.z + place[k] -
                     (long double)centre[k];
        }
        turn_long(s->V.w, t, rho, at);
        for (int k = 0; k < 3; k++)
            sum += n[k] * (at[k] + centre[k] - (long double)from[k] + t * v[k]);
        best = fminl(best, sign * sum);
    }
    return sign * best;
}

/* The gap across the plane, s after t. */
static long double gap_long(const Pair *p, const RgTurningPlane *plane, double t, long double s)
{
    long double n0[3] = {plane->n.x, plane->n.y, plane->n.z}, n[3];
    turn_long(plane->w, s, n0, n);
    return extreme_long(p, 1, n, t + s, 1) - extreme_long(p, 0, n, t + s, -1);
}

Test(impact_plane, gap_is_that_of_the_vertices)
{
    Draw d = draw_seed(1);
    for (int i = 0; i < 400; i++) {
        Pair p;
        pair_draw(&d, &p);
        for (int j = 0; j < 10; j++) {
            double t = draw_between(&d, 0.0, 3.0);
            RgTurningPlane plane = plane_draw(&d, &p);
            RgPairAtTime pair = rg_pair_at_time(&p.moving[0], &p.moving[1], t);
            double gap = rg_plane_gap(&pair, &plane).gap, expected = (double)gap_long(&p, &plane, t, 0.0L);
            cr_assert_leq(fabs(gap - expected), pair.round_off, "%g of %g m", gap - expected, pair.round_off);
        }
        pair_end(&p);
    }
}

/* The rate of the gap, where one pair of vertices is nearest before and after. */
Test(impact_plane, rate_is_the_difference_of_gaps)
{
    Draw d = draw_seed(2);
    const long double h = 1e-6L;
    int smooth = 0;
    for (int i = 0; i < 400; i++) {
        Pair p;
        pair_draw(&d, &p);
        double t = draw_between(&d, 0.0, 3.0);
        RgTurningPlane plane = plane_draw(&d, &p);
        RgPairAtTime pair = rg_pair_at_time(&p.moving[0], &p.moving[1], t);
        double rate = rg_plane_gap(&pair, &plane).rate;
        long double now = gap_long(&p, &plane, t, 0.0L);
        double after = (double)((gap_long(&p, &plane, t, h) - now) / h);
        double before = (double)((now - gap_long(&p, &plane, t, -h)) / h);
        if (fabs(after - before) < 1e-3 * p.size) {
            smooth++;
            CHECK_NEAR(rate, 0.5 * (after + before), 1e-8 * p.size, "m/s");
        }
        pair_end(&p);
    }
    cr_expect_gt(smooth, 350);
}

/* n . (b - a), s after t, for two points at rho_a, rho_b from their centres at t. */
static long double pair_long(const RgPairAtTime *pair, const RgTurningPlane *plane, const RgVec3 rho[2], long double s)
{
    long double n0[3] = {plane->n.x, plane->n.y, plane->n.z}, n[3], at[2][3], sum = 0.0L;
    turn_long(plane->w, s, n0, n);
    const RgSweptShape *moving[2] = {pair->a.m, pair->b.m};
    for (int i = 0; i < 2; i++)
        turn_long(moving[i]->sweep->V.w, s, (long double[]){rho[i].x, rho[i].y, rho[i].z}, at[i]);
    const double *apart = &pair->apart.x, *rate = &pair->rate.x;
    for (int k = 0; k < 3; k++)
        sum += n[k] * (apart[k] + s * rate[k] + at[1][k] - at[0][k]);
    return sum;
}

/* Second and first derivative at s, by central differences, and their bounds. */
typedef struct Used {
    double bend, fall;
    RgPlaneBounds most;
} Used;

static Used bounds_used(const RgPairAtTime *pair, const RgTurningPlane *plane, const RgVec3 rho[2], double s,
                        double window)
{
    const long double h = 1e-5L;
    long double g[3];
    for (int i = 0; i < 3; i++)
        g[i] = pair_long(pair, plane, rho, s + (i - 1) * h);
    return (Used){(double)(fabsl(g[2] - 2.0L * g[1] + g[0]) / (h * h)), (double)((g[0] - g[2]) / (2.0L * h)),
                  rg_plane_bounds(pair, plane, window)};
}

/* Any two points, any time in the window. */
Test(impact_plane, bounds_hold)
{
    Draw d = draw_seed(6);
    for (int i = 0; i < 200; i++) {
        Pair p;
        pair_draw(&d, &p);
        RgPairAtTime pair = rg_pair_at_time(&p.moving[0], &p.moving[1], 0.3);
        for (int j = 0; j < 200; j++) {
            double window = draw_decades(&d, -2.0, 0.7), s = draw_between(&d, 0.0, 1.0) * window;
            RgTurningPlane plane = plane_draw(&d, &p);
            RgVec3 rho[2];
            for (int k = 0; k < 2; k++)
                rho[k] = vec_scale(p.moving[k].reach, draw_direction(&d));
            Used used = bounds_used(&pair, &plane, rho, s, window);
            double room = 1e-7 * p.size;
            cr_assert_leq(used.bend, used.most.bend * (1.0 + 1e-7) + room, "bend");
            cr_assert_leq(used.fall, used.most.fall + room, "fall");
        }
        pair_end(&p);
    }
}

/* A pair of shapes without form: all that counts is how far they reach and how they move. */
typedef struct Bare {
    RgSweep sweep[2];
    RgSweptShape moving[2];
} Bare;

static RgPairAtTime bare_pair(Bare *b, RgVec3 apart, RgVec3 rate, RgVec3 w_b, double reach_b)
{
    *b = (Bare){0};
    b->sweep[1].centre = apart;
    b->sweep[1].V = (RgMotion){w_b, rate};
    b->sweep[0].X_WG = b->sweep[1].X_WG = rg_pose_identity();
    for (int i = 0; i < 2; i++)
        b->moving[i].sweep = &b->sweep[i];
    b->moving[1].reach = reach_b;
    return rg_pair_at_time(&b->moving[0], &b->moving[1], 0.0);
}

static double bare_used(const RgPairAtTime *pair, RgTurningPlane plane, RgVec3 rho_b, double s)
{
    const RgVec3 rho[2] = {{0.0, 0.0, 0.0}, rho_b};
    Used used = bounds_used(pair, &plane, rho, s, fmax(s, 1e-9));
    return used.bend / used.most.bend;
}

/* Each term of the bound of the bend is reached by some motion, so that none may be left out. */
Test(impact_plane, bend_is_reached)
{
    const RgVec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0}, none = {0.0, 0.0, 0.0};
    const double quarter = 1.5707963267948966;
    Bare b;

    /* The plane turns about z; centres apart along n, and moving against its turn. */
    RgPairAtTime pair = bare_pair(&b, vec_scale(3.0, x), vec_scale(-0.5, y), none, 0.0);
    CHECK_NEAR(bare_used(&pair, (RgTurningPlane){x, vec_scale(2.0, z)}, none, 0.0), 1.0, 1e-6, "");

    /* Centres that part along what the normal has turned to in the end. */
    pair = bare_pair(&b, vec_scale(0.1, y), y, none, 0.0);
    double used = bare_used(&pair, (RgTurningPlane){x, z}, none, quarter);
    CHECK_NEAR(used, (0.1 + quarter) / (0.1 + quarter + 2.0), 1e-6, "");

    /* A point that turns across a plane at rest, and in the plane of one that turns too. */
    pair = bare_pair(&b, none, none, vec_scale(3.0, z), 0.7);
    CHECK_NEAR(bare_used(&pair, (RgTurningPlane){x, none}, vec_scale(0.7, x), 0.0), 1.0, 1e-6, "");
    CHECK_NEAR(bare_used(&pair, (RgTurningPlane){x, vec_scale(-2.0, z)}, vec_scale(0.7, x), 0.0), 1.0, 1e-6, "");

    /* The difference of the turns along n: only their cross product bends. */
    pair = bare_pair(&b, none, none, vec_scale(3.0, z), 0.7);
    RgTurningPlane plane = {x, vec_add(vec_scale(3.0, z), vec_scale(2.0, x))};
    CHECK_NEAR(bare_used(&pair, plane, vec_scale(0.7, z), 0.0), 1.0, 1e-6, "");

    /* The same a quarter of a turn of the plane later: the difference is across n by then. u = 4 x, W = z.
       */
    pair = bare_pair(&b, none, none, vec_sub(z, vec_scale(4.0, x)), 1.0);
    plane = (RgTurningPlane){x, z};
    RgVec3 most = none;
    for (int k = 0; k < 3; k++) {
        RgVec3 axis = {k == 0, k == 1, k == 2};
        double part = bare_used(&pair, plane, axis, quarter);
        (&most.x)[k] = part;
    }
    CHECK_NEAR(vec_norm(most), 16.0 / (4.0 * 4.0 + 4.0), 1e-5, "");
}

/* In all the time of a step the gap stays above its level: both steps. */
Test(impact_plane, steps_do_not_pass_the_root)
{
    Draw d = draw_seed(3);
    int bounded = 0, whole = 0;
    for (int i = 0; i < 3000; i++) {
        Pair p;
        pair_draw(&d, &p);
        double t = draw_between(&d, 0.0, 1.0), window = draw_decades(&d, -2.0, 0.5);
        RgTurningPlane plane = plane_draw(&d, &p);
        RgPairAtTime pair = rg_pair_at_time(&p.moving[0], &p.moving[1], t);
        RgPlaneGap now = rg_plane_gap(&pair, &plane);
        double level = now.gap - p.size * draw_decades(&d, -4.0, 1.0);
        double step = rg_plane_step(&pair, &plane, now, level, window);
        double wait = rg_plane_conservative_step(&pair, &plane, now, level, window);
        double longer = fmax(step, wait);
        cr_assert(step > 0.0 && wait > 0.0 && longer <= window, "%g, %g of %g s", wait, step, window);
        bounded += step < window;
        whole += step == window;
        for (int k = 1; k <= 25; k++)
            cr_assert_geq((double)gap_long(&p, &plane, t, longer * k / 25.0L), level - pair.round_off,
                          "pair %d: %g s after", i, longer * k / 25.0);
        pair_end(&p);
    }
    cr_expect_gt(bounded, 1000);
    cr_expect_gt(whole, 300);
}

/* Near the root the step is Newton's: what is left of the gap is of second order. */
Test(impact_plane, steps_converge_quadratically)
{
    Draw d = draw_seed(4);
    int tried = 0;
    for (int i = 0; i < 500; i++) {
        Pair p;
        pair_draw(&d, &p);
        RgTurningPlane plane = plane_draw(&d, &p);
        RgPairAtTime pair = rg_pair_at_time(&p.moving[0], &p.moving[1], 0.5);
        RgPlaneGap now = rg_plane_gap(&pair, &plane);
        double above = 1e-5 * p.size, step = rg_plane_step(&pair, &plane, now, now.gap - above, 1.0);
        if (now.rate < -0.5 * p.size) {
            tried++;
            double left = (double)gap_long(&p, &plane, 0.5, step) - (now.gap - above);
            cr_expect_lt(left, 1e-2 * above, "%g of %g m left", left, above);
        }
        pair_end(&p);
    }
    cr_expect_gt(tried, 100);
}

/* Nothing to step where the gap is not above its level; all of the window where nothing moves. */
Test(impact_plane, ends)
{
    Draw d = draw_seed(5);
    Pair p;
    pair_draw(&d, &p);
    RgTurningPlane plane = {draw_direction(&d), {0.0, 0.0, 0.0}};
    RgPairAtTime pair = rg_pair_at_time(&p.moving[0], &p.moving[1], 0.0);
    RgPlaneGap now = rg_plane_gap(&pair, &plane);
    cr_expect_eq(rg_plane_step(&pair, &plane, now, now.gap, 1.0), 0.0);
    cr_expect_eq(rg_plane_conservative_step(&pair, &plane, now, now.gap + 1.0, 1.0), 0.0);
    p.sweep[0].V = p.sweep[1].V = (RgMotion){{0.0, 0.0, 0.0}, {1.0, 2.0, 3.0}};
    pair = rg_pair_at_time(&p.moving[0], &p.moving[1], 0.0);
    now = rg_plane_gap(&pair, &plane);
    cr_expect_eq(rg_plane_step(&pair, &plane, now, now.gap - 1e-9, 7.0), 7.0);
    cr_expect_eq(rg_plane_conservative_step(&pair, &plane, now, now.gap - 1e-9, 7.0), 7.0);
    pair_end(&p);
}
