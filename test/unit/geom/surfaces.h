/*
 * surfaces.h - surfaces for the tests, and what every query answers if all triangles are asked one by one.
 */
#ifndef TEST_GEOM_SURFACES_H
#define TEST_GEOM_SURFACES_H

#include "geom/surface.h"
#include "solids.h"

#include <stdlib.h>

/* A surface with the arena it lives in. */
typedef struct Made {
    RgArena arena;
    RgSurface *surface;
    RgMeshReport report;
    RgStatus status;
    const char *what;
} Made;

static inline Made make_surface(const RgShapeDef *def)
{
    Made made;
    RgShape shape = rg_shape_view(def);
    rg_arena_init(&made.arena, NULL);
    made.status = rg_surface_create(&made.arena, &shape, &made.surface, &made.report, &made.what);
    return made;
}

static inline Mesh *new_mesh(void)
{
    return calloc(1, sizeof(Mesh));
}

static inline Made make_from(const Mesh *mesh)
{
    RgShapeDef def = mesh_def(mesh);
    return make_surface(&def);
}

/* Triangles of size about `size` thrown into a cube of side 2. */
static inline void mesh_add_soup(Mesh *mesh, RgRandom *random, int count, double size)
{
    RgBounds cube = {{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
    for (int i = 0; i < count; i++) {
        RgVec3 middle = random_point(random, cube);
        int32_t first = mesh->nvertices;
        for (int k = 0; k < 3; k++)
            mesh_add_vertex(mesh, v3_axpy(size, random_point(random, cube), middle));
        mesh_add_face(mesh, first, first + 1, first + 2);
    }
}

/* Number of the vertex halfway between two, on the unit sphere. */
static inline int32_t sphere_middle(Mesh *mesh, int32_t a, int32_t b)
{
    const double *p = mesh->vertices + 3 * a, *q = mesh->vertices + 3 * b;
    RgVec3 m = v3(p[0] + q[0], p[1] + q[1], p[2] + q[2]);
    return mesh_add_vertex(mesh, v3_scale(1.0 / v3_norm(m), m));
}

/* An icosahedron whose faces are quartered `times` times, on the unit sphere. Halves of an edge are made
   once a face: joining the two is the surface's work. */
static inline void mesh_add_icosphere(Mesh *mesh, int times)
{
    static const int32_t faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                         {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                         {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                         {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    const double g = (1.0 + sqrt(5.0)) / 2.0, r = sqrt(1.0 + g * g), s = 1.0 / r, l = g / r;
    const double at[12][3] = {{-s, l, 0},  {s, l, 0},  {-s, -l, 0}, {s, -l, 0}, {0, -s, l},  {0, s, l},
                              {0, -s, -l}, {0, s, -l}, {l, 0, -s},  {l, 0, s},  {-l, 0, -s}, {-l, 0, s}};
    for (int i = 0; i < 12; i++)
        mesh_add_vertex(mesh, v3(at[i][0], at[i][1], at[i][2]));
    for (int i = 0; i < 20; i++)
        mesh_add_face(mesh, faces[i][0], faces[i][1], faces[i][2]);
    for (int t = 0; t < times; t++) {
        int32_t count = mesh->nfaces;
        for (int32_t i = 0; i < count; i++) {
            int32_t *face = mesh->faces + 3 * i, a = face[0], b = face[1], c = face[2];
            int32_t ab = sphere_middle(mesh, a, b), bc = sphere_middle(mesh, b, c), ca = sphere_middle(mesh, c, a);
            face[1] = ab;
            face[2] = ca;
            mesh_add_face(mesh, ab, b, bc);
            mesh_add_face(mesh, ca, bc, c);
            mesh_add_face(mesh, ab, bc, ca);
        }
    }
}

/* A grid of n x n squares of side 1 in the plane z = 0, each two triangles. */
static inline void mesh_add_floor(Mesh *mesh, int n)
{
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++)
            mesh_add_vertex(mesh, v3(j, i, 0.0));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int32_t a = i * (n + 1) + j, d = a + n + 1;
            mesh_add_face(mesh, a, a + 1, d + 1);
            mesh_add_face(mesh, a, d + 1, d);
        }
}

/* A height field with drawn heights. */
typedef struct Field {
    double heights[64 * 64];
    RgShapeDef def;
} Field;

static inline void draw_field(Field *field, RgRandom *random, int32_t rows, int32_t columns)
{
    for (int32_t i = 0; i < rows * columns; i++)
        field->heights[i] = rg_random_uniform(random, -0.5, 0.5);
    field->def = (RgShapeDef){.type = RG_SHAPE_heightfield,
                              .size = {3.0, 2.0, 0.4},
                              .heights = field->heights,
                              .rows = rows,
                              .columns = columns};
}

/* The same surface as a mesh. */
static inline void mesh_of_field(Mesh *mesh, const RgShapeDef *field)
{
    for (int32_t i = 0; i < field->rows; i++)
        for (int32_t j = 0; j < field->columns; j++)
            mesh_add_vertex(mesh, v3(field->size[0] * ((double)j / (field->columns - 1) - 0.5),
                                     field->size[1] * ((double)i / (field->rows - 1) - 0.5),
                                     field->size[2] * field->heights[i * field->columns + j]));
    for (int32_t i = 0; i + 1 < field->rows; i++)
        for (int32_t j = 0; j + 1 < field->columns; j++) {
            int32_t a = i * field->columns + j, d = a + field->columns;
            mesh_add_face(mesh, a, a + 1, d + 1);
            mesh_add_face(mesh, a, d + 1, d);
        }
}

/* ------------------------------------------------------------------ one by one */

static inline RgBounds surface_box(const RgSurface *surface, int32_t i)
{
    RgTriangle t;
    rg_surface_triangle(surface, i, &t);
    RgBounds box = {t.vertex[0], t.vertex[0]};
    for (int k = 1; k < 3; k++) {
        RgVec3 p = t.vertex[k];
        box.low = v3(fmin(box.low.x, p.x), fmin(box.low.y, p.y), fmin(box.low.z, p.z));
        box.high = v3(fmax(box.high.x, p.x), fmax(box.high.y, p.y), fmax(box.high.z, p.z));
    }
    return box;
}

static inline double box_distance(RgBounds a, RgBounds b)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double gap = fmax(v3_at(a.low, i) - v3_at(b.high, i), v3_at(b.low, i) - v3_at(a.high, i));
        sum += gap > 0.0 ? gap * gap : 0.0;
    }
    return sqrt(sum);
}

/* Distance of a point from a segment, and from a triangle: inside by the signs at its edges, else its
   edges. */
static inline double segment_distance(RgVec3 p, RgVec3 a, RgVec3 b)
{
    RgVec3 d = v3_sub(b, a);
    double s = fmin(1.0, fmax(0.0, v3_dot(v3_sub(p, a), d) / v3_norm2(d)));
    return v3_norm(v3_sub(p, v3_axpy(s, d, a)));
}

static inline double triangle_distance(const RgTriangle *t, RgVec3 p)
{
    bool inside = true;
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        RgVec3 a = t->vertex[k], b = t->vertex[(k + 1) % 3];
        inside = inside && v3_dot(v3_cross(v3_sub(b, a), v3_sub(p, a)), t->normal) >= 0.0;
        least = fmin(least, segment_distance(p, a, b));
    }
    return inside ? fabs(v3_dot(v3_sub(p, t->vertex[0]), t->normal)) : least;
}

/* Ray against triangle by plane and volumes (Moller, Trumbore 1997). *margin: how far inside the triangle, in
   units of its size; t infinite: not met. */
static inline double plane_ray(const RgTriangle *tri, RgVec3 o, RgVec3 d, double *margin)
{
    RgVec3 e1 = v3_sub(tri->vertex[1], tri->vertex[0]), e2 = v3_sub(tri->vertex[2], tri->vertex[0]);
    RgVec3 p = v3_cross(d, e2), s = v3_sub(o, tri->vertex[0]), q = v3_cross(s, e1);
    double det = v3_dot(p, e1), u = v3_dot(s, p) / det, v = v3_dot(d, q) / det;
    *margin = fmin(u, fmin(v, 1.0 - u - v));
    double t = v3_dot(e2, q) / det;
    return *margin >= 0.0 && t >= 0.0 ? t : (double)INFINITY;
}

#endif
