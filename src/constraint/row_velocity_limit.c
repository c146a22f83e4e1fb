/*
 * row_velocity_limit.c - limits of joint velocities: |v| <= limit, by whatever effort that takes.
 *
 * Files give these limits of what a motor may be driven at, and many give 0 for lack of a number; so the rows
 * are made only where the world asks for them, and not for a limit of 0. A row is made once the joint has half
 * its limit, against the way it goes; what passes it from less within one step is slowed in the next.
 */
#include "constraint/bounded_table.h"

/* Part of its limit from which on a joint is watched. */
#define WATCHED 0.5

static int room(const RgBounded *b)
{
    return b->any_velocity_limit ? b->naxes : 0;
}

static int add(const RgBounded *b, const RgBoundedAsk *ask, RgBoundedRow *out)
{
    (void)ask;
    int n = 0;
    for (int axis = 0; axis < b->naxes && b->velocity_limits; axis++) {
        double limit = b->axes[axis].def->velocity_limit, rate = rg_axis_rate(b, axis);
        if (!(limit > 0.0 && limit < INFINITY && fabs(rate) >= WATCHED * limit))
            continue;
        rg_axis_row(b, axis, rate > 0.0 ? -1.0 : 1.0, &out[n]);
        out[n].target = -limit;
        out[n].low = 0.0;
        out[n++].slot = axis;
    }
    return n;
}

const RgBoundedKind rg_bounded_velocity_limit = {
    .name = "velocity limit", .account = offsetof(RgSolverWork, rest), .room = room, .add = add};
