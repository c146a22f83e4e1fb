/*
 * walk_plan.h - trajectories of the feet and the centre of mass of a biped: standing, stepping in place, walking ahead.
 *
 * Feet step in turn: the point of support (ZMP) p is under the standing foot while the other one swings, and moves in a
 * straight line while both stand. The centre of mass c at constant height z is the solution of
 *
 *   c - (z/g) c'' = p
 *
 * that begins and ends at rest: a tridiagonal system in time.
 */
#ifndef RIGOR_WALK_PLAN_H
#define RIGOR_WALK_PLAN_H

#include <rigor/rigor.h>

#include <stdbool.h>

enum { WALK_LEFT, WALK_RIGHT, WALK_FEET };

typedef struct WalkDef {
    double settle, both, single; /* s: before the first step, both feet stand, one swings */
    int steps;                   /* 0: stands */
    double lift, stride;         /* m: of a foot over the floor, ahead per step */
    double sway, sway_period; /* m, s: radius and period of a circle of the point of support while standing; 0: none */
    double width;             /* m: from the middle to a foot */
    double ahead;             /* m: the point of support before the ankle */
    double height;            /* m: of the centre of mass */
    double duration;          /* s: in total; steps that would end later are omitted */
} WalkDef;

typedef struct WalkSample {
    RgVec3 com, com_velocity, zmp; /* z of com: the height; of zmp: 0 */
    RgVec3 foot[WALK_FEET];        /* below the ankle, on or above the floor */
    bool stands[WALK_FEET];
} WalkSample;

typedef struct WalkPlan WalkPlan;

/* NULL: out of memory. */
WalkPlan *walk_plan_create(const WalkDef *def);
void walk_plan_destroy(WalkPlan *plan);
double walk_plan_duration(const WalkPlan *plan);
WalkSample walk_plan_at(const WalkPlan *plan, double t);

#endif
