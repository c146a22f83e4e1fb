/*
 * test_reactions.c - the wrench through every joint of random forests, welds included.
 *
 *   along the joint's own axes it is effort, spring and damper, less what the rotor takes:  S' f = tau +
 *   passive - n^2 J a
 *   Newton and Euler for each link:  f_joint - sum f_children + wrench + weight = change of its momentum
 *
 * The motion of each axis is the column of the link's Jacobian. The accelerations of links are differences of
 * twists along the motion.
 */
#include "check_near.h"
#include "tree_case.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

#define H 1e-5

static RgWorld *world_at(TreeCase *t, const char *coords)
{
    RgWorld *world = world_of(t->model, coords, "rk4");
    cr_assert(rg_world_set_state(world, t->s.q, t->s.v) == RG_OK);
    for (int i = 1; i <= t->s.links; i++)
        rg_world_set_link_wrench(world, (RgLinkId){i}, t->s.wrenches[i - 1]);
    for (int i = 1; i <= rg_model_info(t->model).joints; i++) {
        RgJointInfo joint = rg_model_joint(t->model, (RgJointId){i});
        if (joint.nv > 0)
            rg_world_set_joint_effort(world, (RgJointId){i}, t->s.tau + joint.v_index);
    }
    return world;
}

/* S' f of one joint against effort, spring, damper and rotor. */
static void check_axes(TreeCase *t, RgWorld *world, RgJointId id, const double *a)
{
    RgJointInfo joint = rg_model_joint(t->model, id);
    double effort[6], *J = calloc(6 * (size_t)t->s.nv + 1, sizeof *J);
    RgForce f;
    cr_assert(rg_world_joint_reaction(world, id, &f) == RG_OK);
    cr_assert(joint.nv == 0 || rg_world_joint_effort(world, id, effort) == RG_OK);
    cr_assert(rg_link_jacobian(t->dynamics, t->s.q, joint.child, J) == RG_OK);
    RgVec3 arm = mat_apply(rg_world_link_pose(world, joint.child).R, joint.X_CJ.p);
    double scale = 1.0 + vec_norm(f.f) + vec_norm(f.n);
    for (int k = 0; k < joint.nv; k++) {
        const double *column = J + joint.v_index + k;
        int n = t->s.nv;
        RgVec3 w = vec(column[0], column[n], column[2 * n]), v = vec(column[3 * n], column[4 * n], column[5 * n]);
        double power = vec_dot(w, f.n) + vec_dot(vec_add(v, vec_cross(w, arm)), f.f);
        const RgAxisDef *axis = &joint.dof[k];
        double rotor = axis->gear_ratio * axis->gear_ratio * axis->rotor_inertia * a[joint.v_index + k];
        CHECK_NEAR(power, effort[k] - rotor, 1e-10 * scale, "N m or N");
    }
    free(J);
}

Test(reactions, along_the_axes_they_are_the_efforts)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        RandomTree options = {.seed = seed / 2};
        TreeCase t = tree_case(&options);
        RgWorld *world = world_at(&t, both_forms[seed % 2]);
        double *a = tree_case_vector(&t);
        cr_assert(rg_world_acceleration(world, a) == RG_OK);
        for (int i = 1; i <= rg_model_info(t.model).joints; i++)
            check_axes(&t, world, (RgJointId){i}, a);
        free(a);
        rg_world_destroy(world);
        tree_case_end(&t);
    }
}

/* Momentum of one link: linear, and angular about the world's origin. */
static RgForce link_momentum(TreeCase *t, const double *a, double h, RgLinkId link)
{
    tree_case_move(t, t->s.v, a, h);
    rg_forward_kinematics(t->dynamics, t->q, t->v);
    RgInertia in = rg_model_link(t->model, link).inertia;
    RgPose X = rg_link_pose(t->dynamics, link);
    RgMotion V = rg_link_twist(t->dynamics, link);
    RgVec3 c = place_point(X, in.com);
    RgVec3 p = vec_scale(in.mass, vec_add(V.v, vec_cross(V.w, vec_sub(c, X.p))));
    return (RgForce){vec_add(inertia_turned(X, in.I, V.w), vec_cross(c, p)), p};
}

/* Adds a force at a point to a sum about the world's origin. */
static void add_force(RgForce *sum, double sign, RgForce f, RgVec3 at)
{
    sum->f = vec_add(sum->f, vec_scale(sign, f.f));
    sum->n = vec_add(sum->n, vec_scale(sign, vec_add(f.n, vec_cross(at, f.f))));
}

/* All forces on a link, about the world's origin. */
static RgForce all_forces(TreeCase *t, RgWorld *world, RgLinkId link)
{
    RgForce sum = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, f;
    RgInertia in = rg_model_link(t->model, link).inertia;
    RgPose X = rg_world_link_pose(world, link);
    add_force(&sum, 1.0, t->s.wrenches[link.i - 1], X.p);
    add_force(&sum, 1.0, (RgForce){{0.0, 0.0, 0.0}, {0.0, 0.0, -9.81 * in.mass}}, place_point(X, in.com));
    for (int i = 1; i <= rg_model_info(t->model).joints; i++) {
        RgJointInfo joint = rg_model_joint(t->model, (RgJointId){i});
        if (joint.child.i != link.i && joint.parent.i != link.i)
            continue;
        cr_assert(rg_world_joint_reaction(world, (RgJointId){i}, &f) == RG_OK);
        RgVec3 at = place_point(rg_world_link_pose(world, joint.child), joint.X_CJ.p);
        add_force(&sum, joint.child.i == link.i ? 1.0 : -1.0, f, at);
    }
    return sum;
}

Test(reactions, move_every_link)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        RandomTree options = {.seed = seed / 2};
        TreeCase t = tree_case(&options);
        RgWorld *world = world_at(&t, both_forms[seed % 2]);
        double *a = tree_case_vector(&t);
        cr_assert(rg_world_acceleration(world, a) == RG_OK);
        double size = 1.0 + check_largest(a, (size_t)t.s.nv);
        for (int i = 1; i <= t.s.links; i++) {
            RgForce sum = all_forces(&t, world, (RgLinkId){i});
            RgForce next = link_momentum(&t, a, H, (RgLinkId){i}), last = link_momentum(&t, a, -H, (RgLinkId){i});
            RgVec3 f = vec_scale(0.5 / H, vec_sub(next.f, last.f)), n = vec_scale(0.5 / H, vec_sub(next.n, last.n));
            cr_expect(vec_distance(sum.f, f) < 1e-7 * size, "tree %u link %d: force off by %g N", (unsigned)seed, i,
                      vec_distance(sum.f, f));
            cr_expect(vec_distance(sum.n, n) < 1e-7 * size, "tree %u link %d: moment off by %g N m", (unsigned)seed, i,
                      vec_distance(sum.n, n));
        }
        free(a);
        rg_world_destroy(world);
        tree_case_end(&t);
    }
}
