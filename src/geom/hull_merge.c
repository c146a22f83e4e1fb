/*
 * hull_merge.c - merges the coplanar facets of a hull into polygons.
 *
 *  1. Regions. Largest facet first, a region grows across the edges to every facet whose corners lie within the
 *     tolerance of the first facet's plane. The plane of a large facet is accurate; thin facets join it and need
 *     no plane of their own.
 *  2. Corners. A vertex where three regions or more meet is a corner. Vertices inside one region are dropped.
 *     Those between two corners, on the border of two regions, are dropped if all of them lie within the
 *     tolerance of the straight line.
 *  3. Check. The outline of a region must be one loop, without repeated vertices, and convex to within the
 *     tolerance. A region that fails is split into its facets, and steps 2 and 3 are repeated: at most once for
 *     each region.
 *
 * Every partition of the facets into regions with one loop each is a closed surface, so the result is valid for any
 * round-off; some coplanar facets may then remain separate. Cost O(n log n) to sort the areas, O(n) per round.
 */
#include "geom/hull_steps.h"

#include <stdlib.h>

typedef struct Area {
    double area;
    int32_t face;
} Area;

typedef struct Merge {
    const RgPolytope *p;
    double tolerance;
    int32_t nregions;
    int32_t *region;  /* of each facet */
    int32_t *seed;    /* largest facet of each region */
    bool *broken;     /* regions that were split, or have a single facet */
    int32_t *corner;  /* index in face_edge of each edge, left then right */
    int32_t *borders; /* number of edges between regions that end at each vertex */
    bool *kept;       /* vertices that remain */
    int32_t *stamp;   /* of each vertex: the last traversal that visited it */
    int32_t *list;    /* facets of a growing region; vertices of an outline */
} Merge;

static bool alloc_merge(RgArena *arena, Merge *m)
{
    const RgPolytope *p = m->p;
    m->region = RG_ARENA_ALLOC(arena, int32_t, p->nf);
    m->seed = RG_ARENA_ALLOC(arena, int32_t, p->nf);
    m->broken = RG_ARENA_ALLOC(arena, bool, p->nf);
    m->corner = RG_ARENA_ALLOC(arena, int32_t, 2 * (size_t)p->ne);
    m->borders = RG_ARENA_ALLOC(arena, int32_t, p->nv);
    m->kept = RG_ARENA_ALLOC(arena, bool, p->nv);
    m->stamp = RG_ARENA_ALLOC(arena, int32_t, p->nv);
    m->list = RG_ARENA_ALLOC(arena, int32_t, 2 * (size_t)p->ne);
    if (arena->failed)
        return false;
    for (int32_t f = 0; f < p->nf; f++) {
        m->region[f] = -1;
        for (int32_t k = p->face_start[f]; k < p->face_start[f + 1]; k++) {
            int32_t e = p->face_edge[k];
            m->corner[2 * e + (p->edge_face[2 * e] != f)] = k;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ regions */

static double face_area(const RgPolytope *p, int32_t f)
{
    const int32_t *corner = p->face_vertex + p->face_start[f];
    RgVec3 sum = v3_zero(), first = p->vertex[corner[0]];
    for (int32_t k = 2; k < p->face_start[f + 1] - p->face_start[f]; k++)
        sum = v3_add(sum, v3_cross(v3_sub(p->vertex[corner[k - 1]], first), v3_sub(p->vertex[corner[k]], first)));
    return v3_norm(sum);
}

/* Largest first; of equal areas the lower index. */
static int compare_areas(const void *a, const void *b)
{
    const Area *x = a, *y = b;
    if (x->area != y->area)
        return x->area > y->area ? -1 : 1;
    return x->face < y->face ? -1 : 1;
}

/* Returns true if all corners of facet f lie in the plane of facet s, measured from a corner of s. */
static bool in_plane(const Merge *m, int32_t s, int32_t f)
{
    const RgPolytope *p = m->p;
    RgVec3 n = p->normal[s], o = p->vertex[p->face_vertex[p->face_start[s]]];
    for (int32_t k = p->face_start[f]; k < p->face_start[f + 1]; k++)
        if (!(fabs(v3_dot(n, v3_sub(p->vertex[p->face_vertex[k]], o))) <= m->tolerance))
            return false;
    return true;
}

static void grow_region(Merge *m, int32_t seed)
{
    const RgPolytope *p = m->p;
    int32_t r = m->nregions++, count = 0;
    m->seed[r] = seed;
    m->region[seed] = r;
    m->list[count++] = seed;
    for (int32_t i = 0; i < count; i++) {
        int32_t f = m->list[i];
        for (int32_t k = p->face_start[f]; k < p->face_start[f + 1]; k++) {
            int32_t e = p->face_edge[k];
            int32_t g = p->edge_face[2 * e] == f ? p->edge_face[2 * e + 1] : p->edge_face[2 * e];
            if (m->region[g] >= 0 || !in_plane(m, seed, g))
                continue;
            m->region[g] = r;
            m->list[count++] = g;
        }
    }
    m->broken[r] = count == 1;
}

static bool grow_regions(RgArena *arena, Merge *m)
{
    Area *order = RG_ARENA_ALLOC(arena, Area, m->p->nf);
    if (order == NULL)
        return false;
    for (int32_t f = 0; f < m->p->nf; f++)
        order[f] = (Area){face_area(m->p, f), f};
    qsort(order, (size_t)m->p->nf, sizeof *order, compare_areas);
    for (int32_t i = 0; i < m->p->nf; i++)
        if (m->region[order[i].face] < 0)
            grow_region(m, order[i].face);
    return true;
}

/* ------------------------------------------------------------------ outlines */

static bool is_border(const Merge *m, int32_t e)
{
    return m->region[m->p->edge_face[2 * e]] != m->region[m->p->edge_face[2 * e + 1]];
}

/* The corner after k on the outline of its region: inner edges are crossed to the facet beyond. */
static int32_t next_on_outline(const Merge *m, int32_t k, int32_t *face)
{
    const RgPolytope *p = m->p;
    for (;;) {
        k = k + 1 < p->face_start[*face + 1] ? k + 1 : p->face_start[*face];
        int32_t e = p->face_edge[k];
        if (is_border(m, e))
            return k;
        int beyond = p->edge_face[2 * e] == *face;
        *face = p->edge_face[2 * e + beyond];
        k = m->corner[2 * e + beyond];
    }
}

/* Writes the corners of the outline that starts with border corner k of a facet, kept ones or all, into list. Returns
   how many; 0: a vertex occurs twice. */
static int32_t collect_outline(Merge *m, int32_t face, int32_t k, bool all, int32_t stamp)
{
    const RgPolytope *p = m->p;
    int32_t first = k, count = 0;
    do {
        int32_t v = p->face_vertex[k];
        if (m->stamp[v] == stamp)
            return 0;
        m->stamp[v] = stamp;
        if (all || m->kept[v])
            m->list[count++] = v;
        k = next_on_outline(m, k, &face);
    } while (k != first);
    return count;
}

/* Returns true if v is within the tolerance of the line through a and b. */
static bool on_line(const Merge *m, int32_t v, int32_t a, int32_t b)
{
    RgVec3 along = v3_sub(m->p->vertex[b], m->p->vertex[a]);
    RgVec3 across = v3_cross(along, v3_sub(m->p->vertex[v], m->p->vertex[a]));
    return v3_norm(across) <= m->tolerance * v3_norm(along);
}

/* list: an outline of n vertices. Keeps the corners (three borders or more), and the runs of vertices between them that
   are not straight. An outline with fewer than two corners keeps all vertices. */
static void mark_corners(Merge *m, int32_t n)
{
    const int32_t *v = m->list;
    int32_t first = -1, corners = 0;
    for (int32_t i = 0; i < n; i++) {
        corners += m->borders[v[i]] > 2;
        if (first < 0 && m->borders[v[i]] > 2)
            first = i;
    }
    if (corners < 2) {
        for (int32_t i = 0; i < n; i++)
            m->kept[v[i]] = true;
        return;
    }
    for (int32_t i = 0; i < n;) {
        int32_t length = 1;
        while (m->borders[v[(first + i + length) % n]] <= 2)
            length++;
        int32_t a = v[(first + i) % n], b = v[(first + i + length) % n];
        bool straight = true;
        for (int32_t j = 1; j < length; j++)
            straight &= on_line(m, v[(first + i + j) % n], a, b);
        for (int32_t j = 1; j < length && !straight; j++)
            m->kept[v[(first + i + j) % n]] = true;
        m->kept[a] = m->kept[b] = true;
        i += length;
    }
}

/* Returns true if the polygon in list is convex, counter-clockwise about n. */
static bool turns_left(const Merge *m, int32_t count, RgVec3 n)
{
    RgPolygon polygon = {m->p->vertex, m->list, count, n};
    for (int32_t i = 0; i < count; i++)
        if (!rg_polygon_turns_left(&polygon, i, m->tolerance))
            return false;
    return true;
}

/* ------------------------------------------------------------------ rounds */

/* First border corner of every region, and the number of its borders. */
typedef struct Outline {
    int32_t face, corner, borders;
} Outline;

static void find_outlines(Merge *m, Outline *outline)
{
    const RgPolytope *p = m->p;
    for (int32_t r = 0; r < m->nregions; r++)
        outline[r] = (Outline){-1, -1, 0};
    for (int32_t v = 0; v < p->nv; v++) {
        m->borders[v] = 0;
        m->kept[v] = false;
        m->stamp[v] = -1;
    }
    for (int32_t f = 0; f < p->nf; f++) {
        for (int32_t k = p->face_start[f]; k < p->face_start[f + 1]; k++) {
            if (!is_border(m, p->face_edge[k]))
                continue;
            Outline *o = &outline[m->region[f]];
            if (o->borders++ == 0) {
                o->face = f;
                o->corner = k;
            }
            m->borders[p->face_vertex[k]]++;
        }
    }
}

/* Returns true if the outline of region r is one loop; marks the vertices that remain. */
static bool is_single_loop(Merge *m, int32_t r, const Outline *o)
{
    if (o->borders == 0)
        return false;
    int32_t n = collect_outline(m, o->face, o->corner, true, 3 * r);
    if (n != o->borders)
        return false;
    mark_corners(m, n);
    return true;
}

/* Keeps all vertices of a face that would have fewer than three corners. */
static void ensure_three_corners(Merge *m, int32_t r, const Outline *o)
{
    if (collect_outline(m, o->face, o->corner, false, 3 * r + 1) >= 3)
        return;
    int32_t n = collect_outline(m, o->face, o->corner, true, 3 * r + 2);
    for (int32_t i = 0; i < n; i++)
        m->kept[m->list[i]] = true;
}

static bool is_convex_outline(Merge *m, int32_t r, const Outline *o)
{
    int32_t n = collect_outline(m, o->face, o->corner, false, 3 * (m->nregions + r));
    return n >= 3 && turns_left(m, n, m->p->normal[m->seed[r]]);
}

/* Makes every facet of the regions marked bad a separate region. */
static void split_regions(Merge *m, const bool *bad)
{
    int32_t before = m->nregions;
    for (int32_t f = 0; f < m->p->nf; f++) {
        int32_t r = m->region[f];
        if (r >= before || !bad[r])
            continue;
        m->broken[r] = true;
        if (f == m->seed[r])
            continue;
        m->seed[m->nregions] = f;
        m->broken[m->nregions] = true;
        m->region[f] = m->nregions++;
    }
}

/* One round. Returns true if a region was split. Single facets are not checked here. */
static bool check_regions(Merge *m, Outline *outline, bool *bad)
{
    bool any = false;
    find_outlines(m, outline);
    for (int32_t r = 0; r < m->nregions; r++)
        bad[r] = !is_single_loop(m, r, &outline[r]) && !m->broken[r];
    for (int32_t r = 0; r < m->nregions; r++)
        if (!bad[r])
            ensure_three_corners(m, r, &outline[r]);
    for (int32_t r = 0; r < m->nregions; r++) {
        bad[r] = bad[r] || (!m->broken[r] && !is_convex_outline(m, r, &outline[r]));
        any |= bad[r];
    }
    if (any)
        split_regions(m, bad);
    return any;
}

RgStatus rg_hull_merge(RgArena *arena, const RgPolytope *fine, double tolerance, RgPolytope *coarse)
{
    Merge m = {.p = fine, .tolerance = tolerance};
    Outline *outline = RG_ARENA_ALLOC(arena, Outline, fine->nf);
    bool *bad = RG_ARENA_ALLOC(arena, bool, fine->nf);
    int32_t *face_start = RG_ARENA_ALLOC(arena, int32_t, fine->nf + 1);
    int32_t *face_vertex = RG_ARENA_ALLOC(arena, int32_t, 2 * (size_t)fine->ne);
    if (arena->failed || !alloc_merge(arena, &m) || !grow_regions(arena, &m))
        return RG_ERR_MEMORY;
    while (check_regions(&m, outline, bad))
        continue;

    /* Store the outlines of the final regions. */
    coarse->vertex = fine->vertex;
    coarse->nv = fine->nv;
    coarse->nf = m.nregions;
    for (int32_t r = 0; r < m.nregions; r++) {
        int32_t n = collect_outline(&m, outline[r].face, outline[r].corner, false, 6 * m.nregions + r);
        for (int32_t i = 0; i < n; i++)
            face_vertex[face_start[r] + i] = m.list[i];
        face_start[r + 1] = face_start[r] + n;
    }
    coarse->face_start = face_start;
    coarse->face_vertex = face_vertex;
    return RG_OK;
}
