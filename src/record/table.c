/*
 * table.c - a table of named columns in memory, and the list of its file formats.
 *
 * A column is one block of numbers or of texts, which doubles when it is full, so that adding a row costs amortised
 * constant time. Texts are copies, one block each. Names are found by a hash table.
 *
 * Every NaN is stored with the same bits, so that equal tables give equal files.
 *
 * Failure: out of memory. Then the row is not added; columns that grew for it keep their size.
 */
#include "record/table.h"

#include "base/alloc.h"
#include "base/file_bytes.h"
#include "base/name_map.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

enum { FIRST_COLUMNS = 16, FIRST_ROWS = 16 }; /* of the first allocations */

struct RgTable {
    RgAllocator allocator;
    RgArena names; /* memory of the names and of map */
    RgNameMap map;
    RgTableColumn *columns; /* ncolumns; column_room are allocated */
    int ncolumns, column_room;
    int64_t rows;
};

typedef struct Format {
    const char *name;
    RgStatus (*write)(const RgTable *table, const char *path, RgArena *arena, RgError *error);
    RgStatus (*read)(RgTable *table, const char *path, RgArena *arena, RgError *error);
} Format;

static const Format formats[] = {
    {"csv", rg_table_write_csv, rg_table_read_csv},
    {"npz", rg_table_write_npz, rg_table_read_npz},
};

/* ------------------------------------------------------------------ creation */

RgTable *rg_table_create(const RgAllocator *allocator)
{
    RgTable *table = rg_alloc(allocator, 1, sizeof *table);
    if (table == NULL)
        return NULL;
    if (allocator != NULL)
        table->allocator = *allocator;
    rg_arena_init(&table->names, allocator);
    return table;
}

void rg_table_destroy(RgTable *table)
{
    if (table == NULL)
        return;
    RgAllocator allocator = table->allocator;
    for (int i = 0; i < table->ncolumns; i++) {
        RgTableColumn *column = &table->columns[i];
        for (int64_t row = 0; column->is_text && row < table->rows; row++)
            rg_free(&allocator, (void *)column->texts[row]);
        rg_free(&allocator, column->texts);
        rg_free(&allocator, column->numbers);
    }
    rg_free(&allocator, table->columns);
    rg_arena_free(&table->names);
    rg_free(&allocator, table);
}

/* ------------------------------------------------------------------ columns and rows */

int rg_table_add_column(RgTable *table, const char *name, bool is_text)
{
    if (name == NULL || name[0] == '\0' || table->rows > 0 || table->ncolumns == RG_TABLE_COLUMNS_MAX ||
        rg_table_find_column(table, name) >= 0)
        return -1;
    if (table->ncolumns == table->column_room) {
        int room = table->column_room > 0 ? 2 * table->column_room : FIRST_COLUMNS;
        RgTableColumn *grown =
            rg_realloc(&table->allocator, table->columns, (size_t)table->ncolumns, (size_t)room, sizeof *grown);
        if (grown == NULL)
            return -1;
        table->columns = grown;
        table->column_room = room;
    }
    const char *copy = rg_arena_strdup(&table->names, name);
    if (copy == NULL || !rg_name_map_set(&table->map, &table->names, copy, table->ncolumns))
        return -1;
    table->columns[table->ncolumns] = (RgTableColumn){.name = copy, .is_text = is_text};
    return table->ncolumns++;
}

/* Makes room for that many rows in a column. False: out of memory. */
static bool make_room(const RgTable *table, RgTableColumn *column, int64_t rows)
{
    if (rows <= column->room)
        return true;
    int64_t room = column->room > 0 ? column->room : FIRST_ROWS;
    while (room < rows)
        room = room > INT64_MAX / 2 ? rows : 2 * room;
    const RgAllocator *allocator = &table->allocator;
    size_t used = (size_t)table->rows;
    void *grown = column->is_text ? rg_realloc(allocator, column->texts, used, (size_t)room, sizeof *column->texts)
                                  : rg_realloc(allocator, column->numbers, used, (size_t)room, sizeof *column->numbers);
    if (grown == NULL)
        return false;
    column->room = room;
    if (column->is_text)
        column->texts = grown;
    else
        column->numbers = grown;
    return true;
}

bool rg_table_add_rows(RgTable *table, int64_t count)
{
    int64_t rows = table->rows + count;
    for (int i = 0; i < table->ncolumns; i++)
        if (!make_room(table, &table->columns[i], rows))
            return false;
    for (int i = 0; i < table->ncolumns; i++) {
        RgTableColumn *column = &table->columns[i];
        for (int64_t row = table->rows; row < rows; row++) {
            if (column->is_text)
                column->texts[row] = NULL;
            else
                column->numbers[row] = (double)NAN;
        }
    }
    table->rows = rows;
    return true;
}

int64_t rg_table_add_row(RgTable *table)
{
    return rg_table_add_rows(table, 1) ? table->rows - 1 : -1;
}

/* ------------------------------------------------------------------ cells */

const RgTableColumn *rg_table_column(const RgTable *table, int column)
{
    return column >= 0 && column < table->ncolumns ? &table->columns[column] : NULL;
}

/* The column of a cell; NULL: there is no such cell, or it is of the other kind. */
static const RgTableColumn *find_cell_column(const RgTable *table, int64_t row, int column, bool is_text)
{
    const RgTableColumn *found = rg_table_column(table, column);
    return found != NULL && found->is_text == is_text && row >= 0 && row < table->rows ? found : NULL;
}

RgStatus rg_table_set_number(RgTable *table, int64_t row, int column, double x)
{
    const RgTableColumn *found = find_cell_column(table, row, column, false);
    if (found == NULL)
        return RG_ERR_ARGUMENT;
    found->numbers[row] = isnan(x) ? (double)NAN : x;
    return RG_OK;
}

RgStatus rg_table_set_text(RgTable *table, int64_t row, int column, const char *text)
{
    const RgTableColumn *found = find_cell_column(table, row, column, true);
    if (found == NULL)
        return RG_ERR_ARGUMENT;
    const char *copy = NULL;
    if (text != NULL && text[0] != '\0') {
        copy = rg_strdup(&table->allocator, text);
        if (copy == NULL)
            return RG_ERR_MEMORY;
    }
    rg_free(&table->allocator, (void *)found->texts[row]);
    found->texts[row] = copy;
    return RG_OK;
}

double rg_table_number(const RgTable *table, int64_t row, int column)
{
    const RgTableColumn *found = find_cell_column(table, row, column, false);
    return found != NULL ? found->numbers[row] : (double)NAN;
}

const char *rg_table_text(const RgTable *table, int64_t row, int column)
{
    const RgTableColumn *found = find_cell_column(table, row, column, true);
    return found != NULL && found->texts[row] != NULL ? found->texts[row] : "";
}

int rg_table_columns(const RgTable *table)
{
    return table->ncolumns;
}

int64_t rg_table_rows(const RgTable *table)
{
    return table->rows;
}

const char *rg_table_column_name(const RgTable *table, int column)
{
    const RgTableColumn *found = rg_table_column(table, column);
    return found != NULL ? found->name : "";
}

bool rg_table_column_is_text(const RgTable *table, int column)
{
    const RgTableColumn *found = rg_table_column(table, column);
    return found != NULL && found->is_text;
}

int rg_table_find_column(const RgTable *table, const char *name)
{
    return name != NULL ? rg_name_map_find(&table->map, name) : -1;
}

/* ------------------------------------------------------------------ files */

static const Format *find_format(const char *path, const char *format, RgError *error)
{
    const char *name = format != NULL ? format : rg_path_ending(path);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    rg_fail(error, RG_ERR_UNSUPPORTED, path, 0, "no format of tables '%s'; there are: csv npz", name);
    return NULL;
}

RgStatus rg_table_write(const RgTable *table, const char *path, const char *format, RgError *error)
{
    if (table == NULL || path == NULL || path[0] == '\0' || table->ncolumns == 0)
        return rg_fail(error, RG_ERR_ARGUMENT, path, 0, "a table needs a column and a path to be written");
    const Format *kind = find_format(path, format, error);
    if (kind == NULL)
        return RG_ERR_UNSUPPORTED;
    RgArena arena;
    rg_arena_init(&arena, &table->allocator);
    RgStatus status = kind->write(table, path, &arena, error);
    rg_arena_free(&arena);
    return status;
}

RgTable *rg_table_read(const char *path, const char *format, RgError *error)
{
    if (path == NULL || path[0] == '\0') {
        rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "a table needs a path to be read");
        return NULL;
    }
    const Format *kind = find_format(path, format, error);
    if (kind == NULL)
        return NULL;
    RgTable *table = rg_table_create(NULL);
    if (table == NULL) {
        rg_fail(error, RG_ERR_MEMORY, path, 0, "out of memory");
        return NULL;
    }
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgStatus status = kind->read(table, path, &arena, error);
    rg_arena_free(&arena);
    if (status == RG_OK)
        return table;
    rg_table_destroy(table);
    return NULL;
}
