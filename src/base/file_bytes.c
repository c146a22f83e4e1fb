/*
 * file_bytes.c - reads whole files into memory, and inspects paths.
 *
 * Only regular files are opened: a path in a robot file must not make the reader wait on a pipe or read a device
 * without end.
 */
#define _XOPEN_SOURCE 700

#include "base/file_bytes.h"

#include "base/alloc.h"
#include "base/status.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#if defined(PATH_MAX) && PATH_MAX > RG_PATH_ROOM
#error "RG_PATH_ROOM must hold any path of the system"
#endif

RgPathKind rg_path_kind(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return RG_PATH_NONE;
    if (S_ISREG(status.st_mode))
        return RG_PATH_FILE;
    return S_ISDIR(status.st_mode) ? RG_PATH_FOLDER : RG_PATH_NONE;
}

void rg_path_folder(const char *file, char *folder, size_t size)
{
    /* The part before the last slash, as written. */
    const char *slash = strrchr(file, '/');
    int length = slash != NULL ? (int)(slash - file) : 0;
    if (slash == NULL)
        snprintf(folder, size, ".");
    else
        snprintf(folder, size, "%.*s", length, file);

    /* Its absolute path, if it exists. */
    char absolute[RG_PATH_ROOM];
    if (realpath(folder[0] != '\0' ? folder : "/", absolute) != NULL)
        snprintf(folder, size, "%s", strcmp(absolute, "/") == 0 ? "" : absolute);
}

const char *rg_path_ending(const char *path)
{
    const char *name = strrchr(path, '/'), *dot = strrchr(path, '.');
    return dot != NULL && (name == NULL || dot > name) ? dot + 1 : "";
}

unsigned char *rg_file_read(const RgAllocator *allocator, const char *path, size_t limit, size_t *size, RgError *error)
{
    if (rg_path_kind(path) != RG_PATH_FILE) {
        rg_fail(error, RG_ERR_FILE, path, 0, "no such file");
        return NULL;
    }
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        rg_fail(error, RG_ERR_FILE, path, 0, "cannot be opened: %s", strerror(errno));
        return NULL;
    }

    /* Read until the end of the file: its reported size may change meanwhile. */
    unsigned char *bytes = NULL;
    size_t used = 0, room = 0;
    const char *failure = NULL;
    while (failure == NULL) {
        if (used == room) {
            size_t larger = room == 0 ? 65536 : 2 * room;
            unsigned char *grown = rg_realloc(allocator, bytes, used, larger, 1);
            if (grown == NULL) {
                failure = rg_status_text(RG_ERR_MEMORY);
                break;
            }
            bytes = grown;
            room = larger;
        }
        size_t count = fread(bytes + used, 1, room - used, stream);
        used += count;
        if (used > limit)
            failure = "the file is too large";
        else if (ferror(stream))
            failure = "cannot be read";
        else if (count == 0)
            break;
    }
    fclose(stream);
    if (failure == NULL) {
        *size = used;
        return bytes;
    }
    rg_free(allocator, bytes);
    rg_fail(error, strcmp(failure, rg_status_text(RG_ERR_MEMORY)) == 0 ? RG_ERR_MEMORY : RG_ERR_FILE, path, 0, "%s",
            failure);
    return NULL;
}
