/*
 * contact_rows.c - bounded rows as rows of a patch problem, and the patches' friction against turning.
 *
 * A body term of a row is six coefficients on its mover, a joint velocity is a single of the group that the
 * joint's body belongs to. A single's own Jacobian comes from the coordinate form, like any row's, so that
 * both forms agree.
 *
 * Torsion and rolling. With k the length by which a patch's moment is bounded, |m| <= k N about an axis d, the
 * row is that of the velocity s d . w: its impulse z is in N s, |z| <= (k / s) N, and the moment s z d. The
 * length s is k, or how far the patch is from a body's centre where that is less: so the solver may compare z
 * with other impulses. Torsion: d is the normal. Rolling: two axes across it that share a disc, so that what
 * rolls is braked by k N in whatever direction it goes.
 */
#include "constraint/contact_stage.h"

#include <string.h>

/* Rows of a patch at most: torsion, two of rolling. */
#define TURN_ROWS 3

bool rg_row_rests(const RgContactStage *stage, const RgRow *row)
{
    const RgModel *m = stage->form->model;
    bool rests = stage->asleep != NULL && row->nbodies + row->ndofs > 0;
    for (int i = 0; rests && i < row->nbodies; i++)
        rests = stage->asleep[row->body[i]];
    for (int i = 0; rests && i < row->ndofs; i++)
        rests = stage->asleep[m->dof_body[row->dof[i]]];
    return rests;
}

/* Rows of sleepers go behind the others, which keep their order. */
static void part_resting(RgContactStage *stage)
{
    int total = stage->nrows, awake = 0;
    for (int i = 0; i < total; i++) {
        if (rg_row_rests(stage, &stage->rows[i].row))
            continue;
        RgBoundedRow row = stage->rows[i];
        stage->rows[i] = stage->rows[awake];
        stage->rows[awake++] = row;
    }
    stage->nrows = awake;
    stage->nresting = total - awake;
}

void rg_contact_rows_find(RgContactStage *stage, double t, double h)
{
    stage->nrows = stage->row_room > 0 ? rg_bounded_rows(stage->bounded, t, h, stage->rows) : 0;
    stage->nresting = 0;
    if (stage->asleep != NULL)
        part_resting(stage);
}

/* Body term J about the body's origin, as force and moment about its centre. */
static RgRowSpan body_span(const RgContactStage *stage, int body, RgForce J)
{
    RgVec3 to_centre = v3_sub(stage->centre[body + 1], stage->form->kin->X_WB[body].p);
    RgVec3 m = v3_sub(J.n, v3_cross(to_centre, J.f));
    return (RgRowSpan){.mover = body + 1, .single = -1, .J = {J.f.x, J.f.y, J.f.z, m.x, m.y, m.z}};
}

bool rg_contact_row_in(const RgBoundedRow *row)
{
    return row->row.nbodies + row->row.ndofs > 0 && row->aside == RG_ASIDE_none;
}

void rg_contact_row_make(const RgContactStage *stage, const RgBoundedRow *from, RgPatchRow *to)
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
        to->span[to->nspans++] =
            (RgRowSpan){.single = stage->single_of[row->dof[i]], .J = {row->coefficient[i]}};
}

/* ------------------------------------------------------------------ turning */

/* Length by which a patch's moments are measured: no more than its bound, nor than the bodies are wide. */
static double turn_scale(const RgPatch *patch, double k)
{
    double scale = k;
    for (int side = 0; side < 2; side++) {
        double arm = patch->mover[side] > 0 ? v3_norm(patch->arm[side]) : 0.0;
        scale = arm > 0.0 && arm < scale ? arm : scale;
    }
    return scale;
}

/* The row of s d . (w of B less w of A). It begins with what the last step's moment has along d. */
static RgPatchRow *add_turn(RgContactStage *stage, int32_t number, RgVec3 d, double k)
{
    RgPatchProblem *p = &stage->problem;
    const RgPatch *patch = &p->patches[number];
    RgPatchRow *row = &p->rows[p->nrows++];
    double scale = turn_scale(patch, k), most = 0.0, z = v3_dot(stage->patch_moment[number], d) / scale;
    for (int i = 0; i < patch->count; i++)
        most += k / scale * patch->z[i][0];
    *row = (RgPatchRow){.patch = number, .bound = k / scale, .z = z > most ? most : z < -most ? -most : z};
    for (int side = 0; side < 2; side++) {
        double s = side == 1 ? scale : -scale;
        if (patch->mover[side] > 0)
            row->span[row->nspans++] = (RgRowSpan){
                .mover = patch->mover[side], .single = -1, .J = {0.0, 0.0, 0.0, s * d.x, s * d.y, s * d.z}};
    }
    return row;
}

/* Slip is turning velocity by moment: w = -slip s z / h, times s as all of the row. */
static void add_torsion(RgContactStage *stage, int32_t number, double k)
{
    const RgPatch *patch = &stage->problem.patches[number];
    double scale = turn_scale(patch, k);
    add_turn(stage, number, patch->axis[2], k)->compliance =
        stage->turn[number][2] * scale * scale / stage->h;
}

static void add_turns(RgContactStage *stage)
{
    RgPatchProblem *p = &stage->problem;
    for (int32_t k = 0; k < p->npatches; k++) {
        const RgPatch *patch = &p->patches[k];
        double torsion = stage->turn[k][0], rolling = stage->turn[k][1];
        if (torsion > 0.0)
            add_torsion(stage, k, torsion);
        if (!(rolling > 0.0))
            continue;
        add_turn(stage, k, patch->axis[0], rolling)->disc = true;
        add_turn(stage, k, patch->axis[1], rolling);
    }
}

bool rg_contact_rows(RgContactStage *stage)
{
    RgPatchProblem *p = &stage->problem;
    int32_t turns = stage->surfaces.turns ? TURN_ROWS * p->npatches : 0;
    p->rows = RG_TAKE_RAW(&stage->problem_memory, RgPatchRow, stage->nrows + turns);
    if (stage->problem_memory.failed)
        return false;
    for (int i = 0; i < stage->nrows; i++)
        if (rg_contact_row_in(&stage->rows[i]))
            rg_contact_row_make(stage, &stage->rows[i], &p->rows[p->nrows++]);
    if (turns > 0)
        add_turns(stage);
    return true;
}

/* ------------------------------------------------------------------ back */

/* Moment on B of the rows of torsion and rolling. */
static void gather_turns(RgContactStage *stage, int32_t first)
{
    const RgPatchProblem *p = &stage->problem;
    for (int32_t k = 0; k < p->npatches && stage->surfaces.turns; k++)
        stage->patch_moment[k] = v3_zero();
    for (int32_t i = first; i < p->nrows; i++) {
        const RgPatchRow *row = &p->rows[i];
        const RgRowSpan *s = &row->span[row->nspans - 1];
        double sign = s->mover == p->patches[row->patch].mover[1] ? 1.0 : -1.0;
        RgVec3 *moment = &stage->patch_moment[row->patch];
        *moment = v3_axpy(sign * row->z, v3(s->J[3], s->J[4], s->J[5]), *moment);
    }
}

void rg_contact_rows_end(RgContactStage *stage)
{
    int32_t at = 0;
    for (int i = 0; i < stage->nrows; i++)
        if (rg_contact_row_in(&stage->rows[i]))
            stage->rows[i].z = stage->problem.rows[at++].z;
    gather_turns(stage, at);
}

/* The part of a row that speaks of groups: free movers have their velocities already. */
static RgRow group_part(const RgContactStage *stage, const RgRow *row)
{
    RgRow part = *row;
    part.nbodies = 0;
    for (int i = 0; i < row->nbodies; i++) {
        if (stage->problem.movers[row->body[i] + 1].group < 0)
            continue;
        part.body[part.nbodies] = row->body[i];
        part.J[part.nbodies++] = row->J[i];
    }
    return part;
}

static void push_turns(const RgContactStage *stage, int32_t first, double *g)
{
    const RgPatchProblem *p = &stage->problem;
    for (int32_t i = first; i < p->nrows; i++)
        for (int k = 0; k < p->rows[i].nspans; k++) {
            const RgRowSpan *s = &p->rows[i].span[k];
            double z = p->rows[i].z, impulse[6] = {0.0, 0.0, 0.0, z * s->J[3], z * s->J[4], z * s->J[5]};
            if (p->movers[s->mover].group >= 0)
                rg_contact_push(stage, s->mover - 1, impulse, g);
        }
}

void rg_contact_rows_push(const RgContactStage *stage, double *g)
{
    const RgForm *form = stage->form;
    const RgConstraints *c = stage->constraints;
    int32_t at = 0;
    for (int i = 0; i < stage->nrows; i++) {
        at += rg_contact_row_in(&stage->rows[i]);
        if (stage->rows[i].aside == RG_ASIDE_mass)
            continue;
        RgRow part = group_part(stage, &stage->rows[i].row);
        double bias;
        int count = form->kind->project(form, &part, c->columns, c->values, &bias);
        for (int k = 0; k < count; k++)
            g[c->columns[k]] += stage->rows[i].z * c->values[k];
    }
    push_turns(stage, at, g);
}
