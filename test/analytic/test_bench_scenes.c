/*
 * test_bench_scenes.c - the scenes of the benchmarks are what they claim to be: counts, masses and moments known
 * in closed form, who touches whom at the start and by what gap, the quadruped's statics; and the measures of
 * error answer to known displacements.
 */
#include "check_near.h"
#include "scene_model.h"
#include "scenes.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

/* Coordinates of up to 20 m come of a few sums: their round-off. */
#define ROUND_OFF 1e-13

static SceneData *scene_of(const char *name)
{
    SceneData *s = scene_data_create(name);
    cr_assert_not_null(s, "%s", name);
    return s;
}

static RgModel *model_of(const SceneData *s)
{
    RgError error;
    RgModel *model = scene_model_create(s, &error);
    cr_assert_not_null(model, "%s: %s", s->name, error.text);
    return model;
}

static double mass_of(const SceneData *s)
{
    double mass = 0.0;
    for (int i = 0; i < s->nbodies; i++)
        mass += s->bodies[i].mass;
    return mass;
}

Test(bench_scenes, sizes_steps_and_masses)
{
    static const struct {
        const char *name;
        int bodies, shapes, joints;
        double dt;
        int steps;
        double mass;
    } all[] = {
        {"S1", 24, 24, 0, 5e-3, 1000, 24.0},     {"S1j", 24, 24, 0, 5e-3, 1000, 24.0},
        {"S1h", 24, 24, 0, 5e-3, 1000, 420.0},   {"S2", 666, 666, 0, 10e-3, 1000, 666.0},
        {"S3", 210, 210, 0, 10e-3, 500, 210.0},  {"S3j", 210, 210, 0, 10e-3, 500, 210.0},
        {"S3k", 210, 210, 0, 10e-3, 500, 210.0}, {"S4", 100, 0, 100, 1e-3, 2000, 100.0},
        {"S5", 13, 5, 12, 1e-3, 5000, 20.0},     {"S6", 2, 0, 2, 1e-3, 3000, 3.402},
    };
    for (int i = 0; scene_data_names[i] != NULL; i++) {
        SceneData *s = scene_of(scene_data_names[i]);
        cr_assert_str_eq(s->name, all[i].name);
        cr_expect_eq(s->nbodies, all[i].bodies, "%s", s->name);
        cr_expect_eq(s->nshapes, all[i].shapes, "%s", s->name);
        cr_expect_eq(s->njoints, all[i].joints, "%s", s->name);
        cr_expect_eq(s->steps, all[i].steps, "%s", s->name);
        cr_expect_eq(s->dt, all[i].dt, "%s", s->name);
        cr_expect_eq(s->mu, 0.5, "%s", s->name);
        CHECK_REL(mass_of(s), all[i].mass, 1e-14, "kg");

        /* The library's model weighs the same. */
        RgModel *model = model_of(s);
        CHECK_REL(rg_model_info(model).mass, all[i].mass, 1e-14, "kg");
        rg_model_destroy(model);
        scene_data_destroy(s);
    }
    cr_expect_null(scene_data_create("S7"));
}

static void check_moments(const SceneBody *b, double x, double y, double z)
{
    const double actual[3] = {b->moments.x, b->moments.y, b->moments.z}, expected[3] = {x, y, z};
    CHECK_REL_ALL(actual, expected, 3, 1e-14, "kg m^2");
}

Test(bench_scenes, moments_of_inertia)
{
    SceneData *s1h = scene_of("S1h"), *s2 = scene_of("S2"), *s4 = scene_of("S4"), *s6 = scene_of("S6");
    check_moments(&s1h->bodies[0], 1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0);
    check_moments(&s1h->bodies[5], 100.0 / 6.0, 100.0 / 6.0, 100.0 / 6.0);
    check_moments(&s2->bodies[665], 0.004, 0.004, 0.004);
    check_moments(&s4->bodies[99], 0.0025, 1.0 / 12.0, 1.0 / 12.0);

    /* The figures of the published pendulum, ratio 5^5. */
    check_moments(&s6->bodies[0], 2.2725e-5, 2.2725e-5, 4.5e-7);
    check_moments(&s6->bodies[1], 0.071015625, 0.071015625, 0.00140625);
    CHECK_REL(s6->bodies[1].moments.x / s6->bodies[0].moments.x, 3125.0, 1e-13, "");
    CHECK_REL(s6->bodies[0].mass, 0.027, 1e-14, "kg");
    CHECK_REL(s6->bodies[1].mass, 3.375, 1e-14, "kg");
    scene_data_destroy(s1h);
    scene_data_destroy(s2);
    scene_data_destroy(s4);
    scene_data_destroy(s6);
}

/* Pairs within the margin at the start, their points, and whether all gaps are the given one. */
static void check_contacts(const char *name, double margin, double gap, int pairs, int points)
{
    SceneData *s = scene_of(name);
    RgModel *model = model_of(s);
    RgWorld *world = world_of(model, "minimal", "semi-implicit");
    RgManifoldOptions options = rg_manifold_options_default();
    RgContactView view;
    RgError error;
    options.margin = margin;
    cr_assert_eq(rg_world_contacts(world, &options, &view, &error), RG_OK);
    cr_expect_eq(view.npairs, pairs, "%s: %d pairs", name, view.npairs);
    if (points > 0)
        cr_expect_eq(view.npoints, points, "%s: %d points", name, view.npoints);
    for (int i = 0; i < view.npoints; i++)
        CHECK_NEAR(view.points[i].gap, gap, ROUND_OFF, "m");
    world_end(world, model);
    scene_data_destroy(s);
}

Test(bench_scenes, cubes_touch_at_the_start)
{
    check_contacts("S1", 1e-4, 0.0, 24, 96);
    check_contacts("S1h", 1e-4, 0.0, 24, 96);
    check_contacts("S3", 1e-4, 0.0, 400, 1600);
    check_contacts("S3k", 1e-4, 0.0, 400, 1600);
    check_contacts("growth-1000", 1e-4, 0.0, 250, 1000);
    check_contacts("wall-1000", 1e-4, 0.0, 250, 1000);
    check_contacts("K102", 1e-5, 0.0, 300, 1200);
    check_contacts("W20", 1e-4, 0.0, 34, 136);
    check_contacts("C20", 1e-4, 0.0, 20, 80);
}

/* From row to row by the same factor. */
Test(bench_scenes, the_top_is_a_thousand_times_as_heavy)
{
    static const char *const names[] = {"W20", "C20"};
    for (int k = 0; k < 2; k++) {
        SceneData *s = scene_of(names[k]);
        cr_expect_eq(s->nbodies, 20);
        CHECK_NEAR(s->bodies[0].mass, 1.0, 0.0, "kg");
        CHECK_REL(s->bodies[s->top[0]].mass, 1000.0, 1e-13, "kg");
        scene_data_destroy(s);
    }
}

/* Turned cubes overlap in polygons of up to eight corners. */
Test(bench_scenes, careless_cubes_and_planks_are_as_far_apart_as_said)
{
    check_contacts("S1j", 2e-3, 1e-3, 24, 0);
    check_contacts("S3j", 2e-3, 1e-3, 400, 0);
    check_contacts("K102j", 2e-4, 1e-4, 300, 0);
}

Test(bench_scenes, disturbances_keep_their_bounds)
{
    const char *const names[2][2] = {{"S1", "S1j"}, {"S3", "S3j"}};
    for (int k = 0; k < 2; k++) {
        SceneData *exact = scene_of(names[k][0]), *careless = scene_of(names[k][1]);
        double shift = 0.0, yaw = 0.0;
        for (int i = 0; i < exact->nbodies; i++) {
            const RgPose *X = &careless->bodies[i].X_WB;
            RgVec3 d = vec_sub(X->p, exact->bodies[i].X_WB.p);
            shift = fmax(shift, fmax(fabs(d.x), fabs(d.y)));
            yaw = fmax(yaw, fabs(atan2(X->R.m[1][0], X->R.m[0][0])));
            CHECK_NEAR_ALL(&X->R.m[2][0], (&(RgVec3){0.0, 0.0, 1.0}.x), 3, 0.0, "");
        }

        /* Some come near the bounds, none beyond; half the angle stands for its half's sine. */
        cr_expect(shift <= 5e-3 && shift > 4e-3, "shift %g", shift);
        cr_expect(yaw <= 0.025 + 1e-6 && yaw > 0.02, "yaw %g", yaw);
        scene_data_destroy(exact);
        scene_data_destroy(careless);
    }
}

Test(bench_scenes, only_the_tenth_row_is_kicked)
{
    SceneData *s = scene_of("S3k");
    int kicked = 0;
    for (int i = 0; i < s->nbodies; i++) {
        bool row = fabs(s->bodies[i].X_WB.p.z - 10.5) < 0.1;
        CHECK_NEAR(vec_norm(s->bodies[i].v), row ? 4.0 : 0.0, 0.0, "m/s");
        kicked += row;
    }
    cr_expect_eq(kicked, 10);
    scene_data_destroy(s);
}

Test(bench_scenes, balls_hang_apart_above_the_floor)
{
    SceneData *s = scene_of("S2");
    double nearest = 1.0, lowest = 1.0;
    for (int i = 0; i < s->nbodies; i++) {
        lowest = fmin(lowest, s->bodies[i].X_WB.p.z - 0.1);
        for (int k = 0; k < i; k++)
            nearest = fmin(nearest, vec_distance(s->bodies[i].X_WB.p, s->bodies[k].X_WB.p) - 0.2);
    }
    cr_expect(lowest >= 1e-3 && lowest < 2e-3, "lowest %g", lowest);
    cr_expect(nearest >= 0.01 - 2e-3 && nearest < 0.01, "nearest %g", nearest);
    scene_data_destroy(s);
}

/* With a quarter of the weight on every foot, Newton and Euler ask of the joints what the drives give, and
   nothing of the floating trunk. */
Test(bench_scenes, the_quadruped_stands_in_equilibrium)
{
    SceneData *s = scene_of("S5");
    RgModel *model = model_of(s);
    RgDynamics *dynamics = rg_dynamics_create(model, NULL);
    RgForce wrenches[13] = {0};
    double q[19], zero[18] = {0.0}, tau[18];
    for (int leg = 0; leg < 4; leg++) {
        int shank = 3 * leg + 3;
        RgVec3 foot = place_point(s->bodies[shank].X_WB, vec(0.0, 0.0, -0.1));
        CHECK_NEAR(foot.z, 0.02, ROUND_OFF, "m");
        RgVec3 arm = vec_sub(vec_sub(foot, vec(0.0, 0.0, 0.02)), s->bodies[shank].X_WB.p);
        wrenches[shank].f = vec(0.0, 0.0, 0.25 * 9.81 * 20.0);
        wrenches[shank].n = vec_cross(arm, wrenches[shank].f);
    }
    rg_model_neutral(model, q);
    cr_assert_eq(rg_inverse_dynamics(dynamics, q, zero, zero, wrenches, tau), RG_OK);
    RgLinkInfo trunk = rg_model_link(model, (RgLinkId){1});
    CHECK_NEAR_ALL(tau + trunk.v_index, zero, 6, 1e-12, "N, N m");
    for (int i = 0; i < s->njoints; i++) {
        const SceneJoint *j = &s->joints[i];
        RgJointInfo info = rg_model_joint(model, (RgJointId){i + 1});
        CHECK_NEAR(scene_drive(j, 0.0, 0.0, 0.0), tau[info.v_index], 1e-12, "N m");
        cr_expect(j->lower < j->target && j->target < j->upper);
    }
    rg_dynamics_destroy(dynamics);
    rg_model_destroy(model);
    scene_data_destroy(s);
    check_contacts("S5", 1e-4, 0.0, 4, 4);
}

/* The same chain as the tests have had all along. */
Test(bench_scenes, the_chain_moves_as_the_known_one)
{
    SceneData *s = scene_of("S4");
    RgModel *model = model_of(s), *known = scene_chain(100);
    RgWorld *world = world_of(model, "minimal", "semi-implicit");
    RgWorld *twin = world_of(known, "minimal", "semi-implicit");
    cr_assert_eq(scene_model_start(s, world), RG_OK);
    world_run(world, 200, s->dt);
    world_run(twin, 200, s->dt);
    SceneBodyState last = scene_model_body(world, 99);
    RgVec3 tip = rg_world_frame_pose(twin, rg_model_find_frame(known, "tip")).p;
    CHECK_NEAR(vec_distance(last.X_WB.p, tip), 0.0, 1e-10, "m");
    rg_world_destroy(world);
    world_end(twin, model);
    rg_model_destroy(known);
    scene_data_destroy(s);
}

/* ------------------------------------------------------------------ measures */

static SceneBodyState *start_of(const SceneData *s)
{
    SceneBodyState *states = calloc((size_t)s->nbodies, sizeof *states);
    for (int i = 0; i < s->nbodies; i++)
        states[i] = scene_body_start(&s->bodies[i]);
    return states;
}

Test(bench_scenes, nothing_is_wrong_at_the_start)
{
    static const char *const names[] = {"S1", "S1h", "S3", "S4", "S5", "S6"};
    for (int k = 0; k < 6; k++) {
        SceneData *s = scene_of(names[k]);
        SceneBodyState *states = start_of(s);
        SceneMeasure measure = scene_measure_begin(s);
        const double zero[SCENE_ERRORS] = {0.0};
        scene_measure_sample(&measure, states);
        CHECK_NEAR_ALL(measure.value, zero, SCENE_ERRORS, 1e-9, names[k]);
        free(states);
        scene_data_destroy(s);
    }
}

/* One scene with one body displaced and turned: what its measures say. */
static void check_measure(const char *name, int body, RgPose moved, const double expected[SCENE_ERRORS])
{
    SceneData *s = scene_of(name);
    SceneBodyState *states = start_of(s);
    SceneMeasure measure = scene_measure_begin(s);
    states[body].X_WB = place_mul(moved, states[body].X_WB);
    scene_measure_sample(&measure, states);
    CHECK_NEAR_ALL(measure.value, expected, SCENE_ERRORS, 1e-9, name);

    /* A state that is lost is infinitely wrong. */
    states[body].X_WB.p.z = (double)NAN;
    scene_measure_sample(&measure, states);
    cr_expect(isinf(measure.value[0]) && isinf(measure.value[1]), "%s", name);
    free(states);
    scene_data_destroy(s);
}

Test(bench_scenes, known_displacements_are_found)
{
    RgPose shift = place_at(3e-3, -4e-3, 7e-3);
    check_measure("S1", 11, shift, (const double[]){7.0, 5.0, 0.0});
    check_measure("S3", 209, shift, (const double[]){7.0, 5.0, 0.0});
    check_measure("S3", 30, shift, (const double[]){0.0, 5.0, 0.0});
    check_measure("S3k", 209, shift, (const double[]){7.0, 4.0, 0.0});
    check_measure("S5", 0, shift, (const double[]){7.0, 5.0, 1e3 * sqrt(74e-6)});

    /* Raised by h, the last rod of the chain has m g h more, of 49,050 J in all. */
    check_measure("S4", 99, place_at(0.0, 0.0, 0.1), (const double[]){0.981 / 49050.0, 100.0, 0.0});

    /* Turned about the anchor by a right angle: far tilted, no gap. */
    RgPose X_WA = place_at(0.0, 0.0, 1.0);
    RgPose turn = {{{{0.0, -1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}}, {0.0, 0.0, 0.0}};
    SceneData *s = scene_of("S6");
    SceneBodyState *states = start_of(s);
    SceneMeasure measure = scene_measure_begin(s);
    for (int i = 0; i < 2; i++)
        states[i].X_WB = place_mul(place_mul(place_mul(X_WA, turn), place_inverse(X_WA)), states[i].X_WB);
    scene_measure_sample(&measure, states);
    CHECK_NEAR(measure.value[0], 0.5 * TEST_PI, 1e-14, "rad");
    CHECK_NEAR(measure.value[1], 0.0, 1e-12, "mm");
    free(states);
    scene_data_destroy(s);
}

/* Two balls pushed into each other, then taken apart again: the worst is kept, the end is not. */
Test(bench_scenes, overlap_of_balls)
{
    SceneData *s = scene_of("S2");
    SceneBodyState *states = start_of(s);
    SceneMeasure measure = scene_measure_begin(s);
    RgVec3 apart = states[7].X_WB.p;
    states[7].X_WB.p = vec_add(states[400].X_WB.p, vec(0.0, 0.0, 0.197));
    scene_measure_sample(&measure, states);
    double together = measure.value[0];
    states[7].X_WB.p = apart;
    scene_measure_sample(&measure, states);
    cr_expect(together >= 3.0 - 1e-9, "%g mm", together);
    CHECK_NEAR(measure.value[1], together, 0.0, "mm");
    CHECK_NEAR(measure.value[0], 0.0, 0.0, "mm");
    free(states);
    scene_data_destroy(s);
}
