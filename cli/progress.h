/* progress.h - a progress bar on the terminal: on stderr, and only if that is a terminal. */
#ifndef RIGOR_PROGRESS_H
#define RIGOR_PROGRESS_H

#include <stdbool.h>

typedef struct RgProgress {
    bool visible;
    double start, shown; /* s, of rg_progress_clock */
    double total;        /* s of simulated time */
} RgProgress;

/* Seconds of a clock that never goes back. */
double rg_progress_clock(void);

RgProgress rg_progress_begin(double total, bool quiet);
void rg_progress_update(RgProgress *progress, double t); /* redraws ten times a second at most */
void rg_progress_end(RgProgress *progress);              /* clears the line */

#endif
