/*
 * scene_model.h - a scene in Rigor's own terms, for tests and benchmarks.
 *
 * Body i becomes link i + 1 with the body's frame, joint i joint i + 1 at its anchor with the world's axes,
 * so that all joint coordinates are 0 at the start. Bodies of one group become links of one group that do not
 * touch each other. The floor is the last shape.
 */
#ifndef BENCH_SCENE_MODEL_H
#define BENCH_SCENE_MODEL_H

#include "scene_data.h"

#include <rigor/rigor.h>

/* NULL: impossible; error (may be NULL) says why. */
RgModel *scene_model_create(const SceneData *scene, RgError *error);

/* Gives the free bodies the velocities of the scene; hinges the rates that follow; other joints begin at rest. */
RgStatus scene_model_start(const SceneData *scene, RgWorld *world);

/* Where the driven joints' coordinates and rates stand; context of the input function scene_drive_input. */
typedef struct SceneDrives {
    const SceneData *scene;
    int *q, *v; /* njoints each */
} SceneDrives;

SceneDrives scene_drives_begin(const SceneData *scene, const RgModel *model);
void scene_drives_end(SceneDrives *drives);
void scene_drive_input(const RgModel *model, const RgInputState *state, RgInput *input, void *drives);

/* State of a body in a world of the scene's model. */
SceneBodyState scene_model_body(RgWorld *world, int body);

#endif
