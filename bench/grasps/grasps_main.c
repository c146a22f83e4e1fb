/*
 * grasps_main.c - rigor-bench-grasps: light and heavy things held by two jaws; do they slip?
 *
 *   rigor-bench-grasps [--solver NAME] [--tolerance T] [--object NAME] [--hand NAME] [--coords FORM]
 *                      [--mass KG] [--force N] [--step S] [--all]
 *
 * Every grasp of scene_grasp.h with friction for twice the weight: 5 g to 2 kg, 1 to 200 N, steps of 1 to 20 ms, both forms, 1 s.
 * None may slip by Coulomb's law; a row is printed for each that does by more than 1e-6 m (--all: for every one), and a table
 * of how many do. Solver `quick` with its defaults, or another; --tolerance is that of the solver's own kind.
 * Ends with 1 where one slips or a step is refused.
 */
#include "scene_grasp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLIP 1e-6 /* m */
#define TIME 1.0  /* s */
#define MOST 64   /* tables: objects, hands, forms */

#define HANDS 2 /* grasp_hands */
#define FORMS 2

static const char *const forms[FORMS] = {"minimal", "maximal"};

typedef struct Options {
    const char *solver, *object, *hand, *form; /* NULL: all; solver: quick */
    double tolerance;                          /* 0: the solver's own */
    double mass, force, h;                     /* 0: all */
    bool all;
} Options;

/* Of the runs of one object, hand and form. */
typedef struct Table {
    int cases, slip, refused;
    long steps, unfinished;
    double worst, sweeps;
} Table;

static bool asked(const char *wanted, const char *name)
{
    return wanted == NULL || strcmp(wanted, name) == 0;
}

/* The values to try: one that was asked for, or the list. */
static const double *values_of(double wanted, const double *all, double one[2])
{
    one[0] = wanted;
    return wanted > 0.0 ? one : all;
}

static void print_case(const Grasp *grasp, const char *form, double h, const GraspSlip *run)
{
    printf("%-9s %-5s %-8s %7g %6g %5g %10.2e %10d %8.1f %12.2e%s\n", grasp->object, grasp->hand, form,
           grasp->mass, grasp->force, 1e3 * h, run->slip, run->unfinished, run->sweeps, run->residual_force,
           run->status != RG_OK ? "  refused" : "");
}

static void try_case(const RgModel *model, const Grasp *grasp, const RgWorldDef *def, double h, bool all,
                     Table *table)
{
    GraspSlip run = grasp_run(grasp, model, def, h, TIME);
    bool slips = !(run.slip <= SLIP);
    table->cases++;
    table->slip += slips;
    table->refused += run.status != RG_OK;
    table->steps += run.steps;
    table->unfinished += run.unfinished;
    table->sweeps += run.sweeps * run.steps;
    table->worst = fmax(table->worst, run.slip);
    if (slips || all || run.status != RG_OK)
        print_case(grasp, def->coords, h, &run);
}

static Table try_grasps(const Options *o, const char *object, const char *hand, const char *form)
{
    RgWorldDef def = rg_world_def_default();
    RgQuickOptions quick = rg_quick_options_default();
    RgExactOptions exact = rg_exact_options_default();
    double mass[2] = {0.0}, force[2] = {0.0}, h[2] = {0.0};
    quick.tolerance = o->tolerance > 0.0 ? o->tolerance : quick.tolerance;
    exact.tolerance = o->tolerance > 0.0 ? o->tolerance : exact.tolerance;
    def.coords = form;
    def.solver = o->solver;
    def.quick = &quick;
    def.exact = &exact;
    Table table = {0};
    for (const double *m = values_of(o->mass, grasp_masses, mass); *m > 0.0; m++) {
        Grasp grasp = {.object = object, .hand = hand, .mass = *m};
        RgModel *model = grasp_model(&grasp);
        for (const double *f = values_of(o->force, grasp_forces, force); *f > 0.0; f++) {
            grasp.force = *f;
            for (const double *k = values_of(o->h, grasp_steps, h); *k > 0.0 && grasp_holds(&grasp); k++)
                try_case(model, &grasp, &def, *k, o->all, &table);
        }
        rg_model_destroy(model);
    }
    return table;
}

/* One row of the table; adds it to the sum. */
static void print_table(const char *object, const char *hand, const char *form, const Table *t, Table *sum)
{
    double steps = t->steps > 0 ? (double)t->steps : 1.0;
    printf("%-9s %-5s %-8s %7d %10d %10.2e %8.1f %12.3f\n", object, hand, form, t->cases, t->slip, t->worst,
           t->sweeps / steps, 100.0 * (double)t->unfinished / steps);
    sum->cases += t->cases;
    sum->slip += t->slip;
    sum->refused += t->refused;
    sum->worst = fmax(sum->worst, t->worst);
}

/* Returns how many slip or were refused. */
static int run_all(const Options *o)
{
    Table tables[MOST] = {{0}}, sum = {0};
    const char *names[MOST][3];
    int count = 0;
    printf("%-9s %-5s %-8s %7s %6s %5s %10s %10s %8s %12s\n", "object", "hand", "form", "kg", "N", "ms",
           "slip m", "unfinished", "sweeps", "residual N");
    for (int i = 0; grasp_objects[i] != NULL; i++)
        for (int k = 0; k < HANDS * FORMS; k++) {
            const char *hand = grasp_hands[k / FORMS], *form = forms[k % FORMS];
            if (!asked(o->object, grasp_objects[i]) || !asked(o->hand, hand) || !asked(o->form, form))
                continue;
            tables[count] = try_grasps(o, grasp_objects[i], hand, form);
            names[count][0] = grasp_objects[i];
            names[count][1] = hand;
            names[count++][2] = form;
        }
    printf("\n%-9s %-5s %-8s %7s %10s %10s %8s %12s\n", "object", "hand", "form", "grasps", "slip", "worst m",
           "sweeps", "unfinished %");
    for (int i = 0; i < count; i++)
        print_table(names[i][0], names[i][1], names[i][2], &tables[i], &sum);
    printf("\n%d of %d grasps slip by more than %g m; worst %.2e m\n", sum.slip, sum.cases, SLIP, sum.worst);
    return sum.slip + sum.refused;
}

/* A word with a value; false: there is no such word. */
static bool parse_pair(const char *word, const char *value, Options *o)
{
    const struct {
        const char *word;
        const char **name;
        double *number;
    } words[] = {{"--solver", &o->solver, NULL}, {"--object", &o->object, NULL},
                 {"--hand", &o->hand, NULL},     {"--coords", &o->form, NULL},
                 {"--mass", NULL, &o->mass},     {"--force", NULL, &o->force},
                 {"--step", NULL, &o->h},        {"--tolerance", NULL, &o->tolerance}};
    for (size_t i = 0; value != NULL && i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i].word) != 0)
            continue;
        if (words[i].name != NULL) {
            *words[i].name = value;
            return true;
        }
        char *end;
        *words[i].number = strtod(value, &end);
        return *end == '\0' && *words[i].number > 0.0;
    }
    return false;
}

/* Whether a name is one of a list that ends with NULL, or none was given; else says which there are. */
static bool known(const char *what, const char *name, const char *const *names)
{
    for (int i = 0; name != NULL && names[i] != NULL; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    if (name == NULL)
        return true;
    fprintf(stderr, "rigor-bench-grasps: no %s '%s'; there are:", what, name);
    for (int i = 0; names[i] != NULL; i++)
        fprintf(stderr, " %s", names[i]);
    fputc('\n', stderr);
    return false;
}

static bool known_solver(const char *name)
{
    for (int i = 0; i < rg_solver_count(); i++)
        if (strcmp(name, rg_solver_name(i)) == 0)
            return true;
    fprintf(stderr, "rigor-bench-grasps: no solver '%s'\n", name);
    return false;
}

static int usage(FILE *file)
{
    fprintf(
        file,
        "usage: rigor-bench-grasps [--solver NAME] [--tolerance T] [--object NAME] [--hand NAME] "
        "[--coords FORM]\n"
        "                          [--mass KG] [--force N] [--step S] [--all]\n\n"
        "Things held between two jaws for 1 s, over masses, forces and steps, and how far they slip: rows "
        "that slip\nby more than 1e-6 m (--all: all), then a table. Ends with 1 where one slips or a step "
        "is refused.\n");
    return file == stdout ? 0 : 2;
}

int main(int count, char **words)
{
    Options options = {.solver = "quick"};
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--all") == 0)
            options.all = true;
        else if (parse_pair(words[i], i + 1 < count ? words[i + 1] : NULL, &options))
            i++;
        else
            return usage(strcmp(words[i], "--help") == 0 ? stdout : stderr);
    }
    const char *const form_names[] = {forms[0], forms[1], NULL};
    const char *const hand_names[] = {grasp_hands[0], grasp_hands[1], NULL};
    if (!known("object", options.object, grasp_objects) || !known("hand", options.hand, hand_names) ||
        !known("form", options.form, form_names) || !known_solver(options.solver))
        return 2;
    return run_all(&options) > 0 ? 1 : 0;
}
