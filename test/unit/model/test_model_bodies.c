/*
 * test_model_bodies.c - from links to bodies: welds add up, static links are the world, floating ones
 * stand where they were put; how velocities are numbered, and what a saved state depends on.
 */
#include "check_near.h"
#include "draw.h"
#include "links.h"
#include "model/model.h"
#include "random_tree.h"
#include "scene_parts.h"

static RgJointDef draw_weld(Draw *d, const char *name)
{
    RgJointDef def = rg_joint_def_default();
    def.name = name;
    def.X_PJ = draw_pose(d, 0.5);
    def.X_CJ = draw_pose(d, 0.5);
    return def;
}

/* Inertia of several links about their common centre of mass, in a frame in which each stands at X. */
static RgInertia sum_inertia(const RgPose *X, const RgInertia *in, int count)
{
    RgInertia sum = {0};
    for (int i = 0; i < count; i++) {
        sum.mass += in[i].mass;
        sum.com = vec_add(sum.com, vec_scale(in[i].mass, place_point(X[i], in[i].com)));
    }
    sum.com = vec_scale(1.0 / sum.mass, sum.com);
    RgMat3 I = {{{0.0}}};
    for (int i = 0; i < count; i++) {
        RgVec3 r = vec_sub(place_point(X[i], in[i].com), sum.com), e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        const double x[3] = {r.x, r.y, r.z};
        for (int k = 0; k < 3; k++) {
            RgVec3 column = inertia_turned(X[i], in[i].I, e[k]);
            const double y[3] = {column.x, column.y, column.z};
            for (int j = 0; j < 3; j++)
                I.m[j][k] += y[j] + in[i].mass * ((j == k ? vec_dot(r, r) : 0.0) - x[j] * x[k]);
        }
    }
    sum.I = (RgSym3){I.m[0][0], I.m[1][1], I.m[2][2], I.m[0][1], I.m[0][2], I.m[1][2]};
    return sum;
}

/* A floating root with two welded links, one of them by a weld written backwards, against one link of the
   same inertia. */
Test(model_bodies, welded_links_are_one_body)
{
    Draw d = draw_seed(23);
    for (int i = 0; i < 20; i++) {
        RgBuilder *b = scene_begin("welds");
        RgInertia in[3];
        RgLinkId links[3];
        static const char *const names[3] = {"root", "one", "two"};
        for (int k = 0; k < 3; k++) {
            double mass = draw_between(&d, 0.1, 2.0);
            in[k] = inertia_box(i % 5 == 0 && k == 1 ? 0.0 : mass, draw_vec(&d, 0.3), vec(0.1, 0.2, 0.3));
            links[k] = link_add(b, names[k], in[k]);
        }
        RgJointDef weld = draw_weld(&d, "weld"), back = draw_weld(&d, "back");
        weld.parent = links[0];
        weld.child = links[1];
        back.parent = links[2];
        back.child = links[1];
        joint_add(b, &weld);
        joint_add(b, &back);
        RgModel *welded = scene_end(b);
        RgPose X[3] = {place_at(0.0, 0.0, 0.0), place_mul(weld.X_PJ, place_inverse(weld.X_CJ))};
        X[2] = place_mul(X[1], place_mul(back.X_CJ, place_inverse(back.X_PJ)));
        RgInertia sum = sum_inertia(X, in, 3);
        cr_assert(rg_model_info(welded).bodies == 1 && rg_model_info(welded).nv == 6);
        const RgInertia *body = &welded->bodies[0].inertia;
        CHECK_NEAR(body->mass, sum.mass, 1e-15, "kg");
        CHECK_NEAR(vec_distance(body->com, sum.com), 0.0, 1e-15, "m");
        const double actual[6] = {body->I.xx, body->I.yy, body->I.zz, body->I.xy, body->I.xz, body->I.yz};
        const double expected[6] = {sum.I.xx, sum.I.yy, sum.I.zz, sum.I.xy, sum.I.xz, sum.I.yz};
        CHECK_NEAR_ALL(actual, expected, 6, 2e-15, "kg m^2");
        for (int k = 1; k < 3; k++) {
            RgLinkInfo info = rg_model_link(welded, links[k]);
            cr_expect(info.body == 0 && info.q_index == -1 && !info.floats);
            CHECK_NEAR(pose_distance(relative_pose(welded, welded->q_neutral, "root", names[k]), X[k]), 0.0, 2e-15, "");
        }
        rg_model_destroy(welded);
    }
}

/* Static links, and what is welded to them, are the world: no velocity; what hangs
   on them moves. */
Test(model_bodies, static_links)
{
    RgBuilder *b = scene_begin("static");
    RgPose X = {mat_turn(vec(0.6, 0.0, 0.8), 0.7), {1.0, 2.0, 3.0}};
    RgLinkId ground = link_static(b, "ground", X), post = link_add(b, "post", box()), arm = link_add(b, "arm", box());
    RgJointDef weld = joint_at(RG_JOINT_fixed, "weld", ground, post, vec(0.0, 0.0, 1.0), axis_z);
    RgJointDef hinge = joint_at(RG_JOINT_revolute, "hinge", post, arm, vec(0.5, 0.0, 0.0), axis_z);
    joint_add(b, &weld);
    joint_add(b, &hinge);
    RgModel *model = scene_end(b);
    RgModelInfo info = rg_model_info(model);
    cr_expect(info.nv == 1 && info.bodies == 1);
    double mass = 0.0;
    for (int32_t i = 1; i <= info.links; i++)
        mass += rg_model_link(model, (RgLinkId){i}).inertia.mass;
    CHECK_NEAR(info.mass, mass, 1e-15, "kg");
    cr_expect(rg_model_link(model, ground).body == -1 && rg_model_link(model, post).body == -1);
    cr_expect(!rg_model_link(model, ground).floats && rg_model_link(model, arm).body == 0);
    double q = 0.0;
    RgPose expected = place_mul(X, place_at(0.5, 0.0, 1.0)), actual;
    RgDynamics *dynamics = rg_dynamics_create(model, NULL);
    rg_forward_kinematics(dynamics, &q, NULL);
    actual = rg_link_pose(dynamics, arm);
    CHECK_NEAR(pose_distance(actual, expected), 0.0, 1e-15, "");
    CHECK_NEAR(pose_distance(rg_link_pose(dynamics, ground), X), 0.0, 0.0, "");
    rg_dynamics_destroy(dynamics);
    rg_model_destroy(model);
}

/* Floating roots stand at X_WL in the neutral position, also after half a turn; all other joints at
   zero. */
Test(model_bodies, neutral_positions)
{
    static const double angles[5] = {0.0, 1e-9, 1.0, 3.0, TEST_PI};
    for (int i = 0; i < 5; i++) {
        RgPose X = {mat_turn(vec(0.48, -0.6, 0.64), angles[i]), {0.1 * i, -1.0, 2.0}};
        RgBuilder *b = scene_begin("neutral");
        RgLinkId base = link_add_at(b, "base", box(), X), tip = link_add(b, "tip", box());
        RgJointDef ball = joint_at(RG_JOINT_spherical, "ball", base, tip, O, axis_z);
        joint_add(b, &ball);
        RgModel *model = scene_end(b);
        double q[11];
        const double straight[4] = {1.0, 0.0, 0.0, 0.0};
        cr_assert(rg_model_info(model).nq == 11);
        rg_model_neutral(model, q);
        CHECK_NEAR(mat_distance(mat_of_quat(q), X.R), 0.0, 1e-15, "");
        CHECK_NEAR(vec_distance(vec(q[4], q[5], q[6]), X.p), 0.0, 0.0, "m");
        CHECK_NEAR_ALL(q + 7, straight, 4, 0.0, "");
        rg_model_destroy(model);
    }
}

/* Velocities run parents first; a run is a chain of neighbours, each the parent of the next. */
Test(model_bodies, order_of_velocities)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        RandomTree options = {.seed = seed};
        RgModel *m = random_tree(&options);
        int deepest = 0;
        for (int k = 0; k < m->nv; k++) {
            const RgBody *B = &m->bodies[m->dof_body[k]];
            int parent = k > B->v0        ? k - 1
                         : B->parent >= 0 ? m->bodies[B->parent].v0 + m->bodies[B->parent].nv - 1
                                          : -1;
            cr_expect(m->dof_parent[k] == parent && parent < k);
            for (int j = m->run_start[k] + 1; j <= k; j++)
                cr_expect(m->dof_parent[j] == j - 1);
            int start = m->run_start[k], depth = 0;
            cr_expect(start == 0 || m->dof_parent[start] != start - 1, "a run could be longer");
            for (int j = k; j >= 0; j = m->dof_parent[j])
                depth++;
            deepest = depth > deepest ? depth : deepest;
        }
        cr_expect(m->depth == deepest);
        rg_model_destroy(m);
    }
}

/* What a test may change in the description of two links on two joints. */
typedef struct Variant {
    RgJointType type;
    double mass, x, pitch, axis2_x;
    bool floating;
} Variant;

static uint64_t signature_of(const Variant *v)
{
    RgBuilder *b = scene_begin("signature");
    RgLinkId a = link_add(b, "a", inertia_box(v->mass, O, vec(0.1, 0.2, 0.3))), c = link_add(b, "c", box());
    RgJointDef first = joint_at(v->type, "first", (RgLinkId){0}, a, vec(v->x, 0.0, 0.0), axis_z);
    RgJointDef second = joint_at(RG_JOINT_universal, "second", a, c, vec(1.0, 0.0, 0.0), axis_z);
    first.pitch = v->pitch;
    second.axis = vec(1.0, v->axis2_x, 0.0);
    second.axis2 = axis_z;
    if (!v->floating)
        joint_add(b, &first);
    joint_add(b, &second);
    RgModel *model = scene_end(b);
    uint64_t signature = model->signature;
    rg_model_destroy(model);
    return signature;
}

Test(model_bodies, signature_tells_models_apart)
{
    const Variant base = {RG_JOINT_screw, 1.0, 0.5, 0.1, 0.0, false};
    Variant others[6] = {base, base, base, base, base, base};
    others[0].type = RG_JOINT_revolute;
    others[1].mass = 1.5;
    others[2].x = 0.25;
    others[3].pitch = 0.2;
    others[4].axis2_x = 0.3;
    others[5].floating = true;
    cr_expect(signature_of(&base) == signature_of(&base));
    for (int i = 0; i < 6; i++)
        cr_expect(signature_of(&others[i]) != signature_of(&base), "variant %d looks the same", i);
}

/* An empty description is a model, too. */
Test(model_bodies, nothing_at_all)
{
    RgModel *model = scene_end(scene_begin("empty"));
    RgModelInfo info = rg_model_info(model);
    cr_expect(info.links == 0 && info.bodies == 0 && info.nq == 0 && info.nv == 0 && info.mass == 0.0);
    rg_model_destroy(model);
}
