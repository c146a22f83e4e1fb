/*
 * settings.h - all settings of a world, as one value and as a table.
 *
 *   given: {key, text} ... -- rg_settings_read --> RgSettings -- rg_settings_def --> RgWorldDef --> rg_world_create
 *
 * A setting has a key ("solver.iterations"), a type, a unit, a range, a default and a help text: one line of
 * src/sim/settings.def. The options of the command, the keys of run files, summaries, sweeps and docs/settings.md come
 * from that table. Some keys have different fields with different solvers (iterations of quick, of pgs): they have a
 * line each, and settings are numbered from 0 over the lines.
 */
#ifndef RIGOR_SETTINGS_H
#define RIGOR_SETTINGS_H

#include <rigor/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RgSettings {
    RgWorldDef world; /* its pointers to the structs below are set by rg_settings_def */
    RgContactLaw law;
    RgQuickOptions quick;
    RgPgsOptions pgs;
    RgExactOptions exact;
    RgAdaptOptions adapt;
    const char *preset; /* of pgs: origin of law and options; NULL: none */
} RgSettings;

RG_API RgSettings rg_settings_default(void);

/* The world's definition, which points into settings. */
RG_API RgWorldDef rg_settings_def(const RgSettings *settings);

typedef enum RgSettingType {
    RG_SETTING_FLAG,   /* true or false */
    RG_SETTING_WHOLE,  /* a whole number */
    RG_SETTING_NUMBER, /* "inf" if it may be infinite */
    RG_SETTING_VECTOR, /* three numbers "x,y,z" */
    RG_SETTING_CHOICE, /* one of words */
    RG_SETTING_NAME,   /* of a table of the library, such as the solvers */
    RG_SETTING_BUDGET  /* a number of sweeps, or a time "2ms" */
} RgSettingType;

typedef struct RgSettingInfo {
    const char *key;
    RgSettingType type;
    const char *unit;  /* "": none */
    double low, high;  /* of numbers; may be infinite */
    bool above;        /* the lower bound itself is outside */
    const char *words; /* of a choice, one space apart */
    const char
        *users; /* solvers or steppers that have it, one space apart; "": all. quick, pgs, exact: groups of solvers */
    /* Of the command line, with its argument; a flag without one inverts the default; "": none. */
    const char *option;
    const char *help;
} RgSettingInfo;

RG_API int rg_setting_count(void);
RG_API RgSettingInfo rg_setting_info(int setting);

/* The first line with that key, -1: none. "solver.name" is "solver", and so on. */
RG_API int rg_setting_find(const char *key);

/* Whether the solver and the stepper of settings have it. */
RG_API bool rg_setting_applies(int setting, const RgSettings *settings);

/* What the setting needs of others to have an effect ("sleeping: true"); NULL: it has one. */
RG_API const char *rg_setting_needs(int setting, const RgSettings *settings);

/* Writes "quick and exact solvers": all that have the key. */
RG_API void rg_setting_users(const char *key, char *text, size_t size);

/* The value of a setting as a text for rg_settings_read. */
RG_API void rg_setting_print(int setting, const RgSettings *settings, char *text, size_t size);

/* The same as a number (flags: 0, 1); NaN if it is not a number. */
RG_API double rg_setting_number(int setting, const RgSettings *settings);

/* The default solver: cone with steppers that locate events, else quick. */
RG_API const char *rg_settings_default_solver(const char *stepper);

typedef struct RgSettingText {
    const char *key, *text;
} RgSettingText;

/* Reads a text of the setting's type into its field (bool, int, double, RgVec3; a choice: unsigned); a number must be
   in range. Not for names and budgets. For tables of settings like this one. */
RG_API RgStatus rg_setting_parse(const RgSettingInfo *info, const char *text, void *field, RgError *error);

/* Whether the text is of the key's type and, if every solver and stepper has the setting, in its range. Texts of
   errors do not name the key, except for RG_ERR_NOT_FOUND (no such key) and RG_ERR_UNSUPPORTED (solver or stepper
   lacks it). */
RG_API RgStatus rg_setting_check(const RgSettingText *given, RgError *error);

/*
 * Settings for a model: those given, the last of each key; else those of a preset or the model's file (gravity, and
 * <physics> for law and pgs), else the defaults. A preset without a solver chooses pgs. Not RG_OK: error->text
 * describes the error in given[*at]; *at: -1 if it is not in a single one.
 */
RG_API RgStatus rg_settings_read(RgSettings *settings, const RgModel *model, const RgSettingText *given, int count,
                                 int *at, RgError *error);

#ifdef __cplusplus
}
#endif
#endif
