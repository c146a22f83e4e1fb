/* check.h - a certificate while it is checked: where bodies are, what came near, what was found. */
#ifndef RIGOR_CHECK_H
#define RIGOR_CHECK_H

#include "verify/certificate_head.h"
#include "verify/clearance.h"

#include <rigor/verify.h>

/* A body in the present step. */
typedef struct RgCheckBody {
    RgBodyPlace at, begin, end;
    bool moves;
    RgPose pose[RG_CLEARANCE_SAMPLES + 1];
    RgMoving through;
    bool enclosed; /* through is known */
} RgCheckBody;

typedef struct RgCheckBox {
    RgVec3 low, high;
} RgCheckBox;

/* A pair that is within the gap. */
typedef struct RgClosePair {
    int shape_a, shape_b;
    double distance; /* m: at the end of the last step */
    double since;    /* s: start of the step in which it came */
    int line;        /* of that step */
    bool told;       /* by an event, or there from the start */
} RgClosePair;

typedef struct RgCheck {
    RgCertificateText text;
    RgCertificateHead head;
    const RgVerifyOptions *options;
    RgVerifyReport *report;
    RgAllocator allocator;
    RgCheckBody *bodies;   /* nbodies */
    RgMover *movers;       /* nbodies */
    RgCheckBox *piece_box; /* npieces: swept in the present step */
    RgCheckBox *shape_box; /* nshapes */
    double *q, *v;         /* of a step by rates */
    RgPose world[RG_CLEARANCE_SAMPLES + 1];
    RgMoving world_through;
    RgMotionStep step;
    double t;      /* reached */
    double step_t; /* where the present step begins, and its line */
    int step_line;
    RgClosePair *close;
    int32_t nclose, close_room;
} RgCheck;

/* Keeps the first fault in words. */
void rg_check_tell(RgCheck *check, int line, double t, const char *what);

/* Reads the rest of a step, and moves bodies through it; false: text->failed. */
bool rg_check_read_step(RgCheck *check);

/* All pairs over that step. */
void rg_check_pairs(RgCheck *check);

/* Distances of a pair at both ends of the step: whether it came within the gap, or left it. */
void rg_check_close(RgCheck *check, int shape_a, int shape_b, double begin, double end);

/* The rest of an event; and the end of an outer step, so many steps and events after the last. */
void rg_check_read_event(RgCheck *check);
void rg_check_read_taken(RgCheck *check, int64_t steps, int64_t events);

#endif
