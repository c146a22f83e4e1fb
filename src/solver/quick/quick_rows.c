/*
 * quick_rows.c - what solver `quick` does with single rows, and with patches on movers of groups: in plain numbers,
 * one after the other.
 *
 * A row is visited by itself: z <- P(z - (J V + C z - target) / (J L J' + C)). A patch on a group answers to a wrench
 * by the group's L; its K is found by unit wrenches, and the rest is the kernel's.
 */
#include "solver/cone_projection.h"
#include "solver/quick/quick_work.h"

#include <string.h>

/* Part of k11 k22 below which two rows of a disc say the same. */
#define SINGULAR 1e-12

/* ------------------------------------------------------------------ impulses on movers */

/* dV of a whole group from an impulse on some of its outputs. */
static void push_group(const RgPatchProblem *p, int32_t group, int32_t output, const double *g, int count,
                       double *V)
{
    const RgMoverGroup *G = &p->groups[group];
    for (int32_t k = 0; k < G->noutputs; k++) {
        const double *row = G->L + (size_t)k * (size_t)G->noutputs + output;
        double sum = 0.0;
        for (int c = 0; c < count; c++)
            sum += row[c] * g[c];
        V[G->place[k]] += sum;
    }
}

/* g: force, then moment about the centre. */
static void push_mover(const RgPatchProblem *p, int32_t mover, const double g[6], double *V)
{
    const RgMover *m = &p->movers[mover];
    if (mover == 0)
        return;
    if (m->group >= 0) {
        push_group(p, m->group, m->output, g, 6, V);
        return;
    }
    double *to = V + RG_MOVER_PLACES * mover;
    RgVec3 w = s3_apply(m->inverse_inertia, v3(g[3], g[4], g[5]));
    for (int i = 0; i < 3; i++)
        to[i] += m->inverse_mass * g[i];
    to[3] += w.x;
    to[4] += w.y;
    to[5] += w.z;
}

/* ------------------------------------------------------------------ patches on movers of groups */

/* Wrench at the mean in the patch's axes, as impulses on its two movers. */
static void push_patch(const RgPatchProblem *p, const RgPatch *patch, const double W[6], double *V)
{
    RgVec3 f = v3_zero(), m = v3_zero();
    for (int i = 0; i < 3; i++) {
        f = v3_axpy(W[i], patch->axis[i], f);
        m = v3_axpy(W[3 + i], patch->axis[i], m);
    }
    for (int side = 0; side < 2; side++) {
        double sign = side == 1 ? 1.0 : -1.0;
        RgVec3 n = v3_add(m, v3_cross(patch->arm[side], f));
        double g[6] = {sign * f.x, sign * f.y, sign * f.z, sign * n.x, sign * n.y, sign * n.z};
        push_mover(p, patch->mover[side], g, V);
    }
}

void rg_quick_look_patch(const RgPatch *patch, const double *V, double y[6])
{
    RgVec3 u = v3_zero(), w = v3_zero();
    for (int side = 0; side < 2; side++) {
        const double *from = V + RG_MOVER_PLACES * patch->mover[side];
        double sign = side == 1 ? 1.0 : -1.0;
        RgVec3 turn = {from[3], from[4], from[5]};
        RgVec3 at = v3_add(v3(from[0], from[1], from[2]), v3_cross(turn, patch->arm[side]));
        u = v3_axpy(sign, at, u);
        w = v3_axpy(sign, turn, w);
    }
    for (int i = 0; i < 3; i++) {
        y[i] = v3_dot(patch->axis[i], u);
        y[3 + i] = v3_dot(patch->axis[i], w);
    }
}

/* K by unit wrenches, on velocities that are put back. */
void rg_quick_respond_grouped(const RgQuick *q, RgPatchLanes *lanes)
{
    const RgPatchProblem *p = q->problem;
    const RgPatch *patch = &p->patches[lanes->patch[0]];
    double *V = q->V_still; /* zero outside a sweep */
    for (int j = 0; j < 6; j++) {
        double W[6] = {0.0}, y[6];
        W[j] = 1.0;
        push_patch(p, patch, W, V);
        rg_quick_look_patch(patch, V, y);
        for (int i = j; i < 6; i++)
            lanes->K[i * (i + 1) / 2 + j][0] = y[i];
        for (int side = 0; side < 2; side++) {
            const RgMover *m = &p->movers[patch->mover[side]];
            memset(V + RG_MOVER_PLACES * patch->mover[side], 0, RG_MOVER_PLACES * sizeof *V);
            for (int32_t k = 0; m->group >= 0 && k < p->groups[m->group].noutputs; k++)
                V[p->groups[m->group].place[k]] = 0.0;
        }
    }
    rg_patch_finish(lanes, 0);
}

void rg_quick_visit_grouped(const RgQuick *q, RgPatchLanes *lanes)
{
    const RgPatch *patch = &q->problem->patches[lanes->patch[0]];
    double y[6], dW[6];
    rg_quick_look_patch(patch, q->problem->V, y);
    rg_patch_settle(lanes, 0, y, dW);
    push_patch(q->problem, patch, dW, q->problem->V);
}

void rg_quick_begin_grouped(const RgQuick *q, const RgPatchLanes *lanes)
{
    double W[6];
    rg_patch_wrench(lanes, 0, W);
    push_patch(q->problem, &q->problem->patches[lanes->patch[0]], W, q->problem->V);
}

/* ------------------------------------------------------------------ rows */

static void push_row(const RgPatchProblem *p, const RgPatchRow *row, double z, double *V)
{
    for (int k = 0; k < row->nspans; k++) {
        const RgRowSpan *s = &row->span[k];
        double g[6];
        for (int i = 0; i < 6; i++)
            g[i] = z * s->J[i];
        if (s->mover > 0)
            push_mover(p, s->mover, g, V);
        else
            push_group(p, p->single_group[s->single], p->single_output[s->single], g, 1, V);
    }
}

double rg_quick_look_row(const RgPatchProblem *p, const RgPatchRow *row, const double *V)
{
    double sum = 0.0;
    for (int k = 0; k < row->nspans; k++) {
        const RgRowSpan *s = &row->span[k];
        const double *from =
            V + (s->mover > 0 ? RG_MOVER_PLACES * s->mover : RG_MOVER_PLACES * p->nmovers + s->single);
        for (int i = 0; i < (s->mover > 0 ? 6 : 1); i++)
            sum += s->J[i] * from[i];
    }
    return sum;
}

/* Puts back to zero what a row can have moved. */
static void clear_row(const RgPatchProblem *p, const RgPatchRow *row, double *V)
{
    for (int k = 0; k < row->nspans; k++) {
        const RgRowSpan *s = &row->span[k];
        int32_t group = s->mover > 0 ? p->movers[s->mover].group : p->single_group[s->single];
        if (group < 0)
            memset(V + RG_MOVER_PLACES * s->mover, 0, RG_MOVER_PLACES * sizeof *V);
        for (int32_t i = 0; group >= 0 && i < p->groups[group].noutputs; i++)
            V[p->groups[group].place[i]] = 0.0;
    }
}

void rg_quick_prepare_rows(RgQuick *q)
{
    RgPatchProblem *p = q->problem;
    for (int32_t i = 0; i < p->nrows; i++) {
        const RgPatchRow *row = &p->rows[i];
        push_row(p, row, 1.0, q->V_still);
        double response = rg_quick_look_row(p, row, q->V_still) + row->compliance;
        q->row_between[i] = row->disc ? rg_quick_look_row(p, row + 1, q->V_still) : 0.0;
        clear_row(p, row, q->V_still);
        q->per_row[i] = response > 0.0 ? 1.0 / response : 0.0;
    }
}

/* Sum of a patch's normal impulses now. */
static double normal_sum(const RgPatch *patch)
{
    double sum = 0.0;
    for (int i = 0; i < patch->count; i++)
        sum += patch->z[i][0];
    return sum;
}

double rg_quick_visit_row(const RgQuick *q, int32_t i)
{
    RgPatchProblem *p = q->problem;
    RgPatchRow *row = &p->rows[i];
    double low = row->low, high = row->high;
    if (row->patch >= 0) {
        high = row->bound * normal_sum(&p->patches[row->patch]);
        low = -high;
    }
    double off = rg_quick_look_row(p, row, p->V) + row->compliance * row->z - row->target;
    double z = row->z - off * q->per_row[i];
    z = interval_project(z, low, high);
    double change = z - row->z;
    push_row(p, row, change, p->V);
    row->z = z;
    return change;
}

/* What sticks exactly, two by two; if that is too much, a step with the larger eigenvalue, brought back to the
   edge: its resting points are turning against friction. */
void rg_quick_visit_disc(const RgQuick *q, int32_t i, double change[2])
{
    RgPatchProblem *p = q->problem;
    RgPatchRow *r = &p->rows[i];
    double reach = r->bound * normal_sum(&p->patches[r->patch]), z[2] = {r[0].z, r[1].z};
    double v1 = rg_quick_look_row(p, r, p->V), v2 = rg_quick_look_row(p, r + 1, p->V);
    bool moves = q->per_row[i] > 0.0 && q->per_row[i + 1] > 0.0;
    double k11 = moves ? 1.0 / q->per_row[i] : 1.0, k22 = moves ? 1.0 / q->per_row[i + 1] : 1.0;
    double k12 = moves ? q->row_between[i] : 0.0, det = k11 * k22 - k12 * k12;
    bool sticks = det > SINGULAR * k11 * k22;
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
        push_row(p, &r[k], change[k], p->V);
        r[k].z = z[k];
    }
}

void rg_quick_bound_row(const RgQuick *q, int32_t i)
{
    RgPatchProblem *p = q->problem;
    RgPatchRow *r = &p->rows[i];
    if (r->patch < 0)
        return;
    double reach = r->bound * normal_sum(&p->patches[r->patch]);
    double z[2] = {r[0].z, r->disc ? r[1].z : 0.0};
    disc_retract(reach, false, z);
    for (int k = 0; k < (r->disc ? 2 : 1); k++) {
        push_row(p, &r[k], z[k] - r[k].z, p->V);
        r[k].z = z[k];
    }
}

void rg_quick_push_row(const RgPatchProblem *p, int32_t i, double z, double *V)
{
    if (z != 0.0)
        push_row(p, &p->rows[i], z, V);
}

void rg_quick_begin_row(const RgQuick *q, int32_t i)
{
    const RgPatchRow *row = &q->problem->rows[i];
    push_row(q->problem, row, row->z, q->problem->V);
}
