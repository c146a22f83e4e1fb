/*
 * table_series.c - from the rows of a table to the series of a figure.
 *
 * Rows are selected (status ok, --where); each gives a value for every y. Values that cannot be drawn are counted and
 * omitted: those that are not finite, and on a logarithmic axis those not above 0. A series is one y with one set of
 * by-values; by-numbers are ordered by size, by-texts by their first appearance. Values of a series are sorted by x,
 * then by row.
 *
 * Values of one x are reduced to one point: mean; least; largest; median, alone or with the 10th and 90th percentile.
 * The p-th percentile of n sorted values is at index p (n - 1) / 100, interpolated linearly between neighbours (Hyndman
 * and Fan, 1996: definition 7; numpy's rule). `all` reduces nothing and keeps the order of the rows.
 *
 * Fails on: no value left, too many series, too many texts on x.
 */
#include "plot/table_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MARKS_MAX = 60 }; /* longer series are drawn as lines without marks */

/* One value of the table. */
typedef struct Value {
    int series;
    double x, y;
    long long row;
} Value;

typedef struct Collector {
    const RgTablePlot *plot;
    RgPlotData *data;
    Value *values; /* nvalues */
    long long nvalues;
    double *groups; /* ngroups x nby */
    int ngroups;
} Collector;

/* ------------------------------------------------------------------ rows */

static bool asks_status(const RgTablePlot *plot, int status)
{
    for (int i = 0; i < plot->nwhere; i++)
        if (plot->where[i].column == status)
            return true;
    return false;
}

/* Whether a row is drawn; counts it if not. */
static bool pick_row(Collector *c, int status, int64_t row)
{
    const RgTablePlot *plot = c->plot;
    for (int i = 0; i < plot->nwhere; i++)
        if (!rg_plot_where_holds(plot->table, &plot->where[i], row)) {
            c->data->unwanted++;
            return false;
        }
    if (status >= 0 && strcmp(rg_table_text(plot->table, row, status), "ok") != 0) {
        c->data->failed++;
        return false;
    }
    return true;
}

/* Index of a text among those of its column, added if new. -1: there are more than `most`. */
static int text_place(RgPool *pool, RgPlotTexts *texts, const char *text, int most)
{
    if (texts->ntexts > 0 && strcmp(texts->texts[texts->last], text) == 0)
        return texts->last;
    for (int i = 0; i < texts->ntexts; i++)
        if (strcmp(texts->texts[i], text) == 0)
            return texts->last = i;
    if (texts->ntexts == most)
        return -1;
    texts->texts = rg_pool_grow(pool, texts->texts, texts->ntexts, sizeof *texts->texts);
    texts->texts[texts->ntexts] = text;
    return texts->last = texts->ntexts++;
}

/* A cell as a number: a text as its index. NaN, and *wrong, if there are too many texts. */
static double cell(Collector *c, int column, RgPlotTexts *texts, int64_t row, const char **wrong)
{
    const RgTablePlot *plot = c->plot;
    if (!rg_table_column_is_text(plot->table, column))
        return rg_table_number(plot->table, row, column);
    int most = column == plot->x ? RG_PLOT_TICKS_MAX : RG_PLOT_SERIES_MAX;
    int place = text_place(plot->pool, texts, rg_table_text(plot->table, row, column), most);
    if (place < 0)
        *wrong = rg_pool_print(plot->pool, "column '%s' has more than %d different texts; choose some by --where",
                               rg_table_column_name(plot->table, column), most);
    return place < 0 ? (double)NAN : (double)place;
}

/* The group of a row's by-values; -1: one is not finite. */
static int find_group(Collector *c, int64_t row, const char **wrong)
{
    int nby = c->plot->nby;
    double key[RG_PLOT_COLUMNS_MAX];
    for (int i = 0; i < nby; i++) {
        key[i] = cell(c, c->plot->by[i], &c->data->by[i], row, wrong);
        if (!isfinite(key[i]))
            return -1;
    }
    for (int g = 0; g < c->ngroups; g++) {
        int same = 0;
        while (same < nby && c->groups[g * nby + same] == key[same])
            same++;
        if (same == nby)
            return g;
    }
    if ((c->ngroups + 1) * c->plot->ny > RG_PLOT_SERIES_MAX) {
        *wrong = rg_pool_print(c->plot->pool, "more than %d series; choose some by --where, or fewer columns for --by",
                               RG_PLOT_SERIES_MAX);
        return -1;
    }
    memcpy(c->groups + c->ngroups * nby, key, (size_t)nby * sizeof *key);
    return c->ngroups++;
}

static void add_values(Collector *c, int group, double x, int64_t row)
{
    const RgTablePlot *plot = c->plot;
    for (int i = 0; i < plot->ny; i++) {
        double y = rg_table_number(plot->table, row, plot->y[i]);
        if (group < 0 || !isfinite(x) || !isfinite(y))
            c->data->not_finite++;
        else if ((plot->log_x && x <= 0.0) || (plot->log_y && y <= 0.0))
            c->data->not_positive++;
        else
            c->values[c->nvalues++] = (Value){group * plot->ny + i, x, y, row};
    }
}

static const char *gather(Collector *c)
{
    const RgTablePlot *plot = c->plot;
    int64_t rows = rg_table_rows(plot->table);
    int status = rg_table_find_column(plot->table, "status");
    if (status >= 0 &&
        (plot->with_failed || !rg_table_column_is_text(plot->table, status) || asks_status(plot, status)))
        status = -1;
    c->values = rg_pool_take(plot->pool, (size_t)rows * (size_t)plot->ny, sizeof *c->values);
    c->groups = rg_pool_take(plot->pool, (size_t)RG_PLOT_SERIES_MAX * (size_t)(plot->nby + 1), sizeof *c->groups);
    c->data->rows = 0;
    for (int64_t row = 0; row < rows; row++) {
        const char *wrong = NULL;
        if (!pick_row(c, status, row))
            continue;
        int group = find_group(c, row, &wrong);
        double x = wrong ? (double)NAN : cell(c, plot->x, &c->data->ticks, row, &wrong);
        if (wrong)
            return wrong;
        add_values(c, group, x, row);
        c->data->rows++;
    }
    return NULL;
}

/* ------------------------------------------------------------------ points */

static int by_row(const void *a, const void *b)
{
    const Value *p = a, *q = b;
    if (p->series != q->series)
        return p->series < q->series ? -1 : 1;
    return (p->row > q->row) - (p->row < q->row);
}

static int by_x(const void *a, const void *b)
{
    const Value *p = a, *q = b;
    if (p->series != q->series)
        return p->series < q->series ? -1 : 1;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->row > q->row) - (p->row < q->row);
}

int rg_table_by_size(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static double percentile(const double *sorted, long long n, double p)
{
    double place = p / 100.0 * (double)(n - 1), whole = floor(place);
    long long i = (long long)whole;
    return i + 1 < n ? sorted[i] + (place - whole) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

/* One point from n values of one x; sorted: room for n numbers. */
static RgPlotPoint reduce(const Value *values, long long n, RgPlotTake take, double *sorted)
{
    double sum = 0.0;
    for (long long i = 0; i < n; i++) {
        sorted[i] = values[i].y;
        sum += values[i].y;
    }
    qsort(sorted, (size_t)n, sizeof *sorted, rg_table_by_size);
    RgPlotPoint point = {.x = values[0].x, .rows = n};
    switch (take) {
    case RG_PLOT_TAKE_mean:
        point.y = sum / (double)n;
        break;
    case RG_PLOT_TAKE_min:
        point.y = sorted[0];
        break;
    case RG_PLOT_TAKE_max:
        point.y = sorted[n - 1];
        break;
    default:
        point.y = percentile(sorted, n, 50.0);
    }
    bool spread = take == RG_PLOT_TAKE_spread;
    point.low = spread ? percentile(sorted, n, 10.0) : point.y;
    point.high = spread ? percentile(sorted, n, 90.0) : point.y;
    return point;
}

/* The points of one series from its n values. */
static void make_points(Collector *c, RgPlotSeries *series, const Value *values, long long n)
{
    RgPlotTake take = c->plot->take;
    series->points = rg_pool_take(c->plot->pool, (size_t)n, sizeof *series->points);
    double *sorted = rg_pool_take(c->plot->pool, (size_t)n, sizeof *sorted);
    for (long long i = 0; i < n;) {
        long long next = i + 1;
        while (take != RG_PLOT_TAKE_all && next < n && values[next].x == values[i].x)
            next++;
        RgPlotPoint point = reduce(values + i, next - i, take, sorted);
        c->data->shared = c->data->shared || point.rows > 1;
        c->data->rows_most = point.rows > c->data->rows_most ? point.rows : c->data->rows_most;
        c->data->rows_least = point.rows < c->data->rows_least ? point.rows : c->data->rows_least;
        series->points[series->npoints++] = point;
        i = next;
    }
}

/* ------------------------------------------------------------------ series */

const char *rg_plot_by_text(const RgTablePlot *plot, const RgPlotData *data, const RgPlotSeries *series, int by)
{
    double value = series->by[by];
    if (!rg_table_column_is_text(plot->table, plot->by[by]))
        return rg_plot_number_text(plot->pool, value);
    return data->by[by].texts[(int)value];
}

/* Label of a series: "y, a = 1, b = x". */
static const char *make_label(const RgTablePlot *plot, const RgPlotData *data, const RgPlotSeries *series)
{
    const char *label = plot->ny > 1 ? rg_table_column_name(plot->table, series->y) : "";
    for (int i = 0; i < plot->nby; i++) {
        const char *value = rg_plot_by_text(plot, data, series, i);
        label = rg_pool_print(plot->pool, "%s%s%s = %s", label, label[0] ? ", " : "",
                              rg_table_column_name(plot->table, plot->by[i]), value[0] ? value : "(empty)");
    }
    return label;
}

/* Order of the groups by their by-values; rank[g]: the place of group g. */
static int *rank_groups(const Collector *c)
{
    int nby = c->plot->nby;
    int *rank = rg_pool_take(c->plot->pool, (size_t)c->ngroups + 1, sizeof *rank);
    for (int g = 0; g < c->ngroups; g++)
        for (int other = 0; other < c->ngroups; other++) {
            int i = 0;
            while (i < nby && c->groups[g * nby + i] == c->groups[other * nby + i])
                i++;
            rank[g] += i < nby && c->groups[other * nby + i] < c->groups[g * nby + i];
        }
    return rank;
}

/* All series that have points. */
static void make_series(Collector *c)
{
    const RgTablePlot *plot = c->plot;
    RgPlotData *data = c->data;
    int *rank = rank_groups(c);
    const double **by = rg_pool_take(plot->pool, (size_t)c->ngroups + 1, sizeof *by);
    for (int g = 0; g < c->ngroups; g++)
        by[rank[g]] = c->groups + (ptrdiff_t)g * plot->nby;
    for (long long i = 0; i < c->nvalues; i++) {
        Value *value = &c->values[i];
        value->series = rank[value->series / plot->ny] * plot->ny + value->series % plot->ny;
    }
    if (c->nvalues > 0)
        qsort(c->values, (size_t)c->nvalues, sizeof *c->values, plot->take == RG_PLOT_TAKE_all ? by_row : by_x);
    data->series = rg_pool_take(plot->pool, RG_PLOT_SERIES_MAX, sizeof *data->series);
    data->rows_least = c->nvalues;
    for (long long i = 0; i < c->nvalues;) {
        long long next = i + 1;
        while (next < c->nvalues && c->values[next].series == c->values[i].series)
            next++;
        RgPlotSeries *series = &data->series[data->nseries++];
        series->y = plot->y[c->values[i].series % plot->ny];
        series->by = by[c->values[i].series / plot->ny];
        series->label = make_label(plot, data, series);
        make_points(c, series, c->values + i, next - i);
        i = next;
    }
}

/* Bars for texts, marks for single values, lines with marks for few points, else lines. */
static RgPlotStyle choose_style(const RgTablePlot *plot, const RgPlotData *data)
{
    if (plot->take == RG_PLOT_TAKE_all)
        return RG_PLOT_STYLE_points;
    if (data->ticks.ntexts > 0)
        return plot->log_y ? RG_PLOT_STYLE_points : RG_PLOT_STYLE_bars;
    long long most = 0;
    for (int i = 0; i < data->nseries; i++)
        most = data->series[i].npoints > most ? data->series[i].npoints : most;
    return most <= MARKS_MAX ? RG_PLOT_STYLE_linespoints : RG_PLOT_STYLE_lines;
}

const char *rg_plot_collect(RgTablePlot *plot, RgPlotData *out)
{
    *out = (RgPlotData){.series = NULL};
    Collector collector = {.plot = plot, .data = out};
    const char *wrong = gather(&collector);
    if (wrong)
        return wrong;
    make_series(&collector);
    if (!plot->has_style)
        plot->style = choose_style(plot, out);
    return NULL;
}
