/*
 * experiment_table.h - the experiments: run.c of a folder defines one const Experiment, a line here names it.
 */
#ifndef RIGOR_EXPERIMENT_TABLE_H
#define RIGOR_EXPERIMENT_TABLE_H

#include "experiment.h"

/* In the order of the papers; one line each, so that two that are added at once do not meet. */
// clang-format off
#define EXPERIMENT_TABLE(X) \
    X(box_correction) \
    X(published_boxes) \
    X(published_rolling) \
    X(published_bouncing) \
    X(published_666) \
    X(published_elastic_666) \
    X(published_momentum) \
    X(published_energy) \
    X(published_creep) \
    X(published_sensors) \
    X(published_shapes) \
    X(published_kapla) \
    X(published_anymal_pd)

// clang-format on

#define EXPERIMENT_DECLARE(name) extern const Experiment experiment_##name;
EXPERIMENT_TABLE(EXPERIMENT_DECLARE)
#undef EXPERIMENT_DECLARE

#endif
