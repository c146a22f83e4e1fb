/*
 * json_text.h - writes JSON (RFC 8259) as text, in the order of the calls.
 *
 * Commas are added automatically. Numbers have the fewest of 15 to 17 digits that are read as the same double, and a
 * point in every locale; numbers that are not finite become null. Bytes that are not valid UTF-8 become U+FFFD.
 */
#ifndef RIGOR_JSON_TEXT_H
#define RIGOR_JSON_TEXT_H

#include "record/buffer.h"

#include <rigor/math.h>

/* Opening and closing brackets of objects and arrays: '{' '}' '[' ']'. name NULL: an element of an array, or the top
   level. */
void rg_json_put_open(RgBuffer *out, const char *name, char bracket);
void rg_json_put_close(RgBuffer *out, char bracket);

void rg_json_put_number(RgBuffer *out, const char *name, double value);
void rg_json_put_int(RgBuffer *out, const char *name, int64_t value);
void rg_json_put_bool(RgBuffer *out, const char *name, bool value);
void rg_json_put_null(RgBuffer *out, const char *name);
void rg_json_put_text(RgBuffer *out, const char *name, const char *text); /* NULL: null */

void rg_json_put_numbers(RgBuffer *out, const char *name, const double *values, int count);
void rg_json_put_texts(RgBuffer *out, const char *name, const char *const *texts, int count);
void rg_json_put_vec3(RgBuffer *out, const char *name, RgVec3 v);

/* {"p": [x, y, z], "q": [w, x, y, z]} */
void rg_json_put_pose(RgBuffer *out, const char *name, const RgPose *X);

/* Bytes as base64 (RFC 4648). */
void rg_json_put_base64(RgBuffer *out, const char *name, const unsigned char *data, size_t bytes);

#endif
