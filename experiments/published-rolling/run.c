/*
 * published-rolling: 25 balls on a plate that is pulled over the ground (SimBenchmark, "rolling").
 *
 * A plate of M = 10 kg, 20 x 20 x 1 m; balls of m = 1 kg, r = 0.5 m; mu 0.4 below, 0.8 above; F = 150 N at 60 degrees
 * to an edge, or along y. Balls that roll have 2/7 of the plate's acceleration:
 *
 *   (M + 25 (2/7) m) a = F - mu (M + 25 m) g:    a_plate = 0.7385, a_ball = 0.211 m/s^2, along the force
 *   error = |v_plate - a_plate t d|^2 + |v_ball - a_ball t d|^2 of the first ball, mean over 4 s of 1 ms
 *
 * Twin: a friction pyramid along the axes holds the plate at 60 degrees (130 N < 137 N), and the error of what does not
 * move is (a_plate^2 + a_ball^2) T^2 / 3 = 3.146 (m/s)^2.
 */
#include "bodies.h"
#include "published.h"
#include "vectors.h"

#include <math.h>
#include <stdio.h>

#define ROW 5
#define BALLS (ROW * ROW)
#define FORCE 150.0
#define G 9.81
#define H 1e-3
#define TIME 4.0
#define SUNK 5e-6 /* m: the plate begins so deep in the ground, the balls three times as deep */

typedef struct Pull {
    RgLinkId plate, ball;
    RgVec3 along;
} Pull;

static RgModel *plate_model(Lab *lab, bool no_erp)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgSurfaceDef ground = bodies_surface(0.4, 0.0), upper = bodies_surface(0.8, 0.0);
    if (no_erp)
        ground.max_vel = upper.max_vel = 0.0;
    bodies_add_floor(b, &ground); /* two surfaces meet with the smaller coefficient */
    bodies_add(b, &(BodyDef){.name = "plate",
                             .type = RG_SHAPE_box,
                             .size = {20.0, 20.0, 1.0},
                             .mass = 10.0,
                             .p = {0.0, 0.0, 0.5 - SUNK},
                             .surface = upper});
    for (int i = 0; i < BALLS; i++) {
        char name[16];
        int row = i / ROW;
        snprintf(name, sizeof name, "ball%d", i);
        bodies_add(b, &(BodyDef){.name = name,
                                 .type = RG_SHAPE_sphere,
                                 .size = {0.5},
                                 .mass = 1.0,
                                 .p = {2.0 * row - 4.0, 2.0 * (i % ROW) - 4.0, 1.5 - 3.0 * SUNK},
                                 .surface = upper});
    }
    return bodies_end(lab, b);
}

static double plate_acceleration(void)
{
    return (FORCE - 0.4 * 35.0 * G) / (10.0 + BALLS * 2.0 / 7.0);
}

static double error2(RgWorld *world, void *context)
{
    const Pull *pull = context;
    double a = plate_acceleration(), t = rg_world_time(world);
    RgVec3 plate = vec_sub(rg_world_link_twist(world, pull->plate).v, vec_scale(a * t, pull->along));
    RgVec3 ball = vec_sub(rg_world_link_twist(world, pull->ball).v, vec_scale(2.0 / 7.0 * a * t, pull->along));
    return vec_dot(plate, plate) + vec_dot(ball, ball);
}

/* What was measured of one way and one direction. */
typedef struct Rolled {
    double error, a_plate, a_ball;
} Rolled;

static Rolled roll(Lab *lab, const PublishedWay *way, RgVec3 along, LabFigure *figure, bool filmed)
{
    RgModel *model = plate_model(lab, way->no_erp);
    RgWorld *world = published_world(lab, model, way, vec(0.0, 0.0, -G));
    Pull pull = {.plate = {1}, .ball = {2}, .along = along};
    LabFilm *film =
        filmed ? lab_film(lab, "rolling", "25 balls on a plate that is pulled at 60 degrees", world, 0.0) : NULL;
    Rolled out = {(double)NAN, (double)NAN, (double)NAN};
    if (world && rg_world_set_link_wrench(world, pull.plate, (RgForce){.f = vec_scale(FORCE, along)}) == RG_OK) {
        out.error = published_mean(lab, world,
                                   &(PublishedRun){.name = way->name,
                                                   .h = H,
                                                   .time = TIME,
                                                   .error = error2,
                                                   .context = &pull,
                                                   .figure = figure,
                                                   .every = 0.02,
                                                   .film = film});
        out.a_plate = vec_dot(rg_world_link_twist(world, pull.plate).v, along) / rg_world_time(world);
        out.a_ball = vec_dot(rg_world_link_twist(world, pull.ball).v, along) / rg_world_time(world);
    }
    published_end(film, world, model);
    return out;
}

static void run(Lab *lab)
{
    LabPgs pyramid = lab_pgs("default"), sweeps = pyramid;
    pyramid.law.friction = RG_FRICTION_PYRAMID;
    sweeps.pgs.iterations = 200;
    const PublishedWay ways[] = {
        {.name = "default"},
        {.name = "maximal", .coords = "maximal"},
        {.name = "cone", .solver = "cone", .whole = true},
        {.name = "auto", .stepper = "auto", .whole = true},
        {.name = "ERP 0", .no_erp = true, .whole = true},
        {.name = "cone, ERP 0", .solver = "cone", .no_erp = true, .whole = true},
        {.name = "pgs 200, ERP 0", .solver = "pgs", .pgs = &sweeps, .no_erp = true, .whole = true},
        {.name = "auto, ERP 0", .stepper = "auto", .no_erp = true, .whole = true},
        {.name = "pgs pyramid", .solver = "pgs", .pgs = &pyramid, .no_erp = true},
    };
    enum { WAYS = sizeof ways / sizeof ways[0] };
    static const PublishedLevel at_60[] = {
        {"RaiSim", 4.1e-7}, {"Bullet", 5.7e-9}, {"ODE", 3.145}, {"MuJoCo", 6.9e-3}, {"DART", 3.145}};
    static const PublishedLevel along_y[] = {
        {"RaiSim", 4.1e-7}, {"Bullet", 4.9e-9}, {"ODE", 7.7e-9}, {"MuJoCo", 9.2e-3}, {"DART", 0.426}};
    const char *quantity[2] = {"error at 60 degrees", "error along y"};
    const RgVec3 along[2] = {vec(0.5, sqrt(0.75), 0.0), vec(0.0, 1.0, 0.0)};
    for (int d = 0; d < 2; d++) {
        LabFigure *figure =
            lab_figure(lab, &(LabFigureDef){d == 0 ? "rolling_60" : "rolling_y",
                                            d == 0 ? "Rolling, 150 N at 60 degrees" : "Rolling, 150 N along y", "t (s)",
                                            "squared error of velocities (m^2/s^2)", .log_y = true, .y_low = 1e-20,
                                            .y_high = 100.0});
        for (int i = 0; i < WAYS; i++) {
            if (ways[i].whole && lab_quick(lab))
                continue;
            lab_curve(figure, LAB_LINES, "%s", ways[i].name);
            Rolled out = roll(lab, &ways[i], along[d], figure, d == 0 && i == 0);
            lab_progress(lab, (d * WAYS + i + 1) / (2.0 * WAYS));
            if (i == 0)
                published_against(lab, quantity[d], d == 0 ? at_60 : along_y, 5, out.error);
            else
                lab_measured(lab, published_row(quantity[d], &ways[i]), out.error);
            if (d == 0 && i < 2) {
                lab_measured(lab, published_row("acceleration of the plate", &ways[i]), out.a_plate);
                lab_measured(lab, published_row("acceleration of a ball", &ways[i]), out.a_ball);
            }
        }
        published_levels(figure, d == 0 ? at_60 : along_y, 5, 0.0, TIME);
    }
}

const Experiment experiment_published_rolling = {
    "published-rolling", "balls that roll on a plate that slides, against the closed form (SimBenchmark, rolling)",
    33.0, 4.0, run};
