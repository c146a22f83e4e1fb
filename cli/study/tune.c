/*
 * tune.c - gains of a run file, and their cost (002 section IV: gains by nonlinear optimisation).
 *
 * A gain is a number of the file: one for several joints, or one shared by a YAML alias, is one unknown. The unknowns
 * are factors of the given gains.
 *
 *   cost = mean absolute error (or its root mean square, or the largest) of a run at the step
 *        = FAILED (2 + sum log(step / limit of an axis alone))      if the run fails, over explicit axes beyond it
 *        = FAILED (2 - completed part of the run)                   if it fails and there are none
 *        = FAILED times less than 1, by the same measures           if the run at step * margin fails
 *
 * so that a direct search (sbplx) returns from unstable gains, one axis at a time. A run at step * margin with more than
 * MARGIN_GROWTH times the error fails too.
 */
#include "study/tune.h"

#include "io/options.h"
#include "run/run_control.h"
#include "study/limit_mode.h"

#include <math.h>
#include <string.h>

#define REFUSED 1e3       /* times FAILED: cost of gains that are refused */
#define MARGIN_GROWTH 2.0 /* mean error at step * margin, over that at step */
#define FAILED 1e6        /* larger than the errors of all successful runs */

static const char *const tune_keys[] = {"kp", "ki", "kd", "foot_kp", "foot_kd"};
enum { KEYS = sizeof tune_keys / sizeof tune_keys[0], WORD_MAX = 64 };

/* ------------------------------------------------------------------ which gains */

static bool check_keys(const RgOptions *options, const char *keys)
{
    char word[WORD_MAX];
    for (const char *at = keys; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        bool known = false;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        RgNearest nearest = rg_nearest_begin(word);
        for (int i = 0; i < KEYS; i++) {
            known = known || strcmp(word, tune_keys[i]) == 0;
            rg_nearest_offer(&nearest, tune_keys[i]);
        }
        if (!known && nearest.best)
            return rg_options_complain(options, "--gains: unknown '%s'; did you mean '%s'?", word, nearest.best);
        if (!known)
            return rg_options_complain(options, "--gains: unknown '%s'; expected kp, ki, kd, foot_kp or foot_kd", word);
    }
    return true;
}

static bool in_list(const char *keys, const char *key)
{
    size_t n = strlen(key);
    for (const char *at = keys; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, key, n) == 0 && (at[n] == ',' || at[n] == '\0'))
            return true;
    return keys == NULL;
}

/* The factor of an earlier gain at the same place of the file (an alias); -1: none. */
static int twin_of(const RgTune *tune, const RgPlan *plan, const RgPlanNumbers *numbers, int entry)
{
    for (int i = 0; i < tune->ngains; i++) {
        const RgGain *g = &tune->gains[i];
        const RgPlanController *c = &plan->control.controllers[g->controller];
        const RgPlanNumbers *other = strcmp(g->key, "kp") == 0   ? &c->kp
                                     : strcmp(g->key, "ki") == 0 ? &c->ki
                                     : strcmp(g->key, "kd") == 0 ? &c->kd
                                                                 : NULL;
        if (other && other->at.line == numbers->at.line && other->at.column == numbers->at.column && g->entry == entry)
            return g->factor;
    }
    return -1;
}

static RgGain *add_gain(RgTune *tune, int controller, const char *key, double *place)
{
    RgPlan *plan = &tune->rollout.study->run.plan;
    tune->gains = rg_pool_grow(&plan->pool, tune->gains, tune->ngains, sizeof *tune->gains);
    RgGain *gain = &tune->gains[tune->ngains];
    *gain = (RgGain){.controller = controller, .key = key, .given = *place, .value = *place, .place = place};
    gain->factor = -1;
    return gain;
}

/* All numbers of one key of a controller. */
static void list_numbers(RgTune *tune, int controller, const char *key, RgPlanNumbers *numbers, bool together)
{
    const RgPlan *plan = &tune->rollout.study->run.plan;
    int shared = -1;
    for (int k = 0; k < numbers->count; k++) {
        if (!(numbers->values[k] > 0.0))
            continue;
        RgGain *gain = add_gain(tune, controller, key, &numbers->values[k]);
        gain->entry = k;
        gain->name = numbers->names ? numbers->names[k].text : NULL;
        int factor = twin_of(tune, plan, numbers, k);
        if (factor < 0 && together)
            factor = shared;
        gain->factor = factor < 0 ? tune->nfactors++ : factor;
        shared = gain->factor;
        tune->ngains++;
    }
}

bool rg_tune_list(RgTune *tune, const RgOptions *options, const char *keys, bool together)
{
    RgPlan *plan = &tune->rollout.study->run.plan;
    const RgMethod *method = tune->rollout.method;
    if (!check_keys(options, keys))
        return false;
    for (int i = 0; i < plan->control.ncontrollers; i++) {
        RgPlanController *c = &plan->control.controllers[i];
        RgPlanNumbers *numbers[3] = {&c->kp, &c->ki, &c->kd};
        double *single[2] = {&c->foot_kp, &c->foot_kd};
        for (int k = 0; k < 3; k++)
            if (in_list(keys, tune_keys[k]) && rg_method_keeps_gain(method, c->kind, tune_keys[k]))
                list_numbers(tune, i, tune_keys[k], numbers[k], together);
        for (int k = 0; k < 2; k++)
            if (in_list(keys, tune_keys[3 + k]) && *single[k] > 0.0 &&
                rg_method_keeps_gain(method, c->kind, tune_keys[3 + k])) {
                add_gain(tune, i, tune_keys[3 + k], single[k])->factor = tune->nfactors++;
                tune->ngains++;
            }
    }
    if (tune->nfactors > RG_MINIMISE_VALUES_MAX)
        return rg_options_complain(options, "%d gains are too many to tune (at most %d): see --together",
                                   tune->nfactors, RG_MINIMISE_VALUES_MAX);
    tune->inertias = rg_axis_inertias(&tune->rollout);
    return tune->nfactors > 0 ||
           rg_options_complain(options, "the file has no gains%s%s above 0 to tune%s%s", keys ? " " : "",
                               keys ? keys : "", method->kind ? " that count with method " : "",
                               method->kind ? method->name : "");
}

/* ------------------------------------------------------------------ cost */

RgStatus rg_tune_set(RgTune *tune, const double *factors, RgError *error)
{
    for (int i = 0; i < tune->ngains; i++) {
        RgGain *gain = &tune->gains[i];
        gain->value = gain->given * factors[gain->factor];
        *gain->place = gain->value;
    }
    return rg_run_update_gains(&tune->rollout.study->run, error);
}

/* Severity of a failure: 1 ... 2 by the missing part of the run; more if single axes have too much gain for the step. */
static double severity(const RgTune *tune, const RgRollout *r)
{
    double excess = tune->inertias ? rg_axis_excess(tune->rollout.control, tune->inertias, r->step) : 0.0;
    double left = 1.0 - fmin(1.0, fmax(0.0, r->reached / tune->rollout.duration));
    return excess > 0.0 ? 2.0 + excess : 1.0 + left;
}

/* Runs at step * margin; returns the severity of its failure, 0 ... 1; 0: none. */
static double margin_severity(const RgTune *tune, const RgRollout *r)
{
    if (!(tune->margin > 1.0))
        return 0.0;
    RgRollout further = rg_rollout(&tune->rollout, tune->step * tune->margin);
    if (further.stable && further.tracking.mean_error <= MARGIN_GROWTH * r->tracking.mean_error)
        return 0.0;
    double lost = severity(tune, &further);
    return lost / (1.0 + lost);
}

double rg_tune_cost(const double *factors, void *context)
{
    RgTune *tune = context;
    RgError error = {0};
    double cost = REFUSED * FAILED;
    if (rg_tune_set(tune, factors, &error) == RG_OK) {
        RgRollout r = rg_rollout(&tune->rollout, tune->step);
        const double errors[] = {r.tracking.mean_error, r.tracking.root_mean_square, r.tracking.largest_error};
        double missed = r.stable ? margin_severity(tune, &r) : 0.0;
        cost = !r.stable ? FAILED * severity(tune, &r) : missed > 0.0 ? FAILED * missed : errors[tune->aim];
    }
    if (tune->progress)
        tune->progress(tune->context, ++tune->evaluations, cost);
    return cost;
}
