/*
 * control.h - trajectories and controllers: what a robot is asked to do, and what makes it do it.
 *
 *   trajectory: t -> q*, v*, a* (or places of feet)      controller: state, trajectory -> efforts or drives
 *
 * A control holds any number of controllers, each over some joints of a world's model. At its own rate it looks at the
 * state, asks them, waits for the delay, clips by the motors' limits, and holds what it got until the next sample.
 * What it decides depends on the world's state and its own, which is saved and restored with the world's.
 */
#ifndef RIGOR_CONTROL_H
#define RIGOR_CONTROL_H

#include <rigor/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ trajectories */

typedef struct RgTrajectory RgTrajectory;

/* What is wanted at a time, per axis of the trajectory. */
typedef struct RgReference {
    double position, velocity, acceleration;
} RgReference;

/* "constant": position[k]. "sinusoid": position[k] + amplitude[k] sin(frequency[k] t + phase[k]), frequency in rad/s.
   "spline": clamped or natural C2 cubic through the knots (end velocities, 0 by default), held after the last,
   or periodic. "csv": the same through a table read from a file: first column t, others named as axes. */
typedef struct RgTrajectoryDef {
    uint32_t cookie;
    const char *kind;
    int naxes;
    const char *const *names; /* naxes: of axes, for tables and messages; may be NULL but for "csv" */
    const double *position;   /* naxes; NULL: 0 */
    const double *amplitude, *frequency, *phase;
    int nknots;
    const double *times;  /* nknots, rising */
    const double *values; /* nknots x naxes */
    bool periodic;        /* spline, csv: the last knot is the first again */
    const char *file;     /* csv */
    RgAllocator allocator;
} RgTrajectoryDef;

RG_API RgTrajectoryDef rg_trajectory_def_default(void);
RG_API RgTrajectory *rg_trajectory_create(const RgTrajectoryDef *def, RgError *error);
RG_API void rg_trajectory_destroy(RgTrajectory *trajectory);
RG_API int rg_trajectory_axes(const RgTrajectory *trajectory);
RG_API void rg_trajectory_at(const RgTrajectory *trajectory, double t, RgReference *out); /* axes */

/* A gait of feet over a floating base (trot in place by default): goals of feet in the base's frame. */
typedef struct RgGait {
    double period, duty, lift; /* s; part of it that a foot stands; m */
    RgVec3 velocity;           /* wanted of the base: x, y; m/s */
    double yaw_rate;           /* rad/s */
    int nfeet;
    const RgVec3 *neutral;   /* nfeet: base frame */
    const double *touchdown; /* nfeet: phase in [0, 1) */
} RgGait;
RG_API void rg_gait_at(const RgGait *gait, double t, RgVec3 up, RgVec3 *goal, RgVec3 *velocity, bool *stance);

/* Joint positions of the chain from base to foot that put the foot frame's origin at goals (base frame), from q on;
   RG_ERR_NOT_CONVERGED: out of reach, q then comes as near as it could. */
typedef struct RgFoot {
    RgLinkId base, link;
    RgVec3 point; /* of the foot, in link's frame */
} RgFoot;
RG_API RgStatus rg_foot_reach(RgDynamics *dynamics, const RgFoot *foot, RgVec3 goal, double *q);

/* ------------------------------------------------------------------ controllers */

/* Effort that a motor can give at velocity v: max_effort, less beyond base speed, none from max_velocity on (against
   the motion it gives all). 0 or infinite: no such limit. Taken from the model's joint limits where NaN. */
typedef struct RgMotorLimits {
    double max_effort, max_velocity, base_velocity;
} RgMotorLimits;

typedef struct RgControlJoint {
    RgJointId joint;
    int dof;
    double kp, ki, kd;
    RgMotorLimits limits;
} RgControlJoint;

/* Kinds; rg_controller_count and rg_controller_name list them:
   "pd", "pid"         tau = kp e + ki int e + kd e' (+ feed), explicit; pid with anti-windup by back calculation
   "implicit-pd"       drives, soft: the same law inside the solve
   "hard"              drives, hard: inverse-dynamics rows (002 III)
   "computed-torque"   tau = RNEA(q, v, a* + kd e' + kp e), without contact
   "inverse-dynamics"  with contact: two-stage QP (002; Zapolsky, Drumwright)
   "no-slip"           with contact: feet that do not slip, LCP
   "foot-pd"           tau = sum J' (kp e + kd e') over the feet, base taken as fixed
   "callback"          the user's own function. */
typedef struct RgControllerDef {
    uint32_t cookie;
    const char *kind;
    const char *name; /* for reports; may be NULL */
    int njoints;
    const RgControlJoint *joints;
    const RgTrajectory *trajectory; /* axes: the joints in order; must outlive the control */
    const RgGait *gait;             /* with feet, in place of trajectory; copied */
    int nfeet;
    const RgFoot *feet;      /* gaits, and kinds with contact */
    double foot_kp, foot_kd; /* foot-pd: N/m, N s/m */
    double friction;         /* kinds with contact: coefficient; NaN: of the surfaces */
    bool gravity;            /* pd, pid, implicit-pd: efforts that carry gravity are added */
    double rate;             /* hard: as RgDrive.rate */
    RgInputFn *callback;     /* writes RgInput.tau of its joints */
    void *callback_context;
} RgControllerDef;
RG_API RgControllerDef rg_controller_def_default(void);

typedef struct RgControlDef {
    uint32_t cookie;
    RgWorld *world; /* must outlive the control */
    double rate;    /* samples a second; 0: one a step */
    double delay;   /* s from a sample to what comes of it, at most RG_DELAYS_MAX samples */
    int ncontrollers;
    const RgControllerDef *controllers;
    RgAllocator allocator;
} RgControlDef;
#define RG_DELAYS_MAX 64
RG_API RgControlDef rg_control_def_default(void);

typedef struct RgControl RgControl;
/* Two controllers on one joint are refused. */
RG_API RgControl *rg_control_create(const RgControlDef *def, RgError *error);
RG_API void rg_control_destroy(RgControl *control);

/* Advances the world by h, in parts that end at the samples and where delayed commands begin. On failure world and
   control are what they were. */
RG_API RgStatus rg_control_step(RgControl *control, double h, RgStepReport *report);
RG_API void rg_control_reset(RgControl *control);

/* What became of it so far, since creation or reset. */
typedef struct RgTracking {
    int64_t samples;
    double mean_error; /* mean absolute position error over joints and steps, rad or m (002's MAE) */
    double root_mean_square;
    double largest_error;
    double largest_effort;
    int64_t saturated;     /* joint samples or steps at a limit */
    double saturated_time; /* s, summed over joints */
    int64_t failed;        /* samples that a controller could not answer: it held its last command */
} RgTracking;
RG_API RgTracking rg_control_tracking(const RgControl *control);
/* One joint: wanted, had, commanded effort before and after limits. */
typedef struct RgJointTracking {
    RgJointId joint;
    int dof;
    RgReference wanted;
    double position, velocity;
    double asked, effort; /* N m or N */
    bool saturated;
    double mean_error, largest_error;
} RgJointTracking;
RG_API int rg_control_joints(const RgControl *control);
RG_API RgJointTracking rg_control_joint(const RgControl *control, int index);

/* Saved beside the world's state. */
RG_API size_t rg_control_state_size(const RgControl *control);
RG_API void rg_control_state_save(const RgControl *control, void *buffer);
RG_API RgStatus rg_control_state_load(RgControl *control, const void *buffer, size_t size);

/* Names for menus. */
RG_API int rg_controller_count(void);
RG_API const char *rg_controller_name(int index);
RG_API const char *rg_controller_summary(int index);
RG_API int rg_trajectory_count(void);
RG_API const char *rg_trajectory_name(int index);
RG_API const char *rg_trajectory_summary(int index);

#ifdef __cplusplus
}
#endif
#endif
