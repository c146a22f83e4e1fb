/*
 * space_pairs.c - the pairs of colliders that may touch, sorted by key.
 *
 * The near pairs of space.h persist between calls. A call
 *   1. finds the pairs of the stale colliders and replaces their old ones; or, if that is more work, rebuilds all fat
 *      boxes and finds all pairs, tree against tree;
 *   2. tests the tight boxes of the doubtful pairs of which one has moved, and copies the pairs that touch.
 *
 * Threads share the traversal of the tree by its inner nodes, each with its own list, and the tests.
 *
 * Both ways give the same list, since it is sorted and the tight test decides: it does not depend on earlier calls or
 * on the order of insertion. Found pairs are sorted by counting, first by the second key, then by the first (n +
 * pairs).
 *
 * Cost: one pass over the near pairs per call; a stale collider costs about log n + its neighbours. If all colliders
 * move steadily, all fat boxes are rebuilt about once in 8 + fattening / (motion per call) calls. If memory runs out,
 * the next call rebuilds the list.
 */
#include "collision/space.h"

#include "base/alloc.h"

#include <stdatomic.h>
#include <string.h>

/* All pairs are searched again if more than 1 / STALE_PART of all colliders are stale at once, */
#define STALE_PART 12
/* or more than 1 / WORK_PART have been since the last rebuild, while most of them move. */
#define WORK_PART 4

/* The list is made for this multiple of the requested margin, so that a slowly growing margin does not rebuild it at
   each call. */
#define MARGIN_SPARE 1.25

/* Factor on a reach, so that the round-off of adding it to a side is covered. */
#define REACH_ROUND_OFF 1.01

/* Inner nodes and pairs per thread pool job; initial capacity of a thread's list. */
#define NODES_PER_JOB 64
#define PAIRS_PER_JOB 512
#define FIRST_LIST_CAPACITY 64

/* After this many consecutive calls with less than half the margin, the list is made for a smaller one. */
#define SPARE_CALLS 16

void rg_near_pairs_free(RgNearPairs *near, const RgAllocator *allocator)
{
    rg_free(allocator, near->list.pairs);
    rg_free(allocator, near->other.pairs);
    rg_free(allocator, near->found.pairs);
    rg_free(allocator, near->answer.pairs);
    for (int32_t i = 0; i < near->nparts; i++)
        rg_free(allocator, near->parts[i].pairs);
    rg_free(allocator, near->parts);
    rg_free(allocator, near->marks);
    rg_free(allocator, near->other_marks);
    rg_free(allocator, near->doubtful);
}

/* ------------------------------------------------------------------ lists */

/* Makes room for count pairs, plus half as many, so that small changes need no allocation. */
static bool list_reserve(RgPairList *list, const RgAllocator *allocator, int32_t count)
{
    if (count <= list->capacity)
        return true;
    if (count > INT32_MAX / 4)
        return false;
    int32_t capacity = count + count / 2 + 16;
    RgColliderPair *pairs = rg_realloc(allocator, list->pairs, (size_t)list->count, (size_t)capacity, sizeof *pairs);
    if (pairs == NULL)
        return false;
    list->pairs = pairs;
    list->capacity = capacity;
    return true;
}

/* Makes room for the merged list and its answer. */
static bool near_reserve(RgNearPairs *near, const RgAllocator *allocator, int32_t count)
{
    if (!list_reserve(&near->list, allocator, count) || !list_reserve(&near->other, allocator, count) ||
        !list_reserve(&near->answer, allocator, count))
        return false;
    if (count <= near->capacity)
        return true;
    size_t capacity = (size_t)near->list.capacity, old = (size_t)near->capacity;
    uint8_t *marks = rg_realloc(allocator, near->marks, old, capacity, 1);
    if (marks == NULL)
        return false;
    near->marks = marks;
    marks = rg_realloc(allocator, near->other_marks, old, capacity, 1);
    if (marks == NULL)
        return false;
    near->other_marks = marks;
    int32_t *doubtful = rg_realloc(allocator, near->doubtful, old, capacity, sizeof *doubtful);
    if (doubtful == NULL)
        return false;
    near->doubtful = doubtful;
    near->capacity = near->list.capacity;
    return true;
}

/* Sorts pairs of ranks by one of their two members, stably. bins: nranks + 1. */
static void sort_by(int which, const RgPairList *from, RgColliderPair *to, int32_t *bins, int32_t nranks)
{
    memset(bins, 0, ((size_t)nranks + 1) * sizeof *bins);
    for (int32_t i = 0; i < from->count; i++)
        bins[1 + (which == 0 ? from->pairs[i].a.i : from->pairs[i].b.i)]++;
    for (int32_t r = 0; r < nranks; r++)
        bins[r + 1] += bins[r];
    for (int32_t i = 0; i < from->count; i++)
        to[bins[which == 0 ? from->pairs[i].a.i : from->pairs[i].b.i]++] = from->pairs[i];
}

/* ------------------------------------------------------------------ finding */

/* A search for pairs, which are collected as pairs of ranks. */
typedef struct Search {
    RgSpace *space;
    RgPairList *found;
    int32_t slot; /* the collider whose pairs are searched */
    bool fixed;   /* the list must not grow */
    bool failed;  /* the list is full, or memory has run out */
} Search;

static void add_pair(void *context, int32_t a, int32_t b)
{
    Search *s = context;
    RgSpace *space = s->space;
    RgPairList *found = s->found;
    if (!rg_pair_filter_allows(&space->filter, &space->tags[a], &space->tags[b]))
        return;
    if (found->count == found->capacity && (s->fixed || !list_reserve(found, &space->allocator, found->count + 1))) {
        s->failed = true;
        return;
    }
    int32_t x = space->rank[a], y = space->rank[b];
    found->pairs[found->count++] = x < y ? (RgColliderPair){{x}, {y}} : (RgColliderPair){{y}, {x}};
}

/* Adds a pair of a stale collider. If both are stale, the pair occurs twice, and only the one with the higher slot as a
   counts. */
static void add_pair_of_stale(void *context, int32_t a, int32_t b)
{
    const Search *s = context;
    bool other_finds = (s->space->state[b] & RG_SLOT_STALE) != 0 && b > a;
    if (!other_finds)
        add_pair(context, a, b);
}

/* Adds a pair with the half-space of the slot. */
static void add_below_plane(void *context, int32_t other)
{
    const Search *s = context;
    add_pair(context, s->slot, other);
}

static void add_below_stale_plane(void *context, int32_t other)
{
    const Search *s = context;
    add_pair_of_stale(context, s->slot, other);
}

/* Height over a half-space within which a fat box is near it. */
static double near_height(const RgSpace *space, int32_t slot)
{
    return space->near.margin + REACH_ROUND_OFF * space->reach[slot];
}

/* Half-spaces near one stale collider. */
static void find_planes_of(Search *s, int32_t slot)
{
    const RgSpace *space = s->space;
    const RgBounds *fat = &space->tree.nodes[2 * slot].box;
    for (int32_t i = 0; i < space->nplanes; i++)
        if (rg_box_above(fat, &space->halves[space->planes[i]]) <= near_height(space, space->planes[i]))
            add_pair_of_stale(s, slot, space->planes[i]);
}

/* Pairs of all stale colliders. */
static void find_stale(Search *s)
{
    RgSpace *space = s->space;
    double margin = space->near.margin;
    rg_box_tree_pairs_of(&space->tree, space->stale, space->nstale, margin, add_pair_of_stale, s);
    for (int32_t i = 0; i < space->nstale; i++) {
        s->slot = space->stale[i];
        if ((space->state[s->slot] & RG_SLOT_PLANE) != 0)
            rg_box_tree_below(&space->tree, &space->halves[s->slot], near_height(space, s->slot), add_below_stale_plane,
                              s);
        else if ((space->state[s->slot] & RG_SLOT_USED) != 0)
            find_planes_of(s, s->slot);
    }
}

/* Finds the pairs at the tree nodes of a part. */
static void find_part(RgSpace *space, int32_t part, bool fixed)
{
    int32_t first = part * NODES_PER_JOB, capacity = space->tree.capacity,
            range[2] = {first, capacity - first < NODES_PER_JOB ? capacity : first + NODES_PER_JOB};
    RgPairList *found = &space->near.parts[part];
    found->count = 0;
    Search search = {.space = space, .found = found, .slot = -1, .fixed = fixed};
    rg_box_tree_pairs_at(&space->tree, range, space->near.margin, add_pair, &search);
    if (search.failed)
        found->count = -1;
}

static void find_parts(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    for (int32_t i = first; i < end; i++)
        find_part(context, i, true);
}

static bool reserve_parts(RgSpace *space, int32_t count)
{
    RgNearPairs *near = &space->near;
    if (count > near->nparts) {
        RgPairList *parts =
            rg_realloc(&space->allocator, near->parts, (size_t)near->nparts, (size_t)count, sizeof *parts);
        if (parts == NULL)
            return false;
        memset(parts + near->nparts, 0, (size_t)(count - near->nparts) * sizeof *parts);
        near->parts = parts;
        near->nparts = count;
    }
    for (int32_t i = 0; i < count; i++) {
        near->parts[i].count = 0;
        if (!list_reserve(&near->parts[i], &space->allocator, FIRST_LIST_CAPACITY))
            return false;
    }
    return true;
}

/* Finds the pairs of bounded colliders with all threads. Returns false if memory has run out. */
static bool find_by_threads(RgSpace *space)
{
    RgNearPairs *near = &space->near;
    int32_t count = (space->tree.capacity + NODES_PER_JOB - 1) / NODES_PER_JOB;
    if (!reserve_parts(space, count))
        return false;
    rg_parallel_for(space->thread_pool, count, 1, find_parts, space);
    for (int32_t i = 0; i < count; i++) {
        const RgPairList *part = &near->parts[i];
        if (part->count < 0)
            find_part(space, i, false);
        if (part->count < 0 || !list_reserve(&near->found, &space->allocator, near->found.count + part->count))
            return false;
        if (part->count > 0)
            memcpy(near->found.pairs + near->found.count, part->pairs, (size_t)part->count * sizeof *part->pairs);
        near->found.count += part->count;
    }
    return true;
}

static void find_all(Search *s)
{
    RgSpace *space = s->space;
    double margin = space->near.margin;
    if (rg_thread_pool_size(space->thread_pool) > 1)
        s->failed = !find_by_threads(space);
    else
        rg_box_tree_pairs(&space->tree, margin, add_pair, s);
    for (int32_t i = 0; i < space->nplanes; i++) {
        s->slot = space->planes[i];
        rg_box_tree_below(&space->tree, &space->halves[s->slot], near_height(space, s->slot), add_below_plane, s);
    }
}

/* ------------------------------------------------------------------ update of the list */

/* Sorts the found pairs, and converts ranks to slots. Uses the list "other" as scratch. */
static void sort_found(RgSpace *space)
{
    RgNearPairs *near = &space->near;
    RgPairList *found = &near->found;
    if (found->count == 0)
        return;
    near->other.count = found->count;
    sort_by(1, found, near->other.pairs, space->bins, space->count);
    sort_by(0, &near->other, found->pairs, space->bins, space->count);
    for (int32_t i = 0; i < found->count; i++) {
        RgColliderPair *pair = &found->pairs[i];
        *pair = (RgColliderPair){{space->order[pair->a.i]}, {space->order[pair->b.i]}};
    }
}

static bool comes_before(const RgSpace *space, RgColliderPair x, RgColliderPair y)
{
    int32_t a = space->rank[x.a.i], b = space->rank[y.a.i];
    return a < b || (a == b && space->rank[x.b.i] < space->rank[y.b.i]);
}

/* Rank of the first collider of pair i; beyond the end, higher than all. */
static int32_t first_rank(const RgSpace *space, const RgPairList *list, int32_t i)
{
    return i < list->count ? space->rank[list->pairs[i].a.i] : INT32_MAX;
}

/* Returns flags that state that two colliders touch as long as neither leaves its fat box. rg_box_guaranteed gives swept
   boxes: the tight ones are smaller by their reach. */
static uint8_t certain_mark(const RgSpace *space, RgColliderPair pair)
{
    int32_t a = pair.a.i, b = pair.b.i;
    if (((space->state[a] | space->state[b]) & RG_SLOT_PLANE) != 0)
        return 0;
    RgBounds kept_a = rg_box_guaranteed(&space->tree.nodes[2 * a]),
             kept_b = rg_box_guaranteed(&space->tree.nodes[2 * b]);
    double reach = space->tree.reach[a] + space->tree.reach[b];
    return rg_box_gap(&kept_a, &kept_b) <= -REACH_ROUND_OFF * reach ? RG_PAIR_CERTAIN | RG_PAIR_TOUCHES : 0;
}

static void mark_range(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const RgSpace *space = context;
    for (int32_t i = first; i < end; i++)
        space->near.marks[i] = certain_mark(space, space->near.list.pairs[i]);
}

/* Merges the list, without the pairs of stale colliders, with the found pairs. */
static void merge_found(RgSpace *space)
{
    RgNearPairs *near = &space->near;
    const RgPairList *list = &near->list, *found = &near->found;
    RgPairList *out = &near->other;
    const uint8_t *state = space->state;
    int32_t n = 0, next = 0, next_rank = first_rank(space, found, 0);
    for (int32_t i = 0; i < list->count; i++) {
        RgColliderPair pair = list->pairs[i];
        if (((state[pair.a.i] | state[pair.b.i]) & RG_SLOT_STALE) != 0)
            continue;
        while (next_rank <= space->rank[pair.a.i] && comes_before(space, found->pairs[next], pair)) {
            near->other_marks[n] = certain_mark(space, found->pairs[next]);
            out->pairs[n++] = found->pairs[next++];
            next_rank = first_rank(space, found, next);
        }
        near->other_marks[n] = near->marks[i];
        out->pairs[n++] = pair;
    }
    for (; next < found->count; next++) {
        near->other_marks[n] = certain_mark(space, found->pairs[next]);
        out->pairs[n++] = found->pairs[next];
    }
    out->count = n;

    RgPairList old = near->list;
    near->list = near->other;
    near->other = old;
    uint8_t *old_marks = near->marks;
    near->marks = near->other_marks;
    near->other_marks = old_marks;
}

static void list_doubtful(RgNearPairs *near)
{
    int32_t n = 0;
    for (int32_t i = 0; i < near->list.count; i++) {
        near->doubtful[n] = i;
        n += near->marks[i] < RG_PAIR_CERTAIN;
    }
    near->ndoubtful = n;
    near->copied = false;
}

/* Rebuilds all fat boxes and finds all near pairs. */
static bool rebuild_list(RgSpace *space)
{
    RgNearPairs *near = &space->near;
    near->whole = false;
    near->found.count = 0;
    rg_box_tree_refresh(&space->tree);
    Search search = {.space = space, .found = &near->found, .slot = -1};
    find_all(&search);
    if (search.failed || !near_reserve(near, &space->allocator, near->found.count + 1))
        return false;
    sort_found(space);
    RgPairList old = near->list;
    near->list = near->found;
    near->found = old;
    rg_parallel_for(space->thread_pool, near->list.count, PAIRS_PER_JOB, mark_range, space);
    list_doubtful(near);
    near->work = 0;
    near->tested = false;
    near->whole = true;
    return true;
}

/* Finds the pairs of the stale colliders again. */
static bool update_stale_pairs(RgSpace *space)
{
    RgNearPairs *near = &space->near;
    near->whole = false;
    near->found.count = 0;
    Search search = {.space = space, .found = &near->found, .slot = -1};
    for (int32_t i = 0; i < space->nstale; i++)
        if (rg_box_tree_has(&space->tree, space->stale[i]))
            rg_box_tree_reinsert(&space->tree, space->stale[i]);
    find_stale(&search);
    if (search.failed || !near_reserve(near, &space->allocator, near->list.count + near->found.count + 1))
        return false;
    sort_found(space);
    merge_found(space);
    list_doubtful(near);
    near->work += space->nstale;
    near->whole = true;
    return true;
}

/* ------------------------------------------------------------------ result */

static bool is_touching(const RgSpace *space, int32_t a, int32_t b, double margin)
{
    if ((space->state[a] & RG_SLOT_PLANE) != 0)
        return rg_box_above(&space->tree.tight[b], &space->halves[a]) <= margin;
    if ((space->state[b] & RG_SLOT_PLANE) != 0)
        return rg_box_above(&space->tree.tight[a], &space->halves[b]) <= margin;
    return rg_box_gap(&space->tree.tight[a], &space->tree.tight[b]) <= margin;
}

typedef struct Testing {
    RgSpace *space;
    double margin;
    bool swept;
    uint8_t all; /* RG_SLOT_DIRTY: test all pairs, not only those of colliders that have moved */
    atomic_bool changed;
} Testing;

static void test_range(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    Testing *t = context;
    const RgSpace *space = t->space;
    const RgNearPairs *near = &space->near;
    const uint8_t *state = space->state;
    bool changed = false;
    for (int32_t k = first; k < end; k++) {
        int32_t i = near->doubtful[k], a = near->list.pairs[i].a.i, b = near->list.pairs[i].b.i;
        if (((state[a] | state[b] | t->all) & RG_SLOT_DIRTY) == 0)
            continue;
        double within = t->swept ? t->margin + (space->reach[a] + space->reach[b]) : t->margin;
        uint8_t mark = is_touching(space, a, b, within) ? RG_PAIR_TOUCHES : 0;
        changed = changed || mark != near->marks[i];
        near->marks[i] = mark;
    }
    if (changed)
        atomic_store_explicit(&t->changed, true, memory_order_relaxed);
}

/* Tests the doubtful pairs that may have changed. */
static void test_doubtful(RgSpace *space, double margin, bool swept)
{
    RgNearPairs *near = &space->near;
    bool same = near->tested && near->answer_margin == margin && near->swept == swept;
    Testing t = {space, margin, swept, same ? 0 : RG_SLOT_DIRTY, false};
    rg_parallel_for(space->thread_pool, near->ndoubtful, PAIRS_PER_JOB, test_range, &t);
    near->copied = near->copied && !atomic_load(&t.changed);
    near->answer_margin = margin;
    near->swept = swept;
    near->tested = true;
}

/* Copies the pairs that touch, as ids. */
static void copy_answer(RgNearPairs *near)
{
    const RgColliderPair *list = near->list.pairs;
    RgColliderPair *out = near->answer.pairs;
    int32_t n = 0;
    for (int32_t i = 0; i < near->list.count; i++) {
        out[n] = (RgColliderPair){{list[i].a.i + 1}, {list[i].b.i + 1}};
        n += near->marks[i] & RG_PAIR_TOUCHES;
    }
    near->answer.count = n;
    near->copied = true;
}

static void rank_slots(RgSpace *space)
{
    for (int32_t i = 0; i < space->count; i++)
        space->rank[space->order[i]] = i;
    space->ranked = true;
}

/* Ensures that the list covers the margin, and does not exceed it by much for long. */
static void set_margin(RgNearPairs *near, double margin)
{
    near->spare_calls = 2.0 * margin < near->margin ? near->spare_calls + 1 : 0;
    if (margin <= near->margin && near->spare_calls < SPARE_CALLS)
        return;
    near->margin = MARGIN_SPARE * margin;
    near->spare_calls = 0;
    near->whole = false;
}

static bool update_list(RgSpace *space)
{
    const RgNearPairs *near = &space->near;
    int32_t n = space->count;
    bool rebuild = space->nstale > n / STALE_PART || (space->ndirty > n / 2 && near->work > n / WORK_PART);
    if (!near->whole || rebuild)
        return rebuild_list(space);
    return space->nstale == 0 || update_stale_pairs(space);
}

/* Clears the stale and dirty flags and starts the next step. */
static void clear_flags(RgSpace *space)
{
    uint8_t *state = space->state;
    int32_t n = space->ndirty > 0 ? space->capacity : 0;
    for (int32_t i = 0; i < n; i++)
        state[i] &= (uint8_t) ~(RG_SLOT_DIRTY | RG_SLOT_STALE);
    space->nstale = space->ndirty = 0;
    space->tree.clock++;
}

static RgStatus find_touching_pairs(RgSpace *space, double margin, bool swept, const RgColliderPair **pairs,
                                    int32_t *count)
{
    if (space == NULL || pairs == NULL || count == NULL || margin < 0.0)
        return RG_ERR_ARGUMENT;
    if (isnan(margin))
        return RG_ERR_NOT_FINITE;
    RgNearPairs *near = &space->near;
    if (!space->ranked)
        rank_slots(space);
    set_margin(near, margin);
    if (!update_list(space))
        return RG_ERR_MEMORY;
    if (space->ndirty > 0 || !near->tested || near->answer_margin != margin || near->swept != swept)
        test_doubtful(space, margin, swept);
    if (!near->copied)
        copy_answer(near);
    clear_flags(space);
    *pairs = near->answer.pairs;
    *count = near->answer.count;
    return RG_OK;
}

RgStatus rg_space_pairs(RgSpace *space, double margin, const RgColliderPair **pairs, int32_t *count)
{
    return find_touching_pairs(space, margin, false, pairs, count);
}

RgStatus rg_space_swept_pairs(RgSpace *space, double margin, const RgColliderPair **pairs, int32_t *count)
{
    return find_touching_pairs(space, margin, true, pairs, count);
}
