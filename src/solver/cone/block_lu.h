/*
 * block_lu.h - A = L U of a sparse matrix of small blocks whose pattern is symmetric, though its numbers need not be:
 * one row and column of blocks for every node of a graph.
 *
 * Rows are not exchanged between blocks; within a pivot block they are. So it is for matrices whose pivot blocks stay
 * regular: positive definite ones (in the sense x'Ax > 0) and what is near them. A pivot that is singular is told.
 */
#ifndef RIGOR_BLOCK_LU_H
#define RIGOR_BLOCK_LU_H

#include "solver/elimination.h"

#define RG_BLOCK_LU_MOST 6

typedef struct RgBlockLu {
    RgElimination graph;
    int32_t size;     /* rows of a block, at most RG_BLOCK_LU_MOST */
    int64_t work;     /* products of two blocks that a factor takes */
    double *diagonal; /* n, by place, row-major; after the factor their inverses */
    double *below;    /* beside graph.row: block (row, column) */
    double *above;    /* the same: block (column, row) */
    bool *idle;       /* n, by place: the node stands alone in this factor, its row and column are those of 1 */
} RgBlockLu;

/* Neighbours of node i: column[start[i]] to before start[i + 1]; itself may be among them. False: no memory. */
bool rg_block_lu_plan(RgArena *arena, RgBlockLu *lu, int32_t n, const int32_t *start, const int32_t *column);

/* All numbers become zero; nobody is idle. */
void rg_block_lu_clear(RgBlockLu *lu);

/* Block of two nodes (not places) that touch, or of one with itself. */
double *rg_block_lu_at(RgBlockLu *lu, int32_t i, int32_t j);

/* False: a pivot is singular to the part lost of its largest entry. */
bool rg_block_lu_factor(RgBlockLu *lu, double lost);

/* x (n x size, by node) becomes the solution, given the right side. spare: of the same size. */
void rg_block_lu_solve(const RgBlockLu *lu, double *x, double *spare);

#endif
