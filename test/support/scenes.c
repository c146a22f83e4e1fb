/*
 * scenes.c - chains, pendulums, closed loops, the free box, and the table of all scenes with their initial
 * states.
 */
#include "scenes.h"

#include <stdio.h>
#include <string.h>

static const RgVec3 axis_y = {0.0, 1.0, 0.0};

RgModel *scene_chain(int n)
{
    RgBuilder *b = scene_begin("chain");
    RgInertia rod = inertia_rod(1.0, vec(0.0, 0.0, 0.0), vec(1.0, 0.0, 0.0), 0.05);
    RgLinkId parent = {0};
    for (int i = 0; i < n; i++) {
        char link[32], joint[32];
        snprintf(link, sizeof link, "link%d", i);
        snprintf(joint, sizeof joint, "hinge%d", i);
        RgLinkId child = link_add(b, link, rod);
        RgJointDef def = joint_at(RG_JOINT_revolute, joint, parent, child, vec(i > 0 ? 1.0 : 0.0, 0.0, 0.0), axis_y);
        joint_add(b, &def);
        parent = child;
    }

    /* The place that the published end of this motion is about. */
    RgFrameDef tip = rg_frame_def_default();
    tip.name = "tip";
    tip.link = parent;
    tip.X_LF = place_at(0.5, 0.0, 0.0);
    rg_builder_add_frame(b, &tip);
    return scene_end(b);
}

RgModel *scene_pendulum(RgInertia inertia, const RgAxisDef *axis)
{
    RgBuilder *b = scene_begin("pendulum");
    RgLinkId link = link_add(b, "link", inertia);
    RgJointDef hinge = joint_at(RG_JOINT_revolute, "hinge", (RgLinkId){0}, link, vec(0.0, 0.0, 0.0), axis_y);
    if (axis != NULL)
        hinge.dof[0] = *axis;
    joint_add(b, &hinge);
    return scene_end(b);
}

RgModel *scene_double_pendulum(void)
{
    RgBuilder *b = scene_begin("double pendulum");
    double density = 2700.0;
    RgVec3 small = {0.1, 0.01, 0.01}, large = vec_scale(5.7, small);
    RgInertia upper = inertia_box(density * small.x * small.y * small.z, vec(0.5 * small.x, 0.0, 0.0), small);
    RgInertia lower = inertia_box(density * large.x * large.y * large.z, vec(0.5 * large.x, 0.0, 0.0), large);
    RgLinkId one = link_add(b, "upper", upper), two = link_add(b, "lower", lower);
    RgJointDef first = joint_at(RG_JOINT_revolute, "shoulder", (RgLinkId){0}, one, vec(0.0, 0.0, 0.0), axis_y);
    RgJointDef second = joint_at(RG_JOINT_revolute, "elbow", one, two, vec(small.x, 0.0, 0.0), axis_y);
    joint_add(b, &first);
    joint_add(b, &second);
    return scene_end(b);
}

/*
 *        B-----------C         A (0,0)  B (0.3,0.4)  C (1.5,0.9)  D (1.5,0)   in x-z
 *       /            |         crank AB 0.5 (shortest), coupler BC 1.3, rocker DC 0.9, ground AD 1.5:
 *      A             D         1.5 + 0.5 < 1.3 + 0.9, so that the crank can turn all round (Grashof)
 */
RgModel *scene_four_bar(void)
{
    RgBuilder *b = scene_begin("four-bar");
    RgVec3 O = {0.0, 0.0, 0.0}, AB = {0.3, 0.0, 0.4}, BC = {1.2, 0.0, 0.5}, DC = {0.0, 0.0, 0.9};
    RgLinkId world = {0};
    RgLinkId crank = link_add(b, "crank", inertia_rod(0.5, O, AB, 0.02));
    RgLinkId coupler = link_add(b, "coupler", inertia_rod(1.3, O, BC, 0.02));
    RgLinkId rocker = link_add(b, "rocker", inertia_rod(0.9, O, DC, 0.02));
    RgJointDef joints[3] = {
        joint_at(RG_JOINT_revolute, "crank_hinge", world, crank, O, axis_y),
        joint_at(RG_JOINT_revolute, "coupler_hinge", crank, coupler, AB, axis_y),
        joint_at(RG_JOINT_revolute, "rocker_hinge", world, rocker, vec(1.5, 0.0, 0.0), axis_y),
    };
    for (int i = 0; i < 3; i++)
        joint_add(b, &joints[i]);
    RgJointDef pin = joint_at(RG_JOINT_revolute, "pin", coupler, rocker, BC, axis_y);
    pin.X_CJ = place_at(DC.x, DC.y, DC.z);
    pin.may_close_loop = true;
    joint_add(b, &pin);
    return scene_end(b);
}

/* Lower half turning on the base, upper half sliding out of it, along the line from base point to platform
   point. */
static void add_leg(RgBuilder *b, int i, RgLinkId platform, RgVec3 base, RgVec3 top, RgVec3 platform_origin)
{
    char name[4][24];
    snprintf(name[0], sizeof name[0], "lower%d", i);
    snprintf(name[1], sizeof name[1], "upper%d", i);
    RgVec3 d = vec_sub(top, base), u = vec_scale(1.0 / vec_norm(d), d);
    RgVec3 e1 = vec_cross(u, axis_y), e2 = vec_cross(u, e1), O = {0.0, 0.0, 0.0};
    RgLinkId lower = link_add(b, name[0], inertia_rod(1.0, O, vec_scale(0.5, u), 0.02));
    RgLinkId upper = link_add(b, name[1], inertia_rod(0.5, O, vec_scale(-0.5, u), 0.01));

    snprintf(name[2], sizeof name[2], "foot%d", i);
    RgJointDef foot = joint_at(RG_JOINT_universal, name[2], (RgLinkId){0}, lower, base, e1);
    foot.axis2 = e2;
    joint_add(b, &foot);

    /* The spring is stretched at the start where the platform hangs low: it will swing. */
    snprintf(name[3], sizeof name[3], "slide%d", i);
    RgJointDef slide = joint_at(RG_JOINT_prismatic, name[3], lower, upper, d, u);
    slide.dof[0].stiffness = 2000.0;
    slide.dof[0].rest = 0.01 * (double)(i - 2);
    joint_add(b, &slide);

    snprintf(name[2], sizeof name[2], "ball%d", i);
    RgJointDef ball = joint_at(RG_JOINT_spherical, name[2], upper, platform, O, axis_y);
    RgVec3 p = vec_sub(top, platform_origin);
    ball.X_CJ = place_at(p.x, p.y, p.z);
    ball.may_close_loop = true;
    joint_add(b, &ball);
}

RgModel *scene_stewart(void)
{
    static const RgVec3 base[6] = {{1.0, 0.2, 0.0},     {1.0, -0.2, 0.0},   {-0.35, -0.95, 0.0},
                                   {-0.65, -0.75, 0.0}, {-0.65, 0.75, 0.0}, {-0.35, 0.95, 0.0}};
    static const RgVec3 top[6] = {{0.35, 0.45, 0.0},  {0.35, -0.45, 0.0}, {0.2, -0.5, 0.0},
                                  {-0.55, -0.1, 0.0}, {-0.55, 0.1, 0.0},  {0.2, 0.5, 0.0}};
    RgBuilder *b = scene_begin("stewart");
    RgVec3 centre = {0.1, -0.05, 1.0};
    RgInertia disc = inertia_diagonal(10.0, vec(0.0, 0.0, 0.05), vec(0.6, 0.7, 1.2));
    RgLinkId platform = link_add_at(b, "platform", disc, place_at(centre.x, centre.y, centre.z));
    for (int i = 0; i < 6; i++)
        add_leg(b, i, platform, base[i], vec_add(centre, top[i]), centre);
    return scene_end(b);
}

RgModel *scene_box(void)
{
    RgBuilder *b = scene_begin("box");
    link_add(b, "box", inertia_box(10.0, vec(0.0, 0.0, 0.0), vec(0.1, 0.4, 0.9)));
    return scene_end(b);
}

/* ------------------------------------------------------------------ initial states */

static void start_rest(const RgModel *model, double *q, double *v)
{
    rg_model_neutral(model, q);
    memset(v, 0, sizeof *v * (size_t)rg_model_info(model).nv);
}

/* Speed and spin of the published comparisons: mostly about the axis of middle inertia, so that it
   tumbles. */
static void start_box(const RgModel *model, double *q, double *v)
{
    static const double rates[6] = {0.1, 5.0, 0.1, -2.0, 2.0, 8.0};
    rg_model_neutral(model, q);
    memcpy(v, rates, sizeof rates);
}

/* Neutral pose, each velocity another small number. */
static void start_moving(const RgModel *model, double *q, double *v)
{
    rg_model_neutral(model, q);
    int nv = rg_model_info(model).nv;
    for (int i = 0; i < nv; i++)
        v[i] = 0.25 * (double)(i * 7 % 5 - 2);
}

static RgModel *build_chain(void)
{
    return scene_chain(20);
}

const Scene scene_table[] = {
    {"chain20", build_chain, start_rest},
    {"double_pendulum", scene_double_pendulum, start_rest},
    {"four_bar", scene_four_bar, start_rest},
    {"stewart", scene_stewart, start_rest},
    {"box", scene_box, start_box},
    {"arm", scene_arm, start_moving},
    {"quadruped", scene_quadruped, start_moving},
    {"humanoid", scene_humanoid, start_moving},
    {"all_joints", scene_all_joints, start_rest},
    {NULL, NULL, NULL},
};
