/*
 * polytope_scan_simd.c - support vertex of few vertices by a scan, four at a time.
 *
 * Every lane keeps its highest value and the first index that has it; the result is the highest of the four lanes, of
 * equal ones the lowest index. The products and sums are those of v3_dot in its order: the result is that of a scan of
 * one vertex after another (polytope.c, scan_all). A lane of the last four may be beyond the end: it repeats vertex 0,
 * which lane 0 has visited before.
 *
 * The span along three directions at once: minimum and maximum of each, reading every coordinate once. Minimum and
 * maximum do not depend on the order: the result is that of one vertex after another.
 */
#include "geom/polytope_scan.h"

#include "math/pair_simd.h"

typedef double Four __attribute__((vector_size(32)));
typedef int64_t FourIndex __attribute__((vector_size(32)));

RG_KERNEL int32_t scan(const double *rows, int32_t nv, RgVec3 d)
{
    int32_t room = RG_SCAN_ROOM(nv);
    const double *x = rows, *y = rows + room, *z = y + room;
    const Four dx = {d.x, d.x, d.x, d.x}, dy = {d.y, d.y, d.y, d.y}, dz = {d.z, d.z, d.z, d.z};
    FourIndex number = {0, 1, 2, 3}, first = number;
    const FourIndex step = {4, 4, 4, 4};
    Four highest = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < room; i += 4) {
        Four a, b, c;
        memcpy(&a, x + i, sizeof a);
        memcpy(&b, y + i, sizeof b);
        memcpy(&c, z + i, sizeof c);
        Four along = a * dx + b * dy + c * dz;
        FourIndex higher = along > highest;
        highest = (Four)((higher & (FourIndex)along) | (~higher & (FourIndex)highest));
        first = (higher & number) | (~higher & first);
        number += step;
    }
    double most = highest[0];
    int64_t best = first[0];
    for (int k = 1; k < 4; k++) {
        bool better = highest[k] > most || (highest[k] == most && first[k] < best);
        most = better ? highest[k] : most;
        best = better ? first[k] : best;
    }
    return (int32_t)best;
}

RG_AVX2 static int32_t scan_avx2(const double *rows, int32_t nv, RgVec3 d)
{
    return scan(rows, nv, d);
}

int32_t rg_polytope_scan(const double *rows, int32_t nv, RgVec3 d)
{
    return rg_has_avx2() ? scan_avx2(rows, nv, d) : scan(rows, nv, d);
}

RG_KERNEL void span(const double *rows, int32_t nv, const double d[3][3], double low[3], double high[3])
{
    int32_t room = RG_SCAN_ROOM(nv);
    const double *x = rows, *y = rows + room, *z = y + room;
    Four least[3], most[3];
    for (int k = 0; k < 3; k++) {
        least[k] = (Four){INFINITY, INFINITY, INFINITY, INFINITY};
        most[k] = -least[k];
    }
    for (int32_t i = 0; i < room; i += 4) {
        Four a, b, c;
        memcpy(&a, x + i, sizeof a);
        memcpy(&b, y + i, sizeof b);
        memcpy(&c, z + i, sizeof c);
        for (int k = 0; k < 3; k++) {
            Four along = d[k][0] * a + d[k][1] * b + d[k][2] * c;
            FourIndex lower = along < least[k];
            FourIndex higher = along > most[k];
            least[k] = (Four)((lower & (FourIndex)along) | (~lower & (FourIndex)least[k]));
            most[k] = (Four)((higher & (FourIndex)along) | (~higher & (FourIndex)most[k]));
        }
    }
    for (int k = 0; k < 3; k++) {
        low[k] = least[k][0];
        high[k] = most[k][0];
        for (int l = 1; l < 4; l++) {
            low[k] = least[k][l] < low[k] ? least[k][l] : low[k];
            high[k] = most[k][l] > high[k] ? most[k][l] : high[k];
        }
    }
}

RG_AVX2 static void span_avx2(const double *rows, int32_t nv, const double d[3][3], double low[3], double high[3])
{
    span(rows, nv, d, low, high);
}

void rg_polytope_span(const double *rows, int32_t nv, const double d[3][3], double low[3], double high[3])
{
    if (rg_has_avx2())
        span_avx2(rows, nv, d, low, high);
    else
        span(rows, nv, d, low, high);
}
