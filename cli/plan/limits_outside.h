/* limits_outside.h - joints outside of their position limits, as text. */
#ifndef RIGOR_LIMITS_OUTSIDE_H
#define RIGOR_LIMITS_OUTSIDE_H

#include "plan/plan.h"

/* Tolerance of round-off for a joint at its limit: rad or m. */
#define RG_LIMIT_SLACK 1e-6

/* An axis of a joint outside of its limits. */
typedef struct RgOutside {
    RgJointId joint;
    int dof;         /* velocity within the joint */
    double position; /* rad or m, like the excess */
    double excess;   /* distance from the limit, above RG_LIMIT_SLACK */
    bool below;      /* of its lower limit; else above its upper one */
} RgOutside;

/* Adds the axes of a joint that are outside at position q (nq numbers) to a list in the pool. Joints whose velocity is
   not the rate of their position have no limits. Returns the list. */
RgOutside *rg_limits_outside(RgPool *pool, const RgModel *model, RgJointId joint, const double *q, RgOutside *list,
                             int *count);

/* "0.82 rad (47 deg) below its lower limit of 0.82 rad". */
const char *rg_outside_text(RgPool *pool, const RgModel *model, const RgOutside *outside);

/* "rad" or "m": of an axis of a joint. */
const char *rg_axis_unit(const RgModel *model, RgJointId joint, int dof);

#endif
