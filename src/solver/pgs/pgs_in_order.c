/*
 * pgs_in_order.c - projected Gauss-Seidel row by row, in any order of rows (row_order.h) and with any smoothing
 * (RgPgsSmoothing).
 *
 *   d = (omega / A_ii) (target_i - J_i s - C_i z_i)    P = P(z_i + d)
 *
 *   bilateral rows, no smoothing     z_i' = P                          s += J_i' (P - z_i)
 *   smoothing e, change              z_i' = z_i + (1 - e) (P - z_i)    s += J_i' (z_i' - z_i)
 *   last step (004, 5.4, as printed) z_i' = (1 - e) P + e z_last       s += J_i' (z_i' - z_i)
 *   impulse (the code behind 004)    z_i' = z_i + (1 - e) (P - z_i)    s += J_i' (P - z_i)
 *
 * The last one changes z by only the part 1 - e of the impulse that is applied to s: from z = 0 sweeps end with z = (1
 * - e) x, x the applied impulses, s = s* + J'x. Friction is bounded by the smaller z. At the end z = x, so that the
 * reported impulses are the applied ones.
 *
 * Friction is bounded by mu max(z_N, 0), as with every solver; ODE takes mu |z_N|, which is the same for contacts, whose
 * z_N is never below 0.
 *
 * In the order of ODE the islands are swept one after the other, all sweeps of one before those of the next, and before
 * sweeps 9, 17, 25 ... of an island its rows are shuffled (Fisher-Yates, upwards). The velocities after a step are
 * those of ODE 0.16 to round-off (test/peer/test_ode.c).
 *
 * Ends when the root mean square of the changes of a sweep, as velocities, is below the tolerance: of an island, or of
 * all rows. Cost: a sweep is linear in the coefficients. Failure: only lack of memory.
 */
#include "solver/pgs/pgs_in_order.h"

#include "solver/cone_projection.h"
#include "solver/pgs/pgs_lanes.h"
#include "solver/pgs/row_order.h"

#include <math.h>
#include <string.h>

/* Sweeps between two shuffles, as in ODE. */
#define SHUFFLE_EVERY 8

typedef struct InOrder {
    RgProblem *p;
    const RgPgsOptions *o;
    RgPgsSteps steps;
    RgRowOrder order;
    double *applied; /* n: impulses applied to the velocities, where these differ from z; NULL: they are z */
    double sum;      /* sum of squared changes in the current sweep */
    uint32_t random; /* state of the generator */
} InOrder;

/* J_i s; the columns of a block are six consecutive ones. */
static double row_velocity(const RgProblem *p, int i)
{
    const double *J = p->values + p->start[i];
    const int *at = p->columns + p->start[i];
    int count = p->start[i + 1] - p->start[i], e = 0;
    double sum = 0.0;
    for (; e + 6 <= count && at[e + 5] == at[e] + 5; e += 6) {
        const double *s = p->s + at[e];
        sum += ((J[e] * s[0] + J[e + 1] * s[1]) + (J[e + 2] * s[2] + J[e + 3] * s[3])) +
               (J[e + 4] * s[4] + J[e + 5] * s[5]);
    }
    for (; e < count; e++)
        sum += J[e] * p->s[at[e]];
    return sum;
}

/* s += J_i' d */
static void push(const RgProblem *p, int i, double d)
{
    const double *J = p->values + p->start[i];
    const int *at = p->columns + p->start[i];
    int count = p->start[i + 1] - p->start[i], e = 0;
    for (; e + 6 <= count && at[e + 5] == at[e] + 5; e += 6) {
        double *s = p->s + at[e];
        for (int k = 0; k < 6; k++)
            s[k] += J[e + k] * d;
    }
    for (; e < count; e++)
        p->s[at[e]] += J[e] * d;
}

/* Impulse of row i before projection. */
static double unbounded_impulse(const InOrder *g, int i)
{
    const RgProblem *p = g->p;
    return p->z[i] + g->steps.per[i] * ((p->target[i] - p->compliance[i] * p->z[i]) - row_velocity(p, i));
}

/* Sets the impulse of row i, given its projected value `next`. */
static void set_impulse(InOrder *g, int i, double next)
{
    RgProblem *p = g->p;
    const RgPgsOptions *o = g->o;
    double z = p->z[i], kept = next, e = p->row_class[i] == RG_ROW_BILATERAL ? 0.0 : o->smoothing;
    if (e > 0.0) {
        bool last = o->smoothing_kind == RG_PGS_SMOOTH_LAST_STEP && p->last != NULL;
        kept = last ? (1.0 - e) * next + e * p->last[i] : z + (1.0 - e) * (next - z);
    }
    double d = (g->applied != NULL ? next : kept) - z, change = d * g->steps.diagonal[i];
    p->z[i] = kept;
    if (g->applied != NULL)
        g->applied[i] += d;
    g->sum += change * change;
    if (d != 0.0)
        push(p, i, d);
}

/* Visits the two rows of a cone, bounded by the impulse of their normal. */
static void visit_cone(InOrder *g, int i)
{
    double x = unbounded_impulse(g, i), y = unbounded_impulse(g, i + 1);
    pair_project(g->p, i, row_normal(g->p, i), &x, &y);
    set_impulse(g, i, x);
    set_impulse(g, i + 1, y);
}

static void visit(InOrder *g, int i)
{
    const RgProblem *p = g->p;
    if (p->cone[i]) {
        visit_cone(g, i);
        return;
    }
    if (i > 0 && p->cone[i - 1]) /* visited with the row before */
        return;
    set_impulse(g, i, row_project(p, i, row_normal(p, i), unbounded_impulse(g, i)));
}

static bool is_friction(const RgProblem *p, int i)
{
    return p->row_class[i] == RG_ROW_FRICTION || p->row_class[i] == RG_ROW_BOX;
}

/* A sweep over the rows of a part, or over its friction rows only. Returns the root mean square of the changes. */
static double sweep(InOrder *g, const RgRowPart *part, bool friction)
{
    g->sum = 0.0;
    for (int32_t k = part->first; k < part->end; k++)
        if (!friction || is_friction(g->p, g->order.row[k]))
            visit(g, g->order.row[k]);
    return sqrt(g->sum / (part->end - part->first));
}

static void shuffle(InOrder *g, const RgRowPart *part)
{
    int32_t *row = g->order.row + part->first;
    for (int32_t k = 1; k < part->end - part->first; k++) {
        int32_t other = (int32_t)rg_ode_random_below(&g->random, (uint32_t)k + 1), moved = row[k];
        row[k] = row[other];
        row[other] = moved;
        g->p->draws++;
    }
}

/* All sweeps of a part. False: they ended without reaching the tolerance. */
static bool sweep_part(InOrder *g, const RgRowPart *part, RgSolveReport *report)
{
    const RgPgsOptions *o = g->o;
    bool shuffles = o->order == RG_PGS_AS_ODE, done = false;
    double change = 0.0;
    int sweeps = 0;
    while (sweeps < o->iterations && !done) {
        if (shuffles && sweeps > 0 && sweeps % SHUFFLE_EVERY == 0)
            shuffle(g, part);
        change = sweep(g, part, false);
        sweeps++;
        done = o->tolerance > 0.0 && change <= o->tolerance;
    }
    for (int k = 0; k < o->friction_sweeps; k++)
        sweep(g, part, true);
    report->iterations = sweeps > report->iterations ? sweeps : report->iterations;
    report->change = fmax(report->change, change);
    return done;
}

RgStatus rg_pgs_in_order_solve(RgArena *arena, RgProblem *p, const RgPgsOptions *o, RgSolveReport *report)
{
    InOrder g = {.p = p, .o = o, .random = rg_ode_random_at((uint32_t)o->seed, p->draws)};
    *report = (RgSolveReport){.residual = {.worst = -1}, .converged = true};
    rg_arena_reset(arena);
    if (p->n == 0)
        return RG_OK;
    if (!rg_pgs_steps_alloc(arena, p->n, &g.steps) || !rg_row_order_make(arena, p, o->order, &g.order))
        return RG_ERR_MEMORY;
    bool apart = o->smoothing > 0.0 && o->smoothing_kind == RG_PGS_SMOOTH_IMPULSE;
    size_t bytes = (size_t)p->n * sizeof *p->z;
    g.applied = apart ? RG_ARENA_ALLOC_RAW(arena, double, p->n) : NULL;
    if (arena->failed)
        return RG_ERR_MEMORY;
    if (apart)
        memcpy(g.applied, p->z, bytes);
    report->not_in_sweeps = rg_pgs_fill_steps(p, o, 0, p->n, &g.steps);
    for (int i = 0; i < p->n; i++)
        if (p->z[i] != 0.0)
            push(p, i, p->z[i]);
    for (int32_t k = 0; k < g.order.nparts; k++)
        report->converged = sweep_part(&g, &g.order.parts[k], report) && report->converged;
    if (apart)
        memcpy(p->z, g.applied, bytes);
    report->outcome = report->converged ? RG_SOLVE_SOLVED : RG_SOLVE_ITERATIONS;
    report->islands = o->order == RG_PGS_AS_ODE ? g.order.nparts : 0;
    if (!p->skip_residual)
        report->residual = rg_problem_residual(p, g.steps.response, p->rate);
    return RG_OK;
}
