/*
 * model.h - description of a mechanism, and the checked, immutable model compiled from it.
 *
 *   builder (links, joints, shapes, frames, couplings in any order)  -- rg_builder_finish -->  RgModel
 *
 * A link is a rigid part, as in robot files. A joint connects a child link to a parent link (or to the world). The
 * joints of a spanning forest are tree joints, all others are loop joints. Links welded together form one body: the
 * model has nb moving bodies, each moved by one joint with nv_i velocities. A link without a chain of joints to the
 * world floats on a free joint.
 *
 *   X_PJ          joint frame J on the parent link; joint axes are given in J
 *   X_CJ          the same frame on the child link: at q = 0 the two coincide
 *   q, v          stacked over bodies; v is dq/dt except for
 *                   spherical: q = quaternion of child in parent, v = angular velocity in child axes
 *                   free: q = (quaternion, position), v = (angular velocity in child axes, dp/dt in parent axes)
 */
#ifndef RIGOR_MODEL_H
#define RIGOR_MODEL_H

#include <rigor/base.h>
#include <rigor/math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Typed indices: a zeroed id is null; for links the null id is the world. */
typedef struct RgLinkId {
    int32_t i; /* index + 1 */
} RgLinkId;
typedef struct RgJointId {
    int32_t i;
} RgJointId;
typedef struct RgShapeId {
    int32_t i;
} RgShapeId;
typedef struct RgFrameId {
    int32_t i;
} RgFrameId;

/* Joint kinds: name, number of positions, number of velocities. */
#define RG_JOINT_LIST(X)                                                                                               \
    X(fixed, 0, 0)                                                                                                     \
    X(revolute, 1, 1)                                                                                                  \
    X(continuous, 1, 1)                                                                                                \
    X(prismatic, 1, 1)                                                                                                 \
    X(screw, 1, 1)                                                                                                     \
    X(cylindrical, 2, 2)                                                                                               \
    X(universal, 2, 2)                                                                                                 \
    X(spherical, 4, 3)                                                                                                 \
    X(planar, 3, 3)                                                                                                    \
    X(free, 7, 6)

typedef enum RgJointType {
#define RG_JOINT_ENUM(name, nq, nv) RG_JOINT_##name,
    RG_JOINT_LIST(RG_JOINT_ENUM)
#undef RG_JOINT_ENUM
        RG_JOINT_COUNT
} RgJointType;

/* Shape kinds. */
#define RG_SHAPE_LIST(X)                                                                                               \
    X(sphere) X(box) X(capsule) X(cylinder) X(ellipsoid) X(polytope) X(halfspace) X(mesh) X(heightfield)

typedef enum RgShapeType {
#define RG_SHAPE_ENUM(name) RG_SHAPE_##name,
    RG_SHAPE_LIST(RG_SHAPE_ENUM)
#undef RG_SHAPE_ENUM
        RG_SHAPE_COUNT
} RgShapeType;

typedef struct RgLinkDef {
    uint32_t cookie;
    const char *name;
    const char *group; /* name of its robot, or NULL; names are unique within a group */
    RgInertia inertia; /* in the link frame; zero mass and zero inertia: the link only carries frames */
    RgPose X_WL;       /* pose in the world at q = 0, of roots (world-fixed or floating) */
    bool is_static;    /* welded to the world at X_WL */
    bool self_collide; /* can touch other links of its group that are self_collide too; default false */
    int line;          /* line of its file, for messages; 0: not from a file */
} RgLinkDef;

/* Passive properties and limits of a joint axis, one per velocity. Stiffness, damping, friction, rotor 0: none. */
typedef struct RgAxisDef {
    double lower, upper;    /* rad or m; -inf and inf: unlimited */
    double limit_stiffness; /* N m/rad or N/m beyond a limit; 0 or inf: rigid */
    double limit_damping;   /* N m s/rad or N s/m beyond a limit that is not rigid */
    double velocity_limit;  /* rad/s or m/s; inf: none */
    double effort_limit;    /* N m or N; inf: none */
    double damping;         /* N m s/rad or N s/m: tau = -damping v */
    double friction;        /* dry friction, N m or N */
    double stiffness;       /* N m/rad or N/m: tau = -stiffness (q - rest) */
    double rest;            /* rad or m */
    double rotor_inertia;   /* kg m^2 (kg) of the motor's rotor, before the gear */
    double gear_ratio;      /* rotor turns per joint turn: adds gear_ratio^2 rotor_inertia to the joint's inertia */
} RgAxisDef;

typedef struct RgJointDef {
    uint32_t cookie;
    const char *name;
    const char *group;
    RgJointType type;
    RgLinkId parent; /* null id: the world */
    RgLinkId child;
    RgPose X_PJ, X_CJ;
    /* in J, of any length except 0: axis of rotation, sliding or screw motion; planar: normal; universal: first axis */
    RgVec3 axis;
    RgVec3 axis2;        /* universal: second axis, in J at q = 0 */
    double pitch;        /* screw: m per rad */
    RgAxisDef dof[6];    /* one per velocity of the kind */
    bool may_close_loop; /* in a cycle it becomes a loop joint; if false a cycle is an error */
    int line;
} RgJointDef;

/* Mimic or gear: q[joint] = ratio * q[reference] + offset, an equality constraint between one velocity of each joint
   (dof, reference_dof). */
typedef struct RgCouplingDef {
    uint32_t cookie;
    const char *name;
    RgJointId joint, reference;
    int dof, reference_dof;
    double ratio, offset;
    int line;
} RgCouplingDef;

/*
 * How one motor drives one axis, as given by a file: v_motor = sum ratio_k v_k over the axes that the motor drives, and
 * effort on axis k = ratio_k effort of the motor. A simple transmission is one of these, a differential four.
 *
 * Stored as information only. The dynamics uses gear_ratio, rotor_inertia, effort_limit and velocity_limit of
 * RgAxisDef; code that adds a transmission sets these too, as the readers do.
 */
typedef struct RgTransmissionDef {
    uint32_t cookie;
    const char *name;     /* of the transmission; may be NULL */
    const char *actuator; /* may be NULL */
    RgJointId joint;
    int dof;
    double ratio;          /* turns of the motor per turn (or m) of the axis; not 0 */
    double offset;         /* rad or m of the axis where the motor stands at 0 */
    double rotor_inertia;  /* kg m^2 at the motor; 0: not given */
    double effort_limit;   /* N m at the motor; inf: none */
    double velocity_limit; /* rad/s at the motor; inf: none */
    int line;
} RgTransmissionDef;

/* Placement of a gear body. */
typedef enum RgGearPlace {
    /* A rotor on the parent, coaxial with the joint: the hinge JOINT_gear turns ratio times as far as the joint, which
       is unchanged. */
    RG_GEAR_BESIDE,
    /* Between the links (paper 002, Moby): parent - hinge JOINT_gear - gear - joint - child; the hinge turns ratio
       times as far as the joint. The links turn by 1 + ratio times the joint's angle; its limits, damping, spring,
       rotor, couplings and transmissions are converted accordingly. Rotational joints only; ratio -1 would lock the
       joint. */
    RG_GEAR_BETWEEN
} RgGearPlace;

/* A gear as a body of its own, JOINT_gear, at a joint of one axis. */
typedef struct RgGearDef {
    uint32_t cookie;
    RgJointId joint;
    RgGearPlace place; /* default RG_GEAR_BESIDE */
    double ratio;      /* turns of the gear per turn (or m) of the joint; not 0 */
    RgInertia inertia; /* in the joint frame J; default 1 kg, 1 kg m^2 about all axes through the joint */
    int line;
} RgGearDef;

/* A triangle mesh: vertices xyz, three vertex indices per face. Copied by the builder. The parts are the objects of a
   mesh file: part k has the faces part_start[k] ... part_start[k + 1] - 1. */
typedef struct RgMeshData {
    const double *vertices; /* 3 * nvertices */
    const int32_t *faces;   /* 3 * nfaces; a polytope needs none */
    int32_t nvertices, nfaces;
    const int32_t *part_start; /* nparts + 1; NULL: all faces are one part */
    int32_t nparts;
} RgMeshData;

/* Representation of a mesh in contact. */
typedef enum RgMeshUse {
    RG_MESH_AUTO,    /* moving links: the hull of each part; fixed links: the surface */
    RG_MESH_SURFACE, /* its triangles; no contact with another surface */
    RG_MESH_HULL,    /* one convex hull of everything */
    RG_MESH_PARTS    /* the convex hull of each part */
} RgMeshUse;

/* Contact parameters as in files, for the contact law (docs/contact.md); NaN: not given. */
typedef struct RgSurfaceDef {
    double mu, mu2;
    RgVec3 fdir1;
    double slip1, slip2;
    double restitution, restitution_threshold;
    double kp, kd;
    double max_vel, min_depth;
    double torsional, rolling; /* m: friction moments about the normal and across it, per normal force */
    double torsional_depth;    /* root of m: adds to torsional this times the root of the overlap */
    double torsional_slip;     /* rad/s per N m: angular velocity about the normal per friction moment */
} RgSurfaceDef;

typedef struct RgShapeDef {
    uint32_t cookie;
    const char *name;
    RgShapeType type;
    RgLinkId link; /* null id: the world */
    RgPose X_LS;   /* shape frame in the link */
    /* sphere: r; box: full lengths; capsule: r, length of its axis segment; cylinder: r, length (axis z); ellipsoid:
       half axes; polytope: scale; halfspace z <= 0: none; mesh: scale; heightfield: full size x y, height scale */
    double size[3];
    RgMeshData mesh;       /* mesh; polytope: the hull of the vertices */
    RgMeshUse mesh_use;    /* mesh; default RG_MESH_AUTO */
    const double *heights; /* heightfield: rows * columns, row-major, y by rows */
    int32_t rows, columns;
    bool is_visual;   /* for drawing only */
    double colour[4]; /* for drawing: red, green, blue, opacity, 0 ... 1; red NaN (default): not given */
    const char *uri;  /* source of the mesh, or NULL */
    bool uri_missing; /* the file of uri was not found: the shape has no geometry */
    RgSurfaceDef surface;
    /* Two shapes can touch only if the category of each has a bit in the other's mask; default all ones. */
    uint32_t category, mask;
    int line;
} RgShapeDef;

/* Two links that never touch, or that can touch regardless of groups, masks and common joints. The last definition of a
   pair counts. */
typedef struct RgCollisionPairDef {
    uint32_t cookie;
    RgLinkId link_a, link_b; /* null id: the world */
    bool collide;            /* default false */
    int line;
} RgCollisionPairDef;

typedef struct RgFrameDef {
    uint32_t cookie;
    const char *name;
    const char *group;
    RgLinkId link;
    RgPose X_LF;
    int line;
} RgFrameDef;

/* Settings of a world file for solver and stepper; NaN or -1: not given. */
typedef struct RgPhysicsHints {
    RgVec3 gravity; /* m/s^2 */
    bool has_gravity;
    double max_step; /* s */
    double ode_sor, ode_erp, ode_cfm, ode_max_correcting_vel, ode_surface_layer;
    int ode_iterations, ode_preconditioning_iterations;
    char ode_solver[16];     /* "quick", "world" or empty */
    char friction_model[24]; /* "pyramid_model", "cone_model", "box_model" or empty */
    bool use_dynamic_inertia_scaling;
} RgPhysicsHints;

RG_API RgLinkDef rg_link_def_default(void);
RG_API RgAxisDef rg_axis_def_default(void);
RG_API RgJointDef rg_joint_def_default(void);
RG_API RgCouplingDef rg_coupling_def_default(void);
RG_API RgTransmissionDef rg_transmission_def_default(void);
RG_API RgGearDef rg_gear_def_default(void);
RG_API RgShapeDef rg_shape_def_default(void);
RG_API RgFrameDef rg_frame_def_default(void);
RG_API RgCollisionPairDef rg_collision_pair_def_default(void);

/* ------------------------------------------------------------------ builder */

typedef struct RgBuilder RgBuilder;
typedef struct RgModel RgModel;

/* allocator, log: copied; NULL: malloc, no log. Returns NULL if out of memory. */
RG_API RgBuilder *rg_builder_create(const RgAllocator *allocator, const RgLog *log);
RG_API void rg_builder_destroy(RgBuilder *builder);

/* Name of the model, and name of the file that the line numbers of later defs refer to (for messages). */
RG_API void rg_builder_set_name(RgBuilder *builder, const char *name);
RG_API void rg_builder_set_file(RgBuilder *builder, const char *file);
RG_API void rg_builder_set_hints(RgBuilder *builder, const RgPhysicsHints *hints);
RG_API const RgPhysicsHints *rg_builder_hints(const RgBuilder *builder);

/* These functions copy the def. On invalid use or numbers they return a null id; rg_builder_error has the first
   error. */
RG_API RgLinkId rg_builder_add_link(RgBuilder *builder, const RgLinkDef *def);
RG_API RgJointId rg_builder_add_joint(RgBuilder *builder, const RgJointDef *def);
RG_API RgShapeId rg_builder_add_shape(RgBuilder *builder, const RgShapeDef *def);
RG_API RgFrameId rg_builder_add_frame(RgBuilder *builder, const RgFrameDef *def);
RG_API bool rg_builder_add_coupling(RgBuilder *builder, const RgCouplingDef *def);
RG_API bool rg_builder_add_transmission(RgBuilder *builder, const RgTransmissionDef *def);
RG_API bool rg_builder_add_collision_pair(RgBuilder *builder, const RgCollisionPairDef *def);

/* Adds link JOINT_gear, joint JOINT_gear and the coupling of the two. Returns the new joint; null id: refused. */
RG_API RgJointId rg_builder_add_gear(RgBuilder *builder, const RgGearDef *def);

/* Numbers of definitions so far. */
typedef struct RgBuilderInfo {
    int links, joints, shapes, frames, couplings, transmissions, collision_pairs;
} RgBuilderInfo;
RG_API RgBuilderInfo rg_builder_info(const RgBuilder *builder);

/* Definitions so far; NULL: no such definition. Ids are numbered from 1 in the order of adding; indices from 0. A view
   is valid until the builder changes. */
RG_API const RgLinkDef *rg_builder_link(const RgBuilder *builder, RgLinkId link);
RG_API const RgJointDef *rg_builder_joint(const RgBuilder *builder, RgJointId joint);
RG_API const RgShapeDef *rg_builder_shape(const RgBuilder *builder, RgShapeId shape);
RG_API const RgCouplingDef *rg_builder_coupling(const RgBuilder *builder, int index);
RG_API const RgTransmissionDef *rg_builder_transmission(const RgBuilder *builder, int index);

/* Replace a definition, typically by a modified copy of a view. Same checks as for adding; name, group and actuator
   cannot change. False: refused, the definition is unchanged, and rg_builder_error has the error. */
RG_API bool rg_builder_set_link(RgBuilder *builder, RgLinkId link, const RgLinkDef *def);
RG_API bool rg_builder_set_joint(RgBuilder *builder, RgJointId joint, const RgJointDef *def);
RG_API bool rg_builder_set_shape(RgBuilder *builder, RgShapeId shape, const RgShapeDef *def);
RG_API bool rg_builder_set_coupling(RgBuilder *builder, int index, const RgCouplingDef *def);
RG_API bool rg_builder_set_transmission(RgBuilder *builder, int index, const RgTransmissionDef *def);

RG_API RgLinkId rg_builder_find_link(const RgBuilder *builder, const char *group, const char *name);
RG_API RgJointId rg_builder_find_joint(const RgBuilder *builder, const char *group, const char *name);
RG_API const RgError *rg_builder_error(const RgBuilder *builder); /* status RG_OK if none */

/* Places a group in the world: multiplies X_WL of its root links by X_WG. */
RG_API void rg_builder_place_group(RgBuilder *builder, const char *group, RgPose X_WG);

/* Checks everything and compiles the model. On failure returns NULL and fills error (may be NULL). Does not change the
   builder. */
RG_API RgModel *rg_builder_finish(RgBuilder *builder, RgError *error);

/* ------------------------------------------------------------------ model */

RG_API void rg_model_destroy(RgModel *model);

typedef struct RgModelInfo {
    const char *name;
    int links, joints, loops, couplings, shapes, frames; /* joints: all of the file, including loop joints */
    int collision_pairs;                                 /* pairs of links with a rule in the file */
    int bodies;                                          /* moving bodies, each moved by one joint */
    int nq, nv;
    double mass;       /* kg, of all links */
    int transmissions; /* pairs of a motor and an axis that it drives */
} RgModelInfo;
RG_API RgModelInfo rg_model_info(const RgModel *model);
RG_API const RgPhysicsHints *rg_model_hints(const RgModel *model);

typedef struct RgLinkInfo {
    const char *name, *group;
    RgLinkId parent; /* link on the other side of its joint; null: world */
    RgJointId joint; /* tree joint that moves it; null: floating or welded to the world */
    int body;        /* its moving body, -1 for the world */
    bool floats;     /* root of a floating tree */
    bool self_collide;
    RgInertia inertia;    /* in the link frame */
    int q_index, v_index; /* first coordinates of its joint or free joint; -1 if none */
    int line;
} RgLinkInfo;
RG_API RgLinkInfo rg_model_link(const RgModel *model, RgLinkId link);

typedef struct RgJointInfo {
    const char *name, *group;
    RgJointType type;
    RgLinkId parent, child;
    RgVec3 axis; /* unit, in the joint frame J */
    RgVec3 axis2;
    double pitch;
    RgPose X_PJ, X_CJ;
    int nq, nv;
    int q_index, v_index; /* first coordinates; -1 for loop joints and fixed joints */
    bool is_loop;
    const RgAxisDef *dof; /* nv */
    bool is_length[6];    /* nv: units m, m/s and N; else rad, rad/s and N m */
    int line;
} RgJointInfo;
RG_API RgJointInfo rg_model_joint(const RgModel *model, RgJointId joint);

typedef struct RgShapeInfo {
    const char *name;
    RgShapeType type;
    RgLinkId link;
    RgPose X_LS;
    double size[3];
    RgMeshData mesh;
    const double *heights; /* heightfield: rows * columns */
    int32_t rows, columns;
    bool is_visual, uri_missing;
    double colour[4]; /* red NaN: not given */
    const char *uri;
    RgSurfaceDef surface;
    RgMeshUse mesh_use;
    uint32_t category, mask;
    int line;
} RgShapeInfo;
RG_API RgShapeInfo rg_model_shape(const RgModel *model, RgShapeId shape);

typedef struct RgFrameInfo {
    const char *name, *group;
    RgLinkId link;
    RgPose X_LF;
} RgFrameInfo;
RG_API RgFrameInfo rg_model_frame(const RgModel *model, RgFrameId frame);

RG_API RgCouplingDef rg_model_coupling(const RgModel *model, int index);
RG_API RgTransmissionDef rg_model_transmission(const RgModel *model, int index);
RG_API RgCollisionPairDef rg_model_collision_pair(const RgModel *model, int index);

/* By "name", or by "group::name" if several groups use the name. Null id: not found or ambiguous. */
RG_API RgLinkId rg_model_find_link(const RgModel *model, const char *name);
/* The same with a reason: RG_ERR_NOT_FOUND, error has the nearest name or says that several links are called so.
   "world", unless a link has that name: the null id. */
RG_API RgStatus rg_model_link_named(const RgModel *model, const char *name, RgLinkId *out, RgError *error);
RG_API RgJointId rg_model_find_joint(const RgModel *model, const char *name);
RG_API RgFrameId rg_model_find_frame(const RgModel *model, const char *name);

RG_API const char *rg_joint_type_name(RgJointType type);
RG_API bool rg_joint_type_has_axis(RgJointType type); /* RgJointDef.axis is used and must not be zero */
RG_API const char *rg_shape_type_name(RgShapeType type);

/* Joint positions at q = 0 (unit quaternions, floating bases at their X_WL). q: nq. */
RG_API void rg_model_neutral(const RgModel *model, double *q);

/* Principal moments (ascending) and axes (columns, in the frame of the inertia; may be NULL) about the centre of
   mass. */
RG_API void rg_principal_moments(const RgInertia *inertia, double moments[3], RgMat3 *axes);

/* Distance of a point in the link's frame from the convex hull of the link's collision shapes (of its visual shapes if
   it has no others); 0 inside. RG_ERR_NOT_FOUND: the link has no bounded shape. */
RG_API RgStatus rg_link_hull_distance(const RgModel *model, RgLinkId link, RgVec3 point, double *distance);

/* Mass, centre of mass and inertia of a shape of uniform density, exact, in the shape's frame. RG_ERR_UNSUPPORTED for
   open and flat shapes. */
RG_API RgStatus rg_shape_inertia(const RgShapeDef *shape, double density, RgInertia *out);

#ifdef __cplusplus
}
#endif
#endif
