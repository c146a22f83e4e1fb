/* SDF poses and attachments: relative_to, attached_to, nested models, placement frames. */
#include "scene_fixture.h"

#define QUARTER "1.5707963267948966"
#define MODEL(inside) "<sdf version='1.9'><model name='m'>" inside "</model></sdf>"

Test(sdf_frames, poses_follow_relative_to_in_any_order)
{
    Doc *doc = doc_good(doc_read(
        "a.sdf", MODEL("<pose>0 0 10 0 0 0</pose><link name='c'><pose relative_to='b'>1 0 0 0 0 0</pose></link>"
                       "<link name='b'><pose relative_to='f'>1 0 0 0 0 0</pose></link>"
                       "<frame name='f'><pose relative_to='a'>0 1 0 0 0 " QUARTER "</pose></frame>"
                       "<link name='a'><pose>1 1 1 0 0 0</pose></link>")));
    /* f stands at (1, 2, 1) with x along y; b one metre along, c another. */
    check_vec3(doc_link(doc, "a")->X_WL.p, 1.0, 1.0, 11.0, "m");
    check_vec3(doc_link(doc, "b")->X_WL.p, 1.0, 3.0, 11.0, "m");
    check_vec3(doc_link(doc, "c")->X_WL.p, 1.0, 4.0, 11.0, "m");
    check_axes(doc_link(doc, "c")->X_WL, (double[]){0, 1, 0}, (double[]){0, 0, 1});

    /* A frame that is attached to nothing stays with the canonical link, here the first: c. */
    cr_assert_eq(doc->builder->nframes, 1);
    cr_expect_eq(doc->builder->frames[0].link.i, 1);
    check_vec3(doc->builder->frames[0].X_LF.p, -2.0, 0.0, 0.0, "m");
    doc_free(doc);
}

Test(sdf_frames, rotation_formats)
{
    Doc *doc =
        doc_good(doc_read("a.sdf", MODEL("<link name='d'><pose degrees='true'>0 0 0 0 0 90</pose></link>"
                                         "<link name='q'><pose rotation_format='quat_xyzw'>0 0 0 0 0 1 1</pose></link>"
                                         "<link name='e'><pose relative_to='d'/></link>")));
    static const char *const names[] = {"d", "q", "e"};
    for (int i = 0; i < 3; i++)
        check_axes(doc_link(doc, names[i])->X_WL, (double[]){0, 1, 0}, (double[]){0, 0, 1});
    doc_free(doc);
}

Test(sdf_frames, shapes_may_stand_in_any_frame)
{
    Doc *doc = doc_good(doc_read(
        "a.sdf", MODEL("<link name='a'><pose>1 0 0 0 0 0</pose><visual name='v'><pose relative_to='f'>0 0 1 0 0 0"
                       "</pose><geometry><sphere><radius>1</radius></sphere></geometry></visual></link>"
                       "<frame name='f'><pose>5 0 0 0 0 0</pose></frame>")));
    check_vec3(doc->builder->shapes[0].X_LS.p, 4.0, 0.0, 1.0, "m");
    doc_free(doc);
}

Test(sdf_frames, nested_models_have_paths)
{
    Doc *doc = doc_good(doc_read(
        "a.sdf", MODEL("<link name='top'/><model name='arm'><pose>1 0 0 0 0 " QUARTER
                       "</pose><link name='hand'><pose>1 0 0 0 0 0</pose>"
                       "</link><model name='deep'><link name='finger'><pose relative_to='__model__'>0 1 0 0 0 "
                       "0</pose></link></model>"
                       "<frame name='grip' attached_to='deep::finger'/></model>"
                       "<joint name='weld' type='fixed'><parent>top</parent><child>arm::hand</child></joint>"
                       "<joint name='turn' type='revolute'><pose relative_to='arm::grip'/><parent>arm::hand</parent>"
                       "<child>arm::deep</child><axis><xyz expressed_in='__model__'>1 0 0</xyz></axis></joint>")));
    check_vec3(doc_link(doc, "arm::hand")->X_WL.p, 1.0, 1.0, 0.0, "m");
    check_vec3(doc_link(doc, "arm::deep::finger")->X_WL.p, 0.0, 0.0, 0.0, "m");
    cr_expect_str_eq(doc_link(doc, "arm::deep::finger")->group, "m");
    const RgJointDef *turn = doc_joint(doc, "turn");
    check_vec3(turn->X_PJ.p, -1.0, 1.0, 0.0, "m");
    check_vec3(turn->axis, 0.0, -1.0, 0.0, "1");
    cr_expect_str_eq(doc->builder->frames[0].name, "arm::grip");
    cr_expect_eq(rg_model_info(doc->model).nv, 7);
    doc_free(doc);
}

Test(sdf_frames, placement_frame_and_canonical_link)
{
    Doc *doc = doc_good(
        doc_read("a.world", "<sdf version='1.9'><world name='w'><frame name='shelf'><pose>0 0 2 0 0 0</pose></frame>"
                            "<model name='m' placement_frame='foot' canonical_link='b'><pose relative_to='shelf'>5 0 "
                            "0 0 0 0</pose>"
                            "<link name='a'/><link name='b'><pose>0 0 1 0 0 0</pose></link><frame name='foot'><pose>0 "
                            "0 -1 0 0 0</pose></frame>"
                            "</model></world></sdf>"));
    /* The foot, one metre under the model's frame, stands on the shelf. */
    check_vec3(doc_link(doc, "a")->X_WL.p, 5.0, 0.0, 3.0, "m");
    const RgFrameDef *shelf = &doc->builder->frames[0], *foot = &doc->builder->frames[1];
    cr_expect(strcmp(shelf->name, "shelf") == 0 && shelf->link.i == 0);
    check_vec3(shelf->X_LF.p, 0.0, 0.0, 2.0, "m");
    cr_expect_eq(foot->link.i, 2, "attached to the canonical link b");
    check_vec3(foot->X_LF.p, 0.0, 0.0, -2.0, "m");
    doc_free(doc);
}

Test(sdf_frames, names_before_1_7_may_be_shared_by_kinds)
{
    Doc *doc = doc_good(doc_read("a.sdf",
                                 "<sdf version='1.6'><model name='m'><joint name='x' type='revolute'><parent>y</parent>"
                                 "<child>x</child><axis><xyz>0 0 1</xyz></axis></joint><link name='x'/><link name='y'/>"
                                 "</model></sdf>"));
    cr_expect_eq(rg_model_info(doc->model).nv, 7);
    doc_free(doc);
    expect_error("a.sdf", MODEL("\n<link name='x'/>\n<frame name='x'/>"), 3, "duplicate name 'x' (<link> on line 2");
}

Test(sdf_frames, what_cannot_be_placed)
{
    expect_error("a.sdf",
                 MODEL("\n<link name='a'><pose relative_to='b'/></link><link name='b'><pose relative_to='a'/></link>"),
                 2, "depends on itself");
    expect_error("a.sdf", MODEL("\n<link name='a'><pose relative_to='zz'/></link>"), 2,
                 "no link, joint, frame or model 'zz'");
    expect_error("a.sdf",
                 MODEL("<link name='l'/>\n<frame name='a' attached_to='b'><pose relative_to='l'/></frame>"
                       "<frame name='b' attached_to='a'><pose relative_to='l'/></frame>"),
                 2, "attached to itself");
    expect_error("a.sdf", "<sdf version='1.9'>\n<model name='m' placement_frame='zz'><link name='l'/></model></sdf>", 2,
                 "no placement frame 'zz'");
    expect_error("a.sdf",
                 "<sdf version='1.9'>\n<model name='m' canonical_link='zz'><link name='l'/><frame "
                 "name='f'/></model></sdf>",
                 2, "canonical_link 'zz'");
    expect_error("a.sdf", MODEL("\n<link name='__model__'/>"), 2, "reserved");
}

Test(sdf_frames, long_chains_of_frames_are_refused_not_followed)
{
    static char text[120000];
    char *at = text + sprintf(text, "<sdf version='1.9'><model name='m'><link name='l'/>");
    for (int i = 0; i < 1500; i++)
        at += sprintf(at, "<frame name='f%d'><pose relative_to='f%d'/></frame>", i, i + 1);
    sprintf(at, "<frame name='f1500'/></model></sdf>");
    Doc *doc = doc_read("a.sdf", text);
    cr_expect_null(doc->model);
    cr_expect_not_null(strstr(doc->error.text, "more than 1000 deep"), "%s", doc->error.text);
    doc_free(doc);
}
