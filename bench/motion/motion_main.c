/*
 * motion_main.c - rigor-bench-scenes: runs .scene files (scenes/scene_file.h) and prints one row a scene.
 *
 *   steps/s    by processor time of the steps alone; by the wall clock with --wall, and where there are threads;
 *              less what reading the clock takes
 *   sweeps     mean over the steps; of quick the most of any island
 *   unfin      share of the steps with an island that ended above its tolerance
 *   gain       J: largest rise of E - W over its smallest value so far; E kinetic + potential energy, W work of the PD efforts,
 *              h tau . (v + v') / 2 summed. Round-off and small corrections apart, contacts can only lower it
 *   speed      m/s: largest of any body's centre of mass; end: the same after the last step
 *   force      N: largest at a contact point
 *   overlap    mm: mean and largest over all contact points, samples of the last quarter of the run
 *   all        mm: the same over samples of the whole run
 *   lost       bodies whose centre ends below the floor, beyond the walls (static bodies' centres), or at no finite place
 *   hash       of the state at the end
 */
#define _POSIX_C_SOURCE 200809L
#include "scene_file.h"
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of the clock, of which the fastest is what one takes. */
#define READINGS 200

typedef struct Options {
    const char *solver, *coords, *stepper;
    int steps, threads, sweeps; /* sweeps: at most, of quick; 0: the default */
    double tolerance;           /* of quick and cone; negative: the default */
    bool wall;
} Options;

/* Depths of contact points, mm. */
typedef struct Overlaps {
    double sum, points, largest;
} Overlaps;

typedef struct Row {
    bool wall;
    int steps;
    double reading; /* s between two readings of the clock with nothing between them: 0.55e-6, of processor time */
    double seconds, sweeps, unfinished, gain, speed, end_speed, force;
    Overlaps late, all;
    int lost;
} Row;

/* Processor time does not count what else the machine does, but counts threads together. */
static double now(bool wall)
{
    struct timespec t;
    clock_gettime(wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double reading_time(bool wall)
{
    double least = (double)INFINITY;
    for (int i = 0; i < READINGS; i++) {
        double begin = now(wall);
        least = fmin(least, now(wall) - begin);
    }
    return least;
}

static double larger(double a, double b)
{
    return b > a || isnan(b) ? b : a;
}

/* E, and the rise over its smallest value less the work put in. */
static void measure_energy(RgWorld *world, double work, double *least, Row *row)
{
    RgMomentum m;
    if (rg_world_momentum(world, &m) != RG_OK)
        return;
    double energy = m.kinetic + m.potential - work;
    *least = energy < *least ? energy : *least;
    row->gain = larger(row->gain, energy - *least);
}

static void measure_motion(const SceneFile *scene, RgWorld *world, Row *row)
{
    const RgContactForce *forces;
    int count = rg_world_contact_forces(world, &forces);
    row->end_speed = 0.0;
    for (int i = 0; i < scene->nbodies; i++)
        if (!scene->bodies[i].is_static)
            row->end_speed = larger(row->end_speed, vec_norm(rg_world_link_twist(world, (RgLinkId){i + 1}).v));
    row->speed = larger(row->speed, row->end_speed);
    for (int i = 0; i < count; i++)
        row->force = larger(row->force, vec_norm(forces[i].force));
}

static double mean(const Overlaps *o)
{
    return o->points > 0.0 ? o->sum / o->points : 0.0;
}

/* late: in the last quarter of the run. */
static void measure_overlap(RgWorld *world, bool late, Row *row)
{
    RgContactView view;
    RgError error;
    if (rg_world_contacts(world, NULL, &view, &error) != RG_OK)
        return;
    Overlaps now_seen = {.points = view.npoints};
    for (int i = 0; i < view.npoints; i++) {
        double depth = view.points[i].gap < 0.0 ? -1e3 * view.points[i].gap : 0.0;
        now_seen.sum += depth;
        now_seen.largest = larger(now_seen.largest, depth);
    }
    Overlaps *into[] = {&row->all, &row->late};
    for (int k = 0; k < (late ? 2 : 1); k++)
        *into[k] = (Overlaps){.sum = into[k]->sum + now_seen.sum,
                              .points = into[k]->points + now_seen.points,
                              .largest = larger(into[k]->largest, now_seen.largest)};
}

static int count_lost(const SceneFile *scene, RgWorld *world)
{
    double low[2] = {-(double)INFINITY, -(double)INFINITY}, high[2] = {(double)INFINITY, (double)INFINITY};
    for (int i = 0, walls = 0; i < scene->nbodies; i++) {
        const double p[2] = {scene->bodies[i].X_WB.p.x, scene->bodies[i].X_WB.p.y};
        if (!scene->bodies[i].is_static)
            continue;
        for (int k = 0; k < 2; k++) {
            low[k] = walls > 0 ? fmin(low[k], p[k]) : p[k];
            high[k] = walls > 0 ? fmax(high[k], p[k]) : p[k];
        }
        walls++;
    }
    int lost = 0;
    for (int i = 0; i < scene->nbodies; i++) {
        RgVec3 p = rg_world_link_pose(world, (RgLinkId){i + 1}).p;
        bool inside = p.x >= low[0] && p.x <= high[0] && p.y >= low[1] && p.y <= high[1];
        lost += inside && isfinite(p.z) && (!scene->has_floor || p.z >= 0.0) ? 0 : 1;
    }
    return lost;
}

/* Power of the PD efforts as last applied. */
static double power(const RgWorld *world, const double *v, int nv)
{
    const double *tau = rg_world_input_effort(world);
    double sum = 0.0;
    for (int i = 0; i < nv; i++)
        sum += tau[i] * v[i];
    return sum;
}

/* One step and its figures; v: room for the velocities before it. False: refused. */
static bool step(const SceneFile *scene, RgWorld *world, double *v, double *work, Row *row)
{
    RgStepReport report;
    int nv = rg_model_info(scene->model).nv;
    memcpy(v, rg_world_v(world), (size_t)nv * sizeof *v);
    double begin = now(row->wall);
    RgStatus status = rg_world_step(world, scene->dt, &report);
    row->seconds += now(row->wall) - begin - row->reading;
    if (status != RG_OK) {
        printf("step %d refused: %s %s\n", row->steps, rg_status_text(status), report.offender);
        return false;
    }
    *work += 0.5 * scene->dt * (power(world, v, nv) + power(world, rg_world_v(world), nv));
    row->sweeps += report.sweeps;
    row->unfinished += report.unfinished > 0 ? 1.0 : 0.0;
    row->steps++;
    return true;
}

static bool run(SceneFile *scene, RgWorld *world, int steps, Row *row)
{
    double work = 0.0, least = (double)INFINITY;
    double *v = calloc((size_t)rg_model_info(scene->model).nv + 1, sizeof *v);
    if (v == NULL)
        abort();
    bool good = scene_file_start(scene, world) == RG_OK;
    row->reading = reading_time(row->wall);
    measure_energy(world, work, &least, row);
    for (int i = 0; i < steps && good; i++) {
        good = step(scene, world, v, &work, row);
        if (!good)
            break;
        measure_energy(world, work, &least, row);
        measure_motion(scene, world, row);
        if ((i + 1) % scene->every == 0)
            measure_overlap(world, 4 * (i + 1) > 3 * steps, row);
    }
    row->lost = count_lost(scene, world);
    free(v);
    return good;
}

static bool run_file(const char *path, const Options *o)
{
    RgError error = {0};
    SceneFile *scene = scene_file_read(path, &error);
    RgWorld *world = NULL;
    if (scene != NULL) {
        RgWorldDef def = scene_file_world_def(scene);
        def.solver = o->solver;
        def.coords = o->coords;
        def.stepper = o->stepper;
        def.threads = o->threads;
        RgQuickOptions quick = rg_quick_options_default();
        quick.max_sweeps = o->sweeps > 0 ? o->sweeps : quick.max_sweeps;
        quick.tolerance = o->tolerance >= 0.0 ? o->tolerance : quick.tolerance;
        def.quick = strcmp(o->solver, "quick") == 0 ? &quick : NULL;
        RgExactOptions exact = rg_exact_options_default();
        exact.tolerance = o->tolerance >= 0.0 ? o->tolerance : exact.tolerance;
        def.exact = strncmp(o->solver, "cone", 4) == 0 ? &exact : NULL;
        world = rg_world_create(&def, &error);
    }
    if (world == NULL) {
        char text[1024];
        rg_error_format(&error, text, sizeof text);
        fprintf(stderr, "rigor-bench-scenes: %s\n", text);
        scene_file_destroy(scene);
        return false;
    }
    const char *name = strrchr(path, '/');
    Row r = {.wall = o->wall || o->threads > 1};
    printf("%-12s ", name != NULL ? name + 1 : path);
    bool good = run(scene, world, o->steps > 0 ? o->steps : scene->steps, &r);
    double n = r.steps > 0 ? r.steps : 1.0;
    printf("%5d %9.0f %7.1f %6.3f %10.3g %9.3g %9.2g %10.3g %9.3g %9.3g %9.3g %9.3g %5d  %016llx\n", r.steps,
           n / r.seconds, r.sweeps / n, r.unfinished / n, r.gain, r.speed, r.end_speed, r.force, mean(&r.late),
           r.late.largest, mean(&r.all), r.all.largest, r.lost, (unsigned long long)rg_world_hash(world));
    fflush(stdout);
    rg_world_destroy(world);
    scene_file_destroy(scene);
    return good;
}

static int usage(FILE *file)
{
    fprintf(file, "usage: rigor-bench-scenes FILE... [--solver NAME] [--coords FORM] [--stepper NAME] [--steps N]\n"
                  "                          [--threads N] [--sweeps N] [--tolerance T] [--wall]\n\n"
                  "Runs .scene files and prints speed, sweeps, energy gained (J), largest speed (m/s) and contact "
                  "force\n"
                  "(N), overlaps late and all along (mm), bodies lost and a hash of the state; "
                  "bench/motion/motion_main.c says "
                  "how each is\n"
                  "measured. Ends with 1 where a file is bad or a step was refused.\n");
    return file == stdout ? 0 : 2;
}

/* Takes an option and its value; false: it is none. */
static bool take_option(Options *o, const char *key, const char *value)
{
    const struct {
        const char *key, **text;
    } texts[] = {{"--solver", &o->solver}, {"--coords", &o->coords}, {"--stepper", &o->stepper}};
    for (int i = 0; i < 3; i++)
        if (strcmp(key, texts[i].key) == 0) {
            *texts[i].text = value;
            return true;
        }
    char *end;
    if (strcmp(key, "--tolerance") == 0) {
        o->tolerance = strtod(value, &end);
        return *end == '\0' && o->tolerance >= 0.0;
    }
    const struct {
        const char *key;
        int *number;
    } numbers[] = {{"--steps", &o->steps}, {"--threads", &o->threads}, {"--sweeps", &o->sweeps}};
    long number = strtol(value, &end, 10);
    for (int i = 0; i < 3; i++)
        if (strcmp(key, numbers[i].key) == 0) {
            *numbers[i].number = (int)number;
            return *end == '\0' && number > 0 && number < 1000000000;
        }
    return false;
}

int main(int argc, char **argv)
{
    RgWorldDef def = rg_world_def_default();
    Options o = {def.solver, def.coords, def.stepper, 0, 1, 0, -1.0, false};
    int files = 0;
    bool good = true;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0)
            return usage(stdout);
        if (strcmp(argv[i], "--wall") == 0)
            o.wall = true;
        else if (strncmp(argv[i], "--", 2) != 0)
            argv[1 + files++] = argv[i];
        else if (i + 1 == argc || !take_option(&o, argv[i], argv[i + 1]))
            return usage(stderr);
        else
            i++;
    }
    if (files == 0)
        return usage(stderr);
    printf("%-12s %5s %9s %7s %6s %10s %9s %9s %10s %9s %9s %9s %9s %5s  %s\n", "scene", "steps", "steps/s", "sweeps",
           "unfin", "gain", "speed", "end", "force", "overlap", "largest", "all", "largest", "lost", "hash");
    for (int i = 0; i < files; i++)
        good = run_file(argv[1 + i], &o) && good;
    return good ? 0 : 1;
}
