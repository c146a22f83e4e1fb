/* test_json_text.c - JSON is written as it should be, and read again. */
#include "record/json_text.h"

#include "base/random.h"

#include "record/json_read.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

static RgSpan span(const char *text)
{
    return (RgSpan){(const unsigned char *)text, strlen(text)};
}

static void expect_text(RgBuffer *out, const char *expected)
{
    rg_buffer_put_uint(out, 0, 1);
    cr_expect_str_eq((const char *)out->data, expected);
    rg_buffer_free(out);
}

Test(json_text, structure)
{
    RgBuffer out = {.data = NULL};
    rg_json_put_open(&out, NULL, '{');
    rg_json_put_number(&out, "a", 0.1);
    rg_json_put_open(&out, "b", '[');
    rg_json_put_int(&out, NULL, -3);
    rg_json_put_bool(&out, NULL, true);
    rg_json_put_null(&out, NULL);
    rg_json_put_open(&out, NULL, '{');
    rg_json_put_close(&out, '}');
    rg_json_put_close(&out, ']');
    rg_json_put_number(&out, "c", NAN);
    rg_json_put_vec3(&out, "d", (RgVec3){1.0, INFINITY, -0.5});
    rg_json_put_close(&out, '}');
    expect_text(&out, "{\"a\":0.1,\"b\":[-3,true,null,{}],\"c\":null,\"d\":[1,null,-0.5]}");
}

Test(json_text, strings)
{
    RgBuffer out = {.data = NULL};
    rg_json_put_text(&out, NULL, "a\"b\\c\n\x01 \xc3\xa9 \xf0\x9f\xa4\x96 [{");
    expect_text(&out, "\"a\\\"b\\\\c\\u000a\\u0001 \xc3\xa9 \xf0\x9f\xa4\x96 [{\"");

    /* Lone bytes, overlong forms, surrogates, beyond the last code point. */
    rg_json_put_text(&out, NULL, "\xff|\xc0\x80|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82");
    expect_text(&out, "\"\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|"
                      "\xef\xbf\xbd\xef\xbf\xbd"
                      "\xef\xbf\xbd\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd\"");
}

Test(json_text, base64)
{
    RgBuffer out = {.data = NULL};
    rg_json_put_open(&out, NULL, '[');
    const char *const texts[] = {"", "f", "fo", "foo", "foob", "fooba", "foobar"};
    for (int i = 0; i < 7; i++)
        rg_json_put_base64(&out, NULL, (const unsigned char *)texts[i], strlen(texts[i]));
    rg_json_put_close(&out, ']');
    expect_text(&out, "[\"\",\"Zg==\",\"Zm8=\",\"Zm9v\",\"Zm9vYg==\",\"Zm9vYmE=\",\"Zm9vYmFy\"]");
}

/* Bits of drawn doubles come back, in a locale with a comma too. */
Test(json_text, numbers_keep_their_bits)
{
    RgRandom random = rg_random_seed(4);
    const char *locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8"};
    for (int i = 0; i < 30000; i++) {
        setlocale(LC_ALL, locales[i % 3]);
        uint64_t bits = rg_random_bits(&random);
        double value, read;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        RgBuffer out = {.data = NULL};
        rg_json_put_number(&out, NULL, value);
        cr_assert(rg_json_value_number((RgSpan){out.data, out.size}, &read), "%a", value);
        cr_assert(memcmp(&read, &value, sizeof read) == 0, "%a became %a", value, read);
        rg_buffer_free(&out);
    }
}

Test(json_read, members_and_lists)
{
    RgSpan value, object = span(" { \"x\" : [1, {\"x\":\"]\\\"}\"} ,null] , \"\" : 3,\"y\":{\"z\":-2.5e1}}");
    double number;
    cr_assert(rg_json_member(object, "y", &value) && rg_json_member(value, "z", &value));
    cr_expect(rg_json_value_number(value, &number) && number == -25.0);
    cr_assert(rg_json_member(object, "", &value) && rg_span_is(value, "3"));
    cr_expect_not(rg_json_member(object, "z", &value));
    cr_assert(rg_json_member(object, "x", &value));
    RgJsonList list = rg_json_list(value);
    cr_expect(rg_json_list_next(&list, &value) && rg_span_is(value, "1"));
    cr_expect(rg_json_list_next(&list, &value) && rg_span_is(value, "{\"x\":\"]\\\"}\"}"));
    cr_expect(rg_json_list_next(&list, &value) && rg_json_value_number(value, &number) && isnan(number));
    cr_expect(!rg_json_list_next(&list, &value) && list.well_formed);
    cr_expect_not(rg_json_value_number(span("\"3\""), &number));
    cr_expect_not(rg_json_value_number(span("0x10"), &number));
}

Test(json_read, texts)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    cr_expect_str_eq(rg_json_value_text(span("\"a\\n\\u00e9\\ud83e\\udd16\\/\\\"\""), &arena),
                     "a\n\xc3\xa9\xf0\x9f\xa4\x96/\"");
    const char *const wrong[] = {"3", "\"\\x\"", "\"\\u12g4\"", "\"\\ud83e\"", "\"\\udd16\"", "\"\\\"", "\"", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        cr_expect_null(rg_json_value_text(span(wrong[i]), &arena), "%s", wrong[i]);
    rg_arena_free(&arena);
}

/* Cut or changed anywhere, nothing is read outside the text (sanitizers watch). */
Test(json_read, wrong_texts)
{
    const char text[] = "{\"a\":[1,2,{\"b\":\"c\\\"d\"}],\"e\":{\"f\":[]},\"g\":null}";
    RgArena arena;
    rg_arena_init(&arena, NULL);
    for (size_t cut = 0; cut < sizeof text; cut++) {
        for (int k = 0; k < 8; k++) {
            char *copy = malloc(cut + 1);
            RgSpan value;
            memcpy(copy, text, cut);
            if (cut > 0)
                copy[(cut * 7 + (size_t)k) % cut] = "{}[]\",:\\"[k];
            RgSpan whole = {(const unsigned char *)copy, cut};
            if (rg_json_member(whole, "g", &value))
                rg_json_value_text(value, &arena);
            RgJsonList list = rg_json_list(whole);
            while (rg_json_list_next(&list, &value))
                rg_json_value_text(value, &arena);
            free(copy);
        }
    }
    rg_arena_free(&arena);
}
