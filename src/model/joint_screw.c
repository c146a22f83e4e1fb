/* joint_screw.c - rotation about z with a proportional slide along z: q in rad, slide = pitch q. */
#include "model/joint_table.h"

/* The slide determines the number of whole turns if the pitch is not 0; the rotation determines the rest. */
static void fit(const RgJointGeometry *g, RgPose X_FB, const double *near_q, double *q)
{
    double by_slide = g->slide != 0.0 ? X_FB.p.z / g->slide : near_q[0];
    q[0] = rg_joint_angle_z(X_FB.R, by_slide);
}

const RgJointKind rg_joint_screw = {.name = "screw", RG_JOINT_HELICAL(fit)};
