/*
 * world_signal.h - numbers of a run at any time, by name, and their statistics over time.
 *
 *   time   speed   contacts   contact_force   sweeps   residual   com[k]   energy.kinetic | potential | total
 *   momentum.linear[k] | angular[k]
 *   joint.NAME.position[k] | rate[k] | effort[k]
 *   link.NAME.position[k] | velocity[k] | angular_velocity[k] | tilt
 *
 * A vector without an index is its length. k counts from 0. World axes.
 */
#ifndef RIGOR_WORLD_SIGNAL_H
#define RIGOR_WORLD_SIGNAL_H

#include "run/run.h"

typedef struct RgSignalKind RgSignalKind;

typedef struct RgSignal {
    const char *text; /* as it was given */
    const RgSignalKind *kind;
    const char *name; /* of a joint or link; NULL: of neither */
    int component;    /* -1: all of them, as a length */
    RgJointId joint;  /* found in a model: one of the two */
    RgLinkId link;
} RgSignal;

/* A text as a signal, in the pool. What is wrong with it, or NULL. */
const char *rg_signal_parse(RgPool *pool, const char *text, RgSignal *out);

/* Its joint or link in the run's model. false: it has none; error is filled. */
bool rg_signal_find(RgSignal *signal, RgRun *run, RgError *error);

/* Now, after the last step. */
double rg_signal_now(const RgSignal *signal, RgRun *run);

/* Prints all names, for help. */
void rg_signal_print_list(void);

/* What is taken of a signal over a run: min(SIGNAL) and so on. */
#define RG_TAKE_LIST(X)                                                                                                \
    X(last, "at the end")                                                                                              \
    X(first, "at the start")                                                                                           \
    X(min, "the smallest")                                                                                             \
    X(max, "the largest")                                                                                              \
    X(range, "the largest less the smallest")                                                                          \
    X(mean, "over time")                                                                                               \
    X(rms, "root of the mean square over time")                                                                        \
    X(time_of_min, "s, when it is smallest first")                                                                     \
    X(time_of_max, "s, when it is largest first")

typedef enum RgTake {
#define RG_TAKE_ENUM(name, help) RG_TAKE_##name,
    RG_TAKE_LIST(RG_TAKE_ENUM)
#undef RG_TAKE_ENUM
        RG_TAKE_COUNT
} RgTake;

/* A signal watched over a run. */
typedef struct RgWatched {
    RgSignal signal;
    RgTake take;
    double after; /* s: what is before does not count */

    /* So far. */
    bool any;
    double first, last, least, most, time_of_least, time_of_most;
    double sum, squares, time, seen; /* seen: time of the last sample */
} RgWatched;

/* "max(link.box.position[2])". NULL: it is of another form, or valid, by is_watched; else the error. */
const char *rg_watched_parse(RgPool *pool, const char *text, RgWatched *out, bool *is_watched);

void rg_watched_begin(RgWatched *watched); /* forgets what was seen */
void rg_watched_see(RgWatched *watched, RgRun *run);
double rg_watched_value(const RgWatched *watched); /* NaN: nothing was seen */

/* A comparison "SIGNAL < NUMBER" or "> NUMBER". */
typedef struct RgBound {
    const char *left; /* its left side, in the pool */
    bool below;       /* true where the left side is below the number */
    double number;
} RgBound;
const char *rg_bound_parse(RgPool *pool, const char *text, RgBound *out);
bool rg_bound_holds(const RgBound *bound, double x); /* false for NaN */

#endif
