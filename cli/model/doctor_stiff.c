/*
 * doctor_stiff.c - joint dampers and springs that are too fast for explicit integration at the usual step.
 *
 * At q = 0 an effort on velocity k alone accelerates it by (M^-1)_kk. With damping d and stiffness s
 *
 *   v' = -d (M^-1)_kk v      decays at the rate  d (M^-1)_kk
 *   q" = -s (M^-1)_kk q      swings at the rate  sqrt(s (M^-1)_kk)
 *
 * Fourth-order Runge-Kutta is stable up to rate * step = 2.785 for decay and 2.828 for oscillation. Higher rates at a
 * step of 1 ms are reported; `semi-implicit` evaluates dampers and springs at the end of the step and is stable for
 * any.
 */
#include "model/doctor.h"

#include <math.h>

#define USUAL_STEP 1e-3 /* s */
#define STABLE_DECAY 2.785
#define STABLE_SWING 2.828

/* diagonal[k] = (M^-1)_kk at q = 0; false where M cannot be factored. */
static bool inverse_mass_diagonal(RgDiagnosis *diagnosis, double *diagonal)
{
    const RgModel *model = diagnosis->model;
    RgPool *pool = &diagnosis->plan->pool;
    RgModelInfo info = rg_model_info(model);
    double *q = rg_pool_take(pool, (size_t)info.nq + 1, sizeof *q);
    double *x = rg_pool_take(pool, (size_t)info.nv + 1, sizeof *x);
    rg_model_neutral(model, q);
    RgDynamics *dynamics = rg_dynamics_create(model, NULL);
    bool good = dynamics && rg_mass_factor(dynamics, q) == RG_OK;
    for (int k = 0; good && k < info.nv; k++) {
        for (int i = 0; i < info.nv; i++)
            x[i] = i == k;
        rg_mass_solve(dynamics, x);
        diagonal[k] = x[k];
    }
    rg_dynamics_destroy(dynamics);
    return good;
}

void rg_doctor_stiff(RgDiagnosis *diagnosis)
{
    const RgModel *model = diagnosis->model;
    RgModelInfo info = rg_model_info(model);
    double *diagonal = rg_pool_take(&diagnosis->plan->pool, (size_t)info.nv + 1, sizeof *diagonal);
    if (!inverse_mass_diagonal(diagnosis, diagonal))
        return;
    for (int32_t i = 1; i <= info.joints; i++) {
        RgJointInfo joint = rg_model_joint(model, (RgJointId){i});
        for (int k = 0; k < joint.nv && joint.v_index >= 0; k++) {
            /* Steps below which rk4 is stable for the damper and for the spring. */
            double inverse = diagonal[joint.v_index + k];
            double damper = STABLE_DECAY / (joint.dof[k].damping * inverse);
            double spring = STABLE_SWING / sqrt(joint.dof[k].stiffness * inverse);
            double step = fmin(damper, spring);
            if (!(step < USUAL_STEP))
                continue;
            RgFinding finding = {.check = "stiff",
                                 .subject = rg_plan_joint_name(diagnosis->plan, model, (RgJointId){i}),
                                 .line = joint.line,
                                 .value = step};
            rg_diagnosis_add(diagnosis, finding,
                             "its %s is fast: euler and rk4 need steps below %.2g s, semi-implicit any",
                             damper < spring ? "damper" : "spring", step);
        }
    }
}
