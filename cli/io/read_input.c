/*
 * read_input.c - reads a stream to its end, into a buffer whose size doubles.
 *
 * rg_read_whole fails on files that cannot be read, are empty or larger than FILE_BYTES_MAX.
 */
#include "io/read_input.h"
#include "io/error.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* 100 times the largest robot files; stops reading /dev/zero. */
#define FILE_BYTES_MAX ((size_t)256 << 20)

/* Reads to the end, or until more than `most` bytes are read; NULL: unreadable or out of memory. */
static char *read_up_to(FILE *stream, size_t most, size_t *size)
{
    char *data = NULL;
    size_t room = 0, got = 1;
    for (*size = 0; got > 0 && *size <= most; *size += got) {
        if (*size == room) {
            room = room ? 2 * room : 65536;
            char *grown = realloc(data, room);
            if (!grown)
                break;
            data = grown;
        }
        got = fread(data + *size, 1, room - *size, stream);
    }
    if (!ferror(stream) && (got == 0 || *size > most))
        return data;
    free(data);
    return NULL;
}

char *rg_read_stream(FILE *stream, size_t *size)
{
    return read_up_to(stream, SIZE_MAX - 1, size);
}

char *rg_read_input(size_t *size)
{
    char *data = rg_read_stream(stdin, size);
    if (!data)
        fprintf(stderr, "rigor: stdin: cannot be read\n");
    return data;
}

RgStatus rg_read_whole(RgPool *pool, const char *path, char **data, size_t *size, RgError *error)
{
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    if (!file)
        return rg_error_set(error, RG_ERR_FILE, path, "cannot open: %s", strerror(errno));

    errno = 0;
    char *all = read_up_to(file, FILE_BYTES_MAX, size);
    RgStatus status = RG_OK;
    if (!all)
        status = rg_error_set(error, RG_ERR_FILE, path, "cannot read: %s", strerror(errno));
    else if (*size > FILE_BYTES_MAX)
        status = rg_error_set(error, RG_ERR_FILE, path, "larger than %zu bytes", FILE_BYTES_MAX);
    else if (*size == 0)
        status = rg_error_set(error, RG_ERR_SYNTAX, path, "empty file: expected URDF, SDF or a YAML run file");
    if (all && status == RG_OK)
        *data = memcpy(rg_pool_take(pool, *size + 1, 1), all, *size);
    free(all);
    if (!is_stdin)
        fclose(file);
    return status;
}
