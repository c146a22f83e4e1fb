/*
 * progress.c - a progress bar on the terminal.
 *
 *   [##########..............]  42 %  t = 2.1 of 5 s  12.3 x real time
 *
 * Drawn on stderr and only if that is a terminal, so that pipes and logs stay clean. The bar takes what
 * the numbers leave of a line, and goes where that is too little; the numbers are cut at the edge.
 */
#define _DEFAULT_SOURCE
#include "progress.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define REDRAW_PERIOD 0.1 /* s */

enum { BAR_WIDTH = 32, BAR_WIDTH_MIN = 4, LINE_WIDTH = 80, NUMBERS_MAX = 96 };

double rg_progress_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Columns of the terminal; asked each time, as windows change. */
static int terminal_columns(void)
{
    struct winsize window;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0)
        return LINE_WIDTH;
    return window.ws_col;
}

RgProgress rg_progress_begin(double total, bool quiet)
{
    double now = rg_progress_clock();
    return (RgProgress){.visible = !quiet && total > 0.0 && isatty(STDERR_FILENO),
                        .start = now,
                        .shown = now,
                        .total = total};
}

void rg_progress_update(RgProgress *progress, double t)
{
    if (!progress->visible)
        return;
    double now = rg_progress_clock();
    if (now - progress->shown < REDRAW_PERIOD)
        return;
    progress->shown = now;

    /* The numbers first, to know what is left for the bar: the last column stays free. */
    double part = t < progress->total ? t / progress->total : 1.0;
    char numbers[NUMBERS_MAX];
    int length = snprintf(numbers, sizeof numbers, "%3.0f %%  t = %.3g of %.3g s  %.3g x real time",
                          100.0 * part, t, progress->total, t / (now - progress->start));
    int columns = terminal_columns() - 1, width = columns - length - 3;
    if (width > BAR_WIDTH)
        width = BAR_WIDTH;

    /* The code at the end clears what a longer line left. */
    fputc('\r', stderr);
    if (width >= BAR_WIDTH_MIN) {
        int filled = (int)(part * width);
        fputc('[', stderr);
        for (int i = 0; i < width; i++)
            fputc(i < filled ? '#' : '.', stderr);
        fputs("] ", stderr);
    }
    fprintf(stderr, "%.*s\033[K", columns, numbers);
    fflush(stderr);
}

void rg_progress_end(RgProgress *progress)
{
    if (progress->visible)
        fputs("\r\033[K", stderr);
    progress->visible = false;
}
