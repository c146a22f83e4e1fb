/*
 * test_drive_solvers.c - one step of random arms with contacts and drives, by every solver.
 *
 * Without friction the problem of a step is convex in the velocities, drives included: soft ones, hard ones, and those
 * at their bounds are all laws of dry friction about a target. So the velocities are unique, and all solvers must find
 * the same; with friction the exact ones must leave no residual, and drives and cones must be within their bounds.
 */
#include "check_near.h"
#include "draw.h"
#include "scene_parts.h"
#include "worlds.h"

#include <stdio.h>
#include <string.h>

enum { JOINTS_MAX = 6, DOFS_MAX = JOINTS_MAX + 6, SEEDS = 24 };
#define RADIUS 0.05
#define H 5e-3

typedef struct Arm {
    int njoints;
    bool floats;
    double q[JOINTS_MAX], v[DOFS_MAX];
    RgVec3 axis[JOINTS_MAX], end[JOINTS_MAX];
    RgVec3 ball[JOINTS_MAX];   /* where its balls are, once that is known */
    RgVec3 normal[JOINTS_MAX]; /* and which way it is pushed there; zero: nothing is */
    RgDrive drive[JOINTS_MAX];
    double mu;
} Arm;

static RgDrive draw_drive(Draw *d, double strength)
{
    bool bounded = draw_chance(d, 0.7);
    return (RgDrive){.hard = draw_chance(d, 0.4),
                     .position = draw_between(d, -0.5, 0.5),
                     .velocity = draw_between(d, -1.0, 1.0),
                     .kp = draw_chance(d, 0.2) ? 1e6 : draw_between(d, 0.0, 200.0),
                     .kd = draw_between(d, 0.1, 20.0),
                     .feed = draw_between(d, -2.0, 2.0),
                     .rate = draw_between(d, 0.0, 10.0),
                     .max_effort = bounded ? draw_between(d, 0.5, strength) : (double)INFINITY};
}

/* Hard drives without bounds may ask for what contacts forbid; so they are few, and of arms that float. */
static Arm draw_arm(uint64_t seed, double mu)
{
    Draw d = draw_seed(seed);
    Arm arm = {.njoints = 3 + draw_below(&d, JOINTS_MAX - 2), .floats = draw_chance(&d, 0.5), .mu = mu};
    for (int i = 0; i < arm.njoints; i++) {
        arm.q[i] = draw_between(&d, -0.8, 0.8);
        arm.axis[i] = draw_direction(&d);
        arm.end[i] = vec_scale(draw_between(&d, 0.2, 0.5), draw_direction(&d));
        if (draw_chance(&d, 0.6))
            arm.normal[i] = draw_direction(&d);
        arm.drive[i] = draw_drive(&d, 40.0);
        if (arm.drive[i].hard && !arm.floats)
            arm.drive[i].max_effort = fmin(arm.drive[i].max_effort, 40.0);
        if (draw_chance(&d, 0.2))
            arm.drive[i].max_effort = 0.0;
    }
    for (int i = 0; i < DOFS_MAX; i++)
        arm.v[i] = draw_between(&d, -1.0, 1.0);
    return arm;
}

static RgPose face_against(RgVec3 ball, RgVec3 n)
{
    RgVec3 z = vec(0.0, 0.0, 1.0), axis = vec_cross(z, n);
    double s = vec_norm(axis), c = n.z;
    RgMat3 R = s > 1e-6 ? mat_turn(vec_scale(1.0 / s, axis), atan2(s, c)) : mat_identity();
    return (RgPose){R, vec_sub(ball, vec_scale(RADIUS + 0.05, n))};
}

/* Links with a ball at their ends; where it is pushed, a block of the world touches that ball alone. */
static RgModel *build(const Arm *arm, bool blocks)
{
    RgBuilder *b = scene_begin("arm");
    RgLinkId last = {0};
    RgVec3 from = vec(0.0, 0.0, 0.0);
    if (arm->floats)
        last = link_add(b, "trunk", inertia_box(3.0, from, vec(0.3, 0.2, 0.1)));
    for (int i = 0; i < arm->njoints; i++) {
        char name[16], joint[16];
        snprintf(name, sizeof name, "link%d", i);
        snprintf(joint, sizeof joint, "joint%d", i);
        RgLinkId link = link_add(b, name, inertia_box(1.0, vec_scale(0.5, arm->end[i]), vec(0.2, 0.15, 0.1)));
        RgJointDef def = joint_at(RG_JOINT_revolute, joint, last, link, from, arm->axis[i]);
        joint_add(b, &def);
        RgShapeDef ball = rg_shape_def_default();
        ball.type = RG_SHAPE_sphere;
        ball.link = link;
        ball.X_LS.p = arm->end[i];
        ball.size[0] = RADIUS;
        ball.surface.mu = ball.surface.mu2 = arm->mu;
        ball.category = UINT32_C(1) << i;
        ball.mask = UINT32_C(0x10000) << i;
        rg_builder_add_shape(b, &ball);
        last = link;
        from = arm->end[i];
    }
    for (int i = 0; i < arm->njoints && blocks; i++) {
        RgShapeDef block = rg_shape_def_default();
        block.type = RG_SHAPE_box;
        block.X_LS = face_against(arm->ball[i], arm->normal[i]);
        block.size[0] = block.size[1] = block.size[2] = 0.1;
        block.surface.mu = block.surface.mu2 = arm->mu;
        block.category = UINT32_C(0x10000) << i;
        block.mask = UINT32_C(1) << i;
        if (vec_norm(arm->normal[i]) > 0.0)
            rg_builder_add_shape(b, &block);
    }
    return scene_end(b);
}

static void place(RgWorld *world, const Arm *arm, bool rates)
{
    for (int i = 0; i < arm->njoints; i++) {
        char joint[16];
        snprintf(joint, sizeof joint, "joint%d", i);
        RgJointId id = rg_model_find_joint(rg_world_model(world), joint);
        cr_assert(rg_world_set_joint_position(world, id, &arm->q[i]) == RG_OK);
        cr_assert(rg_world_set_joint_drive(world, id, 0, &arm->drive[i]) == RG_OK);
    }
    if (rates)
        cr_assert(rg_world_set_state(world, NULL, arm->v) == RG_OK);
}

/* Where the balls are decides where the blocks stand. */
static RgModel *arm_of(uint64_t seed, double mu, Arm *arm)
{
    *arm = draw_arm(seed, mu);
    RgModel *bare = build(arm, false);
    RgWorld *world = world_of(bare, "minimal", "semi-implicit");
    place(world, arm, false);
    for (int i = 0; i < arm->njoints; i++) {
        char name[16];
        snprintf(name, sizeof name, "link%d", i);
        RgPose X = rg_world_link_pose(world, rg_model_find_link(bare, name));
        arm->ball[i] = vec_add(X.p, mat_apply(X.R, arm->end[i]));
    }
    world_end(world, bare);
    return build(arm, true);
}

/* A step's velocities by a solver, and its report. */
typedef struct Outcome {
    int nv;
    double v[DOFS_MAX];
    RgStepReport report;
} Outcome;

static RgWorld *stepped(const RgModel *model, const Arm *arm, const char *coords, const char *solver, Outcome *out)
{
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    RgPgsOptions pgs = rg_pgs_options_default();
    RgQuickOptions quick = rg_quick_options_default();
    pgs.iterations = 50000;
    quick.max_sweeps = 50000;
    quick.tolerance = 1e-14;
    def.solver = solver;
    def.pgs = &pgs;
    def.quick = &quick;
    RgWorld *world = world_make(&def);
    place(world, arm, true);
    out->nv = rg_model_info(model).nv;
    cr_assert(rg_world_step(world, H, &out->report) == RG_OK, "%s: %s", solver, out->report.offender);
    memcpy(out->v, rg_world_v(world), (size_t)out->nv * sizeof *out->v);
    return world;
}

/* Largest difference of two outcomes. */
static double apart(const Outcome *a, const Outcome *b)
{
    double worst = 0.0;
    for (int i = 0; i < a->nv; i++)
        worst = fmax(worst, fabs(a->v[i] - b->v[i]));
    return worst;
}

/* Solvers of another problem: quick has joints of the maximal form beside its own, and sweeps side by side come less
   near. */
static bool differs(const char *name, int form)
{
    return strcmp(name, "pgs:jacobi") == 0 || (strcmp(name, "quick") == 0 && form == 1);
}

/* All solvers find what cone finds. */
static void check_agree(const RgModel *model, const Arm *arm, int form, const Outcome *exact)
{
    for (int k = 0; k < rg_solver_count(); k++) {
        Outcome other;
        const char *name = rg_solver_name(k);
        if (differs(name, form))
            continue;
        rg_world_destroy(stepped(model, arm, both_forms[form], name, &other));
        double far = apart(exact, &other);
        cr_expect(far <= 1e-6, "%s, %s: %g rad/s apart", name, both_forms[form], far);
    }
}

/* Without friction all say the same. */
Test(drive_solvers, all_agree_without_friction)
{
    int saturated = 0, contacts = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Arm arm;
        RgModel *model = arm_of(seed, 0.0, &arm);
        for (int form = 0; form < 2; form++) {
            Outcome exact;
            rg_world_destroy(stepped(model, &arm, both_forms[form], "cone", &exact));
            CHECK_NEAR(exact.report.residual_velocity, 0.0, 1e-8, "m/s");
            saturated += exact.report.saturated_efforts;
            contacts += exact.report.contacts;
            check_agree(model, &arm, form, &exact);
        }
        rg_model_destroy(model);
    }
    cr_expect(saturated > SEEDS && contacts > 2 * SEEDS, "%d at bounds, %d contacts", saturated, contacts);
}

/* What is allowed: efforts within their bounds, forces within their cones. */
static void check_allowed(RgWorld *world, const Arm *arm, const char *solver)
{
    const RgContactForce *forces;
    int n = rg_world_contact_forces(world, &forces);
    for (int i = 0; i < n; i++) {
        double normal = vec_dot(forces[i].force, forces[i].normal);
        double across = vec_norm(vec_sub(forces[i].force, vec_scale(normal, forces[i].normal)));
        cr_expect(normal >= -1e-8 && across <= arm->mu * normal + 1e-8, "%s: %g N across, %g N along", solver, across,
                  normal);
    }
    for (int i = 0; i < arm->njoints; i++) {
        char joint[16];
        snprintf(joint, sizeof joint, "joint%d", i);
        RgDriveReport drive;
        rg_world_joint_drive(world, rg_model_find_joint(rg_world_model(world), joint), 0, &drive);
        cr_expect(!drive.on || fabs(drive.effort) <= arm->drive[i].max_effort + 1e-8, "%s: %g N m of %g", solver,
                  drive.effort, arm->drive[i].max_effort);
    }
}

/* With friction: the exact solver of Coulomb's law leaves nothing, and what is allowed is kept by all with round
   cones. */
Test(drive_solvers, bounds_and_cones_are_kept)
{
    static const char *const names[] = {"cone", "cone-convex", "quick", "pgs", "max-dissipation"};
    int slips = 0;
    for (uint64_t seed = 101; seed <= 100 + SEEDS; seed++) {
        Arm arm;
        RgModel *model = arm_of(seed, 0.6, &arm);
        for (int k = 0; k < 10; k++) {
            Outcome out;
            RgWorld *world = stepped(model, &arm, both_forms[k % 2], names[k / 2], &out);
            check_allowed(world, &arm, names[k / 2]);
            if (k < 2)
                cr_expect(out.report.residual_velocity <= 1e-8 && out.report.fallbacks == 0,
                          "seed %d: residual %g, %d fallbacks", (int)seed, out.report.residual_velocity,
                          out.report.fallbacks);
            slips += k == 0 ? out.report.slipping_pairs : 0;
            rg_world_destroy(world);
        }
        rg_model_destroy(model);
    }
    cr_expect(slips > SEEDS / 4, "%d slip", slips);
}
