/*
 * parameters.h - model parameters in run files and on the command line, which change a model before it is compiled.
 *
 *   parameters: {links: {NAME: {mass: 2}}}  -- parameters_file.c  --\
 *                                                                    RgPlanParameter -- plan_parameters.c --> RgBuilder
 *   --parameter links.NAME.mass=2           -- parameter_option.c --/
 *
 * parameter_keys.c is the table of keys: a new one is a line there.
 */
#ifndef RIGOR_PARAMETERS_H
#define RIGOR_PARAMETERS_H

#include "io/options.h"
#include "plan/plan.h"

/* "links", "joints", "shapes", "couplings"; and back, false: no such kind. */
const char *rg_parameter_kind_name(RgParameterKind kind);
bool rg_parameter_find_kind(const char *name, RgParameterKind *out);

/* Resolves a path such as mass, mass_scale, com, com.z, origin.rpy into spec, is_scale, values and count: numbers to be
   set are 0, unchanged ones NaN. false: unknown. */
bool rg_parameter_resolve(RgParameterKind kind, const char *path, RgPlanParameter *out);

/* Count of numbers of a vector. */
int rg_parameter_parts(const RgParameterSpec *spec);

/* Whether a longer path begins with this one and a dot. */
bool rg_parameter_has_below(RgParameterKind kind, const char *path);

/* The key nearest to an unknown one, NULL: none; a list of all keys, in the plan's pool. */
const char *rg_parameter_nearest(RgParameterKind kind, const char *path);
const char *rg_parameter_list(RgPlan *plan, RgParameterKind kind);

/* Parses one number. false: invalid. The second returns what was expected. */
bool rg_parameter_number(const RgPlanParameter *parameter, const char *text, double *out);
const char *rg_parameter_expects(const RgPlanParameter *parameter);

/* Fills the parameter with given numbers. false: wrong count; takes: the right one, as text. */
bool rg_parameter_fill(RgPlanParameter *parameter, const double *values, int count, const char **takes);

/* Adds the parameter to the plan. */
void rg_parameter_add(RgPlan *plan, RgPlanParameter parameter);

/* Adds every --parameter KIND.NAME.KEY=VALUE to the plan. false: message printed. */
bool rg_parameter_apply_options(RgPlan *plan, const RgOptions *options);

/* Applies all parameters of the plan to the defs of the builder, which has read the plan's models. */
RgStatus rg_plan_change_model(RgPlan *plan, RgBuilder *builder, RgError *error);

/* Prints all keys, for --help. */
void rg_parameter_print_keys(void);

#endif
