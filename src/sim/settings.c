/*
 * settings.c - the table of settings (settings.def): found by key, read from text, checked, printed.
 *
 * The line of a field knows its place in RgSettings; the field's C type is the setting's type. Ranges stand in the table;
 * what several fields must obey together, the checks of their structs say. Fails on unknown keys, keys that the solver or
 * stepper does not have, texts of another type, numbers out of range.
 */
#include <rigor/settings.h>

#include "base/number.h"
#include "base/status.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ the table */

typedef struct Setting {
    const char *key, *users, *option, *field, *unit, *help, *words;
    RgSettingType type;
    size_t offset; /* in RgSettings */
    double low, high;
    bool above, budget;
} Setting;

#define RANGE(least, most) .low = (least), .high = (most)
#define FROM(least) RANGE(least, INFINITY)
#define ABOVE_TO(bound, most) RANGE(bound, most), .above = true
#define ABOVE(bound) ABOVE_TO(bound, INFINITY)
#define FLAG RANGE(0, 1)
#define VECTOR RANGE(-INFINITY, INFINITY)
#define NAMES .words = NULL
#define WORDS(list) .words = (list)
#define BUDGET .budget = true, RANGE(0, INFINITY)

#define TYPE_OF(field)                                                                                                 \
    _Generic(((RgSettings *)0)->field, bool: RG_SETTING_FLAG, int: RG_SETTING_WHOLE, double: RG_SETTING_NUMBER,       \
             RgVec3: RG_SETTING_VECTOR, const char *: RG_SETTING_NAME, default: RG_SETTING_CHOICE)
#define X(key_, users_, option_, field_, unit_, range_, help_)                                                         \
    {.key = (key_),                                                                                                    \
     .users = (users_),                                                                                                \
     .option = (option_),                                                                                              \
     .field = #field_,                                                                                                 \
     .unit = (unit_),                                                                                                  \
     .help = (help_),                                                                                                  \
     .type = TYPE_OF(field_),                                                                                          \
     .offset = offsetof(RgSettings, field_),                                                                           \
     range_},

static const Setting table[] = {
#include "sim/settings.def"
};
#undef X
enum { COUNT = sizeof table / sizeof table[0], NUMBER_ROOM = 32 };

_Static_assert(sizeof(RgFriction) == sizeof(unsigned) && sizeof(RgRestitution) == sizeof(unsigned) &&
                   sizeof(RgPgsOrder) == sizeof(unsigned) && sizeof(RgPgsSmoothing) == sizeof(unsigned) &&
                   sizeof(RgStabilise) == sizeof(unsigned),
               "enums are read and written as unsigned");

int rg_setting_count(void)
{
    return COUNT;
}

static RgSettingType type_of(const Setting *s)
{
    return s->budget ? RG_SETTING_BUDGET : s->type;
}

RgSettingInfo rg_setting_info(int i)
{
    const Setting *s = &table[i];
    return (RgSettingInfo){.key = s->key,
                           .type = type_of(s),
                           .unit = s->unit,
                           .low = s->low,
                           .high = s->high,
                           .above = s->above,
                           .words = s->words,
                           .users = s->users,
                           .option = s->option,
                           .help = s->help};
}

/* "stepper.name" is "stepper". */
static bool has_key(const Setting *s, const char *key)
{
    size_t n = strlen(s->key);
    return strncmp(s->key, key, n) == 0 &&
           (key[n] == '\0' || (s->type == RG_SETTING_NAME && strcmp(key + n, ".name") == 0));
}

int rg_setting_find(const char *key)
{
    for (int i = 0; i < COUNT; i++)
        if (has_key(&table[i], key))
            return i;
    return -1;
}

/* ------------------------------------------------------------------ solvers and steppers that have it */

/* The word at `from` of a list, its length in *length; NULL: there are no more. */
static const char *next_word(const char *from, size_t *length)
{
    from += strspn(from, " ");
    *length = strcspn(from, " ");
    return *length > 0 ? from : NULL;
}

static bool has_word(const char *list, const char *word)
{
    size_t n;
    for (const char *at = list; (at = next_word(at, &n)); at += n)
        if (strlen(word) == n && strncmp(at, word, n) == 0)
            return true;
    return false;
}

static bool applies(const Setting *s, const RgSettings *settings)
{
    const char *solver = settings->world.solver;
    if (s->users[0] == '\0')
        return true;
    if (strncmp(s->key, "solver.", 7) != 0)
        return has_word(s->users, settings->world.stepper);
    return has_word(s->users, solver) || has_word(s->users, rg_solver_takes_patches(solver) ? "quick"
                                                            : rg_solver_is_exact(solver)    ? "exact"
                                                                                            : "pgs");
}

bool rg_setting_applies(int i, const RgSettings *settings)
{
    return applies(&table[i], settings);
}

void rg_setting_users(const char *key, char *text, size_t size)
{
    size_t used = 0, n;
    const char *between = strncmp(key, "solver.", 7) == 0 ? " and " : ", ";
    text[0] = '\0';
    for (int i = 0; i < COUNT; i++)
        for (const char *at = has_key(&table[i], key) ? table[i].users : ""; (at = next_word(at, &n)); at += n)
            if (used < size)
                used += (size_t)snprintf(text + used, size - used, "%s%.*s%s", used > 0 ? between : "", (int)n, at,
                                         n == 5 && strncmp(at, "exact", n) == 0 ? " solvers" : "");
}

const char *rg_setting_needs(int i, const RgSettings *settings)
{
    const RgWorldDef *w = &settings->world;
    const struct {
        const char *key, *needs;
        bool unused;
    } needs[] = {{"sleeping.speed", "sleeping: true", !w->sleeping},
                 {"sleeping.time", "sleeping: true", !w->sleeping},
                 {"solver.seed", "order: ode", settings->pgs.order != RG_PGS_AS_ODE},
                 {"solver.sides", "solver lemke or qp, or a fallback to lemke",
                  strcmp(w->solver, "lemke") != 0 && strcmp(w->solver, "qp") != 0},
                 {"solver.smoothing_kind", "smoothing above 0", !(settings->pgs.smoothing > 0.0)},
                 {"solver.split_velocity", "split_impulse: true", !settings->law.split_impulse},
                 {"solver.friction", "contact: true", !w->contact},
                 {"solver.restitution", "contact: true", !w->contact},
                 {"solver.poisson", "contact: true", !w->contact},
                 {"solver.deep_erp", "contact: true", !w->contact},
                 {"solver.single_points", "contact: true", !w->contact},
                 {"solver.viscous", "contact: true", !w->contact},
                 {"solver.kappa", "contact: true", !w->contact},
                 {"solver.kappa_slack", "contact: true", !w->contact},
                 {"stepper.locate_friction", "contact: true", !w->contact},
                 {"solver.inertia_ratio", "coords: maximal", strcmp(w->coords, "maximal") != 0},
                 {"solver.inertia_factor", "coords: maximal", strcmp(w->coords, "maximal") != 0}};
    for (size_t k = 0; k < sizeof needs / sizeof needs[0]; k++)
        if (needs[k].unused && strcmp(table[i].key, needs[k].key) == 0)
            return needs[k].needs;
    return NULL;
}

/* ------------------------------------------------------------------ texts and values */

/* A decimal number or inf, as a whole. */
static bool read_number(const char *text, double *out)
{
    *out = INFINITY;
    return strcmp(text, "inf") == 0 || rg_word_number((RgWord){text, strlen(text)}, out) == RG_NUMBER_OK;
}

static bool read_vector(const char *text, RgVec3 *out)
{
    double x[3];
    char word[64];
    for (int k = 0; k < 3; k++) {
        size_t n = strcspn(text, ",");
        if (n >= sizeof word || (text[n] == ',') != (k < 2))
            return false;
        memcpy(word, text, n);
        word[n] = '\0';
        if (!read_number(word, &x[k]) || !isfinite(x[k]))
            return false;
        text += n + (k < 2);
    }
    *out = (RgVec3){x[0], x[1], x[2]};
    return true;
}

static bool read_choice(const char *words, const char *text, unsigned *out)
{
    size_t n;
    *out = 0;
    for (const char *at = words; (at = next_word(at, &n)); at += n, ++*out)
        if (strlen(text) == n && strncmp(at, text, n) == 0)
            return true;
    return false;
}

/* The table that a name is of. */
typedef struct NameList {
    const char *key;
    int (*count)(void);
    const char *(*name)(int index);
} NameList;

static const NameList *names_of(const char *key)
{
    static const NameList lists[] = {{"coords", rg_coords_count, rg_coords_name},
                                     {"stepper", rg_stepper_count, rg_stepper_name},
                                     {"solver", rg_solver_count, rg_solver_name},
                                     {"solver.preset", rg_pgs_preset_count, rg_pgs_preset_name}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (strcmp(lists[i].key, key) == 0)
            return &lists[i];
    return NULL;
}

/* NULL: there is none of that name; all of them are then in the error. */
static const char *find_name(const Setting *s, const char *text, RgError *error)
{
    const NameList *list = names_of(s->key);
    char all[320] = "";
    for (int i = 0; i < list->count(); i++) {
        size_t used = strlen(all);
        if (strcmp(list->name(i), text) == 0)
            return list->name(i);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", list->name(i));
    }
    rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "unknown '%.60s'; expected one of %s", text, all);
    return NULL;
}

static const char *short_name(const char *key)
{
    const char *dot = strrchr(key, '.');
    return dot != NULL ? dot + 1 : key;
}

/* The words of a choice as "a, b or c". */
static void list_words(const char *words, char *text, size_t size)
{
    size_t used = 0, n;
    for (const char *at = words; (at = next_word(at, &n)) && used < size; at += n)
        used += (size_t)snprintf(text + used, size - used, "%s%.*s",
                                 used == 0                 ? ""
                                 : strchr(at, ' ') == NULL ? " or "
                                                           : ", ",
                                 (int)n, at);
}

static RgStatus fail_type(const RgSettingInfo *info, const char *text, RgError *error)
{
    static const char *const expected[] = {[RG_SETTING_FLAG] = "true or false",
                                           [RG_SETTING_WHOLE] = "a whole number",
                                           [RG_SETTING_NUMBER] = "a number",
                                           [RG_SETTING_VECTOR] = "three numbers X,Y,Z",
                                           [RG_SETTING_BUDGET] = "a whole number of sweeps, or a time such as 2ms"};
    char words[160];
    if (info->type == RG_SETTING_CHOICE)
        list_words(info->words, words, sizeof words);
    return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "expected %s, found '%.60s'",
                   info->type == RG_SETTING_CHOICE ? words : expected[info->type], text);
}

RgStatus rg_setting_parse(const RgSettingInfo *info, const char *text, void *field, RgError *error)
{
    double x = info->high;
    bool good = false;
    switch (info->type) {
    case RG_SETTING_FLAG:
        *(bool *)field = strcmp(text, "true") == 0;
        good = *(bool *)field || strcmp(text, "false") == 0;
        break;
    case RG_SETTING_WHOLE:
        good = read_number(text, &x) && x == floor(x) && fabs(x) <= INT_MAX;
        *(int *)field = good ? (int)x : 0;
        break;
    case RG_SETTING_NUMBER:
        good = read_number(text, &x);
        *(double *)field = x;
        break;
    case RG_SETTING_VECTOR:
        good = read_vector(text, field);
        break;
    case RG_SETTING_CHOICE:
        good = read_choice(info->words, text, field);
        break;
    case RG_SETTING_NAME:
    case RG_SETTING_BUDGET:
        break;
    }
    if (!good)
        return fail_type(info, text, error);
    bool outside = x > info->high || x < info->low || (info->above && x == info->low);
    if (outside && isinf(info->high))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "%s is not %s %g", text, info->above ? "above" : "at least",
                       info->low);
    if (outside)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "%s is not between %g and %g", text, info->low, info->high);
    return RG_OK;
}

/* ------------------------------------------------------------------ into the structs */

/* Seconds of "2ms" or "0.002s". */
static bool read_time(const char *text, double *seconds)
{
    char number[32];
    size_t length = strlen(text);
    size_t unit = length > 2 && strcmp(text + length - 2, "ms") == 0 ? 2
                  : length > 1 && text[length - 1] == 's'            ? 1
                                                                     : 0;
    if (unit == 0 || length - unit >= sizeof number)
        return false;
    memcpy(number, text, length - unit);
    number[length - unit] = '\0';
    bool good = read_number(number, seconds);
    *seconds *= unit == 2 ? 1e-3 : 1.0;
    return good;
}

/* N sweeps whatever they reach, or (quick) as many visits as a time stands for. */
static RgStatus write_budget(const Setting *s, const char *text, RgSettings *settings, RgError *error)
{
    double x;
    bool quick = strncmp(s->field, "quick.", 6) == 0;
    if (quick && read_time(text, &x)) {
        settings->quick.max_visits = x * RG_QUICK_VISITS_PER_SECOND;
        return RG_OK;
    }
    if (!read_number(text, &x) || x != floor(x) || !(x >= 0.0 && x <= 1e9))
        return fail_type(&(RgSettingInfo){.type = RG_SETTING_BUDGET}, text, error);
    *(quick ? &settings->quick.max_sweeps : &settings->pgs.iterations) = (int)x;
    *(quick ? &settings->quick.tolerance : &settings->pgs.tolerance) = 0.0;
    return RG_OK;
}

/* Its own check says what a struct refuses; ranges of what is in none are those of the table. */
static bool is_of_world(const Setting *s)
{
    return strncmp(s->field, "world.", 6) == 0 || strcmp(s->field, "adapt.tolerance") == 0;
}

/* A text into its field. in_range: numbers must be in the table's range. */
static RgStatus write_field(const Setting *s, const char *text, bool in_range, RgSettings *settings, RgError *error)
{
    void *field = (char *)settings + s->offset;
    RgSettingInfo info = rg_setting_info((int)(s - table));
    if (info.type == RG_SETTING_BUDGET)
        return write_budget(s, text, settings, error);
    if (info.type == RG_SETTING_NAME) {
        *(const char **)field = find_name(s, text, error);
        return *(const char **)field != NULL ? RG_OK : RG_ERR_ARGUMENT;
    }
    if (!in_range) {
        info.low = -INFINITY;
        info.high = INFINITY;
        info.above = false;
    }
    return rg_setting_parse(&info, text, field, error);
}

double rg_setting_number(int i, const RgSettings *settings)
{
    const void *field = (const char *)settings + table[i].offset;
    switch (table[i].type) {
    case RG_SETTING_FLAG:
        return *(const bool *)field ? 1.0 : 0.0;
    case RG_SETTING_WHOLE:
        return *(const int *)field;
    case RG_SETTING_NUMBER:
        return *(const double *)field;
    default:
        return (double)NAN;
    }
}

void rg_setting_print(int i, const RgSettings *settings, char *text, size_t size)
{
    const Setting *s = &table[i];
    const void *field = (const char *)settings + s->offset;
    const char *word;
    char number[3][NUMBER_ROOM];
    size_t n = 0;
    switch (s->type) {
    case RG_SETTING_FLAG:
        snprintf(text, size, "%s", *(const bool *)field ? "true" : "false");
        break;
    case RG_SETTING_VECTOR:
        rg_number_text(((const RgVec3 *)field)->x, number[0], NUMBER_ROOM);
        rg_number_text(((const RgVec3 *)field)->y, number[1], NUMBER_ROOM);
        rg_number_text(((const RgVec3 *)field)->z, number[2], NUMBER_ROOM);
        snprintf(text, size, "%s,%s,%s", number[0], number[1], number[2]);
        break;
    case RG_SETTING_CHOICE:
        word = next_word(s->words, &n);
        for (unsigned k = 0; word != NULL && k < *(const unsigned *)field; k++)
            word = next_word(word + n, &n);
        snprintf(text, size, "%.*s", (int)n, word != NULL ? word : "");
        break;
    case RG_SETTING_NAME:
        snprintf(text, size, "%s", *(const char *const *)field != NULL ? *(const char *const *)field : "");
        break;
    default:
        rg_number_text(rg_setting_number(i, settings), number[0], NUMBER_ROOM);
        snprintf(text, size, "%s", number[0]);
    }
}

/* ------------------------------------------------------------------ all of them */

RgSettings rg_settings_default(void)
{
    return (RgSettings){.world = rg_world_def_default(),
                        .law = rg_contact_law_for("quick"),
                        .quick = rg_quick_options_default(),
                        .pgs = rg_pgs_options_default(),
                        .exact = rg_exact_options_default(),
                        .adapt = rg_adapt_options_default()};
}

RgWorldDef rg_settings_def(const RgSettings *settings)
{
    RgWorldDef def = settings->world;
    def.law = &settings->law;
    def.quick = &settings->quick;
    def.pgs = &settings->pgs;
    def.exact = &settings->exact;
    def.adapt = &settings->adapt;
    return def;
}

RgStatus rg_setting_check(const RgSettingText *given, RgError *error)
{
    int i = rg_setting_find(given->key);
    RgSettings scratch = rg_settings_default();
    if (i < 0)
        return rg_fail(error, RG_ERR_NOT_FOUND, NULL, 0, "unknown '%.60s'", given->key);
    if (type_of(&table[i]) == RG_SETTING_BUDGET)
        return RG_OK;
    return write_field(&table[i], given->text, is_of_world(&table[i]), &scratch, error);
}

const char *rg_settings_default_solver(const char *stepper)
{
    for (int i = 0; i < rg_stepper_count(); i++)
        if (strcmp(rg_stepper_name(i), stepper) == 0 && rg_stepper_locates(i))
            return "cone";
    return "quick";
}

/* The names, which decide what the other settings mean. */
static RgStatus read_names(RgSettings *settings, const RgSettingText *given, int count, int *at, RgError *error)
{
    bool has_solver = false;
    for (*at = 0; *at < count; ++*at) {
        int i = rg_setting_find(given[*at].key);
        if (i < 0)
            return rg_fail(error, RG_ERR_NOT_FOUND, NULL, 0, "unknown '%.60s'", given[*at].key);
        if (table[i].type != RG_SETTING_NAME)
            continue;
        if (write_field(&table[i], given[*at].text, true, settings, error) != RG_OK)
            return error != NULL ? error->status : RG_ERR_ARGUMENT;
        has_solver = has_solver || strcmp(table[i].key, "solver") == 0;
    }
    if (!has_solver)
        settings->world.solver = settings->preset != NULL ? "pgs" : rg_settings_default_solver(settings->world.stepper);
    return RG_OK;
}

/* The line of a key that the solver or stepper has, NULL and the error: none. */
static const Setting *find_line(const char *key, const RgSettings *settings, RgError *error)
{
    char users[160];
    for (int i = 0; i < COUNT; i++)
        if (has_key(&table[i], key) && applies(&table[i], settings))
            return &table[i];
    bool solver = strncmp(key, "solver.", 7) == 0;
    rg_setting_users(key, users, sizeof users);
    rg_fail(error, RG_ERR_UNSUPPORTED, NULL, 0, "'%s' is no setting of %s %s, only of %s", short_name(key),
            solver ? "solver" : "stepper", solver ? settings->world.solver : settings->world.stepper, users);
    return NULL;
}

/* What the structs refuse; the last one given whose field the text names, or that is out of its range, is to blame. */
static RgStatus check_structs(const RgSettings *settings, const RgSettingText *given, int count, int *at,
                              RgError *error)
{
    const char *wrong = NULL, *solver = settings->world.solver;
    RgStatus status = rg_contact_law_check(&settings->law, &wrong);
    if (status == RG_OK)
        status = rg_solver_takes_patches(solver) ? rg_quick_options_check(&settings->quick, &wrong)
                 : rg_solver_is_exact(solver)    ? rg_exact_options_check(&settings->exact, &wrong)
                                                 : rg_pgs_options_check(&settings->pgs, &wrong);
    if (status == RG_OK)
        status = rg_adapt_options_check(&settings->adapt, &wrong);
    if (status == RG_OK)
        return RG_OK;
    int named = -1, outside = -1;
    for (int i = 0; i < count; i++) {
        const Setting *s = find_line(given[i].key, settings, NULL);
        if (s == NULL || is_of_world(s) || s->type == RG_SETTING_NAME)
            continue;
        RgSettings scratch = *settings;
        bool bad = write_field(s, given[i].text, true, &scratch, NULL) != RG_OK;
        bool is_named = strstr(wrong, short_name(s->field)) != NULL;
        named = is_named ? i : named;
        outside = bad && is_named ? i : outside;
    }
    *at = outside >= 0 ? outside : named;
    if (*at < 0)
        return rg_fail(error, status, NULL, 0, "%s", wrong);
    const Setting *s = find_line(given[*at].key, settings, NULL);
    const char *name = short_name(given[*at].key);
    if (outside >= 0 && strstr(wrong, name) == NULL) { /* the text speaks of a field of another name */
        RgSettings scratch = *settings;
        return write_field(s, given[*at].text, true, &scratch, error);
    }
    return rg_fail(error, RG_ERR_UNSUPPORTED, NULL, 0, "%s %s: %s", name, given[*at].text, wrong);
}

RgStatus rg_settings_read(RgSettings *settings, const RgModel *model, const RgSettingText *given, int count, int *at,
                          RgError *error)
{
    const RgPhysicsHints *hints = rg_model_hints(model);
    *settings = rg_settings_default();
    settings->world.model = model;
    if (hints->has_gravity)
        settings->world.gravity = hints->gravity;
    RgStatus status = read_names(settings, given, count, at, error);
    if (status != RG_OK)
        return status;
    settings->law = rg_contact_law_of_model(model, settings->world.solver);
    settings->pgs = rg_pgs_options_of_model(model);
    if (settings->preset != NULL)
        rg_pgs_preset(settings->preset, &settings->law, &settings->pgs);
    for (*at = 0; *at < count; ++*at) {
        const Setting *s = find_line(given[*at].key, settings, error);
        status = s != NULL ? write_field(s, given[*at].text, is_of_world(s), settings, error) : RG_ERR_ARGUMENT;
        if (status != RG_OK)
            return status;
    }
    *at = -1;
    return check_structs(settings, given, count, at, error);
}
