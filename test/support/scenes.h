/*
 * scenes.h - the mechanisms that tests and benchmarks share, in code.
 *
 * No scene calls a trigonometric function, so that its numbers are the same bits with every compiler. All
 * units SI, z is up.
 */
#ifndef TEST_SUPPORT_SCENES_H
#define TEST_SUPPORT_SCENES_H

#include "scene_parts.h"

/* n rods of 1 m and 1 kg along +x from the origin, hinged about y. Frame "tip": the centre of the last
   rod. */
RgModel *scene_chain(int n);

/* One body hinged to the world about y at the origin, joint "hinge". */
RgModel *scene_pendulum(RgInertia inertia, const RgAxisDef *axis);

/* Boxes of 2,700 kg/m^3, 0.1 x 0.01 x 0.01 m and 5.7 times larger, stretched along +x, hinged about y:
   moments of inertia 1 : 6,017. */
RgModel *scene_double_pendulum(void);

/* Crank, coupler, rocker in the x-z plane; the pin between coupler and rocker is the loop joint "pin".
   Closed at q = 0. */
RgModel *scene_four_bar(void);

/* Floating platform on six legs: universal joint, sprung slider, ball (loop joints "ball0" ... "ball5").
   Closed at q = 0. */
RgModel *scene_stewart(void);

/* Free box of 0.1 x 0.4 x 0.9 m, 10 kg. */
RgModel *scene_box(void);

/* Robots: arm with 6 hinges, floating quadruped with 12, floating humanoid with 30. */
RgModel *scene_arm(void);
RgModel *scene_quadruped(void);
RgModel *scene_humanoid(void);

/* A trunk of 20 kg on two legs of five hinges, on a floor; knees bent by 0.8 rad where hips and ankles are at -0.4
   (trunk at BIPED_HEIGHT then). Feet: "left_foot", "right_foot". */
#define BIPED_HEIGHT 0.6326365964 /* m: 0.02 + 0.6 cos 0.4 + 0.06 */
RgModel *scene_biped(void);
void biped_stand(RgWorld *world); /* in that posture, at rest */

/* A mechanism with every kind of joint, with springs, dampers, rotors, and two joints that mimic others. */
RgModel *scene_all_joints(void);

/* A scene with its initial state. v: nv numbers, q: nq. */
typedef struct Scene {
    const char *name;
    RgModel *(*build)(void);
    void (*start)(const RgModel *model, double *q, double *v);
} Scene;

/* Every scene above at a usual size; NULL name ends it. */
extern const Scene scene_table[];

#endif
