/*
 * number.c - conversion of numbers from and to text, independent of the locale.
 *
 * strtod alone depends on the decimal point of the locale and accepts hexadecimal floats, "nan(...)" and trailing
 * garbage. So a word is first checked against the grammar
 *
 *   [+-] digits [. digits] [(e|E) [+-] digits]       (at least one digit before the exponent)
 *
 * then copied with the decimal point of the current locale and converted by strtod (correctly rounded in the supported
 * C libraries). Fails for words longer than any double needs, outside the grammar, or too large to be finite.
 */
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Characters. The longest decimal that affects the rounding of a double has about 770 digits. */
#define NUMBER_MAX_LENGTH 800

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

RgWord rg_word_next(const char **text, const char *end)
{
    const char *at = *text;
    while (at < end && is_space(*at))
        at++;
    RgWord word = {at, 0};
    while (at < end && !is_space(*at))
        at++;
    word.length = (size_t)(at - word.start);
    *text = at;
    return word;
}

static size_t count_digits(RgWord word, size_t from)
{
    size_t at = from;
    while (at < word.length && is_digit(word.start[at]))
        at++;
    return at - from;
}

static size_t sign_length(RgWord word, size_t at)
{
    return at < word.length && (word.start[at] == '+' || word.start[at] == '-') ? 1 : 0;
}

/* Whether the word is a decimal number; *point: index of its decimal point, or the length of the word. */
static bool match_decimal(RgWord word, size_t *point)
{
    size_t at = sign_length(word, 0);
    size_t digits = count_digits(word, at);
    at += digits;
    *point = word.length;
    if (at < word.length && word.start[at] == '.') {
        *point = at;
        size_t fraction = count_digits(word, at + 1);
        digits += fraction;
        at += 1 + fraction;
    }
    if (digits == 0)
        return false;
    if (at < word.length && (word.start[at] == 'e' || word.start[at] == 'E')) {
        at++;
        at += sign_length(word, at);
        digits = count_digits(word, at);
        at += digits;
        if (digits == 0)
            return false;
    }
    return at == word.length;
}

static bool equals_ignoring_case(const char *text, size_t length, const char *lower)
{
    if (length != strlen(lower))
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
        if (c != lower[i])
            return false;
    }
    return true;
}

/* nan or inf, with or without a sign. */
static bool match_not_finite(RgWord word, double *value)
{
    size_t sign = sign_length(word, 0);
    const char *rest = word.start + sign;
    size_t length = word.length - sign;
    if (equals_ignoring_case(rest, length, "inf") || equals_ignoring_case(rest, length, "infinity")) {
        *value = sign == 1 && word.start[0] == '-' ? -(double)INFINITY : (double)INFINITY;
        return true;
    }
    if (equals_ignoring_case(rest, length, "nan")) {
        *value = (double)NAN;
        return true;
    }
    return false;
}

RgNumberResult rg_word_number(RgWord word, double *value)
{
    *value = 0.0;
    if (word.length == 0)
        return RG_NUMBER_NONE;
    if (match_not_finite(word, value))
        return RG_NUMBER_NOT_FINITE;
    size_t point;
    if (word.length > NUMBER_MAX_LENGTH || !match_decimal(word, &point))
        return RG_NUMBER_GARBAGE;

    /* printf shows the decimal point that strtod expects: "1<point>5". */
    char probe[16];
    snprintf(probe, sizeof probe, "%.1f", 1.5);
    size_t point_length = strlen(probe) - 2;

    /* Copy the word with that point. */
    char buffer[NUMBER_MAX_LENGTH + sizeof probe];
    size_t used = point < word.length ? point : word.length;
    memcpy(buffer, word.start, used);
    if (point < word.length) {
        memcpy(buffer + used, probe + 1, point_length);
        used += point_length;
        memcpy(buffer + used, word.start + point + 1, word.length - point - 1);
        used += word.length - point - 1;
    }
    buffer[used] = '\0';
    *value = strtod(buffer, NULL);
    return isfinite(*value) ? RG_NUMBER_OK : RG_NUMBER_NOT_FINITE;
}

RgNumberResult rg_text_numbers(const char *text, int count, double *values, int *found, RgWord *bad)
{
    const char *end = text + strlen(text);
    *found = 0;
    for (;;) {
        *bad = rg_word_next(&text, end);
        if (*found == count || bad->length == 0)
            break;
        RgNumberResult result = rg_word_number(*bad, &values[*found]);
        if (result != RG_NUMBER_OK)
            return result;
        (*found)++;
    }
    if (bad->length != 0)
        return RG_NUMBER_GARBAGE;
    return *found == count ? RG_NUMBER_OK : RG_NUMBER_NONE;
}

void rg_number_text(double value, char *text, size_t room)
{
    if (isinf(value)) {
        snprintf(text, room, "%s", value < 0.0 ? "-inf" : "inf");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, room, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }

    /* Replace the decimal point of the locale, which may have several bytes, by '.'. */
    size_t whole = strspn(text, "-0123456789"), point = strcspn(text + whole, "0123456789e");
    if (point > 0) {
        text[whole] = '.';
        memmove(text + whole + 1, text + whole + point, strlen(text + whole + point) + 1);
    }
}
