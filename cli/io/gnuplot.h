/* gnuplot.h - gnuplot as a program of its own, which draws the scripts that commands write. */
#ifndef RIGOR_GNUPLOT_H
#define RIGOR_GNUPLOT_H

#include <stdbool.h>

/* Whether it is on the path. */
bool rg_gnuplot_present(void);

/* Runs it on a script of the folder, in the folder; its output goes to gnuplot.log there. Its exit code. */
int rg_gnuplot_run(const char *folder, const char *script);

#endif
