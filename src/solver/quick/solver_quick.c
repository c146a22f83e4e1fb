/*
 * solver_quick.c - block Gauss-Seidel over contact patches and rows, with acceleration between sweeps.
 *
 * A sweep visits every row, then every patch of an island, colour by colour. Each visit computes the impulses of a
 * patch with all others fixed (quick_kernel.h) and updates the velocities at once. Sweeps alone converge slowly where
 * many bodies lie on each other. So between sweeps there is momentum (Nesterov 1983; restart after O'Donoghue and
 * Candes 2015), with g_k the impulses and velocities after sweep k:
 *
 *   theta_k+1 = (1 + sqrt(1 + 4 theta_k^2)) / 2      next sweep starts at g_k + (theta_k - 1) / theta_k+1 (g_k - g_k-1)
 *
 * and theta = 1 again when a sweep opposes that direction: sum of (change of z in the sweep) (z - z of g_k-1) below 0.
 * Velocities are linear in the impulses, so both are extrapolated together. Errors over the whole height of a pile are
 * then removed by quick_levels.c, which is prepared again at every power of two, starting with the first sweep. Where
 * most patches stick, a Newton step on all of them is made at every power of two (quick_newton.c); if it has not
 * lowered the energy after RG_QUICK_NEWTON_TRIAL sweeps, it is undone and not tried again in this problem. The next
 * sweep projects impulses that have left their bounds. Momentum is also restarted where it makes patches alternate
 * between sliding and sticking: when a sweep changes the impulses by three times (RESTART_GROWTH2) as much as the best
 * sweep since the last restart. Islands that still do so after PAUSE_EVERY sweeps mostly converge within PAUSE sweeps
 * without momentum; a tall pile, which needs momentum, gets it back afterwards.
 *
 * Convergence, and Newton's method over velocities for islands that sweeps do not converge: quick_finish.c.
 *
 * Threads. Small islands are distributed over the threads; in a large island the threads share the lanes of a colour,
 * one colour after the other. Lanes of one colour share no body, and sums are made in list order: bitwise identical
 * results for any kernel and any number of threads. Norms mix N s and N m s; they only decide when to stop.
 *
 * For an island that has not converged the residual is evaluated (quick_residual.c). Impulses that add energy beyond
 * the work of the targets are scaled back at the end (quick_guard.c).
 *
 * Failure: only lack of memory. The number of sweeps is bounded. A patch between two immobile bodies is not allowed.
 */
#include "base/parallel_for.h"
#include "solver/quick/quick_island.h"

#include <math.h>
#include <string.h>

/* Patches from which on an island is solved by several threads. */
#define LARGE_ISLAND_PATCHES 128
/* Square of the growth of a sweep's change over that of the first sweep, above which acceleration is switched off. */
#define MAX_GROWTH2 4.0
/* Square of the part of all impulses below which this growth is not checked: from rest the first change is nearly
   zero. */
#define GROWTH_CHECK2 1e-3
/* Where rows are bounded by patches, the last max_sweeps / SWEEPS_ONLY_DIVISOR sweeps have no acceleration: momentum
   may raise the bounds and the rows in turn, and must not determine the result. */
#define SWEEPS_ONLY_DIVISOR 2
/* Sweeps after which an island with a driven articulation continues without momentum, which sustains slip-stick
   alternation of contacts of a stiff robot (205 of 1000 steps reached the sweep limit, now none). */
#define DAMPING_AFTER_SWEEPS 8
/* Negative momentum from then on: this part of the change of a sweep is taken back before the next one, which ends the
   alternation (103 of 1000 steps of a stiff robot reached the sweep limit, now one). */
#define DAMPING_BETA (-0.3)
/* From this sweep on, and after every further PAUSE_EVERY sweeps, PAUSE sweeps are made without momentum. */
#define PAUSE_EVERY 60
#define PAUSE 8
/* Square of the growth of a sweep's change over the smallest since the last restart, at which momentum is restarted. */
#define RESTART_GROWTH2 9.0
/* Islands, lanes and bodies that a thread takes at a time; fewer islands if a thread would get less than
   TASKS_PER_THREAD such tasks. */
#define ISLANDS_PER_TASK 8
#define TASKS_PER_THREAD 8
#define LANES_PER_TASK 8
#define BODIES_PER_TASK 64

typedef RgQuickIslandSolve IslandSolve;
typedef RgQuickSums Sums;
typedef RgQuickProgress Progress;

typedef struct Result {
    int sweeps;
    bool converged;
    RgGuarded guarded;
    double residual;
    RgQuickResidual left; /* residual if not converged; else 0 */
} Result;

typedef struct RgQuickCache {
    RgQuick q;
    int32_t *layout; /* layout that all of this belongs to */
    Result *results;
    int32_t *large, *small; /* numbers of the islands */
    int32_t nlarge, nsmall;
} RgQuickCache;

typedef RgQuickCache Layout;

/* ------------------------------------------------------------------ sweeps */

/* Copies the impulses of the lanes to the patches. */
static void write_back(RgPatchProblem *p, const RgPatchLanes *lanes)
{
    for (int lane = 0; lane < lanes->lanes; lane++) {
        RgPatch *patch = &p->patches[lanes->patch[lane]];
        for (int i = 0; i < patch->count; i++)
            for (int k = 0; k < 3; k++)
                patch->z[i][k] = lanes->z[i][k][lane];
    }
}

static void visit_lanes(const IslandSolve *t, RgPatchLanes *lanes)
{
    const RgQuick *q = t->q;
    if (lanes->grouped)
        rg_quick_visit_grouped(q, lanes);
    else
        q->kernel->visit(lanes, lanes->lanes, q->problem->V);
    if (t->bound_rows)
        write_back(q->problem, lanes);
}

static void warm_start_lanes(const IslandSolve *t, RgPatchLanes *lanes)
{
    if (lanes->grouped)
        rg_quick_warm_start_grouped(t->q, lanes);
    else
        t->q->kernel->warm_start(lanes, lanes->lanes, t->q->problem->V);
}

/* An operation on sets of lanes; `at` is the first of the range. */
typedef void LaneAction(const IslandSolve *t, RgPatchLanes *lanes);
typedef struct LaneTask {
    const IslandSolve *solve;
    LaneAction *action;
    int32_t at;
} LaneTask;

static void run_on_lanes(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const LaneTask *a = context;
    for (int32_t i = a->at + first; i < a->at + end; i++)
        a->action(a->solve, &a->solve->q->lanes[i]);
}

/* Applies an operation to all lanes of the island, colour by colour. */
static void for_colours(const IslandSolve *t, LaneAction *action)
{
    const RgQuick *q = t->q;
    LaneTask task = {t, action, q->first_lanes[t->island]};
    if (t->thread_pool == NULL) {
        run_on_lanes(&task, 0, q->first_lanes[t->island + 1] - task.at, 0);
        return;
    }
    for (int32_t r = q->first_run[t->island]; r < q->first_run[t->island + 1]; r++) {
        RgThreadPool *thread_pool = q->runs[r].apart ? t->thread_pool : NULL;
        rg_parallel_for(thread_pool, q->runs[r].end - task.at, LANES_PER_TASK, run_on_lanes, &task);
        task.at = q->runs[r].end;
    }
}

/* The same in any order. */
static void for_lanes(const IslandSolve *t, LaneAction *action)
{
    int32_t at = t->q->first_lanes[t->island];
    LaneTask task = {t, action, at};
    rg_parallel_for(t->thread_pool, t->q->first_lanes[t->island + 1] - at, LANES_PER_TASK, run_on_lanes, &task);
}

/* Visits all rows in one thread, since there are few. Returns their part of the sums. */
static Sums visit_rows(const IslandSolve *t)
{
    const RgQuick *q = t->q;
    const RgIsland *island = &q->islands.island[t->island];
    Sums sums = {0};
    for (int32_t i = 0; i < island->nrows;) {
        int32_t row = q->islands.rows[island->first_row + i];
        int count = q->problem->rows[row].disc ? 2 : 1;
        double d[2];
        if (count == 2)
            rg_quick_visit_disc(q, row, d);
        else
            d[0] = rg_quick_visit_row(q, row);
        for (int k = 0; k < count; k++) {
            double z = q->problem->rows[row + k].z;
            sums.change2 += d[k] * d[k];
            sums.size2 += z * z;
            sums.along += d[k] * (z - q->row_before[row + k]);
            double response = q->per_row[row + k] > 0.0 ? 1.0 / q->per_row[row + k] : 0.0;
            sums.moved2 += response * response * d[k] * d[k];
            sums.total2 += response * response * z * z;
        }
        i += count;
    }
    return sums;
}

/* Clamps the rows that are bounded by patches, after the last visit of the patches. */
static void bound_rows(const IslandSolve *t)
{
    const RgQuick *q = t->q;
    const RgIsland *island = &q->islands.island[t->island];
    for (int32_t i = 0; i < island->nrows;) {
        int32_t row = q->islands.rows[island->first_row + i];
        rg_quick_bound_row(q, row);
        i += q->problem->rows[row].disc ? 2 : 1;
    }
}

/* Adds the initial impulses to the velocities. */
static void warm_start_island(const IslandSolve *t)
{
    const RgIsland *island = &t->q->islands.island[t->island];
    for (int32_t i = 0; i < island->nrows; i++)
        rg_quick_warm_start_row(t->q, t->q->islands.rows[island->first_row + i]);
    for_colours(t, warm_start_lanes);
}

/* ------------------------------------------------------------------ ranges of V */

int rg_quick_places(const RgQuick *q, const RgIsland *island, int32_t i, int32_t *at)
{
    if (i < island->nmovers) {
        *at = RG_BODY_PLACES * q->islands.movers[island->first_mover + i];
        return 6;
    }
    *at = RG_BODY_PLACES * q->problem->nmovers + q->islands.singles[island->first_single + i - island->nmovers];
    return 1;
}

/* ------------------------------------------------------------------ sums */

/* Sums of an island after a sweep, in the order of the lanes. */
static Sums sum_over_lanes(const IslandSolve *t, Sums rows)
{
    const RgQuick *q = t->q;
    Sums sums = rows;
    for (int32_t i = q->first_lanes[t->island]; i < q->first_lanes[t->island + 1]; i++)
        for (int lane = 0; lane < q->lanes[i].lanes; lane++) {
            sums.change2 += q->lanes[i].change2[lane];
            sums.size2 += q->lanes[i].size2[lane];
            sums.along += q->lanes[i].along[lane];
            sums.moved2 += q->lanes[i].moved2[lane];
            sums.total2 += q->lanes[i].total2[lane];
            sums.slides2 += q->lanes[i].slides2[lane];
        }
    return sums;
}

/* ------------------------------------------------------------------ momentum */

static int32_t count_items(const RgIsland *island)
{
    return island->nmovers + island->nsingles;
}

/* x += beta (x - before); before = old x. */
static inline void extrapolate(double *x, double *before, int count, double beta)
{
    for (int i = 0; i < count; i++) {
        double now = x[i];
        x[i] = now + beta * (now - before[i]);
        before[i] = now;
    }
}

/* Copies the current state to `before`. */
static inline void copy_state(const double *x, double *before, int count)
{
    memcpy(before, x, (size_t)count * sizeof *x);
}

/* Arguments of an extrapolation. */
typedef struct Momentum {
    const IslandSolve *solve;
    double beta; /* 0: only stores the current state */
} Momentum;

static void accelerate_lanes(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Momentum *p = context;
    const RgQuick *q = p->solve->q;
    int32_t start = q->first_lanes[p->solve->island];
    for (int32_t i = start + first; i < start + end; i++) {
        RgPatchLanes *l = &q->lanes[i];
        if (p->beta != 0.0)
            extrapolate(&l->z[0][0][0], &l->before[0][0][0], l->points * 3 * RG_LANES, p->beta);
        else
            copy_state(&l->z[0][0][0], &l->before[0][0][0], l->points * 3 * RG_LANES);
    }
}

static void accelerate_velocities(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Momentum *p = context;
    const RgQuick *q = p->solve->q;
    const RgIsland *island = &q->islands.island[p->solve->island];
    for (int32_t i = first; i < end; i++) {
        int32_t at, count = rg_quick_places(q, island, i, &at);
        if (p->beta != 0.0)
            extrapolate(q->problem->V + at, q->V_before + at, count, p->beta);
        else
            copy_state(q->problem->V + at, q->V_before + at, count);
    }
}

/* Extrapolates impulses and velocities by beta, which may be negative; 0: only stores the current state. */
static void accelerate(const IslandSolve *t, double beta)
{
    const RgQuick *q = t->q;
    const RgIsland *island = &q->islands.island[t->island];
    Momentum momentum = {t, beta};
    int32_t nlanes = q->first_lanes[t->island + 1] - q->first_lanes[t->island];
    rg_parallel_for(t->thread_pool, nlanes, LANES_PER_TASK, accelerate_lanes, &momentum);
    for (int32_t i = 0; i < island->nrows; i++) {
        int32_t row = q->islands.rows[island->first_row + i];
        if (beta != 0.0)
            extrapolate(&q->problem->rows[row].z, &q->row_before[row], 1, beta);
        else
            copy_state(&q->problem->rows[row].z, &q->row_before[row], 1);
    }
    rg_parallel_for(t->thread_pool, count_items(island), BODIES_PER_TASK, accelerate_velocities, &momentum);
    for (int32_t i = q->first_group[t->island]; i < q->first_group[t->island + 1]; i++) {
        const RgQuickCoordinates *own = &q->coordinates[q->island_group[i]];
        if (beta != 0.0)
            extrapolate(q->x + own->first, q->x_before + own->first, own->rank, beta);
        else
            copy_state(q->x + own->first, q->x_before + own->first, own->rank);
    }
}

static void move_levels(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const IslandSolve *t = context;
    const int32_t *movers = t->q->islands.movers + t->q->islands.island[t->island].first_mover;
    for (int32_t i = first; i < end; i++)
        rg_quick_levels_update_body(t->q, t->island, movers[i]);
}

static void update_level_impulses(const IslandSolve *t, RgPatchLanes *lanes)
{
    rg_quick_levels_update_impulses(t->q, t->island, lanes);
}

/* Correction of whole levels. *useful: result of the last preparation. */
static void correct_levels(const IslandSolve *t, bool prepare, bool *useful)
{
    const RgQuick *q = t->q;
    if (prepare)
        *useful = rg_quick_levels_prepare(q, t->island);
    if (!*useful)
        return;
    rg_quick_levels_solve(q, t->island);
    rg_parallel_for(t->thread_pool, q->islands.island[t->island].nmovers, BODIES_PER_TASK, move_levels, (void *)t);
    for_lanes(t, update_level_impulses);
}

/* ------------------------------------------------------------------ islands */

static bool has_bound_rows(const RgPatchProblem *p, const RgIslands *islands, const RgIsland *island)
{
    for (int32_t i = 0; i < island->nrows; i++)
        if (p->rows[islands->rows[island->first_row + i]].patch >= 0)
            return true;
    return false;
}

/* Whether a driven articulation is part of the island. */
static bool is_driven(const RgPatchProblem *p, const RgIslands *islands, const RgIsland *island)
{
    for (int32_t i = 0; p->driven && i < island->nmovers; i++) {
        int32_t group = p->movers[islands->movers[island->first_mover + i]].group;
        if (group >= 0 && p->groups[group].driven)
            return true;
    }
    return false;
}

/* Newton step on sticking contacts. False: it is not due, or not applicable. */
static bool try_newton_step(const IslandSolve *t, Progress *progress, const Sums *sums)
{
    const RgQuick *q = t->q;
    if (progress->newton_failed || progress->n < RG_QUICK_NEWTON_FIRST || (progress->n & (progress->n - 1)) != 0 ||
        progress->n + progress->newton_sweeps + rg_quick_newton_sweeps(q) + RG_QUICK_NEWTON_TRIAL > t->max_sweeps ||
        !rg_quick_is_mostly_sticking(t, progress))
        return false;
    accelerate(t, 0.0);
    progress->energy = rg_quick_newton_energy(q, t->island);
    progress->sums = *sums;
    progress->newton_done = rg_quick_newton_step(q, t->island);
    progress->newton_sweeps += rg_quick_newton_sweeps(q);
    progress->newton_failed = !progress->newton_done;
    progress->trial_sweeps = progress->newton_done ? 1 : 0;
    return progress->newton_done;
}

/* Restores the state before the last Newton step. */
static void undo_newton_step(const IslandSolve *t)
{
    const RgQuick *q = t->q;
    const RgIsland *island = &q->islands.island[t->island];
    for (int32_t i = q->first_lanes[t->island]; i < q->first_lanes[t->island + 1]; i++)
        copy_state(&q->lanes[i].before[0][0][0], &q->lanes[i].z[0][0][0], q->lanes[i].points * 3 * RG_LANES);
    for (int32_t i = 0; i < count_items(island); i++) {
        int32_t at, count = rg_quick_places(q, island, i, &at);
        copy_state(q->V_before + at, q->problem->V + at, count);
    }
}

/* Accepts a Newton step if it has lowered the energy; undoes it after the last trial sweep. */
static void check_newton_step(const IslandSolve *t, Progress *progress, Sums *sums)
{
    double energy = rg_quick_newton_energy(t->q, t->island);
    bool last = progress->trial_sweeps == RG_QUICK_NEWTON_TRIAL;
    if (energy <= progress->energy) {
        progress->trial_sweeps = 0;
        progress->theta = 1.0;
        progress->first2 = sums->change2 > progress->first2 ? sums->change2 : progress->first2;
        return;
    }
    progress->trial_sweeps++;
    if (!last)
        return;
    undo_newton_step(t);
    *sums = progress->sums;
    progress->trial_sweeps = 0;
    progress->theta = 1.0;
    progress->newton_failed = true;
}

/* Acceleration between two sweeps: momentum, a Newton step, or the correction of levels. */
static void accelerate_between_sweeps(const IslandSolve *t, Progress *progress, const Sums *sums)
{
    const RgQuick *q = t->q;
    int n = progress->n;
    double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * progress->theta * progress->theta)),
           beta = (progress->theta - 1.0) / next;
    bool momentum_paused = !t->exact && n >= PAUSE_EVERY && n % PAUSE_EVERY < PAUSE;
    bool restart =
        momentum_paused || (n > 1 && (sums->along < 0.0 || sums->change2 > RESTART_GROWTH2 * progress->least2));
    if (n == 1 || restart || sums->change2 < progress->least2)
        progress->least2 = sums->change2;
    if (restart) {
        next = 1.0;
        beta = 0.0;
    }
    progress->theta = next;
    progress->first2 = n == 1 ? sums->change2 : progress->first2;
    progress->sweeps_only = progress->sweeps_only || (sums->change2 > MAX_GROWTH2 * progress->first2 &&
                                                      sums->change2 > GROWTH_CHECK2 * sums->size2);
    if (progress->sweeps_only || try_newton_step(t, progress, sums))
        return;
    accelerate(t, beta);
    if (q->levels != NULL)
        correct_levels(t, (n & (n - 1)) == 0, &progress->use_levels);
}

/* Sums of the body of a single-contact island that is farthest from convergence, separately by impulses and by
   velocities. */
static Sums worst_lane_sums(const IslandSolve *t)
{
    const RgQuick *q = t->q;
    Sums worst = {0};
    double worst_allowed2 = 0.0;
    for (int32_t i = q->first_lanes[t->island]; i < q->first_lanes[t->island + 1]; i++)
        for (int lane = 0; lane < q->lanes[i].lanes; lane++) {
            const RgPatchLanes *l = &q->lanes[i];
            double change2 = l->change2[lane], size2 = l->size2[lane];
            if (change2 * worst.size2 > worst.change2 * size2 || (worst.size2 == 0.0 && change2 >= worst.change2)) {
                worst.change2 = change2;
                worst.size2 = size2;
            }
            double allowed2 = rg_quick_allowed2(t, l->slides2[lane], l->total2[lane]);
            if (l->moved2[lane] * worst_allowed2 >= worst.moved2 * allowed2) {
                worst_allowed2 = allowed2;
                worst.moved2 = l->moved2[lane];
                worst.slides2 = l->slides2[lane];
                worst.total2 = l->total2[lane];
            }
        }
    return worst;
}

static void store_lanes(const IslandSolve *t, RgPatchLanes *lanes)
{
    write_back(t->q->problem, lanes);
}

/* Recomputes the velocities of the island from its impulses. */
static void renew_velocities(const IslandSolve *t)
{
    const RgQuick *q = t->q;
    const RgIsland *island = &q->islands.island[t->island];
    for (int32_t i = 0; i < count_items(island); i++) {
        int32_t at, count = rg_quick_places(q, island, i, &at);
        copy_state(q->V_free + at, q->problem->V + at, count);
    }
    for (int32_t i = q->first_group[t->island]; i < q->first_group[t->island + 1]; i++) {
        const RgQuickCoordinates *own = &q->coordinates[q->island_group[i]];
        memset(q->x + own->first, 0, (size_t)own->rank * sizeof *q->x);
    }
    warm_start_island(t);
}

/* Newton's method over velocities. True: the island has converged. */
static bool run_primal(const IslandSolve *t, Progress *progress, double *residual)
{
    RgQuickFinish found = rg_quick_finish(t, progress, residual);
    if (found == RG_FINISH_NO_ROOT)
        return false;
    renew_velocities(t);
    if (t->bound_rows)
        for_lanes(t, store_lanes);
    return found == RG_FINISH_CONVERGED;
}

/* One sweep. Returns the rows' part of the sums. */
static Sums sweep(const IslandSolve *t, Progress *progress)
{
    Sums rows = visit_rows(t);
    for_colours(t, visit_lanes);
    progress->n++;
    return rows;
}

static void solve_island(Layout *s, int32_t k, RgThreadPool *thread_pool)
{
    const RgQuick *q = &s->q;
    const RgQuickOptions *options = q->options;
    const RgIsland *island = &q->islands.island[k];
    IslandSolve t = {q,
                     k,
                     thread_pool,
                     has_bound_rows(q->problem, &q->islands, island),
                     is_driven(q->problem, &q->islands, island),
                     rg_quick_most_sweeps(q),
                     island->alone || !options->accelerate || !(options->motion_slack > 1.0)};
    Progress progress = {.theta = 1.0, .sweeps_only = !options->accelerate || island->alone};
    Sums sums = {0};
    bool converged = false;
    double residual = 0.0;
    warm_start_island(&t);
    rg_quick_plan_finish(&t, &progress);
    while (!converged && rg_quick_may_continue(&t, &progress)) {
        if (rg_quick_primal_is_due(&progress)) {
            converged = run_primal(&t, &progress, &residual);
            if (converged)
                sweep(&t, &progress);
            continue;
        }
        if (progress.primal_calls == 0 && progress.n > 0 && !progress.sweeps_only && progress.trial_sweeps == 0)
            accelerate_between_sweeps(&t, &progress, &sums);
        else if (progress.primal_calls == 0 && t.driven && progress.n >= DAMPING_AFTER_SWEEPS &&
                 progress.trial_sweeps == 0)
            accelerate(&t, DAMPING_BETA);
        Sums rows = sweep(&t, &progress);
        progress.sweeps_only = progress.sweeps_only ||
                               (t.bound_rows && progress.n >= t.max_sweeps / SWEEPS_ONLY_DIVISOR) ||
                               (t.driven && progress.n >= DAMPING_AFTER_SWEEPS);
        sums = island->alone ? worst_lane_sums(&t) : sum_over_lanes(&t, rows);
        progress.moved2 = sums.moved2 > progress.moved2 ? sums.moved2 : progress.moved2;
        residual = sums.size2 > 0.0 ? sqrt(sums.change2 / sums.size2) : 0.0;
        if (progress.trial_sweeps > 0)
            check_newton_step(&t, &progress, &sums);
        converged = progress.trial_sweeps == 0 && rg_quick_is_converged(&t, &progress, &sums);
    }
    for_lanes(&t, store_lanes);
    if (t.bound_rows && converged)
        bound_rows(&t);
    if (t.bound_rows && !converged)
        visit_rows(&t);
    for (int32_t i = q->first_group[k]; i < q->first_group[k + 1]; i++)
        rg_quick_update_outputs(q, q->island_group[i], q->x, q->problem->V);
    RgGuarded guarded = rg_quick_guard(q, k, converged);
    s->results[k] = (Result){.sweeps = progress.n,
                             .converged = converged && guarded == RG_GUARDED_NOT,
                             .guarded = guarded,
                             .residual = residual};
    if (!s->results[k].converged)
        s->results[k].left = rg_quick_residual(q, k);
}

static void solve_small(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    Layout *s = context;
    for (int32_t i = first; i < end; i++)
        solve_island(s, s->small[i], NULL);
}

/* ------------------------------------------------------------------ set-up */

static void prepare_lanes(void *context, int32_t first, int32_t end, int thread)
{
    const RgQuick *q = context;
    (void)thread;
    for (int32_t i = first; i < end; i++) {
        rg_quick_fill_lanes(q, &q->lanes[i]);
        if (q->lanes[i].grouped)
            rg_quick_respond_grouped(q, &q->lanes[i]);
        else
            q->kernel->prepare(&q->lanes[i], q->lanes[i].lanes, q->problem->V);
    }
}

static void split_by_size(Layout *s)
{
    for (int32_t k = 0; k < s->q.islands.count; k++)
        if (s->q.islands.island[k].npatches >= LARGE_ISLAND_PATCHES)
            s->large[s->nlarge++] = k;
        else
            s->small[s->nsmall++] = k;
}

/* Allocates and builds everything that depends on the layout only. False: no memory. */
static bool build_layout(Layout *s, RgArena *arena)
{
    RgQuick *q = &s->q;
    RgPatchProblem *p = q->problem;
    if (!rg_quick_layout_record(arena, p, &s->layout) || !rg_islands_find(arena, p, &q->islands))
        return false;
    int32_t count = q->islands.count;
    size_t all = (size_t)(RG_BODY_PLACES * p->nmovers + p->nsingles);
    q->first_lanes = RG_ARENA_ALLOC_RAW(arena, int32_t, count + 1);
    q->first_run = RG_ARENA_ALLOC_RAW(arena, int32_t, count + 1);
    q->runs = RG_ARENA_ALLOC_RAW(arena, RgQuickRun, p->npatches);
    s->results = RG_ARENA_ALLOC_RAW(arena, Result, count);
    s->large = RG_ARENA_ALLOC_RAW(arena, int32_t, count);
    s->small = RG_ARENA_ALLOC_RAW(arena, int32_t, count);
    q->per_row = RG_ARENA_ALLOC_RAW(arena, double, p->nrows);
    q->row_before = RG_ARENA_ALLOC_RAW(arena, double, p->nrows);
    q->row_between = RG_ARENA_ALLOC_RAW(arena, double, p->nrows);
    q->V_before = RG_ARENA_ALLOC_RAW(arena, double, all);
    q->V_free = RG_ARENA_ALLOC_RAW(arena, double, all);
    if (arena->failed)
        return false;
    int32_t nlanes = rg_quick_count_lanes(q);
    q->lanes = RG_ARENA_ALLOC_RAW(arena, RgPatchLanes, nlanes);
    if (!rg_quick_levels_alloc(q, arena) || !rg_quick_newton_alloc(q, arena) || arena->failed)
        return false;
    rg_quick_assign_lanes(q);
    split_by_size(s);
    return true;
}

static void set_problem(Layout *s, RgPatchProblem *problem, const RgQuickOptions *options)
{
    bool plain = options->plain || rg_patch_kernel_simd.visit == NULL;
    s->q.problem = problem;
    s->q.options = options;
    s->q.kernel = plain ? &rg_patch_kernel : &rg_patch_kernel_simd;
}

/* NULL: no memory. */
static Layout *create_layout(RgArena *arena, RgPatchProblem *problem, const RgQuickOptions *options)
{
    Layout *s = RG_ARENA_ALLOC(arena, Layout, 1);
    if (s == NULL)
        return NULL;
    set_problem(s, problem, options);
    return build_layout(s, arena) ? s : NULL;
}

void rg_quick_memory_init(RgQuickMemory *memory, const RgAllocator *allocator)
{
    memory->cache = NULL;
    rg_arena_init(&memory->arena, allocator);
    rg_arena_init(&memory->work, allocator);
}

void rg_quick_memory_free(RgQuickMemory *memory)
{
    memory->cache = NULL;
    rg_arena_free(&memory->arena);
    rg_arena_free(&memory->work);
}

/* work: memory of this problem. False: no memory. */
static bool solve_islands(Layout *s, RgArena *work, RgQuickReport *report)
{
    RgQuick *q = &s->q;
    if (!rg_quick_articulations_make(q, work))
        return false;
    RgPatchProblem *problem = q->problem;
    int32_t nlanes = q->first_lanes[q->islands.count];
    rg_parallel_for(problem->thread_pool, nlanes, LANES_PER_TASK, prepare_lanes, q);
    rg_quick_prepare_rows(q);
    memcpy(q->V_free, problem->V, (size_t)(RG_BODY_PLACES * problem->nmovers + problem->nsingles) * sizeof *problem->V);

    for (int32_t i = 0; i < s->nlarge; i++)
        solve_island(s, s->large[i], problem->thread_pool);
    int32_t share = s->nsmall / (TASKS_PER_THREAD * rg_thread_pool_size(problem->thread_pool));
    rg_parallel_for(problem->thread_pool, s->nsmall, share < ISLANDS_PER_TASK ? share : ISLANDS_PER_TASK, solve_small,
                    s);

    report->islands = q->islands.count + q->islands.joined;
    for (int32_t k = 0; k < q->islands.count; k++) {
        const Result *r = &s->results[k];
        report->sweeps = r->sweeps > report->sweeps ? r->sweeps : report->sweeps;
        report->unfinished += !r->converged;
        report->guarded += r->guarded != RG_GUARDED_NOT;
        report->unattainable += r->guarded == RG_GUARDED_OVERREACHED;
        report->residual = r->residual > report->residual ? r->residual : report->residual;
        report->residual_impulse = fmax(report->residual_impulse, r->left.impulse);
        report->residual_velocity = fmax(report->residual_velocity, r->left.velocity);
    }
    return true;
}

RgStatus rg_quick_solve(RgQuickMemory *memory, RgPatchProblem *problem, const RgQuickOptions *options,
                        RgQuickReport *report)
{
    *report = (RgQuickReport){0};
    if (memory->cache != NULL && rg_quick_layout_matches(problem, memory->cache->layout)) {
        set_problem(memory->cache, problem, options);
    } else {
        rg_arena_reset(&memory->arena);
        memory->cache = create_layout(&memory->arena, problem, options);
    }
    if (memory->cache == NULL)
        return RG_ERR_MEMORY;
    rg_arena_reset(&memory->work);
    return solve_islands(memory->cache, &memory->work, report) ? RG_OK : RG_ERR_MEMORY;
}

RgStatus rg_quick_solve_once(RgArena *arena, RgPatchProblem *problem, const RgQuickOptions *options,
                             RgQuickReport *report)
{
    *report = (RgQuickReport){0};
    Layout *s = create_layout(arena, problem, options);
    if (s == NULL)
        return RG_ERR_MEMORY;
    return solve_islands(s, arena, report) ? RG_OK : RG_ERR_MEMORY;
}
