/*
 * row.h - one bilateral row, written once in body and joint terms, for both coordinate forms.
 *
 *   rate          w  = sum J_b . V_b + sum k_j v_j (+ k_r r)          b: bodies, j: joint velocities, r: a
 *   rotor (maximal form)
 *   acceleration  w' = sum J_b . A_b + sum k_j v'_j (+ k_r r') + bias
 *   law           w' + compliance z = target,   z the force along the row
 */
#ifndef RIGOR_ROW_H
#define RIGOR_ROW_H

#include "math/spatial.h"

#include <stdbool.h>

/* At most: two of its own, and the two of each of two joint velocities in the maximal form. */
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
    bool keeps;        /* asks that nothing changes along it, whatever its rate */
    double error;      /* of the position, m or rad */
} RgRow;

/* Rows in the order in which they are to be eliminated. */
typedef struct RgRows {
    RgRow *row;
    int n, room;
} RgRows;

/* A fresh row at the end; there is always room, counted beforehand. */
static inline RgRow *rg_rows_add(RgRows *rows)
{
    RgRow *row = &rows->row[rows->n++];
    *row = (RgRow){.rotor = -1};
    return row;
}

/* Adds J about the point p to what the row has on a body (the world, -1, takes none). */
void rg_row_add_body(RgRow *row, int body, RgVec3 origin, RgForce J, RgVec3 p);

#endif
