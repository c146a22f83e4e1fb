/*
 * row_drive.c - a drive: a joint's target within the step's problem, beside contacts, limits and loops (002, section
 * III).
 *
 * Wanted over a step of length h from (t, q) on, with q* = position + velocity (t + h - time) and e = q* - q:
 *
 *   soft   the effort kp (q* - q - h v) + kd (velocity - v) + feed of the step's end, v being the joint's rate then:
 *            v + C z = (kp e + kd velocity + feed) / (kd + h kp),     C = 1 / (h (kd + h kp)),   z = h effort
 *   hard   its limit for large gains with kp / kd = rate: v = r e + (1 - r h) velocity,  r = min(rate, 1 / span),
 *          no faster than max_velocity
 *
 * and |z| <= h max_effort (less by what is lost in that direction), w = v + C z - target with w against z at a bound.
 * That is the law of dry friction about the target: the subgradient of a convex function of v, so that the problem
 * stays the convex one that it was, and for a finite max_effort has a solution where 002's mixed complementarity
 * problem may have none. Of hard drives of any effort see GIVE below.
 *
 * The span is the time within which a hard drive of boundless rate arrives: the step that was asked for. Inner steps of
 * steppers that locate are shorter, those of an impact have no length at all: a distance over such a time would be any
 * speed.
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

/* Hard drives of any effort may contradict the loops and couplings that they are in, and then no impulses meet both.
   There they give way by this part of their response, so that impulses have a bound: next to nothing where all
   agree. */
#define GIVE 1e-6

static double give_of(const RgBounded *b, const RgDrive *drive)
{
    const RgModel *m = b->form->model;
    bool may_contradict = drive->hard && drive->max_effort == (double)INFINITY && m->nloops + m->ncouplings > 0;
    return may_contradict ? GIVE : 0.0;
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
        out[n].give = give_of(b, drive);
        out[n].low = -ask->h * (drive->max_effort - drive->lost_backward);
        out[n].high = ask->h * (drive->max_effort - drive->lost_forward);
        out[n++].slot = axis;
    }
    return n;
}

const RgBoundedKind rg_bounded_drive = {
    .name = "drive", .account = offsetof(RgSolverWork, motors), .room = room, .add = add};
