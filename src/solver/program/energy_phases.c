/*
 * energy_phases.c - contact in two phases (paper 003, section 4.1), with complementarity kept in both:
 *
 *   1. without friction: min 1/2 z'Az + z'q over the bounds, by principal pivoting (dantzig.h), to a residual of 1e-11
 *   of the
 *      largest velocity that the rows miss.
 *   2. min E(z) subject to friction in its cone, motors within their bounds, and for rows that push (contacts, limits)
 *
 *        0 <= w,  low <= z,  w (z - low) = 0          w = 0: the gap closes as far as its law says
 *
 * Paper 003 prints phase 2 without the product. With it left out an impulse may act across a gap that stays open: it
 * costs energy in a motor and buys friction, so that fingers hold a box from a distance. The product makes the set a
 * union of convex pieces: every row that pushes either closes (w = 0) or is open (z = low, no friction). Phase 2 goes
 * from piece to piece (Luo, Pang and Ralph 1996, chapter 6):
 *
 *   first      rows that close in phase 1, whose answer lies in this piece
 *   then       a row that closes, has no impulse, and whose w would rise (multiplier of w = 0 below 0) becomes open;
 *              a row that is open and is kept by w >= 0 becomes one that closes
 *   until      no row changes, or E does not fall
 *
 * E falls from piece to piece, so none comes twice and the way is finite; MOST_PIECES bounds it. The end is a minimum
 * of its piece and of those that neighbour rows open to, not always of all pieces. Each piece is one program over cones
 * (cone_program.h).
 *
 * w = 0 has no inside: it is a band of twice ROOM, and phase 1 aims at its middle. What phase 2 gains is exact to that.
 * An end of the first piece after any number of iterations has kept the constraints and only removed less energy; after
 * none the answer is phase 1's.
 *
 * Failure: where phase 1 has no solution the outcome is INFEASIBLE, its answer that of phase 1. Where a program gets
 * stuck in round-off and no count was asked for, it is tried from anywhere. Cost: (n^3 + m n^2) / 3 an iteration, n
 * rows that close and their friction.
 */
#include "solver/program/energy_phases.h"

#include "solver/pivot/dantzig.h"
#include "solver/program/energy_program.h"

#include <math.h>
#include <string.h>

#define ROOM 1e-7            /* of the velocity scale */
#define CLOSES 1.25          /* of ROOM: w of phase 1 below which a row closes; above 1 + its tolerance, below 1.5 */
#define PHASE_1_SOLVED 1e-11 /* of the velocity scale */
#define PHASE_2_SOLVED 1e-8  /* smallest tolerance of its gap and gradient, relative: below ROOM is enough */
#define DEFAULT_ITERATIONS 100
#define MOST_PIECES 20
#define FALLS 1e-9      /* of |E|: less is round-off of a program solved to 1e-8 */
#define MULTIPLIER 1e-6 /* in units of the impulse scale: above what 1e-8 of gap leaves undecided */

/* Phase 2 of one island. */
typedef struct Search {
    RgArena *arena;
    const RgEnergyProblem *e;
    const RgProblem *p;
    const RgExactOptions *options;
    RgEnergyShape shape;
    bool *open, *next; /* n: the piece, and the one after it */
    double *z;         /* n: the best so far */
    double *trial;     /* n */
    int iterations;
    double dual;
} Search;

static bool is_friction(const RgProblem *p, int row)
{
    return p->row_class[row] == RG_ROW_FRICTION || p->row_class[row] == RG_ROW_BOX;
}

/* w of a row that pushes, towards its inside. */
static double opening(const RgEnergyProblem *e, int i, const double *z)
{
    return (e->high[i] == INFINITY ? 1.0 : -1.0) * rg_energy_velocity(e, i, z);
}

/* ------------------------------------------------------------------ phase 1 */

/* From z: friction rows have no impulse, rows that push aim further by room, one way or the other. */
static RgStatus leave_friction_out(RgArena *arena, const RgEnergyProblem *e, const RgProblem *p, double room, double *z,
                                   RgDantzigReport *report)
{
    double tolerance = room > 0.0 ? 0.1 * room : PHASE_1_SOLVED * e->velocity, largest = 0.0;
    RgDenseLcp lcp = {.n = e->n, .M = e->A, .z = z, .symmetric = true};
    double **const parts[] = {&lcp.q, &lcp.low, &lcp.high, &lcp.w};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        *parts[k] = RG_TAKE(arena, double, e->n);
    if (arena->failed)
        return RG_ERR_MEMORY;
    for (int i = 0; i < e->n; i++) {
        bool friction = is_friction(p, e->row[i]);
        lcp.low[i] = friction ? 0.0 : e->low[i];
        lcp.high[i] = friction ? 0.0 : e->high[i];
        lcp.q[i] = e->q[i];
        if (rg_energy_pushes(e, i))
            lcp.q[i] -= e->high[i] == INFINITY ? room : -room;
        largest = fmax(largest, fabs(lcp.q[i]));
    }
    RgExactOptions options = rg_exact_options_default();
    options.tolerance = largest > 0.0 ? tolerance / largest : 1.0;
    return rg_dantzig_solve(arena, &lcp, &options, report);
}

/* ------------------------------------------------------------------ phase 2 */

/* z off all bounds by a little that costs less than half of ROOM in any velocity; returns that little. */
static double step_inside(const RgEnergyProblem *e, const bool *open, double *z)
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
        if (e->normal[i] < 0 && !open[i])
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

/* Whether friction acts where something closes. */
static bool has_friction(const Search *s)
{
    const RgEnergyProblem *e = s->e;
    for (int i = 0; i < e->n; i++)
        if (is_friction(s->p, e->row[i]) && (e->owner[i] < 0 || !s->open[e->owner[i]]))
            return true;
    return false;
}

/* The next piece by the solution of this one; false: it is the same. */
static bool choose_next(Search *s, const RgConeProgram *q, const RgEnergyPlaces *at)
{
    bool other = false;
    memcpy(s->next, s->open, (size_t)s->e->n * sizeof *s->open);
    for (int i = 0; i < s->e->n; i++) {
        int below = at->below[i], above = at->above[i], low = at->at_low[i];
        if (below < 0)
            continue;
        if (s->open[i]) {
            s->next[i] = !(q->z[below] > fmax(q->s[below], MULTIPLIER));
        } else if (low >= 0) {
            double rises = q->z[above] - q->z[below];
            s->next[i] = q->z[low] > fmax(q->s[low], MULTIPLIER) && rises > MULTIPLIER;
        }
        other = other || s->next[i] != s->open[i];
    }
    return other;
}

/* One piece from s->trial inside it, or (inside false) from anywhere. *better: E has fallen, s->z is the new point.
   *on: there is another piece to be tried. */
static RgStatus solve_piece(Search *s, bool inside, RgConeOutcome *outcome, bool *better, bool *on)
{
    const RgEnergyProblem *e = s->e;
    RgConeProgram program;
    RgEnergyPlaces at;
    RgConeProgramReport report = {0};
    int limit = s->options->max_iterations;
    RgConeProgramOptions options = {.tolerance = fmax(s->options->tolerance, PHASE_2_SOLVED),
                                    .max_iterations = limit > 0 ? limit - s->iterations : DEFAULT_ITERATIONS};
    s->shape.open = s->open;
    if (!rg_energy_program_make(s->arena, e, s->p, &s->shape, &program, &at))
        return RG_ERR_MEMORY;
    RgConeWork *work = rg_cone_work_take(s->arena, program.n, program.m);
    if (work == NULL)
        return RG_ERR_MEMORY;
    for (int i = 0; i < e->n; i++)
        if (at.column[i] >= 0)
            program.x[at.column[i]] = s->trial[i] / e->impulse;
    RgStatus status = RG_ERR_ARGUMENT;
    if (inside)
        status = rg_cone_program_descend(work, &program, &options, &report);
    if (!inside || (limit == 0 && (status != RG_OK || report.outcome != RG_CONE_SOLVED)))
        status = rg_cone_program_solve(work, &program, &options, &report);
    *outcome = status == RG_OK ? report.outcome : RG_CONE_ITERATIONS;
    *better = *on = false;
    s->iterations += report.iterations;
    if (status != RG_OK || (!inside && report.outcome != RG_CONE_SOLVED))
        return status == RG_ERR_MEMORY ? status : RG_OK;
    for (int i = 0; i < e->n; i++)
        s->trial[i] = at.column[i] >= 0 ? program.x[at.column[i]] * e->impulse : at.fixed[i];
    double least = rg_energy_of(e, s->z), found = rg_energy_of(e, s->trial);
    *better = found < least - (inside ? 0.0 : FALLS * fabs(least));
    *on = choose_next(s, &program, &at) && report.outcome == RG_CONE_SOLVED;
    if (*better) {
        memcpy(s->z, s->trial, (size_t)e->n * sizeof *s->z);
        s->dual = report.dual;
    }
    return RG_OK;
}

/* From piece to piece. */
static RgStatus descend(Search *s, RgSolveOutcome *outcome)
{
    RgConeOutcome ended;
    bool better, on;
    RgStatus status = solve_piece(s, true, &ended, &better, &on);
    *outcome = status == RG_OK && ended == RG_CONE_SOLVED ? RG_SOLVE_SOLVED : RG_SOLVE_ITERATIONS;
    for (int k = 1; status == RG_OK && on && *outcome == RG_SOLVE_SOLVED; k++) {
        bool out = s->options->max_iterations > 0 && s->iterations >= s->options->max_iterations;
        if (out || k == MOST_PIECES) {
            *outcome = RG_SOLVE_ITERATIONS;
            break;
        }
        bool *piece = s->open;
        s->open = s->next;
        s->next = piece;
        RgArenaMark mark = rg_arena_mark(s->arena);
        status = solve_piece(s, false, &ended, &better, &on);
        rg_arena_rewind(s->arena, mark);
        on = on && better;
    }
    return status;
}

/* From phase 1's z to the end. */
static RgStatus add_friction(Search *s, const RgEnergyLaw *law, RgSolveOutcome *outcome)
{
    const RgEnergyProblem *e = s->e;
    RgDantzigReport first;
    s->trial = RG_TAKE(s->arena, double, e->n);
    s->open = RG_TAKE(s->arena, bool, e->n);
    s->next = RG_TAKE(s->arena, bool, e->n);
    if (s->arena->failed)
        return RG_ERR_MEMORY;
    memcpy(s->trial, s->z, (size_t)e->n * sizeof *s->z);
    if (leave_friction_out(s->arena, e, s->p, ROOM * e->velocity, s->trial, &first) != RG_OK)
        return RG_ERR_MEMORY;
    for (int i = 0; i < e->n; i++)
        s->open[i] = rg_energy_pushes(e, i) && !(opening(e, i, s->trial) < CLOSES * ROOM * e->velocity);
    if (!has_friction(s))
        return RG_OK;
    double little = step_inside(e, s->open, s->trial);
    double sum = fmax(sum_normals(e, s->p, s->trial), sum_normals(e, s->p, s->z));
    s->shape =
        (RgEnergyShape){.edges = law->edges,
                        .bounded = law->bounded,
                        .largest = fmax(s->options->kappa, 1.0) * sum + s->options->kappa_slack + 2.0 * e->n * little,
                        .band = 2.0 * ROOM * e->velocity};
    return descend(s, outcome);
}

RgStatus rg_energy_phases(RgArena *arena, RgProblem *p, const int *rows, int n, const RgEnergyLaw *law,
                          RgIslandReport *report)
{
    RgEnergyProblem e;
    RgDantzigReport first;
    double *z = RG_TAKE(arena, double, n);
    if (z == NULL || !rg_energy_problem_make(arena, p, rows, n, &e))
        return RG_ERR_MEMORY;
    *report = (RgIslandReport){.outcome = RG_SOLVE_SINGULAR};
    for (int i = 0; i < n; i++)
        p->z[rows == NULL ? i : rows[i]] = 0.0;
    if (!isfinite(e.velocity) || !isfinite(e.impulse))
        return RG_OK;
    if (leave_friction_out(arena, &e, p, 0.0, z, &first) != RG_OK)
        return RG_ERR_MEMORY;
    *report = (RgIslandReport){first.outcome, first.pivots, first.residual.natural};
    if (report->outcome == RG_SOLVE_SOLVED) {
        Search search = {.arena = arena, .e = &e, .p = p, .options = law->options, .z = z};
        RgStatus status = add_friction(&search, law, &report->outcome);
        if (status != RG_OK)
            return status;
        report->pivots += search.iterations;
        report->own = fmax(report->own, search.dual * e.velocity);
    }
    rg_energy_problem_give(&e, z, law->edges == 0, p);
    return RG_OK;
}
