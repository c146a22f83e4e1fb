/*
 * predict.c - joint velocities at the end of a step without contacts.
 *
 * In joint coordinates these are v + h M^-1 (tau - b). A step in maximal coordinates gives another result: it moves
 * each body along a line and about an axis of its own. Then it projects the bodies onto the joints, and removes the
 * velocities that violate the joints there; or joints are rows of the solver, which leaves errors of millimetres and
 * corrects them. The resulting joint velocities differ from the above by terms of order h w v, w the angular velocity
 * of the joints, and by as much from the mean rate at which the joints moved. A controller that needs them calls this
 * function: the world's own stepper and solver make the step without changing the state.
 *
 * Limits, motors, drives and dry friction of joints are included. Left out, as by a controller that treats the robot as
 * a tree without contacts: contacts, the input function, wrenches on links. No body sleeps.
 */
#include "sim/world_internal.h"

#include <string.h>

bool rg_world_predicts(const RgWorld *w)
{
    return w->scope.form->kind->joints_are_rows && !w->stepper->locates;
}

RgStatus rg_world_predict(RgWorld *w, const RgPredictAsk *ask, double *v)
{
    RgStepScope *s = &w->scope, kept = *s;
    double h = ask->h;
    RgStepReport ignored = {.t = w->state.t, .h = h};
    rg_world_begin_step(w, h, false);
    s->report = &ignored;
    s->scene = NULL;
    s->contacts = (RgContactView){.npoints = 0};
    s->sleep = NULL;
    s->input.fn = NULL;
    s->input.any_wrench = false;
    s->input.tau_constant = ask->tau;
    rg_world_refresh(w);
    const double *q0 = w->q;
    w->fresh = false;
    w->next.h_next = w->state.h_next;
    RgStatus status = w->stepper->step(s, &w->state, h, &w->next);
    if (status == RG_OK)
        status = rg_stage_finish(s, &w->next);
    if (status == RG_OK) {
        s->form->kind->kinematics(s->form, w->next.x, w->next.u);
        memcpy(v, s->form->v, (size_t)w->model->nv * sizeof *v);
    }
    if (status == RG_OK && ask->mean) {
        rg_difference_positions(w->model, q0, s->form->q, v);
        for (int k = 0; k < w->model->nv; k++)
            v[k] /= h;
    }
    *s = kept;
    if (s->contact != NULL)
        rg_contact_forget(s->contact);
    return status;
}
