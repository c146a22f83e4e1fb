/* plot_look.h - what all figures by gnuplot share: look, terminals, axes, texts. */
#ifndef RIGOR_PLOT_LOOK_H
#define RIGOR_PLOT_LOOK_H

#include <stdio.h>

/* What an axis is to show; low > high: nothing yet. */
typedef struct RgPlotRange {
    double low, high;
} RgPlotRange;

/* Encoding, colours by name, border, tics, grid, key. */
extern const char rg_plot_look[];

/* The round number (1, 2 or 5 times a power of ten) at or above x > 0. */
double rg_plot_round_step(double x);

/* Range and tics of an axis, 'x' or 'y', of at most so many intervals: y begins and ends at a tic, x where its values
   do. */
void rg_plot_put_axis(FILE *out, char axis, RgPlotRange range, int intervals);

/* The terminal of a format, "png", "svg" or "pdf", for a page of width x height cm. */
void rg_plot_put_terminal(FILE *out, const char *format, double width, double height);

/* A text in single quotes, in which gnuplot leaves all as it is: quotes are doubled, what cannot be shown (control
   characters, bytes that are no UTF-8) is replaced. */
void rg_plot_put_text(FILE *out, const char *text);

/* The same for the label of a tic, where gnuplot takes % for a format. */
void rg_plot_put_tic(FILE *out, const char *text);

/* Prints the first lines of gnuplot's output to stderr. */
void rg_plot_print_log(const char *path);

#endif
