/*
 * cone_convex.c - the convex subproblem of solver `cone-convex` (cone_convex.h).
 *
 * The associated law is convex: cones, intervals, and discs of given radius. The unknown is the change x from the
 * velocities s_k = s* + J' z_k of the last point z_k, so that a small change keeps its digits. With E = C + a A, A the
 * responses, s = s_k + x and u = w_k + J x, impulses follow from velocities,
 *
 *   z(u) = P(z_k - u / E)         P: nearest allowed impulse in the metric E
 *
 * and x minimises the convex function
 *
 *   phi(x) = 1/2 |x|^2 + sum of psi(u),     d psi / du = -(z(u) - z_k)
 *
 * whose gradient x - J' (z - z_k) is continuous. Newton's method uses the derivative of z, which is symmetric (Castro,
 * Permenter and Han 2022 do the same with springs instead of z_k). The line search ends where phi is flat along the
 * step; it works by bisection and secants from u and its change alone. The method converges from any starting point.
 *
 * P' is that of cone_projection.h: on the boundary of a cone it has two terms, along the boundary ray and across it.
 */
#include "solver/cone/cone_convex.h"

#include "math/flat_along.h"
#include "solver/cone_projection.h"

#include <string.h>

/* Part of the velocities below which the gradient of phi is round-off. */
#define ROUND_OFF 1e-15

bool rg_convex_alloc(RgArena *arena, RgConvex *c)
{
    size_t n = (size_t)c->rows->p->n, nu = (size_t)c->rows->p->nu;
    c->centre = RG_ARENA_ALLOC_RAW(arena, double, n);
    c->radius = RG_ARENA_ALLOC(arena, double, n);
    c->u = RG_ARENA_ALLOC_RAW(arena, double, n);
    c->du = RG_ARENA_ALLOC_RAW(arena, double, n);
    c->E = RG_ARENA_ALLOC_RAW(arena, double, n);
    c->x = RG_ARENA_ALLOC_RAW(arena, double, nu);
    c->dx = RG_ARENA_ALLOC(arena, double, nu);
    c->scratch = RG_ARENA_ALLOC_RAW(arena, double, 2 * (size_t)c->rows->widest);
    return !arena->failed;
}

/* ------------------------------------------------------------------ impulses from velocities */

/* z_k - u / E */
static inline double unprojected(const RgConvex *c, int32_t i, double u)
{
    return c->centre[i] - u / c->E[i];
}

/* Projects rows i, i + 1, i + 2 onto their cone; u: of the three. The returned point is that of sqrt(E) z with the
   scaled coefficient mu'. */
static RgConePoint project_cone(const RgConvex *c, int32_t i, const double u[3], double z[3])
{
    double root_n = sqrt(c->E[i]), root_t = sqrt(c->E[i + 1]);
    z[0] = unprojected(c, i, u[0]) * root_n;
    z[1] = unprojected(c, i + 1, u[1]) * root_t;
    z[2] = unprojected(c, i + 2, u[2]) * root_t;
    RgConePoint p = cone_project(c->rows->p->high[i + 1] * root_t / root_n, z);
    z[0] /= root_n;
    z[1] /= root_t;
    z[2] /= root_t;
    return p;
}

/* Projects two rows onto their disc. */
static RgConePoint project_disc(const RgConvex *c, int32_t i, const double u[2], double z[2])
{
    z[0] = unprojected(c, i, u[0]);
    z[1] = unprojected(c, i + 1, u[1]);
    return disc_project(c->radius[i], z);
}

/* Projects one row onto its interval. */
static RgConePoint project_row(const RgConvex *c, int32_t i, double u, double *z)
{
    const RgProblem *p = c->rows->p;
    bool friction = p->row_class[i] == RG_ROW_FRICTION;
    double high = friction ? c->radius[i] : p->high[i], low = friction ? -high : p->low[i];
    *z = unprojected(c, i, u);
    if (*z > low && *z < high)
        return (RgConePoint){.place = RG_CONE_INSIDE};
    *z = *z <= low ? low : high;
    return (RgConePoint){.place = RG_CONE_TIP};
}

/* Number of rows from i on that are projected together. */
static inline int32_t coupled_rows(const RgConvex *c, const RgConeGroup *g, int32_t i)
{
    const RgProblem *p = c->rows->p;
    return i == g->first && cone_is_circular(p, g) ? 3 : p->cone[i] ? 2 : 1;
}

static RgConePoint project_rows(const RgConvex *c, int32_t i, int32_t count, const double *u, double *z)
{
    if (!(c->E[i] > 0.0)) { /* no response: the row keeps its impulse */
        for (int32_t k = 0; k < count; k++)
            z[k] = c->rows->p->z[i + k];
        return (RgConePoint){.place = RG_CONE_TIP};
    }
    return count == 3 ? project_cone(c, i, u, z) : count == 2 ? project_disc(c, i, u, z) : project_row(c, i, u[0], z);
}

/* Computes z from u, and the gradient of phi into out (by unknown). Returns its norm. */
static double evaluate_gradient(RgConvex *c, double *out)
{
    RgConeRows *rows = c->rows;
    RgProblem *p = rows->p;
    memcpy(out, c->x, (size_t)p->nu * sizeof *out);
    for (int32_t k = 0; k < rows->ngroups; k++) {
        const RgConeGroup *g = &rows->group[k];
        for (int32_t i = g->first, count; i < g->first + g->rows; i += count) {
            count = coupled_rows(c, g, i);
            project_rows(c, i, count, c->u + i, p->z + i);
        }
        for (int32_t i = g->first; i < g->first + g->rows; i++)
            cone_apply_impulse(g, i, c->centre[i] - p->z[i], out);
    }
    double sum = 0.0;
    for (int32_t k = 0; k < p->nu; k++)
        sum += out[k] * out[k];
    return sqrt(sum);
}

/* ------------------------------------------------------------------ the step */

/* Boundary of a cone: adds two active rows, stored in room (2 rows over the columns of the group). */
static void add_cone_boundary(const RgConvex *c, const RgConeGroup *g, const RgConePoint *p, double *room,
                              RgConeActiveRows *out)
{
    int32_t i = g->first;
    double root_n = sqrt(c->E[i]), root_t = sqrt(c->E[i + 1]), *along = room, *across = room + g->columns;
    memset(room, 0, 2 * (size_t)g->columns * sizeof *room);
    cone_add_scaled_row(g, i, 1.0 / root_n, along);
    cone_add_scaled_row(g, i + 1, p->mu * p->d[0] / root_t, along);
    cone_add_scaled_row(g, i + 2, p->mu * p->d[1] / root_t, along);
    cone_add_scaled_row(g, i + 1, -p->d[1] / root_t, across);
    cone_add_scaled_row(g, i + 2, p->d[0] / root_t, across);
    out->row[out->count++] = (RgConeActiveRow){along, along, 1.0 / (1.0 + p->mu * p->mu)};
    out->row[out->count++] = (RgConeActiveRow){across, across, p->mu * p->n / p->size};
}

/* Boundary of a disc: adds the active row across the radius. */
static void add_disc_boundary(const RgConvex *c, const RgConeGroup *g, int32_t i, const RgConePoint *p,
                              RgConeActiveRows *out)
{
    double *across = c->scratch;
    memset(across, 0, (size_t)g->columns * sizeof *across);
    cone_add_scaled_row(g, i, -p->d[1], across);
    cone_add_scaled_row(g, i + 1, p->d[0], across);
    out->row[out->count++] = (RgConeActiveRow){across, across, c->radius[i] / (p->size * c->E[i])};
}

/* Adds the second derivative of psi of the rows from i on to the matrix. */
static void add_hessian(RgConvex *c, const RgConeGroup *g, int32_t i, int32_t count)
{
    double z[3];
    RgConeActiveRows out = {0};
    RgConePoint p = project_rows(c, i, count, c->u + i, z);
    if (p.place == RG_CONE_TIP)
        return;
    if (p.place == RG_CONE_EDGE && count == 3)
        add_cone_boundary(c, g, &p, c->scratch, &out);
    else if (p.place == RG_CONE_EDGE)
        add_disc_boundary(c, g, i, &p, &out);
    else
        for (int32_t j = i; j < i + count; j++)
            out.row[out.count++] = (RgConeActiveRow){cone_row(g, j), cone_row(g, j), 1.0 / c->E[j]};
    rg_cone_rows_add_active(c->rows, g, &out);
}

/* dx and du from the gradient. False: the system is singular. */
static bool find_step(RgConvex *c, const double *gradient)
{
    RgConeRows *rows = c->rows;
    rg_cone_rows_reset_system(rows, gradient);
    for (int32_t k = 0; k < rows->ngroups; k++) {
        const RgConeGroup *g = &rows->group[k];
        for (int32_t i = g->first, count; i < g->first + g->rows; i += count) {
            count = coupled_rows(c, g, i);
            add_hessian(c, g, i, count);
        }
    }
    return rg_cone_rows_solve(rows, c->dx, c->du);
}

/* Derivative of phi along the step, at `part` of it. */
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
            count = coupled_rows(c, g, i);
            for (int32_t j = 0; j < count; j++)
                u[j] = c->u[i + j] + part * c->du[i + j];
            project_rows(c, i, count, u, z);
            for (int32_t j = 0; j < count; j++)
                sum -= (z[j] - c->centre[i + j]) * c->du[i + j];
        }
    }
    return sum;
}

/* ------------------------------------------------------------------ solve */

/* Sets x = 0, u and E. Returns the norm of the velocities. */
static double init_iteration(RgConvex *c)
{
    RgConeRows *rows = c->rows;
    const RgProblem *p = rows->p;
    double size = 0.0;
    memset(c->x, 0, (size_t)p->nu * sizeof *c->x);
    for (int32_t k = 0; k < p->nu; k++)
        size += p->s[k] * p->s[k];
    rg_cone_rows_start(rows, c->a, c->centre, c->u, c->E);
    return sqrt(size);
}

/* Round-off error of the gradient: a part of the velocities s, and of the velocities that z_k and u / E cause
   separately, since z is their difference. Rows with z = 0 contribute none. */
static double gradient_error(const RgConvex *c, double s)
{
    const RgConeRows *rows = c->rows;
    double sum = s * s;
    for (int32_t i = 0; i < rows->p->n; i++) {
        double z = fabs(c->centre[i]) + (c->E[i] > 0.0 ? fabs(c->u[i] / c->E[i]) : 0.0);
        sum += rows->p->z[i] != 0.0 ? rows->response[i] * z * z : 0.0;
    }
    return ROUND_OFF * sqrt(sum);
}

/* |z - z_k|_E */
static double moved_distance(const RgConvex *c)
{
    double sum = 0.0;
    for (int32_t i = 0; i < c->rows->p->n; i++) {
        double d = c->rows->p->z[i] - c->centre[i];
        sum += c->E[i] * d * d;
    }
    return sqrt(sum);
}

bool rg_convex_solve(RgConvex *c, int most)
{
    RgProblem *p = c->rows->p;
    double size = init_iteration(c);
    evaluate_gradient(c, p->s);
    for (c->iterations = 0; c->iterations < most; c->iterations++) {
        if (!find_step(c, p->s))
            return false;
        double part = rg_line_search(slope_along, c);
        for (int32_t k = 0; k < p->nu; k++)
            c->x[k] += part * c->dx[k];
        for (int32_t i = 0; i < p->n; i++)
            c->u[i] += part * c->du[i];
        double now = evaluate_gradient(c, p->s);
        if (now <= gradient_error(c, size) || (now <= c->max_gradient && now <= c->accuracy * moved_distance(c)))
            return true;
    }
    return false;
}
