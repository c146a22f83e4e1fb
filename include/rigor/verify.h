/*
 * verify.h - checks a certificate (rigor/certificate.h) independently: bodies move without jumps, and no two shapes
 * that may touch overlap at any time, also between the ends of steps.
 *
 * docs/certificate.md has the format. The checker shares no code with the steppers, their paths or the collision code.
 */
#ifndef RIGOR_VERIFY_H
#define RIGOR_VERIFY_H

#include <rigor/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RgVerifyOptions {
    uint32_t cookie;
    int max_intervals; /* largest number of time intervals within a step for the proof of one pair; default 4000 */
    double tolerance;  /* overlaps up to this part of the shapes' size are ignored; default 1e-12 */
    double jump; /* m, rad: largest difference between the end of a step and the start of the next; default 1e-12 */
    /* Called now and then with the part of the file checked so far, 0 ... 1; may be NULL. */
    void (*progress)(double part, void *context);
    void *context;
    RgAllocator allocator;
} RgVerifyOptions;

RG_API RgVerifyOptions rg_verify_options_default(void);

#define RG_VERIFY_NAME 128

typedef struct RgVerifyReport {
    bool ok;    /* there are steps, none is plain, and all claims hold */
    bool holds; /* nothing missed, no jump, all but plain steps proven, no false event or claim */
    char model[RG_VERIFY_NAME], stepper[RG_VERIFY_NAME];
    int64_t steps, events;
    int64_t plain;         /* plain steps, which make no claims; only the states at their ends are measured */
    double plain_time;     /* s: sum of their lengths */
    double plain_distance; /* m: least distance at their ends, and at those of pushes after them; < 0: overlap */
    int64_t pushes;        /* steps of zero length, in which a projection displaces bodies */
    double largest_push;   /* m: displacement of a centre of mass */
    double time;           /* s: sum of the step lengths */
    /* Pairs of shapes that may touch, one of them moving, summed over the steps: all; those whose swept boxes overlap;
       and of the latter those proven apart and those not. */
    int64_t pairs, near, proven, unproven;
    int64_t samples;      /* measured distances */
    double min_distance;  /* m: least measured distance; infinite: none, as distant pairs are not measured */
    double min_bound;     /* m: proven lower bound of the distance for all times; valid if nothing is unproven */
    double at;            /* s: time of min_distance */
    int shape_a, shape_b; /* pair of min_distance; -1: none */
    char name_a[RG_VERIFY_NAME], name_b[RG_VERIFY_NAME];
    int64_t missed;       /* pairs and steps with an overlap, and contacts without an event */
    int64_t untold;       /* contacts without an event */
    int64_t false_events; /* events inconsistent with earlier ones or with the measured motion */
    int64_t false_claims; /* steps whose claimed least distance, bound or pair is wrong */
    int64_t jumps;        /* steps that do not start at the end of the last one, or whose path misses their end */
    /* Description of the first fault, with its line in the file and its time; empty, 0: none. */
    char fault[512];
    int fault_line;
    double fault_time;
} RgVerifyReport;

/* Not RG_OK: the file cannot be read, is truncated or altered, or is inconsistent; error (may be NULL) has the line.
   RG_OK: the result is report->ok. */
RG_API RgStatus rg_verify_file(const char *path, const RgVerifyOptions *options, RgVerifyReport *report,
                               RgError *error);

/* The same for a text in memory; name is used as file name in messages. */
RG_API RgStatus rg_verify_text(const char *name, const char *text, size_t size, const RgVerifyOptions *options,
                               RgVerifyReport *report, RgError *error);

#ifdef __cplusplus
}
#endif
#endif
