/*
 * test_random_problems.c - ten thousand random problems: well-posed, rank-deficient, mass ratios to 1e6, friction 0 to
 * 100. Solvers are each other's twins: where theory says that velocities are unique (random_bodies.h) all that come to
 * a small residual have the same; elsewhere they must come to one, or say that they did not.
 *
 * quick solves each of them twice: patches between bodies, and rows. dantzig and lemke have pyramids for cones: they
 * count where nothing moves along t2, or nothing rubs. RIGOR_RANDOM_PROBLEMS in the environment: another number of
 * problems, and a table. RIGOR_RANDOM_DUMP: a folder for those that an exact solver could not solve.
 */
#define _POSIX_C_SOURCE 200809L
#include "problem/problem_file.h"
#include "random_bodies.h"

#include <stdio.h>

#define SMALL 1e-9 /* of the largest velocity that rows miss */
#define SAME 1e-6  /* likewise */

static const struct {
    const char *name;
    bool pyramid, patches;
} names[] = {{"dantzig", true, false}, {"lemke", true, false}, {"cone", false, false},
             {"pgs", false, false},    {"quick", false, true}, {"quick", false, false}};
enum { SOLVERS = sizeof names / sizeof names[0] };

typedef struct Count {
    int tried, reached, unique, wrong_word;
} Count;

/* J s of all rows, over the scale. */
static void row_rates(const Bodies *b, double *rate)
{
    for (int i = 0; i < b->p.n; i++)
        rate[i] = rg_problem_row_times(&b->p, i, b->s) / bodies_scale(b);
}

static double furthest(const double *x, const double *y, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

/* A failure in words, and as a file for `rigor solve`, where these are asked for. */
static void tell_failure(Bodies *b, const char *name, double residual, const RgSolveReport *report)
{
    const char *folder = getenv("RIGOR_RANDOM_DUMP");
    char path[600];
    if (getenv("RIGOR_RANDOM_PROBLEMS") != NULL)
        printf("seed %d: %s: %s, residual %.2g, after %d iterations\n", b->seed, name,
               rg_solve_outcome_name(report->outcome), residual, report->iterations);
    if (folder == NULL)
        return;
    snprintf(path, sizeof path, "%s/seed-%d.problem", folder, b->seed);
    bodies_restart(b);
    cr_expect_eq(rg_step_write(&b->p, NULL, path, NULL, NULL), RG_OK);
}

/* One problem by one solver. True: it came to a small residual, b has its answer. */
static bool solve_one(Bodies *b, int k, Count *count)
{
    const RgSolver *solver = rg_solver_find(names[k].name);
    if (solver == NULL || (names[k].pyramid && !b->planar && b->p.n > b->ntouches))
        return false;
    RgSolveReport report = {.outcome = RG_SOLVE_ITERATIONS};
    double residual = names[k].patches ? bodies_solve_patches(b) : bodies_solve(b, solver, 1e-10, &report);
    cr_assert_not(isnan(residual), "%s", names[k].name);
    count->tried++;
    count->reached += residual <= SMALL;
    if (solver->exact && !(residual <= SMALL))
        tell_failure(b, solver->name, residual, &report);
    if (solver->exact && report.outcome == RG_SOLVE_SOLVED)
        count->wrong_word += !(residual <= SMALL);
    return residual <= SMALL;
}

static void compare(uint64_t seed, Shape shape, int friction, Count *count)
{
    static double first[ROWS_MAX], other[ROWS_MAX];
    Bodies *b = bodies_draw(seed, shape, friction);
    bool unique = bodies_unique(b);
    const char *who = NULL;
    for (int k = 0; k < SOLVERS; k++) {
        bool there = solve_one(b, k, &count[k]);
        count[k].unique += there && unique;
        if (!there || !unique)
            continue;
        row_rates(b, who == NULL ? first : other);
        if (who == NULL)
            who = names[k].name;
        else
            cr_expect(furthest(first, other, b->p.n) <= SAME, "seed %llu shape %d friction %d: %s and %s differ by %g",
                      (unsigned long long)seed, (int)shape, friction, who, names[k].name,
                      furthest(first, other, b->p.n));
    }
    free(b);
}

/* None says that it has solved what it has not. Exact solvers solve all but a few of those with friction to 100; sweeps
   all but a few where masses and friction are moderate. */
static void expect_reached(const Count *c, Shape shape, int friction, int who)
{
    const RgSolver *solver = rg_solver_find(names[who].name);
    bool moderate = (shape == WELL_POSED || shape == DEFICIENT) && friction < 2;
    if (solver == NULL)
        return;
    cr_expect_eq(c->wrong_word, 0, "%s says solved %d times in vain", solver->name, c->wrong_word);
    int least = solver->exact && friction < 2 ? c->tried : solver->exact || moderate ? c->tried - c->tried / 100 : 0;
    cr_expect_geq(c->reached, least, "%s, shape %d, friction %d: %d of %d", solver->name, (int)shape, friction,
                  c->reached, c->tried);
}

Test(random_problems, solvers_agree_where_motion_is_unique)
{
    static const char *const shapes[] = {"well-posed", "deficient", "mass ratio", "column"};
    static Count count[SHAPES][3][SOLVERS];
    const char *asked = getenv("RIGOR_RANDOM_PROBLEMS");
    int problems = asked != NULL ? atoi(asked) : 10000;
    for (int i = 0; i < problems; i++)
        compare((uint64_t)i, (Shape)(i % SHAPES), i / SHAPES % 3, count[i % SHAPES][i / SHAPES % 3]);
    for (int k = 0; k < SHAPES * 3 * SOLVERS; k++) {
        int shape = k / (3 * SOLVERS), friction = k / SOLVERS % 3, who = k % SOLVERS;
        const Count *c = &count[shape][friction][who];
        if (asked != NULL)
            printf("%-10s friction %d  %-8s%s tried %5d, solved %5d, of these unique %5d, solved by its word "
                   "alone %d\n",
                   shapes[shape], friction, names[who].name, names[who].patches ? " (patches)" : "", c->tried,
                   c->reached, c->unique, c->wrong_word);
        expect_reached(c, (Shape)shape, friction, who);
    }
}
