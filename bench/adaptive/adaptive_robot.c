/* adaptive_robot.c - a world with the quadruped, as the experiments of paper 000 set it up. */
#include "adaptive_robot.h"

#include <stdlib.h>

void walk_end(Walk *w)
{
    rg_world_destroy(w->world);
    gait_destroy(w->gait);
    rg_model_destroy(w->model);
}

bool walk_begin(LocatedOut *out, const AdaptiveOptions *o, const WalkSetup *setup, Walk *w)
{
    RgError error = {.text = "no such links"};
    *w = (Walk){.model = gait_model_create(o->robot, 0, 1.0, &error)};
    w->gait = w->model != NULL ? gait_create(w->model) : NULL;
    if (w->gait != NULL) {
        RgAdaptOptions adapt = rg_adapt_options_default();
        adapt.gap = 1e-6;
        adapt.h_min = setup->h_min;
        adapt.explicit_forces = setup->explicit_forces;
        adapt.hold_input = true;
        if (setup->relative > 0.0)
            adapt.energy_relative = setup->relative;
        w->gait->stands = setup->stands;
        RgWorldDef def = rg_world_def_default();
        def.model = w->model;
        def.stepper = setup->stepper;
        def.solver = o->solver != NULL ? o->solver : "max-dissipation";
        def.coords = o->coords != NULL ? o->coords : "minimal";
        def.input = gait_input;
        def.input_context = w->gait;
        def.dissipation = setup->dissipation;
        def.contact = !setup->no_contact;
        def.adapt = &adapt;
        RgPgsOptions rows = rg_pgs_options_for(def.solver);
        rows.contact_erp = 0.0;
        if (setup->impacts) {
            def.pgs = &rows;
            def.input = NULL;
        }
        w->world = rg_world_create(&def, &error);
    }
    bool good = w->world != NULL && gait_start(w->world) == RG_OK;
    if (!good) {
        located_note(out, "skipped: %s: %s", o->robot, error.text);
        walk_end(w);
    }
    return good;
}

double adaptive_kinetic(RgWorld *world)
{
    RgMomentum momentum;
    rg_world_momentum(world, &momentum);
    return momentum.kinetic;
}

bool walk_swings(const Gait *gait, double t)
{
    bool any = false;
    for (int foot = 0; foot < GAIT_FEET; foot++)
        any = any || gait_swings(gait, foot, t);
    return any;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

ErrorSummary adaptive_summary(double *each, int count)
{
    double none = (double)NAN, sum = 0.0, above = 0.0;
    ErrorSummary s = {.count = count, .mean = none, .median = none, .share = none};
    if (count <= 0)
        return s;
    qsort(each, (size_t)count, sizeof *each, ascending);
    for (int i = 0; i < count; i++) {
        sum += each[i];
        above += each[i] > 0.01 ? each[i] : 0.0;
        s.above += each[i] > 0.01;
    }
    s.mean = 100.0 * sum / count;
    s.median = 100.0 * each[count / 2];
    s.share = sum > 0.0 ? 100.0 * above / sum : 0.0;
    return s;
}
