/*
 * read_input.c - reads a stream to its end, into a block that doubles.
 *
 * rg_read_whole fails on files that cannot be read, are empty or larger than FILE_BYTES_MAX.
 */
#include "io/read_input.h"
#include "io/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A hundred times the largest robot files; a guard against reading /dev/zero. */
#define FILE_BYTES_MAX ((size_t)256 << 20)

char *rg_read_stream(FILE *stream, size_t *size)
{
    char *data = NULL;
    size_t room = 0, used = 0;
    for (;;) {
        if (used == room) {
            room = room ? 2 * room : 65536;
            char *grown = realloc(data, room);
            if (!grown)
                break;
            data = grown;
        }
        size_t got = fread(data + used, 1, room - used, stream);
        used += got;
        if (got == 0 && !ferror(stream)) {
            *size = used;
            return data;
        }
        if (got == 0)
            break;
    }
    free(data);
    return NULL;
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

    /* Double the buffer until the end is reached. */
    size_t room = 1 << 16, used = 0;
    char *buffer = rg_pool_take(pool, room + 1, 1);
    size_t got;
    while ((got = fread(buffer + used, 1, room - used, file)) > 0 && used + got < FILE_BYTES_MAX) {
        used += got;
        if (used == room) {
            char *larger = rg_pool_take(pool, 2 * room + 1, 1);
            memcpy(larger, buffer, used);
            buffer = larger;
            room *= 2;
        }
    }
    RgStatus status = RG_OK;
    if (ferror(file))
        status = rg_error_set(error, RG_ERR_FILE, path, "cannot read: %s", strerror(errno));
    else if (got > 0)
        status = rg_error_set(error, RG_ERR_FILE, path, "larger than %zu bytes", FILE_BYTES_MAX);
    else if (used == 0)
        status = rg_error_set(error, RG_ERR_SYNTAX, path, "empty file: expected URDF, SDF or a YAML run file");
    if (!is_stdin)
        fclose(file);
    *data = buffer;
    *size = used;
    return status;
}
