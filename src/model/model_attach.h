/* model_attach.h - a world's own view of a model, with joints that are made and released at run time. */
#ifndef RIGOR_MODEL_ATTACH_H
#define RIGOR_MODEL_ATTACH_H

#include "model/model.h"

/* Shares all but its loops and joints with the model, which must outlive it. NULL: no memory. */
RgModel *rg_model_with_room(RgArena *arena, const RgModel *model, int slots);

/* The joint of a slot, at most one; checked before (rg_check_joint), and no free one. */
void rg_model_attach(RgModel *model, int slot, const RgJointDef *def);
void rg_model_release(RgModel *model, int slot);

/* Loops of a slot, and those of the compiled model. */
static inline int rg_model_slot_loop(const RgModel *model, int slot)
{
    return model->nloops - model->used_slots + slot;
}

/* Loops at most, whatever slots are in use. */
static inline int rg_model_loop_room(const RgModel *model)
{
    return model->nloops - model->used_slots + model->slots;
}

#endif
