/* lcp_fixture.h - dense complementarity problems: drawn, read from files, solved by trying all cases. */
#ifndef TEST_UNIT_LCP_FIXTURE_H
#define TEST_UNIT_LCP_FIXTURE_H

#include "check_near.h"
#include "draw.h"
#include "math/dense_factor.h"
#include "solver/pivot/lemke.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LCP_ROWS 64

typedef struct LcpCase {
    RgDenseLcp lcp;
    RgArena arena;
    double M[LCP_ROWS * LCP_ROWS], q[LCP_ROWS], low[LCP_ROWS], high[LCP_ROWS], z[LCP_ROWS], w[LCP_ROWS];
    int normal[LCP_ROWS];
} LcpCase;

/* All of M and q zero, z >= 0. */
static inline LcpCase *lcp_begin(int n)
{
    LcpCase *c = calloc(1, sizeof *c);
    cr_assert(c != NULL && n <= LCP_ROWS);
    c->lcp = (RgDenseLcp){.n = n, .M = c->M, .q = c->q, .low = c->low, .high = c->high, .z = c->z, .w = c->w};
    for (int i = 0; i < n; i++) {
        c->high[i] = INFINITY;
        c->normal[i] = -1;
    }
    rg_arena_init(&c->arena, NULL);
    return c;
}

static inline void lcp_end(LcpCase *c)
{
    rg_arena_free(&c->arena);
    free(c);
}

static inline double *lcp_at(LcpCase *c, int i, int j)
{
    return &c->M[i * c->lcp.n + j];
}

/* M = G G' with G of n x rank, plus a diagonal. */
static inline void lcp_gram(LcpCase *c, Draw *d, int rank, double diagonal)
{
    int n = c->lcp.n;
    double G[LCP_ROWS][LCP_ROWS];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < rank; k++)
            G[i][k] = draw_between(d, -1.0, 1.0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = i == j ? diagonal : 0.0;
            for (int k = 0; k < rank; k++)
                sum += G[i][k] * G[j][k];
            *lcp_at(c, i, j) = sum;
        }
    c->lcp.symmetric = true;
}

static inline RgLemkeReport lcp_lemke(LcpCase *c)
{
    RgExactOptions o = rg_exact_options_default();
    RgLemkeReport report;
    rg_arena_reset(&c->arena);
    cr_assert(rg_lemke_solve(&c->arena, &c->lcp, &o, &report) == RG_OK);
    return report;
}

/* Tries one case: places of the variables in base 3. True: it solves; z is its solution. */
static inline bool lcp_try(LcpCase *c, int number)
{
    int n = c->lcp.n, list[LCP_ROWS], count = 0;
    RgDenseLcp *lcp = &c->lcp;
    for (int i = 0; i < n; i++, number /= 3) {
        int place = number % 3;
        double bound = place == 0 ? lcp->low[i] : lcp->high[i];
        lcp->z[i] = 0.0;
        if (place == 1)
            list[count++] = i;
        else if (isinf(bound))
            return false;
        else
            lcp->z[i] = bound;
    }
    double doubles[LCP_ROWS * (LCP_ROWS + 1)], b[LCP_ROWS];
    int ints[2 * LCP_ROWS];
    RgLu lu;
    rg_lu_place(&lu, count, doubles, ints);
    for (int k = 0; k < count; k++) {
        b[k] = -lcp->q[list[k]];
        for (int j = 0; j < n; j++)
            b[k] -= *lcp_at(c, list[k], j) * lcp->z[j];
        for (int j = 0; j < count; j++)
            lu.a[k * count + j] = *lcp_at(c, list[k], list[j]);
    }
    rg_lu_factor(&lu, 1e-12);
    rg_lu_solve(&lu, b, b);
    for (int k = 0; k < count; k++)
        lcp->z[list[k]] = b[k];
    return rg_dense_lcp_residual(lcp).plain < 1e-9;
}

/* By trying all cases. Complete when no principal block is singular; else it may miss solutions. */
static inline bool lcp_enumerate(LcpCase *c)
{
    int cases = 1;
    for (int i = 0; i < c->lcp.n; i++)
        cases *= 3;
    for (int number = 0; number < cases; number++)
        if (lcp_try(c, number))
            return true;
    return false;
}

/* ------------------------------------------------------------------ files */

static inline double lcp_number(FILE *file)
{
    double x = 0.0;
    cr_assert(fscanf(file, "%lf", &x) == 1);
    return x;
}

static inline void lcp_read_matrix(FILE *file, LcpCase *c)
{
    cr_assert(lcp_number(file) == 0.0);
    for (int k = 0; k < 4; k++)
        cr_assert(lcp_number(file) == c->lcp.n);
    for (int j = 0; j < c->lcp.n; j++)
        for (int i = 0; i < c->lcp.n; i++)
            *lcp_at(c, i, j) = lcp_number(file);
}

/* An LCP, or a mixed one in block form: of n equalities and m inequalities. NULL: no such file. */
static inline LcpCase *lcp_read(const char *path, bool mixed)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return NULL;
    int equalities = 0, n;
    if (mixed) {
        cr_assert(lcp_number(file) == 1.0);
        lcp_number(file);
        equalities = (int)lcp_number(file);
        n = equalities + (int)lcp_number(file);
        for (int k = 0; k < 5; k++)
            lcp_number(file);
    } else {
        n = (int)lcp_number(file);
    }
    LcpCase *c = lcp_begin(n);
    lcp_read_matrix(file, c);
    for (int i = 0; i < n; i++) {
        c->q[i] = lcp_number(file);
        c->low[i] = i < equalities ? -INFINITY : 0.0;
    }
    fclose(file);
    return c;
}

#endif
