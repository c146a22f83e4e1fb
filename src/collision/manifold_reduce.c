/*
 * manifold_reduce.c - selects a few of many contact points that support a body nearly as well as all.
 *
 * Forces at the corners of the convex hull of the points, in the contact plane, can replace forces at all points; the
 * larger the hull of the points kept, the more of them remain possible. Kept are the deepest point, then repeatedly the
 * point that adds most area to the hull of those kept (or most length, while there is no area). Finally single points
 * are exchanged for others while that adds area (the deepest stays). Points that add nothing are dropped.
 *
 * Ties are broken by depth, id and position, so that the order of the input does not matter.
 *
 * Cost: O(count k^2) for k kept of count. Worst ratio of areas, four points kept of random ones: see
 * test_manifold_reduce.c.
 */
#include "math/vec3.h"

#include <rigor/collision.h>

/* Largest number of points kept if any is dropped. */
#define MAX_KEPT 64

/* Largest number kept for which points are exchanged: more keep nearly all of the area anyway. Exchanges at most. */
#define MAX_KEPT_FOR_EXCHANGE 8
#define MAX_EXCHANGES 16

/* Smallest significant gain, as a fraction of the largest possible square (or length): above round-off. */
#define MIN_GAIN 1e-12

typedef struct PlanePoint {
    double x, y;
} PlanePoint;

/* The points and the selection so far. */
typedef struct Selection {
    const RgContactPoint *points;
    int32_t count;
    RgVec3 origin, t, s;
    double reach; /* m, distance of the farthest point from the deepest */
    int32_t kept;
    int32_t index[MAX_KEPT];
    PlanePoint place[MAX_KEPT];
} Selection;

typedef struct HullSize {
    double area, length;
} HullSize;

static int compare(double a, double b)
{
    return a < b ? -1 : a > b;
}

/* Total order: deeper first, then by id, then by position. */
static bool precedes(const RgContactPoint *a, const RgContactPoint *b)
{
    if (a->gap != b->gap)
        return a->gap < b->gap;
    if (a->id != b->id)
        return a->id < b->id;
    int order = compare(a->point_a.x, b->point_a.x);
    if (order == 0)
        order = compare(a->point_a.y, b->point_a.y);
    if (order == 0)
        order = compare(a->point_a.z, b->point_a.z);
    return order < 0;
}

static PlanePoint project_point(const Selection *c, int32_t i)
{
    RgVec3 r = v3_sub(c->points[i].point_a, c->origin);
    return (PlanePoint){v3_dot(r, c->t), v3_dot(r, c->s)};
}

static double cross_area(PlanePoint a, PlanePoint b, PlanePoint c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* One half of the hull of sorted points: its contribution to twice the area and to the length. */
static HullSize half_hull(const PlanePoint *p, int32_t count, int32_t step)
{
    PlanePoint chain[MAX_KEPT + 1];
    int32_t length = 0;
    for (int32_t k = 0; k < count; k++) {
        PlanePoint next = p[step > 0 ? k : count - 1 - k];
        while (length >= 2 && cross_area(chain[length - 2], chain[length - 1], next) <= 0.0)
            length--;
        chain[length++] = next;
    }
    HullSize m = {0.0, 0.0};
    for (int32_t k = 0; k + 1 < length; k++) {
        double dx = chain[k + 1].x - chain[k].x, dy = chain[k + 1].y - chain[k].y;
        m.area += chain[k].x * chain[k + 1].y - chain[k].y * chain[k + 1].x;
        m.length += sqrt(dx * dx + dy * dy);
    }
    return m;
}

/* Area and perimeter of the hull of points in any order. */
static HullSize hull_size(const PlanePoint *place, int32_t count)
{
    PlanePoint p[MAX_KEPT + 1];
    for (int32_t i = 0; i < count; i++) {
        int32_t j = i;
        for (; j > 0 && (place[i].x < p[j - 1].x || (place[i].x == p[j - 1].x && place[i].y < p[j - 1].y)); j--)
            p[j] = p[j - 1];
        p[j] = place[i];
    }
    HullSize low = half_hull(p, count, 1), high = half_hull(p, count, -1);
    return (HullSize){0.5 * (low.area + high.area), low.length + high.length};
}

/* Area of the hull. The four triangles of four points cover their hull exactly twice. */
static double hull_area(const PlanePoint *p, int32_t count)
{
    if (count < 3)
        return 0.0;
    if (count == 3)
        return 0.5 * fabs(cross_area(p[0], p[1], p[2]));
    if (count > 4)
        return hull_size(p, count).area;
    return 0.25 * ((fabs(cross_area(p[0], p[1], p[2])) + fabs(cross_area(p[0], p[1], p[3]))) +
                   (fabs(cross_area(p[0], p[2], p[3])) + fabs(cross_area(p[1], p[2], p[3]))));
}

static bool is_kept(const Selection *c, int32_t i)
{
    for (int32_t k = 0; k < c->kept; k++)
        if (c->index[k] == i)
            return true;
    return false;
}

static void select_point(Selection *c, int32_t slot, int32_t i)
{
    c->index[slot] = i;
    c->place[slot] = project_point(c, i);
}

/* The point that adds most area (or length) to the hull of those kept; *most: how much. */
static int32_t find_largest_gain(Selection *c, bool by_area, double *most)
{
    double now = by_area ? hull_area(c->place, c->kept) : hull_size(c->place, c->kept).length;
    int32_t best = -1;
    *most = 0.0;
    for (int32_t i = 0; i < c->count; i++) {
        if (is_kept(c, i))
            continue;
        c->place[c->kept] = project_point(c, i);
        double with = by_area ? hull_area(c->place, c->kept + 1) : hull_size(c->place, c->kept + 1).length;
        double gain = with - now;
        if (best < 0 || gain > *most || (gain == *most && precedes(&c->points[i], &c->points[best]))) {
            *most = gain;
            best = i;
        }
    }
    return best;
}

/* Adds the point that adds most. Returns false if none adds anything. */
static bool add_best_point(Selection *c)
{
    double most = 0.0;
    int32_t best = c->kept > 1 ? find_largest_gain(c, true, &most) : -1;
    if (!(most > MIN_GAIN * c->reach * c->reach)) {
        best = find_largest_gain(c, false, &most);
        if (!(most > MIN_GAIN * c->reach))
            return false;
    }
    select_point(c, c->kept, best);
    c->kept++;
    return true;
}

/* Makes the one exchange that adds most area. Returns false if there is none. */
static bool exchange_best_point(Selection *c)
{
    double now = hull_area(c->place, c->kept), most = now + MIN_GAIN * c->reach * c->reach;
    int32_t best_slot = -1, best = -1;
    for (int32_t slot = 1; slot < c->kept; slot++) {
        PlanePoint old = c->place[slot];
        for (int32_t i = 0; i < c->count; i++) {
            if (is_kept(c, i))
                continue;
            c->place[slot] = project_point(c, i);
            double area = hull_area(c->place, c->kept);
            if (area > most || (area == most && best >= 0 && precedes(&c->points[i], &c->points[best]))) {
                most = area;
                best_slot = slot;
                best = i;
            }
        }
        c->place[slot] = old;
    }
    if (best < 0)
        return false;
    select_point(c, best_slot, best);
    return true;
}

static void select_points(Selection *c, int32_t most)
{
    int32_t deepest = 0;
    for (int32_t i = 1; i < c->count; i++)
        if (precedes(&c->points[i], &c->points[deepest]))
            deepest = i;
    RgVec3 n = c->points[deepest].normal;
    c->origin = c->points[deepest].point_a;
    c->t = v3_orthogonal(n);
    c->s = v3_cross(n, c->t);
    for (int32_t i = 0; i < c->count; i++) {
        PlanePoint p = project_point(c, i);
        c->reach = num_max(c->reach, sqrt(p.x * p.x + p.y * p.y));
    }
    select_point(c, 0, deepest);
    c->kept = 1;
    while (c->kept < most && add_best_point(c))
        continue;
    for (int round = 0; round < MAX_EXCHANGES && most <= MAX_KEPT_FOR_EXCHANGE && c->kept > 2; round++)
        if (!exchange_best_point(c))
            break;
}

int32_t rg_manifold_reduce(RgContactPoint *points, int32_t count, int32_t max_points)
{
    if (count <= 0 || max_points <= 0)
        return 0;
    if (count <= max_points)
        return count;
    Selection c = {.points = points, .count = count};
    select_points(&c, max_points < MAX_KEPT ? max_points : MAX_KEPT);

    /* Compact the kept points in their order. */
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++)
        if (is_kept(&c, i))
            points[kept++] = points[i];
    return kept;
}
