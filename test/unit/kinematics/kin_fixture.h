/* kin_fixture.h - a random tree or a scene with its kinematics at a random state, for unit tests of the
   tree algorithms. */
#ifndef TEST_UNIT_KIN_FIXTURE_H
#define TEST_UNIT_KIN_FIXTURE_H

#include "check_near.h"
#include "kinematics/kinematics.h"
#include "random_tree.h"

#include <string.h>

typedef struct KinCase {
    RgModel *model;
    TestState s;
    RgArena arena;
    RgKin *kin;
    double *q; /* nq: a position near that of the state */
} KinCase;

/* Kinematics at the state s of the model, which the case owns. */
static inline KinCase kin_case(RgModel *model, uint64_t seed)
{
    KinCase c = {.model = model, .s = random_state(model, seed)};
    rg_arena_init(&c.arena, NULL);
    c.kin = rg_kin_alloc(&c.arena, model);
    c.q = RG_ARENA_ALLOC(&c.arena, double, c.s.nq);
    cr_assert(c.kin != NULL && !c.arena.failed);
    rg_forward_kin(c.s.q, c.s.v, c.kin);
    return c;
}

static inline KinCase kin_case_drawn(uint64_t seed)
{
    RandomTree options = {.seed = seed};
    return kin_case(random_tree(&options), seed);
}

static inline void kin_case_end(KinCase *c)
{
    test_state_destroy(&c->s);
    rg_arena_free(&c->arena);
    rg_model_destroy(c->model);
}

/* Kinematics t seconds later, at the same velocities. */
static inline void kin_case_look(KinCase *c, double t)
{
    double step[512];
    cr_assert(c->s.nv <= 512);
    for (int k = 0; k < c->s.nv; k++)
        step[k] = t * c->s.v[k];
    rg_integrate_positions(c->model, c->s.q, step, c->q);
    rg_forward_kin(c->q, c->s.v, c->kin);
}

/* Are count numbers the same, bit by bit? */
static inline bool same_bits(const void *a, const void *b, size_t bytes)
{
    return memcmp(a, b, bytes) == 0;
}

#endif
