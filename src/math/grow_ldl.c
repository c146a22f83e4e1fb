/*
 * grow_ldl.c - A = L D L' with rows added at the end and removed anywhere, O(n^2) each.
 *
 * Adding: with L y = a the new row is l = y / D and the new pivot d = A_nn - l . y.
 * Removing row k: the block below it loses column k of L, x; there L D L' becomes L D L' + D_k x x', a rank-one update
 * (Gill, Golub, Murray, Saunders 1974, method C1) without cancellation.
 * Failure: a pivot that is not above the caller's bound; the row is not added.
 */
#include "math/grow_ldl.h"

#include "math/dense_factor.h"

#include <string.h>

void rg_grow_ldl_place(RgGrowLdl *ldl, int room, double *doubles)
{
    size_t square = (size_t)room * (size_t)room;
    *ldl = (RgGrowLdl){.room = room, .L = doubles, .D = doubles + square, .work = doubles + square + room};
}

static double *row_of(const RgGrowLdl *ldl, int i)
{
    return ldl->L + (size_t)i * (size_t)ldl->room;
}

bool rg_grow_ldl_add(RgGrowLdl *ldl, const double *row, double diagonal, double least)
{
    int n = ldl->n;
    double *y = ldl->work, *to = row_of(ldl, n), pivot = diagonal;
    for (int i = 0; i < n; i++)
        y[i] = row[i] - rg_dot(i, row_of(ldl, i), y);
    for (int i = 0; i < n; i++) {
        to[i] = y[i] / ldl->D[i];
        pivot -= to[i] * y[i];
    }
    if (!(pivot > least))
        return false;
    ldl->D[n] = pivot;
    ldl->n++;
    return true;
}

void rg_grow_ldl_remove(RgGrowLdl *ldl, int k)
{
    int n = ldl->n;
    double *x = ldl->work, alpha = ldl->D[k];
    for (int i = k + 1; i < n; i++) {
        const double *from = row_of(ldl, i);
        double *to = row_of(ldl, i - 1);
        x[i - 1] = from[k];
        memmove(to, from, (size_t)k * sizeof *to);
        memmove(to + k, from + k + 1, (size_t)(i - k - 1) * sizeof *to);
        ldl->D[i - 1] = ldl->D[i];
    }
    ldl->n = --n;
    for (int j = k; j < n; j++) {
        double p = x[j], pivot = ldl->D[j] + alpha * p * p, beta = p * alpha / pivot;
        alpha *= ldl->D[j] / pivot;
        ldl->D[j] = pivot;
        for (int i = j + 1; i < n; i++) {
            double *l = &row_of(ldl, i)[j];
            x[i] -= p * *l;
            *l += beta * x[i];
        }
    }
}

void rg_grow_ldl_solve(const RgGrowLdl *ldl, double *x)
{
    int n = ldl->n;
    for (int i = 0; i < n; i++)
        x[i] -= rg_dot(i, row_of(ldl, i), x);
    for (int i = 0; i < n; i++)
        x[i] /= ldl->D[i];
    for (int i = n - 1; i > 0; i--) {
        const double *l = row_of(ldl, i);
        for (int j = 0; j < i; j++)
            x[j] -= l[j] * x[i];
    }
}
