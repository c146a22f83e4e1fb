/*
 * published-energy: a quadruped with limp legs is pushed up with twice its weight for 1 s, then flies for 2 s
 * (SimBenchmark, "ANYmal energy"; no contacts).
 *
 *   error = (E - E0)^2 over the flight, E0 its energy at the beginning of the flight; steps of 1 ms
 *
 * Twin: a method that moves by the velocity at the end of the step has in free flight an energy that differs by
 * M g h (v0 - v) / 2 from that at the start: mean square (M g^2 h)^2 T^2 / 12 with M = 33.9 kg: 3.6 J^2.
 */
#include "bodies.h"
#include "published.h"
#include "published_robot.h"
#include "vectors.h"

#include <math.h>

#define G 9.81
#define HEIGHT 2.0
#define H 1e-3
#define PUSH 1.0
#define FLIGHT 2.0

static double energy(RgWorld *world)
{
    RgMomentum m;
    return rg_world_momentum(world, &m) == RG_OK ? m.kinetic + m.potential : (double)NAN;
}

static double error2(RgWorld *world, void *start)
{
    double change = energy(world) - *(const double *)start;
    return change * change;
}

static RgWorld *limp_world(Lab *lab, const RgModel *model, const PublishedWay *way)
{
    RgAdaptOptions adapt = rg_adapt_options_default();
    if (way->accuracy > 0.0)
        adapt.accuracy = way->accuracy;
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.contact = false;
    def.gravity = vec(0.0, 0.0, -G);
    def.adapt = &adapt;
    def.coords = way->coords ? way->coords : def.coords;
    def.stepper = way->stepper ? way->stepper : def.stepper;
    return lab_world_create(lab, &def);
}

static double fly(Lab *lab, const PublishedWay *way, LabFigure *figure, bool filmed)
{
    PublishedRobot robot;
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgSurfaceDef surface = bodies_surface(0.8, 0.0);
    robot_add(b, HEIGHT, &surface, false);
    RgModel *model = bodies_end(lab, b);
    RgWorld *world = model ? limp_world(lab, model, way) : NULL;
    bool good = world && robot_find(lab, model, &robot) && robot_start(lab, &robot, world, HEIGHT);
    LabFilm *film =
        good && filmed ? lab_film(lab, "energy", "a limp quadruped is pushed up and flies", world, 60.0) : NULL;
    if (good) {
        double force = 2.0 * G * rg_model_info(model).mass;
        rg_world_set_link_wrench(world, robot.base, (RgForce){.f = vec(0.0, 0.0, force)});
    }
    for (int i = 0; good && i < (int)(PUSH / H + 0.5); i++) {
        good = rg_world_step(world, H, NULL) == RG_OK;
        lab_film_step(film, world);
    }
    double error = (double)NAN;
    if (good && rg_world_set_link_wrench(world, robot.base, (RgForce){0}) == RG_OK) {
        double start = energy(world);
        error = published_mean(lab, world,
                               &(PublishedRun){.name = way->name,
                                               .h = H,
                                               .time = FLIGHT,
                                               .error = error2,
                                               .context = &start,
                                               .figure = figure,
                                               .every = 0.01,
                                               .film = film});
    }
    published_end(film, world, model);
    return error;
}

static void run(Lab *lab)
{
    static const PublishedWay ways[] = {
        PUBLISHED_PLAIN_WAYS,
        {.name = "auto", .stepper = "auto"},
        {.name = "reference", .stepper = "reference"},
    };
    enum { WAYS = sizeof ways / sizeof ways[0] };
    static const PublishedLevel levels[] = {{"RaiSim", 0.0118},      {"Bullet", 3.65},       {"ODE", 3.89},
                                            {"MuJoCo RK4", 1.6e-17}, {"MuJoCo Euler", 3.48}, {"DART", 237.0}};
    LabFigure *figure = lab_figure(lab, &(LabFigureDef){"energy", "A limp quadruped in free flight", "t (s)",
                                                        "squared error of the energy (J^2)", .log_y = true,
                                                        .y_low = 1e-26, .y_high = 1e4});
    double errors[WAYS];
    published_ways(
        lab, &(PublishedTable){"energy", fly, ways, WAYS, levels, 6, .filmed = 2, .x0 = PUSH, .x1 = PUSH + FLIGHT},
        figure, errors);
}

const Experiment experiment_published_energy = {
    "published-energy", "a limp quadruped in free flight: error of the energy (SimBenchmark, ANYmal energy)", 1.5, 1.5,
    run};
