/*
 * surface_mesh.c - the triangles of a mesh in a bounding volume hierarchy.
 *
 * Every query traverses the tree with a stack of fixed size. Nearest and ray visit the nearer child first, and skip a
 * node that is no longer within reach; overlap collects and sorts, with a heap of the lowest indices if there are more
 * than it may write. Of two triangles at the same depth along a ray the one with the lower index counts. Expected cost
 * O(log n + found).
 *
 * Inside: the signed number of crossings of a ray is the winding number of a closed surface about the ray's origin,
 * also if it consists of overlapping shells: +1 for each shell that contains the point, -1 for each such shell that is
 * inside out, like the inner wall of a hollow body. A point is inside if the number is positive. Any ray serves; if its
 * origin is so near a triangle that round-off leaves the side undecided, another ray is tried. For points nearer to the
 * surface than that the result is arbitrary.
 */
#include "geom/surface_ray.h"
#include "geom/surface_repair.h"
#include "geom/surface_tree.h"

typedef struct MeshSurface {
    RgSurface base;
    RgLinkedMesh mesh;
    uint8_t *convex; /* per triangle: bit k for edge k */
    RgSurfaceTree tree;
} MeshSurface;

static const MeshSurface *as_mesh(const RgSurface *surface)
{
    return (const MeshSurface *)surface;
}

static void corners(const MeshSurface *s, int32_t i, RgVec3 vertex[3])
{
    const int32_t *face = s->mesh.face + 3 * (int64_t)i;
    for (int k = 0; k < 3; k++)
        vertex[k] = s->mesh.vertex[face[k]];
}

static RgBounds triangle_box(const MeshSurface *s, int32_t i)
{
    RgVec3 vertex[3];
    corners(s, i, vertex);
    return triangle_bounds(vertex);
}

static void mesh_triangle(const RgSurface *surface, int32_t i, RgTriangle *out)
{
    const MeshSurface *s = as_mesh(surface);
    corners(s, i, out->vertex);
    out->normal = s->mesh.normal[i];
    for (int k = 0; k < 3; k++) {
        int32_t code = s->mesh.beyond[3 * (int64_t)i + k];
        out->number[k] = s->mesh.face[3 * (int64_t)i + k];
        out->open[k] = code < 0;
        out->across[k] = code < 0          ? out->normal
                         : (code & 1) != 0 ? v3_neg(s->mesh.normal[code / 2])
                                           : s->mesh.normal[code / 2];
        out->convex[k] = (s->convex[i] >> k & 1) != 0;
    }
}

/* Bits of the edges of a triangle that can be touched. */
static uint8_t convex_edges(const MeshSurface *s, int32_t i)
{
    RgTriangle t;
    int bits = 0;
    mesh_triangle(&s->base, i, &t);
    for (int k = 0; k < 3; k++) {
        RgVec3 edge = v3_sub(t.vertex[(k + 1) % 3], t.vertex[k]);
        bool convex = rg_surface_edge_convex(t.normal, t.across[k], edge, s->mesh.one_sided);
        bits |= (t.open[k] || convex) << k;
    }
    return (uint8_t)bits;
}

/* ------------------------------------------------------------------ overlap */

/* Sifts the entry at `at` down: the largest ends up at the root. */
static void sift_down(int32_t *heap, int32_t count, int32_t at)
{
    for (int32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && heap[child + 1] > heap[child])
            child++;
        if (heap[child] <= heap[at])
            break;
        int32_t larger = heap[child];
        heap[child] = heap[at];
        heap[at] = larger;
        at = child;
    }
}

/* The lowest of the numbers added, at most capacity of them. */
typedef struct Lowest {
    int32_t *heap;
    int32_t capacity, added;
} Lowest;

static void add_number(Lowest *lowest, int32_t number)
{
    int32_t count = lowest->added++;
    if (count < lowest->capacity) {
        lowest->heap[count] = number;
        for (int32_t i = lowest->capacity / 2 - 1; count + 1 == lowest->capacity && i >= 0; i--)
            sift_down(lowest->heap, lowest->capacity, i);
    } else if (lowest->capacity > 0 && number < lowest->heap[0]) {
        lowest->heap[0] = number;
        sift_down(lowest->heap, lowest->capacity, 0);
    }
}

/* Sorts the stored numbers, ascending. */
static void sort_lowest(Lowest *lowest)
{
    int32_t count = lowest->added < lowest->capacity ? lowest->added : lowest->capacity;
    for (int32_t i = count / 2 - 1; i >= 0; i--)
        sift_down(lowest->heap, count, i);
    for (int32_t last = count - 1; last > 0; last--) {
        int32_t largest = lowest->heap[0];
        lowest->heap[0] = lowest->heap[last];
        lowest->heap[last] = largest;
        sift_down(lowest->heap, last, 0);
    }
}

static int32_t mesh_overlap(const RgSurface *surface, const RgBounds *box, int32_t *out, int32_t capacity)
{
    const MeshSurface *s = as_mesh(surface);
    Lowest lowest = {.heap = out, .capacity = capacity};
    int32_t stack[RG_SURFACE_TREE_STACK];
    int depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int32_t at = stack[--depth];
        const RgSurfaceNode *node = &s->tree.nodes[at];
        if (!boxes_overlap(&node->box, box))
            continue;
        if (node->count == 0) {
            stack[depth++] = node->first;
            stack[depth++] = at + 1;
            continue;
        }
        for (int32_t i = 0; i < node->count; i++) {
            int32_t triangle = s->tree.order[node->first + i];
            RgBounds own_box = triangle_box(s, triangle);
            if (boxes_overlap(&own_box, box))
                add_number(&lowest, triangle);
        }
    }
    sort_lowest(&lowest);
    return lowest.added;
}

/* ------------------------------------------------------------------ nearest and ray */

/* A node on the stack, and its distance measure. */
typedef struct Pending {
    int32_t node;
    double near;
} Pending;

static void mesh_nearest(const RgSurface *surface, const RgBounds *box, RgTriangleVisit *visit, void *context,
                         double *reach)
{
    const MeshSurface *s = as_mesh(surface);
    Pending stack[RG_SURFACE_TREE_STACK];
    int depth = 0;
    stack[depth++] = (Pending){0, boxes_gap2(&s->tree.nodes[0].box, box)};
    while (depth > 0) {
        Pending next = stack[--depth];
        const RgSurfaceNode *node = &s->tree.nodes[next.node];
        if (!gap2_within(next.near, *reach))
            continue;
        if (node->count == 0) {
            Pending left = {next.node + 1, boxes_gap2(&node[1].box, box)};
            Pending right = {node->first, boxes_gap2(&s->tree.nodes[node->first].box, box)};
            stack[depth++] = left.near <= right.near ? right : left;
            stack[depth++] = left.near <= right.near ? left : right;
            continue;
        }
        for (int32_t i = 0; i < node->count; i++) {
            int32_t triangle = s->tree.order[node->first + i];
            RgBounds own_box = triangle_box(s, triangle);
            if (gap2_within(boxes_gap2(&own_box, box), *reach))
                visit(triangle, context, reach);
        }
    }
}

/* The first hit found so far. */
typedef struct FirstHit {
    double depth;
    int32_t triangle; /* -1: none */
} FirstHit;

static void cast_at_leaf(const MeshSurface *s, const RgSurfaceRay *ray, const RgSurfaceNode *node, FirstHit *first)
{
    for (int32_t i = 0; i < node->count; i++) {
        int32_t triangle = s->tree.order[node->first + i];
        RgVec3 vertex[3];
        double depth;
        corners(s, triangle, vertex);
        if (!rg_surface_ray_triangle(ray, vertex, first->depth, &depth))
            continue;
        if (depth < first->depth || first->triangle < 0 || triangle < first->triangle)
            *first = (FirstHit){depth, triangle};
    }
}

static FirstHit cast_ray(const MeshSurface *s, const RgSurfaceRay *ray, double reach)
{
    FirstHit first = {reach, -1};
    Pending stack[RG_SURFACE_TREE_STACK];
    int depth = 0;
    stack[0].node = 0;
    depth = rg_surface_ray_box(ray, &s->tree.nodes[0].box, reach, &stack[0].near);
    while (depth > 0) {
        Pending next = stack[--depth];
        const RgSurfaceNode *node = &s->tree.nodes[next.node];
        if (next.near > first.depth)
            continue;
        if (node->count > 0) {
            cast_at_leaf(s, ray, node, &first);
            continue;
        }
        Pending left = {next.node + 1, 0.0}, right = {node->first, 0.0};
        bool meets_left = rg_surface_ray_box(ray, &node[1].box, first.depth, &left.near);
        bool meets_right = rg_surface_ray_box(ray, &s->tree.nodes[node->first].box, first.depth, &right.near);
        bool left_last = meets_left && meets_right && left.near <= right.near;
        if (meets_left && !left_last)
            stack[depth++] = left;
        if (meets_right)
            stack[depth++] = right;
        if (left_last)
            stack[depth++] = left;
    }
    return first;
}

static bool mesh_ray(const RgSurface *surface, RgVec3 origin, RgVec3 direction, double *t, int32_t *triangle)
{
    RgSurfaceRay ray;
    if (!rg_surface_ray_init(&ray, origin, direction, &surface->bounds) || !(*t >= 0.0))
        return false;
    FirstHit first = cast_ray(as_mesh(surface), &ray, *t * ray.scale);
    if (first.triangle < 0)
        return false;
    *t = fmin(*t, first.depth / ray.scale);
    *triangle = first.triangle;
    return true;
}

/* ------------------------------------------------------------------ inside */

/* Signed crossings of the whole ray: outwards minus inwards. */
static int32_t count_crossings(const MeshSurface *s, const RgSurfaceRay *ray, bool *clear)
{
    int32_t stack[RG_SURFACE_TREE_STACK], sum = 0;
    int depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int32_t at = stack[--depth];
        const RgSurfaceNode *node = &s->tree.nodes[at];
        double enter;
        if (!rg_surface_ray_box(ray, &node->box, (double)INFINITY, &enter))
            continue;
        if (node->count == 0) {
            stack[depth++] = node->first;
            stack[depth++] = at + 1;
            continue;
        }
        for (int32_t i = 0; i < node->count; i++) {
            RgVec3 vertex[3];
            corners(s, s->tree.order[node->first + i], vertex);
            sum += rg_surface_ray_crossing(ray, vertex, clear);
        }
    }
    return sum;
}

static bool mesh_inside(const RgSurface *surface, RgVec3 x)
{
    /* Oblique to the axes and planes that are common in meshes. */
    static const RgVec3 directions[] = {
        {0.8137, 0.2719, 0.4631}, {-0.3391, 0.8423, 0.1973}, {0.2287, -0.4759, -0.8011}, {-0.7369, -0.5623, 0.2971}};
    int32_t winding = 0;
    bool clear = false;
    for (size_t i = 0; i < sizeof directions / sizeof directions[0] && !clear; i++) {
        RgSurfaceRay ray;
        if (!rg_surface_ray_init(&ray, x, directions[i], &surface->bounds))
            return false;
        clear = true;
        winding = count_crossings(as_mesh(surface), &ray, &clear);
    }
    return winding > 0;
}

/* ------------------------------------------------------------------ construction */

static int32_t mesh_beyond(const RgSurface *surface, int32_t i, int k)
{
    int32_t code = as_mesh(surface)->mesh.beyond[3 * (int64_t)i + k];
    return code < 0 ? -1 : code / 2;
}

static const RgSurfaceKind mesh_kind = {mesh_triangle, mesh_overlap, mesh_nearest, mesh_ray, mesh_inside, mesh_beyond};

RgStatus rg_surface_mesh_create(RgArena *arena, const RgShape *shape, RgSurface **out, RgMeshReport *report,
                                const char **what)
{
    MeshSurface *s = RG_ARENA_ALLOC(arena, MeshSurface, 1);
    *what = "out of memory";
    if (s == NULL)
        return RG_ERR_MEMORY;
    RgStatus status = rg_surface_repair(arena, shape, &s->mesh, report, what);
    if (status != RG_OK)
        return status;

    /* The boxes are needed only to build the tree. */
    RgArena scratch;
    rg_arena_init(&scratch, &arena->allocator);
    RgBounds *boxes = RG_ARENA_ALLOC(&scratch, RgBounds, s->mesh.nf);
    for (int32_t i = 0; boxes != NULL && i < s->mesh.nf; i++)
        boxes[i] = triangle_box(s, i);
    bool good = boxes != NULL && rg_surface_tree_build(arena, boxes, s->mesh.nf, &s->tree);
    rg_arena_free(&scratch);
    s->convex = RG_ARENA_ALLOC(arena, uint8_t, s->mesh.nf);
    if (!good || s->convex == NULL)
        return RG_ERR_MEMORY;
    for (int32_t i = 0; i < s->mesh.nf; i++)
        s->convex[i] = convex_edges(s, i);
    RgBounds box = s->tree.nodes[0].box;
    s->base = (RgSurface){&mesh_kind, s->mesh.nf, s->mesh.one_sided, report->closed, box, box, NULL};
    if (!rg_surface_find_regions(arena, &s->base))
        return RG_ERR_MEMORY;
    *out = &s->base;
    *what = NULL;
    return RG_OK;
}
