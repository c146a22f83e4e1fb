/*
 * test_gears.c - a rotor behind a gear as a number of the joint, and as a body of its own.
 *
 *   (a) reflected   the joint has rotor_inertia J and gear_ratio r: its inertia grows by r^2 J
 *   (b) explicit    a body of inertia J about its shaft on a hinge of its carrier, and a coupling (Moby's law, input over
 *                   output)  q_rotor = r q_joint;  an effort tau of the rotor is r tau of the joint
 *
 * Kinetic energy of a rotor with spin axis e, balanced and round, on a carrier that turns at w:
 *
 *   T = 1/2 m |v|^2 + 1/2 w.I w  +  r J (e.w) q'  +  1/2 r^2 J q'^2
 *       lumped in the carrier       left out of (a)    reflected
 *
 * So (a) and (b) are the same system exactly where e.w = 0 all the time, in particular on a carrier that does not turn:
 * mass and inertia of the rotor belong to the carrier, its axis may point anywhere, r may be negative. On a carrier
 * that turns, (a) lacks terms of the order of 1/r of the reflected inertia; for a plane arm they are r J in M12, which
 * is checked too.
 */
#include "check_near.h"
#include "scenes.h"
#include "worlds.h"

#define ROTOR_MASS 0.8
#define ROTOR_INERTIA 1e-4
#define ROTOR_PLACE vec(0.05, -0.12, 0.07)

typedef struct Geared {
    RgModel *model;
    RgJointId driven; /* joint that takes the motor's torque */
    double gain;      /* its effort for a torque of 1 N m at the motor */
} Geared;

/* Round about its shaft, shaft along an axis of the carrier. */
static RgInertia rotor_inertia(RgVec3 com)
{
    return inertia_diagonal(ROTOR_MASS, com, vec(3e-4, ROTOR_INERTIA, 3e-4));
}

/* Turns the y axis of a frame by an angle about x. */
static RgMat3 tilted(double angle)
{
    double c = cos(angle), s = sin(angle);
    return (RgMat3){{{1.0, 0.0, 0.0}, {0.0, c, -s}, {0.0, s, c}}};
}

/* The rotor as a body on the carrier, tied to the joint; the motor now drives its axle. */
static void add_rotor(RgBuilder *b, RgLinkId carrier, double tilt, Geared *out)
{
    RgLinkId wheel = link_add(b, "wheel", rotor_inertia(vec(0.0, 0.0, 0.0)));
    RgJointDef axle = joint_at(RG_JOINT_continuous, "axle", carrier, wheel, ROTOR_PLACE, vec(0.0, 1.0, 0.0));
    axle.X_PJ.R = tilted(tilt);
    RgCouplingDef gear = rg_coupling_def_default();
    gear.name = "gear";
    gear.reference = out->driven;
    gear.ratio = out->gain;
    gear.joint = out->driven = joint_add(b, &axle);
    cr_assert(rg_builder_add_coupling(b, &gear));
    out->gain = 1.0;
}

/* A cart on an oblique rail, a pole on it, and the motor of the pole's hinge on the cart. */
static Geared cart(bool is_explicit, double ratio, double tilt)
{
    RgBuilder *b = scene_begin("cart");
    double mass = is_explicit ? 3.0 : 3.0 + ROTOR_MASS;
    RgVec3 com = vec_scale(is_explicit ? 0.0 : ROTOR_MASS / mass, ROTOR_PLACE);
    RgLinkId frame = link_add(b, "frame", inertia_diagonal(mass, com, vec(0.1, 0.1, 0.1)));
    RgLinkId arm = link_add(b, "arm", inertia_diagonal(1.5, vec(0.02, 0.0, -0.4), vec(0.09, 0.1, 0.012)));
    RgJointDef rail =
        joint_at(RG_JOINT_prismatic, "rail", (RgLinkId){0}, frame, vec(0.0, 0.0, 0.0), vec(1.0, 0.0, 0.1));
    RgJointDef hinge = joint_at(RG_JOINT_continuous, "hinge", frame, arm, vec(0.0, 0.1, 0.0), vec(0.0, 1.0, 0.0));
    if (!is_explicit) {
        hinge.dof[0].rotor_inertia = ROTOR_INERTIA;
        hinge.dof[0].gear_ratio = ratio;
    }
    joint_add(b, &rail);
    Geared out = {.driven = joint_add(b, &hinge), .gain = ratio};
    if (is_explicit)
        add_rotor(b, frame, tilt, &out);
    out.model = scene_end(b);
    return out;
}

#define TORQUE 0.03 /* N m at the motor */
#define START 1.3   /* rad */

static RgWorld *start(const Geared *g, const char *coords, const char *stepper, double ratio)
{
    const double tau = TORQUE * g->gain, angle = START, turned = ratio * START;
    RgWorld *world = world_of(g->model, coords, stepper);
    cr_assert(rg_world_set_joint_position(world, rg_model_find_joint(g->model, "hinge"), &angle) == RG_OK);
    if (rg_model_find_joint(g->model, "axle").i)
        cr_assert(rg_world_set_joint_position(world, rg_model_find_joint(g->model, "axle"), &turned) == RG_OK);
    cr_assert(rg_world_set_joint_effort(world, g->driven, &tau) == RG_OK);
    return world;
}

/* Largest difference of angle and place over 5 s between the two, run side by side in the given forms. */
static double apart(const char *const forms[2], const char *stepper, double ratio, double tilt)
{
    Geared g[2] = {cart(false, ratio, tilt), cart(true, ratio, tilt)};
    RgWorld *w[2] = {start(&g[0], forms[0], stepper, ratio), start(&g[1], forms[1], stepper, ratio)};
    double worst = 0.0, moved = 0.0;
    for (int i = 0; i < 500; i++) {
        for (int k = 0; k < 2; k++)
            world_run(w[k], 10, 1e-3);
        worst = fmax(worst, fabs(world_angle(w[0], "hinge") - world_angle(w[1], "hinge")));
        worst = fmax(worst, fabs(world_angle(w[0], "rail") - world_angle(w[1], "rail")));
        moved = fmax(moved, fabs(world_angle(w[0], "hinge") - START));
    }
    CHECK_NEAR(world_angle(w[1], "axle"), ratio * world_angle(w[1], "hinge"), 1e-9, "rad");
    cr_expect(moved > 1.0, "it hardly moves: %g rad", moved);
    for (int k = 0; k < 2; k++) {
        rg_world_destroy(w[k]);
        rg_model_destroy(g[k].model);
    }
    return worst;
}

static void compare(const char *stepper, const char *const forms[2], double ratio, double tilt)
{
    double d = apart(forms, stepper, ratio, tilt);
    cr_expect(d < 1e-10, "%s, ratio %g, %s against %s: %g m or rad apart", stepper, ratio, forms[0], forms[1], d);
}

static const double ratios[3] = {100.0, -100.0, 1.0};

/* Asked for: 1e-6. */
Test(gears, reflected_inertia_moves_as_the_rotor_does)
{
    for (int r = 0; r < 3; r++)
        for (int pair = 0; pair < 4; pair++) {
            const char *const forms[2] = {both_forms[pair % 2], both_forms[pair / 2]};
            compare("rk4", forms, ratios[r], 0.3 * r);
            compare("reference", forms, ratios[r], 0.3 * r);
        }
}

/* The first-order stepper takes another way in each form, but in one form the same for both models. */
Test(gears, also_with_the_first_order_stepper)
{
    for (int r = 0; r < 3; r++)
        for (int i = 0; i < 2; i++) {
            const char *const forms[2] = {both_forms[i], both_forms[i]};
            compare("semi-implicit", forms, ratios[r], 0.3 * r);
        }
}

/* 8,000 rad/s: more than a turn in a step of 1 ms. No turn is lost, and nobody is calmed for it. */
Test(gears, a_quick_rotor_keeps_its_turns)
{
    static const char *const steppers[2] = {"rk4", "semi-implicit"};
    const double ratio = 100.0, rate = 80.0, spin = ratio * rate;
    for (int i = 0; i < 4; i++) {
        Geared g[2] = {cart(false, ratio, 0.3), cart(true, ratio, 0.3)};
        RgWorld *w[2];
        for (int k = 0; k < 2; k++) {
            RgStepReport report;
            w[k] = start(&g[k], both_forms[i % 2], steppers[i / 2], ratio);
            rg_world_set_joint_rate(w[k], rg_model_find_joint(g[k].model, "hinge"), &rate);
            if (k == 1)
                rg_world_set_joint_rate(w[k], rg_model_find_joint(g[k].model, "axle"), &spin);
            for (int n = 0; n < 500; n++) {
                cr_assert(rg_world_step(w[k], 1e-3, &report) == RG_OK);
                cr_assert_eq(report.dropped_products, 0);
            }
        }
        double angle = world_angle(w[1], "hinge");
        cr_expect(angle > 35.0, "%g rad", angle);
        CHECK_NEAR(angle, world_angle(w[0], "hinge"), 1e-9, "rad");
        CHECK_NEAR(world_angle(w[1], "axle"), ratio * angle, 1e-9 * ratio, "rad");
        for (int k = 0; k < 2; k++) {
            rg_world_destroy(w[k]);
            rg_model_destroy(g[k].model);
        }
    }
}

/* A plane arm of two links whose second motor rides on the first link. */
static Geared arm(bool is_explicit, double ratio)
{
    RgBuilder *b = scene_begin("arm");
    RgLinkId upper = link_add(b, "upper", inertia_diagonal(2.0, vec(0.0, 0.0, -0.25), vec(0.1, 0.1, 0.1)));
    RgLinkId lower = link_add(b, "lower", inertia_diagonal(1.0, vec(0.0, 0.0, -0.3), vec(0.05, 0.06, 0.05)));
    RgJointDef shoulder =
        joint_at(RG_JOINT_continuous, "shoulder", (RgLinkId){0}, upper, vec(0.0, 0.0, 0.0), vec(0.0, 1.0, 0.0));
    RgJointDef elbow = joint_at(RG_JOINT_continuous, "elbow", upper, lower, vec(0.0, 0.0, -0.5), vec(0.0, 1.0, 0.0));
    if (!is_explicit) {
        elbow.dof[0].rotor_inertia = ROTOR_INERTIA;
        elbow.dof[0].gear_ratio = ratio;
    }
    joint_add(b, &shoulder);
    Geared out = {.driven = joint_add(b, &elbow), .gain = ratio};
    if (is_explicit) {
        add_rotor(b, upper, 0.0, &out);
    } else {
        RgLinkId wheel = link_add(b, "wheel", rotor_inertia(vec(0.0, 0.0, 0.0)));
        RgJointDef weld = joint_at(RG_JOINT_fixed, "weld", upper, wheel, ROTOR_PLACE, vec(0.0, 1.0, 0.0));
        joint_add(b, &weld);
    }
    out.model = scene_end(b);
    return out;
}

/* Accelerations of shoulder and elbow with 1.2 N m at the shoulder, TORQUE at the motor, and the arm in motion. */
static void arm_accelerations(const Geared *g, const char *coords, double ratio, double a[2])
{
    const double q[3] = {0.4, -0.9, -0.9 * ratio}, v[3] = {1.1, 0.7, 0.7 * ratio}, one = 1.2, tau = TORQUE * g->gain;
    double all[3];
    RgWorld *world = world_of(g->model, coords, "rk4");
    cr_assert(rg_world_set_state(world, q, v) == RG_OK);
    cr_assert(rg_world_set_joint_effort(world, rg_model_find_joint(g->model, "shoulder"), &one) == RG_OK);
    cr_assert(rg_world_set_joint_effort(world, g->driven, &tau) == RG_OK);
    cr_assert(rg_world_acceleration(world, all) == RG_OK);
    a[0] = all[0];
    a[1] = all[1];
    rg_world_destroy(world);
}

/* On a link that turns the rotor's spin is that of the carrier too: r J in M12, nothing else. */
Test(gears, on_a_turning_carrier_the_difference_is_known)
{
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < 2; i++) {
            Geared reflected = arm(false, ratios[r]), full = arm(true, ratios[r]);
            double a[2], b[2], M[4];
            arm_accelerations(&reflected, both_forms[i], ratios[r], a);
            arm_accelerations(&full, both_forms[i], ratios[r], b);
            RgDynamics *dynamics = rg_dynamics_create(reflected.model, NULL);
            const double q[2] = {0.4, -0.9};
            cr_assert(rg_mass_matrix(dynamics, q, M) == RG_OK);
            double cross = ratios[r] * ROTOR_INERTIA;
            CHECK_NEAR(M[0] * b[0] + (M[1] + cross) * b[1], M[0] * a[0] + M[1] * a[1], 1e-12, "N m");
            CHECK_NEAR((M[2] + cross) * b[0] + M[3] * b[1], M[2] * a[0] + M[3] * a[1], 1e-12, "N m");
            cr_expect(fabs(a[1] - b[1]) > 1e-3, "the term is there: %g and %g rad/s^2", a[1], b[1]);
            rg_dynamics_destroy(dynamics);
            rg_model_destroy(reflected.model);
            rg_model_destroy(full.model);
        }
}
