/* SDF joints: kinds, frames, axes in every version's sense, limits, screws, gearboxes, mimics, loops. */
#include "scene_fixture.h"

#include <rigor/sim.h>

#define QUARTER "1.5707963267948966"
#define TWO "<link name='p'/><link name='c'><pose>0 0 1 0 0 " QUARTER "</pose></link>"
#define ENDS "<parent>p</parent><child>c</child>"
#define SDF(version, inside) "<sdf version='" version "'><model name='m'>" inside "</model></sdf>"

Test(sdf_joint, kinds)
{
    static const struct {
        const char *word;
        RgJointType type;
    } kinds[] = {{"revolute", RG_JOINT_revolute},   {"continuous", RG_JOINT_continuous},
                 {"prismatic", RG_JOINT_prismatic}, {"fixed", RG_JOINT_fixed},
                 {"ball", RG_JOINT_spherical},      {"universal", RG_JOINT_universal},
                 {"revolute2", RG_JOINT_universal}, {"screw", RG_JOINT_screw}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char text[900];
        snprintf(text, sizeof text,
                 SDF("1.9", TWO "<joint name='j' type='%s'>" ENDS "<axis><xyz>1 0 0</xyz><limit><lower>-1</lower>"
                                "<upper>2</upper></limit></axis><axis2><xyz>0 1 0</xyz><dynamics><damping>3</damping>"
                                "</dynamics></axis2></joint>"),
                 kinds[i].word);
        Doc *doc = doc_good(doc_read("a.sdf", text));
        const RgJointDef *joint = doc_joint(doc, "j");
        cr_expect_eq(joint->type, kinds[i].type, "%s", kinds[i].word);
        if (joint->type == RG_JOINT_universal)
            cr_expect(joint->axis2.y == 1.0 && joint->dof[0].upper == 2.0 && joint->dof[1].damping == 3.0);
        if (joint->type == RG_JOINT_continuous)
            cr_expect(isinf(joint->dof[0].upper));
        doc_free(doc);
    }
}

Test(sdf_joint, the_frame_stands_in_the_child)
{
    Doc *doc = doc_good(doc_read("a.sdf", SDF("1.9", "<joint name='j' type='revolute'><pose>1 0 0 0 0 0</pose>" ENDS
                                                     "<axis><xyz>1 0 0</xyz></axis></joint>" TWO)));
    /* c stands at z = 1 with x along y of p. */
    const RgJointDef *j = doc_joint(doc, "j");
    check_vec3(j->X_CJ.p, 1.0, 0.0, 0.0, "m");
    check_vec3(j->X_PJ.p, 0.0, 1.0, 1.0, "m");
    check_axes(j->X_PJ, (double[]){0, 1, 0}, (double[]){0, 0, 1});
    check_vec3(j->axis, 1.0, 0.0, 0.0, "1");
    doc_free(doc);
}

/* The axis x in the joint frame, which is turned by a quarter against the model's. */
static RgVec3 axis_of(const char *version, const char *attribute, const char *flag)
{
    char text[900];
    snprintf(text, sizeof text,
             "<sdf version='%s'><model name='m'>" TWO "<joint name='j' type='revolute'>" ENDS
             "<axis><xyz %s>1 0 0</xyz>%s</axis></joint></model></sdf>",
             version, attribute, flag);
    Doc *doc = doc_good(doc_read("a.sdf", text));
    RgVec3 axis = doc_joint(doc, "j")->axis;
    doc_free(doc);
    return axis;
}

Test(sdf_joint, axis_frames_by_version)
{
    static const char yes[] = "<use_parent_model_frame>true</use_parent_model_frame>",
                      no[] = "<use_parent_model_frame>0</use_parent_model_frame>";
    check_vec3(axis_of("1.3", "", ""), 0.0, -1.0, 0.0, "1");
    check_vec3(axis_of("1.4", "", ""), 0.0, -1.0, 0.0, "1");
    check_vec3(axis_of("1.5", "", ""), 1.0, 0.0, 0.0, "1");
    check_vec3(axis_of("1.5", "", no), 1.0, 0.0, 0.0, "1");
    check_vec3(axis_of("1.6", "", yes), 0.0, -1.0, 0.0, "1");
    check_vec3(axis_of("1.11", "", ""), 1.0, 0.0, 0.0, "1");
    check_vec3(axis_of("1.7", "expressed_in='__model__'", ""), 0.0, -1.0, 0.0, "1");
    check_vec3(axis_of("1.9", "expressed_in='p'", ""), 0.0, -1.0, 0.0, "1");
    check_vec3(axis_of("1.9", "expressed_in='c'", ""), 1.0, 0.0, 0.0, "1");
}

Test(sdf_joint, joints_to_the_world)
{
    Doc *doc = doc_good(
        doc_read("a.sdf", SDF("1.9", "<pose>0 0 5 0 0 0</pose><link name='c'/><joint name='j' type='revolute'>"
                                     "<child>c</child><parent>world</parent><axis><xyz>0 1 0</xyz></axis></joint>")));
    check_vec3(doc_joint(doc, "j")->X_PJ.p, 0.0, 0.0, 5.0, "m");
    cr_expect_eq(doc_joint(doc, "j")->parent.i, 0);
    cr_expect_eq(rg_model_info(doc->model).nv, 1);
    doc_free(doc);
}

#define PENDULUM(joint)                                                                                                \
    SDF("1.11", "<pose>0 0 5 0 0 0.4</pose><link name='c'><pose>1 0 0 0 0 0</pose></link>"                             \
                "<joint name='j' type='revolute'>" joint "<axis><xyz>0 1 0</xyz></axis></joint>")

/* Pose of the link half a second after it was let go at q. */
static RgPose swing(const char *text, double q)
{
    Doc *doc = doc_good(doc_read("a.sdf", text));
    RgModelInfo info = rg_model_info(doc->model);
    cr_assert(info.nv == 1 && info.loops == 0, "%d velocities, %d loops", info.nv, info.loops);
    RgWorldDef def = rg_world_def_default();
    def.model = doc->model;
    RgWorld *world = rg_world_create(&def, NULL);
    cr_assert_not_null(world);
    cr_assert_eq(rg_world_set_joint_position(world, rg_model_find_joint(doc->model, "j"), &q), RG_OK);
    for (int i = 0; i < 500; i++)
        cr_assert_eq(rg_world_step(world, 1e-3, NULL), RG_OK);
    RgPose X = rg_world_link_pose(world, rg_model_find_link(doc->model, "c"));
    rg_world_destroy(world);
    doc_free(doc);
    return X;
}

Test(sdf_joint, a_child_world_swings_as_a_parent_world_with_q_reversed)
{
    /* The hinge is at the model's origin, (0, 0, 5) turned by 0.4 about z; the last two place it alike. */
    RgPose X = swing(PENDULUM("<parent>world</parent><child>c</child><pose>-1 0 0 0 0 0</pose>"), 0.3);
    static const char *const turned[] = {
        PENDULUM("<parent>c</parent><child>world</child><pose relative_to='__model__'/>"),
        PENDULUM("<parent>c</parent><child>world</child><pose relative_to='c'>-1 0 0 0 0 0</pose>"),
        PENDULUM("<parent>c</parent><child>world</child><pose>0 0 5 0 0 0.4</pose>")};
    for (int i = 0; i < 3; i++) {
        RgPose Y = swing(turned[i], -0.3);
        check_vec3(Y.p, X.p.x, X.p.y, X.p.z, "m");
        CHECK_NEAR_ALL(&Y.R.m[0][0], &X.R.m[0][0], 9, 1e-12, "1");
    }
    cr_expect(fabs(X.p.z - 5.0) > 0.4, "it has moved: z = %g", X.p.z);
}

Test(sdf_joint, frames_on_a_joint_to_the_world_stand_in_it)
{
    Doc *doc = doc_good(doc_read("a.sdf", PENDULUM("<parent>c</parent><child>world</child>")));
    check_vec3(doc_joint(doc, "j")->X_CJ.p, 0.0, 0.0, 0.0, "m");
    cr_expect_eq(doc_joint(doc, "j")->child.i, 0);
    doc_free(doc);
    doc = doc_good(doc_read("a.sdf", SDF("1.11", "<pose>0 0 5 0 0 0</pose><link name='c'/>"
                                                 "<joint name='j' type='ball'><parent>c</parent><child>world"
                                                 "</child></joint><frame name='f' attached_to='j'/>")));
    RgModelInfo info = rg_model_info(doc->model);
    cr_expect(info.loops == 1 && info.nv == 6, "a ball does not turn round, it closes a loop");
    cr_expect_eq(rg_model_frame(doc->model, rg_model_find_frame(doc->model, "f")).link.i, 0);
    doc_free(doc);
    expect_error("a.sdf",
                 SDF("1.9", TWO "\n<joint name='j' type='fixed'><parent>world</parent><child>world</child></joint>"), 2,
                 "itself");
}

Test(sdf_joint, a_ball_is_damped_about_all_axes)
{
    Doc *doc = doc_good(doc_read(
        "a.sdf", SDF("1.9", TWO "<joint name='j' type='ball'>" ENDS
                                "<axis><limit><lower>-1</lower><upper>1</upper></limit><dynamics><damping>5</damping>"
                                "<friction>2</friction><spring_stiffness>3</spring_stiffness><spring_reference>1"
                                "</spring_reference></dynamics></axis></joint>")));
    for (int i = 0; i < 3; i++) {
        const RgAxisDef *dof = &doc_joint(doc, "j")->dof[i];
        double actual[4] = {dof->damping, dof->friction, dof->stiffness, dof->rest};
        CHECK_NEAR_ALL(actual, ((double[]){5, 2, 3, 0}), 4, 0.0, "SI");
        cr_expect(isinf(dof->lower) && isinf(dof->upper));
    }
    doc_free(doc);
}

Test(sdf_joint, limits_and_dynamics)
{
    Doc *doc = doc_good(doc_read(
        "a.sdf", SDF("1.6", TWO
                     "<link name='d'/><joint name='j' type='revolute'>" ENDS "<axis><xyz>0 0 "
                     "1</xyz><limit><lower>-1e16</lower><upper>1e+16</upper><effort>-1</effort><velocity>-1</velocity>"
                     "</limit><dynamics><damping>1</damping><friction>2</friction><spring_stiffness>3</"
                     "spring_stiffness>"
                     "<spring_reference>4</spring_reference></dynamics></axis><physics><ode><cfm_damping>1</"
                     "cfm_damping></ode>"
                     "</physics></joint><joint name='k' "
                     "type='prismatic'><parent>c</parent><child>d</child><axis><limit>"
                     "<lower>-inf</lower><upper>0.5</upper><effort>10</effort><velocity>20</velocity></limit></axis></"
                     "joint>")));
    const RgAxisDef *j = &doc_joint(doc, "j")->dof[0], *k = &doc_joint(doc, "k")->dof[0];
    cr_expect(isinf(j->lower) && isinf(j->upper) && isinf(j->effort_limit) && isinf(j->velocity_limit));
    double actual[7] = {j->damping, j->friction, j->stiffness, j->rest, k->upper, k->effort_limit, k->velocity_limit};
    CHECK_NEAR_ALL(actual, ((double[]){1, 2, 3, 4, 0.5, 10, 20}), 7, 0.0, "SI");
    cr_expect(isinf(k->lower) && k->lower < 0.0);
    check_vec3(doc_joint(doc, "k")->axis, 0.0, 0.0, 1.0, "1");
    cr_expect_str_empty(doc->log, "%s", doc->log);
    doc_free(doc);
}

static double pitch_of(const char *element)
{
    char text[600];
    snprintf(text, sizeof text, SDF("1.11", TWO "<joint name='j' type='screw'>" ENDS "%s<axis/></joint>"), element);
    Doc *doc = doc_good(doc_read("a.sdf", text));
    double pitch = doc_joint(doc, "j")->pitch;
    doc_free(doc);
    return pitch;
}

Test(sdf_joint, screw_pitch_in_both_senses)
{
    const double turn = 6.283185307179586;
    CHECK_NEAR(pitch_of("<screw_thread_pitch>0.5</screw_thread_pitch>"), 0.5 / turn, 1e-15, "m/rad");
    CHECK_NEAR(pitch_of("<thread_pitch>-4</thread_pitch>"), 0.25, 1e-15, "m/rad");
    CHECK_NEAR(pitch_of("<thread_pitch>7</thread_pitch><screw_thread_pitch>1</screw_thread_pitch>"), 1.0 / turn, 1e-15,
               "m/rad");
}

Test(sdf_joint, a_cycle_becomes_a_loop)
{
    Doc *doc = doc_good(
        doc_read("a.sdf", SDF("1.9", "<link name='a'/><link name='b'/><link name='c'/>"
                                     "<joint name='0' type='fixed'><parent>world</parent><child>a</child></joint>"
                                     "<joint name='1' type='revolute'><parent>a</parent><child>b</child></joint>"
                                     "<joint name='2' type='revolute'><parent>b</parent><child>c</child></joint>"
                                     "<joint name='3' type='revolute'><parent>a</parent><child>c</child></joint>")));
    RgModelInfo info = rg_model_info(doc->model);
    cr_expect(info.joints == 4 && info.loops == 1 && info.nv == 2);
    doc_free(doc);
}

Test(sdf_joint, mimic)
{
    Doc *doc = doc_good(doc_read(
        "a.sdf", SDF("1.11", TWO "<link name='d'/><joint name='j' type='revolute'>" ENDS "<axis><xyz>0 0 1</xyz>"
                                 "<mimic joint='k'><multiplier>2</multiplier><offset>0.5</offset><reference>0.1"
                                 "</reference></mimic></axis></joint><joint name='k' type='revolute'>"
                                 "<parent>c</parent><child>d</child></joint>")));
    RgCouplingDef c = rg_model_coupling(doc->model, 0);
    cr_expect_str_eq(rg_model_joint(doc->model, c.reference).name, "k");
    CHECK_NEAR(c.ratio, 2.0, 0.0, "1");
    CHECK_NEAR(c.offset, 0.3, 1e-15, "rad");
    doc_free(doc);
}

Test(sdf_joint, wrong_joints)
{
    expect_error("a.sdf", SDF("1.9", TWO "\n<joint name='j' type='fixed'><child>c</child></joint>"), 2,
                 "needs <parent>");
    expect_error("a.sdf", SDF("1.9", TWO "\n<joint name='j' type='fixed'><parent>p</parent><child>zz</child></joint>"),
                 2, "'zz'");
    expect_error("a.sdf", SDF("1.9", TWO "\n<joint name='j' type='fixed'><parent>zz</parent><child>c</child></joint>"),
                 2, "'zz'");
    expect_error("a.sdf", SDF("1.9", TWO "\n<joint name='j' type='fixed'><parent>c</parent><child>c</child></joint>"),
                 2, "itself");
    expect_error("a.sdf", SDF("1.9", TWO "\n<joint name='j' type='magic'>" ENDS "</joint>"), 2, "unknown type 'magic'");
    expect_error("a.sdf",
                 SDF("1.9", TWO "\n<joint name='j' type='screw'>" ENDS "<thread_pitch>0</thread_pitch></joint>"), 2,
                 "must not be 0");
    expect_error("a.sdf",
                 SDF("1.9", TWO "\n<joint name='j' type='revolute'>" ENDS "<axis><xyz>0 0 0</xyz></axis></joint>"), 2,
                 "axis");
    expect_error("a.sdf",
                 SDF("1.9", TWO "\n<joint name='j' type='revolute'>" ENDS
                                "<axis><limit>\n<lower>nan</lower></limit></axis></joint>"),
                 3, "found 'nan'");
}
