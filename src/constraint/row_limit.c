/*
 * row_limit.c - joint limits: lower <= q <= upper.
 *
 * The gap g = q - lower (upper - q) follows the law of a contact gap: the part of the gap beyond `near` may close in
 * one step, the rest by the share b per step; a violation is corrected by the same share, up to a largest velocity,
 *
 *   v >= -(b min(g, near) + max(g - near, 0)) / h      g >= 0
 *   v >= min(-b g / h, largest)                        g < 0    (correction.h)
 *
 * with v inwards and an impulse that only pushes inwards. If velocity limits are enforced, `largest` is at most that of
 * the joint. A limit with a stiffness kp is a spring and damper that acts beyond it (004, eq. 12): b = h kp / (h kp +
 * kd), C = 1 / (h (h kp + kd)); its velocity has no bound, since a bound would change its force at rest, and its energy
 * is that of the spring for any h. Rows are made only near a limit. If limits are located (RgBoundedAsk.located) rows
 * are made only at the limit: then v >= 0, and a violation is corrected no faster than with the time constant
 * RETURN_TIME. Joints whose velocity is not the rate of their position (spherical, free) have no limits.
 */
#include "constraint/bounded_table.h"
#include "constraint/correction.h"

/* A row is made if the distance from the limit is less than ROW_DISTANCE (rad or m) plus the motion of STEPS_AHEAD
   steps at the present rate: an impulse would have to accelerate the joint to more than 50 rad/s to pass it within a
   step of a millisecond. */
#define ROW_DISTANCE 0.05
#define STEPS_AHEAD 2.0

/* s: time constant in which a violation of a located limit is corrected */
#define RETURN_TIME 0.1

static int room(const RgBounded *b)
{
    return 2 * b->naxes;
}

/* rad/s or m/s: bound of the velocity that corrects a violation. */
static double max_correction_velocity(const RgBounded *b, const RgAxisDef *axis)
{
    bool slower = b->velocity_limits && axis->velocity_limit > 0.0;
    return slower ? fmin(b->max_correction, axis->velocity_limit) : b->max_correction;
}

double rg_limit_velocity(const RgBounded *b, const RgBoundedAsk *ask, const RgAxisDef *axis, double g)
{
    double h = ask->h;
    bool located = ask->located > 0.0;
    if (g < 0.0)
        return rg_correcting_velocity(-g, located ? fmin(b->share, h / RETURN_TIME) : b->share, h,
                                      max_correction_velocity(b, axis));
    if (located)
        return g <= ask->located ? 0.0 : -g / h;
    return -(b->share * fmin(g, b->near) + fmax(g - b->near, 0.0)) / h;
}

double rg_limit_reach(const RgBoundedAsk *ask, double rate)
{
    return ask->located > 0.0 ? ask->located : ROW_DISTANCE + STEPS_AHEAD * ask->h * fabs(rate);
}

/* Adds the row of one side of an axis, with gap g, if it is near; returns the number of rows. */
static int add_side(const RgBounded *b, const RgBoundedAsk *ask, int axis, double sign, double g, RgBoundedRow *out)
{
    double h = ask->h;
    const RgAxisDef *def = b->axes[axis].def;
    if (!(g <= (b->only_overlaps ? 0.0 : rg_limit_reach(ask, rg_axis_rate(b, axis)))))
        return 0;
    bool soft = def->limit_stiffness > 0.0 && def->limit_stiffness < INFINITY;
    double stiff = h * def->limit_stiffness + def->limit_damping;
    double share = g >= 0.0 ? 1.0 : h * def->limit_stiffness / stiff;
    rg_axis_row(b, axis, sign, out);
    out->target = soft ? -share * g / h : rg_limit_velocity(b, ask, def, g);
    out->compliance = soft ? 1.0 / (h * stiff) : b->cfm / h;
    out->low = 0.0;
    out->slot = 2 * axis + (sign < 0.0);
    out->row.error = g < 0.0 ? -g : 0.0;
    return 1;
}

static int add(const RgBounded *b, const RgBoundedAsk *ask, RgBoundedRow *out)
{
    int n = 0;
    for (int axis = 0; axis < b->naxes && b->position_limits; axis++) {
        const RgAxisDef *def = b->axes[axis].def;
        if (!b->axes[axis].plain || (def->lower == -INFINITY && def->upper == INFINITY))
            continue;
        double q = rg_axis_position(b, axis);
        n += add_side(b, ask, axis, 1.0, q - def->lower, out + n);
        n += add_side(b, ask, axis, -1.0, def->upper - q, out + n);
    }
    return n;
}

const RgBoundedKind rg_bounded_limit = {
    .name = "limit", .account = offsetof(RgSolverWork, rest), .room = room, .add = add};
