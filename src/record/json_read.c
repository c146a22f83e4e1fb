/*
 * json_read.c - values out of JSON text.
 *
 * A value is skipped by its brackets and quotes: an object or array ends where its bracket closes, outside strings.
 * That finds the borders of every well-formed text; of another it finds some or none, but never leaves the text.
 */
#include "record/json_read.h"

#include "base/number.h"

#include <math.h>

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(RgSpan *text)
{
    while (text->size > 0 && is_blank(text->data[0])) {
        text->data++;
        text->size--;
    }
}

static RgSpan drop(RgSpan text, size_t bytes)
{
    return (RgSpan){text.data + bytes, text.size - bytes};
}

/* Bytes of the string that begins here, with its quotes; 0: it does not end. */
static size_t string_length(RgSpan text)
{
    for (size_t i = 1; i < text.size; i++) {
        if (text.data[i] == '\\')
            i++;
        else if (text.data[i] == '"')
            return i + 1;
    }
    return 0;
}

/* Bytes of the value that begins here; 0: it does not end. */
static size_t value_length(RgSpan text)
{
    size_t depth = 0, i = 0;
    while (i < text.size) {
        unsigned char c = text.data[i];
        if (c == '"') {
            size_t length = string_length(drop(text, i));
            if (length == 0)
                return 0;
            i += length;
        } else if (c == '{' || c == '[') {
            depth++;
            i++;
        } else if (depth > 0) {
            depth -= c == '}' || c == ']';
            i++;
        } else {
            /* A number or a word: up to what cannot be part of it. */
            while (i < text.size && !is_blank(text.data[i]) && text.data[i] != ',' && text.data[i] != '}' &&
                   text.data[i] != ']' && text.data[i] != ':')
                i++;
            return i;
        }
        if (depth == 0)
            return i;
    }
    return 0;
}

RgJsonList rg_json_list(RgSpan array)
{
    skip_blanks(&array);
    bool opens = array.size > 0 && (array.data[0] == '[' || array.data[0] == '{');
    return (RgJsonList){.rest = opens ? drop(array, 1) : array, .first = true, .well_formed = opens};
}

/* Comma and blanks before the next element. False: the list ends here. */
static bool next_begins(RgJsonList *list, unsigned char bracket)
{
    skip_blanks(&list->rest);
    if (!list->well_formed || list->rest.size == 0 || list->rest.data[0] == bracket) {
        list->well_formed = list->well_formed && list->rest.size > 0;
        return false;
    }
    if (!list->first) {
        if (list->rest.data[0] != ',') {
            list->well_formed = false;
            return false;
        }
        list->rest = drop(list->rest, 1);
        skip_blanks(&list->rest);
    }
    list->first = false;
    return true;
}

static bool take_value(RgJsonList *list, RgSpan *value)
{
    skip_blanks(&list->rest);
    size_t length = value_length(list->rest);
    list->well_formed = length > 0;
    if (length == 0)
        return false;
    *value = (RgSpan){list->rest.data, length};
    list->rest = drop(list->rest, length);
    return true;
}

bool rg_json_list_next(RgJsonList *list, RgSpan *value)
{
    return next_begins(list, ']') && take_value(list, value);
}

bool rg_json_member(RgSpan object, const char *name, RgSpan *value)
{
    RgJsonList list = rg_json_list(object);
    if (list.well_formed && list.rest.data[-1] != '{')
        return false;
    while (next_begins(&list, '}')) {
        RgSpan key;
        if (!take_value(&list, &key))
            return false;
        skip_blanks(&list.rest);
        if (list.rest.size == 0 || list.rest.data[0] != ':')
            return false;
        list.rest = drop(list.rest, 1);
        if (!take_value(&list, value))
            return false;
        if (key.size == strlen(name) + 2 && key.data[0] == '"' && memcmp(key.data + 1, name, key.size - 2) == 0)
            return true;
    }
    return false;
}

bool rg_json_value_number(RgSpan value, double *out)
{
    *out = NAN;
    return rg_span_is(value, "null") ||
           rg_word_number((RgWord){(const char *)value.data, value.size}, out) == RG_NUMBER_OK;
}

/* Four hexadecimal digits; -1: they are none. */
static long hex4(const unsigned char *at)
{
    long value = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef", *place;
        int c = at[i] >= 'A' && at[i] <= 'F' ? at[i] + 32 : at[i];
        place = c != 0 ? strchr(digits, c) : NULL;
        if (place == NULL)
            return -1;
        value = value * 16 + (place - digits);
    }
    return value;
}

/* A code point as UTF-8; bytes written. */
static size_t put_utf8(char *out, long code)
{
    static const unsigned char marks[4] = {0, 0xc0, 0xe0, 0xf0};
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    for (size_t i = more; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 63));
    out[0] = (char)(marks[more] | code);
    return more + 1;
}

/* What \u stands for at the beginning of a text, two of them for a pair of surrogates; its bytes, 0: wrong. */
static size_t unicode_escape(const unsigned char *at, size_t left, long *code)
{
    if (left < 6 || (*code = hex4(at + 2)) < 0)
        return 0;
    if (*code < 0xd800 || *code >= 0xe000)
        return 6;
    long low = left >= 12 && at[6] == '\\' && at[7] == 'u' ? hex4(at + 8) : -1;
    if (*code >= 0xdc00 || low < 0xdc00 || low >= 0xe000)
        return 0;
    *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
    return 12;
}

const char *rg_json_value_text(RgSpan value, RgArena *arena)
{
    if (value.size < 2 || value.data[0] != '"' || value.data[value.size - 1] != '"')
        return NULL;
    char *text = RG_TAKE(arena, char, value.size);
    size_t n = 0;
    const unsigned char *at = value.data + 1, *end = value.data + value.size - 1;
    while (text != NULL && at < end) {
        static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
        if (*at != '\\') {
            text[n++] = (char)*at++;
            continue;
        }
        long code = 0;
        const char *letter = end - at >= 2 && at[1] != 0 ? strchr(letters, at[1]) : NULL;
        size_t bytes = letter != NULL                  ? 2
                       : end - at >= 2 && at[1] == 'u' ? unicode_escape(at, (size_t)(end - at), &code)
                                                       : 0;
        if (bytes == 0)
            return NULL;
        n += put_utf8(text + n, letter != NULL ? meanings[letter - letters] : code);
        at += bytes;
    }
    return text;
}
