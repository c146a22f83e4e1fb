/*
 * row_tree_joint.c - maximal form: constraints of a tree joint, T_k . (V_B - V_P) = 0 for the 6 - nv directions T of
 * joint_state.h.
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
    int parent = form->model->bodies[body].parent;
    for (int k = 0; k < J->nrows; k++) {
        RgRow *row = &rows->row[rows->n++];
        row->nbodies = parent >= 0 ? 2 : 1;
        row->ndofs = 0;
        row->rotor = -1;
        row->body[0] = body; /* the body's origin is the joint's */
        row->J[0] = J->T[k];
        row->bias = -mv_dot(J->c, J->T[k]);
        row->target = row->compliance = 0.0;
        row->keeps = false;
        row->error = J->error[k];
        if (parent < 0)
            continue;
        row->body[1] = parent;
        row->J[1] = fv_shift(fv_scale(-1.0, J->T[k]), v3_neg(form->kin->r[body]));
    }
}

const RgRowKind rg_row_tree_joint = {.name = "tree joint", .count = count, .add_body = add_body};
