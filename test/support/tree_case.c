/* tree_case.c - a random tree, its workspace, its random state, and the states near it. */
#include "tree_case.h"

#include <stdlib.h>

double *tree_case_vector(const TreeCase *t)
{
    double *x = calloc((size_t)t->s.nv + 1, sizeof *x);
    if (x == NULL)
        abort();
    return x;
}

TreeCase tree_case(const RandomTree *options)
{
    TreeCase t = {.model = random_tree(options)};
    t.dynamics = rg_dynamics_create(t.model, NULL);
    t.s = random_state(t.model, options->seed);
    t.q = calloc((size_t)t.s.nq + 1, sizeof *t.q);
    t.v = tree_case_vector(&t);
    t.step = tree_case_vector(&t);
    if (t.dynamics == NULL || t.q == NULL)
        abort();
    return t;
}

void tree_case_end(TreeCase *t)
{
    free(t->q);
    free(t->v);
    free(t->step);
    test_state_destroy(&t->s);
    rg_dynamics_destroy(t->dynamics);
    rg_model_destroy(t->model);
}

void tree_case_move(TreeCase *t, const double *dq, const double *dv, double h)
{
    for (int i = 0; i < t->s.nv; i++) {
        t->step[i] = h * dq[i];
        t->v[i] = t->s.v[i] + (dv != NULL ? h * dv[i] : 0.0);
    }
    rg_integrate_positions(t->model, t->s.q, t->step, t->q);
}

RgMomentum tree_case_momentum(TreeCase *t, const double *dq, const double *dv, double h)
{
    RgMomentum m = {0};
    tree_case_move(t, dq, dv, h);
    if (rg_momentum(t->dynamics, t->q, t->v, &m) != RG_OK)
        abort();
    return m;
}
