/*
 * contact_region.c - the region of contact of two convex shapes with a known normal.
 *
 *   outlines of A along n, of B along -n -> their overlap -> type of touch -> points within the margin
 *
 * Over the contact plane the lower surface of B is a convex function, the upper surface of A a concave one. Their
 * difference, the gap, is convex, and its minimum is the distance, at the witness points. If no corner of the overlap
 * is as deep as that (a shallow cone, curved shapes, outlines that miss each other by round-off), the witness point is
 * a contact point too.
 */
#include "collision/contact_region.h"

#include "collision/touch.h"

static double gap_of(const RgOverlapPoint *p)
{
    return p->h[1] - p->h[0];
}

static void add_witness(RgRegion *out, const RgDistance *at, double size)
{
    RgOverlap *overlap = &out->overlap;
    RgVec3 r = v3_sub(at->point_a, out->frame.origin);
    double u = v3_dot(r, out->frame.t), v = v3_dot(r, out->frame.s);
    for (int32_t i = 0; i < overlap->count; i++) {
        const RgOverlapPoint *p = &overlap->point[i];
        if (gap_of(p) <= at->distance + RG_REGION_DEEPER * size ||
            num_max(fabs(p->u - u), fabs(p->v - v)) <= overlap->same)
            return;
    }
    RgOverlapPoint *p = rg_overlap_push(overlap, u, v);
    if (p == NULL) {
        p = &overlap->point[RG_OVERLAP_POINTS - 1];
        *p = (RgOverlapPoint){.u = u, .v = v};
    }
    p->h[0] = v3_dot(r, out->frame.n);
    p->h[1] = p->h[0] + at->distance;
    for (int i = 0; i < 2; i++)
        p->feature[i] = rg_outline_locate(&out->outline[i], u, v, RG_REGION_DEEPER * size);
}

void rg_region_make(const RgConvexPair *pair, const RgDistance *at, const RgRegionRules *rules, RgRegion *out)
{
    const RgManifoldOptions *options = rules->options;
    const RgPose identity = pose_identity();
    double size = rg_pair_size(pair);
    out->frame = rg_contact_frame(v3_scale(0.5, v3_add(at->point_a, at->point_b)), at->normal);
    rg_outline_make(pair->a, &identity, &out->frame, 1.0, options->slope, &out->outline[0]);
    rg_outline_make(pair->b, &pair->X_AB, &out->frame, -1.0, options->slope, &out->outline[1]);
    out->outline[1].inner_edges = rules->inner_edges;

    /* If shapes touch to within `touching`, positions in the plane are no more accurate than that. */
    double touching = options->touching * size;
    bool touch = fabs(at->distance) <= touching;
    rg_outline_overlap(&out->outline[0], &out->outline[1],
                       &(RgOverlapRules){options->slope, touch ? 2.0 * touching : 0.0}, &out->overlap);
    out->touch = rg_touch_classify(&out->outline[0], &out->outline[1], &out->overlap,
                                   &(RgTouchRules){touch, out->overlap.same, options->slope});

    if (!rules->no_witness)
        add_witness(out, at, size);
    int32_t kept = 0;
    for (int32_t i = 0; i < out->overlap.count; i++)
        if (gap_of(&out->overlap.point[i]) <= options->margin)
            out->overlap.point[kept++] = out->overlap.point[i];
    out->overlap.count = kept;
}
