/* table.h - what the formats of tables see of a table, and their functions. */
#ifndef RIGOR_TABLE_INTERNAL_H
#define RIGOR_TABLE_INTERNAL_H

#include "base/arena.h"

#include <rigor/table.h>

/* One column: rows numbers, or rows texts of which NULL is the empty one. */
typedef struct RgTableColumn {
    const char *name;
    bool is_text;
    double *numbers;
    const char **texts;
    int64_t room; /* rows that fit */
} RgTableColumn;

const RgTableColumn *rg_table_column(const RgTable *table, int column);

/* Many rows at once, as rg_table_add_row makes them. False: memory is out. */
bool rg_table_add_rows(RgTable *table, int64_t count);

/* Formats. A reader fills a table without columns. */
RgStatus rg_table_write_csv(const RgTable *table, const char *path, RgArena *arena, RgError *error);
RgStatus rg_table_write_npz(const RgTable *table, const char *path, RgArena *arena, RgError *error);
RgStatus rg_table_read_csv(RgTable *table, const char *path, RgArena *arena, RgError *error);
RgStatus rg_table_read_npz(RgTable *table, const char *path, RgArena *arena, RgError *error);

#endif
