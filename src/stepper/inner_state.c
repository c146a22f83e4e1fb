/* inner_state.c - states between the inner steps of one step. Contact memories are swapped, never copied. */
#include "stepper/inner_state.h"

#include <string.h>

void rg_state_alloc(RgArena *arena, const RgForm *form, RgState *state)
{
    state->x = RG_ARENA_ALLOC(arena, double, form->nx);
    state->u = RG_ARENA_ALLOC(arena, double, form->nu);
}

void rg_state_release(const RgStepScope *scope, RgState *state)
{
    rg_contact_memory_free(&state->memory, &scope->log->allocator);
}

void rg_state_copy(const RgForm *form, const RgState *from, RgState *to)
{
    memcpy(to->x, from->x, (size_t)form->nx * sizeof *to->x);
    memcpy(to->u, from->u, (size_t)form->nu * sizeof *to->u);
    to->t = from->t;
}

void rg_state_transfer(const RgForm *form, RgState *from, RgState *to)
{
    RgContactMemory memory = to->memory;
    memcpy(to->x, from->x, (size_t)form->nx * sizeof *to->x);
    memcpy(to->u, from->u, (size_t)form->nu * sizeof *to->u);
    to->memory = from->memory;
    from->memory = memory;
}

void rg_body_ends(const RgForm *form, const double *u, RgBodyEnd *out)
{
    for (int i = 0; i < form->model->nbodies; i++) {
        RgMotion V = form->kin->V[i];
        if (u != NULL)
            rg_form_twist(form, i, u, &V);
        RgPose X = form->kin->X_WB[i];
        RgVec3 arm = m3_apply(X.R, form->model->bodies[i].inertia.com);
        out[i] = (RgBodyEnd){X, v3_add(X.p, arm), v3_add(V.v, v3_cross(V.w, arm)), V.w};
    }
}

uint32_t rg_shape_link(const RgModel *model, int32_t shape)
{
    int32_t link = model->shapes[shape].def.link.i;
    return link > 0 ? (uint32_t)link - 1 : UINT32_MAX;
}
