/*
 * cmd_export.c - `rigor export FILE.mcap`: the rows of a recording as NPZ or CSV, in the form of `rigor run`.
 *
 * A truncated recording (its run was killed) is exported up to its last complete chunk, with a message on stderr. A
 * damaged one is refused, and no file is written.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/command.h"
#include "io/error.h"
#include "io/options.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const RgOptionSpec export_options[] = {
    {"npz", "OUT", "write the rows as NPZ"},
    {"csv", "OUT", "write the rows as CSV"},
    {"quiet", NULL, "no text"},
};

/* Whether both paths refer to one file. */
static bool same_file(const char *a, const char *b)
{
    struct stat at, other;
    return stat(a, &at) == 0 && stat(b, &other) == 0 && at.st_dev == other.st_dev && at.st_ino == other.st_ino &&
           S_ISREG(at.st_mode);
}

static bool check_outputs(const RgOptions *options)
{
    const char *npz = rg_options_value(options, "npz"), *csv = rg_options_value(options, "csv");
    if (!npz && !csv)
        return rg_options_complain(options, "nothing to write: give --npz OUT or --csv OUT");
    if ((npz && strcmp(npz, "-") == 0) || (csv && strcmp(csv, "-") == 0))
        return rg_options_complain(options, "rows cannot be written to the standard output: give a file name");
    if ((npz && same_file(npz, options->file)) || (csv && same_file(csv, options->file)))
        return rg_options_complain(options, "the output would overwrite the recording");
    if (npz && csv && (strcmp(npz, csv) == 0 || same_file(npz, csv)))
        return rg_options_complain(options, "two outputs into one file");
    return true;
}

/* One output. Exit code. */
static int export_one(const RgOptions *options, const char *format)
{
    const char *out = rg_options_value(options, format);
    RgError error = {0};
    long long rows;
    if (!out)
        return RG_EXIT_OK;
    if (rg_recording_export(options->file, out, format, &rows, &error) != RG_OK) {
        rg_error_print(&error);
        return error.status == RG_ERR_FILE && strcmp(error.file, out) == 0 ? RG_EXIT_FAILED : RG_EXIT_USAGE;
    }
    if (!rg_options_has(options, "quiet"))
        printf("exported       %s, %lld rows\n", out, rows);
    return RG_EXIT_OK;
}

static int run_export(const RgOptions *options)
{
    if (!check_outputs(options))
        return RG_EXIT_USAGE;
    int code = export_one(options, "npz");
    if (code == RG_EXIT_OK)
        code = export_one(options, "csv");
    if (code == RG_EXIT_OK && !rg_options_has(options, "quiet"))
        rg_print_if_cut_off(options->file);
    return code;
}

RG_COMMAND(export, "write the rows of a recording (MCAP) as NPZ or CSV", .run = run_export,
           .notes = "A row holds time, joint positions and velocities, poses of links, energy "
                    "and contact: see docs/recordings.md.\n");
