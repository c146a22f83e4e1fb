/*
 * contact_stage.c - contacts of a step: problem, solution, velocities.
 */
#include "constraint/contact_stage.h"

RgStatus rg_contact_solve(RgContactStage *stage, RgContactScene *scene, const RgContactView *contacts, double h,
                          const RgContactMemory *last, RgContactMemory *next, double *u)
{
    stage->report = (RgQuickReport){0};
    stage->nforces = 0;
    stage->work = 0.0;
    if (contacts->npoints > 0) {
        if (!rg_contact_movers(stage, contacts, u) || !rg_contact_patches(stage, contacts, h))
            return RG_ERR_MEMORY;
        rg_warm_begin(stage, scene, contacts, h, last);
        RgStatus status = rg_quick_solve(&stage->solver_memory, &stage->problem, &stage->quick, &stage->report);
        if (status != RG_OK)
            return status;
        rg_contact_apply(stage, u);
        rg_warm_end(stage, contacts);
        rg_contact_report(stage, contacts, h);
    }
    return rg_contact_scene_remember(scene, contacts, last, stage->point_impulses, h, next) ? RG_OK : RG_ERR_MEMORY;
}
