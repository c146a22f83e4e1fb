/*
 * walk_plan.h - where feet and centre of mass of a biped go: standing, stepping in place, walking ahead.
 *
 * Feet stand for a while, then step by turns: the point of support (ZMP) p stays under the standing foot while the
 * other one swings and goes over in a straight line while both stand. The centre of mass c at constant height z follows
 * from it,
 *
 *   c - (z/g) c'' = p
 *
 * as the solution that begins and ends at rest: a tridiagonal system in time.
 */
#ifndef RIGOR_WALK_PLAN_H
#define RIGOR_WALK_PLAN_H

#include <rigor/rigor.h>

#include <stdbool.h>

enum { WALK_LEFT, WALK_RIGHT, WALK_FEET };

typedef struct WalkDef {
    double settle, both, single; /* s: before the first step, both feet stand, one swings */
    int steps;                   /* 0: it stands */
    double lift, stride;         /* m: of a foot over the floor, ahead per step */
    double sway, sway_period;    /* m, s: the point of support circles by so much while it stands; 0: it does not */
    double width;                /* m: from the middle to a foot */
    double ahead;                /* m: the point of support before the ankle */
    double height;               /* m: of the centre of mass */
    double duration;             /* s: of the whole; steps that would not end in it are left out */
} WalkDef;

typedef struct WalkSample {
    RgVec3 com, com_velocity, zmp; /* z of com: the height; of zmp: 0 */
    RgVec3 foot[WALK_FEET];        /* below the ankle, on the floor or over it */
    bool stands[WALK_FEET];
} WalkSample;

typedef struct WalkPlan WalkPlan;

/* NULL: no memory. */
WalkPlan *walk_plan_create(const WalkDef *def);
void walk_plan_destroy(WalkPlan *plan);
double walk_plan_duration(const WalkPlan *plan);
WalkSample walk_plan_at(const WalkPlan *plan, double t);

#endif
