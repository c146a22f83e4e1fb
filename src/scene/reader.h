/*
 * reader.h - the state of reading one file: the builder to fill, the memory of the XML trees, the first error.
 *
 * After an error the functions return default values and report nothing more. Readers check rg_reader_ok before they
 * add anything to the builder. Only the first error is stored.
 */
#ifndef RIGOR_READER_H
#define RIGOR_READER_H

#include "base/name_map.h"
#include "scene/xml.h"

#include <rigor/scene.h>

typedef struct RgReader {
    RgBuilder *builder;
    const RgReadOptions *options;
    RgArena arena;     /* freed at the end of the reading */
    RgError error;     /* the first one; status RG_OK: none */
    RgNameMap remarks; /* keys of the remarks that are made only once */
    RgNameMap meshes;  /* path of a mesh file read before -> index in mesh_data */
    RgMeshData *mesh_data;
    int mesh_room;
} RgReader;

static inline bool rg_reader_ok(const RgReader *reader)
{
    return reader->error.status == RG_OK;
}

/* Stores the error if it is the first. Returns false, so that a failing reader ends in `return rg_reader_fail(...)`. */
bool rg_reader_fail(RgReader *reader, RgStatus status, const RgXml *at, const char *format, ...) RG_PRINTF(4, 5);
bool rg_reader_fail_memory(RgReader *reader);

/* Stores the error of the builder, which refused a def. */
bool rg_reader_fail_builder(RgReader *reader);

/* Remarks go to the builder's log. rg_reader_warn_once makes one remark per key. */
void rg_reader_warn(RgReader *reader, const RgXml *at, const char *format, ...) RG_PRINTF(3, 4);
void rg_reader_warn_once(RgReader *reader, const RgXml *at, const char *key, const char *format, ...) RG_PRINTF(4, 5);

/* Remarks on every child whose name is not in known: skipped, or unknown. One remark per name. Both lists end in
   NULL. */
void rg_reader_expect(RgReader *reader, const RgXml *element, const char *const *known, const char *const *skipped);

/* Reads exactly count numbers from an attribute, from the text of an element, or from the text of a child. False: it is
   missing (out is unchanged) or wrong (the error is set). rg_reader_child allows element NULL. */
bool rg_reader_attribute(RgReader *reader, const RgXml *element, const char *name, int count, double *out);
bool rg_reader_text(RgReader *reader, const RgXml *element, int count, double *out);
bool rg_reader_child(RgReader *reader, const RgXml *element, const char *name, int count, double *out);

/* One number that may be infinite: inf and -inf are allowed. */
bool rg_reader_child_limit(RgReader *reader, const RgXml *element, const char *name, double *out);

/* A boolean: true, false, 1 or 0. Missing child: fallback. Another text: false, and the error is set. */
bool rg_reader_child_flag(RgReader *reader, const RgXml *element, const char *name, bool fallback);
bool rg_reader_flag(RgReader *reader, const RgXml *at, const char *text);

/* A bit mask as the text of a child: an integer up to 2^32 - 1, decimal or 0x... False: missing or wrong, as above. */
bool rg_reader_child_bits(RgReader *reader, const RgXml *element, const char *name, uint32_t *out);

/* Whether a link may touch links of its own model: the option, or in_file (from the file) where the option is AUTO. */
bool rg_reader_self_collide(const RgReader *reader, bool in_file);

/* Characters of the longest name; bounds the buffers in which names are split and quoted. */
#define RG_NAME_MAX 1000

/* A required attribute, not empty and of at most RG_NAME_MAX characters. NULL: the error is set. */
const char *rg_reader_name(RgReader *reader, const RgXml *element, const char *attribute);

/* A printf-like text in the arena. NULL: out of memory (the error is set). */
const char *rg_reader_format(RgReader *reader, const char *format, ...) RG_PRINTF(2, 3);

/* Name of a <collision> or <visual>. Without a name attribute it is "LINK collision" or "LINK visual". */
const char *rg_reader_shape_name(RgReader *reader, const RgXml *owner, const char *link);

#endif
