/* options.h - the option parser of all commands: `--name value`, `--name=value`, switches, one FILE or more. */
#ifndef RIGOR_OPTIONS_H
#define RIGOR_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { RG_OPTIONS_FILES_MAX = 2, RG_OPTIONS_FILES_ANY = 1000000 };

typedef struct RgOptionSpec {
    const char *name;     /* without the dashes */
    const char *argument; /* its value, as --help shows it; NULL: a switch */
    const char *help;
} RgOptionSpec;

typedef struct RgOption {
    const RgOptionSpec *spec;
    const char *value; /* NULL for a switch */
} RgOption;

typedef struct RgOptions {
    const char *command;       /* for messages */
    const RgOptionSpec *specs; /* nspecs, of the command */
    int nspecs;
    const RgOptionSpec *more; /* nmore further ones */
    int nmore;
    RgOption *given; /* ngiven, in the order of the command line */
    int ngiven;
    int max_files;      /* operands that the command takes; 0: one */
    const char **files; /* nfiles; "-" is the standard input */
    int nfiles;
    const char *file;    /* the first of them; NULL if absent */
    bool file_optional;  /* the command also runs without a file */
    const char *expects; /* what a FILE is, for messages; NULL: a model or run file */
    bool help;           /* --help was given: the rest was not checked */
} RgOptions;

/* Fills given and file from argv (after the command's name). false: a message was printed. Free with
 * rg_options_free. */
bool rg_options_parse(RgOptions *options, int argc, char **argv);
void rg_options_free(RgOptions *options);

/* Last value given, or NULL. */
const char *rg_options_value(const RgOptions *options, const char *name);
bool rg_options_has(const RgOptions *options, const char *name);

/* Number of an option into out; out is unchanged if the option is absent. false: not a number in [low, high],
 * message printed. */
bool rg_options_number(const RgOptions *options, const char *name, double low, double high, double *out);

/* The same of whole numbers. */
bool rg_options_whole(const RgOptions *options, const char *name, double low, double high, int *out);

/* Prints "rigor COMMAND: text" with a hint at the help, and returns false. */
bool rg_options_complain(const RgOptions *options, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A whole text as a finite number. */
bool rg_number_parse(const char *text, double *out);

/* "1,2,3" into values; how many there were, or -1 if one is no number or there are more than room. */
int rg_number_list_parse(const char *text, double *values, int room);

/* Finds the name nearest to a mistyped one; best is NULL if none is near. Candidates are offered one by one. */
typedef struct RgNearest {
    const char *wanted;
    const char *best;
    int distance;
} RgNearest;
RgNearest rg_nearest_begin(const char *wanted);
void rg_nearest_offer(RgNearest *nearest, const char *candidate);

#endif
