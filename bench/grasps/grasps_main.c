/*
 * grasps_main.c - rigor-bench-grasps: light and heavy things held by two jaws; do they slip?
 *
 *   rigor-bench-grasps [--solver NAME] [--preset NAME] [--tolerance T] [--object NAME] [--hand NAME] [--coords FORM]
 *                      [--mass KG] [--force N] [--step S] [--tight] [--all] [--all-solvers]
 *
 * Every grasp of scene_grasp.h with friction for twice what is needed (--tight: 2 % more): 5 g to 2 kg, 1 to 200 N,
 * steps of 1 to 20 ms, both forms, 1 s. None may slip by Coulomb's law; a row is printed for each that does by more
 * than 1e-6 m (--all: for every one), and a table of how many do. A slip is reported where the report of some step says
 * that it was unfinished or ambiguous; where none does it is silent. Solver `quick` with its defaults, or another; of a
 * preset the sweeps; --tolerance is that of the solver's own kind. Ends with 1 where one slips or a step is refused;
 * with --all-solvers, a row a solver, where one slips silently.
 */
#include "scene_grasp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLIP 1e-6 /* m */
#define TIME 1.0  /* s */
#define MOST 96   /* tables: objects, hands, forms */

static const char *const forms[] = {"minimal", "maximal", NULL};

/* Solvers that are to hold what Coulomb's law holds, in the order of the table; pgs with its presets. */
static const char *const held_by[][2] = {{"quick", NULL},   {"cone", NULL},       {"cone-convex", NULL},
                                         {"dantzig", NULL}, {"lemke", NULL},      {"max-dissipation", NULL},
                                         {"pgs", NULL},     {"pgs:jacobi", NULL}, {"pgs", "ode"}};

typedef struct Options {
    const char *solver, *preset, *object, *hand, *form; /* NULL: all; solver: quick; preset: none */
    double tolerance;                                   /* 0: the solver's own */
    double mass, force, h;                              /* 0: all */
    bool all, tight, quiet;                             /* quiet: the sum alone */
} Options;

/* Of the runs of one object, hand and form. */
typedef struct Table {
    int cases, slip, silent, refused;
    long steps, unfinished;
    double worst, sweeps;
} Table;

static bool asked(const char *wanted, const char *name)
{
    return wanted == NULL || strcmp(wanted, name) == 0;
}

/* The values to try: the requested one, or the list. */
static const double *values_of(double wanted, const double *all, double one[2])
{
    one[0] = wanted;
    return wanted > 0.0 ? one : all;
}

static void print_case(const Grasp *grasp, const char *form, double h, const GraspSlip *run)
{
    printf("%-9s %-6s %-8s %7g %6g %5g %10.2e %10d %9d %8.1f %12.2e%s\n", grasp->object, grasp->hand, form, grasp->mass,
           grasp->force, 1e3 * h, run->slip, run->unfinished, run->ambiguous, run->sweeps, run->residual_force,
           run->status != RG_OK ? "  refused" : "");
}

static void try_case(const RgModel *model, const Grasp *grasp, const RgWorldDef *def, double h, const Options *o,
                     Table *table)
{
    GraspSlip run = grasp_run(grasp, model, def, h, TIME);
    bool slips = !(run.slip <= SLIP);
    table->cases++;
    table->slip += slips;
    table->silent += slips && run.unfinished + run.ambiguous == 0;
    table->refused += run.status != RG_OK;
    table->steps += run.steps;
    table->unfinished += run.unfinished;
    table->sweeps += run.sweeps * run.steps;
    table->worst = fmax(table->worst, run.slip);
    if (!o->quiet && (slips || o->all || run.status != RG_OK))
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
    RgContactLaw law = rg_contact_law_for(o->solver);
    RgPgsOptions pgs = rg_pgs_options_default();
    grasp_preset(o->preset, &law, &pgs);
    def.law = &law;
    def.pgs = &pgs;
    def.coords = form;
    def.solver = o->solver;
    def.quick = &quick;
    def.exact = &exact;
    Table table = {0};
    for (const double *m = values_of(o->mass, grasp_masses, mass); *m > 0.0; m++) {
        for (const double *f = values_of(o->force, grasp_forces, force); *f > 0.0; f++) {
            Grasp grasp = {object, hand, *m, *f, o->tight};
            if (!grasp_holds(&grasp))
                continue;
            RgModel *model = grasp_model(&grasp);
            for (const double *k = values_of(o->h, grasp_steps, h); *k > 0.0; k++)
                try_case(model, &grasp, &def, *k, o, &table);
            rg_model_destroy(model);
        }
    }
    return table;
}

static void add_table(const Table *t, Table *sum)
{
    sum->cases += t->cases;
    sum->slip += t->slip;
    sum->silent += t->silent;
    sum->refused += t->refused;
    sum->steps += t->steps;
    sum->unfinished += t->unfinished;
    sum->sweeps += t->sweeps;
    sum->worst = fmax(sum->worst, t->worst);
}

static void print_table(const char *object, const char *hand, const char *form, const Table *t)
{
    double steps = t->steps > 0 ? (double)t->steps : 1.0;
    printf("%-9s %-6s %-8s %7d %6d %7d %8d %10.2e %8.1f %12.3f\n", object, hand, form, t->cases, t->slip, t->silent,
           t->refused, t->worst, t->sweeps / steps, 100.0 * (double)t->unfinished / steps);
}

/* An object in a hand, in the forms asked for, from number count on. Returns how many there are then. */
static int try_hand(const Options *o, const char *object, const char *hand, int count, const char *names[MOST][3],
                    Table tables[MOST])
{
    for (int f = 0; forms[f] != NULL; f++) {
        if (!asked(o->object, object) || !asked(o->hand, hand) || !asked(o->form, forms[f]))
            continue;
        tables[count] = try_grasps(o, object, hand, forms[f]);
        names[count][0] = object;
        names[count][1] = hand;
        names[count++][2] = forms[f];
    }
    return count;
}

/* Every object, hand and form; their names and tables. Returns how many. */
static int try_all(const Options *o, const char *names[MOST][3], Table tables[MOST])
{
    int count = 0;
    for (int i = 0; grasp_objects[i] != NULL; i++)
        for (int k = 0; grasp_hands[k] != NULL; k++)
            count = try_hand(o, grasp_objects[i], grasp_hands[k], count, names, tables);
    return count;
}

/* Returns how many slip or were refused. */
static int run_all(const Options *o)
{
    Table tables[MOST] = {{0}}, sum = {0};
    const char *names[MOST][3];
    printf("%-9s %-6s %-8s %7s %6s %5s %10s %10s %9s %8s %12s\n", "object", "hand", "form", "kg", "N", "ms", "slip m",
           "unfinished", "ambiguous", "sweeps", "residual N");
    int count = try_all(o, names, tables);
    printf("\n%-9s %-6s %-8s %7s %6s %7s %8s %10s %8s %12s\n", "object", "hand", "form", "grasps", "slip", "silent",
           "refused", "worst m", "sweeps", "unfinished %");
    for (int i = 0; i < count; i++) {
        print_table(names[i][0], names[i][1], names[i][2], &tables[i]);
        add_table(&tables[i], &sum);
    }
    printf("\n%d of %d grasps slip by more than %g m, %d of them silently; worst %.2e m\n", sum.slip, sum.cases, SLIP,
           sum.silent, sum.worst);
    return sum.slip + sum.refused;
}

/* A row for each solver and form. Returns how many slip silently or were refused. */
static int run_solvers(Options o)
{
    int bad = 0;
    o.quiet = true;
    printf("%-15s %-8s %7s %6s %7s %8s %10s %8s %12s\n", "solver", "form", "grasps", "slip", "silent", "refused",
           "worst m", "sweeps", "unfinished %");
    for (size_t i = 0; i < sizeof held_by / sizeof *held_by; i++)
        for (int f = 0; forms[f] != NULL; f++) {
            Table tables[MOST] = {{0}}, sum = {0};
            const char *names[MOST][3];
            o.solver = held_by[i][0];
            o.preset = held_by[i][1];
            o.form = forms[f];
            int count = try_all(&o, names, tables);
            for (int k = 0; k < count; k++)
                add_table(&tables[k], &sum);
            double steps = sum.steps > 0 ? (double)sum.steps : 1.0;
            printf("%-15s %-8s %7d %6d %7d %8d %10.2e %8.1f %12.3f\n", o.preset != NULL ? o.preset : o.solver, forms[f],
                   sum.cases, sum.slip, sum.silent, sum.refused, sum.worst, sum.sweeps / steps,
                   100.0 * (double)sum.unfinished / steps);
            fflush(stdout);
            bad += sum.silent + sum.refused;
        }
    return bad;
}

/* A word with a value; false: there is no such word. */
static bool parse_pair(const char *word, const char *value, Options *o)
{
    const struct {
        const char *word;
        const char **name;
        double *number;
    } words[] = {{"--solver", &o->solver, NULL}, {"--preset", &o->preset, NULL}, {"--object", &o->object, NULL},
                 {"--hand", &o->hand, NULL},     {"--coords", &o->form, NULL},   {"--mass", NULL, &o->mass},
                 {"--force", NULL, &o->force},   {"--step", NULL, &o->h},        {"--tolerance", NULL, &o->tolerance}};
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

/* Whether a name is in a list that ends with NULL, or NULL; else prints the list. */
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
    fprintf(file, "usage: rigor-bench-grasps [--solver NAME] [--preset NAME] [--tolerance T] [--object NAME] "
                  "[--hand NAME]\n"
                  "                          [--coords FORM] [--mass KG] [--force N] [--step S] [--tight] [--all] "
                  "[--all-solvers]\n\n"
                  "Things held between two jaws for 1 s, over masses, forces and steps, and how far they slip: rows "
                  "that slip\nby more than 1e-6 m (--all: all), then a table; --tight: with 2 %% more friction than "
                  "needed.\nEnds with 1 where one slips or a step is refused; with --all-solvers, a row a solver, "
                  "where one slips and no report says so.\n");
    return file == stdout ? 0 : 2;
}

int main(int count, char **words)
{
    Options options = {.solver = "quick"};
    bool solvers = false;
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--all") == 0)
            options.all = true;
        else if (strcmp(words[i], "--tight") == 0)
            options.tight = true;
        else if (strcmp(words[i], "--all-solvers") == 0)
            solvers = true;
        else if (parse_pair(words[i], i + 1 < count ? words[i + 1] : NULL, &options))
            i++;
        else
            return usage(strcmp(words[i], "--help") == 0 ? stdout : stderr);
    }
    const char *preset_names[8] = {NULL};
    for (int i = 0; i < rg_pgs_preset_count() && i < 7; i++)
        preset_names[i] = rg_pgs_preset_name(i);
    if (!known("object", options.object, grasp_objects) || !known("hand", options.hand, grasp_hands) ||
        !known("form", options.form, forms) || !known("preset", options.preset, preset_names) ||
        !known_solver(options.solver))
        return 2;
    return (solvers ? run_solvers(options) : run_all(&options)) > 0 ? 1 : 0;
}
