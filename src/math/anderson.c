/* anderson.c - Anderson acceleration of a fixed-point iteration (anderson.h). */
#include "math/anderson.h"

#include <math.h>
#include <string.h>

/* Relative to the squared length of a column: its part orthogonal to the earlier columns is round-off below this. */
#define DEPENDENT_FRACTION 1e-12

/* Growth of the squared residual above which the memory is cleared: the residual doubles. */
#define DIVERGENCE_RATIO 4.0

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

bool rg_anderson_alloc(RgArena *arena, RgAnderson *a, int n)
{
    size_t room = (size_t)n;
    *a = (RgAnderson){.n = n,
                      .x = RG_ARENA_ALLOC(arena, double, room),
                      .f = RG_ARENA_ALLOC(arena, double, room),
                      .g = RG_ARENA_ALLOC(arena, double, room),
                      .rest = RG_ARENA_ALLOC_RAW(arena, double, room),
                      .df = RG_ARENA_ALLOC_RAW(arena, double, RG_ANDERSON_MEMORY *room),
                      .dg = RG_ARENA_ALLOC_RAW(arena, double, RG_ANDERSON_MEMORY *room),
                      .q = RG_ARENA_ALLOC_RAW(arena, double, RG_ANDERSON_MEMORY *room)};
    return !arena->failed;
}

void rg_anderson_reset(RgAnderson *a)
{
    a->has_previous = false;
}

/* next -= sum of dg_j y_j, where y is the least-squares solution of df y = f by modified Gram-Schmidt; columns that
   depend on earlier ones are skipped. */
static void subtract_projection(const RgAnderson *a, double *next)
{
    int n = a->n, count = a->count < RG_ANDERSON_MEMORY ? a->count : RG_ANDERSON_MEMORY;
    double R[RG_ANDERSON_MEMORY][RG_ANDERSON_MEMORY] = {{0.0}}, y[RG_ANDERSON_MEMORY] = {0.0};
    memcpy(a->rest, a->f, (size_t)n * sizeof *a->rest);
    for (int j = 0; j < count; j++) {
        double *q = a->q + (ptrdiff_t)j * n;
        memcpy(q, a->df + (ptrdiff_t)j * n, (size_t)n * sizeof *q);
        double norm2 = dot(q, q, n);
        for (int i = 0; i < j; i++) {
            R[i][j] = dot(a->q + (ptrdiff_t)i * n, q, n);
            subtract(q, R[i][j], a->q + (ptrdiff_t)i * n, n);
        }
        double remaining = dot(q, q, n), size = remaining > DEPENDENT_FRACTION * norm2 ? sqrt(remaining) : 0.0;
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
    a->has_previous = a->has_previous && size < DIVERGENCE_RATIO * a->size;
    int slot = a->has_previous ? a->count % RG_ANDERSON_MEMORY : 0;
    for (int k = 0; k < n && a->has_previous; k++) {
        a->df[(ptrdiff_t)slot * n + k] = next[k] - a->x[k] - a->f[k];
        a->dg[(ptrdiff_t)slot * n + k] = next[k] - a->g[k];
    }
    a->count = a->has_previous ? a->count + 1 : 0;
    a->has_previous = true;
    a->size = size;
    for (int k = 0; k < n; k++) {
        a->f[k] = next[k] - a->x[k];
        a->g[k] = next[k];
    }
    subtract_projection(a, next);
    for (int k = 0; k < n; k++)
        a->x[k] = next[k] = next[k] > least ? next[k] : least;
}
