/*
 * test_motion.c - the verifier's paths against the stepper's (path/body_path.h) and its tree against the library's
 * forward kinematics; enclosures hold every pose.
 */
#include "check_near.h"
#include "draw.h"
#include "kinematics/kinematics.h"
#include "path/body_path.h"
#include "scenes.h"
#include "verify/motion.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* A body at two ends of a step, as both know it. */
typedef struct Ends {
    RgBodyPlace at[2];
    RgBodyEnd end[2];
} Ends;

static Ends draw_ends(Draw *d, RgVec3 centre_B, double turn)
{
    Ends e;
    RgQuat q = q_from_matrix(draw_pose(d, 1.0).R);
    for (int k = 0; k < 2; k++) {
        RgBodyPlace *at = &e.at[k];
        at->centre = draw_vec(d, 3.0);
        at->turn = k == 0 ? q : q_rotate(q, v3_scale(turn, draw_direction(d)));
        at->velocity = draw_vec(d, 5.0);
        at->w = draw_vec(d, 4.0);
        RgMat3 R = q_matrix(at->turn);
        e.end[k] = (RgBodyEnd){{R, v3_sub(at->centre, m3_apply(R, centre_B))}, at->centre, at->velocity, at->w};
    }
    return e;
}

static double pose_error(RgPose a, RgPose b)
{
    double worst = v3_norm(v3_sub(a.p, b.p));
    for (int i = 0; i < 9; i++)
        worst = fmax(worst, fabs(a.R.m[i / 3][i % 3] - b.R.m[i / 3][i % 3]));
    return worst;
}

Test(motion, curves_are_those_of_the_steppers)
{
    Draw d = draw_seed(41);
    double worst = 0.0;
    for (int round = 0; round < 2000; round++) {
        RgVec3 centre_B = draw_vec(&d, 0.5);
        double h = draw_between(&d, 1e-4, 0.3);
        Ends e = draw_ends(&d, centre_B, draw_between(&d, 0.0, 2.0));
        RgMovingShape mover;
        RgBodyPath path;
        cr_assert(rg_mover_curve(&e.at[0], &e.at[1], h, &mover));
        if (!rg_body_path_between(&e.end[0], &e.end[1], h, &path))
            continue;
        RgMotionStep step = {&mover, NULL, false, h, NULL, NULL};
        for (int k = 0; k <= 10; k++) {
            RgPose theirs = rg_body_path_pose(&path, 0.1 * k * h), ours = rg_motion_pose(&step, 0, 0.1 * k);
            theirs.p = pose_apply(theirs, centre_B);
            worst = fmax(worst, pose_error(ours, theirs));
        }
    }
    cr_expect_lt(worst, 5e-14, "%g", worst);
}

/* Every pose of an interval is within its enclosure. */
static void check_enclosed(const RgMotionStep *step, int body, double a, double b)
{
    RgMoving all;
    if (!rg_motion_series(step, body, a, b, &all))
        return;
    for (int k = 0; k <= 8; k++) {
        double x = -1.0 + 0.25 * k, u = 0.5 * (a + b) + 0.5 * (b - a) * x;
        RgPose X = rg_motion_pose(step, body, u);
        for (int i = 0; i < 9; i++) {
            const RgSeries *s = &all.R.at[i / 3][i % 3];
            cr_expect_leq(fabs(rg_series_at(s, x) - X.R.m[i / 3][i % 3]), s->r + 2e-14);
        }
        for (int i = 0; i < 3; i++)
            cr_expect_leq(fabs(rg_series_at(&all.c.at[i], x) - v3_at(X.p, i)), all.c.at[i].r + 1e-13);
    }
}

Test(motion, curves_are_within_their_enclosures)
{
    Draw d = draw_seed(42);
    for (int round = 0; round < 300; round++) {
        double h = draw_between(&d, 1e-4, 0.1), a = draw_between(&d, 0.0, 0.9);
        Ends e = draw_ends(&d, v3_zero(), draw_between(&d, 0.0, 1.0));
        RgMovingShape mover;
        cr_assert(rg_mover_curve(&e.at[0], &e.at[1], h, &mover));
        RgMotionStep step = {&mover, NULL, false, h, NULL, NULL};
        check_enclosed(&step, 0, 0.0, 1.0);
        check_enclosed(&step, 0, a, draw_between(&d, a, 1.0));
    }
}

/* The tree of a model as a certificate has it. */
static RgTreeBody *tree_of(const RgModel *m)
{
    RgTreeBody *tree = calloc((size_t)m->nbodies, sizeof *tree);
    cr_assert_not_null(tree);
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *b = &m->bodies[i];
        int nq, nv;
        cr_assert(rg_tree_joint_find(b->kind->name, strlen(b->kind->name), &tree[i].joint, &nq, &nv));
        cr_expect(nq == b->kind->nq && nv == b->kind->nv);
        tree[i].parent = b->parent;
        tree[i].q0 = b->q0;
        tree[i].v0 = b->v0;
        tree[i].X_PF = b->X_PF;
        tree[i].turn = b->geometry.turn;
        tree[i].slide = b->geometry.slide;
        tree[i].axis1 = b->geometry.axis1;
        tree[i].centre = b->inertia.com;
    }
    return tree;
}

Test(motion, trees_follow_their_joints_as_the_library_does)
{
    RgModel *model = scene_all_joints();
    RgTreeBody *tree = tree_of(model);
    RgArena arena;
    rg_arena_init(&arena, &(RgAllocator){0});
    RgKin *kin = rg_kin_alloc(&arena, model);
    double *q = calloc((size_t)model->nq, sizeof *q), *v = calloc((size_t)model->nv, sizeof *v);
    double *step_v = calloc((size_t)model->nv, sizeof *v), *at = calloc((size_t)model->nq, sizeof *at);
    Draw d = draw_seed(43);
    double h = 0.2, worst = 0.0;
    for (int round = 0; round < 20; round++) {
        /* Any state: a random motion from the neutral one. */
        rg_model_neutral(model, at);
        for (int i = 0; i < model->nv; i++)
            step_v[i] = draw_between(&d, -1.0, 1.0);
        rg_integrate_positions(model, at, step_v, q);
        for (int i = 0; i < model->nv; i++)
            v[i] = draw_between(&d, -3.0, 3.0);
        RgMotionStep step = {NULL, tree, true, h, q, v};
        for (int k = 0; k <= 4; k++) {
            for (int i = 0; i < model->nv; i++)
                step_v[i] = 0.25 * k * h * v[i];
            rg_integrate_positions(model, q, step_v, at);
            rg_forward_kin(at, v, kin);
            for (int i = 0; i < model->nbodies; i++) {
                RgPose theirs = kin->X_WB[i], ours = rg_motion_pose(&step, i, 0.25 * k);
                theirs.p = pose_apply(theirs, model->bodies[i].inertia.com);
                worst = fmax(worst, pose_error(ours, theirs));
            }
        }
        for (int i = 0; i < model->nbodies; i++)
            check_enclosed(&step, i, 0.1, 0.7);
    }
    cr_expect_lt(worst, 1e-13, "%g", worst);
    free(q);
    free(v);
    free(step_v);
    free(at);
    free(tree);
    rg_arena_free(&arena);
    rg_model_destroy(model);
}
