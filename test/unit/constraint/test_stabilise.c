/*
 * test_stabilise.c - projection onto the constraints: what comes apart is put together by internal forces
 * alone.
 *
 *   velocities   T(u) = T(u1) + T(u - u1): what is taken away is at right angles, in the mass metric, to
 *                what is kept
 *   momentum     linear and angular momentum stay, as does the centre of mass in the maximal form
 *   failure      rods too short to meet are an error, and the state that was given is not worth keeping
 */
#include "scenes.h"
#include "unit/coords/form_fixture.h"
#include "worlds.h"

static const RgVec3 O = {0.0, 0.0, 0.0};

/* Four rods in a ring, hinged about y, the last hinge a loop joint. Floating: nothing ties the ring to the
   world. The frame of the first link stands at X_WL. length: of the last rod, 1 m closes the ring. */
static RgModel *ring(bool floating, RgPose X_WL, double length)
{
    static const RgVec3 side[4] = {{1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {-1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}};
    static const char *const names[4] = {"a", "b", "c", "d"};
    RgBuilder *b = scene_begin("ring");
    RgLinkId links[4];
    for (int i = 0; i < 4; i++) {
        RgLinkDef def = rg_link_def_default();
        RgVec3 end = vec_scale(i == 3 ? length : 1.0, side[i]);
        def.name = names[i];
        def.inertia = inertia_rod(1.0 + 0.5 * i, O, end, 0.05);
        def.X_WL = X_WL;
        def.is_static = i == 0 && !floating;
        links[i] = rg_builder_add_link(b, &def);
        RgJointDef hinge = joint_at(RG_JOINT_revolute, names[i], links[i > 0 ? i - 1 : 0], links[i],
                                    i > 0 ? side[i - 1] : O, vec(0.0, 1.0, 0.0));
        if (i > 0)
            joint_add(b, &hinge);
    }
    RgJointDef pin =
        joint_at(RG_JOINT_revolute, "pin", links[3], links[0], vec_scale(length, side[3]), vec(0.0, 1.0, 0.0));
    pin.may_close_loop = true;
    joint_add(b, &pin);
    return scene_end(b);
}

static RgPose tilted(double distance)
{
    return (RgPose){mat_turn(vec(0.6, -0.48, 0.64), 0.9), {distance, 2.0, -1.0}};
}

static RgMomentum momentum_of(FormCase *f, const double *u)
{
    RgMomentum m;
    form_look(f, 0.0, u);
    rg_tree_momentum(f->form->kin, O, f->form->q, f->form->v, &m);
    return m;
}

Test(stabilise, velocities_lose_only_what_the_constraints_forbid)
{
    RgModel *model = ring(true, tilted(0.0), 1.0);
    for (uint64_t seed = 0; seed < 20; seed++) {
        TestState s = random_state(model, seed);
        FormCase f = form_case(model, both_forms[seed % 2]);
        double left, *lost = calloc((size_t)f.form->nu, sizeof *lost);
        bool changed;
        rg_model_neutral(model, s.q);
        form_set(&f, s.q, s.v);
        memcpy(lost, f.u, (size_t)f.form->nu * sizeof *lost);
        RgMomentum before = momentum_of(&f, NULL);
        cr_assert(rg_project_state(f.c, NULL, f.x, f.u, &left, &changed) == RG_OK && changed);
        for (int k = 0; k < f.form->nu; k++)
            lost[k] -= f.u[k];
        RgMomentum after = momentum_of(&f, NULL), removed = momentum_of(&f, lost);
        cr_expect(removed.kinetic > 1e-3, "nothing was wrong");
        CHECK_NEAR(after.kinetic + removed.kinetic, before.kinetic, 1e-11, "J");
        CHECK_NEAR(vec_distance(after.linear, before.linear), 0.0, 1e-12, "N s");
        CHECK_NEAR(vec_distance(after.angular, before.angular), 0.0, 1e-12, "N m s");

        /* Nothing is left to do. */
        cr_expect(rg_project_state(f.c, NULL, f.x, f.u, &left, &changed) == RG_OK && !changed);
        CHECK_NEAR(left, 0.0, 1e-12, "m or rad");
        free(lost);
        form_case_end(&f);
        test_state_destroy(&s);
    }
    rg_model_destroy(model);
}

/* Opened by up to 0.2 rad a hinge, the ring closes about its centre of mass. */
Test(stabilise, positions_close_about_the_centre_of_mass)
{
    RgModel *model = ring(true, tilted(0.0), 1.0);
    for (uint64_t seed = 0; seed < 20; seed++) {
        Draw d = draw_seed(seed);
        FormCase f = form_case(model, both_forms[seed % 2]);
        double q[10], v[9] = {0.0}, left, scale = seed < 10 ? 0.2 : 1e-4;
        bool changed, maximal = seed % 2 == 1;
        rg_model_neutral(model, q);
        for (int k = 7; k < 10; k++)
            q[k] = draw_between(&d, -scale, scale);
        form_set(&f, q, v);
        RgMomentum before = momentum_of(&f, NULL);
        cr_assert(rg_project_state(f.c, NULL, f.x, f.u, &left, &changed) == RG_OK && changed);
        RgMomentum after = momentum_of(&f, NULL);
        CHECK_NEAR(left, 0.0, 1e-11, "m or rad");

        /* Joint coordinates are bent: there the centre moves, by terms of second order in the opening. */
        CHECK_NEAR(vec_distance(after.com, before.com), 0.0, maximal ? 1e-13 : 3.0 * scale * scale, "m");
        form_case_end(&f);
    }
    rg_model_destroy(model);
}

/* A ring of which one rod is too short by more than the others can bridge. */
Test(stabilise, what_cannot_be_closed_is_said)
{
    RgModel *model = ring(false, tilted(0.0), 4.0);
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        uint64_t hash = rg_world_hash(world);
        double left = 0.0;
        cr_expect(rg_world_joint_error(world) > 1.0);
        cr_expect(rg_world_assemble(world, &left) == RG_ERR_NOT_CONVERGED, "%s", both_forms[i]);
        cr_expect(left > 0.1, "%s: %g m left", both_forms[i], left);
        cr_expect(rg_world_hash(world) == hash, "%s: the state has changed", both_forms[i]);
        RgStepReport report;
        cr_expect(rg_world_step(world, 1e-3, &report) == RG_ERR_NOT_CONVERGED);
        cr_expect(rg_world_hash(world) == hash, "%s: the state has changed", both_forms[i]);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A planar ring anywhere in space: three of the pin's five rows say nothing new, all along its motion, and
   energy stays. */
Test(stabilise, redundant_rows_of_a_turned_planar_loop)
{
    RgModel *model = ring(false, tilted(3.0), 1.0);
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        const double v[3] = {3.0, -3.0, 3.0};
        cr_assert(rg_world_set_state(world, NULL, v) == RG_OK);
        double energy = world_energy(world);
        for (int k = 0; k < 300; k++) {
            RgStepReport report;
            cr_assert(rg_world_step(world, 1e-3, &report) == RG_OK, "%s at step %d", both_forms[i], k);
            cr_expect(report.redundant_rows == 3, "%s: %d at step %d", both_forms[i], report.redundant_rows, k);
            CHECK_NEAR(report.joint_error, 0.0, 1e-11, "m or rad");
        }
        CHECK_NEAR(world_energy(world), energy, 1e-8, "J");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Far from the origin poses are known less well; that is no reason to refuse a step. */
Test(stabilise, far_from_the_origin)
{
    for (int i = 0; i < 8; i++) {
        double distance = pow(10.0, 3 + i / 2);
        RgModel *model = ring(false, tilted(distance), 1.0);
        RgWorld *world = world_of(model, both_forms[i % 2], "semi-implicit");
        RgStatus status = RG_OK;
        for (int k = 0; k < 100 && status == RG_OK; k++)
            status = rg_world_step(world, 1e-3, NULL);
        cr_expect(status == RG_OK, "%s, %g m away: %s", both_forms[i % 2], distance, rg_status_text(status));
        CHECK_NEAR(rg_world_joint_error(world), 0.0, 1e-12 + 1e-14 * distance, "m or rad");
        world_end(world, model);
    }
}
