/*
 * control_file.c - the control section of a run file, at its top or in a model.
 *
 *   control:                     # or only the list of controllers
 *     rate: Hz                   # samples per second; default: one per step
 *     delay: s                   # from a sample to its command
 *     start: BOOL                # joints start on their trajectories, with their velocities
 *     controllers:
 *       - kind: pd               # pid, implicit-pd, hard, computed-torque, inverse-dynamics, least-energy, no-slip, foot-pd, balance, walk
 *         name: TEXT
 *         joints: [NAME, ...]    # or all
 *         kp: NUMBERS            # ki, kd
 *         limits: model          # or none, or {effort: NUMBERS, velocity: NUMBERS, base_velocity: NUMBERS}
 *         gravity: BOOL
 *         friction: NUMBER       # of kinds with contact
 *         rate: 1/s              # hard: at which position errors decay
 *         base: LINK             # of the feet
 *         feet: [{link: NAME, point: [x, y, z], neutral: [x, y, z], touchdown: NUMBER}, ...]
 *         foot_kp: N/m           # foot_kd: N s/m
 *         capture: NUMBER        # balance, walk; settle: s; balance: sway: m, sway_period: s
 *         steps: N               # walk; stride: m, turn: rad, lift: m, swing: s, both: s
 *         trajectory:
 *           kind: constant       # sinusoid, spline, csv, gait
 *           position: NUMBERS    # amplitude, frequency, phase: NUMBERS
 *           knots: [{time: s, position: NUMBERS}, ...]
 *           file: PATH
 *           periodic: BOOL       # natural: BOOL, start_velocity, end_velocity: NUMBERS
 *           period: s            # duty, lift: m, velocity: [x, y], yaw_rate: rad/s, from_start: BOOL
 *
 * NUMBERS: one number for all joints, a list in the order of the joints, or {JOINT: number, ...}. A table of kinds and a
 * table of keys below list what each kind requires and allows. run_control.c assigns numbers to joints.
 *
 * Fails on: unknown kinds and keys, keys that the kind has no use for, missing ones, numbers out of their range.
 */
#include "plan/control_file.h"

#include "plan/control_parts.h"
#include "plan/run_values.h"

#include <math.h>
#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

/* Bits of keys that only some kinds have. */
enum {
    USE_JOINTS = 1 << 0,
    USE_TRAJECTORY = 1 << 1,
    USE_KP = 1 << 2,
    USE_KI = 1 << 3,
    USE_KD = 1 << 4,
    USE_GRAVITY = 1 << 5,
    USE_FRICTION = 1 << 6,
    USE_RATE = 1 << 7,
    USE_FEET = 1 << 8,
    USE_BASE = 1 << 9,
    USE_FOOT_KP = 1 << 10,
    USE_FOOT_KD = 1 << 11,
    USE_BALANCE = 1 << 12,
    USE_SWAY = 1 << 13,
    USE_STEPS = 1 << 14,
    USE_WALK = 1 << 15
};

#define FEET (USE_FEET | USE_BASE)
#define PATH (USE_JOINTS | USE_TRAJECTORY)

static const RgYamlKind kinds[] = {
    {"pd", PATH | USE_KP | USE_KD, USE_GRAVITY | FEET},
    {"pid", PATH | USE_KP | USE_KI | USE_KD, USE_GRAVITY | FEET},
    {"implicit-pd", PATH | USE_KP | USE_KD, USE_GRAVITY | FEET},
    {"hard", PATH, USE_RATE | FEET},
    {"computed-torque", PATH, USE_KP | USE_KD | FEET},
    {"inverse-dynamics", PATH | USE_FEET, USE_KP | USE_KD | USE_FRICTION | USE_BASE},
    {"least-energy", PATH | USE_FEET, USE_KP | USE_KD | USE_FRICTION | USE_BASE},
    {"no-slip", PATH | USE_FEET, USE_KP | USE_KD | USE_BASE},
    {"balance", USE_JOINTS | USE_FEET | USE_KP | USE_KD, USE_BASE | USE_BALANCE | USE_SWAY},
    {"walk", USE_JOINTS | USE_FEET | USE_KP | USE_KD | USE_STEPS, USE_BASE | USE_BALANCE | USE_WALK},
    {"foot-pd", PATH | USE_FEET | USE_FOOT_KP | USE_FOOT_KD, USE_BASE},
};

/* State of the reader. */
typedef struct Reader {
    RgPlan *plan;
    RgPlanController controller;
    RgPlanFoot foot;
} Reader;

/* ------------------------------------------------------------------ controllers */

static bool read_joint(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    RgPlanController *c = &reader->controller;
    c->joints = rg_pool_grow(&reader->plan->pool, c->joints, c->njoints, sizeof *c->joints);
    RgPlanName *joint = &c->joints[c->njoints];
    if (!rg_control_name(yaml, node, &(RgYamlKey){.name = "joints"}, joint))
        return false;
    for (int i = 0; i < c->njoints; i++)
        if (strcmp(c->joints[i].text, joint->text) == 0)
            return rg_yaml_fail(yaml, node, "joints: '%s' is given twice", joint->text);
    c->njoints++;
    return true;
}

static bool key_joints(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgPlanController *c = &((Reader *)target)->controller;
    if (node->type == YAML_SCALAR_NODE && strcmp((const char *)node->data.scalar.value, "all") == 0) {
        c->all_joints = true;
        return true;
    }
    if (node->type != YAML_SEQUENCE_NODE)
        return rg_yaml_fail(yaml, node, "joints: expected a list of names, or all");
    if (!rg_yaml_list(yaml, node, "joints", read_joint, target))
        return false;
    return c->njoints > 0 || rg_yaml_fail(yaml, node, "joints: expected names, found an empty list");
}

#define TYPED(key, bit, type, field)                                                                                   \
    {                                                                                                                  \
        .name = (key), .use = (bit), .typed = (type), .offset = offsetof(Reader, field)                                \
    }
#define RANGE(key, bit, member, most)                                                                                  \
    {                                                                                                                  \
        .name = (key), .use = (bit), .typed = rg_yaml_key_number, .offset = offsetof(Reader, member), .high = (most)   \
    }
/* The library checks the ranges of walks. */
#define WALK(key, bit) TYPED(#key, bit, rg_yaml_key_number, controller.walk.key)

static bool key_limits(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {TYPED("effort", 0, rg_control_limits, controller.effort),
                                     TYPED("velocity", 0, rg_control_limits, controller.velocity),
                                     TYPED("base_velocity", 0, rg_control_limits, controller.base_velocity)};
    if (node->type == YAML_MAPPING_NODE)
        return rg_yaml_map(yaml, node, "limits", keys, COUNT(keys), target);
    const char *text = rg_yaml_text(yaml, node, "limits");
    if (text && strcmp(text, "none") != 0 && strcmp(text, "model") != 0)
        return rg_yaml_fail(yaml, node,
                            "limits: expected model, none, or {effort, velocity, base_velocity}, found '%.60s'", text);
    return text && rg_yaml_key_read(yaml, node, &keys[0], target) && rg_yaml_key_read(yaml, node, &keys[1], target);
}

/* Per second; inf: within a step. */
static bool key_rate(RgYaml *yaml, yaml_node_t *node, void *target)
{
    double *rate = &((Reader *)target)->controller.rate;
    const char *text = node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
    *rate = INFINITY;
    return strcmp(text, "inf") == 0 || strcmp(text, ".inf") == 0 || rg_yaml_range(yaml, node, "rate", 0, 1e9, rate);
}

static bool foot_touchdown(RgYaml *yaml, yaml_node_t *node, void *target)
{
    double *touchdown = &((Reader *)target)->foot.touchdown;
    if (!rg_yaml_number(yaml, node, "touchdown", touchdown))
        return false;
    return (*touchdown >= 0.0 && *touchdown < 1.0) ||
           rg_yaml_fail(yaml, node, "touchdown: %g is not a part of the period, from 0 to below 1", *touchdown);
}

static bool read_foot(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {TYPED("link", 0, rg_control_name, foot.link),
                                     TYPED("point", 0, rg_yaml_key_vector, foot.point),
                                     TYPED("neutral", 0, rg_yaml_key_vector, foot.neutral),
                                     {.name = "touchdown", .read = foot_touchdown}};
    Reader *reader = target;
    RgPlanController *c = &reader->controller;
    reader->foot = (RgPlanFoot){.neutral = {NAN, NAN, NAN}, .touchdown = NAN};
    if (!rg_yaml_map(yaml, node, "foot", keys, COUNT(keys), reader))
        return false;
    if (!reader->foot.link.text)
        return rg_yaml_fail(yaml, node, "foot: 'link' is missing");
    c->feet = rg_pool_grow(&reader->plan->pool, c->feet, c->nfeet, sizeof *c->feet);
    c->feet[c->nfeet++] = reader->foot;
    return true;
}

static bool key_feet(RgYaml *yaml, yaml_node_t *node, void *target)
{
    if (!rg_yaml_list(yaml, node, "feet", read_foot, target))
        return false;
    return ((Reader *)target)->controller.nfeet > 0 ||
           rg_yaml_fail(yaml, node, "feet: expected feet, found an empty list");
}

static const RgYamlKey controller_keys[] = {
    TYPED("name", 0, rg_yaml_key_text, controller.name),
    {.name = "joints", .use = USE_JOINTS, .read = key_joints},
    TYPED("kp", USE_KP, rg_control_gains, controller.kp),
    TYPED("ki", USE_KI, rg_control_gains, controller.ki),
    TYPED("kd", USE_KD, rg_control_gains, controller.kd),
    {.name = "limits", .read = key_limits},
    TYPED("gravity", USE_GRAVITY, rg_yaml_key_flag, controller.gravity),
    RANGE("friction", USE_FRICTION, controller.friction, 1e6),
    {.name = "rate", .use = USE_RATE, .read = key_rate},
    TYPED("base", USE_BASE, rg_control_name, controller.base),
    {.name = "feet", .use = USE_FEET, .read = key_feet},
    RANGE("foot_kp", USE_FOOT_KP, controller.foot_kp, 1e12),
    RANGE("foot_kd", USE_FOOT_KD, controller.foot_kd, 1e12),
    WALK(capture, USE_BALANCE),
    WALK(settle, USE_BALANCE),
    WALK(sway, USE_SWAY),
    WALK(sway_period, USE_SWAY),
    WALK(steps, USE_STEPS),
    WALK(stride, USE_WALK),
    WALK(turn, USE_WALK),
    WALK(lift, USE_WALK),
    WALK(swing, USE_WALK),
    WALK(both, USE_WALK),
    TYPED("trajectory", USE_TRAJECTORY, rg_control_trajectory, controller.trajectory)};

/* Checks that feet and gaits are given together. */
static bool check_feet(RgYaml *yaml, const yaml_node_t *node, const RgPlanController *c)
{
    bool gait = c->trajectory.kind && strcmp(c->trajectory.kind, "gait") == 0;
    if (gait && c->nfeet == 0)
        return rg_yaml_fail(yaml, node, "controller: a gait needs 'feet'");
    if (!gait && strcmp(c->kind, "foot-pd") == 0)
        return rg_yaml_fail(yaml, node, "controller: kind 'foot-pd' needs a trajectory of kind 'gait'");
    if (!gait && c->nfeet > 0 && !rg_control_file_needs(c->kind, "feet"))
        return rg_yaml_fail(yaml, node, "controller: kind '%s' has no use for 'feet' but with a gait", c->kind);
    bool places = gait || !rg_control_file_takes(c->kind, "capture");
    for (int i = 0; !places && i < c->nfeet; i++)
        if (!isnan(c->feet[i].touchdown) || !isnan(c->feet[i].neutral.x))
            return rg_yaml_fail(yaml, node, "controller: kind '%s' has no use for 'touchdown' and 'neutral' of feet",
                                c->kind);
    for (int i = 0; gait && i < c->nfeet; i++)
        if (isnan(c->feet[i].touchdown))
            return rg_yaml_fail(yaml, node, "controller: foot %d needs 'touchdown', its part of the period", i + 1);
    return true;
}

static bool read_controller(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    RgPlanControl *control = &reader->plan->control;
    RgPlanController *c = &reader->controller;
    *c = (RgPlanController){.foot_kp = NAN,
                            .foot_kd = NAN,
                            .friction = NAN,
                            .rate = NAN,
                            .walk = rg_controller_def_default().walk,
                            .at = rg_plan_place(node)};
    RgYamlKindMap map = {.what = "controller",
                         .kinds = kinds,
                         .nkinds = COUNT(kinds),
                         .keys = controller_keys,
                         .nkeys = COUNT(controller_keys),
                         .foreign = "callback",
                         .target = reader};
    if (!rg_yaml_kind_map(yaml, node, &map))
        return false;
    c->kind = map.kind->name;
    if ((c->kp.count > 0) != (c->kd.count > 0))
        return rg_yaml_fail(yaml, node, "controller: kind '%s' needs '%s' beside '%s' (0 for none)", c->kind,
                            c->kp.count > 0 ? "kd" : "kp", c->kp.count > 0 ? "kp" : "kd");
    if (!check_feet(yaml, node, c))
        return false;
    control->controllers =
        rg_pool_grow(&reader->plan->pool, control->controllers, control->ncontrollers, sizeof *control->controllers);
    control->controllers[control->ncontrollers++] = *c;
    return true;
}

/* ------------------------------------------------------------------ the section */

/* A rate or delay, which must be the same in all control sections. */
static bool read_shared(RgYaml *yaml, yaml_node_t *node, const char *what, double *value, RgPlanPlace *at)
{
    double low = strcmp(what, "rate") == 0 ? RG_PLAN_RATE_MIN : 0.0;
    double high = strcmp(what, "rate") == 0 ? RG_PLAN_RATE_MAX : RG_PLAN_DURATION_MAX;
    double before = *value;
    if (!rg_yaml_range(yaml, node, what, low, high, value))
        return false;
    if (!isnan(before) && before != *value)
        return rg_yaml_fail(yaml, node, "%s: %g here and %g in line %d: all controllers have the same one", what,
                            *value, before, at->line);
    *at = rg_plan_place(node);
    return true;
}

static bool control_rate(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgPlanControl *control = &((Reader *)target)->plan->control;
    return read_shared(yaml, node, "rate", &control->rate, &control->rate_at);
}

static bool control_delay(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgPlanControl *control = &((Reader *)target)->plan->control;
    return read_shared(yaml, node, "delay", &control->delay, &control->delay_at);
}

static bool control_start(RgYaml *yaml, yaml_node_t *node, void *target)
{
    bool start;
    if (!rg_yaml_bool(yaml, node, "start", &start))
        return false;
    RgPlanControl *control = &((Reader *)target)->plan->control;
    control->start = control->start || start;
    return true;
}

static bool control_controllers(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_list(yaml, node, "controllers", read_controller, target);
}

bool rg_control_file_read(RgYaml *yaml, yaml_node_t *node, RgPlan *plan)
{
    static const RgYamlKey keys[] = {{.name = "rate", .read = control_rate},
                                     {.name = "delay", .read = control_delay},
                                     {.name = "start", .read = control_start},
                                     {.name = "controllers", .read = control_controllers}};
    Reader reader = {.plan = plan};
    int before = plan->control.ncontrollers;
    bool good = node->type == YAML_SEQUENCE_NODE ? control_controllers(yaml, node, &reader)
                                                 : rg_yaml_map(yaml, node, "control", keys, COUNT(keys), &reader);
    if (good && plan->control.ncontrollers == before)
        return rg_yaml_fail(yaml, node, "control: 'controllers' is missing or empty");
    return good;
}

RgPlanControl rg_plan_control_none(void)
{
    return (RgPlanControl){.rate = NAN, .delay = NAN};
}

/* ------------------------------------------------------------------ queries */

static unsigned use_of(const char *key)
{
    for (int i = 0; i < COUNT(controller_keys); i++)
        if (strcmp(controller_keys[i].name, key) == 0)
            return controller_keys[i].use;
    return 0;
}

bool rg_control_file_knows(const char *kind)
{
    return rg_yaml_kind_find(kinds, COUNT(kinds), kind) != NULL;
}

bool rg_control_file_takes(const char *kind, const char *key)
{
    const RgYamlKind *found = rg_yaml_kind_find(kinds, COUNT(kinds), kind);
    return found && (use_of(key) & (found->needs | found->may)) != 0;
}

bool rg_control_file_needs(const char *kind, const char *key)
{
    const RgYamlKind *found = rg_yaml_kind_find(kinds, COUNT(kinds), kind);
    return found && (use_of(key) & found->needs) != 0;
}

bool rg_plan_control_set(RgPlan *plan, RgPlanController *c, const char *key, const double *values, int count)
{
    const struct {
        const char *key;
        RgPlanNumbers *numbers;
        double *number;
    } gains[] = {{"kp", &c->kp, NULL},           {"ki", &c->ki, NULL},           {"kd", &c->kd, NULL},
                 {"foot_kp", NULL, &c->foot_kp}, {"foot_kd", NULL, &c->foot_kd}, {"friction", NULL, &c->friction},
                 {"rate", NULL, &c->rate}};
    for (int i = 0; i < COUNT(gains); i++) {
        if (strcmp(gains[i].key, key) != 0 || !rg_control_file_takes(c->kind, key))
            continue;
        if (gains[i].number && count == 1)
            *gains[i].number = values[0];
        if (gains[i].number)
            return count == 1;
        RgPlanNumbers set = {.count = count, .list = count > 1};
        set.values = rg_pool_take(&plan->pool, (size_t)count, sizeof *set.values);
        memcpy(set.values, values, (size_t)count * sizeof *values);
        *gains[i].numbers = set;
        return true;
    }
    return false;
}
