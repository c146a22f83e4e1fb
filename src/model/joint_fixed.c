/* joint_fixed.c - a weld. Welded links become one body; a loop joint of this kind has six rows. */
#include "model/joint_table.h"

static void motion(const RgJointGeometry *g, const double *q, RgPose *X_FB, RgMotion *S)
{
    (void)g;
    (void)q;
    (void)S;
    *X_FB = pose_identity();
}

static void neutral(double *q)
{
    (void)q;
}

static void integrate(const double *q, const double *step, double *out)
{
    (void)q;
    (void)step;
    (void)out;
}

static void difference(const double *q0, const double *q1, double *step)
{
    (void)q0;
    (void)q1;
    (void)step;
}

static void fit(const RgJointGeometry *g, RgPose X_FB, const double *near_q, double *q)
{
    (void)g;
    (void)X_FB;
    (void)near_q;
    (void)q;
}

const RgJointKind rg_joint_fixed = {
    .name = "fixed",
    .nq = 0,
    .nv = 0,
    RG_JOINT_FUNCTIONS,
};
