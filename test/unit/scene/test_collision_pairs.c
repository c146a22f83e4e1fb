/* Who may touch whom: filter groups, single pairs, masks, self_collide, what stands for a mesh. */
#include "scene_fixture.h"

#define INERTIAL "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
#define FIXED(name, child) "<joint name='" name "' type='fixed'><parent link='a'/><child link='" child "'/></joint>"
#define ROBOT(inside)                                                                                                  \
    "<robot name='r' xmlns:drake='http://drake.mit.edu'><link name='a'>" INERTIAL                                      \
    "</link><link name='b'/><link name='c'/><link name='d'/>" FIXED("1", "b") FIXED("2", "c")                          \
        FIXED("3", "d") "\n" inside "</robot>"
#define MODEL(inside)                                                                                                  \
    "<sdf version='1.9' xmlns:drake='http://drake.mit.edu'><model name='m'><link name='a'/><link name='b'/>"           \
    "<link name='c'/><link name='d'/>\n" inside "</model></sdf>"

/* The pairs of a document as "ab -cd" and so on, the first of a pair first in the file; - for those that
   never touch. */
static const char *pairs_of(const Doc *doc)
{
    static char text[400];
    text[0] = '\0';
    for (int i = 0; i < rg_model_info(doc->model).collision_pairs; i++) {
        RgCollisionPairDef pair = rg_model_collision_pair(doc->model, i);
        const char *a = pair.link_a.i ? rg_model_link(doc->model, pair.link_a).name : "world";
        const char *b = pair.link_b.i ? rg_model_link(doc->model, pair.link_b).name : "world";
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s%s%s", i > 0 ? " " : "", pair.collide ? "" : "-", a, b);
    }
    return text;
}

static void expect_pairs(const char *name, const char *document, const char *pairs)
{
    Doc *doc = doc_good(doc_read(name, document));
    cr_expect_str_eq(pairs_of(doc), pairs, "%s: '%s', not '%s'", name, pairs_of(doc), pairs);
    cr_expect_str_empty(doc->log, "%s", doc->log);
    doc_free(doc);
}

Test(collision_pairs, a_group_that_ignores_itself)
{
    expect_pairs("a.urdf",
                 ROBOT("<drake:collision_filter_group name='g'><drake:member link='a'/><drake:member link='c'/>"
                       "<drake:member link='d'/><drake:member link='a'/>"
                       "<drake:ignored_collision_filter_group name='g'/></drake:collision_filter_group>"),
                 "-ac -ad -cd");
    expect_pairs("a.sdf",
                 MODEL("<drake:collision_filter_group name='g'><drake:member>a</drake:member>"
                       "<drake:member>b</drake:member><drake:member>d</drake:member>"
                       "<drake:ignored_collision_filter_group>g</drake:ignored_collision_filter_group>"
                       "</drake:collision_filter_group>"),
                 "-ab -ad -bd");
}

#define TWO_GROUPS(in_g, in_h)                                                                                         \
    "<drake:collision_filter_group name='g'><drake:member link='a'/><drake:member link='b'/>" in_g                     \
    "</drake:collision_filter_group><drake:collision_filter_group name='h'><drake:member link='b'/>"                   \
    "<drake:member link='c'/>" in_h "</drake:collision_filter_group>"
#define IGNORES(name) "<drake:ignored_collision_filter_group name='" name "'/>"
#define HOLDS(name) "<drake:member_collision_filter_group name='" name "'/>"

Test(collision_pairs, two_groups)
{
    expect_pairs("a.urdf", ROBOT(TWO_GROUPS(IGNORES("h"), "")), "-ab -ac -bc");
    expect_pairs("a.urdf", ROBOT(TWO_GROUPS("", IGNORES("g"))), "-ba -ca -cb");
    expect_pairs("b.urdf", ROBOT(TWO_GROUPS(IGNORES("h"), IGNORES("g"))), "-ab -ac -bc"); /* said once */
    expect_pairs("c.urdf", ROBOT(TWO_GROUPS("", "")), "");
}

Test(collision_pairs, groups_of_groups)
{
    /* h holds g and is ignored by i; g and h hold one another. */
    expect_pairs("a.urdf",
                 ROBOT(TWO_GROUPS(HOLDS("h"), HOLDS("g")) "<drake:collision_filter_group name='i'>"
                                                          "<drake:member link='d'/>" IGNORES(
                                                              "g") "</drake:collision_filter_group>"),
                 "-da -db -dc");
    expect_pairs("b.urdf", ROBOT(TWO_GROUPS(HOLDS("h") IGNORES("g"), "")), "-ab -ac -bc");
    expect_pairs("c.urdf",
                 ROBOT("<drake:collision_filter_group name='g' ignore='true'><drake:member link='a'/>"
                       "<drake:member link='b'/>" IGNORES("g") "</drake:collision_filter_group>"),
                 "");
}

Test(collision_pairs, single_pairs_have_the_last_word)
{
    expect_pairs("a.urdf",
                 ROBOT("<enable_collisions link1='b' link2='a'/><disable_collisions link1='c' link2='d' "
                       "reason='Adjacent'/>" TWO_GROUPS(IGNORES("h"), "")),
                 "-ab -ac -bc ba -cd");
    expect_pairs("b.urdf", ROBOT("<disable_collisions link1='world' link2='d'/>"), "-worldd");
}

/* Names count in the model that the groups stand in, merged and nested models included. */
Test(collision_pairs, sdf_scopes)
{
    expect_pairs("a.sdf",
                 "<sdf version='1.9'><world name='w'><model name='m'><link name='a'/><link name='b'/>"
                 "<model name='n'><link name='a'/><link name='c'/><drake:collision_filter_group name='g'>"
                 "<drake:member>a</drake:member><drake:member>c</drake:member>" IGNORES(
                     "g") "</drake:collision_filter_group></model>"
                          "<drake:collision_filter_group name='g'><drake:member>a</drake:member>"
                          "<drake:member>n::c</drake:member>" IGNORES(
                              "g") "</drake:collision_filter_group></model>"
                                   "<disable_collisions link1='m::b' link2='m::n::c'/></world></sdf>",
                 "-bn::c -an::c -n::an::c");
}

Test(collision_pairs, what_is_not_there_is_a_remark)
{
    Doc *doc =
        doc_good(doc_read("a.urdf", ROBOT(TWO_GROUPS(IGNORES("nobody") HOLDS("none") IGNORES("h") IGNORES("g"),
                                                     "<drake:member link='x'/>") "\n<disable_collisions link1='a' "
                                                                                 "link2='y'/>"
                                                                                 "<disable_collisions link1='a' "
                                                                                 "link2='a'/>")));
    cr_expect_str_eq(pairs_of(doc), "-ab -ac -bc -ab");
    cr_expect_eq(count_text(doc->log, "no collision filter group 'nobody'"), 1, "%s", doc->log);
    cr_expect_eq(count_text(doc->log, "no collision filter group 'none'"), 1, "%s", doc->log);
    cr_expect_eq(count_text(doc->log, "no link 'x'"), 1, "%s", doc->log);
    cr_expect_not_null(strstr(doc->log, "3: <disable_collisions>: there is no link 'y'"), "%s", doc->log);
    cr_expect_eq(count_text(doc->log, "with itself"), 1, "%s", doc->log);
    doc_free(doc);
}

Test(collision_pairs, errors)
{
    expect_error("a.urdf", ROBOT(TWO_GROUPS("<drake:member/>" IGNORES("g"), "")), 2, "names no link");
    expect_error("a.urdf", ROBOT(TWO_GROUPS("<drake:ignored_collision_filter_group/>", "")), 2, "names no group");
    expect_error("a.urdf", ROBOT("<drake:collision_filter_group/>"), 2, "needs an attribute 'name'");
    expect_error("a.urdf", ROBOT("\n<disable_collisions link1='a'/>"), 3, "needs an attribute 'link2'");
    expect_error("a.urdf",
                 ROBOT("<drake:collision_filter_group name='g'/>"
                       "<drake:collision_filter_group name='g'/>"),
                 2, "duplicate collision filter group 'g'");
}

/* Two thousand links that all ignore one another would be two million pairs. */
Test(collision_pairs, too_many_pairs_are_refused)
{
    size_t room = 300000;
    char *text = malloc(room);
    size_t used = (size_t)snprintf(text, room, "<robot name='r'>");
    for (int i = 0; i < 2000; i++)
        used += (size_t)snprintf(text + used, room - used, "<link name='l%d'/>", i);
    used += (size_t)snprintf(text + used, room - used, "<drake:collision_filter_group name='g'>" IGNORES("g"));
    for (int i = 0; i < 2000; i++)
        used += (size_t)snprintf(text + used, room - used, "<drake:member link='l%d'/>", i);
    snprintf(text + used, room - used, "</drake:collision_filter_group></robot>");
    expect_error("a.urdf", text, 1, "more than 1000000 pairs");
    free(text);
}

/* ------------------------------------------------------------------ masks */

#define SPHERE "<geometry><sphere><radius>1</radius></sphere></geometry>"
#define CONTACT(inside) "<collision name='c'>" SPHERE "<surface><contact>" inside "</contact></surface></collision>"

Test(collision_pairs, sdf_masks)
{
    static const struct {
        const char *inside;
        uint32_t category, mask;
    } cases[] = {{"", UINT32_MAX, UINT32_MAX},
                 {"<collide_bitmask>65535</collide_bitmask>", 65535, 65535},
                 {"<collide_bitmask>0x1f</collide_bitmask>", 31, 31},
                 {"<collide_bitmask>0XFFFFFFFF</collide_bitmask>", UINT32_MAX, UINT32_MAX},
                 {"<category_bitmask>4</category_bitmask>", 4, UINT32_MAX},
                 {"<category_bitmask>4</category_bitmask><collide_bitmask> 3 </collide_bitmask>", 4, 3},
                 {"<collide_bitmask>0</collide_bitmask>", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "<sdf version='1.9'><model name='m'><link name='a'>" CONTACT("%s") "</link></model></sdf>",
                 cases[i].inside);
        Doc *doc = doc_good(doc_read("a.sdf", text));
        RgShapeInfo shape = rg_model_shape(doc->model, (RgShapeId){1});
        cr_expect_eq(shape.category, cases[i].category, "case %zu: category %x", i, shape.category);
        cr_expect_eq(shape.mask, cases[i].mask, "case %zu: mask %x", i, shape.mask);
        doc_free(doc);
    }
    static const char *const wrong[] = {"x",  "-1",  "1.5", "4294967296", "0x100000000",
                                        "0x", "0xg", "",    "1 2",        "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "<sdf version='1.9'><model name='m'><link name='a'>\n" CONTACT(
                     "<collide_bitmask>%s</collide_bitmask>") "</link></model></sdf>",
                 wrong[i]);
        expect_error("a.sdf", text, 2, "expected a whole number");
    }
}

/* ------------------------------------------------------------------ self_collide */

static bool touches_itself(const Doc *doc, const char *link)
{
    return rg_model_link(doc->model, rg_model_find_link(doc->model, link)).self_collide;
}

Test(collision_pairs, self_collide_of_sdf_models_and_links)
{
    static const char text[] = "<sdf version='1.9'><world name='w'><model name='on'><link name='a'/><link name='b'>"
                               "<self_collide>false</self_collide></link><model name='in'><link name='c'/></model>"
                               "<model name='out'><self_collide>0</self_collide><link name='d'/></model>"
                               "<self_collide>true</self_collide></model><model name='off'><link name='e'/>"
                               "<link name='f'><self_collide>1</self_collide></link></model></world></sdf>";
    Doc *doc = doc_good(doc_read("a.sdf", text));
    cr_expect(touches_itself(doc, "a") && !touches_itself(doc, "b"));
    cr_expect(touches_itself(doc, "in::c"), "models inside inherit");
    cr_expect_not(touches_itself(doc, "out::d"));
    cr_expect(!touches_itself(doc, "e") && touches_itself(doc, "f"));
    doc_free(doc);

    /* The option decides for all. */
    RgReadOptions options = rg_read_options_default();
    options.self_collide = RG_SELF_COLLIDE_ON;
    doc = doc_good(doc_read_with("a.sdf", text, &options));
    cr_expect(touches_itself(doc, "b") && touches_itself(doc, "out::d"));
    doc_free(doc);
    options.self_collide = RG_SELF_COLLIDE_OFF;
    doc = doc_good(doc_read_with("a.sdf", text, &options));
    cr_expect(!touches_itself(doc, "a") && !touches_itself(doc, "f"));
    doc_free(doc);
}

/* A merged model speaks for its own links only. */
Test(collision_pairs, self_collide_of_a_merged_model)
{
    Doc *doc = doc_good(doc_read(DATA_DIR "/models/x.sdf",
                                 "<sdf version='1.9'><model name='m'><self_collide>true</self_collide>"
                                 "<link name='a'/><include merge='true'><uri>model://timid</uri></include>"
                                 "<link name='b'/></model></sdf>"));
    cr_expect(touches_itself(doc, "a") && touches_itself(doc, "b"));
    cr_expect_not(touches_itself(doc, "left"));
    cr_expect_str_eq(pairs_of(doc), "-leftright", "its filters name its links");
    doc_free(doc);
}

Test(collision_pairs, self_collide_of_urdf)
{
    static const char robot[] = ROBOT("<gazebo reference='a'><selfCollide>true</selfCollide></gazebo>"
                                      "<gazebo reference='b'><self_collide value='1'/></gazebo>"
                                      "<gazebo reference='c'><selfCollide>false</selfCollide></gazebo>%s");
    for (int whole = 0; whole < 2; whole++) {
        char text[1000];
        snprintf(text, sizeof text, robot, whole ? "<gazebo><self_collide>true</self_collide></gazebo>" : "");
        Doc *doc = doc_good(doc_read("a.urdf", text));
        cr_expect(touches_itself(doc, "a") && touches_itself(doc, "b") && !touches_itself(doc, "c"));
        cr_expect_eq(touches_itself(doc, "d"), whole);
        doc_free(doc);
    }
    expect_error("a.urdf", ROBOT("\n<gazebo reference='a'><selfCollide>maybe</selfCollide></gazebo>"), 3,
                 "expected true or false");
}

/* ------------------------------------------------------------------ meshes */

static RgMeshUse use_of(const char *name, const char *document, const char *remark)
{
    Doc *doc = doc_good(doc_read(name, document));
    RgMeshUse use = rg_model_shape(doc->model, (RgShapeId){1}).mesh_use;
    if (remark == NULL)
        cr_expect_str_empty(doc->log, "%s", doc->log);
    else
        cr_expect_not_null(strstr(doc->log, remark), "%s", doc->log);
    doc_free(doc);
    return use;
}

#define SDF_MESH(attribute, inside)                                                                                    \
    "<sdf version='1.11'><model name='m'><link name='a'><collision name='c'><geometry><mesh" attribute                 \
    "><uri>meshes/tetra.obj</uri>" inside "</mesh></geometry></collision></link></model></sdf>"
#define URDF_MESH(inside)                                                                                              \
    "<robot name='r'><link name='a'><collision><geometry><mesh filename='meshes/tetra.obj'>" inside                    \
    "</mesh></geometry></collision></link></robot>"

Test(collision_pairs, what_stands_for_a_mesh)
{
    const char *sdf = DATA_DIR "/package/x.sdf", *urdf = DATA_DIR "/package/x.urdf";
    cr_expect_eq(use_of(sdf, SDF_MESH("", ""), NULL), RG_MESH_AUTO);
    cr_expect_eq(use_of(sdf, SDF_MESH(" optimization=''", ""), NULL), RG_MESH_AUTO);
    cr_expect_eq(use_of(sdf, SDF_MESH(" optimization='convex_hull'", ""), NULL), RG_MESH_HULL);
    cr_expect_eq(use_of(sdf, SDF_MESH("", "<drake:declare_convex/>"), NULL), RG_MESH_HULL);
    cr_expect_eq(use_of(sdf, SDF_MESH(" optimization='convex_decomposition'", ""), "no decomposition"), RG_MESH_PARTS);
    cr_expect_eq(use_of(sdf, SDF_MESH(" optimization='soup'", ""), "unknown optimization 'soup'"), RG_MESH_AUTO);
    cr_expect_eq(use_of(urdf, URDF_MESH(""), NULL), RG_MESH_AUTO);
    cr_expect_eq(use_of(urdf, URDF_MESH("<drake:declare_convex/>"), NULL), RG_MESH_HULL);
}
