/*
 * sdf_joint.c - <joint> of SDF.
 *
 * <pose> is the pose of the joint frame J in the frame of the child. Parent and child are links, frames or models
 * attached to links, or the world. With poses in the joint's scope,
 *
 *   X_PJ = X_P^-1 X_J      X_CJ = X_C^-1 X_J      axis_J = R_J^-1 R_F xyz
 *
 * where F is the frame that <xyz expressed_in> names, J without it. Up to SDF 1.4 the axis is given in the model's
 * frame, in 1.5 and 1.6 if <use_parent_model_frame> is true.
 *
 * Limits of SDF_NO_LIMIT and more and negative effort or velocity limits mean no limit. A screw advances by
 * screw_thread_pitch in metres per turn (right-handed), or in older files by thread_pitch in rad per metre, left-handed
 * as in Gazebo: pitch = -1 / thread_pitch in m/rad. revolute2 is two hinges in a row and is read as a universal joint.
 * A ball joint has the dynamics of <axis> about all its axes. Gearboxes: sdf_gearbox.c.
 */
#include "math/pose.h"
#include "scene/sdf.h"

#include <string.h>

/* N m/rad or N/m: the format's default stiffness of a limit. From here on the limit is rigid. */
#define SDF_RIGID_LIMIT 1e8

/* rad, m, N m, N, rad/s or m/s: from here on there is no limit. The format's "unlimited" is 1e16. */
#define SDF_NO_LIMIT 1e15

typedef struct JointWord {
    const char *word;
    RgJointType type;
} JointWord;

static bool read_type(RgReader *reader, RgSdfItem *item)
{
    static const JointWord words[] = {
        {"revolute", RG_JOINT_revolute},   {"continuous", RG_JOINT_continuous}, {"prismatic", RG_JOINT_prismatic},
        {"fixed", RG_JOINT_fixed},         {"ball", RG_JOINT_spherical},        {"universal", RG_JOINT_universal},
        {"revolute2", RG_JOINT_universal}, {"screw", RG_JOINT_screw},           {"gearbox", RG_JOINT_fixed}};
    const char *type = rg_reader_name(reader, item->xml, "type");
    if (type == NULL)
        return false;
    item->is_gearbox = strcmp(type, "gearbox") == 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].word, type) == 0) {
            item->type = words[i].type;
            return true;
        }
    return rg_reader_fail(
        reader, RG_ERR_UNSUPPORTED, item->xml,
        "joint '%s': unknown type '%s'; expected one of revolute, continuous, prismatic, fixed, ball, "
        "universal, revolute2, screw, gearbox",
        item->name, type);
}

/* ------------------------------------------------------------------ links */

static const char *read_link_name(RgReader *reader, const RgSdfItem *item, const char *end)
{
    const RgXml *element = rg_xml_child(item->xml, end);
    const char *name = "";
    if (element != NULL)
        name = element->first == NULL ? element->text : "";
    if (name[0] == '\0')
        rg_reader_fail(reader, RG_ERR_SYNTAX, item->xml, "joint '%s' needs <%s>", item->name, end);
    return name;
}

void rg_sdf_joint_connect(RgSdf *sdf, RgSdfItem *item)
{
    RgReader *reader = sdf->reader;
    const char *parent = read_link_name(reader, item, "parent"), *child = read_link_name(reader, item, "child");
    if (!rg_reader_ok(reader) || !read_type(reader, item))
        return;
    if (strcmp(parent, "world") != 0)
        item->parent = rg_sdf_frame_link(sdf, item, parent, item->xml);
    if (strcmp(child, "world") != 0)
        item->child = rg_sdf_frame_link(sdf, item, child, item->xml);
    if (!rg_reader_ok(reader))
        return;
    if (item->child == item->parent) {
        rg_reader_fail(reader, RG_ERR_MODEL, item->xml, "joint '%s' connects '%s' to itself", item->name, child);
        return;
    }
    if (item->is_gearbox)
        return;
    if (item->child == NULL) {
        rg_sdf_part_join(NULL, item->parent);
        return;
    }
    item->child->is_child = true;
    rg_sdf_part_join(item->parent, item->child);
}

/* ------------------------------------------------------------------ axes */

static void read_dof(RgReader *reader, const RgXml *axis, RgAxisDef *dof)
{
    const RgXml *limit = rg_xml_child(axis, "limit"), *dynamics = rg_xml_child(axis, "dynamics");
    rg_reader_child_limit(reader, limit, "lower", &dof->lower);
    rg_reader_child_limit(reader, limit, "upper", &dof->upper);
    rg_reader_child_limit(reader, limit, "effort", &dof->effort_limit);
    rg_reader_child_limit(reader, limit, "velocity", &dof->velocity_limit);
    if (dof->lower <= -SDF_NO_LIMIT)
        dof->lower = -(double)INFINITY;
    if (dof->upper >= SDF_NO_LIMIT)
        dof->upper = (double)INFINITY;
    if (dof->effort_limit < 0.0 || dof->effort_limit >= SDF_NO_LIMIT)
        dof->effort_limit = (double)INFINITY;
    if (dof->velocity_limit < 0.0 || dof->velocity_limit >= SDF_NO_LIMIT)
        dof->velocity_limit = (double)INFINITY;
    rg_reader_child(reader, limit, "stiffness", 1, &dof->limit_stiffness);
    rg_reader_child(reader, limit, "dissipation", 1, &dof->limit_damping);
    if (dof->limit_stiffness >= SDF_RIGID_LIMIT)
        dof->limit_stiffness = 0.0;
    rg_reader_child(reader, dynamics, "damping", 1, &dof->damping);
    rg_reader_child(reader, dynamics, "friction", 1, &dof->friction);
    rg_reader_child(reader, dynamics, "spring_stiffness", 1, &dof->stiffness);
    rg_reader_child(reader, dynamics, "spring_reference", 1, &dof->rest);
}

static RgVec3 read_axis(RgSdf *sdf, const RgSdfItem *item, const RgXml *axis)
{
    static const char *const known[] = {
        "xyz", "limit", "dynamics", "use_parent_model_frame", "mimic", "initial_position", NULL};
    static const char *const skipped[] = {NULL};
    RgReader *reader = sdf->reader;
    double xyz[3] = {0.0, 0.0, 1.0};
    if (axis == NULL)
        return v3(0.0, 0.0, 1.0);
    rg_reader_expect(reader, axis, known, skipped);
    rg_reader_child(reader, axis, "xyz", 3, xyz);
    RgVec3 a = v3(xyz[0], xyz[1], xyz[2]);

    /* The frame in which it is given. */
    const RgXml *element = rg_xml_child(axis, "xyz");
    const char *frame = element != NULL ? rg_xml_attribute(element, "expressed_in") : NULL;
    if (frame == NULL || frame[0] == '\0') {
        bool in_model = rg_reader_child_flag(reader, axis, "use_parent_model_frame", item->version <= 104);
        frame = in_model && item->scope->depth > 0 ? "__model__" : NULL;
    }
    if (frame == NULL)
        return a;
    RgPose X_SF = rg_sdf_frame_pose(sdf, item, frame, axis);
    return m3_apply_t(item->X_S.R, m3_apply(X_SF.R, a));
}

/* m/rad, positive for a right-handed thread. */
static double read_pitch(RgReader *reader, const RgSdfItem *item)
{
    double per_turn = 1.0, rad_per_metre = 1.0;
    if (rg_reader_child(reader, item->xml, "screw_thread_pitch", 1, &per_turn) ||
        !rg_reader_child(reader, item->xml, "thread_pitch", 1, &rad_per_metre))
        return per_turn / (2.0 * RG_PI);
    if (rad_per_metre == 0.0)
        rg_reader_fail(reader, RG_ERR_MODEL, item->xml, "joint '%s': thread_pitch must not be 0", item->name);
    return rad_per_metre != 0.0 ? -1.0 / rad_per_metre : 0.0;
}

/* ------------------------------------------------------------------ joint */

static void expect_children(RgReader *reader, const RgXml *joint)
{
    static const char *const known[] = {"parent",
                                        "child",
                                        "pose",
                                        "axis",
                                        "axis2",
                                        "physics",
                                        "gearbox_ratio",
                                        "gearbox_reference_body",
                                        "thread_pitch",
                                        "screw_thread_pitch",
                                        NULL};
    static const char *const skipped[] = {"sensor", "plugin", "frame", NULL};
    rg_reader_expect(reader, joint, known, skipped);
}

/* A ball joint has no axis: all three velocities get damping, friction and spring of the first, with rest 0. */
static void make_isotropic(RgAxisDef dof[3])
{
    RgAxisDef same = rg_axis_def_default();
    same.damping = dof[0].damping;
    same.friction = dof[0].friction;
    same.stiffness = dof[0].stiffness;
    for (int i = 0; i < 3; i++)
        dof[i] = same;
}

/* The joint frame in the frame of a link; link NULL: in the world. */
static RgPose joint_frame_on(const RgSdfItem *item, const RgSdfItem *link)
{
    const RgSdfScope *scope = item->scope;
    return link != NULL ? pose_relative(rg_sdf_pose_in(scope, link), item->X_S) : pose_mul(scope->X_WS, item->X_S);
}

void rg_sdf_joint_add(RgSdf *sdf, RgSdfItem *item)
{
    RgReader *reader = sdf->reader;
    const RgXml *xml = item->xml, *axis = rg_xml_child(xml, "axis"), *axis2 = rg_xml_child(xml, "axis2");
    expect_children(reader, xml);
    item->axes[0] = read_axis(sdf, item, axis);
    item->axes[1] = read_axis(sdf, item, axis2);
    if (item->is_gearbox)
        return;
    rg_sdf_file_set(sdf, xml);

    RgJointDef def = rg_joint_def_default();
    def.name = rg_sdf_name(sdf, item);
    def.group = rg_sdf_group(item);
    def.type = item->type;
    def.line = xml->line;
    def.may_close_loop = true;
    def.axis = item->axes[0];
    def.axis2 = item->axes[1];
    read_dof(reader, axis, &def.dof[0]);
    read_dof(reader, axis2, &def.dof[1]);
    if (def.type == RG_JOINT_continuous) {
        def.dof[0].lower = -(double)INFINITY;
        def.dof[0].upper = (double)INFINITY;
    }
    if (def.type == RG_JOINT_screw)
        def.pitch = read_pitch(reader, item);
    if (def.type == RG_JOINT_spherical)
        make_isotropic(def.dof);

    /* The joint frame on both links. */
    def.parent = item->parent != NULL ? item->parent->id : (RgLinkId){0};
    def.child = item->child != NULL ? item->child->id : (RgLinkId){0};
    def.X_PJ = joint_frame_on(item, item->parent);
    def.X_CJ = joint_frame_on(item, item->child);
    if (!rg_reader_ok(reader))
        return;
    item->joint = rg_builder_add_joint(reader->builder, &def);
    if (item->joint.i == 0)
        rg_reader_fail_builder(reader);
}
