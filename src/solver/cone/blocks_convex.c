/*
 * blocks_convex.c - contacts over blocks with fixed shifts (blocks_convex.h).
 *
 * With E = a D, velocities u = w_k + shift + W x, and r(u) = P(r_k - u / E), P the projection onto K(mu), the solution
 * satisfies x = r(u) - r_k. For symmetric W it is the minimum of the convex function
 *
 *   phi(x) = 1/2 x'W x + sum of psi(u),      d psi / du = -(r(u) - r_k),      gradient W (x - (r(u) - r_k))
 *
 * Newton's method, with P' from cone_projection.h:
 *
 *   (E + P' W) dx = E (r(u) - r_k - x)
 *
 * with a line search that ends where phi is flat along the step. If W is not exactly symmetric, phi is only an
 * approximate merit function; the fixed point is the same.
 *
 * Cost: one block factorisation per step. Failure: too many steps, or a singular system.
 */
#include "solver/cone/blocks_convex.h"

#include "math/flat_along.h"
#include "solver/cone_projection.h"

#include <string.h>

/* Converged: the residual |r(u) - r_k - x| has fallen to this part of its first value, ... */
#define RESIDUAL_DROP 1e-9
/* ... or to this part of the velocities: round-off. */
#define ROUND_OFF 1e-15
/* Part of the largest entry of a block below which a pivot counts as zero. */
#define SINGULAR_PIVOT 1e-15

bool rg_blocks_convex_alloc(RgArena *arena, RgBlocksConvex *c)
{
    size_t n = (size_t)c->p->n;
    double *numbers = RG_ARENA_ALLOC(arena, double, 22 * n);
    if (!rg_anderson_alloc(arena, &c->shift_history, c->p->n))
        return false;
    double **to[] = {&c->centre, &c->x, &c->dx, &c->u, &c->du, &c->r, &c->spare};
    for (size_t k = 0; k < sizeof to / sizeof to[0]; k++)
        *to[k] = numbers + 3 * n * k;
    c->shift = numbers + 21 * n;
    return true;
}

/* y = W x. */
static void multiply(const RgConeBlocks *p, const double *x, double *y)
{
    for (int i = 0; i < p->n; i++) {
        double *to = y + 3 * (ptrdiff_t)i;
        to[0] = to[1] = to[2] = 0.0;
        for (int e = p->start[i]; e < p->start[i + 1]; e++) {
            const double *B = p->block + 9 * (ptrdiff_t)e, *v = x + 3 * (ptrdiff_t)p->column[e];
            for (int k = 0; k < 3; k++)
                to[k] += B[3 * k] * v[0] + B[3 * k + 1] * v[1] + B[3 * k + 2] * v[2];
        }
    }
}

/* Impulse r(u) of contact i. slope: P', 9 entries, row-major; NULL: not requested. */
static void evaluate_impulse(const RgBlocksConvex *c, int i, const double u[3], double r[3], double *slope)
{
    double E = c->a * c->mean[i];
    const double *centre = c->centre + 3 * (ptrdiff_t)i;
    RgConePoint p = {.place = RG_CONE_TIP};
    for (int k = 0; k < 3; k++)
        r[k] = E > 0.0 ? centre[k] - u[k] / E : centre[k];
    if (E > 0.0)
        p = cone_project(c->p->mu[i], r);
    if (slope != NULL)
        cone_project_slope(&p, slope);
}

/* Evaluates r(u). Returns the residual |r(u) - r_k - x|, in velocities (times D). */
static double evaluate_residual(RgBlocksConvex *c)
{
    double sum = 0.0;
    for (int i = 0; i < c->p->n; i++) {
        evaluate_impulse(c, i, c->u + 3 * (ptrdiff_t)i, c->r + 3 * (ptrdiff_t)i, NULL);
        for (int k = 3 * i; k < 3 * i + 3; k++) {
            double f = c->mean[i] * (c->r[k] - c->centre[k] - c->x[k]);
            sum += f * f;
        }
    }
    return sqrt(sum);
}

/* Assembles block row i of the matrix and its right side. */
static void assemble_row(RgBlocksConvex *c, int i)
{
    const RgConeBlocks *p = c->p;
    double r[3], P[9], E = c->a * c->mean[i];
    E = E > 0.0 ? E : 1.0;
    evaluate_impulse(c, i, c->u + 3 * (ptrdiff_t)i, r, P);
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
        double *B = rg_block_lu_at(c->lu, i, p->column[e]);
        const double *W = p->block + 9 * (ptrdiff_t)e;
        for (int k = 0; k < 9; k++)
            B[k] = P[k - k % 3] * W[k % 3] + P[k - k % 3 + 1] * W[3 + k % 3] + P[k - k % 3 + 2] * W[6 + k % 3];
        for (int k = 0; k < 9 && p->column[e] == i; k += 4)
            B[k] += E;
    }
    for (int k = 0; k < 3; k++)
        c->dx[3 * i + k] = E * (r[k] - c->centre[3 * i + k] - c->x[3 * i + k]);
}

/* dx and du. False: the system is singular. */
static bool find_step(RgBlocksConvex *c)
{
    rg_block_lu_clear(c->lu);
    for (int i = 0; i < c->p->n; i++)
        assemble_row(c, i);
    if (!rg_block_lu_factor(c->lu, SINGULAR_PIVOT))
        return false;
    rg_block_lu_solve(c->lu, c->dx, c->spare);
    for (int k = 0; k < 3 * c->p->n; k++)
        if (!isfinite(c->dx[k]))
            return false;
    multiply(c->p, c->dx, c->du);
    return true;
}

/* Derivative of phi along the step, at `part` of it. */
static double slope_along(const void *context, double part)
{
    const RgBlocksConvex *c = context;
    double sum = 0.0;
    for (int i = 0; i < c->p->n; i++) {
        double u[3], r[3];
        for (int k = 0; k < 3; k++)
            u[k] = c->u[3 * i + k] + part * c->du[3 * i + k];
        evaluate_impulse(c, i, u, r, NULL);
        for (int k = 0; k < 3; k++) {
            int j = 3 * i + k;
            sum += c->du[j] * (c->x[j] + part * c->dx[j] - (r[k] - c->centre[j]));
        }
    }
    return sum;
}

/* Sets x = 0 and the shifts. Returns the size of the velocities, of which round-off is a part. */
static double init_iteration(RgBlocksConvex *c, const double *r, const double *w)
{
    double size = 0.0;
    int n = c->p->n;
    for (int i = 0; i < n; i++)
        c->shift[i] = c->p->mu[i] * sqrt(w[3 * i + 1] * w[3 * i + 1] + w[3 * i + 2] * w[3 * i + 2]);
    rg_anderson_next(&c->shift_history, 0.0, c->shift);
    memcpy(c->centre, r, 3 * (size_t)n * sizeof *r);
    memcpy(c->u, w, 3 * (size_t)n * sizeof *w);
    memset(c->x, 0, 3 * (size_t)n * sizeof *c->x);
    for (int i = 0; i < n; i++) {
        c->u[3 * i] += c->shift[i];
        for (int k = 3 * i; k < 3 * i + 3; k++) {
            double part = c->mean[i] * fabs(r[k]) + fabs(c->u[k]) / c->a;
            size += part * part;
        }
    }
    return sqrt(size);
}

bool rg_blocks_convex_solve(RgBlocksConvex *c, double *r, const double *w, int most)
{
    int n = 3 * c->p->n;
    double size = init_iteration(c, r, w), first = evaluate_residual(c);
    bool converged = false;
    for (c->iterations = 0; c->iterations < most && !converged; c->iterations++) {
        if (!find_step(c))
            break;
        double part = rg_line_search(slope_along, c);
        for (int k = 0; k < n; k++) {
            c->x[k] += part * c->dx[k];
            c->u[k] += part * c->du[k];
        }
        double now = evaluate_residual(c);
        converged = now <= RESIDUAL_DROP * first || now <= ROUND_OFF * size;
    }
    memcpy(r, c->r, (size_t)n * sizeof *r);
    return converged;
}
