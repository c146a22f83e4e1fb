#include "experiment.h"
#include "gait.h"
#include "located_run.h"
#include <stdio.h>
#include <stdlib.h>
static void run(Lab *lab)
{
    RgError error;
    RgModel *model = gait_model_create(lab_model(lab, "links.sdf"), 1000, 1.0, &error);
    if (!model) { lab_fail(lab, "%s", error.text); return; }
    const char *sts[] = {"rigid", "rigid-001", "rigid", "advance"};
    for (int i = 0; i < 8; i++) {
        Gait *gait = gait_create(model);
        LocatedSetup setup = located_setup(sts[i%4], "no-slip");
        setup.input = gait_input; setup.context = gait;
        setup.coords = i >= 4 ? "maximal" : "minimal";
        setup.gap = i % 4 == 2 ? 1e-7 : 1e-6;
        RgWorld *world = located_world(model, &setup, &error);
        if (!world) { fprintf(stderr, "%s: %s\n", sts[i%4], error.text); continue; }
        gait_start(world);
        LocatedRun r = located_run(world, &(LocatedWatch){.h = getenv("TH") ? atof(getenv("TH")) : 1e-3, .time = 0.48, .seconds = 60.0, .measures = true, .verifies = i % 4 != 1});
        fprintf(stderr, "%s %s gap %g steps %ld mean %g least %g changes %ld between %g least %g dist %g seen %g cpu %g ver %d %g end %g why %s base %g impacts %ld\n", setup.stepper, setup.coords, setup.gap, (long)r.steps, r.mean, r.statistics.least, (long)located_changes(&r)->count, located_between(&r), located_changes(&r)->least, r.statistics.least_distance, r.least_measured, r.cpu, r.verified.ok, r.verified.min_distance, r.end, r.why, rg_world_link_pose(world, gait->base).p.z, (long)r.statistics.events[RG_EVENT_impact]);
        rg_world_destroy(world); gait_destroy(gait);
    }
    rg_model_destroy(model);
}
const Experiment experiment_trot_corners = {
    .name = "001-C-trot", .title = "x", .seconds = 1.0, .quick_seconds = 1.0, .run = run};
