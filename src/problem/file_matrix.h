/* file_matrix.h - a matrix as stored in problem files: dense, or in blocks of any sizes. */
#ifndef RIGOR_FILE_MATRIX_H
#define RIGOR_FILE_MATRIX_H

#include "problem/problem_text.h"
#include "solver/cone/cone_blocks.h"

typedef struct RgFileMatrix {
    int rows, columns;
    double *value; /* dense: rows x columns, row-major; blocks: one after the other, each column-major */

    /* Blocks; block_rows 0: the matrix is dense. */
    int nblocks, block_rows, block_columns;
    int *row_end, *column_end; /* block_rows, block_columns: end (exclusive) of each block row and block column */
    int *start;                /* block_rows + 1: first block of each block row */
    int *column;               /* nblocks: block column */
    size_t *first;             /* nblocks: index of its first value */
} RgFileMatrix;

/* Largest number of rows of a block matrix that is expanded to a dense one. The file does not contain its zeros, so the
   length of the file does not limit the memory. */
#define RG_FILE_MATRIX_DENSE_MAX 5000

/* Reads a square matrix with `size` rows. */
void rg_file_matrix_read(RgProblemText *text, RgArena *arena, int size, RgFileMatrix *matrix);

/* The dense matrix, row-major. NULL: failed. */
double *rg_file_matrix_dense(RgProblemText *text, RgArena *arena, const RgFileMatrix *matrix);

/* Converts to blocks of three rows and columns, without zero blocks off the diagonal; sets n, start, column and block
   of out. */
void rg_file_matrix_contact_blocks(RgProblemText *text, RgArena *arena, const RgFileMatrix *matrix, RgConeBlocks *out);

#endif
