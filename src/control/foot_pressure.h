/* foot_pressure.h - how standing feet share the weight so that together they press at a point. */
#ifndef RIGOR_FOOT_PRESSURE_H
#define RIGOR_FOOT_PRESSURE_H

#include "math/spatial.h"

typedef struct RgPressedFoot {
    RgVec3 at, link; /* middle of the sole; origin of the link; world */
    double heading;  /* rad */
    double half[2];  /* m: half of the sole's length and width */
    bool stands;
    double share;   /* out: of the weight */
    RgForce wrench; /* out: about the link's origin, world axes */
} RgPressedFoot;

/* Of n feet (at most RG_STEP_FEET), one of which stands. */
void rg_foot_pressures(RgPressedFoot *feet, int n, double px, double py, double weight);

#endif
