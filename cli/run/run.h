/*
 * run.h - one run of `rigor run`: its parts and its results.
 *
 *   plan -- run_start.c --> model, world at t = 0, watch -- run_outputs.c --> recorders -- cmd_run.c -->
 *   result
 *   result -- run_report.c, run_events.c --> text, JSON
 */
#ifndef RIGOR_RUN_H
#define RIGOR_RUN_H

#include "plan/limits_outside.h"
#include "plan/plan_settings.h"

#include <jansson.h>

#include <stdio.h>

/* A joint axis with finite limits, and its largest excess. */
typedef struct RgLimitWatch {
    RgJointId joint;
    int dof;     /* velocity within the joint */
    int q_index; /* of its position */
    double lower, upper;
    double excess; /* largest, rad or m; 0: never beyond */
    double first;  /* s, when it first went beyond */
} RgLimitWatch;

/* A trajectory file that is being written. */
typedef struct RgRunOutput {
    const char *path;
    RgRecorder *recorder; /* NULL: not open */
    int every;            /* steps per row */
    long long rows;
    bool is_current;   /* contains the present state */
    bool is_temporary; /* recording of the report */
} RgRunOutput;

enum { RG_RUN_OUTPUTS = 3, RG_RUN_REPORT = 2 };

typedef struct RgPlots RgPlots;

/* The list of events (--events). */
typedef struct RgEventList {
    FILE *file; /* NULL: not open */
    RgMessages *messages;
    bool csv, closed;
    long long counts[RG_EVENT_COUNT];
} RgEventList;

/* Contacts and solver: of the last step, and of all. */
typedef struct RgContactTotals {
    int contacts, islands, sweeps, sleeping; /* of the last step */
    double residual, residual_impulse, residual_velocity;
    int contacts_max, sweeps_max, explicit_refused;
    bool touched; /* some contact carried a force in some step */
    long long sweeps_total, unfinished_steps;
    /* Largest residual of unfinished steps, N and m/s, and the ends of the steps that had them, s. */
    double unfinished_force, unfinished_force_t, unfinished_velocity, unfinished_velocity_t;
    long long ambiguous_steps;  /* with a contact that began to slip although sticking was a solution too */
    double ambiguous_t;         /* s: end of the first of these */
    long long guarded_steps;    /* with impulses scaled down since they would have added energy */
    long long fallback_steps;   /* with an exact solver that failed and others tried */
    double residual_worst;      /* m/s; with quick over unfinished steps only */
    const char *solved_by;      /* solver of the last of them */
    double contact_work, slept; /* J */
    RgSolverWork work;
} RgContactTotals;

/* Saturation of one joint's motor. */
typedef struct RgSaturation {
    bool now;
    int times;    /* number of beginnings */
    double first; /* s: end of the first saturated step */
} RgSaturation;

/* Unmet requests of controllers: missed targets, saturated efforts, slipping contacts. */
typedef struct RgControlTotals {
    long long target_steps, effort_steps, friction_steps; /* number of steps with each */
    int targets, efforts, pairs;                          /* most in a step */
    double worst_target;                                  /* rad/s or m/s */
    long long contradicted_steps;                         /* with hard drives that contradict each other */
    double contradicted_first;                            /* s: end of the first of these */
    const char *contradiction;                            /* that of the first, as text; NULL: none */
    int64_t saturated;                                    /* count of the control after the last step */
    bool some_saturated;                                  /* in the last step */
    RgSaturation *saturations;                            /* by joint of the control; NULL: none yet */
} RgControlTotals;

typedef struct RgRun {
    RgPlan plan;
    RgModel *model;
    RgWorld *world;
    RgWorldDef def;                   /* as the world was made */
    RgSettings settings;              /* def points into it */
    struct RgRunControl *controllers; /* resolved from the plan; NULL: none */
    RgControl *control;               /* over world; NULL: nothing is controlled */

    double step;     /* s */
    double duration; /* s */
    long long steps; /* planned */
    RgRunOutput outputs[RG_RUN_OUTPUTS];
    RgPlots *plots; /* NULL: not requested */
    RgEventList events;
    RgCertificate *certificate; /* NULL: not requested, or closed */
    RgLimitWatch *watch;
    int nwatch;
    RgOutside *outside; /* joints outside of their limits at the start */
    int noutside;
    double assembly_error; /* of loops and couplings at the start */
    RgJointId missed[2];   /* a joint whose initial position, rate contradicts loops or couplings; null: none */

    /* Results. */
    RgMomentum before, after;
    long long steps_done;
    long long evaluations, rejected;
    double wall, joint_error_max, dissipated, projected, fields, attached;
    RgContactTotals totals;
    RgControlTotals shortfalls;
    int redundant_rows;
    long long dropped_steps; /* in which velocity products were dropped */
    double dropped_t;        /* s: end of the first of these */
    bool interrupted;
    bool dumped;     /* the problem of a step was written */
    RgError refusal; /* status RG_OK: no step was refused */
} RgRun;

/* Checks that no output is an input or another output. */
RgStatus rg_run_check_outputs(RgRun *run, RgError *error);

/* Makes model, world with its initial state, limits to watch; then the recorders. RG_OK, or error is filled. */
RgStatus rg_run_start(RgRun *run, RgError *error);
RgStatus rg_run_open_outputs(RgRun *run, RgError *error);

/* Sets initial values of one kind. */
RgStatus rg_run_set_values(RgRun *run, RgQuantity what, RgError *error);

/* Sets efforts, then motors, then servos. */
RgStatus rg_run_set_drives(RgRun *run, RgError *error);

/* Sets initial positions and rates, then closes loops and couplings. */
RgStatus rg_run_set_closed(RgRun *run, RgError *error);

/* Call it at the start and after every step: adds the state to outputs that are due; at the end to those that lack it. */
RgStatus rg_run_record(RgRun *run, bool at_end, RgError *error);

/* Updates the excess over the limits of joints. */
void rg_run_watch(RgRun *run);

/* run_loop.c: length of the next step; makes it and adds to the totals (false: refused, run->refusal has the reason);
   whether the motion diverged (true: run->refusal has the reason), to be checked every RG_RUN_CHECK_EVERY steps. */
enum { RG_RUN_CHECK_EVERY = 16 };
double rg_run_next_step(const RgRun *run);
bool rg_run_advance(RgRun *run, RgStepReport *report);
bool rg_run_diverged(RgRun *run);

/* Closes outputs (returns the first error); world and model. */
RgStatus rg_run_close_outputs(RgRun *run, RgError *error);
void rg_run_free(RgRun *run);

/* The list of events: open it, add events of the last step, close it. alone: it goes to the standard output. */
RgStatus rg_run_open_events(RgRun *run, RgError *error);
RgStatus rg_run_record_events(RgRun *run, RgError *error);
RgStatus rg_run_close_events(RgRun *run, RgError *error);
bool rg_run_events_alone(const RgRun *run);

/* Number of events by kind, and statistics of inner steps: text and JSON; null: not counted. */
bool rg_run_counts_events(const RgRun *run);
void rg_run_print_events(const RgRun *run, FILE *out);
json_t *rg_run_json_events(const RgRun *run);
json_t *rg_run_json_inner_steps(const RgRun *run);
json_t *rg_run_json_stepper_settings(const RgRun *run);

/* Contacts: adds a step to the totals; lines of the summary; table of points and joints; JSON. */
void rg_run_count_contacts(RgRun *run, const RgStepReport *report);
void rg_run_print_totals(const RgRun *run, FILE *out);
void rg_run_print_contacts(RgRun *run, FILE *out);
void rg_run_json_contacts(RgRun *run, json_t *out);

/* Efforts that couplings transmit now. */
void rg_run_print_couplings(RgRun *run, FILE *out);
json_t *rg_run_json_couplings(RgRun *run);

/* The summary as text, to out; as JSON, to a file or "-". */
void rg_run_print(RgRun *run, FILE *out);
bool rg_run_write_json(RgRun *run, const char *path);
json_t *rg_run_json(RgRun *run);

/* Remarks of the readers and of the run, as texts. */
json_t *rg_run_json_warnings(RgRun *run);

#endif
