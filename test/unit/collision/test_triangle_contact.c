/* test_triangle_contact.c - which normals a surface allows: blades, spikes, steps, tables, and what is deep
   in a corner. */
#include "collision/triangle_contact.h"

#include "surface_fixture.h"

/* A ridge along y of two slopes that meet at an angle: half angle `half` of the solid below it. */
static RgGeometry *make_blade(double half)
{
    Soup *s = soup_new();
    RgVec3 left = vec(sin(half), 0, cos(half)), right = vec(sin(half), 0, -cos(half));
    soup_grid(s, vec_sub(vec(0, -1, 0), left), left, vec(0, 2, 0), 2, 3);
    soup_grid(s, vec(0, -1, 0), right, vec(0, 2, 0), 2, 3);
    RgGeometry *g = soup_geometry(s);
    free(s);
    return g;
}

/* A ball that touches the edge of a blade from anywhere in the arc: once, along the line from the edge to its
   centre. */
Test(triangle_contact, ball_on_a_blade)
{
    RgGeometry *ball = make_shape(RG_SHAPE_sphere, 0.1, 0, 0);
    Contacts *c = malloc(sizeof *c);
    for (int k = 0; k < 3; k++) {
        double half = (double[]){0.02, 0.5, 1.4}[k], widest = 0.5 * PI - half;
        RgGeometry *blade = make_blade(half);
        RgPlaced b = placed_at(blade, 0, 0, 0);
        for (int t = 1; t < 40; t++) {
            double lean = widest * (t / 20.0 - 1.0), gap = 1e-4 * (t % 5 - 2), y = 0.045 * t - 0.9;
            RgVec3 n = vec(sin(lean), 0.0, cos(lean));
            RgPlaced a = placed(ball, (RgPose){mat_identity(), vec_add(vec(0, y, 0), vec_scale(0.1 + gap, n))});
            collide(&a, &b, c);
            cr_assert_eq(c->buffer.npoints, 1, "blade %d, lean %g: %d points", k, lean, c->buffer.npoints);
            CHECK_NEAR(vec_distance(c->point[0].normal, vec_scale(-1.0, n)), 0.0, 1e-6, "");
            CHECK_NEAR(c->point[0].gap, gap, 1e-9, "m");
            CHECK_NEAR(vec_distance(c->point[0].point_b, vec(0, y, 0)), 0.0, 1e-6, "m");
            cr_expect_eq(c->manifold[0].touch, RG_TOUCH_curved);
        }
        rg_geometry_destroy(blade);
    }
    rg_geometry_destroy(ball);
    free(c);
}

/* The tip of a pyramid under a flat box, a ball, a tilted box: one point, at the tip. */
Test(triangle_contact, tip_of_a_spike)
{
    Soup *s = soup_new();
    static const int32_t base[4][2] = {{1, 2}, {2, 3}, {3, 4}, {4, 1}};
    soup_vertex(s, 0, 0, 0);
    soup_vertex(s, -0.2, -0.2, -1);
    soup_vertex(s, 0.2, -0.2, -1);
    soup_vertex(s, 0.2, 0.2, -1);
    soup_vertex(s, -0.2, 0.2, -1);
    for (int i = 0; i < 4; i++)
        soup_face(s, 0, base[i][0], base[i][1]);
    RgGeometry *spike = soup_geometry(s), *box = make_shape(RG_SHAPE_box, 1, 1, 0.4);
    Contacts *c = malloc(sizeof *c);
    Draw d = draw_seed(1);
    for (int k = 0; k < 200; k++) {
        double gap = draw_between(&d, -2e-3, 9e-4);
        RgMat3 R = mat_mul(turn_about(2, draw_between(&d, -PI, PI)), turn_about(0, draw_between(&d, -0.5, 0.5)));
        RgVec3 up = mat_apply(R, vec(0, 0, 1)),
               foot = vec(draw_between(&d, -0.3, 0.3), draw_between(&d, -0.3, 0.3), -0.2);
        RgPlaced a = placed(box, (RgPose){R, vec_sub(vec_scale(gap, up), mat_apply(R, foot))}),
                 b = placed_at(spike, 0, 0, 0);
        collide(&a, &b, c);
        cr_assert_eq(c->buffer.npoints, 1);
        CHECK_NEAR(vec_distance(c->point[0].point_b, vec(0, 0, 0)), 0.0, 1e-9, "m");
        CHECK_NEAR(vec_distance(c->point[0].normal, vec_scale(-1.0, up)), 0.0, 1e-6, "");
        CHECK_NEAR(c->point[0].gap, gap, 1e-9, "m");
        cr_expect_eq(c->manifold[0].touch, RG_TOUCH_vertex_face);
    }
    rg_geometry_destroy(spike);
    rg_geometry_destroy(box);
    free(s);
    free(c);
}

/* Stairs of fine triangles: a box on one step against the next: the tread holds it up, the riser holds it
   back, the tread above, of which it overlaps a hair, says nothing. */
Test(triangle_contact, stairs)
{
    for (int fine = 1; fine <= 40; fine += 13) {
        Soup *s = soup_new();
        soup_grid(s, vec(-1, -1, 0), vec(1, 0, 0), vec(0, 2, 0), fine, fine);
        soup_grid(s, vec(0, -1, 0), vec(0, 0, 0.5), vec(0, 2, 0), fine, fine);
        soup_grid(s, vec(0, -1, 0.5), vec(1, 0, 0), vec(0, 2, 0), fine, fine);
        RgGeometry *stairs = soup_geometry(s), *box = make_shape(RG_SHAPE_box, 0.4, 0.4, 0.8);
        Contacts *c = malloc(sizeof *c);
        for (int k = 0; k < 20; k++) {
            double into = (double[]){1e-9, 1e-6, 1e-4, 2e-3}[k % 4], y = 0.03 * k - 0.3, down = k < 10 ? 1e-3 : 5e-3;
            RgPlaced a = placed_at(box, -0.2 + into, y, 0.4 - down), b = placed_at(stairs, 0, 0, 0);
            collide(&a, &b, c);
            cr_assert_eq(c->buffer.nmanifolds, 2, "fine %d, into %g: %d manifolds", fine, into, c->buffer.nmanifolds);
            for (int m = 0; m < 2; m++) {
                bool tread = fabs(c->manifold[m].normal.z) > 0.5;
                RgVec3 n = tread ? vec(0, 0, -1) : vec(1, 0, 0);
                CHECK_NEAR(vec_distance(c->manifold[m].normal, n), 0.0, 1e-9, "");
                CHECK_NEAR(c->manifold[m].distance, tread ? -down : -into, 1e-9, "m");
                cr_expect_eq(c->manifold[m].count, 4);
            }
        }
        rg_geometry_destroy(stairs);
        rg_geometry_destroy(box);
        free(s);
        free(c);
    }
}

/* Two tables of one height, a box across the gap, on the second by less than it is sunk in: the first still
   holds it. */
Test(triangle_contact, two_tables)
{
    Soup *s = soup_new();
    soup_box(s, vec(1, 1, 1), 4);
    int32_t first = s->nvertices;
    soup_box(s, vec(1, 1, 1), 4);
    for (int32_t i = first; i < s->nvertices; i++)
        s->xyz[3 * i] += 1.2;
    RgGeometry *tables = soup_geometry(s), *box = make_shape(RG_SHAPE_box, 0.6, 0.6, 0.6);
    Contacts *c = malloc(sizeof *c);
    for (int k = -50; k < 50; k++) { /* the second begins at 0.7 */
        RgPlaced a = placed_at(box, 0.4 + 1e-4 * k, 0.03, 0.8 - 1e-3), b = placed_at(tables, 0, 0, 0);
        collide(&a, &b, c);
        double area = 0.0;
        for (int32_t m = 0; m < c->buffer.nmanifolds; m++) {
            cr_expect_geq(c->manifold[m].distance, -1.01e-3);
            area = fmax(area, manifold_area(c, &c->manifold[m]));
        }
        cr_expect_geq(area, 0.6 * (0.4 - 1e-4 * k) - 1e-9, "shifted by %g: area %g", 1e-4 * k, area);
    }
    rg_geometry_destroy(tables);
    rg_geometry_destroy(box);
    free(s);
    free(c);
}

/* Distance of a box (full lengths l, at X) from a point of the surface along n'. */
static double box_along(RgVec3 l, RgPose X, RgVec3 n, RgVec3 p)
{
    RgVec3 m = mat_apply(mat_transpose(X.R), n);
    double reach = 0.5 * (fabs(m.x) * l.x + fabs(m.y) * l.y + fabs(m.z) * l.z);
    return vec_dot(n, vec_sub(X.p, p)) - reach;
}

/* A contact with edge i: across it, at the distance it says, and none between the two normals gives more. */
static void check_edge(RgVec3 l, RgPose X, const RgTriangle *t, int i, const RgDistance *at)
{
    RgVec3 n = vec_scale(-1.0, mat_apply(X.R, at->normal));
    CHECK_NEAR(vec_dot(n, vec_sub(t->vertex[(i + 1) % 3], t->vertex[i])), 0.0, 1e-9, "");
    CHECK_NEAR(box_along(l, X, n, t->vertex[i]), at->distance, 1e-9, "m");
    for (int j = 0; j <= 500; j++) {
        RgVec3 m = vec_add(vec_scale(1.0 - j / 500.0, t->normal), vec_scale(j / 500.0, t->across[i]));
        double s = box_along(l, X, vec_scale(1.0 / vec_norm(m), m), t->vertex[i]);
        cr_expect_leq(s, at->distance + 1e-9, "%g instead of %g", at->distance, s);
    }
}

/* Boxes on a ridge, sunk in by less than a tenth of their size, overlapping its line from all sides. */
Test(triangle_contact, best_direction_of_an_edge)
{
    Draw d = draw_seed(2);
    const RgVec3 l = vec(0.5, 0.3, 0.2);
    RgGeometry *roof = make_blade(0.9), *box = make_shape(RG_SHAPE_box, l.x, l.y, l.z);
    int found = 0, edges = 3 * rg_surface_count(roof->surface);
    for (int k = 0; k < 6000; k++) {
        RgPose X = draw_pose(&d, 0.15);
        RgSurfaceQuery q = {roof->surface, &box->parts[0], place_inverse(X), box->part_bounds[0], 0.5, 1e-3};
        for (int e = 0; e < edges; e++) {
            RgPlate p;
            RgPlateContact c;
            double height[2];
            if (!rg_plate_face(&q, e / 3, &p, height) || p.triangle.open[e % 3] ||
                !rg_plate_edge_contact(&q, &p, e % 3, height, &c) || fabs(c.at.distance) > 0.02)
                continue;
            check_edge(l, X, &p.triangle, e % 3, &c.at);
            found++;
        }
    }
    cr_expect_gt(found, 50, "%d", found);
    rg_geometry_destroy(roof);
    rg_geometry_destroy(box);
}
