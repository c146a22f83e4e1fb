/* plot_look.h - look, terminals, axes and texts of all gnuplot figures. */
#ifndef RIGOR_PLOT_LOOK_H
#define RIGOR_PLOT_LOOK_H

#include <stdio.h>

/* Range of values on an axis; low > high: empty. */
typedef struct RgPlotRange {
    double low, high;
} RgPlotRange;

/* Encoding, colours by name, border, tics, grid, key. */
extern const char rg_plot_look[];

/* The round number (1, 2 or 5 times a power of ten) at or above x > 0. */
double rg_plot_round_step(double x);

/* Range and tics of an axis, 'x' or 'y', with at most `intervals` intervals: y begins and ends at a tic, x at its
   extreme values. */
void rg_plot_put_axis(FILE *out, char axis, RgPlotRange range, int intervals);

/* The terminal of a format, "png", "svg" or "pdf", for a page of width x height cm. */
void rg_plot_put_terminal(FILE *out, const char *format, double width, double height);

/* A text in single quotes, where gnuplot interprets nothing: quotes are doubled, control characters and bytes that
   are not UTF-8 are replaced. */
void rg_plot_put_text(FILE *out, const char *text);

/* The same for the label of a tic, where gnuplot reads % as a format. */
void rg_plot_put_tic(FILE *out, const char *text);

/* Prints the first lines of gnuplot's output to stderr. */
void rg_plot_print_log(const char *path);

#endif
