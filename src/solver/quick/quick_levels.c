/*
 * quick_levels.c - correction of a pile as a chain of levels: removes the error that sweeps of solver `quick` reduce
 * slowly.
 *
 * Sweeps quickly remove errors between neighbouring patches. Errors over the whole height of a pile are slow: a leaning
 * tower of n boxes needs of the order of n^4 sweeps. So at intervals the bodies of a level (distance to the ground in
 * patches) are treated as a whole, and one wrench acts between level l and the level below, for all patches that stick
 * there. Its parameters (phi, omega), six numbers, give the patch at x, relative to the mean c of these patches, on its
 * upper body
 *
 *   f = phi + omega x (x - c)        m = kappa omega,   kappa = mean of |d_i|^2 over the points of the patch
 *
 * With U_b (D_b) the sum of these wrenches about the centre of body b from the patches below (above) it, and V its
 * velocities, the relative velocities of all levels in these directions change by the block-tridiagonal A:
 *
 *   dV_b = M_b^-1 (U_b q_l - D_b q_l+1)
 *   A_ll = sum over level l of U' M^-1 U + sum over level l-1 of D' M^-1 D,   A_l,l+1 = - sum over level l of U' M^-1 D
 *   A q = sum of (aims of patches) - sum over l of U' V + sum over l-1 of D' V
 *
 * This is the best correction with wrenches of this form while everything sticks; a tower of single boxes is solved
 * exactly. Impulses that leave their bounds are projected by the next sweep, which always follows.
 *
 * Cost: about 1,500 operations per body to prepare, 200 per body to apply. Failure: levels without sticking patches,
 * and directions without resistance (a pivot below SINGULAR of its diagonal), are left out.
 */
#include "math/block6.h"
#include "solver/quick/quick_work.h"

#include <string.h>

/* Part of the diagonal: smaller pivots are treated as zero. */
#define SINGULAR 1e-9

/* Square of the smallest width of a patch, as a part of its arm, that transmits a significant moment. */
#define MIN_WIDTH2 1e-6

struct RgQuickBody {
    RgBlock6 U, D;
    int32_t level; /* 0: not included */
};

struct RgQuickLevel {
    RgBlock6 A, above, shift; /* A_ll (lower half), A_l,l+1, S^-1 A_l,l+1 */
    RgBlock6 factor;          /* S = A_ll - A_l,l-1 S^-1 A_l-1,l as L D L', 1 / D on the diagonal */
    RgVec3 centre;
    double aim[6], q[6];
    int32_t count;   /* number of patches */
    int32_t highest; /* in the lowest level: number of levels */
};

bool rg_quick_levels_alloc(RgQuick *q, RgArena *arena)
{
    const RgPatchProblem *p = q->problem;
    bool useful = false;
    for (int32_t i = 0; i < p->npatches && !useful; i++)
        useful = p->patches[i].count > 2;
    if (!useful || p->centre == NULL)
        return true;
    q->levels = RG_ARENA_ALLOC_RAW(arena, RgQuickLevel, p->nmovers);
    q->bodies = RG_ARENA_ALLOC_RAW(arena, RgQuickBody, p->nmovers);
    return !arena->failed;
}

static double kappa_of(const RgPatchLanes *lanes, int lane)
{
    return lanes->share[lane] / lanes->twist[lane];
}

static bool is_free(const RgPatchProblem *p, int32_t mover)
{
    return mover == 0 || p->movers[mover].group < 0;
}

/* Level of the upper body of a patch that is included, positive if that is the second body; 0: not included. */
static int32_t level_of(const RgQuick *q, const RgPatchLanes *lanes, int lane)
{
    const RgPatchProblem *p = q->problem;
    const RgPatch *patch = &p->patches[lanes->patch[lane]];
    int32_t a = patch->mover[0], b = patch->mover[1];
    if (!(lanes->whole[lane] > 0.0) || patch->count < 3 || !is_free(p, a) || !is_free(p, b))
        return 0;
    if (kappa_of(lanes, lane) < MIN_WIDTH2 * v3_norm2(patch->arm[b > 0 ? 1 : 0]))
        return 0;
    int32_t la = a > 0 ? q->islands.level[a] : 0, lb = b > 0 ? q->islands.level[b] : 0;
    return lb == la + 1 ? lb : la == lb + 1 ? -la : 0;
}

/* World position of the mean of a patch. */
static RgVec3 place_of(const RgPatchProblem *p, const RgPatch *patch)
{
    int side = patch->mover[0] > 0 ? 0 : 1;
    return v3_add(p->centre[patch->mover[side]], patch->arm[side]);
}

/* Adds the wrench about the centre of a body of a patch at arm r from it, x relative to the centre of the level. */
static void add_patch(RgBlock6 U, RgVec3 r, RgVec3 x, double kappa)
{
    const double a[3] = {r.x, r.y, r.z}, b[3] = {x.x, x.y, x.z};
    double both = kappa + v3_dot(r, x);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        U[i][i] += 1.0;
        U[i][3 + j] += b[k];
        U[i][3 + k] -= b[j];
        U[3 + i][k] += a[j];
        U[3 + i][j] -= a[k];
        U[3 + i][3 + i] += both;
        for (int c = 0; c < 3; c++)
            U[3 + i][3 + c] -= b[i] * a[c];
    }
}

/* Adds the aim of a patch in the directions of its level. */
static void add_aim(double aim[6], const RgPatchLanes *lanes, int lane, double sign, RgVec3 x)
{
    double kappa = kappa_of(lanes, lane);
    RgVec3 u = v3_zero(), w = v3_zero();
    for (int i = 0; i < 3; i++) {
        RgVec3 axis = {lanes->axis[i][0][lane], lanes->axis[i][1][lane], lanes->axis[i][2][lane]};
        u = v3_axpy(sign * lanes->aim[i][lane], axis, u);
        w = v3_axpy(sign * lanes->aim[3 + i][lane], axis, w);
    }
    RgVec3 m = v3_add(v3_cross(x, u), v3_scale(kappa, w));
    const double add[6] = {u.x, u.y, u.z, m.x, m.y, m.z};
    for (int i = 0; i < 6; i++)
        aim[i] += add[i];
}

/* Finds the patches of each level, and the centres of the levels. Returns the highest level; 0: none. */
static int32_t find_level_members(const RgQuick *q, int32_t k, RgQuickLevel *levels)
{
    const RgPatchProblem *p = q->problem;
    int32_t highest = 0;
    for (int32_t i = q->first_lanes[k]; i < q->first_lanes[k + 1]; i++) {
        RgPatchLanes *lanes = &q->lanes[i];
        for (int lane = 0; lane < lanes->lanes; lane++) {
            int32_t level = lanes->level[lane] = level_of(q, lanes, lane), l = level > 0 ? level : -level;
            for (; highest < l; highest++)
                levels[highest] = (RgQuickLevel){0};
            if (l == 0)
                continue;
            RgQuickLevel *at = &levels[l - 1];
            at->centre = v3_add(at->centre, place_of(p, &p->patches[lanes->patch[lane]]));
            at->count++;
        }
    }
    for (int32_t l = 0; l < highest; l++)
        if (levels[l].count > 0)
            levels[l].centre = v3_scale(1.0 / levels[l].count, levels[l].centre);
    return highest;
}

/* Collects U, D and the aims. */
static void collect_wrenches(const RgQuick *q, int32_t k, RgQuickLevel *levels)
{
    const RgPatchProblem *p = q->problem;
    const RgIsland *island = &q->islands.island[k];
    for (int32_t i = 0; i < island->nmovers; i++)
        q->bodies[q->islands.movers[island->first_mover + i]] = (RgQuickBody){0};
    for (int32_t i = q->first_lanes[k]; i < q->first_lanes[k + 1]; i++)
        for (int lane = 0; lane < q->lanes[i].lanes; lane++) {
            const RgPatchLanes *lanes = &q->lanes[i];
            int32_t level = lanes->level[lane], l = level > 0 ? level : -level;
            if (l == 0)
                continue;
            const RgPatch *patch = &p->patches[lanes->patch[lane]];
            int upper = level > 0 ? 1 : 0;
            RgVec3 x = v3_sub(place_of(p, patch), levels[l - 1].centre);
            double kappa = kappa_of(lanes, lane);
            RgQuickBody *up = &q->bodies[patch->mover[upper]], *down = &q->bodies[patch->mover[1 - upper]];
            add_patch(up->U, patch->arm[upper], x, kappa);
            up->level = l;
            if (patch->mover[1 - upper] > 0) {
                add_patch(down->D, patch->arm[1 - upper], x, kappa);
                down->level = l - 1;
            }
            add_aim(levels[l - 1].aim, lanes, lane, upper == 1 ? 1.0 : -1.0, x);
        }
}

/* M^-1 times a block. */
static void apply_inverse_mass(const RgSolverBody *m, RgBlock6Row *restrict in, RgBlock6Row *restrict out)
{
    RgSym3 I = m->inverse_inertia;
    for (int c = 0; c < 6; c++) {
        for (int i = 0; i < 3; i++)
            out[i][c] = m->inverse_mass * in[i][c];
        out[3][c] = I.xx * in[3][c] + I.xy * in[4][c] + I.xz * in[5][c];
        out[4][c] = I.xy * in[3][c] + I.yy * in[4][c] + I.yz * in[5][c];
        out[5][c] = I.xz * in[3][c] + I.yz * in[4][c] + I.zz * in[5][c];
    }
}

/* sum += sign A' B for a symmetric result: lower triangle. */
static void add_lower(RgBlock6 sum, double sign, RgBlock6 A, RgBlock6 B)
{
    for (int r = 0; r < 6; r++)
        for (int i = 0; i < 6; i++) {
            double a = sign * A[r][i];
            for (int j = 0; j <= i; j++)
                sum[i][j] += a * B[r][j];
        }
}

/* Assembles the blocks of A. */
static void assemble(const RgQuick *q, int32_t k, RgQuickLevel *levels, int32_t highest)
{
    const RgIsland *island = &q->islands.island[k];
    for (int32_t i = 0; i < island->nmovers; i++) {
        int32_t mover = q->islands.movers[island->first_mover + i];
        RgQuickBody *b = &q->bodies[mover];
        if (b->level == 0)
            continue;
        RgBlock6 MU = {{0.0}}, MD = {{0.0}};
        RgQuickLevel *at = &levels[b->level - 1];
        apply_inverse_mass(&q->problem->movers[mover], b->U, MU);
        add_lower(at->A, 1.0, b->U, MU);
        if (b->level == highest)
            continue;
        apply_inverse_mass(&q->problem->movers[mover], b->D, MD);
        rg_block6()->add_product(at->above, -1.0, b->U, MD);
        add_lower(levels[b->level].A, 1.0, b->D, MD);
    }
}

/* Block elimination, from the ground up. */
static void factor_levels(RgQuickLevel *levels, int32_t highest)
{
    for (int32_t l = 0; l < highest; l++) {
        RgQuickLevel *at = &levels[l], *below = l > 0 ? &levels[l - 1] : NULL;
        memcpy(at->factor, at->A, sizeof at->A);
        if (below != NULL)
            add_lower(at->factor, -1.0, below->above, below->shift);
        b6_ldl_factor(at->factor, at->A, SINGULAR);
        for (int c = 0; c < 6; c++) {
            double x[6];
            for (int i = 0; i < 6; i++)
                x[i] = at->above[i][c];
            b6_ldl_solve(at->factor, x);
            for (int i = 0; i < 6; i++)
                at->shift[i][c] = x[i];
        }
    }
}

bool rg_quick_levels_prepare(const RgQuick *q, int32_t k)
{
    RgQuickLevel *levels = q->levels + q->islands.island[k].first_mover;
    int32_t highest = find_level_members(q, k, levels);
    if (highest < 2)
        return false;
    collect_wrenches(q, k, levels);
    assemble(q, k, levels, highest);
    factor_levels(levels, highest);
    levels[0].highest = highest;
    return true;
}

/* Right-hand side: aims minus current velocities. */
static void right_hand_side(const RgQuick *q, int32_t k, RgQuickLevel *levels, int32_t highest)
{
    const RgIsland *island = &q->islands.island[k];
    for (int32_t l = 0; l < highest; l++)
        memcpy(levels[l].q, levels[l].aim, sizeof levels[l].q);
    for (int32_t i = 0; i < island->nmovers; i++) {
        int32_t mover = q->islands.movers[island->first_mover + i];
        const RgQuickBody *b = &q->bodies[mover];
        const double *V = q->problem->V + RG_BODY_PLACES * mover;
        if (b->level == 0)
            continue;
        double *own = levels[b->level - 1].q, *above = b->level < highest ? levels[b->level].q : NULL;
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++)
                own[c] -= b->U[r][c] * V[r];
        for (int r = 0; r < 6 && above != NULL; r++)
            for (int c = 0; c < 6; c++)
                above[c] += b->D[r][c] * V[r];
    }
}

void rg_quick_levels_solve(const RgQuick *q, int32_t k)
{
    RgQuickLevel *levels = q->levels + q->islands.island[k].first_mover;
    int32_t highest = levels[0].highest;
    right_hand_side(q, k, levels, highest);
    for (int32_t l = 0; l < highest; l++) {
        for (int i = 0; i < 6 && l > 0; i++)
            for (int j = 0; j < 6; j++)
                levels[l].q[i] -= levels[l - 1].above[j][i] * levels[l - 1].q[j];
        b6_ldl_solve(levels[l].factor, levels[l].q);
    }
    for (int32_t l = highest - 2; l >= 0; l--)
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                levels[l].q[i] -= levels[l].shift[i][j] * levels[l + 1].q[j];
}

void rg_quick_levels_update_body(const RgQuick *q, int32_t k, int32_t mover)
{
    const RgQuickLevel *levels = q->levels + q->islands.island[k].first_mover;
    const RgQuickBody *b = &q->bodies[mover];
    const RgSolverBody *m = &q->problem->movers[mover];
    if (b->level == 0)
        return;
    const double *own = levels[b->level - 1].q, *above = b->level < levels[0].highest ? levels[b->level].q : NULL;
    double g[6] = {0.0};
    for (int i = 0; i < 6; i++)
        for (int c = 0; c < 6; c++)
            g[i] += b->U[i][c] * own[c] - (above != NULL ? b->D[i][c] * above[c] : 0.0);
    rg_body_apply_impulse(m, g, q->problem->V + RG_BODY_PLACES * mover);
}

/* Distributes the wrench of each patch over its points with the least sum of squares. */
void rg_quick_levels_update_impulses(const RgQuick *q, int32_t k, RgPatchLanes *lanes)
{
    const RgPatchProblem *p = q->problem;
    const RgQuickLevel *levels = q->levels + q->islands.island[k].first_mover;
    for (int lane = 0; lane < lanes->lanes; lane++) {
        int32_t level = lanes->level[lane], l = level > 0 ? level : -level;
        if (l == 0)
            continue;
        const RgPatch *patch = &p->patches[lanes->patch[lane]];
        const double *z = levels[l - 1].q, sign = level > 0 ? 1.0 : -1.0;
        RgVec3 x = v3_sub(place_of(p, patch), levels[l - 1].centre), omega = {z[3], z[4], z[5]};
        RgVec3 f = v3_scale(sign, v3_add(v3(z[0], z[1], z[2]), v3_cross(omega, x)));
        RgVec3 m = v3_scale(sign * kappa_of(lanes, lane), omega);
        double F[3], M[3];
        for (int i = 0; i < 3; i++) {
            F[i] = v3_dot(patch->axis[i], f);
            M[i] = v3_dot(patch->axis[i], m);
        }
        double beta = lanes->spread[0][lane] * M[0] + lanes->spread[1][lane] * M[1], share = lanes->share[lane];
        double gamma = lanes->spread[1][lane] * M[0] + lanes->spread[2][lane] * M[1], tau = M[2] * lanes->twist[lane];
        for (int i = 0; i < patch->count; i++) {
            double s = patch->place[i][0], r = patch->place[i][1];
            lanes->z[i][0][lane] += share * F[2] + beta * r - gamma * s;
            lanes->z[i][1][lane] += share * F[0] - tau * r;
            lanes->z[i][2][lane] += share * F[1] + tau * s;
        }
    }
}
