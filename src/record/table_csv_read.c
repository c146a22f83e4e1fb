/*
 * table_csv_read.c - reads a table from comma-separated text (RFC 4180).
 *
 * The first line has the names; a column without a name is called column_1, column_2, ... by its position. Lines that
 * begin with # and empty lines are skipped, and so is a byte order mark at the start; lines end in LF or CR LF. A
 * quoted field may contain commas, line ends and "" for one quote; blanks around fields are removed.
 *
 * The text is split in place: every cell is a pointer into it. A column has numbers if every cell that is not empty is
 * a number (nan and inf too) and at least one is, or if it has no cells; an empty cell is then NaN. Otherwise it has
 * texts.
 *
 * Failure, reported with the line: a row with more or fewer fields than there are names, an open quote, text after a
 * closing quote, a duplicate name, a zero byte, no names, more than RG_TABLE_COLUMNS_MAX columns.
 */
#include "base/alloc.h"
#include "base/file_bytes.h"
#include "base/number.h"
#include "base/status.h"
#include "record/table.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FILE_MAX ((size_t)INT_MAX) /* bytes: so that an int can count lines */
#define NAME_ROOM 32               /* bytes of a name column_<number> */

typedef struct CsvReader {
    const char *path;
    char *at; /* position in a zero-terminated text */
    int line, names_line;
    char **cells; /* ncells: row by row, first the names */
    size_t ncells, room;
    RgError *error;
} CsvReader;

/* ------------------------------------------------------------------ fields and rows */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(CsvReader *r)
{
    while (is_blank(*r->at))
        r->at++;
}

/* A quoted field after its opening quote: unescapes it in place. False: there is no closing quote. */
static bool parse_quoted(CsvReader *r, char **end)
{
    char *to = r->at;
    for (; *r->at != '\0'; r->at++) {
        if (*r->at == '"' && r->at[1] != '"') {
            *end = to;
            r->at++;
            return true;
        }
        r->at += *r->at == '"';
        r->line += *r->at == '\n';
        *to++ = *r->at;
    }
    return false;
}

static void parse_plain(CsvReader *r, char **end)
{
    char *start = r->at;
    r->at += strcspn(r->at, ",\n");
    *end = r->at;
    while (*end > start && is_blank((*end)[-1]))
        (*end)--;
}

static RgStatus store_cell(CsvReader *r, char *cell)
{
    if (r->ncells == r->room) {
        size_t room = r->room > 0 ? 2 * r->room : 1024;
        char **grown = rg_realloc(NULL, r->cells, r->ncells, room, sizeof *grown);
        if (grown == NULL)
            return rg_fail(r->error, RG_ERR_MEMORY, r->path, 0, "out of memory");
        r->cells = grown;
        r->room = room;
    }
    r->cells[r->ncells++] = cell;
    return RG_OK;
}

/* One field and the comma or line end after it; *more: it was a comma. */
static RgStatus parse_field(CsvReader *r, bool *more)
{
    int line = r->line;
    char *end = NULL;
    skip_blanks(r);
    char *start = r->at;
    if (*r->at == '"') {
        start = ++r->at;
        if (!parse_quoted(r, &end))
            return rg_fail(r->error, RG_ERR_SYNTAX, r->path, line, "a quote is not closed");
        skip_blanks(r);
    } else {
        parse_plain(r, &end);
    }
    char stop = *r->at;
    if (stop != ',' && stop != '\n' && stop != '\0')
        return rg_fail(r->error, RG_ERR_SYNTAX, r->path, r->line,
                       "expected a comma or the end of the line behind a closing quote");
    r->at += stop != '\0';
    r->line += stop == '\n';
    *end = '\0';
    *more = stop == ',';
    return store_cell(r, start);
}

/* A row of fields; expected 0: any number up to RG_TABLE_COLUMNS_MAX. */
static RgStatus parse_row(CsvReader *r, size_t expected)
{
    int line = r->line;
    size_t before = r->ncells, limit = expected > 0 ? expected : RG_TABLE_COLUMNS_MAX;
    for (bool more = true; more;) {
        RgStatus status = parse_field(r, &more);
        if (status != RG_OK)
            return status;
        if (r->ncells - before > limit)
            break;
    }
    size_t found = r->ncells - before;
    if (expected == 0 && found > limit)
        return rg_fail(r->error, RG_ERR_SYNTAX, r->path, line, "more than %d columns", RG_TABLE_COLUMNS_MAX);
    if (expected > 0 && found != expected)
        return rg_fail(r->error, RG_ERR_SYNTAX, r->path, line, "expected %zu fields, as there are names; found %s%zu",
                       expected, found > expected ? "at least " : "", found);
    return RG_OK;
}

/* All rows; *columns: number of fields of each. */
static RgStatus parse_rows(CsvReader *r, size_t *columns)
{
    *columns = 0;
    while (*r->at != '\0') {
        /* A line without fields: a comment, or only blanks. */
        size_t blanks = strspn(r->at, " \t\r");
        char first = r->at[blanks];
        if (*r->at == '#' || first == '\n' || first == '\0') {
            r->at += strcspn(r->at, "\n");
            r->line += *r->at == '\n';
            r->at += *r->at == '\n';
            continue;
        }
        if (*columns == 0)
            r->names_line = r->line;
        RgStatus status = parse_row(r, *columns);
        if (status != RG_OK)
            return status;
        if (*columns == 0)
            *columns = r->ncells;
    }
    return *columns > 0 ? RG_OK : rg_fail(r->error, RG_ERR_SYNTAX, r->path, r->line, "no line of column names");
}

/* ------------------------------------------------------------------ columns */

/* A cell as a number, NaN if it is empty. False: not a number. */
static bool cell_number(const char *text, double *x)
{
    const char *end = text + strlen(text);
    RgWord word = rg_word_next(&text, end);
    *x = (double)NAN;
    if (word.length == 0)
        return true;
    return rg_word_number(word, x) != RG_NUMBER_GARBAGE && rg_word_next(&text, end).length == 0;
}

static bool is_text_column(const CsvReader *r, size_t column, size_t columns)
{
    double x;
    bool any_cell = false, any_number = false;
    for (size_t i = columns + column; i < r->ncells; i += columns) {
        if (!cell_number(r->cells[i], &x))
            return true;
        any_cell = true;
        any_number = any_number || r->cells[i][0] != '\0';
    }
    return any_cell && !any_number;
}

static RgStatus add_column(const CsvReader *r, RgTable *table, size_t column, size_t columns)
{
    char numbered[NAME_ROOM];
    const char *name = r->cells[column];
    if (name[0] == '\0') {
        snprintf(numbered, sizeof numbered, "column_%zu", column + 1);
        name = numbered;
    }
    if (rg_table_find_column(table, name) >= 0)
        return rg_fail(r->error, RG_ERR_SYNTAX, r->path, r->names_line, "two columns are called '%s'", name);
    if (rg_table_add_column(table, name, is_text_column(r, column, columns)) < 0)
        return rg_fail(r->error, RG_ERR_MEMORY, r->path, 0, "out of memory");
    return RG_OK;
}

static RgStatus fill_column(const CsvReader *r, RgTable *table, size_t column, size_t columns)
{
    bool is_text = rg_table_column_is_text(table, (int)column);
    int64_t row = 0;
    for (size_t i = columns + column; i < r->ncells; i += columns, row++) {
        double x = 0.0;
        if (!is_text)
            cell_number(r->cells[i], &x);
        RgStatus status = is_text ? rg_table_set_text(table, row, (int)column, r->cells[i])
                                  : rg_table_set_number(table, row, (int)column, x);
        if (status != RG_OK)
            return rg_fail(r->error, status, r->path, 0, "out of memory");
    }
    return RG_OK;
}

static RgStatus fill_table(const CsvReader *r, RgTable *table, size_t columns)
{
    RgStatus status = RG_OK;
    for (size_t i = 0; i < columns && status == RG_OK; i++)
        status = add_column(r, table, i, columns);
    if (status == RG_OK && !rg_table_add_rows(table, (int64_t)(r->ncells / columns) - 1))
        status = rg_fail(r->error, RG_ERR_MEMORY, r->path, 0, "out of memory");
    for (size_t i = 0; i < columns && status == RG_OK; i++)
        status = fill_column(r, table, i, columns);
    return status;
}

/* ------------------------------------------------------------------ the file */

/* The file as a zero-terminated text in the arena. NULL: error is filled. */
static char *read_text(const char *path, RgArena *arena, RgError *error)
{
    size_t size = 0;
    unsigned char *bytes = rg_file_read(NULL, path, FILE_MAX, &size, error);
    if (bytes == NULL)
        return NULL;
    char *text = RG_ARENA_ALLOC_RAW(arena, char, size + 1);
    if (text == NULL) {
        rg_fail(error, RG_ERR_MEMORY, path, 0, "out of memory");
    } else {
        memcpy(text, bytes, size);
        text[size] = '\0';
    }
    rg_free(NULL, bytes);

    /* A zero byte within the text would end it early. */
    size_t length = text != NULL ? strlen(text) : 0;
    if (text == NULL || length == size)
        return text;
    int line = 1;
    for (size_t i = 0; i < length; i++)
        line += text[i] == '\n';
    rg_fail(error, RG_ERR_SYNTAX, path, line, "a zero byte: this is no text");
    return NULL;
}

RgStatus rg_table_read_csv(RgTable *table, const char *path, RgArena *arena, RgError *error)
{
    RgError reason = {.status = RG_OK};
    char *text = read_text(path, arena, &reason);
    if (text != NULL) {
        size_t columns, mark = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        CsvReader reader = {.path = path, .at = text + mark, .line = 1, .error = &reason};
        if (parse_rows(&reader, &columns) == RG_OK && columns > 0)
            fill_table(&reader, table, columns);
        rg_free(NULL, reader.cells);
    }
    if (error != NULL && reason.status != RG_OK)
        *error = reason;
    return reason.status;
}
