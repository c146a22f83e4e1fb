/* draw.h - seeded random numbers of the tests, the same everywhere (splitmix64; Steele, Lea, Flood 2014). */
#ifndef TEST_SUPPORT_DRAW_H
#define TEST_SUPPORT_DRAW_H

#include "vectors.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Draw {
    uint64_t state;
} Draw;

static inline Draw draw_seed(uint64_t seed)
{
    return (Draw){seed * UINT64_C(0x9e3779b97f4a7c15) + UINT64_C(0x1234567)};
}

static inline uint64_t draw_bits(Draw *d)
{
    d->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = d->state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Uniform in [low, high). */
static inline double draw_between(Draw *d, double low, double high)
{
    return low + (high - low) * ((double)(draw_bits(d) >> 11) * 0x1p-53);
}

/* Uniform in 0 ... n - 1. */
static inline int draw_below(Draw *d, int n)
{
    return (int)(draw_bits(d) % (uint64_t)n);
}

static inline bool draw_chance(Draw *d, double probability)
{
    return draw_between(d, 0.0, 1.0) < probability;
}

/* In the cube of half width r. */
static inline RgVec3 draw_vec(Draw *d, double r)
{
    double x = draw_between(d, -r, r), y = draw_between(d, -r, r), z = draw_between(d, -r, r);
    return vec(x, y, z);
}

/* A direction: a point of the ball of radius 1, neither near its centre nor outside, made unit. */
static inline RgVec3 draw_direction(Draw *d)
{
    RgVec3 a = draw_vec(d, 1.0);
    while (vec_norm(a) < 0.1 || vec_norm(a) > 1.0)
        a = draw_vec(d, 1.0);
    return vec_scale(1.0 / vec_norm(a), a);
}

static inline RgPose draw_pose(Draw *d, double r)
{
    RgVec3 axis = draw_direction(d);
    double angle = draw_between(d, -3.1, 3.1);
    return (RgPose){mat_turn(axis, angle), draw_vec(d, r)};
}

#endif
