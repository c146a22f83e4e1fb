/*
 * surface_fixture.h - surfaces as geometries: floors, roofs, boxes and height fields of triangles.
 */
#ifndef TEST_COLLISION_SURFACE_FIXTURE_H
#define TEST_COLLISION_SURFACE_FIXTURE_H

#include "manifold_fixture.h"

#define SOUP_ROOM 9000

/* Triangles in the making. */
typedef struct Soup {
    int32_t nvertices, nfaces;
    double xyz[3 * SOUP_ROOM];
    int32_t faces[6 * SOUP_ROOM];
} Soup;

static inline Soup *soup_new(void)
{
    return calloc(1, sizeof(Soup));
}

static inline int32_t soup_vertex(Soup *s, double x, double y, double z)
{
    double *at = s->xyz + 3 * s->nvertices;
    at[0] = x;
    at[1] = y;
    at[2] = z;
    return s->nvertices++;
}

static inline void soup_face(Soup *s, int32_t a, int32_t b, int32_t c)
{
    int32_t *at = s->faces + 3 * s->nfaces++;
    at[0] = a;
    at[1] = b;
    at[2] = c;
}

/* A grid of n x m squares spanned by two vectors from a corner, normal along u x v. Diagonals either way. */
static inline void soup_grid(Soup *s, RgVec3 corner, RgVec3 u, RgVec3 v, int n, int m)
{
    int32_t first = s->nvertices;
    for (int j = 0; j <= m; j++)
        for (int i = 0; i <= n; i++) {
            RgVec3 x = vec_add(corner, vec_add(vec_scale((double)i / n, u), vec_scale((double)j / m, v)));
            soup_vertex(s, x.x, x.y, x.z);
        }
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++) {
            int32_t a = first + j * (n + 1) + i, b = a + 1, d = a + n + 1, c = d + 1;
            if ((i + j) % 2 == 0) {
                soup_face(s, a, b, c);
                soup_face(s, a, c, d);
            } else {
                soup_face(s, a, b, d);
                soup_face(s, b, c, d);
            }
        }
}

/* The six sides of a box of full lengths l about the origin, each a grid of n x n. */
static inline void soup_box(Soup *s, RgVec3 l, int n)
{
    RgVec3 h = vec_scale(0.5, l), x = vec(l.x, 0, 0), y = vec(0, l.y, 0), z = vec(0, 0, l.z);
    soup_grid(s, vec(-h.x, -h.y, h.z), x, y, n, n);
    soup_grid(s, vec(-h.x, -h.y, -h.z), y, x, n, n);
    soup_grid(s, vec(h.x, -h.y, -h.z), y, z, n, n);
    soup_grid(s, vec(-h.x, -h.y, -h.z), z, y, n, n);
    soup_grid(s, vec(-h.x, h.y, -h.z), z, x, n, n);
    soup_grid(s, vec(-h.x, -h.y, -h.z), x, z, n, n);
}

static inline RgShapeDef soup_def(const Soup *s, RgMeshUse use)
{
    RgShapeDef def = shape_sized(RG_SHAPE_mesh, 1.0, 1.0, 1.0);
    def.mesh = (RgMeshData){.vertices = s->xyz, .faces = s->faces, .nvertices = s->nvertices, .nfaces = s->nfaces};
    def.mesh_use = use;
    return def;
}

static inline RgGeometry *soup_geometry(const Soup *s)
{
    RgShapeDef def = soup_def(s, RG_MESH_SURFACE);
    return make_geometry(&def);
}

/* A flat floor of squares of side `cell` about the origin, from -half to half. */
static inline RgGeometry *make_floor(double half, int cells)
{
    Soup *s = soup_new();
    soup_grid(s, vec(-half, -half, 0), vec(2 * half, 0, 0), vec(0, 2 * half, 0), cells, cells);
    RgGeometry *g = soup_geometry(s);
    free(s);
    return g;
}

static inline RgGeometry *make_field(const double *heights, int32_t rows, int32_t columns, double x, double y)
{
    RgShapeDef def = shape_sized(RG_SHAPE_heightfield, x, y, 1.0);
    def.heights = heights;
    def.rows = rows;
    def.columns = columns;
    return make_geometry(&def);
}

#endif
