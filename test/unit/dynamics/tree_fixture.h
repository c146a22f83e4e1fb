/* tree_fixture.h - a model with kinematics at a random state and the memory of all tree algorithms. */
#ifndef TEST_UNIT_TREE_FIXTURE_H
#define TEST_UNIT_TREE_FIXTURE_H

#include "dynamics/tree_dynamics.h"
#include "unit/kinematics/kin_fixture.h"

/* Down, and a little askew. */
static const RgVec3 tree_gravity = {0.3, -0.2, -9.81};

typedef struct TreeBench {
    KinCase k;
    const RgModel *model;
    RgKin *kin;
    RgTreeWork *work;
    RgForce *f_ext; /* nbodies: wrenches of the state on body origins */
    int nv;
} TreeBench;

static inline TreeBench tree_bench(RgModel *model, uint64_t seed)
{
    TreeBench b = {.k = kin_case(model, seed), .model = model, .nv = rg_model_info(model).nv};
    b.kin = b.k.kin;
    b.work = rg_tree_work_alloc(&b.k.arena, model);
    b.f_ext = RG_ARENA_ALLOC(&b.k.arena, RgForce, model->nbodies);
    cr_assert(b.work != NULL && !b.k.arena.failed);
    rg_gather_wrenches(b.kin, b.k.s.wrenches, b.f_ext);
    return b;
}

static inline TreeBench tree_bench_drawn(uint64_t seed)
{
    RandomTree options = {.seed = seed};
    return tree_bench(random_tree(&options), seed);
}

static inline void tree_bench_end(TreeBench *b)
{
    kin_case_end(&b->k);
}

/* Zeroed numbers that go with the case. */
static inline double *tree_numbers(TreeBench *b, int count)
{
    double *x = RG_ARENA_ALLOC(&b->k.arena, double, count);
    cr_assert(x != NULL);
    return x;
}

/* nv x nv matrix of M + diagonal, whole. */
static inline double *tree_mass(TreeBench *b, const double *diagonal)
{
    double *M = tree_numbers(b, b->nv * b->nv);
    rg_crba_whole(b->kin, diagonal, b->work, M);
    return M;
}

static inline bool is_ancestor(const RgModel *m, int j, int k)
{
    for (int i = k; i >= 0; i = m->dof_parent[i])
        if (i == j)
            return true;
    return false;
}

#endif
