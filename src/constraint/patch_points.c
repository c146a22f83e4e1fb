/*
 * patch_points.c - selection of the points of a manifold that a contact patch uses: all, the two ends of a line, or
 * one.
 *
 * If the points lie on a line in (place in the contact plane, gap), velocity and gap at a point between the ends follow
 * from those at the ends, so the ends alone have the same solution. All points are projected onto the contact plane
 * first: points that are not collinear in space may be collinear in the plane.
 *
 *   p_i = (1 - n n') (x_i - x_0)          L: largest |p_i - p_j|, its points are the ends
 *   width_i = |(p_i - p_a) x n . (p_b - p_a)| / L,       sag_i = g_i - (1 - s_i) g_a - s_i g_b
 *
 *   L ~ 0                                          one place: the deepest point
 *   width_i, |sag_i| <= LINE_TOLERANCE L for all   a line: its ends
 *   otherwise                                      all points
 *
 * The gap of two convex bodies is a convex function of the place, so points between the ends of a line are the deepest
 * ones: a line whose gaps are not linear keeps all its points. Solvers must not invert the points' second moments then:
 * `quick` visits points on a line, or nearly on one, one after another (RG_PATCH_CONDITION,
 * solver/quick/quick_lanes.h).
 */
#include "constraint/patch_points.h"

#include "math/unit.h"

/* Parts of the length by which points between the ends may be off the line, sideways and in their gaps: 0.1 um for 0.1
   m, far less than the overlap that a solver leaves. */
#define LINE_TOLERANCE 1e-6
/* Squared sine above which three points are not collinear, whatever the fourth. It only skips the exact test. */
#define SPANNING_SINE2 1e-4
/* Points nearer than this part of their distance from the origin (at least of 1 m) coincide: the difference is
   round-off. */
#define COINCIDENT_DISTANCE 1e-12

/* Whether the first three points clearly span the plane. Their distances in space are at least those in the plane. */
static bool spans_plane(const RgVec3 *x, RgVec3 n)
{
    RgVec3 a = v3_sub(x[1], x[0]), b = v3_sub(x[2], x[0]);
    double across = v3_dot(n, v3_cross(a, b)), longest2 = d_max(v3_norm2(a), v3_norm2(b));
    return across * across > SPANNING_SINE2 * (longest2 * longest2);
}

/* Finds the two points that are farthest apart. Returns their squared distance. */
static double farthest_two(const RgVec3 *p, int count, int ends[2])
{
    double most = -1.0;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            double far = v3_norm2(v3_sub(p[j], p[i]));
            if (far > most) {
                most = far;
                ends[0] = i;
                ends[1] = j;
            }
        }
    return most;
}

/* Whether all points lie on the line of the ends, in the plane and in their gaps. */
static bool is_line(const RgVec3 *p, const double *gap, int count, const int ends[2], RgVec3 n)
{
    RgVec3 line = v3_sub(p[ends[1]], p[ends[0]]);
    double length2 = v3_norm2(line), bend = LINE_TOLERANCE * sqrt(length2);
    for (int i = 0; i < count; i++) {
        RgVec3 d = v3_sub(p[i], p[ends[0]]);
        double across = v3_dot(n, v3_cross(d, line)), s = v3_dot(d, line) / length2;
        double sag = gap[i] - gap[ends[0]] - s * (gap[ends[1]] - gap[ends[0]]);
        if (fabs(across) > LINE_TOLERANCE * length2 || fabs(sag) > bend)
            return false;
    }
    return true;
}

static int deepest(const double *gap, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        best = gap[i] < gap[best] ? i : best;
    return best;
}

int rg_patch_points(const RgVec3 *x, const double *gap, int count, RgVec3 n, int chosen[RG_PATCH_POINTS])
{
    RgVec3 p[RG_PATCH_POINTS];
    int ends[2] = {0, 1};
    for (int i = 0; i < count; i++)
        chosen[i] = i;
    if (count == 1 || (count > 2 && spans_plane(x, n)))
        return count;

    for (int i = 0; i < count; i++) {
        RgVec3 d = v3_sub(x[i], x[0]);
        p[i] = v3_axpy(-v3_dot(d, n), n, d);
    }
    double length2 = farthest_two(p, count, ends);
    if (!(length2 > COINCIDENT_DISTANCE * COINCIDENT_DISTANCE * (1.0 + v3_norm2(x[0])))) {
        chosen[0] = deepest(gap, count);
        return 1;
    }
    if (count > 2 && !is_line(p, gap, count, ends, n))
        return count;
    chosen[0] = ends[0];
    chosen[1] = ends[1];
    return 2;
}
