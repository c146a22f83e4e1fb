/*
 * test_ray.c - rays against every kind: by the distance function alone (sphere tracing), by trying all
 * triangles, and where the answer is known.
 *
 * A point x of the ray with distance d(x) > 0 from a solid may move on by d(x) without entering it. So a
 * march by steps of d(x) never passes the first hit, and comes to it.
 */
#include "check_near.h"
#include "draw.h"
#include "geometries.h"

#include "collision/distance.h"

#include <criterion/criterion.h>

/* A hull of drawn points. */
static RgGeometry *make_hull(Draw *d, int points)
{
    double xyz[3 * 40];
    for (int i = 0; i < 3 * points; i++)
        xyz[i] = draw_between(d, -0.6, 0.6);
    RgShapeDef def = shape_sized(RG_SHAPE_polytope, 1.0, 1.0, 1.0);
    def.mesh = (RgMeshData){.vertices = xyz, .nvertices = points};
    return make_geometry(&def);
}

static double draw_size(Draw *d)
{
    int kind = draw_below(d, 6);
    return kind == 0 ? 0.5 : kind == 1 ? pow(10.0, draw_between(d, -3.0, 0.0)) : draw_between(d, 0.2, 1.0);
}

static RgGeometry *draw_convex(Draw *d, int kind)
{
    static const RgShapeType types[] = {RG_SHAPE_sphere, RG_SHAPE_box, RG_SHAPE_capsule, RG_SHAPE_cylinder,
                                        RG_SHAPE_ellipsoid};
    if (kind == 5)
        return make_hull(d, 4 + draw_below(d, 36));
    double x = draw_size(d), y = draw_size(d), z = draw_size(d);
    return make_shape(types[kind], x, y, z);
}

/* From around the shape towards it, now and then along an axis, from inside, from far, with a limit. */
static RgRay draw_ray(Draw *d, const RgPlaced *placed)
{
    double from = draw_chance(d, 0.3) ? 0.4 : 3.0;
    RgVec3 target = draw_vec(d, 0.5), origin = draw_vec(d, from);
    RgRay ray = {origin, draw_direction(d), (double)INFINITY};
    if (draw_chance(d, 0.8))
        ray.direction = vec_sub(target, ray.origin);
    if (draw_chance(d, 0.2)) { /* along an axis of the shape, through places with round numbers */
        int axis = draw_below(d, 3);
        ray.direction = vec(axis == 0, axis == 1, axis == 2);
        int place = draw_below(d, 729);
        ray.origin = vec_scale(0.25, vec(place % 9 - 4, place / 9 % 9 - 4, place / 81 - 4));
    }
    ray.origin = pose_apply(placed->X_WG, ray.origin);
    ray.direction = m3_apply(placed->X_WG.R, ray.direction);
    ray.direction = vec_scale(pow(10.0, draw_between(d, -30.0, 30.0)), ray.direction);
    if (draw_chance(d, 0.2))
        ray.reach = draw_between(d, 0.0, 3.0);
    return ray;
}

static double distance_at(const RgGeometry *point, RgVec3 x, const RgPlaced *placed)
{
    RgPlaced at = {point, {m3_identity(), x}};
    RgDistance out;
    rg_distance(&at, placed, NULL, &out);
    return out.distance;
}

/* Marches to the first place within close of the shape, or past the reach (infinite then). *least: the
   nearest it came to the shape. */
static double march(const RgGeometry *point, const RgPlaced *placed, const RgRay *ray, double close, double *least)
{
    RgVec3 u = vec_scale(1.0 / vec_norm(ray->direction), ray->direction);
    double t = 0.0, reach = fmin(ray->reach, 20.0);
    *least = (double)INFINITY;
    for (int k = 0; k < 100000 && t <= reach; k++) {
        double d = distance_at(point, v3_axpy(t, u, ray->origin), placed);
        *least = fmin(*least, d);
        if (d <= close)
            return t;
        t += d;
    }
    return (double)INFINITY;
}

/* One ray: the hit lies on the surface, nothing of the shape lies before it, and what is missed is missed. */
static void check_ray(const RgGeometry *point, const RgPlaced *placed, const RgRay *ray)
{
    const double close = 1e-9; /* m: where the march ends; grazing rays come as near without touching */
    const char *name = rg_shape_type_name(placed->geometry->type);
    RgRayHit hit;
    double least, marched = march(point, placed, ray, close, &least);
    bool found = rg_ray_cast(placed, ray, &hit);
    if (!found) {
        bool clear = isinf(marched) || least > -1e-12;
        cr_expect(clear, "%s: missed what is %g deep at %g", name, least, marched);
        if (!isinf(marched)) { /* it grazes, or the hit is just beyond the reach: a longer and thicker look */
            RgRay longer = *ray;
            longer.reach = (double)INFINITY;
            bool beyond = rg_ray_cast(placed, &longer, &hit);
            cr_expect(!beyond || hit.distance > ray->reach, "%s", name);
        }
        return;
    }
    RgVec3 u = vec_scale(1.0 / vec_norm(ray->direction), ray->direction);
    double off = distance_at(point, hit.point, placed);
    cr_expect(hit.distance >= 0.0 && hit.distance <= ray->reach, "%s: at %g", name, hit.distance);
    cr_expect(hit.distance > marched - 1e-12, "%s: hit at %g, nothing before %g", name, hit.distance, marched);
    CHECK_NEAR(vec_distance(hit.point, v3_axpy(hit.distance, u, ray->origin)), 0.0, 1e-14, "m");
    CHECK_NEAR(vec_norm(hit.normal), 1.0, 1e-14, "");
    if (hit.distance == 0.0) {
        cr_expect(off <= 1e-12, "%s: begins %g outside", name, off);
    } else {
        cr_expect(fabs(off) <= 1e-12, "%s: hit %g off the surface", name, off);
        cr_expect(vec_dot(hit.normal, u) <= 1e-7, "%s: normal along the ray, %g", name, vec_dot(hit.normal, u));
    }
    if (distance_at(point, ray->origin, placed) < -1e-12) {
        CHECK_NEAR(hit.distance, 0.0, 0.0, "m");
        CHECK_NEAR(vec_distance(hit.normal, vec_scale(-1.0, u)), 0.0, 1e-14, "");
    }
}

/* The normal at a hit is that of the nearest points of a small ball put there: its plane has the shape
   behind. */
static void check_normal(const RgPlaced *placed, const RgRayHit *hit)
{
    RgVec3 n = m3_apply_t(placed->X_WG.R, hit->normal);
    RgVec3 x = m3_apply_t(placed->X_WG.R, v3_sub(hit->point, placed->X_WG.p));
    const RgShape *shape = &placed->geometry->parts[hit->part];
    const RgShapeKind *kind = rg_shape_kind(shape->type);
    double above = v3_dot(n, v3_sub(kind->support(shape, n), x));
    cr_expect(fabs(above) <= 1e-11, "%s: the shape is %g above the plane of the hit", kind->name, above);
}

/* One ray, and the normal where it hits. */
static bool check_all(const RgGeometry *point, const RgPlaced *placed, const RgRay *ray)
{
    RgRayHit hit;
    check_ray(point, placed, ray);
    if (!rg_ray_cast(placed, ray, &hit))
        return false;
    if (hit.distance > 0.0)
        check_normal(placed, &hit);
    return true;
}

Test(ray, march_agrees_on_100_000_rays)
{
    RgGeometry *point = make_shape(RG_SHAPE_sphere, 0.0, 0.0, 0.0);
    Draw d = draw_seed(1);
    int hits = 0;
    for (int k = 0; k < 2000; k++) {
        RgGeometry *geometry = draw_convex(&d, k % 6);
        RgPlaced placed = {geometry, draw_pose(&d, 2.0)};
        if (draw_chance(&d, 0.2))
            placed.X_WG = pose_identity();
        for (int i = 0; i < 50; i++) {
            RgRay ray = draw_ray(&d, &placed);
            hits += check_all(point, &placed, &ray);
        }
        rg_geometry_destroy(geometry);
    }
    cr_expect(hits > 30000 && hits < 90000, "%d hits", hits);
    rg_geometry_destroy(point);
}

/* From any distance the hit is where it is from near by, to round-off of the distance. */
Test(ray, far_away)
{
    RgGeometry *point = make_shape(RG_SHAPE_sphere, 0.0, 0.0, 0.0);
    Draw d = draw_seed(2);
    for (int k = 0; k < 6000; k++) {
        RgGeometry *geometry = draw_convex(&d, k % 6);
        RgPlaced placed = {geometry, pose_identity()};
        double far = pow(10.0, draw_between(&d, 0.0, 9.0));
        RgVec3 u = draw_direction(&d);
        RgVec3 origin = vec_add(vec_scale(-far, u), draw_vec(&d, 0.3));
        RgRay ray = {origin, u, (double)INFINITY};
        RgRayHit hit;
        if (rg_ray_cast(&placed, &ray, &hit)) {
            double off = distance_at(point, hit.point, &placed);
            cr_expect(fabs(off) <= 1e-12 + 1e-15 * far, "%s: %g off from %g", rg_shape_type_name(geometry->type), off,
                      far);
        } else {
            double least;
            ray.origin = vec_add(ray.origin, vec_scale(far - 2.0, u));
            march(point, &placed, &ray, 1e-12 + 1e-15 * far, &least);
            cr_expect(least > -1e-15 * far, "%s: missed", rg_shape_type_name(geometry->type));
        }
        rg_geometry_destroy(geometry);
    }
    rg_geometry_destroy(point);
}

static bool cast(const RgGeometry *geometry, RgVec3 origin, RgVec3 direction, double reach, RgRayHit *hit)
{
    RgPlaced placed = {geometry, pose_identity()};
    RgRay ray = {origin, direction, reach};
    return rg_ray_cast(&placed, &ray, hit);
}

Test(ray, invalid_rays_hit_nothing)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    const double nan = (double)NAN, inf = (double)INFINITY;
    RgRayHit hit = {.part = 77};
    cr_expect(!cast(box, vec(0.0, 0.0, 0.0), vec(0.0, 0.0, 0.0), 1.0, &hit));
    cr_expect(!cast(box, vec(nan, 0.0, 0.0), vec(0.0, 0.0, 1.0), 1.0, &hit));
    cr_expect(!cast(box, vec(0.0, inf, 0.0), vec(0.0, 0.0, 1.0), 1.0, &hit));
    cr_expect(!cast(box, vec(0.0, 0.0, 0.0), vec(0.0, nan, 1.0), 1.0, &hit));
    cr_expect(!cast(box, vec(0.0, 0.0, 0.0), vec(0.0, inf, 1.0), 1.0, &hit));
    cr_expect(!cast(box, vec(0.0, 0.0, 0.0), vec(0.0, 0.0, 1.0), nan, &hit));
    cr_expect(!cast(box, vec(0.0, 0.0, 0.0), vec(0.0, 0.0, 1.0), -1.0, &hit));
    cr_expect_eq(hit.part, 77, "written to without a hit");
    cr_expect(!cast(box, vec(1e300, 0.0, 0.0), vec(-1.0, 0.0, 0.0), inf, &hit) || isfinite(hit.distance));
    cr_expect(cast(box, vec(0.0, 0.0, 0.0), vec(0.0, 0.0, 1e-320), 0.0, &hit) && hit.distance == 0.0);
    cr_expect(cast(box, vec(0.0, 0.0, 3.0), vec(0.0, 0.0, -1e300), inf, &hit) && hit.distance == 2.5);
    rg_geometry_destroy(box);
}

/* Along faces and edges, through corners, grazing, from the surface outward and inward. */
Test(ray, box_edges)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 2.0, 2.0, 2.0);
    const double inf = (double)INFINITY;
    RgRayHit hit;
    cr_expect(cast(box, vec(-3.0, 1.0, 0.5), vec(2.0, 0.0, 0.0), inf, &hit)); /* in the plane of a face */
    CHECK_NEAR(hit.distance, 2.0, 0.0, "m");
    CHECK_NEAR(hit.normal.x, -1.0, 0.0, "");
    cr_expect(hit.feature.kind == RG_FEATURE_FACE && hit.feature.index == 0);
    cr_expect(cast(box, vec(-3.0, 1.0, 1.0), vec(2.0, 0.0, 0.0), inf, &hit)); /* along an edge */
    CHECK_NEAR(hit.distance, 2.0, 0.0, "m");
    cr_expect(!cast(box, vec(-3.0, 1.0 + 1e-15, 1.0), vec(2.0, 0.0, 0.0), inf, &hit));
    cr_expect(cast(box, vec(2.0, 2.0, 2.0), vec(-1.0, -1.0, -1.0), inf, &hit)); /* through a corner */
    CHECK_NEAR(hit.distance, sqrt(3.0), 1e-15, "m");
    cr_expect(cast(box, vec(2.0, 0.0, 0.0), vec(-1.0, 1.0, 0.0), inf, &hit)); /* touches an edge only */
    CHECK_NEAR(hit.distance, sqrt(2.0), 1e-15, "m");
    cr_expect(cast(box, vec(1.0, 0.0, 0.0), vec(1.0, 0.0, 0.0), inf, &hit) && hit.distance == 0.0); /* outward */
    CHECK_NEAR(hit.normal.x, -1.0, 0.0, "");
    cr_expect(cast(box, vec(1.0, 0.0, 0.0), vec(-1.0, 0.0, 0.0), inf, &hit) && hit.distance == 0.0); /* inward */
    CHECK_NEAR(hit.normal.x, 1.0, 0.0, "");
    cr_expect(!cast(box, vec(2.0, 0.0, 0.0), vec(1.0, 0.0, 0.0), inf, &hit)); /* behind */
    cr_expect(!cast(box, vec(2.0, 0.0, 0.0), vec(-1.0, 0.0, 0.0), 1.0 - 1e-12, &hit));
    cr_expect(cast(box, vec(2.0, 0.0, 0.0), vec(-1e-3, 0.0, 0.0), 1.0, &hit));
    rg_geometry_destroy(box);
}

/* Shapes without thickness. */
Test(ray, flat_shapes)
{
    const double inf = (double)INFINITY;
    const struct {
        RgShapeType type;
        double size[3];
    } flat[] = {
        {RG_SHAPE_box, {2.0, 2.0, 0.0}}, {RG_SHAPE_cylinder, {1.0, 0.0, 0.0}}, {RG_SHAPE_ellipsoid, {1.0, 1.0, 0.0}}};
    RgRayHit hit;
    for (int k = 0; k < 3; k++) {
        RgGeometry *g = make_shape(flat[k].type, flat[k].size[0], flat[k].size[1], flat[k].size[2]);
        cr_expect(cast(g, vec(0.3, 0.2, 2.0), vec(0.1, 0.1, -1.0), inf, &hit), "%d", k);
        CHECK_NEAR(hit.distance, 2.0 * sqrt(1.02), 1e-15, "m");
        CHECK_NEAR(hit.normal.z, 1.0, 0.0, "");
        cr_expect(cast(g, vec(0.3, 0.2, -2.0), vec(0.0, 0.0, 1.0), inf, &hit), "%d", k);
        CHECK_NEAR(hit.normal.z, -1.0, 0.0, "");
        cr_expect(cast(g, vec(3.0, 0.0, 0.0), vec(-1.0, 0.0, 0.0), inf, &hit), "%d", k); /* in its plane */
        CHECK_NEAR(hit.distance, 2.0, 0.0, "m");
        CHECK_NEAR(hit.normal.x, 1.0, 0.0, "");
        cr_expect(!cast(g, vec(3.0, 0.0, 1e-300), vec(-1.0, 0.0, 0.0), inf, &hit), "%d", k);
        cr_expect(!cast(g, vec(1.3, 0.0, 2.0), vec(0.0, 0.0, -1.0), inf, &hit), "%d", k);
        cr_expect(cast(g, vec(0.3, 0.0, 0.0), vec(0.0, 1.0, 1.0), inf, &hit) && hit.distance == 0.0, "%d", k);
        rg_geometry_destroy(g);
    }
    const RgShapeType thin[] = {RG_SHAPE_sphere, RG_SHAPE_capsule, RG_SHAPE_box};
    for (int k = 0; k < 3; k++) { /* a point */
        RgGeometry *g = make_shape(thin[k], 0.0, 0.0, 0.0);
        cr_expect(cast(g, vec(0.0, 0.0, 2.0), vec(0.0, 0.0, -1.0), inf, &hit) && hit.distance == 2.0, "%d", k);
        cr_expect(v3_finite(hit.normal) && vec_norm(hit.normal) == 1.0);
        cr_expect(!cast(g, vec(1e-9, 0.0, 2.0), vec(0.0, 0.0, -1.0), inf, &hit), "%d", k);
        rg_geometry_destroy(g);
    }
}

/* The ray comes in through the rim's side: sphere, capsule ends, cylinder caps, tangents. */
Test(ray, round_shapes)
{
    const double inf = (double)INFINITY;
    RgGeometry *sphere = make_shape(RG_SHAPE_sphere, 1.0, 0.0, 0.0);
    RgGeometry *capsule = make_shape(RG_SHAPE_capsule, 1.0, 2.0, 0.0);
    RgGeometry *cylinder = make_shape(RG_SHAPE_cylinder, 1.0, 2.0, 0.0);
    RgRayHit hit;
    cr_expect(cast(sphere, vec(-3.0, 1.0, 0.0), vec(1.0, 0.0, 0.0), inf, &hit)); /* tangent */
    CHECK_NEAR(hit.distance, 3.0, 1e-15, "m");
    cr_expect(!cast(sphere, vec(-3.0, 1.0 + 1e-15, 0.0), vec(1.0, 0.0, 0.0), inf, &hit));
    cr_expect(cast(sphere, vec(-1.0 - 1e-12, 0.0, 0.0), vec(1.0, 0.0, 0.0), inf, &hit)); /* from close by */
    CHECK_NEAR(hit.distance, 1e-12, 2e-16, "m");
    cr_expect(cast(capsule, vec(0.5, 0.0, 4.0), vec(0.0, 0.0, -1.0), inf, &hit)); /* along the axis */
    CHECK_NEAR(hit.distance, 3.0 - sqrt(0.75), 1e-15, "m");
    CHECK_NEAR(hit.normal.x, 0.5, 1e-15, "");
    cr_expect(cast(capsule, vec(3.0, 0.0, 1.0), vec(-1.0, 0.0, 0.0), inf, &hit)); /* at the seam */
    CHECK_NEAR(hit.distance, 2.0, 0.0, "m");
    cr_expect(cast(capsule, vec(3.0, 0.0, 1.5), vec(-1.0, 0.0, 0.0), inf, &hit)); /* on the upper ball */
    CHECK_NEAR(hit.distance, 3.0 - sqrt(0.75), 1e-15, "m");
    cr_expect(!cast(capsule, vec(0.9, 0.0, 1.9), vec(0.0, 0.0, 1.0), inf, &hit)); /* away from it */
    cr_expect(cast(cylinder, vec(0.5, 0.0, 4.0), vec(0.0, 0.0, -1.0), inf, &hit));
    CHECK_NEAR(hit.distance, 3.0, 0.0, "m");
    CHECK_NEAR(hit.normal.z, 1.0, 0.0, "");
    cr_expect(cast(cylinder, vec(1.0, 0.0, 4.0), vec(0.0, 0.0, -1.0), inf, &hit)); /* along the side */
    CHECK_NEAR(hit.distance, 3.0, 1e-15, "m");
    cr_expect(cast(cylinder, vec(0.0, -3.0, 1.0), vec(0.0, 1.0, 0.0), inf, &hit)); /* in the plane of a cap */
    CHECK_NEAR(hit.distance, 2.0, 0.0, "m");
    CHECK_NEAR(hit.normal.y, -1.0, 0.0, "");
    rg_geometry_destroy(sphere);
    rg_geometry_destroy(capsule);
    rg_geometry_destroy(cylinder);
}

Test(ray, halfspace)
{
    RgGeometry *floor = make_shape(RG_SHAPE_halfspace, 0.0, 0.0, 0.0);
    const double inf = (double)INFINITY;
    RgRayHit hit;
    cr_expect(cast(floor, vec(1.0, 2.0, 3.0), vec(0.0, 0.6, -0.8), inf, &hit));
    CHECK_NEAR(hit.distance, 3.75, 1e-15, "m");
    CHECK_NEAR(hit.normal.z, 1.0, 0.0, "");
    CHECK_NEAR(vec_distance(hit.point, vec(1.0, 4.25, 0.0)), 0.0, 1e-15, "m");
    cr_expect(!cast(floor, vec(1.0, 2.0, 3.0), vec(0.0, 0.6, -0.8), 3.7, &hit));
    cr_expect(!cast(floor, vec(1.0, 2.0, 3.0), vec(1.0, 0.0, 0.0), inf, &hit));
    cr_expect(!cast(floor, vec(1.0, 2.0, 3.0), vec(1.0, 0.0, 1.0), inf, &hit));
    cr_expect(cast(floor, vec(1.0, 2.0, -3.0), vec(0.0, 0.0, 1.0), inf, &hit) && hit.distance == 0.0);
    CHECK_NEAR(hit.normal.z, -1.0, 0.0, "");
    rg_geometry_destroy(floor);
}

/* The face that is named is the one whose plane the point lies in. */
Test(ray, polytope_names_its_face)
{
    Draw d = draw_seed(3);
    RgGeometry *hull = make_hull(&d, 30);
    RgPolytopeView view = rg_geometry_polytope(hull, 0);
    int named = 0;
    for (int k = 0; k < 2000; k++) {
        RgRayHit hit;
        RgVec3 from = vec_scale(3.0, draw_direction(&d));
        if (!cast(hull, from, vec_sub(draw_vec(&d, 0.3), from), (double)INFINITY, &hit))
            continue;
        cr_assert(hit.feature.kind == RG_FEATURE_FACE && hit.feature.index < view.nfaces);
        RgVec3 n = view.face_normals[hit.feature.index];
        RgVec3 corner = view.vertices[view.face_vertices[view.face_start[hit.feature.index]]];
        CHECK_NEAR(vec_distance(n, hit.normal), 0.0, 1e-15, "");
        CHECK_NEAR(vec_dot(n, vec_sub(hit.point, corner)), 0.0, 1e-14, "m");
        named++;
    }
    cr_expect_geq(named, 500);
    rg_geometry_destroy(hull);
}

/* Two cubes of side 1 about (-1, 0, 0) and (1, 0, 0). */
static RgGeometry *make_cubes(RgMeshUse use)
{
    static const int32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    static const int32_t half[6] = {0, 1, 2, 0, 2, 3}, part_start[3] = {0, 12, 24};
    double xyz[48];
    int32_t faces[72], n = 0;
    for (int i = 0; i < 16; i++) {
        xyz[3 * i] = (i < 8 ? -1.0 : 1.0) + (i & 1 ? 0.5 : -0.5);
        xyz[3 * i + 1] = i & 2 ? 0.5 : -0.5;
        xyz[3 * i + 2] = i & 4 ? 0.5 : -0.5;
    }
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 6; k++)
            faces[n++] = quads[i % 6][half[k]] + 8 * (i / 6);
    RgShapeDef def = shape_sized(RG_SHAPE_mesh, 1.0, 1.0, 1.0);
    def.mesh = (RgMeshData){xyz, faces, 16, 24, part_start, 2};
    def.mesh_use = use;
    return make_geometry(&def);
}

/* Two cubes as hulls and as triangles against two boxes. */
Test(ray, meshes_are_what_they_are_made_of)
{
    RgGeometry *parts = make_cubes(RG_MESH_PARTS), *surface = make_cubes(RG_MESH_SURFACE);
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    Draw d = draw_seed(4);
    int hits = 0;
    for (int k = 0; k < 20000; k++) {
        RgVec3 from = vec_scale(4.0, draw_direction(&d)), to = draw_vec(&d, 1.0);
        to = vec(1.6 * to.x, 0.6 * to.y, 0.0);
        RgRay ray = {from, vec_sub(to, from), (double)INFINITY};
        RgPlaced left = {box, pose_at(vec(-1.0, 0.0, 0.0))}, right = {box, pose_at(vec(1.0, 0.0, 0.0))};
        RgPlaced as_parts = {parts, pose_identity()}, as_surface = {surface, pose_identity()};
        RgRayHit a = {.distance = (double)INFINITY}, b = a, p = a, s = a;
        rg_ray_cast(&left, &ray, &a);
        rg_ray_cast(&right, &ray, &b);
        int32_t which = b.distance < a.distance;
        a = which ? b : a;
        cr_assert_eq(rg_ray_cast(&as_parts, &ray, &p), isfinite(a.distance));
        cr_assert_eq(rg_ray_cast(&as_surface, &ray, &s), isfinite(a.distance));
        if (!isfinite(a.distance))
            continue;
        hits++;
        double flat = fabs(vec_dot(a.normal, ray.direction)) / vec_norm(ray.direction); /* grazing: less sure */
        CHECK_NEAR(p.distance, a.distance, 1e-14 / flat, "m");
        CHECK_NEAR(s.distance, a.distance, 1e-14 / flat, "m");
        CHECK_NEAR(vec_distance(p.normal, a.normal), 0.0, 1e-15, "");
        CHECK_NEAR(vec_distance(s.normal, a.normal), 0.0, 1e-15, "");
        cr_expect_eq(p.part, which);
        cr_expect(s.part >= 0 && s.part < 24 && s.feature.kind == RG_FEATURE_FACE && s.feature.index == 0);
    }
    cr_expect_geq(hits, 10000);
    rg_geometry_destroy(parts);
    rg_geometry_destroy(surface);
    rg_geometry_destroy(box);
}

/* A height field: z = x y between grid points, met from above, and from below from behind. */
Test(ray, heightfield)
{
    double heights[5 * 5];
    for (int i = 0; i < 25; i++)
        heights[i] = (i % 5 - 2) * (i / 5 - 2) * 0.25;
    RgShapeDef def = rg_shape_def_default();
    def.type = RG_SHAPE_heightfield;
    def.size[0] = def.size[1] = 4.0;
    def.size[2] = 1.0;
    def.heights = heights;
    def.rows = def.columns = 5;
    RgGeometry *field = make_geometry(&def);
    RgRayHit hit;
    for (int i = 0; i < 25; i++) {
        RgVec3 over = vec(i % 5 - 2, i / 5 - 2, 3.0), under = vec(over.x, over.y, -3.0);
        cr_expect(cast(field, over, vec(0.0, 0.0, -1.0), (double)INFINITY, &hit));
        CHECK_NEAR(hit.distance, 3.0 - heights[i], 1e-15, "m");
        cr_expect(hit.normal.z > 0.5);
        cr_expect(cast(field, under, vec(0.0, 0.0, 1.0), (double)INFINITY, &hit));
        CHECK_NEAR(hit.distance, 3.0 + heights[i], 1e-15, "m");
    }
    cr_expect(!cast(field, vec(2.1, 0.0, 3.0), vec(0.0, 0.0, -1.0), (double)INFINITY, &hit));
    rg_geometry_destroy(field);
}

/* A triangle as a plate with two faces. */
Test(ray, plate_with_two_faces)
{
    const RgVec3 vertex[3] = {{0.0, 0.0, 1.0}, {1.0, 0.0, 1.0}, {0.0, 1.0, 1.0}};
    const RgVec3 normal[2] = {{0.0, 0.0, 1.0}, {0.0, 0.0, -1.0}};
    const double offset[2] = {1.0, -1.0};
    RgPolytope plate = rg_polytope_triangle(vertex, normal, offset);
    RgShape shape = {.type = RG_SHAPE_polytope, .size = {1.0, 1.0, 1.0}, .core = &plate};
    const RgShapeKind *kind = rg_shape_kind(RG_SHAPE_polytope);
    Draw d = draw_seed(5);
    for (int k = 0; k < 10000; k++) {
        RgVec3 from = draw_vec(&d, 2.0), at = vec(draw_between(&d, -0.2, 1.2), draw_between(&d, -0.2, 1.2), 1.0);
        RgVec3 along = vec_sub(at, from), n;
        double t;
        bool inside = at.x >= 0.0 && at.y >= 0.0 && at.x + at.y <= 1.0;
        cr_assert_eq(kind->ray(&shape, from, along, (double)INFINITY, &t, &n), inside);
        if (inside) {
            CHECK_NEAR(t, 1.0, 1e-14 / fabs(along.z), "");
            cr_expect(n.z * along.z < 0.0);
        }
    }
    double t;
    RgVec3 n;
    cr_expect(kind->ray(&shape, vec(-1.0, 0.25, 1.0), vec(0.5, 0.0, 0.0), 3.0, &t, &n) && t == 2.0); /* in its plane */
    CHECK_NEAR(n.x, -1.0, 0.0, "");
    cr_expect(!kind->ray(&shape, vec(-1.0, 1.25, 1.0), vec(0.5, 0.0, 0.0), 9.0, &t, &n));
}
