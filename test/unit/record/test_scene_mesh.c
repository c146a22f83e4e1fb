/* test_scene_mesh.c - the triangles of a shape close it, face outward and hold its volume. */
#include "record/scene_mesh.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const double corners[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
static const int32_t cube[36] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                 1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};

static double number(const RgBuffer *buffer, size_t i)
{
    float value;
    memcpy(&value, buffer->data + 4 * i, sizeof value);
    return (double)value;
}

/* Volume under the triangles by the divergence theorem: sum of det(a, b, c) / 6. */
static double volume(const RgSceneMesh *mesh)
{
    double sum = 0.0;
    for (size_t t = 0; t < mesh->triangles.size / 12; t++) {
        double p[3][3];
        for (size_t k = 0; k < 3; k++) {
            uint64_t vertex = rg_read_uint(mesh->triangles.data + 12 * t + 4 * k, 4);
            cr_assert_lt(vertex, mesh->vertices.size / 12);
            for (size_t a = 0; a < 3; a++)
                p[k][a] = number(&mesh->vertices, 3 * vertex + a);
        }
        sum += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) + p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
               p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    }
    return sum / 6.0;
}

Test(scene_mesh, meshes_are_scaled_and_mirrored)
{
    RgShapeInfo shape = {.type = RG_SHAPE_mesh,
                         .size = {2.0, 3.0, 0.5},
                         .mesh = {.vertices = corners, .faces = cube, .nvertices = 8, .nfaces = 12}};
    RgSceneMesh mesh = {.vertices = {.data = NULL}};
    cr_assert(rg_scene_mesh(&shape, &mesh));
    cr_expect_float_eq(volume(&mesh), 3.0, 1e-6);
    shape.size[0] = -2.0;
    cr_assert(rg_scene_mesh(&shape, &mesh));
    cr_expect_float_eq(volume(&mesh), 3.0, 1e-6, "mirrored, it still faces outward");
    rg_scene_mesh_free(&mesh);
}

Test(scene_mesh, polytopes_are_their_hull)
{
    double points[27];
    memcpy(points, corners, sizeof corners);
    points[24] = points[25] = points[26] = 0.4;
    RgShapeInfo shape = {
        .type = RG_SHAPE_polytope, .size = {1.0, 1.0, 2.0}, .mesh = {.vertices = points, .nvertices = 9}};
    RgSceneMesh mesh = {.vertices = {.data = NULL}};
    cr_assert(rg_scene_mesh(&shape, &mesh));
    cr_expect_eq(mesh.triangles.size, 12u * 12u, "six squares");
    cr_expect_eq(mesh.vertices.size, 8u * 12u, "the point inside is no corner");
    cr_expect_float_eq(volume(&mesh), 2.0, 1e-6);
    rg_scene_mesh_free(&mesh);
}

/* Between the field z = 1 + x and the origin, triangles over a grid of 4 m x 2 m: the volume of the cone over it. */
Test(scene_mesh, height_fields)
{
    double heights[15];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 5; j++)
            heights[5 * i + j] = 0.5 + 0.5 * (j - 2);
    RgShapeInfo shape = {
        .type = RG_SHAPE_heightfield, .size = {4.0, 2.0, 2.0}, .heights = heights, .rows = 3, .columns = 5};
    RgSceneMesh mesh = {.vertices = {.data = NULL}};
    cr_assert(rg_scene_mesh(&shape, &mesh));
    cr_expect_eq(mesh.triangles.size, 2u * 4u * 2u * 12u);
    cr_expect_float_eq(number(&mesh.vertices, 0), -2.0, 0.0);
    cr_expect_float_eq(number(&mesh.vertices, 1), -1.0, 0.0);
    cr_expect_float_eq(number(&mesh.vertices, 2), -1.0, 0.0);

    /* Plane n . p = d with n = (-1, 0, 1) / sqrt 2, d = 1 / sqrt 2, area 8 sqrt 2: volume d area / 3, upward. */
    cr_expect_float_eq(volume(&mesh), 8.0 / 3.0, 1e-6);
    rg_scene_mesh_free(&mesh);
}

Test(scene_mesh, other_shapes_have_none)
{
    RgSceneMesh mesh = {.vertices = {.data = NULL}};
    for (int type = 0; type < RG_SHAPE_COUNT; type++) {
        RgShapeInfo shape = {.type = (RgShapeType)type, .size = {1.0, 1.0, 1.0}};
        if (type != RG_SHAPE_polytope)
            cr_expect_not(rg_scene_mesh(&shape, &mesh), "%s without data", rg_shape_type_name(shape.type));
    }
    rg_scene_mesh_free(&mesh);
}
