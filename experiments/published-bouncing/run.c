/*
 * published-bouncing: 49 balls of 10 kg that bounce without loss from 5 m for 20 s (SimBenchmark, "bouncing").
 *
 *   error = (E - E0)^2, E0 = 49 m g H, mean over all steps of 1 ms
 *
 * Twin: a method that moves by the velocity at the end of the step has, between bounces, an energy that is off by m g h
 * v / 2 at speed v: with the phase of one bounce the mean square is (49 m g h / 2)^2 <v^2>, <v^2> = 2 g (H - r) / 3.
 */
#include "published.h"
#include "published_balls.h"

#include <math.h>

#define HEIGHT 5.0
#define H 1e-3
#define TIME 20.0

/* m (g h)^2 / 2 lost by every ball at every bounce, these at 1, 3, 5, ... times the time of the fall: mean square over
   the run. */
static double lost_by_bounces(void)
{
    double fall = sqrt(2.0 * (HEIGHT - BALLS_RADIUS) / BALLS_G), lost = 49.0 * BALLS_MASS * pow(BALLS_G * H, 2.0) / 2.0;
    double sum = 0.0;
    for (int i = 0; i < (int)(TIME / H); i++) {
        double bounces = floor((i * H / fall + 1.0) / 2.0);
        sum += pow(lost * bounces, 2.0) * H / TIME;
    }
    return sum;
}

static double bounce(Lab *lab, const PublishedWay *way, LabFigure *figure, bool filmed)
{
    double start = 49.0 * BALLS_MASS * BALLS_G * HEIGHT;
    return balls_mean(lab, balls_field(lab, HEIGHT), way,
                      &(BallsRun){H, TIME, balls_energy2, &start, "bouncing", "49 balls bounce without loss"}, figure,
                      filmed);
}

static void run(Lab *lab)
{
    static const PublishedWay ways[] = {
        {.name = "default"},
        {.name = "maximal", .coords = "maximal"},
        {.name = "pgs", .solver = "pgs"},
        {.name = "auto", .stepper = "auto"},
        {.name = "auto maximal", .coords = "maximal", .stepper = "auto", .whole = true},
        {.name = "rigid", .stepper = "rigid", .whole = true},
        {.name = "rk4", .stepper = "rk4", .whole = true},
    };
    enum { WAYS = sizeof ways / sizeof ways[0] };
    static const PublishedLevel levels[] = {{"RaiSim", 0.0186}, {"Bullet", 7.5e4}, {"ODE", 185.0}, {"DART", 7.2e4}};
    LabFigure *figure = lab_figure(lab, &(LabFigureDef){"bouncing", "49 balls that bounce without loss", "t (s)",
                                                        "squared error of the energy (J^2)", .log_y = true,
                                                        .y_low = 1e-24, .y_high = 1e8});
    double errors[WAYS];
    published_ways(lab, &(PublishedTable){"energy", bounce, ways, WAYS, levels, 4, .filmed = 3, .x0 = 0.0, .x1 = TIME},
                   figure, errors);
    if (!lab_quick(lab))
        lab_measured(lab, published_row("energy over the closed form", &ways[WAYS - 1]),
                     errors[WAYS - 1] / lost_by_bounces());
    double off = 49.0 * BALLS_MASS * BALLS_G * H / 2.0;
    lab_say(lab, "What a step that moves by its last velocity is off by between bounces: %.4g J^2.",
            off * off * 2.0 * BALLS_G * (HEIGHT - BALLS_RADIUS) / 3.0);
}

const Experiment experiment_published_bouncing = {
    "published-bouncing", "49 balls that bounce without loss for 20 s: error of the energy (SimBenchmark, bouncing)",
    36.0, 16.0, run};
