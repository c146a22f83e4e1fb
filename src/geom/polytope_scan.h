/* polytope_scan.h - support vertex and extents of a polytope with few vertices, by scanning all of them. */
#ifndef RIGOR_POLYTOPE_SCAN_H
#define RIGOR_POLYTOPE_SCAN_H

#include "math/vec3.h"

/* Length of a row: nv rounded up to a multiple of four. */
#define RG_SCAN_ROOM(nv) (((nv) + 3) & ~3)

/* Index of the vertex farthest along d; of equal ones the lowest. rows: as in RgPolytope. */
int32_t rg_polytope_scan(const double *rows, int32_t nv, RgVec3 d);

/* Minimum and maximum of d[k].x over the vertices x, for three directions. */
void rg_polytope_span(const double *rows, int32_t nv, const double d[3][3], double low[3], double high[3]);

#endif
