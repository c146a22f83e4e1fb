/*
 * sweep_table.c - the results of a sweep: one row per run, in the order of runs.
 *
 *   NAME.csv, NAME.npz   run | seed, if values are drawn | axes | found value, fails, tries, of a search | status,
 *                        reason | stopped, if there are conditions | outputs
 *   NAME.json            manifest: the request, its signature, counts, the tables with their hashes
 *   NAME.times.csv       run, seconds, host: the only file that differs between two executions
 *
 * A column holds texts if one of its cells is no number. The manifest is written last: if it exists, all files do.
 */
#define _GNU_SOURCE
#include "sweep/sweep.h"

#include "io/data_folder.h"
#include "io/error.h"
#include "io/json_out.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const statuses[] = {"ok", "refused", "failed", "lost"};
enum { NSTATUSES = sizeof statuses / sizeof statuses[0] };

/* The lines of a sweep, read one at a time, and the tables. */
typedef struct Results {
    RgSweepPlan *sweep;
    const RgJournal *journal;
    bool *is_text; /* noutputs */
    RgTable *table, *times;
    long long count[NSTATUSES];
    char first[200]; /* reason of the first row that has one */
    bool failed;     /* out of memory */
} Results;

/* The line of a run, to be released; NULL: none. */
static json_t *line_of(const Results *r, long long run)
{
    long long number;
    const char *line = r->journal->lines[run];
    return line ? rg_sweep_line(r->sweep, line, strlen(line), &number) : NULL;
}

/* First pass: counts of each status, and outputs with texts. */
static void scan_lines(Results *r)
{
    RgSweepPlan *s = r->sweep;
    for (int i = 0; i < s->nstops; i++)
        s->stops[i].count = 0;
    r->is_text = rg_pool_take(&s->pool, (size_t)s->noutputs + 1, sizeof *r->is_text);
    for (long long run = 0; run < s->runs; run++) {
        json_t *line = line_of(r, run), *values = json_object_get(line, "values");
        const char *status = json_string_value(json_object_get(line, "status"));
        for (int i = 0; i < NSTATUSES && status; i++)
            r->count[i] += strcmp(status, statuses[i]) == 0;
        const char *stopped = json_string_value(json_object_get(line, "stopped"));
        for (int i = 0; i < s->nstops && stopped; i++)
            s->stops[i].count += strcmp(stopped, s->stops[i].name) == 0;
        const char *reason = json_string_value(json_object_get(line, "reason"));
        if (reason && !r->first[0])
            snprintf(r->first, sizeof r->first, "%.199s", reason);
        for (int i = 0; i < s->noutputs; i++)
            r->is_text[i] = r->is_text[i] || json_is_string(json_array_get(values, (size_t)i));
        json_decref(line);
    }
}

/* ------------------------------------------------------------------ columns */

static bool axis_is_text(const RgSweepAxis *axis, int key)
{
    bool text = false;
    for (int i = 0; i < axis->nvalues && !text; i++)
        text = isnan(axis->values[i * axis->nkeys + key].number) && !axis->values[i * axis->nkeys + key].is_null;
    return text;
}

static int add_column(Results *r, const char *name, bool is_text)
{
    int column = rg_table_add_column(r->table, name, is_text);
    r->failed = r->failed || column < 0;
    return column;
}

static void add_columns(Results *r)
{
    const RgSweepPlan *s = r->sweep;
    add_column(r, "run", false);
    if (s->draws)
        add_column(r, "seed", false);
    for (int i = 0; i < s->naxes; i++)
        for (int k = 0; k < s->axes[i].nkeys; k++)
            add_column(r, s->axes[i].columns[k], axis_is_text(&s->axes[i], k));
    if (s->search.key) {
        add_column(r, s->search.column, false);
        add_column(r, "fails", false);
        add_column(r, "tries", false);
    }
    add_column(r, "status", true);
    add_column(r, "reason", true);
    if (s->nstops > 0)
        add_column(r, "stopped", true);
    for (int i = 0; i < s->noutputs; i++)
        add_column(r, s->outputs[i].name, r->is_text[i]);
}

/* ------------------------------------------------------------------ rows */

static void put_number(Results *r, int64_t row, int column, double x)
{
    if (!isnan(x))
        rg_table_set_number(r->table, row, column, x);
}

static void put_json(Results *r, int64_t row, int column, const json_t *value)
{
    if (!rg_table_column_is_text(r->table, column)) {
        put_number(r, row, column, json_is_number(value) ? json_number_value(value) : (double)NAN);
    } else if (json_is_string(value)) {
        rg_table_set_text(r->table, row, column, json_string_value(value));
    } else if (json_is_number(value)) {
        char text[32];
        snprintf(text, sizeof text, "%.17g", json_number_value(value));
        rg_table_set_text(r->table, row, column, text);
    }
}

static int put_axes(Results *r, int64_t row, int column)
{
    const RgSweepPlan *s = r->sweep;
    for (int i = 0; i < s->naxes; i++)
        for (int k = 0; k < s->axes[i].nkeys; k++, column++) {
            RgSweepValue value = rg_sweep_value(s, row, i, k);
            if (rg_table_column_is_text(r->table, column))
                rg_table_set_text(r->table, row, column, value.text);
            else
                put_number(r, row, column, value.number);
        }
    return column;
}

static void add_row(Results *r, long long run, const json_t *line)
{
    const RgSweepPlan *s = r->sweep;
    int64_t row = rg_table_add_row(r->table);
    int column = 0;
    if (row < 0) {
        r->failed = true;
        return;
    }
    put_number(r, row, column++, (double)run);
    if (s->draws)
        put_number(r, row, column++, (double)rg_sweep_seed(s, run));
    column = put_axes(r, row, column);
    if (s->search.key) {
        put_json(r, row, column++, json_object_get(line, "found"));
        put_json(r, row, column++, json_object_get(line, "fails"));
        put_json(r, row, column++, json_object_get(line, "tries"));
    }
    put_json(r, row, column++, json_object_get(line, "status"));
    put_json(r, row, column++, json_object_get(line, "reason"));
    if (s->nstops > 0)
        put_json(r, row, column++, json_object_get(line, "stopped"));
    for (int i = 0; i < s->noutputs; i++)
        put_json(r, row, column++, json_array_get(json_object_get(line, "values"), (size_t)i));
}

/* NAME.times.csv: run, seconds, host. */
static void add_times(Results *r, long long run, const json_t *line)
{
    int64_t row = rg_table_add_row(r->times);
    const json_t *seconds = json_object_get(line, "seconds");
    rg_table_set_number(r->times, row, 0, (double)run);
    if (json_is_number(seconds))
        rg_table_set_number(r->times, row, 1, json_number_value(seconds));
    rg_table_set_text(r->times, row, 2, json_string_value(json_object_get(line, "host")));
}

/* Both tables. false: out of memory. */
static bool fill_tables(Results *r)
{
    r->table = rg_table_create(NULL);
    r->times = rg_table_create(NULL);
    if (!r->table || !r->times)
        return false;
    add_columns(r);
    rg_table_add_column(r->times, "run", false);
    rg_table_add_column(r->times, "seconds", false);
    rg_table_add_column(r->times, "host", true);
    for (long long run = 0; run < r->sweep->runs && !r->failed; run++) {
        json_t *line = line_of(r, run);
        add_row(r, run, line);
        add_times(r, run, line);
        json_decref(line);
    }
    return !r->failed;
}

static bool write_table(Results *r, const RgTable *table, const char *ending)
{
    RgError error = {.status = RG_OK};
    const char *path = rg_pool_print(&r->sweep->pool, "%s.%s", r->sweep->out, ending);
    if (rg_table_write(table, path, NULL, &error) == RG_OK)
        return true;
    rg_error_print(&error);
    return false;
}

/* ------------------------------------------------------------------ manifest */

static json_t *json_value(const RgSweepValue *value)
{
    if (value->is_null)
        return json_null();
    return isnan(value->number) ? rg_json_text(value->text) : rg_json_number(value->number);
}

static json_t *axis_json(const RgSweepAxis *axis)
{
    static const char *const draws[] = {[RG_DRAW_UNIFORM] = "uniform",
                                        [RG_DRAW_LOG_UNIFORM] = "log_uniform",
                                        [RG_DRAW_NORMAL] = "normal",
                                        [RG_DRAW_CHOICE] = "choice"};
    static const char *const changes[] = {"set", "add", "times"};
    json_t *out = json_object(), *keys = json_array(), *columns = json_array(), *values = json_array();
    for (int k = 0; k < axis->nkeys; k++) {
        if (!axis->cases)
            json_array_append_new(keys, rg_json_text(axis->keys[k]));
        if (axis->columns)
            json_array_append_new(columns, rg_json_text(axis->columns[k]));
    }
    for (int i = 0; i < axis->nvalues * axis->nkeys; i++)
        json_array_append_new(values, json_value(&axis->values[i]));
    json_object_set_new(out, "keys", keys);
    json_object_set_new(out, "columns", columns);
    json_object_set_new(out, "change", json_string(changes[axis->how]));
    if (axis->draw != RG_DRAW_NONE)
        json_object_set_new(out, "drawn", json_string(draws[axis->draw]));
    if (axis->nvalues > 0)
        json_object_set_new(out, "values", values);
    else
        json_decref(values);
    if (axis->draw != RG_DRAW_NONE && axis->draw != RG_DRAW_CHOICE)
        json_object_set_new(out, "by", rg_json_numbers((double[2]){axis->a, axis->b}, 2));
    return out;
}

static json_t *table_json(const Results *r, const char *ending)
{
    RgSweepPlan *s = r->sweep;
    const char *path = rg_pool_print(&s->pool, "%s.%s", s->out, ending), *slash = strrchr(path, '/');
    char mark[20];
    snprintf(mark, sizeof mark, "%016llx", (unsigned long long)rg_mark_file(RG_MARK_START, path));
    json_t *out = json_object();
    json_object_set_new(out, "file", rg_json_text(slash ? slash + 1 : path));
    json_object_set_new(out, "fnv1a", json_string(mark));
    return out;
}

static json_t *columns_json(const RgTable *table)
{
    json_t *out = json_array();
    for (int i = 0; i < rg_table_columns(table); i++)
        json_array_append_new(out, rg_json_text(rg_table_column_name(table, i)));
    return out;
}

static json_t *search_json(const RgSweepSearch *search)
{
    if (!search->key)
        return json_null();
    return RG_JSON_OBJECT({"key", rg_json_text(search->key)}, {"first", rg_json_number(search->first)},
                          {"least", rg_json_number(search->least)}, {"most", rg_json_number(search->most)},
                          {"width", rg_json_number(search->width)});
}

static json_t *manifest(const Results *r)
{
    const RgSweepPlan *s = r->sweep;
    const char *slash = strrchr(s->path, '/');
    json_t *out = json_object(), *axes = json_array(), *sets = json_array(), *counts = json_object(),
           *tables = json_array(), *stops = json_object(), *remarks = json_array();
    for (int i = 0; i < s->nstops; i++)
        json_object_set_new(stops, s->stops[i].name, json_integer(s->stops[i].count));
    for (int i = 0; i < s->nremarks; i++)
        json_array_append_new(remarks, rg_json_text(s->remarks[i]));
    for (int i = 0; i < s->naxes; i++)
        json_array_append_new(axes, axis_json(&s->axes[i]));
    for (int i = 0; i < s->nsets; i++)
        json_array_append_new(sets, axis_json(&s->sets[i]));
    for (int i = 0; i < NSTATUSES; i++)
        json_object_set_new(counts, statuses[i], json_integer(r->count[i]));
    json_array_append_new(tables, table_json(r, "csv"));
    json_array_append_new(tables, table_json(r, "npz"));
    RG_JSON_SET(out, {"rigor", json_string(rg_version())}, {"sweep", rg_json_text(slash ? slash + 1 : s->path)},
                {"text", rg_json_text(s->text)}, {"run", rg_json_text(s->run)},
                {"signature", json_string(s->signature)}, {"runs", json_integer(s->runs)},
                {"seeds", json_integer(s->seeds ? s->nseeds : 0)}, {"set", sets}, {"axes", axes},
                {"search", search_json(&s->search)}, {"status", counts}, {"stopped", stops}, {"remarks", remarks},
                {"columns", columns_json(r->table)}, {"tables", tables});
    return out;
}

static const char *manifest_path(RgSweepPlan *s)
{
    return rg_pool_print(&s->pool, "%s.json", s->out);
}

static bool write_manifest(const Results *r)
{
    RgSweepPlan *s = r->sweep;
    const char *path = manifest_path(s), *part = rg_pool_print(&s->pool, "%s.part", path);
    if (!rg_json_write(manifest(r), part))
        return false;
    if (rename(part, path) == 0)
        return true;
    fprintf(stderr, "rigor: %s: %s\n", path, strerror(errno));
    return false;
}

/* ------------------------------------------------------------------ writing */

/* Brings the results to disk before the journal is removed: files first, then their folder. */
static void sync_results(RgSweepPlan *s)
{
    static const char *const endings[] = {"csv", "npz", "json"};
    const char *slash = strrchr(s->out, '/');
    const char *folder = slash ? rg_pool_print(&s->pool, "%.*s/", (int)(slash - s->out), s->out) : ".";
    for (int i = 0; i < 4; i++) {
        int file = open(i < 3 ? rg_pool_print(&s->pool, "%s.%s", s->out, endings[i]) : folder, O_RDONLY);
        if (file < 0)
            continue;
        fsync(file);
        close(file);
    }
}

bool rg_sweep_write(RgSweepPlan *s, const RgJournal *journal, RgSweepTally *tally)
{
    Results r = {.sweep = s, .journal = journal};
    scan_lines(&r);
    *tally = (RgSweepTally){.ok = r.count[0], .refused = r.count[1], .failed = r.count[2], .lost = r.count[3]};
    snprintf(tally->first, sizeof tally->first, "%s", r.first);
    unlink(manifest_path(s));
    bool good = fill_tables(&r);
    if (!good)
        fprintf(stderr, "rigor: out of memory for the table\n");
    good = good && write_table(&r, r.table, "csv") && write_table(&r, r.table, "npz") &&
           write_table(&r, r.times, "times.csv") && write_manifest(&r);
    if (good)
        sync_results(s);
    rg_table_destroy(r.table);
    rg_table_destroy(r.times);
    return good;
}

RgSweepThere rg_sweep_there(RgSweepPlan *s, RgSweepTally *tally)
{
    json_t *there = json_load_file(manifest_path(s), 0, NULL), *counts = json_object_get(there, "status");
    const char *signature = json_string_value(json_object_get(there, "signature"));
    *tally = (RgSweepTally){.ok = json_integer_value(json_object_get(counts, "ok")),
                            .refused = json_integer_value(json_object_get(counts, "refused")),
                            .failed = json_integer_value(json_object_get(counts, "failed")),
                            .lost = json_integer_value(json_object_get(counts, "lost"))};
    bool is_other = there && (!signature || strcmp(signature, s->signature) != 0);
    bool is_whole = signature && !is_other && tally->lost == 0;
    json_decref(there);
    for (int i = 0; i < 2 && is_whole; i++)
        is_whole = access(rg_pool_print(&s->pool, "%s.%s", s->out, i == 0 ? "csv" : "npz"), R_OK) == 0;
    return is_other ? RG_SWEEP_OTHER : is_whole ? RG_SWEEP_WHOLE : RG_SWEEP_NOTHING;
}
