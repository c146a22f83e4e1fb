/*
 * control_feet.c - the feet of a controller and their gait: links by name, neutral positions, start.
 *
 * A foot's neutral position in the base's frame is as given, else that of the initial state; so is its first position,
 * if the gait has one. With `start` in the plan the joints of the legs are set to the gait's foot positions at t = 0.
 *
 * Fails on: links that do not exist, feet without a base, a start that a foot cannot reach.
 */
#include "io/error.h"
#include "io/options.h"
#include "run/controller_parts.h"

#include <math.h>
#include <string.h>

static RgStatus find_link(RgRun *run, const RgControllerParts *parts, const RgPlanName *name, RgLinkId *out,
                          RgError *error)
{
    *out = rg_model_find_link(run->model, rg_control_qualified(run, parts->plan, name->text));
    if (!out->i)
        *out = rg_model_find_link(run->model, name->text);
    if (out->i)
        return RG_OK;
    RgNearest nearest = rg_nearest_begin(name->text);
    for (int32_t i = 1; i <= rg_model_info(run->model).links; i++)
        rg_nearest_offer(&nearest, rg_model_link(run->model, (RgLinkId){i}).name);
    if (nearest.best)
        return rg_control_fail(run, name->at, error, "no link '%s'; did you mean '%s'?", name->text, nearest.best);
    return rg_control_fail(run, name->at, error, "no link '%s'; `rigor info %s` lists the names", name->text,
                           run->plan.from_stdin ? "FILE" : run->plan.path);
}

/* The base link: as given, else the only floating link. */
static RgStatus find_base(RgRun *run, const RgControllerParts *parts, RgLinkId *base, RgError *error)
{
    const RgPlanController *c = parts->plan;
    int floating = 0;
    if (c->base.text)
        return find_link(run, parts, &c->base, base, error);
    for (int32_t i = 1; i <= rg_model_info(run->model).links; i++) {
        RgLinkInfo link = rg_model_link(run->model, (RgLinkId){i});
        bool other = c->model && (!link.group || strcmp(link.group, c->model) != 0);
        if (!link.floats || other)
            continue;
        base->i = i;
        floating++;
    }
    if (floating == 1)
        return RG_OK;
    return rg_control_fail(run, c->at, error, "controller: %d links float: give the base of the feet as 'base'",
                           floating);
}

RgStatus rg_control_resolve_feet(RgRun *run, RgControllerParts *parts, RgError *error)
{
    const RgPlanController *c = parts->plan;
    RgLinkId base = {0};
    if (c->nfeet == 0)
        return RG_OK;
    RgStatus status = find_base(run, parts, &base, error);
    parts->feet = rg_pool_take(&run->plan.pool, (size_t)c->nfeet, sizeof *parts->feet);
    for (int i = 0; i < c->nfeet && status == RG_OK; i++) {
        parts->feet[i] = (RgFoot){.base = base, .point = c->feet[i].point};
        status = find_link(run, parts, &c->feet[i].link, &parts->feet[i].link, error);
    }
    return status;
}

/* Positions of the feet in the base's frame: as given, else the present ones. */
static RgStatus make_gait(RgRun *run, RgControllerParts *parts, RgDynamics *dynamics, RgError *error)
{
    RgPool *pool = &run->plan.pool;
    const RgPlanController *c = parts->plan;
    const RgPlanTrajectory *t = &c->trajectory;
    RgVec3 *neutral = rg_pool_take(pool, (size_t)c->nfeet, sizeof *neutral);
    RgVec3 *first = rg_pool_take(pool, (size_t)c->nfeet, sizeof *first);
    double *touchdown = rg_pool_take(pool, (size_t)c->nfeet, sizeof *touchdown);
    RgStatus status = rg_forward_kinematics(dynamics, rg_world_q(run->world), NULL);
    if (status != RG_OK)
        return rg_error_set(error, status, run->plan.path, "initial state: %s", rg_status_text(status));
    for (int i = 0; i < c->nfeet; i++) {
        RgPose X_WB = rg_link_pose(dynamics, parts->feet[i].base), X_WL = rg_link_pose(dynamics, parts->feet[i].link);
        RgPose X_BW = rg_pose_inverse(&X_WB), X_BL = rg_pose_mul(&X_BW, &X_WL);
        first[i] = rg_pose_apply(&X_BL, c->feet[i].point);
        neutral[i] = isnan(c->feet[i].neutral.x) ? first[i] : c->feet[i].neutral;
        touchdown[i] = c->feet[i].touchdown;
    }
    parts->gait = (RgGait){.period = t->period,
                           .duty = t->duty,
                           .lift = t->lift,
                           .velocity = {t->vx, t->vy, 0.0},
                           .yaw_rate = t->yaw_rate,
                           .nfeet = c->nfeet,
                           .neutral = neutral,
                           .touchdown = touchdown,
                           .first = t->from_start ? first : NULL};
    return RG_OK;
}

/* Unit vector against gravity, in the base's axes; z of the world without gravity. */
static RgVec3 up_of(const RgRun *run, const RgPose *X_WB)
{
    RgVec3 g = run->def.gravity;
    double size = sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
    RgVec3 up = size > 0.0 ? (RgVec3){-g.x / size, -g.y / size, -g.z / size} : (RgVec3){0.0, 0.0, 1.0};
    RgPose turn = *X_WB;
    turn.p = (RgVec3){0.0, 0.0, 0.0};
    turn = rg_pose_inverse(&turn);
    return rg_pose_apply(&turn, up);
}

/* Sets the joints of a gait by the start of its feet. The control itself refuses feet that no joint moves. */
static RgStatus start_gait(RgRun *run, const RgControllerParts *parts, RgDynamics *dynamics, RgError *error)
{
    RgPool *pool = &run->plan.pool;
    const RgPlanController *c = parts->plan;
    size_t n = (size_t)c->nfeet, nq = (size_t)rg_model_info(run->model).nq;
    RgVec3 *goal = rg_pool_take(pool, 2 * n, sizeof *goal);
    bool *stance = rg_pool_take(pool, n, sizeof *stance);
    double *q = rg_pool_take(pool, nq + 1, sizeof *q);
    RgPose X_WB = rg_link_pose(dynamics, parts->feet[0].base);
    rg_gait_at(&parts->gait, 0.0, up_of(run, &X_WB), goal, goal + n, stance);
    memcpy(q, rg_world_q(run->world), nq * sizeof *q);
    for (int i = 0; i < c->nfeet; i++)
        if (rg_foot_reach(dynamics, &parts->feet[i], goal[i], q) == RG_ERR_NOT_CONVERGED)
            return rg_control_fail(run, c->feet[i].link.at, error,
                                   "start: foot '%s' cannot reach the start of the gait", c->feet[i].link.text);
    RgStatus status = rg_world_set_state(run->world, q, rg_world_v(run->world));
    return status == RG_OK ? RG_OK : rg_control_fail(run, c->at, error, "start: %s", rg_status_text(status));
}

RgStatus rg_control_make_gaits(RgRun *run, RgError *error)
{
    struct RgRunControl *all = run->controllers;
    RgDynamics *dynamics = rg_dynamics_create(run->model, NULL);
    RgStatus status = dynamics ? RG_OK : rg_error_set(error, RG_ERR_MEMORY, NULL, "out of memory");
    for (int i = 0; i < all->count && status == RG_OK; i++) {
        RgControllerParts *parts = &all->parts[i];
        if (parts->trajectory || !parts->plan->trajectory.kind)
            continue;
        status = make_gait(run, parts, dynamics, error);
        if (status == RG_OK && run->plan.control.start)
            status = start_gait(run, parts, dynamics, error);
        all->defs[i].gait = &parts->gait;
    }
    rg_dynamics_destroy(dynamics);
    all->ready = status == RG_OK;
    return status;
}
