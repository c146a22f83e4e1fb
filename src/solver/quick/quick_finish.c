/*
 * quick_finish.c - when an island of solver `quick` ends, and Newton's method that ends it where sweeps do not.
 *
 * Convergence. One estimate of the error, in m/s, ends every island: dy_p, by how much the visit of patch p changed the
 * velocity y_p there (turning times the distance of the points). What a step leaves wrong moves bodies by h |dy_p|,
 * whatever the impulses are: they are large below a tall pile and in a hard squeeze, where what is small beside them
 * throws a light body. With y_p,free the velocity without impulses, an island of P patches ends when
 *
 *   sum |dy_p|^2 <= s^2 min(sum |y_p|^2, sum |y_p - y_p,free|^2) + P (tolerance RG_QUICK_SLOW)^2
 *
 * - The first part is for contacts that move: an error of the part s of their speed. s = tolerance where Newton's
 * method over
 *   velocities (quick_primal.c) can get there for the price of CHEAP_SWEEPS sweeps, as with a robot or a grasp: such an
 *   island is exact, and its impulses too must change by no more than tolerance times their size, unless no velocity
 *   changes any more: not all impulses are unique. (That is no end for a patch alone: a rod jammed against the floor
 *   has such velocities, and they are wrong.) Elsewhere s = motion_slack tolerance (0.1 by default): each step begins
 *   with the impulses of the last, and what a sweep still changes in a heap that moves is far smaller than what the
 *   next step will change anyway. Where most patches hold it is HELD times that: errors of steps add up to creep.
 *   Sweeps must also have settled: changed the velocities by a third of the largest change, or by a tenth of s. After
 *   PATIENCE sweeps s is IMPATIENT times as large: no error larger than the motion.
 * - The second is for contacts that do not move: 1e-5 m/s by default, HELD times that in exact islands. It makes what
 * comes to
 *   rest converge further from step to step, until it rests (a pyramid of 210 cubes swayed on with 0.02 m/s), and what
 *   is squeezed stay (5 g between 200 N crept by 0.1 mm/s).
 *
 * Changes are smaller than errors by 1 / (1 - r) where sweeps converge by the factor r; where that matters r is near 1,
 * the island does not end soon, and Newton's method does it: what has not ended on max_sweeps (a pile: PILE_SWEEPS
 * times that) is finished by it; islands beyond its size by up to LARGE_SWEEPS max_sweeps. A patch that is alone
 * (islands.h) is not: what its own visits do not solve within max_sweeps is taken for unsolvable, as with a drive
 * without limit that jams a rod against the floor: each sweep makes the impulses larger. A budget (quick_budget.c) ends
 * all of this. An island always ends with a sweep, so that every impulse is allowed.
 *
 * An exact island that begins without impulses begins with one call, before any sweep: a proximal step from none shares
 * loads among redundant contacts alike, where sweeps give what they visit first the most of it, which later steps keep.
 * A grasp whose friction was 2 % more than needed slipped so.
 *
 * Newton's method is called once as many sweeps are made as a call costs, at most max_sweeps; for a pile, whose sweeps
 * are cheap and helped by quick_newton.c, not before PILE_SWEEPS max_sweeps. A call that finds no root is made again
 * after PRIMAL_EVERY sweeps with a tenth of the stiffness, one that finds it with ten times as much until the rule
 * above holds, of HELD s in islands that are not exact: what is solved that way shall stay solved in the next steps.
 *
 * Failure: none. What PRIMAL_ROUNDS calls do not solve is unfinished, and is reported.
 */
#include "solver/quick/quick_island.h"

#include <math.h>

/* Part of the patches that must hold for Newton's method on what holds. */
#define HOLDING 0.5
/* Square of the part of the tolerance above which an island that could still be swaying is looked at that way. */
#define SWAY2 1e-2
/* Squares of parts of what impulses change velocities by: a sweep must leave less than the first also where it changes
   the impulses little (light bodies below heavy ones: 0.9 of g h was left); less than the second, times the tolerance,
   ends an island whose impulses are not unique. */
#define AGREED2 1e-6
#define STILL2 1e-4
/* Square of the part of the impulses, and of 1 m/s, that is round-off. */
#define NOTHING2 1e-28
/* Newton's method over velocities (quick_primal.c): sweeps before it at least, and after a call that found no root;
   steps of a call, about (a robot 3 to 4, a heap of ragdolls 6); calls at most. */
#define PRIMAL_FIRST 2
#define PRIMAL_EVERY 2
#define PRIMAL_STEPS 4.0
#define PRIMAL_ROUNDS 20
/* Stiffness of the first call and the largest: with 10 a heap of ragdolls took 1.3 times the steps, with 1000 twice the
   calls found no root; beyond the largest the residual drowns in round-off. */
#define PRIMAL_STIFFNESS 100.0
#define PRIMAL_STIFFEST 1e4
/* Newton's method finishes an island for less than this many sweeps: then it converges to the tolerance. A humanoid on
   its feet 10, 22 of them in a heap 400. */
#define CHEAP_SWEEPS 40.0
/* Squares of the part of the largest sweep's change, and of what is allowed, at which sweeps have settled. */
#define SETTLED2 0.09
#define FAR_BELOW2 0.01
/* Part of the allowed change that counts where most patches hold, and of that for contacts at rest in exact islands.
   With 1 a pyramid of cubes that were set down carelessly took 10 sweeps a step for 10 s, with 0.3 it rests after
   one. */
#define HELD 0.3
/* Sweeps after which contacts may be wrong by as much as they move with: so many times more. */
#define PATIENCE 50
#define IMPATIENT 10.0
/* Times max_sweeps that a pile may take before Newton's method, where that is dear: one call costs a heap of 200 boxes
   as much as 2000 sweeps, and a tower hit by a ball makes none. */
#define PILE_SWEEPS 4
/* Times max_sweeps that islands beyond Newton's method may take. */
#define LARGE_SWEEPS 4
/* Products of a visit of a patch, beside those of its columns. */
#define VISIT 300.0

bool rg_quick_holds(const RgQuickTurn *t, RgQuickCourse *course)
{
    const RgQuick *q = t->q;
    double whole = 0.0;
    if (course->fits == RG_NO)
        return false;
    for (int32_t i = q->first_lanes[t->island]; i < q->first_lanes[t->island + 1]; i++)
        for (int lane = 0; lane < q->lanes[i].lanes; lane++)
            whole += q->lanes[i].whole[lane];
    if (!(whole >= HOLDING * q->islands.island[t->island].npatches))
        return false;
    if (course->fits == RG_UNKNOWN)
        course->fits = rg_quick_newton_fits(q, t->island) ? RG_YES : RG_NO;
    return course->fits == RG_YES;
}

/* What sweeps change slowly may be far off where they change little. So an end is put off, once, until a step of
   Newton's method has been tried. */
static bool sways(const RgQuickTurn *t, RgQuickCourse *course, const RgQuickSums *sums)
{
    double tolerance = t->q->options->tolerance;
    return !course->leapt && !course->failed && !course->calm && course->n <= RG_QUICK_LEAP &&
           RG_QUICK_LEAP + RG_QUICK_TRIAL + rg_quick_newton_sweeps(t->q) <= t->most &&
           sums->change2 > SWAY2 * tolerance * tolerance * sums->size2 && rg_quick_holds(t, course);
}

/* The change of velocities, squared, that an island may end with: part s of what its contacts move with, and what those
   that do not move may be wrong by. */
static double allowed2(const RgQuickTurn *t, double s, double slides2, double total2)
{
    double still = (t->exact ? HELD : 1.0) * RG_QUICK_SLOW * t->q->options->tolerance;
    double moving2 = slides2 < total2 ? slides2 : total2;
    const RgIsland *island = &t->q->islands.island[t->island];
    return s * s * moving2 + still * still * (island->alone ? 1 : island->npatches);
}

/* Part of what contacts move with that may be wrong. */
static double part_of(const RgQuickTurn *t)
{
    return t->q->options->tolerance * (t->exact ? 1.0 : t->q->options->motion_slack);
}

double rg_quick_allowed2(const RgQuickTurn *t, double slides2, double total2)
{
    return allowed2(t, part_of(t), slides2, total2);
}

/* Whether a sweep was the last of an island that need not converge to the tolerance. */
static bool ends_in_motion(const RgQuickTurn *t, RgQuickCourse *course, const RgQuickSums *sums)
{
    double s = part_of(t), most2 = allowed2(t, s, sums->slides2, sums->total2);
    if (sums->moved2 <= allowed2(t, 0.0, 0.0, 0.0))
        return !sways(t, course, sums);
    if (course->n >= PATIENCE)
        return sums->moved2 <= allowed2(t, IMPATIENT * s, sums->slides2, sums->total2);
    if (sums->moved2 <= most2 && rg_quick_holds(t, course))
        most2 = allowed2(t, HELD * s, sums->slides2, sums->total2);
    return sums->moved2 <= most2 && (sums->moved2 <= SETTLED2 * course->moved2 || sums->moved2 <= FAR_BELOW2 * most2);
}

/* Whether a sweep was the last. One that changed nothing is, whatever the tolerance: so would be all after it. */
bool rg_quick_ends(const RgQuickTurn *t, RgQuickCourse *course, const RgQuickSums *sums)
{
    double tolerance2 = t->q->options->tolerance * t->q->options->tolerance;
    if (sums->change2 <= NOTHING2 * sums->size2)
        return true;
    /* All impulses together change velocities by 1e-14 m/s: they are round-off. */
    double least2 = NOTHING2 * RG_QUICK_SLOW * RG_QUICK_SLOW;
    if (sums->total2 <= least2 && sums->moved2 <= least2)
        return true;
    if (!t->exact)
        return ends_in_motion(t, course, sums);
    bool still = sums->moved2 <= STILL2 * tolerance2 * sums->total2 && !t->q->islands.island[t->island].alone,
         agreed = sums->moved2 <= AGREED2 * sums->total2;
    return sums->moved2 <= allowed2(t, part_of(t), sums->slides2, sums->total2) &&
           (still || (sums->change2 <= tolerance2 * sums->size2 && agreed && !sways(t, course, sums)));
}

/* Sweeps that one step of Newton's method over velocities costs: a visit of a patch takes 12 products a column and
   about VISIT besides. */
static double sweeps_of_primal(const RgQuickTurn *t)
{
    const RgQuick *q = t->q;
    const RgIsland *island = &q->islands.island[t->island];
    double sweep = VISIT;
    for (int32_t i = 0; i < island->npatches; i++)
        sweep += VISIT + 12.0 * q->of_patch[q->islands.patches[island->first_patch + i]].count;
    return rg_quick_primal_work(q, t->island) / sweep;
}

/* Sweeps before the first call: as many as it costs, but no more than there are. Sweeps of bodies that move alone are
   cheap, and quick_newton.c helps them: if Newton's method is not cheap there, all are made first. *exact: it is
   cheap. */
static int first_primal(const RgQuickTurn *t, bool *exact)
{
    bool articulated = t->q->first_group[t->island] < t->q->first_group[t->island + 1];
    double price = PRIMAL_STEPS * sweeps_of_primal(t);
    *exact = *exact || price < CHEAP_SWEEPS;
    if (!articulated && !*exact)
        return PILE_SWEEPS * t->most;
    return price > t->most ? t->most : price < PRIMAL_FIRST ? PRIMAL_FIRST : (int)price;
}

/* Whether several points of an island share its loads, and no contact has an impulse to begin with. */
static bool is_cold(const RgQuickTurn *t)
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

void rg_quick_finish_plan(RgQuickTurn *t, RgQuickCourse *course)
{
    const RgQuickOptions *options = t->q->options;
    course->stiffness = PRIMAL_STIFFNESS;
    if (t->q->scratch[t->island] != NULL && options->accelerate && options->tolerance > 0.0)
        course->next = first_primal(t, &t->exact);
    course->cold = course->next > 0 && t->exact && !t->q->islands.island[t->island].alone && is_cold(t);
}

bool rg_quick_finish_due(const RgQuickCourse *course)
{
    return course->cold || (course->next > 0 && course->n >= course->next && course->rounds < PRIMAL_ROUNDS);
}

/* Without a budget an island that Newton's method can finish goes on until it has, and one that it cannot for
   longer. */
bool rg_quick_goes_on(const RgQuickTurn *t, const RgQuickCourse *course)
{
    bool budget = t->q->options->max_visits > 0.0 || !(t->q->options->tolerance > 0.0);
    if (course->next > 0 && course->rounds < PRIMAL_ROUNDS && !budget)
        return true;
    bool large = course->next == 0 && !t->q->islands.island[t->island].alone && t->q->options->accelerate;
    int more = large && !budget ? LARGE_SWEEPS : 1;
    return course->n + course->paid < more * t->most;
}

RgQuickFinish rg_quick_finish(const RgQuickTurn *t, RgQuickCourse *course, double *residual)
{
    RgArenaBlock block = {.size = rg_quick_primal_room(t->q, t->island), .start = t->q->scratch[t->island]};
    RgArena scratch = {.first = &block, .current = &block};
    RgQuickPrimal result = {.stiffness = course->stiffness, .exact = t->exact};
    bool done = rg_quick_primal_step(t->q, t->island, &scratch, &result), cold = course->cold;
    course->cold = false;
    if (cold) /* a first guess */
        return done ? RG_FINISH_ROOT : RG_FINISH_NO_ROOT;
    course->rounds++;
    if (t->q->options->max_visits > 0.0)
        course->paid += 1 + (int)(sweeps_of_primal(t) * result.steps);
    course->next = course->n + (done ? 0 : PRIMAL_EVERY);
    course->stiffness *= done && course->stiffness < PRIMAL_STIFFEST ? 10.0 : done ? 1.0 : 0.1;
    if (!done)
        return RG_FINISH_NO_ROOT;
    *residual = result.residual;
    double s = t->exact ? part_of(t) : HELD * part_of(t);
    bool rests = result.moved2 <= allowed2(t, s, result.slides2, result.total2) &&
                 (!t->exact || (*residual <= t->q->options->tolerance && result.moved2 <= AGREED2 * result.total2));
    return rests ? RG_FINISH_RESTS : RG_FINISH_ROOT;
}
