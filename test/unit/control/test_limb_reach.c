/* test_limb_reach.c - inverse kinematics of limbs against the kinematics of the model: a drawn posture's pose is found
   again. */
#include "check_near.h"

#include "control/limb_reach.h"
#include "math/pose.h"
#include "model/model.h"

#include <rigor/rigor.h>

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double draw_unit(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 16777216.0;
}

static RgPose seen(RgDynamics *dynamics, const RgLimb *limb, const double *q)
{
    rg_forward_kinematics(dynamics, q, NULL);
    return pose_relative(rg_link_pose(dynamics, limb->base), rg_link_pose(dynamics, limb->link));
}

Test(limb_reach, finds_poses_of_drawn_postures)
{
    RgError error = {0};
    RgModel *model = rg_model_load("models/atlas.urdf", NULL, NULL, &error);
    cr_assert_not_null(model, "%s", error.text);
    RgDynamics *dynamics = rg_dynamics_create(model, NULL);
    RgLimb limb;
    cr_assert_eq(rg_limb_find(model, rg_model_find_link(model, "pelvis"), rg_model_find_link(model, "r_foot"), &limb),
                 RG_OK);
    cr_assert_eq(limb.n, 6);
    double *q = malloc((size_t)model->nq * sizeof *q);
    uint32_t state = 7;
    for (int i = 0; i < 300; i++) {
        memcpy(q, model->q_neutral, (size_t)model->nq * sizeof *q);
        double wanted[RG_LIMB_JOINTS];
        for (int k = 0; k < 6; k++) {
            double low = fmax(limb.lower[k], -0.6), high = fmin(limb.upper[k], 1.2);
            wanted[k] = q[limb.q[k]] = low + (0.1 + 0.8 * draw_unit(&state)) * (high - low);
        }
        q[limb.q[2]] = wanted[2] = 0.5 + draw_unit(&state); /* a knee that is bent */
        RgPose X = seen(dynamics, &limb, q);
        for (int k = 0; k < 6; k++) /* from nearby, as from the last sample */
            q[limb.q[k]] += 0.1 * (draw_unit(&state) - 0.5);
        CHECK_NEAR(rg_limb_reach(dynamics, &limb, &X, q), 0.0, 1e-9, "m");
        for (int k = 0; k < 6; k++)
            CHECK_NEAR(q[limb.q[k]], wanted[k], 1e-6, "rad");
    }

    /* Out of reach: stretched towards it, within the limits, and the way told. */
    memcpy(q, model->q_neutral, (size_t)model->nq * sizeof *q);
    q[limb.q[2]] = 0.4;
    RgPose far = seen(dynamics, &limb, q);
    far.p.z -= 0.5;
    double away = rg_limb_reach(dynamics, &limb, &far, q);
    cr_expect(away > 0.4 && away < 0.5, "%g m", away);
    for (int k = 0; k < 6; k++)
        cr_expect(q[limb.q[k]] >= limb.lower[k] && q[limb.q[k]] <= limb.upper[k]);
    free(q);
    rg_dynamics_destroy(dynamics);
    rg_model_destroy(model);
}

Test(limb_reach, wants_a_base_on_the_way)
{
    RgError error = {0};
    RgModel *model = rg_model_load("models/atlas.urdf", NULL, NULL, &error);
    RgLimb limb;
    cr_expect_eq(rg_limb_find(model, rg_model_find_link(model, "l_foot"), rg_model_find_link(model, "r_foot"), &limb),
                 RG_ERR_ARGUMENT);
    cr_expect_eq(rg_limb_find(model, rg_model_find_link(model, "pelvis"), rg_model_find_link(model, "pelvis"), &limb),
                 RG_ERR_ARGUMENT);
    rg_model_destroy(model);
}
