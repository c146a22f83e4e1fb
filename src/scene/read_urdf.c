/*
 * read_urdf.c - URDF, the Unified Robot Description Format of ROS: <robot> with links and joints that form a tree.
 *
 *   1. collect   links and joints by name, in file order
 *   2. connect   every joint to its two links; a link has at most one parent
 *   3. extend    transmissions and <gazebo> blocks add gears, springs, surfaces
 *   4. place     from the roots down, X_WL(child) = X_WL(parent) X_PJ
 *   5. add       links, shapes, joints, couplings to the builder, then pairs of links that may or may not touch
 *
 * The base option decides whether a root link is welded to the world. Without it a root link is welded if it is called
 * "world", has no mass, or <gazebo><static> is true. A joint whose child link is not in the file is dropped with a
 * remark: robots are often split over files.
 *
 * Errors: duplicate names, a missing parent link, two parents, cycles, wrong numbers, files that xacro has not
 * expanded.
 */
#include "base/status.h"
#include "math/pose.h"
#include "scene/collision_pairs.h"
#include "scene/scene_table.h"
#include "scene/urdf.h"

#include <math.h>
#include <string.h>

RgPose rg_urdf_origin(RgReader *reader, const RgXml *element)
{
    RgPose X = pose_identity();
    const RgXml *origin = rg_xml_child(element, "origin");
    if (origin == NULL)
        return X;
    double xyz[3] = {0.0, 0.0, 0.0}, rpy[3] = {0.0, 0.0, 0.0}, quat[4];
    rg_reader_attribute(reader, origin, "xyz", 3, xyz);
    rg_reader_attribute(reader, origin, "rpy", 3, rpy);
    X.R = m3_from_rpy(rpy[0], rpy[1], rpy[2]);
    if (rg_reader_attribute(reader, origin, "quat_xyzw", 4, quat))
        X.R = q_matrix(q_normalise((RgQuat){quat[3], quat[0], quat[1], quat[2]}));
    X.p = v3(xyz[0], xyz[1], xyz[2]);
    return X;
}

bool rg_urdf_value(RgReader *reader, const RgXml *element, int count, double *out)
{
    if (rg_xml_attribute(element, "value") != NULL)
        return rg_reader_attribute(reader, element, "value", count, out);
    return rg_reader_text(reader, element, count, out);
}

/* ------------------------------------------------------------------ collect */

static void read_required(RgReader *reader, const RgXml *element, const char *name, double *out)
{
    if (!rg_reader_attribute(reader, element, name, 1, out))
        rg_reader_fail(reader, RG_ERR_SYNTAX, element, "<%s> needs an attribute '%s'", element->name, name);
}

/* Mass, centre and inertia, rotated from the axes of the inertial frame to those of the link. */
static RgInertia read_inertial(RgReader *reader, const RgXml *inertial)
{
    RgInertia in = {0};
    RgPose X_LI = rg_urdf_origin(reader, inertial);
    const RgXml *mass = rg_xml_child(inertial, "mass"), *inertia = rg_xml_child(inertial, "inertia");
    if (mass == NULL)
        rg_reader_fail(reader, RG_ERR_SYNTAX, inertial, "<inertial> needs <mass value='...'/>");
    else
        read_required(reader, mass, "value", &in.mass);
    if (inertia == NULL) {
        rg_reader_warn(reader, inertial, "<inertial> without <inertia>: a point mass");
    } else {
        read_required(reader, inertia, "ixx", &in.I.xx);
        read_required(reader, inertia, "iyy", &in.I.yy);
        read_required(reader, inertia, "izz", &in.I.zz);
        rg_reader_attribute(reader, inertia, "ixy", 1, &in.I.xy);
        rg_reader_attribute(reader, inertia, "ixz", 1, &in.I.xz);
        rg_reader_attribute(reader, inertia, "iyz", 1, &in.I.yz);
    }
    in.com = X_LI.p;
    in.I = s3_rotate(in.I, X_LI.R);
    return in;
}

static void read_link(RgUrdf *urdf, RgUrdfLink *link)
{
    static const char *const known[] = {"inertial", "visual", "collision", "contact", NULL};
    static const char *const skipped[] = {"sensor", "self_collision_checking", "collision_checking", NULL};
    rg_reader_expect(urdf->reader, link->xml, known, skipped);
    link->joint = link->self_collide = -1;
    link->surface = rg_shape_def_default().surface;
    const RgXml *inertial = rg_xml_child(link->xml, "inertial");
    if (inertial != NULL)
        link->inertia = read_inertial(urdf->reader, inertial);
    const RgXml *contact = rg_xml_child(link->xml, "contact");
    if (contact != NULL)
        rg_urdf_contact_read(urdf->reader, contact, &link->surface);
}

/* Adds the name of an element to a map; *name: the name. False: there is none, or a duplicate (the error is set). */
static bool enter_name(RgUrdf *urdf, RgNameMap *map, const RgXml *element, int value, const char **name)
{
    RgReader *reader = urdf->reader;
    *name = rg_reader_name(reader, element, "name");
    if (*name == NULL)
        return false;
    int other = rg_name_map_find(map, *name);
    if (other >= 0) {
        const RgXml *first = map == &urdf->link_names ? urdf->links[other].xml : urdf->joints[other].xml;
        return rg_reader_fail(reader, RG_ERR_MODEL, element, "duplicate %s name '%s' (first on line %d)", element->name,
                              *name, first->line);
    }
    return rg_name_map_set(map, &reader->arena, *name, value) || rg_reader_fail_memory(reader);
}

static int count_children(const RgXml *root, const char *name)
{
    int count = 0;
    for (const RgXml *child = root->first; child != NULL; child = child->next)
        count += strcmp(child->name, name) == 0;
    return count;
}

static bool collect_elements(RgUrdf *urdf)
{
    RgReader *reader = urdf->reader;
    urdf->links = RG_ARENA_ALLOC(&reader->arena, RgUrdfLink, count_children(urdf->root, "link"));
    urdf->joints = RG_ARENA_ALLOC(&reader->arena, RgUrdfJoint, count_children(urdf->root, "joint"));
    if (urdf->links == NULL || urdf->joints == NULL)
        return rg_reader_fail_memory(reader);
    for (const RgXml *child = urdf->root->first; child != NULL && rg_reader_ok(reader); child = child->next) {
        if (strcmp(child->name, "link") == 0) {
            RgUrdfLink *link = &urdf->links[urdf->nlinks];
            link->xml = child;
            if (enter_name(urdf, &urdf->link_names, child, urdf->nlinks++, &link->name))
                read_link(urdf, link);
        } else if (strcmp(child->name, "joint") == 0) {
            RgUrdfJoint *joint = &urdf->joints[urdf->njoints];
            joint->xml = child;
            joint->def = rg_joint_def_default();
            if (enter_name(urdf, &urdf->joint_names, child, urdf->njoints++, &joint->def.name))
                rg_urdf_joint_read(urdf, joint);
        } else if (strncmp(child->name, "xacro:", 6) == 0) {
            rg_reader_fail(reader, RG_ERR_UNSUPPORTED, child, "<%s>: this is a xacro file, expand it to URDF first",
                           child->name);
        }
    }
    if (rg_reader_ok(reader) && urdf->nlinks == 0)
        rg_reader_fail(reader, RG_ERR_MODEL, urdf->root, "<robot> without links");
    return rg_reader_ok(reader);
}

/* ------------------------------------------------------------------ connect */

/* Index of the link that <parent link> or <child link> of a joint names. -1: not in the file; -2: an error. */
static int find_end(RgUrdf *urdf, const RgUrdfJoint *joint, const char *end, const char **name)
{
    const RgXml *element = rg_xml_child(joint->xml, end);
    if (element == NULL) {
        rg_reader_fail(urdf->reader, RG_ERR_SYNTAX, joint->xml, "joint '%s' needs <%s link='...'/>", joint->def.name,
                       end);
        return -2;
    }
    *name = rg_reader_name(urdf->reader, element, "link");
    return *name != NULL ? rg_name_map_find(&urdf->link_names, *name) : -2;
}

static bool connect_joints(RgUrdf *urdf)
{
    RgReader *reader = urdf->reader;
    for (int i = 0; i < urdf->njoints; i++) {
        RgUrdfJoint *joint = &urdf->joints[i];
        const char *parent = "", *child = "";
        joint->parent = find_end(urdf, joint, "parent", &parent);
        joint->child = find_end(urdf, joint, "child", &child);
        if (!rg_reader_ok(reader))
            return false;
        if (joint->parent == -1)
            return rg_reader_fail(reader, RG_ERR_MODEL, joint->xml, "joint '%s': its parent link '%s' is not defined",
                                  joint->def.name, parent);
        if (joint->child == -1) {
            rg_reader_warn(reader, joint->xml, "joint '%s' is dropped: its child link '%s' is not defined in this file",
                           joint->def.name, child);
            continue;
        }
        RgUrdfLink *link = &urdf->links[joint->child];
        if (link->joint >= 0)
            return rg_reader_fail(
                reader, RG_ERR_MODEL, joint->xml, "link '%s' has two parents: joint '%s' (line %d) and joint '%s'",
                child, urdf->joints[link->joint].def.name, urdf->joints[link->joint].xml->line, joint->def.name);
        link->joint = i;
    }
    return true;
}

/* ------------------------------------------------------------------ place */

/* Lists of joints by parent: heads[link] is the first joint, joints[i].next the next. -1: the end. */
static void list_joints(RgUrdf *urdf, int *heads)
{
    for (int i = 0; i < urdf->nlinks; i++)
        heads[i] = -1;
    for (int i = urdf->njoints - 1; i >= 0; i--) {
        RgUrdfJoint *joint = &urdf->joints[i];
        if (joint->child < 0)
            continue;
        joint->next = heads[joint->parent];
        heads[joint->parent] = i;
    }
}

/* Breadth first from the roots. Links that are not reached belong to a cycle or depend on one. */
static bool place_links(RgUrdf *urdf)
{
    RgReader *reader = urdf->reader;
    int *heads = RG_ARENA_ALLOC(&reader->arena, int, urdf->nlinks),
        *queue = RG_ARENA_ALLOC(&reader->arena, int, urdf->nlinks);
    bool *reached = RG_ARENA_ALLOC(&reader->arena, bool, urdf->nlinks);
    if (heads == NULL || queue == NULL || reached == NULL)
        return rg_reader_fail_memory(reader);
    list_joints(urdf, heads);
    int count = 0;
    for (int i = 0; i < urdf->nlinks; i++)
        if (urdf->links[i].joint < 0) {
            urdf->links[i].X_WL = urdf->X_WM;
            reached[i] = true;
            queue[count++] = i;
        }
    if (count > 1)
        rg_reader_warn(reader, urdf->root, "robot '%s' has %d root links: the parts move independently", urdf->group,
                       count);
    for (int at = 0; at < count; at++)
        for (int j = heads[queue[at]]; j >= 0; j = urdf->joints[j].next) {
            int child = urdf->joints[j].child;
            urdf->links[child].X_WL = pose_mul(urdf->links[queue[at]].X_WL, urdf->joints[j].def.X_PJ);
            reached[child] = true;
            queue[count++] = child;
        }
    for (int i = 0; i < urdf->nlinks && count < urdf->nlinks; i++)
        if (!reached[i])
            return rg_reader_fail(reader, RG_ERR_MODEL, urdf->joints[urdf->links[i].joint].xml,
                                  "joint '%s': link '%s' is part of a cycle or hangs on one",
                                  urdf->joints[urdf->links[i].joint].def.name, urdf->links[i].name);
    return true;
}

/* ------------------------------------------------------------------ add */

static bool is_welded(const RgUrdf *urdf, const RgUrdfLink *link)
{
    RgBase base = urdf->reader->options->base;
    if (link->joint >= 0 || base == RG_BASE_FLOATING)
        return false;
    return base == RG_BASE_FIXED || urdf->is_static || link->inertia.mass == 0.0 || strcmp(link->name, "world") == 0;
}

static void add_link(RgUrdf *urdf, RgUrdfLink *link)
{
    RgLinkDef def = rg_link_def_default();
    def.name = link->name;
    def.group = urdf->group;
    def.inertia = link->inertia;
    def.X_WL = link->X_WL;
    def.is_static = is_welded(urdf, link);
    def.self_collide =
        rg_reader_self_collide(urdf->reader, link->self_collide >= 0 ? link->self_collide > 0 : urdf->self_collide);
    def.line = link->xml->line;
    link->id = rg_builder_add_link(urdf->reader->builder, &def);
    if (link->id.i == 0)
        rg_reader_fail_builder(urdf->reader);
    else
        rg_urdf_shapes_add(urdf, link);
}

static void add_joint(RgUrdf *urdf, RgUrdfJoint *joint)
{
    joint->def.parent = urdf->links[joint->parent].id;
    joint->def.child = urdf->links[joint->child].id;
    joint->id = rg_builder_add_joint(urdf->reader->builder, &joint->def);
    if (joint->id.i == 0)
        rg_reader_fail_builder(urdf->reader);
}

/* RgLinkFind: a link by its name; "world" is the world if no link is called so. */
static bool find_link(void *context, const char *name, RgLinkId *out)
{
    const RgUrdf *urdf = context;
    int found = rg_name_map_find(&urdf->link_names, name);
    out->i = found >= 0 ? urdf->links[found].id.i : 0;
    return found >= 0 || strcmp(name, "world") == 0;
}

static void urdf_read(RgReader *reader, const RgXml *root)
{
    static const char *const known[] = {"link",
                                        "joint",
                                        "transmission",
                                        "ros2_control",
                                        "gazebo",
                                        "material",
                                        "drake:collision_filter_group",
                                        "disable_collisions",
                                        "enable_collisions",
                                        NULL};
    static const char *const skipped[] = {"plugin", "sensor", "mujoco", "loop_joint", "gripper", NULL};
    RgUrdf urdf = {.reader = reader, .root = root, .X_WM = reader->options->X_WM};
    urdf.last_transmission = &urdf.transmissions;
    const char *name = rg_xml_attribute(root, "name");
    urdf.group = reader->options->group != NULL    ? reader->options->group
                 : name != NULL && name[0] != '\0' ? name
                                                   : "robot";
    rg_reader_expect(reader, root, known, skipped);
    if (!collect_elements(&urdf) || !connect_joints(&urdf))
        return;
    if (!rg_urdf_colours_collect(reader, root, &urdf.colours)) {
        rg_reader_fail_memory(reader);
        return;
    }

    /* Transmissions first: a <gazebo> block may add the rotor. */
    for (const RgXml *child = root->first; child != NULL; child = child->next)
        if (strcmp(child->name, "transmission") == 0)
            rg_urdf_transmission_read(&urdf, child);
        else if (strcmp(child->name, "ros2_control") == 0)
            rg_urdf_control_read(&urdf, child);
    for (const RgXml *child = root->first; child != NULL; child = child->next)
        if (strcmp(child->name, "gazebo") == 0)
            rg_urdf_gazebo_read(&urdf, child);
    if (!rg_reader_ok(reader) || !place_links(&urdf))
        return;

    rg_builder_set_name(reader->builder, urdf.group);
    rg_builder_set_file(reader->builder, root->file);
    for (int i = 0; i < urdf.nlinks && rg_reader_ok(reader); i++)
        add_link(&urdf, &urdf.links[i]);
    for (int i = 0; i < urdf.njoints && rg_reader_ok(reader); i++)
        if (urdf.joints[i].child >= 0)
            add_joint(&urdf, &urdf.joints[i]);
    rg_urdf_mimic_add(&urdf);
    rg_urdf_transmissions_add(&urdf);
    rg_collision_pairs_read(reader, root, find_link, &urdf);
}

const RgSceneFormat rg_scene_format_urdf = {"urdf", "robot", urdf_read};
