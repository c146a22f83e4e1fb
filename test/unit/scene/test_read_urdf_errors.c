/* URDF files that must be refused: what was wrong, and on which line. */
#include "scene_fixture.h"

#define L(name)                                                                                                        \
    "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "                                       \
    "izz='1'/></inertial></link>\n"
#define J(name, type, parent, child)                                                                                   \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/></joint>\n"

static void refused(const char *text, int line, const char *word)
{
    expect_error("bad.urdf", text, line, word);
}

Test(urdf_errors, structure)
{
    refused("<robot name='r'></robot>", 1, "without links");
    refused("<robot name='r'>\n<link/></robot>", 2, "needs an attribute 'name'");
    refused("<robot name='r'>\n" L("a") L("a") "</robot>", 3, "duplicate link name 'a' (first on line 2)");
    refused("<robot name='r'>\n" L("a") L("b") L("c") J("j", "fixed", "a", "b") J("j", "fixed", "b", "c") "</robot>", 6,
            "duplicate joint name 'j'");
    refused("<robot name='r'>\n" L("a") J("j", "fixed", "zz", "a") "</robot>", 3, "parent link 'zz' is not defined");
    refused("<robot name='r'>\n" L("a") L("b") L("c") J("j", "fixed", "a", "b") J("k", "fixed", "c", "b") "</robot>", 6,
            "link 'b' has two parents");
    refused("<robot name='r'>\n" L("a") L("b") J("j", "fixed", "a", "b") J("k", "fixed", "b", "a") "</robot>", 5,
            "cycle");
    refused("<robot name='r'>\n" L("a") J("j", "fixed", "a", "a") "</robot>", 3, "cycle");
    refused("<robot name='r'>\n" L("a") "<joint name='j' type='fixed'><child link='a'/></joint></robot>", 3,
            "needs <parent");
    refused("<robot name='r'>\n" L("a") L("b") J("j", "magic", "a", "b") "</robot>", 4, "unknown type 'magic'");
    refused("<robot name='r'>\n" L("a") L("b") "<joint name='j'><parent link='a'/><child link='b'/></joint></robot>", 4,
            "needs an attribute 'type'");
}

Test(urdf_errors, other_documents)
{
    refused("<html/>", 1, "found <html>");
    refused("<robot name='r'>\n" L("a"), 3, "inside <robot>");
    refused("not xml", 1, "malformed");
    refused("<robot name='r' xmlns:xacro='x'>\n<xacro:macro name='m'/></robot>", 2, "xacro");
    refused("<!DOCTYPE robot [\n<!ENTITY a 'aaaa'>]>\n<robot name='r'/>", 1, "entities");
}

Test(urdf_errors, numbers)
{
    refused("<robot name='r'><link name='a'><inertial>\n<mass value='nan'/></inertial></link></robot>", 2,
            "found 'nan'");
    refused("<robot name='r'><link name='a'><inertial>\n<mass value='inf'/></inertial></link></robot>", 2,
            "found 'inf'");
    refused("<robot name='r'><link name='a'><inertial>\n<mass value='1e999'/></inertial></link></robot>", 2,
            "found '1e999'");
    refused("<robot name='r'><link name='a'><inertial>\n<mass value='heavy'/></inertial></link></robot>", 2,
            "found 'heavy'");
    refused("<robot name='r'><link name='a'><inertial>\n<mass/></inertial></link></robot>", 2,
            "needs an attribute 'value'");
    refused("<robot name='r'><link name='a'>\n<inertial/></link></robot>", 2, "needs <mass");
    refused("<robot name='r'><link name='a'><inertial><mass value='1'/>\n<inertia "
            "ixx='1'/></inertial></link></robot>",
            2, "'iyy'");
    refused("<robot name='r'><link name='a'><inertial><mass value='1'/>\n<origin xyz='0 "
            "0'/></inertial></link></robot>",
            2, "3 finite numbers, found '0 0'");
    refused("<robot name='r'><link name='a'><visual>\n<origin xyz='0 0 0 0'/></visual></link></robot>", 2,
            "found '0 0 0 0'");
    refused("<robot name='r'><link name='a'><visual><geometry>\n<box/></geometry></visual></link></robot>", 2,
            "needs an attribute");
}

Test(urdf_errors, impossible_mechanics)
{
    refused("<robot name='r'>\n<link name='a'><inertial><mass value='-1'/><inertia ixx='1' iyy='1' "
            "izz='1'/></inertial></link>"
            "</robot>",
            2, "negative");
    refused("<robot name='r'>\n<link name='a'><inertial><mass value='1'/><inertia ixx='-1' iyy='1' "
            "izz='1'/></inertial></link>"
            "</robot>",
            2, "not positive");
    refused("<robot name='r'>\n" L("a") L("b") "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
                                               "<limit lower='2' upper='1'/></joint></robot>",
            4, "lower limit");
    refused("<robot name='r'>\n" L("a") L("b") "<joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
                                               "<axis xyz='0 0 0'/></joint></robot>",
            4, "axis");
    refused("<robot name='r'>\n" L("a") L("b") "<joint name='j' type='continuous'><parent link='a'/><child link='b'/>\n"
                                               "<mimic joint='zz'/></joint></robot>",
            5, "'zz', which is not defined");
    refused("<robot name='r'>\n" L("a") L("b")
                J("j", "continuous", "a",
                  "b") "<transmission name='t'><joint "
                       "name='j'/><mechanicalReduction>0</mechanicalReduction></transmission></robot>",
            5, "must not be 0");
}

Test(urdf_errors, nameless_shapes_are_called_after_their_link)
{
    refused("<robot name='r'>\n<link name='arm'>\n<collision><geometry><cylinder radius='-1' length='1'/>"
            "</geometry></collision></link></robot>",
            3, "shape 'arm collision' (cylinder): a size is negative");
    refused("<robot name='r'>\n<link name='arm'>\n<visual name=''><geometry><sphere radius='-1'/>"
            "</geometry></visual></link></robot>",
            3, "shape 'arm visual' (sphere)");
    refused("<robot name='r'>\n<link name='arm'>\n<visual name='hull'><geometry><sphere radius='-1'/>"
            "</geometry></visual></link></robot>",
            3, "shape 'hull' (sphere)");
}

Test(urdf_errors, files)
{
    Doc *doc = doc_read("/nowhere/robot.urdf", NULL);
    cr_expect_eq(doc->error.status, RG_ERR_FILE);
    cr_expect_str_eq(doc->error.file, "/nowhere/robot.urdf");
    doc_free(doc);
    doc = doc_read(DATA_DIR, NULL);
    cr_expect_eq(doc->error.status, RG_ERR_FILE, "a folder is no file");
    doc_free(doc);
}

Test(urdf_errors, misuse)
{
    RgError error;
    RgReadOptions zeroed = {0};
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    cr_expect_eq(rg_read_memory(builder, "a.urdf", "<robot/>", 8, &zeroed, &error), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_read_memory(NULL, "a.urdf", "<robot/>", 8, NULL, &error), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_read_memory(builder, "a.urdf", NULL, 8, NULL, &error), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_read_file(builder, NULL, NULL, NULL), RG_ERR_ARGUMENT);
    rg_builder_destroy(builder);
    cr_expect_null(rg_model_load("/nowhere.urdf", NULL, NULL, NULL), "an error without a place for it");
}
