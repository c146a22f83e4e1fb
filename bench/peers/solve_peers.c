/*
 * solve_peers.c - rigor-bench-solve: contact problems in files (fc3d), by our solvers and by those of Siconos.
 *
 *   rigor-bench-solve FILE... [--solver NAME]... [--ours] [--seconds S] [--json FILE]
 *
 * CPU milliseconds to a residual of 1e-4 and of 1e-8. The residual is our judge's for all, computed from the forces
 * alone: a solver that says it is done and is not is sent again with a tenth of the tolerance, down to a thousandth,
 * and the time of the first run that gets there counts. Each solve begins at zero and is the best of its samples; the
 * time of reading and of preparing the form that a solver takes is left out. Every solver runs in a process of its own,
 * which is ended after S seconds (default 3): some never end, some crash. --solver: only those, of both, that begin so;
 * --ours: no Siconos.
 */
#define _POSIX_C_SOURCE 200809L
#include "solve_clock.h"
#include "solve_siconos.h"

#include <rigor/problem.h>

#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAMES_MAX = 16, ROWS_MAX = 80 };
static const double levels[2] = {1e-4, 1e-8};

typedef struct Bench {
    const char *files[1024];
    int nfiles;
    const char *only[NAMES_MAX];
    int nonly;
    bool ours;
    int seconds;
    FILE *json;
    int written;
} Bench;

/* A solver, on one problem. */
typedef struct Row {
    char name[40];
    bool ours;
    SolveTry level[2];
    bool reached[2];
} Row;

/* ------------------------------------------------------------------ one solve */

typedef struct OwnRun {
    RgProblemSolver *solver;
    RgProblemReport report;
} OwnRun;

static void run_own(void *context)
{
    OwnRun *run = context;
    rg_problem_solver_run(run->solver, &run->report);
}

static int own_solve(const RgProblemFile *problem, const char *name, double tolerance, SolveTry *result, double *out)
{
    RgProblemOptions options = rg_problem_options_default();
    options.tolerance = tolerance;
    OwnRun run = {.solver = rg_problem_solver_create(problem, name, &options, NULL)};
    if (run.solver == NULL)
        return 1;
    result->seconds = best_seconds(run_own, &run);
    result->iterations = run.report.iterations;
    result->says_solved = strcmp(run.report.outcome, "solved") == 0;
    memcpy(out, rg_problem_solver_solution(run.solver), (size_t)rg_problem_file_info(problem).n * sizeof *out);
    return 0;
}

/* What a child is to solve. */
typedef struct Task {
    const RgProblemFile *problem;
    const char *path;
    const char *own; /* a solver of ours; NULL: option set `index` of Siconos */
    int index;
    double tolerance;
} Task;

/* The child: solves, judges, hands back. Its words go nowhere. */
static void be_child(const Task *task, int to, int seconds)
{
    SolveTry result = {0};
    int nothing = open("/dev/null", O_WRONLY), n = rg_problem_file_info(task->problem).n;
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    alarm((unsigned)seconds);
    double *z = calloc((size_t)n + 1, sizeof *z);
    int failed = z == NULL;
    if (!failed && task->own != NULL)
        failed = own_solve(task->problem, task->own, task->tolerance, &result, z);
#ifdef PEER_SICONOS
    else if (!failed)
        failed = siconos_solve(task->path, task->index, task->tolerance, &result, z);
#endif
    if (!failed) {
        result.residual = rg_problem_file_residual(task->problem, z);
        failed = write(to, &result, sizeof result) != (ssize_t)sizeof result;
    }
    _exit(failed);
}

/* false: it did not end, crashed, or does not take the problem. */
static bool try_task(const Task *task, int seconds, SolveTry *result)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        be_child(task, ends[1], seconds);
    close(ends[1]);
    bool good = child > 0 && read(ends[0], result, sizeof *result) == (ssize_t)sizeof *result;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return good;
}

/* The first run, with less and less tolerance, that the judge is content with. */
static void reach(Task task, int level, int seconds, Row *row)
{
    row->level[level].residual = INFINITY;
    for (double part = 1.0; part > 0.9e-3 && !row->reached[level]; part /= 10.0) {
        SolveTry found;
        task.tolerance = levels[level] * part;
        if (!try_task(&task, seconds, &found))
            return;
        if (found.residual < row->level[level].residual)
            row->level[level] = found;
        row->reached[level] = found.residual <= levels[level];
        if (task.own != NULL)
            return;
    }
}

/* ------------------------------------------------------------------ tables */

static void print_row(const Row *row)
{
    printf("  %-7s %-22s", row->ours ? "rigor" : "siconos", row->name);
    for (int k = 0; k < 2; k++) {
        const SolveTry *t = &row->level[k];
        if (row->reached[k])
            printf(" %11.5g %8.1e", 1e3 * t->seconds, t->residual);
        else if (isfinite(t->residual))
            printf(" %11s %8.1e", "-", t->residual);
        else
            printf(" %11s %8s", "-", "");
    }
    printf("\n");
    fflush(stdout);
}

static void write_row(Bench *bench, const char *path, int contacts, const Row *row)
{
    if (bench->json == NULL)
        return;
    for (int k = 0; k < 2; k++) {
        const SolveTry *t = &row->level[k];
        fprintf(bench->json,
                "%s\n{\"problem\": \"%s\", \"contacts\": %d, \"library\": \"%s\", \"solver\": \"%s\", "
                "\"tolerance\": %g, "
                "\"reached\": %s, ",
                bench->written++ > 0 ? "," : "", path, contacts, row->ours ? "rigor" : "siconos", row->name, levels[k],
                row->reached[k] ? "true" : "false");
        if (isfinite(t->residual))
            fprintf(bench->json, "\"residual\": %.6g, \"seconds\": %.6g, \"iterations\": %d, \"says_solved\": %s}",
                    t->residual, t->seconds, t->iterations, t->says_solved ? "true" : "false");
        else
            fprintf(bench->json, "\"residual\": null, \"seconds\": null, \"iterations\": null, \"says_solved\": null}");
    }
}

/* The fastest that reached a level; NULL: none. */
static const Row *best_row(const Row *rows, int count, bool ours, int level)
{
    const Row *best = NULL;
    for (int i = 0; i < count; i++)
        if (rows[i].ours == ours && rows[i].reached[level] &&
            (best == NULL || rows[i].level[level].seconds < best->level[level].seconds))
            best = &rows[i];
    return best;
}

static void print_best(const Row *rows, int count)
{
    for (int ours = 1; ours >= 0; ours--) {
        printf("  best of %s:", ours ? "rigor" : "siconos");
        for (int k = 0; k < 2; k++) {
            const Row *best = best_row(rows, count, ours != 0, k);
            if (best != NULL)
                printf("  %g in %.5g ms (%s)", levels[k], 1e3 * best->level[k].seconds, best->name);
            else
                printf("  %g by none", levels[k]);
        }
        printf("\n");
    }
}

static bool wanted(const Bench *bench, const char *name)
{
    for (int i = 0; i < bench->nonly; i++)
        if (strncmp(name, bench->only[i], strlen(bench->only[i])) == 0)
            return true;
    return bench->nonly == 0;
}

static void add_row(Bench *bench, Task task, const char *name, Row *rows, int *count)
{
    Row *row = &rows[*count];
    *row = (Row){.ours = task.own != NULL};
    snprintf(row->name, sizeof row->name, "%s", name);
    for (int k = 0; k < 2; k++)
        reach(task, k, bench->seconds, row);
    print_row(row);
    write_row(bench, task.path, rg_problem_file_info(task.problem).contacts, row);
    (*count)++;
}

static bool measure_file(Bench *bench, const char *path)
{
    RgError error = {0};
    RgProblemFile *problem = rg_problem_file_read(path, "fc3d", NULL, &error);
    if (problem == NULL) {
        fprintf(stderr, "rigor-bench-solve: %s:%d: %s\n", path, error.line, error.text);
        return false;
    }
    static Row rows[ROWS_MAX];
    int count = 0;
    const char *slash = strrchr(path, '/');
    printf("%s, %d contacts\n  %-7s %-22s %11s %8s %11s %8s\n", slash != NULL ? slash + 1 : path,
           rg_problem_file_info(problem).contacts, "", "", "ms to 1e-4", "residual", "ms to 1e-8", "residual");
    for (int i = 0; i < rg_solver_count() && count < ROWS_MAX; i++) {
        const char *name = rg_solver_name(i);
        RgProblemSolver *takes = wanted(bench, name) ? rg_problem_solver_create(problem, name, NULL, NULL) : NULL;
        rg_problem_solver_free(takes);
        if (takes != NULL)
            add_row(bench, (Task){.problem = problem, .path = path, .own = name}, name, rows, &count);
    }
#ifdef PEER_SICONOS
    for (int i = 0; i < siconos_count() && count < ROWS_MAX && !bench->ours; i++)
        if (wanted(bench, siconos_name(i)))
            add_row(bench, (Task){.problem = problem, .path = path, .index = i}, siconos_name(i), rows, &count);
#endif
    print_best(rows, count);
    rg_problem_file_free(problem);
    return true;
}

/* ------------------------------------------------------------------ command line */

static bool take_arguments(Bench *bench, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--ours") == 0)
            bench->ours = true;
        else if (strcmp(argv[i], "--solver") == 0 && more && bench->nonly < NAMES_MAX)
            bench->only[bench->nonly++] = argv[++i];
        else if (strcmp(argv[i], "--seconds") == 0 && more)
            bench->seconds = atoi(argv[++i]);
        else if (strcmp(argv[i], "--json") == 0 && more)
            bench->json = fopen(argv[++i], "w");
        else if (argv[i][0] != '-' && bench->nfiles < 1024)
            bench->files[bench->nfiles++] = argv[i];
        else
            return false;
    }
    return bench->nfiles > 0 && bench->seconds > 0;
}

int main(int argc, char **argv)
{
    static Bench bench = {.seconds = 3};
    if (!take_arguments(&bench, argc, argv)) {
        fprintf(stderr, "usage: rigor-bench-solve FILE... [--solver NAME]... [--ours] [--seconds S] [--json FILE]\n");
        return 2;
    }
#ifndef PEER_SICONOS
    printf("Siconos (libsiconos-numerics-dev) was not there when this was built: our solvers alone.\n");
#endif
    bool good = true;
    if (bench.json != NULL)
        fprintf(bench.json, "[");
    for (int i = 0; i < bench.nfiles; i++)
        good = measure_file(&bench, bench.files[i]) && good;
    if (bench.json != NULL) {
        fprintf(bench.json, "\n]\n");
        good = fclose(bench.json) == 0 && good;
    }
    return good ? 0 : 1;
}
