/*
 * step_plan.h - where feet and centre of mass go while a robot stands, sways or walks by turns of its feet.
 *
 * Feet stand for a while, then step by turns: the point of support (ZMP) p stays under the standing feet while one
 * swings, and goes over in a straight line while all stand. The centre of mass c at constant height z follows from it
 * (linear inverted pendulum),
 *
 *   c - (z/g) c'' = p
 *
 * as the solution that begins and ends over its support: a tridiagonal system in time (step_plan.c).
 */
#ifndef RIGOR_STEP_PLAN_H
#define RIGOR_STEP_PLAN_H

#include "base/arena.h"
#include "math/vec3.h"

#include <rigor/control.h>

#define RG_STEP_FEET 8

typedef struct RgFoothold {
    double x, y, yaw;
} RgFoothold;

/* What the plan is of. first: where the middles of the soles stand, at time 0; height: of the centre of mass over
   them. */
typedef struct RgStepPlanDef {
    RgWalk walk;
    int nfeet;
    double height, gravity, heading;
    RgFoothold first[RG_STEP_FEET];
} RgStepPlanDef;

typedef struct RgStepSample {
    double cx, cy, vx, vy, px, py; /* centre of mass, its velocity; point of support */
    double heading;                /* rad: of the trunk */
    RgFoothold foot[RG_STEP_FEET];
    double lift[RG_STEP_FEET]; /* m over the floor */
    bool stands[RG_STEP_FEET];
} RgStepSample;

typedef struct RgStepPlan {
    RgStepPlanDef def;
    int n, room;      /* points of the grid; n 0: not planned yet */
    double *p, *c;    /* 2 room: x, y */
    double *w;        /* room */
    RgFoothold *body; /* steps + 1: after so many strides */
} RgStepPlan;

/* Room for the steps of the walk; false: no memory. */
bool rg_step_plan_take(RgArena *arena, const RgWalk *walk, RgStepPlan *out);

/* Plans from scratch: no allocation. */
void rg_step_plan_make(RgStepPlan *plan, const RgStepPlanDef *def);

void rg_step_plan_at(const RgStepPlan *plan, double t, RgStepSample *out);

/* 0 to 1 with velocity and acceleration 0 at both ends. */
double rg_step_smooth(double s);

#endif
