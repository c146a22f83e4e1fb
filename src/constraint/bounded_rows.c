/*
 * bounded_rows.c - all bounded rows of a step, kind after kind, and functions shared by the kinds.
 *
 * A row along an axis of the tree is one coefficient on a joint velocity; along an axis of a loop joint it is the
 * wrench W_k on the joint's two bodies, v_k = W_k . (V_G - V_F) (joint_state.h).
 *
 * Joints made at run time (model_attach.h) have six axes per slot, attached or not, so axes and slots of rows keep
 * their numbers.
 */
#include "constraint/bounded_table.h"
#include "model/model_attach.h"

static const RgBoundedKind *const kinds[] = {
#define BOUNDED_ENTRY(name) &rg_bounded_##name,
    BOUNDED_TABLE(BOUNDED_ENTRY)
#undef BOUNDED_ENTRY
};

const char *rg_bounded_kind_name(int kind)
{
    return kinds[kind]->name;
}

/* Lists all axes, joint by joint. */
static void list_axes(RgBounded *b)
{
    const RgModel *m = b->form->model;
    for (int k = 0; k < m->nv; k++) {
        const RgBody *B = &m->bodies[m->dof_body[k]];
        b->axis_of[k] = B->joint >= 0 ? b->naxes : -1;
        if (B->joint >= 0)
            b->axes[b->naxes++] =
                (RgAxis){k, -1, k - B->v0, B->kind->nq == B->nv, &m->joints[B->joint].def.dof[k - B->v0]};
    }
    for (int l = 0; l < m->nloops; l++)
        for (int k = 0; k < m->loops[l].kind->nv; k++)
            b->axes[b->naxes++] = (RgAxis){-1, l, k, m->loops[l].kind->nq == m->loops[l].kind->nv,
                                           &m->joints[m->loops[l].joint].def.dof[k]};
    b->first_slot_axis = b->naxes;
    for (int s = 0; s < m->slots; s++)
        for (int k = 0; k < 6; k++)
            b->axes[b->naxes++] =
                (RgAxis){-1, rg_model_slot_loop(m, s), k, false, &m->joints[m->njoints + s].def.dof[k]};
    for (int i = 0; i < b->naxes; i++) {
        const RgAxisDef *def = b->axes[i].def;
        b->any_velocity_limit = b->any_velocity_limit || (def->velocity_limit > 0.0 && def->velocity_limit < INFINITY);
    }
}

void rg_bounded_refresh(RgBounded *b)
{
    const RgModel *m = b->form->model;
    for (int i = b->first_slot_axis; i < b->naxes; i++) {
        const RgJointKind *kind = m->loops[b->axes[i].loop].kind;
        b->axes[i].plain = kind->nq == kind->nv && b->axes[i].own < kind->nv;
    }
    b->any_passive = false;
    for (int i = 0; i < b->naxes; i++) {
        const RgAxisDef *def = b->axes[i].def;
        bool limited = b->axes[i].plain && (def->lower > -INFINITY || def->upper < INFINITY);
        b->any_passive = b->any_passive || limited || def->friction > 0.0;
    }
}

RgBounded *rg_bounded_alloc(RgArena *arena, RgForm *form, RgConstraints *constraints, int user_room,
                            const RgContactLaw *law)
{
    RgBounded *b = RG_ARENA_ALLOC(arena, RgBounded, 1);
    if (b == NULL)
        return NULL;
    const RgModel *m = form->model;
    *b = (RgBounded){.form = form,
                     .constraints = constraints,
                     .share = law->contact_erp,
                     .near = law->near_gap,
                     .max_correction = law->max_joint_correction,
                     .cfm = law->cfm,
                     .only_overlaps = law->only_overlaps,
                     .user = {.room = user_room},
                     .position_limits = true};
    int max_axes = m->nv + 6 * rg_model_loop_room(m);
    b->axes = RG_ARENA_ALLOC(arena, RgAxis, max_axes);
    b->axis_of = RG_ARENA_ALLOC(arena, int, m->nv);
    b->motors = RG_ARENA_ALLOC(arena, RgMotor, max_axes);
    b->drives = RG_ARENA_ALLOC(arena, RgDrive, max_axes);
    b->user.rows = RG_ARENA_ALLOC(arena, RgUserRow, user_room);
    b->reach.change = RG_ARENA_ALLOC(arena, double, m->nv);
    b->reach.twist = RG_ARENA_ALLOC(arena, RgMotion, m->nbodies);
    b->reach.base = RG_ARENA_ALLOC(arena, double, m->nbodies);
    b->reach.root = RG_ARENA_ALLOC(arena, int, m->nbodies);
    if (arena->failed)
        return NULL;
    list_axes(b);
    rg_bounded_refresh(b);
    return b;
}

bool rg_bounded_any(const RgBounded *b)
{
    bool any = b->any_passive || (b->velocity_limits && b->any_velocity_limit) ||
               (b->user.fn != NULL && b->user.room > 0) || b->ndrives > 0;
    for (int i = 0; i < b->naxes && !any; i++)
        any = b->motors[i].on;
    return any;
}

int rg_axis_find(const RgBounded *b, int joint, int dof)
{
    const RgModel *m = b->form->model;
    int body = m->joints[joint].body, loop = m->joints[joint].loop;
    if (body >= 0 && loop < 0)
        return dof >= 0 && dof < m->bodies[body].nv ? b->axis_of[m->bodies[body].v0 + dof] : -1;
    for (int i = 0; i < b->naxes; i++) {
        const RgAxis *a = &b->axes[i];
        bool same_joint = a->dof >= 0 ? m->dof_body[a->dof] == body : loop >= 0 && a->loop == loop;
        if (same_joint && a->own == dof)
            return i;
    }
    return -1;
}

int rg_bounded_room(const RgBounded *b)
{
    int n = 0;
    for (int i = 0; i < RG_BOUNDED_KINDS; i++)
        n += kinds[i]->room(b);
    return n;
}

int rg_bounded_first_slot(const RgBounded *b, int kind)
{
    int slot = 0;
    for (int i = 0; i < kind; i++)
        slot += kinds[i]->room(b);
    return slot;
}

int rg_bounded_rows(const RgBounded *b, const RgBoundedAsk *ask, RgBoundedRow *out)
{
    int n = 0, slot = 0;
    for (int i = 0; i < RG_BOUNDED_KINDS; i++) {
        int added = kinds[i]->add(b, ask, out + n);
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

void rg_axis_row(const RgBounded *b, int axis, double sign, RgBoundedRow *out)
{
    const RgAxis *a = &b->axes[axis];
    RgRow *row = &out->row;
    row->nbodies = row->ndofs = 0; /* entries beyond these counts stay uninitialised: rows are large */
    row->rotor = -1;
    row->bias = row->target = row->compliance = row->error = 0.0;
    row->keeps = row->no_bias = false;
    out->target = out->compliance = out->give = out->z = out->conflict = 0.0;
    out->locked = false;
    out->low = -INFINITY;
    out->high = INFINITY;
    out->axis = axis;
    out->slot = out->kind = 0;
    out->eliminated = RG_ELIMINATED_no;
    if (a->dof < 0) {
        const RgLoop *loop = &b->form->model->loops[a->loop];
        const RgJointState *J = &b->constraints->loops[a->loop];
        rg_row_between(b->form, row, loop->body_a, loop->body_b, fv_scale(sign, J->W[a->own]), J->origin);
        return;
    }
    row->ndofs = 1;
    row->dof[0] = a->dof;
    row->coefficient[0] = sign;
}

double *rg_bounded_account(int kind, RgSolverWork *w)
{
    return (double *)((char *)w + kinds[kind]->account);
}
