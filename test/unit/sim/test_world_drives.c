/*
 * test_world_drives.c - drives of joints: what is refused, what takes whose place, that they are stable at any gain and
 * in every stepper, part of no state, and free of allocation.
 */
#include "check_near.h"
#include "counting.h"
#include "scene_parts.h"
#include "scenes.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

static const char *const arm_joints[] = {"pan", "lift", "elbow", "roll", "pitch", "turn"};
static const double arm_bent[] = {0.5, 0.8, -0.9, 0.4, 0.6, -0.3};
static const char *const legs[] = {"front_left", "front_right", "hind_left", "hind_right"};

static RgModel *load(const char *const *files)
{
    RgError error;
    RgBuilder *b = rg_builder_create(NULL, NULL);
    for (; *files != NULL; files++)
        cr_assert(rg_read_file(b, *files, NULL, &error) == RG_OK, "%s", error.text);
    RgModel *model = rg_builder_finish(b, &error);
    cr_assert(model != NULL, "%s", error.text);
    rg_builder_destroy(b);
    return model;
}

static RgModel *arm6(void)
{
    return load((const char *const[]){RIGOR_SOURCE_DIR "/models/arm6.urdf", NULL});
}

static RgModel *standing_dog(void)
{
    return load(
        (const char *const[]){RIGOR_SOURCE_DIR "/models/floor.sdf", RIGOR_SOURCE_DIR "/models/quadruped.sdf", NULL});
}

/* Every joint of a list to its place, by the same drive otherwise. */
static void drive_arm(RgWorld *world, RgDrive drive)
{
    for (int i = 0; i < 6; i++) {
        drive.position = arm_bent[i];
        RgJointId id = rg_model_find_joint(rg_world_model(world), arm_joints[i]);
        cr_assert(rg_world_set_joint_drive(world, id, 0, &drive) == RG_OK);
    }
}

static double arm_error(RgWorld *world)
{
    double worst = 0.0;
    for (int i = 0; i < 6; i++)
        worst = fmax(worst, fabs(world_angle(world, arm_joints[i]) - arm_bent[i]));
    return worst;
}

/* The dog's knees bent, its feet just above the floor. */
static void place_dog(RgWorld *world, const RgDrive *like)
{
    const RgModel *model = rg_world_model(world);
    const char *const parts[] = {"roll", "pitch", "knee"};
    const double bent[] = {0.0, 0.7, -1.4};
    for (int i = 0; i < 12; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s_%s", legs[i / 3], parts[i % 3]);
        RgJointId id = rg_model_find_joint(model, name);
        RgDrive drive = *like;
        drive.position = bent[i % 3];
        cr_assert(rg_world_set_joint_position(world, id, &bent[i % 3]) == RG_OK);
        cr_assert(rg_world_set_joint_drive(world, id, 0, &drive) == RG_OK);
    }
    int nq = rg_model_info(model).nq;
    double *q = calloc((size_t)nq, sizeof *q);
    memcpy(q, rg_world_q(world), (size_t)nq * sizeof *q);
    for (int i = 0; i < nq; i++)
        if (fabs(q[i] - 0.55) < 1e-12)
            q[i] -= 0.14;
    cr_assert(rg_world_set_state(world, q, NULL) == RG_OK);
    free(q);
}

/* ------------------------------------------------------------------ what is refused */

Test(world_drives, what_is_refused)
{
    RgModel *model = scene_all_joints();
    RgWorld *world = world_of(model, "minimal", "semi-implicit");
    RgJointId ball = {0}, hinge = {0};
    for (int i = 1; i <= rg_model_info(model).joints; i++) {
        RgJointType type = rg_model_joint(model, (RgJointId){i}).type;
        ball = type == RG_JOINT_spherical ? (RgJointId){i} : ball;
        hinge = type == RG_JOINT_revolute ? (RgJointId){i} : hinge;
    }
    cr_assert(ball.i > 0 && hinge.i > 0);
    RgDrive good = rg_drive_default();
    RgDriveReport report;
    cr_expect_eq(rg_world_set_joint_drive(world, (RgJointId){0}, 0, &good), RG_ERR_NOT_FOUND);
    cr_expect_eq(rg_world_set_joint_drive(world, hinge, 1, &good), RG_ERR_NOT_FOUND);
    cr_expect_eq(rg_world_joint_drive(world, hinge, -1, &report), RG_ERR_NOT_FOUND);

    /* Every number that is none, and infinite ones where there must be a number. */
    for (int k = 0; k < 8; k++) {
        RgDrive bad = good;
        double *numbers[] = {&bad.position, &bad.velocity, &bad.time, &bad.kp,
                             &bad.kd,       &bad.feed,     &bad.rate, &bad.max_effort};
        *numbers[k] = (double)NAN;
        cr_expect_eq(rg_world_set_joint_drive(world, hinge, 0, &bad), RG_ERR_NOT_FINITE, "number %d", k);
        *numbers[k] = (double)INFINITY;
        cr_expect_eq(rg_world_set_joint_drive(world, hinge, 0, &bad), k < 6 ? RG_ERR_NOT_FINITE : RG_OK);
        *numbers[k] = -1.0;
        cr_expect_eq(rg_world_set_joint_drive(world, hinge, 0, &bad), k < 3 || k == 5 ? RG_OK : RG_ERR_ARGUMENT);
    }
    good.kp = good.kd = 0.0;
    cr_expect_eq(rg_world_set_joint_drive(world, hinge, 0, &good), RG_ERR_ARGUMENT);
    good.hard = true;
    cr_expect_eq(rg_world_set_joint_drive(world, hinge, 0, &good), RG_OK);

    /* A ball has no position to go to, but velocities. */
    good.rate = 1.0;
    cr_expect_eq(rg_world_set_joint_drive(world, ball, 1, &good), RG_ERR_UNSUPPORTED);
    good.rate = 0.0;
    good.velocity = 0.3;
    cr_expect_eq(rg_world_set_joint_drive(world, ball, 1, &good), RG_OK);
    world_run(world, 3, 1e-3);
    double v[3];
    rg_world_joint_rate(world, ball, v);
    CHECK_NEAR(v[1], 0.3, 1e-7, "rad/s");
    world_end(world, model);
}

/* Motor, servo and drive have one place: what was set last counts. */
Test(world_drives, take_each_others_place)
{
    RgModel *model = arm6();
    RgWorld *world = world_of(model, "minimal", "semi-implicit");
    RgJointId id = rg_model_find_joint(model, "elbow");
    RgDrive drive = rg_drive_default();
    RgServo servo = {.position = 0.1, .rate = 5.0, .max_velocity = 1.0, .max_effort = 10.0};
    RgDriveReport driven;
    RgMotorReport motor;
    for (int k = 0; k < 4; k++) {
        if (k % 2 == 0)
            cr_assert(rg_world_set_joint_drive(world, id, 0, &drive) == RG_OK);
        else if (k == 1)
            cr_assert(rg_world_set_joint_motor(world, id, 0, 0.0, 10.0) == RG_OK);
        else
            cr_assert(rg_world_set_joint_servo(world, id, 0, &servo) == RG_OK);
        rg_world_joint_drive(world, id, 0, &driven);
        rg_world_joint_motor(world, id, 0, &motor);
        cr_expect(driven.on == (k % 2 == 0) && motor.on == (k % 2 == 1), "k %d", k);
    }
    drive.max_effort = 0.0;
    cr_assert(rg_world_set_joint_drive(world, id, 0, &drive) == RG_OK);
    rg_world_joint_drive(world, id, 0, &driven);
    rg_world_joint_motor(world, id, 0, &motor);
    cr_expect(!driven.on && !motor.on);
    world_end(world, model);
}

/* ------------------------------------------------------------------ gains and steppers */

/* An arm of six joints, steps of 10 ms: the law at the step's end stands any gain; the same law as an effort does
   not. */
Test(world_drives, any_gain_is_stable)
{
    RgModel *model = arm6();
    for (int k = 0; k < 2; k++) {
        RgWorld *world = world_of(model, both_forms[k], "semi-implicit");
        drive_arm(world, (RgDrive){.kp = 1e7, .kd = 1e4, .max_effort = (double)INFINITY});
        world_run(world, 300, 1e-2);
        CHECK_NEAR(arm_error(world), 0.0, 1e-4, "rad");
        rg_world_destroy(world);
    }
    RgWorld *world = world_of(model, "minimal", "semi-implicit");
    double worst = 0.0;
    for (int i = 0; i < 100 && worst < 100.0; i++) {
        for (int j = 0; j < 6; j++) {
            double tau =
                1e7 * (arm_bent[j] - world_angle(world, arm_joints[j])) - 1e4 * world_rate(world, arm_joints[j]);
            rg_world_set_joint_effort(world, rg_model_find_joint(model, arm_joints[j]), &tau);
        }
        if (rg_world_step(world, 1e-2, NULL) != RG_OK)
            break;
        worst = arm_error(world);
    }
    cr_expect(worst > 100.0, "explicit: %g rad", worst);
    world_end(world, model);
}

/* All steppers bring the arm to its place and hold it there, soft against gravity's pull, and hard. Joints that are
   rows move a little in the projection of steps whose rows do not know of the drives. */
Test(world_drives, in_every_stepper)
{
    RgModel *model = arm6();
    for (int k = 0; k < 4 * rg_stepper_count(); k++) {
        const char *name = rg_stepper_name(k / 4);
        bool hard = k % 2 == 1;
        RgWorld *world = world_of(model, both_forms[k / 2 % 2], name);
        RgDrive drive = {.hard = hard, .kp = 1e4, .kd = 1e3, .rate = 20.0, .max_effort = 1e4};
        drive_arm(world, drive);
        world_run(world, 70, 1e-2);
        cr_expect(arm_error(world) < (!hard            ? 0.02
                                      : k / 2 % 2 == 0 ? 2e-6
                                                       : 2e-4),
                  "%s, %s, %s: %g rad", name, both_forms[k / 2 % 2], hard ? "hard" : "soft", arm_error(world));
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ state, memory */

static RgWorld *dog_world(const RgModel *model, int k, RgAllocator *allocator)
{
    const char *const solvers[] = {"quick", "cone", "dantzig"};
    RgWorldDef def = world_def(model, both_forms[k % 2], "semi-implicit");
    def.solver = solvers[k / 2];
    if (allocator != NULL)
        def.allocator = *allocator;
    RgWorld *world = world_make(&def);
    place_dog(world, &(RgDrive){.hard = k % 4 >= 2, .kp = 300.0, .kd = 3.0, .rate = 50.0, .max_effort = 9.0});
    return world;
}

/* A loaded state goes on with the same bits, and says the same efforts. */
Test(world_drives, restored_states_go_on_with_the_same_bits)
{
    RgModel *model = standing_dog();
    RgJointId knee = rg_model_find_joint(model, "hind_left_knee");
    for (int k = 0; k < 6; k++) {
        RgWorld *one = dog_world(model, k, NULL), *two = dog_world(model, k, NULL);
        world_run(one, 60, 2e-3);
        char *saved = malloc(rg_world_state_size(one));
        rg_world_state_save(one, saved);
        world_run(two, 7, 2e-3);
        cr_assert(rg_world_state_load(two, saved, rg_world_state_size(one)) == RG_OK);
        free(saved);
        RgDriveReport a, b;
        rg_world_joint_drive(one, knee, 0, &a);
        rg_world_joint_drive(two, knee, 0, &b);
        cr_expect(a.effort == b.effort && a.effort != 0.0 && a.saturated == b.saturated);
        world_run(one, 40, 2e-3);
        world_run(two, 40, 2e-3);
        cr_expect(rg_world_hash(one) == rg_world_hash(two), "case %d", k);
        rg_world_destroy(one);
        rg_world_destroy(two);
    }
    rg_model_destroy(model);
}

/* Drives set anew in every step, some at their bounds: nothing is allocated once all of that has happened. */
Test(world_drives, allocate_nothing)
{
    RgModel *model = standing_dog();
    for (int k = 0; k < 6; k++) {
        Counting counting = {0};
        RgAllocator allocator = counting_allocator(&counting);
        RgWorld *world = dog_world(model, k, &allocator);
        const RgShortfall *gave;
        world_run(world, 120, 2e-3);
        rg_world_shortfalls(world, &gave);
        long warm = counting.calls;
        for (int i = 0; i < 50; i++) {
            RgDrive drive = {.kp = 100.0 + i, .kd = 3.0, .position = -1.4, .max_effort = 9.0};
            rg_world_set_joint_drive(world, rg_model_find_joint(model, "hind_left_knee"), 0, &drive);
            world_run(world, 1, 2e-3);
            rg_world_shortfalls(world, &gave);
        }
        cr_expect(counting.calls == warm, "case %d: %ld allocations", k, counting.calls - warm);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A cart that a soft drive of 1 mm/s draws too slowly to be seen: it is not put to sleep, and is at its place in the
   end. Once the drive holds still it sleeps, and another drive wakes it. */
Test(world_drives, who_is_driven_does_not_sleep)
{
    RgBuilder *b = scene_begin("cart");
    RgLinkId cart = link_add(b, "cart", inertia_box(2.0, vec(0, 0, 0), vec(0.1, 0.1, 0.1)));
    RgJointDef slide = joint_at(RG_JOINT_prismatic, "slide", (RgLinkId){0}, cart, vec(0, 0, 0), vec(1, 0, 0));
    RgJointId id = joint_add(b, &slide);
    RgModel *model = scene_end(b);
    RgWorldDef def = world_def(model, "minimal", "semi-implicit");
    def.sleeping = true;
    RgWorld *world = world_make(&def);
    RgDrive drive = {.velocity = 1e-3, .kp = 1e3, .kd = 1e2, .max_effort = 50.0};
    rg_world_set_joint_drive(world, id, 0, &drive);
    world_run(world, 2000, 1e-3);
    cr_expect(!rg_world_is_asleep(world, cart));
    CHECK_NEAR(world_angle(world, "slide"), 2e-3, 1e-6, "m");
    drive.velocity = 0.0;
    drive.position = 2e-3;
    rg_world_set_joint_drive(world, id, 0, &drive);
    world_run(world, 1000, 1e-3);
    cr_expect(rg_world_is_asleep(world, cart));
    drive.position = 0.1;
    rg_world_set_joint_drive(world, id, 0, &drive);
    world_run(world, 2000, 1e-3);
    CHECK_NEAR(world_angle(world, "slide"), 0.1, 1e-6, "m");
    world_end(world, model);
}

/* The same motion in both forms, but for what steps of that length leave between them: soft, hard, and at their
   bounds. */
Test(world_drives, both_forms_move_alike)
{
    RgModel *model = arm6();
    for (int k = 0; k < 3; k++) {
        double end[2][6];
        for (int form = 0; form < 2; form++) {
            RgWorld *world = world_of(model, both_forms[form], "semi-implicit");
            drive_arm(world, (RgDrive){.hard = k == 1,
                                       .kp = 400.0,
                                       .kd = 40.0,
                                       .rate = 10.0,
                                       .max_effort = k == 2 ? 15.0 : (double)INFINITY});
            world_run(world, 1000, 2e-4);
            for (int i = 0; i < 6; i++)
                end[form][i] = world_angle(world, arm_joints[i]);
            rg_world_destroy(world);
        }
        for (int i = 0; i < 6; i++)
            CHECK_NEAR(end[1][i], end[0][i], 5e-4, "rad");
        cr_expect(fabs(end[0][1]) > 0.05, "it moved by %g rad", end[0][1]);
    }
    rg_model_destroy(model);
}

/* A pendulum at rest on its drive: the drive gives what gravity asks for, the joint carries it, and nothing
   accelerates. */
Test(world_drives, joints_carry_what_drives_give)
{
    const double mass = 2.0, length = 0.5, angle = 0.3;
    RgModel *model = scene_pendulum(inertia_diagonal(mass, vec(0.0, 0.0, -length), vec(0.01, 0.01, 0.01)), NULL);
    RgJointId hinge = rg_model_find_joint(model, "hinge");
    double pull = mass * 9.81 * length * sin(angle), kp = 300.0;
    for (int k = 0; k < 4; k++) {
        RgWorld *world = world_of(model, both_forms[k % 2], "semi-implicit");
        bool hard = k >= 2;
        double at = angle + (hard ? 0.0 : pull / kp), a = 1.0;
        rg_world_set_joint_position(world, hinge, &angle);
        RgDrive drive = {.hard = hard, .position = at, .kp = kp, .kd = 30.0, .rate = 10.0, .max_effort = 50.0};
        cr_assert(rg_world_set_joint_drive(world, hinge, 0, &drive) == RG_OK);
        world_run(world, 1500, 2e-3);
        RgDriveReport report;
        RgForce wrench;
        rg_world_joint_drive(world, hinge, 0, &report);
        cr_assert(rg_world_joint_reaction(world, hinge, &wrench) == RG_OK);
        cr_assert(rg_world_acceleration(world, &a) == RG_OK);
        CHECK_NEAR(fabs(report.effort), pull, 1e-6, "N m");
        CHECK_NEAR(vec_norm(wrench.n), pull, 1e-6, "N m");
        CHECK_NEAR(wrench.f.z, mass * 9.81, 1e-6, "N");
        CHECK_NEAR(a, 0.0, 1e-6, "rad/s^2");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Drives on every joint of mechanisms with loops, far more than there are ways to move, that contradict each other: all
   solvers go on with finite numbers and whole loops, in both forms. (Of pgs and pgs:jacobi the sweeps do not suffice to
   keep joints that are rows against drives that are.) */
static void check_contradiction(const RgModel *model, const char *coords, const char *solver, int kind)
{
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    const double most[] = {1e4, 1e4, 50.0, (double)INFINITY};
    def.solver = solver;
    RgWorld *world = world_make(&def);
    for (int j = 1; j <= rg_model_info(model).joints; j++) {
        RgJointInfo joint = rg_model_joint(model, (RgJointId){j});
        bool plain = joint.nq == joint.nv;
        double q[7] = {0.0};
        rg_world_joint_position(world, (RgJointId){j}, q);
        for (int k = 0; k < joint.nv; k++) {
            RgDrive drive = {.hard = kind > 0,
                             .position = q[k] + 0.05,
                             .kp = plain ? 1e5 : 0.0,
                             .kd = 100.0,
                             .rate = !plain      ? 0.0
                                     : kind == 3 ? (double)INFINITY
                                                 : 20.0,
                             .max_effort = most[kind]};
            cr_assert(rg_world_set_joint_drive(world, (RgJointId){j}, k, &drive) == RG_OK);
        }
    }
    double fastest = 0.0, error = world_run(world, kind == 3 ? 20 : 60, 2e-3);
    for (int k = 0; k < rg_model_info(model).nv; k++)
        fastest = fmax(fastest, fabs(rg_world_v(world)[k]));
    bool sweeps = strncmp(solver, "pgs", 3) == 0;
    cr_expect(fastest < 50.0 && (error < 0.05 || sweeps), "%s, %s, %d: %g rad/s, error %g", coords, solver, kind,
              fastest, error);
    rg_world_destroy(world);
}

Test(world_drives, contradictions_in_loops)
{
    RgModel *models[] = {scene_four_bar(), scene_stewart()};
    for (int m = 0; m < 2; m++) {
        for (int k = 0; k < 8 * rg_solver_count(); k++)
            check_contradiction(models[m], both_forms[k % 2], rg_solver_name(k / 8), k / 2 % 4);
        rg_model_destroy(models[m]);
    }
}
