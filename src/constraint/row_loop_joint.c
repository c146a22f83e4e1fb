/* row_loop_joint.c - constraints of a loop joint, in both forms: T_k . (V_G - V_F) = 0, as for tree joints in the
   maximal form. */
#include "constraint/row_table.h"

static int count(const RgForm *form)
{
    int n = 0;
    for (int l = 0; l < form->model->nloops; l++)
        n += 6 - form->model->loops[l].kind->nv;
    return n;
}

static void add_rest(RgConstraints *c, const RgRowsAsk *ask, RgRows *rows)
{
    (void)ask;
    for (int l = 0; l < c->form->model->nloops; l++) {
        const RgLoop *loop = &c->form->model->loops[l];
        const RgJointState *J = &c->loops[l];
        c->loop_rows[l] = rows->n;
        for (int k = 0; k < J->nrows; k++) {
            RgRow *row = rg_rows_add(rows);
            rg_row_between(c->form, row, loop->body_a, loop->body_b, J->T[k], J->origin);
            row->bias = -mv_dot(J->c, J->T[k]);
            row->error = J->error[k];
        }
    }
}

const RgRowKind rg_row_loop_joint = {.name = "loop joint", .count = count, .add_rest = add_rest};
