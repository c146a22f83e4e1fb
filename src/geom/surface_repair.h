/* surface_repair.h - converts a mesh as given into a surface whose triangles have neighbours. */
#ifndef RIGOR_SURFACE_REPAIR_H
#define RIGOR_SURFACE_REPAIR_H

#include "geom/surface_kind.h"

/* Triangles and vertices in the order of the mesh, without the dropped ones. */
typedef struct RgLinkedMesh {
    int32_t nv, nf;
    RgVec3 *vertex; /* nv */
    int32_t *face;  /* 3 nf, counter-clockwise from outside */
    RgVec3 *normal; /* nf, unit */

    /* Neighbour beyond edge i of each face: 2 * triangle, + 1 if that one has the opposite orientation; -1: none. */
    int32_t *beyond; /* 3 nf */
    bool one_sided;
} RgLinkedMesh;

/* The arrays of out are in the arena. RG_ERR_MODEL: no triangle remains. */
RgStatus rg_surface_repair(RgArena *arena, const RgShape *shape, RgLinkedMesh *out, RgMeshReport *report,
                           const char **what);

#endif
