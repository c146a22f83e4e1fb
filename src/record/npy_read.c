/*
 * npy_read.c - reads an array from the bytes of an NPY file (numpy format 1.0, 2.0, 3.0).
 *
 *   \x93NUMPY | version, 2 bytes | length of the header, 2 bytes (version 1) or 4 | header | values
 *
 * The header is a Python dictionary: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }. Supported: numbers
 * (f4 f8, i1 ... i8, u1 ... u8, bool) and texts (U: 32-bit characters, S: bytes), little-endian, in up to three
 * dimensions. Integers beyond 2^53 are rounded to doubles. The last index of the values varies fastest, in Fortran
 * order the first.
 *
 * Failure, with a text: anything else, and shapes whose values do not fill the bytes exactly. Texts of width 0 are
 * refused, as any number of them would fit.
 */
#include "record/buffer.h"
#include "record/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT UINT32_C(0xfffd) /* U+FFFD */
#define TYPE_ROOM 64                 /* bytes of a key or a type of the header */

/* State of parsing the header. */
typedef struct Header {
    const char *at, *end;
    RgArena *arena;
    char type[TYPE_ROOM];
    RgNpy *array;
    bool has_type, has_order, has_shape;
} Header;

static const char *join_message(RgArena *arena, const char *before, const char *detail, const char *behind)
{
    size_t room = strlen(before) + strlen(detail) + strlen(behind) + 1;
    char *text = RG_ARENA_ALLOC(arena, char, room);
    if (text == NULL)
        return "out of memory";
    snprintf(text, room, "%s%s%s", before, detail, behind);
    return text;
}

/* ------------------------------------------------------------------ the dictionary */

static void skip_blanks(Header *h)
{
    while (h->at < h->end && (*h->at == ' ' || *h->at == '\n'))
        h->at++;
}

static bool parse_sign(Header *h, char sign)
{
    skip_blanks(h);
    if (h->at == h->end || *h->at != sign)
        return false;
    h->at++;
    return true;
}

static bool parse_word(Header *h, const char *word)
{
    skip_blanks(h);
    size_t length = strlen(word);
    if ((size_t)(h->end - h->at) < length || memcmp(h->at, word, length) != 0)
        return false;
    h->at += length;
    return true;
}

/* A text in single or double quotes, without escapes. */
static bool parse_quoted(Header *h, char text[TYPE_ROOM])
{
    skip_blanks(h);
    if (h->at == h->end || (*h->at != '\'' && *h->at != '"'))
        return false;
    char quote = *h->at++;
    size_t used = 0;
    while (h->at < h->end && *h->at != quote && used + 1 < TYPE_ROOM)
        text[used++] = *h->at++;
    text[used] = '\0';
    return parse_sign(h, quote);
}

/* An integer of at most 18 digits, optionally with Python 2's suffix L. */
static bool parse_size(Header *h, int64_t *size)
{
    skip_blanks(h);
    int digits = 0;
    *size = 0;
    for (; h->at < h->end && *h->at >= '0' && *h->at <= '9' && digits < 18; digits++)
        *size = 10 * *size + (*h->at++ - '0');
    if (h->at < h->end && *h->at == 'L')
        h->at++;
    return digits > 0;
}

static const char *parse_shape(Header *h)
{
    RgNpy *array = h->array;
    h->has_shape = true;
    if (!parse_sign(h, '('))
        return "its shape is no tuple";
    while (!parse_sign(h, ')')) {
        int64_t size;
        if (!parse_size(h, &size))
            return "its shape is no tuple of whole numbers";
        if (array->dimensions == RG_NPY_DIMENSIONS)
            return "it has more than three dimensions";
        array->shape[array->dimensions++] = size;
        if (!parse_sign(h, ',') && (h->at == h->end || *h->at != ')'))
            return "its shape is no tuple of whole numbers";
    }
    return NULL;
}

/* One "key: value" of the dictionary. */
static const char *parse_entry(Header *h)
{
    char key[TYPE_ROOM];
    if (!parse_quoted(h, key) || !parse_sign(h, ':'))
        return "its header is no dictionary";
    if (strcmp(key, "shape") == 0 && !h->has_shape)
        return parse_shape(h);
    if (strcmp(key, "fortran_order") == 0) {
        h->has_order = true;
        h->array->is_fortran = parse_word(h, "True");
        return h->array->is_fortran || parse_word(h, "False") ? NULL : "its fortran_order is not True or False";
    }
    if (strcmp(key, "descr") == 0) {
        h->has_type = true;
        return parse_quoted(h, h->type) ? NULL : "its values are records of several fields";
    }
    return join_message(h->arena, "its header has an unknown key '", key, "'");
}

static const char *parse_header(Header *h)
{
    if (!parse_sign(h, '{'))
        return "its header is no dictionary";
    while (!parse_sign(h, '}')) {
        const char *wrong = parse_entry(h);
        if (wrong != NULL)
            return wrong;
        if (!parse_sign(h, ',') && (h->at == h->end || *h->at != '}'))
            return "its header is no dictionary";
    }
    return h->has_type && h->has_order && h->has_shape ? NULL : "its header lacks descr, fortran_order or shape";
}

/* ------------------------------------------------------------------ types and sizes */

/* "<f8" and the like. */
static bool parse_type(const char *type, RgNpy *array)
{
    static const struct {
        char letter;
        RgNpyKind kind;
        const char *sizes; /* allowed sizes in bytes; NULL: any number of units */
        size_t unit;
    } kinds[] = {{'f', RG_NPY_FLOAT, "48", 1}, {'i', RG_NPY_SIGNED, "1248", 1}, {'u', RG_NPY_UNSIGNED, "1248", 1},
                 {'b', RG_NPY_BOOL, "1", 1},   {'U', RG_NPY_UNICODE, NULL, 4},  {'S', RG_NPY_BYTES, NULL, 1}};
    bool has_order = type[0] == '<' || type[0] == '|' || type[0] == '=';
    const char *rest = type + (has_order ? 1 : 0);
    size_t digits = rest[0] != '\0' ? strspn(rest + 1, "0123456789") : 0;
    if (digits == 0 || digits > 9 || rest[1 + digits] != '\0')
        return false;
    size_t count = (size_t)strtoul(rest + 1, NULL, 10);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].letter != rest[0])
            continue;
        array->kind = kinds[i].kind;
        array->item = kinds[i].unit * count;
        return count > 0 && (kinds[i].sizes == NULL || (digits == 1 && strchr(kinds[i].sizes, rest[1]) != NULL));
    }
    return false;
}

/* Whether the values of the shape fill the bytes exactly. */
static bool fills_bytes(const RgNpy *array, size_t bytes)
{
    size_t values = bytes / array->item, wanted = 1;
    for (int i = 0; i < RG_NPY_DIMENSIONS; i++)
        if (array->shape[i] == 0)
            return bytes == 0;
    for (int i = 0; i < RG_NPY_DIMENSIONS; i++) {
        size_t size = (size_t)array->shape[i];
        if (size > values / wanted)
            return false;
        wanted *= size;
    }
    return wanted * array->item == bytes;
}

const char *rg_npy_parse(const unsigned char *bytes, size_t size, RgArena *arena, RgNpy *out)
{
    *out = (RgNpy){.shape = {1, 1, 1}};
    if (size < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return "it is no array of numpy";
    if (bytes[6] < 1 || bytes[6] > 3)
        return "its version is not 1, 2 or 3";
    size_t start = bytes[6] == 1 ? 10 : 12;
    uint64_t length = rg_read_uint(bytes + 8, bytes[6] == 1 ? 2 : 4);
    if (length > size - start)
        return "it ends within its header";

    const char *text = (const char *)bytes + start;
    Header header = {.at = text, .end = text + length, .arena = arena, .array = out};
    const char *wrong = parse_header(&header);
    if (wrong != NULL)
        return wrong;
    if (!parse_type(header.type, out))
        return join_message(arena, "its type is '", header.type,
                            "'; expected f4 f8, i1 ... i8, u1 ... u8, bool, U or S, low byte first");
    out->data = bytes + start + length;
    return fills_bytes(out, size - start - (size_t)length) ? NULL : "its shape does not fit the number of its bytes";
}

/* ------------------------------------------------------------------ values */

static const unsigned char *value_at(const RgNpy *array, const int64_t place[RG_NPY_DIMENSIONS])
{
    const int64_t *n = array->shape;
    int64_t index = array->is_fortran ? place[0] + n[0] * (place[1] + n[1] * place[2])
                                      : (place[0] * n[1] + place[1]) * n[2] + place[2];
    return array->data + (size_t)index * array->item;
}

static double float_from_bits(uint64_t bits, size_t item)
{
    if (item == sizeof(double)) {
        double x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return (double)x;
}

double rg_npy_number(const RgNpy *array, const int64_t place[RG_NPY_DIMENSIONS])
{
    uint64_t bits = rg_read_uint(value_at(array, place), (int)array->item);
    if (array->kind == RG_NPY_FLOAT)
        return float_from_bits(bits, array->item);
    if (array->kind == RG_NPY_BOOL)
        return bits != 0 ? 1.0 : 0.0;

    /* Two's complement: the sign bit has the negative of its value. */
    uint64_t sign = UINT64_C(1) << (8 * array->item - 1);
    if (array->kind == RG_NPY_SIGNED && (bits & sign) != 0)
        return -(double)((sign - (bits & (sign - 1))));
    return (double)bits;
}

/* Writes a character as UTF-8. Returns the number of its bytes. */
static size_t put_utf8(uint32_t c, char *to)
{
    if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        c = REPLACEMENT;
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char first[4] = {0, 0xc0, 0xe0, 0xf0};
    to[0] = (char)(first[more] | (c >> (6 * more)));
    for (size_t i = 1; i <= more; i++)
        to[i] = (char)(0x80 | ((c >> (6 * (more - i))) & 0x3f));
    return more + 1;
}

size_t rg_npy_text_room(const RgNpy *array)
{
    return (array->kind == RG_NPY_UNICODE ? array->item : 3 * array->item) + 1;
}

char *rg_npy_text(const RgNpy *array, const int64_t place[RG_NPY_DIMENSIONS], char *text)
{
    const unsigned char *data = value_at(array, place);
    size_t unit = array->kind == RG_NPY_UNICODE ? 4 : 1, count = array->item / unit, used = 0;

    /* Zeros at the end are padding. Other zeros and invalid characters become the replacement character. Bytes (S) are
       copied. */
    while (count > 0 && rg_read_uint(data + (count - 1) * unit, (int)unit) == 0)
        count--;
    for (size_t i = 0; i < count; i++) {
        uint32_t c = (uint32_t)rg_read_uint(data + i * unit, (int)unit);
        if (array->kind == RG_NPY_BYTES && c != 0)
            text[used++] = (char)c;
        else
            used += put_utf8(c, text + used);
    }
    text[used] = '\0';
    return text;
}
