/* random.h - seeded random numbers, the same on every machine: xoshiro256++ (Blackman, Vigna 2019), seeded by
   splitmix64. */
#ifndef RIGOR_RANDOM_H
#define RIGOR_RANDOM_H

#include <stdint.h>

typedef struct RgRandom {
    uint64_t s[4];
} RgRandom;

static inline RgRandom rg_random_seed(uint64_t seed)
{
    RgRandom r;
    for (int i = 0; i < 4; i++) {
        seed += UINT64_C(0x9e3779b97f4a7c15);
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        r.s[i] = z ^ (z >> 31);
    }
    return r;
}

static inline uint64_t rg_random_bits(RgRandom *r)
{
    uint64_t sum = r->s[0] + r->s[3];
    uint64_t result = ((sum << 23) | (sum >> 41)) + r->s[0];
    uint64_t t = r->s[1] << 17;
    r->s[2] ^= r->s[0];
    r->s[3] ^= r->s[1];
    r->s[1] ^= r->s[2];
    r->s[0] ^= r->s[3];
    r->s[2] ^= t;
    r->s[3] = (r->s[3] << 45) | (r->s[3] >> 19);
    return result;
}

/* Uniform in [low, high). */
static inline double rg_random_uniform(RgRandom *r, double low, double high)
{
    return low + (high - low) * ((double)(rg_random_bits(r) >> 11) * 0x1p-53);
}

/* Uniform in 0 ... n - 1, with a bias of at most n / 2^64. */
static inline int rg_random_below(RgRandom *r, int n)
{
    return (int)(rg_random_bits(r) % (uint64_t)n);
}

#endif
