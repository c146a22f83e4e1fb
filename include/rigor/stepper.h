/*
 * stepper.h - steppers that choose their own steps: their options, what they count, what they find.
 *
 *   advance   conservative advancement at constant velocities (paper 000, algorithm 1)
 *   c2a       the same with control of the kinetic energy's error (paper 000, algorithm 2)
 *   rigid     located events: no two bodies ever overlap (paper 001, and beyond)
 *   rigid-001 the bounds and the step rule of paper 001, made safe
 *   auto      one accuracy in place of a step
 *   reference one tolerance in place of a step, for smooth motion
 *
 * rg_world_step(h) reaches t + h exactly; within it they make as many inner steps as they need.
 */
#ifndef RIGOR_STEPPER_PUBLIC_H
#define RIGOR_STEPPER_PUBLIC_H

#include <rigor/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ options */

typedef struct RgAdaptOptions {
    uint32_t cookie;
    double gap;   /* m, above 0: shapes nearer than this touch, and rest at about half of it; default 1e-7 */
    double h_min; /* s, above 0: no inner step is shorter, unless an event or the end of the step asks; default 1e-8 */
    double h_max; /* s: none is longer; default infinite */
    double accuracy;  /* auto: error by its own measure, relative; default 1e-3 */
    double tolerance; /* reference: relative and absolute error a step, 1e-14 to 1; default 1e-12 */
    /* c2a: largest difference of the kinetic energies of one step and two halves, as a part of it, and J. An error
       within either is taken; 0: not this one. Defaults 2.5e-3 and 0. */
    double energy_relative, energy_absolute;
    double event_time; /* s: rigid, auto: events nearer to each other than this may be found as one; default 1e-5 */
    int order;         /* auto: 1 or 2 (default) */
    /* advance, c2a: the input function is asked once an inner step, at its start, as a digital controller is; default
       false */
    bool hold_input;
    bool explicit_forces; /* advance: accelerations at the start of an inner step, not at its end; default false */
    bool separate;        /* a start that overlaps is put right by the smallest motion; default false: refused */
    bool locate_friction; /* rigid, auto: changes between stick and slip are located; default true */
} RgAdaptOptions;

RG_API RgAdaptOptions rg_adapt_options_default(void);
/* wrong (may be NULL): which number is bad, and what was expected. */
RG_API RgStatus rg_adapt_options_check(const RgAdaptOptions *options, const char **wrong);

/* ------------------------------------------------------------------ events */

/* Contacts begin as sticking ones. roll: one that does not slip turns; stick: it does neither any more, or it rolls
   after it slipped; leave: a joint has left its limit; manifold: the set of touching features of a pair became another.
   unfinished: the solver ended a step above its tolerance. attach, detach, broke: a joint made at run time
   (attachment.h). See docs/events.md. */
#define RG_EVENT_LIST(X)                                                                                               \
    X(touch)                                                                                                           \
    X(break)                                                                                                           \
    X(stick)                                                                                                           \
    X(slip)                                                                                                            \
    X(limit)                                                                                                           \
    X(impact) X(roll) X(leave) X(manifold) X(saturate) X(recover) X(unfinished) X(attach) X(detach) X(broke)

typedef enum RgEventKind {
#define RG_EVENT_ENUM(name) RG_EVENT_##name,
    RG_EVENT_LIST(RG_EVENT_ENUM)
#undef RG_EVENT_ENUM
        RG_EVENT_COUNT
} RgEventKind;
RG_API const char *rg_event_name(RgEventKind kind);

typedef struct RgEvent {
    RgEventKind kind;
    double t;
    double uncertainty;         /* s: the true time lies no farther from t, as far as the stepper knows */
    uint32_t link_a, link_b;    /* from 0; UINT32_MAX: the world */
    RgShapeId shape_a, shape_b; /* null ids: not known, or a limit */
    RgVec3 point;               /* of contacts: the one that presses most */
    RgVec3 normal;              /* from A to B; zero: not known */
    /* touch, impact: speed at which the two came together, m/s; slip: their speed across the normal, m/s; limit:
       position, rad or m; saturate: effort, N m or N; unfinished: residual, m/s; attach, detach: kinetic and potential
       energy that it added, J; broke: torque that the joint carried, N m; else 0 */
    double value;
    double impulse;   /* impact: N s along the normal; limit: N m s or N s; unfinished: residual, N s; else 0 */
    int joint, dof;   /* limit, leave, saturate, recover: joint from 0, velocity within it; else -1 */
    double force;     /* unfinished: residual, N; 0: its step has no length; broke: that the joint carried, N; else 0 */
    int attachment;   /* attach, detach, broke: number of the joint (RgAttachmentId); else 0 */
    const char *name; /* the same: its name, until it is removed; else NULL */
    int contacts;     /* unfinished: contact points of the step; else 0 */
} RgEvent;

typedef void RgEventFn(const RgEvent *event, void *context);

/* ------------------------------------------------------------------ what inner steps were like */

/* What an inner step's length was decided by. whole: the end of the step asked for; contact: shapes apart come
   together; manifold: a contact begins, ends or changes its features; friction: stick and slip; limit: a joint at its
   limit; error: error control; turn: a body turns too far for one path; height: the heights of contacts that last;
   least: h_min. */
#define RG_CUT_LIST(X) X(whole) X(contact) X(manifold) X(friction) X(limit) X(error) X(turn) X(height) X(least)

typedef enum RgCut {
#define RG_CUT_ENUM(name) RG_CUT_##name,
    RG_CUT_LIST(RG_CUT_ENUM)
#undef RG_CUT_ENUM
        RG_CUT_COUNT
} RgCut;
RG_API const char *rg_cut_name(RgCut cut);

/* Bins of the histogram: 5 a decade, bin i from 1e-10 * 10^(i/5) s; the first and the last take what lies beyond. */
#define RG_STEP_BINS 60

typedef struct RgStepStatistics {
    int64_t steps;
    double time;        /* s that they make together */
    double least, most; /* s; 0 where there were none */
    int64_t bins[RG_STEP_BINS];
    int64_t cut[RG_CUT_COUNT];      /* steps, by what decided their length */
    int64_t rejected[RG_CUT_COUNT]; /* tries that were thrown away, and why */
    int64_t events[RG_EVENT_COUNT];
    int64_t manifold_changes; /* times at which the set of touching features of some pair became another */
    int64_t degenerate;       /* touches whose normal was open (vertices, edges in line): handled, told */
    double least_distance;    /* m: the least that was proven or met; infinite: nothing was near */
    /* Of the steps: plain ones, within which nothing is proven and least_distance says nothing; s that they make. */
    int64_t plain;
    double plain_time;
} RgStepStatistics;

#ifdef __cplusplus
}
#endif
#endif
