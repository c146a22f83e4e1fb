/*
 * test_limits_outside.c - joints that start outside of their limits, open loops and couplings that are off: brought
 * back at max_joint_correction at most, by every solver in both forms, with an energy that does not depend on the step.
 *
 * A carriage on a rail (m_1) carries an arm (m_2, centre at l, moment I about its hinge). Both start at rest 0.8 m and
 * 0.8 rad below their limits, where both rates become c = max_joint_correction at once: the kinetic energy
 *
 *   K = c^2 / 2 (m_1 + m_2 + I - 2 m_2 l sin q)
 *
 * is largest at the start, q = 0.
 */
#include "check_near.h"
#include "scene_parts.h"
#include "scenes.h"
#include "worlds.h"

#include <string.h>

#ifndef RIGOR_SHARED_MODELS
#define RIGOR_SHARED_MODELS "no models"
#endif
#define KINOVA RIGOR_SHARED_MODELS "/example_robot_data/robots/kinova_description/robots/kinova.urdf"

#define CARRIAGE 2.0
#define ARM 1.5
#define LENGTH 0.4
#define MOMENT (0.05 + ARM * LENGTH * LENGTH)
#define OUTSIDE 0.8 /* m and rad */
#define FASTEST 1.0 /* default of max_joint_correction */
#define ENERGY (0.5 * FASTEST * FASTEST * (CARRIAGE + ARM + MOMENT))

static const double steps[] = {1e-2, 1e-3, 1e-4};

/* The arm lies along x: gravity along -z pulls it out of its limits. */
static RgModel *robot(double velocity_limit)
{
    RgBuilder *b = scene_begin("robot");
    RgLinkId carriage = link_add(b, "carriage", inertia_box(CARRIAGE, vec(0.0, 0.0, 0.0), vec(0.1, 0.1, 0.1)));
    RgLinkId arm = link_add(b, "arm", inertia_diagonal(ARM, vec(LENGTH, 0.0, 0.0), vec(0.05, 0.05, 0.05)));
    RgJointDef rail = joint_at(RG_JOINT_prismatic, "rail", (RgLinkId){0}, carriage, vec(0, 0, 0), vec(1, 0, 0));
    RgJointDef hinge = joint_at(RG_JOINT_revolute, "hinge", carriage, arm, vec(0, 0, 0), vec(0, -1, 0));
    rail.dof[0].damping = 2.0;
    rail.dof[0].lower = hinge.dof[0].lower = OUTSIDE;
    rail.dof[0].upper = hinge.dof[0].upper = 3.0;
    rail.dof[0].velocity_limit = hinge.dof[0].velocity_limit = velocity_limit;
    joint_add(b, &rail);
    joint_add(b, &hinge);
    return scene_end(b);
}

/* Sweeps enough that those of pgs end at the solution. */
static RgPgsOptions options_of(const char *solver)
{
    RgPgsOptions o = rg_pgs_options_default();
    o.iterations = 400;
    if (strcmp(solver, "pgs:jacobi") == 0)
        o.chunks = 1;
    return o;
}

static RgWorld *world_with(const RgModel *model, const char *form, const char *solver, const RgPgsOptions *o)
{
    RgWorldDef def = world_def(model, form, "semi-implicit");
    def.solver = solver;
    def.pgs = o;
    return world_make(&def);
}

static double kinetic(RgWorld *world)
{
    RgMomentum m;
    cr_assert(rg_world_momentum(world, &m) == RG_OK);
    return m.kinetic;
}

static double potential(RgWorld *world)
{
    return world_energy(world) - kinetic(world);
}

/* Largest kinetic energy in a time, less what gravity gave since the potential energy was largest. */
static double largest_kinetic(RgWorld *world, double time, double h)
{
    double highest = potential(world), most = 0.0;
    for (int i = 0; i < (int)(time / h + 0.5); i++) {
        cr_assert(rg_world_step(world, h, NULL) == RG_OK);
        double now = potential(world);
        highest = fmax(highest, now);
        most = fmax(most, kinetic(world) - (highest - now));
    }
    return most;
}

typedef void Check(RgWorld *world, const char *name, double h);

/* Every solver, form and step. */
static void with_all(const RgModel *model, Check *check)
{
    for (int i = 0; i < 6 * rg_solver_count(); i++) {
        const char *solver = rg_solver_name(i / 6), *form = both_forms[i % 2];
        char name[96];
        double h = steps[i / 2 % 3];
        snprintf(name, sizeof name, "%s, %s, h = %g s", solver, form, h);
        RgPgsOptions o = options_of(solver);
        RgWorld *world = world_with(model, form, solver, &o);
        check(world, name, h);
        rg_world_destroy(world);
    }
}

/* ------------------------------------------------------------------ limits */

/* Maximal form: the rates are those at the new positions, which differ by O(h); sweeps end near the solution. */
static void check_first_step(RgWorld *world, const char *name, double h)
{
    double tolerance = strstr(name, "maximal") != NULL ? 2e-4 + 0.2 * h : 1e-5;
    cr_assert(rg_world_step(world, h, NULL) == RG_OK);
    CHECK_NEAR(world_rate(world, "rail"), FASTEST, tolerance, name);
    CHECK_NEAR(world_rate(world, "hinge"), FASTEST, tolerance, name);
}

Test(limits_outside, first_step_is_the_same_for_all)
{
    RgModel *model = robot(INFINITY);
    with_all(model, check_first_step);
    rg_model_destroy(model);
}

static void check_energy(RgWorld *world, const char *name, double h)
{
    double most = largest_kinetic(world, 0.1, h);
    cr_expect(most <= ENERGY * (1.0 + 1e-3), "%s: %g J, allowed %g J", name, most, ENERGY);
    cr_expect(most >= 0.99 * ENERGY, "%s: %g J, it should come back with %g J", name, most, ENERGY);
    CHECK_NEAR(world_angle(world, "rail"), 0.1 * FASTEST, 1e-3, "m");
    CHECK_NEAR(world_angle(world, "hinge"), 0.1 * FASTEST, 1e-3, "rad");
}

Test(limits_outside, energy_does_not_depend_on_the_step)
{
    RgModel *model = robot(INFINITY);
    with_all(model, check_energy);
    rg_model_destroy(model);
}

/* e / c for most of the way; the last part goes by the share, 0.02 or 0.2 a step. */
Test(limits_outside, joints_come_back_and_stay)
{
    RgModel *model = robot(INFINITY);
    for (int i = 0; i < 2 * rg_solver_count(); i++) {
        const char *solver = rg_solver_name(i / 2);
        RgPgsOptions o = options_of(solver);
        RgWorld *world = world_with(model, both_forms[i % 2], solver, &o);
        double most = largest_kinetic(world, OUTSIDE / FASTEST + 0.4, 1e-3), low[2] = {INFINITY, INFINITY};
        cr_expect(most <= ENERGY * (1.0 + 1e-3), "%s: %g J", solver, most);
        for (int k = 0; k < 500; k++) {
            cr_assert(rg_world_step(world, 1e-3, NULL) == RG_OK);
            low[0] = fmin(low[0], world_angle(world, "rail"));
            low[1] = fmin(low[1], world_angle(world, "hinge"));
        }
        cr_expect(low[0] > OUTSIDE - 1e-3, "%s: rail at %g m", solver, low[0]);
        cr_expect(low[1] > OUTSIDE - 1e-3, "%s: hinge at %g rad", solver, low[1]);
        CHECK_NEAR(world_angle(world, "hinge"), OUTSIDE, 1e-3, solver);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

Test(limits_outside, steppers_that_locate_events)
{
    static const char *const names[] = {"rigid", "auto"};
    RgModel *model = robot(INFINITY);
    for (int i = 0; i < 6; i++) {
        RgWorldDef def = world_def(model, "minimal", names[i % 2]);
        def.solver = "cone";
        RgWorld *world = world_make(&def);
        double h = steps[i / 2], most = largest_kinetic(world, 0.1, h);
        cr_expect(most <= ENERGY * (1.0 + 1e-3) && most >= 0.99 * ENERGY, "%s, h = %g s: %g J", names[i % 2], h, most);
        CHECK_NEAR(world_angle(world, "hinge"), 0.1 * FASTEST, 1e-3, "rad");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* The option is that of every solver; velocity limits that are kept are never passed by it. */
Test(limits_outside, largest_velocity_is_an_option)
{
    RgModel *model = robot(0.3);
    for (int i = 0; i < 3 * rg_solver_count(); i++) {
        RgPgsOptions pgs = options_of(rg_solver_name(i / 3));
        RgContactLaw o = rg_contact_law_for(rg_solver_name(i / 3));
        static const double wanted[] = {0.0, 0.25, 0.5};
        o.max_joint_correction = wanted[i % 3];
        RgWorldDef def = world_def(model, "minimal", "semi-implicit");
        def.solver = rg_solver_name(i / 3);
        def.pgs = &pgs;
        def.law = &o;
        def.velocity_limits = true;
        def.gravity = vec(0.0, 0.0, 0.0);
        RgWorld *world = world_make(&def);
        world_run(world, 3, 1e-3);
        CHECK_NEAR(world_rate(world, "rail"), fmin(wanted[i % 3], 0.3), 2e-3, "m/s");
        CHECK_NEAR(world_rate(world, "hinge"), fmin(wanted[i % 3], 0.3), 2e-3, "rad/s");
        rg_world_destroy(world);
    }
    RgContactLaw o = rg_contact_law_default();
    const char *what = "";
    o.max_joint_correction = INFINITY;
    cr_expect(rg_contact_law_check(&o, &what) == RG_OK);
    o.max_joint_correction = -1.0;
    cr_expect(rg_contact_law_check(&o, &what) == RG_ERR_ARGUMENT && strstr(what, "max_joint_correction"));
    o.max_joint_correction = NAN;
    cr_expect(rg_contact_law_check(&o, &what) == RG_ERR_ARGUMENT);
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ loops and couplings */

/* A four-bar linkage whose pin is 0.3 m off. Rows along both axes of the plane: sqrt(2) m/s at most. */
#define GAP 0.3
#define HALF_ROCKER 0.9 /* m: of the rocker, whose end is the pin */

static double open_four_bar(RgWorld *world)
{
    double angle = 2.0 * asin(0.5 * GAP / HALF_ROCKER);
    rg_world_set_joint_position(world, rg_model_find_joint(rg_world_model(world), "rocker_hinge"), &angle);
    return rg_world_joint_error(world);
}

static void check_open_loop(RgWorld *world, const char *name, double h)
{
    cr_assert(open_four_bar(world) > 0.25);
    double most = largest_kinetic(world, 0.1, h);
    cr_expect(most < 2.0, "%s: %g J", name, most);
}

Test(limits_outside, open_loop_is_not_thrown)
{
    RgModel *model = scene_four_bar();
    with_all(model, check_open_loop);
    rg_model_destroy(model);
}

/* The gap closes at the largest velocity, then by the share; nobody else moves it. */
Test(limits_outside, open_loop_closes_by_rows)
{
    static const char *const solvers[] = {"pgs", "cone", "dantzig"};
    RgModel *model = scene_four_bar();
    for (int i = 0; i < 6; i++) {
        RgPgsOptions o = options_of(solvers[i / 2]);
        RgWorldDef def = world_def(model, both_forms[i % 2], "semi-implicit");
        def.solver = solvers[i / 2];
        def.pgs = &o;
        def.stabilise = RG_STABILISE_NONE;
        def.gravity = vec(0.0, 0.0, 0.0);
        RgWorld *world = world_make(&def);
        open_four_bar(world);
        world_run(world, 400, 1e-3);
        cr_expect(rg_world_joint_error(world) < 1e-3, "%s: error %g", solvers[i / 2], rg_world_joint_error(world));
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* quick: projection moves the loop at once. It gives no velocity, and the energy that it gives is reported. */
Test(limits_outside, projection_gives_no_velocity)
{
    RgModel *model = scene_four_bar();
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "semi-implicit");
        RgStepReport report;
        open_four_bar(world);
        double before = world_energy(world), h = 1e-4;
        cr_assert(rg_world_step(world, h, &report) == RG_OK);
        CHECK_NEAR(report.joint_error, 0.0, 1e-9, "m or rad");
        cr_expect(kinetic(world) < 1e-4, "%g J of motion", kinetic(world)); /* a fall of h */
        cr_expect(fabs(report.projected) > 0.1, "projected %g J", report.projected);
        CHECK_NEAR(report.projected, world_energy(world) - before, 1e-4, "J");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Two arms that turn about vertical axes, the second as the first; off by 1 rad. */
#define ARM_MOMENT 0.2

static RgModel *coupled(void)
{
    RgBuilder *b = scene_begin("coupled");
    RgCouplingDef mimic = rg_coupling_def_default();
    RgJointId joints[2];
    for (int i = 0; i < 2; i++) {
        RgLinkId arm = link_add(b, i == 0 ? "a" : "b", inertia_diagonal(1.0, vec(0, 0, 0), vec(0.1, 0.1, ARM_MOMENT)));
        RgJointDef hinge = joint_at(RG_JOINT_revolute, i == 0 ? "first" : "second", (RgLinkId){0}, arm,
                                    vec((double)i, 0, 0), vec(0, 0, 1));
        joints[i] = joint_add(b, &hinge);
    }
    mimic.reference = joints[0];
    mimic.joint = joints[1];
    cr_assert(rg_builder_add_coupling(b, &mimic));
    return scene_end(b);
}

static void check_coupling(RgWorld *world, const char *name, double h)
{
    double off = 1.0;
    rg_world_set_joint_position(world, rg_model_find_joint(rg_world_model(world), "second"), &off);
    double most = largest_kinetic(world, 0.1, h), energy = 0.25 * ARM_MOMENT * FASTEST * FASTEST;
    bool quick = strncmp(name, "quick", 5) == 0;
    double left = world_angle(world, "second") - world_angle(world, "first");
    cr_expect(quick ? most < 1e-9 : most < energy * (1.0 + 1e-3), "%s: %g J", name, most);
    CHECK_NEAR(left, quick ? 0.0 : 1.0 - 0.1 * FASTEST, 1e-6, name);
}

Test(limits_outside, coupling_is_not_thrown)
{
    RgModel *model = coupled();
    with_all(model, check_coupling);
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ what must not change */

/* An arm that a loop joint holds, at 80 rad/s: its motion opens the hinge by r w^2 h^2 / 2 a step, which takes 3.2 m/s
   to close. It holds all the same. */
Test(limits_outside, fast_arms_stay_on_their_hinges)
{
    RgBuilder *b = scene_begin("fast");
    RgLinkId arm = link_add(b, "arm", inertia_diagonal(1.0, vec(1.0, 0.0, 0.0), vec(0.01, 0.02, 0.02)));
    RgJointDef fly = joint_at(RG_JOINT_free, "fly", (RgLinkId){0}, arm, vec(0, 0, 0), vec(0, 0, 1));
    RgJointDef hinge = joint_at(RG_JOINT_revolute, "hinge", (RgLinkId){0}, arm, vec(0, 0, 0), vec(0, 0, 1));
    hinge.may_close_loop = true;
    joint_add(b, &fly);
    joint_add(b, &hinge);
    RgModel *model = scene_end(b);
    static const char *const solvers[] = {"pgs", "cone"};
    for (int i = 0; i < 4; i++) {
        RgPgsOptions o = options_of(solvers[i / 2]);
        RgWorld *world = world_with(model, both_forms[i % 2], solvers[i / 2], &o);
        double rate[6] = {0.0, 0.0, 80.0}, worst;
        rg_world_set_joint_rate(world, rg_model_find_joint(model, "fly"), rate);
        worst = world_run(world, 500, 1e-3);
        cr_expect(worst < 0.02, "%s, %s: the hinge is %g m or rad open", solvers[i / 2], both_forms[i % 2], worst);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ a real robot */

/* At q = 0 three joints are 0.82, 0.33 and 0.52 rad below their limits. They were thrown with up to 1e6 J. */
Test(limits_outside, kinova_is_not_thrown)
{
    RgReadOptions read = rg_read_options_default();
    RgError error = {.status = RG_OK};
    read.skip_meshes = true;
    RgModel *model = rg_model_load(KINOVA, &read, NULL, &error);
    if (model == NULL && error.status == RG_ERR_FILE)
        cr_skip_test("no Kinova arm beside the project");
    cr_assert_not_null(model, "%s", error.text);
    static const char *const solvers[] = {"quick", "pgs", "cone", "dantzig"};
    for (int i = 0; i < 24; i++) {
        const char *solver = solvers[i / 6];
        RgPgsOptions o = options_of(solver);
        RgWorld *world = world_with(model, both_forms[i % 2], solver, &o);
        double h = steps[i / 2 % 3], most = largest_kinetic(world, 0.1, h);
        cr_expect(most < 0.4, "%s, %s, h = %g s: %g J", solver, both_forms[i % 2], h, most);
        rg_world_destroy(world);
    }

    /* All that the correction does until the joints are back, with the arm's weight that it lifts: 2.9 J. */
    for (int i = 0; i < 3; i++) {
        RgWorld *world = world_of(model, "minimal", "semi-implicit");
        RgStepReport report = {.status = RG_OK};
        for (int k = 0; k < (int)(1.5 / steps[i] + 0.5); k++)
            cr_assert(rg_world_step(world, steps[i], &report) == RG_OK);
        cr_expect(report.work_sum.erp < 4.0, "h = %g s: %g J", steps[i], report.work_sum.erp);
        cr_expect(world_angle(world, "j2s6s200_joint_2") > 0.82);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
