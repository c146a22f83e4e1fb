/*
 * row_hold.c - while a mechanism is assembled: velocities that must not change, dv_k = 0.
 *
 * These rows come last, so if loops and couplings determine such a velocity the row is found dependent and has no
 * effect.
 */
#include "constraint/row_table.h"

static int count(const RgForm *form)
{
    return form->model->nloops + form->model->ncouplings > 0 ? form->model->nv : 0;
}

/* Without loops and couplings nothing changes a joint's velocity, and there is no room for these rows. */
static void add_rest(RgConstraints *c, const RgRowsAsk *ask, RgRows *rows)
{
    if (count(c->form) == 0)
        return;
    for (int k = 0; k < c->form->model->nv && ask->hold != NULL; k++) {
        if (!ask->hold[k])
            continue;
        RgRow *row = rg_rows_add(rows);
        row->ndofs = 1;
        row->dof[0] = k;
        row->coefficient[0] = 1.0;
        row->keeps = true;
    }
}

const RgRowKind rg_row_hold = {.name = "hold", .count = count, .add_rest = add_rest};
