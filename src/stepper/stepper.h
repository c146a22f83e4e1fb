/*
 * stepper.h - state, the stages of a step, and the table of steppers.
 *
 * A stepper is an order of stages and a choice of h:
 *   kinematics -> forces (input, springs, dampers) -> dynamics -> rows -> solve  =  the acceleration of the
 *   state
 * and positions moved along velocities by the form's exponential map.
 */
#ifndef RIGOR_STEPPER_H
#define RIGOR_STEPPER_H

#include "constraint/row_stage.h"
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
    RgRest rest; /* who sleeps; nothing where sleeping is off */
} RgState;

/* Everything a step may use. Memory is taken once. */
typedef struct RgStepScope {
    const RgModel *model;
    RgForm *form;
    RgConstraints *constraints;
    bool has_rows; /* of them, springs apart */

    RgVec3 gravity;
    RgInputFn *input;
    void *input_context;
    const double *tau_constant;     /* nv */
    const RgForce *wrench_constant; /* nlinks */
    bool any_wrench;                /* constant wrenches or an input function that may write them */
    const RgForce *held;    /* nlinks: further wrenches, as those of the last step's contacts; NULL: none */
    const double *held_tau; /* nv: and efforts, where there are such wrenches */
    bool input_sampled; /* the input function is not asked: what it said at the last rg_stage_sample_input */
    double dissipation;
    RgAdaptOptions adapt; /* of steppers that choose their own steps */
    RgStepLog *log;       /* what happens within the present step */
    bool implicit_damping;
    RgStabilise stabilise;

    RgContactScene *scene;   /* NULL: nothing can touch */
    RgContactStage *contact; /* NULL likewise */
    RgContactView contacts;  /* as the last collision stage found them */
    /* Contacts that a stepper has found itself: the collision stage takes these. NULL: it searches. */
    const RgContactView *given;
    double h; /* length of the present step: what comes together within it is found */
    RgRowStage
        *rows;    /* of a solver that takes all rows; NULL: joints are solved exactly, beside the contacts */
    bool account; /* the work of the step's solve is wanted */
    bool rows_kept;         /* that solver has kept the joints in this step */
    RgSleep *sleep;         /* NULL: nobody ever sleeps */
    const double *x_before; /* nx: where the present step began */

    double *tau;       /* nv: efforts of the last forces stage */
    double *tau_input; /* nv: what the input function made of the constant ones when it was last asked */
    RgForce *on_links; /* nlinks */
    RgForce
        *link_input;    /* nlinks: what the input function made of the constant ones when it was last asked */
    RgForce *on_bodies; /* nbodies */
    double *a;          /* nu */
    double *u_free;     /* nu: velocities before the solver, while work is accounted for */
    const double *
        diagonal; /* nv: of the last accelerations, on M for springs and dampers at the end of the step; NULL: none */
    double *memory[8];  /* nu each: a stepper's own */
    double *x_stage;    /* nx: a stepper's own */
    bool *struck;       /* 2 nbodies: of the stage of that name, and of the one that calms */
    RgMotion *twists;   /* nbodies: kept while bodies are calmed */
    void *stepper_data; /* made by the stepper's prepare */

    RgStepReport *report;
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
    bool locates; /* makes inner steps of its own, and tells their events */
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

/*
 * a (nu) = du/dt at t, x, u, with all rows. h > 0: springs and dampers at the end of a step of that length.
 * On failure the report names
 * who is to blame.
 */
RgStatus rg_stage_acceleration(RgStepScope *scope, double t, const double *x, const double *u, double h,
                               double *a);

/* The same for a step that moves x along its new velocity: rows as SHAKE takes them (bilateral.c), and
   contacts are looked for. */
RgStatus rg_stage_shake(RgStepScope *scope, const RgState *state, double h, double *a);

/* The same without contacts, springs and dampers explicit. */
RgStatus rg_stage_shake_smooth(RgStepScope *scope, const RgState *state, double *a);

/* As rg_stage_acceleration, where contacts are looked for; at->memory: those of the last step. */
RgStatus rg_stage_touching(RgStepScope *scope, const RgState *at, double h, double *a);

/* The part of it before dynamics: tau and wrenches as they act at t, on the kinematics that the form
   holds. Returns whether the form's diagonal is used. */
RgStatus rg_stage_forces(RgStepScope *scope, double t, double h, bool *use_diagonal);

/* Asks the input function at t, x, u; until input_sampled is unset again, forces stages take that. */
RgStatus rg_stage_sample_input(RgStepScope *scope, double t, const double *x, const double *u);

/* Sleepers do not move: their u becomes 0. */
void rg_stage_still(RgStepScope *scope, RgState *s1);

/* Contacts of a step of length h from the last kinematics: u at its end without them becomes u with them.
   Between the two, rg_stage_shake must have been called for that step. */
RgStatus rg_stage_contact(RgStepScope *scope, const RgState *s0, double h, RgState *s1);

/* The same, with springs and dampers of solvers that take all rows implicit or not in the problem at all. */
RgStatus rg_stage_impulses(RgStepScope *scope, const RgState *s0, double h, bool implicit, RgState *s1);

/* Contacts and bounded rows of a step that a method for smooth motion has made: s1 is where it leads without
   them, then with them. */
RgStatus rg_stage_strike(RgStepScope *scope, const RgState *s0, double h, RgState *s1);

/* Runge-Kutta of order 4 (stepper_rk4.c) without contacts and bounded rows. */
RgStatus rg_stage_rk4(RgStepScope *scope, const RgState *s0, double h, RgState *s1);

/* a (nu) as found at u becomes one whose step of length h does not gain energy by w x I w: bodies that move
   alone. */
void rg_stage_turning(RgStepScope *scope, const double *u, double h, double *a);
/* The same for those of them whose velocity in the form is that of their centre: rg_stage_carry is not called. */
void rg_stage_turning_centred(RgStepScope *scope, const double *u, double h, double *a);

/* Its other half, joint coordinates: x, moved from the last kinematics by h times `moving`, and u become such that
   the centres of these bodies went straight. */
void rg_stage_carry(RgStepScope *scope, const double *moving, double h, double *x, double *u);

/* Leaves velocity products out of the accelerations that follow for bodies on joints that turn by more than a
   radian in h; false: there are none. Afterwards the twists must be woken. */
bool rg_stage_calm(RgStepScope *scope, double h);
void rg_stage_wake_twists(RgStepScope *scope);

/* Shapes to where the last kinematics put their links, and what touches; memory: contacts of the last step. */
RgStatus rg_stage_collide(RgStepScope *scope, double t, const RgContactMemory *memory);

/* Energies of a state, springs of loop joints included. */
RgMomentum rg_stage_measure(RgStepScope *scope, const RgState *state);

/* x of s1 from that of s0, along the new velocities; or along those that only move positions (split
   impulse). */
void rg_stage_move(RgStepScope *scope, const RgState *s0, double h, RgState *s1);

/* What ends every step: stabilisation, whole turns, dissipation, finiteness. */
RgStatus rg_stage_finish(RgStepScope *scope, RgState *s);

/* Removes the errors of rows that a step left; where that is switched off only reports them. */
RgStatus rg_stage_stabilise(RgStepScope *scope, RgState *s);

#endif
