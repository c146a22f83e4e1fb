/*
 * scene_path.c - proves for how long all pairs of a scene on their paths are apart.
 *
 * Every shape has a swept axis-aligned box. A point of it at rho from the centre of mass c moves by
 *
 *   c(s) - c(0) + (R(s) - R(0)) rho,    |second term| <= min(2, s T1) |rho|     T1: bound of |R'|
 *
 * and is always within |rho| of c(s). The swept box is the intersection of two boxes: the box of the shape at the
 * start, swept over the box of the Bernstein coefficients of c(s) - c(0) and grown by the second term; and the box of
 * c's coefficients grown by the largest |rho|. Pairs whose boxes come near each other (box tree) and that the scene's
 * filter allows are proven one after the other in the order of their numbers, each only up to the shortest time so far.
 *
 * Cost: a box per moving shape, the tree, and pair_path.c per pair found. Results do not depend on earlier calls: boxes
 * are tested exactly, and pairs are sorted.
 */
#include "path/scene_path.h"

#include "base/alloc.h"
#include "collision/space.h"

/* Enlargement of boxes for round-off, as a part of all lengths. */
#define BOX_ROUND_OFF 0x1p-44
/* m: growth of boxes in the tree, so that small motions need no update. */
#define FATTENING 0.02

typedef struct ShapePair {
    int32_t a, b;
} ShapePair;

struct RgScenePath {
    const RgContactScene *scene;
    RgAllocator allocator;
    int32_t nshapes;
    RgBoxTree tree;         /* of shapes with bounds, by their numbers */
    RgPlacedBounds *bounds; /* nshapes */
    RgBounds *box;          /* nshapes: swept box, grown by near */
    double near;            /* m: growth of the boxes of fixed shapes; 0: not computed yet */
    int32_t *half;          /* numbers of the half-spaces */
    int32_t nhalf;
    ShapePair *pairs; /* pairs found */
    int32_t npairs, capacity;
    bool out_of_memory;
};

/* ------------------------------------------------------------------ swept boxes */

static RgBounds box_grown(const RgBounds *box, double by)
{
    RgVec3 d = v3(by, by, by);
    return (RgBounds){v3_sub(box->low, d), v3_add(box->high, d)};
}

static RgVec3 least_of(RgVec3 a, RgVec3 b)
{
    return v3(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}

static RgVec3 most_of(RgVec3 a, RgVec3 b)
{
    return v3(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}

/* Box of c(s) - c(0), by its Bernstein coefficients. */
static RgBounds displacement_box(const RgBodyPath *path, double h)
{
    const RgVec3 *c = path->c;
    RgVec3 b1 = v3_scale(h / 3.0, c[1]);
    RgVec3 b2 = v3_axpy(h * h / 3.0, c[2], v3_scale(2.0 * h / 3.0, c[1]));
    RgVec3 b3 = v3_axpy(h * h * h, c[3], v3_axpy(h * h, c[2], v3_scale(h, c[1])));
    RgBounds out = {least_of(least_of(v3_zero(), b1), least_of(b2, b3)),
                    most_of(most_of(v3_zero(), b1), most_of(b2, b3))};
    return out;
}

/* Swept box of a shape; path NULL: fixed. False: not finite. */
static bool swept_box(const RgScenePath *p, int32_t i, const RgBodyPath *path, double h, RgBounds *out)
{
    const RgContactScene *scene = p->scene;
    if (path == NULL)
        return rg_placed_bounds(&p->bounds[i], &scene->X_BS[i], out);
    RgPose X_WB = {path->R0, v3_sub(path->c[0], m3_apply(path->R0, path->centre_B))};
    RgPose X_WS = pose_mul(X_WB, scene->X_BS[i]);
    RgBounds start, way = displacement_box(path, h);
    if (!rg_placed_bounds(&p->bounds[i], &X_WS, &start))
        return false;
    RgVec3 arm = v3_sub(pose_apply(scene->X_BS[i], scene->ball_centre[i]), path->centre_B);
    double reach = v3_norm(arm) + scene->ball_radius[i];
    double turn = fmin(2.0, h * path->turning[1]) * reach;
    double more = BOX_ROUND_OFF * (v3_norm(path->c[0]) + reach + h * path->travel[1]);
    RgBounds moved = {v3_add(start.low, way.low), v3_add(start.high, way.high)};
    RgBounds ball = {v3_add(path->c[0], way.low), v3_add(path->c[0], way.high)};
    moved = box_grown(&moved, turn + more);
    ball = box_grown(&ball, reach + more);
    *out = (RgBounds){most_of(moved.low, ball.low), least_of(moved.high, ball.high)};
    return v3_finite(out->low) && v3_finite(out->high);
}

/* ------------------------------------------------------------------ creation */

static bool allocate_arrays(RgScenePath *p)
{
    const RgContactScene *scene = p->scene;
    size_t n = (size_t)p->nshapes;
    p->bounds = rg_alloc(&p->allocator, n, sizeof *p->bounds);
    p->box = rg_alloc(&p->allocator, n, sizeof *p->box);
    p->half = rg_alloc(&p->allocator, n, sizeof *p->half);
    if (p->bounds == NULL || p->box == NULL || p->half == NULL || !rg_box_tree_reserve(&p->tree, p->nshapes))
        return false;
    for (int32_t i = 0; i < p->nshapes; i++) {
        if (scene->geometry[i] == NULL)
            continue;
        p->bounds[i] = rg_placed_bounds_prepare(scene->geometry[i]);
        if (p->bounds[i].way == RG_BOUNDS_NONE)
            p->half[p->nhalf++] = i;
        else if (rg_placed_bounds(&p->bounds[i], &scene->X_BS[i], &p->box[i]))
            rg_box_tree_insert(&p->tree, i, &p->box[i]);
    }
    return true;
}

RgScenePath *rg_scene_path_create(const RgContactScene *scene, const RgAllocator *allocator)
{
    RgScenePath *p = rg_alloc(allocator, 1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->scene = scene;
    p->allocator = *allocator;
    p->nshapes = scene->model->nshapes;
    rg_box_tree_init(&p->tree, allocator, FATTENING);
    if (!allocate_arrays(p)) {
        rg_scene_path_destroy(p);
        return NULL;
    }
    return p;
}

void rg_scene_path_destroy(RgScenePath *p)
{
    if (p == NULL)
        return;
    RgAllocator allocator = p->allocator;
    rg_box_tree_free(&p->tree);
    rg_free(&allocator, p->bounds);
    rg_free(&allocator, p->box);
    rg_free(&allocator, p->half);
    rg_free(&allocator, p->pairs);
    rg_free(&allocator, p);
}

/* ------------------------------------------------------------------ pairs */

static void add_pair(RgScenePath *p, int32_t a, int32_t b)
{
    const RgSpace *space = p->scene->space;
    int32_t slot_a = p->scene->collider[a].i - 1, slot_b = p->scene->collider[b].i - 1;
    if (!rg_pair_filter_allows(&space->filter, &space->tags[slot_a], &space->tags[slot_b]))
        return;
    if (p->npairs == p->capacity) {
        int32_t capacity = 2 * p->capacity + 16;
        ShapePair *pairs = rg_realloc(&p->allocator, p->pairs, (size_t)p->npairs, (size_t)capacity, sizeof *pairs);
        p->out_of_memory = p->out_of_memory || pairs == NULL;
        if (pairs == NULL)
            return;
        p->pairs = pairs;
        p->capacity = capacity;
    }
    p->pairs[p->npairs++] = a < b ? (ShapePair){a, b} : (ShapePair){b, a};
}

static void add_found_pair(void *context, int32_t a, int32_t b)
{
    RgScenePath *p = context;
    if (rg_box_gap(&p->box[a], &p->box[b]) <= 0.0)
        add_pair(p, a, b);
}

/* Pairs of half-spaces: fixed ones with shapes whose boxes reach them, moving ones with all shapes. */
static void half_space_pairs(RgScenePath *p)
{
    const RgContactScene *scene = p->scene;
    for (int32_t k = 0; k < p->nhalf; k++) {
        int32_t half = p->half[k];
        RgHalfSpace space = rg_half_space(&scene->X_BS[half]);
        for (int32_t i = 0; i < p->nshapes; i++)
            if (rg_box_tree_has(&p->tree, i) && (scene->body[half] >= 0 || rg_box_above(&p->box[i], &space) <= 0.0))
                add_pair(p, i, half);
    }
}

static bool comes_before(ShapePair x, ShapePair y)
{
    return x.a < y.a || (x.a == y.a && x.b < y.b);
}

/* Moves the pair at `top` down a heap of count entries. */
static void sift(ShapePair *heap, int32_t top, int32_t count)
{
    ShapePair pair = heap[top];
    for (int32_t child = 2 * top + 1; child < count; child = 2 * top + 1) {
        if (child + 1 < count && comes_before(heap[child], heap[child + 1]))
            child++;
        if (!comes_before(pair, heap[child]))
            break;
        heap[top] = heap[child];
        top = child;
    }
    heap[top] = pair;
}

/* Heap sort in the order of the shapes' numbers: in place, no memory. */
static void sort_pairs(ShapePair *pairs, int32_t count)
{
    for (int32_t top = count / 2 - 1; top >= 0; top--)
        sift(pairs, top, count);
    for (int32_t last = count - 1; last > 0; last--) {
        ShapePair greatest = pairs[0];
        pairs[0] = pairs[last];
        pairs[last] = greatest;
        sift(pairs, 0, last);
    }
}

static RgStatus find_pairs(RgScenePath *p, const RgBodyPath *paths, double h, double near)
{
    const RgContactScene *scene = p->scene;
    p->tree.clock++;
    for (int32_t i = 0; i < p->nshapes; i++) {
        if (scene->geometry[i] == NULL || p->bounds[i].way == RG_BOUNDS_NONE)
            continue;
        bool still = scene->body[i] < 0;
        if (still && p->near == near)
            continue;
        RgBounds box;
        if (!swept_box(p, i, still ? NULL : &paths[scene->body[i]], h, &box))
            return RG_ERR_NOT_FINITE;
        p->box[i] = box_grown(&box, near);
        if (!rg_box_tree_has(&p->tree, i))
            rg_box_tree_insert(&p->tree, i, &p->box[i]);
        else if (rg_box_tree_move(&p->tree, i, &p->box[i]))
            rg_box_tree_reinsert(&p->tree, i);
    }
    p->near = near;
    p->npairs = 0;
    p->out_of_memory = false;
    rg_box_tree_pairs(&p->tree, 0.0, add_found_pair, p);
    half_space_pairs(p);
    sort_pairs(p->pairs, p->npairs);
    return p->out_of_memory ? RG_ERR_MEMORY : RG_OK;
}

/* ------------------------------------------------------------------ proof */

RgStatus rg_scene_path_prove(RgScenePath *p, const RgBodyPath *paths, double h, const RgPathRule *rule,
                             RgSceneProof *out)
{
    const RgContactScene *scene = p->scene;
    *out = (RgSceneProof){.time = h, .least = INFINITY, .shape_a = -1, .shape_b = -1};
    if (!(h > 0.0) || !isfinite(h) || !(rule->gap > 0.0) || !isfinite(rule->gap))
        return RG_ERR_ARGUMENT;
    RgStatus status = find_pairs(p, paths, h, fmax(rule->gap, RG_PATH_NEAR));
    for (int32_t k = 0; k < p->npairs && status == RG_OK && out->time > 0.0; k++) {
        int32_t shape[2] = {p->pairs[k].a, p->pairs[k].b};
        RgPathShape side[2];
        for (int i = 0; i < 2; i++) {
            int body = scene->body[shape[i]];
            side[i] = (RgPathShape){scene->geometry[shape[i]], scene->X_BS[shape[i]], body >= 0 ? &paths[body] : NULL};
        }
        RgPathProof proof;
        status = rg_pair_path_prove(&side[0], &side[1], out->time, rule, NULL, &proof);
        if (status != RG_OK)
            break;
        out->pairs++;
        bool decides = proof.time < out->time || (out->time == h && proof.least < out->least);
        out->least = fmin(out->least, proof.least);
        out->time = proof.time;
        if (!decides)
            continue;
        out->shape_a = shape[0];
        out->shape_b = shape[1];
        out->touching = proof.start <= rule->gap;
    }
    if (out->pairs > 0)
        out->least = fmin(out->least, fmax(rule->gap, RG_PATH_NEAR));
    return status;
}
