/*
 * surface_tree.c - top-down construction of a bounding volume hierarchy by the surface area heuristic with bins (Wald
 * 2007).
 *
 * The centres of a node's boxes are sorted into 16 bins along the axis of their widest spread, and the node is split
 * between the two bins where
 *
 *   count(left) area(left) + count(right) area(right)
 *
 * is least: an estimate of the number of boxes that a random query visits. Of equal costs the first is used. If all
 * centres coincide, and below RG_SURFACE_TREE_FREE_LEVELS, which only unusual distributions reach, the node is split
 * into halves by number; so the depth is bounded. Both sides keep the order of indices. Cost O(n log n).
 */
#include "geom/surface_tree.h"

#include <string.h>

/* Bins per axis; the bins bound the cost of a split search. */
#define TREE_BINS 16

/* Triangles per leaf: searching this few costs less than two more boxes. */
#define TREE_LEAF 4

/* A range of the order that is still to become a node. */
typedef struct Task {
    int32_t first, count, depth;
    int32_t parent; /* inner node whose right child this is; -1: none */
} Task;

typedef struct Build {
    const RgBounds *boxes;
    RgVec3 *centre;
    int32_t *order, *aside; /* aside: scratch for one side of a split */
    RgSurfaceNode *nodes;
    int32_t nnodes;
} Build;

static RgBounds empty_bounds(void)
{
    return (RgBounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static RgBounds join_bounds(RgBounds a, RgBounds b)
{
    return (RgBounds){lesser3(a.low, b.low), greater3(a.high, b.high)};
}

/* Half the surface area of a box; 0 if it is empty. */
static double half_area(const RgBounds *box)
{
    RgVec3 d = v3_sub(box->high, box->low);
    return d.x >= 0.0 ? d.x * d.y + d.y * d.z + d.z * d.x : 0.0;
}

/* Bins along one axis: bin = (centre - low) * scale. */
typedef struct Bins {
    int axis;
    double low, scale;
    RgBounds box[TREE_BINS];
    int32_t count[TREE_BINS];
} Bins;

static int bin_of(const Bins *bins, RgVec3 centre)
{
    int bin = (int)((v3_at(centre, bins->axis) - bins->low) * bins->scale);
    return bin < TREE_BINS ? bin : TREE_BINS - 1;
}

/* Returns false if all centres coincide. */
static bool fill_bins(const Build *build, const Task *task, Bins *bins)
{
    RgBounds spread = empty_bounds();
    for (int32_t i = 0; i < task->count; i++) {
        RgVec3 c = build->centre[build->order[task->first + i]];
        spread = join_bounds(spread, (RgBounds){c, c});
    }
    RgVec3 extent = v3_sub(spread.high, spread.low);
    bins->axis = extent.x >= extent.y ? (extent.x >= extent.z ? 0 : 2) : (extent.y >= extent.z ? 1 : 2);
    bins->low = v3_at(spread.low, bins->axis);
    bins->scale = TREE_BINS / v3_at(extent, bins->axis);
    if (!(v3_at(extent, bins->axis) > 0.0) || !isfinite(bins->scale))
        return false;
    for (int b = 0; b < TREE_BINS; b++) {
        bins->box[b] = empty_bounds();
        bins->count[b] = 0;
    }
    for (int32_t i = 0; i < task->count; i++) {
        int32_t triangle = build->order[task->first + i];
        int b = bin_of(bins, build->centre[triangle]);
        bins->box[b] = join_bounds(bins->box[b], build->boxes[triangle]);
        bins->count[b]++;
    }
    return true;
}

/* The last bin of the left side of the best split. The first and the last bin are never empty. */
static int best_split(const Bins *bins)
{
    double right_cost[TREE_BINS];
    RgBounds box = empty_bounds();
    int32_t count = 0;
    for (int b = TREE_BINS - 1; b > 0; b--) {
        box = join_bounds(box, bins->box[b]);
        count += bins->count[b];
        right_cost[b - 1] = count * half_area(&box);
    }
    box = empty_bounds();
    count = 0;
    int best = 0;
    double least = INFINITY;
    for (int b = 0; b < TREE_BINS - 1; b++) {
        box = join_bounds(box, bins->box[b]);
        count += bins->count[b];
        double cost = count * half_area(&box) + right_cost[b];
        if (cost < least) {
            least = cost;
            best = b;
        }
    }
    return best;
}

/* Partitions the range stably into two sides; returns the number of elements on the left. */
static int32_t split_range(Build *build, const Task *task)
{
    Bins bins;
    if (task->depth >= RG_SURFACE_TREE_FREE_LEVELS || !fill_bins(build, task, &bins))
        return task->count / 2;
    int last = best_split(&bins);
    int32_t *order = build->order + task->first;
    int32_t left = 0, right = 0;
    for (int32_t i = 0; i < task->count; i++) {
        if (bin_of(&bins, build->centre[order[i]]) <= last)
            order[left++] = order[i];
        else
            build->aside[right++] = order[i];
    }
    memcpy(order + left, build->aside, (size_t)right * sizeof *order);
    return left;
}

static RgBounds box_of(const Build *build, const Task *task)
{
    RgBounds box = empty_bounds();
    for (int32_t i = 0; i < task->count; i++)
        box = join_bounds(box, build->boxes[build->order[task->first + i]]);
    return box;
}

static void build_nodes(Build *build, int32_t count)
{
    Task stack[RG_SURFACE_TREE_STACK];
    int tasks = 0;
    stack[tasks++] = (Task){0, count, 0, -1};
    while (tasks > 0) {
        Task task = stack[--tasks];
        int32_t self = build->nnodes++;
        RgSurfaceNode *node = &build->nodes[self];
        if (task.parent >= 0)
            build->nodes[task.parent].first = self;
        node->box = box_of(build, &task);
        if (task.count <= TREE_LEAF) {
            node->first = task.first;
            node->count = task.count;
            continue;
        }
        int32_t left = split_range(build, &task);
        stack[tasks++] = (Task){task.first + left, task.count - left, task.depth + 1, self};
        stack[tasks++] = (Task){task.first, left, task.depth + 1, -1};
    }
}

/* Copies the result into the arena. */
static bool store_tree(RgArena *arena, const Build *build, int32_t count, RgSurfaceTree *out)
{
    RgSurfaceNode *nodes = RG_ARENA_ALLOC(arena, RgSurfaceNode, build->nnodes);
    int32_t *order = RG_ARENA_ALLOC(arena, int32_t, count);
    if (nodes == NULL || order == NULL)
        return false;
    memcpy(nodes, build->nodes, (size_t)build->nnodes * sizeof *nodes);
    memcpy(order, build->order, (size_t)count * sizeof *order);
    *out = (RgSurfaceTree){nodes, order};
    return true;
}

bool rg_surface_tree_build(RgArena *arena, const RgBounds *boxes, int32_t count, RgSurfaceTree *out)
{
    RgArena scratch;
    rg_arena_init(&scratch, &arena->allocator);
    Build build = {.boxes = boxes,
                   .centre = RG_ARENA_ALLOC(&scratch, RgVec3, count),
                   .order = RG_ARENA_ALLOC(&scratch, int32_t, count),
                   .aside = RG_ARENA_ALLOC(&scratch, int32_t, count),
                   .nodes = RG_ARENA_ALLOC(&scratch, RgSurfaceNode, 2 * (int64_t)count)};
    bool good = !scratch.failed;
    if (good) {
        for (int32_t i = 0; i < count; i++) {
            build.order[i] = i;
            build.centre[i] = v3_scale(0.5, v3_add(boxes[i].low, boxes[i].high));
        }
        build_nodes(&build, count);
        good = store_tree(arena, &build, count, out);
    }
    rg_arena_free(&scratch);
    return good;
}
