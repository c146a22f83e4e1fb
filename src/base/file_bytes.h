/* file_bytes.h - reads whole files into memory, and inspects paths. */
#ifndef RIGOR_FILE_BYTES_H
#define RIGOR_FILE_BYTES_H

#include <rigor/base.h>

typedef enum RgPathKind { RG_PATH_NONE, RG_PATH_FILE, RG_PATH_FOLDER } RgPathKind;

/* Regular files and folders only: a pipe or a device is RG_PATH_NONE. */
RgPathKind rg_path_kind(const char *path);

/* The folder of a file, absolute if it exists, without a trailing slash ("" for the root). size: at least RG_PATH_ROOM
   bytes. */
#define RG_PATH_ROOM 4096
void rg_path_folder(const char *file, char *folder, size_t size);

/* Text after the last dot of the last component of a path; empty if there is none. */
const char *rg_path_ending(const char *path);

/* Reads a regular file of at most limit bytes; the caller frees the bytes with rg_free. NULL on failure, with error
   filled. */
unsigned char *rg_file_read(const RgAllocator *allocator, const char *path, size_t limit, size_t *size, RgError *error);

#endif
