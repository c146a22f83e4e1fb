/*
 * cone_local.h - one contact alone: u = W r + q of three rows, exactly.
 *
 *   lifts off   q_n >= 0:  r = 0
 *   sticks      r = -W^-1 q, where that lies in the cone
 *   slides      r = r_n (1, mu d), |d| = 1, u_n = 0, u_t against d:
 *               r_n = -q_n / (W_nn + mu W_nt d),   g(d) = d x u_t = 0,   d u_t <= 0
 *
 * g is solved for the angle of d by Newton's method from the direction of the last answer: d <- (d + a d') / |..|, d'
 * at right angles to d, so that no sine is needed. If that finds no root with d u_t <= 0, all changes of sign of (W_nn
 * + mu W_nt d) g, which has no poles, are tried by halving. W_nn + mu W_nt d <= 0 (Painleve) has no answer in that
 * direction: it is passed over.
 */
#ifndef RIGOR_CONE_LOCAL_H
#define RIGOR_CONE_LOCAL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define CONE_LOCAL_STEPS 12
#define CONE_LOCAL_DIRECTIONS 48

typedef struct RgConeLocal {
    const double *W; /* 9, row-major */
    const double *q; /* 3 */
    double mu;
} RgConeLocal;

/* The state of a sliding contact whose friction pulls along d. */
typedef struct RgConeSlide {
    double d[2], n; /* n: its normal impulse */
    double u[2];
    double g, slope; /* d x u, and its derivative by the angle of d */
    bool pulls;      /* n >= 0 exists */
} RgConeSlide;

static inline RgConeSlide cone_slide(const RgConeLocal *c, double d0, double d1)
{
    const double *W = c->W, mu = c->mu;
    RgConeSlide s = {.d = {d0, d1}};
    double across = mu * (W[1] * d0 + W[2] * d1), stiff = W[0] + across;
    s.pulls = stiff > 1e-14 * W[0];
    if (!s.pulls)
        return s;
    s.n = -c->q[0] / stiff;
    double turn = -s.n * mu * (W[2] * d0 - W[1] * d1) / stiff; /* dn by the angle */
    double a0 = W[3] + mu * (W[4] * d0 + W[5] * d1), a1 = W[6] + mu * (W[7] * d0 + W[8] * d1);
    double b0 = mu * (W[5] * d0 - W[4] * d1), b1 = mu * (W[8] * d0 - W[7] * d1);
    s.u[0] = c->q[1] + s.n * a0;
    s.u[1] = c->q[2] + s.n * a1;
    double du0 = turn * a0 + s.n * b0, du1 = turn * a1 + s.n * b1;
    s.g = d0 * s.u[1] - d1 * s.u[0];
    s.slope = d0 * du1 - d1 * du0 - (d0 * s.u[0] + d1 * s.u[1]);
    return s;
}

static inline bool cone_slide_holds(const RgConeSlide *s)
{
    return s->pulls && s->d[0] * s->u[0] + s->d[1] * s->u[1] <= 0.0;
}

/* (W_nn + mu W_nt d) g, which has no poles: of degree two in d, so that it has four roots at most. */
static inline double cone_slide_turn(const RgConeLocal *c, const double d[2])
{
    const double *W = c->W, *q = c->q, mu = c->mu;
    double stiff = W[0] + mu * (W[1] * d[0] + W[2] * d[1]);
    double x = stiff * q[1] - q[0] * (W[3] + mu * (W[4] * d[0] + W[5] * d[1]));
    double y = stiff * q[2] - q[0] * (W[6] + mu * (W[7] * d[0] + W[8] * d[1]));
    return d[0] * y - d[1] * x;
}

/* Its root between two directions where it changes sign; by halving the angle. */
static inline RgConeSlide cone_slide_between(const RgConeLocal *c, const double from[2], const double to[2])
{
    double low[2] = {from[0], from[1]}, high[2] = {to[0], to[1]};
    bool rises = cone_slide_turn(c, high) > 0.0;
    for (int k = 0; k < 60; k++) {
        double x = low[0] + high[0], y = low[1] + high[1], size = sqrt(x * x + y * y);
        double middle[2] = {x / size, y / size}, *end = (cone_slide_turn(c, middle) > 0.0) == rises ? high : low;
        end[0] = middle[0];
        end[1] = middle[1];
    }
    return cone_slide(c, low[0], low[1]);
}

/* All directions; false: none holds. */
static inline bool cone_slide_search(const RgConeLocal *c, RgConeSlide *out)
{
    /* The vertices of a regular polygon by repeated turning: cosine and sine of 2 pi / 48. */
    const double cosine = 0.99144486137381038, sine = 0.13052619222005157;
    double last[2] = {1.0, 0.0};
    bool above = cone_slide_turn(c, last) > 0.0;
    for (int k = 0; k < CONE_LOCAL_DIRECTIONS; k++) {
        double next[2] = {cosine * last[0] - sine * last[1], sine * last[0] + cosine * last[1]};
        bool now = cone_slide_turn(c, next) > 0.0;
        if (now != above) {
            *out = cone_slide_between(c, last, next);
            if (cone_slide_holds(out))
                return true;
        }
        above = now;
        last[0] = next[0];
        last[1] = next[1];
    }
    return false;
}

/* Newton's method from d; false: it ends elsewhere. */
static inline bool cone_slide_newton(const RgConeLocal *c, double d0, double d1, RgConeSlide *out)
{
    RgConeSlide s = cone_slide(c, d0, d1);
    for (int k = 0; k < CONE_LOCAL_STEPS && s.pulls; k++) {
        double a = s.slope > 0.0 ? -s.g / s.slope : s.g > 0.0 ? -0.5 : 0.5;
        a = a > 0.5 ? 0.5 : a < -0.5 ? -0.5 : a;
        double x = s.d[0] - a * s.d[1], y = s.d[1] + a * s.d[0], size = sqrt(x * x + y * y);
        s = cone_slide(c, x / size, y / size);
        if (fabs(a) < 1e-6) {
            *out = s;
            return cone_slide_holds(&s);
        }
    }
    return false;
}

/* inverse: of W; NULL: W is singular, nothing sticks exactly. r: the last answer, then this one. False: none was found,
   r is the nearest thing: the frictionless one. */
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
