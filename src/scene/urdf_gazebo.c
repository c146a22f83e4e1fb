/*
 * urdf_gazebo.c - extensions of simulators to URDF: <gazebo>, <contact>.
 *
 *   gazebo    reference = a link: surface values mu1 mu2 kp kd maxVel minDepth fdir1 slip1 slip2 for its collision
 *             shapes, selfCollide; reference = a joint: springStiffness, springReference, rotorInertia; without
 *             reference: static, pose and self_collide of the model
 *   contact   of a link, as in Bullet: lateral, rolling and spinning friction, restitution, stiffness, damping
 *
 * Settings of Gazebo's display, sensors and solver are ignored silently; plugins and sensors with a remark.
 */
#include "math/pose.h"
#include "scene/urdf.h"

#include <string.h>

/* The child with the first of several names that exists; NULL: none. */
static const RgXml *find_any_child(const RgXml *element, const char *const *names)
{
    for (; *names != NULL; names++) {
        const RgXml *child = rg_xml_child(element, *names);
        if (child != NULL)
            return child;
    }
    return NULL;
}

bool rg_urdf_any(RgReader *reader, const RgXml *element, const char *const *names, int count, double *out)
{
    const RgXml *child = find_any_child(element, names);
    return child != NULL && rg_urdf_value(reader, child, count, out);
}

/* <selfCollide> as text or in the attribute value: 0 or 1; fallback: not given. */
static int read_self_collide(RgReader *reader, const RgXml *gazebo, int fallback)
{
    static const char *const names[] = {"selfCollide", "self_collide", NULL};
    const RgXml *child = find_any_child(gazebo, names);
    if (child == NULL)
        return fallback;
    const char *value = rg_xml_attribute(child, "value");
    return rg_reader_flag(reader, child, value != NULL ? value : child->text);
}

static void read_surface(RgReader *reader, const RgXml *gazebo, RgSurfaceDef *surface)
{
    static const char *const mu[] = {"mu1", "mu", NULL}, *const mu2[] = {"mu2", NULL}, *const kp[] = {"kp", NULL},
                             *const kd[] = {"kd", NULL}, *const max_vel[] = {"maxVel", "max_vel", NULL},
                             *const min_depth[] = {"minDepth", "min_depth", NULL}, *const slip1[] = {"slip1", NULL},
                             *const slip2[] = {"slip2", NULL}, *const fdir1[] = {"fdir1", NULL};
    rg_urdf_any(reader, gazebo, mu, 1, &surface->mu);
    rg_urdf_any(reader, gazebo, mu2, 1, &surface->mu2);
    rg_urdf_any(reader, gazebo, kp, 1, &surface->kp);
    rg_urdf_any(reader, gazebo, kd, 1, &surface->kd);
    rg_urdf_any(reader, gazebo, max_vel, 1, &surface->max_vel);
    rg_urdf_any(reader, gazebo, min_depth, 1, &surface->min_depth);
    rg_urdf_any(reader, gazebo, slip1, 1, &surface->slip1);
    rg_urdf_any(reader, gazebo, slip2, 1, &surface->slip2);
    double direction[3] = {surface->fdir1.x, surface->fdir1.y, surface->fdir1.z};
    rg_urdf_any(reader, gazebo, fdir1, 3, direction);
    surface->fdir1 = v3(direction[0], direction[1], direction[2]);
}

void rg_urdf_contact_read(RgReader *reader, const RgXml *contact, RgSurfaceDef *surface)
{
    static const char *const mu[] = {"lateral_friction", NULL}, *const rolling[] = {"rolling_friction", NULL},
                             *const torsional[] = {"spinning_friction", NULL},
                             *const restitution[] = {"restitution", NULL}, *const kp[] = {"stiffness", NULL},
                             *const kd[] = {"damping", NULL};
    rg_urdf_any(reader, contact, mu, 1, &surface->mu);
    surface->mu2 = surface->mu;
    rg_urdf_any(reader, contact, rolling, 1, &surface->rolling);
    rg_urdf_any(reader, contact, torsional, 1, &surface->torsional);
    rg_urdf_any(reader, contact, restitution, 1, &surface->restitution);
    rg_urdf_any(reader, contact, kp, 1, &surface->kp);
    rg_urdf_any(reader, contact, kd, 1, &surface->kd);
}

static void read_spring(RgReader *reader, const RgXml *gazebo, RgAxisDef *dof)
{
    static const char *const rotor[] = {"rotorInertia", "rotor_inertia", "drake:rotor_inertia", NULL};
    static const char *const stiffness[] = {"springStiffness", "spring_stiffness", NULL}, *const rest[] = {
                                                                                              "springReference",
                                                                                              "spring_reference", NULL};
    rg_urdf_any(reader, gazebo, stiffness, 1, &dof->stiffness);
    rg_urdf_any(reader, gazebo, rest, 1, &dof->rest);
    rg_urdf_any(reader, gazebo, rotor, 1, &dof->rotor_inertia);
}

/* A <gazebo> without reference: values of the whole robot. */
static void read_model(RgUrdf *urdf, const RgXml *gazebo)
{
    static const char *const known[] = {"static", "pose", "self_collide", "selfCollide", "allow_auto_disable", NULL};
    static const char *const skipped[] = {"plugin", "sensor", "light", "gripper", NULL};
    RgReader *reader = urdf->reader;
    rg_reader_expect(reader, gazebo, known, skipped);
    urdf->is_static |= rg_reader_child_flag(reader, gazebo, "static", false);
    urdf->self_collide = read_self_collide(reader, gazebo, urdf->self_collide);
    double pose[6];
    if (rg_reader_child(reader, gazebo, "pose", 6, pose)) {
        RgPose X = {m3_from_rpy(pose[3], pose[4], pose[5]), {pose[0], pose[1], pose[2]}};
        urdf->X_WM = pose_mul(urdf->X_WM, X);
    }
}

/* Known children of a <gazebo> block of a link, and of a joint; children skipped in both. */
static const char *const link_known[] = {"mu1",
                                         "mu",
                                         "mu2",
                                         "kp",
                                         "kd",
                                         "maxVel",
                                         "max_vel",
                                         "minDepth",
                                         "min_depth",
                                         "slip1",
                                         "slip2",
                                         "fdir1",
                                         "selfCollide",
                                         "material",
                                         "maxContacts",
                                         "laserRetro",
                                         "self_collide",
                                         "max_contacts",
                                         "visual",
                                         "dampingFactor",
                                         "implicitSpringDamper",
                                         "provideFeedback",
                                         NULL};
static const char *const joint_known[] = {"springStiffness",
                                          "spring_stiffness",
                                          "springReference",
                                          "spring_reference",
                                          "rotorInertia",
                                          "rotor_inertia",
                                          "drake:rotor_inertia",
                                          "stopCfm",
                                          "stopErp",
                                          "fudgeFactor",
                                          "implicitSpringDamper",
                                          "cfmDamping",
                                          "provideFeedback",
                                          "preserveFixedJoint",
                                          "disableFixedJointLumping",
                                          "initial_joint_position",
                                          NULL};
static const char *const skipped[] = {
    "plugin",         "sensor",       "light",      "gravity", "turnGravityOff", "kinematic", "collision",
    "velocity_decay", "audio_source", "audio_sink", "battery", "projector",      NULL};

void rg_urdf_gazebo_read(RgUrdf *urdf, const RgXml *gazebo)
{
    RgReader *reader = urdf->reader;
    const char *name = rg_xml_attribute(gazebo, "reference");
    if (name == NULL || name[0] == '\0') {
        read_model(urdf, gazebo);
        return;
    }

    /* A link and a joint may have the same name: the block then applies to both. */
    int link = rg_name_map_find(&urdf->link_names, name), joint = rg_name_map_find(&urdf->joint_names, name);
    if (link >= 0) {
        read_surface(reader, gazebo, &urdf->links[link].surface);
        urdf->links[link].self_collide = read_self_collide(reader, gazebo, urdf->links[link].self_collide);
    }
    if (joint >= 0)
        read_spring(reader, gazebo, &urdf->joints[joint].def.dof[0]);
    if (link >= 0)
        rg_reader_expect(reader, gazebo, link_known, skipped);
    else if (joint >= 0)
        rg_reader_expect(reader, gazebo, joint_known, skipped);
    else
        rg_reader_warn(reader, gazebo, "<gazebo reference='%s'>: no such link or joint; skipped", name);
}
