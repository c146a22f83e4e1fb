/*
 * buffer.c - a growing block of bytes.
 *
 * The block doubles when it is full, so that n bytes cost O(n). Failure: out of memory; the buffer keeps the bytes that
 * fitted.
 */
#include "record/buffer.h"

#include "base/alloc.h"

#include <string.h>

enum { ROOM_MIN = 256 }; /* bytes of the first allocation */

void rg_buffer_free(RgBuffer *buffer)
{
    rg_free(NULL, buffer->data);
    *buffer = (RgBuffer){.data = NULL};
}

void rg_buffer_clear(RgBuffer *buffer)
{
    buffer->size = 0;
    buffer->failed = false;
}

bool rg_buffer_reserve(RgBuffer *buffer, size_t more)
{
    if (buffer->failed || more > SIZE_MAX / 2 - buffer->size) {
        buffer->failed = true;
        return false;
    }
    size_t needed = buffer->size + more, room = buffer->room < ROOM_MIN ? ROOM_MIN : buffer->room;
    if (needed <= buffer->room)
        return true;
    while (room < needed)
        room *= 2;
    unsigned char *data = rg_realloc(NULL, buffer->data, buffer->room, room, 1);
    if (data == NULL) {
        buffer->failed = true;
        return false;
    }
    buffer->data = data;
    buffer->room = room;
    return true;
}

void rg_buffer_put(RgBuffer *buffer, const void *data, size_t bytes)
{
    if (bytes == 0 || !rg_buffer_reserve(buffer, bytes))
        return;
    memcpy(buffer->data + buffer->size, data, bytes);
    buffer->size += bytes;
}

void rg_buffer_put_zeros(RgBuffer *buffer, size_t bytes)
{
    if (bytes == 0 || !rg_buffer_reserve(buffer, bytes))
        return;
    memset(buffer->data + buffer->size, 0, bytes);
    buffer->size += bytes;
}

void rg_buffer_put_text(RgBuffer *buffer, const char *text)
{
    rg_buffer_put(buffer, text, strlen(text));
}

void rg_buffer_set_uint(RgBuffer *buffer, size_t place, uint64_t value, int bytes)
{
    if (buffer->failed || place + (size_t)bytes > buffer->size)
        return;
    for (int i = 0; i < bytes; i++)
        buffer->data[place + (size_t)i] = (unsigned char)(value >> (8 * i));
}
