/*
 * maxstep.h - the largest step with which something still works, by doubling and bisection (002 section IV).
 *
 *   first -- doubled until it fails or `most` is reached, halved where `first` itself fails --> a bracket
 *         -- geometric bisection --> bracket no wider than 1 + width -- probes --> does it hold on both sides?
 *
 * Whether a step works is asked of a function and nothing is assumed about it. What works need not be all that lies
 * below a limit: probes on both sides of it find steps that fail below and work above (islands), as far as they look.
 */
#ifndef RIGOR_MAXSTEP_H
#define RIGOR_MAXSTEP_H

#include <stdbool.h>

enum { RG_STEP_TRIES_MAX = 160, RG_STEP_PROBES_MAX = 32 };

/* Does a step of this length work? */
typedef bool RgStepFn(double step, void *context);

typedef struct RgStepSearch {
    double first, least, most; /* s: least <= first <= most */
    double width;              /* upper end of the bracket at most 1 + width times its lower end */
    int probes;                /* on each side of the limit, once it is found */
    RgStepFn *works;
    void *context;
} RgStepSearch;

typedef struct RgStepTry {
    double step; /* s */
    bool works;
} RgStepTry;

typedef struct RgStepLimit {
    bool found;   /* some step worked */
    double step;  /* s: the largest that worked below the first failure */
    double fails; /* s: the smallest known to fail above it; infinite: `most` works */
    int ntries;   /* all that was asked, in its order */
    RgStepTry tries[RG_STEP_TRIES_MAX];
    int holes;     /* probes below the limit that failed */
    double hole;   /* s: the smallest of them */
    int islands;   /* tries above `fails` that worked */
    double island; /* s: the largest of them */
} RgStepLimit;

RgStepLimit rg_step_search(const RgStepSearch *search);

#endif
