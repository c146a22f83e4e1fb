/* adaptive_main.c - rigor-bench-adaptive: options and commands; see adaptive.h. */
#include "adaptive.h"

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

/* A name of a command; false: there is none. */
static bool choose(Arguments *a, const char *name)
{
    bool found = false;
    for (int i = 0; i < NCOMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0 || (strcmp(name, "walk") == 0 && commands[i].walks))
            found = a->chosen[i] = true;
    a->any = a->any || found;
    return found;
}

/* An option with a value; NULL: no such. */
static const char **value_of(Arguments *a, const char *name)
{
    const struct {
        const char *name, **value;
    } values[] = {{"--robot", &a->options.robot},
                  {"--solver", &a->options.solver},
                  {"--coords", &a->options.coords},
                  {"--json", &a->json},
                  {"--csv", &a->csv}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (strcmp(name, values[i].name) == 0)
            return values[i].value;
    return NULL;
}

/* False: something is wrong, and was said. */
static bool read_arguments(int argc, char **argv, Arguments *a)
{
    for (int i = 1; i < argc; i++) {
        const char **value = value_of(a, argv[i]);
        if (value != NULL && i + 1 < argc) {
            *value = argv[++i];
        } else if (strcmp(argv[i], "--quick") == 0) {
            a->options.quick = true;
        } else if (!choose(a, argv[i])) {
            fprintf(stderr, "rigor-bench-adaptive: '%s'?\n\n", argv[i]);
            usage(stderr);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    Arguments a = {.options = {.robot = "../shared/models/links_quadruped/model.sdf"}};
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        usage(stdout);
        return 0;
    }
    LocatedOut out;
    if (!read_arguments(argc, argv, &a))
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
