/*
 * sdf.h - an SDF file while it is read.
 *
 *   scope   a model, or the world: has a frame, a table of names, and items
 *   item    a named thing with a pose in a scope: link, joint, frame, or a model, which has a scope of its own
 *
 * The passes of read_sdf.c: collect scopes and items (includes are opened here), resolve poses, find the links that
 * joints connect, add everything to the builder.
 */
#ifndef RIGOR_SDF_H
#define RIGOR_SDF_H

#include "scene/reader.h"

/* Limits that keep a hostile file from exhausting stack or memory. */
#define RG_SDF_MAX_NESTING 32                          /* models in models */
#define RG_SDF_MAX_INCLUDES 500                        /* includes in all */
#define RG_SDF_MAX_DOCUMENTS (2 * RG_SDF_MAX_INCLUDES) /* model files and their model.config */
#define RG_SDF_MAX_CHAIN 1000                          /* frames that refer to frames; recursion depth */
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
    const char *own_model;   /* the frame that __model__ means: NULL the scope's, else that of a merged model */
    const char *placement;   /* model: the frame in it that the pose places, "" for the model's own frame */
    const char *attached_to; /* frame: as written; joint: its child */
    RgPose X_S;              /* resolved: in the scope's frame */
    bool resolved;           /* X_S is valid */
    bool busy, following;    /* X_S, or the link attached to, is being computed: meeting it again is a cycle */

    /* Links. */
    RgLinkId id;
    bool self_collide;
    bool is_child;              /* of some joint */
    bool is_base;               /* welded by the base option */
    struct RgSdfItem *together; /* union-find parent: leads to the first link of the part; NULL at the first */
    bool is_held;               /* first link of a part: the part is fixed to the world */
    struct RgSdfItem *best;     /* first link of a part: the best candidate for a base link */

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
    RgSdfScope *top;       /* the outermost model that contains it, or itself; NULL for the world */
    const char *group;     /* of an outermost model: its name in the builder */
    const char *prefix;    /* of names: "" or "inner::" */
    const char *canonical; /* attribute canonical_link: name of the link that represents the model; NULL: the first */
    RgSdfItem *canonical_link; /* NULL: not found yet */
    bool is_static;
    bool self_collide; /* default of its links, and of the models in it */
    int depth;         /* 0: the world */
    RgPose X_WS;
    RgSdfItem **items;
    int nitems, room;
    RgNameMap names; /* name -> index in items */
};

/* An element with collision filters, and the scope in which their link names are looked up. */
typedef struct RgSdfFilters {
    RgSdfScope *scope;
    const RgXml *xml;
    struct RgSdfFilters *next;
} RgSdfFilters;

typedef struct RgSdf {
    RgReader *reader;
    RgSdfScope *world;
    RgSdfFilters *filters, **last_filters; /* list in file order; where the next one is linked in */
    int includes;                          /* opened so far */
    int chain;                             /* present depth of frames that refer to frames */
    int items;                             /* so far */
    RgNameMap documents;                   /* path of an included file -> index in roots */
    const RgXml *roots[RG_SDF_MAX_DOCUMENTS];
    const char *file; /* last given to the builder */
} RgSdf;

/* "1.7" -> 107; -1: not a version. */
int rg_sdf_version_parse(const char *text);

/* The version of an <sdf> element, with a remark on versions outside 1.3 to 1.11. */
int rg_sdf_version(RgReader *reader, const RgXml *root);

/* ------------------------------------------------------------------ sdf_collect.c */

/* Collects the items of a world, or of the models directly under <sdf>. */
void rg_sdf_world_collect(RgSdf *sdf, const RgXml *world, int version);
void rg_sdf_models_collect(RgSdf *sdf, const RgXml *root, int version);

/* <pose> of an element: numbers (identity without <pose>) and relative_to ("" if not given). */
void rg_sdf_pose_read(RgReader *reader, const RgXml *element, RgPose *X, const char **relative_to);

/* ------------------------------------------------------------------ sdf_include.c */

/* The <model> that an <include> names, and the version of its file. NULL: skipped (a remark), or an error. */
const RgXml *rg_sdf_include_open(RgSdf *sdf, const RgXml *include, int *version);

/* ------------------------------------------------------------------ sdf_frames.c */

/* Computes the poses of all items in their scopes and of all scopes in the world. */
void rg_sdf_poses_resolve(RgSdf *sdf);

/* Pose, in the frame of the item's scope, of the frame that the item names. Unknown name: identity, the error is
   set. */
RgPose rg_sdf_frame_pose(RgSdf *sdf, const RgSdfItem *item, const char *name, const RgXml *at);

/* The link to which the frame that the item names is attached. NULL: the world, or an error. */
RgSdfItem *rg_sdf_frame_link(RgSdf *sdf, const RgSdfItem *item, const char *name, const RgXml *at);

/* The link of that name in a scope (a::b for b inside model a), or NULL. */
const RgSdfItem *rg_sdf_link_find(const RgSdfScope *scope, const char *name);

/* Pose of an item in a scope, its own or one around it; pose of an item in the world. */
RgPose rg_sdf_pose_in(const RgSdfScope *scope, const RgSdfItem *item);
RgPose rg_sdf_pose_world(const RgSdfItem *item);

/* ------------------------------------------------------------------ sdf_base.c */

/* Joins the parts of two links that a joint connects; parent NULL: marks the part of child as fixed to the world. */
void rg_sdf_part_join(RgSdfItem *parent, RgSdfItem *child);

/* Marks the links that the base option welds. */
void rg_sdf_base_choose(RgSdf *sdf);

/* ------------------------------------------------------------------ sdf_link.c, sdf_shape.c, sdf_surface.c */

/* Adds a link with its shapes. */
void rg_sdf_link_add(RgSdf *sdf, RgSdfItem *item);

/* Fills the geometry of a shape from <geometry>. False: the shape is left out (with a remark, or the error is set). */
bool rg_sdf_geometry_read(RgReader *reader, const RgXml *owner, RgShapeDef *def);

/* Reads surface values and collision masks of a <collision>. */
void rg_sdf_surface_read(RgReader *reader, const RgXml *collision, RgShapeDef *def);

/* ------------------------------------------------------------------ sdf_joint.c, sdf_gearbox.c, sdf_physics.c */

/* Finds the two links of a joint. */
void rg_sdf_joint_connect(RgSdf *sdf, RgSdfItem *item);

/* Adds a joint. A gearbox is not a joint: rg_sdf_coupling_add adds it. */
void rg_sdf_joint_add(RgSdf *sdf, RgSdfItem *item);

/* Adds the coupling of a gearbox, or those of <mimic>. Every joint must have its id. */
void rg_sdf_coupling_add(RgSdf *sdf, RgSdfItem *item);

/* Reads <physics> and <gravity> of a world into the builder's hints. */
void rg_sdf_physics_read(RgReader *reader, const RgXml *world);

/* ------------------------------------------------------------------ read_sdf.c */

/* Sets the file of an element as the builder's current file, for its messages. */
void rg_sdf_file_set(RgSdf *sdf, const RgXml *element);

/* Name with the prefix of its scope. NULL: out of memory. */
const char *rg_sdf_name(RgSdf *sdf, const RgSdfItem *item);

/* Group of an item in the builder; NULL: directly in the world. */
const char *rg_sdf_group(const RgSdfItem *item);

/* Calls visit for every item of a kind, depth first, in file order. Stops at an error. */
void rg_sdf_items_visit(RgSdf *sdf, RgSdfScope *scope, RgSdfKind kind, void (*visit)(RgSdf *, RgSdfItem *));

#endif
