/* ode_methods.c - see ode_methods.h. */
#include "ode_methods.h"

/* N s: slack of the robust method's limit on the sum of normal impulses, from its archived code. */
#define SLACK 0.1

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

/* Law and sweeps of a method: ERP 0.2, corrections limited by the surfaces alone; quick with its defaults. */
static LabPgs rows_of(const OdeMethod *by)
{
    LabPgs rows = lab_pgs(by->method == ODE_PGS ? "ode" : "default");
    if (by->method != ODE_PGS)
        rows.law = rg_contact_law_for(methods[by->method].solver);
    rows.pgs.iterations = by->iterations > 0 ? by->iterations : rows.pgs.iterations;
    rows.pgs.seed = by->seed;
    rows.law.only_overlaps = by->overlaps;
    rows.law.contact_erp = by->method == ODE_QUICK ? rows.law.contact_erp : 0.2;
    return rows;
}

static RgExactOptions robust_options(const OdeMethod *by)
{
    RgExactOptions exact = rg_exact_options_default();
    exact.max_iterations = by->iterations;
    exact.fallback = false; /* the last iterate is the solution */
    exact.kappa_slack = by->tight ? 0.0 : SLACK;
    return exact;
}

RgWorld *ode_world(Lab *lab, RgWorldDef def, const OdeMethod *by)
{
    if (!def.model)
        return NULL;
    const RgPhysicsHints *hints = rg_model_hints(def.model);
    def.gravity = hints->has_gravity ? hints->gravity : (RgVec3){0.0, 0.0, -9.8};
    LabPgs rows = rows_of(by);
    RgQuickOptions quick = rg_quick_options_default();
    RgExactOptions exact = by->method == ODE_ROBUST ? robust_options(by) : rg_exact_options_default();
    quick.max_sweeps = by->iterations > 0 ? by->iterations : quick.max_sweeps;
    def.solver = methods[by->method].solver;
    lab_use_pgs(&def, &rows);
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
