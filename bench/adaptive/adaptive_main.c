/* adaptive_main.c - rigor-bench-adaptive: options and commands; see adaptive.h. */
#include "adaptive.h"
#include "located_args.h"

#include <string.h>

typedef bool Command(LocatedOut *out, const AdaptiveOptions *options);

static const struct {
    const char *name, *summary;
    Command *run;
    bool walks;
} commands[] = {
    {"failures", "000-A: steps until a trotting robot fails, by the length of the step", adaptive_failures,
     true},
    {"forms", "000-C: error in kinetic energy, explicit and semi-implicit", adaptive_forms, true},
    {"control", "000-D: steps chosen by that error, walking and standing", adaptive_control, true},
    {"dissipation", "000-E: steps until failure, by exponential dissipation", adaptive_dissipation, true},
    {"chain", "001-B: a chain that falls past the ground", adaptive_chain, false},
};
#define NCOMMANDS (int)(sizeof commands / sizeof commands[0])

static void usage(FILE *file)
{
    fprintf(file, "usage: rigor-bench-adaptive [COMMAND]... [options]\n\n");
    for (int i = 0; i < NCOMMANDS; i++)
        fprintf(file, "  %-12s %s\n", commands[i].name, commands[i].summary);
    fprintf(file, "  %-12s the four of paper 000\n\nWithout a command: all of them.\n\n", "walk");
    fprintf(file, "  --quick               shorter runs: a look\n"
                  "  --robot FILE          quadruped (default ../shared/models/links_quadruped/model.sdf)\n"
                  "  --solver NAME         of the robot's contacts (default max-dissipation)\n"
                  "  --coords FORM         minimal (default) or maximal\n"
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
        if (strcmp(name, commands[i].name) == 0 || (strcmp(name, "walk") == 0 && commands[i].walks))
            found = a->chosen[i] = true;
    a->any = a->any || found;
    return found;
}

int main(int argc, char **argv)
{
    Arguments a = {.options = {.robot = "../shared/models/links_quadruped/model.sdf"}};
    const LocatedValue values[] = {{"--robot", &a.options.robot},
                                   {"--solver", &a.options.solver},
                                   {"--coords", &a.options.coords},
                                   {"--json", &a.json},
                                   {"--csv", &a.csv}};
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
