/* progress.h - how far a run is, on stderr: a bar on a terminal, else a line now and then. */
#ifndef RIGOR_PROGRESS_H
#define RIGOR_PROGRESS_H

#include <stdbool.h>

typedef struct RgProgress {
    bool visible, on_terminal;
    double start, shown; /* s, of rg_progress_clock */
    double period;       /* s from one drawing to the next */
    double total;        /* s of simulated time; or 1 */
    bool is_part;        /* updates are parts of 1, not times */
    const char *unit;    /* of what is counted; NULL: nothing is */
    double from;         /* where counting began */
} RgProgress;

/* Seconds of a clock that never goes back. */
double rg_progress_clock(void);

RgProgress rg_progress_begin(double total, bool quiet);
RgProgress rg_progress_begin_part(bool quiet); /* updates give the finished part, 0 ... 1 */
/* Updates give the number done of all; from: the number at the start. */
RgProgress rg_progress_begin_count(double total, double from, const char *unit, bool quiet);
void rg_progress_update(RgProgress *progress, double t); /* draws where it is time to */
void rg_progress_end(RgProgress *progress);              /* clears the bar */

#endif
