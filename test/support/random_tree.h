/*
 * random_tree.h - forests drawn from a seed: every joint kind, random axes and frames, full inertias,
 * branches, floating roots,
 * springs, dampers, rotors. The same seed gives the same model and the same state.
 */
#ifndef TEST_SUPPORT_RANDOM_TREE_H
#define TEST_SUPPORT_RANDOM_TREE_H

#include "draw.h"

#include <rigor/rigor.h>

typedef struct RandomTree {
    uint64_t seed;
    int links;         /* 0: drawn, 1 to 14 */
    bool all_floating; /* every root floats: no force of the world but gravity and the wrenches */
    bool no_passive;   /* no springs, no dampers */
    int loops;         /* further joints that close loops, tight at the pose the tree has at q = 0 */
} RandomTree;

RgModel *random_tree(const RandomTree *options);

/* Number vectors that fit a model. */
typedef struct TestState {
    int nq, nv, links;
    double *q, *v, *tau, *a; /* nq, nv, nv, nv */
    RgForce *wrenches;       /* links */
} TestState;

/* q, v, tau and wrenches drawn: angles within pi, slides within 1 m, rates within 2, efforts and wrenches
   within 10. */
TestState random_state(const RgModel *model, uint64_t seed);
void test_state_destroy(TestState *state);

#endif
