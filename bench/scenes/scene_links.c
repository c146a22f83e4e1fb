/*
 * scene_links.c - S4 the chain, S5 the quadruped, S6 the double pendulum.
 *
 * S5. Trunk 0.5 x 0.25 x 0.1 m, 10 kg. A leg: hinge about x at the trunk's side, hip link (0.5 kg) 0.08 m
 * outwards, hinge about y, thigh 0.2 m, hinge about y, shank 0.2 m (1 kg each), a ball of 0.02 m at its
 * end. Thigh and shank stand at slopes 3:4, knees of front legs back and of hind legs forward, so that the
 * feet are right below the hips and the whole is symmetric:
 *
 *          hip --(trunk)-- hip            each foot carries a quarter of the weight
 *           /               \            and no sideways force is needed
 *        knee               knee
 *           \               /
 *          foot           foot
 *
 * The targets are chosen so that this pose is the exact equilibrium of the drives: target = tau / kp, with
 * tau the efforts of statics. A rigid simulator stays there for ever: what it sags or creeps is its error.
 *
 * S6. Uniform boxes of 2,700 kg/m^3: upper 0.01 x 0.01 x 0.1 m, lower five times larger, so that moments of
 * inertia are 1 : 3,125. Hinges about x at the top of each; 45 degrees from vertical, and another 45.
 * Gravity has 1 m/s^2 along the hinges, which the hinges must hold: x axes stay along x.
 */
#include "scene_build.h"

#include <string.h>

static const RgVec3 axis_x = {1.0, 0.0, 0.0};
static const RgVec3 axis_y = {0.0, 1.0, 0.0};

/* ------------------------------------------------------------------ S4 */

/* Slim rods along +x, as scene_chain of the tests: gyration 0.05 m about their own axis. */
static SceneData *chain(const char *name)
{
    const int n = 100;
    SceneData *s = scene_new(name, "chain of 100 rods", n, n);
    for (int i = 0; i < n; i++) {
        int rod = scene_add_body(s, 1.0, vec(0.0025, 1.0 / 12.0, 1.0 / 12.0), place_at(i + 0.5, 0.0, 0.0));
        s->bodies[rod].group = 0;
        scene_add_hinge(s, i - 1, rod, vec(i, 0.0, 0.0), axis_y);
    }
    s->error = SCENE_ERROR_CHAIN;
    s->dt = 1e-3;
    s->steps = 2000;
    return s;
}

/* ------------------------------------------------------------------ S5 */

#define HEIGHT 0.34 /* of trunk and hips */
#define FOOT 0.02   /* radius */
#define KP 200.0    /* N m/rad */
#define KD 5.0      /* N m s/rad: kd dt below a shank's inertia about the knee, 0.013 kg m^2 */

/* A rod of 0.2 m whose upper end stands at p and that leans by 3:4 to the side (-1, 1) as it goes down. */
static int add_bone(SceneData *s, RgVec3 p, double side)
{
    RgPose X = {{{{0.8, 0.0, -0.6 * side}, {0.0, 1.0, 0.0}, {0.6 * side, 0.0, 0.8}}},
                vec_add(p, vec(0.06 * side, 0.0, -0.08))};
    return scene_add_body(s, 1.0, scene_box_moments(1.0, vec(0.04, 0.04, 0.2)), X);
}

static void add_leg(SceneData *s, int trunk, double front, double left)
{
    RgVec3 shoulder = vec(0.2 * front, 0.125 * left, HEIGHT);
    RgVec3 hip = vec_add(shoulder, vec(0.0, 0.08 * left, 0.0));
    RgVec3 knee = vec_add(hip, vec(-0.12 * front, 0.0, -0.16));
    RgPose X_hip = place_at(shoulder.x, shoulder.y + 0.04 * left, shoulder.z);
    int block = scene_add_body(s, 0.5, scene_box_moments(0.5, vec(0.08, 0.08, 0.08)), X_hip);
    int thigh = add_bone(s, hip, -front), shank = add_bone(s, knee, front);
    scene_add_hinge(s, trunk, block, shoulder, axis_x);
    scene_add_hinge(s, block, thigh, hip, axis_y);
    scene_add_hinge(s, thigh, shank, knee, axis_y);
    scene_add_shape(s, shank, SCENE_SPHERE, (const double[3]){FOOT, 0.0, 0.0}, vec(0.0, 0.0, -0.1));
}

/* Effort that a hinge must give so that what hangs on it stands still: weights of the bodies beyond it, and
   the quarter of all weight that pushes the foot up. A leg's bodies and joints come in a row. */
static double static_effort(const SceneData *s, int joint)
{
    const SceneJoint *j = &s->joints[joint];
    int last = 3 * (joint / 3) + 3;
    double weight = 0.0;
    for (int i = 0; i < s->nbodies; i++)
        weight += 9.81 * s->bodies[i].mass;
    RgVec3 foot = place_point(s->bodies[last].X_WB, vec(0.0, 0.0, -0.1));
    foot.z -= FOOT;
    RgVec3 moment = vec_cross(vec_sub(foot, j->anchor), vec(0.0, 0.0, 0.25 * weight));
    for (int i = j->child; i <= last; i++) {
        RgVec3 arm = vec_sub(s->bodies[i].X_WB.p, j->anchor);
        moment = vec_add(moment, vec_cross(arm, vec(0.0, 0.0, -9.81 * s->bodies[i].mass)));
    }
    return -vec_dot(j->axis, moment);
}

static SceneData *quadruped(const char *name)
{
    SceneData *s = scene_new(name, "quadruped standing on its drives", 13, 12);
    int trunk = scene_add_box(s, 10.0, vec(0.5, 0.25, 0.1), place_at(0.0, 0.0, HEIGHT));
    for (int leg = 0; leg < 4; leg++)
        add_leg(s, trunk, leg < 2 ? 1.0 : -1.0, leg % 2 == 0 ? 1.0 : -1.0);
    for (int i = 0; i < s->nbodies; i++)
        s->bodies[i].group = 0;
    for (int i = 0; i < s->njoints; i++) {
        SceneJoint *j = &s->joints[i];
        j->driven = true;
        j->kp = KP;
        j->kd = KD;
        j->target = static_effort(s, i) / KP;
        j->lower = -1.0;
        j->upper = 1.0;
    }
    s->has_floor = true;
    s->error = SCENE_ERROR_STAND;
    s->dt = 1e-3;
    s->steps = 5000;
    return s;
}

/* ------------------------------------------------------------------ S6 */

/* A uniform box whose top stands at p and that is turned about x by the angle of this sine and cosine. */
static int add_arm(SceneData *s, RgVec3 size, RgVec3 p, double sine, double cosine)
{
    double mass = 2700.0 * size.x * size.y * size.z;
    RgPose X = {{{{1.0, 0.0, 0.0}, {0.0, cosine, -sine}, {0.0, sine, cosine}}},
                vec_add(p, vec_scale(0.5 * size.z, vec(0.0, sine, -cosine)))};
    int body = scene_add_body(s, mass, scene_box_moments(mass, size), X);
    s->bodies[body].group = 0;
    return body;
}

static SceneData *double_pendulum(const char *name)
{
    SceneData *s = scene_new(name, "double pendulum, inertia 1 : 3,125", 2, 2);
    double half = sqrt(0.5);
    RgVec3 top = vec(0.0, 0.0, 1.0), middle = vec_add(top, vec(0.0, 0.1 * half, -0.1 * half));
    int upper = add_arm(s, vec(0.01, 0.01, 0.1), top, half, half);
    int lower = add_arm(s, vec(0.05, 0.05, 0.5), middle, 1.0, 0.0);
    scene_add_hinge(s, SCENE_WORLD, upper, top, axis_x);
    scene_add_hinge(s, upper, lower, middle, axis_x);
    s->gravity.x = 1.0;
    s->error = SCENE_ERROR_TILT;
    s->dt = 1e-3;
    s->steps = 3000;
    return s;
}

SceneData *scene_of_links(const char *name)
{
    if (strcmp(name, "S4") == 0)
        return chain(name);
    if (strcmp(name, "S5") == 0)
        return quadruped(name);
    if (strcmp(name, "S6") == 0)
        return double_pendulum(name);
    return NULL;
}
