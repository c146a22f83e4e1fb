/*
 * manifold_reduce.c - a few of many contact points that hold a body nearly as well as all.
 *
 * Forces at the corners of the convex hull of the points, in the contact plane, can do all that forces at
 * all points can; the larger the hull of those kept, the more of it is left. Kept are the deepest point,
 * then one after another the point that adds most area to the hull of those kept (or length, while there is
 * no area); at last single points are exchanged for others while that adds area (the deepest stays). Points
 * that add nothing are not kept.
 *
 * Equal points are told apart by depth, id and place, so that the order in which they come does not matter.
 *
 * Cost: O(count k^2) for k kept of count. Worst area seen, four kept of random points: see
 * test_manifold_reduce.c.
 */
#include "math/vec3.h"

#include <rigor/collision.h>

/* Most points that are kept where any is left out. */
#define MOST_KEPT 64

/* Up to here points are exchanged: more keep nearly everything anyway. */
#define MOST_EXCHANGED 8
#define EXCHANGE_ROUNDS 16

/* Gain, as a part of the largest square (or length) there is, that is more than round-off. */
#define LEAST_GAIN 1e-12

typedef struct Place {
    double x, y;
} Place;

/* The points, and those kept so far. */
typedef struct Choice {
    const RgContactPoint *points;
    int32_t count;
    RgVec3 origin, t, s;
    double reach; /* m, of the farthest point from the deepest */
    int32_t kept;
    int32_t index[MOST_KEPT];
    Place place[MOST_KEPT];
} Choice;

typedef struct Measure {
    double area, length;
} Measure;

static int compare(double a, double b)
{
    return a < b ? -1 : a > b;
}

/* Deeper first; then by id, then by place. */
static bool before(const RgContactPoint *a, const RgContactPoint *b)
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

static Place place_of(const Choice *c, int32_t i)
{
    RgVec3 r = v3_sub(c->points[i].point_a, c->origin);
    return (Place){v3_dot(r, c->t), v3_dot(r, c->s)};
}

static double turn(Place a, Place b, Place c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* One half of the hull of sorted places: what it adds to twice the area and to the length. */
static Measure half_hull(const Place *p, int32_t count, int32_t step)
{
    Place chain[MOST_KEPT + 1];
    int32_t length = 0;
    for (int32_t k = 0; k < count; k++) {
        Place next = p[step > 0 ? k : count - 1 - k];
        while (length >= 2 && turn(chain[length - 2], chain[length - 1], next) <= 0.0)
            length--;
        chain[length++] = next;
    }
    Measure m = {0.0, 0.0};
    for (int32_t k = 0; k + 1 < length; k++) {
        double dx = chain[k + 1].x - chain[k].x, dy = chain[k + 1].y - chain[k].y;
        m.area += chain[k].x * chain[k + 1].y - chain[k].y * chain[k + 1].x;
        m.length += sqrt(dx * dx + dy * dy);
    }
    return m;
}

/* Area and length of the hull of places, whatever their order. */
static Measure hull_measure(const Place *place, int32_t count)
{
    Place p[MOST_KEPT + 1];
    for (int32_t i = 0; i < count; i++) {
        int32_t j = i;
        for (; j > 0 && (place[i].x < p[j - 1].x || (place[i].x == p[j - 1].x && place[i].y < p[j - 1].y)); j--)
            p[j] = p[j - 1];
        p[j] = place[i];
    }
    Measure low = half_hull(p, count, 1), high = half_hull(p, count, -1);
    return (Measure){0.5 * (low.area + high.area), low.length + high.length};
}

/* Area of the hull. Of four places the four triangles cover it twice, one within the others or not. */
static double hull_area(const Place *p, int32_t count)
{
    if (count < 3)
        return 0.0;
    if (count == 3)
        return 0.5 * fabs(turn(p[0], p[1], p[2]));
    if (count > 4)
        return hull_measure(p, count).area;
    return 0.25 * ((fabs(turn(p[0], p[1], p[2])) + fabs(turn(p[0], p[1], p[3]))) +
                   (fabs(turn(p[0], p[2], p[3])) + fabs(turn(p[1], p[2], p[3]))));
}

static bool is_kept(const Choice *c, int32_t i)
{
    for (int32_t k = 0; k < c->kept; k++)
        if (c->index[k] == i)
            return true;
    return false;
}

static void keep(Choice *c, int32_t slot, int32_t i)
{
    c->index[slot] = i;
    c->place[slot] = place_of(c, i);
}

/* The point that adds most area to the hull of those kept, or length; *most: how much. */
static int32_t find_most(Choice *c, bool by_area, double *most)
{
    double now = by_area ? hull_area(c->place, c->kept) : hull_measure(c->place, c->kept).length;
    int32_t best = -1;
    *most = 0.0;
    for (int32_t i = 0; i < c->count; i++) {
        if (is_kept(c, i))
            continue;
        c->place[c->kept] = place_of(c, i);
        double with = by_area ? hull_area(c->place, c->kept + 1) : hull_measure(c->place, c->kept + 1).length;
        double gain = with - now;
        if (best < 0 || gain > *most || (gain == *most && before(&c->points[i], &c->points[best]))) {
            *most = gain;
            best = i;
        }
    }
    return best;
}

/* Adds the point that adds most; false where none adds anything. */
static bool grow(Choice *c)
{
    double most = 0.0;
    int32_t best = c->kept > 1 ? find_most(c, true, &most) : -1;
    if (!(most > LEAST_GAIN * c->reach * c->reach)) {
        best = find_most(c, false, &most);
        if (!(most > LEAST_GAIN * c->reach))
            return false;
    }
    keep(c, c->kept, best);
    c->kept++;
    return true;
}

/* Makes the one exchange that adds most area; false where none does. */
static bool exchange(Choice *c)
{
    double now = hull_area(c->place, c->kept), most = now + LEAST_GAIN * c->reach * c->reach;
    int32_t best_slot = -1, best = -1;
    for (int32_t slot = 1; slot < c->kept; slot++) {
        Place old = c->place[slot];
        for (int32_t i = 0; i < c->count; i++) {
            if (is_kept(c, i))
                continue;
            c->place[slot] = place_of(c, i);
            double area = hull_area(c->place, c->kept);
            if (area > most || (area == most && best >= 0 && before(&c->points[i], &c->points[best]))) {
                most = area;
                best_slot = slot;
                best = i;
            }
        }
        c->place[slot] = old;
    }
    if (best < 0)
        return false;
    keep(c, best_slot, best);
    return true;
}

static void choose(Choice *c, int32_t most)
{
    int32_t deepest = 0;
    for (int32_t i = 1; i < c->count; i++)
        if (before(&c->points[i], &c->points[deepest]))
            deepest = i;
    RgVec3 n = c->points[deepest].normal;
    c->origin = c->points[deepest].point_a;
    c->t = v3_across(n);
    c->s = v3_cross(n, c->t);
    for (int32_t i = 0; i < c->count; i++) {
        Place p = place_of(c, i);
        c->reach = num_max(c->reach, sqrt(p.x * p.x + p.y * p.y));
    }
    keep(c, 0, deepest);
    c->kept = 1;
    while (c->kept < most && grow(c))
        continue;
    for (int round = 0; round < EXCHANGE_ROUNDS && most <= MOST_EXCHANGED && c->kept > 2; round++)
        if (!exchange(c))
            break;
}

int32_t rg_manifold_reduce(RgContactPoint *points, int32_t count, int32_t max_points)
{
    if (count <= 0 || max_points <= 0)
        return 0;
    if (count <= max_points)
        return count;
    Choice c = {.points = points, .count = count};
    choose(&c, max_points < MOST_KEPT ? max_points : MOST_KEPT);

    /* In their order to the front. */
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++)
        if (is_kept(&c, i))
            points[kept++] = points[i];
    return kept;
}
