/*
 * located_thrown.h - paper 001's die, and random throws like it.
 *
 *   cube     1 m, density 1                       plane        the ground
 *   tetra    edges of about 1.2 m, each its own   slope        the ground tilted by 10 degrees
 *   hull20   20 points of an ellipsoid            each-other   three bodies that fall on each other, and on the ground
 *   box      1 x 0.6 x 0.3 m
 *
 * Throw number n depends on n alone, so that it can be run again alone. All have friction mu 1 and no restitution.
 */
#ifndef BENCH_LOCATED_THROWN_H
#define BENCH_LOCATED_THROWN_H

#include "located_run.h"

/* Kinetic energy that is rest, J; step and time of paper 001. */
#define THROWN_REST 1e-10
#define THROWN_STEP 0.01
#define THROWN_TIME 10.0

/* The die: a cube of 1 m and 1 kg, y up, ground at y = -5e-6 m; its start is what the paper's program draws with seed 0
   by glibc's rand(). The setup's gravity must be along -y. */
RgModel *thrown_die_model(double mu);
void thrown_die_start(RgWorld *world);
/* The face that points down, 1 ... 6 for +x, -x, +y, -y, +z, -z, and how far from it, rad. */
int thrown_die_face(RgWorld *world, double *angle);

#define THROWN_KINDS 4
#define THROWN_GROUNDS 3
extern const char *const thrown_kinds[THROWN_KINDS], *const thrown_grounds[THROWN_GROUNDS];

typedef struct Throw {
    int kind, onto;
    uint64_t seed;
} Throw;

RgModel *thrown_model(const Throw *t);
void thrown_start(const Throw *t, RgWorld *world);
/* Whether it must come to rest: a round hull may roll down a slope for long. */
bool thrown_must_rest(const Throw *t);

#endif
