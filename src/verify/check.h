/* check.h - a certificate while it is checked: where bodies are, what came near, what was told, what was found. */
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
    int island;    /* number of the first body that it hangs together with: check_missed.c */
} RgCheckBody;

typedef struct RgCheckBox {
    RgVec3 low, high;
} RgCheckBox;

/* What a record says of bodies: step: a path and claims; plain: two ends; push: another place in no time. */
typedef enum RgCheckRecord { RG_RECORD_NONE, RG_RECORD_STEP, RG_RECORD_PLAIN, RG_RECORD_PUSH } RgCheckRecord;

/* What a step claims of itself. */
typedef struct RgClaim {
    bool curve;
    bool shortest; /* it is as long as no shorter step can be, whatever was proven */
    int shape_a, shape_b;
    double bound, least;              /* s, m */
    double measured;                  /* m: the least of all pairs in the step */
    double pair_measured, pair_begin; /* of its own pair; at the start; infinite: it was not near */
} RgClaim;

/* Kinds of events, by their names in check_events.c. */
typedef enum RgToldKind {
    RG_TOLD_TOUCH,
    RG_TOLD_BREAK,
    RG_TOLD_STICK,
    RG_TOLD_SLIP,
    RG_TOLD_ROLL,
    RG_TOLD_IMPACT,
    RG_TOLD_LIMIT,
    RG_TOLD_LEAVE,
    RG_TOLD_MANIFOLD,
    RG_TOLD_SATURATE,
    RG_TOLD_RECOVER,
    RG_TOLD_KINDS
} RgToldKind;

typedef struct RgToldEvent {
    RgToldKind kind;
    double t, uncertainty;
    int shape_a, shape_b; /* a < b */
    RgVec3 point, normal; /* normal from a to b */
    double value;
    int joint, dof;
    int line;
    bool placed;     /* at an end of some step, or within a plain one */
    bool confirmed;  /* what it says of geometry is so */
    const char *why; /* not confirmed: what was otherwise, where a step ended at its time; else NULL */
} RgToldEvent;

typedef struct RgToldEvents {
    RgToldEvent *events;
    int32_t count, room;
} RgToldEvents;

/* A pair of shapes that is told to touch; or with a = -1 a limit: joint and dof. */
typedef struct RgToldPair {
    int a, b;
    int motion; /* RG_TOLD_STICK, SLIP or ROLL; -1: not known; of limits: how many push */
} RgToldPair;

typedef struct RgToldSet {
    RgToldPair *pairs; /* in ascending order of a, then b */
    int32_t count, room;
} RgToldSet;

/* A pair that is within the gap at the end of the last step. */
typedef struct RgClosePair {
    int shape_a, shape_b;
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
    RgCheckRecord record, last; /* the present one, and the one before */
    bool plain_before;          /* no step with claims since the last plain one, or the start */
    bool looked;                /* pairs of what stands still were measured */
    double t;                   /* reached */
    double step_t;              /* where the present step begins, and its line */
    int step_line;
    double last_h; /* s: of the step before; infinite where its velocities are sharp */
    RgClaim claim;
    RgClosePair *close;
    int32_t nclose, close_room;
    RgToldEvents events, events_before; /* of the present outer step, and of the one before */
    bool ahead;                         /* those of the present one are read */
    RgToldSet told, told_before;        /* at the end of the present outer step; at its start */
    int first_limits;                   /* that push since before the start, and are not known by joint */
} RgCheck;

/* Keeps the first fault in words. */
void rg_check_tell(RgCheck *check, int line, double t, const char *what);

/* check_step.c: reads the rest of a record, and moves bodies through it; false: text->failed. */
bool rg_check_read_step(RgCheck *check, RgCheckRecord record);

/* check_pairs.c: all pairs over that step; where everything stands, if there was none. */
void rg_check_pairs(RgCheck *check);
void rg_check_pairs_at_start(RgCheck *check);
bool rg_check_may_touch(const RgCheck *check, int shape_a, int shape_b); /* a < b */

/* check_claim.c: what the present step says of itself, once its pairs are measured. */
void rg_check_claim(RgCheck *check);

/* check_events.c: the events of the outer step that begins with this line are read ahead; what is told at the end of
   the present step is compared with it; and at the end of the outer step all must have been. */
void rg_check_events_ahead(RgCheck *check, const char *line);
void rg_check_events_at_end(RgCheck *check);
void rg_check_read_taken(RgCheck *check, int64_t steps, int64_t events);

/* check_told.c: who is told to touch. */
bool rg_told_start(RgCheck *check);                            /* from the head; false: no memory */
void rg_told_follow(RgCheck *check);                           /* through the events of an outer step */
bool rg_told_at(const RgCheck *check, int a, int b, double t); /* within the present outer step */
void rg_told_count(const RgToldSet *set, int *pairs, int *limits);
void rg_told_free(RgCheck *check);

/* check_missed.c: where two steps meet, what comes together and is stopped must be told. Bodies: at as the last
   step left them, begin as the present one takes them up. */
void rg_check_missed(RgCheck *check);

/* Two times that are the same. */
bool rg_check_same_time(double a, double b);

#endif
