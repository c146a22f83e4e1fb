/*
 * impact_plane.c - a lower bound of the distance of two moving convex shapes, and a step that never passes its root.
 *
 * For any motion of a unit normal n(s),
 *   g(s) = min_b n(s).b(s) - max_a n(s).a(s)
 * is at most the distance of the two shapes: while g > level their distance exceeds level. Let the normal rotate at a
 * constant angular velocity W, n(s) = exp(s W) n, and the shapes with w_A, w_B about centres with difference D = c_B -
 * c_A and relative velocity V. For a pair of points at rho_a, rho_b from their centres
 *   g_ab(s)  = n.(D + V s) + n.rho_b - n.rho_a
 *   g_ab'(0) = n.V + (W x n).D + ((W - w_B) x n).rho_b - ((W - w_A) x n).rho_a
 *   |g_ab''| <= K = |W| |W x n| |D| + 2 |W x n| |V| + sum over A, B of r (|u| |u x n| + |W x w|)
 * with u = W - w, since in the axes of a rotating shape n' = u x n and n'' = u x (u x n) + (u x w) x n. In K, |D| and
 * |u x n| are their largest values within the window: |D| grows by |V| s, |u x n| by |u| |W x n| s. So
 *   g(s) >= h(s) = min over a, b of ( g_ab(0) + s g_ab'(0) ) - K s^2/2
 * The minimum is one support query along n + s u x n per shape: no loop over pairs. h is concave and h(0) > level. Its
 * first root is approached from above by the roots of single pairs (each pair's parabola lies above h); after MAX_CUTS
 * of them the root of the chord from 0 to the last one, which lies below h, is used. If the shapes rotate fast compared
 * with their distance, the bound of g' gives a longer step; the longer of the two steps is taken.
 *
 * The end of the step is before every root of g and of the distance. Near a root the step is Newton's, less K s^2/2.
 */
#include "collision/impact_plane.h"

/* Roots of single pairs tried before the chord is used. */
#define MAX_CUTS 4

/* Windows tried: the first is the whole remaining time, each next one twice the step found with the last one. */
#define MAX_WINDOWS 3

/* Errors of a gap in units of 2^-52 of the numbers it is made of: sine, cosine, two products of matrices, a support
   query and four dot products, each with at most two of them; and the motion to t, rounded twice. */
#define GAP_ULPS 8.0

/* Relative margin on K and on the bound of g' for their own round-off. */
#define BOUND_ROUND_OFF 1e-13

RgSweptShape rg_swept_shape(const RgSweep *sweep, const RgShape *shape)
{
    RgVec3 c = rg_sweep_centre(sweep);
    RgSweptShape m = {.sweep = sweep, .shape = shape};
    m.rounding = rg_shape_rounding(shape);
    m.reach = rg_core_reach(sweep->geometry, shape, c);
    m.extent = 2.0 * v3_norm(c) + m.reach + m.rounding;
    return m;
}

RgPairAtTime rg_pair_at_time(const RgSweptShape *a, const RgSweptShape *b, double t)
{
    RgPairAtTime pair = {.t = t};
    pair.a = (RgShapeAtTime){a, rg_sweep_rotation(a->sweep, t), -1};
    pair.b = (RgShapeAtTime){b, rg_sweep_rotation(b->sweep, t), -1};
    pair.apart = rg_sweep_separation(a->sweep, b->sweep, t);
    pair.rate = v3_sub(b->sweep->V.v, a->sweep->V.v);
    double size = v3_norm(pair.apart) + fabs(t) * v3_norm(pair.rate) +
                  a->extent * (1.0 + fabs(t) * v3_norm(a->sweep->V.w)) +
                  b->extent * (1.0 + fabs(t) * v3_norm(b->sweep->V.w));
    pair.round_off = GAP_ULPS * 0x1p-52 * size;
    return pair;
}

/* Support point of the core along d, relative to the centre of rotation. A half-space is represented by its origin: it
   is used with its own plane only. */
static RgVec3 support_from_centre(RgShapeAtTime *moved, RgVec3 d)
{
    const RgShape *shape = moved->m->shape;
    if (rg_shape_kind(shape->type)->support == NULL)
        return moved->turned.arm;
    RgVec3 x = rg_core_support(shape, m3_apply_t(moved->turned.R, d), &moved->vertex);
    return v3_add(m3_apply(moved->turned.R, x), moved->turned.arm);
}

/* Gap at s = 0 and rate, by their rates, of the pair of points that is nearest s seconds from now. */
static RgPlaneGap tangent_at(RgPairAtTime *pair, const RgTurningPlane *plane, double s)
{
    RgVec3 turn_a = v3_cross(v3_sub(plane->w, pair->a.m->sweep->V.w), plane->n);
    RgVec3 turn_b = v3_cross(v3_sub(plane->w, pair->b.m->sweep->V.w), plane->n);
    RgVec3 a = support_from_centre(&pair->a, v3_axpy(s, turn_a, plane->n));
    RgVec3 b = support_from_centre(&pair->b, v3_neg(v3_axpy(s, turn_b, plane->n)));
    RgVec3 between = v3_add(pair->apart, v3_sub(b, a));
    double carried = v3_dot(v3_cross(plane->w, plane->n), pair->apart);
    return (RgPlaneGap){v3_dot(plane->n, between),
                        v3_dot(plane->n, pair->rate) + carried + v3_dot(turn_b, b) - v3_dot(turn_a, a)};
}

RgPlaneGap rg_plane_gap(RgPairAtTime *pair, const RgTurningPlane *plane)
{
    return tangent_at(pair, plane, 0.0);
}

RgPlaneBounds rg_plane_bounds(const RgPairAtTime *pair, const RgTurningPlane *plane, double window)
{
    double speed = v3_norm(pair->rate), turn = v3_norm(v3_cross(plane->w, plane->n));
    double far = v3_norm(pair->apart) + speed * window;
    double closing = fmin(speed, turn * window * speed - v3_dot(plane->n, pair->rate));
    RgPlaneBounds out = {.fall = closing + turn * far,
                         .bend = turn * (v3_norm(plane->w) * far + 2.0 * speed),
                         .window = window,
                         .grows = turn > 0.0};
    const RgSweptShape *shapes[2] = {pair->a.m, pair->b.m};
    for (int i = 0; i < 2; i++) {
        RgVec3 w = shapes[i]->sweep->V.w, u = v3_sub(plane->w, w);
        double most = v3_norm(u), across = fmin(most, v3_norm(v3_cross(u, plane->n)) + most * turn * window);
        out.fall += shapes[i]->reach * across;
        out.bend += shapes[i]->reach * (most * across + v3_norm(v3_cross(plane->w, w)));
    }
    out.fall += BOUND_ROUND_OFF * fabs(out.fall);
    out.bend += BOUND_ROUND_OFF * out.bend;
    return out;
}

/* First root of gap + rate s - bend s^2/2, gap > 0; infinite if there is none. */
static double first_root(double gap, double rate, double bend)
{
    double root = sqrt(rate * rate + 2.0 * bend * gap);
    if (rate < 0.0)
        return 2.0 * gap / (root - rate);
    return bend > 0.0 ? (rate + root) / bend : (double)INFINITY;
}

/* First root of the concave h above level, or a smaller value; at most window. */
static double concave_step(RgPairAtTime *pair, const RgTurningPlane *plane, RgPlaneGap now, double level,
                           RgPlaneBounds bounds)
{
    double above = now.gap - level, bend = bounds.bend;
    double s = fmin(bounds.window, first_root(above, now.rate, bend));
    for (int i = 0; i < MAX_CUTS; i++) {
        RgPlaneGap line = tangent_at(pair, plane, s);
        double h = line.gap - level + s * line.rate - 0.5 * bend * s * s;
        if (h >= 0.0)
            return s;
        double shorter = first_root(fmax(line.gap - level, above), line.rate, bend);
        if (!(shorter < s) || i == MAX_CUTS - 1)
            return s * (above / (above - h));
        s = shorter;
    }
    return 0.0;
}

static double rate_bound_step(RgPlaneGap now, double level, RgPlaneBounds bounds)
{
    return bounds.fall > 0.0 ? fmin(bounds.window, (now.gap - level) / bounds.fall) : bounds.window;
}

/* Chooses a shorter window, if the bounds improve with it. Returns false if no shorter window is useful. */
static bool next_window(double best, RgPlaneBounds bounds, double *window)
{
    if (!bounds.grows || !(*window > 4.0 * best))
        return false;
    *window = 2.0 * best;
    return true;
}

/* Largest step of several windows; sampled: the pair for the steps by samples of the gap, NULL: without these. */
static double largest_step(const RgPairAtTime *pair, RgPairAtTime *sampled, const RgTurningPlane *plane, RgPlaneGap now,
                           double level, double window)
{
    double best = 0.0;
    if (!(now.gap > level))
        return 0.0;
    for (int i = 0; i < MAX_WINDOWS; i++) {
        RgPlaneBounds bounds = rg_plane_bounds(pair, plane, window);
        best = fmax(best, rate_bound_step(now, level, bounds));
        if (sampled != NULL)
            best = fmax(best, concave_step(sampled, plane, now, level, bounds));
        if (!next_window(best, bounds, &window))
            break;
    }
    return best;
}

double rg_plane_step(RgPairAtTime *pair, const RgTurningPlane *plane, RgPlaneGap now, double level, double window)
{
    return largest_step(pair, pair, plane, now, level, window);
}

double rg_plane_conservative_step(const RgPairAtTime *pair, const RgTurningPlane *plane, RgPlaneGap now, double level,
                                  double window)
{
    return largest_step(pair, NULL, plane, now, level, window);
}
