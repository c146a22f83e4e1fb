/*
 * cone_scaling.c - vectors in products of R>=0 and second-order cones: products, step to the boundary, Nesterov-Todd
 * scaling (cone_work.h).
 *
 * s_0^2 - |s_1|^2 is computed as (s_0 - |s_1|)(s_0 + |s_1|), because the difference of squares loses all digits near
 * the boundary.
 */
#include "solver/program/cone_work.h"

#include <math.h>

static double tail_length(const double *v, int count)
{
    double sum = 0.0;
    for (int i = 1; i < count; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* a_1 . b_1 */
static double tail_dot(const double *a, const double *b, int count)
{
    double sum = 0.0;
    for (int i = 1; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Root of s_0^2 - |s_1|^2; -1: not in the interior. */
static double inner_length(const double *s, int count)
{
    double tail = tail_length(s, count), less = s[0] - tail;
    return less > 0.0 ? sqrt(less) * sqrt(s[0] + tail) : -1.0;
}

/* w = (s / |s| + J z / |z|) / (2 gamma), gamma^2 = (1 + s.z / (|s| |z|)) / 2, eta^2 = |s| / |z|. False: s or z is not
   in the interior. */
static bool scale_cone(const double *s, const double *z, int count, double *w, double *eta)
{
    double ls = inner_length(s, count), lz = inner_length(z, count);
    if (!(ls > 0.0 && lz > 0.0))
        return false;
    double dot = (s[0] / ls) * (z[0] / lz) + tail_dot(s, z, count) / ls / lz;
    double gamma = sqrt(0.5 * (1.0 + fmax(dot, 1.0)));
    for (int i = 1; i < count; i++)
        w[i] = (s[i] / ls - z[i] / lz) / (2.0 * gamma);
    w[0] = sqrt(1.0 + tail_dot(w, w, count));
    *eta = sqrt(ls / lz);
    return isfinite(*eta) && isfinite(w[0]) && *eta > 0.0;
}

bool rg_cone_scaling_set(const RgConeShape *k, const double *s, const double *z, RgConeScaling *to)
{
    for (int i = 0; i < k->l; i++) {
        if (!(s[i] > 0.0 && z[i] > 0.0))
            return false;
        to->w[i] = sqrt(s[i]) / sqrt(z[i]);
        if (!(to->w[i] > 0.0 && isfinite(to->w[i])))
            return false;
    }
    for (int j = 0, at = k->l; j < k->ncones; at += k->cone[j++])
        if (!scale_cone(s + at, z + at, k->cone[j], to->w + at, &to->eta[j]))
            return false;
    rg_cone_times(k, to, z, to->lambda);
    return true;
}

/* out = [w_0 s w_1'; s w_1  1 + w_1 w_1' / (1 + w_0)] v times factor: s = 1 for W, -1 for its inverse. */
static void apply_scaling(const double *w, int count, double sign, double factor, const double *v, double *out)
{
    double dot = tail_dot(w, v, count), first = v[0];
    double along = sign * first + dot / (1.0 + w[0]);
    for (int i = 1; i < count; i++)
        out[i] = factor * (v[i] + along * w[i]);
    out[0] = factor * (w[0] * first + sign * dot);
}

void rg_cone_times(const RgConeShape *k, const RgConeScaling *by, const double *v, double *out)
{
    for (int i = 0; i < k->l; i++)
        out[i] = by->w[i] * v[i];
    for (int j = 0, at = k->l; j < k->ncones; at += k->cone[j++])
        apply_scaling(by->w + at, k->cone[j], 1.0, by->eta[j], v + at, out + at);
}

void rg_cone_times_inverse(const RgConeShape *k, const RgConeScaling *by, const double *v, double *out)
{
    for (int i = 0; i < k->l; i++)
        out[i] = v[i] / by->w[i];
    for (int j = 0, at = k->l; j < k->ncones; at += k->cone[j++])
        apply_scaling(by->w + at, k->cone[j], -1.0, 1.0 / by->eta[j], v + at, out + at);
}

void rg_cone_product(const RgConeShape *k, const double *a, const double *b, double *out)
{
    for (int i = 0; i < k->l; i++)
        out[i] = a[i] * b[i];
    for (int j = 0, at = k->l; j < k->ncones; at += k->cone[j++]) {
        const double *u = a + at, *v = b + at;
        double u0 = u[0], v0 = v[0], first = u0 * v0 + tail_dot(u, v, k->cone[j]);
        for (int i = 1; i < k->cone[j]; i++)
            out[at + i] = u0 * v[i] + v0 * u[i];
        out[at] = first;
    }
}

void rg_cone_divide(const RgConeShape *k, const double *lambda, const double *v, double *out)
{
    for (int i = 0; i < k->l; i++)
        out[i] = v[i] / lambda[i];
    for (int j = 0, at = k->l; j < k->ncones; at += k->cone[j++]) {
        const double *a = lambda + at;
        int count = k->cone[j];
        double length = inner_length(a, count);
        double first = (a[0] * v[at] - tail_dot(a, v + at, count)) / length / length;
        for (int i = 1; i < count; i++)
            out[at + i] = (v[at + i] - first * a[i]) / a[0];
        out[at] = first;
    }
}

void rg_cone_add_unit(const RgConeShape *k, double t, double *v)
{
    for (int i = 0; i < k->l; i++)
        v[i] += t;
    for (int j = 0, at = k->l; j < k->ncones; at += k->cone[j++])
        v[at] += t;
}

/* With s transformed to the unit element, d becomes rho; the step reaches the boundary where 1 + t rho_0 = t
   |rho_1|. */
static double max_step_in_cone(const double *s, const double *d, int count, double most)
{
    double length = inner_length(s, count);
    if (!(length > 0.0))
        return 0.0;
    double rho0 = ((s[0] / length) * d[0] - tail_dot(s, d, count) / length) / length, sum = 0.0;
    double back = (d[0] / length + rho0) / (s[0] / length + 1.0);
    for (int i = 1; i < count; i++) {
        double rho = d[i] / length - back * (s[i] / length);
        sum += rho * rho;
    }
    double slope = sqrt(sum) - rho0;
    return slope * most > 1.0 ? 1.0 / slope : most;
}

double rg_cone_max_step(const RgConeShape *k, const double *s, const double *d, double most)
{
    double t = most;
    for (int i = 0; i < k->l; i++)
        if (s[i] + t * d[i] < 0.0)
            t = -s[i] / d[i];
    for (int j = 0, at = k->l; j < k->ncones; at += k->cone[j++])
        t = max_step_in_cone(s + at, d + at, k->cone[j], t);
    return t;
}

double rg_cone_margin(const RgConeShape *k, const double *s)
{
    double depth = INFINITY;
    for (int i = 0; i < k->l; i++)
        depth = fmin(depth, s[i]);
    for (int j = 0, at = k->l; j < k->ncones; at += k->cone[j++])
        depth = fmin(depth, s[at] - tail_length(s + at, k->cone[j]));
    return depth;
}
