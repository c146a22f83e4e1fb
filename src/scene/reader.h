/*
 * reader.h - what one reading of a file carries along: the builder it fills, the memory of its XML trees, the
 * first error.
 *
 * After a failure everything goes on quietly with defaults: readers check rg_reader_ok where it matters, and
 * only the first error is kept.
 */
#ifndef RIGOR_READER_H
#define RIGOR_READER_H

#include "base/name_map.h"
#include "scene/xml.h"

#include <rigor/scene.h>

typedef struct RgReader {
    RgBuilder *builder;
    const RgReadOptions *options;
    RgArena arena;     /* given back when the reading ends */
    RgError error;     /* the first one; status RG_OK: none */
    RgNameMap remarks; /* remarks made only once */
    RgNameMap meshes;  /* path of a mesh file read before, to its place in mesh_data */
    RgMeshData *mesh_data;
    int mesh_room;
} RgReader;

static inline bool rg_reader_ok(const RgReader *reader)
{
    return reader->error.status == RG_OK;
}

/* Keeps the first error. Returns false, so that a failing reader ends in `return rg_reader_fail(...)`. */
bool rg_reader_fail(RgReader *reader, RgStatus status, const RgXml *at, const char *format, ...) RG_PRINTF(4, 5);
bool rg_reader_fail_memory(RgReader *reader);

/* The builder refused a def: takes over its error. */
bool rg_reader_fail_builder(RgReader *reader);

/* Remarks go to the builder's log. Those with a key are made once a key. */
void rg_reader_warn(RgReader *reader, const RgXml *at, const char *format, ...) RG_PRINTF(3, 4);
void rg_reader_warn_once(RgReader *reader, const RgXml *at, const char *key, const char *format, ...) RG_PRINTF(4, 5);

/* Names every child that is neither known nor skipped, once a name; says of the skipped ones, once a name,
   that they are. Both lists end in NULL. */
void rg_reader_expect(RgReader *reader, const RgXml *element, const char *const *known, const char *const *skipped);

/* Exactly count numbers from an attribute, from the text of an element, or from the text of a child. False if
   it is not there (out is left as it was) or wrong (the error is set). element may be NULL in the last. */
bool rg_reader_attribute(RgReader *reader, const RgXml *element, const char *name, int count, double *out);
bool rg_reader_text(RgReader *reader, const RgXml *element, int count, double *out);
bool rg_reader_child(RgReader *reader, const RgXml *element, const char *name, int count, double *out);

/* One number that may be infinite: the words inf and -inf are taken too. */
bool rg_reader_child_limit(RgReader *reader, const RgXml *element, const char *name, double *out);

/* true, false, 1, 0; fallback if there is no such child, or none of these words in it (the error is set). */
bool rg_reader_child_flag(RgReader *reader, const RgXml *element, const char *name, bool fallback);
bool rg_reader_flag(RgReader *reader, const RgXml *at, const char *text);

/* A mask of bits as text of a child: a whole number up to 2^32 - 1, decimal or 0x... False as above. */
bool rg_reader_child_bits(RgReader *reader, const RgXml *element, const char *name, uint32_t *out);

/* Whether a link may touch its own robot: what the file says, unless the option decides. */
bool rg_reader_self_collide(const RgReader *reader, bool in_file);

/* Attribute that must be there, not be empty and not be too long to be a name; NULL (and the error) if not.
   */
#define RG_NAME_MAX 1000
const char *rg_reader_name(RgReader *reader, const RgXml *element, const char *attribute);

/* Text in the arena, printf-like; NULL when memory is out (the error is set). */
const char *rg_reader_format(RgReader *reader, const char *format, ...) RG_PRINTF(2, 3);

/* Name of a <collision> or <visual>; one without is called after its link: "LINK collision". */
const char *rg_reader_shape_name(RgReader *reader, const RgXml *owner, const char *link);

#endif
