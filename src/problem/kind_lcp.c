/*
 * kind_lcp.c - linear complementarity problems, also mixed ones.
 *
 *   lcp    w = M z + q,   0 <= w, z, perpendicular
 *   mlcp   the same, but w = 0 and z free in the rows that are equations:
 *          A u + C v + a = 0,   0 <= v perpendicular to D u + B v + b >= 0
 *
 * Residual: root of the sum of squares of min(z, w), of w in equations, over max(1, |q|).
 *
 * File format of an LCP: size, matrix M, q. Of a mixed one: whether the block form is given, whether the split form is
 * given, n equations, m inequalities; block form: starts of the blocks of rows, 0 (equations) or 1 for each, M, q;
 * split form: A, B, C, D, a, b, row by row. The order of unknowns is that of the block form if it is given, else u, v.
 * Text after that is ignored.
 */
#include "problem/problem_file.h"

#include <limits.h>
#include <math.h>

/* Largest number of rows: the largest n with n^2 below 2^31. */
enum { MAX_ROWS = 46340 };

/* Largest difference between the two forms of one problem, relative to the largest entry. */
#define SAME_FORM 1e-6

static bool lcp_is_begun(const RgProblemStart *start)
{
    const double *x = start->number;
    bool storage = x[1] == 0.0 || x[1] == 1.0 || x[1] == 2.0;
    /* A problem of one row could be taken for the flags of a mixed one, whose blocks start with 0. */
    return storage && x[0] >= 1.0 && x[2] == x[0] && x[3] == x[0] && !(x[0] == 1.0 && x[4] == 0.0);
}

static bool mlcp_is_begun(const RgProblemStart *start)
{
    const double *x = start->number;
    bool flags = (x[0] == 0.0 || x[0] == 1.0) && (x[1] == 0.0 || x[1] == 1.0) && x[0] + x[1] > 0.0;
    return flags && x[2] >= 0.0 && x[3] >= 0.0 && x[2] == floor(x[2]) && x[3] == floor(x[3]);
}

/* ------------------------------------------------------------------ reading */

static void set_scales(RgProblemText *t, RgProblemFile *p)
{
    size_t n = (size_t)p->n;
    double largest = 0.0, deviation = 0.0, sum = 0.0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            largest = fmax(largest, fabs(p->M[i * n + j]));
            deviation = fmax(deviation, fabs(p->M[i * n + j] - p->M[j * n + i]));
        }
    for (size_t i = 0; i < n; i++)
        sum += p->q[i] * p->q[i];
    p->asymmetry = largest > 0.0 ? deviation / largest : 0.0;
    p->scale = fmax(1.0, sqrt(sum));
    if (!isfinite(p->scale))
        rg_problem_text_fail(t, RG_ERR_NOT_FINITE, "the norm of q is not finite");
}

/* Reads matrix and vector of n rows. */
static void read_form(RgProblemText *t, RgProblemFile *p, int n)
{
    RgFileMatrix matrix;
    rg_file_matrix_read(t, &p->arena, n, &matrix);
    p->M = rg_file_matrix_dense(t, &p->arena, &matrix);
    double *q = rg_problem_text_alloc_numbers(t, &p->arena, "the vector q", (size_t)n);
    rg_problem_text_numbers(t, "a value of q", q, (size_t)n);
    p->q = q;
}

static bool *alloc_flags(RgProblemText *t, RgProblemFile *p, int n)
{
    bool *flags = t->failed ? NULL : RG_ARENA_ALLOC(&p->arena, bool, n);
    if (flags == NULL)
        rg_problem_text_fail(t, RG_ERR_MEMORY, "out of memory");
    return flags;
}

static void read_lcp(RgProblemText *t, RgProblemFile *p)
{
    int n = rg_problem_text_count(t, "size of the problem", 0, MAX_ROWS);
    read_form(t, p, n);
    p->equation = alloc_flags(t, p, n);
    p->n = n;
    if (!t->failed)
        set_scales(t, p);
}

/* Reads the blocks of rows and their kinds. Returns which rows are equations. */
static bool *read_equations(RgProblemText *t, RgProblemFile *p, int equations, int rows)
{
    if (!rg_problem_text_holds(t, "blocks of rows", (size_t)rows))
        return NULL;
    bool *equation = alloc_flags(t, p, rows);
    int *end = t->failed ? NULL : RG_ARENA_ALLOC(&p->arena, int, rows + 1);
    if (end == NULL) {
        rg_problem_text_fail(t, RG_ERR_MEMORY, "out of memory");
        return NULL;
    }
    int blocks = 0, sum = 0;
    rg_problem_text_count(t, "start of the first block of rows", 0, 0);
    for (int last = 0; last < rows && !t->failed; blocks++)
        last = end[blocks] = rg_problem_text_count(t, "end of a block of rows", last + 1, rows);
    for (int b = 0; b < blocks && !t->failed; b++) {
        bool inequality = rg_problem_text_count(t, "kind of a block of rows (0 equations, 1 complementarity)", 0, 1);
        for (int i = b > 0 ? end[b - 1] : 0; i < end[b]; i++) {
            equation[i] = !inequality;
            sum += !inequality;
        }
    }
    if (!t->failed && sum != equations)
        rg_problem_text_fail(t, RG_ERR_SYNTAX, "%d equations are promised, the blocks of rows have %d", equations, sum);
    return equation;
}

/* Reads a part of the split form, row by row; of: whether its rows and its columns are equations. */
static void read_part(RgProblemText *t, const char *what, const RgProblemFile *p, const bool of[2], double *M)
{
    int n = p->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n && p->equation[i] == of[0] && !t->failed; j++)
            if (p->equation[j] == of[1])
                rg_problem_text_numbers(t, what, &M[(size_t)i * (size_t)n + (size_t)j], 1);
}

static void read_split_vector(RgProblemText *t, const char *what, const RgProblemFile *p, bool of, double *q)
{
    for (int i = 0; i < p->n && !t->failed; i++)
        if (p->equation[i] == of)
            rg_problem_text_numbers(t, what, &q[i], 1);
}

/* Largest difference of two forms, relative to the largest entry. */
static double relative_difference(const double *x, const double *y, size_t n)
{
    double largest = 0.0, deviation = 0.0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(x[i]));
        deviation = fmax(deviation, fabs(x[i] - y[i]));
    }
    return largest > 0.0 ? deviation / largest : deviation;
}

static void read_split(RgProblemText *t, RgProblemFile *p)
{
    static const struct {
        const char *what;
        bool of[2];
    } parts[] = {{"an entry of A", {true, true}},
                 {"an entry of B", {false, false}},
                 {"an entry of C", {true, false}},
                 {"an entry of D", {false, true}}};
    size_t n = (size_t)p->n;
    double *M = rg_problem_text_alloc_numbers(t, &p->arena, "the split form", n * n);
    double *q = rg_problem_text_alloc_numbers(t, &p->arena, "the split form", n);
    for (int k = 0; k < 4 && !t->failed; k++)
        read_part(t, parts[k].what, p, parts[k].of, M);
    read_split_vector(t, "a value of a", p, true, q);
    read_split_vector(t, "a value of b", p, false, q);
    if (t->failed)
        return;
    if (p->M != NULL &&
        !(relative_difference(p->M, M, n * n) <= SAME_FORM && relative_difference(p->q, q, n) <= SAME_FORM))
        rg_problem_text_fail(t, RG_ERR_SYNTAX, "the block form and the split form are different problems");
    if (p->M == NULL) {
        p->M = M;
        p->q = q;
    }
}

static void read_mlcp(RgProblemText *t, RgProblemFile *p)
{
    bool blocks = rg_problem_text_count(t, "whether the block form is given", 0, 1);
    bool split = rg_problem_text_count(t, "whether the split form is given", 0, 1);
    if (!blocks && !split)
        rg_problem_text_fail(t, RG_ERR_SYNTAX, "neither the block form nor the split form is given");
    int equations = rg_problem_text_count(t, "number of equations", 0, MAX_ROWS / 2);
    int n = equations + rg_problem_text_count(t, "number of inequalities", 0, MAX_ROWS / 2);
    p->n = n;
    if (blocks) {
        p->equation = read_equations(t, p, equations, n);
        read_form(t, p, n);
    } else if (rg_problem_text_holds(t, "the split form", (size_t)n * (size_t)n)) {
        bool *first = alloc_flags(t, p, n);
        for (int i = 0; i < equations && first != NULL; i++)
            first[i] = true;
        p->equation = first;
    }
    if (split && !t->failed)
        read_split(t, p);
    if (!t->failed)
        set_scales(t, p);
}

/* ------------------------------------------------------------------ residual */

static double times_row(const RgProblemFile *p, int i, const double *x)
{
    const double *row = p->M + (size_t)i * (size_t)p->n;
    double sum = 0.0;
    for (int j = 0; j < p->n; j++)
        sum += row[j] * x[j];
    return sum;
}

static double residual(const RgProblemFile *p, const double *z)
{
    double sum = 0.0;
    for (int i = 0; i < p->n; i++) {
        double w = times_row(p, i, z) + p->q[i];
        double miss = p->equation[i] || w < z[i] ? w : z[i];
        sum += miss * miss;
    }
    return sqrt(sum) / p->scale;
}

/* ------------------------------------------------------------------ for solvers of rows */

static void times(const RgProblemFile *p, const double *x, double *out)
{
    for (int i = 0; i < p->n; i++)
        out[i] = times_row(p, i, x);
}

static void symmetric(const RgProblemFile *p, double *out)
{
    size_t n = (size_t)p->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            out[i * n + j] = 0.5 * (p->M[i * n + j] + p->M[j * n + i]);
}

static void describe_row(const RgProblemFile *p, int i, RgProblem *rows)
{
    rows->row_class[i] = p->equation[i] ? RG_ROW_BILATERAL : RG_ROW_BOUNDED;
    rows->normal[i] = -1;
    rows->low[i] = p->equation[i] ? -INFINITY : 0.0;
    rows->high[i] = INFINITY;
    rows->target[i] = -p->q[i];
}

const RgProblemKind rg_problem_kind_lcp = {.name = "lcp",
                                           .begins_with = "'size storage rows columns' (lcp)",
                                           .recognises = lcp_is_begun,
                                           .read = read_lcp,
                                           RG_PROBLEM_FUNCTIONS};

const RgProblemKind rg_problem_kind_mlcp = {.name = "mlcp",
                                            .begins_with = "two flags, equations and inequalities (mlcp)",
                                            .recognises = mlcp_is_begun,
                                            .read = read_mlcp,
                                            RG_PROBLEM_FUNCTIONS};
