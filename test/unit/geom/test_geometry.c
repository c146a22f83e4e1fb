/*
 * test_geometry.c - shapes prepared for collision: parts and cores of every kind, bounds, hulls of meshes and
 * of their parts, what is refused and how it is said, memory that runs out.
 */
#include "check_near.h"
#include "counting.h"
#include "geom/geometry.h"
#include "geometries.h"
#include "point_sets.h"
#include "solids.h"

#include <string.h>

/* The same def, as if it had been made by its default function. */
static RgShapeDef with_cookie(const RgShapeDef *def)
{
    RgShapeDef marked = *def;
    marked.cookie = rg_shape_def_default().cookie;
    return marked;
}

static RgGeometry *prepare(const RgShapeDef *def)
{
    RgShapeDef marked = with_cookie(def);
    RgError error = {0};
    RgGeometry *g = NULL;
    cr_assert_eq(rg_geometry_create(&marked, NULL, &g, &error), RG_OK, "%s", error.text);
    return g;
}

static RgShapeDef shape_of(RgShapeType type, double a, double b, double c)
{
    RgShapeDef def = shape_sized(type, a, b, c);
    return def;
}

static RgShapeDef polytope_of(const PointSet *s)
{
    RgShapeDef def = shape_of(RG_SHAPE_polytope, 1.0, 1.0, 1.0);
    def.mesh.vertices = &s->x[0].x;
    def.mesh.nvertices = s->count;
    return def;
}

/* ------------------------------------------------------------------ kinds */

/* The farthest point from the centre, over 20 000 directions, comes near to the radius and never exceeds
   it. */
static void expect_sphere_fits(const RgGeometry *g)
{
    Draw d = draw_seed(2);
    RgGeometryInfo info = rg_geometry_info(g);
    double farthest = 0.0;
    for (int i = 0; i < 20000; i++) {
        RgVec3 along = draw_direction(&d);
        for (int32_t k = 0; k < g->nparts; k++) {
            const RgShape *part = &g->parts[k];
            RgVec3 x = rg_shape_kind(part->type)->support(part, along);
            farthest = fmax(farthest, v3_norm(v3_sub(x, info.centre)));
        }
    }
    cr_expect_leq(farthest, info.radius * (1.0 + 1e-15), "%s", rg_shape_type_name(info.type));
    cr_expect_geq(farthest, info.radius * (1.0 - 1e-3), "%s", rg_shape_type_name(info.type));
}

Test(geometry, simple_kinds)
{
    for (int k = 0; k < SOLID_COUNT; k++) {
        RgShapeDef def = solid(k).def;
        RgGeometry *g = prepare(&def);
        RgGeometryInfo info = rg_geometry_info(g);
        cr_expect(info.type == def.type && info.is_convex && info.parts == 1);
        RgShape view = rg_shape_view(&def);
        RgBounds box = rg_shape_kind(def.type)->bounds(&view);
        CHECK_NEAR(v3_norm(v3_sub(info.low, box.low)) + v3_norm(v3_sub(info.high, box.high)), 0.0, 0.0, "m");
        CHECK_NEAR(v3_norm(info.centre), 0.0, 0.0, "m");
        expect_sphere_fits(g);
        cr_expect_eq(info.vertices, def.type == RG_SHAPE_box ? 8 : 0);
        rg_geometry_destroy(g);
    }
}

/* A core grown by the kind's rounding is the shape, and its vertices are those that rg_core_support names. */
Test(geometry, cores_grown_by_their_rounding_are_the_shape)
{
    static PointSet s;
    Draw d = draw_seed(3);
    points_in_ball(&s, &d, 200);
    RgShapeDef defs[4] = {solid(0).def, solid(1).def, solid(2).def, polytope_of(&s)};
    for (int k = 0; k < 4; k++) {
        RgGeometry *g = prepare(&defs[k]);
        const RgShape *part = &g->parts[0];
        const RgShapeKind *kind = rg_shape_kind(part->type);
        double r = rg_shape_rounding(part);
        for (int i = 0; i < 1000; i++) {
            RgVec3 along = draw_direction(&d);
            int32_t vertex = i % 2 ? -1 : 0;
            RgVec3 x = rg_core_support(part, along, &vertex);
            cr_assert(vertex >= 0 && vertex < part->core->nv);
            CHECK_NEAR(v3_norm(v3_sub(x, part->core->vertex[vertex])), 0.0, 0.0, "m");
            CHECK_NEAR(v3_dot(x, along) + r, v3_dot(kind->support(part, along), along), 1e-15, "m");
            cr_expect_eq(vertex, rg_polytope_support(part->core, along, -1), "%s", kind->name);
        }
        rg_geometry_destroy(g);
    }
}

/* Bits of a box's corner: +x, +y, +z; ends of a capsule: lower, upper; a sphere has its centre. */
Test(geometry, numbers_of_core_vertices)
{
    RgShapeDef defs[3] = {shape_of(RG_SHAPE_box, 2.0, 4.0, 6.0), shape_of(RG_SHAPE_capsule, 1.0, 2.0, 0.0),
                          shape_of(RG_SHAPE_sphere, 1.0, 0.0, 0.0)};
    RgGeometry *g[3] = {prepare(&defs[0]), prepare(&defs[1]), prepare(&defs[2])};
    for (int k = 0; k < 8; k++) {
        RgVec3 d = v3(k & 1 ? 0.1 : -0.1, k & 2 ? 0.2 : -0.2, k & 4 ? 0.3 : -0.3);
        int32_t vertex = -1;
        RgVec3 x = rg_core_support(&g[0]->parts[0], d, &vertex);
        cr_expect(vertex == k && x.x == copysign(1.0, d.x) && x.y == copysign(2.0, d.y) && x.z == copysign(3.0, d.z));
        x = rg_core_support(&g[1]->parts[0], d, &vertex);
        cr_expect(vertex == k / 4 && x.x == 0.0 && x.z == copysign(1.0, d.z));
        x = rg_core_support(&g[2]->parts[0], d, &vertex);
        cr_expect(vertex == 0 && v3_norm(x) == 0.0);
    }
    for (int k = 0; k < 3; k++)
        rg_geometry_destroy(g[k]);
}

Test(geometry, halfspace_is_one_part_without_bound)
{
    RgShapeDef def = shape_of(RG_SHAPE_halfspace, 0.0, 0.0, 0.0);
    RgGeometry *g = prepare(&def);
    RgGeometryInfo info = rg_geometry_info(g);
    cr_expect(info.is_convex && info.parts == 1 && isinf(info.radius) && isinf(info.low.z));
    cr_expect_eq(info.high.z, 0.0);
    cr_expect(v3_finite(info.centre));
    rg_geometry_destroy(g);
}

/* Points, segments and plates are shapes: they have no mass, but they can touch. */
Test(geometry, sizes_of_zero)
{
    const RgShapeDef defs[] = {shape_of(RG_SHAPE_box, 1.0, 2.0, 0.0),       shape_of(RG_SHAPE_box, 1.0, 0.0, 0.0),
                               shape_of(RG_SHAPE_box, 0.0, 0.0, 0.0),       shape_of(RG_SHAPE_cylinder, 1.0, 0.0, 0.0),
                               shape_of(RG_SHAPE_cylinder, 0.0, 1.0, 0.0),  shape_of(RG_SHAPE_ellipsoid, 1.0, 2.0, 0.0),
                               shape_of(RG_SHAPE_ellipsoid, 0.0, 0.0, 0.0), shape_of(RG_SHAPE_sphere, 0.0, 0.0, 0.0),
                               shape_of(RG_SHAPE_capsule, 0.0, 1.0, 0.0)};
    Draw d = draw_seed(4);
    for (size_t k = 0; k < sizeof defs / sizeof defs[0]; k++) {
        RgGeometry *g = prepare(&defs[k]);
        const RgShapeKind *kind = rg_shape_kind(defs[k].type);
        RgGeometryInfo info = rg_geometry_info(g);
        for (int i = 0; i < 100; i++) {
            int32_t vertex = -1;
            RgVec3 x = rg_core_support(&g->parts[0], draw_direction(&d), &vertex);
            cr_expect(v3_finite(x) && v3_norm(x) <= info.radius * (1.0 + 1e-15), "%s %zu", kind->name, k);
        }
        rg_geometry_destroy(g);
    }
}

Test(geometry, box_shows_its_corners_and_others_show_none)
{
    RgShapeDef def = shape_of(RG_SHAPE_box, 2.0, 4.0, 6.0);
    RgGeometry *g = prepare(&def);
    RgPolytopeView view = rg_geometry_polytope(g, 0);
    cr_expect(view.nvertices == 8 && view.nedges == 12 && view.nfaces == 6 && view.face_start[6] == 24);
    CHECK_NEAR(v3_norm(v3_sub(view.vertices[6], v3(-1.0, 2.0, 3.0))), 0.0, 0.0, "m");
    cr_expect_eq(rg_geometry_polytope(g, 1).nvertices, 0);
    cr_expect_eq(rg_geometry_polytope(g, -1).nvertices, 0);
    cr_expect_null(polytope_links_fault(g->parts[0].core));
    CHECK_NEAR(polytope_plane_error(g->parts[0].core), 0.0, 0.0, "m");
    rg_geometry_destroy(g);
    def = shape_of(RG_SHAPE_capsule, 1.0, 1.0, 0.0);
    g = prepare(&def);
    cr_expect(rg_geometry_polytope(g, 0).nvertices == 0 && rg_geometry_polytope(g, 0).vertices == NULL);
    rg_geometry_destroy(g);
    rg_geometry_destroy(NULL);
}

/* ------------------------------------------------------------------ hulls */

/* The scale comes before the hull, and a mirror turns no face inside out. */
Test(geometry, polytope_is_scaled_and_mirrored)
{
    static PointSet s;
    Draw d = draw_seed(6);
    points_in_ball(&s, &d, 100);
    const double scale[3][3] = {{1.0, 1.0, 1.0}, {2.0, 0.5, 3.0}, {-1.0, 2.0, 1.0}};
    for (int k = 0; k < 3; k++) {
        RgShapeDef def = polytope_of(&s);
        memcpy(def.size, scale[k], sizeof def.size);
        RgGeometry *g = prepare(&def);
        const RgPolytope *p = g->parts[0].core;
        PointSet moved = s;
        points_move(&moved, (RgPose){mat_identity(), v3_zero()}, v3(scale[k][0], scale[k][1], scale[k][2]));
        cr_expect_null(polytope_links_fault(p));
        cr_expect_leq(polytope_outside(p, moved.x, moved.count), 1e-15);
        cr_expect_leq(polytope_plane_error(p), 1e-15);
        cr_expect_eq(rg_geometry_info(g).mesh.inner_points, s.count - p->nv);
        expect_sphere_fits(g);
        rg_geometry_destroy(g);
    }
}

/* Two boxes, one after the other, in one mesh. */
static RgShapeDef two_boxes(Mesh *mesh)
{
    *mesh = (Mesh){.nfaces = 0};
    mesh_add_box(mesh, v3(0.0, 0.0, 0.0), v3(1.0, 1.0, 1.0));
    mesh_add_vertex(mesh, v3(50.0, 0.0, 0.0)); /* of no face */
    mesh_add_box(mesh, v3(3.0, 0.0, 0.0), v3(1.0, 2.0, 1.0));
    RgShapeDef def = rg_shape_def_default();
    def.type = RG_SHAPE_mesh;
    def.mesh = mesh_def(mesh).mesh;
    return def;
}

Test(geometry, mesh_as_one_hull_or_as_parts)
{
    static Mesh mesh;
    const int32_t parts[4] = {0, 12, 12, 24}; /* the second has no faces */
    RgShapeDef def = two_boxes(&mesh);
    def.mesh_use = RG_MESH_HULL;
    def.mesh.part_start = parts;
    def.mesh.nparts = 3;
    RgGeometry *g = prepare(&def);
    RgGeometryInfo info = rg_geometry_info(g);
    cr_expect(info.is_convex && info.parts == 1 && info.vertices == 12 && info.mesh.unused_vertices == 1);
    CHECK_NEAR(info.high.x, 3.5, 0.0, "m");
    rg_geometry_destroy(g);

    def.mesh_use = RG_MESH_PARTS;
    g = prepare(&def);
    info = rg_geometry_info(g);
    cr_expect(!info.is_convex && info.parts == 2 && info.vertices == 16 && info.edges == 24 && info.faces == 12 &&
              info.mesh.unused_vertices == 1);
    CHECK_NEAR(v3_norm(v3_sub(g->part_bounds[1].low, v3(2.5, -1.0, -0.5))), 0.0, 0.0, "m");
    CHECK_NEAR(v3_norm(v3_sub(info.low, v3(-0.5, -1.0, -0.5))), 0.0, 0.0, "m");
    CHECK_NEAR(v3_norm(v3_sub(info.centre, v3(1.5, 0.0, 0.0))), 0.0, 0.0, "m");
    CHECK_NEAR(info.radius, sqrt(4.0 + 1.0 + 0.25), 1e-15, "m");
    expect_sphere_fits(g);
    rg_geometry_destroy(g);

    /* Without part starts everything is one part. */
    def.mesh.part_start = NULL;
    g = prepare(&def);
    cr_expect(rg_geometry_info(g).parts == 1 && rg_geometry_info(g).vertices == 12);
    rg_geometry_destroy(g);
}

Test(geometry, mesh_and_heights_as_surface)
{
    static Mesh mesh;
    RgShapeDef def = two_boxes(&mesh);
    for (int k = 0; k < 2; k++) {
        def.mesh_use = k ? RG_MESH_SURFACE : RG_MESH_AUTO;
        RgGeometry *g = prepare(&def);
        RgGeometryInfo info = rg_geometry_info(g);
        cr_expect(!info.is_convex && info.parts == 0 && info.faces == 24 && info.edges == 36 && info.vertices == 16 &&
                  info.mesh.closed && info.mesh.unused_vertices == 1);
        CHECK_NEAR(info.radius, sqrt(4.0 + 1.0 + 0.25), 1e-15, "m");
        cr_expect_eq(rg_geometry_polytope(g, 0).nvertices, 0);
        rg_geometry_destroy(g);
    }
    const double heights[6] = {0.0, 0.5, 0.0, 0.0, 1.0, 0.0};
    def = shape_of(RG_SHAPE_heightfield, 4.0, 2.0, 3.0);
    def.heights = heights;
    def.rows = 2;
    def.columns = 3;
    RgGeometry *g = prepare(&def);
    RgGeometryInfo info = rg_geometry_info(g);
    cr_expect(info.parts == 0 && info.faces == 4 && info.vertices == 6 && info.edges == 9);
    CHECK_NEAR(info.high.z, 3.0, 0.0, "m");
    rg_geometry_destroy(g);
}

/* ------------------------------------------------------------------ refusals */

static void expect_refused(const RgShapeDef *def, RgStatus status, const char *part)
{
    RgShapeDef marked = with_cookie(def);
    RgError error = {0};
    RgGeometry *g = (RgGeometry *)&error;
    RgStatus got = rg_geometry_create(&marked, NULL, &g, &error);
    cr_expect(got == status && error.status == status && g == NULL, "%s: status %d", part, (int)got);
    cr_expect(strstr(error.text, part) != NULL, "wanted \"%s\", got \"%s\"", part, error.text);
    cr_expect(error.line == 0 && error.file[0] == '\0');
    cr_expect_eq(rg_geometry_create(&marked, NULL, &g, NULL), status);
}

Test(geometry, a_zeroed_def_and_tiny_sizes_are_refused)
{
    RgGeometry *g = NULL;
    RgShapeDef def = {.type = RG_SHAPE_sphere};
    cr_expect_eq(rg_geometry_create(&def, NULL, &g, NULL), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_geometry_create(NULL, NULL, &g, NULL), RG_ERR_ARGUMENT);
    def = shape_of(RG_SHAPE_box, 1e-41, 1e-41, 0.0);
    expect_refused(&def, RG_ERR_ARGUMENT, "below 1e-40 m");
}

Test(geometry, what_is_refused)
{
    static PointSet s;
    static Mesh mesh;
    Draw d = draw_seed(7);
    RgShapeDef def = shape_of(RG_SHAPE_box, 1.0, -1.0, 1.0);
    expect_refused(&def, RG_ERR_ARGUMENT, "box: a size is negative");
    def = shape_of(RG_SHAPE_sphere, (double)NAN, 0.0, 0.0);
    expect_refused(&def, RG_ERR_ARGUMENT, "sphere: a size is not finite");
    def = shape_of(RG_SHAPE_capsule, 1e200, 1.0, 0.0);
    expect_refused(&def, RG_ERR_ARGUMENT, "capsule: its size is beyond");
    def = shape_of(RG_SHAPE_COUNT, 1.0, 1.0, 1.0);
    expect_refused(&def, RG_ERR_ARGUMENT, "known type");

    points_in_ball(&s, &d, 3);
    def = polytope_of(&s);
    expect_refused(&def, RG_ERR_ARGUMENT, "polytope: a polytope needs at least four vertices");
    points_in_ball(&s, &d, 10);
    s.x[5].z = (double)NAN;
    def = polytope_of(&s);
    expect_refused(&def, RG_ERR_ARGUMENT, "polytope: a vertex is not finite");
    for (int i = 0; i < s.count; i++)
        s.x[i].z = 0.5;
    expect_refused(&def, RG_ERR_MODEL, "polytope: the points lie in a plane");
    def.size[1] = 0.0;
    expect_refused(&def, RG_ERR_ARGUMENT, "polytope: a scale is zero");

    int32_t parts[3] = {0, 23, 24}; /* the second is one triangle */
    def = two_boxes(&mesh);
    def.mesh_use = RG_MESH_PARTS;
    def.mesh.part_start = parts;
    def.mesh.nparts = 2;
    expect_refused(&def, RG_ERR_MODEL, "mesh: part 2: a hull needs at least four points");
    parts[2] = 23;
    expect_refused(&def, RG_ERR_ARGUMENT, "mesh: the mesh parts do not cover its faces");
    parts[1] = 25;
    parts[2] = 24;
    expect_refused(&def, RG_ERR_ARGUMENT, "mesh: the mesh parts are out of order");
    def.mesh.part_start = NULL;
    mesh.faces[7] = mesh.nvertices;
    expect_refused(&def, RG_ERR_ARGUMENT, "mesh: a mesh face names a vertex that does not exist");
    def.mesh_use = (RgMeshUse)7;
    expect_refused(&def, RG_ERR_ARGUMENT, "mesh: no such use of a mesh");
    def = (RgShapeDef){.type = RG_SHAPE_mesh, .uri = "package://arm/lost.obj", .uri_missing = true};
    expect_refused(&def, RG_ERR_ARGUMENT, "mesh: its mesh file was not found");
}

/* ------------------------------------------------------------------ memory */

static void expect_safe(const RgShapeDef *def)
{
    RgShapeDef marked = with_cookie(def);
    Counting counting = {0};
    RgAllocator allocator = counting_allocator(&counting);
    RgStatus status = RG_ERR_MEMORY;
    long k = 0;
    while (status != RG_OK && k < 1000) {
        counting = (Counting){.fail_at = ++k};
        RgGeometry *g = NULL;
        RgError error = {0};
        status = rg_geometry_create(&marked, &allocator, &g, &error);
        cr_expect(status == RG_OK || (status == RG_ERR_MEMORY && g == NULL && strcmp(error.text, "out of memory") == 0),
                  "%s, allocation %ld: %s", rg_shape_type_name(def->type), k, error.text);
        rg_geometry_destroy(g);
        cr_expect_eq(counting.blocks, 0, "%s, allocation %ld: %ld blocks leaked", rg_shape_type_name(def->type), k,
                     counting.blocks);
    }
    cr_expect(status == RG_OK && k > 1, "%s: %ld allocations", rg_shape_type_name(def->type), k);
}

Test(geometry, memory_that_runs_out)
{
    static PointSet s;
    static Mesh mesh;
    points_fibonacci(&s, 400);
    RgShapeDef def = polytope_of(&s);
    expect_safe(&def);
    for (int k = 0; k < SOLID_COUNT; k++) {
        def = solid(k).def;
        expect_safe(&def);
    }
    const int32_t parts[3] = {0, 12, 24};
    def = two_boxes(&mesh);
    def.mesh.part_start = parts;
    def.mesh.nparts = 2;
    for (int k = 0; k < 3; k++) {
        def.mesh_use = k == 0 ? RG_MESH_SURFACE : k == 1 ? RG_MESH_HULL : RG_MESH_PARTS;
        expect_safe(&def);
    }
}
