/*
 * progress.c - a progress bar on the terminal.
 *
 *   [##########..............]  42 %  t = 2.1 of 5 s  12.3 x real time
 *
 * Drawn on stderr and only if that is a terminal, so that pipes and logs stay clean.
 */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define REDRAW_PERIOD 0.1 /* s */

enum { BAR_WIDTH = 32 };

double rg_progress_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
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

    /* The bar, then the numbers; the code at the end clears what a longer line left. */
    double part = t < progress->total ? t / progress->total : 1.0;
    int filled = (int)(part * BAR_WIDTH);
    fputs("\r[", stderr);
    for (int i = 0; i < BAR_WIDTH; i++)
        fputc(i < filled ? '#' : '.', stderr);
    fprintf(stderr, "] %3.0f %%  t = %.3g of %.3g s  %.3g x real time\033[K", 100.0 * part, t,
            progress->total, t / (now - progress->start));
    fflush(stderr);
}

void rg_progress_end(RgProgress *progress)
{
    if (progress->visible)
        fputs("\r\033[K", stderr);
    progress->visible = false;
}
