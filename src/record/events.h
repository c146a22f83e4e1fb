/*
 * events.h - what happens between the steps of a world: contacts that begin and end, stick, roll and slip, impacts,
 * joints that reach and leave their limits, drives and motors that give all they may. Worlds whose stepper locates
 * events tell them; others are watched.
 */
#ifndef RIGOR_EVENTS_H
#define RIGOR_EVENTS_H

#include "base/arena.h"

#include <rigor/sim.h>

/* How two links that press on each other move. */
typedef enum RgPairMotion { RG_PAIR_STICKS, RG_PAIR_ROLLS, RG_PAIR_SLIPS } RgPairMotion;

/* Two links that press, or have just pressed, on each other. */
typedef struct RgPairWatch {
    uint32_t a, b;
    bool used;            /* the place in the table is taken */
    bool gone;            /* they parted: the place may be given away when the table is made anew */
    bool hit;             /* the last step was an impact */
    RgPairMotion motion;  /* as it was told */
    RgPairMotion doing;   /* what they do instead */
    double pressed;       /* s: when they last pressed */
    double differs_since; /* s: when they began to do otherwise than told; NaN: they do not */

    /* Of the present step. */
    bool presses, all_slip;
    double closing, speed, force, total; /* m/s, m/s, N, N; force: largest normal one; total: of all */
    RgShapeId shape_a, shape_b;          /* of the point that presses most */
    RgVec3 point, normal;
} RgPairWatch;

/* A joint axis with limits. */
typedef struct RgLimitPlace {
    int joint, dof, q_index;
    double lower, upper;
    int side; /* -1, 1: at the lower, upper limit */
} RgLimitPlace;

/* A joint axis whose drive or motor may be at its bound. */
typedef struct RgEffortPlace {
    int joint, dof;
    bool told;   /* that it is */
    double last; /* s: when it last was */
} RgEffortPlace;

typedef struct RgEvents {
    const RgModel *model;
    const uint32_t *shape_link; /* shapes: link from 0, UINT32_MAX: the world */
    RgMotion *twists;           /* links: at the last look, world axes, at the link's origin */
    RgVec3 *origins;            /* links */
    RgLimitPlace *limits;
    int nlimits;
    RgEffortPlace *efforts; /* all axes, in the order of joints */
    int nefforts;
    int ntold;          /* of them */
    double residual;    /* m/s: of the last unfinished step that was reported; 0: none within HOLD */
    double unfinished;  /* s: time of the last unfinished step */
    RgPairWatch *pairs; /* capacity: a table by hash, a power of two */
    uint32_t capacity, taken;
    bool begun;
    double t; /* of the last look */
    double h; /* s, of the step before it */
} RgEvents;

/* Memory from the arena, but for the table of pairs. False: memory is out. */
bool rg_events_init(RgEvents *events, const RgModel *model, const uint32_t *shape_link, RgArena *arena);
void rg_events_free(RgEvents *events);
void rg_events_reset(RgEvents *events);

/* Calls fn for what has happened since the last look. RG_ERR_MEMORY: some pairs could not be kept. */
RgStatus rg_events_look(RgEvents *events, RgWorld *world, RgEventFn *fn, void *context);

#endif
