/*
 * cone_blocks.c - contacts with Coulomb's law to a residual (cone_blocks.h).
 *
 * Sweeps and steps of Newton's method in the order of cone_method.h.
 *
 * Newton's method is that of Alart and Curnier (1991), for F(r) = r - R(r - rho w), R_n = max(0, y_n), R_t = y_t
 * brought back to the disc of radius mu R_n. A contact is then
 *
 *   open     y_n <= 0                r + dr = 0
 *   stuck    |y_t| <= mu y_n         w + dw = 0
 *   sliding  otherwise               w_n + dw_n = 0,  with d = y_t / |y_t|, e at right angles to it:
 *            dr_d = mu dr_n + (mu r_n - r_d),    dw_e + k dr_e = -(|y_t| / (rho mu y_n)) r_e,   k = (|y_t| - mu y_n) / (rho mu y_n)
 *
 * so that a sliding contact has two unknowns. Open contacts take no part.
 *
 * Fails: no solution may exist (Painleve) or be found; then the outcome is RG_SOLVE_ITERATIONS and r the best that was
 * seen. Numbers that are none: RG_SOLVE_SINGULAR and r = 0.
 */
#include "solver/cone/cone_blocks.h"

#include "math/dense_factor.h"
#include "solver/cone/blocks_convex.h"
#include "solver/cone/cone_local.h"
#include "solver/cone/cone_method.h"
#include "solver/cone_projection.h"

#include <string.h>

/* rho times the mean of the diagonal block. */
#define RHO 0.03

/* a is not made smaller than this. */
#define A_LEAST 1e-9

/* Sweeps and steps at most, where nothing else is said. A pivot below this part of its block is singular. */
#define MOST 2000
#define CONVEX_STEPS 50
#define CAREFUL 8
#define LOST 1e-15

/* A sweep costs the third of a product of blocks for every block, and this much for every contact; the factor of a step
   its products, and this much more. */
#define LOCAL_COST 12.0
#define FACTOR_COST 1.5

typedef enum Mind { OPEN, STUCK, SLIDES } Mind;

typedef struct Contact {
    double d[2]; /* sliding: direction of friction */
    double k;    /* sliding: |y_t| / (mu y_n) - 1, over rho */
    double over; /* sliding: |y_t| / (rho mu y_n) */
    Mind mind;
} Contact;

typedef struct Cone {
    const RgConeBlocks *p;
    RgArena *arena;
    double size;         /* |q| */
    double *mean;        /* n: D, 0: does not answer */
    double *inverse;     /* 9 n: of diagonal blocks */
    bool *regular;       /* n: it has one */
    const double **self; /* n: diagonal block */
    RgBlockLu lu;
    bool planned;
    Contact *contact;                      /* n */
    double *x, *w, *centre, *known, *step; /* 3 n */
    double *spare, *best, *from;           /* 3 n */
    bool *edge;                            /* n */
    double a;
    RgBlocksConvex convex; /* p NULL: not yet */
} Cone;

/* ------------------------------------------------------------------ residual */

/* w = W r + q of contact i. */
static inline void look(const RgConeBlocks *p, int i, const double *r, double w[3])
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
        look(p, i, r, u);
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

static bool take(Cone *c)
{
    const RgConeBlocks *p = c->p;
    int n = p->n;
    double *numbers = RG_TAKE_RAW(c->arena, double, 22 * (size_t)n);
    c->regular = RG_TAKE_RAW(c->arena, bool, n);
    c->self = RG_TAKE_RAW(c->arena, const double *, n);
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

/* What only Newton's method needs. */
static bool take_newton(Cone *c)
{
    size_t n = (size_t)c->p->n;
    c->lu.size = 3;
    c->contact = RG_TAKE_RAW(c->arena, Contact, n);
    c->known = RG_TAKE_RAW(c->arena, double, 3 * n);
    c->step = RG_TAKE_RAW(c->arena, double, 3 * n);
    c->spare = RG_TAKE_RAW(c->arena, double, 3 * n);
    c->from = RG_TAKE_RAW(c->arena, double, 3 * n);
    c->edge = RG_TAKE_RAW(c->arena, bool, n);
    c->planned = !c->arena->failed && rg_block_lu_plan(c->arena, &c->lu, c->p->n, c->p->start, c->p->column);
    return c->planned;
}

/* ------------------------------------------------------------------ sweeps */

static void sweep(void *context)
{
    Cone *c = context;
    const RgConeBlocks *p = c->p;
    for (int i = 0; i < p->n; i++) {
        double q[3], *r = c->x + 3 * (ptrdiff_t)i;
        if (!(c->mean[i] > 0.0))
            continue;
        const double *W = c->self[i];
        look(p, i, c->x, q);
        q[0] -= W[0] * r[0] + W[1] * r[1] + W[2] * r[2];
        q[1] -= W[3] * r[0] + W[4] * r[1] + W[5] * r[2];
        q[2] -= W[6] * r[0] + W[7] * r[1] + W[8] * r[2];
        cone_local_solve(&(RgConeLocal){W, q, p->mu[i]}, c->regular[i] ? c->inverse + 9 * (ptrdiff_t)i : NULL, r);
    }
}

/* ------------------------------------------------------------------ Newton's method */

/* What each contact has in mind at x with velocities w; returns |F| in velocities. */
static double make_up_minds(Cone *c)
{
    double sum = 0.0;
    for (int i = 0; i < c->p->n; i++) {
        const double *r = c->x + 3 * (ptrdiff_t)i, *w = c->w + 3 * (ptrdiff_t)i;
        Contact *k = &c->contact[i];
        double rho = RHO / ((1.0 + c->a) * c->mean[i]), mu = c->p->mu[i];
        double y[3] = {r[0] - rho * w[0], r[1] - rho * w[1], r[2] - rho * w[2]};
        double F[3] = {r[0], r[1], r[2]};
        *k = (Contact){.mind = OPEN};
        if (c->mean[i] > 0.0 && y[0] > 0.0) {
            double bound = mu * y[0];
            RgConePoint to = disc_project(bound, y + 1);
            k->mind = to.place == RG_CONE_INSIDE ? STUCK : SLIDES;
            if (k->mind == SLIDES) {
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

/* Velocities of the problem with a: w += a D (x - centre). */
static void regularise(Cone *c)
{
    for (int i = 0; i < c->p->n; i++) {
        look(c->p, i, c->x, c->w + 3 * (ptrdiff_t)i);
        for (int k = 3 * i; k < 3 * i + 3; k++)
            c->w[k] += c->a * c->mean[i] * (c->x[k] - c->centre[k]);
    }
}

/* The part of the step that is known: of an open contact all, of a sliding one the way back to the cone's edge. */
static void find_known(Cone *c)
{
    for (int i = 0; i < c->p->n; i++) {
        const double *r = c->x + 3 * (ptrdiff_t)i;
        double *known = c->known + 3 * (ptrdiff_t)i;
        const Contact *k = &c->contact[i];
        known[0] = known[1] = known[2] = 0.0;
        if (k->mind == OPEN) {
            for (int j = 0; j < 3; j++)
                known[j] = -r[j];
        } else if (k->mind == SLIDES) {
            double back = c->p->mu[i] * r[0] - (r[1] * k->d[0] + r[2] * k->d[1]);
            known[1] = back * k->d[0];
            known[2] = back * k->d[1];
            if (!isfinite(k->k)) { /* no friction: nothing else across */
                double across = r[2] * k->d[0] - r[1] * k->d[1];
                known[1] += across * k->d[1];
                known[2] -= across * k->d[0];
            }
        }
    }
}

/* Rows of contact i that are asked: B <- S' B. */
static inline void take_rows(const Contact *k, double B[9])
{
    if (k->mind != SLIDES)
        return;
    for (int j = 0; j < 3; j++) {
        B[3 + j] = B[6 + j] * k->d[0] - B[3 + j] * k->d[1];
        B[6 + j] = 0.0;
        if (!isfinite(k->k))
            B[3 + j] = 0.0;
    }
}

/* Columns of the unknowns of contact j: B <- B T. */
static inline void take_columns(const Contact *k, double mu, double B[9])
{
    if (k->mind != SLIDES)
        return;
    for (int i = 0; i < 3; i++) {
        double along = B[3 * i + 1] * k->d[0] + B[3 * i + 2] * k->d[1];
        double across = B[3 * i + 2] * k->d[0] - B[3 * i + 1] * k->d[1];
        B[3 * i] += mu * along;
        B[3 * i + 1] = isfinite(k->k) ? across : 0.0;
        B[3 * i + 2] = 0.0;
    }
}

static void fill_row(Cone *c, int i)
{
    const RgConeBlocks *p = c->p;
    const Contact *own = &c->contact[i];
    double right[3] = {-c->w[3 * i], -c->w[3 * i + 1], -c->w[3 * i + 2]};
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
        int j = p->column[e];
        const Contact *other = &c->contact[j];
        const double *W = p->block + 9 * (ptrdiff_t)e, *known = c->known + 3 * (ptrdiff_t)j;
        for (int k = 0; k < 3; k++)
            right[k] -= W[3 * k] * known[0] + W[3 * k + 1] * known[1] + W[3 * k + 2] * known[2];
        if (other->mind == OPEN)
            continue;
        double *B = rg_block_lu_at(&c->lu, i, j);
        memcpy(B, W, 9 * sizeof *B);
        if (i == j)
            for (int k = 0; k < 3; k++)
                B[4 * k] += c->a * c->mean[i];
        take_rows(own, B);
        take_columns(other, p->mu[j], B);
        if (i == j && own->mind == SLIDES) {
            B[8] = 1.0;
            B[4] = isfinite(own->k) ? B[4] + own->k : 1.0;
        }
    }
    double *to = c->step + 3 * (ptrdiff_t)i;
    memcpy(to, right, sizeof right);
    for (int k = 0; k < 3; k++)
        to[k] -= c->a * c->mean[i] * c->known[3 * i + k];
    if (own->mind != SLIDES)
        return;
    /* Across: w_e of the right side is over * r_e; of the rest, what known parts do stays. */
    const double *r = c->x + 3 * (ptrdiff_t)i;
    double r_e = r[2] * own->d[0] - r[1] * own->d[1];
    double w_e = c->w[3 * i + 2] * own->d[0] - c->w[3 * i + 1] * own->d[1];
    double e = to[2] * own->d[0] - to[1] * own->d[1] + w_e;
    to[1] = isfinite(own->k) ? e - own->over * r_e : 0.0;
    to[2] = 0.0;
}

/* From the unknowns to dr, in their place; and who stays on the edge of its cone. */
static void find_change(Cone *c)
{
    for (int i = 0; i < c->p->n; i++) {
        double *s = c->step + 3 * (ptrdiff_t)i, x = s[0], y = s[1];
        const double *known = c->known + 3 * (ptrdiff_t)i;
        const Contact *k = &c->contact[i];
        c->edge[i] = k->mind == SLIDES;
        if (k->mind == OPEN) {
            s[0] = s[1] = s[2] = 0.0;
        } else if (k->mind == SLIDES) {
            s[1] = c->p->mu[i] * x * k->d[0] - y * k->d[1];
            s[2] = c->p->mu[i] * x * k->d[1] + y * k->d[0];
        }
        for (int j = 0; j < 3; j++)
            s[j] += known[j];
    }
}

/* r from where the step began, so far along it, and back into the cone; what slides stays on its edge. */
static void go(Cone *c, double part)
{
    for (int i = 0; i < c->p->n; i++) {
        double *r = c->x + 3 * (ptrdiff_t)i;
        for (int j = 0; j < 3; j++)
            r[j] = c->from[3 * i + j] + part * c->step[3 * i + j];
        r[0] = r[0] > 0.0 ? r[0] : 0.0;
        disc_retract(c->p->mu[i] * r[0], c->edge[i], r + 1);
    }
}

/* ------------------------------------------------------------------ the form of the method */

static double judge_point(void *context)
{
    Cone *c = context;
    return residual(c->p, c->x, c->w) / c->size;
}

static double plan_newton(void *context)
{
    Cone *c = context;
    if (!c->planned && !take_newton(c))
        return -1.0;
    double sweep_cost = (double)c->p->start[c->p->n] / 3.0 + LOCAL_COST * c->p->n;
    return (FACTOR_COST * (double)c->lu.work + LOCAL_COST * c->p->n) / sweep_cost;
}

static double look_at_minds(void *context, double a)
{
    Cone *c = context;
    c->a = a;
    regularise(c);
    return make_up_minds(c);
}

static bool take_step(void *context)
{
    Cone *c = context;
    if (c->convex.p != NULL)
        rg_anderson_forget(&c->convex.chain); /* shifts do not follow from the last ones any more */
    rg_block_lu_clear(&c->lu);
    find_known(c);
    for (int i = 0; i < c->p->n; i++)
        c->lu.idle[c->lu.graph.place[i]] = c->contact[i].mind == OPEN;
    for (int i = 0; i < c->p->n; i++)
        if (c->contact[i].mind != OPEN)
            fill_row(c, i);
        else
            memset(c->step + 3 * (ptrdiff_t)i, 0, 3 * sizeof *c->step);
    if (!rg_block_lu_factor(&c->lu, LOST))
        return false;
    rg_block_lu_solve(&c->lu, c->step, c->spare);
    for (int k = 0; k < 3 * c->p->n; k++)
        if (!isfinite(c->step[k]))
            return false;
    memcpy(c->from, c->x, 3 * (size_t)c->p->n * sizeof *c->x);
    find_change(c);
    go(c, 1.0);
    return true;
}

static void shorten(void *context, double part)
{
    go(context, part);
}

static bool convex(void *context, double a, int *steps)
{
    Cone *c = context;
    *steps = 0;
    if (c->convex.p == NULL) {
        c->convex = (RgBlocksConvex){.p = c->p, .mean = c->mean, .lu = &c->lu};
        if (!rg_blocks_convex_take(c->arena, &c->convex)) {
            c->convex.p = NULL;
            return false;
        }
    }
    c->convex.a = a;
    residual(c->p, c->x, c->w);
    bool well = rg_blocks_convex_solve(&c->convex, c->x, c->w, CONVEX_STEPS);
    *steps = c->convex.iterations;
    return well;
}

static const RgConeForm blocks = {.judge = judge_point,
                                  .sweep = sweep,
                                  .plan = plan_newton,
                                  .look = look_at_minds,
                                  .step = take_step,
                                  .shorten = shorten,
                                  .convex = convex};

static bool any(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] != 0.0)
            return true;
    return false;
}

/* Numbers that are none: no impulses. */
static RgStatus tell_singular(RgConeBlocks *p, RgSolveReport *report)
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
    Cone c = {.p = p, .arena = arena};
    if (!take(&c))
        return RG_ERR_MEMORY;
    c.size = norm(p->q, 3 * p->n);
    if (!isfinite(c.size) || !isfinite(norm(p->mu, p->n)))
        return tell_singular(p, report);
    c.size = c.size > 0.0 ? c.size : 1.0;
    memcpy(c.x, p->r, 3 * (size_t)p->n * sizeof *c.x);
    RgConeMethod m = {.form = &blocks,
                      .context = &c,
                      .n = 3 * p->n,
                      .z = c.x,
                      .best = c.best,
                      .centre = c.centre,
                      .tolerance = o->tolerance,
                      .a_least = A_LEAST,
                      .careful = CAREFUL,
                      .warm = any(p->r, 3 * p->n),
                      .most = o->max_iterations > 0 ? o->max_iterations : MOST};
    report->converged = rg_cone_method_solve(&m);
    if (!isfinite(m.least)) { /* the guess is too large for numbers, or none */
        memset(c.x, 0, 3 * (size_t)p->n * sizeof *c.x);
        report->converged = rg_cone_method_solve(&m);
    }
    if (arena->failed)
        return RG_ERR_MEMORY;
    if (!isfinite(m.least))
        return tell_singular(p, report);
    memcpy(p->r, c.x, 3 * (size_t)p->n * sizeof *c.x);
    report->iterations = m.iterations;
    report->outcome = report->converged ? RG_SOLVE_SOLVED : RG_SOLVE_ITERATIONS;
    report->residual.velocity = rg_cone_blocks_residual(p) * c.size;
    return RG_OK;
}
