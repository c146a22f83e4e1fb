/* progress.h - progress of a run on stderr: a bar on a terminal, lines in a log. */
#ifndef RIGOR_PROGRESS_H
#define RIGOR_PROGRESS_H

#include <stdbool.h>

typedef struct RgProgress {
    bool visible, on_terminal;
    double start, shown; /* s, of rg_progress_clock */
    double period;       /* s from one drawing to the next */
    double total;        /* s of simulated time; or 1 */
    bool is_part;        /* updates are parts of 1, not times */
    const char *unit;    /* of what is counted; NULL: simulated time */
    double from;         /* count at the start */
} RgProgress;

/* Seconds of a monotonic clock. */
double rg_progress_clock(void);

RgProgress rg_progress_begin(double total, bool quiet);
RgProgress rg_progress_begin_part(bool quiet); /* updates give the finished part, 0 ... 1 */
/* Updates give the number done of all; from: the number at the start. */
RgProgress rg_progress_begin_count(double total, double from, const char *unit, bool quiet);
void rg_progress_update(RgProgress *progress, double t); /* draws at most once per period */
void rg_progress_end(RgProgress *progress);              /* clears the bar */

#endif
