/*
 * number.c - numbers in text, the same in every locale.
 *
 * strtod alone will not do: it obeys the decimal point of the locale, and takes hexadecimal floats,
 * "nan(...)" and trailing garbage. So a word is checked against the grammar first,
 *
 *   [+-] digits [. digits] [(e|E) [+-] digits]       (at least one digit before the exponent)
 *
 * copied with the decimal point that strtod wants at this moment, and converted by it (correctly rounded in
 * every libc we use). Fails on words longer than any double needs, on anything outside the grammar, and on
 * values too large to be finite.
 */
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest decimal that changes the rounding of a double has about 770 digits. */
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

/* Is it a decimal number; where is its point (length of the word if it has none)? */
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

    /* What strtod takes for a decimal point is what printf writes: "1<point>5". */
    char probe[16];
    snprintf(probe, sizeof probe, "%.1f", 1.5);
    size_t point_length = strlen(probe) - 2;

    /* The word again, with that point. */
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

    /* A locale may write the decimal point in other bytes, several even: they become a point. */
    size_t whole = strspn(text, "-0123456789"), point = strcspn(text + whole, "0123456789e");
    if (point > 0) {
        text[whole] = '.';
        memmove(text + whole + 1, text + whole + point, strlen(text + whole + point) + 1);
    }
}
