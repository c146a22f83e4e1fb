/*
 * world_drives.c - drives of joints: setting them, their efforts in the last step, and the shortfalls of the step.
 *
 * A drive is an input, like a motor: it is not part of the state. Its impulse is, so a restored world starts from the
 * same guess and reports the same effort.
 */
#include "constraint/bounded_table.h"
#include "sim/world_internal.h"
#include "stepper/shortfall.h"

RgDrive rg_drive_default(void)
{
    return (RgDrive){.kp = 100.0, .kd = 10.0, .max_effort = (double)INFINITY};
}

static bool same_drive(const RgDrive *a, const RgDrive *b)
{
    return a->hard == b->hard && a->position == b->position && a->velocity == b->velocity && a->time == b->time &&
           a->kp == b->kp && a->kd == b->kd && a->feed == b->feed && a->rate == b->rate &&
           a->max_effort == b->max_effort && a->lost_forward == b->lost_forward &&
           a->lost_backward == b->lost_backward && a->max_velocity == b->max_velocity;
}

static void replace_drive(RgWorld *w, RgJointId joint, int axis, const RgDrive *now)
{
    RgBounded *b = w->scope.contact->setup.bounded;
    RgDrive *drive = &b->drives[axis];
    if (!same_drive(drive, now))
        rg_world_wake_joint(w, joint);
    b->ndrives += (now->max_effort > 0.0) - (drive->max_effort > 0.0);
    *drive = *now;
}

void rg_world_drop_drive(RgWorld *w, RgJointId joint, int axis)
{
    replace_drive(w, joint, axis, &(RgDrive){.max_effort = 0.0});
}

/* Checks that all numbers are finite where required and have the right sign. Parameters of the other kind of drive are
   not used, but must be numbers. */
static RgStatus check_drive(const RgDrive *d)
{
    if (!isfinite(d->position) || !isfinite(d->velocity) || !isfinite(d->time) || !isfinite(d->kp) ||
        !isfinite(d->kd) || !isfinite(d->feed) || isnan(d->rate) || isnan(d->max_effort))
        return RG_ERR_NOT_FINITE;
    if (!isfinite(d->lost_forward) || !isfinite(d->lost_backward) || isnan(d->max_velocity))
        return RG_ERR_NOT_FINITE;
    bool lost = d->lost_forward >= 0.0 && d->lost_forward <= d->max_effort && d->lost_backward >= 0.0 &&
                d->lost_backward <= d->max_effort;
    bool good =
        lost && d->max_velocity >= 0.0 && d->kp >= 0.0 && d->kd >= 0.0 && d->rate >= 0.0 && d->max_effort >= 0.0;
    return good && (d->hard || d->kp + d->kd > 0.0) ? RG_OK : RG_ERR_ARGUMENT;
}

RgStatus rg_world_set_joint_drive(RgWorld *w, RgJointId joint, int dof, const RgDrive *drive)
{
    int axis = rg_world_find_axis(w, joint, dof);
    if (axis < 0)
        return RG_ERR_NOT_FOUND;
    RgStatus status = check_drive(drive);
    if (status != RG_OK)
        return status;
    bool has_position_target = drive->hard ? drive->rate > 0.0 : drive->kp > 0.0;
    if (has_position_target && !w->scope.contact->setup.bounded->axes[axis].plain)
        return RG_ERR_UNSUPPORTED;
    rg_world_drop_motor(w, joint, axis);
    replace_drive(w, joint, axis, drive->max_effort > 0.0 ? drive : &(RgDrive){.max_effort = 0.0});
    return RG_OK;
}

RgStatus rg_world_drive_effort(const RgWorld *w, RgJointId joint, int dof, RgDriveReport *out)
{
    *out = (RgDriveReport){.on = false};
    int axis = rg_world_find_axis(w, joint, dof);
    if (axis < 0)
        return RG_ERR_NOT_FOUND;
    const RgBounded *bounded = w->scope.contact->setup.bounded;
    const RgDrive *drive = &bounded->drives[axis];
    const RgContactMemory *memory = &w->state.memory;
    if (!(drive->max_effort > 0.0))
        return RG_OK;
    *out = (RgDriveReport){.on = true, .drive = *drive};

    /* Mean effort of the last step, if its impulse is in the memory. */
    int slot = rg_bounded_first_slot(bounded, RG_BOUNDED_drive) + axis;
    if (memory->h > 0.0)
        out->effort = rg_contact_slot_impulse(w->scope.contact, memory, slot) / memory->h;
    double lost = out->effort < 0.0 ? drive->lost_backward : drive->lost_forward;
    out->saturated = fabs(out->effort) >= (1.0 - RG_AT_BOUND) * (drive->max_effort - lost);
    return RG_OK;
}

RgStatus rg_world_joint_drive(RgWorld *w, RgJointId joint, int dof, RgDriveReport *out)
{
    RgStatus status = rg_world_drive_effort(w, joint, dof, out);
    if (status != RG_OK || !out->on)
        return status;

    /* Errors of position and velocity against the target at the present time. */
    const RgDrive *drive = &out->drive;
    int axis = rg_world_find_axis(w, joint, dof);
    double q[7] = {0.0}, v[6] = {0.0}; /* maximum of all joint kinds */
    rg_world_joint_position(w, joint, q);
    rg_world_joint_rate(w, joint, v);
    out->velocity_error = drive->velocity - v[dof];
    if (w->scope.contact->setup.bounded->axes[axis].plain)
        out->position_error = drive->position + drive->velocity * (w->state.t - drive->time) - q[dof];
    return RG_OK;
}

/* ------------------------------------------------------------------ shortfalls */

/* Adds the shortfalls of contacts to the log and sorts it, once per step. */
static void complete_shortfalls(RgWorld *w)
{
    if (w->shortfalls_complete)
        return;
    w->shortfalls_complete = true;
    if (!w->stepper->locates)
        rg_shortfall_contacts(&w->scope);
    rg_shortfall_merge(&w->log);
}

void rg_world_find_shortfalls(RgWorld *w)
{
    RgStepReport *report = w->scope.report;
    w->shortfalls_complete = false;
    if (!w->stepper->locates)
        rg_shortfall_rows(&w->scope, w->next.u);
    if (!w->scope.call.account || w->scope.contact == NULL || w->scope.contact->setup.bounded->ndrives == 0)
        return;
    complete_shortfalls(w);
    for (int i = 0; i < w->log.nshortfalls; i++) {
        const RgShortfall *gave = &w->log.gave[i];
        report->missed_targets += gave->kind == RG_SHORTFALL_TARGET;
        report->saturated_efforts += gave->kind == RG_SHORTFALL_EFFORT;
        report->slipping_pairs += gave->kind == RG_SHORTFALL_FRICTION;
        if (gave->kind == RG_SHORTFALL_TARGET)
            report->worst_target = fmax(report->worst_target, gave->amount);
    }
}

int rg_world_shortfalls(RgWorld *w, const RgShortfall **out)
{
    complete_shortfalls(w);
    *out = w->log.gave;
    return w->log.nshortfalls;
}
