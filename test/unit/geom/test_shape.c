/* test_shape.c - every kind of the table: names, checks, support mapping, bounds. */
#include "check_near.h"
#include "solids.h"

#include <string.h>

Test(shape, table_is_whole_and_named)
{
    for (int i = 0; i < RG_SHAPE_COUNT; i++) {
        const RgShapeKind *kind = rg_shape_kind((RgShapeType)i);
        cr_assert_not_null(kind);
        cr_expect(kind->check != NULL && kind->inertia != NULL && kind->bounds != NULL);
        cr_expect_str_eq(kind->name, rg_shape_type_name((RgShapeType)i));
    }
    cr_expect_str_eq(rg_shape_type_name(RG_SHAPE_ellipsoid), "ellipsoid");
    cr_expect_str_eq(rg_shape_type_name(RG_SHAPE_heightfield), "heightfield");
    cr_expect_null(rg_shape_kind(RG_SHAPE_COUNT));
}

/* How far along d the farthest of 2000 drawn points of the solid lies. */
static double sampled_reach(RgRandom *random, const Solid *s, RgBounds box, RgVec3 d)
{
    double reach = -INFINITY;
    for (int j = 0; j < 2000; j++) {
        RgVec3 x = random_point(random, box);
        if (s->inside(s->def.size, x))
            reach = fmax(reach, v3_dot(x, d));
    }
    return reach;
}

/* No inside point lies beyond the support plane, and the support point itself is inside (to round-off). */
Test(shape, support_point_is_the_farthest)
{
    RgRandom random = rg_random_seed(3);
    RgBounds cube = {{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
    for (int k = 0; k < SOLID_COUNT; k++) {
        Solid s = solid(k);
        RgShape view = rg_shape_view(&s.def);
        const RgShapeKind *kind = rg_shape_kind(s.def.type);
        for (int i = 0; i < 200; i++) {
            RgVec3 d = random_point(&random, cube), far = kind->support(&view, d);
            cr_expect(s.inside(s.def.size, v3_scale(1.0 - 1e-15, far)), "%s: outside", kind->name);
            double reach = sampled_reach(&random, &s, kind->bounds(&view), d);
            cr_expect_leq(reach, v3_dot(far, d), "%s", kind->name);
            cr_expect_geq(reach, v3_dot(far, d) - 0.3 * v3_norm(d), "%s", kind->name);
        }
    }
}

/* The length of the direction is of no matter. */
Test(shape, support_is_homogeneous)
{
    RgVec3 d = v3(0.3, -0.5, 0.2);
    for (int k = 0; k < SOLID_COUNT; k++) {
        RgShapeDef def = solid(k).def;
        RgShape view = rg_shape_view(&def);
        const RgShapeKind *kind = rg_shape_kind(def.type);
        RgVec3 once = kind->support(&view, d), much = kind->support(&view, v3_scale(1e8, d));
        CHECK_NEAR(v3_norm(v3_sub(once, much)), 0.0, 1e-15, "m");
        cr_expect(v3_finite(kind->support(&view, v3_zero())), "%s: zero direction", kind->name);
    }
}

/* The smallest box around a shape touches it: its sides are the support along the axes. */
Test(shape, bounds_are_the_support_along_the_axes)
{
    const double heights[] = {0.5, -0.25, 1.0, 0.0, 0.125, 2.0};
    Mesh mesh = {.nfaces = 0};
    mesh_add_box(&mesh, v3(1.0, 2.0, 3.0), v3(0.5, 1.0, 2.0));
    RgShapeDef defs[SOLID_COUNT + 3];
    for (int k = 0; k < SOLID_COUNT; k++)
        defs[k] = solid(k).def;
    defs[SOLID_COUNT] = mesh_def(&mesh);
    defs[SOLID_COUNT].size[1] = -2.0;
    defs[SOLID_COUNT + 1] = (RgShapeDef){
        .type = RG_SHAPE_heightfield, .size = {4.0, 2.0, 3.0}, .heights = heights, .rows = 2, .columns = 3};
    defs[SOLID_COUNT + 2] = defs[SOLID_COUNT];
    defs[SOLID_COUNT + 2].type = RG_SHAPE_polytope;
    for (int k = 0; k < SOLID_COUNT + 3; k++) {
        RgShape view = rg_shape_view(&defs[k]);
        const RgShapeKind *kind = rg_shape_kind(view.type);
        RgBounds box = kind->bounds(&view);
        for (int i = 0; i < 3; i++) {
            RgVec3 axis = v3(i == 0, i == 1, i == 2);
            CHECK_NEAR(v3_at(kind->support(&view, axis), i), v3_at(box.high, i), 1e-15, "m");
            CHECK_NEAR(v3_at(kind->support(&view, v3_neg(axis)), i), v3_at(box.low, i), 1e-15, "m");
        }
    }
}

/* Row-major, y by rows, centred, heights scaled. */
Test(shape, heightfield_stands_where_the_def_says)
{
    const double heights[] = {0.5, -0.25, 1.0, 0.0, 0.125, 2.0};
    RgShape view = {
        .type = RG_SHAPE_heightfield, .size = {4.0, 2.0, 3.0}, .heights = heights, .rows = 2, .columns = 3};
    RgVec3 top = rg_shape_kind(view.type)->support(&view, v3(0.0, 0.0, 1.0));
    CHECK_NEAR(v3_norm(v3_sub(top, v3(2.0, 1.0, 6.0))), 0.0, 0.0, "m");
    RgVec3 low = rg_shape_kind(view.type)->support(&view, v3(0.0, 0.0, -1.0));
    CHECK_NEAR(v3_norm(v3_sub(low, v3(0.0, -1.0, -0.75))), 0.0, 0.0, "m");
}

/* A convex shape is its core grown by a ball: the support points agree, for shapes that are not prepared
   too. */
Test(shape, core_and_rounding_make_the_shape)
{
    RgRandom random = rg_random_seed(4);
    RgBounds cube = {{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
    for (int k = 0; k < SOLID_COUNT; k++) {
        RgShapeDef def = solid(k).def;
        RgShape view = rg_shape_view(&def);
        const RgShapeKind *kind = rg_shape_kind(def.type);
        double r = kind->rounding != NULL ? kind->rounding(&view) : 0.0;
        for (int i = 0; i < 200; i++) {
            RgVec3 d = random_point(&random, cube);
            int32_t vertex = 5;
            RgVec3 core = kind->core_support(&view, d, &vertex);
            CHECK_NEAR(v3_dot(core, d) + r * v3_norm(d), v3_dot(kind->support(&view, d), d), 1e-15, "m");
            if (def.type == RG_SHAPE_cylinder || def.type == RG_SHAPE_ellipsoid)
                cr_expect_eq(vertex, -1);
        }
    }
}

/* Bits of a box's corner: +x, +y, +z; ends of a capsule: lower, upper; a sphere has its centre. */
Test(shape, numbers_of_core_vertices)
{
    for (int k = 0; k < 8; k++) {
        RgVec3 d = v3(k & 1 ? 0.1 : -0.1, k & 2 ? 0.2 : -0.2, k & 4 ? 0.3 : -0.3);
        RgShape box = {.type = RG_SHAPE_box, .size = {2.0, 4.0, 6.0}};
        RgShape capsule = {.type = RG_SHAPE_capsule, .size = {1.0, 2.0}};
        RgShape sphere = {.type = RG_SHAPE_sphere, .size = {1.0}};
        int32_t vertex = -1;
        RgVec3 x = rg_shape_kind(RG_SHAPE_box)->core_support(&box, d, &vertex);
        cr_expect(vertex == k && x.x == copysign(1.0, d.x) && x.y == copysign(2.0, d.y) &&
                  x.z == copysign(3.0, d.z));
        x = rg_shape_kind(RG_SHAPE_capsule)->core_support(&capsule, d, &vertex);
        cr_expect(vertex == k / 4 && x.x == 0.0 && x.z == copysign(1.0, d.z));
        x = rg_shape_kind(RG_SHAPE_sphere)->core_support(&sphere, d, &vertex);
        cr_expect(vertex == 0 && v3_norm(x) == 0.0);
    }
}

Test(shape, halfspace_has_no_end)
{
    RgShape view = {.type = RG_SHAPE_halfspace};
    RgBounds box = rg_shape_kind(view.type)->bounds(&view);
    cr_expect_eq(box.high.z, 0.0);
    cr_expect(isinf(box.high.x) && isinf(box.low.z));
    cr_expect_null(rg_shape_kind(view.type)->support);
}

static void expect_text(RgShape shape, const char *part)
{
    const char *text = rg_shape_kind(shape.type)->check(&shape);
    if (part == NULL)
        cr_expect_null(text, "%s", text);
    else
        cr_expect(text != NULL && strstr(text, part) != NULL, "wanted \"%s\", got \"%s\"", part,
                  text ? text : "nothing");
}

Test(shape, check_says_what_is_wrong)
{
    expect_text((RgShape){.type = RG_SHAPE_box, .size = {1.0, 2.0, 0.0}}, NULL);
    expect_text((RgShape){.type = RG_SHAPE_box, .size = {1.0, -2.0, 1.0}}, "negative");
    expect_text((RgShape){.type = RG_SHAPE_ellipsoid, .size = {1.0, 2.0, (double)NAN}}, "not finite");
    expect_text((RgShape){.type = RG_SHAPE_capsule, .size = {1.0, (double)INFINITY}}, "not finite");
    expect_text((RgShape){.type = RG_SHAPE_cylinder, .size = {-1.0, 1.0}}, "negative");
    expect_text((RgShape){.type = RG_SHAPE_sphere, .size = {1.0, -1.0}}, NULL);
    expect_text((RgShape){.type = RG_SHAPE_halfspace}, NULL);
}

Test(shape, check_of_meshes_and_heights)
{
    double vertices[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0};
    int32_t faces[3] = {0, 1, 2};
    RgShape mesh = {.type = RG_SHAPE_mesh,
                    .size = {1.0, -1.0, 1.0},
                    .mesh = {.vertices = vertices, .faces = faces, .nvertices = 3, .nfaces = 1}};
    expect_text(mesh, NULL);
    faces[2] = 3;
    expect_text(mesh, "does not exist");
    faces[2] = -1;
    expect_text(mesh, "does not exist");
    faces[2] = 2;
    int32_t parts[3] = {0, 1, 1};
    mesh.mesh.part_start = parts;
    expect_text(mesh, "do not cover");
    mesh.mesh.nparts = 2;
    expect_text(mesh, NULL);
    parts[1] = 2;
    expect_text(mesh, "out of order");
    parts[0] = 1;
    expect_text(mesh, "do not cover");
    mesh.mesh.part_start = NULL;
    vertices[4] = (double)INFINITY;
    expect_text(mesh, "vertex is not finite");
    vertices[4] = 0.0;
    mesh.size[2] = 0.0;
    expect_text(mesh, "scale is zero");
    mesh.size[2] = 1.0;
    mesh.mesh.nfaces = 0;
    expect_text(mesh, "no faces");
    mesh.mesh.nvertices = 0;
    expect_text(mesh, "no vertices");

    RgShape polytope = {
        .type = RG_SHAPE_polytope, .size = {1.0, -1.0, 1.0}, .mesh = {.vertices = vertices, .nvertices = 3}};
    expect_text(polytope, "at least four vertices");
    double four[12] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    polytope.mesh.vertices = four;
    polytope.mesh.nvertices = 4;
    expect_text(polytope, NULL);
    four[7] = (double)NAN;
    expect_text(polytope, "vertex is not finite");
    polytope.size[0] = 0.0;
    expect_text(polytope, "scale is zero");
    polytope.size[0] = (double)INFINITY;
    expect_text(polytope, "scale is not finite");

    double heights[4] = {0.0, 1.0, (double)NAN, 1.0};
    RgShape field = {
        .type = RG_SHAPE_heightfield, .size = {1.0, 1.0, 1.0}, .heights = heights, .rows = 2, .columns = 2};
    expect_text(field, "height is not finite");
    field.rows = 1;
    expect_text(field, "at least 2 rows");
}
