/*
 * link_shapes.c - distance of a point from the hull of a link's shapes, and principal moments of inertia.
 */
#include "base/alloc.h"
#include "geom/shape.h"
#include "model/model.h"

void rg_principal_moments(const RgInertia *inertia, double moments[3], RgMat3 *axes)
{
    RgMat3 vectors;
    rg_sym3_eigen(inertia->I, moments, &vectors);
    if (axes != NULL)
        *axes = vectors;
}

/* Lists the bounded shapes of a link, collision or visual ones; returns their number. shapes NULL: only counts. */
static int gather_shapes(const RgModel *m, RgLinkId link, bool visual, RgPosedShape *shapes)
{
    int count = 0;
    for (int i = 0; i < m->nshapes; i++) {
        const RgShapeDef *def = &m->shapes[i].def;
        bool empty = def->type == RG_SHAPE_mesh && def->mesh.nvertices == 0;
        if (def->link.i != link.i || def->is_visual != visual || empty || rg_shape_kind(def->type)->support == NULL)
            continue;
        if (shapes != NULL)
            shapes[count] = (RgPosedShape){rg_shape_view(def), def->X_LS};
        count++;
    }
    return count;
}

RgStatus rg_link_hull_distance(const RgModel *m, RgLinkId link, RgVec3 point, double *distance)
{
    if (link.i <= 0 || link.i > m->nlinks)
        return RG_ERR_ARGUMENT;
    bool visual = gather_shapes(m, link, false, NULL) == 0;
    int count = gather_shapes(m, link, visual, NULL);
    if (count == 0)
        return RG_ERR_NOT_FOUND;
    RgPosedShape *shapes = rg_alloc(&m->arena.allocator, (size_t)count, sizeof *shapes);
    if (shapes == NULL)
        return RG_ERR_MEMORY;
    gather_shapes(m, link, visual, shapes);
    RgStatus status = rg_hull_distance(shapes, count, point, distance);
    rg_free(&m->arena.allocator, shapes);
    return status;
}
