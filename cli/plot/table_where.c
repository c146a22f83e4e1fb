/*
 * table_where.c - columns of a table by name, and conditions on its rows: COLUMN=VALUE, !=, <, <=, >, >=.
 *
 * Names of columns may contain commas and operators, so the longest column name at the front of a text that is followed
 * by an operator counts. Numbers are equal to a relative EQUAL, so that 0.3 finds the 3 * 0.1 of a grid.
 */
#include "plot/table_plot.h"

#include "io/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EQUAL 1e-9
enum { NAMES_SHOWN = 40 };

const char *rg_plot_number_text(RgPool *pool, double x)
{
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    return rg_pool_print(pool, "%s", text);
}

/* ------------------------------------------------------------------ columns */

const char *rg_plot_no_column(RgPool *pool, const RgTable *table, const char *name)
{
    RgNearest nearest = rg_nearest_begin(name);
    int columns = rg_table_columns(table);
    const char *list = "";
    for (int i = 0; i < columns; i++) {
        const char *known = rg_table_column_name(table, i);
        rg_nearest_offer(&nearest, known);
        if (i < NAMES_SHOWN)
            list = rg_pool_print(pool, "%s%s%s", list, i > 0 ? ", " : "", known);
    }
    if (columns > NAMES_SHOWN)
        list = rg_pool_print(pool, "%s and %d more", list, columns - NAMES_SHOWN);
    const char *hint = nearest.best ? rg_pool_print(pool, "; did you mean '%s'?", nearest.best) : "";
    return rg_pool_print(pool, "there is no column '%s'%s\ncolumns: %s", name, hint, list);
}

/* The column with the longest name at the front of a text, followed by one of the signs or, if may_end, by the end;
   *rest: the text after the name. -1: none. */
static int column_at_front(const RgTable *table, const char *text, const char *signs, bool may_end, const char **rest)
{
    int found = -1;
    size_t longest = 0;
    for (int i = 0; i < rg_table_columns(table); i++) {
        const char *name = rg_table_column_name(table, i);
        size_t length = strlen(name);
        if (length <= longest || strncmp(text, name, length) != 0)
            continue;
        size_t blanks = strspn(text + length, " ");
        char next = text[length + blanks];
        if (next == '\0' ? !may_end : strchr(signs, next) == NULL)
            continue;
        found = i;
        longest = length;
        *rest = text + length + blanks;
    }
    return found;
}

const char *rg_plot_columns_parse(RgPool *pool, const RgTable *table, const char *list, int *columns, int *count)
{
    *count = 0;
    for (const char *at = list;;) {
        const char *rest = NULL;
        at += strspn(at, " ");
        int column = column_at_front(table, at, ",", true, &rest);
        if (column < 0)
            return rg_plot_no_column(pool, table, rg_pool_print(pool, "%.*s", (int)strcspn(at, ","), at));
        if (*count == RG_PLOT_COLUMNS_MAX)
            return rg_pool_print(pool, "more than %d columns", RG_PLOT_COLUMNS_MAX);
        columns[(*count)++] = column;
        if (*rest == '\0')
            return NULL;
        at = rest + 1;
    }
}

/* ------------------------------------------------------------------ conditions */

/* The operator at the front of a text; those of two characters first. */
static const char *operator_at(const char *text)
{
    static const char *const operators[] = {"!=", "<=", ">=", "=", "<", ">"};
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (strncmp(text, operators[i], strlen(operators[i])) == 0)
            return operators[i];
    return NULL;
}

const char *rg_plot_where_parse(RgPool *pool, const RgTable *table, const char *text, RgPlotWhere *out)
{
    const char *rest = NULL;
    int column = column_at_front(table, text, "=!<>", false, &rest);
    const char *compare = column >= 0 ? operator_at(rest) : NULL;
    size_t name = strcspn(text, "=!<>");
    if (text[name] == '\0')
        return rg_pool_print(pool, "'%s' is no condition: expected COLUMN=VALUE, !=, <, <=, > or >=", text);
    if (column < 0)
        return rg_plot_no_column(pool, table, rg_pool_print(pool, "%.*s", (int)name, text));
    if (!compare)
        return rg_pool_print(pool, "'%s' is no condition: expected = != < <= > or >= after '%s'", text,
                             rg_table_column_name(table, column));
    const char *value = rest + strlen(compare);
    *out = (RgPlotWhere){.column = column, .compare = compare, .text = value};
    if (rg_table_column_is_text(table, column)) {
        bool ordered = compare[0] == '<' || compare[0] == '>';
        return ordered ? rg_pool_print(pool, "'%s': column '%s' holds texts, which are only compared by = and !=", text,
                                       rg_table_column_name(table, column))
                       : NULL;
    }
    while (*value == ' ')
        value++;
    return rg_number_parse(value, &out->number) ? NULL : rg_pool_print(pool, "'%s': '%s' is not a number", text, value);
}

bool rg_plot_where_holds(const RgTable *table, const RgPlotWhere *where, int64_t row)
{
    const char *compare = where->compare;
    if (rg_table_column_is_text(table, where->column)) {
        bool same = strcmp(rg_table_text(table, row, where->column), where->text) == 0;
        return compare[0] == '!' ? !same : same;
    }
    double x = rg_table_number(table, row, where->column), to = where->number;
    bool equal = x == to || fabs(x - to) <= EQUAL * fmax(fabs(x), fabs(to));
    switch (compare[0]) {
    case '=':
        return equal;
    case '!':
        return !equal;
    case '<':
        return compare[1] == '=' ? x < to || equal : x < to && !equal;
    default:
        return compare[1] == '=' ? x > to || equal : x > to && !equal;
    }
}
