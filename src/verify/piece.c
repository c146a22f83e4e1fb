/*
 * piece.c - builds convex pieces from the numbers of a file.
 *
 * Faces of polytopes are checked: all corners must be behind the plane of each face, and each edge of a face must be an
 * edge of exactly one other face, in the opposite direction. Then the faces enclose the convex hull of the corners, and
 * the direction of least overlap with another hull is a face normal or a cross product of edges.
 */
#include "verify/piece.h"

#include <string.h>

/* Tolerance of corners in front of a face, as a part of the size: convex hull programs merge faces within it. */
#define FLAT 1e-9

static bool allocate_piece(RgArena *arena, RgPiece *out, int32_t corners, int32_t edges, int32_t normals)
{
    *out = (RgPiece){.ncorners = corners, .nedges = edges, .nnormals = normals};
    out->corner = RG_ARENA_ALLOC(arena, RgVec3, corners);
    out->edge = RG_ARENA_ALLOC(arena, int32_t, 2 * (size_t)edges);
    out->normal = RG_ARENA_ALLOC(arena, RgVec3, normals);
    return !arena->failed;
}

/* Bounding ball of the corners, about the middle of their box; `more` is added to its radius. */
static void set_bounding_ball(RgPiece *piece, double more)
{
    RgVec3 low = piece->corner[0], high = low;
    for (int32_t i = 1; i < piece->ncorners; i++) {
        RgVec3 x = piece->corner[i];
        low = v3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = v3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    piece->middle = v3_scale(0.5, v3_add(low, high));
    for (int32_t i = 0; i < piece->ncorners; i++)
        piece->reach = fmax(piece->reach, v3_norm(v3_sub(piece->corner[i], piece->middle)));
    piece->reach = (piece->reach + more) * (1.0 + 1e-14);
}

bool rg_piece_sphere(RgArena *arena, const RgPose *X_CS, double radius, RgPiece *out)
{
    if (!allocate_piece(arena, out, 1, 0, 0))
        return false;
    out->corner[0] = X_CS->p;
    out->radius = radius;
    set_bounding_ball(out, radius);
    return true;
}

/* Sets both ends of a segment along z. */
static void set_ends(const RgPose *X_CS, double length, RgPiece *out)
{
    out->corner[0] = pose_apply(*X_CS, v3(0.0, 0.0, -0.5 * length));
    out->corner[1] = pose_apply(*X_CS, v3(0.0, 0.0, 0.5 * length));
    out->axis = m3_column(X_CS->R, 2);
}

bool rg_piece_capsule(RgArena *arena, const RgPose *X_CS, double radius, double length, RgPiece *out)
{
    if (!allocate_piece(arena, out, 2, 1, 0))
        return false;
    set_ends(X_CS, length, out);
    out->edge[1] = 1;
    out->radius = radius;
    set_bounding_ball(out, radius);
    return true;
}

bool rg_piece_cylinder(RgArena *arena, const RgPose *X_CS, double radius, double length, RgPiece *out)
{
    if (!allocate_piece(arena, out, 2, 0, 0))
        return false;
    set_ends(X_CS, length, out);
    out->kind = RG_PIECE_ROUND;
    out->disc = radius;
    set_bounding_ball(out, radius);
    return true;
}

bool rg_piece_ellipsoid(RgArena *arena, const RgPose *X_CS, const double half[3], RgPiece *out)
{
    if (!allocate_piece(arena, out, 1, 0, 0))
        return false;
    out->corner[0] = X_CS->p;
    out->kind = RG_PIECE_ELLIPSOID;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out->axes.m[i][j] = X_CS->R.m[i][j] * half[j];
    set_bounding_ball(out, fmax(half[0], fmax(half[1], half[2])));
    return true;
}

bool rg_piece_halfspace(RgArena *arena, const RgPose *X_CS, RgPiece *out)
{
    (void)arena;
    *out = (RgPiece){.kind = RG_PIECE_HALFSPACE, .reach = (double)INFINITY};
    out->axis = m3_column(X_CS->R, 2);
    out->offset = v3_dot(out->axis, X_CS->p);
    return true;
}

bool rg_piece_box(RgArena *arena, const RgPose *X_CS, const double size[3], RgPiece *out)
{
    if (!allocate_piece(arena, out, 8, 12, 6))
        return false;
    RgVec3 *normal = out->normal;
    int32_t *edge = out->edge, n = 0;
    for (int i = 0; i < 8; i++) {
        RgVec3 x = v3(i & 1 ? 0.5 * size[0] : -0.5 * size[0], i & 2 ? 0.5 * size[1] : -0.5 * size[1],
                      i & 4 ? 0.5 * size[2] : -0.5 * size[2]);
        out->corner[i] = pose_apply(*X_CS, x);
        for (int bit = 1; bit < 8; bit *= 2)
            if ((i & bit) == 0) {
                edge[n++] = i;
                edge[n++] = i | bit;
            }
    }
    for (int k = 0; k < 3; k++) {
        normal[2 * k] = m3_column(X_CS->R, k);
        normal[2 * k + 1] = v3_neg(normal[2 * k]);
    }
    set_bounding_ball(out, 0.0);
    return true;
}

bool rg_piece_triangle(RgArena *arena, const RgPose *X_CS, const RgVec3 vertex[3], RgPiece *out)
{
    if (!allocate_piece(arena, out, 3, 3, 2))
        return false;
    int32_t *edge = out->edge;
    RgVec3 *normal = out->normal, *x = out->corner;
    for (int i = 0; i < 3; i++) {
        x[i] = pose_apply(*X_CS, vertex[i]);
        edge[2 * i] = i;
        edge[2 * i + 1] = (i + 1) % 3;
    }
    RgVec3 n = v3_cross(v3_sub(x[1], x[0]), v3_sub(x[2], x[0]));
    double length = v3_norm(n);
    normal[0] = length > 0.0 ? v3_scale(1.0 / length, n) : v3(0.0, 0.0, 1.0);
    normal[1] = v3_neg(normal[0]);
    set_bounding_ball(out, 0.0);
    return true;
}

/* ------------------------------------------------------------------ polytopes */

/* A directed edge of a face, to be paired with its opposite. */
typedef struct HalfEdge {
    int32_t low, high;
    bool up; /* from low to high */
} HalfEdge;

static int compare_half_edges(const HalfEdge *a, const HalfEdge *b)
{
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return (int)b->up - (int)a->up;
}

/* Shell sort. */
static void sort_half_edges(HalfEdge *half_edge, int32_t count)
{
    for (int32_t gap = count / 2; gap > 0; gap /= 2)
        for (int32_t i = gap; i < count; i++) {
            HalfEdge moved = half_edge[i];
            int32_t j = i;
            for (; j >= gap && compare_half_edges(&moved, &half_edge[j - gap]) < 0; j -= gap)
                half_edge[j] = half_edge[j - gap];
            half_edge[j] = moved;
        }
}

/* Unit normal of a face by Newell's method: robust for nearly flat polygons. Zero: no area. */
static RgVec3 face_normal(const RgVec3 *x, const RgPieceFaces *faces, int32_t f)
{
    RgVec3 n = v3_zero(), origin = x[faces->corner[faces->start[f]]];
    for (int32_t k = faces->start[f]; k + 1 < faces->start[f + 1]; k++)
        n = v3_add(n, v3_cross(v3_sub(x[faces->corner[k]], origin), v3_sub(x[faces->corner[k + 1]], origin)));
    double length = v3_norm(n);
    return length > 0.0 ? v3_scale(1.0 / length, n) : v3_zero();
}

/* Number of edges of closed faces; 0: they are not closed. Sorts the directed edges (one per corner of a face) so that
   opposite ones are adjacent. */
static int32_t pair_half_edges(const RgPieceFaces *faces, HalfEdge *half_edge)
{
    int32_t n = 0;
    for (int32_t f = 0; f < faces->nfaces; f++)
        for (int32_t k = faces->start[f]; k < faces->start[f + 1]; k++) {
            int32_t from = faces->corner[k];
            int32_t to = faces->corner[k + 1 < faces->start[f + 1] ? k + 1 : faces->start[f]];
            half_edge[n++] = from < to ? (HalfEdge){from, to, true} : (HalfEdge){to, from, false};
        }
    sort_half_edges(half_edge, n);
    for (int32_t i = 0; i < n; i += 2) {
        bool paired = i + 1 < n && half_edge[i].low == half_edge[i + 1].low &&
                      half_edge[i].high == half_edge[i + 1].high && half_edge[i].up && !half_edge[i + 1].up;
        bool again =
            i > 0 && paired && half_edge[i - 1].low == half_edge[i].low && half_edge[i - 1].high == half_edge[i].high;
        if (!paired || again || half_edge[i].low == half_edge[i].high)
            return 0;
    }
    return n / 2;
}

/* Why the faces are invalid; NULL: they are valid. Computes the piece's normals. */
static const char *check_faces(RgPiece *piece, const RgPieceFaces *faces)
{
    RgVec3 *normal = piece->normal;
    for (int32_t f = 0; f < faces->nfaces; f++) {
        normal[f] = face_normal(piece->corner, faces, f);
        if (v3_norm2(normal[f]) == 0.0)
            return "a face without area";
        RgVec3 on = piece->corner[faces->corner[faces->start[f]]];
        for (int32_t i = 0; i < piece->ncorners; i++)
            if (v3_dot(normal[f], v3_sub(piece->corner[i], on)) > FLAT * piece->reach)
                return "a corner outside a face";
    }
    return NULL;
}

bool rg_piece_polytope(RgArena *arena, const RgPose *X_CS, const RgPieceFaces *faces, RgPiece *out, const char **wrong)
{
    const char *ignored;
    wrong = wrong != NULL ? wrong : &ignored;
    *wrong = NULL;
    int32_t half_edges = faces->start[faces->nfaces];
    HalfEdge *half_edge = RG_ARENA_ALLOC(arena, HalfEdge, half_edges);
    if (half_edge == NULL)
        return false;
    int32_t edges = pair_half_edges(faces, half_edge);
    if (!allocate_piece(arena, out, faces->nvertices, edges, faces->nfaces))
        return false;
    for (int32_t i = 0; i < faces->nvertices; i++)
        out->corner[i] = pose_apply(*X_CS, faces->vertex[i]);
    for (int32_t e = 0; e < edges; e++) {
        out->edge[2 * e] = half_edge[2 * e].low;
        out->edge[2 * e + 1] = half_edge[2 * e].high;
    }
    set_bounding_ball(out, 0.0);
    *wrong = edges == 0 ? "an edge that does not have two faces" : check_faces(out, faces);
    return true;
}

/* ------------------------------------------------------------------ farthest points */

static RgVec3 farthest_corner(const RgPiece *piece, RgVec3 d)
{
    int32_t best = 0;
    double height = v3_dot(piece->corner[0], d);
    for (int32_t i = 1; i < piece->ncorners; i++) {
        double h = v3_dot(piece->corner[i], d);
        if (h > height) {
            height = h;
            best = i;
        }
    }
    return piece->corner[best];
}

RgVec3 rg_piece_support(const RgPiece *piece, RgVec3 d)
{
    RgVec3 x = farthest_corner(piece, d);
    if (piece->kind == RG_PIECE_ROUND) {
        RgVec3 across = v3_axpy(-v3_dot(piece->axis, d), piece->axis, d);
        double length = v3_norm(across);
        return length > 0.0 ? v3_axpy(piece->disc / length, across, x) : x;
    }
    if (piece->kind == RG_PIECE_ELLIPSOID) {
        RgVec3 local = m3_apply_t(piece->axes, d);
        double length = v3_norm(local);
        return length > 0.0 ? v3_add(x, m3_apply(piece->axes, v3_scale(1.0 / length, local))) : x;
    }
    return x;
}
