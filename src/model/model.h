/*
 * model.h - the compiled model: everything constant about a mechanism, immutable after rg_builder_finish.
 *
 * Bodies are numbered depth first, parents before children, and velocities in the same order. So the velocities on
 * which a velocity depends (those of its own body and of its ancestors) form a few runs of consecutive numbers:
 * dof_parent[k] is the velocity before k on the path to the root, and run_start[k] the first of the consecutive numbers
 * that end in k. Kernels work run by run.
 */
#ifndef RIGOR_MODEL_INTERNAL_H
#define RIGOR_MODEL_INTERNAL_H

#include "base/arena.h"
#include "model/joint.h"

#include <rigor/model.h>

/* A moving body: a set of welded links, and the joint that moves it. */
typedef struct RgBody {
    int parent; /* body, -1: world */
    const RgJointKind *kind;
    RgJointGeometry geometry;
    RgPose X_PF;       /* joint frame in the parent's body frame */
    RgInertia inertia; /* in the body frame B */
    int q0, v0;        /* first position and velocity */
    int nv;
    int link;  /* the link at its joint */
    int joint; /* -1: the free joint of a floating root */
} RgBody;

typedef struct RgLink {
    RgLinkDef def;
    int body;    /* -1: world */
    RgPose X_BL; /* link frame in its body (or in the world) */
    int parent;  /* link on the other side of its tree joint, -1: world */
    int joint;   /* tree joint, -1: none */
    bool floats;
} RgLink;

typedef struct RgJoint {
    RgJointDef def; /* axes normalised */
    const RgJointKind *kind;
    int body;      /* the body it moves, -1: fixed, loop or ignored */
    int loop;      /* index of the loop joint, -1: tree joint */
    bool reversed; /* in the tree its child link is the parent of its parent link */
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
    RgTransmissionDef *transmissions; /* information only, not used by the dynamics */
    RgCollisionPairDef *pairs;        /* in the order given: for a pair of links the last one counts */
    RgModelShape *shapes;
    RgFrame *frames;
    int *link_order; /* links, parents before children */

    /* One entry per velocity. */
    int *dof_parent; /* -1 at a root */
    int *run_start;
    int *dof_body;
    double *damping, *stiffness, *rest, *armature; /* armature: gear_ratio^2 rotor_inertia */
    bool any_damping, any_stiffness;
    double *q_neutral; /* nq */
    int nrotors;       /* number of velocities with armature */

    int depth;             /* longest chain of velocities */
    int slots, used_slots; /* of a world's own view (model_attach.h): capacity for attachments, and those in nloops */
    uint64_t signature;    /* hash of everything that a saved state depends on */
};

/* alone[i] (nbodies): body i has six velocities and no joint, loop or coupling to other bodies. */
void rg_find_isolated_bodies(const RgModel *model, bool *alone);

/* Name of the joint or floating link that owns a velocity. */
const char *rg_model_dof_name(const RgModel *model, int v_index);

/* The loop of a loop joint between two links. */
RgLoop rg_model_loop(const RgModel *model, int joint);

/* Whether the rotation of a finite pose is orthonormal to rounding. */
bool rg_pose_rigid(RgPose X);

/* A joint axis normalised, or zero. */
RgVec3 rg_joint_axis_unit(RgVec3 axis);

/* Rotation from J to F: the z axis of F is the joint axis. */
RgMat3 rg_joint_align(const RgJointDef *def, bool reversed);

/* Constants of a joint for its kind; R_JF from rg_joint_align. */
RgJointGeometry rg_joint_geometry(const RgJointDef *def, RgMat3 R_JF);

#endif
