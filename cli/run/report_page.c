/*
 * report_page.c - the report of a run: the viewer's page with the run's recording in it (replay_page.c).
 *
 * The recording is written to a temporary file during the run, so that memory is bounded, and copied into the report at
 * its end. To limit the size of the report it has FRAMES_MAX frames at most, unless --every or --record-rate is given.
 */
#define _XOPEN_SOURCE 700
#include "run/report.h"

#include "io/page.h"
#include "io/replay_page.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define FRAME_RATE 60.0 /* 1/s of simulated time, at most */

enum { FRAMES_MAX = 6000 };

bool rg_report_possible(const RgPlan *plan)
{
    return !plan->report || rg_page_present("run --report");
}

const char *rg_report_recording(RgRun *run)
{
    const char *folder = getenv("TMPDIR");
    if (!run->plan.report)
        return NULL;
    char *path = rg_pool_print(&run->plan.pool, "%s/rigor-report-XXXXXX", folder && folder[0] ? folder : "/tmp");
    int made = mkstemp(path);
    if (made >= 0)
        close(made);
    return path;
}

int rg_report_every(const RgRun *run)
{
    double rate = fmin(FRAME_RATE, FRAMES_MAX / fmax(run->duration, 1e-9));
    if (run->plan.every > 0)
        return run->plan.every;
    if (!isnan(run->plan.record_rate))
        rate = run->plan.record_rate;
    return (int)fmin(fmax(1.0, ceil(1.0 / (rate * run->step) - 1e-9)), RG_PLAN_EVERY_MAX);
}

bool rg_report_write(RgRun *run)
{
    return rg_replay_write(&(RgReplay){.path = run->plan.report,
                                       .recording = run->outputs[RG_RUN_REPORT].path,
                                       .name = rg_model_info(run->model).name,
                                       .summary = rg_report_summary(run),
                                       .settings = rg_report_settings(run)});
}

void rg_report_discard(RgRun *run)
{
    if (run->outputs[RG_RUN_REPORT].path)
        unlink(run->outputs[RG_RUN_REPORT].path);
    run->outputs[RG_RUN_REPORT].path = NULL;
}
