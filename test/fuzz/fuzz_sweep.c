/*
 * fuzz_sweep.c - any bytes as a sweep file: what is taken has runs that can be counted, with values for each, which go
 * into a run file or are refused with a reason; and as a line of a journal. No file is opened.
 */
#include "plan/run_file.h"
#include "sweep/sweep.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use_run(RgSweepPlan *s, long long run)
{
    static const char base[] =
        "models: [{file: a.sdf, name: a, pose: [0, 0, 1]}]\nsolver: pgs\nstate: {joints: {j: 1}}\n";
    RgSweepEdit what = {.sweep = s, .run = run, .found = (double)run};
    RgPlanEdit edit = {.change = rg_sweep_edit, .context = &what};
    RgPlan plan = {.path = "run.yaml"};
    RgError error = {.status = RG_OK};
    if (rg_run_file_read(&plan, base, sizeof base - 1, &edit, &error) != RG_OK && error.text[0] == '\0')
        abort();
    rg_plan_free(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    RgSweepPlan s = {.path = "sweep.yaml"};
    RgError error = {.status = RG_OK};
    char *text = rg_pool_take(&s.pool, size + 1, 1);
    if (size > 0)
        memcpy(text, data, size);
    if (rg_sweep_read(&s, "sweep.yaml", text, size, &error)) {
        long long run;
        if (s.runs < 1 || !s.run || s.noutputs < 1)
            abort();
        use_run(&s, 0);
        use_run(&s, s.runs - 1);
        use_run(&s, -1);
        json_decref(rg_sweep_line(&s, text, size, &run));
    } else if (error.text[0] == '\0') {
        abort();
    }
    rg_sweep_close(&s);
    return 0;
}
