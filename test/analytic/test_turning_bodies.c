/*
 * test_turning_bodies.c - bodies that turn without a torque, by the semi-implicit step: energy and the length of
 * the angular momentum stay what they are, at any step; and the motion comes to that of the reference.
 */
#include "check_near.h"
#include "touching.h"
#include "worlds.h"

static RgModel *brick(RgVec3 com)
{
    RgBuilder *b = scene_begin("brick");
    link_add(b, "brick", inertia_box(2.0, com, vec(0.06, 0.2, 0.4)));
    return scene_end(b);
}

static RgWorld *spinning(const RgModel *model, const char *coords, const char *stepper, RgVec3 w)
{
    RgWorldDef def = world_def(model, coords, stepper);
    def.gravity = vec(0, 0, 0);
    RgWorld *world = world_make(&def);
    link_launch(world, (RgLinkId){1}, w, vec(0.1, 0.2, 0.3));
    return world;
}

/* Slow, fast, and faster than any step can follow. */
Test(turning_bodies, energy_and_angular_momentum_stay)
{
    const double speed[5] = {0.3, 3.0, 30.0, 300.0, 3e4};
    RgModel *model = brick(vec(0, 0, 0));
    for (int form = 0; form < 2; form++)
        for (int k = 0; k < 5; k++) {
            RgWorld *world =
                spinning(model, both_forms[form], "semi-implicit", vec(speed[k], 0.7 * speed[k], -0.4 * speed[k]));
            RgMomentum before, after;
            cr_assert(rg_world_momentum(world, &before) == RG_OK);
            world_run(world, 5000, 1e-3);
            cr_assert(rg_world_momentum(world, &after) == RG_OK);
            CHECK_REL(after.kinetic, before.kinetic, 1e-9, "J");
            RgVec3 L0 = vec_sub(before.angular, vec_cross(before.com, before.linear));
            RgVec3 L1 = vec_sub(after.angular, vec_cross(after.com, after.linear));
            CHECK_REL(sqrt(vec_dot(L1, L1)), sqrt(vec_dot(L0, L0)), 1e-9, "kg m^2/s");
            rg_world_destroy(world);
        }
    rg_model_destroy(model);
}

/* Largest difference of the brick's axes from those of X, after a second of steps of h. */
static double tumble(const RgModel *model, const char *coords, double h, const RgPose *X)
{
    RgWorld *world = spinning(model, coords, "semi-implicit", vec(0.1, 5.0, 0.2));
    world_run(world, (int)(1.0 / h + 0.5), h);
    RgPose Y = rg_world_link_pose(world, (RgLinkId){1});
    double error = 0.0;
    for (int i = 0; i < 9; i++)
        error = fmax(error, fabs(Y.R.m[i / 3][i % 3] - X->R.m[i / 3][i % 3]));
    rg_world_destroy(world);
    return error;
}

/* A tumble about the middle axis: as the reference has it, and nearer with smaller steps; also where the
   link's origin is not the centre. */
Test(turning_bodies, tumbling_comes_to_the_reference)
{
    for (int k = 0; k < 4; k++) {
        RgModel *model = brick(k % 2 == 1 ? vec(0.02, -0.05, 0.1) : vec(0, 0, 0));
        RgWorld *truth = spinning(model, both_forms[k / 2], "reference", vec(0.1, 5.0, 0.2));
        world_run(truth, 10, 0.1);
        RgPose X = rg_world_link_pose(truth, (RgLinkId){1});
        double coarse = tumble(model, both_forms[k / 2], 1e-3, &X);
        double fine = tumble(model, both_forms[k / 2], 2.5e-4, &X);
        cr_expect(coarse < 0.05 && fine < 0.35 * coarse, "%s, %d: %g, %g", both_forms[k / 2], k % 2, coarse, fine);
        world_end(truth, model);
    }
}

/* The link's origin off the centre: the centre goes straight at its speed, and both forms make the same steps. */
Test(turning_bodies, centre_goes_straight)
{
    const double speed[3] = {3.0, 300.0, 3e4};
    RgModel *model = brick(vec(0.02, -0.05, 0.1));
    for (int k = 0; k < 3; k++) {
        RgMomentum first[2], last[2];
        RgPose X[2];
        for (int form = 0; form < 2; form++) {
            RgWorld *world = spinning(model, both_forms[form], "semi-implicit", vec(0.3 * speed[k], speed[k], 1.0));
            cr_assert(rg_world_momentum(world, &first[form]) == RG_OK);
            world_run(world, 2000, 1e-3);
            cr_assert(rg_world_momentum(world, &last[form]) == RG_OK);
            X[form] = rg_world_link_pose(world, (RgLinkId){1});
            RgVec3 p = first[form].linear, q = last[form].linear;
            double size = 1e-11 * (1.0 + sqrt(vec_dot(p, p)));
            CHECK_NEAR(sqrt(vec_dot(vec_sub(p, q), vec_sub(p, q))), 0.0, size, "kg m/s");
            RgVec3 way = vec_sub(vec_sub(last[form].com, first[form].com), vec_scale(2.0 / 2.0, p)); /* 2 s, 2 kg */
            CHECK_NEAR(sqrt(vec_dot(way, way)), 0.0, size, "m");
            CHECK_REL(last[form].kinetic, first[form].kinetic, 1e-9, "J");
            rg_world_destroy(world);
        }
        if (k < 2)
            CHECK_NEAR_ALL(&X[0].R.m[0][0], &X[1].R.m[0][0], 9, 1e-6, "1");
    }
    rg_model_destroy(model);
}

/* A chain on joints that turns by far more than a radian a step stays bounded, and the report says why. */
Test(turning_bodies, a_wild_chain_stays_bounded)
{
    RgBuilder *b = scene_begin("chain");
    RgLinkId last = {0};
    for (int i = 0; i < 5; i++) {
        char name[16], joint[16];
        snprintf(name, sizeof name, "rod%d", i);
        snprintf(joint, sizeof joint, "hinge%d", i);
        RgLinkId rod = link_add(b, name, inertia_rod(1.0, vec(0, 0, 0), vec(0, 0, -0.3), 0.02));
        RgJointDef hinge = joint_at(i % 2 == 0 ? RG_JOINT_spherical : RG_JOINT_revolute, joint, last, rod,
                                    i == 0 ? vec(0, 0, 0) : vec(0, 0, -0.3), vec(1, 0, 0));
        joint_add(b, &hinge);
        last = rod;
    }
    RgModel *model = scene_end(b);
    for (int form = 0; form < 2; form++) {
        RgWorld *world = world_of(model, both_forms[form], "semi-implicit");
        double v[32];
        for (int k = 0; k < rg_model_info(model).nv; k++)
            v[k] = k % 3 - 1.0;
        rg_world_set_state(world, NULL, v);
        int dropped_products = 0;
        for (int i = 0; i < 300; i++) {
            RgStepReport report;
            cr_assert(rg_world_step(world, 0.5, &report) == RG_OK, "%s: step %d: %s %s", both_forms[form], i,
                      rg_status_text(report.status), report.offender);
            dropped_products += report.dropped_products;
        }
        RgMomentum m;
        cr_assert(rg_world_momentum(world, &m) == RG_OK);
        cr_expect(isfinite(m.kinetic) && m.kinetic < 1e7, "%s: %g J", both_forms[form], m.kinetic);
        cr_expect(dropped_products > 0);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
