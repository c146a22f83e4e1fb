/* controls.h - short ways to say trajectories, controllers and controls, for the tests. */
#ifndef TEST_SUPPORT_CONTROLS_H
#define TEST_SUPPORT_CONTROLS_H

#include <rigor/rigor.h>

/* The most joints a controller has here. */
#define CONTROLS_JOINTS 12

/* A controller over joints by name, all with the same gains (NaN: none). Its lists live in it. */
typedef struct ControlCase {
    RgControlJoint joints[CONTROLS_JOINTS];
    RgControllerDef controller;
    RgControlDef control;
} ControlCase;

/* In place, since its parts point at each other. names: n of them. */
void control_case(ControlCase *out, RgWorld *world, const char *kind, const char *const *names, int n);
void control_unlimited(ControlCase *out); /* any effort */
void control_gains(ControlCase *out, double kp, double ki, double kd);

/* Fail the running test where they cannot be made. */
RgControl *control_make(const ControlCase *made);
/* Destroys a control, its world and their model. */
void control_end(RgControl *control, RgWorld *world, RgModel *model);

RgTrajectory *trajectory_make(const RgTrajectoryDef *def);
RgTrajectory *trajectory_sinusoid(const double *amplitude, const double *frequency, int n);
RgTrajectory *trajectory_hold(const double *position, int n);

/* Every step must succeed. */
void control_run(RgControl *control, int steps, double h);

#endif
