/*
 * test_gap_projection.c - gaps put right by the smallest mass-weighted motion.
 *
 *   closed forms   a cube out of the floor, a corner pushed up
 *   law            what is added is at right angles, in the mass metric, to all motions that keep the gaps:
 *                  T(u) = T(u1) + T(u - u1) for rates; displacements of both forms are the same to second order
 *   mechanisms     a robot on four feet, a four-bar that rests on the floor
 *   trouble        redundant constraints, constraints that contradict, no memory after the first call
 */
#include "constraint/gap_projection.h"

#include "counting.h"
#include "touching.h"
#include "unit/contact/touch_fixture.h"
#include "worlds.h"

#define LEVEL 5e-8
#define MOST 512

typedef struct ProjectionCase {
    TouchCase t;
    RgGapProjector *projector;
    RgGapConstraint constraints[MOST];
    int count;
} ProjectionCase;

/* All that is nearer than within, constrained to LEVEL. */
static void constrain_all(ProjectionCase *c, double within, bool equal)
{
    cr_assert(rg_touch_set_find(&c->t.set, c->t.scene, within) == RG_OK);
    c->count = c->t.set.view.npoints;
    cr_assert_leq(c->count, MOST);
    for (int i = 0; i < c->count; i++)
        c->constraints[i] = (RgGapConstraint){c->t.set.gaps[i], LEVEL, equal};
}

static ProjectionCase projection_case(TouchCase t)
{
    ProjectionCase c = {.t = t};
    c.projector = rg_gap_projector_alloc(&c.t.f.arena, c.t.f.form, c.t.f.c);
    cr_assert(c.projector != NULL);
    return c;
}

static void projection_end(ProjectionCase *c)
{
    rg_gap_projector_free(c->projector);
    touch_end(&c->t);
}

static double worst(ProjectionCase *c)
{
    double error = 0.0;
    touch_place(&c->t);
    for (int i = 0; i < c->count; i++) {
        double off = c->constraints[i].wanted - touch_at(&c->t, &c->constraints[i].gap).value;
        error = fmax(error, c->constraints[i].equal ? fabs(off) : off);
    }
    return error;
}

/* ------------------------------------------------------------------ one cube */

static ProjectionCase cube_at(RgPose X_WS, const char *form)
{
    RgBuilder *b = scene_begin("cube");
    RgLinkId link = link_add_at(b, "cube", inertia_box(3.0, vec(0.0, 0.0, 0.0), vec(1.0, 1.0, 1.0)), X_WS);
    ground_add(b, surface_mu(0.5));
    shape_add(b, link, RG_SHAPE_box, (double[3]){1.0, 1.0, 1.0}, place_at(0.0, 0.0, 0.0), surface_mu(0.5));
    return projection_case(touch_case_of(scene_end(b), form));
}

Test(gap_projection, a_sunk_cube_comes_straight_up)
{
    for (int form = 0; form < 2; form++) {
        ProjectionCase c = cube_at(place_at(0.7, -0.4, 0.5 - 1e-3), both_forms[form]);
        RgGapProjection out;
        constrain_all(&c, 1e-7, true);
        cr_assert_eq(c.count, 4);
        cr_assert(rg_project_gaps(c.projector, c.constraints, c.count, 1e-14, c.t.f.x, &out) == RG_OK);
        touch_place(&c.t);
        RgPose X = touch_pose(&c.t, 0);
        CHECK_NEAR(v3_norm(v3_sub(X.p, v3(0.7, -0.4, 0.5 + LEVEL))), 0.0, 1e-14, "m");
        CHECK_NEAR(mat_distance(X.R, mat_identity()), 0.0, 1e-14, "");
        CHECK_NEAR(out.moved, 1e-3 + LEVEL, 1e-12, "m");
        CHECK_NEAR(out.error, 0.0, 1e-14, "m");
        cr_expect_leq(out.iterations, 2);
        projection_end(&c);
    }
}

/* One corner of a cube pushed up by d: the centre rises by d (1/m) / (1/m + |r x n|^2/I). */
Test(gap_projection, a_corner_is_pushed_up_as_an_impulse_would)
{
    for (int form = 0; form < 2; form++) {
        double tilt = 0.1;
        RgPose X_WS = {mat_mul(mat_turn(v3(1.0, 0.0, 0.0), tilt), mat_turn(v3(0.0, 1.0, 0.0), 0.07)), {0.0, 0.0, 1.0}};
        double lowest = INFINITY;
        RgVec3 arm = v3_zero();
        for (int i = 0; i < 8; i++) {
            RgVec3 r = m3_apply(X_WS.R, v3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5));
            if (r.z < lowest) {
                lowest = r.z;
                arm = r;
            }
        }
        const double d = 1e-6;
        X_WS.p.z = -lowest + LEVEL - d;
        ProjectionCase c = cube_at(X_WS, both_forms[form]);
        RgGapProjection out;
        constrain_all(&c, 1e-5, true);
        cr_assert_eq(c.count, 1);
        cr_assert(rg_project_gaps(c.projector, c.constraints, c.count, 1e-14, c.t.f.x, &out) == RG_OK);
        touch_place(&c.t);
        double I = 3.0 / 6.0, m = 3.0, turn = arm.x * arm.x + arm.y * arm.y;
        double rise = d / m / (1.0 / m + turn / I);
        RgVec3 moved = v3_sub(touch_pose(&c.t, 0).p, X_WS.p);
        CHECK_NEAR(moved.z, rise, 1e-5 * rise, "m");
        CHECK_NEAR(fmax(fabs(moved.x), fabs(moved.y)), 0.0, 1e-11, "m");
        CHECK_NEAR(worst(&c), 0.0, 1e-14, "m");
        projection_end(&c);
    }
}

/* ------------------------------------------------------------------ many bodies */

/* A tower of boxes, flush, askew by a little. */
static ProjectionCase tower(int n, double off, uint64_t seed, const char *form)
{
    Draw d = draw_seed(seed);
    RgBuilder *b = scene_begin("tower");
    ground_add(b, surface_mu(0.5));
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        RgVec3 p = v3_add(v3(0.0, 0.0, 0.5 + i + (i + 1) * LEVEL), draw_vec(&d, off));
        RgPose X = {mat_turn(draw_direction(&d), off), p};
        RgLinkId link = link_add_at(b, name, inertia_box(1.0 + i, vec(0.0, 0.0, 0.0), vec(1.0, 1.0, 1.0)), X);
        shape_add(b, link, RG_SHAPE_box, (double[3]){1.0, 1.0, 1.0}, place_at(0.0, 0.0, 0.0), surface_mu(0.5));
    }
    return projection_case(touch_case_of(scene_end(b), form));
}

Test(gap_projection, towers_with_redundant_corners_converge_to_round_off)
{
    const int sizes[4] = {1, 2, 4, 10};
    for (int i = 0; i < 8; i++) {
        ProjectionCase c = tower(sizes[i / 2], 1e-5, (uint64_t)i, both_forms[i % 2]);
        RgGapProjection out;
        constrain_all(&c, 1e-3, true);
        cr_assert_eq(c.count, 4 * sizes[i / 2], "%d corners", c.count);
        RgStatus status = rg_project_gaps(c.projector, c.constraints, c.count, 1e-13, c.t.f.x, &out);
        cr_expect(status == RG_OK, "%s", rg_status_text(status));
        CHECK_NEAR(worst(&c), 0.0, 1e-13, "m");
        cr_expect_leq(out.iterations, 4);
        projection_end(&c);
    }
}

/* The sum of the steps leads from x to where it came, to second order. */
Test(gap_projection, tells_the_steps_that_were_made)
{
    for (int form = 0; form < 2; form++) {
        ProjectionCase c = tower(3, 1e-5, 9, both_forms[form]);
        RgGapProjection out;
        double x[64], there[64];
        memcpy(x, c.t.f.x, (size_t)c.t.f.form->nx * sizeof *x);
        constrain_all(&c, 1e-3, true);
        cr_assert(rg_project_gaps(c.projector, c.constraints, c.count, 1e-13, c.t.f.x, &out) == RG_OK);
        c.t.f.form->kind->integrate(c.t.f.form, x, out.step, there);
        CHECK_NEAR_ALL(there, c.t.f.x, 21, 1e-9, "m");
        cr_expect_gt(check_largest(out.step, 18), 1e-6);
        projection_end(&c);
    }
}

/* Heights that contradict each other by 1e-12 m: met to that, without a motion that is any larger. */
Test(gap_projection, small_contradictions_do_no_harm)
{
    Draw d = draw_seed(3);
    for (int i = 0; i < 20; i++) {
        ProjectionCase c = tower(4, 1e-9, (uint64_t)i, both_forms[i % 2]);
        RgGapProjection out;
        constrain_all(&c, 1e-6, true);
        cr_assert_eq(c.count, 16);
        for (int k = 0; k < c.count; k++)
            c.constraints[k].wanted = touch_at(&c.t, &c.constraints[k].gap).value + draw_between(&d, -1e-12, 1e-12);
        RgStatus status = rg_project_gaps(c.projector, c.constraints, c.count, 1e-14, c.t.f.x, &out);
        cr_expect(status == RG_ERR_NOT_CONVERGED);
        cr_expect(out.error < 1e-11 && out.iterations <= 3, "%g after %d", out.error, out.iterations);
        cr_expect(out.moved < 1e-10);
        projection_end(&c);
    }
}

/* Where every body came to in the two forms. */
static void compare_forms(ProjectionCase c[2], double tolerance)
{
    for (int i = 0; i < c[0].t.model->nbodies; i++) {
        RgPose a = touch_pose(&c[0].t, i), b = touch_pose(&c[1].t, i);
        CHECK_NEAR(v3_norm(v3_sub(a.p, b.p)), 0.0, tolerance, "m");
        CHECK_NEAR(mat_distance(a.R, b.R), 0.0, tolerance, "");
    }
}

Test(gap_projection, both_forms_move_a_tower_alike)
{
    for (int i = 0; i < 6; i++) {
        ProjectionCase c[2];
        RgGapProjection out;
        for (int form = 0; form < 2; form++) {
            c[form] = tower(3, 1e-5, (uint64_t)i, both_forms[form]);
            constrain_all(&c[form], 1e-3, i % 2 == 0);
            cr_expect(rg_project_gaps(c[form].projector, c[form].constraints, c[form].count, 1e-13, c[form].t.f.x,
                                      &out) == RG_OK);
            cr_expect(worst(&c[form]) <= 1e-13);
            cr_expect_gt(out.moved, 1e-6);
        }
        compare_forms(c, 1e-9);
        projection_end(&c[0]);
        projection_end(&c[1]);
    }
}

/* ------------------------------------------------------------------ rates */

static double kinetic(ProjectionCase *c, const double *u)
{
    c->t.f.form->kind->kinematics(c->t.f.form, c->t.f.x, c->t.f.u);
    return rg_form_kinetic(c->t.f.form, u);
}

static double rate_of(ProjectionCase *c, const RgGap *gap, const double *u)
{
    RgMotion V[2] = {mv_zero(), mv_zero()};
    RgPose X[2] = {touch_pose(&c->t, gap->body_a), touch_pose(&c->t, gap->body_b)};
    if (gap->body_a >= 0)
        c->t.f.form->kind->twist(c->t.f.form, gap->body_a, u, &V[0]);
    if (gap->body_b >= 0)
        c->t.f.form->kind->twist(c->t.f.form, gap->body_b, u, &V[1]);
    return rg_gap_rate(gap, &X[0], &V[0], &X[1], &V[1]);
}

/* Rates of all constraints go to zero, and only what they forbid is taken. */
static void check_rates(ProjectionCase *c, Draw *d)
{
    int nu = c->t.f.form->nu;
    double *before = calloc((size_t)nu, sizeof *before), *lost = calloc((size_t)nu, sizeof *lost);
    for (int k = 0; k < nu; k++)
        before[k] = c->t.f.u[k] = draw_between(d, -1.0, 1.0);
    if (c->t.f.form->kind->joints_are_rows) {
        /* A velocity that keeps the joints. */
        double left;
        bool changed;
        cr_assert(rg_project_state(c->t.f.c, NULL, c->t.f.x, c->t.f.u, &left, &changed) == RG_OK);
        memcpy(before, c->t.f.u, (size_t)nu * sizeof *before);
    }
    touch_place(&c->t);
    cr_assert(rg_project_gap_rates(c->projector, c->constraints, c->count, c->t.f.u) == RG_OK);
    touch_place(&c->t);
    for (int i = 0; i < c->count; i++) {
        double rate = rate_of(c, &c->constraints[i].gap, c->t.f.u);
        if (c->constraints[i].equal)
            CHECK_NEAR(rate, 0.0, 1e-12, "m/s");
        else
            cr_expect(rate >= -1e-12, "%g m/s", rate);
    }
    for (int k = 0; k < nu; k++)
        lost[k] = before[k] - c->t.f.u[k];
    double T0 = kinetic(c, before), T1 = kinetic(c, c->t.f.u), T = kinetic(c, lost);
    cr_expect(T > 1e-6 * T0 || !c->constraints[0].equal);
    CHECK_NEAR(T1 + T, T0, 1e-11 * T0, "J");
    free(before);
    free(lost);
}

Test(gap_projection, rates_lose_only_what_gaps_forbid)
{
    Draw d = draw_seed(5);
    for (int i = 0; i < 40; i++) {
        ProjectionCase c = tower(1 + i % 5, 1e-9, (uint64_t)i, both_forms[i % 2]);
        constrain_all(&c, 1e-6, i % 4 < 2);
        check_rates(&c, &d);
        projection_end(&c);
    }
}

/* ------------------------------------------------------------------ mechanisms */

static ProjectionCase robot(const char *form)
{
    RgBuilder *b = scene_begin("robot");
    RgLinkId body =
        link_add_at(b, "body", inertia_box(10.0, vec(0.0, 0.0, 0.0), vec(0.6, 0.3, 0.1)), place_at(0.0, 0.0, 0.5));
    ground_add(b, surface_mu(0.8));
    for (int leg = 0; leg < 4; leg++) {
        char name[4][16];
        for (int k = 0; k < 4; k++)
            snprintf(name[k], sizeof name[k], "%c%d", "habc"[k], leg);
        RgVec3 hip = v3(leg & 1 ? 0.25 : -0.25, leg & 2 ? 0.15 : -0.15, 0.0);
        RgLinkId upper = link_add(b, name[0], inertia_rod(0.8, vec(0.0, 0.0, 0.0), vec(0.12, 0.0, -0.2), 0.02));
        RgLinkId lower = link_add(b, name[1], inertia_rod(0.3, vec(0.0, 0.0, 0.0), vec(-0.1, 0.0, -0.24), 0.02));
        RgJointDef joints[2] = {
            joint_at(RG_JOINT_universal, name[2], body, upper, hip, v3(1.0, 0.0, 0.0)),
            joint_at(RG_JOINT_revolute, name[3], upper, lower, v3(0.12, 0.0, -0.2), v3(0.0, 1.0, 0.0))};
        joints[0].axis2 = v3(0.0, 1.0, 0.0);
        joint_add(b, &joints[0]);
        joint_add(b, &joints[1]);
        shape_add(b, lower, RG_SHAPE_sphere, (double[3]){0.03, 0.0, 0.0}, place_at(-0.1, 0.0, -0.24), surface_mu(0.8));
    }
    return projection_case(touch_case_of(scene_end(b), form));
}

Test(gap_projection, a_robot_is_put_on_its_four_feet)
{
    for (int i = 0; i < 8; i++) {
        ProjectionCase c[2];
        for (int form = 0; form < 2; form++) {
            Draw d = draw_seed((uint64_t)i);
            c[form] = robot(both_forms[form]);
            int nq = c[form].t.model->nq, nv = c[form].t.model->nv;
            double *q = calloc((size_t)nq, sizeof *q), *v = calloc((size_t)nv, sizeof *v);
            rg_model_neutral(c[form].t.model, q);
            for (int k = 7; k < nq; k++)
                q[k] = draw_between(&d, -0.01, 0.01);
            q[6] += draw_between(&d, -0.04, -0.03);
            form_set(&c[form].t.f, q, v);
            touch_place(&c[form].t);
            free(q);
            free(v);
            constrain_all(&c[form], 0.05, true);
            cr_assert_eq(c[form].count, 4, "%d feet", c[form].count);
            RgGapProjection out;
            RgStatus status = rg_project_gaps(c[form].projector, c[form].constraints, 4, 1e-13, c[form].t.f.x, &out);
            cr_expect(status == RG_OK, "%s: %g after %d", rg_status_text(status), out.error, out.iterations);
            CHECK_NEAR(worst(&c[form]), 0.0, 1e-13, "m");
            rg_assemble_hard_rows(c[form].t.f.c);
            CHECK_NEAR(rg_rows_error(&c[form].t.f.c->rows), 0.0, 1e-13, "m");
        }
        compare_forms(c, 2e-3);
        Draw d = draw_seed(99);
        check_rates(&c[0], &d);
        check_rates(&c[1], &d);
        projection_end(&c[0]);
        projection_end(&c[1]);
    }
}

/* Crank, coupler, rocker in the x-z plane with a ball under the coupler's middle, over a plane. */
static ProjectionCase four_bar(const char *form, double floor)
{
    RgBuilder *b = scene_begin("four-bar");
    RgLinkId coupler = four_bar_add(b);
    shape_add(b, coupler, RG_SHAPE_sphere, (double[3]){0.05, 0.0, 0.0}, place_at(0.6, 0.0, 0.25), surface_mu(0.1));
    RgShapeDef ground = rg_shape_def_default();
    ground.type = RG_SHAPE_halfspace;
    ground.X_LS = place_at(0.0, 0.0, floor);
    cr_assert(rg_builder_add_shape(b, &ground).i > 0);
    return projection_case(touch_case_of(scene_end(b), form));
}

Test(gap_projection, a_four_bar_comes_out_of_the_floor_closed)
{
    /* The ball's lowest point stands at 0.4 + 0.25 - 0.05. */
    ProjectionCase c[2];
    for (int form = 0; form < 2; form++) {
        RgGapProjection out;
        c[form] = four_bar(both_forms[form], 0.6 + 1e-4);
        constrain_all(&c[form], 1e-6, form == 0);
        cr_assert_eq(c[form].count, 1);
        cr_assert(rg_project_gaps(c[form].projector, c[form].constraints, 1, 1e-13, c[form].t.f.x, &out) == RG_OK);
        CHECK_NEAR(worst(&c[form]), 0.0, 1e-13, "m");
        rg_assemble_hard_rows(c[form].t.f.c);
        CHECK_NEAR(rg_rows_error(&c[form].t.f.c->rows), 0.0, 1e-13, "m");
    }
    compare_forms(c, 1e-6);
    Draw d = draw_seed(4);
    check_rates(&c[1], &d);
    projection_end(&c[0]);
    projection_end(&c[1]);
}

/* ------------------------------------------------------------------ trouble */

/* A cube between two walls that are too near. */
Test(gap_projection, contradicting_wishes_are_told)
{
    for (int form = 0; form < 2; form++) {
        TouchShape shapes[3] = {touch_floor, touch_floor, touch_box(1.0, 1.0, 1.0, place_at(0.0, 0.0, 0.49))};
        shapes[1].X_WS = (RgPose){mat_turn(v3(1.0, 0.0, 0.0), 3.141592653589793), {0.0, 0.0, 0.98}};
        ProjectionCase c = projection_case(touch_case(shapes, 3, both_forms[form]));
        RgGapProjection out;
        for (int equal = 0; equal < 2; equal++) {
            constrain_all(&c, 1e-6, equal);
            cr_assert_eq(c.count, 8);
            RgStatus status = rg_project_gaps(c.projector, c.constraints, 8, 1e-13, c.t.f.x, &out);
            cr_expect(status == RG_ERR_NOT_CONVERGED);
            cr_expect(out.error > 5e-3 && out.error < 3e-2, "%g", out.error);
            for (int k = 0; k < c.t.f.form->nx; k++)
                cr_expect(isfinite(c.t.f.x[k]));
        }
        projection_end(&c);
    }
}

/* Two hinges bent beyond their limits over a floor that the tip has gone through: all is put right at once. */
Test(gap_projection, joints_come_back_to_their_limits)
{
    for (int form = 0; form < 2; form++) {
        RgBuilder *b = scene_begin("arm");
        RgLinkId last = {0};
        ground_add(b, surface_mu(0.5));
        for (int i = 0; i < 2; i++) {
            char name[2][8] = {{'l', (char)('0' + i), 0}, {'j', (char)('0' + i), 0}};
            RgLinkId link = link_add(b, name[0], inertia_rod(1.0, vec(0, 0, 0), vec(0.5, 0, 0), 0.05));
            RgJointDef hinge =
                joint_at(RG_JOINT_revolute, name[1], last, link, i > 0 ? vec(0.5, 0, 0) : vec(0, 0, 0.3), vec(0, 1, 0));
            hinge.dof[0].lower = -0.3;
            hinge.dof[0].upper = 0.3;
            joint_add(b, &hinge);
            last = link;
        }
        shape_add(b, last, RG_SHAPE_sphere, (double[3]){0.05, 0.0, 0.0}, place_at(0.5, 0.0, 0.0), surface_mu(0.5));
        ProjectionCase c = projection_case(touch_case_of(scene_end(b), both_forms[form]));
        const double q[2] = {0.35, 0.33}, v[2] = {0.0, 0.0};
        form_set(&c.t.f, q, v);
        touch_place(&c.t);
        constrain_all(&c, 1e-3, false);
        cr_assert_eq(c.count, 1);
        RgContactLaw law = rg_contact_law_default();
        RgBounded *bounded = rg_bounded_alloc(&c.t.f.arena, c.t.f.form, c.t.f.c, 0, &law);
        RgGapProjection out;
        rg_gap_projector_limits(c.projector, bounded);
        cr_expect(rg_project_gaps(c.projector, c.constraints, c.count, 1e-13, c.t.f.x, &out) == RG_OK);
        cr_expect(worst(&c) <= 1e-13);
        for (int axis = 0; axis < 2; axis++)
            cr_expect(fabs(rg_axis_position(bounded, axis)) <= 0.3 + 1e-13);
        projection_end(&c);
    }
}

Test(gap_projection, takes_no_memory_after_the_first_call)
{
    for (int form = 0; form < 2; form++) {
        Counting counting = {0};
        RgAllocator allocator = counting_allocator(&counting);
        RgArena arena;
        rg_arena_init(&arena, &allocator);
        ProjectionCase c = tower(4, 1e-6, 8, both_forms[form]);
        RgGapProjector *projector = rg_gap_projector_alloc(&arena, c.t.f.form, c.t.f.c);
        RgGapProjection out;
        constrain_all(&c, 1e-4, true);
        cr_assert(rg_project_gaps(projector, c.constraints, c.count, 1e-13, c.t.f.x, &out) == RG_OK);
        long calls = counting.calls;
        for (int i = 0; i < 10; i++) {
            c.t.f.x[6] += 1e-6 * (i - 5);
            cr_assert(rg_project_gaps(projector, c.constraints, c.count, 1e-13, c.t.f.x, &out) == RG_OK);
            cr_assert(rg_project_gap_rates(projector, c.constraints, c.count, c.t.f.u) == RG_OK);
        }
        cr_expect_eq(counting.calls, calls);
        rg_gap_projector_free(projector);
        rg_arena_free(&arena);
        cr_expect_eq(counting.blocks, 0);
        projection_end(&c);
    }
}

Test(gap_projection, nothing_to_do_is_nothing_done)
{
    ProjectionCase c = cube_at(place_at(0.0, 0.0, 0.5 + LEVEL), "minimal");
    RgGapProjection out;
    double before[7];
    constrain_all(&c, 1e-6, true);
    memcpy(before, c.t.f.x, sizeof before);
    cr_expect(rg_project_gaps(c.projector, c.constraints, 4, 1e-13, c.t.f.x, &out) == RG_OK && out.iterations == 0);
    cr_expect(memcmp(before, c.t.f.x, sizeof before) == 0);
    cr_expect(rg_project_gaps(c.projector, NULL, 0, 1e-13, c.t.f.x, &out) == RG_OK && out.iterations == 0);
    c.t.f.x[6] = NAN;
    cr_expect(rg_project_gaps(c.projector, c.constraints, 4, 1e-13, c.t.f.x, &out) == RG_ERR_NOT_FINITE);
    projection_end(&c);

    /* Joints and loops alone. */
    c = four_bar("maximal", 0.0);
    cr_expect(rg_project_gaps(c.projector, NULL, 0, 1e-10, c.t.f.x, &out) == RG_OK);
    c.t.f.x[5] = NAN;
    cr_expect(rg_project_gaps(c.projector, NULL, 0, 1e-10, c.t.f.x, &out) == RG_ERR_NOT_FINITE);
    projection_end(&c);
}
