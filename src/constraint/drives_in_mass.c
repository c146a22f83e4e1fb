/*
 * drives_in_mass.c - soft drives that are not at their bounds are part of the mass matrix while solver quick runs.
 *
 * Of a soft drive z = (t - v) / C with C = 1 / (h (kd + h kp)), so z = f - D v with D = 1/C, f = t D: an inertia D on the
 * joint's velocity and a constant impulse. With velocities u that the step has without contacts and drives, M u being their
 * momentum, and J'z the impulses of contacts and of all other rows,
 *
 *   M u' = M u + f - D u' + J'z        u' = u + (M + D)^-1 (f - D u) + (M + D)^-1 J'z
 *
 * so one factor of M + D has all such drives solved exactly, whatever their gains, and the contacts see a robot whose joints
 * resist: their matrix is well conditioned, and has full rank where hard drives leave it six. No row is left of them. They are
 * found afterwards, z = f - D u', and a drive beyond its bound is a row in a second pass: the set of those only grows.
 * Drives that were at their bounds in the last step are rows from the start.
 *
 * Minimal coordinates without loops and couplings: M there has a factor of its own. Elsewhere drives are equations on the
 * outputs of their articulation (eliminated_drives.c), which comes to the same at a higher price.
 */
#include "constraint/bounded_table.h"
#include "constraint/view_patches.h"

#include <string.h>

bool rg_drives_in_mass_take(RgArena *arena, int nu, RgDrivesInMass *out)
{
    *out = (RgDrivesInMass){
        .u = RG_TAKE(arena, double, nu), .D = RG_TAKE(arena, double, nu), .push = RG_TAKE(arena, double, nu)};
    return !arena->failed;
}

/* A body that moves alone is a mover with its own mass. */
static bool fits(const RgPatchView *view, const RgBoundedRow *row)
{
    const RgModel *m = view->setup->form->model;
    return row->kind == RG_BOUNDED_drive && row->compliance > 0.0 && row->row.ndofs == 1 &&
           row->row.nbodies == 0 && rg_row_within(row, RG_AT_BOUND) &&
           !view->setup->bodies[m->dof_body[row->row.dof[0]]].free;
}

void rg_drives_in_mass_find(RgPatchView *view)
{
    bool any_form = view->setup->form->kind->refactor != NULL && view->setup->constraints->rows.n == 0;
    view->in_mass.count = 0;
    for (int i = 0; i < view->from->nrows; i++) {
        bool in = any_form && fits(view, &view->from->rows[i]);
        view->from->rows[i].eliminated = in ? RG_ELIMINATED_in_mass : RG_ELIMINATED_no;
        view->in_mass.count += in;
    }
}

bool rg_drives_in_mass_begin(RgPatchView *view, double *u)
{
    const double *diagonal = view->from->ask.diagonal;
    RgForm *form = view->setup->form;
    RgDrivesInMass *s = &view->in_mass;
    size_t bytes = (size_t)form->nu * sizeof *u;
    s->begun = s->begun || s->count > 0;
    if (!s->begun)
        return true;
    memcpy(s->u, u, bytes);
    memset(s->push, 0, bytes);
    memset(s->D, 0, bytes);
    if (diagonal != NULL)
        memcpy(s->D, diagonal, bytes);
    for (int i = 0; i < view->from->nrows; i++) {
        const RgBoundedRow *row = &view->from->rows[i];
        if (row->eliminated != RG_ELIMINATED_in_mass)
            continue;
        double c = row->row.coefficient[0], D = 1.0 / row->compliance;
        int k = row->row.dof[0];
        s->D[k] += c * c * D;
        s->push[k] += D * c * (row->target - c * u[k]);
    }
    if (!form->kind->refactor(form, s->D))
        return false;
    form->kind->solve(form, s->push);
    for (int k = 0; k < form->nu; k++)
        u[k] += s->push[k];
    return true;
}

bool rg_drives_in_mass_end(RgPatchView *view, double *u)
{
    RgDrivesInMass *s = &view->in_mass;
    int beyond = 0;
    if (!s->begun)
        return false;
    for (int i = 0; i < view->from->nrows; i++) {
        RgBoundedRow *row = &view->from->rows[i];
        if (row->eliminated != RG_ELIMINATED_in_mass)
            continue;
        double v = row->row.coefficient[0] * u[row->row.dof[0]];
        row->z = (row->target - v) / row->compliance;
        if (row->z >= row->low && row->z <= row->high)
            continue;
        row->z = fmax(row->low, fmin(row->z, row->high));
        row->eliminated = RG_ELIMINATED_no;
        beyond++;
    }
    s->count -= beyond;
    if (beyond > 0)
        memcpy(u, s->u, (size_t)view->setup->form->nu * sizeof *u);
    return beyond > 0;
}

bool rg_patch_view_restore_mass(RgPatchView *view)
{
    RgForm *form = view->setup->form;
    RgDrivesInMass *s = &view->in_mass;
    if (!s->begun)
        return true;
    s->begun = false;
    memset(s->D, 0, (size_t)form->nu * sizeof *s->D);
    if (view->from->ask.diagonal != NULL)
        memcpy(s->D, view->from->ask.diagonal, (size_t)form->nu * sizeof *s->D);
    return form->kind->refactor(form, s->D);
}
