/* table.h - the interface between tables and their file formats. */
#ifndef RIGOR_TABLE_INTERNAL_H
#define RIGOR_TABLE_INTERNAL_H

#include "base/arena.h"

#include <rigor/table.h>

/* One column: numbers, or texts (NULL: an empty text), one per row. */
typedef struct RgTableColumn {
    const char *name;
    bool is_text;
    double *numbers;
    const char **texts;
    int64_t room; /* rows that are allocated */
} RgTableColumn;

const RgTableColumn *rg_table_column(const RgTable *table, int column);

/* Adds count rows as rg_table_add_row does. False: out of memory. */
bool rg_table_add_rows(RgTable *table, int64_t count);

/* The formats. A reader fills an empty table. */
RgStatus rg_table_write_csv(const RgTable *table, const char *path, RgArena *arena, RgError *error);
RgStatus rg_table_write_npz(const RgTable *table, const char *path, RgArena *arena, RgError *error);
RgStatus rg_table_read_csv(RgTable *table, const char *path, RgArena *arena, RgError *error);
RgStatus rg_table_read_npz(RgTable *table, const char *path, RgArena *arena, RgError *error);

#endif
