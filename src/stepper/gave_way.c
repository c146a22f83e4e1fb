/*
 * gave_way.c - what was not met in a step: the answer to "why is the robot not where I asked it to be".
 *
 *   target     violated: a hard drive, |v - target| above MISSED; all others keep their law exactly
 *   effort     saturated: a motor, servo or drive at its bound, |z| >= (1 - RG_AT_BOUND) h max_effort     amount |z| / h
 *   conflict   targets that cannot be met together, and "against": the limits and contacts that they contradict, by the solver's
 *              word (solver/attainable_targets.h)                                               amount: share in the proof
 *   friction   saturated: a contact that presses, at the edge of its cone, faster than SLIPS       amount: its speed
 *
 * Velocities are those that the solve found, where it was made: what projections change afterwards is not the drive's
 * doing. Many inner steps report the same; the list is merged when it is asked for.
 */
#include "stepper/gave_way.h"

#include "constraint/bounded_table.h"

#define MISSED 1e-7 /* rad/s or m/s: slower is round-off of the solve */
#define SLIPS 1e-6  /* m/s: as of the events */

double rg_row_rate(const RgStepScope *s, const RgRow *row, const double *u)
{
    RgConstraints *c = s->constraints;
    double bias, sum = 0.0;
    int count = rg_row_project(s->form, row, c->scratch.columns, c->scratch.values, &bias);
    for (int k = 0; k < count; k++)
        sum += c->scratch.values[k] * u[c->scratch.columns[k]];
    return sum;
}

static void check_row(RgStepScope *s, const RgBoundedRow *row, const double *u)
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
    RgGaveWay gave = {.joint = {joint + 1}, .dof = axis->own};
    if (row->conflict > 0.0) {
        gave.kind = drive ? RG_GAVE_CONFLICT : RG_GAVE_AGAINST;
        gave.amount = row->conflict;
        rg_step_log_gave(s->log, &gave);
    }
    if (!drive && row->kind != RG_BOUNDED_motor)
        return;
    if (drive && b->drives[row->axis].hard) {
        gave.kind = RG_GAVE_TARGET;
        gave.amount = fabs(rg_row_rate(s, &row->row, u) - row->target);
        if (gave.amount > MISSED)
            rg_step_log_gave(s->log, &gave);
    }
    if (!row->locked && fabs(row->z) >= (1.0 - RG_AT_BOUND) * (row->z < 0.0 ? -row->low : row->high)) {
        gave.kind = RG_GAVE_EFFORT;
        gave.amount = fabs(row->z) / s->contact->result.h;
        rg_step_log_gave(s->log, &gave);
    }
}

void rg_gave_way_rows(RgStepScope *s, const double *u)
{
    const RgContactSolver *stage = s->contact;
    int n = stage != NULL && stage->result.h > 0.0 ? stage->problem.nrows + stage->problem.nknown : 0;
    for (int i = 0; i < n; i++)
        check_row(s, &stage->problem.rows[i], u);
}

void rg_gave_way_contacts(RgStepScope *s)
{
    RgContactSolver *stage = s->contact;
    if (stage == NULL || !(stage->result.h > 0.0))
        return;
    rg_contact_report(&stage->problem,
                      &stage->result); /* which contacts slip does not depend on how they share loads */
    for (int32_t k = 0; k < stage->problem.npatches; k++) {
        const RgPatchParts *parts = &stage->problem.parts[k];
        const RgContactForce *point = &stage->result.forces[parts->point[0]];
        if (parts->conflict > 0.0)
            rg_step_log_gave(s->log, &(RgGaveWay){.kind = RG_GAVE_AGAINST,
                                                  .shape_a = point->shape_a,
                                                  .shape_b = point->shape_b,
                                                  .amount = parts->conflict});
    }
    for (int32_t i = 0; i < stage->result.nforces; i++) {
        const RgContactForce *point = &stage->result.forces[i];
        double speed = v3_norm(point->slip);
        if (point->state == RG_CONTACT_SLIP && speed > SLIPS)
            rg_step_log_gave(s->log, &(RgGaveWay){.kind = RG_GAVE_FRICTION,
                                                  .shape_a = point->shape_a,
                                                  .shape_b = point->shape_b,
                                                  .amount = speed});
    }
}

/* Joints first, each with its kinds in their order; then pairs of shapes. */
static int compare(const RgGaveWay *a, const RgGaveWay *b)
{
    const int32_t keys[][2] = {
        {a->joint.i == 0, b->joint.i == 0}, {a->joint.i, b->joint.i},     {a->dof, b->dof},
        {a->shape_a.i, b->shape_a.i},       {a->shape_b.i, b->shape_b.i}, {(int32_t)a->kind, (int32_t)b->kind}};
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        if (keys[k][0] != keys[k][1])
            return keys[k][0] < keys[k][1] ? -1 : 1;
    return a->amount > b->amount ? -1 : a->amount < b->amount;
}

static bool same_place(const RgGaveWay *a, const RgGaveWay *b)
{
    return a->kind == b->kind && a->joint.i == b->joint.i && a->dof == b->dof && a->shape_a.i == b->shape_a.i &&
           a->shape_b.i == b->shape_b.i;
}

/* Sifts the entry at `at` down the heap of the first n. */
static void sift_down(RgGaveWay *list, int at, int n)
{
    RgGaveWay moved = list[at];
    for (int below = 2 * at + 1; below < n; below = 2 * at + 1) {
        below += below + 1 < n && compare(&list[below + 1], &list[below]) > 0;
        if (compare(&list[below], &moved) <= 0)
            break;
        list[at] = list[below];
        at = below;
    }
    list[at] = moved;
}

/* Heap sort: no memory. */
static void sort(RgGaveWay *list, int n)
{
    for (int i = n / 2 - 1; i >= 0; i--)
        sift_down(list, i, n);
    for (int end = n - 1; end > 0; end--) {
        RgGaveWay last = list[0];
        list[0] = list[end];
        list[end] = last;
        sift_down(list, 0, end);
    }
}

void rg_gave_way_merge(RgStepLog *log)
{
    int kept = 0;
    sort(log->gave, log->ngave);
    for (int i = 0; i < log->ngave; i++)
        if (kept == 0 || !same_place(&log->gave[kept - 1], &log->gave[i]))
            log->gave[kept++] = log->gave[i];
    log->ngave = kept;
}
