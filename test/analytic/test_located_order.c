/*
 * test_located_order.c - located steps in contact are of second order as long as nothing happens.
 *
 * Where a body is after a fixed time with steps h, h/2, h/4, against steps that are 16 times finer than the finest:
 * errors fall by four with each halving. A cube turns about one corner on the floor, a stool slides and spins on a
 * slope, a ball rolls down another. In all of them contacts bend (the way the velocity of a contact point changes while
 * the body turns).
 */
#include "check_near.h"
#include "touching.h"
#include "worlds.h"

#include <math.h>

#define GAP 1e-7
#define SIDE 0.2
#define RADIUS 0.1

typedef struct Scene {
    const char *name;
    double time, h; /* s: of the run; coarsest step */
    RgModel *(*make)(void);
    void (*launch)(RgWorld *world, RgLinkId link);
    RgVec3 gravity;
} Scene;

/* ------------------------------------------------------------------ scenes */

static RgPose tilted(void)
{
    double a = 0.6, b = 0.5;
    RgMat3 X = {{{1, 0, 0}, {0, cos(a), -sin(a)}, {0, sin(a), cos(a)}}};
    RgMat3 Y = {{{cos(b), 0, sin(b)}, {0, 1, 0}, {-sin(b), 0, cos(b)}}};
    return (RgPose){.R = mat_mul(X, Y)};
}

/* The lowest corner of the cube, from its centre. */
static RgVec3 lowest_corner(void)
{
    RgMat3 R = tilted().R;
    RgVec3 best = vec(0, 0, 1);
    for (int i = 0; i < 8; i++) {
        double s = 0.5 * SIDE;
        RgVec3 at = mat_apply(R, vec(i & 1 ? s : -s, i & 2 ? s : -s, i & 4 ? s : -s));
        best = at.z < best.z ? at : best;
    }
    return best;
}

static RgModel *cube_make(void)
{
    static const double size[3] = {SIDE, SIDE, SIDE};
    RgBuilder *b = scene_begin("cube");
    ground_add(b, surface_mu(1e4));
    RgPose X = tilted();
    X.p = vec(0, 0, -lowest_corner().z + 0.5 * GAP);
    RgLinkId cube = link_add_at(b, "body", inertia_box(1.3, vec(0, 0, 0), vec(SIDE, SIDE, 1.5 * SIDE)), X);
    shape_add(b, cube, RG_SHAPE_box, size, place_at(0, 0, 0), surface_mu(1e4));
    return scene_end(b);
}

static void cube_launch(RgWorld *world, RgLinkId link)
{
    RgVec3 w = vec(1.0, -2.0, 3.0);
    link_launch(world, link, w, vec_scale(-1.0, vec_cross(w, lowest_corner())));
}

/* Three feet: with four it is open which of them carry how much, and friction depends on it. */
static RgModel *stool_make(void)
{
    static const double size[3] = {0.02, 0.0, 0.0};
    RgBuilder *b = scene_begin("stool");
    ground_add(b, surface_mu(0.3));
    RgInertia inertia = inertia_box(2.0, vec(0.01, 0.02, 0), vec(0.3, 0.2, 0.1));
    RgLinkId stool = link_add_at(b, "body", inertia, place_at(0, 0, 0.07 + 0.5 * GAP));
    for (int i = 0; i < 3; i++)
        shape_add(b, stool, RG_SHAPE_sphere, size,
                  place_at(0.15 * cos(TEST_PI * i * 2.0 / 3.0), 0.15 * sin(TEST_PI * i * 2.0 / 3.0), -0.05),
                  surface_mu(0.3));
    return scene_end(b);
}

static void stool_launch(RgWorld *world, RgLinkId link)
{
    link_launch(world, link, vec(0, 0, 3.0), vec(1.5, 0.5, 0));
}

static RgModel *ball_make(void)
{
    static const double size[3] = {0.5, 0.0, 0.0};
    double far = 0.5 + RADIUS + 0.5 * GAP;
    RgBuilder *b = scene_begin("dome");
    shape_add(b, (RgLinkId){0}, RG_SHAPE_sphere, size, place_at(0, 0, 0), surface_mu(1e4));
    ball_add(b, "body", 0.7, RADIUS, vec(far * sin(0.3), 0, far * cos(0.3)), surface_mu(1e4));
    return scene_end(b);
}

/* Rolls: the point that touches stands still. */
static void ball_launch(RgWorld *world, RgLinkId link)
{
    RgVec3 w = vec(4.0, 2.0, 0.0), arm = vec(-RADIUS * sin(0.3), 0, -RADIUS * cos(0.3));
    link_launch(world, link, w, vec_scale(-1.0, vec_cross(w, arm)));
}

static const Scene scenes[] = {{"cube about a corner", 0.08, 0.02, cube_make, cube_launch, {0, 0, -9.81}},
                               {"stool on a slope", 0.16, 0.02, stool_make, stool_launch, {5.0, 0, -8.0}},
                               {"ball on a ball", 0.16, 0.02, ball_make, ball_launch, {0, 0, -9.81}}};

/* ------------------------------------------------------------------ */

/* Where three points of the body are at the end. */
static void run(const Scene *scene, const char *coords, double h, RgVec3 out[3])
{
    RgModel *model = scene->make();
    RgWorldDef def = world_def(model, coords, "rigid");
    RgAdaptOptions adapt = rg_adapt_options_default();
    adapt.gap = GAP;
    def.solver = "cone";
    def.adapt = &adapt;
    def.gravity = scene->gravity;
    RgWorld *world = world_make(&def);
    RgLinkId body = rg_model_find_link(model, "body");
    scene->launch(world, body);
    int steps = (int)(scene->time / h + 0.5);
    world_run(world, steps, h);
    int made = (int)rg_world_step_statistics(world).steps;
    cr_assert(made == steps, "%s: %d steps of %d: something happened", scene->name, made, steps);
    RgPose X = rg_world_link_pose(world, body);
    for (int k = 0; k < 3; k++) {
        double at[3] = {0.0, 0.0, 0.0};
        at[k] = 0.1;
        out[k] = vec_add(X.p, mat_apply(X.R, vec(at[0], at[1], at[2])));
    }
    world_end(world, model);
}

static double apart(const RgVec3 a[3], const RgVec3 b[3])
{
    double most = 0.0;
    for (int k = 0; k < 3; k++)
        most = fmax(most, vec_distance(a[k], b[k]));
    return most;
}

Test(located_order, is_two_while_nothing_happens)
{
    for (int i = 0; i < 3; i++) {
        for (int form = 0; form < 2; form++) {
            const Scene *scene = &scenes[i];
            RgVec3 truth[3], end[3];
            double error[4];
            run(scene, both_forms[form], scene->h / 8.0 / 16.0, truth);
            for (int k = 0; k < 4; k++) {
                run(scene, both_forms[form], scene->h / (1 << k), end);
                error[k] = apart(end, truth);
            }
            for (int k = 1; k < 4; k++)
                cr_expect(error[k - 1] > 3.5 * error[k] && error[k - 1] < 4.5 * error[k], "%s, %s: %g and %g m",
                          scene->name, both_forms[form], error[k - 1], error[k]);
        }
    }
}
