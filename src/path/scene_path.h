/*
 * scene_path.h - proves for how long all pairs of a scene on their paths are apart.
 */
#ifndef RIGOR_SCENE_PATH_H
#define RIGOR_SCENE_PATH_H

#include "contact/contact_scene.h"
#include "path/pair_path.h"

typedef struct RgScenePath RgScenePath; /* working memory: boxes, pairs */

RgScenePath *rg_scene_path_create(const RgContactScene *scene, const RgAllocator *allocator);
void rg_scene_path_destroy(RgScenePath *path);

/* m: pairs whose swept boxes are farther apart are not examined. */
#define RG_PATH_NEAR 1e-3

typedef struct RgSceneProof {
    double time; /* s: proven on [0, time] for every pair that may touch */
    /* m: proven lower bound of all distances on [0, time], at most max(RG_PATH_NEAR, gap), since farther pairs are not
       examined; infinite: all pairs are farther apart than that */
    double least;
    int32_t shape_a, shape_b; /* the pair that limits time; if time = h: the pair of least; -1: none */
    bool touching;            /* that pair was within the gap at the start */
    int32_t pairs;            /* number of examined pairs */
} RgSceneProof;

/* paths: nbodies. The result depends on paths, h and rule only, not on earlier calls (same bits). */
RgStatus rg_scene_path_prove(RgScenePath *path, const RgBodyPath *paths, double h, const RgPathRule *rule,
                             RgSceneProof *out);

#endif
