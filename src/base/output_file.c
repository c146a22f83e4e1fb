/*
 * output_file.c - a file that appears under its name only when it is whole.
 *
 * New files are opened exclusively with a name no other process takes, with the rights the user's mask
 * leaves. Every write is checked at the latest when the file is closed, so that a full disk is found before
 * the rename.
 *
 * Failure: the folder is missing or closed to us, the disk is full, the target is a folder. What was begun is
 * removed.
 */
#define _POSIX_C_SOURCE 200809L

#include "base/output_file.h"

#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names tried; more than one only where a process of the same number died and left its file. */
#define NAMES_TRIED 100

RgStatus rg_output_fail(const char *path, const char *what, RgError *error)
{
    int reason = errno;
    return rg_fail(error, RG_ERR_FILE, path, 0, "%s: %s", what, reason != 0 ? strerror(reason) : "failed");
}

/* Opens <path>.<kind>-<process>-<number> as a new file; its name goes to *name. */
static FILE *open_beside(const char *path, const char *kind, RgArena *arena, const char **name, RgError *error)
{
    size_t room = strlen(path) + strlen(kind) + 48;
    char *beside = RG_TAKE(arena, char, room);
    if (beside == NULL) {
        rg_fail(error, RG_ERR_MEMORY, path, 0, "out of memory");
        return NULL;
    }
    int descriptor = -1;
    for (int i = 0; i < NAMES_TRIED && descriptor < 0; i++) {
        snprintf(beside, room, "%s.%s-%ld-%d", path, kind, (long)getpid(), i);
        descriptor = open(beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w+b") : NULL;
    if (file == NULL) {
        rg_output_fail(path, "cannot be written", error);
        if (descriptor >= 0) {
            close(descriptor);
            unlink(beside);
        }
        return NULL;
    }
    *name = beside;
    return file;
}

RgStatus rg_output_open(RgOutputFile *output, const char *path, RgArena *arena, RgError *error)
{
    memset(output, 0, sizeof *output);
    output->path = rg_arena_strdup(arena, path);
    if (output->path == NULL)
        return rg_fail(error, RG_ERR_MEMORY, path, 0, "out of memory");

    /* Devices and pipes have no whole to wait for. A folder is refused by fopen. */
    struct stat target;
    if (stat(path, &target) == 0 && !S_ISREG(target.st_mode)) {
        output->file = fopen(path, "wb");
        return output->file != NULL ? RG_OK : rg_output_fail(path, "cannot be written", error);
    }
    RgError reason = {0};
    output->is_regular = true;
    output->file = open_beside(path, "part", arena, &output->part, &reason);
    if (output->file == NULL && error != NULL)
        *error = reason;
    return reason.status;
}

RgStatus rg_output_open_now(RgOutputFile *output, const char *path, RgArena *arena, RgError *error)
{
    memset(output, 0, sizeof *output);
    output->path = rg_arena_strdup(arena, path);
    if (output->path == NULL)
        return rg_fail(error, RG_ERR_MEMORY, path, 0, "out of memory");
    output->file = fopen(path, "wb");
    if (output->file == NULL)
        return rg_output_fail(path, "cannot be written", error);
    struct stat target;
    output->is_regular = fstat(fileno(output->file), &target) == 0 && S_ISREG(target.st_mode);
    return RG_OK;
}

RgStatus rg_output_close(RgOutputFile *output, bool keep, RgError *error)
{
    if (output->file == NULL)
        return RG_OK;

    /* Closing writes what is left; an earlier failed write is still marked on the stream. */
    errno = 0;
    bool whole = ferror(output->file) == 0 && fflush(output->file) == 0;
    int reason = errno;
    if (fclose(output->file) != 0 && whole) {
        reason = errno;
        whole = false;
    }
    output->file = NULL;

    /* The name is given last. */
    if (keep && whole && output->part != NULL && rename(output->part, output->path) != 0) {
        reason = errno;
        whole = false;
    }
    if (output->part != NULL && !(keep && whole))
        unlink(output->part);
    errno = reason;
    return whole || !keep ? RG_OK : rg_output_fail(output->path, "cannot be written", error);
}

FILE *rg_output_scratch(const char *path, RgArena *arena, RgError *error)
{
    const char *name;
    FILE *file = open_beside(path, "rows", arena, &name, error);
    if (file != NULL)
        unlink(name);
    return file;
}
