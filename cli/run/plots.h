/*
 * plots.h - `rigor run --plots DIR`: figures of a run as PNG, SVG and PDF, drawn by gnuplot.
 *
 *   steps -- plot_data.c --> DIR/run.csv          model -- plot_script.c --> DIR/plots.gp -- gnuplot --> DIR/NAME.png ...
 */
#ifndef RIGOR_PLOTS_H
#define RIGOR_PLOTS_H

#include "io/plot_look.h"
#include "run/run.h"

/* A joint with one position, in the figures. */
typedef struct RgPlotJoint {
    RgJointId joint;
    const char *name, *unit; /* of its position: rad or m */
    double lower, upper;     /* infinite: none */
    bool has_motor;
    int control;         /* number in the control; -1: none */
    double target, most; /* of the motor: velocity, largest effort */
    double goal;         /* of a servo: position; NaN: none */
    /* of its position in the CSV, from 1; then rate; effort if it has a motor or controller; with a controller also
       wanted position and rate */
    int column;
} RgPlotJoint;

struct RgPlots {
    const char *folder;
    FILE *csv;
    int every; /* steps per row */
    double energy0;
    RgPlotJoint *joints;
    int njoints;
    RgPlotRange *ranges; /* of the columns, from index 1 */
    int column;          /* next to be written */
    /* Largest and smallest since the last row. */
    double residual, step_min;
    int sweeps, contacts;
    long long rows;
};

/* Columns of the CSV, from 1; those of joints follow. */
#define RG_PLOT_COLUMNS(X)                                                                                             \
    X(t)                                                                                                               \
    X(step)                                                                                                            \
    X(kinetic) X(potential) X(energy) X(drift) X(residual) X(sweeps) X(contacts) X(islands) X(least_gap)
typedef enum RgPlotColumn {
    RG_PLOT_NONE,
#define RG_PLOT_COLUMN(name) RG_PLOT_##name,
    RG_PLOT_COLUMNS(RG_PLOT_COLUMN)
#undef RG_PLOT_COLUMN
        RG_PLOT_COLUMN_END
} RgPlotColumn;

/* false, message printed: there is no gnuplot. */
bool rg_plots_possible(const RgPlan *plan);

/* Creates the folder if missing, and begins the CSV. RG_OK, or error is filled. */
RgStatus rg_plots_open(RgRun *run, RgError *error);

/* Call it after every step (report NULL: at the start); at_end: writes a row in any case. RG_OK, or error is filled. */
RgStatus rg_plots_step(RgRun *run, const RgStepReport *report, bool at_end, RgError *error);

/* Writes the script and runs gnuplot. false: message printed. */
bool rg_plots_draw(RgRun *run);
void rg_plots_free(RgRun *run);

/* Writes the script that draws the figures. false: write error. */
bool rg_plots_write_script(const RgRun *run, FILE *out);

#endif
