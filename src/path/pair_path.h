/*
 * pair_path.h - proves for how long two shapes on their paths are apart.
 */
#ifndef RIGOR_PAIR_PATH_H
#define RIGOR_PAIR_PATH_H

#include "path/body_path.h"

#include <rigor/collision.h>

typedef struct RgPathShape {
    const RgGeometry *geometry;
    RgPose X_BS;            /* of the shape in its body; in the world if there is no path */
    const RgBodyPath *path; /* NULL: fixed */
} RgPathShape;

/* What is proven: shapes farther apart than gap come no nearer than level; nearer ones keep at least half of
   min(their distance, level). m. */
typedef struct RgPathRule {
    double gap, level;
} RgPathRule;

typedef struct RgPathProof {
    double time;  /* s: proven on [0, time]; h: on the whole step */
    double least; /* m: proven lower bound of the distance on [0, time] */
    double start; /* m: distance at the start; a lower bound if the bounding balls alone are the proof */
    int pieces;   /* number of separating planes, one after the other */
} RgPathProof;

/* RG_ERR_UNSUPPORTED: two surfaces, or two half-spaces. RG_ERR_NOT_FINITE: a path is not finite. The cache (may be
   NULL) is not used: results depend on the paths only. */
RgStatus rg_pair_path_prove(const RgPathShape *a, const RgPathShape *b, double h, const RgPathRule *rule,
                            RgPairCache *cache, RgPathProof *out);
/* Whether a geometry is supported. */
bool rg_path_supports(const RgGeometry *geometry);

#endif
