/*
 * quick_budget.c - the sweep limit of an island of solver `quick`.
 *
 * Without a budget, max_sweeps is the point where Newton's method takes over (solver_quick.c), not a limit. With a
 * budget, work is counted in visits of patches and rows rather than in time, so that results are bitwise identical on
 * every machine and for any number of threads. A sweep of an island with c patches and rows costs c visits; the budget
 * of a step is shared in proportion to that cost, so all islands get the same number of sweeps:
 *
 *   most = min(max_sweeps, max(1, floor(max_visits / sum of c)))
 *
 * A Newton step on sticking contacts counts as RG_QUICK_NEWTON_SWEEPS sweeps of its island, a call of Newton's method
 * over velocities as the sweeps of equal cost (sweeps_of_primal). Sweeps that an island does not use are not given to
 * others: the budget is an upper bound. At least one sweep is made, so that every impulse is admissible.
 */
#include "solver/quick/quick_work.h"

#include <math.h>

int rg_quick_most_sweeps(const RgQuick *q)
{
    const RgQuickOptions *o = q->options;
    double all = (double)q->problem->npatches + (double)q->problem->nrows;
    if (!(o->max_visits > 0.0) || !(all > 0.0))
        return o->max_sweeps;
    double most = floor(o->max_visits / all);
    return most < 1.0 ? 1 : most < (double)o->max_sweeps ? (int)most : o->max_sweeps;
}

int rg_quick_newton_sweeps(const RgQuick *q)
{
    return q->options->max_visits > 0.0 ? RG_QUICK_NEWTON_SWEEPS : 0;
}
