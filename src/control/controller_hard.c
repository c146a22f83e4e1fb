/*
 * controller_hard.c - inverse-dynamics rows (002, section III): hard drives (sim.h, RgDrive), the limit of large gains.
 *
 *   v = e min(rate, 1/h) + (1 - min(rate h, 1)) v*       with as much effort as the joint may give
 *
 * The wanted line goes from where the trajectory is at the sample to where it is when the hold ends: with rate inf a
 * step of that length ends on the trajectory, and steps that are shorter move along the chord. With rate 0 only
 * velocity counts, that of the hold's end (the paper's P v+ = q'*). A speed limit is the drive's own: what it aims at
 * is no faster.
 *
 * Boundless means within a step of the world, or to the next sample if that comes sooner. Parts that samples or delayed
 * commands cut off a step may be as short as they like: a distance over such a time would be any speed.
 *
 * Where effort limits are met, a large rate drives at full effort up to the target and past it; a rate of some 10/s
 * lets the joint slow down as it comes near.
 */
#include "control/controller.h"

#include <math.h>

/* Part of a speed limit that is round-off. */
#define ROUNDING 1e-9

/* The velocity that a step as long as the hold would aim at, were there no limit. */
static double aim(const RgDrive *drive, const RgControlView *view, int k)
{
    double pace = fmin(drive->rate, 1.0 / view->h);
    return pace * (drive->position - view->position[k]) + (1.0 - pace * view->h) * drive->velocity;
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
        out[k] = (RgJointCommand){
            .drives = true, .slowed = fabs(aim(&drive, view, k)) > limit * (1.0 + ROUNDING), .drive = drive};
    }
    return RG_OK;
}

const RgControllerKind rg_controller_hard = {.name = "hard",
                                             .summary = "inverse-dynamics rows inside the solve (hard drives)",
                                             .uses =
                                                 RG_USES_REFERENCE | RG_USES_RATE | RG_USES_DRIVES | RG_USES_VELOCITY,
                                             .command = hard_command};
