/* trajectory_table.h - the kinds of trajectories. */
#ifndef RIGOR_TRAJECTORY_TABLE_H
#define RIGOR_TRAJECTORY_TABLE_H

#include <rigor/control.h>

#include "base/arena.h"

struct RgTrajectory {
    RgArena arena; /* everything below */
    const struct RgTrajectoryKind *kind;
    int naxes;
    const char *const *names; /* naxes, or NULL */
    double *position, *amplitude, *frequency, *phase;

    /* Splines: knots, and the slopes at them (continuous second derivative). */
    int nknots;
    bool periodic;
    double *times;          /* nknots */
    double *values, *slope; /* nknots x naxes */
};

typedef struct RgTrajectoryKind {
    const char *name, *summary;
    /* Validates the parts of def that the kind needs and copies them into trajectory. Memory comes from its arena. */
    RgStatus (*fill)(RgTrajectory *trajectory, const RgTrajectoryDef *def, RgError *error);
    void (*at)(const RgTrajectory *trajectory, double t, RgReference *out);
} RgTrajectoryKind;

#define TRAJECTORY_TABLE(X) X(constant) X(sinusoid) X(spline) X(csv)

#define TRAJECTORY_DECLARE(name) extern const RgTrajectoryKind rg_trajectory_##name##_kind;
TRAJECTORY_TABLE(TRAJECTORY_DECLARE)
#undef TRAJECTORY_DECLARE

/* Copy of n finite numbers, zeros if from is NULL. NULL with error filled: a number is not finite, or out of memory. */
double *rg_trajectory_copy(RgTrajectory *trajectory, const double *from, int n, const char *what, RgError *error);

/* Computes the spline through the knots in trajectory (times, values), with the ends requested by def. */
RgStatus rg_spline_fill(RgTrajectory *trajectory, const RgTrajectoryDef *def, RgError *error);
void rg_spline_at(const RgTrajectory *trajectory, double t, RgReference *out);

#endif
