/* shape_table.h - declares the table entry of every kind of shape, rg_shape_kind_<kind>, defined at the end of its
   file. */
#ifndef RIGOR_SHAPE_TABLE_H
#define RIGOR_SHAPE_TABLE_H

#include "geom/shape.h"

#define RG_SHAPE_DECLARE(name) extern const RgShapeKind rg_shape_kind_##name;
RG_SHAPE_LIST(RG_SHAPE_DECLARE)
#undef RG_SHAPE_DECLARE

#endif
