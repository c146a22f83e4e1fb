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
   "spline": C2 cubic through the knots, clamped (velocities at both ends, 0 by default), natural (no acceleration
   there) or periodic; before the first knot and after the last the position is held. "csv": the same through a table
   read from a file: its first line names the columns, first t, then in any order at least the axes. */
typedef struct RgTrajectoryDef {
    uint32_t cookie;
    const char *kind;
    int naxes;
    const char *const *names; /* naxes: of axes, for tables and messages; may be NULL but for "csv" */
    const double *position;   /* naxes; NULL: 0 */
    const double *amplitude, *frequency, *phase;
    int nknots;
    const double *times;                         /* nknots, rising */
    const double *values;                        /* nknots x naxes */
    bool periodic;                               /* spline, csv: the last knot is the first again, and so on for ever */
    bool natural;                                /* spline, csv: not clamped */
    const double *start_velocity, *end_velocity; /* naxes; of clamped ones; NULL: 0 */
    const char *file;                            /* csv */
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
    /* nfeet: base frame: where a foot waits until it is lifted first, after t = 0; NULL: in step from the beginning */
    const RgVec3 *first;
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

/* What a motor can give. max_effort, max_velocity: 0 or infinite: no such limit; NaN: the model's for that joint.
   base_velocity: NaN: effort does not depend on speed; else along the motion max_effort up to it, from there on in a
   straight line down to nothing at max_velocity (0: from standstill on); against the motion it gives all. Without
   base_velocity implicit-pd and hard alone keep to a max_velocity: the others refuse one, and pass over the model's. */
typedef struct RgMotorLimits {
    double max_effort, max_velocity, base_velocity; /* N m or N, rad/s or m/s */
} RgMotorLimits;

/* Gains: NaN: not given. A kind that has no use for a gain refuses one above 0. */
typedef struct RgControlJoint {
    RgJointId joint;
    int dof;
    double kp, ki, kd; /* N m/rad, N m/(rad s), N m s/rad (N/m ...); computed-torque: 1/s^2, -, 1/s */
    RgMotorLimits limits;
} RgControlJoint;
RG_API RgControlJoint rg_control_joint_default(void); /* no joint, no gains, limits of the model, no curve */

/* Kinds; rg_controller_count and rg_controller_name list them:
   "pd", "pid"         tau = kp e + ki int e + kd e' (+ feed), explicit; pid with anti-windup by back calculation
   "implicit-pd"       drives, soft: the same law inside the solve
   "hard"              drives, hard: inverse-dynamics rows (002 III)
   "computed-torque"   tau = RNEA(q, v, a* + kd e' + kp e), without contact; no gains: a = (v*(t + h) - v) / h
   "inverse-dynamics"  the same while feet touch: contact forces by Coulomb's law (those of least energy where it finds none),
                       then of all with the same effect on the base those with the least efforts
   "least-energy"      the same by paper 002's two programs: contact forces of least energy, then least efforts
   "no-slip"           the same with as much friction as it takes that feet do not slip
   "foot-pd"           tau = sum J' (kp e + kd e') over the feet, base taken as fixed
   "balance"           stands on its feet, the centre of mass over them: drives about the posture, and efforts of feet that press
                       where the capture point asks for
   "walk"              the same, stepping by turns of its feet
   "callback"          the user's own function. */

/* balance and walk. NaN: not given; steps has no default. */
typedef struct RgWalk {
    double capture; /* how far the feet's pressure goes beyond the capture point: above 1; default 1.5 */
    double settle;  /* s: from the posture at the start to that over the feet; walk: before the first step; default 1 */
    double sway, sway_period; /* balance: m, s: of a circle that the point of support goes round in; default: none */
    double steps;             /* walk: how many, one foot after the other, from the first of the list on */
    double stride, turn;      /* walk: m, rad: of the trunk in each step; default 0 */
    double lift;              /* walk: m, of a foot; default 0.05 */
    double swing, both;       /* walk: s: one foot in the air, none; default 0.7, 0.4 */
} RgWalk;

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
    double rate;             /* hard: as RgDrive.rate; NaN: inf */
    RgWalk walk;             /* balance, walk */
    RgInputFn *callback;     /* writes RgInput.tau of its joints; what it writes elsewhere is not looked at */
    void *callback_context;
} RgControllerDef;
RG_API RgControllerDef rg_controller_def_default(void);

typedef struct RgControlDef {
    uint32_t cookie;
    RgWorld *world; /* must outlive the control */
    double rate;    /* samples a second; 0: one a step */
    double delay;   /* s from a sample to what comes of it; at most RG_DELAYS_MAX samples are under way */
    int ncontrollers;
    const RgControllerDef *controllers;
    RgAllocator allocator;
} RgControlDef;
#define RG_DELAYS_MAX 64
RG_API RgControlDef rg_control_def_default(void);

typedef struct RgControl RgControl;
/* Two controllers on one velocity of a joint are refused. From its first step to its end (or reset) the control owns
   the efforts and drives of its joints: what was set there before is overwritten; all others stay as they are. */
RG_API RgControl *rg_control_create(const RgControlDef *def, RgError *error);
RG_API void rg_control_destroy(RgControl *control);

/* Advances the world by h, in parts that end at the samples and where delayed commands begin. The report is of all of
   them, so are rg_world_events and rg_world_gave_way; contact forces and rg_world_last_report are of the last part. On
   failure the world's state and time and the control are what they were; efforts and drives that were set for the part
   that failed may stay in the world until the next step. */
RG_API RgStatus rg_control_step(RgControl *control, double h, RgStepReport *report);
/* The problem of the coming step's first part, up to the next sample or command, as rg_world_dump_step writes it.
   Efforts and drives that were set for it stay in the world until the next step; all else is what it was. */
RG_API RgStatus rg_control_dump_step(RgControl *control, double h, const char *path, RgError *error);
/* As just created: samples are counted from the world's time on, memories are empty, its joints are let go. */
RG_API void rg_control_reset(RgControl *control);

/* What became of it so far, since creation or reset. */
typedef struct RgTracking {
    int64_t samples;
    double mean_error; /* mean absolute position error over joints and time, rad or m (002's MAE) */
    double root_mean_square;
    double largest_error;
    double largest_effort;
    int64_t saturated;     /* joints at a limit of effort or (drives) speed, summed over steps */
    double saturated_time; /* s, summed over joints */
    int64_t failed;        /* samples that a controller could not answer: it held its last command */
} RgTracking;
RG_API RgTracking rg_control_tracking(const RgControl *control);
/* One joint: wanted and had now; effort in the last step before and after limits (drives: the mean over it). */
typedef struct RgJointTracking {
    RgJointId joint;
    int dof;
    RgReference wanted; /* NaN: nothing is, or (gaits) not before the first sample */
    double position, velocity;
    double asked, effort; /* N m or N */
    bool saturated;
    double mean_error, root_mean_square, largest_error, largest_effort, saturated_time; /* as in RgTracking */
    double max_effort; /* N m or N: its limit, where none was given the model's; inf: none */
} RgJointTracking;
RG_API int rg_control_joints(const RgControl *control);
RG_API RgJointTracking rg_control_joint(const RgControl *control, int index);

/* Saved beside the world's state: the two loaded again go on with the same bits. Load checks that it is of the same
   controllers; a refusal changes nothing. */
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
