/*
 * test_symmetric_top.c - bodies of revolution: two motions of the rotation group in closed form.
 *
 * Free, moments I1 = I2, I3:  L = I1 w + (I3 - I1) w3 e3,  so that
 *   R(t) = exp(t [L]/I1) R(0) exp(t (1 - I3/I1) w3 [e3])          L in world axes, w3 along the body's axis:
 *   constant
 *
 * Heavy top on a ball, mass m at height l over the point, moments A across and C along its axis about the
 * point: it precesses
 * steadily at W about the vertical, inclined by the angle u, if
 *   C w3 W = A W^2 cos u + m g l,   R(t) = Rz(W t) R(0) Rz((w3 - W cos u) t)
 */
#include "check_near.h"
#include "scenes.h"
#include "worlds.h"

static const RgVec3 up = {0.0, 0.0, 1.0};

Test(symmetric_top, free_body_turns_as_the_closed_form)
{
    double I1 = 0.4, I3 = 0.1, t = 2.0;
    RgVec3 w = {1.5, -0.7, 6.0};
    RgBuilder *b = scene_begin("free top");
    link_add(b, "top", inertia_diagonal(3.0, vec(0.0, 0.0, 0.0), vec(I1, I1, I3)));
    RgModel *model = scene_end(b);
    RgVec3 L = {I1 * w.x, I1 * w.y, I3 * w.z};
    RgMat3 turn = mat_turn(vec_scale(1.0 / vec_norm(L), L), vec_norm(L) / I1 * t);
    RgMat3 expected = mat_mul(turn, mat_turn(up, (1.0 - I3 / I1) * w.z * t));
    for (int i = 0; i < 4; i++) {
        bool reference = i % 2 == 1;
        const double v[6] = {w.x, w.y, w.z, 0.3, 0.0, 0.0};
        RgWorld *world = world_of(model, both_forms[i / 2], reference ? "reference" : "rk4");
        rg_world_set_state(world, NULL, v);
        world_run(world, reference ? 20 : 2000, reference ? 0.1 : 1e-3);
        RgMat3 R = rg_world_link_pose(world, (RgLinkId){1}).R;
        CHECK_NEAR(mat_distance(R, expected), 0.0, reference ? 1e-10 : 1e-8, "");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

Test(symmetric_top, heavy_top_precesses_steadily)
{
    double m = 0.8, l = 0.3, across = 0.02, along = 0.006, u = 0.6, W = 1.7, t = 2.0;
    double A = across + m * l * l, w3 = (A * W * cos(u) + m * 9.81 * l / W) / along;
    RgBuilder *b = scene_begin("heavy top");
    RgLinkId top = link_add(b, "top", inertia_diagonal(m, vec(0.0, 0.0, l), vec(across, across, along)));
    RgJointDef ball = joint_at(RG_JOINT_spherical, "ball", (RgLinkId){0}, top, vec(0.0, 0.0, 0.0), up);
    joint_add(b, &ball);
    RgModel *model = scene_end(b);

    /* Inclined about x by u; angular velocity in body axes: W z + (w3 - W cos u) e3. */
    const double q[4] = {cos(0.5 * u), sin(0.5 * u), 0.0, 0.0};
    const double v[3] = {0.0, W * sin(u), w3};
    RgMat3 tilt = mat_turn(vec(1.0, 0.0, 0.0), u);
    RgMat3 expected = mat_mul(mat_mul(mat_turn(up, W * t), tilt), mat_turn(up, (w3 - W * cos(u)) * t));
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "reference");
        cr_assert(rg_world_set_state(world, q, v) == RG_OK);
        world_run(world, 20, t / 20.0);
        CHECK_NEAR(mat_distance(rg_world_link_pose(world, top).R, expected), 0.0, 1e-8, "");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
