/*
 * step_log.h - what happens within a step of a stepper that makes inner ones: events, statistics, and the inner steps
 * themselves, for certificates.
 */
#ifndef RIGOR_STEP_LOG_H
#define RIGOR_STEP_LOG_H

#include "base/alloc.h"
#include "path/body_path.h"

#include <rigor/sim.h>
#include <rigor/stepper.h>

/* How bodies go through an inner step.
     rates   joint coordinates (form's) at constant velocities: x(s) = x0 + s u, u given
     curve   every body on a cubic through its two ends (path/body_path.h): centre of mass, and turn by exp of a cubic */
typedef enum RgInnerPath { RG_PATH_RATES, RG_PATH_CURVE } RgInnerPath;

/* One inner step as it was taken. Pointers live for the call. h = 0, on a curve: a projection moved bodies in no time;
   it is recorded and checked as any step, but not counted in the statistics. plain: only its ends are known, so nothing
   is claimed of it. */
typedef struct RgInnerStep {
    double t, h;
    RgInnerPath path;
    bool plain;
    const double *q, *v;          /* nq, nv of the model at the start; rates: v is what moves */
    const RgBodyEnd *begin, *end; /* nbodies */
    RgCut cut;
    int32_t shape_a, shape_b; /* the deciding pair of shapes, from 0; -1: none */
    double bound;             /* s: time for which that pair was proven apart, from the start of the step */
    double least_distance;    /* m: no two shapes came nearer within the step, as proven; infinite: none was near */
} RgInnerStep;

/* step NULL: the inner steps of the present outer one have not happened. */
typedef void RgInnerStepFn(const RgInnerStep *step, void *context);

typedef struct RgStepLog RgStepLog;

/* The inner steps since the last such call are there to stay; the log holds their events. */
typedef void RgOuterStepFn(const RgStepLog *log, void *context);

struct RgStepLog {
    RgAllocator allocator;
    RgEvent *events; /* of the present step */
    int nevents, room;
    int first;          /* of the events: those before it are of earlier parts of the step, and reported already */
    bool goes_on;       /* the next outer step is a further part of the last one */
    bool out_of_memory; /* some events are lost */
    RgGaveWay *gave;    /* what gave way in it (gave_way.h) */
    int ngave, gave_room;
    RgStepStatistics statistics, before; /* before: as the present outer step found them */
    RgEventFn *event_fn;                 /* may be NULL */
    void *event_context;
    RgInnerStepFn *step_fn;   /* may be NULL */
    RgOuterStepFn *accept_fn; /* the same */
    void *step_context;       /* of both */
};

void rg_step_log_init(RgStepLog *log, const RgAllocator *allocator);
void rg_step_log_free(RgStepLog *log);

/* An outer step begins, unless one goes on; and it ends: events go to the callback, or nothing of it has happened. */
void rg_step_log_begin(RgStepLog *log);
void rg_step_log_accept(RgStepLog *log);
void rg_step_log_refuse(RgStepLog *log);

/* The state was set: there is no last step whose events could be asked for. */
void rg_step_log_forget(RgStepLog *log);

/* To take back what a rejected trial reported: how many events there were. */
typedef struct RgStepLogMark {
    int nevents, ngave;
    int64_t events[RG_EVENT_COUNT], manifold_changes, degenerate;
} RgStepLogMark;
RgStepLogMark rg_step_log_mark(const RgStepLog *log);
void rg_step_log_back(RgStepLog *log, const RgStepLogMark *mark);

/* Room for n entries of what gave way, so that a step allocates none. False: no memory. */
bool rg_step_log_reserve(RgStepLog *log, int n);

/* In the order of their times; those of one time in the order of the calls. */
void rg_step_log_event(RgStepLog *log, const RgEvent *event);
void rg_step_log_gave(RgStepLog *log, const RgGaveWay *gave);
void rg_step_log_inner(RgStepLog *log, const RgInnerStep *step);
void rg_step_log_rejected(RgStepLog *log, RgCut why);

#endif
