/*
 * step_plan.h - motion of feet and centre of mass while a robot stands, sways or walks with alternating feet.
 *
 * The feet stand for a while, then step in turn. The point of support (ZMP) p is at the middle of the standing feet
 * while one foot swings, and moves in a straight line while all stand. The centre of mass c at constant height z
 * follows from the linear inverted pendulum,
 *
 *   c - (z/g) c'' = p
 *
 * as the solution that begins and ends above its support: a tridiagonal system in time (step_plan.c).
 */
#ifndef RIGOR_STEP_PLAN_H
#define RIGOR_STEP_PLAN_H

#include "base/arena.h"
#include "math/vec3.h"

#include <rigor/control.h>

#define RG_STEP_FEET 8

/* Place of a foot on the floor: m, m, rad. */
typedef struct RgFoothold {
    double x, y, yaw;
} RgFoothold;

/* Input of a plan. first: middles of the soles at time 0; height: m, of the centre of mass above them; gravity: m/s^2;
   heading: rad. */
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
    double lift[RG_STEP_FEET]; /* m: height above the floor */
    bool stands[RG_STEP_FEET];
} RgStepSample;

typedef struct RgStepPlan {
    RgStepPlanDef def;
    int n, room;      /* grid points, capacity; n = 0: not computed yet */
    double *p, *c;    /* 2 room: x, y of point of support and centre of mass */
    double *w;        /* room: scratch */
    RgFoothold *body; /* steps + 1: the trunk after each stride */
} RgStepPlan;

/* Allocates a plan for the steps of the walk; false: out of memory. */
bool rg_step_plan_alloc(RgArena *arena, const RgWalk *walk, RgStepPlan *out);

/* Computes the plan; does not allocate. */
void rg_step_plan_compute(RgStepPlan *plan, const RgStepPlanDef *def);

/* The plan at time t. */
void rg_step_plan_sample(const RgStepPlan *plan, double t, RgStepSample *out);

/* Quintic from 0 at s = 0 to 1 at s = 1, with zero velocity and acceleration at both ends. */
double rg_step_smooth(double s);

#endif
