/*
 * test_scene_path.c - all pairs at once is the least of all pairs one by one; filters; the same bits whatever was asked
 * before; no memory once it has what it needs.
 */
#include "path_fixture.h"

#include "counting.h"
#include "path/scene_path.h"
#include "scene_parts.h"

#include <string.h>

#define BODIES 30
#define H 0.02

static const RgPathRule rule = {1e-7, 5e-8};

/* Boxes, spheres, capsules that float, over a floor; a post stands still. Bodies 0 and 1 let each other through. */
static RgModel *clutter(void)
{
    RgBuilder *b = scene_begin("clutter");
    RgLinkId links[BODIES];
    for (int i = 0; i < BODIES; i++) {
        char name[16];
        snprintf(name, sizeof name, "body%d", i);
        links[i] = link_add(b, name, inertia_box(1.0, v3_zero(), v3(0.3, 0.3, 0.3)));
        RgShapeDef def = rg_shape_def_default();
        def.type = i % 3 == 0 ? RG_SHAPE_box : i % 3 == 1 ? RG_SHAPE_sphere : RG_SHAPE_capsule;
        def.link = links[i];
        def.X_LS.p = v3(0.02, 0.0, -0.01);
        def.size[0] = i % 3 == 0 ? 0.3 : 0.12;
        def.size[1] = 0.25;
        def.size[2] = 0.2;
        rg_builder_add_shape(b, &def);
    }
    RgShapeDef floor = rg_shape_def_default(), post = floor;
    floor.type = RG_SHAPE_halfspace;
    floor.X_LS.p = v3(0.0, 0.0, -1.5);
    rg_builder_add_shape(b, &floor);
    post.type = RG_SHAPE_box;
    post.size[0] = post.size[1] = 0.1;
    post.size[2] = 3.0;
    rg_builder_add_shape(b, &post);
    RgCollisionPairDef pair = rg_collision_pair_def_default();
    pair.link_a = links[0];
    pair.link_b = links[1];
    pair.collide = false;
    cr_assert(rg_builder_add_collision_pair(b, &pair));
    return scene_end(b);
}

typedef struct Setting {
    Counting counting;
    RgAllocator allocator;
    RgModel *model;
    RgContactScene *scene;
    RgScenePath *path;
    RgBodyPath paths[BODIES];
} Setting;

static void setting_begin(Setting *s)
{
    *s = (Setting){.counting = {0}};
    s->allocator = counting_allocator(&s->counting);
    s->model = clutter();
    RgError error;
    s->scene = rg_contact_scene_create(s->model, &s->allocator, &error);
    cr_assert(s->scene != NULL, "%s", error.text);
    s->path = rg_scene_path_create(s->scene, &s->allocator);
    cr_assert(s->path != NULL);
}

static void setting_end(Setting *s)
{
    rg_scene_path_destroy(s->path);
    rg_contact_scene_destroy(s->scene);
    rg_model_destroy(s->model);
    cr_expect_eq(s->counting.blocks, 0);
}

static void draw_paths(Draw *d, double room, double speed, RgBodyPath *paths)
{
    for (int i = 0; i < BODIES; i++) {
        RgPose X = draw_pose(d, 0.0);
        X.p = v3((i % 4 - 1.5) * room, (i / 4 % 4 - 1.5) * room, (i / 16 - 0.5) * room);
        X.p = v3_add(X.p, draw_vec(d, 0.1 * room));
        RgVec3 v = draw_vec(d, speed), w = draw_vec(d, 3.0);
        paths[i] = path_draw(d, X, v, w, H, 0.2);
    }
}

static RgSceneProof ask(Setting *s, const RgBodyPath *paths)
{
    RgSceneProof proof;
    cr_assert_eq(rg_scene_path_prove(s->path, paths, H, &rule, &proof), RG_OK);
    return proof;
}

static RgPathShape side(const Setting *s, const RgBodyPath *paths, int shape)
{
    int body = s->scene->body[shape];
    return (RgPathShape){s->scene->geometry[shape], s->scene->X_BS[shape], body >= 0 ? &paths[body] : NULL};
}

/* Every pair that may touch. */
static RgPathProof one_by_one(const Setting *s, const RgBodyPath *paths, int *pair)
{
    RgPathProof first = {.time = H, .least = INFINITY};
    for (int i = 0; i < BODIES + 2; i++)
        for (int j = i + 1; j < BODIES + 2; j++) {
            if ((i == 0 && j == 1) || i >= BODIES)
                continue;
            RgPathShape a = side(s, paths, i), b = side(s, paths, j);
            RgPathProof proof;
            cr_assert_eq(rg_pair_path_prove(&a, &b, H, &rule, NULL, &proof), RG_OK);
            if (proof.time < first.time) {
                first = proof;
                *pair = 100 * i + j;
            }
        }
    return first;
}

/* No two that may touch come nearer than was proven. */
static void check_least(const Setting *s, const RgBodyPath *paths, const RgSceneProof *all)
{
    for (int i = 0; i < BODIES; i++)
        for (int j = i == 0 ? 2 : i + 1; j < BODIES + 2; j++) {
            RgPathShape a = side(s, paths, i), b = side(s, paths, j);
            cr_expect_geq(least_by_asking(&a, &b, all->time, 8), all->least - 1e-12);
        }
}

Test(scene_path, all_is_the_least_of_each)
{
    Setting s;
    setting_begin(&s);
    Draw d = draw_seed(7);
    int cut = 0;
    for (int n = 0; n < 60; n++) {
        draw_paths(&d, 0.8, n % 2 == 0 ? 40.0 : 8.0, s.paths);
        int pair = -1;
        RgPathProof each = one_by_one(&s, s.paths, &pair);
        RgSceneProof all = ask(&s, s.paths);
        CHECK_NEAR(all.time, each.time, 1e-7 * H, "s");
        cr_expect(all.pairs == 0 || all.least <= RG_PATH_NEAR);
        if (each.time >= H)
            continue;
        cut++;
        cr_expect_eq(100 * all.shape_a + all.shape_b, pair, "case %d", n);
        cr_expect(!all.touching || each.start <= rule.gap);
        check_least(&s, s.paths, &all);
    }
    cr_expect_gt(cut, 20);
    setting_end(&s);
}

Test(scene_path, same_bits_whatever_was_asked_before)
{
    Setting s, fresh;
    setting_begin(&s);
    Draw d = draw_seed(8);
    RgBodyPath other[BODIES];
    for (int n = 0; n < 20; n++) {
        draw_paths(&d, 0.8, 10.0, s.paths);
        draw_paths(&d, 0.5 + 0.05 * n, 30.0, other);
        RgSceneProof before = ask(&s, s.paths);
        ask(&s, other);
        RgSceneProof after = ask(&s, s.paths);
        setting_begin(&fresh);
        RgSceneProof alone = ask(&fresh, s.paths);
        setting_end(&fresh);
        cr_expect(before.time == after.time && before.least == after.least && before.pairs == after.pairs &&
                  before.shape_a == after.shape_a && before.shape_b == after.shape_b);
        cr_expect(before.time == alone.time && before.least == alone.least && before.pairs == alone.pairs &&
                  before.shape_a == alone.shape_a && before.shape_b == alone.shape_b);
    }
    setting_end(&s);
}

Test(scene_path, no_memory_after_the_largest_need)
{
    Setting s;
    setting_begin(&s);
    Draw d = draw_seed(9);
    draw_paths(&d, 0.1, 30.0, s.paths); /* everything near everything */
    ask(&s, s.paths);
    long calls = s.counting.calls;
    for (int n = 0; n < 20; n++) {
        draw_paths(&d, 0.3 + 0.05 * n, 20.0, s.paths);
        ask(&s, s.paths);
    }
    cr_expect_eq(s.counting.calls, calls);
    setting_end(&s);
}

Test(scene_path, nobody_near)
{
    Setting s;
    setting_begin(&s);
    Draw d = draw_seed(10);
    for (int i = 0; i < BODIES; i++) {
        RgVec3 v = draw_vec(&d, 1.0), w = draw_vec(&d, 1.0);
        s.paths[i] = path_draw(&d, pose_at(v3(10.0 * i, 50.0, 10.0)), v, w, H, 0.1);
    }
    RgSceneProof proof = ask(&s, s.paths);
    cr_expect_eq(proof.time, H);
    cr_expect(isinf(proof.least) && proof.shape_a == -1 && proof.pairs == 0);
    cr_expect_eq(rg_scene_path_prove(s.path, s.paths, (double)NAN, &rule, &proof), RG_ERR_ARGUMENT);
    setting_end(&s);
}
