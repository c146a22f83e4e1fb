/* surface_repair.h - a mesh as it was given made into a surface whose triangles know their neighbours. */
#ifndef RIGOR_SURFACE_REPAIR_H
#define RIGOR_SURFACE_REPAIR_H

#include "geom/surface_kind.h"

/* Triangles in the order of the mesh, what was dropped left out; vertices likewise. */
typedef struct RgLinkedMesh {
    int32_t nv, nf;
    RgVec3 *vertex; /* nv */
    int32_t *face;  /* 3 nf, counter-clockwise from outside */
    RgVec3 *normal; /* nf, unit */

    /* Beyond edge i of each face: 2 * triangle, + 1 where that one is turned the other way; -1: none. */
    int32_t *beyond; /* 3 nf */
    bool one_sided;
} RgLinkedMesh;

/* The arrays of out are in the arena. RG_ERR_MODEL: no triangle is left. */
RgStatus rg_surface_repair(RgArena *arena, const RgShape *shape, RgLinkedMesh *out, RgMeshReport *report,
                           const char **what);

#endif
