/*
 * fall.h - failure of a controlled run without a refused step: the robot fell, tipped over, touches the ground with
 * other links than its feet, has excessive energy, or misses its targets.
 */
#ifndef RIGOR_FALL_H
#define RIGOR_FALL_H

#include "io/json_out.h"
#include "io/options.h"
#include "run/run.h"

/* When. */
typedef struct RgFallRules {
    double height; /* part of a base's height above its lowest link, below which it has fallen; 0: never */
    double tilt;   /* deg, of a base against its start; 180: never */
    double energy; /* times the largest kinetic energy of the reference; 0: never */
    double share;  /* part of a joint's motion that its mean error may be; 0: any */
    bool touch;    /* links that touch the ground where the reference does not are a loss */
} RgFallRules;

RgFallRules rg_fall_rules_default(void);

/* The options of all commands that test runs, and their values. rules: the defaults. false: message printed. */
#define RG_FALL_OPTIONS                                                                                                \
    {"min-height", "P", "a run is lost where a base sinks below this part of its height (default 0.5; 0: any)"},       \
        {"max-tilt", "DEG", "or is tilted by more against its start, degrees (default 60; 180: any)"},                 \
        {"max-energy", "X", "or kinetic energy is above X times that at small steps (default 20; 0: any)"},            \
    {                                                                                                                  \
        "may-touch", "LINK,...|all",                                                                                   \
            "or a link touches the ground that is no foot and does not at small steps, except these"                   \
    }
bool rg_fall_choose(const RgOptions *options, RgFallRules *rules);

/* The rules that a run failed, each once, where it was first: in words, one after the other, and by name. */
#define RG_LOSS_LIST(X) X(refused) X(speed) X(height) X(tilt) X(touch) X(energy) X(error) X(share)
typedef enum RgLossRule {
#define RG_LOSS_ENUM(name) RG_LOSS_##name,
    RG_LOSS_LIST(RG_LOSS_ENUM)
#undef RG_LOSS_ENUM
        RG_LOSS_COUNT
} RgLossRule;

enum { RG_LOSS_TEXT = 1024 };

typedef struct RgLoss {
    char text[RG_LOSS_TEXT];    /* empty: the run did not fail */
    bool failed[RG_LOSS_COUNT]; /* by rule */
} RgLoss;

/* Adds the reason, unless the rule has one already. */
void rg_loss_add(RgLoss *loss, RgLossRule rule, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The names of the rules that failed. */
json_t *rg_loss_json(const RgLoss *loss);

typedef struct RgFall RgFall;

/* What is watched in a run's model: bases that float and carry controlled joints, links that may touch the ground. In
   the plan's pool. false: --may-touch names no link, message printed. */
RgFall *rg_fall_open(RgRun *run, const RgOptions *options);

/* A run of another controller: there is no reference. */
void rg_fall_forget(RgFall *fall);

/* A run of that many seconds begins; after every step, and at its end: the rules that the run failed are added to
   loss. */
void rg_fall_begin(RgFall *fall, RgRun *run, double duration);
void rg_fall_see(RgFall *fall, RgRun *run, const RgFallRules *rules, RgLoss *loss);
void rg_fall_end(RgFall *fall, RgRun *run, const RgFallRules *rules, RgLoss *loss);

/* The rules as ", ..." behind a sentence, and as an object. */
void rg_fall_print(const RgFall *fall, const RgFallRules *rules, FILE *out);
json_t *rg_fall_json(const RgFallRules *rules);

/* The run succeeded: that with the smallest step becomes the reference of the others. */
void rg_fall_keep(RgFall *fall, double step);

#endif
