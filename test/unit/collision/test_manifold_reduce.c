/* test_manifold_reduce.c - four of many points: the deepest is there, the area is nearly the best, order is
   no matter. */
#include "collision/plane_hull.h"
#include "manifold_fixture.h"

#define ROOM 64

/* Part of the best possible area that four kept points must have. Worst of the drawn sets: 0.862. */
#define LEAST_PART 0.8

static RgContactPoint point_at(Draw *d, RgVec3 n, double x, double y, uint64_t id)
{
    RgVec3 t = v3_orthogonal(n), s = vec_cross(n, t);
    double gap = draw_between(d, -1e-3, 1e-3);
    RgVec3 p = vec_add(vec_scale(x, t), vec_scale(y, s));
    return (RgContactPoint){.point_a = p, .point_b = vec_add(p, vec_scale(gap, n)), .normal = n, .gap = gap, .id = id};
}

/* Points in a box, on an ellipse, or on a grid. */
static int draw_points(Draw *d, RgVec3 n, RgContactPoint *p, int most)
{
    int count = 5 + draw_below(d, most - 5), how = draw_below(d, 3);
    double stretch = draw_between(d, 0.1, 1.0);
    for (int i = 0; i < count; i++) {
        double a = draw_between(d, -PI, PI), x = draw_between(d, -1.0, 1.0), y = draw_between(d, -1.0, 1.0);
        if (how == 1) {
            x = cos(a);
            y = sin(a);
        } else if (how == 2) {
            x = draw_below(d, 6);
            y = draw_below(d, 6);
        }
        p[i] = point_at(d, n, x, stretch * y, draw_bits(d));
    }
    return count;
}

static double area_of(const RgContactPoint *p, const int *index, int count)
{
    RgVec3 t = v3_orthogonal(p[0].normal), s = vec_cross(p[0].normal, t);
    Flat place[ROOM];
    for (int i = 0; i < count; i++) {
        RgVec3 x = p[index != NULL ? index[i] : i].point_a;
        place[i] = (Flat){vec_dot(x, t), vec_dot(x, s)};
    }
    return hull_area(place, count);
}

static int deepest_of(const RgContactPoint *p, int count)
{
    int deepest = 0;
    for (int i = 1; i < count; i++)
        deepest = p[i].gap < p[deepest].gap ? i : deepest;
    return deepest;
}

/* Largest area of the deepest point with any three others. */
static double best_area(const RgContactPoint *p, int count)
{
    int first = deepest_of(p, count);
    double best = 0.0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < j; k++)
                best = fmax(best, area_of(p, (int[]){first, i, j, k}, 4));
    return best;
}

Test(manifold_reduce, area_is_nearly_that_of_the_best_four)
{
    Draw d = draw_seed(1);
    double worst = 1.0, sum = 0.0;
    int cases = 2000;
    for (int k = 0; k < cases; k++) {
        RgContactPoint p[ROOM], q[ROOM];
        int count = draw_points(&d, draw_direction(&d), p, 16);
        for (int i = 0; i < count; i++)
            q[i] = p[i];
        int32_t kept = rg_manifold_reduce(q, count, 4);
        cr_assert(kept >= 1 && kept <= 4);
        cr_expect_eq(q[deepest_of(q, kept)].id, p[deepest_of(p, count)].id, "the deepest is kept");
        double best = best_area(p, count);
        double part = best > 0.0 ? area_of(q, NULL, kept) / best : 1.0;
        worst = fmin(worst, part);
        sum += part;
        /* They are points of the set, in their order. */
        for (int i = 0, at = 0; i < kept; i++) {
            while (at < count && p[at].id != q[i].id)
                at++;
            cr_assert_lt(at++, count);
        }
    }
    cr_log_info("worst part %.4f, mean %.4f", worst, sum / cases);
    cr_expect_geq(worst, LEAST_PART);
    cr_expect_geq(sum / cases, 0.995);
}

/* Shuffled points give the same ones. */
Test(manifold_reduce, order_does_not_matter)
{
    Draw d = draw_seed(2);
    for (int k = 0; k < 500; k++) {
        RgContactPoint p[ROOM], q[ROOM];
        int count = draw_points(&d, draw_direction(&d), p, ROOM), most = 1 + draw_below(&d, 9);
        for (int i = 0; i < count; i++) {
            p[i].gap = draw_below(&d, 3) * 1e-3; /* many equally deep */
            q[i] = p[i];
        }
        for (int i = count - 1; i > 0; i--) {
            int j = draw_below(&d, i + 1);
            RgContactPoint moved = q[i];
            q[i] = q[j];
            q[j] = moved;
        }
        int32_t a = rg_manifold_reduce(p, count, most), b = rg_manifold_reduce(q, count, most);
        cr_assert_eq(a, b);
        for (int32_t i = 0; i < a; i++) {
            bool found = false;
            for (int32_t j = 0; j < b; j++)
                found = found || p[i].id == q[j].id;
            cr_expect(found, "case %d: a point is kept in one order only", k);
        }
    }
}

/* A square with many points inside and along its sides: its four corners, if they are as deep as any. */
Test(manifold_reduce, corners_of_a_square)
{
    Draw d = draw_seed(3);
    RgContactPoint p[ROOM];
    RgVec3 n = vec(0.0, 0.0, 1.0);
    int count = 0;
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++) {
            p[count] = point_at(&d, n, i, j, draw_bits(&d));
            p[count++].gap = (i == 0 && j == 6) ? -1e-3 : 0.0;
        }
    cr_expect_eq(rg_manifold_reduce(p, count, 4), 4);
    CHECK_NEAR(area_of(p, NULL, 4), 36.0, 1e-12, "m2");
}

/* In line: both ends and the deepest. One place: one point. Bad counts: nothing. */
Test(manifold_reduce, lines_places_and_counts)
{
    Draw d = draw_seed(4);
    RgContactPoint p[ROOM];
    RgVec3 n = vec(0.0, 1.0, 0.0);
    for (int i = 0; i < 9; i++) {
        p[i] = point_at(&d, n, 0.1 * i, 0.0, (uint64_t)i);
        p[i].gap = i == 4 ? -1.0 : 0.0;
    }
    cr_expect_eq(rg_manifold_reduce(p, 9, 4), 3);
    cr_expect(p[0].id == 0 && p[1].id == 4 && p[2].id == 8);
    for (int i = 0; i < 9; i++)
        p[i] = point_at(&d, n, 0.1, 0.2, (uint64_t)i);
    cr_expect_eq(rg_manifold_reduce(p, 9, 4), 1);
    cr_expect_eq(rg_manifold_reduce(p, 3, 4), 3, "few stay as they are");
    cr_expect_eq(rg_manifold_reduce(p, 3, 0), 0);
    cr_expect_eq(rg_manifold_reduce(p, 0, 4), 0);
}

/* More kept, more area; with room for all corners of the hull, all of it. */
Test(manifold_reduce, area_grows_with_the_number_kept)
{
    Draw d = draw_seed(5);
    for (int k = 0; k < 50; k++) {
        RgContactPoint p[ROOM], q[ROOM];
        RgPlanePoint place[ROOM], corner[2 * ROOM];
        RgVec3 n = draw_direction(&d), t = v3_orthogonal(n), s = vec_cross(n, t);
        int count = draw_points(&d, n, p, ROOM);
        for (int i = 0; i < count; i++)
            place[i] = (RgPlanePoint){vec_dot(p[i].point_a, t), vec_dot(p[i].point_a, s), 0.0, i};
        int32_t corners = rg_plane_hull(place, count, 1.0, 1e-12, corner);
        double all = area_of(p, NULL, count), last = 0.0;
        for (int most = 1; most < count; most++) {
            for (int i = 0; i < count; i++)
                q[i] = p[i];
            int32_t kept = rg_manifold_reduce(q, count, most);
            double area = kept > 2 ? area_of(q, NULL, kept) : 0.0;
            cr_expect(area >= 0.9 * last && area <= all * (1.0 + 1e-12));
            if (most > corners)
                CHECK_REL(area, all, 1e-9, "m2");
            last = fmax(area, last);
        }
    }
}
