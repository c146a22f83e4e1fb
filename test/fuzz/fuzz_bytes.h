/* fuzz_bytes.h - numbers, shapes and poses out of a fuzzer's bytes. Where the bytes end, zeros follow. */
#ifndef TEST_FUZZ_FUZZ_BYTES_H
#define TEST_FUZZ_FUZZ_BYTES_H

#include <rigor/collision.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Bytes {
    const uint8_t *data;
    size_t left;
} Bytes;

static inline uint8_t take(Bytes *b)
{
    if (b->left == 0)
        return 0;
    b->left--;
    return *b->data++;
}

/* Any double at all. */
static inline double take_raw(Bytes *b)
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | take(b);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* In -1 ... 1: a coarse step, a third of the time moved by a few of the smallest steps a double can make. */
static inline double take_unit(Bytes *b)
{
    int step = (int8_t)take(b);
    double x = step / 128.0;
    if (step % 3 == 0) {
        int nudge = take(b) % 9 - 4;
        for (int i = 0; i < abs(nudge); i++)
            x = nextafter(x, nudge > 0 ? 2.0 : -2.0);
    }
    return x;
}

/* Between 1e-9 and 1e9. */
static inline double take_size(Bytes *b)
{
    int tens = take(b) % 19 - 9;
    return fmin(fmax((1 + take(b)) / 256.0 * pow(10.0, tens), 1e-9), 1e9);
}

/* Any rotation, often one by quarters or the identity, sometimes one that is all but that. */
static inline RgMat3 take_rotation(Bytes *b)
{
    int kind = take(b) % 4;
    if (kind == 0)
        return rg_pose_identity().R;
    RgQuat q = {take_unit(b), take_unit(b), take_unit(b), take_unit(b)};
    if (kind == 1) {
        q = (RgQuat){rint(q.w), rint(q.x), rint(q.y), rint(q.z)};
    } else if (kind == 2) {
        double little = pow(10.0, -(take(b) % 17));
        q = (RgQuat){1.0, little * q.x, little * q.y, little * q.z};
    }
    if (q.w == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0)
        q.w = 1.0;
    return rg_pose_from_quat((RgVec3){0.0, 0.0, 0.0}, q).R;
}

static inline RgVec3 take_vec(Bytes *b, double scale)
{
    double x = scale * take_unit(b), y = scale * take_unit(b), z = scale * take_unit(b);
    return (RgVec3){x, y, z};
}

static inline bool vec_is_finite(RgVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/* Says what does not hold, and ends the program, which the fuzzer reports. */
static inline void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

#define MUST(condition) must((condition), #condition)

#endif
