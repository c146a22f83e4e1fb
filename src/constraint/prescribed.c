/*
 * prescribed.c - a hard drive that is not at its bound prescribes its joint's velocity: the joint leaves the unknowns.
 *
 *   u_k = target,   M_uu (u_u+ - u_u) = h (tau - c)_u - M_uk (u_k+ - u_k) + J_u' z        hybrid dynamics (dynamics/hybrid.c)
 *   z_k = [M (u+ - u) - h (tau - c)]_k                                                    the drives, afterwards
 *
 * What is left to solve has the size of the joints without drives. An arm that is driven by all its joints needs
 * neither a mass matrix nor a solve. Where some |z_k| is beyond its bound these drives become bounded rows, and the
 * step is solved again. The set of rows only grows, so this ends, and with the solution of the problem in which all
 * drives are rows: each drive either reaches its target within its bounds or is a row. Drives that were at their bounds
 * in the last step are rows from the start.
 *
 * Where: steps of stepper semi-implicit in minimal coordinates without loops and couplings, in trees that nothing is
 * near enough to touch and on whose bodies no user rows act. Near contacts drives stay equations among the unknowns: a
 * contact that prescribed joints alone could open has no response, and contradicts them. The same for a joint with
 * another row on it, but limits that the target keeps: these push with nothing. A body that moves alone turns by a rule
 * of its own (stepper/turning.c).
 */
#include "constraint/prescribed.h"

#include "constraint/bounded_table.h"
#include "solver/cone_projection.h"

#include <math.h>
#include <string.h>

bool rg_prescribed_take(RgArena *arena, const RgModel *model, RgPrescribed *out)
{
    *out = (RgPrescribed){.velocity = RG_TAKE(arena, double, model->nv),
                          .change = RG_TAKE(arena, double, model->nv),
                          .impulse = RG_TAKE(arena, double, model->nv),
                          .beyond = RG_TAKE(arena, bool, model->nv),
                          .busy = RG_TAKE(arena, bool, model->nbodies),
                          .root = RG_TAKE(arena, int, model->nbodies)};
    for (int i = 0; out->root != NULL && i < model->nbodies; i++)
        out->root[i] = model->bodies[i].parent >= 0 ? out->root[model->bodies[i].parent] : i;
    return rg_known_rates_take(arena, model, &out->rates) && !arena->failed;
}

/* ------------------------------------------------------------------ which joints */

static void mark_busy(RgPrescribed *s, int body)
{
    if (body >= 0)
        s->busy[s->root[body]] = true;
}

/* Trees, by their roots, in which drives stay rows. */
static void find_busy(const RgContactSetup *setup, const RgContactAsk *ask, const RgContactProblem *p, RgPrescribed *s)
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

/* Whether a drive says what velocity its joint shall have, whatever that takes within its bounds. */
static bool prescribes(const RgContactSetup *setup, const RgContactAsk *ask, const RgPrescribed *s,
                       const RgBoundedRow *row)
{
    const RgModel *m = setup->form->model;
    if (row->kind != RG_BOUNDED_drive || row->compliance > 0.0 || row->give > 0.0 || row->row.ndofs != 1)
        return false;
    RgBoundedRow last = *row;
    last.z = rg_warm_slot(ask, row->slot);
    return !s->beyond[row->row.dof[0]] && !s->busy[s->root[m->dof_body[row->row.dof[0]]]] &&
           rg_row_within(&last, RG_AT_BOUND);
}

/* A limit that the prescribed velocity keeps. */
static bool is_kept(const RgPrescribed *s, const RgBoundedRow *row)
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

    /* A joint has one drive; with any other row it is an unknown. */
    for (int i = 0; i < p->nrows; i++) {
        const RgRow *row = &p->rows[i].row;
        if (row->ndofs == 1 && p->rows[i].kind != RG_BOUNDED_drive && !is_kept(s, &p->rows[i]))
            known[row->dof[0]] = false;
    }
}

/* Rows of known joints behind the others, before those that rest. */
static void part_rows(RgPrescribed *s, RgContactProblem *p)
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
    p->nknown = total - n;
}

void rg_prescribed_find(const RgContactSetup *setup, const RgContactAsk *ask, RgPrescribed *s, RgContactProblem *p)
{
    s->rates.n = 0;
    p->nknown = 0;
    find_busy(setup, ask, p, s);
    find_known(setup, ask, s, p);
    for (int k = 0; k < setup->form->model->nv; k++) {
        s->rates.n += s->rates.known[k];
        if (s->rates.known[k])
            s->rates.a[k] = (s->velocity[k] - ask->u0[k]) / ask->h;
    }
    if (s->rates.n > 0)
        part_rows(s, p);
}

/* ------------------------------------------------------------------ rows that stand alone */

/* Whether the velocities that rows act on feel no other unknown one: none of these is above another on its branch. */
static bool all_alone(const RgForm *form, const RgContactProblem *p, double *has_row)
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

/* Impulse of a row that alone acts on its joint. */
static double alone(const RgForm *form, const RgBoundedRow *row, const double *u)
{
    int k = row->row.dof[0];
    double c = row->row.coefficient[0], d = c * c * form->factor.inverse_d[k];
    return interval_project((row->target - c * u[k]) / (d + row->compliance + row->give * d), row->low, row->high);
}

/* Whether, where row i pushes, all others on its joint push with nothing. */
static bool acts_alone(const RgForm *form, const RgContactProblem *p, int i, const double *u)
{
    const RgBoundedRow *row = &p->rows[i];
    int k = row->row.dof[0];
    double z = alone(form, row, u), after = u[k] + row->row.coefficient[0] * form->factor.inverse_d[k] * z;
    for (int j = 0; j < p->nrows && z != 0.0; j++) {
        const RgBoundedRow *other = &p->rows[j];
        if (j == i || other->row.dof[0] != k)
            continue;
        bool rests = other->low == 0.0 && other->row.coefficient[0] * after >= other->target;
        if (!rests || alone(form, other, u) != 0.0)
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
    if (p->nrows > 0 && !all_alone(form, p, s->change))
        return false;

    for (int i = 0; i < p->nrows; i++)
        if (!acts_alone(form, p, i, u))
            return false;
    for (int i = 0; i < p->nrows; i++)
        p->rows[i].z = alone(form, &p->rows[i], u);
    for (int i = 0; i < p->nrows; i++) {
        const RgRow *row = &p->rows[i].row;
        u[row->dof[0]] += row->coefficient[0] * form->factor.inverse_d[row->dof[0]] * p->rows[i].z;
    }
    return true;
}

/* ------------------------------------------------------------------ what the drives gave */

bool rg_prescribed_efforts(RgPrescribed *s, const RgContactProblem *p, const double *u)
{
    int nv = s->rates.M.model->nv;
    bool any = false;
    double *du = s->change, *impulse = s->impulse;
    for (int k = 0; k < nv; k++)
        du[k] = u[k] - p->ask.u0[k];
    rg_known_impulses(&s->rates, p->ask.h, du, impulse);
    for (int i = p->nrows; i < p->nrows + p->nknown; i++) {
        RgBoundedRow *row = &p->rows[i];
        int k = row->row.dof[0];
        row->z = row->kind == RG_BOUNDED_drive ? impulse[k] / row->row.coefficient[0] : 0.0;
        bool beyond = row->z < row->low || row->z > row->high;
        s->beyond[k] = s->beyond[k] || (row->kind == RG_BOUNDED_drive && beyond);
        any = any || (row->kind == RG_BOUNDED_drive && beyond);
    }
    return any;
}

bool rg_prescribed_free(RgForm *form, RgPrescribed *s, const RgContactProblem *p, const double *u, double *before)
{
    const RgModel *m = form->model;
    double *push = s->change;
    memset(push, 0, (size_t)m->nv * sizeof *push);
    memset(s->busy, 0, (size_t)m->nbodies * sizeof *s->busy);
    for (int i = 0; i < p->nrows + p->nknown; i++) {
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
