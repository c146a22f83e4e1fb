/* file_options.c - the contact law and the options of pgs by the <physics> element of a model's file. Values out of
   range are ignored. */
#include "model/model.h"

#include <rigor/sim.h>

#include <math.h>
#include <string.h>

/* Ratio of moments across a hinge from which on inertia is moved, as in the engine that SDF files are written for
   (use_dynamic_moi_rescaling). */
#define FILE_INERTIA_RATIO 200.0

RgContactLaw rg_contact_law_of_model(const RgModel *model, const char *solver)
{
    const RgPhysicsHints *hints = &model->hints;
    RgContactLaw law = rg_contact_law_for(solver);
    if (hints->ode_erp >= 0.0 && hints->ode_erp <= 1.0)
        law.erp = law.contact_erp = law.deep_erp = hints->ode_erp; /* one share at any depth */
    if (hints->ode_cfm >= 0.0 && isfinite(hints->ode_cfm))
        law.cfm = hints->ode_cfm;
    if (hints->ode_max_correcting_vel >= 0.0)
        law.max_correcting_velocity = hints->ode_max_correcting_vel;
    if (rg_solver_takes_patches(solver))
        law.friction = RG_FRICTION_CONE;
    else if (strcmp(hints->friction_model, "pyramid_model") == 0)
        law.friction = RG_FRICTION_PYRAMID;
    else if (strcmp(hints->friction_model, "cone_model") == 0)
        law.friction = RG_FRICTION_CONE;
    else if (strcmp(hints->friction_model, "box_model") == 0)
        law.friction = RG_FRICTION_BOX;
    if (hints->use_dynamic_inertia_scaling)
        law.inertia_ratio = FILE_INERTIA_RATIO;
    return law;
}

RgPgsOptions rg_pgs_options_of_model(const RgModel *model)
{
    const RgPhysicsHints *hints = &model->hints;
    RgPgsOptions options = rg_pgs_options_default();
    if (hints->ode_iterations >= 0)
        options.iterations = hints->ode_iterations;
    if (hints->ode_sor > 0.0 && hints->ode_sor < 2.0)
        options.sor = hints->ode_sor;
    return options;
}
