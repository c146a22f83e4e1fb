/*
 * convex_hull.c - the convex hull of points, as a polytope whose faces are polygons.
 *
 *  1. Points are sorted by position, so that the hull does not depend on their order; coincident points are merged.
 *  2. They are translated to the centre of their box and scaled by powers of two, axis by axis, to a box of about
 *     unit size: the facets of a hull are those of any affine image of it, and a thin plate becomes a thick one.
 *     Qhull finds the facets (hull_qhull.c).
 *  3. Coplanar facets are merged (hull_merge.c) to within MERGE_TOLERANCE of the size.
 *  4. Vertices are numbered in the order of the points, faces in the order of their corners, the lowest first;
 *     edges, normals and offsets come from rg_polytope_link.
 *  5. The result is verified (hull_proof.c) to within HULL_TOLERANCE of the size and the round-off of the
 *     coordinates.
 *
 * If the verification fails, Qhull is called again with fewer points:
 *
 *   a face is concave at a corner    without such corners: they lie between others of their face, and as near
 *                                    to its plane as faces are flat; the hull of the others contains them
 *   points are outside               with the corners and these points only: no other point can cause the fault
 *
 * and after REPAIR_ROUNDS of that, or for another fault, with other options, which change the order of the work or the
 * round-off. Points for which all options fail are rejected.
 */
#include "geom/hull_steps.h"

#include <stdlib.h>
#include <string.h>

/* Fraction of the size by which corners of a face may deviate from its plane. */
#define MERGE_TOLERANCE 1e-13

/* Accuracy of the verification, as a fraction of the size. */
#define HULL_TOLERANCE 1e-12

/* A hull thinner than this fraction of its size is flat: ten times the accuracy of its planes. */
#define FLAT_TOLERANCE 1e-11

/* Round-off of a dot product, as a fraction of the largest coordinate. */
#define ROUND_OFF 1e-15

/* Qhull's options: Pp no precision warnings, Q12 wide facets are accepted (the verification decides), Q7 depth first,
   QRn random rotation with seed n, En round-off set to n, Qt triangulated. */
static const char *const qhull_options[] = {
    "Pp Q12", "Pp Q12 Q7", "Pp Q12 QR3", "Pp Q12 Q7 QR5", "Pp Q12 E1e-16", "Pp Q12 Q7 E1e-16 QR7", "Pp Q12 Qt QR9"};

/* Rounds with fewer points before other options are tried; two or three rounds are usual. */
#define REPAIR_ROUNDS 10

static const char *const fault_text[] = {
    [RG_HULL_TORN] = "the hull of the points is torn",
    [RG_HULL_CONCAVE_FACE] = "a face of the hull is not convex to within round-off",
    [RG_HULL_NOT_CONVEX] = "the hull of the points is not convex to within round-off",
    [RG_HULL_FLAT] = "the points lie in a plane: their hull has no volume",
    [RG_HULL_TOO_SMALL] = "the hull does not hold all points to within round-off"};

typedef struct Point {
    RgVec3 x;
    int32_t number;
} Point;

/* A hull during construction. Everything except the result is allocated in work. */
typedef struct Hull {
    RgArena *work;
    int32_t count;  /* distinct points */
    RgVec3 *point;  /* as given, sorted */
    int32_t *first; /* lowest index of the point in the input */
    RgVec3 *unit;   /* translated and scaled */
    bool *left_out; /* points that are not passed to Qhull */
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
    Point *sorted = RG_ARENA_ALLOC(h->work, Point, count);
    h->point = RG_ARENA_ALLOC(h->work, RgVec3, count);
    h->first = RG_ARENA_ALLOC(h->work, int32_t, count);
    h->unit = RG_ARENA_ALLOC(h->work, RgVec3, count);
    h->left_out = RG_ARENA_ALLOC(h->work, bool, count);
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

/* Index of a point of the hull. */
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

/* Returns false if the box has no volume. */
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

/* Returns true if the points are coplanar to within the tolerance: the plane goes through one of them, the point
   farthest from it, and the point farthest from the line of the two. On such points Qhull may not terminate. */
static bool are_coplanar(const Hull *h)
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

/* Six times the volume inside consistently oriented faces. */
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

/* Drops the vertices of p that no face uses; sorts the others by first (by index if NULL), in the arena. number: of
   each old vertex, the new index. */
static RgStatus number_vertices(RgArena *arena, RgArena *work, const int32_t *first, RgPolytope *p, int32_t *number)
{
    Label *label = RG_ARENA_ALLOC(work, Label, p->nv);
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
    RgVec3 *vertex = RG_ARENA_ALLOC(arena, RgVec3, count);
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

/* A face by its first two corners, which no other face shares. */
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

/* Sorts faces by their corners, each rotated to start at its lowest vertex, reversed if turn is set; in the arena. */
static RgStatus number_faces(RgArena *arena, RgArena *work, const int32_t *number, bool turn, RgPolytope *p)
{
    int32_t corners = p->face_start[p->nf];
    FaceKey *key = RG_ARENA_ALLOC(work, FaceKey, p->nf);
    int32_t *face_start = RG_ARENA_ALLOC(arena, int32_t, p->nf + 1),
            *face_vertex = RG_ARENA_ALLOC(arena, int32_t, corners);
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

/* Converts vertices and faces of p to a linked polytope in the arena, counter-clockwise. */
static RgStatus link_faces(RgArena *arena, RgArena *work, const int32_t *first, RgPolytope *p)
{
    int32_t *number = RG_ARENA_ALLOC(work, int32_t, p->nv);
    if (number == NULL)
        return RG_ERR_MEMORY;
    bool turn = signed_volume(p) < 0.0;
    RgStatus status = number_vertices(arena, work, first, p, number);
    if (status == RG_OK)
        status = number_faces(arena, work, number, turn, p);
    return status == RG_OK ? rg_polytope_link(arena, p) : status;
}

/* ------------------------------------------------------------------ attempts */

/* Facets of the points that are not left out, from Qhull. */
static RgStatus run_qhull(Hull *h, const char *options, RgPolytope *facets)
{
    RgVec3 *seen = RG_ARENA_ALLOC(h->work, RgVec3, h->count);
    int32_t *number = RG_ARENA_ALLOC(h->work, int32_t, h->count), count = 0;
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
    int32_t corners = facets->face_start[facets->nf], *face_vertex = RG_ARENA_ALLOC(h->work, int32_t, corners);
    if (face_vertex == NULL)
        return RG_ERR_MEMORY;
    for (int32_t k = 0; k < corners; k++)
        face_vertex[k] = number[facets->face_vertex[k]];
    facets->face_vertex = face_vertex;
    facets->nv = h->count;
    facets->vertex = h->point;
    return RG_OK;
}

/* Makes faces and a linked hull, both in work, from the points that are not left out. */
static RgStatus try_hull(Hull *h, const char *options, RgPolytope *faces, RgPolytope *hull)
{
    RgPolytope facets = {.nv = 0};
    RgStatus status = run_qhull(h, options, &facets);
    if (status != RG_OK) {
        h->what = status == RG_ERR_MODEL ? fault_text[RG_HULL_FLAT] : "Qhull finds no hull of the points";
        return status;
    }
    h->what = fault_text[RG_HULL_TORN];
    status = link_faces(h->work, h->work, h->first, &facets);
    if (status == RG_OK)
        status = rg_hull_merge(h->work, &facets, MERGE_TOLERANCE * h->size, faces);
    *hull = *faces;
    if (status == RG_OK)
        status = link_faces(h->work, h->work, NULL, hull);
    return status == RG_ERR_MODEL ? RG_ERR_NOT_CONVERGED : status;
}

/* RG_ERR_NOT_CONVERGED: the verification fails; changed is set if the points left out have changed. */
static RgStatus verify_hull(Hull *h, const RgPolytope *hull, bool *changed)
{
    RgHullPoints points = {h->point, h->count, h->tolerance, FLAT_TOLERANCE * h->size};
    RgHullMarks marks;
    RgStatus status = rg_hull_prove(h->work, hull, &points, &marks);
    if (status != RG_OK)
        return status;
    h->what = fault_text[marks.fault];
    *changed = marks.fault == RG_HULL_CONCAVE_FACE || marks.fault == RG_HULL_TOO_SMALL;
    if (marks.fault == RG_HULL_TOO_SMALL)
        for (int32_t i = 0; i < h->count; i++)
            h->left_out[i] = !marks.point[i];
    for (int32_t v = 0; v < hull->nv && *changed; v++)
        h->left_out[find_point(h, hull->vertex[v])] = marks.vertex[v];
    return marks.fault == RG_HULL_GOOD ? RG_OK : marks.fault == RG_HULL_FLAT ? RG_ERR_MODEL : RG_ERR_NOT_CONVERGED;
}

/* Tries one set of Qhull options, with fewer points if the verification requires it. */
static RgStatus try_options(RgArena *arena, Hull *h, const char *options, RgPolytope *out)
{
    memset(h->left_out, 0, (size_t)h->count * sizeof *h->left_out);
    for (int round = 0; round < REPAIR_ROUNDS; round++) {
        RgPolytope faces = {.nv = 0}, hull;
        bool changed = false;
        RgStatus status = try_hull(h, options, &faces, &hull);
        if (status != RG_OK)
            return status;
        status = verify_hull(h, &hull, &changed);
        if (status == RG_OK) {
            *out = faces;
            return link_faces(arena, h->work, NULL, out);
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
    if (!scale_points(h) || are_coplanar(h))
        return RG_ERR_MODEL;
    status = RG_ERR_NOT_CONVERGED;
    for (size_t i = 0; i < sizeof qhull_options / sizeof qhull_options[0] && status == RG_ERR_NOT_CONVERGED; i++)
        status = try_options(arena, h, qhull_options[i], out);
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
