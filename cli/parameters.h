/*
 * parameters.h - model parameters in run files and on the command line: what they are called, whose they are, and how
 * they change a model before it is compiled.
 *
 *   parameters: {links: {NAME: {mass: 2}}}  -- parameters_file.c  --\
 *                                                                    RgPlanParameter -- plan_parameters.c --> RgBuilder
 *   --parameter links.NAME.mass=2           -- parameter_option.c --/
 *
 * parameter_keys.c is the table of keys: a new one is a line there.
 */
#ifndef RIGOR_PARAMETERS_H
#define RIGOR_PARAMETERS_H

#include "control_file.h"

#include <rigor/model.h>

struct RgOptions;
struct RgPlan;

enum { RG_PARAMETER_NUMBERS = 6 }; /* of one parameter: an inertia, the axes of a free joint */

typedef enum RgParameterKind {
    RG_PARAMETER_LINK,
    RG_PARAMETER_JOINT,
    RG_PARAMETER_SHAPE,
    RG_PARAMETER_COUPLING,
    RG_PARAMETER_KINDS
} RgParameterKind;

/* How the value looks, and how it goes into the def. */
typedef enum RgParameterSort {
    RG_SORT_NUMBER, /* one double */
    RG_SORT_VECTOR, /* as many doubles as it has parts */
    RG_SORT_RPY,    /* roll, pitch, yaw: a rotation matrix */
    RG_SORT_AXIS,   /* a double of each RgAxisDef: one for all axes, or a list */
    RG_SORT_SIZE,   /* the sizes of a shape, as many as its kind has */
    RG_SORT_FLAG,   /* a bool */
    RG_SORT_MESH,   /* an RgMeshUse */
    RG_SORT_BITS    /* a uint32_t */
} RgParameterSort;

/* Joints of kinds with an axis (rg_joint_type_has_axis). */
#define RG_USERS_WITH_AXIS (~0U)

typedef struct RgParameterSpec {
    RgParameterKind kind;
    const char *name; /* dots part a key from the keys below it */
    RgParameterSort sort;
    size_t offset;     /* in the def of the kind; RG_SORT_AXIS: in RgAxisDef */
    const char *parts; /* words for single numbers of a vector, one space apart; NULL: none */
    bool scales;       /* NAME_scale: X multiplies it */
    unsigned users;    /* bits of the joint or shape types that have it, or RG_USERS_WITH_AXIS; 0: all */
    const char *help;
} RgParameterSpec;

/* Who has the last word: the command line, before it the file, before it the file in one of its models. */
typedef enum RgParameterLevel { RG_LEVEL_MODEL, RG_LEVEL_FILE, RG_LEVEL_OPTION, RG_PARAMETER_LEVELS } RgParameterLevel;

typedef struct RgPlanParameter {
    const RgParameterSpec *spec;
    bool is_scale;                       /* the number multiplies */
    const char *name;                    /* of a link, joint, shape or coupling, or a pattern with '*' */
    double values[RG_PARAMETER_NUMBERS]; /* NaN: stays as it is */
    int count;
    RgParameterLevel level;
    int model;              /* of the plan, for RG_LEVEL_MODEL */
    RgPlanPlace at, key_at; /* of the name and of the key in the run file */
    int dof;                /* of a joint that is called NAME[k]; -1: all. Set when the model is there */
    const char *text;       /* as the command line gave it; NULL: a run file did */
} RgPlanParameter;

/* "links", "joints", "shapes", "couplings"; and back, false: no such kind. */
const char *rg_parameter_kind_name(RgParameterKind kind);
bool rg_parameter_find_kind(const char *name, RgParameterKind *out);

/* The key of a path such as mass, mass_scale, com, com.z, origin.rpy into spec, is_scale, values and count: numbers
   that wait for their value are 0, those that stay as they are NaN. false: unknown. */
bool rg_parameter_resolve(RgParameterKind kind, const char *path, RgPlanParameter *out);

/* How many numbers a vector has. */
int rg_parameter_parts(const RgParameterSpec *spec);

/* Whether a longer path begins with this one and a dot. */
bool rg_parameter_has_below(RgParameterKind kind, const char *path);

/* The nearest key to an unknown one, NULL: none; and all of them, in a text that lives in the plan. */
const char *rg_parameter_nearest(RgParameterKind kind, const char *path);
const char *rg_parameter_list(struct RgPlan *plan, RgParameterKind kind);

/* One number from its text. false: it is none; what was expected instead. */
bool rg_parameter_number(const RgPlanParameter *parameter, const char *text, double *out);
const char *rg_parameter_expects(const RgPlanParameter *parameter);

/* Puts the numbers that were given into the parameter. false: their count is wrong; how many it takes, as text. */
bool rg_parameter_fill(RgPlanParameter *parameter, const double *values, int count, const char **takes);

/* The parameter into the plan. */
void rg_parameter_add(struct RgPlan *plan, RgPlanParameter parameter);

/* Every --parameter KIND.NAME.KEY=VALUE into the plan. false: message printed. */
bool rg_parameter_apply_options(struct RgPlan *plan, const struct RgOptions *options);

/* All parameters of the plan into the defs of the builder, which has read the plan's models. */
RgStatus rg_plan_change_model(struct RgPlan *plan, RgBuilder *builder, RgError *error);

/* Prints all keys, for --help. */
void rg_parameter_print_keys(void);

#endif
