/*
 * energy_phases.c - contact in two phases (paper 003, section 4.1), with complementarity kept in both:
 *
 *   1. without friction: min 1/2 z'Az + z'q over the bounds, by principal pivoting (dantzig.h), to a residual of
 *      PHASE_1_TOLERANCE times the largest velocity by which rows miss their targets.
 *   2. min E(z) subject to friction in its cone, motors within their bounds, and for unilateral rows (contacts, limits)
 *
 *        0 <= w,  low <= z,  w (z - low) = 0          w = 0: the gap closes as far as its law requires
 *
 * Paper 003 prints phase 2 without the product. Without it an impulse may act across a gap that stays open: it costs
 * energy in a motor and increases friction, so that fingers hold a box from a distance. The product makes the feasible
 * set a union of convex pieces: every unilateral row either closes (w = 0) or is open (z = low, no friction). Phase 2
 * moves from piece to piece (Luo, Pang and Ralph 1996, chapter 6):
 *
 *   first      the rows that close in phase 1, whose solution lies in this piece
 *   then       a closed row with no impulse whose w would rise (multiplier of w = 0 below 0) becomes open;
 *              an open row whose constraint w >= 0 is active becomes closed
 *   until      no row changes, or E does not fall
 *
 * E falls from piece to piece, so no piece is visited twice and the search is finite; MAX_PIECES bounds it. The result
 * is a minimum over its piece and the neighbouring pieces, not always over all pieces. Each piece is one program over
 * cones (cone_program.h).
 *
 * w = 0 has no interior: it is replaced by a band of width 2 BAND, and phase 1 aims at its middle. The result of phase
 * 2 is exact up to this band. The first piece may be stopped after any number of iterations: the point satisfies the
 * constraints, with an energy no higher than that of phase 1. After no iteration the result is that of phase 1.
 *
 * Failure: if phase 1 has no solution, the outcome is INFEASIBLE with its result. If a program stops by round-off and
 * no iteration limit is set, the general method (rg_cone_program_solve) is tried. Cost: (n^3 + m n^2) / 3 per
 * iteration, n rows that close and their friction.
 */
#include "solver/program/energy_phases.h"

#include "solver/pivot/dantzig.h"
#include "solver/program/energy_program.h"

#include <math.h>
#include <string.h>

/* Half width of the band that replaces w = 0, relative to the velocity scale. */
#define BAND 1e-7
/* A row closes if its w of phase 1 is below this multiple of BAND: above 1 + the tolerance of phase 1, below 1.5. */
#define CLOSING_LIMIT 1.25
/* Residual of phase 1, relative to the velocity scale. */
#define PHASE_1_TOLERANCE 1e-11
/* Smallest tolerance of gap and gradient of phase 2, relative: less than BAND is enough. */
#define PHASE_2_TOLERANCE 1e-8
/* Iterations per program without a limit in the options. */
#define DEFAULT_ITERATIONS 100
/* Pieces, at most. */
#define MAX_PIECES 20
/* Decrease of E, relative to |E|, below which it is round-off of a program solved to 1e-8. */
#define MIN_DECREASE 1e-9
/* Multipliers below this, in units of the impulse scale, count as 0: a gap of 1e-8 does not determine them. */
#define MIN_MULTIPLIER 1e-6

/* Phase 2 of one island. */
typedef struct Search {
    RgArena *arena;
    const RgEnergyProblem *e;
    const RgProblem *p;
    const RgExactOptions *options;
    RgEnergyShape shape;
    bool *open, *next; /* n: rows that are open in this piece, and in the next one */
    double *z;         /* n: the best point so far */
    double *trial;     /* n: start, then result of a program */
    int iterations;
    double dual; /* dual residual of the best point */
} Search;

static bool is_friction(const RgProblem *p, int row)
{
    return p->row_class[row] == RG_ROW_FRICTION || p->row_class[row] == RG_ROW_BOX;
}

/* w of a unilateral row, positive for a gap that opens. */
static double opening_velocity(const RgEnergyProblem *e, int i, const double *z)
{
    return (e->high[i] == INFINITY ? 1.0 : -1.0) * rg_energy_velocity(e, i, z);
}

/* ------------------------------------------------------------------ phase 1 */

/* Solves phase 1 from z: friction rows have no impulse; `offset` is added to the target velocity of unilateral rows, in
   their direction. */
static RgStatus solve_without_friction(RgArena *arena, const RgEnergyProblem *e, const RgProblem *p, double offset,
                                       double *z, RgDantzigReport *report)
{
    double tolerance = offset > 0.0 ? 0.1 * offset : PHASE_1_TOLERANCE * e->velocity, largest = 0.0;
    RgDenseLcp lcp = {.n = e->n, .M = e->A, .z = z, .symmetric = true};
    double **const parts[] = {&lcp.q, &lcp.low, &lcp.high, &lcp.w};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        *parts[k] = RG_ARENA_ALLOC(arena, double, e->n);
    if (arena->failed)
        return RG_ERR_MEMORY;
    for (int i = 0; i < e->n; i++) {
        bool friction = is_friction(p, e->row[i]);
        lcp.low[i] = friction ? 0.0 : e->low[i];
        lcp.high[i] = friction ? 0.0 : e->high[i];
        lcp.q[i] = e->q[i];
        if (rg_energy_is_unilateral(e, i))
            lcp.q[i] -= e->high[i] == INFINITY ? offset : -offset;
        largest = fmax(largest, fabs(lcp.q[i]));
    }
    RgExactOptions options = rg_exact_options_default();
    options.tolerance = largest > 0.0 ? tolerance / largest : 1.0;
    return rg_dantzig_solve(arena, &lcp, &options, report);
}

/* ------------------------------------------------------------------ phase 2 */

/* Moves z away from all bounds by a distance that changes any velocity by less than half of BAND. Returns that
   distance. */
static double step_inside(const RgEnergyProblem *e, const bool *open, double *z)
{
    double most = 0.0;
    for (int i = 0; i < e->n; i++) {
        double sum = 0.0;
        for (int j = 0; j < e->n; j++)
            sum += fabs(e->A[(size_t)i * (size_t)e->n + (size_t)j]);
        most = fmax(most, sum);
    }
    double margin = 0.5 * BAND * e->velocity / most;
    for (int i = 0; i < e->n; i++) {
        double width = e->high[i] - e->low[i], own = fmin(margin, 0.25 * width);
        if (e->normal[i] < 0 && !open[i])
            z[i] = fmin(fmax(z[i], e->low[i] + own), e->high[i] - own);
    }
    return margin;
}

static double sum_normals(const RgEnergyProblem *e, const RgProblem *p, const double *z)
{
    double sum = 0.0;
    for (int i = 0; i < e->n; i++)
        sum += p->row_class[e->row[i]] == RG_ROW_NORMAL ? z[i] : 0.0;
    return sum;
}

/* Whether any friction row belongs to a row that closes, or to none. */
static bool has_friction(const Search *s)
{
    const RgEnergyProblem *e = s->e;
    for (int i = 0; i < e->n; i++)
        if (is_friction(s->p, e->row[i]) && (e->owner[i] < 0 || !s->open[e->owner[i]]))
            return true;
    return false;
}

/* Chooses the next piece from the solution of this one. False: it is the same. */
static bool choose_next(Search *s, const RgConeProgram *q, const RgEnergyLayout *at)
{
    bool other = false;
    memcpy(s->next, s->open, (size_t)s->e->n * sizeof *s->open);
    for (int i = 0; i < s->e->n; i++) {
        int below = at->below[i], above = at->above[i], low = at->at_low[i];
        if (below < 0)
            continue;
        if (s->open[i]) {
            s->next[i] = !(q->z[below] > fmax(q->s[below], MIN_MULTIPLIER));
        } else if (low >= 0) {
            double rises = q->z[above] - q->z[below];
            s->next[i] = q->z[low] > fmax(q->s[low], MIN_MULTIPLIER) && rises > MIN_MULTIPLIER;
        }
        other = other || s->next[i] != s->open[i];
    }
    return other;
}

/* Solves one piece: from s->trial, which is in its interior, or (inside false) from any starting point. *better: E has
   fallen, s->z is the new point. *on: there is another piece to try. */
static RgStatus solve_piece(Search *s, bool inside, RgConeOutcome *outcome, bool *better, bool *on)
{
    const RgEnergyProblem *e = s->e;
    RgConeProgram program;
    RgEnergyLayout at;
    RgConeProgramReport report = {0};
    int limit = s->options->max_iterations;
    RgConeProgramOptions options = {.tolerance = fmax(s->options->tolerance, PHASE_2_TOLERANCE),
                                    .max_iterations = limit > 0 ? limit - s->iterations : DEFAULT_ITERATIONS};
    s->shape.open = s->open;
    if (!rg_energy_program_make(s->arena, e, s->p, &s->shape, &program, &at))
        return RG_ERR_MEMORY;
    RgConeWork *work = rg_cone_work_alloc(s->arena, program.n, program.m);
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
    double least = rg_energy_value(e, s->z), found = rg_energy_value(e, s->trial);
    *better = found < least - (inside ? 0.0 : MIN_DECREASE * fabs(least));
    *on = choose_next(s, &program, &at) && report.outcome == RG_CONE_SOLVED;
    if (*better) {
        memcpy(s->z, s->trial, (size_t)e->n * sizeof *s->z);
        s->dual = report.dual;
    }
    return RG_OK;
}

/* Phase 2: the search from piece to piece. */
static RgStatus search_pieces(Search *s, RgSolveOutcome *outcome)
{
    RgConeOutcome ended;
    bool better, on;
    RgStatus status = solve_piece(s, true, &ended, &better, &on);
    *outcome = status == RG_OK && ended == RG_CONE_SOLVED ? RG_SOLVE_SOLVED : RG_SOLVE_ITERATIONS;
    for (int k = 1; status == RG_OK && on && *outcome == RG_SOLVE_SOLVED; k++) {
        bool out = s->options->max_iterations > 0 && s->iterations >= s->options->max_iterations;
        if (out || k == MAX_PIECES) {
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

/* Prepares phase 2 from z of phase 1 and runs it. */
static RgStatus add_friction(Search *s, const RgEnergyLaw *law, RgSolveOutcome *outcome)
{
    const RgEnergyProblem *e = s->e;
    RgDantzigReport first;
    s->trial = RG_ARENA_ALLOC(s->arena, double, e->n);
    s->open = RG_ARENA_ALLOC(s->arena, bool, e->n);
    s->next = RG_ARENA_ALLOC(s->arena, bool, e->n);
    if (s->arena->failed)
        return RG_ERR_MEMORY;
    memcpy(s->trial, s->z, (size_t)e->n * sizeof *s->z);
    if (solve_without_friction(s->arena, e, s->p, BAND * e->velocity, s->trial, &first) != RG_OK)
        return RG_ERR_MEMORY;
    for (int i = 0; i < e->n; i++)
        s->open[i] =
            rg_energy_is_unilateral(e, i) && !(opening_velocity(e, i, s->trial) < CLOSING_LIMIT * BAND * e->velocity);
    if (!has_friction(s))
        return RG_OK;
    double margin = step_inside(e, s->open, s->trial);
    double sum = fmax(sum_normals(e, s->p, s->trial), sum_normals(e, s->p, s->z));
    s->shape =
        (RgEnergyShape){.edges = law->edges,
                        .bounded = law->bounded,
                        .largest = fmax(s->options->kappa, 1.0) * sum + s->options->kappa_slack + 2.0 * e->n * margin,
                        .band = 2.0 * BAND * e->velocity};
    return search_pieces(s, outcome);
}

RgStatus rg_energy_phases(RgArena *arena, RgProblem *p, const int *rows, int n, const RgEnergyLaw *law,
                          RgIslandReport *report)
{
    RgEnergyProblem e;
    RgDantzigReport first;
    double *z = RG_ARENA_ALLOC(arena, double, n);
    if (z == NULL || !rg_energy_problem_make(arena, p, rows, n, &e))
        return RG_ERR_MEMORY;
    *report = (RgIslandReport){.outcome = RG_SOLVE_SINGULAR};
    for (int i = 0; i < n; i++)
        p->z[rows == NULL ? i : rows[i]] = 0.0;
    if (!isfinite(e.velocity) || !isfinite(e.impulse))
        return RG_OK;
    if (solve_without_friction(arena, &e, p, 0.0, z, &first) != RG_OK)
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
    rg_energy_problem_scatter(&e, z, law->edges == 0, p);
    return RG_OK;
}
