/* model_attach.h - a world's own view of a model, with joints that are made and released at run time. */
#ifndef RIGOR_MODEL_ATTACH_H
#define RIGOR_MODEL_ATTACH_H

#include "model/model.h"

/* A copy that shares all but its loops and joints with the model, which must outlive it. NULL: out of memory. */
RgModel *rg_model_with_slots(RgArena *arena, const RgModel *model, int slots);

/* Puts a joint into a slot, or empties it. def: checked before (rg_check_joint), not a free joint. */
void rg_model_attach(RgModel *model, int slot, const RgJointDef *def);
void rg_model_release(RgModel *model, int slot);

/* Index of the loop of a slot; the loops of the compiled model come first. */
static inline int rg_model_slot_loop(const RgModel *model, int slot)
{
    return model->nloops - model->used_slots + slot;
}

/* Largest number of loops, with all slots in use. */
static inline int rg_model_loop_room(const RgModel *model)
{
    return model->nloops - model->used_slots + model->slots;
}

#endif
