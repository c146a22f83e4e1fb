/*
 * view_patch_rows.c - bounded rows as rows of a patch problem, and the torsional and rolling friction of patches.
 *
 * A body term of a row is six coefficients on its body; a joint velocity is a single of the articulation that the
 * joint's body belongs to. A single's own Jacobian comes from the coordinate form, like that of any row, so both forms
 * agree.
 *
 * Torsion and rolling. Let k be the length that bounds a patch's moment, |m| <= k N about an axis d. The row is that of
 * the velocity s d . w: its impulse z is in N s, |z| <= (k / s) N, and the moment s z d. The length s is k, or the
 * distance of the patch from a body's centre if that is less, so z is comparable with other impulses. Torsion: d is the
 * normal. Rolling: two axes orthogonal to it that share a disc, so a rolling body is slowed by k N in any direction.
 */
#include "constraint/view_patches.h"

#include <string.h>

/* Maximum number of turning rows of a patch: torsion, two of rolling. */
#define TURN_ROWS 3

/* Body term J about the body's origin, as force and moment about its centre. */
static RgRowSpan body_span(const RgPatchView *view, int body, RgForce J)
{
    RgVec3 to_centre = v3_sub(view->from->centre[body + 1], view->setup->form->kin->X_WB[body].p);
    RgVec3 m = v3_sub(J.n, v3_cross(to_centre, J.f));
    return (RgRowSpan){.mover = body + 1, .single = -1, .J = {J.f.x, J.f.y, J.f.z, m.x, m.y, m.z}};
}

bool rg_patch_row_in(const RgBoundedRow *row)
{
    return row->row.nbodies + row->row.ndofs > 0 && row->eliminated == RG_ELIMINATED_no;
}

void rg_patch_row_make(const RgPatchView *view, const RgBoundedRow *from, RgPatchRow *to)
{
    const RgRow *row = &from->row;
    *to = (RgPatchRow){.target = from->target,
                       .compliance = from->compliance,
                       .low = from->low,
                       .high = from->high,
                       .patch = -1,
                       .z = from->z};
    for (int i = 0; i < row->nbodies; i++)
        to->span[to->nspans++] = body_span(view, row->body[i], row->J[i]);
    for (int i = 0; i < row->ndofs; i++)
        to->span[to->nspans++] = (RgRowSpan){.single = view->single_of[row->dof[i]], .J = {row->coefficient[i]}};
}

/* ------------------------------------------------------------------ torsion and rolling */

/* Length scale of a patch's moments: at most its bound and the distances to the bodies' centres. */
static double turn_scale(const RgPatch *patch, double k)
{
    double scale = k;
    for (int side = 0; side < 2; side++) {
        double arm = patch->mover[side] > 0 ? v3_norm(patch->arm[side]) : 0.0;
        scale = arm > 0.0 && arm < scale ? arm : scale;
    }
    return scale;
}

/* Adds the row of s d . (w of B - w of A). Its first guess is the component of the last step's moment along d. */
static RgPatchRow *add_turn(RgPatchView *view, int32_t number, RgVec3 d, double k)
{
    RgPatchProblem *p = &view->problem;
    const RgPatch *patch = &p->patches[number];
    RgPatchRow *row = &p->rows[p->nrows++];
    double scale = turn_scale(patch, k), most = 0.0, z = v3_dot(view->from->turning[number].moment, d) / scale;
    for (int i = 0; i < patch->count; i++)
        most += k / scale * patch->z[i][0];
    *row = (RgPatchRow){.patch = number, .bound = k / scale, .z = z > most ? most : z < -most ? -most : z};
    for (int side = 0; side < 2; side++) {
        double s = side == 1 ? scale : -scale;
        if (patch->mover[side] > 0)
            row->span[row->nspans++] =
                (RgRowSpan){.mover = patch->mover[side], .single = -1, .J = {0.0, 0.0, 0.0, s * d.x, s * d.y, s * d.z}};
    }
    return row;
}

/* Adds the row of torsion. Slip is angular velocity per moment: w = -slip s z / h, times s like the whole row. */
static void add_torsion(RgPatchView *view, int32_t number, double k)
{
    const RgPatch *patch = &view->problem.patches[number];
    double scale = turn_scale(patch, k);
    add_turn(view, number, patch->axis[2], k)->compliance =
        view->from->turning[number].slip * scale * scale / view->from->ask.h;
}

static void add_turns(RgPatchView *view)
{
    RgPatchProblem *p = &view->problem;
    for (int32_t k = 0; k < p->npatches; k++) {
        const RgPatch *patch = &p->patches[k];
        double torsion = view->from->turning[k].torsion, rolling = view->from->turning[k].rolling;
        if (torsion > 0.0)
            add_torsion(view, k, torsion);
        if (!(rolling > 0.0))
            continue;
        add_turn(view, k, patch->axis[0], rolling)->disc = true;
        add_turn(view, k, patch->axis[1], rolling);
    }
}

bool rg_patch_rows_make(RgPatchView *view)
{
    RgPatchProblem *p = &view->problem;
    int32_t turns = view->from->turning != NULL ? TURN_ROWS * p->npatches : 0;
    p->rows = RG_ARENA_ALLOC_RAW(&view->memory, RgPatchRow, view->from->nrows + turns);
    if (view->memory.failed)
        return false;
    for (int i = 0; i < view->from->nrows; i++)
        if (rg_patch_row_in(&view->from->rows[i]))
            rg_patch_row_make(view, &view->from->rows[i], &p->rows[p->nrows++]);
    if (turns > 0)
        add_turns(view);
    return true;
}

/* ------------------------------------------------------------------ impulses */

/* Sums the moments on B of the rows of torsion and rolling. */
static void sum_turning_moments(RgPatchView *view, int32_t first)
{
    const RgPatchProblem *p = &view->problem;
    for (int32_t k = 0; k < p->npatches && view->from->turning != NULL; k++)
        view->from->turning[k].moment = v3_zero();
    for (int32_t i = first; i < p->nrows && view->from->turning != NULL; i++) {
        const RgPatchRow *row = &p->rows[i];
        const RgRowSpan *s = &row->span[row->nspans - 1];
        double sign = s->mover == p->patches[row->patch].mover[1] ? 1.0 : -1.0;
        RgVec3 *moment = &view->from->turning[row->patch].moment;
        *moment = v3_axpy(sign * row->z, v3(s->J[3], s->J[4], s->J[5]), *moment);
    }
}

void rg_patch_rows_end(RgPatchView *view)
{
    int32_t at = 0;
    for (int i = 0; i < view->from->nrows; i++)
        if (rg_patch_row_in(&view->from->rows[i]))
            view->from->rows[i].z = view->problem.rows[at++].z;
    sum_turning_moments(view, at);
}

/* Adds a row's impulse z on bodies of articulations, about their origins, and along joint velocities. The velocities of
   free bodies are known already. */
static void add_row_impulse(const RgPatchView *view, const RgRow *row, double z, RgForce *f, double *g)
{
    const RgForm *form = view->setup->form;
    const RgModel *m = form->model;
    for (int i = 0; i < row->nbodies; i++)
        if (view->problem.movers[row->body[i] + 1].group >= 0)
            f[row->body[i]] = fv_axpy(z, row->J[i], f[row->body[i]]);
    for (int i = 0; i < row->ndofs; i++) {
        int k = row->dof[i], body = m->dof_body[k], parent = m->bodies[body].parent;
        if (!form->kind->joints_are_rows) {
            g[k] += z * row->coefficient[i];
            continue;
        }
        RgForce W = fv_scale(z * row->coefficient[i], form->joints[body].W[k - m->bodies[body].v0]);
        f[body] = fv_add(f[body], W);
        if (parent >= 0)
            f[parent] = fv_sub(f[parent], fv_shift(W, v3_neg(form->kin->r[body])));
    }
    if (row->rotor >= 0)
        g[6 * m->nbodies + row->rotor] -= z;
}

static void add_turning_impulses(const RgPatchView *view, int32_t first, RgForce *f)
{
    const RgPatchProblem *p = &view->problem;
    for (int32_t i = first; i < p->nrows; i++)
        for (int k = 0; k < p->rows[i].nspans; k++) {
            const RgRowSpan *s = &p->rows[i].span[k];
            RgVec3 moment = v3_scale(p->rows[i].z, v3(s->J[3], s->J[4], s->J[5]));
            if (p->movers[s->mover].group >= 0)
                f[s->mover - 1].n = v3_add(f[s->mover - 1].n, moment);
        }
}

void rg_patch_rows_push(const RgPatchView *view, RgForce *f, double *g)
{
    int32_t at = 0;
    for (int i = 0; i < view->from->nrows; i++) {
        at += rg_patch_row_in(&view->from->rows[i]);
        if (view->from->rows[i].eliminated != RG_ELIMINATED_in_mass)
            add_row_impulse(view, &view->from->rows[i].row, view->from->rows[i].z, f, g);
    }
    add_turning_impulses(view, at, f);
}
