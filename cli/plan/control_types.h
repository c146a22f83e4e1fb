/*
 * control_types.h - the control section of a run file in the plan: names and numbers, each with its place in the file.
 * Joint names are resolved when the model exists.
 */
#ifndef RIGOR_CONTROL_TYPES_H
#define RIGOR_CONTROL_TYPES_H

#include <rigor/control.h>

/* A place in the run file; line 0: from the command line. */
typedef struct RgPlanPlace {
    int line, column;
} RgPlanPlace;

typedef struct RgPlanName {
    const char *text; /* NULL: not given */
    RgPlanPlace at;
} RgPlanName;

/* Numbers of a controller's joints: one for all, a list in the order of the joints, or by joint name. */
typedef struct RgPlanNumbers {
    int count; /* 0: not given */
    bool list; /* in the order of the joints; else, if names is NULL, one for all */
    double *values;
    RgPlanName *names; /* count; NULL: not by name */
    RgPlanPlace at;
} RgPlanNumbers;

typedef struct RgPlanKnot {
    double time; /* s */
    RgPlanNumbers position;
    RgPlanPlace at;
} RgPlanKnot;

/* A trajectory of the joints, or (kind "gait") of feet. */
typedef struct RgPlanTrajectory {
    const char *kind; /* NULL: not given */
    RgPlanNumbers position, amplitude, frequency, phase;
    RgPlanKnot *knots;
    int nknots;
    bool periodic, natural;
    RgPlanNumbers start_velocity, end_velocity;  /* of clamped splines */
    const char *file;                            /* csv */
    double period, duty, lift, vx, vy, yaw_rate; /* gait */
    bool from_start;                             /* gait: feet keep their initial positions until their first swing */
    RgPlanPlace at;
} RgPlanTrajectory;

typedef struct RgPlanFoot {
    RgPlanName link;
    RgVec3 point;   /* in the link's frame, m */
    RgVec3 neutral; /* in the base's frame, m; x NaN: position at the start */
    double touchdown;
} RgPlanFoot;

typedef struct RgPlanController {
    bool in_model;     /* the section is part of a model */
    const char *model; /* name of that model; NULL: it has none, or any */
    const char *kind, *name;
    RgPlanName *joints;
    int njoints; /* 0 with all_joints: every axis that can be driven */
    bool all_joints;
    RgPlanNumbers kp, ki, kd;
    RgPlanNumbers effort, velocity, base_velocity; /* limits; NaN: the model's; inf: none */
    RgPlanTrajectory trajectory;
    RgPlanName base; /* base link of the feet; not given: the floating link */
    RgPlanFoot *feet;
    int nfeet;
    double foot_kp, foot_kd, friction, rate; /* NaN: not given */
    RgWalk walk;
    bool gravity;
    RgPlanPlace at;
} RgPlanController;

typedef struct RgPlanControl {
    double rate, delay; /* Hz, s; NaN: not given */
    bool start;         /* joints start on their trajectories */
    RgPlanController *controllers;
    int ncontrollers; /* 0: nothing is controlled */
    RgPlanPlace rate_at, delay_at;
} RgPlanControl;

#endif
