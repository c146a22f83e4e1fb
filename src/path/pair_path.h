/*
 * pair_path.h - two shapes on their paths: for how long they are proven apart.
 */
#ifndef RIGOR_PAIR_PATH_H
#define RIGOR_PAIR_PATH_H

#include "path/body_path.h"

#include <rigor/collision.h>

typedef struct RgPathShape {
    const RgGeometry *geometry;
    RgPose X_BS;            /* of the shape in its body; in the world where there is no path */
    const RgBodyPath *path; /* NULL: stands still */
} RgPathShape;

/* Shapes farther apart than gap must not come nearer than level; those within it must keep half of what they have, or
   of level if that is less. */
typedef struct RgPathRule {
    double gap, level;
} RgPathRule;

typedef struct RgPathProof {
    double time;  /* s: proven on [0, time]; h: on all of it */
    double least; /* m: the distance is nowhere less on [0, time], as proven */
    double start; /* m: distance at the start; a lower bound where balls round the shapes keep them apart */
    int pieces;   /* separating planes, one after the other */
} RgPathProof;

/* All shapes but two surfaces, or two half-spaces: RG_ERR_UNSUPPORTED. RG_ERR_NOT_FINITE: a path that is not. The cache
   (may be NULL) is not used: answers depend on the paths alone. */
RgStatus rg_pair_path_prove(const RgPathShape *a, const RgPathShape *b, double h, const RgPathRule *rule,
                            RgPairCache *cache, RgPathProof *out);
bool rg_path_takes(const RgGeometry *geometry);

#endif
