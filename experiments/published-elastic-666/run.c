/*
 * published-elastic-666: 6 x 6 x 6 balls of 10 kg without friction and without loss fall by a metre (SimBenchmark,
 * "elastic 666").
 *
 *   error = (E - E0)^2, mean over 10 s of 1 ms
 */
#include "published.h"
#include "published_balls.h"
#include "vectors.h"

#include <math.h>

#define HEIGHT 1.101
#define H 1e-3
#define TIME 10.0

static double fall(Lab *lab, const PublishedWay *way, LabFigure *figure, bool filmed)
{
    RgModel *model = balls_lattice(lab, HEIGHT, 1.0);
    RgWorld *world = published_world(lab, model, way, vec(0.0, 0.0, -BALLS_G));
    LabFilm *film = filmed ? lab_film(lab, "elastic", "216 elastic balls fall by a metre", world, 30.0) : NULL;
    double start = world ? balls_energy(world) : 0.0;
    double error = published_mean(lab, world,
                                  &(PublishedRun){.name = way->name,
                                                  .h = H,
                                                  .time = TIME,
                                                  .error = balls_energy2,
                                                  .context = &start,
                                                  .figure = figure,
                                                  .every = 0.05,
                                                  .film = film});
    lab_film_end(film);
    rg_world_destroy(world);
    rg_model_destroy(model);
    return error;
}

static void run(Lab *lab)
{
    static const PublishedWay ways[] = {
        {.name = "default"},
        {.name = "maximal", .coords = "maximal", .whole = true},
        {.name = "rk4", .stepper = "rk4"},
        {.name = "auto", .stepper = "auto", .whole = true},
    };
    enum { WAYS = sizeof ways / sizeof ways[0] };
    static const PublishedLevel levels[] = {{"RaiSim", 8.37}, {"Bullet", 4.1e4}, {"ODE", 112.0}, {"DART", 3.5e5}};
    LabFigure *figure = lab_figure(lab, &(LabFigureDef){.name = "elastic",
                                                        .title = "216 elastic balls",
                                                        .x = "t (s)",
                                                        .y = "squared error of the energy (J^2)",
                                                        .log_y = true,
                                                        .y_low = 1e-24,
                                                        .y_high = 1e8});
    double errors[WAYS];
    published_ways(lab,
                   &(PublishedTable){.quantity = "energy",
                                     .run = fall,
                                     .ways = ways,
                                     .nways = WAYS,
                                     .filmed = 0,
                                     .levels = levels,
                                     .nlevels = 4,
                                     .x0 = 0.0,
                                     .x1 = TIME},
                   figure, errors);
}

const Experiment experiment_published_elastic_666 = {
    .name = "published-elastic-666",
    .title = "216 balls that bounce without loss: error of the energy (SimBenchmark, elastic 666)",
    .seconds = 87.0,
    .quick_seconds = 17.0,
    .run = run,
};
