/*
 * fall.h - failure of a controlled run without a refused step: the robot fell, tipped over, touches the ground with
 * other links than its feet, has excessive energy, or misses its targets.
 */
#ifndef RIGOR_FALL_H
#define RIGOR_FALL_H

#include "io/json_out.h"
#include "io/options.h"
#include "run/run.h"

/* Limits beyond which a run fails. */
typedef struct RgFallRules {
    double height; /* part of a base's height above its lowest link, below which it has fallen; 0: never */
    double tilt;   /* deg, of a base against its start; 180: never */
    double energy; /* times the largest kinetic energy of the reference; 0: never */
    double share;  /* part of a joint's motion that its mean error may be; 0: any */
    bool touch;    /* a run fails if links touch the ground that do not in the reference */
} RgFallRules;

RgFallRules rg_fall_rules_default(void);

/* The options of all commands that test runs; rg_fall_choose reads them, with rules as defaults. false: message
   printed. */
#define RG_FALL_OPTIONS                                                                                                \
    {"min-height", "P", "a run fails if a base sinks below this part of its height (default 0.5; 0: any)"},            \
        {"max-tilt", "DEG", "or if it tilts by more from its start, degrees (default 60; 180: any)"},                  \
        {"max-energy", "X", "or if the kinetic energy is above X times that at small steps (default 20; 0: any)"},     \
    {                                                                                                                  \
        "may-touch", "LINK,...|all",                                                                                   \
            "or if a link touches the ground that is no foot and does not at small steps; listed links may"            \
    }
bool rg_fall_choose(const RgOptions *options, RgFallRules *rules);

typedef struct RgFall RgFall;

/* Finds floating bases of controlled joints, and links that may touch the ground. In the plan's pool. NULL: --may-touch
   names no link, message printed. */
RgFall *rg_fall_open(RgRun *run, const RgOptions *options);

/* Drops the reference, for a run of another controller. */
void rg_fall_drop_reference(RgFall *fall);

/* Call them before a run of that many seconds; after every step; at its end. why (size bytes) is filled if the run
   failed, unless it is filled already. */
void rg_fall_begin(RgFall *fall, RgRun *run, double duration);
void rg_fall_check(RgFall *fall, RgRun *run, const RgFallRules *rules, char *why, size_t size);
void rg_fall_end(RgFall *fall, RgRun *run, const RgFallRules *rules, char *why, size_t size);

/* The rules as text ", ..." after a sentence, and as JSON. */
void rg_fall_print(const RgFall *fall, const RgFallRules *rules, FILE *out);
json_t *rg_fall_json(const RgFallRules *rules);

/* Stores a successful run as the reference if its step is the smallest so far. */
void rg_fall_set_reference(RgFall *fall, double step);

#endif
