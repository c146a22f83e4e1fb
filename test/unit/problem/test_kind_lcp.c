/*
 * test_kind_lcp.c - linear complementarity problems in files: reading, recognising, and the judge against answers
 * known by hand. Twins: the two forms of a mixed problem.
 */
#include "check_near.h"
#include "problem/problem_file.h"

#include <string.h>

static RgProblemFile *parse(const char *text, const char *kind)
{
    RgError error = {0};
    RgProblemFile *p = rg_problem_file_parse("text", text, strlen(text), kind, NULL, &error);
    cr_assert_not_null(p, "line %d: %s", error.line, error.text);
    return p;
}

Test(kind_lcp, judges_by_hand)
{
    /* z = (4/3, 7/3): w = 0. M is not symmetric here: 2 z1 + 1 z2 = 5, 1 z1 + 2 z2 = 6. */
    RgProblemFile *p = parse("2\n0\n2\n2\n2 2\n2 1\n1 2\n-5 -6 a remark 1 2 3", NULL);
    cr_expect_str_eq(rg_problem_file_info(p).kind, "lcp");
    CHECK_NEAR(rg_problem_file_residual(p, (double[2]){4.0 / 3.0, 7.0 / 3.0}), 0.0, 1e-15, "1");
    /* z = 0: min(0, -5), min(0, -6). */
    CHECK_NEAR(rg_problem_file_residual(p, (double[2]){0.0, 0.0}), 1.0, 1e-15, "1");
    /* z = (3, 3): w = (4, 3), min = (3, 3). */
    CHECK_NEAR(rg_problem_file_residual(p, (double[2]){3.0, 3.0}), sqrt(18.0 / 61.0), 1e-15, "1");
    rg_problem_file_free(p);

    /* Column-major: M = [1 2; 0 1], w = (z1 + 2 z2 - .5, z2 + .25); |q| < 1 counts as 1. */
    p = parse("2 0 2 2 2 2\n1 0\n2 1\n-.5 .25", NULL);
    CHECK_NEAR(rg_problem_file_residual(p, (double[2]){0.5, 0.0}), 0.0, 0.0, "1");
    CHECK_NEAR(rg_problem_file_residual(p, (double[2]){0.0, 0.0}), 0.5, 1e-16, "1");
    CHECK_NEAR(rg_problem_file_info(p).asymmetry, 1.0, 0.0, "1");
    rg_problem_file_free(p);
}

Test(kind_lcp, reads_blocks)
{
    /* 3 x 3 as blocks of 1 and 2 rows: M = [5 0 0; 0 1 3; 7 2 4]. */
    RgProblemFile *p = parse("3\n1\n3\n3\n3 2 2\n1 3\n1 3\n3 3\n0 1 3\n0 0 1\n0\n5\n1\n0 7\n2\n1 2 3 4\n1 1 1", NULL);
    static const double expected[9] = {5, 0, 0, 0, 1, 3, 7, 2, 4};
    cr_expect_eq(memcmp(p->M, expected, sizeof expected), 0);
    rg_problem_file_free(p);
}

/* u + 2 v1 - 1 = 0; w = (v1 + 0 u + ..., ...): A = 1, B = [1 4/3; 0 1], C = (2, 0), D = 0. */
static const char block_form[] = "1 0 1 2\n0 1 3\n0 1\n0 3 3 3 3\n1 0 0\n2 1 0\n0 1.5 1\n-1 1 -3\n0 3 5";
static const char split_form[] = "0 1 1 2\n1\n1 1.5\n0 1\n2 0\n0\n0\n-1\n1 -3\n";

Test(kind_lcp, reads_both_forms_of_a_mixed_problem)
{
    RgProblemFile *a = parse(block_form, NULL), *b = parse(split_form, NULL);
    cr_expect_str_eq(rg_problem_file_info(a).kind, "mlcp");
    cr_expect_str_eq(rg_problem_file_info(b).kind, "mlcp");
    cr_assert_eq(a->n, 3);
    cr_assert_eq(b->n, 3);
    cr_expect_eq(memcmp(a->M, b->M, 9 * sizeof(double)), 0);
    cr_expect_eq(memcmp(a->q, b->q, 3 * sizeof(double)), 0);
    cr_expect(a->equation[0] && !a->equation[1] && !a->equation[2]);
    /* v = (0, 3), u = 1: w = (1.5 * 3 + 1, 0). */
    CHECK_NEAR(rg_problem_file_residual(a, (double[3]){1.0, 0.0, 3.0}), 0.0, 0.0, "1");
    /* u = 2: the equation misses 1, over |q| = sqrt(11). A free variable may be negative. */
    CHECK_NEAR(rg_problem_file_residual(a, (double[3]){2.0, 0.0, 3.0}), 1.0 / sqrt(11.0), 1e-15, "1");
    rg_problem_file_free(a);
    rg_problem_file_free(b);

    /* Inequalities first: the vector's order is that of the block form. */
    a = parse("1 0 1 1\n0 1 2\n1 0\n0 2 2 2 2\n1 0\n0 1\n-1 2", NULL);
    cr_expect(!a->equation[0] && a->equation[1]);
    CHECK_NEAR(rg_problem_file_residual(a, (double[2]){1.0, -2.0}), 0.0, 0.0, "1");
    rg_problem_file_free(a);
}

Test(kind_lcp, tells_kinds_apart)
{
    static const struct {
        const char *text, *kind;
    } cases[] = {
        {"1 0 1 1 1 1 2 -1", "lcp"},                           /* one row, dense */
        {"1 1 1 1 1 1 1 1 1 2 1 0 1 0 0 2 -1", "lcp"},         /* one row, one block */
        {"1 0 1 1 0 1 2 0 1 0 2 2 2 2 1 0 0 1 -1 2", "mlcp"},  /* one equation, one inequality */
        {"1 1 1 0 0 1 0 0 1 1 1 1 2 -1 2 -1", "mlcp"},         /* one equation alone */
        {"3 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 -1 -1", "lcp"},     /* three rows are no contact */
        {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 0 0 .5", "fc3d"}, /* one contact */
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        RgProblemFile *p = parse(cases[k].text, NULL);
        cr_expect_str_eq(rg_problem_file_info(p).kind, cases[k].kind, "%zu", k);
        rg_problem_file_free(p);
    }
}

Test(kind_lcp, refuses_with_line_and_expectation)
{
    static const struct {
        const char *text;
        RgStatus status;
        int line;
        const char *says;
    } bad[] = {
        {"2\n0\n2\n2\n2 2\n2 1\n1 2\n-5", RG_ERR_SYNTAX, 8, "end of the file"},
        {"40000\n0\n40000\n40000\n40000 40000\n1", RG_ERR_SYNTAX, 5, "are promised"},
        {"2 0 2 2 2 2\n2 1 1 inf\n-5 -6", RG_ERR_NOT_FINITE, 2, "not finite"},
        {"1 0 2 1\n0 1 3\n0 1\n0 3 3 3 3\n1 0 0\n2 1 0\n0 1.5 1\n-1 1 -3", RG_ERR_SYNTAX, 3, "2 equations"},
        {"1 1 1 1\n0 1 2\n0 1\n0 2 2 2 2\n1 0 0 1\n1 1\n1\n1\n5\n0\n1\n1", RG_ERR_SYNTAX, 12, "different problems"},
        {"0 1 20000 20000\n1 2 3", RG_ERR_SYNTAX, 1, "are promised"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        RgError error = {0};
        cr_expect_null(rg_problem_file_parse("bad", bad[k].text, strlen(bad[k].text), NULL, NULL, &error));
        cr_expect_eq(error.status, bad[k].status, "%zu: %s", k, error.text);
        cr_expect_eq(error.line, bad[k].line, "%zu: line %d: %s", k, error.line, error.text);
        cr_expect_not_null(strstr(error.text, bad[k].says), "%zu: %s", k, error.text);
    }
}
