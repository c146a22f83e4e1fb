/*
 * row_velocity_limit.c - limits of joint velocities: |v| <= limit, with unbounded effort.
 *
 * In model files these limits are usually the maximum speeds of motors, and many files write 0 for an unknown value; so
 * rows are made only if the world enables them, and not for a limit of 0. A row is made once the rate exceeds half the
 * limit, against the direction of motion; a joint that passes the limit from a lower rate within one step is slowed in
 * the next step.
 */
#include "constraint/bounded_table.h"

/* Part of the limit from which on a row is made. A smaller part makes more rows, a larger one lets more joints pass the
   limit for one step. */
#define ROW_FRACTION 0.5

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
        if (!(limit > 0.0 && limit < INFINITY && fabs(rate) >= ROW_FRACTION * limit))
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
