/* control_main.c - rigor-bench-control: options and the table of experiments; see control_bench.h. */
#include "control_bench.h"
#include "located_args.h"

#include <string.h>

typedef bool Experiment(LocatedOut *out, const ControlOptions *options);

/* An experiment is a file and a line here. */
static const struct {
    const char *name, *summary;
    Experiment *run;
} experiments[] = {
    {"ur10", "002-A: an arm along sinusoids, Table II; stiff gains; speed at equal accuracy", control_ur10},
    {"quadruped", "002-B: trot and sinusoids on four feet by ten methods and seven steps; Table I",
     control_quadruped},
    {"peers", "the same arm and PD controller in other engines", control_peers},
};
#define NEXPERIMENTS (int)(sizeof experiments / sizeof experiments[0])

static void usage(FILE *file)
{
    fprintf(file, "usage: rigor-bench-control [EXPERIMENT]... [options]\n\n");
    for (int i = 0; i < NEXPERIMENTS; i++)
        fprintf(file, "  %-10s %s\n", experiments[i].name, experiments[i].summary);
    fprintf(
        file,
        "\nWithout a name: all of them.\n\n"
        "  --quick          shorter runs: a look\n"
        "  --arm FILE       UR10 (default ../shared/models/ur10_schunk_moby/model.sdf)\n"
        "  --geared FILE    UR10 with gears (default gearedur10.sdf beside it)\n"
        "  --robot FILE     quadruped (default ../shared/models/links_quadruped/model.sdf, else "
        "models/quadruped.sdf)\n"
        "  --check          quadruped: ends with 1 where a wanted figure is missed by more than its scatter\n"
        "  --coords FORM    minimal (default) or maximal\n"
        "  --modules DIR    where peers finds the engines' modules (default build; make bench-peers)\n"
        "  --json FILE|-, --csv FILE\n\n"
        "Ends with 1 where something that must hold does not.\n");
}

typedef struct Arguments {
    ControlOptions options;
    bool chosen[NEXPERIMENTS], any;
    const char *json, *csv;
} Arguments;

static bool take(void *context, const char *name)
{
    Arguments *a = context;
    if (strcmp(name, "--quick") == 0)
        return a->options.quick = true;
    if (strcmp(name, "--check") == 0)
        return a->options.check = true;
    for (int i = 0; i < NEXPERIMENTS; i++)
        if (strcmp(name, experiments[i].name) == 0)
            return a->any = a->chosen[i] = true;
    return false;
}

bool control_has_file(LocatedOut *out, const char *experiment, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file != NULL)
        fclose(file);
    else
        located_note(out, "%s: skipped: %s is not there", experiment, path);
    return file != NULL;
}

int main(int argc, char **argv)
{
    Arguments a = {.options = {.arm = "../shared/models/ur10_schunk_moby/model.sdf",
                               .geared = "../shared/models/ur10_schunk_moby/gearedur10.sdf",
                               .modules = "build"}};
    const LocatedValue values[] = {{"--arm", &a.options.arm},
                                   {"--geared", &a.options.geared},
                                   {"--robot", &a.options.robot},
                                   {"--coords", &a.options.coords},
                                   {"--modules", &a.options.modules},
                                   {"--json", &a.json},
                                   {"--csv", &a.csv}};
    const LocatedArgs args = {"rigor-bench-control",           usage, take, &a, values,
                              sizeof values / sizeof values[0]};
    int code = located_args_read(&args, argc, argv);
    if (code >= 0)
        return code;
    LocatedOut out;
    if (!located_out_begin(&out, a.json, a.csv)) {
        fprintf(stderr, "rigor-bench-control: an output file cannot be written\n");
        return 2;
    }
    bool good = true;
    for (int i = 0; i < NEXPERIMENTS; i++)
        if (a.chosen[i] || !a.any)
            good = experiments[i].run(&out, &a.options) && good;
    if (!located_out_end(&out))
        return 2;
    return good ? 0 : 1;
}
