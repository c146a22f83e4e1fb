/*
 * shape_mesh.c - a triangle mesh; every vertex is scaled by size along x, y, z (a negative scale mirrors).
 *
 * Mass properties by the divergence theorem: a closed mesh is the signed sum of the tetrahedra (o, a, b, c)
 * over its faces, with the apex o anywhere. With a, b, c measured from o, d = a . (b x c) and s = a + b + c,
 * one tetrahedron has
 *
 *   volume d/6      first moment d/24 s      second moment d/120 (a a' + b b' + c c' + s s')
 *
 * A first pass with o in the middle of the bounding box finds volume and centroid; a second one with o in the
 * centroid gives the second moment C about it without the cancellation of a parallel-axis shift; then
 * I = tr(C) 1 - C.
 *
 * Closed means that every edge is run through as often in one direction as in the other. Each directed edge
 * adds a number f(a, b) = -f(b, a), modulo 2^64, drawn by hashing the coordinates of its ends: the sum is
 * zero for a closed mesh, and is zero for an open one with a chance of 2^-64. This needs no memory, and joins
 * vertices that a file repeats for each face.
 *
 * Unsupported: open meshes, volume not positive (faces turned inside out, flat meshes), and meshes that pass
 * through themselves such that the second moment is not positive. Support and bounds are those of all
 * vertices, used by a face or not.
 */
#include "base/hash.h"
#include "geom/shape_table.h"
#include "math/mat3.h"

/* Least volume, as a part of area times size of the bounding box: round-off of a flat mesh is below, any real
   plate above. */
#define MESH_LEAST_THICKNESS 1e-13

static RgVec3 mesh_vertex(const RgShape *shape, int32_t i)
{
    const double *p = shape->mesh.vertices + 3 * (int64_t)i;
    return v3(shape->size[0] * p[0], shape->size[1] * p[1], shape->size[2] * p[2]);
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
        if (!v3_finite(mesh_vertex(shape, i)))
            return "a mesh vertex is not finite";
    for (int64_t i = 0; i < 3 * (int64_t)mesh->nfaces; i++)
        if (mesh->faces[i] < 0 || mesh->faces[i] >= mesh->nvertices)
            return "a mesh face names a vertex that does not exist";
    return NULL;
}

static RgVec3 mesh_support(const RgShape *shape, RgVec3 direction)
{
    RgVec3 best = mesh_vertex(shape, 0);
    double farthest = v3_dot(best, direction);
    for (int32_t i = 1; i < shape->mesh.nvertices; i++) {
        RgVec3 p = mesh_vertex(shape, i);
        double along = v3_dot(p, direction);
        if (along > farthest) {
            farthest = along;
            best = p;
        }
    }
    return best;
}

static RgBounds mesh_bounds(const RgShape *shape)
{
    RgVec3 first = mesh_vertex(shape, 0);
    RgBounds box = {first, first};
    for (int32_t i = 1; i < shape->mesh.nvertices; i++) {
        RgVec3 p = mesh_vertex(shape, i);
        box.low = v3(fmin(box.low.x, p.x), fmin(box.low.y, p.y), fmin(box.low.z, p.z));
        box.high = v3(fmax(box.high.x, p.x), fmax(box.high.y, p.y), fmax(box.high.z, p.z));
    }
    return box;
}

/* Hash of a vertex by where it is; adding 0.0 makes -0 and 0 one place. */
static uint64_t place_hash(const RgShape *shape, int32_t i)
{
    RgVec3 p = mesh_vertex(shape, i);
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
        uint64_t a = place_hash(shape, face[0]), b = place_hash(shape, face[1]),
                 c = place_hash(shape, face[2]);
        sum += edge_number(a, b) + edge_number(b, c) + edge_number(c, a);
    }
    return sum == 0;
}

/* Integrals over the enclosed volume of 1, x and x x', x measured from the apex; and the area of the surface.
 */
typedef struct Moments {
    double volume, area;
    RgVec3 first;
    RgSym3 second;
} Moments;

static RgSym3 outer(RgVec3 a)
{
    return (RgSym3){a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z};
}

/* The signed sum of the tetrahedra over all faces. A mirroring scale turns every face over, which sign takes
   back. */
static Moments mesh_moments(const RgShape *shape, RgVec3 apex)
{
    double sign = (shape->size[0] < 0.0) ^ (shape->size[1] < 0.0) ^ (shape->size[2] < 0.0) ? -1.0 : 1.0;
    Moments sum = {0};
    for (int32_t i = 0; i < shape->mesh.nfaces; i++) {
        const int32_t *face = shape->mesh.faces + 3 * (int64_t)i;
        RgVec3 a = v3_sub(mesh_vertex(shape, face[0]), apex);
        RgVec3 b = v3_sub(mesh_vertex(shape, face[1]), apex);
        RgVec3 c = v3_sub(mesh_vertex(shape, face[2]), apex);
        RgVec3 s = v3_add(a, v3_add(b, c));
        double d = sign * v3_dot(a, v3_cross(b, c));
        RgSym3 squares = s3_add(s3_add(outer(a), outer(b)), s3_add(outer(c), outer(s)));
        sum.volume += d / 6.0;
        sum.area += 0.5 * v3_norm(v3_cross(v3_sub(b, a), v3_sub(c, a)));
        sum.first = v3_axpy(d / 24.0, s, sum.first);
        sum.second = s3_add(sum.second, s3_scale(d / 120.0, squares));
    }
    return sum;
}

static RgStatus mesh_inertia(const RgShape *shape, double density, RgInertia *out)
{
    if (!mesh_is_closed(shape))
        return RG_ERR_UNSUPPORTED;

    /* Volume and centroid from the middle of the box. */
    RgBounds box = mesh_bounds(shape);
    RgVec3 middle = v3_axpy(0.5, v3_sub(box.high, box.low), box.low);
    Moments rough = mesh_moments(shape, middle);
    if (!isfinite(rough.volume) || !isfinite(rough.area))
        return RG_ERR_NOT_FINITE;
    if (rough.volume <= MESH_LEAST_THICKNESS * rough.area * v3_norm(v3_sub(box.high, box.low)))
        return RG_ERR_UNSUPPORTED;
    RgVec3 centroid = v3_axpy(1.0 / rough.volume, rough.first, middle);

    /* Everything once more about the centroid; what is left of the first moment refines it. */
    Moments fine = mesh_moments(shape, centroid);
    RgSym3 C = fine.second;
    double spread[3];
    RgMat3 axes;
    rg_sym3_eigen(C, spread, &axes);
    if (isfinite(spread[0]) && spread[0] <= 0.0)
        return RG_ERR_UNSUPPORTED;
    RgSym3 I = {C.yy + C.zz, C.xx + C.zz, C.xx + C.yy, -C.xy, -C.xz, -C.yz};
    RgVec3 com = v3_axpy(1.0 / fine.volume, fine.first, centroid);
    return rg_shape_weigh(density, &(RgInertia){.mass = fine.volume, .com = com, .I = I}, out);
}

const RgShapeKind rg_shape_kind_mesh = {.name = "mesh",
                                        .check = mesh_check,
                                        .inertia = mesh_inertia,
                                        .support = mesh_support,
                                        .bounds = mesh_bounds};
