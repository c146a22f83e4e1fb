/*
 * test_forward_kinematics.c - poses, axes, twists and velocity products against the equations of kinematics.h
 * written
 * down naively, against differences in time, and the pairwise kernel against its plain twin.
 */
#include "kin_fixture.h"
#include "scenes.h"

#include <criterion/criterion.h>

#define TREES 200

static double pose_distance(RgPose A, RgPose B)
{
    return fmax(mat_distance(A.R, B.R), vec_distance(A.p, B.p));
}

static double motion_distance(RgMotion a, RgMotion b)
{
    return fmax(vec_distance(a.w, b.w), vec_distance(a.v, b.v));
}

/* Body by body: X = X_parent X_PF X_FB, V = shift(V_parent) + R S v, c = V x S v + R dS/dt v, kinds asked
   for everything. */
Test(forward_kinematics, is_the_naive_recursion)
{
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        KinCase c = kin_case_drawn(seed);
        double worst = 0.0;
        for (int i = 0; i < c.model->nbodies; i++) {
            const RgBody *B = &c.model->bodies[i];
            RgPose X_FB, X_WP = kin_pose(c.kin, B->parent);
            RgMotion S[6], V_J = mv_zero(), V_P = kin_twist(c.kin, B->parent);
            B->kind->motion(&B->geometry, c.s.q + B->q0, &X_FB, S);
            RgPose X = pose_mul(pose_mul(X_WP, B->X_PF), X_FB);
            for (int k = 0; k < B->nv; k++) {
                RgMotion S_W = mv_rotate(X.R, S[k]);
                V_J = mv_axpy(c.s.v[B->v0 + k], S_W, V_J);
                worst = fmax(worst, motion_distance(S_W, c.kin->S[B->v0 + k]));
            }
            RgMotion V = mv_add(mv_shift(V_P, v3_sub(X.p, X_WP.p)), V_J), a = mv_cross(V, V_J);
            if (B->kind->bias != NULL)
                a = mv_add(a, mv_rotate(X.R, B->kind->bias(&B->geometry, c.s.q + B->q0, c.s.v + B->v0)));
            worst = fmax(worst, pose_distance(X, c.kin->X_WB[i]));
            worst = fmax(worst, vec_distance(v3_sub(X.p, X_WP.p), c.kin->r[i]));
            worst = fmax(worst, motion_distance(V, c.kin->V[i]));
            worst = fmax(worst, motion_distance(a, c.kin->c[i]));
        }
        CHECK_NEAR(worst, 0.0, 1e-11, "m, rad, s");
        kin_case_end(&c);
    }
}

/* Central differences of poses give the twists. */
Test(forward_kinematics, twists_are_the_rate_of_poses)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        KinCase c = kin_case_drawn(seed);
        double h = 1e-5, worst = 0.0;
        int n = c.model->nbodies;
        RgPose *before = RG_ARENA_ALLOC(&c.arena, RgPose, n), *after = RG_ARENA_ALLOC(&c.arena, RgPose, n);
        kin_case_look(&c, -h);
        memcpy(before, c.kin->X_WB, (size_t)n * sizeof *before);
        kin_case_look(&c, h);
        memcpy(after, c.kin->X_WB, (size_t)n * sizeof *after);
        kin_case_look(&c, 0.0);
        for (int i = 0; i < n; i++) {
            RgVec3 w = mat_axial(mat_mul(after[i].R, mat_transpose(before[i].R)));
            RgMotion V = {vec_scale(0.5 / h, w), vec_scale(0.5 / h, vec_sub(after[i].p, before[i].p))};
            worst = fmax(worst, motion_distance(V, c.kin->V[i]));
        }
        CHECK_NEAR(worst, 0.0, 2e-6, "rad/s, m/s");
        kin_case_end(&c);
    }
}

/* Runs of one-axis joints by pairs of numbers: the plain loop's bits. */
Test(forward_kinematics, pairs_give_the_bits_of_the_plain_loop)
{
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        KinCase c = kin_case_drawn(seed);
        int n = c.model->nbodies;
        RgPose *X = RG_ARENA_ALLOC(&c.arena, RgPose, n);
        RgVec3 *r = RG_ARENA_ALLOC(&c.arena, RgVec3, n);
        RgMotion *S = RG_ARENA_ALLOC(&c.arena, RgMotion, c.s.nv);
        memcpy(X, c.kin->X_WB, (size_t)n * sizeof *X);
        memcpy(r, c.kin->r, (size_t)n * sizeof *r);
        memcpy(S, c.kin->S, (size_t)c.s.nv * sizeof *S);
        for (int i = 0; i < n; i++)
            if (c.model->bodies[i].kind->helical)
                rg_place_helical_plain(c.s.q, i, i + 1, c.kin);
        cr_expect(same_bits(X, c.kin->X_WB, (size_t)n * sizeof *X), "poses of tree %u", (unsigned)seed);
        cr_expect(same_bits(r, c.kin->r, (size_t)n * sizeof *r), "arms of tree %u", (unsigned)seed);
        cr_expect(same_bits(S, c.kin->S, (size_t)c.s.nv * sizeof *S), "axes of tree %u", (unsigned)seed);
        kin_case_end(&c);
    }
}

/* Without velocities only poses and axes are written. */
Test(forward_kinematics, leaves_twists_alone_without_velocities)
{
    KinCase c = kin_case(scene_humanoid(), 3);
    size_t bytes = (size_t)c.model->nbodies * sizeof(RgMotion);
    RgMotion *V = RG_ARENA_ALLOC(&c.arena, RgMotion, c.model->nbodies);
    memcpy(V, c.kin->V, bytes);
    RgPose before = c.kin->X_WB[5];
    c.s.q[8] += 0.5;
    rg_forward_kin(c.s.q, NULL, c.kin);
    cr_expect(same_bits(V, c.kin->V, bytes));
    cr_expect(pose_distance(before, c.kin->X_WB[5]) > 1e-3);
    kin_case_end(&c);
}

/* A link is carried by its body; one that is welded to the world rests. */
Test(forward_kinematics, links_follow_their_bodies)
{
    KinCase c = kin_case_drawn(7);
    for (int i = 0; i < c.model->nlinks; i++) {
        const RgLink *l = &c.model->links[i];
        RgPose X = place_mul(kin_pose(c.kin, l->body), l->X_BL);
        RgMotion V = kin_twist(c.kin, l->body), out = rg_kin_link_twist(c.kin, i);
        RgVec3 v = vec_add(V.v, vec_cross(V.w, vec_sub(X.p, kin_pose(c.kin, l->body).p)));
        CHECK_NEAR(pose_distance(X, rg_kin_link_pose(c.kin, i)), 0.0, 1e-13, "m");
        CHECK_NEAR(vec_distance(v, out.v) + vec_distance(V.w, out.w), 0.0, 1e-12, "m/s");
    }
    kin_case_end(&c);
}
