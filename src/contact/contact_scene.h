/*
 * contact_scene.h - collision shapes of a model, their present poses, and their contacts.
 *
 * Made once from a model; after that the contacts are a function of the kinematics alone, not of earlier queries.
 */
#ifndef RIGOR_CONTACT_SCENE_H
#define RIGOR_CONTACT_SCENE_H

#include "base/parallel_for.h"
#include "collision/manifold.h"
#include "contact/contact_memory.h"
#include "kinematics/kinematics.h"

#include <rigor/collision.h>
#include <rigor/sim.h>

/* Origin of the contacts of a pair. */
typedef struct RgContactOrigin {
    int32_t known; /* index of the pair in the memory; -1: none */
    bool recalled; /* true: the remembered contacts; false: newly computed */
} RgContactOrigin;

/* A pair that the broad phase found. */
typedef struct RgNearPair {
    RgShapeId shape_a, shape_b;
    int32_t known; /* index in the memory; -1: none */
    /* normal that separated them in the last search, world axes; zero: none. Saves work; the result does not depend on
       it */
    RgVec3 separating_normal;
} RgNearPair;

/* Contacts of some pairs of shapes. */
typedef struct RgContactPart {
    RgContactBuffer buffer;
    RgShapeContacts *pairs;  /* npairs of pair_capacity */
    RgContactOrigin *origin; /* the same */
    int32_t npairs, pair_capacity, origin_capacity;
    int32_t unsure; /* pairs whose result is less accurate than promised */
    RgStatus status;
    bool full; /* the capacity was too small */
} RgContactPart;

void rg_contact_part_free(RgContactPart *part, const RgAllocator *allocator);

typedef struct RgContactScene {
    const RgModel *model;
    RgAllocator allocator;
    RgSpace *space;
    RgGeometry **geometry;    /* nshapes; NULL: a visual shape, or one whose file is missing */
    RgManifoldGeometry *form; /* nshapes: form of the geometry */
    RgColliderId *collider;   /* nshapes; null id where geometry is NULL */
    RgVec3 *velocity;         /* nshapes: velocity of the bounding ball's centre, as last placed */
    double *spin;             /* nshapes, m/s: bound of the velocity that rotation adds anywhere on the shape */
    RgVec3 *ball_centre;      /* nshapes: centre of the bounding ball, in the shape's frame */
    double *ball_radius;      /* nshapes, m; 0 if unbounded */
    double *extent;           /* nshapes, m: largest width of a part along an axis; 0 if unbounded */
    double *grain;            /* nshapes, m: length of the shortest edge of a part; infinite if it has no edges */
    /* nshapes, m: half thickness of its thinnest part (rg_shape_thickness); infinite for a surface */
    double *thin;
    int *body;      /* nshapes: body that carries it; -1: the world */
    RgPose *X_BS;   /* nshapes: pose of the shape in its body */
    RgPose *X_WS;   /* nshapes: poses of the shapes, as last placed */
    RgPose *X_WB;   /* nshapes: poses of their bodies, as last placed */
    bool *moves;    /* nshapes: scratch of rg_contact_scene_place */
    double *reach;  /* nshapes: scratch of rg_contact_scene_find */
    int32_t *shape; /* one per collider, in the order they were added: number of the shape */

    /* The last search: its result, and the partial results of its chunks. */
    RgContactPart found;
    RgContactPart *parts;
    int32_t nparts;
    RgNearPair *near, *near_last; /* pairs of the broad phase of this search, and of the search before */
    int32_t near_count, near_capacity, near_last_count, near_last_capacity;
    const bool *asleep;        /* of the last search */
    RgThreadPool *thread_pool; /* thread pool; NULL: none */
    uint64_t stamps;           /* number of stamps given to memories so far */
} RgContactScene;

/* Prepares the collision shapes of a model and the filters of their pairs:
     links welded together, and links that a joint connects, do not collide;
     links of one group collide only if both are self_collide;
     then masks; the model's own list of pairs has priority over all rules.
   Returns NULL on failure: error names the bad shape. */
RgContactScene *rg_contact_scene_create(const RgModel *model, const RgAllocator *allocator, RgError *error);
void rg_contact_scene_destroy(RgContactScene *scene);

/* Sets the thread pool; NULL: none. The results have the same bits for any number of threads. */
void rg_contact_scene_set_thread_pool(RgContactScene *scene, RgThreadPool *thread_pool);

/* join: a joint between two links was made, its two sides no longer collide. part: the joint was released, the model's
   filters apply again. */
RgStatus rg_contact_scene_join(RgContactScene *scene, const RgJointDef *joint);
RgStatus rg_contact_scene_unjoin(RgContactScene *scene, const RgJointDef *joint);

/* Moves every collider to the pose of its link. */
RgStatus rg_contact_scene_place(RgContactScene *scene, const RgKin *kin);

/* Parameters of a contact search. */
typedef struct RgContactSearch {
    const RgManifoldOptions *options; /* NULL: defaults */
    const RgContactMemory *memory;    /* contacts to recall; NULL: none */
    double h;                         /* s: also finds shapes that can come together in that time */
    /* m; above 0: finds every point up to this gap and no others; the rules are derived from each pair's size */
    double touch;
    const bool *asleep; /* nbodies: pairs without an awake body are skipped; NULL: no body sleeps */
} RgContactSearch;

/* Finds all contacts of the scene as placed, in the order of the shapes' numbers. The view is valid until the next
   search. */
RgStatus rg_contact_scene_find(RgContactScene *scene, const RgContactSearch *search, RgContactView *out);

/* Makes given contacts, in the order of the shapes' numbers, the result of the last search, and looks their pairs up in
   the memory. Returns false if out of memory. */
bool rg_contact_scene_adopt(RgContactScene *scene, const RgContactView *contacts, const RgContactMemory *memory);

/* Fills next with the contacts of the last search, and with those of `last` that were skipped; rows of next are
   unchanged. impulses: one per point of the view. Returns false if out of memory. */
bool rg_contact_scene_remember(RgContactScene *scene, const RgContactView *contacts, const RgContactMemory *last,
                               const RgVec3 *impulses, RgContactMemory *next);

/* Signed distances of the pairs of shapes that may touch and are within margin of each other, in the order of the
   shapes' numbers; at most capacity are written, *count is the number of all. */
RgStatus rg_contact_scene_near(RgContactScene *scene, double margin, RgShapeDistance *out, int capacity, int *count);

#endif
