/*
 * test_control_state.c - a controlled world saved in the middle and loaded elsewhere goes on with the same bits; a step
 * that is refused leaves world and control as they were; after warm-up a controlled step allocates nothing.
 *
 * All kinds over one arm, with a rate that does not divide the step and a delay that is no multiple of either.
 */
#include "controls.h"
#include "counting.h"
#include "scenes.h"
#include "worlds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NJOINTS 6
#define STEP 3e-3

/* What a controlled world is made of. */
typedef struct Rig {
    RgModel *model;
    RgTrajectory *trajectory;
    RgWorld *world;
    RgControl *control;
} Rig;

/* An integrator of its own would not be saved: this one is a function of what it sees. */
static void follow(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)context;
    for (int i = 0; i < rg_model_info(model).nv; i++)
        input->tau[i] = -30.0 * state->q[i] - 3.0 * state->v[i] + 5.0 * sin(4.0 * state->t);
}

static RgTrajectory *waves(void)
{
    double amplitude[NJOINTS], frequency[NJOINTS];
    for (int k = 0; k < NJOINTS; k++) {
        amplitude[k] = 0.4;
        frequency[k] = 2.0 + 0.7 * k;
    }
    return trajectory_sinusoid(amplitude, frequency, NJOINTS);
}

static void set_kind(ControlCase *c, const RgTrajectory *trajectory)
{
    const char *kind = c->controller.kind;
    c->controller.trajectory = trajectory;
    if (strcmp(kind, "pd") == 0 || strcmp(kind, "implicit-pd") == 0)
        control_gains(c, 30.0, NAN, 3.0);
    if (strcmp(kind, "pid") == 0)
        control_gains(c, 30.0, 20.0, 3.0);
    if (strcmp(kind, "callback") == 0)
        c->controller.callback = follow;
    for (int k = 0; k < NJOINTS; k++)
        c->joints[k].limits = (RgMotorLimits){60.0 / (1 + k), 2.0, 0.5};
    c->control.rate = 170.0;
    c->control.delay = 0.0133;
}

static Rig rig_make(const char *kind, const char *form, const char *stepper, RgAllocator allocator)
{
    Rig rig = {.model = scene_arm(), .trajectory = waves()};
    RgWorldDef def = world_def(rig.model, form, stepper);
    def.allocator = allocator;
    rig.world = world_make(&def);
    const char *names[NJOINTS];
    for (int k = 0; k < NJOINTS; k++)
        names[k] = rg_model_joint(rig.model, (RgJointId){k + 1}).name;
    ControlCase c;
    control_case(&c, rig.world, kind, names, NJOINTS);
    set_kind(&c, rig.trajectory);
    c.control.allocator = allocator;
    rig.control = control_make(&c);
    return rig;
}

static void rig_free(Rig *rig)
{
    control_end(rig->control, rig->world, rig->model);
    rg_trajectory_destroy(rig->trajectory);
}

static void run(Rig *rig, int steps)
{
    control_run(rig->control, steps, STEP);
}

/* Both states, one after the other. */
static unsigned char *save(const Rig *rig, size_t *world_size)
{
    *world_size = rg_world_state_size(rig->world);
    unsigned char *bytes = malloc(*world_size + rg_control_state_size(rig->control));
    rg_world_state_save(rig->world, bytes);
    rg_control_state_save(rig->control, bytes + *world_size);
    return bytes;
}

static void check_restart(const char *kind, const char *form, const char *stepper)
{
    RgAllocator usual = {0};
    Rig first = rig_make(kind, form, stepper, usual), other = rig_make(kind, form, stepper, usual);
    run(&first, 50);
    size_t size;
    unsigned char *saved = save(&first, &size);
    run(&first, 60);

    /* Somewhere else, with other memories. */
    const double away[NJOINTS] = {1.0, -1.0, 0.5, 0.3, 0.2, 0.1};
    rg_world_set_state(other.world, away, NULL);
    run(&other, 17);
    cr_assert(rg_world_state_load(other.world, saved, size) == RG_OK);
    cr_assert(rg_control_state_load(other.control, saved + size, rg_control_state_size(other.control)) == RG_OK);
    run(&other, 60);
    cr_expect(rg_world_hash(first.world) == rg_world_hash(other.world), "%s %s %s", kind, form, stepper);
    RgTracking a = rg_control_tracking(first.control), b = rg_control_tracking(other.control);
    cr_expect(memcmp(&a, &b, sizeof a) == 0, "%s %s %s: tracking", kind, form, stepper);
    cr_expect_eq(a.failed, 0);
    free(saved);
    rig_free(&first);
    rig_free(&other);
}

static bool whole_arm(const char *kind)
{
    return strcmp(kind, "pd") == 0 || strcmp(kind, "pid") == 0 || strcmp(kind, "implicit-pd") == 0 ||
           strcmp(kind, "hard") == 0 || strcmp(kind, "computed-torque") == 0 || strcmp(kind, "callback") == 0;
}

Test(control_state, a_restored_control_goes_on_with_the_same_bits)
{
    for (int i = 0; i < rg_controller_count(); i++)
        for (int form = 0; form < 2 && whole_arm(rg_controller_name(i)); form++) {
            check_restart(rg_controller_name(i), both_forms[form], "semi-implicit");
            check_restart(rg_controller_name(i), both_forms[form], "rk4");
        }
}

Test(control_state, steps_allocate_nothing)
{
    for (int i = 0; i < rg_controller_count(); i++) {
        if (!whole_arm(rg_controller_name(i)))
            continue;
        Counting counting = {0};
        Rig rig = rig_make(rg_controller_name(i), both_forms[i % 2], "semi-implicit", counting_allocator(&counting));
        run(&rig, 10);
        for (int k = 0; k < NJOINTS; k++) /* the first question for efforts takes memory, too */
            rg_control_joint(rig.control, k);
        long warm = counting.calls;
        run(&rig, 300);
        for (int k = 0; k < NJOINTS; k++)
            rg_control_joint(rig.control, k);
        cr_expect(counting.calls == warm, "%s: %ld allocations", rg_controller_name(i), counting.calls - warm);
        rig_free(&rig);
        cr_expect(counting.blocks == 0, "%s: %ld blocks leaked", rg_controller_name(i), counting.blocks);
    }
}

/* Memory that runs out anywhere in creation gives an error and nothing else. */
Test(control_state, no_memory_no_control)
{
    Counting none = {0};
    Rig rig = rig_make("pid", "minimal", "semi-implicit", counting_allocator(&none));
    const char *names[] = {rg_model_joint(rig.model, (RgJointId){1}).name};
    for (long at = 1; at < 20; at++) {
        Counting counting = {.fail_at = at};
        ControlCase c;
        control_case(&c, rig.world, "computed-torque", names, 1);
        const double zero = 0.0;
        RgTrajectory *hold = trajectory_hold(&zero, 1);
        c.controller.trajectory = hold;
        c.control.allocator = counting_allocator(&counting);
        RgError error = {.status = RG_OK};
        RgControl *control = rg_control_create(&c.control, &error);
        cr_expect(control != NULL || error.status == RG_ERR_MEMORY);
        rg_control_destroy(control);
        rg_trajectory_destroy(hold);
        cr_expect_eq(counting.blocks, 0);
    }
    rig_free(&rig);
}

/* A bad number in the world's input refuses a step in its third part: all is as it was. */
typedef struct Trap {
    double from; /* s */
} Trap;

static void spring_trap(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    const Trap *trap = context;
    if (state->t >= trap->from)
        input->tau[0] = (double)NAN;
}

Test(control_state, a_refused_step_changes_nothing)
{
    RgModel *model = scene_arm();
    RgTrajectory *trajectory = waves();
    Trap trap = {.from = 0.114};
    RgWorldDef def = world_def(model, "minimal", "semi-implicit");
    def.input = spring_trap;
    def.input_context = &trap;
    RgWorld *world = world_make(&def);
    const char *names[NJOINTS];
    for (int k = 0; k < NJOINTS; k++)
        names[k] = rg_model_joint(model, (RgJointId){k + 1}).name;
    ControlCase c;
    control_case(&c, world, "pid", names, NJOINTS);
    set_kind(&c, trajectory);
    c.control.rate = 200.0;
    RgControl *control = control_make(&c);
    control_run(control, 5, 0.02);
    Rig rig = {.world = world, .control = control};
    size_t size;
    unsigned char *before = save(&rig, &size);
    uint64_t hash = rg_world_hash(world);
    RgStepReport report;
    cr_expect(rg_control_step(control, 0.02, &report) != RG_OK && report.status != RG_OK);
    cr_expect(report.t == rg_world_time(world));
    cr_expect(rg_world_hash(world) == hash);
    unsigned char *after = malloc(rg_control_state_size(control));
    rg_control_state_save(control, after);
    cr_expect(memcmp(before + size, after, rg_control_state_size(control)) == 0);
    trap.from = (double)INFINITY;
    cr_expect(rg_control_step(control, 0.02, &report) == RG_OK);
    free(before);
    free(after);
    control_end(control, world, model);
    rg_trajectory_destroy(trajectory);
}

/* The same where contacts appeared in the parts before: a ball beside the arm, on a floor it has not reached yet. */
Test(control_state, a_refused_step_forgets_new_contacts)
{
    RgBuilder *b = scene_begin("ball and rod");
    RgLinkId rod = link_add(b, "rod", inertia_rod(1.0, vec(0, 0, 0), vec(0.5, 0, 0), 0.1));
    RgJointDef joint = joint_at(RG_JOINT_revolute, "hinge", (RgLinkId){0}, rod, vec(0, 0, 3), vec(0, 1, 0));
    joint_add(b, &joint);
    RgLinkId ball = link_add_at(b, "ball", inertia_box(1.0, vec(0, 0, 0), vec(0.1, 0.1, 0.1)), place_at(2, 0, 0.149));
    RgShapeDef box = rg_shape_def_default(), floor = rg_shape_def_default();
    box.type = RG_SHAPE_box;
    box.link = ball;
    box.size[0] = box.size[1] = box.size[2] = 0.1;
    floor.type = RG_SHAPE_halfspace;
    cr_assert(rg_builder_add_shape(b, &box).i > 0 && rg_builder_add_shape(b, &floor).i > 0);
    RgModel *model = scene_end(b);
    Trap trap = {.from = 0.17};
    RgWorldDef def = world_def(model, "minimal", "semi-implicit");
    def.input = spring_trap;
    def.input_context = &trap;
    RgWorld *world = world_make(&def);
    const double zero = 0.0;
    RgTrajectory *hold = trajectory_hold(&zero, 1);
    const char *name[] = {"hinge"};
    ControlCase c;
    control_case(&c, world, "pd", name, 1);
    control_gains(&c, 1.0, NAN, 1.0);
    c.controller.trajectory = hold;
    c.control.rate = 100.0;
    RgControl *control = control_make(&c);
    uint64_t hash = rg_world_hash(world);
    size_t size = rg_world_state_size(world);
    cr_expect(rg_control_step(control, 0.2, NULL) != RG_OK);
    cr_expect(rg_world_hash(world) == hash && rg_world_state_size(world) == size && rg_world_time(world) == 0.0);
    trap.from = (double)INFINITY;
    cr_expect(rg_control_step(control, 0.2, NULL) == RG_OK);
    cr_expect(rg_world_state_size(world) > size, "no contact has appeared: the test shows nothing");
    control_end(control, world, model);
    rg_trajectory_destroy(hold);
}

/* Bytes of another control, cut short or spoilt, are refused. */
Test(control_state, bad_states_are_refused)
{
    RgAllocator usual = {0};
    Rig rig = rig_make("pid", "minimal", "semi-implicit", usual),
        pd = rig_make("pd", "minimal", "semi-implicit", usual);
    run(&rig, 20);
    size_t size = rg_control_state_size(rig.control);
    unsigned char *bytes = malloc(size), *now = malloc(size);
    rg_control_state_save(rig.control, bytes);
    cr_expect(rg_control_state_load(rig.control, bytes, size - 1) != RG_OK);
    cr_expect(rg_control_state_load(rig.control, NULL, size) != RG_OK);
    cr_expect(rg_control_state_load(pd.control, bytes, size) != RG_OK);
    for (size_t i = 0; i + 8 <= size; i += 8) {
        unsigned char *spoilt = malloc(size);
        memcpy(spoilt, bytes, size);
        memset(spoilt + i, 0xff, 8);
        if (rg_control_state_load(rig.control, spoilt, size) == RG_OK)
            rg_control_step(rig.control, STEP, NULL);
        for (int k = 0; k < NJOINTS; k++)
            cr_assert(isfinite(rg_world_q(rig.world)[k]) && isfinite(rg_control_joint(rig.control, k).mean_error));
        free(spoilt);
        cr_assert(rg_control_state_load(rig.control, bytes, size) == RG_OK);
    }
    rg_control_state_save(rig.control, now);
    cr_expect(memcmp(bytes, now, size) == 0);
    free(bytes);
    free(now);
    rig_free(&rig);
    rig_free(&pd);
}
