/*
 * world_signal.c - signals of a run by name (one table), and their statistics.
 *
 * A signal counts as constant over the step that ends with it, so that with steps h_i
 *
 *   mean = sum h_i x_i / sum h_i      rms = sqrt(sum h_i x_i^2 / sum h_i)
 *
 * The start counts for first, min and max, not for means. Values that are not finite are ignored.
 *
 * Fails on: unknown names (the nearest is suggested), joints and links that the model does not have, components beyond
 * the last.
 */
#include "sweep/world_signal.h"

#include "io/error.h"
#include "io/key_path.h"
#include "io/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a signal belongs to. */
typedef enum Owner { WORLD, JOINT, LINK } Owner;

/* Writes the components; returns their number. */
typedef int SignalFn(const RgSignal *signal, RgRun *run, double out[RG_PLAN_VALUES_MAX]);

struct RgSignalKind {
    Owner owner;
    const char *name; /* after joint.NAME. or link.NAME.; of WORLD alone */
    SignalFn *read;
    int components; /* -1: as many as the joint has positions, -2: velocities */
};

/* ------------------------------------------------------------------ kinds */

static int put_vector(RgVec3 v, double *out)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
    return 3;
}

static int read_time(const RgSignal *s, RgRun *run, double *out)
{
    (void)s;
    out[0] = rg_world_time(run->world);
    return 1;
}

/* The fastest joint velocity, rad/s or m/s. */
static int read_speed(const RgSignal *s, RgRun *run, double *out)
{
    (void)s;
    const double *v = rg_world_v(run->world);
    int nv = rg_model_info(run->model).nv;
    out[0] = 0.0;
    for (int i = 0; i < nv; i++)
        out[0] = fmax(out[0], fabs(v[i]));
    return 1;
}

static int read_contacts(const RgSignal *s, RgRun *run, double *out)
{
    (void)s;
    out[0] = rg_world_last_report(run->world)->contacts;
    return 1;
}

/* Sum of the normal forces of all contact points, N. */
static int read_contact_force(const RgSignal *s, RgRun *run, double *out)
{
    (void)s;
    const RgContactForce *forces;
    int n = rg_world_contact_forces(run->world, &forces);
    out[0] = 0.0;
    for (int i = 0; i < n; i++) {
        RgVec3 f = forces[i].force, d = forces[i].normal;
        out[0] += f.x * d.x + f.y * d.y + f.z * d.z;
    }
    return 1;
}

static int read_sweeps(const RgSignal *s, RgRun *run, double *out)
{
    (void)s;
    out[0] = rg_world_last_report(run->world)->sweeps;
    return 1;
}

static int read_residual(const RgSignal *s, RgRun *run, double *out)
{
    (void)s;
    out[0] = rg_world_last_report(run->world)->residual;
    return 1;
}

static RgMomentum momentum(RgRun *run)
{
    RgMomentum m = {.kinetic = (double)NAN, .potential = (double)NAN};
    rg_world_momentum(run->world, &m);
    return m;
}

static int read_com(const RgSignal *s, RgRun *run, double *out)
{
    (void)s;
    return put_vector(momentum(run).com, out);
}

static int read_linear(const RgSignal *s, RgRun *run, double *out)
{
    (void)s;
    return put_vector(momentum(run).linear, out);
}

static int read_angular(const RgSignal *s, RgRun *run, double *out)
{
    (void)s;
    return put_vector(momentum(run).angular, out);
}

static int read_kinetic(const RgSignal *s, RgRun *run, double *out)
{
    (void)s;
    out[0] = momentum(run).kinetic;
    return 1;
}

static int read_potential(const RgSignal *s, RgRun *run, double *out)
{
    (void)s;
    out[0] = momentum(run).potential;
    return 1;
}

static int read_total(const RgSignal *s, RgRun *run, double *out)
{
    (void)s;
    RgMomentum m = momentum(run);
    out[0] = m.kinetic + m.potential;
    return 1;
}

static int read_position(const RgSignal *s, RgRun *run, double *out)
{
    rg_world_joint_position(run->world, s->joint, out);
    return rg_model_joint(run->model, s->joint).nq;
}

static int read_rate(const RgSignal *s, RgRun *run, double *out)
{
    rg_world_joint_rate(run->world, s->joint, out);
    return rg_model_joint(run->model, s->joint).nv;
}

static int read_effort(const RgSignal *s, RgRun *run, double *out)
{
    rg_world_joint_effort(run->world, s->joint, out);
    return rg_model_joint(run->model, s->joint).nv;
}

static int read_link_position(const RgSignal *s, RgRun *run, double *out)
{
    return put_vector(rg_world_link_pose(run->world, s->link).p, out);
}

static int read_link_velocity(const RgSignal *s, RgRun *run, double *out)
{
    return put_vector(rg_world_link_twist(run->world, s->link).v, out);
}

static int read_link_angular(const RgSignal *s, RgRun *run, double *out)
{
    return put_vector(rg_world_link_twist(run->world, s->link).w, out);
}

/* Angle of the link's z axis with the vertical, rad: by sine and cosine, accurate for all angles. */
static int read_tilt(const RgSignal *s, RgRun *run, double *out)
{
    RgMat3 R = rg_world_link_pose(run->world, s->link).R;
    out[0] = atan2(hypot(R.m[0][2], R.m[1][2]), R.m[2][2]);
    return 1;
}

static const RgSignalKind kinds[] = {
    {WORLD, "time", read_time, 1},
    {WORLD, "speed", read_speed, 1},
    {WORLD, "contacts", read_contacts, 1},
    {WORLD, "contact_force", read_contact_force, 1},
    {WORLD, "sweeps", read_sweeps, 1},
    {WORLD, "residual", read_residual, 1},
    {WORLD, "com", read_com, 3},
    {WORLD, "energy.kinetic", read_kinetic, 1},
    {WORLD, "energy.potential", read_potential, 1},
    {WORLD, "energy.total", read_total, 1},
    {WORLD, "momentum.linear", read_linear, 3},
    {WORLD, "momentum.angular", read_angular, 3},
    {JOINT, "position", read_position, -1},
    {JOINT, "rate", read_rate, -2},
    {JOINT, "effort", read_effort, -2},
    {LINK, "position", read_link_position, 3},
    {LINK, "velocity", read_link_velocity, 3},
    {LINK, "angular_velocity", read_link_angular, 3},
    {LINK, "tilt", read_tilt, 1},
};
#define NKINDS (int)(sizeof kinds / sizeof kinds[0])

static const char *full_name(RgPool *pool, const RgSignalKind *kind)
{
    return rg_pool_print(pool, "%s%s",
                         kind->owner == JOINT  ? "joint.NAME."
                         : kind->owner == LINK ? "link.NAME."
                                               : "",
                         kind->name);
}

void rg_signal_print_list(void)
{
    RgPool pool = {NULL};
    for (int i = 0; i < NKINDS; i++)
        printf("  %s%s\n", full_name(&pool, &kinds[i]), kinds[i].components == 1 ? "" : "[k]");
    rg_pool_free(&pool);
}

/* ------------------------------------------------------------------ reading the name */

static const char *fail_unknown(RgPool *pool, Owner owner, const char *text, const char *word)
{
    RgNearest nearest = rg_nearest_begin(word);
    const char *all = "";
    for (int i = 0; i < NKINDS; i++) {
        if (kinds[i].owner != owner)
            continue;
        rg_nearest_offer(&nearest, kinds[i].name);
        all = rg_pool_print(pool, "%s%s%s", all, *all ? ", " : "", kinds[i].name);
    }
    return nearest.best ? rg_pool_print(pool, "'%s': unknown '%s'; did you mean '%s'?", text, word, nearest.best)
                        : rg_pool_print(pool, "'%s': unknown '%s'; expected one of %s%s", text, word, all,
                                        owner == WORLD ? ", joint.NAME..., link.NAME..." : "");
}

const char *rg_signal_parse(RgPool *pool, const char *text, RgSignal *out)
{
    const char *bad = rg_path_wrong(text);
    if (bad)
        return rg_pool_print(pool, "'%s' is no signal: %s", text, bad);
    *out = (RgSignal){.text = rg_pool_print(pool, "%s", text), .component = -1};
    RgPathStep step = rg_path_step(text, true);
    Owner owner = strcmp(step.name, "joint") == 0 ? JOINT : strcmp(step.name, "link") == 0 ? LINK : WORLD;
    if (owner != WORLD) {
        step = rg_path_step(step.rest, false);
        if (step.kind != RG_PATH_NAME)
            return rg_pool_print(pool, "'%s': expected a name after '%s.'", text, owner == JOINT ? "joint" : "link");
        out->name = rg_pool_print(pool, "%s", step.name);
        step = rg_path_step(step.rest, false);
    }
    const char *word = step.kind == RG_PATH_NAME ? rg_pool_print(pool, "%s", step.name) : "";
    step = step.kind == RG_PATH_NAME ? rg_path_step(step.rest, false) : step;
    if (owner == WORLD && step.kind == RG_PATH_NAME) {
        word = rg_pool_print(pool, "%s.%s", word, step.name);
        step = rg_path_step(step.rest, false);
    }
    for (int i = 0; i < NKINDS && !out->kind; i++)
        out->kind = kinds[i].owner == owner && strcmp(kinds[i].name, word) == 0 ? &kinds[i] : NULL;
    if (!out->kind)
        return fail_unknown(pool, owner, text, word);
    if (step.kind == RG_PATH_INDEX) {
        out->component = step.index;
        step = rg_path_step(step.rest, false);
    }
    if (step.kind != RG_PATH_END)
        return rg_pool_print(pool, "'%s': expected nothing, or an index in brackets, after '%s'", text, word);
    if (out->kind->components > 0 && out->component >= out->kind->components)
        return rg_pool_print(pool, "'%s': %s has %d component%s, the first is [0]", text, word, out->kind->components,
                             out->kind->components == 1 ? "" : "s");
    return NULL;
}

/* ------------------------------------------------------------------ values in a run */

static bool fail_missing(const RgSignal *s, const RgRun *run, bool is_joint, RgError *error)
{
    RgModelInfo info = rg_model_info(run->model);
    RgNearest nearest = rg_nearest_begin(s->name);
    for (int32_t i = 1; i <= (is_joint ? info.joints : info.links); i++)
        rg_nearest_offer(&nearest, is_joint ? rg_model_joint(run->model, (RgJointId){i}).name
                                            : rg_model_link(run->model, (RgLinkId){i}).name);
    rg_error_set(error, RG_ERR_NOT_FOUND, NULL, "'%s': the model has no %s '%s', or several of that name%s%s%s",
                 s->text, is_joint ? "joint" : "link", s->name, nearest.best ? "; did you mean '" : "",
                 nearest.best ? nearest.best : "", nearest.best ? "'?" : "");
    return false;
}

bool rg_signal_find(RgSignal *s, RgRun *run, RgError *error)
{
    if (s->kind->owner == WORLD)
        return true;
    bool is_joint = s->kind->owner == JOINT;
    s->joint = is_joint ? rg_model_find_joint(run->model, s->name) : (RgJointId){0};
    s->link = is_joint ? (RgLinkId){0} : rg_model_find_link(run->model, s->name);
    if (!s->joint.i && !s->link.i) {
        return fail_missing(s, run, is_joint, error);
    }
    int count = s->kind->components;
    if (is_joint)
        count = count == -1 ? rg_model_joint(run->model, s->joint).nq : rg_model_joint(run->model, s->joint).nv;
    if (s->component >= count || count == 0) {
        rg_error_set(error, RG_ERR_NOT_FOUND, NULL, "'%s': '%s' has %d of them", s->text, s->name, count);
        return false;
    }
    return true;
}

double rg_signal_value(const RgSignal *s, RgRun *run)
{
    double x[RG_PLAN_VALUES_MAX] = {0};
    int n = s->kind->read(s, run, x);
    if (s->component >= 0)
        return x[s->component];
    if (n == 1)
        return x[0];
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* ------------------------------------------------------------------ over time */

static const char *const take_names[] = {
#define RG_TAKE_NAME(name, help) #name,
    RG_TAKE_LIST(RG_TAKE_NAME)
#undef RG_TAKE_NAME
};

const char *rg_watched_parse(RgPool *pool, const char *text, RgWatched *out, bool *is_watched)
{
    size_t n = strcspn(text, "("), length = strlen(text);
    *is_watched = n < length;
    if (!*is_watched)
        return NULL;
    *out = (RgWatched){.take = RG_TAKE_COUNT};
    const char *word = rg_pool_print(pool, "%.*s", (int)n, text), *all = "";
    for (int i = 0; i < RG_TAKE_COUNT; i++) {
        if (strcmp(take_names[i], word) == 0)
            out->take = (RgTake)i;
        all = rg_pool_print(pool, "%s%s%s", all, i ? ", " : "", take_names[i]);
    }
    if (out->take == RG_TAKE_COUNT)
        return rg_pool_print(pool, "'%s': unknown '%s' before the bracket; expected one of %s", text, word, all);
    if (text[length - 1] != ')')
        return rg_pool_print(pool, "'%s': expected ')' at the end", text);
    return rg_signal_parse(pool, rg_pool_print(pool, "%.*s", (int)(length - n - 2), text + n + 1), &out->signal);
}

void rg_watched_begin(RgWatched *w)
{
    *w = (RgWatched){.signal = w->signal, .take = w->take, .after = w->after, .seen = (double)NAN};
}

void rg_watched_sample(RgWatched *w, RgRun *run)
{
    double t = rg_world_time(run->world), h = isnan(w->seen) ? 0.0 : t - w->seen;
    w->seen = t;
    double x = t >= w->after ? rg_signal_value(&w->signal, run) : (double)NAN;
    if (!isfinite(x))
        return;
    w->first = w->any ? w->first : x;
    if (!w->any || x < w->least) {
        w->least = x;
        w->time_of_least = t;
    }
    if (!w->any || x > w->most) {
        w->most = x;
        w->time_of_most = t;
    }
    w->any = true;
    w->last = x;
    w->sum += h * x;
    w->squares += h * x * x;
    w->time += h;
}

double rg_watched_value(const RgWatched *w)
{
    if (!w->any)
        return (double)NAN;
    switch (w->take) {
    case RG_TAKE_last:
        return w->last;
    case RG_TAKE_first:
        return w->first;
    case RG_TAKE_min:
        return w->least;
    case RG_TAKE_max:
        return w->most;
    case RG_TAKE_range:
        return w->most - w->least;
    case RG_TAKE_mean:
        return w->time > 0.0 ? w->sum / w->time : w->last;
    case RG_TAKE_rms:
        return w->time > 0.0 ? sqrt(w->squares / w->time) : fabs(w->last);
    case RG_TAKE_time_of_min:
        return w->time_of_least;
    case RG_TAKE_time_of_max:
        return w->time_of_most;
    case RG_TAKE_COUNT:
        break;
    }
    return (double)NAN;
}

/* ------------------------------------------------------------------ bounds */

const char *rg_bound_parse(RgPool *pool, const char *text, RgBound *out)
{
    size_t n = strcspn(text, "<>"), end = n;
    while (end > 0 && text[end - 1] == ' ')
        end--;
    const char *number = text[n] ? text + n + 1 : "";
    number += strspn(number, " ");
    if (!text[n] || end == 0 || !rg_number_parse(number, &out->number))
        return rg_pool_print(pool, "'%s': expected a name, < or >, and a number", text);
    out->left = rg_pool_print(pool, "%.*s", (int)end, text);
    out->below = text[n] == '<';
    return NULL;
}

bool rg_bound_holds(const RgBound *bound, double x)
{
    return bound->below ? x < bound->number : x > bound->number;
}
