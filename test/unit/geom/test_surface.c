/* test_surface.c - every query against all triangles one by one; repairs and what is said of them; edges. */
#include "check_near.h"
#include "geom/surface_ray.h"
#include "surfaces.h"

#include <string.h>

/* ------------------------------------------------------------------ queries */

static const RgBounds around = {{-1.5, -1.5, -1.5}, {1.5, 1.5, 1.5}};

static RgBounds random_box(RgRandom *random, double size)
{
    RgVec3 a = random_point(random, around);
    double s = size * rg_random_uniform(random, 0.0, 1.0);
    return (RgBounds){a, v3_add(a, v3(s, 0.5 * s, 2.0 * s))};
}

static void check_overlap(const RgSurface *surface, RgRandom *random)
{
    int32_t count = rg_surface_count(surface);
    int32_t *found = calloc((size_t)count, sizeof *found), *few = calloc((size_t)count, sizeof *few);
    for (int k = 0; k < 100; k++) {
        RgBounds box = random_box(random, 1.0);
        int32_t n = rg_surface_overlap(surface, &box, found, count), at = 0;
        for (int32_t i = 0; i < count; i++) {
            if (box_distance(surface_box(surface, i), box) > 0.0)
                continue;
            cr_assert(at < n && found[at] == i, "box %d: triangle %d is missing", k, i);
            at++;
        }
        cr_expect_eq(at, n, "box %d: %d found, %d there", k, n, at);

        /* With less room: the first of them, and the same count. */
        int32_t room = n / 3;
        cr_expect_eq(rg_surface_overlap(surface, &box, few, room), n);
        cr_expect(room == 0 || memcmp(few, found, (size_t)room * sizeof *few) == 0);
        cr_expect_eq(few[room], 0, "nothing is written past the room");
        memset(few, 0, (size_t)count * sizeof *few);
    }
    free(found);
    free(few);
}

typedef struct Seen {
    const RgSurface *surface;
    RgVec3 point;
    double least;
    int32_t *times;
    int32_t visits;
} Seen;

static void count_visit(int32_t triangle, void *context, double *reach)
{
    (void)reach;
    ((Seen *)context)->times[triangle]++;
}

static void shrink_visit(int32_t triangle, void *context, double *reach)
{
    Seen *seen = context;
    RgTriangle t;
    rg_surface_triangle(seen->surface, triangle, &t);
    double d = triangle_distance(&t, seen->point);
    seen->visits++;
    if (d < *reach)
        *reach = seen->least = d;
}

static void check_nearest(const RgSurface *surface, RgRandom *random)
{
    int32_t count = rg_surface_count(surface);
    Seen seen = {.surface = surface, .times = calloc((size_t)count, sizeof(int32_t))};
    for (int k = 0; k < 100; k++) {
        /* A reach that stays: exactly the triangles within it, once each. */
        RgBounds box = random_box(random, 0.3);
        double reach = rg_random_uniform(random, 0.0, 0.5), kept = reach;
        memset(seen.times, 0, (size_t)count * sizeof(int32_t));
        rg_surface_nearest(surface, &box, count_visit, &seen, &kept);
        for (int32_t i = 0; i < count; i++)
            cr_assert_eq(seen.times[i], box_distance(surface_box(surface, i), box) < reach, "triangle %d", i);

        /* A reach that shrinks to the nearest triangle of a point. */
        seen.point = box.low;
        seen.least = kept = (double)INFINITY;
        rg_surface_nearest(surface, &(RgBounds){box.low, box.low}, shrink_visit, &seen, &kept);
        double least = (double)INFINITY;
        for (int32_t i = 0; i < count; i++) {
            RgTriangle t;
            rg_surface_triangle(surface, i, &t);
            least = fmin(least, triangle_distance(&t, box.low));
        }
        CHECK_NEAR(seen.least, least, 1e-15, "m");
    }
    cr_expect_lt(seen.visits, 100 * count / 4, "the tree spares most triangles: %d visits", seen.visits);
    free(seen.times);
}

static void check_rays(const RgSurface *surface, RgRandom *random)
{
    int32_t count = rg_surface_count(surface), hits = 0;
    for (int k = 0; k < 300; k++) {
        /* Every other ray is aimed at a triangle. */
        RgVec3 o = random_point(random, around), d = v3_scale(3.0, random_point(random, around));
        RgTriangle aim;
        rg_surface_triangle(surface, rg_random_below(random, count), &aim);
        RgVec3 middle = v3_scale(1.0 / 3.0, v3_add(aim.vertex[0], v3_add(aim.vertex[1], aim.vertex[2])));
        d = k % 2 ? v3_sub(middle, o) : d;
        double least = (double)INFINITY, reach = rg_random_uniform(random, 0.1, 2.0), t = reach;
        bool doubtful = false;
        for (int32_t i = 0; i < count; i++) {
            RgTriangle tri;
            double margin;
            rg_surface_triangle(surface, i, &tri);
            least = fmin(least, plane_ray(&tri, o, d, &margin));
            doubtful = doubtful || fabs(margin) < 1e-9;
        }
        int32_t triangle = -1;
        bool hit = rg_surface_ray(surface, o, d, &t, &triangle);
        if (doubtful || fabs(least - reach) < 1e-9)
            continue;
        cr_assert_eq(hit, least <= reach, "ray %d: t = %g", k, least);
        cr_expect(hit || t == reach, "t stays where nothing is hit");
        if (!hit)
            continue;
        RgTriangle tri;
        double margin;
        rg_surface_triangle(surface, triangle, &tri);
        CHECK_REL(t, least, 1e-10, "1");
        CHECK_REL(plane_ray(&tri, o, d, &margin), least, 1e-10, "1");
        hits++;
    }
    cr_expect_gt(hits, 50);
}

static void check_queries(const RgSurface *surface, uint64_t seed)
{
    RgRandom random = rg_random_seed(seed);
    check_overlap(surface, &random);
    check_nearest(surface, &random);
    check_rays(surface, &random);
}

Test(surface, queries_on_triangles_thrown_together)
{
    RgRandom random = rg_random_seed(21);
    for (int k = 0; k < 4; k++) {
        Mesh *mesh = new_mesh();
        mesh_add_soup(mesh, &random, k == 0 ? 100 : 1500, k == 3 ? 0.02 : 0.2);
        Made made = make_from(mesh);
        cr_assert_eq(made.status, RG_OK);
        cr_expect_eq(rg_surface_count(made.surface), mesh->nfaces);
        check_queries(made.surface, 22 + (uint64_t)k);
        rg_arena_free(&made.arena);
        free(mesh);
    }
}

/* All centres in one place: boxes inside boxes, which no cut can part. */
Test(surface, queries_on_triangles_about_one_centre)
{
    Mesh *mesh = new_mesh();
    for (int i = 1; i <= 700; i++) {
        double s = 1e-3 * i;
        int32_t first = mesh->nvertices;
        mesh_add_vertex(mesh, v3(-s, -s, -s));
        mesh_add_vertex(mesh, v3(s, -s, s));
        mesh_add_vertex(mesh, v3(0.0, s, 0.0));
        mesh_add_face(mesh, first, first + 1, first + 2);
    }
    Made made = make_from(mesh);
    cr_assert_eq(made.status, RG_OK);
    RgRandom random = rg_random_seed(23);
    check_overlap(made.surface, &random);
    check_rays(made.surface, &random);
    rg_arena_free(&made.arena);
    free(mesh);
}

Test(surface, queries_on_height_fields)
{
    static const int32_t sizes[][2] = {{2, 2}, {2, 40}, {33, 17}, {64, 64}, {9, 6}};
    RgRandom random = rg_random_seed(24);
    for (int k = 0; k < 5; k++) {
        Field field;
        draw_field(&field, &random, sizes[k][0], sizes[k][1]);
        Made made = make_surface(&field.def);
        cr_assert_eq(made.status, RG_OK, "%s", made.what);
        check_overlap(made.surface, &random);
        if (k == 2 || k == 3) {
            check_nearest(made.surface, &random);
            check_rays(made.surface, &random);
        }
        rg_arena_free(&made.arena);
    }
}

/* The mesh knows nothing of grids: triangles, neighbours, edges and answers must be the same. */
Test(surface, height_field_is_the_same_mesh)
{
    RgRandom random = rg_random_seed(25);
    Field field;
    draw_field(&field, &random, 23, 31);
    field.heights[5] = field.heights[6] = field.heights[36] = field.heights[37]; /* a flat cell */
    Mesh *mesh = new_mesh();
    mesh_of_field(mesh, &field.def);
    Made a = make_surface(&field.def), b = make_from(mesh);
    cr_assert(a.status == RG_OK && b.status == RG_OK);
    cr_assert_eq(rg_surface_count(a.surface), rg_surface_count(b.surface));
    cr_expect(rg_surface_one_sided(a.surface) && rg_surface_one_sided(b.surface));
    for (int32_t i = 0; i < rg_surface_count(a.surface); i++) {
        RgTriangle s, t;
        rg_surface_triangle(a.surface, i, &s);
        rg_surface_triangle(b.surface, i, &t);
        cr_expect_gt(s.normal.z, 0.0);
        cr_expect_eq(memcmp(s.vertex, t.vertex, sizeof s.vertex), 0, "triangle %d", i);
        cr_expect_eq(memcmp(s.across, t.across, sizeof s.across), 0, "triangle %d", i);
        for (int k = 0; k < 3; k++)
            cr_expect(s.open[k] == t.open[k] && s.convex[k] == t.convex[k] && s.number[k] == t.number[k],
                      "triangle %d edge %d", i, k);
    }
    for (int k = 0; k < 2000; k++) {
        RgVec3 o = random_point(&random, around), d = random_point(&random, around);
        double t[2] = {(double)INFINITY, (double)INFINITY};
        int32_t triangle[2];
        bool hit = rg_surface_ray(a.surface, o, d, &t[0], &triangle[0]);
        cr_expect_eq(hit, rg_surface_ray(b.surface, o, d, &t[1], &triangle[1]));
        cr_expect(!hit || (t[0] == t[1] && triangle[0] == triangle[1]), "ray %d", k);
    }
    RgBounds low = rg_surface_bounds(a.surface), high = rg_surface_bounds(b.surface);
    cr_expect_eq(memcmp(&low, &high, sizeof low), 0);
    rg_arena_free(&a.arena);
    rg_arena_free(&b.arena);
    free(mesh);
}

/* ------------------------------------------------------------------ rays that must not slip through */

/* A vertex, or a point of an edge, of a drawn triangle. */
static RgVec3 seam_point(const RgSurface *surface, RgRandom *random)
{
    RgTriangle t;
    rg_surface_triangle(surface, rg_random_below(random, rg_surface_count(surface)), &t);
    int k = rg_random_below(random, 3);
    double s = rg_random_below(random, 2) == 0 ? 0.0 : rg_random_uniform(random, 0.0, 1.0);
    return v3_axpy(s, v3_sub(t.vertex[(k + 1) % 3], t.vertex[k]), t.vertex[k]);
}

Test(surface, no_ray_slips_out_of_a_closed_mesh)
{
    RgRandom random = rg_random_seed(26);
    Mesh *mesh = new_mesh();
    mesh_add_icosphere(mesh, 3);
    RgBounds inside = {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
    for (int far = 0; far < 2; far++) {
        /* Once about the origin, once far from it, where coordinates have lost their last digits. */
        RgVec3 shift = v3_scale(far * 1e3, v3(0.7, -1.3, 2.1));
        for (int32_t i = 0; far && i < mesh->nvertices; i++)
            for (int k = 0; k < 3; k++)
                mesh->vertices[3 * i + k] += v3_at(shift, k);
        Made made = make_from(mesh);
        cr_assert(made.status == RG_OK && made.report.closed);
        int lost = 0;
        for (int k = 0; k < 50000; k++) {
            RgVec3 o = v3_add(shift, random_point(&random, inside));
            RgVec3 d = v3_scale(rg_random_uniform(&random, 0.1, 10.0), v3_sub(seam_point(made.surface, &random), o));
            double t = (double)INFINITY;
            int32_t triangle;
            lost += !rg_surface_ray(made.surface, o, d, &t, &triangle);
        }
        cr_expect_eq(lost, 0, "%d of 50000 rays left the sphere", lost);
        rg_arena_free(&made.arena);
    }
    free(mesh);
}

/* Boxes lose nothing that a triangle in them would accept: the first hit is that over all triangles. */
Test(surface, boxes_lose_no_hit)
{
    RgRandom random = rg_random_seed(30);
    Mesh *mesh = new_mesh();
    RgVec3 shift = v3(700.0, -1300.0, 2100.0);
    mesh_add_floor(mesh, 20);
    for (int32_t i = 0; i < 3 * mesh->nvertices; i++)
        mesh->vertices[i] += v3_at(shift, i % 3);
    Made made = make_from(mesh);
    RgBounds bounds = rg_surface_bounds(made.surface), above = {{0.0, 0.0, 1e-3}, {20.0, 20.0, 30.0}};
    int both = 0;
    for (int k = 0; k < 5000; k++) {
        RgVec3 o = v3_add(shift, random_point(&random, above)), to = seam_point(made.surface, &random);
        double t = (double)INFINITY, least = t;
        int32_t triangle = -1, first = -1;
        RgSurfaceRay ray;
        cr_assert(rg_surface_ray_init(&ray, o, v3_sub(to, o), &bounds));
        for (int32_t i = 0; i < rg_surface_count(made.surface); i++) {
            RgTriangle tri;
            double depth;
            rg_surface_triangle(made.surface, i, &tri);
            if (!rg_surface_ray_triangle(&ray, tri.vertex, least, &depth))
                continue;
            both += depth == least;
            first = depth < least ? i : first;
            least = depth;
        }
        bool hit = rg_surface_ray(made.surface, o, v3_sub(to, o), &t, &triangle);
        cr_assert_eq(hit, first >= 0, "ray %d: triangle %d", k, first);
        cr_expect(!hit || triangle == first, "ray %d: triangle %d instead of %d", k, triangle, first);
    }
    cr_expect_gt(both, 1000, "rays that meet two triangles at once: %d", both);
    rg_arena_free(&made.arena);
    free(mesh);
}

/* In the plane of a triangle: met where the ray comes in, at once where it begins inside. */
Test(surface, a_ray_in_the_plane_of_a_triangle)
{
    Mesh *mesh = new_mesh();
    mesh_add_vertex(mesh, v3(0.0, 0.0, 0.0));
    mesh_add_vertex(mesh, v3(1.0, 0.0, 0.0));
    mesh_add_vertex(mesh, v3(0.0, 1.0, 0.0));
    mesh_add_face(mesh, 0, 1, 2);
    Made made = make_from(mesh);
    static const struct {
        RgVec3 o, d;
        double t; /* negative: not met */
    } cases[] = {{{-1.0, 0.25, 0.0}, {2.0, 0.0, 0.0}, 0.5},  {{0.25, 0.25, 0.0}, {2.0, 0.0, 0.0}, 0.0},
                 {{1.0, 0.25, 0.0}, {-1.0, 0.0, 0.0}, 0.25}, {{1.0, 0.25, 0.0}, {1.0, 0.0, 0.0}, -1.0},
                 {{-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 1.0},   {{-1.0, 1.5, 0.0}, {1.0, 0.0, 0.0}, -1.0},
                 {{-0.5, 1.5, 0.0}, {1.0, -1.0, 0.0}, 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double t = 10.0;
        int32_t triangle;
        bool hit = rg_surface_ray(made.surface, cases[i].o, cases[i].d, &t, &triangle);
        cr_expect_eq(hit, cases[i].t >= 0.0, "case %zu", i);
        if (hit)
            CHECK_NEAR(t, cases[i].t, 1e-15, "1");
    }
    rg_arena_free(&made.arena);
    free(mesh);
}

/* Axes and diagonals of a cube run exactly along planes of boxes, through corners and along edges. */
Test(surface, no_ray_slips_through_a_cube)
{
    Mesh *mesh = new_mesh();
    mesh_add_box(mesh, v3_zero(), v3(2.0, 2.0, 2.0));
    Made made = make_from(mesh);
    for (int i = 0; i < 5 * 5 * 5; i++) {
        RgVec3 d = v3(i % 5 - 2, i / 5 % 5 - 2, i / 25 - 2);
        double t = 3.0;
        int32_t triangle;
        if (v3_norm(d) == 0.0)
            continue;
        cr_expect(rg_surface_ray(made.surface, v3_zero(), d, &t, &triangle), "%g %g %g", d.x, d.y, d.z);
        CHECK_NEAR(t, 1.0 / fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z))), 1e-15, "1");

        /* From outside, within the plane of a face as often as not. */
        RgVec3 from = v3_axpy(-3.0, d, v3(1.0, 1.0, 1.0));
        t = (double)INFINITY;
        cr_expect(rg_surface_ray(made.surface, from, d, &t, &triangle), "%g %g %g", d.x, d.y, d.z);
        cr_expect_leq(t, 3.0);
    }
    double t = (double)INFINITY;
    int32_t triangle;
    cr_expect_not(rg_surface_ray(made.surface, v3_zero(), v3_zero(), &t, &triangle));
    cr_expect_not(rg_surface_ray(made.surface, v3(NAN, 0.0, 0.0), v3(1.0, 0.0, 0.0), &t, &triangle));
    rg_arena_free(&made.arena);
    free(mesh);
}

Test(surface, no_ray_slips_through_a_height_field)
{
    RgRandom random = rg_random_seed(27);
    Field field;
    draw_field(&field, &random, 40, 50);
    field.def.size[2] = 0.01; /* so gentle that no ray passes over a ridge and out beyond the border */
    Made made = make_surface(&field.def);
    int lost = 0;
    for (int k = 0; k < 50000; k++) {
        RgVec3 o = v3(rg_random_uniform(&random, -1.0, 1.0), rg_random_uniform(&random, -1.0, 1.0), 2.0);
        RgVec3 d = v3_sub(seam_point(made.surface, &random), o);
        double t = (double)INFINITY;
        int32_t triangle;
        if (k % 5 == 0) { /* straight down onto a grid point or line */
            RgVec3 p = v3_add(o, d);
            o = v3(p.x, p.y, 2.0);
            d = v3(0.0, 0.0, -1.0);
        }
        /* Only the border itself may be passed by. */
        RgVec3 end = v3_add(o, d);
        if (fabs(end.x) < 1.5 - 1e-9 && fabs(end.y) < 1.0 - 1e-9)
            lost += !rg_surface_ray(made.surface, o, d, &t, &triangle);
    }
    cr_expect_eq(lost, 0, "%d rays fell through", lost);
    rg_arena_free(&made.arena);
}

/* ------------------------------------------------------------------ edges */

static int count_convex(const RgSurface *surface, int *open)
{
    int convex = 0;
    *open = 0;
    for (int32_t i = 0; i < rg_surface_count(surface); i++) {
        RgTriangle t;
        rg_surface_triangle(surface, i, &t);
        for (int k = 0; k < 3; k++) {
            *open += t.open[k];
            convex += t.convex[k] && !t.open[k];
            cr_expect(!t.open[k] || t.convex[k], "an open edge can be touched");
            CHECK_NEAR(v3_norm(t.across[k]), 1.0, 1e-15, "1");
        }
    }
    return convex;
}

Test(surface, edges_of_a_cube)
{
    Mesh *mesh = new_mesh();
    mesh_add_box(mesh, v3(1.0, 2.0, 3.0), v3(1.0, 2.0, 0.5));
    Made made = make_from(mesh);
    int open;
    cr_expect_eq(count_convex(made.surface, &open), 24, "12 edges, each seen by two triangles; no diagonal");
    cr_expect_eq(open, 0);
    cr_expect(made.report.closed && !made.report.inside_out && rg_surface_one_sided(made.surface));
    for (int32_t i = 0; i < 12; i++) {
        RgTriangle t;
        rg_surface_triangle(made.surface, i, &t);
        for (int k = 0; k < 3; k++) {
            double cosine = v3_dot(t.normal, t.across[k]);
            CHECK_NEAR(cosine, t.convex[k] ? 0.0 : 1.0, 1e-15, "1");
            cr_expect_eq(t.number[k], mesh->faces[3 * i + k], "clean meshes keep their numbers");
        }
    }
    rg_arena_free(&made.arena);
    free(mesh);
}

/* The L of three unit squares, extruded: one concave edge among 18. */
Test(surface, the_inner_edge_of_an_l_is_concave)
{
    static const double outline[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    static const int32_t cap[4][3] = {{0, 1, 3}, {1, 2, 3}, {0, 3, 5}, {3, 4, 5}};
    Mesh *mesh = new_mesh();
    for (int i = 0; i < 12; i++)
        mesh_add_vertex(mesh, v3(outline[i % 6][0], outline[i % 6][1], i / 6));
    for (int i = 0; i < 4; i++) {
        mesh_add_face(mesh, cap[i][0] + 6, cap[i][1] + 6, cap[i][2] + 6);
        mesh_add_face(mesh, cap[i][0], cap[i][2], cap[i][1]);
    }
    for (int32_t i = 0; i < 6; i++) {
        int32_t j = (i + 1) % 6;
        mesh_add_face(mesh, i, j, j + 6);
        mesh_add_face(mesh, i, j + 6, i + 6);
    }
    Made made = make_from(mesh);
    int open, concave = 0;
    cr_assert(made.report.closed, "%d open edges", made.report.open_edges);
    cr_expect_eq(count_convex(made.surface, &open), 2 * 17);
    for (int32_t i = 0; i < rg_surface_count(made.surface); i++) {
        RgTriangle t;
        rg_surface_triangle(made.surface, i, &t);
        for (int k = 0; k < 3; k++)
            if (fabs(v3_dot(t.normal, t.across[k])) < 0.5 && !t.convex[k]) {
                concave++;
                cr_expect(t.number[k] % 6 == 3 && t.number[(k + 1) % 3] % 6 == 3);
            }
    }
    cr_expect_eq(concave, 2);
    rg_arena_free(&made.arena);
    free(mesh);
}

/* However the floor is turned and wherever it lies: no inner edge can be touched. */
Test(surface, a_floor_has_no_inner_edge)
{
    RgRandom random = rg_random_seed(28);
    for (int turn = 0; turn < 20; turn++) {
        Mesh *mesh = new_mesh();
        mesh_add_floor(mesh, 20);
        RgPose X = random_pose(&random, 50.0);
        for (int32_t i = 0; turn > 0 && i < mesh->nvertices; i++) {
            double *p = mesh->vertices + 3 * i;
            RgVec3 moved = v3_add(m3_apply(X.R, v3(p[0], p[1], p[2])), X.p);
            p[0] = moved.x;
            p[1] = moved.y;
            p[2] = moved.z;
        }
        Made made = make_from(mesh);
        int open;
        cr_expect_eq(count_convex(made.surface, &open), 0);
        cr_expect_eq(open, 80);
        cr_expect_eq(made.report.open_edges, 80);
        cr_expect(!made.report.closed && rg_surface_one_sided(made.surface), "open, but it has one upper side");
        rg_arena_free(&made.arena);
        free(mesh);
    }
}

/* ------------------------------------------------------------------ repairs */

Test(surface, vertices_of_each_face_are_joined)
{
    Mesh *whole = new_mesh(), *loose = new_mesh();
    mesh_add_icosphere(whole, 2);
    for (int32_t i = 0; i < 3 * whole->nfaces; i++) {
        const double *p = whole->vertices + 3 * whole->faces[i];
        double zero = i % 2 ? -0.0 : 0.0;
        mesh_add_vertex(loose, v3(p[0] == 0.0 ? zero : p[0], p[1] == 0.0 ? zero : p[1], p[2]));
        if (i % 3 == 2)
            mesh_add_face(loose, i - 2, i - 1, i);
    }
    mesh_add_vertex(loose, v3(7.0, 7.0, 7.0)); /* of no face */
    Made made = make_from(loose);
    cr_assert_eq(made.status, RG_OK);
    cr_expect_eq(rg_surface_count(made.surface), 320);
    cr_expect_eq(made.report.merged_vertices, 960 - 162);
    cr_expect_eq(made.report.unused_vertices, 1);
    cr_expect_eq(made.report.dropped_faces, 0);
    cr_expect(made.report.closed && made.report.open_edges == 0 && made.report.turned_edges == 0);
    cr_expect_lt(rg_surface_bounds(made.surface).high.x, 1.5, "an unused vertex does not count");
    rg_arena_free(&made.arena);
    free(whole);
    free(loose);
}

/* Normals of a cube must point away from its middle. */
static void expect_outward(const Made *made)
{
    for (int32_t i = 0; i < rg_surface_count(made->surface); i++) {
        RgTriangle t;
        rg_surface_triangle(made->surface, i, &t);
        cr_expect_gt(v3_dot(t.normal, t.vertex[0]), 0.4, "triangle %d points inward", i);
        RgVec3 turn = v3_cross(v3_sub(t.vertex[1], t.vertex[0]), v3_sub(t.vertex[2], t.vertex[0]));
        cr_expect_gt(v3_dot(turn, t.normal), 0.0, "corners and normal of triangle %d agree", i);
    }
    int open;
    cr_expect_eq(count_convex(made->surface, &open), 24);
}

Test(surface, inside_out_is_turned_over_and_mirrors_are_not)
{
    Mesh *mesh = new_mesh();
    mesh_add_box(mesh, v3_zero(), v3(1.0, 1.0, 1.0));
    RgShapeDef def = mesh_def(mesh);
    def.size[1] = -1.0;
    Made mirrored = make_surface(&def);
    cr_expect(mirrored.report.closed && !mirrored.report.inside_out);
    expect_outward(&mirrored);
    rg_arena_free(&mirrored.arena);
    mesh_turn_inside_out(mesh);
    Made turned = make_from(mesh);
    cr_expect(turned.report.closed && turned.report.inside_out);
    expect_outward(&turned);
    rg_arena_free(&turned.arena);
    free(mesh);
}

Test(surface, an_open_box_is_reported)
{
    Mesh *mesh = new_mesh();
    mesh_add_box(mesh, v3_zero(), v3(1.0, 1.0, 1.0));
    mesh->nfaces -= 2;
    Made made = make_from(mesh);
    cr_expect_eq(made.report.open_edges, 4);
    cr_expect(!made.report.closed && rg_surface_one_sided(made.surface));
    rg_arena_free(&made.arena);

    /* One face the wrong way round: a shell, and every bend can be touched. */
    int32_t *bottom = mesh->faces + 3 * 8, swap = bottom[0];
    bottom[0] = bottom[1];
    bottom[1] = swap;
    made = make_from(mesh);
    cr_expect_eq(made.report.turned_edges, 3);
    cr_expect_not(rg_surface_one_sided(made.surface));
    RgTriangle t;
    rg_surface_triangle(made.surface, 8, &t);
    cr_expect_eq(t.convex[0] + t.convex[1] + t.convex[2], 2);
    for (int k = 0; k < 3; k++) /* the neighbour's normal is that of the same side */
        CHECK_NEAR(v3_dot(t.normal, t.across[k]), t.convex[k] ? 0.0 : 1.0, 1e-15, "1");
    rg_arena_free(&made.arena);
    free(mesh);
}

/* Three triangles at one edge: nothing is beyond it, and the surface has two sides. */
Test(surface, an_edge_of_three_triangles_is_open)
{
    Mesh *mesh = new_mesh();
    mesh_add_vertex(mesh, v3(0.0, 0.0, 0.0));
    mesh_add_vertex(mesh, v3(1.0, 0.0, 0.0));
    for (int k = 0; k < 3; k++) {
        mesh_add_vertex(mesh, v3(0.0, k - 1.0, k == 1));
        mesh_add_face(mesh, 0, 1, 2 + k);
    }
    Made made = make_from(mesh);
    cr_expect_eq(made.report.open_edges, 7);
    cr_expect_not(rg_surface_one_sided(made.surface));
    RgTriangle t;
    rg_surface_triangle(made.surface, 1, &t);
    cr_expect(t.open[0] && t.convex[0]);
    rg_arena_free(&made.arena);
    free(mesh);
}

/* A cube in which one face is cut into a fan with a corner on its edge, the seam closed by a triangle without
   area, one face named twice and one with equal corners: still a closed cube. */
Test(surface, faces_without_area_and_repeated_ones_are_dropped)
{
    Mesh *mesh = new_mesh();
    mesh_add_box(mesh, v3_zero(), v3(1.0, 1.0, 1.0));
    int32_t m = mesh_add_vertex(mesh, v3(-0.5, 0.0, -0.5)); /* on the edge from vertex 0 to 2 */
    mesh->nfaces--;                                         /* of the last quad 4 5 7 6 ... */
    mesh_add_face(mesh, 4, 7, 6);                           /* ... as it was */
    int32_t *face = mesh->faces + 3 * 8;                    /* 0 2 3, of the quad 0 2 3 1 */
    cr_assert(face[0] == 0 && face[1] == 2 && face[2] == 3);
    face[1] = m;
    mesh_add_face(mesh, m, 2, 3);
    mesh_add_face(mesh, 0, 2, m); /* thin: the seam */
    mesh_add_face(mesh, 3, 7, 1); /* again, begun elsewhere */
    mesh_add_face(mesh, 5, 5, 6);
    Made made = make_from(mesh);
    cr_assert_eq(made.status, RG_OK);
    cr_expect_eq(rg_surface_count(made.surface), 13);
    cr_expect_eq(made.report.dropped_faces, 3);
    cr_expect(made.report.closed && !made.report.inside_out, "%d open, %d turned", made.report.open_edges,
              made.report.turned_edges);

    /* The triangles at the seam see the side of the cube through it. */
    int open;
    cr_expect_eq(count_convex(made.surface, &open), 24 + 1, "one of the 24 is seen in two pieces");
    cr_expect_eq(open, 0);
    rg_arena_free(&made.arena);
    free(mesh);
}

static void expect_refusal(const RgShapeDef *def, RgStatus status, const char *word)
{
    Made made = make_surface(def);
    cr_expect_eq(made.status, status, "%s", made.what);
    cr_expect_null(made.surface);
    cr_assert_not_null(made.what);
    cr_expect_not_null(strstr(made.what, word), "'%s' has no '%s'", made.what, word);
    rg_arena_free(&made.arena);
}

Test(surface, what_is_refused)
{
    double vertices[12] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0, 0.0};
    int32_t faces[3] = {0, 1, 2};
    RgShapeDef def = {.type = RG_SHAPE_mesh,
                      .size = {1.0, 1.0, 1.0},
                      .mesh = {.vertices = vertices, .faces = faces, .nvertices = 4, .nfaces = 1}};
    expect_refusal(&def, RG_ERR_MODEL, "no triangle");
    vertices[7] = 1e-12;
    expect_refusal(&def, RG_ERR_MODEL, "no triangle");
    faces[2] = 4;
    expect_refusal(&def, RG_ERR_ARGUMENT, "does not exist");
    faces[2] = 3;
    vertices[9] = (double)NAN;
    expect_refusal(&def, RG_ERR_ARGUMENT, "not finite");
    vertices[9] = 1e200;
    expect_refusal(&def, RG_ERR_ARGUMENT, "too far");
    def.mesh.nfaces = 0;
    expect_refusal(&def, RG_ERR_ARGUMENT, "no faces");
    def.type = RG_SHAPE_box;
    expect_refusal(&def, RG_ERR_ARGUMENT, "only meshes");

    double heights[4] = {0.0, 1.0, 2.0, 1.0};
    RgShapeDef field = {
        .type = RG_SHAPE_heightfield, .size = {1.0, 0.0, 1.0}, .heights = heights, .rows = 2, .columns = 2};
    expect_refusal(&field, RG_ERR_MODEL, "no area");
    field.size[1] = 1.0;
    heights[3] = (double)INFINITY;
    expect_refusal(&field, RG_ERR_ARGUMENT, "not finite");
    heights[3] = 1e150;
    expect_refusal(&field, RG_ERR_ARGUMENT, "too large");
}

/* ------------------------------------------------------------------ memory */

static void *limited_alloc(size_t bytes, void *context)
{
    long *left = context;
    return (*left)-- > 0 ? malloc(bytes) : NULL;
}

static void limited_free(void *block, void *context)
{
    (void)context;
    free(block);
}

Test(surface, memory_that_runs_out_is_said)
{
    RgRandom random = rg_random_seed(29);
    Field field;
    draw_field(&field, &random, 60, 60);
    Mesh *mesh = new_mesh();
    mesh_add_icosphere(mesh, 3);
    RgShapeDef defs[2] = {mesh_def(mesh), field.def};
    for (int k = 0; k < 2; k++) {
        RgStatus status = RG_ERR_MEMORY;
        for (long allowed = 0; status != RG_OK && allowed < 100; allowed++) {
            long left = allowed;
            RgAllocator allocator = {limited_alloc, limited_free, &left};
            RgArena arena;
            RgSurface *surface;
            RgMeshReport report;
            const char *what = NULL;
            RgShape shape = rg_shape_view(&defs[k]);
            rg_arena_init(&arena, &allocator);
            status = rg_surface_create(&arena, &shape, &surface, &report, &what);
            cr_expect(status == RG_OK ? allowed > 0 && what == NULL : status == RG_ERR_MEMORY && what != NULL);
            rg_arena_free(&arena);
        }
        cr_expect_eq(status, RG_OK);
    }
    free(mesh);
}
