/*
 * contact_work.c - what the impulses of solver quick did to the kinetic energy.
 *
 * With u = u* + du and M du = J'z + B'l, z the impulses of contacts and bounded rows, l those of the bilateral rows B that
 * answer them,
 *
 *   T(u) - T(u*) = z . J u + l . B u - 1/2 (z . J du + l . B du)
 *
 * The last term is what it costs to reach all targets at once, and never adds. Each row's part of it is an impact's, but
 * that of motors is theirs; where they push bodies together so that the impacts' parts sum to a gain, that is theirs too.
 * The terms of the first two are told apart
 * by what a row's target is for, as in row_stage.c. Where springs and dampers at the end of the step stand on the diagonal
 * of M (joint coordinates), they are no inertia: what they took is theirs.
 */
#include "constraint/bounded_table.h"
#include "constraint/contact_stage.h"

typedef struct Account {
    const RgContactStage *stage;
    const double *before, *after; /* nu: velocities */
    RgSolverWork *work;
} Account;

/* An impulse z along which the velocity was before, and is after. Returns its work at the latter. */
static double add_impulse(const Account *a, double z, double before, double after)
{
    a->work->impacts -= 0.5 * z * (after - before);
    return z * after;
}

/* The same of a motor: all its work is its own. */
static double motor_impulse(double z, double before, double after)
{
    return 0.5 * z * (after + before);
}

/* Motion of a patch at its mean, B's less A's. */
static RgMotion gap_motion(const RgContactStage *stage, const RgPatch *p, const double *u)
{
    RgMotion gap = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int side = 0; side < 2; side++) {
        int body = p->mover[side] - 1;
        double sign = side == 1 ? 1.0 : -1.0;
        RgMotion V;
        if (body < 0)
            continue;
        stage->form->kind->twist(stage->form, body, u, &V);
        RgVec3 from_origin = v3_sub(stage->centre[body + 1], stage->form->kin->X_WB[body].p);
        V = mv_shift(V, v3_add(from_origin, p->arm[side]));
        gap.w = v3_axpy(sign, V.w, gap.w);
        gap.v = v3_axpy(sign, V.v, gap.v);
    }
    return gap;
}

static void add_patch(const Account *a, int32_t number)
{
    const RgContactStage *stage = a->stage;
    const RgPatch *p = &stage->problem.patches[number];
    RgSolverWork *w = a->work;
    RgMotion before = gap_motion(stage, p, a->before), after = gap_motion(stage, p, a->after);
    for (int i = 0; i < p->count; i++) {
        RgVec3 d = v3_axpy(p->place[i][0], p->axis[0], v3_scale(p->place[i][1], p->axis[1]));
        RgVec3 v0 = mv_shift(before, d).v, v = mv_shift(after, d).v;
        double normal = add_impulse(a, p->z[i][0], v3_dot(p->axis[2], v0), v3_dot(p->axis[2], v));
        for (int k = 0; k < 2; k++)
            w->friction += add_impulse(a, p->z[i][1 + k], v3_dot(p->axis[k], v0), v3_dot(p->axis[k], v));
        bool soft = p->compliance[0] > 0.0, corrects = !soft && p->target[i] > 0.0;
        double bounce = p->z[i][0] * stage->bounce[number][i];
        double erp = corrects && bounce == 0.0 ? p->z[i][0] * p->target[i] : 0.0;
        w->restitution += bounce;
        w->erp += erp;
        *(soft ? &w->springs : &w->rest) += normal - bounce - erp;
    }
    if (stage->surfaces.turns) {
        RgVec3 m = stage->patch_moment[number];
        w->friction += add_impulse(a, 1.0, v3_dot(m, before.w), v3_dot(m, after.w));
    }
}

/* A bounded row, by its kind. */
static void add_row(const Account *a, const RgBoundedRow *row)
{
    const RgForm *form = a->stage->form;
    const RgConstraints *c = a->stage->constraints;
    double bias, before = 0.0, after = 0.0;
    int count = form->kind->project(form, &row->row, c->columns, c->values, &bias);
    for (int e = 0; e < count; e++) {
        before += c->values[e] * a->before[c->columns[e]];
        after += c->values[e] * a->after[c->columns[e]];
    }
    double erp = row->row.error > 0.0 && row->compliance == 0.0 ? row->z * row->target : 0.0;
    a->work->erp += erp;
    double *share = rg_bounded_account(row->kind, a->work);
    *share += (share == &a->work->motors ? motor_impulse(row->z, before, after)
                                         : add_impulse(a, row->z, before, after)) -
              erp;
}

RgSolverWork rg_contact_work(const RgContactStage *stage, const double *before, const double *after,
                             const double *diagonal)
{
    const RgForm *form = stage->form;
    const RgConstraints *c = stage->constraints;
    RgSolverWork w = {0};
    Account a = {stage, before, after, &w};
    if (stage->nforces + stage->nrows == 0)
        return w; /* nothing was solved */
    for (int32_t k = 0; k < stage->problem.npatches; k++)
        add_patch(&a, k);
    for (int k = 0; k < stage->nrows; k++)
        add_row(&a, &stage->rows[k]);
    int answering = stage->problem.ngroups > 0 && c->rows.n > 0 ? c->problem.n : 0;
    for (int i = 0; i < answering; i++)
        *(c->rows.row[i].compliance > 0.0 ? &w.springs : &w.rest) +=
            add_impulse(&a, stage->row_impulses[i], rg_row_times(&c->problem, i, before),
                        rg_row_times(&c->problem, i, after));
    for (int k = 0; k < form->model->nv && diagonal != NULL; k++)
        w.springs -= 0.5 * diagonal[k] * (after[k] * after[k] - before[k] * before[k]);
    if (w.impacts > 0.0) {
        w.motors += w.impacts;
        w.impacts = 0.0;
    }
    w.total = rg_form_kinetic(form, after) - rg_form_kinetic(form, before);
    return w;
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
