/*
 * table_plot.h - `rigor plot`: a figure of a table.
 *
 *   TABLE --rg_table_read--> table --table_where.c, table_series.c--> series --table_figure.c--> script -- gnuplot -->
 *   figures
 */
#ifndef RIGOR_TABLE_PLOT_H
#define RIGOR_TABLE_PLOT_H

#include "io/plot_look.h"
#include "io/pool.h"

#include <rigor/rigor.h>

#include <stdio.h>

enum { RG_PLOT_COLUMNS_MAX = 16, RG_PLOT_SERIES_MAX = 60, RG_PLOT_TICKS_MAX = 200 };

/* How rows that share x and by are reduced to one point. */
#define RG_PLOT_TAKE_LIST(X) X(spread) X(mean) X(median) X(min) X(max) X(all)
typedef enum RgPlotTake {
#define RG_PLOT_TAKE_ENUM(name) RG_PLOT_TAKE_##name,
    RG_PLOT_TAKE_LIST(RG_PLOT_TAKE_ENUM)
#undef RG_PLOT_TAKE_ENUM
} RgPlotTake;

#define RG_PLOT_STYLE_LIST(X) X(lines) X(points) X(linespoints) X(bars)
typedef enum RgPlotStyle {
#define RG_PLOT_STYLE_ENUM(name) RG_PLOT_STYLE_##name,
    RG_PLOT_STYLE_LIST(RG_PLOT_STYLE_ENUM)
#undef RG_PLOT_STYLE_ENUM
} RgPlotStyle;

/* A condition on rows: column OP value. */
typedef struct RgPlotWhere {
    int column;
    const char *compare; /* = != < <= > >= */
    double number;
    const char *text; /* of a column of texts */
} RgPlotWhere;

/* The request. Columns are numbers of the table. */
typedef struct RgTablePlot {
    RgPool *pool;
    const RgTable *table;
    const char *path; /* of the table, for texts */
    int x;
    int y[RG_PLOT_COLUMNS_MAX], ny;
    int by[RG_PLOT_COLUMNS_MAX], nby;
    RgPlotWhere *where; /* nwhere */
    int nwhere;
    bool with_failed; /* also rows whose status is not ok */
    RgPlotTake take;
    RgPlotStyle style;
    bool has_style; /* requested */
    bool log_x, log_y;
    const char *title, *xlabel, *ylabel; /* NULL: chosen */
    double xrange[2], yrange[2];         /* NaN: chosen */
    double width, height;                /* cm */
} RgTablePlot;

typedef struct RgPlotPoint {
    double x, y;
    double low, high; /* 10th and 90th percentile; y if not requested */
    long long rows;   /* number of rows reduced to this point */
} RgPlotPoint;

typedef struct RgPlotSeries {
    int y;             /* column */
    const char *label; /* empty: the only series */
    const double *by;  /* nby: a number, or the index of a text (RgPlotTexts) */
    RgPlotPoint *points;
    long long npoints;
} RgPlotSeries;

/* Different texts of a column, in the order of their appearance. */
typedef struct RgPlotTexts {
    const char **texts;
    int ntexts;
    int last; /* found last; the next is often the same */
} RgPlotTexts;

/* The series of a figure. */
typedef struct RgPlotData {
    RgPlotSeries *series; /* nseries */
    int nseries;
    RgPlotTexts ticks;                   /* texts of x, if its column holds texts: x = 0, 1, ... */
    RgPlotTexts by[RG_PLOT_COLUMNS_MAX]; /* texts of the by-columns */
    bool shared;                         /* some point summarises several rows */
    long long rows_least, rows_most;     /* per point */
    long long rows;                      /* drawn, of all */
    long long failed, unwanted;          /* rows left out: status is not ok; --where */
    long long not_finite, not_positive;  /* values left out: NaN, infinite; on a logarithmic axis */
} RgPlotData;

/* Parses a condition such as "COLUMN=VALUE". Returns an error text (in the pool), or NULL. */
const char *rg_plot_where_parse(RgPool *pool, const RgTable *table, const char *text, RgPlotWhere *out);
bool rg_plot_where_holds(const RgTable *table, const RgPlotWhere *where, int64_t row);

/* Columns of a list A,B,...; names may contain commas. Returns an error text (in the pool), or NULL. */
const char *rg_plot_columns_parse(RgPool *pool, const RgTable *table, const char *list, int *columns, int *count);

/* "there is no column 'x'; did you mean 'y'? columns: ..." */
const char *rg_plot_no_column(RgPool *pool, const RgTable *table, const char *name);

/* The shortest text of a number, with 6 digits at least. */
const char *rg_plot_number_text(RgPool *pool, double x);

/* Selects, groups, sorts and reduces the rows; chooses the style if none is given. Returns an error text (in the
   pool), or NULL. */
const char *rg_plot_collect(RgTablePlot *plot, RgPlotData *out);

/* The text of a by-value of a series. */
const char *rg_plot_by_text(const RgTablePlot *plot, const RgPlotData *data, const RgPlotSeries *series, int by);

/* npoints flags: which points of a series a figure with these axes needs. */
const bool *rg_plot_thin(const RgTablePlot *plot, const RgPlotSeries *series, RgPlotRange x, RgPlotRange y);

/* An output: format ("png", "svg", "pdf") and the file's name for gnuplot. */
typedef struct RgPlotTarget {
    const char *format, *name;
} RgPlotTarget;

/* The script, which draws every target, and the numbers that it reads. */
typedef struct RgPlotScript {
    FILE *script, *numbers;
    const char *numbers_name; /* for gnuplot */
    const RgPlotTarget *targets;
    int ntargets;
} RgPlotScript;
void rg_plot_write_script(const RgTablePlot *plot, const RgPlotData *data, const RgPlotScript *out);

/* Order of two doubles, for qsort. */
int rg_table_by_size(const void *a, const void *b);

#endif
