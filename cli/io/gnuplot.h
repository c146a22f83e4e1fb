/* gnuplot.h - runs gnuplot, as a process, on the scripts that commands write. */
#ifndef RIGOR_GNUPLOT_H
#define RIGOR_GNUPLOT_H

#include <stdbool.h>

/* Whether gnuplot is on the path. */
bool rg_gnuplot_present(void);

/* Runs a script in its folder; errors go to gnuplot.log there. Returns gnuplot's exit code. */
int rg_gnuplot_run(const char *folder, const char *script);

#endif
