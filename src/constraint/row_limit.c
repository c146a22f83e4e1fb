/*
 * row_limit.c - joint limits: lower <= q <= upper.
 *
 * The gap g = q - lower (upper - q) is kept as that of a contact: what is farther than `near` may come up to
 * it at once, the rest follows by the share b a step, and so does what has gone too far, up to a largest velocity,
 *
 *   v >= -(b min(g, near) + max(g - near, 0)) / h      g >= 0
 *   v >= min(-b g / h, largest)                        g < 0    (correction.h)
 *
 * with v towards the inside and an impulse that only pushes inwards. Where velocity limits are kept, `largest` is no
 * more than that of the joint. A limit with a stiffness kp is a spring and damper that acts beyond it (004, eq. 12): b
 * = h kp / (h kp + kd), C = 1 / (h (h kp + kd)); its velocity has no bound, since a bound would change the force that
 * it carries at rest, and its energy is that of the spring, whatever h. Rows are made only near a limit; where limits
 * are located (RgBoundedAsk.located) only at it: then v >= 0, and what is beyond all the same comes back no faster than
 * in a time RETURN. Joints whose velocity is not the rate of their position (spherical, free) have no limits.
 */
#include "constraint/bounded_table.h"
#include "constraint/correction.h"

/* Within this of a limit (rad or m), and what two steps at the present rate add, its row is made: a joint
   would have to be struck to more than 50 rad/s to pass it within a step of a millisecond. */
#define REACH 0.05
#define STEPS_AHEAD 2.0

/* s: in which what is beyond a located limit comes back. */
#define RETURN 0.1

static int room(const RgBounded *b)
{
    return 2 * b->naxes;
}

/* rad/s or m/s: by which what is beyond a limit of an axis comes back at most. */
static double largest(const RgBounded *b, const RgAxisDef *axis)
{
    bool slower = b->velocity_limits && axis->velocity_limit > 0.0;
    return slower ? fmin(b->max_correction, axis->velocity_limit) : b->max_correction;
}

double rg_limit_velocity(const RgBounded *b, const RgBoundedAsk *ask, const RgAxisDef *axis, double g)
{
    double h = ask->h;
    bool located = ask->located > 0.0;
    if (g < 0.0)
        return rg_correcting_velocity(-g, located ? fmin(b->share, h / RETURN) : b->share, h, largest(b, axis));
    if (located)
        return g <= ask->located ? 0.0 : -g / h;
    return -(b->share * fmin(g, b->near) + fmax(g - b->near, 0.0)) / h;
}

double rg_limit_reach(const RgBoundedAsk *ask, double rate)
{
    return ask->located > 0.0 ? ask->located : REACH + STEPS_AHEAD * ask->h * fabs(rate);
}

/* One side of an axis: gap g, rate of g. */
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
