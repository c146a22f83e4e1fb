/*
 * experiment_table.h - the experiments. run.c of a folder defines one const Experiment.
 */
#ifndef RIGOR_EXPERIMENT_TABLE_H
#define RIGOR_EXPERIMENT_TABLE_H

#include "experiment.h"

/* In the order of the papers; one line each, so that two additions do not conflict. */
// clang-format off
#define EXPERIMENT_TABLE(X) \
    X(failures) \
    X(passive_walker) \
    X(euler_forms) \
    X(error_control) \
    X(dissipation) \
    X(thrown_die) \
    X(falling_chain) \
    X(trot_corners) \
    X(arm) \
    X(quadruped) \
    X(ball_drop) \
    X(box_push) \
    X(box_stacks) \
    X(pioneer_circle) \
    X(pioneer_gripper) \
    X(pioneer_line) \
    X(box_correction) \
    X(double_pendulum_004) \
    X(grasp_004) \
    X(atlas_standing) \
    X(atlas_walking) \
    X(atlas_two_forms) \
    X(published_666) \
    X(published_anymal_pd) \
    X(published_bouncing) \
    X(published_boxes) \
    X(published_creep) \
    X(published_elastic_666) \
    X(published_energy) \
    X(published_grasp) \
    X(published_kapla) \
    X(published_momentum) \
    X(published_rolling) \
    X(published_sensors) \
    X(published_shapes)

// clang-format on

#define EXPERIMENT_DECLARE(name) extern const Experiment experiment_##name;
EXPERIMENT_TABLE(EXPERIMENT_DECLARE)
#undef EXPERIMENT_DECLARE

#endif
