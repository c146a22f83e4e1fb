/* pioneer.c - see pioneer.h. */
#include "pioneer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SETTLE 0.5 /* s */
#define TURN 6.283185307179586

/* What the input function needs. */
typedef struct Torques {
    int left, right; /* numbers of the axles' velocities */
    double tau[2];   /* N m */
    double damping;
} Torques;

static void apply(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    const Torques *torques = context;
    bool on = state->t >= SETTLE - 1e-9;
    input->tau[torques->left] = on ? torques->tau[0] - torques->damping * state->v[torques->left] : 0.0;
    input->tau[torques->right] = on ? torques->tau[1] - torques->damping * state->v[torques->right] : 0.0;
}

static Torques torques_of(const PioneerDef *def)
{
    const RgModel *m = def->model;
    return (Torques){.left = rg_model_joint(m, rg_model_find_joint(m, PIONEER_LEFT)).v_index,
                     .right = rg_model_joint(m, rg_model_find_joint(m, PIONEER_RIGHT)).v_index,
                     .tau = {def->left, def->right},
                     .damping = def->damping};
}

/* Rotates the robot about z. */
static bool turn_to(RgWorld *world, RgLinkId chassis, double heading)
{
    const RgModel *model = rg_world_model(world);
    int n = rg_model_info(model).nq, at = rg_model_link(model, chassis).q_index;
    double *q = malloc((size_t)n * sizeof *q);
    if (!q)
        return false;
    rg_model_neutral(model, q);
    q[at] = cos(0.5 * heading);
    q[at + 3] = sin(0.5 * heading);
    bool set = rg_world_set_state(world, q, NULL) == RG_OK;
    free(q);
    return set;
}

/* Its present place; `turned` continues that of the last place. */
static PioneerPlace place_now(RgWorld *world, RgLinkId chassis, const PioneerDef *def, double turned)
{
    RgPose X = rg_world_link_pose(world, chassis);
    double c = cos(def->heading), s = sin(def->heading);
    double yaw = atan2(X.R.m[1][0], X.R.m[0][0]) - def->heading;
    return (PioneerPlace){.t = rg_world_time(world) - SETTLE,
                          .along = c * X.p.x + s * X.p.y,
                          .aside = c * X.p.y - s * X.p.x,
                          .rate = rg_world_link_twist(world, chassis).w.z,
                          .turned = yaw + TURN * round((turned - yaw) / (TURN))};
}

/* Gives the chassis a yaw rate; in the next step the wheels follow. */
static void set_yaw_rate(RgWorld *world, RgLinkId chassis, double yaw_rate)
{
    const RgModel *model = rg_world_model(world);
    int n = rg_model_info(model).nv;
    double *v = malloc((size_t)n * sizeof *v);
    if (!v)
        return;
    memcpy(v, rg_world_v(world), (size_t)n * sizeof *v);
    v[rg_model_link(model, chassis).v_index + 2] = yaw_rate;
    rg_world_set_state(world, NULL, v);
    free(v);
}

/* Records a step. */
static void record_step(PioneerPath *path, RgWorld *world, RgLinkId chassis, const RgStepReport *report)
{
    RgPose X = rg_world_link_pose(world, chassis);
    path->joint_error = fmax(path->joint_error, report->joint_error);
    path->most_pitched = fmax(path->most_pitched, acos(fmin(fmax(X.R.m[2][2], -1.0), 1.0)));
}

static void drive(Lab *lab, const PioneerDef *def, RgWorld *world, int samples, PioneerPath *path)
{
    RgLinkId chassis = rg_model_find_link(def->model, "chassis");
    LabFilm *film = def->film ? lab_film(lab, def->film, def->title, world, def->film_rate) : NULL;
    PioneerPlace place = {0};
    RgStepReport report;
    while (place.t < def->time - 0.5 * def->by.h && !path->turned && ode_step(lab, world, def->by.h, &report)) {
        lab_film_step(film, world);
        place = place_now(world, chassis, def, place.turned);
        if (place.t < -0.5 * def->by.h)
            continue;
        if (path->count == 0 && def->yaw_rate != 0.0)
            set_yaw_rate(world, chassis, def->yaw_rate);
        record_step(path, world, chassis, &report);
        path->turned = def->turns > 0.0 && fabs(place.turned) >= TURN * def->turns;
        if (path->count < samples && place.t >= path->count * path->sample - 0.5 * def->by.h)
            path->places[path->count++] = place;
    }
    lab_film_end(film);
    path->ended = place.t;
}

PioneerPath pioneer_drive(Lab *lab, const PioneerDef *def, int samples)
{
    PioneerPath path = {.places = calloc((size_t)samples, sizeof *path.places),
                        .sample = fmax(def->time / (samples - 1), def->by.h)};
    Torques torques = torques_of(def);
    RgWorldDef world_def = rg_world_def_default();
    world_def.model = def->model;
    world_def.coords = def->coords;
    world_def.input = apply;
    world_def.input_context = &torques;
    RgWorld *world = ode_world(lab, world_def, &def->by);
    RgLinkId chassis = rg_model_find_link(def->model, "chassis");
    if (!world || !path.places || !turn_to(world, chassis, def->heading))
        lab_fail(lab, "the robot cannot be set down");
    else {
        drive(lab, def, world, samples, &path);
        const double *v = rg_world_v(world);
        path.wheel_speed = fmax(fabs(v[torques.left]), fabs(v[torques.right]));
    }
    rg_world_destroy(world);
    return path;
}

/* Distance of a place from the segment between two others. */
static double from_piece(const PioneerPlace *p, const PioneerPlace *a, const PioneerPlace *b)
{
    double x = b->along - a->along, y = b->aside - a->aside, u = p->along - a->along, v = p->aside - a->aside;
    double length = x * x + y * y, part = length > 0.0 ? fmin(fmax((u * x + v * y) / length, 0.0), 1.0) : 0.0;
    return hypot(u - part * x, v - part * y);
}

double pioneer_paths_apart(const PioneerPath *a, const PioneerPath *b)
{
    double most = a->count > 1 && b->count > 1 ? 0.0 : (double)NAN;
    for (int i = 0; i < a->count; i++) {
        double least = (double)INFINITY;
        for (int k = 1; k < b->count; k++)
            least = fmin(least, from_piece(&a->places[i], &b->places[k - 1], &b->places[k]));
        most = fmax(most, least);
    }
    return most;
}

void pioneer_draw(LabFigure *figure, const PioneerPath *path)
{
    for (int i = 0; i < path->count; i++)
        lab_point(figure, path->places[i].along, path->places[i].aside);
}
