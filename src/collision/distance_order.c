/*
 * distance_order.c - which of two placed geometries comes first.
 *
 * Every query works with the first as A, whatever the caller says, so that swapped arguments give the same
 * bits. The order looks at what the things are, never at where they lie in memory: surfaces after parts, then
 * kind, number of parts, bounding box, sizes, corners, and last the pose. Two that are equal in all of these
 * are the same to any query.
 */
#include "collision/distance.h"

static inline int compare_points(const RgVec3 *a, const RgVec3 *b)
{
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    return a->z < b->z ? -1 : a->z > b->z;
}

static int compare_numbers(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int compare_shapes(const RgShape *a, const RgShape *b)
{
    int order = compare_numbers(a->size, b->size, 3);
    if (order != 0 || a->type != RG_SHAPE_polytope || a->core == b->core)
        return order;
    if (a->core->nv != b->core->nv)
        return a->core->nv < b->core->nv ? -1 : 1;
    for (int32_t i = 0; i < a->core->nv && order == 0; i++)
        order = compare_points(&a->core->vertex[i], &b->core->vertex[i]);
    return order;
}

static int compare_geometries(const RgGeometry *a, const RgGeometry *b)
{
    if (a == b)
        return 0;
    if ((a->surface != NULL) != (b->surface != NULL))
        return a->surface == NULL ? -1 : 1;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    if (a->nparts != b->nparts)
        return a->nparts < b->nparts ? -1 : 1;
    int order = compare_points(&a->bounds.low, &b->bounds.low);
    if (order == 0)
        order = compare_points(&a->bounds.high, &b->bounds.high);
    for (int32_t i = 0; i < a->nparts && order == 0; i++)
        order = compare_shapes(&a->parts[i], &b->parts[i]);
    return order;
}

bool rg_placed_after(const RgPlaced *a, const RgPlaced *b)
{
    int order = compare_geometries(a->geometry, b->geometry);
    if (order == 0)
        order = compare_points(&a->X_WG.p, &b->X_WG.p);
    if (order == 0)
        order = compare_numbers(&a->X_WG.R.m[0][0], &b->X_WG.R.m[0][0], 9);
    return order > 0;
}
