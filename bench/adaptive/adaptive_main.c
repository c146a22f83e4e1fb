/* adaptive_main.c - rigor-bench-adaptive: options and commands; see adaptive.h. */
#include "adaptive.h"
#include "located_args.h"

#include <string.h>

typedef bool Command(LocatedOut *out, const AdaptiveOptions *options);

static const struct {
    const char *name, *summary;
    Command *run;
} commands[] = {
    {"chain", "001-B: a chain that falls past the ground", adaptive_chain},
};
#define NCOMMANDS (int)(sizeof commands / sizeof commands[0])

static void usage(FILE *file)
{
    fprintf(file, "usage: rigor-bench-adaptive [COMMAND]... [options]\n\n");
    for (int i = 0; i < NCOMMANDS; i++)
        fprintf(file, "  %-12s %s\n", commands[i].name, commands[i].summary);
    fprintf(file, "\n");
    fprintf(file, "  --quick               shorter runs: a look\n"
                  "  --json FILE|-, --csv FILE\n\n"
                  "Ends with 1 where something that must hold does not.\n");
}

typedef struct Arguments {
    AdaptiveOptions options;
    bool chosen[NCOMMANDS], any;
    const char *json, *csv;
} Arguments;

/* A name of a command, or a switch; false: there is none. */
static bool take(void *context, const char *name)
{
    Arguments *a = context;
    bool found = false;
    if (strcmp(name, "--quick") == 0)
        return a->options.quick = true;
    for (int i = 0; i < NCOMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0)
            found = a->chosen[i] = true;
    a->any = a->any || found;
    return found;
}

int main(int argc, char **argv)
{
    Arguments a = {0};
    const LocatedValue values[] = {{"--json", &a.json}, {"--csv", &a.csv}};
    const LocatedArgs args = {"rigor-bench-adaptive",          usage, take, &a, values,
                              sizeof values / sizeof values[0]};
    int code = located_args_read(&args, argc, argv);
    LocatedOut out;
    if (code >= 0)
        return code;
    if (!located_out_begin(&out, a.json, a.csv)) {
        fprintf(stderr, "rigor-bench-adaptive: cannot write\n");
        return 2;
    }
    bool good = true;
    for (int i = 0; i < NCOMMANDS; i++)
        if (a.chosen[i] || !a.any)
            good = commands[i].run(&out, &a.options) && good;
    return located_out_end(&out) && good ? 0 : 1;
}
