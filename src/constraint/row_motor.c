/*
 * row_motor.c - a motor: v = target with an effort of at most max_effort, which it gives where v cannot be reached.
 *
 * The target is a velocity as set, or, of a servo, the velocity that brings it to its position q*:
 *
 *   target = clip(min(k, 1/h) (q* - q), -v_max, v_max)
 *
 * so that the distance shrinks by exp(-k t) where neither bound is met, and no step, however long, aims beyond q*.
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
