/*
 * scene_motion.c - scenes in motion drawn from a seed: boxes-SEED, hulls-SEED, ragdolls-SEED.
 *
 *   boxes      200 boxes, edges of 0.1 to 0.3 m, 1,000 kg/m^3, any orientation, on a lattice of 4 x 4 x 13 places
 *              0.53 m apart, +-5 mm, above a floor with four walls 2.2 m apart         1/240 s, 480 steps
 *   hulls      the same with the hulls of 30 points on an ellipsoid of half axes 0.06 to 0.16 m
 *   ragdolls   20 of 10 boxes and 9 hinges limited to +-1 rad, lying, any heading, 0.23 m above each other in the four
 *              quadrants in turn                                                      1/240 s, 720 steps
 *
 * mu 0.5 throughout. A hull's frame is moved to its centre of mass and principal axes. Numbers are drawn by splitmix64
 * (draw.h) and rotations by rejection in the ball of quaternions, so no trigonometric function is called and a seed
 * gives the same bits with every compiler; sqrt is exact.
 */
#include "draw.h"
#include "scene_build.h"

#include <rigor/rigor.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP (1.0 / 240.0) /* s */
#define DENSITY 1000.0     /* kg/m^3 */
#define LOOSE 200          /* bodies in the box */
#define HULL_POINTS 30
#define LATTICE 0.53 /* m: more than the diagonal of the largest box, 0.3 sqrt(3) */
#define RAGDOLLS 20
#define PARTS 10

/* Uniform over the rotations: a point of the unit ball in four dimensions, made unit. */
static RgQuat draw_turn(Draw *d)
{
    double x[4], norm2;
    do {
        norm2 = 0.0;
        for (int i = 0; i < 4; i++) {
            x[i] = draw_between(d, -1.0, 1.0);
            norm2 += x[i] * x[i];
        }
    } while (norm2 > 1.0 || norm2 < 0.01);
    double scale = 1.0 / sqrt(norm2);
    return (RgQuat){scale * x[0], scale * x[1], scale * x[2], scale * x[3]};
}

/* ------------------------------------------------------------------ boxes and hulls */

static void add_walls(SceneData *s)
{
    const double centre = 1.25, thick = 0.3, width = 2.8, height = 8.0; /* m; inner faces at 1.1 */
    for (int i = 0; i < 4; i++) {
        double side = i % 2 == 0 ? centre : -centre;
        bool along_x = i < 2;
        RgVec3 size = along_x ? vec(thick, width, height) : vec(width, thick, height);
        int wall = scene_add_box(s, 0.0, size, place_at(along_x ? side : 0.0, along_x ? 0.0 : side, 0.5 * height));
        s->bodies[wall].is_static = true;
    }
}

static RgVec3 lattice_place(Draw *d, int i)
{
    const double jitter = 0.005, lowest = 0.4; /* m */
    const int column = i % 4, row = i / 4 % 4, layer = i / 16;
    RgVec3 p = vec(LATTICE * (column - 1.5), LATTICE * (row - 1.5), lowest + LATTICE * layer);
    p.x += draw_between(d, -jitter, jitter);
    p.y += draw_between(d, -jitter, jitter);
    return p;
}

static void add_loose_box(SceneData *s, Draw *d, int i)
{
    double x = draw_between(d, 0.1, 0.3), y = draw_between(d, 0.1, 0.3), z = draw_between(d, 0.1, 0.3);
    RgVec3 p = lattice_place(d, i);
    scene_add_box(s, DENSITY * x * y * z, vec(x, y, z), rg_pose_from_quat(p, draw_turn(d)));
}

/* Points in the hull's own frame into its frame of centre of mass and principal axes. */
static void centre_points(double *points, const RgInertia *inertia, const RgMat3 *axes)
{
    for (int i = 0; i < HULL_POINTS; i++) {
        RgVec3 p = vec_sub(vec(points[3 * i], points[3 * i + 1], points[3 * i + 2]), inertia->com);
        p = mat_apply(mat_transpose(*axes), p);
        points[3 * i] = p.x;
        points[3 * i + 1] = p.y;
        points[3 * i + 2] = p.z;
    }
}

static void add_loose_hull(SceneData *s, Draw *d, int i)
{
    double points[3 * HULL_POINTS], half[3], moments[3];
    for (int k = 0; k < 3; k++)
        half[k] = draw_between(d, 0.06, 0.16);
    for (int k = 0; k < HULL_POINTS; k++) {
        RgVec3 u = draw_direction(d);
        points[3 * k] = half[0] * u.x;
        points[3 * k + 1] = half[1] * u.y;
        points[3 * k + 2] = half[2] * u.z;
    }
    RgShapeDef def = rg_shape_def_default();
    def.type = RG_SHAPE_polytope;
    def.size[0] = def.size[1] = def.size[2] = 1.0;
    def.mesh.vertices = points;
    def.mesh.nvertices = HULL_POINTS;
    RgInertia inertia;
    RgMat3 axes;
    if (rg_shape_inertia(&def, DENSITY, &inertia) != RG_OK)
        abort();
    rg_principal_moments(&inertia, moments, &axes);
    centre_points(points, &inertia, &axes);
    RgVec3 p = lattice_place(d, i);
    int body =
        scene_add_body(s, inertia.mass, vec(moments[0], moments[1], moments[2]), rg_pose_from_quat(p, draw_turn(d)));
    int shape = scene_add_shape(s, body, SCENE_HULL, (const double[3]){1.0, 1.0, 1.0}, vec(0.0, 0.0, 0.0));
    scene_set_hull(s, shape, points, HULL_POINTS);
}

static SceneData *make_pile(const char *name, Draw d, bool hulls)
{
    SceneData *s = scene_new(
        name, hulls ? "200 random hulls dropped into a box" : "200 random boxes dropped into a box", LOOSE + 4, 0);
    s->has_floor = true;
    s->dt = STEP;
    s->steps = 480;
    s->every = 8;
    strcpy(s->measure, "pile");
    add_walls(s);
    for (int i = 0; i < LOOSE; i++)
        (hulls ? add_loose_hull : add_loose_box)(s, &d, i);
    return s;
}

/* ------------------------------------------------------------------ ragdolls */

/* In the pelvis' frame, standing along z: mass, half lengths, centre; hinge to the parent: anchor, axis x or y. */
static const struct Part {
    double mass, half[3], centre[3];
    int parent;
    double anchor[3];
    char axis;
} parts[PARTS] = {
    {8.0, {0.08, 0.14, 0.08}, {0.0, 0.0, 0.0}, -1, {0.0, 0.0, 0.0}, 'y'},      /* pelvis */
    {20.0, {0.09, 0.16, 0.18}, {0.0, 0.0, 0.3}, 0, {0.0, 0.0, 0.1}, 'y'},      /* trunk */
    {2.5, {0.04, 0.04, 0.14}, {0.0, -0.24, 0.33}, 1, {0.0, -0.22, 0.46}, 'x'}, /* upper arms and forearms */
    {2.0, {0.035, 0.035, 0.13}, {0.0, -0.24, 0.04}, 2, {0.0, -0.24, 0.18}, 'y'},
    {7.0, {0.06, 0.06, 0.2}, {0.0, -0.09, -0.31}, 0, {0.0, -0.09, -0.09}, 'y'}, /* thighs and shanks */
    {4.0, {0.05, 0.05, 0.2}, {0.0, -0.09, -0.74}, 4, {0.0, -0.09, -0.525}, 'y'},
    {2.5, {0.04, 0.04, 0.14}, {0.0, 0.24, 0.33}, 1, {0.0, 0.22, 0.46}, 'x'},
    {2.0, {0.035, 0.035, 0.13}, {0.0, 0.24, 0.04}, 6, {0.0, 0.24, 0.18}, 'y'},
    {7.0, {0.06, 0.06, 0.2}, {0.0, 0.09, -0.31}, 0, {0.0, 0.09, -0.09}, 'y'},
    {4.0, {0.05, 0.05, 0.2}, {0.0, 0.09, -0.74}, 8, {0.0, 0.09, -0.525}, 'y'},
};

static RgVec3 vec_of(const double *x)
{
    return vec(x[0], x[1], x[2]);
}

/* Lying: the body's z axis in any direction near the horizontal, its y axis horizontal. */
static RgPose lying(Draw *d, RgVec3 p)
{
    const double tilt = 0.02; /* rad: so that those above each other do not touch at the start */
    RgVec3 z = draw_direction(d);
    while (z.x * z.x + z.y * z.y < 0.1)
        z = draw_direction(d);
    z.z = tilt * draw_between(d, -1.0, 1.0) * sqrt(z.x * z.x + z.y * z.y);
    z = vec_scale(1.0 / vec_norm(z), z);
    RgVec3 y = vec_cross(vec(0.0, 0.0, 1.0), z);
    y = vec_scale(1.0 / vec_norm(y), y);
    RgVec3 x = vec_cross(y, z);
    return (RgPose){{{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}}, p};
}

static void add_ragdoll(SceneData *s, Draw *d, int k)
{
    const double reach = 0.5, apart = 0.23, lowest = 0.85, jitter = 0.2; /* m */
    RgVec3 p = vec(k % 2 == 0 ? -reach : reach, k / 2 % 2 == 0 ? -reach : reach, lowest + apart * k);
    p.x += draw_between(d, -jitter, jitter);
    p.y += draw_between(d, -jitter, jitter);
    RgPose X_WP = lying(d, p), turn = X_WP;
    turn.p = vec(0.0, 0.0, 0.0);
    int first = s->nbodies;
    for (int i = 0; i < PARTS; i++) {
        const struct Part *part = &parts[i];
        RgPose X_PB = place_at(part->centre[0], part->centre[1], part->centre[2]);
        int body = scene_add_box(s, part->mass, vec_scale(2.0, vec_of(part->half)), place_mul(X_WP, X_PB));
        s->bodies[body].group = k;
        if (part->parent < 0)
            continue;
        RgVec3 axis = place_point(turn, part->axis == 'x' ? vec(1.0, 0.0, 0.0) : vec(0.0, 1.0, 0.0));
        int joint = scene_add_hinge(s, first + part->parent, body, place_point(X_WP, vec_of(part->anchor)), axis);
        s->joints[joint].lower = -1.0;
        s->joints[joint].upper = 1.0;
    }
}

static SceneData *make_heap(const char *name, Draw d)
{
    SceneData *s = scene_new(name, "20 ragdolls dropped on each other", RAGDOLLS * PARTS, RAGDOLLS * (PARTS - 1));
    s->has_floor = true;
    s->dt = STEP;
    s->steps = 720;
    s->every = 12;
    strcpy(s->measure, "heap");
    for (int k = 0; k < RAGDOLLS; k++)
        add_ragdoll(s, &d, k);
    return s;
}

/* ------------------------------------------------------------------ by name */

SceneData *scene_of_motion(const char *name)
{
    const char *dash = strrchr(name, '-');
    char *end;
    unsigned long seed = dash != NULL && dash[1] != '\0' ? strtoul(dash + 1, &end, 10) : 0;
    if (dash == NULL || dash[1] == '\0' || *end != '\0')
        return NULL;
    Draw d = draw_seed(seed);
    if (strncmp(name, "boxes-", 6) == 0)
        return make_pile(name, d, false);
    if (strncmp(name, "hulls-", 6) == 0)
        return make_pile(name, d, true);
    return strncmp(name, "ragdolls-", 9) == 0 ? make_heap(name, d) : NULL;
}
