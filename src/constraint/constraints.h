/*
 * constraints.h - the bilateral rows of a mechanism, and the accelerations that satisfy them.
 *
 *   loop joints         both forms
 *   couplings           both forms (mimic, gear)
 *   holds               both forms, only while a mechanism is assembled
 *   tree joints         maximal form
 *   rotors              maximal form
 *   implicit springs and dampers: of loop joints in both forms, of tree joints in the maximal form (in the minimal
 *   form they are added to the diagonal of M)
 */
#ifndef RIGOR_CONSTRAINTS_H
#define RIGOR_CONSTRAINTS_H

#include "coords/coords.h"
#include "solver/problem.h"

/* Spring and damper forces given from another moment of the step, used instead of the present ones: nv of tree joints,
   then 6 of each loop joint. */
typedef struct RgGivenSprings {
    double *force;   /* N, N m */
    double *rate;    /* m/s, rad/s: joint rates at that moment */
    double *late;    /* N s/m, N m s: damping of the change of the rate since then */
    bool velocities; /* rows are solved for velocities, starting from the form's, not for accelerations */
} RgGivenSprings;

typedef struct RgFields RgFields;

/* Selects the rows to assemble. */
typedef struct RgRowsAsk {
    double h;                   /* s: implicit step of springs and dampers that are rows; 0: they are not rows */
    const RgGivenSprings *held; /* given spring and damper forces; NULL: computed from the present state */
    const bool *hold;           /* nv of the model: velocities that a projection must not change; NULL: none */
} RgRowsAsk;

/* Velocities that rg_project_state must not change, nv of the model each; NULL: none. */
typedef struct RgFixedVelocities {
    const bool *positions, *rates;
} RgFixedVelocities;

/* Part of the response without joints and loops below which the response with them is round-off: they leave no motion
   along that row, body velocity or contact, and it takes no part in the solve. */
#define RG_LOCKED_RESPONSE 1e-10

/* Scratch memory, shared by all users of the constraints. */
typedef struct RgRowScratch {
    int *columns;     /* nu: columns of the row being projected */
    double *values;   /* nu */
    double *velocity; /* rows: J u */
    double *step;     /* nu */
    double *tau;      /* nv of the model */
    double *best;     /* nx: positions with the smallest error during a projection */
    RgForce *momenta; /* nbodies: rg_project_jump */
} RgRowScratch;

/* Memory of tree_solve.c. */
typedef struct RgTreeSolve {
    bool possible;    /* form and model allow it; rg_tree_solve_applies also checks the rows */
    bool used;        /* the last rg_solve_bilateral used the tree: problem and direct do not belong to its rows */
    bool alone;       /* all hard rows are those of tree joints, holds excluded */
    RgMotion *gamma;  /* nbodies */
    double *free;     /* nu: accelerations without rows */
    RgForce *carried; /* nbodies: wrenches through the joints */
    double *rho, *v;  /* nv */
    double *diagonal; /* nv: 1 / compliance of soft rows */
    double *driven;   /* nv: diagonal plus what rg_tree_solve_refactor added */
} RgTreeSolve;

/* A model's constraints in one form, and the memory of their stages. */
typedef struct RgConstraints {
    RgForm *form;
    bool any_hard;       /* there are rows other than those of springs */
    int most;            /* maximum number of rows without holds, for the joints attached now */
    bool along_world;    /* constraint directions of joints are along the world axes */
    RgFields *fields;    /* NULL: none */
    RgJointSpec *specs;  /* nloops: constants of the loop joints */
    int *loop_rows;      /* nloops: first row of each loop joint in the assembled rows */
    RgJointState *loops; /* nloops: loop joints as given by the poses and twists of their bodies */
    int tree_rows;       /* assembled rows of tree joints; the others follow */
    int coupling_row;    /* first row of the couplings in the assembled rows */
    RgRows rows;
    RgBilateral problem;
    RgDirect *direct;    /* accelerations */
    RgDirect *projector; /* positions and velocities */
    RgTreeSolve tree;
    RgRowScratch scratch;
} RgConstraints;

/* One kind of row. */
typedef struct RgRowKind {
    const char *name;
    int (*count)(const RgForm *form); /* upper bound of the number of rows */
    /* Adds the rows of the joint that moves the body, and the rows that belong to no single tree joint; may be NULL. */
    void (*add_body)(RgConstraints *c, const RgRowsAsk *ask, int body, RgRows *rows);
    void (*add_rest)(RgConstraints *c, const RgRowsAsk *ask, RgRows *rows);
} RgRowKind;

/* Whether the largest number of coefficients of rows is one that an int counts. */
bool rg_constraints_countable(const RgForm *form, const RgFields *fields);

/* Call if rg_constraints_countable. NULL: out of memory. rg_constraints_free releases what is not from the arena. */
RgConstraints *rg_constraints_alloc(RgArena *arena, RgForm *form, RgFields *fields);
void rg_constraints_free(RgConstraints *c);

/* Call after joints were attached or released at run time (model_attach.h). */
void rg_constraints_refresh(RgConstraints *c);

/* From now on the constraint directions of joints are along the world axes (RgJointSpec.along_world). */
void rg_constraints_along_world(RgConstraints *c);

/* Call after kinematics: computes positions, rates and directions of the loop joints. */
void rg_constraints_observe(RgConstraints *c);

/* Sets the velocity products of loop joint l to zero until the next rg_constraints_observe. */
void rg_constraints_drop_products(RgConstraints *c, int l);

/* Assembles all rows, those of tree joints first, from the leaves to the root. */
void rg_assemble_rows(RgConstraints *c, const RgRowsAsk *ask);
/* The same without springs and dampers. */
void rg_assemble_hard_rows(RgConstraints *c);

/* Springs and dampers: adds joint efforts to tau and wrenches of loop joints to wrenches; diagonal (nv): addition to M
   in the minimal form. held: given forces instead of the present ones; NULL: none. Returns true if the diagonal is
   used. */
bool rg_add_passive(RgConstraints *c, double h, const RgGivenSprings *held, double *tau, RgForce *wrenches,
                    double *diagonal);

/* Potential energy (J) of the springs of loop joints, at the last observation. */
double rg_loop_potential(const RgConstraints *c);

/* Efforts of the spring and damper of loop joint l, by its axes. */
void rg_loop_efforts(const RgConstraints *c, int l, double effort[6]);

/* Wrench of the spring and damper of loop joint l on its child side, about the joint's origin; held as in
   rg_add_passive. */
RgForce rg_loop_passive(const RgConstraints *c, const RgGivenSprings *held, int l);

/* a (nu): in, accelerations without rows; out, with rows. Call after rg_assemble_rows. share: part of the
   velocity-product acceleration of hard rows that is kept: 1, or 1/2 (SHAKE). */
RgStatus rg_solve_bilateral(RgConstraints *c, double share, double *a);

/* Writes J of all rows and Y = M^-1 J' into the problem; bias (rows): acceleration of each row at du/dt = 0. */
void rg_project_rows(RgConstraints *c, double *bias);
double rg_row_times(const RgBilateral *p, int i, const double *x);      /* J_i . x */
void rg_add_response(const RgBilateral *p, const double *z, double *x); /* x += Y z */

/* Largest position error of the assembled rows. */
double rg_rows_error(const RgRows *rows);

/* True if the form has any rows, for steps with implicit length h. */
bool rg_has_rows(const RgForm *form, double h);

/*
 * Moves x, then u, by the smallest mass-weighted amount that satisfies all hard rows. hold: NULL: none. error_left:
 * largest position error afterwards, above round-off at dead points. changed: true if anything moved.
 * RG_ERR_NOT_CONVERGED if Newton's method does not bring the error below 1e-6.
 */
RgStatus rg_project_state(RgConstraints *c, const RgFixedVelocities *hold, double *x, double *u, double *error_left,
                          bool *changed);

/* The same, for positions that are moved by more than the errors of a step: kinetic energy never grows. */
RgStatus rg_project_jump(RgConstraints *constraints, double *x, double *u, double *error_left, bool *changed);

/* Changes u alone, by the smallest amount in the mass norm at x: kinetic energy never grows. */
RgStatus rg_project_velocities(RgConstraints *c, const double *x, double *u, bool *changed);

/* Adds J . (V_G - V_F) to a row, J about the joint's origin p. Used by rows of loop joints. */
void rg_row_between(const RgForm *form, RgRow *row, int body_a, int body_b, RgForce J, RgVec3 p);

#endif
