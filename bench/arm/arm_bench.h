/* arm_bench.h - paper 002's arm and its PD controller in other engines, in one run (arm_peers.c). */
#ifndef BENCH_ARM_H
#define BENCH_ARM_H

#include "located.h"

typedef struct ArmOptions {
    bool quick;
    const char *arm;     /* file of the UR10 with its gripper */
    const char *modules; /* folder of the engines' modules */
} ArmOptions;

/* False: the arm cannot be read, message printed. */
bool arm_peers(LocatedOut *out, const ArmOptions *options);

#endif
