/*
 * test_coords.c - the two coordinate forms against each other and against differences in time.
 *
 *   from_joints, then kinematics    gives q and v back, whole turns included; poses and twists as in the
 *                                   minimal form
 *   integrate                       moves the bodies with their twists
 *   dexpinv                         the rate of w in x0 + w when the bodies move with u
 *   accelerations                   the derivative of the twists when u changes by a
 */
#include "scene_parts.h"
#include "unit/coords/form_fixture.h"
#include "worlds.h"

#include <rigor/sim.h>

#define TREES 60

Test(coords, table)
{
    cr_assert(rg_coords_count() == 2);
    for (int i = 0; i < 2; i++) {
        cr_expect_str_eq(rg_coords_name(i), both_forms[i]);
        cr_expect(rg_coords_find(both_forms[i]) == i && rg_coords_kind(i)->name == rg_coords_name(i));
        cr_expect(rg_coords_summary(i)[0] != '\0');
    }
    cr_expect(rg_coords_find("Minimal") == -1 && rg_coords_find("") == -1);
    cr_expect(rg_coords_name(-1) == NULL && rg_coords_name(2) == NULL && rg_coords_summary(2) == NULL);
}

/* Adds whole turns to every angle that counts them. */
static void add_turns(const RgModel *m, double *q, uint64_t seed)
{
    Draw d = draw_seed(seed);
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        const char *kind = B->kind->name;
        double turns[2] = {2.0 * TEST_PI * (draw_below(&d, 21) - 10), 2.0 * TEST_PI * (draw_below(&d, 21) - 10)};
        if (strcmp(kind, "revolute") == 0 || strcmp(kind, "continuous") == 0 || strcmp(kind, "cylindrical") == 0 ||
            strcmp(kind, "screw") == 0 || strcmp(kind, "universal") == 0)
            q[B->q0] += turns[0];
        if (strcmp(kind, "universal") == 0)
            q[B->q0 + 1] += turns[1];
        if (strcmp(kind, "planar") == 0)
            q[B->q0 + 2] += turns[0];
    }
}

Test(coords, joints_come_back_from_both_forms)
{
    for (uint64_t seed = 1; seed <= 2 * TREES; seed++) {
        TestState s;
        FormCase f = form_seed(seed, &s);
        add_turns(f.model, s.q, seed);
        form_set(&f, s.q, s.v);
        form_look(&f, 0.0, NULL);
        CHECK_NEAR_ALL(f.form->q, s.q, s.nq, 1e-11, "rad or m");
        CHECK_NEAR_ALL(f.form->v, s.v, s.nv, 1e-11, "rad/s or m/s");

        /* Settling a state that is settled changes nothing but round-off. */
        f.form->kind->settle(f.form, f.x);
        form_look(&f, 0.0, NULL);
        CHECK_NEAR_ALL(f.form->q, s.q, s.nq, 1e-11, "rad or m");
        form_seed_end(&f, &s);
    }
}

Test(coords, poses_and_twists_are_those_of_the_tree)
{
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        RandomTree options = {.seed = seed};
        RgModel *model = random_tree(&options);
        TestState s = random_state(model, seed);
        FormCase one = form_case(model, "minimal"), two = form_case(model, "maximal");
        form_set(&one, s.q, s.v);
        form_set(&two, s.q, s.v);
        form_look(&one, 0.0, NULL);
        form_look(&two, 0.0, NULL);
        for (int i = 0; i < model->nbodies; i++) {
            const RgKin *a = one.form->kin, *b = two.form->kin;
            CHECK_NEAR(mat_distance(a->X_WB[i].R, b->X_WB[i].R), 0.0, 1e-13, "");
            CHECK_NEAR(vec_distance(a->X_WB[i].p, b->X_WB[i].p), 0.0, 1e-12, "m");
            CHECK_MOTION(b->V[i], a->V[i], 1e-11, "rad/s, m/s");
            CHECK_MOTION(b->c[i], a->c[i], 1e-10, "rad/s^2, m/s^2");
        }
        form_case_end(&one);
        form_case_end(&two);
        test_state_destroy(&s);
        rg_model_destroy(model);
    }
}

/* Bodies move with the twists that the kinematics say, on any velocities of the form: joints may come
   apart in the maximal one. */
Test(coords, integrating_moves_bodies_with_their_twists)
{
    for (uint64_t seed = 1; seed <= 2 * TREES; seed++) {
        TestState s;
        FormCase f = form_seed(seed, &s);
        Draw d = draw_seed(seed);
        for (int k = 0; k < f.form->nu; k++)
            f.u[k] = draw_between(&d, -1.0, 1.0);
        for (int i = 0; i < f.model->nbodies; i++) {
            RgVec3 point = draw_vec(&d, 0.5), at[4];
            for (int k = 0; k < 4; k++) {
                form_look(&f, form_times[k], NULL);
                at[k] = pose_apply(f.form->kin->X_WB[i], point);
            }
            form_look(&f, 0.0, NULL);
            RgVec3 arm = m3_apply(f.form->kin->X_WB[i].R, point), moved = form_difference3(at);
            RgMotion V = f.form->kin->V[i];
            CHECK_NEAR(vec_distance(moved, v3_add(V.v, v3_cross(V.w, arm))), 0.0, 1e-9, "m/s");
        }
        form_seed_end(&f, &s);
    }
}

/* d/dt (x0 + w) = the motion of x0 + w with u, where dw/dt = dexpinv(w, u). */
Test(coords, dexpinv_is_the_rate_of_the_step)
{
    for (uint64_t seed = 1; seed <= 2 * TREES; seed++) {
        TestState s;
        FormCase f = form_seed(seed, &s);
        const RgCoordsKind *kind = f.form->kind;
        int nu = f.form->nu, nx = f.form->nx;
        double *w = calloc(3 * (size_t)nu + 1, sizeof *w), *rate = w + nu, *step = w + 2 * nu;
        double *x1 = calloc(9 * (size_t)nx + 1, sizeof *x1), *one[4], *two[4];
        Draw d = draw_seed(seed);
        for (int k = 0; k < nu; k++)
            w[k] = draw_between(&d, -0.8, 0.8);
        kind->dexpinv(f.form, w, f.u, rate);
        kind->integrate(f.form, f.x, w, x1);
        for (int i = 0; i < 4; i++) {
            one[i] = x1 + (1 + i) * nx;
            two[i] = x1 + (5 + i) * nx;
            for (int k = 0; k < nu; k++)
                step[k] = w[k] + form_times[i] * rate[k];
            kind->integrate(f.form, f.x, step, one[i]);
            for (int k = 0; k < nu; k++)
                step[k] = form_times[i] * f.u[k];
            kind->integrate(f.form, x1, step, two[i]);
        }
        for (int k = 0; k < nx; k++) {
            const double a[4] = {one[0][k], one[1][k], one[2][k], one[3][k]};
            const double b[4] = {two[0][k], two[1][k], two[2][k], two[3][k]};
            CHECK_NEAR(form_difference(a), form_difference(b), 1e-8, "1/s");
        }
        free(w);
        free(x1);
        form_seed_end(&f, &s);
    }
}

/* Accelerations of bodies from du/dt = a, and those at a = 0. */
Test(coords, accelerations_are_derivatives_of_twists)
{
    for (uint64_t seed = 1; seed <= 2 * TREES; seed++) {
        TestState s;
        FormCase f = form_seed(seed, &s);
        Draw d = draw_seed(seed);
        int nu = f.form->nu, nb = f.model->nbodies;
        double *a = calloc(2 * (size_t)nu + 1, sizeof *a), *u = a + nu;
        RgMotion *V = calloc(6 * (size_t)nb, sizeof *V), *A = V + 4 * nb, *A0 = V + 5 * nb;
        for (int k = 0; k < nu; k++)
            a[k] = draw_between(&d, -1.0, 1.0);

        /* x moves with u + a t / 2 on average, which differs from the true motion by terms of second order
           in t. */
        for (int i = 0; i < 4; i++) {
            double t = form_times[i];
            for (int k = 0; k < nu; k++)
                f.move[k] = t * (f.u[k] + 0.5 * t * a[k]);
            for (int k = 0; k < nu; k++)
                u[k] = f.u[k] + t * a[k];
            f.form->kind->integrate(f.form, f.x, f.move, f.x_at);
            f.form->kind->kinematics(f.form, f.x_at, u);
            for (int b = 0; b < nb; b++)
                V[4 * b + i] = f.form->kin->V[b];
        }
        form_look(&f, 0.0, NULL);
        form_weigh(&f, u);
        f.form->kind->accelerations(f.form, a, A);
        memset(u, 0, (size_t)nu * sizeof *u);
        f.form->kind->accelerations(f.form, u, A0);
        for (int b = 0; b < nb; b++) {
            CHECK_MOTION(A[b], form_acceleration(V + 4 * b, f.form->kin->V[b]), 1e-7, "rad/s^2, m/s^2");
            CHECK_MOTION(f.form->A0[b], A0[b], 1e-12, "rad/s^2, m/s^2");
        }
        free(a);
        free(V);
        form_seed_end(&f, &s);
    }
}

/* Joint accelerations read off the bodies of the maximal form are those that moved them. */
Test(coords, joint_accelerations_come_back)
{
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        TestState s;
        FormCase f = form_seed_in(seed, "maximal", &s);
        int nu = f.form->nu;
        double *samples[4], *a = calloc((size_t)nu + 1, sizeof *a), *step = calloc((size_t)s.nv + 1, sizeof *step);
        double *q = calloc((size_t)s.nq + 1, sizeof *q), *v = calloc((size_t)s.nv + 1, sizeof *v);
        for (int i = 0; i < 4; i++) {
            double t = form_times[i];
            samples[i] = calloc((size_t)nu + 1, sizeof *a);
            for (int k = 0; k < s.nv; k++) {
                step[k] = t * (s.v[k] + 0.05 * t * s.tau[k]);
                v[k] = s.v[k] + 0.1 * t * s.tau[k];
            }
            rg_integrate_positions(f.model, s.q, step, q);
            f.form->kind->from_joints(f.form, q, v, f.x_at, samples[i]);
        }
        for (int k = 0; k < nu; k++) {
            const double e[4] = {samples[0][k], samples[1][k], samples[2][k], samples[3][k]};
            a[k] = form_difference(e);
        }
        form_set(&f, s.q, s.v);
        form_look(&f, 0.0, NULL);
        f.form->kind->joint_accelerations(f.form, a, v);
        for (int k = 0; k < s.nv; k++)
            step[k] = 0.1 * s.tau[k];
        CHECK_NEAR_ALL(v, step, s.nv, 1e-7, "rad/s^2 or m/s^2");
        for (int i = 0; i < 4; i++)
            free(samples[i]);
        free(a);
        free(step);
        free(q);
        free(v);
        form_seed_end(&f, &s);
    }
}

/* Settling counts turns: a wheel that is turned by half a radian 40 times has turned by 20. */
Test(coords, settling_counts_whole_turns)
{
    RgBuilder *b = scene_begin("wheel");
    RgVec3 O = {0.0, 0.0, 0.0};
    RgLinkId wheel = link_add(b, "wheel", inertia_box(1.0, O, vec(0.1, 0.2, 0.3)));
    RgJointDef axle = joint_at(RG_JOINT_continuous, "axle", (RgLinkId){0}, wheel, O, vec(0.0, 0.6, 0.8));
    joint_add(b, &axle);
    RgModel *model = scene_end(b);
    FormCase f = form_case(model, "maximal");
    const double q = 0.0, v = 0.5;
    form_set(&f, &q, &v);
    for (int i = 0; i < 40; i++) {
        f.form->kind->integrate(f.form, f.x, f.u, f.x);
        f.form->kind->settle(f.form, f.x);
    }
    form_look(&f, 0.0, NULL);
    CHECK_NEAR(f.form->q[0], 20.0, 1e-13, "rad");
    form_case_end(&f);
    rg_model_destroy(model);
}

/* The maximal form needs mass and inertia on every body, and says on which it is missing; welds may supply
   them. */
Test(coords, bodies_without_inertia)
{
    static const struct {
        RgInertia inertia;
        bool weld, possible;
    } cases[4] = {{{0.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}}, false, false},
                  {{1.0, {0.0, 0.0, 0.0}, {0.0, 0.1, 0.1, 0.0, 0.0, 0.0}}, false, false},
                  {{0.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}}, true, true},
                  {{1.0, {0.0, 0.0, 0.0}, {0.1, 0.1, 0.1, 0.0, 0.0, 0.0}}, false, true}};
    for (int i = 0; i < 4; i++) {
        RgBuilder *b = scene_begin("massless");
        RgVec3 O = {0.0, 0.0, 0.0};
        rg_builder_set_file(b, "massless.urdf");
        RgLinkDef def = rg_link_def_default();
        def.name = "thin";
        def.line = 9;
        def.inertia = cases[i].inertia;
        RgLinkId thin = rg_builder_add_link(b, &def), tip = link_add(b, "tip", inertia_box(1.0, O, vec(0.1, 0.2, 0.3)));
        RgJointDef hinge = joint_at(RG_JOINT_revolute, "hinge", (RgLinkId){0}, thin, O, vec(0.0, 1.0, 0.0));
        RgJointDef next = joint_at(cases[i].weld ? RG_JOINT_fixed : RG_JOINT_revolute, "next", thin, tip,
                                   vec(0.1, 0.0, 0.0), vec(0.0, 1.0, 0.0));
        joint_add(b, &hinge);
        joint_add(b, &next);
        RgModel *model = scene_end(b);
        RgError error = {0};
        cr_expect(rg_coords_kind(0)->check(model, &error) == RG_OK);
        RgStatus status = rg_coords_kind(1)->check(model, &error);
        cr_expect((status == RG_OK) == cases[i].possible, "case %d", i);
        if (!cases[i].possible) {
            cr_expect(status == RG_ERR_MODEL && error.line == 9 && strcmp(error.file, "massless.urdf") == 0);
            cr_expect(strstr(error.text, "link 'thin' moves but has no mass or no inertia about some axis") != NULL);
            RgWorldDef world = world_def(model, "maximal", "rk4");
            cr_expect(rg_world_create(&world, &error) == NULL && strstr(error.text, "'thin'") != NULL);
        }
        rg_model_destroy(model);
    }
}

/* Bodies on free joints alone: accelerations and M^-1 b in closed form are those of the mass matrix. */
Test(coords, roaming_bodies_need_no_factor)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Draw d = draw_seed(seed);
        RgBuilder *builder = scene_begin("loose");
        for (int i = 0; i < 5; i++) {
            char name[16];
            RgVec3 com =
                seed % 2 == 0 ? vec(0.0, 0.0, 0.0) : vec(draw_between(&d, -1.0, 1.0), draw_between(&d, -1.0, 1.0), 0.3);
            snprintf(name, sizeof name, "box%d", i);
            RgPose X = {m3_identity(), vec(draw_between(&d, -3.0, 3.0), 1.0 * i, 0.5)};
            link_add_at(builder, name, inertia_box(draw_between(&d, 0.5, 3.0), com, vec(0.3, 0.5, 0.2 + 0.1 * i)), X);
        }
        RgModel *model = scene_end(builder);
        TestState s = random_state(model, seed);
        FormCase f = form_case(model, "minimal");
        RgForce *wrenches = calloc((size_t)model->nbodies, sizeof *wrenches);
        double *a = calloc((size_t)s.nv, sizeof *a), *b = calloc((size_t)s.nv, sizeof *b);
        int bad;
        cr_assert(f.form->all_free_bodies && wrenches != NULL && a != NULL && b != NULL);
        form_set(&f, s.q, s.v);
        form_look(&f, 0.0, NULL);
        rg_gather_wrenches(f.form->kin, s.wrenches, wrenches);
        RgForces forces = {vec(0.3, -0.2, -9.81), s.tau, wrenches, NULL, true, NULL};
        cr_assert(f.form->kind->dynamics(f.form, &forces, a, &bad));

        /* M a = tau - b, by the factor. */
        rg_rnea(f.form->kin, forces.gravity, NULL, wrenches, f.form->work, b);
        for (int k = 0; k < s.nv; k++)
            b[k] = s.tau[k] - b[k];
        rg_mass_factor_solve(rg_form_factor(f.form), b);
        CHECK_NEAR_ALL(a, b, s.nv, 1e-11 * (1.0 + check_largest(b, (size_t)s.nv)), "m/s^2 or rad/s^2");

        /* The same of M^-1 b, before and after there is one. */
        memcpy(a, s.tau, (size_t)s.nv * sizeof *a);
        memcpy(b, s.tau, (size_t)s.nv * sizeof *b);
        f.form->kind->solve(f.form, b);
        f.form->factored = false;
        f.form->kind->solve(f.form, a);
        CHECK_NEAR_ALL(a, b, s.nv, 1e-11 * (1.0 + check_largest(b, (size_t)s.nv)), "per kg");
        free(a);
        free(b);
        free(wrenches);
        form_case_end(&f);
        test_state_destroy(&s);
        rg_model_destroy(model);
    }
}
