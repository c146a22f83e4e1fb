/* hash.c - FNV-1a (Fowler, Noll, Vo) over 64-bit words, mixed by MurmurHash3's finaliser (Appleby 2011). */
#include "base/hash.h"

#include <string.h>

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    x ^= x >> 33;
    x *= UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ (x >> 33);
}

uint64_t rg_hash(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (; bytes >= 8; at += 8, bytes -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = (hash ^ mix(word)) * UINT64_C(0x100000001b3);
    }
    for (; bytes > 0; at++, bytes--)
        hash = (hash ^ *at) * UINT64_C(0x100000001b3);
    return mix(hash);
}
