/* fuzz_run.c - any bytes as a YAML run file: read into a plan; no file is opened. Nothing may crash, leak or run
   wild. */
#include "plan/run_file.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    RgPlan plan = {.path = "fuzz.yaml"};
    RgError error;
    rg_run_file_read(&plan, (const char *)data, size, NULL, &error);
    rg_plan_free(&plan);
    return 0;
}
