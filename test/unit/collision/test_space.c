/* test_space.c - colliders that come, move and go; what is refused; filters through the space. */
#include "counting.h"
#include "math/pose.h"
#include "space_fixture.h"

#include <string.h>

static int32_t pair_count(RgSpace *space, double margin)
{
    const RgColliderPair *pairs;
    int32_t count = -1;
    cr_assert_eq(rg_space_pairs(space, margin, &pairs, &count), RG_OK);
    return count;
}

/* Two balls that overlap, of bodies 1 and 2. */
typedef struct Two {
    Fixture *fixture;
    RgSpace *space;
    RgColliderDef def;
    RgColliderId a, b;
} Two;

static Two two_balls(void)
{
    Two t = {.fixture = fixture_create(), .space = space_with(NULL, 0.02)};
    t.def = collider_def(t.fixture->geometry[FIX_SPHERE], pose_identity(), 1);
    t.a = space_put(t.space, &t.def);
    t.def.key = 2;
    t.def.body = t.def.owner = 2;
    t.b = space_put(t.space, &t.def);
    return t;
}

static void two_end(Two *t)
{
    rg_space_destroy(t->space);
    fixture_destroy(t->fixture);
}

Test(space, defaults)
{
    RgColliderDef def = rg_collider_def_default();
    cr_expect(def.body == -1 && def.owner == -1 && def.group == -1 && def.self_collide);
    cr_expect(def.category == UINT32_MAX && def.mask == UINT32_MAX && def.geometry == NULL);
    cr_expect_eq(rg_space_def_default().fattening, 0.02);
}

Test(space, bad_space_defs_are_refused)
{
    RgSpaceDef zeroed = {.cookie = 0}, def = rg_space_def_default();
    cr_expect_null(rg_space_create(NULL));
    cr_expect_null(rg_space_create(&zeroed));
    const double bad[] = {-0.1, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        def.fattening = bad[i];
        cr_expect_null(rg_space_create(&def));
    }
    rg_space_destroy(NULL);
}

/* What a collider is, as asked. */
Test(space, views_tell_what_was_put_in)
{
    Two t = two_balls();
    RgPose X = pose_at(v3(3.0, 4.0, 5.0));
    cr_expect_eq(rg_space_move(t.space, t.a, &X), RG_OK);
    RgPlaced placed = rg_space_placed(t.space, t.a);
    cr_expect_eq(placed.geometry, t.fixture->geometry[FIX_SPHERE]);
    cr_expect_eq(memcmp(&placed.X_WG, &X, sizeof X), 0);
    const RgColliderDef *def = rg_space_collider(t.space, t.b);
    cr_expect(def->key == 2 && def->body == 2 && def->group == -1);
    cr_expect(t.a.i > 0 && t.b.i > 0 && t.a.i != t.b.i);
    two_end(&t);
}

/* A zeroed def, no geometry, a key twice, bodies below -1, poses that are not finite: refused, and nothing
   changed. */
Test(space, bad_colliders_are_refused)
{
    Two t = two_balls();
    RgColliderDef good = t.def, bad[7];
    good.key = 3;
    for (int i = 0; i < 7; i++)
        bad[i] = good;
    memset(&bad[0], 0, sizeof bad[0]);
    bad[1].geometry = NULL;
    bad[2].key = 2;
    bad[3].owner = -2;
    bad[4].group = -2;
    bad[5].X_WG.p.y = NAN;
    bad[6].X_WG.R.m[2][1] = INFINITY;
    RgColliderId id;
    for (int i = 0; i < 7; i++) {
        cr_expect_eq(rg_space_add(t.space, &bad[i], &id), i < 5 ? RG_ERR_ARGUMENT : RG_ERR_NOT_FINITE, "%d", i);
        cr_expect_eq(id.i, 0);
        cr_expect_eq(pair_count(t.space, 0.0), 1);
    }
    bad[5].geometry = bad[6].geometry = t.fixture->geometry[FIX_HALFSPACE];
    cr_expect_eq(rg_space_add(t.space, &bad[5], &id), RG_ERR_NOT_FINITE);
    cr_expect_eq(rg_space_add(NULL, &good, &id), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_space_add(t.space, NULL, &id), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_space_add(t.space, &good, NULL), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_space_add(t.space, &good, &id), RG_OK);
    cr_expect_eq(pair_count(t.space, 0.0), 2);
    two_end(&t);
}

Test(space, unknown_and_removed_ids_are_refused)
{
    Two t = two_balls();
    RgPose X = pose_identity();
    cr_assert_eq(rg_space_remove(t.space, t.a), RG_OK);
    const RgColliderId bad[] = {{0}, {-1}, t.a, {3}, {1000}, {INT32_MAX}, {INT32_MIN}};
    for (int i = 0; i < 7; i++) {
        cr_expect_eq(rg_space_move(t.space, bad[i], &X), RG_ERR_ARGUMENT);
        cr_expect_eq(rg_space_remove(t.space, bad[i]), RG_ERR_ARGUMENT);
        cr_expect_null(rg_space_collider(t.space, bad[i]));
        cr_expect_null(rg_space_placed(t.space, bad[i]).geometry);
    }
    cr_expect_eq(rg_space_move(NULL, t.b, &X), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_space_move(t.space, t.b, NULL), RG_ERR_ARGUMENT);
    cr_expect_null(rg_space_collider(NULL, t.b));
    cr_expect_eq(pair_count(t.space, 0.0), 0);
    two_end(&t);
}

/* Those that are marked move, up to the first that cannot. */
Test(space, all_move_in_one_call)
{
    Two t = two_balls();
    const RgColliderId ids[3] = {t.a, t.b, t.a};
    RgPose X[3] = {pose_at(v3(1.0, 2.0, 3.0)), pose_at(v3(4.0, 5.0, 6.0)), pose_at(v3(7.0, 8.0, 9.0))};
    RgStatus status;
    cr_expect_eq(rg_space_move_all(t.space, ids, X, (const bool[3]){true, true, false}, 3, &status), 3);
    cr_expect_eq(status, RG_OK);
    cr_expect_eq(rg_space_placed(t.space, t.a).X_WG.p.x, 1.0);
    cr_expect_eq(rg_space_placed(t.space, t.b).X_WG.p.x, 4.0);
    X[1].p.x = NAN;
    cr_expect_eq(rg_space_move_all(t.space, ids, X, (const bool[3]){true, true, true}, 3, &status), 1);
    cr_expect_eq(status, RG_ERR_NOT_FINITE);
    cr_expect_eq(rg_space_placed(t.space, t.a).X_WG.p.x, 1.0);
    cr_expect_eq(rg_space_placed(t.space, t.b).X_WG.p.x, 4.0);
    two_end(&t);
}

/* A pose that is not finite leaves the collider where it was. */
Test(space, bad_moves_change_nothing)
{
    Two t = two_balls();
    RgColliderDef floor = collider_def(t.fixture->geometry[FIX_HALFSPACE], pose_identity(), 9);
    RgColliderId plane = space_put(t.space, &floor);
    RgPose X = pose_at(v3(100.0, NAN, 0.0)), far = pose_at(v3(1e308, 1.7e308, 0.0));
    far.R.m[1][1] = 1e308;
    cr_expect_eq(rg_space_move(t.space, t.a, &X), RG_ERR_NOT_FINITE);
    cr_expect_eq(rg_space_move(t.space, t.a, &far), RG_ERR_NOT_FINITE);
    cr_expect_eq(rg_space_move(t.space, plane, &X), RG_ERR_NOT_FINITE);
    cr_expect_eq(rg_space_placed(t.space, t.a).X_WG.p.x, 0.0);
    cr_expect_eq(rg_space_placed(t.space, plane).X_WG.p.x, 0.0);
    cr_expect_eq(pair_count(t.space, 0.0), 3);
    two_end(&t);
}

Test(space, bad_questions_are_refused)
{
    Two t = two_balls();
    const RgColliderPair *pairs;
    int32_t count;
    cr_expect_eq(rg_space_pairs(NULL, 0.0, &pairs, &count), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_space_pairs(t.space, 0.0, NULL, &count), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_space_pairs(t.space, 0.0, &pairs, NULL), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_space_pairs(t.space, -1e-9, &pairs, &count), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_space_pairs(t.space, NAN, &pairs, &count), RG_ERR_NOT_FINITE);
    cr_expect_eq(rg_space_pairs(t.space, INFINITY, &pairs, &count), RG_OK);
    cr_expect_eq(count, 1);
    cr_expect_eq(rg_space_exclude(t.space, -1, 0), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_space_include(t.space, 0, -1), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_space_include(t.space, 4, 4), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_space_exclude(t.space, 4, 4), RG_OK);
    cr_expect_eq(rg_space_exclude(NULL, 1, 2), RG_ERR_ARGUMENT);
    cr_expect_eq(pair_count(t.space, 0.0), 1);
    two_end(&t);
}

Test(space, empty_space_has_no_pairs)
{
    RgSpace *space = space_with(NULL, 0.0);
    cr_expect_eq(pair_count(space, 0.0), 0);
    cr_expect_eq(pair_count(space, 1.0), 0);
    rg_space_destroy(space);
}

/* Exclusions and inclusions take effect at once, and the last one counts. */
Test(space, last_word_on_a_pair_counts)
{
    Two t = two_balls();
    cr_expect_eq(pair_count(t.space, 0.0), 1);
    cr_expect_eq(rg_space_exclude(t.space, 2, 1), RG_OK);
    cr_expect_eq(pair_count(t.space, 0.0), 0);
    cr_expect_eq(rg_space_include(t.space, 1, 2), RG_OK);
    cr_expect_eq(pair_count(t.space, 0.0), 1);
    cr_expect_eq(rg_space_exclude(t.space, 1, 2), RG_OK);
    cr_expect_eq(pair_count(t.space, 0.0), 0);
    two_end(&t);
}

/* Links of one robot: neighbours excluded, self_collide only where both say so; the floor meets all. */
Test(space, robot_on_a_floor)
{
    Fixture *f = fixture_create();
    RgSpace *space = space_with(NULL, 0.02);
    RgColliderDef floor = collider_def(f->geometry[FIX_HALFSPACE], pose_identity(), 100);
    floor.body = -1;
    space_put(space, &floor);
    for (int i = 0; i < 4; i++) {
        RgColliderDef link = collider_def(f->geometry[FIX_CAPSULE], pose_at(v3(0.1 * i, 0.0, 0.0)), (uint64_t)i);
        link.group = 0;
        link.self_collide = i != 3;
        space_put(space, &link);
        if (i > 0)
            cr_assert_eq(rg_space_exclude(space, i - 1, i), RG_OK);
    }
    const RgColliderPair *pairs;
    int32_t count;
    cr_assert_eq(rg_space_pairs(space, 0.0, &pairs, &count), RG_OK);
    const uint64_t expected[][2] = {{0, 2}, {0, 100}, {1, 100}, {2, 100}, {3, 100}};
    cr_assert_eq(count, 5);
    for (int i = 0; i < 5; i++) {
        cr_expect_eq(key_at(space, pairs[i].a), expected[i][0]);
        cr_expect_eq(key_at(space, pairs[i].b), expected[i][1]);
    }
    rg_space_destroy(space);
    fixture_destroy(f);
}

/* A slot that is used again by another collider leaves no trace of the first. */
Test(space, slots_are_used_again)
{
    Two t = two_balls();
    Draw d = draw_seed(1);
    for (int i = 0; i < 200; i++) {
        cr_assert_eq(rg_space_remove(t.space, t.b), RG_OK);
        bool near = draw_chance(&d, 0.5), plane = draw_chance(&d, 0.5);
        RgColliderDef def = t.def;
        def.geometry = t.fixture->geometry[plane ? FIX_HALFSPACE : FIX_BOX];
        def.X_WG = pose_at(v3(0.0, 0.0, near ? 0.1 : -5.0));
        def.key = draw_bits(&d) | 1u << 8;
        t.b = space_put(t.space, &def);
        if (i % 3 == 0)
            cr_assert_eq(pair_count(t.space, 0.0), near, "%d", i);
    }
    cr_expect_leq(t.b.i, 3);
    two_end(&t);
}

/* Memory: none for moves, and all given back. */
Test(space, all_memory_is_given_back)
{
    Counting counting = {.fail_at = 0};
    RgAllocator allocator = counting_allocator(&counting);
    Fixture *f = fixture_create();
    RgSpace *space = space_with(&allocator, 0.02);
    Draw d = draw_seed(2);
    RgColliderId ids[300];
    for (int i = 0; i < 300; i++) {
        RgColliderDef def = collider_def(f->geometry[i % FIX_COUNT], draw_pose(&d, 3.0), (uint64_t)(1000 - i));
        ids[i] = space_put(space, &def);
    }
    long before = counting.calls;
    for (int i = 0; i < 3000; i++) {
        RgPose X = draw_pose(&d, 3.0);
        cr_assert_eq(rg_space_move(space, ids[i % 300], &X), RG_OK);
    }
    cr_expect_eq(counting.calls, before);
    for (int i = 0; i < 300; i++)
        cr_assert_eq(rg_space_remove(space, ids[i]), RG_OK);
    cr_expect_eq(pair_count(space, 0.1), 0);
    rg_space_destroy(space);
    cr_expect_eq(counting.blocks, 0);
    fixture_destroy(f);
}
