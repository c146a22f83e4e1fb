/*
 * published-kapla: a building of 102 blocks in six floors, steps of 10 ms, until it falls or 60,000 steps are made
 * (SimBenchmark, "Kapla").
 *
 * A floor: 8 blocks of 0.05 x 0.25 x 0.1 m across, 0.2 m apart; on them 9 blocks of 0.2 x 0.05 x 0.1 m along two walls,
 * each resting with 25 mm on the blocks below. 10 kg each. It has fallen when the last block of the top floor, which
 * begins at 1.15 m, is below 1 m.
 */
#include "bodies.h"
#include "published.h"
#include "vectors.h"

#include <math.h>
#include <stdio.h>

#define FLOORS 6
#define ACROSS 8
#define HEIGHT 0.1
#define LONG 0.2
#define MASS 10.0
#define MU 0.8
#define H 1e-2
#define STEPS 60000
#define QUICK_STEPS 1500
#define FALLEN (HEIGHT * (FLOORS - 1) * 2.0)

static RgLinkId add_block(RgBuilder *b, int *count, RgVec3 size, RgVec3 p)
{
    char name[16];
    snprintf(name, sizeof name, "block%d", (*count)++);
    return bodies_add(b, &(BodyDef){.name = name,
                                    .type = RG_SHAPE_box,
                                    .size = {size.x, size.y, size.z},
                                    .mass = MASS,
                                    .p = p,
                                    .surface = bodies_surface(MU, 0.0)});
}

static RgModel *building(Lab *lab, RgLinkId *last)
{
    const RgVec3 across = vec(0.05, LONG + 0.05, HEIGHT), along = vec(LONG, 0.05, HEIGHT);
    const double right[4] = {0.1, 0.5, 0.9, 1.3}, left[5] = {0.3, 0.7, 1.1, 0.1, 1.3};
    int count = 0;
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgSurfaceDef surface = bodies_surface(MU, 0.0);
    bodies_add_floor(b, &surface);
    for (int floor = 0; floor < FLOORS; floor++) {
        double z = 2.0 * HEIGHT * floor + 0.5 * HEIGHT;
        for (int i = 0; i < ACROSS; i++)
            add_block(b, &count, across, vec(LONG * i, 0.0, z));
        for (int i = 0; i < 4; i++)
            add_block(b, &count, along, vec(right[i], -0.5 * LONG, z + HEIGHT));
        for (int i = 0; i < 5; i++)
            *last = add_block(b, &count, along, vec(left[i], 0.5 * LONG, z + HEIGHT));
    }
    return bodies_end(lab, b);
}

typedef struct Stood {
    int steps;
    double sunk, aside; /* m: the last block, at the end */
} Stood;

static Stood stand(Lab *lab, const PublishedWay *way, int steps, LabFigure *figure, bool filmed, double part)
{
    Stood out = {0};
    RgLinkId last = {0};
    RgModel *model = building(lab, &last);
    RgWorld *world = published_world(lab, model, way, vec(0.0, 0.0, -9.81));
    LabFilm *film = filmed ? lab_film(lab, "kapla", "a building of 102 blocks", world, 4.0) : NULL;
    RgVec3 from = world ? rg_world_link_pose(world, last).p : vec(0, 0, 0);
    double begun = lab_cpu();
    while (world && out.steps < steps && rg_world_step(world, H, NULL) == RG_OK) {
        RgVec3 p = rg_world_link_pose(world, last).p;
        out.sunk = from.z - p.z;
        out.aside = hypot(p.x - from.x, p.y - from.y);
        if (out.steps < 500 / H / 100)
            lab_film_step(film, world);
        if (out.steps % 20 == 0)
            lab_point(figure, out.steps + 1.0, fmax(hypot(out.sunk, out.aside), 1e-12));
        if (p.z < FALLEN)
            break;
        out.steps++;
        if (out.steps % 256 == 0)
            lab_progress(lab, part + 0.3 * out.steps / steps);
    }
    lab_say(lab, "%s: %d steps, %.3g processor seconds; the last block sank by %.3g mm and went %.3g mm aside.",
            way->name, out.steps, lab_cpu() - begun, 1e3 * out.sunk, 1e3 * out.aside);
    published_end(film, world, model);
    return out;
}

static void run(Lab *lab)
{
    LabPgs pgs = lab_pgs("default"), bare = pgs;
    pgs.pgs.iterations = 1000;
    bare.pgs.iterations = 1000;
    bare.law.contact_erp = 0.0;
    const PublishedWay ways[] = {
        {.name = "default"},
        {.name = "cone", .solver = "cone"},
        {.name = "maximal", .coords = "maximal", .whole = true},
        {.name = "pgs 1000", .solver = "pgs", .pgs = &pgs, .whole = true},
        {.name = "pgs 1000, ERP 0", .solver = "pgs", .pgs = &bare, .whole = true},
    };
    enum { WAYS = sizeof ways / sizeof ways[0] };
    static const PublishedLevel levels[] = {
        {"RaiSim, ERP 0", 60000}, {"RaiSim, ERP on", 54839}, {"Bullet, ERP 0", 147},  {"Bullet, ERP on", 55058},
        {"ODE, ERP 0", 122},      {"ODE, ERP on", 6453},     {"MuJoCo Newton", 3200}, {"DART", 19}};
    LabFigure *figure = lab_figure(
        lab, &(LabFigureDef){"kapla", "102 blocks: way of the last block; dashed: when others fell", "steps of 10 ms",
                             "way of the last block (m)", .log_x = true, .log_y = true, .y_low = 1e-12, .y_high = 1.0});
    int steps = lab_quick(lab) ? QUICK_STEPS : STEPS;
    for (int i = 0; i < WAYS; i++) {
        if (ways[i].whole && lab_quick(lab))
            continue;
        lab_curve(figure, LAB_LINES, "%s", ways[i].name);
        bool sweeps = i >= 3; /* known from their first steps on */
        Stood out = stand(lab, &ways[i], sweeps ? QUICK_STEPS : steps, figure, i == 0, 0.3 * i);
        if (!lab_quick(lab) && i == 0)
            published_against(lab, "steps until it falls", levels, 8, out.steps);
        if (!lab_quick(lab) && i > 0 && !sweeps)
            lab_measured(lab, published_row("steps until it falls", &ways[i]), out.steps);
        lab_measured(lab, published_row("stands for 1,500 steps", &ways[i]), out.steps >= QUICK_STEPS);
        lab_measured(lab, published_row("way of the last block", &ways[i]), hypot(out.sunk, out.aside));
    }
    for (int i = 0; i < 8; i++) {
        lab_curve(figure, LAB_DASHED, "%s: %g", levels[i].engine, levels[i].value);
        lab_point(figure, levels[i].value, 1e-12);
        lab_point(figure, levels[i].value, 1.0);
    }
}

const Experiment experiment_published_kapla = {
    "published-kapla", "a building of 102 blocks stands for 60,000 steps (SimBenchmark, Kapla)", 215.0, 4.0, run};
