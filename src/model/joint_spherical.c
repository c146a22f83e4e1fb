/* joint_spherical.c - rotation about a point. q: unit quaternion of B in F, v: angular velocity in B's axes, S = [1;
   0]. */
#include "model/joint_table.h"

static void motion(const RgJointGeometry *g, const double *q, RgPose *X_FB, RgMotion *S)
{
    (void)g;
    X_FB->R = q_matrix(q_load(q));
    X_FB->p = v3_zero();
    S[0] = (RgMotion){{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    S[1] = (RgMotion){{0.0, 1.0, 0.0}, {0.0, 0.0, 0.0}};
    S[2] = (RgMotion){{0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}};
}

static void neutral(double *q)
{
    q_store(q_identity(), q);
}

static void integrate(const double *q, const double *step, double *out)
{
    q_store(q_rotate(q_load(q), v3(step[0], step[1], step[2])), out);
}

static void difference(const double *q0, const double *q1, double *step)
{
    RgVec3 w = q_log(q_mul(q_conjugate(q_load(q0)), q_load(q1)));
    step[0] = w.x;
    step[1] = w.y;
    step[2] = w.z;
}

static void dexpinv(const double *u, const double *v, double *rate)
{
    RgVec3 r = q_dexpinv(v3(u[0], u[1], u[2]), v3(v[0], v[1], v[2]));
    rate[0] = r.x;
    rate[1] = r.y;
    rate[2] = r.z;
}

static void fit(const RgJointGeometry *g, RgPose X_FB, const double *near_q, double *q)
{
    (void)g;
    RgQuat r = q_from_matrix(X_FB.R);
    double same = r.w * near_q[0] + r.x * near_q[1] + r.y * near_q[2] + r.z * near_q[3];
    q_store(same >= 0.0 ? r : (RgQuat){-r.w, -r.x, -r.y, -r.z}, q);
}

const RgJointKind rg_joint_spherical = {
    .name = "spherical",
    .nq = 4,
    .nv = 3,
    .dexpinv = dexpinv,
    RG_JOINT_FUNCTIONS,
};
