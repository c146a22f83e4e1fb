/* test_outline_disc.c - overlaps of a cylinder's cap: points in both, crossings on the rim, enough of the
   area. */
#include "outline_pairs.h"

/* Of the area of a circle three points 120 degrees apart keep 3 sqrt(3) / (4 pi); any overlap keeps more. */
#define LEAST_AREA 0.4134

/* Place in the disc's axes, in radii. */
static double disc_radius(const RgOutline *o, double u, double v)
{
    const RgOutlineDisc *d = &o->disc;
    double du = u - d->centre[0], dv = v - d->centre[1];
    double x = (d->x_of[0] * du + d->x_of[1] * dv) / d->radius;
    double y = (d->y_of[0] * du + d->y_of[1] * dv) / d->radius;
    return sqrt(x * x + y * y);
}

static bool outline_has(const RgOutline *o, double u, double v, double slack)
{
    Flat corner[RG_OUTLINE_CORNERS];
    if (o->kind == RG_OUTLINE_DISC)
        return disc_radius(o, u, v) <= 1.0 + slack;
    if (o->kind == RG_OUTLINE_PLANE)
        return true;
    int n = outline_flat(o, corner);
    return flat_inside(corner, n, (Flat){u, v}, slack);
}

/* Area of the overlap by counting on a grid over disc b. */
static double counted_area(const OutlinePair *p)
{
    const RgOutlineDisc *d = &p->b.disc;
    int in = 0, n = 200;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double u = d->centre[0] + d->radius * (2.0 * (i + 0.5) / n - 1.0);
            double v = d->centre[1] + d->radius * (2.0 * (j + 0.5) / n - 1.0);
            in += outline_has(&p->a, u, v, 0.0) && outline_has(&p->b, u, v, 0.0);
        }
    return 4.0 * d->radius * d->radius * in / (n * n);
}

static void check_overlap(const OutlinePair *p)
{
    double area = counted_area(p), r = p->b.disc.radius;
    double kept = overlap_hull_area(&p->overlap);
    cr_expect_geq(kept, LEAST_AREA * area - 0.003 * r * r, "%g of %g kept by %d points", kept, area, p->overlap.count);
    cr_expect_leq(kept, area + 0.03 * r * r);
    for (int32_t i = 0; i < p->overlap.count; i++) {
        const RgOverlapPoint *q = &p->overlap.point[i];
        cr_expect(outline_has(&p->a, q->u, q->v, 1e-9) && outline_has(&p->b, q->u, q->v, 1e-9));
        if (q->feature[1].kind == RG_FEATURE_EDGE)
            CHECK_NEAR(disc_radius(&p->b, q->u, q->v), 1.0, 1e-9, "");
        double h;
        RgFeature f;
        cr_assert(rg_outline_surface(&p->b, q->u, q->v, &h, &f));
        CHECK_NEAR(q->h[1], h, 1e-12, "m");
    }
}

/* Upright and tilted cylinders on random polygons. */
Test(outline_disc, on_polygons)
{
    Draw d = draw_seed(1);
    OutlinePair *pair = malloc(sizeof *pair);
    int32_t most = 0;
    for (int k = 0; k < 600; k++) {
        RgGeometry *g = draw_prism(&d, -0.5, 0.0);
        RgGeometry *cylinder = make_shape(RG_SHAPE_cylinder, draw_between(&d, 0.05, 1.5), 1.0, 0.0);
        RgPose X = draw_slide(&d, 0.7);
        X.R = mat_mul(mat_turn(vec(1.0, 0.0, 0.0), draw_chance(&d, 0.5) ? draw_between(&d, -0.3, 0.3) : 0.0), X.R);
        RgPlaced a = placed(g, place_at(0.0, 0.0, 0.0)), b = placed(cylinder, X);
        overlap_along(&a, &b, vec(0.0, 0.0, 1.0), 0.4, pair);
        cr_assert_eq(pair->b.kind, RG_OUTLINE_DISC);
        check_overlap(pair);
        most = pair->overlap.count > most ? pair->overlap.count : most;
        rg_geometry_destroy(g);
        rg_geometry_destroy(cylinder);
    }
    cr_expect_gt(most, 5);
    free(pair);
}

/* Two caps, upright and tilted against each other, of all sizes. */
Test(outline_disc, on_discs)
{
    Draw d = draw_seed(2);
    OutlinePair *pair = malloc(sizeof *pair);
    for (int k = 0; k < 600; k++) {
        RgGeometry *low = make_shape(RG_SHAPE_cylinder, draw_between(&d, 0.3, 1.0), 1.0, 0.0);
        RgGeometry *high = make_shape(RG_SHAPE_cylinder, draw_between(&d, 0.3, 1.0), 1.0, 0.0);
        RgPose X = draw_slide(&d, 0.9), Y = draw_slide(&d, 0.9);
        double tilt = k % 3 == 0 ? 0.0 : 0.02;
        X.R = mat_mul(X.R, turn_about(0, draw_between(&d, -tilt, tilt)));
        Y.R = mat_mul(Y.R, turn_about(1, draw_between(&d, -tilt, tilt)));
        RgPlaced a = placed(low, X), b = placed(high, Y);
        overlap_along(&a, &b, vec(0.0, 0.0, 1.0), 0.05, pair);
        cr_assert(pair->a.kind == RG_OUTLINE_DISC && pair->b.kind == RG_OUTLINE_DISC);
        check_overlap(pair);
        cr_expect_leq(pair->overlap.count, 6);
        rg_geometry_destroy(low);
        rg_geometry_destroy(high);
    }
    free(pair);
}

/* The three points on a plane stand still while the cylinder is upright; tilted, one is the lowest of the
   rim, and each keeps its slot while the tilt turns by less than 60 degrees from its place. */
Test(outline_disc, three_points_follow_the_tilt)
{
    RgGeometry *g = make_shape(RG_SHAPE_cylinder, 0.5, 1.0, 0.0), *ground = make_shape(RG_SHAPE_halfspace, 0, 0, 0);
    RgPlaced a = placed_at(ground, 0.0, 0.0, 0.0);
    OutlinePair *pair = malloc(sizeof *pair);
    for (int k = 0; k < 36; k++) {
        double round = PI * k / 18.0, tilt = 0.01;
        RgPose X = {mat_turn(vec(-sin(round), cos(round), 0.0), tilt), {0.0, 0.0, 0.5}};
        RgPlaced b = placed(g, X);
        overlap_along(&a, &b, vec(0.0, 0.0, 1.0), 0.02, pair);
        cr_assert_eq(pair->overlap.count, 3);
        double least = INFINITY, sum = 0.0;
        for (int i = 0; i < 3; i++) {
            const RgOverlapPoint *p = &pair->overlap.point[i];
            least = fmin(least, p->h[1] - p->h[0]);
            sum += p->h[1] - p->h[0];
            RgVec3 x = place_point(place_inverse(X), rg_contact_frame_point(&pair->frame, p->u, p->v, p->h[1]));
            double fixed = 2.0 * PI * (p->slot[1] - 1) / 3.0;
            cr_expect_geq(x.x * cos(fixed) + x.y * sin(fixed), 0.5 * 0.5 - 1e-9);
            CHECK_NEAR(hypot(x.x, x.y), 0.5, 1e-14, "m");
        }
        CHECK_NEAR(least, 0.5 - 0.5 * cos(tilt) - 0.5 * sin(tilt), 1e-14, "m");
        CHECK_NEAR(sum / 3.0, 0.5 - 0.5 * cos(tilt), 1e-14, "m");
    }
    rg_geometry_destroy(g);
    rg_geometry_destroy(ground);
    free(pair);
}

/* A rod on a cap: the part of it over the disc. */
Test(outline_disc, with_segments_and_points)
{
    RgGeometry *cylinder = make_shape(RG_SHAPE_cylinder, 0.5, 1.0, 0.0);
    RgGeometry *rod = make_shape(RG_SHAPE_capsule, 0.1, 2.0, 0.0), *ball = make_shape(RG_SHAPE_sphere, 0.1, 0, 0);
    OutlinePair *pair = malloc(sizeof *pair);
    RgPlaced b = placed_at(cylinder, 0.0, 0.0, 0.5);
    for (int k = 0; k < 6; k++) {
        double off = 0.1 * k, half = sqrt(fmax(0.0, 0.25 - off * off));
        RgPlaced a = placed(rod, (RgPose){turn_about(1, 0.5 * PI), {0.8, off, -0.1}});
        overlap_along(&a, &b, vec(0.0, 0.0, 1.0), 0.02, pair);
        if (k == 5) {
            cr_expect_leq(pair->overlap.count, 2);
            continue;
        }
        cr_assert_eq(pair->overlap.count, 2);
        double ends[2] = {fmax(-0.2, -half), half}, found[2] = {INFINITY, -INFINITY};
        for (int i = 0; i < 2; i++) {
            const RgOverlapPoint *p = &pair->overlap.point[i];
            double x = rg_contact_frame_point(&pair->frame, p->u, p->v, 0.0).x;
            found[0] = fmin(found[0], x);
            found[1] = fmax(found[1], x);
        }
        CHECK_NEAR_ALL(found, ends, 2, 1e-14, "m");
        RgPlaced c = placed_at(ball, off, 0.0, -0.1);
        overlap_along(&c, &b, vec(0.0, 0.0, 1.0), 0.02, pair);
        cr_expect_eq(pair->overlap.count, 1);
    }
    RgPlaced c = placed_at(ball, 0.51, 0.0, -0.1);
    overlap_along(&c, &b, vec(0.0, 0.0, 1.0), 0.02, pair);
    cr_expect_eq(pair->overlap.count, 0);
    rg_geometry_destroy(cylinder);
    rg_geometry_destroy(rod);
    rg_geometry_destroy(ball);
    free(pair);
}

/* The same three points, whether the cylinder is called A or B. */
Test(outline_disc, slots_belong_to_the_cylinder)
{
    RgGeometry *g = make_shape(RG_SHAPE_cylinder, 0.5, 1.0, 0.0), *ground = make_shape(RG_SHAPE_halfspace, 0, 0, 0);
    RgPlaced floor = placed_at(ground, 0.0, 0.0, 0.0), cylinder = placed_at(g, 0.3, 0.2, 0.5);
    OutlinePair *up = malloc(sizeof *up), *down = malloc(sizeof *down);
    overlap_along(&floor, &cylinder, vec(0.0, 0.0, 1.0), 0.02, up);
    overlap_along(&cylinder, &floor, vec(0.0, 0.0, -1.0), 0.02, down);
    cr_assert(up->overlap.count == 3 && down->overlap.count == 3);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const RgOverlapPoint *p = &up->overlap.point[i], *q = &down->overlap.point[j];
            double apart = vec_distance(rg_contact_frame_point(&up->frame, p->u, p->v, p->h[1]),
                                        rg_contact_frame_point(&down->frame, q->u, q->v, q->h[0]));
            cr_expect_eq(p->slot[1] == q->slot[0], apart < 1e-14);
        }
    rg_geometry_destroy(g);
    rg_geometry_destroy(ground);
    free(up);
    free(down);
}
