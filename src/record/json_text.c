/*
 * json_text.c - writes JSON as text, in the order of the calls.
 *
 *   value | "name":value        after a comma, except at the start and after an opening bracket
 *
 * Control characters, quotes and backslashes are escaped; valid UTF-8 is copied.
 */
#include "record/json_text.h"
#include "base/number.h"

#include "math/quat.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_ROOM = 48 }; /* bytes; the longest number has 24 characters */

/* Bytes of the UTF-8 sequence at the start of a text (Unicode 15, table 3-7); 0: not valid. */
static int utf8_length(const unsigned char *at)
{
    if (at[0] < 0x80)
        return 1;
    int length = at[0] >= 0xc2 && at[0] < 0xe0 ? 2 : (at[0] & 0xf0) == 0xe0 ? 3 : at[0] >= 0xf0 && at[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;

    /* Overlong forms, surrogates, values beyond U+10FFFF. */
    bool bad = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] >= 0xa0) || (at[0] == 0xf0 && at[1] < 0x90) ||
               (at[0] == 0xf4 && at[1] >= 0x90);
    return bad ? 0 : length;
}

static void put_string(RgBuffer *out, const char *text)
{
    rg_buffer_put(out, "\"", 1);
    for (const unsigned char *at = (const unsigned char *)text; *at != 0;) {
        int length = utf8_length(at);
        char escape[8];
        if (*at == '"' || *at == '\\') {
            escape[0] = '\\';
            escape[1] = (char)*at;
            rg_buffer_put(out, escape, 2);
        } else if (*at < 0x20) {
            snprintf(escape, sizeof escape, "\\u%04x", *at);
            rg_buffer_put(out, escape, 6);
        } else if (length == 0) {
            rg_buffer_put(out, "\xef\xbf\xbd", 3);
        } else {
            rg_buffer_put(out, at, (size_t)length);
        }
        at += length > 0 ? length : 1;
    }
    rg_buffer_put(out, "\"", 1);
}

/* Writes the comma and the name before a value. */
static void put_name(RgBuffer *out, const char *name)
{
    unsigned char last = out->size > 0 ? out->data[out->size - 1] : '{';
    if (last != '{' && last != '[')
        rg_buffer_put(out, ",", 1);
    if (name != NULL) {
        put_string(out, name);
        rg_buffer_put(out, ":", 1);
    }
}

void rg_json_put_open(RgBuffer *out, const char *name, char bracket)
{
    put_name(out, name);
    rg_buffer_put(out, &bracket, 1);
}

void rg_json_put_close(RgBuffer *out, char bracket)
{
    rg_buffer_put(out, &bracket, 1);
}

void rg_json_put_number(RgBuffer *out, const char *name, double value)
{
    char text[NUMBER_ROOM] = "null";
    put_name(out, name);
    if (isfinite(value))
        rg_number_text(value, text, sizeof text);
    rg_buffer_put_text(out, text);
}

void rg_json_put_int(RgBuffer *out, const char *name, int64_t value)
{
    char text[NUMBER_ROOM];
    put_name(out, name);
    snprintf(text, sizeof text, "%" PRId64, value);
    rg_buffer_put_text(out, text);
}

void rg_json_put_bool(RgBuffer *out, const char *name, bool value)
{
    put_name(out, name);
    rg_buffer_put_text(out, value ? "true" : "false");
}

void rg_json_put_null(RgBuffer *out, const char *name)
{
    put_name(out, name);
    rg_buffer_put_text(out, "null");
}

void rg_json_put_text(RgBuffer *out, const char *name, const char *text)
{
    if (text == NULL) {
        rg_json_put_null(out, name);
        return;
    }
    put_name(out, name);
    put_string(out, text);
}

void rg_json_put_numbers(RgBuffer *out, const char *name, const double *values, int count)
{
    rg_json_put_open(out, name, '[');
    for (int i = 0; i < count; i++)
        rg_json_put_number(out, NULL, values[i]);
    rg_json_put_close(out, ']');
}

void rg_json_put_texts(RgBuffer *out, const char *name, const char *const *texts, int count)
{
    rg_json_put_open(out, name, '[');
    for (int i = 0; i < count; i++)
        rg_json_put_text(out, NULL, texts[i]);
    rg_json_put_close(out, ']');
}

void rg_json_put_vec3(RgBuffer *out, const char *name, RgVec3 v)
{
    rg_json_put_numbers(out, name, (const double[]){v.x, v.y, v.z}, 3);
}

void rg_json_put_pose(RgBuffer *out, const char *name, const RgPose *X)
{
    double q[4];
    q_store(q_from_matrix(X->R), q);
    rg_json_put_open(out, name, '{');
    rg_json_put_vec3(out, "p", X->p);
    rg_json_put_numbers(out, "q", q, 4);
    rg_json_put_close(out, '}');
}

void rg_json_put_base64(RgBuffer *out, const char *name, const unsigned char *data, size_t bytes)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    put_name(out, name);
    rg_buffer_put(out, "\"", 1);
    for (size_t i = 0; i < bytes; i += 3) {
        size_t count = bytes - i < 3 ? bytes - i : 3;
        uint32_t group = (uint32_t)data[i] << 16 | (count > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
                         (count > 2 ? (uint32_t)data[i + 2] : 0);
        char four[4] = {letters[group >> 18], letters[group >> 12 & 63], '=', '='};
        if (count > 1)
            four[2] = letters[group >> 6 & 63];
        if (count > 2)
            four[3] = letters[group & 63];
        rg_buffer_put(out, four, 4);
    }
    rg_buffer_put(out, "\"", 1);
}
