/*
 * model.h - how a mechanism is described, and the checked, immutable model that comes of it.
 *
 *   builder (links, joints, shapes, frames, couplings in any order)  -- rg_builder_finish -->  RgModel
 *
 * A link is what a robot file calls a link. A joint connects a child link to a parent link (or to the world);
 * the joints that span the forest are tree joints, every further one is a loop joint. Links welded together
 * move as one body: the model has nb bodies, each moved by one joint with nv_i velocities. A link that no
 * joint ties to the world floats on a free joint.
 *
 *   X_PJ          joint frame J on the parent link; joint axes are given in J
 *   X_CJ          the same frame on the child link: at q = 0 the two coincide
 *   q, v          stacked over bodies; v is dq/dt except: spherical q = quaternion of child in parent, v =
 *   angular velocity in
 *                 child axes; free q = (quaternion, position), v = (angular velocity in child axes, dp/dt in
 *                 parent axes)
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
    const char *group; /* name of the robot it belongs to, or NULL; names are unique within a group */
    RgInertia inertia; /* in the link frame; zero mass with zero inertia is a mere frame carrier */
    RgPose X_WL;       /* where the link stands at q = 0, used for roots (world-fixed or floating) */
    bool is_static;    /* welded to the world where it stands */
    bool self_collide; /* may touch other links of its group that are self_collide too; default false */
    int line;          /* where it came from, for messages; 0 if from code */
} RgLinkDef;

/* What a joint axis resists and allows; one a velocity. Zero stiffness, damping, friction, rotor: none. */
typedef struct RgAxisDef {
    double lower, upper;    /* rad or m; -inf and inf: unlimited */
    double limit_stiffness; /* N m/rad or N/m beyond a limit; 0 or inf: rigid */
    double limit_damping;   /* N m s/rad or N s/m there; of a limit that is not rigid */
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
    RgVec3
        /* in J, any length but zero: turning, sliding or screw axis; normal of a planar joint; universal:
           first axis */
        axis;
    RgVec3 axis2;        /* universal: second axis, in J at q = 0 */
    double pitch;        /* screw: m per rad */
    RgAxisDef dof[6];    /* one a velocity of the kind */
    bool may_close_loop; /* a cycle makes it a loop joint; otherwise a cycle is an error */
    int line;
} RgJointDef;

/* Mimic or gear: q[joint] = ratio * q[reference] + offset, a hard row. Both joints have one velocity each
   on the given dof. */
typedef struct RgCouplingDef {
    uint32_t cookie;
    const char *name;
    RgJointId joint, reference;
    int dof, reference_dof;
    double ratio, offset;
    int line;
} RgCouplingDef;

/*
 * How one motor drives one axis, as a file tells it: v_motor = sum ratio_k v_k over the axes that the motor drives, and
 * effort on axis k = ratio_k effort of the motor. A simple transmission is one of these, a differential four.
 *
 * It is kept to be told. What the motion needs of it stands in RgAxisDef: gear_ratio, rotor_inertia, effort_limit,
 * velocity_limit; who adds transmissions sets these, too, as readers do.
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

/* Where a gear body goes. */
typedef enum RgGearPlace {
    /* A rotor on the parent, coaxial with the joint: the hinge JOINT_gear turns ratio times as the joint, which stays
       as it is. */
    RG_GEAR_BESIDE,
    /* Between the links (paper 002, Moby): parent - hinge JOINT_gear - gear - joint - child, and the hinge turns ratio
       times as the joint. The links turn by 1 + ratio times the joint's angle; its limits, damping, spring, rotor,
       couplings and transmissions are converted to that. Joints that turn only; ratio -1 would lock it. */
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

/* A triangle mesh: vertices xyz, three vertex indices a face. Copied by the builder. A file of many
   objects keeps them apart: part k has the faces part_start[k] ... part_start[k + 1] - 1. */
typedef struct RgMeshData {
    const double *vertices; /* 3 * nvertices */
    const int32_t *faces;   /* 3 * nfaces; a polytope needs none */
    int32_t nvertices, nfaces;
    const int32_t *part_start; /* nparts + 1; NULL: all faces are one part */
    int32_t nparts;
} RgMeshData;

/* What stands for a mesh in contact. */
typedef enum RgMeshUse {
    RG_MESH_AUTO,    /* on what moves: the hull of each part; on what stands still: the surface */
    RG_MESH_SURFACE, /* its triangles; not against another surface */
    RG_MESH_HULL,    /* one convex hull of everything */
    RG_MESH_PARTS    /* the convex hull of each part */
} RgMeshUse;

/* Contact parameters as files give them; NaN: not given. Kept for the contact law. */
typedef struct RgSurfaceDef {
    double mu, mu2;
    RgVec3 fdir1;
    double slip1, slip2;
    double restitution, restitution_threshold;
    double kp, kd;
    double max_vel, min_depth;
    double torsional, rolling; /* m: moments of friction about the normal and across it, by normal force */
    double torsional_depth;    /* root of m: adds to torsional this times the root of the overlap */
    double torsional_slip;     /* rad/s per N m: turning velocity about the normal by moment of friction */
} RgSurfaceDef;

typedef struct RgShapeDef {
    uint32_t cookie;
    const char *name;
    RgShapeType type;
    RgLinkId link; /* null id: the world */
    RgPose X_LS;   /* shape frame in the link */
    /* sphere: r; box: full lengths; capsule: r, length of its axis segment; cylinder: r, length (axis z);
       ellipsoid: half axes; polytope: scale; halfspace z <= 0: none; mesh: scale; heightfield: full size x y,
       height scale */
    double size[3];
    RgMeshData mesh;       /* mesh; polytope: the hull of the vertices */
    RgMeshUse mesh_use;    /* mesh; default RG_MESH_AUTO */
    const double *heights; /* heightfield: rows * columns, row-major, y by rows */
    int32_t rows, columns;
    bool is_visual;   /* to be drawn only */
    double colour[4]; /* red, green, blue, opacity, 0 ... 1, to draw it with; red NaN (default): not given */
    const char *uri;  /* where the mesh came from, or NULL */
    bool uri_missing; /* the file named by uri was not found: the shape has no geometry */
    RgSurfaceDef surface;
    /* Two shapes may touch only if each one's category has a bit in the other's mask; default all ones. */
    uint32_t category, mask;
    int line;
} RgShapeDef;

/* Two links that never touch, or that may touch whatever groups, masks and neighbourhood say. The last
   word on a pair counts. */
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

/* Settings that a world file may give for its solver and stepper; NaN or -1: not given. */
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

/* allocator, log: copied; NULL for malloc and silence. NULL back: out of memory. */
RG_API RgBuilder *rg_builder_create(const RgAllocator *allocator, const RgLog *log);
RG_API void rg_builder_destroy(RgBuilder *builder);

/* Name of the whole model, and of the file that the lines of later defs refer to (for messages). */
RG_API void rg_builder_set_name(RgBuilder *builder, const char *name);
RG_API void rg_builder_set_file(RgBuilder *builder, const char *file);
RG_API void rg_builder_set_hints(RgBuilder *builder, const RgPhysicsHints *hints);
RG_API const RgPhysicsHints *rg_builder_hints(const RgBuilder *builder);

/* Adders copy the def. On misuse or bad numbers they return a null id and keep the first error for
   rg_builder_error. */
RG_API RgLinkId rg_builder_add_link(RgBuilder *builder, const RgLinkDef *def);
RG_API RgJointId rg_builder_add_joint(RgBuilder *builder, const RgJointDef *def);
RG_API RgShapeId rg_builder_add_shape(RgBuilder *builder, const RgShapeDef *def);
RG_API RgFrameId rg_builder_add_frame(RgBuilder *builder, const RgFrameDef *def);
RG_API bool rg_builder_add_coupling(RgBuilder *builder, const RgCouplingDef *def);
RG_API bool rg_builder_add_transmission(RgBuilder *builder, const RgTransmissionDef *def);
RG_API bool rg_builder_add_collision_pair(RgBuilder *builder, const RgCollisionPairDef *def);

/* Adds link JOINT_gear, joint JOINT_gear and the coupling of the two. The new joint's id; null: refused. */
RG_API RgJointId rg_builder_add_gear(RgBuilder *builder, const RgGearDef *def);

/* How many of each there are so far. */
typedef struct RgBuilderInfo {
    int links, joints, shapes, frames, couplings, transmissions, collision_pairs;
} RgBuilderInfo;
RG_API RgBuilderInfo rg_builder_info(const RgBuilder *builder);

/* What was given so far; NULL: no such thing. Ids are numbered in the order of adding, from 1; indices from 0. A view
   lives until the builder changes. */
RG_API const RgLinkDef *rg_builder_link(const RgBuilder *builder, RgLinkId link);
RG_API const RgJointDef *rg_builder_joint(const RgBuilder *builder, RgJointId joint);
RG_API const RgShapeDef *rg_builder_shape(const RgBuilder *builder, RgShapeId shape);
RG_API const RgCouplingDef *rg_builder_coupling(const RgBuilder *builder, int index);
RG_API const RgTransmissionDef *rg_builder_transmission(const RgBuilder *builder, int index);

/* Setters put a whole def, mostly a changed copy of a view, in the place of what was given. They check as adders do;
   name, group and actuator must stay. False: refused, the old def stays, and the error is kept for rg_builder_error. */
RG_API bool rg_builder_set_link(RgBuilder *builder, RgLinkId link, const RgLinkDef *def);
RG_API bool rg_builder_set_joint(RgBuilder *builder, RgJointId joint, const RgJointDef *def);
RG_API bool rg_builder_set_shape(RgBuilder *builder, RgShapeId shape, const RgShapeDef *def);
RG_API bool rg_builder_set_coupling(RgBuilder *builder, int index, const RgCouplingDef *def);
RG_API bool rg_builder_set_transmission(RgBuilder *builder, int index, const RgTransmissionDef *def);

RG_API RgLinkId rg_builder_find_link(const RgBuilder *builder, const char *group, const char *name);
RG_API RgJointId rg_builder_find_joint(const RgBuilder *builder, const char *group, const char *name);
RG_API const RgError *rg_builder_error(const RgBuilder *builder); /* status RG_OK if none */

/* Places a group in the world: moves the X_WL of its root links. Used by run files. */
RG_API void rg_builder_place_group(RgBuilder *builder, const char *group, RgPose X_WG);

/* Checks everything and compiles. On failure returns NULL and fills error (may be NULL). The builder is
   left as it was. */
RG_API RgModel *rg_builder_finish(RgBuilder *builder, RgError *error);

/* ------------------------------------------------------------------ model */

RG_API void rg_model_destroy(RgModel *model);

typedef struct RgModelInfo {
    const char *name;
    int links, joints, loops, couplings, shapes, frames; /* joints: all that the file names, loop joints included */
    int collision_pairs;                                 /* pairs of links that the file speaks of */
    int bodies;                                          /* moving bodies, each moved by one joint */
    int nq, nv;
    double mass;       /* kg, of all links */
    int transmissions; /* pairs of a motor and an axis that it drives */
} RgModelInfo;
RG_API RgModelInfo rg_model_info(const RgModel *model);
RG_API const RgPhysicsHints *rg_model_hints(const RgModel *model);

typedef struct RgLinkInfo {
    const char *name, *group;
    RgLinkId parent; /* link on the other side of the joint that carries it; null: world */
    RgJointId joint; /* the joint that carries it; null: floats freely or is welded to the world */
    int body;        /* moving body it belongs to, -1 for the world */
    bool floats;     /* root of a floating tree */
    bool self_collide;
    RgInertia inertia;    /* in the link frame */
    int q_index, v_index; /* of the joint or free joint that carries it; -1 if none */
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
    int q_index, v_index; /* -1 for loop joints and fixed ones */
    bool is_loop;
    const RgAxisDef *dof; /* nv */
    bool is_length[6];    /* nv: m, m/s and N; else rad, rad/s and N m */
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

/* "name", or "group::name" where several groups use the name. Null id: not found or ambiguous. */
RG_API RgLinkId rg_model_find_link(const RgModel *model, const char *name);
RG_API RgJointId rg_model_find_joint(const RgModel *model, const char *name);
RG_API RgFrameId rg_model_find_frame(const RgModel *model, const char *name);

RG_API const char *rg_joint_type_name(RgJointType type);
RG_API bool rg_joint_type_has_axis(RgJointType type); /* RgJointDef.axis counts, and must not be zero */
RG_API const char *rg_shape_type_name(RgShapeType type);

/* Positions at q = 0 of every joint (unit quaternions, floating bases where their X_WL stands). q: nq. */
RG_API void rg_model_neutral(const RgModel *model, double *q);

/* Principal moments (ascending) and axes (columns, in the frame of the inertia; may be NULL) about the
   centre of mass. */
RG_API void rg_principal_moments(const RgInertia *inertia, double moments[3], RgMat3 *axes);

/* Distance of a point of the link's frame from the convex hull of the link's collision shapes (of its visual
   ones where it has no others): 0 inside. RG_ERR_NOT_FOUND: the link has no bounded shape. */
RG_API RgStatus rg_link_hull_distance(const RgModel *model, RgLinkId link, RgVec3 point, double *distance);

/* Mass, centre of mass and inertia of a shape of that density, exact, in the shape's frame. Unsupported
   for open or flat ones. */
RG_API RgStatus rg_shape_inertia(const RgShapeDef *shape, double density, RgInertia *out);

#ifdef __cplusplus
}
#endif
#endif
