/*
 * control_trajectory.c - the trajectory of a controller in a run file: one line a kind, one line a key.
 *
 * Fails on: unknown kinds and keys, keys that the kind has no use for, missing ones, knots that are out of order.
 */
#include "plan/control_parts.h"

#include "plan/run_values.h"

#include <math.h>
#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

/* Keys that some kinds take. */
enum {
    USE_POSITION = 1 << 0,
    USE_AMPLITUDE = 1 << 1,
    USE_FREQUENCY = 1 << 2,
    USE_PHASE = 1 << 3,
    USE_KNOTS = 1 << 4,
    USE_ENDS = 1 << 5, /* periodic, natural, start_velocity, end_velocity */
    USE_FILE = 1 << 6,
    USE_GAIT = 1 << 7,  /* period, duty, lift */
    USE_MOTION = 1 << 8 /* velocity, yaw_rate, from_start */
};

static const RgYamlKind kinds[] = {
    {"constant", USE_POSITION, 0},   {"sinusoid", USE_AMPLITUDE | USE_FREQUENCY, USE_POSITION | USE_PHASE},
    {"spline", USE_KNOTS, USE_ENDS}, {"csv", USE_FILE, USE_ENDS},
    {"gait", USE_GAIT, USE_MOTION},
};

/* What is being read. */
typedef struct Path {
    RgPlan *plan;
    RgPlanTrajectory *trajectory;
    RgPlanKnot *knot;
} Path;

static bool trajectory_numbers(RgYaml *yaml, yaml_node_t *node, const Path *reader, const char *what,
                               RgPlanNumbers *out)
{
    return rg_control_numbers(yaml, node, (RgNumbersReader){reader->plan, what, RG_NUMBERS_ANY, out});
}

static bool key_position(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Path *reader = target;
    return trajectory_numbers(yaml, node, reader, "position", &reader->trajectory->position);
}

static bool key_amplitude(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Path *reader = target;
    return trajectory_numbers(yaml, node, reader, "amplitude", &reader->trajectory->amplitude);
}

static bool key_frequency(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Path *reader = target;
    return trajectory_numbers(yaml, node, reader, "frequency", &reader->trajectory->frequency);
}

static bool key_phase(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Path *reader = target;
    return trajectory_numbers(yaml, node, reader, "phase", &reader->trajectory->phase);
}

static bool knot_time(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_control_range(yaml, node, "time", 0, RG_PLAN_DURATION_MAX, &((Path *)target)->knot->time);
}

static bool knot_position(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Path *reader = target;
    return trajectory_numbers(yaml, node, reader, "position", &reader->knot->position);
}

static bool read_knot(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {{"time", knot_time}, {"position", knot_position}};
    Path *reader = target;
    RgPlanTrajectory *t = reader->trajectory;
    RgPlanKnot knot = {.time = NAN, .at = rg_plan_place(node)};
    reader->knot = &knot;
    if (!rg_yaml_map(yaml, node, "knot", keys, COUNT(keys), reader))
        return false;
    if (isnan(knot.time) || knot.position.count == 0)
        return rg_yaml_fail(yaml, node, "knot: '%s' is missing", isnan(knot.time) ? "time" : "position");
    if (t->nknots > 0 && !(knot.time > t->knots[t->nknots - 1].time))
        return rg_yaml_fail(yaml, node, "knot: time %g s does not come after %g s, that of the knot before it",
                            knot.time, t->knots[t->nknots - 1].time);
    t->knots = rg_pool_grow(&reader->plan->pool, t->knots, t->nknots, sizeof *t->knots);
    t->knots[t->nknots++] = knot;
    return true;
}

static bool key_knots(RgYaml *yaml, yaml_node_t *node, void *target)
{
    if (!rg_yaml_list(yaml, node, "knots", read_knot, target))
        return false;
    int nknots = ((Path *)target)->trajectory->nknots;
    return nknots >= 2 || rg_yaml_fail(yaml, node, "knots: expected two or more, found %d", nknots);
}

static bool key_periodic(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_bool(yaml, node, "periodic", &((Path *)target)->trajectory->periodic);
}

static bool key_natural(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_bool(yaml, node, "natural", &((Path *)target)->trajectory->natural);
}

static bool key_start_velocity(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Path *reader = target;
    return trajectory_numbers(yaml, node, reader, "start_velocity", &reader->trajectory->start_velocity);
}

static bool key_end_velocity(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Path *reader = target;
    return trajectory_numbers(yaml, node, reader, "end_velocity", &reader->trajectory->end_velocity);
}

static bool key_file(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Path *reader = target;
    const char *text = rg_yaml_text(yaml, node, "file");
    if (text)
        reader->trajectory->file = rg_run_file_path(reader->plan, text);
    return text != NULL;
}

static bool key_period(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_control_range(yaml, node, "period", 1e-3, 1e3, &((Path *)target)->trajectory->period);
}

static bool key_duty(RgYaml *yaml, yaml_node_t *node, void *target)
{
    double *duty = &((Path *)target)->trajectory->duty;
    if (!rg_yaml_number(yaml, node, "duty", duty))
        return false;
    return (*duty > 0.0 && *duty <= 1.0) || rg_yaml_fail(yaml, node, "duty: %g is not above 0 and up to 1", *duty);
}

static bool key_lift(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_control_range(yaml, node, "lift", 0, 100, &((Path *)target)->trajectory->lift);
}

static bool key_velocity(RgYaml *yaml, yaml_node_t *node, void *target)
{
    double xy[2] = {0.0, 0.0};
    int count = rg_yaml_numbers(yaml, node, "velocity", xy, 2);
    if (count < 0)
        return false;
    if (count != 2)
        return rg_yaml_fail(yaml, node, "velocity: expected two numbers (forward, to the left), found %d", count);
    ((Path *)target)->trajectory->vx = xy[0];
    ((Path *)target)->trajectory->vy = xy[1];
    return true;
}

static bool key_yaw_rate(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_number(yaml, node, "yaw_rate", &((Path *)target)->trajectory->yaw_rate);
}

static bool key_from_start(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_bool(yaml, node, "from_start", &((Path *)target)->trajectory->from_start);
}

bool rg_control_trajectory(RgYaml *yaml, yaml_node_t *node, RgPlan *plan, RgPlanTrajectory *out)
{
    static const RgYamlKindKey keys[] = {{"position", USE_POSITION, key_position},
                                         {"amplitude", USE_AMPLITUDE, key_amplitude},
                                         {"frequency", USE_FREQUENCY, key_frequency},
                                         {"phase", USE_PHASE, key_phase},
                                         {"knots", USE_KNOTS, key_knots},
                                         {"file", USE_FILE, key_file},
                                         {"periodic", USE_ENDS, key_periodic},
                                         {"natural", USE_ENDS, key_natural},
                                         {"start_velocity", USE_ENDS, key_start_velocity},
                                         {"end_velocity", USE_ENDS, key_end_velocity},
                                         {"period", USE_GAIT, key_period},
                                         {"duty", USE_GAIT, key_duty},
                                         {"lift", USE_GAIT, key_lift},
                                         {"velocity", USE_MOTION, key_velocity},
                                         {"yaw_rate", USE_MOTION, key_yaw_rate},
                                         {"from_start", USE_MOTION, key_from_start}};
    Path path = {.plan = plan, .trajectory = out};
    RgYamlKindMap map = {.what = "trajectory",
                         .kinds = kinds,
                         .nkinds = COUNT(kinds),
                         .keys = keys,
                         .nkeys = COUNT(keys),
                         .target = &path};
    RgPlanTrajectory *t = out;
    *t = (RgPlanTrajectory){.period = NAN, .duty = NAN, .lift = NAN, .at = rg_plan_place(node)};
    if (!rg_yaml_kind_map(yaml, node, &map))
        return false;
    t->kind = map.kind->name;
    bool velocities = t->start_velocity.count > 0 || t->end_velocity.count > 0;
    if (t->periodic + t->natural + velocities > 1)
        return rg_yaml_fail(yaml, node,
                            "trajectory: 'periodic', 'natural' and velocities of the ends exclude each other");
    if (strcmp(t->kind, "gait") == 0 && (isnan(t->period) || isnan(t->duty) || isnan(t->lift)))
        return rg_yaml_fail(yaml, node, "trajectory: kind 'gait' needs '%s'",
                            isnan(t->period) ? "period"
                            : isnan(t->duty) ? "duty"
                                             : "lift");
    return true;
}
