/*
 * manifold_outlines.c - the manifold of two convex parts from their outlines (contact_region.h): all shapes, all
 * contacts.
 *
 * In a separate file because its stack frame has some 90 kB, which the simple cases must not pay for.
 *
 * Round-off decides which of two flush corners lies in the face of the other. So for its key every point is on the
 * smallest feature within RG_REGION_NAME of it, on both sides.
 */
#include "collision/manifold.h"

/* The key of side i of a point of a region: of the smallest feature near it. */
static uint64_t side_key(const RgRegion *region, const RgOverlapPoint *p, int i, int32_t part, double near)
{
    const RgOutline *o = &region->outline[i];
    RgFeature feature = p->feature[i];
    if (o->kind == RG_OUTLINE_POLYGON || o->kind == RG_OUTLINE_SEGMENT) {
        RgFeature found = rg_outline_locate(o, p->u, p->v, near);
        feature = found.kind != RG_FEATURE_NONE ? found : feature;
    }
    bool same = feature.kind == p->feature[i].kind && feature.index == p->feature[i].index;
    return rg_contact_key(part, feature, same ? p->slot[i] : 0);
}

static void append_region(RgManifoldQuery *q, const RgRegion *region, int32_t i, int32_t j)
{
    double near =
        RG_REGION_NAME * num_max(rg_outline_reach(&region->outline[0]), rg_outline_reach(&region->outline[1]));
    RgStagedPoint stage[RG_OVERLAP_POINTS];
    RgManifold head = {.normal = region->frame.n, .touch = region->touch, .part_a = i, .part_b = j};
    for (int32_t k = 0; k < region->overlap.count; k++) {
        const RgOverlapPoint *p = &region->overlap.point[k];
        stage[k] = (RgStagedPoint){rg_contact_frame_point(&region->frame, p->u, p->v, p->h[0]),
                                   p->h[1] - p->h[0],
                                   {p->feature[0], p->feature[1]},
                                   {side_key(region, p, 0, i, near), side_key(region, p, 1, j, near)}};
    }
    rg_manifold_append(q, &head, stage, region->overlap.count);
}

void rg_manifold_outlines(RgManifoldQuery *q, const RgConvexPair *pair, const RgDistance *at, const int32_t part[2])
{
    RgRegion region;
    rg_region_make(pair, at, &(RgRegionRules){.options = &q->options}, &region);
    q->out->reduced = q->out->reduced || region.overlap.reduced;
    append_region(q, &region, part[0], part[1]);
}
