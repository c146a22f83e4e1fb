/*
 * trajectory_csv.c - a spline through a table in a file of comma-separated numbers.
 *
 *   t,shoulder,elbow          first line: names, first t; then at least the axes, in any order
 *   0,0.1,-0.3                then one knot per line; blank lines and lines that begin with # are skipped
 *
 * A column may also be named q:NAME, as in recordings, so that a recorded run can be followed; other columns are
 * ignored. Names may be quoted (RFC 4180), lines may end in CR LF. Refused, with the line number: invalid numbers, too
 * few or too many fields, times that do not increase, an axis without column (with the nearest name as a hint), an axis
 * with two columns.
 */
#include "control/trajectory_table.h"

#include "base/alloc.h"
#include "base/file_bytes.h"
#include "base/nearest_name.h"
#include "base/number.h"
#include "base/status.h"

#include <stdint.h>
#include <string.h>

#define FILE_LIMIT ((size_t)1 << 30) /* bytes */

/* State of the reader. */
typedef struct Table {
    RgTrajectory *trajectory;
    const char *file;
    RgError *error;
    const char *at, *end; /* unread text: start of the next line */
    const char *line_end; /* end of the present line, without CR LF */
    int line;             /* its number, from 1 */
    int ncolumns;
    char **names; /* ncolumns */
    int *axis_of; /* ncolumns: axis of the column; -1: ignored */
} Table;

/* Start of the next line that is not blank or a comment; NULL: end of the text. */
static const char *next_line(Table *table)
{
    while (table->at < table->end) {
        const char *start = table->at;
        const char *stop = memchr(start, '\n', (size_t)(table->end - start));
        table->at = stop != NULL ? stop + 1 : table->end;
        stop = stop != NULL ? stop : table->end;
        while (stop > start && (stop[-1] == '\r' || stop[-1] == ' ' || stop[-1] == '\t'))
            stop--;
        while (start < stop && (*start == ' ' || *start == '\t'))
            start++;
        table->line_end = stop;
        table->line++;
        if (start < stop && *start != '#')
            return start;
    }
    return NULL;
}

/* Reads a field of the line: from *at to the next comma, without blanks around it. Moves *at behind the comma; NULL: it
   was the last field. */
static RgWord next_field(const Table *table, const char **at)
{
    const char *start = *at, *stop = start;
    bool quoted = false;
    for (; stop < table->line_end && (quoted || *stop != ','); stop++)
        quoted = quoted != (*stop == '"');
    *at = stop < table->line_end ? stop + 1 : NULL;
    while (start < stop && (*start == ' ' || *start == '\t'))
        start++;
    while (stop > start && (stop[-1] == ' ' || stop[-1] == '\t'))
        stop--;
    return (RgWord){.start = start, .length = (size_t)(stop - start)};
}

/* Copies a name without its quotes. */
static char *unquote(RgArena *arena, RgWord word)
{
    char *name = RG_ARENA_ALLOC(arena, char, word.length + 1);
    if (name == NULL)
        return NULL;
    bool quoted = word.length >= 2 && word.start[0] == '"' && word.start[word.length - 1] == '"';
    const char *from = word.start + (quoted ? 1 : 0), *end = word.start + word.length - (quoted ? 1 : 0);
    size_t n = 0;
    while (from < end) {
        if (quoted && from[0] == '"' && from + 1 < end && from[1] == '"')
            from++;
        name[n++] = *from++;
    }
    return name;
}

static int count_fields(const Table *table, const char *line)
{
    int n = 0;
    for (const char *at = line; at != NULL; n++)
        next_field(table, &at);
    return n;
}

/* Whether a column's name is that of an axis, with or without "q:". */
static bool matches_axis(const char *column, const char *axis)
{
    return strcmp(column, axis) == 0 || (strncmp(column, "q:", 2) == 0 && strcmp(column + 2, axis) == 0);
}

static RgStatus find_axis(Table *table, int axis)
{
    const char *name = table->trajectory->names[axis];
    RgNearestName nearest = rg_nearest_name(name);
    int found = -1;
    for (int k = 1; k < table->ncolumns; k++) {
        rg_nearest_name_offer(&nearest, table->names[k]);
        if (!matches_axis(table->names[k], name))
            continue;
        if (found >= 0)
            return rg_fail(table->error, RG_ERR_SYNTAX, table->file, table->line, "two columns for axis '%.60s'", name);
        found = k;
        table->axis_of[k] = axis;
    }
    char hint[RG_NEAREST_ROOM];
    return found >= 0 ? RG_OK
                      : rg_fail(table->error, RG_ERR_NOT_FOUND, table->file, table->line,
                                "no column for axis '%.60s'%s", name, rg_nearest_name_hint(&nearest, hint));
}

static RgStatus read_header(Table *table)
{
    const char *line = next_line(table);
    if (line == NULL)
        return rg_fail(table->error, RG_ERR_SYNTAX, table->file, 0, "no line with the names of columns: t, then axes");
    RgArena *arena = &table->trajectory->arena;
    table->ncolumns = count_fields(table, line);
    table->names = RG_ARENA_ALLOC(arena, char *, table->ncolumns);
    table->axis_of = RG_ARENA_ALLOC(arena, int, table->ncolumns);
    if (arena->failed)
        return rg_fail(table->error, RG_ERR_MEMORY, NULL, 0, "out of memory");
    const char *at = line;
    for (int k = 0; k < table->ncolumns; k++) {
        table->names[k] = unquote(arena, next_field(table, &at));
        table->axis_of[k] = -1;
        if (table->names[k] == NULL)
            return rg_fail(table->error, RG_ERR_MEMORY, NULL, 0, "out of memory");
    }
    if (strcmp(table->names[0], "t") != 0)
        return rg_fail(table->error, RG_ERR_SYNTAX, table->file, table->line,
                       "the first column must be called 't', not '%.60s'", table->names[0]);
    RgStatus status = RG_OK;
    for (int axis = 0; axis < table->trajectory->naxes && status == RG_OK; axis++)
        status = find_axis(table, axis);
    return status;
}

static RgStatus read_number(const Table *table, RgWord word, int column, double *value)
{
    RgNumberResult result = word.length > 0 ? rg_word_number(word, value) : RG_NUMBER_NONE;
    if (result == RG_NUMBER_OK)
        return RG_OK;
    return rg_fail(table->error, RG_ERR_SYNTAX, table->file, table->line,
                   "column '%.60s': expected a finite number, found '%.*s'", table->names[column],
                   (int)(word.length < 40 ? word.length : 40), word.start);
}

/* Reads one knot. */
static RgStatus read_row(Table *table, const char *line, int knot)
{
    RgTrajectory *s = table->trajectory;
    int fields = count_fields(table, line);
    if (fields != table->ncolumns)
        return rg_fail(table->error, RG_ERR_SYNTAX, table->file, table->line, "expected %d numbers, found %d",
                       table->ncolumns, fields);
    const char *at = line;
    for (int k = 0; k < table->ncolumns; k++) {
        RgWord word = next_field(table, &at);
        int axis = table->axis_of[k];
        if (k > 0 && axis < 0)
            continue;
        RgStatus status = read_number(table, word, k, k == 0 ? &s->times[knot] : &s->values[knot * s->naxes + axis]);
        if (status != RG_OK)
            return status;
    }
    if (knot > 0 && !(s->times[knot] > s->times[knot - 1]))
        return rg_fail(table->error, RG_ERR_SYNTAX, table->file, table->line,
                       "times must rise, but %g s comes after %g s", s->times[knot], s->times[knot - 1]);
    return RG_OK;
}

static RgStatus read_rows(Table *table)
{
    RgTrajectory *s = table->trajectory;
    Table ahead = *table;
    while (next_line(&ahead) != NULL)
        s->nknots++;
    if (s->nknots == 0)
        return rg_fail(table->error, RG_ERR_SYNTAX, table->file, table->line, "no line of numbers after the names");
    if ((int64_t)s->nknots * s->naxes > INT32_MAX)
        return rg_fail(table->error, RG_ERR_UNSUPPORTED, table->file, 0, "more than 2^31 numbers");
    s->times = RG_ARENA_ALLOC(&s->arena, double, s->nknots);
    s->values = RG_ARENA_ALLOC(&s->arena, double, (size_t)s->nknots *(size_t)s->naxes);
    if (s->times == NULL || s->values == NULL)
        return rg_fail(table->error, RG_ERR_MEMORY, NULL, 0, "out of memory");
    RgStatus status = RG_OK;
    for (int knot = 0; knot < s->nknots && status == RG_OK; knot++)
        status = read_row(table, next_line(table), knot);
    return status;
}

static RgStatus csv_fill(RgTrajectory *s, const RgTrajectoryDef *def, RgError *error)
{
    if (def->file == NULL || def->names == NULL)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "trajectory: csv needs a file, and the names of its axes");
    for (int k = 0; k < def->naxes; k++)
        if (def->names[k] == NULL)
            return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "trajectory: axis %d has no name", k + 1);
    size_t size = 0;
    unsigned char *bytes = rg_file_read(&def->allocator, def->file, FILE_LIMIT, &size, error);
    if (bytes == NULL)
        return RG_ERR_FILE;
    const char *text = (const char *)bytes;
    Table table = {.trajectory = s, .file = def->file, .error = error, .at = text, .end = text + size};
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        table.at += 3;
    RgStatus status = read_header(&table);
    if (status == RG_OK)
        status = read_rows(&table);
    if (status == RG_OK)
        status = rg_spline_fill(s, def, error);
    rg_free(&def->allocator, bytes);
    return status;
}

const RgTrajectoryKind rg_trajectory_csv_kind = {
    .name = "csv", .summary = "a spline through a table in a file", .fill = csv_fill, .at = rg_spline_at};
