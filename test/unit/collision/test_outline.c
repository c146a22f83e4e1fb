/* test_outline.c - what of a shape lies in the contact plane, and the heights of its surface over it. */
#include "collision/outline.h"

#include "manifold_fixture.h"

/* The shape seen from a frame in which it stands at X, along n. */
static void make(const RgGeometry *g, RgPose X, RgVec3 n, double slope, RgOutline *out)
{
    RgContactFrame frame = rg_contact_frame(vec(0.1, -0.2, 0.3), n);
    rg_outline_make(&g->parts[0], &X, &frame, 1.0, slope, out);
}

/* A corner back in the frame of the question. */
static RgVec3 corner_point(const RgContactFrame *frame, const RgOutlineCorner *c)
{
    return rg_contact_frame_point(frame, c->u, c->v, c->h);
}

/* Box in any pose: along a face's normal its four corners, along an edge's two, else one; B likewise, from
   below. */
Test(outline, box_faces_edges_and_corners)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 0.6, 1.0, 1.4);
    Draw d = draw_seed(1);
    RgOutline o;
    for (int k = 0; k < 500; k++) {
        RgPose X = draw_pose(&d, 2.0);
        RgVec3 local = vec(draw_below(&d, 3) - 1, draw_below(&d, 3) - 1, draw_below(&d, 3) - 1);
        int axes = (local.x != 0.0) + (local.y != 0.0) + (local.z != 0.0);
        if (axes == 0)
            continue;
        double side = draw_chance(&d, 0.5) ? 1.0 : -1.0;
        RgVec3 m = mat_apply(X.R, vec_scale(1.0 / sqrt(axes), local));
        RgContactFrame frame = rg_contact_frame(draw_vec(&d, 1.0), vec_scale(side, m));
        rg_outline_make(&box->parts[0], &X, &frame, side, 1e-6, &o);
        cr_assert_eq(o.count, axes == 1 ? 4 : axes == 2 ? 2 : 1);
        cr_expect_eq(o.flat, axes == 1);
        double area = 0.0;
        for (int32_t i = 0; i < o.count; i++) {
            RgVec3 x = place_point(place_inverse(X),
                                   rg_contact_frame_point(&frame, o.corner[i].u, o.corner[i].v, o.corner[i].h));
            RgVec3 want = box->parts[0].core->vertex[o.corner[i].at.index];
            CHECK_NEAR(vec_distance(x, want), 0.0, 1e-14, "m");
            CHECK_NEAR(vec_dot(local, want), 0.5 * (fabs(local.x) * 0.6 + fabs(local.y) + fabs(local.z) * 1.4), 1e-14,
                       "m");
            const RgOutlineCorner *next = &o.corner[(i + 1) % o.count];
            area += 0.5 * (o.corner[i].u * next->v - o.corner[i].v * next->u);
            cr_expect_eq(o.corner[i].side.kind, axes == 3 ? RG_FEATURE_VERTEX : RG_FEATURE_EDGE);
        }
        if (axes == 1)
            CHECK_NEAR(area, local.x != 0.0 ? 1.4 : local.y != 0.0 ? 0.84 : 0.6, 1e-13, "m2");
    }
    rg_geometry_destroy(box);
}

/* What is short for boxes gives the same bits as the general way for the same corners and faces. */
Test(outline, a_box_is_a_polytope)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 0.6, 1.0, 1.4);
    RgPolytope core = *box->parts[0].core;
    RgShape general = box->parts[0];
    core.is_box = false;
    general.core = &core;
    Draw d = draw_seed(2);
    static RgOutline o, twin;
    for (int k = 0; k < 20000; k++) {
        RgPose X = draw_pose(&d, 2.0);
        RgVec3 local = vec(draw_below(&d, 3) - 1, draw_below(&d, 3) - 1, draw_below(&d, 3) - 1);
        if (vec_dot(local, local) == 0.0)
            local = vec(0.0, 0.0, 1.0);
        RgVec3 near = vec_add(local, draw_vec(&d, draw_chance(&d, 0.3) ? 0.0 : 0.03));
        RgVec3 n = mat_apply(X.R, vec_scale(1.0 / sqrt(vec_dot(near, near)), near));
        double side = draw_chance(&d, 0.5) ? 1.0 : -1.0;
        RgContactFrame frame = rg_contact_frame(draw_vec(&d, 1.0), n);
        rg_outline_make(&box->parts[0], &X, &frame, side, 0.02, &o);
        rg_outline_make(&general, &X, &frame, side, 0.02, &twin);
        cr_assert(o.kind == twin.kind && o.count == twin.count && o.flat == twin.flat && o.face == twin.face);
        for (int32_t i = 0; i < o.count; i++) {
            const RgOutlineCorner *a = &o.corner[i], *b = &twin.corner[i];
            cr_assert(a->u == b->u && a->v == b->v && a->h == b->h && a->at.index == b->at.index &&
                      a->side.kind == b->side.kind && a->side.index == b->side.index);
        }
    }
    rg_geometry_destroy(box);
}

/* Tilted by the angle a about one edge, the face counts where tan a <= slope. */
Test(outline, slope_decides)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    RgOutline o;
    RgPose X = place_at(0.0, 0.0, 0.0);
    X.R = turn_about(0, atan(0.0199));
    make(box, X, vec(0.0, 0.0, 1.0), 0.02, &o);
    cr_expect_eq(o.count, 4);
    X.R = turn_about(0, atan(0.0201));
    make(box, X, vec(0.0, 0.0, 1.0), 0.02, &o);
    cr_expect_eq(o.count, 2);
    X.R = mat_mul(turn_about(0, 0.3), turn_about(1, atan(0.0201) / cos(0.3)));
    make(box, X, vec(0.0, 0.0, 1.0), 0.02, &o);
    cr_expect_eq(o.count, 1);
    rg_geometry_destroy(box);
}

/* Points on a ball squeezed along z: many small faces, gentle ones on top. */
static RgGeometry *draw_pebble(Draw *d, int count, double flat)
{
    double *xyz = malloc(sizeof(double) * 3 * (size_t)count);
    for (int i = 0; i < count; i++) {
        RgVec3 x = draw_direction(d);
        xyz[3 * i] = x.x;
        xyz[3 * i + 1] = x.y;
        xyz[3 * i + 2] = flat * x.z;
    }
    RgGeometry *g = make_polytope(xyz, count);
    free(xyz);
    return g;
}

/* Height of the surface over x along m by asking every face that is not steep. */
static double height_of_all(const RgPolytope *p, RgVec3 x, RgVec3 m)
{
    double least = INFINITY;
    for (int32_t i = 0; i < p->nf; i++)
        if (vec_dot(p->normal[i], m) > 0.1)
            least = fmin(least, (p->offset[i] - vec_dot(p->normal[i], x)) / vec_dot(p->normal[i], m));
    return least;
}

/* The outline walks from face to face. */
Test(outline, heights_are_those_of_all_faces)
{
    Draw d = draw_seed(3);
    RgOutline o;
    for (int k = 0; k < 60; k++) {
        RgGeometry *g = draw_pebble(&d, 20 + draw_below(&d, 400), draw_between(&d, 0.05, 1.0));
        RgPose X = draw_pose(&d, 1.0);
        RgVec3 n = mat_apply(X.R, draw_chance(&d, 0.5) ? vec(0.0, 0.0, 1.0) : draw_direction(&d));
        make(g, X, n, draw_between(&d, 0.05, 0.5), &o);
        for (int t = 0; t < 50 && o.kind == RG_OUTLINE_POLYGON; t++) {
            int i = draw_below(&d, o.count), j = draw_below(&d, o.count);
            double s = draw_between(&d, 0.0, 1.0), h;
            double u = o.corner[i].u + s * (o.corner[j].u - o.corner[i].u);
            double v = o.corner[i].v + s * (o.corner[j].v - o.corner[i].v);
            RgFeature f;
            cr_assert(rg_outline_surface(&o, u, v, &h, &f));
            RgVec3 x = rg_contact_frame_point(&o.frame, u, v, 0.0);
            CHECK_NEAR(h, height_of_all(g->parts[0].core, x, o.frame.n), 1e-13, "m");
            cr_expect_eq(f.kind, RG_FEATURE_FACE);
        }
        rg_geometry_destroy(g);
    }
}

/* Joins the ends of one more gentle edge that looks up to those in; false: there is none. */
static bool flood_once(const RgPolytope *p, double slope, bool *in)
{
    for (int32_t e = 0; e < p->ne; e++) {
        int32_t a = p->edge[2 * e], b = p->edge[2 * e + 1];
        RgVec3 way = vec_sub(p->vertex[b], p->vertex[a]);
        bool up = p->normal[p->edge_face[2 * e]].z >= 0.0 || p->normal[p->edge_face[2 * e + 1]].z >= 0.0;
        if (in[a] != in[b] && up && fabs(way.z) <= slope * hypot(way.x, way.y)) {
            in[a] = in[b] = true;
            return true;
        }
    }
    return false;
}

/* Every vertex that a chain of gentle edges joins to the highest one lies in the outline; its corners are
   such. */
Test(outline, flood_is_whole)
{
    Draw d = draw_seed(4);
    RgOutline o;
    for (int k = 0; k < 60; k++) {
        RgGeometry *g = draw_pebble(&d, 30 + draw_below(&d, 300), 0.1);
        const RgPolytope *p = g->parts[0].core;
        double slope = draw_between(&d, 0.02, 0.3);
        make(g, place_at(0.0, 0.0, 0.0), vec(0.0, 0.0, 1.0), slope, &o);
        bool *in = calloc((size_t)p->nv, sizeof(bool));
        int32_t top = 0;
        for (int32_t i = 1; i < p->nv; i++)
            top = p->vertex[i].z > p->vertex[top].z ? i : top;
        in[top] = true;
        while (flood_once(p, slope, in))
            continue;
        Flat corner[RG_OUTLINE_CORNERS];
        for (int32_t i = 0; i < o.count; i++) {
            cr_expect(in[o.corner[i].at.index]);
            corner[i] = (Flat){o.corner[i].u, o.corner[i].v};
        }
        for (int32_t i = 0; i < p->nv && o.count > 2; i++) {
            RgVec3 r = vec_sub(p->vertex[i], o.frame.origin);
            Flat place = {vec_dot(r, o.frame.t), vec_dot(r, o.frame.s)};
            cr_expect(!in[i] || flat_inside(corner, o.count, place, 1e-12));
        }
        free(in);
        rg_geometry_destroy(g);
    }
}

/* A face of n corners has n corners up to the bound; beyond, as many as the bound, spread evenly. */
Test(outline, faces_of_many_corners)
{
    static const int corners[] = {3, 17, 128, 256, 257, 600, 2000};
    RgOutline o;
    for (size_t k = 0; k < sizeof corners / sizeof corners[0]; k++) {
        int n = corners[k], kept = n < RG_OUTLINE_CORNERS ? n : RG_OUTLINE_CORNERS;
        RgGeometry *prism = make_prism(n, 1.0, 0.4);
        make(prism, place_at(0.0, 0.0, 0.0), vec(0.0, 0.0, 1.0), 0.02, &o);
        cr_expect_eq(o.count, kept, "%d corners: %d", n, o.count);
        cr_expect_eq(o.reduced, n > RG_OUTLINE_CORNERS);
        double widest = 0.0;
        for (int32_t i = 0; i < o.count; i++) {
            const RgOutlineCorner *a = &o.corner[i], *b = &o.corner[(i + 1) % o.count];
            widest = fmax(widest, hypot(b->u - a->u, b->v - a->v));
            CHECK_NEAR(corner_point(&o.frame, a).z, 0.2, 1e-12, "m");
        }
        cr_expect_leq(widest, 2.0 * sin(PI / n) * ceil((double)n / kept) * 1.0001);
        rg_geometry_destroy(prism);
    }
}

/* Distance of a point of the capsule's frame from its surface. */
static double from_capsule(RgVec3 x, double r, double l)
{
    double z = fmax(-0.5 * l, fmin(0.5 * l, x.z));
    return vec_distance(x, vec(0.0, 0.0, z)) - r;
}

/* The line along n over any place leaves the capsule where its distance from it is 0 and grows. */
Test(outline, capsule_heights_lie_on_its_surface)
{
    RgGeometry *g = make_shape(RG_SHAPE_capsule, 0.2, 1.0, 0.0);
    Draw d = draw_seed(5);
    RgOutline o;
    int met = 0;
    for (int k = 0; k < 3000; k++) {
        RgPose X = draw_pose(&d, 0.5);
        double round = draw_between(&d, -PI, PI), tilt = draw_between(&d, -0.3, 0.3);
        RgVec3 local = vec(cos(tilt) * cos(round), cos(tilt) * sin(round), sin(tilt));
        make(g, X, mat_apply(X.R, local), 1.0, &o);
        cr_assert_eq(o.kind, RG_OUTLINE_SEGMENT);
        cr_expect(o.curved);
        for (int i = 0; i < 2; i++)
            CHECK_NEAR(from_capsule(corner_point(&o.frame, &o.corner[i]), 0.2, 1.0), 0.0, 1e-14, "m");
        double s = draw_between(&d, -0.1, 1.1), side = draw_between(&d, -0.25, 0.25), h;
        RgFeature f;
        double du = o.corner[1].u - o.corner[0].u, dv = o.corner[1].v - o.corner[0].v, l = hypot(du, dv);
        double u = o.corner[0].u + s * du - side * dv / l, v = o.corner[0].v + s * dv + side * du / l;
        bool hit = rg_outline_surface(&o, u, v, &h, &f);
        RgVec3 low = rg_contact_frame_point(&o.frame, u, v, hit ? h : 0.0);
        if (!hit) {
            for (double z = -2.0; z < 2.0; z += 0.01)
                cr_expect_geq(from_capsule(rg_contact_frame_point(&o.frame, u, v, z), 0.2, 1.0), 0.0);
            continue;
        }
        met++;
        CHECK_NEAR(from_capsule(low, 0.2, 1.0), 0.0, 1e-13, "m");
        cr_expect_gt(from_capsule(rg_contact_frame_point(&o.frame, u, v, h + 1e-4), 0.2, 1.0), 0.0);
    }
    cr_expect_gt(met, 1500);
    rg_geometry_destroy(g);
}

/* Cap, side or rim, by the direction. */
Test(outline, cylinder_has_a_cap_a_side_and_rims)
{
    RgGeometry *g = make_shape(RG_SHAPE_cylinder, 0.3, 1.0, 0.0);
    RgOutline o;
    RgPose X = place_at(0.0, 0.0, 0.0);
    for (int lower = 0; lower < 2; lower++) {
        double up = lower ? -1.0 : 1.0;
        make(g, X, vec(sin(0.01), 0.0, up * cos(0.01)), 0.02, &o);
        cr_assert_eq(o.kind, RG_OUTLINE_DISC);
        cr_expect(!o.curved && o.inside.kind == RG_FEATURE_FACE && o.inside.index == lower &&
                  o.border.kind == RG_FEATURE_EDGE && o.border.index == lower);
        cr_expect_gt(o.disc.x[0] * o.disc.y[1] - o.disc.x[1] * o.disc.y[0], 0.99, "counter-clockwise");
        for (int k = 0; k < 8; k++) {
            double x = 0.3 * cos(k), y = 0.3 * sin(k) * (lower ? -1.0 : 1.0), h;
            RgFeature f;
            RgVec3 r = vec_sub(vec(x, y, up * 0.5), o.frame.origin);
            cr_assert(rg_outline_surface(&o, vec_dot(r, o.frame.t), vec_dot(r, o.frame.s), &h, &f));
            CHECK_NEAR(h, vec_dot(r, o.frame.n), 1e-15, "m");
        }
        make(g, X, vec(sin(0.03), 0.0, up * cos(0.03)), 0.02, &o);
        cr_expect(o.kind == RG_OUTLINE_POINT && o.rim && o.corner[0].at.kind == RG_FEATURE_EDGE &&
                  o.corner[0].at.index == lower);
        CHECK_NEAR(vec_distance(corner_point(&o.frame, &o.corner[0]), vec(0.3, 0.0, up * 0.5)), 0.0, 1e-15, "m");
    }
    make(g, X, vec(cos(0.01), 0.0, sin(0.01)), 0.02, &o);
    cr_assert_eq(o.kind, RG_OUTLINE_SEGMENT);
    cr_expect(o.curved);
    CHECK_NEAR(vec_distance(corner_point(&o.frame, &o.corner[0]), vec(0.3, 0.0, -0.5)), 0.0, 1e-15, "m");
    CHECK_NEAR(vec_distance(corner_point(&o.frame, &o.corner[1]), vec(0.3, 0.0, 0.5)), 0.0, 1e-15, "m");
    rg_geometry_destroy(g);
}

/* Sphere and ellipsoid: their farthest point. Half-space: heights of its plane. */
Test(outline, round_shapes_and_planes)
{
    RgGeometry *sphere = make_shape(RG_SHAPE_sphere, 0.7, 0.0, 0.0);
    RgGeometry *egg = make_shape(RG_SHAPE_ellipsoid, 0.2, 0.5, 0.9);
    RgGeometry *ground = make_shape(RG_SHAPE_halfspace, 0.0, 0.0, 0.0);
    Draw d = draw_seed(6);
    RgOutline o;
    for (int k = 0; k < 100; k++) {
        RgPose X = draw_pose(&d, 1.0);
        RgVec3 n = draw_direction(&d), m = mat_apply(mat_transpose(X.R), n);
        make(sphere, X, n, 0.02, &o);
        cr_expect(o.kind == RG_OUTLINE_POINT && o.curved);
        CHECK_NEAR(vec_distance(corner_point(&o.frame, &o.corner[0]), vec_scale(0.7, m)), 0.0, 1e-14, "m");
        make(egg, X, n, 0.02, &o);
        RgVec3 far = vec(0.04 * m.x, 0.25 * m.y, 0.81 * m.z);
        far = vec_scale(1.0 / sqrt(vec_dot(m, far)), far);
        cr_expect(o.kind == RG_OUTLINE_POINT && o.curved);
        CHECK_NEAR(vec_distance(corner_point(&o.frame, &o.corner[0]), far), 0.0, 1e-14, "m");
        make(ground, X, vec_scale(draw_chance(&d, 0.5) ? 1.0 : -1.0, mat_apply(X.R, vec(0.0, 0.0, 1.0))), 0.02, &o);
        double h;
        RgFeature f;
        cr_assert(o.kind == RG_OUTLINE_PLANE && rg_outline_surface(&o, 3.0, -2.0, &h, &f));
        CHECK_NEAR(rg_contact_frame_point(&o.frame, 3.0, -2.0, h).z, 0.0, 1e-14, "m");
    }
    rg_geometry_destroy(sphere);
    rg_geometry_destroy(egg);
    rg_geometry_destroy(ground);
}

/* Corner, edge and face of a polytope under a place; slopes by finite differences. */
Test(outline, locate_and_gradient)
{
    const double roof[] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0, 0, 0, 0.01, 0, 0, -1};
    RgGeometry *g = make_polytope(roof, 6);
    RgOutline o;
    RgContactFrame frame = rg_contact_frame(vec(0.0, 0.0, 0.0), vec(0.0, 0.0, 1.0));
    RgPose X = place_at(0.0, 0.0, 0.0);
    rg_outline_make(&g->parts[0], &X, &frame, 1.0, 0.02, &o);
    cr_assert_eq(o.kind, RG_OUTLINE_POLYGON);
    cr_expect_eq(o.count, 4);
    const RgVec3 *vertex = g->parts[0].core->vertex;
    RgFeature top = rg_outline_locate(&o, 1e-12, 0.0, 1e-9);
    cr_expect_eq(top.kind, RG_FEATURE_VERTEX);
    cr_expect_eq(vertex[top.index].z, 0.01);
    cr_expect_eq(rg_outline_locate(&o, 0.4, 0.4, 1e-9).kind, RG_FEATURE_EDGE);
    cr_expect_eq(rg_outline_locate(&o, 0.4, 0.1, 1e-9).kind, RG_FEATURE_FACE);
    cr_expect_eq(rg_outline_locate(&o, o.corner[2].u, o.corner[2].v, 1e-9).kind, RG_FEATURE_VERTEX);
    double slope[2], h[4];
    RgFeature f;
    rg_outline_gradient(&o, 0.4, 0.1, slope);
    rg_outline_surface(&o, 0.41, 0.1, &h[0], &f);
    rg_outline_surface(&o, 0.39, 0.1, &h[1], &f);
    rg_outline_surface(&o, 0.4, 0.11, &h[2], &f);
    rg_outline_surface(&o, 0.4, 0.09, &h[3], &f);
    CHECK_NEAR(slope[0], (h[0] - h[1]) / 0.02, 1e-14, "");
    CHECK_NEAR(slope[1], (h[2] - h[3]) / 0.02, 1e-14, "");
    CHECK_NEAR(hypot(slope[0], slope[1]), 0.01, 1e-15, "");
    rg_geometry_destroy(g);
}
