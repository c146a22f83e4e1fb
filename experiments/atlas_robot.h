/*
 * atlas_robot.h - Atlas on a floor, kept upright over its feet by torques: experiments 004-d, e, f.
 *
 * Each millisecond: the plan gives the centre of mass and the feet, inverse kinematics the joint positions of the legs;
 * every joint gets a torque by spring and damper about its position, and the torque that carries the robot with the
 * centre of pressure chosen by balance. It replaces the challenge's own controller, which was not published.
 */
#ifndef RIGOR_ATLAS_ROBOT_H
#define RIGOR_ATLAS_ROBOT_H

#include "experiment.h"
#include "walk_plan.h"

#define ATLAS_H 1e-3 /* s: the challenge's step */

typedef struct AtlasDef {
    const char *file; /* of models/ */
    const char *coords, *solver;
    const LabPgs *pgs;           /* may be NULL */
    const RgQuickOptions *quick; /* may be NULL */
    const WalkDef *walk;         /* width, ahead and height are set by the robot */
} AtlasDef;

typedef struct Atlas Atlas;

/* NULL: the experiment has failed, with a message. */
Atlas *atlas_create(Lab *lab, const AtlasDef *def);
void atlas_destroy(Atlas *atlas);

/* One sample of the controller and one step. False: the step was refused, or the robot has fallen. */
bool atlas_step(Atlas *atlas, RgStepReport *report);

RgWorld *atlas_world(Atlas *atlas);
const RgModel *atlas_model(const Atlas *atlas);
bool atlas_fell(Atlas *atlas);                 /* the pelvis is lower than 0.6 m, or the state diverged */
RgVec3 atlas_foot_com(Atlas *atlas, int foot); /* of the foot's link, as in Figure 3b */
double atlas_step_seconds(const Atlas *atlas); /* processor time of all steps, without the controller */
WalkSample atlas_wanted(const Atlas *atlas);   /* at the last sample, with the actual positions of standing feet */

/* Largest distance, m, over the plan between the planned feet and those of the posture: the closed form of the legs
   against the model's kinematics. Call it before the first step. */
double atlas_reach_error(Atlas *atlas);

#endif
