/*
 * controller_callback.c - a function of the user, called at every sample, that writes the efforts of its joints.
 *
 * It gets the same input as an input function of a world (RgInputState), but only at samples, and its efforts pass
 * through the same limits, delay and hold as those of other kinds. On entry the efforts are the world's constant ones,
 * 0 for controlled joints. Efforts of other joints, and wrenches on links, are ignored.
 */
#include "control/controller.h"

#include "model/model.h"

#include <string.h>

typedef struct CallbackWork {
    double *tau;       /* nv */
    RgForce *wrenches; /* nlinks */
} CallbackWork;

static bool callback_prepare(RgController *c, const RgModel *model, RgArena *arena)
{
    CallbackWork *work = RG_ARENA_ALLOC(arena, CallbackWork, 1);
    c->work = work;
    if (work == NULL)
        return false;
    work->tau = RG_ARENA_ALLOC(arena, double, model->nv);
    work->wrenches = RG_ARENA_ALLOC(arena, RgForce, model->nlinks);
    return !arena->failed;
}

static RgStatus callback_command(RgController *c, const RgControlView *view, RgJointCommand *out)
{
    CallbackWork *work = c->work;
    memcpy(work->tau, view->tau, (size_t)view->model->nv * sizeof *work->tau);
    memset(work->wrenches, 0, (size_t)view->model->nlinks * sizeof *work->wrenches);
    RgInputState state = {.t = view->t, .q = view->q, .v = view->v};
    RgInput input = {.tau = work->tau, .wrenches = work->wrenches};
    c->callback(view->model, &state, &input, c->callback_context);
    for (int k = 0; k < c->njoints; k++)
        out[k] = (RgJointCommand){.effort = work->tau[c->dofs[k]]};
    return RG_OK;
}

const RgControllerKind rg_controller_callback = {.name = "callback",
                                                 .summary = "efforts from the user's own function",
                                                 .uses = RG_USES_CALLBACK | RG_MAY_REFERENCE | RG_ANY_JOINT,
                                                 .prepare = callback_prepare,
                                                 .command = callback_command};
