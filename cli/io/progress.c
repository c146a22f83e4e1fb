/*
 * progress.c - progress of a run: a bar on the terminal, lines in a log.
 *
 *   [##########..............]  42 %  t = 2.1 of 5 s  12.3 x real time  3 s left
 *
 * Drawn on stderr. On a terminal the bar fills the rest of the line beside the numbers; on narrow terminals it is left
 * out and the numbers are truncated. In a log the numbers are printed as lines: the first after FIRST_LINE, the next
 * after intervals that double up to LAST_LINE, so that short runs print nothing and long ones little.
 */
#define _DEFAULT_SOURCE
#include "io/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define REDRAW_PERIOD 0.1   /* s */
#define FIRST_LINE 5.0      /* s */
#define LAST_LINE 60.0      /* s */
#define TIME_LEFT_MAX 3.6e6 /* s: longer times are shown as this */

enum { BAR_WIDTH = 32, BAR_WIDTH_MIN = 4, LINE_WIDTH = 80, NUMBERS_MAX = 128 };

double rg_progress_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Columns of the terminal; queried each time, since windows change. */
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
    bool on_terminal = isatty(STDERR_FILENO);
    return (RgProgress){.visible = !quiet && total > 0.0,
                        .on_terminal = on_terminal,
                        .start = now,
                        .shown = now,
                        .period = on_terminal ? REDRAW_PERIOD : FIRST_LINE,
                        .total = total};
}

RgProgress rg_progress_begin_part(bool quiet)
{
    RgProgress progress = rg_progress_begin(1.0, quiet);
    progress.is_part = true;
    return progress;
}

RgProgress rg_progress_begin_count(double total, double from, const char *unit, bool quiet)
{
    RgProgress progress = rg_progress_begin(total, quiet);
    progress.unit = unit;
    progress.from = from;
    return progress;
}

/* "1:02:03", "2:03" or "3 s". */
static void time_text(double seconds, char *text, size_t room)
{
    long left = seconds < TIME_LEFT_MAX ? (long)ceil(seconds) : (long)TIME_LEFT_MAX;
    if (left >= 3600)
        snprintf(text, room, "%ld:%02ld:%02ld", left / 3600, left / 60 % 60, left % 60);
    else if (left >= 60)
        snprintf(text, room, "%ld:%02ld", left / 60, left % 60);
    else
        snprintf(text, room, "%ld s", left);
}

/* The bar is as long as the numbers permit; the last column stays free. */
static void draw_bar(double part, const char *numbers)
{
    int columns = terminal_columns() - 1, width = columns - (int)strlen(numbers) - 3;
    if (width > BAR_WIDTH)
        width = BAR_WIDTH;

    /* The last code clears the rest of a longer previous line. */
    fputc('\r', stderr);
    if (width >= BAR_WIDTH_MIN) {
        int filled = (int)(part * width);
        fputc('[', stderr);
        for (int i = 0; i < width; i++)
            fputc(i < filled ? '#' : '.', stderr);
        fputs("] ", stderr);
    }
    fprintf(stderr, "%.*s\033[K", columns, numbers);
}

void rg_progress_update(RgProgress *progress, double t)
{
    if (!progress->visible)
        return;
    double now = rg_progress_clock();
    if (now - progress->shown < progress->period)
        return;
    progress->shown = now;

    double part = t < progress->total ? t / progress->total : 1.0, wall = now - progress->start;
    char numbers[NUMBERS_MAX], left[32];
    double made = part - progress->from / progress->total;
    time_text(made > 0.0 ? wall * (1.0 - part) / made : TIME_LEFT_MAX, left, sizeof left);
    if (progress->unit)
        snprintf(numbers, sizeof numbers, "%3.0f %%  %.0f of %.0f %s  %s left", 100.0 * part, t, progress->total,
                 progress->unit, left);
    else if (progress->is_part)
        snprintf(numbers, sizeof numbers, "%3.0f %%  %s left", 100.0 * part, left);
    else
        snprintf(numbers, sizeof numbers, "%3.0f %%  t = %.3g of %.3g s  %.3g x real time  %s left", 100.0 * part, t,
                 progress->total, t / wall, left);
    if (progress->on_terminal) {
        draw_bar(part, numbers);
    } else {
        fprintf(stderr, "rigor: %s\n", numbers + strspn(numbers, " "));
        progress->period = fmin(2.0 * progress->period, LAST_LINE);
    }
    fflush(stderr);
}

void rg_progress_end(RgProgress *progress)
{
    if (progress->visible && progress->on_terminal)
        fputs("\r\033[K", stderr);
    progress->visible = false;
}
