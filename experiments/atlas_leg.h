/*
 * atlas_leg.h - inverse kinematics of Atlas' leg, with foot and pelvis level and straight ahead.
 *
 *   hip (uhz, mhx) -- HIP_AHEAD, HIP_DOWN -- lhy -- thigh -- kny -- shank -- ankle (uay, lax)
 */
#ifndef RIGOR_ATLAS_LEG_H
#define RIGOR_ATLAS_LEG_H

#include <rigor/rigor.h>

#include <stdbool.h>

#define ATLAS_LEG_JOINTS 6          /* uhz, mhx, lhy, kny, uay, lax */
#define ATLAS_HIP_SIDE 0.089        /* m, from the middle of the pelvis */
#define ATLAS_ANKLE_HEIGHT 0.081119 /* m, over the sole */

/* ankle: from the hip, in the pelvis' axes. False: out of reach, the leg is stretched towards it. */
bool atlas_leg_reach(RgVec3 ankle, double angles[ATLAS_LEG_JOINTS]);

#endif
