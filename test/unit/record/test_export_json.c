/* test_export_json.c - names and numbers of a recording's JSON; texts that are cut off, changed, deep or huge. */
#include "record/export_json.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static RgSpan span(const char *text)
{
    return (RgSpan){(const unsigned char *)text, strlen(text)};
}

static const char scene[] =
    "{\"version\":1,\"links\":[{\"mass\":2,\"name\":\"a\\n\\u00e9\\ud83e\\udd16\\/\\\"\"},"
    "{\"name\":\"]\\\"}\",\"shapes\":[]}], \"q_names\" : [ \"x\" , \"y\",\"z\" ],\"v_names\":[]}";

Test(export_json, names_of_a_scene)
{
    RgArena arena;
    RgRecordNames names;
    rg_arena_init(&arena, NULL);
    cr_assert_eq(rg_read_scene_names(span(scene), &arena, &names), RG_OK);
    cr_assert(names.nlinks == 2 && names.nq == 3 && names.nv == 0);
    cr_expect_str_eq(names.links[0], "a\n\xc3\xa9\xf0\x9f\xa4\x96/\"");
    cr_expect_str_eq(names.links[1], "]\"}");
    cr_expect_str_eq(names.q[2], "z");
    rg_arena_free(&arena);
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* In a locale with a decimal comma too. */
Test(export_json, numbers_of_a_step)
{
    const char *const locales[] = {"C", "de_DE.UTF-8"};
    const char text[] = "{\"t\":0.1,\"kinetic\":-2.5e-1,\"work\":{\"residual\":9},\"potential\":-0,\"contacts\":3,"
                        "\"contact_work\":123456789012345678901234567890,\"residual\":null}";
    for (int i = 0; i < 2; i++) {
        double x[RG_STEP_NUMBERS];
        setlocale(LC_ALL, locales[i]);
        cr_assert_eq(rg_read_step_numbers(span(text), x), RG_OK);
        cr_expect(x[0] == -0.25 && same_bits(x[1], -0.0) && x[2] == 3.0 && x[3] == 123456789012345678901234567890.0);
        cr_expect(isnan(x[4]));
    }
}

Test(export_json, wrong_texts_are_refused)
{
    const char *const scenes[] = {"",
                                  "[]",
                                  "{\"links\":[],\"q_names\":[]}",
                                  "{\"links\":[],\"q_names\":[],\"v_names\":{}}",
                                  "{\"links\":[],\"q_names\":[3],\"v_names\":[]}",
                                  "{\"links\":[\"a\"],\"q_names\":[],\"v_names\":[]}",
                                  "{\"links\":[{\"name\":null}],\"q_names\":[],\"v_names\":[]}",
                                  "{\"links\":[],\"q_names\":[\"\\ud83e\"],\"v_names\":[]}",
                                  "{\"links\":[],\"q_names\":[\"a\\u0000b\"],\"v_names\":[]}",
                                  "{\"links\":[],\"q_names\":[\"\xff\"],\"v_names\":[]}"};
    const char *const steps[] = {
        "{\"kinetic\":1,\"potential\":1,\"contacts\":1,\"contact_work\":1}",
        "{\"kinetic\":\"1\",\"potential\":1,\"contacts\":1,\"contact_work\":1,\"residual\":1}",
        "{\"kinetic\":0x1,\"potential\":1,\"contacts\":1,\"contact_work\":1,\"residual\":1}",
        "{\"kinetic\":1e999,\"potential\":1,\"contacts\":1,\"contact_work\":1,\"residual\":1}"};
    RgArena arena;
    RgRecordNames names;
    double x[RG_STEP_NUMBERS];
    rg_arena_init(&arena, NULL);
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        cr_expect_eq(rg_read_scene_names(span(scenes[i]), &arena, &names), RG_ERR_SYNTAX, "%s", scenes[i]);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        cr_expect_eq(rg_read_step_numbers(span(steps[i]), x), RG_ERR_SYNTAX, "%s", steps[i]);
    rg_arena_free(&arena);
}

/* Cut or changed anywhere, nothing is read outside the text (sanitizers watch). */
Test(export_json, damaged_texts)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    for (size_t cut = 0; cut < sizeof scene; cut++) {
        for (int k = 0; k < 8; k++) {
            char *copy = malloc(cut + 1);
            RgRecordNames names;
            memcpy(copy, scene, cut);
            if (cut > 0)
                copy[(cut * 7 + (size_t)k) % cut] = "{}[]\",:\\"[k];
            RgStatus status = rg_read_scene_names((RgSpan){(unsigned char *)copy, cut}, &arena, &names);
            cr_expect(status == RG_ERR_SYNTAX || cut == sizeof scene - 1);
            free(copy);
        }
    }
    rg_arena_free(&arena);
}

/* A text of one byte again and again, and an end. */
static RgStatus read_repeated(char byte, size_t count, const char *end)
{
    size_t size = count + strlen(end);
    char *text = malloc(size);
    RgArena arena;
    RgRecordNames names;
    cr_assert_not_null(text);
    memset(text, byte, count);
    memcpy(text + count, end, strlen(end));
    rg_arena_init(&arena, NULL);
    RgStatus status = rg_read_scene_names((RgSpan){(unsigned char *)text, size}, &arena, &names);
    rg_arena_free(&arena);
    free(text);
    return status;
}

Test(export_json, deep_and_huge_texts_are_refused)
{
    cr_expect_eq(read_repeated('[', 1000000, ""), RG_ERR_SYNTAX, "a million levels");
    cr_expect_eq(read_repeated('[', 20000000, ""), RG_ERR_SYNTAX, "more brackets than values are allowed");
    cr_expect_eq(read_repeated(' ', 20000000, "{\"links\":[],\"q_names\":[],\"v_names\":[]}"), RG_OK,
                 "long, few values");
}
