/*
 * bounded_rows.h - rows whose impulse has bounds: limits of joints, dry joint friction, motors, drives, a user's own.
 *
 *   w = J u + C z - target,   low <= z <= high,   w >= 0 at low, <= 0 at high, 0 between
 *
 * u at the end of a step of length h, z an impulse (N s or N m s). Rows are made in each step, in body and joint
 * terms, for both coordinate forms and every solver.
 *
 * Axes. One list: the velocities of the tree's joints without floating roots, then those of the loop joints.
 */
#ifndef RIGOR_BOUNDED_ROWS_H
#define RIGOR_BOUNDED_ROWS_H

#include "constraint/constraints.h"

#include <rigor/sim.h>

/* Solver quick: treatment of a drive within its bounds that is not a row of the sweeps. */
typedef enum RgElimination {
    RG_ELIMINATED_no,
    RG_ELIMINATED_in_mass, /* added to the mass matrix (drives_in_mass.c) */
    RG_ELIMINATED_by_row   /* eliminated as an equation on the outputs of its articulation (eliminated_drives.c) */
} RgElimination;

/* Relative distance from a bound below which an impulse counts as at the bound, in reports and first guesses:
   interior-point solutions come no nearer. */
#define RG_AT_BOUND 1e-6

typedef struct RgBoundedRow {
    RgRow row; /* the geometry; its law is given by the fields below */
    double target, compliance, low, high;
    double give;     /* additional compliance, as a part of the row's own response */
    int kind;        /* index in bounded_table.h */
    int axis;        /* number of its axis; user rows: number of the row */
    int slot;        /* fixed number among all possible rows, the same in every step */
    double z;        /* first guess, then the solution */
    double conflict; /* share in a contradiction of hard drives (solver/attainable_targets.h); 0: none */
    bool locked;     /* its motion is blocked by joints and loops: it has no impulse (locked_rows.c) */
    RgElimination eliminated;
} RgBoundedRow;

typedef struct RgMotor {
    bool on;
    bool servo;        /* position control */
    double velocity;   /* rad/s or m/s: target; servo: upper bound */
    double max_effort; /* N m or N */
    double position;   /* servo: rad or m */
    double rate;       /* servo: 1/s */
} RgMotor;

typedef struct RgAxis {
    int dof;       /* velocity of the tree; -1: axis of a loop joint */
    int loop, own; /* the loop joint, and the index among the joint's velocities */
    bool plain;    /* its velocity is the rate of its position */
    const RgAxisDef *def;
} RgAxis;

/* Step for which rows are made. */
typedef struct RgBoundedAsk {
    double t, h; /* s: its start and length */
    double span; /* s: outer step, in which hard drives reach their target */
    /* rad or m: limits are located as events: rows exist from this gap on and forbid any approach; 0: not located */
    double located;
} RgBoundedAsk;

/* User-defined rows. */
typedef struct RgUserRows {
    RgUserRowsFn *fn; /* NULL: none */
    void *context;
    RgUserRow *rows; /* room: rows of the last call */
    int room;
} RgUserRows;

/* Scratch of rg_drive_reach. */
typedef struct RgReachScratch {
    double *change;  /* nv */
    RgMotion *twist; /* nbodies */
    double *base;    /* nbodies */
    int *root;       /* nbodies */
} RgReachScratch;

/* Source of the bounded rows of a world. */
typedef struct RgBounded {
    RgForm *form;
    RgConstraints *constraints;
    int naxes, first_slot_axis; /* first axis of joints made at run time */
    RgAxis *axes;               /* naxes */
    int *axis_of;               /* nv: axis of a velocity of the tree; -1: none */
    RgMotor *motors;            /* naxes */
    RgDrive *drives;            /* naxes; max_effort 0: no drive */
    int ndrives;                /* number of drives */
    bool any_passive;           /* some axis has limits or dry friction */
    bool any_velocity_limit;
    bool position_limits, velocity_limits; /* these limits are enforced */
    double share;                          /* share of an error at a limit that one step removes */
    double near;                           /* rad or m: near_gap, as for contacts */
    double max_correction;                 /* rad/s or m/s: bound for limits, loops and couplings (correction.h) */
    double cfm;                            /* m/s per N: of limits without stiffness */
    bool only_overlaps;                    /* limits act only when exceeded */
    RgUserRows user;
    RgReachScratch reach;
} RgBounded;

/* One kind of row. */
typedef struct RgBoundedKind {
    const char *name;
    size_t account;                  /* offset in RgSolverWork of the work of its rows, without corrections */
    int (*room)(const RgBounded *b); /* maximum number of rows */
    /* Writes the rows of this step and returns their number. Slots count from 0; the caller shifts them. */
    int (*add)(const RgBounded *b, const RgBoundedAsk *ask, RgBoundedRow *out);
} RgBoundedKind;

const char *rg_bounded_kind_name(int kind);

/* law: share, near_gap and bounds of corrections are copied from it. user_room: maximum number of user rows. NULL: out
   of memory. */
RgBounded *rg_bounded_alloc(RgArena *arena, RgForm *form, RgConstraints *constraints, int user_room,
                            const RgContactLaw *law);

/* Call after joints were attached or released at run time. */
void rg_bounded_refresh(RgBounded *b);

/* Whether a step may have any rows at all. */
bool rg_bounded_any(const RgBounded *b);

/* Number of the axis that is velocity dof of a joint; -1: none. */
int rg_axis_find(const RgBounded *b, int joint, int dof);

/* Maximum number of rows, which is the number of slots. */
int rg_bounded_room(const RgBounded *b);

/* The first slot of a kind. */
int rg_bounded_first_slot(const RgBounded *b, int kind);

/* Writes the rows of a step, from the last kinematics and observation; out has room for rg_bounded_room. Returns their
   number. */
int rg_bounded_rows(const RgBounded *b, const RgBoundedAsk *ask, RgBoundedRow *out);

/* Field of work for the rows of a kind, without corrections. */
double *rg_bounded_account(int kind, RgSolverWork *work);

/* ------------------------------------------------------------------ for the kinds */

/* Initialises a row along an axis, sign +1 or -1, with unbounded z. */
void rg_axis_row(const RgBounded *b, int axis, double sign, RgBoundedRow *out);

/* Target velocity of a motor in a step of length h from position q on. */
static inline double rg_motor_target(const RgMotor *motor, double q, double h)
{
    double rate = motor->rate * h < 1.0 ? motor->rate : 1.0 / h;
    return motor->servo ? fmax(-motor->velocity, fmin(rate * (motor->position - q), motor->velocity)) : motor->velocity;
}

/* Whether a row's impulse is away from both bounds by the relative distance slack. */
static inline bool rg_row_within(const RgBoundedRow *row, double slack)
{
    return row->z > (1.0 - slack) * row->low && row->z < (1.0 - slack) * row->high;
}

/* Smallest velocity (row_limit.c) that a hard limit of an axis allows for a gap g in a step; uses h and located. */
double rg_limit_velocity(const RgBounded *b, const RgBoundedAsk *ask, const RgAxisDef *axis, double g);

/* Largest gap at which a limit has a row, for a step that begins with this rate; uses h and located. */
double rg_limit_reach(const RgBoundedAsk *ask, double rate);

/* Law of a drive in a step from q on, v + compliance z = target; uses t, h and span. */
typedef struct RgDriveLaw {
    double target, compliance;
} RgDriveLaw;
RgDriveLaw rg_drive_law(const RgDrive *drive, const RgBoundedAsk *ask, double q);

/* Position (only if the axis is plain) and rate. */
static inline double rg_axis_position(const RgBounded *b, int axis)
{
    const RgAxis *a = &b->axes[axis];
    const RgModel *m = b->form->model;
    return a->dof < 0 ? b->constraints->loops[a->loop].q[a->own]
                      : b->form->q[m->bodies[m->dof_body[a->dof]].q0 + a->own];
}

static inline double rg_axis_rate(const RgBounded *b, int axis)
{
    const RgAxis *a = &b->axes[axis];
    return a->dof < 0 ? b->constraints->loops[a->loop].v[a->own] : b->form->v[a->dof];
}

#endif
