/*
 * test_touch.c - every way to touch, built so that its name is known, with all the normals that would do.
 *
 * All cases touch at the origin; A is below, B above. In the degenerate ones n is not one direction: each
 * case names several of those that the shapes allow, and all must give the same answer.
 */
#include "collision/contact_region.h"

#include "manifold_fixture.h"

#define NORMALS 4

typedef struct Case {
    const char *what;
    RgTouch touch;
    RgTouch apart; /* with a gap */
    RgPlaced a, b;
    int count;
    RgVec3 normal[NORMALS];
} Case;

static RgVec3 leaning(double about_x, double about_y)
{
    return mat_apply(mat_mul(turn_about(0, about_x), turn_about(1, about_y)), vec(0.0, 0.0, 1.0));
}

/* A unit box below (side -1) or above (+1) the origin: flat, on an edge along x or y, on a corner. */
typedef enum Stand { FLAT, EDGE_X, EDGE_Y, CORNER } Stand;

static RgPose stand(Stand how, double side)
{
    RgPose X = place_at(0.0, 0.0, 0.5 * side);
    if (how == EDGE_X || how == EDGE_Y)
        X = (RgPose){turn_about(how == EDGE_X ? 0 : 1, 0.25 * PI), {0.0, 0.0, sqrt(0.5) * side}};
    if (how == CORNER)
        X = (RgPose){mat_mul(turn_about(1, atan(sqrt(0.5))), turn_about(0, 0.25 * PI)), {0.0, 0.0, sqrt(0.75) * side}};
    return X;
}

static RgPlaced shifted(const RgGeometry *g, Stand how, double side, double x, double y)
{
    RgPose X = stand(how, side);
    X.p = vec_add(X.p, vec(x, y, 0.0));
    return placed(g, X);
}

static RgTouch touch_of(const Case *c, RgVec3 n, double distance, double slope)
{
    RgRegion *region = malloc(sizeof *region);
    RgManifoldOptions options = rg_manifold_options_default();
    options.slope = slope;
    RgPose X_AB = place_mul(place_inverse(c->a.X_WG), c->b.X_WG);
    RgConvexPair pair = {&c->a.geometry->parts[0], &c->b.geometry->parts[0], X_AB};
    RgVec3 x = place_point(place_inverse(c->a.X_WG), vec(0.0, 0.0, 0.0));
    RgDistance at = {.normal = mat_apply(mat_transpose(c->a.X_WG.R), n), .point_a = x, .distance = distance};
    at.point_b = vec_add(x, vec_scale(distance, at.normal));
    pair.X_AB.p = vec_add(pair.X_AB.p, vec_scale(distance, at.normal));
    rg_region_make(&pair, &at, &(RgRegionRules){.options = &options}, region);
    RgTouch touch = region->touch;
    free(region);
    return touch;
}

static void check_case(const Case *c)
{
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < 2; k++) {
            double slope = k == 0 ? 1e-7 : 0.02;
            RgTouch touch = touch_of(c, c->normal[i], 0.0, slope);
            cr_expect_eq(touch, c->touch, "%s, normal %d: %s, not %s", c->what, i, rg_touch_name(touch),
                         rg_touch_name(c->touch));
        }
    RgTouch apart = touch_of(c, c->normal[0], 1e-4, 0.02);
    cr_expect_eq(apart, c->apart, "%s apart: %s, not %s", c->what, rg_touch_name(apart), rg_touch_name(c->apart));
}

Test(touch, boxes_with_one_normal)
{
    const RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    const RgVec3 up = vec(0.0, 0.0, 1.0);
    const Case cases[] = {
        {"face on face",
         RG_TOUCH_face_face,
         RG_TOUCH_face_face,
         shifted(box, FLAT, -1, 0, 0),
         shifted(box, FLAT, 1, 0.3, 0.2),
         1,
         {up}},
        {"edge on face",
         RG_TOUCH_edge_face,
         RG_TOUCH_edge_face,
         shifted(box, FLAT, -1, 0, 0),
         shifted(box, EDGE_Y, 1, 0, 0.2),
         1,
         {up}},
        {"corner on face",
         RG_TOUCH_vertex_face,
         RG_TOUCH_vertex_face,
         shifted(box, FLAT, -1, 0, 0),
         shifted(box, CORNER, 1, 0, 0),
         1,
         {up}},
        {"face on corner",
         RG_TOUCH_vertex_face,
         RG_TOUCH_vertex_face,
         shifted(box, CORNER, -1, 0, 0),
         shifted(box, FLAT, 1, 0, 0),
         1,
         {up}},
        {"crossing edges",
         RG_TOUCH_edge_edge,
         RG_TOUCH_edge_edge,
         shifted(box, EDGE_X, -1, 0.2, 0),
         shifted(box, EDGE_Y, 1, 0, 0.2),
         1,
         {up}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_case(&cases[i]);
    rg_geometry_destroy((RgGeometry *)box);
}

Test(touch, boxes_with_many_normals)
{
    const RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    const RgVec3 up = vec(0.0, 0.0, 1.0);
    const Case cases[] = {
        {"corner on corner",
         RG_TOUCH_vertex_vertex,
         RG_TOUCH_none,
         shifted(box, CORNER, -1, 0, 0),
         shifted(box, CORNER, 1, 0, 0),
         4,
         {up, leaning(0.3, 0), leaning(0, -0.3), leaning(0.2, 0.3)}},
        {"corner on edge",
         RG_TOUCH_vertex_edge,
         RG_TOUCH_none,
         shifted(box, EDGE_X, -1, 0.1, 0),
         shifted(box, CORNER, 1, 0, 0),
         3,
         {up, leaning(0.2, 0), leaning(-0.3, 0)}},
        {"edge along edge",
         RG_TOUCH_parallel_edges,
         RG_TOUCH_none,
         shifted(box, EDGE_X, -1, 0.3, 0),
         shifted(box, EDGE_X, 1, 0, 0),
         4,
         {up, leaning(0.5, 0), leaning(-0.5, 0), leaning(0.25 * PI, 0)}},
        {"borders of faces",
         RG_TOUCH_parallel_edges,
         RG_TOUCH_face_face,
         shifted(box, FLAT, -1, -0.5, 0),
         shifted(box, FLAT, 1, 0.5, 0.3),
         3,
         {up, vec(1, 0, 0), leaning(0, 0.7)}},
        {"border of a face on an edge",
         RG_TOUCH_parallel_edges,
         RG_TOUCH_edge_face,
         shifted(box, FLAT, -1, 0, -0.5),
         shifted(box, EDGE_X, 1, 0.3, 0),
         3,
         {up, leaning(-0.3, 0), leaning(-0.7, 0)}},
        {"aligned corners",
         RG_TOUCH_vertex_vertex,
         RG_TOUCH_face_face,
         shifted(box, FLAT, -1, -0.5, -0.5),
         shifted(box, FLAT, 1, 0.5, 0.5),
         3,
         {up, vec(1, 0, 0), vec(sqrt(1 / 3.), sqrt(1 / 3.), sqrt(1 / 3.))}},
        {"end of an edge on an edge",
         RG_TOUCH_vertex_edge,
         RG_TOUCH_edge_edge,
         shifted(box, EDGE_X, -1, 0.2, 0),
         shifted(box, EDGE_Y, 1, 0, 0.5),
         3,
         {up, leaning(-0.3, 0), leaning(-0.6, 0)}},
        {"end of an edge on an end",
         RG_TOUCH_vertex_vertex,
         RG_TOUCH_edge_edge,
         shifted(box, EDGE_X, -1, -0.5, 0),
         shifted(box, EDGE_Y, 1, 0, 0.5),
         1,
         {up}},
        {"edges end to end",
         RG_TOUCH_vertex_vertex,
         RG_TOUCH_none,
         shifted(box, EDGE_X, -1, -0.5, 0),
         shifted(box, EDGE_X, 1, 0.5, 0),
         2,
         {up, leaning(0.4, 0)}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_case(&cases[i]);
    rg_geometry_destroy((RgGeometry *)box);
}

/* A corner of one face on the side of the other, both in one plane; and the same corner tilted. */
Test(touch, faces_that_meet_in_a_point)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    RgPose X = {turn_about(2, 0.25 * PI), {sqrt(0.5), 0.0, 0.5}};
    Case c = {"corner of a face on a side",
              RG_TOUCH_coplanar_edges,
              RG_TOUCH_face_face,
              placed_at(box, -0.5, 0.0, -0.5),
              placed(box, X),
              3,
              {vec(0.0, 0.0, 1.0), leaning(0.0, 0.5), leaning(0.0, 1.2)}};
    check_case(&c);
    RgPose tilt = {turn_about(1, -0.1), {0.0, 0.0, 0.0}};
    c.b.X_WG = place_mul(tilt, X);
    c.touch = RG_TOUCH_vertex_edge;
    c.apart = RG_TOUCH_vertex_face;
    check_case(&c);
    rg_geometry_destroy(box);
}

Test(touch, round_shapes)
{
    const RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    const RgGeometry *ball = make_shape(RG_SHAPE_sphere, 0.5, 0, 0), *rod = make_shape(RG_SHAPE_capsule, 0.2, 1, 0);
    const RgGeometry *egg = make_shape(RG_SHAPE_ellipsoid, 0.3, 0.5, 0.7);
    const RgGeometry *can = make_shape(RG_SHAPE_cylinder, 0.5, 1, 0), *ground = make_shape(RG_SHAPE_halfspace, 0, 0, 0);
    const RgPlaced flat = shifted(box, FLAT, -1, 0, 0), floor = placed_at(ground, 0, 0, 0);
    const RgVec3 up = vec(0.0, 0.0, 1.0);
    const RgTouch curved = RG_TOUCH_curved, faces = RG_TOUCH_face_face;
    RgPose tilted = {turn_about(1, 0.3), {0.0, 0.0, 0.0}};
    tilted.p = vec_scale(-1.0, mat_apply(tilted.R, vec(0.5, 0.0, -0.5))); /* lowest at the rim's x */
    const Case cases[] = {
        {"ball on face", curved, curved, flat, placed_at(ball, 0, 0, 0.5), 1, {up}},
        {"ball on corner", curved, curved, shifted(box, CORNER, -1, 0, 0), placed_at(ball, 0, 0, 0.5), 1, {up}},
        {"egg on face", curved, curved, flat, placed_at(egg, 0, 0, 0.7), 1, {up}},
        {"rod on face", curved, curved, flat, placed(rod, (RgPose){turn_about(0, 0.5 * PI), {0, 0, 0.2}}), 1, {up}},
        {"can lying", curved, curved, flat, placed(can, (RgPose){turn_about(0, 0.5 * PI), {0, 0, 0.5}}), 1, {up}},
        {"can standing", faces, faces, flat, placed_at(can, 0.2, 0, 0.5), 1, {up}},
        {"can on the ground", faces, faces, floor, placed_at(can, 0.2, 0, 0.5), 1, {up}},
        {"box on the ground", faces, faces, floor, placed_at(box, 0.2, 0, 0.5), 1, {up}},
        {"cap on corner",
         RG_TOUCH_vertex_face,
         RG_TOUCH_vertex_face,
         shifted(box, CORNER, -1, 0, 0),
         placed_at(can, 0.2, 0, 0.5),
         1,
         {up}},
        {"rim on the ground", curved, curved, floor, placed(can, tilted), 1, {up}},
        {"rim on edge", curved, curved, shifted(box, EDGE_X, -1, 0, 0), placed(can, tilted), 1, {up}},
        {"rim along edge",
         RG_TOUCH_parallel_edges,
         RG_TOUCH_none,
         shifted(box, EDGE_Y, -1, 0, 0),
         placed(can, tilted),
         3,
         {up, leaning(0, 0.1), leaning(0, -0.2)}},
        {"rim on corner",
         RG_TOUCH_vertex_edge,
         RG_TOUCH_none,
         shifted(box, CORNER, -1, 0, 0),
         placed(can, tilted),
         3,
         {up, leaning(0, 0.1), leaning(0, -0.2)}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_case(&cases[i]);
    const RgGeometry *all[] = {box, ball, rod, egg, can, ground};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        rg_geometry_destroy((RgGeometry *)all[i]);
}

Test(touch, names_and_degenerate_ones)
{
    cr_expect_str_eq(rg_touch_name(RG_TOUCH_none), "none");
    cr_expect_str_eq(rg_touch_name(RG_TOUCH_coplanar_edges), "coplanar_edges");
    cr_expect_str_eq(rg_touch_name(RG_TOUCH_COUNT), "unknown");
    int degenerate = 0;
    for (int i = 0; i < RG_TOUCH_COUNT; i++)
        degenerate += rg_touch_is_degenerate((RgTouch)i);
    cr_expect_eq(degenerate, 4);
    cr_expect(rg_touch_is_degenerate(RG_TOUCH_vertex_edge) && !rg_touch_is_degenerate(RG_TOUCH_edge_edge) &&
              !rg_touch_is_degenerate(RG_TOUCH_COUNT));
}

/* The whole way, in any pose: the normal is whichever the distance found. */
Test(touch, found_by_the_distance)
{
    const RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    static const struct {
        RgTouch touch;
        Stand a, b;
        double x, y;
    } cases[] = {{RG_TOUCH_face_face, FLAT, FLAT, 0.3, 0.2},        {RG_TOUCH_edge_face, FLAT, EDGE_Y, 0.1, 0.2},
                 {RG_TOUCH_vertex_face, FLAT, CORNER, 0.1, 0.2},    {RG_TOUCH_edge_edge, EDGE_X, EDGE_Y, 0.2, -0.3},
                 {RG_TOUCH_vertex_vertex, CORNER, CORNER, 0, 0},    {RG_TOUCH_vertex_edge, EDGE_X, CORNER, 0.2, 0.0},
                 {RG_TOUCH_parallel_edges, EDGE_X, EDGE_X, 0.3, 0}, {RG_TOUCH_parallel_edges, FLAT, FLAT, 1.0, 0.3}};
    Draw d = draw_seed(8);
    Contacts *c = malloc(sizeof *c);
    RgManifoldOptions options = rg_manifold_options_default();
    for (int k = 0; k < 400; k++) {
        size_t i = (size_t)k % (sizeof cases / sizeof cases[0]);
        RgPose X = draw_pose(&d, 1.0);
        RgPlaced a = placed(box, place_mul(X, stand(cases[i].a, -1))),
                 b = shifted(box, cases[i].b, 1, cases[i].x, cases[i].y);
        b.X_WG = place_mul(X, b.X_WG);
        options.slope = k < 200 ? 1e-6 : 0.02;
        collide_with(&a, &b, &options, c);
        RgTouch touch = only_manifold(c)->touch;
        cr_expect_eq(touch, cases[i].touch, "%s, not %s", rg_touch_name(touch), rg_touch_name(cases[i].touch));
    }
    free(c);
    rg_geometry_destroy((RgGeometry *)box);
}
