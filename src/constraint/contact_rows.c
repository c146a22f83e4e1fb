/*
 * contact_rows.c - bounded rows as rows of a patch problem.
 *
 * A body term of a row is six coefficients on its mover, a joint velocity is a single of the group that the
 * joint's body belongs to. A single's own Jacobian comes from the coordinate form, like any row's, so that
 * both forms agree.
 */
#include "constraint/contact_stage.h"

#include <string.h>

void rg_contact_rows_find(RgContactStage *stage, double t, double h)
{
    stage->nrows = stage->row_room > 0 ? rg_bounded_rows(stage->bounded, t, h, stage->rows) : 0;
}

/* Body term J about the body's origin, as force and moment about its centre. */
static RgRowSpan body_span(const RgContactStage *stage, int body, RgForce J)
{
    RgVec3 to_centre = v3_sub(stage->centre[body + 1], stage->form->kin->X_WB[body].p);
    RgVec3 m = v3_sub(J.n, v3_cross(to_centre, J.f));
    return (RgRowSpan){.mover = body + 1, .single = -1, .J = {J.f.x, J.f.y, J.f.z, m.x, m.y, m.z}};
}

static void make_row(const RgContactStage *stage, const RgBoundedRow *from, RgPatchRow *to)
{
    const RgRow *row = &from->row;
    *to = (RgPatchRow){.target = from->target,
                       .compliance = from->compliance,
                       .low = from->low,
                       .high = from->high,
                       .patch = -1,
                       .z = from->z};
    for (int i = 0; i < row->nbodies; i++)
        to->span[to->nspans++] = body_span(stage, row->body[i], row->J[i]);
    for (int i = 0; i < row->ndofs; i++)
        to->span[to->nspans++] = (RgRowSpan){.single = stage->single_of[row->dof[i]], .J = {row->coefficient[i]}};
}

bool rg_contact_rows(RgContactStage *stage)
{
    RgPatchProblem *p = &stage->problem;
    p->rows = RG_TAKE_RAW(&stage->problem_memory, RgPatchRow, stage->nrows);
    if (stage->problem_memory.failed)
        return false;
    for (int i = 0; i < stage->nrows; i++) {
        make_row(stage, &stage->rows[i], &p->rows[p->nrows]);
        p->nrows += p->rows[p->nrows].nspans > 0;
    }
    return true;
}

void rg_contact_rows_push(RgContactStage *stage, double *g)
{
    const RgForm *form = stage->form;
    int32_t at = 0;
    for (int i = 0; i < stage->nrows; i++) {
        RgBoundedRow *row = &stage->rows[i];
        if (row->row.nbodies + row->row.ndofs == 0)
            continue;
        row->z = stage->problem.rows[at++].z;
        double bias;
        int count = form->kind->project(form, &row->row, stage->constraints->columns, stage->constraints->values, &bias);
        for (int k = 0; k < count; k++)
            g[stage->constraints->columns[k]] += row->z * stage->constraints->values[k];
    }
}
