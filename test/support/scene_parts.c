/*
 * scene_parts.c - bodies and joints in one line each. A scene that cannot be built is a mistake in a test or
 * a benchmark, so that
 * the program ends with the library's own words.
 */
#include "scene_parts.h"

#include <stdio.h>
#include <stdlib.h>

RgInertia inertia_diagonal(double mass, RgVec3 com, RgVec3 moments)
{
    return (RgInertia){mass, com, {moments.x, moments.y, moments.z, 0.0, 0.0, 0.0}};
}

RgInertia inertia_box(double mass, RgVec3 com, RgVec3 s)
{
    double xx = s.x * s.x, yy = s.y * s.y, zz = s.z * s.z;
    return inertia_diagonal(mass, com, vec_scale(mass / 12.0, vec(yy + zz, xx + zz, xx + yy)));
}

RgInertia inertia_rod(double mass, RgVec3 a, RgVec3 b, double gyration)
{
    /* I = across (1 - u u') + along u u'. */
    RgVec3 d = vec_sub(b, a);
    double length2 = vec_dot(d, d), across = mass * length2 / 12.0;
    double less = (mass * gyration * gyration - across) / length2;
    RgSym3 I = {across + less * d.x * d.x, across + less * d.y * d.y, across + less * d.z * d.z,
                less * d.x * d.y,          less * d.x * d.z,          less * d.y * d.z};
    return (RgInertia){mass, vec_scale(0.5, vec_add(a, b)), I};
}

static void stop(const char *what, const RgError *error)
{
    char text[900];
    rg_error_format(error, text, sizeof text);
    fprintf(stderr, "%s: %s\n", what, text);
    abort();
}

RgLinkId link_add_at(RgBuilder *builder, const char *name, RgInertia inertia, RgPose X_WL)
{
    RgLinkDef def = rg_link_def_default();
    def.name = name;
    def.inertia = inertia;
    def.X_WL = X_WL;
    RgLinkId id = rg_builder_add_link(builder, &def);
    if (id.i == 0)
        stop(name, rg_builder_error(builder));
    return id;
}

RgLinkId link_add(RgBuilder *builder, const char *name, RgInertia inertia)
{
    return link_add_at(builder, name, inertia, place_at(0.0, 0.0, 0.0));
}

RgJointDef joint_at(RgJointType type, const char *name, RgLinkId parent, RgLinkId child, RgVec3 p, RgVec3 axis)
{
    RgJointDef def = rg_joint_def_default();
    def.type = type;
    def.name = name;
    def.parent = parent;
    def.child = child;
    def.X_PJ = place_at(p.x, p.y, p.z);
    def.axis = axis;
    return def;
}

RgJointId joint_add(RgBuilder *builder, const RgJointDef *def)
{
    RgJointId id = rg_builder_add_joint(builder, def);
    if (id.i == 0)
        stop(def->name, rg_builder_error(builder));
    return id;
}

RgLinkId four_bar_add(RgBuilder *b)
{
    RgVec3 O = {0.0, 0.0, 0.0}, AB = {0.3, 0.0, 0.4}, BC = {1.2, 0.0, 0.5}, DC = {0.0, 0.0, 0.9}, Y = {0.0, 1.0, 0.0};
    RgLinkId world = {0}, links[3] = {link_add(b, "crank", inertia_rod(0.5, O, AB, 0.02)),
                                      link_add(b, "coupler", inertia_rod(1.3, O, BC, 0.02)),
                                      link_add(b, "rocker", inertia_rod(0.9, O, DC, 0.02))};
    RgJointDef joints[4] = {joint_at(RG_JOINT_revolute, "a", world, links[0], O, Y),
                            joint_at(RG_JOINT_revolute, "b", links[0], links[1], AB, Y),
                            joint_at(RG_JOINT_revolute, "c", world, links[2], vec(1.5, 0.0, 0.0), Y),
                            joint_at(RG_JOINT_revolute, "pin", links[1], links[2], BC, Y)};
    joints[3].X_CJ = place_at(DC.x, DC.y, DC.z);
    joints[3].may_close_loop = true;
    for (int i = 0; i < 4; i++)
        joint_add(b, &joints[i]);
    return links[1];
}

RgBuilder *scene_begin(const char *name)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    if (builder == NULL)
        abort();
    rg_builder_set_name(builder, name);
    return builder;
}

RgModel *scene_end(RgBuilder *builder)
{
    RgError error = {0};
    RgModel *model = rg_builder_finish(builder, &error);
    if (model == NULL)
        stop("scene", &error);
    rg_builder_destroy(builder);
    return model;
}
