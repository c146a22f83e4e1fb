/* pyramid.c - friction rows as pyramids (pyramid.h). */
#include "solver/pivot/pyramid.h"

#include "math/trig.h"
#include "solver/cone_projection.h"

#include <string.h>

static void add_impulse(RgPyramid *g, int row, double weight, int slip)
{
    g->parts[g->nparts++] = (RgPyramidPart){{row, -1}, {weight, 0.0}, slip, -1, 0.0};
}

static void add_slip_variable(RgPyramid *g, int normal, double mu)
{
    g->parts[g->nparts++] = (RgPyramidPart){{-1, -1}, {0.0, 0.0}, -1, normal, mu};
}

/* Impulses and l of the cone of rows i and i + 1. */
static void add_cone(RgPyramid *g, int i)
{
    const RgDenseLcp *rows = g->rows;
    double mu = fmax(rows->high[i], rows->high[i + 1]);
    if (!(mu > 0.0))
        return;
    int slip = g->nparts + g->sides;
    for (int j = 0; j < g->sides; j++) {
        double sine, cosine;
        rg_sincos_small(2.0 * RG_PI * j / g->sides, &sine, &cosine);
        g->parts[g->nparts++] =
            (RgPyramidPart){{i, i + 1}, {cosine * rows->high[i] / mu, sine * rows->high[i + 1] / mu}, slip, -1, 0.0};
    }
    add_slip_variable(g, rows->normal[i], mu);
}

static bool is_cone(const RgPyramid *g, int i)
{
    return g->cone != NULL && g->cone[i];
}

static void make_parts(RgPyramid *g)
{
    const RgDenseLcp *rows = g->rows;
    for (int i = 0; i < rows->n; i++) {
        if (rows->normal[i] < 0) {
            add_impulse(g, i, 1.0, -1);
        } else if (is_cone(g, i)) {
            add_cone(g, i++);
        } else if (rows->high[i] > 0.0) {
            int slip = g->nparts + 2;
            add_impulse(g, i, 1.0, slip);
            add_impulse(g, i, -1.0, slip);
            add_slip_variable(g, rows->normal[i], rows->high[i]);
        }
    }
}

/* Entry of D' W D. */
static double product(const RgDenseLcp *rows, const RgPyramidPart *a, const RgPyramidPart *b)
{
    double sum = 0.0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (a->row[i] >= 0 && b->row[j] >= 0)
                sum += a->weight[i] * b->weight[j] * rows->M[(size_t)a->row[i] * (size_t)rows->n + (size_t)b->row[j]];
    return sum;
}

static void fill_problem(const RgPyramid *g, RgDenseLcp *lcp)
{
    size_t m = (size_t)g->nparts;
    const RgDenseLcp *rows = g->rows;
    for (size_t a = 0; a < m; a++) {
        const RgPyramidPart *part = &g->parts[a];
        bool own = part->row[0] >= 0 && part->slip < 0;
        lcp->low[a] = own ? rows->low[part->row[0]] : 0.0;
        lcp->high[a] = own ? rows->high[part->row[0]] : INFINITY;
        lcp->q[a] = 0.0;
        for (int k = 0; k < 2; k++)
            lcp->q[a] += part->row[k] >= 0 ? part->weight[k] * rows->q[part->row[k]] : 0.0;
        for (size_t b = 0; b < m; b++) {
            const RgPyramidPart *other = &g->parts[b];
            double entry = product(rows, part, other);
            if (part->slip == (int)b)
                entry = 1.0;
            else if (other->slip == (int)a)
                entry = -1.0;
            else if (part->normal >= 0 && other->row[0] == part->normal && other->slip < 0)
                entry = part->mu;
            lcp->M[a * m + b] = entry;
        }
    }
}

bool rg_pyramid_alloc(RgArena *arena, RgPyramid *g)
{
    size_t most = (size_t)(g->sides > 2 ? g->sides : 2) + 1;
    g->parts = RG_ARENA_ALLOC_RAW(arena, RgPyramidPart, (size_t)g->rows->n * most);
    if (g->parts == NULL)
        return false;
    make_parts(g);
    return true;
}

bool rg_pyramid_problem(RgArena *arena, const RgPyramid *g, RgDenseLcp *out)
{
    if (!rg_dense_lcp_alloc(arena, g->nparts, false, out))
        return false;
    fill_problem(g, out);
    out->stiff = g->rows->stiff;
    memset(out->z, 0, (size_t)g->nparts * sizeof *out->z);
    return true;
}

void rg_pyramid_impulses(const RgPyramid *g, const double *parts_z, double *z)
{
    const RgDenseLcp *rows = g->rows;
    memset(z, 0, (size_t)rows->n * sizeof *z);
    for (int a = 0; a < g->nparts; a++)
        for (int k = 0; k < 2; k++)
            if (g->parts[a].row[k] >= 0)
                z[g->parts[a].row[k]] += g->parts[a].weight[k] * parts_z[a];
    for (int i = 0; i < rows->n; i++) {
        int normal = rows->normal[i];
        double n = normal >= 0 && z[normal] > 0.0 ? z[normal] : 0.0, bound = rows->high[i] * n;
        if (normal >= 0 && is_cone(g, i)) {
            ellipse_retract(bound, rows->high[i + 1] * n, &z[i], &z[i + 1]);
            i++;
        } else {
            z[i] = normal >= 0 ? interval_project(z[i], -bound, bound)
                               : interval_project(z[i], rows->low[i], rows->high[i]);
        }
    }
}
