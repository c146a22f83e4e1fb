/*
 * test_kind_fc3d.c - contacts in files: reading, and the judge against answers known by hand.
 *
 * One contact with W = 1: it opens where q_n >= 0; sticks with r = -q where |q_t| <= mu |q_n|; else slides with
 * r_n = -q_n and r_t = -mu r_n along q_t. Twins: the same problem dense and in blocks; the projection against what
 * defines it.
 */
#include "check_near.h"
#include "draw.h"
#include "problem/problem_file.h"

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

/* One contact with the unit matrix. */
static RgProblemFile *one_contact(double n, double t1, double t2, double mu)
{
    char text[300];
    snprintf(text, sizeof text, "3 1 0 3 3 3 3\n1 0 0\n0 1 0\n0 0 1\n%.17g %.17g %.17g\n%.17g\n1\n", n, t1, t2, mu);
    return parse(text);
}

static double judge_one(const double q[3], double mu, const double r[3])
{
    RgProblemFile *p = one_contact(q[0], q[1], q[2], mu);
    cr_expect_str_eq(rg_problem_file_info(p).kind, "fc3d");
    double found = rg_problem_file_residual(p, r);
    rg_problem_file_free(p);
    return found;
}

Test(kind_fc3d, judges_a_contact_that_opens)
{
    CHECK_NEAR(judge_one((double[3]){1.0, 0.3, -2.0}, 0.5, (double[3]){0.0, 0.0, 0.0}), 0.0, 0.0, "1");
    /* Pulling: the map is r - P(r - w) with r = (-1, 0, 0), w = 0: all of r, over |q| = 1. */
    CHECK_NEAR(judge_one((double[3]){1.0, 0.0, 0.0}, 0.5, (double[3]){-1.0, 0.0, 0.0}), 1.0, 1e-15, "1");
}

Test(kind_fc3d, judges_a_contact_that_sticks)
{
    CHECK_NEAR(judge_one((double[3]){-2.0, 0.3, -0.4}, 0.5, (double[3]){2.0, -0.3, 0.4}), 0.0, 1e-16, "1");
    /* Nothing done: r - P(-q) = -P((2, 0, 0)), over 2. */
    CHECK_NEAR(judge_one((double[3]){-2.0, 0.0, 0.0}, 0.5, (double[3]){0.0, 0.0, 0.0}), 1.0, 1e-15, "1");
}

Test(kind_fc3d, judges_a_contact_that_slides)
{
    CHECK_NEAR(judge_one((double[3]){-2.0, 3.0, 0.0}, 0.5, (double[3]){2.0, -1.0, 0.0}), 0.0, 1e-15, "1");
    CHECK_NEAR(judge_one((double[3]){-2.0, 1.8, 2.4}, 0.5, (double[3]){2.0, -0.6, -0.8}), 0.0, 1e-15, "1");
    /* Friction that drives, or is too weak, is no solution. */
    cr_expect(judge_one((double[3]){-2.0, 3.0, 0.0}, 0.5, (double[3]){2.0, 1.0, 0.0}) > 0.1);
    cr_expect(judge_one((double[3]){-2.0, 3.0, 0.0}, 0.5, (double[3]){2.0, -0.9, 0.0}) > 0.01);
    /* The solution of the convex problem lifts off by mu |w_t|: no solution of Coulomb's law. */
    cr_expect(judge_one((double[3]){-2.0, 3.0, 0.0}, 0.5, (double[3]){2.8, -1.4, 0.0}) > 0.1);
}

Test(kind_fc3d, judges_without_friction_and_not_finite)
{
    CHECK_NEAR(judge_one((double[3]){-2.0, 3.0, 0.0}, 0.0, (double[3]){2.0, 0.0, 0.0}), 0.0, 0.0, "1");
    cr_expect(isinf(judge_one((double[3]){-2.0, 3.0, 0.0}, 0.0, (double[3]){NAN, 0.0, 0.0})));
    cr_expect(isinf(judge_one((double[3]){-2.0, 3.0, 0.0}, 0.0, (double[3]){1e300, 1e300, 0.0})));
}

/* Nearest: the rest is perpendicular and in the polar cone, mu |t| <= -n. */
Test(kind_fc3d, projects_onto_the_cone)
{
    Draw d = draw_seed(3);
    for (int k = 0; k < 2000; k++) {
        double mu = k % 10 == 0 ? 0.0 : draw_between(&d, 0.0, 1.0) * (k % 3 == 0 ? 100.0 : 1.0), p[3];
        double x[3] = {draw_between(&d, -1.0, 1.0), draw_between(&d, -1.0, 1.0), draw_between(&d, -1.0, 1.0)};
        rg_cone_nearest(mu, x, p);
        double rest[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
        cr_expect(hypot(p[1], p[2]) <= mu * p[0] + 1e-14);
        cr_expect(mu * hypot(rest[1], rest[2]) <= -rest[0] + 1e-13 * (1.0 + mu), "%g", mu);
        CHECK_NEAR(p[0] * rest[0] + p[1] * rest[1] + p[2] * rest[2], 0.0, 1e-14, "1");
    }
}

/* ------------------------------------------------------------------ reading */

/* Two contacts that push each other; the third block is zero in the dense form. */
static const char dense_two[] = "3\n2\n0\n6\n6\n6 6\n"
                                "2 0 0 .5 0 0\n0 3 .1 0 0 0\n0 .1 4 0 .2 0\n"
                                ".5 0 0 2 0 0\n0 0 .2 0 1 0\n0 0 0 0 0 1\n"
                                "-1 .2 .3 -2 .1 .5\n.3 .6\n";
static const char block_two[] = "3 2 1 6 6\n4 2 2\n3 6\n3 6\n3 4\n0 2 4\n1 0 0 1\n"
                                "0\n.5 0 0 0 0 .2 0 0 0\n"
                                "1\n2 0 0 0 3 .1 0 .1 4\n"
                                "2\n.5 0 0 0 0 0 0 .2 0\n"
                                "3\n2 0 0 0 1 0 0 0 1\n"
                                "-1 .2 .3 -2 .1 .5\n.3 .6\nremark\n";

Test(kind_fc3d, reads_dense_and_blocks_alike)
{
    RgProblemFile *a = parse(dense_two), *b = parse(block_two);
    RgContactBlocks x, y;
    cr_assert(rg_problem_file_blocks(a, &x) && rg_problem_file_blocks(b, &y));
    cr_assert_eq(x.n, 2);
    cr_assert_eq(y.n, 2);
    cr_assert_eq(x.start[2], 4);
    cr_expect_eq(memcmp(x.start, y.start, 3 * sizeof(int)), 0);
    cr_expect_eq(memcmp(x.column, y.column, 4 * sizeof(int)), 0);
    cr_expect_eq(memcmp(x.block, y.block, 36 * sizeof(double)), 0);
    cr_expect_eq(memcmp(x.q, y.q, 6 * sizeof(double)), 0);
    cr_expect_eq(memcmp(x.mu, y.mu, 2 * sizeof(double)), 0);
    CHECK_NEAR(rg_problem_file_info(a).asymmetry, 0.0, 0.0, "1");
    /* Off-diagonal block (0, 1): W_24 = 0.2, row 2 of contact 0, column 1 of contact 1. */
    CHECK_NEAR(x.block[9 + 7], 0.2, 0.0, "1");
    CHECK_NEAR(x.block[18 + 5], 0.2, 0.0, "1");

    /* By hand: w of r = (1, 0, 0, 2, 0, 0) is (2 + 1 - 1, .2, .3, .5 + 4 - 2, .1, .5). */
    double r[6] = {1.0, 0.0, 0.0, 2.0, 0.0, 0.0}, w[6] = {2.0, 0.2, 0.3, 2.5, 0.1, 0.5}, sum = 0.0;
    double mu[2] = {0.3, 0.6}, q2 = 1.0 + 0.04 + 0.09 + 4.0 + 0.01 + 0.25;
    for (int i = 0; i < 2; i++) {
        double slip = hypot(w[3 * i + 1], w[3 * i + 2]);
        double at[3] = {r[3 * i] - w[3 * i] - mu[i] * slip, -w[3 * i + 1], -w[3 * i + 2]}, p[3];
        rg_cone_nearest(mu[i], at, p);
        for (int k = 0; k < 3; k++)
            sum += (r[3 * i + k] - p[k]) * (r[3 * i + k] - p[k]);
    }
    CHECK_NEAR(rg_problem_file_residual(a, r), sqrt(sum / q2), 1e-15, "1");
    rg_problem_file_free(a);
    rg_problem_file_free(b);
}

Test(kind_fc3d, drops_zero_blocks_keeps_diagonals)
{
    RgProblemFile *p = parse("3 2 0 6 6 6 6\n1 0 0 0 0 0  0 1 0 0 0 0  0 0 1 0 0 0\n"
                             "0 0 0 0 0 0  0 0 0 0 0 0  0 0 0 0 0 0\n-1 0 0 0 0 0\n1 1\n");
    RgContactBlocks b;
    cr_assert(rg_problem_file_blocks(p, &b));
    cr_expect_eq(b.start[1], 1);
    cr_expect_eq(b.start[2], 2);
    cr_expect_eq(b.column[1], 1);
    rg_problem_file_free(p);
    p = parse("3 0 0 0 0 0 0\n");
    cr_expect_eq(rg_problem_file_info(p).contacts, 0);
    CHECK_NEAR(rg_problem_file_residual(p, (double[1]){0.0}), 0.0, 0.0, "1");
    rg_problem_file_free(p);
}

static int remarks;

static void count_remark(const char *file, int line, const char *text, void *context)
{
    (void)file, (void)line, (void)context;
    remarks += strstr(text, "not symmetric") != NULL;
}

Test(kind_fc3d, remarks_on_a_matrix_that_is_not_symmetric)
{
    const char text[] = "3 1 0 3 3 3 3  1 0.1 0 0 1 0 0 0 1  -1 0 0  0.5";
    RgLog log = {count_remark, NULL};
    RgProblemFile *p = rg_problem_file_parse("text", text, strlen(text), NULL, &log, NULL);
    cr_assert_not_null(p);
    cr_expect_eq(remarks, 1);
    CHECK_NEAR(rg_problem_file_info(p).asymmetry, 0.1, 1e-16, "1");
    /* Column-major: 0.1 is W_10. */
    RgContactBlocks b;
    rg_problem_file_blocks(p, &b);
    CHECK_NEAR(b.block[3], 0.1, 0.0, "1");
    rg_problem_file_free(p);
}

typedef struct Bad {
    const char *text;
    RgStatus status;
    int line;
    const char *says;
} Bad;

Test(kind_fc3d, refuses_with_line_and_expectation)
{
    static const Bad bad[] = {
        {"", RG_ERR_SYNTAX, 1, "no problem that is known"},
        {"hello world", RG_ERR_SYNTAX, 1, "no problem that is known"},
        {"3\n1\n0\n3\n3\n3 3\n1 0 0 0 1 0\n0 0", RG_ERR_SYNTAX, 8, "end of the file"},
        {"3 1 0 3 3 3 4\n1 0 0 0 1 0 0 0 1 -1 0 0 .5", RG_ERR_SYNTAX, 1, "columns of the dense matrix"},
        {"3 1 0 3 3 3 3\n1 0 0 0 x 0 0 0 1\n-1 0 0 .5", RG_ERR_SYNTAX, 2, "found 'x'"},
        {"3 1 0 3 3 3 3\n1 0 0 0 nan 0 0 0 1\n-1 0 0 .5", RG_ERR_NOT_FINITE, 2, "not finite"},
        {"3 1 0 3 3 3 3\n1 0 0 0 1e999 0 0 0 1\n-1 0 0 .5", RG_ERR_NOT_FINITE, 2, "not finite"},
        {"3 1 0 3 3 3 3\n1 0 0 0 1 0 0 0 1\n-inf 0 0 .5", RG_ERR_NOT_FINITE, 3, "not finite"},
        {"3 1 0 3 3 3 3\n1 0 0 0 1 0 0 0 1\n-1 0 0\n-.5", RG_ERR_SYNTAX, 4, "negative"},
        {"3 1 2 3 3 3 3\n1 0 0 0 1 0 0 0 1\n-1 0 0\n.5", RG_ERR_UNSUPPORTED, 1, "storage 2"},
        {"3 30000000 0 90000000 90000000 90000000 90000000\n1 2 3", RG_ERR_SYNTAX, 1, "are promised"},
        {"3 30000000 1 90000000 90000000 100000000 30000000 30000000\n1 2 3", RG_ERR_SYNTAX, 1, "are promised"},
        {"3 1 1 3 3\n2 1 1\n3\n3\n2 2\n0 2\n0 0\n0\n1 0 0 0 1 0 0 0 1\n1\n1 0 0 0 1 0 0 0 1\n-1 0 0\n.5", RG_ERR_SYNTAX,
         11, "two blocks in one place"},
        {"3 1 1 3 3\n1 1 1\n3\n3\n2 1\n0 1\n4\n0\n1 0 0 0 1 0 0 0 1\n-1 0 0\n.5", RG_ERR_SYNTAX, 7,
         "column of a block"},
        {"3 1 1 3 3\n1 1 1\n3\n3\n2 1\n0 1\n0\n7\n1 0 0 0 1 0 0 0 1\n-1 0 0\n.5", RG_ERR_SYNTAX, 8,
         "number of the block"},
        {"3 2 1 6 6\n1 2 1\n2 6\n6\n3 1\n0 1 1\n0\n0\n1 0 0 0 1 0 0 0 1 1 1 1\n-1 0 0\n.5", RG_ERR_SYNTAX, 9,
         "multiples of 3"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        RgError error = {0};
        RgProblemFile *p = rg_problem_file_parse("bad", bad[k].text, strlen(bad[k].text), NULL, NULL, &error);
        cr_expect_null(p, "%zu", k);
        cr_expect_eq(error.status, bad[k].status, "%zu: %s", k, error.text);
        cr_expect_eq(error.line, bad[k].line, "%zu: line %d: %s", k, error.line, error.text);
        cr_expect_not_null(strstr(error.text, bad[k].says), "%zu: %s", k, error.text);
        cr_expect_str_eq(error.file, "bad");
    }
}

Test(kind_fc3d, refuses_a_file_that_is_not_there)
{
    RgError error = {0};
    cr_expect_null(rg_problem_file_read("/nowhere/at/all", NULL, NULL, &error));
    cr_expect_eq(error.status, RG_ERR_FILE);
    cr_expect_null(rg_problem_file_parse("x", "3 0 0 0 0 0 0", 13, "fc4d", NULL, &error));
    cr_expect_eq(error.status, RG_ERR_NOT_FOUND);
    cr_expect_not_null(strstr(error.text, "fc4d"));
    cr_expect_null(rg_problem_file_parse("x", "3 0 0 0 0 0 0", 13, "lcp", NULL, &error));
    cr_expect_eq(error.status, RG_ERR_SYNTAX);
}
