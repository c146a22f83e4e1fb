/*
 * reader.c - errors, remarks and values while a file is read.
 *
 * Every message has file, line, element and the text that was found.
 */
#include "scene/reader.h"

#include "base/number.h"
#include "base/status.h"
#include "model/model_builder.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Number of different remarks of rg_reader_warn_once per file; further ones are dropped. Bounds log and memory. */
#define READER_MAX_REMARKS 200

/* Characters of a wrong text that a message quotes. */
#define READER_SHOWN 60

bool rg_reader_fail(RgReader *reader, RgStatus status, const RgXml *at, const char *format, ...)
{
    if (!rg_reader_ok(reader))
        return false;
    char text[sizeof reader->error.text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    rg_fail(&reader->error, status, at != NULL ? at->file : NULL, at != NULL ? at->line : 0, "%s", text);
    return false;
}

bool rg_reader_fail_memory(RgReader *reader)
{
    return rg_reader_fail(reader, RG_ERR_MEMORY, NULL, "%s", rg_status_text(RG_ERR_MEMORY));
}

bool rg_reader_fail_builder(RgReader *reader)
{
    if (rg_reader_ok(reader))
        reader->error = *rg_builder_error(reader->builder);
    if (rg_reader_ok(reader))
        return rg_reader_fail_memory(reader);
    return false;
}

void rg_reader_warn(RgReader *reader, const RgXml *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    rg_log_list(&reader->builder->log, at->file, at->line, format, arguments);
    va_end(arguments);
}

/* True the first time that a key is given. */
static bool is_new_remark(RgReader *reader, const char *key)
{
    if (reader->remarks.count >= READER_MAX_REMARKS || rg_name_map_find(&reader->remarks, key) >= 0)
        return false;
    const char *copy = rg_arena_strdup(&reader->arena, key);
    if (copy == NULL || !rg_name_map_set(&reader->remarks, &reader->arena, copy, 0))
        return rg_reader_fail_memory(reader);
    return true;
}

void rg_reader_warn_once(RgReader *reader, const RgXml *at, const char *key, const char *format, ...)
{
    if (!is_new_remark(reader, key))
        return;
    va_list arguments;
    va_start(arguments, format);
    rg_log_list(&reader->builder->log, at->file, at->line, format, arguments);
    va_end(arguments);
}

static bool is_listed(const char *const *list, const char *name)
{
    for (; *list != NULL; list++)
        if (strcmp(*list, name) == 0)
            return true;
    return false;
}

void rg_reader_expect(RgReader *reader, const RgXml *element, const char *const *known, const char *const *skipped)
{
    for (const RgXml *child = element->first; child != NULL; child = child->next) {
        if (is_listed(known, child->name))
            continue;
        if (is_listed(skipped, child->name))
            rg_reader_warn_once(reader, child, child->name, "<%s> is skipped (said once)", child->name);
        else
            rg_reader_warn_once(reader, child, child->name, "unknown tag <%s> in <%s> is skipped (said once)",
                                child->name, element->name);
    }
}

/* Error about wrong numbers. place: name of the attribute, or NULL for the element's text; shown: the text to quote. */
static bool fail_numbers(RgReader *reader, const RgXml *element, const char *place, int count, RgNumberResult result,
                         RgWord shown)
{
    char expected[40];
    if (count == 1)
        snprintf(expected, sizeof expected, "a finite number");
    else
        snprintf(expected, sizeof expected, "%d finite numbers", count);
    int length = shown.length < READER_SHOWN ? (int)shown.length : READER_SHOWN;
    RgStatus status = result == RG_NUMBER_NOT_FINITE ? RG_ERR_NOT_FINITE : RG_ERR_SYNTAX;
    return rg_reader_fail(reader, status, element, "<%s%s%s>: expected %s, found '%.*s'", element->name,
                          place != NULL ? " " : "", place != NULL ? place : "", expected, length, shown.start);
}

static bool read_numbers(RgReader *reader, const RgXml *element, const char *place, const char *text, int count,
                         double *out)
{
    double values[16] = {0.0};
    int found;
    RgWord bad;
    RgNumberResult result = rg_text_numbers(text, count, values, &found, &bad);
    if (result == RG_NUMBER_OK) {
        memcpy(out, values, (size_t)count * sizeof(double));
        return true;
    }

    /* Quote the word that is not a number, or the whole text if the count is wrong. */
    bool is_count = result == RG_NUMBER_NONE || found == count;
    return fail_numbers(reader, element, place, count, result, is_count ? (RgWord){text, strlen(text)} : bad);
}

bool rg_reader_attribute(RgReader *reader, const RgXml *element, const char *name, int count, double *out)
{
    const char *text = rg_xml_attribute(element, name);
    return text != NULL && read_numbers(reader, element, name, text, count, out);
}

bool rg_reader_text(RgReader *reader, const RgXml *element, int count, double *out)
{
    return read_numbers(reader, element, NULL, element->text, count, out);
}

bool rg_reader_child(RgReader *reader, const RgXml *element, const char *name, int count, double *out)
{
    const RgXml *child = rg_xml_child(element, name);
    return child != NULL && rg_reader_text(reader, child, count, out);
}

bool rg_reader_child_limit(RgReader *reader, const RgXml *element, const char *name, double *out)
{
    const RgXml *child = rg_xml_child(element, name);
    if (child == NULL)
        return false;
    double value;
    RgWord word = {child->text, strlen(child->text)};
    if (rg_word_number(word, &value) == RG_NUMBER_NOT_FINITE && isinf(value)) {
        *out = value;
        return true;
    }
    return rg_reader_text(reader, child, 1, out);
}

bool rg_reader_flag(RgReader *reader, const RgXml *at, const char *text)
{
    static const char *const yes[] = {"true", "True", "TRUE", "1", NULL};
    static const char *const no[] = {"false", "False", "FALSE", "0", NULL};
    if (is_listed(yes, text))
        return true;
    if (!is_listed(no, text))
        rg_reader_fail(reader, RG_ERR_SYNTAX, at, "<%s>: expected true or false, found '%.*s'", at->name, READER_SHOWN,
                       text);
    return false;
}

bool rg_reader_child_flag(RgReader *reader, const RgXml *element, const char *name, bool fallback)
{
    const RgXml *child = rg_xml_child(element, name);
    return child != NULL ? rg_reader_flag(reader, child, child->text) : fallback;
}

/* Value of a digit in base 10 or 16; 16: not a digit. */
static uint32_t digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (uint32_t)(c - 'a') + 10;
    return c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10 : 16;
}

bool rg_reader_child_bits(RgReader *reader, const RgXml *element, const char *name, uint32_t *out)
{
    const RgXml *child = rg_xml_child(element, name);
    if (child == NULL)
        return false;
    const char *at = child->text;
    bool is_hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    uint32_t base = is_hex ? 16 : 10;
    at += is_hex ? 2 : 0;
    uint64_t value = 0;
    bool good = *at != '\0';
    for (; good && *at != '\0'; at++) {
        good = digit_value(*at) < base;
        value = base * value + digit_value(*at);
        good = good && value <= UINT32_MAX;
    }
    if (!good)
        return rg_reader_fail(reader, RG_ERR_SYNTAX, child,
                              "<%s>: expected a whole number from 0 to 4294967295, or 0x..., found '%.*s'", name,
                              READER_SHOWN, child->text);
    *out = (uint32_t)value;
    return true;
}

bool rg_reader_self_collide(const RgReader *reader, bool in_file)
{
    RgSelfCollide option = reader->options->self_collide;
    return option == RG_SELF_COLLIDE_AUTO ? in_file : option == RG_SELF_COLLIDE_ON;
}

const char *rg_reader_name(RgReader *reader, const RgXml *element, const char *attribute)
{
    const char *value = rg_xml_attribute(element, attribute);
    if (value == NULL || value[0] == '\0')
        rg_reader_fail(reader, RG_ERR_SYNTAX, element, "<%s> needs an attribute '%s'", element->name, attribute);
    else if (strlen(value) > RG_NAME_MAX)
        rg_reader_fail(reader, RG_ERR_SYNTAX, element, "<%s %s>: a name longer than %d characters", element->name,
                       attribute, RG_NAME_MAX);
    else
        return value;
    return NULL;
}

const char *rg_reader_format(RgReader *reader, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : RG_ARENA_ALLOC(&reader->arena, char, (size_t)length + 1);
    if (text != NULL)
        vsnprintf(text, (size_t)length + 1, format, again);
    else
        rg_reader_fail_memory(reader);
    va_end(again);
    return text;
}

const char *rg_reader_shape_name(RgReader *reader, const RgXml *owner, const char *link)
{
    const char *name = rg_xml_attribute(owner, "name");
    if (name != NULL && name[0] != '\0')
        return name;
    return rg_reader_format(reader, "%s %s", link, owner->name);
}
