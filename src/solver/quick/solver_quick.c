/*
 * solver_quick.c - block Gauss-Seidel over contact patches and rows, with momentum between sweeps.
 *
 * A sweep visits every row, then every patch of an island, colour after colour: each gets the impulses that are right
 * given all others (quick_kernel.h), and the velocities follow at once. Sweeps alone converge slowly where many
 * bodies lie on each other. So between them, g_k being impulses and velocities after sweep k (Nesterov 1983; O'Donoghue
 * and Candes 2015 for the restart):
 *
 *   theta_k+1 = (1 + sqrt(1 + 4 theta_k^2)) / 2        start of the next sweep: g_k + (theta_k - 1) / theta_k+1 (g_k - g_k-1)
 *
 * and theta = 1 again when the sweep went against that motion: sum of (z - z before the sweep) (z - z of g_k-1) below
 * 0. Velocities are linear in the impulses, so both move together. The modes that go through the whole height of a pile
 * are then taken away at once (quick_levels.c): after the first sweep, prepared again at every power of two. Where most
 * patches hold, all of them are solved together at every power of two (quick_newton.c); if that has not made the energy
 * of the solution smaller after RG_QUICK_TRIAL sweeps it is taken back, and not tried again in this problem. The next
 * sweep projects what has left its bounds. Momentum starts again, too, where it keeps patches sliding and sticking in
 * turn: when a sweep changes STALLED times as much as the best one since it began. What still does so after PAUSE_EVERY
 * sweeps mostly ends within PAUSE of them without momentum; a tall pile, which needs it, has it again after them.
 *
 * Convergence, and Newton's method over velocities that finishes what sweeps do not: quick_finish.c.
 *
 * Threads. Small islands are spread over them; in a large one they share the lanes of a colour, one colour after the
 * other. Lanes of one colour never meet, and sums go in the order of the lists: the same bits for any kernel and any
 * number of threads. Norms mix N s and N m s: they only say when to stop.
 *
 * An island that did not rest has its residual evaluated (quick_residual.c).
 * An island whose impulses add energy out of nothing has them scaled back at the end (quick_guard.c).
 *
 * Failure: none but memory. Sweeps are bounded; a patch of two still things is never given.
 */
#include "base/parallel_for.h"
#include "solver/quick/quick_island.h"

#include <math.h>
#include <string.h>

/* Patches from which on an island is worth more than one thread. */
#define LARGE 128
/* Square of how much more than the first sweep a later one may change the impulses, before they are left to sweeps
   alone. */
#define GROWTH2 4.0
/* Square of the part of all impulses below which that is not looked at: from rest the first change is next to none. */
#define COARSE2 1e-3
/* Where rows hang on patches, the last half of the sweeps are no more than that: momentum may raise their bounds
   and them in turn, and must not be what the island ends with. */
#define HASTE 2
/* Sweeps after which an island of a driven group goes on without momentum, which keeps it up where contacts of a stiff
   robot slip and stick in turn (205 of 1000 steps ran out of sweeps, now none). */
#define SWAYING 8
/* And how much of what a sweep changed is taken back before the next: they slip and stick no more in turn (103 of 1000
   steps of a stiff robot ran out of sweeps, now one). */
#define BACK (-0.3)
/* Sweeps of a pile from which on, and from then on every so many, PAUSE of them are made without momentum. */
#define PAUSE_EVERY 60
#define PAUSE 8
/* Square of the growth of a sweep's change over the smallest since momentum began, that starts it again. */
#define STALLED2 9.0
/* Islands (at most, and fewer where a thread would get less than SHARES times that), lanes and movers that a thread
   takes at a time. */
#define FEW_ISLANDS 8
#define SHARES 8
#define FEW_LANES 8
#define FEW_MOVERS 64

typedef RgQuickTurn Turn;
typedef RgQuickSums Sums;
typedef RgQuickCourse Course;

typedef struct Result {
    int sweeps;
    bool rests;
    RgGuarded guarded;
    double residual;
    RgQuickResidual left; /* where it did not rest; else 0 */
} Result;

typedef struct RgQuickKept {
    RgQuick q;
    int32_t *layout; /* what all of this was made for */
    Result *results;
    int32_t *large, *small; /* numbers of islands */
    int32_t nlarge, nsmall;
} RgQuickKept;

typedef RgQuickKept Solve;

/* ------------------------------------------------------------------ sweeps */

/* Impulses of the lanes back to the patches. */
static void write_back(RgPatchProblem *p, const RgPatchLanes *lanes)
{
    for (int lane = 0; lane < lanes->lanes; lane++) {
        RgPatch *patch = &p->patches[lanes->patch[lane]];
        for (int i = 0; i < patch->count; i++)
            for (int k = 0; k < 3; k++)
                patch->z[i][k] = lanes->z[i][k][lane];
    }
}

static void visit(const Turn *t, RgPatchLanes *lanes)
{
    const RgQuick *q = t->q;
    if (lanes->grouped)
        rg_quick_visit_grouped(q, lanes);
    else
        q->kernel->visit(lanes, lanes->lanes, q->problem->V);
    if (t->bound_rows)
        write_back(q->problem, lanes);
}

static void begin(const Turn *t, RgPatchLanes *lanes)
{
    if (lanes->grouped)
        rg_quick_begin_grouped(t->q, lanes);
    else
        t->q->kernel->begin(lanes, lanes->lanes, t->q->problem->V);
}

/* Something done with lanes: those from at on. */
typedef void Act(const Turn *t, RgPatchLanes *lanes);
typedef struct Acts {
    const Turn *turn;
    Act *act;
    int32_t at;
} Acts;

static void act_on(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Acts *a = context;
    for (int32_t i = a->at + first; i < a->at + end; i++)
        a->act(a->turn, &a->turn->q->lanes[i]);
}

/* All lanes of the island, colour after colour. */
static void for_colours(const Turn *t, Act *act)
{
    const RgQuick *q = t->q;
    Acts acts = {t, act, q->first_lanes[t->island]};
    if (t->crew == NULL) {
        act_on(&acts, 0, q->first_lanes[t->island + 1] - acts.at, 0);
        return;
    }
    for (int32_t r = q->first_run[t->island]; r < q->first_run[t->island + 1]; r++) {
        RgCrew *crew = q->runs[r].apart ? t->crew : NULL;
        rg_parallel_for(crew, q->runs[r].end - acts.at, FEW_LANES, act_on, &acts);
        acts.at = q->runs[r].end;
    }
}

/* The same in any order. */
static void for_lanes(const Turn *t, Act *act)
{
    int32_t at = t->q->first_lanes[t->island];
    Acts acts = {t, act, at};
    rg_parallel_for(t->crew, t->q->first_lanes[t->island + 1] - at, FEW_LANES, act_on, &acts);
}

/* Rows are few: one thread does them. Returns their part of the sums. */
static Sums visit_rows(const Turn *t)
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

/* Rows that hang on a patch, once it is visited no more. */
static void bound_rows(const Turn *t)
{
    const RgQuick *q = t->q;
    const RgIsland *island = &q->islands.island[t->island];
    for (int32_t i = 0; i < island->nrows;) {
        int32_t row = q->islands.rows[island->first_row + i];
        rg_quick_bound_row(q, row);
        i += q->problem->rows[row].disc ? 2 : 1;
    }
}

/* Brings the first guess into the velocities. */
static void begin_island(const Turn *t)
{
    const RgIsland *island = &t->q->islands.island[t->island];
    for (int32_t i = 0; i < island->nrows; i++)
        rg_quick_begin_row(t->q, t->q->islands.rows[island->first_row + i]);
    for_colours(t, begin);
}

/* ------------------------------------------------------------------ places of V */

int rg_quick_places(const RgQuick *q, const RgIsland *island, int32_t i, int32_t *at)
{
    if (i < island->nmovers) {
        *at = RG_MOVER_PLACES * q->islands.movers[island->first_mover + i];
        return 6;
    }
    *at = RG_MOVER_PLACES * q->problem->nmovers + q->islands.singles[island->first_single + i - island->nmovers];
    return 1;
}

/* ------------------------------------------------------------------ sums */

/* Sums of an island after a sweep, lane after lane. */
static Sums sum_up(const Turn *t, Sums rows)
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

static int32_t item_count(const RgIsland *island)
{
    return island->nmovers + island->nsingles;
}

/* x += beta (x - before), before = x. */
static inline void advance(double *x, double *before, int count, double beta)
{
    for (int i = 0; i < count; i++) {
        double now = x[i];
        x[i] = now + beta * (now - before[i]);
        before[i] = now;
    }
}

/* The same without motion: it begins here. */
static inline void mark_before(const double *x, double *before, int count)
{
    memcpy(before, x, (size_t)count * sizeof *x);
}

/* Momentum while it moves things. */
typedef struct Push {
    const Turn *turn;
    double beta; /* 0: only remembers where things are */
} Push;

static void push_lanes(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Push *p = context;
    const RgQuick *q = p->turn->q;
    int32_t start = q->first_lanes[p->turn->island];
    for (int32_t i = start + first; i < start + end; i++) {
        RgPatchLanes *l = &q->lanes[i];
        if (p->beta != 0.0)
            advance(&l->z[0][0][0], &l->before[0][0][0], l->points * 3 * RG_LANES, p->beta);
        else
            mark_before(&l->z[0][0][0], &l->before[0][0][0], l->points * 3 * RG_LANES);
    }
}

static void push_velocities(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Push *p = context;
    const RgQuick *q = p->turn->q;
    const RgIsland *island = &q->islands.island[p->turn->island];
    for (int32_t i = first; i < end; i++) {
        int32_t at, count = rg_quick_places(q, island, i, &at);
        if (p->beta != 0.0)
            advance(q->problem->V + at, q->V_before + at, count, p->beta);
        else
            mark_before(q->problem->V + at, q->V_before + at, count);
    }
}

/* Moves everything on by beta, or back; 0: only remembers where it is. */
static void accelerate(const Turn *t, double beta)
{
    const RgQuick *q = t->q;
    const RgIsland *island = &q->islands.island[t->island];
    Push push = {t, beta};
    int32_t nlanes = q->first_lanes[t->island + 1] - q->first_lanes[t->island];
    rg_parallel_for(t->crew, nlanes, FEW_LANES, push_lanes, &push);
    for (int32_t i = 0; i < island->nrows; i++) {
        int32_t row = q->islands.rows[island->first_row + i];
        if (beta != 0.0)
            advance(&q->problem->rows[row].z, &q->row_before[row], 1, beta);
        else
            mark_before(&q->problem->rows[row].z, &q->row_before[row], 1);
    }
    rg_parallel_for(t->crew, item_count(island), FEW_MOVERS, push_velocities, &push);
    for (int32_t i = q->first_group[t->island]; i < q->first_group[t->island + 1]; i++) {
        const RgQuickCoordinates *own = &q->coordinates[q->island_group[i]];
        if (beta != 0.0)
            advance(q->x + own->first, q->x_before + own->first, own->rank, beta);
        else
            mark_before(q->x + own->first, q->x_before + own->first, own->rank);
    }
}

static void move_levels(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Turn *t = context;
    const int32_t *movers = t->q->islands.movers + t->q->islands.island[t->island].first_mover;
    for (int32_t i = first; i < end; i++)
        rg_quick_levels_move(t->q, t->island, movers[i]);
}

static void push_levels(const Turn *t, RgPatchLanes *lanes)
{
    rg_quick_levels_push(t->q, t->island, lanes);
}

/* The correction of whole levels. *useful: as prepared last. */
static void correct_levels(const Turn *t, bool prepare, bool *useful)
{
    const RgQuick *q = t->q;
    if (prepare)
        *useful = rg_quick_levels_prepare(q, t->island);
    if (!*useful)
        return;
    rg_quick_levels_solve(q, t->island);
    rg_parallel_for(t->crew, q->islands.island[t->island].nmovers, FEW_MOVERS, move_levels, (void *)t);
    for_lanes(t, push_levels);
}

/* ------------------------------------------------------------------ islands */

static bool has_bound_rows(const RgPatchProblem *p, const RgIslands *islands, const RgIsland *island)
{
    for (int32_t i = 0; i < island->nrows; i++)
        if (p->rows[islands->rows[island->first_row + i]].patch >= 0)
            return true;
    return false;
}

/* Whether a driven group takes part. */
static bool is_driven(const RgPatchProblem *p, const RgIslands *islands, const RgIsland *island)
{
    for (int32_t i = 0; p->driven && i < island->nmovers; i++) {
        int32_t group = p->movers[islands->movers[island->first_mover + i]].group;
        if (group >= 0 && p->groups[group].driven)
            return true;
    }
    return false;
}

/* A step of Newton's method. False: it is not the time, or it cannot be made. */
static bool leap(const Turn *t, Course *course, const Sums *sums)
{
    const RgQuick *q = t->q;
    if (course->failed || course->n < RG_QUICK_LEAP || (course->n & (course->n - 1)) != 0 ||
        course->n + course->paid + rg_quick_newton_sweeps(q) + RG_QUICK_TRIAL > t->most || !rg_quick_holds(t, course))
        return false;
    accelerate(t, 0.0);
    course->energy = rg_quick_newton_energy(q, t->island);
    course->sums = *sums;
    course->leapt = rg_quick_newton_step(q, t->island);
    course->paid += rg_quick_newton_sweeps(q);
    course->failed = !course->leapt;
    course->trial = course->leapt ? 1 : 0;
    return course->leapt;
}

/* Back to where the last step of Newton's method began. */
static void take_back(const Turn *t)
{
    const RgQuick *q = t->q;
    const RgIsland *island = &q->islands.island[t->island];
    for (int32_t i = q->first_lanes[t->island]; i < q->first_lanes[t->island + 1]; i++)
        mark_before(&q->lanes[i].before[0][0][0], &q->lanes[i].z[0][0][0], q->lanes[i].points * 3 * RG_LANES);
    for (int32_t i = 0; i < item_count(island); i++) {
        int32_t at, count = rg_quick_places(q, island, i, &at);
        mark_before(q->V_before + at, q->problem->V + at, count);
    }
}

/* Is the step of Newton's method worth its sweep? */
static void judge(const Turn *t, Course *course, Sums *sums)
{
    double energy = rg_quick_newton_energy(t->q, t->island);
    bool last = course->trial == RG_QUICK_TRIAL;
    if (energy <= course->energy) {
        course->trial = 0;
        course->theta = 1.0;
        course->first2 = sums->change2 > course->first2 ? sums->change2 : course->first2;
        return;
    }
    course->trial++;
    if (!last)
        return;
    take_back(t);
    *sums = course->sums;
    course->trial = 0;
    course->theta = 1.0;
    course->failed = true;
}

/* What goes on between two sweeps. */
static void between(const Turn *t, Course *course, const Sums *sums)
{
    const RgQuick *q = t->q;
    int n = course->n;
    double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * course->theta * course->theta)), beta = (course->theta - 1.0) / next;
    bool pause = !t->exact && n >= PAUSE_EVERY && n % PAUSE_EVERY < PAUSE;
    bool again = pause || (n > 1 && (sums->along < 0.0 || sums->change2 > STALLED2 * course->least2));
    if (n == 1 || again || sums->change2 < course->least2)
        course->least2 = sums->change2;
    if (again) {
        next = 1.0;
        beta = 0.0;
    }
    course->theta = next;
    course->first2 = n == 1 ? sums->change2 : course->first2;
    course->calm = course->calm || (sums->change2 > GROWTH2 * course->first2 && sums->change2 > COARSE2 * sums->size2);
    if (course->calm || leap(t, course, sums))
        return;
    accelerate(t, beta);
    if (q->levels != NULL)
        correct_levels(t, (n & (n - 1)) == 0, &course->levels);
}

/* Of movers that are alone the one that is farthest from rest speaks for all: by its impulses, and by its
   velocities. */
static Sums worst_lane(const Turn *t)
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

static void keep(const Turn *t, RgPatchLanes *lanes)
{
    write_back(t->q->problem, lanes);
}

/* Velocities of the island as its impulses make them, from none on. */
static void renew_velocities(const Turn *t)
{
    const RgQuick *q = t->q;
    const RgIsland *island = &q->islands.island[t->island];
    for (int32_t i = 0; i < item_count(island); i++) {
        int32_t at, count = rg_quick_places(q, island, i, &at);
        mark_before(q->V_free + at, q->problem->V + at, count);
    }
    for (int32_t i = q->first_group[t->island]; i < q->first_group[t->island + 1]; i++) {
        const RgQuickCoordinates *own = &q->coordinates[q->island_group[i]];
        memset(q->x + own->first, 0, (size_t)own->rank * sizeof *q->x);
    }
    begin_island(t);
}

/* Newton's method over velocities. True: the island may end. */
static bool finish(const Turn *t, Course *course, double *residual)
{
    RgQuickFinish found = rg_quick_finish(t, course, residual);
    if (found == RG_FINISH_NO_ROOT)
        return false;
    renew_velocities(t);
    if (t->bound_rows)
        for_lanes(t, keep);
    return found == RG_FINISH_RESTS;
}

/* One sweep. Returns the rows' part of the sums. */
static Sums sweep(const Turn *t, Course *course)
{
    Sums rows = visit_rows(t);
    for_colours(t, visit);
    course->n++;
    return rows;
}

static void solve_island(Solve *s, int32_t k, RgCrew *crew)
{
    const RgQuick *q = &s->q;
    const RgQuickOptions *options = q->options;
    const RgIsland *island = &q->islands.island[k];
    Turn t = {q,
              k,
              crew,
              has_bound_rows(q->problem, &q->islands, island),
              is_driven(q->problem, &q->islands, island),
              rg_quick_most_sweeps(q),
              island->alone || !options->accelerate || !(options->motion_slack > 1.0)};
    Course course = {.theta = 1.0, .calm = !options->accelerate || island->alone};
    Sums sums = {0};
    bool rests = false;
    double residual = 0.0;
    begin_island(&t);
    rg_quick_finish_plan(&t, &course);
    while (!rests && rg_quick_goes_on(&t, &course)) {
        if (rg_quick_finish_due(&course)) {
            rests = finish(&t, &course, &residual);
            if (rests)
                sweep(&t, &course);
            continue;
        }
        if (course.rounds == 0 && course.n > 0 && !course.calm && course.trial == 0)
            between(&t, &course, &sums);
        else if (course.rounds == 0 && t.driven && course.n >= SWAYING && course.trial == 0)
            accelerate(&t, BACK);
        Sums rows = sweep(&t, &course);
        course.calm = course.calm || (t.bound_rows && course.n >= t.most / HASTE) || (t.driven && course.n >= SWAYING);
        sums = island->alone ? worst_lane(&t) : sum_up(&t, rows);
        course.moved2 = sums.moved2 > course.moved2 ? sums.moved2 : course.moved2;
        residual = sums.size2 > 0.0 ? sqrt(sums.change2 / sums.size2) : 0.0;
        if (course.trial > 0)
            judge(&t, &course, &sums);
        rests = course.trial == 0 && rg_quick_ends(&t, &course, &sums);
    }
    for_lanes(&t, keep);
    if (t.bound_rows && rests)
        bound_rows(&t);
    if (t.bound_rows && !rests)
        visit_rows(&t);
    for (int32_t i = q->first_group[k]; i < q->first_group[k + 1]; i++)
        rg_quick_outputs(q, q->island_group[i], q->x, q->problem->V);
    RgGuarded guarded = rg_quick_guard(q, k, rests);
    s->results[k] = (Result){
        .sweeps = course.n, .rests = rests && guarded == RG_GUARDED_NOT, .guarded = guarded, .residual = residual};
    if (!s->results[k].rests)
        s->results[k].left = rg_quick_residual(q, k);
}

static void solve_small(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    Solve *s = context;
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

static void sort_islands(Solve *s)
{
    for (int32_t k = 0; k < s->q.islands.count; k++)
        if (s->q.islands.island[k].npatches >= LARGE)
            s->large[s->nlarge++] = k;
        else
            s->small[s->nsmall++] = k;
}

/* Memory, islands, lanes: all that the layout says. False: no memory left. */
static bool lay_out(Solve *s, RgArena *arena)
{
    RgQuick *q = &s->q;
    RgPatchProblem *p = q->problem;
    if (!rg_quick_layout_note(arena, p, &s->layout) || !rg_islands_find(arena, p, &q->islands))
        return false;
    int32_t count = q->islands.count;
    size_t all = (size_t)(RG_MOVER_PLACES * p->nmovers + p->nsingles);
    q->first_lanes = RG_TAKE_RAW(arena, int32_t, count + 1);
    q->first_run = RG_TAKE_RAW(arena, int32_t, count + 1);
    q->runs = RG_TAKE_RAW(arena, RgQuickRun, p->npatches);
    s->results = RG_TAKE_RAW(arena, Result, count);
    s->large = RG_TAKE_RAW(arena, int32_t, count);
    s->small = RG_TAKE_RAW(arena, int32_t, count);
    q->per_row = RG_TAKE_RAW(arena, double, p->nrows);
    q->row_before = RG_TAKE_RAW(arena, double, p->nrows);
    q->row_between = RG_TAKE_RAW(arena, double, p->nrows);
    q->V_before = RG_TAKE_RAW(arena, double, all);
    q->V_free = RG_TAKE_RAW(arena, double, all);
    if (arena->failed)
        return false;
    int32_t nlanes = rg_quick_count_lanes(q);
    q->lanes = RG_TAKE_RAW(arena, RgPatchLanes, nlanes);
    if (!rg_quick_levels_take(q, arena) || !rg_quick_newton_take(q, arena) || arena->failed)
        return false;
    rg_quick_deal_lanes(q);
    sort_islands(s);
    return true;
}

static void set(Solve *s, RgPatchProblem *problem, const RgQuickOptions *options)
{
    bool plain = options->plain || rg_patch_kernel_simd.visit == NULL;
    s->q.problem = problem;
    s->q.options = options;
    s->q.kernel = plain ? &rg_patch_kernel : &rg_patch_kernel_simd;
}

/* NULL: no memory left. */
static Solve *make(RgArena *arena, RgPatchProblem *problem, const RgQuickOptions *options)
{
    Solve *s = RG_TAKE(arena, Solve, 1);
    if (s == NULL)
        return NULL;
    set(s, problem, options);
    return lay_out(s, arena) ? s : NULL;
}

void rg_quick_memory_init(RgQuickMemory *memory, const RgAllocator *allocator)
{
    memory->kept = NULL;
    rg_arena_init(&memory->arena, allocator);
    rg_arena_init(&memory->work, allocator);
}

void rg_quick_memory_free(RgQuickMemory *memory)
{
    memory->kept = NULL;
    rg_arena_free(&memory->arena);
    rg_arena_free(&memory->work);
}

/* work: memory of this problem. False: none left. */
static bool run(Solve *s, RgArena *work, RgQuickReport *report)
{
    RgQuick *q = &s->q;
    if (!rg_quick_articulations_make(q, work))
        return false;
    RgPatchProblem *problem = q->problem;
    int32_t nlanes = q->first_lanes[q->islands.count];
    rg_parallel_for(problem->crew, nlanes, FEW_LANES, prepare_lanes, q);
    rg_quick_prepare_rows(q);
    memcpy(q->V_free, problem->V,
           (size_t)(RG_MOVER_PLACES * problem->nmovers + problem->nsingles) * sizeof *problem->V);

    for (int32_t i = 0; i < s->nlarge; i++)
        solve_island(s, s->large[i], problem->crew);
    int32_t share = s->nsmall / (SHARES * rg_crew_size(problem->crew));
    rg_parallel_for(problem->crew, s->nsmall, share < FEW_ISLANDS ? share : FEW_ISLANDS, solve_small, s);

    report->islands = q->islands.count + q->islands.joined;
    for (int32_t k = 0; k < q->islands.count; k++) {
        const Result *r = &s->results[k];
        report->sweeps = r->sweeps > report->sweeps ? r->sweeps : report->sweeps;
        report->unfinished += !r->rests;
        report->guarded += r->guarded != RG_GUARDED_NOT;
        report->overreached += r->guarded == RG_GUARDED_OVERREACHED;
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
    if (memory->kept != NULL && rg_quick_layout_same(problem, memory->kept->layout)) {
        set(memory->kept, problem, options);
    } else {
        rg_arena_reset(&memory->arena);
        memory->kept = make(&memory->arena, problem, options);
    }
    if (memory->kept == NULL)
        return RG_ERR_MEMORY;
    rg_arena_reset(&memory->work);
    return run(memory->kept, &memory->work, report) ? RG_OK : RG_ERR_MEMORY;
}

RgStatus rg_quick_solve_once(RgArena *arena, RgPatchProblem *problem, const RgQuickOptions *options,
                             RgQuickReport *report)
{
    *report = (RgQuickReport){0};
    Solve *s = make(arena, problem, options);
    if (s == NULL)
        return RG_ERR_MEMORY;
    return run(s, arena, report) ? RG_OK : RG_ERR_MEMORY;
}
