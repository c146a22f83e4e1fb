/* ode_methods.c - see ode_methods.h. */
#include "ode_methods.h"

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
    rows.iterations = iterations;
    rows.contact_erp = 0.2;
    return rows;
}

RgWorld *ode_world(Lab *lab, RgWorldDef def, int method, int iterations)
{
    const RgPhysicsHints *hints = def.model ? rg_model_hints(def.model) : NULL;
    if (!hints)
        return NULL;
    RgPgsOptions rows = rows_of(method, iterations);
    RgQuickOptions quick = rg_quick_options_default();
    RgExactOptions exact = rg_exact_options_default();
    quick.max_sweeps = iterations;
    if (method == ODE_ROBUST) {
        exact.max_iterations = iterations;
        exact.fall = false; /* what was reached by then is the answer */
    }
    def.solver = methods[method].solver;
    def.gravity = hints->has_gravity ? hints->gravity : (RgVec3){0.0, 0.0, -9.8};
    def.pgs = &rows;
    def.quick = &quick;
    def.exact = def.exact ? def.exact : &exact;
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
