/* law_options.c - RgContactLaw: defaults, defaults per solver, range checks. */
#include "solver/solver_table.h"

#include <math.h>

#define LAW_COOKIE UINT32_C(0x52474c57)

RgContactLaw rg_contact_law_default(void)
{
    return (RgContactLaw){.cookie = LAW_COOKIE,
                          .erp = 0.2,
                          .contact_erp = 0.02,
                          .deep_erp = 0.1,
                          .max_correcting_velocity = INFINITY,
                          .max_joint_correction = 1.0,
                          .rigid_max_vel = 0.1,
                          .near_gap = 1e-4,
                          .soft_length = 1e-5,
                          .friction = RG_FRICTION_CONE,
                          .restitution = RG_RESTITUTION_NEWTON,
                          .warm_start = 0.99,
                          .joint_warm_start = 0.5};
}

RgContactLaw rg_contact_law_for(const char *solver)
{
    RgContactLaw law = rg_contact_law_default();
    const RgSolver *found = rg_solver_find(solver);
    if (found != NULL && (found->exact || found->solve_patches != NULL))
        law.warm_start = law.joint_warm_start = 1.0;
    if (found != NULL && found->boxes)
        law.friction = RG_FRICTION_PYRAMID;
    return law;
}

static bool is_fraction(double x)
{
    return x >= 0.0 && x <= 1.0;
}

static bool is_finite_length(double x)
{
    return x >= 0.0 && isfinite(x);
}

RgStatus rg_contact_law_check(const RgContactLaw *l, const char **what)
{
    const char *wrong = NULL;
    if (l->cookie != LAW_COOKIE)
        wrong = "a contact law must start from rg_contact_law_default()";
    else if (!is_fraction(l->erp) || !is_fraction(l->contact_erp) || !is_fraction(l->deep_erp))
        wrong = "erp, contact_erp and deep_erp must lie between 0 and 1";
    else if (!(l->max_correcting_velocity >= 0.0 && l->split_velocity >= 0.0))
        wrong = "max_correcting_velocity and split_velocity must not be negative";
    else if (!(l->max_joint_correction >= 0.0))
        wrong = "max_joint_correction must not be negative";
    else if (!(l->rigid_max_vel > 0.0))
        wrong = "rigid_max_vel must be positive";
    else if (!is_finite_length(l->near_gap) || !is_finite_length(l->soft_length))
        wrong = "near_gap and soft_length must be finite and not negative";
    else if (!(l->cfm >= 0.0 && isfinite(l->cfm)))
        wrong = "cfm must be finite and not negative";
    else if ((int)l->friction < RG_FRICTION_NONE || (int)l->friction > RG_FRICTION_CONE)
        wrong = "no such friction";
    else if ((int)l->restitution < RG_RESTITUTION_NEWTON || (int)l->restitution > RG_RESTITUTION_POISSON)
        wrong = "no such restitution";
    else if (!(l->inertia_ratio == 0.0 || (l->inertia_ratio >= 1.0 && isfinite(l->inertia_ratio))))
        wrong = "inertia_ratio must be 0 or at least 1";
    else if (!(l->inertia_factor >= 0.0 && l->inertia_factor <= 0.5))
        wrong = "inertia_factor must lie between 0 and 0.5";
    else if (!is_fraction(l->warm_start) || !is_fraction(l->joint_warm_start))
        wrong = "warm_start and joint_warm_start must lie between 0 and 1";
    if (wrong != NULL && what != NULL)
        *what = wrong;
    return wrong == NULL ? RG_OK : RG_ERR_ARGUMENT;
}
