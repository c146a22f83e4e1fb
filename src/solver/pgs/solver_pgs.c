/*
 * solver_pgs.c - projected Gauss-Seidel with over-relaxation, row by row, in body-velocity form (003, eqs.
 * 6-16; 004).
 *
 *   d = (omega / A_ii) (target_i - J_i s - C_i z_i)          z_i <- P(z_i + d)          s <- s + J_i' dz
 *
 * A sweep goes over joints, bounded rows, normals, then friction (004, 5.4); unordered, contact by contact.
 * Friction has its bounds from the present normal impulse. Smoothing makes only the part 1 - epsilon of each
 * change of the rows that are not bilateral; s follows z exactly. After the last sweep friction rows may be
 * swept some more.
 *
 * Rows on one or two blocks lie packed (pgs_pack.c) and go four at a time; others go one by one. The plain
 * kernel gives the same bits. Ends when the root of the mean square of the changes of a sweep, as velocities,
 * is below the tolerance.
 *
 * Converges for symmetric positive definite A and omega below 2 without friction; with it usually. Cost: a
 * sweep is linear in the coefficients. Failure: none but memory.
 */
#include "solver/cone_projection.h"
#include "solver/pgs/pgs_lanes.h"

#include <math.h>

typedef struct Pgs {
    RgProblem *p;
    const RgPgsOptions *o;
    const RgPgsKernel *kernel;
    RgPgsPacked packed;
    _Alignas(64) RgPgsLane sum; /* squares of the present sweep's changes */
    double general_sum;
} Pgs;

/* ------------------------------------------------------------------ rows that are not packed */

/* Whether a row begins with six coefficients on neighbours: a body that moves alone at the root of a robot, often. */
static bool begins_with_six(const int32_t *at, int count)
{
    return count >= 6 && at[5] == at[0] + 5;
}

static double look(const Pgs *g, int i)
{
    const RgProblem *p = g->p;
    const double *J = p->values + p->start[i], *V = g->packed.V;
    const int32_t *at = g->packed.at + p->start[i];
    int count = p->start[i + 1] - p->start[i], e = 0;
    double even = 0.0, odd = 0.0;
    if (begins_with_six(at, count)) {
        const double *six = V + at[0];
        even = (J[0] * six[0] + J[2] * six[2]) + J[4] * six[4];
        odd = (J[1] * six[1] + J[3] * six[3]) + J[5] * six[5];
        e = 6;
    }
    for (; e < count; e++)
        even += J[e] * V[at[e]];
    return (p->target[i] - p->compliance[i] * p->z[i]) - (even + odd);
}

static void push(Pgs *g, int i, double d)
{
    const double *J = g->p->values + g->p->start[i];
    double *V = g->packed.V;
    const int32_t *at = g->packed.at + g->p->start[i];
    int count = g->p->start[i + 1] - g->p->start[i], e = 0;
    if (begins_with_six(at, count)) {
        double *six = V + at[0];
        for (; e < 6; e++)
            six[e] += J[e] * d;
    }
    for (; e < count; e++)
        V[at[e]] += J[e] * d;
}

static void become(Pgs *g, int i, double next, double keep)
{
    RgProblem *p = g->p;
    double d = keep * (next - p->z[i]), change = d * g->packed.steps.diagonal[i];
    p->z[i] += d;
    g->general_sum += change * change;
    push(g, i, d);
}

static void visit_general(Pgs *g, const RgPgsGeneral *at, double keep)
{
    const RgProblem *p = g->p;
    int i = at->row;
    double n = at->normal >= 0 ? p->z[at->normal] : 1.0, low = at->normal >= 0 ? -p->high[i] : p->low[i];
    if (at->cone) {
        double x = p->z[i] + g->packed.steps.per[i] * look(g, i);
        double y = p->z[i + 1] + g->packed.steps.per[i + 1] * look(g, i + 1);
        pair_project(p, i, n, &x, &y);
        become(g, i, x, keep);
        become(g, i + 1, y, keep);
        return;
    }
    double z = p->z[i] + g->packed.steps.per[i] * look(g, i), high = p->high[i];
    z = z < low * n ? low * n : z;
    become(g, i, z > high * n ? high * n : z, keep);
}

static void visit_list(Pgs *g, int list, double keep)
{
    for (int32_t k = g->packed.first_general[list]; k < g->packed.first_general[list + 1]; k++) {
        visit_general(g, &g->packed.general[k], keep);
        k += g->packed.general[k].cone;
    }
}

/* ------------------------------------------------------------------ sweeps */

static void begin(Pgs *g)
{
    for (int32_t j = 0; j < g->packed.first_lanes[RG_PGS_GROUPS]; j++)
        g->kernel->begin(&g->packed.lanes[j], g->packed.V);
    RgProblem *p = g->p;
    for (int32_t k = 0; k < g->packed.first_general[RG_PGS_GROUPS + 1]; k++) {
        int i = g->packed.general[k].row;
        push(g, i, p->z[i]);
    }
}

static void sweep_rows(Pgs *g, int group, double keep)
{
    for (int32_t j = g->packed.first_lanes[group]; j < g->packed.first_lanes[group + 1]; j++)
        g->kernel->rows(&g->packed.lanes[j], keep, g->packed.V, g->sum);
    visit_list(g, group, keep);
}

static void sweep_friction(Pgs *g, double keep)
{
    for (int32_t j = g->packed.first_lanes[RG_PGS_CONTACTS]; j < g->packed.first_lanes[RG_PGS_GROUPS]; j++)
        g->kernel->friction(&g->packed.lanes[j], keep, g->packed.V, g->sum);
    visit_list(g, RG_PGS_GROUPS, keep);
}

static void sweep_ordered(Pgs *g, double keep)
{
    sweep_rows(g, RG_PGS_JOINTS, 1.0);
    sweep_rows(g, RG_PGS_BOUNDED, keep);
    sweep_rows(g, RG_PGS_CONTACTS, keep);
    sweep_friction(g, keep);
}

/* Contact by contact, and joints after them. */
static void sweep_unordered(Pgs *g, double keep)
{
    for (int32_t j = g->packed.first_lanes[RG_PGS_CONTACTS]; j < g->packed.first_lanes[RG_PGS_GROUPS]; j++) {
        g->kernel->rows(&g->packed.lanes[j], keep, g->packed.V, g->sum);
        g->kernel->friction(&g->packed.lanes[j], keep, g->packed.V, g->sum);
    }
    visit_list(g, RG_PGS_CONTACTS, keep);
    visit_list(g, RG_PGS_GROUPS, keep);
    sweep_rows(g, RG_PGS_BOUNDED, keep);
    sweep_rows(g, RG_PGS_JOINTS, 1.0);
}

/* Root of the mean square of the changes since the last call. */
static double take_change(Pgs *g)
{
    double sum = ((g->sum[0] + g->sum[1]) + (g->sum[2] + g->sum[3])) + g->general_sum;
    for (int lane = 0; lane < RG_PGS_LANES; lane++)
        g->sum[lane] = 0.0;
    g->general_sum = 0.0;
    return sqrt(sum / g->p->n);
}

RgStatus rg_pgs_solve(RgArena *arena, RgProblem *p, const RgPgsOptions *o, RgSolveReport *report)
{
    bool plain = o->plain || rg_pgs_kernel_simd.rows == NULL;
    Pgs g = {.p = p, .o = o, .kernel = plain ? &rg_pgs_kernel : &rg_pgs_kernel_simd};
    *report = (RgSolveReport){.residual = {.worst = -1}, .converged = p->n == 0};
    rg_arena_reset(arena);
    if (p->n == 0)
        return RG_OK;
    if (!rg_pgs_pack(arena, p, o, &g.packed))
        return RG_ERR_MEMORY;
    begin(&g);
    double keep = 1.0 - o->smoothing;
    while (report->iterations < o->iterations && !report->converged) {
        if (o->ordered)
            sweep_ordered(&g, keep);
        else
            sweep_unordered(&g, keep);
        report->iterations++;
        report->change = take_change(&g);
        report->converged = o->tolerance > 0.0 && report->change <= o->tolerance;
    }
    report->outcome = report->converged ? RG_SOLVE_SOLVED : RG_SOLVE_ITERATIONS;
    for (int k = 0; k < o->friction_sweeps; k++)
        sweep_friction(&g, keep);
    rg_pgs_unpack(&g.packed, p);
    report->not_in_sweeps = g.packed.steps.not_in_sweeps;
    if (!p->unjudged)
        report->residual = rg_problem_residual(p, g.packed.steps.response, p->rate);
    return RG_OK;
}
