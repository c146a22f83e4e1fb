/*
 * urdf_transmission.c - <transmission> of URDF, in the forms of ROS 1 and ROS 2 (there inside <ros2_control>).
 *
 *   Simple         motor = n (joint - offset), effort of the joint = n effort of the motor; n from mechanicalReduction
 *   Differential   motor 1 = n_1 (m_1 joint 1 + m_2 joint 2),   motor 2 = n_2 (m_1 joint 1 - m_2 joint 2)
 *                  n of the actuators, m of the joints; <role>, else the order, tells the first from the second
 *   FourBarLinkage is not used: its published maps of speeds and of efforts do not conserve power
 *
 * Limits and inertia of the motors are converted to the joints: effort limits times |n|, speed limits divided by |n|
 * (of the two motors of a differential the efforts add up and the speeds are averaged), rotor inertia times n^2. Rotors
 * of a differential with different n^2 inertia would couple the accelerations of the two joints, which a single number
 * per joint cannot express: they are left out with a remark. The lower of the converted limit and the joint's own limit
 * is used.
 *
 * A number may be in the joint, in the transmission or in the actuator; the last of these is used. Names are spelled
 * with capitals or with underscores, also drake:gear_ratio and drake:rotor_inertia. A motor's limits are <limit effort
 * velocity>, or effortLimit, maxEffort, velocityLimit, maxVelocity (effort_limit ...) in the actuator.
 */
#include "scene/urdf.h"

#include <math.h>
#include <string.h>

static const char *const reduction_names[] = {"mechanicalReduction", "mechanical_reduction", "drake:gear_ratio", NULL};
static const char *const rotor_names[] = {"rotorInertia", "rotor_inertia", "drake:rotor_inertia", NULL};
static const char *const effort_names[] = {"effortLimit", "effort_limit", "maxEffort", "max_effort", NULL};
static const char *const velocity_names[] = {"velocityLimit", "velocity_limit", "maxVelocity", "max_velocity", NULL};
static const char *const offset_names[] = {"offset", NULL};

/* Values from an actuator, from a joint of a transmission, or from the transmission itself. */
typedef struct Side {
    const char *name;
    double reduction, offset, rotor, effort, velocity;
} Side;

static Side side_default(void)
{
    return (Side){NULL, 1.0, 0.0, 0.0, (double)INFINITY, (double)INFINITY};
}

/* Replaces the values that the element gives. element may be NULL. */
static void read_side(RgReader *reader, const RgXml *element, Side *side)
{
    if (element == NULL)
        return;
    const RgXml *limit = rg_xml_child(element, "limit");
    side->name = rg_xml_attribute(element, "name");
    rg_urdf_any(reader, element, reduction_names, 1, &side->reduction);
    rg_urdf_any(reader, element, rotor_names, 1, &side->rotor);
    rg_urdf_any(reader, element, offset_names, 1, &side->offset);
    rg_urdf_any(reader, element, effort_names, 1, &side->effort);
    rg_urdf_any(reader, element, velocity_names, 1, &side->velocity);
    if (limit != NULL) {
        rg_reader_attribute(reader, limit, "effort", 1, &side->effort);
        rg_reader_attribute(reader, limit, "velocity", 1, &side->velocity);
    }
    if (side->reduction == 0.0)
        rg_reader_fail(reader, RG_ERR_MODEL, element, "%s '%s': a mechanical reduction must not be 0", element->name,
                       side->name != NULL ? side->name : "");
    if (side->rotor < 0.0 || side->effort < 0.0 || side->velocity < 0.0)
        rg_reader_fail(reader, RG_ERR_MODEL, element,
                       "%s '%s': rotor inertia and limits of a motor must not be negative", element->name,
                       side->name != NULL ? side->name : "");
}

/* ------------------------------------------------------------------ which joint */

/* Index of the joint of a transmission, which must have one axis and no other transmission. -1: skipped, with a
   remark. */
static int find_joint(RgUrdf *urdf, const RgXml *transmission, const RgXml *element)
{
    RgReader *reader = urdf->reader;
    const char *name = element != NULL ? rg_xml_attribute(element, "name") : NULL;
    if (name == NULL) {
        rg_reader_warn(reader, transmission, "a transmission without a joint is skipped");
        return -1;
    }
    int joint = rg_name_map_find(&urdf->joint_names, name);
    if (joint < 0) {
        rg_reader_warn(reader, transmission, "a transmission of joint '%s', which is not defined, is skipped", name);
        return -1;
    }
    const RgUrdfJoint *J = &urdf->joints[joint];
    RgJointType type = J->def.type;
    if (type != RG_JOINT_revolute && type != RG_JOINT_continuous && type != RG_JOINT_prismatic &&
        type != RG_JOINT_screw) {
        rg_reader_warn(reader, transmission, "a transmission of joint '%s' is skipped: it is %s", name,
                       rg_joint_type_name(type));
        return -1;
    }
    if (J->transmission != NULL) {
        rg_reader_warn(reader, transmission, "joint '%s' has a transmission already (line %d): this one is skipped",
                       name, J->transmission->line);
        return -1;
    }
    return joint;
}

/* How many children have that name. */
static int count_children(const RgXml *element, const char *name)
{
    int count = 0;
    for (const RgXml *child = rg_xml_child(element, name); child != NULL; child = rg_xml_next_same(child))
        count++;
    return count;
}

/* The child with that role ("joint1"), an attribute or element; without roles the place-th child, from 1. */
static const RgXml *child_in_role(const RgXml *element, const char *name, const char *role, int place)
{
    const RgXml *by_place = NULL;
    int at = 0;
    for (const RgXml *child = rg_xml_child(element, name); child != NULL; child = rg_xml_next_same(child)) {
        const RgXml *inside = rg_xml_child(child, "role");
        const char *word = inside != NULL ? inside->text : rg_xml_attribute(child, "role");
        if (word != NULL && strcmp(word, role) == 0)
            return child;
        if (++at == place)
            by_place = child;
    }
    return by_place;
}

/* ------------------------------------------------------------------ what it gives the joint */

/* Stores one pair of motor and joint for the builder. */
static void store_transmission(RgUrdf *urdf, const RgXml *transmission, int joint, const Side *motor, double ratio)
{
    RgUrdfTransmission *entry = RG_ARENA_ALLOC(&urdf->reader->arena, RgUrdfTransmission, 1);
    if (entry == NULL) {
        rg_reader_fail_memory(urdf->reader);
        return;
    }
    entry->joint = joint;
    entry->def = rg_transmission_def_default();
    entry->def.name = rg_xml_attribute(transmission, "name");
    entry->def.actuator = motor->name;
    entry->def.ratio = ratio;
    entry->def.offset = motor->offset;
    entry->def.rotor_inertia = motor->rotor;
    entry->def.effort_limit = motor->effort;
    entry->def.velocity_limit = motor->velocity;
    entry->def.line = transmission->line;
    *urdf->last_transmission = entry;
    urdf->last_transmission = &entry->next;
    urdf->joints[joint].transmission = transmission;
}

static void limit_axis(RgAxisDef *dof, double effort, double velocity)
{
    dof->effort_limit = fmin(dof->effort_limit, effort);
    dof->velocity_limit = fmin(dof->velocity_limit, velocity);
}

static void read_simple(RgUrdf *urdf, const RgXml *transmission)
{
    RgReader *reader = urdf->reader;
    const RgXml *element = rg_xml_child(transmission, "joint"), *actuator = rg_xml_child(transmission, "actuator");
    if (count_children(transmission, "joint") > 1 || count_children(transmission, "actuator") > 1) {
        rg_reader_warn(reader, transmission, "a transmission over several joints or with several actuators is skipped");
        return;
    }
    int joint = find_joint(urdf, transmission, element);
    if (joint < 0)
        return;
    Side side = side_default();
    read_side(reader, element, &side);
    read_side(reader, transmission, &side);
    side.name = NULL;
    read_side(reader, actuator, &side);
    if (!rg_reader_ok(reader))
        return;

    /* An axis without a rotor keeps that of its <gazebo> block, behind this ratio. */
    RgAxisDef *dof = &urdf->joints[joint].def.dof[0];
    dof->gear_ratio = side.reduction;
    dof->rotor_inertia = side.rotor > 0.0 ? side.rotor : dof->rotor_inertia;
    limit_axis(dof, fabs(side.reduction) * side.effort, side.velocity / fabs(side.reduction));
    store_transmission(urdf, transmission, joint, &side, side.reduction);
}

/* Both rotors behind both joints: a diagonal of inertias, if they are alike. */
static void add_rotors(RgReader *reader, const RgXml *transmission, const Side motor[2], RgAxisDef *dof,
                       double reduction)
{
    double inertia1 = motor[0].reduction * motor[0].reduction * motor[0].rotor,
           inertia2 = motor[1].reduction * motor[1].reduction * motor[1].rotor;
    dof->gear_ratio = reduction * motor[0].reduction;
    if (fabs(inertia1 - inertia2) <= 1e-9 * fmax(inertia1, inertia2))
        dof->rotor_inertia = 2.0 * motor[0].rotor;
    else
        rg_reader_warn_once(reader, transmission, "unlike rotors",
                            "a differential whose motors have unlike inertias ties its joints' accelerations "
                            "together, which is not supported: its rotors are left out (said once)");
}

static void read_differential(RgUrdf *urdf, const RgXml *transmission)
{
    static const char *const joint_roles[2] = {"joint1", "joint2"}, *const actuator_roles[2] = {"actuator1",
                                                                                                "actuator2"};
    RgReader *reader = urdf->reader;
    Side motor[2] = {side_default(), side_default()}, side[2] = {side_default(), side_default()};
    int joint[2];
    if (count_children(transmission, "joint") != 2 || count_children(transmission, "actuator") != 2) {
        rg_reader_warn(reader, transmission, "a differential transmission needs two joints and two actuators: skipped");
        return;
    }
    for (int i = 0; i < 2; i++) {
        const RgXml *element = child_in_role(transmission, "joint", joint_roles[i], i + 1);
        joint[i] = find_joint(urdf, transmission, element);
        read_side(reader, element, &side[i]);
        read_side(reader, child_in_role(transmission, "actuator", actuator_roles[i], i + 1), &motor[i]);
    }
    if (joint[0] >= 0 && joint[0] == joint[1])
        rg_reader_warn(reader, transmission, "a differential transmission of one joint is skipped");
    if (joint[0] < 0 || joint[1] < 0 || joint[0] == joint[1] || !rg_reader_ok(reader))
        return;

    double effort = fabs(motor[0].reduction) * motor[0].effort + fabs(motor[1].reduction) * motor[1].effort;
    double speed = motor[0].velocity / fabs(motor[0].reduction) + motor[1].velocity / fabs(motor[1].reduction);
    for (int j = 0; j < 2; j++) {
        RgAxisDef *dof = &urdf->joints[joint[j]].def.dof[0];
        limit_axis(dof, fabs(side[j].reduction) * effort, 0.5 * speed / fabs(side[j].reduction));
        add_rotors(reader, transmission, motor, dof, side[j].reduction);
        for (int a = 0; a < 2; a++) {
            double sign = a == 1 && j == 1 ? -1.0 : 1.0;
            motor[a].offset = side[j].offset;
            store_transmission(urdf, transmission, joint[j], &motor[a], sign * motor[a].reduction * side[j].reduction);
        }
    }
}

static void skip_four_bar(RgUrdf *urdf, const RgXml *transmission)
{
    const char *name = rg_xml_attribute(transmission, "name");
    rg_reader_warn(urdf->reader, transmission,
                   "four-bar linkage transmission '%s' is skipped: its joints have neither reduction nor rotor "
                   "(a <mimic> or a loop joint can say what ties them)",
                   name != NULL ? name : "");
}

/* ------------------------------------------------------------------ which kind */

typedef struct Kind {
    const char *word;
    void (*read)(RgUrdf *urdf, const RgXml *transmission);
} Kind;

/* The kind without its package: from <type>, in ROS 2 from <plugin>, in the oldest files from an attribute. */
static const char *type_word(const RgXml *transmission)
{
    const RgXml *type = rg_xml_child(transmission, "type");
    if (type == NULL)
        type = rg_xml_child(transmission, "plugin");
    const char *word = type != NULL ? type->text : rg_xml_attribute(transmission, "type");
    for (const char *at = word; at != NULL && *at != '\0'; at++)
        if (*at == '/' || *at == ':')
            word = at + 1;
    return word;
}

void rg_urdf_transmission_read(RgUrdf *urdf, const RgXml *transmission)
{
    static const Kind kinds[] = {{"SimpleTransmission", read_simple},
                                 {"Simple", read_simple},
                                 {"DifferentialTransmission", read_differential},
                                 {"FourBarLinkageTransmission", skip_four_bar}};
    const char *word = type_word(transmission);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && word != NULL; i++)
        if (strcmp(kinds[i].word, word) == 0) {
            kinds[i].read(urdf, transmission);
            return;
        }
    if (word != NULL && word[0] != '\0')
        rg_reader_warn(urdf->reader, transmission, "transmission of unknown type '%s' is read as SimpleTransmission",
                       word);
    read_simple(urdf, transmission);
}

void rg_urdf_control_read(RgUrdf *urdf, const RgXml *control)
{
    rg_reader_warn_once(urdf->reader, control, "ros2_control",
                        "of <ros2_control> only transmissions and mimics are read (said once)");
    for (const RgXml *child = rg_xml_child(control, "joint"); child != NULL; child = rg_xml_next_same(child)) {
        const char *name = rg_xml_attribute(child, "name");
        int joint = name != NULL ? rg_name_map_find(&urdf->joint_names, name) : -1;
        if (joint >= 0 && rg_urdf_param(child, "mimic") != NULL)
            urdf->joints[joint].control = child;
    }
    for (const RgXml *child = rg_xml_child(control, "transmission"); child != NULL; child = rg_xml_next_same(child))
        rg_urdf_transmission_read(urdf, child);
}

void rg_urdf_transmissions_add(RgUrdf *urdf)
{
    RgReader *reader = urdf->reader;
    for (RgUrdfTransmission *entry = urdf->transmissions; entry != NULL && rg_reader_ok(reader); entry = entry->next) {
        const RgUrdfJoint *joint = &urdf->joints[entry->joint];
        if (joint->child < 0)
            continue;
        entry->def.joint = joint->id;
        if (!rg_builder_add_transmission(reader->builder, &entry->def))
            rg_reader_fail_builder(reader);
    }
}
