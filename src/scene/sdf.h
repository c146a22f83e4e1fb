/*
 * sdf.h - an SDF file while it is read.
 *
 *   scope   a model, or the world: has its own frame, its names, and items
 *   item    what has a name and a pose in a scope: link, joint, frame, or a model with a scope of its own
 *
 * The passes of read_sdf.c: collect scopes and items (includes are opened here), resolve poses, find the
 * links that joints connect, hand everything to the builder.
 */
#ifndef RIGOR_SDF_H
#define RIGOR_SDF_H

#include "scene/reader.h"

/* Limits that keep a hostile file from exhausting stack or memory. */
#define RG_SDF_MAX_NESTING 32                          /* models in models */
#define RG_SDF_MAX_INCLUDES 500                        /* includes in all */
#define RG_SDF_MAX_DOCUMENTS (2 * RG_SDF_MAX_INCLUDES) /* with their model.config */
#define RG_SDF_MAX_CHAIN 1000                          /* frames that refer to frames */
#define RG_SDF_MAX_ITEMS 250000                        /* links, joints, frames and models, included ones too */

typedef enum RgSdfKind { RG_SDF_LINK, RG_SDF_JOINT, RG_SDF_FRAME, RG_SDF_MODEL } RgSdfKind;

typedef struct RgSdfScope RgSdfScope;

typedef struct RgSdfItem {
    RgSdfKind kind;
    const RgXml *xml;
    const char *name; /* in its scope */
    int version;      /* of its file: 100 * major + minor */
    RgSdfScope *scope;
    RgSdfScope *inner; /* of a model */

    /* Pose as written: X_raw in the frame relative_to. */
    RgPose X_raw;
    const char *relative_to; /* "": the default of the kind */
    const char *own_model;   /* what __model__ and "" mean: NULL the scope, else the frame of a merged model */
    const char *placement;   /* model: its frame that the pose places, "" for its own */
    const char *attached_to; /* frame: as written; joint: its child */
    RgPose X_S;              /* resolved: in the scope's frame */
    bool resolved, busy, following;

    /* Links. */
    RgLinkId id;
    bool self_collide;
    bool is_child;              /* of some joint */
    bool is_base;               /* welded by the base option */
    struct RgSdfItem *together; /* chain to the first link of the part it belongs to; NULL at the first */
    bool is_held;               /* first of a part: something ties it to the world */
    struct RgSdfItem *best;     /* first of a part: its base link so far */

    /* Joints. */
    struct RgSdfItem *parent, *child; /* links; NULL: the world */
    RgJointType type;
    bool is_gearbox;
    RgVec3 axes[2]; /* in the joint frame */
    RgJointId joint;
} RgSdfItem;

struct RgSdfScope {
    RgSdfScope *outer;
    RgSdfItem *self; /* the item in outer; NULL for the world */
    const RgXml *xml;
    RgSdfScope *top;           /* the model of the world that it is in, or itself; NULL for the world */
    const char *group;         /* of a top model: its name in the builder */
    const char *prefix;        /* of names: "" or "inner::" */
    const char *canonical;     /* name of the link that stands for the model; NULL: the first */
    RgSdfItem *canonical_link; /* once found */
    bool is_static;
    bool self_collide; /* default of its links, and of the models in it */
    int depth;         /* 0: the world */
    RgPose X_WS;
    RgSdfItem **items;
    int nitems, room;
    RgNameMap names; /* to the place in items */
};

/* An element with collision filters, and the scope whose links they name. */
typedef struct RgSdfFilters {
    RgSdfScope *scope;
    const RgXml *xml;
    struct RgSdfFilters *next;
} RgSdfFilters;

typedef struct RgSdf {
    RgReader *reader;
    RgSdfScope *world;
    RgSdfFilters *filters, **last_filters; /* in the order of the file; the place of the next */
    int includes, chain, items;
    RgNameMap documents; /* path of an included file to its place in roots */
    const RgXml *roots[RG_SDF_MAX_DOCUMENTS];
    const char *file; /* last told to the builder */
} RgSdf;

/* "1.7" to 107; -1 if it is no version. */
int rg_sdf_version_parse(const char *text);

/* The version of an <sdf> element; remarks on versions that we do not know. */
int rg_sdf_version(RgReader *reader, const RgXml *root);

/* ------------------------------------------------------------------ sdf_collect.c */

/* Items of a world, and of the models directly under <sdf>. */
void rg_sdf_world_collect(RgSdf *sdf, const RgXml *world, int version);
void rg_sdf_models_collect(RgSdf *sdf, const RgXml *root, int version);

/* <pose>: numbers and relative_to ("" if not given). element may have no pose. */
void rg_sdf_pose_read(RgReader *reader, const RgXml *element, RgPose *X, const char **relative_to);

/* ------------------------------------------------------------------ sdf_include.c */

/* The <model> that an <include> means, and the version of its file; NULL if it is skipped (a remark) or on
   error. */
const RgXml *rg_sdf_include_open(RgSdf *sdf, const RgXml *include, int *version);

/* ------------------------------------------------------------------ sdf_frames.c */

/* Poses of all items in their scopes, of all scopes in the world. */
void rg_sdf_poses_resolve(RgSdf *sdf);

/* Pose in the scope's frame of a frame that an item of the scope names; the error is set where there is none.
   */
RgPose rg_sdf_frame_pose(RgSdf *sdf, const RgSdfItem *item, const char *name, const RgXml *at);

/* The link that a frame is attached to; NULL: the world, or an error. */
RgSdfItem *rg_sdf_frame_link(RgSdf *sdf, const RgSdfItem *item, const char *name, const RgXml *at);

/* The link that a name (a::b for b inside model a) means in a scope, or NULL. */
const RgSdfItem *rg_sdf_link_find(const RgSdfScope *scope, const char *name);

/* Pose in a scope of an item in it or in a scope within it. */
RgPose rg_sdf_pose_in(const RgSdfScope *scope, const RgSdfItem *item);
RgPose rg_sdf_pose_world(const RgSdfItem *item);

/* ------------------------------------------------------------------ sdf_base.c */

/* A joint ties two links, or (parent NULL) a link to the world. */
void rg_sdf_part_tie(RgSdfItem *parent, RgSdfItem *child);

/* Marks the links that the base option welds. */
void rg_sdf_base_choose(RgSdf *sdf);

/* ------------------------------------------------------------------ sdf_link.c, sdf_shape.c, sdf_surface.c
   */

/* Adds a link with its shapes. */
void rg_sdf_link_add(RgSdf *sdf, RgSdfItem *item);

/* Fills the geometry of a shape from <geometry>; false if it is to be left out (a remark, or the error). */
bool rg_sdf_geometry_read(RgReader *reader, const RgXml *owner, RgShapeDef *def);

/* Surface values and collision masks of a <collision>. */
void rg_sdf_surface_read(RgReader *reader, const RgXml *collision, RgShapeDef *def);

/* ------------------------------------------------------------------ sdf_joint.c, sdf_gearbox.c,
   sdf_physics.c */

/* Finds the two links of a joint. */
void rg_sdf_joint_connect(RgSdf *sdf, RgSdfItem *item);

/* Adds a joint; a gearbox adds nothing here. */
void rg_sdf_joint_add(RgSdf *sdf, RgSdfItem *item);

/* Adds the coupling of a gearbox, and those of <mimic>, once every joint has its id. */
void rg_sdf_coupling_add(RgSdf *sdf, RgSdfItem *item);

/* <physics> and <gravity> of a world into the builder's hints. */
void rg_sdf_physics_read(RgReader *reader, const RgXml *world);

/* ------------------------------------------------------------------ read_sdf.c */

/* Tells the builder the file of an element. */
void rg_sdf_file_tell(RgSdf *sdf, const RgXml *element);

/* Name with the prefix of its scope; NULL when memory is out. */
const char *rg_sdf_name(RgSdf *sdf, const RgSdfItem *item);

/* Group of an item in the builder; NULL in the world. */
const char *rg_sdf_group(const RgSdfItem *item);

/* Calls visit for every item of a kind, scopes in depth, in file order; stops at an error. */
void rg_sdf_items_visit(RgSdf *sdf, RgSdfScope *scope, RgSdfKind kind, void (*visit)(RgSdf *, RgSdfItem *));

#endif
