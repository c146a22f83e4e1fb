/*
 * stepper.h - the state, the stages of a step, and the interface of steppers.
 *
 * A stepper calls the stages in some order and chooses h. The plain step:
 *
 *   kinematics   poses and twists of the bodies at x, u
 *   forces       input function, springs and dampers
 *   collide      contacts at the present poses
 *   dynamics     accelerations by these forces, with joints and loops kept unless the solver has them as rows
 *   solve        contacts, limits, motors and other rows: velocities at the end of the step
 *   advance      positions along these velocities, by the form's exponential map
 *
 * Each stage only reads the results of the stages before it.
 */
#ifndef RIGOR_STEPPER_H
#define RIGOR_STEPPER_H

#include "constraint/contact_solve.h"
#include "stepper/sleep.h"
#include "stepper/step_log.h"

#include <rigor/sim.h>

/* The complete state between two steps. */
typedef struct RgState {
    double t;      /* s */
    double h_next; /* s: next step length of a stepper with error control; 0: not known */
    double *x;     /* nx */
    double *u;     /* nu */
    RgContactMemory memory;
    RgRest rest; /* which bodies sleep; unused where sleeping is off */
} RgState;

/* Efforts and wrenches applied to a world. */
typedef struct RgInputSource {
    RgInputFn *fn;
    void *context;
    const double *tau_constant;     /* nv */
    const RgForce *wrench_constant; /* nlinks */
    bool any_wrench;                /* constant wrenches or an input function that may write them */
    bool sampled;                   /* the values of the last rg_stage_sample_input are used; fn is not called */
    double *tau;                    /* nv: efforts after the last call of fn */
    RgForce *wrenches;              /* nlinks: wrenches after it */
} RgInputSource;

/* Results of the last forces stage. */
typedef struct RgStepForces {
    double *tau;       /* nv: efforts, including springs and dampers */
    RgForce *on_links; /* nlinks */
    RgForce *on_bodies;
    const double *diagonal; /* nv: added to the diagonal of M by implicit springs and dampers; NULL: none */
} RgStepForces;

/* Working memory of stages and steppers. */
typedef struct RgStepScratch {
    double *a;         /* nu */
    double *memory[8]; /* nu each */
    double *x;         /* nx */
    bool *bodies;      /* 2 nbodies */
    RgMotion *twists;  /* nbodies: the twists, saved while velocity products are dropped */
} RgStepScratch;

/* Parameters of the present step. */
typedef struct RgStepCall {
    double h;                    /* s: its length; the collision stage finds contacts that close within it */
    const double *x_before;      /* nx: positions at its start */
    double span;                 /* s: length of the outer step */
    double located;              /* rad or m: gap from which limits are located; initially RgStepScope.located */
    const RgQuickOptions *quick; /* options of solver quick; NULL: those of the setup */
    bool account;                /* the work of its solves is requested */
    bool joints_kept;            /* the solver had the joints as rows in the last solve */
} RgStepCall;

/* Everything a step uses. Memory is allocated once. */
typedef struct RgStepScope {
    const RgModel *model;
    RgForm *form;
    RgConstraints *constraints;
    RgVec3 gravity;
    double dissipation;
    bool implicit_damping;
    RgStabilise stabilise;
    RgAdaptOptions adapt;  /* options of steppers that choose their own steps */
    double located;        /* rad or m: gap from which limits are located, set by the stepper's check; 0: not located */
    RgContactScene *scene; /* NULL: no shapes can touch */
    RgContactSolver *contact; /* NULL: no body can move */
    RgContactView contacts;   /* of the last collision stage */
    RgSleep *sleep;           /* NULL: bodies never sleep */
    RgInputSource input;
    RgStepForces forces;
    RgStepScratch scratch;
    RgStepCall call;
    RgStepLog *log; /* events and statistics of the present step */
    RgStepReport *report;
    void *stepper_data; /* made by the stepper's prepare */
} RgStepScope;

/* Time within a step at which springs and dampers of joints are evaluated. With implicit damping switched off they are
   explicit in all cases. */
typedef enum RgPassiveTime {
    RG_PASSIVE_START, /* at the state at the start of the step */
    RG_PASSIVE_END,   /* at the new velocity and the position it leads to */
    RG_PASSIVE_MOVED, /* the same, from a position already moved by the old velocity */
    RG_PASSIVE_FLOW   /* along the motion, to the stepper's accuracy */
} RgPassiveTime;

typedef struct RgStepper {
    const char *name, *summary;
    RgPassiveTime passive;
    bool locates;                                        /* makes inner steps, and reports their events */
    bool (*prepare)(RgArena *arena, RgStepScope *scope); /* may be NULL */
    /* Whether the complete world can be run; if not, error contains the reason. May be NULL. */
    RgStatus (*check)(RgStepScope *scope, RgError *error);
    void (*release)(RgStepScope *scope); /* frees memory outside the arena; may be NULL */
    RgStatus (*step)(RgStepScope *scope, const RgState *s0, double h, RgState *s1);
} RgStepper;

int rg_stepper_find(const char *name); /* -1: none */
const RgStepper *rg_stepper_at(int index);

/* Allocates the memory of a scope; false: out of memory. */
bool rg_scope_alloc(RgArena *arena, RgStepScope *scope);

/* ------------------------------------------------------------------ stages */

/* Arguments of the forces and dynamics stages. */
typedef struct RgDynamicsAsk {
    double h;         /* s: springs and dampers act at the end of a step of this length; 0: at the present state */
    double share;     /* factor of the velocity-product acceleration of hard rows: 1, or 1/2 (SHAKE, bilateral.c) */
    bool free_joints; /* joints and loops are left to the solver */
    bool guard;       /* drop velocity products of bodies that turn too far in the step */
    const RgGivenSprings *springs; /* given forces of springs and dampers; NULL: evaluated at the present state */
    RgKnownRates *known;           /* prescribed accelerations; NULL: none */
    const RgForce *wrenches;       /* nlinks: added to the inputs; NULL: none */
    const double *tau;             /* nv: added to the inputs; read only if wrenches is not NULL */
} RgDynamicsAsk;

/* RgDynamicsAsk.share of a step that moves positions along its new velocities. With projection the other half of the
   velocity-product acceleration is the projection's; without it the accelerations alone must keep the rows. */
static inline double rg_shake_share(const RgStepScope *s)
{
    return s->stabilise == RG_STABILISE_PROJECT ? 0.5 : 1.0;
}

void rg_stage_kinematics(RgStepScope *scope, const double *x, const double *u);

/* Forces as they act at t, on the last kinematics: scope->forces. */
RgStatus rg_stage_forces(RgStepScope *scope, double t, const RgDynamicsAsk *ask);

/* Calls the input function at t, x, u. Forces stages use its values until input.sampled is cleared. */
RgStatus rg_stage_sample_input(RgStepScope *scope, double t, const double *x, const double *u);

/* Finds the contacts at the last kinematics, for a step of call.h: scope->contacts. Sleeping bodies that are touched
   wake. state: its memory is that of the last step. */
RgStatus rg_stage_collide(RgStepScope *scope, const RgState *state);

/* Uses given contacts instead of a search. */
RgStatus rg_stage_adopt(RgStepScope *scope, const RgContactView *contacts, const RgState *state);

/* a (nu) = du/dt by the last forces. On failure the report contains the joint or link. */
RgStatus rg_stage_dynamics(RgStepScope *scope, const RgDynamicsAsk *ask, double *a);

/* Kinematics, forces and dynamics in sequence, without contacts. */
RgStatus rg_stage_acceleration(RgStepScope *scope, double t, const double *x, const double *u, const RgDynamicsAsk *ask,
                               double *a);

/* u1 = u0 + h a, sleeping bodies at rest. */
void rg_stage_velocity(const RgStepScope *scope, const RgState *s0, double h, const double *a, RgState *s1);

/* Arguments of the bounded rows for a step of length h from t on. */
static inline RgBoundedAsk rg_stage_rows_ask(const RgStepScope *s, double t, double h)
{
    return (RgBoundedAsk){.t = t, .h = h, .span = s->call.span, .located = s->call.located};
}

/* Arguments of the plain solve of a step of length h from s0 on. A stepper may change them. */
RgContactAsk rg_stage_ask(const RgStepScope *scope, const RgState *s0, double h);

/* Solves contacts, bounded rows and the solver's joints. s1->u: in: velocities at the end of the step without them;
   out: with them. */
RgStatus rg_stage_solve(RgStepScope *scope, const RgContactAsk *ask, RgState *s1);

/* x of s1 from that of s0 along the new velocities, or with split impulse along the velocities of positions only. */
void rg_stage_advance(RgStepScope *scope, const RgState *s0, double h, RgState *s1);

/* Ends every step: stabilisation, dissipation, whole turns, sleeping, check for finite values. */
RgStatus rg_stage_finish(RgStepScope *scope, RgState *s);

/* Projects the position errors of hard rows away; if stabilisation is switched off or the solver had the joints as
   rows, only reports the errors. */
RgStatus rg_stage_stabilise(RgStepScope *scope, RgState *s);

/* ------------------------------------------------------------------ further stages */

/* The step of `semi-implicit` before its solve: s1->u is the velocity at the end without contacts
   (stepper_semi_implicit.c). */
RgStatus rg_stage_free_velocity(RgStepScope *scope, const RgState *s0, double h, RgState *s1);

/* Adds contacts and bounded rows to a step of a smooth integrator. s1: in: its result without them; out: with them
   (end_contacts.c). */
RgStatus rg_stage_end_contacts(RgStepScope *scope, const RgState *s0, double h, RgState *s1);

/* Runge-Kutta of order 4 (stepper_rk4.c) without contacts and bounded rows. */
RgStatus rg_stage_rk4(RgStepScope *scope, const RgState *s0, double h, RgState *s1);

/* Gyroscopic terms of free bodies: changes accelerations a (nu), found at u, so that a step of length h gains no energy
   by w x I w (turning.c). */
void rg_stage_gyroscopic(RgStepScope *scope, const double *u, double h, double *a);
/* The same for free bodies whose velocity in the form is that of the centre of mass only; rg_stage_correct_centres is then
   not needed. */
void rg_stage_gyroscopic_centred(RgStepScope *scope, const double *u, double h, double *a);

/* Second part of rg_stage_gyroscopic in joint coordinates: corrects x, integrated from the last kinematics by h times
   `moving` (nu), and u, so that the centres of mass of free bodies move on straight lines. */
void rg_stage_correct_centres(RgStepScope *scope, const double *moving, double h, double *x, double *u);

/* Gyroscopic guard: drops the velocity products from the following accelerations for articulations with a body that
   turns by more than a radian in h; false: there are none. The twists must be restored afterwards. */
bool rg_stage_drop_products(RgStepScope *scope, double h);
void rg_stage_restore_twists(RgStepScope *scope);

/* Momentum and energies of a state, including the springs of loop joints. */
RgMomentum rg_stage_measure(RgStepScope *scope, const RgState *state);

#endif
