/* ode_methods.c - see ode_methods.h. */
#include "ode_methods.h"

#define SLACK 0.1 /* N s */

static const struct {
    const char *solver, *label;
} methods[ODE_METHODS] = {[ODE_PGS] = {"pgs", "quick (pgs)"},
                          [ODE_DANTZIG] = {"dantzig", "world (dantzig)"},
                          [ODE_ROBUST] = {"max-dissipation", "robust (max-dissipation)"},
                          [ODE_QUICK] = {"quick", "our quick"},
                          [ODE_CONE] = {"cone", "our cone"}};

const char *ode_solver(int method)
{
    return methods[method].solver;
}

const char *ode_label(int method)
{
    return methods[method].label;
}

/* How rows are made for a method: ERP 0.2, corrections of any speed that the surfaces allow. */
static RgPgsOptions rows_of(int method, int iterations)
{
    RgPgsOptions rows = rg_pgs_options_for(methods[method].solver);
    if (method == ODE_PGS)
        rg_pgs_preset("ode", &rows);
    rows.iterations = iterations > 0 ? iterations : rows.iterations;
    rows.contact_erp = 0.2;
    return rows;
}

/* The robust method as it was committed: sums of normal impulses up to SLACK above those without friction. As a factor: the
   weight's impulse stands for phase 1's sum. */
static RgExactOptions robust_options(const RgModel *model, const OdeMethod *by, double g)
{
    RgExactOptions exact = rg_exact_options_default();
    exact.max_iterations = by->iterations;
    exact.fall = false; /* what was reached by then is the answer */
    if (!by->tight)
        exact.kappa = 1.0 + SLACK / (rg_model_info(model).mass * g * by->h);
    return exact;
}

RgWorld *ode_world(Lab *lab, RgWorldDef def, const OdeMethod *by)
{
    if (!def.model)
        return NULL;
    const RgPhysicsHints *hints = rg_model_hints(def.model);
    def.gravity = hints->has_gravity ? hints->gravity : (RgVec3){0.0, 0.0, -9.8};
    RgPgsOptions rows = rows_of(by->method, by->iterations);
    RgQuickOptions quick = rg_quick_options_default();
    RgExactOptions exact =
        by->method == ODE_ROBUST ? robust_options(def.model, by, -def.gravity.z) : rg_exact_options_default();
    quick.max_sweeps = by->iterations > 0 ? by->iterations : quick.max_sweeps;
    def.solver = methods[by->method].solver;
    def.pgs = &rows;
    def.quick = &quick;
    def.exact = &exact;
    return lab_world_create(lab, &def);
}

bool ode_step(Lab *lab, RgWorld *world, double h, RgStepReport *report)
{
    RgStepReport own;
    report = report ? report : &own;
    if (rg_world_step(world, h, report) == RG_OK)
        return true;
    lab_fail(lab, "a step was refused: %s %s", rg_status_text(report->status), report->offender);
    return false;
}
