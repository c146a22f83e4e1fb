/*
 * test_surface_inside.c - what lies in the solid behind a surface: winding numbers by solid angles, heights;
 * rays through edges and corners; flat regions.
 */
#include "geom/surface_ray.h"
#include "surfaces.h"

#include <criterion/criterion.h>

/* Winding number of a surface about a point: the sum of the solid angles of its triangles over 4 pi (van
   Oosterom, Strackee 1983). */
static double winding(const RgSurface *surface, RgVec3 x)
{
    double sum = 0.0;
    for (int32_t i = 0; i < rg_surface_count(surface); i++) {
        RgTriangle t;
        rg_surface_triangle(surface, i, &t);
        RgVec3 a = v3_sub(t.vertex[0], x), b = v3_sub(t.vertex[1], x), c = v3_sub(t.vertex[2], x);
        double la = v3_norm(a), lb = v3_norm(b), lc = v3_norm(c);
        sum += 2.0 * atan2(v3_dot(a, v3_cross(b, c)),
                           la * lb * lc + v3_dot(a, b) * lc + v3_dot(b, c) * la + v3_dot(c, a) * lb);
    }
    return sum / (4.0 * 3.14159265358979323846);
}

/* A box from low to high; turned: its normals point into it. */
static void add_box(Mesh *mesh, RgVec3 low, RgVec3 high, bool turned)
{
    static const int32_t quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    int32_t first = mesh->nvertices;
    for (int i = 0; i < 8; i++)
        mesh_add_vertex(mesh, v3(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z));
    for (int i = 0; i < 6; i++) {
        const int32_t *q = quads[i];
        for (int k = 1; k < 3; k++)
            mesh_add_face(mesh, first + q[0], first + q[turned ? k + 1 : k], first + q[turned ? k : k + 1]);
    }
}

/* A prism between z = 0 and 1 over a polygon of unit squares: cells of a 3 x 3 board that are set. */
static void add_board(Mesh *mesh, const char *cells)
{
    static const int step[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (int k = 0; k < 9; k++) {
        int x = k % 3, y = k / 3;
        if (cells[k] != 'x')
            continue;
        int32_t v[8];
        for (int i = 0; i < 8; i++)
            v[i] = mesh_add_vertex(mesh, v3(x + (i & 1), y + (i >> 1 & 1), i >> 2));
        mesh_add_face(mesh, v[4], v[5], v[7]);
        mesh_add_face(mesh, v[4], v[7], v[6]);
        mesh_add_face(mesh, v[0], v[3], v[1]);
        mesh_add_face(mesh, v[0], v[2], v[3]);
        static const int wall[4][4] = {{1, 3, 7, 5}, {3, 2, 6, 7}, {2, 0, 4, 6}, {0, 1, 5, 4}};
        for (int s = 0; s < 4; s++) {
            int i = x + step[s][0], j = y + step[s][1];
            if (i >= 0 && i < 3 && j >= 0 && j < 3 && cells[3 * j + i] == 'x')
                continue;
            mesh_add_face(mesh, v[wall[s][0]], v[wall[s][1]], v[wall[s][2]]);
            mesh_add_face(mesh, v[wall[s][0]], v[wall[s][2]], v[wall[s][3]]);
        }
    }
}

/* L, U and O shapes, a ball, boxes that overlap, a box with a hollow. */
enum { SOLIDS = 6 };

static Made make_solid(int kind)
{
    static const char *const boards[3] = {"xxxx..x..", "xxxx.xx.x", "xxxx.xxxx"};
    Mesh *mesh = new_mesh();
    if (kind < 3)
        add_board(mesh, boards[kind]);
    else if (kind == 3)
        mesh_add_icosphere(mesh, 3);
    else if (kind == 4)
        for (int i = 0; i < 4; i++)
            add_box(mesh, v3(0.5 * i, 0.25 * i, 0.0), v3(0.5 * i + 1.0, 2.0 - 0.2 * i, 1.0 + 0.47 * i), false);
    else {
        add_box(mesh, v3(-1.0, -1.0, -1.0), v3(1.0, 1.0, 1.0), false);
        add_box(mesh, v3(-0.5, -0.5, -0.5), v3(0.5, 0.75, 0.5), true);
    }
    Made made = make_from(mesh);
    free(mesh);
    cr_assert_eq(made.status, RG_OK);
    cr_assert(made.report.closed && rg_surface_has_solid(made.surface), "solid %d", kind);
    return made;
}

/* Points anywhere, on a grid that all planes of the meshes belong to but a little off, and next to triangles.
   */
Test(surface_inside, winding_number_is_that_of_the_solid_angles)
{
    RgRandom random = rg_random_seed(41);
    for (int kind = 0; kind < SOLIDS; kind++) {
        Made made = make_solid(kind);
        RgBounds box = rg_surface_bounds(made.surface);
        int inside = 0, asked = 0;
        for (int k = 0; k < 3000; k++) {
            RgVec3 x = random_point(&random, box);
            if (k % 3 == 1)
                x = v3(floor(4.0 * x.x) / 4.0 + 1e-9, floor(4.0 * x.y) / 4.0 - 1e-9, x.z);
            if (k % 3 == 2) {
                RgTriangle t;
                rg_surface_triangle(made.surface, k % rg_surface_count(made.surface), &t);
                RgVec3 on = v3_scale(1.0 / 3.0, v3_add(t.vertex[0], v3_add(t.vertex[1], t.vertex[2])));
                x = v3_axpy(rg_random_uniform(&random, -1e-9, 1e-9), t.normal, on);
            }
            double w = winding(made.surface, x), whole = round(w);
            if (fabs(w - whole) > 0.1) /* on the surface */
                continue;
            asked++;
            inside += whole > 0.5;
            cr_assert_eq(rg_surface_inside(made.surface, x), whole > 0.5, "solid %d at %.17g %.17g %.17g: %g", kind,
                         x.x, x.y, x.z, w);
        }
        cr_expect(asked > 1500 && inside > 300, "solid %d: %d of %d inside", kind, inside, asked);
        rg_arena_free(&made.arena);
    }
}

/* A square of two triangles, side `side` (-1 or 1) of the cube across an axis, in row and column k of 4 x 4.
   */
static void add_square(Mesh *mesh, int axis, int side, int k)
{
    int32_t first = mesh->nvertices;
    for (int c = 0; c < 4; c++) {
        double u = (k % 4 + (c == 1 || c == 2)) * 0.5 - 1.0, w = (k / 4 + (c >= 2)) * 0.5 - 1.0, at[3];
        at[axis] = side;
        at[(axis + 1) % 3] = side > 0 ? u : w;
        at[(axis + 2) % 3] = side > 0 ? w : u;
        mesh_add_vertex(mesh, v3(at[0], at[1], at[2]));
    }
    mesh_add_face(mesh, first, first + 1, first + 2);
    mesh_add_face(mesh, first, first + 2, first + 3);
}

/* From within a cube of small squares, exactly through its corners, along its edges, through the middles: out
   once, whichever triangles meet there. */
Test(surface_inside, rays_through_edges_and_corners_cross_once)
{
    Mesh *mesh = new_mesh();
    for (int k = 0; k < 96; k++)
        add_square(mesh, k / 32, k / 16 % 2 == 0 ? -1 : 1, k % 16);
    Made made = make_from(mesh);
    cr_assert(made.report.closed && !made.report.inside_out);
    RgBounds box = rg_surface_bounds(made.surface);
    static const RgVec3 from[3] = {{0.0, 0.0, 0.0}, {0.25, 0.5, -0.25}, {0.125, 0.0, 0.5}};
    for (int k = 0; k < 3 * 9 * 9 * 9; k++) { /* to all points of a grid: outside, on the surface, and inside */
        RgVec3 o = from[k % 3], x = v3(k / 3 % 9 * 0.25 - 1.0, k / 27 % 9 * 0.25 - 1.0, k / 243 * 0.25 - 1.0);
        RgSurfaceRay ray;
        if (!rg_surface_ray_init(&ray, o, v3_sub(x, o), &box))
            continue;
        int sum = 0;
        bool clear = true;
        for (int32_t i = 0; i < rg_surface_count(made.surface); i++) {
            RgTriangle t;
            rg_surface_triangle(made.surface, i, &t);
            sum += rg_surface_ray_crossing(&ray, t.vertex, &clear);
        }
        cr_assert(sum == 1 && clear, "to %g %g %g: %d", x.x, x.y, x.z, sum);
    }
    rg_arena_free(&made.arena);
    free(mesh);
}

/* Under a height field: by the height of the triangle over the point, down to the bottom; beside it never. */
Test(surface_inside, height_fields_are_solid_below)
{
    RgRandom random = rg_random_seed(43);
    Field field;
    draw_field(&field, &random, 9, 13);
    Made made = make_surface(&field.def);
    RgBounds box = rg_surface_bounds(made.surface), solid = rg_surface_solid_bounds(made.surface);
    cr_expect(solid.low.z == box.low.z - 3.0 && solid.high.z == box.high.z, "as deep as it is wide");
    RgBounds wide = {v3_sub(solid.low, v3(0.5, 0.5, 0.5)), v3_add(solid.high, v3(0.5, 0.5, 0.5))};
    int inside = 0;
    for (int k = 0; k < 20000; k++) {
        RgVec3 x = random_point(&random, k % 2 == 0 ? box : wide);
        if (k % 4 == 0)
            x.x = field.def.size[0] * ((k / 4 % 13) / 12.0 - 0.5); /* over a line of the grid */
        double top = INFINITY; /* depth of the field below the point, looking down from far above */
        int32_t triangle;
        bool under = rg_surface_ray(made.surface, v3(x.x, x.y, 10.0), v3(0.0, 0.0, -1.0), &top, &triangle);
        if (under && fabs(10.0 - top - x.z) < 1e-12)
            continue;
        bool expected = under && x.z < 10.0 - top && x.z >= solid.low.z;
        cr_assert_eq(rg_surface_inside(made.surface, x), expected, "%.17g %.17g %.17g", x.x, x.y, x.z);
        inside += expected;
    }
    cr_expect_gt(inside, 5000);
    rg_arena_free(&made.arena);
}

/* Open meshes and shells without an agreed front have no inside. */
Test(surface_inside, what_is_open_has_none)
{
    Mesh *mesh = new_mesh();
    add_box(mesh, v3(0.0, 0.0, 0.0), v3(1.0, 1.0, 1.0), false);
    mesh->nfaces--;
    Made made = make_from(mesh);
    cr_expect(!rg_surface_has_solid(made.surface) && !rg_surface_inside(made.surface, v3(0.5, 0.5, 0.5)));
    rg_arena_free(&made.arena);
    free(mesh);
}

/* ------------------------------------------------------------------ regions */

/* Whether two triangles have an edge in common and one normal. */
static bool side_by_side(const RgTriangle *a, const RgTriangle *b)
{
    int shared = 0;
    for (int k = 0; k < 9; k++)
        shared += a->number[k / 3] == b->number[k % 3];
    return shared == 2 && v3_norm(v3_sub(a->normal, b->normal)) < 1e-7;
}

/* Brute force: the lowest number is handed on from neighbour to neighbour until nothing changes. */
static void check_regions(const RgSurface *surface)
{
    int32_t count = rg_surface_count(surface);
    RgTriangle *t = calloc((size_t)count, sizeof *t);
    int32_t *region = calloc((size_t)count, sizeof *region);
    for (int32_t i = 0; i < count; i++) {
        rg_surface_triangle(surface, i, &t[i]);
        region[i] = i;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t k = 0; k < count * count; k++) {
            int32_t i = k / count, j = k % count;
            if (region[j] > region[i] && side_by_side(&t[i], &t[j])) {
                region[j] = region[i];
                changed = true;
            }
        }
    }
    for (int32_t i = 0; i < count; i++)
        cr_expect_eq(rg_surface_region(surface, i), region[i], "triangle %d", i);
    free(t);
    free(region);
}

Test(surface_inside, flat_regions)
{
    for (int kind = 0; kind < SOLIDS; kind++) {
        Made made = make_solid(kind);
        check_regions(made.surface);
        rg_arena_free(&made.arena);
    }
    RgRandom random = rg_random_seed(47);
    Field field;
    draw_field(&field, &random, 8, 10);
    for (int i = 0; i < 80; i++) /* terraces */
        field.heights[i] = floor(4.0 * field.heights[i] + 0.5 * (i % 10) / 3) / 4.0;
    Made made = make_surface(&field.def);
    check_regions(made.surface);
    rg_arena_free(&made.arena);
}
