/*
 * buffer.h - a growing block of bytes, reused from message to message.
 *
 * Numbers are little-endian. After a failed allocation the buffer ignores further bytes and failed stays set, so that
 * one check at the end is enough.
 */
#ifndef RIGOR_BUFFER_H
#define RIGOR_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct RgBuffer {
    unsigned char *data;
    size_t size, room;
    bool failed;
} RgBuffer;

void rg_buffer_free(RgBuffer *buffer);

/* Empties the buffer (and resets failed); keeps the memory. */
void rg_buffer_clear(RgBuffer *buffer);

/* Makes room for more bytes after the present ones. False: out of memory. */
bool rg_buffer_reserve(RgBuffer *buffer, size_t more);

void rg_buffer_put(RgBuffer *buffer, const void *data, size_t bytes);
void rg_buffer_put_zeros(RgBuffer *buffer, size_t bytes);
void rg_buffer_put_text(RgBuffer *buffer, const char *text);

/* The low bytes (1 ... 8) of a number. Inline, as messages consist mostly of numbers: with a constant number of bytes
   it compiles to one store. */
static inline void rg_buffer_put_uint(RgBuffer *buffer, uint64_t value, int bytes)
{
    if (buffer->room - buffer->size < (size_t)bytes && !rg_buffer_reserve(buffer, (size_t)bytes))
        return;
    if (buffer->failed)
        return;
    for (int i = 0; i < bytes; i++)
        buffer->data[buffer->size + (size_t)i] = (unsigned char)(value >> (8 * i));
    buffer->size += (size_t)bytes;
}

/* Overwrites bytes that are in the buffer already. */
void rg_buffer_set_uint(RgBuffer *buffer, size_t place, uint64_t value, int bytes);

/* A little-endian number of 1 ... 8 bytes. */
static inline uint64_t rg_read_uint(const unsigned char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

#endif
