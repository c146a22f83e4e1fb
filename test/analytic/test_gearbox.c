/*
 * test_gearbox.c - gearboxes and mimics of SDF files in motion, against closed forms, in both coordinate forms.
 *
 * Two wheels a, b on one turning frame r, all about one line, gearbox angle_b = -n angle_a (angles against r):
 *
 *   w_r = f', w_a = f' + a', w_b = f' - n a'
 *   [ Ir + Ia + Ib    Ia - n Ib    ] [f'']   [ 0   ]
 *   [ Ia - n Ib       Ia + n^2 Ib  ] [a''] = [ tau ]      tau: effort on the hinge of a
 *
 * and the gear puts  z = Ib (f'' - n a'')  on the hinge of b.
 *
 * Moby's law along a chain world - rotor - ... : in = n out.
 *
 * Mimic of SDF 1.11: q = m (q_other - reference) + offset, here a slide that follows a hinge (a rack): (I + m^2 M) q''
 * = tau - M g m.
 */
#include "check_near.h"
#include "worlds.h"

#include <math.h>
#include <string.h>

#define LINK(name, mass, izz)                                                                                          \
    "<link name='" name "'><inertial><mass>" mass "</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>" izz              \
    "</izz></inertia></inertial></link>"
#define HINGE(name, parent, child)                                                                                     \
    "<joint name='" name "' type='continuous'><parent>" parent "</parent><child>" child                                \
    "</child><axis><xyz>0 0 1</xyz></axis></joint>"

static RgModel *read_model(const char *text)
{
    RgError error = {0};
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    cr_assert(rg_read_memory(builder, "a.sdf", text, strlen(text), NULL, &error) == RG_OK, "%s", error.text);
    RgModel *model = rg_builder_finish(builder, &error);
    cr_assert_not_null(model, "%s", error.text);
    rg_builder_destroy(builder);
    return model;
}

static RgWorld *drive(const RgModel *model, const char *coords, const char *joint, double tau)
{
    RgWorld *world = world_of(model, coords, "rk4");
    cr_assert(rg_world_set_joint_effort(world, rg_model_find_joint(model, joint), &tau) == RG_OK);
    return world;
}

#define IR 0.15
#define IA 0.02
#define IB 0.03
#define TAU 0.4
#define RATIO 3.0

Test(gearbox, two_wheels_on_a_turning_frame)
{
    RgModel *model = read_model(
        "<sdf version='1.11'><model name='m'>" LINK("r", "2", "0.15") LINK("a", "1", "0.02") LINK("b", "1", "0.03")
            HINGE("f", "world", "r") HINGE("ra", "r", "a") HINGE(
                "rb", "r", "b") "<joint name='box' type='gearbox'><parent>a</parent><child>b</child>"
                                "<gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>r</gearbox_reference_body>"
                                "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint></model></sdf>");
    double M11 = IR + IA + IB, M12 = IA - RATIO * IB, M22 = IA + RATIO * RATIO * IB, det = M11 * M22 - M12 * M12,
           f = -M12 * TAU / det, a = M11 * TAU / det;
    for (int i = 0; i < 2; i++) {
        RgCouplingEffort effort;
        RgWorld *world = drive(model, both_forms[i], "ra", TAU);
        world_run(world, 2000, 1e-3);
        CHECK_REL(world_angle(world, "f"), 0.5 * f * 4.0, 1e-9, "rad");
        CHECK_REL(world_angle(world, "ra"), 0.5 * a * 4.0, 1e-9, "rad");
        CHECK_REL(world_angle(world, "rb"), -RATIO * 0.5 * a * 4.0, 1e-9, "rad");
        cr_assert(rg_world_coupling_efforts(world, &effort) == RG_OK);
        CHECK_REL(effort.joint, IB * (f - RATIO * a), 1e-9, "N m");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* The arrangement of paper 002's arm: a rotor on the base, the link on the rotor; its own hinge turns n times the
   other. */
Test(gearbox, a_chain_after_moby)
{
    RgModel *model = read_model(
        "<sdf version='1.4'><model name='m'>" LINK("gear", "1", "1") LINK("arm", "1", "0.5")
            HINGE("in", "world", "gear")
                HINGE("out", "gear",
                      "arm") "<joint name='box' type='gearbox'><parent>world</parent><child>arm</child>"
                             "<gearbox_ratio>1.5</gearbox_ratio>"
                             "<gearbox_reference_body>gear</gearbox_reference_body>"
                             "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint></model></sdf>");
    cr_assert_eq(rg_model_info(model).couplings, 1);

    /* w_gear = n o', w_arm = (1 + n) o', effort on out. */
    double a = TAU / (1.5 * 1.5 * 1.0 + 2.5 * 2.5 * 0.5);
    for (int i = 0; i < 2; i++) {
        RgWorld *world = drive(model, both_forms[i], "out", TAU);
        world_run(world, 2000, 1e-3);
        CHECK_REL(world_angle(world, "out"), 0.5 * a * 4.0, 1e-9, "rad");
        CHECK_REL(world_angle(world, "in"), 1.5 * 0.5 * a * 4.0, 1e-9, "rad");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A pinion that lifts a rack of 1.2 kg by 0.05 m a radian. */
Test(gearbox, a_mimic_is_a_rack)
{
    RgModel *model = read_model(
        "<sdf version='1.11'><model name='m'>" LINK("pinion", "1", "0.02") LINK("rack", "1.2", "0.1")
            HINGE("turn", "world",
                  "pinion") "<joint name='slide' "
                            "type='prismatic'><parent>world</parent><child>rack</child><axis><xyz>0 0 1</xyz>"
                            "<mimic "
                            "joint='turn'><multiplier>0.05</multiplier><offset>0.3</offset><reference>0.2</"
                            "reference></mimic>"
                            "</axis></joint></model></sdf>");
    double m = 0.05, M = 1.2, a = (TAU - M * 9.81 * m) / (0.02 + m * m * M);
    for (int i = 0; i < 2; i++) {
        RgCouplingEffort effort;
        const double q[2] = {0.2, 0.3};
        RgWorld *world = drive(model, both_forms[i], "turn", TAU);
        cr_assert(rg_world_set_state(world, q, NULL) == RG_OK);
        world_run(world, 500, 1e-3);
        CHECK_REL(world_angle(world, "turn"), 0.2 + 0.5 * a * 0.25, 1e-9, "rad");
        CHECK_REL(world_angle(world, "slide"), 0.3 + m * 0.5 * a * 0.25, 1e-9, "m");
        cr_assert(rg_world_coupling_efforts(world, &effort) == RG_OK);
        CHECK_REL(effort.joint, M * (9.81 + m * a), 1e-9, "N");
        CHECK_REL(effort.reference, -m * M * (9.81 + m * a), 1e-9, "N m");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
