/*
 * fall.c - see fall.h. Limits come from the run itself and from a reference, a successful run with a small step.
 *
 *   height   of a base above the lowest link of its robot        < height x the least of start and reference
 *   tilt     of a base, against its start, heading left out      > tilt
 *   touch    a link of a controlled robot on something that does not move: not a foot of the file, not at the start, not
 *            in the reference
 *   energy   kinetic, of the world     > energy x max(largest of the reference, CALM per kg)
 *   error    mean, of a joint    > max(share M, WORSE x that of the reference); without one ALONE x M
 *
 * M is half the range of a joint's targets in the run, no less than STILL. An error at the smallest step too (an arm
 * that sags) is due to the controller. Without a reference height, tilt and the last bound alone count. A robot that
 * falls at the smallest step tried falls by its controller, not by the step.
 *
 * Not seen: a fall after the end of the run, and one that no rule describes (a robot that sits down slowly with upright
 * trunk by less than half its height).
 */
#include "study/fall.h"

#include "io/options.h"
#include "run/run_control.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define HEIGHT 0.5
#define TILT 60.0   /* deg */
#define ENERGY 20.0 /* times */
#define SHARE 0.5
#define WORSE 3.0
#define ALONE 10.0
#define CALM 0.125       /* J/kg: everything at 0.5 m/s */
#define STILL_ANGLE 0.2  /* rad: motion of a joint with a constant target */
#define STILL_LENGTH 0.1 /* m */
#define LEVEL 1e-3       /* m: a base no higher above its lowest link is not tested for height */
#define SAMPLES 256      /* of wanted positions in a run */
#define DEGREE 0.017453292519943295

typedef struct Base {
    RgLinkId link;
    RgVec3 up;    /* of the world, in the base at the start */
    double start; /* m: height above the lowest link, at the start */
    double least, least_kept;
} Base;

typedef struct Wanted {
    double low, high; /* in the run */
    double kept;      /* mean error in the reference */
} Wanted;

struct RgFall {
    RgVec3 up; /* zero: no gravity */
    int nbases, nlinks, njoints;
    Base *bases;
    int *root;                          /* nlinks: number of the root of a link's tree */
    bool *watched;                      /* nlinks: in a robot with controlled joints */
    bool *may_touch, *touches, *begins; /* nlinks: always; in this run; at its start */
    bool *kept_touches;
    bool any_touch, has_reference, started;
    Wanted *wanted;
    double energy, kept_energy, mass, kept_step;
    double every, next; /* s: how often, and when next, the wanted positions are sampled */
};

void rg_loss_add(RgLoss *loss, RgLossRule rule, const char *format, ...)
{
    size_t used = strlen(loss->text);
    va_list list;
    if (loss->failed[rule])
        return;
    loss->failed[rule] = true;
    if (used > 0)
        used += (size_t)snprintf(loss->text + used, sizeof loss->text - used, "; ");
    if (used >= sizeof loss->text)
        return;
    va_start(list, format);
    vsnprintf(loss->text + used, sizeof loss->text - used, format, list);
    va_end(list);
}

json_t *rg_loss_json(const RgLoss *loss)
{
#define RG_LOSS_NAME(name) [RG_LOSS_##name] = #name,
    static const char *const names[] = {RG_LOSS_LIST(RG_LOSS_NAME)};
#undef RG_LOSS_NAME
    json_t *out = json_array();
    for (int i = 0; i < RG_LOSS_COUNT; i++)
        if (loss->failed[i])
            json_array_append_new(out, json_string(names[i]));
    return out;
}

RgFallRules rg_fall_rules_default(void)
{
    return (RgFallRules){.height = HEIGHT, .tilt = TILT, .energy = ENERGY, .share = SHARE, .touch = true};
}

bool rg_fall_choose(const RgOptions *options, RgFallRules *rules)
{
    const char *touch = rg_options_value(options, "may-touch");
    rules->touch = touch == NULL || strcmp(touch, "all") != 0;
    return rg_options_number(options, "min-height", 0.0, 1.0, &rules->height) &&
           rg_options_number(options, "max-tilt", 0.0, 180.0, &rules->tilt) &&
           rg_options_number(options, "max-energy", 0.0, HUGE_VAL, &rules->energy);
}

/* ------------------------------------------------------------------ what is watched */

static RgVec3 add(RgVec3 a, RgVec3 b)
{
    return (RgVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static double dot(RgVec3 a, RgVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static RgVec3 scale(double s, RgVec3 a)
{
    return (RgVec3){s * a.x, s * a.y, s * a.z};
}

/* R' a. */
static RgVec3 into(const RgMat3 *R, RgVec3 a)
{
    RgVec3 out = {0.0, 0.0, 0.0};
    const double x[3] = {a.x, a.y, a.z};
    for (int i = 0; i < 3; i++)
        out = add(out, scale(x[i], (RgVec3){R->m[i][0], R->m[i][1], R->m[i][2]}));
    return out;
}

/* Upwards; zero without gravity. */
static RgVec3 upwards(const RgRun *run)
{
    RgVec3 g = rg_world_settings(run->world).gravity;
    double size = sqrt(dot(g, g));
    return size > 0.0 ? scale(-1.0 / size, g) : (RgVec3){0.0, 0.0, 0.0};
}

static int root_of(const RgModel *model, int link)
{
    for (int parent = rg_model_link(model, (RgLinkId){link + 1}).parent.i; parent > 0;
         parent = rg_model_link(model, (RgLinkId){link + 1}).parent.i)
        link = parent - 1;
    return link;
}

static void mark_tree(RgFall *f, int link)
{
    for (int i = 0; i < f->nlinks && link >= 0; i++)
        f->watched[i] = f->watched[i] || f->root[i] == f->root[link];
}

/* Robots with controlled joints; feet that the file names. */
static void find_robots(RgFall *f, const RgRun *run, const RgControlDef *def)
{
    for (int i = 0; i < def->ncontrollers; i++) {
        const RgControllerDef *c = &def->controllers[i];
        for (int k = 0; k < c->njoints; k++)
            mark_tree(f, rg_model_joint(run->model, c->joints[k].joint).child.i - 1);
        for (int k = 0; k < c->nfeet; k++)
            if (c->feet[k].link.i > 0)
                f->may_touch[c->feet[k].link.i - 1] = true;
    }
    for (int i = 0; i < f->nlinks; i++)
        if (f->watched[i] && f->root[i] == i && rg_model_link(run->model, (RgLinkId){i + 1}).floats)
            f->bases[f->nbases++] = (Base){.link = {i + 1}};
}

static bool choose_links(RgFall *f, const RgRun *run, const RgOptions *options)
{
    const char *list = rg_options_value(options, "may-touch");
    char word[256];
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        RgLinkId link = rg_model_find_link(run->model, word);
        if (strcmp(list, "all") == 0)
            return true;
        if (link.i == 0)
            return rg_options_complain(options, "--may-touch: there is no link '%s'", word);
        f->may_touch[link.i - 1] = true;
    }
    return true;
}

RgFall *rg_fall_open(RgRun *run, const RgOptions *options)
{
    RgPool *pool = &run->plan.pool;
    RgFall *f = rg_pool_take(pool, 1, sizeof *f);
    RgControlDef def = rg_run_control_def(run);
    size_t n = (size_t)rg_model_info(run->model).links;
    *f = (RgFall){.nlinks = (int)n,
                  .bases = rg_pool_take(pool, n + 1, sizeof *f->bases),
                  .root = rg_pool_take(pool, n + 1, sizeof *f->root),
                  .watched = rg_pool_take(pool, n + 1, sizeof(bool)),
                  .may_touch = rg_pool_take(pool, n + 1, sizeof(bool)),
                  .touches = rg_pool_take(pool, n + 1, sizeof(bool)),
                  .begins = rg_pool_take(pool, n + 1, sizeof(bool)),
                  .kept_touches = rg_pool_take(pool, n + 1, sizeof(bool))};
    for (int i = 0; i < def.ncontrollers; i++)
        f->njoints += def.controllers[i].njoints;
    f->wanted = rg_pool_take(pool, (size_t)f->njoints + 1, sizeof *f->wanted);
    for (int i = 0; i < f->nlinks; i++)
        f->root[i] = root_of(run->model, i);
    find_robots(f, run, &def);
    return choose_links(f, run, options) ? f : NULL;
}

void rg_fall_forget(RgFall *f)
{
    f->has_reference = false;
}

/* ------------------------------------------------------------------ a run */

/* Of a base above the lowest link of its robot. */
static double height_of(const RgFall *f, RgRun *run, const Base *base)
{
    double own = dot(f->up, rg_world_link_pose(run->world, base->link).p), lowest = own;
    for (int i = 0; i < f->nlinks; i++)
        if (f->root[i] == base->link.i - 1)
            lowest = fmin(lowest, dot(f->up, rg_world_link_pose(run->world, (RgLinkId){i + 1}).p));
    return own - lowest;
}

void rg_fall_begin(RgFall *f, RgRun *run, double duration)
{
    RgMomentum momentum = {0};
    f->up = upwards(run);
    f->started = false;
    f->energy = 0.0;
    f->every = duration / SAMPLES;
    f->next = 0.0;
    f->mass = rg_world_momentum(run->world, &momentum) == RG_OK ? momentum.mass : 0.0;
    memset(f->touches, 0, (size_t)f->nlinks * sizeof *f->touches);
    memset(f->begins, 0, (size_t)f->nlinks * sizeof *f->begins);
    for (int i = 0; i < f->nbases; i++) {
        Base *base = &f->bases[i];
        RgPose X = rg_world_link_pose(run->world, base->link);
        base->up = into(&X.R, f->up);
        base->start = base->least = height_of(f, run, base);
    }
    for (int k = 0; k < f->njoints; k++) {
        f->wanted[k].low = INFINITY;
        f->wanted[k].high = -INFINITY;
    }
}

static void check_bases(RgFall *f, RgRun *run, const RgFallRules *rules, RgLoss *loss)
{
    double t = rg_world_time(run->world);
    for (int i = 0; i < f->nbases; i++) {
        Base *base = &f->bases[i];
        const char *name = rg_model_link(run->model, base->link).name;
        double now = height_of(f, run, base);
        double whole = f->has_reference ? fmin(base->start, base->least_kept) : base->start;
        RgPose X = rg_world_link_pose(run->world, base->link);
        double cosine = dot(into(&X.R, f->up), base->up);
        double tilt = acos(fmax(-1.0, fmin(cosine, 1.0))) / DEGREE;
        base->least = fmin(base->least, now);
        if (base->start > LEVEL && now < rules->height * whole)
            rg_loss_add(loss, RG_LOSS_height,
                        "fell at %.4g s: base '%s' %.3g m above its lowest link, below %.3g m, of %.3g m at the start",
                        t, name, now, rules->height * whole, base->start);
        if (tilt > rules->tilt)
            rg_loss_add(loss, RG_LOSS_tilt, "tipped over at %.4g s: base '%s' by %.3g degrees, above %.3g", t, name,
                        tilt, rules->tilt);
    }
}

/* The link of a shape; -1: the world, or what is fixed to it. */
static int moving_link(const RgModel *model, RgShapeId shape)
{
    RgLinkId link = rg_model_shape(model, shape).link;
    return link.i > 0 && rg_model_link(model, link).body >= 0 ? link.i - 1 : -1;
}

static void check_ground(RgFall *f, RgRun *run, const RgFallRules *rules, RgLoss *loss)
{
    const RgContactForce *forces;
    int n = rg_world_contact_forces(run->world, &forces);
    for (int i = 0; i < n; i++) {
        int a = moving_link(run->model, forces[i].shape_a), b = moving_link(run->model, forces[i].shape_b);
        int link = a < 0 ? b : a;
        if ((a >= 0) == (b >= 0) || !f->watched[link] || !(dot(forces[i].force, forces[i].force) > 0.0))
            continue;
        f->touches[link] = true;
        f->begins[link] = f->begins[link] || !f->started;
        bool new = f->has_reference && !f->may_touch[link] && !f->begins[link] && !f->kept_touches[link];
        if (new && rules->touch)
            rg_loss_add(loss, RG_LOSS_touch,
                        "touched the ground at %.4g s with '%s', as it does not at steps of %.4g s",
                        rg_world_time(run->world), rg_model_link(run->model, (RgLinkId){link + 1}).name, f->kept_step);
    }
}

static void check_energy(RgFall *f, RgRun *run, const RgFallRules *rules, RgLoss *loss)
{
    RgMomentum momentum;
    if (rg_world_momentum(run->world, &momentum) != RG_OK)
        return;
    f->energy = fmax(f->energy, momentum.kinetic);
    double whole = fmax(f->kept_energy, CALM * f->mass);
    if (f->has_reference && rules->energy > 0.0 && momentum.kinetic > rules->energy * whole)
        rg_loss_add(loss, RG_LOSS_energy,
                    "has a kinetic energy of %.3g J at %.4g s, above %.3g J, at steps of %.4g s %.3g J at most",
                    momentum.kinetic, rg_world_time(run->world), rules->energy * whole, f->kept_step, f->kept_energy);
}

/* The range of the joints' targets. */
static void sample_wanted(RgFall *f, const RgRun *run)
{
    double t = rg_world_time(run->world);
    if (!run->control || t < f->next)
        return;
    f->next = t + f->every;
    for (int k = 0; k < f->njoints; k++) {
        double wanted = rg_control_joint(run->control, k).wanted.position;
        if (isfinite(wanted)) {
            f->wanted[k].low = fmin(f->wanted[k].low, wanted);
            f->wanted[k].high = fmax(f->wanted[k].high, wanted);
        }
    }
}

void rg_fall_see(RgFall *f, RgRun *run, const RgFallRules *rules, RgLoss *loss)
{
    if (dot(f->up, f->up) > 0.0) {
        check_bases(f, run, rules, loss);
        check_ground(f, run, rules, loss);
    }
    check_energy(f, run, rules, loss);
    sample_wanted(f, run);
    f->started = true;
}

void rg_fall_end(RgFall *f, RgRun *run, const RgFallRules *rules, RgLoss *loss)
{
    for (int k = 0; run->control && k < f->njoints; k++) {
        const Wanted *w = &f->wanted[k];
        RgJointTracking joint = rg_control_joint(run->control, k);
        RgJointInfo info = rg_model_joint(run->model, joint.joint);
        bool length = info.is_length[joint.dof];
        double motion = fmax(0.5 * (w->high - w->low), length ? STILL_LENGTH : STILL_ANGLE);
        double most = f->has_reference ? fmax(rules->share * motion, WORSE * w->kept) : ALONE * motion;
        if (rules->share > 0.0 && w->high >= w->low && joint.mean_error > most)
            rg_loss_add(loss, RG_LOSS_share,
                        "missed its motion: joint '%s' is %.3g %s off in the mean, above %.3g, of a motion of %.3g",
                        info.name, joint.mean_error, length ? "m" : "rad", most, 0.5 * (w->high - w->low));
    }
    for (int k = 0; run->control && k < f->njoints && !f->has_reference; k++)
        f->wanted[k].kept = rg_control_joint(run->control, k).mean_error;
}

void rg_fall_keep(RgFall *f, double step)
{
    if (f->has_reference)
        return;
    f->has_reference = true;
    f->kept_step = step;
    f->kept_energy = f->energy;
    memcpy(f->kept_touches, f->touches, (size_t)f->nlinks * sizeof *f->touches);
    for (int i = 0; i < f->nbases; i++)
        f->bases[i].least_kept = f->bases[i].least;
}

void rg_fall_print(const RgFall *f, const RgFallRules *rules, FILE *out)
{
    if (rules->share > 0.0)
        fprintf(out, ", its mean error above %g of its motion", rules->share);
    if (f->nbases > 0 && rules->height > 0.0)
        fprintf(out, ", a base below %g of its height", rules->height);
    if (f->nbases > 0 && rules->tilt < 180.0)
        fprintf(out, " or tilted by %g degrees", rules->tilt);
    if (rules->touch)
        fputs(", a link touches the ground that does not at small steps", out);
    if (rules->energy > 0.0)
        fprintf(out, ", or the kinetic energy is above %g times that at small steps", rules->energy);
}

json_t *rg_fall_json(const RgFallRules *rules)
{
    return RG_JSON_OBJECT({"min_height", rg_json_number(rules->height)}, {"max_tilt", rg_json_number(rules->tilt)},
                          {"max_energy", rg_json_number(rules->energy)}, {"max_share", rg_json_number(rules->share)},
                          {"ground", json_boolean(rules->touch)});
}
