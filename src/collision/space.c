/*
 * space.c - a space of colliders: adding, removing and moving them.
 *
 * Slots of removed colliders are reused. The order of the keys is a sorted array: a collider with the highest key so
 * far is added in log n, any other one moves the end of the array. Memory grows only here, by doubling; a move never
 * allocates. A call that fails leaves the space unchanged.
 *
 * Many colliders are moved in three passes: threads compute the box of each and whether it stays in its fat box; then
 * they write the data of each slot; last, one thread updates the tree and the lists, in the order of the caller.
 */
#include "collision/space.h"

#include "base/alloc.h"
#include "math/pose.h"

#include <string.h>

/* Mark definitions that were filled by rg_space_def_default and rg_collider_def_default. */
#define SPACE_COOKIE 0x52475350u
#define COLLIDER_COOKIE 0x5247434fu

/* colliders */
#define FIRST_CAPACITY 16

/* Colliders per thread pool job. */
#define COLLIDERS_PER_JOB 64

/* m; larger than the world of any robot, small enough for boxes to stay finite. */
#define MAX_FATTENING 1e9

/* A fat box is made for REACH_SPARE times the reach, at least for MIN_REACH of the fattening; it is rebuilt if the
   reach exceeds that, or falls below REACH_SHRINK of it. A reach is at most MAX_REACH, m; NaN counts as 0. */
#define MAX_REACH 1e100
#define REACH_SPARE 1.5
#define MIN_REACH 0.0625
#define REACH_SHRINK 0.25

/* ------------------------------------------------------------------ definitions */

RgColliderDef rg_collider_def_default(void)
{
    return (RgColliderDef){.cookie = COLLIDER_COOKIE,
                           .X_WG = pose_identity(),
                           .body = -1,
                           .owner = -1,
                           .group = -1,
                           .self_collide = true,
                           .category = UINT32_MAX,
                           .mask = UINT32_MAX};
}

RgSpaceDef rg_space_def_default(void)
{
    return (RgSpaceDef){.cookie = SPACE_COOKIE, .fattening = 0.02};
}

RgSpace *rg_space_create(const RgSpaceDef *def)
{
    if (def == NULL || def->cookie != SPACE_COOKIE)
        return NULL;
    if (!(def->fattening >= 0.0 && def->fattening <= MAX_FATTENING))
        return NULL;
    RgSpace *space = rg_alloc(&def->allocator, 1, sizeof *space);
    if (space == NULL)
        return NULL;
    space->allocator = def->allocator;
    space->free_slot = -1;
    rg_box_tree_init(&space->tree, &def->allocator, def->fattening);
    rg_pair_filter_init(&space->filter, &def->allocator);
    return space;
}

void rg_space_destroy(RgSpace *space)
{
    if (space == NULL)
        return;
    RgAllocator allocator = space->allocator;
    rg_near_pairs_free(&space->near, &allocator);
    rg_box_tree_free(&space->tree);
    rg_pair_filter_free(&space->filter);
    rg_free(&allocator, space->colliders);
    rg_free(&allocator, space->tags);
    rg_free(&allocator, space->state);
    rg_free(&allocator, space->order);
    rg_free(&allocator, space->rank);
    rg_free(&allocator, space->bins);
    rg_free(&allocator, space->stale);
    rg_free(&allocator, space->planes);
    rg_free(&allocator, space->halves);
    rg_free(&allocator, space->reach);
    rg_free(&allocator, space->boxes);
    rg_free(&allocator, space->verdicts);
    rg_free(&allocator, space);
}

/* ------------------------------------------------------------------ slots */

#define GROW(space, array, extra, capacity_new)                                                                        \
    grow_array(&(space)->allocator, (void **)&(array), (size_t)(space)->capacity + (extra),                            \
               (size_t)(capacity_new) + (extra), sizeof *(array))

static bool grow_array(const RgAllocator *allocator, void **array, size_t old_count, size_t new_count, size_t size)
{
    void *grown = rg_realloc(allocator, *array, *array != NULL ? old_count : 0, new_count, size);
    if (grown != NULL)
        *array = grown;
    return grown != NULL;
}

/* Makes room for one more collider. If memory runs out, arrays that have grown already stay larger. */
static bool make_room(RgSpace *space)
{
    if (space->free_slot >= 0)
        return true;
    if (space->capacity > INT32_MAX / 8)
        return false;
    int32_t capacity = space->capacity == 0 ? FIRST_CAPACITY : 2 * space->capacity;
    if (!GROW(space, space->colliders, 0, capacity) || !GROW(space, space->tags, 0, capacity) ||
        !GROW(space, space->state, 0, capacity) || !GROW(space, space->order, 0, capacity) ||
        !GROW(space, space->rank, 0, capacity) || !GROW(space, space->bins, 1, capacity) ||
        !GROW(space, space->stale, 0, capacity) || !GROW(space, space->planes, 0, capacity) ||
        !GROW(space, space->halves, 0, capacity) || !GROW(space, space->reach, 0, capacity) ||
        !GROW(space, space->boxes, 0, capacity) || !GROW(space, space->verdicts, 0, capacity) ||
        !rg_box_tree_reserve(&space->tree, capacity))
        return false;
    for (int32_t slot = capacity - 1; slot >= space->capacity; slot--) {
        space->colliders[slot].next = space->free_slot;
        space->free_slot = slot;
    }
    space->capacity = capacity;
    return true;
}

/* Position of a key in the order: the first key that is not lower. */
static int32_t find_key(const RgSpace *space, uint64_t key)
{
    int32_t low = 0, high = space->count;
    if (high > 0 && space->colliders[space->order[high - 1]].def.key < key)
        return high;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (space->colliders[space->order[middle]].def.key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void mark_dirty(RgSpace *space, int32_t slot)
{
    space->ndirty += (space->state[slot] & RG_SLOT_DIRTY) == 0;
    space->state[slot] |= RG_SLOT_DIRTY;
}

static void mark_stale(RgSpace *space, int32_t slot)
{
    if ((space->state[slot] & RG_SLOT_STALE) == 0)
        space->stale[space->nstale++] = slot;
    space->state[slot] |= RG_SLOT_STALE;
}

RgHalfSpace rg_half_space(const RgPose *X_WG)
{
    RgVec3 n = m3_column(X_WG->R, 2);
    return (RgHalfSpace){n, v3_dot(n, X_WG->p)};
}

/* ------------------------------------------------------------------ add and remove */

static RgStatus check_def(const RgSpace *space, const RgColliderDef *def)
{
    if (def->cookie != COLLIDER_COOKIE || def->geometry == NULL || def->owner < -1 || def->group < -1)
        return RG_ERR_ARGUMENT;
    if (!pose_finite(def->X_WG))
        return RG_ERR_NOT_FINITE;
    int32_t place = find_key(space, def->key);
    if (place < space->count && space->colliders[space->order[place]].def.key == def->key)
        return RG_ERR_ARGUMENT;
    return RG_OK;
}

/* Inserts a slot into the order of the keys. */
static void insert_in_order(RgSpace *space, int32_t slot)
{
    int32_t place = find_key(space, space->colliders[slot].def.key);
    int32_t *at = space->order + place;
    memmove(at + 1, at, (size_t)(space->count - place) * sizeof *at);
    *at = slot;
    space->count++;
    space->ranked = false;
}

static void remove_from_order(RgSpace *space, int32_t slot)
{
    int32_t place = find_key(space, space->colliders[slot].def.key);
    int32_t *at = space->order + place;
    memmove(at, at + 1, (size_t)(space->count - place - 1) * sizeof *at);
    space->count--;
    space->ranked = false;
}

RgStatus rg_space_add(RgSpace *space, const RgColliderDef *def, RgColliderId *out)
{
    if (space == NULL || def == NULL || out == NULL)
        return RG_ERR_ARGUMENT;
    *out = (RgColliderId){0};
    RgStatus status = check_def(space, def);
    if (status != RG_OK)
        return status;
    RgPlacedBounds bounds = rg_placed_bounds_prepare(def->geometry);
    bool is_plane = bounds.way == RG_BOUNDS_NONE;
    RgBounds box = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    if (!is_plane && !rg_placed_bounds(&bounds, &def->X_WG, &box))
        return RG_ERR_NOT_FINITE;
    if (!make_room(space))
        return RG_ERR_MEMORY;

    int32_t slot = space->free_slot;
    space->free_slot = space->colliders[slot].next;
    space->colliders[slot] = (RgCollider){.def = *def, .bounds = bounds, .next = -1};
    space->state[slot] |= RG_SLOT_USED;
    space->tags[slot] = (RgFilterTag){def->body, def->owner, def->group, def->category, def->mask, def->self_collide};
    space->reach[slot] = 0.0;
    insert_in_order(space, slot);
    if (is_plane) {
        space->state[slot] |= RG_SLOT_PLANE;
        space->planes[space->nplanes++] = slot;
        space->halves[slot] = rg_half_space(&def->X_WG);
    } else {
        rg_box_tree_insert(&space->tree, slot, &box);
    }
    mark_dirty(space, slot);
    mark_stale(space, slot);
    *out = (RgColliderId){slot + 1};
    return RG_OK;
}

static void remove_plane(RgSpace *space, int32_t slot)
{
    int32_t i = 0;
    while (space->planes[i] != slot)
        i++;
    space->planes[i] = space->planes[--space->nplanes];
    space->state[slot] &= (uint8_t)~RG_SLOT_PLANE;
}

RgStatus rg_space_remove(RgSpace *space, RgColliderId collider)
{
    int32_t slot = collider.i - 1;
    if (!rg_space_has(space, collider))
        return RG_ERR_ARGUMENT;
    remove_from_order(space, slot);
    if ((space->state[slot] & RG_SLOT_PLANE) != 0)
        remove_plane(space, slot);
    else
        rg_box_tree_remove(&space->tree, slot);
    mark_dirty(space, slot);
    mark_stale(space, slot);
    space->colliders[slot] = (RgCollider){.next = space->free_slot};
    space->state[slot] &= (uint8_t)~RG_SLOT_USED;
    space->free_slot = slot;
    return RG_OK;
}

/* ------------------------------------------------------------------ move */

static RgStatus move_plane(RgSpace *space, int32_t slot, const RgPose *X_WG)
{
    if (!pose_finite(*X_WG))
        return RG_ERR_NOT_FINITE;
    space->colliders[slot].def.X_WG = *X_WG;
    space->halves[slot] = rg_half_space(X_WG);
    mark_dirty(space, slot);
    mark_stale(space, slot);
    return RG_OK;
}

/* If a collider leaves its fat box, it becomes stale: its pairs will be searched again. If it is stale already, it is
   reinserted into the tree at once, so that the tree stays good if the caller queries only rays. */
static void move_box(RgSpace *space, int32_t slot, const RgBounds *box)
{
    if (!rg_box_tree_move(&space->tree, slot, box))
        return;
    if ((space->state[slot] & RG_SLOT_STALE) != 0)
        rg_box_tree_reinsert(&space->tree, slot);
    mark_stale(space, slot);
}

RgStatus rg_space_move(RgSpace *space, RgColliderId collider, const RgPose *X_WG)
{
    int32_t slot = collider.i - 1;
    if (X_WG == NULL || !rg_space_has(space, collider))
        return RG_ERR_ARGUMENT;
    if ((space->state[slot] & RG_SLOT_PLANE) != 0)
        return move_plane(space, slot, X_WG);
    RgBounds box;
    if (!rg_placed_bounds(&space->colliders[slot].bounds, X_WG, &box))
        return RG_ERR_NOT_FINITE;
    space->colliders[slot].def.X_WG = *X_WG;
    mark_dirty(space, slot);
    move_box(space, slot, &box);
    return RG_OK;
}

/* Result of the first pass for a collider. */
enum { MOVE_WITHIN, MOVE_OUT, MOVE_PLANE, MOVE_BAD };

typedef struct Moves {
    RgSpace *space;
    const RgColliderId *colliders;
    const RgPose *X_WG;
    const bool *moves;
} Moves;

static void classify_moves(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Moves *m = context;
    RgSpace *space = m->space;
    for (int32_t i = first; i < end; i++) {
        int32_t slot = m->colliders[i].i - 1;
        if (!m->moves[i] || !rg_space_has(space, m->colliders[i]))
            continue;
        RgBounds *box = &space->boxes[slot];
        if ((space->state[slot] & RG_SLOT_PLANE) != 0)
            space->verdicts[slot] = pose_finite(m->X_WG[i]) ? MOVE_PLANE : MOVE_BAD;
        else if (!rg_placed_bounds(&space->colliders[slot].bounds, &m->X_WG[i], box))
            space->verdicts[slot] = MOVE_BAD;
        else
            space->verdicts[slot] = rg_box_tree_fits(&space->tree, slot, box) ? MOVE_WITHIN : MOVE_OUT;
    }
}

static bool is_bad(const RgSpace *space, RgColliderId collider)
{
    return !rg_space_has(space, collider) || space->verdicts[collider.i - 1] == MOVE_BAD;
}

static void store_moves(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Moves *m = context;
    RgSpace *space = m->space;
    for (int32_t i = first; i < end; i++) {
        int32_t slot = m->colliders[i].i - 1;
        if (!m->moves[i])
            continue;
        space->colliders[slot].def.X_WG = m->X_WG[i];
        if (space->verdicts[slot] == MOVE_PLANE)
            space->halves[slot] = rg_half_space(&m->X_WG[i]);
        else if (space->verdicts[slot] == MOVE_WITHIN)
            space->tree.tight[slot] = space->boxes[slot];
    }
}

int32_t rg_space_move_all(RgSpace *space, const RgColliderId *colliders, const RgPose *X_WG, const bool *moves,
                          int32_t count, RgStatus *status)
{
    Moves m = {space, colliders, X_WG, moves};
    *status = RG_OK;
    if (memchr(moves, true, (size_t)count * sizeof *moves) == NULL)
        return count;
    rg_parallel_for(space->thread_pool, count, COLLIDERS_PER_JOB, classify_moves, &m);
    int32_t done = 0;
    while (done < count && !(moves[done] && is_bad(space, colliders[done])))
        done++;
    for (int32_t i = 0; i < done; i++)
        if (moves[i])
            mark_dirty(space, colliders[i].i - 1);
    rg_parallel_for(space->thread_pool, done, COLLIDERS_PER_JOB, store_moves, &m);
    for (int32_t i = 0; i < done; i++) {
        int32_t slot = colliders[i].i - 1;
        if (!moves[i] || space->verdicts[slot] == MOVE_WITHIN)
            continue;
        if (space->verdicts[slot] == MOVE_PLANE)
            mark_stale(space, slot);
        else
            move_box(space, slot, &space->boxes[slot]);
    }
    *status = done < count ? rg_space_move(space, colliders[done], &X_WG[done]) : RG_OK;
    return done;
}

static double min_reach(const RgSpace *space)
{
    return MIN_REACH * space->tree.fattening;
}

/* Writes the reach of a slot. Returns true if its fat box must be rebuilt, or if it is a half-space whose reach has
   changed. */
static bool store_reach(RgSpace *space, int32_t slot, double reach)
{
    reach = reach < MAX_REACH ? reach : reach >= MAX_REACH ? MAX_REACH : 0.0;
    if (reach == space->reach[slot])
        return false;
    space->reach[slot] = reach;
    if ((space->state[slot] & RG_SLOT_PLANE) != 0)
        return true;
    double box_reach = space->tree.reach[slot];
    return reach > box_reach || (reach < REACH_SHRINK * box_reach && box_reach > min_reach(space));
}

static void rebuild_swept_box(RgSpace *space, int32_t slot)
{
    if ((space->state[slot] & RG_SLOT_PLANE) == 0)
        rg_box_tree_sweep(&space->tree, slot, rg_larger(REACH_SPARE * space->reach[slot], min_reach(space)));
    mark_stale(space, slot);
}

void rg_space_sweep(RgSpace *space, RgColliderId collider, double reach)
{
    rg_space_sweep_all(space, &collider, &reach, 1);
}

/* Result of a change of reach: none, within the fat box, fat box to be rebuilt. */
enum { SWEEP_SAME, SWEEP_WITHIN, SWEEP_OUT };

typedef struct Sweeps {
    RgSpace *space;
    const RgColliderId *colliders;
    const double *reach;
} Sweeps;

static void store_reaches(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Sweeps *s = context;
    RgSpace *space = s->space;
    for (int32_t i = first; i < end; i++) {
        int32_t slot = s->colliders[i].i - 1;
        if (!rg_space_has(space, s->colliders[i]))
            continue;
        double before = space->reach[slot];
        bool out = store_reach(space, slot, s->reach[i]);
        space->verdicts[slot] = out ? SWEEP_OUT : space->reach[slot] != before ? SWEEP_WITHIN : SWEEP_SAME;
    }
}

void rg_space_sweep_all(RgSpace *space, const RgColliderId *colliders, const double *reach, int32_t count)
{
    Sweeps s = {space, colliders, reach};
    rg_parallel_for(space->thread_pool, count, COLLIDERS_PER_JOB, store_reaches, &s);
    for (int32_t i = 0; i < count; i++) {
        int32_t slot = colliders[i].i - 1;
        if (!rg_space_has(space, colliders[i]) || space->verdicts[slot] == SWEEP_SAME)
            continue;
        mark_dirty(space, slot);
        if (space->verdicts[slot] == SWEEP_OUT)
            rebuild_swept_box(space, slot);
    }
}

/* ------------------------------------------------------------------ filters and views */

static RgStatus set_pair_rule(RgSpace *space, int32_t owner_a, int32_t owner_b, RgPairRule rule)
{
    if (space == NULL || owner_a < 0 || owner_b < 0)
        return RG_ERR_ARGUMENT;
    if (owner_a == owner_b)
        return rule == RG_PAIR_EXCLUDED ? RG_OK : RG_ERR_ARGUMENT;
    if (!rg_pair_filter_set(&space->filter, owner_a, owner_b, rule))
        return RG_ERR_MEMORY;
    space->near.whole = false;
    return RG_OK;
}

RgStatus rg_space_exclude(RgSpace *space, int32_t owner_a, int32_t owner_b)
{
    return set_pair_rule(space, owner_a, owner_b, RG_PAIR_EXCLUDED);
}

RgStatus rg_space_include(RgSpace *space, int32_t owner_a, int32_t owner_b)
{
    return set_pair_rule(space, owner_a, owner_b, RG_PAIR_INCLUDED);
}

RgStatus rg_space_forget(RgSpace *space, int32_t owner_a, int32_t owner_b)
{
    return owner_a == owner_b ? RG_OK : set_pair_rule(space, owner_a, owner_b, RG_PAIR_NO_RULE);
}

RgPlaced rg_space_placed(const RgSpace *space, RgColliderId collider)
{
    const RgColliderDef *def = rg_space_collider(space, collider);
    return def != NULL ? (RgPlaced){def->geometry, def->X_WG} : (RgPlaced){NULL, pose_identity()};
}

const RgColliderDef *rg_space_collider(const RgSpace *space, RgColliderId collider)
{
    if (!rg_space_has(space, collider))
        return NULL;
    return &space->colliders[collider.i - 1].def;
}
