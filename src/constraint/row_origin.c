/*
 * row_origin.c - origin of the rows of a step: a tree joint, a loop, a coupling, a limit, a motor.
 */
#include "constraint/bounded_table.h"
#include "constraint/contact_solve.h"

/* Origin of assembled row i. */
static RgRowOrigin bilateral_origin(const RgConstraints *c, int i)
{
    const RgModel *m = c->form->model;
    const RgRow *row = &c->rows.row[i];
    for (int l = 0; l < m->nloops && i >= c->tree_rows; l++)
        if (i >= c->loop_rows[l] && i < c->loop_rows[l] + c->loops[l].nrows)
            return (RgRowOrigin){"loop", m->joints[m->loops[l].joint].def.name};
    bool coupled = m->ncouplings > 0 && i >= c->coupling_row && i < c->coupling_row + m->ncouplings;
    if (row->ndofs > 0)
        return (RgRowOrigin){coupled ? "coupling" : "joint", rg_model_dof_name(m, row->dof[0])};
    if (i >= c->tree_rows || row->nbodies == 0)
        return (RgRowOrigin){NULL, NULL};
    const RgBody *body = &m->bodies[row->body[0]];
    return (RgRowOrigin){"joint", body->joint >= 0 ? m->joints[body->joint].def.name : m->links[body->link].def.name};
}

static RgRowOrigin bounded_origin(const RgBounded *b, const RgBoundedRow *row)
{
    const RgModel *m = b->form->model;
    const RgAxis *axis = row->kind != RG_BOUNDED_user ? &b->axes[row->axis] : NULL;
    const char *joint = axis == NULL     ? NULL
                        : axis->dof >= 0 ? rg_model_dof_name(m, axis->dof)
                                         : m->joints[m->loops[axis->loop].joint].def.name;
    return (RgRowOrigin){rg_bounded_kind_name(row->kind), joint};
}

RgRowOrigin rg_contact_row_origin(const RgContactSolver *s, int i)
{
    int bounded = i - s->row_view.nbilateral;
    if (bounded < 0)
        return bilateral_origin(s->setup.constraints, i);
    if (bounded < s->problem.nrows)
        return bounded_origin(s->setup.bounded, &s->problem.rows[bounded]);
    return (RgRowOrigin){NULL, NULL};
}
