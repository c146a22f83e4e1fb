/*
 * reproduce_judge.c - what was measured beside what was published.
 *
 *   expected.csv   name,published,low,high,better,form,unit,source,why
 *
 *   published  a number, or nothing where the source gives none       low, high  accepted range; nothing: open
 *   better     less | more: beyond the range on this side of the published value is better than published, by the source's
 *              own measure; nothing: neither is, or there is no published value
 *   form       both | whole: asked of the quick form too, or of the whole alone
 *   why        what is known of the reason, where the value lies outside
 *
 * Rows that were measured but not expected are told as failures: a row without a range says nothing.
 */
#include "reproduce/reproduce.h"

#include "io/csv_table.h"
#include "io/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

/* A row as it is expected, and how it is judged. */
typedef struct Expected {
    RgJudgedRow row;
    bool whole;
    int better; /* -1: less, 1: more, 0: neither */
} Expected;

static const char *bad(RgReproduce *r, const char *path, const RgCsvRow *row, const char *what)
{
    return rg_pool_print(&r->pool, "%s:%d: %s", path, row->line, what);
}

/* An empty field is `otherwise`. */
static bool take_number(const char *text, double otherwise, double *out)
{
    *out = otherwise;
    return text[0] == '\0' || rg_number_parse(text, out);
}

static const char *read_expected_row(RgReproduce *r, const char *path, const RgCsvRow *from, Expected *out)
{
    const char *const *f = from->fields;
    if (from->nfields != EXPECTED_COLUMNS)
        return bad(r, path, from, "expected 9 fields: name,published,low,high,better,form,unit,source,why");
    *out = (Expected){
        .row = {.name = f[NAME], .unit = f[UNIT], .source = f[SOURCE], .why = f[WHY], .measured = (double)NAN}};
    if (!take_number(f[PUBLISHED], (double)NAN, &out->row.published) ||
        !take_number(f[LOW], -(double)INFINITY, &out->row.low) ||
        !take_number(f[HIGH], (double)INFINITY, &out->row.high))
        return bad(r, path, from, "published, low and high: expected a number or nothing");
    if (!(out->row.low <= out->row.high) || (isinf(out->row.low) && isinf(out->row.high)))
        return bad(r, path, from, "expected a range: low, high or both, low not above high");
    out->better = strcmp(f[BETTER], "less") == 0 ? -1 : strcmp(f[BETTER], "more") == 0;
    if (out->better == 0 && f[BETTER][0])
        return bad(r, path, from, "better: expected less, more or nothing");
    if (out->better != 0 && isnan(out->row.published))
        return bad(r, path, from, "better than what? expected a published value");
    out->whole = strcmp(f[FORM], "whole") == 0;
    if (!out->whole && strcmp(f[FORM], "both") != 0)
        return bad(r, path, from, "form: expected both or whole");
    return NULL;
}

/* NULL, or what is wrong with the file. */
static const char *read_expected(RgReproduce *r, const Experiment *experiment, Expected **out, int *count)
{
    RgCsvTable table;
    const char *path = rg_pool_print(&r->pool, "%s/experiments/%s/expected.csv", r->data, experiment->name);
    const char *wrong = rg_csv_read(&r->pool, path, &table);
    if (wrong)
        return wrong;
    for (int i = 0; i < EXPECTED_COLUMNS; i++)
        if (table.nrows == 0 || table.rows[0].nfields != EXPECTED_COLUMNS ||
            strcmp(table.rows[0].fields[i], expected_columns[i]) != 0)
            return rg_pool_print(&r->pool, "%s:1: expected name,published,low,high,better,form,unit,source,why", path);
    *out = rg_pool_take(&r->pool, (size_t)table.nrows, sizeof **out);
    *count = 0;
    for (int i = 1; i < table.nrows && !wrong; i++) {
        wrong = read_expected_row(r, path, &table.rows[i], &(*out)[*count]);
        *count += !wrong && !(r->quick && (*out)[*count].whole);
    }
    return wrong;
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

static void add_named(RgReproduce *r, RgNamedText **list, int *count, const RgCsvRow *row)
{
    *list = rg_pool_grow(&r->pool, *list, *count, sizeof **list);
    (*list)[(*count)++] = (RgNamedText){row->fields[ITEM], row->fields[TEXT]};
}

/* Where a row's value goes: that it is there; the verdict follows. */
static void take_value(RgReproduce *r, RgJudged *out, Expected *expected, const RgCsvRow *row)
{
    if (!expected) {
        /* The quick form does not ask for all rows; an experiment may tell them all the same. */
        if (!r->quick)
            add_text(
                r, &out->failures, &out->nfailures,
                rg_pool_print(&r->pool, "row '%s' was measured, but expected.csv has no such row", row->fields[ITEM]));
        return;
    }
    if (expected->row.verdict == RG_VERDICT_outside)
        add_text(r, &out->failures, &out->nfailures,
                 rg_pool_print(&r->pool, "row '%s' was measured twice", row->fields[ITEM]));
    expected->row.measured = strtod(row->fields[VALUE], NULL);
    expected->row.verdict = RG_VERDICT_outside;
}

static void take_measured(RgReproduce *r, RgJudged *out, Expected *rows, int count, const RgCsvRow *row)
{
    const char *kind = row->fields[KIND], *text = row->fields[TEXT];
    Expected *expected = find_row(rows, count, row->fields[ITEM]);
    if (strcmp(kind, "row") == 0)
        take_value(r, out, expected, row);
    else if (strcmp(kind, "said") == 0)
        add_text(r, &out->said, &out->nsaid, text);
    else if (strcmp(kind, "failed") == 0)
        add_text(r, &out->failures, &out->nfailures, text);
    else if (strcmp(kind, "figure") == 0)
        add_named(r, &out->figures, &out->nfigures, row);
    else if (strcmp(kind, "film") == 0)
        add_named(r, &out->films, &out->nfilms, row);
    else if (strcmp(kind, "skipped") == 0 && expected) {
        expected->row.verdict = RG_VERDICT_skipped;
        expected->row.why = text;
    }
}

/* ------------------------------------------------------------------ verdicts */

static RgVerdict judge(const Expected *e)
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
    const char *wrong = read_expected(r, experiment, &rows, &count);
    if (wrong) {
        fprintf(stderr, "rigor: %s\n", wrong);
        return false;
    }
    for (int i = 0; i < count; i++)
        rows[i].row.verdict = RG_VERDICT_missing;

    /* What the experiment told. */
    RgCsvTable told;
    const char *path = rg_pool_print(&r->pool, "%s/measured.csv", rg_reproduce_folder(r, experiment));
    wrong = rg_csv_read(&r->pool, path, &told);
    if (wrong)
        add_text(r, &out->failures, &out->nfailures, "it did not come to its end (see log.txt beside its results)");
    for (int i = 0; i < told.nrows; i++)
        if (told.rows[i].nfields == MEASURED_COLUMNS)
            take_measured(r, out, rows, count, &told.rows[i]);

    out->rows = rg_pool_take(&r->pool, (size_t)count, sizeof *out->rows);
    out->nrows = count;
    for (int i = 0; i < count; i++) {
        rows[i].row.verdict = judge(&rows[i]);
        out->rows[i] = rows[i].row;
        out->count[rows[i].row.verdict]++;
    }
    return true;
}
