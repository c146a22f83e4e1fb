/*
 * rollout.h - one controlled run of a study, with a step and a method, and its result.
 */
#ifndef RIGOR_ROLLOUT_H
#define RIGOR_ROLLOUT_H

#include "study/fall.h"
#include "study/method.h"
#include "study/study.h"

/* Bounds beyond which a run fails. */
typedef struct RgStability {
    double speed; /* rad/s or m/s: largest joint velocity */
    double error; /* rad or m: mean absolute error of all joints over the run; inf: any */
    RgFallRules fall;
} RgStability;

enum { RG_ROLLOUT_WHY = 256 };

typedef struct RgRollout {
    double step; /* s */
    long long steps;
    bool stable;
    char why[RG_ROLLOUT_WHY]; /* why it is unstable; empty: it is stable */
    double reached;           /* s of simulated time */
    double speed;             /* largest |joint velocity| */
    double cpu;               /* s: of all steps */
    RgTracking tracking;
    RgError error; /* status not RG_OK: the run could not start */
} RgRollout;

/* Called with every state of a run; may be NULL. */
typedef void RgRolloutFn(RgRun *run, long long step, long long steps, void *context);

typedef struct RgRolloutDef {
    RgStudy *study;
    RgMethodControl *control; /* controllers of the file and of the method */
    const RgMethod *method;
    double rate; /* as in rg_method_apply */
    RgStability bounds;
    RgFall *fall;    /* by bounds.fall; NULL: no test */
    double duration; /* s */
    RgRolloutFn *see;
    void *context;
} RgRolloutDef;

/* Gets the controllers of an open study. false: none, message printed. */
bool rg_rollout_prepare(RgStudy *study, RgMethodControl *out);

/* Runs in steps of h, the last one shorter if needed; ends early if it fails. */
RgRollout rg_rollout(const RgRolloutDef *def, double h);

json_t *rg_rollout_json(const RgRollout *rollout);

#endif
