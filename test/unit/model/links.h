/* links.h - links for the tests of models. */
#ifndef TEST_UNIT_MODEL_LINKS_H
#define TEST_UNIT_MODEL_LINKS_H

#include "scene_parts.h"

static const RgVec3 O = {0.0, 0.0, 0.0}, axis_z = {0.0, 0.0, 1.0};

static inline RgInertia box(void)
{
    return inertia_box(1.0, vec(0.1, 0.0, 0.0), vec(0.1, 0.2, 0.3));
}

static inline RgLinkId link_static(RgBuilder *b, const char *name, RgPose X_WL)
{
    RgLinkDef def = rg_link_def_default();
    def.name = name;
    def.inertia = box();
    def.X_WL = X_WL;
    def.is_static = true;
    return rg_builder_add_link(b, &def);
}

static inline double pose_distance(RgPose A, RgPose B)
{
    return fmax(mat_distance(A.R, B.R), vec_distance(A.p, B.p));
}

/* Pose of one link in another at joint positions q. */
static inline RgPose relative_pose(const RgModel *model, const double *q, const char *from, const char *to)
{
    RgDynamics *dynamics = rg_dynamics_create(model, NULL);
    rg_forward_kinematics(dynamics, q, NULL);
    RgPose A = rg_link_pose(dynamics, rg_model_find_link(model, from));
    RgPose B = rg_link_pose(dynamics, rg_model_find_link(model, to));
    rg_dynamics_destroy(dynamics);
    return place_mul(place_inverse(A), B);
}

#endif
