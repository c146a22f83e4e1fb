/* shape_table.h - every kind of shape has one entry, named rg_shape_kind_<kind>, at the foot of its file. */
#ifndef RIGOR_SHAPE_TABLE_H
#define RIGOR_SHAPE_TABLE_H

#include "geom/shape.h"

#define RG_SHAPE_DECLARE(name) extern const RgShapeKind rg_shape_kind_##name;
RG_SHAPE_LIST(RG_SHAPE_DECLARE)
#undef RG_SHAPE_DECLARE

#endif
