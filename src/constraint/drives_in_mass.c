/*
 * drives_in_mass.c - soft drives that are not at their bounds are added to the mass matrix while solver quick runs.
 *
 * A soft drive has z = (t - v) / C with C = 1 / (h (kd + h kp)), so z = f - D v with D = 1/C, f = t D: an inertia D on
 * the joint's velocity and a constant impulse. Let u be the velocities of the step without contacts and drives, M u
 * their momentum, and J'z the impulses of contacts and of all other rows. Then
 *
 *   M u' = M u + f - D u' + J'z        u' = u + (M + D)^-1 (f - D u) + (M + D)^-1 J'z
 *
 * One factor of M + D solves all such drives exactly, for any gains, and contacts see a robot whose joints resist:
 * their matrix is well conditioned and has full rank, whereas hard drives leave it rank six. These drives have no rows.
 * Their impulses follow from z = f - D u', and a drive that exceeds its bound is a row in a second pass: the set of
 * those rows only grows. Drives that were at their bounds in the last step are rows from the start.
 *
 * In the maximal form, where a tree's joints are eliminated (tree_solve.c), N'(M + D)N replaces M + D: D and f are on
 * joint velocities in both forms. The part b of u that violates the hard rows (view_patches.c) is computed with M
 * alone, before.
 *
 * Not used with loops or couplings: M has no factor of its own there. Then drives are equations on the outputs of their
 * articulation (eliminated_drives.c), with the same result at a higher cost.
 */
#include "constraint/bounded_table.h"
#include "constraint/tree_solve.h"
#include "constraint/view_patches.h"

#include <string.h>

bool rg_drives_in_mass_alloc(RgArena *arena, const RgContactSetup *setup, RgDrivesInMass *out)
{
    size_t nu = (size_t)setup->form->nu, nv = (size_t)setup->form->model->nv;
    bool maximal = setup->form->kind->joints_are_rows;
    *out = (RgDrivesInMass){.u = RG_ARENA_ALLOC(arena, double, nu),
                            .D = RG_ARENA_ALLOC(arena, double, nv),
                            .push = RG_ARENA_ALLOC(arena, double, nv),
                            .answer = RG_ARENA_ALLOC(arena, double, maximal ? nu : 0),
                            .b = RG_ARENA_ALLOC(arena, double, maximal ? nu : 0),
                            .joints = RG_ARENA_ALLOC(arena, double, setup->constraints->rows.room)};
    return !arena->failed;
}

/* Whether a row can be added to the mass matrix. Not on a body that moves alone: the solver uses that body's own
   mass. */
static bool can_be_in_mass(const RgPatchView *view, const RgBoundedRow *row)
{
    const RgModel *m = view->setup->form->model;
    return row->kind == RG_BOUNDED_drive && row->compliance > 0.0 && row->row.ndofs == 1 && row->row.nbodies == 0 &&
           rg_row_within(row, RG_AT_BOUND) && !view->setup->bodies[m->dof_body[row->row.dof[0]]].free;
}

/* Whether M has a factor of its own to which D can be added. */
static bool mass_takes_drives(const RgPatchView *view)
{
    const RgConstraints *c = view->setup->constraints;
    return c->tree.used || (view->setup->form->kind->refactor != NULL && c->rows.n == 0);
}

void rg_drives_in_mass_find(RgPatchView *view)
{
    bool any_form = mass_takes_drives(view);
    view->in_mass.count = 0;
    for (int i = 0; i < view->from->nrows; i++) {
        bool in = any_form && can_be_in_mass(view, &view->from->rows[i]);
        view->from->rows[i].eliminated = in ? RG_ELIMINATED_in_mass : RG_ELIMINATED_no;
        view->in_mass.count += in;
    }
}

/* Factors M + D. Returns false if it is singular. */
static bool refactor(RgPatchView *view)
{
    RgForm *form = view->setup->form;
    RgConstraints *c = view->setup->constraints;
    return c->tree.used ? rg_tree_solve_refactor(c, view->in_mass.D) : form->kind->refactor(form, view->in_mass.D);
}

/* u += (M + D)^-1 push. */
static void add_response(RgPatchView *view, double *u)
{
    RgForm *form = view->setup->form;
    RgDrivesInMass *s = &view->in_mass;
    bool tree = view->setup->constraints->tree.used;
    double *du = tree ? s->answer : s->push;
    if (tree) {
        memset(du, 0, (size_t)form->nu * sizeof *du);
        rg_tree_solve_respond(view->setup->constraints, s->push, du, s->joints);
    } else {
        form->kind->solve(form, du);
    }
    for (int k = 0; k < form->nu; k++)
        u[k] += du[k];
}

/* Sets D to its value without drives: the diagonal of implicit dampers that are not rows. */
static void reset_diagonal(RgPatchView *view)
{
    RgDrivesInMass *s = &view->in_mass;
    size_t bytes = (size_t)view->setup->form->model->nv * sizeof *s->D;
    memset(s->push, 0, bytes);
    memset(s->D, 0, bytes);
    if (view->from->ask.diagonal != NULL)
        memcpy(s->D, view->from->ask.diagonal, bytes);
}

/* Computes the twists that rg_form_joint_rate needs. */
static void find_twists(const RgForm *form, const double *u)
{
    if (form->kind->joints_are_rows)
        rg_form_twists(form, u, form->work->V);
}

bool rg_drives_in_mass_begin(RgPatchView *view, double *u)
{
    RgForm *form = view->setup->form;
    RgDrivesInMass *s = &view->in_mass;
    if (!s->begun && s->count == 0)
        return true;
    if (!s->begun && view->setup->constraints->tree.used)
        rg_tree_solve_correction(view->setup->constraints, u, s->b);
    s->begun = true;
    memcpy(s->u, u, (size_t)form->nu * sizeof *u);
    reset_diagonal(view);
    find_twists(form, u);
    for (int i = 0; i < view->from->nrows; i++) {
        const RgBoundedRow *row = &view->from->rows[i];
        if (row->eliminated != RG_ELIMINATED_in_mass)
            continue;
        double c = row->row.coefficient[0], D = 1.0 / row->compliance;
        int k = row->row.dof[0];
        s->D[k] += c * c * D;
        s->push[k] += D * c * (row->target - c * rg_form_joint_rate(form, k, u, form->work->V));
    }
    if (!refactor(view))
        return false;
    add_response(view, u);
    return true;
}

bool rg_drives_in_mass_end(RgPatchView *view, double *u)
{
    const RgForm *form = view->setup->form;
    RgDrivesInMass *s = &view->in_mass;
    int beyond = 0;
    if (!s->begun)
        return false;
    find_twists(form, u);
    for (int i = 0; i < view->from->nrows; i++) {
        RgBoundedRow *row = &view->from->rows[i];
        if (row->eliminated != RG_ELIMINATED_in_mass)
            continue;
        double v = row->row.coefficient[0] * rg_form_joint_rate(form, row->row.dof[0], u, form->work->V);
        row->z = (row->target - v) / row->compliance;
        if (row->z >= row->low && row->z <= row->high)
            continue;
        row->z = fmax(row->low, fmin(row->z, row->high));
        row->eliminated = RG_ELIMINATED_no;
        beyond++;
    }
    s->count -= beyond;
    if (beyond > 0)
        memcpy(u, s->u, (size_t)form->nu * sizeof *u);
    for (int i = 0; i < view->setup->constraints->rows.n && beyond == 0; i++)
        view->from->joint_impulses[i] += s->joints[i];
    return beyond > 0;
}

bool rg_patch_view_restore_mass(RgPatchView *view)
{
    if (!view->in_mass.begun)
        return true;
    view->in_mass.begun = false;
    reset_diagonal(view);
    return refactor(view);
}
