/*
 * world_motors.c - motors and servos of joints: setting them, and their efforts in the last step.
 *
 * A motor's impulse is part of the remembered rows of the state, so a restored world reports the same effort; a world
 * whose state was set from outside has no such impulses.
 */
#include "constraint/bounded_table.h"
#include "sim/world_internal.h"

/* Relative distance from the largest effort below which a motor counts as saturated: round-off. */
#define SATURATION_SLACK 1e-9

int rg_world_find_axis(const RgWorld *w, RgJointId joint, int dof)
{
    if (joint.i <= 0 || joint.i > w->model->njoints || w->scope.contact == NULL)
        return -1;
    return rg_axis_find(w->scope.contact->setup.bounded, joint.i - 1, dof);
}

void rg_world_wake_joint(RgWorld *w, RgJointId joint)
{
    const RgJointDef *def = &w->model->joints[joint.i - 1].def;
    if (def->child.i > 0)
        rg_world_wake_body(w, w->model->links[def->child.i - 1].body);
    if (def->parent.i > 0)
        rg_world_wake_body(w, w->model->links[def->parent.i - 1].body);
}

void rg_world_drop_motor(RgWorld *w, RgJointId joint, int axis)
{
    RgMotor *motor = &w->scope.contact->setup.bounded->motors[axis];
    if (motor->on)
        rg_world_wake_joint(w, joint);
    *motor = (RgMotor){.on = false};
}

static bool same_motor(const RgMotor *a, const RgMotor *b)
{
    return a->on == b->on && a->servo == b->servo && a->velocity == b->velocity && a->max_effort == b->max_effort &&
           a->position == b->position && a->rate == b->rate;
}

/* Replaces a motor; wakes the driven bodies if it differs. */
static void replace_motor(RgWorld *w, RgJointId joint, int axis, RgMotor now)
{
    RgMotor *motor = &w->scope.contact->setup.bounded->motors[axis];
    if (!same_motor(motor, &now))
        rg_world_wake_joint(w, joint);
    *motor = now;
    rg_world_drop_drive(w, joint, axis);
}

RgStatus rg_world_set_joint_motor(RgWorld *w, RgJointId joint, int dof, double velocity, double max_effort)
{
    int axis = rg_world_find_axis(w, joint, dof);
    if (axis < 0)
        return RG_ERR_NOT_FOUND;
    if (!isfinite(velocity) || isnan(max_effort))
        return RG_ERR_NOT_FINITE;
    if (max_effort < 0.0)
        return RG_ERR_ARGUMENT;
    replace_motor(w, joint, axis, (RgMotor){.on = max_effort > 0.0, .velocity = velocity, .max_effort = max_effort});
    return RG_OK;
}

RgStatus rg_world_set_joint_servo(RgWorld *w, RgJointId joint, int dof, const RgServo *servo)
{
    int axis = rg_world_find_axis(w, joint, dof);
    if (axis < 0)
        return RG_ERR_NOT_FOUND;
    if (!w->scope.contact->setup.bounded->axes[axis].plain)
        return RG_ERR_UNSUPPORTED;
    if (!isfinite(servo->position) || !isfinite(servo->rate) || isnan(servo->max_velocity) || isnan(servo->max_effort))
        return RG_ERR_NOT_FINITE;
    if (!(servo->rate > 0.0) || !(servo->max_velocity > 0.0) || servo->max_effort < 0.0)
        return RG_ERR_ARGUMENT;
    replace_motor(w, joint, axis,
                  (RgMotor){.on = servo->max_effort > 0.0,
                            .servo = true,
                            .velocity = servo->max_velocity,
                            .max_effort = servo->max_effort,
                            .position = servo->position,
                            .rate = servo->rate});
    return RG_OK;
}

RgStatus rg_world_joint_motor(RgWorld *w, RgJointId joint, int dof, RgMotorReport *out)
{
    *out = (RgMotorReport){.on = false};
    int axis = rg_world_find_axis(w, joint, dof);
    if (axis < 0)
        return RG_ERR_NOT_FOUND;
    const RgBounded *bounded = w->scope.contact->setup.bounded;
    const RgMotor *motor = &bounded->motors[axis];
    const RgContactMemory *memory = &w->state.memory;
    if (!motor->on)
        return RG_OK;
    double q[7] = {0.0}; /* maximum of all joint kinds */
    if (motor->servo)
        rg_world_joint_position(w, joint, q);
    *out = (RgMotorReport){.on = true,
                           .velocity = rg_motor_target(motor, q[dof], 0.0),
                           .max_effort = motor->max_effort,
                           .is_servo = motor->servo,
                           .position = motor->position};

    /* Mean effort of the last step, if its impulse is in the memory. */
    int slot = rg_bounded_first_slot(bounded, RG_BOUNDED_motor) + axis;
    if (memory->h > 0.0)
        out->effort = rg_contact_slot_impulse(w->scope.contact, memory, slot) / memory->h;
    out->saturated = fabs(out->effort) >= (1.0 - SATURATION_SLACK) * motor->max_effort;
    return RG_OK;
}
