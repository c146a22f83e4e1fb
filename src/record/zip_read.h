/* zip_read.h - the members of a ZIP archive that lies in memory. */
#ifndef RIGOR_ZIP_READ_H
#define RIGOR_ZIP_READ_H

#include "base/arena.h"
#include "record/cursor.h"

typedef struct RgZipEntry {
    RgSpan name;
    RgSpan data;   /* as it stands in the file */
    uint64_t size; /* when unpacked */
    uint32_t crc;
    int method; /* 0: stored, 8: deflated */
} RgZipEntry;

typedef struct RgZipReader {
    RgSpan file;
    RgCursor directory;
    uint64_t left;       /* members to come */
    uint64_t bytes_left; /* that the members to come may have: no two share any */
} RgZipReader;

/* What is wrong, or NULL. The file must live as long as the reader. */
const char *rg_zip_open(RgZipReader *zip, const void *file, size_t size);

/* The next member; *wrong says what is wrong with it, or NULL. False: there are no more. */
bool rg_zip_next(RgZipReader *zip, RgZipEntry *entry, const char **wrong);

/* Its bytes, checked by their CRC: within the file, or unpacked into the arena. What is wrong, or NULL. */
const char *rg_zip_bytes(const RgZipEntry *entry, RgArena *arena, RgSpan *out);

#endif
