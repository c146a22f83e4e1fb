/*
 * published-elastic-666: 6 x 6 x 6 balls of 10 kg without friction and without loss fall by a metre (SimBenchmark,
 * "elastic 666").
 *
 *   error = (E - E0)^2, mean over 10 s of 1 ms
 */
#include "published.h"
#include "published_balls.h"

#include <math.h>

#define HEIGHT 1.101
#define H 1e-3
#define TIME 10.0

static double fall(Lab *lab, const PublishedWay *way, LabFigure *figure, bool filmed)
{
    double start = (double)NAN;
    return balls_mean(lab, balls_lattice(lab, HEIGHT, 1.0), way,
                      &(BallsRun){H, TIME, balls_energy2, &start, "elastic", "216 elastic balls fall by a metre"},
                      figure, filmed);
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
    LabFigure *figure =
        lab_figure(lab, &(LabFigureDef){"elastic", "216 elastic balls", "t (s)", "squared error of the energy (J^2)",
                                        .log_y = true, .y_low = 1e-24, .y_high = 1e8});
    double errors[WAYS];
    published_ways(lab, &(PublishedTable){"energy", fall, ways, WAYS, levels, 4, .filmed = 0, .x0 = 0.0, .x1 = TIME},
                   figure, errors);
}

const Experiment experiment_published_elastic_666 = {
    "published-elastic-666", "216 balls that bounce without loss: error of the energy (SimBenchmark, elastic 666)",
    87.0, 17.0, run};
