/* space_fixture.h - one geometry of each kind, and spaces filled with them, for the tests of spaces. */
#ifndef TEST_COLLISION_SPACE_FIXTURE_H
#define TEST_COLLISION_SPACE_FIXTURE_H

#include "check_near.h"
#include "collision/space.h"
#include "draw.h"

#include <stdlib.h>

typedef enum FixtureKind {
    FIX_SPHERE,
    FIX_BOX,
    FIX_CAPSULE,
    FIX_CYLINDER,
    FIX_ELLIPSOID,
    FIX_FEW, /* a polytope of few corners */
    FIX_MANY,
    FIX_PARTS, /* a mesh as two convex parts */
    FIX_SURFACE,
    FIX_FIELD,
    FIX_HALFSPACE,
    FIX_COUNT
} FixtureKind;

#define FIX_FEW_POINTS 12
#define FIX_MANY_POINTS 200

/* Two tetrahedra, one beside the other. */
static const double fixture_vertices[24] = {-0.5, -0.3, -0.2, -0.1, -0.3, -0.2, -0.4, 0.2,  -0.2, -0.4, -0.2, 0.4,
                                            0.1,  -0.3, -0.2, 0.5,  -0.3, -0.2, 0.2,  0.35, -0.2, 0.2,  -0.2, 0.3};
static const int32_t fixture_faces[24] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 4, 6, 5, 4, 5, 7, 5, 6, 7, 6, 4, 7};
static const int32_t fixture_parts[3] = {0, 4, 8};
static const double fixture_heights[6] = {0.0, 0.2, -0.1, 0.1, 0.3, 0.0};

typedef struct Fixture {
    RgGeometry *geometry[FIX_COUNT];
    double points[3 * FIX_MANY_POINTS]; /* of the polytopes; few: the first ones */
} Fixture;

static inline RgShapeDef fixture_def(const Fixture *f, FixtureKind kind)
{
    static const RgShapeType types[FIX_COUNT] = {
        RG_SHAPE_sphere,   RG_SHAPE_box,  RG_SHAPE_capsule, RG_SHAPE_cylinder,    RG_SHAPE_ellipsoid, RG_SHAPE_polytope,
        RG_SHAPE_polytope, RG_SHAPE_mesh, RG_SHAPE_mesh,    RG_SHAPE_heightfield, RG_SHAPE_halfspace};
    static const double sizes[FIX_COUNT][3] = {{0.4},
                                               {0.3, 0.9, 0.5},
                                               {0.2, 0.7},
                                               {0.3, 0.8},
                                               {0.2, 0.5, 0.3},
                                               {1.0, 1.0, 1.0},
                                               {1.0, 1.0, 1.0},
                                               {1.0, 1.0, 1.0},
                                               {1.0, 1.0, 1.0},
                                               {1.2, 0.8, 1.0},
                                               {0.0}};
    RgShapeDef def = rg_shape_def_default();
    def.type = types[kind];
    for (int i = 0; i < 3; i++)
        def.size[i] = sizes[kind][i];
    if (kind == FIX_FEW || kind == FIX_MANY)
        def.mesh = (RgMeshData){.vertices = f->points, .nvertices = kind == FIX_FEW ? FIX_FEW_POINTS : FIX_MANY_POINTS};
    if (kind == FIX_PARTS || kind == FIX_SURFACE) {
        def.mesh = (RgMeshData){.vertices = fixture_vertices,
                                .nvertices = 8,
                                .faces = fixture_faces,
                                .nfaces = 8,
                                .part_start = fixture_parts,
                                .nparts = 2};
        def.mesh_use = kind == FIX_PARTS ? RG_MESH_PARTS : RG_MESH_SURFACE;
    }
    if (kind == FIX_FIELD) {
        def.heights = fixture_heights;
        def.rows = 2;
        def.columns = 3;
    }
    return def;
}

static inline Fixture *fixture_create(void)
{
    Fixture *f = calloc(1, sizeof *f);
    Draw d = draw_seed(77);
    for (int i = 0; i < FIX_MANY_POINTS; i++) {
        RgVec3 x = draw_direction(&d);
        f->points[3 * i] = 0.5 * x.x;
        f->points[3 * i + 1] = 0.3 * x.y;
        f->points[3 * i + 2] = 0.4 * x.z + 0.2;
    }
    for (int k = 0; k < FIX_COUNT; k++) {
        RgShapeDef def = fixture_def(f, (FixtureKind)k);
        cr_assert_eq(rg_geometry_create(&def, NULL, &f->geometry[k], NULL), RG_OK, "kind %d", k);
    }
    return f;
}

static inline void fixture_destroy(Fixture *f)
{
    for (int k = 0; k < FIX_COUNT; k++)
        rg_geometry_destroy(f->geometry[k]);
    free(f);
}

static inline RgSpace *space_with(const RgAllocator *allocator, double fattening)
{
    RgSpaceDef def = rg_space_def_default();
    if (allocator != NULL)
        def.allocator = *allocator;
    def.fattening = fattening;
    RgSpace *space = rg_space_create(&def);
    cr_assert_not_null(space);
    return space;
}

/* A collider of its own body and owner. */
static inline RgColliderDef collider_def(const RgGeometry *geometry, RgPose X_WG, uint64_t key)
{
    RgColliderDef def = rg_collider_def_default();
    def.geometry = geometry;
    def.X_WG = X_WG;
    def.key = key;
    def.body = def.owner = (int32_t)(key & 0x7fffffff);
    return def;
}

static inline RgColliderId space_put(RgSpace *space, const RgColliderDef *def)
{
    RgColliderId id;
    cr_assert_eq(rg_space_add(space, def, &id), RG_OK);
    return id;
}

static inline uint64_t key_at(const RgSpace *space, RgColliderId id)
{
    return rg_space_collider(space, id)->key;
}

#endif
