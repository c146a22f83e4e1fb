/*
 * published-666: 6 x 6 x 6 balls of 10 kg without friction fall apart on a floor (SimBenchmark, "666").
 *
 *   error = sum of squared overlaps over all pairs and the floor, mean over 10 s, with steps of 1 ms and of 10 ms
 */
#include "published.h"
#include "published_balls.h"
#include "vectors.h"

#include <math.h>
#include <stdio.h>

#define HEIGHT 0.101
#define TIME 10.0

static double fall(Lab *lab, const PublishedWay *way, double h, LabFigure *figure, bool filmed)
{
    RgModel *model = balls_lattice(lab, HEIGHT, 0.0);
    RgWorld *world = published_world(lab, model, way, vec(0.0, 0.0, -BALLS_G));
    LabFilm *film = filmed ? lab_film(lab, "balls", "216 balls fall apart, steps of 10 ms", world, 30.0) : NULL;
    double error = published_mean(lab, world,
                                  &(PublishedRun){.name = way->name,
                                                  .h = h,
                                                  .time = TIME,
                                                  .error = balls_overlap2,
                                                  .figure = figure,
                                                  .every = 0.05,
                                                  .film = film});
    lab_film_end(film);
    rg_world_destroy(world);
    rg_model_destroy(model);
    return error;
}

static void measure(Lab *lab, double h, const PublishedWay *ways, int count)
{
    static const PublishedLevel fine[] = {
        {"RaiSim", 1.35e-4}, {"Bullet", 0.382}, {"ODE", 1.57e-4}, {"MuJoCo", 0.095}, {"DART", 2.8e-4}};
    static const PublishedLevel coarse[] = {
        {"RaiSim", 0.0153}, {"Bullet", 37.4}, {"ODE", 0.0162}, {"MuJoCo", 0.934}, {"DART", 215.0}};
    bool is_fine = h < 5e-3;
    LabFigure *figure =
        lab_figure(lab, &(LabFigureDef){.name = is_fine ? "overlap_1ms" : "overlap_10ms",
                                        .title = is_fine ? "216 balls, steps of 1 ms" : "216 balls, steps of 10 ms",
                                        .x = "t (s)",
                                        .y = "sum of squared overlaps (m^2)",
                                        .log_y = true});
    for (int i = 0; i < count; i++) {
        if (ways[i].whole && lab_quick(lab))
            continue;
        lab_curve(figure, LAB_LINES, "%s", ways[i].name);
        double error = fall(lab, &ways[i], h, figure, !is_fine && i == 0);
        const char *quantity = is_fine ? "overlap 1 ms" : "overlap 10 ms";
        if (i == 0)
            published_against(lab, quantity, is_fine ? fine : coarse, 5, error);
        else
            lab_measured(lab, published_row(quantity, &ways[i]), error);
        lab_progress(lab, (is_fine ? 0.1 : 0.0) + (is_fine ? 0.9 : 0.1) * (i + 1) / count);
    }
    published_levels(figure, is_fine ? fine : coarse, 5, 0.0, TIME);
}

static void run(Lab *lab)
{
    const PublishedWay coarse[] = {
        {.name = "default"},
        {.name = "maximal", .coords = "maximal"},
        {.name = "pgs", .solver = "pgs"},
        {.name = "cone", .solver = "cone"},
        {.name = "rk4", .stepper = "rk4"},
    };
    const PublishedWay fine[] = {
        {.name = "default"},
        {.name = "maximal", .coords = "maximal", .whole = true},
        {.name = "pgs", .solver = "pgs", .whole = true},
        {.name = "cone", .solver = "cone", .whole = true},
        {.name = "rk4", .stepper = "rk4", .whole = true},
    };
    measure(lab, 1e-2, coarse, sizeof coarse / sizeof coarse[0]);
    measure(lab, 1e-3, fine, sizeof fine / sizeof fine[0]);
}

const Experiment experiment_published_666 = {
    .name = "published-666",
    .title = "216 balls that fall apart: overlaps with steps of 1 and 10 ms (SimBenchmark, 666)",
    .seconds = 48.0,
    .quick_seconds = 13.0,
    .run = run,
};
