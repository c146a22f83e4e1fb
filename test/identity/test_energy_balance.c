/*
 * test_energy_balance.c - where the energy of a step went, to round-off, for solvers pgs and quick in both forms.
 *
 *   T(x0, u1) - T(x0, u0) = forces + total        total = erp + restitution + springs + motors + friction
 *                                                         + impacts + rest + inertia
 *
 * The left side comes from the world's momentum alone; forces from the velocities before the solver, total's parts from
 * the impulses. In the maximal form T does not depend on x; in joint coordinates a second world is put where the step
 * began, with the velocities at its end.
 */
#include "check_near.h"
#include "on_a_plane.h"
#include "scene_model.h"
#include "scene_parts.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

/* Of the largest energy that takes part. */
#define ROUND_OFF 1e-11

typedef struct Case {
    const char *coords, *solver;
    RgContactLaw law;
    RgPgsOptions options;
    const RgModel *model;
    RgVec3 gravity;
    RgInputFn *input;
    void *input_context;
    double h;
    int steps;
    void (*begin)(RgWorld *world, const void *context);
    const void *context;
    const char *motor; /* joint that is driven at 1 rad/s with 5 N m; NULL: none */
} Case;

static double kinetic(RgWorld *world)
{
    RgMomentum m;
    cr_assert(rg_world_momentum(world, &m) == RG_OK);
    return m.kinetic;
}

/* Kinetic energy where the step began, with the velocities at its end. */
static double kinetic_back(RgWorld *world, RgWorld *twin, const double *q0)
{
    if (twin == NULL)
        return kinetic(world);
    cr_assert(rg_world_set_state(twin, q0, rg_world_v(world)) == RG_OK);
    return kinetic(twin);
}

static double sum_of(const RgSolverWork *w)
{
    return w->erp + w->restitution + w->springs + w->motors + w->friction + w->impacts + w->rest + w->inertia;
}

static RgWorld *make(const Case *c)
{
    RgWorldDef def = world_def(c->model, c->coords, "semi-implicit");
    def.solver = c->solver;
    def.law = &c->law;
    def.pgs = &c->options;
    def.gravity = c->gravity;
    def.input = c->input;
    def.input_context = c->input_context;
    def.stabilise = RG_STABILISE_NONE;
    RgWorld *world = world_make(&def);
    if (c->begin != NULL)
        c->begin(world, c->context);
    if (c->motor != NULL)
        rg_world_set_joint_motor(world, rg_model_find_joint(c->model, c->motor), 0, 1.0, 5.0);
    return world;
}

/* Every step closes. Returns the sums of the last report. */
static RgSolverWork check_balance(const Case *c)
{
    RgWorld *world = make(c), *twin = strcmp(c->coords, "minimal") == 0 ? make(c) : NULL;
    double *q0 = calloc((size_t)rg_model_info(c->model).nq, sizeof *q0), sum = 0.0;
    RgStepReport r = {0};
    cr_assert(q0 != NULL);
    for (int i = 0; i < c->steps; i++) {
        memcpy(q0, rg_world_q(world), (size_t)rg_model_info(c->model).nq * sizeof *q0);
        double before = kinetic(world);
        cr_assert(rg_world_step(world, c->h, &r) == RG_OK, "%s", r.offender);
        const RgSolverWork *w = &r.work;
        double after = kinetic_back(world, twin, q0);
        double scale = 1e-3 + before + after + fabs(w->forces) + fabs(w->impacts) + fabs(w->rest) + fabs(w->springs);
        CHECK_NEAR(after - before, w->forces + w->total, ROUND_OFF * scale, "J");
        CHECK_NEAR(sum_of(w), w->total, ROUND_OFF * scale, "J");
        cr_expect(w->impacts <= 0.0, "%g J", w->impacts);
        sum += w->total;
        CHECK_NEAR(r.work_sum.total, sum, 1e-9 * (1.0 + fabs(sum)), "J");
    }
    free(q0);
    rg_world_destroy(world);
    rg_world_destroy(twin);
    return r.work_sum;
}

/* pgs by its own settings, as 004, by Poisson's rule; quick; each in both forms. */
static const struct {
    const char *solver, *preset;
    RgRestitution restitution;
} ways[] = {{"pgs", "default", RG_RESTITUTION_NEWTON},
            {"pgs", "gazebo-vrc", RG_RESTITUTION_NEWTON},
            {"pgs", "default", RG_RESTITUTION_POISSON},
            {"quick", "default", RG_RESTITUTION_NEWTON}};

/* The same for all of them. Returns the sums, form by form. */
static void check_all(const Case *like, RgSolverWork sums[4][2])
{
    for (int way = 0; way < 4; way++)
        for (int form = 0; form < 2; form++) {
            Case c = *like;
            c.coords = both_forms[form];
            c.solver = ways[way].solver;
            cr_assert(rg_pgs_preset(ways[way].preset, &c.law, &c.options) == RG_OK);
            c.law.restitution = ways[way].restitution;
            c.law.erp = 0.2;
            sums[way][form] = check_balance(&c);
        }
}

/* ------------------------------------------------------------------ scenes */

static void begin_scene(RgWorld *world, const void *context)
{
    scene_model_start(context, world);
}

static void check_scene(const char *name, int steps, RgSolverWork sums[4][2])
{
    SceneData *scene = scene_data_create(name);
    RgError error = {0};
    RgModel *model = scene_model_create(scene, &error);
    cr_assert(model != NULL, "%s", error.text);
    SceneDrives drives = scene_drives_begin(scene, model);
    Case c = {.model = model,
              .gravity = scene->gravity,
              .input = scene_drive_input,
              .input_context = &drives,
              .h = scene->dt,
              .steps = steps,
              .begin = begin_scene,
              .context = scene};
    check_all(&c, sums);
    scene_drives_end(&drives);
    rg_model_destroy(model);
    scene_data_destroy(scene);
}

/* Of the energy that landing takes: what friction may do by round-off where nothing slips. */
#define NO_SLIP 1e-10

/* Stacks set down carelessly: friction and landing take, nothing adds but what corrects overlaps. Solved well, nothing
   slips. */
Test(energy_balance, stacks)
{
    RgSolverWork sums[4][2];
    check_scene("S1j", 60, sums);
    for (int way = 0; way < 4; way++)
        for (int form = 0; form < 2; form++) {
            const RgSolverWork *w = &sums[way][form];
            cr_expect(w->friction <= -NO_SLIP * w->total && w->erp >= 0.0 && w->total < 0.0,
                      "%d %d: friction %g erp %g total %g J", way, form, w->friction, w->erp, w->total);
            CHECK_NEAR(w->restitution, 0.0, 0.0, "J");
            CHECK_NEAR(w->motors, 0.0, 0.0, "J");
        }
}

Test(energy_balance, quadruped)
{
    RgSolverWork sums[4][2];
    check_scene("S5", 100, sums);
}

/* Only 004's settings move inertia, and only where joints are rows. */
Test(energy_balance, double_pendulum)
{
    RgSolverWork sums[4][2];
    check_scene("S6", 200, sums);
    for (int way = 0; way < 4; way++)
        for (int form = 0; form < 2; form++)
            cr_expect((sums[way][form].inertia != 0.0) == (way == 1 && form == 1), "%d %d", way, form);
}

/* ------------------------------------------------------------------ restitution, soft ground */

/* A ball of 1 kg that falls 4 m and bounces with e = 0.5: what restitution gives is e v J with the impulse J =
   (1 + e) v by Newton's rule, the landing costs half of J^2: together 1/2 (e^2 - 1) v^2. */
Test(energy_balance, bounce)
{
    const double e = 0.5, g = 9.81;
    PlaneBody ball = {RG_SHAPE_sphere, {1.0, 0.0, 0.0}, 1.0, 5.0, plane_surface(0.5)};
    ball.surface.restitution = e;
    ball.surface.restitution_threshold = 0.01;
    RgModel *model = plane_model(&ball);
    Case c = {.model = model, .gravity = {0.0, 0.0, -g}, .h = 1e-3, .steps = 1000};
    RgSolverWork sums[4][2];
    check_all(&c, sums);
    for (int way = 0; way < 4; way++)
        for (int form = 0; form < 2; form++) {
            double v2 = 2.0 * g * 4.0;
            CHECK_REL(sums[way][form].restitution, e * (1.0 + e) * v2, 5e-3, "J");
            CHECK_REL(sums[way][form].total, 0.5 * (e * e - 1.0) * v2, 5e-3, "J");
        }
    rg_model_destroy(model);
}

/* A box on springs: what the ground does is a spring's, not a correction. */
Test(energy_balance, soft_ground)
{
    PlaneBody box = plane_box(0.5);
    box.height = 0.6;
    box.surface.kp = 2e4;
    box.surface.kd = 50.0;
    RgModel *model = plane_model(&box);
    Case c = {.model = model, .gravity = {0.0, 0.0, -9.81}, .h = 1e-3, .steps = 600};
    RgSolverWork sums[4][2];
    check_all(&c, sums);
    for (int way = 0; way < 4; way++)
        for (int form = 0; form < 2; form++) {
            CHECK_NEAR(sums[way][form].erp, 0.0, 0.0, "J");
            cr_expect(sums[way][form].springs != 0.0);
        }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ joints */

/* Two links on hinges with springs, dampers, dry friction, a limit that is hit, and a motor. */
Test(energy_balance, joints_with_everything)
{
    RgBuilder *b = scene_begin("arm");
    RgLinkId upper = link_add(b, "upper", inertia_box(1.0, vec(0.2, 0, 0), vec(0.4, 0.1, 0.1)));
    RgLinkId lower = link_add(b, "lower", inertia_box(0.5, vec(0.2, 0, 0), vec(0.4, 0.05, 0.05)));
    RgJointDef first = joint_at(RG_JOINT_revolute, "first", (RgLinkId){0}, upper, vec(0, 0, 0), vec(0, 1, 0));
    first.dof[0].damping = 0.3;
    first.dof[0].stiffness = 4.0;
    first.dof[0].friction = 0.2;
    joint_add(b, &first);
    RgJointDef second = joint_at(RG_JOINT_revolute, "second", upper, lower, vec(0.4, 0, 0), vec(0, 1, 0));
    second.dof[0].lower = -0.5;
    second.dof[0].upper = 0.3;
    joint_add(b, &second);
    RgModel *model = scene_end(b);
    Case c = {.model = model, .gravity = {0.0, 0.0, -9.81}, .h = 1e-3, .steps = 800, .motor = "second"};
    RgSolverWork sums[4][2];
    check_all(&c, sums);
    for (int way = 0; way < 4; way++)
        for (int form = 0; form < 2; form++) {
            const RgSolverWork *w = &sums[way][form];
            cr_expect(w->friction < 0.0, "%d %d: friction %g J", way, form, w->friction);
            cr_expect(w->motors > 0.0, "%d %d: motors %g J", way, form, w->motors);
            cr_expect(w->springs < 0.0, "%d %d: springs %g J", way, form, w->springs);
        }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ drives */

static void begin_drives(RgWorld *world, const void *context)
{
    (void)context;
    const RgModel *model = rg_world_model(world);
    RgDrive drives[] = {{.position = 0.4, .kp = 60.0, .kd = 2.0, .max_effort = (double)INFINITY},
                        {.position = -0.3, .velocity = 0.4, .kp = 400.0, .kd = 5.0, .max_effort = 3.0},
                        {.hard = true, .velocity = -0.7, .max_effort = 4.0}};
    const char *const names[] = {"first", "second", "third"};
    for (int i = 0; i < 3; i++)
        cr_assert(rg_world_set_joint_drive(world, rg_model_find_joint(model, names[i]), 0, &drives[i]) == RG_OK);
}

/* An arm of three links over a floor that its end strikes: a soft drive on a damped joint, a soft one that is at its
   bound for some time, a hard one. */
Test(energy_balance, drives)
{
    RgBuilder *b = scene_begin("arm");
    const char *const names[] = {"first", "second", "third"};
    RgLinkId last = {0};
    for (int i = 0; i < 3; i++) {
        RgLinkId link = link_add(b, names[i], inertia_box(1.0, vec(0.2, 0, 0), vec(0.4, 0.1, 0.1)));
        RgJointDef joint = joint_at(RG_JOINT_revolute, names[i], last, link, i == 0 ? vec(0, 0, 0.35) : vec(0.4, 0, 0),
                                    vec(0, 1, 0.1 * i));
        joint.dof[0].damping = i == 0 ? 0.5 : 0.0;
        joint_add(b, &joint);
        RgShapeDef ball = rg_shape_def_default();
        ball.type = RG_SHAPE_sphere;
        ball.link = last = link;
        ball.X_LS.p = vec(0.4, 0.0, 0.0);
        ball.size[0] = 0.05;
        rg_builder_add_shape(b, &ball);
    }
    RgShapeDef floor = rg_shape_def_default();
    floor.type = RG_SHAPE_halfspace;
    rg_builder_add_shape(b, &floor);
    RgModel *model = scene_end(b);
    Case c = {.model = model, .gravity = {0.0, 0.0, -9.81}, .h = 1e-3, .steps = 800, .begin = begin_drives};
    RgSolverWork sums[4][2];
    check_all(&c, sums);
    for (int way = 0; way < 4; way++)
        for (int form = 0; form < 2; form++)
            cr_expect(sums[way][form].motors != 0.0 && sums[way][form].friction < 0.0);
    rg_model_destroy(model);
}
