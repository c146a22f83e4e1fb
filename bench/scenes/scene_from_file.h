/*
 * scene_from_file.h - a .scene file (scene_file.h) as the plain data that every engine builds from, and back.
 *
 * Body i, shape i and hinge i keep their numbers; pairs that never touch are put into ascending order.
 */
#ifndef BENCH_SCENE_FROM_FILE_H
#define BENCH_SCENE_FROM_FILE_H

#include "scene_data.h"

#include <rigor/rigor.h>

/* Named by the file without folder and ending. NULL: error (not NULL) names file, line and what was expected. */
SceneData *scene_data_read(const char *path, RgError *error);

/* Writes what the format has: boxes, spheres, capsules, hulls and hinges, restitution 0. All numbers come back as
   the same bits, rotations to round-off. False: the scene has something else, or the file cannot be written. */
bool scene_data_write(const SceneData *scene, const char *path);

#endif
