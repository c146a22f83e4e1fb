/* SDF files that must be refused: what was wrong, and on which line. */
#include "scene_fixture.h"

#define MODEL(inside) "<sdf version='1.9'><model name='m'>\n" inside "</model></sdf>"

static void refused(const char *text, int line, const char *word)
{
    expect_error("bad.sdf", text, line, word);
}

Test(sdf_errors, structure)
{
    refused("<sdf version='1.9'/>", 1, "neither a world nor a model");
    refused("<sdf version='x'><model name='m'><link name='l'/></model></sdf>", 1, "found 'x'");
    refused("<sdf version='1.9'>\n<model><link name='l'/></model></sdf>", 2, "needs an attribute 'name'");
    refused("<sdf version='1.9'>\n<model name='m'><link name='l'/></model>\n<model name='m'><link "
            "name='l'/></model></sdf>",
            3, "duplicate name 'm' (<model> on line 2 has it)");
    refused(MODEL("<link name='l'/>\n<link name='l'/>"), 3, "duplicate name 'l'");
    refused(MODEL("<link name='l'>"), 2, "mismatched");
    refused(MODEL("<link/>"), 2, "needs an attribute 'name'");
    refused("<sdf version='1.6'><model name='m'>\n<link name='l'/>\n<link name='l'/></model></sdf>", 3,
            "duplicate name 'l'");
}

Test(sdf_errors, numbers)
{
    refused(MODEL("<link name='l'><inertial>\n<mass>nan</mass></inertial></link>"), 3, "found 'nan'");
    refused(MODEL("<link name='l'><inertial>\n<mass>-inf</mass></inertial></link>"), 3, "found '-inf'");
    refused(MODEL("<link name='l'><inertial>\n<mass/></inertial></link>"), 3, "expected a finite number");
    refused(MODEL("<link name='l'>\n<pose>1 2 3</pose></link>"), 3, "6 finite numbers, found '1 2 3'");
    refused(MODEL("<link name='l'>\n<pose rotation_format='spin'>0 0 0 0 0 0</pose></link>"), 3, "'spin'");
    refused(MODEL("\n<static>maybe</static><link name='l'/>"), 3, "true or false, found 'maybe'");
    refused(MODEL("<link name='l'><collision name='c'><geometry>\n<plane><normal>0 0 "
                  "0</normal></plane></geometry></collision></link>"),
            3, "normal must not be zero");
    refused(MODEL("<link name='l'><collision name='c'><geometry>\n<mesh/></geometry></collision></link>"), 3,
            "needs <uri>");
    refused("<sdf version='1.9'><world name='w'><physics "
            "type='ode'><ode><solver>\n<iters>-5</iters></solver></ode></physics></world>"
            "</sdf>",
            2, "expected a count");
}

Test(sdf_errors, impossible_mechanics)
{
    refused(MODEL("<link name='l'><inertial><mass>-1</mass></inertial></link>"), 2, "negative");
    refused(MODEL("<link name='l'><inertial><inertia><ixx>-1</ixx></inertia></inertial></link>"), 2, "not positive");
    refused(MODEL("<link name='l'><inertial auto='true'/></link>"), 2, "needs a collision shape");
    refused(MODEL("<link name='l'><collision "
                  "name='c'><geometry><sphere><radius>-1</radius></sphere></geometry></collision></link>"),
            2, "negative");
}

Test(sdf_errors, nesting_is_limited)
{
    static char text[20000];
    char *at = text + sprintf(text, "<sdf version='1.9'>");
    for (int i = 0; i < 60; i++)
        at += sprintf(at, "<model name='m%d'><link name='l'/>", i);
    for (int i = 0; i < 60; i++)
        at += sprintf(at, "</model>");
    sprintf(at, "</sdf>");
    Doc *doc = doc_read("a.sdf", text);
    cr_expect_null(doc->model);
    cr_expect_not_null(strstr(doc->error.text, "nested deeper than 32"), "%s", doc->error.text);
    doc_free(doc);
}
