/*
 * test_robust_grasp.c - solvers of least energy, "max-dissipation" and "qp", and those with friction that the normal
 * impulse does not bound, "no-slip" and "viscous", never push across a gap: two fingers on a hand close on a box from 5
 * mm on either side, lift it by friction, and let it go.
 *
 *   F, 0.1 m/s -> [finger] 5 mm [ box ] 5 mm [finger] <- F       hand goes up by 0.1 m/s; mu F 2 = 3 times the weight
 *
 * At the end of a step in which a pair of shapes had a force it is no farther apart than near_gap, which the law closes
 * gradually (contact_law.h). Fingers that stop before they touch, or hands thrown up beside a box, move nothing. Closed forms: nothing moves until the fingers have arrived; then the box goes with the
 * hand; let go, it is on the floor again. A box thrown past the floor and under a ceiling, which it nears but does not
 * reach, flies freely.
 */
#include "check_near.h"
#include "scene_parts.h"
#include "touching.h"
#include "worlds.h"

#define NEAR 1e-4 /* m: RgContactLaw.near_gap */
#define SIZE 0.04
#define GAP 5e-3
#define MASS 0.2
#define FORCE 6.0
#define SPEED 0.1

enum { HOLDING = 3, SOLVERS = 4 }; /* viscous friction does not hold */
static const char *const solvers[SOLVERS] = {"max-dissipation", "qp", "no-slip", "viscous"};

static RgShapeDef cube_on(RgLinkId link, const char *name, double size)
{
    RgShapeDef shape = rg_shape_def_default();
    shape.type = RG_SHAPE_box;
    shape.size[0] = shape.size[1] = shape.size[2] = size;
    shape.link = link;
    shape.name = name;
    shape.surface.mu = shape.surface.mu2 = 0.5;
    return shape;
}

static RgModel *hand_and_box(double gap)
{
    RgBuilder *b = scene_begin("hand");
    ground_add(b, surface_mu(0.5));
    RgLinkId palm = link_add(b, "palm", inertia_box(0.5, vec(0, 0, 0), vec(SIZE, SIZE, SIZE)));
    RgJointDef lift = joint_at(RG_JOINT_prismatic, "lift", (RgLinkId){0}, palm, vec(0, 0, 0.03), vec(0, 0, 1));
    joint_add(b, &lift);
    for (int side = -1; side <= 1; side += 2) {
        const char *name = side < 0 ? "left" : "right";
        RgLinkId link = link_add(b, name, inertia_box(0.05, vec(0, 0, 0), vec(SIZE, SIZE, SIZE)));
        RgJointDef slide =
            joint_at(RG_JOINT_prismatic, name, palm, link, vec(side * (SIZE + gap), 0, 0), vec(-side, 0, 0));
        joint_add(b, &slide);
        RgShapeDef pad = cube_on(link, name, SIZE);
        rg_builder_add_shape(b, &pad);
    }
    box_add(b, "box", MASS, vec(SIZE, SIZE, SIZE), vec(0, 0, 0.5 * SIZE), surface_mu(0.5));
    return scene_end(b);
}

static void drive(RgWorld *world, const RgModel *model, double closing, double lifting)
{
    RgDrive lift = rg_drive_default();
    lift.velocity = lifting;
    lift.kd = 400.0;
    rg_world_set_joint_drive(world, rg_model_find_joint(model, "lift"), 0, &lift);
    rg_world_set_joint_motor(world, rg_model_find_joint(model, "left"), 0, closing, FORCE);
    rg_world_set_joint_motor(world, rg_model_find_joint(model, "right"), 0, closing, FORCE);
}

/* Makes steps; returns the widest gap at the end of one in which it had a force. */
static double run(RgWorld *world, double time, double h)
{
    double widest = -INFINITY;
    for (int i = 0; i < (int)lround(time / h); i++) {
        const RgContactForce *forces;
        RgDistance between;
        cr_assert(rg_world_step(world, h, NULL) == RG_OK);
        int n = rg_world_contact_forces(world, &forces);
        for (int k = 0; k < n; k++) {
            if (vec_norm(forces[k].force) == 0.0)
                continue;
            cr_assert(rg_world_distance(world, forces[k].shape_a, forces[k].shape_b, &between, NULL) == RG_OK);
            widest = fmax(widest, between.distance);
        }
    }
    return widest;
}

static RgVec3 place(RgWorld *world, const RgModel *model, const char *link)
{
    return rg_world_link_pose(world, rg_model_find_link(model, link)).p;
}

static void grasp(const RgModel *model, const char *solver, const char *coords, double h)
{
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.solver = solver;
    RgWorld *world = world_make(&def);
    RgVec3 start = place(world, model, "box");
    drive(world, model, SPEED, 0.0);
    double widest = run(world, GAP / SPEED - 2.0 * h, h);
    RgVec3 near = place(world, model, "box");
    cr_expect(vec_distance(start, near) < 1e-5, "%s, %s, %g s: pushed by %g m before it is touched", solver, coords, h,
              vec_distance(start, near));
    widest = fmax(widest, run(world, 0.2, h));
    RgVec3 held = vec_sub(place(world, model, "box"), place(world, model, "palm"));
    drive(world, model, SPEED, SPEED);
    widest = fmax(widest, run(world, 0.5, h));
    RgVec3 lifted = vec_sub(place(world, model, "box"), place(world, model, "palm"));
    double height = place(world, model, "box").z - start.z;
    cr_expect(height > 0.04, "%s, %s, %g s: at %g m", solver, coords, h, height);
    cr_expect(vec_distance(held, lifted) < 1e-3, "%s, %s, %g s: slipped by %g m", solver, coords, h,
              vec_distance(held, lifted));
    drive(world, model, -SPEED, 0.0);
    widest = fmax(widest, run(world, 0.5, h));
    CHECK_NEAR(place(world, model, "box").z, start.z, 2e-4, "m");
    cr_log_info("%s, %s, %g s: widest gap with a force %.3g mm", solver, coords, h, 1e3 * widest);
    cr_expect(widest < NEAR, "%s, %s, %g s: a force across %g mm", solver, coords, h, 1e3 * widest);
    rg_world_destroy(world);
}

Test(robust_grasp, fingers_carry_what_they_touch)
{
    const double steps[] = {1e-3, 5e-3};
    RgModel *model = hand_and_box(GAP);
    for (int k = 0; k < 4 * HOLDING; k++)
        grasp(model, solvers[k % HOLDING], both_forms[k / HOLDING % 2], steps[k / HOLDING / 2]);
    rg_model_destroy(model);
}

/* The top of the flight is 1.5 mm below the ceiling, its end 1.5 mm above the floor; the way across is 2 m/s. */
Test(robust_grasp, what_is_near_but_does_not_arrive_has_no_force)
{
    RgBuilder *b = scene_begin("near");
    ground_add(b, surface_mu(0.5));
    RgShapeDef ceiling = cube_on((RgLinkId){0}, "ceiling", 1.0);
    ceiling.X_LS.p = vec(0, 0, 0.5 + 0.0815);
    rg_builder_add_shape(b, &ceiling);
    RgLinkId box = box_add(b, "box", 1.0, vec(SIZE, SIZE, SIZE), vec(0, 0, 0.0215), surface_mu(0.5));
    RgModel *model = scene_end(b);
    double rise = sqrt(2.0 * 9.81 * 0.0385), h = 1e-3;
    RgExactOptions viscous = rg_exact_options_default();
    viscous.viscous = 0.1;
    for (int k = 0; k < 2 * SOLVERS; k++) {
        RgWorldDef def = world_def(model, both_forms[k % 2], "semi-implicit");
        def.solver = solvers[k / 2];
        def.exact = &viscous;
        RgWorld *world = world_make(&def);
        link_launch(world, box, vec(0, 0, 0), vec(2.0, 0.0, rise));
        int flight = (int)(2.0 * rise / 9.81 / h) - 1;
        for (int i = 0; i < flight; i++)
            cr_expect(run(world, h, h) == -INFINITY, "%s, %s: a force at %g s", def.solver, def.coords, i * h);
        RgMotion V = rg_world_link_twist(world, box);
        CHECK_NEAR(V.v.x, 2.0, 1e-12, "m/s");
        CHECK_NEAR(V.v.z, rise - 9.81 * h * flight, 1e-9, "m/s");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Fingers at rest 1 to 4 mm from the box, which is thrown up at 2 m/s: the search sweeps it by 10 mm a step, so that
   their gaps are rows of the problem. It flies as if they were not there. */
Test(robust_grasp, fingers_that_stop_short_carry_nothing)
{
    const double h = 5e-3, up = 2.0;
    RgExactOptions viscous = rg_exact_options_default();
    viscous.viscous = 0.5;
    for (int k = 0; k < 8 * SOLVERS; k++) {
        RgModel *model = hand_and_box(1e-3 * (1 + k / 2 % 4));
        RgWorldDef def = world_def(model, both_forms[k % 2], "semi-implicit");
        def.solver = solvers[k / 8];
        def.exact = &viscous;
        RgWorld *world = world_make(&def);
        RgLinkId box = rg_model_find_link(model, "box");
        drive(world, model, 0.0, 0.0);
        link_launch(world, box, vec(0, 0, 0), vec(0, 0, up));
        run(world, 0.05, h);
        CHECK_NEAR(rg_world_link_twist(world, box).v.z, up - 9.81 * 0.05, 1e-9, "m/s");
        world_end(world, model);
    }
}
