/*
 * bounded_rows.h - rows whose impulse has bounds: limits of joints, dry joint friction, motors, drives, a user's own.
 *
 *   w = J u + C z - target,   low <= z <= high,   w >= 0 at low, <= 0 at high, 0 between
 *
 * u at the end of a step of length h, z an impulse (N s or N m s). Made anew each step, in body and joint
 * terms, for both coordinate forms and every solver.
 *
 * Axes. The velocities of the tree's joints, floating roots left out, then those of the loop joints: one list
 * for all.
 */
#ifndef RIGOR_BOUNDED_ROWS_H
#define RIGOR_BOUNDED_ROWS_H

#include "constraint/constraints.h"

#include <rigor/sim.h>

/* Solver quick: how a drive within its bounds is solved, where it is no row of the sweeps. */
typedef enum RgElimination {
    RG_ELIMINATED_no,
    RG_ELIMINATED_in_mass, /* part of the mass matrix (drives_in_mass.c) */
    RG_ELIMINATED_by_row   /* an equation on the outputs of its articulation (eliminated_drives.c) */
} RgElimination;

/* A row whose impulse is nearer to a bound than this part of it counts as at it, in reports and as a guess of the next
   step: interior points come no nearer. */
#define RG_AT_BOUND 1e-6

typedef struct RgBoundedRow {
    RgRow row; /* the geometry; of its law only what is below counts */
    double target, compliance, low, high;
    double give;     /* beside the compliance: as a part of the row's response where it alone acts */
    int kind;        /* as in bounded_table.h */
    int axis;        /* number of the axis it is about; user rows: of the row */
    int slot;        /* its own number among all rows that there can be, the same in every step */
    double z;        /* first guess, then the solution */
    double conflict; /* share in a contradiction of hard drives (solver/attainable_targets.h); 0: none */
    bool locked;     /* a drive that loops leave no motion: it takes no part (locked_drives.c) */
    RgElimination eliminated;
} RgBoundedRow;

typedef struct RgMotor {
    bool on;
    bool servo;        /* it goes to a position */
    double velocity;   /* rad/s or m/s; servo: the most */
    double max_effort; /* N m or N */
    double position;   /* servo: rad or m */
    double rate;       /* servo: 1/s */
} RgMotor;

typedef struct RgAxis {
    int dof;       /* velocity of the tree; -1: of a loop joint */
    int loop, own; /* that joint, and which of its velocities */
    bool plain;    /* its velocity is the rate of its position */
    const RgAxisDef *def;
} RgAxis;

/* The step that rows are made for. */
typedef struct RgBoundedAsk {
    double t, h; /* s: its start and length */
    double span; /* s: the step asked for, within which hard drives arrive */
    /* rad or m: limits are located: rows are there from this gap on, and let nothing come nearer. 0: they are not. */
    double located;
} RgBoundedAsk;

/* A user's own rows. */
typedef struct RgUserRows {
    RgUserRowsFn *fn; /* NULL: there are none */
    void *context;
    RgUserRow *rows; /* room: as last given */
    int room;
} RgUserRows;

/* Scratch of rg_drive_reach. */
typedef struct RgReachScratch {
    double *change;  /* nv */
    RgMotion *twist; /* nbodies */
    double *base;    /* nbodies */
    int *root;       /* nbodies */
} RgReachScratch;

/* What the rows of a world are made from. */
typedef struct RgBounded {
    RgForm *form;
    RgConstraints *constraints;
    int naxes, first_slot_axis; /* from there on of joints made at run time */
    RgAxis *axes;               /* naxes */
    int *axis_of;               /* nv: axis of a velocity of the tree, -1: none */
    RgMotor *motors;            /* naxes */
    RgDrive *drives;            /* naxes; max_effort 0: none */
    int ndrives;                /* those there are */
    bool any_passive;           /* some axis has limits or dry friction */
    bool any_velocity_limit;
    bool position_limits, velocity_limits; /* those are kept */
    double share;                          /* of an error at a limit that a step removes */
    double near;                           /* rad or m: as of contacts */
    double max_correction;                 /* rad/s or m/s: of limits, loops and couplings (correction.h) */
    double cfm;                            /* m/s per N: of limits without a stiffness of their own */
    bool only_overlaps;                    /* limits act only where they are passed */
    RgUserRows user;
    RgReachScratch reach;
} RgBounded;

/* One kind of row. */
typedef struct RgBoundedKind {
    const char *name;
    size_t account;                  /* where in RgSolverWork the work of its rows belongs, but for what they correct */
    int (*room)(const RgBounded *b); /* rows at most */
    /* Writes the rows of this step and returns how many. Slots count from 0: the caller shifts them. */
    int (*add)(const RgBounded *b, const RgBoundedAsk *ask, RgBoundedRow *out);
} RgBoundedKind;

const char *rg_bounded_kind_name(int kind);

/* share: of an error at a limit that a step removes, for good: controllers ask too (control/passive_stops.c).
   NULL: no memory. */
RgBounded *rg_bounded_take(RgArena *arena, RgForm *form, RgConstraints *constraints, int user_room,
                           const RgContactLaw *law);

/* The joints attached at run time are others than before. */
void rg_bounded_refresh(RgBounded *b);

/* Whether a step may have any rows at all. */
bool rg_bounded_any(const RgBounded *b);

/* Number of the axis that is velocity dof of a joint; -1: none. */
int rg_axis_find(const RgBounded *b, int joint, int dof);

/* Rows (and slots) at most. */
int rg_bounded_room(const RgBounded *b);

/* The first slot of a kind. */
int rg_bounded_first_slot(const RgBounded *b, int kind);

/* The rows of a step, from the last kinematics and observation; out has room for rg_bounded_room. Returns how many. */
int rg_bounded_rows(const RgBounded *b, const RgBoundedAsk *ask, RgBoundedRow *out);

/* Where the work of a row of a kind belongs, but for what it corrects. */
double *rg_bounded_account(int kind, RgSolverWork *work);

/* ------------------------------------------------------------------ for the kinds */

/* A fresh row along an axis, sign +1 or -1, with z free. */
void rg_axis_row(const RgBounded *b, int axis, double sign, RgBoundedRow *out);

/* The velocity that a motor aims at in a step of length h from position q on. */
static inline double rg_motor_target(const RgMotor *motor, double q, double h)
{
    double rate = motor->rate * h < 1.0 ? motor->rate : 1.0 / h;
    return motor->servo ? fmax(-motor->velocity, fmin(rate * (motor->position - q), motor->velocity)) : motor->velocity;
}

/* Whether a row's impulse is clear of both its bounds, by a part of them. */
static inline bool rg_row_within(const RgBoundedRow *row, double slack)
{
    return row->z > (1.0 - slack) * row->low && row->z < (1.0 - slack) * row->high;
}

/* The least velocity (row_limit.c) that a hard limit of an axis lets a gap g have in a step; h and located count. */
double rg_limit_velocity(const RgBounded *b, const RgBoundedAsk *ask, const RgAxisDef *axis, double g);

/* The widest gap whose limit has a row in a step that begins with this rate; h and located count. */
double rg_limit_reach(const RgBoundedAsk *ask, double rate);

/* What a drive asks for in a step from q on; t, h and span count: v + compliance z = target. */
typedef struct RgDriveLaw {
    double target, compliance;
} RgDriveLaw;
RgDriveLaw rg_drive_law(const RgDrive *drive, const RgBoundedAsk *ask, double q);

/* Position (of a plain axis) and rate. */
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
