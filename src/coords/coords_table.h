/* coords_table.h - the coordinate forms. */
#ifndef RIGOR_COORDS_TABLE_H
#define RIGOR_COORDS_TABLE_H

#include "coords/coords.h"

#define COORDS_TABLE(X) X(minimal) X(maximal)

#define COORDS_DECLARE(name) extern const RgCoordsKind rg_coords_##name;
COORDS_TABLE(COORDS_DECLARE)
#undef COORDS_DECLARE

/* half_body and half_dofs of both forms (tree_halves.c). */
void rg_tree_half_body(const RgForm *form, int body, RgVec3 point, int first, double (*y)[6], double (*w)[6]);
void rg_tree_half_dofs(const RgForm *form, const int *dofs, int count, int first, double *yw);

#endif
