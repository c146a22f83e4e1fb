/* arm_main.c - rigor-bench-arm: its options; see arm_bench.h. */
#include "arm_bench.h"
#include "located_args.h"

#include <string.h>

static void usage(FILE *file)
{
    fprintf(file, "usage: rigor-bench-arm [options]\n\n"
                  "  --quick          shorter runs: a look\n"
                  "  --arm FILE       UR10 (default models/ur10.sdf of the project)\n"
                  "  --modules DIR    where the engines' modules are (default build; make bench-peers)\n"
                  "  --json FILE|-, --csv FILE\n");
}

static bool take(void *context, const char *name)
{
    ArmOptions *options = context;
    if (strcmp(name, "--quick") == 0)
        return options->quick = true;
    return false;
}

int main(int argc, char **argv)
{
    ArmOptions options = {.arm = RIGOR_SOURCE_DIR "/models/ur10.sdf", .modules = "build"};
    const char *json = NULL, *csv = NULL;
    const LocatedValue values[] = {
        {"--arm", &options.arm}, {"--modules", &options.modules}, {"--json", &json}, {"--csv", &csv}};
    const LocatedArgs args = {"rigor-bench-arm", usage, take, &options, values, sizeof values / sizeof values[0]};
    int code = located_args_read(&args, argc, argv);
    if (code >= 0)
        return code;
    LocatedOut out;
    if (!located_out_begin(&out, json, csv)) {
        fprintf(stderr, "rigor-bench-arm: an output file cannot be written\n");
        return 2;
    }
    bool good = arm_peers(&out, &options);
    if (!located_out_end(&out))
        return 2;
    return good ? 0 : 1;
}
