/*
 * test_fields.c - damping fields by their closed forms: the recurrence of implicit Euler, terminal speed, a seat that
 * takes its passenger along, momentum between both; never a gain of energy, however strong. Both forms, several
 * solvers.
 */
#include "check_near.h"
#include "scene_parts.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

#define H 1e-3

static const char *const solvers[] = {"quick", "pgs", "cone"};

enum { WAYS = 6 };

static RgWorld *world_by(const RgModel *model, int k, const RgFieldDef *fields, int n, RgVec3 gravity)
{
    RgPgsOptions pgs = rg_pgs_options_default();
    pgs.iterations = 2000;
    RgWorldDef def = world_def(model, both_forms[k % 2], "semi-implicit");
    def.solver = solvers[k / 2];
    def.pgs = &pgs;
    def.gravity = gravity;
    def.fields = fields;
    def.nfields = n;
    return world_make(&def);
}

static RgFieldDef cube(double edge, double linear, double angular)
{
    RgFieldDef def = rg_field_def_default();
    def.size[0] = def.size[1] = def.size[2] = edge;
    def.linear = linear;
    def.angular = angular;
    return def;
}

/* One body alone; or the same mass on the end of a rod without mass, so that it hangs on joints. */
static RgModel *ball(void)
{
    RgBuilder *b = scene_begin("ball");
    link_add(b, "ball", inertia_diagonal(2.0, vec(0.05, 0, 0), vec(0.1, 0.1, 0.1)));
    return scene_end(b);
}

/* v falls by 1 / (1 + h c) a step, w by 1 / (1 + h a), whatever the coefficients; outside nothing happens; the energy
   taken is reported. */
Test(fields, a_body_alone_is_slowed_by_the_recurrence)
{
    RgModel *model = ball();
    static const double strengths[][2] = {{3.0, 7.0}, {1e4, 1e5}, {0.0, 2.0}};
    double start[6] = {0.3, -0.2, 0.5, 1.0, 0.4, -0.7};
    for (int k = 0; k < 3 * WAYS; k++) {
        double linear = strengths[k / WAYS][0], angular = strengths[k / WAYS][1];
        RgFieldDef field = cube(10.0, linear, angular);
        RgWorld *world = world_by(model, k % WAYS, &field, 1, vec(0, 0, 0));
        rg_world_set_state(world, NULL, start);
        RgMomentum before, after;
        rg_world_momentum(world, &before);
        world_run(world, 1, H);
        RgMomentum m;
        rg_world_momentum(world, &m);
        cr_expect(rg_world_field_of(world, (RgLinkId){1}) == 0);
        RgVec3 p = before.linear, want = vec(p.x / (1 + H * linear), p.y / (1 + H * linear), p.z / (1 + H * linear));
        CHECK_NEAR_ALL(&m.linear.x, &want.x, 3, 1e-12, "N s");
        world_run(world, 199, H);
        rg_world_momentum(world, &after);
        double keep = pow(1.0 / (1.0 + H * linear), 200), turn = pow(1.0 / (1.0 + H * angular), 200);
        CHECK_NEAR(after.linear.y, keep * p.y, 1e-11, "N s");
        CHECK_NEAR(rg_world_link_twist(world, (RgLinkId){1}).w.x, 0.3 * turn, 1e-11, "rad/s");
        CHECK_NEAR(rg_world_energy_sums(world).fields, after.kinetic - before.kinetic, 1e-11, "J");
        field.linear = field.angular = 0.0;
        rg_world_set_field(world, 0, &field, NULL);
        cr_expect(rg_world_field_of(world, (RgLinkId){1}) == -1);
        RgMotion V = rg_world_link_twist(world, (RgLinkId){1});
        world_run(world, 10, H);
        CHECK_NEAR(rg_world_link_twist(world, (RgLinkId){1}).w.x, V.w.x, 1e-14, "rad/s");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A rod on ball joint and slider, all inside: slowed as by explicit forces in the limit of small steps, and its energy
   falls monotonically for any strength. */
static RgModel *mechanism(void)
{
    RgBuilder *b = scene_begin("mechanism");
    RgLinkId cart = link_add(b, "cart", inertia_box(1.0, vec(0, 0, 0), vec(0.2, 0.2, 0.2)));
    RgJointDef slide = joint_at(RG_JOINT_prismatic, "slide", (RgLinkId){0}, cart, vec(0, 0, 0), vec(1, 0, 0));
    joint_add(b, &slide);
    RgLinkId rod = link_add(b, "rod", inertia_rod(0.5, vec(0, 0, 0), vec(0, 0, -0.6), 0.02));
    RgJointDef joint = joint_at(RG_JOINT_spherical, "ball", cart, rod, vec(0, 0, 0), vec(0, 0, 1));
    joint_add(b, &joint);
    return scene_end(b);
}

static double end_of_run(const RgModel *model, int k, bool implicit, double h, double out[4])
{
    RgFieldDef field = cube(10.0, 2.0, 5.0);
    RgWorldDef def = world_def(model, both_forms[k % 2], "semi-implicit");
    def.solver = solvers[k / 2];
    def.fields = &field;
    def.nfields = 1;
    def.implicit_damping = implicit;
    RgWorld *world = world_make(&def);
    double v[4] = {1.0, 2.0, -1.0, 0.5};
    rg_world_set_state(world, NULL, v);
    world_run(world, (int)(0.4 / h + 0.5), h);
    for (int i = 0; i < 4; i++)
        out[i] = rg_world_v(world)[i];
    double energy = world_energy(world);
    rg_world_destroy(world);
    return energy;
}

Test(fields, a_mechanism_is_slowed_alike_by_rows_and_by_forces)
{
    RgModel *model = mechanism();
    double reference[4], found[4];
    end_of_run(model, 0, false, 2e-5, reference);
    for (int k = 0; k < WAYS; k++) {
        if (k / 2 == 1)
            continue; /* sweeps */
        end_of_run(model, k, true, 1e-3, found);
        CHECK_NEAR_ALL(found, reference, 4, 1.5e-2, "rad/s");
        double coarse = 0.0, fine = 0.0, finer[4];
        end_of_run(model, k, true, 2.5e-4, finer);
        for (int i = 0; i < 4; i++) {
            coarse = fmax(coarse, fabs(found[i] - reference[i]));
            fine = fmax(fine, fabs(finer[i] - reference[i]));
        }
        cr_expect(fine < 0.4 * coarse, "first order: %g, %g", coarse, fine);
    }
    rg_model_destroy(model);
}

Test(fields, energy_never_grows_however_strong)
{
    RgModel *model = mechanism();
    for (int k = 0; k < 4 * WAYS; k++) {
        double strength = pow(10.0, 2.0 * (k / WAYS)); /* 1 ... 1e6 / s */
        RgFieldDef field = cube(10.0, strength, strength);
        RgWorld *world = world_by(model, k % WAYS, &field, 1, vec(0, 0, 0));
        double v[4] = {1.0, 2.0, -1.0, 0.5};
        rg_world_set_state(world, NULL, v);
        double start = world_energy(world), gain = world_gain(world, 300, H);
        cr_expect(gain <= 1e-6 * start, "%d: gained %g of %g J", k, gain, start);
        cr_expect(world_energy(world) < 0.75 * start);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Six links on hinges; floating: the first hangs on nothing. */
static RgModel *arm_of_six(bool floating)
{
    static const double axes[3][3] = {{0, 0, 1}, {0, 1, 0}, {1, 0.3, 0}};
    static const char *const names[] = {"0", "1", "2", "3", "4", "5"};
    RgBuilder *b = scene_begin("arm");
    RgLinkId last = {0};
    for (int i = 0; i < 6; i++) {
        RgInertia inertia = inertia_box(2.0 / (1 + i), vec(0.15, 0.02 * i, 0.01), vec(0.3, 0.08, 0.06));
        RgLinkId link = link_add(b, names[i], inertia);
        RgVec3 p = i > 0 ? vec(0.3, 0, 0) : vec(0, 0, 0);
        RgJointDef joint =
            joint_at(RG_JOINT_revolute, names[i], last, link, p, vec(axes[i % 3][0], axes[i % 3][1], axes[i % 3][2]));
        if (i > 0 || !floating)
            joint_add(b, &joint);
        last = link;
    }
    return scene_end(b);
}

/* A strong field takes all velocity within a step and turns none of it round; what it reports is the energy that is gone.
   In joint coordinates a step changes the energy itself by the part h w of it. */
Test(fields, work_is_the_energy_that_is_gone_however_strong)
{
    for (int floating = 0; floating < 2; floating++) {
        RgModel *model = arm_of_six(floating);
        int nv = rg_model_info(model).nv;
        for (int k = 0; k < 5 * WAYS; k++) {
            if (k % WAYS / 2 == 1)
                continue; /* sweeps */
            double rate = pow(10.0, 4.0 + 2.0 * (k / WAYS)), v[12], tolerance = k % 2 == 1 ? 1e-6 : 1e-3;
            RgFieldDef field = cube(20.0, rate, rate);
            RgWorld *world = world_by(model, k % WAYS, &field, 1, vec(0, 0, 0));
            for (int i = 0; i < nv; i++)
                v[i] = 2.0 - 0.7 * i;
            rg_world_set_state(world, NULL, v);
            double before = world_energy(world), start = before;
            for (int i = 0; i < 5; i++) {
                RgStepReport report;
                cr_assert(rg_world_step(world, H, &report) == RG_OK);
                double after = world_energy(world), left = 1.0 / ((1.0 + H * rate) * (1.0 + H * rate));
                CHECK_NEAR(report.fields, after - before, tolerance * before + 1e-9 * start, "J");
                cr_expect(after <= fmax(1.1 * left, 2e-8) * before + 1e-14 * start, "%d: %g of %g J left", k, after,
                          before);
                before = after;
            }
            rg_world_destroy(world);
        }
        rg_model_destroy(model);
    }
}

/* Falling: v_n = (v + h g) / (1 + h c) leads to g / c, and the position goes with it. */
Test(fields, terminal_speed_is_g_over_c)
{
    RgModel *model = ball();
    for (int k = 0; k < WAYS; k++) {
        RgFieldDef field = cube(100.0, 50.0, 0.0);
        RgWorld *world = world_by(model, k, &field, 1, vec(0, 0, -9.81));
        double v = 0.0;
        for (int i = 0; i < 1000; i++)
            v = (v - H * 9.81) / (1.0 + H * 50.0);
        world_run(world, 1000, H);
        RgPose X = rg_world_link_pose(world, (RgLinkId){1});
        CHECK_NEAR(rg_world_link_twist(world, (RgLinkId){1}).v.z, v, 1e-12, "m/s");
        CHECK_NEAR(v, -9.81 / 50.0, 1e-12, "m/s");
        world_run(world, 100, H);
        CHECK_NEAR(rg_world_link_pose(world, (RgLinkId){1}).p.z - X.p.z, 100 * H * v, 1e-10, "m");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A seat that moves: what is inside is taken along, the momentum of both stays, both end with one velocity. */
Test(fields, a_carried_field_takes_along_and_keeps_momentum)
{
    RgBuilder *b = scene_begin("seat");
    link_add(b, "seat", inertia_box(3.0, vec(0, 0, 0), vec(0.5, 0.5, 0.1)));
    RgPose X = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0.1, 0.0, 0.2}};
    link_add_at(b, "rider", inertia_box(1.0, vec(0, 0, 0), vec(0.2, 0.2, 0.2)), X);
    RgModel *model = scene_end(b);
    for (int k = 0; k < WAYS; k++) {
        RgFieldDef field = cube(2.0, 40.0, 40.0);
        field.link = (RgLinkId){1};
        RgWorld *world = world_by(model, k, &field, 1, vec(0, 0, 0));
        double v[12] = {0, 0, 0.2, 0.6, 0, 0, 0, 0, 0, -0.2, 0.1, 0};
        rg_world_set_state(world, NULL, v);
        RgMomentum before, after;
        rg_world_momentum(world, &before);
        world_run(world, 400, H);
        rg_world_momentum(world, &after);
        CHECK_NEAR_ALL(&after.linear.x, &before.linear.x, 3, 1e-9, "N s");
        CHECK_NEAR_ALL(&after.angular.x, &before.angular.x, 3, 2e-3, "N m s");
        RgMotion A = rg_world_link_twist(world, (RgLinkId){1}), B = rg_world_link_twist(world, (RgLinkId){2});
        CHECK_NEAR(A.w.z, B.w.z, 5e-3, "rad/s");

        /* The seat's velocity at the rider's centre; what slides outward is w^2 r / c = 3e-4 m/s. */
        RgVec3 r = vec_sub(rg_world_link_pose(world, (RgLinkId){2}).p, rg_world_link_pose(world, (RgLinkId){1}).p);
        CHECK_NEAR(B.v.x, A.v.x + A.w.y * r.z - A.w.z * r.y, 3e-3, "m/s");
        CHECK_NEAR(B.v.y, A.v.y + A.w.z * r.x - A.w.x * r.z, 3e-3, "m/s");
        cr_expect(rg_world_field_of(world, (RgLinkId){2}) == 0 && rg_world_field_of(world, (RgLinkId){1}) == -1);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* In water a rider comes to a seat with a field of its own: both are slowed alike whether somebody asks for
   accelerations between steps or not. */
Test(fields, questions_do_not_change_who_is_slowed)
{
    RgBuilder *b = scene_begin("seat");
    link_add(b, "seat", inertia_box(3.0, vec(0, 0, 0), vec(0.5, 0.5, 0.1)));
    RgPose X = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0.11, 0.0, 0.0}};
    link_add_at(b, "rider", inertia_box(1.0, vec(0, 0, 0), vec(0.2, 0.2, 0.2)), X);
    RgModel *model = scene_end(b);
    for (int k = 0; k < WAYS; k++) {
        RgFieldDef field[2] = {cube(0.2, 40.0, 40.0), cube(2.0, 5.0, 5.0)};
        field[0].link = (RgLinkId){1};
        RgWorld *world = world_by(model, k, field, 2, vec(0, 0, 0));
        RgWorld *asked = world_by(model, k, field, 2, vec(0, 0, 0));
        double v[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, -2.0, 0, 0}, a[12];
        rg_world_set_state(world, NULL, v);
        rg_world_set_state(asked, NULL, v);
        for (int i = 0; i < 40; i++) {
            world_run(world, 1, H);
            world_run(asked, 1, H);
            cr_assert(rg_world_acceleration(asked, a) == RG_OK);
            cr_assert(rg_world_hash(world) == rg_world_hash(asked), "%s: step %d", solvers[k / 2], i);
        }
        cr_expect(rg_world_field_of(world, (RgLinkId){2}) == 0);
        rg_world_destroy(world);
        rg_world_destroy(asked);
    }
    rg_model_destroy(model);
}

/* A box of 1 kg at rest on a cart of 3 kg that slides. */
static RgModel *cart_and_rider(void)
{
    RgBuilder *b = scene_begin("cart");
    RgLinkId cart = link_add(b, "cart", inertia_box(3.0, vec(0, 0, 0), vec(1.0, 1.0, 1.0)));
    RgJointDef slide = joint_at(RG_JOINT_prismatic, "slide", (RgLinkId){0}, cart, vec(0, 0, 0), vec(1, 0, 0));
    joint_add(b, &slide);
    RgPose X = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0.0, 0.0, 1.0}};
    RgLinkId rider = link_add_at(b, "rider", inertia_box(1.0, vec(0, 0, 0), vec(1.0, 1.0, 1.0)), X);
    RgShapeDef shape = rg_shape_def_default();
    shape.type = RG_SHAPE_box;
    shape.size[0] = shape.size[1] = shape.size[2] = 1.0;
    shape.link = cart;
    rg_builder_add_shape(b, &shape);
    shape.link = rider;
    rg_builder_add_shape(b, &shape);
    return scene_end(b);
}

/* Explicit forces of a carried field are no rows: what touches its carrier is pushed as without one, by every
   solver. */
Test(fields, a_carried_field_by_forces_leaves_contacts_alone)
{
    RgModel *model = cart_and_rider();
    for (int k = 0; k < WAYS; k++) {
        RgFieldDef field = cube(3.0, 15.0, 30.0);
        field.link = (RgLinkId){1};
        RgWorldDef def = world_def(model, both_forms[k % 2], "semi-implicit");
        def.solver = solvers[k / 2];
        def.fields = &field;
        def.nfields = 1;
        def.implicit_damping = false;
        RgWorld *world = world_make(&def);
        double v[7] = {0.5};
        rg_world_set_state(world, NULL, v);
        double start = world_energy(world), gain = world_gain(world, 300, H);
        cr_expect(rg_world_field_of(world, (RgLinkId){2}) == 0);
        cr_expect(gain <= 1e-6 * start, "%d: gained %g of %g J", k, gain, start);
        CHECK_NEAR(rg_world_link_twist(world, (RgLinkId){2}).v.x, 0.375, 1e-3, "m/s");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ events */

/* A ball at 1 m/s along x through a field of 0.2 m about x = 0.5 that hardly slows it. */
static RgWorld *passing(const RgModel *model, int k, const RgFieldDef *field)
{
    RgWorld *world = world_by(model, k, field, 1, vec(0, 0, 0));
    double start[6] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0};
    cr_assert(rg_world_set_state(world, NULL, start) == RG_OK);
    return world;
}

/* Makes a step; events of fields in it are appended to list. */
static int step_and_list(RgWorld *world, RgEvent *list, int count)
{
    const RgEvent *events;
    cr_assert(rg_world_step(world, H, NULL) == RG_OK);
    int n = rg_world_events(world, &events);
    for (int i = 0; i < n; i++)
        if (events[i].kind == RG_EVENT_enter || events[i].kind == RG_EVENT_exit)
            list[count++] = events[i];
    return count;
}

/* The ball enters at x = 0.4 m and leaves at 0.6 m, once each, at the end of the step that comes there; a state saved
   within and restored in another world goes on with the same event and the same bits. */
Test(fields, bodies_that_enter_and_leave_are_told)
{
    RgModel *model = ball();
    RgFieldDef field = cube(0.2, 1e-6, 0.0);
    field.name = "pool";
    field.X_LF.p = vec(0.55, 0, 0); /* the ball's centre of mass is 0.05 m ahead of its origin */
    for (int k = 0; k < WAYS; k++) {
        RgWorld *world = passing(model, k, &field), *twin = world_by(model, k, &field, 1, vec(0, 0, 0));
        RgEvent list[8], again[8];
        unsigned char *saved = NULL;
        size_t size = 0;
        int count = 0, twins = 0;
        for (int i = 0; i < 700; i++) {
            count = step_and_list(world, list, count);
            cr_assert(count <= 2);
            if (i == 500) {
                size = rg_world_state_size(world);
                cr_assert((saved = malloc(size)) != NULL);
                rg_world_state_save(world, saved);
            }
        }
        cr_assert_eq(count, 2);
        cr_expect(list[0].kind == RG_EVENT_enter && list[1].kind == RG_EVENT_exit);
        CHECK_NEAR(list[0].t, 0.4, 1.5 * H, "s");
        CHECK_NEAR(list[1].t, 0.6, 1.5 * H, "s");
        CHECK_NEAR(list[0].uncertainty, H, 0.0, "s");
        CHECK_NEAR(list[0].value, 1.0, 1e-6, "m/s");
        cr_expect(list[0].field == 1 && list[0].link_a == UINT32_MAX && list[0].link_b == 0);
        cr_expect_str_eq(list[0].name, "pool");
        int32_t inside, none = 7; /* the one body's field is the last number of the state; there is no field 7 */
        memcpy(&inside, saved + size - sizeof inside, sizeof inside);
        cr_expect_eq(inside, 0);
        memcpy(saved + size - sizeof none, &none, sizeof none);
        cr_expect(rg_world_state_load(twin, saved, size) == RG_ERR_ARGUMENT);
        memcpy(saved + size - sizeof inside, &inside, sizeof inside);
        cr_assert(rg_world_state_load(twin, saved, size) == RG_OK);
        for (int i = 501; i < 700; i++)
            twins = step_and_list(twin, again, twins);
        cr_assert_eq(twins, 1, "%d events after the state was restored", twins);
        cr_expect(again[0].kind == RG_EVENT_exit && again[0].t == list[1].t && again[0].value == list[1].value);
        cr_expect(rg_world_hash(twin) == rg_world_hash(world));
        free(saved);
        rg_world_destroy(twin);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
