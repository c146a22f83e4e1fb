/* tree_case.h - a random tree with all that a test of it needs. */
#ifndef TEST_SUPPORT_TREE_CASE_H
#define TEST_SUPPORT_TREE_CASE_H

#include "random_tree.h"

typedef struct TreeCase {
    RgModel *model;
    RgDynamics *dynamics;
    TestState s;
    double *q, *v, *step; /* work: nq, nv, nv */
} TreeCase;

TreeCase tree_case(const RandomTree *options);
void tree_case_end(TreeCase *t);

/* t->q = q moved by h dq, t->v = v + h dv (dv NULL: v), from the state t->s. */
void tree_case_move(TreeCase *t, const double *dq, const double *dv, double h);

/* Momentum and energies at (t->q, t->v) after such a move. */
RgMomentum tree_case_momentum(TreeCase *t, const double *dq, const double *dv, double h);

/* A zeroed vector of nv numbers (at least one), for free(). */
double *tree_case_vector(const TreeCase *t);

#endif
