/*
 * collision.h - shapes prepared for contact: how far apart they are, where they touch, when they will.
 *
 *   RgShapeDef -- rg_geometry_create -->  RgGeometry   (checked, immutable, shared by any number of places)
 *   RgGeometry + pose  =  RgPlaced     -->  distance, manifold, ray
 *   RgGeometry + motion = RgSweep      -->  time of impact, motion bound
 *   many of them        = RgSpace      -->  pairs that may touch, rays, overlaps
 *
 * Everything is in world axes, SI units; poses are rigid. Every query gives the same numbers for swapped
 * arguments (the normal turned round; two of one geometry at one pose excepted, which nothing tells apart),
 * for any order of insertion and on any number of threads; a query writes only to what it is given, and to
 * 270 kB of stack at most.
 */
#ifndef RIGOR_COLLISION_H
#define RIGOR_COLLISION_H

#include <rigor/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ geometry */

typedef struct RgGeometry RgGeometry;

/* What a mesh or a set of points had that needed saying. Counts of what was mended are 0 for clean input. */
typedef struct RgMeshReport {
    int32_t merged_vertices; /* vertices at the place of another: joined to it */
    int32_t dropped_faces;   /* triangles without area or named twice: left out */
    int32_t unused_vertices; /* vertices of no face */
    int32_t inner_points;    /* hull: points that are no corner of it */
    int32_t open_edges;      /* edges of one triangle only, or of more than two */
    int32_t turned_edges;    /* edges whose two triangles do not agree on which side is out */
    bool closed;             /* every edge has two triangles that agree */
    bool inside_out;         /* closed, but its normals point inward: turned over */
} RgMeshReport;

/* Prepares a shape (its link, pose, surface and names are not looked at). mesh: by def->mesh_use, where
   RG_MESH_AUTO means the surface. On failure *out is NULL and error (may be NULL) says what is wrong.
   RG_ERR_ARGUMENT: sizes, NaN, faces that name no vertex; RG_ERR_MODEL: a hull without volume, a surface
   without a triangle. */
RG_API RgStatus rg_geometry_create(const RgShapeDef *def, const RgAllocator *allocator, RgGeometry **out,
                                   RgError *error);
RG_API void rg_geometry_destroy(RgGeometry *geometry);

typedef struct RgGeometryInfo {
    RgShapeType type;
    bool is_convex;                 /* one convex part */
    int32_t parts;                  /* convex parts; 0 for a triangle surface or a height field */
    int32_t vertices, edges, faces; /* of the polytopes, summed over the parts; of the surface */
    /* bounding box along the axes of the shape, of a height field that of its triangles; infinite for a half-space */
    RgVec3 low, high;
    RgVec3 centre; /* of a bounding sphere */
    double radius;
    RgMeshReport mesh;
} RgGeometryInfo;
RG_API RgGeometryInfo rg_geometry_info(const RgGeometry *geometry);

/* The corners and faces of a convex part that is a polytope or a box; zeros and NULLs for any other. Faces
   are polygons, counter-clockwise from outside. The arrays live as long as the geometry. */
typedef struct RgPolytopeView {
    int32_t nvertices, nedges, nfaces;
    const RgVec3 *vertices;    /* nvertices */
    const int32_t *edges;      /* 2 * nedges: the two vertices */
    const int32_t *face_start; /* nfaces + 1: first of each face in face_vertices */
    const int32_t *face_vertices;
    const RgVec3 *face_normals; /* nfaces: outward, unit */
} RgPolytopeView;
RG_API RgPolytopeView rg_geometry_polytope(const RgGeometry *geometry, int32_t part);

/* A geometry somewhere in the world. */
typedef struct RgPlaced {
    const RgGeometry *geometry;
    RgPose X_WG;
} RgPlaced;

/* ------------------------------------------------------------------ distance */

/*
 * Features. Polytope and box: its vertices, edges and faces. Sphere: vertex 0 (its centre). Capsule: vertex 0
 * and 1 (lower and upper end), edge 0 (its axis). Cylinder: face 0 and 1 (upper and lower cap), face 2
 * (side), edge 0 and 1 (upper and lower rim). Ellipsoid and half-space: face 0. Triangle of a surface or a
 * height field: face 0, vertex 0 ... 2, edge i from vertex i to the next.
 */
typedef enum RgFeatureKind { RG_FEATURE_NONE, RG_FEATURE_VERTEX, RG_FEATURE_EDGE, RG_FEATURE_FACE } RgFeatureKind;

typedef struct RgFeature {
    RgFeatureKind kind;
    int32_t index;
} RgFeature;

/* Where the last search for a pair ended; the next one begins there. Zeroed: nothing known. It changes the
   time a query takes, and its result within the stated error at most. */
typedef struct RgPairCache {
    /* separating axis, from A to B, in the frame of A, the first of the two in the order of queries; zero: none */
    RgVec3 axis_A;
    int32_t count; /* pairs of vertices that carried the answer, of polytopes */
    int32_t vertex_a[3], vertex_b[3];
    int32_t part_a, part_b;
} RgPairCache;

typedef struct RgDistance {
    double distance;         /* m; < 0: depth of the least translation that parts them */
    double error;            /* m; proven: the true distance is no more than this away */
    RgVec3 point_a, point_b; /* witness points: point_b = point_a + distance * normal */
    RgVec3 normal; /* unit, from A to B: A lies behind the plane through point_a, B before the one through point_b */
    RgFeature feature_a, feature_b;
    int32_t part_a, part_b; /* convex part or triangle */
    int32_t iterations;
} RgDistance;

/* Signed distance. Convex shapes: exact (see docs/collision.md). Shapes of several parts: the least over
   the parts. Surfaces and height fields: the least over the triangles; a solid lies behind a closed mesh,
   and under a height field, as far below its lowest point as its longer side is long (it has no walls): what
   is inside has a negative distance, that to before the plane across the nearest way out. Open meshes have no
   inside. The depth in a surface is that of a way out that clears every triangle overlapped; deep in rough
   ground there may be a shorter one. cache may be NULL.
   RG_ERR_UNSUPPORTED: both without bound, or both surfaces. RG_ERR_NOT_FINITE: a pose that is not finite, or
   farther away than 1e70 m. RG_ERR_NOT_CONVERGED: out holds, but error is larger than promised: curved shapes
   deep in each other with a whole circle of ways out that are as short (cylinders of one size crossed at
   right angles), size ratios beyond 1e4, or a shape deep in very many triangles. */
RG_API RgStatus rg_distance(const RgPlaced *a, const RgPlaced *b, RgPairCache *cache, RgDistance *out);

/* Whether rg_distance would be at most margin (m, of either sign), without it: ends as soon as a plane parts
   the shapes by more, or two points are nearer. RG_ERR_ARGUMENT: NULL, or a margin that is NaN; else as
   rg_distance. */
RG_API RgStatus rg_within(const RgPlaced *a, const RgPlaced *b, double margin, RgPairCache *cache, bool *within);

/* ------------------------------------------------------------------ manifold */

/*
 * How two shapes touch, by what of them meets in the contact plane (to within RgManifoldOptions.slope). The
 * degenerate ones, marked 1, leave the normal open: a whole arc or patch of directions would do.
 * coplanar_edges: a corner on an edge, where an edge at that corner lies in the plane of a face at that edge.
 * curved: a round surface or a rim with one normal. Shapes that are apart or sunk in by more than
 * RgManifoldOptions.touching have one normal: then no degenerate touch is reported, and none stands for
 * nearest vertices, or a vertex and an edge, or parallel edges.
 */
#define RG_TOUCH_LIST(X)                                                                                               \
    X(none, 0)                                                                                                         \
    X(vertex_face, 0)                                                                                                  \
    X(edge_face, 0)                                                                                                    \
    X(face_face, 0)                                                                                                    \
    X(edge_edge, 0)                                                                                                    \
    X(curved, 0)                                                                                                       \
    X(vertex_vertex, 1)                                                                                                \
    X(vertex_edge, 1)                                                                                                  \
    X(parallel_edges, 1)                                                                                               \
    X(coplanar_edges, 1)

typedef enum RgTouch {
#define RG_TOUCH_ENUM(name, degenerate) RG_TOUCH_##name,
    RG_TOUCH_LIST(RG_TOUCH_ENUM)
#undef RG_TOUCH_ENUM
        RG_TOUCH_COUNT
} RgTouch;
RG_API const char *rg_touch_name(RgTouch touch);
RG_API bool rg_touch_is_degenerate(RgTouch touch);

typedef struct RgContactPoint {
    RgVec3 point_a, point_b; /* on A and on B, one above the other along the normal */
    RgVec3 normal;           /* unit, from A to B */
    double gap;              /* m; < 0: depth here */
    uint64_t id;             /* unique in a call, and the same in the next step; see rg_manifold */
    RgFeature feature_a, feature_b;
} RgContactPoint;

typedef struct RgManifold {
    RgVec3 normal;
    double distance; /* least gap */
    RgTouch touch;
    int32_t part_a, part_b;
    int32_t first, count; /* its points in the buffer */
} RgManifold;

/* Filled by the caller's memory; queries append. */
typedef struct RgContactBuffer {
    RgContactPoint *points;
    RgManifold *manifolds;
    int32_t point_capacity, manifold_capacity;
    int32_t npoints, nmanifolds;
    bool overflow; /* what did not fit was left out */
    /* more corners of a face, or more triangles and normals near a part, than a query looks at: some were left out, and
       more memory does not help */
    bool reduced;
} RgContactBuffer;

typedef struct RgManifoldOptions {
    uint32_t cookie;
    double margin; /* m; points with a gap up to this are reported; default 1e-3 */
    /* tan of the angle up to which an edge or face counts as lying in the contact plane; default 0.02 */
    double slope;
    double touching;    /* part of the shapes' size within which they count as touching; default 1e-9 */
    int32_t max_points; /* a manifold: 0 all (default), 4: four that keep the area */
} RgManifoldOptions;
RG_API RgManifoldOptions rg_manifold_options_default(void);

/* Contact manifolds of a pair, appended: one for convex shapes, one a pair of parts or a patch of triangles
   with one normal otherwise (docs/collision.md). There is a point wherever rg_distance is no more than the
   margin. options NULL: defaults. cache may be NULL.
   Ids are made of parts and features; on a surface a flat region is one face, whichever of its triangles is
   touched. A contact keeps its id while its features touch. Swapped arguments give the same ids, but for
   two of the same geometry: their ids are to be compared between calls in the same order.
   RG_ERR_UNSUPPORTED: both half-spaces, or both surfaces; RG_ERR_NOT_FINITE: a pose; RG_ERR_NOT_CONVERGED:
   a distance is less exact than promised, the points hold. */
RG_API RgStatus rg_manifold(const RgPlaced *a, const RgPlaced *b, const RgManifoldOptions *options, RgPairCache *cache,
                            RgContactBuffer *out);

/* Keeps at most max_points of count points of one normal: the deepest, then those that keep most of the area.
   Returns how many; they stay in their order. Points that add nothing are left out too, and of more than 64
   never more than 64 kept. */
RG_API int32_t rg_manifold_reduce(RgContactPoint *points, int32_t count, int32_t max_points);

/* ------------------------------------------------------------------ motion */

/* A geometry that moves at constant velocity: the centre c goes straight, c + t V.v, and the shape turns
   about it with V.w. */
typedef struct RgSweep {
    const RgGeometry *geometry;
    RgPose X_WG;   /* at t = 0 */
    RgVec3 centre; /* c at t = 0 */
    RgMotion V;    /* world axes, V.v of the point c */
} RgSweep;
RG_API RgPose rg_sweep_pose(const RgSweep *sweep, double t);

/* Largest speed with which any point of the shape moves along +-d (unit) while it keeps its velocity, m/s
   (001 eq. 4): |d . v| + |w x d| r, r the distance of the farthest point from the centre. Infinite for a
   half-space that turns. */
RG_API double rg_motion_bound(const RgSweep *sweep, RgVec3 d);

/* A ball that a link carries: centre in the link's frame. */
typedef struct RgLinkBall {
    RgLinkId link;
    RgVec3 centre;
    double radius;
} RgLinkBall;

/* Largest distance by which any point of the ball can move along +-d (unit) within horizon seconds while the
   joints of the tree keep their rates v, m (001 eqs. 11-14). q: nq, v: nv. */
RG_API double rg_link_motion_bound(const RgModel *model, const double *q, const double *v, const RgLinkBall *ball,
                                   RgVec3 d, double horizon);

typedef enum RgImpactMethod {
    RG_IMPACT_AUTO,         /* exact */
    RG_IMPACT_CONSERVATIVE, /* advancement by the distance over the motion bound */
    RG_IMPACT_EXACT         /* first root of the distance on the known curves, with a bracket */
} RgImpactMethod;

typedef struct RgImpactOptions {
    uint32_t cookie;
    double horizon;         /* s; default 1 */
    double gap;             /* m; the impact is where the distance falls to this; < 0: a depth; default 0 */
    double tolerance;       /* m; conservative: ends within it of the gap; default 0: 1e-9 of the size */
    RgImpactMethod method;  /* default RG_IMPACT_AUTO */
    int32_t max_iterations; /* distances asked, for each pair of convex parts; default 1000 */
} RgImpactOptions;
RG_API RgImpactOptions rg_impact_options_default(void);

typedef struct RgImpact {
    bool hit;      /* within the horizon, as far as round-off can tell */
    double time;   /* s; never later than the truth; the horizon where nothing is hit */
    double latest; /* s; proven: the gap is closed by then; infinite: not proven */
    RgDistance at; /* the pair at that time */
    int32_t iterations;
} RgImpact;

/* First time at which two moving shapes come within gap of each other, of all kinds that rg_distance answers
   for; half-spaces may turn. What comes in under a height field from beside meets no triangle, and is no hit
   of the exact method; with gap < 0 against a surface both methods are the conservative one. Shapes within
   the gap at the start hit at 0. The exact method proves what it says: the truth lies between time and
   latest, which are closer than 1e-9 s unless the shapes graze each other; a touch that round-off cannot
   tell from a miss is a hit without latest. RG_ERR_NOT_CONVERGED: out of iterations; hit is true, and the
   time still not late. */
RG_API RgStatus rg_time_of_impact(const RgSweep *a, const RgSweep *b, const RgImpactOptions *options, RgImpact *out);

/* ------------------------------------------------------------------ rays */

typedef struct RgRay {
    RgVec3 origin, direction; /* direction of any length but zero */
    double reach;             /* m along the ray; may be infinite */
} RgRay;

typedef struct RgRayHit {
    double distance;      /* m along the ray; 0 where it begins inside a convex shape */
    RgVec3 point, normal; /* normal: outward; against the ray where it begins inside */
    int32_t part;
    RgFeature feature; /* of polytopes and triangles */
} RgRayHit;

/* First point of the geometry on the ray; false: none within reach. */
RG_API bool rg_ray_cast(const RgPlaced *placed, const RgRay *ray, RgRayHit *out);

/* ------------------------------------------------------------------ space */

/* Many geometries, a bounding-volume tree over them, and which pairs may touch. */
typedef struct RgSpace RgSpace;
typedef struct RgColliderId {
    int32_t i; /* 0: none. The number of one that was removed is given to a later one */
} RgColliderId;

/*
 * Two colliders may touch unless
 *   they have the same body, or both have a negative one (what stands still never touches its like);
 *   no bit of one's category is in the other's mask, either way round;
 *   the pair of their owners is excluded (rg_space_exclude);
 *   they are of one group >= 0, and not both are self_collide.
 * A pair of owners that is included (rg_space_include) touches whatever masks and groups say, if only the
 * bodies differ and one of them moves. Of exclude and include the last word on a pair counts.
 */
typedef struct RgColliderDef {
    uint32_t cookie;
    const RgGeometry *geometry; /* must outlive the space */
    RgPose X_WG;
    uint64_t key;            /* names it: pairs come sorted by key, so two colliders must not share one */
    int32_t body;            /* what it moves with; negative: stands still; default -1 */
    int32_t owner;           /* what exclusions speak of, such as a link; default -1: none */
    int32_t group;           /* model it belongs to; default -1: none */
    bool self_collide;       /* default true */
    uint32_t category, mask; /* default all ones */
} RgColliderDef;
RG_API RgColliderDef rg_collider_def_default(void);

typedef struct RgSpaceDef {
    uint32_t cookie;
    RgAllocator allocator;
    /* m by which boxes are grown in the tree, so that small motions need no update; default 0.02 */
    double fattening;
} RgSpaceDef;
RG_API RgSpaceDef rg_space_def_default(void);
RG_API RgSpace *rg_space_create(const RgSpaceDef *def);
RG_API void rg_space_destroy(RgSpace *space);

RG_API RgStatus rg_space_add(RgSpace *space, const RgColliderDef *def, RgColliderId *out);
RG_API RgStatus rg_space_remove(RgSpace *space, RgColliderId collider);
RG_API RgStatus rg_space_move(RgSpace *space, RgColliderId collider, const RgPose *X_WG);
RG_API RgStatus rg_space_exclude(RgSpace *space, int32_t owner_a, int32_t owner_b);
RG_API RgStatus rg_space_include(RgSpace *space, int32_t owner_a, int32_t owner_b);
RG_API RgPlaced rg_space_placed(const RgSpace *space, RgColliderId collider);
RG_API const RgColliderDef *rg_space_collider(const RgSpace *space, RgColliderId collider);

typedef struct RgColliderPair {
    RgColliderId a, b; /* key of a < key of b */
} RgColliderPair;

/* All pairs that may touch and whose bounding boxes, grown by margin / 2 each, overlap; sorted by key. The
   box of a height field reaches down to the end of its solid (rg_distance). A half-space is no box: its
   pairs are those whose box comes within margin of its plane or below; two half-spaces are none. The view
   stays valid until the space changes or is asked again. */
RG_API RgStatus rg_space_pairs(RgSpace *space, double margin, const RgColliderPair **pairs, int32_t *count);

/* First hit of a ray among colliders with a bit of mask in their category. */
RG_API bool rg_space_ray(const RgSpace *space, const RgRay *ray, uint32_t mask, RgColliderId *collider, RgRayHit *out);

/* Colliders whose geometry comes within margin of the given one (exact), sorted by key; at most capacity are
   written, the number of all is returned. */
RG_API int32_t rg_space_overlap(const RgSpace *space, const RgPlaced *placed, double margin, uint32_t mask,
                                RgColliderId *out, int32_t capacity);

/* The same for a box along the world's axes, by bounding boxes alone. */
RG_API int32_t rg_space_overlap_box(const RgSpace *space, RgVec3 low, RgVec3 high, uint32_t mask, RgColliderId *out,
                                    int32_t capacity);

#ifdef __cplusplus
}
#endif
#endif
