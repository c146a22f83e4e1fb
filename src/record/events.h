/*
 * events.h - events between the steps of a world: contacts that begin, end, stick, roll and slip, impacts, joints that
 * reach and leave their limits, drives and motors that saturate. If the stepper locates events they come from the
 * world; otherwise successive steps are compared.
 */
#ifndef RIGOR_EVENTS_H
#define RIGOR_EVENTS_H

#include "base/arena.h"

#include <rigor/sim.h>

/* Relative motion of two links in contact. */
typedef enum RgContactMotion { RG_PAIR_STICKS, RG_PAIR_ROLLS, RG_PAIR_SLIPS } RgContactMotion;

/* Two links with a contact force between them, now or shortly before. */
typedef struct RgPairState {
    uint32_t a, b;
    bool used;                       /* the slot of the table is occupied */
    bool parted;                     /* out of contact: the slot is freed when the table is rebuilt */
    bool was_impact;                 /* the previous step was an impact */
    RgContactMotion reported_motion; /* the motion reported last */
    RgContactMotion motion;          /* the present motion, where it differs */
    double last_pressed;             /* s: time of the last step with a contact force */
    double differs_since;            /* s: since when motion differs from reported_motion; NaN: it does not */

    /* The present step. */
    bool presses, all_slip;
    double closing, speed;      /* m/s: largest closing speed, largest slip speed of its points */
    double force, total;        /* N: normal forces, the largest one of a point, and their sum */
    RgShapeId shape_a, shape_b; /* of the point with the largest force */
    RgVec3 point, normal;
} RgPairState;

/* A joint axis with limits, and where it is. */
typedef struct RgLimitState {
    int joint, dof, q_index;
    double lower, upper;
    int side; /* -1, 1: at the lower, upper limit; 0: at none */
} RgLimitState;

/* A joint axis whose drive or motor may saturate. */
typedef struct RgEffortState {
    int joint, dof;
    bool reported; /* as saturated */
    double last;   /* s: time of the last saturated step */
} RgEffortState;

typedef struct RgEvents {
    const RgModel *model;
    const uint32_t *shape_link; /* shapes: link from 0, UINT32_MAX: the world */
    RgMotion *twists;           /* links: after the last step, world axes, at the link's origin */
    RgVec3 *origins;            /* links */
    RgLimitState *limits;
    int nlimits;
    RgEffortState *efforts; /* all axes, in the order of joints */
    int nefforts;
    int nreported;      /* of the efforts */
    double residual;    /* m/s: of the last unfinished step that was reported; 0: none within HOLD_TIME */
    double unfinished;  /* s: time of the last unfinished step */
    RgPairState *pairs; /* capacity, a power of two: an open hash table */
    uint32_t capacity, taken;
    bool begun; /* rg_events_update was called before, so that there is a step to compare with */
    double t;   /* s: time at the last call */
    double h;   /* s: length of the step before it */
} RgEvents;

/* Allocates from the arena, except for the table of pairs. False: out of memory. */
bool rg_events_init(RgEvents *events, const RgModel *model, const uint32_t *shape_link, RgArena *arena);
void rg_events_free(RgEvents *events);
void rg_events_reset(RgEvents *events);

/* Calls fn for the events since the last call. RG_ERR_MEMORY: some pairs could not be stored. */
RgStatus rg_events_update(RgEvents *events, RgWorld *world, RgEventFn *fn, void *context);

#endif
