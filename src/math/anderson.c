/* anderson.c - acceleration of a fixed point (anderson.h). */
#include "math/anderson.h"

#include <math.h>
#include <string.h>

/* A column whose part at right angles to the others is below the root of this depends on them. */
#define DEPENDENT 1e-12

/* Worse by that (squared): all is forgotten. */
#define WORSE 4.0

static double dot(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += x[k] * y[k];
    return sum;
}

static void subtract(double *y, double f, const double *x, int n)
{
    for (int k = 0; k < n; k++)
        y[k] -= f * x[k];
}

bool rg_anderson_take(RgArena *arena, RgAnderson *a, int n)
{
    size_t room = (size_t)n;
    *a = (RgAnderson){.n = n,
                      .x = RG_TAKE(arena, double, room),
                      .f = RG_TAKE(arena, double, room),
                      .g = RG_TAKE(arena, double, room),
                      .rest = RG_TAKE_RAW(arena, double, room),
                      .df = RG_TAKE_RAW(arena, double, RG_ANDERSON_MEMORY *room),
                      .dg = RG_TAKE_RAW(arena, double, RG_ANDERSON_MEMORY *room),
                      .q = RG_TAKE_RAW(arena, double, RG_ANDERSON_MEMORY *room)};
    return !arena->failed;
}

void rg_anderson_forget(RgAnderson *a)
{
    a->began = false;
}

/* next -= sum of dg_j y_j, y least squares of df y = f by orthogonalisation; columns that depend on others are left
   out. */
static void mix(const RgAnderson *a, double *next)
{
    int n = a->n, count = a->count < RG_ANDERSON_MEMORY ? a->count : RG_ANDERSON_MEMORY;
    double R[RG_ANDERSON_MEMORY][RG_ANDERSON_MEMORY] = {{0.0}}, y[RG_ANDERSON_MEMORY] = {0.0};
    memcpy(a->rest, a->f, (size_t)n * sizeof *a->rest);
    for (int j = 0; j < count; j++) {
        double *q = a->q + (ptrdiff_t)j * n;
        memcpy(q, a->df + (ptrdiff_t)j * n, (size_t)n * sizeof *q);
        double first = dot(q, q, n);
        for (int i = 0; i < j; i++) {
            R[i][j] = dot(a->q + (ptrdiff_t)i * n, q, n);
            subtract(q, R[i][j], a->q + (ptrdiff_t)i * n, n);
        }
        double left = dot(q, q, n), size = left > DEPENDENT * first ? sqrt(left) : 0.0;
        for (int k = 0; k < n; k++)
            q[k] = size > 0.0 ? q[k] / size : 0.0;
        R[j][j] = size;
        y[j] = dot(q, a->rest, n);
        subtract(a->rest, y[j], q, n);
    }
    for (int j = count - 1; j >= 0; j--) {
        for (int i = j + 1; i < count; i++)
            y[j] -= R[j][i] * y[i];
        y[j] = R[j][j] > 0.0 ? y[j] / R[j][j] : 0.0;
        subtract(next, y[j], a->dg + (ptrdiff_t)j * n, n);
    }
}

void rg_anderson_next(RgAnderson *a, double least, double *next)
{
    int n = a->n;
    double size = 0.0;
    for (int k = 0; k < n; k++)
        size += (next[k] - a->x[k]) * (next[k] - a->x[k]);
    a->began = a->began && size < WORSE * a->size;
    int at = a->began ? a->count % RG_ANDERSON_MEMORY : 0;
    for (int k = 0; k < n && a->began; k++) {
        a->df[(ptrdiff_t)at * n + k] = next[k] - a->x[k] - a->f[k];
        a->dg[(ptrdiff_t)at * n + k] = next[k] - a->g[k];
    }
    a->count = a->began ? a->count + 1 : 0;
    a->began = true;
    a->size = size;
    for (int k = 0; k < n; k++) {
        a->f[k] = next[k] - a->x[k];
        a->g[k] = next[k];
    }
    mix(a, next);
    for (int k = 0; k < n; k++)
        a->x[k] = next[k] = next[k] > least ? next[k] : least;
}
