/*
 * cone_local.h - exact solution of one contact: u = W r + q of three rows.
 *
 *   separating  q_n >= 0:  r = 0
 *   sticking    r = -W^-1 q, if that lies in the cone
 *   sliding     r = r_n (1, mu d), |d| = 1, u_n = 0, u_t opposite to d:
 *               r_n = -q_n / (W_nn + mu W_nt d),   g(d) = d x u_t = 0,   d u_t <= 0
 *
 * Newton's method solves g for the angle of d, starting from the direction of the last solution: d <- (d + a d') /
 * |..|, d' perpendicular to d, so that no sine is needed. If it finds no root with d u_t <= 0, all sign changes of
 * (W_nn + mu W_nt d) g, which has no poles, are located by bisection. A direction with W_nn + mu W_nt d <= 0 (Painleve)
 * has no solution and is skipped.
 */
#ifndef RIGOR_CONE_LOCAL_H
#define RIGOR_CONE_LOCAL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Newton steps at most; then the search over all directions follows. */
#define CONE_LOCAL_NEWTON_STEPS 12
/* Directions of that search. The polynomial has at most four roots; two of them closer than 7.5 degrees can be
   missed. */
#define CONE_LOCAL_DIRECTIONS 48

typedef struct RgConeLocal {
    const double *W; /* 9, row-major */
    const double *q; /* 3 */
    double mu;
} RgConeLocal;

/* A sliding contact whose friction acts along d. */
typedef struct RgConeSlide {
    double d[2], n; /* n: normal impulse */
    double u[2];
    double g, slope; /* d x u, and its derivative with respect to the angle of d */
    bool has_normal; /* W_nn + mu W_nt d > 0, so that n exists */
} RgConeSlide;

static inline RgConeSlide cone_slide_evaluate(const RgConeLocal *c, double d0, double d1)
{
    const double *W = c->W, mu = c->mu;
    RgConeSlide s = {.d = {d0, d1}};
    double coupling = mu * (W[1] * d0 + W[2] * d1), W_eff = W[0] + coupling;
    s.has_normal = W_eff > 1e-14 * W[0];
    if (!s.has_normal)
        return s;
    s.n = -c->q[0] / W_eff;
    double turn = -s.n * mu * (W[2] * d0 - W[1] * d1) / W_eff; /* derivative of n with respect to the angle */
    double a0 = W[3] + mu * (W[4] * d0 + W[5] * d1), a1 = W[6] + mu * (W[7] * d0 + W[8] * d1);
    double b0 = mu * (W[5] * d0 - W[4] * d1), b1 = mu * (W[8] * d0 - W[7] * d1);
    s.u[0] = c->q[1] + s.n * a0;
    s.u[1] = c->q[2] + s.n * a1;
    double du0 = turn * a0 + s.n * b0, du1 = turn * a1 + s.n * b1;
    s.g = d0 * s.u[1] - d1 * s.u[0];
    s.slope = d0 * du1 - d1 * du0 - (d0 * s.u[0] + d1 * s.u[1]);
    return s;
}

static inline bool cone_slide_is_valid(const RgConeSlide *s)
{
    return s->has_normal && s->d[0] * s->u[0] + s->d[1] * s->u[1] <= 0.0;
}

/* (W_nn + mu W_nt d) g: quadratic in d, without poles, at most four roots. */
static inline double cone_slide_polynomial(const RgConeLocal *c, const double d[2])
{
    const double *W = c->W, *q = c->q, mu = c->mu;
    double W_eff = W[0] + mu * (W[1] * d[0] + W[2] * d[1]);
    double x = W_eff * q[1] - q[0] * (W[3] + mu * (W[4] * d[0] + W[5] * d[1]));
    double y = W_eff * q[2] - q[0] * (W[6] + mu * (W[7] * d[0] + W[8] * d[1]));
    return d[0] * y - d[1] * x;
}

/* Root of the polynomial between two directions where it changes sign, by bisection of the angle. */
static inline RgConeSlide cone_slide_bisect(const RgConeLocal *c, const double from[2], const double to[2])
{
    double low[2] = {from[0], from[1]}, high[2] = {to[0], to[1]};
    bool rises = cone_slide_polynomial(c, high) > 0.0;
    for (int k = 0; k < 60; k++) {
        double x = low[0] + high[0], y = low[1] + high[1], size = sqrt(x * x + y * y);
        double middle[2] = {x / size, y / size}, *end = (cone_slide_polynomial(c, middle) > 0.0) == rises ? high : low;
        end[0] = middle[0];
        end[1] = middle[1];
    }
    return cone_slide_evaluate(c, low[0], low[1]);
}

/* Searches all directions for a valid sliding solution. False: none. */
static inline bool cone_slide_search(const RgConeLocal *c, RgConeSlide *out)
{
    /* Directions are the vertices of a regular polygon, by repeated rotation: cosine and sine of 2 pi / 48. */
    const double cosine = 0.99144486137381038, sine = 0.13052619222005157;
    double last[2] = {1.0, 0.0};
    bool above = cone_slide_polynomial(c, last) > 0.0;
    for (int k = 0; k < CONE_LOCAL_DIRECTIONS; k++) {
        double next[2] = {cosine * last[0] - sine * last[1], sine * last[0] + cosine * last[1]};
        bool now = cone_slide_polynomial(c, next) > 0.0;
        if (now != above) {
            *out = cone_slide_bisect(c, last, next);
            if (cone_slide_is_valid(out))
                return true;
        }
        above = now;
        last[0] = next[0];
        last[1] = next[1];
    }
    return false;
}

/* Newton's method from direction d. False: no convergence to a valid solution. */
static inline bool cone_slide_newton(const RgConeLocal *c, double d0, double d1, RgConeSlide *out)
{
    RgConeSlide s = cone_slide_evaluate(c, d0, d1);
    for (int k = 0; k < CONE_LOCAL_NEWTON_STEPS && s.has_normal; k++) {
        double a = s.slope > 0.0 ? -s.g / s.slope : s.g > 0.0 ? -0.5 : 0.5;
        a = a > 0.5 ? 0.5 : a < -0.5 ? -0.5 : a;
        double x = s.d[0] - a * s.d[1], y = s.d[1] + a * s.d[0], size = sqrt(x * x + y * y);
        s = cone_slide_evaluate(c, x / size, y / size);
        if (fabs(a) < 1e-6) {
            *out = s;
            return cone_slide_is_valid(&s);
        }
    }
    return false;
}

/* inverse: of W; NULL: W is singular, and sticking is not tried. r: last solution on entry, this one on return. False:
   no solution found; r is then the frictionless one. */
static inline bool cone_local_solve(const RgConeLocal *c, const double *inverse, double r[3])
{
    const double *q = c->q;
    if (q[0] >= 0.0) {
        r[0] = r[1] = r[2] = 0.0;
        return true;
    }
    double d0 = r[1], d1 = r[2];
    if (inverse != NULL) {
        for (int i = 0; i < 3; i++)
            r[i] = -(inverse[3 * i] * q[0] + inverse[3 * i + 1] * q[1] + inverse[3 * i + 2] * q[2]);
        double bound = c->mu * r[0];
        if (r[0] >= 0.0 && r[1] * r[1] + r[2] * r[2] <= bound * bound)
            return true;
        if (d0 == 0.0 && d1 == 0.0) {
            d0 = r[1];
            d1 = r[2];
        }
    }
    double size = sqrt(d0 * d0 + d1 * d1);
    RgConeSlide s;
    bool found = size > 0.0 && cone_slide_newton(c, d0 / size, d1 / size, &s);
    if (!found && !cone_slide_search(c, &s)) {
        r[0] = c->W[0] > 0.0 ? -q[0] / c->W[0] : 0.0;
        r[1] = r[2] = 0.0;
        return c->mu == 0.0;
    }
    r[0] = s.n;
    r[1] = c->mu * s.n * s.d[0];
    r[2] = c->mu * s.n * s.d[1];
    return true;
}

#endif
