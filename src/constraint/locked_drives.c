/*
 * locked_drives.c - hard drives of unbounded effort whose motion loops and couplings block.
 *
 * For a drive's row r, with G the rows of joints, loops and couplings, M the mass matrix and C their compliance,
 *
 *   alone   r M^-1 r'                                                      the response without G
 *   left    r (M^-1 - M^-1 G' (G M^-1 G' + C)^-1 G M^-1) r'                the response with G
 *
 * If G forbids all motion along r, `left` is round-off of `alone`, of either sign. Then no impulse along r changes any
 * velocity, and an impulse computed by dividing by round-off would add energy. Such a drive is excluded from the step:
 * it has no effort, and if its target is not the velocity that G imposes a contradiction is reported.
 *
 * Cost: a solve with the factors of M and G per drive; if the solver has G as rows, a factor of G besides.
 * Failure: a linkage within about 1e-5 rad of a dead point counts as locked in that step.
 */
#include "constraint/bounded_table.h"
#include "constraint/contact_solve.h"

#include <string.h>

/* Part of `alone` below which `left` is round-off. */
#define LOCKED_RESPONSE 1e-10
/* rad/s or m/s: a smaller deviation from the target is round-off of the solve. */
#define TARGET_TOLERANCE 1e-7

/* Factors G M^-1 G' + C. */
static RgStatus factor_joints(RgContactSolver *s)
{
    RgConstraints *c = s->setup.constraints;
    const RgContactAsk *ask = &s->problem.ask;
    if (ask->joints != RG_JOINTS_KEEP)
        rg_assemble_rows(c, &(RgRowsAsk){.h = ask->implicit ? ask->h : 0.0, .held = ask->springs});
    if (c->rows.n == 0)
        return RG_OK;
    rg_project_rows(c, c->problem.rhs);
    return rg_direct_solve(c->direct, &c->problem);
}

/* Whether the motion along a row is blocked; g: nu, z: rows of c; scratch. */
static bool is_locked(RgConstraints *c, const RgRow *row, double *g, double *z)
{
    RgRowScratch *scratch = &c->scratch;
    double bias, alone = 0.0, left = 0.0;
    int count = rg_row_project(c->form, row, scratch->columns, scratch->values, &bias);
    memset(g, 0, (size_t)c->form->nu * sizeof *g);
    for (int k = 0; k < count; k++)
        g[scratch->columns[k]] += scratch->values[k];
    c->form->kind->solve(c->form, g);
    for (int k = 0; k < count; k++)
        alone += scratch->values[k] * g[scratch->columns[k]];
    for (int i = 0; i < c->problem.n; i++)
        z[i] = -rg_row_times(&c->problem, i, g);
    rg_direct_solve_again(c->direct, &c->problem, z);
    rg_add_response(&c->problem, z, g);
    for (int k = 0; k < count; k++)
        left += scratch->values[k] * g[scratch->columns[k]];
    return !(left > LOCKED_RESPONSE * alone);
}

RgStatus rg_drives_find_locked(RgContactSolver *s)
{
    RgConstraints *c = s->setup.constraints;
    RgContactProblem *p = &s->problem;
    bool any = false;
    for (int i = 0; i < p->nrows; i++)
        any = any || p->rows[i].give > 0.0;
    if (!any || (!rg_contact_has_joint_rows(s) && c->tree.used))
        return RG_OK;
    RgStatus status = rg_contact_has_joint_rows(s) ? factor_joints(s) : RG_OK;
    if (status != RG_OK || c->rows.n == 0)
        return status;
    double *g = RG_ARENA_ALLOC_RAW(&s->memory, double, s->setup.form->nu),
           *z = RG_ARENA_ALLOC_RAW(&s->memory, double, c->rows.n);
    if (g == NULL || z == NULL)
        return RG_ERR_MEMORY;
    for (int i = 0; i < p->nrows; i++) {
        RgBoundedRow *row = &p->rows[i];
        row->locked = row->give > 0.0 && is_locked(c, &row->row, g, z);
        if (row->locked)
            row->low = row->high = row->z = 0.0;
    }
    return RG_OK;
}

void rg_drives_report_locked(RgContactSolver *s, const double *u)
{
    RgContactProblem *p = &s->problem;
    const RgRowScratch *scratch = &s->setup.constraints->scratch;
    for (int i = 0; i < p->nrows; i++) {
        RgBoundedRow *row = &p->rows[i];
        if (!row->locked)
            continue;
        double bias, v = 0.0;
        int count = rg_row_project(s->setup.form, &row->row, scratch->columns, scratch->values, &bias);
        for (int k = 0; k < count; k++)
            v += scratch->values[k] * u[scratch->columns[k]];
        row->conflict = fabs(v - row->target) > TARGET_TOLERANCE ? 1.0 : 0.0;
        s->result.solve.contradictions += row->conflict > 0.0;
    }
}
