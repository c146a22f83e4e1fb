/*
 * plane_hull.c - convex hull of points in a plane: the monotone chain (Andrew 1979).
 *
 * The points are sorted by u, then v, and traversed once forward for the lower half of the hull and once backward for
 * the upper half; a corner that does not stick out of the line from the previous corner to the next point is removed. A
 * corner that sticks out by no more than `same` counts as collinear. Points whose u differ by no more than that are
 * first given the same u: otherwise round-off could change the order of points with nearly equal u and lose a corner.
 * Cost: n log n for the sort.
 */
#include "collision/plane_hull.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

static bool precedes(const RgPlanePoint *a, const RgPlanePoint *b)
{
    if (a->u != b->u)
        return a->u < b->u;
    if (a->v != b->v)
        return a->v < b->v;
    return a->number < b->number;
}

/* Shell sort (gaps of Ciura 2001): the order is total, so the result does not depend on the algorithm. */
static void sort_points(RgPlanePoint *p, int32_t count)
{
    static const int32_t gaps[] = {701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++)
        for (int32_t i = gaps[g]; i < count; i++) {
            RgPlanePoint moved = p[i];
            int32_t j = i;
            for (; j >= gaps[g] && precedes(&moved, &p[j - gaps[g]]); j -= gaps[g])
                p[j] = p[j - gaps[g]];
            p[j] = moved;
        }
}

/* Of points that coincide in the plane keeps the one farthest along side. */
static int32_t drop_covered(RgPlanePoint *p, int32_t count, double side, double same)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        bool covered = false;
        for (int32_t j = i + 1; j < count && p[j].u - p[i].u <= same && !covered; j++)
            covered = fabs(p[j].v - p[i].v) <= same && side * p[j].h >= side * p[i].h;
        for (int32_t j = kept - 1; j >= 0 && p[i].u - p[j].u <= same && !covered; j--)
            covered = fabs(p[j].v - p[i].v) <= same && side * p[j].h > side * p[i].h;
        if (!covered)
            p[kept++] = p[i];
    }
    return kept;
}

/* Returns true if b sticks out to the right of the line from a to c. */
static bool sticks_out(const RgPlanePoint *a, const RgPlanePoint *b, const RgPlanePoint *c, double same)
{
    double du = c->u - a->u, dv = c->v - a->v;
    return (b->u - a->u) * dv - (b->v - a->v) * du > same * sqrt(du * du + dv * dv);
}

/* One half of the hull, forward or backward; the last point, with which the other half starts, is not counted. */
static int32_t hull_half(const RgPlanePoint *p, int32_t count, bool forward, double same, RgPlanePoint *chain)
{
    int32_t length = 0;
    for (int32_t k = 0; k < count; k++) {
        const RgPlanePoint *next = &p[forward ? k : count - 1 - k];
        while (length >= 2 && !sticks_out(&chain[length - 2], &chain[length - 1], next, same))
            length--;
        chain[length++] = *next;
    }
    return length - 1;
}

/* Gives the same u to every run of sorted points that is no wider than `same`. */
static void align_u(RgPlanePoint *p, int32_t count, double same)
{
    int32_t start = 0;
    for (int32_t i = 1; i < count; i++) {
        if (p[i].u - p[start].u > same)
            start = i;
        p[i].u = p[start].u;
    }
}

int32_t rg_plane_hull(RgPlanePoint *points, int32_t count, double side, double same, RgPlanePoint *chain)
{
    sort_points(points, count);
    align_u(points, count, same);
    sort_points(points, count);
    count = drop_covered(points, count, side, same);
    if (count <= 1) {
        if (count == 1)
            chain[0] = points[0];
        return count;
    }
    int32_t length = hull_half(points, count, true, same, chain);
    return length + hull_half(points, count, false, same, chain + length);
}
