/*
 * world_motors.c - motors of joints: set, and what they gave in the last step.
 *
 * A motor's impulse is part of the remembered rows of the state, so that a restored world gives the same
 * answer; a world whose state was set from outside remembers none.
 */
#include "constraint/bounded_table.h"
#include "sim/world_internal.h"

/* Part of the largest effort that round-off may be short of it. */
#define SATURATION_SLACK 1e-9

/* Number of the axis that is velocity dof of a joint; -1: none. */
static int find_axis(const RgWorld *w, RgJointId joint, int dof)
{
    if (joint.i <= 0 || joint.i > w->model->njoints || w->scope.contact == NULL)
        return -1;
    return rg_axis_find(w->scope.contact->bounded, joint.i - 1, dof);
}

RgStatus rg_world_set_joint_motor(RgWorld *w, RgJointId joint, int dof, double velocity, double max_effort)
{
    int axis = find_axis(w, joint, dof);
    if (axis < 0)
        return RG_ERR_NOT_FOUND;
    if (!isfinite(velocity) || isnan(max_effort))
        return RG_ERR_NOT_FINITE;
    if (max_effort < 0.0)
        return RG_ERR_ARGUMENT;
    w->scope.contact->bounded->motors[axis] = (RgMotor){max_effort > 0.0, velocity, max_effort};
    return RG_OK;
}

RgStatus rg_world_joint_motor(RgWorld *w, RgJointId joint, int dof, RgMotorReport *out)
{
    *out = (RgMotorReport){.on = false};
    int axis = find_axis(w, joint, dof);
    if (axis < 0)
        return RG_ERR_NOT_FOUND;
    const RgBounded *bounded = w->scope.contact->bounded;
    const RgMotor *motor = &bounded->motors[axis];
    const RgContactMemory *memory = &w->state.memory;
    if (!motor->on)
        return RG_OK;
    *out = (RgMotorReport){.on = true, .velocity = motor->velocity, .max_effort = motor->max_effort};

    /* Mean effort of the last step, where it is remembered. */
    int slot = rg_bounded_first_slot(bounded, RG_BOUNDED_motor) + axis;
    if (slot < memory->nrows && memory->h > 0.0)
        out->effort = memory->rows[slot] / memory->h;
    out->saturated = fabs(out->effort) >= (1.0 - SATURATION_SLACK) * motor->max_effort;
    return RG_OK;
}
