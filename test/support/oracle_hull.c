/*
 * oracle_hull.c - faces and edges of the hull of a few points, the slow way.
 *
 * A plane through three points is a face if no point lies before it. Two points are an edge if they lie on
 * two faces. Nearly equal planes (a face with more than three corners gives many) are kept once: the one
 * that its points hold to best. Accepting a plane that is none, or an edge inside a face, only adds
 * directions to try.
 */
#include "oracle_shape.h"

#include <stdlib.h>
#include <string.h>

#define FLAT 1e-15L     /* part of the extent: how far a point may lie before a face; doubles are rounded by 1e-16 */
#define SAME_FACE 1e-7L /* sin of the angle below which two planes of three common points are one */
#define MAX_POINTS 64

/* Farthest any point lies before the plane, and the points that lie on it. */
static long double plane_excess(const OracleShape *s, Lv n, long double offset, uint64_t *on)
{
    long double worst = 0.0L, flat = FLAT * s->extent;
    *on = 0;
    for (int i = 0; i < s->nv; i++) {
        long double above = lv_dot(n, s->vertex[i]) - offset;
        if (above > flat)
            return above;
        worst = fmaxl(worst, above);
        if (above >= -flat)
            *on |= UINT64_C(1) << i;
    }
    return worst;
}

/* Adds the face, or lets it replace a nearly equal one that is worse. excess: of the faces so far. */
static bool keep_face(OracleShape *s, Lv n, uint64_t on, long double now, long double **excess)
{
    for (int i = 0; i < s->nf; i++) {
        if (lv_dot(n, s->normal[i]) < 0.0L || lv_norm(lv_cross(n, s->normal[i])) > SAME_FACE)
            continue;
        s->on_face[i] |= on;
        if (now < (*excess)[i]) {
            s->normal[i] = n;
            (*excess)[i] = now;
        }
        return true;
    }
    if ((s->nf & (s->nf - 1)) == 0) {
        size_t room = s->nf > 0 ? 2 * (size_t)s->nf : 8;
        Lv *normal = realloc(s->normal, room * sizeof *normal);
        s->normal = normal != NULL ? normal : s->normal;
        uint64_t *faces = realloc(s->on_face, room * sizeof *faces);
        s->on_face = faces != NULL ? faces : s->on_face;
        long double *more = realloc(*excess, room * sizeof *more);
        *excess = more != NULL ? more : *excess;
        if (normal == NULL || faces == NULL || more == NULL)
            return false;
    }
    s->normal[s->nf] = n;
    s->on_face[s->nf] = on;
    (*excess)[s->nf++] = now;
    return true;
}

/* Tries the plane of three points, both ways round. */
static bool try_plane(OracleShape *s, const int corner[3], long double **excess)
{
    Lv p = s->vertex[corner[0]];
    Lv n = lv_cross(lv_sub(s->vertex[corner[1]], p), lv_sub(s->vertex[corner[2]], p));
    if (!(lv_norm(n) > 0.0L))
        return true;
    n = lv_unit(n);
    for (int side = 0; side < 2; side++, n = lv_scale(-1.0L, n)) {
        uint64_t on;
        long double now = plane_excess(s, n, lv_dot(n, p), &on);
        if (now <= FLAT * s->extent && !keep_face(s, n, on, now, excess))
            return false;
    }
    return true;
}

static bool find_faces(OracleShape *s)
{
    long double *excess = NULL;
    bool good = true;
    int c[3];
    for (c[0] = 0; c[0] < s->nv && good; c[0]++)
        for (c[1] = c[0] + 1; c[1] < s->nv && good; c[1]++)
            for (c[2] = c[1] + 1; c[2] < s->nv && good; c[2]++)
                good = try_plane(s, c, &excess);
    free(excess);
    return good && s->nf >= 4;
}

static int faces_with(const OracleShape *s, uint64_t corners)
{
    int count = 0;
    for (int i = 0; i < s->nf; i++)
        count += (s->on_face[i] & corners) == corners;
    return count;
}

/* Points at the place of another are dropped. */
static void drop_repeated(OracleShape *s)
{
    int kept = 0;
    for (int i = 0; i < s->nv; i++) {
        bool repeated = false;
        for (int j = 0; j < kept; j++)
            repeated |= !(lv_norm(lv_sub(s->vertex[i], s->vertex[j])) > 0.0L);
        if (!repeated)
            s->vertex[kept++] = s->vertex[i];
    }
    s->nv = kept;
}

/* Between corners alone: a point on fewer than three faces lies inside an edge or a face. */
static bool find_edges(OracleShape *s)
{
    size_t pairs = (size_t)s->nv * (size_t)(s->nv - 1) / 2;
    s->line = malloc(pairs * sizeof *s->line);
    s->ends = malloc(pairs * sizeof *s->ends);
    if (s->line == NULL || s->ends == NULL)
        return false;
    for (int i = 0; i < s->nv; i++)
        for (int j = i + 1; j < s->nv; j++) {
            uint64_t from = UINT64_C(1) << i, to = UINT64_C(1) << j;
            if (faces_with(s, from | to) < 2 || faces_with(s, from) < 3 || faces_with(s, to) < 3)
                continue;
            s->ends[s->ne][0] = i;
            s->ends[s->ne][1] = j;
            s->line[s->ne++] = lv_unit(lv_sub(s->vertex[j], s->vertex[i]));
        }
    return s->ne >= 6;
}

/* Takes the view's word for normals and edges, if no point lies before a face. */
static bool take_view(OracleShape *s, const RgPolytopeView *view)
{
    s->normal = malloc((size_t)view->nfaces * sizeof *s->normal);
    s->line = malloc((size_t)view->nedges * sizeof *s->line);
    s->ends = malloc((size_t)view->nedges * sizeof *s->ends);
    if (s->normal == NULL || s->line == NULL || s->ends == NULL || view->nvertices > s->nv)
        return false;
    for (int i = 0; i < view->nfaces; i++) {
        Lv n = lv_unit(lv_of(view->face_normals[i]));
        Lv p = lv_of(view->vertices[view->face_vertices[view->face_start[i]]]);
        s->normal[s->nf++] = n;
        for (int k = 0; k < s->nv; k++)
            if (lv_dot(n, lv_sub(s->vertex[k], p)) > FLAT * s->extent)
                return false;
    }
    for (int i = 0; i < view->nvertices; i++)
        s->vertex[i] = lv_of(view->vertices[i]);
    s->nv = view->nvertices;
    for (int i = 0; i < view->nedges; i++) {
        s->ends[i][0] = view->edges[2 * i];
        s->ends[i][1] = view->edges[2 * i + 1];
        s->line[s->ne++] = lv_unit(lv_sub(s->vertex[s->ends[i][1]], s->vertex[s->ends[i][0]]));
    }
    return view->nvertices - view->nedges + view->nfaces == 2;
}

bool oracle_hull(OracleShape *s, const RgPolytopeView *view)
{
    if (view != NULL)
        return take_view(s, view);
    drop_repeated(s);
    return s->nv <= MAX_POINTS && find_faces(s) && find_edges(s);
}
