/*
 * row_coupling.c - mimic and gear: v_a - ratio v_b = 0, error q_a - ratio q_b - offset.
 *
 * The row's force z is the effort of the coupling on joint a; the effort on the reference joint b is -ratio z, so the
 * coupling does no work: z v_a - ratio z v_b = 0. A redundant coupling (a ring of mimics) is found dependent, and its
 * force is not unique.
 */
#include "constraint/row_table.h"

static int count(const RgForm *form)
{
    return form->model->ncouplings;
}

static void add_rest(RgConstraints *c, const RgRowsAsk *ask, RgRows *rows)
{
    (void)ask;
    const RgForm *form = c->form;
    c->coupling_row = rows->n;
    for (int i = 0; i < form->model->ncouplings; i++) {
        const RgCoupling *k = &form->model->couplings[i];
        RgRow *row = rg_rows_add(rows);
        row->ndofs = 2;
        row->dof[0] = k->v_index;
        row->coefficient[0] = 1.0;
        row->dof[1] = k->v_reference;
        row->coefficient[1] = -k->def.ratio;
        row->error = form->q[k->q_index] - k->def.ratio * form->q[k->q_reference] - k->def.offset;
    }
}

const RgRowKind rg_row_coupling = {.name = "coupling", .count = count, .add_rest = add_rest};
