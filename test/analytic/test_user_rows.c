/*
 * test_user_rows.c - rows of a user's own: ropes and rods between points of links, and a gear between two
 * joints, written as a program that uses the library would write them.
 *
 * A rope of length L between two points at distance d along the unit vector e pulls only, and only when taut:
 *
 *   w = -d' ,   w >= -(L - d) / h,   0 <= z        a part of what it is too long is taken back each step
 */
#include "check_near.h"
#include "touching.h"
#include "worlds.h"

#define H 1e-3
#define TAKE_BACK 0.1 /* of an overlong rope, a step */

typedef struct Rope {
    RgLinkId link[2]; /* null id: the world */
    RgVec3 at[2];     /* in the link's frame */
    double length, h;
    bool rod; /* pushes too */
} Rope;

static RgVec3 turn(const RgPose *X, RgVec3 a)
{
    const double(*R)[3] = X->R.m;
    return vec(R[0][0] * a.x + R[0][1] * a.y + R[0][2] * a.z, R[1][0] * a.x + R[1][1] * a.y + R[1][2] * a.z,
               R[2][0] * a.x + R[2][1] * a.y + R[2][2] * a.z);
}

static int rope_row(const RgModel *model, const RgInputState *state, const RgUserView *view, RgUserRow *rows,
                    int capacity, void *context)
{
    (void)model;
    (void)state;
    const Rope *rope = context;
    cr_assert(capacity == 1);
    RgVec3 arm[2], end[2];
    for (int i = 0; i < 2; i++) {
        RgPose X = rg_user_link_pose(view, rope->link[i]);
        arm[i] = turn(&X, rope->at[i]);
        end[i] = vec_add(X.p, arm[i]);
    }
    RgVec3 way = vec_sub(end[1], end[0]);
    double d = sqrt(vec_dot(way, way)), slack = rope->length - d;
    RgVec3 e = vec_scale(1.0 / d, way);

    /* w = e . (v of the first end - v of the second). */
    rows[0] = (RgUserRow){.nlinks = 2, .high = INFINITY};
    for (int i = 0; i < 2; i++) {
        RgVec3 f = vec_scale(i == 0 ? 1.0 : -1.0, e);
        rows[0].link[i] = rope->link[i];
        rows[0].J[i] = (RgForce){.n = vec_cross(arm[i], f), .f = f};
    }
    rows[0].low = rope->rod ? -INFINITY : 0.0;
    rows[0].target = -slack / rope->h * (slack < 0.0 || rope->rod ? TAKE_BACK : 1.0);
    return 1;
}

typedef struct Way {
    const char *coords, *solver, *stepper;
} Way;

static const Way ways[] = {{"minimal", "quick", "semi-implicit"}, {"maximal", "quick", "semi-implicit"},
                           {"minimal", "pgs", "semi-implicit"},   {"maximal", "pgs", "semi-implicit"},
                           {"minimal", "quick", "rk4"},           {"maximal", "quick", "semi-implicit-000"}};
#define WAYS ((int)(sizeof ways / sizeof ways[0]))

static RgWorld *roped_world(const RgModel *model, const Way *way, RgVec3 gravity, Rope *rope)
{
    RgWorldDef def = world_def(model, way->coords, way->stepper);
    def.solver = way->solver;
    def.gravity = gravity;
    def.user_rows = rope_row;
    def.user_rows_context = rope;
    def.max_user_rows = 1;
    return world_make(&def);
}

/* Two balls fly apart; when the rope is taut they keep their common momentum and turn, and their relative speed
   is what the rope let by: that across it. */
Test(user_rows, a_rope_between_two_balls)
{
    const double m1 = 1.0, m2 = 3.0, length = 1.0;
    RgBuilder *b = scene_begin("rope");
    RgLinkId one = ball_add(b, "one", m1, 0.05, vec(0, 0, 0), surface_mu(0.5));
    RgLinkId two = ball_add(b, "two", m2, 0.05, vec(0.6, 0, 0), surface_mu(0.5));
    RgModel *model = scene_end(b);
    for (int i = 0; i < WAYS; i++) {
        Rope rope = {.link = {one, two}, .length = length, .h = H};
        RgWorld *world = roped_world(model, &ways[i], vec(0, 0, 0), &rope);
        link_launch(world, one, vec(0, 0, 0), vec(-1.0, 0.5, 0.2));
        link_launch(world, two, vec(0, 0, 0), vec(1.0, 0.0, 0.0));

        /* Slack: nothing acts. */
        world_run(world, 150, H);
        CHECK_NEAR(rg_world_link_twist(world, one).v.x, -1.0, 1e-12, "m/s");

        RgVec3 p = vec(m2 - m1, 0.5 * m1, 0.2 * m1);
        double longest = 0.0, early = 0.0, late = 0.0;
        for (int k = 0; k < 3000; k++) {
            cr_assert(rg_world_step(world, H, NULL) == RG_OK);
            RgVec3 way = vec_sub(rg_world_link_pose(world, two).p, rg_world_link_pose(world, one).p);
            longest = fmax(longest, sqrt(vec_dot(way, way)));
            if (k == 500)
                early = world_energy(world);
        }
        late = world_energy(world);
        RgVec3 v1 = rg_world_link_twist(world, one).v, v2 = rg_world_link_twist(world, two).v;
        RgVec3 sum = vec_add(vec_scale(m1, v1), vec_scale(m2, v2));
        CHECK_NEAR(sum.x, p.x, 1e-10, "kg m/s");
        CHECK_NEAR(sum.y, p.y, 1e-10, "kg m/s");
        CHECK_NEAR(sum.z, p.z, 1e-10, "kg m/s");
        cr_expect(longest < length * 1.001, "%s %s %s: %g m", ways[i].coords, ways[i].solver, ways[i].stepper, longest);
        CHECK_REL(late, early, 0.01, "J");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A box on a rope from its corner: falls freely while it is slack, then hangs with the rope's end over its
   middle; the ground never sees it. */
Test(user_rows, a_box_falls_into_its_rope)
{
    RgBuilder *b = scene_begin("hang");
    RgLinkId box = box_add(b, "box", 2.0, vec(0.2, 0.2, 0.2), vec(0.1, 0.1, 1.0), surface_mu(0.5));
    RgModel *model = scene_end(b);
    for (int i = 0; i < WAYS; i++) {
        Rope rope = {.link = {{0}, box}, .at = {vec(0, 0, 1.5), vec(0.1, 0.1, 0.1)}, .length = 1.0, .h = H};
        RgWorld *world = roped_world(model, &ways[i], vec(0, 0, -TOUCH_G), &rope);
        world_run(world, 300, H);
        CHECK_NEAR(rg_world_link_pose(world, box).p.z, 1.0 - 0.5 * TOUCH_G * 0.09, 2e-3, "m");
        double lowest = INFINITY;
        for (int k = 0; k < 3000; k++) {
            cr_assert(rg_world_step(world, H, NULL) == RG_OK);
            RgPose X = rg_world_link_pose(world, box);
            RgVec3 corner = vec_add(X.p, turn(&X, rope.at[1]));
            lowest = fmin(lowest, 1.0 - sqrt(vec_dot(vec_sub(corner, rope.at[0]), vec_sub(corner, rope.at[0]))));
        }
        cr_expect(lowest > -2e-3, "%s %s %s: %g m too long", ways[i].coords, ways[i].solver, ways[i].stepper, -lowest);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A rod from the world to a ball's middle is a pendulum: it swings as one on a joint does. */
Test(user_rows, a_rod_makes_a_pendulum)
{
    const double length = 0.8, angle = 0.6;
    RgBuilder *b = scene_begin("rod");
    RgVec3 start = vec(length * sin(angle), 0.0, -length * cos(angle));
    RgLinkId ball = ball_add(b, "ball", 1.5, 0.05, start, surface_mu(0.5));
    RgModel *model = scene_end(b);
    for (int i = 0; i < WAYS; i++) {
        Rope rope = {.link = {{0}, ball}, .length = length, .h = H, .rod = true};
        RgWorld *world = roped_world(model, &ways[i], vec(0, 0, -TOUCH_G), &rope);

        /* The mathematical pendulum by small steps. */
        double q = angle, v = 0.0;
        for (int k = 0; k < 20000; k++) {
            v -= 0.5e-4 * TOUCH_G / length * sin(q);
            q += 1e-4 * v;
            v -= 0.5e-4 * TOUCH_G / length * sin(q);
        }
        world_run(world, 2000, H);
        RgVec3 p = rg_world_link_pose(world, ball).p;
        CHECK_NEAR(sqrt(vec_dot(p, p)), length, 1e-3, "m");
        CHECK_NEAR(atan2(p.x, -p.z), q, 0.01, "rad");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Joint terms: two wheels that turn at v_a = -2 v_b, as a gear would have it; the effort on one moves both. */
static int gear_row(const RgModel *model, const RgInputState *state, const RgUserView *view, RgUserRow *rows,
                    int capacity, void *context)
{
    (void)state;
    (void)view;
    (void)context;
    cr_assert(capacity >= 1 && rg_model_info(model).nv == 2);
    rows[0] = (RgUserRow){.ndofs = 2, .dof = {0, 1}, .coefficient = {1.0, 2.0}, .low = -INFINITY, .high = INFINITY};
    return 1;
}

Test(user_rows, a_gear_between_two_joints)
{
    const double I = 0.02, effort = 0.3;
    RgBuilder *b = scene_begin("gear");
    for (int i = 0; i < 2; i++) {
        RgLinkId wheel = link_add(b, i == 0 ? "a" : "b", inertia_diagonal(1.0, vec(0, 0, 0), vec(I, I, I)));
        RgJointDef axle = joint_at(RG_JOINT_continuous, i == 0 ? "axle_a" : "axle_b", (RgLinkId){0}, wheel,
                                   vec(i, 0, 0), vec(0, 0, 1));
        joint_add(b, &axle);
    }
    RgModel *model = scene_end(b);
    for (int i = 0; i < WAYS; i++) {
        RgWorldDef def = world_def(model, ways[i].coords, ways[i].stepper);
        def.solver = ways[i].solver;
        def.user_rows = gear_row;
        def.max_user_rows = 4;
        RgWorld *world = world_make(&def);
        rg_world_set_joint_effort(world, rg_model_find_joint(model, "axle_a"), &effort);
        world_run(world, 1000, H);

        /* Energy I (v_a^2 + v_b^2) / 2 by the effort's power: (I + I / 4) v_a' = effort. */
        double a = effort / (1.25 * I);
        CHECK_REL(world_rate(world, "axle_a"), a, 1e-4, "rad/s");
        CHECK_REL(world_rate(world, "axle_b"), -0.5 * a, 1e-4, "rad/s");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Links and joint velocities in one row: the sum of two carts' speeds and of two hinges' rates is kept at 0. Links are
   none of the joints', so that in body coordinates the row speaks of six bodies. */
static int mixed_row(const RgModel *model, const RgInputState *state, const RgUserView *view, RgUserRow *rows,
                     int capacity, void *context)
{
    (void)state;
    (void)view;
    const int *dof = context;
    cr_assert(capacity == 1);
    rows[0] = (RgUserRow){.nlinks = 2,
                          .link = {rg_model_find_link(model, "cart_a"), rg_model_find_link(model, "cart_b")},
                          .J = {{.f = {1.0, 0.0, 0.0}}, {.f = {1.0, 0.0, 0.0}}},
                          .ndofs = 2,
                          .dof = {dof[0], dof[1]},
                          .coefficient = {1.0, 1.0},
                          .low = -INFINITY,
                          .high = INFINITY};
    return 1;
}

Test(user_rows, links_and_joints_in_one_row)
{
    const double I = 0.5, force = 2.0;
    RgBuilder *b = scene_begin("mixed");
    RgInertia unit = inertia_diagonal(1.0, vec(0, 0, 0), vec(I, I, I));
    link_add(b, "cart_a", unit);
    link_add(b, "cart_b", unit);
    for (int i = 0; i < 2; i++) {
        RgLinkId base = link_add(b, i == 0 ? "base_a" : "base_b", unit);
        RgLinkId wheel = link_add(b, i == 0 ? "wheel_a" : "wheel_b", unit);
        RgJointDef hinge =
            joint_at(RG_JOINT_continuous, i == 0 ? "hinge_a" : "hinge_b", base, wheel, vec(0, 0, 0), vec(0, 0, 1));
        joint_add(b, &hinge);
    }
    RgModel *model = scene_end(b);
    int dof[2] = {rg_model_joint(model, rg_model_find_joint(model, "hinge_a")).v_index,
                  rg_model_joint(model, rg_model_find_joint(model, "hinge_b")).v_index};
    for (int i = 0; i < 4; i++) {
        RgWorldDef def = world_def(model, ways[i].coords, ways[i].stepper);
        def.solver = ways[i].solver;
        def.gravity = vec(0, 0, 0);
        def.user_rows = mixed_row;
        def.user_rows_context = dof;
        def.max_user_rows = 1;
        RgWorld *world = world_make(&def);
        RgForce push = {.f = {force, 0.0, 0.0}};
        rg_world_set_link_wrench(world, rg_model_find_link(model, "cart_a"), push);
        world_run(world, 1000, H);

        /* A hinge between two bodies of inertia I has I / 2 against its rate: with z the row's force,
           force + z = v_a', z = v_b', z = (I / 2) w', and v_a + v_b + 2 w = 0. */
        double z = -force / (2.0 + 4.0 / I);
        RgVec3 va = rg_world_link_twist(world, rg_model_find_link(model, "cart_a")).v;
        RgVec3 vb = rg_world_link_twist(world, rg_model_find_link(model, "cart_b")).v;
        CHECK_NEAR(va.x, force + z, 1e-4, "m/s");
        CHECK_NEAR(vb.x, z, 1e-4, "m/s");
        CHECK_NEAR(world_rate(world, "hinge_a"), 2.0 * z / I, 1e-4, "rad/s");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Rows with bad numbers are left out, whatever they say; the world goes on. */
static int bad_rows(const RgModel *model, const RgInputState *state, const RgUserView *view, RgUserRow *rows,
                    int capacity, void *context)
{
    (void)model;
    (void)state;
    (void)view;
    (void)context;
    cr_assert(capacity == 4);
    rows[0] = (RgUserRow){.ndofs = 1, .coefficient = {NAN}, .high = INFINITY};
    rows[1] = (RgUserRow){.ndofs = 1, .dof = {99}, .coefficient = {1.0}, .high = INFINITY};
    rows[2] = (RgUserRow){.nlinks = 1, .link = {{1}}, .J = {{.f = {1, 0, 0}}}, .low = 1.0, .high = -1.0};
    rows[3] = (RgUserRow){.nlinks = 0};
    return 7; /* more than there is room for */
}

Test(user_rows, bad_rows_are_left_out)
{
    RgBuilder *b = scene_begin("free");
    RgLinkId ball = ball_add(b, "ball", 1.0, 0.05, vec(0, 0, 0), surface_mu(0.5));
    RgModel *model = scene_end(b);
    for (int i = 0; i < WAYS; i++) {
        RgWorldDef def = world_def(model, ways[i].coords, ways[i].stepper);
        def.solver = ways[i].solver;
        def.user_rows = bad_rows;
        def.max_user_rows = 4;
        RgWorld *world = world_make(&def);
        world_run(world, 100, H);
        CHECK_NEAR(rg_world_link_twist(world, ball).v.z, -0.1 * TOUCH_G, 1e-12, "m/s");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
