/*
 * distance_order.c - a total order of placed geometries.
 *
 * Every query uses the first in this order as A, independently of the order of the arguments, so that swapped arguments
 * give the same bits. The order depends on the content of the geometries, never on memory addresses: bounded parts
 * before unbounded ones before surfaces, then kind, number of parts, bounding box, sizes, corners, and last the pose.
 * Two that are equal in all of these are equivalent for every query.
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

/* Compares parts of the same kind. */
static int compare_parts(const RgShape *a, const RgShape *b)
{
    int order = compare_numbers(a->size, b->size, 3);
    if (order != 0 || a->core == NULL || b->core == NULL || a->core == b->core || a->core->is_box)
        return order;
    if (a->core->nv != b->core->nv)
        return a->core->nv < b->core->nv ? -1 : 1;
    for (int32_t i = 0; i < a->core->nv && order == 0; i++)
        order = compare_points(&a->core->vertex[i], &b->core->vertex[i]);
    return order;
}

/* 0: bounded parts, 1: unbounded, 2: surface. */
static int class_of(const RgGeometry *g)
{
    return g->surface != NULL ? 2 : isinf(g->radius) ? 1 : 0;
}

int rg_geometry_order(const RgGeometry *a, const RgGeometry *b)
{
    if (a == b)
        return 0;
    int class_a = class_of(a), class_b = class_of(b);
    if (class_a != class_b)
        return class_a - class_b;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    if (a->nparts != b->nparts)
        return a->nparts < b->nparts ? -1 : 1;
    int order = compare_points(&a->bounds.low, &b->bounds.low);
    if (order == 0)
        order = compare_points(&a->bounds.high, &b->bounds.high);
    for (int32_t i = 0; i < a->nparts && order == 0; i++)
        order = compare_parts(&a->parts[i], &b->parts[i]);
    return order;
}

int rg_pose_order(const RgPose *a, const RgPose *b)
{
    int order = compare_points(&a->p, &b->p);
    return order != 0 ? order : compare_numbers(&a->R.m[0][0], &b->R.m[0][0], 9);
}

bool rg_placed_after(const RgPlaced *a, const RgPlaced *b)
{
    int order = rg_geometry_order(a->geometry, b->geometry);
    return (order != 0 ? order : rg_pose_order(&a->X_WG, &b->X_WG)) > 0;
}
