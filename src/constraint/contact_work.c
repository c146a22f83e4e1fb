/*
 * contact_work.c - what the impulses of solver quick did to the kinetic energy.
 *
 * With u = u* + du and M du = g + B'l, g = J'z the impulses of contacts and bounded rows, l those of the bilateral rows B
 * that answer them,
 *
 *   T(u) - T(u*) = sum z_i (J u)_i + sum l_k (B u)_k - 1/2 (g . du + l . B du)
 *
 * The last term is what it costs to reach all targets at once, and never adds. The terms of the sums are told apart by
 * what a row's target is for, as in row_stage.c. Where springs and dampers at the end of the step stand on the diagonal of
 * M (joint coordinates), they are no inertia: what they took is theirs.
 */
#include "constraint/bounded_table.h"
#include "constraint/contact_stage.h"

/* Of a body's point, arm from its centre of mass. */
static RgVec3 velocity_at(const RgContactStage *stage, int body, RgVec3 arm, const double *u)
{
    if (body < 0)
        return v3_zero();
    RgMotion V;
    stage->form->kind->twist(stage->form, body, u, &V);
    RgVec3 from_origin = v3_sub(stage->centre[body + 1], stage->form->kin->X_WB[body].p);
    return v3_add(V.v, v3_cross(V.w, v3_add(from_origin, arm)));
}

static void add_patch(const RgContactStage *stage, int32_t number, const double *u, RgSolverWork *w)
{
    const RgPatch *p = &stage->problem.patches[number];
    for (int i = 0; i < p->count; i++) {
        RgVec3 d = v3_axpy(p->place[i][0], p->axis[0], v3_scale(p->place[i][1], p->axis[1]));
        RgVec3 v = v3_sub(velocity_at(stage, p->mover[1] - 1, v3_add(p->arm[1], d), u),
                          velocity_at(stage, p->mover[0] - 1, v3_add(p->arm[0], d), u));
        double normal = p->z[i][0] * v3_dot(p->axis[2], v), bounce = p->z[i][0] * stage->bounce[number][i];
        double erp = bounce == 0.0 && p->target[i] > 0.0 ? p->z[i][0] * p->target[i] : 0.0;
        bool soft = p->compliance[0] > 0.0;
        w->friction += p->z[i][1] * v3_dot(p->axis[0], v) + p->z[i][2] * v3_dot(p->axis[1], v);
        w->restitution += bounce;
        w->erp += soft ? 0.0 : erp;
        *(soft ? &w->springs : &w->rest) += normal - bounce - (soft ? 0.0 : erp);
    }
}

/* Bounded rows, by their kinds. */
static void add_rows(const RgContactStage *stage, const double *u, RgSolverWork *w)
{
    const RgForm *form = stage->form;
    for (int k = 0; k < stage->nrows; k++) {
        const RgBoundedRow *row = &stage->rows[k];
        double bias, rate = 0.0;
        int count = form->kind->project(form, &row->row, stage->constraints->columns,
                                        stage->constraints->values, &bias);
        for (int e = 0; e < count; e++)
            rate += stage->constraints->values[e] * u[stage->constraints->columns[e]];
        bool corrects = row->row.error > 0.0 && row->compliance == 0.0;
        double erp = corrects ? row->z * row->target : 0.0;
        w->erp += erp;
        *rg_bounded_account(row->kind, w) += row->z * rate - erp;
    }
}

/* Torsion and rolling: the moments on both sides of a patch. */
static void add_turns(const RgContactStage *stage, const double *u, RgSolverWork *w)
{
    for (int32_t k = 0; k < stage->problem.npatches && stage->turns; k++)
        for (int side = 0; side < 2; side++) {
            int body = stage->problem.patches[k].mover[side] - 1;
            RgMotion V;
            if (body < 0)
                continue;
            stage->form->kind->twist(stage->form, body, u, &V);
            w->friction += (side == 1 ? 1.0 : -1.0) * v3_dot(stage->patch_moment[k], V.w);
        }
}

RgSolverWork rg_contact_work(RgContactStage *stage, const double *u, const double *diagonal)
{
    const RgForm *form = stage->form;
    const RgConstraints *c = stage->constraints;
    RgSolverWork w = {0};
    if (stage->nforces + stage->nrows == 0)
        return w; /* nothing was solved */
    double *before = RG_TAKE_RAW(&stage->problem_memory, double, form->nu);
    if (before == NULL)
        return w;
    for (int k = 0; k < form->nu; k++)
        before[k] = u[k] - stage->response[k];
    for (int32_t k = 0; k < stage->problem.npatches; k++)
        add_patch(stage, k, u, &w);
    add_rows(stage, u, &w);
    add_turns(stage, u, &w);
    for (int k = 0; k < form->nu; k++)
        w.impacts -= 0.5 * stage->impulses[k] * stage->response[k];
    for (int i = 0; i < c->problem.n && c->rows.n > 0; i++) {
        double l = stage->row_impulses[i];
        *(c->rows.row[i].compliance > 0.0 ? &w.springs : &w.rest) += l * rg_row_times(&c->problem, i, u);
        w.impacts -= 0.5 * l * rg_row_times(&c->problem, i, stage->response);
    }
    for (int k = 0; k < form->model->nv && diagonal != NULL; k++)
        w.springs -= 0.5 * diagonal[k] * (u[k] * u[k] - before[k] * before[k]);
    w.total = rg_form_kinetic(form, u) - rg_form_kinetic(form, before);
    return w;
}
