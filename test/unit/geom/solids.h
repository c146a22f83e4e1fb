/*
 * solids.h - shapes for the tests of geom: one of each round or square solid with a test "is x inside", and
 * meshes.
 */
#ifndef TEST_GEOM_SOLIDS_H
#define TEST_GEOM_SOLIDS_H

#include "base/random.h"
#include "geom/shape.h"
#include "math/spatial.h"

typedef struct Solid {
    RgShapeDef def;
    bool (*inside)(const double *size, RgVec3 x);
} Solid;

static inline bool inside_sphere(const double *size, RgVec3 x)
{
    return v3_norm(x) <= size[0];
}

static inline bool inside_box(const double *size, RgVec3 x)
{
    return fabs(x.x) <= size[0] / 2 && fabs(x.y) <= size[1] / 2 && fabs(x.z) <= size[2] / 2;
}

static inline bool inside_capsule(const double *size, RgVec3 x)
{
    double beyond = fmax(fabs(x.z) - size[1] / 2, 0.0);
    return x.x * x.x + x.y * x.y + beyond * beyond <= size[0] * size[0];
}

static inline bool inside_cylinder(const double *size, RgVec3 x)
{
    return x.x * x.x + x.y * x.y <= size[0] * size[0] && fabs(x.z) <= size[1] / 2;
}

static inline bool inside_ellipsoid(const double *size, RgVec3 x)
{
    return v3_norm(v3(x.x / size[0], x.y / size[1], x.z / size[2])) <= 1.0;
}

#define SOLID_COUNT 5

static inline Solid solid(int index)
{
    static const Solid solids[SOLID_COUNT] = {
        {{.type = RG_SHAPE_sphere, .size = {0.7}}, inside_sphere},
        {{.type = RG_SHAPE_box, .size = {0.3, 1.1, 0.6}}, inside_box},
        {{.type = RG_SHAPE_capsule, .size = {0.25, 0.9}}, inside_capsule},
        {{.type = RG_SHAPE_cylinder, .size = {0.4, 1.3}}, inside_cylinder},
        {{.type = RG_SHAPE_ellipsoid, .size = {0.2, 0.5, 0.9}}, inside_ellipsoid},
    };
    return solids[index];
}

static inline RgVec3 random_point(RgRandom *random, RgBounds box)
{
    double x = rg_random_uniform(random, box.low.x, box.high.x);
    double y = rg_random_uniform(random, box.low.y, box.high.y);
    double z = rg_random_uniform(random, box.low.z, box.high.z);
    return v3(x, y, z);
}

static inline RgPose random_pose(RgRandom *random, double reach)
{
    RgBounds cube = {{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
    RgVec3 turn = v3_scale(3.0, random_point(random, cube));
    return (RgPose){q_matrix(q_exp(turn)), v3_scale(reach, random_point(random, cube))};
}

/* A mesh with room of its own. */
#define MESH_ROOM 8192

typedef struct Mesh {
    double vertices[3 * MESH_ROOM];
    int32_t faces[6 * MESH_ROOM];
    int32_t nvertices, nfaces;
} Mesh;

static inline RgShapeDef mesh_def(const Mesh *mesh)
{
    return (RgShapeDef){
        .type = RG_SHAPE_mesh,
        .size = {1.0, 1.0, 1.0},
        .mesh = {
            .vertices = mesh->vertices, .faces = mesh->faces, .nvertices = mesh->nvertices, .nfaces = mesh->nfaces}};
}

static inline int32_t mesh_add_vertex(Mesh *mesh, RgVec3 p)
{
    double *at = mesh->vertices + 3 * mesh->nvertices;
    at[0] = p.x;
    at[1] = p.y;
    at[2] = p.z;
    return mesh->nvertices++;
}

static inline void mesh_add_face(Mesh *mesh, int32_t a, int32_t b, int32_t c)
{
    int32_t *at = mesh->faces + 3 * mesh->nfaces++;
    at[0] = a;
    at[1] = b;
    at[2] = c;
}

/* Box of full lengths l about c as 12 triangles; vertex number = x bit + 2 y bit + 4 z bit. */
static inline void mesh_add_box(Mesh *mesh, RgVec3 c, RgVec3 l)
{
    static const int32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    int32_t first = mesh->nvertices;
    for (int i = 0; i < 8; i++)
        mesh_add_vertex(
            mesh, v3_add(c, v3((i & 1 ? 0.5 : -0.5) * l.x, (i & 2 ? 0.5 : -0.5) * l.y, (i & 4 ? 0.5 : -0.5) * l.z)));
    for (int i = 0; i < 6; i++) {
        mesh_add_face(mesh, first + quads[i][0], first + quads[i][1], first + quads[i][2]);
        mesh_add_face(mesh, first + quads[i][0], first + quads[i][2], first + quads[i][3]);
    }
}

static inline void mesh_turn_inside_out(Mesh *mesh)
{
    for (int32_t i = 0; i < mesh->nfaces; i++) {
        int32_t swap = mesh->faces[3 * i];
        mesh->faces[3 * i] = mesh->faces[3 * i + 1];
        mesh->faces[3 * i + 1] = swap;
    }
}

#endif
