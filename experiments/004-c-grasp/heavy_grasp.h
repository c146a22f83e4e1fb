/*
 * heavy_grasp.h - a hand with a fixed palm, closed about the upright heavy cylinder of paper 004: all contact normals are
 * horizontal, and friction alone carries 52.9 N.
 *
 *   tau = p (target - q) - d dq/dt,  p = 1 N m/rad, d = 0.04 N m s/rad at every joint, targets beyond the surface
 *
 * The hand closes while the cylinder is held upright and at its height; then the cylinder is released. This is simulated
 * once, by an exact solver in minimal coordinates; every run starts from the resulting grasp.
 */
#ifndef RIGOR_EXPERIMENT_HEAVY_GRASP_H
#define RIGOR_EXPERIMENT_HEAVY_GRASP_H

#include "experiment.h"

#define GRASP_JOINTS 12
#define ARM_JOINTS 3
#define GRASP_H 1e-3 /* s */

typedef struct Grasp {
    RgModel *model;
    RgLinkId object;
    int q[GRASP_JOINTS], v[GRASP_JOINTS];
    double target[GRASP_JOINTS];
    bool held;         /* the object is kept upright and at its height */
    double closed[64]; /* nq: positions at rest */
    bool on_arm;       /* the palm hangs on an arm, else it stands still */
    RgLinkId palm;
    RgJointId arm[ARM_JOINTS];
} Grasp;

/*
 * damping: of the finger joints, N m s/rad; the file's own is 1. on_arm: in place of the fixed palm, three hinges about
 * x behind it, 0.3 m apart, on links of 2 kg, with springs and dampers (drives) to where they are sent; straight while
 * the hand closes. False: the experiment has failed, said why. grasp_end takes it either way.
 */
bool grasp_begin(Lab *lab, Grasp *grasp, double damping, bool on_arm);

/* The arm is sent to where it is at time t: a sinusoid that lifts and lowers the palm, level, from rest. */
void grasp_move_arm(const Grasp *grasp, RgWorld *world, double t);
void grasp_end(Grasp *grasp);

/* The closed hand at rest under gravity; grasp must outlive the world. NULL: the experiment has failed. */
RgWorld *grasp_world(Lab *lab, Grasp *grasp, const char *coords, const char *solver, const LabPgs *pgs);

#endif
