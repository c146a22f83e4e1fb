/* inflate.h - unpacks what deflate has packed (RFC 1951). */
#ifndef RIGOR_INFLATE_H
#define RIGOR_INFLATE_H

#include "base/arena.h"
#include "record/cursor.h"

/* Exactly size bytes, into the arena. What is wrong, or NULL. */
const char *rg_inflate(RgSpan packed, uint64_t size, RgArena *arena, RgSpan *out);

#endif
