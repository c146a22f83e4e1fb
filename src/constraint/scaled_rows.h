/*
 * scaled_rows.h - velocities scaled by the square root of the mass, and rows over them: M = 1 in both coordinate forms.
 *
 *   maximal   M of a body = K K' in its principal axes (K diagonal unless inertia was moved);  s = K' u
 *   minimal   M = L' D L, sparse as the tree;                                              s = D^1/2 L u
 *
 * A row J over u becomes J K'^-1, or D^-1/2 L'^-1 J'. Its columns are those of the paths from its bodies to the root.
 * So a row needs one set of coefficients instead of J and M^-1 J', and stays sparse in joint coordinates.
 */
#ifndef RIGOR_SCALED_ROWS_H
#define RIGOR_SCALED_ROWS_H

#include "constraint/constraints.h"
#include "constraint/inertia_ratio.h"

typedef struct RgScaledBody {
    RgVec3 centre; /* centre of mass, world axes */
    RgMat3 to;     /* maximal: maps a moment in world axes to coefficients, K^-1 R' */
    double K[6];   /* maximal: lower triangle by rows 00 10 11 20 21 22 */
    double per_root_mass, root_mass;
} RgScaledBody;

typedef struct RgScaling {
    RgForm *form;
    RgScaledBody *body; /* nbodies */
    RgSym3 *inertia;    /* maximal: nbodies, about the centres in principal axes, after moving */
    bool shifted;       /* some inertia was moved */
    int nblocks;
    int *block;     /* first unknown of each body that has six unknowns of its own */
    double *work;   /* nu, zero between uses */
    int *columns;   /* nu */
    double *values; /* nu */
} RgScaling;

RgScaling *rg_scaling_alloc(RgArena *arena, RgForm *form);

/* Computes the scaling for the present kinematics and mass factor. rule: moves inertia across hinges (maximal form). */
void rg_scaling_set(RgScaling *s, RgInertiaRule rule);

/* Converts u (nu) to s, and back; may be in place. */
void rg_scale_velocity(const RgScaling *s, const double *u, double *out);
void rg_unscale_velocity(const RgScaling *s, const double *scaled, double *u);

/* Applies the impulse M (u - u0) to the moved inertias: u = u0 + M_moved^-1 M (u - u0), in place. */
void rg_scaling_reapply_impulse(const RgScaling *s, const double *u0, double *u);

/* Writes the coefficients of a row; returns their number. */
int rg_scaled_row(RgScaling *s, const RgRow *row, int *columns, double *values);

/* Writes the columns of a row between two bodies (-1: the world), ascending; returns their number. */
int rg_scaled_pair_columns(RgScaling *s, int body_a, int body_b, int *columns);

/* Writes its coefficients: wrench f about the centre on B, -g about its own centre on A. */
void rg_scaled_pair(RgScaling *s, int body_a, RgForce g, int body_b, RgForce f, double *values);

/* Kinetic energy of u with the true inertias minus that with the moved ones (maximal form; minimal: 0). */
double rg_scaling_energy_shift(const RgScaling *s, const double *u);

#endif
