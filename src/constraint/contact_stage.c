/*
 * contact_stage.c - contacts of a step: problem, solution, velocities.
 */
#include "constraint/contact_stage.h"

RgStatus rg_contact_solve(RgContactStage *stage, const RgContactView *contacts, double h, const RgWarmStart *last,
                          RgWarmStart *next, double *u)
{
    stage->report = (RgQuickReport){0};
    if (contacts->npoints == 0) {
        next->count = 0;
        next->h = h;
        return RG_OK;
    }
    if (!rg_contact_movers(stage, contacts, u) || !rg_contact_patches(stage, contacts, h))
        return RG_ERR_MEMORY;
    rg_warm_begin(stage, contacts, h, last);
    RgStatus status = rg_quick_solve(&stage->solver_memory, &stage->problem, &stage->quick, &stage->report);
    if (status != RG_OK)
        return status;
    rg_contact_apply(stage, u);
    return rg_warm_keep(stage, contacts, h, next) ? RG_OK : RG_ERR_MEMORY;
}
