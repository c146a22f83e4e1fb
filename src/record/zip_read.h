/* zip_read.h - reads the members of a ZIP archive in memory. */
#ifndef RIGOR_ZIP_READ_H
#define RIGOR_ZIP_READ_H

#include "base/arena.h"
#include "record/cursor.h"

typedef struct RgZipEntry {
    RgSpan name;
    RgSpan data;   /* as stored in the file */
    uint64_t size; /* of the unpacked data */
    uint32_t crc;
    int method; /* 0: stored, 8: deflated */
} RgZipEntry;

typedef struct RgZipReader {
    RgSpan file;
    RgCursor directory;
    uint64_t left;       /* members not yet read */
    uint64_t bytes_left; /* bound on their packed sizes together, as members must not share bytes */
} RgZipReader;

/* Finds the directory. Returns what is wrong, or NULL. file must live as long as the reader. */
const char *rg_zip_open(RgZipReader *zip, const void *file, size_t size);

/* Reads the next member; *wrong: what is wrong with it, or NULL. False: there are no more. */
bool rg_zip_next(RgZipReader *zip, RgZipEntry *entry, const char **wrong);

/* The bytes of a member, within the file or unpacked into the arena, checked by their CRC. Returns what is wrong, or
   NULL. */
const char *rg_zip_bytes(const RgZipEntry *entry, RgArena *arena, RgSpan *out);

#endif
