/* located_args.h - arguments of programs that are a table of commands: words, and options with a value. */
#ifndef BENCH_LOCATED_ARGS_H
#define BENCH_LOCATED_ARGS_H

#include <stdbool.h>
#include <stdio.h>

typedef struct LocatedValue {
    const char *name, **value; /* "--robot", and where its text goes */
} LocatedValue;

typedef struct LocatedArgs {
    const char *program;
    void (*usage)(FILE *file);
    bool (*take)(void *context, const char *word); /* a command or a switch; false: there is none such */
    void *context;
    const LocatedValue *values;
    int nvalues;
} LocatedArgs;

/* -1: go on; else what the program ends with: the help was asked for, or something was not understood, and said. */
int located_args_read(const LocatedArgs *args, int argc, char **argv);

#endif
