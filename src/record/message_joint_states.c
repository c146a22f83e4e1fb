/*
 * message_joint_states.c - /joint_states and /rigor/joint_targets, as sensor_msgs/JointState.
 *
 *   header | name[] | position[] | velocity[] | effort[]
 *
 * States: every velocity of a joint whose positions are a vector (all kinds but spherical and free); effort is what
 * drives it: the input applied in the last step and the mean effort over it of its motor, servo or drive.
 *
 * Targets: the joints that something draws to a velocity or position, NaN for what nothing says.
 *
 *   position   what a controller wants; else where a drive or servo goes; else what a coupling (mimic, gear) asks for: ratio q_reference + offset; else where the
 *              joint's spring is at rest; empty where no joint has one
 *   velocity   what a controller wants, or a drive, motor or servo aims at
 *   effort     the most that it may give
 */
#include "record/cdr.h"
#include "record/message_table.h"

#include <rigor/control.h>

#include <math.h>

static double drive(RgWorld *world, const RgJointColumn *column)
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
        effort[i] = drive(world, column);
    }
    rg_cdr_begin(out);
    rg_cdr_header(out, time, "");
    rg_cdr_text_list(out, m->names, n);
    rg_cdr_f64_list(out, position, n);
    rg_cdr_f64_list(out, velocity, n);
    rg_cdr_f64_list(out, effort, n);
    return RG_OK;
}

/* What draws a joint; NaN for what nothing says. */
typedef struct Target {
    bool on; /* something with an effort of its own */
    double position, velocity, effort;
} Target;

/* Where a coupling or spring draws it. NaN: none. */
static double passive_target(const RgMessages *m, RgWorld *world, const RgJointColumn *column)
{
    const RgAxisDef *axis = &rg_model_joint(m->model, column->joint).dof[column->dof];
    if (column->coupling >= 0) {
        RgCouplingDef coupling = rg_model_coupling(m->model, column->coupling);
        double q[7] = {0.0}; /* the most numbers a joint has */
        bool known = rg_world_joint_position(world, coupling.reference, q) == RG_OK;
        return known ? coupling.ratio * q[coupling.reference_dof] + coupling.offset : NAN;
    }
    return axis->stiffness > 0.0 ? axis->rest : NAN;
}

/* A controller comes before the drive that it may use; a drive, motor or servo before couplings and springs. */
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
        bool aims = d->hard ? d->rate > 0.0 : d->kp > 0.0;
        return (Target){true, aims ? d->position + d->velocity * (rg_world_time(world) - d->time) : NAN, d->velocity,
                        d->max_effort};
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
    .channel = {.topic = "/joint_states",
                .encoding = "cdr",
                .schema_name = "sensor_msgs/msg/JointState",
                .schema_encoding = "ros2msg",
                .schema = JOINT_SCHEMA,
                .when = RG_CHANNEL_FRAME},
    .encode = encode_states,
};

const RgMessageKind rg_message_kind_joint_targets = {
    .channel = {.topic = "/rigor/joint_targets",
                .encoding = "cdr",
                .schema_name = "sensor_msgs/msg/JointState",
                .schema_encoding = "ros2msg",
                .schema = JOINT_SCHEMA,
                .when = RG_CHANNEL_FRAME},
    .encode = encode_targets,
};
