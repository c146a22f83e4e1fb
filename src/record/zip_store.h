/*
 * zip_store.h - writes a ZIP archive of stored (uncompressed) members.
 *
 * Members are written one after another, with sizes that are known in advance; the checksum is written to the header of
 * a member at its end. Sizes and offsets of 4 GiB and more are written as ZIP64. All dates are 1980-01-01, so that
 * equal contents give equal files.
 */
#ifndef RIGOR_ZIP_STORE_H
#define RIGOR_ZIP_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct RgZipMember {
    const char *name; /* UTF-8; must live until rg_zip_finish */
    uint64_t size, offset;
    uint32_t crc;
} RgZipMember;

typedef struct RgZip {
    FILE *file;           /* seekable */
    RgZipMember *members; /* the caller's; room are allocated, count in use */
    int count, room;
    uint64_t at;         /* bytes written */
    uint64_t left;       /* bytes of the open member that are not yet written */
    uint64_t zip64_from; /* from this number on ZIP64 fields are used: 2^32 - 1, smaller in tests */
    bool failed;         /* a write or seek failed, or a size was wrong */
} RgZip;

/* Starts an archive at the start of file. members: memory for at least as many as will be written. */
void rg_zip_begin(RgZip *zip, FILE *file, RgZipMember *members, int room);
void rg_zip_member_begin(RgZip *zip, const char *name, uint64_t size);
void rg_zip_write(RgZip *zip, const void *data, size_t bytes);
void rg_zip_member_end(RgZip *zip);

/* Writes the directory. False: something failed since rg_zip_begin. */
bool rg_zip_finish(RgZip *zip);

#endif
