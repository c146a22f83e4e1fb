/* test_manifold.c - contact manifolds of convex shapes: known ones, areas, gaps, points on both surfaces. */
#include "manifold_fixture.h"

/* Box B on box A (unit cubes): turned by `turn` about z, shifted by x, y, with a gap; all moved by X. */
static void box_on_box(const RgGeometry *box, RgPose X, const double place[3], double gap, Contacts *c)
{
    RgPose Y = {turn_about(2, place[2]), {place[0], place[1], 1.0 + gap}};
    RgPlaced a = placed(box, X), b = placed(box, place_mul(X, Y));
    collide(&a, &b, c);
}

Test(manifold, boxes_have_the_corners_of_their_overlap)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    static const struct {
        double place[3];
        int corners;
        double area;
    } cases[] = {{{0.0, 0.0, 0.0}, 4, 1.0},      {{0.25, 0.0, 0.0}, 4, 0.75},
                 {{0.25, -0.5, 0.0}, 4, 0.375},  {{0.0, 0.0, PI / 4.0}, 8, 0.82842712474619}, /* 2 (sqrt(2) - 1) */
                 {{0.0, 0.0, PI / 2.0}, 4, 1.0}, {{0.5, 0.5, PI / 4.0}, 5, 0.25}};
    Contacts *c = malloc(sizeof *c);
    Draw d = draw_seed(1);
    for (int k = 0; k < 600; k++) {
        int i = k % 6;
        double gap = (k / 6) % 2 == 0 ? draw_between(&d, -1e-2, 1e-3) : pow(10.0, draw_between(&d, -10.0, -3.0));
        RgPose X = draw_pose(&d, 1.0);
        box_on_box(box, X, cases[i].place, gap, c);
        const RgManifold *m = only_manifold(c);
        if (i < 5)
            cr_expect_eq(m->count, cases[i].corners, "case %d, gap %g: %d points", i, gap, m->count);
        if (i < 5)
            CHECK_NEAR(manifold_area(c, m), cases[i].area, 1e-9, "m2");
        CHECK_NEAR(vec_distance(m->normal, mat_apply(X.R, vec(0.0, 0.0, 1.0))), 0.0, 1e-9, "");
        for (int32_t p = 0; p < m->count; p++)
            CHECK_NEAR(c->point[p].gap, gap, gap > 0.0 ? 1e-12 : 1e-9, "m");
    }
    rg_geometry_destroy(box);
    free(c);
}

/* Any turn and shift, against another way to cut polygons. */
Test(manifold, boxes_on_boxes_keep_the_area)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    Contacts *c = malloc(sizeof *c);
    Draw d = draw_seed(2);
    const Flat square[4] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
    for (int k = 0; k < 1000; k++) {
        double place[3] = {draw_between(&d, -0.6, 0.6), draw_between(&d, -0.6, 0.6), draw_between(&d, -PI, PI)};
        Flat turned[4];
        for (int i = 0; i < 4; i++) {
            double x = square[i].x, y = square[i].y, co = cos(place[2]), si = sin(place[2]);
            turned[i] = (Flat){place[0] + co * x - si * y, place[1] + si * x + co * y};
        }
        double area = overlap_area(square, 4, turned, 4);
        if (area < 0.05) /* pushed out sideways rather than upward */
            continue;
        box_on_box(box, draw_pose(&d, 1.0), place, draw_between(&d, -1e-3, 1e-3), c);
        CHECK_NEAR(manifold_area(c, only_manifold(c)), area, 1e-9, "m2");
        cr_expect_eq(only_manifold(c)->touch, RG_TOUCH_face_face);
    }
    rg_geometry_destroy(box);
    free(c);
}

/* Corners of face f of a polytope, in its frame. */
static int face_corners(const RgPolytopeView *p, int32_t f, RgVec3 *out)
{
    int n = p->face_start[f + 1] - p->face_start[f];
    for (int i = 0; i < n; i++)
        out[i] = p->vertices[p->face_vertices[p->face_start[f] + i]];
    return n;
}

/* Frame on face f: z outward, origin in the middle of its corners. */
static RgPose face_frame(const RgPolytopeView *p, int32_t f)
{
    RgVec3 corner[64], n = p->face_normals[f], t = v3_orthogonal(n), middle = vec(0, 0, 0);
    int count = face_corners(p, f, corner);
    for (int i = 0; i < count; i++)
        middle = vec_add(middle, vec_scale(1.0 / count, corner[i]));
    RgVec3 s = vec_cross(n, t);
    return (RgPose){{{{t.x, s.x, n.x}, {t.y, s.y, n.y}, {t.z, s.z, n.z}}}, middle};
}

/* Hull of random points with a few cut off flat: faces with several corners. */
static RgGeometry *draw_stone(Draw *d)
{
    double xyz[3 * 40];
    int n = 8 + draw_below(d, 30);
    double flat = draw_between(d, 0.3, 0.8);
    for (int i = 0; i < n; i++) {
        RgVec3 x = draw_direction(d);
        x.z = fmax(-flat, fmin(flat, x.z));
        xyz[3 * i] = x.x;
        xyz[3 * i + 1] = x.y;
        xyz[3 * i + 2] = x.z;
    }
    return make_polytope(xyz, n);
}

/* Two random polytopes, a face of each on the other: the area by cutting and by sampling. */
Test(manifold, faces_of_random_polytopes)
{
    Contacts *c = malloc(sizeof *c);
    Draw d = draw_seed(3);
    int used = 0;
    RgManifoldOptions options = rg_manifold_options_default();
    options.slope = 1e-6;
    for (int k = 0; k < 300; k++) {
        RgGeometry *ga = draw_stone(&d), *gb = draw_stone(&d);
        RgPolytopeView pa = rg_geometry_polytope(ga, 0), pb = rg_geometry_polytope(gb, 0);
        RgPose Fa = face_frame(&pa, draw_below(&d, pa.nfaces)), Fb;
        int32_t fb = draw_below(&d, pb.nfaces), fa = 0;
        for (int32_t f = 0; f < pa.nfaces; f++)
            fa = vec_distance(face_frame(&pa, f).p, Fa.p) == 0.0 ? f : fa;
        Fb = face_frame(&pb, fb);
        double gap = draw_between(&d, 1e-6, 1e-3);
        RgPose over = {mat_mul(turn_about(0, PI), turn_about(2, draw_between(&d, -PI, PI))), {0.0, 0.0, gap}};
        RgPlaced a = placed(ga, place_inverse(Fa)), b = placed(gb, place_mul(over, place_inverse(Fb)));
        RgVec3 corner[64];
        Flat qa[64], qb[64];
        int na = face_corners(&pa, fa, corner);
        for (int i = 0; i < na; i++)
            qa[i] = (Flat){place_point(a.X_WG, corner[i]).x, place_point(a.X_WG, corner[i]).y};
        int nb = face_corners(&pb, fb, corner);
        for (int i = 0; i < nb; i++) /* seen from below: the other way round */
            qb[nb - 1 - i] = (Flat){place_point(b.X_WG, corner[i]).x, place_point(b.X_WG, corner[i]).y};
        double area = overlap_area(qa, na, qb, nb);
        int in = 0, tries = 4000;
        for (int i = 0; i < tries; i++) {
            Flat x = {draw_between(&d, -1.0, 1.0), draw_between(&d, -1.0, 1.0)};
            in += flat_inside(qa, na, x, 0.0) && flat_inside(qb, nb, x, 0.0);
        }
        CHECK_NEAR(4.0 * in / tries, area, 0.12 * sqrt(fmax(area, 0.01)), "m2");
        if (area > 1e-3) {
            used++;
            collide_with(&a, &b, &options, c);
            check_contacts(c);
            CHECK_NEAR(manifold_area(c, only_manifold(c)), area, 1e-8, "m2");
            for (int32_t i = 0; i < c->buffer.npoints; i++)
                CHECK_NEAR(c->point[i].gap, gap, 1e-9, "m");
        }
        rg_geometry_destroy(ga);
        rg_geometry_destroy(gb);
    }
    cr_expect_gt(used, 150);
    free(c);
}

/* Prisms of n sides in a stack: all corners, up to 128 and the bound beyond. */
Test(manifold, prism_stacks)
{
    static const int sides[] = {3, 5, 12, 128, 256, 300};
    Contacts *c = malloc(sizeof *c);
    RgGeometry *ground = make_shape(RG_SHAPE_halfspace, 0, 0, 0);
    for (size_t k = 0; k < sizeof sides / sizeof sides[0]; k++) {
        int n = sides[k], kept = n < 256 ? n : 256;
        RgGeometry *prism = make_prism(n, 0.5, 0.2);
        RgPlaced floor = placed_at(ground, 0, 0, 0), low = placed_at(prism, 0, 0, 0.1 - 1e-4);
        RgPlaced high = placed_at(prism, 0, 0, 0.3 - 2e-4);
        collide(&floor, &low, c);
        cr_expect_eq(only_manifold(c)->count, kept);
        cr_expect(c->buffer.reduced == (n > 256) && !c->buffer.overflow);
        collide(&low, &high, c);
        cr_expect_eq(only_manifold(c)->count, kept, "%d sides: %d points", n, only_manifold(c)->count);
        double all = 0.125 * n * sin(2.0 * PI / n);
        CHECK_NEAR(manifold_area(c, only_manifold(c)), all, n > 256 ? 1e-3 * all : 1e-9, "m2");
        rg_geometry_destroy(prism);
    }
    rg_geometry_destroy(ground);
    free(c);
}

/* Cylinders and capsules: as few points as keep them from rocking. */
Test(manifold, cylinders_and_capsules_do_not_rock)
{
    RgGeometry *can = make_shape(RG_SHAPE_cylinder, 0.3, 1.0, 0.0), *rod = make_shape(RG_SHAPE_capsule, 0.3, 1, 0);
    RgGeometry *box = make_shape(RG_SHAPE_box, 4.0, 4.0, 1.0), *ground = make_shape(RG_SHAPE_halfspace, 0, 0, 0);
    Contacts *c = malloc(sizeof *c);
    const RgMat3 lying = turn_about(0, 0.5 * PI);
    for (int k = 0; k < 2; k++) {
        RgPlaced floor = k == 0 ? placed_at(ground, 0, 0, 0) : placed_at(box, 0, 0, -0.5);
        for (int s = 0; s < 2; s++) {
            double gap = s == 0 ? 1e-4 : -1e-3;
            RgPlaced standing = placed_at(can, 0.1, 0.2, 0.5 + gap);
            collide(&standing, &floor, c);
            cr_expect_eq(only_manifold(c)->count, 3);
            CHECK_NEAR(manifold_area(c, only_manifold(c)), 0.75 * sqrt(3.0) * 0.09, 1e-9, "m2");
            RgPlaced laid[2] = {placed(can, (RgPose){lying, {0.1, 0.2, 0.3 + gap}}),
                                placed(rod, (RgPose){lying, {0.1, 0.2, 0.3 + gap}})};
            for (int i = 0; i < 2; i++) {
                collide(&laid[i], &floor, c);
                cr_assert_eq(only_manifold(c)->count, 2);
                CHECK_NEAR(vec_distance(c->point[0].point_a, c->point[1].point_a), 1.0, 1e-9, "m");
                CHECK_NEAR(c->point[0].gap, gap, 1e-9, "m");
                CHECK_NEAR(c->point[1].gap, gap, 1e-9, "m");
            }
        }
        RgPlaced tilted = placed(can, (RgPose){turn_about(1, 0.3), {0, 0, 0.3 * sin(0.3) + 0.5 * cos(0.3)}});
        collide(&tilted, &floor, c);
        cr_expect_eq(only_manifold(c)->count, 1);
        cr_expect_eq(c->point[0].feature_a.kind, RG_FEATURE_EDGE);
    }
    rg_geometry_destroy(can);
    rg_geometry_destroy(rod);
    rg_geometry_destroy(box);
    rg_geometry_destroy(ground);
    free(c);
}

/* A capsule on the edge of a box: across it one point, along it two. */
Test(manifold, capsule_on_an_edge)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0), *rod = make_shape(RG_SHAPE_capsule, 0.2, 1.0, 0.0);
    Contacts *c = malloc(sizeof *c);
    RgPlaced a = placed(box, (RgPose){turn_about(1, 0.25 * PI), {0.0, 0.0, -sqrt(0.5)}}); /* edge along y */
    for (int along = 0; along < 2; along++) {
        RgPlaced b = placed(rod, (RgPose){turn_about(along ? 0 : 1, 0.5 * PI), {0.0, 0.3, 0.2 + 1e-5}});
        collide(&a, &b, c);
        cr_assert_eq(only_manifold(c)->count, along ? 2 : 1);
        cr_expect_geq(point_near(c, vec(0.0, along ? 0.5 : 0.3, 0.0), 1e-9), 0);
        if (along)
            cr_expect_geq(point_near(c, vec(0.0, -0.2, 0.0), 1e-9), 0);
        CHECK_NEAR(c->point[0].gap, 1e-5, 1e-12, "m");
    }
    rg_geometry_destroy(box);
    rg_geometry_destroy(rod);
    free(c);
}

/* A shallow pyramid upside down: its point is the deepest, and is there, though the outline is its base. */
Test(manifold, the_deepest_point_is_there)
{
    const double xyz[] = {-1, -1, 0.01, 1, -1, 0.01, 1, 1, 0.01, -1, 1, 0.01, 0, 0, 0, 0, 0, 1};
    RgGeometry *g = make_polytope(xyz, 6), *ground = make_shape(RG_SHAPE_halfspace, 0, 0, 0);
    RgGeometry *box = make_shape(RG_SHAPE_box, 4, 4, 1);
    Contacts *c = malloc(sizeof *c);
    RgManifoldOptions options = rg_manifold_options_default();
    options.margin = 0.02;
    for (int k = 0; k < 2; k++) {
        RgPlaced a = k == 0 ? placed_at(ground, 0, 0, 0) : placed_at(box, 0.2, 0.1, -0.5);
        RgPlaced b = placed_at(g, 0.0, 0.0, 1e-3);
        collide_with(&a, &b, &options, c);
        check_contacts(c);
        cr_expect_eq(only_manifold(c)->count, 5);
        int32_t tip = point_near(c, vec(0.0, 0.0, 0.0), 1e-9);
        cr_assert_geq(tip, 0);
        CHECK_NEAR(c->point[tip].gap, 1e-3, 1e-12, "m");
        RgFeature f = k == 0 ? c->point[tip].feature_b : c->point[tip].feature_b;
        cr_expect_eq(f.kind, RG_FEATURE_VERTEX);
        b.X_WG.p.z = -0.005; /* sunk in: the same points, their gaps shifted */
        collide_with(&a, &b, &options, c);
        cr_expect_eq(only_manifold(c)->count, 5);
        CHECK_NEAR(only_manifold(c)->distance, -0.005, 1e-9, "m");
    }
    rg_geometry_destroy(g);
    rg_geometry_destroy(box);
    rg_geometry_destroy(ground);
    free(c);
}

/* Polytope on a half-space: exactly the vertices within the margin, where all belong to the outline. */
Test(manifold, vertices_within_the_margin)
{
    Draw d = draw_seed(5);
    RgGeometry *ground = make_shape(RG_SHAPE_halfspace, 0, 0, 0);
    Contacts *c = malloc(sizeof *c);
    RgManifoldOptions options = rg_manifold_options_default();
    options.slope = 0.05;
    for (int k = 0; k < 300; k++) {
        RgGeometry *box = make_shape(RG_SHAPE_box, draw_between(&d, 0.1, 1), draw_between(&d, 0.1, 1), 0.5);
        RgPolytopeView p = rg_geometry_polytope(box, 0);
        RgPose X = {mat_mul(turn_about(0, draw_between(&d, -0.03, 0.03)), turn_about(1, draw_between(&d, -0.03, 0.03))),
                    {draw_between(&d, -1, 1), 0.3, 0.0}};
        double least = INFINITY;
        for (int32_t i = 0; i < p.nvertices; i++)
            least = fmin(least, place_point(X, p.vertices[i]).z);
        X.p.z = -least + draw_between(&d, -1e-3, 1e-3);
        options.margin = draw_between(&d, 1e-3, 2e-2);
        RgPlaced a = placed(box, X), b = placed_at(ground, 0, 0, 0);
        collide_with(&a, &b, &options, c);
        check_contacts(c);
        int within = 0;
        for (int32_t i = 0; i < p.nvertices; i++) {
            RgVec3 x = place_point(X, p.vertices[i]);
            bool is = x.z <= options.margin;
            within += is;
            int32_t at = point_near(c, x, 1e-12);
            cr_expect_eq(at >= 0, is);
            if (at >= 0)
                cr_expect(c->point[at].feature_a.kind == RG_FEATURE_VERTEX && c->point[at].feature_a.index == i);
        }
        cr_expect_eq(c->buffer.npoints, within);
        rg_geometry_destroy(box);
    }
    rg_geometry_destroy(ground);
    free(c);
}

/* ------------------------------------------------------------------ all kinds */

static RgGeometry *draw_shape(Draw *d, int kind)
{
    double x = draw_between(d, 0.2, 1.0), y = draw_between(d, 0.2, 1.0), z = draw_between(d, 0.2, 1.0);
    if (kind == 5)
        return draw_stone(d);
    return make_shape(
        (RgShapeType[]){RG_SHAPE_sphere, RG_SHAPE_box, RG_SHAPE_capsule, RG_SHAPE_cylinder, RG_SHAPE_ellipsoid}[kind],
        x, y, z);
}

/* A pose about one of the axes, so that faces, edges and axes often lie flat. */
static RgPose draw_aligned(Draw *d)
{
    RgPose X = draw_pose(d, 0.5);
    if (draw_chance(d, 0.7))
        X.R = mat_mul(turn_about(draw_below(d, 3), 0.5 * PI * draw_below(d, 4)),
                      turn_about(draw_below(d, 3), 0.25 * PI * draw_below(d, 3)));
    return X;
}

/*
 * Every pair of kinds, apart and deep: the least gap is the distance, no gap is less, each point is on the
 * surface of its shape (a ball of radius 0 there is at distance 0).
 */
Test(manifold, all_pairs_of_kinds)
{
    Draw d = draw_seed(6);
    RgGeometry *dot = make_shape(RG_SHAPE_sphere, 0.0, 0.0, 0.0);
    Contacts *c = malloc(sizeof *c);
    double worst = 0.0;
    for (int k = 0; k < 3600; k++) {
        RgGeometry *ga = draw_shape(&d, k % 6), *gb = draw_shape(&d, k / 6 % 6);
        RgPlaced a = placed(ga, draw_aligned(&d)), b = placed(gb, draw_aligned(&d));
        RgDistance at;
        cr_assert_eq(rg_distance(&a, &b, NULL, &at), RG_OK);
        double gap = k % 2 == 0 ? draw_between(&d, 0.0, 1e-3) : draw_between(&d, -0.05, 0.0);
        b.X_WG.p = vec_add(b.X_WG.p, vec_scale(gap - at.distance, at.normal));
        cr_assert_eq(rg_distance(&a, &b, NULL, &at), RG_OK);
        collide(&a, &b, c);
        cr_assert_eq(c->buffer.nmanifolds, 1, "pair %d: distance %g", k, at.distance);
        CHECK_NEAR(c->manifold[0].distance, at.distance, 2e-9, "m");
        for (int32_t i = 0; i < c->buffer.npoints; i++) {
            RgPlaced here = placed(dot, (RgPose){mat_identity(), c->point[i].point_a});
            RgDistance on;
            rg_distance(&here, &a, NULL, &on);
            worst = fmax(worst, fabs(on.distance));
            CHECK_NEAR(on.distance, 0.0, 1e-9, "m");
            here.X_WG.p = c->point[i].point_b;
            rg_distance(&here, &b, NULL, &on);
            worst = fmax(worst, fabs(on.distance));
            CHECK_NEAR(on.distance, 0.0, 1e-9, "m");
        }
        rg_geometry_destroy(ga);
        rg_geometry_destroy(gb);
    }
    cr_log_info("points are on the surfaces to within %.3g m", worst);
    rg_geometry_destroy(dot);
    free(c);
}
