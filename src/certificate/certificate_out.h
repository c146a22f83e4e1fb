/* certificate_out.h - text of a certificate as it grows. */
#ifndef RIGOR_CERTIFICATE_OUT_H
#define RIGOR_CERTIFICATE_OUT_H

#include "base/alloc.h"
#include "math/pose.h"

#include <rigor/sim.h>

/* A block that grows to the largest need and stays. Once memory is out it takes nothing more. */
typedef struct RgCertificateOut {
    RgAllocator allocator;
    char *text;
    size_t size, room;
    bool failed;
} RgCertificateOut;

void rg_out_bytes(RgCertificateOut *out, const char *text, size_t size);

/* A word or number behind the last, parted by a blank unless a line begins. */
void rg_out_word(RgCertificateOut *out, const char *word);
void rg_out_whole(RgCertificateOut *out, int64_t value);
void rg_out_number(RgCertificateOut *out, double value); /* reads back bit by bit */
void rg_out_vector(RgCertificateOut *out, RgVec3 v);
void rg_out_turn(RgCertificateOut *out, RgMat3 R);
void rg_out_pose(RgCertificateOut *out, const RgPose *X); /* place, then turn */
/* A name to the end of the line: what is no printable letter becomes '?'. NULL: nothing. */
void rg_out_name(RgCertificateOut *out, const char *name);
void rg_out_line(RgCertificateOut *out);

/* Everything before the first step. */
void rg_certificate_write_head(RgCertificateOut *out, RgWorld *world);

#endif
