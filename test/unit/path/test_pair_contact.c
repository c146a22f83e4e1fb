/*
 * test_pair_contact.c - contact that lasts: motions in closed form that keep two shapes at half the gap, known to the
 * proof by their two ends alone, must be proven for the whole step.
 */
#include "path_fixture.h"

#define GAP 1e-7
#define LEVEL (0.5 * GAP)
#define H 5e-3

static const RgPathRule rule = {GAP, LEVEL};

/* Where a body is at time t, for whatever the motion is. */
typedef RgPose Motion(double t, const void *context);

/* The state at t, by central differences of the fourth order. */
static RgBodyEnd state_at(Motion *motion, const void *context, RgVec3 com, double t)
{
    const double e = 1e-4;
    RgPose X = motion(t, context), at[4];
    for (int i = 0; i < 4; i++)
        at[i] = motion(t + (double[]){-2.0, -1.0, 1.0, 2.0}[i] * e, context);
    RgBodyEnd end = {.X_WB = X, .centre = pose_apply(X, com)};
    RgVec3 c[4], w[4];
    for (int i = 0; i < 4; i++) {
        c[i] = pose_apply(at[i], com);
        w[i] = q_log(q_from_matrix(m3_mul(at[i].R, m3_transpose(X.R))));
    }
    RgVec3 dc = v3_axpy(8.0, v3_sub(c[2], c[1]), v3_sub(c[0], c[3]));
    RgVec3 dw = v3_axpy(8.0, v3_sub(w[2], w[1]), v3_sub(w[0], w[3]));
    end.velocity = v3_scale(1.0 / (12.0 * e), dc);
    end.w = v3_scale(1.0 / (12.0 * e), dw);
    return end;
}

static RgBodyPath path_of(Motion *motion, const void *context, RgVec3 com)
{
    RgBodyEnd begin = state_at(motion, context, com, 0.0), end = state_at(motion, context, com, H);
    RgBodyPath path;
    cr_assert(rg_body_path_between(&begin, &end, H, &path));
    return path;
}

static void check_lasts(const RgPathShape *a, const RgPathShape *b, int most_planes, const char *what)
{
    RgPathProof proof;
    CHECK_NEAR(distance_at(a, b, 0.0), LEVEL, 1e-13, "m");
    CHECK_NEAR(distance_at(a, b, H), LEVEL, 1e-13, "m");
    cr_assert_eq(rg_pair_path_prove(a, b, H, &rule, NULL, &proof), RG_OK);
    cr_expect_eq(proof.time, H, "%s: proven for %g s, %d planes", what, proof.time, proof.pieces);
    cr_expect_geq(proof.least, 0.49999 * LEVEL, "%s: least %g m", what, proof.least);
    cr_expect_leq(proof.pieces, most_planes, "%s", what);
    double least = least_by_asking(a, b, proof.time, 500);
    cr_expect_geq(least, proof.least - 1e-13, "%s: least %g m, proven %g m", what, least, proof.least);

    /* The other way round. */
    cr_assert_eq(rg_pair_path_prove(b, a, H, &rule, NULL, &proof), RG_OK);
    cr_expect_eq(proof.time, H, "%s, swapped: proven for %g s, %d planes", what, proof.time, proof.pieces);
}

/* ------------------------------------------------------------------ on a plane */

/* Turning with w about a point of the body that stays, or slides with `slide`, at height LEVEL. */
typedef struct Pivot {
    RgMat3 R;
    RgVec3 point_B, w, slide;
    double height;
} Pivot;

static RgPose pivot_at(double t, const void *context)
{
    const Pivot *p = context;
    RgMat3 R = m3_mul(q_matrix(q_exp(v3_scale(t, p->w))), p->R);
    RgVec3 at = v3_axpy(t, p->slide, v3(0.3, -0.2, p->height));
    return (RgPose){R, v3_sub(at, m3_apply(R, p->point_B))};
}

Test(pair_contact, cube_on_a_plane)
{
    RgGeometry *plane = make_shape(RG_SHAPE_halfspace, 0.0, 0.0, 0.0);
    RgGeometry *cube = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    RgVec3 corner = v3(-0.5, -0.5, -0.5);
    const struct {
        const char *what;
        RgVec3 turned, w;
    } cases[] = {{"about a vertex", {0.3, 0.5, 0.1}, {3.0, -2.0, 3.5}},
                 {"about a vertex, spinning", {0.6, 0.2, 0.0}, {0.0, 0.0, 5.0}},
                 {"about an edge", {0.4, 0.0, 0.0}, {5.0, 0.0, 0.0}},
                 {"yaw on a face", {0.0, 0.0, 0.3}, {0.0, 0.0, 5.0}},
                 {"at rest", {0.0, 0.0, 0.3}, {0.0, 0.0, 0.0}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Pivot pivot = {q_matrix(q_exp(cases[i].turned)), corner, cases[i].w, {0.5, 0.2, 0.0}, LEVEL};
        /* The lowest corner carries it. */
        RgVec3 down = m3_apply_t(pivot.R, v3(0.0, 0.0, -1.0));
        pivot.point_B = v3(copysign(0.5, down.x), copysign(0.5, down.y), copysign(0.5, down.z));
        RgBodyPath path = path_of(pivot_at, &pivot, v3(0.02, -0.03, 0.01));
        RgPathShape a = {plane, pose_identity(), NULL}, b = {cube, pose_identity(), &path};
        check_lasts(&a, &b, 1, cases[i].what);
    }
    rg_geometry_destroy(plane);
    rg_geometry_destroy(cube);
}

/* A sphere, a capsule, a cylinder and an ellipsoid of revolution that roll without slip. */
typedef struct Roll {
    double radius, speed, yaw;
    RgMat3 R;
    double height;
} Roll;

static RgPose roll_at(double t, const void *context)
{
    const Roll *r = context;
    RgMat3 turn =
        m3_mul(q_matrix(q_exp(v3(0.0, 0.0, r->yaw * t))), q_matrix(q_exp(v3(0.0, t * r->speed / r->radius, 0.0))));
    return (RgPose){m3_mul(turn, r->R), v3(r->speed * t, 0.0, r->radius + r->height)};
}

Test(pair_contact, round_shapes_roll_on_a_plane)
{
    RgGeometry *plane = make_shape(RG_SHAPE_halfspace, 0.0, 0.0, 0.0);
    RgGeometry *shapes[4] = {make_shape(RG_SHAPE_sphere, 0.1, 0.0, 0.0), make_shape(RG_SHAPE_capsule, 0.1, 0.3, 0.0),
                             make_shape(RG_SHAPE_cylinder, 0.1, 0.3, 0.0),
                             make_shape(RG_SHAPE_ellipsoid, 0.1, 0.1, 0.2)};
    for (int i = 0; i < 4; i++) {
        Roll roll = {0.1, 0.5, 1.0, q_matrix(q_exp(v3(1.5707963267948966, 0.0, 0.0))), LEVEL};
        RgBodyPath path = path_of(roll_at, &roll, v3_zero());
        RgPathShape a = {plane, pose_identity(), NULL}, b = {shapes[i], pose_identity(), &path};
        check_lasts(&a, &b, 1, i == 0 ? "sphere" : i == 1 ? "capsule" : i == 2 ? "cylinder" : "ellipsoid");
        rg_geometry_destroy(shapes[i]);
    }
    rg_geometry_destroy(plane);
}

/* A coin that rolls on its rim, its axis at an angle to the plane that changes at the rate `sways`. */
typedef struct Coin {
    double radius, half, lean, sways, rolls, yaw;
} Coin;

static RgPose coin_at(double t, const void *context)
{
    const Coin *c = context;
    double lean = c->lean + t * c->sways;
    RgMat3 R = m3_mul(m3_mul(q_matrix(q_exp(v3(0.0, 0.0, c->yaw * t))), q_matrix(q_exp(v3(lean, 0.0, 0.0)))),
                      q_matrix(q_exp(v3(0.0, 0.0, c->rolls * t))));
    return (RgPose){R, v3(0.2 + t, 0.1, LEVEL + c->radius * sin(lean) + c->half * cos(lean))};
}

Test(pair_contact, coins)
{
    RgGeometry *plane = make_shape(RG_SHAPE_halfspace, 0.0, 0.0, 0.0);
    RgGeometry *coin = make_shape(RG_SHAPE_cylinder, 0.1, 0.04, 0.0);
    static const Coin coins[5] = {{0.1, 0.02, 0.7, 0.0, 5.0, 3.0},
                                  {0.1, 0.02, 1.2, 0.5, 5.0, 3.0},
                                  {0.1, 0.02, 0.02, 0.5, 5.0, -4.0},
                                  {0.1, 0.02, 1.4, -3.0, 50.0, 3.0},
                                  {0.1, 0.02, 0.0, 0.0, 5.0, -4.0}};
    for (int i = 0; i < 5; i++) {
        RgBodyPath path = path_of(coin_at, &coins[i], v3_zero());
        RgPathShape a = {plane, pose_identity(), NULL}, b = {coin, pose_identity(), &path};
        char what[40];
        snprintf(what, sizeof what, "coin %d", i);
        check_lasts(&a, &b, 1, what);
    }
    rg_geometry_destroy(plane);
    rg_geometry_destroy(coin);
}

/* ------------------------------------------------------------------ on each other */

/* A body carried by another that tumbles: X_A(t) X_AB(t). */
typedef struct Carried {
    Pivot carrier;
    Motion *motion;
    const void *context;
} Carried;

static RgPose carried_at(double t, const void *context)
{
    const Carried *c = context;
    return pose_mul(pivot_at(t, &c->carrier), c->motion(t, c->context));
}

static const Pivot tumbling = {
    {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}}, {0.5, 0.5, -0.5}, {2.0, -4.0, 2.0}, {1.0, 0.0, 0.5}, 0.0};

/* b on a, which stands still or tumbles with it; `com` off the middle. */
static void check_on(const RgGeometry *a, const RgGeometry *b, Motion *motion, const void *context, const char *what)
{
    RgVec3 com = v3(0.01, 0.02, -0.03);
    RgBodyPath alone = path_of(motion, context, com);
    RgPathShape still = {a, pose_identity(), NULL}, moves = {b, pose_identity(), &alone};
    check_lasts(&still, &moves, 3, what);
    Carried carried = {tumbling, motion, context};
    RgBodyPath path_a = path_of(pivot_at, &tumbling, v3(0.05, 0.0, 0.0));
    RgBodyPath path_b = path_of(carried_at, &carried, com);
    RgPathShape carrier = {a, pose_identity(), &path_a}, rider = {b, pose_identity(), &path_b};
    char tells[100];
    snprintf(tells, sizeof tells, "%s, carried", what);
    check_lasts(&carrier, &rider, 6, tells);
}

Test(pair_contact, cube_on_a_cube)
{
    RgGeometry *big = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    RgGeometry *small = make_shape(RG_SHAPE_box, 0.5, 0.5, 0.5);
    RgVec3 corner = v3(-0.25, -0.25, -0.25);
    Pivot rest = {m3_identity(), corner, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0.5 + LEVEL};
    check_on(big, small, pivot_at, &rest, "at rest");
    Pivot yaw = {m3_identity(), corner, {0.0, 0.0, 5.0}, {0.3, 0.2, 0.0}, 0.5 + LEVEL};
    check_on(big, small, pivot_at, &yaw, "yaw");
    Pivot edge = {
        q_matrix(q_exp(v3(0.3, 0.0, 0.0))), v3(0.1, -0.25, -0.25), {5.0, 0.0, 0.0}, {0.3, 0.2, 0.0}, 0.5 + LEVEL};
    check_on(big, small, pivot_at, &edge, "about an edge");
    Pivot vertex = {
        q_matrix(q_exp(v3(0.3, -0.4, 0.0))), v3(-0.25, -0.25, -0.25), {2.0, 3.0, 3.0}, {0.3, 0.2, 0.0}, 0.5 + LEVEL};
    check_on(big, small, pivot_at, &vertex, "about a vertex");
    rg_geometry_destroy(big);
    rg_geometry_destroy(small);
}

/* An edge of B across an edge of A: along x at (y, z) = (0.5, 0.5) of a cube; B turns with w, its edge at the radii's
   distance from A's. */
typedef struct Across {
    RgMat3 R;
    RgVec3 along_B, point_B, w;
    double distance, slide_a, slide_b;
} Across;

static RgPose across_at(double t, const void *context)
{
    const Across *x = context;
    RgMat3 R = m3_mul(q_matrix(q_exp(v3_scale(t, x->w))), x->R);
    RgVec3 a = v3(1.0, 0.0, 0.0), b = m3_apply(R, x->along_B), m = v3_cross(a, b);
    double sign = m.y + m.z > 0.0 ? 1.0 : -1.0;
    m = v3_scale(sign / v3_norm(m), m);
    RgVec3 at = v3_axpy(x->distance, m, v3(0.1 + t * x->slide_a, 0.5, 0.5));
    return (RgPose){R, v3_sub(at, m3_apply(R, v3_axpy(t * x->slide_b, x->along_B, x->point_B)))};
}

Test(pair_contact, edge_across_an_edge)
{
    RgGeometry *cube = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    RgGeometry *bar = make_shape(RG_SHAPE_box, 0.2, 0.2, 1.0);
    RgGeometry *rod = make_shape(RG_SHAPE_capsule, 0.1, 1.0, 0.0);
    /* The bar's corner edge down on A's edge: its section turned about its own axis. */
    RgMat3 lying = m3_mul(q_matrix(q_exp(v3(-2.2, 0.2, 0.0))), q_matrix(q_exp(v3(0.0, 0.0, 0.7))));
    Across bars = {lying, {0.0, 0.0, 1.0}, {-0.1, -0.1, 0.03}, {1.0, 3.0, -4.0}, LEVEL, 0.3, -0.2};
    /* Which of the four edges is the lowest. */
    double lowest = INFINITY;
    for (int i = 0; i < 4; i++) {
        RgVec3 corner = v3(i & 1 ? 0.1 : -0.1, i & 2 ? 0.1 : -0.1, 0.03);
        RgVec3 at = m3_apply(lying, corner);
        if (at.y + at.z < lowest) {
            lowest = at.y + at.z;
            bars.point_B = corner;
        }
    }
    check_on(cube, bar, across_at, &bars, "edges");
    Across rods = {q_matrix(q_exp(v3(-2.2, 0.2, 0.0))),
                   {0.0, 0.0, 1.0},
                   {0.0, 0.0, 0.03},
                   {1.0, 3.0, -4.0},
                   0.1 + LEVEL,
                   0.3,
                   -0.2};
    check_on(cube, rod, across_at, &rods, "capsule across an edge");
    rg_geometry_destroy(cube);
    rg_geometry_destroy(bar);
    rg_geometry_destroy(rod);
}

/* ------------------------------------------------------------------ over corners */

/* A ball that rolls round a line along x through `middle`, or round that point. */
typedef struct Over {
    RgVec3 middle, w, from;
} Over;

static RgPose over_at(double t, const void *context)
{
    const Over *o = context;
    RgMat3 R = q_matrix(q_exp(v3_scale(t, o->w)));
    return (RgPose){m3_mul(R, R), v3_add(o->middle, m3_apply(R, o->from))};
}

Test(pair_contact, sphere_over_corners)
{
    RgGeometry *cube = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    RgGeometry *ball = make_shape(RG_SHAPE_sphere, 0.1, 0.0, 0.0);
    double r = 0.1 + LEVEL, k = sqrt(0.5), q = sqrt(1.0 / 3.0);
    Over edge = {{0.1, 0.5, 0.5}, {-5.0, 0.0, 0.0}, {0.0, r * k, r * k}};
    check_on(cube, ball, over_at, &edge, "over an edge");
    Over vertex = {{0.5, 0.5, 0.5}, {3.0, -2.0, 3.0}, {r * q, r * q, r * q}};
    check_on(cube, ball, over_at, &vertex, "over a vertex");
    double both = 0.2 + LEVEL;
    Over round = {{0.0, 0.0, 0.0}, {3.0, -2.0, 3.0}, {both * q, both * q, both * q}};
    check_on(ball, ball, over_at, &round, "round a sphere");
    rg_geometry_destroy(cube);
    rg_geometry_destroy(ball);
}

/* ------------------------------------------------------------------ any two polytopes */

/* B tumbles over A, which tumbles too, moved along the normal to be at LEVEL at all times. */
typedef struct Kept {
    RgPlaced a; /* at t = 0 */
    RgPlaced b;
    RgVec3 w_a, w_b, v;
} Kept;

static RgDistance kept_place(const Kept *k, double t, RgPlaced *a, RgPlaced *b)
{
    RgDistance near = {.distance = 0.0};
    *a = k->a;
    *b = k->b;
    a->X_WG.R = m3_mul(q_matrix(q_exp(v3_scale(t, k->w_a))), k->a.X_WG.R);
    b->X_WG.R = m3_mul(q_matrix(q_exp(v3_scale(t, k->w_b))), k->b.X_WG.R);
    b->X_WG.p = v3_axpy(t, k->v, k->b.X_WG.p);
    for (int i = 0; i < 8; i++) {
        cr_assert_eq(rg_distance(a, b, NULL, &near), RG_OK);
        b->X_WG.p = v3_axpy(LEVEL - near.distance, near.normal, b->X_WG.p);
    }
    return near;
}

static RgPose kept_a(double t, const void *context)
{
    const Kept *k = context;
    return (RgPose){m3_mul(q_matrix(q_exp(v3_scale(t, k->w_a))), k->a.X_WG.R), k->a.X_WG.p};
}

static RgPose kept_b(double t, const void *context)
{
    RgPlaced a, b;
    kept_place(context, t, &a, &b);
    return b.X_WG;
}

/* The same features touch from before the start until after the end. */
static bool keeps_features(const Kept *k)
{
    RgPlaced a, b;
    RgDistance first = kept_place(k, -2e-4, &a, &b);
    for (int i = 1; i <= 10; i++) {
        RgDistance now = kept_place(k, -2e-4 + (H + 4e-4) * i / 10.0, &a, &b);
        if (now.feature_a.kind != first.feature_a.kind || now.feature_a.index != first.feature_a.index ||
            now.feature_b.kind != first.feature_b.kind || now.feature_b.index != first.feature_b.index)
            return false;
    }
    return first.feature_a.kind == RG_FEATURE_FACE || first.feature_b.kind == RG_FEATURE_FACE ||
           (first.feature_a.kind == RG_FEATURE_EDGE && first.feature_b.kind == RG_FEATURE_EDGE);
}

Test(pair_contact, any_polytopes_in_contact)
{
    int edges = 0, faces = 0;
    for (int n = 0; n < 300; n++) {
        Draw d = draw_seed((uint64_t)(4000 + n));
        RgGeometry *ga = geometry_draw(&d, (ShapeChoice)draw_below(&d, 3));
        RgGeometry *gb = geometry_draw(&d, (ShapeChoice)draw_below(&d, 3));
        Kept k = {.a = {.geometry = ga}, .b = {.geometry = gb}};
        k.a.X_WG = draw_pose(&d, 1.0);
        k.b.X_WG = draw_pose(&d, 0.0);
        k.b.X_WG.p = v3_axpy(1.5, draw_direction(&d), k.a.X_WG.p);
        k.w_a = draw_vec(&d, 3.0);
        k.w_b = draw_vec(&d, 3.0);
        k.v = draw_vec(&d, 0.5);
        RgPlaced a, b;
        RgDistance near = kept_place(&k, 0.0, &a, &b);
        k.b = b;
        if (keeps_features(&k)) {
            RgBodyPath path_a = path_of(kept_a, &k, draw_vec(&d, 0.05));
            RgBodyPath path_b = path_of(kept_b, &k, draw_vec(&d, 0.05));
            RgPathShape side_a = {ga, pose_identity(), &path_a}, side_b = {gb, pose_identity(), &path_b};
            char what[80];
            bool edge = near.feature_a.kind == RG_FEATURE_EDGE;
            snprintf(what, sizeof what, "case %d, features %d and %d", n, (int)near.feature_a.kind,
                     (int)near.feature_b.kind);
            check_lasts(&side_a, &side_b, 20, what);
            edges += edge;
            faces += !edge;
        }
        rg_geometry_destroy(ga);
        rg_geometry_destroy(gb);
    }
    cr_expect(edges > 20 && faces > 20, "%d with edges, %d with faces", edges, faces);
}
