/*
 * row_motor.c - a motor: v = target with an effort of at most max_effort; it saturates if v cannot be reached.
 *
 * The target is the velocity that was set or, for a servo, the velocity towards its position q*:
 *
 *   target = clip(min(k, 1/h) (q* - q), -v_max, v_max)
 *
 * so that the distance decreases as exp(-k t) if neither bound is active, and no step, however long, overshoots q*.
 */
#include "constraint/bounded_table.h"

static int room(const RgBounded *b)
{
    return b->naxes;
}

static int add(const RgBounded *b, const RgBoundedAsk *ask, RgBoundedRow *out)
{
    int n = 0;
    for (int axis = 0; axis < b->naxes; axis++) {
        const RgMotor *motor = &b->motors[axis];
        if (!motor->on)
            continue;
        rg_axis_row(b, axis, 1.0, &out[n]);
        out[n].target = rg_motor_target(motor, b->axes[axis].plain ? rg_axis_position(b, axis) : 0.0, ask->h);
        out[n].low = -ask->h * motor->max_effort;
        out[n].high = ask->h * motor->max_effort;
        out[n++].slot = axis;
    }
    return n;
}

const RgBoundedKind rg_bounded_motor = {
    .name = "motor", .account = offsetof(RgSolverWork, motors), .room = room, .add = add};
