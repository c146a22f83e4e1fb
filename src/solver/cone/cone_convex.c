/*
 * cone_convex.c - the convex problem near an answer (cone_convex.h).
 *
 * The associated law is convex: cones, and intervals and discs of given radius. Unknown is the change from z_k and its
 * velocities s_k = s* + J' z_k, so that a small change keeps its digits: with E = C + a D, s = s_k + x and u = w_k + J
 * x, an impulse follows from velocities,
 *
 *   z(u) = P(z_k - u / E)         P: nearest allowed impulse in the metric E
 *
 * and x makes
 *
 *   phi(x) = 1/2 |x|^2 + sum of psi(u),     d psi / du = -(z(u) - z_k)
 *
 * least, which is convex with a continuous slope x - J' (z - z_k). Newton's method with the slope of z, which is
 * symmetric (Castro, Permenter and Han 2022 do the same with springs in place of z_k); the length of a step is where
 * phi along it is flat, found by bisection and secants from u and its change alone. So it always ends, wherever it
 * begins.
 *
 * P' is that of cone_projection.h: on the edge of a cone two rows, along it and across.
 */
#include "solver/cone/cone_convex.h"

#include "math/flat_along.h"
#include "solver/cone_projection.h"

#include <string.h>

/* The slope of phi counts as zero below this part of the velocities (round-off). */
#define ROUND 1e-15

bool rg_convex_take(RgArena *arena, RgConvex *c)
{
    size_t n = (size_t)c->rows->p->n, nu = (size_t)c->rows->p->nu;
    c->centre = RG_TAKE_RAW(arena, double, n);
    c->radius = RG_TAKE(arena, double, n);
    c->u = RG_TAKE_RAW(arena, double, n);
    c->du = RG_TAKE_RAW(arena, double, n);
    c->soft = RG_TAKE_RAW(arena, double, n);
    c->x = RG_TAKE_RAW(arena, double, nu);
    c->dx = RG_TAKE(arena, double, nu);
    c->scratch = RG_TAKE_RAW(arena, double, 2 * (size_t)c->rows->widest);
    return !arena->failed;
}

/* ------------------------------------------------------------------ impulses from velocities */

/* z_k - u / E */
static inline double pull(const RgConvex *c, int32_t i, double u)
{
    return c->centre[i] - u / c->soft[i];
}

/* The cone of rows i, i + 1, i + 2; u: of the three. The point is that of sqrt(E) z, with mu'. */
static RgConePoint cone_point(const RgConvex *c, int32_t i, const double u[3], double z[3])
{
    double root_n = sqrt(c->soft[i]), root_t = sqrt(c->soft[i + 1]);
    z[0] = pull(c, i, u[0]) * root_n;
    z[1] = pull(c, i + 1, u[1]) * root_t;
    z[2] = pull(c, i + 2, u[2]) * root_t;
    RgConePoint p = cone_project(c->rows->p->high[i + 1] * root_t / root_n, z);
    z[0] /= root_n;
    z[1] /= root_t;
    z[2] /= root_t;
    return p;
}

/* The disc of two rows. */
static RgConePoint disc_point(const RgConvex *c, int32_t i, const double u[2], double z[2])
{
    z[0] = pull(c, i, u[0]);
    z[1] = pull(c, i + 1, u[1]);
    return disc_project(c->radius[i], z);
}

static RgConePoint row_point(const RgConvex *c, int32_t i, double u, double *z)
{
    const RgProblem *p = c->rows->p;
    bool friction = p->row_class[i] == RG_ROW_FRICTION;
    double high = friction ? c->radius[i] : p->high[i], low = friction ? -high : p->low[i];
    *z = pull(c, i, u);
    if (*z > low && *z < high)
        return (RgConePoint){.place = RG_CONE_INSIDE};
    *z = *z <= low ? low : high;
    return (RgConePoint){.place = RG_CONE_TIP};
}

/* Rows from i on that go together. */
static inline int32_t together(const RgConvex *c, const RgConeGroup *g, int32_t i)
{
    const RgProblem *p = c->rows->p;
    return i == g->first && cone_is_round(p, g) ? 3 : p->cone[i] ? 2 : 1;
}

static RgConePoint point_of(const RgConvex *c, int32_t i, int32_t count, const double *u, double *z)
{
    if (!(c->soft[i] > 0.0)) { /* nothing answers to it */
        for (int32_t k = 0; k < count; k++)
            z[k] = c->rows->p->z[i + k];
        return (RgConePoint){.place = RG_CONE_TIP};
    }
    return count == 3 ? cone_point(c, i, u, z) : count == 2 ? disc_point(c, i, u, z) : row_point(c, i, u[0], z);
}

/* z of the present u; the slope of phi into step (by unknown). Returns its size. */
static double slope(RgConvex *c, double *out)
{
    RgConeRows *rows = c->rows;
    RgProblem *p = rows->p;
    memcpy(out, c->x, (size_t)p->nu * sizeof *out);
    for (int32_t k = 0; k < rows->ngroups; k++) {
        const RgConeGroup *g = &rows->group[k];
        for (int32_t i = g->first, count; i < g->first + g->rows; i += count) {
            count = together(c, g, i);
            point_of(c, i, count, c->u + i, p->z + i);
        }
        for (int32_t i = g->first; i < g->first + g->rows; i++)
            cone_push(g, i, c->centre[i] - p->z[i], out);
    }
    double sum = 0.0;
    for (int32_t k = 0; k < p->nu; k++)
        sum += out[k] * out[k];
    return sqrt(sum);
}

/* ------------------------------------------------------------------ the step */

/* Edge of a cone: two rows; room for them. */
static void cone_edge(const RgConvex *c, const RgConeGroup *g, const RgConePoint *p, double *room, RgConeAnswer *out)
{
    int32_t i = g->first;
    double root_n = sqrt(c->soft[i]), root_t = sqrt(c->soft[i + 1]), *along = room, *across = room + g->columns;
    memset(room, 0, 2 * (size_t)g->columns * sizeof *room);
    cone_mix(g, i, 1.0 / root_n, along);
    cone_mix(g, i + 1, p->mu * p->d[0] / root_t, along);
    cone_mix(g, i + 2, p->mu * p->d[1] / root_t, along);
    cone_mix(g, i + 1, -p->d[1] / root_t, across);
    cone_mix(g, i + 2, p->d[0] / root_t, across);
    out->row[out->count++] = (RgConeHeld){along, along, 1.0 / (1.0 + p->mu * p->mu)};
    out->row[out->count++] = (RgConeHeld){across, across, p->mu * p->n / p->size};
}

static void disc_edge(const RgConvex *c, const RgConeGroup *g, int32_t i, const RgConePoint *p, RgConeAnswer *out)
{
    double *across = c->scratch;
    memset(across, 0, (size_t)g->columns * sizeof *across);
    cone_mix(g, i, -p->d[1], across);
    cone_mix(g, i + 1, p->d[0], across);
    out->row[out->count++] = (RgConeHeld){across, across, c->radius[i] / (p->size * c->soft[i])};
}

/* What the rows from i on add to the second derivative. */
static void add_rows(RgConvex *c, const RgConeGroup *g, int32_t i, int32_t count)
{
    double z[3];
    RgConeAnswer out = {0};
    RgConePoint p = point_of(c, i, count, c->u + i, z);
    if (p.place == RG_CONE_TIP)
        return;
    if (p.place == RG_CONE_EDGE && count == 3)
        cone_edge(c, g, &p, c->scratch, &out);
    else if (p.place == RG_CONE_EDGE)
        disc_edge(c, g, i, &p, &out);
    else
        for (int32_t j = i; j < i + count; j++)
            out.row[out.count++] = (RgConeHeld){cone_row(g, j), cone_row(g, j), 1.0 / c->soft[j]};
    rg_cone_rows_add(c->rows, g, &out);
}

/* dx from the slope; du. False: singular. */
static bool find_step(RgConvex *c, const double *slope)
{
    RgConeRows *rows = c->rows;
    rg_cone_rows_begin(rows, slope);
    for (int32_t k = 0; k < rows->ngroups; k++) {
        const RgConeGroup *g = &rows->group[k];
        for (int32_t i = g->first, count; i < g->first + g->rows; i += count) {
            count = together(c, g, i);
            add_rows(c, g, i, count);
        }
    }
    return rg_cone_rows_solve(rows, c->dx, c->du);
}

/* Slope of phi along the step, so far along it. */
static double slope_along(const void *context, double part)
{
    const RgConvex *c = context;
    const RgConeRows *rows = c->rows;
    double sum = 0.0;
    for (int32_t k = 0; k < rows->p->nu; k++)
        sum += c->dx[k] * (c->x[k] + part * c->dx[k]);
    for (int32_t k = 0; k < rows->ngroups; k++) {
        const RgConeGroup *g = &rows->group[k];
        for (int32_t i = g->first, count; i < g->first + g->rows; i += count) {
            double u[3] = {0.0}, z[3];
            count = together(c, g, i);
            for (int32_t j = 0; j < count; j++)
                u[j] = c->u[i + j] + part * c->du[i + j];
            point_of(c, i, count, u, z);
            for (int32_t j = 0; j < count; j++)
                sum -= (z[j] - c->centre[i + j]) * c->du[i + j];
        }
    }
    return sum;
}

/* ------------------------------------------------------------------ solve */

/* x = 0. Returns the size of the velocities. */
static double begin(RgConvex *c)
{
    RgConeRows *rows = c->rows;
    const RgProblem *p = rows->p;
    double size = 0.0;
    memset(c->x, 0, (size_t)p->nu * sizeof *c->x);
    for (int32_t k = 0; k < p->nu; k++)
        size += p->s[k] * p->s[k];
    for (int32_t k = 0; k < rows->ngroups; k++) {
        const RgConeGroup *g = &rows->group[k];
        for (int32_t i = g->first; i < g->first + g->rows; i++) {
            c->u[i] = cone_times(g, i, p->s) + p->compliance[i] * c->centre[i] - p->target[i];
            c->soft[i] = p->compliance[i] + c->a * rows->response[i];
        }
        for (int32_t i = g->first; i < g->first + g->rows; i++)
            if (p->cone[i]) /* one softness for both */
                c->soft[i] = c->soft[i + 1] = 0.5 * (c->soft[i] + c->soft[i + 1]);
    }
    return sqrt(size);
}

/* What round-off may make of the slope: a part of the velocities s, and of those that z_k and u / E, whose difference z
   is, make one by one. Rows with z = 0 add none. */
static double slope_error(const RgConvex *c, double s)
{
    const RgConeRows *rows = c->rows;
    double sum = s * s;
    for (int32_t i = 0; i < rows->p->n; i++) {
        double z = fabs(c->centre[i]) + (c->soft[i] > 0.0 ? fabs(c->u[i] / c->soft[i]) : 0.0);
        sum += rows->p->z[i] != 0.0 ? rows->response[i] * z * z : 0.0;
    }
    return ROUND * sqrt(sum);
}

/* |z - z_k|_E */
static double moved(const RgConvex *c)
{
    double sum = 0.0;
    for (int32_t i = 0; i < c->rows->p->n; i++) {
        double d = c->rows->p->z[i] - c->centre[i];
        sum += c->soft[i] * d * d;
    }
    return sqrt(sum);
}

bool rg_convex_solve(RgConvex *c, int most)
{
    RgProblem *p = c->rows->p;
    double size = begin(c);
    slope(c, p->s);
    for (c->iterations = 0; c->iterations < most; c->iterations++) {
        if (!find_step(c, p->s))
            return false;
        double part = rg_flat_along(slope_along, c);
        for (int32_t k = 0; k < p->nu; k++)
            c->x[k] += part * c->dx[k];
        for (int32_t i = 0; i < p->n; i++)
            c->u[i] += part * c->du[i];
        double now = slope(c, p->s);
        if (now <= slope_error(c, size) || (now <= c->slope_most && now <= c->accuracy * moved(c)))
            return true;
    }
    return false;
}
