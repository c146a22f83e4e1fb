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
 * or whose masses differ by more than MASS_RATIO, and walls so thick that the factor costs more than WORK sweeps are worth.
 */
#include "solver/quick_work.h"

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

typedef double Block[6][6];
typedef double Six[6];

struct RgQuickNewton {
    int32_t n, words,
        room;        /* movers; words a set of them; blocks there is room for. n = 0: not for this island */
    uint64_t *near;  /* n sets: movers that touch, or will by fill */
    int32_t *order;  /* n: mover (of the island) at a place in the order of elimination */
    int32_t *place;  /* n: the other way round */
    int32_t *degree; /* n; -1: gone */
    int32_t *start, *row; /* n + 1: blocks of a column of L; their rows (places), ascending */
    Block *diagonal, *below;
    Six *x, *second; /* by place in the order */
};

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

bool rg_quick_newton_take(RgQuick *q, RgArena *arena)
{
    int32_t count = q->islands.count;
    int64_t movers = 0, words = 0, blocks = 0;
    q->newton = RG_TAKE_RAW(arena, RgQuickNewton, count);
    q->local = RG_TAKE_RAW(arena, int32_t, q->problem->nmovers);
    if (arena->failed)
        return false;
    for (int32_t k = 0; k < count; k++) {
        int32_t n = size_of(q, k);
        q->newton[k] = (RgQuickNewton){
            .n = n, .words = (n + 63) / 64, .room = n > 0 ? FILL * q->islands.island[k].npatches : 0};
        movers += n;
        words += (int64_t)n * q->newton[k].words;
        blocks += q->newton[k].room;
    }
    uint64_t *near = RG_TAKE_RAW(arena, uint64_t, words);
    int32_t *numbers = RG_TAKE_RAW(arena, int32_t, 4 * movers + count);
    int32_t *row = RG_TAKE_RAW(arena, int32_t, blocks);
    Block *diagonal = RG_TAKE_RAW(arena, Block, movers), *below = RG_TAKE_RAW(arena, Block, blocks);
    Six *x = RG_TAKE_RAW(arena, Six, 2 * movers);
    if (arena->failed)
        return false;
    for (int32_t k = 0; k < count; k++) {
        RgQuickNewton *s = &q->newton[k];
        s->near = near;
        s->order = numbers;
        s->place = numbers + s->n;
        s->degree = numbers + 2 * s->n;
        s->start = numbers + 3 * s->n;
        s->row = row;
        s->diagonal = diagonal;
        s->below = below;
        s->x = x;
        s->second = x + s->n;
        near += (size_t)s->n * (size_t)s->words;
        numbers += 4 * s->n + 1;
        row += s->room;
        diagonal += s->n;
        below += s->room;
        x += 2 * s->n;
    }
    return true;
}

/* ------------------------------------------------------------------ order and pattern */

static inline int bits(uint64_t x)
{
    return __builtin_popcountll(x);
}

static void touch(RgQuickNewton *s, int32_t a, int32_t b)
{
    s->near[(size_t)a * (size_t)s->words + (size_t)(b / 64)] |= (uint64_t)1 << (b % 64);
    s->near[(size_t)b * (size_t)s->words + (size_t)(a / 64)] |= (uint64_t)1 << (a % 64);
}

static int32_t least_degree(const RgQuickNewton *s)
{
    int32_t best = -1;
    for (int32_t i = 0; i < s->n; i++)
        if (s->degree[i] >= 0 && (best < 0 || s->degree[i] < s->degree[best]))
            best = i;
    return best;
}

/* Takes mover p out: its neighbours become neighbours of each other; their list goes to row. */
static void take_out(RgQuickNewton *s, int32_t p, int32_t *row)
{
    const uint64_t *of_p = s->near + (size_t)p * (size_t)s->words;
    s->degree[p] = -1;
    for (int32_t w = 0; w < s->words; w++)
        for (uint64_t left = of_p[w]; left != 0; left &= left - 1)
            *row++ = 64 * w + __builtin_ctzll(left);
    for (int32_t w = 0; w < s->words; w++)
        for (uint64_t left = of_p[w]; left != 0; left &= left - 1) {
            int32_t j = 64 * w + __builtin_ctzll(left), degree = 0;
            uint64_t *of_j = s->near + (size_t)j * (size_t)s->words;
            for (int32_t v = 0; v < s->words; v++)
                of_j[v] |= of_p[v];
            of_j[j / 64] &= ~((uint64_t)1 << (j % 64));
            of_j[p / 64] &= ~((uint64_t)1 << (p % 64));
            for (int32_t v = 0; v < s->words; v++)
                degree += bits(of_j[v]);
            s->degree[j] = degree;
        }
}

static void sort_column(int32_t *row, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        int32_t x = row[i], j = i;
        for (; j > 0 && row[j - 1] > x; j--)
            row[j] = row[j - 1];
        row[j] = x;
    }
}

/* False: too much fill. */
static bool analyse(const RgQuick *q, int32_t k, RgQuickNewton *s)
{
    const RgIsland *island = &q->islands.island[k];
    memset(s->near, 0, (size_t)s->n * (size_t)s->words * sizeof *s->near);
    for (int32_t i = 0; i < s->n; i++)
        q->local[q->islands.movers[island->first_mover + i]] = i;
    for (int32_t i = 0; i < island->npatches; i++) {
        const RgPatch *patch = &q->problem->patches[q->islands.patches[island->first_patch + i]];
        if (patch->mover[0] > 0 && patch->mover[1] > 0)
            touch(s, q->local[patch->mover[0]], q->local[patch->mover[1]]);
    }
    for (int32_t i = 0; i < s->n; i++) {
        s->degree[i] = 0;
        for (int32_t w = 0; w < s->words; w++)
            s->degree[i] += bits(s->near[(size_t)i * (size_t)s->words + (size_t)w]);
    }
    s->start[0] = 0;
    int64_t work = 0;
    for (int32_t at = 0; at < s->n; at++) {
        int32_t p = least_degree(s), degree = s->degree[p];
        work += degree * (degree + 1) / 2;
        if (s->start[at] + degree > s->room || work > WORK * island->npatches)
            return false;
        s->order[at] = p;
        s->place[p] = at;
        s->start[at + 1] = s->start[at] + degree;
        take_out(s, p, s->row + s->start[at]);
    }
    for (int32_t at = 0; at < s->n; at++) {
        int32_t *row = s->row + s->start[at], count = s->start[at + 1] - s->start[at];
        for (int32_t i = 0; i < count; i++)
            row[i] = s->place[row[i]];
        sort_column(row, count);
    }
    for (int32_t i = 0; i < s->n; i++)
        q->local[q->islands.movers[island->first_mover + i]] = s->place[i];
    return true;
}

/* Block of row i, column j < i. It is there. */
static Block *block_at(const RgQuickNewton *s, int32_t i, int32_t j)
{
    int32_t low = s->start[j], high = s->start[j + 1] - 1;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (s->row[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return &s->below[low];
}

/* ------------------------------------------------------------------ rows of a patch */

/* A patch as the step sees it. */
typedef struct Hold {
    double n[RG_PATCH_POINTS], t[RG_PATCH_POINTS][2]; /* weights k_j; 0: not a row */
    bool plane;                                       /* the targets are those of the plane */
} Hold;

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
        hold.plane = hold.plane && (whole || n > 0.0);
        if (whole || n > 0.0)
            hold.n[i] = weight(kappa, patch->compliance[0]);
        if (whole || a * a + b * b < most * most)
            for (int c = 0; c < 2; c++)
                hold.t[i][c] = weight(kappa, patch->compliance[1 + c]);
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

static void relative_V(const RgQuick *q, const RgPatch *patch, double y[6])
{
    relative(patch, q->V_before + RG_MOVER_PLACES * patch->mover[0],
             q->V_before + RG_MOVER_PLACES * patch->mover[1], y);
}

static void relative_x(const RgQuick *q, Six *x, const RgPatch *patch, double y[6])
{
    const double *of[2] = {NULL, NULL};
    for (int side = 0; side < 2; side++)
        if (patch->mover[side] > 0)
            of[side] = x[q->local[patch->mover[side]]];
    relative(patch, of[0], of[1], y);
}

/* What the rows of a patch lack at relative velocity y. */
static void lack_of(const RgPatch *patch, const RgPatchLanes *l, int lane, const Hold *hold,
                    const double y[6], double e[RG_PATCH_POINTS][3])
{
    for (int i = 0; i < patch->count; i++) {
        double s = patch->place[i][0], r = patch->place[i][1];
        double target =
            hold->plane ? l->aim[2][lane] + r * l->aim[3][lane] - s * l->aim[4][lane] : patch->target[i];
        e[i][0] = target - (y[2] + r * y[3] - s * y[4]) - patch->compliance[0] * l->z[i][0][lane];
        e[i][1] = -(y[0] - r * y[5]) - patch->compliance[1] * l->z[i][1][lane];
        e[i][2] = -(y[1] + s * y[5]) - patch->compliance[2] * l->z[i][2][lane];
    }
}

/* e - J dV, y = J dV at the mean. */
static void less(const RgPatch *patch, const double y[6], double e[RG_PATCH_POINTS][3])
{
    for (int i = 0; i < patch->count; i++) {
        double s = patch->place[i][0], r = patch->place[i][1];
        e[i][0] -= y[2] + r * y[3] - s * y[4];
        e[i][1] -= y[0] - r * y[5];
        e[i][2] -= y[1] + s * y[5];
    }
}

/* k e */
static void weigh(const RgPatch *patch, const Hold *hold, double e[RG_PATCH_POINTS][3])
{
    for (int i = 0; i < patch->count; i++) {
        e[i][0] *= hold->n[i];
        e[i][1] *= hold->t[i][0];
        e[i][2] *= hold->t[i][1];
    }
}

/* What can be met: J dV + C k (e - J dV). */
static void attain(const RgPatch *patch, const Hold *hold, const double y[6], double e[RG_PATCH_POINTS][3])
{
    less(patch, y, e);
    weigh(patch, hold, e);
    for (int i = 0; i < patch->count; i++) {
        double s = patch->place[i][0], r = patch->place[i][1];
        e[i][0] = patch->compliance[0] * e[i][0] + (y[2] + r * y[3] - s * y[4]);
        e[i][1] = patch->compliance[1] * e[i][1] + (y[0] - r * y[5]);
        e[i][2] = patch->compliance[2] * e[i][2] + (y[1] + s * y[5]);
    }
}

static void wrench_of(const RgPatch *patch, double dz[RG_PATCH_POINTS][3], RgVec3 *f, RgVec3 *m)
{
    double W[6] = {0.0};
    for (int i = 0; i < patch->count; i++) {
        double s = patch->place[i][0], r = patch->place[i][1];
        W[0] += dz[i][1];
        W[1] += dz[i][2];
        W[2] += dz[i][0];
        W[3] += r * dz[i][0];
        W[4] -= s * dz[i][0];
        W[5] += s * dz[i][2] - r * dz[i][1];
    }
    *f = *m = v3_zero();
    for (int i = 0; i < 3; i++) {
        *f = v3_axpy(W[i], patch->axis[i], *f);
        *m = v3_axpy(W[3 + i], patch->axis[i], *m);
    }
}

/* ------------------------------------------------------------------ the matrix */

/* sum k_j a_j a_j' over the rows of a patch, in its axes at the mean. */
static void stiffness(const RgPatch *patch, const Hold *hold, Block S)
{
    memset(S, 0, sizeof(Block));
    for (int i = 0; i < patch->count; i++) {
        double s = patch->place[i][0], r = patch->place[i][1], n = hold->n[i], a = hold->t[i][0],
               b = hold->t[i][1];
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
static void jacobian(const RgPatch *patch, int side, Block J)
{
    RgVec3 arm = patch->arm[side];
    memset(J, 0, sizeof(Block));
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

/* out = S J. */
static void times(double (*restrict S)[6], double (*restrict J)[6], double (*restrict out)[6])
{
    for (int i = 0; i < 6; i++) {
        double row[6] = {0.0};
        for (int r = 0; r < 6; r++)
            for (int j = 0; j < 6; j++)
                row[j] += S[i][r] * J[r][j];
        memcpy(out[i], row, sizeof row);
    }
}

/* sum += sign A' B. */
static void add_product(double (*restrict sum)[6], double sign, double (*restrict A)[6],
                        double (*restrict B)[6])
{
    for (int i = 0; i < 6; i++) {
        double row[6];
        memcpy(row, sum[i], sizeof row);
        for (int r = 0; r < 6; r++) {
            double a = sign * A[r][i];
            for (int j = 0; j < 6; j++)
                row[j] += a * B[r][j];
        }
        memcpy(sum[i], row, sizeof row);
    }
}

static void add_patch(const RgQuick *q, RgQuickNewton *s, const RgPatch *patch, const Hold *hold)
{
    Block S, J[2], SJ[2];
    int32_t at[2] = {-1, -1};
    stiffness(patch, hold, S);
    for (int side = 0; side < 2; side++)
        if (patch->mover[side] > 0) {
            at[side] = q->local[patch->mover[side]];
            jacobian(patch, side, J[side]);
            times(S, J[side], SJ[side]);
            add_product(s->diagonal[at[side]], 1.0, J[side], SJ[side]);
        }
    if (at[0] < 0 || at[1] < 0)
        return;
    int lower = at[0] > at[1] ? 0 : 1; /* the row */
    add_product(*block_at(s, at[lower], at[1 - lower]), -1.0, J[lower], SJ[1 - lower]);
}

static void add_force(const RgQuick *q, Six *all, const RgPatch *patch, RgVec3 f, RgVec3 m)
{
    for (int side = 0; side < 2; side++) {
        if (patch->mover[side] == 0)
            continue;
        double *x = all[q->local[patch->mover[side]]], sign = side == 1 ? 1.0 : -1.0;
        RgVec3 turn = v3_add(m, v3_cross(patch->arm[side], f));
        x[0] += sign * f.x;
        x[1] += sign * f.y;
        x[2] += sign * f.z;
        x[3] += sign * turn.x;
        x[4] += sign * turn.y;
        x[5] += sign * turn.z;
    }
}

/* M of a mover. False: it cannot move in some direction. */
static bool begin_diagonal(const RgMover *m, Block D)
{
    RgSym3 w = m->inverse_inertia;
    double xx = w.yy * w.zz - w.yz * w.yz, xy = w.xz * w.yz - w.xy * w.zz, xz = w.xy * w.yz - w.xz * w.yy;
    double det = w.xx * xx + w.xy * xy + w.xz * xz;
    memset(D, 0, sizeof(Block));
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

/* Matrix and right side. */
static bool assemble(const RgQuick *q, int32_t k, RgQuickNewton *s)
{
    const RgIsland *island = &q->islands.island[k];
    memset(s->x, 0, (size_t)s->n * sizeof *s->x);
    memset(s->below, 0, (size_t)s->start[s->n] * sizeof *s->below);
    for (int32_t i = 0; i < s->n; i++)
        if (!begin_diagonal(&q->problem->movers[q->islands.movers[island->first_mover + i]],
                            s->diagonal[s->place[i]]))
            return false;
    for (int32_t i = q->first_lanes[k]; i < q->first_lanes[k + 1]; i++)
        for (int lane = 0; lane < q->lanes[i].lanes; lane++) {
            const RgPatch *patch = &q->problem->patches[q->lanes[i].patch[lane]];
            Hold hold = hold_of(patch, &q->lanes[i], lane);
            double y[6], e[RG_PATCH_POINTS][3];
            RgVec3 f, m;
            add_patch(q, s, patch, &hold);
            relative_V(q, patch, y);
            lack_of(patch, &q->lanes[i], lane, &hold, y, e);
            weigh(patch, &hold, e);
            wrench_of(patch, e, &f, &m);
            add_force(q, s->x, patch, f, m);
        }
    return true;
}

/* ------------------------------------------------------------------ L L' */

/* Lower half, 1 / diagonal on it. False: not positive. */
static bool factor_block(Block A)
{
    for (int j = 0; j < 6; j++) {
        double d = A[j][j];
        for (int c = 0; c < j; c++)
            d -= A[j][c] * A[j][c];
        if (!(d > LOST * A[j][j]))
            return false;
        double per = 1.0 / sqrt(d);
        A[j][j] = per;
        for (int i = j + 1; i < 6; i++) {
            double x = A[i][j];
            for (int c = 0; c < j; c++)
                x -= A[i][c] * A[j][c];
            A[i][j] = x * per;
        }
    }
    return true;
}

/* B <- B L^-T. */
static void divide_block(double (*restrict B)[6], double (*restrict L)[6])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double x = B[i][j];
            for (int c = 0; c < j; c++)
                x -= B[i][c] * L[j][c];
            B[i][j] = x * L[j][j];
        }
}

/* C -= A B'. */
static void subtract_product(double (*restrict C)[6], Block A, Block B)
{
    double T[6][6];
    for (int j = 0; j < 6; j++)
        for (int c = 0; c < 6; c++)
            T[c][j] = B[j][c];
    for (int i = 0; i < 6; i++) {
        double row[6];
        memcpy(row, C[i], sizeof row);
        for (int c = 0; c < 6; c++)
            for (int j = 0; j < 6; j++)
                row[j] -= A[i][c] * T[c][j];
        memcpy(C[i], row, sizeof row);
    }
}

static bool factor(RgQuickNewton *s)
{
    for (int32_t p = 0; p < s->n; p++) {
        if (!factor_block(s->diagonal[p]))
            return false;
        int32_t end = s->start[p + 1];
        for (int32_t b = s->start[p]; b < end; b++)
            divide_block(s->below[b], s->diagonal[p]);
        for (int32_t a = s->start[p]; a < end; a++) {
            int32_t column = s->row[a], to = s->start[column];
            subtract_product(s->diagonal[column], s->below[a], s->below[a]);
            for (int32_t b = a + 1; b < end; b++) {
                while (s->row[to] < s->row[b])
                    to++;
                subtract_product(s->below[to], s->below[b], s->below[a]);
            }
        }
    }
    return true;
}

static void solve(const RgQuickNewton *s, Six *all)
{
    for (int32_t p = 0; p < s->n; p++) {
        double *x = all[p];
        for (int i = 0; i < 6; i++) {
            for (int j = 0; j < i; j++)
                x[i] -= s->diagonal[p][i][j] * x[j];
            x[i] *= s->diagonal[p][i][i];
        }
        for (int32_t b = s->start[p]; b < s->start[p + 1]; b++)
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 6; j++)
                    all[s->row[b]][i] -= s->below[b][i][j] * x[j];
    }
    for (int32_t p = s->n - 1; p >= 0; p--) {
        double *x = all[p];
        for (int32_t b = s->start[p]; b < s->start[p + 1]; b++)
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 6; j++)
                    x[j] -= s->below[b][i][j] * all[s->row[b]][i];
        for (int i = 5; i >= 0; i--) {
            for (int j = i + 1; j < 6; j++)
                x[i] -= s->diagonal[p][j][i] * x[j];
            x[i] *= s->diagonal[p][i][i];
        }
    }
}

/* ------------------------------------------------------------------ the step */

/* Right side of the second solution: what the first has shown that can be met. */
static void again(const RgQuick *q, int32_t k, RgQuickNewton *s)
{
    memset(s->second, 0, (size_t)s->n * sizeof *s->second);
    for (int32_t i = q->first_lanes[k]; i < q->first_lanes[k + 1]; i++)
        for (int lane = 0; lane < q->lanes[i].lanes; lane++) {
            const RgPatch *patch = &q->problem->patches[q->lanes[i].patch[lane]];
            Hold hold = hold_of(patch, &q->lanes[i], lane);
            double y[6], e[RG_PATCH_POINTS][3];
            RgVec3 f, m;
            relative_V(q, patch, y);
            lack_of(patch, &q->lanes[i], lane, &hold, y, e);
            relative_x(q, s->x, patch, y);
            attain(patch, &hold, y, e);
            weigh(patch, &hold, e);
            wrench_of(patch, e, &f, &m);
            add_force(q, s->second, patch, f, m);
        }
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

/* Velocities after a wrench at the mean of a patch: not by dV itself, whose round-off would part them from the impulses. */
static void push(const RgQuick *q, const RgPatch *patch, RgVec3 f, RgVec3 m)
{
    for (int side = 0; side < 2; side++) {
        const RgMover *mover = &q->problem->movers[patch->mover[side]];
        double *V = q->problem->V + RG_MOVER_PLACES * patch->mover[side], sign = side == 1 ? 1.0 : -1.0;
        if (patch->mover[side] == 0)
            continue;
        RgVec3 w = s3_apply(mover->inverse_inertia, v3_add(m, v3_cross(patch->arm[side], f)));
        V[0] += sign * mover->inverse_mass * f.x;
        V[1] += sign * mover->inverse_mass * f.y;
        V[2] += sign * mover->inverse_mass * f.z;
        V[3] += sign * w.x;
        V[4] += sign * w.y;
        V[5] += sign * w.z;
    }
}

/* Impulses and what they do to the velocities. */
static void apply(const RgQuick *q, int32_t k, const RgQuickNewton *s)
{
    for (int32_t i = q->first_lanes[k]; i < q->first_lanes[k + 1]; i++)
        for (int lane = 0; lane < q->lanes[i].lanes; lane++) {
            RgPatchLanes *l = &q->lanes[i];
            const RgPatch *patch = &q->problem->patches[l->patch[lane]];
            Hold hold = hold_of(patch, l, lane);
            double y[6], e[RG_PATCH_POINTS][3];
            RgVec3 f, m;
            relative_V(q, patch, y);
            lack_of(patch, l, lane, &hold, y, e);
            relative_x(q, s->x, patch, y);
            attain(patch, &hold, y, e);
            relative_x(q, s->second, patch, y);
            less(patch, y, e);
            weigh(patch, &hold, e);
            wrench_of(patch, e, &f, &m);
            for (int at = 0; at < patch->count; at++)
                for (int c = 0; c < 3; c++)
                    l->z[at][c][lane] += e[at][c];
            if (l->whole[lane] > 0.0)
                share_tangents(patch, l, lane);
            push(q, patch, f, m);
        }
}

double rg_quick_newton_energy(const RgQuick *q, int32_t k)
{
    const RgIsland *island = &q->islands.island[k];
    double sum = 0.0;
    for (int32_t i = 0; i < island->nmovers; i++) {
        int32_t mover = q->islands.movers[island->first_mover + i];
        const double *V = q->problem->V + RG_MOVER_PLACES * mover;
        Block M;
        if (!begin_diagonal(&q->problem->movers[mover], M))
            return HUGE_VAL;
        for (int a = 0; a < 6; a++)
            for (int b = 0; b < 6; b++)
                sum += 0.5 * V[a] * M[a][b] * V[b];
    }
    for (int32_t i = q->first_lanes[k]; i < q->first_lanes[k + 1]; i++)
        for (int lane = 0; lane < q->lanes[i].lanes; lane++) {
            const RgPatchLanes *l = &q->lanes[i];
            const RgPatch *patch = &q->problem->patches[l->patch[lane]];
            for (int at = 0; at < patch->count; at++) {
                sum -= l->z[at][0][lane] * patch->target[at];
                for (int c = 0; c < 3; c++)
                    sum += 0.5 * patch->compliance[c] * l->z[at][c][lane] * l->z[at][c][lane];
            }
        }
    return sum;
}

bool rg_quick_newton_fits(const RgQuick *q, int32_t k)
{
    const RgIsland *island = &q->islands.island[k];
    double most = 0.0, least = HUGE_VAL;
    for (int32_t i = 0; i < q->newton[k].n; i++) {
        double inverse = q->problem->movers[q->islands.movers[island->first_mover + i]].inverse_mass;
        most = inverse > most ? inverse : most;
        least = inverse < least ? inverse : least;
    }
    return q->newton[k].n > 0 && most <= MASS_RATIO * least;
}

bool rg_quick_newton_step(const RgQuick *q, int32_t k)
{
    RgQuickNewton *s = &q->newton[k];
    if (!analyse(q, k, s) || !assemble(q, k, s) || !factor(s))
        return false;
    solve(s, s->x);
    again(q, k, s);
    solve(s, s->second);
    apply(q, k, s);
    return true;
}
