/*
 * collision.h - shapes prepared for contact: their distance, their contact points, their time of impact.
 *
 *   RgShapeDef -- rg_geometry_create -->  RgGeometry   (checked, immutable, shared by any number of places)
 *   RgGeometry + pose  =  RgPlaced     -->  distance, manifold, ray
 *   RgGeometry + motion = RgSweep      -->  time of impact, motion bound
 *   many of them        = RgSpace      -->  pairs that may touch, rays, overlaps
 *
 * World axes, SI units, rigid poses. A query gives the same numbers for swapped arguments (with the opposite normal;
 * except for one geometry twice at the same pose), for any order of insertion and any number of threads. It writes only
 * to its output arguments and uses at most 270 kB of stack.
 */
#ifndef RIGOR_COLLISION_H
#define RIGOR_COLLISION_H

#include <rigor/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ geometry */

typedef struct RgGeometry RgGeometry;

/* Defects found in a mesh or a set of points. The counts of repaired defects are 0 for clean input. */
typedef struct RgMeshReport {
    int32_t merged_vertices; /* duplicate vertices, merged */
    int32_t dropped_faces;   /* triangles without area and duplicates, removed */
    int32_t unused_vertices; /* vertices without a face */
    int32_t inner_points;    /* hull: points that are not corners of it */
    int32_t open_edges;      /* edges with one triangle, or more than two */
    int32_t turned_edges;    /* edges whose two triangles have inconsistent orientations */
    bool closed;             /* every edge has two triangles with consistent orientations */
    bool inside_out;         /* closed with inward normals: orientation was reversed */
} RgMeshReport;

/* Prepares a shape (ignoring its link, pose, surface and names). Meshes: by def->mesh_use; RG_MESH_AUTO means the
   surface. On failure *out is NULL and error (may be NULL) has the reason. RG_ERR_ARGUMENT: invalid sizes, NaN, or face
   indices; RG_ERR_MODEL: a hull without volume, a surface without a triangle. */
RG_API RgStatus rg_geometry_create(const RgShapeDef *def, const RgAllocator *allocator, RgGeometry **out,
                                   RgError *error);
RG_API void rg_geometry_destroy(RgGeometry *geometry);

typedef struct RgGeometryInfo {
    RgShapeType type;
    bool is_convex;                 /* one convex part */
    int32_t parts;                  /* convex parts; 0 for a triangle surface or a height field */
    int32_t vertices, edges, faces; /* of the polytopes, summed over the parts; or of the surface */
    /* bounding box in shape axes, of a height field: of its triangles; infinite for a half-space */
    RgVec3 low, high;
    RgVec3 centre; /* of a bounding sphere */
    double radius;
    RgMeshReport mesh;
} RgGeometryInfo;
RG_API RgGeometryInfo rg_geometry_info(const RgGeometry *geometry);

/* Vertices and faces of a convex part that is a polytope or a box; zeros and NULLs for other shapes. Faces are
   polygons, counter-clockwise seen from outside. The arrays are valid as long as the geometry. */
typedef struct RgPolytopeView {
    int32_t nvertices, nedges, nfaces;
    const RgVec3 *vertices;    /* nvertices */
    const int32_t *edges;      /* 2 * nedges: two vertices each */
    const int32_t *face_start; /* nfaces + 1: start of each face in face_vertices */
    const int32_t *face_vertices;
    const RgVec3 *face_normals; /* nfaces: outward, unit */
} RgPolytopeView;
RG_API RgPolytopeView rg_geometry_polytope(const RgGeometry *geometry, int32_t part);

/* A geometry at a pose in the world. */
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

/* Result of the last query for a pair, used to start the next one. Zero-initialise. It changes the time of a query, and
   its result at most within the stated error. */
typedef struct RgPairCache {
    /* separating axis from A to B, in the frame of A, in the order of arguments of the queries; zero: none */
    RgVec3 axis_A;
    int32_t count; /* polytopes: number of vertex pairs that determined the result */
    int32_t vertex_a[3], vertex_b[3];
    int32_t part_a, part_b;
} RgPairCache;

typedef struct RgDistance {
    double distance;         /* m; < 0: depth, the length of the smallest translation that separates the shapes */
    double error;            /* m; proven bound of the error of distance */
    RgVec3 point_a, point_b; /* witness points: point_b = point_a + distance * normal */
    RgVec3 normal; /* unit, from A to B: A lies behind the plane through point_a, B before the one through point_b */
    RgFeature feature_a, feature_b;
    int32_t part_a, part_b; /* convex part or triangle */
    int32_t iterations;
} RgDistance;

/* Signed distance. Convex shapes: exact (see docs/collision.md). Shapes of several parts: the minimum over the parts.
   Surfaces and height fields: the minimum over the triangles. A closed mesh bounds a solid; so does a height field,
   whose solid reaches below its lowest point by the length of its longer side (it has no side walls). Inside a solid
   the distance is negative: the depth along the shortest way out. Open meshes have no inside. The depth in a surface is
   that of a translation that clears every overlapped triangle; deep in rough terrain a shorter one may exist.
   cache may be NULL.
   RG_ERR_UNSUPPORTED: both shapes unbounded, or both surfaces. RG_ERR_NOT_FINITE: a pose that is not finite, or farther
   than 1e70 m away. RG_ERR_NOT_CONVERGED: out is valid, but its error exceeds the promised accuracy: curved shapes deep
   in each other with a circle of equally short ways out (equal cylinders crossed at right angles), size ratios above
   1e4, or a shape deep in very many triangles. */
RG_API RgStatus rg_distance(const RgPlaced *a, const RgPlaced *b, RgPairCache *cache, RgDistance *out);

/* Whether rg_distance would return at most margin (m, of either sign). Faster than rg_distance: it ends when a plane
   separates the shapes by more than margin, or two points are nearer. RG_ERR_ARGUMENT: NULL, or margin is NaN; else as
   rg_distance. */
RG_API RgStatus rg_within(const RgPlaced *a, const RgPlaced *b, double margin, RgPairCache *cache, bool *within);

/* ------------------------------------------------------------------ manifold */

/*
 * Kind of touch: which features meet in the contact plane, to within RgManifoldOptions.slope. Kinds marked 1 are
 * degenerate: their normal is not unique, it may be any of an arc or a patch of directions. coplanar_edges: a vertex on
 * an edge, with an edge at that vertex in the plane of a face at that edge. curved: a curved surface or a rim with one
 * normal. If the gap or depth exceeds RgManifoldOptions.touching the normal is unique: then no degenerate kind is
 * reported, and none is reported for nearest vertices, a vertex and an edge, or parallel edges.
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
    RgVec3 point_a, point_b; /* on A and on B, on a common line along the normal */
    RgVec3 normal;           /* unit, from A to B */
    double gap;              /* m; < 0: depth at this point */
    uint64_t id;             /* unique within a call, the same in the next step; see rg_manifold */
    RgFeature feature_a, feature_b;
} RgContactPoint;

typedef struct RgManifold {
    RgVec3 normal;
    double distance; /* smallest gap of its points */
    RgTouch touch;
    int32_t part_a, part_b;
    int32_t first, count; /* range of its points in the buffer */
} RgManifold;

/* Memory of the caller; queries append to it. */
typedef struct RgContactBuffer {
    RgContactPoint *points;
    RgManifold *manifolds;
    int32_t point_capacity, manifold_capacity;
    int32_t npoints, nmanifolds;
    bool overflow; /* the capacity was too small: contacts are missing */
    /* contacts are missing because of a fixed limit of the query on face corners, triangles or normals near a part; a
       larger buffer does not help */
    bool reduced;
} RgContactBuffer;

typedef struct RgManifoldOptions {
    uint32_t cookie;
    double margin; /* m; points with a gap up to margin are reported; default 1e-3 */
    /* tan of the angle up to which an edge or face counts as lying in the contact plane; default 0.02 */
    double slope;
    double touching;    /* relative to the shapes' size: distance up to which they count as touching; default 1e-9 */
    int32_t max_points; /* per manifold: 0 all (default), 4: four that preserve the area */
} RgManifoldOptions;
RG_API RgManifoldOptions rg_manifold_options_default(void);

/* Appends the contact manifolds of a pair: one for convex shapes; otherwise one for each pair of parts or patch of
   triangles with one normal (docs/collision.md). A point is reported wherever rg_distance is at most the margin.
   options NULL: defaults. cache may be NULL.
   Ids are made of parts and features; on a surface, a flat region is one face, whichever of its triangles is touched. A
   contact keeps its id while its features touch. Swapped arguments give the same ids, except for two of the same
   geometry: compare their ids only between calls with the same order.
   RG_ERR_UNSUPPORTED: both half-spaces, or both surfaces; RG_ERR_NOT_FINITE: a pose; RG_ERR_NOT_CONVERGED: a distance
   is less accurate than promised; the points are valid. */
RG_API RgStatus rg_manifold(const RgPlaced *a, const RgPlaced *b, const RgManifoldOptions *options, RgPairCache *cache,
                            RgContactBuffer *out);

/* Reduces count points of one normal to at most max_points: the deepest one, then those that preserve most of the area.
   Keeps their order and returns the new count. Redundant points are also removed; at most 64 points are kept. */
RG_API int32_t rg_manifold_reduce(RgContactPoint *points, int32_t count, int32_t max_points);

/* ------------------------------------------------------------------ motion */

/* A geometry that moves at constant velocity: its centre moves along c + t V.v, and the shape rotates about it with
   V.w. */
typedef struct RgSweep {
    const RgGeometry *geometry;
    RgPose X_WG;   /* at t = 0 */
    RgVec3 centre; /* c at t = 0 */
    RgMotion V;    /* world axes, V.v of the point c */
} RgSweep;
RG_API RgPose rg_sweep_pose(const RgSweep *sweep, double t);

/* Bound of the speed of any point of the shape along +-d (unit) at constant velocity, m/s (001 eq. 4):
   |d . v| + |w x d| r, with r the largest distance of a point from the centre. Infinite for a rotating half-space. */
RG_API double rg_motion_bound(const RgSweep *sweep, RgVec3 d);

/* A ball fixed to a link; centre in the link's frame. */
typedef struct RgLinkBall {
    RgLinkId link;
    RgVec3 centre;
    double radius;
} RgLinkBall;

/* Bound of the displacement of any point of the ball along +-d (unit) within horizon seconds at constant rates v of the
   tree joints, m (001 eqs. 11-14). q: nq, v: nv. */
RG_API double rg_link_motion_bound(const RgModel *model, const double *q, const double *v, const RgLinkBall *ball,
                                   RgVec3 d, double horizon);

typedef enum RgImpactMethod {
    RG_IMPACT_AUTO,         /* exact */
    RG_IMPACT_CONSERVATIVE, /* conservative advancement: steps of distance / motion bound */
    RG_IMPACT_EXACT         /* first root of the distance along the trajectories, with a bracket */
} RgImpactMethod;

typedef struct RgImpactOptions {
    uint32_t cookie;
    double horizon;         /* s; default 1 */
    double gap;             /* m; impact: the distance falls to this value; < 0: a depth; default 0 */
    double tolerance;       /* m; conservative: ends within this of the gap; default 0: 1e-9 of the size */
    RgImpactMethod method;  /* default RG_IMPACT_AUTO */
    int32_t max_iterations; /* distance evaluations per pair of convex parts; default 1000 */
} RgImpactOptions;
RG_API RgImpactOptions rg_impact_options_default(void);

typedef struct RgImpact {
    bool hit;      /* within the horizon, to round-off */
    double time;   /* s; never later than the true impact; the horizon if there is no hit */
    double latest; /* s; proven: the impact is not later; infinite: not proven */
    RgDistance at; /* distance of the pair at that time */
    int32_t iterations;
} RgImpact;

/* First time at which the distance of two moving shapes falls to gap, for all pairs that rg_distance supports;
   half-spaces may rotate. A shape that enters the solid of a height field from the side meets no triangle, which the
   exact method does not report as a hit. Against a surface with gap < 0 both methods are conservative. Shapes within
   the gap at the start hit at time 0. The exact method proves its result: the impact lies between time and latest,
   which differ by less than 1e-9 s unless the shapes graze each other; a touch that round-off cannot distinguish from a
   miss is a hit with infinite latest. RG_ERR_NOT_CONVERGED: iteration limit; hit is true, and time is still not too
   late. */
RG_API RgStatus rg_time_of_impact(const RgSweep *a, const RgSweep *b, const RgImpactOptions *options, RgImpact *out);

/* ------------------------------------------------------------------ rays */

typedef struct RgRay {
    RgVec3 origin, direction; /* direction of any length except zero */
    double reach;             /* m along the ray; may be infinite */
} RgRay;

typedef struct RgRayHit {
    double distance;      /* m along the ray; 0 if it starts inside a convex shape */
    RgVec3 point, normal; /* normal: outward; opposite to the ray if it starts inside */
    int32_t part;
    RgFeature feature; /* polytopes and triangles only */
} RgRayHit;

/* First intersection of the ray with the geometry; false: none within reach. */
RG_API bool rg_ray_cast(const RgPlaced *placed, const RgRay *ray, RgRayHit *out);

/* ------------------------------------------------------------------ space */

/* A set of colliders with a bounding-volume tree and rules for pairs. */
typedef struct RgSpace RgSpace;
typedef struct RgColliderId {
    int32_t i; /* 0: null. Numbers of removed colliders are reused */
} RgColliderId;

/*
 * Two colliders may touch unless
 *   they have the same body, or both have a negative body (both are fixed);
 *   no bit of one's category is in the other's mask, in either direction;
 *   the pair of their owners is excluded (rg_space_exclude);
 *   they are of one group >= 0, and not both are self_collide.
 * A pair of owners that is included (rg_space_include) ignores masks and groups; only the rule of bodies still holds.
 * For a pair that is both excluded and included the later call counts.
 */
typedef struct RgColliderDef {
    uint32_t cookie;
    const RgGeometry *geometry; /* must outlive the space */
    RgPose X_WG;
    uint64_t key;            /* unique; pairs are sorted by key */
    int32_t body;            /* body it moves with; negative: fixed; default -1 */
    int32_t owner;           /* subject of rg_space_exclude, such as a link; default -1: none */
    int32_t group;           /* model it belongs to; default -1: none */
    bool self_collide;       /* default true */
    uint32_t category, mask; /* default all ones */
} RgColliderDef;
RG_API RgColliderDef rg_collider_def_default(void);

typedef struct RgSpaceDef {
    uint32_t cookie;
    RgAllocator allocator;
    /* m: margin of the boxes in the tree, so that small motions need no update; default 0.02 */
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

/* All pairs that may touch and whose bounding boxes, each grown by margin / 2, overlap; sorted by key. The box of a
   height field includes its solid (rg_distance). A pair with a half-space is included if the other's box comes within
   margin of its plane or below it; two half-spaces are never a pair. The view is valid until the space changes or is
   queried again. */
RG_API RgStatus rg_space_pairs(RgSpace *space, double margin, const RgColliderPair **pairs, int32_t *count);

/* First hit of a ray among the colliders whose category has a bit of mask. */
RG_API bool rg_space_ray(const RgSpace *space, const RgRay *ray, uint32_t mask, RgColliderId *collider, RgRayHit *out);

/* Colliders whose geometry comes within margin of the given one (exact), sorted by key. Writes at most capacity ids and
   returns the number of all. */
RG_API int32_t rg_space_overlap(const RgSpace *space, const RgPlaced *placed, double margin, uint32_t mask,
                                RgColliderId *out, int32_t capacity);

/* The same for a box along the world's axes, by bounding boxes alone. */
RG_API int32_t rg_space_overlap_box(const RgSpace *space, RgVec3 low, RgVec3 high, uint32_t mask, RgColliderId *out,
                                    int32_t capacity);

#ifdef __cplusplus
}
#endif
#endif
