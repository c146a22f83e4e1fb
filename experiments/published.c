/* published.c - see published.h. */
#include "published.h"

#include <math.h>
#include <stdio.h>

RgWorld *published_world(Lab *lab, const RgModel *model, const PublishedWay *way, RgVec3 gravity)
{
    RgAdaptOptions adapt = rg_adapt_options_default();
    if (way->accuracy > 0.0)
        adapt.accuracy = way->accuracy;
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.gravity = gravity;
    def.adapt = &adapt;
    lab_use_pgs(&def, way->pgs);
    def.coords = way->coords ? way->coords : def.coords;
    def.stepper = way->stepper ? way->stepper : def.stepper;
    def.solver = way->solver ? way->solver : def.solver;
    return model ? lab_world_create(lab, &def) : NULL;
}

const char *published_row(const char *quantity, const PublishedWay *way)
{
    static char text[4][160];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(text[turn], sizeof text[turn], "%s, %s", quantity, way->name);
    return text[turn];
}

double published_mean(Lab *lab, RgWorld *world, const PublishedRun *run)
{
    int steps = (int)(run->time / run->h + 0.5);
    double sum = 0.0, drawn = -INFINITY, begun = lab_cpu();
    for (int i = 0; world && i < steps; i++) {
        double error = run->error(world, run->context), t = rg_world_time(world);
        sum += error;
        if (run->figure && t >= drawn + run->every - 0.5 * run->h) {
            lab_point(run->figure, t, error);
            drawn = t;
        }
        RgStatus status = isfinite(error) ? rg_world_step(world, run->h, NULL) : RG_ERR_NOT_FINITE;
        if (status != RG_OK) {
            lab_say(lab, "%s stopped at %.4g s: %s", run->name ? run->name : "it", t,
                    isfinite(error) ? rg_status_text(status) : "the error is not finite");
            return (double)NAN;
        }
        lab_film_step(run->film, world);
        if (i % 64 == 0)
            lab_progress(lab, run->progress_from + (run->progress_to - run->progress_from) * i / steps);
    }
    if (run->name)
        lab_say(lab, "%s, steps of %g ms: %.3g processor seconds, mean error %.4g.", run->name, 1e3 * run->h,
                lab_cpu() - begun, sum / steps);
    return world ? sum / steps : (double)NAN;
}

void published_end(LabFilm *film, RgWorld *world, RgModel *model)
{
    lab_film_end(film);
    rg_world_destroy(world);
    rg_model_destroy(model);
}

void published_against(Lab *lab, const char *quantity, const PublishedLevel *levels, int count, double value)
{
    for (int i = 0; i < count; i++) {
        char row[160];
        snprintf(row, sizeof row, "%s, default v %s", quantity, levels[i].engine);
        lab_measured(lab, row, value);
    }
}

void published_levels(LabFigure *figure, const PublishedLevel *levels, int count, double x0, double x1)
{
    for (int i = 0; i < count; i++) {
        lab_curve(figure, LAB_DASHED, "%s: %.3g", levels[i].engine, levels[i].value);
        lab_point(figure, x0, levels[i].value);
        lab_point(figure, x1, levels[i].value);
    }
}

void published_ways(Lab *lab, const PublishedTable *table, LabFigure *figure, double *errors)
{
    for (int i = 0; i < table->nways; i++) {
        const PublishedWay *way = &table->ways[i];
        errors[i] = (double)NAN;
        if (way->whole && lab_quick(lab))
            continue;
        lab_curve(figure, LAB_LINES, "%s", way->name);
        errors[i] = table->run(lab, way, figure, i == table->filmed);
        if (i == 0)
            published_against(lab, table->quantity, table->levels, table->nlevels, errors[i]);
        else
            lab_measured(lab, published_row(table->quantity, way), errors[i]);
        lab_progress(lab, (i + 1.0) / table->nways);
    }
    published_levels(figure, table->levels, table->nlevels, table->x0, table->x1);
}
