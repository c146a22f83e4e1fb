/*
 * step_log.h - log of an outer step: events, statistics, shortfalls, and the inner steps, for certificates.
 */
#ifndef RIGOR_STEP_LOG_H
#define RIGOR_STEP_LOG_H

#include "base/alloc.h"
#include "path/body_path.h"

#include <rigor/sim.h>
#include <rigor/stepper.h>

/* Path of the bodies through an inner step.
     rates   coordinates of the form at constant velocities: x(s) = x0 + s u
     curve   every body on a cubic through its two ends (path/body_path.h): centre of mass, and rotation by exp of a
             cubic */
typedef enum RgInnerPath { RG_PATH_RATES, RG_PATH_CURVE } RgInnerPath;

/* One accepted inner step. Pointers are valid during the call. h = 0, on a curve: a projection moved bodies at one
   instant; it is recorded and checked like any step, but not counted in the statistics. plain: only the two ends are
   known, and no claim is made about the motion between them. */
typedef struct RgInnerStep {
    double t, h;
    RgInnerPath path;
    bool plain;
    const double *q, *v;          /* nq, nv: of the model at the start; rates: v moves it */
    const RgBodyEnd *begin, *end; /* nbodies */
    RgCut cut;
    int32_t shape_a, shape_b; /* the deciding pair of shapes, from 0; -1: none */
    double bound;             /* s: time for which that pair was proven apart, from the start of the step */
    double least_distance;    /* m: proven lower bound of all distances in the step; infinite: no pair was near */
} RgInnerStep;

/* Called for every inner step. step NULL: the inner steps of the present outer step are discarded. */
typedef void RgInnerStepFn(const RgInnerStep *step, void *context);

typedef struct RgStepLog RgStepLog;

/* Called when an outer step is accepted: the inner steps since the last call are final; the log holds their events. */
typedef void RgOuterStepFn(const RgStepLog *log, void *context);

struct RgStepLog {
    RgAllocator allocator;
    RgEvent *events; /* of the present step */
    int nevents, room;
    int first;          /* index of the first event of this outer step; earlier ones are of its previous parts */
    bool goes_on;       /* the next outer step continues the last one: its events are appended */
    bool out_of_memory; /* some events are lost */
    RgShortfall *gave;  /* shortfalls of the step (shortfall.h) */
    int nshortfalls, shortfall_room;
    RgStepStatistics statistics, before; /* before: at the start of the present outer step */
    RgEventFn *event_fn;                 /* may be NULL */
    void *event_context;
    RgInnerStepFn *step_fn;   /* may be NULL */
    RgOuterStepFn *accept_fn; /* may be NULL */
    void *step_context;       /* of step_fn and accept_fn */
};

void rg_step_log_init(RgStepLog *log, const RgAllocator *allocator);
void rg_step_log_free(RgStepLog *log);

/* Begin an outer step (events are kept if goes_on is set); accept it, which sends its events to the callback; or refuse
   it, which restores the statistics and discards events and inner steps. */
void rg_step_log_begin(RgStepLog *log);
void rg_step_log_accept(RgStepLog *log);
void rg_step_log_refuse(RgStepLog *log);

/* Clears the events and shortfalls of the last step, after the state was set. */
void rg_step_log_clear(RgStepLog *log);

/* Contents of the log before a trial, to restore them if the trial is rejected. */
typedef struct RgStepLogMark {
    int nevents, nshortfalls;
    int64_t events[RG_EVENT_COUNT], manifold_changes, degenerate;
} RgStepLogMark;
RgStepLogMark rg_step_log_mark(const RgStepLog *log);
void rg_step_log_rewind(RgStepLog *log, const RgStepLogMark *mark);

/* Reserves room for n shortfalls, so that a step allocates none. False: out of memory. */
bool rg_step_log_reserve(RgStepLog *log, int n);

/* Inserts an event in the order of times; events of equal time stay in the order of the calls. */
void rg_step_log_event(RgStepLog *log, const RgEvent *event);
void rg_step_log_shortfall(RgStepLog *log, const RgShortfall *gave);
void rg_step_log_inner(RgStepLog *log, const RgInnerStep *step);
void rg_step_log_rejected(RgStepLog *log, RgCut why);

#endif
