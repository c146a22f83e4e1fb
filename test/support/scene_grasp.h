/*
 * scene_grasp.h - an object held between two jaws that are pressed on it by force; how far it slips.
 *
 *        F -> [jaw] [ object ] [jaw] <- F        weight m g along -z; mu = 1
 *
 * Friction carries 2 mu F; a grasp is asked for where m (g + a) <= mu F (grasp_holds), a the hand's largest
 * acceleration, so by Coulomb's law the object never slips: every slip is an error of the solver, or another motion
 * that the law allows as well (RgStepReport.ambiguous). Tight grasps have mu = 0.51 m (g + a) / F instead: friction for
 * 2 % more than is needed. Jaws have 50 g.
 *
 *   jaws     each on a slider of its own, fixed in the world, pressed by an effort of F
 *   soft     the same, but the right jaw stands on a soft drive that yields
 *   hand     both on sliders of a palm of 0.5 kg, which a soft drive lifts at 50 mm/s; pressed by motors of F at most
 *   shaken   the same palm, which a hard drive moves up and down by 30 mm at 2 Hz
 *   turned   the palm swings by two radians about the line through its jaws, by a hard drive
 *
 *   sphere, box     40 mm            cylinder   40 mm, lying across the jaws: each touches it along a line
 *   upright         the cylinder on end: lines along z           hull       a prism of seven sides, its ends to the jaws
 *   disc            40 mm, its faces to the jaws                 edge       the box, held 8 mm off its centre, which makes it turn
 */
#ifndef TEST_SUPPORT_SCENE_GRASP_H
#define TEST_SUPPORT_SCENE_GRASP_H

#include <rigor/rigor.h>

typedef struct Grasp {
    const char *object, *hand;
    double mass, force; /* kg, N */
    bool tight;
} Grasp;

/* Names that a grasp may have; NULL ends them. */
extern const char *const grasp_objects[];
extern const char *const grasp_hands[];

/* The range that is asked for: kg, N, s; 0 ends each. */
extern const double grasp_masses[], grasp_forces[], grasp_steps[];

/* The friction of the jaws is at least twice what the object needs, four times where the hand turns: how much of it
   each point has left then depends on how they share the squeeze, which is not unique. Not where it turns a ball about
   the line through its two points, or what is off that line, which a step of first order moves along the tangent. Tight
   grasps: not off the centre, and not with hands that yield. */
bool grasp_holds(const Grasp *grasp);

RgModel *grasp_model(const Grasp *grasp);

/* Sweeps of a preset of pgs, the friction they know and the impulses they begin with; contacts stay those of every
   solver. An engine that acts on overlaps alone lets jaws pass that go farther in a step, and no residual tells. NULL:
   none. False: there is no such preset. */
bool grasp_preset(const char *name, RgContactLaw *law, RgPgsOptions *options);

typedef struct GraspSlip {
    RgStatus status; /* of the step that was refused; else RG_OK */
    double slip;     /* m: largest way of a point of the object along the jaws, after the first 0.1 s */
    int steps, unfinished;
    int ambiguous;         /* steps that were */
    double sweeps;         /* mean of a step */
    double residual_force; /* N: largest that an unfinished step left */
} GraspSlip;

/* 0.1 s to settle, then time, s, by steps of h. def: all but the model as it is. */
GraspSlip grasp_run(const Grasp *grasp, const RgModel *model, const RgWorldDef *def, double h, double time);

#endif
