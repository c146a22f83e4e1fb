/* geometries.h - geometries of shapes, made with all checks. */
#ifndef TEST_SUPPORT_GEOMETRIES_H
#define TEST_SUPPORT_GEOMETRIES_H

#include <criterion/criterion.h>
#include <rigor/collision.h>

static inline RgShapeDef shape_sized(RgShapeType type, double x, double y, double z)
{
    RgShapeDef def = rg_shape_def_default();
    def.type = type;
    def.size[0] = x;
    def.size[1] = y;
    def.size[2] = z;
    return def;
}

/* At scale 1; the points must live as long as the def. */
static inline RgShapeDef shape_of_points(const double *xyz, int32_t count)
{
    RgShapeDef def = shape_sized(RG_SHAPE_polytope, 1.0, 1.0, 1.0);
    def.mesh.vertices = xyz;
    def.mesh.nvertices = count;
    return def;
}

/* Each fails the running test where the shape is refused. */
static inline RgGeometry *make_geometry(const RgShapeDef *def)
{
    RgGeometry *geometry = NULL;
    RgError error = {.text = ""};
    RgStatus status = rg_geometry_create(def, NULL, &geometry, &error);
    cr_assert_eq(status, RG_OK, "%s", error.text);
    return geometry;
}

static inline RgGeometry *make_shape(RgShapeType type, double x, double y, double z)
{
    RgShapeDef def = shape_sized(type, x, y, z);
    return make_geometry(&def);
}

static inline RgGeometry *make_polytope(const double *xyz, int32_t count)
{
    RgShapeDef def = shape_of_points(xyz, count);
    return make_geometry(&def);
}

#endif
