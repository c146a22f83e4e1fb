/*
 * test_problem_solver.c - problems alone, solved: answers known by hand, matrices that are singular or not symmetric,
 * and the problems of other people where they are at hand. The judge has the last word (test_kind_*.c).
 */
#include "check_near.h"
#include "problem/problem_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static RgProblemFile *parse(const char *text)
{
    RgError error = {0};
    RgProblemFile *p = rg_problem_file_parse("text", text, strlen(text), NULL, NULL, &error);
    cr_assert_not_null(p, "line %d: %s", error.line, error.text);
    return p;
}

static RgProblemReport solve(const RgProblemFile *p, const char *name, double tolerance, double *z)
{
    RgProblemOptions options = rg_problem_options_default();
    RgError error = {0};
    RgProblemReport report = {0};
    options.tolerance = tolerance;
    RgProblemSolver *s = rg_problem_solver_create(p, name, &options, &error);
    cr_assert_not_null(s, "%s", error.text);
    cr_assert_eq(rg_problem_solver_run(s, &report), RG_OK);
    memcpy(z, rg_problem_solver_solution(s), (size_t)rg_problem_file_info(p).n * sizeof *z);
    CHECK_NEAR(rg_problem_file_residual(p, z), report.residual, 0.0, "1");

    /* Again: the same. */
    double first = report.residual;
    cr_assert_eq(rg_problem_solver_run(s, &report), RG_OK);
    CHECK_NEAR(report.residual, first, 0.0, "1");
    rg_problem_solver_free(s);
    return report;
}

Test(problem_solver, finds_what_is_known_by_hand)
{
    static const struct {
        const char *text;
        double z[3];
    } cases[] = {
        {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1  1 .3 -2 .5", {0.0, 0.0, 0.0}},
        {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1  -2 .3 -.4 .5", {2.0, -0.3, 0.4}},
        {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1  -2 1.8 2.4 .5", {2.0, -0.6, -0.8}},
        /* Normal and tangent coupled, sliding: 2 r_n + 0.5 r_t = 2 with r_t = -0.5 r_n: r_n = 8 / 7. */
        {"3 1 0 3 3 3 3 2 .5 0 .5 1 0 0 0 1  -2 3 0 .5", {8.0 / 7.0, -4.0 / 7.0, 0.0}},
        {"2 0 2 2 2 2 2 1 1 2 -5 -6", {4.0 / 3.0, 7.0 / 3.0}},
        {"1 0 1 1\n0 1 2\n0 1\n0 2 2 2 2\n2 1 1 2\n-5 -6", {4.0 / 3.0, 7.0 / 3.0}},
        {"1 0 1 1\n0 1 2\n0 1\n0 2 2 2 2\n2 1 1 2\n4 5", {-2.0, 0.0}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        RgProblemFile *p = parse(cases[k].text);
        double z[3] = {0.0, 0.0, 0.0};
        RgProblemReport report = solve(p, "pgs", 1e-12, z);
        cr_expect_str_eq(report.outcome, "solved", "%zu: %s, %g", k, report.outcome, report.residual);
        CHECK_NEAR_ALL(z, cases[k].z, 3, 1e-10, "1");
        rg_problem_file_free(p);
    }
}

/* Two equal contacts on one body: forces are not unique, their sum is. W has rank 3 of 6. */
Test(problem_solver, stands_a_singular_matrix)
{
    RgProblemFile *p =
        parse("3 2 0 6 6 6 6\n1 0 0 1 0 0\n0 1 0 0 1 0\n0 0 1 0 0 1\n1 0 0 1 0 0\n0 1 0 0 1 0\n0 0 1 0 0 1\n"
              "-2 1.8 2.4 -2 1.8 2.4\n.5 .5");
    double z[6];
    RgProblemReport report = solve(p, "pgs", 1e-11, z);
    cr_expect_str_eq(report.outcome, "solved");
    cr_expect_eq(report.rank, 3);
    CHECK_NEAR(z[0] + z[3], 2.0, 1e-9, "1");
    CHECK_NEAR(z[1] + z[4], -0.6, 1e-9, "1");
    rg_problem_file_free(p);
}

/* What a factor cannot hold is brought in between rounds. */
Test(problem_solver, corrects_what_is_not_symmetric)
{
    RgProblemFile *p = parse("3 1 0 3 3 3 3 1 .02 0 0 1 0 0 0 1  -2 .3 -.4 .5");
    double z[3];
    RgProblemReport report = solve(p, "pgs", 1e-12, z);
    cr_expect_str_eq(report.outcome, "solved");
    cr_expect(report.rounds > 1);
    /* W = [1 0 0; .02 1 0; 0 0 1] sticks with w = 0. */
    CHECK_NEAR(z[0], 2.0, 1e-11, "1");
    CHECK_NEAR(z[1], -0.3 - 0.04, 1e-11, "1");
    rg_problem_file_free(p);
}

/* No solution: w = -1 whatever z is. Anything but "solved" may be said. */
Test(problem_solver, does_not_call_the_unsolvable_solved)
{
    RgProblemFile *p = parse("1 0 1 1 1 1 0 -1");
    RgProblemReport report;
    double z[1];
    report = solve(p, "pgs", 1e-8, z);
    cr_expect_str_neq(report.outcome, "solved");
    cr_expect(isfinite(z[0]));
    rg_problem_file_free(p);
}

static void expect_refused(const RgProblemFile *p, const char *name, const RgProblemOptions *options, RgStatus status,
                           const char *says)
{
    RgError error = {0};
    cr_expect_null(rg_problem_solver_create(p, name, options, &error));
    cr_expect_eq(error.status, status, "%s", error.text);
    cr_expect_not_null(strstr(error.text, says), "%s", error.text);
}

Test(problem_solver, refuses_in_words)
{
    RgProblemFile *p = parse("2 0 2 2 2 2 1 1 -1 1 -5 -6"), *indefinite = parse("2 0 2 2 2 2 1 2 2 1 -5 -6");
    RgProblemOptions options = rg_problem_options_default();
    expect_refused(p, "newton", &options, RG_ERR_NOT_FOUND, "newton");
    expect_refused(p, "pgs", &options, RG_ERR_UNSUPPORTED, "symmetric");
    expect_refused(indefinite, "pgs", &options, RG_ERR_UNSUPPORTED, "semidefinite");
    expect_refused(p, "quick", &options, RG_ERR_UNSUPPORTED, "symmetric");
    options.tolerance = -1.0;
    expect_refused(p, "pgs", &options, RG_ERR_ARGUMENT, "tolerance");
    options = (RgProblemOptions){0};
    expect_refused(p, "pgs", &options, RG_ERR_ARGUMENT, "default");
    rg_problem_file_free(p);
    rg_problem_file_free(indefinite);
}

/* Empty problems are solved by doing nothing. */
Test(problem_solver, solves_nothing)
{
    static const char *const texts[] = {"3 0 0 0 0 0 0",
                                        "rigor-step 1\nrows 0 unknowns 0 blocks 0 entries 0 patches 0\nblocks\n"
                                        "velocities\nend"};
    for (size_t k = 0; k < 2; k++) {
        RgProblemFile *p = parse(texts[k]);
        double z[1];
        cr_expect_str_eq(solve(p, "pgs", 1e-8, z).outcome, "solved");
        rg_problem_file_free(p);
    }
}

/* The problems of other people: all are read, and pgs comes near a solution of the contacts. */
Test(problem_solver, takes_the_shared_problems)
{
    static const char *const kinds[] = {"fc3d", "lcp", "mlcp"};
    for (int k = 0; k < 3; k++) {
        char folder[600], path[1200];
        snprintf(folder, sizeof folder, "%s/../shared/problems/%s", RIGOR_SOURCE_DIR, kinds[k]);
        DIR *open = opendir(folder);
        if (open == NULL)
            cr_skip_test("no folder of shared problems");
        for (struct dirent *entry = readdir(open); entry != NULL; entry = readdir(open)) {
            RgError error = {0};
            if (entry->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            RgProblemFile *p = rg_problem_file_read(path, NULL, NULL, &error);
            cr_assert_not_null(p, "%s:%d: %s", entry->d_name, error.line, error.text);
            RgProblemInfo info = rg_problem_file_info(p);
            cr_expect_str_eq(info.kind, kinds[k], "%s", entry->d_name);
            double *z = calloc((size_t)info.n, sizeof *z);
            if (k == 0)
                cr_expect(solve(p, "pgs", 1e-4, z).residual <= 1e-4, "%s", entry->d_name);
            free(z);
            rg_problem_file_free(p);
        }
        closedir(open);
    }
}
