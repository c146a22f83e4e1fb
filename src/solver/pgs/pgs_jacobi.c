/*
 * pgs_jacobi.c - paper 003's row-parallel Gauss-Seidel, made to give the same bits always.
 *
 * The rows are cut into chunks of consecutive ones. In the paper each processor sweeps its chunk on
 * velocities that all share without locks, so that a chunk sees what the others happen to have written. Here
 * a chunk sees its own changes and none of the others' until the sweep ends. Gauss-Seidel within, Jacobi between.
 *
 * Mass splitting (Tonge, Benevolenski and Voroshilov 2012). n_k chunks have rows on unknown k. Each of them sees the
 * n_k-th part of its mass, and after the sweep the n_k velocities are averaged:
 *
 *   s_c = s;   Gauss-Seidel over the rows of chunk c, s_c += N J_i' dz_i,  A_ii = J_i N J_i' + C_i,  N = diag(n)
 *   s <- s + N^-1 sum (s_c - s), c = 0, 1, ...        which is s + J' dz
 *
 * It cannot diverge where bounds do not depend on impulses. Let E(z) = 1/2 z'(J J' + C) z + z'(J s* - target), whose
 * minimum within the bounds is the solution, and dz_c the changes of chunk c in a sweep. By Cauchy's inequality
 * (sum_c x_c)^2 <= n_k sum_c x_c^2 for the n_k chunks that change unknown k, so
 *
 *   E(z + dz) <= E(z) + sum_c [ dz_c'w + 1/2 dz_c'(J_c N J_c' + C) dz_c ]
 *
 * and each step of Gauss-Seidel with sor < 2 makes the bracket of its chunk smaller: E falls in every sweep, whatever
 * the chunks. With friction, whose bounds follow the normal impulses, it behaves as Gauss-Seidel does.
 *
 * Without mass splitting N = 1, as paper 003 has it: faster where chunks share few bodies, divergent where many rows of
 * different chunks act on one (sor > 2 / n_k at worst). Then lower sor or raise cfm, as the paper says.
 *
 * Velocities and rows of the sweeps are scaled, N^-1/2 s and J N^1/2, so that rows read and write them as ever.
 * Threads take the chunks; when all are through, they add up the unknowns, some at a time.
 * Chunks are an option, not the number of threads, and sums go in the order of the chunks: the same bits for any number
 * of threads. Order of rows within a chunk: as they come. Cost: a sweep is linear in the coefficients, and chunks times
 * unknowns for the sums.
 */
#include "base/parallel_for.h"
#include "solver/cone_projection.h"
#include "solver/pgs/pgs_lanes.h"

#include <math.h>
#include <string.h>

/* Unknowns that a thread takes at a time. */
#define FEW_PLACES 256

typedef struct Jacobi {
    RgProblem *p; /* over scaled velocities */
    const RgPgsOptions *o;
    const double *diagonal, *per;
    double *root; /* nu: sqrt(n_k) */
    double *own;  /* chunks x nu: velocities as the chunks see them */
    double *sum;  /* chunks: squares of the present sweep's changes */
    RgSolveReport *report;
} Jacobi;

/* One chunk while it is swept. */
typedef struct Chunk {
    const Jacobi *g;
    double *s; /* nu: its own velocities */
    double sum;
} Chunk;

static double look(const Chunk *c, int i)
{
    const RgProblem *p = c->g->p;
    double w = (p->target[i] - p->compliance[i] * p->z[i]) - rg_problem_row_times(p, i, c->s);
    return p->z[i] + c->g->per[i] * w;
}

static void become(Chunk *c, int i, double next)
{
    RgProblem *p = c->g->p;
    double keep = p->row_class[i] == RG_ROW_BILATERAL ? 1.0 : 1.0 - c->g->o->smoothing;
    double d = keep * (next - p->z[i]), change = d * c->g->diagonal[i];
    p->z[i] += d;
    c->sum += change * change;
    rg_problem_push(p, i, d, c->s);
}

/* Row i, and the next where they share a cone. Returns how many. */
static int visit(Chunk *c, int i)
{
    const RgProblem *p = c->g->p;
    bool scaled = p->row_class[i] == RG_ROW_FRICTION;
    double n = scaled ? p->z[p->normal[i]] : 1.0, x = look(c, i);
    if (p->cone[i]) {
        double y = look(c, i + 1);
        pair_project(p, i, n, &x, &y);
        become(c, i, x);
        become(c, i + 1, y);
        return 2;
    }
    double low = scaled ? -p->high[i] * n : p->low[i], high = p->high[i] * n;
    become(c, i, x < low ? low : x > high ? high : x);
    return 1;
}

/* First row of chunk c of count; a contact point is never cut. */
static int chunk_start(const RgProblem *p, int c, int count)
{
    int i = (int)((int64_t)p->n * c / count);
    while (i < p->n && p->normal[i] >= 0)
        i++;
    return i;
}

static void sweep_chunk(Jacobi *g, int number)
{
    RgProblem *p = g->p;
    Chunk c = {g, g->own + (size_t)number * (size_t)p->nu, 0.0};
    memcpy(c.s, p->s, (size_t)p->nu * sizeof *c.s);
    int end = chunk_start(p, number + 1, g->o->chunks);
    for (int i = chunk_start(p, number, g->o->chunks); i < end;)
        i += visit(&c, i);
    g->sum[number] = c.sum;
}

/* Unknowns first ... end - 1 with all chunks' changes. */
static void add_up(Jacobi *g, int32_t first, int32_t end)
{
    RgProblem *p = g->p;
    for (int32_t k = first; k < end; k++) {
        double before = p->s[k], after = before;
        for (int c = 0; c < g->o->chunks; c++)
            after += (g->own[(size_t)c * (size_t)p->nu + (size_t)k] - before) / (g->root[k] * g->root[k]);
        p->s[k] = after;
    }
}

/* Root of the mean square of a sweep's changes. */
static double change_of(const Jacobi *g)
{
    double sum = 0.0;
    for (int c = 0; c < g->o->chunks; c++)
        sum += g->sum[c];
    return sqrt(sum / g->p->n);
}

static void sweep_chunks(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    for (int32_t c = first; c < end; c++)
        sweep_chunk(context, c);
}

static void add_chunks(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    add_up(context, first, end);
}

static void sweep_all(Jacobi *g)
{
    int sweeps = 0;
    double change = 0.0;
    bool converged = false;
    while (sweeps < g->o->iterations && !converged) {
        rg_parallel_for(g->p->crew, g->o->chunks, 1, sweep_chunks, g);
        rg_parallel_for(g->p->crew, g->p->nu, FEW_PLACES, add_chunks, g);
        change = change_of(g);
        converged = g->o->tolerance > 0.0 && change <= g->o->tolerance;
        sweeps++;
    }
    g->report->iterations = sweeps;
    g->report->change = change;
    g->report->converged = converged;
    g->report->outcome = converged ? RG_SOLVE_SOLVED : RG_SOLVE_ITERATIONS;
}

/* sqrt(n_k) of every unknown; 1 where masses are not split. last (nu): scratch. */
static void count_chunks(const RgProblem *p, const RgPgsOptions *o, int *last, double *root)
{
    for (int k = 0; k < p->nu; k++) {
        root[k] = 0.0;
        last[k] = -1;
    }
    for (int c = 0; c < o->chunks && o->mass_splitting; c++)
        for (int e = p->start[chunk_start(p, c, o->chunks)]; e < p->start[chunk_start(p, c + 1, o->chunks)];
             e++) {
            root[p->columns[e]] += last[p->columns[e]] != c ? 1.0 : 0.0;
            last[p->columns[e]] = c;
        }
    for (int k = 0; k < p->nu; k++)
        root[k] = root[k] > 1.0 ? sqrt(root[k]) : 1.0;
}

/* The problem over N^-1/2 s, from the first guess on. */
static void scale(const RgProblem *p, const double *root, RgProblem *to)
{
    for (int e = 0; e < p->start[p->n]; e++)
        to->values[e] = p->values[e] * root[p->columns[e]];
    for (int i = 0; i < p->n; i++)
        rg_problem_push(p, i, p->z[i], p->s);
    for (int k = 0; k < p->nu; k++)
        to->s[k] = p->s[k] / root[k];
}

RgStatus rg_pgs_jacobi_solve(RgArena *arena, RgProblem *p, const RgPgsOptions *o, RgSolveReport *report)
{
    rg_arena_reset(arena);
    RgPgsSteps steps;
    RgProblem scaled = *p;
    *report = (RgSolveReport){.residual = {.worst = -1}, .converged = p->n == 0};
    rg_pgs_steps_take(arena, p, &steps);
    scaled.values = RG_TAKE_RAW(arena, double, p->start[p->n]);
    scaled.s = RG_TAKE_RAW(arena, double, p->nu);
    int *last = RG_TAKE_RAW(arena, int, p->nu);
    Jacobi g = {.p = &scaled,
                .o = o,
                .diagonal = steps.diagonal,
                .per = steps.per,
                .root = RG_TAKE_RAW(arena, double, p->nu),
                .own = rg_arena_take_raw(arena, (size_t)o->chunks * (size_t)p->nu, sizeof *g.own),
                .sum = RG_TAKE(arena, double, o->chunks),
                .report = report};
    if (arena->failed)
        return RG_ERR_MEMORY;
    if (p->n == 0)
        return RG_OK;
    count_chunks(p, o, last, g.root);
    scale(p, g.root, &scaled);
    rg_pgs_steps(&scaled, o, &steps);
    report->not_in_sweeps = steps.not_in_sweeps;
    sweep_all(&g);
    for (int k = 0; k < p->nu; k++)
        p->s[k] = scaled.s[k] * g.root[k];
    if (!p->unjudged)
        report->residual = rg_problem_residual(p, NULL, p->rate);
    return RG_OK;
}
