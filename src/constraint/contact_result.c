/*
 * contact_result.c - forces, states and work from the impulses of a solve (contact_result.h).
 *
 * Forces are impulses over h. The slip is the tangential velocity of B against A at the point at the end of the step. A
 * point without normal impulse is open; one whose tangential impulse is at the edge of its cone and that moves slips;
 * any other sticks. The moment of torsion and rolling friction is reported with a patch's first point.
 *
 * Work. Let u* be the velocities at the end of the step with joints, loops and springs but without contacts and bounded
 * rows, u those with them, z the impulses of contacts and bounded rows, l the impulses by which joints and loops B
 * respond, M du = J'z + B'l, u = u* + du. Then the kinetic energy changes by exactly
 *
 *   T(u) - T(u*) = z . J u + l . B u - 1/2 (z . J du + l . B du)
 *
 * The first two terms are split by the purpose of a row's target: correction of errors, restitution, and the kind of
 * the row. The last term is the loss of a plastic impact and never positive in total: each row's part of it counts as
 * impact, except that of motors, which counts as motor work; if motors push bodies together so that the parts of the
 * impacts sum to a gain, the sum counts as motor work too. Implicit springs and dampers on the diagonal of M (joint
 * coordinates) are not inertia: the energy they take counts as work of springs.
 */
#include "constraint/contact_result.h"

#include "base/parallel_for.h"
#include "constraint/bounded_table.h"

#include <string.h>

/* Part of the friction bound from which on a point counts as at the edge of its cone; the margin is for round-off. */
#define CONE_EDGE (1.0 - 1e-9)
/* Patches per chunk of a parallel loop, one partial sum each. */
#define CHUNK RG_WORK_CHUNK

/* ------------------------------------------------------------------ impulses */

typedef struct Task {
    const RgContactProblem *problem;
    RgVec3 *impulses;
} Task;

static void sum_patches(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Task *t = context;
    for (int32_t k = first; k < end; k++) {
        const RgPatch *patch = &t->problem->patches[k];
        for (int i = 0; i < patch->count; i++) {
            const double *z = patch->z[i];
            RgVec3 along = v3_axpy(z[1], patch->axis[0], v3_scale(z[2], patch->axis[1]));
            t->impulses[t->problem->parts[k].point[i]] = v3_axpy(z[0], patch->axis[2], along);
        }
    }
}

void rg_contact_point_impulses(const RgContactSetup *setup, const RgContactProblem *p, RgVec3 *impulses)
{
    memset(impulses, 0, (size_t)p->ask.contacts->npoints * sizeof *impulses);
    rg_parallel_for(setup->form->thread_pool, p->npatches, CHUNK, sum_patches, &(Task){p, impulses});
}

/* ------------------------------------------------------------------ forces */

/* Velocity of B against A at place d from the mean of a patch. */
static RgVec3 velocity_between(const double *velocities, const RgPatch *patch, RgVec3 d)
{
    RgVec3 v = v3_zero();
    for (int side = 0; side < 2; side++) {
        const double *V = velocities + RG_BODY_PLACES * patch->mover[side];
        RgVec3 at = v3_cross(v3(V[3], V[4], V[5]), v3_add(patch->arm[side], d));
        v = v3_axpy(side == 1 ? 1.0 : -1.0, v3_add(v3(V[0], V[1], V[2]), at), v);
    }
    return v;
}

static RgContactState contact_state(const RgPatch *patch, const double z[3], RgVec3 slip)
{
    double a = z[1] * patch->mu[1], b = z[2] * patch->mu[0], reach = z[0] * patch->mu[0] * patch->mu[1];
    if (!(z[0] > 0.0))
        return RG_CONTACT_OPEN;
    bool at_edge = a * a + b * b >= CONE_EDGE * CONE_EDGE * reach * reach;
    return at_edge && v3_norm2(slip) > 0.0 ? RG_CONTACT_SLIP : RG_CONTACT_STICK;
}

static void report_patch(const RgContactProblem *p, int32_t k, RgContactResult *result)
{
    const RgPatch *patch = &p->patches[k];
    RgVec3 n = patch->axis[2];
    for (int i = 0; i < patch->count; i++) {
        RgContactForce *out = &result->forces[p->parts[k].point[i]];
        RgVec3 d = v3_axpy(patch->place[i][0], patch->axis[0], v3_scale(patch->place[i][1], patch->axis[1]));
        RgVec3 v = velocity_between(result->V, patch, d);
        out->slip = v3_axpy(-v3_dot(v, n), n, v);
        out->state = contact_state(patch, patch->z[i], out->slip);
        if (p->turning != NULL && i == 0)
            out->moment = v3_scale(1.0 / result->h, p->turning[k].moment);
    }
}

static void report_pair(const RgContactView *contacts, const RgShapeContacts *pair, RgContactResult *result)
{
    for (int32_t i = 0; i < pair->nmanifolds; i++) {
        const RgManifold *m = &contacts->manifolds[pair->first_manifold + i];
        for (int32_t j = m->first; j < m->first + m->count; j++) {
            const RgContactPoint *p = &contacts->points[j];
            result->forces[j] = (RgContactForce){.shape_a = pair->shape_a,
                                                 .shape_b = pair->shape_b,
                                                 .id = p->id,
                                                 .point = v3_scale(0.5, v3_add(p->point_a, p->point_b)),
                                                 .normal = m->normal,
                                                 .force = v3_scale(1.0 / result->h, result->reported_impulses[j]),
                                                 .gap = p->gap};
        }
    }
}

void rg_contact_report(const RgContactProblem *problem, RgContactResult *result)
{
    if (result->reported)
        return;
    result->reported = true;
    for (int32_t k = 0; k < problem->ask.contacts->npairs; k++)
        report_pair(problem->ask.contacts, &problem->ask.contacts->pairs[k], result);
    for (int32_t k = 0; k < problem->npatches; k++)
        report_patch(problem, k, result);
}

/* ------------------------------------------------------------------ work */

typedef struct Account {
    const RgContactSetup *setup;
    const RgContactProblem *problem;
    const RgWorkSpan *span;
    RgSolverWork *work;
} Account;

/* Accounts for an impulse z along which the velocity changes from `before` to `after`. Returns its work at the
   latter. */
static double account_impulse(const Account *a, double z, double before, double after)
{
    a->work->impacts -= 0.5 * z * (after - before);
    return z * after;
}

/* Motion of B against A at the mean of a patch, for the given twists of the bodies. */
static RgMotion gap_motion(const Account *a, const RgPatch *p, const RgMotion *twists)
{
    RgMotion gap = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int side = 0; side < 2; side++) {
        int body = p->mover[side] - 1;
        if (body < 0)
            continue;
        RgVec3 to_centre = v3_sub(a->problem->centre[body + 1], a->setup->form->kin->X_WB[body].p);
        RgMotion V = mv_shift(twists[body], v3_add(to_centre, p->arm[side]));
        double sign = side == 1 ? 1.0 : -1.0;
        gap.w = v3_axpy(sign, V.w, gap.w);
        gap.v = v3_axpy(sign, V.v, gap.v);
    }
    return gap;
}

static void account_patch(const Account *a, int32_t number)
{
    const RgPatch *p = &a->problem->patches[number];
    RgSolverWork *w = a->work;
    RgMotion before = gap_motion(a, p, a->span->twists),
             after = gap_motion(a, p, a->span->twists + a->setup->form->model->nbodies);
    for (int i = 0; i < p->count; i++) {
        const RgPointLaw *law = &a->problem->parts[number].law[i];
        RgVec3 d = v3_axpy(p->place[i][0], p->axis[0], v3_scale(p->place[i][1], p->axis[1]));
        RgVec3 v0 = mv_shift(before, d).v, v = mv_shift(after, d).v;
        double normal = account_impulse(a, p->z[i][0], v3_dot(p->axis[2], v0), v3_dot(p->axis[2], v));
        for (int k = 0; k < 2; k++)
            w->friction += account_impulse(a, p->z[i][1 + k], v3_dot(p->axis[k], v0), v3_dot(p->axis[k], v));

        /* Poisson: the separation velocity is restitution. */
        double parts = law->restitution > 0.0 ? fmax(v3_dot(p->axis[2], v), 0.0) : law->bounce;
        double bounce = p->z[i][0] * parts, erp = p->z[i][0] * law->correction;
        w->restitution += bounce;
        w->erp += erp;
        *(law->soft ? &w->springs : &w->rest) += normal - bounce - erp;
    }
    if (a->problem->turning != NULL) {
        RgVec3 m = a->problem->turning[number].moment;
        w->friction += account_impulse(a, 1.0, v3_dot(m, before.w), v3_dot(m, after.w));
    }
}

/* Patches first ... end - 1; each chunk has its own partial sum. */
static void account_patches(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    Account a = *(const Account *)context;
    a.work = &a.span->chunks[first / CHUNK];
    *a.work = (RgSolverWork){.total = 0.0};
    for (int32_t k = first; k < end; k++)
        account_patch(&a, k);
}

/* Accounts for a bounded row by its kind. All work of a motor counts as motor work. */
static void account_row(const Account *a, const RgBoundedRow *row)
{
    const RgForm *form = a->setup->form;
    const RgConstraints *c = a->setup->constraints;
    double bias, before = 0.0, after = 0.0;
    int count = rg_row_project(form, &row->row, c->scratch.columns, c->scratch.values, &bias);
    for (int e = 0; e < count; e++) {
        before += c->scratch.values[e] * a->span->before[c->scratch.columns[e]];
        after += c->scratch.values[e] * a->span->after[c->scratch.columns[e]];
    }
    double erp = row->row.error > 0.0 && row->compliance == 0.0 ? row->z * row->target : 0.0;
    double *share = rg_bounded_account(row->kind, a->work);
    bool motor = share == &a->work->motors;
    a->work->erp += erp;
    *share += (motor ? 0.5 * row->z * (after + before) : account_impulse(a, row->z, before, after)) - erp;
}

/* Accounts for the response of joints and loops. If they are eliminated, impulses do not change the rates of hard
   rows. */
static void account_joints(const Account *a)
{
    const RgForm *form = a->setup->form;
    const RgRows *rows = &a->setup->constraints->rows;
    const RgWorkSpan *span = a->span;
    for (int i = 0; i < rows->n; i++) {
        const RgRow *row = &rows->row[i];
        double z = a->problem->joint_impulses[i] - (span->held != NULL ? span->held[i] : 0.0);
        bool eliminated = span->held == NULL && row->compliance == 0.0;
        double before = rg_form_row_rate(form, row, span->before, span->twists), after = before;
        if (!eliminated)
            after = rg_form_row_rate(form, row, span->after, span->twists + form->model->nbodies);
        double erp = z * a->problem->joint_correction[i];
        a->work->erp += erp;
        *(row->compliance > 0.0 ? &a->work->springs : &a->work->rest) += account_impulse(a, z, before, after) - erp;
    }
}

RgSolverWork rg_contact_work(const RgContactSetup *setup, const RgContactProblem *problem, const RgWorkSpan *span)
{
    const RgForm *form = setup->form;
    const double *before = span->before, *after = span->after;
    RgMotion *twists_after = span->twists + form->model->nbodies;
    RgSolverWork w = {.inertia = span->inertia};
    Account a = {setup, problem, span, &w};
    const double *start = span->unmoved != NULL ? span->unmoved : before;
    RgKinetics energy = {.u = {before, after, start, problem->ask.u0}, .V = {span->twists, twists_after}};
    rg_form_kinetics(form, &energy);
    rg_parallel_for(form->thread_pool, problem->npatches, CHUNK, account_patches, &a);
    for (int32_t k = 0; k < problem->npatches; k += CHUNK)
        rg_work_add(&w, &span->chunks[k / CHUNK]);
    for (int k = 0; k < problem->nrows + problem->nprescribed_rows; k++)
        if (problem->rows[k].z != 0.0)
            account_row(&a, &problem->rows[k]);
    account_joints(&a);
    for (int k = 0; k < form->model->nv && problem->ask.diagonal != NULL; k++)
        w.springs -= 0.5 * problem->ask.diagonal[k] * (after[k] * after[k] - before[k] * before[k]);
    if (w.impacts > 0.0) {
        w.motors += w.impacts;
        w.impacts = 0.0;
    }
    w.total = energy.T[1] - energy.T[2];
    w.forces = energy.T[2] - energy.T[3];
    return w;
}

RgSolverWork rg_contact_no_work(const RgContactSetup *setup, const RgContactAsk *ask, const double *u)
{
    RgKinetics energy = {.u = {u, ask->u0, u, u}};
    rg_form_kinetics(setup->form, &energy);
    return (RgSolverWork){.forces = energy.T[0] - energy.T[1]};
}

void rg_work_axpy(double a, const RgSolverWork *w, RgSolverWork *sum)
{
    *sum = (RgSolverWork){.total = sum->total + a * w->total,
                          .forces = sum->forces + a * w->forces,
                          .erp = sum->erp + a * w->erp,
                          .restitution = sum->restitution + a * w->restitution,
                          .springs = sum->springs + a * w->springs,
                          .motors = sum->motors + a * w->motors,
                          .friction = sum->friction + a * w->friction,
                          .impacts = sum->impacts + a * w->impacts,
                          .rest = sum->rest + a * w->rest,
                          .inertia = sum->inertia + a * w->inertia,
                          .split = sum->split + a * w->split};
}

void rg_work_add(RgSolverWork *sum, const RgSolverWork *w)
{
    rg_work_axpy(1.0, w, sum);
}
