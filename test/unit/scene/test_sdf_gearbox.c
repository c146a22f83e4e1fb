/* Gearbox joints: the format's law where the reference body carries both, Moby's law along a chain. */
#include "scene_fixture.h"

#define HINGE(name, parent, child, axis)                                                                               \
    "<joint name='" name "' type='revolute'><parent>" parent "</parent><child>" child "</child><axis><xyz>" axis       \
    "</xyz></axis></joint>"
#define GEARBOX(parent, child, reference, axis, axis2)                                                                 \
    "<joint name='box' type='gearbox'><parent>" parent "</parent><child>" child                                        \
    "</child><gearbox_ratio>3</gearbox_ratio>"                                                                         \
    "<gearbox_reference_body>" reference "</gearbox_reference_body><axis><xyz>" axis "</xyz></axis><axis2><xyz>" axis2 \
    "</xyz></axis2></joint>"
#define SDF(inside)                                                                                                    \
    "<sdf version='1.9'><model name='m'><link name='a'/><link name='b'/><link name='r'/>" inside "</model></sdf>"

static void check_coupling(const char *text, const char *joint, double ratio, const char *reference)
{
    Doc *doc = doc_good(doc_read("a.sdf", text));
    RgModelInfo info = rg_model_info(doc->model);
    cr_assert_eq(info.couplings, 1, "%s", doc->log);
    cr_expect_eq(info.joints, 2, "a gearbox is no joint of its own");
    RgCouplingDef c = rg_model_coupling(doc->model, 0);
    cr_expect_str_eq(c.name, "box");
    cr_expect_str_eq(rg_model_joint(doc->model, c.joint).name, joint);
    cr_expect_str_eq(rg_model_joint(doc->model, c.reference).name, reference);
    CHECK_NEAR(c.ratio, ratio, 0.0, "1");
    doc_free(doc);
}

Test(sdf_gearbox, two_wheels_on_one_frame)
{
    check_coupling(
        SDF(HINGE("ra", "r", "a", "0 0 1") HINGE("rb", "r", "b", "0 0 1") GEARBOX("a", "b", "r", "0 0 1", "0 0 1")),
        "rb", -3.0, "ra");
    check_coupling(
        SDF(HINGE("ra", "r", "a", "0 0 1") HINGE("rb", "r", "b", "0 0 1") GEARBOX("a", "b", "r", "0 0 -1", "0 0 1")),
        "rb", 3.0, "ra");
}

Test(sdf_gearbox, a_chain_in_either_arrangement)
{
    check_coupling(
        SDF(HINGE("ar", "a", "r", "0 0 1") HINGE("rb", "r", "b", "0 0 1") GEARBOX("a", "b", "r", "0 0 -1", "0 0 1")),
        "ar", 3.0, "rb");
    check_coupling(
        SDF(GEARBOX("a", "b", "r", "0 0 -1", "0 0 1") HINGE("ab", "a", "b", "0 0 1") HINGE("br", "b", "r", "0 0 1")),
        "ab", 3.0, "br");
}

Test(sdf_gearbox, without_its_hinges_it_is_dropped)
{
    Doc *doc =
        doc_good(doc_read("a.sdf", SDF(HINGE("ar", "a", "r", "0 0 1") GEARBOX("a", "b", "r", "0 0 1", "0 0 1"))));
    cr_expect_eq(rg_model_info(doc->model).couplings, 0);
    cr_expect_not_null(strstr(doc->log, "gearbox joint 'box' is dropped"), "%s", doc->log);
    doc_free(doc);
    expect_error("a.sdf", SDF("\n<joint name='box' type='gearbox'><parent>a</parent><child>b</child></joint>"), 2,
                 "needs <gearbox_reference_body>");
}
