/*
 * table.h - tables: named columns of numbers or texts, in memory, and in files as CSV (RFC 4180) or NPZ (one array a
 * column, which numpy.load opens).
 *
 *   RgTable *table = rg_table_create(NULL);
 *   int step = rg_table_add_column(table, "step", false), status = rg_table_add_column(table, "status", true);
 *   int64_t row = rg_table_add_row(table);
 *   rg_table_set_number(table, row, step, 1e-3);
 *   rg_table_set_text(table, row, status, "ok");
 *   rg_table_write(table, "runs.csv", NULL, &error);
 *
 * Columns count from 0, rows from 0. Numbers go through both kinds of files bit by bit (every NaN as the same one). An
 * NPZ keeps which columns are texts; in a CSV those are texts that have a cell which is neither empty nor a number, or
 * only empty cells.
 */
#ifndef RIGOR_TABLE_H
#define RIGOR_TABLE_H

#include <rigor/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Columns of one table, at most. */
#define RG_TABLE_COLUMNS_MAX 65536

typedef struct RgTable RgTable;

/* An empty table. allocator may be NULL: malloc and free. NULL back: out of memory. */
RG_API RgTable *rg_table_create(const RgAllocator *allocator);
RG_API void rg_table_destroy(RgTable *table); /* NULL: nothing */

/* The number of the new column. -1: the name is empty or there already, there are rows, there are too many columns, or
   memory is out. */
RG_API int rg_table_add_column(RgTable *table, const char *name, bool is_text);

/* The number of the new row, whose numbers are NaN and whose texts are empty. -1: memory is out. */
RG_API int64_t rg_table_add_row(RgTable *table);

/* RG_ERR_ARGUMENT: there is no such row or column, or it is of the other kind. The text is copied; NULL is "". */
RG_API RgStatus rg_table_set_number(RgTable *table, int64_t row, int column, double x);
RG_API RgStatus rg_table_set_text(RgTable *table, int64_t row, int column, const char *text);

RG_API int rg_table_columns(const RgTable *table);
RG_API int64_t rg_table_rows(const RgTable *table);
RG_API const char *rg_table_column_name(const RgTable *table, int column); /* "": there is no such column */
RG_API bool rg_table_column_is_text(const RgTable *table, int column);
RG_API int rg_table_find_column(const RgTable *table, const char *name); /* -1: none */

RG_API double rg_table_number(const RgTable *table, int64_t row, int column);    /* NaN for a text */
RG_API const char *rg_table_text(const RgTable *table, int64_t row, int column); /* "" for a number */

/* format: "csv" or "npz", or NULL to go by the path's ending. The file gets its name when it is whole, and equal tables
   give equal bytes. A table without columns is refused. */
RG_API RgStatus rg_table_write(const RgTable *table, const char *path, const char *format, RgError *error);

/*
 * A table from a file of any writer; NULL with error filled. CSV: the first line has the names; lines that begin with #
 * and empty ones are passed over. NPZ: 1-D arrays are columns, 2-D and 3-D ones as many as they have numbers a row,
 * named a[0], a[1], ..., or a:<name> where an array a_names has as many texts; recordings of rigor (rigor/record.h) get
 * the names that they have as CSV. Arrays without dimensions are passed over, all others must have the same length.
 */
RG_API RgTable *rg_table_read(const char *path, const char *format, RgError *error);

#ifdef __cplusplus
}
#endif
#endif
