/*
 * kinematics.h - poses and velocities of all bodies: the first stage of a step.
 *
 * All spatial quantities are in world axes, about the origin O_i of the body they belong to, with r_i = O_i - O_parent.
 * Body -1 is the world, at rest, and has entries in X_WB and V.
 *   X_i = X_parent X_PF X_FB(q)
 *   V_i = shift(V_parent, r_i) + S_i v_i
 *   c_i = V_i x S_i v_i + (dS_i/dt) v_i          so that  A_i = shift(A_parent, r_i) + S_i dv_i + c_i
 * Written by rg_forward_kin (minimal form) or by the maximal form, constant afterwards.
 */
#ifndef RIGOR_KINEMATICS_H
#define RIGOR_KINEMATICS_H

#include "model/model.h"

/* Constants of a body for forward kinematics. One-axis joint: with [R_PB p_PB] as three rows of four,
     columns 0, 1 = cosine fixed + sine moved,   columns 2, 3 = fixed + q moved. */
typedef struct RgHelix {
    double fixed[3][4], moved[3][4];
    double turn, slide; /* rad and m per unit of q; both 0 for other kinds */
    int parent, q0, v0;
    bool is_free_body; /* free body: its joint is a free joint to the world */
} RgHelix;

/* Consecutive whole trees: bodies body ... body_end - 1 with velocities dof ... dof_end - 1. */
typedef struct RgTreePart {
    int body, body_end, dof, dof_end;
} RgTreePart;

static inline RgTreePart rg_tree_whole(const RgModel *model)
{
    return (RgTreePart){0, model->nbodies, 0, model->nv};
}

typedef struct RgKin {
    const RgModel *model;
    RgHelix *helix; /* nbodies, constant */
    RgPose *X_WB;   /* nbodies: poses */
    RgVec3 *r;      /* nbodies: O_i - O_parent */
    RgMotion *S;    /* nv: axis of each velocity */
    RgMotion *V;    /* nbodies: twists */
    RgMotion *c;    /* nbodies: velocity-product accelerations */
    double *trig;   /* 3 * nbodies: angles, sines, cosines of helical joints */
} RgKin;

/* Allocates the kinematics of a model; NULL: out of memory. */
RgKin *rg_kin_alloc(RgArena *arena, const RgModel *model);

/* Computes kin from joint coordinates. v NULL: poses and axes only. */
void rg_forward_kin(const double *q, const double *v, RgKin *kin);

/* The same for a part. */
void rg_forward_kin_part(const double *q, const double *v, RgTreePart part, RgKin *kin);

/* The same for bodies first ... end - 1, all of them free bodies. */
void rg_forward_free_bodies(const double *q, const double *v, int first, int end, RgKin *kin);

/* Poses and axes of the one-axis bodies first ... end - 1. Their parents' poses, and the sines and cosines in
   kin->trig, must be set. The plain version defines the computation and gives the same bits. */
void rg_place_helical(const double *q, int first, int end, RgKin *kin);
void rg_place_helical_plain(const double *q, int first, int end, RgKin *kin);

/* Twists of all bodies at their origins (nbodies) for joint velocities v, at the poses and axes of kin. */
void rg_twists_at(const RgKin *kin, const double *v, RgMotion *V);
void rg_twists_part(const RgKin *kin, const double *v, RgTreePart part, RgMotion *V);
RgMotion rg_joint_twist(const RgKin *kin, int body, const double *v); /* S v of one body */

/* The transpose of rg_twists_part: adds the joint forces of the forces f on the bodies of a part (about body origins)
   to g. On return f (nbodies) holds the forces through the joints. */
void rg_part_joint_forces(const RgKin *kin, RgTreePart part, RgForce *f, double *g);

/* Pose and twist of a link in the world. */
RgPose rg_kin_link_pose(const RgKin *kin, int link);
RgMotion rg_kin_link_twist(const RgKin *kin, int link);

/* Jacobian of the twist at the point p fixed to a body: 6 x nv row-major, angular rows first, world axes. */
void rg_body_jacobian(const RgKin *kin, int body, RgVec3 p, double *J);

/* Mass, centre of mass and its velocity, over all moving bodies. */
typedef struct RgCentre {
    double mass;
    RgVec3 com, velocity;
} RgCentre;
RgCentre rg_centre_of_mass(const RgKin *kin);

static inline RgPose kin_pose(const RgKin *kin, int body)
{
    return body >= 0 ? kin->X_WB[body] : pose_identity();
}

static inline RgMotion kin_twist(const RgKin *kin, int body)
{
    return body >= 0 ? kin->V[body] : mv_zero();
}

/* Twist of a body at its origin for joint velocities u, at the poses and axes of kin. */
static inline RgMotion kin_twist_at(const RgKin *kin, int body, const double *u)
{
    const RgModel *m = kin->model;
    RgMotion V = mv_zero();
    for (int i = body; i >= 0; i = m->bodies[i].parent) {
        RgMotion own = mv_zero();
        for (int k = m->bodies[i].v0; k < m->bodies[i].v0 + m->bodies[i].nv; k++)
            own = mv_axpy(u[k], kin->S[k], own);
        V = mv_add(V, mv_shift(own, v3_sub(kin->X_WB[body].p, kin->X_WB[i].p)));
    }
    return V;
}

/* The transpose: adds the joint forces of the force f on a body, about its origin, to g. */
static inline void kin_add_joint_forces(const RgKin *kin, int body, RgForce f, double *g)
{
    const RgModel *m = kin->model;
    RgVec3 p = kin->X_WB[body].p;
    for (int i = body; i >= 0; i = m->bodies[i].parent) {
        RgForce moved = fv_shift(f, v3_sub(kin->X_WB[i].p, p));
        const RgBody *B = &m->bodies[i];
        for (int k = B->v0; k < B->v0 + B->nv; k++)
            g[k] += mv_dot(kin->S[k], moved);
    }
}

#endif
