/*
 * quick_guard.c - energy guard of solver `quick`: scales back impulses of an island that add energy beyond the work of
 * the targets, by the bound of energy_guard.c.
 *
 * Masses are not available here, but responses are. With V0 the velocities after z0, V those after z = z0 + x, and J
 * the velocity along each impulse, the impulses change the kinetic energy by T - T0 = 1/2 x'J (V + V0). Hence
 *
 *   x'w0 = x'(J V0 - target + C z0)        b = x'J (V - V0) + x'C x        Q = x'w0 + b/2
 *
 * Targets of patches may be out of reach: overlapping shapes that joints hold in place, or a body wedged between two
 * walls. Then impulses grow from sweep to sweep, and so does their work x'target, which the bound above allows. But
 * targets t_i can require no more than that bodies move at these speeds. So a second bound is
 *
 *   T - T0 - (work of motors) <= MAX_GAIN sum of m_i t_i^2 / 2 over t_i > 0
 *
 * m_i the mass of the lighter side of patch i, or the effective mass at an end stop of a joint. Otherwise x becomes f x
 * with the f that reaches the bound, or 0 if the impulses are so large that their sum is round-off. This is reported to
 * the caller, which may solve again without such targets (view_patches.c).
 *
 * A patch has z0 = 0; its terms are W y0 and W (y - y0), W the wrench of its impulses and y its velocity at the mean.
 * Merged single-contact bodies (islands.h) are one island here too. Cost: one evaluation of every patch and row.
 */
#include "solver/quick/quick_work.h"

#include <math.h>

/* Round-off, as a part of the work of the targets and of x'J V0. */
#define ROUND_OFF 1e-8

/* Largest energy gain, as a multiple of the kinetic energy of the adjacent masses at the target speeds: bodies also
   rotate, and move others with them. Boxes in a heap reach 5. Smaller for an island that has not converged. */
#define MAX_GAIN 100.0
#define MAX_GAIN_UNFINISHED 4.0
/* With a smaller factor the impulses are set to zero. */
#define MIN_SCALE 1e-2

typedef struct Sums {
    double a, b, absorbed, scale; /* as in energy_guard.c */
    double target_work;           /* x'target */
    double by_rows;               /* sum of max(x_i target_i, 0) over rows that are not end stops */
    double attainable;            /* J: sum of m_i t_i^2 / 2 of patches and end stops */
} Sums;

/* Mass of the lighter side; for an articulation its total mass. Infinite: not known. */
static double lighter_side_mass(const RgPatchProblem *p, const RgPatch *patch)
{
    double least = (double)INFINITY;
    for (int side = 0; side < 2; side++) {
        const RgSolverBody *m = &p->movers[patch->mover[side]];
        double mass = m->group >= 0 ? p->groups[m->group].mass : m->inverse_mass > 0.0 ? 1.0 / m->inverse_mass : 0.0;
        least = mass > 0.0 && mass < least ? mass : least;
    }
    return least;
}

static double nearest_to_zero(const RgPatchRow *row)
{
    return row->patch >= 0 ? 0.0 : row->low > 0.0 ? row->low : row->high < 0.0 ? row->high : 0.0;
}

/* Adds the terms of a patch; y0: its velocity after z0. */
static void add_patch(const RgQuick *q, const RgPatch *patch, const double y0[6], Sums *sums)
{
    double W[6] = {0.0}, y[6], soft = 0.0, target_work = 0.0, largest = 0.0;
    for (int i = 0; i < patch->count; i++) {
        const double *z = patch->z[i], s = patch->place[i][0], r = patch->place[i][1];
        const double at[6] = {z[1], z[2], z[0], r * z[0], -s * z[0], s * z[2] - r * z[1]};
        for (int k = 0; k < 6; k++)
            W[k] += at[k];
        for (int k = 0; k < 3; k++)
            soft += patch->compliance[k] * z[k] * z[k];
        target_work += z[0] * patch->target[i];
        sums->absorbed += patch->target[i] < 0.0 ? -z[0] * patch->target[i] : 0.0;
        largest = patch->target[i] > largest ? patch->target[i] : largest;
    }
    if (largest > 0.0)
        sums->attainable += 0.5 * largest * largest * lighter_side_mass(q->problem, patch);
    sums->target_work += target_work;
    rg_patch_velocity(patch, q->problem->V, y);
    for (int k = 0; k < 6; k++) {
        sums->a += W[k] * y0[k];
        sums->b += W[k] * (y[k] - y0[k]);
        sums->scale += fabs(W[k] * y0[k]);
    }
    sums->a -= target_work;
    sums->b += soft;
    sums->scale += fabs(target_work);
}

/* Whether a row is one-sided and unbounded: an end stop, whose target is a position correction. */
static bool is_end_stop(const RgPatchRow *row)
{
    return row->patch < 0 &&
           ((row->low == 0.0 && row->high == (double)INFINITY) || (row->high == 0.0 && row->low == -(double)INFINITY));
}

static void add_row(const RgQuick *q, int32_t number, Sums *sums)
{
    const RgPatchRow *row = &q->problem->rows[number];
    double z0 = nearest_to_zero(row), x = row->z - z0;
    double v = rg_patch_row_velocity(q->problem, row, q->problem->V),
           v0 = rg_patch_row_velocity(q->problem, row, q->V_free);
    sums->a += x * (v0 - row->target + row->compliance * z0);
    sums->b += x * (v - v0 + row->compliance * x);
    sums->absorbed += x * row->target < 0.0 ? -x * row->target : 0.0;
    sums->target_work += x * row->target;
    if (x * row->target > 0.0 && is_end_stop(row))
        sums->attainable += 0.5 * row->target * row->target * q->per_row[number];
    else
        sums->by_rows += x * row->target > 0.0 ? x * row->target : 0.0;
    sums->scale += fabs(x * row->target) + fabs(x * v0);
}

static bool is_loaded(const RgPatch *patch)
{
    for (int i = 0; i < patch->count; i++)
        if (patch->z[i][0] != 0.0 || patch->z[i][1] != 0.0 || patch->z[i][2] != 0.0)
            return true;
    return false;
}

/* Applies the admissible impulses nearest to zero of all rows to V_free. Returns whether any is nonzero. */
static bool apply_nearest_impulses(const RgQuick *q, const RgIsland *island)
{
    bool any = false;
    for (int32_t i = 0; i < island->nrows; i++) {
        int32_t row = q->islands.rows[island->first_row + i];
        double z0 = nearest_to_zero(&q->problem->rows[row]);
        rg_quick_push_row(q, row, z0, q->V_free);
        any = any || z0 != 0.0;
    }
    return any;
}

/* Adds the patches of a set of lanes. moved: y0 differs from the free velocity stored in the lanes. */
static void add_lanes(const RgQuick *q, const RgPatchLanes *lanes, bool moved, Sums *sums)
{
    for (int lane = 0; lane < lanes->lanes; lane++) {
        const RgPatch *patch = &q->problem->patches[lanes->patch[lane]];
        double y0[6];
        if (!is_loaded(patch))
            continue;
        for (int k = 0; k < 6; k++)
            y0[k] = lanes->free[k][lane];
        if (moved)
            rg_patch_velocity(patch, q->V_free, y0);
        add_patch(q, patch, y0, sums);
    }
}

/* Replaces x by f x and adjusts the velocities. */
static void scale_back(const RgQuick *q, const RgIsland *island, double f)
{
    RgPatchProblem *p = q->problem;
    for (int32_t i = 0; i < island->npatches; i++) {
        RgPatch *patch = &p->patches[q->islands.patches[island->first_patch + i]];
        for (int k = 0; k < 3 * patch->count; k++)
            patch->z[k / 3][k % 3] = f > 0.0 ? f * patch->z[k / 3][k % 3] : 0.0;
    }
    for (int32_t i = 0; i < island->nrows; i++) {
        RgPatchRow *row = &p->rows[q->islands.rows[island->first_row + i]];
        double z0 = nearest_to_zero(row);
        row->z = f > 0.0 ? z0 + f * (row->z - z0) : z0;
    }
    for (int32_t i = 0; i < island->nmovers + island->nsingles; i++) {
        int32_t at, count = rg_quick_places(q, island, i, &at);
        for (int32_t k = at; k < at + count; k++)
            p->V[k] = f > 0.0 ? q->V_free[k] + f * (p->V[k] - q->V_free[k]) : q->V_free[k];
    }
}

static void mark_overreached(const RgQuick *q, const RgIsland *island)
{
    for (int32_t i = 0; i < island->npatches; i++)
        q->problem->patches[q->islands.patches[island->first_patch + i]].unattainable = true;
}

RgGuarded rg_quick_guard(const RgQuick *q, int32_t number, bool converged)
{
    const RgIsland *island = &q->islands.island[number];
    Sums sums = {0};
    bool moved = apply_nearest_impulses(q, island);
    for (int32_t i = q->first_lanes[number]; i < q->first_lanes[number + 1]; i++)
        add_lanes(q, &q->lanes[i], moved, &sums);
    for (int32_t i = 0; i < island->nrows; i++)
        add_row(q, q->islands.rows[island->first_row + i], &sums);
    bool is_finite = isfinite(sums.a) && isfinite(sums.b);
    /* Energy added by x, and by f x: f along + f^2 b / 2. */
    double along = sums.a + sums.target_work,
           most = (converged ? MAX_GAIN : MAX_GAIN_UNFINISHED) * sums.attainable + sums.by_rows,
           f = sums.a + 0.5 * sums.b - sums.absorbed <= ROUND_OFF * sums.scale ? 1.0 : -sums.a / sums.b;
    bool unattainable = f * along + 0.5 * f * f * sums.b > most + ROUND_OFF * sums.scale;
    if (unattainable)
        f = (sqrt(along * along + 2.0 * sums.b * most) - along) / sums.b;
    if (is_finite && f == 1.0)
        return RG_GUARDED_NOT;
    scale_back(q, island, is_finite && f >= MIN_SCALE ? f : 0.0);
    if (!unattainable || !(sums.attainable > 0.0))
        return RG_GUARDED_SCALED;
    mark_overreached(q, island);
    return RG_GUARDED_OVERREACHED;
}
