/*
 * surface_distance.c - signed distance of a convex part from a surface of triangles.
 *
 * Separated: the least distance over the triangles whose boxes are nearer than the best so far. Each triangle is
 * treated as a plate (triangle_contact.h).
 *
 * Inside. A part that overlaps no triangle lies on one side of the surface. rg_surface_inside decides whether that side
 * is solid, for the point of the part nearest to the surface, or, if that point is so near that round-off could decide,
 * for a point within the part. n points from the part to the nearest point b of the surface whose triangle faces away
 * from the part. The contact plane is normal to n at b:
 *
 *       n ^  ______ surface       normal -n,   distance = min over the part of n.x - n.b  < 0
 *   ______|_/ b
 *        (o)  part                moved by -distance along n, the part is in front of that plane
 *
 * Overlap. Every triangle that the part overlaps has an exit, a translation that separates them: the least translation
 * from the plate if the surface can be touched along it (rg_plate_allows); otherwise the shortest of those through its
 * plane, through the planes beyond its convex edges, and off the lines and ends of these. Inner edges of a floor give
 * no exit. Then
 *
 *   1. take the shortest exit; all triangles that it clears are done;
 *   2. take the shortest exit of those that remain, and so on;
 *   3. the last exit is the result.
 *
 * For example, a box that overhangs a table and penetrates its top overlaps many triangles of the side, all of which
 * the short exit upwards clears; a box on the floor that grazes a wall has its depth in the floor.
 *
 * The depth in a convex solid is exact if its least exit is that of a face, edge or corner that the part overlaps.
 * Otherwise the result only clears the overlapped triangles: in a narrow gap the part may end up in the opposite wall,
 * and where shells overlap, inner faces count like outer ones.
 *
 * Cost: one distance query of two convex shapes per near triangle, and one overlap search per triangle and step; at
 * most MAX_EXITS steps. After MAX_SEARCH_ITERATIONS in total only exits through planes are evaluated:
 * RG_ERR_NOT_CONVERGED.
 */
#include "collision/surface_distance.h"

#include "collision/placed_bounds.h"
#include "geom/surface_kind.h"

/* rad; a feature within this angle of a plane counts as lying in it. */
#define PARALLEL_ANGLE 1e-7

/* Fraction of all lengths by which an exit is lengthened, so that what it clears is separated beyond round-off. */
#define EXIT_CLEARANCE 1e-14

/* Fraction of all lengths within which round-off could decide the side of the nearest point. */
#define SIDE_TOLERANCE 1e-11

/* Cost bounds of an overlap: exits in sequence, and iterations of GJK and EPA summed over all triangles. */
#define MAX_EXITS 8
#define MAX_SEARCH_ITERATIONS 8000

/* Stored exits; if there are more, they are searched again in each step. */
#define MAX_STORED_EXITS 64

/* Round-off of a distance along a given normal, as a fraction of all lengths: a few roundings. */
#define PLANE_DISTANCE_ROUND_OFF 2e-15

/* The exit of one triangle, exit.part_b. */
typedef struct StoredExit {
    RgDistance exit;
    RgStatus status;
} StoredExit;

/* The query and the state of the search. */
typedef struct Search {
    RgSurfaceQuery q;
    double lengths; /* m, sum of all lengths that enter a coordinate: scale of the round-off */
    RgDistance *best;
    RgStatus status;
    int32_t iterations;
    bool behind;       /* consider only triangles that face away from the part */
    bool deep;         /* best is an exit */
    bool deepest;      /* last step: take the longest remaining exit */
    int32_t noverlaps; /* triangles that overlap the part; the first of them are stored: */
    StoredExit stored[MAX_STORED_EXITS];
    int nexits;
    RgVec3 exit[MAX_EXITS];   /* translation of the surface, in A's frame */
    RgVec3 normal[MAX_EXITS]; /* unit, along it */
    double level[MAX_EXITS];  /* all of A is then at normal.x <= level */
} Search;

/* ------------------------------------------------------------------ exits */

/* The contact along n' (in the surface's frame) at p, with its features. */
static void set_contact_along(const Search *s, RgVec3 n, RgVec3 p, RgFeature on, RgDistance *out)
{
    rg_plate_contact_along(&s->q, n, p, out);
    out->feature_a = rg_shape_feature(s->q.shape, out->normal, PARALLEL_ANGLE);
    out->feature_b = on;
    out->error = PLANE_DISTANCE_ROUND_OFF * s->lengths;
}

/* The shortest exit of a triangle through its plane or through those beyond its convex edges. */
static void plane_exit(const Search *s, const RgPlate *plate, RgDistance *out)
{
    const RgTriangle *t = &plate->triangle;
    set_contact_along(s, t->normal, t->vertex[0], (RgFeature){RG_FEATURE_FACE, 0}, out);
    for (int i = 0; i < 3; i++) {
        RgDistance other;
        if (!t->convex[i])
            continue;
        rg_plate_contact_along(&s->q, t->across[i], t->vertex[i], &other);
        if (other.distance > out->distance)
            set_contact_along(s, t->across[i], t->vertex[i], rg_plate_feature(plate, (RgFeature){RG_FEATURE_EDGE, i}),
                              out);
    }
}

/* The same, also off the lines of its convex edges and off their ends. */
static void feature_exit(Search *s, const RgPlate *plate, RgDistance *out)
{
    const RgTriangle *t = &plate->triangle;
    plane_exit(s, plate, out);
    for (int k = 0; k < 6; k++) {
        int i = k % 3;
        RgFeature on = {k < 3 ? RG_FEATURE_EDGE : RG_FEATURE_VERTEX, i};
        RgDistance at = {.iterations = 0};
        if (!t->convex[i] && (k < 3 || !t->convex[(i + 2) % 3]))
            continue;
        bool found = k < 3 ? rg_plate_edge_exit(&s->q, plate, i, &at) : rg_plate_corner_exit(&s->q, plate, i, &at);
        s->iterations += at.iterations;
        if (!found || !(at.distance > out->distance))
            continue;
        *out = at;
        out->feature_b = rg_plate_feature(plate, on);
    }
}

/* Returns true if the exits so far separate the part from a plate. */
static bool is_cleared(const Search *s, const RgPlate *plate)
{
    for (int k = 0; k < s->nexits; k++) {
        bool before = true;
        for (int i = 0; i < 3 && before; i++) {
            RgVec3 x = pose_apply(s->q.X_AB, plate->triangle.vertex[i]);
            before = v3_dot(s->normal[k], x) >= s->level[k] - EXIT_CLEARANCE * s->lengths;
        }
        if (before)
            return true;
        RgPose moved = {s->q.X_AB.R, v3_add(s->q.X_AB.p, s->exit[k])};
        RgPlateOverlap meets = rg_plate_overlap(&s->q, plate, &moved);
        RgDistance at = {.distance = 0.0};
        if (meets == RG_PLATE_UNDECIDED)
            rg_convex_distance(&(RgConvexPair){s->q.shape, &plate->shape, moved}, NULL, &at);
        if (meets != RG_PLATE_OVERLAPS && at.distance >= 0.0)
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ one triangle */

/* Returns true if the part reaches behind the plane of a plate and certainly overlaps the plate. */
static bool is_overlap_certain(const Search *s, const RgPlate *plate)
{
    RgDistance low;
    rg_plate_contact_along(&s->q, plate->triangle.normal, plate->triangle.vertex[0], &low);
    return low.distance < 0.0 && rg_plate_overlap(&s->q, plate, &s->q.X_AB) == RG_PLATE_OVERLAPS;
}

/* Distance from a plate, or the exit that the surface allows. */
static RgStatus plate_distance(Search *s, const RgPlate *plate, RgDistance *out)
{
    const RgTriangle *t = &plate->triangle;
    bool inner = !t->convex[0] && !t->convex[1] && !t->convex[2];
    bool spent = s->iterations > MAX_SEARCH_ITERATIONS;
    if ((inner || spent) && is_overlap_certain(s, plate)) {
        plane_exit(s, plate, out);
        if (inner)
            return RG_OK;
        out->error = fabs(out->distance);
        return RG_ERR_NOT_CONVERGED;
    }
    RgConvexPair pair = {s->q.shape, &plate->shape, s->q.X_AB};
    RgStatus status = rg_convex_distance(&pair, NULL, out);
    s->iterations += out->iterations;
    RgVec3 n = v3_neg(m3_apply_t(s->q.X_AB.R, out->normal));
    if (out->distance < 0.0 && out->feature_b.kind == RG_FEATURE_FACE && v3_dot(n, t->normal) > 0.0) {
        double error = status != RG_OK ? out->error : 0.0;
        set_contact_along(s, t->normal, t->vertex[0], (RgFeature){RG_FEATURE_FACE, 0}, out);
        out->error += error;
        return status;
    }
    if (out->distance < 0.0 && !rg_plate_allows(s->q.surface, plate, out->feature_b, n)) {
        feature_exit(s, plate, out);
        return RG_OK;
    }
    out->feature_b = rg_plate_feature(plate, out->feature_b);
    return status;
}

/* Stores a smaller distance, or a shorter exit (a longer one in the last step). */
static bool store_if_better(Search *s, const RgDistance *found, RgStatus status)
{
    bool overlaps = found->distance < 0.0, better = found->distance < s->best->distance;
    if (overlaps && s->deep && !s->deepest)
        better = found->distance > s->best->distance;
    if (!better || (!overlaps && s->nexits > 0))
        return false;
    *s->best = *found;
    s->status = status;
    s->deep = overlaps;
    return true;
}

static void visit_triangle(int32_t number, void *context, double *reach)
{
    Search *s = context;
    RgPlate plate;
    double height[2];
    if (rg_surface_one_sided(s->q.surface))
        rg_plate_make(s->q.surface, number, false, &plate);
    else
        (void)rg_plate_face(&s->q, number, &plate, height);
    if (s->nexits > 0 && is_cleared(s, &plate))
        return;
    RgDistance found = {.distance = INFINITY};
    RgStatus status = plate_distance(s, &plate, &found);
    found.part_b = number;
    if (s->behind && !(v3_dot(found.normal, m3_apply(s->q.X_AB.R, plate.triangle.normal)) > 0.0))
        return;
    if (found.distance < 0.0 && s->nexits == 0) {
        if (s->noverlaps < MAX_STORED_EXITS)
            s->stored[s->noverlaps] = (StoredExit){found, status};
        s->noverlaps++;
    }
    if (store_if_better(s, &found, status))
        *reach = fmin(*reach, fmax(RG_SURFACE_REACH_LEAST, found.distance));
}

/* Visits the triangles within reach. best: the best of them, or part_b < 0 if there are none. */
static void visit_near(Search *s, const RgBounds *box, double reach)
{
    *s->best = (RgDistance){.distance = reach, .part_b = -1};
    s->deep = false;
    rg_surface_nearest(s->q.surface, box, visit_triangle, s, &reach);
}

/* ------------------------------------------------------------------ overlap */

/* Appends the current best to the exits. */
static void append_exit(Search *s)
{
    RgVec3 n = s->best->normal;
    s->normal[s->nexits] = n;
    s->exit[s->nexits] = v3_scale(EXIT_CLEARANCE * s->lengths - s->best->distance, n);
    s->level[s->nexits++] = v3_dot(n, s->best->point_b);
}

/* The shortest stored exit of the triangles that the exits so far do not clear. */
static void choose_stored_exit(Search *s)
{
    *s->best = (RgDistance){.distance = RG_SURFACE_REACH_LEAST, .part_b = -1};
    s->deep = false;
    for (int32_t k = 0; k < s->noverlaps; k++) {
        RgPlate plate;
        rg_plate_make(s->q.surface, s->stored[k].exit.part_b, false, &plate);
        if (!is_cleared(s, &plate))
            store_if_better(s, &s->stored[k].exit, s->stored[k].status);
    }
}

/* Steps 2 and 3: longer exits until all triangles are cleared. */
static void find_longer_exits(Search *s, const RgBounds *box)
{
    RgDistance longest = *s->best;
    RgStatus status = s->status;
    while (s->deep && s->nexits < MAX_EXITS) {
        longest = *s->best;
        status = s->status;
        append_exit(s);
        s->deepest = s->nexits == MAX_EXITS;
        if (s->noverlaps <= MAX_STORED_EXITS)
            choose_stored_exit(s);
        else
            visit_near(s, box, RG_SURFACE_REACH_LEAST);
    }
    if (!s->deep || longest.distance < s->best->distance) {
        *s->best = longest;
        s->status = status;
    }
    s->best->error += 2.0 * EXIT_CLEARANCE * s->lengths;
}

/* ------------------------------------------------------------------ inside */

/* Returns true if the part, which overlaps no triangle, is inside the solid. */
static bool is_inside(const Search *s)
{
    RgVec3 a = s->best->point_a, n = s->best->normal;
    RgVec3 far = rg_shape_kind(s->q.shape->type)->support(s->q.shape, v3_neg(n));
    if (s->best->distance <= SIDE_TOLERANCE * s->lengths) {
        RgTriangle t;
        rg_surface_triangle(s->q.surface, s->best->part_b, &t);
        if (0.5 * v3_dot(n, v3_sub(a, far)) <= SIDE_TOLERANCE * s->lengths)
            return s->best->feature_b.kind == RG_FEATURE_FACE && v3_dot(n, m3_apply(s->q.X_AB.R, t.normal)) > 0.0;
        a = v3_scale(0.5, v3_add(a, far));
    }
    return rg_surface_inside(s->q.surface, m3_apply_t(s->q.X_AB.R, v3_sub(a, s->q.X_AB.p)));
}

/* Result for a part inside: the plane normal to the shortest path to the surface, from behind. */
static void set_inside_contact(Search *s, const RgBounds *box)
{
    RgDistance nearest = *s->best;
    RgTriangle t;
    rg_surface_triangle(s->q.surface, s->best->part_b, &t);
    if (!(v3_dot(nearest.normal, m3_apply(s->q.X_AB.R, t.normal)) > 0.0)) {
        s->behind = true;
        visit_near(s, box, INFINITY);
        if (s->best->part_b < 0)
            *s->best = nearest;
        rg_surface_triangle(s->q.surface, s->best->part_b, &t);
    }
    nearest = *s->best;
    RgVec3 n = m3_apply_t(s->q.X_AB.R, nearest.normal);
    RgVec3 b = m3_apply_t(s->q.X_AB.R, v3_sub(nearest.point_b, s->q.X_AB.p));
    if (nearest.feature_b.kind == RG_FEATURE_FACE) { /* the face's own normal is more accurate */
        n = t.normal;
        b = t.vertex[0];
    }
    set_contact_along(s, n, b, nearest.feature_b, s->best);
    s->best->part_b = nearest.part_b;
    s->best->error += nearest.error;
}

/* ------------------------------------------------------------------ half-space */

/* A half-space has a single exit per triangle. */
static void visit_for_halfspace(int32_t number, void *context, double *reach)
{
    (void)reach;
    Search *s = context;
    RgPlate plate;
    rg_plate_make(s->q.surface, number, false, &plate);
    RgDistance found = {.distance = INFINITY};
    RgStatus status = rg_convex_distance(&(RgConvexPair){s->q.shape, &plate.shape, s->q.X_AB}, NULL, &found);
    if (!(found.distance < s->best->distance))
        return;
    *s->best = found;
    s->best->feature_b = rg_plate_feature(&plate, found.feature_b);
    s->best->part_b = number;
    s->status = status;
}

/* ------------------------------------------------------------------ search */

static void search_bounded(Search *s, double reach)
{
    RgPose X_BA = pose_inverse(s->q.X_AB);
    RgBounds box = rg_bounds_rotate(&X_BA, &s->q.bounds), solid = rg_surface_solid_bounds(s->q.surface);
    visit_near(s, &box, reach);
    if (s->best->part_b < 0 && reach < INFINITY && rg_surface_has_solid(s->q.surface) && boxes_overlap(&box, &solid))
        visit_near(s, &box, INFINITY); /* a part far from all triangles may still be inside */
    if (s->best->part_b < 0)
        s->best->distance = INFINITY;
    else if (s->deep)
        find_longer_exits(s, &box);
    else if (rg_surface_has_solid(s->q.surface) && is_inside(s))
        set_inside_contact(s, &box);
}

RgStatus rg_surface_distance(const RgGeometry *a, int32_t part, const RgSurface *surface, const RgPose *X_AB,
                             double reach, RgDistance *out)
{
    *out = (RgDistance){.distance = INFINITY};
    const RgShape *shape = &a->parts[part];
    RgConvexPair alone = {shape, shape, *X_AB};
    RgBounds box = rg_surface_bounds(surface);
    Search s; /* not initialised as a whole: the stored exits are set later */
    s.q = (RgSurfaceQuery){surface, shape, *X_AB, a->part_bounds[part], rg_pair_size(&alone), 0.0};
    s.best = out;
    s.status = RG_OK;
    s.iterations = s.noverlaps = s.nexits = 0;
    s.behind = s.deep = s.deepest = false;
    s.lengths = s.q.size + v3_norm(X_AB->p) + fmax(v3_norm(box.low), v3_norm(box.high));
    if (rg_shape_kind(shape->type)->support == NULL)
        rg_surface_nearest(surface, &box, visit_for_halfspace, &s, &reach);
    else
        search_bounded(&s, reach);
    out->part_a = part;
    out->iterations = s.iterations;
    return s.status;
}
