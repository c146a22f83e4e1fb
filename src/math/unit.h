/* unit.h - vector lengths without overflow or underflow, and inline minimum and maximum. */
#ifndef RIGOR_UNIT_H
#define RIGOR_UNIT_H

#include "math/vec3.h"

/* Squares between these bounds neither overflow in a sum nor lose digits to underflow. */
#define RG_SQUARE_LEAST 1e-280
#define RG_SQUARE_MOST 1e280

/* Maximum and minimum of two numbers that are not NaN: one instruction each, where fmax and fmin may be calls. */
static inline double d_max(double a, double b)
{
    return a > b ? a : b;
}

static inline double d_min(double a, double b)
{
    return a < b ? a : b;
}

/* Largest absolute component; no component may be NaN. */
static inline double v3_largest(RgVec3 a)
{
    return d_max(fabs(a.x), d_max(fabs(a.y), fabs(a.z)));
}

/* Returns |a| and sets *unit to a / |a|, or to other if a is zero. */
static inline double v3_unit(RgVec3 a, RgVec3 other, RgVec3 *unit)
{
    double square = v3_norm2(a);
    if (square > RG_SQUARE_LEAST && square < RG_SQUARE_MOST) {
        double length = sqrt(square);
        *unit = v3(a.x / length, a.y / length, a.z / length);
        return length;
    }
    double most = fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
    if (!(most > 0.0)) {
        *unit = other;
        return 0.0;
    }
    RgVec3 small = v3(a.x / most, a.y / most, a.z / most);
    double length = v3_norm(small);
    *unit = v3_scale(1.0 / length, small);
    return most * length;
}

#endif
