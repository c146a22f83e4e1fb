/*
 * surface_pairs.h - surfaces of a model's shapes, and the combination of two surfaces.
 */
#ifndef RIGOR_SURFACE_PAIRS_H
#define RIGOR_SURFACE_PAIRS_H

#include "base/arena.h"
#include "model/model.h"

typedef struct RgSurfaces {
    RgSurfaceDef *of_shape; /* nshapes: all defaults filled in; fdir1 in the axes of the body */
    int32_t *kind;          /* nshapes: shapes of the same kind have equal surfaces */
    int32_t nkinds;
    RgSurfaceDef *pair; /* nkinds x nkinds: combined surfaces without fdir1; NULL: too many kinds */
    bool splits;        /* some surface has anisotropic friction or slip */
    bool turns;         /* some surface has torsional or rolling friction */
} RgSurfaces;

/* Surface of a shape with defaults for missing numbers, except torsion and rolling; fdir1 in the axes of its body. */
RgSurfaceDef rg_surface_of(const RgModel *model, int shape);

/* Returns false if out of memory. */
bool rg_surfaces_alloc(RgArena *arena, const RgModel *model, RgSurfaces *out);

const RgSurfaceDef *rg_surface_at(const RgSurfaces *surfaces, RgShapeId shape);

/* Combined surface of a contact. spare: storage for the result if it is not precomputed. */
const RgSurfaceDef *rg_surface_pair(const RgSurfaces *surfaces, RgShapeId a, RgShapeId b, RgSurfaceDef *spare);

/* Whether a pair is rigid, not a spring. */
bool rg_surface_rigid(const RgSurfaceDef *pair);

#endif
