/*
 * scene_path.h - all pairs of a scene on their paths: for how long everything is proven apart.
 */
#ifndef RIGOR_SCENE_PATH_H
#define RIGOR_SCENE_PATH_H

#include "contact/contact_scene.h"
#include "path/pair_path.h"

typedef struct RgScenePath RgScenePath; /* memory: pairs, caches */

RgScenePath *rg_scene_path_create(const RgContactScene *scene, const RgAllocator *allocator);
void rg_scene_path_destroy(RgScenePath *path);

/* m: pairs that do not come so near are not looked at. */
#define RG_PATH_NEAR 1e-3

typedef struct RgSceneProof {
    double time; /* s: proven on [0, time] for every pair that may touch */
    /* m: no distance is less on [0, time]; at most RG_PATH_NEAR, or the gap if that is more, as others are not looked
       at; infinite: all are farther apart than that */
    double least;
    int32_t shape_a, shape_b; /* the pair that decides time; time = h: the pair of least; -1: none */
    bool touching;            /* that pair was within the gap at the start */
    int32_t pairs;            /* looked at */
} RgSceneProof;

/* paths: nbodies. The answer depends on paths, h and rule alone, whatever was asked before (same bits). */
RgStatus rg_scene_path_prove(RgScenePath *path, const RgBodyPath *paths, double h, const RgPathRule *rule,
                             RgSceneProof *out);

#endif
