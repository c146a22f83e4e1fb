/*
 * quick_articulations.c - patches and rows on articulations (robots, ragdolls, hands), in coordinates of the
 * articulation.
 *
 * The outputs of an articulation (velocities of touched bodies and joints) respond to impulses g on them by dV = L g.
 * With L = B' B, B of size rank x outputs,
 *
 *   V = V_free + B' x        x = sum over patches and rows of J' z,   J = (Jacobian of the patch or row over V) B'
 *
 * so that x are velocities of unit mass and K = J J' for a patch. A link of a tree moves only with the joints of its
 * branch: the other columns of J are zero and are not stored. B is given with the articulation, or is the pivoted
 * Cholesky factor of L (loop joints, eliminated rows).
 *
 * A visit costs 12 multiplications per column of J. The outputs V are updated when the island ends. Free bodies keep
 * their velocities in V, also where they touch an articulation.
 */
#include "math/dense_factor.h"
#include "solver/cone_projection.h"
#include "solver/quick/quick_work.h"

#include <string.h>

/* Part of k11 k22: with a smaller determinant the two rows of a disc are linearly dependent. */
#define DISC_SINGULAR 1e-12
/* Part of the largest diagonal entry of L: a smaller remaining pivot is round-off. */
#define RANK_TOLERANCE 1e-13

/* ------------------------------------------------------------------ factors of L */

/* Computes B of an articulation that is given by L. False: no memory. */
static bool factor_response(RgArena *arena, const RgArticulation *group, RgQuickCoordinates *out)
{
    int n = group->noutputs;
    double *half = RG_ARENA_ALLOC(arena, double, (size_t)n *(size_t)n), *spare = RG_ARENA_ALLOC_RAW(arena, double, n);
    if (arena->failed)
        return false;
    int rank = rg_pivoted_cholesky(group->L, n, RANK_TOLERANCE, half, spare);
    double *B = RG_ARENA_ALLOC_RAW(arena, double, (size_t)rank *(size_t)n);
    if (arena->failed)
        return false;
    for (int k = 0; k < rank; k++)
        for (int j = 0; j < n; j++)
            B[(size_t)k * (size_t)n + (size_t)j] = half[(size_t)j * (size_t)n + (size_t)k];
    out->rank = rank;
    out->B = B;
    return true;
}

/* ------------------------------------------------------------------ Jacobians */

/* Columns of J during collection: one slot for each coordinate of an articulation. */
typedef struct ColumnCollector {
    double (*value)[6]; /* by coordinate of the articulation; zero where not used */
    bool *taken;
} ColumnCollector;

/* Adds the signed velocity of one side at the mean of a patch, in its axes, for each coordinate that moves it. */
static void collect_side(const RgQuick *q, const RgPatch *patch, int side, ColumnCollector *c)
{
    const RgSolverBody *m = &q->problem->movers[patch->mover[side]];
    const RgQuickCoordinates *own = &q->coordinates[m->group];
    size_t n = (size_t)q->problem->groups[m->group].noutputs;
    double sign = side == 1 ? 1.0 : -1.0;
    for (int32_t k = 0; k < own->rank; k++) {
        const double *b = own->B + (size_t)k * n + m->output;
        if (b[0] == 0.0 && b[1] == 0.0 && b[2] == 0.0 && b[3] == 0.0 && b[4] == 0.0 && b[5] == 0.0)
            continue;
        RgVec3 turn = {b[3], b[4], b[5]};
        RgVec3 u = v3_add(v3(b[0], b[1], b[2]), v3_cross(turn, patch->arm[side]));
        c->taken[k] = true;
        for (int i = 0; i < 3; i++) {
            c->value[k][i] += sign * v3_dot(patch->axis[i], u);
            c->value[k][3 + i] += patch->count > 1 ? sign * v3_dot(patch->axis[i], turn) : 0.0;
        }
    }
}

/* Appends the collected columns of the given width, and clears the collector. */
static void append_columns(const RgQuickCoordinates *own, ColumnCollector *c, int width, RgQuickColumns *to)
{
    for (int32_t k = 0; k < own->rank; k++) {
        if (!c->taken[k])
            continue;
        to->at[to->count] = own->first + k;
        memcpy(to->J + (size_t)to->count * (size_t)width, c->value[k], (size_t)width * sizeof(double));
        memset(c->value[k], 0, sizeof c->value[k]);
        c->taken[k] = false;
        to->count++;
    }
}

static int32_t group_of_span(const RgPatchProblem *p, const RgRowSpan *s)
{
    return s->mover > 0 ? p->movers[s->mover].group : p->single_group[s->single];
}

static void collect_span(const RgQuick *q, const RgRowSpan *s, ColumnCollector *c)
{
    const RgPatchProblem *p = q->problem;
    int32_t group = group_of_span(p, s),
            output = s->mover > 0 ? p->movers[s->mover].output : p->single_output[s->single];
    const RgQuickCoordinates *own = &q->coordinates[group];
    for (int32_t k = 0; k < own->rank; k++) {
        const double *b = own->B + (size_t)k * (size_t)p->groups[group].noutputs + output;
        bool moves = false;
        for (int i = 0; i < (s->mover > 0 ? 6 : 1); i++) {
            moves = moves || b[i] != 0.0;
            c->value[k][0] += s->J[i] * b[i];
        }
        c->taken[k] = c->taken[k] || moves;
    }
}

static bool alloc_columns(RgArena *arena, int32_t room, int width, RgQuickColumns *out)
{
    out->count = 0;
    out->point = false;
    out->at = RG_ARENA_ALLOC_RAW(arena, int32_t, room);
    out->J = RG_ARENA_ALLOC_RAW(arena, double, (size_t)room *(size_t)width + 1); /* one more: see rg_columns_add_side */
    return !arena->failed;
}

/* J of a patch over the articulations that it touches. False: no memory. */
static bool make_patch_jacobian(RgQuick *q, RgArena *arena, int32_t number, ColumnCollector *c)
{
    const RgPatchProblem *p = q->problem;
    const RgPatch *patch = &p->patches[number];
    int32_t group[2], room = 0;
    for (int side = 0; side < 2; side++) {
        group[side] = p->movers[patch->mover[side]].group;
        room += group[side] >= 0 ? q->coordinates[group[side]].rank : 0;
    }
    q->of_patch[number] = (RgQuickColumns){.count = 0};
    if (room == 0)
        return true;
    if (!alloc_columns(arena, room, 6, &q->of_patch[number]))
        return false;
    q->of_patch[number].point = patch->count == 1;
    for (int side = 0; side < 2; side++) {
        if (group[side] < 0)
            continue;
        const RgQuickCoordinates *own = &q->coordinates[group[side]];
        if (group[0] == group[1]) {
            collect_side(q, patch, side, c);
            if (side == 1)
                append_columns(own, c, 6, &q->of_patch[number]);
            continue;
        }
        rg_columns_add_side(patch, side, own, p->movers[patch->mover[side]].output, &q->of_patch[number]);
    }
    return true;
}

static bool make_row_jacobian(RgQuick *q, RgArena *arena, int32_t number, ColumnCollector *c)
{
    const RgPatchRow *row = &q->problem->rows[number];
    int32_t room = 0, done[RG_ROW_SPANS], ndone = 0;
    for (int k = 0; k < row->nspans; k++) {
        int32_t group = group_of_span(q->problem, &row->span[k]);
        room += group >= 0 ? q->coordinates[group].rank : 0;
    }
    q->of_row[number] = (RgQuickColumns){.count = 0};
    if (room == 0)
        return true;
    if (!alloc_columns(arena, room, 1, &q->of_row[number]))
        return false;
    for (int k = 0; k < row->nspans; k++) {
        int32_t group = group_of_span(q->problem, &row->span[k]);
        bool seen = group < 0;
        for (int32_t i = 0; i < ndone; i++)
            seen = seen || done[i] == group;
        if (seen)
            continue;
        for (int j = k; j < row->nspans; j++)
            if (group_of_span(q->problem, &row->span[j]) == group)
                collect_span(q, &row->span[j], c);
        append_columns(&q->coordinates[group], c, 1, &q->of_row[number]);
        done[ndone++] = group;
    }
    return true;
}

/* Lists the articulations of each island. */
static void list_groups(RgQuick *q, bool *listed)
{
    const RgPatchProblem *p = q->problem;
    int32_t n = 0;
    for (int32_t k = 0; k < q->islands.count; k++) {
        const RgIsland *island = &q->islands.island[k];
        q->first_group[k] = n;
        for (int32_t i = 0; i < island->nmovers + island->nsingles; i++) {
            int32_t group = i < island->nmovers
                                ? p->movers[q->islands.movers[island->first_mover + i]].group
                                : p->single_group[q->islands.singles[island->first_single + i - island->nmovers]];
            if (group < 0 || listed[group])
                continue;
            listed[group] = true;
            q->island_group[n++] = group;
        }
    }
    q->first_group[q->islands.count] = n;
}

bool rg_quick_articulations_make(RgQuick *q, RgArena *arena)
{
    RgPatchProblem *p = q->problem;
    int32_t total = 0, most = 0;
    q->coordinates = RG_ARENA_ALLOC_RAW(arena, RgQuickCoordinates, p->ngroups);
    q->of_patch = RG_ARENA_ALLOC_RAW(arena, RgQuickColumns, p->npatches);
    q->of_row = RG_ARENA_ALLOC_RAW(arena, RgQuickColumns, p->nrows);
    q->first_group = RG_ARENA_ALLOC_RAW(arena, int32_t, q->islands.count + 1);
    q->island_group = RG_ARENA_ALLOC_RAW(arena, int32_t, p->ngroups);
    q->group_unknown = RG_ARENA_ALLOC_RAW(arena, int32_t, p->ngroups);
    q->mover_unknown = RG_ARENA_ALLOC_RAW(arena, int32_t, p->nmovers);
    bool *listed = RG_ARENA_ALLOC(arena, bool, p->ngroups);
    if (arena->failed)
        return false;
    list_groups(q, listed);
    for (int32_t g = 0; g < p->ngroups; g++) {
        RgQuickCoordinates *own = &q->coordinates[g];
        *own = (RgQuickCoordinates){.first = total,
                                    .rank = p->groups[g].rank,
                                    .noutputs = p->groups[g].noutputs,
                                    .singles = p->groups[g].singles,
                                    .B = p->groups[g].B,
                                    .span = p->groups[g].B != NULL ? p->groups[g].span : NULL};
        if (own->B == NULL && !factor_response(arena, &p->groups[g], own))
            return false;
        own->outputs = RG_ARENA_ALLOC_RAW(arena, double, p->groups[g].noutputs);
        total += own->rank;
        most = own->rank > most ? own->rank : most;
    }
    q->x = RG_ARENA_ALLOC(arena, double, total);
    q->x_before = RG_ARENA_ALLOC(arena, double, total);
    ColumnCollector c = {rg_arena_alloc(arena, (size_t)most, sizeof *c.value), RG_ARENA_ALLOC(arena, bool, most)};
    if (arena->failed)
        return false;
    for (int32_t i = 0; i < p->npatches; i++)
        if (!make_patch_jacobian(q, arena, i, &c))
            return false;
    for (int32_t i = 0; i < p->nrows; i++)
        if (!make_row_jacobian(q, arena, i, &c))
            return false;
    q->scratch = rg_arena_alloc(arena, (size_t)q->islands.count, sizeof *q->scratch);
    for (int32_t k = 0; q->scratch != NULL && k < q->islands.count; k++) {
        size_t room = rg_quick_primal_room(q, k);
        q->scratch[k] = room > 0 ? RG_ARENA_ALLOC_RAW(arena, unsigned char, room) : NULL;
    }
    return !arena->failed;
}

/* ------------------------------------------------------------------ velocities */

/* Applies a wrench at the mean of a patch, in its axes, to the velocities x and V. */
static void push_patch(const RgQuick *q, int32_t number, const double W[6])
{
    const RgPatch *patch = &q->problem->patches[number];
    rg_columns_push(&q->of_patch[number], W, q->x);
    for (int side = 0; side < 2; side++) {
        const RgSolverBody *m = &q->problem->movers[patch->mover[side]];
        if (m->group >= 0 || patch->mover[side] == 0)
            continue;
        RgVec3 f = v3_zero(), moment = v3_zero();
        double sign = side == 1 ? 1.0 : -1.0;
        for (int i = 0; i < 3; i++) {
            f = v3_axpy(sign * W[i], patch->axis[i], f);
            moment = v3_axpy(sign * W[3 + i], patch->axis[i], moment);
        }
        moment = v3_add(moment, v3_cross(patch->arm[side], f));
        double g[6] = {f.x, f.y, f.z, moment.x, moment.y, moment.z};
        rg_body_apply_impulse(m, g, q->problem->V + RG_BODY_PLACES * patch->mover[side]);
    }
}

/* Outputs in V are those without impulses until the island ends; x holds the rest. */
void rg_quick_patch_velocity(const RgQuick *q, int32_t number, double y[6])
{
    rg_patch_velocity(&q->problem->patches[number], q->problem->V, y);
    rg_columns_velocity(&q->of_patch[number], q->x, y, 1, y);
}

void rg_quick_respond_grouped(const RgQuick *q, RgPatchLanes *lanes)
{
    const RgPatch *patch = &q->problem->patches[lanes->patch[0]];
    double K[6][6] = {{0.0}};
    rg_columns_respond(&q->of_patch[lanes->patch[0]], K);
    for (int side = 0; side < 2; side++) {
        const RgSolverBody *m = &q->problem->movers[patch->mover[side]];
        if (m->group >= 0 || patch->mover[side] == 0)
            continue;
        for (int j = 0; j < 6; j++) {
            RgVec3 axis = patch->axis[j % 3], f = j < 3 ? axis : v3_zero();
            RgVec3 n = v3_add(j < 3 ? v3_zero() : axis, v3_cross(patch->arm[side], f));
            double g[6] = {f.x, f.y, f.z, n.x, n.y, n.z}, V[6] = {0.0};
            rg_body_apply_impulse(m, g, V);
            RgVec3 turn = {V[3], V[4], V[5]}, u = v3_add(v3(V[0], V[1], V[2]), v3_cross(turn, patch->arm[side]));
            for (int i = 0; i < 3; i++) {
                K[i][j] += v3_dot(patch->axis[i], u);
                K[3 + i][j] += v3_dot(patch->axis[i], turn);
            }
        }
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++)
            lanes->K[i * (i + 1) / 2 + j][0] = K[i][j];
    double free[6];
    rg_patch_velocity(patch, q->problem->V, free);
    rg_patch_finish(lanes, 0, free);
}

void rg_quick_visit_grouped(const RgQuick *q, RgPatchLanes *lanes)
{
    const RgQuickColumns *own = &q->of_patch[lanes->patch[0]];
    double y[6], dW[6];
    if (lanes->half_free) {
        rg_quick_patch_velocity(q, lanes->patch[0], y);
        rg_patch_solve(lanes, 0, y, dW);
        push_patch(q, lanes->patch[0], dW);
        return;
    }
    rg_columns_velocity(own, q->x, lanes->free[0], RG_LANES, y);
    rg_patch_solve(lanes, 0, y, dW);
    rg_columns_push(own, dW, q->x);
}

void rg_quick_warm_start_grouped(const RgQuick *q, const RgPatchLanes *lanes)
{
    double W[6];
    rg_patch_wrench(lanes, 0, W);
    push_patch(q, lanes->patch[0], W);
}

/* ------------------------------------------------------------------ rows */

static void push_row(const RgQuick *q, int32_t number, double z)
{
    const RgPatchRow *row = &q->problem->rows[number];
    const RgQuickColumns *own = &q->of_row[number];
    for (int32_t c = 0; c < own->count; c++)
        q->x[own->at[c]] += own->J[c] * z;
    for (int k = 0; k < row->nspans; k++) {
        const RgRowSpan *s = &row->span[k];
        double g[6];
        if (group_of_span(q->problem, s) >= 0)
            continue;
        for (int i = 0; i < 6; i++)
            g[i] = z * s->J[i];
        rg_body_apply_impulse(&q->problem->movers[s->mover], g, q->problem->V + RG_BODY_PLACES * s->mover);
    }
}

double rg_quick_row_velocity(const RgQuick *q, int32_t number)
{
    const RgQuickColumns *own = &q->of_row[number];
    double sum = rg_patch_row_velocity(q->problem, &q->problem->rows[number], q->problem->V);
    for (int32_t c = 0; c < own->count; c++)
        sum += own->J[c] * q->x[own->at[c]];
    return sum;
}

/* J M^-1 J' of two rows. */
static double row_response(const RgQuick *q, int32_t a, int32_t b)
{
    const RgQuickColumns *A = &q->of_row[a], *B = &q->of_row[b];
    const RgPatchRow *row_a = &q->problem->rows[a], *row_b = &q->problem->rows[b];
    double sum = 0.0;
    for (int32_t i = 0, j = 0; i < A->count && j < B->count;) {
        if (A->at[i] == B->at[j])
            sum += A->J[i] * B->J[j];
        bool next_a = A->at[i] <= B->at[j], next_b = B->at[j] <= A->at[i];
        i += next_a;
        j += next_b;
    }
    for (int k = 0; k < row_a->nspans; k++) {
        double V[6] = {0.0};
        const RgRowSpan *s = &row_a->span[k];
        if (group_of_span(q->problem, s) >= 0)
            continue;
        rg_body_apply_impulse(&q->problem->movers[s->mover], s->J, V);
        for (int l = 0; l < row_b->nspans; l++)
            for (int i = 0; row_b->span[l].mover == s->mover && i < 6; i++)
                sum += row_b->span[l].J[i] * V[i];
    }
    return sum;
}

void rg_quick_prepare_rows(RgQuick *q)
{
    for (int32_t i = 0; i < q->problem->nrows; i++) {
        const RgPatchRow *row = &q->problem->rows[i];
        double response = row_response(q, i, i) + row->compliance;
        q->row_between[i] = row->disc ? row_response(q, i, i + 1) : 0.0;
        q->per_row[i] = response > 0.0 ? 1.0 / response : 0.0;
    }
}

/* Sum of the current normal impulses of a patch. */
static double normal_sum(const RgPatch *patch)
{
    double sum = 0.0;
    for (int i = 0; i < patch->count; i++)
        sum += patch->z[i][0];
    return sum;
}

double rg_quick_visit_row(const RgQuick *q, int32_t i)
{
    RgPatchRow *row = &q->problem->rows[i];
    double low = row->low, high = row->high;
    if (row->patch >= 0) {
        high = row->bound * normal_sum(&q->problem->patches[row->patch]);
        low = -high;
    }
    double off = rg_quick_row_velocity(q, i) + row->compliance * row->z - row->target;
    double z = interval_project(row->z - off * q->per_row[i], low, high), change = z - row->z;
    push_row(q, i, change);
    row->z = z;
    return change;
}

/* Sticking is solved exactly (2 x 2). If that exceeds the disc, a step with the larger eigenvalue, projected radially:
   at its fixed points friction opposes the rotation. */
void rg_quick_visit_disc(const RgQuick *q, int32_t i, double change[2])
{
    RgPatchRow *r = &q->problem->rows[i];
    double reach = r->bound * normal_sum(&q->problem->patches[r->patch]), z[2] = {r[0].z, r[1].z};
    double v1 = rg_quick_row_velocity(q, i), v2 = rg_quick_row_velocity(q, i + 1);
    bool moves = q->per_row[i] > 0.0 && q->per_row[i + 1] > 0.0;
    double k11 = moves ? 1.0 / q->per_row[i] : 1.0, k22 = moves ? 1.0 / q->per_row[i + 1] : 1.0;
    double k12 = moves ? q->row_between[i] : 0.0, det = k11 * k22 - k12 * k12;
    bool sticks = det > DISC_SINGULAR * k11 * k22;
    if (sticks) {
        z[0] -= (k22 * v1 - k12 * v2) / det;
        z[1] -= (k11 * v2 - k12 * v1) / det;
        sticks = z[0] * z[0] + z[1] * z[1] <= reach * reach;
    }
    if (!sticks) {
        double half = 0.5 * (k11 - k22), step = 1.0 / (0.5 * (k11 + k22) + sqrt(half * half + k12 * k12));
        z[0] = r[0].z - step * v1;
        z[1] = r[1].z - step * v2;
        disc_retract(reach, false, z);
    }
    for (int k = 0; k < 2; k++) {
        change[k] = z[k] - r[k].z;
        push_row(q, i + k, change[k]);
        r[k].z = z[k];
    }
}

void rg_quick_bound_row(const RgQuick *q, int32_t i)
{
    RgPatchRow *r = &q->problem->rows[i];
    if (r->patch < 0)
        return;
    double reach = r->bound * normal_sum(&q->problem->patches[r->patch]);
    double z[2] = {r[0].z, r->disc ? r[1].z : 0.0};
    disc_retract(reach, false, z);
    for (int k = 0; k < (r->disc ? 2 : 1); k++) {
        push_row(q, i + k, z[k] - r[k].z);
        r[k].z = z[k];
    }
}

void rg_quick_warm_start_row(const RgQuick *q, int32_t i)
{
    push_row(q, i, q->problem->rows[i].z);
}

/* ------------------------------------------------------------------ outputs */

void rg_quick_update_outputs(const RgQuick *q, int32_t group, const double *x, double *V)
{
    const RgArticulation *g = &q->problem->groups[group];
    const RgQuickCoordinates *own = &q->coordinates[group];
    for (int32_t i = 0; i < g->noutputs; i++)
        own->outputs[i] = V[g->place[i]];
    rg_columns_outputs(own, x, own->outputs);
    for (int32_t i = 0; i < g->noutputs; i++)
        V[g->place[i]] = own->outputs[i];
    if (g->x != NULL && g->B != NULL)
        memcpy(g->x, x + own->first, (size_t)own->rank * sizeof *x);
}

void rg_quick_push_row(const RgQuick *q, int32_t number, double z, double *V)
{
    const RgPatchProblem *p = q->problem;
    const RgPatchRow *row = &p->rows[number];
    const RgQuickColumns *own = &q->of_row[number];
    for (int32_t c = 0, g = 0; z != 0.0 && c < own->count; c++) {
        while (own->at[c] < q->coordinates[g].first || own->at[c] >= q->coordinates[g].first + q->coordinates[g].rank)
            g = g + 1 < p->ngroups ? g + 1 : 0;
        const RgArticulation *group = &p->groups[g];
        const double *b =
            q->coordinates[g].B + (size_t)(own->at[c] - q->coordinates[g].first) * (size_t)group->noutputs;
        for (int32_t i = 0; i < group->noutputs; i++)
            V[group->place[i]] += b[i] * own->J[c] * z;
    }
    for (int k = 0; z != 0.0 && k < row->nspans; k++) {
        const RgRowSpan *s = &row->span[k];
        double g[6];
        for (int i = 0; i < 6; i++)
            g[i] = z * s->J[i];
        if (group_of_span(p, s) < 0)
            rg_body_apply_impulse(&p->movers[s->mover], g, V + RG_BODY_PLACES * s->mover);
    }
}
