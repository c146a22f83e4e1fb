/*
 * command.h - what a command is: its options, its help, the function that runs it.
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
    void (*print_lists)(void);   /* then the kinds of the library; may be NULL */
    const RgOptionSpec *options; /* noptions */
    int noptions;
    const RgOptionSpec *(*more_options)(int *count); /* behind these, made of tables; NULL: none */
    int max_files;                                   /* operands; 0: one */
    const char *operands;                 /* as the help shows them; NULL: FILE, and as many more as there may be */
    bool file_optional;                   /* it can do without */
    const char *expects;                  /* what a FILE is; NULL: a model or run file */
    int (*run)(const RgOptions *options); /* returns the exit code */
} RgCommand;

#endif
