/*
 * ur10_run.h - one run of paper 002's arm along its sinusoids by one kind of control.
 *
 * Stable: no step refused, joints no faster than 1,000 rad/s or m/s, the mean error of each joint at most half the
 * amplitude of its motion (the paper gives no criterion).
 */
#ifndef EXPERIMENT_UR10_RUN_H
#define EXPERIMENT_UR10_RUN_H

#include "experiment.h"
#include "ur10_arm.h"

typedef struct Ur10Method {
    const char *name, *kind; /* as rows and the library call it; kind NULL: no control, it falls */
    const Ur10Gains *gains;  /* pd, implicit-pd; else NULL */
    double rate;             /* hard, computed-torque: 1/s by which errors shrink; inf: within a step; 0: the paper's */
} Ur10Method;

typedef struct Ur10Setup {
    const Ur10Arm *arm;
    const Ur10Method *method;
    const char *coords, *solver;
    double step, time;
    Lab *lab;                 /* for a film */
    const char *film, *title; /* NULL: none */
} Ur10Setup;

typedef struct Ur10Run {
    bool stable;
    double mean_error;         /* rad, of the links' angles; NaN: not stable */
    double error[UR10_JOINTS]; /* the same of each joint */
    double cpu;                /* s, of the steps with their control */
} Ur10Run;

Ur10Run ur10_run(const Ur10Setup *setup);

/* Mean error of the law that keeps velocities alone, in closed form: positions go by h v*(k h), k = 1, 2, ... */
double ur10_drift(double step, double time);

#endif
