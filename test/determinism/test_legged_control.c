/*
 * test_legged_control.c - controllers of feet on a trotting quadruped: saved in the middle and loaded again they go on
 * with the same bits, after warm-up they allocate nothing, and all they took is given back.
 */
#include "counting.h"
#include "quadruped.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"foot-pd", "inverse-dynamics", "least-energy", "no-slip", "implicit-pd",
                                    "hard",    "computed-torque"};
static const char *const forms[] = {"minimal", "maximal"};
#define NKINDS (int)(sizeof kinds / sizeof kinds[0])

typedef struct Rig {
    QuadRobot robot;
    RgWorld *world;
    RgControl *control;
    Counting counting;
} Rig;

static RgControl *make_control(Rig *rig, const char *kind, RgError *error)
{
    RgControlJoint joints[QUAD_JOINTS];
    RgGait gait = quad_gait(&rig->robot, &(QuadMotion){.kind = QUAD_TROT});
    bool feet = strcmp(kind, "foot-pd") == 0, hard = strcmp(kind, "hard") == 0;
    for (int k = 0; k < QUAD_JOINTS; k++) {
        joints[k] = rg_control_joint_default();
        joints[k].joint = rig->robot.joint[k];
        joints[k].kp = feet || hard ? (double)NAN : 900.0;
        joints[k].kd = feet || hard ? (double)NAN : 40.0;
    }
    RgControllerDef def = rg_controller_def_default();
    def.kind = kind;
    def.njoints = QUAD_JOINTS;
    def.joints = joints;
    def.gait = &gait;
    def.nfeet = QUAD_FEET;
    def.feet = rig->robot.foot;
    if (feet) {
        def.foot_kp = 3000.0;
        def.foot_kd = 60.0;
    }
    RgControlDef all = rg_control_def_default();
    all.world = rig->world;
    all.ncontrollers = 1;
    all.controllers = &def;
    all.allocator = counting_allocator(&rig->counting);
    return rg_control_create(&all, error);
}

static void begin(Rig *rig, const char *kind, const char *form)
{
    RgError error;
    memset(rig, 0, sizeof *rig);
    cr_assert(quad_robot_create(&rig->robot, "models/quadruped.sdf", 1.0, &error), "%s", error.text);
    RgWorldDef def = rg_world_def_default();
    def.model = rig->robot.model;
    def.coords = form;
    def.solver = "cone";
    rig->world = rg_world_create(&def, &error);
    cr_assert_not_null(rig->world, "%s", error.text);
    cr_assert_eq(quad_start(&rig->robot, &(QuadMotion){.kind = QUAD_TROT}, 0.0, rig->world), RG_OK);
    rig->control = make_control(rig, kind, &error);
    cr_assert_not_null(rig->control, "%s: %s", kind, error.text);
}

static void end(Rig *rig)
{
    rg_control_destroy(rig->control);
    rg_world_destroy(rig->world);
    quad_robot_destroy(&rig->robot);
}

static void run(Rig *rig, int steps)
{
    for (int i = 0; i < steps; i++)
        cr_assert_eq(rg_control_step(rig->control, 2e-3, NULL), RG_OK);
}

Test(legged_control, restored_it_goes_on_with_the_same_bits)
{
    for (int i = 0; i < 2 * NKINDS; i++) {
        Rig rig;
        begin(&rig, kinds[i / 2], forms[i % 2]);
        run(&rig, 40);
        size_t nworld = rg_world_state_size(rig.world), ncontrol = rg_control_state_size(rig.control);
        void *world = malloc(nworld), *control = malloc(ncontrol);
        cr_assert(world != NULL && control != NULL);
        rg_world_state_save(rig.world, world);
        rg_control_state_save(rig.control, control);
        run(&rig, 60);
        uint64_t hash = rg_world_hash(rig.world);
        cr_assert_eq(rg_world_state_load(rig.world, world, nworld), RG_OK);
        cr_assert_eq(rg_control_state_load(rig.control, control, ncontrol), RG_OK);
        run(&rig, 60);
        cr_assert_eq(rg_world_hash(rig.world), hash, "%s", kinds[i / 2]);
        free(world);
        free(control);
        end(&rig);
    }
}

/* Two cycles of warm-up have seen every number of standing feet. */
Test(legged_control, steps_allocate_nothing)
{
    for (int i = 0; i < 2 * NKINDS; i++) {
        Rig rig;
        begin(&rig, kinds[i / 2], forms[i % 2]);
        run(&rig, 300);
        long warm = rig.counting.calls;
        run(&rig, 150);
        cr_expect_eq(rig.counting.calls, warm, "%s: %ld allocations", kinds[i / 2], rig.counting.calls - warm);
        end(&rig);
        cr_expect_eq(rig.counting.blocks, 0, "%s: %ld blocks leaked", kinds[i / 2], rig.counting.blocks);
    }
}

/* Memory that runs out anywhere in creation gives an error and nothing else. */
Test(legged_control, no_memory_no_control)
{
    for (long at = 1; at < 30; at++) {
        Rig rig;
        RgError error;
        begin(&rig, "inverse-dynamics", "minimal");
        rg_control_destroy(rig.control);
        rig.counting = (Counting){.fail_at = at};
        rig.control = make_control(&rig, "inverse-dynamics", &error);
        if (rig.control == NULL)
            cr_expect_eq(error.status, RG_ERR_MEMORY);
        end(&rig);
        cr_expect_eq(rig.counting.blocks, 0, "call %ld: %ld blocks leaked", at, rig.counting.blocks);
    }
}
