/*
 * gait.c - goals of the feet of a gait, as a function of time alone (Pacer's gait generator, papers 000 to 002).
 *
 * Foot i is in stance for the part duty of each period T, from phase touchdown_i on, and swings for the rest. The
 * commanded twist of the base is (v, w): velocity v along its x and y, rate w about its z. In its frame:
 *
 *   a point of the ground moves by       x' = -(v + w x x)
 *   so, complex in the plane, for s on   x(s) = x e^(-iws) - v s E(ws)
 *                                        E(a) = (1 - e^(-ia)) / (ia) = sin a / a - i (1 - cos a) / a
 *   touchdown at                         dest = neutral + step,  T_sw = T (1 - duty)
 *                                        step = (v + w x neutral) T_sw / (2 (1 - duty))
 *   stance                               x(s) from dest, s since touchdown
 *   swing                                clamped cubic spline with knots at thirds of T_sw: p0 = x(T duty), p0 + lift
 *                                        up, dest + lift up + step / 10, dest; the end velocities are those of the
 *                                        ground, so that feet leave and touch it without relative velocity
 *
 * Slopes m1, m2 of the spline at its inner knots, d = T_sw / 3 apart, with continuous second derivatives:
 *   4 m1 + m2 = 3 (y2 - y0) / d - m0,     m1 + 4 m2 = 3 (y3 - y1) / d - m3
 * and cubic Hermite pieces between. The velocity is that of the goal for constant `up`. Duty 1 or more: the feet are
 * always in stance; the goal jumps back to dest at touchdown if the base is to move. Duty 0: always in swing.
 *
 * With initial positions x0 (first) a foot stays at x0 until its first lift, at the phase touchdown + duty of the first
 * period (minus 1 if that is beyond it); this swing is the spline from p0 = x0 at rest, and afterwards the gait is
 * periodic as above.
 */
#include "math/trig.h"
#include "math/vec3.h"

#include <rigor/control.h>

/* rad: below this angle the series of E is exact to round-off. */
#define SMALL_ANGLE 1e-4

/* Phases within this of a whole number count as that number. */
#define PHASE_ROUNDING 1e-12

typedef struct PathPoint {
    RgVec3 x, v;
} PathPoint;

/* Velocity of a ground point at x. */
static RgVec3 ground_velocity(const RgGait *g, RgVec3 x)
{
    return v3(-(g->velocity.x - g->yaw_rate * x.y), -(g->velocity.y + g->yaw_rate * x.x), 0.0);
}

/* Position and velocity of a ground point, s seconds after it is at x. */
static PathPoint ground_path(const RgGait *g, RgVec3 x, double s)
{
    double a = g->yaw_rate * s, sine, cosine;
    rg_sincos(a, &sine, &cosine);
    bool small = fabs(a) < SMALL_ANGLE;
    double along = small ? 1.0 - a * a / 6.0 : sine / a, across = small ? 0.5 * a : (1.0 - cosine) / a;
    RgVec3 u = v3_scale(s, g->velocity);
    PathPoint p;
    p.x = v3(cosine * x.x + sine * x.y - (along * u.x + across * u.y),
             cosine * x.y - sine * x.x - (along * u.y - across * u.x), x.z);
    p.v = ground_velocity(g, p.x);
    return p;
}

/* The clamped spline of one coordinate at s in [0, 3], with knots d apart in time and slopes `ends` at its ends. */
static void spline_at(const double y[4], const double ends[2], double d, double s, double *x, double *v)
{
    double a = 3.0 * (y[2] - y[0]) / d - ends[0], b = 3.0 * (y[3] - y[1]) / d - ends[1];
    const double m[4] = {ends[0], (4.0 * a - b) / 15.0, (4.0 * b - a) / 15.0, ends[1]};
    int k = s < 1.0 ? 0 : s < 2.0 ? 1 : 2;
    double r = s - k, r2 = r * r, r3 = r2 * r, rise = y[k + 1] - y[k];
    *x = y[k] + rise * (3.0 * r2 - 2.0 * r3) + d * (m[k] * (r3 - 2.0 * r2 + r) + m[k + 1] * (r3 - r2));
    *v = rise * 6.0 * (r - r2) / d + m[k] * (3.0 * r2 - 4.0 * r + 1.0) + m[k + 1] * (3.0 * r2 - 2.0 * r);
}

/* The swing of a foot to dest, at s in [0, 3]. */
static PathPoint swing_path(const RgGait *g, PathPoint from, RgVec3 dest, RgVec3 step, RgVec3 up, double s)
{
    double d = g->period * (1.0 - g->duty) / 3.0;
    PathPoint out;
    RgVec3 rise = v3_scale(g->lift, up), end = ground_velocity(g, dest);
    RgVec3 p1 = v3_add(from.x, rise), p2 = v3_axpy(0.1, step, v3_add(dest, rise));
    double *x[3] = {&out.x.x, &out.x.y, &out.x.z}, *v[3] = {&out.v.x, &out.v.y, &out.v.z};
    for (int i = 0; i < 3; i++) {
        const double y[4] = {v3_at(from.x, i), v3_at(p1, i), v3_at(p2, i), v3_at(dest, i)};
        const double ends[2] = {v3_at(from.v, i), v3_at(end, i)};
        spline_at(y, ends, d, s, x[i], v[i]);
    }
    return out;
}

/* Part of the period since touchdown, in [0, 1). */
static double phase_since(const RgGait *g, int foot, double t)
{
    double phase = t / g->period - g->touchdown[foot];
    phase -= floor(phase);
    return phase < 1.0 ? phase : 0.0;
}

/* Periods since the first lift of a foot after t = 0; negative before. */
static double since_first_lift(const RgGait *g, int foot, double t)
{
    double lifted = g->touchdown[foot] + g->duty;
    return t / g->period - (lifted - floor(lifted + PHASE_ROUNDING));
}

/* Goal of a foot. */
static PathPoint foot_path(const RgGait *g, int foot, double t, RgVec3 up, bool *stands)
{
    RgVec3 step = v3_scale(-0.5 * g->period, ground_velocity(g, g->neutral[foot]));
    RgVec3 dest = v3_add(g->neutral[foot], step);
    double swing = 1.0 - g->duty;

    /* Initial phase, until the end of the first swing. */
    double first = since_first_lift(g, foot, t);
    if (g->first != NULL && first < swing) {
        PathPoint from = {g->first[foot], v3_zero()};
        *stands = first < 0.0;
        return *stands ? from : swing_path(g, from, dest, step, up, 3.0 * first / swing);
    }

    double phase = phase_since(g, foot, t);
    *stands = phase < g->duty;
    if (*stands)
        return ground_path(g, dest, phase * g->period);
    PathPoint from = ground_path(g, dest, g->period * g->duty);
    return swing_path(g, from, dest, step, up, 3.0 * (phase - g->duty) / swing);
}

void rg_gait_at(const RgGait *gait, double t, RgVec3 up, RgVec3 *goal, RgVec3 *velocity, bool *stance)
{
    for (int i = 0; i < gait->nfeet; i++) {
        bool stands;
        PathPoint p = foot_path(gait, i, t, up, &stands);
        if (goal != NULL)
            goal[i] = p.x;
        if (velocity != NULL)
            velocity[i] = p.v;
        if (stance != NULL)
            stance[i] = stands;
    }
}
