/* data_folder.h - finds the project's own files (models, experiments). */
#ifndef RIGOR_DATA_FOLDER_H
#define RIGOR_DATA_FOLDER_H

#include "io/pool.h"

#include <stdint.h>

/* The first folder that contains `inside`: $RIGOR_DATA, share/rigor beside the command's bin, the source tree of the
   build. NULL: none does. */
const char *rg_data_folder(RgPool *pool, const char *inside);

/* Path of the running command; NULL: unknown. */
const char *rg_command_path(RgPool *pool);

/* FNV-1a hash of bytes, begun with RG_MARK_START; of a file, which may be NULL. */
#define RG_MARK_START UINT64_C(0xcbf29ce484222325)
uint64_t rg_mark_bytes(uint64_t mark, const void *data, size_t size);
uint64_t rg_mark_file(uint64_t mark, const char *path);

#endif
