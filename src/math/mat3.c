/*
 * mat3.c - eigenvalues of a symmetric 3x3 matrix by cyclic Jacobi rotations (Golub, Van Loan, 4th ed., 8.5).
 *
 * Each rotation in the plane (p, q) with tan 2t = 2 a_pq / (a_qq - a_pp) zeroes a_pq. The off-diagonal sum converges
 * quadratically: JACOBI_SWEEPS are more than enough. The eigenvectors are orthonormal to round-off and are returned as
 * a rotation.
 */
#include "math/mat3.h"

#define JACOBI_SWEEPS 12

/* Rotates a, and the accumulated eigenvectors v, so that a[p][q] becomes zero. */
static void rotate_plane(double a[3][3], double v[3][3], int p, int q)
{
    if (a[p][q] == 0.0)
        return;
    double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; k++) {
        double akp = a[k][p], akq = a[k][q];
        a[k][p] = c * akp - s * akq;
        a[k][q] = s * akp + c * akq;
    }
    for (int k = 0; k < 3; k++) {
        double apk = a[p][k], aqk = a[q][k];
        a[p][k] = c * apk - s * aqk;
        a[q][k] = s * apk + c * aqk;
        double vkp = v[k][p], vkq = v[k][q];
        v[k][p] = c * vkp - s * vkq;
        v[k][q] = s * vkp + c * vkq;
    }
}

void rg_sym3_eigen(RgSym3 s, double values[3], RgMat3 *vectors)
{
    RgMat3 a = s3_full(s), v = m3_identity();
    for (int sweep = 0; sweep < JACOBI_SWEEPS; sweep++) {
        rotate_plane(a.m, v.m, 0, 1);
        rotate_plane(a.m, v.m, 0, 2);
        rotate_plane(a.m, v.m, 1, 2);
    }

    /* Ascending order. */
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
            if (a.m[order[j]][order[j]] > a.m[order[j + 1]][order[j + 1]]) {
                int swap = order[j];
                order[j] = order[j + 1];
                order[j + 1] = swap;
            }
    for (int i = 0; i < 3; i++)
        values[i] = a.m[order[i]][order[i]];
    RgVec3 x = m3_column(v, order[0]), y = m3_column(v, order[1]);
    *vectors = m3_from_columns(x, y, v3_cross(x, y));
}
