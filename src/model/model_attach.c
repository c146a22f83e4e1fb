/*
 * model_attach.c - one world's view of a model: shares everything with the compiled model, and has slots behind its
 * loop joints for joints made and released at run time.
 *
 *   loops   0 ... nloops of the model | slots, up to the last one in use
 *   joints  0 ... njoints             | one per slot, not counted in njoints
 *
 * An empty slot is a free joint between the world and itself, which constrains nothing, so that stages can loop over
 * all slots. Slots behind the last one in use are not counted in nloops: a world without attachments is the same as one
 * without slots.
 */
#include "model/model_attach.h"

RgModel *rg_model_with_slots(RgArena *arena, const RgModel *model, int slots)
{
    RgModel *m = RG_ARENA_ALLOC(arena, RgModel, 1);
    RgLoop *loops = RG_ARENA_ALLOC(arena, RgLoop, model->nloops + slots);
    RgJoint *joints = RG_ARENA_ALLOC(arena, RgJoint, model->njoints + slots);
    if (arena->failed)
        return NULL;
    *m = *model;
    if (model->nloops > 0)
        memcpy(loops, model->loops, (size_t)model->nloops * sizeof *loops);
    if (model->njoints > 0)
        memcpy(joints, model->joints, (size_t)model->njoints * sizeof *joints);
    m->loops = loops;
    m->joints = joints;
    m->slots = slots;
    for (int s = 0; s < slots; s++)
        rg_model_release(m, s);
    return m;
}

static int first_slot(const RgModel *m)
{
    return rg_model_slot_loop(m, 0);
}

/* Sets nloops so that the loops end with the last slot in use. */
static void count_loops(RgModel *m)
{
    int first = first_slot(m), used = m->slots;
    while (used > 0 && m->loops[first + used - 1].kind == rg_joint_kind(RG_JOINT_free))
        used--;
    m->used_slots = used;
    m->nloops = first + used;
}

void rg_model_attach(RgModel *m, int slot, const RgJointDef *def)
{
    int joint = m->njoints + slot, loop = first_slot(m) + slot;
    m->joints[joint] = (RgJoint){.def = *def, .kind = rg_joint_kind(def->type), .body = -1, .loop = loop};
    m->joints[joint].def.axis = rg_joint_axis_unit(def->axis);
    m->joints[joint].def.axis2 = rg_joint_axis_unit(def->axis2);
    m->loops[loop] = rg_model_loop(m, joint);
    count_loops(m);
}

void rg_model_release(RgModel *m, int slot)
{
    RgJointDef none = rg_joint_def_default();
    none.type = RG_JOINT_free;
    rg_model_attach(m, slot, &none);
}
