/*
 * fuzz_problem.c - any bytes as a problem: read as whatever it looks like, judged, and if it is small solved by every
 * solver for a few iterations. Nothing may crash, leak, run wild, or give a number that is not finite.
 */
#include <rigor/problem.h>

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Rows of problems that are solved too. */
enum { SMALL = 60 };

static void solve_all(const RgProblemFile *problem, int n)
{
    RgProblemOptions options = rg_problem_options_default();
    options.max_iterations = 50;
    for (int k = 0; k < rg_solver_count(); k++) {
        RgProblemReport report;
        RgProblemSolver *solver = rg_problem_solver_create(problem, rg_solver_name(k), &options, NULL);
        if (solver == NULL)
            continue;
        if (rg_problem_solver_run(solver, &report) == RG_OK) {
            const double *z = rg_problem_solver_solution(solver);
            bool finite = true;
            for (int i = 0; i < n; i++)
                finite = finite && isfinite(z[i]);
            if (!finite || (strcmp(report.outcome, "solved") == 0) != (report.residual <= options.tolerance))
                abort();
        }
        rg_problem_solver_free(solver);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    RgError error;
    RgProblemFile *problem = rg_problem_file_parse("fuzz", (const char *)data, size, NULL, NULL, &error);
    if (problem == NULL) {
        if (error.status == RG_OK || error.text[0] == '\0')
            abort();
        return 0;
    }
    RgProblemInfo info = rg_problem_file_info(problem);
    double *z = calloc((size_t)info.n + 1, sizeof *z);
    if (z == NULL || rg_problem_file_residual(problem, z) < 0.0)
        abort();
    free(z);
    if (info.n <= SMALL)
        solve_all(problem, info.n);
    rg_problem_file_free(problem);
    return 0;
}
