/*
 * quick_finish.c - termination of an island of solver `quick`, and Newton's method for islands that sweeps do not
 * converge.
 *
 * Convergence. One error estimate in m/s is used for every island: dy_p, the change of the velocity y_p at patch p by
 * its visit (rotation times the distance of the points). The error left by a step moves bodies by h |dy_p|, whatever
 * the impulses are. Relative changes of impulses are no measure: impulses are large below a tall pile and in a strong
 * squeeze, where a relatively small error accelerates a light body. With y_p,free the velocity without impulses, an
 * island of P patches has converged when
 *
 *   sum |dy_p|^2 <= s^2 min(sum |y_p|^2, sum |y_p - y_p,free|^2) + P (tolerance RG_QUICK_REST_SPEED)^2
 *
 * - The first term is for moving contacts: an error of the part s of their speed. s = tolerance where Newton's method
 *   over velocities (quick_primal.c) gets there for the cost of CHEAP_PRIMAL_SWEEPS sweeps, as with a robot or a grasp.
 *   Such an island is called exact. Its impulses too must change by no more than tolerance times their size, unless
 *   velocities no longer change: impulses may not be unique. (This exception does not apply to an island of
 *   single-contact bodies: a rod jammed against the floor has such velocities, and they are wrong.) Elsewhere s =
 *   motion_slack tolerance (0.1 by default): each step starts from the impulses of the last one, and the remaining
 *   change in a moving heap is much smaller than the change in the next step. If most patches stick, s is multiplied by
 *   STICKING_FACTOR, because errors of the steps add up to creep. Sweeps must also have settled: velocity changes below
 *   a third of the largest change, or a tenth of s. After RELAX_AFTER_SWEEPS sweeps s is multiplied by RELAX_FACTOR:
 *   the error is then no larger than the motion.
 * - The second term is for contacts at rest: 1e-5 m/s by default, times STICKING_FACTOR in exact islands. With it,
 *   bodies that come to rest converge further from step to step until they are at rest (a pyramid of 210 cubes kept
 *   swaying at 0.02 m/s), and squeezed bodies do not creep (5 g between 200 N crept by 0.1 mm/s).
 *
 * Changes are smaller than errors by the factor 1 / (1 - r) where sweeps converge by the factor r. Where that matters r
 * is near 1, the island does not converge soon, and Newton's method finishes it: after max_sweeps (for a pile
 * PILE_SWEEPS times as many). Islands too large for it may take LARGE_SWEEPS max_sweeps. Merged single-contact bodies
 * (islands.h) may not: what their own visits do not solve within max_sweeps is considered unsolvable, as with a drive
 * without effort limit that jams a rod against the floor, where each sweep increases the impulses. A budget
 * (quick_budget.c) overrides all of this. An island always ends with a sweep, so that every impulse is admissible.
 *
 * An exact island without initial impulses starts with one such call before any sweep. A proximal step from zero
 * distributes loads evenly among redundant contacts, whereas sweeps load the contacts that they visit first, and later
 * steps keep that. A grasp whose friction was 2 % more than needed slipped because of it.
 *
 * Newton's method is called after as many sweeps as a call costs, at most max_sweeps; for a pile, whose sweeps are
 * cheap and accelerated by quick_newton.c, not before PILE_SWEEPS max_sweeps. A call that finds no root is repeated
 * after PRIMAL_INTERVAL sweeps with a tenth of the stiffness; one that finds a root is repeated with ten times the
 * stiffness until the criterion above holds, with STICKING_FACTOR s in islands that are not exact, so that the next
 * steps stay converged too.
 *
 * Failure: none. Islands not solved by PRIMAL_MAX_CALLS calls are reported as unfinished.
 */
#include "solver/quick/quick_island.h"

#include <math.h>

/* Part of the patches that must stick for Newton's method on sticking contacts. */
#define MIN_STICKING_FRACTION 0.5
/* Square of a part of the tolerance: an island whose impulses change by more may still be swaying, which is checked by
   a Newton step. */
#define SWAY_CHECK2 1e-2
/* Squares of parts of the velocity change by all impulses. A sweep must change velocities by less than the first even
   if it changes the impulses little (with light bodies below heavy ones 0.9 of g h was left). Less than the second,
   times the tolerance, ends an island whose impulses are not unique. */
#define AGREEMENT2 1e-6
#define STANDSTILL2 1e-4
/* Square of the part of the impulses, and of RG_QUICK_REST_SPEED, that is round-off. */
#define ROUND_OFF2 1e-28
/* Newton's method over velocities (quick_primal.c): smallest number of sweeps before it; sweeps after a call that found
   no root; estimated steps of a call (a robot 3 to 4, a heap of ragdolls 6); largest number of calls. */
#define PRIMAL_FIRST 2
#define PRIMAL_INTERVAL 2
#define PRIMAL_STEPS 4.0
#define PRIMAL_MAX_CALLS 20
/* Stiffness of the first call, and the largest. With 10 a heap of ragdolls took 1.3 times the steps, with 1000 twice as
   many calls found no root; above the largest the residual is dominated by round-off. */
#define PRIMAL_STIFFNESS 100.0
#define PRIMAL_MAX_STIFFNESS 1e4
/* An island converges to the tolerance if Newton's method costs less than this many sweeps: it costs 10 for a standing
   humanoid, 400 for a heap of 22. */
#define CHEAP_PRIMAL_SWEEPS 40.0
/* Squares of the part of the largest change of a sweep, and of the allowed change, below which sweeps have settled. */
#define SETTLED2 0.09
#define WELL_BELOW2 0.01
/* Factor on the allowed change where most patches stick, and on that of contacts at rest in exact islands. With 1 a
   pyramid of carelessly placed cubes took 10 sweeps per step for 10 s; with 0.3 it is at rest after one. */
#define STICKING_FACTOR 0.3
/* Sweeps after which the allowed error of moving contacts is multiplied by RELAX_FACTOR. */
#define RELAX_AFTER_SWEEPS 50
#define RELAX_FACTOR 10.0
/* Times max_sweeps that a pile may take before Newton's method where that is expensive: a call costs as much as 2000
   sweeps of a heap of 200 boxes, and a tower hit by a ball needs none. */
#define PILE_SWEEPS 4
/* Times max_sweeps that islands too large for Newton's method may take. */
#define LARGE_SWEEPS 4
/* Multiplications of a visit of a patch, besides those for its columns. */
#define VISIT_WORK 300.0

bool rg_quick_is_mostly_sticking(const RgQuickIslandSolve *t, RgQuickProgress *progress)
{
    const RgQuick *q = t->q;
    double whole = 0.0;
    if (progress->newton_applicable == RG_NO)
        return false;
    for (int32_t i = q->first_lanes[t->island]; i < q->first_lanes[t->island + 1]; i++)
        for (int lane = 0; lane < q->lanes[i].lanes; lane++)
            whole += q->lanes[i].whole[lane];
    if (!(whole >= MIN_STICKING_FRACTION * q->islands.island[t->island].npatches))
        return false;
    if (progress->newton_applicable == RG_UNKNOWN)
        progress->newton_applicable = rg_quick_newton_is_applicable(q, t->island) ? RG_YES : RG_NO;
    return progress->newton_applicable == RG_YES;
}

/* Sweeps that converge slowly make small changes although the error is large. So convergence is deferred once, until a
   Newton step has been tried. */
static bool may_be_swaying(const RgQuickIslandSolve *t, RgQuickProgress *progress, const RgQuickSums *sums)
{
    double tolerance = t->q->options->tolerance;
    return !progress->newton_done && !progress->newton_failed && !progress->sweeps_only &&
           progress->n <= RG_QUICK_NEWTON_FIRST &&
           RG_QUICK_NEWTON_FIRST + RG_QUICK_NEWTON_TRIAL + rg_quick_newton_sweeps(t->q) <= t->max_sweeps &&
           sums->change2 > SWAY_CHECK2 * tolerance * tolerance * sums->size2 &&
           rg_quick_is_mostly_sticking(t, progress);
}

/* Squared velocity change at which an island has converged: part s of the velocities of moving contacts, plus the error
   allowed at contacts at rest. */
static double allowed_change2(const RgQuickIslandSolve *t, double s, double slides2, double total2)
{
    double still = (t->exact ? STICKING_FACTOR : 1.0) * RG_QUICK_REST_SPEED * t->q->options->tolerance;
    double moving2 = slides2 < total2 ? slides2 : total2;
    const RgIsland *island = &t->q->islands.island[t->island];
    return s * s * moving2 + still * still * (island->alone ? 1 : island->npatches);
}

/* Allowed error as a part of the velocities of moving contacts. */
static double motion_tolerance(const RgQuickIslandSolve *t)
{
    return t->q->options->tolerance * (t->exact ? 1.0 : t->q->options->motion_slack);
}

double rg_quick_allowed2(const RgQuickIslandSolve *t, double slides2, double total2)
{
    return allowed_change2(t, motion_tolerance(t), slides2, total2);
}

/* Convergence check of an island that need not converge to the tolerance. */
static bool is_converged_in_motion(const RgQuickIslandSolve *t, RgQuickProgress *progress, const RgQuickSums *sums)
{
    double s = motion_tolerance(t), most2 = allowed_change2(t, s, sums->slides2, sums->total2);
    if (sums->moved2 <= allowed_change2(t, 0.0, 0.0, 0.0))
        return !may_be_swaying(t, progress, sums);
    if (progress->n >= RELAX_AFTER_SWEEPS)
        return sums->moved2 <= allowed_change2(t, RELAX_FACTOR * s, sums->slides2, sums->total2);
    if (sums->moved2 <= most2 && rg_quick_is_mostly_sticking(t, progress))
        most2 = allowed_change2(t, STICKING_FACTOR * s, sums->slides2, sums->total2);
    return sums->moved2 <= most2 &&
           (sums->moved2 <= SETTLED2 * progress->moved2 || sums->moved2 <= WELL_BELOW2 * most2);
}

/* A sweep that changes nothing ends the island whatever the tolerance: further sweeps would not change anything
   either. */
bool rg_quick_is_converged(const RgQuickIslandSolve *t, RgQuickProgress *progress, const RgQuickSums *sums)
{
    double tolerance2 = t->q->options->tolerance * t->q->options->tolerance;
    if (sums->change2 <= ROUND_OFF2 * sums->size2)
        return true;
    /* All impulses together change velocities by less than 1e-14 m/s: they are round-off. */
    double least2 = ROUND_OFF2 * RG_QUICK_REST_SPEED * RG_QUICK_REST_SPEED;
    if (sums->total2 <= least2 && sums->moved2 <= least2)
        return true;
    if (!t->exact)
        return is_converged_in_motion(t, progress, sums);
    bool still = sums->moved2 <= STANDSTILL2 * tolerance2 * sums->total2 && !t->q->islands.island[t->island].alone,
         agrees = sums->moved2 <= AGREEMENT2 * sums->total2;
    return sums->moved2 <= allowed_change2(t, motion_tolerance(t), sums->slides2, sums->total2) &&
           (still || (sums->change2 <= tolerance2 * sums->size2 && agrees && !may_be_swaying(t, progress, sums)));
}

/* Cost of one Newton step over velocities in sweeps: a visit of a patch takes 12 multiplications per column and about
   VISIT_WORK besides. */
static double sweeps_of_primal(const RgQuickIslandSolve *t)
{
    const RgQuick *q = t->q;
    const RgIsland *island = &q->islands.island[t->island];
    double sweep = VISIT_WORK;
    for (int32_t i = 0; i < island->npatches; i++)
        sweep += VISIT_WORK + 12.0 * q->of_patch[q->islands.patches[island->first_patch + i]].count;
    return rg_quick_primal_work(q, t->island) / sweep;
}

/* Sweeps before the first call: as many as it costs, but at most max_sweeps. Sweeps of free bodies are cheap and
   accelerated by quick_newton.c; if Newton's method is expensive there, all sweeps are made first. *exact: set if it is
   cheap. */
static int first_primal_sweep(const RgQuickIslandSolve *t, bool *exact)
{
    bool articulated = t->q->first_group[t->island] < t->q->first_group[t->island + 1];
    double price = PRIMAL_STEPS * sweeps_of_primal(t);
    *exact = *exact || price < CHEAP_PRIMAL_SWEEPS;
    if (!articulated && !*exact)
        return PILE_SWEEPS * t->max_sweeps;
    return price > t->max_sweeps ? t->max_sweeps : price < PRIMAL_FIRST ? PRIMAL_FIRST : (int)price;
}

/* Whether an island has patches of several points, which share loads, and no contact has an initial impulse. */
static bool is_cold_start(const RgQuickIslandSolve *t)
{
    const RgQuick *q = t->q;
    const RgIsland *island = &q->islands.island[t->island];
    bool any = false, shared = false;
    for (int32_t i = 0; i < island->npatches; i++) {
        const RgPatch *patch = &q->problem->patches[q->islands.patches[island->first_patch + i]];
        shared = shared || patch->count > 1;
        for (int k = 0; k < patch->count; k++)
            any = any || patch->z[k][0] > 0.0;
    }
    return shared && !any;
}

void rg_quick_plan_finish(RgQuickIslandSolve *t, RgQuickProgress *progress)
{
    const RgQuickOptions *options = t->q->options;
    progress->stiffness = PRIMAL_STIFFNESS;
    if (t->q->scratch[t->island] != NULL && options->accelerate && options->tolerance > 0.0)
        progress->next_primal = first_primal_sweep(t, &t->exact);
    progress->cold_start =
        progress->next_primal > 0 && t->exact && !t->q->islands.island[t->island].alone && is_cold_start(t);
}

bool rg_quick_primal_is_due(const RgQuickProgress *progress)
{
    return progress->cold_start || (progress->next_primal > 0 && progress->n >= progress->next_primal &&
                                    progress->primal_calls < PRIMAL_MAX_CALLS);
}

/* Without a budget, an island that Newton's method can finish continues until it does; one too large for it may sweep
   longer. */
bool rg_quick_may_continue(const RgQuickIslandSolve *t, const RgQuickProgress *progress)
{
    bool budget = t->q->options->max_visits > 0.0 || !(t->q->options->tolerance > 0.0);
    if (progress->next_primal > 0 && progress->primal_calls < PRIMAL_MAX_CALLS && !budget)
        return true;
    bool large = progress->next_primal == 0 && !t->q->islands.island[t->island].alone && t->q->options->accelerate;
    int more = large && !budget ? LARGE_SWEEPS : 1;
    return progress->n + progress->newton_sweeps < more * t->max_sweeps;
}

RgQuickFinish rg_quick_finish(const RgQuickIslandSolve *t, RgQuickProgress *progress, double *residual)
{
    RgArenaBlock block = {.size = rg_quick_primal_room(t->q, t->island), .start = t->q->scratch[t->island]};
    RgArena scratch = {.first = &block, .current = &block};
    RgQuickPrimal result = {.stiffness = progress->stiffness, .exact = t->exact};
    bool done = rg_quick_primal_step(t->q, t->island, &scratch, &result), cold = progress->cold_start;
    progress->cold_start = false;
    if (cold) /* only an initial guess */
        return done ? RG_FINISH_ROOT : RG_FINISH_NO_ROOT;
    progress->primal_calls++;
    if (t->q->options->max_visits > 0.0)
        progress->newton_sweeps += 1 + (int)(sweeps_of_primal(t) * result.steps);
    progress->next_primal = progress->n + (done ? 0 : PRIMAL_INTERVAL);
    progress->stiffness *= done && progress->stiffness < PRIMAL_MAX_STIFFNESS ? 10.0 : done ? 1.0 : 0.1;
    if (!done)
        return RG_FINISH_NO_ROOT;
    *residual = result.residual;
    double s = t->exact ? motion_tolerance(t) : STICKING_FACTOR * motion_tolerance(t);
    bool converged =
        result.moved2 <= allowed_change2(t, s, result.slides2, result.total2) &&
        (!t->exact || (*residual <= t->q->options->tolerance && result.moved2 <= AGREEMENT2 * result.total2));
    return converged ? RG_FINISH_CONVERGED : RG_FINISH_ROOT;
}
