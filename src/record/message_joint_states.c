/*
 * message_joint_states.c - /joint_states and /rigor/joint_targets, as sensor_msgs/JointState.
 *
 *   header | name[] | position[] | velocity[] | effort[]
 *
 * States: every velocity of a joint whose positions are a vector (all kinds but spherical and free); effort is what
 * drives it: the input applied in the last step and the motor's mean effort over it.
 *
 * Targets: the joints that something draws to a velocity or position, NaN for what nothing says.
 *
 *   position   where a servo goes; else what a coupling (mimic, gear) asks for: ratio q_reference + offset; else where the
 *              joint's spring is at rest; empty where no joint has one
 *   velocity   what a motor or servo aims at
 *   effort     the most that it may give
 */
#include "record/cdr.h"
#include "record/message_table.h"

#include <math.h>

static double drive(RgWorld *world, const RgJointColumn *column)
{
    RgMotorReport motor;
    double effort = rg_world_input_effort(world)[column->v_index];
    if (rg_world_joint_motor(world, column->joint, column->dof, &motor) == RG_OK)
        effort += motor.effort;
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

/* NaN: none. */
static double position_target(const RgMessages *m, RgWorld *world, const RgJointColumn *column,
                              const RgMotorReport *motor)
{
    const RgAxisDef *axis = &rg_model_joint(m->model, column->joint).dof[column->dof];
    if (motor->is_servo)
        return motor->position;
    if (column->coupling >= 0) {
        RgCouplingDef coupling = rg_model_coupling(m->model, column->coupling);
        double q[7] = {0.0}; /* the most numbers a joint has */
        bool known = rg_world_joint_position(world, coupling.reference, q) == RG_OK;
        return known ? coupling.ratio * q[coupling.reference_dof] + coupling.offset : NAN;
    }
    return axis->stiffness > 0.0 ? axis->rest : NAN;
}

static RgStatus encode_targets(RgMessages *m, RgWorld *world, uint64_t time, RgBuffer *out)
{
    double *position = m->values, *velocity = position + m->ncolumns, *effort = velocity + m->ncolumns;
    int n = 0, positions = 0;
    for (int i = 0; i < m->ncolumns; i++) {
        RgMotorReport motor = {.on = false};
        rg_world_joint_motor(world, m->columns[i].joint, m->columns[i].dof, &motor);
        position[n] = position_target(m, world, &m->columns[i], &motor);
        bool has_position = !isnan(position[n]);
        if (!motor.on && !has_position)
            continue;
        m->names[n] = m->columns[i].name;
        velocity[n] = motor.on ? motor.velocity : NAN;
        effort[n++] = motor.on ? motor.max_effort : NAN;
        positions += has_position;
    }
    rg_cdr_begin(out);
    rg_cdr_header(out, time, "");
    rg_cdr_text_list(out, m->names, n);
    rg_cdr_f64_list(out, position, positions > 0 ? n : 0);
    rg_cdr_f64_list(out, velocity, n);
    rg_cdr_f64_list(out, effort, n);
    return RG_OK;
}

#define JOINT_SCHEMA                                                                                         \
    "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\n"                        \
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
