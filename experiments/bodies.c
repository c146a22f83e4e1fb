/* bodies.c - see bodies.h. */
#include "bodies.h"

RgSurfaceDef bodies_surface(double mu, double restitution)
{
    RgSurfaceDef surface = rg_shape_def_default().surface;
    surface.mu = surface.mu2 = mu;
    surface.restitution = restitution;
    surface.restitution_threshold = 0.0;
    surface.max_vel = 1e3;
    return surface;
}

void bodies_add_floor(RgBuilder *b, const RgSurfaceDef *surface)
{
    RgShapeDef floor = rg_shape_def_default();
    floor.type = RG_SHAPE_halfspace;
    floor.name = "floor";
    floor.surface = *surface;
    rg_builder_add_shape(b, &floor);
}

RgLinkId bodies_add(RgBuilder *b, const BodyDef *def)
{
    RgShapeDef shape = rg_shape_def_default();
    shape.type = def->type;
    shape.surface = def->surface;
    for (int k = 0; k < 3; k++)
        shape.size[k] = def->size[k];

    /* The shape's inertia at density 1, scaled to the mass. */
    RgInertia inertia = {.mass = 1.0};
    if (rg_shape_inertia(&shape, 1.0, &inertia) == RG_OK) {
        double scale = def->mass / inertia.mass;
        inertia.mass = def->mass;
        inertia.I.xx *= scale;
        inertia.I.yy *= scale;
        inertia.I.zz *= scale;
    }
    RgLinkDef link = rg_link_def_default();
    link.name = def->name;
    link.group = def->name;
    link.inertia = inertia;
    link.X_WL = (RgPose){.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, .p = def->p};
    shape.link = rg_builder_add_link(b, &link);
    rg_builder_add_shape(b, &shape);
    return shape.link;
}

RgModel *bodies_end(Lab *lab, RgBuilder *b)
{
    RgError error;
    RgModel *model = rg_builder_finish(b, &error);
    if (!model)
        lab_fail(lab, "the model cannot be made: %s", error.text);
    rg_builder_destroy(b);
    return model;
}
