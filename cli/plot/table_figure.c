/*
 * table_figure.c - the gnuplot script of a figure of a table, and the file of its numbers.
 *
 * Each series is a block of numbers: x, y, percentiles, middle and width of its bar. Lines have a band from the
 * 10th to the 90th percentile where points summarise several rows; marks and bars have an error bar instead. Texts on x
 * are tics at 0, 1, 2, ...; bars of several series are side by side, each an equal part of BARS_WIDE of the least
 * distance of two x.
 *
 * Colours: up to seven series those of Okabe and Ito (2008); more series get colours evenly spaced along viridis (van
 * der Walt and Smith, 2015), from dark to light, so that lightness alone distinguishes them. Texts of the table are
 * shown unchanged.
 */
#include "plot/table_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLOURS = 7,
    TICS = 5,
    DECADES_NAMED = 2,
    ROOM = 256,
    CROWD = 400,
    CROWD_LARGE = 4000,
    KEY_ROWS = 2,
    KEY_WIDE = 28,
    KEY_TALL = 18
};
#define BARS_WIDE 0.8
#define PAD 0.03 /* of an axis, beyond marks */
#define TIC_CM_ACROSS 1.8
#define TIC_CM_UP 1.2
#define DODGE 0.16     /* between marks of series over the same text */
#define LETTERS_CM 7.0 /* letters of the key in a cm */
#define CAPTION_LETTERS_CM 8.2
#define KEY_SAMPLE 10 /* letters that the sample beside a label takes */

typedef enum KeyPlace { KEY_ABOVE, KEY_RIGHT, KEY_BELOW } KeyPlace;

/* A figure and the properties of all its series that the script needs. */
typedef struct Figure {
    const RgTablePlot *plot;
    const RgPlotData *data;
    FILE *out, *numbers;
    RgPlotRange x, y; /* ranges of the axes */
    double gap;       /* least distance of two x, in decades on a logarithmic axis */
    bool spread;      /* there are percentiles to show */
    KeyPlace key;
    long long points;
} Figure;

/* ------------------------------------------------------------------ ranges */

static void widen(RgPlotRange *range, double x)
{
    range->low = fmin(range->low, x);
    range->high = fmax(range->high, x);
}

/* Coordinate of x along its axis: its logarithm on a logarithmic one. */
static double along(const Figure *f, double x)
{
    return f->plot->log_x ? log10(x) : x;
}

static double along_back(const Figure *f, double place)
{
    return f->plot->log_x ? pow(10.0, place) : place;
}

/* The least distance of two different x. */
static double least_gap(const Figure *f)
{
    double *places = rg_pool_take(f->plot->pool, (size_t)f->points, sizeof *places);
    long long n = 0;
    for (int s = 0; s < f->data->nseries; s++)
        for (long long i = 0; i < f->data->series[s].npoints; i++)
            places[n++] = along(f, f->data->series[s].points[i].x);
    qsort(places, (size_t)n, sizeof *places, rg_table_by_size);
    double gap = INFINITY;
    for (long long i = 1; i < n; i++)
        if (places[i] > places[i - 1])
            gap = fmin(gap, places[i] - places[i - 1]);
    return isfinite(gap) ? gap : f->plot->log_x ? 0.3 : 1.0;
}

/* ------------------------------------------------------------------ axes */

/* Tics at 1, 2 and 5 times powers of ten, or evenly spaced if these are too few. */
static void put_named_tics(FILE *out, char axis, double low, double high)
{
    static const double digits[] = {1.0, 2.0, 5.0};
    double tics[ROOM];
    int n = 0;
    for (int power = (int)floor(log10(low)); power <= (int)ceil(log10(high)); power++)
        for (int i = 0; i < 3; i++) {
            double tic = digits[i] * pow(10.0, power);
            if (n < ROOM && tic >= low * (1.0 - 1e-9) && tic <= high * (1.0 + 1e-9))
                tics[n++] = tic;
        }
    if (n < 3) {
        double step = rg_plot_round_step((high - low) / TICS);
        long long first = (long long)ceil(low / step);
        for (n = 0; n < ROOM && (double)(first + n) * step <= high; n++)
            tics[n] = (double)(first + n) * step;
    }
    fprintf(out, "set format %c '%%g'; set %ctics (", axis, axis);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%.12g", i > 0 ? ", " : "", tics[i]);
    fputs(")\n", out);
}

static void put_log_axis(FILE *out, char axis, RgPlotRange range)
{
    double low = log10(range.low), high = log10(range.high), span = high - low;
    double pad = axis == 'x' && span > 0.0 ? 0.0 : fmax(PAD * span, 0.05);
    double from = pow(10.0, low - pad), to = pow(10.0, high + pad);
    fprintf(out, "set logscale %c; set %crange [%.12g:%.12g]\n", axis, axis, from, to);
    if (span < DECADES_NAMED) {
        put_named_tics(out, axis, from, to);
        return;
    }
    int step = (int)ceil(span / (2 * TICS)), first = (int)floor(log10(from));
    fprintf(out, "set format %c '10^{%%L}'; set %ctics 1e%d,1e%d; set m%ctics %d\n", axis, axis, first, step, axis,
            step > 1 ? 1 : 10);
}

/* Texts on x as tics; sloped if they would overlap. */
static void put_text_axis(const Figure *f)
{
    const RgPlotTexts *ticks = &f->data->ticks;
    size_t letters = 0;
    for (int i = 0; i < ticks->ntexts; i++)
        letters += strlen(ticks->texts[i]) + 2;
    bool sloped = (double)letters > LETTERS_CM * (f->plot->width - 2.5);
    fprintf(f->out, "set xrange [%g:%g]\nset xtics noenhanced%s (", f->x.low, f->x.high,
            sloped ? " rotate by 35 right" : "");
    for (int i = 0; i < ticks->ntexts; i++) {
        fputs(i > 0 ? ", " : "", f->out);
        rg_plot_put_tic(f->out, ticks->texts[i][0] ? ticks->texts[i] : "(empty)");
        fprintf(f->out, " %d", i);
    }
    fputs(")\nset grid noxtics\n", f->out);
}

/* Number of intervals between tics, limited by the size of their labels. */
static int intervals(const Figure *f, char axis)
{
    double room = axis == 'x' ? f->plot->width / TIC_CM_ACROSS : f->plot->height / TIC_CM_UP;
    return (int)fmax(2.0, floor(room));
}

/* An axis of numbers; wanted: the requested range, NaN: none. */
static void put_axis(const Figure *f, char axis, RgPlotRange range, const double wanted[2])
{
    bool is_log = axis == 'x' ? f->plot->log_x : f->plot->log_y;
    bool low_asked = !isnan(wanted[0]), high_asked = !isnan(wanted[1]);
    range.low = low_asked ? wanted[0] : range.low;
    range.high = high_asked ? wanted[1] : range.high;

    /* The requested end is beyond all values: choose another end. */
    if (!(range.low < range.high) && low_asked)
        range.high = is_log ? 10.0 * range.low : range.low + fmax(fabs(range.low), 1.0);
    else if (!(range.low < range.high) && high_asked)
        range.low = is_log ? 0.1 * range.high : range.high - fmax(fabs(range.high), 1.0);
    if (is_log)
        put_log_axis(f->out, axis, range);
    else
        rg_plot_put_axis(f->out, axis, range, intervals(f, axis));
    if (low_asked || high_asked)
        fprintf(f->out, "set %crange [%.12g:%.12g]\n", axis, range.low, range.high);
}

/* ------------------------------------------------------------------ labels and key */

/* "y", or "a, b", preceded by how rows that share a point were reduced. */
static const char *y_label(const RgTablePlot *plot, const RgPlotData *data)
{
    static const char *const taken[] = {
        [RG_PLOT_TAKE_spread] = "",    [RG_PLOT_TAKE_mean] = "mean of ", [RG_PLOT_TAKE_median] = "median of ",
        [RG_PLOT_TAKE_min] = "least ", [RG_PLOT_TAKE_max] = "largest ",  [RG_PLOT_TAKE_all] = ""};
    const char *label = data->shared ? taken[plot->take] : "";
    for (int i = 0; i < plot->ny; i++)
        label = rg_pool_print(plot->pool, "%s%s%s", label, i > 0 ? ", " : "",
                              rg_table_column_name(plot->table, plot->y[i]));
    return label;
}

/* What the percentiles are of, for the caption. */
static const char *spread_text(const Figure *f)
{
    const RgPlotData *data = f->data;
    if (data->rows_least == data->rows_most)
        return rg_pool_print(f->plot->pool, "median, 10th to 90th percentile of %lld rows", data->rows_most);
    return rg_pool_print(f->plot->pool, "median, 10th to 90th percentile of %lld to %lld rows", data->rows_least,
                         data->rows_most);
}

/* Where the long text has no room. */
static const char spread_short[] = "median, 10 % to 90 %";

/* Whether the caption fits beside the label of x, or below a key at the right. */
static bool has_caption(const Figure *f)
{
    const char *label = f->plot->xlabel ? f->plot->xlabel : rg_table_column_name(f->plot->table, f->plot->x);
    double caption = (double)strlen(spread_text(f)) / CAPTION_LETTERS_CM;
    double half = 0.5 * (double)strlen(label) / LETTERS_CM;
    double room = (f->key == KEY_RIGHT ? 0.6 : 0.5) * (f->plot->width - 2.0);
    return f->spread && f->key != KEY_BELOW && caption + half < room;
}

/* By-values of a series without the names of their columns, which are then above the key. */
static const char *short_label(const Figure *f, const RgPlotSeries *series)
{
    const RgTablePlot *plot = f->plot;
    const char *label = plot->ny > 1 ? rg_table_column_name(plot->table, series->y) : "";
    for (int i = 0; i < plot->nby; i++) {
        const char *value = rg_plot_by_text(plot, f->data, series, i);
        label = rg_pool_print(plot->pool, "%s%s%s", label, label[0] ? ", " : "", value[0] ? value : "(empty)");
    }
    return label;
}

/* The label of a series in the key. */
static const char *key_label(const Figure *f, const RgPlotSeries *series)
{
    return f->key == KEY_RIGHT ? short_label(f, series) : series->label;
}

/* The key is above the figure if KEY_ROWS lines suffice, else beside it, or below if labels are long. */
static KeyPlace place_key(const Figure *f)
{
    size_t longest = f->spread ? strlen(spread_short) : 0, shortest = 0;
    int entries = f->data->nseries + (f->spread ? 1 : 0);
    for (int i = 0; i < f->data->nseries; i++) {
        size_t length = strlen(f->data->series[i].label), brief = strlen(short_label(f, &f->data->series[i]));
        longest = length > longest ? length : longest;
        shortest = brief > shortest ? brief : shortest;
    }
    double fit = floor(LETTERS_CM * f->plot->width / (double)(longest + KEY_SAMPLE));
    if (entries <= KEY_ROWS || ceil(entries / fmax(fit, 1.0)) <= KEY_ROWS)
        return KEY_ABOVE;
    return shortest <= KEY_WIDE ? KEY_RIGHT : KEY_BELOW;
}

static void put_key(const Figure *f)
{
    const RgTablePlot *plot = f->plot;
    if (f->key == KEY_BELOW)
        fputs("set key below left vertical maxcols 2\n", f->out);
    if (f->key != KEY_RIGHT)
        return;
    const char *title = plot->ny > 1 && plot->nby > 0 ? " " : "";
    for (int i = 0; i < plot->nby; i++)
        title = rg_pool_print(plot->pool, "%s%s%s", title, title[0] ? ", " : "",
                              rg_table_column_name(plot->table, plot->by[i]));
    fputs("set key outside right top vertical", f->out);
    if (f->data->nseries > KEY_TALL)
        fprintf(f->out, " font ',%.1f'", fmax(9.0 * KEY_TALL / f->data->nseries, 5.0));
    if (title[0]) {
        fputs(" title ", f->out);
        rg_plot_put_text(f->out, title);
        fputs(" noenhanced left", f->out);
    }
    fputc('\n', f->out);
}

static void put_label(FILE *out, const char *what, const char *text)
{
    fprintf(out, "set %s ", what);
    rg_plot_put_text(out, text);
    fputs(" noenhanced textcolor rgb black\n", out);
}

static void put_settings(const Figure *f)
{
    const RgTablePlot *plot = f->plot;
    fputs(rg_plot_look, f->out);
    put_key(f);
    if (plot->title)
        put_label(f->out, "title", plot->title);
    put_label(f->out, "xlabel", plot->xlabel ? plot->xlabel : rg_table_column_name(plot->table, plot->x));
    put_label(f->out, "ylabel", plot->ylabel ? plot->ylabel : y_label(plot, f->data));
    if (f->data->ticks.ntexts > 0)
        put_text_axis(f);
    else
        put_axis(f, 'x', f->x, plot->xrange);
    put_axis(f, 'y', f->y, plot->yrange);
    if (has_caption(f)) {
        fputs("set label 1 ", f->out);
        rg_plot_put_text(f->out, spread_text(f));
        fprintf(f->out, " at %s, character 0.8 right noenhanced font ',7.5' textcolor rgb '#666666'\n",
                f->key == KEY_RIGHT ? "screen 0.985" : "graph 1");
    }
}

/* ------------------------------------------------------------------ data */

/* The range of an axis: as requested, else that of the data. */
static RgPlotRange axis_range(RgPlotRange range, const double wanted[2])
{
    return (RgPlotRange){isnan(wanted[0]) ? range.low : wanted[0], isnan(wanted[1]) ? range.high : wanted[1]};
}

/* The points of a series: x y low high, middle and width of its bar. */
static void put_series(const Figure *f, int s)
{
    const RgPlotSeries *series = &f->data->series[s];
    bool bars = f->plot->style == RG_PLOT_STYLE_bars, texts = f->data->ticks.ntexts > 0;
    double middle = s - 0.5 * (f->data->nseries - 1), wide = BARS_WIDE * f->gap / f->data->nseries;
    double step = bars                                              ? wide
                  : texts && f->plot->style == RG_PLOT_STYLE_points ? fmin(DODGE, BARS_WIDE / f->data->nseries)
                                                                    : 0.0;
    const bool *keep =
        rg_plot_thin(f->plot, series, axis_range(f->x, f->plot->xrange), axis_range(f->y, f->plot->yrange));
    for (long long i = 0; i < series->npoints; i++) {
        const RgPlotPoint *p = &series->points[i];
        if (!keep[i])
            continue;
        double place = along(f, p->x) + step * middle;
        double left = along_back(f, place - 0.5 * wide), right = along_back(f, place + 0.5 * wide);
        fprintf(f->numbers, "%.12g %.12g %.12g %.12g %.12g %.12g\n", step > 0.0 ? along_back(f, place) : p->x, p->y,
                p->low, p->high, 0.5 * (left + right), right - left);
    }
    fputs("\n\n", f->numbers);
}

/* ------------------------------------------------------------------ series as they are drawn */

/* #rrggbb of a series. */
static const char *colour(const Figure *f, int s)
{
    static const char *const few[COLOURS] = {"#0072B2", "#D55E00", "#009E73", "#AA4499",
                                             "#E69F00", "#222222", "#56B4E9"};
    static const double row[5][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {220, 214, 36}};
    if (f->data->nseries <= COLOURS)
        return few[s];
    double place = 4.0 * s / (f->data->nseries - 1);
    int i = (int)fmin(floor(place), 3.0), rgb[3];
    for (int k = 0; k < 3; k++)
        rgb[k] = (int)(row[i][k] + (place - i) * (row[i + 1][k] - row[i][k]) + 0.5);
    return rg_pool_print(f->plot->pool, "#%02X%02X%02X", (unsigned)rgb[0], (unsigned)rgb[1], (unsigned)rgb[2]);
}

/* Point type and size of a series: filled types first; smaller for many points. */
static const char *mark_style(const Figure *f, int s)
{
    static const int types[] = {7, 5, 9, 13, 11, 15, 6, 4, 8, 12, 10, 14};
    double size = f->points > CROWD_LARGE ? 0.15 : f->points > CROWD ? 0.35 : 0.75;
    return rg_pool_print(f->plot->pool, "pointtype %d pointsize %g", types[s % 12], size);
}

static void put_title(FILE *out, const char *label)
{
    fputs(label[0] ? " title " : " notitle", out);
    if (label[0])
        rg_plot_put_text(out, label);
}

/* Whether the percentiles of a series are drawn as a band instead of error bars. */
static bool has_band(const Figure *f, const RgPlotSeries *series)
{
    bool lines = f->plot->style == RG_PLOT_STYLE_lines || f->plot->style == RG_PLOT_STYLE_linespoints;
    return f->spread && lines && f->data->ticks.ntexts == 0 && series->npoints > 1;
}

/* Error bars of a series: lines from percentile to percentile with a cap at each end. */
static void draw_errors(const Figure *f, int s)
{
    fprintf(f->out,
            "data index %d using 1:3:(0):($4-$3) with vectors heads size graph 0.006,90 linewidth 1 "
            "linecolor rgb '%s' "
            "notitle",
            s, f->plot->style == RG_PLOT_STYLE_bars ? "#222222" : colour(f, s));
}

static void draw_band(const Figure *f, int s)
{
    fprintf(f->out,
            "data index %d using 1:3:4 with filledcurves fillstyle transparent solid 0.18 noborder "
            "fillcolor rgb '%s' "
            "notitle",
            s, colour(f, s));
}

/* Bars, line or marks of a series. */
static void draw_series(const Figure *f, int s)
{
    static const char *const with[] = {[RG_PLOT_STYLE_lines] = "lines",
                                       [RG_PLOT_STYLE_points] = "points",
                                       [RG_PLOT_STYLE_linespoints] = "linespoints"};
    if (f->plot->style == RG_PLOT_STYLE_bars)
        fprintf(f->out,
                "data index %d using 5:2:6 with boxes fillstyle solid 0.85 noborder fillcolor "
                "rgb '%s'",
                s, colour(f, s));
    else
        fprintf(f->out, "data index %d using 1:2 with %s linewidth %s linecolor rgb '%s'", s, with[f->plot->style],
                f->points > CROWD_LARGE ? "1" : "1.6", colour(f, s));
    if (f->plot->style == RG_PLOT_STYLE_points || f->plot->style == RG_PLOT_STYLE_linespoints)
        fprintf(f->out, " %s", mark_style(f, s));
    put_title(f->out, key_label(f, &f->data->series[s]));
}

/* All series, back to front: band, bar, error bars, line and marks. */
static void draw(const Figure *f)
{
    static const char next[] = ", \\\n     ";
    const char *between = "plot ";
    bool bars = f->plot->style == RG_PLOT_STYLE_bars;
    for (int part = bars ? 1 : 0; part < (bars ? 3 : 2); part++)
        for (int s = 0; s < f->data->nseries; s++) {
            bool spread = part == (bars ? 2 : 0);
            if (spread && !f->spread)
                continue;
            fputs(between, f->out);
            between = next;
            if (!spread)
                draw_series(f, s);
            else if (has_band(f, &f->data->series[s]))
                draw_band(f, s);
            else
                draw_errors(f, s);
        }
    if (f->spread && !has_caption(f)) {
        bool band = has_band(f, &f->data->series[0]);
        fprintf(f->out, "%sNaN with lines linewidth %s linecolor rgb '%s'", next, band ? "7" : "1",
                band ? "#D0D0D0" : "#555555");
        put_title(f->out, spread_short);
    }
    fputc('\n', f->out);
}

/* Adds room for marks below and above; an axis that begins at 0 still does. */
static void pad_marks(RgPlotRange *range)
{
    double pad = PAD * (range->high - range->low);
    range->low = range->low >= 0.0 && range->low < pad ? 0.0 : range->low - pad;
    range->high = range->high <= 0.0 && -range->high < pad ? 0.0 : range->high + pad;
}

static void measure(Figure *f)
{
    f->x = f->y = (RgPlotRange){INFINITY, -INFINITY};
    for (int s = 0; s < f->data->nseries; s++) {
        const RgPlotSeries *series = &f->data->series[s];
        for (long long i = 0; i < series->npoints; i++) {
            widen(&f->x, series->points[i].x);
            widen(&f->y, series->points[i].low);
            widen(&f->y, series->points[i].high);
            widen(&f->y, series->points[i].y);
        }
        f->points += series->npoints;
    }
    f->spread = f->plot->take == RG_PLOT_TAKE_spread && f->data->shared;
    f->gap = least_gap(f);
    f->key = place_key(f);
    bool bars = f->plot->style == RG_PLOT_STYLE_bars;
    if (bars && !f->plot->log_y)
        widen(&f->y, 0.0);
    else if (!f->plot->log_y && f->plot->style != RG_PLOT_STYLE_lines)
        pad_marks(&f->y);

    /* Room for bars, or for marks, at both ends of x. */
    double low = along(f, f->x.low), high = along(f, f->x.high);
    double pad = bars ? 0.6 * f->gap : f->plot->style == RG_PLOT_STYLE_lines ? 0.0 : PAD * (high - low);
    if (f->data->ticks.ntexts > 0) {
        f->x = (RgPlotRange){-0.6, f->data->ticks.ntexts - 0.4};
    } else if (high > low || bars) {
        f->x = (RgPlotRange){along_back(f, low - pad), along_back(f, high + pad)};
    }
}

void rg_plot_write_script(const RgTablePlot *plot, const RgPlotData *data, const RgPlotScript *out)
{
    Figure figure = {.plot = plot, .data = data, .out = out->script, .numbers = out->numbers};
    measure(&figure);
    fputs("# One block per series: x, y, 10th and 90th percentile, middle and width of its bar.\n", out->numbers);
    for (int s = 0; s < data->nseries; s++)
        put_series(&figure, s);
    fputs("# A figure by rigor plot. Draw it again by giving this file to gnuplot.\ndata = ", out->script);
    rg_plot_put_text(out->script, out->numbers_name);
    fputc('\n', out->script);
    put_settings(&figure);
    for (int i = 0; i < out->ntargets; i++) {
        rg_plot_put_terminal(out->script, out->targets[i].format, plot->width, plot->height);
        fputs("\nset output ", out->script);
        rg_plot_put_text(out->script, out->targets[i].name);
        fputc('\n', out->script);
        draw(&figure);
        fputs("unset output\n", out->script);
    }
}
