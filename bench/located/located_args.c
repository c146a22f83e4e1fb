/* located_args.c - words and options of a command line. */
#include "located_args.h"

#include <string.h>

static const char **value_of(const LocatedArgs *args, const char *name)
{
    for (int i = 0; i < args->nvalues; i++)
        if (strcmp(name, args->values[i].name) == 0)
            return args->values[i].value;
    return NULL;
}

int located_args_read(const LocatedArgs *args, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char **value = value_of(args, argv[i]);
        if (strcmp(argv[i], "--help") == 0) {
            args->usage(stdout);
            return 0;
        }
        if (value != NULL && i + 1 < argc) {
            *value = argv[++i];
        } else if (value != NULL || !args->take(args->context, argv[i])) {
            fprintf(stderr, "%s: not understood: %s\n\n", args->program, argv[i]);
            args->usage(stderr);
            return 2;
        }
    }
    return -1;
}
