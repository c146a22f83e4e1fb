/* test_space_pairs.c - pairs of a space against a test of every pair, for any history. */
#include "counting.h"
#include "math/pose.h"
#include "space_fixture.h"

#include <string.h>

#define CROWD 200

/* What the test knows of the space: colliders by key. */
typedef struct Model {
    Fixture *fixture;
    RgSpace *space;
    bool used[CROWD];
    RgColliderId id[CROWD];
    RgColliderDef def[CROWD];
    bool bounded[CROWD];
    RgBounds box[CROWD];
    double reach[CROWD];           /* m; counts where it is asked for */
    RgPairRule said[CROWD][CROWD]; /* by owner */
} Model;

static RgFilterTag tag_of(const RgColliderDef *def)
{
    return (RgFilterTag){def->body, def->owner, def->group, def->category, def->mask, def->self_collide};
}

static bool may_touch(const Model *m, int a, int b)
{
    RgPairFilter filter;
    rg_pair_filter_init(&filter, NULL);
    RgFilterTag x = tag_of(&m->def[a]), y = tag_of(&m->def[b]);
    bool may_meet = x.body != y.body && (x.body >= 0 || y.body >= 0);
    RgPairRule rule = x.owner >= 0 && y.owner >= 0 ? m->said[x.owner][y.owner] : RG_PAIR_NO_RULE;
    if (rule != RG_PAIR_NO_RULE && may_meet)
        return rule == RG_PAIR_INCLUDED;
    return rg_pair_filter_allows(&filter, &x, &y);
}

/* Boxes within margin; a half-space by its plane. box NULL: a half-space. */
static bool is_near(const Model *m, int a, int b, double margin)
{
    const RgBounds *box_a = m->bounded[a] ? &m->box[a] : NULL, *box_b = m->bounded[b] ? &m->box[b] : NULL;
    if (box_a == NULL && box_b == NULL)
        return false;
    if (box_a == NULL)
        return is_near(m, b, a, margin);
    if (box_b != NULL)
        return rg_box_gap(box_a, box_b) <= margin;
    RgVec3 n = m3_column(m->def[b].X_WG.R, 2), c = v3_scale(0.5, v3_add(box_a->low, box_a->high));
    RgVec3 half = v3_scale(0.5, v3_sub(box_a->high, box_a->low));
    double reach = fabs(n.x) * half.x + fabs(n.y) * half.y + fabs(n.z) * half.z;
    return v3_dot(n, v3_sub(c, m->def[b].X_WG.p)) - reach <= margin;
}

static void set_boxes(Model *m)
{
    for (int i = 0; i < CROWD; i++) {
        if (!m->used[i])
            continue;
        RgPlacedBounds p = rg_placed_bounds_prepare(m->def[i].geometry);
        m->bounded[i] = p.way != RG_BOUNDS_NONE;
        cr_assert(!m->bounded[i] || rg_placed_bounds(&p, &m->def[i].X_WG, &m->box[i]));
    }
}

/* The space's pairs are all that are near and may touch, in the order of keys. */
static int check_pairs(Model *m, double margin, bool swept)
{
    const RgColliderPair *pairs;
    int32_t count, next = 0;
    set_boxes(m);
    cr_assert_eq(swept ? rg_space_swept_pairs(m->space, margin, &pairs, &count)
                       : rg_space_pairs(m->space, margin, &pairs, &count),
                 RG_OK);
    for (int a = 0; a < CROWD; a++)
        for (int b = a + 1; b < CROWD && m->used[a]; b++) {
            double within = swept ? margin + (m->reach[a] + m->reach[b]) : margin;
            if (!m->used[b] || !is_near(m, a, b, within) || !may_touch(m, a, b))
                continue;
            cr_assert(next < count, "%d of %d pairs", next, count);
            cr_assert(pairs[next].a.i == m->id[a].i && pairs[next].b.i == m->id[b].i, "pair %d: %d %d", next, a, b);
            next++;
        }
    cr_assert_eq(next, count);
    return count;
}

/* ------------------------------------------------------------------ histories */

/* Mostly small shapes, now and then a half-space; bodies, groups and masks drawn so that all rules come up.
   */
static RgColliderDef draw_def(const Model *m, Draw *d, int key)
{
    int kind = draw_chance(d, 0.05) ? FIX_HALFSPACE : draw_below(d, FIX_HALFSPACE);
    RgColliderDef def = collider_def(m->fixture->geometry[kind], draw_pose(d, 1.5), (uint64_t)key);
    def.body = draw_below(d, CROWD / 2) - 2;
    def.owner = draw_below(d, CROWD / 2) - 1;
    def.group = draw_below(d, 4) - 1;
    def.self_collide = draw_chance(d, 0.7);
    def.category = 1u << draw_below(d, 3);
    def.mask = draw_chance(d, 0.5) ? ~0u : 3u;
    return def;
}

static void move_one(Model *m, Draw *d, int key)
{
    RgPose X = m->def[key].X_WG;
    double how = draw_between(d, 0.0, 1.0);
    if (how < 0.6)
        X.p = v3_add(X.p, draw_vec(d, 0.01));
    else if (how < 0.8)
        X.R = m3_mul(X.R, mat_turn(draw_direction(d), draw_between(d, -0.05, 0.05)));
    else
        X = draw_pose(d, 1.5);
    m->def[key].X_WG = X;
    cr_assert_eq(rg_space_move(m->space, m->id[key], &X), RG_OK);
}

static void say_one(Model *m, Draw *d)
{
    int a = draw_below(d, CROWD / 2), b = draw_below(d, CROWD / 2);
    bool include = draw_chance(d, 0.3);
    if (a == b)
        return;
    m->said[a][b] = m->said[b][a] = include ? RG_PAIR_INCLUDED : RG_PAIR_EXCLUDED;
    cr_assert_eq(include ? rg_space_include(m->space, a, b) : rg_space_exclude(m->space, a, b), RG_OK);
}

static void change_one(Model *m, Draw *d, double churn)
{
    int key = draw_below(d, CROWD);
    if (!m->used[key]) {
        m->def[key] = draw_def(m, d, key);
        m->id[key] = space_put(m->space, &m->def[key]);
        m->used[key] = true;
    } else if (draw_chance(d, churn)) {
        cr_assert_eq(rg_space_remove(m->space, m->id[key]), RG_OK);
        m->used[key] = false;
    } else {
        move_one(m, d, key);
    }
    if (draw_chance(d, 0.1 * churn))
        say_one(m, d);
}

static Model *model_create(double fattening)
{
    Model *m = calloc(1, sizeof *m);
    m->fixture = fixture_create();
    m->space = space_with(NULL, fattening);
    return m;
}

static void model_destroy(Model *m)
{
    rg_space_destroy(m->space);
    fixture_destroy(m->fixture);
    free(m);
}

/* New speeds for some; the others keep theirs. */
static void check_swept(Model *m, Draw *d)
{
    for (int key = 0; key < CROWD; key++) {
        bool changes = draw_chance(d, 0.3), jumps = draw_chance(d, 0.1);
        double grown = m->reach[key] * draw_between(d, 0.8, 1.3), other = draw_between(d, -0.1, 0.3);
        if (changes)
            m->reach[key] = jumps ? (other > 0.0 ? other : 0.0) : grown;
        if (m->used[key])
            rg_space_sweep(m->space, m->id[key], m->reach[key]);
    }
    check_pairs(m, 0.01, draw_chance(d, 0.8));
}

/* Every third space is asked with threads: they must not show. */
static RgThreadPool *give_threads(Model *m, uint64_t seed)
{
    RgAllocator allocator = {0};
    m->space->thread_pool = seed % 3 == 1 ? rg_thread_pool_create(2 + (int)seed % 2, &allocator) : NULL;
    return m->space->thread_pool;
}

/* Much and little change between questions, with and without fattening, one margin and many. */
Test(space_pairs, any_history_gives_all_near_pairs)
{
    long total = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        Draw d = draw_seed(seed);
        Model *m = model_create(seed % 4 == 0 ? 0.0 : 0.02);
        RgThreadPool *thread_pool = give_threads(m, seed);
        double churn = seed % 2 == 0 ? 0.2 : 0.01, margin = 0.01;
        for (int step = 0; step < 400; step++) {
            int changes = step < 2 ? CROWD : draw_below(&d, seed % 4 < 2 ? 10 : CROWD);
            for (int i = 0; i < changes; i++)
                change_one(m, &d, churn);
            if (seed > 5 && draw_chance(&d, 0.1))
                margin = draw_chance(&d, 0.3) ? 0.0 : draw_between(&d, 0.0, 0.5);
            total += check_pairs(m, margin, false);
        }
        model_destroy(m);
        rg_thread_pool_destroy(thread_pool);
    }
    cr_expect_gt(total, 100000);
}

/* Speeds that creep up and down, jump, and are not asked about now and then. */
Test(space_pairs, any_history_of_speeds_gives_all_swept_pairs)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        Draw d = draw_seed(seed);
        Model *m = model_create(seed % 4 == 0 ? 0.0 : 0.02);
        RgThreadPool *thread_pool = give_threads(m, seed);
        for (int step = 0; step < 300; step++) {
            int changes = step < 2 ? CROWD : draw_below(&d, seed % 4 < 2 ? 10 : CROWD);
            for (int i = 0; i < changes; i++)
                change_one(m, &d, 0.02);
            check_swept(m, &d);
        }
        model_destroy(m);
        rg_thread_pool_destroy(thread_pool);
    }
}

/* ------------------------------------------------------------------ order */

/* Colliders 0 ... n - 1 of a seed, put in by the given order, after others that come and go. */
static RgSpace *filled(const Model *m, const int *order, int n, uint64_t seed, bool detour)
{
    RgSpace *space = space_with(NULL, 0.02);
    Draw d = draw_seed(seed);
    RgColliderId ids[CROWD];
    const RgColliderPair *pairs;
    int32_t count;
    for (int i = 0; i < n; i++) {
        int k = order[i];
        RgColliderDef def = m->def[k];
        if (detour)
            def.X_WG = draw_pose(&d, 2.0);
        ids[k] = space_put(space, &def);
        if (detour && i % 10 == 0)
            cr_assert_eq(rg_space_pairs(space, 0.3, &pairs, &count), RG_OK);
    }
    for (int k = 0; k < n && detour; k += 3) {
        cr_assert_eq(rg_space_remove(space, ids[k]), RG_OK);
        ids[k] = space_put(space, &m->def[k]);
    }
    for (int k = n - 1; k >= 0; k--)
        cr_assert_eq(rg_space_move(space, ids[k], &m->def[k].X_WG), RG_OK);
    return space;
}

/* Shuffled insertion, detours on the way, another fattening: the same keys in the same order. */
Test(space_pairs, order_of_insertion_and_history_do_not_show)
{
    Model *m = model_create(0.02);
    Draw d = draw_seed(9);
    int order[CROWD];
    for (int k = 0; k < CROWD; k++) {
        order[k] = k;
        m->def[k] = draw_def(m, &d, k);
        m->def[k].key = (uint64_t)k * UINT64_C(0x9e3779b97f4a7c15);
    }
    RgSpace *plain = filled(m, order, CROWD, 0, false);
    const RgColliderPair *expected, *pairs;
    int32_t expected_count, count;
    cr_assert_eq(rg_space_pairs(plain, 0.05, &expected, &expected_count), RG_OK);
    cr_assert_gt(expected_count, 300);
    for (uint64_t seed = 1; seed < 20; seed++) {
        for (int k = CROWD - 1; k > 0; k--) {
            int j = draw_below(&d, k + 1), other = order[k];
            order[k] = order[j];
            order[j] = other;
        }
        RgSpace *space = filled(m, order, CROWD, seed, seed % 2 == 0);
        cr_assert_eq(rg_space_pairs(space, 0.05, &pairs, &count), RG_OK);
        cr_assert_eq(count, expected_count);
        for (int i = 0; i < count; i++) {
            cr_assert_eq(key_at(space, pairs[i].a), key_at(plain, expected[i].a));
            cr_assert_eq(key_at(space, pairs[i].b), key_at(plain, expected[i].b));
            cr_assert_lt(key_at(space, pairs[i].a), key_at(space, pairs[i].b));
        }
        rg_space_destroy(space);
    }
    rg_space_destroy(plain);
    model_destroy(m);
}

/* Asking again changes nothing, whatever was asked in between. */
Test(space_pairs, asking_again_gives_the_same)
{
    Model *m = model_create(0.02);
    Draw d = draw_seed(10);
    for (int i = 0; i < 400; i++)
        change_one(m, &d, 0.0);
    const RgColliderPair *pairs;
    int32_t count, again;
    cr_assert_eq(rg_space_pairs(m->space, 0.02, &pairs, &count), RG_OK);
    RgColliderPair *first = malloc((size_t)count * sizeof *first);
    memcpy(first, pairs, (size_t)count * sizeof *first);
    for (int i = 0; i < 60; i++) {
        cr_assert_eq(rg_space_pairs(m->space, i < 20 ? 0.02 * i : 1e-4, &pairs, &again), RG_OK);
        cr_assert_eq(rg_space_pairs(m->space, 0.02, &pairs, &again), RG_OK);
        cr_assert_eq(again, count);
        cr_assert_eq(memcmp(first, pairs, (size_t)count * sizeof *first), 0);
    }
    free(first);
    model_destroy(m);
}

/* ------------------------------------------------------------------ half-spaces */

/* A ball above a tilted plane: a pair from the distance on at which its box comes within the margin. */
Test(space_pairs, half_space_meets_boxes_by_its_plane)
{
    Fixture *f = fixture_create();
    RgSpace *space = space_with(NULL, 0.02);
    RgVec3 n = v3(0.0, 0.6, 0.8);
    RgColliderDef floor = collider_def(f->geometry[FIX_HALFSPACE], (RgPose){m3_align_z(n), v3(0.0, 0.0, 1.0)}, 1);
    RgColliderDef ball = collider_def(f->geometry[FIX_SPHERE], pose_identity(), 2);
    floor.body = -1;
    space_put(space, &floor);
    RgColliderId id = space_put(space, &ball);
    const RgColliderPair *pairs;
    int32_t count;
    double reach = 0.4 * (0.6 + 0.8), margin = 0.1;
    for (double x = -50.0; x < 60.0; x += 20.0)
        for (int step = -5; step < 5; step++) {
            double above = reach + margin + (step + 0.5) * 1e-3;
            RgPose X = pose_at(v3_add(v3(x, 0.0, 1.0), v3_scale(above, n)));
            cr_assert_eq(rg_space_move(space, id, &X), RG_OK);
            cr_assert_eq(rg_space_pairs(space, margin, &pairs, &count), RG_OK);
            cr_assert_eq(count, step < 0, "x %g step %d", x, step);
        }
    floor.key = 3;
    floor.body = 7;
    space_put(space, &floor);
    RgPose X = pose_at(v3(0.0, 0.0, 0.0));
    cr_assert_eq(rg_space_move(space, id, &X), RG_OK);
    cr_assert_eq(rg_space_pairs(space, 0.0, &pairs, &count), RG_OK);
    cr_expect_eq(count, 2);
    rg_space_destroy(space);
    fixture_destroy(f);
}

/* ------------------------------------------------------------------ crowds and memory */

/* 1500 balls at one place: all pairs, in time. */
Test(space_pairs, all_at_one_place)
{
    Fixture *f = fixture_create();
    RgSpace *space = space_with(NULL, 0.02);
    enum { N = 1500 };
    static RgColliderId ids[N];
    for (int i = 0; i < N; i++) {
        RgColliderDef def = collider_def(f->geometry[FIX_SPHERE], pose_identity(), (uint64_t)(N - i));
        ids[i] = space_put(space, &def);
    }
    const RgColliderPair *pairs;
    int32_t count;
    for (int step = 0; step < 3; step++) {
        cr_assert_eq(rg_space_pairs(space, 0.0, &pairs, &count), RG_OK);
        cr_expect_eq(count, N * (N - 1) / 2);
        for (int i = 0; i + 1 < count; i++)
            cr_assert(pairs[i].a.i > pairs[i + 1].a.i ||
                      (pairs[i].a.i == pairs[i + 1].a.i && pairs[i].b.i > pairs[i + 1].b.i));
        RgPose X = pose_at(v3(0.01 * step, 0.0, 0.0));
        for (int i = 0; i < N; i += step + 1)
            cr_assert_eq(rg_space_move(space, ids[i], &X), RG_OK);
    }
    rg_space_destroy(space);
    fixture_destroy(f);
}

/* After warm-up neither moves nor questions allocate: small steps, large steps, few and all. */
Test(space_pairs, no_allocation_after_warm_up)
{
    Counting counting = {.fail_at = 0};
    RgAllocator allocator = counting_allocator(&counting);
    Fixture *f = fixture_create();
    RgSpace *space = space_with(&allocator, 0.02);
    Draw d = draw_seed(12);
    RgColliderId ids[CROWD];
    RgPose X[CROWD];
    for (int i = 0; i < CROWD; i++) {
        X[i] = draw_pose(&d, 1.5);
        RgColliderDef def = collider_def(f->geometry[i % FIX_COUNT], X[i], (uint64_t)i);
        ids[i] = space_put(space, &def);
    }
    const RgColliderPair *pairs;
    int32_t count;
    long warm = 0;
    RgPose here = pose_identity(); /* all at one place: there are never more pairs */
    for (int i = 0; i < CROWD; i++)
        cr_assert_eq(rg_space_move(space, ids[i], &here), RG_OK);
    cr_assert_eq(rg_space_pairs(space, 0.02, &pairs, &count), RG_OK);
    for (int step = 0; step < 600; step++) {
        double size = step % 3 == 0 ? 0.005 : step % 3 == 1 ? 0.1 : 1.0;
        for (int i = 0; i < CROWD; i += step % 7 == 0 ? 13 : 1) {
            X[i] = draw_pose(&d, 1.5);
            X[i].p = v3_add(X[i].p, draw_vec(&d, size));
            cr_assert_eq(rg_space_move(space, ids[i], &X[i]), RG_OK);
        }
        cr_assert_eq(rg_space_pairs(space, 0.02, &pairs, &count), RG_OK);
        if (step == 100)
            warm = counting.calls;
    }
    cr_expect_eq(counting.calls, warm, "%ld allocations", counting.calls - warm);
    rg_space_destroy(space);
    cr_expect_eq(counting.blocks, 0);
    fixture_destroy(f);
}

/* Fills a space; stops at the first failure. */
static RgStatus build_and_ask(RgSpace *space, const Model *m, int32_t *count)
{
    const RgColliderPair *pairs;
    RgColliderId id;
    RgStatus status = RG_OK;
    for (int k = 0; k < 40 && status == RG_OK; k++)
        if (rg_space_collider(space, (RgColliderId){k + 1}) == NULL)
            status = rg_space_add(space, &m->def[k], &id);
    if (status == RG_OK)
        status = rg_space_exclude(space, 1, 2);
    return status == RG_OK ? rg_space_pairs(space, 0.1, &pairs, count) : status;
}

/* Memory that runs out at any call is reported, loses nothing, and the next try ends well. */
Test(space_pairs, out_of_memory_anywhere_is_survived)
{
    Model *m = model_create(0.02);
    Draw d = draw_seed(13);
    for (int k = 0; k < 40; k++)
        m->def[k] = draw_def(m, &d, k);
    int32_t expected = -1, count;
    cr_assert_eq(build_and_ask(m->space, m, &expected), RG_OK);
    int failures = 0;
    for (long fail = 2;; fail++) {
        Counting counting = {.fail_at = fail};
        RgAllocator allocator = counting_allocator(&counting);
        RgSpace *space = space_with(&allocator, 0.02);
        RgStatus status = build_and_ask(space, m, &count);
        cr_assert(status == RG_OK || status == RG_ERR_MEMORY);
        bool failed = status == RG_ERR_MEMORY;
        counting.fail_at = 0;
        cr_assert_eq(build_and_ask(space, m, &count), RG_OK);
        cr_expect_eq(count, expected);
        rg_space_destroy(space);
        cr_expect_eq(counting.blocks, 0);
        failures += failed;
        if (!failed)
            break;
    }
    cr_expect_gt(failures, 20);
    model_destroy(m);
}
