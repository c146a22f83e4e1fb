/*
 * motion_peers.c - rigor-bench-motion: scenes in motion in Rigor and in other engines, all in one run.
 *
 *   steps/s   by processor time of the steps alone; engines take turns (motion_turns.h), best of the repeats a turn
 *   ours      how many times as fast Rigor quick is, over the turns that both have made
 *   late      mm: overlap in the last quarter of the run, mean over contact points, and the largest
 *   worst     mm: largest overlap of the run
 *   gain      J: energy that came from nowhere (motion_measure.c), work of the drives taken off
 *   lost      bodies that fell through the floor or went through the walls
 *   fell      dominoes that fell; drift: mm, of the tower before it is hit; joints: mm, by which they came apart
 *
 * Settings are the engines' defaults at the iterations that their name says: those that most users run, and one with
 * more of them. Files that are not there are skipped by name; scenes of a seed need none.
 */
#define _GNU_SOURCE
#include "motion_turns.h"
#include "scene_from_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_NAMES 64
#define DEFAULT_FOLDER "../shared/problems/scenes"

/* Scenes for which a setting is meant. */
typedef enum Meant { FOR_ALL, FOR_LOOSE, FOR_JOINTED } Meant;

static const struct Setting {
    const char *id, *title;
    const char *module, *engine; /* NULL: Rigor's own */
    int iterations;
    const char *solver;
    Meant meant;
    bool by_default; /* the engine's own setting: runs in a quick look too */
} settings[] = {
    {"rigor-quick", "Rigor quick", NULL, "rigor_quick_minimal", 50, NULL, FOR_ALL, true},
    {"rigor-quick-maximal", "Rigor quick, maximal", NULL, "rigor_quick_maximal", 50, NULL, FOR_JOINTED, true},
    {"ode-20", "ODE quick 20", "peer_ode.so", "ode-quick", 20, NULL, FOR_ALL, true},
    {"ode-100", "ODE quick 100", "peer_ode.so", "ode-quick", 100, NULL, FOR_ALL, false},
    {"bullet-si-10", "Bullet float SI 10", "peer_bullet_float.so", "bullet-float-si", 10, NULL, FOR_LOOSE, true},
    {"bullet-si-50", "Bullet float SI 50", "peer_bullet_float.so", "bullet-float-si", 50, NULL, FOR_LOOSE, false},
    {"bullet-mb-10", "Bullet float mb 10", "peer_bullet_float.so", "bullet-float-mb", 10, NULL, FOR_JOINTED, true},
    {"bullet-mb-50", "Bullet float mb 50", "peer_bullet_float.so", "bullet-float-mb", 50, NULL, FOR_JOINTED, false},
    {"mujoco-newton", "MuJoCo Newton", "peer_mujoco.so", "mujoco", 100, "Newton", FOR_ALL, true},
    {"mujoco-cg", "MuJoCo CG", "peer_mujoco.so", "mujoco", 100, "CG", FOR_ALL, false},
};
#define SETTINGS ((int)(sizeof settings / sizeof settings[0]))

/* Files, and the balls of the stacks' benchmark: all of its steps, and the first 200. */
static const char *const default_scenes[] = {"D1", "D2", "D3", "D4", "D5", "D6", "H1", "H22", "S2", "S2-200", NULL};
static const char *const code_scenes[] = {"boxes-1", "hulls-1", "ragdolls-1", "S2-200", NULL};
static const char *const quick_scenes[] = {"D1", "D3", "D5", "D6", "H1", "S2-200", NULL};

typedef struct Names {
    const char *name[MAX_NAMES];
    int count;
} Names;

typedef struct Bench {
    Names scenes, engines;
    const char *folder, *write, *seed;
    char modules[256]; /* folder of the program, with its slash */
    TurnPlan plan;
    bool quick;
    FILE *csv;
} Bench;

/* ------------------------------------------------------------------ scenes */

/* A file of the folder, a scene of the code, or the first steps of one (NAME-STEPS); NULL: said why. */
static SceneData *find_scene(const Bench *b, const char *name)
{
    char path[512], base[64];
    RgError error;
    snprintf(path, sizeof path, "%s/%s.scene", b->folder, name);
    if (access(path, R_OK) == 0) {
        SceneData *s = scene_data_read(path, &error);
        if (s == NULL)
            fprintf(stderr, "rigor-bench-motion: %s:%d: %s\n", path, error.line, error.text);
        return s;
    }
    SceneData *s = scene_data_create(name);
    const char *dash = strrchr(name, '-');
    long steps = dash != NULL ? strtol(dash + 1, NULL, 10) : 0;
    if (s == NULL && steps > 0) {
        snprintf(base, sizeof base, "%.*s", (int)(dash - name), name);
        s = scene_data_create(base);
        if (s != NULL && steps < s->steps)
            s->steps = (int)steps;
        if (s != NULL)
            snprintf(s->name, sizeof s->name, "%s", name);
    }
    if (s == NULL)
        printf("\nskipped: %s is no scene in %s\n", name, b->folder);
    return s;
}

/* ------------------------------------------------------------------ rows */

/* s over the first so many turns. */
static double time_of(const Runner *r, int turns)
{
    double sum = 0.0;
    for (int i = 0; i < turns; i++)
        sum += r->best[i];
    return sum;
}

static double speed_of(const Runner *r, const TurnPlan *plan)
{
    if (r->turns == 0)
        return r->part > 0.0 ? r->part_steps / r->part : 0.0;
    return turn_end(plan, r->turns - 1) / time_of(r, r->turns);
}

/* How many times as fast the first is, over the turns of both; 0: not known. */
static double ratio_of(const Runner *ours, const Runner *r, const TurnPlan *plan)
{
    int turns = ours->turns < r->turns ? ours->turns : r->turns;
    if (ours->state != RUNNER_READY || ours->turns == 0)
        return 0.0;
    if (turns == 0)
        return r->part_steps > 0 ? turn_end(plan, 0) / ours->best[0] / (r->part_steps / r->part) : 0.0;
    return time_of(r, turns) / time_of(ours, turns);
}

static void print_head(const SceneData *s, const TurnPlan *plan)
{
    int moving = 0;
    for (int i = 0; i < s->nbodies; i++)
        moving += s->bodies[i].is_static || scene_is_massless(&s->bodies[i]) ? 0 : 1;
    printf("\n%s: %d bodies, %d hinges, %d of %d steps of %.4g ms\n", s->name, moving, s->njoints, plan->steps,
           s->steps, 1e3 * s->dt);
    printf("  %-21s %9s %7s %9s %9s %9s %10s %5s %s\n", "engine", "steps/s", "ours", "late mm", "largest", "worst",
           "gain J", "lost", "");
}

/* A run that was stopped has no late part. */
static void print_late(double value)
{
    if (isnan(value))
        printf("%9s ", "-");
    else
        printf("%9.3g ", value);
}

static void print_row(const struct Setting *setting, const Runner *r, double ratio, const TurnPlan *plan)
{
    const MotionErrors *e = &r->errors;
    printf("  %-21s ", setting->title);
    if (r->state == RUNNER_LACKS || (r->state == RUNNER_FAILED && r->spent == 0.0)) {
        printf("%9s %s\n", "-", r->text);
        return;
    }
    printf("%9.0f %6.2fx ", speed_of(r, plan), ratio);
    if (r->state == RUNNER_FAILED) {
        printf("%9s %s\n", "-", r->text);
        return;
    }
    print_late(e->late_mean);
    print_late(e->late_max);
    printf("%9.3g %10.3g %5d", e->worst, e->gain, e->lost);
    if (e->fallen >= 0)
        printf(" fell %d", e->fallen);
    if (e->drift >= 0.0)
        printf(" drift %.3g mm", e->drift);
    if (e->joint_gap > 0.01)
        printf(" joints %.3g mm", e->joint_gap);
    if (r->turns < MOTION_TURNS)
        printf(" (stopped after %d steps, errors over %d)", r->turns > 0 ? turn_end(plan, r->turns - 1) : r->part_steps,
               e->steps);
    else if (e->steps < plan->steps)
        printf(" (errors over %d steps)", e->steps);
    printf("\n");
}

static void write_row(FILE *csv, const SceneData *s, const struct Setting *setting, const Runner *r, double ratio,
                      const TurnPlan *plan)
{
    const MotionErrors *e = &r->errors;
    if (csv == NULL)
        return;
    if (r->state != RUNNER_READY) {
        fprintf(csv, "%s,%s,\"%s\",,,,,,,,,,,,\n", s->name, setting->id, r->text);
        return;
    }
    fprintf(csv, "%s,%s,,%d,%.6g,%.4g,%.6g,%.6g,%.6g,%.6g,%d,%d,%.6g,%.6g,%016" PRIx64 "\n", s->name, setting->id,
            e->steps, speed_of(r, plan), ratio, e->late_mean, e->late_max, e->worst, e->gain, e->lost, e->fallen,
            e->drift, e->joint_gap, e->hash);
}

/* ------------------------------------------------------------------ runs */

static bool wanted(const Names *names, const char *id)
{
    for (int i = 0; i < names->count; i++)
        if (strncmp(names->name[i], id, strlen(names->name[i])) == 0)
            return true;
    return names->count == 0;
}

static bool is_meant(Meant meant, bool jointed)
{
    return meant == FOR_ALL || (meant == FOR_JOINTED) == jointed;
}

static void run_scene(Bench *b, const SceneData *s)
{
    Runner runners[SETTINGS];
    char paths[SETTINGS][512];
    int chosen[SETTINGS], count = 0;
    TurnPlan plan = b->plan;
    plan.steps = s->steps;
    for (int i = 0; i < SETTINGS; i++) {
        const struct Setting *x = &settings[i];
        bool chosen_by_name = b->engines.count > 0;
        if (!is_meant(x->meant, s->njoints > 0) || (i > 0 && !wanted(&b->engines, x->id)) ||
            (b->quick && !chosen_by_name && !x->by_default))
            continue;
        snprintf(paths[count], sizeof paths[count], "%s%s", b->modules, x->module != NULL ? x->module : "");
        runners[count] = (Runner){
            .module = x->module != NULL ? paths[count] : NULL,
            .engine = x->engine,
            .options = {.threads = 1, .iterations = x->iterations, .solver = x->solver},
        };
        chosen[count++] = i;
    }
    print_head(s, &plan);
    fflush(stdout);
    run_in_turns(runners, count, s, &plan);
    for (int i = 0; i < count; i++) {
        double ratio = ratio_of(&runners[0], &runners[i], &plan);
        print_row(&settings[chosen[i]], &runners[i], ratio, &plan);
        write_row(b->csv, s, &settings[chosen[i]], &runners[i], ratio, &plan);
    }
    fflush(stdout);
}

static bool take_scene(Bench *b, const char *name)
{
    SceneData *s = find_scene(b, name);
    bool good = true;
    if (s == NULL)
        return false;
    if (b->write != NULL) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.scene", b->write, s->name);
        good = scene_data_write(s, path);
        printf("%s %s\n", path, good ? "written" : "cannot be written");
    } else {
        run_scene(b, s);
    }
    scene_data_destroy(s);
    return good;
}

static bool run_named(Bench *b)
{
    static const char *const kinds[] = {"boxes", "hulls", "ragdolls"};
    bool good = true;
    for (int i = 0; i < b->scenes.count; i++)
        good = take_scene(b, b->scenes.name[i]) && good;
    for (int i = 0; i < 3 && b->seed != NULL; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s-%.20s", kinds[i], b->seed);
        good = take_scene(b, name) && good;
    }

    return good;
}

/* Where nothing is named, everything that is there; without the folder scenes of a seed in place of its files. */
static bool run_all(Bench *b)
{
    const char *const *names = b->quick ? quick_scenes : default_scenes;
    if (b->scenes.count > 0 || b->seed != NULL)
        return run_named(b);
    if (access(b->folder, R_OK) != 0) {
        printf("skipped: there is no folder %s; scenes of seed 1 in place of its files\n", b->folder);
        names = code_scenes;
    }
    for (int i = 0; names[i] != NULL; i++)
        take_scene(b, names[i]);
    return true;
}

/* ------------------------------------------------------------------ command line */

static int usage(FILE *file)
{
    fprintf(file, "usage: rigor-bench-motion [--scene A,B...] [--seed N] [--engine A,B...] [--quick] [--repeats N]\n"
                  "                          [--budget S] [--scenes FOLDER] [--csv FILE] [--write FOLDER]\n\n"
                  "Scenes in motion in Rigor and in other engines, in turns, in one run: files of the folder "
                  "(default\n" DEFAULT_FOLDER "), names of scene_data.h, NAME-STEPS for the first steps of one.\n"
                  "--seed: boxes, hulls and ragdolls drawn from it. --engine: ids that begin so; Rigor quick always "
                  "runs.\n"
                  "--budget: s of processor time of an engine on a scene. --write: scenes into files, nothing is run.\n"
                  "engines:");
    for (int i = 0; i < SETTINGS; i++)
        fprintf(file, " %s", settings[i].id);
    fprintf(file, "\n");
    return file == stdout ? 0 : 2;
}

/* Names parted by commas; the text is cut up. */
static bool add_names(Names *names, char *text)
{
    char *rest;
    for (char *word = strtok_r(text, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
        if (names->count == MAX_NAMES)
            return false;
        names->name[names->count++] = word;
    }
    return true;
}

static FILE *open_csv(const char *path)
{
    FILE *csv = fopen(path, "w");
    if (csv == NULL) {
        perror(path);
        exit(1);
    }
    fprintf(csv, "scene,engine,text,steps,steps_per_s,ours,late_mean_mm,late_max_mm,worst_mm,gain_J,lost,fallen,"
                 "drift_mm,joint_gap_mm,hash\n");
    return csv;
}

static bool take_number(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return *end == '\0' && *out > 0.0 && *out <= 1e6;
}

static bool take_option(Bench *b, const char *option, char *value)
{
    double number = 0.0;
    if (strcmp(option, "--scene") == 0)
        return add_names(&b->scenes, value);
    if (strcmp(option, "--engine") == 0)
        return add_names(&b->engines, value);
    if (strcmp(option, "--seed") == 0)
        b->seed = value;
    else if (strcmp(option, "--scenes") == 0)
        b->folder = value;
    else if (strcmp(option, "--write") == 0)
        b->write = value;
    else if (strcmp(option, "--csv") == 0)
        b->csv = open_csv(value);
    else if (!take_number(value, &number))
        return false;
    else if (strcmp(option, "--repeats") == 0)
        b->plan.repeats = (int)number;
    else if (strcmp(option, "--budget") == 0)
        b->plan.budget = number;
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    Bench b = {.folder = DEFAULT_FOLDER, .plan = {.repeats = 5, .budget = 30.0}};
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--quick") == 0) {
            b.quick = true;
            b.plan.repeats = 1;
            b.plan.budget = 2.0;
        }
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0)
            return usage(stdout);
        if (strcmp(argv[i], "--quick") == 0)
            continue;
        if (i + 1 == argc || !take_option(&b, argv[i], argv[i + 1]))
            return usage(stderr);
        i++;
    }
    ssize_t length = readlink("/proc/self/exe", b.modules, sizeof b.modules - 1);
    while (length > 0 && b.modules[length - 1] != '/')
        length--;
    b.modules[length > 0 ? length : 0] = '\0';
    bool good = run_all(&b);
    if (b.csv != NULL && fclose(b.csv) != 0) {
        fprintf(stderr, "rigor-bench-motion: the CSV file could not be written\n");
        return 1;
    }
    return good ? 0 : 1;
}
