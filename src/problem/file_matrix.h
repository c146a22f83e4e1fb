/* file_matrix.h - a matrix as problem files hold it: dense, or blocks of any sizes. */
#ifndef RIGOR_FILE_MATRIX_H
#define RIGOR_FILE_MATRIX_H

#include "problem/problem_text.h"
#include "solver/cone/cone_blocks.h"

typedef struct RgFileMatrix {
    int rows, columns;
    double *value; /* dense: rows x columns, row-major; else the blocks one after the other, each column-major */

    /* Blocks; block_rows 0: the matrix is dense. */
    int nblocks, block_rows, block_columns;
    int *row_end, *column_end; /* block_rows, block_columns: first row and column behind each */
    int *start;                /* block_rows + 1: blocks of each block row */
    int *column;               /* nblocks: block column */
    size_t *first;             /* nblocks: where its values begin */
} RgFileMatrix;

/* Rows of a matrix of blocks that may be spread out: its zeros are in no file. */
#define RG_FILE_MATRIX_SPREAD_MAX 5000

/* A square matrix of size rows. */
void rg_file_matrix_read(RgProblemText *text, RgArena *arena, int size, RgFileMatrix *matrix);

/* All of it, row-major. NULL: failed. */
double *rg_file_matrix_dense(RgProblemText *text, RgArena *arena, const RgFileMatrix *matrix);

/* As blocks of three rows and columns, those that are zero left out but for the diagonal; sets n, start, column and
   block. */
void rg_file_matrix_threes(RgProblemText *text, RgArena *arena, const RgFileMatrix *matrix, RgConeBlocks *out);

#endif
