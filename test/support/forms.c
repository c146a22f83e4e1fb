/*
 * forms.c - the same model, state and inputs in both coordinate forms: the joint accelerations must agree.
 */
#include "identities.h"
#include "worlds.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Hands the state's efforts and wrenches to a world. */
static void give_inputs(const RgModel *model, const RgInputState *now, RgInput *input, void *context)
{
    (void)model;
    (void)now;
    const TestState *s = context;
    memcpy(input->tau, s->tau, sizeof *s->tau * (size_t)s->nv);
    memcpy(input->wrenches, s->wrenches, sizeof *s->wrenches * (size_t)s->links);
}

static void accelerations(const RgModel *model, TestState *state, const char *coords, double *a)
{
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.input = give_inputs;
    def.input_context = state;
    RgWorld *world = world_make(&def);
    cr_assert(rg_world_set_state(world, state->q, state->v) == RG_OK, "%s: set_state", coords);
    RgStatus status = rg_world_acceleration(world, a);
    cr_assert(status == RG_OK, "%s: %s", coords, rg_status_text(status));
    rg_world_destroy(world);
}

double forms_error(const RgModel *model, TestState *state)
{
    double *a = calloc((size_t)state->nv + 1, sizeof *a);
    accelerations(model, state, "minimal", state->a);
    accelerations(model, state, "maximal", a);
    double error = relative_error(a, state->a, state->nv);
    free(a);
    return error;
}
