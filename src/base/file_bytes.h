/* file_bytes.h - whole files into memory, and what stands at a path. */
#ifndef RIGOR_FILE_BYTES_H
#define RIGOR_FILE_BYTES_H

#include <rigor/base.h>

typedef enum RgPathKind { RG_PATH_NONE, RG_PATH_FILE, RG_PATH_FOLDER } RgPathKind;

/* Regular files and folders only: a pipe or a device is RG_PATH_NONE. */
RgPathKind rg_path_kind(const char *path);

/* The folder a file stands in, absolute where the system knows it, without a slash at its end ("" for the
   root). size: at least RG_PATH_ROOM. */
#define RG_PATH_ROOM 4096
void rg_path_folder(const char *file, char *folder, size_t size);

/* What stands behind the last dot of the last part of a path; empty if there is none. */
const char *rg_path_ending(const char *path);

/* The bytes of a regular file of at most limit bytes, to be given back with rg_free; NULL with error filled.
   */
unsigned char *rg_file_read(const RgAllocator *allocator, const char *path, size_t limit, size_t *size, RgError *error);

#endif
