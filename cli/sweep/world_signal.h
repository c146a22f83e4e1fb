/*
 * world_signal.h - numbers of a run at any time, by name, and their statistics over time.
 *
 *   time   speed   contacts   contact_force   sweeps   residual   com[k]   energy.kinetic | potential | total
 *   momentum.linear[k] | angular[k]
 *   joint.NAME.position[k] | rate[k] | effort[k]
 *   link.NAME.position[k] | velocity[k] | angular_velocity[k] | tilt
 *
 * A vector without an index stands for its length. k counts from 0. World axes.
 */
#ifndef RIGOR_WORLD_SIGNAL_H
#define RIGOR_WORLD_SIGNAL_H

#include "run/run.h"

typedef struct RgSignalKind RgSignalKind;

typedef struct RgSignal {
    const char *text; /* as given */
    const RgSignalKind *kind;
    const char *name; /* of a joint or link; NULL: neither */
    int component;    /* -1: the length of the vector */
    RgJointId joint;  /* set by rg_signal_find: one of the two */
    RgLinkId link;
} RgSignal;

/* Parses a signal, in the pool. Returns an error text, or NULL. */
const char *rg_signal_parse(RgPool *pool, const char *text, RgSignal *out);

/* Finds its joint or link in the run's model. false: error is filled. */
bool rg_signal_find(RgSignal *signal, RgRun *run, RgError *error);

/* Value after the last step. */
double rg_signal_value(const RgSignal *signal, RgRun *run);

/* Prints all names, for help. */
void rg_signal_print_list(void);

/* Statistics of a signal over a run: min(SIGNAL) and so on. */
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
    double after; /* s: earlier samples do not count */

    /* State. */
    bool any;
    double first, last, least, most, time_of_least, time_of_most;
    double sum, squares, time, seen; /* seen: time of the last sample */
} RgWatched;

/* Parses "max(link.box.position[2])". Returns an error text, or NULL: valid if is_watched, else of another form. */
const char *rg_watched_parse(RgPool *pool, const char *text, RgWatched *out, bool *is_watched);

void rg_watched_begin(RgWatched *watched); /* clears the state */
void rg_watched_sample(RgWatched *watched, RgRun *run);
double rg_watched_value(const RgWatched *watched); /* NaN: no sample */

/* A comparison "SIGNAL < NUMBER" or "> NUMBER". */
typedef struct RgBound {
    const char *left; /* its left side, in the pool */
    bool below;       /* true for <, false for > */
    double number;
} RgBound;
const char *rg_bound_parse(RgPool *pool, const char *text, RgBound *out);
bool rg_bound_holds(const RgBound *bound, double x); /* false for NaN */

#endif
