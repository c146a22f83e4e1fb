/*
 * cone_rows.h - a problem of rows in the form that solver `cone` uses: contacts and single rows as groups, velocities
 * in nodes of six, and the sparse matrix 1 + sum of L' J / E over active rows.
 *
 * A node is a free body; unknowns outside of bodies that rows have coefficients for are numbered in nodes of six as
 * well.
 */
#ifndef RIGOR_CONE_ROWS_H
#define RIGOR_CONE_ROWS_H

#include "solver/cone/block_lu.h"
#include "solver/problem.h"

#define RG_CONE_NODE 6 /* unknowns of a node */
#define RG_CONE_ROWS 6 /* largest number of rows of a group: normal, tangents, torsion, rolling */

/* Consecutive columns of a group that belong to one node. */
typedef struct RgConeRun {
    int32_t node, offset; /* offset: first unknown within the node */
    int32_t first, count; /* range among the group's columns */
} RgConeRun;

/* A contact, or a single row. */
typedef struct RgConeGroup {
    int32_t first, rows; /* first row, number of rows */
    int32_t columns;     /* number of columns */
    const int *at;       /* columns: unknown of each */
    const double *J;     /* rows x columns */
    int32_t run, runs;   /* first run, number of runs */
} RgConeGroup;

typedef struct RgConeRows {
    RgProblem *p;
    RgArena *arena;
    int32_t ngroups, nruns, nnodes, widest; /* widest: largest number of columns of a group */
    RgConeGroup *group;
    RgConeRun *run;
    int32_t *node_of, *offset_of; /* nu: node and place within it; -1: no row has a coefficient for the unknown */
    /* n: A_ii; for the two rows of a cone the larger eigenvalue of their block (response) */
    double *diagonal, *response;
    double *s_free; /* nu: s*, velocities without impulses */
    RgBlockLu lu;
    double *step, *spare; /* nodes x 6: right side, then the step of the velocities; scratch */
    bool planned;         /* the elimination order is found and lu is allocated */
} RgConeRows;

/* An active row over its group's columns; its contribution to the matrix is weight L' J. */
typedef struct RgConeActiveRow {
    const double *J, *L;
    double weight;
} RgConeActiveRow;

typedef struct RgConeActiveRows {
    int count;
    RgConeActiveRow row[RG_CONE_ROWS];
} RgConeActiveRows;

/* Builds groups and nodes; p->s is taken as s*. False: no memory. */
bool rg_cone_rows_alloc(RgConeRows *c);

/* Finds the elimination order and allocates the matrix. False: no memory. */
bool rg_cone_rows_plan(RgConeRows *c);

/* Sets the matrix to 1 and the right side to -gradient (nu). */
void rg_cone_rows_reset_system(RgConeRows *c, const double *gradient);
/* Adds the active rows of a group to the matrix. */
void rg_cone_rows_add_active(RgConeRows *c, const RgConeGroup *g, const RgConeActiveRows *rows);

/* Factors and solves: dx (nu), and the change du (n) of the row velocities by it. False: the matrix is singular. */
bool rg_cone_rows_solve(RgConeRows *c, double *dx, double *du);

/* p->s = s* + J' z */
void rg_cone_rows_update_velocities(RgConeRows *c);

static inline const double *cone_row(const RgConeGroup *g, int32_t row)
{
    return g->J + (ptrdiff_t)(row - g->first) * g->columns;
}

/* J_row . s */
static inline double cone_row_times(const RgConeGroup *g, int32_t row, const double *s)
{
    const double *J = cone_row(g, row);
    double sum = 0.0;
    for (int32_t k = 0; k < g->columns; k++)
        sum += J[k] * s[g->at[k]];
    return sum;
}

/* s += J_row' z */
static inline void cone_apply_impulse(const RgConeGroup *g, int32_t row, double z, double *s)
{
    const double *J = cone_row(g, row);
    for (int32_t k = 0; k < g->columns; k++)
        s[g->at[k]] += J[k] * z;
}

/* x += f J_row over the group's columns. */
static inline void cone_add_scaled_row(const RgConeGroup *g, int32_t row, double f, double *x)
{
    const double *J = cone_row(g, row);
    for (int32_t k = 0; k < g->columns; k++)
        x[k] += f * J[k];
}

/* Whether the group is a contact whose rows 1 and 2 share a circular cone. */
static inline bool cone_is_circular(const RgProblem *p, const RgConeGroup *g)
{
    int32_t i = g->first;
    return p->row_class[i] == RG_ROW_NORMAL && g->rows >= 3 && p->cone[i + 1] && p->high[i + 1] == p->high[i + 2];
}

/* Start of a proximal step of weight a about impulses: u, the rates of the rows at s*, and E = C + a A_ii. u, E: n */
void rg_cone_rows_start(const RgConeRows *c, double a, const double *centre, double *u, double *E);

#endif
