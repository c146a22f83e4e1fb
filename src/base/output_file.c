/*
 * output_file.c - an output file that gets its name when it is complete.
 *
 * New files are opened exclusively (O_EXCL), with permissions from the user's umask. Write errors are detected at the
 * latest when the file is closed, so that a full disk is found before the rename.
 *
 * Failure cases: the folder is missing or not writable, the disk is full, the target is a folder. The partial file is
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

/* Attempts to find a free name; more than one is needed only if a process with the same id died and left its file. */
#define NAME_ATTEMPTS 100

RgStatus rg_output_fail(const char *path, const char *what, RgError *error)
{
    int reason = errno;
    return rg_fail(error, RG_ERR_FILE, path, 0, "%s: %s", what, reason != 0 ? strerror(reason) : "failed");
}

/* Opens <path>.<kind>-<process>-<number> as a new file; its name goes to *name. */
static FILE *open_beside(const char *path, const char *kind, RgArena *arena, const char **name, RgError *error)
{
    size_t room = strlen(path) + strlen(kind) + 48;
    char *beside = RG_ARENA_ALLOC(arena, char, room);
    if (beside == NULL) {
        rg_fail(error, RG_ERR_MEMORY, path, 0, "out of memory");
        return NULL;
    }
    int descriptor = -1;
    for (int i = 0; i < NAME_ATTEMPTS && descriptor < 0; i++) {
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

    /* Devices and pipes are written directly. fopen refuses a folder. */
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

    /* Flush; the stream also remembers earlier write errors. */
    errno = 0;
    bool whole = ferror(output->file) == 0 && fflush(output->file) == 0;
    int reason = errno;
    if (fclose(output->file) != 0 && whole) {
        reason = errno;
        whole = false;
    }
    output->file = NULL;

    /* Rename only after a successful close. */
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
