/*
 * block_lu.h - sparse factorisation A = L U of a matrix of small dense blocks, one block row and column per node of a
 * graph. The pattern is symmetric; the values need not be.
 *
 * Rows are exchanged only within a pivot block, never between blocks. The method therefore suits matrices whose pivot
 * blocks stay regular: positive definite ones (in the sense x'Ax > 0) and matrices close to them. A singular pivot is
 * reported.
 */
#ifndef RIGOR_BLOCK_LU_H
#define RIGOR_BLOCK_LU_H

#include "solver/elimination.h"

#define RG_BLOCK_LU_MAX_SIZE 6

typedef struct RgBlockLu {
    RgElimination graph;
    int32_t size;     /* rows of a block, at most RG_BLOCK_LU_MAX_SIZE */
    int64_t work;     /* products of two blocks in one factorisation */
    double *diagonal; /* n blocks, by place, row-major; inverted by the factorisation */
    double *below;    /* parallel to graph.row: block (row, column) */
    double *above;    /* parallel to graph.row: block (column, row) */
    /* n, by place: the node is left out of this factorisation; its row and column count as those of the identity */
    bool *idle;
} RgBlockLu;

/* Finds the elimination order and allocates the factor. Neighbours of node i: column[start[i]] ... column[start[i + 1]
   - 1]; i itself may be among them. False: no memory, or more fill than INT32_MAX blocks. */
bool rg_block_lu_plan(RgArena *arena, RgBlockLu *lu, int32_t n, const int32_t *start, const int32_t *column);

/* Sets all blocks to zero; no node is idle. */
void rg_block_lu_clear(RgBlockLu *lu);

/* Block of two adjacent nodes (node numbers, not places), or of a node with itself. */
double *rg_block_lu_at(RgBlockLu *lu, int32_t i, int32_t j);

/* False: a pivot block is singular. lost: part of its largest entry below which a pivot counts as zero. */
bool rg_block_lu_factor(RgBlockLu *lu, double lost);

/* x (n x size, by node): right side on entry, solution on return. spare: scratch of the same size. */
void rg_block_lu_solve(const RgBlockLu *lu, double *x, double *spare);

#endif
