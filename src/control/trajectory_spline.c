/*
 * trajectory_spline.c - C2 cubic spline through knots (t_i, y_i), represented by the slopes m_i at the knots.
 *
 * Between knots, with d = t_{i+1} - t_i, s = (t - t_i) / d, it is the cubic Hermite interpolant. Its second derivative
 * at t_i is continuous if (de Boor, A Practical Guide to Splines, 1978, chapter IV)
 *
 *   d_i m_{i-1} + 2 (d_{i-1} + d_i) m_i + d_{i-1} m_{i+1} = 3 (d_i s_{i-1} + d_{i-1} s_i)
 *   s_i = (y_{i+1} - y_i) / d_i
 *
 * with d_{i-1}, d_i the lengths before and after the knot. At the ends
 *
 *   clamped: m given        natural: 2 m_0 + m_1 = 3 s_0, m_{n-2} + 2 m_{n-1} = 3 s_{n-2}
 *   periodic: the row of an inner knot, with its neighbours across the seam
 *
 * The matrix is diagonally dominant: elimination without pivoting is stable. The two corner entries of the periodic
 * case are treated as a rank-one update (Sherman, Morrison). All axes share the matrix. Before the first knot and after
 * the last the position of the end is held. Refused: times that do not increase, periodic knots that do not close.
 */
#include "control/trajectory_table.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

/* Relative difference allowed between the first and last values of a periodic table. */
#define CLOSURE_TOLERANCE 1e-9

/* Rows lower x_{i-1} + diagonal x_i + upper x_{i+1}, eliminated in place; corner: u of the periodic rank-one update. */
typedef struct Band {
    int n;
    double *lower, *diagonal, *upper, *corner;
} Band;

static void eliminate(Band *band)
{
    for (int i = 1; i < band->n; i++) {
        band->lower[i] /= band->diagonal[i - 1];
        band->diagonal[i] -= band->lower[i] * band->upper[i - 1];
    }
}

static void solve(const Band *band, double *x, int stride)
{
    int n = band->n;
    for (int i = 1; i < n; i++)
        x[i * stride] -= band->lower[i] * x[(i - 1) * stride];
    x[(n - 1) * stride] /= band->diagonal[n - 1];
    for (int i = n - 2; i >= 0; i--)
        x[i * stride] = (x[i * stride] - band->upper[i] * x[(i + 1) * stride]) / band->diagonal[i];
}

static bool alloc_band(RgArena *arena, Band *band, int n)
{
    band->n = n;
    band->lower = RG_ARENA_ALLOC(arena, double, n);
    band->diagonal = RG_ARENA_ALLOC(arena, double, n);
    band->upper = RG_ARENA_ALLOC(arena, double, n);
    band->corner = RG_ARENA_ALLOC(arena, double, n);
    return !arena->failed;
}

/* Length of the interval after knot i, and mean slope in it; i = -1 of periodic tables is the last interval. */
static double length_after(const RgTrajectory *s, int i)
{
    int at = i < 0 ? s->nknots - 2 : i;
    return s->times[at + 1] - s->times[at];
}

static double slope_after(const RgTrajectory *s, int i, int axis)
{
    int at = i < 0 ? s->nknots - 2 : i;
    const double *y = s->values + (size_t)at * (size_t)s->naxes + axis;
    return (y[s->naxes] - y[0]) / length_after(s, at);
}

/* Sets the row of a knot with neighbours on both sides. */
static void inner_row(RgTrajectory *s, Band *band, int i)
{
    double before = length_after(s, i - 1), after = length_after(s, i);
    band->lower[i] = after;
    band->diagonal[i] = 2.0 * (before + after);
    band->upper[i] = before;
    for (int k = 0; k < s->naxes; k++)
        s->slope[i * s->naxes + k] = 3.0 * (after * slope_after(s, i - 1, k) + before * slope_after(s, i, k));
}

/* Sets the rows of clamped or natural ends. */
static void end_rows(RgTrajectory *s, Band *band, const RgTrajectoryDef *def)
{
    int last = s->nknots - 1, n = s->naxes;
    band->diagonal[0] = band->diagonal[last] = def->natural ? 2.0 : 1.0;
    band->upper[0] = band->lower[last] = def->natural ? 1.0 : 0.0;
    for (int k = 0; k < n; k++) {
        double start = def->start_velocity != NULL ? def->start_velocity[k] : 0.0;
        double end = def->end_velocity != NULL ? def->end_velocity[k] : 0.0;
        s->slope[k] = def->natural ? 3.0 * slope_after(s, 0, k) : start;
        s->slope[last * n + k] = def->natural ? 3.0 * slope_after(s, last - 1, k) : end;
    }
}

static void open_slopes(RgTrajectory *s, Band *band, const RgTrajectoryDef *def)
{
    for (int i = 1; i + 1 < s->nknots; i++)
        inner_row(s, band, i);
    end_rows(s, band, def);
    eliminate(band);
    for (int k = 0; k < s->naxes; k++)
        solve(band, s->slope + k, s->naxes);
}

/* Periodic slopes of knots 0 ... n - 1: A = band + u w' with u = (g, 0 ... 0, upper), w = (1, 0 ... 0, lower / g),
   g = -diagonal. */
static void closed_slopes(RgTrajectory *s, Band *band)
{
    int n = band->n, axes = s->naxes;
    for (int i = 0; i < n; i++)
        inner_row(s, band, i);
    double below = band->lower[0], above = band->upper[n - 1], g = -band->diagonal[0];
    band->diagonal[0] -= g;
    band->diagonal[n - 1] -= above * below / g;
    memset(band->corner, 0, (size_t)n * sizeof *band->corner);
    band->corner[0] = g;
    band->corner[n - 1] += above;
    eliminate(band);
    solve(band, band->corner, 1);
    double share = below / g, denominator = 1.0 + band->corner[0] + share * band->corner[n - 1];
    for (int k = 0; k < axes; k++) {
        double *x = s->slope + k;
        solve(band, x, axes);
        double factor = (x[0] + share * x[(n - 1) * axes]) / denominator;
        for (int i = 0; i < n; i++)
            x[i * axes] -= factor * band->corner[i];
        x[n * axes] = x[0];
    }
}

static RgStatus check_periodic(const RgTrajectory *s, const RgTrajectoryDef *def, RgError *error)
{
    if (s->nknots < 3)
        return rg_fail(error, RG_ERR_ARGUMENT, def->file, 0, "trajectory: a periodic spline needs 3 knots, not %d",
                       s->nknots);
    for (int k = 0; k < s->naxes; k++) {
        double first = s->values[k], last = s->values[(s->nknots - 1) * s->naxes + k];
        if (fabs(first - last) > CLOSURE_TOLERANCE * (1.0 + fabs(first)))
            return rg_fail(error, RG_ERR_ARGUMENT, def->file, 0,
                           "trajectory: axis %d of a periodic spline ends at %g, not at %g where it began", k + 1, last,
                           first);
    }
    if (def->natural || def->start_velocity != NULL || def->end_velocity != NULL)
        return rg_fail(error, RG_ERR_ARGUMENT, def->file, 0,
                       "trajectory: a periodic spline has no ends: neither natural nor velocities there");
    return RG_OK;
}

static RgStatus check_ends(const RgTrajectory *s, const RgTrajectoryDef *def, RgError *error)
{
    if (def->natural && (def->start_velocity != NULL || def->end_velocity != NULL))
        return rg_fail(error, RG_ERR_ARGUMENT, def->file, 0,
                       "trajectory: a natural spline takes no velocities at its ends");
    for (int k = 0; k < s->naxes; k++)
        if ((def->start_velocity != NULL && !isfinite(def->start_velocity[k])) ||
            (def->end_velocity != NULL && !isfinite(def->end_velocity[k])))
            return rg_fail(error, RG_ERR_NOT_FINITE, def->file, 0,
                           "trajectory: end velocity of axis %d is not a finite number", k + 1);
    return RG_OK;
}

/* Whether rg_spline_at cannot overflow between knots i and i + 1: checks an upper bound of all intermediate values. */
static bool bounded_between(const RgTrajectory *s, int i)
{
    double d = length_after(s, i), bound = 0.0;
    for (int k = i * s->naxes; k < (i + 1) * s->naxes; k++)
        bound = fmax(bound, fabs(s->values[k]) + fabs(s->values[k + s->naxes]) +
                                d * (fabs(s->slope[k]) + fabs(s->slope[k + s->naxes])));
    bool known = true; /* fmax ignores NaN */
    for (int k = i * s->naxes; k < (i + 2) * s->naxes; k++)
        known = known && isfinite(s->slope[k]);
    return known && isfinite(20.0 * bound) && isfinite(20.0 * bound / (d * d));
}

RgStatus rg_spline_fill(RgTrajectory *s, const RgTrajectoryDef *def, RgError *error)
{
    s->periodic = def->periodic;
    RgStatus status = def->periodic ? check_periodic(s, def, error) : check_ends(s, def, error);
    if (status != RG_OK)
        return status;
    Band band;
    s->slope = RG_ARENA_ALLOC(&s->arena, double, (size_t)s->nknots *(size_t)s->naxes);
    if (!alloc_band(&s->arena, &band, def->periodic ? s->nknots - 1 : s->nknots))
        return rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory");
    if (def->periodic)
        closed_slopes(s, &band);
    else if (s->nknots > 1)
        open_slopes(s, &band, def);
    for (int i = 0; i + 1 < s->nknots; i++)
        if (!bounded_between(s, i))
            return rg_fail(error, RG_ERR_NOT_FINITE, def->file, 0,
                           "trajectory: knots too near in time or too far in value for a spline");
    return RG_OK;
}

/* ------------------------------------------------------------------ evaluation */

/* The interval that contains t: index of the last knot at or before it, at most nknots - 2. */
static int find_interval(const RgTrajectory *s, double t)
{
    int low = 0, high = s->nknots - 1;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (s->times[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static RgReference hermite(double s, double d, const double y[2], const double m[2])
{
    double u = 1.0 - s, rise = y[1] - y[0];
    double a = d * m[0] - rise, b = rise - d * m[1];
    return (RgReference){.position = u * y[0] + s * y[1] + s * u * (u * a + s * b),
                         .velocity = (rise + (1.0 - 2.0 * s) * (u * a + s * b) + s * u * (b - a)) / d,
                         .acceleration = 2.0 * (b - 2.0 * a + 3.0 * s * (a - b)) / (d * d)};
}

static void hold_knot(const RgTrajectory *s, int knot, RgReference *out)
{
    for (int k = 0; k < s->naxes; k++)
        out[k] = (RgReference){.position = s->values[knot * s->naxes + k]};
}

void rg_spline_at(const RgTrajectory *s, double t, RgReference *out)
{
    double first = s->times[0], last = s->times[s->nknots - 1];
    if (s->periodic) {
        double period = last - first;
        t -= period * floor((t - first) / period);
        t = fmin(fmax(t, first), last);
    }
    if (t < first || s->nknots == 1) {
        hold_knot(s, 0, out);
        return;
    }
    if (t > last) {
        hold_knot(s, s->nknots - 1, out);
        return;
    }
    int i = find_interval(s, t), n = s->naxes;
    double d = s->times[i + 1] - s->times[i], part = (t - s->times[i]) / d;
    for (int k = 0; k < n; k++) {
        const double *at = s->values + (size_t)i * (size_t)n + k, *rate = s->slope + (size_t)i * (size_t)n + k;
        out[k] = hermite(part, d, (double[2]){at[0], at[n]}, (double[2]){rate[0], rate[n]});
    }
}

static RgStatus spline_fill(RgTrajectory *s, const RgTrajectoryDef *def, RgError *error)
{
    if (def->nknots < 1 || def->times == NULL || def->values == NULL)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "a spline needs knots: times, and values of every axis");
    s->nknots = def->nknots;
    s->times = rg_trajectory_copy(s, def->times, def->nknots, "time", error);
    if (s->times != NULL)
        s->values = rg_trajectory_copy(s, def->values, def->nknots * def->naxes, "value", error);
    if (s->times == NULL || s->values == NULL)
        return RG_ERR_ARGUMENT;
    for (int i = 1; i < s->nknots; i++)
        if (!(s->times[i] > s->times[i - 1]))
            return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                           "trajectory: times must rise, but knot %d is at %g s after one at %g s", i + 1, s->times[i],
                           s->times[i - 1]);
    return rg_spline_fill(s, def, error);
}

const RgTrajectoryKind rg_trajectory_spline_kind = {.name = "spline",
                                                    .summary = "C2 cubic through knots: clamped, natural or periodic",
                                                    .fill = spline_fill,
                                                    .at = rg_spline_at};
