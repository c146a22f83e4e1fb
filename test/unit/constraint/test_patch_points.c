/*
 * test_patch_points.c - the points of a patch, and what is inverted of them: nothing that is singular but for
 * round-off.
 *
 * A million patches, drawn flat, thin down to 1e-18 of their length, with points that coincide, small down to 1e-10 m,
 * up to 10 km from the origin, with any normal and any gaps; bodies of mass ratios up to 1e6, radii of gyration from 1
 * m to 1 cm or 1 um. Twins: the spread of the chosen points by eigenvalues in long double; K from unit wrenches by
 * Newton and Euler, its eigenvalues by Jacobi's rotations.
 */
#include "../solver/patch_fixture.h"
#include "check_near.h"
#include "constraint/patch_points.h"
#include "solver/quick/quick_work.h"

#define MILLION 1000000
#define LINE 1e-6 /* as patch_points.c states it */

typedef struct Points {
    RgVec3 x[RG_PATCH_POINTS], n, t[2];
    double gap[RG_PATCH_POINTS];
    int count;
} Points;

static double draw_power(Draw *d, double low, double high)
{
    return pow(10.0, draw_between(d, low, high));
}

static Points draw_points(Draw *d)
{
    Points p = {.count = 1 + draw_below(d, 4)};
    RgMat3 R = draw_pose(d, 0.0).R;
    RgVec3 axis[3], middle = vec_scale(draw_power(d, -2.0, 4.0), draw_direction(d));
    double length = draw_power(d, -10.0, 0.0), width = length, bumps = draw_power(d, -12.0, -2.0);
    for (int i = 0; i < 3; i++)
        axis[i] = vec(R.m[0][i], R.m[1][i], R.m[2][i]);
    if (draw_chance(d, 0.6))
        width *= draw_power(d, -18.0, 0.0);
    for (int i = 0; i < p.count; i++) {
        double s = draw_between(d, -length, length), r = draw_between(d, -width, width);
        p.gap[i] = draw_between(d, -bumps, bumps);
        p.x[i] = vec_add(middle, vec_add(vec_scale(s, axis[0]), vec_scale(r, axis[1])));
        p.x[i] = vec_add(p.x[i], vec_scale(draw_between(d, -bumps, bumps), axis[2]));
    }
    if (p.count > 1 && draw_chance(d, 0.3)) {
        RgVec3 little = vec_scale(length * draw_power(d, -18.0, -1.0), draw_direction(d));
        p.x[p.count - 1] = vec_add(p.x[draw_below(d, p.count - 1)], little);
    }
    p.n = axis[2];
    p.t[0] = axis[0];
    p.t[1] = axis[1];
    return p;
}

static RgVec3 in_plane(RgVec3 x, RgVec3 n)
{
    return vec_sub(x, vec_scale(vec_dot(x, n), n));
}

/* The patch of chosen points as the contact stage makes it, between movers 1 and 2. */
static RgPatch patch_of(const Points *p, const int *chosen, int count, Draw *d)
{
    RgPatch patch = {.mover = {1, 2}, .count = count, .axis = {p->t[0], p->t[1], p->n}, .mu = {0.5, 0.5}};
    RgVec3 c = vec(0.0, 0.0, 0.0);
    if (count == 2) {
        RgVec3 t = in_plane(vec_sub(p->x[chosen[1]], p->x[chosen[0]]), p->n);
        patch.axis[0] = vec_scale(1.0 / vec_norm(t), t);
        patch.axis[1] = vec_cross(p->n, patch.axis[0]);
    }
    for (int i = 0; i < count; i++)
        c = vec_add(c, vec_scale(1.0 / count, p->x[chosen[i]]));
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 2; k++)
            patch.place[i][k] = vec_dot(patch.axis[k], vec_sub(p->x[chosen[i]], c));
    bool even = draw_chance(d, 0.5);
    for (int i = 0; i < count; i++)
        patch.target[i] = even && i > 0 ? patch.target[0] : -draw_power(d, -6.0, 0.0);
    for (int side = 0; side < 2; side++)
        patch.arm[side] = vec_scale(draw_power(d, -3.0, 0.0), draw_direction(d));
    return patch;
}

/* slender: power of ten of the largest mass / inertia, 1/m^2. */
static void draw_movers(Draw *d, double slender, RgSolverBody movers[3])
{
    movers[0] = (RgSolverBody){.group = -1};
    for (int i = 1; i < 3; i++) {
        RgSym3 I = draw_inertia(d);
        double per_mass = draw_power(d, -3.0, 3.0), per_inertia = per_mass * draw_power(d, 0.0, slender);
        I = (RgSym3){per_inertia * I.xx, per_inertia * I.yy, per_inertia * I.zz,
                     per_inertia * I.xy, per_inertia * I.xz, per_inertia * I.yz};
        movers[i] = (RgSolverBody){per_mass, I, -1, 0};
    }
}

/* Condition number of the points' spread about their mean; two points have one direction. */
static double spread_condition(const Points *p, const int *chosen, const RgPatch *patch)
{
    long double d[RG_PATCH_POINTS][2], mean[2] = {0.0L, 0.0L}, rr = 0.0L, rs = 0.0L, ss = 0.0L;
    for (int i = 0; i < patch->count; i++)
        for (int k = 0; k < 2; k++) {
            RgVec3 x = vec_sub(p->x[chosen[i]], p->x[chosen[0]]), t = patch->axis[k];
            d[i][k] = (long double)t.x * x.x + (long double)t.y * x.y + (long double)t.z * x.z;
            mean[k] += d[i][k] / patch->count;
        }
    for (int i = 0; i < patch->count; i++) {
        long double s = d[i][0] - mean[0], r = d[i][1] - mean[1];
        rr += r * r;
        rs += r * s;
        ss += s * s;
    }
    long double half = 0.5L * (rr + ss), root = sqrtl(0.25L * (rr - ss) * (rr - ss) + rs * rs);
    return (double)((half + root) / ((rr * ss - rs * rs) / (half + root)));
}

/* K by unit wrenches in the patch's axes, with its diagonal scaled to 1; row and column 3 left out: as the
   identity's. */
static void scaled_response(const RgPatch *patch, const RgSolverBody *movers, bool tilts, double K[6][6])
{
    double size[6];
    for (int j = 0; j < 6; j++) {
        RgVec3 none = vec(0.0, 0.0, 0.0), f = j < 3 ? patch->axis[j] : none, m = j < 3 ? none : patch->axis[j - 3];
        RgVec3 u = none, w = none;
        for (int side = 0; side < 2; side++) {
            const RgSolverBody *mover = &movers[patch->mover[side]];
            RgVec3 turn = sym_apply(mover->inverse_inertia, vec_add(m, vec_cross(patch->arm[side], f)));
            w = vec_add(w, turn);
            u = vec_add(u, vec_add(vec_scale(mover->inverse_mass, f), vec_cross(turn, patch->arm[side])));
        }
        for (int i = 0; i < 6; i++)
            K[i][j] = vec_dot(patch->axis[i % 3], i < 3 ? u : w);
    }
    for (int i = 0; i < 6; i++)
        size[i] = sqrt(K[i][i]);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            K[i][j] = !tilts && (i == 3 || j == 3) ? (i == j ? 1.0 : 0.0) : K[i][j] / (size[i] * size[j]);
}

/* Turns rows and columns p and q of a symmetric matrix so that the element between them vanishes. */
static void rotate(double A[6][6], int p, int q)
{
    if (A[p][q] == 0.0)
        return;
    double theta = (A[q][q] - A[p][p]) / (2.0 * A[p][q]);
    double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 6; k++) {
        double a = A[k][p], b = A[k][q];
        A[k][p] = c * a - s * b;
        A[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 6; k++) {
        double a = A[p][k], b = A[q][k];
        A[p][k] = c * a - s * b;
        A[q][k] = s * a + c * b;
    }
}

static double condition(double A[6][6])
{
    for (int sweep = 0; sweep < 8; sweep++)
        for (int p = 0; p < 5; p++)
            for (int q = p + 1; q < 6; q++)
                rotate(A, p, q);
    double least = INFINITY, most = 0.0;
    for (int i = 0; i < 6; i++) {
        least = fmin(least, A[i][i]);
        most = fmax(most, A[i][i]);
    }
    return most / least;
}

typedef struct Prepared {
    RgPatch patch;
    RgSolverBody movers[3];
    RgPatchLanes lanes;
    int chosen[RG_PATCH_POINTS];
    bool is_whole;
} Prepared;

static void prepare(Draw *d, const Points *points, double slender, Prepared *out)
{
    int count = rg_patch_points(points->x, points->gap, points->count, points->n, out->chosen);
    out->patch = patch_of(points, out->chosen, count, d);
    draw_movers(d, slender, out->movers);
    RgPatchProblem problem = {.nmovers = 3, .npatches = 1, .movers = out->movers, .patches = &out->patch};
    RgQuick q = {.problem = &problem};
    out->lanes.lanes = 1;
    out->lanes.patch[0] = 0;
    rg_quick_fill_lanes(&q, &out->lanes);
    const double V[RG_BODY_PLACES * 3] = {0.0};
    rg_patch_kernel.prepare(&out->lanes, 1, V);
    out->is_whole = out->lanes.rigid[0] > 0.0;
}

Test(patch_points, a_million_spreads_that_are_inverted_are_within_their_condition_number)
{
    static Prepared made;
    Draw d = draw_seed(22);
    double worst = 0.0;
    int whole = 0, apart = 0, infinite = 0;
    for (int k = 0; k < MILLION; k++) {
        Points points = draw_points(&d);
        prepare(&d, &points, 4.0, &made);
        if (made.patch.count < 3)
            continue;
        for (int i = 0; i < 3; i++)
            infinite += isfinite(made.lanes.spread[i][0]) ? 0 : 1;
        apart += made.is_whole ? 0 : 1;
        whole += made.is_whole ? 1 : 0;
        if (made.is_whole)
            worst = fmax(worst, spread_condition(&points, made.chosen, &made.patch));
    }
    cr_assert_eq(infinite, 0);
    cr_assert_geq(whole, MILLION / 10);
    cr_assert_geq(apart, MILLION / 10);
    cr_assert_leq(worst, (1.0 + 1e-4) * RG_PATCH_CONDITION, "condition number %g", worst);
    cr_assert_geq(worst, 0.5 * RG_PATCH_CONDITION, "the limit is not reached: %g", worst);
}

Test(patch_points, responses_that_are_inverted_are_within_their_condition_number)
{
    static Prepared made;
    Draw d = draw_seed(23);
    double worst = 0.0;
    int whole = 0;
    for (int k = 0; k < MILLION / 5; k++) {
        double K[6][6];
        Points points = draw_points(&d);
        prepare(&d, &points, 12.0, &made);
        if (!made.is_whole || made.patch.count < 2)
            continue;
        scaled_response(&made.patch, made.movers, made.patch.count > 2, K);
        worst = fmax(worst, condition(K));
        whole++;
    }
    cr_assert_geq(whole, MILLION / 50);
    cr_assert_leq(worst, 36.0 * RG_PATCH_DEPENDENT, "condition number %g", worst);
}

/* Points that are left out hang between those that stay: in the plane and in their gaps. */
Test(patch_points, points_left_out_are_implied_by_those_that_stay)
{
    Draw d = draw_seed(24);
    double worst = 0.0;
    int lines = 0;
    for (int k = 0; k < MILLION; k++) {
        int chosen[RG_PATCH_POINTS];
        Points p = draw_points(&d);
        for (int i = 0; i < p.count && k % 2 == 0; i++)
            p.gap[i] = 1e-3 * vec_dot(p.t[0], vec_sub(p.x[i], p.x[0]));
        int count = rg_patch_points(p.x, p.gap, p.count, p.n, chosen);
        cr_assert(count >= 1 && count <= p.count);
        if (count != 2 || p.count == 2)
            continue;
        RgVec3 line = in_plane(vec_sub(p.x[chosen[1]], p.x[chosen[0]]), p.n);
        double length = vec_norm(line);
        for (int i = 0; i < p.count; i++) {
            RgVec3 x = in_plane(vec_sub(p.x[i], p.x[chosen[0]]), p.n);
            double s = vec_dot(x, line) / (length * length);
            double sag = p.gap[i] - (1.0 - s) * p.gap[chosen[0]] - s * p.gap[chosen[1]];
            double width = vec_dot(p.n, vec_cross(x, line)) / length;
            worst = fmax(worst, fmax(fabs(sag), fabs(width)) / length);
            cr_assert(s > -1e-3 && s < 1.001, "draw %d: at %g of the line", k, s);
        }
        lines++;
    }
    cr_assert_geq(lines, 1000);
    cr_assert_leq(worst, 1.01 * LINE);
}

Test(patch_points, a_bent_line_keeps_its_points_a_straight_one_its_ends)
{
    /* On one line of the plane, on none in space: as two hulls of R2.scene touch. */
    RgVec3 n = vec(0.0, 0.0, 1.0);
    RgVec3 x[4] = {vec(0.0, 0.0, 0.002), vec(0.01, 0.0, 0.001), vec(0.03, 0.0, 0.004), vec(0.02, 0.0, 0.0)};
    double bent[4] = {-0.001, -0.003, -0.001, -0.002}, straight[4] = {0.001, 0.002, 0.004, 0.003};
    int chosen[RG_PATCH_POINTS];
    cr_assert_eq(rg_patch_points(x, bent, 3, n, chosen), 3);
    cr_assert_eq(rg_patch_points(x, bent, 4, n, chosen), 4);
    cr_assert_eq(rg_patch_points(x, straight, 4, n, chosen), 2);
    cr_assert(chosen[0] == 0 && chosen[1] == 2);
    for (int i = 1; i < 4; i++)
        x[i] = vec(0.0, 0.0, 0.001 * i);
    cr_assert_eq(rg_patch_points(x, bent, 4, n, chosen), 1);
    cr_assert_eq(chosen[0], 1, "the deepest");
}

/* By cofactors. */
static RgSym3 sym_inverse(RgSym3 a)
{
    RgSym3 c = {a.yy * a.zz - a.yz * a.yz, a.xx * a.zz - a.xz * a.xz, a.xx * a.yy - a.xy * a.xy,
                a.xz * a.yz - a.xy * a.zz, a.xy * a.yz - a.xz * a.yy, a.xy * a.xz - a.xx * a.yz};
    double per = 1.0 / (a.xx * c.xx + a.xy * c.xy + a.xz * c.xz);
    return (RgSym3){per * c.xx, per * c.yy, per * c.zz, per * c.xy, per * c.xz, per * c.yz};
}

/* Twice the kinetic energy. */
static double motion(const RgPatchProblem *p)
{
    double sum = 0.0;
    for (int i = 1; i < p->nmovers; i++) {
        const double *V = p->V + RG_BODY_PLACES * i;
        RgSym3 I = sym_inverse(p->movers[i].inverse_inertia);
        RgVec3 v = vec(V[0], V[1], V[2]), w = vec(V[3], V[4], V[5]);
        sum += vec_dot(v, v) / p->movers[i].inverse_mass + vec_dot(w, sym_apply(I, w));
    }
    return sum;
}

/* Contacts that nothing drives apart take motion away, however their points lie. */
Test(patch_points, no_patch_adds_to_the_motion)
{
    static Prepared made;
    Draw d = draw_seed(25);
    RgQuickMemory memory;
    RgQuickOptions options = rg_quick_options_default();
    double most = 0.0, apart = 0.0, V[3 * RG_BODY_PLACES] = {0.0}, V0[3 * RG_BODY_PLACES], twin[3 * RG_BODY_PLACES];
    rg_quick_memory_init(&memory, NULL);
    for (int k = 0; k < MILLION; k++) {
        Points points = draw_points(&d);
        prepare(&d, &points, 4.0, &made);
        for (int i = 0; i < 12; i++)
            V[RG_BODY_PLACES * (1 + i / 6) + i % 6] = draw_between(&d, -1.0, 1.0);
        RgPatchProblem p = {.nmovers = 3, .npatches = 1, .movers = made.movers, .patches = &made.patch, .V = V};
        RgQuickReport report;
        double before = motion(&p);
        memcpy(V0, V, sizeof V0);
        cr_assert_eq(rg_quick_solve(&memory, &p, &options, &report), RG_OK);
        most = fmax(most, motion(&p) / before);

        /* Impulses and velocities belong together. */
        momentum_velocities(&p, V0, twin);
        for (int i = 0; i < 3 * RG_BODY_PLACES; i++)
            twin[i] -= V[i];
        p.V = twin;
        apart = fmax(apart, sqrt(motion(&p) / before));
    }
    rg_quick_memory_free(&memory);
    cr_assert_leq(most, 1.0 + 1e-6, "motion grew %g times", most);
    cr_assert_leq(apart, 1e-6, "impulses are %g of the motion from the velocities", apart);
}
