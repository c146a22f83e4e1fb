/*
 * hash_collision.c - hashes of distances, manifolds, times of impact and rays for every pair of bounded kinds, near
 * and overlapping, drawn by integers so that they depend on the library alone; and of the pairs of a space.
 */
#include "hash_collision.h"

#include <rigor/rigor.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DRAWS = 40, KINDS = 6, CLOUD = 40, CROWD = 200 };

static const RgShapeType kinds[KINDS] = {RG_SHAPE_sphere,   RG_SHAPE_box,       RG_SHAPE_capsule,
                                         RG_SHAPE_cylinder, RG_SHAPE_ellipsoid, RG_SHAPE_polytope};

/* A linear congruential generator: a number in [0, 1). */
static double draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) * 0x1p-53;
}

static RgVec3 draw_vec(uint64_t *seed, double reach)
{
    double x = draw(seed), y = draw(seed), z = draw(seed);
    return (RgVec3){reach * (2.0 * x - 1.0), reach * (2.0 * y - 1.0), reach * (2.0 * z - 1.0)};
}

static RgPose draw_pose(uint64_t *seed, double reach)
{
    RgVec3 v = draw_vec(seed, 1.0), p = draw_vec(seed, reach);
    return rg_pose_from_quat(p, (RgQuat){0.5 + draw(seed), v.x, v.y, v.z});
}

/* FNV-1a over numbers, bit by bit. */
static void mix(uint64_t *hash, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++)
        *hash = (*hash ^ byte[i]) * UINT64_C(1099511628211);
}

static void mix_number(uint64_t *hash, double x)
{
    mix(hash, &x, sizeof x);
}

static void mix_vec(uint64_t *hash, RgVec3 v)
{
    mix_number(hash, v.x);
    mix_number(hash, v.y);
    mix_number(hash, v.z);
}

static RgGeometry *make(RgShapeType type, uint64_t *seed)
{
    RgShapeDef def = rg_shape_def_default();
    double cloud[3 * CLOUD];
    def.type = type;
    for (int i = 0; i < 3; i++)
        def.size[i] = type == RG_SHAPE_polytope ? 1.0 : 0.2 + draw(seed);
    for (int i = 0; i < 3 * CLOUD; i++)
        cloud[i] = draw(seed) - 0.5;
    def.mesh = (RgMeshData){.vertices = cloud, .nvertices = CLOUD};
    RgGeometry *out = NULL;
    rg_geometry_create(&def, NULL, &out, NULL);
    return out;
}

/* One hash a query, over all draws of a pair of kinds. */
typedef struct Hashes {
    uint64_t distance, manifold, impact, ray;
} Hashes;

static void ask(const RgPlaced *a, const RgPlaced *b, uint64_t *seed, Hashes *out)
{
    RgDistance d = {0};
    rg_distance(a, b, NULL, &d);
    mix_number(&out->distance, d.distance);
    mix_vec(&out->distance, d.point_a);
    mix_vec(&out->distance, d.normal);

    RgContactPoint points[64];
    RgManifold manifolds[4];
    RgContactBuffer buffer = {.points = points, .manifolds = manifolds, .point_capacity = 64, .manifold_capacity = 4};
    RgManifoldOptions options = rg_manifold_options_default();
    options.margin = 0.05;
    rg_manifold(a, b, &options, NULL, &buffer);
    for (int32_t i = 0; i < buffer.npoints; i++) {
        mix_vec(&out->manifold, points[i].point_a);
        mix_number(&out->manifold, points[i].gap);
        mix(&out->manifold, &points[i].id, sizeof points[i].id);
    }

    RgSweep sweep[2] = {{a->geometry, a->X_WG, a->X_WG.p, {draw_vec(seed, 2.0), draw_vec(seed, 2.0)}},
                        {b->geometry, b->X_WG, b->X_WG.p, {draw_vec(seed, 2.0), draw_vec(seed, 2.0)}}};
    RgImpact impact = {0};
    rg_time_of_impact(&sweep[0], &sweep[1], NULL, &impact);
    mix_number(&out->impact, impact.time);

    RgRay ray = {draw_vec(seed, 2.0), draw_vec(seed, 1.0), 10.0};
    RgRayHit hit = {0};
    if (rg_ray_cast(a, &ray, &hit)) {
        mix_number(&out->ray, hit.distance);
        mix_vec(&out->ray, hit.normal);
    }
}

static bool hash_pair(RgShapeType type_a, RgShapeType type_b)
{
    uint64_t seed = (uint64_t)type_a * 64 + (uint64_t)type_b;
    Hashes h = {1469598103934665603u, 1469598103934665603u, 1469598103934665603u, 1469598103934665603u};
    RgGeometry *a = make(type_a, &seed), *b = make(type_b, &seed);
    bool good = a != NULL && b != NULL;
    for (int i = 0; good && i < DRAWS; i++) {
        RgPlaced A = {a, draw_pose(&seed, 0.8)}, B = {b, draw_pose(&seed, 0.8)};
        ask(&A, &B, &seed, &h);
    }
    if (good)
        printf("collision %s %s distance %016" PRIx64 " manifold %016" PRIx64 " impact %016" PRIx64 " ray %016" PRIx64
               "\n",
               rg_shape_type_name(type_a), rg_shape_type_name(type_b), h.distance, h.manifold, h.impact, h.ray);
    rg_geometry_destroy(a);
    rg_geometry_destroy(b);
    return good;
}

/* The hull itself: vertices, faces, normals of a cloud. */
static bool hash_hull(void)
{
    uint64_t seed = 5, hash = 1469598103934665603u;
    RgGeometry *geometry = make(RG_SHAPE_polytope, &seed);
    if (geometry == NULL)
        return false;
    RgPolytopeView view = rg_geometry_polytope(geometry, 0);
    mix(&hash, view.vertices, (size_t)view.nvertices * sizeof *view.vertices);
    mix(&hash, view.face_vertices, (size_t)view.face_start[view.nfaces] * sizeof *view.face_vertices);
    mix(&hash, view.face_normals, (size_t)view.nfaces * sizeof *view.face_normals);
    printf("collision hull %016" PRIx64 "\n", hash);
    rg_geometry_destroy(geometry);
    return true;
}

static bool hash_space(void)
{
    uint64_t seed = 7, hash = 1469598103934665603u;
    RgSpaceDef def = rg_space_def_default();
    RgSpace *space = rg_space_create(&def);
    RgGeometry *box = make(RG_SHAPE_box, &seed);
    RgColliderId id[CROWD];
    bool good = space != NULL && box != NULL;
    for (int i = 0; good && i < CROWD; i++) {
        RgColliderDef collider = rg_collider_def_default();
        collider.geometry = box;
        collider.X_WG = draw_pose(&seed, 4.0);
        collider.key = (uint64_t)i;
        collider.body = i;
        good = rg_space_add(space, &collider, &id[i]) == RG_OK;
    }
    for (int step = 0; good && step < 20; step++) {
        for (int i = 0; good && i < CROWD; i++) {
            RgPose X = draw_pose(&seed, 4.0);
            good = rg_space_move(space, id[i], &X) == RG_OK;
        }
        const RgColliderPair *pairs = NULL;
        int32_t count = 0;
        good = good && rg_space_pairs(space, 0.01, &pairs, &count) == RG_OK;
        for (int32_t k = 0; good && k < count; k++)
            mix(&hash, &pairs[k], sizeof pairs[k]);
    }
    if (good)
        printf("collision space %016" PRIx64 "\n", hash);
    rg_space_destroy(space);
    rg_geometry_destroy(box);
    return good;
}

bool hash_collision(void)
{
    bool good = hash_hull() && hash_space();
    for (int i = 0; i < KINDS; i++)
        for (int j = i; j < KINDS; j++)
            good &= hash_pair(kinds[i], kinds[j]);
    return good;
}
