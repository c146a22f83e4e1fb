/*
 * buffer.h - bytes that are put together one after the other: a block that grows, kept from message to message.
 *
 * Numbers are written low byte first. Once memory is out the buffer takes nothing more and says failed, so that
 * whoever fills it asks once, at the end.
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

/* Forgets the bytes, keeps the memory. */
void rg_buffer_clear(RgBuffer *buffer);

/* Room for more bytes behind those that are there. False: memory is out. */
bool rg_buffer_reserve(RgBuffer *buffer, size_t more);

void rg_buffer_put(RgBuffer *buffer, const void *data, size_t bytes);
void rg_buffer_put_zeros(RgBuffer *buffer, size_t bytes);
void rg_buffer_put_text(RgBuffer *buffer, const char *text);

/* The low bytes (1 ... 8) of a number. Inline, as messages are made of little else: the compiler turns a known number
   of bytes into one store. */
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

/* The same over bytes that were put before. */
void rg_buffer_set_uint(RgBuffer *buffer, size_t place, uint64_t value, int bytes);

/* A number of bytes (1 ... 8), low byte first. */
static inline uint64_t rg_read_uint(const unsigned char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

#endif
