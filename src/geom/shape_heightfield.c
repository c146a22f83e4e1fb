/*
 * shape_heightfield.c - a surface over a rectangle of x, y, given by heights on a grid; it has no mass.
 *
 * Grid point (row i, column j) has the position
 *
 *   x = size_x (j/(columns - 1) - 1/2)
 *   y = size_y (i/(rows - 1) - 1/2)
 *   z = size_z heights[i columns + j]
 *
 * Support and bounds are those of the grid points, hence of every surface that is linear between them.
 */
#include "geom/shape_table.h"
#include "geom/surface_kind.h"

static const char *heightfield_check(const RgShape *shape)
{
    for (int i = 0; i < 3; i++)
        if (!isfinite(shape->size[i]))
            return "a size is not finite";
    if (shape->size[0] < 0.0 || shape->size[1] < 0.0)
        return "a size is negative";
    if (shape->rows < 2 || shape->columns < 2 || shape->heights == NULL)
        return "the height field needs at least 2 rows and 2 columns";
    int64_t count = (int64_t)shape->rows * shape->columns;
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(shape->heights[i] * shape->size[2]))
            return "a height is not finite";
    return NULL;
}

static RgStatus heightfield_inertia(const RgShape *shape, double density, RgInertia *out)
{
    (void)shape;
    (void)density;
    (void)out;
    return RG_ERR_UNSUPPORTED;
}

static RgVec3 grid_point(const RgShape *shape, int32_t row, int32_t column)
{
    return (RgVec3){shape->size[0] * ((double)column / (shape->columns - 1) - 0.5),
                    shape->size[1] * ((double)row / (shape->rows - 1) - 0.5),
                    shape->size[2] * shape->heights[(int64_t)row * shape->columns + column]};
}

static RgVec3 heightfield_support(const RgShape *shape, RgVec3 direction)
{
    RgVec3 best = grid_point(shape, 0, 0);
    for (int32_t i = 0; i < shape->rows; i++) {
        for (int32_t j = 0; j < shape->columns; j++) {
            RgVec3 p = grid_point(shape, i, j);
            if (v3_dot(p, direction) > v3_dot(best, direction))
                best = p;
        }
    }
    return best;
}

static RgBounds heightfield_bounds(const RgShape *shape)
{
    double x = 0.5 * shape->size[0], y = 0.5 * shape->size[1];
    double up = heightfield_support(shape, (RgVec3){0.0, 0.0, 1.0}).z;
    double down = heightfield_support(shape, (RgVec3){0.0, 0.0, -1.0}).z;
    return (RgBounds){.low = {-x, -y, down}, .high = {x, y, up}};
}

const RgShapeKind rg_shape_kind_heightfield = {.name = "heightfield",
                                               .check = heightfield_check,
                                               .inertia = heightfield_inertia,
                                               .support = heightfield_support,
                                               .bounds = heightfield_bounds,
                                               .surface = rg_surface_heightfield_create};
