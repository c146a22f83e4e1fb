/*
 * atlas_leg.c - see atlas_leg.h. In closed form: roll (mhx) puts the ankle into the leg's plane, two links reach it in
 * the plane, the ankle's joints cancel both rotations.
 */
#include "atlas_leg.h"

#include <math.h>

#define HIP_AHEAD 0.05
#define HIP_DOWN 0.05
#define THIGH_BACK 0.05 /* m: distance of the knee behind the line of the thigh */
#define THIGH_DOWN 0.374
#define SHANK 0.422
#define PI 3.14159265358979323846

bool atlas_leg_reach(RgVec3 ankle, double angles[ATLAS_LEG_JOINTS])
{
    double roll = atan2(ankle.y, -ankle.z);

    /* In the leg's plane, from lhy: x ahead, z down. */
    double x = ankle.x - HIP_AHEAD, z = hypot(ankle.y, ankle.z) - HIP_DOWN;
    double thigh = hypot(THIGH_BACK, THIGH_DOWN), way = hypot(x, z);
    double reach = fmin(way, thigh + SHANK);

    /* Law of cosines: the angle between the links, and that of the thigh with the line to the ankle. Positive rotations
       about y swing the leg backwards. */
    double inner = acos(fmax(-1.0, fmin(1.0, (thigh * thigh + SHANK * SHANK - reach * reach) / (2 * thigh * SHANK))));
    double front = acos(fmax(-1.0, fmin(1.0, (thigh * thigh + reach * reach - SHANK * SHANK) / (2 * thigh * reach))));
    double bend = PI - inner;           /* of the shank against the thigh's line, backwards */
    double line = atan2(-x, z) - front; /* turn of the thigh's line from straight down, its front before the ankle's */
    double offset = atan2(THIGH_BACK, THIGH_DOWN); /* that line at lhy = 0 */
    double hip = line - offset, knee = bend + offset;

    angles[0] = 0.0;
    angles[1] = roll;
    angles[2] = hip;
    angles[3] = knee;
    angles[4] = -(hip + knee);
    angles[5] = -roll;
    return way <= thigh + SHANK;
}
