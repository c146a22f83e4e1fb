/* test_shape.c - every kind of the table: names, checks, support mapping, bounds. */
#include "check_near.h"
#include "draw.h"
#include "math/unit.h"
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
    RgShape view = {.type = RG_SHAPE_heightfield, .size = {4.0, 2.0, 3.0}, .heights = heights, .rows = 2, .columns = 3};
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
        double r = rg_shape_rounding(&view);
        cr_expect_eq(r, kind->rounding != NULL ? kind->rounding(&view) : 0.0);
        for (int i = 0; i < 200; i++) {
            RgVec3 d = random_point(&random, cube);
            int32_t vertex = 5;
            RgVec3 core = rg_core_support(&view, d, &vertex);
            CHECK_NEAR(v3_dot(core, d) + r * v3_norm(d), v3_dot(kind->support(&view, d), d), 1e-15, "m");
            cr_expect_eq(vertex, -1);
        }
    }
}

/* No ball larger than the rounding of an ellipsoid fits: what is left would not be convex. The farthest points
   of a convex body along near directions do not go back. */
Test(shape, ellipsoid_is_rounded_as_much_as_it_can_be)
{
    RgShape view = {.type = RG_SHAPE_ellipsoid, .size = {2.0, 1.0, 0.5}};
    const RgShapeKind *kind = rg_shape_kind(view.type);
    double r = kind->rounding(&view), least = INFINITY;
    CHECK_NEAR(r, 0.5 * 0.5 / 2.0, 0.0, "m");
    RgRandom random = rg_random_seed(5);
    RgBounds cube = {{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
    for (int i = 0; i < 2000; i++) {
        RgVec3 d = i == 0 ? v3(1.0, 0.0, 0.0) : random_point(&random, cube), t = v3(0.0, 0.0, 1.0), n, m;
        v3_unit(d, t, &n);
        v3_unit(v3_axpy(1e-4, i == 0 ? t : random_point(&random, cube), n), t, &m);
        RgVec3 dn = v3_sub(m, n), dx = v3_sub(kind->support(&view, m), kind->support(&view, n));
        least = fmin(least, v3_dot(dx, dn) / v3_norm2(dn));
    }
    cr_expect(least >= r * (1.0 - 1e-6) && least <= r * (1.0 + 1e-6), "%.9g of %.9g", least, r);
}

/* What faces n lies on the shape, and is as far along n as anything, but for the slope. */
Test(shape, facing_is_farthest)
{
    Draw draw = draw_seed(6);
    const RgShape shapes[] = {{.type = RG_SHAPE_cylinder, .size = {0.7, 1.3}},
                              {.type = RG_SHAPE_cylinder, .size = {0.0, 1.3}},
                              {.type = RG_SHAPE_cylinder, .size = {0.7, 0.0}},
                              {.type = RG_SHAPE_ellipsoid, .size = {0.3, 0.5, 0.9}}};
    for (int i = 0; i < 4000; i++) {
        const RgShape *shape = &shapes[i % 4];
        RgVec3 n = draw_direction(&draw);
        double slope = 1e-3, most = slope * 2.0 * v3_norm(v3(shape->size[0], shape->size[1], shape->size[2]));
        if (i % 3 == 0) /* nearly along the axis, nearly across it */
            v3_unit(v3(n.x * 1e-3, n.y * 1e-3, n.z), n, &n);
        if (i % 3 == 1)
            v3_unit(v3(n.x, n.y, n.z * 1e-3), n, &n);
        RgFacing facing = rg_shape_facing(shape, n, slope);
        double top = v3_dot(n, rg_shape_kind(shape->type)->support(shape, n));
        RgVec3 ends[4] = {facing.point[0], facing.point[0], facing.point[0], facing.point[0]};
        if (facing.kind == RG_FACING_SEGMENT)
            ends[1] = facing.point[1];
        if (facing.kind == RG_FACING_DISC)
            for (int k = 0; k < 4; k++)
                ends[k] = v3_axpy(k < 2 ? facing.radius : -facing.radius, facing.along[k % 2], ends[k]);
        double highest = -INFINITY, room = facing.kind == RG_FACING_POINT ? 1e-15 : most;
        for (int k = 0; k < 4; k++) {
            double along = v3_dot(n, ends[k]);
            cr_expect(along <= top + 1e-15 && along >= top - room, "%d: %g of %g", i, along, top);
            highest = fmax(highest, along);
        }
        cr_expect(facing.kind == RG_FACING_DISC || fabs(highest - top) <= 1e-15);
        cr_expect_eq(facing.kind == RG_FACING_DISC, shape->type == RG_SHAPE_cylinder && shape->size[0] > 0.0 &&
                                                        sqrt(n.x * n.x + n.y * n.y) <= slope * fabs(n.z));
    }
}

/* Uniform over a width w: w / sqrt(12); a ball's r / sqrt(5); a round rod's r / 2. However the shape is turned. */
Test(shape, thin)
{
    static const double expected[SOLID_COUNT] = {0.7 / 2.23606797749979, 0.3 / 3.4641016151377544, NAN, 0.2,
                                                 0.2 / 2.23606797749979};
    for (int k = 0; k < SOLID_COUNT; k++) {
        Solid s = solid(k);
        RgShape view = rg_shape_view(&s.def);
        RgBounds box = rg_shape_kind(view.type)->bounds(&view);
        RgVec3 half = v3_scale(0.5, v3_sub(box.high, box.low));
        double least = fmin(half.x, fmin(half.y, half.z)), thin = rg_shape_thickness(&view);
        cr_expect(thin < least && thin > 0.4 * least, "%g of %g", thin, least);
        if (!isnan(expected[k]))
            CHECK_NEAR(thin, expected[k], 1e-15, "m");
    }
    RgMat3 R = q_matrix(q_exp(v3(0.3, -0.8, 0.5)));
    double corners[24];
    for (int i = 0; i < 8; i++) {
        RgVec3 x = m3_apply(R, v3((i & 1) * 2e-3, (i >> 1 & 1) * 1.0, (i >> 2) * 1.0));
        memcpy(corners + 3 * i, &x, sizeof x);
    }
    RgShape plate = {.type = RG_SHAPE_polytope, .size = {1, 1, 1}, .mesh = {.vertices = corners, .nvertices = 8}};
    CHECK_NEAR(rg_shape_thickness(&plate), 2e-3 / sqrt(12.0), 1e-9, "m");
    RgShape without[2] = {{.type = RG_SHAPE_halfspace}, {.type = RG_SHAPE_box, .size = {0.0, 1.0, 1.0}}};
    cr_expect(isinf(rg_shape_thickness(&without[0])) && rg_shape_thickness(&without[1]) == 0.0);
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
