/*
 * zip_store.h - a ZIP archive whose members are stored as they are, written in one go.
 *
 * Members come one after the other with their size known; the checksum is put into a member's header when it
 * is through. Sizes and offsets of 4 GiB and more are written as ZIP64. All dates are 1980-01-01, so that
 * equal contents give equal files.
 */
#ifndef RIGOR_ZIP_STORE_H
#define RIGOR_ZIP_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct RgZipMember {
    const char *name; /* UTF-8; must live as long as the archive is written */
    uint64_t size, offset;
    uint32_t crc;
} RgZipMember;

typedef struct RgZip {
    FILE *file;           /* seekable, at its start */
    RgZipMember *members; /* the caller's, room of them */
    int count, room;
    uint64_t at;        /* bytes written */
    uint64_t left;      /* of the open member */
    uint64_t wide_from; /* numbers from here on take ZIP64 fields: 2^32 - 1 */
    bool failed;        /* a write, a seek or a size went wrong */
} RgZip;

/* members: room for as many as will come, which must live until the end. */
void rg_zip_begin(RgZip *zip, FILE *file, RgZipMember *members, int room);
void rg_zip_member_begin(RgZip *zip, const char *name, uint64_t size);
void rg_zip_write(RgZip *zip, const void *data, size_t bytes);
void rg_zip_member_end(RgZip *zip);

/* Writes the directory. True if everything went well since begin. */
bool rg_zip_finish(RgZip *zip);

#endif
