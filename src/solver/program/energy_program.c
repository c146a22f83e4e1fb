/*
 * energy_program.c - the constraints of a minimum-energy program (energy_program.h): rows in R>=0 first, then one
 * second-order cone (z_n, x / mu_1, y / mu_2) per true friction cone.
 */
#include "solver/program/energy_program.h"

#include "math/trig.h"

#include <math.h>

typedef struct Builder {
    const RgEnergyProblem *e;
    const RgProblem *p;
    const RgEnergyShape *shape;
    const RgEnergyLayout *at;
    const double *w; /* e->n: velocities with the fixed impulses alone */
    int n, rows;     /* unknowns; rows written so far, with G NULL: rows counted */
    double *G, *h;
} Builder;

/* Begins a row of G with right side h. NULL: rows are only counted. */
static double *next_row(Builder *b, double h)
{
    if (b->G == NULL) {
        b->rows++;
        return NULL;
    }
    b->h[b->rows] = h;
    return b->G + (size_t)b->rows++ * (size_t)b->n;
}

/* Sign of a unilateral row: 1: w >= 0, -1: w <= 0. */
static double unilateral_sign(const RgEnergyProblem *e, int i)
{
    return e->high[i] == INFINITY ? 1.0 : -1.0;
}

/* sign x_i <= bound / impulse. Returns its row; -1: no bound. */
static int add_bound(Builder *b, int i, double sign, double bound)
{
    if (!isfinite(bound))
        return -1;
    int number = b->rows;
    double *row = next_row(b, sign * bound / b->e->impulse);
    if (row != NULL)
        row[b->at->column[i]] = sign;
    return number;
}

/* sign w_i >= least. Returns its row. */
static int add_velocity(Builder *b, int i, double sign, double least)
{
    const RgEnergyProblem *e = b->e;
    int number = b->rows;
    double *row = next_row(b, (sign * b->w[i] - least) / e->velocity);
    const double *A = e->A + (size_t)i * (size_t)e->n;
    for (int j = 0; j < e->n && row != NULL; j++)
        if (b->at->column[j] >= 0)
            row[b->at->column[j]] = -sign * A[j] * e->impulse / e->velocity;
    return number;
}

/* x z_i + y z_i+1 <= z_n, n the normal of row i. */
static void add_edge(Builder *b, int i, double x, double y)
{
    double *row = next_row(b, 0.0);
    const int *column = b->at->column;
    if (row == NULL)
        return;
    row[column[b->e->normal[i]]] = -1.0;
    row[column[i]] = x;
    if (y != 0.0)
        row[column[i + 1]] = y;
}

/* Whether rows i and i + 1 share a cone, and both have a coefficient. */
static bool is_pair(const Builder *b, int i)
{
    const RgEnergyProblem *e = b->e;
    return e->normal[i] >= 0 && b->at->column[i] >= 0 && b->p->cone[e->row[i]] && i + 1 < e->n &&
           e->row[i + 1] == e->row[i] + 1;
}

/* Edges of the friction polygon of rows i and i + 1. */
static void add_polygon(Builder *b, int i)
{
    int last = b->shape->edges / 2 - 1;
    for (int j = 0; j <= last; j++) {
        double x, y;
        rg_sincos(0.5 * RG_PI * j / last, &y, &x);
        x = j == last ? 0.0 : x / b->e->high[i];
        y = j == 0 ? 0.0 : y / b->e->high[i + 1];
        for (int k = 0; k < 4; k++)
            if ((k < 2 || j < last) && (k % 2 == 0 || j > 0)) /* an edge across an axis has two signs only */
                add_edge(b, i, k < 2 ? x : -x, k % 2 == 0 ? y : -y);
    }
}

/* A unilateral row: constraints of its velocity, and of its impulse if it closes. */
static void add_unilateral(Builder *b, int i)
{
    const RgEnergyProblem *e = b->e;
    double sign = unilateral_sign(e, i);
    b->at->below[i] = add_velocity(b, i, sign, 0.0);
    if (b->shape->open[i])
        return;
    b->at->above[i] = add_velocity(b, i, -sign, -b->shape->band);
    b->at->at_low[i] = add_bound(b, i, -sign, sign > 0.0 ? e->low[i] : e->high[i]);
}

static void add_row(Builder *b, int i)
{
    const RgEnergyProblem *e = b->e;
    if (rg_energy_is_unilateral(e, i)) {
        add_unilateral(b, i);
    } else if (b->at->column[i] >= 0 && e->normal[i] >= 0) {
        add_edge(b, i, 1.0 / e->high[i], 0.0);
        add_edge(b, i, -1.0 / e->high[i], 0.0);
    } else if (b->at->column[i] >= 0) {
        add_bound(b, i, -1.0, e->low[i]);
        add_bound(b, i, 1.0, e->high[i]);
    }
}

/* Bound of the sum of normal impulses. */
static void add_sum(Builder *b)
{
    double *row = next_row(b, b->shape->largest / b->e->impulse);
    for (int i = 0; i < b->e->n && row != NULL; i++)
        if (b->p->row_class[b->e->row[i]] == RG_ROW_NORMAL && b->at->column[i] >= 0)
            row[b->at->column[i]] = 1.0;
}

/* Adds all rows in R>=0. Returns the number of true cones, which are added later. */
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
    const int *column = b->at->column;
    for (int i = 0; i < e->n; i++) {
        if (!is_pair(b, i))
            continue;
        next_row(b, 0.0)[column[e->normal[i]]] = -1.0;
        next_row(b, 0.0)[column[i]] = -1.0 / e->high[i];
        next_row(b, 0.0)[column[i + 1]] = -1.0 / e->high[i + 1];
        i++;
    }
}

/* Assigns columns to the unknown rows. Returns their number. */
static int place_columns(const RgEnergyProblem *e, const RgEnergyShape *shape, const RgEnergyLayout *at)
{
    int n = 0;
    for (int i = 0; i < e->n; i++) {
        int normal_row = e->owner[i] >= 0 ? e->owner[i] : i;
        bool fixed = rg_energy_is_unilateral(e, normal_row) && shape->open[normal_row];
        at->column[i] = fixed ? -1 : n++;
        at->fixed[i] = fixed && normal_row == i ? (unilateral_sign(e, i) > 0.0 ? e->low[i] : e->high[i]) : 0.0;
        at->below[i] = at->above[i] = at->at_low[i] = -1;
    }
    return n;
}

static void fill_objective(const Builder *b, double *H, double *c)
{
    const RgEnergyProblem *e = b->e;
    const int *column = b->at->column;
    for (int i = 0; i < e->n; i++) {
        if (column[i] < 0)
            continue;
        c[column[i]] = (e->slope[i] + b->w[i] - e->q[i]) / e->velocity;
        for (int j = 0; j < e->n; j++)
            if (column[j] >= 0)
                H[(size_t)column[i] * (size_t)b->n + (size_t)column[j]] =
                    e->A[(size_t)i * (size_t)e->n + (size_t)j] * e->impulse / e->velocity;
    }
}

bool rg_energy_program_make(RgArena *arena, const RgEnergyProblem *e, const RgProblem *p, const RgEnergyShape *shape,
                            RgConeProgram *q, RgEnergyLayout *at)
{
    double *w = RG_ARENA_ALLOC_RAW(arena, double, e->n);
    int **const parts[] = {&at->column, &at->below, &at->above, &at->at_low};
    at->fixed = RG_ARENA_ALLOC_RAW(arena, double, e->n);
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        *parts[k] = RG_ARENA_ALLOC_RAW(arena, int, e->n);
    if (arena->failed)
        return false;
    Builder b = {.e = e, .p = p, .shape = shape, .at = at, .w = w};
    b.n = place_columns(e, shape, at);
    for (int i = 0; i < e->n; i++)
        w[i] = rg_energy_velocity(e, i, at->fixed);
    int cones = add_linear(&b), l = b.rows;
    size_t n = (size_t)b.n;
    double *H = RG_ARENA_ALLOC(arena, double, n *n);
    if (!rg_cone_program_alloc(arena, b.n, l, cones, q))
        return false;
    q->H = H;
    b.G = q->G;
    b.h = q->h;
    b.rows = 0;
    fill_objective(&b, H, q->c);
    add_linear(&b);
    if (cones > 0)
        add_cones(&b);
    return true;
}
