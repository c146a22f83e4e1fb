/*
 * bounded_rows.c - all bounded rows of a step, kind after kind, and what the kinds share.
 *
 * A row along an axis of the tree is one coefficient on a joint velocity; along an axis of a loop joint it is the
 * wrench W_k on the joint's two bodies, v_k = W_k . (V_G - V_F) (joint_state.h).
 */
#include "constraint/bounded_table.h"

/* As solver `quick` keeps contacts: a small share a step, and the last tenth of a millimetre softly. */
#define SHARE 0.02
#define NEAR 1e-4

static const RgBoundedKind *const kinds[] = {
#define BOUNDED_ENTRY(name) &rg_bounded_##name,
    BOUNDED_TABLE(BOUNDED_ENTRY)
#undef BOUNDED_ENTRY
};

const char *rg_bounded_kind_name(int kind)
{
    return kind >= 0 && kind < RG_BOUNDED_KINDS ? kinds[kind]->name : NULL;
}

RgBounded *rg_bounded_take(RgArena *arena, RgForm *form, RgConstraints *constraints, int user_room)
{
    RgBounded *b = RG_TAKE(arena, RgBounded, 1);
    if (b == NULL)
        return NULL;
    const RgModel *m = form->model;
    *b = (RgBounded){.form = form, .constraints = constraints, .naxes = m->nv, .share = SHARE, .near = NEAR};
    for (int l = 0; l < m->nloops; l++)
        b->naxes += m->loops[l].kind->nv;
    b->motors = RG_TAKE(arena, RgMotor, b->naxes);
    b->user_room = user_room;
    b->user_rows = RG_TAKE(arena, RgUserRow, user_room);
    return arena->failed ? NULL : b;
}

int rg_bounded_room(const RgBounded *b)
{
    int n = 0;
    for (int i = 0; i < RG_BOUNDED_KINDS; i++)
        n += kinds[i]->room(b);
    return n;
}

int rg_bounded_rows(RgBounded *b, double t, double h, RgBoundedRow *out)
{
    int n = 0, slot = 0;
    b->t = t;
    for (int i = 0; i < RG_BOUNDED_KINDS; i++) {
        int added = kinds[i]->add(b, h, out + n);
        for (int k = n; k < n + added; k++) {
            out[k].kind = i;
            out[k].slot += slot;
        }
        n += added;
        slot += kinds[i]->room(b);
    }
    return n;
}

/* ------------------------------------------------------------------ axes */

/* Loop joint and its own axis behind one of the list; -1: of the tree. */
static int loop_of(const RgBounded *b, int axis, int *own)
{
    const RgModel *m = b->form->model;
    int first = m->nv;
    for (int l = 0; l < m->nloops && axis >= first; l++) {
        if (axis < first + m->loops[l].kind->nv) {
            *own = axis - first;
            return l;
        }
        first += m->loops[l].kind->nv;
    }
    return -1;
}

const RgAxisDef *rg_axis_def(const RgBounded *b, int axis)
{
    const RgModel *m = b->form->model;
    int own, loop = loop_of(b, axis, &own);
    if (loop >= 0)
        return &m->joints[m->loops[loop].joint].def.dof[own];
    const RgBody *B = &m->bodies[m->dof_body[axis]];
    return B->joint >= 0 ? &m->joints[B->joint].def.dof[axis - B->v0] : NULL;
}

RgBoundedRow rg_axis_row(const RgBounded *b, int axis, double sign)
{
    RgBoundedRow out = {.row = {.rotor = -1}, .low = -INFINITY, .high = INFINITY, .axis = axis};
    int own, loop = loop_of(b, axis, &own);
    if (loop >= 0) {
        const RgLoop *L = &b->form->model->loops[loop];
        const RgJointState *J = &b->constraints->loops[loop];
        rg_row_between(b->form, &out.row, L->body_a, L->body_b, fv_scale(sign, J->W[own]), J->origin);
        return out;
    }
    out.row.ndofs = 1;
    out.row.dof[0] = axis;
    out.row.coefficient[0] = sign;
    return out;
}

bool rg_axis_position(const RgBounded *b, int axis, double *q)
{
    const RgModel *m = b->form->model;
    int own, loop = loop_of(b, axis, &own);
    if (loop >= 0) {
        *q = b->constraints->loops[loop].q[own];
        return m->loops[loop].kind->nq == m->loops[loop].kind->nv;
    }
    const RgBody *B = &m->bodies[m->dof_body[axis]];
    *q = b->form->q[B->q0 + axis - B->v0];
    return B->kind->nq == B->nv;
}

double rg_axis_rate(const RgBounded *b, int axis)
{
    int own, loop = loop_of(b, axis, &own);
    return loop >= 0 ? b->constraints->loops[loop].v[own] : b->form->v[axis];
}
