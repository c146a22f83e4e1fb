/*
 * touch.c - the types of touch, and the classification of two shapes.
 *
 * Where two convex shapes touch, the normal of a plane that separates them is in the normal cones of both at that
 * point: one direction on a face or a curved surface, an arc of directions along an edge, a patch at a corner.
 *
 *   face   with anything       one normal                    face_face, edge_face, vertex_face
 *   edge   crosses edge        two arcs meet in one          edge_edge
 *   edge   along edge          the arcs overlap              parallel_edges     degenerate
 *   corner on an edge          an arc inside the patch       vertex_edge        degenerate
 *   corner on a corner         patches overlap               vertex_vertex      degenerate
 *
 * The features are those at the centre of the overlap, not those of the outlines alone: two coplanar faces that share
 * only a part of their borders touch along parallel edges, whichever of the possible normals was found.
 *
 * coplanar_edges (degenerate): a corner in the interior of an edge, where an edge of the one shape at that corner lies
 * in the plane of one of the two faces of the other shape at that edge, and that plane separates the shapes.
 *
 *           ____ B        B's lower edges lie in the plane of A's top and meet A's rim in one corner of B only: that
 *    A ____/   /          plane separates the shapes, and so do all planes tilted from it towards the side of A.
 *     |    \__/
 *     |____|
 *
 * A rim is an edge whose direction is its tangent. Its touches with one normal, and all touches of a curved surface,
 * are `curved`. For shapes that are separated or in deep overlap the normal is unique: then the outlines alone decide,
 * and degenerate pairs of features become `none`.
 */
#include "collision/touch.h"

static const struct {
    const char *name;
    bool degenerate;
} touches[RG_TOUCH_COUNT] = {
#define TOUCH_ENTRY(name, degenerate) {#name, degenerate},
    RG_TOUCH_LIST(TOUCH_ENTRY)
#undef TOUCH_ENTRY
};

const char *rg_touch_name(RgTouch touch)
{
    return (unsigned)touch < RG_TOUCH_COUNT ? touches[touch].name : "unknown";
}

bool rg_touch_is_degenerate(RgTouch touch)
{
    return (unsigned)touch < RG_TOUCH_COUNT && touches[touch].degenerate;
}

/* ------------------------------------------------------------------ features in contact */

typedef enum Level { AT_VERTEX, ON_EDGE, ON_FACE } Level;

typedef struct ContactFeature {
    Level level;
    bool round;    /* a curved surface or a curved edge */
    RgFeature at;  /* feature, if a corner or an edge */
    double du, dv; /* direction, if an edge */
} ContactFeature;

static bool is_inner(const RgOutline *o, int32_t k)
{
    RgFeature side = o->corner[k].side;
    return side.kind == RG_FEATURE_EDGE && side.index < 32 && (o->inner_edges >> side.index & 1) != 0;
}

static ContactFeature feature_on_side(const RgOutline *o, int32_t k)
{
    const RgOutlineCorner *a = &o->corner[k], *b = &o->corner[k + 1 < o->count ? k + 1 : 0];
    return (ContactFeature){is_inner(o, k) ? ON_FACE : ON_EDGE, o->curved, a->side, b->u - a->u, b->v - a->v};
}

/* At a corner; if one of its sides is an inner edge of a smooth surface, the feature is the other side. */
static ContactFeature feature_at_corner(const RgOutline *o, int32_t k)
{
    int32_t before = k > 0 ? k - 1 : o->count - 1;
    if (o->kind == RG_OUTLINE_POLYGON && is_inner(o, k))
        return feature_on_side(o, before);
    if (o->kind == RG_OUTLINE_POLYGON && is_inner(o, before))
        return feature_on_side(o, k);
    return (ContactFeature){AT_VERTEX, o->curved, o->corner[k].at, 0.0, 0.0};
}

static bool is_near_side(const RgOutline *o, int32_t k, double u, double v, double same)
{
    const RgOutlineCorner *a = &o->corner[k], *b = &o->corner[k + 1 < o->count ? k + 1 : 0];
    double du = b->u - a->u, dv = b->v - a->v, length = sqrt(du * du + dv * dv);
    return fabs(du * (v - a->v) - dv * (u - a->u)) <= same * length;
}

static ContactFeature feature_on_disc(const RgOutline *o, double u, double v, double same)
{
    const RgOutlineDisc *d = &o->disc;
    RgFeature at = rg_outline_locate(o, u, v, same);
    return (ContactFeature){at.kind == RG_FEATURE_EDGE ? ON_EDGE : ON_FACE, at.kind == RG_FEATURE_EDGE, at,
                            -(v - d->centre[1]), u - d->centre[0]};
}

static ContactFeature feature_at(const RgOutline *o, double u, double v, double same)
{
    if (o->kind == RG_OUTLINE_PLANE)
        return (ContactFeature){.level = ON_FACE};
    if (o->kind == RG_OUTLINE_DISC)
        return feature_on_disc(o, u, v, same);
    if (o->kind == RG_OUTLINE_POINT)
        return (ContactFeature){o->rim ? ON_EDGE : AT_VERTEX, o->rim || o->curved, o->corner[0].at, o->along[0],
                                o->along[1]};
    for (int32_t k = 0; k < o->count; k++)
        if (num_max(fabs(o->corner[k].u - u), fabs(o->corner[k].v - v)) <= same)
            return feature_at_corner(o, k);
    if (o->kind == RG_OUTLINE_SEGMENT)
        return feature_on_side(o, 0);
    for (int32_t k = 0; k < o->count; k++)
        if (is_near_side(o, k, u, v, same))
            return feature_on_side(o, k);
    return (ContactFeature){.level = ON_FACE};
}

/* The feature of the whole outline. */
static ContactFeature feature_of_outline(const RgOutline *o)
{
    if (o->kind == RG_OUTLINE_POINT)
        return feature_at(o, 0.0, 0.0, 0.0);
    return o->kind == RG_OUTLINE_SEGMENT ? feature_on_side(o, 0) : (ContactFeature){.level = ON_FACE};
}

/* ------------------------------------------------------------------ classes */

static bool are_parallel(const ContactFeature *a, const ContactFeature *b, double sine)
{
    double cross = a->du * b->dv - a->dv * b->du;
    double lengths = sqrt((a->du * a->du + a->dv * a->dv) * (b->du * b->du + b->dv * b->dv));
    return fabs(cross) <= num_max(sine, RG_OUTLINE_LEAST_SLOPE) * lengths;
}

/* Type of touch of a face with another feature. */
static RgTouch touch_face(const ContactFeature *other)
{
    if (other->level == ON_FACE)
        return RG_TOUCH_face_face;
    if (other->round)
        return RG_TOUCH_curved;
    return other->level == ON_EDGE ? RG_TOUCH_edge_face : RG_TOUCH_vertex_face;
}

/* A vector of the shape's axes in those of the contact plane. */
static RgVec3 in_plane_axes(const RgOutline *o, RgVec3 x)
{
    return v3(v3_dot(x, o->frame.t), v3_dot(x, o->frame.s), v3_dot(x, o->frame.n));
}

/* Returns true if all edges at a corner lie on or in front of a plane with the normal N (axes of the contact plane),
   and at least one of them on it. */
static bool corner_on_plane(const RgOutline *o, int32_t vertex, RgVec3 N, double sine)
{
    const RgPolytope *p = o->shape->core;
    bool on = false;
    for (int32_t k = p->ring_start[vertex]; k < p->ring_start[vertex + 1]; k++) {
        RgVec3 e = in_plane_axes(o, v3_sub(p->vertex[p->ring[k]], p->vertex[vertex]));
        double out = v3_dot(N, e) / v3_norm(e);
        if (out < -sine)
            return false;
        on = on || out <= sine;
    }
    return on;
}

/* A corner of o[0] on an edge or a corner of o[1]. */
static RgTouch touch_corner(const RgOutline *const o[2], const ContactFeature feature[2], double parallel)
{
    if (feature[1].level == AT_VERTEX)
        return RG_TOUCH_vertex_vertex;
    const RgPolytope *p = o[1]->shape->core;
    if (p == NULL || p->nf == 0 || o[0]->shape->core == NULL || feature[1].at.kind != RG_FEATURE_EDGE)
        return RG_TOUCH_vertex_edge;
    for (int side = 0; side < 2; side++) {
        RgVec3 N = in_plane_axes(o[1], p->normal[p->edge_face[2 * feature[1].at.index + side]]);
        if (corner_on_plane(o[0], feature[0].at.index, N, num_max(parallel, RG_OUTLINE_LEAST_SLOPE)))
            return RG_TOUCH_coplanar_edges;
    }
    return RG_TOUCH_vertex_edge;
}

static RgTouch touch_edges(const ContactFeature feature[2], const RgTouchRules *rules)
{
    if (are_parallel(&feature[0], &feature[1], rules->parallel))
        return rules->touching ? RG_TOUCH_parallel_edges : RG_TOUCH_none;
    return feature[0].round || feature[1].round ? RG_TOUCH_curved : RG_TOUCH_edge_edge;
}

RgTouch rg_touch_classify(const RgOutline *a, const RgOutline *b, const RgOverlap *overlap, const RgTouchRules *rules)
{
    if (a->curved || b->curved)
        return RG_TOUCH_curved;

    /* The centre of the overlap; if it is empty, the witness points, at the origin of the frame. */
    double u = 0.0, v = 0.0;
    for (int32_t i = 0; i < overlap->count; i++) {
        u += overlap->point[i].u / overlap->count;
        v += overlap->point[i].v / overlap->count;
    }
    ContactFeature feature[2] = {feature_of_outline(a), feature_of_outline(b)};
    if (rules->touching) {
        feature[0] = feature_at(a, u, v, rules->same);
        feature[1] = feature_at(b, u, v, rules->same);
    }
    if (feature[0].level == ON_FACE || feature[1].level == ON_FACE)
        return touch_face(feature[0].level == ON_FACE ? &feature[1] : &feature[0]);
    if (feature[0].level == ON_EDGE && feature[1].level == ON_EDGE)
        return touch_edges(feature, rules);
    if (!rules->touching)
        return RG_TOUCH_none;
    if (feature[0].level == AT_VERTEX)
        return touch_corner((const RgOutline *const[2]){a, b}, feature, rules->parallel);
    return touch_corner((const RgOutline *const[2]){b, a}, (ContactFeature[2]){feature[1], feature[0]},
                        rules->parallel);
}
