/*
 * quick_budget.c - how many sweeps an island of solver `quick` may make.
 *
 * Without a budget max_sweeps is when Newton's method takes over (solver_quick.c), and no bound. With one, work is
 * counted in visits of patches and rows, not in time, so that the bits are the same on every machine and for any number
 * of threads. A sweep of an island with c patches and rows costs c visits; the budget of a step is shared in proportion
 * to that cost, so all islands get the same number of sweeps:
 *
 *   most = min(max_sweeps, max(1, floor(max_visits / sum of c)))
 *
 * A step of Newton's method on what sticks counts as RG_QUICK_NEWTON_SWEEPS sweeps of its island, a call of that over
 * velocities as the sweeps that cost as much (sweeps_of_primal). An island that converges early does not pass its rest
 * on: the budget is an upper bound. One sweep is always made, so that every impulse is allowed.
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
