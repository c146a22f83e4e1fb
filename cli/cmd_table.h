/*
 * cmd_table.h - the commands of `rigor`: a file cmd_x.c defines one const RgCommand, a line here names it.
 *
 * Exit codes are the same for all commands: 0 done, 1 the work failed or found errors, 2 wrong usage or
 * unreadable input.
 */
#ifndef RIGOR_CMD_TABLE_H
#define RIGOR_CMD_TABLE_H

#include "options.h"

#define RG_COMMAND_TABLE(X)                                                                                            \
    X(run)                                                                                                             \
    X(info)                                                                                                            \
    X(doctor)                                                                                                          \
    X(collide)                                                                                                         \
    X(view) X(export) X(solve) X(verify) X(converge) X(maxstep) X(tune) X(reproduce) X(sweep) X(plot)

enum { RG_EXIT_OK = 0, RG_EXIT_FAILED = 1, RG_EXIT_USAGE = 2 };

typedef struct RgCommand {
    const char *name;
    const char *summary;         /* one line for the list of commands */
    const char *notes;           /* printed below the options by --help; may be NULL */
    void (*print_lists)(void);   /* then the kinds that the library knows; may be NULL */
    const RgOptionSpec *options; /* noptions */
    int noptions;
    int max_files;                        /* operands; 0: one */
    const char *operands;                 /* as the help shows them; NULL: FILE, and as many more as there may be */
    bool file_optional;                   /* it can do without */
    const char *expects;                  /* what a FILE is; NULL: a model or run file */
    int (*run)(const RgOptions *options); /* returns the exit code */
} RgCommand;

#define RG_COMMAND_DECLARE(name) extern const RgCommand rg_command_##name;
RG_COMMAND_TABLE(RG_COMMAND_DECLARE)
#undef RG_COMMAND_DECLARE

#endif
