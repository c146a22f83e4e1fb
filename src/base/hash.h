/* hash.h - 64-bit hash of bytes, the same on every machine of one byte order. */
#ifndef RIGOR_HASH_H
#define RIGOR_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Offset basis of 64-bit FNV-1a. */
#define RG_HASH_START UINT64_C(0xcbf29ce484222325)

/* FNV-1a over 64-bit words (then the rest by bytes) with a final mix: every bit of the data reaches every
   bit of the hash. */
uint64_t rg_hash(uint64_t hash, const void *data, size_t bytes);

#endif
