/*
 * quick_newton.c - Newton step of solver `quick` on all sticking contacts of an island at once.
 *
 * Sweeps make neighbouring patches consistent. Errors that extend over a whole pile or wall decay slowly, and meanwhile
 * the pile sways. Here every point with a normal impulse, and every sticking tangent, is a row j that requires its
 * velocity J_j V to be t_j (minus C_j z_j). With weights k_j, first the velocities that come closest to that are found,
 *
 *   H dV = sum k_j J_j' e_j,    H = M + sum k_j J_j' J_j,    e_j = t_j - J_j V - C_j z_j
 *   k_j = 1 / (1 / (PENALTY kappa) + C_j),    kappa = 3 / (count (K_00 + K_11 + K_22)) of the patch
 *
 * then the impulses, by a step of the method of multipliers (Hestenes 1969) towards what these velocities attain. The
 * rows of a pile are linearly dependent and may be inconsistent; the inconsistent part must not cause impulses.
 *
 *   f_j = J_j dV + C_j k_j (e_j - J_j dV),    H dV2 = sum k_j J_j' f_j,    dz_j = k_j (f_j - J_j dV2)
 *
 * PENALTY is the number of sweeps that the step is worth for a mode: a mode that a sweep reduces by the part G is
 * reduced by PENALTY G / (1 + PENALTY G). H has a 6 x 6 block for each body and each pair in contact, and is positive
 * definite even if rows are dependent. It is factored as L L' in minimum-degree order (Tinney and Walker 1967). Four
 * points of a patch that all have normal impulses take the targets of the nearest plane, so that all rows of a patch
 * are consistent.
 *
 * Impulses that leave their bounds are projected by the next sweep. The benefit of a step is measured by E, which
 * sweeps decrease while friction bounds are fixed:
 *
 *   E = 1/2 V' M V - sum t_j z_j + 1/2 sum C_j z_j^2
 *
 * Not applied, with nothing changed: islands with rows, articulations or too many bodies, bodies that cannot move in
 * some direction, mass ratios above MAX_MASS_RATIO, and piles so dense that the factor needs more than MAX_WORK block
 * products per patch.
 */
#include "solver/quick/block_factor.h"
#include "solver/quick/quick_work.h"

#include <math.h>
#include <string.h>

/* Sweeps that a step is worth. Round-off grows with it. */
#define PENALTY 1e6
/* Per patch: blocks of L below the diagonal, and block products, beyond which the step is not worth its cost. */
#define MAX_FILL 8
#define MAX_WORK 32
/* Bodies of an island; bounds the bit sets of neighbours. */
#define MAX_BODIES 1024
/* Largest mass ratio: E is insensitive to lighter bodies, so it could not measure the benefit for them. */
#define MAX_MASS_RATIO 1e4
/* Part of the friction limit below which a tangent sticks. */
#define STICKING_FRICTION (1.0 - 1e-9)
/* Part of the diagonal: smaller pivots are round-off. */
#define PIVOT_LOST 1e-14

struct RgQuickNewton {
    RgBlockFactor *factor; /* islands; n = 0: not applicable */
    bool *analysed;        /* islands: the analysis was done, with or without success */
    RgBlock6Row *x,
        *second; /* bodies of all islands, each from its first_mover on, by place in the elimination order */
};

/* Arrays of one island. */
typedef struct Step {
    RgBlockFactor *factor;
    RgBlock6Row *x, *second;
} Step;

/* ------------------------------------------------------------------ memory */

/* Number of bodies of an island; 0: the step is not applicable. */
static int32_t count_applicable_bodies(const RgQuick *q, int32_t k)
{
    const RgIsland *island = &q->islands.island[k];
    if (island->alone || island->nrows > 0 || island->nsingles > 0 || island->nmovers > MAX_BODIES ||
        island->npatches < 2)
        return 0;
    for (int32_t i = 0; i < island->nmovers; i++)
        if (q->problem->movers[q->islands.movers[island->first_mover + i]].group >= 0)
            return 0;
    return island->nmovers;
}

/* Elimination order and pattern, which depend on the layout only. False: too much fill. */
static bool find_elimination_order(const RgQuick *q, int32_t k, RgBlockFactor *f)
{
    const RgIsland *island = &q->islands.island[k];
    const int32_t *movers = q->islands.movers + island->first_mover;
    rg_elimination_init(&f->graph);
    for (int32_t i = 0; i < f->graph.n; i++)
        q->local[movers[i]] = i;
    for (int32_t i = 0; i < island->npatches; i++) {
        const RgPatch *patch = &q->problem->patches[q->islands.patches[island->first_patch + i]];
        if (patch->mover[0] > 0 && patch->mover[1] > 0)
            rg_elimination_add_edge(&f->graph, q->local[patch->mover[0]], q->local[patch->mover[1]]);
    }
    if (!rg_elimination_find(&f->graph, (int64_t)MAX_WORK * island->npatches))
        return false;
    for (int32_t i = 0; i < f->graph.n; i++)
        q->local[movers[i]] = f->graph.place[i];
    return true;
}

bool rg_quick_newton_alloc(RgQuick *q, RgArena *arena)
{
    int32_t count = q->islands.count;
    RgQuickNewton *newton = q->newton = RG_ARENA_ALLOC(arena, RgQuickNewton, 1);
    q->local = RG_ARENA_ALLOC_RAW(arena, int32_t, q->problem->nmovers);
    if (arena->failed)
        return false;
    newton->factor = RG_ARENA_ALLOC(arena, RgBlockFactor, count);
    newton->analysed = RG_ARENA_ALLOC(arena, bool, count);
    newton->x = RG_ARENA_ALLOC_RAW(arena, RgBlock6Row, q->problem->nmovers);
    newton->second = RG_ARENA_ALLOC_RAW(arena, RgBlock6Row, q->problem->nmovers);
    if (arena->failed)
        return false;
    for (int32_t k = 0; k < count; k++) {
        newton->factor[k].graph.n = count_applicable_bodies(q, k);
        newton->factor[k].graph.room = newton->factor[k].graph.n > 0 ? MAX_FILL * q->islands.island[k].npatches : 0;
    }
    return rg_block_factors_alloc(arena, newton->factor, count);
}

/* ------------------------------------------------------------------ rows of a patch */

/* Active rows of a patch. */
typedef struct ActiveRows {
    double n[RG_PATCH_POINTS], t[RG_PATCH_POINTS][2]; /* weights k_j; 0: not active */
    bool plane;                                       /* all points are active: the targets are those of the plane */
} ActiveRows;

/* A patch with its active rows and one value per row. */
typedef struct PatchRows {
    const RgPatch *patch;
    RgPatchLanes *lanes;
    int lane;
    ActiveRows active;
    double e[RG_PATCH_POINTS][3];
} PatchRows;

static double weight(double kappa, double compliance)
{
    return 1.0 / (1.0 / (PENALTY * kappa) + compliance);
}

static ActiveRows find_active_rows(const RgPatch *patch, const RgPatchLanes *l, int lane)
{
    ActiveRows active = {.plane = true};
    bool whole = l->whole[lane] > 0.0;
    double kappa = 3.0 / ((l->K[0][lane] + l->K[2][lane] + l->K[5][lane]) * patch->count);
    for (int i = 0; i < patch->count; i++) {
        double n = l->z[i][0][lane], a = l->z[i][1][lane] * l->stretch[0][lane],
               b = l->z[i][2][lane] * l->stretch[1][lane], most = l->mu[lane] * n * STICKING_FRICTION;
        bool is_active = whole || n > 0.0, has_friction = l->mu[lane] > 0.0;
        bool sticks = has_friction && (whole || a * a + b * b < most * most);
        active.plane = active.plane && is_active;
        active.n[i] = is_active ? weight(kappa, patch->compliance[0]) : 0.0;
        for (int k = 0; k < 2; k++)
            active.t[i][k] = sticks && patch->mu[k] > 0.0 ? weight(kappa, patch->compliance[1 + k]) : 0.0;
    }
    return active;
}

/* Velocity of B minus that of A at the mean, in the axes of the patch. */
static void relative_velocity(const RgPatch *patch, const double *A, const double *B, double y[6])
{
    const double *of[2] = {A, B};
    RgVec3 u = v3_zero(), w = v3_zero();
    for (int side = 0; side < 2; side++) {
        if (patch->mover[side] == 0)
            continue;
        double sign = side == 1 ? 1.0 : -1.0;
        RgVec3 v = {of[side][0], of[side][1], of[side][2]}, turn = {of[side][3], of[side][4], of[side][5]};
        u = v3_axpy(sign, v3_add(v, v3_cross(turn, patch->arm[side])), u);
        w = v3_axpy(sign, turn, w);
    }
    for (int i = 0; i < 3; i++) {
        y[i] = v3_dot(patch->axis[i], u);
        y[3 + i] = v3_dot(patch->axis[i], w);
    }
}

/* The same, from velocities by place in the elimination order. */
static void relative_velocity_x(const RgQuick *q, RgBlock6Row *x, const RgPatch *patch, double y[6])
{
    static const RgBlock6Row still = {0.0};
    const double *of[2];
    for (int side = 0; side < 2; side++)
        of[side] = patch->mover[side] > 0 ? x[q->local[patch->mover[side]]] : still;
    relative_velocity(patch, of[0], of[1], y);
}

/* Velocities of point i along n, t1, t2. */
static void point_velocity(const RgPatch *patch, int i, const double y[6], double v[3])
{
    double s = patch->place[i][0], r = patch->place[i][1];
    v[0] = y[2] + r * y[3] - s * y[4];
    v[1] = y[0] - r * y[5];
    v[2] = y[1] + s * y[5];
}

/* Active rows of a patch and their errors e at V_before. */
static PatchRows evaluate_patch(const RgQuick *q, RgPatchLanes *l, int lane)
{
    PatchRows rows = {.patch = &q->problem->patches[l->patch[lane]], .lanes = l, .lane = lane};
    const RgPatch *patch = rows.patch;
    double y[6], v[3];
    rows.active = find_active_rows(patch, l, lane);
    relative_velocity(patch, q->V_before + RG_BODY_PLACES * patch->mover[0],
                      q->V_before + RG_BODY_PLACES * patch->mover[1], y);
    for (int i = 0; i < patch->count; i++) {
        double s = patch->place[i][0], r = patch->place[i][1];
        double plane = l->aim[2][lane] + r * l->aim[3][lane] - s * l->aim[4][lane];
        point_velocity(patch, i, y, v);
        rows.e[i][0] = (rows.active.plane ? plane : patch->target[i]) - v[0];
        rows.e[i][1] = -v[1];
        rows.e[i][2] = -v[2];
        for (int c = 0; c < 3; c++)
            rows.e[i][c] -= patch->compliance[c] * l->z[i][c][lane];
    }
    return rows;
}

/* e <- e - J x */
static void subtract_velocity(const RgQuick *q, RgBlock6Row *x, PatchRows *rows)
{
    double y[6], v[3];
    relative_velocity_x(q, x, rows->patch, y);
    for (int i = 0; i < rows->patch->count; i++) {
        point_velocity(rows->patch, i, y, v);
        for (int c = 0; c < 3; c++)
            rows->e[i][c] -= v[c];
    }
}

/* e <- k e */
static void apply_weights(PatchRows *rows)
{
    for (int i = 0; i < rows->patch->count; i++) {
        rows->e[i][0] *= rows->active.n[i];
        rows->e[i][1] *= rows->active.t[i][0];
        rows->e[i][2] *= rows->active.t[i][1];
    }
}

/* e <- the attainable part: f = J x + C k (e - J x) */
static void replace_by_attained(const RgQuick *q, RgBlock6Row *x, PatchRows *rows)
{
    double y[6], v[3];
    subtract_velocity(q, x, rows);
    apply_weights(rows);
    relative_velocity_x(q, x, rows->patch, y);
    for (int i = 0; i < rows->patch->count; i++) {
        point_velocity(rows->patch, i, y, v);
        for (int c = 0; c < 3; c++)
            rows->e[i][c] = rows->patch->compliance[c] * rows->e[i][c] + v[c];
    }
}

/* Wrench of e at the mean, in world axes. */
static void wrench_of(const PatchRows *rows, RgVec3 *f, RgVec3 *m)
{
    const RgPatch *patch = rows->patch;
    double W[6] = {0.0};
    for (int i = 0; i < patch->count; i++) {
        double s = patch->place[i][0], r = patch->place[i][1];
        const double *e = rows->e[i];
        W[0] += e[1];
        W[1] += e[2];
        W[2] += e[0];
        W[3] += r * e[0];
        W[4] -= s * e[0];
        W[5] += s * e[2] - r * e[1];
    }
    *f = *m = v3_zero();
    for (int i = 0; i < 3; i++) {
        *f = v3_axpy(W[i], patch->axis[i], *f);
        *m = v3_axpy(W[3 + i], patch->axis[i], *m);
    }
}

/* ------------------------------------------------------------------ the matrix */

/* sum k_j a_j a_j' over the rows of a patch, in its axes at the mean */
static void patch_stiffness(const RgPatch *patch, const ActiveRows *active, RgBlock6 S)
{
    memset(S, 0, sizeof(RgBlock6));
    for (int i = 0; i < patch->count; i++) {
        double s = patch->place[i][0], r = patch->place[i][1], n = active->n[i], a = active->t[i][0],
               b = active->t[i][1];
        S[0][0] += a;
        S[1][1] += b;
        S[2][2] += n;
        S[2][3] += n * r;
        S[2][4] -= n * s;
        S[3][3] += n * r * r;
        S[3][4] -= n * r * s;
        S[4][4] += n * s * s;
        S[0][5] -= a * r;
        S[1][5] += b * s;
        S[5][5] += a * r * r + b * s * s;
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            S[i][j] = S[j][i];
}

/* Jacobian of the velocity at the mean, in the axes of the patch, over V of a body. */
static void side_jacobian(const RgPatch *patch, int side, RgBlock6 J)
{
    RgVec3 arm = patch->arm[side];
    memset(J, 0, sizeof(RgBlock6));
    for (int i = 0; i < 3; i++) {
        RgVec3 axis = patch->axis[i], turn = v3_cross(arm, axis);
        J[i][0] = J[3 + i][3] = axis.x;
        J[i][1] = J[3 + i][4] = axis.y;
        J[i][2] = J[3 + i][5] = axis.z;
        J[i][3] = turn.x;
        J[i][4] = turn.y;
        J[i][5] = turn.z;
    }
}

static void add_patch(const RgQuick *q, RgBlockFactor *f, const RgPatch *patch, const ActiveRows *active)
{
    const RgBlock6Kernel *kernel = rg_block6();
    RgBlock6 S, J[2], SJ[2];
    int32_t at[2] = {-1, -1};
    patch_stiffness(patch, active, S);
    for (int side = 0; side < 2; side++)
        if (patch->mover[side] > 0) {
            at[side] = q->local[patch->mover[side]];
            side_jacobian(patch, side, J[side]);
            kernel->times(S, J[side], SJ[side]);
            kernel->add_product(f->diagonal[at[side]], 1.0, J[side], SJ[side]);
        }
    if (at[0] < 0 || at[1] < 0)
        return;
    int row = at[0] > at[1] ? 0 : 1;
    kernel->add_product(rg_block_factor_at(f, at[row], at[1 - row]), -1.0, J[1 - row], SJ[row]);
}

/* x += J' e */
static void add_force(const RgQuick *q, RgBlock6Row *all, const PatchRows *rows)
{
    RgVec3 f, m;
    wrench_of(rows, &f, &m);
    for (int side = 0; side < 2; side++) {
        if (rows->patch->mover[side] == 0)
            continue;
        double *x = all[q->local[rows->patch->mover[side]]], sign = side == 1 ? 1.0 : -1.0;
        RgVec3 turn = v3_add(m, v3_cross(rows->patch->arm[side], f));
        x[0] += sign * f.x;
        x[1] += sign * f.y;
        x[2] += sign * f.z;
        x[3] += sign * turn.x;
        x[4] += sign * turn.y;
        x[5] += sign * turn.z;
    }
}

/* M of a body. False: it cannot move in some direction. */
static bool mass_matrix(const RgSolverBody *m, RgBlock6 D)
{
    RgSym3 w = m->inverse_inertia;
    double xx = w.yy * w.zz - w.yz * w.yz, xy = w.xz * w.yz - w.xy * w.zz, xz = w.xy * w.yz - w.xz * w.yy;
    double det = w.xx * xx + w.xy * xy + w.xz * xz;
    memset(D, 0, sizeof(RgBlock6));
    if (!(m->inverse_mass > 0.0) || !(det > 0.0))
        return false;
    double per = 1.0 / det;
    D[0][0] = D[1][1] = D[2][2] = 1.0 / m->inverse_mass;
    D[3][3] = per * xx;
    D[3][4] = D[4][3] = per * xy;
    D[3][5] = D[5][3] = per * xz;
    D[4][4] = per * (w.xx * w.zz - w.xz * w.xz);
    D[4][5] = D[5][4] = per * (w.xy * w.xz - w.xx * w.yz);
    D[5][5] = per * (w.xx * w.yy - w.xy * w.xy);
    return isfinite(D[3][3] + D[4][4] + D[5][5]);
}

/* ------------------------------------------------------------------ the step */

/* An operation on every patch of an island. */
typedef void PatchAction(const RgQuick *q, const Step *s, PatchRows *rows);

static void for_patches(const RgQuick *q, int32_t k, const Step *s, PatchAction *action)
{
    for (int32_t i = q->first_lanes[k]; i < q->first_lanes[k + 1]; i++)
        for (int lane = 0; lane < q->lanes[i].lanes; lane++) {
            PatchRows rows = evaluate_patch(q, &q->lanes[i], lane);
            action(q, s, &rows);
        }
}

/* Adds the terms of a patch to the matrix and the first right-hand side. */
static void add_patch_terms(const RgQuick *q, const Step *s, PatchRows *rows)
{
    add_patch(q, s->factor, rows->patch, &rows->active);
    apply_weights(rows);
    add_force(q, s->x, rows);
}

/* Adds the terms of a patch to the second right-hand side: the attainable part of its errors. */
static void add_attained_terms(const RgQuick *q, const Step *s, PatchRows *rows)
{
    replace_by_attained(q, s->x, rows);
    apply_weights(rows);
    add_force(q, s->second, rows);
}

/* Initialises the matrix with M. False: some body cannot move in some direction. */
static bool init_matrix(const RgQuick *q, int32_t k, const Step *s)
{
    RgBlockFactor *f = s->factor;
    const int32_t *movers = q->islands.movers + q->islands.island[k].first_mover;
    memset(s->x, 0, (size_t)f->graph.n * sizeof *s->x);
    memset(s->second, 0, (size_t)f->graph.n * sizeof *s->second);
    rg_block_factor_clear(f);
    for (int32_t i = 0; i < f->graph.n; i++)
        if (!mass_matrix(&q->problem->movers[movers[i]], f->diagonal[f->graph.place[i]]))
            return false;
    return true;
}

/* Redistributes tangential impulses in proportion to the normal impulses, with the same wrench. */
static void redistribute_tangents(const RgPatch *patch, RgPatchLanes *l, int lane)
{
    double N = 0.0, cs = 0.0, cr = 0.0, a = 0.0, b = 0.0, moment = 0.0, inertia = 0.0;
    for (int i = 0; i < patch->count; i++) {
        double s = patch->place[i][0], r = patch->place[i][1];
        N += l->z[i][0][lane];
        cs += l->z[i][0][lane] * s;
        cr += l->z[i][0][lane] * r;
        a += l->z[i][1][lane];
        b += l->z[i][2][lane];
        moment += s * l->z[i][2][lane] - r * l->z[i][1][lane];
    }
    if (!(N > 0.0))
        return;
    cs /= N;
    cr /= N;
    for (int i = 0; i < patch->count; i++) {
        double s = patch->place[i][0] - cs, r = patch->place[i][1] - cr;
        inertia += l->z[i][0][lane] * (s * s + r * r);
    }
    double turn = inertia > 0.0 ? (moment - cs * b + cr * a) / inertia : 0.0;
    for (int i = 0; i < patch->count; i++) {
        double n = l->z[i][0][lane];
        l->z[i][1][lane] = n * (a / N - turn * (patch->place[i][1] - cr));
        l->z[i][2][lane] = n * (b / N + turn * (patch->place[i][0] - cs));
    }
}

/* Updates velocities by the impulses e. Adding dV instead would make velocities and impulses differ by its
   round-off. */
static void update_velocities(const RgQuick *q, const PatchRows *rows)
{
    RgVec3 f, m;
    wrench_of(rows, &f, &m);
    for (int side = 0; side < 2; side++) {
        int32_t number = rows->patch->mover[side];
        const RgSolverBody *mover = &q->problem->movers[number];
        double *V = q->problem->V + RG_BODY_PLACES * number, sign = side == 1 ? 1.0 : -1.0;
        if (number == 0)
            continue;
        RgVec3 w = s3_apply(mover->inverse_inertia, v3_add(m, v3_cross(rows->patch->arm[side], f)));
        V[0] += sign * mover->inverse_mass * f.x;
        V[1] += sign * mover->inverse_mass * f.y;
        V[2] += sign * mover->inverse_mass * f.z;
        V[3] += sign * w.x;
        V[4] += sign * w.y;
        V[5] += sign * w.z;
    }
}

/* Updates the impulses of a patch and the velocities. */
static void update_patch(const RgQuick *q, const Step *s, PatchRows *rows)
{
    replace_by_attained(q, s->x, rows);
    subtract_velocity(q, s->second, rows);
    apply_weights(rows);
    for (int i = 0; i < rows->patch->count; i++)
        for (int c = 0; c < 3; c++)
            rows->lanes->z[i][c][rows->lane] += rows->e[i][c];
    if (rows->lanes->whole[rows->lane] > 0.0)
        redistribute_tangents(rows->patch, rows->lanes, rows->lane);
    update_velocities(q, rows);
}

/* 1/2 V' M V of a body; HUGE_VAL if it cannot move in some direction. */
static double kinetic(const RgSolverBody *mover, const double *V)
{
    RgBlock6 M;
    double sum = 0.0;
    if (!mass_matrix(mover, M))
        return HUGE_VAL;
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++)
            sum += 0.5 * V[a] * M[a][b] * V[b];
    return sum;
}

/* Contribution of a patch to E. */
static double patch_energy(const RgPatch *patch, const RgPatchLanes *l, int lane)
{
    double sum = 0.0;
    for (int i = 0; i < patch->count; i++) {
        sum -= l->z[i][0][lane] * patch->target[i];
        for (int c = 0; c < 3; c++)
            sum += 0.5 * patch->compliance[c] * l->z[i][c][lane] * l->z[i][c][lane];
    }
    return sum;
}

double rg_quick_newton_energy(const RgQuick *q, int32_t k)
{
    const RgIsland *island = &q->islands.island[k];
    double sum = 0.0;
    for (int32_t i = 0; i < island->nmovers; i++) {
        int32_t mover = q->islands.movers[island->first_mover + i];
        sum += kinetic(&q->problem->movers[mover], q->problem->V + RG_BODY_PLACES * mover);
    }
    for (int32_t i = q->first_lanes[k]; i < q->first_lanes[k + 1]; i++)
        for (int lane = 0; lane < q->lanes[i].lanes; lane++)
            sum += patch_energy(&q->problem->patches[q->lanes[i].patch[lane]], &q->lanes[i], lane);
    return sum;
}

bool rg_quick_newton_is_applicable(const RgQuick *q, int32_t k)
{
    const RgIsland *island = &q->islands.island[k];
    RgBlockFactor *f = &q->newton->factor[k];
    double most = 0.0, least = HUGE_VAL;
    if (f->graph.n > 0 && !q->newton->analysed[k])
        f->graph.n = find_elimination_order(q, k, f) ? f->graph.n : 0;
    q->newton->analysed[k] = true;
    for (int32_t i = 0; i < f->graph.n; i++) {
        double inverse = q->problem->movers[q->islands.movers[island->first_mover + i]].inverse_mass;
        most = inverse > most ? inverse : most;
        least = inverse < least ? inverse : least;
    }
    return f->graph.n > 0 && most <= MAX_MASS_RATIO * least;
}

bool rg_quick_newton_step(const RgQuick *q, int32_t k)
{
    int32_t first = q->islands.island[k].first_mover;
    Step s = {&q->newton->factor[k], q->newton->x + first, q->newton->second + first};
    if (!init_matrix(q, k, &s))
        return false;
    for_patches(q, k, &s, add_patch_terms);
    if (!rg_block_factor(s.factor, PIVOT_LOST))
        return false;
    rg_block_solve(s.factor, s.x);
    for_patches(q, k, &s, add_attained_terms);
    rg_block_solve(s.factor, s.second);
    for_patches(q, k, &s, update_patch);
    return true;
}
