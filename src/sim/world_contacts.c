/*
 * world_contacts.c - contacts, distances and rays of a world: the public interface to contact/.
 *
 * The scene is created with the world; in a world without contact or bodies by the first query, so that no hull is
 * prepared without need. Every query first moves the scene to the present state.
 */
#include "base/status.h"
#include "sim/world_internal.h"

/* Places the scene at the present state. */
static RgStatus place_scene(RgWorld *w, RgError *error)
{
    RgError ignored;
    error = error != NULL ? error : &ignored;
    if (w->contact == NULL)
        w->contact = rg_contact_scene_create(w->model, &w->arena.allocator, error);
    if (w->contact == NULL)
        return error->status;
    if (w->scope.contact != NULL)
        rg_contact_report_forces(w->scope.contact);
    rg_world_refresh(w);
    RgStatus status = rg_contact_scene_place(w->contact, w->scope.form->kin);
    return status == RG_OK ? RG_OK
                           : rg_fail(error, status, NULL, 0, "a shape cannot be placed: %s", rg_status_text(status));
}

RgStatus rg_world_contacts(RgWorld *w, const RgManifoldOptions *options, RgContactView *out, RgError *error)
{
    RgStatus status = place_scene(w, error);
    if (status != RG_OK)
        return status;
    status = rg_contact_scene_find(w->contact, &(RgContactSearch){.options = options}, out);
    return status == RG_OK ? RG_OK : rg_fail(error, status, NULL, 0, "contacts: %s", rg_status_text(status));
}

int rg_world_contact_forces(RgWorld *w, const RgContactForce **out)
{
    *out = NULL;
    if (w->scope.contact == NULL)
        return 0;
    RgContactResult *result = &w->scope.contact->result;
    rg_contact_report_forces(w->scope.contact);
    if (w->state.memory.npairs == 0)
        return 0;
    if (w->scope.sleep != NULL && result->h > 0.0 && result->nforces < w->state.memory.npoints)
        return rg_world_sleeping_forces(w, out);
    *out = result->forces;
    return result->nforces;
}

RgOpenForces rg_world_open_forces(RgWorld *w)
{
    if (w->scope.contact == NULL || !(w->scope.contact->result.h > 0.0))
        return (RgOpenForces){0};
    rg_contact_report_forces(w->scope.contact);
    const RgSolveReport *solve = &w->scope.contact->result.solve;
    return (RgOpenForces){.islands = solve->indeterminate, .as_solved = solve->as_solved};
}

RgStatus rg_world_distances(RgWorld *w, double margin, RgShapeDistance *out, int capacity, int *count, RgError *error)
{
    *count = 0;
    RgStatus status = place_scene(w, error);
    if (status != RG_OK)
        return status;
    status = rg_contact_scene_near(w->contact, margin, out, capacity, count);
    return status == RG_OK ? RG_OK : rg_fail(error, status, NULL, 0, "distances: %s", rg_status_text(status));
}

RgStatus rg_world_placed(RgWorld *w, RgShapeId shape, RgPlaced *out, RgError *error)
{
    *out = (RgPlaced){.X_WG = rg_pose_identity()};
    if (shape.i <= 0 || shape.i > w->model->nshapes)
        return rg_fail(error, RG_ERR_NOT_FOUND, NULL, 0, "the model has no shape %d", shape.i);
    RgStatus status = place_scene(w, error);
    if (status == RG_OK && w->contact->collider[shape.i - 1].i > 0)
        *out = rg_space_placed(w->contact->space, w->contact->collider[shape.i - 1]);
    return status;
}

RgStatus rg_world_distance(RgWorld *w, RgShapeId a, RgShapeId b, RgDistance *out, RgError *error)
{
    RgPlaced placed[2];
    RgShapeId shapes[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        RgStatus status = rg_world_placed(w, shapes[i], &placed[i], error);
        if (status != RG_OK)
            return status;
        if (placed[i].geometry == NULL)
            return rg_fail(error, RG_ERR_NOT_FOUND, NULL, 0, "shape %d is not a collision shape", shapes[i].i);
    }
    RgStatus status = rg_distance(&placed[0], &placed[1], NULL, out);
    return status == RG_OK ? RG_OK : rg_fail(error, status, NULL, 0, "distance: %s", rg_status_text(status));
}

RgStatus rg_world_ray_cast(RgWorld *w, const RgRay *ray, uint32_t mask, RgShapeId *shape, RgRayHit *out, RgError *error)
{
    *shape = (RgShapeId){0};
    RgStatus status = place_scene(w, error);
    if (status != RG_OK)
        return status;
    RgColliderId collider;
    if (rg_space_ray(w->contact->space, ray, mask, &collider, out))
        shape->i = (int32_t)rg_space_collider(w->contact->space, collider)->key + 1;
    return RG_OK;
}
