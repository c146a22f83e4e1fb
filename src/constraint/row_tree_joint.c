/*
 * row_tree_joint.c - maximal form: what a tree joint forbids.  T_k . (V_B - V_P) = 0 for the 6 - nv
 * directions T of joint_state.h.
 *
 * Acceleration: T_k . (A_B - A_P) - T_k . c = 0, error: T_k . log E.
 */
#include "constraint/row_table.h"

static int count(const RgForm *form)
{
    int n = 0;
    for (int i = 0; i < form->model->nbodies && form->kind->joints_are_rows; i++)
        n += 6 - form->model->bodies[i].nv;
    return n;
}

static void add_body(RgConstraints *c, const RgRowsAsk *ask, int body, RgRows *rows)
{
    (void)ask;
    const RgForm *form = c->form;
    if (!form->kind->joints_are_rows)
        return;
    const RgJointState *J = &form->joints[body];
    for (int k = 0; k < J->nrows; k++) {
        RgRow *row = rg_rows_add(rows);
        rg_row_between(form, row, form->model->bodies[body].parent, body, J->T[k], J->origin);
        row->bias = -mv_dot(J->c, J->T[k]);
        row->error = J->error[k];
    }
}

const RgRowKind rg_row_tree_joint = {.name = "tree joint", .count = count, .add_body = add_body};
