/*
 * reproduce_judge.c - measured values beside published ones.
 *
 *   expected.csv   name,published,low,high,better,form,unit,source,why
 *
 *   published  a number; empty: the source gives none       low, high  accepted range; empty: open
 *   better     less | more: values beyond the range on this side are better than published, by the source's own
 *              measure; empty: neither side is, or there is no published value
 *   form       both | whole: required of both forms, or of the whole form only
 *   why        known reason of a value outside
 *
 * Rows that were measured but are not in expected.csv are failures.
 */
#include "reproduce/reproduce.h"

#include "io/error.h"
#include "io/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME, PUBLISHED, LOW, HIGH, BETTER, FORM, UNIT, SOURCE, WHY, EXPECTED_COLUMNS };
enum { KIND, ITEM, VALUE, TEXT, MEASURED_COLUMNS };

static const char *const expected_columns[EXPECTED_COLUMNS] = {"name", "published", "low",    "high", "better",
                                                               "form", "unit",      "source", "why"};

const char *rg_verdict_name(RgVerdict verdict)
{
#define VERDICT_NAME(name) #name,
    static const char *const names[] = {RG_VERDICT_LIST(VERDICT_NAME)};
#undef VERDICT_NAME
    return names[verdict];
}

double rg_judged_ratio(const RgJudgedRow *row)
{
    return row->published != 0.0 ? row->measured / row->published : (double)NAN;
}

void rg_judged_range(const RgJudgedRow *row, char *out, size_t size)
{
    if (isinf(row->low))
        snprintf(out, size, "<= %.4g", row->high);
    else if (isinf(row->high))
        snprintf(out, size, ">= %.4g", row->low);
    else if (row->low == row->high)
        snprintf(out, size, "%.4g", row->low);
    else
        snprintf(out, size, "%.4g ... %.4g", row->low, row->high);
}

/* ------------------------------------------------------------------ expected.csv */

/* An expected row and its acceptance. */
typedef struct Expected {
    RgJudgedRow row;
    bool whole;
    int better; /* -1: less, 1: more, 0: neither */
} Expected;

/* A cell as text; "" if empty. */
static const char *cell(RgReproduce *r, const RgTable *table, int64_t row, int column)
{
    double x = rg_table_number(table, row, column);
    if (rg_table_column_is_text(table, column))
        return rg_table_text(table, row, column);
    return isnan(x) ? "" : rg_pool_print(&r->pool, "%.17g", x);
}

/* The text in the pool, which lives longer than the table. */
static const char *keep_cell(RgReproduce *r, const RgTable *table, int64_t row, int column)
{
    return rg_pool_print(&r->pool, "%s", cell(r, table, row, column));
}

/* An empty cell is `otherwise`. */
static bool read_number(const char *text, double otherwise, double *out)
{
    *out = otherwise;
    return text[0] == '\0' || rg_number_parse(text, out);
}

/* Returns an error text, or NULL. */
static const char *read_expected_row(RgReproduce *r, const RgTable *from, int64_t row, Expected *out)
{
    *out = (Expected){.row = {.name = keep_cell(r, from, row, NAME),
                              .unit = keep_cell(r, from, row, UNIT),
                              .source = keep_cell(r, from, row, SOURCE),
                              .why = keep_cell(r, from, row, WHY),
                              .measured = (double)NAN}};
    if (!read_number(cell(r, from, row, PUBLISHED), (double)NAN, &out->row.published) ||
        !read_number(cell(r, from, row, LOW), -(double)INFINITY, &out->row.low) ||
        !read_number(cell(r, from, row, HIGH), (double)INFINITY, &out->row.high))
        return "published, low and high: expected a number or nothing";
    if (!(out->row.low <= out->row.high) || (isinf(out->row.low) && isinf(out->row.high)))
        return "expected a range: low, high or both, low not above high";
    const char *better = cell(r, from, row, BETTER), *form = cell(r, from, row, FORM);
    out->better = strcmp(better, "less") == 0 ? -1 : strcmp(better, "more") == 0;
    if (out->better == 0 && better[0])
        return "better: expected less, more or nothing";
    if (out->better != 0 && isnan(out->row.published))
        return "better: needs a published value";
    out->whole = strcmp(form, "whole") == 0;
    return out->whole || strcmp(form, "both") == 0 ? NULL : "form: expected both or whole";
}

/* False: invalid file, a message was printed. */
static bool read_expected(RgReproduce *r, const Experiment *experiment, Expected **out, int *count)
{
    RgError error = {.status = RG_OK};
    const char *path = rg_pool_print(&r->pool, "%s/experiments/%s/expected.csv", r->data, experiment->name);
    RgTable *table = rg_table_read(path, "csv", &error);
    bool named = table && rg_table_columns(table) == EXPECTED_COLUMNS;
    for (int i = 0; i < EXPECTED_COLUMNS && named; i++)
        named = strcmp(rg_table_column_name(table, i), expected_columns[i]) == 0;
    if (table && !named)
        rg_error_set(&error, RG_ERR_SYNTAX, path, "expected name,published,low,high,better,form,unit,source,why");
    int64_t rows = named ? rg_table_rows(table) : 0;
    *out = rg_pool_take(&r->pool, (size_t)rows + 1, sizeof **out);
    *count = 0;
    for (int64_t i = 0; i < rows && error.status == RG_OK; i++) {
        const char *wrong = read_expected_row(r, table, i, &(*out)[*count]);
        if (wrong)
            rg_error_set(&error, RG_ERR_SYNTAX, path, "row '%s': %s", (*out)[*count].row.name, wrong);
        *count += !(r->quick && (*out)[*count].whole);
    }
    rg_table_destroy(table);
    if (error.status != RG_OK)
        rg_error_print(&error);
    return error.status == RG_OK;
}

/* ------------------------------------------------------------------ measured.csv */

static Expected *find_row(Expected *rows, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(rows[i].row.name, name) == 0)
            return &rows[i];
    return NULL;
}

static void add_text(RgReproduce *r, const char ***list, int *count, const char *text)
{
    *list = rg_pool_grow(&r->pool, *list, *count, sizeof **list);
    (*list)[(*count)++] = text;
}

/* A line of measured.csv. */
typedef struct Measured {
    const char *kind, *name, *text;
    double value;
} Measured;

static void add_named(RgReproduce *r, RgNamedText **list, int *count, const Measured *line)
{
    *list = rg_pool_grow(&r->pool, *list, *count, sizeof **list);
    (*list)[(*count)++] = (RgNamedText){line->name, line->text};
}

/* Enters the value of a row; the verdict is made later. */
static void add_value(RgReproduce *r, RgJudged *out, Expected *expected, const Measured *line)
{
    if (!expected) {
        /* The quick form may measure rows that it is not required to. */
        if (!r->quick)
            add_text(r, &out->failures, &out->nfailures,
                     rg_pool_print(&r->pool, "row '%s' was measured, but expected.csv has no such row", line->name));
        return;
    }
    if (expected->row.verdict == RG_VERDICT_outside)
        add_text(r, &out->failures, &out->nfailures,
                 rg_pool_print(&r->pool, "row '%s' was measured twice", line->name));
    expected->row.measured = line->value;
    expected->row.verdict = RG_VERDICT_outside;
}

static void add_measured(RgReproduce *r, RgJudged *out, Expected *rows, int count, const Measured *line)
{
    const char *kind = line->kind;
    Expected *expected = find_row(rows, count, line->name);
    if (strcmp(kind, "row") == 0)
        add_value(r, out, expected, line);
    else if (strcmp(kind, "said") == 0)
        add_text(r, &out->said, &out->nsaid, line->text);
    else if (strcmp(kind, "failed") == 0)
        add_text(r, &out->failures, &out->nfailures, line->text);
    else if (strcmp(kind, "figure") == 0)
        add_named(r, &out->figures, &out->nfigures, line);
    else if (strcmp(kind, "film") == 0)
        add_named(r, &out->films, &out->nfilms, line);
    else if (strcmp(kind, "skipped") == 0 && expected) {
        expected->row.verdict = RG_VERDICT_skipped;
        expected->row.why = line->text;
    }
}

/* All results and remarks of the experiment. An experiment that was ended early has no such file. */
static void read_measured(RgReproduce *r, RgJudged *out, Expected *rows, int count)
{
    const char *path = rg_pool_print(&r->pool, "%s/measured.csv", rg_reproduce_folder(r, out->experiment));
    RgTable *table = rg_table_read(path, "csv", NULL);
    if (!table || rg_table_columns(table) != MEASURED_COLUMNS)
        add_text(r, &out->failures, &out->nfailures, "the experiment did not finish (see log.txt beside its results)");
    for (int64_t i = 0; table && rg_table_columns(table) == MEASURED_COLUMNS && i < rg_table_rows(table); i++) {
        Measured line = {.kind = keep_cell(r, table, i, KIND),
                         .name = keep_cell(r, table, i, ITEM),
                         .text = keep_cell(r, table, i, TEXT),
                         .value = rg_table_number(table, i, VALUE)};
        add_measured(r, out, rows, count, &line);
    }
    rg_table_destroy(table);
}

/* ------------------------------------------------------------------ verdicts */

static RgVerdict verdict_of(const Expected *e)
{
    const RgJudgedRow *row = &e->row;
    if (row->verdict != RG_VERDICT_outside)
        return row->verdict;
    if (row->measured >= row->low && row->measured <= row->high)
        return RG_VERDICT_inside;
    double ahead = e->better * (row->measured - row->published);
    return ahead > 0.0 ? RG_VERDICT_better : RG_VERDICT_outside;
}

bool rg_reproduce_judge(RgReproduce *r, const Experiment *experiment, RgJudged *out)
{
    *out = (RgJudged){.experiment = experiment, .seconds = (double)NAN};
    Expected *rows = NULL;
    int count = 0;
    if (!read_expected(r, experiment, &rows, &count))
        return false;
    for (int i = 0; i < count; i++)
        rows[i].row.verdict = RG_VERDICT_missing;

    read_measured(r, out, rows, count);
    out->rows = rg_pool_take(&r->pool, (size_t)count, sizeof *out->rows);
    out->nrows = count;
    for (int i = 0; i < count; i++) {
        rows[i].row.verdict = verdict_of(&rows[i]);
        out->rows[i] = rows[i].row;
        out->count[rows[i].row.verdict]++;
    }
    return true;
}
