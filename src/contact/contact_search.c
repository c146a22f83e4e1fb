/*
 * contact_search.c - finds all contacts of a scene, recalled or computed, pair by pair, with any number of threads.
 *
 * The broad phase gives the pairs in the order of the shapes' numbers; the pairs are independent (contact_memory.h,
 * rigor/collision.h). Several threads process chunks of a fixed size, each chunk has a buffer of its own (part), and
 * the parts are joined in order: the result does not depend on the threads. Threads allocate no memory; a chunk that
 * does not fit into its part is processed again afterwards, with a larger part.
 *
 * In a time h a pair of shapes approaches by no more than
 *
 *   h |v_a - v_b| + h |w_a| r_a + h |w_b| r_b  <=  reach_a + reach_b,     reach = h (|v| + |w| r)
 *
 * v the velocity of the centre of the shape's bounding ball, r its radius, at the velocities at the start of the step.
 * The broad phase uses the right side, each shape swept by its own motion: a fast body elsewhere adds no pairs to a
 * resting pile. The manifold of a pair uses the left side as its margin, with |v_a - v_b| replaced by at least |v_a|
 * and |v_b|: one of two bodies that fall together may be stopped. So every pair that has points within that margin is
 * found. Edges and faces inclined by at most margin / size have points too: a rotation within the step may bring them
 * into contact.
 *
 * A body that an impact sets in motion within the step (a fast one hits A, A moves on towards B) has contact points
 * only within the margin by its velocity before the impact. It reaches B in the next step, whose search uses its new
 * velocity; the overlap until then is at most h times that velocity.
 *
 * The first test of a pair uses results of the last step: for two polytopes that touched, the features of their
 * contacts (part of the state, as the memory is); for others, the normal that separated them in the last search. That
 * normal is not part of the state and need not be: either it separates the shapes by more than any error of the answer,
 * and then there are no contacts, or it is not used. It affects the cost of a search, not its result.
 *
 * Nothing is allocated once the buffers have grown to what the scene needs.
 */
#include "base/alloc.h"
#include "base/parallel_for.h"
#include "collision/manifold.h"
#include "collision/space.h"
#include "contact/contact_scene.h"

#include <string.h>

#define FIRST_POINTS 256
#define FIRST_PAIRS 64
/* Pairs per chunk of a parallel loop, and number of pairs below which one thread processes all. */
#define CHUNK 32
#define MIN_PARALLEL_PAIRS 64
/* Pairs per chunk where a pair is only looked up, which is much cheaper. */
#define LOOK_UP_CHUNK 512

/* Factor that covers the round-off in a reach, with a large margin. */
#define SWEEP_ROUND (1.0 + 1e-12)

/* Bounds of the slope up to which an edge counts as lying in the contact plane, if all points within a gap are
   requested. The lower bound allows for round-off in the normal of shapes that are 1e-12 of their size apart. */
#define TOUCH_SLOPE_LEAST 1e-4
#define TOUCH_SLOPE_MOST 0.02
/* Slope up to which edges and faces count as able to reach the plane within a step: steeper ones use the slower general
   method (contact_direct.c), and did not reduce the overlaps of heaps of boxes. */
#define STEP_SLOPE_MOST 0.5

void rg_contact_part_free(RgContactPart *part, const RgAllocator *allocator)
{
    rg_free(allocator, part->buffer.points);
    rg_free(allocator, part->buffer.manifolds);
    rg_free(allocator, part->pairs);
    rg_free(allocator, part->origin);
}

static RgShapeId shape_of(const RgContactScene *scene, RgColliderId collider)
{
    return (RgShapeId){scene->shape[collider.i - 1]};
}

static RgPlaced placed(const RgContactScene *scene, RgShapeId shape)
{
    return (RgPlaced){scene->geometry[shape.i - 1], scene->X_WS[shape.i - 1]};
}

/* Status of the search from that of one pair: two surfaces have no contacts; a result with a larger error than promised
   is valid, and counted. */
static RgStatus accept_inexact(RgStatus status, int32_t *unsure)
{
    if (status == RG_ERR_NOT_CONVERGED)
        (*unsure)++;
    return status == RG_ERR_NOT_CONVERGED || status == RG_ERR_UNSUPPORTED ? RG_OK : status;
}

/* ------------------------------------------------------------------ parts */

/* Makes room for twice the needed number of items. */
static bool reserve(const RgAllocator *allocator, void **block, int32_t *capacity, int32_t needed, size_t size)
{
    if (needed <= *capacity)
        return true;
    void *moved = rg_realloc(allocator, *block, (size_t)*capacity, 2 * (size_t)needed, size);
    if (moved == NULL)
        return false;
    *block = moved;
    *capacity = 2 * needed;
    return true;
}

static bool reserve_buffer(RgContactPart *part, const RgAllocator *allocator, int32_t points, int32_t manifolds)
{
    RgContactBuffer *b = &part->buffer;
    void *p = b->points, *m = b->manifolds;
    bool done = reserve(allocator, &p, &b->point_capacity, points, sizeof *b->points);
    b->points = p;
    done = done && reserve(allocator, &m, &b->manifold_capacity, manifolds, sizeof *b->manifolds);
    b->manifolds = m;
    return done;
}

static bool reserve_pairs(RgContactPart *part, const RgAllocator *allocator, int32_t needed)
{
    void *pairs = part->pairs, *origin = part->origin;
    bool done = reserve(allocator, &pairs, &part->pair_capacity, needed, sizeof *part->pairs);
    part->pairs = pairs;
    done = done && reserve(allocator, &origin, &part->origin_capacity, needed, sizeof *part->origin);
    part->origin = origin;
    return done;
}

static void clear_part(RgContactPart *part)
{
    part->buffer.npoints = part->buffer.nmanifolds = part->npairs = part->unsure = 0;
    part->buffer.overflow = part->buffer.reduced = part->full = false;
    part->status = RG_OK;
}

/* Appends one part to another. */
static bool append(RgContactPart *to, const RgContactPart *from, const RgAllocator *allocator)
{
    RgContactBuffer *b = &to->buffer;
    const RgContactBuffer *more = &from->buffer;
    if (!reserve_buffer(to, allocator, b->npoints + more->npoints, b->nmanifolds + more->nmanifolds) ||
        !reserve_pairs(to, allocator, to->npairs + from->npairs))
        return false;
    for (int32_t i = 0; i < from->npairs; i++) {
        to->pairs[to->npairs] = from->pairs[i];
        to->pairs[to->npairs].first_manifold += b->nmanifolds;
        to->origin[to->npairs++] = from->origin[i];
    }
    for (int32_t i = 0; i < more->nmanifolds; i++) {
        b->manifolds[b->nmanifolds + i] = more->manifolds[i];
        b->manifolds[b->nmanifolds + i].first += b->npoints;
    }
    if (more->npoints > 0)
        memcpy(b->points + b->npoints, more->points, (size_t)more->npoints * sizeof *b->points);
    b->nmanifolds += more->nmanifolds;
    b->npoints += more->npoints;
    b->reduced = b->reduced || more->reduced;
    to->unsure += from->unsure;
    return true;
}

/* ------------------------------------------------------------------ pairs */

/* Context of a search. */
typedef struct Task {
    RgContactScene *scene;
    RgManifoldOptions options;
    const RgContactMemory *memory; /* may be NULL */
    double h;
    double touch; /* 0: not used */
    const RgColliderPair *pairs;
    int32_t count;
} Task;

/* Radius of the bounding ball of the smaller of two shapes; an unbounded one does not count. */
static double size_of(const RgContactScene *scene, int32_t a, int32_t b)
{
    double x = scene->ball_radius[a], y = scene->ball_radius[b];
    return x > 0.0 && (x < y || !(y > 0.0)) ? x : y;
}

/* Largest speed at which two shapes can approach each other, m/s, also if one of them is stopped. */
static double approach(const RgContactScene *scene, int32_t a, int32_t b)
{
    double v2 = v3_norm2(v3_sub(scene->velocity[a], scene->velocity[b]));
    v2 = num_max(v2, num_max(v3_norm2(scene->velocity[a]), v3_norm2(scene->velocity[b])));
    return sqrt(v2) + scene->spin[a] + scene->spin[b];
}

typedef struct ReachContext {
    RgContactScene *scene;
    double h;
} ReachContext;

static void find_reaches(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const ReachContext *r = context;
    for (int32_t i = first; i < end; i++)
        r->scene->reach[i] = SWEEP_ROUND * r->h * (v3_norm(r->scene->velocity[i]) + r->scene->spin[i]);
}

/* Finds pairs that can come within the margin of each other in a time h: each shape is swept by its own motion. */
static RgStatus find_near(RgContactScene *scene, double margin, double h, Task *t)
{
    if (!(h > 0.0))
        return rg_space_pairs(scene->space, margin, &t->pairs, &t->count);
    rg_parallel_for(scene->thread_pool, scene->model->nshapes, CHUNK, find_reaches, &(ReachContext){scene, h});
    rg_space_sweep_all(scene->space, scene->collider, scene->reach, scene->model->nshapes);
    return rg_space_swept_pairs(scene->space, margin, &t->pairs, &t->count);
}

/* Whether no shape of a pair belongs to an awake body. */
static bool both_asleep(const RgContactScene *scene, int32_t shape_a, int32_t shape_b)
{
    if (scene->asleep == NULL)
        return false;
    int a = scene->body[shape_a - 1], b = scene->body[shape_b - 1];
    return (a < 0 || scene->asleep[a]) && (b < 0 || scene->asleep[b]);
}

/* Options by which a pair yields every point up to a gap: all edges within the gap count, and anything nearer than it
   touches. */
static void set_touch_rules(const RgContactScene *scene, int32_t a, int32_t b, double gap, RgManifoldOptions *options)
{
    double size = num_max(scene->extent[a], scene->extent[b]), grain = num_min(scene->grain[a], scene->grain[b]);
    options->margin = gap;
    options->slope = num_min(TOUCH_SLOPE_MOST, num_max(TOUCH_SLOPE_LEAST, gap / grain));
    options->touching = size > 0.0 ? gap / size : options->touching;
    options->max_points = 0;
}

static bool is_polytope(const RgManifoldGeometry *form)
{
    return form->single && (form->part.type == RG_SHAPE_polytope || form->part.type == RG_SHAPE_box);
}

/* Recalls the features that touched in the last step, deepest first. They are part of the state, and so is any guess
   from them. */
static void recall_features(const Task *t, const RgRememberedPair *old, RgPairGuesses *out)
{
    const RgRememberedPoint *p = &t->memory->points[old->first_point];
    const RgPose *X_WA = &t->scene->X_WS[old->shape_a - 1];
    out->count = old->npoints < RG_PAIR_GUESSES ? old->npoints : RG_PAIR_GUESSES;
    out->axis = m3_apply(X_WA->R, t->memory->manifolds[old->first_manifold].normal_A);
    for (int32_t k = 0; k < out->count; k++) {
        out->feature[k][0] = p[k].feature_a;
        out->feature[k][1] = p[k].feature_b;
    }
}

/* Options by which a pair yields the points that may touch within the step: points within the distance of approach, and
   edges and faces that a rotation of that size may bring into contact. */
static void set_step_rules(const RgContactScene *scene, int32_t a, int32_t b, double h, RgManifoldOptions *options)
{
    double nearer = h * approach(scene, a, b), x = scene->extent[a], y = scene->extent[b];
    double size = x > 0.0 && (x < y || !(y > 0.0)) ? x : y;
    options->margin += nearer;
    if (nearer > options->slope * size && options->slope < STEP_SLOPE_MOST)
        options->slope = num_min(STEP_SLOPE_MOST, nearer / size);
}

/* Computes the manifolds of two shapes. old: those remembered; NULL: none. */
static RgStatus make_manifolds(const Task *t, RgNearPair *near, const RgRememberedPair *old, RgContactBuffer *buffer)
{
    const RgContactScene *scene = t->scene;
    int32_t a = near->shape_a.i - 1, b = near->shape_b.i - 1;
    RgManifoldOptions options = t->options;
    if (t->touch > 0.0)
        set_touch_rules(scene, a, b, t->touch, &options);
    if (t->h > 0.0)
        set_step_rules(scene, a, b, t->h, &options);
    if (!isfinite(options.margin))
        return RG_ERR_ARGUMENT;
    const RgManifoldGeometry *form[2] = {&scene->form[a], &scene->form[b]};
    RgPairGuesses guesses;
    bool guess = old != NULL && is_polytope(form[0]) && is_polytope(form[1]);
    if (guess)
        recall_features(t, old, &guesses);
    RgManifoldAsk ask = {.form = {form[0], form[1]},
                         .X_WG = {&scene->X_WS[a], &scene->X_WS[b]},
                         .options = &options,
                         .guesses = guess ? &guesses : NULL,
                         .separating_normal = &near->separating_normal};
    return rg_manifold_ask(&ask, buffer);
}

/* Appends the manifolds of pair k to the part. allocator NULL: the part cannot grow, and may be full. */
static RgStatus find_pair(const Task *t, int32_t k, RgContactPart *part, const RgAllocator *allocator)
{
    RgContactScene *scene = t->scene;
    RgContactBuffer *buffer = &part->buffer;
    RgShapeId shape_a = scene->near[k].shape_a, shape_b = scene->near[k].shape_b;
    int32_t npoints = buffer->npoints, nmanifolds = buffer->nmanifolds, known = scene->near[k].known;
    const RgRememberedPair *old = known >= 0 ? &t->memory->pairs[known] : NULL;
    /* Recalled if there is room for that; otherwise computed, again with more room if necessary. */
    int32_t points = npoints + (old != NULL ? old->npoints : 1);
    int32_t manifolds = nmanifolds + (old != NULL ? old->nmanifolds : 1);
    if (allocator != NULL && !reserve_buffer(part, allocator, points, manifolds))
        return RG_ERR_MEMORY;
    part->full = points > buffer->point_capacity || manifolds > buffer->manifold_capacity;
    RgStatus status = RG_OK;
    bool recalled = !part->full && old != NULL &&
                    rg_contact_memory_recall(t->memory, old, &scene->X_WS[shape_a.i - 1], &scene->X_WS[shape_b.i - 1],
                                             size_of(scene, shape_a.i - 1, shape_b.i - 1), buffer);
    while (!recalled && !part->full) {
        status = make_manifolds(t, &scene->near[k], old, buffer);
        if (!buffer->overflow || (status != RG_OK && status != RG_ERR_NOT_CONVERGED))
            break;
        buffer->npoints = npoints;
        buffer->nmanifolds = nmanifolds;
        buffer->overflow = false;
        part->full = allocator == NULL;
        if (allocator != NULL &&
            !reserve_buffer(part, allocator, buffer->point_capacity + 1, buffer->manifold_capacity + 1))
            return RG_ERR_MEMORY;
    }
    status = accept_inexact(status, &part->unsure);
    if (part->full || status != RG_OK || buffer->nmanifolds == nmanifolds)
        return status;
    part->full = allocator == NULL && part->npairs == part->pair_capacity;
    if (part->full || (allocator != NULL && !reserve_pairs(part, allocator, part->npairs + 1)))
        return part->full ? RG_OK : RG_ERR_MEMORY;
    part->pairs[part->npairs] = (RgShapeContacts){shape_a, shape_b, nmanifolds, buffer->nmanifolds - nmanifolds};
    part->origin[part->npairs++] = (RgContactOrigin){known, recalled};
    return RG_OK;
}

static void find_range(const Task *t, int32_t first, int32_t end, RgContactPart *part, const RgAllocator *allocator)
{
    const RgContactScene *scene = t->scene;
    for (int32_t k = first; k < end && part->status == RG_OK && !part->full; k++)
        if (!both_asleep(scene, scene->near[k].shape_a.i, scene->near[k].shape_b.i))
            part->status = find_pair(t, k, part, allocator);
}

/* Exchanges the pairs of this and the last search and makes room for count pairs. */
static bool swap_near_pairs(RgContactScene *scene, int32_t count)
{
    RgNearPair *last = scene->near;
    int32_t capacity = scene->near_capacity;
    scene->near = scene->near_last;
    scene->near_capacity = scene->near_last_capacity;
    scene->near_last = last;
    scene->near_last_capacity = capacity;
    void *near = scene->near;
    bool done = reserve(&scene->allocator, &near, &scene->near_capacity, count, sizeof *scene->near);
    scene->near = near;
    return done;
}

static bool comes_before(const RgNearPair *pair, RgShapeId a, RgShapeId b)
{
    return pair->shape_a.i < a.i || (pair->shape_a.i == a.i && pair->shape_b.i < b.i);
}

/* Number of pairs of the last search that precede two shapes. */
static int32_t count_last_before(const RgContactScene *scene, RgShapeId a, RgShapeId b)
{
    int32_t low = 0, high = scene->near_last_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (comes_before(&scene->near_last[middle], a, b))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Sets the shapes of pairs, their indices in the memory, and the normals that separated them in the last search. */
static void look_up_range(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Task *t = context;
    RgContactScene *scene = t->scene;
    const RgNearPair *old = scene->near_last;
    RgShapeId from_a = shape_of(scene, t->pairs[first].a), from_b = shape_of(scene, t->pairs[first].b);
    int32_t at = t->memory != NULL ? rg_contact_memory_before(t->memory, from_a.i, from_b.i) : 0,
            last = count_last_before(scene, from_a, from_b), nlast = scene->near_last_count;
    for (int32_t k = first; k < end; k++) {
        RgShapeId a = shape_of(scene, t->pairs[k].a), b = shape_of(scene, t->pairs[k].b);
        bool in_memory = t->memory != NULL && rg_contact_memory_seek(t->memory, a.i, b.i, &at) != NULL;
        while (last < nlast && comes_before(&old[last], a, b))
            last++;
        bool in_last_search = last < nlast && old[last].shape_a.i == a.i && old[last].shape_b.i == b.i;
        scene->near[k] =
            (RgNearPair){a, b, in_memory ? at : -1, in_last_search ? old[last].separating_normal : v3_zero()};
    }
}

static bool look_up(RgContactScene *scene, Task *t)
{
    scene->near_last_count = scene->near_count;
    scene->near_count = 0;
    if (!swap_near_pairs(scene, t->count))
        return false;
    rg_parallel_for(scene->thread_pool, t->count, LOOK_UP_CHUNK, look_up_range, t);
    scene->near_count = t->count;
    return true;
}

/* ------------------------------------------------------------------ several threads */

static void find_chunks(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Task *t = context;
    for (int32_t c = first; c < end; c++) {
        RgContactPart *part = &t->scene->parts[c];
        int32_t from = c * CHUNK, to = from + CHUNK < t->count ? from + CHUNK : t->count;
        clear_part(part);
        find_range(t, from, to, part, NULL);
    }
}

static bool reserve_parts(RgContactScene *scene, int32_t count)
{
    if (count > scene->nparts) {
        RgContactPart *parts =
            rg_realloc(&scene->allocator, scene->parts, (size_t)scene->nparts, 2 * (size_t)count, sizeof *parts);
        if (parts == NULL)
            return false;
        memset(parts + scene->nparts, 0, (size_t)(2 * count - scene->nparts) * sizeof *parts);
        scene->parts = parts;
        scene->nparts = 2 * count;
    }
    for (int32_t c = 0; c < count; c++)
        if (!reserve_buffer(&scene->parts[c], &scene->allocator, FIRST_POINTS / 2, FIRST_PAIRS / 2) ||
            !reserve_pairs(&scene->parts[c], &scene->allocator, CHUNK))
            return false;
    return true;
}

static RgStatus find_by_threads(Task *t)
{
    RgContactScene *scene = t->scene;
    int32_t nchunks = (t->count + CHUNK - 1) / CHUNK;
    if (!reserve_parts(scene, nchunks))
        return RG_ERR_MEMORY;
    rg_parallel_for(scene->thread_pool, nchunks, 1, find_chunks, t);
    for (int32_t c = 0; c < nchunks; c++) {
        RgContactPart *part = &scene->parts[c];
        if (part->full) {
            int32_t from = c * CHUNK, to = from + CHUNK < t->count ? from + CHUNK : t->count;
            clear_part(part);
            find_range(t, from, to, part, &scene->allocator);
        }
        if (part->status != RG_OK)
            return part->status;
        if (!append(&scene->found, part, &scene->allocator))
            return RG_ERR_MEMORY;
    }
    return RG_OK;
}

/* ------------------------------------------------------------------ queries */

RgStatus rg_contact_scene_find(RgContactScene *scene, const RgContactSearch *search, RgContactView *out)
{
    Task t = {.scene = scene,
              .options = search->options != NULL ? *search->options : rg_manifold_options_default(),
              .memory = search->memory,
              .h = search->h,
              .touch = search->touch};
    double margin = t.touch > 0.0 ? t.touch : t.options.margin;
    RgContactPart *found = &scene->found;
    clear_part(found);
    scene->asleep = search->asleep;
    RgStatus status = find_near(scene, margin, t.h, &t);
    if (status == RG_OK && t.count > 0 && !rg_manifold_options_good(&t.options))
        status = RG_ERR_ARGUMENT;
    if (status == RG_OK && !look_up(scene, &t))
        status = RG_ERR_MEMORY;
    if (status == RG_OK && rg_thread_pool_size(scene->thread_pool) > 1 && t.count >= MIN_PARALLEL_PAIRS) {
        status = find_by_threads(&t);
    } else if (status == RG_OK) {
        find_range(&t, 0, t.count, found, &scene->allocator);
        status = found->status;
    }
    *out = (RgContactView){.pairs = found->pairs,
                           .manifolds = found->buffer.manifolds,
                           .points = found->buffer.points,
                           .npairs = found->npairs,
                           .nmanifolds = found->buffer.nmanifolds,
                           .npoints = found->buffer.npoints,
                           .unsure = found->unsure,
                           .reduced = found->buffer.reduced};
    return status;
}

/* Context for storing contacts in the memory. */
typedef struct StoreContext {
    const RgContactScene *scene;
    const RgContactView *contacts;
    const RgContactMemory *last;
    const RgVec3 *impulses; /* one per point of the view */
    RgContactMemory *next;
} StoreContext;

/* Copies the pairs that were skipped, from *old on, as long as they precede the shapes a, b. */
static void copy_skipped_pairs(const StoreContext *r, RgShapeId a, RgShapeId b, int32_t *old, RgContactCounts *at)
{
    for (; *old < r->last->npairs; (*old)++) {
        const RgRememberedPair *pair = &r->last->pairs[*old];
        if (pair->shape_a > a.i || (pair->shape_a == a.i && pair->shape_b >= b.i))
            return;
        if (both_asleep(r->scene, pair->shape_a, pair->shape_b))
            rg_contact_memory_copy(r->next, at, r->last, pair, NULL);
    }
}

/* Stores pair k of the view. */
static void store_pair(const StoreContext *r, int32_t k, RgContactCounts *at)
{
    const RgShapeContacts *pair = &r->contacts->pairs[k];
    const RgContactOrigin *origin = &r->scene->found.origin[k];
    if (origin->recalled) {
        rg_contact_memory_copy(r->next, at, r->last, &r->last->pairs[origin->known],
                               r->impulses + r->contacts->manifolds[pair->first_manifold].first);
        return;
    }
    RgPose X[2] = {r->scene->X_WS[pair->shape_a.i - 1], r->scene->X_WS[pair->shape_b.i - 1]};
    rg_contact_memory_store(r->next, at, r->contacts, pair, X, r->impulses);
}

/* Stores pairs if none was skipped: every entry has the index that it has in the view. */
static void store_range(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const StoreContext *r = context;
    int32_t manifold = r->contacts->pairs[first].first_manifold;
    RgContactCounts at = {first, manifold, r->contacts->manifolds[manifold].first, 0, 0};
    for (int32_t k = first; k < end; k++)
        store_pair(r, k, &at);
}

/* Whether all contacts are recalled, and the memory has no others. */
static bool all_recalled(const StoreContext *r)
{
    bool all = r->scene->asleep == NULL && r->contacts->npairs == r->last->npairs;
    for (int32_t k = 0; all && k < r->contacts->npairs; k++)
        all = r->scene->found.origin[k].recalled && r->scene->found.origin[k].known == k;
    return all;
}

/* Writes impulses into a memory that has the same contacts already. */
static void store_impulses(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const StoreContext *r = context;
    double scale = r->last->h > 0.0 ? r->next->h / r->last->h : 0.0;
    for (int32_t k = first; k < end; k++) {
        RgRememberedPair *pair = &r->next->pairs[k];
        pair->moment = v3_scale(scale, r->last->pairs[k].moment);
        for (int32_t i = pair->first_point; i < pair->first_point + pair->npoints; i++)
            r->next->points[i].impulse = r->impulses[i];
    }
}

static RgContactCounts store_with_skipped(const StoreContext *r)
{
    RgContactCounts at = {0, 0, 0, 0, 0};
    int32_t old = 0;
    for (int32_t k = 0; k < r->contacts->npairs; k++) {
        copy_skipped_pairs(r, r->contacts->pairs[k].shape_a, r->contacts->pairs[k].shape_b, &old, &at);
        store_pair(r, k, &at);
    }
    copy_skipped_pairs(r, (RgShapeId){INT32_MAX}, (RgShapeId){0}, &old, &at);
    return at;
}

bool rg_contact_scene_adopt(RgContactScene *scene, const RgContactView *contacts, const RgContactMemory *memory)
{
    if (!reserve_pairs(&scene->found, &scene->allocator, contacts->npairs))
        return false;
    int32_t at = 0;
    scene->asleep = NULL;
    for (int32_t k = 0; k < contacts->npairs; k++) {
        const RgShapeContacts *pair = &contacts->pairs[k];
        const RgRememberedPair *known = rg_contact_memory_seek(memory, pair->shape_a.i, pair->shape_b.i, &at);
        scene->found.origin[k] =
            (RgContactOrigin){.known = known != NULL ? (int32_t)(known - memory->pairs) : -1, .recalled = false};
    }
    return true;
}

bool rg_contact_scene_remember(RgContactScene *scene, const RgContactView *contacts, const RgContactMemory *last,
                               const RgVec3 *impulses, RgContactMemory *next)
{
    RgContactCounts counts = {contacts->npairs, contacts->nmanifolds, contacts->npoints, next->nrows, 0};
    bool resting = scene->asleep != NULL;
    if (resting) {
        counts.pairs += last->npairs;
        counts.manifolds += last->nmanifolds;
        counts.points += last->npoints;
    }
    StoreContext r = {scene, contacts, last, impulses, next};
    bool again = all_recalled(&r);
    if (again && last->stamp != 0 && next->stamp == last->stamp) {
        rg_parallel_for(scene->thread_pool, contacts->npairs, CHUNK, store_impulses, &r);
        return true;
    }
    next->npairs = next->nmanifolds = next->npoints = 0;
    next->stamp = 0;
    if (!rg_contact_memory_reserve(next, &scene->allocator, counts))
        return false;
    if (resting)
        counts = store_with_skipped(&r);
    else
        rg_parallel_for(scene->thread_pool, contacts->npairs, CHUNK, store_range, &r);
    next->stamp = again && last->stamp != 0 ? last->stamp : ++scene->stamps;
    next->npairs = counts.pairs;
    next->nmanifolds = counts.manifolds;
    next->npoints = counts.points;
    return true;
}

RgStatus rg_contact_scene_near(RgContactScene *scene, double margin, RgShapeDistance *out, int capacity, int *count)
{
    const RgColliderPair *pairs;
    int32_t npairs;
    *count = 0;
    RgStatus status = rg_space_pairs(scene->space, margin, &pairs, &npairs);
    for (int32_t k = 0; k < npairs && status == RG_OK; k++) {
        RgShapeDistance near = {.shape_a = shape_of(scene, pairs[k].a), .shape_b = shape_of(scene, pairs[k].b)};
        RgPlaced a = placed(scene, near.shape_a), b = placed(scene, near.shape_b);
        RgStatus pair_status = rg_distance(&a, &b, NULL, &near.distance);
        int32_t unsure = 0;
        status = accept_inexact(pair_status, &unsure);
        if (status != RG_OK || pair_status == RG_ERR_UNSUPPORTED || near.distance.distance > margin)
            continue;
        if (*count < capacity)
            out[*count] = near;
        (*count)++;
    }
    return status;
}
