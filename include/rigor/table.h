/*
 * table.h - tables with named columns of numbers or texts, in memory and in files: CSV (RFC 4180) or NPZ (one array per
 * column, for numpy.load).
 *
 *   RgTable *table = rg_table_create(NULL);
 *   int step = rg_table_add_column(table, "step", false), status = rg_table_add_column(table, "status", true);
 *   int64_t row = rg_table_add_row(table);
 *   rg_table_set_number(table, row, step, 1e-3);
 *   rg_table_set_text(table, row, status, "ok");
 *   rg_table_write(table, "runs.csv", NULL, &error);
 *
 * Columns and rows count from 0. Both file formats keep numbers bit by bit (all NaN become the same one). An NPZ stores
 * which columns are texts. In a CSV a column is a text column if a cell is neither empty nor a number, or if all cells
 * are empty.
 */
#ifndef RIGOR_TABLE_H
#define RIGOR_TABLE_H

#include <rigor/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Largest number of columns of a table. */
#define RG_TABLE_COLUMNS_MAX 65536

typedef struct RgTable RgTable;

/* Creates an empty table. allocator NULL: malloc and free. Returns NULL if out of memory. */
RG_API RgTable *rg_table_create(const RgAllocator *allocator);
RG_API void rg_table_destroy(RgTable *table); /* NULL: no effect */

/* Returns the number of the new column. -1: the name is empty or already in use, the table has rows or the largest
   number of columns, or out of memory. */
RG_API int rg_table_add_column(RgTable *table, const char *name, bool is_text);

/* Returns the number of the new row, whose numbers are NaN and whose texts are empty. -1: out of memory. */
RG_API int64_t rg_table_add_row(RgTable *table);

/* RG_ERR_ARGUMENT: no such row or column, or a column of the other type. The text is copied; NULL: "". */
RG_API RgStatus rg_table_set_number(RgTable *table, int64_t row, int column, double x);
RG_API RgStatus rg_table_set_text(RgTable *table, int64_t row, int column, const char *text);

RG_API int rg_table_columns(const RgTable *table);
RG_API int64_t rg_table_rows(const RgTable *table);
RG_API const char *rg_table_column_name(const RgTable *table, int column); /* "": no such column */
RG_API bool rg_table_column_is_text(const RgTable *table, int column);
RG_API int rg_table_find_column(const RgTable *table, const char *name); /* -1: none */

RG_API double rg_table_number(const RgTable *table, int64_t row, int column);    /* NaN in text columns */
RG_API const char *rg_table_text(const RgTable *table, int64_t row, int column); /* "" in number columns */

/* format: "csv" or "npz"; NULL: by the extension of path. The file gets its name when it is complete; equal tables give
   equal bytes. A table without columns is refused. */
RG_API RgStatus rg_table_write(const RgTable *table, const char *path, const char *format, RgError *error);

/*
 * Reads a table from a file of any writer; NULL on failure, with error filled. CSV: the first line has the names; lines
 * that begin with # and empty lines are skipped. NPZ: a 1-D array is a column; a 2-D or 3-D array gives one column per
 * number of a row, named a[0], a[1], ..., or a:<name> if an array a_names has as many texts. Recordings of rigor
 * (rigor/record.h) get the same names as in CSV. Arrays without dimensions are skipped; all others must have the same
 * length.
 */
RG_API RgTable *rg_table_read(const char *path, const char *format, RgError *error);

#ifdef __cplusplus
}
#endif
#endif
