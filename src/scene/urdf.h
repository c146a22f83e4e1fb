/* urdf.h - a URDF file while it is read: links and joints in file order, before they are added to the builder. */
#ifndef RIGOR_URDF_H
#define RIGOR_URDF_H

#include "scene/colour.h"
#include "scene/reader.h"

typedef struct RgUrdfLink {
    const RgXml *xml;
    const char *name;
    RgInertia inertia;
    RgSurfaceDef surface; /* of all its collision shapes */
    RgPose X_WL;          /* at q = 0 */
    int joint;            /* whose child it is, -1: root */
    int self_collide;     /* 0, 1; -1: as the whole robot */
    RgLinkId id;
} RgUrdfLink;

typedef struct RgUrdfJoint {
    const RgXml *xml;
    RgJointDef def;            /* parent and child are filled in once links have ids */
    int parent, child;         /* indices of links; child -1: not in the file, the joint is dropped */
    int next;                  /* next joint of the same parent, -1: none */
    const RgXml *transmission; /* its <transmission>; NULL: none */
    const RgXml *control;      /* <joint> of <ros2_control> with a mimic parameter; NULL: none */
    RgJointId id;
} RgUrdfJoint;

/* One motor of a transmission and one joint that it drives. */
typedef struct RgUrdfTransmission {
    RgTransmissionDef def; /* its joint is filled in once joints have ids */
    int joint;             /* index */
    struct RgUrdfTransmission *next;
} RgUrdfTransmission;

typedef struct RgUrdf {
    RgReader *reader;
    const RgXml *root;
    const char *group;
    RgUrdfLink *links;
    RgUrdfJoint *joints;
    int nlinks, njoints;
    RgNameMap link_names, joint_names;
    RgColours colours;
    RgUrdfTransmission *transmissions, **last_transmission; /* list in file order; where the next one is linked in */
    RgPose X_WM;                                            /* pose of the root links */
    bool is_static;                                         /* <gazebo><static> */
    bool self_collide;                                      /* default of the links */
} RgUrdf;

/* Pose from <origin xyz rpy> (or quat_xyzw); identity without <origin>. */
RgPose rg_urdf_origin(RgReader *reader, const RgXml *element);

/* Exactly count numbers from the attribute `value`, or without it from the element's text. */
bool rg_urdf_value(RgReader *reader, const RgXml *element, int count, double *out);

/* Reads kind, frame, axes, limits and dynamics of a <joint>, but not its links. */
void rg_urdf_joint_read(RgUrdf *urdf, RgUrdfJoint *joint);

/* Child <param name="NAME"> of an element; NULL: none. */
const RgXml *rg_urdf_param(const RgXml *element, const char *name);

/* Adds the <mimic> couplings. Every joint must have an id. */
void rg_urdf_mimic_add(RgUrdf *urdf);

/* Reads the surface values of <contact> in a link. */
void rg_urdf_contact_read(RgReader *reader, const RgXml *contact, RgSurfaceDef *surface);

/* Numbers as rg_urdf_value reads them, from the child with the first of these names (a list that ends in NULL) that the
   element has. False: it has none, or the error is set. */
bool rg_urdf_any(RgReader *reader, const RgXml *element, const char *const *names, int count, double *out);

/* <transmission>: gear ratios, rotors and motor limits; <ros2_control>: its transmissions and mimic parameters. */
void rg_urdf_transmission_read(RgUrdf *urdf, const RgXml *transmission);
void rg_urdf_control_read(RgUrdf *urdf, const RgXml *control);

/* Adds the list of transmissions to the builder. Every joint must have an id. */
void rg_urdf_transmissions_add(RgUrdf *urdf);

/* <gazebo>: springs, rotors, surfaces, self-collision, pose and static. */
void rg_urdf_gazebo_read(RgUrdf *urdf, const RgXml *gazebo);

/* Adds the <collision> and <visual> shapes of a link that has an id. */
void rg_urdf_shapes_add(RgUrdf *urdf, const RgUrdfLink *link);

#endif
