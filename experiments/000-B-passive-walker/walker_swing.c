/*
 * walker_swing.c - a swing phase with fixed steps, and the map from one heelstrike to the next.
 *
 *   Euler            y+ = y + h f(y)
 *   semi-implicit    rates first, angles with the new rates
 *   RK4              the classical one
 *
 * Heelstrike: the swing foot is back on the slope with swing < pi. The step that passes it is made again, shorter,
 * until its end is on it (bisection and secant, Illinois).
 *
 * The eigenvalues of the map's derivative D (8 x 8) are the roots of its characteristic polynomial (Faddeev and
 * LeVerrier), found all at once (Weierstrass, Durand and Kerner): good to 1e-9 for a matrix this small with roots below
 * 1.
 */
#include "walker.h"

#include "vectors.h"

#include <complex.h>

#define PATIENCE 4.0 /* s, within which a heelstrike must come; the published one at 1.007 */

/* ------------------------------------------------------------------ methods */

/* s + h r. */
static WalkerState moved(const WalkerState *s, double h, const WalkerState *r)
{
    WalkerState out = *s;
    for (int i = 0; i < WALKER_ANGLES; i++) {
        out.angle[i] += h * r->angle[i];
        out.rate[i] += h * r->rate[i];
    }
    out.x += h * r->x;
    out.y += h * r->y;
    return out;
}

WalkerState walker_euler(const Walker *walker, const WalkerState *s, double h)
{
    WalkerState r;
    walker_rate(walker, s, &r);
    return moved(s, h, &r);
}

WalkerState walker_semi_implicit(const Walker *walker, const WalkerState *s, double h)
{
    WalkerState r, fast = *s, rolling;
    walker_rate(walker, s, &r);
    for (int i = 0; i < WALKER_ANGLES; i++)
        fast.rate[i] += h * r.rate[i];
    walker_rate(walker, &fast, &rolling); /* of it only how fast the foot rolls now */
    WalkerState out = moved(s, h, &r);
    for (int i = 0; i < WALKER_ANGLES; i++)
        out.angle[i] = s->angle[i] + h * fast.rate[i];
    out.x = s->x + h * rolling.x;
    out.y = s->y + h * rolling.y;
    return out;
}

WalkerState walker_rk4(const Walker *walker, const WalkerState *s, double h)
{
    WalkerState k1, k2, k3, k4;
    walker_rate(walker, s, &k1);
    WalkerState at = moved(s, h / 2.0, &k1);
    walker_rate(walker, &at, &k2);
    at = moved(s, h / 2.0, &k2);
    walker_rate(walker, &at, &k3);
    at = moved(s, h, &k3);
    walker_rate(walker, &at, &k4);
    WalkerState out = moved(s, h / 6.0, &k1);
    out = moved(&out, h / 3.0, &k2);
    out = moved(&out, h / 3.0, &k3);
    return moved(&out, h / 6.0, &k4);
}

/* ------------------------------------------------------------------ one swing */

/* The length of the step from s that ends on the slope; at h it ends below. */
static double cut(const Walker *walker, WalkerMethod *method, const WalkerState *s, double h)
{
    double a = 0.0, fa = walker_clearance(walker, s), b = h;
    WalkerState end = method(walker, s, b);
    double fb = walker_clearance(walker, &end);
    for (int i = 0; i < 100 && b - a > 1e-15; i++) {
        double c = i % 3 == 2 ? 0.5 * (a + b) : (a * fb - b * fa) / (fb - fa);
        end = method(walker, s, c);
        double fc = walker_clearance(walker, &end);
        if (fc == 0.0)
            return c;
        if (fc > 0.0) {
            a = c;
            fa = fc;
            fb *= 0.5;
        } else {
            b = c;
            fb = fc;
            fa *= 0.5;
        }
    }
    return 0.5 * (a + b);
}

static void tell(const WalkerSteps *steps, double t, const WalkerState *s)
{
    if (steps->look != NULL)
        steps->look(t, s, steps->context);
}

static void look_at(const Walker *walker, const WalkerState *s, double nominal, double clearance, WalkerSwing *out)
{
    out->clearance = fmax(out->clearance, clearance);
    out->energy_error = fmax(out->energy_error, fabs(walker_energy(walker, s).total - nominal));
}

bool walker_swing(const Walker *walker, const WalkerSteps *steps, const WalkerState *start, WalkerSwing *out)
{
    WalkerState s = *start;
    double nominal = walker_energy(walker, start).total, least = (double)INFINITY, h = steps->h;
    *out = (WalkerSwing){.clearance = 0.0};
    tell(steps, 0.0, &s);
    while (h * out->steps < PATIENCE) {
        double t = h * out->steps;
        WalkerState next = steps->method(walker, &s, h);
        double clearance = walker_clearance(walker, &next);
        if (!isfinite(clearance))
            return false;
        out->steps++;
        if (clearance < 0.0 && next.angle[SWING] < TEST_PI) {
            double part = cut(walker, steps->method, &s, h);
            out->before = steps->method(walker, &s, part);
            out->period = t + part;
            out->lowest = least;
            look_at(walker, &out->before, nominal, 0.0, out);
            tell(steps, out->period, &out->before);
            return true;
        }
        s = next;
        look_at(walker, &s, nominal, clearance, out);
        tell(steps, h * out->steps, &s);
        least = fmin(least, clearance);
    }
    return false;
}

/* ------------------------------------------------------------------ the map and its derivative */

bool walker_step_map(const Walker *walker, double h, const WalkerState *s, WalkerState *out)
{
    WalkerSwing swing;
    if (!walker_swing(walker, &(WalkerSteps){.method = walker_rk4, .h = h}, s, &swing))
        return false;
    *out = walker_heelstrike(walker, &swing.before);
    return true;
}

static double *coordinate(WalkerState *s, int i)
{
    return i < WALKER_ANGLES ? &s->angle[i] : &s->rate[i - WALKER_ANGLES];
}

bool walker_map_derivative(const Walker *walker, double h, const WalkerState *s, double D[WALKER_MAP][WALKER_MAP])
{
    const double d = 1e-5;
    for (int j = 0; j < WALKER_MAP; j++) {
        WalkerState from[2] = {*s, *s}, to[2];
        *coordinate(&from[0], j) -= d;
        *coordinate(&from[1], j) += d;
        if (!walker_step_map(walker, h, &from[0], &to[0]) || !walker_step_map(walker, h, &from[1], &to[1]))
            return false;
        for (int i = 0; i < WALKER_MAP; i++)
            D[i][j] = (*coordinate(&to[1], i) - *coordinate(&to[0], i)) / (2.0 * d);
    }
    return true;
}

/* P = D P; returns its trace. */
static double multiply(double D[WALKER_MAP][WALKER_MAP], double P[WALKER_MAP][WALKER_MAP])
{
    double trace = 0.0;
    for (int j = 0; j < WALKER_MAP; j++) {
        double column[WALKER_MAP] = {0.0};
        for (int i = 0; i < WALKER_MAP * WALKER_MAP; i++)
            column[i / WALKER_MAP] += D[i / WALKER_MAP][i % WALKER_MAP] * P[i % WALKER_MAP][j];
        for (int i = 0; i < WALKER_MAP; i++)
            P[i][j] = column[i];
        trace += column[j];
    }
    return trace;
}

/* det(z - D) = z^n + c[n-1] z^(n-1) + ... + c[0]. */
static void characteristic(double D[WALKER_MAP][WALKER_MAP], double c[WALKER_MAP])
{
    double P[WALKER_MAP][WALKER_MAP] = {{0.0}}, last = 1.0;
    for (int k = 1; k <= WALKER_MAP; k++) {
        for (int i = 0; i < WALKER_MAP; i++)
            P[i][i] += last;
        last = c[WALKER_MAP - k] = -multiply(D, P) / k;
    }
}

void walker_eigenvalues(double D[WALKER_MAP][WALKER_MAP], double re[WALKER_MAP], double im[WALKER_MAP])
{
    double c[WALKER_MAP];
    double complex z[WALKER_MAP];
    characteristic(D, c);
    for (int i = 0; i < WALKER_MAP; i++)
        z[i] = cpow(0.4 + 0.9 * I, i);
    for (int sweep = 0; sweep < 500; sweep++)
        for (int i = 0; i < WALKER_MAP; i++) {
            double complex p = 1.0, apart = 1.0;
            for (int k = WALKER_MAP - 1; k >= 0; k--)
                p = p * z[i] + c[k];
            for (int j = 0; j < WALKER_MAP; j++)
                apart *= j == i ? 1.0 : z[i] - z[j];
            z[i] -= p / apart;
        }
    for (int i = 1; i < WALKER_MAP; i++) /* by moduli, and of a pair the upper one first */
        for (int j = i; j > 0 && cabs(z[j]) + 1e-9 * cimag(z[j]) > cabs(z[j - 1]) + 1e-9 * cimag(z[j - 1]); j--) {
            double complex hold = z[j];
            z[j] = z[j - 1];
            z[j - 1] = hold;
        }
    for (int i = 0; i < WALKER_MAP; i++) {
        re[i] = creal(z[i]);
        im[i] = cimag(z[i]);
    }
}
