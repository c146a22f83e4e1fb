/* standing_robot.h - robots that stand or walk by `balance` and `walk`, for the tests. */
#ifndef TEST_SUPPORT_STANDING_ROBOT_H
#define TEST_SUPPORT_STANDING_ROBOT_H

#include <rigor/rigor.h>

/* A robot of models/, or the biped of scenes.h, on its floor in a posture to stand in. */
typedef enum RobotKind { ROBOT_ATLAS, ROBOT_HUMANOID, ROBOT_DOG, ROBOT_BIPED } RobotKind;

typedef struct StandingRobot {
    RgModel *model;
    RgWorld *world;
    RgControl *control;
    RgLinkId base, trunk;
    double height; /* m: of the base at the start */
} StandingRobot;

/* walk: steps 0: it balances. Fails the running test where it cannot be made. */
void standing_begin(StandingRobot *out, RobotKind kind, const char *coords, const RgWalk *walk, RgAllocator allocator);
void standing_end(StandingRobot *robot);

/* True: it made so many steps of h, and its base is within a quarter of its height. push: on the trunk, N. */
bool standing_run(StandingRobot *robot, int steps, double h, RgVec3 push);

RgVec3 standing_place(const StandingRobot *robot);
double standing_tilt(const StandingRobot *robot); /* rad */

#endif
