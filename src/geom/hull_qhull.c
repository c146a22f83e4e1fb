/*
 * hull_qhull.c - facets of a convex hull by Qhull (Barber, Dobkin, Huhdanpaa, The Quickhull algorithm for convex hulls,
 * ACM TOMS 22, 1996). O(n log n) in three dimensions.
 *
 * Qhull merges facets that are not clearly convex to within its round-off, so that a facet is a polygon with any number
 * of corners, and every point is inside or within round-off of it. It allocates by malloc, writes messages to a stream
 * (here in memory and discarded), and returns by longjmp on an error.
 */
#define _POSIX_C_SOURCE 200809L /* fmemopen */

#include "geom/hull_steps.h"

#include <libqhull_r/qhull_ra.h>

/* Size of the buffer for Qhull's messages; further ones are dropped. */
#define MESSAGE_ROOM 4096

/* Size of the buffer for options. */
#define COMMAND_ROOM 64

/* Counts facets and their corners from Qhull's vertex sets. */
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

/* Copies the corners in order. Returns false if Qhull's count of them is inconsistent. */
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

/* Returns Qhull's exit code. A separate function, so that the longjmp does not pass other variables. */
static int read_facets(qhT *qh, RgArena *arena, RgPolytope *out)
{
    int code = setjmp(qh->errexit);
    if (code == 0) {
        int32_t corners;
        qh->NOerrexit = False;
        count_facets(qh, &out->nf, &corners);
        int32_t *face_start = RG_ARENA_ALLOC(arena, int32_t, out->nf + 1);
        int32_t *face_vertex = RG_ARENA_ALLOC(arena, int32_t, corners);
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
    qhT *qh = RG_ARENA_ALLOC(arena, qhT, 1);
    coordT *coordinates = RG_ARENA_ALLOC(arena, coordT, 3 * (size_t)count);
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
