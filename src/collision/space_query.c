/*
 * space_query.c - rays and overlaps among the colliders of a space.
 *
 * Ray: colliders are visited roughly in the order in which the ray enters their boxes, and those behind the best hit so
 * far are skipped. Hits are compared by the larger of the hit's distance and the entry into the tight box, then by key.
 * That entry is never earlier than the entry into any tree box around it, so a skipped collider could not have won: the
 * result does not depend on the tree.
 *
 * Overlap: candidates by boxes, then rg_within. The lowest keys are kept in the caller's memory as a heap with the
 * highest on top, and sorted at the end.
 */
#include "collision/space.h"

#include "math/pose.h"

/* Growth of the reach, so that a candidate that ties with the best hit is not lost to round-off. */
#define REACH_SPARE (1.0 + 1e-9)

/* ------------------------------------------------------------------ rays */

typedef struct RaySearch {
    const RgSpace *space;
    const RgRay *ray;
    const RgBoxRay *line;
    uint32_t mask;
    int32_t best;   /* slot; -1: none */
    double reached; /* m; the value by which hits are compared */
    RgRayHit hit;
} RaySearch;

/* Casts the ray at a collider and stores the hit if it is the first. enter: entry into its box. */
static void try_collider(RaySearch *s, int32_t slot, double enter)
{
    const RgColliderDef *def = &s->space->colliders[slot].def;
    if ((def->category & s->mask) == 0 || enter == INFINITY || !(enter <= s->reached))
        return;
    RgPlaced placed = {def->geometry, def->X_WG};
    RgRay ray = *s->ray;
    RgRayHit hit;
    ray.reach = fmin(ray.reach, REACH_SPARE * s->reached);
    if (!rg_ray_cast(&placed, &ray, &hit))
        return;
    double at = fmax(hit.distance, enter);
    bool first = at < s->reached || s->best < 0;
    if (!first && (at > s->reached || s->space->colliders[s->best].def.key < def->key))
        return;
    s->best = slot;
    s->reached = at;
    s->hit = hit;
}

static double visit_ray(void *context, int32_t proxy, double reach)
{
    RaySearch *s = context;
    try_collider(s, proxy, rg_box_ray_enter(s->line, &s->space->tree.tight[proxy]));
    return s->best >= 0 && s->reached < reach ? s->reached : reach;
}

bool rg_space_ray(const RgSpace *space, const RgRay *ray, uint32_t mask, RgColliderId *collider, RgRayHit *out)
{
    if (space == NULL || ray == NULL || collider == NULL || out == NULL)
        return false;
    double length = v3_norm(ray->direction);
    if (!v3_finite(ray->origin) || !isfinite(length) || !(length > 0.0) || !(ray->reach >= 0.0))
        return false;
    RgBoxRay line = rg_box_ray(ray->origin, v3_scale(1.0 / length, ray->direction), ray->reach);
    RaySearch search = {.space = space, .ray = ray, .line = &line, .mask = mask, .best = -1, .reached = ray->reach};
    for (int32_t i = 0; i < space->nplanes; i++)
        try_collider(&search, space->planes[i], 0.0);
    line.reach = search.reached;
    rg_box_tree_ray(&space->tree, &line, visit_ray, &search);
    if (search.best < 0)
        return false;
    *collider = (RgColliderId){search.best + 1};
    *out = search.hit;
    return true;
}

/* ------------------------------------------------------------------ overlaps */

typedef struct OverlapSearch {
    const RgSpace *space;
    const RgPlaced *placed; /* NULL: boxes only */
    RgBounds box;
    RgHalfSpace half; /* used if `placed` is unbounded */
    bool is_plane;
    double margin;
    uint32_t mask;
    RgColliderId *out;
    int32_t capacity, count; /* count: total number found */
} OverlapSearch;

static uint64_t key_of(const OverlapSearch *s, RgColliderId id)
{
    return s->space->colliders[id.i - 1].def.key;
}

/* Sifts the top of the heap down among the first count entries. */
static void sift(const OverlapSearch *s, int32_t count)
{
    RgColliderId *heap = s->out, moving = heap[0];
    int32_t at = 0;
    for (int32_t child = 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && key_of(s, heap[child]) < key_of(s, heap[child + 1]))
            child++;
        if (key_of(s, heap[child]) <= key_of(s, moving))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moving;
}

/* Counts a collider, and stores it if its key is among the lowest. */
static void store_overlap(OverlapSearch *s, RgColliderId id)
{
    int32_t at = s->count++;
    if (at < s->capacity) {
        for (; at > 0 && key_of(s, s->out[(at - 1) / 2]) < key_of(s, id); at = (at - 1) / 2)
            s->out[at] = s->out[(at - 1) / 2];
        s->out[at] = id;
    } else if (s->capacity > 0 && key_of(s, id) < key_of(s, s->out[0])) {
        s->out[0] = id;
        sift(s, s->capacity);
    }
}

static int32_t sort_heap(OverlapSearch *s)
{
    int32_t kept = s->count < s->capacity ? s->count : s->capacity;
    for (int32_t end = kept - 1; end > 0; end--) {
        RgColliderId last = s->out[end];
        s->out[end] = s->out[0];
        s->out[0] = last;
        sift(s, end);
    }
    return s->count;
}

/* Returns true if the boxes (for half-spaces, plane and box) are within margin. */
static bool boxes_near(const OverlapSearch *s, int32_t slot, double margin)
{
    const RgSpace *space = s->space;
    bool slot_is_plane = (space->state[slot] & RG_SLOT_PLANE) != 0;
    if (slot_is_plane)
        return !s->is_plane && rg_box_above(&s->box, &space->halves[slot]) <= margin;
    if (s->is_plane)
        return rg_box_above(&space->tree.tight[slot], &s->half) <= margin;
    return rg_box_gap(&space->tree.tight[slot], &s->box) <= margin;
}

static void visit_overlap(void *context, int32_t slot)
{
    OverlapSearch *s = context;
    const RgColliderDef *def = &s->space->colliders[slot].def;
    if ((def->category & s->mask) == 0 || !boxes_near(s, slot, s->margin > 0.0 ? s->margin : 0.0))
        return;
    if (s->placed != NULL) {
        RgPlaced other = {def->geometry, def->X_WG};
        bool within = false;
        rg_within(s->placed, &other, s->margin, NULL, &within);
        if (!within)
            return;
    }
    store_overlap(s, (RgColliderId){slot + 1});
}

static int32_t find_overlaps(OverlapSearch *s)
{
    double margin = s->margin > 0.0 ? s->margin : 0.0;
    if (s->is_plane)
        rg_box_tree_below(&s->space->tree, &s->half, margin, visit_overlap, s);
    else
        rg_box_tree_overlap(&s->space->tree, &s->box, margin, visit_overlap, s);
    for (int32_t i = 0; i < s->space->nplanes; i++)
        visit_overlap(s, s->space->planes[i]);
    return sort_heap(s);
}

int32_t rg_space_overlap(const RgSpace *space, const RgPlaced *placed, double margin, uint32_t mask, RgColliderId *out,
                         int32_t capacity)
{
    bool has_room = capacity >= 0 && (out != NULL || capacity == 0);
    if (space == NULL || placed == NULL || placed->geometry == NULL || !has_room || isnan(margin))
        return 0;
    OverlapSearch search = {
        .space = space, .placed = placed, .margin = margin, .mask = mask, .out = out, .capacity = capacity};
    RgPlacedBounds bounds = rg_placed_bounds_prepare(placed->geometry);
    search.is_plane = bounds.way == RG_BOUNDS_NONE;
    if (search.is_plane) {
        if (!pose_finite(placed->X_WG))
            return 0;
        search.half = rg_half_space(&placed->X_WG);
    } else if (!rg_placed_bounds(&bounds, &placed->X_WG, &search.box)) {
        return 0;
    }
    return find_overlaps(&search);
}

int32_t rg_space_overlap_box(const RgSpace *space, RgVec3 low, RgVec3 high, uint32_t mask, RgColliderId *out,
                             int32_t capacity)
{
    bool has_room = capacity >= 0 && (out != NULL || capacity == 0);
    bool is_box = low.x <= high.x && low.y <= high.y && low.z <= high.z;
    if (space == NULL || !has_room || !is_box)
        return 0;
    OverlapSearch search = {.space = space, .box = {low, high}, .mask = mask, .out = out, .capacity = capacity};
    return find_overlaps(&search);
}
