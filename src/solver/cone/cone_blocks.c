/*
 * cone_blocks.c - contacts with Coulomb's law over a block matrix, solved to a residual (cone_blocks.h).
 *
 * Sweeps and Newton steps follow the strategy of cone_method.h.
 *
 * Newton's method is that of Alart and Curnier (1991) for F(r) = r - R(r - rho w), with y = r - rho w, R_n = max(0,
 * y_n), and R_t = y_t projected onto the disc of radius mu R_n. A contact contributes
 *
 *   open      y_n <= 0                r + dr = 0
 *   sticking  |y_t| <= mu y_n         w + dw = 0
 *   sliding   otherwise               w_n + dw_n = 0,  with d = y_t / |y_t|, e perpendicular to it:
 *             dr_d = mu dr_n + (mu r_n - r_d)
 *             dw_e + k dr_e = -(|y_t| / (rho mu y_n)) r_e,   k = (|y_t| - mu y_n) / (rho mu y_n)
 *
 * A sliding contact therefore has two unknowns. Open contacts are left out of the system.
 *
 * Failure: if no solution exists (Painleve) or none is found, the outcome is RG_SOLVE_ITERATIONS and r the best point.
 * If an input is NaN or infinite, it is RG_SOLVE_SINGULAR and r = 0.
 */
#include "solver/cone/cone_blocks.h"

#include "math/dense_factor.h"
#include "solver/cone/blocks_convex.h"
#include "solver/cone/cone_local.h"
#include "solver/cone/cone_method.h"
#include "solver/cone_projection.h"

#include <string.h>

/* rho of Alart and Curnier, times (1 + a) and the mean diagonal entry of the contact's block. */
#define RHO 0.03

/* Lower bound of the proximal weight a. */
#define MIN_A 1e-9

/* Default limit of sweeps and Newton steps. */
#define DEFAULT_MAX_ITERATIONS 2000

/* Newton steps of one convex subproblem, at most. */
#define CONVEX_STEPS 50

/* Solves by damped Newton steps before the convex subproblem is used. */
#define DAMPED_TRIES 8

/* Part of the largest entry of a block below which a pivot counts as zero. */
#define SINGULAR_PIVOT 1e-15

/* Cost estimates in products of two 3 x 3 blocks: a sweep costs 1/3 per block and LOCAL_COST per contact; a Newton step
   costs FACTOR_COST per product of its factorisation and LOCAL_COST per contact. */
#define LOCAL_COST 12.0
#define FACTOR_COST 1.5

typedef enum State { OPEN, STICKING, SLIDING } State;

typedef struct Contact {
    double d[2]; /* sliding: direction of friction */
    double k;    /* sliding: |y_t| / (mu y_n) - 1, over rho */
    double over; /* sliding: |y_t| / (rho mu y_n) */
    State state;
} Contact;

typedef struct BlockSolver {
    const RgConeBlocks *p;
    RgArena *arena;
    double size;         /* |q| */
    double *mean;        /* n: D, mean diagonal entry of each block; 0: no response */
    double *inverse;     /* 9 n: inverses of the diagonal blocks */
    bool *regular;       /* n: the diagonal block has an inverse */
    const double **self; /* n: diagonal block; NULL: none */
    RgBlockLu lu;
    bool planned;
    Contact *contact;          /* n */
    double *x, *w, *centre;    /* 3 n: impulses, velocities, z_k */
    double *prescribed, *step; /* 3 n: known part of the step (find_prescribed); the step */
    double *spare, *best;      /* 3 n */
    double *from;              /* 3 n: x before the last step */
    bool *edge;                /* n: the contact slides and stays on the boundary of its cone */
    double a;                  /* proximal weight */
    RgBlocksConvex convex;     /* p NULL: not allocated yet */
} BlockSolver;

/* ------------------------------------------------------------------ residual */

/* w = W r + q of contact i. */
static inline void contact_velocity(const RgConeBlocks *p, int i, const double *r, double w[3])
{
    double a = p->q[3 * i], b = p->q[3 * i + 1], c = p->q[3 * i + 2];
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
        const double *B = p->block + 9 * (ptrdiff_t)k, *x = r + 3 * (ptrdiff_t)p->column[k];
        a += B[0] * x[0] + B[1] * x[1] + B[2] * x[2];
        b += B[3] * x[0] + B[4] * x[1] + B[5] * x[2];
        c += B[6] * x[0] + B[7] * x[1] + B[8] * x[2];
    }
    w[0] = a;
    w[1] = b;
    w[2] = c;
}

static double norm(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static double residual(const RgConeBlocks *p, const double *r, double *w)
{
    double sum = 0.0;
    for (int i = 0; i < p->n; i++) {
        const double *x = r + 3 * (ptrdiff_t)i;
        double *u = w + 3 * (ptrdiff_t)i, y[3];
        contact_velocity(p, i, r, u);
        y[0] = x[0] - u[0] - p->mu[i] * sqrt(u[1] * u[1] + u[2] * u[2]);
        y[1] = x[1] - u[1];
        y[2] = x[2] - u[2];
        cone_project(p->mu[i], y);
        for (int k = 0; k < 3; k++)
            sum += (x[k] - y[k]) * (x[k] - y[k]);
    }
    return sqrt(sum);
}

double rg_cone_blocks_residual(const RgConeBlocks *p)
{
    double size = norm(p->q, 3 * p->n), found = residual(p, p->r, p->w);
    return size > 0.0 ? found / size : found;
}

/* ------------------------------------------------------------------ memory */

static const double *diagonal_block(const RgConeBlocks *p, int i)
{
    for (int k = p->start[i]; k < p->start[i + 1]; k++)
        if (p->column[k] == i)
            return p->block + 9 * (ptrdiff_t)k;
    return NULL;
}

static bool alloc_arrays(BlockSolver *c)
{
    const RgConeBlocks *p = c->p;
    int n = p->n;
    double *numbers = RG_ARENA_ALLOC_RAW(c->arena, double, 22 * (size_t)n);
    c->regular = RG_ARENA_ALLOC_RAW(c->arena, bool, n);
    c->self = RG_ARENA_ALLOC_RAW(c->arena, const double *, n);
    if (c->arena->failed)
        return false;
    c->mean = numbers;
    c->inverse = numbers + n;
    c->x = c->inverse + 9 * (ptrdiff_t)n;
    c->w = c->x + 3 * (ptrdiff_t)n;
    c->best = c->w + 3 * (ptrdiff_t)n;
    c->centre = c->best + 3 * (ptrdiff_t)n;
    for (int i = 0; i < n; i++) {
        const double *W = c->self[i] = diagonal_block(p, i);
        c->mean[i] = W != NULL ? (W[0] + W[4] + W[8]) / 3.0 : 0.0;
        c->regular[i] = W != NULL && rg_invert3(W, c->inverse + 9 * (ptrdiff_t)i);
    }
    return true;
}

/* Allocates and plans what only Newton's method needs. */
static bool alloc_newton(BlockSolver *c)
{
    size_t n = (size_t)c->p->n;
    c->lu.size = 3;
    c->contact = RG_ARENA_ALLOC_RAW(c->arena, Contact, n);
    c->prescribed = RG_ARENA_ALLOC_RAW(c->arena, double, 3 * n);
    c->step = RG_ARENA_ALLOC_RAW(c->arena, double, 3 * n);
    c->spare = RG_ARENA_ALLOC_RAW(c->arena, double, 3 * n);
    c->from = RG_ARENA_ALLOC_RAW(c->arena, double, 3 * n);
    c->edge = RG_ARENA_ALLOC_RAW(c->arena, bool, n);
    c->planned = !c->arena->failed && rg_block_lu_plan(c->arena, &c->lu, c->p->n, c->p->start, c->p->column);
    return c->planned;
}

/* ------------------------------------------------------------------ sweeps */

static void sweep(void *context)
{
    BlockSolver *c = context;
    const RgConeBlocks *p = c->p;
    for (int i = 0; i < p->n; i++) {
        double q[3], *r = c->x + 3 * (ptrdiff_t)i;
        if (!(c->mean[i] > 0.0))
            continue;
        const double *W = c->self[i];
        contact_velocity(p, i, c->x, q);
        q[0] -= W[0] * r[0] + W[1] * r[1] + W[2] * r[2];
        q[1] -= W[3] * r[0] + W[4] * r[1] + W[5] * r[2];
        q[2] -= W[6] * r[0] + W[7] * r[1] + W[8] * r[2];
        cone_local_solve(&(RgConeLocal){W, q, p->mu[i]}, c->regular[i] ? c->inverse + 9 * (ptrdiff_t)i : NULL, r);
    }
}

/* ------------------------------------------------------------------ Newton's method */

/* Finds the state of each contact at x with velocities w. Returns |F|, in velocities. */
static double classify_contacts(BlockSolver *c)
{
    double sum = 0.0;
    for (int i = 0; i < c->p->n; i++) {
        const double *r = c->x + 3 * (ptrdiff_t)i, *w = c->w + 3 * (ptrdiff_t)i;
        Contact *k = &c->contact[i];
        double rho = RHO / ((1.0 + c->a) * c->mean[i]), mu = c->p->mu[i];
        double y[3] = {r[0] - rho * w[0], r[1] - rho * w[1], r[2] - rho * w[2]};
        double F[3] = {r[0], r[1], r[2]};
        *k = (Contact){.state = OPEN};
        if (c->mean[i] > 0.0 && y[0] > 0.0) {
            double bound = mu * y[0];
            RgConePoint to = disc_project(bound, y + 1);
            k->state = to.place == RG_CONE_INSIDE ? STICKING : SLIDING;
            if (k->state == SLIDING) {
                memcpy(k->d, to.d, sizeof to.d);
                k->over = bound > 0.0 ? to.size / (rho * bound) : INFINITY;
                k->k = isfinite(k->over) ? (to.size - bound) / (rho * bound) : INFINITY;
            }
            for (int j = 0; j < 3; j++)
                F[j] -= y[j];
        }
        double scale = c->mean[i] / RHO;
        sum += scale * scale * (F[0] * F[0] + F[1] * F[1] + F[2] * F[2]);
    }
    return sqrt(sum);
}

/* Velocities of the problem with the proximal term: w = W x + q + a D (x - centre). */
static void add_proximal_velocities(BlockSolver *c)
{
    for (int i = 0; i < c->p->n; i++) {
        contact_velocity(c->p, i, c->x, c->w + 3 * (ptrdiff_t)i);
        for (int k = 3 * i; k < 3 * i + 3; k++)
            c->w[k] += c->a * c->mean[i] * (c->x[k] - c->centre[k]);
    }
}

/* The part of the step that is known in advance: the whole step of an open contact; of a sliding one the correction to
   the boundary of its cone. */
static void find_prescribed(BlockSolver *c)
{
    for (int i = 0; i < c->p->n; i++) {
        const double *r = c->x + 3 * (ptrdiff_t)i;
        double *prescribed = c->prescribed + 3 * (ptrdiff_t)i;
        const Contact *k = &c->contact[i];
        prescribed[0] = prescribed[1] = prescribed[2] = 0.0;
        if (k->state == OPEN) {
            for (int j = 0; j < 3; j++)
                prescribed[j] = -r[j];
        } else if (k->state == SLIDING) {
            double back = c->p->mu[i] * r[0] - (r[1] * k->d[0] + r[2] * k->d[1]);
            prescribed[1] = back * k->d[0];
            prescribed[2] = back * k->d[1];
            if (!isfinite(k->k)) { /* no friction: the component across is removed too */
                double across = r[2] * k->d[0] - r[1] * k->d[1];
                prescribed[1] += across * k->d[1];
                prescribed[2] -= across * k->d[0];
            }
        }
    }
}

/* Equations of contact k: B <- S' B. */
static inline void select_equations(const Contact *k, double B[9])
{
    if (k->state != SLIDING)
        return;
    for (int j = 0; j < 3; j++) {
        B[3 + j] = B[6 + j] * k->d[0] - B[3 + j] * k->d[1];
        B[6 + j] = 0.0;
        if (!isfinite(k->k))
            B[3 + j] = 0.0;
    }
}

/* Unknowns of contact k: B <- B T. */
static inline void select_unknowns(const Contact *k, double mu, double B[9])
{
    if (k->state != SLIDING)
        return;
    for (int i = 0; i < 3; i++) {
        double along = B[3 * i + 1] * k->d[0] + B[3 * i + 2] * k->d[1];
        double across = B[3 * i + 2] * k->d[0] - B[3 * i + 1] * k->d[1];
        B[3 * i] += mu * along;
        B[3 * i + 1] = isfinite(k->k) ? across : 0.0;
        B[3 * i + 2] = 0.0;
    }
}

/* Assembles block row i and its right side. */
static void assemble_row(BlockSolver *c, int i)
{
    const RgConeBlocks *p = c->p;
    const Contact *own = &c->contact[i];
    double right[3] = {-c->w[3 * i], -c->w[3 * i + 1], -c->w[3 * i + 2]};
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
        int j = p->column[e];
        const Contact *other = &c->contact[j];
        const double *W = p->block + 9 * (ptrdiff_t)e, *prescribed = c->prescribed + 3 * (ptrdiff_t)j;
        for (int k = 0; k < 3; k++)
            right[k] -= W[3 * k] * prescribed[0] + W[3 * k + 1] * prescribed[1] + W[3 * k + 2] * prescribed[2];
        if (other->state == OPEN)
            continue;
        double *B = rg_block_lu_at(&c->lu, i, j);
        memcpy(B, W, 9 * sizeof *B);
        if (i == j)
            for (int k = 0; k < 3; k++)
                B[4 * k] += c->a * c->mean[i];
        select_equations(own, B);
        select_unknowns(other, p->mu[j], B);
        if (i == j && own->state == SLIDING) {
            B[8] = 1.0;
            B[4] = isfinite(own->k) ? B[4] + own->k : 1.0;
        }
    }
    double *to = c->step + 3 * (ptrdiff_t)i;
    memcpy(to, right, sizeof right);
    for (int k = 0; k < 3; k++)
        to[k] -= c->a * c->mean[i] * c->prescribed[3 * i + k];
    if (own->state != SLIDING)
        return;
    /* Across the sliding direction, w_e on the right side is replaced by over * r_e; the terms of the prescribed parts
       remain. */
    const double *r = c->x + 3 * (ptrdiff_t)i;
    double r_e = r[2] * own->d[0] - r[1] * own->d[1];
    double w_e = c->w[3 * i + 2] * own->d[0] - c->w[3 * i + 1] * own->d[1];
    double e = to[2] * own->d[0] - to[1] * own->d[1] + w_e;
    to[1] = isfinite(own->k) ? e - own->over * r_e : 0.0;
    to[2] = 0.0;
}

/* Converts the unknowns to dr, in place; marks contacts that stay on the boundary of their cone. */
static void recover_step(BlockSolver *c)
{
    for (int i = 0; i < c->p->n; i++) {
        double *s = c->step + 3 * (ptrdiff_t)i, x = s[0], y = s[1];
        const double *prescribed = c->prescribed + 3 * (ptrdiff_t)i;
        const Contact *k = &c->contact[i];
        c->edge[i] = k->state == SLIDING;
        if (k->state == OPEN) {
            s[0] = s[1] = s[2] = 0.0;
        } else if (k->state == SLIDING) {
            s[1] = c->p->mu[i] * x * k->d[0] - y * k->d[1];
            s[2] = c->p->mu[i] * x * k->d[1] + y * k->d[0];
        }
        for (int j = 0; j < 3; j++)
            s[j] += prescribed[j];
    }
}

/* Sets r to the start of the step plus `part` of it, moved back into the cone; sliding contacts stay on its
   boundary. */
static void move_along_step(BlockSolver *c, double part)
{
    for (int i = 0; i < c->p->n; i++) {
        double *r = c->x + 3 * (ptrdiff_t)i;
        for (int j = 0; j < 3; j++)
            r[j] = c->from[3 * i + j] + part * c->step[3 * i + j];
        r[0] = r[0] > 0.0 ? r[0] : 0.0;
        disc_retract(c->p->mu[i] * r[0], c->edge[i], r + 1);
    }
}

/* ------------------------------------------------------------------ operations of the method */

static double evaluate_residual(void *context)
{
    BlockSolver *c = context;
    return residual(c->p, c->x, c->w) / c->size;
}

static double plan_newton(void *context)
{
    BlockSolver *c = context;
    if (!c->planned && !alloc_newton(c))
        return -1.0;
    double sweep_cost = (double)c->p->start[c->p->n] / 3.0 + LOCAL_COST * c->p->n;
    return (FACTOR_COST * (double)c->lu.work + LOCAL_COST * c->p->n) / sweep_cost;
}

static double find_states(void *context, double a)
{
    BlockSolver *c = context;
    c->a = a;
    add_proximal_velocities(c);
    return classify_contacts(c);
}

static bool newton_step(void *context)
{
    BlockSolver *c = context;
    if (c->convex.p != NULL)
        rg_anderson_reset(&c->convex.shift_history); /* the history of shifts is no longer valid */
    rg_block_lu_clear(&c->lu);
    find_prescribed(c);
    for (int i = 0; i < c->p->n; i++)
        c->lu.idle[c->lu.graph.place[i]] = c->contact[i].state == OPEN;
    for (int i = 0; i < c->p->n; i++)
        if (c->contact[i].state != OPEN)
            assemble_row(c, i);
        else
            memset(c->step + 3 * (ptrdiff_t)i, 0, 3 * sizeof *c->step);
    if (!rg_block_lu_factor(&c->lu, SINGULAR_PIVOT))
        return false;
    rg_block_lu_solve(&c->lu, c->step, c->spare);
    for (int k = 0; k < 3 * c->p->n; k++)
        if (!isfinite(c->step[k]))
            return false;
    memcpy(c->from, c->x, 3 * (size_t)c->p->n * sizeof *c->x);
    recover_step(c);
    move_along_step(c, 1.0);
    return true;
}

static void shorten_step(void *context, double part)
{
    move_along_step(context, part);
}

static bool solve_convex(void *context, double a, int *steps)
{
    BlockSolver *c = context;
    *steps = 0;
    if (c->convex.p == NULL) {
        c->convex = (RgBlocksConvex){.p = c->p, .mean = c->mean, .lu = &c->lu};
        if (!rg_blocks_convex_alloc(c->arena, &c->convex)) {
            c->convex.p = NULL;
            return false;
        }
    }
    c->convex.a = a;
    residual(c->p, c->x, c->w);
    bool converged = rg_blocks_convex_solve(&c->convex, c->x, c->w, CONVEX_STEPS);
    *steps = c->convex.iterations;
    return converged;
}

static const RgConeMethodOps block_ops = {.evaluate_residual = evaluate_residual,
                                          .sweep = sweep,
                                          .plan_newton = plan_newton,
                                          .find_states = find_states,
                                          .newton_step = newton_step,
                                          .shorten_step = shorten_step,
                                          .solve_convex = solve_convex};

static bool any_nonzero(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] != 0.0)
            return true;
    return false;
}

/* An input is NaN or infinite: no impulses. */
static RgStatus report_singular(RgConeBlocks *p, RgSolveReport *report)
{
    memset(p->r, 0, 3 * (size_t)p->n * sizeof *p->r);
    memcpy(p->w, p->q, 3 * (size_t)p->n * sizeof *p->w);
    report->outcome = RG_SOLVE_SINGULAR;
    report->residual.velocity = INFINITY;
    return RG_OK;
}

RgStatus rg_cone_blocks_solve(RgArena *arena, RgConeBlocks *p, const RgExactOptions *o, RgSolveReport *report)
{
    *report = (RgSolveReport){.residual = {.worst = -1}};
    BlockSolver c = {.p = p, .arena = arena};
    if (!alloc_arrays(&c))
        return RG_ERR_MEMORY;
    c.size = norm(p->q, 3 * p->n);
    if (!isfinite(c.size) || !isfinite(norm(p->mu, p->n)))
        return report_singular(p, report);
    c.size = c.size > 0.0 ? c.size : 1.0;
    memcpy(c.x, p->r, 3 * (size_t)p->n * sizeof *c.x);
    RgConeMethod m = {.ops = &block_ops,
                      .context = &c,
                      .n = 3 * p->n,
                      .z = c.x,
                      .best = c.best,
                      .centre = c.centre,
                      .tolerance = o->tolerance,
                      .min_a = MIN_A,
                      .damped_tries = DAMPED_TRIES,
                      .may_be_close = any_nonzero(p->r, 3 * p->n),
                      .max_iterations = o->max_iterations > 0 ? o->max_iterations : DEFAULT_MAX_ITERATIONS};
    report->converged = rg_cone_method_solve(&m);
    if (!isfinite(m.best_residual)) { /* the initial guess is not finite or overflows: start from 0 */
        memset(c.x, 0, 3 * (size_t)p->n * sizeof *c.x);
        report->converged = rg_cone_method_solve(&m);
    }
    if (arena->failed)
        return RG_ERR_MEMORY;
    if (!isfinite(m.best_residual))
        return report_singular(p, report);
    memcpy(p->r, c.x, 3 * (size_t)p->n * sizeof *c.x);
    report->iterations = m.iterations;
    report->outcome = report->converged ? RG_SOLVE_SOLVED : RG_SOLVE_ITERATIONS;
    report->residual.velocity = rg_cone_blocks_residual(p) * c.size;
    return RG_OK;
}
