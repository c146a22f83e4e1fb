/*
 * row_drive.c - a drive: a joint's target within the step's problem, beside contacts, limits and loops (002, section
 * III).
 *
 * For a step of length h from (t, q), with q* = position + velocity (t + h - time) and e = q* - q:
 *
 *   soft   the effort kp (q* - q - h v) + kd (velocity - v) + feed at the end of the step, v the joint rate there:
 *            v + C z = (kp e + kd velocity + feed) / (kd + h kp),     C = 1 / (h (kd + h kp)),   z = h effort
 *   hard   the limit for large gains with kp / kd = rate: v = r e + (1 - r h) velocity,  r = min(rate, 1 / span),
 *          at most max_velocity
 *
 * and |z| <= h max_effort (minus the loss in that direction), w = v + C z - target with w against z at a bound. This is
 * the law of dry friction about the target: the subgradient of a convex function of v. So the problem stays convex, and
 * has a solution for finite max_effort, whereas 002's mixed complementarity problem may have none. Hard drives of
 * unbounded effort: see CONFLICT_COMPLIANCE below.
 *
 * The span is the time in which a hard drive of unbounded rate reaches its target: the outer step. Inner steps of
 * steppers that locate events are shorter and have zero length at an impact; a distance divided by such a time would be
 * an arbitrary velocity.
 */
#include "constraint/bounded_table.h"

RgDriveLaw rg_drive_law(const RgDrive *drive, const RgBoundedAsk *ask, double q)
{
    double h = ask->h;
    double e = drive->position + drive->velocity * (ask->t + h - drive->time) - q;
    if (drive->hard) {
        double r = fmin(drive->rate, 1.0 / fmax(ask->span, h));
        double target = r > 0.0 ? r * e + (1.0 - r * h) * drive->velocity : drive->velocity;
        if (drive->max_velocity > 0.0)
            target = fmax(-drive->max_velocity, fmin(target, drive->max_velocity));
        return (RgDriveLaw){.target = target};
    }
    double stiff = drive->kd + h * drive->kp, spring = drive->kp > 0.0 ? drive->kp * e : 0.0;
    return (RgDriveLaw){.target = (spring + drive->kd * drive->velocity + drive->feed) / stiff,
                        .compliance = 1.0 / (h * stiff)};
}

/* Hard drives of unbounded effort may contradict the loops and couplings that they belong to; then no impulses satisfy
   both. Such drives get this part of their response as compliance, which bounds the impulses; if there is no
   contradiction its effect is negligible. */
#define CONFLICT_COMPLIANCE 1e-6

static double conflict_compliance(const RgBounded *b, const RgDrive *drive)
{
    const RgModel *m = b->form->model;
    bool may_contradict = drive->hard && drive->max_effort == (double)INFINITY && m->nloops + m->ncouplings > 0;
    return may_contradict ? CONFLICT_COMPLIANCE : 0.0;
}

static int room(const RgBounded *b)
{
    return b->naxes;
}

static int add(const RgBounded *b, const RgBoundedAsk *ask, RgBoundedRow *out)
{
    int n = 0;
    for (int axis = 0; axis < b->naxes && b->ndrives > 0; axis++) {
        const RgDrive *drive = &b->drives[axis];
        if (!(drive->max_effort > 0.0))
            continue;
        double q = b->axes[axis].plain ? rg_axis_position(b, axis) : 0.0;
        RgDriveLaw law = rg_drive_law(drive, ask, q);
        rg_axis_row(b, axis, 1.0, &out[n]);
        out[n].target = law.target;
        out[n].compliance = law.compliance;
        out[n].give = conflict_compliance(b, drive);
        out[n].low = -ask->h * (drive->max_effort - drive->lost_backward);
        out[n].high = ask->h * (drive->max_effort - drive->lost_forward);
        out[n++].slot = axis;
    }
    return n;
}

const RgBoundedKind rg_bounded_drive = {
    .name = "drive", .account = offsetof(RgSolverWork, motors), .room = room, .add = add};
