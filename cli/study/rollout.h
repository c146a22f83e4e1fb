/*
 * rollout.h - one controlled run of a study: a step, a method, and what became of it.
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
    char why[RG_ROLLOUT_WHY]; /* it is not; empty: it is */
    double reached;           /* s of simulated time */
    double speed;             /* largest |joint velocity| */
    double cpu;               /* s: of all steps */
    RgTracking tracking;
    RgError error; /* the run could not even begin */
} RgRollout;

/* Sees every state of a run; may be NULL. */
typedef void RgRolloutFn(RgRun *run, long long step, long long steps, void *context);

typedef struct RgRolloutDef {
    RgStudy *study;
    RgMethodControl *control; /* what the file says, and room */
    const RgMethod *method;
    double rate; /* as in rg_method_apply */
    RgStability bounds;
    RgFall *fall;    /* by bounds.fall; NULL: no test */
    double duration; /* s */
    RgRolloutFn *see;
    void *context;
} RgRolloutDef;

/* Controllers of an open study. false: it has none, message printed. */
bool rg_rollout_prepare(RgStudy *study, RgMethodControl *out);

/* From the start to the end in steps of h, the last one shorter where they do not fit; ends early if it fails. */
RgRollout rg_rollout(const RgRolloutDef *def, double h);

json_t *rg_rollout_json(const RgRollout *rollout);

#endif
