/*
 * test_contact_search.c - the pairs that a search for contacts looks at: each shape is swept by its own motion.
 *
 * A standing tower has the same pairs, contacts and bits of motion whether or not a ball flies by 1 km away. What can
 * come together within the step is found, by moving and by turning; what is too slow for that is not looked at.
 */
#include "check_near.h"
#include "collision/space.h"
#include "touch_fixture.h"
#include "worlds.h"

#include <string.h>

#define CUBES 8
#define STEP 0.01
#define MARGIN 1e-3

/* A tower of cubes on a floor, and a ball last. */
static int tower(TouchShape *shapes, RgVec3 ball)
{
    shapes[0] = touch_floor;
    for (int i = 0; i < CUBES; i++) {
        RgPose X = pose_identity();
        X.p = vec(0.0, 0.0, 0.1 + 0.2 * i);
        shapes[1 + i] = touch_box(0.2, 0.2, 0.2, X);
    }
    RgPose X = pose_identity();
    X.p = ball;
    shapes[1 + CUBES] = (TouchShape){.type = RG_SHAPE_sphere, .size = {0.1}, .X_WS = X, .mass = 1.0};
    return 2 + CUBES;
}

/* The last body moves as given. */
static void move_last(TouchCase *t, RgVec3 w, RgVec3 v)
{
    int nq = t->model->nq, nv = t->model->nv;
    double *q = calloc((size_t)nq, sizeof *q), *u = calloc((size_t)nv, sizeof *u);
    double last[6] = {w.x, w.y, w.z, v.x, v.y, v.z};
    rg_model_neutral(t->model, q);
    memcpy(u + nv - 6, last, sizeof last);
    form_set(&t->f, q, u);
    free(q);
    free(u);
    touch_place(t);
}

typedef struct Found {
    int32_t near, pairs, points;
} Found;

static Found find(TouchCase *t)
{
    RgContactView view;
    const RgColliderPair *near;
    Found found;
    RgContactSearch search = {.h = STEP};
    cr_assert_eq(rg_contact_scene_find(t->scene, &search, &view), RG_OK);
    cr_assert_eq(rg_space_swept_pairs(t->scene->space, MARGIN, &near, &found.near), RG_OK);
    found.pairs = view.npairs;
    found.points = view.npoints;
    return found;
}

Test(contact_search, a_fast_body_far_away_costs_a_tower_nothing)
{
    TouchShape shapes[2 + CUBES];
    int count = tower(shapes, vec(0.0, 1000.0, 5.0));
    TouchCase t = touch_case(shapes, count, "minimal");
    Found still = find(&t);
    move_last(&t, vec(0.0, 0.0, 0.0), vec(500.0, 0.0, 0.0));
    Found fast = find(&t);
    cr_expect_eq(still.near, CUBES);
    cr_expect_eq(still.points, 4 * CUBES);
    cr_expect_eq(fast.near, still.near + 1); /* the ball can reach the floor */
    cr_expect_eq(fast.points, still.points + 1);
    touch_end(&t);
}

Test(contact_search, what_can_come_together_is_found)
{
    TouchShape shapes[2 + CUBES];
    int count = tower(shapes, vec(2.2, 0.0, 0.9));
    TouchCase t = touch_case(shapes, count, "minimal");
    int32_t still = find(&t).pairs;

    /* 2 m from the side of the tower: reached at 210 m/s within the step, not at 190 m/s. */
    move_last(&t, vec(0.0, 0.0, 0.0), vec(-190.0, 0.0, 0.0));
    cr_expect_eq(find(&t).pairs, still + 1); /* the floor */
    move_last(&t, vec(0.0, 0.0, 0.0), vec(-210.0, 0.0, 0.0));
    cr_expect_geq(find(&t).pairs, still + 2);
    touch_end(&t);

    /* A rod that only turns sweeps as far as its ends go. */
    count = tower(shapes, vec(0.65, 0.0, 0.9));
    shapes[count - 1].type = RG_SHAPE_box;
    memcpy(shapes[count - 1].size, (double[3]){0.02, 1.0, 0.02}, sizeof shapes[0].size);
    t = touch_case(shapes, count, "minimal");
    still = find(&t).pairs;
    move_last(&t, vec(0.0, 0.0, 200.0), vec(0.0, 0.0, 0.0));
    cr_expect_gt(find(&t).pairs, still);
    touch_end(&t);
}

/* Poses of the cubes after some steps. */
static void run_tower(bool with_ball, RgPose out[CUBES])
{
    TouchShape shapes[2 + CUBES];
    RgBuilder *b = scene_begin("tower");
    RgLinkId links[2 + CUBES];
    int count = tower(shapes, vec(0.0, 1000.0, 50.0)) - !with_ball;
    for (int i = 0; i < count; i++) {
        RgShapeDef def = rg_shape_def_default();
        char name[16];
        snprintf(name, sizeof name, "s%d", i);
        def.type = shapes[i].type;
        memcpy(def.size, shapes[i].size, sizeof def.size);
        if (i > 0)
            def.link = links[i] =
                link_add_at(b, name, inertia_box(1.0, vec(0.0, 0.0, 0.0), vec(0.2, 0.2, 0.2)), shapes[i].X_WS);
        cr_assert(rg_builder_add_shape(b, &def).i > 0);
    }
    RgModel *model = scene_end(b);
    RgWorld *world = world_of(model, "minimal", "semi-implicit");
    if (with_ball) {
        double *v = calloc((size_t)model->nv, sizeof *v);
        v[model->nv - 3] = 500.0;
        cr_assert_eq(rg_world_set_state(world, rg_world_q(world), v), RG_OK);
        free(v);
    }
    world_run(world, 50, STEP);
    for (int i = 0; i < CUBES; i++)
        out[i] = rg_world_link_pose(world, links[1 + i]);
    world_end(world, model);
}

Test(contact_search, a_fast_body_far_away_moves_no_bit_of_a_tower)
{
    RgPose with[CUBES], without[CUBES];
    run_tower(true, with);
    run_tower(false, without);
    cr_expect(memcmp(with, without, sizeof with) == 0);
}
