/* test_broadphase_tree.c - the tree of boxes: its shape, and every question against a walk over all boxes. */
#include "base/alloc.h"
#include "check_near.h"
#include "collision/broadphase_tree.h"
#include "counting.h"
#include "draw.h"

#include <stdlib.h>
#include <string.h>

#define CROWD 300

/* ------------------------------------------------------------------ boxes */

static RgBounds box_at(RgVec3 c, RgVec3 half)
{
    return (RgBounds){vec_sub(c, half), vec_add(c, half)};
}

/* In the cube of half width r, sides up to 2 s. */
static RgBounds draw_box(Draw *d, double r, double s)
{
    RgVec3 half = vec(draw_between(d, 0.0, s), draw_between(d, 0.0, s), draw_between(d, 0.0, s));
    return box_at(draw_vec(d, r), half);
}

static RgBounds shifted(RgBounds box, RgVec3 by)
{
    return (RgBounds){vec_add(box.low, by), vec_add(box.high, by)};
}

static const RgBounds *fat(const RgBoxTree *t, int32_t p)
{
    return &t->nodes[2 * p].box;
}

static RgBoxTree tree_of(int32_t room, double fattening)
{
    RgBoxTree tree;
    rg_box_tree_init(&tree, NULL, fattening);
    cr_assert(rg_box_tree_reserve(&tree, room));
    return tree;
}

/* ------------------------------------------------------------------ shape */

/* Leaves below a; every node holds its children, knows its height and is balanced. */
static int32_t check_node(const RgBoxTree *t, int32_t a)
{
    const RgBoxNode *node = &t->nodes[a];
    if (node->height == 0) {
        cr_assert_eq(a % 2, 0);
        return 1;
    }
    cr_assert_eq(a % 2, 1);
    int32_t leaves = 0;
    const RgBoxNode *child[2];
    for (int k = 0; k < 2; k++) {
        child[k] = &t->nodes[node->child[k]];
        cr_assert_eq(child[k]->parent, a);
        cr_assert(rg_box_contains(&node->box, &child[k]->box));
        leaves += check_node(t, node->child[k]);
    }
    cr_assert_leq(abs(child[0]->height - child[1]->height), 1);
    int32_t higher = child[0]->height > child[1]->height ? child[0]->height : child[1]->height;
    cr_assert_eq(node->height, higher + 1);
    return leaves;
}

static void check_tree(const RgBoxTree *t)
{
    if (t->count == 0) {
        cr_assert_eq(t->root, -1);
        return;
    }
    cr_assert_eq(t->nodes[t->root].parent, -1);
    cr_assert_eq(check_node(t, t->root), t->count);
    cr_assert_leq(t->nodes[t->root].height, 1.45 * log2(t->count + 2));
    int32_t free_nodes = 0;
    for (int32_t a = t->free_inner; a >= 0; a = t->nodes[a].child[0])
        free_nodes++;
    cr_assert_eq(free_nodes + t->count - 1, t->capacity);
    for (int32_t p = 0; p < t->limit; p++) {
        if (!rg_box_tree_has(t, p))
            continue;
        RgBounds kept = rg_box_guaranteed(&t->nodes[2 * p]);
        cr_assert(rg_box_contains(fat(t, p), &t->tight[p]));
        for (int k = 0; k < 3; k++) {
            cr_assert_leq((&t->tight[p].low.x)[k], (&kept.low.x)[k]);
            cr_assert_geq((&t->tight[p].high.x)[k], (&kept.high.x)[k]);
        }
    }
}

/* ------------------------------------------------------------------ answers */

typedef struct Tally {
    int32_t n;
    uint8_t *seen; /* n * n, or n */
} Tally;

static Tally tally(int32_t n, bool pairs)
{
    return (Tally){n, calloc((size_t)n * (pairs ? (size_t)n : 1), 1)};
}

static void see_pair(void *context, int32_t a, int32_t b)
{
    Tally *t = context;
    cr_assert_neq(a, b);
    t->seen[(a < b ? a : b) * t->n + (a < b ? b : a)]++;
}

static void see_directed(void *context, int32_t a, int32_t b)
{
    Tally *t = context;
    t->seen[a * t->n + b]++;
}

static void see(void *context, int32_t p)
{
    ((Tally *)context)->seen[p]++;
}

/* Every pair exactly once, and no other. */
static void check_pairs(const RgBoxTree *t, double margin)
{
    Tally seen = tally(t->limit, true);
    rg_box_tree_pairs(t, margin, see_pair, &seen);
    for (int32_t a = 0; a < t->limit; a++)
        for (int32_t b = a + 1; b < t->limit; b++) {
            bool near = rg_box_tree_has(t, a) && rg_box_tree_has(t, b) && rg_box_gap(fat(t, a), fat(t, b)) <= margin;
            cr_assert_eq(seen.seen[a * t->limit + b], near, "%d %d: %d", a, b, seen.seen[a * t->limit + b]);
        }
    free(seen.seen);
}

/* Pairs of some proxies: each with every other one near it, as (that proxy, the other). */
static void check_pairs_of(const RgBoxTree *t, Draw *d, double margin)
{
    int32_t some[10] = {0}, n = draw_below(d, 10);
    Tally seen = {t->limit, calloc((size_t)t->limit * (size_t)t->limit, 1)};
    for (int32_t i = 0; i < n; i++)
        some[i] = (7 * i + draw_below(d, 7)) % t->limit;
    rg_box_tree_pairs_of(t, some, n, margin, see_directed, &seen);
    for (int32_t i = 0; i < n; i++)
        for (int32_t b = 0; b < t->limit; b++) {
            int32_t a = some[i];
            bool near =
                a != b && rg_box_tree_has(t, a) && rg_box_tree_has(t, b) && rg_box_gap(fat(t, a), fat(t, b)) <= margin;
            cr_assert_eq(seen.seen[a * t->limit + b], near);
            seen.seen[a * t->limit + b] = 0;
        }
    for (int32_t i = 0; i < t->limit * t->limit; i++)
        cr_assert_eq(seen.seen[i], 0);
    free(seen.seen);
}

static void check_overlap(const RgBoxTree *t, const RgBounds *box, double margin)
{
    Tally seen = tally(t->limit, false);
    rg_box_tree_overlap(t, box, margin, see, &seen);
    for (int32_t p = 0; p < t->limit; p++)
        cr_assert_eq(seen.seen[p], rg_box_tree_has(t, p) && rg_box_gap(fat(t, p), box) <= margin);
    free(seen.seen);
}

static void check_below(const RgBoxTree *t, const RgHalfSpace *space, double margin)
{
    Tally seen = tally(t->limit, false);
    rg_box_tree_below(t, space, margin, see, &seen);
    for (int32_t p = 0; p < t->limit; p++)
        cr_assert_eq(seen.seen[p], rg_box_tree_has(t, p) && rg_box_above(fat(t, p), space) <= margin);
    free(seen.seen);
}

static double see_all(void *context, int32_t p, double reach)
{
    ((Tally *)context)->seen[p]++;
    return reach;
}

static void check_ray(const RgBoxTree *t, const RgBoxRay *ray)
{
    Tally seen = tally(t->limit, false);
    rg_box_tree_ray(t, ray, see_all, &seen);
    for (int32_t p = 0; p < t->limit; p++)
        cr_assert_eq(seen.seen[p], rg_box_tree_has(t, p) && rg_box_ray_enter(ray, fat(t, p)) < INFINITY);
    free(seen.seen);
}

static void check_questions(const RgBoxTree *t, Draw *d, double r)
{
    RgBounds box = draw_box(d, r, 0.3 * r);
    RgVec3 n = draw_direction(d);
    check_pairs(t, draw_chance(d, 0.5) ? 0.0 : draw_between(d, 0.0, 0.2 * r));
    check_overlap(t, &box, draw_between(d, 0.0, 0.1 * r));
    if (t->limit >= 70)
        check_pairs_of(t, d, draw_between(d, 0.0, 0.2 * r));
    check_below(t, &(RgHalfSpace){n, draw_between(d, -r, r)}, 0.05 * r);
    RgBoxRay ray = rg_box_ray(draw_vec(d, 1.5 * r), draw_direction(d), draw_between(d, 0.0, 3.0 * r));
    check_ray(t, &ray);
}

/* ------------------------------------------------------------------ tests */

/* One of: come, go, move a little, move far, take to a better place, all anew. */
static void one_change(RgBoxTree *t, Draw *d, RgBounds *boxes)
{
    int32_t p = draw_below(d, CROWD);
    double what = draw_between(d, 0.0, 1.0);
    if (!rg_box_tree_has(t, p)) {
        boxes[p] = draw_box(d, 2.0, 0.5);
        rg_box_tree_insert(t, p, &boxes[p]);
    } else if (what < 0.2) {
        rg_box_tree_remove(t, p);
    } else {
        boxes[p] = shifted(boxes[p], draw_vec(d, what < 0.8 ? 0.03 : 1.0));
        bool left = rg_box_tree_move(t, p, &boxes[p]);
        if (left && what > 0.4)
            rg_box_tree_reinsert(t, p);
    }
    if (draw_chance(d, 0.005))
        rg_box_tree_refresh(t);
    t->clock += draw_chance(d, 0.1);
}

Test(broadphase_tree, any_history_answers_as_all_boxes_do)
{
    static RgBounds boxes[CROWD];
    for (uint64_t seed = 0; seed < 5; seed++) {
        Draw d = draw_seed(seed);
        RgBoxTree tree = tree_of(CROWD, 0.02);
        for (int step = 0; step < 4000; step++) {
            one_change(&tree, &d, boxes);
            if (step % 20 == 0) {
                check_tree(&tree);
                check_questions(&tree, &d, 2.0);
            }
        }
        for (int32_t p = 0; p < CROWD; p++)
            if (rg_box_tree_has(&tree, p))
                rg_box_tree_remove(&tree, p);
        check_tree(&tree);
        rg_box_tree_free(&tree);
    }
}

Test(broadphase_tree, empty_tree_and_single_leaf_answer)
{
    Draw d = draw_seed(1);
    RgBoxTree tree;
    rg_box_tree_init(&tree, NULL, 0.02);
    rg_box_tree_pairs(&tree, 0.0, see_pair, NULL);
    rg_box_tree_refresh(&tree);
    cr_assert(rg_box_tree_reserve(&tree, 3));
    check_questions(&tree, &d, 1.0);
    RgBounds box = draw_box(&d, 1.0, 1.0);
    rg_box_tree_insert(&tree, 2, &box);
    rg_box_tree_reinsert(&tree, 2);
    rg_box_tree_refresh(&tree);
    check_tree(&tree);
    check_questions(&tree, &d, 1.0);
    rg_box_tree_remove(&tree, 2);
    check_tree(&tree);
    rg_box_tree_free(&tree);
}

/* A motion within the fat box changes no node. */
Test(broadphase_tree, small_motion_changes_nothing)
{
    Draw d = draw_seed(2);
    RgBoxTree tree = tree_of(100, 0.05);
    RgBounds boxes[100];
    for (int32_t p = 0; p < 100; p++) {
        boxes[p] = draw_box(&d, 1.0, 0.2);
        rg_box_tree_insert(&tree, p, &boxes[p]);
    }
    size_t bytes = 200 * sizeof(RgBoxNode);
    RgBoxNode *before = malloc(bytes);
    memcpy(before, tree.nodes, bytes);
    for (int32_t p = 0; p < 100; p++) {
        RgBounds moved = shifted(boxes[p], draw_vec(&d, 0.049));
        cr_expect_not(rg_box_tree_move(&tree, p, &moved));
        cr_expect_eq(memcmp(&moved, &tree.tight[p], sizeof moved), 0);
    }
    cr_expect_eq(memcmp(before, tree.nodes, bytes), 0);
    RgBounds moved = shifted(boxes[0], vec(0.051, 0.0, 0.0));
    cr_expect(rg_box_tree_move(&tree, 0, &moved));
    free(before);
    rg_box_tree_free(&tree);
}

/* A box that shrinks by more than the room is told too, though it stays inside: others keep what it held. */
Test(broadphase_tree, shrinking_box_is_told)
{
    RgBoxTree tree = tree_of(1, 0.05);
    RgBounds box = box_at(vec(0.0, 0.0, 0.0), vec(1.0, 1.0, 1.0));
    rg_box_tree_insert(&tree, 0, &box);
    RgBounds less = box_at(vec(0.0, 0.0, 0.0), vec(0.96, 1.0, 1.0));
    cr_expect_not(rg_box_tree_move(&tree, 0, &less));
    less = box_at(vec(0.0, 0.0, 0.0), vec(0.94, 1.0, 1.0));
    cr_expect(rg_box_tree_move(&tree, 0, &less));
    rg_box_tree_free(&tree);
}

/* What moves steadily by the fattening itself gets a box that reaches ahead: it leaves once in eight steps or
   less. */
Test(broadphase_tree, steady_motion_is_foreseen)
{
    RgBoxTree tree = tree_of(1, 0.02);
    RgBounds box = box_at(vec(0.0, 0.0, 0.0), vec(0.5, 0.5, 0.5));
    rg_box_tree_insert(&tree, 0, &box);
    int left = 0;
    for (int step = 0; step < 200; step++) {
        tree.clock++;
        box = shifted(box, vec(0.01, -0.02, 0.005));
        left += rg_box_tree_move(&tree, 0, &box);
    }
    cr_expect_leq(left, 200 / 8 + 1);
    cr_expect_geq(left, 200 / 12);
    rg_box_tree_free(&tree);
}

/* 2000 boxes, and 2000 points, at one place: as balanced as any other tree. */
Test(broadphase_tree, identical_boxes_stay_balanced)
{
    for (int k = 0; k < 2; k++) {
        double half = k == 0 ? 0.5 : 0.0;
        RgBounds box = box_at(vec(1.0, 2.0, 3.0), vec(half, half, half));
        RgBoxTree tree = tree_of(2000, k == 0 ? 0.02 : 0.0);
        for (int32_t p = 0; p < 2000; p++)
            rg_box_tree_insert(&tree, p, &box);
        check_tree(&tree);
        check_pairs(&tree, 0.0);
        rg_box_tree_refresh(&tree);
        check_tree(&tree);
        cr_expect_eq(tree.nodes[tree.root].height, 11);
        check_pairs(&tree, 0.0);
        for (int32_t p = 0; p < 2000; p += 2)
            rg_box_tree_remove(&tree, p);
        check_tree(&tree);
        rg_box_tree_free(&tree);
    }
}

/* Sides from 1e-9 to 1e9 m, places as far as 1e150 m: nothing overflows into NaN. */
Test(broadphase_tree, huge_and_tiny_boxes_live_together)
{
    Draw d = draw_seed(4);
    RgBoxTree tree = tree_of(CROWD, 0.02);
    for (int32_t p = 0; p < CROWD; p++) {
        double size = pow(10.0, draw_between(&d, -9.0, 9.0)), far = pow(10.0, draw_between(&d, -3.0, 9.0));
        if (p % 50 == 0)
            far = size = 1e150;
        RgBounds box = draw_box(&d, far, size);
        rg_box_tree_insert(&tree, p, &box);
        check_tree(&tree);
    }
    for (int i = 0; i < 20; i++)
        check_questions(&tree, &d, pow(10.0, draw_between(&d, -3.0, 9.0)));
    rg_box_tree_refresh(&tree);
    check_tree(&tree);
    check_questions(&tree, &d, 1e9);
    rg_box_tree_free(&tree);
}

/* Places in orders that are bad for many trees: sorted, and ever farther apart. */
Test(broadphase_tree, sorted_places_stay_balanced)
{
    for (int k = 0; k < 2; k++) {
        RgBoxTree tree = tree_of(1000, 0.0);
        for (int32_t p = 0; p < 1000; p++) {
            double x = k == 0 ? 0.4 * p : pow(1.3, 0.1 * p);
            RgBounds box = box_at(vec(x, 0.0, 0.0), vec(0.5, 0.5, 0.5));
            rg_box_tree_insert(&tree, p, &box);
        }
        check_tree(&tree);
        check_pairs(&tree, 0.0);
        rg_box_tree_refresh(&tree);
        check_tree(&tree);
        cr_expect_eq(tree.nodes[tree.root].height, 10);
        check_pairs(&tree, 0.0);
        rg_box_tree_free(&tree);
    }
}

static double surface_sum(const RgBoxTree *t)
{
    double sum = 0.0;
    for (int32_t a = 1; a < 2 * t->capacity; a += 2) {
        if (t->nodes[a].height <= 0)
            continue;
        RgVec3 s = vec_sub(t->nodes[a].box.high, t->nodes[a].box.low);
        sum += s.x * s.y + s.y * s.z + s.z * s.x;
    }
    return sum;
}

/* A tree made leaf by leaf, and one whose leaves have wandered far, are as good as one built at once: their
   surface is larger by a tenth at most. */
Test(broadphase_tree, grown_tree_is_as_good_as_a_built_one)
{
    Draw d = draw_seed(5);
    RgBoxTree tree = tree_of(2000, 0.02);
    RgBounds *boxes = malloc(2000 * sizeof *boxes);
    for (int32_t p = 0; p < 2000; p++) {
        boxes[p] = draw_box(&d, 5.0, 0.5);
        rg_box_tree_insert(&tree, p, &boxes[p]);
    }
    double grown = surface_sum(&tree);
    rg_box_tree_refresh(&tree);
    double built = surface_sum(&tree);
    cr_expect_leq(grown, 1.1 * built, "%g v %g", grown, built);
    for (int step = 0; step < 20; step++)
        for (int32_t p = 0; p < 2000; p++) {
            boxes[p] = shifted(boxes[p], draw_vec(&d, 0.5));
            if (rg_box_tree_move(&tree, p, &boxes[p]))
                rg_box_tree_reinsert(&tree, p);
        }
    double wandered = surface_sum(&tree);
    tree.surface = 0.0;
    tree.clock++;
    rg_box_tree_refresh(&tree);
    cr_expect_leq(wandered, 1.1 * surface_sum(&tree), "%g v %g", wandered, surface_sum(&tree));
    free(boxes);
    rg_box_tree_free(&tree);
}

/* ------------------------------------------------------------------ rays */

typedef struct Nearest {
    const RgBoxTree *tree;
    const RgBoxRay *ray;
    double enter;
    int visits;
} Nearest;

static double see_nearest(void *context, int32_t p, double reach)
{
    Nearest *n = context;
    double enter = rg_box_ray_enter(n->ray, fat(n->tree, p));
    cr_assert_leq(enter, reach);
    n->visits++;
    n->enter = fmin(n->enter, enter);
    return fmin(reach, enter);
}

/* With a reach that shrinks to what was found, the nearest box is found, and few others are looked at. */
Test(broadphase_tree, ray_finds_the_nearest_box)
{
    Draw d = draw_seed(6);
    RgBoxTree tree = tree_of(2000, 0.02);
    for (int32_t p = 0; p < 2000; p++) {
        RgBounds box = draw_box(&d, 5.0, 0.2);
        rg_box_tree_insert(&tree, p, &box);
    }
    int visits = 0;
    for (int i = 0; i < 1000; i++) {
        RgBoxRay ray = rg_box_ray(draw_vec(&d, 8.0), draw_direction(&d), INFINITY);
        Nearest nearest = {&tree, &ray, INFINITY, 0};
        rg_box_tree_ray(&tree, &ray, see_nearest, &nearest);
        double expected = INFINITY;
        for (int32_t p = 0; p < 2000; p++)
            expected = fmin(expected, rg_box_ray_enter(&ray, fat(&tree, p)));
        cr_assert_eq(nearest.enter, expected);
        visits += nearest.visits;
    }
    cr_expect_leq(visits, 5 * 1000);
    rg_box_tree_free(&tree);
}

/* Entry against the closed form: points of the ray on either side of it are outside and inside. */
Test(broadphase_tree, ray_enters_where_it_should)
{
    Draw d = draw_seed(7);
    int hits = 0;
    for (int i = 0; i < 20000; i++) {
        RgBounds box = draw_box(&d, 1.0, 1.0);
        RgVec3 o = draw_vec(&d, 2.0), v = vec_sub(draw_vec(&d, 1.0), o);
        if (i % 3 == 0)
            (&v.x)[draw_below(&d, 3)] = 0.0;
        v = vec_scale(1.0 / vec_norm(v), v);
        RgBoxRay ray = rg_box_ray(o, v, 10.0);
        double enter = rg_box_ray_enter(&ray, &box);
        double inside = enter < INFINITY ? enter + 1e-12 : 0.0;
        RgBounds at = {vec_add(o, vec_scale(inside, v)), vec_add(o, vec_scale(inside, v))};
        hits += enter < INFINITY;
        if (enter < INFINITY)
            cr_assert_leq(rg_box_gap(&box, &at), 1e-11);
        for (double t = 0.0; t < fmin(enter, 10.0) - 1e-9; t += 0.05) {
            RgBounds x = {vec_add(o, vec_scale(t, v)), vec_add(o, vec_scale(t, v))};
            cr_assert_gt(rg_box_gap(&box, &x), 0.0);
        }
    }
    cr_expect_gt(hits, 4000, "%d", hits);
}

/* Along a side, along an edge, into a corner, in the plane of a flat box; from inside; too short; away. */
Test(broadphase_tree, ray_along_the_sides_of_a_box)
{
    RgBounds box = {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}}, flat = {{0.0, 0.0, 0.5}, {1.0, 1.0, 0.5}};
    RgBoxRay side = rg_box_ray(vec(-1.0, 0.5, 1.0), vec(1.0, 0.0, 0.0), 10.0);
    RgBoxRay edge = rg_box_ray(vec(-1.0, 1.0, 1.0), vec(1.0, 0.0, 0.0), 10.0);
    RgBoxRay corner = rg_box_ray(vec(-1.0, 2.0, 2.0), vec(1.0, -1.0, -1.0), 10.0);
    RgBoxRay in_plane = rg_box_ray(vec(-2.0, 0.5, 0.5), vec(1.0, 0.0, 0.0), 10.0);
    RgBoxRay inside = rg_box_ray(vec(0.5, 0.5, 0.5), vec(0.0, 0.0, -1.0), 0.0);
    RgBoxRay brief = rg_box_ray(vec(-1.0, 0.5, 0.5), vec(1.0, 0.0, 0.0), 0.999);
    RgBoxRay away = rg_box_ray(vec(-1.0, 0.5, 0.5), vec(-1.0, 0.0, 0.0), INFINITY);
    RgBoxRay beside = rg_box_ray(vec(-1.0, 0.5, 1.0 + 1e-12), vec(1.0, 0.0, 0.0), 10.0);
    cr_expect_eq(rg_box_ray_enter(&side, &box), 1.0);
    cr_expect_eq(rg_box_ray_enter(&edge, &box), 1.0);
    cr_expect_eq(rg_box_ray_enter(&corner, &box), 1.0);
    cr_expect_eq(rg_box_ray_enter(&in_plane, &flat), 2.0);
    cr_expect_eq(rg_box_ray_enter(&inside, &box), 0.0);
    cr_expect_eq(rg_box_ray_enter(&brief, &box), (double)INFINITY);
    cr_expect_eq(rg_box_ray_enter(&away, &box), (double)INFINITY);
    cr_expect_eq(rg_box_ray_enter(&beside, &box), (double)INFINITY);
}

/* ------------------------------------------------------------------ memory */

Test(broadphase_tree, growth_that_fails_changes_nothing)
{
    Draw d = draw_seed(8);
    for (long fail = 1; fail <= 6; fail++) {
        Counting counting = {.fail_at = 0};
        RgAllocator allocator = counting_allocator(&counting);
        RgBoxTree tree;
        rg_box_tree_init(&tree, &allocator, 0.02);
        cr_assert(rg_box_tree_reserve(&tree, 4));
        for (int32_t p = 0; p < 4; p++) {
            RgBounds box = draw_box(&d, 1.0, 0.5);
            rg_box_tree_insert(&tree, p, &box);
        }
        counting.fail_at = counting.calls + fail;
        cr_expect_eq(rg_box_tree_reserve(&tree, 100), fail == 6);
        check_tree(&tree);
        check_pairs(&tree, 0.1);
        counting.fail_at = 0;
        cr_expect(rg_box_tree_reserve(&tree, 100));
        check_tree(&tree);
        check_pairs(&tree, 0.1);
        rg_box_tree_free(&tree);
        cr_expect_eq(counting.blocks, 0);
    }
}
