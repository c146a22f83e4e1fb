/*
 * control_file.h - the control section of a run file: what its controllers are, as text and numbers.
 *
 *   control: {rate, delay, start, controllers} -- control_file.c --> RgPlanControl -- run_control.c --> RgControl
 *
 * Joints are names here and are found once the model is there; every name keeps its place in the file.
 */
#ifndef RIGOR_CONTROL_FILE_H
#define RIGOR_CONTROL_FILE_H

#include <rigor/control.h>

struct RgPlan;
struct RgYaml;
struct yaml_node_s;

/* A place in the run file; line 0: from the command line. */
typedef struct RgPlanPlace {
    int line, column;
} RgPlanPlace;

typedef struct RgPlanName {
    const char *text; /* NULL: not given */
    RgPlanPlace at;
} RgPlanName;

/* Numbers of a controller's joints: one for all of them, a list in their order, or each by its joint's name. */
typedef struct RgPlanNumbers {
    int count; /* 0: not given */
    bool list; /* in the order of the joints; else one for all where names is NULL */
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
    bool from_start;                             /* gait: feet wait where they are until they are lifted first */
    RgPlanPlace at;
} RgPlanTrajectory;

typedef struct RgPlanFoot {
    RgPlanName link;
    RgVec3 point;   /* in the link's frame, m */
    RgVec3 neutral; /* in the base's frame, m; x NaN: where the foot is at the start */
    double touchdown;
} RgPlanFoot;

typedef struct RgPlanController {
    bool in_model;     /* the section stands in a model */
    const char *model; /* name of that model; NULL: it has none, or any */
    const char *kind, *name;
    RgPlanName *joints;
    int njoints; /* 0 with all_joints: every axis that can be driven */
    bool all_joints;
    RgPlanNumbers kp, ki, kd;
    RgPlanNumbers effort, velocity, base_velocity; /* limits; NaN: the model's; inf: none */
    RgPlanTrajectory trajectory;
    RgPlanName base; /* link that feet are seen from; not given: the floating link */
    RgPlanFoot *feet;
    int nfeet;
    double foot_kp, foot_kd, friction, rate; /* NaN: not given */
    RgWalk walk;
    bool gravity;
    RgPlanPlace at;
} RgPlanController;

typedef struct RgPlanControl {
    double rate, delay; /* Hz, s; NaN: not given */
    bool start;         /* joints begin on their trajectories */
    RgPlanController *controllers;
    int ncontrollers; /* 0: nothing is controlled */
    RgPlanPlace rate_at, delay_at;
} RgPlanControl;

/* A control with nothing in it. */
RgPlanControl rg_plan_control_none(void);

/* Reads a control section and adds it to plan->control. false: the error is in yaml. */
bool rg_control_file_read(struct RgYaml *yaml, struct yaml_node_s *node, struct RgPlan *plan);

/* Whether run files know that kind of controller; whether such controllers take the key, or cannot do without it. */
bool rg_control_file_knows(const char *kind);
bool rg_control_file_takes(const char *kind, const char *key);
bool rg_control_file_needs(const char *kind, const char *key);

/* One gain ("kp", "ki", "kd", "foot_kp", "foot_kd", "friction" or "rate") of a controller, in place of what was given:
   values one for all joints, or one each. false: its kind takes no such gain. */
bool rg_plan_control_set(struct RgPlan *plan, RgPlanController *controller, const char *key, const double *values,
                         int count);

#endif
