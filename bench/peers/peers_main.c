/*
 * peers_main.c - rigor-bench-contact: the same scenes in every engine that is installed, in one run and one
 * table.
 *
 *   rigor-bench-contact [--scene NAME]... [--engine ID]... [--quick] [--threads N] [--iterations N]
 *                       [--csv FILE] [--list]
 *
 * --scene S1 | growth-1000 | growth (100 to 100,000 contacts) | wall; without it S1 to S6 with the
 * disturbed ones. --engine is the beginning of an id as --list shows it. --quick: one timed run, a part of
 * the steps.
 *
 * Speed is steps/s: median (best) of the timed runs by wall clock, then by processor time. "ours" is
 * Rigor's median by processor time (by wall clock where there are threads) over the engine's: over 1, Rigor
 * is faster; Rigor's is that of its fastest entry of the scene. Below each scene stand published figures of
 * upstream builds, which are newer than the packaged ones.
 */
#define _GNU_SOURCE
#include "machine_gain.h"
#include "published.h"
#include "run_engine.h"

#include <rigor/rigor.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_ENGINES 32
#define MAX_NAMES 16
#define MAX_SCENES 32

/* One engine of one module. */
typedef struct Entry {
    char path[512]; /* empty: Rigor's own */
    int index;
    EngineInfo info;
} Entry;

typedef struct Names {
    const char *name[MAX_NAMES];
    int count;
} Names;

/* A scene's column of the last table. */
typedef struct Column {
    char scene[24];
    double ours;               /* steps/s of our fastest entry */
    double times[MAX_ENGINES]; /* how many times faster that is; 0: not known */
} Column;

typedef struct Peers {
    Entry entries[MAX_ENGINES];
    int nentries;
    Column columns[MAX_SCENES];
    int ncolumns;
    Names scenes, engines;
    RunPlan plan;
    bool quick, list;
    FILE *csv;
} Peers;

/* What a module is called and what package brings it. */
typedef struct Module {
    const char *file, *engine, *package;
} Module;

static const Module modules[] = {
    {"peer_ode.so", "ODE", "libode-dev"},
    {"peer_bullet.so", "Bullet (double)", "libbullet-dev"},
    {"peer_bullet_float.so", "Bullet (float)", "libbullet-dev"},
    {"peer_mujoco.so", "MuJoCo", "libmujoco-dev"},
    {"peer_dart.so", "DART", "libdart-dev"},
    {"peer_simbody.so", "Simbody", "libsimbody-dev"},
};

/* ------------------------------------------------------------------ which engines and scenes */

static void add_module(Peers *p, const char *path)
{
    EngineInfo infos[8];
    int count = list_engines(path[0] != '\0' ? path : NULL, infos, 8);
    for (int i = 0; i < count && p->nentries < MAX_ENGINES; i++) {
        Entry *e = &p->entries[p->nentries++];
        snprintf(e->path, sizeof e->path, "%s", path);
        e->index = i;
        e->info = infos[i];
    }
}

/* Modules lie beside the program; those that were not built are named. */
static void find_engines(Peers *p)
{
    char program[256] = "";
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    while (length > 0 && program[length - 1] != '/')
        length--;
    add_module(p, "");
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%.*s%s", length > 0 ? (int)length : 0, program, modules[i].file);
        FILE *file = fopen(path, "r");
        if (file != NULL) {
            fclose(file);
            add_module(p, path);
        } else {
            printf("skipped: %s is not installed (%s)\n", modules[i].engine, modules[i].package);
        }
    }
}

static bool wanted(const Names *names, const char *id)
{
    for (int i = 0; i < names->count; i++)
        if (strncmp(names->name[i], id, strlen(names->name[i])) == 0)
            return true;
    return names->count == 0;
}

static bool is_ours(const Entry *e)
{
    return e->path[0] == '\0';
}

/* ------------------------------------------------------------------ table */

static void print_head(const SceneData *s, int steps)
{
    SceneErrorNames names = scene_error_names(s->error);
    printf("\n%s  %s: %d bodies, mu %g, dt %g ms, ", s->name, s->title, s->nbodies, s->mu, 1e3 * s->dt);
    if (steps < s->steps)
        printf("%d of ", steps);
    printf("%d steps\n", s->steps);
    printf("  %-28s %9s %10s %9s %10s %7s", "engine", "steps/s", "(best)", "cpu", "(best)", "ours");
    for (int i = 0; i < SCENE_ERRORS; i++) {
        char head[32] = "";
        if (names.name[i] != NULL)
            snprintf(head, sizeof head, "%s %s", names.name[i], names.unit[i]);
        printf(" %13s", head);
    }
    printf("  hash\n");
}

/* Not so many digits as there are none behind them. */
static const char *error_text(char out[32], double error)
{
    if (!isfinite(error))
        snprintf(out, 32, "lost");
    else
        snprintf(out, 32, error != 0.0 && error < 1e-3 ? "%.1e" : "%.4g", error);
    return out;
}

static void print_result(const SceneData *s, const Entry *e, const RunResult *r, double times, int planned)
{
    printf("  %-28s", e->info.title);
    if (r->state != RUN_DONE) {
        printf(" %s: %s\n", r->state == RUN_LACKS ? "skipped" : "failed", r->text);
        return;
    }
    char best[32], cpu_best[32], ratio[32] = "-", text[32];
    snprintf(best, sizeof best, "(%.0f)", r->wall_best);
    snprintf(cpu_best, sizeof cpu_best, "(%.0f)", r->cpu_best);
    if (times > 0.0)
        snprintf(ratio, sizeof ratio, "%.2fx", times);
    bool small = r->wall < 10.0;
    printf(" %9.*f %10s %9.*f %10s %7s", small, r->wall, best, small, r->cpu, cpu_best, ratio);
    SceneErrorNames names = scene_error_names(s->error);
    for (int i = 0; i < SCENE_ERRORS; i++)
        printf(" %13s", names.name[i] != NULL ? error_text(text, r->error[i]) : "");
    printf("  %08" PRIx32, (uint32_t)(r->hash ^ (r->hash >> 32)));
    if (r->error_steps < planned || r->steps < planned)
        printf("  stopped after %d steps (errors %d)", r->steps, r->error_steps);
    printf("\n");
    fflush(stdout);
}

/* For every measured row the published ones of the scene, as ratios to ours. */
static void print_published(const SceneData *s, double ours)
{
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        const Published *x = &published[i];
        if (strcmp(x->scene, s->name) != 0)
            continue;
        char steps[32] = "-", best[32] = "", ratio[32] = "-";
        if (x->steps > 0.0)
            snprintf(steps, sizeof steps, "%.0f", x->steps);
        if (x->best > 0.0)
            snprintf(best, sizeof best, "(%.0f)", x->best);
        if (x->steps > 0.0 && ours > 0.0)
            snprintf(ratio, sizeof ratio, "%.2fx", ours / x->steps);
        printf("  published: %-17.17s %9s %10s %9s %10s %7s %s\n", x->engine, steps, best, "", "", ratio, x->errors);
    }
}

static void write_csv(FILE *csv, const SceneData *s, const Entry *e, const RunResult *r, double times)
{
    if (csv == NULL)
        return;
    SceneErrorNames names = scene_error_names(s->error);
    fprintf(csv, "%s,\"%s\",\"%s\",", s->name, e->info.title, e->info.version);
    if (r->state != RUN_DONE) {
        fprintf(csv, "%s: %s,,,,,,,,,,,,,,,,\n", r->state == RUN_LACKS ? "skipped" : "failed", r->text);
        return;
    }
    fprintf(csv, "measured,%d,%.6g,%.6g,%.6g,%.6g,", r->steps, r->wall, r->wall_best, r->cpu, r->cpu_best);
    if (times > 0.0)
        fprintf(csv, "%.4g", times);
    for (int i = 0; i < SCENE_ERRORS; i++) {
        if (names.name[i] != NULL)
            fprintf(csv, ",%s,%.4g,%s", names.name[i], r->error[i], names.unit[i]);
        else
            fprintf(csv, ",,,");
    }
    fprintf(csv, ",%016" PRIx64 "\n", r->hash);
}

static void write_published(FILE *csv, const SceneData *s, double ours)
{
    for (size_t i = 0; csv != NULL && i < sizeof published / sizeof published[0]; i++) {
        const Published *x = &published[i];
        if (strcmp(x->scene, s->name) != 0)
            continue;
        fprintf(csv, "%s,\"%s\",,published,,%g,%g,,,", s->name, x->engine, x->steps, x->best);
        if (x->steps > 0.0 && ours > 0.0)
            fprintf(csv, "%.4g", ours / x->steps);
        fprintf(csv, ",\"%s\",,,,,,,,,\n", x->errors);
    }
}

/* ------------------------------------------------------------------ runs */

/* A quick look: a part of the steps, but enough of them that errors show. */
static RunPlan plan_for(const Peers *p, const SceneData *s)
{
    RunPlan plan = p->plan;
    if (p->quick)
        plan.max_steps = s->steps > 200 ? s->steps / 5 : s->steps;
    return plan;
}

/* What is compared: processor time does not count what else the machine does, but counts threads together. */
static double speed(const RunPlan *plan, const RunResult *r)
{
    return plan->options.threads > 1 ? r->wall : r->cpu;
}

static int planned_steps(const RunPlan *plan, const SceneData *s)
{
    return plan->max_steps > 0 && plan->max_steps < s->steps ? plan->max_steps : s->steps;
}

static void show(const Peers *p, const SceneData *s, const Entry *e, const RunResult *r, double times)
{
    RunPlan plan = plan_for(p, s);
    print_result(s, e, r, times, planned_steps(&plan, s));
    write_csv(p->csv, s, e, r, times);
}

/* All engines on one scene; ours run first, so that all ratios are known. */
static void run_scene(Peers *p, const char *name)
{
    SceneData *s = scene_data_create(name);
    if (s == NULL) {
        fprintf(stderr, "rigor-bench-contact: there is no scene %s\n", name);
        exit(2);
    }
    RunPlan plan = plan_for(p, s);
    RunResult mine[MAX_ENGINES];
    double ours = 0.0;
    Column *column = &p->columns[p->ncolumns < MAX_SCENES ? p->ncolumns++ : MAX_SCENES - 1];
    print_head(s, planned_steps(&plan, s));
    for (int i = 0; i < p->nentries; i++) {
        const Entry *e = &p->entries[i];
        if (!is_ours(e) || !wanted(&p->engines, e->info.id))
            continue;
        mine[i] = run_engine(NULL, e->index, name, &plan);
        if (mine[i].state == RUN_DONE)
            ours = fmax(ours, speed(&plan, &mine[i]));
    }
    for (int i = 0; i < p->nentries; i++) {
        const Entry *e = &p->entries[i];
        if (!wanted(&p->engines, e->info.id))
            continue;
        RunResult r = is_ours(e) ? mine[i] : run_engine(e->path, e->index, name, &plan);
        column->times[i] = r.state == RUN_DONE ? ours / speed(&plan, &r) : 0.0;
        show(p, s, e, &r, column->times[i]);
    }
    snprintf(column->scene, sizeof column->scene, "%s", s->name);
    column->ours = ours;
    print_published(s, ours);
    write_published(p->csv, s, ours);
    scene_data_destroy(s);
}

static void run_growth(Peers *p, const char *kind)
{
    const int sizes[] = {100, 1000, 10000, 100000};
    for (int i = 0; i < (p->quick ? 2 : 4); i++) {
        char name[24];
        snprintf(name, sizeof name, "%s-%d", kind, sizes[i]);
        run_scene(p, name);
    }
}

static void run_all(Peers *p)
{
    for (int i = 0; p->scenes.count == 0 && scene_data_names[i] != NULL; i++)
        run_scene(p, scene_data_names[i]);
    for (int i = 0; i < p->scenes.count; i++) {
        const char *name = p->scenes.name[i];
        if (strcmp(name, "growth") == 0 || strcmp(name, "wall") == 0)
            run_growth(p, name);
        else
            run_scene(p, name);
    }
}

/* ------------------------------------------------------------------ everything at a glance */

static int width_of(const Column *column)
{
    int length = (int)strlen(column->scene) + 1;
    return length > 8 ? length : 8;
}

static void print_times(const Column *column, double times)
{
    char text[32] = "-";
    if (times > 0.0)
        snprintf(text, sizeof text, times < 99.95 ? "%.2fx" : "%.0fx", times);
    printf(" %*s", width_of(column), text);
}

/* Our steps/s over the published ones of an engine; 0: none. */
static double published_times(const Column *column, const char *engine)
{
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++)
        if (strcmp(published[i].scene, column->scene) == 0 && strcmp(published[i].engine, engine) == 0 &&
            published[i].steps > 0.0)
            return column->ours / published[i].steps;
    return 0.0;
}

/* A row for every engine that has a published figure for one of the scenes. */
static void print_published_rows(const Peers *p)
{
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        const char *engine = published[i].engine;
        bool before = false, any = false;
        for (size_t k = 0; k < i && !before; k++)
            before = strcmp(published[k].engine, engine) == 0;
        for (int c = 0; c < p->ncolumns && !any; c++)
            any = published_times(&p->columns[c], engine) > 0.0;
        if (before || !any)
            continue;
        printf("  published: %-17.17s", engine);
        for (int c = 0; c < p->ncolumns; c++)
            print_times(&p->columns[c], published_times(&p->columns[c], engine));
        printf("\n");
    }
}

static void print_summary(const Peers *p)
{
    printf("\nHow many times as fast our fastest entry is\n  %-28s", "engine");
    for (int c = 0; c < p->ncolumns; c++)
        printf(" %*s", width_of(&p->columns[c]), p->columns[c].scene);
    printf("\n  %-28s", "(our steps/s)");
    for (int c = 0; c < p->ncolumns; c++)
        printf(" %*.0f", width_of(&p->columns[c]), p->columns[c].ours);
    printf("\n");
    for (int i = 0; i < p->nentries; i++) {
        if (!wanted(&p->engines, p->entries[i].info.id))
            continue;
        printf("  %-28s", p->entries[i].info.title);
        for (int c = 0; c < p->ncolumns; c++)
            print_times(&p->columns[c], p->columns[c].times[i]);
        printf("\n");
    }
    print_published_rows(p);
}

/* ------------------------------------------------------------------ command line */

static void usage(void)
{
    fprintf(stderr, "usage: rigor-bench-contact [--scene NAME]... [--engine ID]... [--quick] [--threads N] "
                    "[--iterations N] [--csv FILE] [--list]\n");
    exit(2);
}

static FILE *open_csv(const char *path)
{
    FILE *csv = fopen(path, "w");
    if (csv == NULL) {
        perror(path);
        exit(1);
    }
    fprintf(csv, "scene,engine,version,what,steps,wall,wall_best,cpu,cpu_best,ours,error1,error1_value,error1_unit,"
                 "error2,error2_value,error2_unit,error3,error3_value,error3_unit,hash\n");
    return csv;
}

static void add_name(Names *names, const char *name)
{
    if (names->count == MAX_NAMES)
        usage();
    names->name[names->count++] = name;
}

static int number(const char *text)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (*end != '\0' || value < 1 || value > 1000000)
        usage();
    return (int)value;
}

/* Options with a value. */
static void read_option(Peers *p, const char *option, const char *value)
{
    if (value == NULL)
        usage();
    if (strcmp(option, "--scene") == 0)
        add_name(&p->scenes, value);
    else if (strcmp(option, "--engine") == 0)
        add_name(&p->engines, value);
    else if (strcmp(option, "--threads") == 0)
        p->plan.options.threads = number(value);
    else if (strcmp(option, "--iterations") == 0)
        p->plan.options.iterations = number(value);
    else if (strcmp(option, "--csv") == 0)
        p->csv = open_csv(value);
    else
        usage();
}

static void print_engines(const Peers *p)
{
    for (int i = 0; i < p->nentries; i++) {
        const EngineInfo *e = &p->entries[i].info;
        if (wanted(&p->engines, e->id))
            printf("%-18s %-28s %s: %s\n", e->id, e->title, e->version, e->setting);
    }
}

int main(int argc, char **argv)
{
    static Peers p = {.plan = {.options = {.threads = 1, .iterations = 50}, .repeats = 5, .budget = 10.0}};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            p.quick = true;
        else if (strcmp(argv[i], "--list") == 0)
            p.list = true;
        else {
            read_option(&p, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
            i++;
        }
    }
    if (p.quick) {
        p.plan.repeats = 1;
        p.plan.budget = 3.0;
    }
    find_engines(&p);
    print_engines(&p);
    if (p.list)
        return 0;
    printf("threads: %d, iterations of iterative solvers: %d\n", p.plan.options.threads, p.plan.options.iterations);
    if (p.plan.options.threads > 1)
        printf("%d threads of nothing but multiplications and additions do %.2f times the work of one here\n",
               p.plan.options.threads, machine_gain(p.plan.options.threads));
    run_all(&p);
    print_summary(&p);
    if (p.csv != NULL && fclose(p.csv) != 0) {
        fprintf(stderr, "rigor-bench-contact: the CSV file could not be written\n");
        return 1;
    }
    return 0;
}
