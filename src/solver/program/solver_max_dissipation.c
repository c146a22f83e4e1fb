/*
 * solver_max_dissipation.c - paper 003, section 4.1: contact in two convex phases, with the true friction cone.
 *
 *   1. without friction: min 1/2 z'Az + z'q over the bounds, by gradient projection. Stops at a residual of 1e-11 of the
 *      largest velocity that the rows miss, or after 200 + 10 n iterations.
 *   2. min E(z)  subject to  N s >= n_c, limits likewise, motors within their bounds, friction in its cone,
 *      1'z_n <= kappa 1'z_n(phase 1) + kappa_slack
 *      by an interior-point method that begins inside and goes down at every step (cone_program.h).
 *
 * An end after any number of iterations has kept the constraints and only removed less energy; after none the
 * answer is phase 1's.
 *
 * With kappa = 1 the set has next to no inside (a box on a plane needs just the sum that phase 1 has). So phase 1 aims at
 * velocities larger by ROOM, which leaves room on both sides; what phase 2 gains is exact to that.
 *
 * Where gradient projection does not end phase 1, an interior-point method tries, which proves what has no solution:
 * outcome INFEASIBLE. Where phase 2 gets stuck in round-off and no count was asked for, it is tried from anywhere.
 *
 * This is not Coulomb's law: normal impulses are shared out so that friction takes as much energy as it can.
 * Cost: (n^3 + m n^2) / 3 an iteration and island.
 */
#include "solver/pivot/pivot_rows.h"
#include "solver/program/energy_program.h"
#include "solver/program/gradient_projection.h"

#include <math.h>
#include <string.h>

#define ROOM 1e-7            /* of the velocity scale */
#define PHASE_1_SOLVED 1e-11 /* likewise */
#define PHASE_2_SOLVED 1e-8  /* smallest tolerance of its gap and gradient, relative: below ROOM is enough */
#define DEFAULT_ITERATIONS 100

/* Bounds of phase 1: friction rows have none of their own to use. */
static bool begin_box(RgArena *arena, const RgEnergyProblem *e, const RgProblem *p, double *q,
                      RgBoxProgram *box)
{
    double *low = RG_TAKE(arena, double, e->n), *high = RG_TAKE(arena, double, e->n);
    *box = (RgBoxProgram){
        .n = e->n, .A = e->A, .q = q, .low = low, .high = high, .z = RG_TAKE(arena, double, e->n)};
    if (arena->failed)
        return false;
    for (int i = 0; i < e->n; i++) {
        bool friction = p->row_class[e->row[i]] == RG_ROW_FRICTION || p->row_class[e->row[i]] == RG_ROW_BOX;
        low[i] = friction ? 0.0 : e->low[i];
        high[i] = friction ? 0.0 : e->high[i];
        q[i] = e->q[i];
    }
    return true;
}

/* Rows that push aim further by ROOM, one way or the other. */
static void aim_further(const RgEnergyProblem *e, double *q)
{
    for (int i = 0; i < e->n; i++)
        if (rg_energy_pushes(e, i))
            q[i] -= (e->high[i] == INFINITY ? ROOM : -ROOM) * e->velocity;
}

/* z off all bounds by a little that costs less than half of ROOM in any velocity; returns that little. */
static double step_inside(const RgEnergyProblem *e, double *z)
{
    double most = 0.0;
    for (int i = 0; i < e->n; i++) {
        double sum = 0.0;
        for (int j = 0; j < e->n; j++)
            sum += fabs(e->A[(size_t)i * (size_t)e->n + (size_t)j]);
        most = fmax(most, sum);
    }
    double little = 0.5 * ROOM * e->velocity / most;
    for (int i = 0; i < e->n; i++) {
        double width = e->high[i] - e->low[i], own = fmin(little, 0.25 * width);
        if (e->normal[i] < 0)
            z[i] = fmin(fmax(z[i], e->low[i] + own), e->high[i] - own);
    }
    return little;
}

static double sum_normals(const RgEnergyProblem *e, const RgProblem *p, const double *z)
{
    double sum = 0.0;
    for (int i = 0; i < e->n; i++)
        sum += p->row_class[e->row[i]] == RG_ROW_NORMAL ? z[i] : 0.0;
    return sum;
}

static bool has_friction(const RgEnergyProblem *e, const RgProblem *p)
{
    for (int i = 0; i < e->n; i++)
        if (e->normal[i] >= 0 || p->row_class[e->row[i]] == RG_ROW_BOX)
            return true;
    return false;
}

/* Phase 1 once more, as a program over cones: it either solves it or proves that its energy has no lower end, which is
   so where no velocities are allowed. */
static bool ask_again(RgArena *arena, const RgEnergyProblem *e, const RgBoxProgram *box,
                      RgSolveOutcome *outcome)
{
    size_t n = 0, l = 0, all = (size_t)e->n;
    size_t *at = RG_TAKE(arena, size_t, e->n);
    double *H = RG_TAKE(arena, double, all *all), *c = RG_TAKE(arena, double, all),
           *x = RG_TAKE(arena, double, all);
    double *G = RG_TAKE(arena, double, 2 * all * all), *h = RG_TAKE(arena, double, 2 * all);
    double *s = RG_TAKE(arena, double, 2 * all), *z = RG_TAKE(arena, double, 2 * all);
    RgConeWork *work = rg_cone_work_take(arena, e->n, 2 * e->n);
    if (arena->failed || work == NULL)
        return false;
    for (size_t i = 0; i < all; i++)
        if (box->low[i] < box->high[i])
            at[n++] = i;
    for (size_t i = 0; i < n; i++) {
        double low = box->low[at[i]], high = box->high[at[i]];
        c[i] = e->q[at[i]] / e->velocity;
        for (size_t j = 0; j < n; j++)
            H[i * n + j] = e->A[at[i] * all + at[j]] * e->impulse / e->velocity;
        for (int side = 0; side < 2; side++)
            if (isfinite(side == 0 ? low : high)) {
                G[l * n + i] = side == 0 ? -1.0 : 1.0;
                h[l++] = (side == 0 ? -low : high) / e->impulse;
            }
    }
    RgConeProgram q = {
        .n = (int)n, .m = (int)l, .l = (int)l, .H = H, .c = c, .G = G, .h = h, .x = x, .s = s, .z = z};
    RgConeProgramOptions options = {.tolerance = 1e-10, .max_iterations = DEFAULT_ITERATIONS};
    RgConeProgramReport report;
    if (rg_cone_program_solve(work, &q, &options, &report) != RG_OK)
        return true;
    *outcome = report.outcome == RG_CONE_SOLVED      ? RG_SOLVE_SOLVED
               : report.outcome == RG_CONE_UNBOUNDED ? RG_SOLVE_INFEASIBLE
                                                     : RG_SOLVE_ITERATIONS;
    for (size_t i = 0; i < n; i++) {
        double found = *outcome == RG_SOLVE_INFEASIBLE ? 0.0 : x[i] * e->impulse;
        box->z[at[i]] = fmin(fmax(found, box->low[at[i]]), box->high[at[i]]);
    }
    return true;
}

/* From z inside to the end; z takes the better of that and what it was. */
static RgStatus add_friction(RgArena *arena, const RgEnergyProblem *e, const RgProblem *p,
                             const RgExactOptions *o, double *z, RgConeProgramReport *report)
{
    double *inside = RG_TAKE(arena, double, e->n);
    if (inside == NULL)
        return RG_ERR_MEMORY;
    memcpy(inside, z, (size_t)e->n * sizeof *z);
    RgBoxProgram box;
    RgBoxReport first;
    double *q = RG_TAKE(arena, double, e->n);
    if (q == NULL || !begin_box(arena, e, p, q, &box))
        return RG_ERR_MEMORY;
    box.z = inside;
    aim_further(e, q);
    if (!rg_gradient_projection(arena, &box, 0.1 * ROOM * e->velocity, 200 + 10 * e->n, &first))
        return RG_ERR_MEMORY;
    double little = step_inside(e, inside), sum = fmax(sum_normals(e, p, inside), sum_normals(e, p, z));
    RgEnergyShape shape = {.bounded = true,
                           .largest = fmax(o->kappa, 1.0) * sum + o->kappa_slack + 2.0 * e->n * little};
    RgConeProgram program;
    if (!rg_energy_program_make(arena, e, p, &shape, &program))
        return RG_ERR_MEMORY;
    RgConeWork *work = rg_cone_work_take(arena, program.n, program.m);
    if (work == NULL)
        return RG_ERR_MEMORY;
    for (int i = 0; i < e->n; i++)
        program.x[i] = inside[i] / e->impulse;
    RgConeProgramOptions options = {.tolerance = fmax(o->tolerance, PHASE_2_SOLVED),
                                    .max_iterations =
                                        o->max_iterations > 0 ? o->max_iterations : DEFAULT_ITERATIONS};
    RgStatus status = rg_cone_program_descend(work, &program, &options, report);
    if (o->max_iterations == 0 && (status != RG_OK || report->outcome != RG_CONE_SOLVED))
        status = rg_cone_program_solve(work, &program, &options, report); /* from anywhere */
    if (status != RG_OK)
        return status;
    for (int i = 0; i < e->n; i++)
        inside[i] = program.x[i] * e->impulse;
    if (rg_energy_of(e, inside) < rg_energy_of(e, z))
        memcpy(z, inside, (size_t)e->n * sizeof *z);
    return RG_OK;
}

static RgStatus solve_island(RgArena *arena, RgProblem *p, const int *rows, int n, const RgExactOptions *o,
                             RgIslandReport *report)
{
    RgEnergyProblem e;
    RgBoxProgram box;
    RgBoxReport first = {0};
    double *q = RG_TAKE(arena, double, n);
    if (q == NULL || !rg_energy_problem_make(arena, p, rows, n, &e))
        return RG_ERR_MEMORY;
    *report = (RgIslandReport){.outcome = RG_SOLVE_SINGULAR};
    for (int i = 0; i < n; i++)
        p->z[rows == NULL ? i : rows[i]] = 0.0;
    if (!isfinite(e.velocity) || !isfinite(e.impulse))
        return RG_OK;
    if (!begin_box(arena, &e, p, q, &box) ||
        !rg_gradient_projection(arena, &box, PHASE_1_SOLVED * e.velocity, 200 + 10 * e.n, &first))
        return RG_ERR_MEMORY;
    *report = (RgIslandReport){.pivots = first.iterations, .own = first.residual};
    if (!first.solved && !ask_again(arena, &e, &box, &report->outcome))
        return RG_ERR_MEMORY;
    if (report->outcome == RG_SOLVE_SOLVED && has_friction(&e, p)) {
        RgConeProgramReport second = {0};
        RgStatus status = add_friction(arena, &e, p, o, box.z, &second);
        if (status == RG_ERR_MEMORY)
            return status;
        bool solved = status == RG_OK && second.outcome == RG_CONE_SOLVED;
        report->pivots += second.iterations;
        report->own = fmax(report->own, second.dual * e.velocity);
        report->outcome = solved ? RG_SOLVE_SOLVED : RG_SOLVE_ITERATIONS;
    }
    rg_energy_problem_give(&e, box.z, true, p);
    return RG_OK;
}

static RgStatus solve_rows(RgArena *arena, RgProblem *p, const RgRowOptions *options, RgSolveReport *report)
{
    return rg_pivot_islands(arena, p, options, solve_island, report);
}

const RgSolver rg_solver_max_dissipation = {
    .name = "max-dissipation",
    .summary = "frictionless contact, then least kinetic energy over the true cones (paper 003)",
    .solve_rows = solve_rows,
    .exact = true};
