/* csv_table.h - a table of comma-separated values (RFC 4180): a first line of names, then rows;
 * lines that begin with # are passed over. */
#ifndef RIGOR_CSV_TABLE_H
#define RIGOR_CSV_TABLE_H

#include "io/pool.h"

#include <stdbool.h>

enum { RG_CSV_COLUMNS_MAX = 16 };

typedef struct RgCsvRow {
    int line; /* of the file, from 1 */
    int nfields;
    const char *fields[RG_CSV_COLUMNS_MAX];
} RgCsvRow;

typedef struct RgCsvTable {
    RgCsvRow *rows; /* nrows; the first line, with its names, is row 0 */
    int nrows;
} RgCsvTable;

/* The text, which is changed, as rows; name stands for the file in messages. What is wrong, with its line, or NULL. */
const char *rg_csv_parse(RgPool *pool, const char *name, char *text, RgCsvTable *out);

/* The file's text as rows, which live in the pool. What is wrong, with its line, or NULL. */
const char *rg_csv_read(RgPool *pool, const char *path, RgCsvTable *out);

#endif
