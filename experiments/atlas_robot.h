/*
 * atlas_robot.h - Atlas on a floor, kept upright over its feet by torques: experiments 004-d, e, f.
 *
 * Each millisecond: where the plan wants the centre of mass and the feet; joint positions of the legs that put them
 * there; for every joint a torque by spring and damper about its position, and the torque that carries the robot on its
 * feet with the centre of pressure where balance wants it. It stands in for the challenge's own controller, which was
 * never published.
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
    const WalkDef *walk;         /* width, ahead and height are the robot's: they need not be set */
} AtlasDef;

typedef struct Atlas Atlas;

/* NULL: the experiment has failed, said why. */
Atlas *atlas_create(Lab *lab, const AtlasDef *def);
void atlas_destroy(Atlas *atlas);

/* One sample of the controller and one step. False: the step was refused, or it has fallen. */
bool atlas_step(Atlas *atlas, RgStepReport *report);

RgWorld *atlas_world(Atlas *atlas);
const RgModel *atlas_model(const Atlas *atlas);
bool atlas_fell(Atlas *atlas);                 /* the pelvis is lower than 0.6 m, or something has blown up */
RgVec3 atlas_foot_com(Atlas *atlas, int foot); /* of the foot's link: what Figure 3b shows */
double atlas_step_seconds(const Atlas *atlas); /* processor time in steps so far, the controller's left out */
WalkSample atlas_wanted(const Atlas *atlas);   /* at the last sample, where the standing feet really are */

/* Largest distance, m, between the feet that the plan wants and those of the posture made for it, over all of the plan:
   the closed form of the legs against the model's own kinematics. Before the first step. */
double atlas_reach_error(Atlas *atlas);

#endif
