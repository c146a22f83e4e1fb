/* row_rotor.c - maximal form: a geared rotor turns with its joint, v_k - r = 0. Only the rate is constrained; there is
   no position error. */
#include "constraint/row_table.h"

static int count(const RgForm *form)
{
    return form->kind->joints_are_rows ? form->model->nrotors : 0;
}

static void add_body(RgConstraints *c, const RgRowsAsk *ask, int body, RgRows *rows)
{
    (void)ask;
    const RgForm *form = c->form;
    if (!form->kind->joints_are_rows)
        return;
    const RgBody *B = &form->model->bodies[body];
    for (int k = B->v0; k < B->v0 + B->nv; k++) {
        if (form->dof_rotor[k] < 0)
            continue;
        RgRow *row = rg_rows_add(rows);
        row->ndofs = 1;
        row->dof[0] = k;
        row->coefficient[0] = 1.0;
        row->rotor = form->dof_rotor[k];
    }
}

const RgRowKind rg_row_rotor = {.name = "rotor", .count = count, .add_body = add_body};
