/*
 * geometry.c - preparation of a shape for collision.
 *
 *   solid, half-space         one part, with its core if the kind has one (RgShapeKind.core)
 *   mesh as hull              one polytope: the hull of all vertices used by a face
 *   mesh as parts             a polytope for each part that has faces
 *   mesh as surface           no parts; its triangles
 *   height field              no parts; its triangles
 *
 * Zero sizes are allowed: a box may be a plate, a segment or a point. The bounding sphere is centred in the bounding
 * box and reaches to the farthest point.
 *
 * Everything is allocated in one arena, which is freed as a whole. Fails if the shape's own check fails, if a hull has
 * no volume, if squares of its size exceed the range of a double, or if memory runs out.
 */
#include "geom/geometry.h"

#include "base/alloc.h"
#include "base/status.h"

/* m; squares and products of four lengths must neither overflow nor underflow. */
#define LARGEST_LENGTH 1e70
/* m; for smaller nonzero extents products of three lengths lose accuracy. */
#define SMALLEST_LENGTH 1e-40

/* A geometry during construction, and the error to report. */
typedef struct GeometryBuilder {
    RgGeometry *g;
    const RgShapeDef *def;
    RgShape shape;
    RgShape *parts;
    RgBounds *part_bounds;
    RgError *error;
} GeometryBuilder;

static RgStatus fail_shape(const GeometryBuilder *m, RgStatus status, const char *what)
{
    return rg_fail(m->error, status, NULL, 0, "%s: %s", rg_shape_type_name(m->def->type), what);
}

static RgStatus fail_memory(const GeometryBuilder *m)
{
    return rg_fail(m->error, RG_ERR_MEMORY, NULL, 0, "out of memory");
}

static bool alloc_parts(GeometryBuilder *m, int32_t count)
{
    m->parts = RG_ARENA_ALLOC(&m->g->arena, RgShape, count);
    m->part_bounds = RG_ARENA_ALLOC(&m->g->arena, RgBounds, count);
    m->g->parts = m->parts;
    m->g->part_bounds = m->part_bounds;
    return !m->g->arena.failed;
}

static void add_part(GeometryBuilder *m, const RgShape *shape)
{
    m->parts[m->g->nparts] = *shape;
    m->parts[m->g->nparts].extent = rg_shape_extent(shape);
    m->part_bounds[m->g->nparts] = rg_shape_kind(shape->type)->bounds(shape);
    m->g->nparts++;
}

/* Reports a core that could not be made. where: number of the part from 1, or 0 if there is only one. */
static RgStatus fail_core(const GeometryBuilder *m, RgStatus status, int32_t where, const char *what)
{
    if (status == RG_ERR_MEMORY)
        return fail_memory(m);
    if (where > 0)
        return rg_fail(m->error, RG_ERR_MODEL, NULL, 0, "%s: part %d: %s", rg_shape_type_name(m->def->type), where,
                       what);
    return fail_shape(m, RG_ERR_MODEL, what);
}

/* ------------------------------------------------------------------ solids */

/* One part. Sizes and core define it: the caller's arrays are not needed afterwards. */
static RgStatus make_single(GeometryBuilder *m)
{
    const RgShapeKind *kind = rg_shape_kind(m->shape.type);
    RgShape part = m->shape;
    part.mesh = (RgMeshData){0};
    if (!alloc_parts(m, 1))
        return fail_memory(m);
    if (kind->core != NULL) {
        const char *what = NULL;
        RgPolytope *core = RG_ARENA_ALLOC(&m->g->arena, RgPolytope, 1);
        RgStatus status =
            core != NULL ? kind->core(&m->g->arena, &m->shape, core, &m->g->report, &what) : RG_ERR_MEMORY;
        if (status != RG_OK)
            return fail_core(m, status, 0, what);
        part.core = core;
    }
    add_part(m, &part);
    return RG_OK;
}

/* ------------------------------------------------------------------ hulls */

/* Adds a part: the hull of points. where: as in fail_core. */
static RgStatus add_hull(GeometryBuilder *m, const RgVec3 *points, int32_t count, int32_t where)
{
    RgPolytope *hull = RG_ARENA_ALLOC(&m->g->arena, RgPolytope, 1);
    RgMeshReport report = {0};
    const char *what = NULL;
    if (hull == NULL)
        return fail_memory(m);
    RgStatus status = rg_convex_hull(&m->g->arena, points, count, hull, &report, &what);
    if (status != RG_OK)
        return fail_core(m, status, where, what);
    m->g->report.merged_vertices += report.merged_vertices;
    m->g->report.inner_points += report.inner_points;
    m->g->report.closed = true;
    RgShape part = rg_shape_of_polytope(hull);
    add_part(m, &part);
    return RG_OK;
}

/* Copies the vertices used by the faces of part k (all faces if parts = 1), each once, into points. mark: for each
   vertex, 1 + the last part that used it. */
static int32_t gather_points(const GeometryBuilder *m, int32_t first_face, int32_t end_face, int32_t part,
                             int32_t *mark, RgVec3 *points)
{
    int32_t count = 0;
    for (int64_t i = 3 * (int64_t)first_face; i < 3 * (int64_t)end_face; i++) {
        int32_t v = m->shape.mesh.faces[i];
        if (mark[v] == part + 1)
            continue;
        mark[v] = part + 1;
        points[count++] = rg_shape_vertex(&m->shape, v);
    }
    return count;
}

static RgStatus add_hulls(GeometryBuilder *m, RgArena *work)
{
    const RgMeshData *mesh = &m->shape.mesh;
    bool parted = m->def->mesh_use == RG_MESH_PARTS && mesh->part_start != NULL;
    int32_t parts = parted ? mesh->nparts : 1;
    int32_t *mark = RG_ARENA_ALLOC(work, int32_t, mesh->nvertices);
    RgVec3 *points = RG_ARENA_ALLOC(work, RgVec3, mesh->nvertices);
    if (work->failed || !alloc_parts(m, parts))
        return fail_memory(m);
    for (int32_t k = 0; k < parts; k++) {
        int32_t first = parted ? mesh->part_start[k] : 0, end = parted ? mesh->part_start[k + 1] : mesh->nfaces;
        int32_t count = gather_points(m, first, end, k, mark, points);
        if (count == 0)
            continue;
        RgStatus status = add_hull(m, points, count, parted ? k + 1 : 0);
        if (status != RG_OK)
            return status;
    }
    for (int32_t v = 0; v < mesh->nvertices; v++)
        m->g->report.unused_vertices += mark[v] == 0;
    return RG_OK;
}

static RgStatus make_hulls(GeometryBuilder *m)
{
    RgArena work;
    rg_arena_init(&work, &m->g->arena.allocator);
    RgStatus status = add_hulls(m, &work);
    rg_arena_free(&work);
    return status;
}

/* ------------------------------------------------------------------ surfaces */

static RgStatus make_surface(GeometryBuilder *m)
{
    RgSurface *surface = NULL;
    const char *what = NULL;
    RgStatus status = rg_surface_create(&m->g->arena, &m->shape, &surface, &m->g->report, &what);
    if (status == RG_ERR_MEMORY)
        return fail_memory(m);
    if (status != RG_OK)
        return fail_shape(m, status, what != NULL ? what : rg_status_text(status));
    m->g->surface = surface;
    return RG_OK;
}

/* ------------------------------------------------------------------ bounds */

static RgBounds join_bounds(RgBounds a, RgBounds b)
{
    return (RgBounds){.low = v3(fmin(a.low.x, b.low.x), fmin(a.low.y, b.low.y), fmin(a.low.z, b.low.z)),
                      .high = v3(fmax(a.high.x, b.high.x), fmax(a.high.y, b.high.y), fmax(a.high.z, b.high.z))};
}

/* Upper bound of the distance of the points of a part from c: of its farthest point, or of the farthest corner of its
   bounds if nothing tighter is available. */
static double part_reach(const RgShape *part, const RgBounds *box, RgVec3 c)
{
    const RgShapeKind *kind = rg_shape_kind(part->type);
    if (part->core != NULL)
        return rg_polytope_reach(part->core, c) + rg_shape_rounding(part);
    RgVec3 low = v3_sub(c, box->low), high = v3_sub(box->high, c);
    double corner = v3_norm(v3(fmax(low.x, high.x), fmax(low.y, high.y), fmax(low.z, high.z)));
    return kind->reach != NULL ? fmin(corner, v3_norm(c) + kind->reach(part)) : corner;
}

static double surface_reach(const RgSurface *surface, RgVec3 c)
{
    double reach = 0.0;
    for (int32_t i = 0; i < rg_surface_count(surface); i++) {
        RgTriangle t;
        rg_surface_triangle(surface, i, &t);
        for (int k = 0; k < 3; k++)
            reach = fmax(reach, v3_norm(v3_sub(t.vertex[k], c)));
    }
    return reach;
}

static void set_bounds(RgGeometry *g)
{
    g->bounds = g->surface != NULL ? rg_surface_bounds(g->surface) : g->part_bounds[0];
    for (int32_t i = 1; i < g->nparts; i++)
        g->bounds = join_bounds(g->bounds, g->part_bounds[i]);
    if (rg_shape_kind(g->type)->support == NULL) {
        g->radius = INFINITY;
        return;
    }
    g->centre = v3_axpy(0.5, v3_sub(g->bounds.high, g->bounds.low), g->bounds.low);
    if (g->surface != NULL)
        g->radius = surface_reach(g->surface, g->centre);
    for (int32_t i = 0; i < g->nparts; i++)
        g->radius = fmax(g->radius, part_reach(&g->parts[i], &g->part_bounds[i], g->centre));
}

/* ------------------------------------------------------------------ create and destroy */

/* Describes what is wrong with the def; NULL: nothing. */
static const char *check_def(const RgShapeDef *def, const RgShape *shape)
{
    const RgShapeKind *kind = rg_shape_kind(shape->type);
    if (def->uri_missing)
        return "its mesh file was not found";
    if ((unsigned)def->mesh_use > RG_MESH_PARTS)
        return "no such use of a mesh";
    const char *what = kind->check(shape);
    if (what != NULL || kind->support == NULL)
        return what;
    RgBounds box = kind->bounds(shape);
    const double sides[6] = {box.low.x, box.low.y, box.low.z, box.high.x, box.high.y, box.high.z};
    for (int i = 0; i < 6; i++)
        if (!(fabs(sides[i]) <= LARGEST_LENGTH))
            return "its size is beyond 1e70 m";
    double extent = v3_norm(v3_sub(box.high, box.low));
    if (extent > 0.0 && extent < SMALLEST_LENGTH)
        return "its size is below 1e-40 m";
    return NULL;
}

static RgStatus make_geometry(GeometryBuilder *m)
{
    const char *what = check_def(m->def, &m->shape);
    if (what != NULL)
        return fail_shape(m, RG_ERR_ARGUMENT, what);
    const RgShapeKind *kind = rg_shape_kind(m->shape.type);
    bool as_hulls = kind->hulled && m->def->mesh_use != RG_MESH_AUTO && m->def->mesh_use != RG_MESH_SURFACE;
    RgStatus status = as_hulls ? make_hulls(m) : kind->surface != NULL ? make_surface(m) : make_single(m);
    if (status == RG_OK)
        set_bounds(m->g);
    return status;
}

RgStatus rg_geometry_create(const RgShapeDef *def, const RgAllocator *allocator, RgGeometry **out, RgError *error)
{
    if (out == NULL)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "a geometry needs a place to be put");
    *out = NULL;
    if (def == NULL || def->cookie != RG_COOKIE)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "a shape definition must start from rg_shape_def_default()");
    if (rg_shape_kind(def->type) == NULL)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "a geometry needs a shape of a known type");
    RgGeometry *g = rg_alloc(allocator, 1, sizeof *g);
    if (g == NULL)
        return rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory");
    rg_arena_init(&g->arena, allocator);
    g->type = def->type;
    GeometryBuilder m = {.g = g, .def = def, .shape = rg_shape_view(def), .error = error};
    RgStatus status = make_geometry(&m);
    if (status == RG_OK)
        *out = g;
    else
        rg_geometry_destroy(g);
    return status;
}

void rg_geometry_destroy(RgGeometry *g)
{
    if (g != NULL)
        rg_arena_free_with(&g->arena, g);
}

/* ------------------------------------------------------------------ queries */

/* Returns true for polytopes with faces. The cores of spheres and capsules are internal. */
static bool has_corners(const RgShape *part)
{
    return part->core != NULL && part->core->nf > 0;
}

/* Counts vertices, edges and triangles. An edge has one triangle (open) or two. */
static void count_surface(const RgSurface *surface, RgGeometryInfo *info)
{
    int32_t open = 0, highest = -1;
    info->faces = rg_surface_count(surface);
    for (int32_t i = 0; i < info->faces; i++) {
        RgTriangle t;
        rg_surface_triangle(surface, i, &t);
        for (int k = 0; k < 3; k++) {
            open += t.open[k];
            highest = t.number[k] > highest ? t.number[k] : highest;
        }
    }
    info->vertices = highest + 1;
    info->edges = (3 * info->faces + open) / 2;
}

RgGeometryInfo rg_geometry_info(const RgGeometry *g)
{
    RgGeometryInfo info = {.type = g->type,
                           .is_convex = g->nparts == 1,
                           .parts = g->nparts,
                           .low = g->bounds.low,
                           .high = g->bounds.high,
                           .centre = g->centre,
                           .radius = g->radius,
                           .mesh = g->report};
    if (g->surface != NULL)
        count_surface(g->surface, &info);
    for (int32_t i = 0; i < g->nparts; i++) {
        if (!has_corners(&g->parts[i]))
            continue;
        info.vertices += g->parts[i].core->nv;
        info.edges += g->parts[i].core->ne;
        info.faces += g->parts[i].core->nf;
    }
    return info;
}

RgPolytopeView rg_geometry_polytope(const RgGeometry *g, int32_t part)
{
    if (part < 0 || part >= g->nparts || !has_corners(&g->parts[part]))
        return (RgPolytopeView){0};
    const RgPolytope *p = g->parts[part].core;
    return (RgPolytopeView){.nvertices = p->nv,
                            .nedges = p->ne,
                            .nfaces = p->nf,
                            .vertices = p->vertex,
                            .edges = p->edge,
                            .face_start = p->face_start,
                            .face_vertices = p->face_vertex,
                            .face_normals = p->normal};
}

RgGeometry rg_geometry_part(const RgGeometry *whole, int32_t i)
{
    RgBounds box = whole->part_bounds[i];
    RgGeometry part = *whole;
    part.nparts = 1;
    part.parts = &whole->parts[i];
    part.part_bounds = &whole->part_bounds[i];
    part.bounds = box;
    part.centre = v3_scale(0.5, v3_add(box.low, box.high));
    part.radius = 0.5 * v3_norm(v3_sub(box.high, box.low));
    return part;
}
