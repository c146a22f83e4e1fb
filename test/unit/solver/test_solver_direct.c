/*
 * test_solver_direct.c - bilateral rows against a dense solve with pivoting.
 *
 *   (J M^-1 J' + C) z = rhs
 *
 * Random sparse rows over a diagonal mass, random rows over a full one, dependent rows, compliance,
 * patterns that change, memory that runs out.
 */
#include "check_near.h"
#include "counting.h"
#include "draw.h"
#include "solver/problem.h"

#include <stdlib.h>
#include <string.h>

#define ROOM 24
#define NU 30

/* A problem with room for the largest, J and M^-1 dense beside it, and A = J M^-1 J' + C. */
typedef struct Case {
    RgBilateral p;
    int start[ROOM + 1], columns[ROOM * NU];
    double values[ROOM * NU], Y[ROOM * NU], compliance[ROOM], rhs[ROOM], z[ROOM];
    double J[ROOM][NU], W[NU][NU], A[ROOM][ROOM];
} Case;

/* M^-1: diagonal, or full and positive definite. */
static void draw_mass(Draw *d, Case *c, bool diagonal)
{
    double B[NU][NU];
    for (int i = 0; i < NU; i++)
        for (int j = 0; j < NU; j++)
            B[i][j] = draw_between(d, -1.0, 1.0);
    for (int i = 0; i < NU; i++)
        for (int j = 0; j < NU; j++) {
            c->W[i][j] = i == j ? draw_between(d, 0.1, 10.0) : 0.0;
            for (int k = 0; k < NU && !diagonal; k++)
                c->W[i][j] += 0.1 * B[i][k] * B[j][k];
        }
}

/* J with about that many entries a row; rows beyond independent are sums of two earlier ones. */
static void draw_rows(Draw *d, Case *c, int n, int independent, double entries)
{
    memset(c->J, 0, sizeof c->J);
    for (int i = 0; i < n; i++) {
        int one = draw_below(d, independent), two = draw_below(d, independent);
        double s = draw_between(d, 0.5, 2.0), t = draw_between(d, -2.0, -0.5);
        for (int k = 0; k < NU; k++) {
            bool has = draw_chance(d, entries / NU) || k == i;
            double drawn = draw_between(d, -1.0, 1.0);
            c->J[i][k] = i >= independent ? s * c->J[one][k] + t * c->J[two][k] : has ? drawn : 0.0;
        }
    }
}

/* (M^-1 J_i')_k */
static double response(const Case *c, int i, int k)
{
    double y = 0.0;
    for (int l = 0; l < NU; l++)
        y += c->W[k][l] * c->J[i][l];
    return y;
}

/* Row i in the solver's words, at entry at; returns the entry after it. */
static int put_row(Case *c, int i, int at, bool diagonal)
{
    for (int k = 0; k < NU; k++) {
        if (!diagonal)
            c->Y[i * NU + k] = response(c, i, k);
        if (c->J[i][k] == 0.0)
            continue;
        if (diagonal)
            c->Y[at] = response(c, i, k);
        c->columns[at] = k;
        c->values[at++] = c->J[i][k];
    }
    return at;
}

/* A = J M^-1 J' + C, and a right side that has a solution even where rows depend on others. */
static void put_dense(Draw *d, Case *c, int n)
{
    double drawn[ROOM];
    for (int i = 0; i < n; i++) {
        drawn[i] = draw_between(d, -1.0, 1.0);
        for (int j = 0; j < n; j++) {
            c->A[i][j] = i == j ? c->compliance[i] : 0.0;
            for (int k = 0; k < NU; k++)
                c->A[i][j] += c->J[i][k] * response(c, j, k);
        }
    }
    for (int i = 0; i < n; i++) {
        c->rhs[i] = 0.0;
        for (int j = 0; j < n; j++)
            c->rhs[i] += c->A[i][j] * drawn[j];
    }
}

/* The whole problem, from J and W. */
static void put(Draw *d, Case *c, int n, bool diagonal, bool compliant)
{
    c->p = (RgBilateral){n,      NU,   c->start, c->columns, c->values, diagonal, c->Y, c->compliance,
                         c->rhs, c->z, -1,       -1.0,       NULL};
    c->start[0] = 0;
    for (int i = 0; i < n; i++) {
        c->start[i + 1] = put_row(c, i, c->start[i], diagonal);
        c->compliance[i] = compliant && draw_chance(d, 0.5) ? draw_between(d, 0.1, 2.0) : 0.0;
    }
    put_dense(d, c, n);
}

/* Largest of A z - rhs. */
static double left_over(const Case *c)
{
    double worst = 0.0;
    for (int i = 0; i < c->p.n; i++) {
        double sum = -c->rhs[i];
        for (int j = 0; j < c->p.n; j++)
            sum += c->A[i][j] * c->z[j];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

/* The solution of A z = rhs by elimination with pivoting. */
static void solve_dense(const Case *c, double *z)
{
    int n = c->p.n;
    double A[ROOM][ROOM + 1];
    for (int i = 0; i < n; i++) {
        memcpy(A[i], c->A[i], sizeof c->A[i]);
        A[i][n] = c->rhs[i];
    }
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        double row[ROOM + 1];
        memcpy(row, A[k], sizeof row);
        memcpy(A[k], A[best], sizeof row);
        memcpy(A[best], row, sizeof row);
        for (int i = 0; i < n; i++)
            for (int j = n; j >= k && i != k; j--)
                A[i][j] -= A[i][k] / A[k][k] * A[k][j];
    }
    for (int k = 0; k < n; k++)
        z[k] = A[k][n] / A[k][k];
}

static RgDirect *take(RgArena *arena, const RgAllocator *allocator)
{
    rg_arena_init(arena, allocator);
    RgDirect *direct = rg_direct_alloc(arena, ROOM, ROOM * NU, NU);
    cr_assert(direct != NULL);
    return direct;
}

static void give_back(RgArena *arena, RgDirect *direct)
{
    rg_direct_free(direct);
    rg_arena_free(arena);
}

/* One solver for all: every problem has another pattern, another size, another kind of mass. */
Test(solver_direct, random_problems_against_a_dense_solve)
{
    RgArena arena;
    RgDirect *direct = take(&arena, NULL);
    Case *c = calloc(1, sizeof *c);
    Draw d = draw_seed(71);
    for (int i = 0; i < 400; i++) {
        int n = 1 + draw_below(&d, ROOM);
        bool diagonal = draw_chance(&d, 0.5), compliant = draw_chance(&d, 0.5);
        draw_mass(&d, c, diagonal);
        draw_rows(&d, c, n, n, draw_chance(&d, 0.5) ? 1.5 : 10.0);
        put(&d, c, n, diagonal, compliant);
        double z[ROOM];
        solve_dense(c, z);
        cr_assert(rg_direct_solve(direct, &c->p) == RG_OK);
        cr_expect(c->p.redundant == 0, "problem %d: %d rows called dependent", i, c->p.redundant);
        CHECK_REL_ALL(c->z, z, n, 1e-8, "N");
        CHECK_NEAR(left_over(c), 0.0, 1e-11, "m/s^2");
        CHECK_NEAR(c->p.residual, 0.0, 1e-11, "m/s^2");
    }
    free(c);
    give_back(&arena, direct);
}

/* Rows that follow from earlier ones are counted, get no force, and hold all the same. */
Test(solver_direct, dependent_rows)
{
    RgArena arena;
    RgDirect *direct = take(&arena, NULL);
    Case *c = calloc(1, sizeof *c);
    Draw d = draw_seed(72);
    for (int i = 0; i < 200; i++) {
        int independent = 1 + draw_below(&d, ROOM / 2), n = independent + draw_below(&d, ROOM / 2);
        draw_mass(&d, c, i % 2 == 0);
        draw_rows(&d, c, n, independent, 3.0);
        put(&d, c, n, i % 2 == 0, false);
        cr_assert(rg_direct_solve(direct, &c->p) == RG_OK);
        cr_expect(c->p.redundant == n - independent, "problem %d: %d of %d", i, c->p.redundant, n - independent);
        for (int k = independent; k < n; k++)
            cr_expect(c->z[k] == 0.0, "problem %d: force %g on dependent row %d", i, c->z[k], k);
        CHECK_NEAR(left_over(c), 0.0, 1e-9, "m/s^2");
    }
    free(c);
    give_back(&arena, direct);
}

/* With compliance no row is dependent: it shares the load. */
Test(solver_direct, compliance_splits_the_load_between_equal_rows)
{
    RgArena arena;
    RgDirect *direct = take(&arena, NULL);
    Case *c = calloc(1, sizeof *c);
    Draw d = draw_seed(73);
    draw_mass(&d, c, true);
    for (int i = 0; i < 3; i++)
        c->J[i][5] = 2.0;
    put(&d, c, 3, true, false);
    for (int i = 0; i < 3; i++) {
        c->compliance[i] = 0.1 * (i + 1);
        c->rhs[i] = 1.0;
    }
    cr_assert(rg_direct_solve(direct, &c->p) == RG_OK);

    /* a z_sum + C_i z_i = 1 for each: z_i = s / C_i with s = 1 / (1 + a sum 1/C). */
    double a = 4.0 * c->W[5][5], sum = 1.0 / 0.1 + 1.0 / 0.2 + 1.0 / 0.3, s = 1.0 / (1.0 + a * sum);
    cr_expect(c->p.redundant == 0);
    for (int i = 0; i < 3; i++)
        CHECK_REL(c->z[i], s / (0.1 * (i + 1)), 1e-12, "N");
    free(c);
    give_back(&arena, direct);
}

/* No rows; a row without coefficients, alone and among others, with and without compliance. */
Test(solver_direct, empty_rows)
{
    RgArena arena;
    RgDirect *direct = take(&arena, NULL);
    Case *c = calloc(1, sizeof *c);
    Draw d = draw_seed(74);
    for (int i = 0; i < 8; i++) {
        bool diagonal = i % 2 == 0, compliant = i / 2 % 2 == 0;
        int n = i / 4 == 0 ? 1 : 5;
        draw_mass(&d, c, diagonal);
        draw_rows(&d, c, n, n, 4.0);
        memset(c->J[0], 0, sizeof c->J[0]);
        put(&d, c, n, diagonal, false);
        c->compliance[0] = c->A[0][0] = compliant ? 0.5 : 0.0;
        c->rhs[0] = compliant ? 3.0 : 0.0;
        cr_assert(rg_direct_solve(direct, &c->p) == RG_OK);
        cr_expect(c->p.redundant == !compliant && c->z[0] == (compliant ? 6.0 : 0.0), "case %d", i);
        CHECK_NEAR(left_over(c), 0.0, 1e-12, "m/s^2");
    }
    c->p.n = 0;
    c->start[0] = 0;
    cr_expect(rg_direct_solve(direct, &c->p) == RG_OK && c->p.redundant == 0 && c->p.residual == 0.0);
    free(c);
    give_back(&arena, direct);
}

/* What was solved before leaves no trace: the same bits as from a fresh solver. And another right side
   with the same factor. */
Test(solver_direct, has_no_memory_of_other_problems)
{
    RgArena arena, fresh_arena;
    RgDirect *direct = take(&arena, NULL);
    Case *c = calloc(1, sizeof *c);
    Draw d = draw_seed(75);
    for (int i = 0; i < 50; i++) {
        int n = 1 + draw_below(&d, ROOM);
        draw_mass(&d, c, i % 2 == 0);
        draw_rows(&d, c, n, n, 3.0);
        put(&d, c, n, i % 2 == 0, i % 3 == 0);
        cr_assert(rg_direct_solve(direct, &c->p) == RG_OK);
        double z[ROOM], again[ROOM];
        memcpy(z, c->z, sizeof z);
        RgDirect *fresh = take(&fresh_arena, NULL);
        cr_assert(rg_direct_solve(fresh, &c->p) == RG_OK);
        cr_expect(memcmp(z, c->z, (size_t)n * sizeof *z) == 0, "problem %d: other bits", i);
        for (int k = 0; k < n; k++)
            again[k] = -2.0 * c->rhs[k];
        rg_direct_solve_again(fresh, &c->p, again);
        for (int k = 0; k < n; k++)
            CHECK_NEAR(again[k], -2.0 * z[k], 1e-12 * (1.0 + fabs(z[k])), "N");
        give_back(&fresh_arena, fresh);
    }
    free(c);
    give_back(&arena, direct);
}

/* Two problems whose rows have as many entries each, but in other columns: first apart, then together. */
Test(solver_direct, columns_are_part_of_the_pattern)
{
    RgArena arena;
    RgDirect *direct = take(&arena, NULL);
    Case *c = calloc(1, sizeof *c);
    Draw d = draw_seed(77);
    draw_mass(&d, c, true);
    for (int shared = 0; shared < 2; shared++) {
        memset(c->J, 0, sizeof c->J);
        for (int i = 0; i < 3; i++) {
            c->J[i][i] = 1.0 + i;
            c->J[i][shared ? 20 : 10 + i] = 2.0;
        }
        put(&d, c, 3, true, false);
        cr_assert(rg_direct_solve(direct, &c->p) == RG_OK && c->p.redundant == 0);
        CHECK_NEAR(left_over(c), 0.0, 1e-13, "m/s^2");
    }
    free(c);
    give_back(&arena, direct);
}

/* The analysis of a pattern is the only memory taken later: where there is none the solver says so, and
   recovers. */
Test(solver_direct, no_memory_for_a_pattern)
{
    Counting counting = {0};
    RgAllocator allocator = counting_allocator(&counting);
    RgArena arena;
    RgDirect *direct = take(&arena, &allocator);
    Case *c = calloc(1, sizeof *c);
    Draw d = draw_seed(76);
    draw_mass(&d, c, true);
    draw_rows(&d, c, ROOM, ROOM, 10.0);
    put(&d, c, ROOM, true, false);
    counting.fail_at = counting.calls + 1;
    cr_expect(rg_direct_solve(direct, &c->p) == RG_ERR_MEMORY);
    counting.fail_at = 0;
    cr_expect(rg_direct_solve(direct, &c->p) == RG_OK);
    CHECK_NEAR(left_over(c), 0.0, 1e-10, "m/s^2");

    /* The same pattern again takes nothing. */
    long calls = counting.calls;
    cr_expect(rg_direct_solve(direct, &c->p) == RG_OK && counting.calls == calls);
    free(c);
    give_back(&arena, direct);
    cr_expect(counting.blocks == 0, "%ld blocks leaked", counting.blocks);
}
