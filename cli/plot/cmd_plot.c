/*
 * cmd_plot.c - `rigor plot TABLE --x COLUMN --y COLUMN`: figures of a table by gnuplot.
 *
 * TABLE is any CSV or NPZ, such as those of rigor sweep or a recording; an MCAP of rigor stands for the rows that
 * `rigor export` writes; - is a CSV or NPZ on the standard input. Omitted values are reported on stderr: rows
 * whose status is not ok, values that are not finite, and on logarithmic axes those not above 0.
 *
 * Figures are drawn in a temporary folder, and copied to their places when all are complete.
 *
 * Fails, and lists what exists, on: no gnuplot, an unknown column, no rows left to draw.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/command.h"
#include "io/error.h"
#include "io/gnuplot.h"
#include "io/json_out.h"
#include "io/options.h"
#include "io/plot_look.h"
#include "io/read_input.h"
#include "plot/table_plot.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TARGETS_MAX = 16 };
#define SIZE_MIN_CM 3.0
#define SIZE_MAX_CM 100.0

static const RgOptionSpec plot_options[] = {
    {"x", "COLUMN", "column of the horizontal axis; texts become named tics in the order of their appearance"},
    {"y", "COLUMN[,COLUMN...]", "columns of the vertical axis"},
    {"by", "COLUMN[,COLUMN...]", "one series for each of its values"},
    {"where", "COLUMN=VALUE", "only rows with this value; also != < <= > >=; may be repeated"},
    {"take", "WHAT", "of rows that share x and by: spread (default), mean, median, min, max, all"},
    {"style", "STYLE", "lines, points, linespoints or bars (default: by the data)"},
    {"log", "x|y|xy", "logarithmic axes"},
    {"out", "FILE", "FILE.png, .svg or .pdf; may be repeated (default: beside TABLE, all three)"},
    {"title", "TEXT", "above the figure"},
    {"xlabel", "TEXT", "of the axis (default: the column's name)"},
    {"ylabel", "TEXT", "of the axis (default: the column's name)"},
    {"xrange", "A:B", "range of the axis; A or B may be omitted"},
    {"yrange", "A:B", "range of the axis; A or B may be omitted"},
    {"size", "W,H", "of the figure, cm (default 16,10)"},
    {"failed", NULL, "also draw rows whose status is not ok"},
    {"script", NULL, "keep the gnuplot script and its numbers beside the first figure, as .gp and .dat"},
    {"json", "OUT|-", "write the series as numbers; draws nothing unless --out or --script is given"},
    {"quiet", NULL, "no text and no remarks"},
};

typedef struct Target {
    const char *path, *format;
} Target;

typedef struct Plotter {
    const RgOptions *options;
    RgPool pool;
    RgTable *table;
    RgTablePlot plot;
    RgPlotData data;
    Target targets[TARGETS_MAX];
    int ntargets;
    const char *folder; /* for temporary files; NULL: not made yet */
} Plotter;

/* ------------------------------------------------------------------ options */

#define NAME_ENTRY(name) #name,
static const char *const take_names[] = {RG_PLOT_TAKE_LIST(NAME_ENTRY)};
static const char *const style_names[] = {RG_PLOT_STYLE_LIST(NAME_ENTRY)};
#undef NAME_ENTRY
enum { TAKES = sizeof take_names / sizeof take_names[0], STYLES = sizeof style_names / sizeof style_names[0] };

/* Index of an option's word in a list; -1: message printed. Absent: fallback. */
static int read_choice(Plotter *p, const char *name, const char *const *words, int count, int fallback)
{
    const char *word = rg_options_value(p->options, name), *list = "";
    if (!word)
        return fallback;
    for (int i = 0; i < count; i++) {
        if (strcmp(words[i], word) == 0)
            return i;
        list = rg_pool_print(&p->pool, "%s %s", list, words[i]);
    }
    rg_options_complain(p->options, "--%s: '%s' is none of:%s", name, word, list);
    return -1;
}

/* A:B; A or B may be omitted. */
static bool read_range(Plotter *p, const char *name, bool is_log, double range[2])
{
    const char *text = rg_options_value(p->options, name);
    range[0] = range[1] = NAN;
    if (!text)
        return true;
    const char *colon = strchr(text, ':');
    const char *low = colon ? rg_pool_print(&p->pool, "%.*s", (int)(colon - text), text) : "";
    bool good = colon && (low[0] == '\0' || rg_number_parse(low, &range[0])) &&
                (colon[1] == '\0' || rg_number_parse(colon + 1, &range[1]));
    if (!good)
        return rg_options_complain(p->options, "--%s: '%s': expected A:B, A: or :B", name, text);
    if (range[0] >= range[1])
        return rg_options_complain(p->options, "--%s: '%s': the first must be below the second", name, text);
    if (is_log && (range[0] <= 0.0 || range[1] <= 0.0))
        return rg_options_complain(p->options, "--%s: '%s': a logarithmic axis begins above 0", name, text);
    return true;
}

static bool read_look(Plotter *p)
{
    const RgOptions *options = p->options;
    RgTablePlot *plot = &p->plot;
    int take = read_choice(p, "take", take_names, TAKES, RG_PLOT_TAKE_spread);
    int style = read_choice(p, "style", style_names, STYLES, 0);
    const char *log = rg_options_value(options, "log"), *size = rg_options_value(options, "size");
    if (take < 0 || style < 0)
        return false;
    plot->take = (RgPlotTake)take;
    plot->style = (RgPlotStyle)style;
    plot->has_style = rg_options_has(options, "style");
    if (log && strcmp(log, "x") != 0 && strcmp(log, "y") != 0 && strcmp(log, "xy") != 0)
        return rg_options_complain(options, "--log: '%s' is none of: x y xy", log);
    plot->log_x = log && strchr(log, 'x') != NULL;
    plot->log_y = log && strchr(log, 'y') != NULL;
    double sizes[2] = {16.0, 10.0};
    if (size && (rg_number_list_parse(size, sizes, 2) != 2 || fmin(sizes[0], sizes[1]) < SIZE_MIN_CM ||
                 fmax(sizes[0], sizes[1]) > SIZE_MAX_CM))
        return rg_options_complain(options, "--size: '%s': expected W,H in cm, each between %g and %g", size,
                                   SIZE_MIN_CM, SIZE_MAX_CM);
    plot->width = sizes[0];
    plot->height = sizes[1];
    plot->title = rg_options_value(options, "title");
    plot->xlabel = rg_options_value(options, "xlabel");
    plot->ylabel = rg_options_value(options, "ylabel");
    plot->with_failed = rg_options_has(options, "failed");
    return read_range(p, "xrange", plot->log_x, plot->xrange) && read_range(p, "yrange", plot->log_y, plot->yrange);
}

/* png, svg or pdf by a path's ending; NULL: none of them. */
static const char *figure_format(const char *path)
{
    static const char *const formats[] = {"png", "svg", "pdf"};
    const char *dot = strrchr(path, '.');
    for (int i = 0; dot && i < 3; i++)
        if (strcmp(dot + 1, formats[i]) == 0)
            return formats[i];
    return NULL;
}

/* The path without its ending. */
static const char *stem(RgPool *pool, const char *path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    bool has = dot && dot != path && (!slash || dot > slash + 1);
    return has ? rg_pool_print(pool, "%.*s", (int)(dot - path), path) : path;
}

static bool read_targets(Plotter *p)
{
    const RgOptions *options = p->options;
    for (int i = 0; i < options->ngiven; i++) {
        const char *path = options->given[i].value;
        if (strcmp(options->given[i].spec->name, "out") != 0)
            continue;
        if (p->ntargets == TARGETS_MAX)
            return rg_options_complain(options, "--out: more than %d figures", TARGETS_MAX);
        const char *format = figure_format(path);
        if (!format)
            return rg_options_complain(options, "--out: '%s': expected a name that ends in .png, .svg or .pdf", path);
        p->targets[p->ntargets++] = (Target){path, format};
    }
    bool draws = !rg_options_has(options, "json") || rg_options_has(options, "script");
    if (p->ntargets > 0 || !draws)
        return true;
    if (strcmp(options->file, "-") == 0)
        return rg_options_complain(options, "no output: give --out FILE.png, .svg or .pdf");
    static const char *const formats[] = {"png", "svg", "pdf"};
    for (int i = 0; i < 3; i++)
        p->targets[p->ntargets++] =
            (Target){rg_pool_print(&p->pool, "%s.%s", stem(&p->pool, options->file), formats[i]), formats[i]};
    return true;
}

/* ------------------------------------------------------------------ temporary files */

/* A path in the temporary folder; NULL: message printed. */
static const char *temporary(Plotter *p, const char *name)
{
    if (!p->folder) {
        const char *place = getenv("TMPDIR");
        char *folder = rg_pool_print(&p->pool, "%s/rigor-plot-XXXXXX", place && place[0] ? place : "/tmp");
        if (!mkdtemp(folder)) {
            fprintf(stderr, "rigor plot: cannot make the folder %s: %s\n", folder, strerror(errno));
            return NULL;
        }
        p->folder = folder;
    }
    return rg_pool_print(&p->pool, "%s/%s", p->folder, name);
}

static void remove_temporary(Plotter *p)
{
    DIR *folder = p->folder ? opendir(p->folder) : NULL;
    if (!folder)
        return;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlink(rg_pool_print(&p->pool, "%s/%s", p->folder, entry->d_name));
    closedir(folder);
    rmdir(p->folder);
}

/* Copies a file; renamed to its final name when complete. */
static bool copy_file(RgPool *pool, const char *from, const char *to)
{
    const char *part = rg_pool_print(pool, "%s.part-%ld", to, (long)getpid());
    FILE *in = fopen(from, "rb"), *out = in ? fopen(part, "wb") : NULL;
    char block[65536];
    bool good = in && out;
    for (size_t n; good && (n = fread(block, 1, sizeof block, in)) > 0;)
        good = fwrite(block, 1, n, out) == n;
    good = good && !ferror(in);
    if (in)
        fclose(in);
    if (out)
        good = fclose(out) == 0 && good;
    good = good && rename(part, to) == 0;
    if (!good) {
        fprintf(stderr, "rigor plot: cannot write '%s': %s\n", to, strerror(errno));
        if (out)
            unlink(part);
    }
    return good;
}

/* ------------------------------------------------------------------ the table */

/* Saves the standard input as input.npz or input.csv by its content; NULL: message printed. */
static const char *save_input(Plotter *p)
{
    size_t size = 0;
    char *bytes = rg_read_input(&size);
    if (!bytes)
        return NULL;
    bool is_npz = size > 2 && memcmp(bytes, "PK", 2) == 0;
    const char *path = temporary(p, is_npz ? "input.npz" : "input.csv");
    FILE *file = path ? fopen(path, "wb") : NULL;
    bool good = file && fwrite(bytes, 1, size, file) == size;
    if (file)
        good = fclose(file) == 0 && good;
    free(bytes);
    if (path && !good)
        fprintf(stderr, "rigor plot: cannot write '%s': %s\n", path, strerror(errno));
    return good ? path : NULL;
}

static bool load_table(Plotter *p)
{
    const char *path = p->options->file, *dot = strrchr(path, '.');
    RgError error = {.status = RG_OK};
    if (strcmp(path, "-") == 0) {
        path = save_input(p);
    } else if (dot && strcmp(dot, ".mcap") == 0) {
        const char *rows = temporary(p, "rows.npz");
        if (rows && rg_recording_export(path, rows, "npz", NULL, &error) == RG_OK)
            path = rows;
        else
            path = NULL;
    }
    p->table = path ? rg_table_read(path, NULL, &error) : NULL;
    if (!p->table && error.status != RG_OK)
        rg_error_print(&error);
    p->plot.table = p->table;
    p->plot.path = p->options->file;
    return p->table != NULL;
}

/* Columns of an option, none if it is absent. false: message printed. */
static bool read_columns(Plotter *p, const char *name, int *columns, int *count)
{
    const char *list = rg_options_value(p->options, name);
    const char *wrong = list ? rg_plot_columns_parse(&p->pool, p->table, list, columns, count) : NULL;
    return wrong ? rg_options_complain(p->options, "--%s: %s", name, wrong) : true;
}

static bool read_conditions(Plotter *p)
{
    RgTablePlot *plot = &p->plot;
    for (int i = 0; i < p->options->ngiven; i++) {
        if (strcmp(p->options->given[i].spec->name, "where") != 0)
            continue;
        RgPlotWhere where;
        const char *wrong = rg_plot_where_parse(&p->pool, p->table, p->options->given[i].value, &where);
        if (wrong)
            return rg_options_complain(p->options, "--where: %s", wrong);
        plot->where = rg_pool_grow(&p->pool, plot->where, plot->nwhere, sizeof where);
        plot->where[plot->nwhere++] = where;
    }
    return true;
}

static bool choose_columns(Plotter *p)
{
    RgTablePlot *plot = &p->plot;
    int x[RG_PLOT_COLUMNS_MAX] = {0}, nx = 0;
    if (!read_columns(p, "x", x, &nx) || !read_columns(p, "y", plot->y, &plot->ny) ||
        !read_columns(p, "by", plot->by, &plot->nby) || !read_conditions(p))
        return false;
    if (nx > 1)
        return rg_options_complain(p->options, "--x: one column, not %d", nx);
    plot->x = x[0];
    for (int i = 0; i < plot->ny; i++)
        if (rg_table_column_is_text(p->table, plot->y[i]))
            return rg_options_complain(p->options, "--y: column '%s' holds texts: expected numbers",
                                       rg_table_column_name(p->table, plot->y[i]));
    if (rg_table_column_is_text(p->table, plot->x) && (plot->log_x || rg_options_has(p->options, "xrange")))
        return rg_options_complain(p->options, "column '%s' holds texts: --log x and --xrange need numbers",
                                   rg_table_column_name(p->table, plot->x));
    return true;
}

/* ------------------------------------------------------------------ JSON */

static json_t *column_names(const Plotter *p, const int *columns, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, rg_json_text(rg_table_column_name(p->table, columns[i])));
    return array;
}

static json_t *by_values(const Plotter *p, const RgPlotSeries *series)
{
    json_t *object = json_object();
    for (int i = 0; i < p->plot.nby; i++) {
        bool is_text = rg_table_column_is_text(p->table, p->plot.by[i]);
        json_t *value =
            is_text ? rg_json_text(rg_plot_by_text(&p->plot, &p->data, series, i)) : rg_json_number(series->by[i]);
        json_object_set_new(object, rg_table_column_name(p->table, p->plot.by[i]), value);
    }
    return object;
}

static json_t *series_json(const Plotter *p, const RgPlotSeries *series)
{
    json_t *object = json_object(), *x = json_array(), *y = json_array(), *low = json_array(), *high = json_array(),
           *rows = json_array();
    const RgPlotTexts *ticks = &p->data.ticks;
    for (long long i = 0; i < series->npoints; i++) {
        const RgPlotPoint *point = &series->points[i];
        json_array_append_new(x,
                              ticks->ntexts > 0 ? rg_json_text(ticks->texts[(int)point->x]) : rg_json_number(point->x));
        json_array_append_new(y, rg_json_number(point->y));
        json_array_append_new(low, rg_json_number(point->low));
        json_array_append_new(high, rg_json_number(point->high));
        json_array_append_new(rows, json_integer(point->rows));
    }
    RG_JSON_SET(object, {"column", rg_json_text(rg_table_column_name(p->table, series->y))},
                {"by", by_values(p, series)}, {"label", rg_json_text(series->label)}, {"x", x}, {"y", y}, {"low", low},
                {"high", high}, {"rows", rows});
    return object;
}

static bool write_json(const Plotter *p, const char *path)
{
    const RgPlotData *data = &p->data;
    json_t *object = json_object(), *left_out = json_object(), *series = json_array(), *figures = json_array();
    for (int i = 0; i < data->nseries; i++)
        json_array_append_new(series, series_json(p, &data->series[i]));
    for (int i = 0; i < p->ntargets; i++)
        json_array_append_new(figures, rg_json_text(p->targets[i].path));
    RG_JSON_SET(left_out, {"failed", json_integer(data->failed)}, {"where", json_integer(data->unwanted)},
                {"not_finite", json_integer(data->not_finite)}, {"not_positive", json_integer(data->not_positive)});
    RG_JSON_SET(object, {"table", rg_json_text(p->plot.path)},
                {"x", rg_json_text(rg_table_column_name(p->table, p->plot.x))},
                {"y", column_names(p, p->plot.y, p->plot.ny)}, {"by", column_names(p, p->plot.by, p->plot.nby)},
                {"take", json_string(take_names[p->plot.take])}, {"style", json_string(style_names[p->plot.style])},
                {"log_x", json_boolean(p->plot.log_x)}, {"log_y", json_boolean(p->plot.log_y)},
                {"rows", json_integer(data->rows)}, {"left_out", left_out}, {"figures", figures}, {"series", series});
    return rg_json_write(object, path);
}

/* ------------------------------------------------------------------ figures */

/* Script and numbers beside each other, with the endings .gp and .dat. */
static bool write_script(Plotter *p, const char *path, const RgPlotTarget *targets)
{
    const char *script = rg_pool_print(&p->pool, "%s.gp", path), *slash = strrchr(path, '/');
    const char *numbers = rg_pool_print(&p->pool, "%s.dat", path);
    RgPlotScript out = {.script = fopen(script, "w"), .numbers = fopen(numbers, "w"), .targets = targets};
    out.ntargets = p->ntargets;
    out.numbers_name = rg_pool_print(&p->pool, "%s.dat", slash ? slash + 1 : path);
    bool good = out.script && out.numbers;
    if (good)
        rg_plot_write_script(&p->plot, &p->data, &out);
    good = good && !ferror(out.script) && !ferror(out.numbers);
    if (out.script)
        good = fclose(out.script) == 0 && good;
    if (out.numbers)
        good = fclose(out.numbers) == 0 && good;
    if (!good)
        fprintf(stderr, "rigor plot: cannot write '%s' and '%s': %s\n", script, numbers, strerror(errno));
    return good;
}

/* The script of --script: it draws its figures in its own folder. */
static bool write_kept_script(Plotter *p)
{
    RgPlotTarget targets[TARGETS_MAX] = {{.name = NULL}};
    for (int i = 0; i < p->ntargets; i++) {
        const char *slash = strrchr(p->targets[i].path, '/');
        targets[i] = (RgPlotTarget){p->targets[i].format, slash ? slash + 1 : p->targets[i].path};
    }
    return write_script(p, stem(&p->pool, p->targets[0].path), targets);
}

/* Draws all figures in the temporary folder, then copies them to their places. */
static bool draw_figures(Plotter *p)
{
    RgPlotTarget targets[TARGETS_MAX] = {{.name = NULL}};
    const char *script = temporary(p, "figure");
    for (int i = 0; i < p->ntargets; i++)
        targets[i] = (RgPlotTarget){p->targets[i].format, rg_pool_print(&p->pool, "%d.%s", i, p->targets[i].format)};
    if (!script || !write_script(p, script, targets))
        return false;
    int code = rg_gnuplot_run(p->folder, "figure.gp");
    if (code != 0) {
        rg_plot_print_log(temporary(p, "gnuplot.log"));
        fprintf(stderr, "rigor plot: gnuplot could not draw the figure (exit code %d)\n", code);
        return false;
    }
    for (int i = 0; i < p->ntargets; i++)
        if (!copy_file(&p->pool, temporary(p, targets[i].name), p->targets[i].path))
            return false;
    return !rg_options_has(p->options, "script") || write_kept_script(p);
}

/* ------------------------------------------------------------------ text */

static void print_remarks(const Plotter *p)
{
    const RgPlotData *data = &p->data;
    if (data->failed > 0)
        fprintf(stderr, "rigor plot: left out: %lld row%s whose status is not ok (--failed draws them)\n", data->failed,
                data->failed > 1 ? "s" : "");
    if (data->not_finite > 0)
        fprintf(stderr, "rigor plot: left out: %lld value%s without a finite number for x, y or by\n", data->not_finite,
                data->not_finite > 1 ? "s" : "");
    if (data->not_positive > 0)
        fprintf(stderr, "rigor plot: left out: %lld value%s not above 0 on a logarithmic axis\n", data->not_positive,
                data->not_positive > 1 ? "s" : "");
}

static void print_summary(const Plotter *p)
{
    const RgPlotData *data = &p->data;
    long long points = 0;
    for (int i = 0; i < data->nseries; i++)
        points += data->series[i].npoints;
    printf("table          %s, %lld of %lld rows\n", p->plot.path, data->rows, (long long)rg_table_rows(p->table));
    printf("series         %d, %lld points\n", data->nseries, points);
    if (p->plot.take == RG_PLOT_TAKE_spread && data->shared)
        printf("each point     median and 10th to 90th percentile of %lld to %lld rows\n", data->rows_least,
               data->rows_most);
    for (int i = 0; i < p->ntargets; i++)
        printf("%-14s %s\n", i == 0 ? "figures" : "", p->targets[i].path);
}

static int plot_table(Plotter *p)
{
    const RgOptions *options = p->options;
    const char *json = rg_options_value(options, "json");
    if (!read_look(p) || !read_targets(p))
        return RG_EXIT_USAGE;
    if (p->ntargets > 0 && !rg_gnuplot_present()) {
        fprintf(stderr,
                "rigor plot: figures need gnuplot, which is not installed (Debian: apt-get install gnuplot-nox); "
                "--json gives the numbers without it\n");
        return RG_EXIT_FAILED;
    }
    if (!load_table(p))
        return RG_EXIT_USAGE;
    if (!rg_options_has(options, "x") || !rg_options_has(options, "y")) {
        const char *list = strstr(rg_plot_no_column(&p->pool, p->table, ""), "columns:");
        rg_options_complain(options, "no columns: give --x COLUMN --y COLUMN\n%s", list);
        return RG_EXIT_USAGE;
    }
    if (!choose_columns(p))
        return RG_EXIT_USAGE;
    const char *wrong = rg_plot_collect(&p->plot, &p->data);
    if (wrong) {
        rg_options_complain(options, "%s", wrong);
        return RG_EXIT_USAGE;
    }
    if (!rg_options_has(options, "quiet"))
        print_remarks(p);
    if (p->data.nseries == 0) {
        fprintf(stderr, "rigor plot: %s: none of %lld rows is left to draw\n", p->plot.path,
                (long long)rg_table_rows(p->table));
        return RG_EXIT_FAILED;
    }
    if (p->ntargets > 0 && !draw_figures(p))
        return RG_EXIT_FAILED;
    if (json && !write_json(p, json))
        return RG_EXIT_FAILED;
    if (!rg_options_has(options, "quiet") && !(json && strcmp(json, "-") == 0))
        print_summary(p);
    return RG_EXIT_OK;
}

static int run_plot(const RgOptions *options)
{
    Plotter plotter = {.options = options};
    plotter.plot.pool = &plotter.pool;
    int code = plot_table(&plotter);
    remove_temporary(&plotter);
    rg_table_destroy(plotter.table);
    rg_pool_free(&plotter.pool);
    return code;
}

RG_COMMAND(plot, "draw figures of a table: a sweep, a recording, or any CSV or NPZ", .run = run_plot,
           .notes =
               "spread: the median of rows that share x and by, with a band (or error bars) from the 10th to the 90th "
               "percentile; all:\nevery row as a point, or with --style lines joined in the order of the rows.\n",
           .operands = "TABLE", .expects = "a table (CSV, NPZ) or a recording (MCAP)");
