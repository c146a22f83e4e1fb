/*
 * test_model.c - questions to a finished model: names with and without group, and what links, joints,
 * shapes, frames and couplings say of themselves.
 */
#include "check_near.h"
#include "model/model.h"
#include "scene_parts.h"

#include <string.h>

/* Two robots with the same names inside, a link that only one of them has, and a link of no robot. */
static RgModel *two_robots(void)
{
    RgBuilder *b = scene_begin("pair");
    for (int i = 0; i < 2; i++) {
        const char *group = i == 0 ? "left" : "right";
        RgLinkDef link = rg_link_def_default();
        link.name = "base";
        link.group = group;
        link.inertia = inertia_box(1.0 + i, vec(0.0, 0.0, 0.0), vec(0.1, 0.2, 0.3));
        RgLinkId base = rg_builder_add_link(b, &link);
        link.name = i == 0 ? "arm" : "leg";
        RgLinkId limb = rg_builder_add_link(b, &link);
        RgJointDef joint = joint_at(RG_JOINT_universal, "joint", base, limb, vec(0.5, 0.0, 0.0), vec(0.0, 0.0, 2.0));
        joint.axis2 = vec(0.0, 3.0, 0.0);
        joint.group = group;
        joint.line = 12 + i;
        joint.dof[1].damping = 0.7;
        joint_add(b, &joint);
        RgFrameDef frame = rg_frame_def_default();
        frame.name = "tool";
        frame.group = group;
        frame.link = limb;
        frame.X_LF = place_at(0.0, 0.0, 1.0 + i);
        rg_builder_add_frame(b, &frame);
    }
    link_add(b, "stone", inertia_box(1.0, vec(0.0, 0.0, 0.0), vec(0.1, 0.2, 0.3)));
    return scene_end(b);
}

/* A bare name where it is the only one, "group::name" always, nothing where it could be either. */
Test(model, names)
{
    RgModel *m = two_robots();
    cr_expect(rg_model_find_link(m, "arm").i == 2 && rg_model_find_link(m, "left::arm").i == 2);
    cr_expect(rg_model_find_link(m, "left::base").i == 1 && rg_model_find_link(m, "right::base").i == 3);
    cr_expect(rg_model_find_link(m, "stone").i == 5);
    cr_expect(rg_model_find_joint(m, "right::joint").i == 2 && rg_model_find_frame(m, "right::tool").i == 2);
    static const char *const none[] = {"base",      "",          "left::",      "::base",
                                       "left:base", "left::leg", "left::arm::", "lef::arm"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        cr_expect(rg_model_find_link(m, none[i]).i == 0, "'%s' was found", none[i]);
    cr_expect(rg_model_find_joint(m, "joint").i == 0 && rg_model_find_frame(m, "tool").i == 0, "ambiguous");
    rg_model_destroy(m);
}

Test(model, says_what_was_described)
{
    RgModel *m = two_robots();
    RgModelInfo info = rg_model_info(m);
    cr_expect_str_eq(info.name, "pair");
    cr_expect(info.links == 5 && info.joints == 2 && info.frames == 2 && info.shapes == 0 && info.couplings == 0);
    cr_expect(info.bodies == 5 && info.loops == 0 && info.nv == 3 * 6 + 2 * 2 && info.nq == 3 * 7 + 2 * 2);
    CHECK_NEAR(info.mass, 7.0, 1e-15, "kg");

    RgJointInfo joint = rg_model_joint(m, (RgJointId){2});
    cr_expect(strcmp(joint.name, "joint") == 0 && strcmp(joint.group, "right") == 0 && joint.line == 13);
    cr_expect(joint.type == RG_JOINT_universal && joint.nq == 2 && joint.nv == 2 && !joint.is_loop);
    cr_expect(joint.parent.i == 3 && joint.child.i == 4 && joint.dof[1].damping == 0.7);
    CHECK_NEAR(vec_distance(joint.axis, vec(0.0, 0.0, 1.0)), 0.0, 0.0, "unit axis");
    CHECK_NEAR(vec_distance(joint.axis2, vec(0.0, 1.0, 0.0)), 0.0, 0.0, "unit axis");
    cr_expect(joint.q_index == 7 + 2 + 7 && joint.v_index == 6 + 2 + 6);

    RgLinkInfo base = rg_model_link(m, (RgLinkId){3}), leg = rg_model_link(m, (RgLinkId){4});
    cr_expect(base.floats && base.joint.i == 0 && base.parent.i == 0 && base.q_index == 9 && base.v_index == 8);
    cr_expect(!leg.floats && leg.joint.i == 2 && leg.parent.i == 3 && leg.q_index == joint.q_index &&
              leg.inertia.mass == 2.0);

    RgFrameInfo tool = rg_model_frame(m, (RgFrameId){2});
    cr_expect(strcmp(tool.name, "tool") == 0 && strcmp(tool.group, "right") == 0 && tool.link.i == 4 &&
              tool.X_LF.p.z == 2.0);

    /* A velocity belongs to its joint, or to the link that floats. */
    cr_expect_str_eq(rg_model_dof_name(m, 0), "base");
    cr_expect_str_eq(rg_model_dof_name(m, 7), "joint");
    cr_expect_str_eq(rg_model_dof_name(m, info.nv - 1), "stone");
    rg_model_destroy(m);
}

Test(model, couplings_are_found_by_their_velocities)
{
    RgBuilder *b = scene_begin("gears");
    RgVec3 O = {0.0, 0.0, 0.0}, z = {0.0, 0.0, 1.0};
    RgInertia box = inertia_box(1.0, O, vec(0.1, 0.2, 0.3));
    RgLinkId a = link_add(b, "a", box), c = link_add(b, "c", box);
    RgJointDef planar = joint_at(RG_JOINT_planar, "planar", (RgLinkId){0}, a, O, z);
    RgJointDef pipe = joint_at(RG_JOINT_cylindrical, "pipe", a, c, O, z);
    RgCouplingDef def = rg_coupling_def_default();
    def.name = "gear";
    def.joint = joint_add(b, &planar);
    def.reference = joint_add(b, &pipe);
    def.dof = 2;
    def.reference_dof = 1;
    def.ratio = -4.0;
    def.offset = 0.25;
    cr_assert(rg_builder_add_coupling(b, &def));
    RgModel *m = scene_end(b);
    RgCouplingDef said = rg_model_coupling(m, 0);
    cr_expect(strcmp(said.name, "gear") == 0 && said.ratio == -4.0 && said.offset == 0.25 && said.dof == 2);
    cr_expect(m->couplings[0].v_index == 2 && m->couplings[0].v_reference == 4);
    cr_expect(m->couplings[0].q_index == 2 && m->couplings[0].q_reference == 4);
    rg_model_destroy(m);
}

Test(model, destroying_nothing_is_allowed)
{
    rg_model_destroy(NULL);
    rg_builder_destroy(NULL);
}
