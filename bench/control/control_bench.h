/*
 * control_bench.h - paper 002's experiments: how control limits the step, and what inverse dynamics inside the solve changes.
 *
 *   ur10     002-A: an arm along sinusoids, Table II beside ours; stiff gains; speed at equal accuracy
 *   quadruped  002-B: a trot and sinusoids of a robot on its feet by ten methods at seven steps, Table I beside ours
 *   peers    the same arm and PD controller in other engines, in one run
 *
 * Each prints tables with what was published beside it. The robots' files are not part of this project: an experiment without
 * its file is skipped with a word.
 */
#ifndef BENCH_CONTROL_H
#define BENCH_CONTROL_H

#include "located.h"

typedef struct ControlOptions {
    bool quick;
    const char *arm;    /* file of the UR10 with its gripper */
    const char *geared; /* the same with gear bodies */
    const char *robot; /* file of the quadruped; NULL: that of the papers, or our own where it is not there */
    bool check;        /* figures that are wanted must be met */
    const char *coords;  /* NULL: minimal */
    const char *modules; /* folder of the engines' modules */
} ControlOptions;

/* False: something that must hold does not. */
bool control_ur10(LocatedOut *out, const ControlOptions *options);
bool control_quadruped(LocatedOut *out, const ControlOptions *options);
bool control_peers(LocatedOut *out, const ControlOptions *options);

/* Whether a file is there; if not, says that the experiment is skipped. */
bool control_has_file(LocatedOut *out, const char *experiment, const char *path);

#endif
