/*
 * manifold.c - contact manifolds of two geometries.
 *
 * For each pair of convex parts whose boxes are within the margin: distance and normal (distance.h), then the contact
 * points across that normal (contact_region.h). Surfaces: manifold_surface.c. A is the first geometry in the order of
 * rg_placed_after, independently of the order of the arguments, and the result is swapped back: swapped arguments give
 * the same bits.
 *
 * Ids. A feature of a part has a key: 64 bits, a hash of part, kind, index and slot. The id of a contact is a hash of
 * the two keys in the order of the geometries, which does not depend on their poses, so that swapped arguments give the
 * same id. Two instances of the same geometry have no such order: the caller's order is used, since corner 4 of A in
 * face 5 of B and corner 4 of B in face 5 of A may both touch. Points of one call with equal keys get distinct ids, in
 * the order of the points.
 *
 * Cost: parts of A times parts of B for the boxes. No heap memory; stack up to 270 kB, of which 170 kB for EPA (epa.c)
 * and 100 kB for the triangles and points near a part (surface_gather.h).
 */
#include "collision/manifold.h"

#include "collision/contact_direct.h"
#include "collision/pair_guess.h"
#include "collision/surface_distance.h"
#include "geom/polytope.h"

/* Marks options that were filled by rg_manifold_options_default. */
#define MANIFOLD_COOKIE 0x52474d46u

/* ------------------------------------------------------------------ options */

RgManifoldOptions rg_manifold_options_default(void)
{
    return (RgManifoldOptions){.cookie = MANIFOLD_COOKIE, .margin = 1e-3, .slope = 0.02, .touching = 1e-9};
}

bool rg_manifold_options_good(const RgManifoldOptions *o)
{
    return o->cookie == MANIFOLD_COOKIE && isfinite(o->margin) && o->slope >= 0.0 && o->slope <= 1.0 &&
           isfinite(o->touching) && o->touching >= 0.0 && o->max_points >= 0;
}

/* ------------------------------------------------------------------ ids */

/* Hash in which every input bit affects every output bit (splitmix64: Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t rg_contact_key(int32_t owner, RgFeature feature, uint32_t slot)
{
    uint64_t place = (uint64_t)(uint32_t)owner << 32 | (uint32_t)feature.index;
    return mix(mix(place) + ((uint64_t)slot << 2 | (uint64_t)feature.kind));
}

uint64_t rg_contact_id(uint64_t first, uint64_t second)
{
    return mix(UINT64_C(0x9e3779b97f4a7c15) * first + second);
}

/* Gives distinct ids to points of one call with the same features. */
static void make_ids_unique(RgContactPoint *points, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        uint64_t again = 0;
        for (int32_t j = 0; j < i; j++)
            if (points[j].id == points[i].id) {
                points[i].id = mix(points[i].id + ++again);
                j = -1;
            }
    }
}

/* ------------------------------------------------------------------ buffer */

/* Transforms staged points to world axes. */
static void write_points(const RgManifoldQuery *q, RgVec3 normal_W, const RgStagedPoint *from, RgContactPoint *to,
                         int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        RgVec3 a = pose_apply(*q->X_WA, from[i].point_a);
        to[i] = (RgContactPoint){.point_a = a,
                                 .point_b = v3_axpy(from[i].gap, normal_W, a),
                                 .normal = normal_W,
                                 .gap = from[i].gap,
                                 .id = rg_contact_id(from[i].key[q->turned], from[i].key[!q->turned]),
                                 .feature_a = from[i].feature[0],
                                 .feature_b = from[i].feature[1]};
    }
}

/* Writes at most `wanted` of the points, reduced. Returns how many. */
static int32_t write_reduced(const RgManifoldQuery *q, RgVec3 normal_W, const RgStagedPoint *points, int32_t count,
                             int32_t wanted)
{
    RgContactPoint stage[RG_OVERLAP_POINTS];
    write_points(q, normal_W, points, stage, count);
    count = rg_manifold_reduce(stage, count, wanted);
    for (int32_t i = 0; i < count; i++)
        q->out->points[q->out->npoints + i] = stage[i];
    return count;
}

void rg_manifold_append(RgManifoldQuery *q, const RgManifold *head, const RgStagedPoint *points, int32_t count)
{
    RgContactBuffer *out = q->out;
    if (count == 0)
        return;
    RgManifold m = *head;
    m.normal = m3_apply(q->X_WA->R, head->normal);
    int32_t wanted = q->options.max_points > 0 && q->options.max_points < count ? q->options.max_points : count;
    int32_t room = out->nmanifolds < out->manifold_capacity ? out->point_capacity - out->npoints : 0;
    if (wanted > room) {
        out->overflow = true;
        wanted = room;
    }
    RgContactPoint *to = out->points + out->npoints;
    if (wanted < count)
        count = write_reduced(q, m.normal, points, count, wanted);
    else
        write_points(q, m.normal, points, to, count);
    if (count == 0)
        return;
    m.first = out->npoints;
    m.count = count;
    m.distance = to[0].gap; /* NOLINT: count > 0 points were written */
    for (int32_t i = 1; i < count; i++)
        m.distance = num_min(m.distance, to[i].gap);
    out->npoints += count;
    out->manifolds[out->nmanifolds++] = m;
}

/* ------------------------------------------------------------------ convex parts */

static bool boxes_near(const RgBounds *a, const RgBounds *b, double margin)
{
    return a->low.x - b->high.x <= margin && b->low.x - a->high.x <= margin && a->low.y - b->high.y <= margin &&
           b->low.y - a->high.y <= margin && a->low.z - b->high.z <= margin && b->low.z - a->high.z <= margin;
}

/* Appends points whose ids are those of the features they lie on. */
static void append_direct(RgManifoldQuery *q, const RgDirectContact *contact, int32_t i, int32_t j)
{
    RgStagedPoint stage[RG_DIRECT_POINTS];
    RgManifold head = {.normal = contact->frame.n, .touch = contact->touch, .part_a = i, .part_b = j};
    for (int32_t k = 0; k < contact->count; k++) {
        const RgOverlapPoint *p = &contact->point[k];
        stage[k] = (RgStagedPoint){rg_contact_frame_point(&contact->frame, p->u, p->v, p->h[0]),
                                   p->h[1] - p->h[0],
                                   {p->feature[0], p->feature[1]},
                                   {rg_contact_key(i, p->feature[0], 0), rg_contact_key(j, p->feature[1], 0)}};
    }
    rg_manifold_append(q, &head, stage, contact->count);
}

/* A ball touches a convex shape at one point, the witness; its id does not depend on the feature, so it persists while
   the ball rolls. The core of a box is not read: it is in memory that box queries do not otherwise touch. */
static bool is_ball(const RgShape *shape)
{
    return shape->type != RG_SHAPE_box && shape->core != NULL && shape->core->nv == 1;
}

static void append_ball(RgManifoldQuery *q, const RgDistance *at, int32_t i, int32_t j)
{
    const RgFeature any = {RG_FEATURE_NONE, 0};
    RgManifold head = {.normal = at->normal, .touch = RG_TOUCH_curved, .part_a = i, .part_b = j};
    RgStagedPoint point = {at->point_a,
                           at->distance,
                           {at->feature_a, at->feature_b},
                           {rg_contact_key(i, any, 0), rg_contact_key(j, any, 0)}};
    rg_manifold_append(q, &head, &point, 1);
}

/* Distance from the features that were nearest before, otherwise with the previous direction as start. */
static RgStatus guessed_distance(const RgManifoldQuery *q, const RgConvexPair *pair, RgDistance *at)
{
    const RgPairGuesses *g = q->guesses;
    for (int32_t k = 0; k < g->count; k++)
        if (rg_pair_guess(pair, (RgFeature[2]){g->feature[k][q->swapped], g->feature[k][!q->swapped]}, at))
            return RG_OK;
    RgPairCache seed = {.axis_A = m3_apply_t(q->X_WA->R, q->swapped ? v3_neg(g->axis) : g->axis)};
    return rg_convex_distance_within(pair, q->options.margin, &seed, at);
}

/* Distance of two parts. The cache belongs to one pair of parts; for other pairs it is left unchanged. */
static RgStatus parts_distance(RgManifoldQuery *q, const RgConvexPair *pair, int32_t i, int32_t j, RgDistance *at)
{
    if (q->cache == NULL && q->guesses != NULL)
        return guessed_distance(q, pair, at);
    if (q->cache == NULL)
        return rg_convex_distance_within(pair, q->options.margin, NULL, at);
    RgPairCache known = {.part_a = i, .part_b = j};
    bool cached = q->cache->part_a == i && q->cache->part_b == j;
    if (cached)
        known = *q->cache;
    RgStatus status = rg_convex_distance(pair, &known, at); /* a cache also stores the result of separated pairs */
    if (cached)
        *q->cache = known;
    return status;
}

/* Stores the normal if it separates the shapes, zero otherwise. */
static void store_separating_normal(const RgManifoldQuery *q, const RgDistance *at, bool apart)
{
    if (q->separating_normal == NULL)
        return;
    RgVec3 n = apart ? m3_apply(q->X_WA->R, at->normal) : v3_zero();
    *q->separating_normal = q->swapped ? v3_neg(n) : n;
}

static void collide_parts(RgManifoldQuery *q, int32_t i, int32_t j)
{
    RgConvexPair pair = {q->part[0] != NULL ? q->part[0] : &q->a->parts[i],
                         q->part[1] != NULL ? q->part[1] : &q->b->parts[j], q->X_AB};
    RgDistance at; /* distance and normal are set here, the rest by the query */
    at.distance = 0.0;
    at.normal = v3_zero();
    RgStatus status = parts_distance(q, &pair, i, j, &at);
    bool answered = status == RG_OK || status == RG_ERR_NOT_CONVERGED;
    if (status != RG_OK)
        q->status = status;
    store_separating_normal(q, &at, answered && at.distance > q->options.margin);
    if (!answered || !(at.distance <= q->options.margin))
        return;
    if (is_ball(pair.a) || is_ball(pair.b)) {
        append_ball(q, &at, i, j);
        return;
    }
    RgDirectContact direct;
    if (rg_contact_direct(&pair, &at, &q->options, &direct))
        append_direct(q, &direct, i, j);
    else
        rg_manifold_outlines(q, &pair, &at, (int32_t[2]){i, j});
}

/* Two single parts whose closed form costs no more than a test of their bounds: two boxes, or a ball and anything. */
static bool has_cheap_closed_form(const RgManifoldQuery *q)
{
    const RgShape *a = q->part[0], *b = q->part[1];
    return a != NULL && b != NULL &&
           ((a->type == RG_SHAPE_box && b->type == RG_SHAPE_box) || a->type == RG_SHAPE_sphere ||
            b->type == RG_SHAPE_sphere);
}

/* Returns true if the normal that separated two single parts before still does, by more than the round-off of any
   result. */
static bool are_separated(const RgManifoldAsk *ask)
{
    const RgManifoldGeometry *a = ask->form[0], *b = ask->form[1];
    const RgShape *part[2] = {&a->part, &b->part};
    return ask->separating_normal != NULL && ask->cache == NULL && a->single && b->single &&
           rg_shapes_separated(part, ask->X_WG, *ask->separating_normal, ask->options->margin);
}

static void collide_all_parts(RgManifoldQuery *q)
{
    for (int32_t j = 0; j < q->b->nparts; j++) {
        RgBounds box = rg_bounds_rotate(&q->X_AB, &q->b->part_bounds[j]);
        for (int32_t i = 0; i < q->a->nparts; i++)
            if (boxes_near(&q->a->part_bounds[i], &box, q->options.margin))
                collide_parts(q, i, j);
    }
}

/* Collides each part with the surface of B. */
static void collide_surface(RgManifoldQuery *q)
{
    double margin = q->options.margin;
    for (int32_t i = 0; i < q->a->nparts; i++) {
        RgDistance at;
        RgStatus status =
            rg_surface_distance(q->a, i, q->b->surface, &q->X_AB, num_max(2.0 * margin, RG_SURFACE_REACH_LEAST), &at);
        if (status != RG_OK)
            q->status = status;
        if (at.distance <= margin)
            rg_manifold_surface(q, &at);
    }
}

/* ------------------------------------------------------------------ public */

/* Swaps A and B in the results from the given counts on. */
static void swap_results(RgContactBuffer *out, int32_t first_point, int32_t first_manifold)
{
    for (int32_t i = first_manifold; i < out->nmanifolds; i++) {
        RgManifold *m = &out->manifolds[i];
        int32_t part = m->part_a;
        m->part_a = m->part_b;
        m->part_b = part;
        m->normal = v3_neg(m->normal);
    }
    for (int32_t i = first_point; i < out->npoints; i++) {
        RgContactPoint *p = &out->points[i];
        RgVec3 point = p->point_a;
        p->point_a = p->point_b;
        p->point_b = point;
        RgFeature feature = p->feature_a;
        p->feature_a = p->feature_b;
        p->feature_b = feature;
        p->normal = v3_neg(p->normal);
    }
}

RgManifoldGeometry rg_manifold_geometry(const RgGeometry *geometry)
{
    RgManifoldGeometry form = {.geometry = geometry, .single = geometry->surface == NULL && geometry->nparts == 1};
    if (form.single)
        form.part = geometry->parts[0];
    return form;
}

static bool is_supported(const RgGeometry *a, const RgGeometry *b)
{
    return a->surface == NULL && (isfinite(a->radius) || isfinite(b->radius));
}

RgStatus rg_manifold_ask(const RgManifoldAsk *ask, RgContactBuffer *out)
{
    const RgPose *const *X = ask->X_WG;
    if (are_separated(ask))
        return RG_OK;
    if (!pose_finite(*X[0]) || !pose_finite(*X[1]))
        return RG_ERR_NOT_FINITE;
    int order = ask->form[0]->rank - ask->form[1]->rank;
    int first = (order != 0 ? order : rg_pose_order(X[0], X[1])) > 0;
    const RgManifoldGeometry *a = ask->form[first], *b = ask->form[1 - first];

    RgManifoldQuery q; /* set member by member: a full initialisation would double the cost of a simple pair */
    q.a = a->geometry;
    q.b = b->geometry;
    q.part[0] = a->single ? &a->part : NULL;
    q.part[1] = b->single ? &b->part : NULL;
    q.X_WA = X[first];
    q.X_AB = pose_relative(*X[first], *X[1 - first]);
    q.swapped = first == 1;
    q.turned = q.swapped && order == 0;
    q.options = *ask->options;
    q.cache = ask->cache;
    q.guesses = a->single && b->single ? ask->guesses : NULL;
    q.separating_normal = a->single && b->single && ask->cache == NULL ? ask->separating_normal : NULL;
    q.out = out;
    q.status = RG_OK;
    int32_t first_point = out->npoints, first_manifold = out->nmanifolds;
    if (has_cheap_closed_form(&q))
        collide_parts(&q, 0, 0);
    else if (!is_supported(q.a, q.b))
        return RG_ERR_UNSUPPORTED;
    else if (q.b->surface != NULL)
        collide_surface(&q);
    else
        collide_all_parts(&q);
    make_ids_unique(out->points + first_point, out->npoints - first_point);
    if (first == 1)
        swap_results(out, first_point, first_manifold);
    return q.status;
}

RgStatus rg_manifold(const RgPlaced *a, const RgPlaced *b, const RgManifoldOptions *options, RgPairCache *cache,
                     RgContactBuffer *out)
{
    RgManifoldOptions used = options != NULL ? *options : rg_manifold_options_default();
    if (a == NULL || b == NULL || out == NULL || a->geometry == NULL || b->geometry == NULL ||
        !rg_manifold_options_good(&used))
        return RG_ERR_ARGUMENT;
    RgManifoldGeometry form[2] = {rg_manifold_geometry(a->geometry), rg_manifold_geometry(b->geometry)};
    form[0].rank = rg_geometry_order(a->geometry, b->geometry);
    RgManifoldAsk ask = {{&form[0], &form[1]}, {&a->X_WG, &b->X_WG}, &used, cache, NULL, NULL};
    return rg_manifold_ask(&ask, out);
}
