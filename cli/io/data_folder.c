/* data_folder.c - finds the project's files of a build, an installation or the user. */
#define _XOPEN_SOURCE 700
#include "io/data_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

const char *rg_command_path(RgPool *pool)
{
    char *path = rg_pool_take(pool, PATH_ROOM, 1);
    ssize_t length = readlink("/proc/self/exe", path, PATH_ROOM - 1);
    return length > 0 ? path : NULL;
}

static const char *with(RgPool *pool, const char *folder, const char *inside)
{
    if (!folder || !folder[0] || access(rg_pool_print(pool, "%s/%s", folder, inside), R_OK) != 0)
        return NULL;
    return rg_pool_print(pool, "%s", folder);
}

const char *rg_data_folder(RgPool *pool, const char *inside)
{
    const char *command = rg_command_path(pool), *slash = command ? strrchr(command, '/') : NULL;
    const char *found = with(pool, getenv("RIGOR_DATA"), inside);
    if (!found && slash)
        found = with(pool, rg_pool_print(pool, "%.*s/../share/rigor", (int)(slash - command), command), inside);
#ifdef RIGOR_SOURCE_DIR
    if (!found)
        found = with(pool, RIGOR_SOURCE_DIR, inside);
#endif
    return found;
}

uint64_t rg_mark_bytes(uint64_t mark, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        mark = (mark ^ bytes[i]) * UINT64_C(0x100000001b3);
    return mark;
}

uint64_t rg_mark_file(uint64_t mark, const char *path)
{
    unsigned char bytes[1 << 14];
    size_t n;
    FILE *file = path ? fopen(path, "rb") : NULL;
    while (file && (n = fread(bytes, 1, sizeof bytes, file)) > 0)
        mark = rg_mark_bytes(mark, bytes, n);
    if (file)
        fclose(file);
    return mark;
}
