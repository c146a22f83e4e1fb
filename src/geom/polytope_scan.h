/* polytope_scan.h - the farthest of few vertices, all tried, and how far they reach. */
#ifndef RIGOR_POLYTOPE_SCAN_H
#define RIGOR_POLYTOPE_SCAN_H

#include "math/vec3.h"

/* Numbers in a row: a multiple of four. */
#define RG_SCAN_ROOM(nv) (((nv) + 3) & ~3)

/* Number of the vertex farthest along d, of equals the lowest. rows: as in RgPolytope. */
int32_t rg_polytope_scan(const double *rows, int32_t nv, RgVec3 d);

/* Least and most of d[k].x over the vertices x, for three directions. */
void rg_polytope_span(const double *rows, int32_t nv, const double d[3][3], double low[3], double high[3]);

#endif
