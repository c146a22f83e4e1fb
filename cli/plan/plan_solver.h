/*
 * plan_solver.h - the solver of a run and its options: from texts of the command line and of run files to the
 * library's structs.
 */
#ifndef RIGOR_PLAN_SOLVER_H
#define RIGOR_PLAN_SOLVER_H

#include "io/options.h"
#include "plan/plan.h"

/* Options of solvers in one place: --solver, --preset, --iterations, --solver-set and the like become settings
   of the plan. false: message printed. */
bool rg_plan_apply_solver(RgPlan *plan, const RgOptions *options);

/* Adds one setting, as text. line 0: from the command line, by that option. */
void rg_plan_add_setting(RgPlan *plan, RgPlanSetting setting);

/* What the library is to be given. */
typedef struct RgSolverChoice {
    RgContactLaw law;
    RgQuickOptions quick;
    RgExactOptions exact;
    RgPgsOptions pgs;
    const char *preset; /* NULL: none */
} RgSolverChoice;

/* Whether there is a solver of the plan's name; error is filled where there is none. */
RgStatus rg_plan_check_solver(RgPlan *plan, RgError *error);

/* Solver and options into def, which points into choice. Law and options of pgs start from the preset, else from
   what the model's file says in <physics>. */
RgStatus rg_plan_choose_solver(RgPlan *plan, const RgModel *model, RgSolverChoice *choice, RgWorldDef *def,
                               RgError *error);

/* Values of the model's <physics> that the chosen solver does not use, as one remark; NULL: none. */
const char *rg_plan_unused_hints(RgPlan *plan, const RgModel *model, const RgWorldDef *def,
                                 const RgSolverChoice *choice);

/* Prints the names of all settings, for --help. */
void rg_plan_print_settings(void);

#define RG_SOLVER_OPTIONS                                                                                              \
    {"no-contact", NULL, "bodies pass through each other"},                                                            \
        {"no-limits", NULL, "joints go beyond their position limits"},                                                 \
        {"velocity-limits", NULL, "joints keep their velocity limits, too"},                                           \
        {"sleeping", NULL, "what has come to rest is frozen until something happens to it"},                           \
        {"solver", "NAME", "solver of contacts, limits and motors (default quick, or cone); see below"},               \
        {"preset", "NAME", "options of pgs to start from: default, ode, gazebo-vrc"},                                  \
        {"iterations", "N", "sweeps at most (default: see below; pgs: or the file's own)"},                            \
        {"solver-tolerance", "T",                                                                                      \
         "what ends the work (quick: relative change, 1e-5; pgs: m/s, 0; exact: residual, 1e-10)"},                    \
        {"budget", "N", "always N sweeps, for real time"},                                                             \
        {"threads", "N", "threads that share the work of a step (default 1); the same bits for any number"},           \
        {"friction", "MODEL", "not quick: cone (default), pyramid, box or none"},                                      \
        {"aid", "NAME[=X]", "contact-erp; not quick: erp, split-impulse, inertia-ratio, poisson (repeatable)"},        \
    {                                                                                                                  \
        "solver-set", "KEY=VALUE", "any other setting of the solver (may be repeated); see below"                      \
    }

#endif
