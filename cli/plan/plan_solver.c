/*
 * plan_solver.c - the solver of a run and its options.
 *
 * A setting is a name and a text, whether it was given as an option or as a key under `solver:` in a run file.
 * What it means is looked up when the solver is known, in one table: the fields of the contact law and of the solvers'
 * option structs by their own names. `budget: N` stands for two fields: N iterations and tolerance 0; `budget: 2ms` for
 * max_visits. A setting that
 * the chosen solver does not have is an error, with its line where it came from a file.
 */
#include "plan/plan_solver.h"

#include "io/error.h"
#include "io/options.h"
#include "plan/plan_stepper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

/* More sweeps would never end. */
#define SWEEPS_MAX 1e9

/* ------------------------------------------------------------------ the table */

typedef enum SettingKind { KIND_NUMBER, KIND_COUNT, KIND_FLAG, KIND_CHOICE } SettingKind;

/* Names of the values of an enum, from 0 on. */
typedef struct SettingChoice {
    int count;
    const char *names[4], *text;
} SettingChoice;
static const SettingChoice friction_names = {4,
                                             {[RG_FRICTION_NONE] = "none",
                                              [RG_FRICTION_BOX] = "box",
                                              [RG_FRICTION_PYRAMID] = "pyramid",
                                              [RG_FRICTION_CONE] = "cone"},
                                             "cone, pyramid, box or none"};
static const SettingChoice restitution_names = {
    2, {[RG_RESTITUTION_NEWTON] = "newton", [RG_RESTITUTION_POISSON] = "poisson"}, "newton or poisson"};
static const SettingChoice order_names = {4,
                                          {[RG_PGS_BY_KIND] = "by-kind",
                                           [RG_PGS_BY_CONTACT] = "by-contact",
                                           [RG_PGS_JOINTS_LAST] = "joints-last",
                                           [RG_PGS_AS_ODE] = "ode"},
                                          "by-kind, by-contact, joints-last or ode"};
static const SettingChoice smoothing_names = {
    3,
    {[RG_PGS_SMOOTH_CHANGE] = "change", [RG_PGS_SMOOTH_LAST_STEP] = "last-step", [RG_PGS_SMOOTH_IMPULSE] = "impulse"},
    "change, last-step or impulse"};
static const SettingChoice poisson_names = {
    2, {[RG_RESTITUTION_NEWTON] = "false", [RG_RESTITUTION_POISSON] = "true"}, "true or false"};

/* Where a field is in the options of each kind of solver; NONE: it has no such field. Fields of the law are the same
   for all solvers that take them. */
enum { NONE = -1 };
typedef struct SettingSpec {
    const char *name;
    SettingKind kind;
    int pgs, quick, exact;
    bool law;
    const SettingChoice *choice;
} SettingSpec;

#define LAW(field) ((int)offsetof(RgContactLaw, field))
#define LAW_ROWS(field) LAW(field), NONE, LAW(field), true
#define LAW_ALL(field) LAW(field), LAW(field), LAW(field), true
#define PGS(field) ((int)offsetof(RgPgsOptions, field))
#define QUICK(field) ((int)offsetof(RgQuickOptions, field))
#define EXACT(field) ((int)offsetof(RgExactOptions, field))

static const SettingSpec specs[] = {
    {"iterations", KIND_COUNT, PGS(iterations), QUICK(max_sweeps), EXACT(max_iterations), false, NULL},
    {"tolerance", KIND_NUMBER, PGS(tolerance), QUICK(tolerance), EXACT(tolerance), false, NULL},
    {"motion_slack", KIND_NUMBER, NONE, QUICK(motion_slack), NONE, false, NULL},
    {"max_visits", KIND_NUMBER, NONE, QUICK(max_visits), NONE, false, NULL},
    {"plain", KIND_FLAG, PGS(plain), QUICK(plain), NONE, false, NULL},
    {"accelerate", KIND_FLAG, NONE, QUICK(accelerate), NONE, false, NULL},
    {"sides", KIND_COUNT, NONE, NONE, EXACT(sides), false, NULL},
    {"kappa", KIND_NUMBER, NONE, NONE, EXACT(kappa), false, NULL},
    {"kappa_slack", KIND_NUMBER, NONE, NONE, EXACT(kappa_slack), false, NULL},
    {"viscous", KIND_NUMBER, NONE, NONE, EXACT(viscous), false, NULL},
    {"least_norm", KIND_FLAG, NONE, QUICK(least_norm), EXACT(least_norm), false, NULL},
    {"fall", KIND_FLAG, NONE, NONE, EXACT(fall), false, NULL},
    {"sor", KIND_NUMBER, PGS(sor), NONE, NONE, false, NULL},
    {"friction_sor", KIND_NUMBER, PGS(friction_sor), NONE, NONE, false, NULL},
    {"friction_sweeps", KIND_COUNT, PGS(friction_sweeps), NONE, NONE, false, NULL},
    {"smoothing", KIND_NUMBER, PGS(smoothing), NONE, NONE, false, NULL},
    {"smoothing_kind", KIND_CHOICE, PGS(smoothing_kind), NONE, NONE, false, &smoothing_names},
    {"order", KIND_CHOICE, PGS(order), NONE, NONE, false, &order_names},
    {"seed", KIND_COUNT, PGS(seed), NONE, NONE, false, NULL},
    {"joint_blocks", KIND_FLAG, PGS(joint_blocks), NONE, NONE, false, NULL},
    {"damping_in_sweeps", KIND_FLAG, PGS(damping_in_sweeps), NONE, NONE, false, NULL},
    {"chunks", KIND_COUNT, PGS(chunks), NONE, NONE, false, NULL},
    {"mass_splitting", KIND_FLAG, PGS(mass_splitting), NONE, NONE, false, NULL},
    {"erp", KIND_NUMBER, LAW_ROWS(erp), NULL},
    {"contact_erp", KIND_NUMBER, LAW_ALL(contact_erp), NULL},
    {"deep_erp", KIND_NUMBER, LAW_ALL(deep_erp), NULL},
    {"max_correcting_velocity", KIND_NUMBER, LAW_ALL(max_correcting_velocity), NULL},
    {"max_joint_correction", KIND_NUMBER, LAW_ALL(max_joint_correction), NULL},
    {"rigid_max_vel", KIND_NUMBER, LAW_ALL(rigid_max_vel), NULL},
    {"only_overlaps", KIND_FLAG, LAW_ALL(only_overlaps), NULL},
    {"single_points", KIND_FLAG, LAW_ALL(single_points), NULL},
    {"near_gap", KIND_NUMBER, LAW_ALL(near_gap), NULL},
    {"soft_length", KIND_NUMBER, LAW_ALL(soft_length), NULL},
    {"cfm", KIND_NUMBER, LAW_ALL(cfm), NULL},
    {"friction", KIND_CHOICE, LAW_ALL(friction), &friction_names},
    {"restitution", KIND_CHOICE, LAW_ALL(restitution), &restitution_names},
    {"poisson", KIND_CHOICE, LAW_ALL(restitution), &poisson_names},
    {"split_impulse", KIND_FLAG, LAW_ALL(split_impulse), NULL},
    {"split_velocity", KIND_NUMBER, LAW_ALL(split_velocity), NULL},
    {"inertia_ratio", KIND_NUMBER, LAW_ROWS(inertia_ratio), NULL},
    {"inertia_factor", KIND_NUMBER, LAW_ROWS(inertia_factor), NULL},
    {"warm_start", KIND_NUMBER, LAW_ROWS(warm_start), NULL},
    {"joint_warm_start", KIND_NUMBER, LAW_ROWS(joint_warm_start), NULL},
};

/* The value of an enum. */
static unsigned read_choice(const void *field)
{
    unsigned value;
    memcpy(&value, field, sizeof value);
    return value;
}
_Static_assert(sizeof(RgFriction) == sizeof(unsigned) && sizeof(RgRestitution) == sizeof(unsigned) &&
                   sizeof(RgPgsOrder) == sizeof(unsigned) && sizeof(RgPgsSmoothing) == sizeof(unsigned),
               "enums are read and written as unsigned");

/* The value of a field as a setting would give it. */
static void print_field(const SettingSpec *spec, int offset, const void *options)
{
    const char *field = (const char *)options + offset;
    if (offset == NONE)
        printf(" %10s", "");
    else if (spec->kind == KIND_NUMBER)
        printf(" %10g", *(const double *)field);
    else if (spec->kind == KIND_COUNT)
        printf(" %10d", *(const int *)field);
    else if (spec->kind == KIND_FLAG)
        printf(" %10s", *(const bool *)field ? "true" : "false");
    else
        printf(" %10s", spec->choice->names[read_choice(field)]);
}

void rg_plan_print_settings(void)
{
    RgQuickOptions quick = rg_quick_options_default();
    RgExactOptions exact = rg_exact_options_default();
    RgContactLaw quick_law = rg_contact_law_for("quick"), exact_law = rg_contact_law_for("cone");
    printf("\nSettings (keys under `solver:` in run files, --solver-set KEY=VALUE), and what the presets of pgs "
           "give them;\nfrom erp on: how contacts and joints are kept, the same for every solver that has it:\n"
           "  %-23s %10s %10s",
           "", "quick", "exact");
    for (int k = 0; k < rg_pgs_preset_count(); k++)
        printf(" %10s", k == 0 ? "pgs" : rg_pgs_preset_name(k));
    printf("\n");
    for (int i = 0; i < COUNT(specs); i++) {
        printf("  %-23s", specs[i].name);
        print_field(&specs[i], specs[i].quick, specs[i].law ? (void *)&quick_law : &quick);
        if (specs[i].exact != NONE || specs[i].pgs != NONE)
            print_field(&specs[i], specs[i].exact, specs[i].law ? (void *)&exact_law : &exact);
        for (int k = 0; k < rg_pgs_preset_count() && specs[i].pgs != NONE; k++) {
            RgContactLaw law;
            RgPgsOptions pgs;
            rg_pgs_preset(rg_pgs_preset_name(k), &law, &pgs);
            print_field(&specs[i], specs[i].pgs, specs[i].law ? (void *)&law : &pgs);
        }
        printf("\n");
    }
    printf("  budget: N               N iterations with tolerance 0 (quick, pgs)\n"
           "  budget: Ts or Tms       max_visits for T seconds of work at 5e6 visits/s, fixed: same bits "
           "(quick)\n"
           "  exact: every solver but quick, pgs and pgs:jacobi. iterations 0: what the solver thinks enough;\n"
           "  friction: of dantzig pyramid; sides: lemke, qp; kappa, kappa_slack: max-dissipation; viscous: "
           "viscous;\n"
           "  least_norm: quick, cone, dantzig, lemke: forces that the motion leaves open are those of least "
           "norm;\n"
           "  fall: a solver that does not come to its end in a step is followed by others\n");
}

/* ------------------------------------------------------------------ from the command line */

void rg_plan_add_setting(RgPlan *plan, RgPlanSetting setting)
{
    plan->settings = rg_pool_grow(&plan->pool, plan->settings, plan->nsettings, sizeof *plan->settings);
    plan->settings[plan->nsettings++] = setting;
}

/* KEY=VALUE, or KEY alone where that means true; dashes in the key are underscores. */
static bool take_pair(RgPlan *plan, const RgOptions *options, const RgOption *given, bool alone)
{
    const char *equals = strchr(given->value, '=');
    if (equals == given->value || (!equals && !alone))
        return rg_options_complain(options, "--%s: '%s': expected KEY=VALUE", given->spec->name, given->value);
    int length = equals ? (int)(equals - given->value) : (int)strlen(given->value);
    char *name = rg_pool_print(&plan->pool, "%.*s", length, given->value);
    for (char *c = name; *c; c++)
        *c = *c == '-' ? '_' : *c;
    rg_plan_add_setting(
        plan, (RgPlanSetting){.name = name, .text = equals ? equals + 1 : "true", .option = given->spec->name});
    return true;
}

bool rg_plan_apply_solver(RgPlan *plan, const RgOptions *options)
{
    static const char *const direct[][2] = {{"preset", "preset"},
                                            {"iterations", "iterations"},
                                            {"solver-tolerance", "tolerance"},
                                            {"budget", "budget"},
                                            {"friction", "friction"}};
    for (int i = 0; i < options->ngiven; i++) {
        const RgOption *given = &options->given[i];
        const char *name = given->spec->name;
        bool aid = strcmp(name, "aid") == 0;
        if ((aid || strcmp(name, "solver-set") == 0) && !take_pair(plan, options, given, aid))
            return false;
        for (int k = 0; k < COUNT(direct); k++)
            if (strcmp(direct[k][0], name) == 0)
                rg_plan_add_setting(plan, (RgPlanSetting){.name = direct[k][1], .text = given->value, .option = name});
    }
    double threads = plan->threads;
    if (!rg_options_number(options, "threads", 1, RG_PLAN_THREADS_MAX, &threads))
        return false;
    if (threads != floor(threads))
        return rg_options_complain(options, "--threads: expected a whole number");
    plan->threads = (int)threads;
    if (rg_options_has(options, "no-contact"))
        plan->contact = 0;
    if (rg_options_has(options, "no-limits"))
        plan->limits = 0;
    if (rg_options_has(options, "velocity-limits"))
        plan->velocity_limits = 1;
    if (rg_options_has(options, "sleeping"))
        plan->sleeping = 1;
    const char *solver = rg_options_value(options, "solver");
    if (solver)
        plan->solver = (RgPlanSetting){.name = "name", .text = solver, .option = "solver"};
    return true;
}

/* ------------------------------------------------------------------ into the library's options */

static RgStatus fail_setting(const RgPlan *plan, const RgPlanSetting *s, RgError *error, const char *text)
{
    if (s->line > 0) {
        rg_error_set(error, RG_ERR_ARGUMENT, plan->path, "solver: %s", text);
        error->line = s->line;
        error->column = s->column;
    } else {
        rg_error_set(error, RG_ERR_ARGUMENT, NULL, "--%s: %s", s->option, text);
    }
    return RG_ERR_ARGUMENT;
}

static RgStatus fail_unknown(RgPlan *plan, const RgPlanSetting *s, const char *solver, RgError *error)
{
    RgNearest nearest = rg_nearest_begin(s->name);
    for (int i = 0; i < COUNT(specs); i++) {
        if (strcmp(specs[i].name, s->name) == 0)
            return fail_setting(
                plan, s, error,
                rg_pool_print(&plan->pool, "'%s' is no option of solver %s, only of %s", s->name, solver,
                              specs[i].pgs != NONE && specs[i].exact != NONE     ? "pgs and exact solvers"
                              : specs[i].pgs != NONE                             ? "pgs"
                              : specs[i].quick != NONE && specs[i].exact != NONE ? "quick and exact solvers"
                              : specs[i].quick != NONE                           ? "quick"
                                                                                 : "exact solvers"));
        rg_nearest_offer(&nearest, specs[i].name);
    }
    if (strcmp(s->name, "budget") == 0)
        return fail_setting(plan, s, error,
                            rg_pool_print(&plan->pool, "a budget is of quick and pgs, not of solver %s", solver));
    const char *text = rg_pool_print(&plan->pool, "unknown '%.60s'", s->name);
    if (nearest.best)
        text = rg_pool_print(&plan->pool, "%s; did you mean '%s'?", text, nearest.best);
    return fail_setting(plan, s, error, text);
}

/* Writes a text into the field; false: it is no such value. */
static bool write_field(const SettingSpec *spec, const char *text, void *field)
{
    double number = 0.0;
    bool is_number = strcmp(text, "inf") == 0 || rg_number_parse(text, &number);
    if (strcmp(text, "inf") == 0)
        number = INFINITY;
    switch (spec->kind) {
    case KIND_NUMBER:
        *(double *)field = number;
        return is_number;
    case KIND_COUNT:
        if (!is_number || number < 0.0 || number > SWEEPS_MAX || number != floor(number))
            return false;
        *(int *)field = (int)number;
        return true;
    case KIND_FLAG:
        *(bool *)field = strcmp(text, "true") == 0;
        return *(bool *)field || strcmp(text, "false") == 0;
    case KIND_CHOICE:
        for (unsigned i = 0; i < (unsigned)spec->choice->count; i++) {
            if (strcmp(spec->choice->names[i], text) == 0) {
                memcpy(field, &i, sizeof i);
                return true;
            }
        }
        return false;
    }
    return false;
}

static const char *kind_text(const SettingSpec *spec)
{
    static const char *const texts[] = {
        [KIND_NUMBER] = "a number", [KIND_COUNT] = "a whole number from 0 to 1e9", [KIND_FLAG] = "true or false"};
    return spec->kind == KIND_CHOICE ? spec->choice->text : texts[spec->kind];
}

/* A budget as a time, "0.002s" or "2ms"; the text of the number of visits that it stands for. NULL: it is no time. */
static const char *visits_of(RgPlan *plan, const char *text)
{
    size_t length = strlen(text), unit = length > 2 && strcmp(text + length - 2, "ms") == 0 ? 2
                                         : length > 1 && text[length - 1] == 's'            ? 1
                                                                                            : 0;
    double seconds;
    if (unit == 0 || !rg_number_parse(rg_pool_print(&plan->pool, "%.*s", (int)(length - unit), text), &seconds))
        return NULL;
    return rg_pool_print(&plan->pool, "%.17g", (unit == 2 ? 1e-3 : 1.0) * seconds * RG_QUICK_VISITS_PER_SECOND);
}

/* One setting into the law, or into the options of the solver that runs. */
static RgStatus apply_setting(RgPlan *plan, const RgPlanSetting *s, const char *solver, RgSolverChoice *choice,
                              RgError *error)
{
    bool quick = rg_solver_takes_patches(solver), exact = rg_solver_is_exact(solver);
    bool budget = strcmp(s->name, "budget") == 0;
    const char *visits = budget && quick ? visits_of(plan, s->text) : NULL;
    const char *name = visits ? "max_visits" : budget && !exact ? "iterations" : s->name, *wrong = "";
    const char *text = visits ? visits : s->text;
    for (int i = 0; i < COUNT(specs); i++) {
        int offset = quick ? specs[i].quick : exact ? specs[i].exact : specs[i].pgs;
        if (strcmp(specs[i].name, name) != 0 || offset == NONE)
            continue;
        char *base = specs[i].law ? (char *)&choice->law
                     : quick      ? (char *)&choice->quick
                     : exact      ? (char *)&choice->exact
                                  : (char *)&choice->pgs;
        if (!write_field(&specs[i], text, base + offset))
            return fail_setting(
                plan, s, error,
                rg_pool_print(&plan->pool, "%s: expected %s, found '%.60s'", s->name, kind_text(&specs[i]), s->text));
        if (budget && !visits)
            *(quick ? &choice->quick.tolerance : &choice->pgs.tolerance) = 0.0;
        RgStatus status = specs[i].law ? rg_contact_law_check(&choice->law, &wrong)
                          : quick      ? rg_quick_options_check(&choice->quick, &wrong)
                          : exact      ? rg_exact_options_check(&choice->exact, &wrong)
                                       : rg_pgs_options_check(&choice->pgs, &wrong);
        return status == RG_OK
                   ? RG_OK
                   : fail_setting(plan, s, error, rg_pool_print(&plan->pool, "%s %s: %s", s->name, s->text, wrong));
    }
    return fail_unknown(plan, s, solver, error);
}

static RgStatus choose_name(RgPlan *plan, RgWorldDef *def, RgError *error)
{
    char all[512] = "";
    if (!plan->solver.text) {
        def->solver = rg_plan_default_solver(def->stepper);
        return RG_OK;
    }
    for (int i = 0; i < rg_solver_count(); i++) {
        if (strcmp(rg_solver_name(i), plan->solver.text) == 0) {
            def->solver = rg_solver_name(i);
            return RG_OK;
        }
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", rg_solver_name(i));
    }
    return fail_setting(plan, &plan->solver, error,
                        rg_pool_print(&plan->pool, "unknown '%.60s'; expected one of %s", plan->solver.text, all));
}

RgStatus rg_plan_check_solver(RgPlan *plan, RgError *error)
{
    RgWorldDef def = rg_world_def_default();
    return choose_name(plan, &def, error);
}

/* The last preset given is where the law and the options of pgs start. */
static RgStatus choose_preset(RgPlan *plan, RgWorldDef *def, RgSolverChoice *choice, RgError *error)
{
    for (int i = plan->nsettings - 1; i >= 0; i--) {
        const RgPlanSetting *s = &plan->settings[i];
        if (strcmp(s->name, "preset") != 0)
            continue;
        if (!plan->solver.text)
            def->solver = "pgs";
        if (strncmp(def->solver, "pgs", 3) != 0)
            return fail_setting(plan, s, error,
                                rg_pool_print(&plan->pool, "presets are of solver pgs, not of %s", def->solver));
        if (rg_pgs_preset(s->text, &choice->law, &choice->pgs) != RG_OK)
            return fail_setting(
                plan, s, error,
                rg_pool_print(&plan->pool, "unknown preset '%.60s'; expected default, ode or gazebo-vrc", s->text));
        choice->preset = s->text;
        return RG_OK;
    }
    return RG_OK;
}

RgStatus rg_plan_choose_solver(RgPlan *plan, const RgModel *model, RgSolverChoice *choice, RgWorldDef *def,
                               RgError *error)
{
    *choice = (RgSolverChoice){.quick = rg_quick_options_default(), .exact = rg_exact_options_default()};
    if (plan->contact >= 0)
        def->contact = plan->contact != 0;
    if (plan->limits >= 0)
        def->position_limits = plan->limits != 0;
    if (plan->velocity_limits >= 0)
        def->velocity_limits = plan->velocity_limits != 0;
    if (plan->sleeping >= 0)
        def->sleeping = plan->sleeping != 0;
    if (!isnan(plan->sleep_speed))
        def->sleep_speed = plan->sleep_speed;
    if (!isnan(plan->sleep_time))
        def->sleep_time = plan->sleep_time;
    if (plan->threads > 0)
        def->threads = plan->threads;
    RgStatus status = choose_name(plan, def, error);
    choice->law = rg_contact_law_of_model(model, def->solver);
    choice->pgs = rg_pgs_options_of_model(model);
    if (status == RG_OK)
        status = choose_preset(plan, def, choice, error);
    for (int i = 0; i < plan->nsettings && status == RG_OK; i++)
        if (strcmp(plan->settings[i].name, "preset") != 0)
            status = apply_setting(plan, &plan->settings[i], def->solver, choice, error);
    def->law = &choice->law;
    def->quick = &choice->quick;
    def->pgs = &choice->pgs;
    def->exact = &choice->exact;
    return status;
}

/* ------------------------------------------------------------------ what files say in vain */

const char *rg_plan_unused_hints(RgPlan *plan, const RgModel *model, const RgWorldDef *def,
                                 const RgSolverChoice *choice)
{
    const RgPhysicsHints *h = rg_model_hints(model);
    bool quick = rg_solver_takes_patches(def->solver), from_file = !quick && !choice->preset;
    const char *taken = choice->preset ? "the preset" : rg_pool_print(&plan->pool, "solver %s", def->solver);
    bool sweeps = from_file && !rg_solver_is_exact(def->solver);
    const struct {
        const char *name;
        bool unused;
    } hints[] = {
        {"type world", strcmp(h->ode_solver, "world") == 0},
        {"iters", h->ode_iterations >= 0 && !sweeps},
        {"sor", !isnan(h->ode_sor) && !sweeps},
        {"cfm", h->ode_cfm > 0.0 && choice->preset},
        {"erp", !isnan(h->ode_erp) && choice->preset},
        {"friction_model", h->friction_model[0] != '\0' && strcmp(h->friction_model, "cone_model") != 0 && !from_file},
        {"use_dynamic_moi_rescaling", h->use_dynamic_inertia_scaling && !from_file},
    };
    const char *names = NULL;
    for (int i = 0; i < COUNT(hints); i++)
        if (hints[i].unused)
            names = names ? rg_pool_print(&plan->pool, "%s, %s", names, hints[i].name) : hints[i].name;
    return names ? rg_pool_print(&plan->pool, "the file's <physics> gives %s, which %s does not use%s", names, taken,
                                 quick ? " (--solver pgs does)" : "")
                 : NULL;
}
