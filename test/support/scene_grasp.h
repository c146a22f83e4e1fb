/*
 * scene_grasp.h - an object held between two jaws that are pressed on it by force; how far it slips.
 *
 *        F -> [jaw] [ object ] [jaw] <- F        weight m g along -z; mu = 1
 *
 * Friction carries 2 mu F; a grasp is asked for where m g <= mu F (grasp_holds), so by Coulomb's law the object never slips:
 * every slip is an error of the solver. Jaws have 50 g.
 *
 *   jaws     each on a slider of its own, fixed in the world, pressed by an effort of F
 *   hand     both on sliders of a palm of 0.5 kg, which a soft drive lifts at 50 mm/s; pressed by motors of F at most
 *
 *   sphere, box     40 mm            cylinder   40 mm, lying across the jaws: each touches it along a line
 *   disc            40 mm, its faces to the jaws                 edge       the box, held 8 mm off its centre, which makes it turn
 */
#ifndef TEST_SUPPORT_SCENE_GRASP_H
#define TEST_SUPPORT_SCENE_GRASP_H

#include <rigor/rigor.h>

typedef struct Grasp {
    const char *object, *hand;
    double mass, force; /* kg, N */
} Grasp;

/* Names that a grasp may have; NULL ends them. */
extern const char *const grasp_objects[];
extern const char *const grasp_hands[];

/* The range that is asked for: kg, N, s; 0 ends each. */
extern const double grasp_masses[], grasp_forces[], grasp_steps[];

/* The friction of the jaws is at least twice what the object weighs. */
bool grasp_holds(const Grasp *grasp);

RgModel *grasp_model(const Grasp *grasp);

typedef struct GraspSlip {
    RgStatus status; /* of the step that was refused; else RG_OK */
    double slip;     /* m: largest way of a point of the object along the jaws, after the first 0.1 s */
    int steps, unfinished;
    double sweeps;         /* mean of a step */
    double residual_force; /* N: largest that an unfinished step left */
} GraspSlip;

/* 0.1 s to settle, then time, s, by steps of h. def: all but the model as it is. */
GraspSlip grasp_run(const Grasp *grasp, const RgModel *model, const RgWorldDef *def, double h, double time);

#endif
