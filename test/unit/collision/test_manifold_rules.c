/* test_manifold_rules.c - swapped arguments, ids from step to step, options, buffers, parts, errors. */
#include "manifold_fixture.h"

#include <string.h>

static RgGeometry *shapes[7];

static void make_shapes(void)
{
    const double stone[] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0, 0.3, 0.2, 0.9, -0.2, 0.1, -0.8, 0.4, -0.4, 0.8};
    shapes[0] = make_shape(RG_SHAPE_box, 1.0, 0.8, 0.6);
    shapes[1] = make_shape(RG_SHAPE_sphere, 0.4, 0, 0);
    shapes[2] = make_shape(RG_SHAPE_capsule, 0.2, 0.7, 0);
    shapes[3] = make_shape(RG_SHAPE_cylinder, 0.4, 0.7, 0);
    shapes[4] = make_shape(RG_SHAPE_ellipsoid, 0.3, 0.5, 0.7);
    shapes[5] = make_polytope(stone, 7);
    shapes[6] = make_shape(RG_SHAPE_halfspace, 0, 0, 0);
}

static void destroy_shapes(void)
{
    for (int i = 0; i < 7; i++)
        rg_geometry_destroy(shapes[i]);
}

/* Two shapes in touch, aligned more often than not. */
static void draw_touching(Draw *d, int i, int j, RgPlaced *a, RgPlaced *b)
{
    RgDistance at;
    RgPose X = draw_pose(d, 0.5), Y = draw_pose(d, 0.5);
    if (draw_chance(d, 0.6)) {
        X.R = turn_about(draw_below(d, 3), 0.25 * PI * draw_below(d, 8));
        Y.R = turn_about(draw_below(d, 3), 0.25 * PI * draw_below(d, 8));
    }
    *a = placed(shapes[i], X);
    *b = placed(shapes[j], Y);
    cr_assert_eq(rg_distance(a, b, NULL, &at), RG_OK);
    double gap = draw_between(d, -1e-3, 1e-3);
    a->X_WG.p = vec_sub(a->X_WG.p, vec_scale(gap - at.distance, at.normal));
}

static bool same_bits(RgVec3 a, RgVec3 b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* a and b exchanged, everything else the same bits; ids too, but for two of the same geometry. */
Test(manifold_rules, swapped_arguments)
{
    make_shapes();
    Draw d = draw_seed(1);
    Contacts *c = malloc(2 * sizeof *c);
    int points = 0;
    for (int k = 0; k < 2000; k++) {
        static const int flat[3] = {0, 3, 6};
        int i = k % 2 ? flat[draw_below(&d, 3)] : draw_below(&d, 7);
        int j = k % 2 ? flat[draw_below(&d, 2)] : draw_below(&d, 6);
        RgPlaced a, b;
        draw_touching(&d, i, j, &a, &b);
        collide(&a, &b, &c[0]);
        collide(&b, &a, &c[1]);
        cr_assert_eq(c[0].buffer.npoints, c[1].buffer.npoints);
        cr_expect_eq(c[0].buffer.nmanifolds, 1);
        points += c[0].buffer.npoints;
        cr_expect(same_bits(c[0].manifold[0].normal, vec_scale(-1.0, c[1].manifold[0].normal)));
        cr_expect_eq(c[0].manifold[0].touch, c[1].manifold[0].touch);
        for (int32_t p = 0; p < c[0].buffer.npoints; p++) {
            const RgContactPoint *x = &c[0].point[p], *y = &c[1].point[p];
            cr_expect(same_bits(x->point_a, y->point_b) && same_bits(x->point_b, y->point_a));
            cr_expect(x->gap == y->gap && (x->id == y->id || a.geometry == b.geometry));
            cr_expect(x->feature_a.kind == y->feature_b.kind && x->feature_a.index == y->feature_b.index);
        }
    }
    cr_expect_gt(points, 2600, "%d", points);
    free(c);
    destroy_shapes();
}

/* Of the points of c, how many have an id that e has at the same place, to within a way. */
static int known_points(const Contacts *c, const Contacts *e, double way)
{
    int known = 0;
    for (int32_t i = 0; i < c->buffer.npoints; i++)
        for (int32_t j = 0; j < e->buffer.npoints; j++)
            known += c->point[i].id == e->point[j].id && vec_distance(c->point[i].point_a, e->point[j].point_a) <= way;
    return known;
}

/* A small motion that leaves the same features in touch leaves the ids; also where it changes the order in
   which the query takes two equal shapes. */
Test(manifold_rules, ids_last)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0), *can = make_shape(RG_SHAPE_cylinder, 0.4, 1.0, 0.0);
    Contacts *c = malloc(2 * sizeof *c);
    for (int k = 0; k < 40; k++) {
        const RgGeometry *top = k % 2 == 0 ? box : can;
        double turn = 0.3 + 0.001 * k;
        RgPlaced a = placed_at(box, 0.0799, 0.0, 0.0);
        RgPlaced b = placed(top, (RgPose){turn_about(2, turn), {0.08, 0.15, 1.0 - 1e-4 * (k % 5)}});
        collide(&a, &b, &c[0]);
        a.X_WG.p.x = 0.0801; /* past B in the order by place */
        b.X_WG.R = turn_about(2, turn + 0.002);
        b.X_WG.p.z += 3e-5;
        collide(&a, &b, &c[1]);
        cr_assert_eq(c[0].buffer.npoints, c[1].buffer.npoints);
        cr_expect_eq(known_points(&c[0], &c[1], 0.2), c[0].buffer.npoints, "step %d", k);
    }
    free(c);
    rg_geometry_destroy(box);
    rg_geometry_destroy(can);
}

/* Equal boxes top to top: corner i of one in the other's face, and the other way round, have ids of their
   own. */
Test(manifold_rules, ids_of_mirrored_features_differ)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    Contacts *c = malloc(sizeof *c);
    RgPlaced a = placed_at(box, 0.0, 0.0, 0.0);
    RgMat3 over = mat_mul(turn_about(2, 0.5 * PI), turn_about(0, PI)); /* corner 7 over corner 7 */
    int mirrored = 0;
    for (int k = 0; k < 20; k++) {
        RgPlaced b = placed(box, (RgPose){over, {0.3, 0.3, 1.0 + 1e-4 * (k % 3 - 1)}});
        b.X_WG.R = mat_mul(turn_about(2, PI + 0.01 * k), b.X_WG.R);
        collide(&a, &b, c); /* check_contacts looks at the ids */
        cr_expect_geq(c->buffer.npoints, 4);
        for (int32_t i = 0; i < c->buffer.npoints; i++)
            for (int32_t j = 0; j < i; j++) {
                const RgContactPoint *p = &c->point[i], *q = &c->point[j];
                mirrored += p->feature_a.kind == q->feature_b.kind && p->feature_a.index == q->feature_b.index &&
                            p->feature_b.kind == q->feature_a.kind && p->feature_b.index == q->feature_a.index;
            }
    }
    cr_expect_gt(mirrored, 10, "%d", mirrored);
    free(c);
    rg_geometry_destroy(box);
}

/* No point beyond the margin; nothing at all beyond it. */
Test(manifold_rules, margin)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    Contacts *c = malloc(sizeof *c);
    RgManifoldOptions options = rg_manifold_options_default();
    RgPlaced a = placed_at(box, 0, 0, 0);
    for (int k = 0; k < 20; k++) {
        options.margin = 1e-4 * k;
        RgPlaced b = placed(box, (RgPose){turn_about(1, 0.0015), {0.0, 0.0, 1.0 + 0.0015 / 2 + 5e-5}});
        collide_with(&a, &b, &options, c);
        check_contacts(c);
        for (int32_t i = 0; i < c->buffer.npoints; i++)
            cr_expect_leq(c->point[i].gap, options.margin);
        cr_expect_eq(c->buffer.npoints, k < 1 ? 0 : k < 16 ? 2 : 4, "margin %g: %d", options.margin, c->buffer.npoints);
    }
    free(c);
    rg_geometry_destroy(box);
}

/* What does not fit is left out, the most important points last; buffers are appended to. */
Test(manifold_rules, buffers)
{
    RgGeometry *prism = make_prism(24, 0.5, 0.2);
    Contacts *c = malloc(sizeof *c);
    RgPlaced a = placed_at(prism, 0, 0, 0), b = placed_at(prism, 0.05, 0.02, 0.2 - 1e-4);
    collide(&a, &b, c);
    int32_t all = c->buffer.npoints;
    double area = manifold_area(c, only_manifold(c));
    cr_assert_gt(all, 20);
    cr_expect(!c->buffer.overflow);
    cr_expect_eq(rg_manifold(&a, &b, NULL, NULL, &c->buffer), RG_OK);
    cr_expect(c->buffer.npoints == 2 * all && c->buffer.nmanifolds == 2 && c->manifold[1].first == all);

    for (int room = 0; room < 8; room++) {
        c->buffer = (RgContactBuffer){c->point, c->manifold, room, CONTACT_MANIFOLDS, 0, 0, false, false};
        cr_expect_eq(rg_manifold(&a, &b, NULL, NULL, &c->buffer), RG_OK);
        cr_expect(c->buffer.overflow && c->buffer.npoints == room && c->buffer.nmanifolds == (room > 0));
        if (room >= 4)
            cr_expect_geq(manifold_area(c, &c->manifold[0]), 0.55 * area);
    }
    c->buffer = (RgContactBuffer){c->point, c->manifold, CONTACT_POINTS, 0, 0, 0, false, false};
    cr_expect_eq(rg_manifold(&a, &b, NULL, NULL, &c->buffer), RG_OK);
    cr_expect(c->buffer.overflow && c->buffer.npoints == 0);

    RgManifoldOptions options = rg_manifold_options_default();
    options.max_points = 4;
    collide_with(&a, &b, &options, c);
    check_contacts(c);
    cr_expect(only_manifold(c)->count == 4 && !c->buffer.overflow, "reduction was asked for");
    cr_expect_geq(manifold_area(c, only_manifold(c)), 0.6 * area);
    free(c);
    rg_geometry_destroy(prism);
}

/* Two boxes as one mesh of two parts: a manifold a part, with ids that differ between them. */
Test(manifold_rules, parts)
{
    double xyz[3 * 16];
    int32_t faces[3 * 24];
    static const int32_t quad[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                        {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    const int32_t start[3] = {0, 12, 24};
    for (int p = 0; p < 2; p++) {
        for (int i = 0; i < 8; i++) {
            xyz[3 * (8 * p + i)] = (i & 1) + (p == 0 ? -2.0 : 1.0);
            xyz[3 * (8 * p + i) + 1] = (i >> 1 & 1) - 0.5;
            xyz[3 * (8 * p + i) + 2] = i >> 2 & 1;
        }
        for (int f = 0; f < 36; f++)
            faces[36 * p + f] = quad[f / 3][f % 3] + 8 * p;
    }
    RgShapeDef def = shape_sized(RG_SHAPE_mesh, 1.0, 1.0, 1.0);
    def.mesh = (RgMeshData){xyz, faces, 16, 24, start, 2};
    def.mesh_use = RG_MESH_PARTS;
    RgGeometry *legs = make_geometry(&def), *ground = make_shape(RG_SHAPE_halfspace, 0, 0, 0);
    RgGeometry *plank = make_shape(RG_SHAPE_box, 6.0, 1.0, 0.1);
    Contacts *c = malloc(sizeof *c);
    RgPlaced a = placed_at(legs, 0, 0, 0);
    RgPlaced b[2] = {placed_at(ground, 0, 0, 1e-4), placed_at(plank, 0, 0, 1.0499)};
    for (int k = 0; k < 2; k++) {
        collide(&a, &b[k], c);
        cr_assert_eq(c->buffer.nmanifolds, 2);
        cr_expect(c->manifold[0].part_a == 0 && c->manifold[1].part_a == 1);
        cr_expect(c->manifold[0].count == 4 && c->manifold[1].count == 4);
        for (int32_t i = 0; i < 8; i++)
            for (int32_t j = 0; j < i; j++)
                cr_expect_neq(c->point[i].id, c->point[j].id);
    }
    free(c);
    rg_geometry_destroy(legs);
    rg_geometry_destroy(ground);
    rg_geometry_destroy(plank);
}

/* A cache changes nothing but the time. */
Test(manifold_rules, cache)
{
    make_shapes();
    Draw d = draw_seed(7);
    Contacts *c = malloc(2 * sizeof *c);
    for (int k = 0; k < 300; k++) {
        RgPlaced a, b;
        draw_touching(&d, draw_below(&d, 6), draw_below(&d, 6), &a, &b);
        RgPairCache cache = {0};
        collide(&a, &b, &c[0]);
        for (int t = 0; t < 2; t++) {
            c[1].buffer =
                (RgContactBuffer){c[1].point, c[1].manifold, CONTACT_POINTS, CONTACT_MANIFOLDS, 0, 0, false, false};
            c[1].status = rg_manifold(&a, &b, NULL, &cache, &c[1].buffer);
            check_contacts(&c[1]);
            CHECK_NEAR(c[1].manifold[0].distance, c[0].manifold[0].distance, 1e-9, "m");
        }
    }
    free(c);
    destroy_shapes();
}

/* Shapes without extent: plates, segments, points; as they are, and turned by a right angle. */
Test(manifold_rules, zero_sizes)
{
    static const struct {
        RgShapeType type;
        double size[3];
        int points[2];
    } cases[] = {{RG_SHAPE_box, {0.5, 0.4, 0.0}, {4, 2}},     {RG_SHAPE_box, {0.5, 0.0, 0.0}, {2, 1}},
                 {RG_SHAPE_box, {0.0, 0.0, 0.0}, {1, 1}},     {RG_SHAPE_box, {0.5, 0.0, 0.3}, {2, 2}},
                 {RG_SHAPE_sphere, {0.0, 0.0, 0.0}, {1, 1}},  {RG_SHAPE_capsule, {0.0, 0.5, 0.0}, {1, 2}},
                 {RG_SHAPE_capsule, {0.1, 0.0, 0.0}, {1, 1}}, {RG_SHAPE_cylinder, {0.3, 0.0, 0.0}, {3, 1}},
                 {RG_SHAPE_cylinder, {0.0, 0.5, 0.0}, {1, 2}}};
    RgGeometry *box = make_shape(RG_SHAPE_box, 1, 1, 1), *ground = make_shape(RG_SHAPE_halfspace, 0, 0, 0);
    Contacts *c = malloc(sizeof *c);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int t = 0; t < 4; t++) {
            RgGeometry *g = make_shape(cases[i].type, cases[i].size[0], cases[i].size[1], cases[i].size[2]);
            RgPlaced a = t < 2 ? placed_at(box, 0, 0, -0.5) : placed_at(ground, 0, 0, 0);
            RgPlaced b = placed(g, (RgPose){turn_about(1, (t % 2) * 0.5 * PI), {0.1, 0.05, 0}});
            RgVec3 low = rg_geometry_info(g).low, high = rg_geometry_info(g).high;
            b.X_WG.p.z = 1e-4 + (t % 2 == 0 ? -low.z : high.x);
            collide(&a, &b, c);
            cr_assert_eq(c->buffer.nmanifolds, 1);
            CHECK_NEAR(c->manifold[0].distance, 1e-4, 1e-12, "m");
            cr_expect_eq(c->buffer.npoints, cases[i].points[t % 2], "case %zu, %d: %d points", i, t, c->buffer.npoints);
            rg_geometry_destroy(g);
        }
    rg_geometry_destroy(box);
    rg_geometry_destroy(ground);
    free(c);
}

Test(manifold_rules, refusals)
{
    make_shapes();
    Contacts *c = malloc(sizeof *c);
    RgPlaced a = placed_at(shapes[0], 0, 0, 0), b = placed_at(shapes[0], 0, 0, 0.6),
             ground = placed_at(shapes[6], 0, 0, 0);
    RgManifoldOptions options = rg_manifold_options_default();
    collide_with(&ground, &ground, NULL, c);
    cr_expect_eq(c->status, RG_ERR_UNSUPPORTED);
    b.X_WG.p.x = NAN;
    collide_with(&a, &b, NULL, c);
    cr_expect_eq(c->status, RG_ERR_NOT_FINITE);
    b.X_WG.p.x = 0.0;
    RgManifoldOptions bad[5] = {options, options, options, options, {0}};
    bad[0].slope = -0.1;
    bad[1].slope = NAN;
    bad[2].margin = INFINITY;
    bad[3].max_points = -1;
    for (int i = 0; i < 5; i++) {
        collide_with(&a, &b, &bad[i], c);
        cr_expect_eq(c->status, RG_ERR_ARGUMENT);
        cr_expect_eq(c->buffer.npoints, 0);
    }
    cr_expect_eq(rg_manifold(&a, &b, NULL, NULL, NULL), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_manifold(&a, NULL, NULL, NULL, &c->buffer), RG_ERR_ARGUMENT);
    free(c);
    destroy_shapes();
}
