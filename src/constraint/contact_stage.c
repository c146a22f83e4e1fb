/*
 * contact_stage.c - contacts and bounded rows of a step: problem, solution, velocities.
 */
#include "constraint/contact_stage.h"

/* Sweeps, until no drive that stands aside is beyond its bounds. */
static RgStatus sweep(RgContactStage *stage, int *sweeps)
{
    bool again = true;
    RgStatus status = rg_rows_aside_begin(stage) ? RG_OK : RG_ERR_MEMORY;
    while (status == RG_OK && again) {
        if (!rg_contact_rows(stage))
            return RG_ERR_MEMORY;
        status = rg_quick_solve(&stage->solver_memory, &stage->problem, &stage->quick, &stage->report);
        if (status != RG_OK)
            return status;
        *sweeps += stage->report.sweeps;
        rg_contact_rows_end(stage);
        status = rg_rows_aside_end(stage, &again) ? RG_OK : RG_ERR_MEMORY;
    }
    return status;
}

/* The problem at u, and u with its solution. */
static RgStatus solve(RgContactStage *stage, const RgContactScene *scene, const RgContactView *contacts,
                      const RgContactStep *step, double *u)
{
    int sweeps = 0;
    bool again = true;
    RgStatus status = RG_OK;
    rg_drives_in_mass_find(stage);
    stage->in_mass.begun = false;
    while (status == RG_OK && again) {
        stage->work = 0.0;
        if (!rg_drives_in_mass_begin(stage, step->diagonal, u))
            return RG_ERR_SINGULAR;
        if (!rg_contact_movers(stage, contacts, u) || !rg_contact_patches(stage, contacts, step->h))
            return RG_ERR_MEMORY;
        rg_warm_begin(stage, scene, contacts, step);
        status = sweep(stage, &sweeps);
        if (status == RG_OK)
            rg_contact_apply(stage, u);
        again = status == RG_OK && rg_drives_in_mass_end(stage, u);
    }
    stage->report.sweeps = sweeps;
    return status;
}

RgStatus rg_contact_solve(RgContactStage *stage, RgContactScene *scene, const RgContactView *contacts,
                          const RgContactStep *step, double *u)
{
    stage->report = (RgQuickReport){0};
    stage->nforces = contacts->npoints;
    stage->reported = contacts->npoints == 0;
    stage->h = step->h;
    stage->work = 0.0;
    rg_contact_rows_find(stage, step->t, step->h);
    rg_warm_rows_begin(stage, step);
    if (contacts->npoints > 0 || stage->nrows > 0) {
        RgStatus status = solve(stage, scene, contacts, step, u);
        if (status != RG_OK)
            return status;
        rg_warm_end(stage, contacts);
    }
    bool kept = rg_warm_rows_keep(stage, step) &&
                (scene == NULL ||
                 rg_contact_scene_remember(scene, contacts, step->last, stage->point_impulses, step->next));
    if (kept)
        rg_warm_moments_keep(stage, contacts, step->next);
    return kept ? RG_OK : RG_ERR_MEMORY;
}
