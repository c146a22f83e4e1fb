/*
 * located_run.c - worlds, runs and their measurements: see located_run.h.
 *
 * Except for the stepper's statistics all is measured independently of it: distances by rg_world_distances, energy by
 * rg_world_momentum, at the ends of the outer steps. Only rg_world_step is timed.
 */
#define _POSIX_C_SOURCE 200809L
#include "located_run.h"
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REST_TIME 0.5   /* s without motion that are rest */
#define NEAR 0.05       /* m: pairs farther apart are not measured */
#define PAIRS 256       /* measured at most */
#define SAME_TIME 1e-13 /* s: events nearer to each other are one change */

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "rigor-bench-located: %s\n", what);
    exit(2);
}

/* ------------------------------------------------------------------ bodies */

RgShapeDef located_box(double x, double y, double z)
{
    RgShapeDef def = rg_shape_def_default();
    def.type = RG_SHAPE_box;
    def.size[0] = x;
    def.size[1] = y;
    def.size[2] = z;
    def.surface.restitution = 0.0;
    return def;
}

RgShapeDef located_sphere(double radius)
{
    RgShapeDef def = located_box(radius, 0.0, 0.0);
    def.type = RG_SHAPE_sphere;
    return def;
}

RgShapeDef located_capsule(double radius, double length)
{
    RgShapeDef def = located_box(radius, length, 0.0);
    def.type = RG_SHAPE_capsule;
    return def;
}

RgShapeDef located_hull(const double *points, int count)
{
    RgShapeDef def = located_box(1.0, 1.0, 1.0);
    def.type = RG_SHAPE_polytope;
    def.mesh = (RgMeshData){.vertices = points, .nvertices = count};
    return def;
}

RgLinkId located_add_body(RgBuilder *b, const char *name, const RgShapeDef *shape, double density, RgPose X_WL)
{
    RgLinkDef link = rg_link_def_default();
    link.name = name;
    link.X_WL = X_WL;
    if (rg_shape_inertia(shape, density, &link.inertia) != RG_OK)
        fail("a shape without a volume");
    RgShapeDef def = *shape;
    def.link = rg_builder_add_link(b, &link);
    rg_builder_add_shape(b, &def);
    return def.link;
}

void located_add_fixed(RgBuilder *b, const RgShapeDef *shape, RgPose X_WS)
{
    RgShapeDef def = *shape;
    def.X_LS = X_WS;
    rg_builder_add_shape(b, &def);
}

void located_add_plane(RgBuilder *b, RgVec3 p, RgVec3 normal, double mu)
{
    /* Any rotation that brings z to the normal. */
    RgVec3 n = vec_scale(1.0 / vec_norm(normal), normal);
    RgVec3 across = fabs(n.x) < 0.5 ? vec_cross(vec(1.0, 0.0, 0.0), n) : vec_cross(vec(0.0, 1.0, 0.0), n);
    RgVec3 s = vec_scale(1.0 / vec_norm(across), across), t = vec_cross(n, s);
    RgPose X = {{{{s.x, t.x, n.x}, {s.y, t.y, n.y}, {s.z, t.z, n.z}}}, p};
    RgShapeDef def = located_box(0.0, 0.0, 0.0);
    def.type = RG_SHAPE_halfspace;
    def.surface.mu = def.surface.mu2 = mu;
    located_add_fixed(b, &def, X);
}

RgModel *located_finish(RgBuilder *b)
{
    RgError error;
    RgModel *model = rg_builder_finish(b, &error);
    if (model == NULL)
        fail(error.text);
    rg_builder_destroy(b);
    return model;
}

void located_set_twist(RgWorld *world, RgLinkId link, RgVec3 w, RgVec3 v)
{
    RgLinkInfo info = rg_model_link(rg_world_model(world), link);
    int nv = rg_model_info(rg_world_model(world)).nv;
    double *all = malloc((size_t)nv * sizeof *all);
    if (all == NULL)
        fail("out of memory");
    memcpy(all, rg_world_v(world), (size_t)nv * sizeof *all);
    RgVec3 own = mat_apply(mat_transpose(rg_world_link_pose(world, link).R), w);
    const double values[6] = {own.x, own.y, own.z, v.x, v.y, v.z};
    memcpy(all + info.v_index, values, sizeof values);
    if (rg_world_set_state(world, NULL, all) != RG_OK)
        fail("velocities are refused");
    free(all);
}

/* ------------------------------------------------------------------ worlds */

LocatedSetup located_setup(const char *stepper, const char *solver)
{
    return (LocatedSetup){
        .stepper = stepper, .solver = solver, .gap = NAN, .event_time = NAN, .gravity = {0.0, 0.0, -9.81}};
}

const char *located_stepper_name(const LocatedSetup *setup)
{
    return setup->stepper;
}

bool located_has_stepper(const char *name)
{
    for (int i = 0; i < rg_stepper_count(); i++)
        if (strcmp(rg_stepper_name(i), name) == 0)
            return true;
    return false;
}

bool located_is_strict(const char *name)
{
    return strcmp(name, "advance") == 0 || strcmp(name, "c2a") == 0 || strcmp(name, "rigid") == 0;
}

RgWorld *located_world(const RgModel *model, const LocatedSetup *setup, RgError *error)
{
    RgAdaptOptions adapt = rg_adapt_options_default();
    if (!isnan(setup->gap))
        adapt.gap = setup->gap;
    if (!isnan(setup->event_time))
        adapt.event_time = setup->event_time;
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.stepper = setup->stepper;
    def.solver = setup->solver;
    if (setup->coords != NULL)
        def.coords = setup->coords;
    def.gravity = setup->gravity;
    def.input = setup->input;
    def.input_context = setup->context;
    def.adapt = &adapt;
    return rg_world_create(&def, error);
}

/* ------------------------------------------------------------------ changes */

void located_change(LocatedChanges *c, double t, double h)
{
    double passed = t - c->last;
    if (passed <= SAME_TIME)
        return;
    c->count++;
    c->last = t;
    if (isnan(passed))
        return;
    c->sum += passed;
    c->pieces += (int64_t)ceil(passed / h * (1.0 - 1e-9));
    c->least = fmin(c->least, passed);
}

/* Events of steppers that locate them. */
static void take_events(LocatedChanges *c, RgWorld *world, double h)
{
    const RgEvent *events;
    int n = rg_world_events(world, &events);
    for (int i = 0; i < n; i++)
        if (events[i].kind == RG_EVENT_manifold)
            located_change(c, events[i].t, h);
}

/* A stepper that does not locate: another number of points that press than when some last did. */
static void take_points(LocatedChanges *c, RgWorld *world, double h, int *before)
{
    const RgContactForce *forces;
    int n = rg_world_contact_forces(world, &forces), pressing = 0;
    for (int i = 0; i < n; i++)
        pressing += forces[i].state != RG_CONTACT_OPEN;
    if (pressing > 0 && pressing != *before) {
        located_change(c, rg_world_time(world), h);
        *before = pressing;
    }
}

LocatedChanges located_no_changes(void)
{
    return (LocatedChanges){.last = (double)NAN, .least = (double)INFINITY};
}

double located_mean_between(const LocatedChanges *c)
{
    return c->pieces > 0 ? c->sum / (double)c->pieces : (double)NAN;
}

const LocatedChanges *located_changes(const LocatedRun *run)
{
    return run->changes.count > 0 ? &run->changes : &run->looked;
}

double located_between(const LocatedRun *run)
{
    return located_mean_between(located_changes(run));
}

/* ------------------------------------------------------------------ runs */

double located_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double least_distance(RgWorld *world)
{
    static RgShapeDistance pairs[PAIRS];
    int count = 0;
    double least = (double)INFINITY;
    if (rg_world_distances(world, NEAR, pairs, PAIRS, &count, NULL) != RG_OK)
        return (double)NAN;
    for (int i = 0; i < count && i < PAIRS; i++)
        least = fmin(least, pairs[i].distance.distance);
    return least;
}

/* After a step: whether the run goes on. */
typedef struct Judge {
    double energy, calm; /* J; s since which it rests, NaN: it moves */
    int points;
} Judge;

static bool look_at(RgWorld *world, const LocatedWatch *watch, LocatedRun *run, Judge *judge)
{
    double t = rg_world_time(world);
    RgMomentum m;
    if (rg_world_momentum(world, &m) != RG_OK)
        return false;
    double energy = m.kinetic + m.potential;
    run->energy_rise = fmax(run->energy_rise, energy - judge->energy);
    judge->energy = energy;
    if (watch->measures)
        run->least_measured = fmin(run->least_measured, least_distance(world));
    take_events(&run->changes, world, watch->h);
    take_points(&run->looked, world, watch->h, &judge->points);
    if (watch->look != NULL)
        watch->look(world, watch->look_context);

    if (m.kinetic >= watch->rest_energy)
        judge->calm = (double)NAN;
    else if (isnan(judge->calm))
        judge->calm = t;
    if (watch->rest_energy > 0.0 && t - judge->calm >= REST_TIME - 1e-9)
        run->rest = judge->calm;
    return isnan(run->rest);
}

static void sum_up(RgWorld *world, const LocatedWatch *watch, LocatedRun *run)
{
    run->end = rg_world_time(world);
    run->statistics = rg_world_step_statistics(world);
    bool inner = run->statistics.steps > 0;
    run->steps = inner ? run->statistics.steps : run->asked;
    run->mean = inner ? run->statistics.time / (double)run->statistics.steps : watch->h;
    run->hash = rg_world_hash(world);
}

/* The state is unchanged by a refused step, so the step is repeated to get the reason. */
static void tell_refusal(RgWorld *world, double h, LocatedRun *run)
{
    RgStepReport report;
    memset(&report, 0, sizeof report);
    rg_world_step(world, h, &report);
    snprintf(run->why, sizeof run->why, "refused at %.6g s: %s %.100s", rg_world_time(world),
             rg_status_text(run->status), report.offender);
}

/* Checks the certificate of a run, and ends it. */
static void verify(RgCertificate *certificate, LocatedRun *run)
{
    RgError error;
    double before = located_now();
    size_t size = 0;
    RgStatus status = rg_certificate_finish(certificate, &error);
    const char *text = rg_certificate_text(certificate, &size);
    if (status == RG_OK)
        status = rg_verify_text("certificate", text, size, NULL, &run->verified, &error);
    run->is_verified = status == RG_OK;
    if (run->why[0] == '\0' && status != RG_OK)
        snprintf(run->why, sizeof run->why, "certificate, line %d: %.120s", error.line, error.text);
    else if (run->why[0] == '\0' && !run->verified.ok)
        snprintf(run->why, sizeof run->why, "not verified: %.120s", run->verified.fault);
    run->verify_cpu = located_now() - before;
    rg_certificate_destroy(certificate);
}

LocatedRun located_run(RgWorld *world, const LocatedWatch *watch)
{
    LocatedRun run = {.rest = (double)NAN,
                      .least_measured = (double)INFINITY,
                      .changes = located_no_changes(),
                      .looked = located_no_changes()};
    RgMomentum m;
    rg_world_momentum(world, &m);
    Judge judge = {m.kinetic + m.potential, (double)NAN, 0};
    RgCertificate *certificate =
        watch->verifies && rg_world_locates(world) ? rg_certificate_begin(world, NULL, NULL) : NULL;
    int64_t steps = (int64_t)ceil(watch->time / watch->h * (1.0 - 1e-12));
    for (bool goes = true; goes && run.asked < steps; run.asked++) {
        double before = located_now();
        run.status = rg_world_step(world, watch->h, NULL);
        run.cpu += located_now() - before;
        if (run.status != RG_OK) {
            tell_refusal(world, watch->h, &run);
            break;
        }
        goes = look_at(world, watch, &run, &judge);
        if (goes && run.cpu > watch->seconds) {
            snprintf(run.why, sizeof run.why, "stopped at %.6g s: took %.0f s", rg_world_time(world), run.cpu);
            goes = false;
        }
    }
    sum_up(world, watch, &run);
    if (certificate != NULL)
        verify(certificate, &run);
    return run;
}
