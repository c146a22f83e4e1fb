/*
 * chain_fall.c - see chain_fall.h.
 *
 * Bound of link i of a chain on a fixed base (001 eqs. 11-14), in unit time, along any direction:
 *
 *   sum over j <= i of kappa_j     kappa_j = |q_j'| (slides)  or  |q_j'| gamma_j (hinge)
 *   gamma_j = sum over k = j ... i - 1 of d_k + 2 r           d_k = |q_k| + |q_k'| (slides)  or the distance of joints k and k + 1
 *
 * The fall: r(q, v) is the least over all links of distance to the ground / bound.
 */
#include "chain_fall.h"

#include "scene_parts.h"

#include <stdio.h>

#define OUTER 0.01
#define TIME 5.0
#define GROUND (-100.0001)
#define H_MIN 1e-8
#define DENSITY 10.0

/* ------------------------------------------------------------------ model */

bool chain_slides(const ChainDef *def, int joint)
{
    return def->slides && (joint == 7 || joint == 11);
}

double chain_radius(const ChainDef *def)
{
    return 0.5 * sqrt(def->length * def->length + 2.0 * def->width * def->width);
}

static RgLinkId add_link(RgBuilder *b, const ChainDef *def, int i, RgLinkId parent)
{
    char name[32], hinge[32];
    snprintf(name, sizeof name, "link%d", i + 1);
    snprintf(hinge, sizeof hinge, "joint%d", i + 1);
    RgVec3 size = vec(def->width, def->length, def->width), middle = vec(0.0, -0.5 * def->length, 0.0);
    RgLinkDef link = rg_link_def_default();
    link.name = name;
    link.group = "chain";
    link.self_collide = false;
    link.inertia = inertia_box(DENSITY * size.x * size.y * size.z, middle, size);
    RgLinkId id = rg_builder_add_link(b, &link);
    RgJointDef joint = rg_joint_def_default();
    joint.name = hinge;
    joint.type = chain_slides(def, i) ? RG_JOINT_prismatic : RG_JOINT_continuous;
    joint.parent = parent;
    joint.child = id;
    joint.X_PJ.p = vec(0.0, i == 0 ? 0.0 : -def->length, 0.0);
    joint.axis = chain_slides(def, i) && i == 7 ? vec(1.0, 0.0, 0.0) : vec(0.0, 0.0, 1.0);
    rg_builder_add_joint(b, &joint);
    RgShapeDef box = rg_shape_def_default();
    box.link = id;
    box.type = RG_SHAPE_box;
    box.size[0] = size.x;
    box.size[1] = size.y;
    box.size[2] = size.z;
    box.X_LS.p = middle;
    rg_builder_add_shape(b, &box);
    return id;
}

RgModel *chain_model(Lab *lab, const ChainDef *def)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgLinkId parent = {0};
    for (int i = 0; i < def->links; i++)
        parent = add_link(b, def, i, parent);
    RgShapeDef ground = rg_shape_def_default();
    ground.type = RG_SHAPE_halfspace;
    ground.X_LS = (RgPose){{{{1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, -1.0, 0.0}}}, {0.0, GROUND, 0.0}};
    rg_builder_add_shape(b, &ground);
    RgError error;
    RgModel *model = rg_builder_finish(b, &error);
    if (model == NULL)
        lab_fail(lab, "the chain cannot be made: %s", error.text);
    rg_builder_destroy(b);
    return model;
}

/* ------------------------------------------------------------------ the bound */

double chain_bound(const ChainDef *def, int link, const double *q, const double *v, bool lengths)
{
    double gamma = 2.0 * chain_radius(def), sum = 0.0;
    for (int j = link; j >= 0; j--) {
        if (chain_slides(def, j))
            sum += fabs(v[j]);
        if (j < link)
            gamma += chain_slides(def, j) ? fabs(q[j]) + fabs(v[j]) + (lengths ? def->length : 0.0) : def->length;
        if (!chain_slides(def, j))
            sum += fabs(v[j]) * gamma;
    }
    return sum;
}

/* ------------------------------------------------------------------ the fall */

/* Of a link's lowest corner to the ground. */
static double distance_of(const ChainDef *def, const RgDynamics *dynamics, int link)
{
    RgPose X = rg_link_pose(dynamics, (RgLinkId){link + 1});
    double along = X.R.m[1][1] * def->length;
    double across = 0.5 * def->width * (fabs(X.R.m[1][0]) + fabs(X.R.m[1][2]));
    return X.p.y - fmax(along, 0.0) - across - GROUND;
}

/* The step that the bound allows; and the least distance of all links. */
static double safe_step(const ChainDef *def, RgDynamics *dynamics, const double *q, const double *v, double *least)
{
    double h = (double)INFINITY;
    *least = (double)INFINITY;
    rg_forward_kinematics(dynamics, q, NULL);
    for (int i = 0; i < def->links; i++) {
        double d = distance_of(def, dynamics, i);
        *least = fmin(*least, d);
        h = fmin(h, d / chain_bound(def, i, q, v, true));
    }
    return fmax(h, H_MIN);
}

static void advance(const ChainDef *def, RgDynamics *dynamics, double *q, double *v, double h)
{
    static const double none[CHAIN_MOST];
    double a[CHAIN_MOST];
    for (int i = 0; i < def->links; i++)
        q[i] += h * v[i];
    rg_forward_dynamics(dynamics, q, v, none, NULL, a);
    for (int i = 0; i < def->links; i++)
        v[i] += h * a[i];
}

ChainFall chain_fall(const ChainDef *def, const RgModel *model, ChainLookFn *look, void *context)
{
    ChainFall out = {.least = (double)INFINITY, .least_bound = (double)INFINITY, .least_distance = (double)INFINITY};
    RgDynamics *dynamics = rg_dynamics_create(model, NULL);
    if (dynamics == NULL)
        return out;
    rg_dynamics_set_gravity(dynamics, vec(0.0, -9.81, 0.0));
    double q[CHAIN_MOST] = {0.5 * TEST_PI}, v[CHAIN_MOST] = {0.0}, t = 0.0;
    for (int outer = 1; outer * OUTER <= TIME * (1.0 + 1e-12);) {
        double least, bound = safe_step(def, dynamics, q, v, &least), left = outer * OUTER - t;
        bool ends = bound >= left * (1.0 - 1e-12);
        double h = ends ? left : bound;
        advance(def, dynamics, q, v, h);
        t = ends ? outer++ * OUTER : t + h;
        out.steps++;
        out.least = fmin(out.least, h);
        out.least_bound = ends ? out.least_bound : fmin(out.least_bound, h);
        out.whole += h > OUTER * (1.0 - 1e-9);
        rg_forward_kinematics(dynamics, q, NULL);
        double last = distance_of(def, dynamics, def->links - 1);
        out.least_distance = fmin(out.least_distance, fmin(least, last));
        if (out.steps % 100 == 99 && out.steps < 400)
            out.at[out.steps / 100] = last;
        if (look != NULL)
            look(t, h, last, context);
    }
    out.mean = t / (double)out.steps;
    out.whole /= (double)out.steps;
    rg_dynamics_destroy(dynamics);
    return out;
}
