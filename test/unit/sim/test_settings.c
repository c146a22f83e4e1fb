/*
 * test_settings.c - the table of settings: every line reads back what it prints, keeps its range, and belongs to the solvers
 * and steppers that it names; what is wrong is blamed on the setting that is wrong.
 */
#include "check_near.h"

#include <rigor/settings.h>

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static RgModel *model;

static void set_up(void)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    RgLinkDef link = rg_link_def_default();
    RgError error = {.status = RG_OK};
    link.name = "box";
    link.inertia.mass = 1.0;
    link.inertia.I = (RgSym3){.xx = 1.0, .yy = 1.0, .zz = 1.0};
    rg_builder_add_link(builder, &link);
    model = rg_builder_finish(builder, &error);
    rg_builder_destroy(builder);
    cr_assert_not_null(model, "%s", error.text);
}

static void tear_down(void)
{
    rg_model_destroy(model);
}

TestSuite(settings, .init = set_up, .fini = tear_down);

/* A solver, or a stepper, that has the setting of line i. */
static RgSettingText user_of(int i)
{
    static char user[64];
    RgSettingInfo info = rg_setting_info(i);
    bool solver = strncmp(info.key, "solver.", 7) == 0;
    snprintf(user, sizeof user, "%.*s", (int)strcspn(info.users, " "), info.users);
    if (strcmp(user, "exact") == 0)
        return (RgSettingText){"solver", "cone"};
    return (RgSettingText){solver ? "solver" : "stepper", user[0] ? user : solver ? "quick" : "semi-implicit"};
}

/* Reads one setting with a user of it. */
static RgStatus read_one(int i, const char *text, RgSettings *out, RgError *error)
{
    RgSettingText given[] = {user_of(i), {rg_setting_info(i).key, text}};
    int at;
    return rg_settings_read(out, model, given, 2, &at, error);
}

Test(settings, every_line_reads_what_it_prints)
{
    for (int i = 0; i < rg_setting_count(); i++) {
        char text[200], again[200];
        RgSettingInfo info = rg_setting_info(i);
        RgSettings settings;
        RgError error = {.status = RG_OK};
        RgSettingText user = user_of(i);
        int at;
        cr_assert(rg_settings_read(&settings, model, &user, 1, &at, &error) == RG_OK, "%s", error.text);
        if (info.type == RG_SETTING_BUDGET || strcmp(info.key, "solver.preset") == 0)
            continue;
        cr_assert(rg_setting_applies(i, &settings), "%s of %s", info.key, user.text);
        rg_setting_print(i, &settings, text, sizeof text);
        cr_assert(read_one(i, text, &settings, &error) == RG_OK, "%s %s: %s", info.key, text, error.text);
        rg_setting_print(i, &settings, again, sizeof again);
        cr_expect_str_eq(text, again, "%s: '%s', then '%s'", info.key, text, again);
        cr_expect(info.help[0] != '\0' && strlen(info.help) < 120, "%s", info.key);
    }
}

Test(settings, numbers_keep_their_ranges)
{
    for (int i = 0; i < rg_setting_count(); i++) {
        RgSettingInfo info = rg_setting_info(i);
        RgSettings settings;
        RgError error;
        char below[40], above[40];
        if (info.type != RG_SETTING_NUMBER && info.type != RG_SETTING_WHOLE)
            continue;
        snprintf(below, sizeof below, "%.17g",
                 info.above ? info.low : info.low - (info.low > 0.0 && info.low < 1.0 ? info.low / 2 : 1.0));
        snprintf(above, sizeof above, "%.17g", info.high < 1.0 ? 2.0 * info.high : info.high + 1.0);
        cr_expect(!isfinite(info.low) || read_one(i, below, &settings, &error) != RG_OK, "%s %s", info.key, below);
        cr_expect(!isfinite(info.high) || info.high >= 1e9 || read_one(i, above, &settings, &error) != RG_OK, "%s %s",
                  info.key, above);
        cr_expect(read_one(i, "many", &settings, &error) != RG_OK && strstr(error.text, "number"), "%s", info.key);
    }
}

Test(settings, lines_of_a_key_share_a_type_and_no_user)
{
    for (int i = 0; i < rg_setting_count(); i++)
        for (int k = 0; k < i; k++) {
            RgSettingInfo a = rg_setting_info(i), b = rg_setting_info(k);
            if (strcmp(a.key, b.key) != 0)
                continue;
            cr_expect(a.type == b.type && strcmp(a.option, b.option) == 0, "%s", a.key);
            cr_expect(strcmp(a.users, b.users) != 0 && a.users[0] && b.users[0], "%s", a.key);
        }
}

/* The setting that is wrong, and what is said of it. */
static void refuses(const RgSettingText *given, int count, int wrong, const char *says)
{
    RgSettings settings;
    RgError error = {.status = RG_OK};
    int at = -2;
    cr_expect(rg_settings_read(&settings, model, given, count, &at, &error) != RG_OK, "%s", says);
    cr_expect(at == wrong && strstr(error.text, says), "'%s' of %d, expected '%s' of %d", error.text, at, says, wrong);
}

/* Settings that have no effect beside others say what they need. */
Test(settings, what_has_no_effect_says_what_it_needs)
{
    const struct {
        RgSettingText others;
        const char *key, *needs;
    } cases[] = {{{"sleeping", "true"}, "sleeping.speed", "sleeping: true"},
                 {{"coords", "maximal"}, "solver.inertia_ratio", "coords: maximal"},
                 {{"solver.order", "ode"}, "solver.seed", "order: ode"},
                 {{"solver", "lemke"}, "solver.sides", "solver lemke or qp, or a fallback to lemke"},
                 {{"solver.smoothing", "0.5"}, "solver.smoothing_kind", "smoothing above 0"},
                 {{"solver.split_impulse", "true"}, "solver.split_velocity", "split_impulse: true"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        RgSettings settings;
        RgSettingText given[] = {{"solver", "pgs"}, cases[i].others};
        int at = 0, key = rg_setting_find(cases[i].key);
        cr_assert(rg_settings_read(&settings, model, given, 1, &at, NULL) == RG_OK);
        cr_expect_str_eq(rg_setting_needs(key, &settings), cases[i].needs);
        cr_assert(rg_settings_read(&settings, model, given, 2, &at, NULL) == RG_OK);
        cr_expect_null(rg_setting_needs(key, &settings), "%s", cases[i].key);
    }
}

Test(settings, the_wrong_one_is_blamed)
{
    refuses((RgSettingText[]){{"solver", "pgs"}, {"solver.sides", "6"}}, 2, 1,
            "'sides' is no setting of solver pgs, only of exact solvers");
    refuses((RgSettingText[]){{"solver", "no-slip"}, {"solver.viscous", "0.1"}}, 2, 1,
            "'viscous' is no setting of solver no-slip, only of viscous");
    refuses((RgSettingText[]){{"solver", "qp"}, {"solver.kappa", "2"}}, 2, 1, "only of max-dissipation");
    refuses((RgSettingText[]){{"solver", "max-dissipation"}, {"solver.least_norm", "true"}}, 2, 1,
            "only of quick and cone and dantzig and lemke");
    refuses((RgSettingText[]){{"solver", "pgs"}, {"solver.chunks", "4"}}, 2, 1, "only of pgs:jacobi");
    refuses((RgSettingText[]){{"stepper", "rk4"}, {"stepper.implicit_damping", "false"}}, 2, 1,
            "only of semi-implicit");
    refuses((RgSettingText[]){{"stepper.tolerance", "1e-6"}}, 1, 0,
            "'tolerance' is no setting of stepper semi-implicit, only of reference");
    refuses((RgSettingText[]){{"stepper.order", "2"}, {"stepper", "rigid"}}, 2, 0,
            "'order' is no setting of stepper rigid, only of auto");
    refuses((RgSettingText[]){{"solver", "pgs"}, {"solver.sor", "1.5"}, {"solver.friction_sor", "1.5"}}, 3, 2, "sor");
    refuses((RgSettingText[]){{"solver.erp", "3"}}, 1, 0, "'erp' is no setting of solver quick, only of pgs and exact");
    refuses((RgSettingText[]){{"solver", "cone"}, {"solver.contact_erp", "3"}, {"solver.erp", "0.5"}}, 3, 1,
            "erp, contact_erp and deep_erp must lie between 0 and 1");
    refuses((RgSettingText[]){{"threads", "0"}}, 1, 0, "0 is not between 1 and 1024");
    refuses((RgSettingText[]){{"coords", "polar"}}, 1, 0, "unknown 'polar'; expected one of minimal, maximal");
    refuses((RgSettingText[]){{"nothing", "1"}}, 1, 0, "unknown 'nothing'");
    refuses((RgSettingText[]){{"gravity", "1,2"}}, 1, 0, "expected three numbers");
}

Test(settings, names_decide_what_the_rest_means)
{
    RgSettings s;
    RgError error;
    int at;
    RgSettingText ode[] = {{"solver.iterations", "7"}, {"solver.preset", "ode"}};
    cr_assert(rg_settings_read(&s, model, ode, 2, &at, &error) == RG_OK, "%s", error.text);
    cr_expect(strcmp(s.world.solver, "pgs") == 0 && s.pgs.iterations == 7 && s.pgs.order == RG_PGS_AS_ODE);
    RgSettingText rigid[] = {{"stepper.name", "rigid"}, {"solver.iterations", "7"}, {"gravity", "0,0,-1.5"}};
    cr_assert(rg_settings_read(&s, model, rigid, 3, &at, &error) == RG_OK, "%s", error.text);
    cr_expect(strcmp(s.world.solver, "cone") == 0 && s.exact.max_iterations == 7 && s.world.gravity.z == -1.5);
    RgSettingText budget[] = {{"solver.budget", "2ms"}};
    cr_assert(rg_settings_read(&s, model, budget, 1, &at, &error) == RG_OK, "%s", error.text);
    CHECK_NEAR(s.quick.max_visits, 2e-3 * RG_QUICK_VISITS_PER_SECOND, 1e-9, "visits");
}

/* A world can be made of the settings as they are. */
Test(settings, make_a_world)
{
    RgSettings s;
    RgError error = {.status = RG_OK};
    int at;
    RgSettingText given[] = {{"coords", "maximal"}, {"solver", "pgs"}, {"sleeping", "true"}, {"sleeping.time", "0.25"}};
    cr_assert(rg_settings_read(&s, model, given, 4, &at, &error) == RG_OK, "%s", error.text);
    RgWorldDef def = rg_settings_def(&s);
    RgWorld *world = rg_world_create(&def, &error);
    cr_assert_not_null(world, "%s", error.text);
    cr_expect(def.sleeping && def.sleep_time == 0.25 && strcmp(rg_world_settings(world).coords, "maximal") == 0);
    rg_world_destroy(world);
}
