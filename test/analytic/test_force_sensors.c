/*
 * test_force_sensors.c - forces as a robot's sensors would read them, against statics and the equation of the
 * pendulum: bearings, welds under a load, contact forces of a box that is pushed and stays.
 */
#include "check_near.h"
#include "touching.h"
#include "worlds.h"

#define H 1e-3
#define READING 1e-6 /* N, N m: what a reading may be off */

static RgForce reaction(RgWorld *world, const char *joint)
{
    RgForce f = {0};
    RgJointId id = rg_model_find_joint(rg_world_model(world), joint);
    cr_assert(rg_world_joint_reaction(world, id, &f) == RG_OK);
    return f;
}

/* ------------------------------------------------------------------ pendulum */

#define ROD_MASS 0.7
#define ROD_LENGTH 0.9

/* A uniform rod that hangs from a bearing about y; q = 0: straight down. Its end is a ball of radius r. */
static void rod_add(RgBuilder *b, double r, RgSurfaceDef surface)
{
    RgInertia inertia = inertia_rod(ROD_MASS, vec(0, 0, 0), vec(0, 0, -ROD_LENGTH), 0.01);
    RgLinkId rod = link_add(b, "rod", inertia);
    RgJointDef joint = joint_at(RG_JOINT_revolute, "bearing", (RgLinkId){0}, rod, vec(0, 0, 0), vec(0, 1, 0));
    joint_add(b, &joint);
    const double size[3] = {r, r, r};
    shape_add(b, rod, RG_SHAPE_sphere, size, place_at(0.0, 0.0, -ROD_LENGTH), surface);
}

/*
 * Swinging by angle q at rate w about y, with the centre at c = l/2 along d = (-sin q, 0, -cos q):
 *   q'' = -(3/2) g sin q / l,   load = m (c'' + g z),   c'' = (l/2) (q'' e - w^2 d),  e = dd/dq
 */
Test(force_sensors, bearing_of_a_swinging_pendulum)
{
    RgBuilder *b = scene_begin("pendulum");
    rod_add(b, 0.01, surface_mu(0.5));
    RgModel *model = scene_end(b);
    for (int form = 0; form < 2; form++) {
        RgWorldDef def = world_def(model, both_forms[form], "semi-implicit");
        RgWorld *world = world_make(&def);
        double q = 1.2, v = -0.5;
        RgJointId joint = rg_model_find_joint(model, "bearing");
        rg_world_set_joint_position(world, joint, &q);
        rg_world_set_joint_rate(world, joint, &v);
        for (int i = 0; i < 20; i++) {
            world_run(world, 50, H);
            q = world_angle(world, "bearing");
            v = world_rate(world, "bearing");
            double half = 0.5 * ROD_LENGTH, qdd = -1.5 * TOUCH_G * sin(q) / ROD_LENGTH;
            RgVec3 d = vec(-sin(q), 0.0, -cos(q)), e = vec(-cos(q), 0.0, sin(q));
            RgVec3 c = vec_sub(vec_scale(half * qdd, e), vec_scale(half * v * v, d));
            RgVec3 load = reaction(world, "bearing").f;
            CHECK_NEAR(load.x, ROD_MASS * c.x, READING, "N");
            CHECK_NEAR(load.y, 0.0, READING, "N");
            CHECK_NEAR(load.z, ROD_MASS * (c.z + TOUCH_G), READING, "N");
        }
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/*
 * The rod leans on a smooth wall (normal along +x) at angle q: moments about the bearing give the wall's
 * force N l cos q = m g (l/2) sin q, and the bearing carries (-N, 0, m g).
 */
Test(force_sensors, bearing_of_a_rod_that_leans_on_a_wall)
{
    const double r = 0.02, lean = 0.5, wall = ROD_LENGTH * sin(lean) - r;
    RgBuilder *b = scene_begin("leaning");
    rod_add(b, r, surface_mu(0.0));
    const double size[3] = {0.2, 1.0, 1.0};
    shape_add(b, (RgLinkId){0}, RG_SHAPE_box, size, place_at(wall - 0.1, 0.0, -ROD_LENGTH * cos(lean)),
              surface_mu(0.0));
    RgModel *model = scene_end(b);
    for (int k = 0; k < 4; k++) {
        RgWorldDef def = world_def(model, both_forms[k / 2], "semi-implicit");
        def.solver = k % 2 == 0 ? "quick" : "pgs";
        RgWorld *world = world_make(&def);
        double q = -lean; /* turning by -lean about y swings the end to +x */
        rg_world_set_joint_position(world, rg_model_find_joint(model, "bearing"), &q);
        world_run(world, 4000, H);
        q = world_angle(world, "bearing");
        CHECK_NEAR(q, -lean, 1e-3, "rad");
        double N = 0.5 * ROD_MASS * TOUCH_G * tan(-q);
        RgForce f = reaction(world, "bearing");
        CHECK_NEAR(contact_force_on(world, (RgLinkId){1}).x, N, READING, "N");
        CHECK_NEAR(f.f.x, -N, READING, "N");
        CHECK_NEAR(f.f.z, ROD_MASS * TOUCH_G, READING, "N");
        CHECK_NEAR(f.n.y, 0.0, READING, "N m");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ contact */

Test(force_sensors, a_pushed_box_that_stays_shows_the_push_and_its_weight)
{
    RgBuilder *b = scene_begin("box");
    ground_add(b, surface_mu(0.5));
    RgLinkId box = box_add(b, "box", 1.0, vec(0.2, 0.3, 0.1), vec(0, 0, 0.05), surface_mu(0.5));
    RgModel *model = scene_end(b);
    for (int k = 0; k < 4; k++) {
        RgWorldDef def = world_def(model, both_forms[k / 2], "semi-implicit");
        def.solver = k % 2 == 0 ? "quick" : "pgs";
        RgWorld *world = world_make(&def);
        rg_world_set_link_wrench(world, box, (RgForce){.f = vec(0.6, -0.8, 0.0)});
        world_run(world, 1000, H);
        RgVec3 f = contact_force_on(world, box);
        CHECK_NEAR(hypot(f.x, f.y), 1.0, READING, "N");
        CHECK_NEAR(f.x, -0.6, READING, "N");
        CHECK_NEAR(f.y, 0.8, READING, "N");
        CHECK_NEAR(f.z, TOUCH_G, READING, "N");
        const RgContactForce *force = NULL;
        for (int i = 0, n = rg_world_contact_forces(world, &force); i < n; i++)
            cr_expect(force[i].state == RG_CONTACT_STICK || force[i].force.z == 0.0);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A plate welded to the world carries a box off its middle: force and moment through the weld. */
Test(force_sensors, weld_under_a_load)
{
    const double plate = 3.0, load = 2.0, off = 0.3;
    RgBuilder *b = scene_begin("scales");
    RgLinkId base = link_add(b, "plate", inertia_box(plate, vec(0, 0, 0), vec(1.0, 1.0, 0.1)));
    RgJointDef weld = joint_at(RG_JOINT_fixed, "weld", (RgLinkId){0}, base, vec(0, 0, 0.5), vec(0, 0, 1));
    joint_add(b, &weld);
    const double size[3] = {1.0, 1.0, 0.1};
    shape_add(b, base, RG_SHAPE_box, size, place_at(0, 0, 0), surface_mu(0.5));
    box_add(b, "load", load, vec(0.2, 0.2, 0.2), vec(off, 0.0, 0.65), surface_mu(0.5));
    RgModel *model = scene_end(b);
    for (int k = 0; k < 4; k++) {
        RgWorldDef def = world_def(model, both_forms[k / 2], "semi-implicit");
        def.solver = k % 2 == 0 ? "quick" : "pgs";
        RgWorld *world = world_make(&def);
        world_run(world, 1000, H);
        RgForce f = reaction(world, "weld");
        CHECK_NEAR(f.f.z, (plate + load) * TOUCH_G, READING, "N");
        CHECK_NEAR(f.f.x, 0.0, READING, "N");
        CHECK_NEAR(f.n.y, -off * load * TOUCH_G, 10.0 * READING, "N m");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A slider driven up by a motor at a steady speed: the effort is the weight, with or without a box on it, and
   the slider's bearing carries it. */
Test(force_sensors, motor_of_a_lift)
{
    const double car = 4.0, load = 1.5;
    RgBuilder *b = scene_begin("lift");
    RgLinkId link = link_add(b, "car", inertia_box(car, vec(0, 0, 0), vec(1.0, 1.0, 0.1)));
    RgJointDef rail = joint_at(RG_JOINT_prismatic, "rail", (RgLinkId){0}, link, vec(0, 0, 0), vec(0, 0, 1));
    joint_add(b, &rail);
    const double size[3] = {1.0, 1.0, 0.1};
    shape_add(b, link, RG_SHAPE_box, size, place_at(0, 0, 0), surface_mu(0.5));
    box_add(b, "load", load, vec(0.2, 0.2, 0.2), vec(0.0, 0.0, 0.15), surface_mu(0.5));
    RgModel *model = scene_end(b);
    for (int k = 0; k < 4; k++) {
        RgWorldDef def = world_def(model, both_forms[k / 2], "semi-implicit");
        def.solver = k % 2 == 0 ? "quick" : "pgs";
        RgWorld *world = world_make(&def);
        RgJointId joint = rg_model_find_joint(model, "rail");
        RgMotorReport motor;
        cr_assert(rg_world_set_joint_motor(world, joint, 0, 0.2, 80.0) == RG_OK);
        world_run(world, 5, H);
        cr_assert(rg_world_joint_motor(world, joint, 0, &motor) == RG_OK);
        cr_expect(motor.saturated);
        CHECK_NEAR(motor.effort, 80.0, READING, "N");
        world_run(world, 2000, H);
        cr_assert(rg_world_joint_motor(world, joint, 0, &motor) == RG_OK);
        cr_expect(!motor.saturated);
        CHECK_NEAR(motor.effort, (car + load) * TOUCH_G, 10.0 * READING, "N");
        CHECK_NEAR(reaction(world, "rail").f.z, (car + load) * TOUCH_G, 10.0 * READING, "N");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ loops */

/*
 * A swing of four bars: two arms hang from the world, a beam closes the loop, a box stands on the beam. The loop
 * joint between right arm and beam is driven slowly by a motor; both forms, which have nothing in common but the
 * model, must tell the same loads, and the two bearings together carry all weight.
 */
static RgModel *swing_make(void)
{
    const double arm = 0.5, beam = 0.8, size[3] = {0.9, 0.3, 0.04};
    RgBuilder *b = scene_begin("swing");
    RgLinkId left = link_add(b, "left", inertia_rod(0.4, vec(0, 0, 0), vec(0, 0, -arm), 0.02));
    RgLinkId right =
        link_add_at(b, "right", inertia_rod(0.4, vec(0, 0, 0), vec(0, 0, -arm), 0.02), place_at(beam, 0, 0));
    RgLinkId bar = link_add(b, "bar", inertia_box(2.0, vec(0.5 * beam, 0, 0), vec(size[0], size[1], size[2])));
    RgJointDef joints[4] = {
        joint_at(RG_JOINT_revolute, "hang_left", (RgLinkId){0}, left, vec(0, 0, 0), vec(0, 1, 0)),
        joint_at(RG_JOINT_revolute, "hang_right", (RgLinkId){0}, right, vec(beam, 0, 0), vec(0, 1, 0)),
        joint_at(RG_JOINT_revolute, "hold_left", left, bar, vec(0, 0, -arm), vec(0, 1, 0)),
        joint_at(RG_JOINT_revolute, "hold_right", right, bar, vec(0, 0, -arm), vec(0, 1, 0))};
    joints[3].X_CJ = place_at(beam, 0, 0);
    joints[3].may_close_loop = true;
    for (int i = 0; i < 4; i++)
        joint_add(b, &joints[i]);
    shape_add(b, bar, RG_SHAPE_box, size, place_at(0.5 * beam, 0, 0), surface_mu(0.9));
    box_add(b, "load", 1.5, vec(0.2, 0.2, 0.2), vec(0.5 * beam, 0, -arm + 0.12), surface_mu(0.9));
    return scene_end(b);
}

Test(force_sensors, loop_with_a_motor_and_a_load_in_both_forms)
{
    static const char *const names[4] = {"hang_left", "hang_right", "hold_left", "hold_right"};
    RgModel *model = swing_make();
    cr_assert(rg_model_joint(model, rg_model_find_joint(model, "hold_right")).is_loop);
    RgForce load[2][4];
    double effort[2];
    for (int form = 0; form < 2; form++) {
        RgWorld *world = world_of(model, both_forms[form], "semi-implicit");
        RgJointId driven = rg_model_find_joint(model, "hold_right");
        RgMotorReport motor;
        cr_assert(rg_world_set_joint_motor(world, driven, 0, 0.02, 30.0) == RG_OK);
        world_run(world, 1500, H);
        cr_assert(rg_world_joint_motor(world, driven, 0, &motor) == RG_OK && !motor.saturated);
        effort[form] = motor.effort;
        for (int i = 0; i < 4; i++)
            load[form][i] = reaction(world, names[i]);

        /* The motor turns about y; the joint's moment about that axis is its effort. */
        CHECK_NEAR(load[form][3].n.y, motor.effort, 1e-4, "N m");
        CHECK_NEAR(load[form][0].f.z + load[form][1].f.z, (0.8 + 2.0 + 1.5) * TOUCH_G, 1e-3, "N");
        rg_world_destroy(world);
    }
    CHECK_NEAR(effort[0], effort[1], 1e-3, "N m");
    for (int i = 0; i < 4; i++) {
        double a[3] = {load[0][i].f.x, load[0][i].f.z, load[0][i].n.y};
        double b[3] = {load[1][i].f.x, load[1][i].f.z, load[1][i].n.y};
        CHECK_NEAR_ALL(a, b, 3, 1e-3, "N, N m");
    }
    rg_model_destroy(model);
}
