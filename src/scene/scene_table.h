/*
 * scene_table.h - the file formats that can be read.
 *
 * A new format is one file read_x.c with one RgSceneFormat at its foot and one line here.
 */
#ifndef RIGOR_SCENE_TABLE_H
#define RIGOR_SCENE_TABLE_H

#include "scene/reader.h"

typedef struct RgSceneFormat {
    const char *name;
    const char *root; /* name of the root element */
    /* Fills reader->builder. The first error is in reader->error. */
    void (*read)(RgReader *reader, const RgXml *root);
} RgSceneFormat;

#define RG_SCENE_FORMAT_LIST(X) X(urdf) X(sdf)

#define RG_SCENE_FORMAT_DECLARE(name) extern const RgSceneFormat rg_scene_format_##name;
RG_SCENE_FORMAT_LIST(RG_SCENE_FORMAT_DECLARE)
#undef RG_SCENE_FORMAT_DECLARE

#endif
