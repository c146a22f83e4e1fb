/*
 * surface_mesh.c - the triangles of a mesh in a tree of boxes.
 *
 * Every query walks the tree with a stack of fixed size. Nearest and ray go first into the child that is
 * nearer, and leave a node that is no longer within reach when its turn comes; overlap collects and sorts,
 * the lowest numbers in a heap where there are more than it may write. Of two triangles at the same place
 * of a ray the one with the lower number counts. Expected cost O(log n + found).
 *
 * Inside: the signed number of crossings of a ray is the winding number of a closed surface about the ray's
 * beginning, also where it consists of shells that overlap: 1 for each that holds the point, one less for
 * each that is turned inside out, such as the wall of a hollow. Inside is where it is positive. Any ray will
 * do; where one begins so near a triangle that round-off cannot tell on which side, another is tried. What is
 * nearer to the surface than that is answered either way.
 */
#include "geom/surface_ray.h"
#include "geom/surface_repair.h"
#include "geom/surface_tree.h"

typedef struct MeshSurface {
    RgSurface base;
    RgLinkedMesh mesh;
    uint8_t *convex; /* a triangle: bit k for edge k */
    RgSurfaceTree tree;
} MeshSurface;

static const MeshSurface *own(const RgSurface *surface)
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
    const MeshSurface *s = own(surface);
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

/* Which edges of a triangle can be touched. */
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

/* Lets the number at the root sink to its place: the largest comes to stand at the root. */
static void sink(int32_t *heap, int32_t count, int32_t at)
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

/* The lowest numbers that were offered, at most capacity of them. */
typedef struct Lowest {
    int32_t *heap;
    int32_t capacity, offered;
} Lowest;

static void offer(Lowest *lowest, int32_t number)
{
    int32_t count = lowest->offered++;
    if (count < lowest->capacity) {
        lowest->heap[count] = number;
        for (int32_t i = lowest->capacity / 2 - 1; count + 1 == lowest->capacity && i >= 0; i--)
            sink(lowest->heap, lowest->capacity, i);
    } else if (lowest->capacity > 0 && number < lowest->heap[0]) {
        lowest->heap[0] = number;
        sink(lowest->heap, lowest->capacity, 0);
    }
}

/* Sorts what is there, ascending. */
static void sort_lowest(Lowest *lowest)
{
    int32_t count = lowest->offered < lowest->capacity ? lowest->offered : lowest->capacity;
    for (int32_t i = count / 2 - 1; i >= 0; i--)
        sink(lowest->heap, count, i);
    for (int32_t last = count - 1; last > 0; last--) {
        int32_t largest = lowest->heap[0];
        lowest->heap[0] = lowest->heap[last];
        lowest->heap[last] = largest;
        sink(lowest->heap, last, 0);
    }
}

static int32_t mesh_overlap(const RgSurface *surface, const RgBounds *box, int32_t *out, int32_t capacity)
{
    const MeshSurface *s = own(surface);
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
                offer(&lowest, triangle);
        }
    }
    sort_lowest(&lowest);
    return lowest.offered;
}

/* ------------------------------------------------------------------ nearest and ray */

/* A node to be visited, and how near it is. */
typedef struct Pending {
    int32_t node;
    double near;
} Pending;

static void mesh_nearest(const RgSurface *surface, const RgBounds *box, RgTriangleVisit *visit, void *context,
                         double *reach)
{
    const MeshSurface *s = own(surface);
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

/* The first hit so far. */
typedef struct FirstHit {
    double depth;
    int32_t triangle; /* -1: none */
} FirstHit;

static void ray_leaf(const MeshSurface *s, const RgSurfaceRay *ray, const RgSurfaceNode *node, FirstHit *first)
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

static FirstHit ray_walk(const MeshSurface *s, const RgSurfaceRay *ray, double reach)
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
            ray_leaf(s, ray, node, &first);
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
    if (!rg_surface_ray_begin(&ray, origin, direction, &surface->bounds) || !(*t >= 0.0))
        return false;
    FirstHit first = ray_walk(own(surface), &ray, *t * ray.scale);
    if (first.triangle < 0)
        return false;
    *t = fmin(*t, first.depth / ray.scale);
    *triangle = first.triangle;
    return true;
}

/* ------------------------------------------------------------------ inside */

/* Crossings of the whole ray: out less in. */
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
    /* Across all axes and planes that meshes like to have. */
    static const RgVec3 ways[] = {
        {0.8137, 0.2719, 0.4631}, {-0.3391, 0.8423, 0.1973}, {0.2287, -0.4759, -0.8011}, {-0.7369, -0.5623, 0.2971}};
    int32_t winding = 0;
    bool clear = false;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0] && !clear; i++) {
        RgSurfaceRay ray;
        if (!rg_surface_ray_begin(&ray, x, ways[i], &surface->bounds))
            return false;
        clear = true;
        winding = count_crossings(own(surface), &ray, &clear);
    }
    return winding > 0;
}

/* ------------------------------------------------------------------ making */

static int32_t mesh_beyond(const RgSurface *surface, int32_t i, int k)
{
    int32_t code = own(surface)->mesh.beyond[3 * (int64_t)i + k];
    return code < 0 ? -1 : code / 2;
}

static const RgSurfaceKind mesh_kind = {mesh_triangle, mesh_overlap, mesh_nearest, mesh_ray, mesh_inside, mesh_beyond};

RgStatus rg_surface_mesh_create(RgArena *arena, const RgShape *shape, RgSurface **out, RgMeshReport *report,
                                const char **what)
{
    MeshSurface *s = RG_TAKE(arena, MeshSurface, 1);
    *what = "out of memory";
    if (s == NULL)
        return RG_ERR_MEMORY;
    RgStatus status = rg_surface_repair(arena, shape, &s->mesh, report, what);
    if (status != RG_OK)
        return status;

    /* The boxes are needed only to build the tree. */
    RgArena scratch;
    rg_arena_init(&scratch, &arena->allocator);
    RgBounds *boxes = RG_TAKE(&scratch, RgBounds, s->mesh.nf);
    for (int32_t i = 0; boxes != NULL && i < s->mesh.nf; i++)
        boxes[i] = triangle_box(s, i);
    bool good = boxes != NULL && rg_surface_tree_build(arena, boxes, s->mesh.nf, &s->tree);
    rg_arena_free(&scratch);
    s->convex = RG_TAKE(arena, uint8_t, s->mesh.nf);
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
