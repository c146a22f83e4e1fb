/*
 * main.c - the command `rigor`: finds the sub-command in the table, reads its options, runs it.
 *
 *   rigor COMMAND FILE [options]     rigor help COMMAND     rigor --version
 *
 * Exit codes: 0 done; 1 the work failed or errors were found; 2 wrong usage or unreadable input.
 */
#include "cmd_table.h"

#include <rigor/rigor.h>

#include <stdio.h>
#include <string.h>

#define COMMAND_ENTRY(name) &rg_command_##name,
static const RgCommand *const commands[] = {RG_COMMAND_TABLE(COMMAND_ENTRY)};
#undef COMMAND_ENTRY
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const char exit_codes[] =
    "Exit codes: 0 done; 1 the work failed or errors were found; 2 wrong usage or unreadable input.\n";

static void print_help(FILE *out)
{
    fprintf(out, "rigor %s - multi-rigid-body simulation for robotics\n\n", rg_version());
    fprintf(out, "  rigor COMMAND FILE [options]   FILE: URDF, SDF or YAML run file, - for the standard input\n");
    fprintf(out, "  rigor help COMMAND             options of a command\n");
    fprintf(out, "  rigor --version\n\nCommands:\n");
    for (int i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(out, "\n%s", exit_codes);
}

static void print_options(const RgOptionSpec *specs, int count)
{
    for (int i = 0; i < count; i++) {
        char head[64];
        snprintf(head, sizeof head, "--%s %s", specs[i].name, specs[i].argument ? specs[i].argument : "");
        printf("  %-28s %s\n", head, specs[i].help);
    }
}

static void print_command_help(const RgCommand *command)
{
    const char *operands = command->operands                           ? command->operands
                           : command->max_files > RG_OPTIONS_FILES_MAX ? "FILE..."
                           : command->max_files > 1                    ? "FILE [FILE2]"
                                                                       : "FILE";
    printf("rigor %s%s%s [options] - %s\n\nOptions:\n", command->name, operands[0] ? " " : "", operands,
           command->summary);
    print_options(command->options, command->noptions);
    int more = 0;
    const RgOptionSpec *specs = command->more_options ? command->more_options(&more) : NULL;
    print_options(specs, more);
    if (command->notes)
        printf("\n%s", command->notes);
    if (command->print_lists)
        command->print_lists();
    printf("\n%s", exit_codes);
}

static const RgCommand *find_command(const char *name)
{
    RgNearest nearest = rg_nearest_begin(name);
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
        rg_nearest_offer(&nearest, commands[i]->name);
    }

    /* Not found: suggest the nearest, and list all. */
    fprintf(stderr, "rigor: unknown command '%s'", name);
    if (nearest.best)
        fprintf(stderr, "; did you mean '%s'?", nearest.best);
    fprintf(stderr, "\ncommands:");
    for (int i = 0; i < COMMANDS; i++)
        fprintf(stderr, " %s", commands[i]->name);
    fprintf(stderr, "\ntry 'rigor --help'\n");
    return NULL;
}

static int run_command(const RgCommand *command, int argc, char **argv)
{
    RgOptions options = {.command = command->name,
                         .specs = command->options,
                         .nspecs = command->noptions,
                         .max_files = command->max_files,
                         .file_optional = command->file_optional,
                         .expects = command->expects};
    int code = RG_EXIT_USAGE;
    if (command->more_options)
        options.more = command->more_options(&options.nmore);
    if (rg_options_parse(&options, argc, argv)) {
        if (options.help) {
            print_command_help(command);
            code = RG_EXIT_OK;
        } else {
            code = command->run(&options);
        }
    }
    rg_options_free(&options);
    return code;
}

/* `rigor help` and `rigor help COMMAND`. */
static int run_help(int argc, char **argv)
{
    if (argc == 0) {
        print_help(stdout);
        return RG_EXIT_OK;
    }
    const RgCommand *command = find_command(argv[0]);
    if (command)
        print_command_help(command);
    return command ? RG_EXIT_OK : RG_EXIT_USAGE;
}

/* A full disk or a closed pipe is a failure. */
static int finish(int code)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == RG_EXIT_OK) {
        fprintf(stderr, "rigor: cannot write to the standard output\n");
        return RG_EXIT_FAILED;
    }
    return code;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return RG_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return finish(run_help(0, NULL));
    if (strcmp(argv[1], "--version") == 0) {
        printf("rigor %s\n", rg_version());
        return finish(RG_EXIT_OK);
    }
    if (strcmp(argv[1], "help") == 0)
        return finish(run_help(argc - 2, argv + 2));

    const RgCommand *command = find_command(argv[1]);
    return command ? finish(run_command(command, argc - 2, argv + 2)) : RG_EXIT_USAGE;
}
