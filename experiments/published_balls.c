/* published_balls.c - see published_balls.h. */
#include "published_balls.h"

#include "bodies.h"
#include "draw.h"
#include "vectors.h"

#include <math.h>
#include <stdio.h>

#define PITCH 0.21
#define JITTER 1e-3
#define SEED 42u
#define FIELD 7

static void add_ball(RgBuilder *b, int i, RgVec3 p, const RgSurfaceDef *surface)
{
    char name[16];
    snprintf(name, sizeof name, "ball%d", i);
    bodies_add(b, &(BodyDef){.name = name,
                             .type = RG_SHAPE_sphere,
                             .size = {BALLS_RADIUS},
                             .mass = BALLS_MASS,
                             .p = p,
                             .surface = *surface});
}

RgModel *balls_lattice(Lab *lab, double height, double restitution)
{
    Draw draw = draw_seed(SEED);
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgSurfaceDef surface = bodies_surface(0.0, restitution);
    bodies_add_floor(b, &surface);
    for (int i = 0; i < BALLS_SIDE * BALLS_SIDE * BALLS_SIDE; i++) {
        int layer = i / (BALLS_SIDE * BALLS_SIDE), row = i / BALLS_SIDE % BALLS_SIDE;
        RgVec3 p = vec(PITCH * layer, PITCH * row, PITCH * (i % BALLS_SIDE) + height);
        p.x += draw_between(&draw, 0.0, JITTER);
        p.y += draw_between(&draw, 0.0, JITTER);
        p.z += draw_between(&draw, 0.0, JITTER);
        add_ball(b, i, p, &surface);
    }
    return bodies_end(lab, b);
}

RgModel *balls_field(Lab *lab, double height)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgSurfaceDef surface = bodies_surface(0.0, 1.0);
    bodies_add_floor(b, &surface);
    for (int i = 0; i < FIELD * FIELD; i++) {
        int row = i / FIELD;
        add_ball(b, i, vec(2.0 * row, 2.0 * (i % FIELD), height), &surface);
    }
    return bodies_end(lab, b);
}

double balls_overlap2(RgWorld *world, void *unused)
{
    (void)unused;
    int n = rg_model_info(rg_world_model(world)).links;
    RgVec3 p[1024];
    double sum = 0.0;
    for (int i = 0; i < n && i < 1024; i++) {
        p[i] = rg_world_link_pose(world, (RgLinkId){i + 1}).p;
        double below = BALLS_RADIUS - p[i].z;
        sum += below > 0.0 ? below * below : 0.0;
        for (int j = 0; j < i; j++) {
            RgVec3 d = vec_sub(p[i], p[j]);
            if (vec_dot(d, d) >= 4.0 * BALLS_RADIUS * BALLS_RADIUS)
                continue;
            double overlap = 2.0 * BALLS_RADIUS - vec_norm(d);
            sum += overlap * overlap;
        }
    }
    return sum;
}

static double energy_of(RgWorld *world)
{
    RgMomentum m;
    return rg_world_momentum(world, &m) == RG_OK ? m.kinetic + m.potential : (double)NAN;
}

double balls_energy2(RgWorld *world, void *start)
{
    double *from = start, energy = energy_of(world);
    if (isnan(*from))
        *from = energy;
    return (energy - *from) * (energy - *from);
}

double balls_mean(Lab *lab, RgModel *model, const PublishedWay *way, const BallsRun *run, LabFigure *figure,
                  bool filmed)
{
    RgWorld *world = published_world(lab, model, way, vec(0.0, 0.0, -BALLS_G));
    LabFilm *film = filmed ? lab_film(lab, run->film, run->film_title, world, 30.0) : NULL;
    double error = published_mean(lab, world,
                                  &(PublishedRun){.name = way->name,
                                                  .h = run->h,
                                                  .time = run->time,
                                                  .error = run->error,
                                                  .context = run->context,
                                                  .figure = figure,
                                                  .every = 0.05,
                                                  .film = film});
    published_end(film, world, model);
    return error;
}
