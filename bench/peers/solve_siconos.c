/*
 * solve_siconos.c - contact problems in files by the solvers of Siconos (numerics, 4.4).
 *
 * Option sets: Gauss-Seidel over contacts with several solvers of one contact and ways to look at the error; nonsmooth
 * Newton (Alart-Curnier, Jean-Moreau, Fischer-Burmeister, natural map); the proximal point algorithm with Newton
 * inside; ADMM; projections. Everything else is as Siconos sets it.
 */
#define _POSIX_C_SOURCE 200809L
#include "solve_siconos.h"

#include "solve_clock.h"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>

#include <string.h>

/* -1: as Siconos sets it. */
typedef struct OptionSet {
    const char *name;
    int solver, inner; /* inner: solver of one contact, or of the proximal problem */
    int error;         /* how Gauss-Seidel looks at the error */
    int key, value;    /* one more integer option; key -1: none */
} OptionSet;

enum {
    SWEEPS_MAX = 20000,
    FULL = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL,
    LIGHT = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT_WITH_FULL_FINAL
};

static const OptionSet sets[] = {
    {"NSGS", SICONOS_FRICTION_3D_NSGS, -1, -1, -1, 0},
    {"NSGS NSN light", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN, LIGHT, -1, 0},
    {"NSGS NSN full", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN, FULL, -1, 0},
    {"NSGS NSN-GP full", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN_GP, FULL, -1, 0},
    {"NSGS NSN-GP light", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN_GP, LIGHT, -1, 0},
    {"NSGS hybrid light", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN_GP_HYBRID, LIGHT, -1, 0},
    {"NSGS cone full", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnCone, FULL, -1, 0},
    {"NSGS cone light", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnCone, LIGHT, -1, 0},
    {"NSGS cone-local light", SICONOS_FRICTION_3D_NSGS,
     SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration, LIGHT, -1, 0},
    {"NSGS quartic light", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC, LIGHT, -1, 0},
    {"NSN_AC", SICONOS_FRICTION_3D_NSN_AC, -1, -1, -1, 0},
    {"NSN_AC Jean-Moreau", SICONOS_FRICTION_3D_NSN_AC, -1, -1, SICONOS_FRICTION_3D_NSN_FORMULATION,
     SICONOS_FRICTION_3D_NSN_FORMULATION_JEANMOREAU_STD},
    {"NSN_AC no search", SICONOS_FRICTION_3D_NSN_AC, -1, -1, SICONOS_FRICTION_3D_NSN_LINESEARCH,
     SICONOS_FRICTION_3D_NSN_LINESEARCH_NO},
    {"NSN_AC hybrid", SICONOS_FRICTION_3D_NSN_AC, -1, -1, SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY,
     SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN},
    {"NSN_AC_TEST", SICONOS_FRICTION_3D_NSN_AC_TEST, -1, -1, -1, 0},
    {"NSN_FB", SICONOS_FRICTION_3D_NSN_FB, -1, -1, -1, 0},
    {"NSN_NM", SICONOS_FRICTION_3D_NSN_NM, -1, -1, -1, 0},
    {"PROX NSN_AC", SICONOS_FRICTION_3D_PROX, SICONOS_FRICTION_3D_NSN_AC, -1, -1, 0},
    {"PROX NSGS", SICONOS_FRICTION_3D_PROX, SICONOS_FRICTION_3D_NSGS, -1, -1, 0},
    {"ADMM", SICONOS_FRICTION_3D_ADMM, -1, -1, -1, 0},
    {"VI_EG", SICONOS_FRICTION_3D_VI_EG, -1, -1, -1, 0},
    {"VI_FPP", SICONOS_FRICTION_3D_VI_FPP, -1, -1, -1, 0},
};
enum { SETS = sizeof sets / sizeof sets[0] };

int siconos_count(void)
{
    return SETS;
}

const char *siconos_name(int index)
{
    return sets[index].name;
}

static SolverOptions *make_options(const OptionSet *set, double tolerance)
{
    SolverOptions *options = solver_options_create(set->solver);
    if (set->inner >= 0 && options->numberOfInternalSolvers > 0)
        solver_options_update_internal(options, 0, set->inner);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    if (set->solver == SICONOS_FRICTION_3D_NSGS)
        options->iparam[SICONOS_IPARAM_MAX_ITER] = SWEEPS_MAX;
    if (set->error >= 0)
        options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = set->error;
    if (set->key >= 0)
        options->iparam[set->key] = set->value;
    return options;
}

/* One whole solve from zero. */
typedef struct Run {
    FrictionContactProblem *problem;
    const OptionSet *set;
    double tolerance, *reaction, *velocity;
    int rows, code, iterations;
} Run;

static void run_once(void *context)
{
    Run *r = context;
    memset(r->reaction, 0, (size_t)r->rows * sizeof *r->reaction);
    memset(r->velocity, 0, (size_t)r->rows * sizeof *r->velocity);
    SolverOptions *options = make_options(r->set, r->tolerance);
    r->code = fc3d_driver(r->problem, r->reaction, r->velocity, options);
    r->iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(options);
}

/* What of it is not the driver's. */
static void run_without(void *context)
{
    const Run *r = context;
    memset(r->reaction, 0, (size_t)r->rows * sizeof *r->reaction);
    memset(r->velocity, 0, (size_t)r->rows * sizeof *r->velocity);
    solver_options_delete(make_options(r->set, r->tolerance));
}

int siconos_solve(const char *path, int index, double tolerance, SolveTry *result, double *out)
{
    FrictionContactProblem *problem = frictionContact_new_from_filename(path);
    if (problem == NULL)
        return 1;
    Run run = {.problem = problem, .set = &sets[index], .tolerance = tolerance, .rows = 3 * problem->numberOfContacts};
    run.reaction = calloc((size_t)run.rows + 1, sizeof *run.reaction);
    run.velocity = calloc((size_t)run.rows + 1, sizeof *run.velocity);
    if (run.reaction == NULL || run.velocity == NULL)
        return 1;
    result->seconds = best_seconds(run_once, &run);
    result->iterations = run.iterations;
    result->says_solved = run.code == 0;
    memcpy(out, run.reaction, (size_t)run.rows * sizeof *out);
    result->seconds -= best_seconds(run_without, &run);
    return 0;
}
