/*
 * bounded_rows.h - rows whose impulse has bounds: joint limits, dry joint friction, motors, a user's own.
 *
 *   w = J u + C z - target,   low <= z <= high,   w >= 0 at low, <= 0 at high, 0 between
 *
 * u at the end of a step of length h, z an impulse (N s or N m s). Made anew each step, in body and joint terms, for
 * both coordinate forms and every solver.
 *
 * Axes. The velocities of the tree's joints, nv, then those of the loop joints in their order: one list for all.
 */
#ifndef RIGOR_BOUNDED_ROWS_H
#define RIGOR_BOUNDED_ROWS_H

#include "constraint/constraints.h"

#include <rigor/sim.h>

typedef struct RgBoundedRow {
    RgRow row; /* the geometry; of its law only what is below counts */
    double target, compliance, low, high;
    int kind; /* as in bounded_table.h */
    int axis; /* joint velocity it is about; user rows: number of the row */
    int slot; /* its own number among all rows that there can be, the same in every step */
    double z; /* first guess, then the solution */
} RgBoundedRow;

typedef struct RgMotor {
    bool on;
    double velocity;   /* rad/s or m/s */
    double max_effort; /* N m or N */
} RgMotor;

/* What the rows of a world are made from. */
typedef struct RgBounded {
    RgForm *form;
    RgConstraints *constraints;
    int naxes;
    RgMotor *motors; /* naxes */
    double share;    /* of an error at a limit that a step removes; default as of contacts */
    double near;     /* rad or m: as of contacts */
    RgUserRowsFn *user;
    void *user_context;
    RgUserRow *user_rows; /* user_room */
    int user_room;
    double t; /* of the present step */
} RgBounded;

/* One kind of row. */
typedef struct RgBoundedKind {
    const char *name;
    int (*room)(const RgBounded *b); /* rows at most */
    /* Writes the rows of this step and returns how many. Slots count from 0: the caller shifts them. */
    int (*add)(RgBounded *b, double h, RgBoundedRow *out);
} RgBoundedKind;

/* NULL: no memory. user may be NULL. */
RgBounded *rg_bounded_take(RgArena *arena, RgForm *form, RgConstraints *constraints, int user_room);

/* Rows (and slots) at most. */
int rg_bounded_room(const RgBounded *b);

/* The rows of a step of length h that begins at t, from the last kinematics and observation; out has room for
   rg_bounded_room. Returns how many. */
int rg_bounded_rows(RgBounded *b, double t, double h, RgBoundedRow *out);

/* Name of a row's kind. */
const char *rg_bounded_kind_name(int kind);

/* ------------------------------------------------------------------ for the kinds */

/* What an axis of a joint is; NULL: of a floating root. */
const RgAxisDef *rg_axis_def(const RgBounded *b, int axis);

/* A fresh row along an axis, sign +1 or -1, with z free. */
RgBoundedRow rg_axis_row(const RgBounded *b, int axis, double sign);

/* Position (joints whose velocity is the rate of their position; else false) and rate of an axis. */
bool rg_axis_position(const RgBounded *b, int axis, double *q);
double rg_axis_rate(const RgBounded *b, int axis);

#endif
