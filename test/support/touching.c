/* touching.c - bodies that touch. */
#include "touching.h"

#include <criterion/criterion.h>

RgSurfaceDef surface_mu(double mu)
{
    RgSurfaceDef s = rg_shape_def_default().surface;
    s.mu = s.mu2 = mu;
    return s;
}

RgShapeId shape_add(RgBuilder *builder, RgLinkId link, RgShapeType type, const double size[3], RgPose X_LS,
                    RgSurfaceDef surface)
{
    RgShapeDef def = rg_shape_def_default();
    def.link = link;
    def.type = type;
    def.X_LS = X_LS;
    def.surface = surface;
    for (int k = 0; k < 3; k++)
        def.size[k] = size[k];
    RgShapeId id = rg_builder_add_shape(builder, &def);
    cr_assert(id.i != 0);
    return id;
}

RgShapeId ground_add(RgBuilder *builder, RgSurfaceDef surface)
{
    const double none[3] = {1.0, 1.0, 1.0};
    return shape_add(builder, (RgLinkId){0}, RG_SHAPE_halfspace, none, place_at(0.0, 0.0, 0.0), surface);
}

RgLinkId ball_add(RgBuilder *builder, const char *name, double mass, double radius, RgVec3 p, RgSurfaceDef surface)
{
    double I = 0.4 * mass * radius * radius, size[3] = {radius, radius, radius};
    RgInertia inertia = inertia_diagonal(mass, vec(0.0, 0.0, 0.0), vec(I, I, I));
    RgLinkId link = link_add_at(builder, name, inertia, place_at(p.x, p.y, p.z));
    shape_add(builder, link, RG_SHAPE_sphere, size, place_at(0.0, 0.0, 0.0), surface);
    return link;
}

RgLinkId box_add(RgBuilder *builder, const char *name, double mass, RgVec3 size, RgVec3 p, RgSurfaceDef surface)
{
    double lengths[3] = {size.x, size.y, size.z};
    RgLinkId link = link_add_at(builder, name, inertia_box(mass, vec(0.0, 0.0, 0.0), size), place_at(p.x, p.y, p.z));
    shape_add(builder, link, RG_SHAPE_box, lengths, place_at(0.0, 0.0, 0.0), surface);
    return link;
}

void link_launch(RgWorld *world, RgLinkId link, RgVec3 w, RgVec3 v)
{
    double all[6 * 64];
    RgModelInfo info = rg_model_info(rg_world_model(world));
    RgLinkInfo at = rg_model_link(rg_world_model(world), link);
    cr_assert(info.nv <= 6 * 64 && at.floats);
    const double *now = rg_world_v(world);
    for (int k = 0; k < info.nv; k++)
        all[k] = now[k];

    /* A floating link's own velocities: turning in its axes, then that of its origin in the world's. */
    RgPose X = rg_world_link_pose(world, link);
    const double *R = &X.R.m[0][0], turn[3] = {w.x, w.y, w.z}, move[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; k++) {
        all[at.v_index + k] = R[k] * turn[0] + R[3 + k] * turn[1] + R[6 + k] * turn[2];
        all[at.v_index + 3 + k] = move[k];
    }
    cr_assert(rg_world_set_state(world, NULL, all) == RG_OK);
}

RgVec3 contact_force_on(RgWorld *world, RgLinkId link)
{
    const RgContactForce *force = NULL;
    int count = rg_world_contact_forces(world, &force);
    RgVec3 sum = vec(0.0, 0.0, 0.0);
    for (int i = 0; i < count; i++) {
        RgLinkId a = rg_model_shape(rg_world_model(world), force[i].shape_a).link;
        RgLinkId b = rg_model_shape(rg_world_model(world), force[i].shape_b).link;
        if (b.i == link.i)
            sum = vec_add(sum, force[i].force);
        if (a.i == link.i)
            sum = vec_sub(sum, force[i].force);
    }
    return sum;
}
