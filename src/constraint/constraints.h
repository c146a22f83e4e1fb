/*
 * constraints.h - the rows that hold a mechanism together, and the accelerations that keep them.
 *
 *   loop joints         both forms
 *   couplings           both forms (mimic, gear)
 *   holds               both forms, while a mechanism is put together
 *   tree joints         maximal form
 *   rotors              maximal form
 *   implicit springs and dampers: of loop joints in both forms, of tree joints in the maximal form (in the
 *   minimal one they are a diagonal)
 */
#ifndef RIGOR_CONSTRAINTS_H
#define RIGOR_CONSTRAINTS_H

#include "coords/coords.h"
#include "solver/problem.h"

/* Forces of springs and dampers as another moment of the step has them: nv of tree joints, then 6 of each loop
   joint. */
typedef struct RgHeldSprings {
    double *force;   /* N, N m */
    double *rate;    /* m/s, rad/s: of the joints at that moment */
    double *late;    /* N s/m, N m s: against what the rate changes by since */
    bool velocities; /* rows are solved for velocities that begin with the form's, not for accelerations */
} RgHeldSprings;

typedef struct RgFields RgFields;

/* Which rows are wanted. */
typedef struct RgRowsAsk {
    double h;                  /* s: step over which springs and dampers are rows; 0: they are none */
    const RgHeldSprings *held; /* in place of what they do now; NULL: they do that */
    const bool *hold;          /* nv of the model: velocities that a projection shall not move; NULL: none */
} RgRowsAsk;

/* Velocities that rg_project_state shall not move, nv of the model each; NULL: none. */
typedef struct RgProjectHold {
    const bool *positions, *rates;
} RgProjectHold;

/* Memory that whoever uses the constraints may write to. */
typedef struct RgRowScratch {
    int *columns;     /* nu: one row while it is projected */
    double *values;   /* nu */
    double *velocity; /* rows: J u */
    double *step;     /* nu */
    double *tau;      /* nv of the model */
} RgRowScratch;

/* Memory of tree_solve.c. */
typedef struct RgTreeSolve {
    bool possible;    /* by form and model; rg_tree_solve_fits: by the rows too */
    bool used;        /* the last rg_solve_bilateral took this way: problem and direct are not those of its rows */
    bool alone;       /* there are no other hard rows than those of tree joints, holds apart */
    RgMotion *gamma;  /* nbodies */
    double *free;     /* nu: accelerations without rows */
    RgForce *carried; /* nbodies: wrenches through the joints */
    double *rho, *v;  /* nv */
    double *diagonal; /* nv: 1 / compliance of soft rows */
    double *driven;   /* nv: the same with what rg_tree_solve_refactor added */
} RgTreeSolve;

/* A model's constraints in one form, and the memory of their stages. */
typedef struct RgConstraints {
    RgForm *form;
    bool any_hard;       /* there are rows, springs apart */
    int most;            /* rows that there can be, holds apart, with the joints that are attached now */
    bool along_world;    /* what joints forbid is written along the axes of the world */
    RgFields *fields;    /* NULL: none */
    RgJointSpec *specs;  /* nloops: what is constant about the loop joints */
    int *loop_rows;      /* nloops: first row of each loop joint in the assembled rows */
    RgJointState *loops; /* nloops: the loop joints as the bodies have them */
    int tree_rows;       /* assembled rows of tree joints; those of loops and couplings follow */
    int coupling_row;    /* first row of the couplings in the assembled rows; the others follow in their order */
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
    int (*count)(const RgForm *form); /* rows at most */
    /* Those of the joint that moves the body, and those of no single tree joint; may be NULL. */
    void (*add_body)(RgConstraints *c, const RgRowsAsk *ask, int body, RgRows *rows);
    void (*add_rest)(RgConstraints *c, const RgRowsAsk *ask, RgRows *rows);
} RgRowKind;

/* Memory; NULL: none. rg_constraints_free gives back what is not the arena's. */
RgConstraints *rg_constraints_take(RgArena *arena, RgForm *form, RgFields *fields);
void rg_constraints_free(RgConstraints *c);

/* The joints attached at run time (model_attach.h) are others than before. */
void rg_constraints_refresh(RgConstraints *c);

/* From now on what joints forbid is written along the axes of the world (RgJointSpec.along_world). */
void rg_constraints_along_world(RgConstraints *c);

/* After kinematics: the loop joints' own positions, rates and directions. */
void rg_constraints_observe(RgConstraints *c);

/* Loop joint l as observed, but without velocity products. */
void rg_constraints_drop_products(RgConstraints *c, int l);

/* All rows, tree joints from the leaves to the root first. */
void rg_assemble_rows(RgConstraints *c, const RgRowsAsk *ask);
/* The same without springs and dampers. */
void rg_assemble_hard_rows(RgConstraints *c);

/* Springs and dampers: adds joint efforts to tau, wrenches of loop joints to wrenches; diagonal (nv) is
   what the minimal form adds to M. held: in place of what they do now; NULL: they do that. Returns whether the diagonal
   is used. */
bool rg_add_passive(RgConstraints *c, double h, const RgHeldSprings *held, double *tau, RgForce *wrenches,
                    double *diagonal);

/* J stored in the springs of loop joints, as last observed. */
double rg_loop_potential(const RgConstraints *c);

/* Efforts of loop joint l's spring and damper, by its axes. */
void rg_loop_efforts(const RgConstraints *c, int l, double effort[6]);

/* Wrench of loop joint l's spring and damper on its child side, about the joint's origin; held as of rg_add_passive. */
RgForce rg_loop_passive(const RgConstraints *c, const RgHeldSprings *held, int l);

/* a (nu): in, the accelerations without rows; out, with them. Call after rg_assemble_rows. share: of the hard rows'
   velocity-product acceleration that is kept: 1, or 1/2 (SHAKE). */
RgStatus rg_solve_bilateral(RgConstraints *c, double share, double *a);

/* J of all rows and Y = M^-1 J' into the problem; bias (rows): each row's acceleration at du/dt = 0. */
void rg_project_rows(RgConstraints *c, double *bias);
double rg_row_times(const RgBilateral *p, int i, const double *x);      /* J_i . x */
void rg_add_response(const RgBilateral *p, const double *z, double *x); /* x += Y z */

/* Largest position error of the assembled rows. */
double rg_rows_error(const RgRows *rows);

/* True if the form has any rows to keep, for steps of implicit length h. */
bool rg_has_rows(const RgForm *form, double h);

/*
 * Moves x, then u, by the smallest mass-weighted amount that puts all hard rows right. hold: NULL: none.
 * error_left: largest position error then. changed: whether anything moved. RG_ERR_NOT_CONVERGED if Newton's method
 * does not bring the error below the tolerance.
 */
RgStatus rg_project_state(RgConstraints *c, const RgProjectHold *hold, double *x, double *u, double *error_left,
                          bool *changed);

/* Moves u alone, by the least amount in the norm of the masses at x: kinetic energy is lost, never gained. */
RgStatus rg_project_velocities(RgConstraints *c, const double *x, double *u, bool *changed);

/* Shared by rows of loop joints: J . (V_G - V_F) with J about the joint's origin. */
void rg_row_between(const RgForm *form, RgRow *row, int body_a, int body_b, RgForce J, RgVec3 p);

#endif
