/* adaptive_main.c - rigor-bench-adaptive: options and commands; see adaptive.h. */
#include "adaptive.h"
#include "located_args.h"

#include <stdlib.h>
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
    {"split", "000-C: where that error comes from: the same states, told apart", adaptive_split, true},
    {"rule", "000-C: that error with contacts as the paper has them", adaptive_rule, true},
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
    fprintf(file, "  %-12s all of paper 000\n\nWithout a command: all of them.\n\n", "walk");
    fprintf(file, "  --quick               shorter runs: a look\n"
                  "  --robot FILE          quadruped (default ../shared/models/links_quadruped/model.sdf)\n"
                  "  --solver NAME         of the robot's contacts (default max-dissipation)\n"
                  "  --coords FORM         minimal (default) or maximal\n"
                  "  --starts N            of rule, 1 to 1000 (default 4)\n"
                  "  --json FILE|-, --csv FILE\n\n"
                  "Ends with 1 where something that must hold does not.\n");
}

typedef struct Arguments {
    AdaptiveOptions options;
    bool chosen[NCOMMANDS], any;
    const char *json, *csv, *starts;
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

/* False: said why not. */
static bool starts_read(Arguments *a)
{
    char *end = NULL;
    if (a->starts == NULL)
        return true;
    long starts = strtol(a->starts, &end, 10);
    if (end == a->starts || *end != '\0' || starts < 1 || starts > 1000) {
        fprintf(stderr, "rigor-bench-adaptive: --starts %s: a whole number from 1 to 1000 was expected\n",
                a->starts);
        return false;
    }
    a->options.starts = (int)starts;
    return true;
}

int main(int argc, char **argv)
{
    Arguments a = {.options = {.robot = "../shared/models/links_quadruped/model.sdf"}};
    const LocatedValue values[] = {{"--robot", &a.options.robot},
                                   {"--solver", &a.options.solver},
                                   {"--coords", &a.options.coords},
                                   {"--starts", &a.starts},
                                   {"--json", &a.json},
                                   {"--csv", &a.csv}};
    const LocatedArgs args = {"rigor-bench-adaptive",          usage, take, &a, values,
                              sizeof values / sizeof values[0]};
    int code = located_args_read(&args, argc, argv);
    LocatedOut out;
    if (code >= 0)
        return code;
    if (!starts_read(&a))
        return 2;
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
