/*
 * prescribed.c - a hard drive that is not at its bound prescribes its joint's velocity: the joint is removed from the
 * unknowns.
 *
 *   u_k = target,   M_uu (u_u+ - u_u) = h (tau - c)_u - M_uk (u_k+ - u_k) + J_u' z     hybrid dynamics (hybrid.c)
 *   z_k = [M (u+ - u) - h (tau - c)]_k                                                 impulses of the drives
 *
 * The remaining problem has the size of the joints without drives. An arm with a drive on every joint needs neither a
 * mass matrix nor a solve. If some |z_k| exceeds its bound these drives become bounded rows, and the step is solved
 * again. The set of rows only grows, so this ends, and the result solves the problem in which all drives are rows: each
 * drive either reaches its target within its bounds or is a row. Drives that were at their bounds in the last step are
 * rows from the start.
 *
 * Used in steps of stepper semi-implicit in minimal coordinates without loops and couplings, for trees without near
 * shapes and without user rows. Near contacts drives stay equations among the unknowns: a contact that only prescribed
 * joints could open has no response, and contradicts them. The same for a joint with another row on it, except limits
 * that the target satisfies: their impulse is zero. A body that moves alone has a rotation rule of its own
 * (stepper/turning.c).
 */
#include "constraint/prescribed.h"

#include "constraint/bounded_table.h"
#include "solver/cone_projection.h"

#include <math.h>
#include <string.h>

bool rg_prescribed_alloc(RgArena *arena, const RgModel *model, RgPrescribed *out)
{
    *out = (RgPrescribed){.velocity = RG_ARENA_ALLOC(arena, double, model->nv),
                          .change = RG_ARENA_ALLOC(arena, double, model->nv),
                          .impulse = RG_ARENA_ALLOC(arena, double, model->nv),
                          .beyond = RG_ARENA_ALLOC(arena, bool, model->nv),
                          .busy = RG_ARENA_ALLOC(arena, bool, model->nbodies),
                          .root = RG_ARENA_ALLOC(arena, int, model->nbodies)};
    for (int i = 0; out->root != NULL && i < model->nbodies; i++)
        out->root[i] = model->bodies[i].parent >= 0 ? out->root[model->bodies[i].parent] : i;
    return rg_known_rates_alloc(arena, model, &out->rates) && !arena->failed;
}

/* ------------------------------------------------------------------ selection of joints */

static void mark_busy(RgPrescribed *s, int body)
{
    if (body >= 0)
        s->busy[s->root[body]] = true;
}

/* Marks trees, by their roots, in which drives stay rows. */
static void mark_busy_trees(const RgContactSetup *setup, const RgContactAsk *ask, const RgContactProblem *p,
                            RgPrescribed *s)
{
    const RgModel *m = setup->form->model;
    memset(s->busy, 0, (size_t)m->nbodies * sizeof *s->busy);
    for (int32_t k = 0; k < ask->contacts->npairs; k++) {
        mark_busy(s, rg_contact_body(m, ask->contacts->pairs[k].shape_a));
        mark_busy(s, rg_contact_body(m, ask->contacts->pairs[k].shape_b));
    }
    for (int i = 0; i < p->nrows; i++) {
        const RgRow *row = &p->rows[i].row;
        bool one = row->nbodies == 0 && row->ndofs == 1;
        for (int k = 0; k < row->nbodies; k++)
            mark_busy(s, row->body[k]);
        for (int k = 0; k < row->ndofs && !one; k++)
            mark_busy(s, m->dof_body[row->dof[k]]);
    }
    for (int i = 0; i < m->nbodies; i++)
        if (setup->bodies[i].free || (setup->asleep != NULL && setup->asleep[i]))
            mark_busy(s, i);
}

/* Whether a row is a hard drive that prescribes its joint's velocity. */
static bool prescribes(const RgContactSetup *setup, const RgContactAsk *ask, const RgPrescribed *s,
                       const RgBoundedRow *row)
{
    const RgModel *m = setup->form->model;
    if (row->kind != RG_BOUNDED_drive || row->compliance > 0.0 || row->give > 0.0 || row->row.ndofs != 1)
        return false;
    RgBoundedRow last = *row;
    last.z = rg_warm_start_impulse(ask, row->slot);
    return !s->beyond[row->row.dof[0]] && !s->busy[s->root[m->dof_body[row->row.dof[0]]]] &&
           rg_row_within(&last, RG_AT_BOUND);
}

/* Whether a row is a limit that the prescribed velocity satisfies. */
static bool is_satisfied_limit(const RgPrescribed *s, const RgBoundedRow *row)
{
    return row->kind == RG_BOUNDED_limit && row->row.coefficient[0] * s->velocity[row->row.dof[0]] >= row->target;
}

static void find_known(const RgContactSetup *setup, const RgContactAsk *ask, RgPrescribed *s, const RgContactProblem *p)
{
    bool *known = s->rates.known;
    size_t nv = (size_t)setup->form->model->nv;
    memset(known, 0, nv * sizeof *known);
    memset(s->rates.a, 0, nv * sizeof *s->rates.a);
    memset(s->velocity, 0, nv * sizeof *s->velocity);
    for (int i = 0; i < p->nrows; i++)
        if (prescribes(setup, ask, s, &p->rows[i])) {
            int k = p->rows[i].row.dof[0];
            known[k] = true;
            s->velocity[k] = p->rows[i].target / p->rows[i].row.coefficient[0];
        }

    /* A joint with any other row than its drive is an unknown. */
    for (int i = 0; i < p->nrows; i++) {
        const RgRow *row = &p->rows[i].row;
        if (row->ndofs == 1 && p->rows[i].kind != RG_BOUNDED_drive && !is_satisfied_limit(s, &p->rows[i]))
            known[row->dof[0]] = false;
    }
}

/* Moves rows of prescribed joints behind the others, before those of sleeping bodies. */
static void move_known_rows(RgPrescribed *s, RgContactProblem *p)
{
    int n = 0, total = p->nrows;
    for (int i = 0; i < total; i++) {
        const RgRow *row = &p->rows[i].row;
        bool known = row->nbodies == 0 && row->ndofs == 1 && s->rates.known[row->dof[0]];
        if (known)
            continue;
        if (i > n) {
            RgBoundedRow moved = p->rows[i];
            memmove(p->rows + n + 1, p->rows + n, (size_t)(i - n) * sizeof moved);
            p->rows[n] = moved;
        }
        n++;
    }
    p->nrows = n;
    p->nprescribed_rows = total - n;
}

void rg_prescribed_find(const RgContactSetup *setup, const RgContactAsk *ask, RgPrescribed *s, RgContactProblem *p)
{
    s->rates.n = 0;
    p->nprescribed_rows = 0;
    mark_busy_trees(setup, ask, p, s);
    find_known(setup, ask, s, p);
    for (int k = 0; k < setup->form->model->nv; k++) {
        s->rates.n += s->rates.known[k];
        if (s->rates.known[k])
            s->rates.a[k] = (s->velocity[k] - ask->u0[k]) / ask->h;
    }
    if (s->rates.n > 0)
        move_known_rows(s, p);
}

/* ------------------------------------------------------------------ rows solved in closed form */

/* Whether the velocities that rows act on are decoupled from all other unknowns: no unknown velocity is an ancestor of
   another if one of them has a row. */
static bool rows_are_decoupled(const RgForm *form, const RgContactProblem *p, double *has_row)
{
    const RgModel *m = form->model;
    const bool *known = form->known->known;
    memset(has_row, 0, (size_t)m->nv * sizeof *has_row);
    for (int i = 0; i < p->nrows; i++)
        has_row[p->rows[i].row.dof[0]] = 1.0;
    for (int k = 0; k < m->nv; k++)
        for (int j = m->dof_parent[k]; j >= 0 && !known[k]; j = m->dof_parent[j])
            if (!known[j] && has_row[k] + has_row[j] > 0.0)
                return false;
    return true;
}

/* Impulse of a row if no other acts on its joint. */
static double single_row_impulse(const RgForm *form, const RgBoundedRow *row, const double *u)
{
    int k = row->row.dof[0];
    double c = row->row.coefficient[0], d = c * c * form->factor.inverse_d[k];
    return interval_project((row->target - c * u[k]) / (d + row->compliance + row->give * d), row->low, row->high);
}

/* Whether all other rows on the joint of row i have zero impulse if row i acts. */
static bool acts_exclusively(const RgForm *form, const RgContactProblem *p, int i, const double *u)
{
    const RgBoundedRow *row = &p->rows[i];
    int k = row->row.dof[0];
    double z = single_row_impulse(form, row, u), after = u[k] + row->row.coefficient[0] * form->factor.inverse_d[k] * z;
    for (int j = 0; j < p->nrows && z != 0.0; j++) {
        const RgBoundedRow *other = &p->rows[j];
        if (j == i || other->row.dof[0] != k)
            continue;
        bool inactive = other->low == 0.0 && other->row.coefficient[0] * after >= other->target;
        if (!inactive || single_row_impulse(form, other, u) != 0.0)
            return false;
    }
    return true;
}

bool rg_prescribed_solve(const RgContactSetup *setup, RgPrescribed *s, const RgContactProblem *p, double *u)
{
    const RgForm *form = setup->form;
    if (p->npatches > 0 || setup->constraints->rows.n > 0)
        return false;
    for (int i = 0; i < p->nrows; i++)
        if (p->rows[i].row.nbodies != 0 || p->rows[i].row.ndofs != 1)
            return false;
    if (p->nrows > 0 && !rows_are_decoupled(form, p, s->change))
        return false;

    for (int i = 0; i < p->nrows; i++)
        if (!acts_exclusively(form, p, i, u))
            return false;
    for (int i = 0; i < p->nrows; i++)
        p->rows[i].z = single_row_impulse(form, &p->rows[i], u);
    for (int i = 0; i < p->nrows; i++) {
        const RgRow *row = &p->rows[i].row;
        u[row->dof[0]] += row->coefficient[0] * form->factor.inverse_d[row->dof[0]] * p->rows[i].z;
    }
    return true;
}

/* ------------------------------------------------------------------ impulses of the drives */

bool rg_prescribed_efforts(RgPrescribed *s, const RgContactProblem *p, const double *u)
{
    int nv = s->rates.M.model->nv;
    bool any = false;
    double *du = s->change, *impulse = s->impulse;
    for (int k = 0; k < nv; k++)
        du[k] = u[k] - p->ask.u0[k];
    rg_known_impulses(&s->rates, p->ask.h, du, impulse);
    for (int i = p->nrows; i < p->nrows + p->nprescribed_rows; i++) {
        RgBoundedRow *row = &p->rows[i];
        int k = row->row.dof[0];
        row->z = row->kind == RG_BOUNDED_drive ? impulse[k] / row->row.coefficient[0] : 0.0;
        bool beyond = row->z < row->low || row->z > row->high;
        s->beyond[k] = s->beyond[k] || (row->kind == RG_BOUNDED_drive && beyond);
        any = any || (row->kind == RG_BOUNDED_drive && beyond);
    }
    return any;
}

bool rg_prescribed_velocity_without_rows(RgForm *form, RgPrescribed *s, const RgContactProblem *p, const double *u,
                                         double *before)
{
    const RgModel *m = form->model;
    double *push = s->change;
    memset(push, 0, (size_t)m->nv * sizeof *push);
    memset(s->busy, 0, (size_t)m->nbodies * sizeof *s->busy);
    for (int i = 0; i < p->nrows + p->nprescribed_rows; i++) {
        const RgRow *row = &p->rows[i].row;
        if (row->nbodies == 0 && row->ndofs == 1)
            push[row->dof[0]] += row->coefficient[0] * p->rows[i].z;
        if (i >= p->nrows)
            mark_busy(s, m->dof_body[row->dof[0]]);
    }
    form->known = NULL;
    bool possible = form->kind->refactor(form, p->ask.diagonal);
    form->kind->solve(form, push);
    for (int k = 0; k < m->nv; k++)
        before[k] = s->busy[s->root[m->dof_body[k]]] ? u[k] - push[k] : p->u_free[k];
    form->known = &s->rates;
    return form->kind->refactor(form, p->ask.diagonal) && possible;
}
