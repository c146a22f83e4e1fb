/* certificate_out.h - growing text of a certificate. */
#ifndef RIGOR_CERTIFICATE_OUT_H
#define RIGOR_CERTIFICATE_OUT_H

#include "base/alloc.h"
#include "math/pose.h"

#include <rigor/sim.h>

/* Text buffer. It grows as needed and is reused. After a failed allocation nothing more is appended. */
typedef struct RgCertificateOut {
    RgAllocator allocator;
    char *text;
    size_t size, room;
    bool failed;
} RgCertificateOut;

void rg_out_bytes(RgCertificateOut *out, const char *text, size_t size);

/* Append a word or number, separated by a blank except at the start of a line. */
void rg_out_word(RgCertificateOut *out, const char *word);
void rg_out_whole(RgCertificateOut *out, int64_t value);
void rg_out_number(RgCertificateOut *out, double value); /* reads back as the same double */
void rg_out_vector(RgCertificateOut *out, RgVec3 v);
void rg_out_turn(RgCertificateOut *out, RgMat3 R);
void rg_out_pose(RgCertificateOut *out, const RgPose *X); /* position, then quaternion */
/* A name as the rest of the line; control characters become '?'. NULL: nothing. */
void rg_out_name(RgCertificateOut *out, const char *name);
void rg_out_line(RgCertificateOut *out); /* ends the line */

/* Writes the header: bodies, shapes, pairs that may touch. */
void rg_certificate_write_head(RgCertificateOut *out, RgWorld *world);

#endif
