/* xml.h - an XML document as a tree of elements in an arena. */
#ifndef RIGOR_XML_H
#define RIGOR_XML_H

#include "base/arena.h"

typedef struct RgXmlAttribute {
    const char *name, *value;
} RgXmlAttribute;

typedef struct RgXml {
    const char *name; /* as written, with its prefix if it has one */
    const char *text; /* of an element without children, without white space at both ends; never NULL */
    const RgXmlAttribute *attributes;
    int nattributes;
    int line;                         /* of the start tag, from 1 */
    const char *file;                 /* for messages */
    const struct RgXml *first, *next; /* first child, next sibling */
} RgXml;

/* Limits that keep a hostile file from exhausting memory. */
#define RG_XML_MAX_BYTES ((size_t)64 << 20)
#define RG_XML_MAX_DEPTH 200       /* nested elements: places on the stack of xml.c */
#define RG_XML_MAX_ELEMENTS 500000 /* at least 64 bytes of memory each */

/* The root element, or NULL with error filled (file, line, column). file must live as long as the tree. */
const RgXml *rg_xml_parse(RgArena *arena, const char *file, const void *data, size_t size, RgError *error);

/* First child of that name (element may be NULL); next sibling of the same name as element. NULL: none. */
const RgXml *rg_xml_child(const RgXml *element, const char *name);
const RgXml *rg_xml_next_same(const RgXml *element);

/* Value of an attribute, or NULL. */
const char *rg_xml_attribute(const RgXml *element, const char *name);

#endif
