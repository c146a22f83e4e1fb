/*
 * csv_table.c - a table of comma-separated values from a file.
 *
 * A field may stand in double quotes, with "" for one of them, and may then have commas and ends of lines in it. Blanks
 * around fields without quotes are not part of them.
 */
#include "io/csv_table.h"

#include "io/read_input.h"

#include <stdlib.h>
#include <string.h>

static char *skip_blanks(char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\r')
        at++;
    return at;
}

/* A field in quotes, at points behind the first of them: its text closed up in place. Where it ends, or NULL. */
static char *take_quoted(char *at, int *line)
{
    char *to = at;
    for (; *at; at++) {
        if (*at == '"' && at[1] != '"') {
            *to = '\0';
            return at + 1;
        }
        at += *at == '"';
        *line += *at == '\n';
        *to++ = *at;
    }
    return NULL;
}

/* A field without quotes up to the comma or the end of the line, which stays as it is; *end: of its text. */
static char *take_plain(char *at, char **end)
{
    char *stop = at + strcspn(at, ",\n");
    *end = stop;
    while (*end > at && strchr(" \t\r", (*end)[-1]))
        (*end)--;
    return stop;
}

/* One row from at on; where the next begins, or NULL with *wrong. */
static char *take_row(char *at, RgCsvRow *row, int *line, const char **wrong)
{
    for (bool more = true; more;) {
        char *end = NULL, *stop;
        at = skip_blanks(at);
        char *first = *at == '"' ? at + 1 : at;
        stop = *at == '"' ? take_quoted(first, line) : take_plain(at, &end);
        if (!stop || row->nfields == RG_CSV_COLUMNS_MAX) {
            *wrong = stop ? "too many fields" : "a quote is not closed";
            return NULL;
        }
        row->fields[row->nfields++] = first;
        at = skip_blanks(stop);
        if (*at && *at != ',' && *at != '\n') {
            *wrong = "expected a comma behind the closing quote";
            return NULL;
        }
        more = *at == ',';
        *line += *at == '\n';
        if (*at)
            at++;
        if (end)
            *end = '\0';
    }
    return at;
}

const char *rg_csv_parse(RgPool *pool, const char *name, char *text, RgCsvTable *out)
{
    *out = (RgCsvTable){NULL, 0};
    int line = 1;
    for (char *at = text; *at;) {
        RgCsvRow row = {.line = line};
        if (*at == '#' || *at == '\n') {
            at += strcspn(at, "\n");
            at += *at == '\n';
            line++;
            continue;
        }
        const char *wrong = NULL;
        at = take_row(at, &row, &line, &wrong);
        if (!at)
            return rg_pool_print(pool, "%s:%d: %s", name, row.line, wrong);
        out->rows = rg_pool_grow(pool, out->rows, out->nrows, sizeof row);
        out->rows[out->nrows++] = row;
    }
    return NULL;
}

/* The whole file, with a zero behind it; NULL: it cannot be read. */
static char *read_text(RgPool *pool, const char *path)
{
    size_t size = 0;
    FILE *file = fopen(path, "rb");
    char *data = file ? rg_read_stream(file, &size) : NULL, *text = NULL;
    if (data) {
        text = rg_pool_take(pool, size + 1, 1);
        memcpy(text, data, size);
    }
    if (file)
        fclose(file);
    free(data);
    return text;
}

const char *rg_csv_read(RgPool *pool, const char *path, RgCsvTable *out)
{
    *out = (RgCsvTable){NULL, 0};
    char *text = read_text(pool, path);
    return text ? rg_csv_parse(pool, path, text, out) : rg_pool_print(pool, "%s: cannot be read", path);
}
