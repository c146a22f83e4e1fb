/*
 * sym3.c - eigenvalues of symmetric 3x3 matrices, alone and relative to another one.
 *
 * Cyclic Jacobi: plane rotations that zero one off-diagonal element at a time; converges quadratically, and
 * to high relative accuracy for positive definite matrices, whose moments may differ by 1e6.
 *
 *   max_u  u'A u / u'B u  =  largest eigenvalue of  L^-1 A L^-T,   B = L L',   u = L^-T y
 */
#include "sym3.h"

#include <math.h>

enum { SWEEPS = 30 }; /* six are enough in practice */

static RgMat3 to_matrix(RgSym3 A)
{
    return (RgMat3){.m = {{A.xx, A.xy, A.xz}, {A.xy, A.yy, A.yz}, {A.xz, A.yz, A.zz}}};
}

static RgSym3 to_symmetric(const RgMat3 *A)
{
    return (RgSym3){A->m[0][0], A->m[1][1], A->m[2][2], A->m[0][1], A->m[0][2], A->m[1][2]};
}

/* Rotates in the plane (p, q) such that A[p][q] becomes zero; V collects the rotations. */
static void jacobi_rotate(RgMat3 *A, RgMat3 *V, int p, int q)
{
    double apq = A->m[p][q];
    if (apq == 0.0)
        return;
    double theta = (A->m[q][q] - A->m[p][p]) / (2.0 * apq);
    double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; k++) {
        double kp = A->m[k][p], kq = A->m[k][q];
        A->m[k][p] = c * kp - s * kq;
        A->m[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 3; k++) {
        double pk = A->m[p][k], qk = A->m[q][k];
        A->m[p][k] = c * pk - s * qk;
        A->m[q][k] = s * pk + c * qk;
    }
    for (int k = 0; k < 3; k++) {
        double kp = V->m[k][p], kq = V->m[k][q];
        V->m[k][p] = c * kp - s * kq;
        V->m[k][q] = s * kp + c * kq;
    }
    A->m[p][q] = A->m[q][p] = 0.0;
}

void rg_sym3_axes(RgSym3 S, double values[3], RgMat3 *axes)
{
    RgMat3 A = to_matrix(S), V = {.m = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        jacobi_rotate(&A, &V, 0, 1);
        jacobi_rotate(&A, &V, 0, 2);
        jacobi_rotate(&A, &V, 1, 2);
    }

    /* Ascending order. */
    int order[3] = {0, 1, 2};
    for (int i = 1; i < 3; i++) {
        for (int j = i; j > 0 && A.m[order[j]][order[j]] < A.m[order[j - 1]][order[j - 1]]; j--) {
            int swap = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
    }
    for (int k = 0; k < 3; k++) {
        values[k] = A.m[order[k]][order[k]];
        for (int i = 0; i < 3; i++)
            axes->m[i][k] = V.m[i][order[k]];
    }
}

static RgMat3 transpose(RgMat3 A)
{
    return (RgMat3){.m = {{A.m[0][0], A.m[1][0], A.m[2][0]},
                          {A.m[0][1], A.m[1][1], A.m[2][1]},
                          {A.m[0][2], A.m[1][2], A.m[2][2]}}};
}

/* L^-1 A for lower triangular L. */
static RgMat3 solve_lower(const RgMat3 *L, RgMat3 A)
{
    for (int j = 0; j < 3; j++) {
        A.m[0][j] /= L->m[0][0];
        A.m[1][j] = (A.m[1][j] - L->m[1][0] * A.m[0][j]) / L->m[1][1];
        A.m[2][j] = (A.m[2][j] - L->m[2][0] * A.m[0][j] - L->m[2][1] * A.m[1][j]) / L->m[2][2];
    }
    return A;
}

bool rg_sym3_ratio(RgSym3 A, RgSym3 B, double *ratio, RgVec3 *u)
{
    /* B = L L'. */
    RgMat3 L = {.m = {{0}}}, b = to_matrix(B), a = to_matrix(A);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = b.m[i][j];
            for (int k = 0; k < j; k++)
                sum -= L.m[i][k] * L.m[j][k];
            if (i == j && !(sum > 0.0))
                return false;
            L.m[i][j] = i == j ? sqrt(sum) : sum / L.m[j][j];
        }
    }

    /* C = L^-1 A L^-T: substitution on the columns, then the same on the transpose, as A is symmetric. */
    a = transpose(solve_lower(&L, a));
    a = solve_lower(&L, a);

    /* Its largest eigenvalue, and the direction carried back: L'u = y. */
    double values[3], x[3];
    RgMat3 axes;
    rg_sym3_axes(to_symmetric(&a), values, &axes);
    for (int i = 2; i >= 0; i--) {
        x[i] = axes.m[i][2];
        for (int k = i + 1; k < 3; k++)
            x[i] -= L.m[k][i] * x[k];
        x[i] /= L.m[i][i];
    }
    double norm = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    *u = (RgVec3){x[0] / norm, x[1] / norm, x[2] / norm};
    *ratio = values[2];
    return true;
}

RgSym3 rg_sym3_rotate(RgMat3 R, RgSym3 S)
{
    RgMat3 A = to_matrix(S), out = {.m = {{0}}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 9; k++)
                out.m[i][j] += R.m[i][k / 3] * A.m[k / 3][k % 3] * R.m[j][k % 3];
    return to_symmetric(&out);
}
