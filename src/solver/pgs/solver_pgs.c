/*
 * solver_pgs.c - projected Gauss-Seidel with over-relaxation, row by row, in body-velocity form (003, eqs. 6-16; 004).
 *
 *   d = (omega / A_ii) (target_i - J_i s - C_i z_i)          z_i <- P(z_i + d)          s <- s + J_i' dz
 *
 * A sweep visits joints, bounded rows, normals, then friction (004, 5.4), or the order given by RgPgsOrder. Friction is
 * bounded by the current normal impulse. Smoothing makes only the part 1 - epsilon of each change of rows that are not
 * bilateral; s remains consistent with z. After the last sweep, friction rows may be swept further. Other kinds of
 * smoothing and the order of ODE go row by row (pgs_in_order.c).
 *
 * Rows on one or two blocks are packed (pgs_pack.c) and visited four at a time; others one by one. The scalar and
 * vector kernels, and any number of threads (pgs_parallel.c), give bitwise identical results. Ends when the root mean
 * square of the changes of a sweep, as velocities, is below the tolerance.
 *
 * Converges for symmetric positive definite A and omega below 2 without friction; with friction usually. Cost: a sweep
 * is linear in the coefficients. Failure: only lack of memory.
 */
#include "solver/cone_projection.h"
#include "solver/pgs/pgs_in_order.h"
#include "solver/pgs/pgs_sweeps.h"

#include <math.h>

/* ------------------------------------------------------------------ rows that are not packed */

/* Whether a row starts with six consecutive unknowns, as for a free base of a robot. */
static bool begins_with_six(const int32_t *at, int count)
{
    return count >= 6 && at[5] == at[0] + 5;
}

static double velocity_error(const RgPgsSweeps *g, int i)
{
    const RgProblem *p = &g->packed.scaled;
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

static void push(RgPgsSweeps *g, int i, double d)
{
    const RgProblem *p = &g->packed.scaled;
    const double *J = p->values + p->start[i];
    double *V = g->packed.V;
    const int32_t *at = g->packed.at + p->start[i];
    int count = p->start[i + 1] - p->start[i], e = 0;
    if (begins_with_six(at, count)) {
        double *six = V + at[0];
        for (; e < 6; e++)
            six[e] += J[e] * d;
    }
    for (; e < count; e++)
        V[at[e]] += J[e] * d;
}

/* Moves the impulse of the row towards next by the part keep. Returns the squared change. */
static double set_impulse(RgPgsSweeps *g, int i, double next, double keep)
{
    RgProblem *p = g->p;
    double d = keep * (next - p->z[i]), change = d * g->packed.steps.diagonal[i];
    p->z[i] += d;
    push(g, i, d);
    return change * change;
}

static double visit_unpacked_row(RgPgsSweeps *g, const RgPgsGeneral *at, double keep)
{
    const RgProblem *p = g->p;
    int i = at->row;
    double n = at->normal >= 0 ? p->z[at->normal] : 1.0, low = at->normal >= 0 ? -p->high[i] : p->low[i];
    if (at->cone) {
        double x = p->z[i] + g->packed.steps.per[i] * velocity_error(g, i);
        double y = p->z[i + 1] + g->packed.steps.per[i + 1] * velocity_error(g, i + 1);
        pair_project(p, i, n, &x, &y);
        double square = set_impulse(g, i, x, keep);
        return square + set_impulse(g, i + 1, y, keep);
    }
    double z = p->z[i] + g->packed.steps.per[i] * velocity_error(g, i), high = p->high[i];
    z = z < low * n ? low * n : z;
    return set_impulse(g, i, z > high * n ? high * n : z, keep);
}

static void visit_list(RgPgsSweeps *g, int list, double keep, RgPgsPhase phase)
{
    const RgPgsPacked *packed = &g->packed;
    double sum = 0.0;
    for (int32_t k = packed->first_general[list]; k < packed->first_general[list + 1]; k++) {
        const RgPgsGeneral *at = &packed->general[k];
        if (phase == RG_PGS_PHASE_WARM_START) {
            push(g, at->row, g->p->z[at->row]);
            continue;
        }
        sum += visit_unpacked_row(g, at, keep);
        k += at->cone;
    }
    if (phase == RG_PGS_PHASE_ALL)
        g->general_sum[list] = sum;
}

static bool visits_friction(const RgPgsStage *stage)
{
    return stage->group == RG_PGS_CONTACTS && stage->act != RG_PGS_ACT_ROWS;
}

void rg_pgs_visit_generals(RgPgsSweeps *g, const RgPgsStage *stage, RgPgsPhase phase)
{
    if (stage->act != RG_PGS_ACT_FRICTION && phase != RG_PGS_PHASE_FRICTION)
        visit_list(g, stage->group, stage->keep, phase);
    if (visits_friction(stage))
        visit_list(g, RG_PGS_GROUPS, stage->keep, phase);
}

bool rg_pgs_has_generals(const RgPgsPacked *packed, const RgPgsStage *stage)
{
    const int32_t *first = packed->first_general, group = stage->group;
    return (stage->act != RG_PGS_ACT_FRICTION && first[group] < first[group + 1]) ||
           (visits_friction(stage) && first[RG_PGS_GROUPS] < first[RG_PGS_GROUPS + 1]);
}

/* ------------------------------------------------------------------ sweeps */

double rg_pgs_change(RgPgsSweeps *g)
{
    const RgPgsPacked *packed = &g->packed;
    double *squares = packed->squares, sum = 0.0;
    for (int32_t i = 0; i < packed->nbundles; i++)
        squares[i] = 0.0;
    for (int32_t j = 0; j < packed->first_lanes[RG_PGS_GROUPS]; j++)
        for (int lane = 0; lane < packed->lanes[j].lanes; lane++)
            squares[packed->lanes[j].bundle[lane]] = packed->lanes[j].sum[lane];
    for (int32_t i = 0; i < packed->nbundles; i++)
        sum += squares[i];
    for (int list = 0; list <= RG_PGS_GROUPS; list++)
        sum += g->general_sum[list];
    return sqrt(sum / g->p->n);
}

static void sweep(RgPgsSweeps *g, const RgPgsSchedule *schedule, RgPgsPhase phase)
{
    RgPgsPacked *packed = &g->packed;
    for (int k = 0; k < schedule->nstages; k++) {
        const RgPgsStage *stage = &schedule->stages[k];
        for (int32_t j = packed->first_lanes[stage->group]; j < packed->first_lanes[stage->group + 1]; j++)
            rg_pgs_visit(g, stage, phase, &packed->lanes[j]);
        rg_pgs_visit_generals(g, stage, phase);
    }
    rg_pgs_average(&packed->cells, packed->V, 0, packed->cells.nshared);
}

/* All sweeps by one thread. Returns the number of sweeps over all rows. */
static int sweep_single_threaded(RgPgsSweeps *g, const RgPgsSchedule *schedule)
{
    const RgPgsOptions *o = g->o;
    int sweeps = 0;
    bool converged = false;
    for (int list = 0; list < g->packed.lists; list++)
        rg_pgs_fill_list(&g->packed, list);
    sweep(g, schedule, RG_PGS_PHASE_WARM_START);
    for (; sweeps < o->iterations && !converged; sweeps++) {
        sweep(g, schedule, RG_PGS_PHASE_ALL);
        converged = o->tolerance > 0.0 && rg_pgs_change(g) <= o->tolerance;
    }
    for (int k = 0; k < o->friction_sweeps; k++)
        sweep(g, schedule, RG_PGS_PHASE_FRICTION);
    for (int list = 0; list < g->packed.lists; list++)
        rg_pgs_unpack_list(&g->packed, list, g->p);
    return sweeps;
}

static void sweep_all(RgArena *arena, RgPgsSweeps *g, RgSolveReport *report)
{
    const RgPgsOptions *o = g->o;
    double keep = 1.0 - o->smoothing;
    const RgPgsStage joints = {RG_PGS_JOINTS, RG_PGS_ACT_ROWS, 1.0};
    const RgPgsStage bounded = {RG_PGS_BOUNDED, RG_PGS_ACT_ROWS, keep};
    const RgPgsStage contacts = {RG_PGS_CONTACTS, RG_PGS_ACT_BOTH, keep};
    const RgPgsStage normals = {RG_PGS_CONTACTS, RG_PGS_ACT_ROWS, keep};
    const RgPgsStage friction = {RG_PGS_CONTACTS, RG_PGS_ACT_FRICTION, keep};
    const RgPgsStage normals_first[] = {joints, bounded, normals, friction};
    const RgPgsStage by_contact[] = {joints, bounded, contacts};
    const RgPgsStage joints_last[] = {contacts, bounded, joints};
    const RgPgsSchedule schedule = o->order == RG_PGS_JOINTS_LAST  ? (RgPgsSchedule){joints_last, 3}
                                   : o->order == RG_PGS_BY_CONTACT ? (RgPgsSchedule){by_contact, 3}
                                                                   : (RgPgsSchedule){normals_first, 4};
    RgPgsShares shares = {1.0, 1.0};
    int sweeps = g->packed.lists > 1 ? rg_pgs_sweep_parallel(arena, g, &schedule, &shares) : -1;
    report->iterations = sweeps >= 0 ? sweeps : sweep_single_threaded(g, &schedule);
    report->change = report->iterations > 0 ? rg_pgs_change(g) : 0.0;
    report->converged = report->iterations > 0 && o->tolerance > 0.0 && report->change <= o->tolerance;
    report->outcome = report->converged ? RG_SOLVE_SOLVED : RG_SOLVE_ITERATIONS;
    report->share = shares.largest;
    report->path = shares.path;
}

RgStatus rg_pgs_solve_chunks(RgArena *arena, RgProblem *p, const RgPgsOptions *o, int chunks, RgSolveReport *report)
{
    bool plain = o->plain || rg_pgs_kernel_simd.rows == NULL;
    RgPgsSweeps g = {.p = p, .o = o, .kernel = plain ? &rg_pgs_kernel : &rg_pgs_kernel_simd};
    *report = (RgSolveReport){.residual = {.worst = -1}, .converged = p->n == 0};
    rg_arena_reset(arena);
    if (p->n == 0)
        return RG_OK;
    if (!rg_pgs_pack(arena, p, o, chunks, &g.packed))
        return RG_ERR_MEMORY;
    sweep_all(arena, &g, report);
    rg_pgs_unpack_velocities(&g.packed, p->s);
    for (int list = 0; list < g.packed.lists; list++)
        report->not_in_sweeps += g.packed.refused[list];
    if (!p->skip_residual)
        report->residual = rg_problem_residual(p, chunks == 1 ? g.packed.steps.response : NULL, p->rate);
    return RG_OK;
}

RgStatus rg_pgs_solve(RgArena *arena, RgProblem *problem, const RgPgsOptions *options, RgSolveReport *report)
{
    if (rg_pgs_needs_row_order(options))
        return rg_pgs_in_order_solve(arena, problem, options, report);
    return rg_pgs_solve_chunks(arena, problem, options, 1, report);
}
