/*
 * fuzz_pair.c - any bytes as two shapes, poses and velocities: sizes from 1e-9 to 1e9, flat and thin, at
 * the same place, aligned to the last digit. Distance, manifold, ray and time of impact must come back,
 * without NaN, in a bounded number of iterations, and agree with themselves.
 */
#include "fuzz_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_POINTS 24
#define MAX_ITERATIONS 12000 /* a pair of convex parts or triangles: mostly the cuts of a depth that is proven */
#define ROUND_OFF 1e-12      /* part of sizes and coordinates */
#define AGREES 4e-9          /* the same for two answers to one question: far beyond 1:1000 little else is promised */

typedef struct Body {
    double xyz[3 * MAX_POINTS];
    int32_t faces[12];
    RgGeometry *geometry;
    RgPose X;
    double reach; /* no point is farther from the origin */
} Body;

static void take_points(Bytes *b, Body *body, RgShapeDef *def)
{
    static const int32_t tetrahedron[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    double scale[3] = {def->size[0], def->size[1], def->size[2]};
    int count = 4 + take(b) % (MAX_POINTS - 3);
    for (int i = 0; i < 3 * count; i++)
        body->xyz[i] = scale[i % 3] * take_unit(b);
    def->size[0] = def->size[1] = def->size[2] = 1.0;
    def->mesh.vertices = body->xyz;
    def->mesh.nvertices = def->type == RG_SHAPE_mesh ? 4 : count;
    if (def->type == RG_SHAPE_mesh) {
        memcpy(body->faces, tetrahedron, sizeof tetrahedron);
        def->mesh.faces = body->faces;
        def->mesh.nfaces = 4;
        def->mesh_use = (RgMeshUse)(take(b) % 3);
    } else if (def->type == RG_SHAPE_heightfield) {
        memcpy(def->size, scale, sizeof scale);
        def->heights = body->xyz;
        def->rows = 2 + count % 3;
        def->columns = count / def->rows > 1 ? count / def->rows : 2;
    }
}

static void take_body(Bytes *b, Body *body)
{
    RgShapeDef def = rg_shape_def_default();
    def.type = (RgShapeType)(take(b) % RG_SHAPE_COUNT);
    double all = take_size(b);
    bool odd = take(b) % 2 == 1;
    for (int i = 0; i < 3; i++)
        def.size[i] = odd ? take_size(b) : all;
    if (def.type == RG_SHAPE_polytope || def.type == RG_SHAPE_mesh || def.type == RG_SHAPE_heightfield)
        take_points(b, body, &def);
    body->X.R = take_rotation(b);
    body->X.p = take(b) % 3 == 0 ? (RgVec3){0.0, 0.0, 0.0} : take_vec(b, take_size(b));
    body->geometry = NULL;
    rg_geometry_create(&def, NULL, &body->geometry, NULL);
    bool by_points = def.mesh.nvertices > 0 || def.heights != NULL;
    MUST(by_points || body->geometry != NULL);
    if (body->geometry == NULL)
        return;
    RgGeometryInfo info = rg_geometry_info(body->geometry);
    RgVec3 p = body->X.p, c = info.centre;
    body->reach = sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
    if (isfinite(info.radius))
        body->reach += info.radius + sqrt(c.x * c.x + c.y * c.y + c.z * c.z);
}

static double gap_error(RgVec3 a, RgVec3 b, RgVec3 n, double d)
{
    double x = b.x - a.x - d * n.x, y = b.y - a.y - d * n.y, z = b.z - a.z - d * n.z;
    return sqrt(x * x + y * y + z * z);
}

static bool is_unit(RgVec3 n)
{
    return fabs(sqrt(n.x * n.x + n.y * n.y + n.z * n.z) - 1.0) < ROUND_OFF;
}

/* Convex parts or triangles. */
static int pieces(const RgPlaced *placed)
{
    RgGeometryInfo info = rg_geometry_info(placed->geometry);
    return info.parts > 0 ? info.parts : info.faces;
}

static void check_answer(const RgDistance *r, double scale, int pairs)
{
    MUST(isfinite(r->distance) && isfinite(r->error) && r->error >= 0.0);
    MUST(vec_is_finite(r->point_a) && vec_is_finite(r->point_b) && is_unit(r->normal));
    MUST(r->iterations >= 0 && r->iterations <= MAX_ITERATIONS * pairs);
    MUST(gap_error(r->point_a, r->point_b, r->normal, r->distance) <= ROUND_OFF * scale);
}

static bool same_numbers(const void *a, const void *b, int count)
{
    const double *x = a, *y = b;
    for (int i = 0; i < count; i++)
        if (x[i] != y[i]) /* 0 and -0 are the same place */
            return false;
    return true;
}

/* Two of one shape in one place: nothing tells which is A. */
static bool are_twins(const RgPlaced *a, const RgPlaced *b)
{
    RgGeometryInfo i = rg_geometry_info(a->geometry), j = rg_geometry_info(b->geometry);
    return i.type == j.type && same_numbers(&a->X_WG, &b->X_WG, 12) && same_numbers(&i.low, &j.low, 3) &&
           same_numbers(&i.high, &j.high, 3);
}

static void check_distance(const RgPlaced *a, const RgPlaced *b, double scale)
{
    RgDistance r, back, again;
    RgStatus status = rg_distance(a, b, NULL, &r);
    MUST(status == RG_OK || status == RG_ERR_UNSUPPORTED || status == RG_ERR_NOT_CONVERGED);
    MUST(rg_distance(b, a, NULL, &back) == status);
    if (status == RG_ERR_UNSUPPORTED)
        return;
    int pairs = pieces(a) * pieces(b);
    check_answer(&r, scale, pairs);
    MUST(r.distance == back.distance && r.error == back.error);
    MUST(are_twins(a, b) || (r.normal.x == -back.normal.x && r.point_a.x == back.point_b.x));

    /* What is remembered changes the last digits at most: twice, from nothing and from the first end. */
    RgPairCache cache;
    memset(&cache, 0, sizeof cache);
    for (int i = 0; i < 2; i++) {
        RgStatus warm = rg_distance(a, b, &cache, &again);
        MUST(warm == RG_OK || warm == RG_ERR_NOT_CONVERGED);
        check_answer(&again, scale, pairs);
        MUST(fabs(again.distance - r.distance) <= r.error + again.error + AGREES * scale);
    }
}

static void check_manifold(const RgPlaced *a, const RgPlaced *b, double scale)
{
    static RgContactPoint points[256];
    static RgManifold manifolds[64];
    RgContactBuffer out = {points, manifolds, 256, 64, 0, 0, false, false};
    RgStatus status = rg_manifold(a, b, NULL, NULL, &out);
    MUST(status == RG_OK || status == RG_ERR_UNSUPPORTED || status == RG_ERR_NOT_CONVERGED);
    MUST(out.npoints >= 0 && out.npoints <= 256 && out.nmanifolds >= 0 && out.nmanifolds <= 64);
    for (int i = 0; i < out.nmanifolds; i++)
        MUST(is_unit(manifolds[i].normal) && isfinite(manifolds[i].distance) && manifolds[i].first >= 0 &&
             manifolds[i].first + manifolds[i].count <= out.npoints);
    for (int i = 0; i < out.npoints; i++) {
        const RgContactPoint *p = &points[i];
        MUST(vec_is_finite(p->point_a) && vec_is_finite(p->point_b) && is_unit(p->normal) && isfinite(p->gap));
        MUST(gap_error(p->point_a, p->point_b, p->normal, p->gap) <= ROUND_OFF * scale);
    }
}

static void check_ray(Bytes *b, const Body *body)
{
    RgPlaced placed = {body->geometry, body->X};
    RgRay ray = {take_vec(b, take_size(b)), take_vec(b, 1.0), take_size(b)};
    RgVec3 d = ray.direction;
    RgRayHit hit;
    if (d.x == 0.0 && d.y == 0.0 && d.z == 0.0)
        return;
    if (rg_ray_cast(&placed, &ray, &hit)) {
        MUST(hit.distance >= 0.0 && hit.distance <= ray.reach);
        MUST(vec_is_finite(hit.point) && is_unit(hit.normal));
    }
}

/* At most 1e4 m/s and 100 rad/s. */
static RgMotion take_motion(Bytes *b)
{
    RgVec3 w = take_vec(b, fmin(take_size(b), 100.0)), v = take_vec(b, fmin(take_size(b), 1e4));
    return (RgMotion){w, v};
}

static void check_impact(Bytes *b, const Body *x, const Body *y)
{
    RgSweep a = {x->geometry, x->X, x->X.p, take_motion(b)};
    RgSweep c = {y->geometry, y->X, y->X.p, take_motion(b)};
    RgImpactOptions options = rg_impact_options_default();
    options.method = (RgImpactMethod)(take(b) % 3);
    options.max_iterations = 50;
    RgImpact impact;
    RgStatus status = rg_time_of_impact(&a, &c, &options, &impact);
    MUST(status == RG_OK || status == RG_ERR_UNSUPPORTED || status == RG_ERR_NOT_CONVERGED);
    if (status == RG_ERR_UNSUPPORTED)
        return;
    MUST(impact.time >= 0.0 && impact.time <= options.horizon && !isnan(impact.latest));
    MUST(impact.iterations >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Body x, y;
    memset(&x, 0, sizeof x);
    memset(&y, 0, sizeof y);
    Bytes b = {data, size};
    take_body(&b, &x);
    take_body(&b, &y);
    if (x.geometry != NULL && y.geometry != NULL) {
        RgPlaced a = {x.geometry, x.X}, c = {y.geometry, y.X};
        double scale = x.reach + y.reach;
        check_distance(&a, &c, scale);
        check_manifold(&a, &c, scale);
        check_ray(&b, &x);
        check_ray(&b, &y);
        check_impact(&b, &x, &y);
    }
    rg_geometry_destroy(x.geometry);
    rg_geometry_destroy(y.geometry);
    return 0;
}
