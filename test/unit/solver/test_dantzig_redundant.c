/*
 * test_dantzig_redundant.c - single pivots on rows that depend on each other: min |s|^2 with J s = or >= wanted, whose
 * multipliers are a complementarity problem over G = J J'. Against all active sets tried one by one, and by the
 * conditions that mark the solution.
 */
#include "check_near.h"
#include "draw.h"
#include "solver/pivot/dantzig.h"

#include <string.h>

#define MOST 12
#define SPACE 9

typedef struct Problem {
    int n, m; /* rows, length of s */
    double J[MOST][SPACE];
    double G[MOST * MOST], wanted[MOST], z[MOST];
    bool equal[MOST];
    double s[SPACE];
} Problem;

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Unit rows, some of them sums of others. */
static void draw_problem(Draw *d, Problem *q, double equal, double dependent)
{
    q->n = 1 + draw_below(d, 7);
    q->m = 1 + draw_below(d, SPACE);
    for (int i = 0; i < q->n; i++) {
        bool depends = i >= 2 && draw_chance(d, dependent);
        double a = draw_between(d, 0.2, 1.0), b = draw_between(d, 0.2, 1.0);
        for (int k = 0; k < q->m; k++)
            q->J[i][k] = depends ? a * q->J[i - 1][k] + b * q->J[i - 2][k] : draw_between(d, -1.0, 1.0);
        double length = sqrt(dot(q->J[i], q->J[i], q->m));
        for (int k = 0; k < q->m; k++)
            q->J[i][k] /= length;
        q->equal[i] = draw_chance(d, equal);
    }
    for (int i = 0; i < q->n; i++)
        for (int j = 0; j < q->n; j++)
            q->G[i * q->n + j] = dot(q->J[i], q->J[j], q->m);
}

/* What is wanted can be had: a point that meets all. */
static void want_something_possible(Draw *d, Problem *q)
{
    double s[SPACE];
    for (int k = 0; k < q->m; k++)
        s[k] = draw_between(d, -1.0, 1.0);
    for (int i = 0; i < q->n; i++)
        q->wanted[i] = dot(q->J[i], s, q->m) - (q->equal[i] || draw_chance(d, 0.3) ? 0.0 : draw_between(d, 0.0, 2.0));
}

/* z, and s = J' z. True: all rows are met. */
static bool solve(Problem *q)
{
    RgArena arena;
    RgDenseLcp lcp;
    RgDantzigReport report;
    RgExactOptions options = rg_exact_options_default();
    rg_arena_init(&arena, NULL);
    cr_assert(rg_dense_lcp_alloc(&arena, q->n, false, &lcp));
    memcpy(lcp.M, q->G, (size_t)(q->n * q->n) * sizeof *lcp.M);
    for (int i = 0; i < q->n; i++) {
        lcp.q[i] = -q->wanted[i];
        lcp.low[i] = q->equal[i] ? -INFINITY : 0.0;
        lcp.high[i] = INFINITY;
    }
    cr_assert(rg_dantzig_box(&arena, &lcp, &options, &report) == RG_OK);
    memcpy(q->z, lcp.z, (size_t)q->n * sizeof *lcp.z);
    rg_arena_free(&arena);
    memset(q->s, 0, sizeof q->s);
    for (int i = 0; i < q->n; i++)
        for (int k = 0; k < q->m; k++)
            q->s[k] += q->z[i] * q->J[i][k];
    return report.outcome == RG_SOLVE_SOLVED;
}

/* What of r is across a basis of unit vectors; twice is enough. */
static void reject(double *r, double basis[][SPACE], int rank, int m)
{
    for (int k = 0; k < 2 * rank; k++) {
        double c = dot(r, basis[k % rank], m);
        for (int e = 0; e < m; e++)
            r[e] -= c * basis[k % rank][e];
    }
}

/* Shortest s that meets the rows of a set with equality, by Gram-Schmidt; false: they contradict. */
static bool shortest_of_set(const Problem *q, unsigned set, double *s)
{
    double basis[SPACE][SPACE];
    int rank = 0;
    memset(s, 0, SPACE * sizeof *s);
    for (int i = 0; i < q->n; i++) {
        if (!(set >> i & 1))
            continue;
        double r[SPACE], missing = q->wanted[i] - dot(q->J[i], s, q->m);
        memcpy(r, q->J[i], sizeof r);
        reject(r, basis, rank, q->m);
        double length = sqrt(dot(r, r, q->m));
        if (length < 1e-7 && fabs(missing) > 1e-9)
            return false;
        if (length < 1e-7)
            continue;
        for (int e = 0; e < q->m; e++) {
            basis[rank][e] = r[e] / length;
            s[e] += missing / length * basis[rank][e];
        }
        rank++;
    }
    return true;
}

/* The shortest of all s that are shortest for some set and meet every row. */
static double brute_force(const Problem *q)
{
    double least = INFINITY;
    for (unsigned set = 0; set < 1u << q->n; set++) {
        double s[SPACE];
        bool good = true;
        for (int i = 0; i < q->n; i++)
            good = good && (!q->equal[i] || (set >> i & 1));
        if (!good || !shortest_of_set(q, set, s))
            continue;
        for (int i = 0; i < q->n; i++)
            good = good && dot(q->J[i], s, q->m) >= q->wanted[i] - 1e-9;
        if (good)
            least = fmin(least, sqrt(dot(s, s, q->m)));
    }
    return least;
}

Test(dantzig_redundant, is_the_best_of_all_active_sets)
{
    Draw d = draw_seed(11);
    for (int i = 0; i < 4000; i++) {
        Problem q;
        draw_problem(&d, &q, draw_between(&d, 0.0, 0.6), 0.4);
        want_something_possible(&d, &q);
        double best = brute_force(&q);
        cr_assert(solve(&q), "problem %d", i);
        CHECK_NEAR(sqrt(dot(q.s, q.s, q.m)), best, 1e-8 * (1.0 + best), "");
        for (int k = 0; k < q.n; k++) {
            double got = dot(q.J[k], q.s, q.m);
            cr_expect(got >= q.wanted[k] - 1e-9, "row %d of problem %d is missed by %g", k, i, q.wanted[k] - got);
            if (q.equal[k])
                CHECK_NEAR(got, q.wanted[k], 1e-9, "");
            else
                cr_expect(q.z[k] >= 0.0);
            if (!q.equal[k] && q.z[k] > 1e-9)
                CHECK_NEAR(got, q.wanted[k], 1e-9, "");
        }
    }
}

/* Two walls nearer than the thing between them. */
Test(dantzig_redundant, says_when_rows_contradict)
{
    Problem q = {.n = 3, .m = 2, .J = {{1.0, 0.0}, {-1.0, 0.0}, {0.0, 1.0}}};
    for (int i = 0; i < 3; i++) {
        q.equal[i] = false;
        q.wanted[i] = 1.0;
        for (int j = 0; j < 3; j++)
            q.G[3 * i + j] = dot(q.J[i], q.J[j], 2);
    }
    cr_expect(!solve(&q));
    CHECK_NEAR(q.s[1], 1.0, 1e-14, "");
    cr_expect(isfinite(q.s[0]));
}
