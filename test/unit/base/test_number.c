/* Numbers in text: the grammar, the words that are none, and independence of the locale. */
#include "base/number.h"

#include "check_near.h"

#include <locale.h>
#include <string.h>

static RgNumberResult number(const char *text, double *value)
{
    return rg_word_number((RgWord){text, strlen(text)}, value);
}

Test(number, decimals_are_read_exactly)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"0", 0.0},
                 {"-0", -0.0},
                 {"+1", 1.0},
                 {"3.25", 3.25},
                 {".5", 0.5},
                 {"5.", 5.0},
                 {"1e3", 1000.0},
                 {"-1.5E-2", -0.015},
                 {"1e+16", 1e16},
                 {"4.9e-324", 4.9e-324},
                 {"1e-400", 0.0},
                 {"0.1", 0.1},
                 {"1.7976931348623157e308", 1.7976931348623157e308}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value;
        cr_expect_eq(number(cases[i].text, &value), RG_NUMBER_OK, "%s", cases[i].text);
        cr_expect(memcmp(&value, &cases[i].value, sizeof value) == 0, "%s gave %.17g", cases[i].text, value);
    }
}

Test(number, garbage_is_refused)
{
    static const char *const words[] = {"abc", "1.2.3", "1e",  "1e+", ".",     "-",   "+-1",    "0x10",   "1,5",
                                        "1f",  "1 ",    "--1", "e5",  "1e5.0", "1_0", "NaN(1)", "infinit"};
    double value;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        cr_expect_eq(number(words[i], &value), RG_NUMBER_GARBAGE, "%s", words[i]);
    char longest[2000];
    memset(longest, '1', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    cr_expect_eq(number(longest, &value), RG_NUMBER_GARBAGE);
}

Test(number, what_is_not_finite_is_told_apart)
{
    static const char *const words[] = {"nan", "NaN", "-nan", "inf", "-Infinity", "+INF", "1e999", "-1e400"};
    double value;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        cr_expect_eq(number(words[i], &value), RG_NUMBER_NOT_FINITE, "%s", words[i]);
    number("-inf", &value);
    cr_expect(value == -(double)INFINITY);
}

Test(number, lists_count_their_numbers)
{
    double values[3];
    int found;
    RgWord bad;
    cr_expect_eq(rg_text_numbers(" 1\t2\n3 ", 3, values, &found, &bad), RG_NUMBER_OK);
    CHECK_NEAR(values[2], 3.0, 0.0, "1");
    cr_expect_eq(rg_text_numbers("1 2", 3, values, &found, &bad), RG_NUMBER_NONE);
    cr_expect_eq(found, 2);
    cr_expect_eq(rg_text_numbers("1 2 3 4", 3, values, &found, &bad), RG_NUMBER_GARBAGE);
    cr_expect(bad.length == 1 && bad.start[0] == '4');
    cr_expect_eq(rg_text_numbers("", 1, values, &found, &bad), RG_NUMBER_NONE);
}

Test(number, a_comma_locale_changes_nothing)
{
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "it_IT.UTF-8"};
    bool set = false;
    for (size_t i = 0; i < sizeof locales / sizeof locales[0] && !set; i++)
        set = setlocale(LC_ALL, locales[i]) != NULL;
    if (!set)
        cr_skip_test("no locale with a decimal comma on this machine");
    double value;
    cr_expect_eq(number("1.5e1", &value), RG_NUMBER_OK);
    CHECK_NEAR(value, 15.0, 0.0, "1");
    cr_expect_eq(number("1,5", &value), RG_NUMBER_GARBAGE);
}
