/*
 * law_main.c - rigor-bench-law: whether every solver has the same contact law.
 *
 *   rigor-bench-law [--scene NAME] [--step H] [--variant NAME] [--differing] [--all] [--values]
 *
 * One step of each scene of scene_law.h, in both forms, by every solver of Coulomb's law: how far its velocities are
 * from those of the first solver (as a part of their size), its positions, and its work by cause (J). Then each
 * solver's maximal form against its minimal one. --variant takes other settings of the law than the default ones
 * (law_variants), --differing prints only rows that differ, --all adds all other solvers, which need not agree;
 * --values prints work instead of differences. Ends with 1 where a solver of Coulomb's law or a form differs by more
 * than 1e-6.
 */
#include "scene_law.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const forms[2] = {"minimal", "maximal"};

typedef struct Options {
    const char *scene; /* NULL: all */
    double h;          /* 0: all */
    const LawVariant *variant;
    bool all, values, differing;
} Options;

static bool is_coulomb(const char *solver)
{
    for (int k = 0; law_solvers[k] != NULL; k++)
        if (strcmp(solver, law_solvers[k]) == 0)
            return true;
    return false;
}

static void print_head(const char *first)
{
    printf("\n%-9s %5s %-8s %-16s %9s %9s", first, "h ms", "form", "solver", "velocity", "position");
    for (int k = 0; k < LAW_CAUSES; k++)
        printf(" %11s", law_causes[k]);
    printf(" %10s\n", "iterations");
}

/* A difference within the tolerance is printed as "-". */
static void print_number(double value, bool plain)
{
    if (!plain && value <= LAW_TOLERANCE)
        printf(" %11s", "-");
    else
        printf(" %11.3g", value);
}

static void print_row(const char *scene, const LawAsk *ask, const LawStep *step, const LawApart *apart, bool values)
{
    bool agrees = law_agrees(step, apart);
    printf("%-9s %5g %-8s %-16s", scene, 1e3 * ask->h, ask->form, ask->solver);
    if (step->status != RG_OK) {
        printf(" %s\n", rg_status_text(step->status));
        return;
    }
    printf(" %9.2g %9.2g", apart->velocity, apart->position);
    for (int k = 0; k < LAW_CAUSES; k++)
        print_number(values ? step->work[k] : apart->work[k], values);
    printf(" %10d  %s", step->iterations, agrees ? "agrees" : is_coulomb(ask->solver) ? "DIFFERS" : "differs");
    if (step->solved_by != NULL)
        printf(", solved by %s", step->solved_by);
    printf("\n");
}

/* One row against another step; 1: it differs. */
static int compare(const LawScene *scene, const LawAsk *ask, const LawStep *step, const LawStep *from,
                   const Options *options)
{
    LawApart apart = law_apart(step, from);
    bool agrees = law_agrees(step, &apart);
    if (!agrees || !options->differing)
        print_row(scene->name, ask, step, &apart, options->values);
    return agrees ? 0 : 1;
}

/* One scene, step and form by all solvers; returns how many differ. */
static int compare_solvers(const LawScene *scene, const RgModel *model, LawAsk ask, const Options *options)
{
    int differ = 0;
    ask.solver = law_solvers[0];
    LawStep first = law_step(scene, model, ask);
    for (int k = 0; law_solvers[k] != NULL; k++) {
        ask.solver = law_solvers[k];
        LawStep step = law_step(scene, model, ask);
        differ += compare(scene, &ask, &step, &first, options);
    }
    for (int k = 0; k < rg_solver_count() && options->all; k++) {
        ask.solver = rg_solver_name(k);
        if (is_coulomb(ask.solver))
            continue;
        LawStep step = law_step(scene, model, ask);
        compare(scene, &ask, &step, &first, options);
    }
    return differ;
}

/* Each solver's maximal form against its minimal one; returns how many differ. */
static int compare_forms(const LawScene *scene, const RgModel *model, LawAsk ask, const Options *options)
{
    int differ = 0;
    for (int k = 0; law_solvers[k] != NULL; k++) {
        ask.solver = law_solvers[k];
        ask.form = forms[0];
        LawStep minimal = law_step(scene, model, ask);
        ask.form = forms[1];
        LawStep maximal = law_step(scene, model, ask);
        ask.form = "both"; /* name in the table */
        differ += compare(scene, &ask, &maximal, &minimal, options);
    }
    return differ;
}

static int run_scene(const LawScene *scene, const Options *options, bool by_form)
{
    RgModel *model = scene->build();
    int differ = 0;
    for (int k = 0; law_steps[k] > 0.0; k++) {
        LawAsk ask = {.variant = options->variant, .h = law_steps[k]};
        if (options->h > 0.0 && ask.h != options->h)
            continue;
        for (int form = 0; form < 2 && !by_form; form++) {
            ask.form = forms[form];
            differ += compare_solvers(scene, model, ask, options);
        }
        if (by_form)
            differ += compare_forms(scene, model, ask, options);
    }
    rg_model_destroy(model);
    return differ;
}

static int run_all(const Options *options, bool by_form)
{
    int differ = 0;
    print_head(by_form ? "forms" : "solvers");
    for (int k = 0; k < LAW_SCENES; k++)
        if (options->scene == NULL || strcmp(options->scene, law_scenes[k].name) == 0)
            differ += run_scene(&law_scenes[k], options, by_form);
    return differ;
}

/* A word with a value; false: there is no such word or value. */
static bool parse_pair(const char *word, const char *value, Options *options)
{
    if (value == NULL)
        return false;
    if (strcmp(word, "--scene") == 0)
        options->scene = value;
    else if (strcmp(word, "--step") == 0)
        options->h = strtod(value, NULL);
    else if (strcmp(word, "--variant") == 0)
        for (options->variant = law_variants;
             options->variant->name != NULL && strcmp(value, options->variant->name) != 0;)
            options->variant++;
    else
        return false;
    return options->variant->name != NULL;
}

static bool parse(int count, char **words, Options *options)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--all") == 0)
            options->all = true;
        else if (strcmp(words[i], "--values") == 0)
            options->values = true;
        else if (strcmp(words[i], "--differing") == 0)
            options->differing = true;
        else if (parse_pair(words[i], i + 1 < count ? words[i + 1] : NULL, options))
            i++;
        else
            return false;
    }
    return true;
}

int main(int count, char **words)
{
    Options options = {.variant = law_variants};
    if (!parse(count, words, &options)) {
        fprintf(stderr, "usage: rigor-bench-law [--scene NAME] [--step H] [--variant NAME] [--differing] [--all] "
                        "[--values]\nvariants:");
        for (int k = 0; law_variants[k].name != NULL; k++)
            fprintf(stderr, " %s", law_variants[k].name);
        fprintf(stderr, "\n");
        return 2;
    }
    int solvers = run_all(&options, false), between = run_all(&options, true);
    printf("\n%d rows differ between solvers, %d between forms\n", solvers, between);
    return solvers + between > 0 ? 1 : 0;
}
