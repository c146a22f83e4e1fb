/*
 * cdr.h - ROS 2 messages in CDR (OMG DDSI-RTPS 2.5, 10.2; DDS-XTypes 1.3, 7.4.1: XCDR version 1), little endian.
 *
 *   00 01 00 00 | fields, each number at a multiple of its own size, counted from the end of the head
 *
 *   string      uint32 number of bytes with the terminating zero | bytes | 00
 *   sequence    uint32 count | elements; no alignment after the count of an empty one
 *
 * rg_cdr_begin empties the buffer and writes the head; then the fields follow in the order of the definition.
 */
#ifndef RIGOR_CDR_H
#define RIGOR_CDR_H

#include "record/buffer.h"

#include <rigor/math.h>

#include <string.h>

#define RG_CDR_HEAD 4 /* bytes */

static inline void rg_cdr_begin(RgBuffer *out)
{
    rg_buffer_clear(out);
    rg_buffer_put_uint(out, 0x0100, RG_CDR_HEAD);
}

static inline void rg_cdr_align(RgBuffer *out, size_t bytes)
{
    size_t past = (out->size - RG_CDR_HEAD) % bytes;
    if (past > 0)
        rg_buffer_put_zeros(out, bytes - past);
}

static inline void rg_cdr_u8(RgBuffer *out, uint8_t value)
{
    rg_buffer_put_uint(out, value, 1);
}

static inline void rg_cdr_u32(RgBuffer *out, uint32_t value)
{
    rg_cdr_align(out, 4);
    rg_buffer_put_uint(out, value, 4);
}

static inline void rg_cdr_i32(RgBuffer *out, int32_t value)
{
    rg_cdr_u32(out, (uint32_t)value);
}

static inline void rg_cdr_f32(RgBuffer *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    rg_cdr_u32(out, bits);
}

static inline void rg_cdr_f64(RgBuffer *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    rg_cdr_align(out, 8);
    rg_buffer_put_uint(out, bits, 8);
}

static inline void rg_cdr_text(RgBuffer *out, const char *text)
{
    size_t bytes = strlen(text) + 1;
    rg_cdr_u32(out, (uint32_t)bytes);
    rg_buffer_put(out, text, bytes);
}

/* builtin_interfaces/Time: int32 sec, uint32 nanosec. */
static inline void rg_cdr_time(RgBuffer *out, uint64_t ns)
{
    rg_cdr_i32(out, (int32_t)(ns / 1000000000u));
    rg_cdr_u32(out, (uint32_t)(ns % 1000000000u));
}

/* std_msgs/Header: stamp, frame_id. */
static inline void rg_cdr_header(RgBuffer *out, uint64_t ns, const char *frame)
{
    rg_cdr_time(out, ns);
    rg_cdr_text(out, frame);
}

/* geometry_msgs/Point and Vector3: x, y, z. */
static inline void rg_cdr_vec3(RgBuffer *out, RgVec3 v)
{
    rg_cdr_f64(out, v.x);
    rg_cdr_f64(out, v.y);
    rg_cdr_f64(out, v.z);
}

/* geometry_msgs/Quaternion: x, y, z, w. */
static inline void rg_cdr_quat(RgBuffer *out, RgQuat q)
{
    rg_cdr_f64(out, q.x);
    rg_cdr_f64(out, q.y);
    rg_cdr_f64(out, q.z);
    rg_cdr_f64(out, q.w);
}

/* A sequence of float64. */
static inline void rg_cdr_f64_list(RgBuffer *out, const double *values, int count)
{
    rg_cdr_u32(out, (uint32_t)count);
    for (int i = 0; i < count; i++)
        rg_cdr_f64(out, values[i]);
}

/* A sequence of string. */
static inline void rg_cdr_text_list(RgBuffer *out, const char *const *texts, int count)
{
    rg_cdr_u32(out, (uint32_t)count);
    for (int i = 0; i < count; i++)
        rg_cdr_text(out, texts[i]);
}

#endif
