/*
 * file_matrix.c - matrices of problem files.
 *
 *   0 rows columns   rows columns   values, column by column                                   dense
 *   1 rows columns   blocks, block rows, block columns, ends of the block rows, ends of the block columns,
 *                    block rows + 1, blocks, starts of the block rows, column of each block,
 *                    then for each block its number and its values, column by column           blocks
 *
 * Memory is allocated only for numbers that the rest of the text can hold. Rejected: sizes and indices that contradict
 * each other, two blocks at the same position, other storage formats.
 */
#include "problem/file_matrix.h"

#include <limits.h>
#include <string.h>

/* ------------------------------------------------------------------ reading */

static void read_dense(RgProblemText *t, RgArena *arena, RgFileMatrix *m)
{
    int n = m->rows;
    rg_problem_text_count(t, "rows of the dense matrix", n, n);
    rg_problem_text_count(t, "columns of the dense matrix", n, n);
    size_t count = (size_t)n * (size_t)n;
    m->value = rg_problem_text_alloc_numbers(t, arena, "entries of the matrix", count);
    for (int j = 0; j < n && !t->failed; j++)
        for (int i = 0; i < n && !t->failed; i++)
            rg_problem_text_numbers(t, "an entry of the matrix", &m->value[(size_t)i * (size_t)n + (size_t)j], 1);
}

/* Reads the ends of block rows or columns: ascending, up to size. */
static int *read_ends(RgProblemText *t, RgArena *arena, const char *what, int count, int size)
{
    int *end = rg_problem_text_alloc_counts(t, arena, what, (size_t)count);
    for (int i = 0, last = 0; i < count && !t->failed; i++)
        last = end[i] = rg_problem_text_count(t, what, i + 1 == count ? size : last + 1, size);
    return end;
}

/* Rows or columns of block row or column i. */
static int extent(const int *end, int i)
{
    return end[i] - (i > 0 ? end[i - 1] : 0);
}

/* Sets the index of the first value of each block. Returns the number of values. */
static size_t set_block_offsets(RgFileMatrix *m)
{
    size_t total = 0;
    for (int row = 0; row < m->block_rows; row++)
        for (int b = m->start[row]; b < m->start[row + 1]; b++) {
            m->first[b] = total;
            total += (size_t)extent(m->row_end, row) * (size_t)extent(m->column_end, m->column[b]);
        }
    return total;
}

static size_t block_size(const RgFileMatrix *m, int b, size_t total)
{
    return (b + 1 < m->nblocks ? m->first[b + 1] : total) - m->first[b];
}

static void read_blocks(RgProblemText *t, RgArena *arena, RgFileMatrix *m)
{
    m->nblocks = rg_problem_text_count(t, "number of blocks", 0, INT_MAX / 16);
    m->block_rows = rg_problem_text_count(t, "number of block rows", m->rows > 0, m->rows);
    m->block_columns = rg_problem_text_count(t, "number of block columns", m->rows > 0, m->columns);
    m->row_end = read_ends(t, arena, "end of a block row", m->block_rows, m->rows);
    m->column_end = read_ends(t, arena, "end of a block column", m->block_columns, m->columns);
    rg_problem_text_count(t, "length of the starts of block rows", m->block_rows + 1, m->block_rows + 1);
    rg_problem_text_count(t, "length of the block columns", m->nblocks, m->nblocks);
    m->start = rg_problem_text_alloc_counts(t, arena, "starts of the block rows", (size_t)m->block_rows + 1);
    for (int i = 0, last = 0; i <= m->block_rows && !t->failed; i++)
        last = m->start[i] = rg_problem_text_count(t, "start of a block row", i == m->block_rows ? m->nblocks : last,
                                                   i == 0 ? 0 : m->nblocks);
    m->column = rg_problem_text_alloc_counts(t, arena, "block columns", (size_t)m->nblocks);
    for (int b = 0; b < m->nblocks && !t->failed; b++)
        m->column[b] = rg_problem_text_count(t, "column of a block", 0, m->block_columns - 1);
    if (t->failed)
        return;
    m->first = RG_ARENA_ALLOC(arena, size_t, m->nblocks);
    if (m->first == NULL) {
        rg_problem_text_fail(t, RG_ERR_MEMORY, "out of memory");
        return;
    }
    size_t total = set_block_offsets(m);
    m->value = rg_problem_text_alloc_numbers(t, arena, "entries of the blocks", total);
    for (int b = 0; b < m->nblocks && !t->failed; b++) {
        rg_problem_text_count(t, "number of the block", b, b);
        rg_problem_text_numbers(t, "an entry of a block", m->value + m->first[b], block_size(m, b, total));
    }
}

void rg_file_matrix_read(RgProblemText *t, RgArena *arena, int size, RgFileMatrix *m)
{
    *m = (RgFileMatrix){.rows = size, .columns = size};
    int storage = rg_problem_text_count(t, "storage of the matrix (0 dense, 1 blocks)", 0, 2);
    if (storage == 2)
        rg_problem_text_fail(t, RG_ERR_UNSUPPORTED,
                             "storage 2 of the matrix is not supported: expected 0 (dense) or 1 (blocks)");
    rg_problem_text_count(t, "rows of the matrix", size, size);
    rg_problem_text_count(t, "columns of the matrix", size, size);
    if (storage == 0)
        read_dense(t, arena, m);
    else
        read_blocks(t, arena, m);
}

/* ------------------------------------------------------------------ expansion to a dense matrix */

static void expand_block(const RgFileMatrix *m, int row, int b, double *out)
{
    int rows = extent(m->row_end, row), columns = extent(m->column_end, m->column[b]);
    size_t i0 = (size_t)(m->row_end[row] - rows), j0 = (size_t)(m->column_end[m->column[b]] - columns);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            out[(i0 + (size_t)i) * (size_t)m->columns + j0 + (size_t)j] =
                m->value[m->first[b] + (size_t)j * (size_t)rows + (size_t)i];
}

double *rg_file_matrix_dense(RgProblemText *t, RgArena *arena, const RgFileMatrix *m)
{
    if (t->failed || m->block_rows == 0)
        return t->failed ? NULL : m->value;
    if (m->rows > RG_FILE_MATRIX_DENSE_MAX) {
        rg_problem_text_fail(t, RG_ERR_UNSUPPORTED, "a matrix of blocks has %d rows: at most %d are supported", m->rows,
                             RG_FILE_MATRIX_DENSE_MAX);
        return NULL;
    }
    double *out = RG_ARENA_ALLOC(arena, double, (size_t)m->rows *(size_t)m->columns);
    if (out == NULL)
        rg_problem_text_fail(t, RG_ERR_MEMORY, "out of memory");
    for (int row = 0; row < m->block_rows && out != NULL; row++)
        for (int b = m->start[row]; b < m->start[row + 1]; b++)
            expand_block(m, row, b, out);
    return out;
}

/* ------------------------------------------------------------------ blocks of three */

/* A 3 x 3 block of the matrix. */
typedef struct Block3 {
    int column;
    const double *v;
    size_t row_stride, column_stride; /* distance from a value to that of the next row, of the next column */
} Block3;

static bool is_zero(const Block3 *block3)
{
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            if (block3->v[i * block3->row_stride + j * block3->column_stride] != 0.0)
                return false;
    return true;
}

/* Inserts a block so that columns stay ascending. False: the position is occupied. */
static bool insert_block(Block3 *list, int *count, Block3 next)
{
    int at = *count;
    while (at > 0 && list[at - 1].column > next.column)
        at--;
    if (at > 0 && list[at - 1].column == next.column)
        return false;
    memmove(list + at + 1, list + at, (size_t)(*count - at) * sizeof *list);
    list[at] = next;
    (*count)++;
    return true;
}

/* Lists the 3 x 3 blocks of the rows of a contact, in order of columns. False: two blocks at the same position. */
static bool list_row_blocks(const RgFileMatrix *m, int contact, int block_row, Block3 *list, int *count)
{
    *count = 0;
    if (m->block_rows == 0) {
        for (int j = 0; j < m->columns / 3; j++)
            list[(*count)++] =
                (Block3){j, m->value + 3 * (size_t)contact * (size_t)m->columns + 3 * (size_t)j, (size_t)m->columns, 1};
        return true;
    }
    int rows = extent(m->row_end, block_row);
    int within = 3 * contact - (m->row_end[block_row] - rows);
    for (int b = m->start[block_row]; b < m->start[block_row + 1]; b++) {
        int columns = extent(m->column_end, m->column[b]), from = m->column_end[m->column[b]] - columns;
        for (int j = 0; j < columns; j += 3)
            if (!insert_block(list, count,
                              (Block3){(from + j) / 3,
                                       m->value + m->first[b] + (size_t)j * (size_t)rows + (size_t)within, 1,
                                       (size_t)rows}))
                return false;
    }
    return true;
}

/* Whether all block boundaries are multiples of three. */
static bool has_contact_boundaries(const RgFileMatrix *m)
{
    for (int i = 0; i < m->block_rows; i++)
        if (m->row_end[i] % 3 != 0)
            return false;
    for (int i = 0; i < m->block_columns && m->block_rows > 0; i++)
        if (m->column_end[i] % 3 != 0)
            return false;
    return true;
}

/* Upper bound of the number of 3 x 3 blocks, including a diagonal one per row. */
static size_t count_blocks(const RgFileMatrix *m)
{
    size_t n = (size_t)m->rows / 3, count = n;
    if (m->block_rows == 0)
        return n * n;
    for (int row = 0; row < m->block_rows; row++)
        for (int b = m->start[row]; b < m->start[row + 1]; b++)
            count += (size_t)(extent(m->row_end, row) / 3) * (size_t)(extent(m->column_end, m->column[b]) / 3);
    return count;
}

static void copy_block(const Block3 *from, double *to)
{
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            to[3 * i + j] = from->v[i * from->row_stride + j * from->column_stride];
}

void rg_file_matrix_contact_blocks(RgProblemText *t, RgArena *arena, const RgFileMatrix *m, RgConeBlocks *out)
{
    static const double zero_block[9] = {0.0};
    int n = m->rows / 3, used = 0, block_row = 0;
    size_t room = t->failed ? 0 : count_blocks(m);
    if (!t->failed && !has_contact_boundaries(m))
        rg_problem_text_fail(t, RG_ERR_SYNTAX, "blocks must end with whole contacts, at multiples of 3");
    if (!t->failed && room > INT_MAX / 16)
        rg_problem_text_fail(t, RG_ERR_UNSUPPORTED, "the matrix has too many blocks");
    if (t->failed)
        return;
    int *start = RG_ARENA_ALLOC(arena, int, n + 1), *column = RG_ARENA_ALLOC(arena, int, room);
    double *block = RG_ARENA_ALLOC(arena, double, 9 * room);
    Block3 *list = RG_ARENA_ALLOC(arena, Block3, n + 1);
    if (arena->failed) {
        rg_problem_text_fail(t, RG_ERR_MEMORY, "out of memory");
        return;
    }
    for (int i = 0; i < n; i++) {
        int count;
        while (m->block_rows > 0 && m->row_end[block_row] <= 3 * i)
            block_row++;
        if (!list_row_blocks(m, i, block_row, list, &count)) {
            rg_problem_text_fail(t, RG_ERR_SYNTAX, "contact %d has two blocks in one place", i);
            return;
        }
        insert_block(list, &count, (Block3){i, zero_block, 3, 1}); /* a zero diagonal block unless there is one */
        for (int k = 0; k < count; k++) {
            if (list[k].column != i && is_zero(&list[k]))
                continue;
            column[used] = list[k].column;
            copy_block(&list[k], block + 9 * (size_t)used++);
        }
        start[i + 1] = used;
    }
    *out = (RgConeBlocks){.n = n, .start = start, .column = column, .block = block};
}
