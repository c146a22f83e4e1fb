/*
 * world_sleep.c - a world's sleepers: looked at, woken, and left alone where all sleep.
 *
 * Where everybody sleeps and what acts on them is what it was, a step is nothing but time: the input function is
 * still asked, since it may have changed its mind.
 */
#include "sim/world_internal.h"

void rg_world_wake_body(RgWorld *w, int body)
{
    const RgRest *rest = &w->state.rest;
    if (rest->body != NULL && body >= 0 && rest->body[body].asleep)
        rg_sleep_wake(w->scope.sleep, &w->state.rest, body, &w->state.memory);
}

void rg_world_wake(RgWorld *w, RgLinkId link)
{
    if (w->state.rest.body == NULL || link.i < 0 || link.i > w->model->nlinks)
        return;
    if (link.i > 0)
        rg_world_wake_body(w, w->model->links[link.i - 1].body);
    else
        rg_rest_clear(w->model, &w->state.rest);
}

bool rg_world_is_asleep(const RgWorld *w, RgLinkId link)
{
    if (w->state.rest.body == NULL || link.i <= 0 || link.i > w->model->nlinks)
        return false;
    int body = w->model->links[link.i - 1].body;
    return body >= 0 && w->state.rest.body[body].asleep;
}

RgStatus rg_world_set_gravity(RgWorld *w, RgVec3 gravity)
{
    RgVec3 old = w->scope.gravity;
    if (!v3_finite(gravity))
        return RG_ERR_NOT_FINITE;
    w->scope.gravity = gravity;
    if (gravity.x != old.x || gravity.y != old.y || gravity.z != old.z)
        rg_world_wake(w, (RgLinkId){0});
    return RG_OK;
}

bool rg_world_sleeps_on(RgWorld *w)
{
    RgStepScope *s = &w->scope;
    const RgRest *rest = &w->state.rest;
    for (int i = 0; i < w->model->nbodies; i++)
        if (!rest->body[i].asleep || !rest->body[i].seen)
            return false;
    if (s->input == NULL)
        return true;
    bool use_diagonal;
    rg_world_refresh(w);
    return rg_stage_forces(s, w->state.t, s->implicit_damping ? s->h : 0.0, &use_diagonal) == RG_OK &&
           !rg_sleep_would_feel(s->sleep, rest, s->tau, s->any_wrench ? s->on_links : NULL);
}
