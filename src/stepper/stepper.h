/*
 * stepper.h - state, the stages of a step, and the table of steppers.
 *
 * A stepper is an order of stages and a choice of h. The plain step:
 *
 *   kinematics   poses and twists of the bodies at x, u
 *   forces       input function, springs and dampers
 *   collide      contacts of the bodies where they are
 *   dynamics     accelerations by these forces; joints and loops kept, unless the solver takes them as rows
 *   solve        contacts, limits, motors and the like: velocities at the end of the step
 *   advance      positions along these velocities, by the form's exponential map
 *
 * Each takes what those before it gave, and only reads that.
 */
#ifndef RIGOR_STEPPER_H
#define RIGOR_STEPPER_H

#include "constraint/contact_solve.h"
#include "stepper/sleep.h"
#include "stepper/step_log.h"

#include <rigor/sim.h>

/* All there is between two steps. */
typedef struct RgState {
    double t;
    double h_next; /* size that an error-controlled stepper would take next; 0: not known */
    double *x;     /* nx */
    double *u;     /* nu */
    RgContactMemory memory;
    RgRest rest; /* which bodies sleep; nothing where sleeping is off */
} RgState;

/* Efforts and wrenches that a world is given. */
typedef struct RgInputSource {
    RgInputFn *fn;
    void *context;
    const double *tau_constant;     /* nv */
    const RgForce *wrench_constant; /* nlinks */
    bool any_wrench;                /* constant wrenches or an input function that may write them */
    bool sampled;                   /* the function is not called: what it gave at the last rg_stage_sample_input */
    double *tau;                    /* nv: what the function made of the constant ones when it was last called */
    RgForce *wrenches;              /* nlinks: the same */
} RgInputSource;

/* What the last forces stage found. */
typedef struct RgStepForces {
    double *tau;       /* nv: efforts, springs and dampers too */
    RgForce *on_links; /* nlinks */
    RgForce *on_bodies;
    const double *diagonal; /* nv: on M, for springs and dampers at the end of the step; NULL: none */
} RgStepForces;

/* Memory that stages and steppers may write to. */
typedef struct RgStepScratch {
    double *a;         /* nu */
    double *memory[8]; /* nu each */
    double *x;         /* nx */
    bool *bodies;      /* 2 nbodies */
    RgMotion *twists;  /* nbodies: kept while velocity products are dropped */
} RgStepScratch;

/* The present step. */
typedef struct RgStepCall {
    double h;                    /* its length: contacts that close within it are found */
    const double *x_before;      /* nx: where it began */
    double span;                 /* s: length of the outer step */
    double located;              /* rad or m: limits are located from this gap on; at first the scope's */
    const RgQuickOptions *quick; /* solver quick: in place of the setup's; NULL: those */
    bool account;                /* the work of its solves is wanted */
    bool joints_kept;            /* the solver has kept the joints in it, as rows */
} RgStepCall;

/* Everything a step may use. Memory is taken once. */
typedef struct RgStepScope {
    const RgModel *model;
    RgForm *form;
    RgConstraints *constraints;
    RgVec3 gravity;
    double dissipation;
    bool implicit_damping;
    RgStabilise stabilise;
    RgAdaptOptions adapt;     /* of steppers that choose their own steps */
    double located;           /* rad or m: limits are located from this gap on, as the stepper's check says; 0: no */
    RgContactScene *scene;    /* NULL: nothing can touch */
    RgContactSolver *contact; /* NULL: nothing moves */
    RgContactView contacts;   /* as the last collision stage found them */
    RgSleep *sleep;           /* NULL: bodies never sleep */
    RgInputSource input;
    RgStepForces forces;
    RgStepScratch scratch;
    RgStepCall call;
    RgStepLog *log; /* what happens within the present step */
    RgStepReport *report;
    void *stepper_data; /* made by the stepper's prepare */
} RgStepScope;

/* When in a step springs and dampers of joints are taken; explicitly where implicit damping is switched off. */
typedef enum RgPassiveTime {
    RG_PASSIVE_START, /* at the state that the step begins with */
    RG_PASSIVE_END,   /* at its new velocity, and the position that this leads to */
    RG_PASSIVE_MOVED, /* the same, from a position that the old velocity has moved */
    RG_PASSIVE_FLOW   /* along the motion, to the stepper's accuracy */
} RgPassiveTime;

typedef struct RgStepper {
    const char *name, *summary;
    RgPassiveTime passive;
    bool locates;                                        /* makes inner steps of its own, and reports their events */
    bool (*prepare)(RgArena *arena, RgStepScope *scope); /* may be NULL */
    /* Whether a world can be run: once shapes, solver and all are there; error says why not. May be NULL. */
    RgStatus (*check)(RgStepScope *scope, RgError *error);
    void (*release)(RgStepScope *scope); /* gives back what is not the arena's; may be NULL */
    RgStatus (*step)(RgStepScope *scope, const RgState *s0, double h, RgState *s1);
} RgStepper;

int rg_stepper_find(const char *name); /* -1: none */
const RgStepper *rg_stepper_at(int index);

/* Memory of a scope; false: none. */
bool rg_scope_take(RgArena *arena, RgStepScope *scope);

/* ------------------------------------------------------------------ stages */

/* How accelerations are asked for. */
typedef struct RgDynamicsAsk {
    double h;     /* s: springs and dampers act at the end of a step of that length; 0: now */
    double share; /* of the velocity-product acceleration of hard rows that is kept: 1, or 1/2 (SHAKE, bilateral.c) */
    bool free_joints;             /* joints and loops are left to the solver */
    bool guard;                   /* velocity products of bodies that turn too far in the step are dropped */
    const RgHeldSprings *springs; /* in place of what springs and dampers do now; NULL: not requested */
    RgKnownRates *known;          /* accelerations that are known; NULL: none */
    const RgForce *wrenches;      /* nlinks: beside the inputs; NULL: none */
    const double *tau;            /* nv: the same, where there are such wrenches */
} RgDynamicsAsk;

/* Of a step that moves positions along its new velocities: half of it is the projection's; without one the rows must be
   kept by the accelerations alone. */
static inline double rg_shake_share(const RgStepScope *s)
{
    return s->stabilise == RG_STABILISE_PROJECT ? 0.5 : 1.0;
}

void rg_stage_kinematics(RgStepScope *scope, const double *x, const double *u);

/* Forces as they act at t, on the last kinematics: scope->forces. */
RgStatus rg_stage_forces(RgStepScope *scope, double t, const RgDynamicsAsk *ask);

/* Asks the input function at t, x, u; until input.sampled is unset again, forces stages take that. */
RgStatus rg_stage_sample_input(RgStepScope *scope, double t, const double *x, const double *u);

/* Contacts of the bodies as the last kinematics put them, over a step of call.h: scope->contacts. Bodies that are
   touched wake. state: whose memory is that of the last step. */
RgStatus rg_stage_collide(RgStepScope *scope, const RgState *state);

/* The same with contacts that were found already. */
RgStatus rg_stage_adopt(RgStepScope *scope, const RgContactView *contacts, const RgState *state);

/* a (nu) = du/dt by the last forces. On failure the report names the joint or link. */
RgStatus rg_stage_dynamics(RgStepScope *scope, const RgDynamicsAsk *ask, double *a);

/* Kinematics, forces and dynamics at once, without contacts. */
RgStatus rg_stage_acceleration(RgStepScope *scope, double t, const double *x, const double *u, const RgDynamicsAsk *ask,
                               double *a);

/* u1 = u0 + h a, sleeping bodies at rest. */
void rg_stage_velocity(const RgStepScope *scope, const RgState *s0, double h, const double *a, RgState *s1);

/* What bounded rows of a step of length h from t on are asked for. */
static inline RgBoundedAsk rg_stage_rows_ask(const RgStepScope *s, double t, double h)
{
    return (RgBoundedAsk){.t = t, .h = h, .span = s->call.span, .located = s->call.located};
}

/* The plain solve of a step of length h from s0 on. A stepper may change it. */
RgContactAsk rg_stage_ask(const RgStepScope *scope, const RgState *s0, double h);

/* Contacts, bounded rows and the solver's joints: u of s1, at the end of the step without them, becomes u with them. */
RgStatus rg_stage_solve(RgStepScope *scope, const RgContactAsk *ask, RgState *s1);

/* x of s1 from that of s0, along the new velocities; or along those that only move positions (split impulse). */
void rg_stage_advance(RgStepScope *scope, const RgState *s0, double h, RgState *s1);

/* What ends every step: stabilisation, whole turns, dissipation, finiteness. */
RgStatus rg_stage_finish(RgStepScope *scope, RgState *s);

/* Removes the errors of rows that a step left; where that is switched off only reports them. */
RgStatus rg_stage_stabilise(RgStepScope *scope, RgState *s);

/* ------------------------------------------------------------------ further stages */

/* The step of `semi-implicit` up to its solve: s1->u is the velocity at the end without contacts
   (stepper_semi_implicit.c). */
RgStatus rg_stage_free_velocity(RgStepScope *scope, const RgState *s0, double h, RgState *s1);

/* Contacts and bounded rows of a step that a method for smooth motion has made: s1 is where it leads without
   them, then with them (end_contacts.c). */
RgStatus rg_stage_end_contacts(RgStepScope *scope, const RgState *s0, double h, RgState *s1);

/* Runge-Kutta of order 4 (stepper_rk4.c) without contacts and bounded rows. */
RgStatus rg_stage_rk4(RgStepScope *scope, const RgState *s0, double h, RgState *s1);

/* a (nu) as found at u becomes one whose step of length h does not gain energy by w x I w: bodies that move
   alone. */
void rg_stage_turning(RgStepScope *scope, const double *u, double h, double *a);
/* The same for those of them whose velocity in the form is that of their centre: rg_stage_straighten is not called. */
void rg_stage_turning_centred(RgStepScope *scope, const double *u, double h, double *a);

/* Its other half, joint coordinates: x, moved from the last kinematics by h times `moving`, and u become such that
   the centres of these bodies went straight. */
void rg_stage_straighten(RgStepScope *scope, const double *moving, double h, double *x, double *u);

/* Gyroscopic guard: velocity products are left out of the accelerations that follow for bodies on joints that turn by
   more than a radian in h; false: there are none. Afterwards the twists must be put back. */
bool rg_stage_drop_products(RgStepScope *scope, double h);
void rg_stage_restore_twists(RgStepScope *scope);

/* Energies of a state, springs of loop joints included. */
RgMomentum rg_stage_measure(RgStepScope *scope, const RgState *state);

#endif
