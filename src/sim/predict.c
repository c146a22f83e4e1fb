/*
 * predict.c - what a step would make of the joint velocities if nothing touched.
 *
 * In joint coordinates that is v + h M^-1 (tau - b). A step of bodies ends elsewhere: it moves every body along a line
 * and about an axis of its own. Then it brings the joints together again where the bodies then stand, and takes those
 * velocities away that the joints have no room for there; or joints are rows of the solver, which leaves them apart by
 * millimetres and has them come nearer. The joint velocities that are left differ from the above by terms of the order
 * h w v, w being how fast joints turn, and from the mean rate at which the joints have moved by as much. A controller
 * that needs to know them asks here: the world's own stepper and solver make the step beside the state.
 *
 * Limits, motors, drives and dry friction of joints are in it. Left out, as by a controller that takes the robot for
 * a tree in the air: contacts, the input function, wrenches on links. No body sleeps.
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
