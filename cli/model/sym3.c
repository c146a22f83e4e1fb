/*
 * sym3.c - one symmetric 3x3 matrix relative to another.
 *
 *   max_u  u'A u / u'B u  =  largest eigenvalue of  L^-1 A L^-T,   B = L L',   u = L^-T y
 */
#include "model/sym3.h"

#include <math.h>

static RgMat3 to_matrix(RgSym3 A)
{
    return (RgMat3){.m = {{A.xx, A.xy, A.xz}, {A.xy, A.yy, A.yz}, {A.xz, A.yz, A.zz}}};
}

static RgSym3 to_symmetric(const RgMat3 *A)
{
    return (RgSym3){A->m[0][0], A->m[1][1], A->m[2][2], A->m[0][1], A->m[0][2], A->m[1][2]};
}

static RgMat3 transpose(RgMat3 A)
{
    return (RgMat3){
        .m = {{A.m[0][0], A.m[1][0], A.m[2][0]}, {A.m[0][1], A.m[1][1], A.m[2][1]}, {A.m[0][2], A.m[1][2], A.m[2][2]}}};
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

    /* The largest eigenvalue, and u from L'u = y. */
    double values[3], x[3];
    RgMat3 axes;
    rg_principal_moments(&(RgInertia){.I = to_symmetric(&a)}, values, &axes);
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
