/*
 * message_joint_states.c - /joint_states and /rigor/joint_targets, as sensor_msgs/JointState.
 *
 *   header | name[] | position[] | velocity[] | effort[]
 *
 * States: all velocities of joints whose positions are the integrals of their velocities (all kinds except spherical
 * and free). effort: the input effort in the last step plus the mean effort over the step of its motor, servo or drive.
 *
 * Targets: the joints with a target of velocity or position; NaN: no target.
 *
 *   position   of the controller; else of the drive or servo; else of the coupling (mimic, gear): ratio q_reference +
 *              offset; else the rest position of the joint's spring; empty if no joint has one
 *   velocity   of the controller, drive, motor or servo
 *   effort     largest effort of the controller, drive, motor or servo
 */
#include "record/cdr.h"
#include "record/message_table.h"

#include <rigor/control.h>

#include <math.h>

static double applied_effort(RgWorld *world, const RgJointColumn *column)
{
    RgMotorReport motor;
    RgDriveReport report;
    double effort = rg_world_input_effort(world)[column->v_index];
    if (rg_world_joint_motor(world, column->joint, column->dof, &motor) == RG_OK && motor.on)
        effort += motor.effort;
    else if (rg_world_joint_drive(world, column->joint, column->dof, &report) == RG_OK && report.on)
        effort += report.effort;
    return effort;
}

static RgStatus encode_states(RgMessages *m, RgWorld *world, uint64_t time, RgBuffer *out)
{
    int n = m->ncolumns;
    double *position = m->values, *velocity = position + n, *effort = velocity + n;
    for (int i = 0; i < n; i++) {
        const RgJointColumn *column = &m->columns[i];
        m->names[i] = column->name;
        position[i] = rg_world_q(world)[column->q_index];
        velocity[i] = rg_world_v(world)[column->v_index];
        effort[i] = applied_effort(world, column);
    }
    rg_cdr_begin(out);
    rg_cdr_header(out, time, "");
    rg_cdr_text_list(out, m->names, n);
    rg_cdr_f64_list(out, position, n);
    rg_cdr_f64_list(out, velocity, n);
    rg_cdr_f64_list(out, effort, n);
    return RG_OK;
}

/* Targets of a joint; NaN: none. */
typedef struct Target {
    bool on; /* it has a controller, drive, motor or servo */
    double position, velocity, effort;
} Target;

/* Target position of a coupling or a spring. NaN: none. */
static double passive_target(const RgMessages *m, RgWorld *world, const RgJointColumn *column)
{
    const RgAxisDef *axis = &rg_model_joint(m->model, column->joint).dof[column->dof];
    if (column->coupling >= 0) {
        RgCouplingDef coupling = rg_model_coupling(m->model, column->coupling);
        double q[7] = {0.0}; /* the largest nq of a joint */
        bool known = rg_world_joint_position(world, coupling.reference, q) == RG_OK;
        return known ? coupling.ratio * q[coupling.reference_dof] + coupling.offset : NAN;
    }
    return axis->stiffness > 0.0 ? axis->rest : NAN;
}

/* The first of: controller, drive, motor or servo, coupling, spring. */
static Target target_of(const RgMessages *m, RgWorld *world, const RgJointColumn *column)
{
    RgMotorReport motor = {.on = false};
    RgDriveReport drive = {.on = false};
    if (column->control >= 0) {
        RgJointTracking joint = rg_control_joint(m->control, column->control);
        return (Target){true, joint.wanted.position, joint.wanted.velocity, joint.max_effort};
    }
    if (rg_world_joint_drive(world, column->joint, column->dof, &drive) == RG_OK && drive.on) {
        const RgDrive *d = &drive.drive;
        bool has_position = d->hard ? d->rate > 0.0 : d->kp > 0.0;
        return (Target){true, has_position ? d->position + d->velocity * (rg_world_time(world) - d->time) : NAN,
                        d->velocity, d->max_effort};
    }
    rg_world_joint_motor(world, column->joint, column->dof, &motor);
    return (Target){.on = motor.on,
                    .position = motor.is_servo ? motor.position : passive_target(m, world, column),
                    .velocity = motor.on ? motor.velocity : NAN,
                    .effort = motor.on ? motor.max_effort : NAN};
}

static RgStatus encode_targets(RgMessages *m, RgWorld *world, uint64_t time, RgBuffer *out)
{
    double *position = m->values, *velocity = position + m->ncolumns, *effort = velocity + m->ncolumns;
    int n = 0, positions = 0;
    for (int i = 0; i < m->ncolumns; i++) {
        Target target = target_of(m, world, &m->columns[i]);
        if (!target.on && isnan(target.position))
            continue;
        m->names[n] = m->columns[i].name;
        position[n] = target.position;
        velocity[n] = target.velocity;
        effort[n++] = target.effort;
        positions += !isnan(target.position);
    }
    rg_cdr_begin(out);
    rg_cdr_header(out, time, "");
    rg_cdr_text_list(out, m->names, n);
    rg_cdr_f64_list(out, position, positions > 0 ? n : 0);
    rg_cdr_f64_list(out, velocity, n);
    rg_cdr_f64_list(out, effort, n);
    return RG_OK;
}

#define JOINT_SCHEMA                                                                                                   \
    "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\n"                                  \
    "float64[] effort\n" RG_ROS_HEADER RG_ROS_TIME

const RgMessageKind rg_message_kind_joint_states = {
    .channel = {RG_ROS2_CHANNEL("/joint_states", "sensor_msgs/msg/JointState", JOINT_SCHEMA), .when = RG_CHANNEL_FRAME},
    .encode = encode_states,
};

const RgMessageKind rg_message_kind_joint_targets = {
    .channel = {RG_ROS2_CHANNEL("/rigor/joint_targets", "sensor_msgs/msg/JointState", JOINT_SCHEMA),
                .when = RG_CHANNEL_FRAME},
    .encode = encode_targets,
};
