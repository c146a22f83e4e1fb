/*
 * controller_hard.c - inverse-dynamics rows (002, section III): hard drives (sim.h, RgDrive), the limit of large gains.
 *
 *   v = e min(rate, 1/h) + (1 - min(rate h, 1)) v*       within the effort limit of the joint
 *
 * The target is the chord of the trajectory from the sample to the end of the hold: with infinite rate a step of that
 * length ends on the trajectory, and shorter steps move along the chord. With rate 0 only the velocity at the end of
 * the hold counts (the paper's P v+ = q'*). A velocity limit is passed to the drive, which limits its target velocity.
 *
 * An infinite rate means 1 / (a step of the world), or 1 / (time to the next sample) if that is shorter. Parts cut by
 * samples or delayed commands may be arbitrarily short; a distance over such a time would be an arbitrary velocity.
 *
 * At the effort limits a large rate drives at full effort up to the target and overshoots; a rate of about 10/s lets
 * the joint slow down near the target.
 */
#include "control/controller.h"

#include <math.h>

#define LIMIT_ROUNDING 1e-9 /* of a velocity limit: excess that counts as round-off */

/* The target velocity, without limit, of a step as long as the hold. */
static double target_velocity(const RgDrive *drive, const RgControlView *view, int k)
{
    double decay = fmin(drive->rate, 1.0 / view->h);
    return decay * (drive->position - view->position[k]) + (1.0 - decay * view->h) * drive->velocity;
}

static RgStatus hard_command(RgController *c, const RgControlView *view, RgJointCommand *out)
{
    double rate = isnan(c->rate) ? (double)INFINITY : c->rate;
    rate = fmin(rate, 1.0 / fmin(view->step, view->h));
    for (int k = 0; k < c->njoints; k++) {
        RgDrive drive = rg_drive_default();
        double limit = c->joints[k].limits.max_velocity;
        drive.hard = true;
        drive.rate = rate;
        drive.position = view->next[k].position;
        drive.velocity = (view->next[k].position - view->wanted[k].position) / view->h;
        if (!(rate > 0.0))
            drive.velocity = view->next[k].velocity;
        drive.time = view->t + view->h;
        drive.max_velocity = isfinite(limit) ? limit : 0.0;
        out[k] = (RgJointCommand){.drives = true,
                                  .slowed = fabs(target_velocity(&drive, view, k)) > limit * (1.0 + LIMIT_ROUNDING),
                                  .drive = drive};
    }
    return RG_OK;
}

const RgControllerKind rg_controller_hard = {.name = "hard",
                                             .summary = "inverse-dynamics rows inside the solve (hard drives)",
                                             .uses =
                                                 RG_USES_REFERENCE | RG_USES_RATE | RG_USES_DRIVES | RG_USES_VELOCITY,
                                             .command = hard_command};
