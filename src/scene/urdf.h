/* urdf.h - a URDF file while it is read: links and joints in file order, before they go to the builder. */
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
    int joint;            /* that carries it, -1: root */
    int self_collide;     /* -1: as the whole robot */
    RgLinkId id;
} RgUrdfLink;

typedef struct RgUrdfJoint {
    const RgXml *xml;
    RgJointDef def;            /* parent and child are filled when links have ids */
    int parent, child;         /* links; child -1: not in the file, the joint is dropped */
    int next;                  /* next joint of the same parent, -1: none */
    const RgXml *transmission; /* that drives it; NULL: none */
    const RgXml *control;      /* <joint> of <ros2_control> that makes it mimic another; NULL: none */
    RgJointId id;
} RgUrdfJoint;

/* A motor and a joint that it drives. */
typedef struct RgUrdfDrive {
    RgTransmissionDef def; /* its joint is filled when joints have ids */
    int joint;
    struct RgUrdfDrive *next;
} RgUrdfDrive;

typedef struct RgUrdf {
    RgReader *reader;
    const RgXml *root;
    const char *group;
    RgUrdfLink *links;
    RgUrdfJoint *joints;
    int nlinks, njoints;
    RgNameMap link_names, joint_names;
    RgColours colours;
    RgUrdfDrive *drives, **last_drive; /* in the order of the file */
    RgPose X_WM;                       /* where root links stand */
    bool is_static;                    /* <gazebo><static> */
    bool self_collide;
} RgUrdf;

/* <origin xyz rpy>: identity if the element has none. */
RgPose rg_urdf_origin(RgReader *reader, const RgXml *element);

/* A number that is either an attribute `value` or the element's text. */
bool rg_urdf_value(RgReader *reader, const RgXml *element, int count, double *out);

/* Kind, frame, axes, limits and dynamics of a <joint>; not its links. */
void rg_urdf_joint_read(RgUrdf *urdf, RgUrdfJoint *joint);

/* <param name="..."> of an element; NULL: none. */
const RgXml *rg_urdf_param(const RgXml *element, const char *name);

/* Adds the <mimic> couplings, once every joint has an id. */
void rg_urdf_mimic_add(RgUrdf *urdf);

/* Surface values of <contact> in a link. */
void rg_urdf_contact_read(RgReader *reader, const RgXml *contact, RgSurfaceDef *surface);

/* The same from the first child of these names (a list that ends in NULL) that is there; false: none is. */
bool rg_urdf_any(RgReader *reader, const RgXml *element, const char *const *names, int count, double *out);

/* <transmission>, also inside <ros2_control>: gear ratios, rotors, limits of motors; and their list to the builder,
   once every joint has an id. */
void rg_urdf_transmission_read(RgUrdf *urdf, const RgXml *transmission);
void rg_urdf_control_read(RgUrdf *urdf, const RgXml *control);
void rg_urdf_transmissions_add(RgUrdf *urdf);

/* <gazebo>: springs, surfaces, base. */
void rg_urdf_gazebo_read(RgUrdf *urdf, const RgXml *gazebo);

/* Adds the <collision> and <visual> shapes of a link that has an id. */
void rg_urdf_shapes_add(RgUrdf *urdf, const RgUrdfLink *link);

#endif
