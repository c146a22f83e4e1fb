/*
 * plane_piece.h - functions shared by the kinds of planes.
 */
#ifndef RIGOR_PLANE_PIECE_H
#define RIGOR_PLANE_PIECE_H

#include "math/unit.h"
#include "path/plane.h"

RgClearance rg_edges_clearance(const RgPairMotion *m, RgPlane *plane, const RgPairAt *at, double floor);
RgPiece rg_edges_piece(const RgPairMotion *m, RgPlane *plane, const RgPairAt at[2], double floor);
RgClearance rg_round_clearance(const RgPairMotion *m, RgPlane *plane, const RgPairAt *at, double floor);
RgPiece rg_round_piece(const RgPairMotion *m, RgPlane *plane, const RgPairAt at[2], double floor);

/* Value and rate of a function at one time. */
typedef struct RgJet {
    double value, rate;
} RgJet;

/* Bernstein coefficients of the Hermite cubic of a scalar function. length: of the interval, s. */
static inline void number_piece(RgJet begin, RgJet end, double length, double out[4])
{
    out[0] = begin.value;
    out[1] = begin.value + length / 3.0 * begin.rate;
    out[2] = end.value - length / 3.0 * end.rate;
    out[3] = end.value;
}

/* Bernstein coefficients of the Hermite cubic of a vector function. */
static inline void vector_piece(const RgVec3 value[2], const RgVec3 rate[2], double length, RgVec3 out[4])
{
    out[0] = value[0];
    out[1] = v3_axpy(length / 3.0, rate[0], value[0]);
    out[2] = v3_axpy(-length / 3.0, rate[1], value[1]);
    out[3] = value[1];
}

/* Minimum of d.x over the core of a shape. */
static inline double lowest(const RgMovingShape *m, RgVec3 d, int32_t *vertex)
{
    return v3_dot(d, rg_core_support(m->shape, v3_neg(d), vertex));
}

/* m: bound of the distances of a core's points from a point given in the shape's frame. */
static inline double farthest_from(const RgMovingShape *m, RgVec3 point)
{
    RgVec3 from_centre = m3_apply(m->R, point);
    if (m->path != NULL)
        from_centre = v3_add(from_centre, m->p);
    return v3_norm(from_centre) + m->reach;
}

/* Bound of the fourth derivative of |f|^2 from bounds d of the derivatives of f. */
static inline double square_fourth_derivative(const double d[RG_PATH_DERIVATIVES])
{
    return 2.0 * d[0] * d[4] + 8.0 * d[1] * d[3] + 6.0 * d[2] * d[2];
}

#endif
