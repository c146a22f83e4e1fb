/* test_plane_hull.c - convex hulls in the plane against another way. */
#include "collision/plane_hull.h"

#include "manifold_fixture.h"

#define ROOM 400

static double chain_area(const RgPlanePoint *c, int32_t count)
{
    double area = 0.0;
    for (int32_t i = 0; i < count; i++) {
        const RgPlanePoint *next = &c[(i + 1) % count];
        area += 0.5 * (c[i].u * next->v - c[i].v * next->u);
    }
    return area;
}

Test(plane_hull, area_and_corners)
{
    Draw d = draw_seed(1);
    for (int k = 0; k < 300; k++) {
        RgPlanePoint p[ROOM], chain[2 * ROOM];
        Flat flat[ROOM];
        int count = 3 + draw_below(&d, ROOM - 3);
        bool grid = draw_chance(&d, 0.5); /* many in line, many at one place, to within round-off */
        for (int i = 0; i < count; i++) {
            double noise = draw_between(&d, -1e-15, 1e-15);
            flat[i] = grid ? (Flat){draw_below(&d, 7), draw_below(&d, 5)}
                           : (Flat){draw_between(&d, -1.0, 1.0), draw_between(&d, -1.0, 1.0)};
            p[i] = (RgPlanePoint){flat[i].x + noise, flat[i].y - 2.0 * noise, 0.0, i};
        }
        int32_t hull = rg_plane_hull(p, count, 1.0, 1e-12, chain);
        double area = hull_area(flat, count);
        CHECK_NEAR(chain_area(chain, hull), area, 1e-10, "m2");
        for (int32_t i = 0; i < hull; i++) {
            Flat a = {chain[i].u, chain[i].v}, b = {chain[(i + 1) % hull].u, chain[(i + 1) % hull].v};
            Flat e = {chain[(i + 2) % hull].u, chain[(i + 2) % hull].v};
            cr_expect(hull < 3 || flat_turn(a, b, e) > 0.0, "corner %d of %d does not turn left", i, hull);
            for (int j = 0; j < count && hull > 2; j++)
                cr_expect_geq(flat_turn(a, b, flat[j]), -1e-10);
        }
    }
}

Test(plane_hull, points_in_line_and_at_one_place)
{
    RgPlanePoint line[5], chain[10];
    for (int i = 0; i < 5; i++)
        line[i] = (RgPlanePoint){0.1 * i, 0.3 * i, 0.0, i};
    cr_expect_eq(rg_plane_hull(line, 5, 1.0, 1e-12, chain), 2);
    cr_expect_eq(chain[0].number, 0);
    cr_expect_eq(chain[1].number, 4);
    RgPlanePoint tower[4];
    for (int i = 0; i < 4; i++)
        tower[i] = (RgPlanePoint){1.0, 2.0, i == 2 ? 3.0 : -1.0 * i, i};
    cr_expect_eq(rg_plane_hull(tower, 4, 1.0, 1e-12, chain), 1);
    cr_expect_eq(chain[0].number, 2, "the highest counts");
    for (int i = 0; i < 4; i++)
        tower[i] = (RgPlanePoint){1.0, 2.0, i == 2 ? 3.0 : -1.0 * i, i};
    cr_expect_eq(rg_plane_hull(tower, 4, -1.0, 1e-12, chain), 1);
    cr_expect_eq(chain[0].number, 3, "the lowest counts");
    cr_expect_eq(rg_plane_hull(tower, 0, 1.0, 1e-12, chain), 0);
}

Test(plane_hull, order_of_points_does_not_matter)
{
    Draw d = draw_seed(2);
    RgPlanePoint p[60], q[60], chain[2][120];
    for (int i = 0; i < 60; i++)
        p[i] = (RgPlanePoint){draw_below(&d, 20), draw_below(&d, 20), 0.0, i};
    for (int i = 0; i < 60; i++)
        q[i] = p[(7 * i + 3) % 60];
    int32_t a = rg_plane_hull(p, 60, 1.0, 1e-12, chain[0]), b = rg_plane_hull(q, 60, 1.0, 1e-12, chain[1]);
    cr_assert_eq(a, b);
    for (int32_t i = 0; i < a; i++)
        cr_expect_eq(chain[0][i].number, chain[1][i].number);
}
