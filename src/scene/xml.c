/*
 * xml.c - an XML document as a tree of elements in an arena, parsed by expat.
 *
 * Robot files have their data in attributes (URDF) or in the text of leaves (SDF), so text between child elements is
 * dropped. Every element has its line.
 *
 * Refused: documents that are too large, too deep or have too many elements, and document type declarations with an
 * internal subset, which could declare entities ("billion laughs") and default attributes. External subsets and
 * entities are never loaded.
 *
 * Expat allocates its working memory (a few times the longest token) by malloc, as its memory hooks have no context
 * argument; it is freed before the call returns.
 */
#include "scene/xml.h"

#include "base/alloc.h"
#include "base/status.h"

#include <expat.h>
#include <string.h>

/* An open element: its node, and the pointer that its next child is stored in. */
typedef struct OpenElement {
    RgXml *node;
    const RgXml **link;
} OpenElement;

typedef struct XmlParse {
    XML_Parser parser;
    RgArena *arena;
    const char *file;
    RgError *error;
    bool failed;
    const RgXml *root;
    OpenElement open[RG_XML_MAX_DEPTH];
    int depth, elements;
    char *text; /* character data since the last tag */
    size_t text_length, text_capacity;
} XmlParse;

/* Stores the first error and stops the parser. */
static void stop_with_error(XmlParse *parse, RgStatus status, const char *message)
{
    if (parse->failed)
        return;
    parse->failed = true;
    rg_fail(parse->error, status, parse->file, (int)XML_GetCurrentLineNumber(parse->parser), "%s", message);
    if (parse->error != NULL)
        parse->error->column = (int)XML_GetCurrentColumnNumber(parse->parser) + 1;
    XML_StopParser(parse->parser, XML_FALSE);
}

/* Copies a string to *room and advances *room past it. */
static const char *copy_string(char **room, const char *text)
{
    char *copy = *room;
    size_t length = strlen(text) + 1;
    memcpy(copy, text, length);
    *room += length;
    return copy;
}

/* A node, with its attributes and their strings in the same block of memory. NULL: out of memory. */
static RgXml *node_create(XmlParse *parse, const char *name, const char **attributes)
{
    int count = 0;
    size_t bytes = strlen(name) + 1;
    for (; attributes[2 * count] != NULL; count++)
        bytes += strlen(attributes[2 * count]) + strlen(attributes[2 * count + 1]) + 2;
    size_t table = (size_t)count * sizeof(RgXmlAttribute);
    char *memory = rg_arena_alloc(parse->arena, 1, sizeof(RgXml) + table + bytes);
    if (memory == NULL)
        return NULL;

    RgXml *node = (RgXml *)(void *)memory;
    RgXmlAttribute *list = (RgXmlAttribute *)(void *)(memory + sizeof(RgXml));
    char *strings = memory + sizeof(RgXml) + table;
    node->name = copy_string(&strings, name);
    for (int i = 0; i < count; i++) {
        list[i].name = copy_string(&strings, attributes[2 * i]);
        list[i].value = copy_string(&strings, attributes[2 * i + 1]);
    }
    node->attributes = list;
    node->nattributes = count;
    node->text = "";
    node->file = parse->file;
    node->line = (int)XML_GetCurrentLineNumber(parse->parser);
    return node;
}

static void XMLCALL on_start(void *context, const char *name, const char **attributes)
{
    XmlParse *parse = context;
    if (parse->failed)
        return;
    if (parse->depth == RG_XML_MAX_DEPTH) {
        stop_with_error(parse, RG_ERR_SYNTAX, "elements are nested deeper than 200");
        return;
    }
    if (++parse->elements > RG_XML_MAX_ELEMENTS) {
        stop_with_error(parse, RG_ERR_SYNTAX, "more than 500000 elements");
        return;
    }
    RgXml *node = node_create(parse, name, attributes);
    if (node == NULL) {
        stop_with_error(parse, RG_ERR_MEMORY, rg_status_text(RG_ERR_MEMORY));
        return;
    }

    /* Append it to its siblings and make it the innermost open element. */
    if (parse->depth == 0) {
        parse->root = node;
    } else {
        OpenElement *parent = &parse->open[parse->depth - 1];
        *parent->link = node;
        parent->link = &node->next;
    }
    parse->open[parse->depth++] = (OpenElement){node, &node->first};
    parse->text_length = 0;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void XMLCALL on_end(void *context, const char *name)
{
    (void)name;
    XmlParse *parse = context;
    if (parse->failed)
        return;
    RgXml *node = parse->open[--parse->depth].node;

    /* A leaf keeps its text, trimmed. */
    size_t from = 0, to = parse->text_length;
    while (from < to && is_space(parse->text[from]))
        from++;
    while (to > from && is_space(parse->text[to - 1]))
        to--;
    if (node->first == NULL && to > from) {
        char *text = RG_ARENA_ALLOC(parse->arena, char, to - from + 1);
        if (text == NULL) {
            stop_with_error(parse, RG_ERR_MEMORY, rg_status_text(RG_ERR_MEMORY));
            return;
        }
        memcpy(text, parse->text + from, to - from);
        node->text = text;
    }
    parse->text_length = 0;
}

static void XMLCALL on_text(void *context, const char *text, int length)
{
    XmlParse *parse = context;
    if (parse->failed)
        return;
    size_t needed = parse->text_length + (size_t)length;
    if (needed > parse->text_capacity) {
        size_t capacity = 2 * needed + 256;
        char *grown = rg_realloc(&parse->arena->allocator, parse->text, parse->text_length, capacity, 1);
        if (grown == NULL) {
            stop_with_error(parse, RG_ERR_MEMORY, rg_status_text(RG_ERR_MEMORY));
            return;
        }
        parse->text = grown;
        parse->text_capacity = capacity;
    }
    memcpy(parse->text + parse->text_length, text, (size_t)length);
    parse->text_length = needed;
}

static void XMLCALL on_doctype(void *context, const char *name, const char *system_id, const char *public_id,
                               int has_internal_subset)
{
    (void)name;
    (void)system_id;
    (void)public_id;
    if (has_internal_subset)
        stop_with_error(context, RG_ERR_SYNTAX,
                        "a document type declaration with an internal subset (entities) is refused");
}

/* Reports a syntax error of expat, with the element that is open. */
static void report_syntax(XmlParse *parse)
{
    enum XML_Error code = XML_GetErrorCode(parse->parser);
    if (code == XML_ERROR_NO_MEMORY) {
        stop_with_error(parse, RG_ERR_MEMORY, rg_status_text(RG_ERR_MEMORY));
        return;
    }
    int line = (int)XML_GetCurrentLineNumber(parse->parser);
    if (code == XML_ERROR_NO_ELEMENTS && parse->depth == 0)
        rg_fail(parse->error, RG_ERR_SYNTAX, parse->file, line, "the file is empty");
    else if (parse->depth > 0)
        rg_fail(parse->error, RG_ERR_SYNTAX, parse->file, line, "malformed XML: %s (inside <%s> of line %d)",
                XML_ErrorString(code), parse->open[parse->depth - 1].node->name,
                parse->open[parse->depth - 1].node->line);
    else
        rg_fail(parse->error, RG_ERR_SYNTAX, parse->file, line, "malformed XML: %s", XML_ErrorString(code));
    if (parse->error != NULL)
        parse->error->column = (int)XML_GetCurrentColumnNumber(parse->parser) + 1;
    parse->failed = true;
}

const RgXml *rg_xml_parse(RgArena *arena, const char *file, const void *data, size_t size, RgError *error)
{
    if (size > RG_XML_MAX_BYTES) {
        rg_fail(error, RG_ERR_SYNTAX, file, 0, "the file is larger than 64 MiB");
        return NULL;
    }
    XmlParse parse = {.arena = arena, .file = file, .error = error};
    parse.parser = XML_ParserCreate(NULL);
    if (parse.parser == NULL) {
        rg_fail(error, RG_ERR_MEMORY, file, 0, "%s", rg_status_text(RG_ERR_MEMORY));
        return NULL;
    }
    XML_SetUserData(parse.parser, &parse);
    XML_SetElementHandler(parse.parser, on_start, on_end);
    XML_SetCharacterDataHandler(parse.parser, on_text);
    XML_SetStartDoctypeDeclHandler(parse.parser, on_doctype);
    if (XML_Parse(parse.parser, data, (int)size, XML_TRUE) != XML_STATUS_OK && !parse.failed)
        report_syntax(&parse);
    XML_ParserFree(parse.parser);
    rg_free(&arena->allocator, parse.text);
    return parse.failed ? NULL : parse.root;
}

const RgXml *rg_xml_child(const RgXml *element, const char *name)
{
    if (element == NULL)
        return NULL;
    for (const RgXml *child = element->first; child != NULL; child = child->next)
        if (strcmp(child->name, name) == 0)
            return child;
    return NULL;
}

const RgXml *rg_xml_next_same(const RgXml *element)
{
    for (const RgXml *other = element->next; other != NULL; other = other->next)
        if (strcmp(other->name, element->name) == 0)
            return other;
    return NULL;
}

const char *rg_xml_attribute(const RgXml *element, const char *name)
{
    for (int i = 0; i < element->nattributes; i++)
        if (strcmp(element->attributes[i].name, name) == 0)
            return element->attributes[i].value;
    return NULL;
}
