/*
 * row.h - one bilateral row, in body and joint terms, for both coordinate forms.
 *
 *   rate          w  = sum J_b . V_b + sum k_j v_j (+ k_r r)        b: bodies, j: joint velocities, r: rotor (maximal)
 *   acceleration  w' = sum J_b . A_b + sum k_j v'_j (+ k_r r') + bias
 *   law           w' + compliance z = target,   z the force along the row
 */
#ifndef RIGOR_ROW_H
#define RIGOR_ROW_H

#include "math/spatial.h"

#include <stdbool.h>

/* Maximum number of bodies of a row: two of its own, and two of each of two joint velocities in the maximal form. */
#define RG_ROW_BODIES 6

typedef struct RgRow {
    int nbodies, ndofs;
    int body[RG_ROW_BODIES];  /* moving bodies only */
    RgForce J[RG_ROW_BODIES]; /* about the bodies' origins, world axes */
    int dof[2];               /* velocities of tree joints */
    double coefficient[2];
    int rotor;   /* -1: none; its coefficient is -1 */
    double bias; /* of the acceleration */
    double target;
    double compliance; /* 0: hard */
    bool keeps;        /* requires no change of its rate, whatever the rate is */
    bool no_bias;      /* a soft row on J u with J of the start of the step: velocity products do not count */
    double error;      /* position error, m or rad */
} RgRow;

/* Rows in elimination order. */
typedef struct RgRows {
    RgRow *row;
    int n, room;
} RgRows;

/* Appends an initialised row; the room was reserved before. */
static inline RgRow *rg_rows_add(RgRows *rows)
{
    RgRow *row = &rows->row[rows->n++];
    *row = (RgRow){.rotor = -1};
    return row;
}

/* Adds J about the point p to the row's term on a body (ignored for the world, -1). */
void rg_row_add_body(RgRow *row, int body, RgVec3 origin, RgForce J, RgVec3 p);

#endif
