/* coords_table.h - the coordinate forms. */
#ifndef RIGOR_COORDS_TABLE_H
#define RIGOR_COORDS_TABLE_H

#include "coords/coords.h"

#define COORDS_TABLE(X) X(minimal) X(maximal)

#define COORDS_DECLARE(name) extern const RgCoordsKind rg_coords_##name;
COORDS_TABLE(COORDS_DECLARE)
#undef COORDS_DECLARE

#endif
