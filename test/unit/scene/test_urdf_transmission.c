/* Transmissions of ROS 1 and ROS 2: what they give the joints, what is kept to be told, what is refused with its
   line. */
#include "scene_fixture.h"

#define INERTIAL "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
#define ARM(inside)                                                                                                    \
    "<robot name='r'><link name='world'/><link name='a'>" INERTIAL "</link><link name='b'>" INERTIAL                   \
    "</link><link name='c'>" INERTIAL "</link>"                                                                        \
    "<joint name='j' type='revolute'><parent link='world'/><child link='a'/>"                                          \
    "<limit lower='-1' upper='1' effort='80' velocity='3'/></joint>"                                                   \
    "<joint name='k' type='continuous'><parent link='a'/><child link='b'/></joint>"                                    \
    "<joint name='w' type='fixed'><parent link='b'/><child link='c'/></joint>\n" inside "</robot>"

static const RgAxisDef *axis(const Doc *doc, const char *joint)
{
    return rg_model_joint(doc->model, rg_model_find_joint(doc->model, joint)).dof;
}

Test(urdf_transmission, simple_of_ros_1)
{
    Doc *doc = doc_good(doc_read(
        "a.urdf", ARM("<transmission name='t'><type>transmission_interface/SimpleTransmission</type><joint name='j'>"
                      "<hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface><offset>0.25</"
                      "offset></joint>"
                      "<actuator "
                      "name='m'><hardwareInterface>x</hardwareInterface><mechanicalReduction>-100</mechanicalReduction>"
                      "<rotorInertia>3e-5</rotorInertia><maxEffort>0.5</maxEffort><maxVelocity>400</maxVelocity></"
                      "actuator>"
                      "</transmission>")));
    cr_assert_eq(rg_model_info(doc->model).transmissions, 1);
    RgTransmissionDef t = rg_model_transmission(doc->model, 0);
    cr_expect_str_eq(t.name, "t");
    cr_expect_str_eq(t.actuator, "m");
    cr_expect_str_eq(rg_model_joint(doc->model, t.joint).name, "j");
    double told[5] = {t.ratio, t.offset, t.rotor_inertia, t.effort_limit, t.velocity_limit};
    CHECK_NEAR_ALL(told, ((double[]){-100, 0.25, 3e-5, 0.5, 400}), 5, 0.0, "SI");

    /* 50 N m are less than the joint's 80, 4 rad/s more than its 3. */
    const RgAxisDef *j = axis(doc, "j");
    double used[4] = {j->gear_ratio, j->rotor_inertia, j->effort_limit, j->velocity_limit};
    CHECK_NEAR_ALL(used, ((double[]){-100, 3e-5, 50, 3}), 4, 1e-13, "SI");
    cr_expect(doc->log[0] == '\0', "%s", doc->log);
    doc_free(doc);
}

Test(urdf_transmission, simple_of_ros_2_and_of_the_oldest)
{
    Doc *doc = doc_good(doc_read(
        "a.urdf", ARM("<ros2_control name='s' type='system'><hardware><plugin>x</plugin></hardware>"
                      "<joint name='j'><command_interface name='effort'/></joint>"
                      "<transmission name='t2'><plugin>transmission_interface/SimpleTransmission</plugin>"
                      "<actuator name='m' role='actuator1'/><joint name='j' role='joint1'>"
                      "<mechanical_reduction>50</mechanical_reduction></joint></transmission></ros2_control>"
                      "<transmission type='pr2_mechanism_model/SimpleTransmission' name='t0'><actuator name='n'/>"
                      "<joint name='k'/><mechanicalReduction>63.16</mechanicalReduction></transmission>")));
    cr_assert_eq(rg_model_info(doc->model).transmissions, 2);
    CHECK_NEAR(axis(doc, "j")->gear_ratio, 50.0, 0.0, "1");
    CHECK_NEAR(axis(doc, "k")->gear_ratio, 63.16, 0.0, "1");
    cr_expect_str_eq(rg_model_transmission(doc->model, 0).actuator, "m");
    cr_expect_str_eq(rg_model_transmission(doc->model, 1).actuator, "n");
    cr_expect_str_eq(rg_model_transmission(doc->model, 1).name, "t0");
    cr_expect_not_null(strstr(doc->log, "only transmissions and mimics are read"), "%s", doc->log);
    doc_free(doc);
}

/* As the first versions of ros2_control had it, without a <mimic> in the joint. */
Test(urdf_transmission, mimic_of_ros_2)
{
    Doc *doc = doc_good(
        doc_read("a.urdf", ARM("<ros2_control name='s' type='system'><joint name='k'><param name='initial'>1</param>"
                               "<param name='mimic'>j</param><param name='multiplier'>-2</param>"
                               "<param name='offset'>0.1</param></joint></ros2_control>")));
    cr_assert_eq(rg_model_info(doc->model).couplings, 1);
    RgCouplingDef c = rg_model_coupling(doc->model, 0);
    cr_expect_str_eq(rg_model_joint(doc->model, c.joint).name, "k");
    cr_expect_str_eq(rg_model_joint(doc->model, c.reference).name, "j");
    CHECK_NEAR(c.ratio, -2.0, 0.0, "1");
    CHECK_NEAR(c.offset, 0.1, 0.0, "rad");
    doc_free(doc);
    expect_error("a.urdf", ARM("<ros2_control>\n<joint name='k'><param name='mimic'>zz</param></joint></ros2_control>"),
                 3, "mimics 'zz', which is not defined");
}

#define DIFFERENTIAL(one, two)                                                                                         \
    ARM("<transmission name='d'><type>transmission_interface/DifferentialTransmission</type>"                          \
        "<joint name='k'><role>joint2</role><mechanicalReduction>4</mechanicalReduction></joint>"                      \
        "<joint name='j'><role>joint1</role><mechanicalReduction>2</mechanicalReduction>"                              \
        "<offset>0.5</offset></joint>"                                                                                 \
        "<actuator name='m1'><role>actuator1</role><mechanicalReduction>10</mechanicalReduction>" one                  \
        "</actuator><actuator "                                                                                        \
        "name='m2'><role>actuator2</role><mechanicalReduction>-20</mechanicalReduction>" two                           \
        "</actuator></transmission>")

/* Power: the efforts of the joints by their speeds are those of the motors, for any of both. */
Test(urdf_transmission, a_differential_is_four_pairs)
{
    Doc *doc = doc_good(
        doc_read("a.urdf", DIFFERENTIAL("<rotorInertia>4e-5</rotorInertia><limit effort='1' velocity='100'/>",
                                        "<rotorInertia>1e-5</rotorInertia><limit effort='0.5' velocity='300'/>")));
    cr_assert_eq(rg_model_info(doc->model).transmissions, 4);
    static const char *const joints[4] = {"j", "j", "k", "k"}, *const motors[4] = {"m1", "m2", "m1", "m2"};
    static const double ratios[4] = {20.0, -40.0, 40.0, 80.0};
    for (int i = 0; i < 4; i++) {
        RgTransmissionDef t = rg_model_transmission(doc->model, i);
        cr_expect_str_eq(rg_model_joint(doc->model, t.joint).name, joints[i]);
        cr_expect_str_eq(t.actuator, motors[i]);
        CHECK_NEAR(t.ratio, ratios[i], 0.0, "1");
        CHECK_NEAR(t.offset, i < 2 ? 0.5 : 0.0, 0.0, "rad");
    }

    /* Joint 1: 2 (10 1 + 20 0.5) N m, (100/10 + 300/20) / (2 2) rad/s, inertia 20^2 4e-5 + 40^2 1e-5. */
    const RgAxisDef *j = axis(doc, "j"), *k = axis(doc, "k");
    double used[4] = {j->effort_limit, j->velocity_limit, k->effort_limit, k->velocity_limit};
    CHECK_NEAR_ALL(used, ((double[]){40.0, 3.0, 80.0, 3.125}), 4, 1e-13, "SI");
    CHECK_NEAR(j->gear_ratio * j->gear_ratio * j->rotor_inertia, 0.032, 1e-15, "kg m^2");
    CHECK_NEAR(k->gear_ratio * k->gear_ratio * k->rotor_inertia, 0.128, 1e-15, "kg m^2");
    cr_expect(doc->log[0] == '\0', "%s", doc->log);
    doc_free(doc);
}

static void warned(const char *text, int transmissions, const char *says)
{
    Doc *doc = doc_good(doc_read("a.urdf", text));
    cr_expect_eq(rg_model_info(doc->model).transmissions, transmissions);
    const char *at = strstr(doc->log, says);
    cr_expect(at != NULL && strncmp(doc->log, "2: ", 3) == 0, "wanted '%s' of line 2, got %s", says, doc->log);
    CHECK_NEAR(axis(doc, "j")->rotor_inertia, 0.0, 0.0, "kg m^2");
    doc_free(doc);
}

#define JOINT(name) "<joint name='" name "'/>"
#define TWO_OF_J "<transmission><joint name='j'/></transmission><transmission><joint name='j'/></transmission>"

Test(urdf_transmission, what_is_not_used_is_said_with_its_line)
{
    warned(DIFFERENTIAL("<rotorInertia>4e-5</rotorInertia>", ""), 4, "unlike inertias");
    warned(ARM("<transmission><type>transmission_interface/FourBarLinkageTransmission</type></transmission>"), 0,
           "four-bar linkage");
    warned(ARM("<transmission><type>x/DifferentialTransmission</type>" JOINT("j") "</transmission>"), 0,
           "needs two joints and two actuators");
    warned(ARM("<transmission><type>x/HarmonicTransmission</type>" JOINT("j") "</transmission>"), 1,
           "unknown type 'HarmonicTransmission'");
    warned(ARM("<transmission>" JOINT("j") JOINT("k") "</transmission>"), 0, "several joints");
    warned(ARM("<transmission>" JOINT("zz") "</transmission>"), 0, "'zz', which is not defined");
    warned(ARM("<transmission>" JOINT("w") "</transmission>"), 0, "it is fixed");
    warned(ARM("<transmission/>"), 0, "without a joint");
    warned(ARM(TWO_OF_J), 1, "has a transmission already (line 2)");
}

Test(urdf_transmission, bad_numbers_are_errors)
{
    expect_error("a.urdf",
                 ARM("<transmission>" JOINT("j") "<actuator name='m'>\n<rotorInertia>-1</rotorInertia>"
                                                 "</actuator></transmission>"),
                 2, "must not be negative");
    expect_error("a.urdf",
                 ARM("<transmission>" JOINT("j") "<actuator name='m'>\n<mechanicalReduction>ten"
                                                 "</mechanicalReduction></actuator></transmission>"),
                 3, "number");
    expect_error("a.urdf",
                 ARM("<transmission>" JOINT(
                     "j") "<actuator name='m'><mechanicalReduction>1e200"
                          "</mechanicalReduction><rotorInertia>1</rotorInertia></actuator></transmission>"),
                 1, "behind the gear");
}
