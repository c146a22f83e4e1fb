/*
 * touch.c - the names of the ways to touch, and which of them two shapes are in.
 *
 * Where two convex shapes touch, a plane between them has a normal that is in the normal cone of both at the
 * place: one direction on a face or a round surface, an arc of them along an edge, a patch at a corner.
 *
 *   face   with anything       one normal                    face_face, edge_face, vertex_face
 *   edge   crosses edge        two arcs meet in one          edge_edge
 *   edge   along edge          the arcs overlap              parallel_edges     degenerate
 *   corner on an edge          an arc inside the patch       vertex_edge        degenerate
 *   corner on a corner         patches overlap               vertex_vertex      degenerate
 *
 * What is touched is told by the middle of the overlap, not by the outlines alone: two faces in one plane
 * that share only a part of their borders touch along parallel edges, whichever of the possible normals was
 * found.
 *
 * coplanar_edges (degenerate): a corner on the inside of an edge, where an edge of the one shape at that
 * corner lies in the plane of one of the two faces of the other shape at that edge, and that plane is
 * between the shapes.
 *
 *           ____ B        B's lower edges lie in the plane of A's top. They meet A's rim in one corner of B
 *    A ____/   /          only: that plane would do, and so would all that lean over from it towards the side
 *     |    \__/           of A.
 *     |____|
 *
 * A rim is an edge whose direction is its tangent. Its touches with one normal, and all of a round surface,
 * are called curved. Apart or deep in each other the normal is one: then the outlines name the touch, and
 * the degenerate pairs of features are called none.
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

/* ------------------------------------------------------------------ what is touched */

typedef enum Level { AT_VERTEX, ON_EDGE, ON_FACE } Level;

typedef struct Spot {
    Level level;
    bool round;    /* a round surface, or a round edge */
    RgFeature at;  /* of a corner or an edge */
    double du, dv; /* of an edge: its direction */
} Spot;

static bool is_inner(const RgOutline *o, int32_t k)
{
    RgFeature side = o->corner[k].side;
    return side.kind == RG_FEATURE_EDGE && side.index < 32 && (o->inner_edges >> side.index & 1) != 0;
}

static Spot spot_on_side(const RgOutline *o, int32_t k)
{
    const RgOutlineCorner *a = &o->corner[k], *b = &o->corner[k + 1 < o->count ? k + 1 : 0];
    return (Spot){is_inner(o, k) ? ON_FACE : ON_EDGE, o->curved, a->side, b->u - a->u, b->v - a->v};
}

/* At a corner: on the one edge there that is none within a smooth surface, if there is but one. */
static Spot spot_at_corner(const RgOutline *o, int32_t k)
{
    int32_t before = k > 0 ? k - 1 : o->count - 1;
    if (o->kind == RG_OUTLINE_POLYGON && is_inner(o, k))
        return spot_on_side(o, before);
    if (o->kind == RG_OUTLINE_POLYGON && is_inner(o, before))
        return spot_on_side(o, k);
    return (Spot){AT_VERTEX, o->curved, o->corner[k].at, 0.0, 0.0};
}

static bool near_side(const RgOutline *o, int32_t k, double u, double v, double same)
{
    const RgOutlineCorner *a = &o->corner[k], *b = &o->corner[k + 1 < o->count ? k + 1 : 0];
    double du = b->u - a->u, dv = b->v - a->v, length = sqrt(du * du + dv * dv);
    return fabs(du * (v - a->v) - dv * (u - a->u)) <= same * length;
}

static Spot spot_on_disc(const RgOutline *o, double u, double v, double same)
{
    const RgOutlineDisc *d = &o->disc;
    RgFeature at = rg_outline_locate(o, u, v, same);
    return (Spot){at.kind == RG_FEATURE_EDGE ? ON_EDGE : ON_FACE, at.kind == RG_FEATURE_EDGE, at, -(v - d->centre[1]),
                  u - d->centre[0]};
}

static Spot spot_of(const RgOutline *o, double u, double v, double same)
{
    if (o->kind == RG_OUTLINE_PLANE)
        return (Spot){.level = ON_FACE};
    if (o->kind == RG_OUTLINE_DISC)
        return spot_on_disc(o, u, v, same);
    if (o->kind == RG_OUTLINE_POINT)
        return (Spot){o->rim ? ON_EDGE : AT_VERTEX, o->rim || o->curved, o->corner[0].at, o->along[0], o->along[1]};
    for (int32_t k = 0; k < o->count; k++)
        if (num_max(fabs(o->corner[k].u - u), fabs(o->corner[k].v - v)) <= same)
            return spot_at_corner(o, k);
    if (o->kind == RG_OUTLINE_SEGMENT)
        return spot_on_side(o, 0);
    for (int32_t k = 0; k < o->count; k++)
        if (near_side(o, k, u, v, same))
            return spot_on_side(o, k);
    return (Spot){.level = ON_FACE};
}

/* The largest thing in the plane. */
static Spot spot_of_outline(const RgOutline *o)
{
    if (o->kind == RG_OUTLINE_POINT)
        return spot_of(o, 0.0, 0.0, 0.0);
    return o->kind == RG_OUTLINE_SEGMENT ? spot_on_side(o, 0) : (Spot){.level = ON_FACE};
}

/* ------------------------------------------------------------------ classes */

static bool are_parallel(const Spot *a, const Spot *b, double sine)
{
    double turn = a->du * b->dv - a->dv * b->du;
    double lengths = sqrt((a->du * a->du + a->dv * a->dv) * (b->du * b->du + b->dv * b->dv));
    return fabs(turn) <= num_max(sine, RG_OUTLINE_LEAST_SLOPE) * lengths;
}

/* One of them is a face: the other says how. */
static RgTouch touch_face(const Spot *other)
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

/* Do all edges at a corner lie on or before a plane with the normal N (axes of the contact plane), and one of
   them on it? */
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
static RgTouch touch_corner(const RgOutline *const o[2], const Spot spot[2], double parallel)
{
    if (spot[1].level == AT_VERTEX)
        return RG_TOUCH_vertex_vertex;
    const RgPolytope *p = o[1]->shape->core;
    if (p == NULL || p->nf == 0 || o[0]->shape->core == NULL || spot[1].at.kind != RG_FEATURE_EDGE)
        return RG_TOUCH_vertex_edge;
    for (int side = 0; side < 2; side++) {
        RgVec3 N = in_plane_axes(o[1], p->normal[p->edge_face[2 * spot[1].at.index + side]]);
        if (corner_on_plane(o[0], spot[0].at.index, N, num_max(parallel, RG_OUTLINE_LEAST_SLOPE)))
            return RG_TOUCH_coplanar_edges;
    }
    return RG_TOUCH_vertex_edge;
}

static RgTouch touch_edges(const Spot spot[2], const RgTouchRules *rules)
{
    if (are_parallel(&spot[0], &spot[1], rules->parallel))
        return rules->touching ? RG_TOUCH_parallel_edges : RG_TOUCH_none;
    return spot[0].round || spot[1].round ? RG_TOUCH_curved : RG_TOUCH_edge_edge;
}

RgTouch rg_touch_classify(const RgOutline *a, const RgOutline *b, const RgOverlap *overlap, const RgTouchRules *rules)
{
    if (a->curved || b->curved)
        return RG_TOUCH_curved;

    /* The middle of the overlap; without one, the witness points, at the origin of the frame. */
    double u = 0.0, v = 0.0;
    for (int32_t i = 0; i < overlap->count; i++) {
        u += overlap->point[i].u / overlap->count;
        v += overlap->point[i].v / overlap->count;
    }
    Spot spot[2] = {spot_of_outline(a), spot_of_outline(b)};
    if (rules->touching) {
        spot[0] = spot_of(a, u, v, rules->same);
        spot[1] = spot_of(b, u, v, rules->same);
    }
    if (spot[0].level == ON_FACE || spot[1].level == ON_FACE)
        return touch_face(spot[0].level == ON_FACE ? &spot[1] : &spot[0]);
    if (spot[0].level == ON_EDGE && spot[1].level == ON_EDGE)
        return touch_edges(spot, rules);
    if (!rules->touching)
        return RG_TOUCH_none;
    if (spot[0].level == AT_VERTEX)
        return touch_corner((const RgOutline *const[2]){a, b}, spot, rules->parallel);
    return touch_corner((const RgOutline *const[2]){b, a}, (Spot[2]){spot[1], spot[0]}, rules->parallel);
}
