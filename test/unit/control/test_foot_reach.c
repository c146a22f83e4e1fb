/*
 * test_foot_reach.c - inverse kinematics of a leg against the law of cosines, on random trees against forward
 * kinematics, within joint limits, from stretched legs, and goals that are out of reach.
 */
#include "control/foot_reach.h"
#include "scene_parts.h"

#include "check_near.h"
#include "draw.h"
#include "math/vec3.h"
#include "random_tree.h"

#include <criterion/criterion.h>

#define THIGH 0.25
#define SHANK 0.22

/* A leg on a base in the world: roll about x, pitch and knee about y; thigh and shank hang down, thigh `aside` in y. */
static RgModel *leg(double aside, double knee_upper)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgLinkDef link = rg_link_def_default();
    link.name = "base";
    link.is_static = true;
    link.X_WL = rg_pose_from_rpy(v3(0.3, -0.2, 1.0), v3(0.2, -0.4, 0.9));
    RgLinkId parent = rg_builder_add_link(b, &link);
    const char *const names[3] = {"roll", "pitch", "knee"};
    const RgVec3 at[3] = {{0.0, 0.0, 0.0}, {0.0, aside, 0.0}, {0.0, 0.0, -THIGH}};
    for (int k = 0; k < 3; k++) {
        RgLinkDef part = rg_link_def_default();
        part.name = names[k];
        part.inertia = (RgInertia){1.0, {0.0, 0.0, -0.1}, {0.1, 0.1, 0.1, 0.0, 0.0, 0.0}};
        RgJointDef joint = rg_joint_def_default();
        joint.name = names[k];
        joint.type = RG_JOINT_revolute;
        joint.parent = parent;
        joint.child = rg_builder_add_link(b, &part);
        joint.X_PJ.p = at[k];
        joint.axis = k == 0 ? v3(1.0, 0.0, 0.0) : v3(0.0, 1.0, 0.0);
        if (k == 2)
            joint.dof[0].upper = knee_upper;
        rg_builder_add_joint(b, &joint);
        parent = joint.child;
    }
    return scene_end(b);
}

static RgFoot toe(const RgModel *model)
{
    return (RgFoot){rg_model_find_link(model, "base"), rg_model_find_link(model, "knee"), {0.0, 0.0, -SHANK}};
}

/* How far the toe is from its goal, by kinematics alone. */
static double away(RgDynamics *d, const RgFoot *foot, RgVec3 goal, const double *q)
{
    rg_forward_kinematics(d, q, NULL);
    RgPose base = rg_link_pose(d, foot->base), link = rg_link_pose(d, foot->link);
    RgVec3 x = rg_pose_apply(&link, foot->point);
    return v3_norm(v3_sub(x, rg_pose_apply(&base, goal)));
}

/* |goal|^2 = aside^2 + thigh^2 + shank^2 + 2 thigh shank cos(knee), whatever roll and pitch are. */
Test(foot_reach, law_of_cosines)
{
    RgModel *model = leg(0.06, INFINITY);
    RgDynamics *d = rg_dynamics_create(model, NULL);
    RgFoot foot = toe(model);
    Draw draw = draw_seed(7);
    for (int i = 0; i < 500; i++) {
        double reach = 0.1 + 0.36 * draw_between(&draw, 0.0, 1.0);
        RgVec3 way = v3(draw_between(&draw, 0.0, 1.0) - 0.5, draw_between(&draw, 0.0, 1.0) - 0.5,
                        -0.2 - 0.8 * draw_between(&draw, 0.0, 1.0));
        RgVec3 goal = v3_scale(reach / v3_norm(way), way);
        double q[3] = {0.0, 0.5, -1.0};
        cr_assert_eq(rg_foot_reach(d, &foot, goal, q), RG_OK, "%d", i);
        CHECK_NEAR(away(d, &foot, goal, q), 0.0, 2e-12, "m");
        double c = (reach * reach - 0.06 * 0.06 - THIGH * THIGH - SHANK * SHANK) / (2.0 * THIGH * SHANK);
        CHECK_NEAR(cos(q[2]), c, 1e-10, "");
    }
    rg_dynamics_destroy(d);
    rg_model_destroy(model);
}

/* A stretched leg above its goal: no joint moves the toe towards it at first. */
Test(foot_reach, from_a_stretched_leg)
{
    RgModel *model = leg(0.0, INFINITY);
    RgDynamics *d = rg_dynamics_create(model, NULL);
    RgFoot foot = toe(model);
    double q[3] = {0.0, 0.0, 0.0};
    RgVec3 goal = v3(0.0, 0.0, -0.3);
    cr_assert_eq(rg_foot_reach(d, &foot, goal, q), RG_OK);
    CHECK_NEAR(away(d, &foot, goal, q), 0.0, 2e-12, "m");
    rg_dynamics_destroy(d);
    rg_model_destroy(model);
}

/* Beyond the stretched leg, and nearer than the folded one: as near as it can be. */
Test(foot_reach, out_of_reach)
{
    RgModel *model = leg(0.0, INFINITY);
    RgDynamics *d = rg_dynamics_create(model, NULL);
    RgFoot foot = toe(model);
    RgVec3 far = v3(0.3, 0.2, -0.6), near = v3(0.0, 0.0, -0.01);
    double q[3] = {0.1, 0.5, -1.0};
    cr_assert_eq(rg_foot_reach(d, &foot, far, q), RG_ERR_NOT_CONVERGED);
    CHECK_NEAR(away(d, &foot, far, q), 0.7 - THIGH - SHANK, 1e-8, "m");
    double p[3] = {0.1, 0.5, -1.0};
    cr_assert_eq(rg_foot_reach(d, &foot, near, p), RG_ERR_NOT_CONVERGED);
    CHECK_NEAR(away(d, &foot, near, p), THIGH - SHANK - 0.01, 1e-8, "m");
    rg_dynamics_destroy(d);
    rg_model_destroy(model);
}

/* A knee that bends one way only: the other solution is found from the wrong side; limits are never passed. */
Test(foot_reach, within_limits)
{
    RgModel *model = leg(0.0, -0.1);
    RgDynamics *d = rg_dynamics_create(model, NULL);
    RgFoot foot = toe(model);
    RgVec3 goal = v3(0.1, 0.05, -0.35);
    double q[3] = {0.3, -0.9, -0.1};
    cr_assert_eq(rg_foot_reach(d, &foot, goal, q), RG_OK);
    cr_assert(q[2] <= -0.1);
    CHECK_NEAR(away(d, &foot, goal, q), 0.0, 2e-12, "m");
    RgVec3 far = v3(0.0, 0.0, -THIGH - SHANK);
    cr_assert_eq(rg_foot_reach(d, &foot, far, q), RG_ERR_NOT_CONVERGED);
    CHECK_NEAR(q[2], -0.1, 1e-12, "rad");
    rg_dynamics_destroy(d);
    rg_model_destroy(model);
}

/* Random trees of all joint kinds: a point of some link at a state near by is found again; rates against the twist. */
Test(foot_reach, random_trees)
{
    int found = 0, tries = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        RandomTree options = {.seed = seed};
        RgModel *model = random_tree(&options);
        TestState s = random_state(model, seed);
        RgDynamics *d = rg_dynamics_create(model, NULL);
        RgFoot foot = {{0}, {rg_model_info(model).links}, {0.1, -0.2, 0.3}};
        rg_forward_kinematics(d, s.q, NULL);
        RgPose there = rg_link_pose(d, foot.link);
        RgVec3 goal = rg_pose_apply(&there, foot.point);
        double step[512], q[512];
        for (int k = 0; k < s.nv; k++)
            step[k] = 0.1 * s.v[k] / (1.0 + fabs(s.v[k]));
        rg_integrate_positions(model, s.q, step, q);
        RgStatus status = rg_foot_reach(d, &foot, goal, q);
        if (status != RG_ERR_ARGUMENT) {
            tries++;
            found += status == RG_OK;
            if (status == RG_OK)
                CHECK_NEAR(away(d, &foot, goal, q), 0.0, 1e-11, "m");
        }
        rg_dynamics_destroy(d);
        test_state_destroy(&s);
        rg_model_destroy(model);
    }
    cr_assert(tries > 60 && found >= tries - 2, "%d of %d", found, tries);
}

Test(foot_reach, rates)
{
    RgModel *model = leg(0.06, INFINITY);
    RgDynamics *d = rg_dynamics_create(model, NULL);
    RgFoot foot = toe(model);
    double q[3] = {0.2, 0.6, -1.1}, v[3], h = 1e-6;
    RgVec3 velocity = v3(0.3, -0.2, 0.5), x[2];
    RgFootChain chain;
    double rates[RG_CHAIN_DOFS];
    cr_assert_eq(rg_foot_chain(d, &foot, q, &chain), RG_OK);
    cr_assert_eq(chain.n, 3);
    rg_foot_rates(&chain, velocity, rates);
    for (int k = 0; k < 3; k++)
        v[chain.dof[k]] = rates[k];
    for (int i = 0; i < 2; i++) {
        double p[3];
        for (int k = 0; k < 3; k++)
            p[k] = q[k] + (2 * i - 1) * h * v[k];
        rg_forward_kinematics(d, p, NULL);
        RgPose base = rg_link_pose(d, foot.base), link = rg_link_pose(d, foot.link), inverse = rg_pose_inverse(&base);
        x[i] = rg_pose_apply(&inverse, rg_pose_apply(&link, foot.point));
    }
    RgVec3 rate = v3_scale(0.5 / h, v3_sub(x[1], x[0]));
    CHECK_NEAR(v3_norm(v3_sub(rate, velocity)), 0.0, 1e-9, "m/s");
    rg_dynamics_destroy(d);
    rg_model_destroy(model);
}

Test(foot_reach, bad_arguments)
{
    RgModel *model = leg(0.0, INFINITY);
    RgDynamics *d = rg_dynamics_create(model, NULL);
    double q[3] = {0.1, 0.5, -1.0};
    RgFoot foot = toe(model), upside = {foot.link, foot.base, {0.0, 0.0, 0.0}},
           none = {foot.base, {77}, {0.0, 0.0, 0.0}};
    cr_assert_eq(rg_foot_reach(d, &foot, v3(NAN, 0.0, 0.0), q), RG_ERR_NOT_FINITE);
    cr_assert_eq(rg_foot_reach(d, &upside, v3(0.0, 0.0, 0.1), q), RG_ERR_ARGUMENT);
    cr_assert_eq(rg_foot_reach(d, &none, v3(0.0, 0.0, 0.1), q), RG_ERR_ARGUMENT);
    cr_assert(q[0] == 0.1 && q[1] == 0.5 && q[2] == -1.0);
    rg_dynamics_destroy(d);
    rg_model_destroy(model);
}
