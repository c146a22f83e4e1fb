/* blocks_fixture.h - contacts on bodies as matrices of blocks, all of them filled: W = J M^-1 J', q = J v. */
#ifndef TEST_UNIT_BLOCKS_FIXTURE_H
#define TEST_UNIT_BLOCKS_FIXTURE_H

#include "check_near.h"
#include "draw.h"
#include "solver/cone/cone_blocks.h"

#include <string.h>

#define BLOCKS_CONTACTS 8
#define BLOCKS_FREEDOMS 12

typedef struct BlocksCase {
    RgConeBlocks b;
    int nu;
    int start[BLOCKS_CONTACTS + 1], column[BLOCKS_CONTACTS * BLOCKS_CONTACTS];
    double block[9 * BLOCKS_CONTACTS * BLOCKS_CONTACTS];
    double J[3 * BLOCKS_CONTACTS][BLOCKS_FREEDOMS], per_mass[BLOCKS_FREEDOMS], v[BLOCKS_FREEDOMS];
    double q[3 * BLOCKS_CONTACTS], mu[BLOCKS_CONTACTS], r[3 * BLOCKS_CONTACTS], w[3 * BLOCKS_CONTACTS];
} BlocksCase;

/* Three rows of a contact: the directions at a point p of a body with freedoms (velocity, spin) about its centre. */
static inline void blocks_point(BlocksCase *c, const double p[3], double axes[3][3], double mu)
{
    int i = c->b.n++;
    cr_assert(i < BLOCKS_CONTACTS);
    c->mu[i] = mu;
    for (int e = 0; e < 3; e++) {
        const double *a = axes[e];
        double *row = c->J[3 * i + e];
        for (int k = 0; k < 3; k++)
            row[k] = a[k];
        row[3] = p[1] * a[2] - p[2] * a[1];
        row[4] = p[2] * a[0] - p[0] * a[2];
        row[5] = p[0] * a[1] - p[1] * a[0];
    }
}

/* W and q from J, masses and v. */
static inline void blocks_close(BlocksCase *c)
{
    int n = c->b.n;
    for (int i = 0; i < n; i++) {
        c->start[i + 1] = (i + 1) * n;
        for (int j = 0; j < n; j++)
            c->column[i * n + j] = j;
    }
    for (int i = 0; i < 3 * n; i++) {
        c->q[i] = 0.0;
        for (int k = 0; k < c->nu; k++)
            c->q[i] += c->J[i][k] * c->v[k];
        for (int j = 0; j < 3 * n; j++) {
            double *to = &c->block[9 * ((i / 3) * n + j / 3) + 3 * (i % 3) + j % 3];
            *to = 0.0;
            for (int k = 0; k < c->nu; k++)
                *to += c->J[i][k] * c->per_mass[k] * c->J[j][k];
        }
    }
    c->b = (RgConeBlocks){.n = n, .start = c->start, .column = c->column, .block = c->block, .q = c->q};
    c->b.mu = c->mu;
    c->b.r = c->r;
    c->b.w = c->w;
}

#endif
