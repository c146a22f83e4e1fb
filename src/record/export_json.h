/*
 * export_json.h - what the rows of an exported recording take from its JSON messages (RFC 8259), by jansson.
 *
 * Built without jansson (RIGOR_JSON off), all three functions fail with RG_ERR_UNSUPPORTED.
 */
#ifndef RIGOR_EXPORT_JSON_H
#define RIGOR_EXPORT_JSON_H

#include "record/cursor.h"
#include "record/record.h"

enum { RG_STEP_NUMBERS = 5 };

/* RG_ERR_UNSUPPORTED where the library was built without jansson. path: the file that needs it. */
RgStatus rg_need_jansson(const char *path, RgError *error);

/* Names of links, of q and of v in a message of /rigor/scene, into the arena. RG_ERR_SYNTAX: not well formed, beyond
   the limits of export_json.c, or a name is missing. */
RgStatus rg_read_scene_names(RgSpan scene, RgArena *arena, RgRecordNames *names);

/* kinetic, potential (J), contacts, contact_work (J) and residual of a message of /rigor/step; null is NaN.
   RG_ERR_SYNTAX as above. */
RgStatus rg_read_step_numbers(RgSpan step, double numbers[RG_STEP_NUMBERS]);

#endif
