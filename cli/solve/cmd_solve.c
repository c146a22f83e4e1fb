/*
 * cmd_solve.c - `rigor solve FILE...`: solves a problem (fc3d, lcp, mlcp, or a dumped step) by one solver or by all,
 * and prints the residual of each.
 *
 * Times are CPU seconds of the solver alone, without reading and without the factor that turns a matrix into rows. The
 * fastest of several samples counts; short solves are repeated within a sample, since reading the clock takes about a
 * microsecond.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/command.h"
#include "io/error.h"
#include "io/json_out.h"
#include "io/options.h"
#include "io/read_input.h"
#include "solve/solve_forces.h"

#include <rigor/problem.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TIMING_TOTAL 20e-3   /* s: all samples together, without --repeat */
#define TIMING_SAMPLE 100e-6 /* s: least length of one sample */
#define REPEAT_MAX 1e6

static const RgOptionSpec solve_options[] = {
    {"solver", "NAME|all", "one solver, or all that accept the problem, as a table (default all)"},
    {"tolerance", "X", "residual at which the problem counts as solved (default 1e-8)"},
    {"max-iterations", "N", "of the solver, as it counts them (default: by the solver)"},
    {"sides", "K", "of friction pyramids, 4 to 16, for solvers that use them (default 8)"},
    {"kappa", "X", "max-dissipation: bound on normal impulses (default 1)"},
    {"kappa-slack", "X", "max-dissipation: added to that bound, N s (default 0)"},
    {"viscous", "X", "viscous: friction impulse over slip velocity, N s/m (default 0)"},
    {"kind", "KIND", "fc3d, lcp, mlcp or step (default: by the content)"},
    {"repeat", "N", "timed samples, the fastest counts (default: for 20 ms)"},
    {"indeterminacy", NULL, "list forces of contacts, joints, limits and motors that are not unique, and their ranges"},
    {"out", "FILE", "write the solution, one value per line in the order of the problem's vector"},
    {"json", "OUT|-", "write the results as JSON, - for the standard output instead of the text"},
    {"quiet", NULL, "no warnings and no text"},
};

/* One problem by one solver. */
typedef struct Result {
    const char *solver;
    const char *status;
    RgProblemReport report;
    double seconds;
    double *z;       /* the solution; NULL: none */
    RgError refusal; /* status not RG_OK: the solver does not accept the problem */
} Result;

typedef struct Solve {
    const RgOptions *options;
    RgProblemOptions settings;
    const char *solver; /* NULL: all */
    int repeat;         /* 0: for TIMING_TOTAL */
    bool text;
    json_t *results; /* NULL: not requested */
    bool failed;     /* some problem was not solved */
} Solve;

/* ------------------------------------------------------------------ options */

static bool complain_solver(const RgOptions *options, const char *name)
{
    char all[512] = "";
    RgNearest nearest = rg_nearest_begin(name);
    for (int i = 0; i < rg_solver_count(); i++) {
        rg_nearest_offer(&nearest, rg_solver_name(i));
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s, ", rg_solver_name(i));
    }
    return rg_options_complain(options, "--solver: unknown '%.60s'%s%s%s; expected one of %sall", name,
                               nearest.best ? ", did you mean '" : "", nearest.best ? nearest.best : "",
                               nearest.best ? "'?" : "", all);
}

static bool read_solver(Solve *solve)
{
    const char *name = rg_options_value(solve->options, "solver");
    if (!name || strcmp(name, "all") == 0)
        return true;
    solve->solver = name;
    for (int i = 0; i < rg_solver_count(); i++)
        if (strcmp(rg_solver_name(i), name) == 0)
            return true;
    return complain_solver(solve->options, name);
}

static bool read_options(Solve *solve)
{
    const RgOptions *options = solve->options;
    const char *kind = rg_options_value(options, "kind"), *json = rg_options_value(options, "json");
    RgProblemOptions *s = &solve->settings;
    *s = rg_problem_options_default();
    if (!read_solver(solve) || !rg_options_number(options, "tolerance", 1e-300, 1e300, &s->tolerance) ||
        !rg_options_whole(options, "max-iterations", 1, 1e9, &s->max_iterations) ||
        !rg_options_whole(options, "sides", 4, 16, &s->exact.sides) ||
        !rg_options_number(options, "kappa", 0, 1e300, &s->exact.kappa) ||
        !rg_options_number(options, "kappa-slack", 0, 1e300, &s->exact.kappa_slack) ||
        !rg_options_number(options, "viscous", 0, 1e300, &s->exact.viscous) ||
        !rg_options_whole(options, "repeat", 1, REPEAT_MAX, &solve->repeat))
        return false;
    if (kind && strcmp(kind, "fc3d") != 0 && strcmp(kind, "lcp") != 0 && strcmp(kind, "mlcp") != 0 &&
        strcmp(kind, "step") != 0)
        return rg_options_complain(options, "--kind: unknown '%.60s'; expected fc3d, lcp, mlcp or step", kind);
    if (rg_options_has(options, "out") && (!solve->solver || options->nfiles > 1))
        return rg_options_complain(options, "--out: needs one FILE and --solver NAME");
    solve->text = !rg_options_has(options, "quiet") && !(json && strcmp(json, "-") == 0);
    solve->results = json ? json_array() : NULL;
    return true;
}

/* ------------------------------------------------------------------ reading */

static void print_remark(const char *file, int line, const char *text, void *context)
{
    (void)line;
    if (*(const bool *)context)
        fprintf(stderr, "rigor: warning: %s: %s\n", file, text);
}

static RgProblemFile *read_problem(const Solve *solve, const char *path)
{
    bool remarks = !rg_options_has(solve->options, "quiet");
    RgLog log = {print_remark, &remarks};
    RgError error = {0};
    const char *kind = rg_options_value(solve->options, "kind");
    RgProblemFile *problem = NULL;
    if (strcmp(path, "-") == 0) {
        size_t size = 0;
        char *text = rg_read_input(&size);
        if (!text)
            return NULL;
        problem = rg_problem_file_parse("stdin", text, size, kind, &log, &error);
        free(text);
    } else {
        problem = rg_problem_file_read(path, kind, &log, &error);
    }
    if (!problem)
        rg_error_print(&error);
    return problem;
}

/* ------------------------------------------------------------------ solving */

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Repeats the solve; sets the least time of one run. */
static RgStatus measure(RgProblemSolver *solver, int repeat, Result *result)
{
    double start = cpu_seconds();
    RgStatus status = rg_problem_solver_run(solver, &result->report);
    double once = cpu_seconds() - start, all = once;
    long runs = once < TIMING_SAMPLE ? (long)(TIMING_SAMPLE / fmax(once, 1e-7)) + 1 : 1;
    result->seconds = once;
    for (int k = 1; status == RG_OK && (repeat > 0 ? k < repeat : all < TIMING_TOTAL); k++) {
        start = cpu_seconds();
        for (long i = 0; i < runs && status == RG_OK; i++)
            status = rg_problem_solver_run(solver, &result->report);
        double sample = cpu_seconds() - start;
        all += sample;
        result->seconds = fmin(result->seconds, sample / (double)runs);
    }
    return status;
}

static bool write_solution(const Solve *solve, const double *z, int n)
{
    const char *path = rg_options_value(solve->options, "out");
    if (!path)
        return true;
    bool to_stdout = strcmp(path, "-") == 0;
    FILE *file = to_stdout ? stdout : fopen(path, "w");
    for (int i = 0; file && i < n; i++)
        fprintf(file, "%.17g\n", z[i]);
    bool good = file && !ferror(file);
    if (file && !to_stdout && fclose(file) != 0)
        good = false;
    if (!good)
        fprintf(stderr, "rigor: %s: cannot be written: %s\n", path, strerror(errno));
    return good;
}

static double *copy_solution(const double *z, int n)
{
    double *copy = malloc(((size_t)n + 1) * sizeof *copy);
    if (copy)
        memcpy(copy, z, (size_t)n * sizeof *copy);
    return copy;
}

/* false: message printed. The caller frees result->z. */
static bool solve_by(Solve *solve, const RgProblemFile *problem, const char *name, Result *result)
{
    *result = (Result){.solver = name, .status = "unsupported", .report = {.residual = INFINITY}};
    RgProblemSolver *solver = rg_problem_solver_create(problem, name, &solve->settings, &result->refusal);
    if (!solver && result->refusal.status == RG_ERR_UNSUPPORTED)
        return true;
    RgStatus status = solver ? measure(solver, solve->repeat, result) : result->refusal.status;
    if (status != RG_OK)
        fprintf(stderr, "rigor: solver %s: %s\n", name, rg_status_text(status));
    result->status = result->report.outcome;
    if (status == RG_OK)
        result->z = copy_solution(rg_problem_solver_solution(solver), rg_problem_file_info(problem).n);
    bool good =
        status == RG_OK && write_solution(solve, rg_problem_solver_solution(solver), rg_problem_file_info(problem).n);
    rg_problem_solver_free(solver);
    return good;
}

/* ------------------------------------------------------------------ output */

static void print_problem(const char *path, RgProblemInfo info)
{
    printf("%s: %s, ", path, info.kind);
    if (strcmp(info.kind, "fc3d") == 0)
        printf("%d contacts, %d blocks", info.contacts, info.blocks);
    else if (strcmp(info.kind, "step") == 0)
        printf("%d rows over %d velocities, %d contacts", info.n, info.unknowns, info.contacts);
    else
        printf("%d rows", info.n);
    printf("\n  %-18s %-11s %10s %11s %12s\n", "solver", "status", "residual", "iterations", "CPU ms");
}

static void print_result(const Result *r)
{
    if (r->refusal.status != RG_OK)
        printf("  %-18s %-11s %s\n", r->solver, r->status, r->refusal.text);
    else
        printf("  %-18s %-11s %10.3g %11d %12.5g\n", r->solver, r->status, r->report.residual, r->report.iterations,
               1e3 * r->seconds);
}

static void add_json(Solve *solve, const char *path, RgProblemInfo info, const Result *r)
{
    if (!solve->results)
        return;
    bool done = r->refusal.status == RG_OK;
    json_t *o = RG_JSON_OBJECT(
        {"problem", rg_json_text(path)}, {"kind", json_string(info.kind)}, {"solver", json_string(r->solver)},
        {"status", json_string(r->status)}, {"residual", done ? rg_json_number(r->report.residual) : json_null()},
        {"iterations", done ? json_integer(r->report.iterations) : json_null()},
        {"seconds", done ? rg_json_number(r->seconds) : json_null()}, {"contacts", json_integer(info.contacts)},
        {"size", json_integer(info.n)}, {"asymmetry", rg_json_number(info.asymmetry)});
    if (done && r->report.rank > 0) {
        json_object_set_new(o, "rank", json_integer(r->report.rank));
        json_object_set_new(o, "factor_residue", rg_json_number(r->report.factor_residue));
    }
    if (done)
        json_object_set_new(o, "rounds", json_integer(r->report.rounds));
    else
        json_object_set_new(o, "reason", rg_json_text(r->refusal.text));
    json_array_append_new(solve->results, o);
}

/* Keeps the solution with the least residual for the report of forces. */
static void keep_best(Result *best, Result *next)
{
    if (next->z && (!best->z || next->report.residual < best->report.residual)) {
        free(best->z);
        *best = *next;
    } else {
        free(next->z);
    }
}

/* Report of the forces that are not unique at the best solution, if requested. false: message printed. */
static bool report_forces(Solve *solve, const RgProblemFile *problem, const Result *best)
{
    if (!rg_options_has(solve->options, "indeterminacy"))
        return true;
    if (!best->z || strcmp(best->status, "solved") != 0) {
        fprintf(stderr, "rigor: --indeterminacy: the problem was not solved\n");
        return true;
    }
    json_t *report = rg_solve_forces(problem, best->z, solve->text);
    if (report && solve->results) {
        json_t *last = json_array_get(solve->results, json_array_size(solve->results) - 1);
        json_object_set(last, "indeterminacy", report);
    }
    json_decref(report);
    return report != NULL;
}

/* One file by the requested solvers. Exit code. */
static int solve_file(Solve *solve, const char *path)
{
    RgProblemFile *problem = read_problem(solve, path);
    if (!problem)
        return RG_EXIT_USAGE;
    RgProblemInfo info = rg_problem_file_info(problem);
    bool good = true, solved = false;
    int code = RG_EXIT_OK;
    Result best = {.z = NULL};
    if (solve->text)
        print_problem(path, info);
    for (int i = 0; i < rg_solver_count() && good; i++) {
        Result result;
        if (solve->solver && strcmp(solve->solver, rg_solver_name(i)) != 0)
            continue;
        good = solve_by(solve, problem, rg_solver_name(i), &result);
        if (good && solve->solver && result.refusal.status != RG_OK) {
            rg_error_print(&result.refusal);
            code = RG_EXIT_USAGE;
        }
        solved = solved || (good && strcmp(result.status, "solved") == 0);
        if (good && solve->text && code == RG_EXIT_OK)
            print_result(&result);
        if (good)
            add_json(solve, path, info, &result);
        keep_best(&best, &result);
    }
    good = good && report_forces(solve, problem, &best);
    free(best.z);
    rg_problem_file_free(problem);
    solve->failed = solve->failed || !solved;
    return good ? code : RG_EXIT_FAILED;
}

/* One result alone is an object, several are an array. */
static bool write_json(Solve *solve)
{
    if (!solve->results)
        return true;
    json_t *value = solve->results;
    if (json_array_size(value) == 1 && solve->solver) {
        value = json_incref(json_array_get(solve->results, 0));
        json_decref(solve->results);
    }
    solve->results = NULL;
    return rg_json_write(value, rg_options_value(solve->options, "json"));
}

static int run_solve(const RgOptions *options)
{
    Solve solve = {.options = options};
    if (!read_options(&solve)) {
        json_decref(solve.results);
        return RG_EXIT_USAGE;
    }
    int code = RG_EXIT_OK;
    for (int i = 0; i < options->nfiles; i++) {
        int one = solve_file(&solve, options->files[i]);
        code = one > code ? one : code;
    }
    if (!write_json(&solve))
        code = RG_EXIT_FAILED;
    return code == RG_EXIT_OK && solve.failed ? RG_EXIT_FAILED : code;
}

static void print_lists(void)
{
    printf("\nSolvers:\n");
    for (int i = 0; i < rg_solver_count(); i++)
        printf("  %-18s %s\n", rg_solver_name(i), rg_solver_summary(i));
}

RG_COMMAND(solve, "solve a contact or complementarity problem alone, and print its residual", .run = run_solve,
           .notes =
               "Residual: fc3d: the natural map |r - P_K(r - w - mu |w_t| e_n)| / |q|; lcp, mlcp: |min(z, w)|, in "
               "equations |w|,\n"
               "over max(1, |q|); step (rigor run --dump-step): the largest entry of the natural map in m/s over the "
               "largest\n"
               "velocity that rows miss without impulses. It is computed from the answer alone, whatever the solver "
               "says.\n"
               "Status: solved, or how the solver ended: iterations, ray, infeasible, singular, missed (it thinks that "
               "it is\n"
               "done; pyramids and other laws of friction are not the one that fc3d is judged by).\n"
               "Exit code 0: every problem was solved (by one of the solvers at least), 1: some was not.\n",
           .print_lists = print_lists, .max_files = RG_OPTIONS_FILES_ANY,
           .expects = "a problem (fc3d, lcp, mlcp, or what rigor run --dump-step wrote)");
