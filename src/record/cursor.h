/*
 * cursor.h - sequential reading of what buffer.h and cdr.h write.
 *
 * Reading past the end returns zeros and sets failed, which stays set, so that one check after a whole record is
 * enough.
 */
#ifndef RIGOR_CURSOR_H
#define RIGOR_CURSOR_H

#include "record/buffer.h"

#include <string.h>

typedef struct RgCursor {
    const unsigned char *start, *at, *end; /* start: origin of the alignment */
    bool failed;
} RgCursor;

/* Bytes within a record, not zero-terminated. */
typedef struct RgSpan {
    const unsigned char *data;
    size_t size;
} RgSpan;

static inline RgCursor rg_cursor(const void *data, size_t size)
{
    const unsigned char *at = data;
    return (RgCursor){.start = at, .at = at, .end = size > 0 ? at + size : at};
}

static inline size_t rg_cursor_left(const RgCursor *c)
{
    return (size_t)(c->end - c->at);
}

static inline RgSpan rg_cursor_bytes(RgCursor *c, uint64_t size)
{
    if (c->failed || size > rg_cursor_left(c)) {
        c->failed = true;
        return (RgSpan){.data = c->at};
    }
    RgSpan span = {c->at, (size_t)size};
    c->at += span.size;
    return span;
}

static inline uint64_t rg_cursor_uint(RgCursor *c, int bytes)
{
    RgSpan span = rg_cursor_bytes(c, (uint64_t)bytes);
    return span.size > 0 ? rg_read_uint(span.data, bytes) : 0;
}

/* A string or a block of bytes after its length of 4 bytes. */
static inline RgSpan rg_cursor_block(RgCursor *c)
{
    return rg_cursor_bytes(c, rg_cursor_uint(c, 4));
}

static inline bool rg_span_is(RgSpan span, const char *text)
{
    return span.size == strlen(text) && memcmp(span.data, text, span.size) == 0;
}

/* ------------------------------------------------------------------ CDR, little endian */

/* A cursor after the head of a message; failed if the head is not that of little-endian CDR. */
static inline RgCursor rg_cdr_cursor(const void *data, size_t size)
{
    RgCursor c = rg_cursor(data, size);
    RgSpan head = rg_cursor_bytes(&c, 4);
    c.failed = c.failed || head.data[0] != 0 || head.data[1] != 1;
    c.start = c.at;
    return c;
}

static inline uint64_t rg_cdr_read(RgCursor *c, int bytes)
{
    size_t past = (size_t)(c->at - c->start) % (size_t)bytes;
    rg_cursor_bytes(c, past > 0 ? (uint64_t)bytes - past : 0);
    return rg_cursor_uint(c, bytes);
}

static inline double rg_cdr_read_f64(RgCursor *c)
{
    uint64_t bits = rg_cdr_read(c, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A string without its terminating zero. */
static inline RgSpan rg_cdr_read_text(RgCursor *c)
{
    RgSpan span = rg_cursor_bytes(c, rg_cdr_read(c, 4));
    span.size -= span.size > 0;
    return span;
}

/* A sequence of exactly count numbers; failed if it has another length. */
static inline void rg_cdr_read_f64_list(RgCursor *c, double *values, int count)
{
    c->failed = rg_cdr_read(c, 4) != (uint64_t)count || c->failed;
    for (int i = 0; i < count && !c->failed; i++)
        values[i] = rg_cdr_read_f64(c);
}

#endif
