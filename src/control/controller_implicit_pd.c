/*
 * controller_implicit_pd.c - joint PD as part of the step's problem: a soft drive (sim.h, RgDrive), stable for any
 * gains.
 *
 *   effort at the end of a step = kp (q* - q) + kd (v* - v) + feed,   feed = gravity compensation at the sample, or 0
 *
 * If the hold is one step of the world, the target line q* + v* (t' - time) is tangent to the trajectory at the end of
 * the hold, t + h. Over several steps it is the chord of the trajectory over the hold, so that the lines of consecutive
 * samples meet. With a velocity limit the line follows a position r that starts at the joint's position and moves
 * towards q* by at most max_velocity h per sample.
 *
 * Memory: r of every joint, then 1 once they are set.
 */
#include "control/controller.h"

#include <math.h>

static int implicit_memory(const RgController *c)
{
    return c->njoints + 1;
}

/* The rate-limited reference at the end of the hold. */
static RgReference limit_speed(const RgControlJoint *joint, double from, double h, RgReference wanted)
{
    double limit = joint->limits.max_velocity, reach = limit * h;
    if (isinf(limit))
        return wanted;
    if (fabs(wanted.position - from) <= reach) {
        wanted.velocity = fmin(fmax(wanted.velocity, -limit), limit);
        return wanted;
    }
    double direction = wanted.position > from ? 1.0 : -1.0;
    return (RgReference){.position = from + direction * reach, .velocity = direction * limit};
}

static RgStatus implicit_command(RgController *c, const RgControlView *view, RgJointCommand *out)
{
    const double *gravity;
    RgStatus status = rg_gravity_feed(c, view, &gravity);
    if (status != RG_OK)
        return status;
    double *r = c->memory, *set = &c->memory[c->njoints];
    for (int k = 0; k < c->njoints; k++) {
        const RgControlJoint *joint = &c->joints[k];
        double from = *set > 0.0 ? r[k] : view->position[k];
        RgReference wanted = view->next[k];
        if (!view->one_step)
            wanted.velocity = (view->next[k].position - view->wanted[k].position) / view->h;
        RgReference free = wanted;
        wanted = limit_speed(joint, from, view->h, wanted);
        r[k] = wanted.position;
        RgDrive drive = rg_drive_default();
        drive.position = wanted.position;
        drive.velocity = wanted.velocity;
        drive.time = view->t + view->h;
        drive.kp = joint->kp;
        drive.kd = joint->kd;
        if (gravity != NULL && c->dofs[k] >= 0)
            drive.feed = gravity[c->dofs[k]];
        bool slowed = wanted.position != free.position || wanted.velocity != free.velocity;
        out[k] = (RgJointCommand){.drives = true, .slowed = slowed, .drive = drive};
    }
    *set = 1.0;
    return RG_OK;
}

const RgControllerKind rg_controller_implicit_pd = {
    .name = "implicit-pd",
    .summary = "joint PD inside the solve (soft drives), stable for any gains",
    .uses = RG_USES_KP | RG_USES_KD | RG_USES_REFERENCE | RG_USES_GRAVITY | RG_USES_DRIVES | RG_USES_VELOCITY,
    .memory = implicit_memory,
    .prepare = rg_gravity_prepare,
    .command = implicit_command};
