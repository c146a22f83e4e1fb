/* model_files.h - the robot and world files that lie beside the project, where they do. */
#ifndef TEST_SUPPORT_MODEL_FILES_H
#define TEST_SUPPORT_MODEL_FILES_H

#include <rigor/rigor.h>

#define MODEL_FILES_MAX 64

/* Paths of all .urdf, .sdf and .world files, sorted. */
typedef struct ModelFiles {
    char path[MODEL_FILES_MAX][400];
    int count;
} ModelFiles;

/* Skips the running test where there are none. */
void model_files_find(ModelFiles *files);

/* Loads one without its meshes; a file that cannot be read fails the running test and gives NULL. */
RgModel *model_file_load(const char *path);

#endif
