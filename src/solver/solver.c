/* solver.c - the table of solvers, the options of `quick`, the options and presets of `pgs`. */
#include "base/kind_names.h"
#include "solver/quick/quick_problem.h"
#include "solver/solver_table.h"

#include <math.h>
#include <string.h>

#define PGS_COOKIE UINT32_C(0x52475047)
#define QUICK_COOKIE UINT32_C(0x52475155)
#define EXACT_COOKIE UINT32_C(0x52474558)

bool rg_problem_alloc(RgArena *arena, RgProblem *p, int n, size_t entries)
{
    p->start = RG_ARENA_ALLOC(arena, int, n + 1);
    p->columns = RG_ARENA_ALLOC(arena, int, entries);
    p->values = RG_ARENA_ALLOC(arena, double, entries);
    p->target = RG_ARENA_ALLOC(arena, double, n);
    p->compliance = RG_ARENA_ALLOC(arena, double, n);
    p->low = RG_ARENA_ALLOC(arena, double, n);
    p->high = RG_ARENA_ALLOC(arena, double, n);
    p->normal = RG_ARENA_ALLOC(arena, int, n);
    p->row_class = RG_ARENA_ALLOC(arena, uint8_t, n);
    p->cone = RG_ARENA_ALLOC(arena, bool, n);
    p->z = RG_ARENA_ALLOC(arena, double, n);
    p->s = RG_ARENA_ALLOC(arena, double, p->nu);
    return !arena->failed;
}

const RgSolver rg_solver_quick = {
    .name = "quick",
    .summary = "block Gauss-Seidel over whole contact patches, accelerated; joints and loops exactly",
    .solve_rows = rg_quick_rows_solve,
    .solve_patches = rg_quick_solve,
    .least_norm = true,
    .refuses = rg_quick_rows_refuse};

static RgStatus solve_pgs(RgArena *arena, RgProblem *p, const RgRowOptions *o, RgSolveReport *report)
{
    return rg_pgs_solve(arena, p, &o->pgs, report);
}

static RgStatus solve_jacobi(RgArena *arena, RgProblem *p, const RgRowOptions *o, RgSolveReport *report)
{
    return rg_pgs_jacobi_solve(arena, p, &o->pgs, report);
}

const RgSolver rg_solver_pgs = {.name = "pgs",
                                .summary = "projected Gauss-Seidel over single rows, joints too (papers 003, 004)",
                                .solve_rows = solve_pgs};

const RgSolver rg_solver_pgs_jacobi = {.name = "pgs:jacobi",
                                       .summary = "the same in chunks of rows beside each other (paper 003)",
                                       .solve_rows = solve_jacobi};

#define SOLVER_ENTRY(name) &rg_solver_##name,
static const RgSolver *const solvers[] = {SOLVER_TABLE(SOLVER_ENTRY)};
#undef SOLVER_ENTRY

#define SOLVER_COUNT ((int)(sizeof solvers / sizeof solvers[0]))

RG_KIND_NAMES(rg_solver, solvers, SOLVER_COUNT)

const RgSolver *rg_solver_find(const char *name)
{
    for (int i = 0; i < SOLVER_COUNT; i++)
        if (strcmp(solvers[i]->name, name) == 0)
            return solvers[i];
    return NULL;
}

bool rg_solver_takes_patches(const char *name)
{
    const RgSolver *found = rg_solver_find(name);
    return found != NULL && found->solve_patches != NULL;
}

bool rg_solver_is_exact(const char *name)
{
    const RgSolver *found = rg_solver_find(name);
    return found != NULL && found->exact;
}

/* ------------------------------------------------------------------ options of quick */

RgQuickOptions rg_quick_options_default(void)
{
    return (RgQuickOptions){.cookie = QUICK_COOKIE,
                            .max_sweeps = 50,
                            .tolerance = 1e-5,
                            .motion_slack = 1e4,
                            .least_norm = true,
                            .accelerate = true};
}

RgStatus rg_quick_options_check(const RgQuickOptions *o, const char **what)
{
    const char *wrong = NULL;
    if (o->cookie != QUICK_COOKIE)
        wrong = "options of quick must start from rg_quick_options_default()";
    else if (o->max_sweeps < 1)
        wrong = "max_sweeps must be at least 1";
    else if (!(o->tolerance >= 0.0))
        wrong = "tolerance must not be negative";
    else if (!(o->motion_slack >= 0.0))
        wrong = "motion_slack must not be negative (0: all islands converge to tolerance)";
    else if (!(o->max_visits >= 0.0))
        wrong = "max_visits must not be negative (0: no budget)";
    if (wrong != NULL && what != NULL)
        *what = wrong;
    return wrong == NULL ? RG_OK : RG_ERR_ARGUMENT;
}

/* ------------------------------------------------------------------ options of exact solvers */

RgExactOptions rg_exact_options_default(void)
{
    return (RgExactOptions){
        .cookie = EXACT_COOKIE, .tolerance = 1e-10, .sides = 8, .kappa = 1.0, .least_norm = true, .fallback = true};
}

RgStatus rg_exact_options_check(const RgExactOptions *o, const char **what)
{
    const char *wrong = NULL;
    if (o->cookie != EXACT_COOKIE)
        wrong = "options of exact solvers must start from rg_exact_options_default()";
    else if (!(o->tolerance >= 0.0))
        wrong = "tolerance must not be negative";
    else if (o->max_iterations < 0)
        wrong = "max_iterations must not be negative";
    else if (o->sides < 4 || o->sides > 16)
        wrong = "sides must lie between 4 and 16";
    else if (!(o->kappa >= 0.0 && o->kappa_slack >= 0.0 && o->viscous >= 0.0))
        wrong = "kappa, kappa_slack and viscous must not be negative";
    if (wrong != NULL && what != NULL)
        *what = wrong;
    return wrong == NULL ? RG_OK : RG_ERR_ARGUMENT;
}

const char *rg_solve_outcome_name(RgSolveOutcome outcome)
{
    static const char *const names[] = {[RG_SOLVE_SOLVED] = "solved",
                                        [RG_SOLVE_ITERATIONS] = "iterations",
                                        [RG_SOLVE_RAY] = "ray",
                                        [RG_SOLVE_INFEASIBLE] = "infeasible",
                                        [RG_SOLVE_SINGULAR] = "singular"};
    return (unsigned)outcome < sizeof names / sizeof names[0] ? names[outcome] : "unknown";
}

/* ------------------------------------------------------------------ options of pgs */

RgPgsOptions rg_pgs_options_default(void)
{
    return (RgPgsOptions){.cookie = PGS_COOKIE,
                          .iterations = 50,
                          .sor = 1.3,
                          .friction_sor = 1.0,
                          .friction_sweeps = 10,
                          .joint_blocks = true,
                          .chunks = 4,
                          .mass_splitting = true};
}

/* A preset changes the options that differ from the defaults. */
static void preset_default(RgContactLaw *law, RgPgsOptions *o)
{
    (void)law;
    (void)o;
}

/* The Open Dynamics Engine 0.16, whose methods papers 003 and 004 describe, with its own defaults: 20 sweeps, SOR 1.3,
   ERP 0.2, CFM 1e-10, no bound on corrections, contacts only where shapes overlap. */
static void preset_ode(RgContactLaw *law, RgPgsOptions *o)
{
    o->iterations = 20;
    o->friction_sweeps = 0;
    o->order = RG_PGS_AS_ODE;
    o->joint_blocks = false;
    law->warm_start = law->joint_warm_start = 0.0;
    law->contact_erp = 0.2;
    law->soft_length = 0.0;
    law->friction = RG_FRICTION_PYRAMID;
    law->cfm = 1e-10;
    law->max_joint_correction = law->rigid_max_vel = INFINITY;
    law->only_overlaps = law->single_points = true;
}

/* Its extensions for the DARPA Virtual Robotics Challenge (paper 004), with the values used there. */
static void preset_gazebo_vrc(RgContactLaw *law, RgPgsOptions *o)
{
    o->sor = 1.4;
    o->friction_sor = 0.25;
    o->friction_sweeps = 10;
    o->smoothing = 0.01;
    o->smoothing_kind = RG_PGS_SMOOTH_IMPULSE;
    o->joint_blocks = false;
    law->warm_start = 0.0; /* contacts were new objects in each step */
    law->contact_erp = 0.2;
    law->soft_length = 0.0;
    law->friction = RG_FRICTION_PYRAMID;
    law->max_correcting_velocity = 100.0;
    law->split_impulse = true;
    law->split_velocity = INFINITY; /* limited by the surface parameters only */
    law->inertia_ratio = 200.0;
}

static const struct {
    const char *name;
    void (*change)(RgContactLaw *law, RgPgsOptions *options);
} presets[] = {
    {"default", preset_default},
    {"ode", preset_ode},
    {"gazebo-vrc", preset_gazebo_vrc},
};

#define PRESET_COUNT ((int)(sizeof presets / sizeof presets[0]))

int rg_pgs_preset_count(void)
{
    return PRESET_COUNT;
}

const char *rg_pgs_preset_name(int index)
{
    return index >= 0 && index < PRESET_COUNT ? presets[index].name : NULL;
}

RgStatus rg_pgs_preset(const char *name, RgContactLaw *law, RgPgsOptions *options)
{
    for (int i = 0; i < PRESET_COUNT; i++)
        if (strcmp(presets[i].name, name) == 0) {
            *law = rg_contact_law_default();
            *options = rg_pgs_options_default();
            presets[i].change(law, options);
            return RG_OK;
        }
    return RG_ERR_NOT_FOUND;
}

RgStatus rg_pgs_options_check(const RgPgsOptions *o, const char **what)
{
    const char *wrong = NULL;
    if (o->cookie != PGS_COOKIE)
        wrong = "options of pgs must start from rg_pgs_options_default()";
    else if (o->iterations < 0 || o->friction_sweeps < 0 || o->chunks < 1)
        wrong = "iterations and friction_sweeps must not be negative, chunks at least 1";
    else if (!(o->tolerance >= 0.0))
        wrong = "tolerance must not be negative";
    else if (!(o->sor > 0.0 && o->sor < 2.0 && o->friction_sor > 0.0 && o->sor * o->friction_sor < 2.0))
        wrong = "sor, and sor times friction_sor, must lie between 0 and 2";
    else if (!(o->smoothing >= 0.0 && o->smoothing < 1.0))
        wrong = "smoothing must be at least 0 and below 1";
    else if ((int)o->order < RG_PGS_BY_KIND || (int)o->order > RG_PGS_AS_ODE)
        wrong = "no such order";
    else if ((int)o->smoothing_kind < RG_PGS_SMOOTH_CHANGE || (int)o->smoothing_kind > RG_PGS_SMOOTH_IMPULSE)
        wrong = "no such smoothing_kind";
    else if (o->seed < 0)
        wrong = "seed must not be negative";
    if (wrong != NULL && what != NULL)
        *what = wrong;
    return wrong == NULL ? RG_OK : RG_ERR_ARGUMENT;
}
