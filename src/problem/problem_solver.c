/*
 * problem_solver.c - solves a problem from a file, converted to the form that the solver requires.
 *
 * For a solver of rows, a problem w = M z + q without rows of its own gets them from a factor of its symmetric part,
 *
 *   (M + M') / 2 = J J' + E,       w = J s - target,  s = J' z,  target = -q
 *
 * E is round-off if the matrix is positive semidefinite. The factor leaves out E and the skew part. They are taken into
 * account by an outer iteration: after each round the target is corrected by the last solution,
 *
 *   target = -(q + (M - J J') z)
 *
 * which converges as long as that part is small relative to the rest. Solvers measure convergence in different ways: if
 * a solver ends before the residual of the problem is below the tolerance, it continues from its solution with a
 * smaller tolerance. A round that does not halve the residual is the last.
 *
 * Rejected: matrices that are far from symmetric, not semidefinite, or too large to be factored.
 */
#include "base/alloc.h"
#include "base/status.h"
#include "math/dense_factor.h"
#include "problem/problem_file.h"
#include "solver/solver_table.h"

#include <math.h>
#include <string.h>

#define OPTIONS_COOKIE UINT32_C(0x52475046)

/* Pivots below this part of the largest diagonal count as zero. */
#define RANK_TOLERANCE 1e-13
/* Largest part of the matrix that the factor may leave out, and largest asymmetry, relative to the largest entry. */
#define RESIDUE_MAX 1e-3
#define ASYMMETRY_MAX 0.05
/* Largest number of rows of a problem that is factored: 800 MB for each of two matrices. */
enum { FACTOR_MAX = 10000 };
/* Limits: rounds, and sweeps per round of pgs and quick without a limit in the options. */
enum { ROUNDS_MAX = 60, PGS_SWEEPS = 20000 };

typedef enum Form { AS_ROWS, AS_LCP, AS_CONES } Form;

struct RgProblemSolver {
    RgArena arena; /* the converted problem */
    RgArena work;  /* scratch of the solver */
    const RgProblemFile *file;
    const RgSolver *solver;
    RgProblemOptions options;
    Form form; /* form of the problem for the solver */
    RgProblem rows;
    RgDenseLcp lcp;
    RgConeBlocks cones;
    double *z;    /* n: iterate of the solver */
    double *best; /* n: the solution with the least residual */

    /* Rows. */
    const double *target, *s_free; /* n, nu: initial values */
    double *product, *spare;       /* n, nu: for corrections of the target; NULL: not needed */
    double residue;                /* relative residue of the factor */
    int rank;
};

RgProblemOptions rg_problem_options_default(void)
{
    return (RgProblemOptions){.cookie = OPTIONS_COOKIE, .tolerance = 1e-8, .exact = rg_exact_options_default()};
}

/* ------------------------------------------------------------------ rows */

/* Whether one of the `group` rows from first on has a coefficient in column k of the factor. */
static bool has_column(const double *L, int n, int first, int group, int k)
{
    for (int j = first; j < first + group; j++)
        if (L[(size_t)j * (size_t)n + (size_t)k] != 0.0)
            return true;
    return false;
}

/* Converts the factor L (n x rank, stride n) to rows; a contact's three rows get the same columns. False: no memory. */
static bool make_rows_from_factor(RgProblemSolver *s, const double *L)
{
    const RgProblemFile *file = s->file;
    RgProblem *p = &s->rows;
    int n = file->n, group = file->cones.n > 0 ? 3 : 1, used = 0;
    *p = (RgProblem){.n = n, .nu = s->rank, .skip_residual = true};
    if (!rg_step_alloc(&s->arena, p, (size_t)n * (size_t)s->rank))
        return false;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < s->rank; k++) {
            if (!has_column(L, n, i - i % group, group, k))
                continue;
            p->columns[used] = k;
            p->values[used++] = L[(size_t)i * (size_t)n + (size_t)k];
        }
        p->start[i + 1] = used;
        file->kind->describe_row(file, i, p);
    }
    return true;
}

static RgStatus factor_matrix(RgProblemSolver *s, RgError *error)
{
    const RgProblemFile *file = s->file;
    size_t n = (size_t)file->n;
    if (file->asymmetry > ASYMMETRY_MAX)
        return rg_fail(error, RG_ERR_UNSUPPORTED, file->path, 0,
                       "solver %s takes symmetric matrices only; entries differ by %.2g of the largest",
                       s->solver->name, file->asymmetry);
    if (n > FACTOR_MAX)
        return rg_fail(error, RG_ERR_UNSUPPORTED, file->path, 0, "%zu rows are too many for solver %s: at most %d", n,
                       s->solver->name, FACTOR_MAX);
    RgArena scratch;
    rg_arena_init(&scratch, NULL);
    double *A = RG_ARENA_ALLOC_RAW(&scratch, double, n *n), *L = RG_ARENA_ALLOC(&scratch, double, n *n);
    double *spare = RG_ARENA_ALLOC(&scratch, double, n);
    RgStatus status = RG_ERR_MEMORY;
    if (!scratch.failed) {
        file->kind->symmetric(file, A);
        s->rank = rg_pivoted_cholesky(A, file->n, RANK_TOLERANCE, L, spare);
        s->residue = rg_cholesky_residue(A, file->n, L, s->rank);
        status = !(s->residue <= RESIDUE_MAX)  ? RG_ERR_UNSUPPORTED
                 : make_rows_from_factor(s, L) ? RG_OK
                                               : RG_ERR_MEMORY;
    }
    rg_arena_free(&scratch);
    if (status == RG_ERR_UNSUPPORTED)
        return rg_fail(error, status, file->path, 0,
                       "solver %s takes positive semidefinite matrices only; a factor misses %.2g of the largest entry",
                       s->solver->name, s->residue);
    return status == RG_OK ? RG_OK : rg_fail(error, status, file->path, 0, "out of memory");
}

/* Copies the file's own rows; z, s, target and rate are separate. */
static void copy_rows(RgProblemSolver *s)
{
    RgProblem *p = &s->rows;
    *p = s->file->rows;
    p->skip_residual = true;
    p->z = RG_ARENA_ALLOC(&s->arena, double, p->n);
    p->s = RG_ARENA_ALLOC(&s->arena, double, p->nu);
    p->rate = RG_ARENA_ALLOC(&s->arena, double, p->n);
    p->target = RG_ARENA_ALLOC(&s->arena, double, p->n);
    if (s->arena.failed)
        return;
    memcpy(p->target, s->file->rows.target, (size_t)p->n * sizeof *p->target);
    memcpy(p->s, s->file->rows.s, (size_t)p->nu * sizeof *p->s);
}

static RgStatus make_rows(RgProblemSolver *s, RgError *error)
{
    bool own = s->file->kind->times == NULL;
    if (own)
        copy_rows(s);
    else if (factor_matrix(s, error) != RG_OK)
        return error->status;
    RgProblem *p = &s->rows;
    const char *why = s->solver->refuses != NULL && !s->arena.failed ? s->solver->refuses(&s->work, p) : NULL;
    if (why != NULL)
        return rg_fail(error, RG_ERR_UNSUPPORTED, s->file->path, 0, "solver %s takes no %s", s->solver->name, why);
    double *target = RG_ARENA_ALLOC(&s->arena, double, p->n), *s_free = RG_ARENA_ALLOC(&s->arena, double, p->nu);
    s->product = own ? NULL : RG_ARENA_ALLOC(&s->arena, double, p->n);
    s->spare = own ? NULL : RG_ARENA_ALLOC(&s->arena, double, p->nu);
    if (s->arena.failed)
        return RG_ERR_MEMORY;
    memcpy(target, p->target, (size_t)p->n * sizeof *target);
    memcpy(s_free, p->s, (size_t)p->nu * sizeof *s_free);
    s->target = target;
    s->s_free = s_free;
    s->z = p->z;
    return RG_OK;
}

/* ------------------------------------------------------------------ other forms */

static RgStatus make_lcp(RgProblemSolver *s)
{
    const RgProblemFile *file = s->file;
    size_t n = (size_t)file->n;
    if (!rg_dense_lcp_alloc(&s->arena, file->n, false, &s->lcp))
        return RG_ERR_MEMORY;
    memcpy(s->lcp.M, file->M, n * n * sizeof *file->M);
    memcpy(s->lcp.q, file->q, n * sizeof *file->q);
    for (size_t i = 0; i < n; i++) {
        s->lcp.low[i] = file->equation[i] ? -INFINITY : 0.0;
        s->lcp.high[i] = INFINITY;
    }
    s->z = s->lcp.z;
    return RG_OK;
}

static RgStatus make_cones(RgProblemSolver *s)
{
    s->cones = s->file->cones;
    s->z = s->cones.r = RG_ARENA_ALLOC(&s->arena, double, s->file->n);
    s->cones.w = RG_ARENA_ALLOC(&s->arena, double, s->file->n);
    return s->arena.failed ? RG_ERR_MEMORY : RG_OK;
}

/* Converts the problem to the solver's form; prefers the problem's own form if the solver supports it. */
static RgStatus make_form(RgProblemSolver *s, RgError *error)
{
    RgStatus status;
    s->best = RG_ARENA_ALLOC(&s->arena, double, s->file->n);
    if (s->solver->solve_lcp != NULL && s->file->M != NULL) {
        s->form = AS_LCP;
        status = make_lcp(s);
    } else if (s->solver->solve_cones != NULL && s->file->kind == &rg_problem_kind_fc3d) {
        s->form = AS_CONES;
        status = make_cones(s);
    } else {
        s->form = AS_ROWS;
        status = make_rows(s, error);
    }
    if (status == RG_ERR_MEMORY || s->arena.failed)
        return rg_fail(error, RG_ERR_MEMORY, s->file->path, 0, "out of memory");
    return status;
}

RgProblemSolver *rg_problem_solver_create(const RgProblemFile *file, const char *name, const RgProblemOptions *options,
                                          RgError *error)
{
    RgError ignored;
    error = error != NULL ? error : &ignored;
    *error = (RgError){.status = RG_OK};
    RgProblemOptions chosen = options != NULL ? *options : rg_problem_options_default();
    const RgSolver *solver = rg_solver_find(name);
    const char *wrong = NULL;
    if (solver == NULL)
        rg_fail(error, RG_ERR_NOT_FOUND, NULL, 0, "no solver called '%.60s'", name);
    else if (chosen.cookie != OPTIONS_COOKIE)
        rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "options must start from rg_problem_options_default()");
    else if (!(chosen.tolerance > 0.0) || chosen.max_iterations < 0)
        rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "tolerance must be positive, max_iterations not negative");
    else if (rg_exact_options_check(&chosen.exact, &wrong) != RG_OK)
        rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "%s", wrong);
    if (solver == NULL || error->status != RG_OK)
        return NULL;
    RgProblemSolver *s = rg_alloc_object(NULL, sizeof *s, NULL, error);
    if (s == NULL)
        return NULL;
    rg_arena_init(&s->arena, NULL);
    rg_arena_init(&s->work, NULL);
    s->file = file;
    s->solver = solver;
    s->options = chosen;
    if (make_form(s, error) == RG_OK)
        return s;
    rg_problem_solver_free(s);
    return NULL;
}

void rg_problem_solver_free(RgProblemSolver *s)
{
    if (s == NULL)
        return;
    rg_arena_free(&s->work);
    rg_arena_free_with(&s->arena, s);
}

const double *rg_problem_solver_solution(const RgProblemSolver *s)
{
    return s->best;
}

/* ------------------------------------------------------------------ rounds */

/* Initial values: the impulses of a step, else 0. */
static void init_round(RgProblemSolver *s)
{
    RgProblem *p = &s->rows;
    size_t bytes = (size_t)s->file->n * sizeof *s->z;
    if (s->file->rows.z != NULL)
        memcpy(s->z, s->file->rows.z, bytes);
    else
        memset(s->z, 0, bytes);
    memcpy(s->best, s->z, bytes);
    if (s->form != AS_ROWS)
        return;
    memcpy(p->target, s->target, bytes);
    memcpy(p->s, s->s_free, (size_t)p->nu * sizeof *p->s);
}

/* target = -(q + (M - J J') z), and s as for z = 0. */
static void correct_target(RgProblemSolver *s)
{
    RgProblem *p = &s->rows;
    if (s->form != AS_ROWS)
        return;
    memcpy(p->s, s->s_free, (size_t)p->nu * sizeof *p->s);
    if (s->product == NULL)
        return;
    s->file->kind->times(s->file, p->z, s->product);
    memset(s->spare, 0, (size_t)p->nu * sizeof *s->spare);
    for (int i = 0; i < p->n; i++)
        rg_problem_apply_impulse(p, i, p->z[i], s->spare);
    for (int i = 0; i < p->n; i++)
        p->target[i] = s->target[i] - (s->product[i] - rg_problem_row_times(p, i, s->spare));
}

/* Options of the solver; part: of the requested tolerance; left: remaining iterations, 0: no limit. */
static RgRowOptions options_for(const RgProblemSolver *s, double part, int left)
{
    const RgProblemOptions *o = &s->options;
    RgRowOptions out = {.pgs = rg_pgs_options_default(), .exact = o->exact, .quick = rg_quick_options_default()};
    double root = sqrt((double)(s->file->n > 0 ? s->file->n : 1));
    out.pgs.iterations = left > 0 ? left : PGS_SWEEPS;
    out.pgs.tolerance = part * o->tolerance * s->file->scale / root;
    out.quick.max_sweeps = out.pgs.iterations;
    out.quick.tolerance = part * o->tolerance;
    out.exact.max_iterations = left;
    out.exact.tolerance = part * o->tolerance;
    return out;
}

/* One round of the solver, from the present z. */
static RgStatus run_solver(RgProblemSolver *s, const RgRowOptions *options, RgSolveReport *report)
{
    *report = (RgSolveReport){.outcome = RG_SOLVE_ITERATIONS};
    rg_arena_reset(&s->work);
    switch (s->form) {
    case AS_LCP:
        return s->solver->solve_lcp(&s->work, &s->lcp, options, report);
    case AS_CONES:
        return s->solver->solve_cones(&s->work, &s->cones, options, report);
    case AS_ROWS:
        break;
    }
    return s->solver->solve_rows(&s->work, &s->rows, options, report);
}

RgStatus rg_problem_solver_run(RgProblemSolver *s, RgProblemReport *report)
{
    double part = 1.0, tolerance = s->options.tolerance;
    int most = s->options.max_iterations;
    RgSolveReport last = {.outcome = RG_SOLVE_ITERATIONS};
    *report = (RgProblemReport){.residual = INFINITY, .rank = s->rank, .factor_residue = s->residue};
    init_round(s);
    while (report->rounds < ROUNDS_MAX && (most == 0 || report->iterations < most)) {
        RgRowOptions options = options_for(s, part, most == 0 ? 0 : most - report->iterations);
        RgStatus status = run_solver(s, &options, &last);
        if (status != RG_OK)
            return status;
        report->rounds++;
        report->iterations += last.iterations;
        double found = rg_problem_file_residual(s->file, s->z), before = report->residual;
        if (found < before) {
            memcpy(s->best, s->z, (size_t)s->file->n * sizeof *s->best);
            report->residual = found;
        }
        if (found <= tolerance || !(found < 0.5 * before))
            break;
        if (last.outcome == RG_SOLVE_SOLVED)
            part *= fmin(0.5, fmax(0.01, 0.3 * tolerance / found));
        else if (s->product == NULL)
            break;
        correct_target(s);
    }
    report->outcome = report->residual <= tolerance     ? rg_solve_outcome_name(RG_SOLVE_SOLVED)
                      : last.outcome == RG_SOLVE_SOLVED ? "missed"
                                                        : rg_solve_outcome_name(last.outcome);
    return RG_OK;
}
