/* read_input.c - reads a stream to its end, into a block that doubles. */
#include "read_input.h"

#include <stdlib.h>

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
