/*
 * surface_pairs.h - the surfaces of a model's shapes, and two of them as one.
 */
#ifndef RIGOR_SURFACE_PAIRS_H
#define RIGOR_SURFACE_PAIRS_H

#include "base/arena.h"
#include "model/model.h"

typedef struct RgSurfaces {
    RgSurfaceDef *of_shape; /* nshapes: every number given; fdir1 in the axes of the body */
    int32_t *kind;          /* nshapes: those of one kind are equal */
    int32_t nkinds;
    RgSurfaceDef *pair; /* nkinds x nkinds: what two of them make, but for fdir1; NULL: too many kinds */
    bool splits;        /* some rub or slip unlike along and across */
    bool turns;         /* some have torsional or rolling friction */
} RgSurfaces;

/* A shape's surface with every number that its file left out but those of torsion and rolling; fdir1 in the axes of
   its body. */
RgSurfaceDef rg_surface_of(const RgModel *model, int shape);

/* False: no memory. */
bool rg_surfaces_take(RgArena *arena, const RgModel *model, RgSurfaces *out);

const RgSurfaceDef *rg_surface_at(const RgSurfaces *surfaces, RgShapeId shape);

/* The two surfaces of a contact as one. spare: where it may be put. */
const RgSurfaceDef *rg_surface_pair(const RgSurfaces *surfaces, RgShapeId a, RgShapeId b, RgSurfaceDef *spare);

/* Whether a pair is no spring. */
bool rg_surface_rigid(const RgSurfaceDef *pair);

#endif
