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

/* Bits of keys that only some kinds have. */
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

static bool read_knot(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {
        {.name = "time",
         .typed = rg_yaml_key_number,
         .offset = offsetof(RgPlanKnot, time),
         .high = RG_PLAN_DURATION_MAX},
        {.name = "position", .typed = rg_control_numbers, .offset = offsetof(RgPlanKnot, position)}};
    RgPlanTrajectory *t = target;
    RgPlanKnot knot = {.time = NAN, .at = rg_plan_place(node)};
    if (!rg_yaml_map(yaml, node, "knot", keys, COUNT(keys), &knot))
        return false;
    if (isnan(knot.time) || knot.position.count == 0)
        return rg_yaml_fail(yaml, node, "knot: '%s' is missing", isnan(knot.time) ? "time" : "position");
    if (t->nknots > 0 && !(knot.time > t->knots[t->nknots - 1].time))
        return rg_yaml_fail(yaml, node, "knot: time %g s does not come after %g s, that of the knot before it",
                            knot.time, t->knots[t->nknots - 1].time);
    t->knots = rg_pool_grow(yaml->pool, t->knots, t->nknots, sizeof *t->knots);
    t->knots[t->nknots++] = knot;
    return true;
}

static bool key_knots(RgYaml *yaml, yaml_node_t *node, void *target)
{
    if (!rg_yaml_list(yaml, node, "knots", read_knot, target))
        return false;
    int nknots = ((RgPlanTrajectory *)target)->nknots;
    return nknots >= 2 || rg_yaml_fail(yaml, node, "knots: expected two or more, found %d", nknots);
}

static bool key_duty(RgYaml *yaml, yaml_node_t *node, void *target)
{
    double *duty = &((RgPlanTrajectory *)target)->duty;
    if (!rg_yaml_number(yaml, node, "duty", duty))
        return false;
    return (*duty > 0.0 && *duty <= 1.0) || rg_yaml_fail(yaml, node, "duty: %g is not above 0 and up to 1", *duty);
}

static bool key_velocity(RgYaml *yaml, yaml_node_t *node, void *target)
{
    double xy[2] = {0.0, 0.0};
    int count = rg_yaml_numbers(yaml, node, "velocity", xy, 2);
    if (count < 0)
        return false;
    if (count != 2)
        return rg_yaml_fail(yaml, node, "velocity: expected two numbers (forward, to the left), found %d", count);
    ((RgPlanTrajectory *)target)->vx = xy[0];
    ((RgPlanTrajectory *)target)->vy = xy[1];
    return true;
}

#define TYPED(key, bit, type, field)                                                                                   \
    {                                                                                                                  \
        .name = (key), .use = (bit), .typed = (type), .offset = offsetof(RgPlanTrajectory, field)                      \
    }
#define NUMBERS(field, bit) TYPED(#field, bit, rg_control_numbers, field)
#define FLAG(field, bit) TYPED(#field, bit, rg_yaml_key_flag, field)
#define RANGE(field, bit, least, most)                                                                                 \
    {                                                                                                                  \
        .name = #field, .use = (bit), .typed = rg_yaml_key_number, .offset = offsetof(RgPlanTrajectory, field),        \
        .low = (least), .high = (most)                                                                                 \
    }

static const RgYamlKey trajectory_keys[] = {NUMBERS(position, USE_POSITION),
                                            NUMBERS(amplitude, USE_AMPLITUDE),
                                            NUMBERS(frequency, USE_FREQUENCY),
                                            NUMBERS(phase, USE_PHASE),
                                            {.name = "knots", .use = USE_KNOTS, .read = key_knots},
                                            TYPED("file", USE_FILE, rg_yaml_key_path, file),
                                            FLAG(periodic, USE_ENDS),
                                            FLAG(natural, USE_ENDS),
                                            NUMBERS(start_velocity, USE_ENDS),
                                            NUMBERS(end_velocity, USE_ENDS),
                                            RANGE(period, USE_GAIT, 1e-3, 1e3),
                                            {.name = "duty", .use = USE_GAIT, .read = key_duty},
                                            RANGE(lift, USE_GAIT, 0, 100),
                                            {.name = "velocity", .use = USE_MOTION, .read = key_velocity},
                                            TYPED("yaw_rate", USE_MOTION, rg_yaml_key_number, yaw_rate),
                                            FLAG(from_start, USE_MOTION)};

bool rg_control_trajectory(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, void *field)
{
    RgPlanTrajectory *t = field;
    RgYamlKindMap map = {.what = key->name,
                         .kinds = kinds,
                         .nkinds = COUNT(kinds),
                         .keys = trajectory_keys,
                         .nkeys = COUNT(trajectory_keys),
                         .target = t};
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
