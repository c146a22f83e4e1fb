/*
 * test_joint_targets.c - what /rigor/joint_targets and /joint_states say of drives and of controlled joints, against
 * the reports of the world and of the control; and the columns of a controlled recording.
 */
#include "record/cursor.h"
#include "record/message.h"
#include "worlds.h"

#include "check_near.h"

#include <rigor/control.h>
#include <rigor/scene.h>

#include <string.h>

enum { JOINTS = 6 };
#define STEP 1e-3

typedef struct Stage {
    RgModel *model;
    RgWorld *world;
    RgMessages *messages;
} Stage;

/* Names, positions, velocities, efforts of a sensor_msgs/JointState. */
typedef struct Rows {
    int n;
    char name[JOINTS][32];
    double position[JOINTS], velocity[JOINTS], effort[JOINTS];
} Rows;

static Stage stage_of(void)
{
    RgWorldDef def = rg_world_def_default();
    Stage s = {.model = rg_model_load("models/arm6.urdf", NULL, NULL, NULL)};
    cr_assert_not_null(s.model);
    def.model = s.model;
    s.world = rg_world_create(&def, NULL);
    RgMessagesDef messages = rg_messages_def_default();
    messages.model = s.model;
    s.messages = rg_messages_create(&messages, NULL);
    cr_assert(s.world != NULL && s.messages != NULL);
    return s;
}

static void stage_end(Stage *s)
{
    rg_messages_destroy(s->messages);
    world_end(s->world, s->model);
}

static Rows rows_of(Stage *s, const char *topic)
{
    RgMessage message;
    Rows rows = {.n = 0};
    cr_assert_eq(rg_messages_encode(s->messages, rg_channel_find(topic), s->world, &message), RG_OK);
    RgCursor c = rg_cdr_cursor(message.data, message.size);
    rg_cdr_read(&c, 4);
    rg_cdr_read(&c, 4);
    rg_cdr_read_text(&c);
    rows.n = (int)rg_cdr_read(&c, 4);
    cr_assert(rows.n <= JOINTS);
    for (int i = 0; i < rows.n; i++) {
        RgSpan text = rg_cdr_read_text(&c);
        snprintf(rows.name[i], sizeof rows.name[i], "%.*s", (int)text.size, (const char *)text.data);
    }
    rg_cdr_read_f64_list(&c, rows.position, rows.n);
    rg_cdr_read_f64_list(&c, rows.velocity, rows.n);
    rg_cdr_read_f64_list(&c, rows.effort, rows.n);
    cr_assert_not(c.failed);
    return rows;
}

/* One joint on a hard drive that moves, one on a soft one that only brakes; the others on nothing. */
Test(joint_targets, of_drives)
{
    Stage s = stage_of();
    RgJointId lift = rg_model_find_joint(s.model, "lift"), elbow = rg_model_find_joint(s.model, "elbow");
    RgDrive hard = rg_drive_default(), brake = rg_drive_default();
    hard.hard = true;
    hard.position = 0.1;
    hard.velocity = 0.5;
    hard.rate = 20.0;
    hard.max_effort = 100.0;
    brake.kp = 0.0;
    brake.velocity = 0.2;
    brake.max_effort = 30.0;
    cr_assert_eq(rg_world_set_joint_drive(s.world, lift, 0, &hard), RG_OK);
    cr_assert_eq(rg_world_set_joint_drive(s.world, elbow, 0, &brake), RG_OK);
    for (int i = 0; i < 100; i++)
        cr_assert_eq(rg_world_step(s.world, STEP, NULL), RG_OK);
    Rows targets = rows_of(&s, "/rigor/joint_targets"), states = rows_of(&s, "/joint_states");
    cr_assert_eq(targets.n, 2);
    cr_expect_str_eq(targets.name[0], "lift");
    CHECK_NEAR(targets.position[0], 0.1 + 0.5 * rg_world_time(s.world), 1e-15, "rad");
    CHECK_NEAR(targets.velocity[0], 0.5, 0.0, "rad/s");
    CHECK_NEAR(targets.effort[0], 100.0, 0.0, "N m");
    cr_expect(isnan(targets.position[1]), "a brake goes nowhere");
    CHECK_NEAR(targets.velocity[1], 0.2, 0.0, "rad/s");

    /* The states have the efforts that the drives report. */
    RgDriveReport report;
    cr_assert_eq(rg_world_joint_drive(s.world, lift, 0, &report), RG_OK);
    CHECK_NEAR(states.effort[1], report.effort, 0.0, "N m");
    cr_expect(fabs(states.effort[1]) > 1.0, "an arm is held up");
    stage_end(&s);
}

static RgControl *control_of(Stage *s, RgTrajectory **trajectory)
{
    static const double amplitude[2] = {0.3, 0.2}, frequency[2] = {3.0, 5.0};
    RgTrajectoryDef path = rg_trajectory_def_default();
    path.kind = "sinusoid";
    path.naxes = 2;
    path.amplitude = amplitude;
    path.frequency = frequency;
    *trajectory = rg_trajectory_create(&path, NULL);
    RgControlJoint joints[2] = {rg_control_joint_default(), rg_control_joint_default()};
    joints[0].joint = rg_model_find_joint(s->model, "elbow");
    joints[1].joint = rg_model_find_joint(s->model, "pan");
    for (int i = 0; i < 2; i++) {
        joints[i].kp = 200.0;
        joints[i].kd = 10.0;
        joints[i].limits.max_effort = 5.0;
    }
    RgControllerDef controller = rg_controller_def_default();
    controller.kind = "pd";
    controller.njoints = 2;
    controller.joints = joints;
    controller.trajectory = *trajectory;
    RgControlDef def = rg_control_def_default();
    def.world = s->world;
    def.ncontrollers = 1;
    def.controllers = &controller;
    return rg_control_create(&def, NULL);
}

/* What a control wants of its joints, whatever its order of them; after it is taken away, nothing. */
Test(joint_targets, of_a_control)
{
    Stage s = stage_of();
    RgTrajectory *trajectory;
    RgControl *control = control_of(&s, &trajectory);
    cr_assert(control != NULL);
    rg_messages_set_control(s.messages, control);
    for (int i = 0; i < 200; i++)
        cr_assert_eq(rg_control_step(control, STEP, NULL), RG_OK);
    Rows targets = rows_of(&s, "/rigor/joint_targets"), states = rows_of(&s, "/joint_states");
    double t = rg_world_time(s.world);
    cr_assert_eq(targets.n, 2);
    cr_expect_str_eq(targets.name[0], "pan");
    cr_expect_str_eq(targets.name[1], "elbow");
    CHECK_NEAR(targets.position[0], 0.2 * sin(5.0 * t), 1e-14, "rad");
    CHECK_NEAR(targets.velocity[1], 0.9 * cos(3.0 * t), 1e-14, "rad/s");
    CHECK_NEAR(targets.effort[0], 5.0, 0.0, "N m");
    CHECK_NEAR(states.effort[2], rg_control_joint(control, 0).effort, 0.0, "N m");
    cr_expect(states.effort[2] != 0.0);
    rg_messages_set_control(s.messages, NULL);
    cr_expect_eq(rows_of(&s, "/rigor/joint_targets").n, 0);
    rg_control_destroy(control);
    rg_trajectory_destroy(trajectory);
    stage_end(&s);
}

/* Columns of the control stand behind all others, in its order, with the names of the axes. */
Test(joint_targets, columns)
{
    Stage s = stage_of();
    RgTrajectory *trajectory;
    RgControl *control = control_of(&s, &trajectory);
    RgArena arena;
    RgRecordLayout with, without;
    rg_arena_init(&arena, NULL);
    cr_assert(rg_record_layout(s.model, control, &arena, &with));
    cr_assert(rg_record_layout(s.model, NULL, &arena, &without));
    cr_expect_eq(with.width, without.width + 2 * 4);
    cr_expect_eq(with.arrays[RG_RECORD_CONTROL].start, without.width);
    cr_expect_str_eq(with.control_names[0], "elbow");
    cr_expect_str_eq(with.control_names[1], "pan");
    cr_expect_eq(without.controlled, 0);
    rg_arena_free(&arena);
    rg_control_destroy(control);
    rg_trajectory_destroy(trajectory);
    stage_end(&s);
}
