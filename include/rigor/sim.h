/*
 * sim.h - a world: one model in one coordinate form, moved by one stepper.
 *
 * The state is all there is: time, positions, velocities, the contacts of the last step with their impulses,
 * who sleeps, the next length of an error-controlled step. A saved state that is loaded again goes on with
 * the same bits.
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

/* What the input function may read: time, and the joint coordinates, in both coordinate forms. */
typedef struct RgInputState {
    double t;
    const double *q; /* nq */
    const double *v; /* nv */
} RgInputState;

/* What it may write: joint efforts (nv) and wrenches on links (world axes, about the link frame's origin).
   Both come holding the world's constant inputs. */
typedef struct RgInput {
    double *tau;
    RgForce *wrenches;
} RgInput;

typedef void RgInputFn(const RgModel *model, const RgInputState *state, RgInput *input, void *context);

/*
 * Rows of the user's own, added anew each step: along them
 *
 *   w = sum J_i . V_i + sum c_k v_k + compliance z - target,   low h <= z <= high h,   w >= 0 at low, <= 0 at
 *   high
 *
 * V_i the twist of link i at its origin in world axes, v_k a joint velocity (0 ... nv - 1), all at the end of
 * the step of length h; z the row's impulse. Infinite bounds are allowed.
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

/* Where links are while rows are asked for. */
typedef struct RgUserView RgUserView;
RG_API RgPose rg_user_link_pose(const RgUserView *view, RgLinkId link);
RG_API RgMotion rg_user_link_twist(const RgUserView *view, RgLinkId link);

/* Writes at most capacity rows and returns how many. A row with bad numbers is left out. */
typedef int RgUserRowsFn(const RgModel *model, const RgInputState *state, const RgUserView *view, RgUserRow *rows,
                         int capacity, void *context);

typedef enum RgStabilise {
    /* after a step that left errors of loops, couplings or joints: smallest mass-weighted motion that
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
    RgInputFn *input;     /* called with every evaluation of the accelerations; may be NULL */
    void *input_context;
    double dissipation; /* lambda in [0, 1]: v is scaled by 1 - lambda after every step; default 0 */
    /* semi-implicit: joint dampers and springs at the end of the step (stable for any gain); default true */
    bool implicit_damping;
    RgStabilise stabilise;
    bool contact; /* shapes touch; default true */
    /* Joints keep their limits; default true. Watched from 0.05 (rad or m) and two steps' way before: what
       goes farther within one step is brought back from the next on. */
    bool position_limits;
    /* Joints keep their velocity limits (but 0), whatever drives them; default false. Watched from half the
       limit on: what passes it from less within one step is slowed in the next. */
    bool velocity_limits;
    /* "quick" (default); see rg_solver_count. pgs keeps joints and loops by rows of its own, with erp in
       place of stabilise. */
    const char *solver;
    /* Copied. NULL: the default for the solver, and what the model's file says in <physics>
       (rg_contact_law_of_model). */
    const RgContactLaw *law;
    /* Of quick; copied. NULL: the defaults. A fixed budget: max_sweeps with tolerance 0. */
    const RgQuickOptions *quick;
    /* Of pgs; copied. NULL: the defaults, and what the model's file says in <physics> (rg_pgs_options_of_model). */
    const RgPgsOptions *pgs;
    /* Of exact solvers; copied. NULL: the defaults. */
    const RgExactOptions *exact;
    RgUserRowsFn *user_rows; /* called once a step; may be NULL */
    void *user_rows_context;
    int max_user_rows; /* room for them; default 0: none */
    /* That share the work of a step; default 1. The same bits for any number. Sweeps of pgs run on one. */
    int threads;
    /* Bodies that have come to rest are frozen until something happens to them: what hangs together by joints and
       contacts falls asleep when all of it has been slower than sleep_speed (root of the mean square over its
       mass, m/s; default 5e-3) for sleep_time (s; default 0.5), and wakes in the step in which an awake body
       comes near, a joint effort or wrench on it changes, or it is woken by call. Default false. Stepper
       "semi-implicit" only, and not with user rows. */
    bool sleeping;
    double sleep_speed, sleep_time;
    /* Of steppers that choose their own steps; copied. NULL: the defaults. */
    const RgAdaptOptions *adapt;
    int max_attachments;      /* room for joints made at run time (attachment.h); default 0: none */
    const RgFieldDef *fields; /* damping fields; copied. Not with steppers that locate events */
    int nfields;
    RgAllocator allocator;
} RgWorldDef;

RG_API RgWorldDef rg_world_def_default(void);

/* As a model's file gives them in <physics>, else as rg_contact_law_for(solver), rg_pgs_options_default(). Law: erp,
   cfm, largest correcting velocity, friction model, inertia scaling. Of pgs: iterations, sor. */
RG_API RgContactLaw rg_contact_law_of_model(const RgModel *model, const char *solver);
RG_API RgPgsOptions rg_pgs_options_of_model(const RgModel *model);

RG_API RgWorld *rg_world_create(const RgWorldDef *def, RgError *error);
RG_API void rg_world_destroy(RgWorld *world);

/* What a solver did to the kinetic energy in a step, J: total = the sum of the others but forces and split, to
   round-off. With quick joints and loops are kept beside it, by forces, and by projection (RgStepReport.projected). */
typedef struct RgSolverWork {
    double total;
    double forces; /* beside total: what all else did before the solver: gravity, efforts, springs; with quick joints */
    double erp;    /* correction of joints, limits and overlaps through velocities */
    double restitution; /* bounces */
    double springs;     /* springs and dampers that are rows or taken at the end of the step, soft contacts */
    double motors;      /* motors, drives and user rows, with what it costs them to reach their targets at once */
    double friction;    /* contacts and joints */
    double impacts;     /* all other rows reaching their targets at once: never above 0 */
    double rest;        /* softness, gaps that close, what sweeps left undone */
    double inertia;     /* moments of inertia moved across hinges */
    double split;       /* potential energy by the motion of split impulse; beside total */
} RgSolverWork;

/* What a step did. */
typedef struct RgStepReport {
    RgStatus status;
    char offender[128];     /* joint or body that is to blame where the step was refused */
    double t;               /* time reached */
    double h;               /* length of the (last inner) step */
    int evaluations;        /* of the accelerations */
    int substeps, rejected; /* inner steps of an error-controlled stepper */
    /* largest error of loop joints, couplings and (maximal) joints left after the step, m or rad */
    double joint_error;
    int redundant_rows; /* bilateral rows found dependent on others */
    int calmed; /* bodies on joints whose velocity products were left out: some turn by over a radian in the step */
    double dissipated; /* J removed by the dissipation option */
    double projected;  /* J added by the stabilisation */
    /* J that damping fields took, negative; of those in work.forces, of solvers that take joints as rows in
       work.springs. Semi-implicit steppers; explicit ones have it in work.forces alone, and 0 here. */
    double fields;
    double attached;     /* J added by joints made and released at its end (attachment.h) */
    int contacts;        /* contact points that took part */
    double contact_work; /* J done by contacts and bounded rows: work.total */
    int islands;         /* sets of bodies that contacts hold together; 0 with pgs and pivoting solvers */
    int sweeps;          /* most of any island */
    /* Islands that ended above their tolerance; movers with a single patch count up to 16 as one; pgs: 1 for all. With
       tolerance 0 it says nothing. */
    int unfinished;
    int sleeping; /* bodies asleep after the step */
    double slept; /* J of motion taken from those that fell asleep in it */
    /* Largest change of an island's impulses in its last sweep, as a part of them; all but quick: residual_velocity. */
    double residual;

    /* Largest entries of the natural-map residual; with quick of unfinished islands, else 0. docs/reports.md. */
    double residual_impulse;  /* N s */
    double residual_force;    /* N: that impulse over the length of its step; 0: an impact, which has none */
    double residual_velocity; /* m/s */
    int explicit_refused;     /* dampers too strong for damping_in_sweeps */

    /* pgs and pgs:jacobi: how the row visits of a sweep are shared by the threads. Largest part that one of them makes;
       longest chain of visits that wait for each other, as a part of all: threads gain at most 1 / thread_path. 1: by
       one thread; 0: another solver. */
    double thread_share, thread_path;

    /* Islands whose impulses would have added more energy than targets, motors and restitution give: they were scaled
       back until they did not, and the step is not solved. */
    int guarded;

    /* Exact solvers: tries beyond the first, and whose answer was kept; 0 and NULL: the solver that was asked. */
    int fallbacks;
    const char *solved_by;

    /* Exact solvers, where contacts slip: contact points that would move otherwise, and stick, in another answer, which
       obeys the law as well; which of the two is found is chance. 0: none was found, which proves nothing. */
    int ambiguous;

    /* Where joints have drives: what gave way (rg_world_gave_way), numbers of joint velocities and of pairs of
       shapes. */
    int gave_target, gave_effort, gave_friction;
    double worst_target; /* rad/s or m/s: by which the worst hard drive missed its velocity */

    /* Sets of bodies in which hard drives of any effort cannot be met, by what contacts, loops, limits or each other
       allow: the nearest targets that can be were taken (rg_world_gave_way names the joints). Whether that is proven
       for all. */
    int contradictions;
    bool contradictions_proven;

    /* Work of this step's solve, and its sum over all steps that were asked for a report. Steppers with contact
       only. */
    RgSolverWork work, work_sum;
} RgStepReport;

/* Advances by h. On failure the state is what it was before the call. */
RG_API RgStatus rg_world_step(RgWorld *world, double h, RgStepReport *report);

/* Report of the last step that was made; all zero before the first, and where the state was set or loaded
   since. Work, and residuals and joint errors of pgs, are in it only if rg_world_step was given a report or the
   world is watched. */
RG_API const RgStepReport *rg_world_last_report(const RgWorld *world);

/* From now on reports are whole, also where none is asked for. Recorders do so. */
RG_API void rg_world_watch(RgWorld *world);

/* What was done to the energy over all steps since the world was made, J; work over those with a whole report. Setting
   and loading states leaves it. A world that takes the place of another can be given its sums; NULL: all zero. */
typedef struct RgEnergySums {
    RgSolverWork work;
    double dissipated, projected, slept, fields; /* as RgStepReport has them */
    double attached;                             /* the same, by call between steps too */
} RgEnergySums;
RG_API RgEnergySums rg_world_energy_sums(const RgWorld *world);
RG_API void rg_world_set_energy_sums(RgWorld *world, const RgEnergySums *sums);

/* What happened in the last step, in the order of time: with steppers that locate events (advance, c2a, rigid, auto);
   with others only joints attached, released and broken, and recorders find the rest by looking from step to step. What
   was attached by call is of the next step. The view lives until the next step. */
RG_API int rg_world_events(const RgWorld *world, const RgEvent **out);
/* fn is called for every one of them at the end of the step in which it happened; NULL: nobody. */
RG_API void rg_world_set_event_fn(RgWorld *world, RgEventFn *fn, void *context);
/* Whether its stepper locates events. */
RG_API bool rg_world_locates(const RgWorld *world);
/* Inner steps since the world was made; all zero with steppers that make none. */
RG_API RgStepStatistics rg_world_step_statistics(const RgWorld *world);

RG_API const RgModel *rg_world_model(const RgWorld *world);

/* What the world was made with, gravity as it is now. Names live as long as the program. */
typedef struct RgWorldSettings {
    const char *coords, *stepper, *solver;
    RgVec3 gravity;
} RgWorldSettings;
RG_API RgWorldSettings rg_world_settings(const RgWorld *world);

RG_API double rg_world_time(const RgWorld *world);
RG_API void rg_world_set_time(RgWorld *world, double t);

/* Joint coordinates, whatever the form. Views stay valid until the world changes. Setting closes loops
   only if they were closed. */
RG_API const double *rg_world_q(RgWorld *world);                                      /* nq */
RG_API const double *rg_world_v(RgWorld *world);                                      /* nv */
RG_API RgStatus rg_world_set_state(RgWorld *world, const double *q, const double *v); /* either may be NULL: kept */

/* By joint: q (nq of the joint), rate and effort (nv of the joint). Loop joints answer too; they cannot be
   set. */
RG_API RgStatus rg_world_joint_position(RgWorld *world, RgJointId joint, double *q);
RG_API RgStatus rg_world_joint_rate(RgWorld *world, RgJointId joint, double *v);
RG_API RgStatus rg_world_joint_effort(RgWorld *world, RgJointId joint,
                                      double *tau); /* applied input + spring + damper now */
RG_API RgStatus rg_world_set_joint_position(RgWorld *world, RgJointId joint, const double *q);
RG_API RgStatus rg_world_set_joint_rate(RgWorld *world, RgJointId joint, const double *v);
RG_API RgStatus rg_world_set_joint_effort(RgWorld *world, RgJointId joint,
                                          const double *tau); /* constant, until set again */
/* All of them at once, and what floating bases are pushed with: tau (nv). */
RG_API RgStatus rg_world_set_efforts(RgWorld *world, const double *tau);
/* Joint efforts (nv) as they were last applied: the constant ones, changed by the input function. Motors, springs and
   dampers are not in them. The view lives until the world changes. */
RG_API const double *rg_world_input_effort(const RgWorld *world);
/* A motor on velocity dof of a joint (loop joints too): drives it at velocity with at most max_effort,
   until set again. max_effort 0: no motor. RG_ERR_NOT_FOUND: no such joint or dof. */
RG_API RgStatus rg_world_set_joint_motor(RgWorld *world, RgJointId joint, int dof, double velocity, double max_effort);
/* A motor that goes to a position and holds it: it aims at velocity rate (position - q), in bounds. */
typedef struct RgServo {
    double position;     /* rad or m */
    double rate;         /* 1/s, above 0: the distance shrinks by exp(-rate t); at most 1/h counts */
    double max_velocity; /* rad/s or m/s, above 0; inf: any */
    double max_effort;   /* N m or N; 0: no motor */
} RgServo;

/* The same place as the motor's: what was set last counts. RG_ERR_UNSUPPORTED: the joint's velocity is not the rate of
   its position (spherical, free). */
RG_API RgStatus rg_world_set_joint_servo(RgWorld *world, RgJointId joint, int dof, const RgServo *servo);

typedef struct RgMotorReport {
    bool on;
    double velocity, max_effort; /* as set; of a servo the velocity that it aims at now */
    bool is_servo;
    double position; /* of a servo: where it goes */
    double effort;   /* N m or N, mean over the last step; 0 where the state was set since */
    bool saturated;  /* that effort is all that max_effort, as it is set now, allows */
} RgMotorReport;

/* What the motor on velocity dof of a joint does. RG_ERR_NOT_FOUND: no such joint or dof. */
RG_API RgStatus rg_world_joint_motor(RgWorld *world, RgJointId joint, int dof, RgMotorReport *out);
/*
 * A drive: the joint's target inside the step's solve, together with contacts, limits and loops (002 section III).
 *
 * Wanted at time t: position + velocity (t - time), and velocity. Over a step of length h from q on, to the end t + h:
 *
 *   e = position + velocity (t + h - time) - q         the way to go
 *   soft:  v + C z = (kp e + kd velocity + feed) / (kd + h kp),  C = 1 / (h (kd + h kp)),   |z| <= h max_effort
 *   hard:  v = e min(rate, 1/h) + (1 - min(rate h, 1)) velocity, the limit of large gains,   |z| <= h max_effort
 *          (h under the rate: that of rg_world_step, also in the inner steps of steppers that make some)
 *
 * so soft is the spring and damper kp (q* - q) + kd (v* - v) + feed taken at the end of the step, stable for any gains,
 * and every drive is a law of dry friction about its target: for a finite max_effort a solution exists, and what cannot
 * be reached gives way. Hard drives of any effort may ask for what contacts, limits, loops or each other forbid: then
 * there is none. Against loops and couplings they give way by 1e-6 of their response, against contacts and limits as
 * docs/contact.md says.
 */
typedef struct RgDrive {
    bool hard;
    double position, velocity, time; /* rad or m, per s, s */
    double kp, kd;                   /* soft: N m/rad, N m s/rad (N/m, N s/m); not both 0 */
    double feed;                     /* soft: effort beside spring and damper, N m or N */
    double rate;       /* hard: 1/s by which a distance shrinks; inf: within the step; 0: velocity alone */
    double max_effort; /* N m or N; inf: any; 0: no drive */
    /* What a motor that turns is short of it in the positive and in the negative direction, from 0 to max_effort */
    double lost_forward, lost_backward;
    double max_velocity; /* hard: rad/s or m/s that it aims at at most; 0: any */
} RgDrive;
RG_API RgDrive rg_drive_default(void); /* soft, kp 100, kd 10, any effort, at 0 */

/* Takes the place of the joint's motor or servo on that velocity; these take its place. RG_ERR_UNSUPPORTED: position is
   asked for (kp or rate above 0) where the joint's velocity is not the rate of its position (spherical, free). */
RG_API RgStatus rg_world_set_joint_drive(RgWorld *world, RgJointId joint, int dof, const RgDrive *drive);

typedef struct RgDriveReport {
    bool on;
    RgDrive drive;
    double effort;  /* N m or N, mean over the last step; steppers that make inner steps: over the last of these */
    bool saturated; /* that effort is all that max_effort allows */
    double position_error; /* wanted less reached, at the end of the last step */
    double velocity_error;
} RgDriveReport;
RG_API RgStatus rg_world_joint_drive(RgWorld *world, RgJointId joint, int dof, RgDriveReport *out);

/* What gave way in the last step where not all that was asked for could be had. */
typedef enum RgGaveKind {
    RG_GAVE_TARGET,   /* a hard drive missed its velocity by amount, rad/s or m/s */
    RG_GAVE_EFFORT,   /* a drive, servo or motor gave all it may: amount is its effort, N m or N */
    RG_GAVE_FRICTION, /* a contact slipped: amount is its speed, m/s */
    /* Targets of hard drives of any effort that cannot be met together, and what they contradict: a joint's limit, a
       contact. Amount is the share in the proof, 1 the largest (solvers other than quick and pgs). */
    RG_GAVE_CONFLICT,
    RG_GAVE_AGAINST
} RgGaveKind;
typedef struct RgGaveWay {
    RgGaveKind kind;
    RgJointId joint; /* target, effort, conflict, against a limit */
    int dof;
    RgShapeId shape_a, shape_b; /* friction, against a contact */
    double amount;
} RgGaveWay;
/* In the order of joints, then of contacts, over all inner steps of the last step, largest amount of each. The view
   lives until the next step. */
RG_API int rg_world_gave_way(RgWorld *world, const RgGaveWay **out);

RG_API RgStatus rg_world_set_link_wrench(RgWorld *world, RgLinkId link, RgForce wrench); /* constant, until set again */

/* Gravity from now on, m/s^2; wakes everybody where it is another. */
RG_API RgStatus rg_world_set_gravity(RgWorld *world, RgVec3 gravity);

/* Damping fields (field.h), numbered from 0 as they were given: other numbers from now on. A field stays on its
   link. */
RG_API RgStatus rg_world_set_field(RgWorld *world, int field, const RgFieldDef *def, RgError *error);
/* The field that slows a link's body now, by its centre of mass; -1: none. */
RG_API int rg_world_field_of(RgWorld *world, RgLinkId link);

/* Wakes the link's body and what hangs together with it; null id: everybody. Motors, efforts and wrenches that
   are set anew, and states that are set or loaded, do it too. */
RG_API void rg_world_wake(RgWorld *world, RgLinkId link);
RG_API bool rg_world_is_asleep(const RgWorld *world, RgLinkId link);

/* Moves loops and couplings onto each other by Newton's method, keeping as near the present state as it
   can. */
RG_API RgStatus rg_world_assemble(RgWorld *world, double *error_left);

/* The same, but the velocities marked in held_positions and held_rates (nv each; NULL: none) keep their joint
   positions and rates as far as loops and couplings let them. */
RG_API RgStatus rg_world_assemble_holding(RgWorld *world, const bool *held_positions, const bool *held_rates,
                                          double *error_left);

/* Wrench that the parent exerts on the child through the joint now (welds and loop joints too): world
   axes, about the origin of the joint frame on the child. It includes effort, spring and damper along the
   joint's own axes, and what contacts, limits, motors, dry friction and user rows gave on average over the last
   step (none where the state was set since). */
RG_API RgStatus rg_world_joint_reaction(RgWorld *world, RgJointId joint, RgForce *out);

/* What a coupling (mimic, gear) transmits now, in the sense of rg_world_joint_reaction: the efforts that it puts on its
   two joints, N m or N. They do no work together: reference = -ratio joint. Blows within a step are not in it. */
typedef struct RgCouplingEffort {
    double joint, reference;
} RgCouplingEffort;
/* out: one a coupling of the model. As with reactions, the input function is asked once more. */
RG_API RgStatus rg_world_coupling_efforts(RgWorld *world, RgCouplingEffort *out);

/* Accelerations of the joint velocities now, with all constraints; contacts and bounded rows as in
   rg_world_joint_reaction. a: nv. */
RG_API RgStatus rg_world_acceleration(RgWorld *world, double *a);

RG_API RgPose rg_world_link_pose(RgWorld *world, RgLinkId link);
RG_API RgMotion rg_world_link_twist(RgWorld *world, RgLinkId link); /* world axes, at the link's origin */
RG_API RgPose rg_world_frame_pose(RgWorld *world, RgFrameId frame);
RG_API RgStatus rg_world_momentum(RgWorld *world, RgMomentum *out);
RG_API double rg_world_joint_error(RgWorld *world); /* as in the report */

/* ------------------------------------------------------------------ contact */

/*
 * Who may touch whom: links welded together do not, nor links that a joint connects; links of one group
 * (robot) only where both are self_collide; masks of shapes; and the model's list of pairs has the last word.
 * Meshes of moving links stand as the convex hulls of their parts, meshes of what stands still as their
 * triangles, unless RgShapeDef.mesh_use says otherwise.
 *
 * The shapes are prepared by rg_world_create, which fails where one is bad; in a world without contact or
 * bodies by the first of these calls: error (may be NULL) then says which one is bad. Answers depend on the
 * state alone.
 */

/* The contacts of one pair of shapes: nmanifolds of the view's manifolds from first_manifold on. */
typedef struct RgShapeContacts {
    RgShapeId shape_a, shape_b; /* a < b */
    int32_t first_manifold, nmanifolds;
} RgShapeContacts;

/* Valid until the next question about contacts. Manifolds name their points. Surfaces do not meet surfaces: steppers
   that locate events refuse a model in which they could, but for auto, which makes plain steps then. */
typedef struct RgContactView {
    const RgShapeContacts *pairs;
    const RgManifold *manifolds;
    const RgContactPoint *points;
    int32_t npairs, nmanifolds, npoints;
    int32_t unsure; /* pairs whose distance could not be proven to the promised accuracy */
    bool reduced;   /* some contacts were left out: RgContactBuffer.reduced */
} RgContactView;
RG_API RgStatus rg_world_contacts(RgWorld *world, const RgManifoldOptions *options, RgContactView *out, RgError *error);

typedef enum RgContactState { RG_CONTACT_OPEN, RG_CONTACT_STICK, RG_CONTACT_SLIP } RgContactState;

/* What one contact point did in the last step. World axes; mean force over the step, velocities at its
   end. */
typedef struct RgContactForce {
    RgShapeId shape_a, shape_b; /* a < b */
    uint64_t id;
    RgVec3 point;  /* halfway between the surfaces, at the beginning of the step */
    RgVec3 normal; /* unit, from A to B */
    RgVec3 force;  /* on B, N */
    RgVec3 moment; /* on B, N m: torsional and rolling friction of the points that share a surface, at the first */
    double gap;    /* m, at the beginning of the step */
    RgVec3 slip;   /* velocity of B against A across the normal, m/s */
    RgContactState state;
} RgContactForce;

/* The contact points of the last step, in the order of their shapes' numbers. The view lives until the
   world changes. None where the state was set or loaded since, or the step was refused. */
RG_API int rg_world_contact_forces(RgWorld *world, const RgContactForce **out);

/* Islands of the last step whose motion leaves forces open: contacts, joints, motors share loads in more ways than one.
   Their forces are those of least norm (docs/solvers.md), but as solved in so many of them. Both 0 where least_norm is
   off, and with solvers that do not have it. */
typedef struct RgOpenForces {
    int islands, as_solved;
} RgOpenForces;
RG_API RgOpenForces rg_world_open_forces(RgWorld *world);

typedef struct RgShapeDistance {
    RgShapeId shape_a, shape_b; /* a < b */
    RgDistance distance;
} RgShapeDistance;

/* The pairs of shapes that may touch and come within margin (m, may be infinite), in the order of their
   numbers. At most capacity are written; *count: how many there are. */
RG_API RgStatus rg_world_distances(RgWorld *world, double margin, RgShapeDistance *out, int capacity, int *count,
                                   RgError *error);

/* One pair, whether it may touch or not. RG_ERR_NOT_FOUND: no such shape, or one without geometry. */
RG_API RgStatus rg_world_distance(RgWorld *world, RgShapeId a, RgShapeId b, RgDistance *out, RgError *error);

/* First collision shape on the ray with a bit of mask in its category; null id in *shape: none. */
RG_API RgStatus rg_world_ray_cast(RgWorld *world, const RgRay *ray, uint32_t mask, RgShapeId *shape, RgRayHit *out,
                                  RgError *error);

/* A shape as prepared for collision, where it is now; geometry NULL: it has none. Lives as long as the
   world. */
RG_API RgStatus rg_world_placed(RgWorld *world, RgShapeId shape, RgPlaced *out, RgError *error);

/* Saved states: rg_world_state_size bytes, which change with the number of contacts. load checks that it
   is of the same model and coordinate form. */
RG_API size_t rg_world_state_size(const RgWorld *world);
RG_API void rg_world_state_save(const RgWorld *world, void *buffer);
RG_API RgStatus rg_world_state_load(RgWorld *world, const void *buffer, size_t size);
RG_API uint64_t rg_world_hash(const RgWorld *world);

/* Writes the rows of the problem that a step of h seconds from here would solve, with its first guess, for `rigor
   solve` and rg_problem_file_read. With solver quick: the rows that pgs would be given. The state stays as it is, but
   the forces of the last step are forgotten, and the input function is asked once more. RG_ERR_NOT_FOUND: the step has
   no rows. */
RG_API RgStatus rg_world_dump_step(RgWorld *world, double h, const char *path, RgError *error);

/* Names for menus. */
RG_API int rg_stepper_count(void);
RG_API const char *rg_stepper_name(int index);
RG_API const char *rg_stepper_summary(int index);
RG_API bool rg_stepper_locates(int index); /* it makes inner steps of its own, and tells their events */
RG_API int rg_coords_count(void);
RG_API const char *rg_coords_name(int index);
RG_API const char *rg_coords_summary(int index);

#ifdef __cplusplus
}
#endif
#endif
