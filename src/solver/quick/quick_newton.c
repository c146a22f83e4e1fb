/*
 * quick_newton.c - all patches of an island that hold, at once: a step of Newton's method for solver `quick`.
 *
 * Sweeps bring near patches to agree. What goes through a whole pile or wall they remove slowly, and while they do,
 * the pile sways. Here every point that presses, and every tangent that sticks, is a row j: its velocity J_j V
 * shall be t_j (less C_j z_j). With weights k_j, first the velocities that come nearest to that,
 *
 *   H dV = sum k_j J_j' e_j,    H = M + sum k_j J_j' J_j,    e_j = t_j - J_j V - C_j z_j
 *   k_j = 1 / (1 / (RHO kappa) + C_j),    kappa = 3 / (count (K_00 + K_11 + K_22)) of the patch
 *
 * then the impulses, by a step of the method of multipliers (Hestenes 1969) towards what these velocities attain.
 * Rows of a pile depend on each other and ask for what cannot be: of that no impulse must come.
 *
 *   f_j = J_j dV + C_j k_j (e_j - J_j dV),    H dV2 = sum k_j J_j' f_j,    dz_j = k_j (f_j - J_j dV2)
 *
 * RHO is how many sweeps this is worth to a mode: what a sweep reduces by the part G, it does by RHO G / (1 + RHO G).
 * H has a block of 6 x 6 for each mover and each pair that touches, and is positive definite whatever depends on
 * what. It is factored as L L', movers of least degree first (Tinney and Walker 1967), neighbours being bit sets. Four
 * points that press take the targets of the plane nearest to theirs, so that all rows of a patch can be met.
 *
 * What leaves its bounds is put right by the next sweep. Whether the step was any good, E says, which sweeps make
 * smaller while friction's bounds stay:
 *
 *   E = 1/2 V' M V - sum t_j z_j + 1/2 sum C_j z_j^2
 *
 * Refused, with nothing changed: rows, groups or too many movers in the island, movers that some push does not move
 * or whose masses differ by more than MASS_RATIO, and piles so thick that the factor takes more than WORK
 * products of blocks a patch.
 */
#include "solver/quick/block_factor.h"
#include "solver/quick/quick_work.h"

#include <math.h>
#include <string.h>

/* Sweeps that a step is worth. Round-off grows with it. */
#define RHO 1e6
/* For each patch: blocks of L below the diagonal, and products of two blocks, that are worth it. */
#define FILL 8
#define WORK 32
#define MOST_MOVERS 1024
/* Masses may differ so many times: E is blind to what is lighter by more, and so would be its judgement. */
#define MASS_RATIO 1e4
/* Part of the friction limit below which a tangent sticks. */
#define STICKS (1.0 - 1e-9)
/* Pivots below this part of the diagonal are round-off. */
#define LOST 1e-14

struct RgQuickNewton {
    RgBlockFactor *factor; /* islands; n = 0: not for this one */
    bool *analysed;        /* islands: order and pattern are known, or that there is too much fill */
    RgSix *x, *second;     /* movers of all islands, each from its first_mover on, by place in the order */
};

/* Of one island. */
typedef struct Step {
    RgBlockFactor *factor;
    RgSix *x, *second;
} Step;

/* ------------------------------------------------------------------ memory */

/* Movers of an island that takes part; 0: it does not. */
static int32_t size_of(const RgQuick *q, int32_t k)
{
    const RgIsland *island = &q->islands.island[k];
    if (island->alone || island->nrows > 0 || island->nsingles > 0 || island->nmovers > MOST_MOVERS ||
        island->npatches < 2)
        return 0;
    for (int32_t i = 0; i < island->nmovers; i++)
        if (q->problem->movers[q->islands.movers[island->first_mover + i]].group >= 0)
            return 0;
    return island->nmovers;
}

/* Order and pattern, which follow from the layout alone. False: too much fill. */
static bool analyse(const RgQuick *q, int32_t k, RgBlockFactor *f)
{
    const RgIsland *island = &q->islands.island[k];
    const int32_t *movers = q->islands.movers + island->first_mover;
    rg_elimination_begin(&f->graph);
    for (int32_t i = 0; i < f->graph.n; i++)
        q->local[movers[i]] = i;
    for (int32_t i = 0; i < island->npatches; i++) {
        const RgPatch *patch = &q->problem->patches[q->islands.patches[island->first_patch + i]];
        if (patch->mover[0] > 0 && patch->mover[1] > 0)
            rg_elimination_touch(&f->graph, q->local[patch->mover[0]], q->local[patch->mover[1]]);
    }
    if (!rg_elimination_find(&f->graph, (int64_t)WORK * island->npatches))
        return false;
    for (int32_t i = 0; i < f->graph.n; i++)
        q->local[movers[i]] = f->graph.place[i];
    return true;
}

bool rg_quick_newton_take(RgQuick *q, RgArena *arena)
{
    int32_t count = q->islands.count;
    RgQuickNewton *newton = q->newton = RG_TAKE(arena, RgQuickNewton, 1);
    q->local = RG_TAKE_RAW(arena, int32_t, q->problem->nmovers);
    if (arena->failed)
        return false;
    newton->factor = RG_TAKE(arena, RgBlockFactor, count);
    newton->analysed = RG_TAKE(arena, bool, count);
    newton->x = RG_TAKE_RAW(arena, RgSix, q->problem->nmovers);
    newton->second = RG_TAKE_RAW(arena, RgSix, q->problem->nmovers);
    if (arena->failed)
        return false;
    for (int32_t k = 0; k < count; k++) {
        newton->factor[k].graph.n = size_of(q, k);
        newton->factor[k].graph.room = newton->factor[k].graph.n > 0 ? FILL * q->islands.island[k].npatches : 0;
    }
    return rg_block_factors_take(arena, newton->factor, count);
}

/* ------------------------------------------------------------------ rows of a patch */

/* What of a patch holds. */
typedef struct Hold {
    double n[RG_PATCH_POINTS], t[RG_PATCH_POINTS][2]; /* weights k_j; 0: not a row */
    bool plane;                                       /* the targets are those of the plane */
} Hold;

/* A patch as the step sees it, and a number for each of its rows. */
typedef struct Seen {
    const RgPatch *patch;
    RgPatchLanes *lanes;
    int lane;
    Hold hold;
    double e[RG_PATCH_POINTS][3];
} Seen;

static double weight(double kappa, double compliance)
{
    return 1.0 / (1.0 / (RHO * kappa) + compliance);
}

static Hold hold_of(const RgPatch *patch, const RgPatchLanes *l, int lane)
{
    Hold hold = {.plane = true};
    bool whole = l->whole[lane] > 0.0;
    double kappa = 3.0 / ((l->K[0][lane] + l->K[2][lane] + l->K[5][lane]) * patch->count);
    for (int i = 0; i < patch->count; i++) {
        double n = l->z[i][0][lane], a = l->z[i][1][lane] * l->stretch[0][lane],
               b = l->z[i][2][lane] * l->stretch[1][lane], most = l->mu[lane] * n * STICKS;
        bool presses = whole || n > 0.0, rubs = l->mu[lane] > 0.0;
        bool sticks = rubs && (whole || a * a + b * b < most * most);
        hold.plane = hold.plane && presses;
        hold.n[i] = presses ? weight(kappa, patch->compliance[0]) : 0.0;
        for (int k = 0; k < 2; k++)
            hold.t[i][k] = sticks && patch->mu[k] > 0.0 ? weight(kappa, patch->compliance[1 + k]) : 0.0;
    }
    return hold;
}

/* Velocity of B less that of A at the mean, in the patch's axes. */
static void relative(const RgPatch *patch, const double *A, const double *B, double y[6])
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

/* The same of velocities by place in the order. */
static void relative_x(const RgQuick *q, RgSix *x, const RgPatch *patch, double y[6])
{
    static const RgSix still = {0.0};
    const double *of[2];
    for (int side = 0; side < 2; side++)
        of[side] = patch->mover[side] > 0 ? x[q->local[patch->mover[side]]] : still;
    relative(patch, of[0], of[1], y);
}

/* Velocities of point i along n, t1, t2. */
static void at_point(const RgPatch *patch, int i, const double y[6], double v[3])
{
    double s = patch->place[i][0], r = patch->place[i][1];
    v[0] = y[2] + r * y[3] - s * y[4];
    v[1] = y[0] - r * y[5];
    v[2] = y[1] + s * y[5];
}

/* A patch and what its rows lack at V_before. */
static Seen look(const RgQuick *q, RgPatchLanes *l, int lane)
{
    Seen seen = {.patch = &q->problem->patches[l->patch[lane]], .lanes = l, .lane = lane};
    const RgPatch *patch = seen.patch;
    double y[6], v[3];
    seen.hold = hold_of(patch, l, lane);
    relative(patch, q->V_before + RG_MOVER_PLACES * patch->mover[0], q->V_before + RG_MOVER_PLACES * patch->mover[1],
             y);
    for (int i = 0; i < patch->count; i++) {
        double s = patch->place[i][0], r = patch->place[i][1];
        double plane = l->aim[2][lane] + r * l->aim[3][lane] - s * l->aim[4][lane];
        at_point(patch, i, y, v);
        seen.e[i][0] = (seen.hold.plane ? plane : patch->target[i]) - v[0];
        seen.e[i][1] = -v[1];
        seen.e[i][2] = -v[2];
        for (int c = 0; c < 3; c++)
            seen.e[i][c] -= patch->compliance[c] * l->z[i][c][lane];
    }
    return seen;
}

/* e becomes e - J x */
static void take_off(const RgQuick *q, RgSix *x, Seen *seen)
{
    double y[6], v[3];
    relative_x(q, x, seen->patch, y);
    for (int i = 0; i < seen->patch->count; i++) {
        at_point(seen->patch, i, y, v);
        for (int c = 0; c < 3; c++)
            seen->e[i][c] -= v[c];
    }
}

/* e becomes k e */
static void weigh(Seen *seen)
{
    for (int i = 0; i < seen->patch->count; i++) {
        seen->e[i][0] *= seen->hold.n[i];
        seen->e[i][1] *= seen->hold.t[i][0];
        seen->e[i][2] *= seen->hold.t[i][1];
    }
}

/* e becomes what can be met of it: f = J x + C k (e - J x). */
static void attain(const RgQuick *q, RgSix *x, Seen *seen)
{
    double y[6], v[3];
    take_off(q, x, seen);
    weigh(seen);
    relative_x(q, x, seen->patch, y);
    for (int i = 0; i < seen->patch->count; i++) {
        at_point(seen->patch, i, y, v);
        for (int c = 0; c < 3; c++)
            seen->e[i][c] = seen->patch->compliance[c] * seen->e[i][c] + v[c];
    }
}

/* The wrench of e at the mean, in the world's axes. */
static void wrench_of(const Seen *seen, RgVec3 *f, RgVec3 *m)
{
    const RgPatch *patch = seen->patch;
    double W[6] = {0.0};
    for (int i = 0; i < patch->count; i++) {
        double s = patch->place[i][0], r = patch->place[i][1];
        const double *e = seen->e[i];
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

/* sum k_j a_j a_j' over the rows of a patch, in its axes at the mean. */
static void stiffness(const RgPatch *patch, const Hold *hold, RgBlock6 S)
{
    memset(S, 0, sizeof(RgBlock6));
    for (int i = 0; i < patch->count; i++) {
        double s = patch->place[i][0], r = patch->place[i][1], n = hold->n[i], a = hold->t[i][0], b = hold->t[i][1];
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

/* Velocity at the mean, in the patch's axes, of a mover's V. */
static void jacobian(const RgPatch *patch, int side, RgBlock6 J)
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

static void add_patch(const RgQuick *q, RgBlockFactor *f, const RgPatch *patch, const Hold *hold)
{
    const RgBlock6Kernel *kernel = rg_block6();
    RgBlock6 S, J[2], SJ[2];
    int32_t at[2] = {-1, -1};
    stiffness(patch, hold, S);
    for (int side = 0; side < 2; side++)
        if (patch->mover[side] > 0) {
            at[side] = q->local[patch->mover[side]];
            jacobian(patch, side, J[side]);
            kernel->times(S, J[side], SJ[side]);
            kernel->add_product(f->diagonal[at[side]], 1.0, J[side], SJ[side]);
        }
    if (at[0] < 0 || at[1] < 0)
        return;
    int row = at[0] > at[1] ? 0 : 1;
    kernel->add_product(rg_block_factor_at(f, at[row], at[1 - row]), -1.0, J[1 - row], SJ[row]);
}

/* x += J' e */
static void add_force(const RgQuick *q, RgSix *all, const Seen *seen)
{
    RgVec3 f, m;
    wrench_of(seen, &f, &m);
    for (int side = 0; side < 2; side++) {
        if (seen->patch->mover[side] == 0)
            continue;
        double *x = all[q->local[seen->patch->mover[side]]], sign = side == 1 ? 1.0 : -1.0;
        RgVec3 turn = v3_add(m, v3_cross(seen->patch->arm[side], f));
        x[0] += sign * f.x;
        x[1] += sign * f.y;
        x[2] += sign * f.z;
        x[3] += sign * turn.x;
        x[4] += sign * turn.y;
        x[5] += sign * turn.z;
    }
}

/* M of a mover. False: it cannot move in some direction. */
static bool begin_diagonal(const RgMover *m, RgBlock6 D)
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

/* Something done with every patch of an island. */
typedef void Act(const RgQuick *q, const Step *s, Seen *seen);

static void for_patches(const RgQuick *q, int32_t k, const Step *s, Act *act)
{
    for (int32_t i = q->first_lanes[k]; i < q->first_lanes[k + 1]; i++)
        for (int lane = 0; lane < q->lanes[i].lanes; lane++) {
            Seen seen = look(q, &q->lanes[i], lane);
            act(q, s, &seen);
        }
}

/* Its part of the matrix and of the right side. */
static void add_seen(const RgQuick *q, const Step *s, Seen *seen)
{
    add_patch(q, s->factor, seen->patch, &seen->hold);
    weigh(seen);
    add_force(q, s->x, seen);
}

/* Its part of the second right side: what the first solution has shown that can be met. */
static void add_attained(const RgQuick *q, const Step *s, Seen *seen)
{
    attain(q, s->x, seen);
    weigh(seen);
    add_force(q, s->second, seen);
}

/* M on the diagonal. False: some mover cannot move in some direction. */
static bool begin_matrix(const RgQuick *q, int32_t k, const Step *s)
{
    RgBlockFactor *f = s->factor;
    const int32_t *movers = q->islands.movers + q->islands.island[k].first_mover;
    memset(s->x, 0, (size_t)f->graph.n * sizeof *s->x);
    memset(s->second, 0, (size_t)f->graph.n * sizeof *s->second);
    rg_block_factor_clear(f);
    for (int32_t i = 0; i < f->graph.n; i++)
        if (!begin_diagonal(&q->problem->movers[movers[i]], f->diagonal[f->graph.place[i]]))
            return false;
    return true;
}

/* The tangents that make the same wrench as these, as parts of the normals. */
static void share_tangents(const RgPatch *patch, RgPatchLanes *l, int lane)
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

/* Velocities after e: not by dV itself, whose round-off would part them from the impulses. */
static void push(const RgQuick *q, const Seen *seen)
{
    RgVec3 f, m;
    wrench_of(seen, &f, &m);
    for (int side = 0; side < 2; side++) {
        int32_t number = seen->patch->mover[side];
        const RgMover *mover = &q->problem->movers[number];
        double *V = q->problem->V + RG_MOVER_PLACES * number, sign = side == 1 ? 1.0 : -1.0;
        if (number == 0)
            continue;
        RgVec3 w = s3_apply(mover->inverse_inertia, v3_add(m, v3_cross(seen->patch->arm[side], f)));
        V[0] += sign * mover->inverse_mass * f.x;
        V[1] += sign * mover->inverse_mass * f.y;
        V[2] += sign * mover->inverse_mass * f.z;
        V[3] += sign * w.x;
        V[4] += sign * w.y;
        V[5] += sign * w.z;
    }
}

/* Impulses and what they do to the velocities. */
static void apply(const RgQuick *q, const Step *s, Seen *seen)
{
    attain(q, s->x, seen);
    take_off(q, s->second, seen);
    weigh(seen);
    for (int i = 0; i < seen->patch->count; i++)
        for (int c = 0; c < 3; c++)
            seen->lanes->z[i][c][seen->lane] += seen->e[i][c];
    if (seen->lanes->whole[seen->lane] > 0.0)
        share_tangents(seen->patch, seen->lanes, seen->lane);
    push(q, seen);
}

/* 1/2 V' M V of a mover. */
static double kinetic(const RgMover *mover, const double *V)
{
    RgBlock6 M;
    double sum = 0.0;
    if (!begin_diagonal(mover, M))
        return HUGE_VAL;
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++)
            sum += 0.5 * V[a] * M[a][b] * V[b];
    return sum;
}

/* What a patch has to do with the energy. */
static double spent(const RgPatch *patch, const RgPatchLanes *l, int lane)
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
        sum += kinetic(&q->problem->movers[mover], q->problem->V + RG_MOVER_PLACES * mover);
    }
    for (int32_t i = q->first_lanes[k]; i < q->first_lanes[k + 1]; i++)
        for (int lane = 0; lane < q->lanes[i].lanes; lane++)
            sum += spent(&q->problem->patches[q->lanes[i].patch[lane]], &q->lanes[i], lane);
    return sum;
}

bool rg_quick_newton_fits(const RgQuick *q, int32_t k)
{
    const RgIsland *island = &q->islands.island[k];
    RgBlockFactor *f = &q->newton->factor[k];
    double most = 0.0, least = HUGE_VAL;
    if (f->graph.n > 0 && !q->newton->analysed[k])
        f->graph.n = analyse(q, k, f) ? f->graph.n : 0;
    q->newton->analysed[k] = true;
    for (int32_t i = 0; i < f->graph.n; i++) {
        double inverse = q->problem->movers[q->islands.movers[island->first_mover + i]].inverse_mass;
        most = inverse > most ? inverse : most;
        least = inverse < least ? inverse : least;
    }
    return f->graph.n > 0 && most <= MASS_RATIO * least;
}

bool rg_quick_newton_step(const RgQuick *q, int32_t k)
{
    int32_t first = q->islands.island[k].first_mover;
    Step s = {&q->newton->factor[k], q->newton->x + first, q->newton->second + first};
    if (!begin_matrix(q, k, &s))
        return false;
    for_patches(q, k, &s, add_seen);
    if (!rg_block_factor(s.factor, LOST))
        return false;
    rg_block_solve(s.factor, s.x);
    for_patches(q, k, &s, add_attained);
    rg_block_solve(s.factor, s.second);
    for_patches(q, k, &s, apply);
    return true;
}
