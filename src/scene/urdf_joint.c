/*
 * urdf_joint.c - <joint> and <mimic> of URDF.
 *
 *   origin     X_PJ; the child link's frame is the joint frame, so X_CJ = 1
 *   axis       in the joint frame, default 1 0 0
 *   limit      lower, upper (the format's default 0), effort, velocity; continuous joints have no lower and upper
 *   dynamics   damping, friction
 *   mimic      q = multiplier q_other + offset; without it the parameters mimic, multiplier and offset of the joint in
 *              <ros2_control>
 *
 * Kinds beyond the format that occur in files: spherical (ball), universal (axis, axis2), cylindrical, screw (pitch in
 * m per turn from <screw_thread_pitch value>). safety_controller and calibration do not concern the mechanism and are
 * ignored.
 */
#include "math/pose.h"
#include "scene/urdf.h"

#include <string.h>

typedef struct JointWord {
    const char *word;
    RgJointType type;
} JointWord;

static bool find_type(const char *word, RgJointType *type)
{
    static const JointWord words[] = {
        {"revolute", RG_JOINT_revolute},   {"continuous", RG_JOINT_continuous},  {"prismatic", RG_JOINT_prismatic},
        {"fixed", RG_JOINT_fixed},         {"floating", RG_JOINT_free},          {"planar", RG_JOINT_planar},
        {"spherical", RG_JOINT_spherical}, {"ball", RG_JOINT_spherical},         {"universal", RG_JOINT_universal},
        {"screw", RG_JOINT_screw},         {"cylindrical", RG_JOINT_cylindrical}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].word, word) == 0) {
            *type = words[i].type;
            return true;
        }
    return false;
}

static RgVec3 read_axis(RgReader *reader, const RgXml *joint, const char *name, RgVec3 fallback)
{
    double xyz[3] = {fallback.x, fallback.y, fallback.z};
    const RgXml *axis = rg_xml_child(joint, name);
    if (axis != NULL)
        rg_reader_attribute(reader, axis, "xyz", 3, xyz);
    return v3(xyz[0], xyz[1], xyz[2]);
}

static void read_limit(RgReader *reader, RgUrdfJoint *joint)
{
    RgAxisDef *dof = &joint->def.dof[0];
    RgJointType type = joint->def.type;
    bool bounded = type == RG_JOINT_revolute || type == RG_JOINT_prismatic;
    const RgXml *limit = rg_xml_child(joint->xml, "limit");
    if (limit == NULL) {
        if (bounded)
            rg_reader_warn(reader, joint->xml, "%s joint '%s' has no <limit>: unlimited", rg_joint_type_name(type),
                           joint->def.name);
        return;
    }
    if (bounded) {
        dof->lower = dof->upper = 0.0;
        rg_reader_attribute(reader, limit, "lower", 1, &dof->lower);
        rg_reader_attribute(reader, limit, "upper", 1, &dof->upper);
    }
    rg_reader_attribute(reader, limit, "effort", 1, &dof->effort_limit);
    rg_reader_attribute(reader, limit, "velocity", 1, &dof->velocity_limit);
    if (dof->effort_limit < 0.0 || dof->velocity_limit < 0.0)
        rg_reader_warn_once(reader, limit, "negative limit",
                            "a negative effort or velocity limit is read as none (said once)");
    if (dof->effort_limit < 0.0)
        dof->effort_limit = (double)INFINITY;
    if (dof->velocity_limit < 0.0)
        dof->velocity_limit = (double)INFINITY;
}

/* Damping and friction, the same for every velocity of the joint. */
static void read_dynamics(RgReader *reader, RgUrdfJoint *joint)
{
    const RgXml *dynamics = rg_xml_child(joint->xml, "dynamics");
    if (dynamics == NULL)
        return;
    double damping = 0.0, friction = 0.0;
    rg_reader_attribute(reader, dynamics, "damping", 1, &damping);
    rg_reader_attribute(reader, dynamics, "friction", 1, &friction);
    for (int i = 0; i < 6; i++) {
        joint->def.dof[i].damping = damping;
        joint->def.dof[i].friction = friction;
    }
}

void rg_urdf_joint_read(RgUrdf *urdf, RgUrdfJoint *joint)
{
    static const char *const known[] = {"origin",
                                        "parent",
                                        "child",
                                        "axis",
                                        "axis2",
                                        "limit",
                                        "dynamics",
                                        "mimic",
                                        "safety_controller",
                                        "calibration",
                                        "screw_thread_pitch",
                                        NULL};
    static const char *const skipped[] = {"hardwareInterface", NULL};
    RgReader *reader = urdf->reader;
    const RgXml *xml = joint->xml;
    joint->def.group = urdf->group;
    joint->def.line = xml->line;
    rg_reader_expect(reader, xml, known, skipped);

    /* Kind. */
    const char *type = rg_reader_name(reader, xml, "type");
    if (type == NULL)
        return;
    if (!find_type(type, &joint->def.type)) {
        rg_reader_fail(
            reader, RG_ERR_UNSUPPORTED, xml,
            "joint '%s': unknown type '%s'; expected one of revolute, continuous, prismatic, fixed, floating, "
            "planar, spherical, ball, universal, screw, cylindrical",
            joint->def.name, type);
        return;
    }

    /* Frame, axes, and the pitch of a screw, which files give in metres per turn. */
    joint->def.X_PJ = rg_urdf_origin(reader, xml);
    joint->def.axis = read_axis(reader, xml, "axis", v3(1.0, 0.0, 0.0));
    joint->def.axis2 = read_axis(reader, xml, "axis2", v3(0.0, 1.0, 0.0));
    double per_turn = 0.0;
    const RgXml *pitch = rg_xml_child(xml, "screw_thread_pitch");
    if (pitch != NULL)
        rg_urdf_value(reader, pitch, 1, &per_turn);
    joint->def.pitch = per_turn / (2.0 * RG_PI);

    /* Only joints of one velocity have limits in this format. */
    if (joint->def.type == RG_JOINT_revolute || joint->def.type == RG_JOINT_continuous ||
        joint->def.type == RG_JOINT_prismatic || joint->def.type == RG_JOINT_screw)
        read_limit(reader, joint);
    read_dynamics(reader, joint);
}

const RgXml *rg_urdf_param(const RgXml *element, const char *name)
{
    const RgXml *param = rg_xml_child(element, "param");
    for (; param != NULL; param = rg_xml_next_same(param)) {
        const char *called = rg_xml_attribute(param, "name");
        if (called != NULL && strcmp(called, name) == 0)
            return param;
    }
    return NULL;
}

/* Name of the mimicked joint, from <mimic> or from the <joint> of <ros2_control>. NULL: none (the error is set). */
static const char *read_leader(RgReader *reader, const RgUrdfJoint *joint, const RgXml *mimic, RgCouplingDef *def)
{
    if (mimic != joint->control) {
        rg_reader_attribute(reader, mimic, "multiplier", 1, &def->ratio);
        rg_reader_attribute(reader, mimic, "offset", 1, &def->offset);
        return rg_reader_name(reader, mimic, "joint");
    }
    const RgXml *multiplier = rg_urdf_param(mimic, "multiplier"), *offset = rg_urdf_param(mimic, "offset");
    if (multiplier != NULL)
        rg_reader_text(reader, multiplier, 1, &def->ratio);
    if (offset != NULL)
        rg_reader_text(reader, offset, 1, &def->offset);
    return rg_urdf_param(mimic, "mimic")->text;
}

static void add_mimic(RgUrdf *urdf, const RgUrdfJoint *joint, const RgXml *mimic)
{
    RgReader *reader = urdf->reader;
    RgCouplingDef def = rg_coupling_def_default();
    const char *other = read_leader(reader, joint, mimic, &def);
    if (other == NULL)
        return;
    int reference = rg_name_map_find(&urdf->joint_names, other);
    if (reference < 0) {
        rg_reader_fail(reader, RG_ERR_MODEL, mimic, "joint '%s' mimics '%s', which is not defined", joint->def.name,
                       other);
        return;
    }
    if (urdf->joints[reference].child < 0) {
        rg_reader_warn(reader, mimic, "joint '%s' mimics '%s', which was dropped: it moves freely", joint->def.name,
                       other);
        return;
    }
    def.name = joint->def.name;
    def.joint = joint->id;
    def.reference = urdf->joints[reference].id;
    def.line = mimic->line;
    if (rg_reader_ok(reader) && !rg_builder_add_coupling(reader->builder, &def))
        rg_reader_fail_builder(reader);
}

void rg_urdf_mimic_add(RgUrdf *urdf)
{
    for (int i = 0; i < urdf->njoints && rg_reader_ok(urdf->reader); i++) {
        const RgUrdfJoint *joint = &urdf->joints[i];
        const RgXml *mimic = rg_xml_child(joint->xml, "mimic");
        if (mimic == NULL)
            mimic = joint->control;
        if (mimic != NULL && joint->child >= 0)
            add_mimic(urdf, joint, mimic);
    }
}
