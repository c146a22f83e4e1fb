/*
 * threads_main.c - rigor-bench-threads: sweeps of projected Gauss-Seidel by one thread and by several, in ours and in
 * ODE.
 *
 *   rigor-bench-threads [--rounds N] [--scene NAME] [--module FILE]
 *
 *   pgs          in the order of one thread, the same bits by any number of threads
 *   pgs:jacobi   eight chunks of rows, blind to each other within a sweep (paper 003), masses split
 *   ODE          dWorldQuickStep on ODE's own threads, where its module (make bench-peers) lies in build
 *
 * A scene is stepped until it stands, or lies in a heap. Then the same step is made again and again, by all ways in
 * turns, once with 10 sweeps and once with 50, and the fastest of each counts, since others on the machine only ever
 * slow a step down: "step" is the one with 50, "sweep" the 40th part of the difference. ODE goes on stepping instead.
 *
 * Times need a processor for each thread. What does not: how the row visits of a sweep are shared, which is counted.
 * "share" is the part of the thread that makes most of them; "path" the longest chain of visits that wait for each
 * other, as a part of all: 1 / path is what threads gain at most. For more threads than there are processors these
 * alone are printed.
 *
 * Ends with 1 where pgs, or pgs:jacobi, has other bits on several threads than on one.
 */
#define _POSIX_C_SOURCE 200809L
#include "child.h"
#include "scene_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FEW = 10, MANY = 50, CHUNKS = 8, COUNTS = 4, KINDS = 3 };

static const int thread_counts[COUNTS] = {1, 2, 4, 8};
static const char *const kinds[KINDS] = {"pgs", "pgs:jacobi", "ODE"};

typedef struct Place {
    const char *scene, *title;
    int steps; /* before it is measured */
} Place;

static const Place places[] = {{"growth-200", "ten stacks of five cubes", 40},
                               {"growth-1000", "fifty stacks of five cubes", 40},
                               {"growth-4000", "200 stacks of five cubes", 40},
                               {"wall-200", "wall of five rows of cubes", 40},
                               {"wall-400", "longer wall", 40},
                               {"wall-1000", "longer wall", 40},
                               {"wall-4000", "longer wall", 40},
                               {"S3", "pyramid of 210 cubes", 40},
                               {"boxes-1", "heap of 200 boxes", 400},
                               {"hulls-1", "heap of 200 hulls", 400}};

typedef struct Options {
    int rounds;
    const char *scene, *module;
} Options;

/* One way with one number of sweeps: ours, or ODE's. */
typedef struct Runner {
    RgWorld *world;
    const PeerEngine *peer;
    void *peer_world;
    double best; /* s */
} Runner;

typedef struct Way {
    int kind, threads;
    Runner run[2]; /* FEW, MANY sweeps */
    bool timed;
    RgStepReport report;
    uint64_t hash;
} Way;

typedef struct Stage {
    SceneData *scene;
    RgModel *model;
    void *state;
    size_t size;
    const PeerEngine *ode; /* NULL: not there */
} Stage;

static RgWorld *make_world(const Stage *s, int kind, int threads, int sweeps)
{
    RgPgsOptions o = rg_pgs_options_default();
    o.iterations = sweeps;
    o.friction_sweeps = 0;
    o.chunks = CHUNKS;
    RgWorldDef def = rg_world_def_default();
    def.model = s->model;
    def.coords = "maximal";
    def.solver = kinds[kind];
    def.pgs = &o;
    def.threads = threads;
    def.gravity = s->scene->gravity;
    RgError error = {0};
    RgWorld *world = rg_world_create(&def, &error);
    if (world == NULL || scene_model_start(s->scene, world) != RG_OK) {
        fprintf(stderr, "rigor-bench-threads: %s\n", error.text);
        exit(2);
    }
    return world;
}

static void settle(Stage *s, int steps)
{
    RgWorld *world = make_world(s, 0, 1, MANY);
    for (int i = 0; i < steps; i++)
        rg_world_step(world, s->scene->dt, NULL);
    s->size = rg_world_state_size(world);
    s->state = malloc(s->size);
    if (s->state == NULL)
        exit(2);
    rg_world_state_save(world, s->state);
    rg_world_destroy(world);
}

static void begin_way(const Stage *s, Way *way, int steps)
{
    way->timed = way->threads <= sysconf(_SC_NPROCESSORS_ONLN);
    for (int k = 0; k < 2; k++) {
        int sweeps = k == 0 ? FEW : MANY;
        Runner *r = &way->run[k];
        r->best = INFINITY;
        if (kinds[way->kind] != kinds[KINDS - 1]) {
            r->world = make_world(s, way->kind, way->threads, sweeps);
            continue;
        }
        PeerOptions options = {.threads = way->threads, .iterations = sweeps};
        r->peer = way->timed ? s->ode : NULL;
        r->peer_world = r->peer != NULL ? r->peer->create(s->scene, &options) : NULL;
        for (int i = 0; i < steps && r->peer_world != NULL; i++)
            r->peer->step(r->peer_world);
    }
}

static void step_once(const Stage *s, Way *way, int k)
{
    Runner *r = &way->run[k];
    if (r->world != NULL)
        rg_world_state_load(r->world, s->state, s->size);
    double before = child_wall();
    if (r->world != NULL)
        rg_world_step(r->world, s->scene->dt, NULL);
    else
        r->peer->step(r->peer_world);
    r->best = fmin(r->best, child_wall() - before);
}

/* Report of the step of MANY sweeps. */
static void ask(const Stage *s, Way *way)
{
    RgWorld *world = way->run[1].world;
    if (world == NULL)
        return;
    rg_world_state_load(world, s->state, s->size);
    rg_world_step(world, s->scene->dt, &way->report);
    way->hash = rg_world_hash(world);
}

static void end_way(Way *way)
{
    for (int k = 0; k < 2; k++) {
        rg_world_destroy(way->run[k].world);
        if (way->run[k].peer_world != NULL)
            way->run[k].peer->destroy(way->run[k].peer_world);
    }
}

static double sweep_time(const Way *way)
{
    return (way->run[1].best - way->run[0].best) / (MANY - FEW);
}

/* first: the same with one thread; serial: pgs with one. */
static void print_way(const Way *way, const Way *first, const Way *serial)
{
    printf("  %-11s %2d", kinds[way->kind], way->threads);
    if (way->timed)
        printf(" %9.3f %9.2f %9.2f %9.2f", 1e3 * way->run[1].best, 1e6 * sweep_time(way),
               sweep_time(first) / sweep_time(way), serial->run[1].best / way->run[1].best);
    else
        printf(" %9s %9s %9s %9s", "-", "-", "-", "-");
    if (way->run[1].world != NULL)
        printf(" %8.3f %8.3f %10.2e  %016llx%s\n", way->report.thread_share, way->report.thread_path,
               way->report.residual_velocity, (unsigned long long)way->hash,
               way->hash == first->hash ? "" : "  OTHER BITS");
    else
        printf("\n");
}

static bool measure(const Options *o, const Place *place, const PeerEngine *ode)
{
    Stage s = {.scene = scene_data_create(place->scene), .ode = ode};
    Way ways[KINDS * COUNTS];
    bool same = true;
    s.model = scene_model_create(s.scene, NULL);
    settle(&s, place->steps);
    for (int i = 0; i < KINDS * COUNTS; i++) {
        ways[i] = (Way){.kind = i / COUNTS, .threads = thread_counts[i % COUNTS]};
        begin_way(&s, &ways[i], place->steps);
    }
    for (int round = 0; round < o->rounds; round++)
        for (int i = 0; i < KINDS * COUNTS; i++)
            for (int k = 0; k < 2 && ways[i].timed && (ways[i].run[k].world || ways[i].run[k].peer_world); k++)
                step_once(&s, &ways[i], k);
    for (int i = 0; i < KINDS * COUNTS; i++)
        ask(&s, &ways[i]);
    printf("%s: %s, %d contact points\n", place->scene, place->title, ways[0].report.contacts);
    for (int i = 0; i < KINDS * COUNTS; i++) {
        bool ours = ways[i].run[1].world != NULL;
        if (ours || ways[i].run[1].peer_world != NULL)
            print_way(&ways[i], &ways[i - i % COUNTS], &ways[0]);
        same = same && (!ours || ways[i].hash == ways[i - i % COUNTS].hash);
    }
    for (int i = 0; i < KINDS * COUNTS; i++)
        end_way(&ways[i]);
    free(s.state);
    rg_model_destroy(s.model);
    scene_data_destroy(s.scene);
    return same;
}

static bool read_options(int count, char **text, Options *o)
{
    for (int i = 1; i < count; i += 2) {
        if (i + 1 == count)
            return false;
        if (strcmp(text[i], "--rounds") == 0)
            o->rounds = (int)strtol(text[i + 1], NULL, 10);
        else if (strcmp(text[i], "--scene") == 0)
            o->scene = text[i + 1];
        else if (strcmp(text[i], "--module") == 0)
            o->module = text[i + 1];
        else
            return false;
    }
    return o->rounds > 0;
}

int main(int count, char **text)
{
    Options o = {.rounds = 200, .module = "build/peer_ode.so"};
    if (!read_options(count, text, &o)) {
        fprintf(stderr, "usage: rigor-bench-threads [--rounds N] [--scene NAME] [--module FILE]\n");
        return 2;
    }
    const PeerEngine *const *peers = child_load(o.module);
    bool same = true;
    printf("%ld processors; step: ms with %d sweeps, sweep: us; gain of a sweep over one thread, of a step "
           "over serial pgs;\n"
           "row visits: largest share, longest path; residual: m/s\n\n",
           sysconf(_SC_NPROCESSORS_ONLN), MANY);
    printf("  %-11s %2s %9s %9s %9s %9s %8s %8s %10s  %s\n", "", "", "step", "sweep", "gain", "gain pgs", "share",
           "path", "residual", "state");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (o.scene == NULL || strcmp(o.scene, places[i].scene) == 0)
            same = measure(&o, &places[i], peers != NULL ? peers[0] : NULL) && same;
    return same ? 0 : 1;
}
