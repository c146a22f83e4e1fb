/*
 * published-anymal-pd: a quadruped of 33.9 kg stands under PD control, kp 40, kd 1, steps of 5 ms, 50,000 of them
 * (SimBenchmark, "ANYmal PD").
 *
 *   tau = kp (q* - q) - kd q'     on the twelve hinges, from the state at the beginning of the step; the base begins at 0.54 m
 *
 * The source measures only speed, on a machine of 2018: ours is given as context, without a row. The rows are whether
 * the robot stands, and at which height.
 */
#include "bodies.h"
#include "published.h"
#include "published_robot.h"
#include "vectors.h"

#include <math.h>

#define KP 40.0
#define KD 1.0
#define HEIGHT 0.54
#define H 5e-3
#define STEPS 50000
#define QUICK_STEPS 4000

static void pd(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    const PublishedRobot *robot = context;
    for (int i = 0; i < ROBOT_JOINTS; i++)
        input->tau[robot->v[i]] = KP * (robot->stand[i] - state->q[robot->q[i]]) - KD * state->v[robot->v[i]];
}

/* What was seen of one run. */
typedef struct Standing {
    double steps, tilt, height, drift, khz;
} Standing;

static double tilt_of(RgPose X)
{
    return acos(fmin(1.0, X.R.m[2][2]));
}

static Standing stand(Lab *lab, const PublishedWay *way, LabFigure *figure, bool filmed)
{
    Standing out = {0};
    PublishedRobot robot = {0};
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgSurfaceDef surface = bodies_surface(0.8, 0.0);
    bodies_add_floor(b, &surface);
    robot_add(b, HEIGHT, &surface, false);
    RgModel *model = bodies_end(lab, b);
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.coords = way->coords ? way->coords : def.coords;
    def.solver = way->solver ? way->solver : def.solver;
    def.input = pd;
    def.input_context = &robot;
    RgWorld *world = model && robot_find(lab, model, &robot) ? lab_world_create(lab, &def) : NULL;
    bool good = world && robot_start(lab, &robot, world, HEIGHT);
    LabFilm *film = good && filmed ? lab_film(lab, "standing", "a quadruped under PD control", world, 30.0) : NULL;
    int steps = lab_quick(lab) ? QUICK_STEPS : STEPS;
    RgVec3 settled = vec(0, 0, 0);
    double cpu = 0.0;
    for (int i = 0; good && i < steps; i++) {
        double begun = lab_cpu();
        good = rg_world_step(world, H, NULL) == RG_OK;
        cpu += lab_cpu() - begun;
        out.steps += good;
        RgPose X = rg_world_link_pose(world, robot.base);
        out.tilt = fmax(out.tilt, tilt_of(X));
        out.height = X.p.z;
        if (i == QUICK_STEPS / 2)
            settled = X.p;
        if (i > QUICK_STEPS / 2)
            out.drift = fmax(out.drift, hypot(X.p.x - settled.x, X.p.y - settled.y));
        if (i < QUICK_STEPS / 4)
            lab_film_step(film, world);
        if (i % 20 == 0)
            lab_point(figure, rg_world_time(world), X.p.z);
    }
    out.khz = 1e-3 * out.steps / cpu;
    published_end(film, world, model);
    return out;
}

static void run(Lab *lab)
{
    static const PublishedWay ways[] = {
        {.name = "default"},
        {.name = "maximal", .coords = "maximal"},
        {.name = "cone", .solver = "cone", .whole = true},
    };
    enum { WAYS = sizeof ways / sizeof ways[0] };
    LabFigure *figure = lab_figure(lab, &(LabFigureDef){"height", "A quadruped under PD control, steps of 5 ms",
                                                        "t (s)", .y = "height of its base (m)"});
    double height = (double)NAN;
    for (int i = 0; i < WAYS; i++) {
        if (ways[i].whole && lab_quick(lab))
            continue;
        lab_curve(figure, LAB_LINES, "%s", ways[i].name);
        Standing out = stand(lab, &ways[i], figure, i == 0);
        height = i == 0 ? out.height : height;
        lab_measured(lab, published_row("steps made", &ways[i]), out.steps);
        lab_measured(lab, published_row("largest tilt", &ways[i]), out.tilt);
        lab_measured(lab, published_row("height at the end", &ways[i]), out.height);
        lab_measured(lab, published_row("drift once it stands", &ways[i]), out.drift);
        if (i > 0)
            lab_measured(lab, published_row("height less that of default", &ways[i]), fabs(out.height - height));
        lab_say(lab,
                "%s: %.4g kHz on this machine, one thread, with the time of the controller. Published, on an "
                "i7-7700HQ: RaiSim "
                "122.6, MuJoCo 28.8, Bullet 13.6, DART 8.6, ODE 2.16 kHz. Ratios on one machine: make "
                "bench-peers.",
                ways[i].name, out.khz);
        lab_progress(lab, (i + 1.0) / WAYS);
    }
}

const Experiment experiment_published_anymal_pd = {
    "published-anymal-pd", "a quadruped stands under PD control, kp 40, kd 1, steps of 5 ms (SimBenchmark, ANYmal PD)",
    17.0, 1.2, run};
