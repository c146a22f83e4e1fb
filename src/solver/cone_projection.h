/*
 * cone_projection.h - projection of impulses onto bounds, discs, ellipses and friction cones.
 *
 *   interval   z to [low, high]
 *   disc       t to {|t| <= b}, radially: this is the nearest point
 *   ellipse    t to {(t_1 / b_1)^2 + (t_2 / b_2)^2 <= 1}, radially (not the nearest point): at a fixed point of the
 *              iteration friction opposes w, which is Coulomb's law with two coefficients
 *   cone       (n, t) to the nearest point of K(mu) = {|t| <= mu n}. With d = t / |t| and e perpendicular to d,
 *
 *     tip      mu |t| <= -n        P = 0                        P' = 0
 *     inside   |t| <= mu n         P = (n, t)                   P' = 1
 *     edge     otherwise           P = n' (1, mu d)             n' = (n + mu |t|) / (1 + mu^2)
 *                                  P' = (1, mu d)(1, mu d)' / (1 + mu^2) + (mu n' / |t|) e e'
 *
 * In the metric E = (E_n, E_t, E_t): project sqrt(E) (n, t) with mu sqrt(E_t / E_n), then scale back. The vector
 * kernels of `pgs` and `quick` have their own ellipse and disc (pgs_kernel.h, quick_kernel.h). No failure: with a half
 * axis of zero the ellipse is a segment; NaN is passed on.
 */
#ifndef RIGOR_CONE_PROJECTION_H
#define RIGOR_CONE_PROJECTION_H

#include "solver/problem.h"

#include <math.h>

static inline double interval_project(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* Projects x (2) onto the disc; if on_edge, points inside go to the edge too. */
static inline void disc_retract(double radius, bool on_edge, double x[2])
{
    double length2 = x[0] * x[0] + x[1] * x[1];
    if (!(length2 > radius * radius) && !(on_edge && length2 > 0.0))
        return;
    double scale = radius / sqrt(length2);
    x[0] *= scale;
    x[1] *= scale;
}

/* Moves (x, y) radially into the ellipse with the given half axes; with a half axis of zero, onto the segment. */
static inline void ellipse_retract(double bound1, double bound2, double *x, double *y)
{
    double product = bound1 * bound2;
    if (!(product > 0.0)) {
        *x = interval_project(*x, -bound1, bound1);
        *y = interval_project(*y, -bound2, bound2);
        return;
    }
    double a = *x * bound2, b = *y * bound1, length2 = a * a + b * b;
    if (length2 > product * product) {
        double scale = product / sqrt(length2);
        *x *= scale;
        *y *= scale;
    }
}

/* Radius of the ellipse with half axes a, b along the unit vector d; turn: derivative of the radius by the angle of d,
   divided by the radius. */
static inline double ellipse_radius(double a, double b, const double d[2], double *turn)
{
    *turn = 0.0;
    if (a == b)
        return a;
    if (!(a > 0.0 && b > 0.0))
        return 0.0;
    double x = d[0] / a, y = d[1] / b, square = x * x + y * y;
    *turn = (x * d[1] / a - y * d[0] / b) / square;
    return 1.0 / sqrt(square);
}

/* ------------------------------------------------------------------ the circular cone */

typedef enum RgConePlace { RG_CONE_TIP, RG_CONE_INSIDE, RG_CONE_EDGE } RgConePlace;

/* Result of a projection, with the data that P' needs. */
typedef struct RgConePoint {
    RgConePlace place;
    double d[2], size; /* edge: direction and length of t */
    double n, mu;      /* edge of a cone: n' */
} RgConePoint;

static inline RgConePoint cone_project(double mu, double x[3])
{
    RgConePoint p = {.place = RG_CONE_INSIDE, .size = sqrt(x[1] * x[1] + x[2] * x[2]), .mu = mu};
    if (mu * p.size <= -x[0]) {
        p.place = RG_CONE_TIP;
        x[0] = x[1] = x[2] = 0.0;
    } else if (p.size > mu * x[0]) {
        p.place = RG_CONE_EDGE;
        p.d[0] = x[1] / p.size;
        p.d[1] = x[2] / p.size;
        p.n = x[0] = (x[0] + mu * p.size) / (1.0 + mu * mu);
        x[1] = mu * p.n * p.d[0];
        x[2] = mu * p.n * p.d[1];
    }
    return p;
}

/* P' at a projected point. */
static inline void cone_project_slope(const RgConePoint *p, double slope[9])
{
    double along[3] = {1.0, p->mu * p->d[0], p->mu * p->d[1]}, across[3] = {0.0, -p->d[1], p->d[0]};
    double per = 1.0 / (1.0 + p->mu * p->mu), turn = p->mu * p->n / p->size;
    for (int k = 0; k < 9; k++)
        slope[k] = p->place == RG_CONE_EDGE ? per * along[k / 3] * along[k % 3] + turn * across[k / 3] * across[k % 3]
                   : p->place == RG_CONE_INSIDE && k % 4 == 0 ? 1.0
                                                              : 0.0;
}

/* Projection onto a disc, reported like that onto the cone; radius 0: its tip. */
static inline RgConePoint disc_project(double radius, double x[2])
{
    RgConePoint p = {.place = RG_CONE_INSIDE, .size = sqrt(x[0] * x[0] + x[1] * x[1])};
    if (p.size > radius) {
        p.place = radius > 0.0 ? RG_CONE_EDGE : RG_CONE_TIP;
        p.d[0] = x[0] / p.size;
        p.d[1] = x[1] / p.size;
        x[0] = radius * p.d[0];
        x[1] = radius * p.d[1];
    }
    return p;
}

/* ------------------------------------------------------------------ rows of a problem */

/* Current impulse of the normal that bounds row i, at least 0; 0 if the row has no normal. */
static inline double row_normal(const RgProblem *p, int i)
{
    double n = p->normal[i] >= 0 ? p->z[p->normal[i]] : 0.0;
    return n > 0.0 ? n : 0.0;
}

/* Projects z of row i onto its bounds; n: impulse of its normal. */
static inline double row_project(const RgProblem *p, int i, double n, double z)
{
    bool friction = p->row_class[i] == RG_ROW_FRICTION;
    double high = friction ? p->high[i] * n : p->high[i];
    return interval_project(z, friction ? -high : p->low[i], high);
}

/* Projects the impulses of rows i and i + 1, which share a friction ellipse. */
static inline void pair_project(const RgProblem *p, int i, double n, double *x, double *y)
{
    ellipse_retract(p->high[i] * n, p->high[i + 1] * n, x, y);
}

#endif
