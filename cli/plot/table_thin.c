/*
 * table_thin.c - reduction of a long series to the points that a figure needs.
 *
 * gnuplot takes minutes for a million points, most of which cover each other. A series of more than THIN_ABOVE points
 * is reduced on a grid of CELLS_X x CELLS_Y cells, finer than any figure shows. Kept are
 *
 *   lines whose x never decreases    per column of cells the first, last, least and largest point (Jugel, Jerzak,
 *                                Hackenbroich and Markl, 2014: same picture as all points), and the extreme percentiles;
 *   other lines                  points whose cell differs from that of the point before or after;
 *   marks                        the first point of every cell.
 *
 * Bars and the JSON are not reduced.
 */
#include "plot/table_plot.h"

#include <math.h>
#include <string.h>

enum { THIN_ABOVE = 20000, CELLS_X = 4000, CELLS_Y = 2500 };

/* Index of the cell of a value on a linear or logarithmic axis. */
static long long cell_of(double value, RgPlotRange range, bool is_log, int cells)
{
    double low = is_log ? log10(range.low) : range.low, high = is_log ? log10(range.high) : range.high;
    double at = is_log ? log10(value) : value;
    double part = high > low ? (at - low) / (high - low) : 0.5;
    return (long long)fmin(fmax(floor(part * cells), 0.0), cells - 1);
}

static bool rises(const RgPlotSeries *series)
{
    for (long long i = 1; i < series->npoints; i++)
        if (series->points[i].x < series->points[i - 1].x)
            return false;
    return true;
}

/* Keeps the first, last and extreme points of [i, end). */
static void keep_column(const RgPlotPoint *points, long long i, long long end, bool *keep)
{
    long long least = i, most = i, lowest = i, highest = i;
    for (long long k = i; k < end; k++) {
        least = points[k].y < points[least].y ? k : least;
        most = points[k].y > points[most].y ? k : most;
        lowest = points[k].low < points[lowest].low ? k : lowest;
        highest = points[k].high > points[highest].high ? k : highest;
    }
    keep[i] = keep[end - 1] = keep[least] = keep[most] = keep[lowest] = keep[highest] = true;
}

static void keep_columns(const RgTablePlot *plot, const RgPlotSeries *series, RgPlotRange x, bool *keep)
{
    const RgPlotPoint *points = series->points;
    for (long long i = 0, end; i < series->npoints; i = end) {
        long long column = cell_of(points[i].x, x, plot->log_x, CELLS_X);
        end = i + 1;
        while (end < series->npoints && cell_of(points[end].x, x, plot->log_x, CELLS_X) == column)
            end++;
        keep_column(points, i, end, keep);
    }
}

static void keep_cells(const RgTablePlot *plot, const RgPlotSeries *series, const RgPlotRange range[2], bool *keep)
{
    bool marks = plot->style == RG_PLOT_STYLE_points;
    bool *taken = rg_pool_take(plot->pool, marks ? (size_t)CELLS_X * CELLS_Y : 1, sizeof *taken);
    long long before = -1;
    for (long long i = 0; i < series->npoints; i++) {
        const RgPlotPoint *point = &series->points[i];
        long long cell = cell_of(point->x, range[0], plot->log_x, CELLS_X) * CELLS_Y +
                         cell_of(point->y, range[1], plot->log_y, CELLS_Y);
        if (marks) {
            keep[i] = !taken[cell];
            taken[cell] = true;
        } else if (cell != before) {
            keep[i] = true;
            keep[i > 0 ? i - 1 : 0] = true;
        }
        before = cell;
    }
    keep[series->npoints - 1] = true;
}

const bool *rg_plot_thin(const RgTablePlot *plot, const RgPlotSeries *series, RgPlotRange x, RgPlotRange y)
{
    bool *keep = rg_pool_take(plot->pool, (size_t)series->npoints, sizeof *keep);
    if (series->npoints <= THIN_ABOVE || plot->style == RG_PLOT_STYLE_bars)
        memset(keep, true, (size_t)series->npoints * sizeof *keep);
    else if (plot->style != RG_PLOT_STYLE_points && rises(series))
        keep_columns(plot, series, x, keep);
    else
        keep_cells(plot, series, (RgPlotRange[2]){x, y}, keep);
    return keep;
}
