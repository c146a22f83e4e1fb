/* <include>: model folders, overrides, merging, and files that include themselves. */
#include "scene_fixture.h"

static const RgLinkDef *link_of(const Doc *doc, const char *group, const char *name)
{
    RgLinkId id = rg_builder_find_link(doc->builder, group, name);
    cr_assert_neq(id.i, 0, "no link %s::%s", group, name);
    return &doc->builder->links[id.i - 1];
}

Test(sdf_include, a_world_from_model_folders)
{
    Doc *doc = doc_good(doc_read(DATA_DIR "/models/world.sdf", NULL));
    check_vec3(link_of(doc, "red", "body")->X_WL.p, 1.0, 2.0, 3.0, "m");
    check_vec3(link_of(doc, "blue", "body")->X_WL.p, 9.0, 9.0, 9.0, "m");
    cr_expect(link_of(doc, "blue", "body")->is_static);
    CHECK_NEAR(link_of(doc, "red", "body")->inertia.mass, 0.5, 0.0, "kg");
    check_vec3(link_of(doc, "hung", "body")->X_WL.p, 0.0, 0.0, 4.9, "m");
    cr_expect_not_null(strstr(doc->log, "6: include 'model://sun' is not found: skipped"), "%s", doc->log);

    /* The cart is of version 1.4, in which axes stand in the model's frame. */
    RgJointId hinge = rg_builder_find_joint(doc->builder, "cart", "hinge");
    check_vec3(doc->builder->joints[hinge.i - 1].axis, 0.0, 0.0, -1.0, "1");
    doc_free(doc);
}

Test(sdf_include, models_inside_models)
{
    Doc *doc = doc_good(doc_read(DATA_DIR "/models/world.sdf", NULL));
    check_vec3(link_of(doc, "tray", "ball::body")->X_WL.p, 0.0, 0.0, 1.0, "m");

    /* Merged: the cart's links and joint are the tray's own, around its frame. */
    check_vec3(link_of(doc, "tray", "wheel")->X_WL.p, 1.0, 5.0, 0.0, "m");
    RgJointId hinge = rg_builder_find_joint(doc->builder, "tray", "hinge");
    cr_assert_neq(hinge.i, 0);
    check_vec3(doc->builder->joints[hinge.i - 1].axis, 0.0, 0.0, -1.0, "1");
    RgJointId weld = rg_builder_find_joint(doc->builder, "tray", "weld");
    check_vec3(doc->builder->joints[weld.i - 1].X_CJ.p, 0.0, 0.0, 0.1, "m");
    doc_free(doc);
}

Test(sdf_include, the_search_option_finds_models)
{
    static const char *const search[] = {DATA_DIR "/models"};
    static const char text[] =
        "<sdf version='1.9'><world name='w'><include><uri>model://ball</uri></include></world></sdf>";
    RgReadOptions options = rg_read_options_default();
    options.search = search;
    options.nsearch = 1;
    Doc *doc = doc_good(doc_read_with("/nowhere/a.sdf", text, &options));
    cr_expect_eq(rg_model_info(doc->model).links, 1);
    doc_free(doc);
    doc = doc_good(doc_read("/nowhere/a.sdf", text));
    cr_expect_eq(rg_model_info(doc->model).links, 0);
    doc_free(doc);
}

Test(sdf_include, endless_includes_are_refused)
{
    Doc *doc = doc_read(DATA_DIR "/models/itself/model.sdf", NULL);
    cr_expect_null(doc->model);
    cr_expect_not_null(strstr(doc->error.text, "does a file include itself?"), "%s", doc->error.text);
    cr_expect_eq(doc->error.line, 1);
    doc_free(doc);
    doc = doc_read(DATA_DIR "/models/twice/model.sdf", NULL);
    cr_expect_null(doc->model);
    doc_free(doc);
    doc = doc_read(DATA_DIR "/models/a.sdf", "<sdf version='1.9'><world name='w'>\n<include/></world></sdf>");
    cr_expect_null(doc->model);
    cr_expect_not_null(strstr(doc->error.text, "needs <uri>"));
    doc_free(doc);
}

Test(sdf_include, errors_name_the_included_file)
{
    Doc *doc = doc_read(DATA_DIR "/models/a.sdf", "<sdf version='1.9'><world name='w'><include>"
                                                  "<uri>file://../package/robot.urdf</uri></include></world></sdf>");
    cr_expect_null(doc->model);
    cr_expect_not_null(strstr(doc->error.file, "robot.urdf"), "%s", doc->error.file);
    cr_expect_not_null(strstr(doc->error.text, "expected <sdf>"), "%s", doc->error.text);
    doc_free(doc);
}
