/* certificate_out.c - words and numbers of a certificate. */
#include "certificate/certificate_out.h"

#include "base/number.h"

#include <stdio.h>
#include <string.h>

enum { ROOM_MIN = 1 << 14 }; /* bytes: first size of the buffer */

void rg_out_bytes(RgCertificateOut *out, const char *text, size_t size)
{
    if (!out->failed && out->room - out->size < size) {
        size_t room = out->room > 0 ? out->room : ROOM_MIN;
        while (room - out->size < size && room < SIZE_MAX / 2)
            room *= 2;
        char *more = rg_realloc(&out->allocator, out->text, out->room, room, 1);
        out->failed = more == NULL || room - out->size < size;
        out->text = more != NULL ? more : out->text;
        out->room = more != NULL ? room : out->room;
    }
    if (out->failed || size == 0)
        return;
    memcpy(out->text + out->size, text, size);
    out->size += size;
}

void rg_out_word(RgCertificateOut *out, const char *word)
{
    if (out->size > 0 && out->text[out->size - 1] != '\n')
        rg_out_bytes(out, " ", 1);
    rg_out_bytes(out, word, strlen(word));
}

void rg_out_whole(RgCertificateOut *out, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    rg_out_word(out, text);
}

void rg_out_number(RgCertificateOut *out, double value)
{
    char text[64];
    rg_number_text(value, text, sizeof text);
    rg_out_word(out, text);
}

void rg_out_vector(RgCertificateOut *out, RgVec3 v)
{
    rg_out_number(out, v.x);
    rg_out_number(out, v.y);
    rg_out_number(out, v.z);
}

void rg_out_turn(RgCertificateOut *out, RgMat3 R)
{
    RgQuat q = q_from_matrix(R);
    rg_out_number(out, q.w);
    rg_out_number(out, q.x);
    rg_out_number(out, q.y);
    rg_out_number(out, q.z);
}

void rg_out_pose(RgCertificateOut *out, const RgPose *X)
{
    rg_out_vector(out, X->p);
    rg_out_turn(out, X->R);
}

void rg_out_name(RgCertificateOut *out, const char *name)
{
    if (name == NULL || name[0] == '\0')
        return;
    rg_out_bytes(out, " ", 1);
    for (const char *c = name; *c != '\0'; c++) {
        bool printable = (unsigned char)*c >= 0x20 && *c != 0x7f;
        rg_out_bytes(out, printable ? c : "?", 1);
    }
}

void rg_out_line(RgCertificateOut *out)
{
    rg_out_bytes(out, "\n", 1);
}
