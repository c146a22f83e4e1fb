/*
 * model_files.c - finds and loads the files under RIGOR_SHARED_MODELS, a folder of real robots that is not
 * part of the project.
 */
#define _POSIX_C_SOURCE 200809L
#include "model_files.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef RIGOR_SHARED_MODELS
#define RIGOR_SHARED_MODELS ""
#endif

static bool is_model(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && (strcmp(dot, ".urdf") == 0 || strcmp(dot, ".sdf") == 0 || strcmp(dot, ".world") == 0);
}

/* All robots lie in folders directly under the root. */
static void add_folder(ModelFiles *files, const char *folder)
{
    DIR *dir = opendir(folder);
    if (dir == NULL)
        return;
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
        if (is_model(entry->d_name) && files->count < MODEL_FILES_MAX)
            snprintf(files->path[files->count++], sizeof files->path[0], "%.200s/%.190s", folder, entry->d_name);
    closedir(dir);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(a, b);
}

void model_files_find(ModelFiles *files)
{
    files->count = 0;
    DIR *root = opendir(RIGOR_SHARED_MODELS);
    if (root != NULL) {
        for (struct dirent *entry = readdir(root); entry != NULL; entry = readdir(root)) {
            char folder[400];
            snprintf(folder, sizeof folder, "%.200s/%.190s", RIGOR_SHARED_MODELS, entry->d_name);
            if (entry->d_name[0] != '.')
                add_folder(files, folder);
        }
        closedir(root);
    }
    if (files->count == 0)
        cr_skip_test("no robot files beside the project");
    qsort(files->path, (size_t)files->count, sizeof files->path[0], by_path);
}

RgModel *model_file_load(const char *path)
{
    RgReadOptions options = rg_read_options_default();
    options.skip_meshes = true;
    RgError error = {0};
    RgModel *model = rg_model_load(path, &options, NULL, &error);
    char text[900];
    rg_error_format(&error, text, sizeof text);
    cr_expect(model != NULL, "%s", text);
    return model;
}
