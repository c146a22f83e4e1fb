/*
 * scene.h - readers of robot and world files, which fill a builder.
 *
 * URDF and SDF 1.4 ... 1.11 are recognised by their root element. Warnings (unknown tags, skipped plugins, missing
 * meshes) go to the builder's log with file and line. Errors have file, line and the expected input; after an error
 * only rg_builder_destroy may be called on the builder.
 */
#ifndef RIGOR_SCENE_H
#define RIGOR_SCENE_H

#include <rigor/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum RgBase {
    /* URDF: floating, unless the root link is called "world" or has no mass; SDF: floating, unless static or connected
       to the world by a joint */
    RG_BASE_AUTO,
    RG_BASE_FIXED,   /* every root is welded to the world */
    RG_BASE_FLOATING /* every root floats */
} RgBase;

/* Whether links of one robot can touch each other (RgLinkDef.self_collide). */
typedef enum RgSelfCollide { RG_SELF_COLLIDE_AUTO, RG_SELF_COLLIDE_ON, RG_SELF_COLLIDE_OFF } RgSelfCollide;

typedef struct RgReadOptions {
    uint32_t cookie;
    /* folders searched for package://, model:// and file includes, after the file's own folder and before the parents
       of that folder */
    const char *const *search;
    int nsearch;
    RgBase base;
    RgPose X_WM;                /* pose of the model (or of everything in the world file) */
    const char *group;          /* name of the robot, overrides that of the file; or NULL */
    bool skip_meshes;           /* do not open mesh files */
    RgSelfCollide self_collide; /* of all links; auto: as in the file, off by default */
} RgReadOptions;

RG_API RgReadOptions rg_read_options_default(void);

/* options NULL: defaults. error may be NULL. */
RG_API RgStatus rg_read_file(RgBuilder *builder, const char *path, const RgReadOptions *options, RgError *error);

/* The same from memory; name is used as file name in messages and for the folder of relative paths. */
RG_API RgStatus rg_read_memory(RgBuilder *builder, const char *name, const void *data, size_t size,
                               const RgReadOptions *options, RgError *error);

/* File to model in one call. log may be NULL. Returns NULL on failure and fills error. */
RG_API RgModel *rg_model_load(const char *path, const RgReadOptions *options, const RgLog *log, RgError *error);

#ifdef __cplusplus
}
#endif
#endif
