/*
 * published-momentum: a ball of 10 kg flies at 5 m/s into a quadruped that floats without gravity (SimBenchmark,
 * "ANYmal momentum").
 *
 *   error = |sum of linear momenta - 50 kg m/s along y|^2, mean over 10 s of 1 ms
 *
 * Nothing acts on the two from outside, so that only the arithmetic and the coordinates can change the sum.
 */
#include "bodies.h"
#include "published.h"
#include "published_robot.h"
#include "vectors.h"

#include <math.h>

#define BALL_MASS 10.0
#define BALL_SPEED 5.0
#define HEIGHT 2.0
#define H 1e-3
#define TIME 10.0

static RgModel *scene(Lab *lab)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgSurfaceDef surface = bodies_surface(0.8, 0.0);
    robot_add(b, HEIGHT, &surface, true);
    bodies_add(b, &(BodyDef){.name = "ball",
                             .type = RG_SHAPE_sphere,
                             .size = {0.2},
                             .mass = BALL_MASS,
                             .p = {0.0, -5.0, HEIGHT},
                             .surface = surface});
    return bodies_end(lab, b);
}

/* The sum over the links, from their own velocities, as the source has it. */
static double error2(RgWorld *world, void *unused)
{
    (void)unused;
    const RgModel *model = rg_world_model(world);
    RgVec3 off = vec(0.0, -BALL_MASS * BALL_SPEED, 0.0);
    for (int i = 1; i <= rg_model_info(model).links; i++) {
        RgInertia inertia = rg_model_link(model, (RgLinkId){i}).inertia;
        RgMotion twist = rg_world_link_twist(world, (RgLinkId){i});
        RgVec3 arm = mat_apply(rg_world_link_pose(world, (RgLinkId){i}).R, inertia.com);
        off = vec_add(off, vec_scale(inertia.mass, vec_add(twist.v, vec_cross(twist.w, arm))));
    }
    return vec_dot(off, off);
}

static bool throw_ball(Lab *lab, RgWorld *world)
{
    const RgModel *model = rg_world_model(world);
    int at = rg_model_link(model, rg_model_find_link(model, "ball")).v_index, nv = rg_model_info(model).nv;
    double v[64] = {0};
    if (at < 0 || nv > 64) {
        lab_fail(lab, "there is no ball");
        return false;
    }
    v[at + 4] = BALL_SPEED;
    return rg_world_set_state(world, NULL, v) == RG_OK;
}

static double strike(Lab *lab, const PublishedWay *way, LabFigure *figure, bool filmed)
{
    PublishedRobot robot;
    RgModel *model = scene(lab);
    RgWorld *world = published_world(lab, model, way, vec(0.0, 0.0, 0.0));
    bool good =
        world && robot_find(lab, model, &robot) && robot_start(lab, &robot, world, HEIGHT) && throw_ball(lab, world);
    LabFilm *film =
        good && filmed ? lab_film(lab, "momentum", "a ball flies into a floating quadruped", world, 60.0) : NULL;
    double error = good ? published_mean(lab, world,
                                         &(PublishedRun){.name = way->name,
                                                         .h = H,
                                                         .time = TIME,
                                                         .error = error2,
                                                         .figure = figure,
                                                         .every = 0.05,
                                                         .film = film})
                        : (double)NAN;
    if (good) {
        RgVec3 ball = rg_world_link_twist(world, rg_model_find_link(model, "ball")).v;
        lab_say(lab, "%s: the ball goes on at %.3g m/s.", way->name, vec_norm(ball));
    }
    published_end(film, world, model);
    return error;
}

static void run(Lab *lab)
{
    static const PublishedWay ways[] = {
        PUBLISHED_PLAIN_WAYS,
        {.name = "pgs maximal", .solver = "pgs", .coords = "maximal"},
        {.name = "auto", .stepper = "auto", .whole = true},
        {.name = "auto maximal", .stepper = "auto", .coords = "maximal", .whole = true},
    };
    enum { WAYS = sizeof ways / sizeof ways[0] };
    static const PublishedLevel levels[] = {{"RaiSim", 4.7e-5},    {"Bullet", 2.7e-4},       {"ODE", 1.3e-27},
                                            {"MuJoCo RK4", 3e-13}, {"MuJoCo Euler", 1.1e-3}, {"DART", 169.0}};
    LabFigure *figure = lab_figure(lab, &(LabFigureDef){"momentum", "A ball flies into a floating quadruped", "t (s)",
                                                        "squared error of the linear momentum (kg^2 m^2/s^2)",
                                                        .log_y = true, .y_low = 1e-32, .y_high = 1e4});
    double errors[WAYS];
    published_ways(lab,
                   &(PublishedTable){"momentum", strike, ways, WAYS, levels, 6, .filmed = 0, .x0 = 0.0, .x1 = TIME},
                   figure, errors);
    lab_measured(lab, "maximal over minimal", errors[1] / errors[0]);
}

const Experiment experiment_published_momentum = {
    "published-momentum",
    "a ball flies into a floating quadruped: error of the linear momentum (SimBenchmark, ANYmal momentum)", 16.0, 5.0,
    run};
