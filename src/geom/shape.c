/*
 * shape.c - the table of shape kinds, and what the kinds share.
 */
#include "geom/shape.h"

#include "geom/shape_table.h"

#include <math.h>

static const RgShapeKind *const kinds[RG_SHAPE_COUNT] = {
#define RG_SHAPE_ENTRY(name) &rg_shape_kind_##name,
    RG_SHAPE_LIST(RG_SHAPE_ENTRY)
#undef RG_SHAPE_ENTRY
};

const RgShapeKind *rg_shape_kind(RgShapeType type)
{
    return (unsigned)type < RG_SHAPE_COUNT ? kinds[type] : NULL;
}

const char *rg_shape_type_name(RgShapeType type)
{
    const RgShapeKind *kind = rg_shape_kind(type);
    return kind != NULL ? kind->name : "unknown";
}

RgShape rg_shape_view(const RgShapeDef *def)
{
    return (RgShape){.type = def->type,
                     .size = {def->size[0], def->size[1], def->size[2]},
                     .mesh = def->mesh,
                     .heights = def->heights,
                     .rows = def->rows,
                     .columns = def->columns};
}

const char *rg_shape_check_sizes(const RgShape *shape, int count)
{
    for (int i = 0; i < count; i++) {
        if (!isfinite(shape->size[i]))
            return "a size is not finite";
        if (shape->size[i] < 0.0)
            return "a size is negative";
    }
    return NULL;
}
