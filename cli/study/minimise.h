/*
 * minimise.h - the smallest value of a function of positive numbers within bounds, without derivatives, by NLopt.
 */
#ifndef RIGOR_MINIMISE_H
#define RIGOR_MINIMISE_H

#include <rigor/base.h>

#include <stdbool.h>

enum { RG_MINIMISE_VALUES_MAX = 256 };

/* Value at x (n); finite. */
typedef double RgCostFn(const double *x, void *context);

typedef struct RgMinimise {
    const char *algorithm; /* rg_minimise_name */
    int n;
    const double *start;      /* n, above 0: evaluated first, exactly */
    const double *low, *high; /* n: 0 < low <= start <= high */
    int evaluations;          /* at most, the first one included */
    double tolerance;         /* relative change of the numbers at convergence */
    unsigned long seed;       /* of random algorithms */
    RgCostFn *cost;
    void *context;
} RgMinimise;

typedef struct RgMinimum {
    double first; /* value at the start */
    double value; /* the smallest seen */
    double *x;    /* n: where; the caller's room */
    int evaluations;
    bool converged; /* by tolerance, not by count */
} RgMinimum;

/* Whether the command was built with NLopt. */
bool rg_minimise_available(void);

/* Names of algorithms; least number of unknowns of each. */
int rg_minimise_count(void);
const char *rg_minimise_name(int index);
const char *rg_minimise_summary(int index);

/* RG_ERR_UNSUPPORTED: no NLopt. RG_ERR_ARGUMENT: unknown algorithm, bounds, or numbers it cannot do. */
RgStatus rg_minimise(const RgMinimise *def, RgMinimum *out);

#endif
