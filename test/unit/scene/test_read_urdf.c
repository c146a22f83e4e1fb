/* URDF, feature by feature, on documents of a few lines. */
#include "scene_fixture.h"

#define INERTIAL "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"

Test(read_urdf, inertia_is_turned_into_the_axes_of_the_link)
{
    Doc *doc = doc_good(doc_read("a.urdf", "<robot name='r'><link name='base'><inertial>"
                                           "<origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><mass value='4'/>"
                                           "<inertia ixx='1' iyy='2' izz='2.5' ixy='0.1' ixz='0.2' iyz='0.3'/>"
                                           "</inertial></link></robot>"));
    /* A quarter turn about z: x -> y, y -> -x. */
    RgInertia in = doc_link(doc, "base")->inertia;
    CHECK_NEAR(in.mass, 4.0, 0.0, "kg");
    check_vec3(in.com, 1.0, 2.0, 3.0, "m");
    double actual[6] = {in.I.xx, in.I.yy, in.I.zz, in.I.xy, in.I.xz, in.I.yz};
    double expected[6] = {2.0, 1.0, 2.5, -0.1, -0.3, 0.2};
    CHECK_NEAR_ALL(actual, expected, 6, 1e-12, "kg m^2");
    cr_expect_str_eq(rg_model_info(doc->model).name, "r");
    doc_free(doc);
}

Test(read_urdf, every_joint_kind)
{
    static const struct {
        const char *word;
        RgJointType type;
    } kinds[] = {
        {"revolute", RG_JOINT_revolute}, {"continuous", RG_JOINT_continuous},  {"prismatic", RG_JOINT_prismatic},
        {"fixed", RG_JOINT_fixed},       {"floating", RG_JOINT_free},          {"planar", RG_JOINT_planar},
        {"ball", RG_JOINT_spherical},    {"spherical", RG_JOINT_spherical},    {"universal", RG_JOINT_universal},
        {"screw", RG_JOINT_screw},       {"cylindrical", RG_JOINT_cylindrical}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<robot name='r'><link name='world'/><link name='a'>" INERTIAL "</link><joint name='j' type='%s'>"
                 "<parent link='world'/><child link='a'/><limit lower='-1' upper='2' effort='3' velocity='4'/>"
                 "<screw_thread_pitch value='0.5'/></joint></robot>",
                 kinds[i].word);
        Doc *doc = doc_good(doc_read("a.urdf", text));
        const RgJointDef *joint = doc_joint(doc, "j");
        cr_expect_eq(joint->type, kinds[i].type, "%s", kinds[i].word);
        check_vec3(joint->axis, 1.0, 0.0, 0.0, "1");
        bool bounded = joint->type == RG_JOINT_revolute || joint->type == RG_JOINT_prismatic;
        cr_expect_eq(joint->dof[0].upper, bounded ? 2.0 : (double)INFINITY, "%s", kinds[i].word);
        doc_free(doc);
    }
}

Test(read_urdf, joint_values)
{
    Doc *doc = doc_good(doc_read(
        "a.urdf",
        "<robot name='r'><link name='world'/><link name='a'>" INERTIAL "</link><link name='b'>" INERTIAL "</link>"
        "<joint name='j' type='revolute'><origin xyz='1 0 0' rpy='0 1.5707963267948966 0'/><parent "
        "link='world'/>"
        "<child link='a'/><axis xyz='0 2 0'/><limit lower='-1' upper='2' effort='3' velocity='4'/>"
        "<dynamics damping='0.5' friction='0.25'/><safety_controller k_velocity='1'/><calibration "
        "rising='0'/></joint>"
        "<joint name='k' type='screw'><parent link='a'/><child link='b'/><screw_thread_pitch value='0.5'/>"
        "<origin xyz='0 0 2'/></joint></robot>"));
    const RgJointDef *j = doc_joint(doc, "j");
    const RgAxisDef *dof = &j->dof[0];
    double actual[6] = {dof->lower, dof->upper, dof->effort_limit, dof->velocity_limit, dof->damping, dof->friction};
    double expected[6] = {-1.0, 2.0, 3.0, 4.0, 0.5, 0.25};
    CHECK_NEAR_ALL(actual, expected, 6, 0.0, "SI");
    check_vec3(j->X_PJ.p, 1.0, 0.0, 0.0, "m");
    check_axes(j->X_PJ, (double[]){0, 0, -1}, (double[]){1, 0, 0});
    CHECK_NEAR(doc_joint(doc, "k")->pitch, 0.5 / 6.283185307179586, 1e-15, "m/rad");

    /* The chain at q = 0: a stands at the joint, b two metres along its z, which points along world x. */
    check_vec3(doc_link(doc, "b")->X_WL.p, 3.0, 0.0, 0.0, "m");
    cr_expect_str_empty(doc->log, "%s", doc->log);
    doc_free(doc);
}

Test(read_urdf, limits_default_to_zero_or_none)
{
    Doc *doc = doc_good(doc_read(
        "a.urdf", "<robot name='r'><link name='world'/><link name='a'>" INERTIAL "</link><link name='b'>" INERTIAL
                  "</link><joint name='j' type='prismatic'><parent link='world'/><child link='a'/>"
                  "<limit effort='-1'/></joint><joint name='k' type='revolute'><parent link='a'/>"
                  "<child link='b'/></joint></robot>"));
    const RgAxisDef *dof = &doc_joint(doc, "j")->dof[0];
    cr_expect(dof->lower == 0.0 && dof->upper == 0.0, "the format's default");
    cr_expect(isinf(dof->effort_limit) && isinf(dof->velocity_limit));
    cr_expect(isinf(doc_joint(doc, "k")->dof[0].upper));
    cr_expect_not_null(strstr(doc->log, "'k' has no <limit>"), "%s", doc->log);
    doc_free(doc);
}

Test(read_urdf, mimic_becomes_a_coupling)
{
    Doc *doc = doc_good(doc_read(
        "a.urdf", "<robot name='r'><link name='world'/><link name='a'>" INERTIAL "</link><link name='b'>" INERTIAL
                  "</link><joint name='j' type='continuous'><parent link='world'/><child link='a'/>"
                  "<mimic joint='k' multiplier='-2' offset='0.5'/></joint><joint name='k' type='continuous'>"
                  "<parent link='a'/><child link='b'/></joint></robot>"));
    cr_assert_eq(rg_model_info(doc->model).couplings, 1);
    RgCouplingDef c = rg_model_coupling(doc->model, 0);
    cr_expect_str_eq(rg_model_joint(doc->model, c.joint).name, "j");
    cr_expect_str_eq(rg_model_joint(doc->model, c.reference).name, "k");
    CHECK_NEAR(c.ratio, -2.0, 0.0, "1");
    CHECK_NEAR(c.offset, 0.5, 0.0, "rad");
    doc_free(doc);
}

Test(read_urdf, shapes)
{
    Doc *doc = doc_good(doc_read(
        "a.urdf", "<robot name='r'><material name='blue'/><link name='base'>" INERTIAL
                  "<collision name='c'><origin xyz='0 0 1'/><geometry><box size='1 2 3'/></geometry></collision>"
                  "<collision><geometry><sphere radius='0.5'/></geometry></collision>"
                  "<collision><geometry><cylinder radius='0.1' length='0.2'/></geometry></collision>"
                  "<collision><geometry><capsule radius='0.3' length='0.4'/></geometry></collision>"
                  "<visual><geometry><box size='1 1 1'/></geometry><material name='blue'><color rgba='0 0 1 "
                  "1'/></material></visual>"
                  "<visual><geometry><torus/></geometry></visual><visual/></link></robot>"));
    static const RgShapeType types[] = {RG_SHAPE_box, RG_SHAPE_sphere, RG_SHAPE_cylinder, RG_SHAPE_capsule,
                                        RG_SHAPE_box};
    cr_assert_eq(doc->builder->nshapes, 5);
    for (int i = 0; i < 5; i++)
        cr_expect_eq(doc->builder->shapes[i].type, types[i]);
    const RgShapeDef *box = &doc->builder->shapes[0];
    cr_expect_str_eq(box->name, "c");
    CHECK_NEAR_ALL(box->size, ((double[]){1, 2, 3}), 3, 0.0, "m");
    check_vec3(box->X_LS.p, 0.0, 0.0, 1.0, "m");
    cr_expect(!box->is_visual && doc->builder->shapes[4].is_visual);
    CHECK_NEAR_ALL(doc->builder->shapes[3].size, ((double[]){0.3, 0.4}), 2, 0.0, "m");
    cr_expect_not_null(strstr(doc->log, "unknown geometry <torus>"), "%s", doc->log);
    cr_expect_not_null(strstr(doc->log, "<visual> without geometry"), "%s", doc->log);
    doc_free(doc);
}

Test(read_urdf, transmissions_and_gazebo_blocks)
{
    Doc *doc = doc_good(doc_read(
        "a.urdf", "<robot name='r'><link name='world'/><link name='a'>" INERTIAL
                  "<collision><geometry><sphere radius='1'/></geometry></collision></link>"
                  "<joint name='j' type='continuous'><parent link='world'/><child link='a'/></joint>"
                  "<transmission name='t'><type>Simple</type><joint name='j'/><actuator name='m'>"
                  "<mechanicalReduction>50</mechanicalReduction><rotorInertia>2e-5</rotorInertia></actuator></"
                  "transmission>"
                  "<gazebo reference='a'><mu1>0.8</mu1><mu2 value='0.7'/><kp>1e6</kp><kd>100</kd><maxVel>0.1</maxVel>"
                  "<minDepth>0.001</minDepth><fdir1>0 1 0</fdir1><sensor/></gazebo>"
                  "<gazebo "
                  "reference='j'><springStiffness>30</springStiffness><springReference>0.2</springReference></gazebo>"
                  "<gazebo><plugin name='x'><anything/></plugin></gazebo><gazebo><plugin/></gazebo>"
                  "<gazebo reference='nobody'/></robot>"));
    const RgAxisDef *dof = &doc_joint(doc, "j")->dof[0];
    double actual[4] = {dof->gear_ratio, dof->rotor_inertia, dof->stiffness, dof->rest};
    CHECK_NEAR_ALL(actual, ((double[]){50, 2e-5, 30, 0.2}), 4, 0.0, "SI");
    RgSurfaceDef s = doc->builder->shapes[0].surface;
    double surface[6] = {s.mu, s.mu2, s.kp, s.kd, s.max_vel, s.min_depth};
    CHECK_NEAR_ALL(surface, ((double[]){0.8, 0.7, 1e6, 100, 0.1, 0.001}), 6, 0.0, "SI");
    check_vec3(s.fdir1, 0.0, 1.0, 0.0, "1");
    cr_expect(isnan(s.slip1));
    cr_expect_eq(count_text(doc->log, "<plugin> is skipped"), 1, "%s", doc->log);
    cr_expect_eq(count_text(doc->log, "nobody"), 1);
    doc_free(doc);
}

Test(read_urdf, unknown_tags_are_named_once_with_their_line)
{
    Doc *doc =
        doc_good(doc_read("a.urdf", "<robot name='r'>\n<link name='base'>" INERTIAL "\n<flavour/></link>\n<flavour/>\n"
                                    "<version/>\n</robot>"));
    cr_expect_eq(count_text(doc->log, "<flavour>"), 1, "%s", doc->log);
    cr_expect_not_null(strstr(doc->log, "5: unknown tag <version>"), "%s", doc->log);
    doc_free(doc);
}

Test(read_urdf, base_rule)
{
    static const struct {
        const char *root, *inertial;
        RgBase base;
        int nv;
    } cases[] = {{"base", INERTIAL, RG_BASE_AUTO, 6},
                 {"world", INERTIAL, RG_BASE_AUTO, 0},
                 {"base", "", RG_BASE_AUTO, 0},
                 {"base", INERTIAL, RG_BASE_FIXED, 0},
                 {"world", INERTIAL, RG_BASE_FLOATING, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[400];
        snprintf(text, sizeof text, "<robot name='r'><link name='%s'>%s</link></robot>", cases[i].root,
                 cases[i].inertial);
        RgReadOptions options = rg_read_options_default();
        options.base = cases[i].base;
        options.group = "mine";
        options.X_WM.p.z = 3.0;
        Doc *doc = doc_good(doc_read_with("a.urdf", text, &options));
        cr_expect_eq(rg_model_info(doc->model).nv, cases[i].nv, "case %zu", i);
        cr_expect_str_eq(doc->builder->links[0].group, "mine");
        CHECK_NEAR(doc->builder->links[0].X_WL.p.z, 3.0, 0.0, "m");
        doc_free(doc);
    }
    Doc *doc = doc_good(doc_read("a.urdf", "<robot name='r'><link name='b'>" INERTIAL
                                           "</link><gazebo><static>true</static></gazebo>"
                                           "</robot>"));
    cr_expect_eq(rg_model_info(doc->model).nv, 0);
    doc_free(doc);
}

Test(read_urdf, a_joint_to_a_link_of_another_file_is_dropped)
{
    Doc *doc = doc_good(doc_read("a.urdf", "<robot name='r'><link name='a'>" INERTIAL
                                           "</link>\n<joint name='neck' type='continuous'>"
                                           "<parent link='a'/><child link='head'/></joint></robot>"));
    cr_expect_eq(rg_model_info(doc->model).joints, 0);
    cr_expect_not_null(strstr(doc->log, "2: joint 'neck' is dropped: its child link 'head'"), "%s", doc->log);
    doc_free(doc);
}
