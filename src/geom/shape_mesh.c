/*
 * shape_mesh.c - a triangle mesh; every vertex is scaled by size along x, y, z (a negative scale mirrors).
 *
 * Mass properties by the divergence theorem (mass_properties.c) if the mesh is closed.
 *
 * Closed means that every edge occurs equally often in both directions. Each directed edge adds a number f(a, b) =
 * -f(b, a), modulo 2^64, a hash of the coordinates of its ends: the sum is zero for a closed mesh, and zero for an open
 * one with probability 2^-64. This needs no memory, and merges vertices that a file repeats for each face.
 *
 * Unsupported: open meshes, volume not positive (inside-out faces, flat meshes), and self-intersecting meshes whose
 * second moment is not positive. Support and bounds are those of all vertices, used by a face or not.
 */
#include "base/hash.h"
#include "geom/mass_properties.h"
#include "geom/shape_table.h"
#include "geom/surface_kind.h"

/* Checks that part starts increase from 0 to the number of faces. */
static const char *check_parts(const RgMeshData *mesh)
{
    if (mesh->nparts < 1 || mesh->part_start[0] != 0 || mesh->part_start[mesh->nparts] != mesh->nfaces)
        return "the mesh parts do not cover its faces";
    for (int32_t i = 0; i < mesh->nparts; i++)
        if (mesh->part_start[i] > mesh->part_start[i + 1])
            return "the mesh parts are out of order";
    return NULL;
}

static const char *mesh_check(const RgShape *shape)
{
    const RgMeshData *mesh = &shape->mesh;
    for (int i = 0; i < 3; i++) {
        if (!isfinite(shape->size[i]))
            return "a mesh scale is not finite";
        if (shape->size[i] == 0.0)
            return "a mesh scale is zero";
    }
    if (mesh->nvertices <= 0 || mesh->vertices == NULL)
        return "the mesh has no vertices";
    if (mesh->nfaces <= 0 || mesh->faces == NULL)
        return "the mesh has no faces";
    for (int32_t i = 0; i < mesh->nvertices; i++)
        if (!v3_finite(rg_shape_vertex(shape, i)))
            return "a mesh vertex is not finite";
    for (int64_t i = 0; i < 3 * (int64_t)mesh->nfaces; i++)
        if (mesh->faces[i] < 0 || mesh->faces[i] >= mesh->nvertices)
            return "a mesh face names a vertex that does not exist";
    return mesh->part_start != NULL ? check_parts(mesh) : NULL;
}

static RgVec3 mesh_support(const RgShape *shape, RgVec3 direction)
{
    return rg_shape_farthest_vertex(shape, direction);
}

static RgBounds mesh_bounds(const RgShape *shape)
{
    RgVec3 first = rg_shape_vertex(shape, 0);
    RgBounds box = {first, first};
    for (int32_t i = 1; i < shape->mesh.nvertices; i++) {
        RgVec3 p = rg_shape_vertex(shape, i);
        box.low = v3(fmin(box.low.x, p.x), fmin(box.low.y, p.y), fmin(box.low.z, p.z));
        box.high = v3(fmax(box.high.x, p.x), fmax(box.high.y, p.y), fmax(box.high.z, p.z));
    }
    return box;
}

/* Hash of a vertex by its position; adding 0.0 converts -0 to 0. */
static uint64_t position_hash(const RgShape *shape, int32_t i)
{
    RgVec3 p = rg_shape_vertex(shape, i);
    double place[3] = {p.x + 0.0, p.y + 0.0, p.z + 0.0};
    return rg_hash(RG_HASH_START, place, sizeof place);
}

/* f(a, b) = -f(b, a) modulo 2^64. */
static uint64_t edge_number(uint64_t a, uint64_t b)
{
    uint64_t ab[2] = {a, b}, ba[2] = {b, a};
    return rg_hash(RG_HASH_START, ab, sizeof ab) - rg_hash(RG_HASH_START, ba, sizeof ba);
}

static bool mesh_is_closed(const RgShape *shape)
{
    uint64_t sum = 0;
    for (int32_t i = 0; i < shape->mesh.nfaces; i++) {
        const int32_t *face = shape->mesh.faces + 3 * (int64_t)i;
        uint64_t a = position_hash(shape, face[0]), b = position_hash(shape, face[1]),
                 c = position_hash(shape, face[2]);
        sum += edge_number(a, b) + edge_number(b, c) + edge_number(c, a);
    }
    return sum == 0;
}

/* A mirroring scale turns every face over, which sign reverts. */
static RgMoments mesh_moments(const void *solid, RgVec3 apex)
{
    const RgShape *shape = solid;
    double sign = (shape->size[0] < 0.0) ^ (shape->size[1] < 0.0) ^ (shape->size[2] < 0.0) ? -1.0 : 1.0;
    RgMoments sum = {0};
    for (int32_t i = 0; i < shape->mesh.nfaces; i++) {
        const int32_t *face = shape->mesh.faces + 3 * (int64_t)i;
        RgVec3 corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] = v3_sub(rg_shape_vertex(shape, face[k]), apex);
        rg_moments_add(&sum, sign, corner);
    }
    return sum;
}

static RgStatus mesh_inertia(const RgShape *shape, double density, RgInertia *out)
{
    if (!mesh_is_closed(shape))
        return RG_ERR_UNSUPPORTED;
    return rg_moments_inertia(mesh_moments, shape, mesh_bounds(shape), density, out);
}

const RgShapeKind rg_shape_kind_mesh = {RG_SHAPE_SOLID(mesh), .surface = rg_surface_mesh_create, .hulled = true};
