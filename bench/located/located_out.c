/* located_out.c - tables to the terminal, JSON and CSV. */
#include "located.h"

#include <stdarg.h>
#include <string.h>

#define FIRST 24 /* width of the first column */
#define WIDTH 9  /* of any other at least */

bool located_out_begin(LocatedOut *out, const char *json, const char *csv)
{
    *out = (LocatedOut){0};
    out->quiet = json != NULL && strcmp(json, "-") == 0;
    if (json != NULL)
        out->json = out->quiet ? stdout : fopen(json, "w");
    if (csv != NULL)
        out->csv = fopen(csv, "w");
    if (out->json != NULL)
        fprintf(out->json, "{");
    return (json == NULL || out->json != NULL) && (csv == NULL || out->csv != NULL);
}

static void close_table(LocatedOut *out)
{
    if (out->name == NULL)
        return;
    if (out->json != NULL)
        fprintf(out->json, "\n]");
    if (out->csv != NULL)
        fprintf(out->csv, "\n\n");
    out->name = NULL;
}

bool located_out_end(LocatedOut *out)
{
    close_table(out);
    bool good = true;
    if (out->json != NULL) {
        fprintf(out->json, "\n}\n");
        good = fflush(out->json) == 0;
        if (out->json != stdout)
            good = fclose(out->json) == 0 && good;
    }
    if (out->csv != NULL)
        good = fclose(out->csv) == 0 && good;
    return good;
}

static int width_of(const LocatedColumn *column)
{
    int length = (int)strlen(column->head);
    return length > WIDTH ? length : WIDTH;
}

static void print_text(const LocatedColumn *column, const char *text, bool first)
{
    if (first)
        printf("  %-*s", FIRST, text);
    else
        printf(" %*s", width_of(column), text);
}

void located_table(LocatedOut *out, const char *name, const char *title, const LocatedColumn *columns, int ncolumns)
{
    close_table(out);
    out->name = name;
    out->columns = columns;
    out->ncolumns = ncolumns;
    out->rows = 0;
    if (!out->quiet) {
        printf("\n%s\n", title);
        for (int i = 0; i < ncolumns; i++)
            print_text(&columns[i], columns[i].head, i == 0);
        printf("\n");
    }
    if (out->json != NULL)
        fprintf(out->json, "%s\n\"%s\": [", out->tables > 0 ? "," : "", name);
    for (int i = 0; out->csv != NULL && i < ncolumns; i++)
        fprintf(out->csv, "%s%s", columns[i].key, i + 1 < ncolumns ? "," : "\n");
    out->tables++;
}

/* Texts are our own, but paths and messages of errors may be in them. */
static void write_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text != '\0'; text++)
        if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if ((unsigned char)*text >= 0x20)
            fputc(*text, file);
    fputc('"', file);
}

static void write_value(FILE *file, LocatedCell c, const char *unknown)
{
    if (c.text != NULL)
        write_string(file, c.text);
    else if (isfinite(c.number))
        fprintf(file, "%.17g", c.number);
    else
        fprintf(file, "%s", unknown);
}

static void print_cell(const LocatedColumn *column, LocatedCell c, bool first)
{
    char text[160];
    if (c.text != NULL)
        snprintf(text, sizeof text, "%s", c.text);
    else if (isnan(c.number))
        snprintf(text, sizeof text, "-");
    else if (column->whole)
        snprintf(text, sizeof text, "%.0f", c.number);
    else
        snprintf(text, sizeof text, "%.3g", c.number);
    print_text(column, text, first);
}

void located_row(LocatedOut *out, const LocatedCell *cells)
{
    if (!out->quiet) {
        for (int i = 0; i < out->ncolumns; i++)
            print_cell(&out->columns[i], cells[i], i == 0);
        printf("\n");
        fflush(stdout);
    }
    if (out->json != NULL) {
        fprintf(out->json, "%s\n  {", out->rows > 0 ? "," : "");
        for (int i = 0; i < out->ncolumns; i++) {
            fprintf(out->json, "%s\"%s\": ", i > 0 ? ", " : "", out->columns[i].key);
            write_value(out->json, cells[i], "null");
        }
        fprintf(out->json, "}");
    }
    for (int i = 0; out->csv != NULL && i < out->ncolumns; i++) {
        write_value(out->csv, cells[i], "nan");
        fputc(i + 1 < out->ncolumns ? ',' : '\n', out->csv);
    }
    out->rows++;
}

void located_note(LocatedOut *out, const char *format, ...)
{
    if (out->quiet)
        return;
    va_list list;
    va_start(list, format);
    printf("  ");
    vprintf(format, list);
    printf("\n");
    va_end(list);
}

static void lengths_table(LocatedOut *out, const char *name, const char *title, const RgStepStatistics *s)
{
    static const LocatedColumn columns[] = {{"from", "from s", false}, {"to", "to s", false}, {"steps", "steps", true}};
    char text[120];
    snprintf(text, sizeof text, "%s: lengths of its inner steps", title);
    located_table(out, name, text, columns, 3);
    int first = 0, last = RG_STEP_BINS - 1;
    while (first < last && s->bins[first] == 0)
        first++;
    while (last > first && s->bins[last] == 0)
        last--;
    for (int i = first; i <= last; i++) {
        double from = 1e-10 * pow(10.0, i / 5.0);
        located_row(out, (LocatedCell[]){cell(from), cell(from * pow(10.0, 0.2)), cell((double)s->bins[i])});
    }
}

static void cuts_table(LocatedOut *out, const char *name, const char *title, const RgStepStatistics *s)
{
    static const LocatedColumn columns[] = {
        {"cut", "decided by", false}, {"steps", "steps", true}, {"rejected", "rejected", true}};
    char text[120];
    snprintf(text, sizeof text, "%s: what decided them", title);
    located_table(out, name, text, columns, 3);
    for (int i = 0; i < RG_CUT_COUNT; i++)
        if (s->cut[i] > 0 || s->rejected[i] > 0)
            located_row(out, (LocatedCell[]){cell_text(rg_cut_name((RgCut)i)), cell((double)s->cut[i]),
                                             cell((double)s->rejected[i])});
    for (int i = 0; i < RG_EVENT_COUNT; i++)
        if (s->events[i] > 0)
            located_note(out, "events %-9s %lld", rg_event_name((RgEventKind)i), (long long)s->events[i]);
}

void located_histogram(LocatedOut *out, const char *name, const char *title, const LocatedRun *run)
{
    char full[60];
    snprintf(full, sizeof full, "%s_lengths", name);
    lengths_table(out, full, title, &run->statistics);
    snprintf(full, sizeof full, "%s_cuts", name);
    cuts_table(out, full, title, &run->statistics);
}
