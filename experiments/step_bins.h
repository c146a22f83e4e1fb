/* step_bins.h - histograms of step lengths in the bins of RgStepStatistics: five per decade from 1e-10 s on. */
#ifndef RIGOR_EXPERIMENT_STEP_BINS_H
#define RIGOR_EXPERIMENT_STEP_BINS_H

#include "experiment.h"

/* The bin of a step of length h. */
int step_bin(double h);

/* A curve "NAME: N steps"; empty bins are left out. */
void step_bins_draw(LabFigure *figure, const int64_t bins[RG_STEP_BINS], const char *name);

#endif
