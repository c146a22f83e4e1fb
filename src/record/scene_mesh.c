/*
 * scene_mesh.c - triangles for display of shapes with vertices.
 *
 *   mesh          its triangles, scaled; a mirroring scale reverses their order of corners
 *   polytope      the faces of the hull of its points, each as a fan about its first vertex
 *   heightfield   two triangles per cell; grid point (i, j) as in shape_heightfield.c
 *
 * Failure: no hull, out of memory.
 */
#include "record/scene_mesh.h"

#include <rigor/collision.h>

#include <string.h>

static void put_vertex(RgBuffer *out, double x, double y, double z)
{
    const float v[3] = {(float)x, (float)y, (float)z};
    for (int i = 0; i < 3; i++) {
        uint32_t bits;
        memcpy(&bits, &v[i], sizeof bits);
        rg_buffer_put_uint(out, bits, 4);
    }
}

static void put_triangle(RgBuffer *out, int64_t a, int64_t b, int64_t c)
{
    rg_buffer_put_uint(out, (uint64_t)a, 4);
    rg_buffer_put_uint(out, (uint64_t)b, 4);
    rg_buffer_put_uint(out, (uint64_t)c, 4);
}

static bool mesh_of_mesh(const RgShapeInfo *shape, RgSceneMesh *out)
{
    const RgMeshData *mesh = &shape->mesh;
    const double *s = shape->size;
    bool mirrored = (s[0] < 0.0) ^ (s[1] < 0.0) ^ (s[2] < 0.0);
    for (int32_t i = 0; i < mesh->nvertices; i++) {
        const double *v = mesh->vertices + 3 * (size_t)i;
        put_vertex(&out->vertices, s[0] * v[0], s[1] * v[1], s[2] * v[2]);
    }
    for (int32_t i = 0; i < mesh->nfaces; i++) {
        const int32_t *f = mesh->faces + 3 * (size_t)i;
        put_triangle(&out->triangles, f[0], f[mirrored ? 2 : 1], f[mirrored ? 1 : 2]);
    }
    return mesh->nfaces > 0;
}

static bool mesh_of_polytope(const RgShapeInfo *shape, RgSceneMesh *out)
{
    RgShapeDef def = rg_shape_def_default();
    def.type = shape->type;
    def.mesh = shape->mesh;
    memcpy(def.size, shape->size, sizeof def.size);
    RgGeometry *geometry;
    if (rg_geometry_create(&def, NULL, &geometry, NULL) != RG_OK)
        return false;
    RgPolytopeView hull = rg_geometry_polytope(geometry, 0);
    for (int32_t i = 0; i < hull.nvertices; i++)
        put_vertex(&out->vertices, hull.vertices[i].x, hull.vertices[i].y, hull.vertices[i].z);
    for (int32_t f = 0; f < hull.nfaces; f++) {
        const int32_t *corner = hull.face_vertices + hull.face_start[f];
        for (int32_t k = 2; k < hull.face_start[f + 1] - hull.face_start[f]; k++)
            put_triangle(&out->triangles, corner[0], corner[k - 1], corner[k]);
    }
    rg_geometry_destroy(geometry);
    return hull.nfaces > 0;
}

static bool mesh_of_heightfield(const RgShapeInfo *shape, RgSceneMesh *out)
{
    int64_t rows = shape->rows, columns = shape->columns;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            put_vertex(&out->vertices, shape->size[0] * ((double)j / (double)(columns - 1) - 0.5),
                       shape->size[1] * ((double)i / (double)(rows - 1) - 0.5),
                       shape->size[2] * shape->heights[i * columns + j]);
    for (int64_t i = 0; i + 1 < rows; i++) {
        for (int64_t j = 0; j + 1 < columns; j++) {
            int64_t a = i * columns + j, b = a + 1, c = a + columns, d = c + 1;
            put_triangle(&out->triangles, a, b, d);
            put_triangle(&out->triangles, a, d, c);
        }
    }
    return rows > 1 && columns > 1;
}

bool rg_scene_mesh(const RgShapeInfo *shape, RgSceneMesh *out)
{
    bool (*const makers[RG_SHAPE_COUNT])(const RgShapeInfo *, RgSceneMesh *) = {
        [RG_SHAPE_mesh] = mesh_of_mesh,
        [RG_SHAPE_polytope] = mesh_of_polytope,
        [RG_SHAPE_heightfield] = mesh_of_heightfield,
    };
    rg_buffer_clear(&out->vertices);
    rg_buffer_clear(&out->triangles);
    return makers[shape->type] != NULL && makers[shape->type](shape, out) && !out->vertices.failed &&
           !out->triangles.failed;
}

void rg_scene_mesh_free(RgSceneMesh *mesh)
{
    rg_buffer_free(&mesh->vertices);
    rg_buffer_free(&mesh->triangles);
}
