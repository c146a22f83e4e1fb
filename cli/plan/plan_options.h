/*
 * plan_options.h - the options of everything that simulates: `rigor run` and `rigor view` share them.
 */
#ifndef RIGOR_PLAN_OPTIONS_H
#define RIGOR_PLAN_OPTIONS_H

#include "io/options.h"
#include "plan/plan_open.h"
#include "plan/plan_solver.h"
#include "plan/plan_stepper.h"

/* Everything of RG_SIMULATION_OPTIONS and --quiet into the plan. false: message printed. */
bool rg_plan_apply_simulation(RgPlan *plan, const RgOptions *options);

/* Every --set JOINT=Q[,Q...] becomes an initial value of the plan. false: message printed. */
bool rg_plan_apply_set(RgPlan *plan, const RgOptions *options);

/* What --help says below the options: about --set; the names of steppers, coordinates and solvers. */
extern const char rg_plan_simulation_notes[];
void rg_plan_print_lists(void);

#define RG_SIMULATION_OPTIONS                                                                                          \
    {"step", "H", "step in seconds (default: the file's own, else 0.001; see below for some steppers)"},               \
        {"stepper", "NAME", "integrator; see below"}, RG_STEPPER_OPTIONS,                                              \
        {"coords", "minimal|maximal", "coordinate form; see below"},                                                   \
        {"set", "JOINT=Q[,Q...]", "initial position of a joint or floating link (may be repeated); see below"},        \
        {"gravity", "X,Y,Z", "m/s^2 (default: the file's own, else 0,0,-9.81)"},                                       \
        {"dissipation", "L", "0 to 1: velocities are scaled by 1 - L after every step"},                               \
        {"no-implicit-damping", NULL, "semi-implicit: joint dampers and springs at the start of the step"},            \
        {"tolerance", "T", "reference: error allowed in a step, 1e-14 to 1 (default 1e-12)"}, RG_SOLVER_OPTIONS,       \
        {"stabilise", "project|none", "what removes position errors of loops and joints (default project)"},           \
        RG_LOAD_OPTIONS

#endif
