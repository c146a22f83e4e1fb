/*
 * json_read.h - values out of JSON text (RFC 8259), found by name.
 *
 * A value is a span of the text; nothing is copied until it is asked for. What is not well formed is not found.
 */
#ifndef RIGOR_JSON_READ_H
#define RIGOR_JSON_READ_H

#include "base/arena.h"
#include "record/cursor.h"

/* The value of a member of an object. False: it has none of that name, or is no object. */
bool rg_json_member(RgSpan object, const char *name, RgSpan *value);

/* The elements of an array one after the other: begin, then next until it gives false. */
typedef struct RgJsonList {
    RgSpan rest;
    bool first, well_formed;
} RgJsonList;
RgJsonList rg_json_list(RgSpan array);
bool rg_json_list_next(RgJsonList *list, RgSpan *value);

/* A number; false: it is none. null is NaN. */
bool rg_json_value_number(RgSpan value, double *out);

/* A string, unescaped, in the arena; NULL: it is none, or memory is out. */
const char *rg_json_value_text(RgSpan value, RgArena *arena);

#endif
