/*
 * verify.h - checks a certificate (rigor/certificate.h) by code of its own: that bodies moved without a jump, and that
 * no two shapes that may touch overlapped at any time, not only at the ends of steps.
 *
 * The format is in docs/certificate.md. Nothing of the steppers, of their paths or of the library's collision is used.
 */
#ifndef RIGOR_VERIFY_H
#define RIGOR_VERIFY_H

#include <rigor/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RgVerifyOptions {
    uint32_t cookie;
    int max_intervals; /* of time within one step that a proof for one pair may take; default 4000 */
    double tolerance;  /* overlaps up to this part of the shapes' size are none; default 1e-12 */
    double jump;       /* m, rad: by which a step may begin beside the end of the last; default 1e-12 */
    /* Told now and then how much of the file was checked, 0 ... 1; may be NULL. */
    void (*progress)(double part, void *context);
    void *context;
    RgAllocator allocator;
} RgVerifyOptions;

RG_API RgVerifyOptions rg_verify_options_default(void);

#define RG_VERIFY_NAME 128

typedef struct RgVerifyReport {
    bool ok;    /* there are steps, none is plain, and all that is claimed holds */
    bool holds; /* nothing is missed, no jump, everything proven but plain steps, no event or claim is false */
    char model[RG_VERIFY_NAME], stepper[RG_VERIFY_NAME];
    int64_t steps, events;
    int64_t plain;         /* of the steps: plain ones, within which nothing is claimed; only their ends are measured */
    double plain_time;     /* s that these make together */
    double plain_distance; /* m: least distance at their ends, and at those of pushes behind them; < 0: overlap */
    int64_t pushes;        /* of the steps: those in no time, by which a projection puts bodies somewhere else */
    double largest_push;   /* m, of a centre of mass */
    double time;           /* s that the steps make together */
    /* Pairs of shapes that may touch, over all steps in which one of them moves: how many there were, and were looked
       at closer since the boxes they sweep through meet. Those were either proven apart or not. */
    int64_t pairs, near, proven, unproven;
    int64_t samples;      /* distances that were measured */
    double min_distance;  /* m: the least of them; infinite: nothing was near. Far pairs are not measured. */
    double min_bound;     /* m: as proven for all times; where nothing is unproven */
    double at;            /* s: when it was least */
    int shape_a, shape_b; /* of that pair; -1: none */
    char name_a[RG_VERIFY_NAME], name_b[RG_VERIFY_NAME];
    int64_t missed;       /* pairs and steps with an overlap, and meetings that no event tells of */
    int64_t untold;       /* those that no event tells of */
    int64_t false_events; /* events that do not follow from those before, or are not so by what is measured */
    int64_t false_claims; /* steps whose least distance, bound or pair is not so */
    int64_t jumps;        /* steps that do not begin where and when the last ended, or whose path misses their end */
    /* The first thing that is wrong, in words, with line of the file and time; empty, 0: none. */
    char fault[512];
    int fault_line;
    double fault_time;
} RgVerifyReport;

/* Not RG_OK: the file cannot be read, is cut short or altered, or says what makes no sense; error (may be NULL) has the
   line. RG_OK: report->ok tells. */
RG_API RgStatus rg_verify_file(const char *path, const RgVerifyOptions *options, RgVerifyReport *report,
                               RgError *error);

/* The same of a text; name stands for the file in messages. */
RG_API RgStatus rg_verify_text(const char *name, const char *text, size_t size, const RgVerifyOptions *options,
                               RgVerifyReport *report, RgError *error);

#ifdef __cplusplus
}
#endif
#endif
