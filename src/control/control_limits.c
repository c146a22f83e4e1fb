/*
 * control_limits.c - effort limits of a motor.
 *
 *   |tau|
 *    max_effort ------------.             in the direction of motion; against it (braking) always max_effort
 *                            \
 *                             \
 *    0 ------------------------+---- |v|
 *                   base_velocity  max_velocity
 *
 * The constant part is limited by the current of the winding, the falling part by the supply voltage minus the motor's
 * back EMF (the straight line of a DC motor). Limits are resolved: infinite if there is none; base_velocity NaN: no
 * speed dependence.
 */
#include "control/controller.h"

#include <math.h>

/* Part of max_effort that is available at this speed in the direction of motion. */
static double available_fraction(const RgMotorLimits *limits, double speed)
{
    if (isnan(limits->base_velocity) || speed <= limits->base_velocity)
        return 1.0;
    if (speed >= limits->max_velocity)
        return 0.0;
    return (limits->max_velocity - speed) / (limits->max_velocity - limits->base_velocity);
}

RgEffortRange rg_motor_range(const RgMotorLimits *limits, double velocity)
{
    RgEffortRange range = {-limits->max_effort, limits->max_effort};
    if (isinf(limits->max_effort))
        return range;
    double along = limits->max_effort * available_fraction(limits, fabs(velocity));
    if (velocity > 0.0)
        range.high = along;
    else
        range.low = velocity < 0.0 ? -along : range.low;
    return range;
}

double rg_motor_clip(const RgMotorLimits *limits, double velocity, double effort)
{
    RgEffortRange range = rg_motor_range(limits, velocity);
    return effort > range.high ? range.high : effort < range.low ? range.low : effort;
}
