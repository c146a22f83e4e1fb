/*
 * test_polytope.c - corners, edges and rings name each other rightly; the farthest vertex is the one that
 * trying all of them gives, whatever the hint and however flat the faces; normals of needles; what cannot be
 * linked.
 */
#include "check_near.h"
#include "counting.h"
#include "point_sets.h"

#include "geom/polytope_scan.h"

#include <string.h>

/* ------------------------------------------------------------------ constant neighbours */

static const double box_offset[6] = {1.0, 1.0, 2.0, 2.0, 3.0, 3.0};

static void box_corners(RgVec3 x[8])
{
    for (int i = 0; i < 8; i++)
        x[i] = v3(i & 1 ? 1.0 : -1.0, i & 2 ? 2.0 : -2.0, i & 4 ? 3.0 : -3.0);
}

Test(polytope, box_is_linked_as_said)
{
    RgVec3 x[8];
    box_corners(x);
    RgPolytope p = rg_polytope_box(x, box_offset);
    cr_expect_null(polytope_links_fault(&p), "%s", polytope_links_fault(&p));
    cr_expect(p.nv == 8 && p.ne == 12 && p.nf == 6);
    CHECK_NEAR(polytope_plane_error(&p), 0.0, 0.0, "m");
    CHECK_NEAR(polytope_dent(&p), 0.0, 0.0, "m");

    /* Edges in threes of four along x, y, z; faces -x, +x, -y, +y, -z, +z. */
    for (int e = 0; e < 12; e++)
        cr_expect_eq(p.edge[2 * e] ^ p.edge[2 * e + 1], 1 << e / 4, "edge %d", e);
    for (int f = 0; f < 6; f++)
        cr_expect_eq(v3_at(p.normal[f], f / 2), f % 2 ? 1.0 : -1.0, "face %d", f);
}

/* The general way finds the same neighbours from the faces alone. */
Test(polytope, box_agrees_with_the_general_way)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgVec3 x[8];
    box_corners(x);
    RgPolytope p = rg_polytope_box(x, box_offset);
    RgPolytope q = {.nv = 8, .nf = 6, .vertex = x, .face_start = p.face_start, .face_vertex = p.face_vertex};
    cr_assert_eq(rg_polytope_link(&arena, &q), RG_OK);
    cr_expect_eq(q.ne, 12);
    cr_expect_arr_eq(q.ring_start, p.ring_start, 9 * sizeof(int32_t));
    cr_expect_arr_eq(q.ring, p.ring, 24 * sizeof(int32_t));
    for (int f = 0; f < 6; f++) {
        CHECK_NEAR(v3_norm(v3_sub(q.normal[f], p.normal[f])), 0.0, 0.0, "-");
        CHECK_NEAR(q.offset[f], p.offset[f], 0.0, "m");
    }
    rg_arena_free(&arena);
}

Test(polytope, triangle_segment_and_point)
{
    const RgVec3 x[3] = {{0.0, 0.0, 0.5}, {1.0, 0.0, 0.5}, {0.0, 1.0, 0.5}};
    const RgVec3 normal[2] = {{0.0, 0.0, 1.0}, {0.0, 0.0, -1.0}};
    const double offset[2] = {0.5, -0.5};
    RgPolytope t = rg_polytope_triangle(x, normal, offset);
    cr_expect_null(polytope_links_fault(&t), "%s", polytope_links_fault(&t));
    CHECK_NEAR(polytope_plane_error(&t), 0.0, 0.0, "m");
    CHECK_NEAR(polytope_dent(&t), 0.0, 0.0, "m");
    for (int e = 0; e < 3; e++)
        cr_expect(t.edge[2 * e] == e && t.edge[2 * e + 1] == (e + 1) % 3 && t.edge_face[2 * e] == 0);
    cr_expect_eq(rg_polytope_support(&t, v3(1.0, 0.2, 0.0), -1), 1);

    RgPolytope s = rg_polytope_segment(x);
    cr_expect(s.nv == 2 && s.ne == 1 && s.nf == 0 && s.face_start[0] == 0);
    cr_expect(s.ring[s.ring_start[0]] == 1 && s.ring[s.ring_start[1]] == 0 && s.ring_start[2] == 2);
    cr_expect_eq(rg_polytope_support(&s, v3(-1.0, 0.0, 0.0), 1), 0);

    RgPolytope point = rg_polytope_point(x);
    cr_expect(point.nv == 1 && point.ne == 0 && point.nf == 0 && point.ring_start[1] == 0);
    cr_expect_eq(rg_polytope_support(&point, v3(1.0, 1.0, 1.0), -1), 0);
}

/* ------------------------------------------------------------------ farthest vertex */

/* The twin: every vertex is tried; of equals the first wins. */
static int32_t try_all(const RgPolytope *p, RgVec3 d)
{
    int32_t best = 0;
    for (int32_t i = 1; i < p->nv; i++)
        if (v3_dot(p->vertex[i], d) > v3_dot(p->vertex[best], d))
            best = i;
    return best;
}

/* A direction that is hard: square on a face or an edge, almost so, along an axis; or any. */
static RgVec3 hard_direction(const RgPolytope *p, Draw *d)
{
    RgVec3 n = p->normal[draw_below(d, p->nf)];
    int32_t e = draw_below(d, p->ne), i = draw_below(d, 3);
    RgVec3 u = draw_direction(d);
    RgVec3 a = p->normal[p->edge_face[2 * e]], b = p->normal[p->edge_face[2 * e + 1]];
    switch (draw_below(d, 6)) {
    case 0:
        return n;
    case 1:
        return v3_axpy(draw_between(d, -1e-15, 1e-15), u, n);
    case 2:
        return v3_axpy(draw_between(d, -1e-9, 1e-9), u, n);
    case 3:
        return v3_axpy(draw_between(d, 0.0, 1.0), b, a);
    case 4:
        return v3_scale(draw_chance(d, 0.5) ? 1e-12 : -1e12, v3(i == 0, i == 1, i == 2));
    default:
        return u;
    }
}

static void expect_farthest(const RgPolytope *p, Draw *d, int tries, const char *name)
{
    int wrong = 0;
    for (int i = 0; i < tries; i++) {
        RgVec3 along = hard_direction(p, d);
        int32_t truth = try_all(p, along);
        wrong += rg_polytope_support(p, along, draw_below(d, p->nv)) != truth;
        wrong += rg_polytope_support(p, along, -1) != truth;
    }
    cr_expect_eq(wrong, 0, "%s: %d of %d", name, wrong, 2 * tries);
}

typedef void Family(PointSet *s, Draw *d, int size);

static void family_ball(PointSet *s, Draw *d, int size)
{
    points_in_ball(s, d, 6 * size);
}

static void family_sphere(PointSet *s, Draw *d, int size)
{
    points_on_sphere(s, d, size);
}

static void family_fibonacci(PointSet *s, Draw *d, int size)
{
    (void)d;
    points_fibonacci(s, size);
}

static void family_prism(PointSet *s, Draw *d, int size)
{
    (void)d;
    points_prism(s, size);
}

static void family_dome(PointSet *s, Draw *d, int size)
{
    points_almost_flat(s, d, size, 1e-9);
}

static void family_flat_dome(PointSet *s, Draw *d, int size)
{
    points_almost_flat(s, d, size, 1e-12);
}

static void family_swollen_cube(PointSet *s, Draw *d, int size)
{
    points_on_cube(s, d, size, 1e-12);
}

static const struct {
    const char *name;
    Family *make;
} families[] = {{"ball", family_ball},
                {"sphere", family_sphere},
                {"fibonacci", family_fibonacci},
                {"prism", family_prism},
                {"dome 1e-9", family_dome},
                {"dome 1e-12", family_flat_dome},
                {"cube 1e-12", family_swollen_cube}};

Test(polytope, farthest_vertex_is_the_one_of_trying_all)
{
    static PointSet s;
    Draw d = draw_seed(11);
    for (size_t k = 0; k < sizeof families / sizeof families[0]; k++) {
        for (int round = 0; round < 6; round++) {
            s.count = 0;
            families[k].make(&s, &d, 20 << round);
            points_move(&s, draw_pose(&d, round % 2 ? 1.0 : 0.0), v3(1.0, 1.0, 1.0));
            RgArena arena;
            rg_arena_init(&arena, NULL);
            RgPolytope p;
            RgMeshReport report;
            cr_assert_eq(rg_convex_hull(&arena, s.x, s.count, &p, &report, NULL), RG_OK);
            expect_farthest(&p, &d, 4000, families[k].name);
            rg_arena_free(&arena);
        }
    }
}

/* No vertex is farther than another one for no direction at all: the first, of any hint. Not a number: some
   vertex. */
Test(polytope, directions_that_are_none)
{
    static PointSet s;
    points_fibonacci(&s, 200);
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgPolytope p;
    RgMeshReport report;
    cr_assert_eq(rg_convex_hull(&arena, s.x, s.count, &p, &report, NULL), RG_OK);
    cr_expect_eq(rg_polytope_support(&p, v3_zero(), 77), 0);
    const RgVec3 odd[3] = {{NAN, 0.0, 0.0}, {INFINITY, -INFINITY, 0.0}, {NAN, NAN, NAN}};
    for (int i = 0; i < 3; i++) {
        int32_t v = rg_polytope_support(&p, odd[i], i - 1);
        cr_expect(v >= 0 && v < p.nv);
    }
    cr_expect_eq(rg_polytope_support(&p, v3(0.0, 0.0, 1.0), p.nv + 5), 0, "a hint that is no vertex");
    rg_arena_free(&arena);
}

/* ------------------------------------------------------------------ normals */

/* Needles of any width in the planes z = x / 2 + 8 m and y = z: (-1, 0, 2) / sqrt 5 and (0, 1, -1) / sqrt 2.
   The coordinates are such that the corners are exactly in the plane. */
Test(polytope, normals_of_needles)
{
    static const int32_t corner[3] = {0, 1, 2};
    for (int k = 1; k <= 40; k++) {
        double w = ldexp(1.0, -k);
        RgVec3 x[3] = {{0.0, 0.0, 8.0}, {4.0, 1.0, 10.0}, {2.0, 0.5 + w, 9.0}};
        RgVec3 n = rg_polygon_normal(x, corner, 3);
        CHECK_NEAR(v3_norm(v3_sub(n, v3_scale(1.0 / sqrt(5.0), v3(-1.0, 0.0, 2.0)))), 0.0, 3e-16, "-");
        RgVec3 y[3] = {{0.0, 1.0, 1.0}, {1.0, 4.0, 4.0}, {0.5 + w, 2.5, 2.5}};
        n = rg_polygon_normal(y, corner, 3);
        CHECK_NEAR(v3_norm(v3_sub(n, v3_scale(sqrt(0.5), v3(0.0, 1.0, -1.0)))), 0.0, 3e-16, "-");
    }
}

/* Sizes whose squares would vanish or overflow. */
Test(polytope, normals_at_any_scale)
{
    static const int32_t corner[4] = {0, 1, 2, 3};
    for (int k = -200; k <= 200; k += 50) {
        double s = pow(10.0, k);
        RgVec3 x[4] = {{0.0, 0.0, s}, {s, 0.0, s}, {s, s, s}, {0.0, s, s}};
        CHECK_NEAR(v3_norm(v3_sub(rg_polygon_normal(x, corner, 4), v3(0.0, 0.0, 1.0))), 0.0, 0.0, "-");
    }
    RgVec3 line[3] = {{0.0, 0.0, 0.0}, {1.0, 2.0, 3.0}, {2.0, 4.0, 6.0}};
    CHECK_NEAR(v3_norm(rg_polygon_normal(line, corner, 3)), 0.0, 0.0, "-");
}

/* ------------------------------------------------------------------ linking */

static const RgVec3 tetrahedron[4] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
static const int32_t tetrahedron_faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static RgStatus link_triangles(const RgVec3 *x, int32_t nv, const int32_t *corner, int32_t nf)
{
    int32_t face_start[16];
    for (int32_t f = 0; f <= nf; f++)
        face_start[f] = 3 * f;
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgPolytope p = {.nv = nv, .nf = nf, .vertex = x, .face_start = face_start, .face_vertex = corner};
    RgStatus status = rg_polytope_link(&arena, &p);
    if (status == RG_OK)
        cr_expect_null(polytope_links_fault(&p));
    rg_arena_free(&arena);
    return status;
}

Test(polytope, what_cannot_be_linked)
{
    int32_t c[12];
    cr_expect_eq(link_triangles(tetrahedron, 4, tetrahedron_faces, 4), RG_OK);
    cr_expect_eq(link_triangles(tetrahedron, 4, tetrahedron_faces, 3), RG_ERR_MODEL, "a face is missing");
    memcpy(c, tetrahedron_faces, sizeof c);
    c[0] = 2, c[1] = 0;
    cr_expect_eq(link_triangles(tetrahedron, 4, c, 4), RG_ERR_MODEL, "a face is turned over");
    memcpy(c, tetrahedron_faces, sizeof c);
    c[5] = 4;
    cr_expect_eq(link_triangles(tetrahedron, 4, c, 4), RG_ERR_MODEL, "a corner that is no vertex");
    c[5] = -1;
    cr_expect_eq(link_triangles(tetrahedron, 4, c, 4), RG_ERR_MODEL, "a corner that is no vertex");
    c[5] = 1;
    cr_expect_eq(link_triangles(tetrahedron, 4, c, 4), RG_ERR_MODEL, "a corner twice");
    RgVec3 five[5];
    memcpy(five, tetrahedron, sizeof tetrahedron);
    five[4] = v3(9.0, 9.0, 9.0);
    cr_expect_eq(link_triangles(five, 5, tetrahedron_faces, 4), RG_ERR_MODEL, "a vertex of no face");
    RgVec3 flat[4] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {2.0, 0.0, 0.0}, {0.0, 0.0, 1.0}};
    cr_expect_eq(link_triangles(flat, 4, tetrahedron_faces, 4), RG_ERR_MODEL, "a face without area");
}

/* Two tetrahedra that share a vertex: every edge has two faces, but the faces about the vertex are two
   fans. */
Test(polytope, two_fans_at_a_vertex)
{
    RgVec3 x[7];
    int32_t c[24];
    for (int i = 0; i < 7; i++)
        x[i] = i < 4 ? tetrahedron[i] : v3_neg(tetrahedron[i - 3]);
    for (int i = 0; i < 12; i++) {
        c[i] = tetrahedron_faces[i];
        int mirrored = tetrahedron_faces[i - i % 3 + (3 - i % 3) % 3];
        c[12 + i] = mirrored == 0 ? 0 : mirrored + 3;
    }
    cr_expect_eq(link_triangles(x, 7, c, 8), RG_ERR_MODEL);
}

Test(polytope, memory_that_runs_out)
{
    int32_t face_start[5] = {0, 3, 6, 9, 12};
    Counting counting = {0};
    RgAllocator allocator = counting_allocator(&counting);
    RgStatus status = RG_ERR_MEMORY;
    for (long k = 1; status != RG_OK && k < 100; k++) {
        counting = (Counting){.fail_at = k};
        RgArena arena;
        rg_arena_init(&arena, &allocator);
        RgPolytope p = {
            .nv = 4, .nf = 4, .vertex = tetrahedron, .face_start = face_start, .face_vertex = tetrahedron_faces};
        status = rg_polytope_link(&arena, &p);
        cr_expect(status == RG_OK ? k > 2 : status == RG_ERR_MEMORY, "allocation %ld", k);
        rg_arena_free(&arena);
        cr_expect_eq(counting.blocks, 0);
    }
    cr_expect_eq(status, RG_OK);
}

/* The same of the span along three directions: to the last bit. */
Test(polytope, span_is_that_of_all_vertices)
{
    Draw d = draw_seed(78);
    for (int k = 0; k < 5000; k++) {
        int32_t nv = 1 + draw_below(&d, 64), room = RG_SCAN_ROOM(nv);
        RgVec3 vertex[64];
        double rows[3 * RG_SCAN_ROOM(64)], low[3], high[3];
        const RgMat3 R = draw_pose(&d, 1.0).R;
        for (int32_t i = 0; i < room; i++) {
            if (i < nv)
                vertex[i] = draw_vec(&d, 1.0);
            for (int c = 0; c < 3; c++)
                rows[c * room + i] = v3_at(vertex[i < nv ? i : 0], c);
        }
        rg_polytope_span(rows, nv, R.m, low, high);
        for (int c = 0; c < 3; c++) {
            double least = INFINITY, most = -INFINITY;
            for (int32_t i = 0; i < nv; i++) {
                double at = R.m[c][0] * vertex[i].x + R.m[c][1] * vertex[i].y + R.m[c][2] * vertex[i].z;
                least = fmin(least, at);
                most = fmax(most, at);
            }
            cr_assert(low[c] == least && high[c] == most, "%d of %d", k, nv);
        }
    }
}

/* Four at a time or one after another: the same vertex, of equals the first; few values make many equals. */
Test(polytope, scan_finds_the_first_of_the_farthest)
{
    Draw d = draw_seed(77);
    for (int k = 0; k < 20000; k++) {
        int32_t nv = 1 + draw_below(&d, 64), room = RG_SCAN_ROOM(nv), expected = 0;
        RgVec3 vertex[64], along = draw_direction(&d);
        double rows[3 * RG_SCAN_ROOM(64)];
        bool coarse = draw_chance(&d, 0.5);
        if (k % 100 == 0)
            along = k % 200 == 0 ? v3_zero() : v3((double)NAN, 0.0, 1.0);
        for (int32_t i = 0; i < nv; i++)
            vertex[i] =
                coarse ? v3(draw_below(&d, 3) - 1, draw_below(&d, 3) - 1, draw_below(&d, 2)) : draw_vec(&d, 1.0);
        if (coarse && k % 100 != 0)
            along = v3(draw_below(&d, 3) - 1, draw_below(&d, 3) - 1, draw_below(&d, 3) - 1);
        for (int32_t i = 0; i < room; i++)
            for (int c = 0; c < 3; c++)
                rows[c * room + i] = v3_at(vertex[i < nv ? i : 0], c);
        for (int32_t i = 1; i < nv; i++)
            expected = v3_dot(vertex[i], along) > v3_dot(vertex[expected], along) ? i : expected;
        cr_assert_eq(rg_polytope_scan(rows, nv, along), expected, "%d of %d", k, nv);
    }
}
