/*
 * key_path.h - paths of names and numbers into YAML, JSON and the signals of a world.
 *
 *   path:  name . name [ index ] . "name with . or [" . *
 */
#ifndef RIGOR_KEY_PATH_H
#define RIGOR_KEY_PATH_H

#include <stdbool.h>

enum { RG_PATH_NAME_MAX = 256 };

/* One step of a path. */
typedef struct RgPathStep {
    enum { RG_PATH_NAME, RG_PATH_INDEX, RG_PATH_ALL, RG_PATH_END, RG_PATH_WRONG } kind;
    char name[RG_PATH_NAME_MAX];
    int index;
    const char *rest;  /* of the path, after this step */
    const char *wrong; /* what was expected */
} RgPathStep;

/* The first step of a path; first: the path begins here. */
RgPathStep rg_path_step(const char *at, bool first);

/* What is wrong with a path, or NULL. */
const char *rg_path_wrong(const char *path);

#endif
