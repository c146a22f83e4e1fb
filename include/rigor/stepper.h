/*
 * stepper.h - options, events and statistics of steppers that choose their own inner steps.
 *
 *   advance   conservative advancement at constant velocities (paper 000, algorithm 1)
 *   c2a       the same with control of the error of the kinetic energy (paper 000, algorithm 2)
 *   rigid     locates events: bodies never overlap (paper 001, extended)
 *   rigid-001 the bounds and the step rule of paper 001, made safe
 *   auto      takes an accuracy instead of a step
 *   reference takes a tolerance instead of a step, for smooth motion
 *
 * rg_world_step(h) reaches t + h exactly, by as many inner steps as necessary.
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
    double gap;       /* m, above 0: shapes nearer than this touch; resting contacts keep about half; default 1e-7 */
    double h_min;     /* s, above 0: shortest inner step, except for events and the end of the step; default 1e-8 */
    double h_max;     /* s: longest inner step; default infinite */
    double accuracy;  /* auto: relative error, by its own measure; default 1e-3 */
    double tolerance; /* reference: relative and absolute error per step, 1e-14 to 1; default 1e-12 */
    /* c2a: largest difference between the kinetic energies of one step and of two half steps, relative and in J. A step
       within either bound is accepted; 0: this bound is not used. Defaults 2.5e-3 and 0. */
    double energy_relative, energy_absolute;
    double event_time; /* s; rigid, auto: events closer in time than this may be located as one; default 1e-5 */
    int order;         /* auto: 1 or 2 (default) */
    /* advance, c2a: call the input function once per inner step, at its start, like a digital controller; default
       false */
    bool hold_input;
    bool explicit_forces; /* advance: accelerations at the start of an inner step instead of its end; default false */
    bool separate;        /* correct overlaps of the initial state by the smallest motion; default false: refused */
    bool locate_friction; /* rigid, auto: locate transitions between stick and slip; default true */
} RgAdaptOptions;

RG_API RgAdaptOptions rg_adapt_options_default(void);
/* wrong (may be NULL): which number is invalid, and what was expected. */
RG_API RgStatus rg_adapt_options_check(const RgAdaptOptions *options, const char **wrong);

/* ------------------------------------------------------------------ events */

/* A contact starts as sticking. roll: a contact that does not slip rotates. stick: slipping or rolling has ended, or a
   slipping contact rolls. leave: a joint has left its limit. manifold: the set of touching features of a pair has
   changed. unfinished: the solver ended a step above its tolerance. attach, detach, broke: a joint made at run time
   (attachment.h). See docs/events.md. */
#define RG_EVENT_LIST(X)                                                                                               \
    X(touch)                                                                                                           \
    X(break)                                                                                                           \
    X(stick)                                                                                                           \
    X(slip)                                                                                                            \
    X(limit)                                                                                                           \
    X(impact)                                                                                                          \
    X(roll) X(leave) X(manifold) X(saturate) X(recover) X(unfinished) X(attach) X(detach) X(broke) X(enter) X(exit)

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
    double uncertainty;         /* s: bound of the error of t, as known to the stepper */
    uint32_t link_a, link_b;    /* from 0; UINT32_MAX: the world */
    RgShapeId shape_a, shape_b; /* null ids: unknown, or a limit */
    RgVec3 point;               /* contacts: the point with the largest normal impulse */
    RgVec3 normal;              /* from A to B; zero: unknown */
    /* touch, impact: approach speed, m/s; slip: tangential speed, m/s; limit: position, rad or m; saturate: effort, N m
       or N; unfinished: residual, m/s; attach, detach: kinetic and potential energy added, J; broke: torque carried by
       the joint, N m; enter, exit: speed of the body's centre of mass against the field, m/s; else 0 */
    double value;
    double impulse; /* impact: N s along the normal; limit: N m s or N s; unfinished: residual, N s; else 0 */
    int joint, dof; /* limit, leave, saturate, recover: joint from 0, velocity within it; else -1 */
    /* unfinished: residual, N (0: a step of zero length); broke: force carried by the joint, N; else 0 */
    double force;
    int attachment;   /* attach, detach, broke: RgAttachmentId.i of the joint; else 0 */
    int field;        /* enter, exit: damping field, from 1 in the order of RgWorldDef.fields; else 0 */
    const char *name; /* attach, detach, broke: name of the joint, valid until it is removed; of a field; else NULL */
    int contacts;     /* unfinished: contact points of the step; else 0 */
} RgEvent;

typedef void RgEventFn(const RgEvent *event, void *context);

/* ------------------------------------------------------------------ statistics of inner steps */

/* What limited the length of an inner step. whole: the end of the outer step; contact: separate shapes come together;
   manifold: a contact begins, ends or changes its features; friction: transition between stick and slip; limit: a joint
   at its limit; error: error control; turn: a body rotates too far for one path; height: the heights of lasting
   contacts; least: h_min. */
#define RG_CUT_LIST(X) X(whole) X(contact) X(manifold) X(friction) X(limit) X(error) X(turn) X(height) X(least)

typedef enum RgCut {
#define RG_CUT_ENUM(name) RG_CUT_##name,
    RG_CUT_LIST(RG_CUT_ENUM)
#undef RG_CUT_ENUM
        RG_CUT_COUNT
} RgCut;
RG_API const char *rg_cut_name(RgCut cut);

/* Bins of the histogram of step lengths: 5 per decade, bin i from 1e-10 * 10^(i/5) s; the first and the last bin
   include all shorter and all longer steps. */
#define RG_STEP_BINS 60

typedef struct RgStepStatistics {
    int64_t steps;
    double time;        /* s: sum of the step lengths */
    double least, most; /* s: shortest and longest step; 0: no steps */
    int64_t bins[RG_STEP_BINS];
    int64_t cut[RG_CUT_COUNT];      /* steps by the cause that limited their length */
    int64_t rejected[RG_CUT_COUNT]; /* rejected attempts by cause */
    int64_t events[RG_EVENT_COUNT];
    int64_t manifold_changes; /* changes of the set of touching features, over all pairs */
    int64_t degenerate;       /* touches without a unique normal (vertices, collinear edges); handled and reported */
    double least_distance;    /* m: least distance proven or reached; infinite: no shapes were near */
    /* Plain steps among the steps, and the sum of their lengths, s. Nothing is proven within them, and least_distance
       does not cover them. */
    int64_t plain;
    double plain_time;
} RgStepStatistics;

#ifdef __cplusplus
}
#endif
#endif
