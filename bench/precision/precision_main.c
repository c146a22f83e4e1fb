/*
 * precision_main.c - rigor-bench-precision: error against processor time, for every method and scene.
 *
 *   rigor-bench-precision [--scene NAME]... [--method ID]... [--quick] [--csv FILE] [--json FILE] [--list]
 *
 * Each method is run with its knob turned from coarse to fine: numbers of equal steps, or tolerances. --method is the
 * beginning of an id as --list shows it. --json - and --csv - go to standard output, and the tables to standard error.
 * Beneath each scene stands the least time in which each method reaches an error, where it does; errors are the largest
 * of all samples, as a part of the motion's size.
 */
#include "precision.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_METHODS = 40, MAX_NAMES = 24, MAX_KNOBS = 16, MAX_ROWS = 4000, TARGETS = 6 };

static const double step_counts[] = {40, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 0.0};
static const double tolerances[] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 0.0};
static const double targets[TARGETS] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7};

typedef struct Names {
    const char *name[MAX_NAMES];
    int count;
} Names;

typedef struct Row {
    const char *scene;
    const Method *method;
    double knob, h; /* h: s, the step or between samples */
    Outcome outcome;
} Row;

typedef struct Bench {
    Method methods[MAX_METHODS];
    int nmethods;
    Names scenes, wanted;
    bool quick, list;
    const char *csv, *json;
    FILE *table;
    Row rows[MAX_ROWS];
    int nrows;
    Truth truths[MAX_NAMES];
    const char *truth_of[MAX_NAMES];
    int ntruths;
} Bench;

static bool wanted(const Names *names, const char *id)
{
    for (int i = 0; i < names->count; i++)
        if (strncmp(names->name[i], id, strlen(names->name[i])) == 0)
            return true;
    return names->count == 0;
}

/* ------------------------------------------------------------------ runs */

static void print_row(const Bench *b, const Row *r)
{
    const Outcome *o = &r->outcome;
    char knob[32];
    snprintf(knob, sizeof knob, r->method->knob == KNOB_STEPS ? "h %.2e" : "tol %.0e",
             r->method->knob == KNOB_STEPS ? r->h : r->knob);
    fprintf(b->table, "  %-28s %-12s", r->method->title, knob);
    if (o->good)
        fprintf(b->table, " %11.4f %9lld %10.2e %10.2e\n", 1e3 * o->cpu, (long long)o->inner, o->end, o->largest);
    else
        fprintf(b->table, " %s\n", o->text);
    fflush(b->table);
}

/* From coarse to fine, until a run takes too long or its error is round-off. */
static void run_ladder(Bench *b, const SceneData *scene, const Truth *truth, const Method *m)
{
    const double *knobs = m->knob == KNOB_STEPS ? step_counts : tolerances;
    double longest = b->quick ? 0.15 : 4.0, budget = b->quick ? 0.05 : 1.0;
    for (int i = 0; knobs[i] > 0.0 && b->nrows < MAX_ROWS; i++) {
        if (b->quick && m->knob == KNOB_STEPS && i % 2 == 1)
            continue;
        Row *r = &b->rows[b->nrows++];
        double time = scene->dt * scene->steps;
        *r = (Row){scene->name, m, knobs[i], time / (m->knob == KNOB_STEPS ? knobs[i] : SAMPLES),
                   run_method(m, scene, truth, knobs[i], budget)};
        print_row(b, r);
        if (r->outcome.lacks || (!r->outcome.good && i > 2) || r->outcome.cpu > longest)
            break;
    }
}

/* ------------------------------------------------------------------ who reaches what */

/* Least time of the runs of a method that reach an error; infinite: none does. */
static double time_to(const Bench *b, const char *scene, const Method *m, double error)
{
    double least = (double)INFINITY;
    for (int i = 0; i < b->nrows; i++) {
        const Row *r = &b->rows[i];
        if (r->method == m && strcmp(r->scene, scene) == 0 && r->outcome.good && r->outcome.largest <= error)
            least = fmin(least, r->outcome.cpu);
    }
    return least;
}

static void print_times(const Bench *b, const char *scene)
{
    fprintf(b->table, "  least CPU ms to an error of");
    for (int k = 0; k < TARGETS; k++)
        fprintf(b->table, " %9.0e", targets[k]);
    fprintf(b->table, "\n");
    for (int i = 0; i < b->nmethods; i++) {
        const Method *m = &b->methods[i];
        if (!wanted(&b->wanted, m->id) || !isfinite(time_to(b, scene, m, 1e-1)))
            continue;
        fprintf(b->table, "  %-27s", m->title);
        for (int k = 0; k < TARGETS; k++) {
            double t = time_to(b, scene, m, targets[k]);
            if (isfinite(t))
                fprintf(b->table, " %9.3f", 1e3 * t);
            else
                fprintf(b->table, " %9s", "-");
        }
        fprintf(b->table, "\n");
    }
}

/* How many times as long the fastest of our fixed-step methods takes as auto. */
static void print_gain(const Bench *b, const char *scene)
{
    const Method *best = NULL;
    for (int i = 0; i < b->nmethods; i++)
        if (strcmp(b->methods[i].id, "auto") == 0 && !b->methods[i].missing)
            best = &b->methods[i];
    if (best == NULL || !wanted(&b->wanted, best->id))
        return;
    fprintf(b->table, "  %-27s", "best fixed step / auto");
    for (int k = 0; k < TARGETS; k++) {
        double fixed = (double)INFINITY, mine = time_to(b, scene, best, targets[k]);
        for (int i = 0; i < b->nmethods; i++)
            if (b->methods[i].family == FAMILY_FIXED)
                fixed = fmin(fixed, time_to(b, scene, &b->methods[i], targets[k]));
        if (!isfinite(mine))
            fprintf(b->table, " %9s", "-");
        else if (!isfinite(fixed))
            fprintf(b->table, " %9s", "alone");
        else
            fprintf(b->table, " %8.2fx", fixed / mine);
    }
    fprintf(b->table, "\n");
}

static void run_scene(Bench *b, const char *name)
{
    SceneData *scene = scene_data_create(name);
    if (scene == NULL || b->ntruths == MAX_NAMES) {
        fprintf(stderr, "rigor-bench-precision: there is no scene %s\n", name);
        exit(2);
    }
    b->truth_of[b->ntruths] = name;
    Truth *truth = &b->truths[b->ntruths++];
    *truth = find_truth(scene, b->quick);
    fprintf(b->table, "\n%s  %s: %g s, motion %.3g m\n", name, scene->title, scene->dt * scene->steps, truth->size);
    fprintf(b->table, "  truth: %s, its own error %.1e; a fine run agrees to 1e-2 until %g s\n", truth->text,
            truth->error, truth->agree);
    fprintf(b->table, "  %-28s %-12s %11s %9s %10s %10s\n", "method", "", "CPU ms", "steps", "end", "largest");
    for (int i = 0; i < b->nmethods; i++) {
        const Method *m = &b->methods[i];
        if (!wanted(&b->wanted, m->id))
            continue;
        if (strcmp(m->id, "reference") == 0 && scene->nshapes > 0)
            continue;
        if (m->missing)
            fprintf(b->table, "  %-28s not in this build\n", m->title);
        else
            run_ladder(b, scene, truth, m);
    }
    print_times(b, name);
    print_gain(b, name);
    for (int i = 0; i < b->nrows; i++)
        if (b->rows[i].scene == scene->name)
            b->rows[i].scene = name;
    scene_data_destroy(scene);
}

/* ------------------------------------------------------------------ files */

static const char *const family_names[] = {"fixed", "located", "auto", "peer"};

static FILE *open_out(const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    return file;
}

static void close_out(FILE *file)
{
    if ((file == stdout ? fflush(file) : fclose(file)) != 0) {
        fprintf(stderr, "rigor-bench-precision: a file could not be written\n");
        exit(1);
    }
}

static void write_csv(const Bench *b)
{
    FILE *f = open_out(b->csv);
    fprintf(f, "scene,method,family,knob,value,h,cpu_ms,steps,error_end,error_largest,note\n");
    for (int i = 0; i < b->nrows; i++) {
        const Row *r = &b->rows[i];
        const Outcome *o = &r->outcome;
        fprintf(f, "%s,%s,%s,%s,%g,%.6g,", r->scene, r->method->id, family_names[r->method->family],
                r->method->knob == KNOB_STEPS ? "steps" : "tolerance", r->knob, r->h);
        if (o->good)
            fprintf(f, "%.6g,%lld,%.4e,%.4e,\n", 1e3 * o->cpu, (long long)o->inner, o->end, o->largest);
        else
            fprintf(f, ",,,,\"%s\"\n", o->text);
    }
    close_out(f);
}

static void write_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', f);
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, f);
    }
    fputc('"', f);
}

static void write_json(const Bench *b)
{
    FILE *f = open_out(b->json);
    fprintf(f, "{\"scenes\": [");
    for (int i = 0; i < b->ntruths; i++) {
        const Truth *t = &b->truths[i];
        fprintf(f, "%s\n  {\"scene\": \"%s\", \"size\": %.9g, \"truth_error\": %.3e, \"agree\": %.6g, \"truth\": ",
                i > 0 ? "," : "", b->truth_of[i], t->size, t->error, t->agree);
        write_text(f, t->text);
        fprintf(f, "}");
    }
    fprintf(f, "],\n \"runs\": [");
    for (int i = 0; i < b->nrows; i++) {
        const Row *r = &b->rows[i];
        const Outcome *o = &r->outcome;
        fprintf(f,
                "%s\n  {\"scene\": \"%s\", \"method\": \"%s\", \"family\": \"%s\", \"knob\": \"%s\", "
                "\"value\": %g, ",
                i > 0 ? "," : "", r->scene, r->method->id, family_names[r->method->family],
                r->method->knob == KNOB_STEPS ? "steps" : "tolerance", r->knob);
        if (o->good) {
            fprintf(f, "\"cpu_ms\": %.6g, \"steps\": %lld, \"error_end\": %.4e, \"error_largest\": %.4e}", 1e3 * o->cpu,
                    (long long)o->inner, o->end, o->largest);
        } else {
            fprintf(f, "\"failed\": ");
            write_text(f, o->text);
            fprintf(f, "}");
        }
    }
    fprintf(f, "]}\n");
    close_out(f);
}

/* ------------------------------------------------------------------ command line */

static _Noreturn void usage(void)
{
    fprintf(stderr, "usage: rigor-bench-precision [--scene NAME]... [--method ID]... [--quick] [--csv FILE] "
                    "[--json FILE] [--list]\n");
    exit(2);
}

static void add_name(Names *names, const char *name)
{
    if (names->count == MAX_NAMES)
        usage();
    names->name[names->count++] = name;
}

static void read_option(Bench *b, const char *option, const char *value)
{
    if (value == NULL)
        usage();
    if (strcmp(option, "--scene") == 0)
        add_name(&b->scenes, value);
    else if (strcmp(option, "--method") == 0)
        add_name(&b->wanted, value);
    else if (strcmp(option, "--csv") == 0)
        b->csv = value;
    else if (strcmp(option, "--json") == 0)
        b->json = value;
    else
        usage();
}

static void print_list(const Bench *b)
{
    for (int i = 0; i < b->nmethods; i++) {
        const Method *m = &b->methods[i];
        fprintf(b->table, "%-24s %-30s %s%s\n", m->id, m->title, m->missing ? "not in this build; " : "", m->note);
    }
}

int main(int argc, char **argv)
{
    static Bench b;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            b.quick = true;
        else if (strcmp(argv[i], "--list") == 0)
            b.list = true;
        else {
            read_option(&b, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
            i++;
        }
    }
    bool piped = (b.csv != NULL && strcmp(b.csv, "-") == 0) || (b.json != NULL && strcmp(b.json, "-") == 0);
    b.table = piped ? stderr : stdout;
    b.nmethods = list_methods(b.methods, MAX_METHODS);
    if (b.list) {
        print_list(&b);
        return 0;
    }
    for (int i = 0; b.scenes.count == 0 && precision_scenes[i] != NULL; i++)
        run_scene(&b, precision_scenes[i]);
    for (int i = 0; i < b.scenes.count; i++)
        run_scene(&b, b.scenes.name[i]);
    if (b.csv != NULL)
        write_csv(&b);
    if (b.json != NULL)
        write_json(&b);
    for (int i = 0; i < b.ntruths; i++)
        free_truth(&b.truths[i]);
    return 0;
}
