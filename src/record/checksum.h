/* checksum.h - CRC-32 as ZIP, PNG and MCAP have it, and xxHash32 as LZ4 frames have it. */
#ifndef RIGOR_CHECKSUM_H
#define RIGOR_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 of bytes behind those whose CRC is given; 0: there are none before. */
uint32_t rg_crc32(uint32_t crc, const void *data, size_t bytes);

/* xxHash32 with seed 0. */
uint32_t rg_xxhash32(const void *data, size_t bytes);

#endif
