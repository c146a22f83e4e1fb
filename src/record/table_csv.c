/*
 * table_csv.c - writes a table as comma-separated text (RFC 4180): a line of names, then a line per row.
 *
 * Numbers have the fewest digits (15 to 17) that are read as the same double, with a point in every locale; also nan,
 * inf and -inf. Texts are quoted if they contain a comma, a quote or a line end, and if a reader would misread them:
 * blanks at either end, a # or a byte order mark at the beginning of a line, an empty text as the only field of a line.
 * Lines end in a line feed.
 */
#include "base/number.h"
#include "base/output_file.h"
#include "record/csv_text.h"
#include "record/table.h"

#include <math.h>
#include <string.h>

static const char byte_order_mark[] = "\xef\xbb\xbf";

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Writes a text; is_first, is_only: the first, the only field of its line. */
static void put_text(FILE *file, const char *text, bool is_first, bool is_only)
{
    size_t length = strlen(text);
    bool quoted = length == 0 ? is_only
                              : rg_csv_needs_quotes(text) || is_blank(text[0]) || is_blank(text[length - 1]) ||
                                    (is_first && (text[0] == '#' || strncmp(text, byte_order_mark, 3) == 0));
    if (!quoted) {
        fputs(text, file);
        return;
    }
    putc('"', file);
    rg_csv_put_doubled(file, text);
    putc('"', file);
}

static void put_number(FILE *file, double x)
{
    char text[32];
    if (isnan(x)) {
        fputs("nan", file);
        return;
    }
    rg_number_text(x, text, sizeof text);
    fputs(text, file);
}

static void put_row(FILE *file, const RgTable *table, int64_t row)
{
    int columns = rg_table_columns(table);
    for (int i = 0; i < columns; i++) {
        if (i > 0)
            putc(',', file);
        if (rg_table_column_is_text(table, i))
            put_text(file, rg_table_text(table, row, i), i == 0, columns == 1);
        else
            put_number(file, rg_table_number(table, row, i));
    }
    putc('\n', file);
}

RgStatus rg_table_write_csv(const RgTable *table, const char *path, RgArena *arena, RgError *error)
{
    RgOutputFile output;
    RgStatus status = rg_output_open(&output, path, arena, error);
    if (status != RG_OK)
        return status;
    int columns = rg_table_columns(table);
    for (int i = 0; i < columns; i++) {
        if (i > 0)
            putc(',', output.file);
        put_text(output.file, rg_table_column_name(table, i), i == 0, columns == 1);
    }
    putc('\n', output.file);
    for (int64_t row = 0; row < rg_table_rows(table) && ferror(output.file) == 0; row++)
        put_row(output.file, table, row);
    return rg_output_close(&output, true, error);
}
