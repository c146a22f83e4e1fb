/*
 * locked_rows.c - bounded rows and contacts along which joints, loops and couplings leave no motion.
 *
 * For a row r (a limit, a drive, the normal of a contact point), with G the rows of joints, loops and couplings, M the
 * mass matrix and C their compliance,
 *
 *   alone   r M^-1 r'                                                      the response without G
 *   left    r y,   y = M^-1 (r' + G' z),   G y + C z = 0                   the response with G
 *
 * If G forbids all motion along r, `left` is round-off of `alone`, of either sign. Then no impulse along r changes any
 * velocity, and an impulse computed by dividing by round-off would add energy. Such a row is excluded from the step: it
 * has no impulse. If it is a drive whose target is not the velocity that G imposes, a contradiction is reported.
 *
 * z is large where G is nearly dependent, and so is the error of y along G. left is therefore computed as y' M y + z' C
 * z = r y + z' (G y + C z), whose error is of second order in that of z.
 *
 * A limit that is exceeded is corrected with a velocity v, which takes the energy v^2 / (2 left): any amount near a dead
 * point. It is corrected with v sqrt(left / alone) instead, whose energy is that of v without joints and loops, as for
 * contacts (correction_bound.c).
 *
 * Cost: a solve with the factors of M and G per row and contact patch of a mechanism with such G; if the solver has G
 * as rows, a factor of G besides.
 * Failure: a linkage within about 1e-5 rad of a dead point counts as locked in that step.
 */
#include "constraint/bounded_table.h"
#include "constraint/contact_solve.h"
#include "math/unit.h"

#include <math.h>
#include <string.h>

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

/* Vectors for share_left. */
typedef struct Response {
    double *y, *z; /* nu, rows of the constraints */
} Response;

/* left / alone of a row. */
static double share_left(RgConstraints *c, const RgRow *row, const Response *to)
{
    RgRowScratch *scratch = &c->scratch;
    double *y = to->y, *z = to->z, bias, alone = 0.0, left = 0.0;
    int count = rg_row_project(c->form, row, scratch->columns, scratch->values, &bias);
    memset(y, 0, (size_t)c->form->nu * sizeof *y);
    for (int k = 0; k < count; k++)
        y[scratch->columns[k]] += scratch->values[k];
    c->form->kind->solve(c->form, y);
    for (int k = 0; k < count; k++)
        alone += scratch->values[k] * y[scratch->columns[k]];
    for (int i = 0; i < c->problem.n; i++)
        z[i] = -rg_row_times(&c->problem, i, y);
    rg_direct_solve_again(c->direct, &c->problem, z);
    rg_add_response(&c->problem, z, y);
    for (int k = 0; k < count; k++)
        left += scratch->values[k] * y[scratch->columns[k]];
    for (int i = 0; i < c->problem.n; i++)
        left += z[i] * (rg_row_times(&c->problem, i, y) + c->problem.compliance[i] * z[i]);
    return alone > 0.0 ? left / alone : 0.0;
}

static bool is_locked(double share)
{
    return !(share > RG_LOCKED_RESPONSE);
}

/* Whether the approach is blocked at all points of a patch; the mean of the points decides first. */
static bool patch_is_locked(const RgContactSolver *s, const RgPatch *patch, const Response *to)
{
    const RgContactProblem *p = &s->problem;
    int a = patch->mover[0] - 1, b = patch->mover[1] - 1;
    RgVec3 mean = v3_add(p->centre[patch->mover[1]], patch->arm[1]);
    bool locked = true;
    if (b < 0)
        mean = v3_add(p->centre[patch->mover[0]], patch->arm[0]);
    for (int i = -1; i < (patch->count > 1 ? patch->count : 0) && locked; i++) {
        RgVec3 at = mean;
        if (i >= 0)
            at = v3_axpy(patch->place[i][0], patch->axis[0], v3_axpy(patch->place[i][1], patch->axis[1], mean));
        RgRow row = {.rotor = -1};
        rg_row_between(s->setup.form, &row, a, b, (RgForce){v3_zero(), patch->axis[2]}, at);
        locked = is_locked(share_left(s->setup.constraints, &row, to));
    }
    return locked;
}

/* Whether a body belongs to a mechanism. */
static bool is_held(const RgContactSolver *s, int32_t mover)
{
    return mover > 0 && !s->setup.bodies[mover - 1].free;
}

RgStatus rg_rows_find_locked(RgContactSolver *s)
{
    RgConstraints *c = s->setup.constraints;
    RgContactProblem *p = &s->problem;
    int32_t patches = p->npatches;
    s->result.locked_rows = 0;
    if (c->tree.alone || (p->nrows == 0 && patches == 0))
        return RG_OK; /* the joints of a tree are independent */
    RgStatus status = rg_contact_has_joint_rows(s) ? factor_joints(s) : RG_OK;
    if (status != RG_OK || c->rows.n == 0 || c->tree.used)
        return status;
    Response to = {RG_ARENA_ALLOC_RAW(&s->memory, double, s->setup.form->nu),
                   RG_ARENA_ALLOC_RAW(&s->memory, double, c->rows.n)};
    if (s->memory.failed)
        return RG_ERR_MEMORY;
    for (int i = 0; i < p->nrows; i++) {
        RgBoundedRow *row = &p->rows[i];
        if (row->row.nbodies + row->row.ndofs == 0)
            continue;
        double share = share_left(c, &row->row, &to);
        row->locked = is_locked(share);
        s->result.locked_rows += row->locked;
        if (row->locked)
            row->low = row->high = row->z = 0.0;
        else if (row->row.error > 0.0 && row->target > 0.0)
            row->target *= sqrt(d_min(share, 1.0));
    }
    for (int32_t k = 0; k < patches; k++) {
        RgPatch *patch = &p->patches[k];
        if ((is_held(s, patch->mover[0]) || is_held(s, patch->mover[1])) && patch_is_locked(s, patch, &to)) {
            patch->count = 0;
            s->result.locked_rows++;
        }
    }
    rg_contact_compact_patches(p, patches);
    return RG_OK;
}

void rg_rows_report_locked(RgContactSolver *s, const double *u)
{
    RgContactProblem *p = &s->problem;
    const RgRowScratch *scratch = &s->setup.constraints->scratch;
    for (int i = 0; i < p->nrows; i++) {
        RgBoundedRow *row = &p->rows[i];
        if (!row->locked || !(row->give > 0.0))
            continue;
        double bias, v = 0.0;
        int count = rg_row_project(s->setup.form, &row->row, scratch->columns, scratch->values, &bias);
        for (int k = 0; k < count; k++)
            v += scratch->values[k] * u[scratch->columns[k]];
        row->conflict = fabs(v - row->target) > TARGET_TOLERANCE ? 1.0 : 0.0;
        s->result.solve.contradictions += row->conflict > 0.0;
    }
}
