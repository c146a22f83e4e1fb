/* on_a_plane.c - see on_a_plane.h. */
#include "on_a_plane.h"

#include "check_near.h"
#include "scene_parts.h"
#include "worlds.h"

RgSurfaceDef plane_surface(double mu)
{
    RgSurfaceDef s = rg_shape_def_default().surface;
    s.mu = s.mu2 = mu;
    s.max_vel = 1e3;
    return s;
}

PlaneBody plane_box(double mu)
{
    return (PlaneBody){RG_SHAPE_box, {1.0, 1.0, 1.0}, 1.0, 0.5, plane_surface(mu)};
}

RgModel *plane_model(const PlaneBody *body)
{
    RgBuilder *b = scene_begin("plane");
    RgShapeDef plane = rg_shape_def_default(), shape = rg_shape_def_default();
    plane.type = RG_SHAPE_halfspace;
    plane.surface = shape.surface = body->surface;
    rg_builder_add_shape(b, &plane);
    shape.type = body->type;
    for (int k = 0; k < 3; k++)
        shape.size[k] = body->size[k];
    RgInertia uniform = {.mass = 1.0};
    cr_assert(rg_shape_inertia(&shape, 1.0, &uniform) == RG_OK);
    double scale = body->mass / uniform.mass;
    RgInertia own = inertia_diagonal(body->mass, vec(0, 0, 0),
                                     vec(scale * uniform.I.xx, scale * uniform.I.yy, scale * uniform.I.zz));
    RgPose X = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, .p = vec(0.0, 0.0, body->height)};
    shape.link = link_add_at(b, "body", own, X);
    rg_builder_add_shape(b, &shape);
    return scene_end(b);
}

RgWorld *pgs_world(const RgModel *model, const char *coords, const char *solver, const RgContactLaw *law,
                   const RgPgsOptions *options)
{
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.solver = solver;
    def.law = law;
    def.pgs = options;
    return world_make(&def);
}

double plane_height(RgWorld *world)
{
    return rg_world_link_pose(world, (RgLinkId){1}).p.z;
}

RgVec3 plane_velocity(RgWorld *world)
{
    return rg_world_link_twist(world, (RgLinkId){1}).v;
}
