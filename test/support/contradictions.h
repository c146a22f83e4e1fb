/*
 * contradictions.h - hard drives of any effort that ask for what loops, contacts or each other forbid.
 *
 *   loop       crank and rocker of a four-bar linkage at speeds that its closure does not allow together
 *   chain      four links and the world in a ring, springs and dampers at the hinges; each hinge has a speed of its own
 *   floor      an arm of six joints goes into the floor
 *   squeeze    two fingers go into a block from both sides, 20 mm deep
 *   walls      a quadruped stands between two walls and stretches its legs into them: friction jams them
 *   squat      a humanoid over the floor bends hips, knees and ankles beyond their limits: 29 joints
 *
 * Every joint but the floating base has a drive that arrives within the step (rate infinite).
 */
#ifndef TEST_SUPPORT_CONTRADICTIONS_H
#define TEST_SUPPORT_CONTRADICTIONS_H

#include <rigor/rigor.h>

typedef struct Contradiction {
    const char *name;
    RgModel *(*build)(void);
    /* Start, and target at time t of the joint of this name. */
    double (*target)(const char *joint, double t);
    double time; /* s: until when it is run */
    double most; /* N or N m: what stops and starts within a step of 2 ms take, to an order of magnitude */
    const char *joints,
        *against; /* what must be named, once at least: part of a joint's name; of a link's or joint's; NULL: none */
} Contradiction;

/* NULL name ends it. */
extern const Contradiction contradictions[];

/* Drives of all joints for a step of h from the world's time. */
void contradict(RgWorld *world, const Contradiction *scene, double h);

/* The same with drives that ask for the mean rates of these steps alone, times `slower`, wherever the joints are. */
void contradict_rates(RgWorld *world, const Contradiction *scene, double h, double slower);

/* At the start: q = target(0). */
void contradict_start(RgWorld *world, const Contradiction *scene);

#endif
