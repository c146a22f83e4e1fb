/*
 * test_driven_quadruped.c - a quadruped on its feet whose 12 joints follow sinusoids (002, section IV), with joint
 * targets as rows of the step's problem: steps of 1 to 100 ms, soft and hard drives, with and without bounds.
 *
 * Feet of a robot whose joints are all driven by hard rows have six ways to move for twelve contact velocities: the
 * solvers must not mind. What must hold: nothing flies apart (feet on the floor, the trunk upright, joint rates of this
 * world), cones and bounds to 1e-8 by solver cone, and no residual above 1e-8 m/s by it.
 */
#include "check_near.h"
#include "worlds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATE 16.0     /* rad/s, of the motion */
#define SWING 0.1     /* rad */
#define TRUNK 0.55    /* m: where the file puts the trunk */
#define LOWERED 0.141 /* m: with knees bent */

/* Joint k of leg k / 3: roll, pitch, knee; where it shall be and how fast at time t. */
typedef struct Wish {
    RgJointId joint;
    double q, v;
} Wish;

static Wish wish_of(const RgModel *model, int k, double t)
{
    static const char *const legs[] = {"front_left", "front_right", "hind_left", "hind_right"};
    static const char *const parts[] = {"roll", "pitch", "knee"};
    static const double bent[] = {0.0, 0.7, -1.4};
    char name[32];
    snprintf(name, sizeof name, "%s_%s", legs[k / 3], parts[k % 3]);
    bool diagonal = k / 3 == 0 || k / 3 == 3;
    double swing = k % 3 == 0 ? 0.0 : SWING * (diagonal ? 1.0 : -1.0) * (k % 3 == 1 ? 1.0 : -1.0);
    return (Wish){rg_model_find_joint(model, name), bent[k % 3] + swing * sin(RATE * t), swing * RATE * cos(RATE * t)};
}

static void begin(RgWorld *world)
{
    const RgModel *model = rg_world_model(world);
    for (int k = 0; k < 12; k++) {
        Wish wish = wish_of(model, k, 0.0);
        cr_assert(rg_world_set_joint_position(world, wish.joint, &wish.q) == RG_OK);
    }
    int nq = rg_model_info(model).nq;
    double *q = malloc((size_t)nq * sizeof *q);
    memcpy(q, rg_world_q(world), (size_t)nq * sizeof *q);
    for (int i = 0; i < nq; i++)
        q[i] -= fabs(q[i] - TRUNK) < 1e-12 ? LOWERED : 0.0;
    cr_assert(rg_world_set_state(world, q, NULL) == RG_OK);
    free(q);
}

/* The drives of the step that begins at t. */
static void wish(RgWorld *world, RgDrive like, double h)
{
    const RgModel *model = rg_world_model(world);
    like.time = rg_world_time(world) + h;
    for (int k = 0; k < 12; k++) {
        Wish at = wish_of(model, k, like.time);
        like.position = at.q;
        like.velocity = at.v;
        cr_assert(rg_world_set_joint_drive(world, at.joint, 0, &like) == RG_OK);
    }
}

/* N and N m by which cones and bounds are left. */
static double violation(RgWorld *world, double most)
{
    const RgContactForce *forces;
    double worst = 0.0;
    int n = rg_world_contact_forces(world, &forces);
    for (int i = 0; i < n; i++) {
        RgVec3 f = forces[i].force, m = forces[i].normal;
        double normal = f.x * m.x + f.y * m.y + f.z * m.z;
        double across = sqrt(fmax(f.x * f.x + f.y * f.y + f.z * f.z - normal * normal, 0.0));
        worst = fmax(worst, fmax(-normal, across - normal)); /* friction 1 */
    }
    for (int k = 0; k < 12; k++) {
        RgDriveReport drive;
        rg_world_joint_drive(world, wish_of(rg_world_model(world), k, 0.0).joint, 0, &drive);
        worst = fmax(worst, fabs(drive.effort) - most);
    }
    return worst;
}

static void check(const RgModel *model, const char *solver, const RgDrive *drive, double h)
{
    RgWorldDef def = world_def(model, "minimal", "semi-implicit");
    def.solver = solver;
    RgWorld *world = world_make(&def);
    begin(world);
    double residual = 0.0, beyond = 0.0, fastest = 0.0;
    int nv = rg_model_info(model).nv;
    for (int i = 0; i < (int)(0.8 / h); i++) {
        RgStepReport report;
        wish(world, *drive, h);
        cr_assert(rg_world_step(world, h, &report) == RG_OK, "%s: %s", solver, report.offender);
        residual = fmax(residual, report.residual_velocity);
        beyond = fmax(beyond, violation(world, drive->max_effort));
        for (int k = 0; k < nv; k++)
            fastest = fmax(fastest, fabs(rg_world_v(world)[k]));
    }
    RgPose trunk = rg_world_link_pose(world, rg_model_find_link(model, "body"));
    cr_expect(trunk.R.m[2][2] > 0.9 && fabs(trunk.p.z - 0.41) < 0.06 && fastest < 60.0,
              "%s, h %g, %s: upright %g, %g m high, %g rad/s", solver, h, drive->hard ? "hard" : "soft",
              trunk.R.m[2][2], trunk.p.z, fastest);
    cr_expect(beyond <= 1e-8, "%s, h %g: %g N or N m beyond", solver, h, beyond);
    if (strcmp(solver, "cone") == 0)
        cr_expect(residual <= 1e-8, "h %g: residual %g m/s", h, residual);
    rg_world_destroy(world);
}

Test(driven_quadruped, steps_of_1_to_100_ms)
{
    const RgDrive drives[] = {
        {.kp = 100.0, .kd = 1.0, .max_effort = (double)INFINITY},
        {.kp = 1e4, .kd = 100.0, .max_effort = 30.0},
        {.hard = true, .rate = (double)INFINITY, .max_effort = (double)INFINITY},
        {.hard = true, .rate = 20.0, .max_effort = 30.0},
    };
    const double steps[] = {1e-3, 1e-2, 0.05, 0.1};
    RgModel *model = model_on_floor("models/quadruped.sdf");
    for (int k = 0; k < 32; k++)
        check(model, k % 2 == 0 ? "cone" : "quick", &drives[k / 2 % 4], steps[k / 8]);
    rg_model_destroy(model);
}
