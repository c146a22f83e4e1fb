/*
 * geared_arm.h - paper 002's geared arm, made of any arm: a gear body at every joint that turns freely.
 *
 * Original: the UR10 with a gear of 1.778 kg (the first 2.778 kg) and 1 kg m^2 about all axes between the links of each
 * of its six hinges, ratio 1.5: the hinge on the parent side turns 1.5 times as the one on the child side (Moby's law).
 * In Rigor's model the joint keeps its name and is the child side's hinge; the links turn by (1 + ratio) times its
 * angle:
 *
 *   angle of the links = (1 + ratio) q(JOINT),    effort on the links = effort on JOINT / (1 + ratio)
 */
#ifndef BENCH_GEARED_ARM_H
#define BENCH_GEARED_ARM_H

#include <rigor/rigor.h>

typedef struct GearedArm {
    double ratio;      /* 1.5 */
    double mass;       /* 1.778 kg; 0: as good as none (1e-6) */
    double first_mass; /* 2.778 kg, of the first joint's gear */
    double inertia;    /* 1 kg m^2 about all axes */
    double range;      /* rad: joints that may turn by less are not geared (0.1) */
    RgGearPlace place; /* RG_GEAR_BETWEEN */
} GearedArm;

GearedArm geared_arm_default(void);

/* Puts gears at the joints that builder has so far; how many, or -1 with the builder's error. */
int geared_arm_add(RgBuilder *builder, const GearedArm *arm);

/* The arm of a file, base fixed, with gears; arm NULL: without. NULL back: error is filled. */
RgModel *geared_arm_load(const char *path, const GearedArm *arm, RgError *error);

#endif
