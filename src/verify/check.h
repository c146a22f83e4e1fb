/* check.h - data of a verification: places of bodies, distances, reported events, results. */
#ifndef RIGOR_CHECK_H
#define RIGOR_CHECK_H

#include "verify/certificate_head.h"
#include "verify/clearance.h"

#include <rigor/verify.h>

/* A body in the present step. */
typedef struct RgCheckBody {
    RgBodyPlace at, begin, end; /* as the last step left it; at the start and end of this step */
    bool moves;
    RgPose pose[RG_CLEARANCE_SAMPLES + 1]; /* at the sampled times */
    RgMoving through;                      /* enclosure over the whole step */
    bool enclosed;                         /* through is known */
    int island;                            /* number of one body of its island: check_missed.c */
} RgCheckBody;

typedef struct RgCheckBox {
    RgVec3 low, high;
} RgCheckBox;

/* Kinds of records. step: a path with claims; plain: two ends only; push: a displacement at one instant. */
typedef enum RgCheckRecord { RG_RECORD_NONE, RG_RECORD_STEP, RG_RECORD_PLAIN, RG_RECORD_PUSH } RgCheckRecord;

/* Claims of a step, and the measured values they are compared with. */
typedef struct RgClaim {
    bool curve;
    bool shortest;                    /* it has the minimum length, independent of what was proven */
    int shape_a, shape_b;             /* the deciding pair */
    double bound, least;              /* s, m: claimed */
    double measured;                  /* m: least measured distance of all pairs in the step */
    double pair_measured, pair_begin; /* m: of the deciding pair; at the start; infinite: it was not near */
} RgClaim;

/* Kinds of events, by their names in check_events.c. */
typedef enum RgReportedKind {
    RG_REPORTED_TOUCH,
    RG_REPORTED_BREAK,
    RG_REPORTED_STICK,
    RG_REPORTED_SLIP,
    RG_REPORTED_ROLL,
    RG_REPORTED_IMPACT,
    RG_REPORTED_LIMIT,
    RG_REPORTED_LEAVE,
    RG_REPORTED_MANIFOLD,
    RG_REPORTED_SATURATE,
    RG_REPORTED_RECOVER,
    RG_REPORTED_KINDS
} RgReportedKind;

typedef struct RgReportedEvent {
    RgReportedKind kind;
    double t, uncertainty;
    int shape_a, shape_b; /* a < b */
    RgVec3 point, normal; /* normal from a to b */
    double value;
    int joint, dof;
    int line;
    bool placed;     /* its time is an end of some step, or within a plain one */
    bool confirmed;  /* its geometry agrees with the measurement */
    const char *why; /* what disagrees, if a step ended at its time; otherwise NULL */
} RgReportedEvent;

typedef struct RgReportedEvents {
    RgReportedEvent *events;
    int32_t count, room;
} RgReportedEvents;

/* A pair of shapes reported as touching; or with a = -1 limits of one joint axis, b = 8 joint + dof. */
typedef struct RgReportedPair {
    int a, b;
    int motion; /* RG_REPORTED_STICK, SLIP or ROLL; -1: not known; for limits: how many of the axis are active */
} RgReportedPair;

typedef struct RgReportedSet {
    RgReportedPair *pairs; /* in ascending order of a, then b */
    int32_t count, room;
} RgReportedSet;

/* A pair within the gap at the end of the last step. */
typedef struct RgClosePair {
    int shape_a, shape_b;
} RgClosePair;

typedef struct RgCheck {
    RgCertificateText text;
    RgCertificateHead head;
    const RgVerifyOptions *options;
    RgVerifyReport *report;
    RgAllocator allocator;
    RgCheckBody *bodies;                    /* nbodies */
    RgMovingShape *movers;                  /* nbodies */
    RgCheckBox *piece_box;                  /* npieces: swept boxes of the present step */
    RgCheckBox *shape_box;                  /* nshapes: the same */
    double *q, *v;                          /* nq, nv: of a step by rates in minimal coordinates */
    RgPose world[RG_CLEARANCE_SAMPLES + 1]; /* of the world body: identity */
    RgMoving world_through;
    RgMotionStep step;
    RgCheckRecord record, last; /* the present record, and the one before */
    bool plain_before;          /* bodies are at the end of a plain step or of a push after it, or at the start */
    bool looked;                /* pairs of shapes at rest have been measured */
    double t;                   /* s: end of the present step */
    double step_t;              /* s: start of the present step */
    int step_line;              /* its line */
    double last_h;              /* s: length of the step before; infinite if its end velocities are exact (curve) */
    RgClaim claim;
    RgClosePair *close;
    int32_t nclose, close_room;
    RgReportedEvents events, events_before;  /* of the present outer step, and of the one before */
    bool ahead;                              /* the events of the present outer step have been read */
    RgReportedSet reported, reported_before; /* at the end of the present outer step; at its start */
    int first_limits;                        /* limits active since before the start, whose joints are not known */
} RgCheck;

/* Stores a fault in the report if it is the first. */
void rg_check_fault(RgCheck *check, int line, double t, const char *what);

/* check_step.c: reads the rest of a record, and moves the bodies through it; false: text->failed. */
bool rg_check_read_step(RgCheck *check, RgCheckRecord record);

/* check_pairs.c: checks all pairs over that step; or at the start, for a certificate without steps. */
void rg_check_pairs(RgCheck *check);
void rg_check_pairs_at_start(RgCheck *check);
bool rg_check_may_touch(const RgCheck *check, int shape_a, int shape_b); /* a < b */

/* check_claim.c: checks the claims of the present step against the measured pairs. */
void rg_check_claim(RgCheck *check);

/* check_events.c. Reads the events of the outer step that begins with this line in advance. */
void rg_check_events_ahead(RgCheck *check, const char *line);
/* Compares the events at the end of the present step with the measurement. */
void rg_check_events_at_end(RgCheck *check);
/* Reads the end of an outer step; all its events must have been confirmed. */
void rg_check_read_taken(RgCheck *check, int64_t steps, int64_t events);

/* check_reported.c: which pairs are reported as touching. */
bool rg_reported_start(RgCheck *check);                            /* from the header; false: out of memory */
void rg_reported_apply(RgCheck *check);                            /* applies the events of an outer step */
bool rg_reported_at(const RgCheck *check, int a, int b, double t); /* at a time of the present outer step */
void rg_reported_count(const RgReportedSet *set, int *pairs, int *limits);
void rg_reported_free(RgCheck *check);

/* check_missed.c: between two steps, a pair that closes and is stopped must be reported. Uses the bodies' places at
   (left by the last step) and begin (of the present step). */
void rg_check_missed(RgCheck *check);

/* Whether two times are equal up to round-off. */
bool rg_check_same_time(double a, double b);

#endif
