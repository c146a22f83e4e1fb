/*
 * control.h - trajectories and controllers of robots.
 *
 *   trajectory: t -> q*, v*, a* (or goals of feet)      controller: state, trajectory -> efforts or drives
 *
 * A control holds any number of controllers, each for some joints of a world's model. At its own rate it samples the
 * state, evaluates the controllers, delays and limits their commands, and holds them until the next sample. Its output
 * depends only on the world's state and its own, which is saved and restored with the world's.
 */
#ifndef RIGOR_CONTROL_H
#define RIGOR_CONTROL_H

#include <rigor/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ trajectories */

typedef struct RgTrajectory RgTrajectory;

/* Desired motion at a time, of one axis of the trajectory. */
typedef struct RgReference {
    double position, velocity, acceleration;
} RgReference;

/* Kinds of trajectories.
   "constant"  position[k]
   "sinusoid"  position[k] + amplitude[k] sin(frequency[k] t + phase[k]), frequency in rad/s
   "spline"    C2 cubic through the knots: clamped (velocities at both ends, default 0), natural (zero acceleration at
               both ends) or periodic; constant before the first and after the last knot
   "csv"       the same through a table in a file whose first line names the columns: t, then at least the axes, in any
               order */
typedef struct RgTrajectoryDef {
    uint32_t cookie;
    const char *kind;
    int naxes;
    const char *const *names; /* naxes: of axes, for tables and messages; may be NULL except for "csv" */
    const double *position;   /* naxes; NULL: 0 */
    const double *amplitude, *frequency, *phase;
    int nknots;
    const double *times;                         /* nknots, increasing */
    const double *values;                        /* nknots x naxes */
    bool periodic;                               /* spline, csv: repeats; the last knot equals the first */
    bool natural;                                /* spline, csv: natural instead of clamped ends */
    const double *start_velocity, *end_velocity; /* naxes, clamped ends only; NULL: 0 */
    const char *file;                            /* csv */
    RgAllocator allocator;
} RgTrajectoryDef;

RG_API RgTrajectoryDef rg_trajectory_def_default(void);
RG_API RgTrajectory *rg_trajectory_create(const RgTrajectoryDef *def, RgError *error);
RG_API void rg_trajectory_destroy(RgTrajectory *trajectory);
RG_API int rg_trajectory_axes(const RgTrajectory *trajectory);
RG_API void rg_trajectory_at(const RgTrajectory *trajectory, double t, RgReference *out); /* axes */

/* A gait of feet of a floating base (by default a trot in place). */
typedef struct RgGait {
    /* period: s; duty: part of the period in which a foot is in stance; lift: m, height of the foot in swing */
    double period, duty, lift;
    RgVec3 velocity; /* desired, of the base: x, y; m/s */
    double yaw_rate; /* rad/s */
    int nfeet;
    const RgVec3 *neutral;   /* nfeet: nominal foot positions, base frame */
    const double *touchdown; /* nfeet: phase of touchdown in [0, 1) */
    /* nfeet: base frame: position of a foot until its first lift after t = 0; NULL: periodic from the start */
    const RgVec3 *first;
} RgGait;
/* Goals of the feet at time t: positions and velocities in the base frame; up: world's up direction in the base frame;
   stance: whether the foot is in stance. */
RG_API void rg_gait_at(const RgGait *gait, double t, RgVec3 up, RgVec3 *goal, RgVec3 *velocity, bool *stance);

/* A foot: a point of a link at the end of the chain of joints from base. */
typedef struct RgFoot {
    RgLinkId base, link;
    RgVec3 point; /* of the foot, in link's frame */
} RgFoot;
/* Inverse kinematics: changes q, from its given value, so that the foot is at goal (base frame). RG_ERR_NOT_CONVERGED:
   out of reach; q is then the nearest found. */
RG_API RgStatus rg_foot_reach(RgDynamics *dynamics, const RgFoot *foot, RgVec3 goal, double *q);

/* ------------------------------------------------------------------ controllers */

/* Limits of a motor. max_effort, max_velocity: 0 or infinite: unlimited; NaN: the model's limits of the joint.
   base_velocity: NaN: effort does not depend on speed. Else, in the direction of motion, the limit is max_effort up to
   base_velocity and falls linearly to 0 at max_velocity (base_velocity 0: from standstill); against the motion it is
   max_effort. Without base_velocity only implicit-pd and hard support a max_velocity; the other kinds refuse one that
   is given and ignore the model's. */
typedef struct RgMotorLimits {
    double max_effort, max_velocity, base_velocity; /* N m or N, rad/s or m/s */
} RgMotorLimits;

/* A joint of a controller. Gains: NaN: not given. A kind that does not use a gain refuses a value above 0. */
typedef struct RgControlJoint {
    RgJointId joint;
    int dof;
    double kp, ki, kd; /* N m/rad, N m/(rad s), N m s/rad (N/m ...); computed-torque: 1/s^2, -, 1/s */
    RgMotorLimits limits;
} RgControlJoint;
RG_API RgControlJoint rg_control_joint_default(void); /* null joint, no gains, limits of the model, no base_velocity */

/* Kinds; rg_controller_count and rg_controller_name list them:
   "pd", "pid"         tau = kp e + ki int e + kd e' (+ gravity compensation), explicit; pid with anti-windup by
                       back-calculation
   "implicit-pd"       soft drives: the same law as part of the step's problem
   "hard"              hard drives: inverse-dynamics rows (002 III)
   "computed-torque"   tau = RNEA(q, v, a* + kd e' + kp e), ignoring contact; without gains: a = (v*(t + h) - v) / h
   "inverse-dynamics"  computed torque with feet in contact: contact forces by Coulomb's law (by least energy if it has
                       no solution); among all efforts with the same effect on the base the least
   "least-energy"      the same by paper 002's two programs: contact forces of least energy, then least efforts
   "no-slip"           the same with as much friction as is needed for feet that do not slip
   "foot-pd"           tau = sum J' (kp e + kd e') over the feet, with the base taken as fixed
   "balance"           standing with the centre of mass above the feet: drives about the posture, and efforts of the
   feet
                       that move their centre of pressure to where the capture point requires it
   "walk"              the same with steps, one foot after the other
   "callback"          a function of the user. */

/* Parameters of balance and walk. NaN: default; steps has no default. */
typedef struct RgWalk {
    double capture; /* gain, above 1: distance of the centre of pressure over that of the capture point; default 1.5 */
    double settle;  /* s: from the initial posture to that above the feet; walk: before the first step; default 1 */
    /* balance: m, s: radius and period of a circle of the desired point of support; default: none */
    double sway, sway_period;
    double steps;        /* walk: number of steps, feet in the order of the list */
    double stride, turn; /* walk: m, rad: motion of the trunk in each step; default 0 */
    double lift;         /* walk: m: height of the swing foot; default 0.05 */
    double swing, both;  /* walk: s: durations of single and of double support; default 0.7, 0.4 */
} RgWalk;

typedef struct RgControllerDef {
    uint32_t cookie;
    const char *kind;
    const char *name; /* for reports; may be NULL */
    int njoints;
    const RgControlJoint *joints;
    const RgTrajectory *trajectory; /* axes: the joints in order; must outlive the control */
    const RgGait *gait;             /* with feet, instead of trajectory; copied */
    int nfeet;
    const RgFoot *feet;      /* for gaits and kinds with contact */
    double foot_kp, foot_kd; /* foot-pd: N/m, N s/m */
    double friction;         /* kinds with contact: coefficient; NaN: that of the surfaces */
    bool gravity;            /* pd, pid, implicit-pd: add gravity compensation */
    double rate;             /* hard: as RgDrive.rate; NaN: inf */
    RgWalk walk;             /* balance, walk */
    RgInputFn *callback;     /* callback: writes RgInput.tau of its joints; other outputs are ignored */
    void *callback_context;
} RgControllerDef;
RG_API RgControllerDef rg_controller_def_default(void);

typedef struct RgControlDef {
    uint32_t cookie;
    RgWorld *world; /* must outlive the control */
    double rate;    /* samples per second; 0: one per step */
    double delay;   /* s from a sample to its command; at most RG_DELAYS_MAX samples can be pending */
    int ncontrollers;
    const RgControllerDef *controllers;
    RgAllocator allocator;
} RgControlDef;
#define RG_DELAYS_MAX 64
RG_API RgControlDef rg_control_def_default(void);

typedef struct RgControl RgControl;
/* Two controllers for one velocity of a joint are refused. From its first step until rg_control_destroy or
   rg_control_reset the control overwrites the efforts and drives of its joints; all others are unchanged. */
RG_API RgControl *rg_control_create(const RgControlDef *def, RgError *error);
RG_API void rg_control_destroy(RgControl *control);

/* Advances the world by h, divided at the samples and where delayed commands take effect. The report, rg_world_events
   and rg_world_shortfalls cover all parts; contact forces and rg_world_last_report the last part. On failure the world's
   state and time and the control are unchanged; efforts and drives set for the failed part may remain in the world
   until the next step. */
RG_API RgStatus rg_control_step(RgControl *control, double h, RgStepReport *report);
/* Writes the problem of the next step's first part, up to the next sample or command, as rg_world_dump_step does.
   Efforts and drives set for it remain in the world until the next step; all else is unchanged. */
RG_API RgStatus rg_control_dump_step(RgControl *control, double h, const char *path, RgError *error);
/* Restores the state after creation: samples are counted from the world's present time, integrals and pending commands
   are cleared, and the joints are released. */
RG_API void rg_control_reset(RgControl *control);

/* Statistics since creation or reset. */
typedef struct RgTracking {
    int64_t samples;
    double mean_error; /* mean absolute position error over joints and time, rad or m (002's MAE) */
    double root_mean_square;
    double largest_error;
    double largest_effort;
    int64_t saturated;     /* joints at an effort or (drives) velocity limit, summed over steps */
    double saturated_time; /* s, summed over joints */
    int64_t failed;        /* samples in which a controller failed and held its last command */
} RgTracking;
RG_API RgTracking rg_control_tracking(const RgControl *control);
/* One joint: desired and actual motion now; effort of the last step before and after limits (drives: mean of the step).
   */
typedef struct RgJointTracking {
    RgJointId joint;
    int dof;
    RgReference wanted; /* NaN: none, or (gaits) before the first sample */
    double position, velocity;
    double asked, effort; /* N m or N: before and after limits */
    bool saturated;
    double mean_error, root_mean_square, largest_error, largest_effort, saturated_time; /* as in RgTracking */
    double max_effort; /* N m or N: its limit, given or the model's; inf: none */
} RgJointTracking;
RG_API int rg_control_joints(const RgControl *control);
RG_API RgJointTracking rg_control_joint(const RgControl *control, int index);

/* State of the control, to be saved and loaded together with the world's state; the two continue with the same bits.
   rg_control_state_load checks that the state belongs to the same controllers; on failure nothing changes. */
RG_API size_t rg_control_state_size(const RgControl *control);
RG_API void rg_control_state_save(const RgControl *control, void *buffer);
RG_API RgStatus rg_control_state_load(RgControl *control, const void *buffer, size_t size);

/* Names and summaries, for menus. */
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
