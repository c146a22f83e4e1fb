/*
 * gradient_projection.c - gradient projection with conjugate gradients in the faces of the box (More and
 * Toraldo 1991; Nocedal and Wright 2006, section 16.7).
 *
 *   1. z <- P(z - t w), t the lowest point along the free part of w, halved until the value falls
 *   2. conjugate gradients over the rows that are off their bounds, towards the lowest point of that face;
 *      z <- P(z + t d), t = 1, halved until the value falls. Roughly while that still meets bounds
 *
 * In the scale that makes the diagonal one. A may be singular: conjugate gradients stay in its range. The value never
 * rises. Where the rows without bounds cannot be met the value has no lowest point: the count ends it, and the
 * residual tells. Cost: a product with A in each step.
 */
#include "solver/program/gradient_projection.h"

#include "solver/program/cone_work.h"

#include <math.h>
#include <string.h>

#define HALVINGS 40
#define FACE_LOOSE 0.03  /* of the gradient that a face begins with, while steps still meet bounds */
#define FACE_SOLVED 1e-8 /* once they do not */

typedef struct Search {
    const RgBoxProgram *b;
    double *scale;     /* 1 / sqrt(A_ii) */
    double *x, *w;     /* z in that scale, gradient there */
    double *d, *r, *t; /* direction, residual of the face, product */
    double *trial, *scaled;
    bool stopped; /* the last step ended at a new bound */
    bool *free;
} Search;

/* out = S A S v */
static void times(const Search *s, const double *v, double *out)
{
    int n = s->b->n;
    for (int j = 0; j < n; j++)
        s->scaled[j] = s->scale[j] * v[j];
    for (int i = 0; i < n; i++)
        out[i] = s->scale[i] * rg_dot(n, s->b->A + (size_t)i * (size_t)n, s->scaled);
}

static double bounded(const Search *s, int i, double x)
{
    return fmin(fmax(x, s->b->low[i] / s->scale[i]), s->b->high[i] / s->scale[i]);
}

/* w = S (A z + q) */
static void gradient(Search *s)
{
    times(s, s->x, s->w);
    for (int i = 0; i < s->b->n; i++)
        s->w[i] += s->scale[i] * s->b->q[i];
}

static double residual(const Search *s)
{
    double most = 0.0;
    for (int i = 0; i < s->b->n; i++)
        most = fmax(most, fabs(s->x[i] - bounded(s, i, s->x[i] - s->w[i])) / s->scale[i]);
    return most;
}

/* x <- P(x + t d) with the first of t, t/2, ... that lowers the value; the change of the value is w'p + p'Ap / 2. */
static bool step(Search *s, double t)
{
    int n = s->b->n;
    for (int k = 0; k < HALVINGS; k++) {
        double size = 0.0;
        for (int i = 0; i < n; i++) {
            s->trial[i] = bounded(s, i, s->x[i] + t * s->d[i]) - s->x[i];
            size = fmax(size, fabs(s->trial[i]));
        }
        if (!(size > 0.0))
            return false;
        times(s, s->trial, s->t);
        double slope = rg_dot(n, s->w, s->trial);
        if (slope < 0.0 && slope + 0.5 * rg_dot(n, s->trial, s->t) <= 0.1 * slope) {
            s->stopped = k > 0;
            for (int i = 0; i < n; i++) {
                s->stopped = s->stopped || s->trial[i] != (s->x[i] + t * s->d[i]) - s->x[i];
                s->x[i] = bounded(s, i, s->x[i] + s->trial[i]);
            }
            gradient(s);
            return true;
        }
        t *= 0.5;
    }
    return false;
}

/* d = -w where it does not lead out of the box, and how far down it goes. */
static bool project_gradient(Search *s)
{
    int n = s->b->n;
    for (int i = 0; i < n; i++)
        s->d[i] = bounded(s, i, s->x[i] - s->w[i]) != s->x[i] ? -s->w[i] : 0.0;
    times(s, s->d, s->t);
    double down = rg_dot(n, s->d, s->d), bend = rg_dot(n, s->d, s->t);
    if (!(down > 0.0))
        return false;
    return step(s, bend > 1e-14 * down ? down / bend : 1.0);
}

static void keep_free(const Search *s, double *v)
{
    for (int i = 0; i < s->b->n; i++)
        v[i] = s->free[i] ? v[i] : 0.0;
}

/* The sum of the steps of conjugate gradients in the face. */
static void search_face(Search *s, double *direction)
{
    int n = s->b->n;
    double *p = s->trial, *sum = direction;
    for (int i = 0; i < n; i++) {
        s->free[i] = s->x[i] > s->b->low[i] / s->scale[i] && s->x[i] < s->b->high[i] / s->scale[i];
        s->r[i] = s->free[i] ? -s->w[i] : 0.0;
        p[i] = s->r[i];
        sum[i] = 0.0;
    }
    double rho = rg_dot(n, s->r, s->r), ends = s->stopped ? FACE_LOOSE : FACE_SOLVED,
           last = ends * ends * rho;
    for (int k = 0; k < 2 * n + 10 && rho > last; k++) {
        times(s, p, s->t);
        keep_free(s, s->t);
        double bend = rg_dot(n, p, s->t);
        if (!(bend > 1e-15 * rg_dot(n, p, p)))
            break;
        double t = rho / bend, old = rho;
        for (int i = 0; i < n; i++) {
            sum[i] += t * p[i];
            s->r[i] -= t * s->t[i];
        }
        rho = rg_dot(n, s->r, s->r);
        for (int i = 0; i < n; i++)
            p[i] = s->r[i] + rho / old * p[i];
    }
}

static bool take(RgArena *arena, const RgBoxProgram *b, Search *s)
{
    double **const parts[] = {&s->scale, &s->x, &s->w, &s->d, &s->r, &s->t, &s->trial, &s->scaled};
    s->b = b;
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        *parts[k] = RG_TAKE(arena, double, b->n);
    s->free = RG_TAKE(arena, bool, b->n);
    return !arena->failed;
}

bool rg_gradient_projection(RgArena *arena, const RgBoxProgram *b, double tolerance, int iterations,
                            RgBoxReport *report)
{
    Search s;
    if (!take(arena, b, &s))
        return false;
    for (int i = 0; i < b->n; i++) {
        double a = b->A[(size_t)i * (size_t)b->n + (size_t)i];
        s.scale[i] = a > 0.0 ? 1.0 / sqrt(a) : 1.0;
        s.x[i] = bounded(&s, i, b->z[i] / s.scale[i]);
    }
    gradient(&s);
    *report = (RgBoxReport){.residual = residual(&s)};
    while (report->residual > tolerance && report->iterations < iterations) {
        bool moved = project_gradient(&s);
        if (residual(&s) > tolerance) {
            search_face(&s, s.d);
            moved = step(&s, 1.0) || moved;
        }
        report->iterations++;
        report->residual = residual(&s);
        if (!moved)
            break;
    }
    report->solved = report->residual <= tolerance;
    for (int i = 0; i < b->n; i++)
        b->z[i] = fmin(fmax(s.x[i] * s.scale[i], b->low[i]), b->high[i]);
    return true;
}
