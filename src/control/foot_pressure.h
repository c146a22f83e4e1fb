/* foot_pressure.h - distribution of the weight over standing feet for a given centre of pressure. */
#ifndef RIGOR_FOOT_PRESSURE_H
#define RIGOR_FOOT_PRESSURE_H

#include "math/spatial.h"

typedef struct RgLoadedFoot {
    RgVec3 at, link; /* middle of the sole; origin of the link; world */
    double heading;  /* rad */
    double half[2];  /* m: half of the sole's length and width */
    bool stands;
    double share;   /* out: part of the weight */
    RgForce wrench; /* out: about the link's origin, world axes */
} RgLoadedFoot;

/* n: at most RG_STEP_FEET; at least one foot stands. (px, py): desired centre of pressure, m; weight: N. */
void rg_foot_pressures(RgLoadedFoot *feet, int n, double px, double py, double weight);

#endif
