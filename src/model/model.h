/*
 * model.h - the compiled model: everything constant about a mechanism, in one block, never changed after
 * rg_builder_finish.
 *
 * Bodies are numbered depth first, parents before children, and velocities in the same order. So the
 * velocities on which a velocity depends (its own body's and its ancestors') fall into a few runs of
 * neighbours: dof_parent[k] is the one before k on its way to the root, and run_start[k] the first of the
 * neighbours that lead to k without a gap. Kernels work run by run.
 */
#ifndef RIGOR_MODEL_INTERNAL_H
#define RIGOR_MODEL_INTERNAL_H

#include "base/arena.h"
#include "model/joint.h"

#include <rigor/model.h>

/* A set of welded links that moves as one, and the joint that moves it. */
typedef struct RgBody {
    int parent; /* body, -1: world */
    const RgJointKind *kind;
    RgJointGeometry geometry;
    RgPose X_PF;       /* joint frame in the parent's body frame */
    RgInertia inertia; /* in the body frame B */
    int q0, v0;        /* first position and velocity */
    int nv;
    int link;  /* the link that the joint carries */
    int joint; /* -1: the free joint of a floating root */
} RgBody;

typedef struct RgLink {
    RgLinkDef def;
    int body;    /* -1: world */
    RgPose X_BL; /* link frame in its body (or in the world) */
    int parent;  /* link on the other side of the carrying joint, -1: world */
    int joint;   /* carrying joint, -1: none */
    bool floats;
} RgLink;

typedef struct RgJoint {
    RgJointDef def; /* axes made unit */
    const RgJointKind *kind;
    int body;      /* the body it moves, -1: fixed, loop or dropped */
    int loop;      /* index of the loop joint, -1: tree joint */
    bool reversed; /* the tree runs from its child link to its parent link */
} RgJoint;

/* A joint that closes a loop, between frame F on body A and frame G on body B. */
typedef struct RgLoop {
    int joint;
    const RgJointKind *kind;
    RgJointGeometry geometry;
    int body_a, body_b; /* -1: world */
    RgPose X_AF, X_BG;
} RgLoop;

/* q[q_index] = ratio * q[q_reference] + offset */
typedef struct RgCoupling {
    RgCouplingDef def;
    int q_index, q_reference, v_index, v_reference;
} RgCoupling;

typedef struct RgModelShape {
    RgShapeDef def; /* strings, mesh and heights owned by the model */
} RgModelShape;

typedef struct RgFrame {
    RgFrameDef def;
} RgFrame;

struct RgModel {
    RgArena arena; /* holds everything below */
    const char *name, *file;
    RgPhysicsHints hints;

    int nbodies, nlinks, njoints, nloops, ncouplings, npairs, nshapes, nframes, ntransmissions;
    int nq, nv;
    double mass; /* of all links */
    RgBody *bodies;
    RgLink *links;
    RgJoint *joints;
    RgLoop *loops;
    RgCoupling *couplings;
    RgTransmissionDef *transmissions; /* to be told; the motion needs nothing of them */
    RgCollisionPairDef *pairs;        /* in the order they were given: the last word on a pair counts */
    RgModelShape *shapes;
    RgFrame *frames;
    int *link_order; /* links, parents before children */

    /* One a velocity. */
    int *dof_parent; /* -1 at a root */
    int *run_start;
    int *dof_body;
    double *damping, *stiffness, *rest, *armature; /* armature: gear_ratio^2 rotor_inertia */
    bool any_damping, any_stiffness;
    double *q_neutral; /* nq */
    int nrotors;       /* velocities with armature */

    int depth;             /* longest chain of velocities */
    int slots, used_slots; /* of a world's own view (model_attach.h): room for joints, loops that are of it */
    uint64_t signature;    /* hash of what a saved state depends on */
};

/* Bodies with six velocities of their own and no neighbour: no joint, loop or coupling. alone: nbodies. */
void rg_bodies_alone(const RgModel *model, bool *alone);

/* Name of the joint or floating link that owns a velocity. */
const char *rg_model_dof_name(const RgModel *model, int v_index);

/* The loop that a joint between two links makes. */
RgLoop rg_model_loop(const RgModel *model, int joint);

/* Whether the turn of a finite pose is one, up to rounding. */
bool rg_pose_rigid(RgPose X);

/* An axis as a model keeps it: of unit length, or zero. */
RgVec3 rg_joint_axis_unit(RgVec3 axis);

/* Frame turned so that its z is the axis: what F is to J. */
RgMat3 rg_joint_align(const RgJointDef *def, bool reversed);

/* Numbers of a joint that its kind needs. */
RgJointGeometry rg_joint_geometry(const RgJointDef *def, RgMat3 R_JF);

#endif
