/*
 * cone_saxce.c - Coulomb's law as a chain of convex problems (De Saxce and Feng 1998): the normal of a contact that slides sees
 * its velocity raised by mu |w_t|. With the shift of the last answer the problem is convex (cone_convex.h); its answer gives
 * the next shift. The chain is accelerated (Anderson 1965). Friction that shares no circular cone keeps the radius that the
 * last answer's normal gave it.
 */
#include "solver/cone_state.h"

#include <math.h>
#include <string.h>

#define CONVEX_STEPS 50
#define DEPENDENT 1e-12

/* De Saxce: the normal of a contact that slides sees its velocity raised by mu |w_t|. Other friction keeps its radius. */
static void freeze(RgCone *c)
{
    RgProblem *p = c->rows.p;
    for (int32_t k = 0; k < c->rows.ngroups; k++) {
        const RgConeGroup *g = &c->rows.group[k];
        bool round = cone_is_round(p, g);
        for (int32_t i = g->first; i < g->first + g->rows; i++) {
            c->convex.shift[i] = 0.0;
            double d[2] = {p->z[i], 0.0}, turn, n = p->normal[i] >= 0 ? p->z[p->normal[i]] : 0.0;
            c->convex.radius[i] = p->high[i] * n;
            if (!p->cone[i] || p->high[i] == p->high[i + 1])
                continue;
            d[1] = p->z[i + 1];
            double size = sqrt(d[0] * d[0] + d[1] * d[1]);
            d[0] = size > 0.0 ? d[0] / size : 1.0;
            d[1] = size > 0.0 ? d[1] / size : 0.0;
            c->convex.radius[i] = n * rg_cone_radius(p->high[i], p->high[i + 1], d, &turn);
        }
        if (!round || c->associated)
            continue;
        double w[2];
        for (int j = 0; j < 2; j++) {
            int32_t i = g->first + 1 + j;
            w[j] = cone_times(g, i, p->s) + p->compliance[i] * p->z[i] - p->target[i];
        }
        c->convex.shift[g->first] = p->high[g->first + 1] * sqrt(w[0] * w[0] + w[1] * w[1]);
    }
}

/* fresh -= sum of dg_j y_j, y least squares of df y = f by orthogonalisation; columns that depend on others are left out. */
static void mix_memory(RgShiftMemory *m, int32_t n, double *fresh)
{
    int32_t count = m->count < MEMORY ? m->count : MEMORY;
    double *rest = m->rest, R[MEMORY][MEMORY] = {{0}}, y[MEMORY] = {0};
    memcpy(rest, m->f, (size_t)n * sizeof *rest);
    for (int32_t j = 0; j < count; j++) {
        double *q = m->q + (ptrdiff_t)j * n, first = 0.0, left = 0.0;
        memcpy(q, m->df + (ptrdiff_t)j * n, (size_t)n * sizeof *q);
        for (int32_t k = 0; k < n; k++)
            first += q[k] * q[k];
        for (int32_t i = 0; i < j; i++) {
            const double *p = m->q + (ptrdiff_t)i * n;
            double dot = 0.0;
            for (int32_t k = 0; k < n; k++)
                dot += p[k] * q[k];
            for (int32_t k = 0; k < n; k++)
                q[k] -= dot * p[k];
            R[i][j] = dot;
        }
        for (int32_t k = 0; k < n; k++)
            left += q[k] * q[k];
        double per = left > DEPENDENT * first ? 1.0 / sqrt(left) : 0.0, dot = 0.0;
        R[j][j] = sqrt(left);
        for (int32_t k = 0; k < n; k++) {
            q[k] *= per;
            dot += q[k] * rest[k];
        }
        for (int32_t k = 0; k < n; k++)
            rest[k] -= dot * q[k];
        y[j] = per > 0.0 ? dot : 0.0;
        if (per == 0.0)
            R[j][j] = 0.0;
    }
    for (int32_t j = count - 1; j >= 0; j--) {
        double sum = y[j];
        for (int32_t i = j + 1; i < count; i++)
            sum -= R[j][i] * y[i];
        y[j] = R[j][j] > 0.0 ? sum / R[j][j] : 0.0;
        for (int32_t k = 0; k < n; k++)
            fresh[k] -= y[j] * m->dg[(ptrdiff_t)j * n + k];
    }
}

/* Anderson's acceleration (1965): shifts x have become g(x). Of the last few, differences of f = g - x and of g; x anew is g
   less the sum of those differences of g whose f together are nearest to f. */
static void accelerate(RgCone *c)
{
    RgShiftMemory *m = &c->memory;
    int32_t n = c->rows.ngroups;
    double *f = m->f, *g = m->g, *fresh = c->spare_shift;
    for (int32_t k = 0; k < n; k++)
        fresh[k] = c->convex.shift[c->rows.group[k].first];
    double size = 0.0;
    for (int32_t k = 0; k < n; k++)
        size += (fresh[k] - m->x[k]) * (fresh[k] - m->x[k]);
    if (m->began && !(size < 4.0 * m->size))
        m->began = false; /* it has become worse: from here on anew */
    if (m->began) {
        int32_t at = m->count++ % MEMORY;
        for (int32_t k = 0; k < n; k++) {
            m->df[(ptrdiff_t)at * n + k] = fresh[k] - m->x[k] - f[k];
            m->dg[(ptrdiff_t)at * n + k] = fresh[k] - g[k];
        }
    } else {
        m->count = 0;
    }
    m->began = true;
    m->size = size;
    for (int32_t k = 0; k < n; k++) {
        f[k] = fresh[k] - m->x[k];
        g[k] = fresh[k];
    }
    mix_memory(m, n, fresh);
    for (int32_t k = 0; k < n; k++) {
        m->x[k] = fresh[k] > 0.0 ? fresh[k] : 0.0;
        c->convex.shift[c->rows.group[k].first] = m->x[k];
    }
}

bool rg_cone_saxce(void *context, double a, int *steps)
{
    RgCone *c = context;
    if (c->convex.rows == NULL) {
        c->convex.rows = &c->rows;
        size_t n = (size_t)c->rows.ngroups;
        c->memory = (RgShiftMemory){.x = RG_TAKE(c->rows.arena, double, n),
                                    .f = RG_TAKE(c->rows.arena, double, n),
                                    .g = RG_TAKE(c->rows.arena, double, n),
                                    .rest = RG_TAKE(c->rows.arena, double, n),
                                    .df = RG_TAKE(c->rows.arena, double, MEMORY *n),
                                    .dg = RG_TAKE(c->rows.arena, double, MEMORY *n),
                                    .q = RG_TAKE(c->rows.arena, double, MEMORY *n)};
        c->spare_shift = RG_TAKE(c->rows.arena, double, n);
        if (!rg_convex_take(c->rows.arena, &c->convex) || c->rows.arena->failed)
            return false;
    }
    rg_cone_rows_refresh(&c->rows);
    freeze(c);
    if (!c->associated)
        accelerate(c);
    memcpy(c->convex.centre, c->rows.p->z, (size_t)c->rows.p->n * sizeof *c->centre);
    c->convex.a = a;
    bool well = rg_convex_solve(&c->convex, CONVEX_STEPS);
    *steps = c->convex.iterations;
    return well;
}
