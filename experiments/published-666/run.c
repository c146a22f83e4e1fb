/*
 * published-666: 6 x 6 x 6 balls of 10 kg without friction fall apart on a floor (SimBenchmark, "666").
 *
 *   error = sum of squared overlaps over all pairs and the floor, mean over 10 s, with steps of 1 ms and of 10 ms
 */
#include "published.h"
#include "published_balls.h"

#define HEIGHT 0.101
#define TIME 10.0

static double fall(Lab *lab, const PublishedWay *way, double h, LabFigure *figure, bool filmed)
{
    return balls_mean(lab, balls_lattice(lab, HEIGHT, 0.0), way,
                      &(BallsRun){h, TIME, balls_overlap2, NULL, "balls", "216 balls fall apart, steps of 10 ms"},
                      figure, filmed);
}

static void measure(Lab *lab, double h, const PublishedWay *ways, int count)
{
    static const PublishedLevel fine[] = {
        {"RaiSim", 1.35e-4}, {"Bullet", 0.382}, {"ODE", 1.57e-4}, {"MuJoCo", 0.095}, {"DART", 2.8e-4}};
    static const PublishedLevel coarse[] = {
        {"RaiSim", 0.0153}, {"Bullet", 37.4}, {"ODE", 0.0162}, {"MuJoCo", 0.934}, {"DART", 215.0}};
    bool is_fine = h < 5e-3;
    LabFigure *figure =
        lab_figure(lab, &(LabFigureDef){is_fine ? "overlap_1ms" : "overlap_10ms",
                                        is_fine ? "216 balls, steps of 1 ms" : "216 balls, steps of 10 ms", "t (s)",
                                        "sum of squared overlaps (m^2)", .log_y = true});
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
    "published-666", "216 balls that fall apart: overlaps with steps of 1 and 10 ms (SimBenchmark, 666)", 48.0, 13.0,
    run};
