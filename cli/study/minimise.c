/*
 * minimise.c - smallest value of a function of positive numbers, by NLopt (Johnson; 002 section IV used it for gains).
 *
 * The search uses y = log x. The start is evaluated exactly as given, not as exp(log x). The result is the best of all
 * evaluations, whatever the algorithm returns.
 *
 * The result has the same bits each time: the algorithms are deterministic, random ones are seeded, and none uses a
 * clock. Without derivatives: "sbplx" (Rowan 1990, subspaces of Nelder-Mead), "bobyqa" (Powell 2009,
 * quadratic models; for smooth costs, from two numbers on), "cobyla" (Powell 1994), "nelder-mead" are local; "crs"
 * (Kaelo and Ali 2006, random) and "direct" (Gablonsky 2001) search the whole box.
 *
 * Without NLopt the file still builds, and the search reports that it is missing.
 */
#include "study/minimise.h"

#include <math.h>
#include <string.h>

#ifdef RIGOR_NLOPT
#include <nlopt.h>
#define ALGORITHM(name) NLOPT_##name
#else
#define ALGORITHM(name) 0
#endif

#define FIRST_STEP 0.25 /* in log: gains change by 28 % at first */

static const struct Algorithm {
    const char *name, *summary;
    int kind;
    int least; /* least number of unknowns */
} algorithms[] = {
    {"sbplx", "local: Nelder-Mead on subspaces", ALGORITHM(LN_SBPLX), 1},
    {"bobyqa", "local: quadratic models; for smooth costs of two numbers and more", ALGORITHM(LN_BOBYQA), 2},
    {"cobyla", "local: linear models", ALGORITHM(LN_COBYLA), 1},
    {"nelder-mead", "local: a simplex", ALGORITHM(LN_NELDERMEAD), 1},
    {"crs", "global: controlled random search, by --seed", ALGORITHM(GN_CRS2_LM), 1},
    {"direct", "global: boxes divided", ALGORITHM(GN_DIRECT_L), 1},
};

int rg_minimise_count(void)
{
    return (int)(sizeof algorithms / sizeof algorithms[0]);
}

const char *rg_minimise_name(int index)
{
    return algorithms[index].name;
}

const char *rg_minimise_summary(int index)
{
    return algorithms[index].summary;
}

static const struct Algorithm *find_algorithm(const char *name)
{
    for (int i = 0; i < rg_minimise_count(); i++)
        if (strcmp(algorithms[i].name, name) == 0)
            return &algorithms[i];
    return NULL;
}

static bool sensible(const RgMinimise *def)
{
    if (def->n < 1 || def->n > RG_MINIMISE_VALUES_MAX || def->evaluations < 1)
        return false;
    for (int i = 0; i < def->n; i++)
        if (!(def->low[i] > 0.0 && def->low[i] <= def->start[i] && def->start[i] <= def->high[i] &&
              isfinite(def->high[i])))
            return false;
    return true;
}

#ifdef RIGOR_NLOPT

typedef struct Search {
    const RgMinimise *def;
    RgMinimum *out;
    const double *y0;                 /* log of the start */
    double x[RG_MINIMISE_VALUES_MAX]; /* being evaluated */
} Search;

/* From logarithms to numbers; start and bounds exactly as given. Returns whether it is the start. */
static bool expand(Search *s, const double *y)
{
    const RgMinimise *def = s->def;
    bool at_start = memcmp(y, s->y0, (size_t)def->n * sizeof *y) == 0;
    for (int i = 0; i < def->n; i++)
        s->x[i] = at_start ? def->start[i] : fmin(fmax(exp(y[i]), def->low[i]), def->high[i]);
    return at_start;
}

static double cost(unsigned n, const double *y, double *gradient, void *context)
{
    Search *s = context;
    (void)gradient;
    bool again = expand(s, y) && s->out->evaluations > 0;
    double value = again ? s->out->first : s->def->cost(s->x, s->def->context);
    if (again)
        return value;
    if (s->out->evaluations++ == 0)
        s->out->first = value;
    if (s->out->evaluations == 1 || value < s->out->value) {
        s->out->value = value;
        memcpy(s->out->x, s->x, n * sizeof *s->x);
    }
    return value;
}

bool rg_minimise_available(void)
{
    return true;
}

RgStatus rg_minimise(const RgMinimise *def, RgMinimum *out)
{
    double y[RG_MINIMISE_VALUES_MAX], y0[RG_MINIMISE_VALUES_MAX], step[RG_MINIMISE_VALUES_MAX], least;
    double low[RG_MINIMISE_VALUES_MAX], high[RG_MINIMISE_VALUES_MAX];
    const struct Algorithm *algorithm = find_algorithm(def->algorithm);
    if (!algorithm || !sensible(def) || def->n < algorithm->least)
        return RG_ERR_ARGUMENT;
    for (int i = 0; i < def->n; i++) {
        low[i] = log(def->low[i]);
        high[i] = log(def->high[i]);
        y[i] = y0[i] = fmin(fmax(log(def->start[i]), low[i]), high[i]);
        step[i] = fmin(FIRST_STEP, 0.5 * (high[i] - low[i]));
        if (!(step[i] > 0.0))
            step[i] = FIRST_STEP;
    }
    Search search = {.def = def, .out = out, .y0 = y0};
    out->evaluations = 0;
    out->converged = false;

    /* The start first, also for algorithms that would begin elsewhere. */
    cost((unsigned)def->n, y0, NULL, &search);
    nlopt_srand(def->seed);
    nlopt_opt opt = nlopt_create((nlopt_algorithm)algorithm->kind, (unsigned)def->n);
    if (!opt)
        return RG_ERR_MEMORY;
    bool ready = nlopt_set_min_objective(opt, cost, &search) >= 0 && nlopt_set_lower_bounds(opt, low) >= 0 &&
                 nlopt_set_upper_bounds(opt, high) >= 0 && nlopt_set_initial_step(opt, step) >= 0 &&
                 nlopt_set_xtol_abs1(opt, def->tolerance) >= 0 && nlopt_set_maxeval(opt, def->evaluations - 1) >= 0;
    nlopt_result result = NLOPT_MAXEVAL_REACHED;
    if (ready && def->evaluations > 1)
        result = nlopt_optimize(opt, y, &least);
    nlopt_destroy(opt);
    out->converged = result == NLOPT_XTOL_REACHED || result == NLOPT_FTOL_REACHED || result == NLOPT_SUCCESS ||
                     result == NLOPT_ROUNDOFF_LIMITED;
    return ready && (result >= 0 || result == NLOPT_ROUNDOFF_LIMITED) ? RG_OK : RG_ERR_ARGUMENT;
}

#else

bool rg_minimise_available(void)
{
    return false;
}

RgStatus rg_minimise(const RgMinimise *def, RgMinimum *out)
{
    *out = (RgMinimum){.x = out->x};
    return find_algorithm(def->algorithm) && sensible(def) ? RG_ERR_UNSUPPORTED : RG_ERR_ARGUMENT;
}

#endif
