/*
 * doctor_inertia.c - checks of masses and inertias.
 *
 * Principal moments I1 <= I2 <= I3 of a rigid body satisfy 0 <= I1 and I3 <= I1 + I2 for any distribution of mass.
 *
 * Inertia ratio across a joint: links welded together count as one body. With A and B the rotational inertias
 * of the two bodies, each about its own centre of mass, all joints at q = 0,
 *
 *   ratio = max over directions u of  max(u'A u / u'B u,  u'B u / u'A u)
 *
 * the largest eigenvalue of B^-1 A or of A^-1 B. If the principal axes agree it is the largest ratio of
 * moments about a common axis. The larger it is, the slower iterative solvers in maximal coordinates converge.
 */
#include "model/doctor.h"

#include "model/sym3.h"

#include <math.h>

/* Relative. Files give three or four digits, so rounding may violate the inequality. */
#define TRIANGLE_TOLERANCE 1e-3

#define RATIO_DOUBTFUL 1000.0

void rg_doctor_inertia(RgDiagnosis *diagnosis)
{
    const RgModel *model = diagnosis->model;
    int32_t links = rg_model_info(model).links;
    for (int32_t i = 1; i <= links; i++) {
        RgLinkInfo link = rg_model_link(model, (RgLinkId){i});
        RgFinding finding = {.is_error = true,
                             .check = "inertia",
                             .subject = rg_plan_link_name(diagnosis->plan, model, (RgLinkId){i}),
                             .line = link.line,
                             .value = NAN};
        double I[3];
        rg_principal_moments(&link.inertia, I, NULL);
        if (link.inertia.mass == 0.0 && I[2] == 0.0)
            continue;

        /* Impossible for any distribution of mass. */
        if (I[0] < 0.0) {
            finding.value = I[0];
            rg_diagnosis_add(diagnosis, finding, "inertia not positive: principal moments %.6g, %.6g, %.6g kg m^2",
                             I[0], I[1], I[2]);
        } else if (I[2] > (I[0] + I[1]) * (1.0 + TRIANGLE_TOLERANCE)) {
            finding.value = I[2] - I[0] - I[1];
            rg_diagnosis_add(diagnosis, finding,
                             "triangle inequality broken: principal moments %.6g, %.6g, %.6g kg m^2, the "
                             "largest exceeds the sum "
                             "%.6g of the others",
                             I[0], I[1], I[2], I[0] + I[1]);
        }

        /* Possible only for points and lines. */
        finding.is_error = false;
        if (link.inertia.mass > 0.0 && I[0] == 0.0)
            rg_diagnosis_add(diagnosis, finding,
                             "mass %.6g kg but no inertia about some axis: moments %.6g, %.6g, %.6g kg m^2",
                             link.inertia.mass, I[0], I[1], I[2]);
        if (link.inertia.mass == 0.0 && I[2] > 0.0)
            rg_diagnosis_add(diagnosis, finding, "inertia up to %.6g kg m^2 but no mass", I[2]);
    }
}

/* ------------------------------------------------------------------ welded bodies at q = 0 */

/* Mass, first moment and rotational inertia of each body in world axes, at q = 0. */
typedef struct Bodies {
    RgInertia *inertia; /* com and I about the com, world */
    RgMat3 *R_WL;       /* of the links, index i of the id */
    int count;
} Bodies;

/* Adds a part, both inertias about their own centres of mass: Steiner's term is m1 m2 / (m1 + m2) on the line
 * between them. */
static void merge(RgInertia *whole, const RgInertia *part)
{
    double m = whole->mass + part->mass;
    RgVec3 d = {part->com.x - whole->com.x, part->com.y - whole->com.y, part->com.z - whole->com.z};
    double k = m > 0.0 ? whole->mass * part->mass / m : 0.0, w = m > 0.0 ? part->mass / m : 0.0;
    whole->I.xx += part->I.xx + k * (d.y * d.y + d.z * d.z);
    whole->I.yy += part->I.yy + k * (d.x * d.x + d.z * d.z);
    whole->I.zz += part->I.zz + k * (d.x * d.x + d.y * d.y);
    whole->I.xy += part->I.xy - k * d.x * d.y;
    whole->I.xz += part->I.xz - k * d.x * d.z;
    whole->I.yz += part->I.yz - k * d.y * d.z;
    whole->com = (RgVec3){whole->com.x + w * d.x, whole->com.y + w * d.y, whole->com.z + w * d.z};
    whole->mass = m;
}

static bool weld_bodies(const RgDiagnosis *diagnosis, Bodies *bodies)
{
    const RgModel *model = diagnosis->model;
    RgPool *pool = &diagnosis->plan->pool;
    RgModelInfo info = rg_model_info(model);
    bodies->count = info.bodies;
    bodies->inertia = rg_pool_take(pool, (size_t)info.bodies, sizeof *bodies->inertia);
    bodies->R_WL = rg_pool_take(pool, (size_t)info.links + 1, sizeof *bodies->R_WL);

    /* Poses of the links at q = 0. */
    double *q = rg_pool_take(pool, (size_t)info.nq + 1, sizeof *q);
    rg_model_neutral(model, q);
    RgDynamics *dynamics = rg_dynamics_create(model, NULL);
    bool good = dynamics && rg_forward_kinematics(dynamics, q, NULL) == RG_OK;

    for (int32_t i = 1; good && i <= info.links; i++) {
        RgLinkInfo link = rg_model_link(model, (RgLinkId){i});
        RgPose X = rg_link_pose(dynamics, (RgLinkId){i});
        RgVec3 c = link.inertia.com;
        RgInertia part = {.mass = link.inertia.mass, .I = rg_sym3_rotate(X.R, link.inertia.I)};
        part.com = (RgVec3){X.p.x + X.R.m[0][0] * c.x + X.R.m[0][1] * c.y + X.R.m[0][2] * c.z,
                            X.p.y + X.R.m[1][0] * c.x + X.R.m[1][1] * c.y + X.R.m[1][2] * c.z,
                            X.p.z + X.R.m[2][0] * c.x + X.R.m[2][1] * c.y + X.R.m[2][2] * c.z};
        bodies->R_WL[i] = X.R;
        if (link.body >= 0)
            merge(&bodies->inertia[link.body], &part);
    }
    rg_dynamics_destroy(dynamics);
    return good;
}

/* R'u, with the sign that makes its largest component positive; components of round-off size become 0. */
static RgVec3 direction_in(RgMat3 R, RgVec3 u)
{
    double x[3], largest = 0.0;
    for (int i = 0; i < 3; i++) {
        x[i] = R.m[0][i] * u.x + R.m[1][i] * u.y + R.m[2][i] * u.z;
        largest = fabs(x[i]) > fabs(largest) ? x[i] : largest;
    }
    for (int i = 0; i < 3; i++)
        x[i] = fabs(x[i]) < 1e-9 ? 0.0 : x[i] * copysign(1.0, largest);
    return (RgVec3){x[0], x[1], x[2]};
}

/* The ratio of the two bodies of a joint; 0 if one of them has no inertia. */
static RgInertiaRatio joint_ratio(const RgDiagnosis *diagnosis, const Bodies *bodies, RgJointId id)
{
    const RgModel *model = diagnosis->model;
    RgJointInfo joint = rg_model_joint(model, id);
    RgInertiaRatio out = {.ratio = 0.0};
    int parent = joint.parent.i ? rg_model_link(model, joint.parent).body : -1;
    int child = joint.child.i ? rg_model_link(model, joint.child).body : -1;
    if (parent < 0 || child < 0 || parent == child)
        return out;

    double up, down;
    RgVec3 u, d;
    if (!rg_sym3_ratio(bodies->inertia[parent].I, bodies->inertia[child].I, &up, &u) ||
        !rg_sym3_ratio(bodies->inertia[child].I, bodies->inertia[parent].I, &down, &d))
        return out;
    bool parent_heavy = up >= down;
    out.ratio = parent_heavy ? up : down;
    out.direction = direction_in(bodies->R_WL[joint.child.i], parent_heavy ? u : d);
    out.heavy = rg_plan_link_name(diagnosis->plan, model, parent_heavy ? joint.parent : joint.child);
    out.light = rg_plan_link_name(diagnosis->plan, model, parent_heavy ? joint.child : joint.parent);
    out.joint = rg_plan_joint_name(diagnosis->plan, model, id);
    return out;
}

void rg_doctor_inertia_ratio(RgDiagnosis *diagnosis)
{
    Bodies bodies;
    if (!weld_bodies(diagnosis, &bodies))
        return;
    int32_t joints = rg_model_info(diagnosis->model).joints;
    for (int32_t i = 1; i <= joints; i++) {
        RgInertiaRatio found = joint_ratio(diagnosis, &bodies, (RgJointId){i});
        if (found.ratio > diagnosis->worst.ratio)
            diagnosis->worst = found;
        if (found.ratio <= RATIO_DOUBTFUL)
            continue;
        RgFinding finding = {.check = "inertia-ratio",
                             .subject = found.joint,
                             .value = found.ratio,
                             .line = rg_model_joint(diagnosis->model, (RgJointId){i}).line};
        rg_diagnosis_add(diagnosis, finding, "inertia ratio %.0f of %s to %s about (%.3g, %.3g, %.3g)", found.ratio,
                         found.heavy, found.light, found.direction.x, found.direction.y, found.direction.z);
    }
}

void rg_doctor_massless(RgDiagnosis *diagnosis)
{
    const RgModel *model = diagnosis->model;
    RgModelInfo info = rg_model_info(model);
    double *mass = rg_pool_take(&diagnosis->plan->pool, (size_t)info.bodies + 1, sizeof *mass);
    for (int32_t i = 1; i <= info.links; i++) {
        RgLinkInfo link = rg_model_link(model, (RgLinkId){i});
        if (link.body >= 0)
            mass[link.body] += link.inertia.mass;
    }

    /* One finding per body, at its first link. */
    for (int32_t i = 1; i <= info.links; i++) {
        RgLinkInfo link = rg_model_link(model, (RgLinkId){i});
        if (link.body < 0 || mass[link.body] > 0.0)
            continue;
        mass[link.body] = 1.0;
        RgFinding finding = {.check = "massless",
                             .subject = rg_plan_link_name(diagnosis->plan, model, (RgLinkId){i}),
                             .line = link.line,
                             .value = 0.0};
        rg_diagnosis_add(diagnosis, finding, "moves but has no mass");
    }
}
