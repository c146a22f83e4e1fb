/*
 * hull_qhull.c - facets of a convex hull by Qhull (Barber, Dobkin, Huhdanpaa, The Quickhull algorithm for
 * convex hulls, ACM TOMS 22, 1996). O(n log n) for points in space.
 *
 * Qhull merges facets that are not clearly convex to within its round-off, so that a facet is a polygon of
 * any number of corners, with every point inside or within round-off of it. It takes its memory from malloc,
 * reports to a stream (here one in memory, which nobody reads), and leaves by a long jump where it cannot go
 * on.
 */
#define _POSIX_C_SOURCE 200809L /* fmemopen */

#include "geom/hull_steps.h"

#include <libqhull_r/qhull_ra.h>

/* Room for the messages of Qhull; more is dropped. */
#define MESSAGE_ROOM 4096

/* Room for options. */
#define COMMAND_ROOM 64

/* Number of facets and of their corners, by Qhull's sets of vertices. */
static void count_facets(qhT *qh, int32_t *facets, int32_t *corners)
{
    facetT *facet;
    *facets = *corners = 0;
    FORALLfacets
    {
        ++*facets;
        *corners += qh_setsize(qh, facet->vertices);
    }
}

/* Corners in order; false: Qhull's count of them does not hold. */
static bool copy_facets(qhT *qh, int32_t corners, int32_t *face_start, int32_t *face_vertex)
{
    facetT *facet;
    vertexT *vertex, **vertexp;
    int32_t f = 0, at = 0;
    FORALLfacets
    {
        setT *vertices = qh_facet3vertex(qh, facet);
        FOREACHvertex_(vertices)
        {
            if (at < corners)
                face_vertex[at] = qh_pointid(qh, vertex->point);
            at++;
        }
        qh_settempfree(qh, &vertices);
        face_start[++f] = at;
    }
    return at == corners;
}

/* Qhull's exit code. Its jump must not cross other variables, hence a function of its own. */
static int read_facets(qhT *qh, RgArena *arena, RgPolytope *out)
{
    int code = setjmp(qh->errexit);
    if (code == 0) {
        int32_t corners;
        qh->NOerrexit = False;
        count_facets(qh, &out->nf, &corners);
        int32_t *face_start = RG_TAKE(arena, int32_t, out->nf + 1);
        int32_t *face_vertex = RG_TAKE(arena, int32_t, corners);
        if (arena->failed)
            code = qh_ERRmem;
        else if (!copy_facets(qh, corners, face_start, face_vertex))
            code = qh_ERRqhull;
        out->face_start = face_start;
        out->face_vertex = face_vertex;
    }
    qh->NOerrexit = True;
    return code;
}

RgStatus rg_qhull_facets(RgArena *arena, const RgVec3 *points, int32_t count, const char *options, RgPolytope *out)
{
    char command[COMMAND_ROOM], message[MESSAGE_ROOM];
    qhT *qh = RG_TAKE(arena, qhT, 1);
    coordT *coordinates = RG_TAKE(arena, coordT, 3 * (size_t)count);
    FILE *sink = fmemopen(message, sizeof message, "w");
    if (arena->failed || sink == NULL) {
        if (sink != NULL)
            fclose(sink);
        return RG_ERR_MEMORY;
    }
    for (int32_t i = 0; i < count; i++) {
        coordinates[3 * (size_t)i] = points[i].x;
        coordinates[3 * (size_t)i + 1] = points[i].y;
        coordinates[3 * (size_t)i + 2] = points[i].z;
    }
    snprintf(command, sizeof command, "qhull %s", options);
    int code = qh_new_qhull(qh, 3, count, coordinates, False, command, NULL, sink);
    if (code == qh_ERRnone)
        code = read_facets(qh, arena, out);
    int short_blocks, long_bytes;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &short_blocks, &long_bytes);
    fclose(sink);
    switch (code) {
    case qh_ERRnone:
        return RG_OK;
    case qh_ERRmem:
        return RG_ERR_MEMORY;
    case qh_ERRsingular:
        return RG_ERR_MODEL;
    default:
        return RG_ERR_NOT_CONVERGED;
    }
}
