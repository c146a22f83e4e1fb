/*
 * doctor_limits.c - what can be wrong with joints' limits and with shapes.
 *
 * A limit of 0 on effort or velocity is legal and almost always an oversight of whoever wrote the file: such
 * a joint cannot be driven.
 *
 * Centre of mass: that of a body lies in the convex hull of its matter. What is tested is weaker and never
 * wrong: whether it lies in the box around all shapes of the link, collision and visual, along the link's
 * axes. Links with half-spaces, height fields or without shapes are passed over.
 */
#include "doctor.h"

#include <math.h>

/* Slack of the box, as a part of its diagonal: shapes are drawn roughly. */
#define OUTSIDE_TOLERANCE 0.01

void rg_doctor_limits(RgDiagnosis *diagnosis)
{
    const RgModel *model = diagnosis->model;
    for (int32_t i = 1; i <= rg_model_info(model).joints; i++) {
        RgJointInfo joint = rg_model_joint(model, (RgJointId){i});
        RgFinding finding = {.check = "limit",
                             .subject = rg_plan_joint_name(diagnosis->plan, model, (RgJointId){i}),
                             .line = joint.line};
        for (int k = 0; k < joint.nv; k++) {
            const RgAxisDef *dof = &joint.dof[k];
            if (dof->effort_limit == 0.0)
                rg_diagnosis_add(diagnosis, finding, "effort limit 0: the joint cannot be driven");
            if (dof->velocity_limit == 0.0)
                rg_diagnosis_add(diagnosis, finding, "velocity limit 0: the joint may not move");
            finding.value = dof->lower;
            if (dof->lower == dof->upper)
                rg_diagnosis_add(diagnosis, finding,
                                 "lower limit = upper limit = %g: the joint has no room to move", dof->lower);
            finding.value = 0.0;
        }
    }
}

/* ------------------------------------------------------------------ shapes */

typedef struct Box {
    double low[3], high[3];
    bool unbounded; /* a shape without bounds */
    int shapes;
} Box;

static void box_add(Box *box, const RgPose *X, const double centre[3], const double half[3])
{
    double p[3] = {X->p.x, X->p.y, X->p.z};
    for (int i = 0; i < 3; i++) {
        const double *row = X->R.m[i];
        double c = p[i] + row[0] * centre[0] + row[1] * centre[1] + row[2] * centre[2];
        double h = fabs(row[0]) * half[0] + fabs(row[1]) * half[1] + fabs(row[2]) * half[2];
        box->low[i] = fmin(box->low[i], c - h);
        box->high[i] = fmax(box->high[i], c + h);
    }
}

static void box_add_mesh(Box *box, const RgShapeInfo *shape)
{
    static const double nothing[3] = {0, 0, 0};
    for (int32_t v = 0; v < shape->mesh.nvertices; v++) {
        const double *p = shape->mesh.vertices + 3 * (size_t)v;
        box_add(box, &shape->X_LS,
                (double[3]){p[0] * shape->size[0], p[1] * shape->size[1], p[2] * shape->size[2]}, nothing);
    }
}

static void box_add_shape(Box *box, const RgShapeInfo *shape)
{
    const double *s = shape->size;
    double half[RG_SHAPE_COUNT][3] = {
        [RG_SHAPE_sphere] = {s[0], s[0], s[0]},
        [RG_SHAPE_box] = {0.5 * s[0], 0.5 * s[1], 0.5 * s[2]},
        [RG_SHAPE_capsule] = {s[0], s[0], 0.5 * s[1] + s[0]},
        [RG_SHAPE_cylinder] = {s[0], s[0], 0.5 * s[1]},
        [RG_SHAPE_ellipsoid] = {s[0], s[1], s[2]},
    };
    if (shape->uri_missing || shape->type == RG_SHAPE_halfspace || shape->type == RG_SHAPE_heightfield ||
        (shape->type == RG_SHAPE_mesh && shape->mesh.nvertices == 0)) {
        box->unbounded = true;
        return;
    }
    box->shapes++;
    if (shape->type == RG_SHAPE_mesh)
        box_add_mesh(box, shape);
    else
        box_add(box, &shape->X_LS, (double[3]){0, 0, 0}, half[shape->type]);
}

static void check_centre(RgDiagnosis *diagnosis, RgLinkId id, const Box *box)
{
    RgLinkInfo link = rg_model_link(diagnosis->model, id);
    if (link.inertia.mass <= 0.0 || link.body < 0 || box->unbounded || box->shapes == 0)
        return;
    double centre[3] = {link.inertia.com.x, link.inertia.com.y, link.inertia.com.z};
    double outside = 0.0, diagonal = 0.0;
    for (int i = 0; i < 3; i++) {
        double d = fmax(fmax(box->low[i] - centre[i], centre[i] - box->high[i]), 0.0);
        outside += d * d;
        diagonal += (box->high[i] - box->low[i]) * (box->high[i] - box->low[i]);
    }
    outside = sqrt(outside);
    if (outside <= OUTSIDE_TOLERANCE * sqrt(diagonal))
        return;
    RgFinding finding = {.check = "centre-of-mass",
                         .subject = rg_plan_link_name(diagnosis->plan, diagnosis->model, id),
                         .line = link.line,
                         .value = outside};
    rg_diagnosis_add(diagnosis, finding,
                     "centre of mass (%.4g, %.4g, %.4g) lies %.3g m or more outside its shapes", centre[0],
                     centre[1], centre[2], outside);
}

void rg_doctor_shapes(RgDiagnosis *diagnosis)
{
    const RgModel *model = diagnosis->model;
    RgModelInfo info = rg_model_info(model);
    Box *boxes = rg_pool_take(&diagnosis->plan->pool, (size_t)info.links + 1, sizeof *boxes);
    for (int i = 0; i <= info.links; i++)
        boxes[i] = (Box){.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};

    /* Boxes around all shapes of each link, and the meshes that are not there. */
    for (int32_t i = 1; i <= info.shapes; i++) {
        RgShapeInfo shape = rg_model_shape(model, (RgShapeId){i});
        box_add_shape(&boxes[shape.link.i], &shape);
        if (!shape.uri_missing)
            continue;
        RgFinding finding = {.check = "mesh",
                             .subject = shape.link.i ? rg_plan_link_name(diagnosis->plan, model, shape.link)
                                                     : "world",
                             .line = shape.line,
                             .uri = shape.uri,
                             .value = NAN};
        rg_diagnosis_add(diagnosis, finding, "%s mesh missing or not readable: %s",
                         shape.is_visual ? "visual" : "collision", shape.uri ? shape.uri : "no name");
    }
    for (int32_t i = 1; i <= info.links; i++)
        check_centre(diagnosis, (RgLinkId){i}, &boxes[i]);
}
