/*
 * sim.h - a world: one model in one coordinate form, advanced by one stepper.
 *
 * The saved state is complete: time, positions, velocities, the contacts of the last step with their impulses, which
 * bodies sleep, and the next step length of an error-controlled stepper. A world that loads a saved state continues
 * with the same bits.
 */
#ifndef RIGOR_SIM_H
#define RIGOR_SIM_H

#include <rigor/collision.h>
#include <rigor/dynamics.h>
#include <rigor/field.h>
#include <rigor/solver.h>
#include <rigor/stepper.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RgWorld RgWorld;

/* What the input function may read: time and joint coordinates, also in the maximal form. */
typedef struct RgInputState {
    double t;
    const double *q; /* nq */
    const double *v; /* nv */
} RgInputState;

/* What the input function may write: joint efforts (nv) and wrenches on links (world axes, about the link frame's
   origin). On entry both hold the world's constant inputs. */
typedef struct RgInput {
    double *tau;
    RgForce *wrenches;
} RgInput;

typedef void RgInputFn(const RgModel *model, const RgInputState *state, RgInput *input, void *context);

/*
 * A user-defined row (constraint), rebuilt in every step:
 *
 *   w = sum J_i . V_i + sum c_k v_k + compliance z - target
 *   low h <= z <= high h,   w >= 0 at low,   w <= 0 at high,   w = 0 between
 *
 * V_i is the twist of link i at its origin in world axes, v_k a joint velocity (0 ... nv - 1), both at the end of the
 * step of length h; z is the impulse of the row. Bounds may be infinite.
 */
#define RG_USER_LINKS 2
#define RG_USER_DOFS 2
typedef struct RgUserRow {
    int nlinks;
    RgLinkId link[RG_USER_LINKS]; /* null id: the world, which does not move */
    RgForce J[RG_USER_LINKS];
    int ndofs;
    int dof[RG_USER_DOFS];
    double coefficient[RG_USER_DOFS];
    double target;     /* m/s or rad/s */
    double compliance; /* m/s per N s (rad/s per N m s); 0: hard */
    double low, high;  /* N or N m */
} RgUserRow;

/* Poses and twists of links at the time the rows are built. */
typedef struct RgUserView RgUserView;
RG_API RgPose rg_user_link_pose(const RgUserView *view, RgLinkId link);
RG_API RgMotion rg_user_link_twist(const RgUserView *view, RgLinkId link);

/* Writes at most capacity rows and returns their number. Rows with invalid numbers are ignored. */
typedef int RgUserRowsFn(const RgModel *model, const RgInputState *state, const RgUserView *view, RgUserRow *rows,
                         int capacity, void *context);

typedef enum RgStabilise {
    /* after a step that leaves position errors in loops, couplings or joints: the smallest mass-weighted motion that
       removes them */
    RG_STABILISE_PROJECT,
    RG_STABILISE_NONE
} RgStabilise;

typedef struct RgWorldDef {
    uint32_t cookie;
    const RgModel *model; /* must outlive the world */
    const char *coords;   /* "minimal" (default) or "maximal" */
    const char *stepper;  /* "semi-implicit" (default); see rg_stepper_count */
    RgVec3 gravity;       /* default: (0, 0, -9.81) */
    RgInputFn *input;     /* called at every evaluation of the accelerations; may be NULL */
    void *input_context;
    double dissipation; /* lambda in [0, 1]: v is scaled by 1 - lambda after every step; default 0 */
    /* semi-implicit: joint dampers and springs act at the end of the step (stable for any gain); default true */
    bool implicit_damping;
    RgStabilise stabilise;
    bool contact; /* collision shapes make contact; default true */
    /* Enforce joint position limits; default true. A limit gets a row when the joint is within 0.05 (rad or m) plus the
       motion of two steps. A joint that crosses this distance within one step passes its limit and is corrected from
       the next step on. */
    bool position_limits;
    /* Enforce joint velocity limits (except limits of 0); default false. A limit gets a row from half its value on. A
       joint that accelerates from less than half to beyond the limit within one step is slowed in the next step. */
    bool velocity_limits;
    /* "quick" (default); see rg_solver_count. pgs enforces joints and loops by rows, and corrects them by erp instead
       of the projection (stabilise). */
    const char *solver;
    /* Copied. NULL: the solver's default, with the settings of the model file's <physics> (rg_contact_law_of_model). */
    const RgContactLaw *law;
    /* Options of quick; copied. NULL: defaults. For a fixed budget set max_sweeps and tolerance 0. */
    const RgQuickOptions *quick;
    /* Options of pgs; copied. NULL: defaults, with the settings of the model file's <physics>
       (rg_pgs_options_of_model). */
    const RgPgsOptions *pgs;
    /* Options of the exact solvers; copied. NULL: defaults. */
    const RgExactOptions *exact;
    RgUserRowsFn *user_rows; /* called once a step; may be NULL */
    void *user_rows_context;
    int max_user_rows; /* capacity for user rows; default 0 */
    /* Number of threads for a step; default 1. Results have the same bits for any number. */
    int threads;
    /* Put resting bodies to sleep; default false. Bodies connected by joints and contacts fall asleep together when
       their speed (root mean square over their mass) stays below sleep_speed (m/s; default 5e-3) for sleep_time (s;
       default 0.5). They wake in the step in which an awake body comes near or a joint effort or wrench on them
       changes, or by rg_world_wake. Stepper "semi-implicit" only; not together with user rows. */
    bool sleeping;
    double sleep_speed, sleep_time;
    /* Options of steppers that choose their own steps; copied. NULL: defaults. */
    const RgAdaptOptions *adapt;
    int max_attachments;      /* capacity for joints made at run time (attachment.h); default 0 */
    const RgFieldDef *fields; /* damping fields; copied. Not with steppers that locate events */
    int nfields;
    RgAllocator allocator;
} RgWorldDef;

RG_API RgWorldDef rg_world_def_default(void);

/* The settings of the model file's <physics>; what the file does not give is as in rg_contact_law_for(solver) and
   rg_pgs_options_default(). The file can set erp, cfm, the largest correcting velocity, the friction model and inertia
   scaling of the law, and iterations and sor of pgs. */
RG_API RgContactLaw rg_contact_law_of_model(const RgModel *model, const char *solver);
RG_API RgPgsOptions rg_pgs_options_of_model(const RgModel *model);

RG_API RgWorld *rg_world_create(const RgWorldDef *def, RgError *error);
RG_API void rg_world_destroy(RgWorld *world);

/* Work of the solver on the kinetic energy in a step, J. total is the sum of the other fields except forces and split,
   to round-off. quick does not enforce joints and loops by rows: their work is in forces, and in
   RgStepReport.projected. */
typedef struct RgSolverWork {
    double total;
    double forces;      /* not in total: work before the solve, by gravity, efforts, springs; with quick also joints */
    double erp;         /* correction of joints, limits and overlaps through velocities */
    double restitution; /* bounces */
    double springs;     /* springs and dampers that are rows or act at the end of the step, soft contacts */
    double motors;      /* motors, drives and user rows, including the loss when they reach their targets at once */
    double friction;    /* contacts and joints */
    double impacts;     /* all other rows that reach their targets at once; at most 0 */
    double rest;        /* compliance, closing of gaps, residual of the sweeps */
    double inertia;     /* moments of inertia moved across hinges (RgContactLaw.inertia_ratio) */
    double split;       /* not in total: potential energy from the position correction of split impulse */
} RgSolverWork;

/* What a step did. */
typedef struct RgStepReport {
    RgStatus status;
    char offender[128];     /* joint or body that caused the refusal of the step; else empty */
    double t;               /* time reached */
    double h;               /* length of the step, or of the last inner step */
    int evaluations;        /* of the accelerations */
    int substeps, rejected; /* inner steps of an error-controlled stepper */
    /* largest position error of loop joints, couplings and (maximal form) joints after the step, m or rad */
    double joint_error;
    int redundant_rows;   /* bilateral rows found to depend linearly on others */
    int dropped_products; /* jointed bodies whose velocity products were dropped: some turn by over 1 rad in the step */
    double dissipated;    /* J removed by RgWorldDef.dissipation */
    double projected;     /* J added by the stabilisation */
    /* J added by damping fields: impulses times mean velocities over the step. Semi-implicit steppers only; it is also
       contained in work.forces, or in work.springs for solvers that have joints as rows. Explicit steppers report it in
       work.forces alone: 0 here. */
    double fields;
    double attached;     /* J added by joints attached or released at the end of the step (attachment.h) */
    int contacts;        /* contact points in the problem */
    double contact_work; /* J done by contacts and bounded rows: work.total */
    int islands;         /* sets of bodies connected by contacts; 0 with pgs and pivoting solvers */
    int sweeps;          /* largest number of any island */
    /* Islands that ended above their tolerance. quick: up to 16 bodies with a single patch count as one island. pgs: 1
       for the whole scene. Meaningless if the tolerance is 0. */
    int unfinished;
    int sleeping; /* bodies asleep after the step */
    double slept; /* kinetic energy removed from bodies that fell asleep in the step, J */
    /* quick: largest relative change of an island's impulses in its last sweep; other solvers: residual_velocity. */
    double residual;

    /* Largest entries of the natural-map residual (docs/reports.md). quick: of unfinished islands only, else 0. */
    double residual_impulse;  /* N s */
    double residual_force;    /* N: residual_impulse over the step length; 0 for an impact */
    double residual_velocity; /* m/s */
    int explicit_refused;     /* joint dampers too strong for RgPgsOptions.damping_in_sweeps */

    /* pgs and pgs:jacobi: distribution of the row visits of a sweep over the threads. thread_share: largest part
       visited by one thread. thread_path: longest chain of dependent visits, relative to all visits; the speedup is at
       most 1 / thread_path. Both 1 with one thread, 0 with other solvers. */
    double thread_share, thread_path;

    /* Islands whose impulses would have added more energy than targets, motors and restitution supply. Their impulses
       were scaled down; the step is not solved. */
    int guarded;

    /* Exact solvers: number of fallbacks tried, and the solver whose result was used; 0 and NULL: the chosen solver. */
    int fallbacks;
    const char *solved_by;

    /* Exact solvers, when contacts slip by Coulomb's law: contact points that move in this solution and stick in another
       one that also satisfies it; which one the solver finds is arbitrary. 0: no other solution was found, which does not
       prove uniqueness. */
    int ambiguous;

    /* With drives: number of joint velocities that missed their target, of joint velocities with saturated effort, and
       of slipping pairs of shapes (rg_world_shortfalls). */
    int missed_targets, saturated_efforts, slipping_pairs;
    double worst_target; /* rad/s or m/s: largest velocity error of a hard drive */

    /* Sets of bodies with hard drives of unlimited effort whose targets contradict contacts, loops, limits or each
       other. The solver used the nearest feasible targets; rg_world_shortfalls lists the joints. contradictions_proven:
       infeasibility was proven for all of these sets. */
    int contradictions;
    bool contradictions_proven;

    /* Limits, drives, other bounded rows and contacts along which loops, couplings and attachments leave no motion: they
       take no part in the step. */
    int locked_rows;

    /* Work of this step's solve, and its sum over all steps with a complete report. Steppers with contact only. */
    RgSolverWork work, work_sum;
} RgStepReport;

/* Advances the world by h. On failure the state is unchanged. report may be NULL. */
RG_API RgStatus rg_world_step(RgWorld *world, double h, RgStepReport *report);

/* Report of the last step; all zero before the first step and after the state was set or loaded. Work, and residuals
   and joint errors of pgs, are included only if rg_world_step was given a report or rg_world_watch was called. */
RG_API const RgStepReport *rg_world_last_report(const RgWorld *world);

/* Makes the reports of all later steps complete, also of steps without a report argument. Recorders call it. */
RG_API void rg_world_watch(RgWorld *world);

/* Energy changes summed over all steps since the world was created, J; work: over steps with a complete report. Setting
   or loading a state does not change the sums. rg_world_set_energy_sums continues the sums of another world; NULL: sets
   all to zero. */
typedef struct RgEnergySums {
    RgSolverWork work;
    double dissipated, projected, slept, fields; /* as in RgStepReport */
    double attached;                             /* as in RgStepReport, and by calls between steps */
} RgEnergySums;
RG_API RgEnergySums rg_world_energy_sums(const RgWorld *world);
RG_API void rg_world_set_energy_sums(RgWorld *world, const RgEnergySums *sums);

/* Events of the last step, in order of time. Complete with steppers that locate events (advance, c2a, rigid, auto);
   other steppers report only joints attached, released and broken, and recorders derive the other events from
   consecutive states. Attachments made by a call between steps belong to the next step. Returns the number of events;
   the view is valid until the next step. */
RG_API int rg_world_events(const RgWorld *world, const RgEvent **out);
/* fn is called for every event at the end of the step in which it happened; NULL: no callback. */
RG_API void rg_world_set_event_fn(RgWorld *world, RgEventFn *fn, void *context);
/* Whether the world's stepper locates events. */
RG_API bool rg_world_locates(const RgWorld *world);
/* Statistics of inner steps since the world was created; all zero with steppers that make no inner steps. */
RG_API RgStepStatistics rg_world_step_statistics(const RgWorld *world);

RG_API const RgModel *rg_world_model(const RgWorld *world);

/* Settings the world was created with, and its current gravity. The strings are static. */
typedef struct RgWorldSettings {
    const char *coords, *stepper, *solver;
    RgVec3 gravity;
    bool contact; /* there are shapes, and they touch */
} RgWorldSettings;
RG_API RgWorldSettings rg_world_settings(const RgWorld *world);

RG_API double rg_world_time(const RgWorld *world);
RG_API void rg_world_set_time(RgWorld *world, double t);

/* Joint coordinates, in both coordinate forms. Views are valid until the world changes. rg_world_set_state leaves loops
   closed only if the given state closes them. */
RG_API const double *rg_world_q(RgWorld *world);                                      /* nq */
RG_API const double *rg_world_v(RgWorld *world);                                      /* nv */
RG_API RgStatus rg_world_set_state(RgWorld *world, const double *q, const double *v); /* NULL: unchanged */

/* By joint: q (nq of the joint), rate and effort (nv of the joint). Loop joints can be read but not set. Effort: the
   applied input, spring and damper at the present state. */
RG_API RgStatus rg_world_joint_position(RgWorld *world, RgJointId joint, double *q);
RG_API RgStatus rg_world_joint_rate(RgWorld *world, RgJointId joint, double *v);
RG_API RgStatus rg_world_joint_effort(RgWorld *world, RgJointId joint, double *tau);
RG_API RgStatus rg_world_set_joint_position(RgWorld *world, RgJointId joint, const double *q);
RG_API RgStatus rg_world_set_joint_rate(RgWorld *world, RgJointId joint, const double *v);
RG_API RgStatus rg_world_set_joint_effort(RgWorld *world, RgJointId joint,
                                          const double *tau); /* constant, until set again */
/* Sets the efforts of all joints and the generalised forces on floating bases: tau (nv), constant, until set again. */
RG_API RgStatus rg_world_set_efforts(RgWorld *world, const double *tau);
/* Joint efforts (nv) as last applied: the constant ones, as changed by the input function, without motors, springs and
   dampers. The view is valid until the world changes. */
RG_API const double *rg_world_input_effort(const RgWorld *world);
/* A motor on velocity dof of a joint (also of a loop joint). It drives the joint at the given velocity with at most
   max_effort, until set again. max_effort 0: no motor. RG_ERR_NOT_FOUND: no such joint or dof. */
RG_API RgStatus rg_world_set_joint_motor(RgWorld *world, RgJointId joint, int dof, double velocity, double max_effort);
/* A motor that moves to a position and holds it. Its target velocity is rate (position - q), within max_velocity. */
typedef struct RgServo {
    double position;     /* rad or m */
    double rate;         /* 1/s, above 0: the distance decays as exp(-rate t); limited to 1/h */
    double max_velocity; /* rad/s or m/s, above 0; inf: unlimited */
    double max_effort;   /* N m or N; 0: no motor */
} RgServo;

/* Motor, servo and drive share one slot per velocity: the last one set is in effect. RG_ERR_UNSUPPORTED: the joint's
   velocity is not the rate of its position (spherical, free). */
RG_API RgStatus rg_world_set_joint_servo(RgWorld *world, RgJointId joint, int dof, const RgServo *servo);

typedef struct RgMotorReport {
    bool on;
    double velocity, max_effort; /* as set; velocity of a servo: its present target */
    bool is_servo;
    double position; /* target of a servo */
    double effort;   /* N m or N, mean over the last step; 0 after the state was set */
    bool saturated;  /* the effort is at max_effort */
} RgMotorReport;

/* State of the motor on velocity dof of a joint. RG_ERR_NOT_FOUND: no such joint or dof. */
RG_API RgStatus rg_world_joint_motor(RgWorld *world, RgJointId joint, int dof, RgMotorReport *out);
/*
 * A drive: a joint target that is part of the step's problem, together with contacts, limits and loops (002, section
 * III).
 *
 * The desired position at time t is position + velocity (t - time), the desired velocity is velocity. For a step of
 * length h from q, which ends at t + h:
 *
 *   e = position + velocity (t + h - time) - q         position error at the end of the step if the joint stands still
 *   soft:  v + C z = (kp e + kd velocity + feed) / (kd + h kp),  C = 1 / (h (kd + h kp)),   |z| <= h max_effort
 *   hard:  v = e min(rate, 1/h) + (1 - min(rate h, 1)) velocity, the limit of large gains,   |z| <= h max_effort
 *          (the h in min(rate, 1/h) is that of rg_world_step, also in the inner steps of a stepper)
 *
 * A soft drive is the spring and damper kp (q* - q) + kd (v* - v) + feed evaluated at the end of the step; it is stable
 * for any gains. With a finite max_effort a drive acts like dry friction about its target, so a solution always exists;
 * a target out of reach is reported as a shortfall (rg_world_shortfalls). Targets of hard drives with infinite max_effort
 * may contradict contacts, limits, loops or each other; then no exact solution exists. Against loops and couplings such
 * drives get a compliance of 1e-6 of their response; for contacts and limits see docs/contact.md.
 */
typedef struct RgDrive {
    bool hard;
    double position, velocity, time; /* rad or m; rad/s or m/s; s */
    double kp, kd;                   /* soft: N m/rad, N m s/rad (N/m, N s/m); not both 0 */
    double feed;                     /* soft: feed-forward effort, N m or N */
    double rate;       /* hard: 1/s, decay rate of the position error; inf: within the step; 0: velocity target only */
    double max_effort; /* N m or N; inf: unlimited; 0: no drive */
    /* Reduction of max_effort for effort in the positive and in the negative direction, N m or N, 0 to max_effort
       (speed dependence of a motor) */
    double lost_forward, lost_backward;
    double max_velocity; /* hard: bound of the target velocity, rad/s or m/s; 0: none */
} RgDrive;
RG_API RgDrive rg_drive_default(void); /* soft, kp 100, kd 10, unlimited effort, target position 0 */

/* Replaces the motor or servo on that velocity, and is replaced by them. RG_ERR_UNSUPPORTED: a position target (kp or
   rate above 0) on a joint whose velocity is not the rate of its position (spherical, free). */
RG_API RgStatus rg_world_set_joint_drive(RgWorld *world, RgJointId joint, int dof, const RgDrive *drive);

typedef struct RgDriveReport {
    bool on;
    RgDrive drive;
    double effort;         /* N m or N, mean over the last step, or over the last inner step */
    bool saturated;        /* the effort is at its bound */
    double position_error; /* desired minus actual, at the end of the last step */
    double velocity_error;
} RgDriveReport;
RG_API RgStatus rg_world_joint_drive(RgWorld *world, RgJointId joint, int dof, RgDriveReport *out);

/* Kinds of shortfalls: demands that were not met in the last step. */
typedef enum RgShortfallKind {
    RG_SHORTFALL_TARGET,   /* a hard drive missed its target velocity; amount: error, rad/s or m/s */
    RG_SHORTFALL_EFFORT,   /* a drive, servo or motor is saturated; amount: its effort, N m or N */
    RG_SHORTFALL_FRICTION, /* a contact slipped; amount: slip speed, m/s */
    /* A target of a hard drive of unlimited effort that contradicts others, and a joint limit or contact that it
       contradicts. amount: weight in the infeasibility proof, 1 the largest. pgs reports only drives that loops or
       couplings lock. */
    RG_SHORTFALL_CONTRADICTION,
    RG_SHORTFALL_AGAINST
} RgShortfallKind;
typedef struct RgShortfall {
    RgShortfallKind kind;
    RgJointId joint; /* of target, effort, conflict, and against a limit */
    int dof;
    RgShapeId shape_a, shape_b; /* of friction, and against a contact */
    double amount;
} RgShortfall;
/* Shortfalls of the last step, over all its inner steps, with the largest amount of each; joints first, then contacts,
   each in order. Returns their number; the view is valid until the next step. */
RG_API int rg_world_shortfalls(RgWorld *world, const RgShortfall **out);

RG_API RgStatus rg_world_set_link_wrench(RgWorld *world, RgLinkId link, RgForce wrench); /* constant, until set again */

/* Sets gravity, m/s^2; wakes all bodies if the value changes. */
RG_API RgStatus rg_world_set_gravity(RgWorld *world, RgVec3 gravity);

/* Changes a damping field (field.h); fields are numbered from 0 in the order of RgWorldDef.fields. The field's link
   cannot change. */
RG_API RgStatus rg_world_set_field(RgWorld *world, int field, const RgFieldDef *def, RgError *error);
/* The field that contains the centre of mass of the link's body now; -1: none. */
RG_API int rg_world_field_of(RgWorld *world, RgLinkId link);

/* Wakes the link's body and all bodies connected to it; null id: all bodies. Setting motors, efforts, wrenches or
   states, and loading states, also wakes bodies. */
RG_API void rg_world_wake(RgWorld *world, RgLinkId link);
RG_API bool rg_world_is_asleep(const RgWorld *world, RgLinkId link);

/* Closes loops and couplings by Newton's method with the smallest change of the present state. error_left: remaining
   error. */
RG_API RgStatus rg_world_assemble(RgWorld *world, double *error_left);

/* Like rg_world_assemble, but keeps the joint positions marked in held_positions and the rates marked in held_rates (nv
   each; NULL: none) as far as loops and couplings allow. */
RG_API RgStatus rg_world_assemble_holding(RgWorld *world, const bool *held_positions, const bool *held_rates,
                                          double *error_left);

/* Wrench of the parent on the child through the joint now (also welds and loop joints): world axes, about the origin of
   the joint frame on the child. It includes effort, spring and damper along the joint's axes, and the mean forces of
   contacts, limits, motors, dry friction and user rows in the last step (none after the state was set). */
RG_API RgStatus rg_world_joint_reaction(RgWorld *world, RgJointId joint, RgForce *out);

/* Efforts that a coupling (mimic, gear) exerts on its two joints now, N m or N, with the conventions of
   rg_world_joint_reaction. They do no net work: reference = -ratio joint. Impacts within the step are not included. */
typedef struct RgCouplingEffort {
    double joint, reference;
} RgCouplingEffort;
/* out: one entry per coupling of the model. Like rg_world_joint_reaction it calls the input function once. */
RG_API RgStatus rg_world_coupling_efforts(RgWorld *world, RgCouplingEffort *out);

/* Joint accelerations now, with all constraints; contacts and bounded rows as in rg_world_joint_reaction. a: nv. */
RG_API RgStatus rg_world_acceleration(RgWorld *world, double *a);

RG_API RgPose rg_world_link_pose(RgWorld *world, RgLinkId link);
RG_API RgMotion rg_world_link_twist(RgWorld *world, RgLinkId link); /* world axes, at the link's origin */
RG_API RgPose rg_world_frame_pose(RgWorld *world, RgFrameId frame);
RG_API RgStatus rg_world_momentum(RgWorld *world, RgMomentum *out);
RG_API double rg_world_joint_error(RgWorld *world); /* as in the report */

/* ------------------------------------------------------------------ contact */

/*
 * Which shapes can make contact. Not: links that are welded together or connected by a joint; links of one group
 * (robot) unless both have self_collide; shapes whose masks exclude each other. The model's list of link pairs
 * overrides these rules. Meshes of moving links are represented by the convex hulls of their parts, meshes of fixed
 * links by their triangles, unless RgShapeDef.mesh_use overrides it.
 *
 * rg_world_create prepares the shapes and fails if one is invalid. A world without contact or bodies prepares them in
 * the first of the calls below, whose error (may be NULL) names the invalid shape. Results depend on the state only.
 */

/* The contacts of one pair of shapes: manifolds first_manifold ... first_manifold + nmanifolds - 1 of the view. */
typedef struct RgShapeContacts {
    RgShapeId shape_a, shape_b; /* a < b */
    int32_t first_manifold, nmanifolds;
} RgShapeContacts;

/* Valid until the next contact query. A manifold refers to its points by index. There are no contacts between two
   triangle surfaces: steppers that locate events refuse a model in which two could meet; auto makes plain steps then.
   */
typedef struct RgContactView {
    const RgShapeContacts *pairs;
    const RgManifold *manifolds;
    const RgContactPoint *points;
    int32_t npairs, nmanifolds, npoints;
    int32_t unsure; /* pairs whose distance is not proven to the promised accuracy */
    bool reduced;   /* some contacts are missing: RgContactBuffer.reduced */
} RgContactView;
RG_API RgStatus rg_world_contacts(RgWorld *world, const RgManifoldOptions *options, RgContactView *out, RgError *error);

typedef enum RgContactState { RG_CONTACT_OPEN, RG_CONTACT_STICK, RG_CONTACT_SLIP } RgContactState;

/* One contact point in the last step. World axes; mean force over the step, velocities at its end. */
typedef struct RgContactForce {
    RgShapeId shape_a, shape_b; /* a < b */
    uint64_t id;
    RgVec3 point;  /* halfway between the surfaces, at the beginning of the step */
    RgVec3 normal; /* unit, from A to B */
    RgVec3 force;  /* on B, N */
    /* on B, N m: torsional and rolling friction of the points of one patch, reported at the first of them */
    RgVec3 moment;
    double gap;  /* m, at the beginning of the step */
    RgVec3 slip; /* tangential velocity of B relative to A, m/s */
    RgContactState state;
} RgContactForce;

/* The contact points of the last step, in the order of their shape numbers; returns their number. Empty after the state
   was set or loaded and after a refused step. The view is valid until the world changes. */
RG_API int rg_world_contact_forces(RgWorld *world, const RgContactForce **out);

/* Islands of the last step whose forces are not unique: contacts, joints or motors share loads in more than one way.
   The reported forces are those of least norm (docs/solvers.md), except in as_solved of the islands, where they are as
   the solver left them. Both 0 if least_norm is off or the solver does not support it. */
typedef struct RgOpenForces {
    int islands, as_solved;
} RgOpenForces;
RG_API RgOpenForces rg_world_open_forces(RgWorld *world);

typedef struct RgShapeDistance {
    RgShapeId shape_a, shape_b; /* a < b */
    RgDistance distance;
} RgShapeDistance;

/* Pairs of shapes that can make contact and are within margin (m, may be infinite), in the order of their numbers.
   Writes at most capacity pairs; *count: number of all. */
RG_API RgStatus rg_world_distances(RgWorld *world, double margin, RgShapeDistance *out, int capacity, int *count,
                                   RgError *error);

/* Distance of one pair, also of shapes that cannot make contact. RG_ERR_NOT_FOUND: no such shape, or no geometry. */
RG_API RgStatus rg_world_distance(RgWorld *world, RgShapeId a, RgShapeId b, RgDistance *out, RgError *error);

/* First collision shape on the ray whose category has a bit of mask; null id in *shape: no hit. */
RG_API RgStatus rg_world_ray_cast(RgWorld *world, const RgRay *ray, uint32_t mask, RgShapeId *shape, RgRayHit *out,
                                  RgError *error);

/* A shape as prepared for collision, at its present pose; geometry NULL: it has none. The geometry is valid as long as
   the world. */
RG_API RgStatus rg_world_placed(RgWorld *world, RgShapeId shape, RgPlaced *out, RgError *error);

/* Saved states: rg_world_state_size bytes, which depend on the number of contacts. rg_world_state_load checks that the
   state belongs to the same model and coordinate form. */
RG_API size_t rg_world_state_size(const RgWorld *world);
RG_API void rg_world_state_save(const RgWorld *world, void *buffer);
RG_API RgStatus rg_world_state_load(RgWorld *world, const void *buffer, size_t size);
RG_API uint64_t rg_world_hash(const RgWorld *world);

/* Writes the problem that a step of h seconds from the present state would solve, with its initial guess, for `rigor
   solve` and rg_problem_file_read. With solver quick: the rows as pgs has them. The state does not change, but the
   forces of the last step are discarded, and the input function is called once. RG_ERR_NOT_FOUND: the step has no
   rows. */
RG_API RgStatus rg_world_dump_step(RgWorld *world, double h, const char *path, RgError *error);

/* Names for menus. */
RG_API int rg_stepper_count(void);
RG_API const char *rg_stepper_name(int index);
RG_API const char *rg_stepper_summary(int index);
RG_API bool rg_stepper_locates(int index); /* it makes inner steps and reports their events */
RG_API int rg_coords_count(void);
RG_API const char *rg_coords_name(int index);
RG_API const char *rg_coords_summary(int index);

#ifdef __cplusplus
}
#endif
#endif
