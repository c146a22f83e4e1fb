/*
 * polytope.c - support vertex of a polytope, and its adjacency.
 *
 * Support vertex. With few vertices all are scanned. With many, the search climbs from vertex to higher neighbour: on
 * the graph of a convex polytope, the vertices above any level are connected, so that a vertex without a higher
 * neighbour is the highest. Round-off disturbs this: a dot product has an error of up to 3 u |d|_1 R (R: the largest
 * coordinate, u = 2^-53), and faces are flat and convex only to within some delta. With
 *
 *   slack = 2 (3 u R) + 4 delta
 *
 * the vertices above (level - slack |d|_1) are still connected. So after the climb all vertices within the slack are
 * visited, neighbour by neighbour: usually there are none. If there are more than PLATEAU_ROOM (d normal to a face with
 * many corners), all vertices are scanned. The result is that of a scan, for any hint.
 *
 * Adjacency. Half-edges (a, b), one per corner of a face, are sorted by (a, b) and by (b, a), each by two counting
 * sorts. If every half-edge has exactly one partner, the k-th of one order is the partner of the k-th of the other.
 * Linear in the number of corners.
 *
 * Normals: n ~ sum (x_k - x_0) x (x_k+1 - x_0) over the corners (Newell), with exact products (two doubles each), so
 * that the normals of thin faces are accurate too.
 */
#include "geom/polytope.h"

#include "geom/polytope_scan.h"
#include "math/unit.h"

#include <string.h>

/* Up to this many vertices a scan is faster than a climb: a vertex takes about 1/2 ns, a climb 40 ns. */
#define SCAN_LIMIT 64

/* Cells along one side of a cube's face in the table of initial vertices, and the number of vertices from which the
   finer table is used: about as many cells as vertices. */
#define START_CELLS 8
#define START_CELLS_FINE 16
#define START_FINE_FROM 500

/* Vertices within the slack of the highest that are visited; if there are more, all are scanned. */
#define PLATEAU_ROOM 32

/* ------------------------------------------------------------------ farthest vertex */

static int32_t scan_all(const RgPolytope *p, RgVec3 d)
{
    int32_t best = 0;
    double farthest = v3_dot(p->vertex[0], d);
    for (int32_t i = 1; i < p->nv; i++) {
        double along = v3_dot(p->vertex[i], d);
        best = along > farthest ? i : best;
        farthest = along > farthest ? along : farthest;
    }
    return best;
}

/* Cell of -1 <= s <= 1; all other values (NaN for a zero direction) map to the first or last. */
static int32_t cell_of(double s, int32_t cells)
{
    double cell = 0.5 * cells * (s + 1.0);
    return cell >= cells ? cells - 1 : cell >= 0.0 ? (int32_t)cell : 0;
}

/* Cell of a direction on the cube: side by its largest component, then a cell of that side. */
static int32_t start_cell(RgVec3 d, int32_t cells)
{
    double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    double along = v3_at(d, axis), per = 1.0 / fabs(along);
    int32_t side = 2 * axis + (along > 0.0);
    int32_t u = cell_of(per * v3_at(d, axis == 0 ? 1 : 0), cells);
    int32_t v = cell_of(per * v3_at(d, axis == 2 ? 1 : 2), cells);
    return (side * cells + u) * cells + v;
}

/* Direction of the centre of a cell. */
static RgVec3 cell_direction(int32_t cell, int32_t cells)
{
    int32_t v = cell % cells, u = cell / cells % cells;
    int32_t side = cell / (cells * cells);
    double s = (u + 0.5) * 2.0 / cells - 1.0, t = (v + 0.5) * 2.0 / cells - 1.0;
    double along = side % 2 ? 1.0 : -1.0;
    return side / 2 == 0 ? v3(along, s, t) : side / 2 == 1 ? v3(s, along, t) : v3(s, t, along);
}

/* Climbs from v, at the given level, to a vertex without a higher neighbour; *alone: it has no neighbour within the
   slack below it either. */
static int32_t climb(const RgPolytope *p, RgVec3 d, double slack, int32_t v, double level, bool *alone)
{
    for (int32_t steps = 0; steps < p->nv; steps++) {
        const int32_t *ring = p->ring + p->ring_start[v];
        int32_t count = p->ring_start[v + 1] - p->ring_start[v], best = v;
        double highest = -INFINITY;
        for (int32_t k = 0; k < count; k++) {
            double along = v3_dot(p->vertex[ring[k]], d);
            best = along > highest ? ring[k] : best;
            highest = along > highest ? along : highest;
        }
        if (!(highest > level)) {
            *alone = highest < level - slack;
            return v;
        }
        v = best;
        level = highest;
    }
    *alone = false;
    return v;
}

/* The highest of the vertices connected with v within the slack; -1: more than there is room for. */
static int32_t search_plateau(const RgPolytope *p, RgVec3 d, double slack, int32_t v)
{
    int32_t seen[PLATEAU_ROOM] = {v}, count = 1, best = v;
    double highest = v3_dot(p->vertex[v], d);
    for (int32_t i = 0; i < count; i++) {
        for (int32_t k = p->ring_start[seen[i]]; k < p->ring_start[seen[i] + 1]; k++) {
            int32_t next = p->ring[k], j = 0;
            double along = v3_dot(p->vertex[next], d);
            if (!(along >= highest - slack))
                continue;
            while (j < count && seen[j] != next)
                j++;
            if (j < count)
                continue;
            if (count == PLATEAU_ROOM)
                return -1;
            seen[count++] = next;
            if (along > highest || (along == highest && next < best)) {
                highest = along;
                best = next;
            }
        }
    }
    return best;
}

int32_t rg_polytope_support(const RgPolytope *p, RgVec3 d, int32_t hint)
{
    if (p->is_box)
        return rg_box_corner(d);
    if (p->rows != NULL)
        return rg_polytope_scan(p->rows, p->nv, d);
    if (p->start == NULL)
        return scan_all(p, d);
    int32_t v = p->start[start_cell(d, p->start_cells)];
    double level = v3_dot(p->vertex[v], d);
    if (hint >= 0 && hint < p->nv) {
        double along = v3_dot(p->vertex[hint], d);
        v = along > level ? hint : v;
        level = along > level ? along : level;
    }
    double slack = p->slack * (fabs(d.x) + fabs(d.y) + fabs(d.z));
    bool alone;
    v = climb(p, d, slack, v, level, &alone);
    if (alone)
        return v;
    v = search_plateau(p, d, slack, v);
    return v >= 0 ? v : scan_all(p, d);
}

double rg_polytope_reach(const RgPolytope *p, RgVec3 c)
{
    double reach2 = 0.0;
    for (int32_t v = 0; v < p->nv; v++)
        reach2 = fmax(reach2, v3_norm2(v3_sub(p->vertex[v], c)));
    return sqrt(reach2);
}

/* ------------------------------------------------------------------ half-edges */

/* Half-edge h leads from its corner to the next one of the same face. */
typedef struct HalfEdges {
    int32_t count;
    int32_t *from, *to, *face, *next;
    int32_t *order;   /* by (from, to) */
    int32_t *partner; /* the opposite half-edge */
    int32_t *edge;    /* index of its edge */
} HalfEdges;

static bool alloc_half_edges(RgArena *arena, RgArena *work, int32_t count, HalfEdges *h)
{
    int32_t **arrays[] = {&h->from, &h->to, &h->face, &h->next, &h->order, &h->partner};
    h->count = count;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        *arrays[i] = RG_ARENA_ALLOC(work, int32_t, count);
    h->edge = RG_ARENA_ALLOC(arena, int32_t, count);
    return !arena->failed && !work->failed;
}

/* in: indices of half-edges; out: the same, stably sorted by key (nv values). bins: scratch, nv + 1. */
static bool fill_half_edges(const RgPolytope *p, HalfEdges *h)
{
    for (int32_t f = 0; f < p->nf; f++) {
        int32_t first = p->face_start[f], end = p->face_start[f + 1];
        if (end - first < 3)
            return false;
        for (int32_t k = first; k < end; k++) {
            int32_t next = k + 1 < end ? k + 1 : first;
            int32_t a = p->face_vertex[k], b = p->face_vertex[next];
            if (a < 0 || a >= p->nv || a == b)
                return false;
            h->from[k] = a;
            h->to[k] = b;
            h->face[k] = f;
            h->next[k] = next;
        }
    }
    return true;
}

/* in: indices of half-edges; out: the same, stably sorted by key (nv values). room: nv + 1. */
static void sort_by(const HalfEdges *h, const int32_t *key, const int32_t *in, int32_t *out, int32_t *bins, int32_t nv)
{
    memset(bins, 0, (size_t)(nv + 1) * sizeof *bins);
    for (int32_t i = 0; i < h->count; i++)
        bins[key[i] + 1]++;
    for (int32_t i = 0; i < nv; i++)
        bins[i + 1] += bins[i];
    for (int32_t i = 0; i < h->count; i++)
        out[bins[key[in[i]]]++] = in[i];
}

/* Returns false if a half-edge has no partner, or more than one. */
static bool pair_half_edges(RgArena *arena, int32_t nv, HalfEdges *h)
{
    int32_t *first = RG_ARENA_ALLOC(arena, int32_t, h->count), *half = RG_ARENA_ALLOC(arena, int32_t, h->count);
    int32_t *back = RG_ARENA_ALLOC(arena, int32_t, h->count), *bins = RG_ARENA_ALLOC(arena, int32_t, nv + 1);
    if (arena->failed)
        return false;
    for (int32_t i = 0; i < h->count; i++)
        first[i] = i;
    sort_by(h, h->to, first, half, bins, nv);
    sort_by(h, h->from, half, h->order, bins, nv);
    sort_by(h, h->from, first, half, bins, nv);
    sort_by(h, h->to, half, back, bins, nv);
    for (int32_t k = 0; k < h->count; k++) {
        int32_t i = h->order[k], j = back[k];
        if (h->from[i] != h->to[j] || h->to[i] != h->from[j])
            return false;
        int32_t before = k > 0 ? h->order[k - 1] : -1;
        if (before >= 0 && h->from[before] == h->from[i] && h->to[before] == h->to[i])
            return false;
        h->partner[i] = j;
    }
    return true;
}

/* ------------------------------------------------------------------ edges, rings, planes */

/* Edges from the lower to the higher vertex, sorted by their ends. */
static bool make_edges(RgArena *arena, HalfEdges *h, RgPolytope *p)
{
    p->ne = h->count / 2;
    int32_t *edge = RG_ARENA_ALLOC(arena, int32_t, h->count), *edge_face = RG_ARENA_ALLOC(arena, int32_t, h->count);
    if (arena->failed)
        return false;
    int32_t e = 0;
    for (int32_t k = 0; k < h->count; k++) {
        int32_t i = h->order[k], j = h->partner[i];
        if (h->from[i] > h->to[i])
            continue;
        edge[2 * e] = h->from[i];
        edge[2 * e + 1] = h->to[i];
        edge_face[2 * e] = h->face[i];
        edge_face[2 * e + 1] = h->face[j];
        h->edge[i] = h->edge[j] = e++;
    }
    p->edge = edge;
    p->edge_face = edge_face;
    p->face_edge = h->edge;
    return true;
}

/* Rings, starting at the lowest neighbour. Counter-clockwise after half-edge i follows the partner of the half-edge
   before i in its face. Returns false if the faces at a vertex form more than one fan, or a vertex has none. */
static bool make_rings(RgArena *arena, RgArena *work, const HalfEdges *h, RgPolytope *p)
{
    int32_t *ring_start = RG_ARENA_ALLOC(arena, int32_t, p->nv + 1), *ring = RG_ARENA_ALLOC(arena, int32_t, h->count);
    int32_t *ring_edge = RG_ARENA_ALLOC(arena, int32_t, h->count), *before = RG_ARENA_ALLOC(work, int32_t, h->count);
    if (arena->failed || work->failed)
        return false;
    for (int32_t i = 0; i < h->count; i++) {
        ring_start[h->from[i] + 1]++;
        before[h->next[i]] = i;
    }
    for (int32_t v = 0; v < p->nv; v++)
        ring_start[v + 1] += ring_start[v];
    for (int32_t v = 0; v < p->nv; v++) {
        int32_t begin = ring_start[v], end = ring_start[v + 1];
        if (begin == end)
            return false;
        int32_t i = h->order[begin];
        for (int32_t k = begin; k < end; k++) {
            if (k > begin && i == h->order[begin])
                return false;
            ring[k] = h->to[i];
            ring_edge[k] = h->edge[i];
            i = h->partner[before[i]];
        }
    }
    p->ring_start = ring_start;
    p->ring = ring;
    p->ring_edge = ring_edge;
    return true;
}

/* A number as the sum of two doubles. Exact sums and products: Dekker (1971), Knuth. */
typedef struct Pair {
    double high, low;
} Pair;

static Pair exact_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (Pair){s, (a - (s - t)) + (b - t)};
}

static Pair exact_product(double a, double b)
{
    const double split = 134217729.0; /* 2^27 + 1 */
    double p = a * b, ca = split * a, cb = split * b;
    double ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
    return (Pair){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static Pair pair_add(Pair a, Pair b)
{
    Pair s = exact_sum(a.high, b.high);
    double low = s.low + a.low + b.low;
    return exact_sum(s.high, low);
}

static Pair pair_multiply(Pair a, Pair b)
{
    Pair p = exact_product(a.high, b.high);
    return exact_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static Pair pair_negate(Pair a)
{
    return (Pair){-a.high, -a.low};
}

/* a b - c d */
static Pair pair_minor(Pair a, Pair b, Pair c, Pair d)
{
    return pair_add(pair_multiply(a, b), pair_negate(pair_multiply(c, d)));
}

/* scale (a - b), scale a power of two */
static void pair_difference(RgVec3 a, RgVec3 b, double scale, Pair out[3])
{
    out[0] = exact_sum(scale * a.x, -scale * b.x);
    out[1] = exact_sum(scale * a.y, -scale * b.y);
    out[2] = exact_sum(scale * a.z, -scale * b.z);
}

RgVec3 rg_polygon_normal(const RgVec3 *vertex, const int32_t *corner, int32_t count)
{
    RgVec3 first = vertex[corner[0]];
    double reach = 0.0;
    for (int32_t k = 1; k < count; k++)
        reach = fmax(reach, v3_largest(v3_sub(vertex[corner[k]], first)));
    if (!(reach > 0.0) || !isfinite(reach))
        return v3_zero();

    /* The sum, with corners scaled to about unit distance from the first. */
    int exponent;
    frexp(reach, &exponent);
    double scale = ldexp(1.0, -exponent);
    Pair sum[3] = {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}}, a[3], b[3];
    pair_difference(vertex[corner[1]], first, scale, a);
    for (int32_t k = 2; k < count; k++) {
        pair_difference(vertex[corner[k]], first, scale, b);
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, l = (i + 2) % 3;
            sum[i] = pair_add(sum[i], pair_minor(a[j], b[l], a[l], b[j]));
        }
        memcpy(a, b, sizeof a);
    }
    RgVec3 n = v3(sum[0].high, sum[1].high, sum[2].high);
    double largest = v3_largest(n);
    if (!(largest > 0.0))
        return v3_zero();
    n = v3_scale(1.0 / largest, n);
    return v3_scale(1.0 / v3_norm(n), n);
}

/* Deviation of face f from a convex planar polygon, m: of its corners from one plane, of its neighbours' corners from
   below it, and of its outline from being convex. */
static double flatness(const RgPolytope *p, const HalfEdges *h, int32_t f)
{
    RgVec3 n = p->normal[f];
    double high = -INFINITY, low = INFINITY, dent = 0.0;
    for (int32_t k = p->face_start[f]; k < p->face_start[f + 1]; k++) {
        RgVec3 a = p->vertex[h->from[k]], b = p->vertex[h->to[k]], c = p->vertex[h->to[h->next[k]]];
        double along = v3_dot(n, a), turn = v3_dot(n, v3_cross(v3_sub(b, a), v3_sub(c, b)));
        high = fmax(high, along);
        low = fmin(low, along);
        dent = fmax(dent, -turn / v3_norm(v3_sub(c, a)));
    }
    for (int32_t k = p->face_start[f]; k < p->face_start[f + 1]; k++) {
        int32_t v = h->from[k];
        for (int32_t r = p->ring_start[v]; r < p->ring_start[v + 1]; r++)
            high = fmax(high, v3_dot(n, p->vertex[p->ring[r]]));
    }
    return fmax(high - low, dent);
}

/* Data of the support search: the rows of few vertices; for many a table of initial vertices, each found by a climb
   from the previous one. p->start must be NULL. */
static bool make_search(RgArena *arena, RgPolytope *p)
{
    if (p->nv <= SCAN_LIMIT) {
        int32_t bins = RG_SCAN_ROOM(p->nv);
        double *rows = RG_ARENA_ALLOC(arena, double, 3 * bins);
        if (arena->failed)
            return false;
        for (int32_t i = 0; i < bins; i++)
            for (int k = 0; k < 3; k++)
                rows[k * bins + i] = v3_at(p->vertex[i < p->nv ? i : 0], k);
        p->rows = rows;
        return true;
    }
    p->start_cells = p->nv < START_FINE_FROM ? START_CELLS : START_CELLS_FINE;
    int32_t cells = 6 * p->start_cells * p->start_cells, v = 0;
    int32_t *start = RG_ARENA_ALLOC(arena, int32_t, cells);
    if (arena->failed)
        return false;
    for (int32_t i = 0; i < cells; i++) {
        RgVec3 d = cell_direction(i, p->start_cells);
        bool alone;
        v = start[i] = climb(p, d, 0.0, v, v3_dot(p->vertex[v], d), &alone);
    }
    p->start = start;
    return true;
}

/* Normals, and the slack of the search; then the offsets, found by that search. */
static RgStatus make_planes(RgArena *arena, const HalfEdges *h, RgPolytope *p)
{
    RgVec3 *normal = RG_ARENA_ALLOC(arena, RgVec3, p->nf);
    double *offset = RG_ARENA_ALLOC(arena, double, p->nf);
    if (arena->failed)
        return RG_ERR_MEMORY;
    p->normal = normal;
    p->offset = offset;
    p->rows = NULL;
    p->is_box = false;
    p->start = NULL;
    double delta = 0.0, extent = 0.0;
    for (int32_t f = 0; f < p->nf; f++) {
        normal[f] =
            rg_polygon_normal(p->vertex, p->face_vertex + p->face_start[f], p->face_start[f + 1] - p->face_start[f]);
        if (v3_norm2(normal[f]) == 0.0)
            return RG_ERR_MODEL;
        delta = fmax(delta, flatness(p, h, f));
    }
    for (int32_t v = 0; v < p->nv; v++)
        extent = fmax(extent, v3_largest(p->vertex[v]));
    p->slack = 6.0 * 0x1p-53 * extent + 4.0 * delta;
    if (!make_search(arena, p))
        return RG_ERR_MEMORY;
    for (int32_t f = 0; f < p->nf; f++) {
        int32_t top = rg_polytope_support(p, normal[f], p->face_vertex[p->face_start[f]]);
        offset[f] = v3_dot(normal[f], p->vertex[top]);
    }
    return RG_OK;
}

static RgStatus link_faces(RgArena *arena, RgArena *work, RgPolytope *p)
{
    HalfEdges h;
    int32_t count = p->face_start[p->nf];
    if (p->nv < 3 || p->nf < 2 || count % 2 != 0)
        return RG_ERR_MODEL;
    if (!alloc_half_edges(arena, work, count, &h))
        return RG_ERR_MEMORY;
    if (!fill_half_edges(p, &h) || !pair_half_edges(work, p->nv, &h) || !make_edges(arena, &h, p) ||
        !make_rings(arena, work, &h, p))
        return arena->failed || work->failed ? RG_ERR_MEMORY : RG_ERR_MODEL;
    return make_planes(arena, &h, p);
}

RgStatus rg_polytope_link(RgArena *arena, RgPolytope *p)
{
    RgArena work;
    rg_arena_init(&work, &arena->allocator);
    RgStatus status = link_faces(arena, &work, p);
    rg_arena_free(&work);
    return status;
}

/* ------------------------------------------------------------------ constant topology */

static const int32_t none[2] = {0, 0};

static const RgPolytope no_tables = {.edge = none,
                                     .edge_face = none,
                                     .face_start = none,
                                     .face_vertex = none,
                                     .face_edge = none,
                                     .ring_start = none,
                                     .ring = none,
                                     .ring_edge = none};

RgPolytope rg_polytope_point(const RgVec3 vertex[1])
{
    RgPolytope p = no_tables;
    p.nv = 1;
    p.vertex = vertex;
    return p;
}

/* The edge has no faces: -1. */
RgPolytope rg_polytope_segment(const RgVec3 vertex[2])
{
    static const int32_t edge[2] = {0, 1}, edge_face[2] = {-1, -1};
    static const int32_t ring_start[3] = {0, 1, 2}, ring[2] = {1, 0};
    RgPolytope p = no_tables;
    p.nv = 2;
    p.ne = 1;
    p.vertex = vertex;
    p.edge = edge;
    p.edge_face = edge_face;
    p.ring_start = ring_start;
    p.ring = ring;
    return p;
}

/* The tables of a polytope that has faces, by the names of the fields. */
#define TABLES_OF_FACES                                                                                                \
    .vertex = vertex, .edge = edge, .edge_face = edge_face, .face_start = face_start, .face_vertex = face_vertex,      \
    .face_edge = face_edge, .normal = normal, .offset = offset, .ring_start = ring_start, .ring = ring,                \
    .ring_edge = ring_edge

RgPolytope rg_polytope_triangle(const RgVec3 vertex[3], const RgVec3 normal[2], const double offset[2])
{
    static const int32_t edge[6] = {0, 1, 1, 2, 2, 0}, edge_face[6] = {0, 1, 0, 1, 0, 1};
    static const int32_t face_start[3] = {0, 3, 6};
    static const int32_t face_vertex[6] = {0, 1, 2, 0, 2, 1}, face_edge[6] = {0, 1, 2, 2, 1, 0};
    static const int32_t ring_start[4] = {0, 2, 4, 6};
    static const int32_t ring[6] = {1, 2, 2, 0, 0, 1}, ring_edge[6] = {0, 2, 1, 0, 2, 1};
    return (RgPolytope){.nv = 3, .ne = 3, .nf = 2, TABLES_OF_FACES};
}

RgPolytope rg_polytope_box(const RgVec3 vertex[8], const double offset[6])
{
    static const int32_t edge[24] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7};
    static const int32_t edge_face[24] = {2, 4, 4, 3, 5, 2, 3, 5, 4, 0, 1, 4, 0, 5, 5, 1, 0, 2, 2, 1, 3, 0, 1, 3};
    static const int32_t face_start[7] = {0, 4, 8, 12, 16, 20, 24};
    static const int32_t face_vertex[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    static const int32_t face_edge[24] = {8, 6, 10, 4, 5, 11, 7, 9, 0, 9, 2, 8, 10, 3, 11, 1, 4, 1, 5, 0, 2, 7, 3, 6};
    static const RgVec3 normal[6] = {{-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0},  {0.0, -1.0, 0.0},
                                     {0.0, 1.0, 0.0},  {0.0, 0.0, -1.0}, {0.0, 0.0, 1.0}};
    static const int32_t ring_start[9] = {0, 3, 6, 9, 12, 15, 18, 21, 24};
    static const int32_t ring[24] = {1, 4, 2, 0, 3, 5, 0, 6, 3, 1, 2, 7, 0, 5, 6, 1, 7, 4, 2, 4, 7, 3, 6, 5};
    static const int32_t ring_edge[24] = {0, 8, 4, 0, 5, 9, 4, 10, 1, 5, 1, 11, 8, 2, 6, 9, 7, 2, 10, 6, 3, 11, 3, 7};
    return (RgPolytope){.is_box = true, .nv = 8, .ne = 12, .nf = 6, TABLES_OF_FACES};
}
