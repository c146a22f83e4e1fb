/*
 * convex_hull.c - the convex hull of points, as a polytope whose faces are polygons.
 *
 *  1. Points are sorted by place, so that the hull does not depend on their order; those at one place are
 *     joined.
 *  2. They are moved to the middle of their box and scaled by powers of two, axis by axis, to a box of about
 *     unit size: the facets of a hull are those of any affine image of it, and a thin plate becomes a thick
 *     one. Qhull finds the facets (hull_qhull.c).
 *  3. Coplanar facets are joined (hull_merge.c) to within MERGE_TOLERANCE of the size.
 *  4. Vertices are numbered in the order of the points, faces in the order of their corners, the lowest
 *     first; edges, normals and offsets come from rg_polytope_link.
 *  5. The result is proven (hull_proof.c) to within HULL_TOLERANCE of the size and the round-off of the
 *     coordinates.
 *
 * Where the proof fails, Qhull is asked again with fewer points:
 *
 *   a face turns right at a corner   without such corners: they lie between others of their face, and as near
 *                                    to its plane as faces are flat; the hull of the others holds them
 *   points are outside               with the corners and these points only: the others cannot mislead it
 *
 * and after REPAIR_ROUNDS of that, or another fault, in another way, which changes the order of the work or
 * the round-off. What fails every way is refused.
 */
#include "geom/hull_steps.h"

#include <stdlib.h>
#include <string.h>

/* Corners of a face may stand off its plane by this part of the size. */
#define MERGE_TOLERANCE 1e-13

/* What the hull is proven to. */
#define HULL_TOLERANCE 1e-12

/* Thinner than this part of its size, a hull has no inside: ten times what its planes are known to. */
#define FLAT_TOLERANCE 1e-11

/* Round-off of a dot product, in parts of the largest coordinate. */
#define ROUND_OFF 1e-15

/* Qhull's options: Pp no remarks on precision, Q12 wide facets are let through (the proof judges), Q7 depth
   first, QRn turned by the n-th drawn rotation, En round-off taken for n, Qt triangulated. */
static const char *const ways[] = {
    "Pp Q12", "Pp Q12 Q7", "Pp Q12 QR3", "Pp Q12 Q7 QR5", "Pp Q12 E1e-16", "Pp Q12 Q7 E1e-16 QR7", "Pp Q12 Qt QR9"};

/* How often points are left out before another way is tried; two or three rounds are usual. */
#define REPAIR_ROUNDS 10

static const char *const fault_text[] = {[RG_HULL_TORN] = "the hull of the points is torn",
                                         [RG_HULL_DENTED] = "a face of the hull is not convex to within round-off",
                                         [RG_HULL_NOT_CONVEX] =
                                             "the hull of the points is not convex to within round-off",
                                         [RG_HULL_FLAT] = "the points lie in a plane: their hull has no volume",
                                         [RG_HULL_TOO_SMALL] = "the hull does not hold all points to within round-off"};

typedef struct Point {
    RgVec3 x;
    int32_t number;
} Point;

/* One hull being made. Everything but the result lives in work. */
typedef struct Hull {
    RgArena *work;
    int32_t count;  /* different points */
    RgVec3 *point;  /* as given, sorted */
    int32_t *first; /* lowest number of the point in the input */
    RgVec3 *unit;   /* moved and scaled */
    bool *left_out; /* points that Qhull is not to see */
    double size;    /* largest side of the box */
    double tolerance;
    const char *what;
} Hull;

/* ------------------------------------------------------------------ points */

static int compare_points(const void *a, const void *b)
{
    const Point *p = a, *q = b;
    if (p->x.x != q->x.x)
        return p->x.x < q->x.x ? -1 : 1;
    if (p->x.y != q->x.y)
        return p->x.y < q->x.y ? -1 : 1;
    if (p->x.z != q->x.z)
        return p->x.z < q->x.z ? -1 : 1;
    return p->number < q->number ? -1 : p->number > q->number;
}

static RgStatus sort_points(Hull *h, const RgVec3 *points, int32_t count)
{
    Point *sorted = RG_TAKE(h->work, Point, count);
    h->point = RG_TAKE(h->work, RgVec3, count);
    h->first = RG_TAKE(h->work, int32_t, count);
    h->unit = RG_TAKE(h->work, RgVec3, count);
    h->left_out = RG_TAKE(h->work, bool, count);
    if (h->work->failed)
        return RG_ERR_MEMORY;
    for (int32_t i = 0; i < count; i++)
        sorted[i] = (Point){points[i], i};
    qsort(sorted, (size_t)count, sizeof *sorted, compare_points);
    for (int32_t i = 0; i < count; i++) {
        RgVec3 x = sorted[i].x, last = h->count > 0 ? h->point[h->count - 1] : x;
        if (h->count > 0 && x.x == last.x && x.y == last.y && x.z == last.z)
            continue;
        h->point[h->count] = x;
        h->first[h->count++] = sorted[i].number;
    }
    return RG_OK;
}

/* Number of a point that is there. */
static int32_t find_point(const Hull *h, RgVec3 x)
{
    Point key = {x, 0};
    int32_t low = 0, high = h->count - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        Point at = {h->point[middle], 0};
        if (compare_points(&at, &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* 2^k with 1/2 <= 2^k length < 1. */
static double unit_scale(double length)
{
    int exponent;
    frexp(length, &exponent);
    return ldexp(1.0, -exponent);
}

/* False: the box has no volume. */
static bool scale_points(Hull *h)
{
    RgVec3 low = h->point[0], high = h->point[0];
    for (int32_t i = 1; i < h->count; i++) {
        RgVec3 p = h->point[i];
        low = v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    RgVec3 side = v3_sub(high, low), middle = v3_axpy(0.5, side, low);
    h->size = fmax(side.x, fmax(side.y, side.z));
    double reach =
        fmax(fmax(fabs(low.x), fmax(fabs(low.y), fabs(low.z))), fmax(fabs(high.x), fmax(fabs(high.y), fabs(high.z))));
    h->tolerance = HULL_TOLERANCE * h->size + ROUND_OFF * reach;
    double flat = FLAT_TOLERANCE * h->size;
    if (!(side.x > flat && side.y > flat && side.z > flat))
        return false;
    double sx = unit_scale(side.x), sy = unit_scale(side.y), sz = unit_scale(side.z);
    for (int32_t i = 0; i < h->count; i++) {
        RgVec3 d = v3_sub(h->point[i], middle);
        h->unit[i] = v3(sx * d.x, sy * d.y, sz * d.z);
    }
    return true;
}

/* Whether the points lie in a plane to within the tolerance: that of one of them, the farthest from it, and the
   farthest from the line of the two. Qhull may go round for ever on such points. */
static bool lie_in_a_plane(const Hull *h)
{
    RgVec3 a = h->point[0], line = v3_zero(), n = v3_zero();
    double height = 0.0;
    for (int32_t i = 1; i < h->count; i++) {
        RgVec3 d = v3_sub(h->point[i], a);
        line = v3_norm2(d) > v3_norm2(line) ? d : line;
    }
    for (int32_t i = 1; i < h->count; i++) {
        RgVec3 across = v3_cross(line, v3_sub(h->point[i], a));
        n = v3_norm2(across) > v3_norm2(n) ? across : n;
    }
    for (int32_t i = 1; i < h->count; i++)
        height = fmax(height, fabs(v3_dot(n, v3_sub(h->point[i], a))));
    return !(height > FLAT_TOLERANCE * h->size * v3_norm(n));
}

/* ------------------------------------------------------------------ facets to faces */

/* Six times the volume inside faces that are all turned alike. */
static double signed_volume(const RgPolytope *p)
{
    double sum = 0.0;
    for (int32_t f = 0; f < p->nf; f++) {
        const int32_t *corner = p->face_vertex + p->face_start[f];
        for (int32_t k = 2; k < p->face_start[f + 1] - p->face_start[f]; k++)
            sum += v3_dot(p->vertex[corner[0]], v3_cross(p->vertex[corner[k - 1]], p->vertex[corner[k]]));
    }
    return sum;
}

typedef struct Label {
    int32_t first, point;
} Label;

static int compare_labels(const void *a, const void *b)
{
    const Label *p = a, *q = b;
    return p->first < q->first ? -1 : p->first > q->first;
}

/* Drops what no face names from the vertices of p; the others stand in the order of first (their own if
   NULL), in the arena. number: of each old vertex, the new one. */
static RgStatus number_vertices(RgArena *arena, RgArena *work, const int32_t *first, RgPolytope *p, int32_t *number)
{
    Label *label = RG_TAKE(work, Label, p->nv);
    if (label == NULL)
        return RG_ERR_MEMORY;
    for (int32_t i = 0; i < p->nv; i++)
        number[i] = -1;
    int32_t count = 0;
    for (int32_t k = 0; k < p->face_start[p->nf]; k++) {
        int32_t i = p->face_vertex[k];
        if (number[i] >= 0)
            continue;
        number[i] = 0;
        label[count++] = (Label){first != NULL ? first[i] : i, i};
    }
    qsort(label, (size_t)count, sizeof *label, compare_labels);
    RgVec3 *vertex = RG_TAKE(arena, RgVec3, count);
    if (vertex == NULL)
        return RG_ERR_MEMORY;
    for (int32_t v = 0; v < count; v++) {
        number[label[v].point] = v;
        vertex[v] = p->vertex[label[v].point];
    }
    p->vertex = vertex;
    p->nv = count;
    return RG_OK;
}

/* A face by its first two corners: no two faces share them. */
typedef struct FaceKey {
    int32_t a, b, face, lowest;
} FaceKey;

static int compare_faces(const void *a, const void *b)
{
    const FaceKey *p = a, *q = b;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    if (p->b != q->b)
        return p->b < q->b ? -1 : 1;
    return p->face < q->face ? -1 : p->face > q->face;
}

/* Faces in the order of their corners, each from its lowest vertex on, turned over if wanted, in the
   arena. */
static RgStatus number_faces(RgArena *arena, RgArena *work, const int32_t *number, bool turn, RgPolytope *p)
{
    int32_t corners = p->face_start[p->nf];
    FaceKey *key = RG_TAKE(work, FaceKey, p->nf);
    int32_t *face_start = RG_TAKE(arena, int32_t, p->nf + 1), *face_vertex = RG_TAKE(arena, int32_t, corners);
    if (work->failed || arena->failed)
        return RG_ERR_MEMORY;
    for (int32_t f = 0; f < p->nf; f++) {
        const int32_t *corner = p->face_vertex + p->face_start[f];
        int32_t n = p->face_start[f + 1] - p->face_start[f], low = 0;
        if (n < 3)
            return RG_ERR_MODEL;
        for (int32_t k = 1; k < n; k++)
            low = number[corner[k]] < number[corner[low]] ? k : low;
        key[f] = (FaceKey){number[corner[low]], number[corner[(low + (turn ? n - 1 : 1)) % n]], f, low};
    }
    qsort(key, (size_t)p->nf, sizeof *key, compare_faces);
    for (int32_t i = 0; i < p->nf; i++) {
        const int32_t *corner = p->face_vertex + p->face_start[key[i].face];
        int32_t n = p->face_start[key[i].face + 1] - p->face_start[key[i].face];
        for (int32_t k = 0; k < n; k++)
            face_vertex[face_start[i] + k] = number[corner[(key[i].lowest + (turn ? n - k : k)) % n]];
        face_start[i + 1] = face_start[i] + n;
    }
    p->face_start = face_start;
    p->face_vertex = face_vertex;
    return RG_OK;
}

/* Vertices and faces of p become a linked polytope in the arena, counter-clockwise. */
static RgStatus finish_faces(RgArena *arena, RgArena *work, const int32_t *first, RgPolytope *p)
{
    int32_t *number = RG_TAKE(work, int32_t, p->nv);
    if (number == NULL)
        return RG_ERR_MEMORY;
    bool turn = signed_volume(p) < 0.0;
    RgStatus status = number_vertices(arena, work, first, p, number);
    if (status == RG_OK)
        status = number_faces(arena, work, number, turn, p);
    return status == RG_OK ? rg_polytope_link(arena, p) : status;
}

/* ------------------------------------------------------------------ ways */

/* Facets of the points that are not left out, by Qhull. */
static RgStatus ask_qhull(Hull *h, const char *options, RgPolytope *facets)
{
    RgVec3 *seen = RG_TAKE(h->work, RgVec3, h->count);
    int32_t *number = RG_TAKE(h->work, int32_t, h->count), count = 0;
    if (h->work->failed)
        return RG_ERR_MEMORY;
    for (int32_t i = 0; i < h->count; i++) {
        if (h->left_out[i])
            continue;
        number[count] = i;
        seen[count++] = h->unit[i];
    }
    RgStatus status = rg_qhull_facets(h->work, seen, count, options, facets);
    if (status != RG_OK)
        return status;
    int32_t corners = facets->face_start[facets->nf], *face_vertex = RG_TAKE(h->work, int32_t, corners);
    if (face_vertex == NULL)
        return RG_ERR_MEMORY;
    for (int32_t k = 0; k < corners; k++)
        face_vertex[k] = number[facets->face_vertex[k]];
    facets->face_vertex = face_vertex;
    facets->nv = h->count;
    facets->vertex = h->point;
    return RG_OK;
}

/* From the points that are not left out to faces and a linked hull, both in work. */
static RgStatus try_hull(Hull *h, const char *options, RgPolytope *faces, RgPolytope *hull)
{
    RgPolytope facets = {.nv = 0};
    RgStatus status = ask_qhull(h, options, &facets);
    if (status != RG_OK) {
        h->what = status == RG_ERR_MODEL ? fault_text[RG_HULL_FLAT] : "Qhull finds no hull of the points";
        return status;
    }
    h->what = fault_text[RG_HULL_TORN];
    status = finish_faces(h->work, h->work, h->first, &facets);
    if (status == RG_OK)
        status = rg_hull_merge(h->work, &facets, MERGE_TOLERANCE * h->size, faces);
    *hull = *faces;
    if (status == RG_OK)
        status = finish_faces(h->work, h->work, NULL, hull);
    return status == RG_ERR_MODEL ? RG_ERR_NOT_CONVERGED : status;
}

/* RG_ERR_NOT_CONVERGED: the hull is not proven; changed says whether other points are left out now. */
static RgStatus judge_hull(Hull *h, const RgPolytope *hull, bool *changed)
{
    RgHullPoints points = {h->point, h->count, h->tolerance, FLAT_TOLERANCE * h->size};
    RgHullMarks marks;
    RgStatus status = rg_hull_prove(h->work, hull, &points, &marks);
    if (status != RG_OK)
        return status;
    h->what = fault_text[marks.fault];
    *changed = marks.fault == RG_HULL_DENTED || marks.fault == RG_HULL_TOO_SMALL;
    if (marks.fault == RG_HULL_TOO_SMALL)
        for (int32_t i = 0; i < h->count; i++)
            h->left_out[i] = !marks.point[i];
    for (int32_t v = 0; v < hull->nv && *changed; v++)
        h->left_out[find_point(h, hull->vertex[v])] = marks.vertex[v];
    return marks.fault == RG_HULL_GOOD ? RG_OK : marks.fault == RG_HULL_FLAT ? RG_ERR_MODEL : RG_ERR_NOT_CONVERGED;
}

/* One way of asking Qhull, with fewer points where the proof says so. */
static RgStatus try_way(RgArena *arena, Hull *h, const char *options, RgPolytope *out)
{
    memset(h->left_out, 0, (size_t)h->count * sizeof *h->left_out);
    for (int round = 0; round < REPAIR_ROUNDS; round++) {
        RgPolytope faces = {.nv = 0}, hull;
        bool changed = false;
        RgStatus status = try_hull(h, options, &faces, &hull);
        if (status != RG_OK)
            return status;
        status = judge_hull(h, &hull, &changed);
        if (status == RG_OK) {
            *out = faces;
            return finish_faces(arena, h->work, NULL, out);
        }
        if (status != RG_ERR_NOT_CONVERGED || !changed)
            return status;
    }
    return RG_ERR_NOT_CONVERGED;
}

static RgStatus make_hull(RgArena *arena, Hull *h, const RgVec3 *points, int32_t count, RgPolytope *out)
{
    RgStatus status = sort_points(h, points, count);
    if (status != RG_OK)
        return status;
    h->what = fault_text[RG_HULL_FLAT];
    if (!scale_points(h) || lie_in_a_plane(h))
        return RG_ERR_MODEL;
    status = RG_ERR_NOT_CONVERGED;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0] && status == RG_ERR_NOT_CONVERGED; i++)
        status = try_way(arena, h, ways[i], out);
    return status == RG_ERR_NOT_CONVERGED ? RG_ERR_MODEL : status;
}

RgStatus rg_convex_hull(RgArena *arena, const RgVec3 *points, int32_t count, RgPolytope *out, RgMeshReport *report,
                        const char **what)
{
    const char *ignored;
    if (what == NULL)
        what = &ignored;
    *what = "a hull needs at least four points";
    if (count < 4)
        return RG_ERR_ARGUMENT;
    *what = "a point is not finite";
    for (int32_t i = 0; i < count; i++)
        if (!v3_finite(points[i]))
            return RG_ERR_NOT_FINITE;
    RgArena work;
    rg_arena_init(&work, &arena->allocator);
    Hull h = {.work = &work};
    RgStatus status = make_hull(arena, &h, points, count, out);
    *what = status == RG_ERR_MEMORY ? "out of memory" : h.what;
    if (status == RG_OK) {
        report->merged_vertices = count - h.count;
        report->inner_points = h.count - out->nv;
        report->closed = true;
    }
    rg_arena_free(&work);
    return status;
}
