/*
 * energy_program.c - the constraints of a least-energy program row by row (energy_program.h): those in R>=0 first, then
 * one second-order cone (z_n, x / mu_1, y / mu_2) for each true friction cone.
 */
#include "solver/program/energy_program.h"

#include "math/trig.h"

#include <math.h>

typedef struct Builder {
    const RgEnergyProblem *e;
    const RgProblem *p;
    const RgEnergyShape *shape;
    int rows; /* written; with G NULL: counted */
    double *G, *h;
} Builder;

static double *next_row(Builder *b, double h)
{
    if (b->G == NULL) {
        b->rows++;
        return NULL;
    }
    b->h[b->rows] = h;
    return b->G + (size_t)b->rows++ * (size_t)b->e->n;
}

/* sign x_i <= bound / impulse */
static void add_bound(Builder *b, int i, double sign, double bound)
{
    if (!isfinite(bound))
        return;
    double *row = next_row(b, sign * bound / b->e->impulse);
    if (row != NULL)
        row[i] = sign;
}

/* sign w_i >= 0 */
static void add_velocity(Builder *b, int i, double sign)
{
    const RgEnergyProblem *e = b->e;
    double *row = next_row(b, sign * e->q[i] / e->velocity);
    const double *A = e->A + (size_t)i * (size_t)e->n;
    for (int j = 0; j < e->n && row != NULL; j++)
        row[j] = -sign * A[j] * e->impulse / e->velocity;
}

/* x a + y b <= n over rows i and i + 1 with the normal k */
static void add_edge(Builder *b, int i, double x, double y)
{
    double *row = next_row(b, 0.0);
    if (row == NULL)
        return;
    row[b->e->normal[i]] = -1.0;
    row[i] = x;
    if (y != 0.0)
        row[i + 1] = y;
}

/* Rows i and i + 1 share a cone, and both have a coefficient. */
static bool is_pair(const Builder *b, int i)
{
    const RgEnergyProblem *e = b->e;
    return e->normal[i] >= 0 && b->p->cone[e->row[i]] && i + 1 < e->n && e->row[i + 1] == e->row[i] + 1;
}

static void add_polygon(Builder *b, int i)
{
    int last = b->shape->edges / 2 - 1;
    for (int j = 0; j <= last; j++) {
        double x, y;
        rg_sincos(0.5 * RG_PI * j / last, &y, &x);
        x = j == last ? 0.0 : x / b->e->high[i];
        y = j == 0 ? 0.0 : y / b->e->high[i + 1];
        for (int k = 0; k < 4; k++)
            if ((k < 2 || j < last) && (k % 2 == 0 || j > 0)) /* an axis has two signs only */
                add_edge(b, i, k < 2 ? x : -x, k % 2 == 0 ? y : -y);
    }
}

static void add_row(Builder *b, int i)
{
    const RgEnergyProblem *e = b->e;
    if (e->normal[i] >= 0) {
        add_edge(b, i, 1.0 / e->high[i], 0.0);
        add_edge(b, i, -1.0 / e->high[i], 0.0);
        return;
    }
    if (rg_energy_pushes(e, i))
        add_velocity(b, i, e->high[i] == INFINITY ? 1.0 : -1.0);
    add_bound(b, i, -1.0, e->low[i]);
    add_bound(b, i, 1.0, e->high[i]);
}

static void add_sum(Builder *b)
{
    double *row = next_row(b, b->shape->largest / b->e->impulse);
    for (int i = 0; i < b->e->n && row != NULL; i++)
        if (b->p->row_class[b->e->row[i]] == RG_ROW_NORMAL)
            row[i] = 1.0;
}

/* All rows in R>=0; returns the number of true cones, which are left. */
static int add_linear(Builder *b)
{
    int cones = 0;
    for (int i = 0; i < b->e->n; i++) {
        bool pair = is_pair(b, i);
        cones += pair && b->shape->edges == 0;
        if (!pair)
            add_row(b, i);
        else if (b->shape->edges > 0)
            add_polygon(b, i);
        i += pair;
    }
    if (b->shape->bounded)
        add_sum(b);
    return cones;
}

static void add_cones(Builder *b)
{
    const RgEnergyProblem *e = b->e;
    for (int i = 0; i < e->n; i++) {
        if (!is_pair(b, i))
            continue;
        next_row(b, 0.0)[e->normal[i]] = -1.0;
        next_row(b, 0.0)[i] = -1.0 / e->high[i];
        next_row(b, 0.0)[i + 1] = -1.0 / e->high[i + 1];
        i++;
    }
}

bool rg_energy_program_make(RgArena *arena, const RgEnergyProblem *e, const RgProblem *p,
                            const RgEnergyShape *shape, RgConeProgram *q)
{
    Builder b = {.e = e, .p = p, .shape = shape};
    int cones = add_linear(&b), l = b.rows;
    size_t n = (size_t)e->n;
    double *H = RG_TAKE(arena, double, n *n);
    if (!rg_cone_program_take(arena, e->n, l, cones, q))
        return false;
    q->H = H;
    b = (Builder){.e = e, .p = p, .shape = shape, .G = q->G, .h = q->h};
    for (size_t k = 0; k < n * n; k++)
        H[k] = e->A[k] * e->impulse / e->velocity;
    for (size_t i = 0; i < n; i++)
        q->c[i] = e->slope[i] / e->velocity;
    add_linear(&b);
    if (cones > 0)
        add_cones(&b);
    return true;
}
