/*
 * cone_rows.h - a problem of rows as solver `cone` sees it: contacts and single rows in groups, velocities in nodes of
 * six, and the sparse matrix 1 + sum of L' J / E over rows that hold.
 *
 * Nodes are bodies that move alone; other unknowns that rows speak of go six by six.
 */
#ifndef RIGOR_CONE_ROWS_H
#define RIGOR_CONE_ROWS_H

#include "solver/cone/block_lu.h"
#include "solver/problem.h"

#define RG_CONE_NODE 6 /* unknowns of a node */
#define RG_CONE_ROWS 6 /* rows of a group at most: normal, tangents, torsion, rolling */

/* Columns of a group that belong to one node. */
typedef struct RgConeRun {
    int32_t node, offset; /* first unknown within the node */
    int32_t first, count; /* among the group's columns */
} RgConeRun;

/* A contact, or a row alone. */
typedef struct RgConeGroup {
    int32_t first, rows;
    int32_t columns; /* how many */
    const int *at;   /* which */
    const double *J; /* rows x columns */
    int32_t run, runs;
} RgConeGroup;

typedef struct RgConeRows {
    RgProblem *p;
    RgArena *arena;
    int32_t ngroups, nruns, nnodes, widest; /* widest: columns of a group at most */
    RgConeGroup *group;
    RgConeRun *run;
    int32_t *node_of, *offset_of; /* nu; -1: no row speaks of it */
    double *diagonal, *response;  /* n: A_ii; of two rows of a cone the larger eigenvalue */
    double *s_free;               /* nu: s* */
    RgBlockLu lu;
    double *step, *spare; /* nodes x 6: right side, then the step of velocities */
    bool planned;
} RgConeRows;

/* A row that holds over its group's columns: its part of the matrix is L' J per. */
typedef struct RgConeHeld {
    const double *J, *L;
    double per;
} RgConeHeld;

typedef struct RgConeAnswer {
    int count;
    RgConeHeld row[RG_CONE_ROWS];
} RgConeAnswer;

/* Groups and nodes; s* is what p->s is. False: no memory. */
bool rg_cone_rows_take(RgConeRows *c);

/* Order of elimination, memory of the matrix. False: none. */
bool rg_cone_rows_plan(RgConeRows *c);

/* The matrix 1 and the right side -slope (nu). */
void rg_cone_rows_begin(RgConeRows *c, const double *slope);
void rg_cone_rows_add(RgConeRows *c, const RgConeGroup *g, const RgConeAnswer *rows);

/* The solution dx (nu), and what it changes the rows' velocities by, du (n). False: singular. */
bool rg_cone_rows_solve(RgConeRows *c, double *dx, double *du);

/* s = s* + J' z. */
void rg_cone_rows_refresh(RgConeRows *c);

static inline const double *cone_row(const RgConeGroup *g, int32_t row)
{
    return g->J + (ptrdiff_t)(row - g->first) * g->columns;
}

/* J_row . s */
static inline double cone_times(const RgConeGroup *g, int32_t row, const double *s)
{
    const double *J = cone_row(g, row);
    double sum = 0.0;
    for (int32_t k = 0; k < g->columns; k++)
        sum += J[k] * s[g->at[k]];
    return sum;
}

/* s += J_row' z */
static inline void cone_push(const RgConeGroup *g, int32_t row, double z, double *s)
{
    const double *J = cone_row(g, row);
    for (int32_t k = 0; k < g->columns; k++)
        s[g->at[k]] += J[k] * z;
}

/* x += f J_row over the group's columns. */
static inline void cone_mix(const RgConeGroup *g, int32_t row, double f, double *x)
{
    const double *J = cone_row(g, row);
    for (int32_t k = 0; k < g->columns; k++)
        x[k] += f * J[k];
}

/* Whether the group is a contact whose rows 1 and 2 share a circular cone. */
static inline bool cone_is_round(const RgProblem *p, const RgConeGroup *g)
{
    int32_t i = g->first;
    return p->row_class[i] == RG_ROW_NORMAL && g->rows >= 3 && p->cone[i + 1] && p->high[i + 1] == p->high[i + 2];
}

#endif
