/*
 * parting_plane.h - two convex pieces at constant velocities with one plane between them: for how long it parts them.
 */
#ifndef RIGOR_PARTING_PLANE_H
#define RIGOR_PARTING_PLANE_H

#include "stepper/papers/glide.h"

/* Heights of corners over the plane. Those above gap when the plane is laid must not fall below level; those within it
   must keep half of what they have, or of level if that is less; those sunk below a quarter of level may lose half of
   it more. */
typedef struct RgPartingRule {
    double gap, level;
} RgPartingRule;

typedef struct RgPartingProof {
    double until; /* s: parted up to there */
    double least; /* m: nearest that the two come until then, as proven */
    bool arrived; /* a corner that was above the gap has come into it */
} RgPartingProof;

/* Whether the plane can be told of the two: both are convex, and at most one is a half-space. */
bool rg_parting_takes(const RgGlidePiece *a, const RgGlidePiece *b);

/* near: the distance of the two at time s, from a to b; proves from s to horizon at most. */
RgPartingProof rg_parting_prove(RgGlide *glide, const RgGlidePiece pieces[2], const RgDistance *near,
                                double s, double horizon, const RgPartingRule *rule);

#endif
