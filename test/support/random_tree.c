/*
 * random_tree.c - forests and states drawn from a seed.
 *
 * Inertias. A mass distribution with second moments C = integral x x' dm about its centre has I = tr(C) 1 -
 * C; drawing C positive
 * definite gives every inertia that a real body can have, and none that breaks the triangle inequality.
 */
#include "random_tree.h"

#include "scene_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINKS 40

static RgInertia draw_inertia(Draw *d)
{
    double mass = draw_between(d, 0.2, 5.0);
    RgVec3 axis = draw_direction(d);
    RgMat3 R = mat_turn(axis, draw_between(d, -3.0, 3.0)), C = {{{0.0}}};

    /* C = m R diag(s1^2, s2^2, s3^2) R' with s the radii of gyration. */
    for (int k = 0; k < 3; k++) {
        double s = draw_between(d, 0.03, 0.3), weight = mass * s * s;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                C.m[i][j] += weight * R.m[i][k] * R.m[j][k];
    }
    double trace = C.m[0][0] + C.m[1][1] + C.m[2][2];
    RgSym3 I = {trace - C.m[0][0], trace - C.m[1][1], trace - C.m[2][2], -C.m[0][1], -C.m[0][2], -C.m[1][2]};
    return (RgInertia){mass, draw_vec(d, 0.3), I};
}

static void draw_axes(Draw *d, RgJointDef *def, bool passive, bool rotors)
{
    bool ball = def->type == RG_JOINT_spherical || def->type == RG_JOINT_free;
    bool sprung = passive && draw_chance(d, 0.3), damped = passive && draw_chance(d, 0.4);
    double ball_stiffness = draw_between(d, 1.0, 20.0);
    rotors = rotors && draw_chance(d, 0.3);
    for (int i = 0; i < 6; i++) {
        RgAxisDef *axis = &def->dof[i];
        double stiffness = draw_between(d, 1.0, 20.0), rest = draw_between(d, -0.5, 0.5);
        double damping = draw_between(d, 0.01, 2.0), rotor = draw_between(d, 1e-5, 1e-3);
        axis->gear_ratio = draw_between(d, -50.0, 50.0);

        /* The three angles of a ball share one spring, at rest where the ball is straight. */
        bool angle_of_ball = ball && i < 3;
        axis->stiffness = !sprung ? 0.0 : angle_of_ball ? ball_stiffness : stiffness;
        axis->rest = sprung && !angle_of_ball ? rest : 0.0;
        axis->damping = damped ? damping : 0.0;
        axis->rotor_inertia = rotors ? rotor : 0.0;
    }
}

static RgJointDef draw_joint(Draw *d, const RandomTree *options, RgLinkId parent, RgLinkId child)
{
    RgJointDef def = rg_joint_def_default();
    def.type = (RgJointType)draw_below(d, RG_JOINT_COUNT);
    def.parent = parent;
    def.child = child;
    def.X_PJ = draw_pose(d, 0.5);
    def.X_CJ = draw_pose(d, 0.3);
    double length = draw_between(d, 0.5, 2.0);
    def.axis = vec_scale(length, draw_direction(d));
    do
        def.axis2 = draw_direction(d);
    while (vec_norm(vec_cross(def.axis, def.axis2)) < 0.4 * vec_norm(def.axis));
    def.pitch = draw_between(d, -0.3, 0.3);

    /* A rotor of a joint with the world would be a force of the world. */
    draw_axes(d, &def, !options->no_passive, !(options->all_floating && parent.i == 0));
    return def;
}

/* Roots float or hang on the world; every other link hangs on an earlier one. */
static RgLinkId draw_parent(Draw *d, const RandomTree *options, const RgLinkId *links, int i, bool *floats)
{
    bool root = i == 0 || draw_chance(d, 0.1);
    *floats = root && (options->all_floating || draw_chance(d, 0.4));
    if (root)
        return (RgLinkId){0};

    /* Long chains and bushes both: the last link or any. */
    return draw_chance(d, 0.5) ? links[i - 1] : links[draw_below(d, i)];
}

/* Adds joints between random links, with frames that coincide at the poses X_WL. */
static void close_loops(RgBuilder *b, Draw *d, const RandomTree *options, const RgLinkId *links, int count)
{
    RgModel *open = rg_builder_finish(b, NULL);
    RgDynamics *dynamics = rg_dynamics_create(open, NULL);
    double *q = calloc((size_t)rg_model_info(open).nq + 1, sizeof *q);
    rg_model_neutral(open, q);
    rg_forward_kinematics(dynamics, q, NULL);
    for (int i = 0; i < options->loops; i++) {
        RgLinkId one = links[draw_below(d, count)], two = links[draw_below(d, count)];
        RgJointDef def = draw_joint(d, options, one, two);
        if (one.i == two.i)
            continue;
        char name[32];
        snprintf(name, sizeof name, "loop%d", i);
        def.name = name;
        def.may_close_loop = true;
        RgPose X_WJ = place_mul(rg_link_pose(dynamics, one), def.X_PJ);
        def.X_CJ = place_mul(place_inverse(rg_link_pose(dynamics, two)), X_WJ);
        joint_add(b, &def);
    }
    free(q);
    rg_dynamics_destroy(dynamics);
    rg_model_destroy(open);
}

RgModel *random_tree(const RandomTree *options)
{
    Draw d = draw_seed(options->seed);
    RgBuilder *b = scene_begin("random tree");
    RgLinkId links[MAX_LINKS];
    int drawn = 1 + draw_below(&d, 14), count = options->links > 0 ? options->links : drawn;
    for (int i = 0; i < count; i++) {
        char link[32], joint[32];
        snprintf(link, sizeof link, "link%d", i);
        snprintf(joint, sizeof joint, "joint%d", i);
        bool floats;
        RgLinkId parent = draw_parent(&d, options, links, i, &floats);
        RgInertia inertia = draw_inertia(&d);
        links[i] = link_add_at(b, link, inertia, draw_pose(&d, 1.0));
        RgJointDef def = draw_joint(&d, options, parent, links[i]);
        def.name = joint;
        if (!floats)
            joint_add(b, &def);
    }
    if (options->loops > 0)
        close_loops(b, &d, options, links, count);
    return scene_end(b);
}

static double *numbers(int count)
{
    double *x = calloc((size_t)count + 1, sizeof *x);
    if (x == NULL)
        abort();
    return x;
}

TestState random_state(const RgModel *model, uint64_t seed)
{
    Draw d = draw_seed(seed ^ UINT64_C(0xabcdef));
    RgModelInfo info = rg_model_info(model);
    TestState s = {.nq = info.nq, .nv = info.nv, .links = info.links};
    s.q = numbers(s.nq);
    s.v = numbers(s.nv);
    s.tau = numbers(s.nv);
    s.a = numbers(s.nv);
    s.wrenches = calloc((size_t)s.links + 1, sizeof *s.wrenches);
    if (s.wrenches == NULL)
        abort();

    /* Positions: a random step away from q = 0. */
    rg_model_neutral(model, s.q);
    for (int i = 0; i < s.nv; i++)
        s.a[i] = draw_between(&d, -1.7, 1.7);
    rg_integrate_positions(model, s.q, s.a, s.q);
    for (int i = 0; i < s.nv; i++) {
        s.v[i] = draw_between(&d, -2.0, 2.0);
        s.tau[i] = draw_between(&d, -10.0, 10.0);
        s.a[i] = 0.0;
    }
    for (int i = 0; i < s.links; i++) {
        s.wrenches[i].n = draw_vec(&d, 10.0);
        s.wrenches[i].f = draw_vec(&d, 10.0);
    }
    return s;
}

void test_state_destroy(TestState *state)
{
    free(state->q);
    free(state->v);
    free(state->tau);
    free(state->a);
    free(state->wrenches);
    *state = (TestState){0};
}
