/*
 * doctor_limits.c - checks of joint limits and of shapes.
 *
 * A limit of 0 on effort or velocity is legal and almost always an oversight: such a joint cannot be driven. A joint
 * whose limits do not contain its neutral position starts outside of them. A gear without a rotor lacks what is often
 * most of the inertia at the joint.
 *
 * The centre of mass of a body lies in the convex hull of its matter. The hull is that of the link's collision
 * shapes, or of its visual shapes if it has no others; links without bounded shapes are skipped.
 */
#include "model/doctor.h"

#include "plan/limits_outside.h"

#include <math.h>

/* m: shapes are drawn roughly, and numbers in files rounded. */
#define OUTSIDE_TOLERANCE 0.001

static void check_gear(RgDiagnosis *diagnosis, RgFinding finding, const RgAxisDef *dof)
{
    if (fabs(dof->gear_ratio) <= 1.0 || dof->rotor_inertia > 0.0)
        return;
    finding.check = "gear";
    finding.is_note = true;
    finding.value = dof->gear_ratio;
    rg_diagnosis_add(
        diagnosis, finding,
        "gear ratio %g without a rotor inertia: the motor's %g times its rotor's is left out of the motion",
        dof->gear_ratio, dof->gear_ratio * dof->gear_ratio);
}

/* A joint starts at its neutral position unless it is set. */
static void check_neutral(RgDiagnosis *diagnosis, RgJointId joint, RgFinding finding)
{
    const RgModel *model = diagnosis->model;
    RgPool *pool = &diagnosis->plan->pool;
    int at = rg_model_joint(model, joint).q_index, count = 0;
    double *q = rg_pool_take(pool, (size_t)rg_model_info(model).nq + 1, sizeof *q);
    rg_model_neutral(model, q);
    RgOutside *list = at >= 0 ? rg_limits_outside(pool, model, joint, q + at, NULL, &count) : NULL;
    for (int i = 0; i < count; i++) {
        finding.value = list[i].excess;
        rg_diagnosis_add(diagnosis, finding, "its neutral position %g is %s: it starts there unless it is set",
                         list[i].position, rg_outside_text(pool, model, &list[i]));
    }
}

void rg_doctor_limits(RgDiagnosis *diagnosis)
{
    const RgModel *model = diagnosis->model;
    int32_t joints = rg_model_info(model).joints;
    for (int32_t i = 1; i <= joints; i++) {
        RgJointInfo joint = rg_model_joint(model, (RgJointId){i});
        RgFinding finding = {.check = "limit",
                             .subject = rg_plan_joint_name(diagnosis->plan, model, (RgJointId){i}),
                             .line = joint.line};
        check_neutral(diagnosis, (RgJointId){i}, finding);
        for (int k = 0; k < joint.nv; k++) {
            const RgAxisDef *dof = &joint.dof[k];
            if (dof->effort_limit == 0.0)
                rg_diagnosis_add(diagnosis, finding, "effort limit 0: the joint cannot be driven");
            if (dof->velocity_limit == 0.0)
                rg_diagnosis_add(diagnosis, finding, "velocity limit 0: the joint may not move");
            finding.value = dof->lower;
            if (dof->lower == dof->upper)
                rg_diagnosis_add(diagnosis, finding, "lower limit = upper limit = %g: the joint has no room to move",
                                 dof->lower);
            finding.value = 0.0;
            check_gear(diagnosis, finding, dof);
        }
    }
}

/* ------------------------------------------------------------------ shapes */

static void check_centre(RgDiagnosis *diagnosis, RgLinkId id)
{
    RgLinkInfo link = rg_model_link(diagnosis->model, id);
    RgVec3 c = link.inertia.com;
    double outside = 0.0;
    if (link.inertia.mass <= 0.0 || link.body < 0 ||
        rg_link_hull_distance(diagnosis->model, id, c, &outside) != RG_OK || outside <= OUTSIDE_TOLERANCE)
        return;
    RgFinding finding = {.check = "centre-of-mass",
                         .subject = rg_plan_link_name(diagnosis->plan, diagnosis->model, id),
                         .line = link.line,
                         .value = outside};
    rg_diagnosis_add(diagnosis, finding, "centre of mass (%.4g, %.4g, %.4g) lies %.3g m outside its shapes", c.x, c.y,
                     c.z, outside);
}

void rg_doctor_shapes(RgDiagnosis *diagnosis)
{
    const RgModel *model = diagnosis->model;
    RgModelInfo info = rg_model_info(model);

    for (int32_t i = 1; i <= info.shapes; i++) {
        RgShapeInfo shape = rg_model_shape(model, (RgShapeId){i});
        if (!shape.uri_missing)
            continue;
        RgFinding finding = {.check = "mesh",
                             .subject = shape.link.i ? rg_plan_link_name(diagnosis->plan, model, shape.link) : "world",
                             .line = shape.line,
                             .uri = shape.uri,
                             .value = NAN};
        rg_diagnosis_add(diagnosis, finding, "%s mesh missing or not readable: %s",
                         shape.is_visual ? "visual" : "collision", shape.uri ? shape.uri : "no name");
    }
    for (int32_t i = 1; i <= info.links; i++)
        check_centre(diagnosis, (RgLinkId){i});
}
