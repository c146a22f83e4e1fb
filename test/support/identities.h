/*
 * identities.h - one number for each identity that the dynamics of a model must keep: the relative error.
 *
 * Relative means: largest absolute difference of two vectors, divided by the largest absolute element
 * (max-norm) of the vector in
 * question. For a mass matrix the vector is one column.
 */
#ifndef TEST_SUPPORT_IDENTITIES_H
#define TEST_SUPPORT_IDENTITIES_H

#include "random_tree.h"

typedef struct DynamicsErrors {
    RgStatus status;  /* of the first call that failed */
    double inverse;   /* RNEA(ABA(tau)) against tau */
    double columns;   /* mass matrix by CRBA against RNEA(e_j) - RNEA(0), column by column */
    double symmetric; /* M against M', scaled by its largest element */
    double factor;    /* accelerations by the factored mass matrix against ABA */
    double solve;     /* M^-1 (M a) against a */
} DynamicsErrors;

/* All at one random state with random efforts and wrenches. */
DynamicsErrors dynamics_errors(const RgModel *model, uint64_t seed);

/* Max-norm of a - b divided by max-norm of b; infinite if anything is not finite; 0 where both are all
   zero. */
double relative_error(const double *a, const double *b, int count);

/* The worse of each, so that one report serves many models. */
DynamicsErrors dynamics_errors_worst(DynamicsErrors a, DynamicsErrors b);

/* Joint accelerations of two worlds, minimal and maximal, at the same q, v, efforts and wrenches. state->a: the minimal
   ones. Fails the running test where a world fails. */
double forms_error(const RgModel *model, TestState *state);

#endif
