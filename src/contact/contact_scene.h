/*
 * contact_scene.h - what of a model can touch, where it stands now, and where it touches.
 *
 * Made once from a model; after that the contacts are a function of the kinematics alone, whatever was asked
 * before.
 */
#ifndef RIGOR_CONTACT_SCENE_H
#define RIGOR_CONTACT_SCENE_H

#include "base/parallel_for.h"
#include "collision/manifold.h"
#include "contact/contact_memory.h"
#include "kinematics/kinematics.h"

#include <rigor/collision.h>
#include <rigor/sim.h>

/* Where the contacts of a pair come from. */
typedef struct RgContactOrigin {
    int32_t known; /* place of the pair in the memory; -1: it has none */
    bool recalled; /* they are the remembered ones */
} RgContactOrigin;

/* A pair that the broad phase found. */
typedef struct RgNearPair {
    RgShapeId shape_a, shape_b;
    int32_t known; /* place in the memory; -1: it has none */
    /* that parted them when they were last asked, world axes; zero: none. Saves work, changes nothing */
    RgVec3 parting;
} RgNearPair;

/* Contacts of some pairs of shapes. */
typedef struct RgContactPart {
    RgContactBuffer buffer;
    RgShapeContacts *pairs;  /* npairs of pair_capacity */
    RgContactOrigin *origin; /* the same */
    int32_t npairs, pair_capacity, origin_capacity;
    int32_t unsure; /* pairs whose answer is less exact than promised */
    RgStatus status;
    bool full; /* there was no room for all */
} RgContactPart;

void rg_contact_part_free(RgContactPart *part, const RgAllocator *allocator);

typedef struct RgContactScene {
    const RgModel *model;
    RgAllocator allocator;
    RgSpace *space;
    RgGeometry **geometry;  /* nshapes; NULL: a shape to look at only, or one whose file is missing */
    RgManifoldForm *form;   /* nshapes: of the geometry */
    RgColliderId *collider; /* nshapes; null id for the same */
    RgVec3 *velocity;       /* nshapes: of the bounding ball's centre, as last placed */
    double *spin;           /* nshapes, m/s: what turning adds to it at most anywhere on the shape */
    RgVec3 *ball_centre;    /* nshapes: of the bounding ball, in the shape's frame */
    double *ball_radius;    /* nshapes; 0 where there is no bound */
    double *extent;         /* nshapes: largest width of a part along an axis; 0 where there is no bound */
    double *grain;          /* nshapes: length of the shortest edge of a part; infinite where there is none */
    double *thin;           /* nshapes, m: of its thinnest part (rg_shape_thin); infinite for a surface */
    int *body;              /* nshapes: that carries it; -1: the world */
    RgPose *X_BS;           /* nshapes: of the shape in its body */
    RgPose *X_WS;           /* nshapes: as last placed */
    RgPose *X_WB;           /* nshapes: of their bodies, the same */
    bool *moves;            /* nshapes: scratch of rg_contact_scene_place */
    double *reach;          /* nshapes: scratch of rg_contact_scene_find */
    int32_t *shape;         /* colliders, in the order they were added: number of the shape */

    /* The last search: what it found, and what its threads found by chunks. */
    RgContactPart found;
    RgContactPart *parts;
    int32_t nparts;
    RgNearPair *near, *near_last; /* the pairs of the broad phase, and those of the search before */
    int32_t near_count, near_capacity, near_last_count, near_last_capacity;
    const bool *asleep; /* as it was searched with */
    RgCrew *crew;       /* threads that help; NULL: none */
    uint64_t stamps;    /* given to memories so far */
} RgContactScene;

/* Prepares the collision shapes of a model and who may touch whom:
     links welded together, and links that a joint connects, do not touch;
     links of one group touch only where both are self_collide;
     then masks; the model's own list of pairs has the last word.
   NULL: error says which shape is bad. */
RgContactScene *rg_contact_scene_create(const RgModel *model, const RgAllocator *allocator, RgError *error);
void rg_contact_scene_destroy(RgContactScene *scene);

/* Threads that help from now on; NULL: none. What is found has the same bits with any. */
void rg_contact_scene_set_crew(RgContactScene *scene, RgCrew *crew);

/* A joint between two links is made: neither side touches the other any more; and it is gone: what the model says
   holds. */
RgStatus rg_contact_scene_join(RgContactScene *scene, const RgJointDef *joint);
RgStatus rg_contact_scene_part(RgContactScene *scene, const RgJointDef *joint);

/* Moves every collider to where its link is. */
RgStatus rg_contact_scene_place(RgContactScene *scene, const RgKin *kin);

/* How contacts are searched for. */
typedef struct RgContactSearch {
    const RgManifoldOptions *options; /* NULL: defaults */
    const RgContactMemory *memory;    /* contacts to recall; NULL: none */
    double h;                         /* s: what can come together in that time is found too */
    double touch;       /* m; above 0: every point up to this gap, no others: rules are made for each pair's size */
    const bool *asleep; /* nbodies: two of them, or one and the world, are passed over; NULL: none */
} RgContactSearch;

/* All contacts of the scene as it was placed, in the order of the shapes' numbers. The view lives until the
   next search. */
RgStatus rg_contact_scene_find(RgContactScene *scene, const RgContactSearch *search, RgContactView *out);

/* Contacts that were found elsewhere, in the order of the shapes' numbers, count as the last search from now on: who of
   them is in the memory. False: no memory is left. */
bool rg_contact_scene_adopt(RgContactScene *scene, const RgContactView *contacts, const RgContactMemory *memory);

/* Fills next with the contacts of the last search, and with those of last that were passed over; its rows
   stay. impulses: beside the view's points. False: no memory. */
bool rg_contact_scene_remember(RgContactScene *scene, const RgContactView *contacts, const RgContactMemory *last,
                               const RgVec3 *impulses, RgContactMemory *next);

/* The pairs of shapes that may touch and come within margin of each other, nearest points and all, in the
   order of the shapes' numbers; at most capacity are written, *count is the number of all. */
RgStatus rg_contact_scene_near(RgContactScene *scene, double margin, RgShapeDistance *out, int capacity, int *count);

#endif
