/*
 * control_file.c - the control section of a run file, at its top or in a model.
 *
 *   control:                     # or only the list of controllers
 *     rate: Hz                   # samples a second; one a step where not given
 *     delay: s                   # from a sample to what comes of it
 *     start: BOOL                # joints begin on their trajectories, with their velocities
 *     controllers:
 *       - kind: pd               # pid, implicit-pd, hard, computed-torque, inverse-dynamics, no-slip, foot-pd
 *         name: TEXT
 *         joints: [NAME, ...]    # or all
 *         kp: NUMBERS            # ki, kd
 *         limits: model          # or none, or {effort: NUMBERS, velocity: NUMBERS, base_velocity: NUMBERS}
 *         gravity: BOOL
 *         friction: NUMBER       # of kinds with contact
 *         rate: 1/s              # hard: by which a distance shrinks
 *         base: LINK             # of the feet
 *         feet: [{link: NAME, point: [x, y, z], neutral: [x, y, z], touchdown: NUMBER}, ...]
 *         foot_kp: N/m           # foot_kd: N s/m
 *         trajectory:
 *           kind: constant       # sinusoid, spline, csv, gait
 *           position: NUMBERS    # amplitude, frequency, phase: NUMBERS
 *           knots: [{time: s, position: NUMBERS}, ...]
 *           file: PATH
 *           periodic: BOOL
 *           period: s            # duty, lift: m, velocity: [x, y], yaw_rate: rad/s
 *
 * NUMBERS: one number for all joints, a list in the order of the joints, or {JOINT: number, ...}. What a kind takes and
 * what it cannot do without stands in a table of kinds below: one line a kind, one line a key. Numbers meet joints in
 * run_control.c.
 *
 * Fails on: unknown kinds and keys, keys that the kind has no use for, missing ones, numbers out of their range.
 */
#include "control_file.h"

#include "plan.h"
#include "run_file.h"
#include "yaml_keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

/* ------------------------------------------------------------------ kinds and their keys */

/* A key that some kinds take. */
typedef enum Use {
    USE_KP = 1 << 0,
    USE_KI = 1 << 1,
    USE_KD = 1 << 2,
    USE_GRAVITY = 1 << 3,
    USE_FRICTION = 1 << 4,
    USE_RATE = 1 << 5,
    USE_FEET = 1 << 6,
    USE_BASE = 1 << 7,
    USE_FOOT_KP = 1 << 8,
    USE_FOOT_KD = 1 << 9,
    USE_POSITION = 1 << 10,
    USE_AMPLITUDE = 1 << 11,
    USE_FREQUENCY = 1 << 12,
    USE_PHASE = 1 << 13,
    USE_KNOTS = 1 << 14,
    USE_PERIODIC = 1 << 15,
    USE_FILE = 1 << 16,
    USE_GAIT = 1 << 17,   /* period, duty, lift */
    USE_MOTION = 1 << 18, /* velocity, yaw_rate */
    USE_JOINTS = 1 << 19,
    USE_TRAJECTORY = 1 << 20
} Use;

typedef struct Kind {
    const char *name;
    unsigned needs, may; /* sums of Use */
} Kind;

#define FEET (USE_FEET | USE_BASE)
#define PATH (USE_JOINTS | USE_TRAJECTORY)

static const Kind controller_kinds[] = {
    {"pd", PATH | USE_KP | USE_KD, USE_GRAVITY | FEET},
    {"pid", PATH | USE_KP | USE_KI | USE_KD, USE_GRAVITY | FEET},
    {"implicit-pd", PATH | USE_KP | USE_KD, USE_GRAVITY | FEET},
    {"hard", PATH, USE_RATE | FEET},
    {"computed-torque", PATH | USE_KP | USE_KD, FEET},
    {"inverse-dynamics", PATH | USE_KP | USE_KD, USE_FRICTION | FEET},
    {"no-slip", PATH | USE_KP | USE_KD, FEET},
    {"foot-pd", PATH | USE_FEET | USE_FOOT_KP | USE_FOOT_KD, USE_BASE},
};

static const Kind trajectory_kinds[] = {
    {"constant", USE_POSITION, 0},
    {"sinusoid", USE_AMPLITUDE | USE_FREQUENCY, USE_POSITION | USE_PHASE},
    {"spline", USE_KNOTS, USE_PERIODIC},
    {"csv", USE_FILE, USE_PERIODIC},
    {"gait", USE_GAIT, USE_MOTION},
};

typedef struct KindKey {
    const char *name;
    unsigned use; /* 0: every kind takes it */
    RgYamlRead *read;
} KindKey;

/* What is being read. */
typedef struct Reader {
    RgPlan *plan;
    RgPlanController *controller;
    RgPlanTrajectory *trajectory;
    RgPlanFoot *foot;
    RgPlanKnot *knot;
} Reader;

/* A map whose keys depend on its kind. */
typedef struct KindMap {
    const char *what;
    const Kind *kinds;
    int nkinds;
    const KindKey *keys;
    int nkeys;
    const Kind *kind; /* what it turned out to be */
    unsigned given;
    Reader *reader;
} KindMap;

static const Kind *find_kind(const Kind *kinds, int nkinds, const char *name)
{
    for (int i = 0; i < nkinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

/* Appends a word to a list in a text. */
static void add_word(char *all, size_t room, const char *word)
{
    size_t used = strlen(all);
    snprintf(all + used, room - used, "%s%s", used ? ", " : "", word);
}

static bool fail_kind(RgYaml *yaml, const yaml_node_t *node, const KindMap *map, const char *text)
{
    char all[256] = "";
    RgNearest nearest = rg_nearest_begin(text);
    for (int i = 0; i < map->nkinds; i++) {
        add_word(all, sizeof all, map->kinds[i].name);
        rg_nearest_offer(&nearest, map->kinds[i].name);
    }
    if (strcmp(text, "callback") == 0)
        return rg_yaml_fail(yaml, node,
                            "%s: kind 'callback' is a function of a program in C; expected one of %s",
                            map->what, all);
    return nearest.best ? rg_yaml_fail(yaml, node, "%s: unknown kind '%.60s'; did you mean '%s'?", map->what,
                                       text, nearest.best)
                        : rg_yaml_fail(yaml, node, "%s: unknown kind '%.60s'; expected one of %s", map->what,
                                       text, all);
}

/* The value of the key kind, wherever it stands in the map. */
static bool read_kind(RgYaml *yaml, yaml_node_t *key, yaml_node_t *node, void *target)
{
    KindMap *map = target;
    if (strcmp((const char *)key->data.scalar.value, "kind") != 0)
        return true;
    const char *text = rg_yaml_text(yaml, node, "kind");
    if (!text)
        return false;
    map->kind = find_kind(map->kinds, map->nkinds, text);
    return map->kind || fail_kind(yaml, node, map, text);
}

/* A key that is misspelt, or of other kinds. */
static bool fail_key(RgYaml *yaml, const yaml_node_t *key, const KindMap *map, bool known)
{
    const char *name = (const char *)key->data.scalar.value;
    char all[256] = "kind";
    RgNearest nearest = rg_nearest_begin(name);
    for (int i = 0; i < map->nkeys; i++) {
        unsigned use = map->keys[i].use;
        if (use && !(use & (map->kind->needs | map->kind->may)))
            continue;
        add_word(all, sizeof all, map->keys[i].name);
        rg_nearest_offer(&nearest, map->keys[i].name);
    }
    if (known)
        return rg_yaml_fail(yaml, key, "%s: kind '%s' has no use for '%s'; it takes %s", map->what,
                            map->kind->name, name, all);
    return nearest.best
               ? rg_yaml_fail(yaml, key, "%s: unknown key '%.60s'; did you mean '%s'?", map->what, name,
                              nearest.best)
               : rg_yaml_fail(yaml, key, "%s: unknown key '%.60s'; expected one of %s", map->what, name, all);
}

static bool read_kind_key(RgYaml *yaml, yaml_node_t *key, yaml_node_t *node, void *target)
{
    KindMap *map = target;
    const char *name = (const char *)key->data.scalar.value;
    if (strcmp(name, "kind") == 0)
        return true;
    for (int i = 0; i < map->nkeys; i++) {
        const KindKey *candidate = &map->keys[i];
        if (strcmp(candidate->name, name) != 0)
            continue;
        if (candidate->use && !(candidate->use & (map->kind->needs | map->kind->may)))
            return fail_key(yaml, key, map, true);
        map->given |= candidate->use;
        return candidate->read(yaml, node, map->reader);
    }
    return fail_key(yaml, key, map, false);
}

/* First the kind, then the keys that go with it, then what is missing. */
static bool read_kind_map(RgYaml *yaml, yaml_node_t *node, KindMap *map)
{
    if (!rg_yaml_each(yaml, node, map->what, read_kind, map))
        return false;
    if (!map->kind) {
        char all[256] = "";
        for (int i = 0; i < map->nkinds; i++)
            add_word(all, sizeof all, map->kinds[i].name);
        return rg_yaml_fail(yaml, node, "%s: 'kind' is missing; expected one of %s", map->what, all);
    }
    if (!rg_yaml_each(yaml, node, map->what, read_kind_key, map))
        return false;
    for (int i = 0; i < map->nkeys; i++)
        if (map->keys[i].use & map->kind->needs & ~map->given)
            return rg_yaml_fail(yaml, node, "%s: kind '%s' needs '%s'%s", map->what, map->kind->name,
                                map->keys[i].name,
                                map->keys[i].use & (USE_KP | USE_KI | USE_KD) ? " (0 for none)" : "");
    return true;
}

/* ------------------------------------------------------------------ numbers */

static RgPlanPlace place_of(const yaml_node_t *node)
{
    return (RgPlanPlace){(int)node->start_mark.line + 1, (int)node->start_mark.column + 1};
}

static bool read_name(RgYaml *yaml, yaml_node_t *node, const char *what, RgPlan *plan, RgPlanName *out)
{
    const char *text = rg_yaml_text(yaml, node, what);
    if (text)
        *out = (RgPlanName){rg_pool_print(&plan->pool, "%s", text), place_of(node)};
    return text != NULL;
}

typedef enum Sort {
    SORT_ANY,
    SORT_GAIN, /* not negative */
    SORT_LIMIT /* positive, or model, inf, none */
} Sort;

typedef struct NumbersReader {
    RgPlan *plan;
    const char *what;
    Sort sort;
    RgPlanNumbers *out;
} NumbersReader;

static bool read_one(RgYaml *yaml, yaml_node_t *node, const NumbersReader *reader, double *out)
{
    if (reader->sort == SORT_LIMIT && node->type == YAML_SCALAR_NODE) {
        const char *text = (const char *)node->data.scalar.value;
        bool none = strcmp(text, "none") == 0 || strcmp(text, "inf") == 0 || strcmp(text, ".inf") == 0;
        *out = none ? INFINITY : NAN;
        if (none || strcmp(text, "model") == 0)
            return true;
        if (!rg_number_parse(text, out))
            return rg_yaml_fail(yaml, node, "%s: expected a number, 'model' or 'none', found '%.60s'",
                                reader->what, text);
    }
    if (!rg_yaml_number(yaml, node, reader->what, out))
        return false;
    if (reader->sort == SORT_GAIN && *out < 0.0)
        return rg_yaml_fail(yaml, node, "%s: %g is negative", reader->what, *out);
    if (reader->sort == SORT_LIMIT && !(*out > 0.0))
        return rg_yaml_fail(yaml, node, "%s: %g is not above 0; 'none' for no limit", reader->what, *out);
    return true;
}

static bool add_number(RgYaml *yaml, yaml_node_t *node, NumbersReader *reader)
{
    RgPlanNumbers *out = reader->out;
    out->values = rg_pool_grow(&reader->plan->pool, out->values, out->count, sizeof *out->values);
    return read_one(yaml, node, reader, &out->values[out->count++]);
}

static bool add_listed(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return add_number(yaml, node, target);
}

static bool add_named(RgYaml *yaml, yaml_node_t *key, yaml_node_t *node, void *target)
{
    NumbersReader *reader = target;
    RgPlanNumbers *out = reader->out;
    out->names = rg_pool_grow(&reader->plan->pool, out->names, out->count, sizeof *out->names);
    return read_name(yaml, key, reader->what, reader->plan, &out->names[out->count]) &&
           add_number(yaml, node, reader);
}

static bool read_numbers(RgYaml *yaml, yaml_node_t *node, NumbersReader reader)
{
    RgPlanNumbers *out = reader.out;
    *out = (RgPlanNumbers){.at = place_of(node)};
    bool good;
    if (node->type == YAML_MAPPING_NODE) {
        good = rg_yaml_each(yaml, node, reader.what, add_named, &reader);
    } else if (node->type == YAML_SEQUENCE_NODE) {
        out->list = true;
        good = rg_yaml_list(yaml, node, reader.what, add_listed, &reader);
    } else {
        good = add_number(yaml, node, &reader);
    }
    if (good && out->count == 0)
        return rg_yaml_fail(yaml, node, "%s: expected numbers, found nothing", reader.what);
    return good;
}

static bool read_range(RgYaml *yaml, yaml_node_t *node, const char *what, double low, double high,
                       double *out)
{
    if (!rg_yaml_number(yaml, node, what, out))
        return false;
    if (*out < low || *out > high)
        return rg_yaml_fail(yaml, node, "%s: %g is not between %g and %g", what, *out, low, high);
    return true;
}

static bool read_point(RgYaml *yaml, yaml_node_t *node, const char *what, RgVec3 *out)
{
    double x[3];
    int count = rg_yaml_numbers(yaml, node, what, x, 3);
    if (count >= 0 && count != 3)
        return rg_yaml_fail(yaml, node, "%s: expected three numbers, found %d", what, count);
    *out = count == 3 ? (RgVec3){x[0], x[1], x[2]} : *out;
    return count == 3;
}

/* ------------------------------------------------------------------ trajectories */

static bool trajectory_numbers(RgYaml *yaml, yaml_node_t *node, const Reader *reader, const char *what,
                               RgPlanNumbers *out)
{
    return read_numbers(yaml, node, (NumbersReader){reader->plan, what, SORT_ANY, out});
}

static bool key_position(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    return trajectory_numbers(yaml, node, reader, "position", &reader->trajectory->position);
}

static bool key_amplitude(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    return trajectory_numbers(yaml, node, reader, "amplitude", &reader->trajectory->amplitude);
}

static bool key_frequency(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    return trajectory_numbers(yaml, node, reader, "frequency", &reader->trajectory->frequency);
}

static bool key_phase(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    return trajectory_numbers(yaml, node, reader, "phase", &reader->trajectory->phase);
}

static bool knot_time(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_range(yaml, node, "time", 0, RG_PLAN_DURATION_MAX, &((Reader *)target)->knot->time);
}

static bool knot_position(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    return trajectory_numbers(yaml, node, reader, "position", &reader->knot->position);
}

static bool read_knot(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {{"time", knot_time}, {"position", knot_position}};
    Reader *reader = target;
    RgPlanTrajectory *t = reader->trajectory;
    RgPlanKnot knot = {.time = NAN, .at = place_of(node)};
    reader->knot = &knot;
    if (!rg_yaml_map(yaml, node, "knot", keys, COUNT(keys), reader))
        return false;
    if (isnan(knot.time) || knot.position.count == 0)
        return rg_yaml_fail(yaml, node, "knot: '%s' is missing", isnan(knot.time) ? "time" : "position");
    if (t->nknots > 0 && !(knot.time > t->knots[t->nknots - 1].time))
        return rg_yaml_fail(yaml, node,
                            "knot: time %g s does not come after %g s, that of the knot before it", knot.time,
                            t->knots[t->nknots - 1].time);
    t->knots = rg_pool_grow(&reader->plan->pool, t->knots, t->nknots, sizeof *t->knots);
    t->knots[t->nknots++] = knot;
    return true;
}

static bool key_knots(RgYaml *yaml, yaml_node_t *node, void *target)
{
    if (!rg_yaml_list(yaml, node, "knots", read_knot, target))
        return false;
    int nknots = ((Reader *)target)->trajectory->nknots;
    return nknots >= 2 || rg_yaml_fail(yaml, node, "knots: expected two or more, found %d", nknots);
}

static bool key_periodic(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_bool(yaml, node, "periodic", &((Reader *)target)->trajectory->periodic);
}

static bool key_file(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    const char *text = rg_yaml_text(yaml, node, "file");
    if (text)
        reader->trajectory->file = rg_run_file_path(reader->plan, text);
    return text != NULL;
}

static bool key_period(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_range(yaml, node, "period", 1e-3, 1e3, &((Reader *)target)->trajectory->period);
}

static bool key_duty(RgYaml *yaml, yaml_node_t *node, void *target)
{
    double *duty = &((Reader *)target)->trajectory->duty;
    if (!rg_yaml_number(yaml, node, "duty", duty))
        return false;
    return (*duty > 0.0 && *duty <= 1.0) ||
           rg_yaml_fail(yaml, node, "duty: %g is not above 0 and up to 1", *duty);
}

static bool key_lift(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_range(yaml, node, "lift", 0, 100, &((Reader *)target)->trajectory->lift);
}

static bool key_velocity(RgYaml *yaml, yaml_node_t *node, void *target)
{
    double xy[2] = {0.0, 0.0};
    int count = rg_yaml_numbers(yaml, node, "velocity", xy, 2);
    if (count < 0)
        return false;
    if (count != 2)
        return rg_yaml_fail(yaml, node, "velocity: expected two numbers (forward, to the left), found %d",
                            count);
    ((Reader *)target)->trajectory->vx = xy[0];
    ((Reader *)target)->trajectory->vy = xy[1];
    return true;
}

static bool key_yaw_rate(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_number(yaml, node, "yaw_rate", &((Reader *)target)->trajectory->yaw_rate);
}

static bool key_trajectory(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const KindKey keys[] = {{"position", USE_POSITION, key_position},
                                   {"amplitude", USE_AMPLITUDE, key_amplitude},
                                   {"frequency", USE_FREQUENCY, key_frequency},
                                   {"phase", USE_PHASE, key_phase},
                                   {"knots", USE_KNOTS, key_knots},
                                   {"file", USE_FILE, key_file},
                                   {"periodic", USE_PERIODIC, key_periodic},
                                   {"period", USE_GAIT, key_period},
                                   {"duty", USE_GAIT, key_duty},
                                   {"lift", USE_GAIT, key_lift},
                                   {"velocity", USE_MOTION, key_velocity},
                                   {"yaw_rate", USE_MOTION, key_yaw_rate}};
    Reader *reader = target;
    KindMap map = {.what = "trajectory",
                   .kinds = trajectory_kinds,
                   .nkinds = COUNT(trajectory_kinds),
                   .keys = keys,
                   .nkeys = COUNT(keys),
                   .reader = reader};
    RgPlanTrajectory *t = &reader->controller->trajectory;
    reader->trajectory = t;
    *t = (RgPlanTrajectory){.period = NAN, .duty = NAN, .lift = NAN, .at = place_of(node)};
    if (!read_kind_map(yaml, node, &map))
        return false;
    t->kind = map.kind->name;
    if (strcmp(t->kind, "gait") == 0 && (isnan(t->period) || isnan(t->duty) || isnan(t->lift)))
        return rg_yaml_fail(yaml, node, "trajectory: kind 'gait' needs '%s'",
                            isnan(t->period) ? "period"
                            : isnan(t->duty) ? "duty"
                                             : "lift");
    return true;
}

/* ------------------------------------------------------------------ controllers */

static bool controller_numbers(RgYaml *yaml, yaml_node_t *node, const Reader *reader, const char *what,
                               RgPlanNumbers *out)
{
    return read_numbers(yaml, node, (NumbersReader){reader->plan, what, SORT_GAIN, out});
}

static bool key_kp(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return controller_numbers(yaml, node, target, "kp", &((Reader *)target)->controller->kp);
}

static bool key_ki(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return controller_numbers(yaml, node, target, "ki", &((Reader *)target)->controller->ki);
}

static bool key_kd(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return controller_numbers(yaml, node, target, "kd", &((Reader *)target)->controller->kd);
}

static bool key_name(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    RgPlanName name;
    if (!read_name(yaml, node, "name", reader->plan, &name))
        return false;
    reader->controller->name = name.text;
    return true;
}

static bool read_joint(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    RgPlanController *c = reader->controller;
    c->joints = rg_pool_grow(&reader->plan->pool, c->joints, c->njoints, sizeof *c->joints);
    RgPlanName *joint = &c->joints[c->njoints];
    if (!read_name(yaml, node, "joints", reader->plan, joint))
        return false;
    for (int i = 0; i < c->njoints; i++)
        if (strcmp(c->joints[i].text, joint->text) == 0)
            return rg_yaml_fail(yaml, node, "joints: '%s' is given twice", joint->text);
    c->njoints++;
    return true;
}

static bool key_joints(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgPlanController *c = ((Reader *)target)->controller;
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

static bool limit_effort(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    return read_numbers(yaml, node,
                        (NumbersReader){reader->plan, "effort", SORT_LIMIT, &reader->controller->effort});
}

static bool limit_velocity(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    return read_numbers(yaml, node,
                        (NumbersReader){reader->plan, "velocity", SORT_LIMIT, &reader->controller->velocity});
}

static bool limit_base_velocity(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    return read_numbers(
        yaml, node,
        (NumbersReader){reader->plan, "base_velocity", SORT_LIMIT, &reader->controller->base_velocity});
}

static bool key_limits(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {
        {"effort", limit_effort}, {"velocity", limit_velocity}, {"base_velocity", limit_base_velocity}};
    if (node->type == YAML_MAPPING_NODE)
        return rg_yaml_map(yaml, node, "limits", keys, COUNT(keys), target);
    const char *text = rg_yaml_text(yaml, node, "limits");
    if (text && strcmp(text, "none") != 0 && strcmp(text, "model") != 0)
        return rg_yaml_fail(
            yaml, node, "limits: expected model, none, or {effort, velocity, base_velocity}, found '%.60s'",
            text);
    return text && limit_effort(yaml, node, target) && limit_velocity(yaml, node, target);
}

static bool key_gravity(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_bool(yaml, node, "gravity", &((Reader *)target)->controller->gravity);
}

static bool key_friction(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_range(yaml, node, "friction", 0, 1e6, &((Reader *)target)->controller->friction);
}

/* Per second; inf: within a step. */
static bool key_rate(RgYaml *yaml, yaml_node_t *node, void *target)
{
    double *rate = &((Reader *)target)->controller->rate;
    const char *text = node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
    *rate = INFINITY;
    return strcmp(text, "inf") == 0 || strcmp(text, ".inf") == 0 ||
           read_range(yaml, node, "rate", 0, 1e9, rate);
}

static bool key_foot_kp(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_range(yaml, node, "foot_kp", 0, 1e12, &((Reader *)target)->controller->foot_kp);
}

static bool key_foot_kd(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_range(yaml, node, "foot_kd", 0, 1e12, &((Reader *)target)->controller->foot_kd);
}

static bool key_base(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    return read_name(yaml, node, "base", reader->plan, &reader->controller->base);
}

static bool foot_link(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    return read_name(yaml, node, "link", reader->plan, &reader->foot->link);
}

static bool foot_point(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_point(yaml, node, "point", &((Reader *)target)->foot->point);
}

static bool foot_neutral(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_point(yaml, node, "neutral", &((Reader *)target)->foot->neutral);
}

static bool foot_touchdown(RgYaml *yaml, yaml_node_t *node, void *target)
{
    double *touchdown = &((Reader *)target)->foot->touchdown;
    if (!rg_yaml_number(yaml, node, "touchdown", touchdown))
        return false;
    return (*touchdown >= 0.0 && *touchdown < 1.0) ||
           rg_yaml_fail(yaml, node, "touchdown: %g is not a part of the period, from 0 to below 1",
                        *touchdown);
}

static bool read_foot(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {
        {"link", foot_link}, {"point", foot_point}, {"neutral", foot_neutral}, {"touchdown", foot_touchdown}};
    Reader *reader = target;
    RgPlanController *c = reader->controller;
    RgPlanFoot foot = {.neutral = {NAN, NAN, NAN}, .touchdown = NAN};
    reader->foot = &foot;
    if (!rg_yaml_map(yaml, node, "foot", keys, COUNT(keys), reader))
        return false;
    if (!foot.link.text)
        return rg_yaml_fail(yaml, node, "foot: 'link' is missing");
    c->feet = rg_pool_grow(&reader->plan->pool, c->feet, c->nfeet, sizeof *c->feet);
    c->feet[c->nfeet++] = foot;
    return true;
}

static bool key_feet(RgYaml *yaml, yaml_node_t *node, void *target)
{
    if (!rg_yaml_list(yaml, node, "feet", read_foot, target))
        return false;
    return ((Reader *)target)->controller->nfeet > 0 ||
           rg_yaml_fail(yaml, node, "feet: expected feet, found an empty list");
}

static const KindKey controller_keys[] = {{"name", 0, key_name},
                                          {"joints", USE_JOINTS, key_joints},
                                          {"kp", USE_KP, key_kp},
                                          {"ki", USE_KI, key_ki},
                                          {"kd", USE_KD, key_kd},
                                          {"limits", 0, key_limits},
                                          {"gravity", USE_GRAVITY, key_gravity},
                                          {"friction", USE_FRICTION, key_friction},
                                          {"rate", USE_RATE, key_rate},
                                          {"base", USE_BASE, key_base},
                                          {"feet", USE_FEET, key_feet},
                                          {"foot_kp", USE_FOOT_KP, key_foot_kp},
                                          {"foot_kd", USE_FOOT_KD, key_foot_kd},
                                          {"trajectory", USE_TRAJECTORY, key_trajectory}};

/* Feet and gaits go together. */
static bool check_feet(RgYaml *yaml, const yaml_node_t *node, const RgPlanController *c)
{
    bool gait = strcmp(c->trajectory.kind, "gait") == 0;
    if (gait && c->nfeet == 0)
        return rg_yaml_fail(yaml, node, "controller: a gait needs 'feet'");
    if (!gait && strcmp(c->kind, "foot-pd") == 0)
        return rg_yaml_fail(yaml, node, "controller: kind 'foot-pd' needs a trajectory of kind 'gait'");
    for (int i = 0; gait && i < c->nfeet; i++)
        if (isnan(c->feet[i].touchdown))
            return rg_yaml_fail(yaml, node, "controller: foot %d needs 'touchdown', its part of the period",
                                i + 1);
    return true;
}

static bool read_controller(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    RgPlanControl *control = &reader->plan->control;
    RgPlanController c = {.foot_kp = NAN, .foot_kd = NAN, .friction = NAN, .rate = NAN, .at = place_of(node)};
    KindMap map = {.what = "controller",
                   .kinds = controller_kinds,
                   .nkinds = COUNT(controller_kinds),
                   .keys = controller_keys,
                   .nkeys = COUNT(controller_keys),
                   .reader = reader};
    reader->controller = &c;
    if (!read_kind_map(yaml, node, &map))
        return false;
    c.kind = map.kind->name;
    if (!check_feet(yaml, node, &c))
        return false;
    control->controllers = rg_pool_grow(&reader->plan->pool, control->controllers, control->ncontrollers,
                                        sizeof *control->controllers);
    control->controllers[control->ncontrollers++] = c;
    return true;
}

/* ------------------------------------------------------------------ the section */

/* A rate or delay, which all sections share. */
static bool read_shared(RgYaml *yaml, yaml_node_t *node, const char *what, double *value, RgPlanPlace *at)
{
    double low = strcmp(what, "rate") == 0 ? RG_PLAN_RATE_MIN : 0.0;
    double high = strcmp(what, "rate") == 0 ? RG_PLAN_RATE_MAX : RG_PLAN_DURATION_MAX;
    double before = *value;
    if (!read_range(yaml, node, what, low, high, value))
        return false;
    if (!isnan(before) && before != *value)
        return rg_yaml_fail(yaml, node, "%s: %g here and %g in line %d: there is one for all controllers",
                            what, *value, before, at->line);
    *at = place_of(node);
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
    static const RgYamlKey keys[] = {{"rate", control_rate},
                                     {"delay", control_delay},
                                     {"start", control_start},
                                     {"controllers", control_controllers}};
    Reader reader = {.plan = plan};
    int before = plan->control.ncontrollers;
    bool good = node->type == YAML_SEQUENCE_NODE
                    ? control_controllers(yaml, node, &reader)
                    : rg_yaml_map(yaml, node, "control", keys, COUNT(keys), &reader);
    if (good && plan->control.ncontrollers == before)
        return rg_yaml_fail(yaml, node, "control: 'controllers' is missing or empty");
    return good;
}

RgPlanControl rg_plan_control_none(void)
{
    return (RgPlanControl){.rate = NAN, .delay = NAN};
}

/* ------------------------------------------------------------------ what others ask */

static unsigned use_of(const char *key)
{
    for (int i = 0; i < COUNT(controller_keys); i++)
        if (strcmp(controller_keys[i].name, key) == 0)
            return controller_keys[i].use;
    return 0;
}

bool rg_control_file_knows(const char *kind)
{
    return find_kind(controller_kinds, COUNT(controller_kinds), kind) != NULL;
}

bool rg_control_file_takes(const char *kind, const char *key)
{
    const Kind *found = find_kind(controller_kinds, COUNT(controller_kinds), kind);
    return found && (use_of(key) & (found->needs | found->may)) != 0;
}

bool rg_control_file_needs(const char *kind, const char *key)
{
    const Kind *found = find_kind(controller_kinds, COUNT(controller_kinds), kind);
    return found && (use_of(key) & found->needs) != 0;
}

bool rg_plan_control_set(RgPlan *plan, RgPlanController *c, const char *key, const double *values, int count)
{
    const struct {
        const char *key;
        RgPlanNumbers *numbers;
        double *number;
    } gains[] = {{"kp", &c->kp, NULL},           {"ki", &c->ki, NULL},
                 {"kd", &c->kd, NULL},           {"foot_kp", NULL, &c->foot_kp},
                 {"foot_kd", NULL, &c->foot_kd}, {"friction", NULL, &c->friction},
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
