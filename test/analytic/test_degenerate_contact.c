/*
 * test_degenerate_contact.c - contacts whose normal geometry leaves open, and floors whose triangles must
 * not show (configurations of Erleben 2018, "Methodology for assessing mesh-based contact point methods").
 *
 *   spike: a pyramid, tip down       wedge: a roof, ridge along x       cliff: the rim of a box
 *
 * Each scene is tried as it stands and turned as a whole, touching, 1e-10 m apart and 1e-10 m deep. What
 * must hold: the kind of touch and the number of points are the expected ones, every point lies where the
 * shapes meet, and the normal, whichever it is, parts the shapes.
 */
#include "check_near.h"
#include "draw.h"
#include "geometries.h"

#include <rigor/collision.h>

#include <stdlib.h>
#include <string.h>

#define POINTS 256
#define NEAR 1e-9 /* m: the scenes are 1 m wide, and 1e-9 of that counts as touching */

/* ------------------------------------------------------------------ shapes */

/* Tip at the origin, 1 m high, 2 w wide; up: the tip is the top. */
static RgGeometry *spike(double w, bool up)
{
    double z = up ? -1.0 : 1.0;
    const double xyz[] = {0.0, 0.0, 0.0, -w, -w, z, w, -w, z, w, w, z, -w, w, z};
    return make_polytope(xyz, 5);
}

/* Ridge along x through the origin, 1 m long, 45 degrees both sides; up: the ridge is the top. */
static RgGeometry *wedge(bool up)
{
    double z = up ? -0.5 : 0.5;
    const double xyz[] = {-0.5, 0.0, 0.0, 0.5, 0.0, 0.0, -0.5, -0.5, z, 0.5, -0.5, z, -0.5, 0.5, z, 0.5, 0.5, z};
    return make_polytope(xyz, 6);
}

/* ------------------------------------------------------------------ asking */

/* A stands at the origin of the scene, B at X_SB; the scene anywhere in the world. */
typedef struct Scene {
    RgGeometry *a, *b;
    RgPose X_SB;
} Scene;

typedef struct Contacts {
    RgContactPoint points[POINTS];
    RgManifold manifolds[POINTS];
    RgContactBuffer buffer;
} Contacts;

static Contacts *ask(const RgPlaced *a, const RgPlaced *b)
{
    static Contacts c;
    memset(&c, 0, sizeof c);
    c.buffer = (RgContactBuffer){c.points, c.manifolds, POINTS, POINTS, 0, 0, false, false};
    cr_assert(rg_manifold(a, b, NULL, NULL, &c.buffer) == RG_OK);
    cr_assert(!c.buffer.overflow);
    return &c;
}

/* Farthest corner along n. */
static double reach(const RgPlaced *p, RgVec3 n)
{
    double most = -INFINITY;
    for (int part = 0; part < rg_geometry_info(p->geometry).parts; part++) {
        RgPolytopeView v = rg_geometry_polytope(p->geometry, part);
        for (int i = 0; i < v.nvertices; i++)
            most = fmax(most, vec_dot(n, place_point(p->X_WG, v.vertices[i])));
    }
    return most;
}

/* Largest distance between two points of a contact. */
static double spread(const Contacts *c)
{
    double most = 0.0;
    for (int i = 0; i < c->buffer.npoints; i++)
        for (int j = 0; j < i; j++)
            most = fmax(most, vec_distance(c->points[i].point_a, c->points[j].point_a));
    return most;
}

/* What is expected of a scene. */
typedef struct Expected {
    RgTouch touch;
    int points;
    double spread; /* m, of the points */
} Expected;

static void check_points(const Contacts *c, double gap)
{
    for (int i = 0; i < c->buffer.npoints; i++) {
        const RgContactPoint *p = &c->points[i];
        CHECK_NEAR(p->gap, gap, 2.0 * NEAR, "m");
        RgVec3 there = vec_add(p->point_a, vec_scale(p->gap, p->normal));
        CHECK_NEAR(vec_distance(there, p->point_b), 0.0, 1e-12, "m");
    }
}

static void check_placed(const RgPlaced *A, const RgPlaced *B, const Expected *e, double offset)
{
    const Contacts *c = ask(A, B);
    cr_assert(c->buffer.nmanifolds == 1, "%d manifolds", c->buffer.nmanifolds);
    cr_expect(c->manifolds[0].touch == e->touch, "%s, expected %s", rg_touch_name(c->manifolds[0].touch),
              rg_touch_name(e->touch));
    cr_expect(c->buffer.npoints == e->points, "%d points, expected %d", c->buffer.npoints, e->points);
    CHECK_NEAR(spread(c), e->spread, 10.0 * NEAR, "m");
    CHECK_NEAR(c->manifolds[0].distance, 0.0, fabs(offset) + 1e-13, "m");
    check_points(c, 0.0);

    /* Moved by the distance along the normal the shapes are apart. */
    RgVec3 n = c->manifolds[0].normal;
    CHECK_NEAR(vec_norm(n), 1.0, 1e-14, "");
    double sep = -reach(B, vec_scale(-1.0, n)) - reach(A, n);
    CHECK_NEAR(sep, 0.0, 2.0 * fabs(offset) + 1e-12, "m");
}

/* Both ways round, at rest and anywhere, touching and nearly. Destroys the shapes. */
static void check_scene(const Scene *s, const Expected *e)
{
    static const double offsets[] = {0.0, 1e-10, -1e-10};
    Draw d = draw_seed(2);
    for (int k = 0; k < 30; k++) {
        RgPose X_WS = k < 3 ? place_at(0.0, 0.0, 0.0) : draw_pose(&d, 1.0), X_SB = s->X_SB;
        X_SB.p.z += offsets[k % 3];
        RgPlaced A = {s->a, X_WS}, B = {s->b, place_mul(X_WS, X_SB)};
        check_placed(&A, &B, e, offsets[k % 3]);
        check_placed(&B, &A, e, offsets[k % 3]);
    }
    rg_geometry_destroy(s->a);
    rg_geometry_destroy(s->b);
}

static RgPose turned(RgVec3 axis, double angle)
{
    return (RgPose){mat_turn(axis, angle), {0.0, 0.0, 0.0}};
}

/* ------------------------------------------------------------------ spikes, wedges, edges */

Test(degenerate_contact, spike_on_spike)
{
    Scene s = {spike(0.5, true), spike(0.4, false), turned(vec(0.0, 0.0, 1.0), 0.3)};
    check_scene(&s, &(Expected){RG_TOUCH_vertex_vertex, 1, 0.0});
}

Test(degenerate_contact, spike_on_wedge)
{
    Scene s = {wedge(true), spike(0.3, false), turned(vec(0.0, 0.0, 1.0), 0.2)};
    s.X_SB.p.x = 0.1;
    check_scene(&s, &(Expected){RG_TOUCH_vertex_edge, 1, 0.0});
}

Test(degenerate_contact, spike_on_the_end_of_a_wedge)
{
    Scene s = {wedge(true), spike(0.3, false), turned(vec(0.0, 0.0, 1.0), 0.2)};
    s.X_SB.p.x = 0.5;
    check_scene(&s, &(Expected){RG_TOUCH_vertex_vertex, 1, 0.0});
}

Test(degenerate_contact, spike_on_a_cliff)
{
    /* The tip on the rim of a box. */
    Scene s = {make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0), spike(0.3, false), place_at(0.1, 0.5, 0.5)};
    check_scene(&s, &(Expected){RG_TOUCH_vertex_edge, 1, 0.0});
}

Test(degenerate_contact, wedges_that_cross)
{
    Scene s = {wedge(true), wedge(false), turned(vec(0.0, 0.0, 1.0), 0.7)};
    check_scene(&s, &(Expected){RG_TOUCH_edge_edge, 1, 0.0});
}

Test(degenerate_contact, wedges_along_each_other)
{
    Scene s = {wedge(true), wedge(false), place_at(0.3, 0.0, 0.0)};
    check_scene(&s, &(Expected){RG_TOUCH_parallel_edges, 2, 0.7});
}

Test(degenerate_contact, spike_on_a_face)
{
    Scene s = {make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0), spike(0.3, false), place_at(0.1, 0.2, 0.5)};
    check_scene(&s, &(Expected){RG_TOUCH_vertex_face, 1, 0.0});
}

Test(degenerate_contact, wedge_on_a_face)
{
    Scene s = {make_shape(RG_SHAPE_box, 2.0, 1.0, 1.0), wedge(false), turned(vec(0.0, 0.0, 1.0), 0.4)};
    s.X_SB.p.z = 0.5;
    check_scene(&s, &(Expected){RG_TOUCH_edge_face, 2, 1.0});
}

/* A box on its edge over the edge of another, crossing and parallel. */
Test(degenerate_contact, edges_of_boxes)
{
    RgMat3 on_edge = mat_turn(vec(1.0, 0.0, 0.0), 0.25 * TEST_PI);
    Scene crossing = {make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0), make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0),
                      place_at(0.0, 0.0, 0.0)};
    crossing.X_SB = (RgPose){mat_mul(mat_turn(vec(0.0, 0.0, 1.0), 1.0), on_edge), {0.0, 0.5, 0.5 + sqrt(0.5)}};

    /* Half of the lower edge of B lies on the top of A, from the rim inwards. */
    check_scene(&crossing, &(Expected){RG_TOUCH_edge_face, 2, 0.5});
    Scene parallel = {make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0), make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0),
                      place_at(0.25, 0.5, 0.5 + sqrt(0.5))};
    parallel.X_SB.R = on_edge;
    check_scene(&parallel, &(Expected){RG_TOUCH_parallel_edges, 2, 0.75});
}

/* Corner to corner, corner on an edge. */
Test(degenerate_contact, corners_of_boxes)
{
    /* B stands on its corner: the diagonal along z. */
    RgVec3 axis = vec(sqrt(0.5), -sqrt(0.5), 0.0);
    RgMat3 on_corner = mat_turn(axis, acos(1.0 / sqrt(3.0)));
    double up = 0.5 + sqrt(0.75);
    Scene corner = {
        make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0), make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0), {on_corner, {0.5, 0.5, up}}};
    RgVec3 tip = place_point(corner.X_SB, vec(-0.5, -0.5, -0.5));
    CHECK_NEAR(tip.z, 0.5, 1e-15, "m");
    check_scene(&corner, &(Expected){RG_TOUCH_vertex_vertex, 1, 0.0});
    Scene edge = {
        make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0), make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0), {on_corner, {0.1, 0.5, up}}};
    check_scene(&edge, &(Expected){RG_TOUCH_vertex_edge, 1, 0.0});
}

/* Two boxes share a line: A's rim, B's rim. Either name of it is right, the normal is open. */
Test(degenerate_contact, cliff_on_cliff)
{
    RgGeometry *a = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0), *b = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    RgPlaced A = {a, place_at(0.0, 0.0, 0.0)}, B = {b, place_at(1.0, 0.25, 1.0)};
    const Contacts *c = ask(&A, &B);
    cr_assert(c->buffer.nmanifolds == 1);
    RgTouch touch = c->manifolds[0].touch;
    cr_expect(touch == RG_TOUCH_parallel_edges || touch == RG_TOUCH_coplanar_edges, "%s", rg_touch_name(touch));
    cr_expect(rg_touch_is_degenerate(touch));
    cr_expect(c->buffer.npoints == 2, "%d points", c->buffer.npoints);
    CHECK_NEAR(spread(c), 0.75, NEAR, "m");
    check_points(c, 0.0);
    rg_geometry_destroy(a);
    rg_geometry_destroy(b);
}

/* ------------------------------------------------------------------ several parts */

/* Boxes as parts of one mesh: 8 corners and 12 triangles each. */
typedef struct Parts {
    double xyz[4 * 24];
    int32_t faces[4 * 36], start[5];
    int count;
} Parts;

static void add_hull(Parts *p, const double corners[24])
{
    /* Corner i: bit 0, 1, 2 set: +x, +y, +z. */
    static const int32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    memcpy(p->xyz + 24 * p->count, corners, 24 * sizeof(double));
    for (int i = 0; i < 36; i++)
        p->faces[36 * p->count + i] = faces[i] + 8 * p->count;
    p->count++;
    p->start[p->count] = 12 * p->count;
}

static void add_box(Parts *p, RgVec3 low, RgVec3 high)
{
    double corners[24];
    for (int i = 0; i < 8; i++) {
        corners[3 * i] = (i & 1) != 0 ? high.x : low.x;
        corners[3 * i + 1] = (i & 2) != 0 ? high.y : low.y;
        corners[3 * i + 2] = (i & 4) != 0 ? high.z : low.z;
    }
    add_hull(p, corners);
}

static RgGeometry *parts_geometry(const Parts *p)
{
    RgShapeDef def = shape_sized(RG_SHAPE_mesh, 1.0, 1.0, 1.0);
    def.mesh = (RgMeshData){p->xyz, p->faces, 8 * p->count, 12 * p->count, p->start, p->count};
    def.mesh_use = RG_MESH_PARTS;
    return make_geometry(&def);
}

/* A pyramid in a square hole of four boxes: each rim lies along a side of it. */
Test(degenerate_contact, spike_in_a_hole)
{
    static Parts p;
    add_box(&p, vec(-1.0, -1.0, -1.0), vec(-0.2, 1.0, 0.0));
    add_box(&p, vec(0.2, -1.0, -1.0), vec(1.0, 1.0, 0.0));
    add_box(&p, vec(-0.2, -1.0, -1.0), vec(0.2, -0.2, 0.0));
    add_box(&p, vec(-0.2, 0.2, -1.0), vec(0.2, 1.0, 0.0));
    RgGeometry *hole = parts_geometry(&p), *tip = spike(0.5, false);

    /* The sides of the spike rise by 2: at height 0 it is 0.2 wide if its tip is 0.4 below. */
    RgPlaced A = {hole, place_at(0.0, 0.0, 0.0)}, B = {tip, place_at(0.0, 0.0, -0.4)};
    const Contacts *c = ask(&A, &B);
    cr_assert(c->buffer.nmanifolds == 4, "%d manifolds", c->buffer.nmanifolds);
    for (int i = 0; i < 4; i++) {
        const RgManifold *m = &c->manifolds[i];
        cr_expect(m->touch == RG_TOUCH_edge_face, "%s", rg_touch_name(m->touch));
        cr_expect(m->count == 2, "%d points", m->count);
        CHECK_NEAR(m->normal.z, 1.0 / sqrt(5.0), 1e-12, "");
        double along = vec_distance(c->points[m->first].point_a, c->points[m->first + 1].point_a);
        CHECK_NEAR(along, 0.4, NEAR, "m");
    }
    check_points(c, 0.0);
    rg_geometry_destroy(hole);
    rg_geometry_destroy(tip);
}

/* A wedge of 45 degrees in a groove of 45 degrees, two parts: it lies on both walls. */
Test(degenerate_contact, wedge_in_a_groove)
{
    static Parts p;
    const double left[24] = {-1.0, -2.0, -2.0, 1.0, -2.0, -2.0, -1.0, 0.0, -2.0, 1.0, 0.0, -2.0,
                             -1.0, -2.0, 2.0,  1.0, -2.0, 2.0,  -1.0, 0.0, 0.0,  1.0, 0.0, 0.0};
    const double right[24] = {-1.0, 0.0, -2.0, 1.0, 0.0, -2.0, -1.0, 2.0, -2.0, 1.0, 2.0, -2.0,
                              -1.0, 0.0, 0.0,  1.0, 0.0, 0.0,  -1.0, 2.0, 2.0,  1.0, 2.0, 2.0};
    add_hull(&p, left);
    add_hull(&p, right);
    RgGeometry *groove = parts_geometry(&p), *roof = wedge(false);
    RgPlaced A = {groove, place_at(0.0, 0.0, 0.0)}, B = {roof, place_at(0.0, 0.0, 0.0)};
    const Contacts *c = ask(&A, &B);
    cr_assert(c->buffer.nmanifolds == 2, "%d manifolds", c->buffer.nmanifolds);
    for (int i = 0; i < 2; i++) {
        const RgManifold *m = &c->manifolds[i];
        cr_expect(m->touch == RG_TOUCH_face_face, "%s", rg_touch_name(m->touch));
        cr_expect(m->count == 4, "%d points", m->count);
        CHECK_NEAR(m->normal.z, sqrt(0.5), 1e-12, "");
        CHECK_NEAR(fabs(m->normal.y), sqrt(0.5), 1e-12, "");
    }
    check_points(c, 0.0);
    rg_geometry_destroy(groove);
    rg_geometry_destroy(roof);
}

/* ------------------------------------------------------------------ floors */

/* Area of the hull of the points, seen from above (points in general order, so by all triangles' hull: gift
   wrapping). */
static double area_above(const RgContactPoint *points, int count)
{
    int first = 0, now, next;
    double twice = 0.0;
    for (int i = 1; i < count; i++)
        if (points[i].point_a.x < points[first].point_a.x)
            first = i;
    now = first;
    for (int turn = 0; turn < count; turn++) {
        next = now == 0 ? 1 : 0;
        RgVec3 a = points[now].point_a;
        for (int i = 0; i < count; i++) {
            RgVec3 u = vec_sub(points[next].point_a, a), v = vec_sub(points[i].point_a, a);
            double side = u.x * v.y - u.y * v.x;
            if (side < 0.0 || (side == 0.0 && vec_dot(v, v) > vec_dot(u, u)))
                next = i;
        }
        RgVec3 b = points[next].point_a;
        twice += a.x * b.y - a.y * b.x;
        now = next;
        if (now == first)
            break;
    }
    return 0.5 * fabs(twice);
}

/* A box that stands out over the rim of a floor: the contact is the part of its base that has floor below. */
Test(degenerate_contact, box_over_a_cliff)
{
    RgGeometry *floor = make_shape(RG_SHAPE_box, 2.0, 2.0, 1.0), *a = make_shape(RG_SHAPE_box, 1.0, 0.6, 0.4);
    Draw d = draw_seed(4);
    for (int k = 0; k < 200; k++) {
        double out = draw_between(&d, 0.05, 0.95), depth = k % 2 == 0 ? 0.0 : 1e-6;
        RgPose X_WS = draw_pose(&d, 1.0);
        RgPlaced A = {floor, place_mul(X_WS, place_at(0.0, 0.0, -0.5))};
        RgPlaced B = {a, place_mul(X_WS, place_at(0.5 + out, 0.1, 0.2 - depth))};
        Contacts *c = ask(&A, &B);
        cr_assert(c->buffer.nmanifolds == 1 && c->buffer.npoints == 4, "%d points", c->buffer.npoints);
        cr_expect(c->manifolds[0].touch == RG_TOUCH_face_face, "%s", rg_touch_name(c->manifolds[0].touch));
        RgPose X_SW = place_inverse(X_WS);
        for (int i = 0; i < 4; i++) {
            RgContactPoint *p = &c->points[i];
            CHECK_NEAR(vec_dot(p->normal, mat_apply(X_WS.R, vec(0.0, 0.0, 1.0))), 1.0, 1e-14, "");
            CHECK_NEAR(p->gap, -depth, 1e-13, "m");
            p->point_a = place_point(X_SW, p->point_a);
        }
        CHECK_NEAR(area_above(c->points, 4), (1.0 - out) * 0.6, 1e-12, "m^2");
    }
    rg_geometry_destroy(floor);
    rg_geometry_destroy(a);
}

#define GRID 9 /* lines of the floor, 0.5 m apart: edges lie at multiples of it, and along the diagonals */

static RgGeometry *triangle_floor(void)
{
    static double xyz[3 * GRID * GRID];
    static int32_t faces[6 * (GRID - 1) * (GRID - 1)];
    int32_t *f = faces;
    for (int i = 0; i < GRID * GRID; i++) {
        xyz[3 * i] = 0.5 * (i % GRID - GRID / 2);
        xyz[3 * i + 1] = 0.5 * (i / GRID - GRID / 2);
    }
    for (int i = 0; i < (GRID - 1) * (GRID - 1); i++) {
        int a = i / (GRID - 1) * GRID + i % (GRID - 1);
        const int corners[6] = {a, a + 1, a + GRID + 1, a, a + GRID + 1, a + GRID};
        for (int k = 0; k < 6; k++)
            *f++ = corners[k];
    }
    RgShapeDef def = shape_sized(RG_SHAPE_mesh, 1.0, 1.0, 1.0);
    def.mesh = (RgMeshData){xyz, faces, GRID * GRID, 2 * (GRID - 1) * (GRID - 1), NULL, 0};
    def.mesh_use = RG_MESH_SURFACE;
    return make_geometry(&def);
}

static RgGeometry *height_floor(void)
{
    static double heights[GRID * GRID];
    RgShapeDef def = rg_shape_def_default();
    def.type = RG_SHAPE_heightfield;
    def.size[0] = def.size[1] = 0.5 * (GRID - 1);
    def.size[2] = 1.0;
    def.heights = heights;
    def.rows = def.columns = GRID;
    return make_geometry(&def);
}

/* Position k of the slide: every tenth with corners exactly on the edges of triangles. */
static RgPose slide_pose(Draw *d, int k, double z)
{
    if (k % 10 == 0)
        return place_at(0.5 * (draw_below(d, 4) - 2) + 0.25, 0.5 * (draw_below(d, 4) - 2) + 0.25, z);
    if (k % 10 == 1)
        return place_at(0.25 * (draw_below(d, 9) - 4), 0.25 * (draw_below(d, 9) - 4), z);
    RgPose X = place_at(draw_between(d, -1.2, 1.2), draw_between(d, -1.2, 1.2), z);
    if (k % 2 == 0)
        X.R = mat_turn(vec(0.0, 0.0, 1.0), draw_between(d, -3.1, 3.1));
    return X;
}

/* Every normal is the floor's, every gap the box's height, and the corners of the base are among the
   points. */
static int check_slide(const RgPlaced *floor, const RgPlaced *a, RgPose X_WS, double gap)
{
    const Contacts *c = ask(a, floor);
    int bad = c->buffer.npoints < 4;
    RgVec3 up = mat_apply(X_WS.R, vec(0.0, 0.0, 1.0));
    for (int i = 0; i < c->buffer.npoints; i++) {
        bad += vec_norm(vec_add(c->points[i].normal, up)) > 1e-9;
        bad += fabs(c->points[i].gap - gap) > 1e-12;
    }
    for (int k = 0; k < 4; k++) {
        RgVec3 corner = place_point(a->X_WG, vec(k % 2 == 0 ? -0.25 : 0.25, k / 2 == 0 ? -0.25 : 0.25, -0.25));
        double nearest = INFINITY;
        for (int i = 0; i < c->buffer.npoints; i++)
            nearest = fmin(nearest, vec_distance(corner, c->points[i].point_a));
        bad += nearest > 1e-9;
    }
    return bad;
}

static void slide(RgGeometry *floor)
{
    static const double gaps[] = {-1e-4, 1e-4, 0.0, -1e-7};
    RgGeometry *a = make_shape(RG_SHAPE_box, 0.5, 0.5, 0.5);
    Draw d = draw_seed(6);
    int bad = 0;
    for (int k = 0; k < 1000; k++) {
        double gap = gaps[k % 4];
        RgPose X_WS = k % 3 == 0 ? draw_pose(&d, 1.0) : place_at(0.0, 0.0, 0.0);
        RgPlaced A = {a, place_mul(X_WS, slide_pose(&d, k, 0.25 + gap))}, F = {floor, X_WS};
        int here = check_slide(&F, &A, X_WS, gap);
        bad += here > 0;
        cr_expect(here == 0 || bad > 5, "position %d, gap %g: %d wrong", k, gap, here);
    }
    cr_expect(bad == 0, "%d of 1000 positions", bad);
    rg_geometry_destroy(a);
    rg_geometry_destroy(floor);
}

Test(degenerate_contact, box_slides_over_triangles)
{
    slide(triangle_floor());
}

Test(degenerate_contact, box_slides_over_a_height_field)
{
    slide(height_floor());
}
