/* reproduce_out.c - verdicts as a table on the terminal and as JSON. */
#include "reproduce/reproduce.h"

#include "io/json_out.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH_MIN = 20, NUMBER = 24, SUM = 256 };

static const char *number(char out[NUMBER], double x)
{
    if (isnan(x))
        snprintf(out, NUMBER, "-");
    else
        snprintf(out, NUMBER, "%.4g", x);
    return out;
}

void rg_reproduce_print(const RgJudged *judged)
{
    char published[NUMBER], measured[NUMBER], ratio[NUMBER], range[2 * NUMBER];
    int width = WIDTH_MIN;
    for (int i = 0; i < judged->nrows; i++)
        width = (int)strlen(judged->rows[i].name) > width ? (int)strlen(judged->rows[i].name) : width;
    printf("%s: %s\n", judged->experiment->name, judged->experiment->title);
    printf("  %-*s %10s %10s %8s  %-9s %s\n", width, "", "published", "ours", "ratio", "verdict", "accepted");
    for (int i = 0; i < judged->nrows; i++) {
        const RgJudgedRow *row = &judged->rows[i];
        rg_judged_range(row, range, sizeof range);
        printf("  %-*s %10s %10s %8s  %-9s %s%s%s\n", width, row->name, number(published, row->published),
               number(measured, row->measured), number(ratio, rg_judged_ratio(row)), rg_verdict_name(row->verdict),
               range, row->unit[0] ? " " : "", row->unit);
        bool tells = row->verdict == RG_VERDICT_outside || row->verdict == RG_VERDICT_skipped;
        if (tells)
            printf("  %-*s   %s\n", width, "", row->why[0] ? row->why : "no reason is known");
    }
    for (int i = 0; i < judged->nfailures; i++)
        printf("  failed: %s\n", judged->failures[i]);
    printf("\n");
}

double rg_reproduce_share(const RgJudged *judged, int count, bool published)
{
    int good = 0, asked = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < judged[i].nrows; k++) {
            const RgJudgedRow *row = &judged[i].rows[k];
            bool counts = row->verdict != RG_VERDICT_skipped && !(published && isnan(row->published));
            asked += counts;
            good += counts && (row->verdict == RG_VERDICT_inside || row->verdict == RG_VERDICT_better);
        }
    return asked > 0 ? 100.0 * good / asked : 100.0;
}

void rg_reproduce_print_sum(const RgReproduce *r, const RgJudged *judged)
{
    int count[RG_VERDICT_COUNT] = {0}, rows = 0, failed = 0;
    for (int i = 0; i < r->nexperiments; i++) {
        for (int k = 0; k < RG_VERDICT_COUNT; k++)
            count[k] += judged[i].count[k];
        rows += judged[i].nrows;
        failed += judged[i].nfailures > 0;
    }
    printf("%d experiment%s, %d rows:", r->nexperiments, r->nexperiments == 1 ? "" : "s", rows);
    for (int k = 0; k < RG_VERDICT_COUNT; k++)
        if (count[k] > 0)
            printf(" %d %s", count[k], rg_verdict_name((RgVerdict)k));
    printf("; %.1f %% inside or better, of rows with a published number %.1f %%",
           rg_reproduce_share(judged, r->nexperiments, false), rg_reproduce_share(judged, r->nexperiments, true));
    if (failed > 0)
        printf("; %d failed", failed);
    printf("\n");
}

static json_t *json_row(const RgJudgedRow *row)
{
    json_t *out =
        RG_JSON_OBJECT({"name", rg_json_text(row->name)}, {"published", rg_json_number(row->published)},
                       {"measured", rg_json_number(row->measured)}, {"low", rg_json_number(row->low)},
                       {"high", rg_json_number(row->high)}, {"verdict", rg_json_text(rg_verdict_name(row->verdict))},
                       {"unit", rg_json_text(row->unit)}, {"source", rg_json_text(row->source)});
    if (row->verdict == RG_VERDICT_outside || row->verdict == RG_VERDICT_skipped)
        json_object_set_new(out, "why", rg_json_text(row->why));
    return out;
}

static json_t *json_texts(const char *const *texts, int count)
{
    json_t *out = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(out, rg_json_text(texts[i]));
    return out;
}

json_t *rg_reproduce_json(const RgReproduce *r, const RgJudged *judged)
{
    json_t *out = json_object(), *rows = json_array();
    RG_JSON_SET(out, {"experiment", rg_json_text(judged->experiment->name)},
                {"title", rg_json_text(judged->experiment->title)},
                {"form", rg_json_text(r->quick ? "quick" : "whole")}, {"seconds", rg_json_number(judged->seconds)});
    for (int i = 0; i < judged->nrows; i++)
        json_array_append_new(rows, json_row(&judged->rows[i]));
    json_object_set_new(out, "rows", rows);
    json_object_set_new(out, "said", json_texts(judged->said, judged->nsaid));
    json_object_set_new(out, "failures", json_texts(judged->failures, judged->nfailures));
    return out;
}
