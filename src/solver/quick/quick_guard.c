/*
 * quick_guard.c - impulses of an island of solver `quick` that add energy out of nothing are scaled back, by the law of
 * energy_guard.c.
 *
 * Masses are not known here, but responses are: with V0 the velocities after z0, V those after z = z0 + x, and J the
 * velocity along each impulse, what the impulses do to the kinetic energy is T - T0 = 1/2 x'J (V + V0). Hence
 *
 *   x'w0 = x'(J V0 - target + C z0)        b = x'J (V - V0) + x'C x        Q = x'w0 + b/2
 *
 * Targets of patches may be out of reach: shapes that overlap and that joints hold there, or a body wedged between two
 * walls. Impulses then grow from sweep to sweep, and their work x'target with them, which is what the law above allows.
 * But all that targets t_i can want is that bodies move at them. So the impulses of patches give no more than
 *
 *   T - T0 - (what motors give) <= WANTED sum of m_i t_i^2 / 2 over t_i > 0
 *
 * m_i the mass of the lighter side of patch i, or what an end stop of a joint feels of it. Where they would give more,
 * x becomes f x with the f that gives just that, or 0 where impulses are so large that their sum is round-off. The
 * caller is told, and may ask again without such targets (view_patches.c).
 *
 * A patch has z0 = 0; its parts are W y0 and W (y - y0), W the wrench of its impulses and y its velocity at the mean.
 * Movers that are alone (islands.h) are one island here too. Cost: one look at every patch and row.
 */
#include "solver/quick/quick_work.h"

#include <math.h>

/* Part of the work of the targets and of what V0 does along the impulses: round-off. */
#define ROUND_OFF 1e-8

/* Energy that targets may want, as a part of that of the masses next to them: bodies also turn, and carry others along.
   Boxes in a heap reach 5. Of an island that has not converged, less. */
#define WANTED 100.0
#define WANTED_UNFINISHED 4.0
/* Least part of impulses that is kept. */
#define LEAST_PART 1e-2

typedef struct Sums {
    double a, b, taken, scale; /* as in energy_guard.c */
    double goal;               /* x'target */
    double by_rows;            /* sum of max(x_i target_i, 0) of other rows than end stops */
    double wanted;             /* J, by targets of patches and end stops */
} Sums;

/* Mass of the lighter side, with all that joints hold to it; infinite: not known. */
static double lighter(const RgPatchProblem *p, const RgPatch *patch)
{
    double least = (double)INFINITY;
    for (int side = 0; side < 2; side++) {
        const RgMover *m = &p->movers[patch->mover[side]];
        double mass = m->group >= 0 ? p->groups[m->group].mass : m->inverse_mass > 0.0 ? 1.0 / m->inverse_mass : 0.0;
        least = mass > 0.0 && mass < least ? mass : least;
    }
    return least;
}

static double nearest_to_none(const RgPatchRow *row)
{
    return row->patch >= 0 ? 0.0 : row->low > 0.0 ? row->low : row->high < 0.0 ? row->high : 0.0;
}

/* y0: the velocity of the patch after z0. */
static void add_patch(const RgQuick *q, const RgPatch *patch, const double y0[6], Sums *sums)
{
    double W[6] = {0.0}, y[6], soft = 0.0, goal = 0.0, largest = 0.0;
    for (int i = 0; i < patch->count; i++) {
        const double *z = patch->z[i], s = patch->place[i][0], r = patch->place[i][1];
        const double at[6] = {z[1], z[2], z[0], r * z[0], -s * z[0], s * z[2] - r * z[1]};
        for (int k = 0; k < 6; k++)
            W[k] += at[k];
        for (int k = 0; k < 3; k++)
            soft += patch->compliance[k] * z[k] * z[k];
        goal += z[0] * patch->target[i];
        sums->taken += patch->target[i] < 0.0 ? -z[0] * patch->target[i] : 0.0;
        largest = patch->target[i] > largest ? patch->target[i] : largest;
    }
    if (largest > 0.0)
        sums->wanted += 0.5 * largest * largest * lighter(q->problem, patch);
    sums->goal += goal;
    rg_quick_look_patch(patch, q->problem->V, y);
    for (int k = 0; k < 6; k++) {
        sums->a += W[k] * y0[k];
        sums->b += W[k] * (y[k] - y0[k]);
        sums->scale += fabs(W[k] * y0[k]);
    }
    sums->a -= goal;
    sums->b += soft;
    sums->scale += fabs(goal);
}

/* Whether a row pushes one way alone, without a bound: an end stop, whose target is a correction. */
static bool is_stop(const RgPatchRow *row)
{
    return row->patch < 0 &&
           ((row->low == 0.0 && row->high == (double)INFINITY) || (row->high == 0.0 && row->low == -(double)INFINITY));
}

static void add_row(const RgQuick *q, int32_t number, Sums *sums)
{
    const RgPatchRow *row = &q->problem->rows[number];
    double z0 = nearest_to_none(row), x = row->z - z0;
    double v = rg_quick_look_row(q->problem, row, q->problem->V), v0 = rg_quick_look_row(q->problem, row, q->V_free);
    sums->a += x * (v0 - row->target + row->compliance * z0);
    sums->b += x * (v - v0 + row->compliance * x);
    sums->taken += x * row->target < 0.0 ? -x * row->target : 0.0;
    sums->goal += x * row->target;
    if (x * row->target > 0.0 && is_stop(row))
        sums->wanted += 0.5 * row->target * row->target * q->per_row[number];
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

/* Impulses of rows that are nearest to none, to the free velocities. Returns whether there are any. */
static bool push_rows(const RgQuick *q, const RgIsland *island)
{
    bool any = false;
    for (int32_t i = 0; i < island->nrows; i++) {
        int32_t row = q->islands.rows[island->first_row + i];
        double z0 = nearest_to_none(&q->problem->rows[row]);
        rg_quick_push_row(q, row, z0, q->V_free);
        any = any || z0 != 0.0;
    }
    return any;
}

/* Patches of a lane group. moved: y0 is not the free velocity that the lanes have. */
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
            rg_quick_look_patch(patch, q->V_free, y0);
        add_patch(q, patch, y0, sums);
    }
}

/* x to f x, velocities likewise. */
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
        double z0 = nearest_to_none(row);
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
        q->problem->patches[q->islands.patches[island->first_patch + i]].overreached = true;
}

RgGuarded rg_quick_guard(const RgQuick *q, int32_t number, bool rests)
{
    const RgIsland *island = &q->islands.island[number];
    Sums sums = {0};
    bool moved = push_rows(q, island);
    for (int32_t i = q->first_lanes[number]; i < q->first_lanes[number + 1]; i++)
        add_lanes(q, &q->lanes[i], moved, &sums);
    for (int32_t i = 0; i < island->nrows; i++)
        add_row(q, q->islands.rows[island->first_row + i], &sums);
    bool numbers = isfinite(sums.a) && isfinite(sums.b);
    /* Energy by x, and by f x: f along + f^2 b / 2. */
    double along = sums.a + sums.goal, most = (rests ? WANTED : WANTED_UNFINISHED) * sums.wanted + sums.by_rows,
           f = sums.a + 0.5 * sums.b - sums.taken <= ROUND_OFF * sums.scale ? 1.0 : -sums.a / sums.b;
    bool overreached = f * along + 0.5 * f * f * sums.b > most + ROUND_OFF * sums.scale;
    if (overreached)
        f = (sqrt(along * along + 2.0 * sums.b * most) - along) / sums.b;
    if (numbers && f == 1.0)
        return RG_GUARDED_NOT;
    scale_back(q, island, numbers && f >= LEAST_PART ? f : 0.0);
    if (!overreached || !(sums.wanted > 0.0))
        return RG_GUARDED_SCALED;
    mark_overreached(q, island);
    return RG_GUARDED_OVERREACHED;
}
