/*
 * controller_hard.c - inverse-dynamics rows (002, section III): hard drives (sim.h, RgDrive), the limit of large gains.
 *
 *   v = e min(rate, 1/h) + (1 - min(rate h, 1)) v*       with as much effort as the joint may give
 *
 * The wanted line touches the trajectory where the hold ends, at t + h: with rate inf a step of that length ends on the
 * trajectory, with rate 0 it ends at its velocity (the paper's P v+ = q'*). Where the way to go from the joint's present
 * position needs more than its speed limit, the line starts at that position with the limit as its slope.
 */
#include "control/controller.h"

#include <math.h>

/* The line as the speed limit allows it from position q on. */
static RgReference limit_speed(double limit, double rate, double q, double h, RgReference wanted)
{
    if (isinf(limit))
        return wanted;
    double pace = fmin(rate, 1.0 / h);
    double speed = (wanted.position - q) * pace + (1.0 - pace * h) * wanted.velocity;
    if (fabs(speed) > limit) {
        double allowed = speed > 0.0 ? limit : -limit;
        return (RgReference){.position = q + allowed * h, .velocity = allowed};
    }
    wanted.velocity = fmin(fmax(wanted.velocity, -limit), limit);
    return wanted;
}

static RgStatus hard_command(RgController *c, const RgControlView *view, RgJointCommand *out)
{
    double rate = isnan(c->rate) ? INFINITY : c->rate;
    for (int k = 0; k < c->njoints; k++) {
        RgReference wanted =
            limit_speed(c->joints[k].limits.max_velocity, rate, view->position[k], view->h, view->next[k]);
        RgDrive drive = rg_drive_default();
        drive.hard = true;
        drive.position = wanted.position;
        drive.velocity = wanted.velocity;
        drive.time = view->t + view->h;
        drive.rate = rate;
        out[k] = (RgJointCommand){.drives = true, .drive = drive};
    }
    return RG_OK;
}

const RgControllerKind rg_controller_hard = {.name = "hard",
                                             .summary =
                                                 "inverse-dynamics rows inside the solve (hard drives)",
                                             .uses = RG_USES_REFERENCE | RG_USES_RATE | RG_USES_DRIVES,
                                             .command = hard_command};
