/*
 * shortfall.c - shortfalls of a step: which targets were missed and which bounds were reached.
 *
 *   target     violated: a hard drive with |v - target| above TARGET_TOLERANCE (all other drives satisfy their law
 *                                                                                       exactly) amount: |v - target|
 *   effort     saturated: a motor, servo or drive at its bound, |z| >= (1 - RG_AT_BOUND) h max_effort
 *                                                                                       amount: |z| / h
 *   conflict   a target that cannot be met together with others, as proven by the solver; "against": a limit or
 *              contact that it contradicts (solver/attainable_targets.h)                amount: share in the proof
 *   friction   saturated: a contact at the edge of its friction cone that slips faster than LEAST_SLIP
 *                                                                                       amount: slip speed
 *
 * Velocities are those of the solve, before projections. Several inner steps can report the same shortfall; the list is
 * merged when it is read.
 */
#include "stepper/shortfall.h"

#include "constraint/bounded_table.h"

#define TARGET_TOLERANCE 1e-7 /* rad/s or m/s: smaller differences are round-off of the solve */
#define LEAST_SLIP 1e-6       /* m/s: as SLIP_BEGIN in contact_events.c */

double rg_row_rate(const RgStepScope *s, const RgRow *row, const double *u)
{
    RgConstraints *c = s->constraints;
    double bias, sum = 0.0;
    int count = rg_row_project(s->form, row, c->scratch.columns, c->scratch.values, &bias);
    for (int k = 0; k < count; k++)
        sum += c->scratch.values[k] * u[c->scratch.columns[k]];
    return sum;
}

static void check_bounded_row(RgStepScope *s, const RgBoundedRow *row, const double *u)
{
    const RgModel *m = s->model;
    const RgBounded *b = s->contact->setup.bounded;
    bool drive = row->kind == RG_BOUNDED_drive;
    if (row->kind == RG_BOUNDED_user || (!drive && row->kind != RG_BOUNDED_motor && row->conflict == 0.0))
        return;
    const RgAxis *axis = &b->axes[row->axis];
    int joint = axis->dof >= 0 ? m->bodies[m->dof_body[axis->dof]].joint : m->loops[axis->loop].joint;
    if (joint >= m->njoints) /* made at run time: it has no number in the model */
        return;
    RgShortfall shortfall = {.joint = {joint + 1}, .dof = axis->own};
    if (row->conflict > 0.0) {
        shortfall.kind = drive ? RG_SHORTFALL_CONTRADICTION : RG_SHORTFALL_AGAINST;
        shortfall.amount = row->conflict;
        rg_step_log_shortfall(s->log, &shortfall);
    }
    if (!drive && row->kind != RG_BOUNDED_motor)
        return;
    if (drive && b->drives[row->axis].hard) {
        shortfall.kind = RG_SHORTFALL_TARGET;
        shortfall.amount = fabs(rg_row_rate(s, &row->row, u) - row->target);
        if (shortfall.amount > TARGET_TOLERANCE)
            rg_step_log_shortfall(s->log, &shortfall);
    }
    if (!row->locked && fabs(row->z) >= (1.0 - RG_AT_BOUND) * (row->z < 0.0 ? -row->low : row->high)) {
        shortfall.kind = RG_SHORTFALL_EFFORT;
        shortfall.amount = fabs(row->z) / s->contact->result.h;
        rg_step_log_shortfall(s->log, &shortfall);
    }
}

void rg_shortfall_rows(RgStepScope *s, const double *u)
{
    const RgContactSolver *stage = s->contact;
    int n = stage != NULL && stage->result.h > 0.0 ? stage->problem.nrows + stage->problem.nprescribed_rows : 0;
    for (int i = 0; i < n; i++)
        check_bounded_row(s, &stage->problem.rows[i], u);
}

void rg_shortfall_contacts(RgStepScope *s)
{
    RgContactSolver *stage = s->contact;
    if (stage == NULL || !(stage->result.h > 0.0))
        return;
    /* Without the distribution of loads over the points of a patch: slipping does not depend on it. */
    rg_contact_report(&stage->problem, &stage->result);
    for (int32_t k = 0; k < stage->problem.npatches; k++) {
        const RgPatchParts *parts = &stage->problem.parts[k];
        const RgContactForce *point = &stage->result.forces[parts->point[0]];
        if (parts->conflict > 0.0)
            rg_step_log_shortfall(s->log, &(RgShortfall){.kind = RG_SHORTFALL_AGAINST,
                                                         .shape_a = point->shape_a,
                                                         .shape_b = point->shape_b,
                                                         .amount = parts->conflict});
    }
    for (int32_t i = 0; i < stage->result.nforces; i++) {
        const RgContactForce *point = &stage->result.forces[i];
        double speed = v3_norm(point->slip);
        if (point->state == RG_CONTACT_SLIP && speed > LEAST_SLIP)
            rg_step_log_shortfall(s->log, &(RgShortfall){.kind = RG_SHORTFALL_FRICTION,
                                                         .shape_a = point->shape_a,
                                                         .shape_b = point->shape_b,
                                                         .amount = speed});
    }
}

/* Order: joints before pairs of shapes; then by number, by kind, and by decreasing amount. */
static int compare_shortfalls(const RgShortfall *a, const RgShortfall *b)
{
    const int32_t keys[][2] = {
        {a->joint.i == 0, b->joint.i == 0}, {a->joint.i, b->joint.i},     {a->dof, b->dof},
        {a->shape_a.i, b->shape_a.i},       {a->shape_b.i, b->shape_b.i}, {(int32_t)a->kind, (int32_t)b->kind}};
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        if (keys[k][0] != keys[k][1])
            return keys[k][0] < keys[k][1] ? -1 : 1;
    return a->amount > b->amount ? -1 : a->amount < b->amount;
}

static bool same_kind_and_place(const RgShortfall *a, const RgShortfall *b)
{
    return a->kind == b->kind && a->joint.i == b->joint.i && a->dof == b->dof && a->shape_a.i == b->shape_a.i &&
           a->shape_b.i == b->shape_b.i;
}

/* Moves the entry at `at` down the heap of the first n entries. */
static void sift_down(RgShortfall *list, int at, int n)
{
    RgShortfall moved = list[at];
    for (int below = 2 * at + 1; below < n; below = 2 * at + 1) {
        below += below + 1 < n && compare_shortfalls(&list[below + 1], &list[below]) > 0;
        if (compare_shortfalls(&list[below], &moved) <= 0)
            break;
        list[at] = list[below];
        at = below;
    }
    list[at] = moved;
}

/* Heap sort: in place, no memory. */
static void sort_shortfalls(RgShortfall *list, int n)
{
    for (int i = n / 2 - 1; i >= 0; i--)
        sift_down(list, i, n);
    for (int end = n - 1; end > 0; end--) {
        RgShortfall last = list[0];
        list[0] = list[end];
        list[end] = last;
        sift_down(list, 0, end);
    }
}

void rg_shortfall_merge(RgStepLog *log)
{
    int kept = 0;
    sort_shortfalls(log->gave, log->nshortfalls);
    for (int i = 0; i < log->nshortfalls; i++)
        if (kept == 0 || !same_kind_and_place(&log->gave[kept - 1], &log->gave[i]))
            log->gave[kept++] = log->gave[i];
    log->nshortfalls = kept;
}
