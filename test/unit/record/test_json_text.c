/* test_json_text.c - JSON is written as it should be, and jansson reads it. */
#include "record/json_text.h"

#include "base/random.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        RgBuffer out = {.data = NULL};
        rg_json_put_number(&out, NULL, value);
        json_t *number = json_loadb((const char *)out.data, out.size, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
        cr_assert(json_is_real(number), "%a", value);
        double read = json_real_value(number);
        cr_assert(memcmp(&read, &value, sizeof read) == 0, "%a became %a", value, read);
        json_decref(number);
        rg_buffer_free(&out);
    }
}
