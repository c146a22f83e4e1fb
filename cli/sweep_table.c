/*
 * sweep_table.c - the results of a sweep: one row a run, in the order of runs.
 *
 *   NAME.csv, NAME.npz   run | seed, where something is drawn | axes | what was found, fails, tries, where something is searched
 *                        for | status, reason | stopped, where runs can be | outputs
 *   NAME.json            manifest: what was asked for, by what it is known again, counts, the tables with their marks
 *   NAME.times.csv       run, seconds, host: the only file that differs from one time to the next
 *
 * A column is of texts if one of its cells is a text that is no number. The manifest comes last: where it stands, all stands.
 */
#include "sweep.h"

#include "data_folder.h"
#include "json_out.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const statuses[] = {"ok", "refused", "failed", "lost"};
enum { NSTATUSES = sizeof statuses / sizeof statuses[0] };

/* All lines of a sweep, and the table that is made of them. */
typedef struct Results {
    RgSweepPlan *sweep;
    json_t **lines; /* runs */
    RgTable *table;
    long long count[NSTATUSES];
    bool failed; /* out of memory */
} Results;

static void read_lines(Results *r, const RgJournal *journal)
{
    RgSweepPlan *s = r->sweep;
    r->lines = rg_pool_take(&s->pool, (size_t)s->runs + 1, sizeof(json_t *));
    for (long long run = 0; run < s->runs; run++) {
        long long number;
        const char *line = journal->lines[run];
        r->lines[run] = line ? rg_sweep_line(s, line, strlen(line), &number) : NULL;
        const char *status = json_string_value(json_object_get(r->lines[run], "status"));
        for (int i = 0; i < NSTATUSES && status; i++)
            r->count[i] += strcmp(status, statuses[i]) == 0;
    }
}

static void free_results(Results *r)
{
    for (long long run = 0; run < r->sweep->runs; run++)
        json_decref(r->lines[run]);
    rg_table_destroy(r->table);
}

/* ------------------------------------------------------------------ columns */

static bool axis_is_text(const RgSweepAxis *axis, int key)
{
    bool text = false;
    for (int i = 0; i < axis->nvalues && !text; i++)
        text =
            isnan(axis->values[i * axis->nkeys + key].number) && !axis->values[i * axis->nkeys + key].is_null;
    return text;
}

static json_t *output_of(const Results *r, long long run, int output)
{
    return json_array_get(json_object_get(r->lines[run], "values"), (size_t)output);
}

static bool output_is_text(const Results *r, int output)
{
    bool text = false;
    for (long long run = 0; run < r->sweep->runs && !text; run++)
        text = json_is_string(output_of(r, run, output));
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
        add_column(r, s->outputs[i].name, output_is_text(r, i));
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

static void add_row(Results *r, long long run)
{
    const RgSweepPlan *s = r->sweep;
    const json_t *line = r->lines[run];
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
        put_json(r, row, column++, output_of(r, run, i));
}

static bool write_table(Results *r, const char *ending)
{
    RgError error = {.status = RG_OK};
    const char *path = rg_pool_print(&r->sweep->pool, "%s.%s", r->sweep->out, ending);
    if (rg_table_write(r->table, path, NULL, &error) == RG_OK)
        return true;
    rg_plan_print_error(&error);
    return false;
}

static bool write_times(const Results *r)
{
    RgSweepPlan *s = r->sweep;
    RgTable *table = rg_table_create(NULL);
    int run_column = rg_table_add_column(table, "run", false);
    int seconds = rg_table_add_column(table, "seconds", false),
        host = rg_table_add_column(table, "host", true);
    for (long long run = 0; run < s->runs; run++) {
        int64_t row = rg_table_add_row(table);
        const json_t *x = json_object_get(r->lines[run], "seconds");
        rg_table_set_number(table, row, run_column, (double)run);
        rg_table_set_number(table, row, seconds, json_is_number(x) ? json_number_value(x) : (double)NAN);
        rg_table_set_text(table, row, host, json_string_value(json_object_get(r->lines[run], "host")));
    }
    RgError error = {.status = RG_OK};
    const char *path = rg_pool_print(&s->pool, "%s.times.csv", s->out);
    bool good = rg_table_write(table, path, NULL, &error) == RG_OK;
    if (!good)
        rg_plan_print_error(&error);
    rg_table_destroy(table);
    return good;
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
    json_t *out = json_object();
    json_object_set_new(out, "key", rg_json_text(search->key));
    json_object_set_new(out, "first", rg_json_number(search->first));
    json_object_set_new(out, "least", rg_json_number(search->least));
    json_object_set_new(out, "most", rg_json_number(search->most));
    json_object_set_new(out, "width", rg_json_number(search->width));
    return out;
}

static json_t *manifest(const Results *r)
{
    const RgSweepPlan *s = r->sweep;
    const char *slash = strrchr(s->path, '/');
    json_t *out = json_object(), *axes = json_array(), *sets = json_array(), *counts = json_object(),
           *tables = json_array();
    for (int i = 0; i < s->naxes; i++)
        json_array_append_new(axes, axis_json(&s->axes[i]));
    for (int i = 0; i < s->nsets; i++)
        json_array_append_new(sets, axis_json(&s->sets[i]));
    for (int i = 0; i < NSTATUSES; i++)
        json_object_set_new(counts, statuses[i], json_integer(r->count[i]));
    json_array_append_new(tables, table_json(r, "csv"));
    json_array_append_new(tables, table_json(r, "npz"));
    json_object_set_new(out, "rigor", json_string(rg_version()));
    json_object_set_new(out, "sweep", rg_json_text(slash ? slash + 1 : s->path));
    json_object_set_new(out, "text", rg_json_text(s->text));
    json_object_set_new(out, "run", rg_json_text(s->run));
    json_object_set_new(out, "signature", json_string(s->signature));
    json_object_set_new(out, "runs", json_integer(s->runs));
    json_object_set_new(out, "seeds", json_integer(s->seeds ? s->nseeds : 0));
    json_object_set_new(out, "set", sets);
    json_object_set_new(out, "axes", axes);
    json_object_set_new(out, "search", search_json(&s->search));
    json_object_set_new(out, "status", counts);
    json_object_set_new(out, "columns", columns_json(r->table));
    json_object_set_new(out, "tables", tables);
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

/* ------------------------------------------------------------------ all of it */

bool rg_sweep_write(RgSweepPlan *s, const RgJournal *journal, RgSweepTally *tally)
{
    Results r = {.sweep = s};
    read_lines(&r, journal);
    *tally =
        (RgSweepTally){.ok = r.count[0], .refused = r.count[1], .failed = r.count[2], .lost = r.count[3]};
    unlink(manifest_path(s));
    r.table = rg_table_create(NULL);
    if (r.table)
        add_columns(&r);
    for (long long run = 0; r.table && run < s->runs && !r.failed; run++)
        add_row(&r, run);
    bool good = r.table && !r.failed;
    if (!good)
        fprintf(stderr, "rigor: out of memory for the table\n");
    good = good && write_table(&r, "csv") && write_table(&r, "npz") && write_times(&r) && write_manifest(&r);
    free_results(&r);
    return good;
}

bool rg_sweep_is_written(RgSweepPlan *s, RgSweepTally *tally)
{
    json_t *there = json_load_file(manifest_path(s), 0, NULL), *counts = json_object_get(there, "status");
    const char *signature = json_string_value(json_object_get(there, "signature"));
    *tally = (RgSweepTally){.ok = json_integer_value(json_object_get(counts, "ok")),
                            .refused = json_integer_value(json_object_get(counts, "refused")),
                            .failed = json_integer_value(json_object_get(counts, "failed")),
                            .lost = json_integer_value(json_object_get(counts, "lost"))};
    bool good = signature && strcmp(signature, s->signature) == 0 && tally->lost == 0;
    json_decref(there);
    for (int i = 0; i < 2 && good; i++)
        good = access(rg_pool_print(&s->pool, "%s.%s", s->out, i == 0 ? "csv" : "npz"), R_OK) == 0;
    return good;
}
