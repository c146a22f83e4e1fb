/* The element tree: structure, lines, text; and every kind of document that is refused. */
#include "scene/xml.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static RgArena arena;

static void start(void)
{
    rg_arena_init(&arena, NULL);
}

static void stop(void)
{
    rg_arena_free(&arena);
}

TestSuite(xml, .init = start, .fini = stop);

static const RgXml *parse(const char *text, RgError *error)
{
    memset(error, 0, sizeof *error);
    return rg_xml_parse(&arena, "file.xml", text, strlen(text), error);
}

Test(xml, elements_attributes_text_and_lines)
{
    RgError error;
    const RgXml *root = parse(
        "<?xml version='1.0'?>\n<a x='1' y='two &amp; three'>\n  <b>  some\n text </b>\n  <c/>\n<b>2</b></a>", &error);
    cr_assert_not_null(root);
    cr_expect_str_eq(root->name, "a");
    cr_expect_str_eq(rg_xml_attribute(root, "y"), "two & three");
    cr_expect_null(rg_xml_attribute(root, "z"));
    cr_expect_str_eq(root->text, "");
    const RgXml *b = rg_xml_child(root, "b");
    cr_expect_str_eq(b->text, "some\n text");
    cr_expect_eq(b->line, 3);
    cr_expect_str_eq(rg_xml_next_same(b)->text, "2");
    cr_expect_eq(rg_xml_child(root, "c")->line, 5);
    cr_expect_null(rg_xml_child(root, "d"));
    cr_expect_null(rg_xml_child(NULL, "d"));
}

static void expect_refused(const char *text, int line, const char *word)
{
    RgError error;
    cr_expect_null(parse(text, &error), "accepted: %.60s", text);
    cr_expect_not_null(strstr(error.text, word), "'%s' has no '%s'", error.text, word);
    cr_expect_eq(error.line, line, "line %d: %s", error.line, error.text);
    cr_expect_str_eq(error.file, "file.xml");
}

Test(xml, malformed_documents_name_the_line)
{
    expect_refused("", 1, "empty");
    expect_refused("<a>\n<b>\n</a>", 3, "mismatched");
    expect_refused("<a>\n<b>text", 2, "inside <b> of line 2");
    expect_refused("<a x=1/>", 1, "malformed");
    expect_refused("<a/>\n<b/>", 2, "malformed");
    expect_refused("<a>&undefined;</a>", 1, "undefined");
}

Test(xml, entities_are_refused_before_they_grow)
{
    expect_refused(
        "<?xml version='1.0'?>\n<!DOCTYPE lolz [\n<!ENTITY lol 'lol'>\n<!ENTITY lol2 '&lol;&lol;&lol;'>\n]>\n"
        "<lolz>&lol2;</lolz>",
        2, "internal subset");
    expect_refused("<!DOCTYPE a [<!ATTLIST a b CDATA 'x'>]><a/>", 1, "internal subset");
    RgError error;
    cr_expect_not_null(parse("<!DOCTYPE robot SYSTEM 'robot.dtd'><robot/>", &error),
                       "an external subset is only not loaded");
}

/* count times the text, inside <r>. */
static char *repeated(const char *text, int count, const char *end)
{
    size_t length = strlen(text);
    char *all = malloc((size_t)count * length + strlen(end) + 16);
    char *at = all + sprintf(all, "<r>");
    for (int i = 0; i < count; i++, at += length)
        memcpy(at, text, length);
    strcpy(at, end);
    return all;
}

Test(xml, depth_and_number_of_elements_are_limited)
{
    RgError error;
    char *deep = repeated("<d>", 5000, "");
    cr_expect_null(parse(deep, &error));
    cr_expect_not_null(strstr(error.text, "deeper"), "%s", error.text);
    free(deep);
    char *wide = repeated("<e/>", RG_XML_MAX_ELEMENTS + 10, "</r>");
    cr_expect_null(parse(wide, &error));
    cr_expect_not_null(strstr(error.text, "more than"), "%s", error.text);
    free(wide);
    cr_expect_null(rg_xml_parse(&arena, "file.xml", "", RG_XML_MAX_BYTES + 1, &error));
    cr_expect_not_null(strstr(error.text, "larger"));
}
