/* pair_maker.c - see pair_maker.h. */
#include "pair_maker.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define MAX_CORNERS 40

const RgShapeType pair_kinds[PAIR_KINDS] = {RG_SHAPE_sphere,    RG_SHAPE_box,      RG_SHAPE_capsule,  RG_SHAPE_cylinder,
                                            RG_SHAPE_ellipsoid, RG_SHAPE_polytope, RG_SHAPE_halfspace};

double draw_decades(Draw *d, double low, double high)
{
    return pow(10.0, draw_between(d, low, high));
}

/* ------------------------------------------------------------------ shapes */

/* One point of a cloud: on a ball, in a cube, on a coarse lattice (many in one plane), on a prism. */
static RgVec3 cloud_point(Draw *d, int cloud, int i)
{
    if (cloud == 0)
        return draw_direction(d);
    if (cloud == 1)
        return draw_vec(d, 1.0);
    if (cloud == 2)
        return vec(draw_below(d, 4) - 1.5, draw_below(d, 4) - 1.5, draw_below(d, 3) - 1.0);
    double angle = 2.0 * TEST_PI * (i / 2) / 7.0;
    return vec(cos(angle), sin(angle), i % 2 == 0 ? 1.0 : -1.0);
}

static void draw_points(Draw *d, RgShapeDef *def, double *points)
{
    int cloud = draw_below(d, 4), count = 4 + draw_below(d, MAX_CORNERS - 3);
    if (cloud == 3)
        count = 14;
    for (int i = 0; i < count; i++) {
        RgVec3 p = cloud_point(d, cloud, i);
        points[3 * i] = p.x * def->size[0];
        points[3 * i + 1] = p.y * def->size[1];
        points[3 * i + 2] = p.z * def->size[2];
    }
    def->mesh.vertices = points;
    def->mesh.nvertices = count;
}

MadeShape made_shape_draw(Draw *d, RgShapeType type)
{
    MadeShape s = {.def = rg_shape_def_default()};
    s.def.type = type;
    double scale = draw_decades(d, -2.0, 2.0);
    bool thin = draw_chance(d, 1.0 / 3.0), even = !thin && draw_chance(d, 0.3), round = draw_chance(d, 0.25);
    for (int i = 0; i < 3; i++) {
        s.def.size[i] = even && i > 0 ? s.def.size[0] : scale * draw_decades(d, thin ? -3.0 : -0.3, 0.0);
        if (round)
            s.def.size[i] = 1.0 / (1 << draw_below(d, 3));
    }
    if (type != RG_SHAPE_polytope) {
        s.oracle = oracle_create(&s.def, NULL);
        cr_assert(s.oracle != NULL);
        return s;
    }

    /* Points without volume are drawn again. The sizes are in the points: the scale is 1. */
    s.points = malloc(3 * MAX_CORNERS * sizeof *s.points);
    cr_assert(s.points != NULL);
    while (s.oracle == NULL) {
        RgShapeDef def = s.def;
        draw_points(d, &def, s.points);
        for (int i = 0; i < 3; i++)
            def.size[i] = 1.0;
        s.oracle = oracle_create(&def, NULL);
        if (s.oracle != NULL)
            s.def = def;
    }
    return s;
}

void made_shape_prepare(MadeShape *s)
{
    RgError error = {0};
    RgStatus status = rg_geometry_create(&s->def, NULL, &s->geometry, &error);
    cr_assert(status == RG_OK && s->geometry != NULL, "shape of type %d refused: %s", (int)s->def.type, error.text);
}

void made_shape_release(MadeShape *s)
{
    rg_geometry_destroy(s->geometry);
    oracle_destroy(s->oracle);
    free(s->points);
}

RgShapeDef made_polytope(Draw *d, int count, double **points)
{
    RgShapeDef def = rg_shape_def_default();
    def.type = RG_SHAPE_polytope;
    *points = malloc(3 * (size_t)count * sizeof **points);
    cr_assert(*points != NULL);
    for (int i = 0; i < count; i++) {
        RgVec3 p = vec_scale(0.5, draw_direction(d));
        (*points)[3 * i] = p.x;
        (*points)[3 * i + 1] = p.y;
        (*points)[3 * i + 2] = p.z;
    }
    def.size[0] = def.size[1] = def.size[2] = 1.0;
    def.mesh.vertices = *points;
    def.mesh.nvertices = count;
    return def;
}

/* ------------------------------------------------------------------ pairs */

/* Rotation with columns x, y and x cross y; x and y unit and at right angles. */
static RgMat3 frame_of(RgVec3 x, RgVec3 y)
{
    RgVec3 z = vec_cross(x, y);
    return (RgMat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

/* t made unit and at right angles to n. */
static RgVec3 level(RgVec3 t, RgVec3 n)
{
    t = vec_sub(t, vec_scale(vec_dot(t, n), n));
    return vec_scale(1.0 / vec_norm(t), t);
}

/* One of the 24 turns that take the axes to axes. */
static RgMat3 quarter_turn(Draw *d)
{
    RgMat3 R = mat_identity();
    for (int i = draw_below(d, 24); i > 0; i--) {
        RgMat3 about_z = {{{0.0, -1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}};
        RgMat3 about_x = {{{1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}, {0.0, 1.0, 0.0}}};
        R = mat_mul(i % 3 == 0 ? about_x : about_z, R);
    }
    return R;
}

/* B's rotation that lays its spot against A's, tangents apart by angle. */
static RgMat3 facing(const RgPose *X_WA, const OracleSpot *a, const OracleSpot *b, double angle)
{
    RgVec3 n = mat_apply(X_WA->R, a->normal), t = level(mat_apply(X_WA->R, a->tangent), n);
    RgVec3 back = vec_scale(-1.0, vec_scale(1.0 / vec_norm(n), n));
    t = level(mat_apply(mat_turn(back, angle), t), back);
    return mat_mul(frame_of(back, t), mat_transpose(frame_of(b->normal, level(b->tangent, b->normal))));
}

/* Puts B so that its spot lies gap before A's. */
static void place_spots(MadePair *p, const OracleSpot *a, const OracleSpot *b)
{
    RgVec3 n = mat_apply(p->X_WA.R, a->normal);
    RgVec3 to = vec_add(place_point(p->X_WA, a->point), vec_scale(p->gap, n));
    p->X_WB.p = vec_sub(to, mat_apply(p->X_WB.R, b->point));
}

/* Puts B so that the gap along a random direction is the wanted one. The half-space has but one. */
static void place_free(Draw *d, MadePair *p, MadeShape *a, MadeShape *b)
{
    RgVec3 n = draw_direction(d);
    if (a->def.type == RG_SHAPE_halfspace)
        n = mat_apply(p->X_WA.R, vec(0.0, 0.0, 1.0));
    if (b->def.type == RG_SHAPE_halfspace)
        n = mat_apply(p->X_WB.R, vec(0.0, 0.0, -1.0));
    p->X_WB.p = p->X_WA.p;
    oracle_move(a->oracle, &p->X_WA);
    oracle_move(b->oracle, &p->X_WB);
    double apart = 0.0;
    if (a->def.type != RG_SHAPE_halfspace && b->def.type != RG_SHAPE_halfspace)
        apart = oracle_separation(a->oracle, b->oracle, n);
    p->X_WB.p = vec_add(p->X_WB.p, vec_scale(p->gap - apart, n));
}

/* A multiple of a quarter, between -1/2 and 1/2. */
static double draw_quarter(Draw *d)
{
    return 0.25 * (draw_below(d, 5) - 2);
}

/* Centres on a lattice of half quarters of the size, turns by eighths about two axes. */
static void place_grid(Draw *d, MadePair *p)
{
    RgVec3 z = vec(0.0, 0.0, 1.0), x = vec(1.0, 0.0, 0.0);
    p->X_WA = (RgPose){mat_identity(), {0.0, 0.0, 0.0}};
    p->X_WB.R = mat_mul(mat_turn(z, TEST_PI * draw_quarter(d)), mat_turn(x, TEST_PI * draw_quarter(d)));
    if (draw_chance(d, 0.5))
        p->X_WB.R = quarter_turn(d);
    double step = 0.5 * p->size;
    p->X_WB.p = vec(step * draw_quarter(d), step * draw_quarter(d), step * draw_quarter(d));
}

MadePair made_pair_draw(Draw *d, MadeShape *a, MadeShape *b)
{
    static const int part[PAIR_MODES] = {7, 4, 2, 3, 2, 2}; /* of 20 */
    MadePair p = {.mode = PAIR_SPOTS};
    for (int ticket = draw_below(d, 20) - part[0]; ticket >= 0; ticket -= part[p.mode])
        p.mode++;
    p.size = fmax(oracle_extent(a->oracle), oracle_extent(b->oracle));
    p.gap = p.size * draw_decades(d, -10.0, 0.0) * (draw_chance(d, 0.5) ? 1.0 : -1.0);
    p.X_WA = draw_pose(d, p.size);
    p.X_WB = draw_pose(d, p.size);
    OracleSpot spot_a = oracle_spot(a->oracle, draw_below(d, 3), d);
    OracleSpot spot_b = oracle_spot(b->oracle, draw_below(d, 3), d);
    if (p.mode == PAIR_SPOTS || p.mode == PAIR_ALIGNED) {
        double angle = p.mode == PAIR_SPOTS ? draw_between(d, -3.1, 3.1) : 0.5 * TEST_PI * draw_below(d, 4);
        p.X_WB.R = facing(&p.X_WA, &spot_a, &spot_b, angle);
        place_spots(&p, &spot_a, &spot_b);
    } else if (p.mode == PAIR_SQUARE) {
        p.X_WA.R = quarter_turn(d);
        p.X_WB.R = quarter_turn(d);
        place_spots(&p, &spot_a, &spot_b);
    } else if (p.mode == PAIR_FREE) {
        place_free(d, &p, a, b);
    } else if (p.mode == PAIR_GRID) {
        place_grid(d, &p);
    } else {
        p.X_WB.p = p.X_WA.p;
        if (draw_chance(d, 0.5))
            p.X_WB.p = vec_add(p.X_WB.p, vec_scale(p.size * draw_decades(d, -8.0, -0.3), draw_direction(d)));
        if (draw_chance(d, 0.5))
            p.X_WB.R = p.X_WA.R;
    }
    oracle_move(a->oracle, &p.X_WA);
    oracle_move(b->oracle, &p.X_WB);
    return p;
}
