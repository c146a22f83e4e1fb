/* cmd_settings.c - `rigor settings`: every setting of a run, as a list or as the page docs/settings.md. */
#include "io/command.h"
#include "plan/plan_settings.h"

static const RgOptionSpec settings_options[] = {{"markdown", NULL, "as docs/settings.md has them"}};

static int run_settings(const RgOptions *options)
{
    if (options->file)
        return rg_options_complain(options, "it takes no file"), RG_EXIT_USAGE;
    if (rg_options_has(options, "markdown"))
        rg_plan_print_markdown();
    else
        rg_plan_print_settings();
    return RG_EXIT_OK;
}

RG_COMMAND(settings, "list the settings of runs: keys, ranges, defaults, options", .run = run_settings, .operands = "",
           .file_optional = true);
