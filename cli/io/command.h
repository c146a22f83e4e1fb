/*
 * command.h - a command: its options, its help, the function that runs it.
 *
 * Exit codes are the same for all commands: 0 done, 1 the work failed or found errors, 2 wrong usage or
 * unreadable input.
 */
#ifndef RIGOR_COMMAND_H
#define RIGOR_COMMAND_H

#include "io/options.h"

enum { RG_EXIT_OK = 0, RG_EXIT_FAILED = 1, RG_EXIT_USAGE = 2 };

typedef struct RgCommand {
    const char *name;
    const char *summary;         /* one line for the list of commands */
    const char *notes;           /* printed below the options by --help; may be NULL */
    void (*print_lists)(void);   /* prints lists of the library's kinds, last in --help; may be NULL */
    const RgOptionSpec *options; /* noptions */
    int noptions;
    const RgOptionSpec *(*more_options)(int *count); /* further options, generated from tables; NULL: none */
    int max_files;                                   /* operands; 0: one */
    const char *operands;                            /* as --help shows them; NULL: FILE, repeated by max_files */
    bool file_optional;                              /* the command also runs without a file */
    const char *expects;                             /* what a FILE is; NULL: a model or run file */
    int (*run)(const RgOptions *options);            /* returns the exit code */
} RgCommand;

/* Defines rg_command_ID with the options ID_options[], and the fields that follow. */
#define RG_COMMAND(id, summary_, ...)                                                                                  \
    const RgCommand rg_command_##id = {.name = #id,                                                                    \
                                       .summary = (summary_),                                                          \
                                       .options = id##_options,                                                        \
                                       .noptions = sizeof id##_options / sizeof id##_options[0],                       \
                                       __VA_ARGS__}

#endif
