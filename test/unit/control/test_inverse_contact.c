/*
 * test_inverse_contact.c - inverse dynamics of a quadruped on its feet: feet carry the weight, contact laws hold for
 * the planned impulses, no other share of the load takes smaller efforts, a simulated step reaches the wanted rates,
 * and without contact it is computed torque.
 */
#include "control/inverse_contact.h"

#include "check_near.h"
#include "draw.h"
#include "quadruped.h"

#include <criterion/criterion.h>
#include <string.h>

#define GRAVITY 9.81

extern const RgControllerKind rg_controller_inverse_dynamics;

typedef struct Case {
    QuadRobot robot;
    RgWorld *world;
    RgDynamics *dynamics;
    RgArena arena;
    RgControlJoint joints[QUAD_JOINTS];
    RgController controller;
    RgInverseContact *inverse;
    double zeros[64];
} Case;

static void begin(Case *c, double gap)
{
    RgError error;
    memset(c, 0, sizeof *c);
    cr_assert(quad_robot_create(&c->robot, "models/quadruped.sdf", 0.8, &error), "%s", error.text);
    RgWorldDef def = rg_world_def_default();
    def.model = c->robot.model;
    def.solver = "cone";
    c->world = rg_world_create(&def, &error);
    cr_assert_not_null(c->world, "%s", error.text);
    cr_assert_eq(quad_start(&c->robot, &(QuadMotion){.kind = QUAD_STAND}, gap, c->world), RG_OK);
    c->dynamics = rg_dynamics_create(c->robot.model, NULL);
    rg_arena_init(&c->arena, NULL);
    for (int k = 0; k < QUAD_JOINTS; k++) {
        c->joints[k] = rg_control_joint_default();
        c->joints[k].joint = c->robot.joint[k];
    }
    c->controller = (RgController){.kind = &rg_controller_inverse_dynamics,
                                   .njoints = QUAD_JOINTS,
                                   .joints = c->joints,
                                   .dofs = c->robot.v,
                                   .nfeet = QUAD_FEET,
                                   .feet = c->robot.foot,
                                   .friction = (double)NAN};
    c->inverse = rg_inverse_contact_alloc(&c->controller, c->robot.model, &c->arena);
    cr_assert_not_null(c->inverse);
}

static void end(Case *c)
{
    rg_inverse_contact_release(c->inverse);
    rg_arena_free(&c->arena);
    rg_dynamics_destroy(c->dynamics);
    rg_world_destroy(c->world);
    quad_robot_destroy(&c->robot);
}

static RgControlView view_of(Case *c, double h)
{
    return (RgControlView){.world = c->world,
                           .model = c->robot.model,
                           .dynamics = c->dynamics,
                           .h = h,
                           .q = rg_world_q(c->world),
                           .v = rg_world_v(c->world),
                           .tau = c->zeros};
}

/* Plans for the rates in c->inverse->rates, and makes the step. */
static void plan_and_step(Case *c, double h, RgContactModel law)
{
    RgControlView view = view_of(c, h);
    cr_assert_eq(rg_inverse_contact_solve(c->inverse, &c->controller, &view, law), RG_OK);
    for (int k = 0; k < QUAD_JOINTS; k++)
        rg_world_set_joint_effort(c->world, c->robot.joint[k], &c->inverse->tau[k]);
    cr_assert_eq(rg_world_step(c->world, h, NULL), RG_OK);
}

/* At rest: the feet carry the weight, nothing else, and the robot stays where it is. */
Test(inverse_contact, standing_feet_carry_the_weight)
{
    for (int law = RG_LAW_COULOMB; law <= RG_LAW_NO_SLIP; law++) {
        Case c;
        begin(&c, 0.0);
        double h = 2e-3, weight = c.robot.mass * GRAVITY;
        RgVec3 sum = v3(0.0, 0.0, 0.0);
        plan_and_step(&c, h, (RgContactModel)law);
        cr_assert(c.inverse->shared);
        for (int i = 0; i < RG_CONTACT_ROWS * c.inverse->ncontacts; i++)
            sum = v3_axpy(c.inverse->z[i] / h, c.inverse->contact[i / 3].axis[i % 3], sum);
        CHECK_NEAR(sum.z / weight, 1.0, 1e-9, "of the weight");
        CHECK_NEAR(sum.x / weight, 0.0, 1e-9, "of the weight");
        CHECK_NEAR(sum.y / weight, 0.0, 1e-9, "of the weight");
        for (int k = 0; k < rg_model_info(c.robot.model).nv; k++)
            CHECK_NEAR(rg_world_v(c.world)[k], 0.0, 1e-9, "rad/s, m/s");
        end(&c);
    }
}

/* Legs bend with given accelerations for 20 ms: by how much joints miss them, rad/s^2. */
static double acceleration_miss(RgContactModel law, double h)
{
    Case c;
    double worst = 0.0;
    begin(&c, 0.0);
    for (int i = 0; i < (int)(0.02 / h + 0.5); i++) {
        for (int k = 0; k < QUAD_JOINTS; k++) {
            double a = k % 3 == 1 ? 2.0 : k % 3 == 2 ? -4.0 : 0.0;
            c.inverse->rates[k] = rg_world_v(c.world)[c.robot.v[k]] + h * a;
        }
        plan_and_step(&c, h, law);
        for (int k = 0; k < QUAD_JOINTS; k++)
            worst = fmax(worst, fabs(rg_world_v(c.world)[c.robot.v[k]] - c.inverse->rates[k]) / h);
    }
    cr_assert(rg_world_v(c.world)[c.robot.v[1]] > 0.03);
    end(&c);
    return worst;
}

/* Joints have the accelerations that were asked for, 4 rad/s^2, to 0.2 % at any step: contacts that the world remembers
   from step to step are not those of the plan to the last digit. */
Test(inverse_contact, wanted_accelerations_are_reached)
{
    for (int law = RG_LAW_COULOMB; law <= RG_LAW_NO_SLIP; law += 2)
        for (double h = 2e-3; h > 2e-4; h *= 0.5) {
            double miss = acceleration_miss((RgContactModel)law, h);
            cr_assert_lt(miss, 0.008, "law %d, step %g s: %g rad/s^2", law, h, miss);
        }
}

/* Random rates, so that feet stick, slip and leave: Coulomb's law on the pyramid, checked from velocities and
   impulses. */
Test(inverse_contact, coulombs_law_holds)
{
    int slips = 0, leaves = 0, sticks = 0;
    Draw draw = draw_seed(3);
    for (int n = 0; n < 60; n++) {
        Case c;
        begin(&c, 0.0);
        double h = 2e-3, scale = c.robot.mass * GRAVITY * h;
        for (int k = 0; k < QUAD_JOINTS; k++)
            c.inverse->rates[k] = draw_between(&draw, -0.3, 0.3);
        RgControlView view = view_of(&c, h);
        cr_assert_eq(rg_inverse_contact_solve(c.inverse, &c.controller, &view, RG_LAW_COULOMB), RG_OK);
        for (int i = 0; i < c.inverse->ncontacts; i++) {
            const double *z = c.inverse->z + 3 * i;
            double v[3];
            for (int a = 0; a < 3; a++)
                v[a] = rg_inverse_velocity(c.inverse, 3 * i + a, h);
            double room = 0.8 * z[0] - fabs(z[1]) - fabs(z[2]), speed = fmax(fabs(v[1]), fabs(v[2]));
            cr_assert(z[0] > -1e-9 * scale && v[0] > -1e-9, "%g %g", z[0], v[0]);
            CHECK_NEAR(z[0] / scale * v[0], 0.0, 1e-9, "m/s");
            cr_assert(room > -1e-9 * scale, "%g", room / scale);
            CHECK_NEAR((z[1] * v[1] + z[2] * v[2] + 0.8 * z[0] * speed) / scale, 0.0, 1e-8, "m/s");
            slips += speed > 1e-6 && z[0] > 1e-6 * scale;
            leaves += v[0] > 1e-6;
            sticks += speed < 1e-9 && v[0] < 1e-9;
        }
        end(&c);
    }
    cr_assert(slips > 10 && leaves > 10, "%d slip, %d leave, %d stick", slips, leaves, sticks);
}

/* Feet half a millimetre above the floor, which the step does not close: they are contacts of the plan, and none has an
   impulse or keeps the legs from moving. */
Test(inverse_contact, open_gaps_hold_nothing)
{
    for (int law = RG_LAW_COULOMB; law <= RG_LAW_NO_SLIP; law++) {
        Draw draw = draw_seed(5);
        Case c;
        begin(&c, 5e-4);
        double h = 2e-3;
        for (int k = 0; k < QUAD_JOINTS; k++)
            c.inverse->rates[k] = draw_between(&draw, -0.3, 0.3);
        RgControlView view = view_of(&c, h);
        cr_assert_eq(rg_inverse_contact_solve(c.inverse, &c.controller, &view, (RgContactModel)law), RG_OK);
        for (int i = 0; i < RG_CONTACT_ROWS * c.inverse->ncontacts; i++)
            cr_expect_eq(c.inverse->z[i], 0.0, "law %d, row %d: %g N s", law, i, c.inverse->z[i]);
        end(&c);
    }
}

/* Sum of the squares of the efforts for impulses z. */
static double efforts_of(RgInverseContact *w, const double *z)
{
    double tau[QUAD_JOINTS], sum = 0.0;
    rg_inverse_efforts(w, tau);
    for (int k = 0; k < QUAD_JOINTS; k++) {
        for (int j = 0; j < 3 * w->ncontacts; j++)
            tau[k] -= w->R[j * w->nv + w->dofs[k]] * z[j];
        sum += tau[k] * tau[k];
    }
    return sum;
}

/* a -= (a . b) b, over n numbers. */
static void remove_along(double *a, const double *b, int n)
{
    double dot = 0.0;
    for (int j = 0; j < n; j++)
        dot += a[j] * b[j];
    for (int j = 0; j < n; j++)
        a[j] -= dot * b[j];
}

/* Takes from d what moves the others: rows of R_u made orthonormal (Gram-Schmidt, twice), then taken away. */
static void project(RgInverseContact *w, double *d)
{
    int n = 3 * w->ncontacts, kept = 0;
    double rows[6][12];
    for (int k = 0; k < w->nu; k++) {
        double *r = rows[kept], size = 0.0;
        for (int j = 0; j < n; j++)
            r[j] = w->R[j * w->nv + w->u[k]];
        for (int m = 0; m < 2 * kept; m++)
            remove_along(r, rows[m % kept], n);
        for (int j = 0; j < n; j++)
            size += r[j] * r[j];
        for (int j = 0; j < n && size > 1e-16; j++)
            r[j] /= sqrt(size);
        kept += size > 1e-16;
    }
    for (int m = 0; m < kept; m++)
        remove_along(d, rows[m], n);
}

Test(inverse_contact, no_other_share_takes_less)
{
    Case c;
    begin(&c, 0.0);
    double h = 2e-3;
    RgControlView view = view_of(&c, h);
    cr_assert_eq(rg_inverse_contact_solve(c.inverse, &c.controller, &view, RG_LAW_COULOMB), RG_OK);
    cr_assert_eq(c.inverse->ncontacts, 4);
    cr_assert_eq(c.inverse->nu, 6);
    Draw draw = draw_seed(11);
    double least = efforts_of(c.inverse, c.inverse->z);
    for (int n = 0; n < 500; n++) {
        double d[12], z[12];
        for (int j = 0; j < 12; j++)
            d[j] = draw_between(&draw, -1.0, 1.0);
        project(c.inverse, d);
        bool inside = true;
        for (int j = 0; j < 12; j++)
            z[j] = c.inverse->z[j] + 1e-4 * d[j];
        for (int i = 0; i < 4; i++)
            inside = inside && 0.8 * z[3 * i] >= fabs(z[3 * i + 1]) + fabs(z[3 * i + 2]);
        if (inside)
            cr_assert_geq(efforts_of(c.inverse, z), least * (1.0 - 1e-12), "try %d", n);
    }
    end(&c);
}

/* In the air: the efforts that "computed-torque" gives. */
Test(inverse_contact, without_contact_it_is_computed_torque)
{
    static const char *const kinds[4] = {"computed-torque", "inverse-dynamics", "least-energy", "no-slip"};
    double effort[4][QUAD_JOINTS], position[QUAD_JOINTS];
    for (int i = 0; i < 4; i++) {
        Case c;
        RgError error;
        begin(&c, 0.5);
        for (int k = 0; k < QUAD_JOINTS; k++) {
            c.joints[k].kp = 50.0 + k;
            c.joints[k].kd = 5.0;
            position[k] = c.robot.start[k] + 0.1 * (k % 4) - 0.15;
        }
        RgTrajectoryDef path = rg_trajectory_def_default();
        path.kind = "constant";
        path.naxes = QUAD_JOINTS;
        path.position = position;
        RgTrajectory *trajectory = rg_trajectory_create(&path, &error);
        cr_assert_not_null(trajectory, "%s", error.text);
        RgControllerDef def = rg_controller_def_default();
        def.kind = kinds[i];
        def.njoints = QUAD_JOINTS;
        def.joints = c.joints;
        def.trajectory = trajectory;
        def.nfeet = i == 0 ? 0 : QUAD_FEET;
        def.feet = i == 0 ? NULL : c.robot.foot;
        RgControlDef all = rg_control_def_default();
        all.world = c.world;
        all.ncontrollers = 1;
        all.controllers = &def;
        RgControl *control = rg_control_create(&all, &error);
        cr_assert_not_null(control, "%s", error.text);
        for (int n = 0; n < 5; n++)
            cr_assert_eq(rg_control_step(control, 1e-3, NULL), RG_OK);
        for (int k = 0; k < QUAD_JOINTS; k++)
            effort[i][k] = rg_control_joint(control, k).asked;
        rg_control_destroy(control);
        rg_trajectory_destroy(trajectory);
        end(&c);
    }
    for (int i = 1; i < 4; i++)
        CHECK_NEAR_ALL(effort[i], effort[0], QUAD_JOINTS, 1e-9, "N m");
}
